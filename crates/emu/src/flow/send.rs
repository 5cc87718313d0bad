//! The sending end of a flow.

use std::io;
use std::net::UdpSocket;

use backwater_transport::controller::AnyController;
use backwater_transport::endpoint::{AnySender, Protocol, Sender, SenderSetup};
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::{Span, Time};
use hdrhistogram::Histogram;
use serde_json::{Value, json};

use super::greet::{Looks, connect, of_socket};
use super::lines::Lines;
use super::{Ending, rate_bps};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::system::{self, Poller, Signals};
use backwater_wire::flow::{self as wire, Message, UDP_IP};

/// The schema of all lines.
pub const SCHEMA: &str = "backwater/flow/1";
/// Packets sent before acknowledgements have their turn.
const BURST: usize = 32;
/// Signals that end it.
const SIGNALS: [libc::c_int; 2] = [libc::SIGINT, libc::SIGTERM];

/// Settings of a sender.
pub struct Wishes {
    /// The listener's host.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The description of the flow that the listener receives.
    pub told: String,
    /// The sending end.
    pub setup: SenderSetup,
    /// Its controller.
    pub controller: AnyController,
    /// Bytes to send; none for no end.
    pub bytes: Option<u64>,
    /// When to stop.
    pub duration: Option<Span>,
    /// How often there is a line.
    pub interval: Span,
}

/// The measurements of the sending end since the last line.
#[derive(Debug, Default)]
struct Told {
    at: Time,
    sent: u64,
    acked: u64,
    rtt: Option<Span>,
}

/// The sending end.
pub(super) struct Sending {
    pub(super) socket: UdpSocket,
    pub(super) token: u64,
    /// The value that the listener gave.
    pub(super) cookie: u64,
    pub(super) clock: Clock,
    sender: AnySender,
    protocol: Protocol,
    header: u64,
    codepoint: Ecn,
    /// One above the greatest number, and the end of the bytes sent.
    numbers: u64,
    reached: u64,
    /// When the first packet might leave, and when the last might.
    begun: Time,
    ended: Time,
    rtts: Histogram<u64>,
    /// Acknowledgements of what was never sent.
    wrong: u64,
    lines: Lines,
    told: Told,
    buffer: Vec<u8>,
}

/// Sends until all is acknowledged, time is up or a signal comes. `stop` is asked once in a while. Returns what ended it.
///
/// # Errors
/// An unknown host, a listener that does not answer or goes away, packets too long for the way.
pub fn send(wishes: Wishes, stop: &dyn Fn() -> bool) -> Result<Ending, Fault> {
    let socket = connect(&wishes.host, wishes.port)?;
    let signals = Signals::catch(&SIGNALS).map_err(of_socket)?;
    let mut poller = Poller::new([signals.descriptor()].into_iter()).map_err(of_socket)?;
    poller.watch(&socket).map_err(of_socket)?;
    let looks = Looks { poller, signals };
    let clock = Clock::begin();
    let mut sending = Sending {
        socket,
        token: clock.begun_ns() ^ (u64::from(std::process::id()) << 40),
        cookie: 0,
        clock,
        sender: AnySender::new(&wishes.setup, wishes.controller),
        header: wishes.setup.protocol.row().header,
        protocol: wishes.setup.protocol,
        codepoint: Ecn::NotEct,
        numbers: 0,
        reached: 0,
        begun: Time::ZERO,
        ended: Time::ZERO,
        rtts: Histogram::new_with_max(3_600_000_000_000, 3).expect("legal bounds"),
        wrong: 0,
        lines: Lines::default(),
        told: Told::default(),
        buffer: Vec::new(),
    };
    let ended = sending.greet(&wishes.told, &looks).and_then(|signal| {
        let ending = match signal {
            Some(signal) => Ending::Signal(signal),
            None => sending.run(wishes.bytes, wishes.duration, wishes.interval, &looks, stop)?,
        };
        sending.ended = sending.clock.now().max(sending.begun);
        let received = sending.part(&looks)?;
        sending.summarise(ending, &received)?;
        sending.lines.finish()?;
        Ok(ending)
    });
    if ended.is_err() {
        // The listener is told, if it is still there; the fault is what counts.
        let _ = sending
            .socket
            .send(&wire::write(&Message::End(sending.token)));
    }
    ended
}

impl Sending {
    /// The flow itself.
    fn run(
        &mut self,
        bytes: Option<u64>,
        duration: Option<Span>,
        interval: Span,
        looks: &Looks,
        stop: &dyn Fn() -> bool,
    ) -> Result<Ending, Fault> {
        self.begun = self.clock.now();
        self.told.at = self.begun;
        let end = duration.map_or(Time::NEVER, |d| self.begun.after(d));
        let mut line = self.begun.after(interval);
        self.sender.write(bytes.unwrap_or(u64::MAX));
        loop {
            self.listen()?;
            let now = self.clock.now();
            if self.sender.due() <= now {
                self.sender.on_timer(now);
            }
            let more = self.transmit(now)?;
            if bytes.is_some_and(|bytes| self.is_done(bytes)) || now >= end {
                return Ok(Ending::Done);
            }
            if now >= line {
                line = now.after(interval);
                self.tell(now)?;
            }
            if self.lines.unread() {
                return Ok(Ending::Unread);
            }
            if let Some(signal) = looks.signal()? {
                return Ok(Ending::Signal(signal));
            }
            if let Some(wrong) = self.sender.controller().fault() {
                return Err(Fault::System {
                    what: format!("the controller failed: {}", wrong.what),
                    fix: wrong.fix.clone(),
                });
            }
            if stop() {
                return Ok(Ending::Class);
            }
            if !more {
                let due = self.sender.due().min(line).min(end);
                looks.sleep(self.clock.system_ns(due))?;
            }
        }
    }

    /// Whether so many bytes are acknowledged; of datagrams, which are sent once, whether the last is acknowledged or lost.
    fn is_done(&self, bytes: u64) -> bool {
        let counters = self.sender.counters();
        let once = !self.protocol.row().reliable;
        let spent = once && counters.bytes >= bytes;
        counters.acked >= bytes || (spent && self.sender.inspect().in_flight == 0)
    }

    /// Takes the acknowledgements that came. What one lets go leaves before the next one counts, as in the model: a controller
    /// may ask how much was in flight, and of acknowledgements that came together the last would find nothing there.
    fn listen(&mut self) -> Result<(), Fault> {
        while let Some(message) = self.take()? {
            let Message::Ack(ack) = message else { continue };
            let now = self.clock.now();
            if !self.could_be(&ack, now) {
                self.wrong += 1;
                continue;
            }
            let rtt = now.since(ack.echo);
            self.rtts.saturating_record(rtt.0 / 1000);
            self.told.rtt = Some(rtt);
            self.sender.on_ack(now, &ack);
            self.transmit(now)?;
        }
        Ok(())
    }

    /// Whether an acknowledgement speaks of what was sent (RFC 9293 section 3.10.7.4).
    fn could_be(&self, ack: &AckSegment, now: Time) -> bool {
        let most = match self.protocol.row().reliable {
            true => self.reached,
            false => self.numbers,
        };
        let blocks = ack
            .sack()
            .all(|(first, end)| first < end && end <= self.reached);
        ack.upto <= most && ack.number < self.numbers && ack.echo <= now && blocks
    }

    /// Sends what may leave now, as far as acknowledgements can wait. Whether there may be more.
    fn transmit(&mut self, now: Time) -> Result<bool, Fault> {
        for _ in 0..BURST {
            let Some(segment) = self.sender.poll(now) else {
                return Ok(false);
            };
            self.depart(&segment)?;
        }
        Ok(true)
    }

    fn depart(&mut self, segment: &Segment) -> Result<(), Fault> {
        if !wire::fits(segment) {
            let fix = "send less in one flow";
            return Err(Fault::refused(
                "the flow's packets have no numbers left",
                "flow send",
                fix,
            ));
        }
        if segment.ecn != self.codepoint {
            system::set_codepoint(&self.socket, segment.ecn as u8).map_err(of_socket)?;
            self.codepoint = segment.ecn;
        }
        self.numbers = self.numbers.max(segment.number + 1);
        self.reached = self.reached.max(segment.start + u64::from(segment.len));
        let size = wire::size(self.header, segment.len);
        wire::write_data(segment, size, &mut self.buffer);
        loop {
            let Err(error) = self.socket.send(&self.buffer) else {
                return Ok(());
            };
            match error.raw_os_error() {
                // The queue of the device is full: the packet waits for room.
                Some(libc::EAGAIN | libc::ENOBUFS | libc::EINTR) => {
                    system::await_room(&self.socket, 10)
                }
                Some(libc::EMSGSIZE) => return Err(self.too_long(&error)),
                _ => return Err(of_socket(error)),
            }
        }
    }

    fn too_long(&self, error: &io::Error) -> Fault {
        let ip = match self.socket.local_addr() {
            Ok(address) if address.is_ipv6() => UDP_IP + 20,
            _ => UDP_IP,
        };
        let length = self.buffer.len() + ip;
        let what = format!("packets of {length} B are too long for the way");
        let fix = match system::path_mtu(&self.socket) {
            // A scenario's packets have headers of IPv4.
            Ok(mtu) => format!(
                "its MTU is {mtu} B: write --set packet=\"{} B\"",
                (mtu as usize + UDP_IP).saturating_sub(ip)
            ),
            Err(_) => "write shorter ones by --set packet".to_owned(),
        };
        Fault::system(&what, error, &fix)
    }

    /// Writes a line.
    fn tell(&mut self, now: Time) -> Result<(), Fault> {
        let (counters, seen) = (*self.sender.counters(), self.sender.inspect());
        let seconds = now.since(self.told.at).seconds();
        let line = json!({
            "schema": SCHEMA,
            "kind": "sample",
            "t_s": now.since(self.begun).seconds(),
            "cwnd_B": seen.window,
            "ssthresh_B": seen.controller.ssthresh,
            "in_flight_B": seen.in_flight,
            "pacing_bps": seen.pacing.map(|rate| rate.0),
            "rtt_s": self.told.rtt.map(Span::seconds),
            "srtt_s": (seen.srtt > Span::ZERO).then(|| seen.srtt.seconds()),
            "sent_bps": rate_bps(counters.bytes - self.told.sent, seconds),
            "rate_bps": rate_bps(counters.acked - self.told.acked, seconds),
            "state": seen.controller.state,
            "lost_pkts": counters.lost,
            "retransmitted_pkts": counters.retransmitted,
        });
        self.told = Told {
            at: now,
            sent: counters.bytes,
            acked: counters.acked,
            rtt: None,
        };
        self.lines.sample(&line)
    }

    fn summarise(&mut self, ending: Ending, received: &Value) -> Result<(), Fault> {
        let counters = *self.sender.counters();
        let seconds = self.ended.since(self.begun).seconds();
        let rtt =
            |q: f64| (!self.rtts.is_empty()).then(|| self.rtts.value_at_quantile(q) as f64 / 1e9);
        let line = json!({
            "schema": SCHEMA,
            "kind": "summary",
            "ended": ending.word(),
            "duration_s": seconds,
            "sent_pkts": counters.segments,
            "sent_B": counters.bytes,
            "acked_B": counters.acked,
            "rate_bps": rate_bps(counters.acked, seconds),
            "lost_pkts": counters.lost,
            "retransmitted_pkts": counters.retransmitted,
            "timeouts": counters.timeouts,
            "wrong_acks_pkts": self.wrong,
            "rtt_min_s": (!self.rtts.is_empty()).then(|| self.rtts.min() as f64 / 1e9),
            "rtt_p50_s": rtt(0.5),
            "rtt_p95_s": rtt(0.95),
            "received": received,
        });
        self.lines.put(&line)
    }
}
