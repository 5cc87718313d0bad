//! Load for benchmarks of emulators: datagrams that say when they left, and how long they took by the kernel's own stamp of
//! their arrival. So neither end needs to be prompt.

use std::io;
use std::net::{ToSocketAddrs, UdpSocket};

use backwater_transport::random::Random;
use hdrhistogram::Histogram;
use serde_json::{Value, json};

use crate::fault::Fault;
use crate::system;

/// Bytes that say number and instant.
const HEADER: usize = 16;
/// A receiver that hears nothing for so long after its first packet has heard all.
const IDLE_NS: u64 = 1_500_000_000;
/// How long it waits for the first.
const FIRST_NS: u64 = 30_000_000_000;

/// The packets that a probe sends.
#[derive(Clone, Debug)]
pub struct Load {
    /// Whither.
    pub host: String,
    /// Which port.
    pub port: u16,
    /// How many packets.
    pub packets: u64,
    /// How many a second.
    pub rate_pps: f64,
    /// Gaps are exponential, as in a Poisson process, not equal.
    pub random_gaps: bool,
    /// Payload bytes of each.
    pub size: usize,
}

fn of_socket(error: &io::Error) -> Fault {
    Fault::system("the probe", error, "try again")
}

/// Sends it. Gives how many packets the system took, and how long that was.
///
/// # Errors
/// No such host.
pub fn send(load: &Load) -> Result<Value, Fault> {
    let peer = (load.host.as_str(), load.port).to_socket_addrs();
    let peer = peer.map_err(|e| of_socket(&e))?.next();
    let peer = peer.ok_or_else(|| of_socket(&io::ErrorKind::NotFound.into()))?;
    let any = if peer.is_ipv6() {
        "[::]:0"
    } else {
        "0.0.0.0:0"
    };
    let socket = UdpSocket::bind(any).map_err(|e| of_socket(&e))?;
    socket.connect(peer).map_err(|e| of_socket(&e))?;
    let mut random = Random::stream(1, "probe", "gaps");
    let mut bytes = vec![0; load.size.max(HEADER)];
    let (begun, mut due_s, mut sent) = (system::monotonic_ns(), 0.0, 0u64);
    for number in 0..load.packets {
        due_s += match load.random_gaps {
            true => random.exponential(1.0 / load.rate_pps),
            false => 1.0 / load.rate_pps,
        };
        let due = begun + (due_s * 1e9) as u64;
        // A packet that is late already is sent at once: the rate holds over time.
        if due > system::monotonic_ns() {
            system::sleep_until_ns(due);
        }
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        bytes[8..HEADER].copy_from_slice(&system::realtime_ns().to_be_bytes());
        sent += u64::from(socket.send(&bytes).is_ok());
    }
    let seconds = (system::monotonic_ns() - begun) as f64 / 1e9;
    Ok(json!({"sent_pkts": sent, "duration_s": seconds}))
}

/// Receives at a port until so many packets have come, or none for a while. Gives how long they took, in seconds.
///
/// # Errors
/// The port is in use.
pub fn receive(port: u16, packets: u64, nominal_s: f64) -> Result<Value, Fault> {
    let socket = UdpSocket::bind(("0.0.0.0", port)).map_err(|e| of_socket(&e))?;
    system::prepare_datagrams(&socket).map_err(|e| of_socket(&e))?;
    system::stamp_datagrams(&socket).map_err(|e| of_socket(&e))?;
    let mut poller = system::Poller::new([].into_iter()).map_err(|e| of_socket(&e))?;
    poller.watch(&socket).map_err(|e| of_socket(&e))?;
    let mut delays = Histogram::<u64>::new_with_max(60_000_000_000, 4).expect("legal bounds");
    let (mut bytes, mut early, mut last) = ([0; 2048], 0u64, None);
    let mut until = system::monotonic_ns() + FIRST_NS;
    while delays.len() < packets && system::monotonic_ns() < until {
        let came = system::take_datagram(&socket, &mut bytes).map_err(|e| of_socket(&e))?;
        let Some(came) = came else {
            poller.sleep(until).map_err(|e| of_socket(&e))?;
            continue;
        };
        if came.length < HEADER {
            continue;
        }
        let left = u64::from_be_bytes(bytes[8..HEADER].try_into().expect("eight bytes"));
        let arrived = came.stamped_ns.unwrap_or_else(system::realtime_ns);
        let took = arrived.saturating_sub(left);
        early += u64::from((took as f64) < nominal_s * 1e9);
        delays.saturating_record(took);
        last = Some(arrived);
        until = system::monotonic_ns() + IDLE_NS;
    }
    let quantile = |q: f64| last.map(|_| delays.value_at_quantile(q) as f64 / 1e9);
    Ok(json!({
        "received_pkts": delays.len(),
        "early_pkts": early,
        "delay_min_s": last.map(|_| delays.min() as f64 / 1e9),
        "delay_p50_s": quantile(0.5),
        "delay_p95_s": quantile(0.95),
        "delay_p99_s": quantile(0.99),
        "delay_max_s": quantile(1.0),
    }))
}
