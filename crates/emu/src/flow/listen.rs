//! The listening end of flows: one socket, any number of flows, told apart by the senders' addresses.

use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};

use backwater_transport::endpoint::{AnyReceiver, Receiver};
use backwater_transport::liar::Liar;
use backwater_transport::segment::{AckSegment, Ecn, Segment};
use backwater_transport::units::{Span, Time};
use serde_json::{Value, json};

use super::cookie::Cookies;
use super::lines::Lines;
use super::tally::Tally;
use super::{Ending, setup};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::system::{self, Poller, Signals};
use backwater_wire::flow::{self as wire, Hello, Message, UDP_IP};
use backwater_wire::ip::codepoint;

/// A sender that is silent for so long has ended.
const SILENCE: Span = Span::secs(60);
/// Flows at once, those that ended within `SILENCE` included.
const MOST: usize = 1000;
/// How long a listener that ends with its flow answers those that have not heard so.
const LINGER_NS: u64 = 500_000_000;
/// Datagrams read before timers have their turn.
const BURST: usize = 64;
/// Signals that end it.
const SIGNALS: [libc::c_int; 2] = [libc::SIGINT, libc::SIGTERM];

/// Settings of a listener.
#[derive(Clone, Debug)]
pub struct Wishes {
    /// The address to listen at.
    pub address: String,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// How often each flow has a line.
    pub interval: Span,
    /// End with the first flow that ends.
    pub once: bool,
}

/// A flow that comes here.
struct Flow {
    token: u64,
    receiver: AnyReceiver,
    liar: Option<Liar>,
    clock: Clock,
    one_clock: bool,
    tally: Tally,
    next_line: Time,
    /// When the sender said something last.
    heard: Time,
    /// The summary, once the sender is done. It is kept, because its way to the sender may be lossy.
    ended: Option<String>,
}

/// The listening end.
struct Listener {
    socket: UdpSocket,
    flows: BTreeMap<SocketAddr, Flow>,
    cookies: Cookies,
    lines: Lines,
    interval: Span,
    /// When a flow ended last, by the system's clock.
    done_ns: Option<u64>,
    out: Vec<u8>,
}

/// Serves flows until a signal comes; returns what ended it.
///
/// # Errors
/// An address that cannot be used, or lines that cannot be written.
pub fn listen(wishes: &Wishes) -> Result<Ending, Fault> {
    let socket = bind(wishes)?;
    let fail = |error: std::io::Error| Fault::system("the socket", &error, "try again");
    system::prepare_datagrams(&socket).map_err(fail)?;
    let signals = Signals::catch(&SIGNALS).map_err(fail)?;
    let mut poller = Poller::new([signals.descriptor()].into_iter()).map_err(fail)?;
    poller.watch(&socket).map_err(fail)?;
    let bound = socket.local_addr().map_err(fail)?;
    let mut listener = Listener {
        socket,
        flows: BTreeMap::new(),
        cookies: Cookies::default(),
        lines: Lines::default(),
        interval: wishes.interval,
        done_ns: None,
        out: Vec::new(),
    };
    let port = bound.port();
    let line = json!({"schema": super::send::SCHEMA, "kind": "listening", "address": bound.ip().to_string(), "port": port});
    listener.lines.put(&line)?;
    let ending = loop {
        if let Some((signal, _)) = signals.next().map_err(fail)? {
            break Ending::Signal(signal);
        }
        listener.take().map_err(fail)??;
        listener.ring()?;
        if wishes.once && listener.is_done() {
            break Ending::Done;
        }
        if listener.lines.unread() {
            break Ending::Unread;
        }
        poller.sleep(listener.due_ns()).map_err(fail)?;
    };
    let left: Vec<SocketAddr> = listener.flows.keys().copied().collect();
    for whence in left {
        listener.end(whence, ending)?;
    }
    listener.lines.finish()?;
    Ok(ending)
}

fn bind(wishes: &Wishes) -> Result<UdpSocket, Fault> {
    let bound = UdpSocket::bind((wishes.address.as_str(), wishes.port)).or_else(|error| {
        // A kernel without IPv6 has no address of all networks but that of IPv4.
        match wishes.address == "::" && error.raw_os_error() == Some(libc::EAFNOSUPPORT) {
            true => UdpSocket::bind(("0.0.0.0", wishes.port)),
            false => Err(error),
        }
    });
    bound.map_err(|error| {
        let place = format!("{} port {}", wishes.address, wishes.port);
        let fix = match error.raw_os_error() {
            Some(libc::EADDRINUSE) => "give another port by --port, or 0 for any that is free",
            _ => "give an address of this machine by --bind",
        };
        Fault::system(&place, &error, fix)
    })
}

impl Listener {
    /// Takes what came.
    fn take(&mut self) -> std::io::Result<Result<(), Fault>> {
        let mut bytes = [0; 65_536];
        for _ in 0..BURST {
            let Some(came) = system::take_datagram(&self.socket, &mut bytes)? else {
                break;
            };
            let whence = came.whence;
            match wire::read(&bytes[..came.length]) {
                Some(Message::Data(segment)) => {
                    self.on_data(whence, &segment, codepoint(came.codepoint), came.length);
                }
                Some(Message::Hello(hello)) => {
                    if let Err(fault) = self.on_hello(whence, &hello) {
                        return Ok(Err(fault));
                    }
                }
                Some(Message::End(token)) => {
                    let known = self.flows.get(&whence).is_some_and(|f| f.token == token);
                    if known && let Err(fault) = self.end(whence, Ending::Done) {
                        return Ok(Err(fault));
                    }
                }
                _ => {}
            }
        }
        Ok(Ok(()))
    }

    fn on_data(&mut self, whence: SocketAddr, segment: &Segment, ecn: Ecn, length: usize) {
        let Some(flow) = self.flows.get_mut(&whence).filter(|f| f.ended.is_none()) else {
            return;
        };
        let now = flow.clock.now();
        flow.heard = now;
        let bytes = length + UDP_IP;
        flow.tally
            .came(now, bytes, segment.number, segment.sent, ecn == Ecn::Ce);
        if let Some(liar) = &mut flow.liar {
            liar.see(segment.start + u64::from(segment.len), segment.sent);
        }
        if let Some(ack) = flow.receiver.on_segment(now, segment, ecn) {
            self.acknowledge(whence, ack);
        }
    }

    /// A sender asks for a flow.
    fn on_hello(&mut self, whence: SocketAddr, hello: &Hello) -> Result<(), Fault> {
        let now_ns = system::monotonic_ns();
        if !self.cookies.holds(hello.cookie, whence, now_ns) {
            let (token, cookie) = (hello.token, self.cookies.of(whence, now_ns));
            self.answer(whence, &Message::Cookie { token, cookie });
            return Ok(());
        }
        let here = hello.boot == system::boot() && hello.boot != [0; 16];
        let one_clock = here && hello.begun_ns <= system::monotonic_ns();
        let clock = match one_clock {
            true => Clock::begun_at(hello.begun_ns),
            false => Clock::showing(hello.now_ns + hello.way_ns),
        };
        let known = self.flows.get_mut(&whence);
        if let Some(flow) = known.filter(|f| f.token == hello.token && f.ended.is_none()) {
            // The same question again, with what the sender has learned of the way.
            if flow.tally.newest == Time::ZERO {
                flow.clock = clock;
            }
        } else {
            match self.begin(hello) {
                Ok((receiver, liar)) => {
                    let flow = Flow {
                        token: hello.token,
                        receiver,
                        liar,
                        clock,
                        one_clock,
                        tally: Tally::new(),
                        next_line: clock.now().after(self.interval),
                        heard: clock.now(),
                        ended: None,
                    };
                    self.flows.insert(whence, flow);
                    let flow = whence.to_string();
                    self.lines.put(&json!({"schema": super::send::SCHEMA, "kind": "begin", "flow": flow, "one_clock": one_clock}))?;
                }
                Err(why) => {
                    let token = hello.token;
                    self.answer(whence, &Message::Refused { token, why });
                    return Ok(());
                }
            }
        }
        let token = hello.token;
        self.answer(whence, &Message::Welcome { token, one_clock });
        Ok(())
    }

    fn begin(&self, hello: &Hello) -> Result<(AnyReceiver, Option<Liar>), String> {
        match self.flows.len() < MOST {
            true => setup::listener(&hello.fields),
            false => Err(format!("{MOST} flows come here already")),
        }
    }

    fn acknowledge(&mut self, whence: SocketAddr, ack: AckSegment) {
        let liar = self.flows.get_mut(&whence).and_then(|f| f.liar.as_mut());
        let acks = liar.map_or_else(|| vec![ack.clone()], |liar| liar.tell(ack.clone()));
        for ack in acks {
            wire::write_ack(&ack, &mut self.out);
            // An acknowledgement for which there is no room is lost, as any may be.
            let _ = self.socket.send_to(&self.out, whence);
        }
    }

    fn answer(&self, whence: SocketAddr, message: &Message) {
        // The sender asks again where this is lost.
        let _ = self.socket.send_to(&wire::write(message), whence);
    }

    /// Ends a flow, with a line the first time, and tells the sender what was counted.
    fn end(&mut self, whence: SocketAddr, ending: Ending) -> Result<(), Fault> {
        let Some(flow) = self.flows.get_mut(&whence) else {
            return Ok(());
        };
        if flow.ended.is_none() {
            let mut summary = flow.tally.summary(flow.receiver.delivered());
            summary["one_clock"] = flow.one_clock.into();
            summary["ended"] = ending.word().into();
            flow.ended = Some(summary.to_string());
            self.done_ns = Some(system::monotonic_ns());
            summary["schema"] = super::send::SCHEMA.into();
            summary["kind"] = "received".into();
            summary["flow"] = whence.to_string().into();
            self.lines.put(&summary)?;
        }
        let flow = &self.flows[&whence];
        let (token, summary) = (flow.token, flow.ended.clone().unwrap_or_default());
        self.answer(whence, &Message::Ended { token, summary });
        Ok(())
    }

    /// Serves timers: acknowledgements, lines, senders that are silent.
    fn ring(&mut self) -> Result<(), Fault> {
        let all: Vec<SocketAddr> = self.flows.keys().copied().collect();
        for whence in all {
            let Some(flow) = self.flows.get_mut(&whence) else {
                continue;
            };
            let now = flow.clock.now();
            let silent = now > flow.heard.after(SILENCE);
            if flow.ended.is_some() {
                if silent {
                    self.flows.remove(&whence);
                }
                continue;
            }
            let ack = (flow.receiver.due() <= now)
                .then(|| flow.receiver.on_timer(now))
                .flatten();
            if now >= flow.next_line {
                flow.next_line = now.after(self.interval);
                let mut line: Value = flow.tally.sample(now, flow.receiver.delivered());
                line["schema"] = super::send::SCHEMA.into();
                line["kind"] = "arrivals".into();
                line["flow"] = whence.to_string().into();
                self.lines.sample(&line)?;
            }
            if let Some(ack) = ack {
                self.acknowledge(whence, ack);
            }
            if silent {
                self.end(whence, Ending::Silent)?;
            }
        }
        Ok(())
    }

    /// Whether all flows have ended, long enough ago that each sender knows.
    fn is_done(&self) -> bool {
        let all = self.flows.values().all(|flow| flow.ended.is_some());
        let since = self.done_ns.map(|then| system::monotonic_ns() - then);
        all && since.is_some_and(|since| since >= LINGER_NS)
    }

    /// The earliest instant of the system's clock at which a timer is due.
    fn due_ns(&self) -> u64 {
        let open = self.flows.values().filter(|flow| flow.ended.is_none());
        let due = open.map(|f| f.clock.system_ns(f.receiver.due().min(f.next_line)));
        let look = system::monotonic_ns() + LINGER_NS;
        due.min().map_or(look, |due| due.min(look))
    }
}
