//! How the sending end finds the listening end, agrees with it on a flow and a clock, and ends the flow.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};

use backwater_transport::units::Span;
use serde_json::Value;

use super::send::Sending;
use crate::fault::Fault;
use crate::system::{self, Poller, Signals};
use backwater_wire::flow::{self as wire, Hello, Message};

/// How often a question is repeated, and how often at most.
const AGAIN: Span = Span::millis(250);
const TRIES: u32 = 20;
/// The end is told less often: the flow itself is done.
const TRIES_END: u32 = 8;
/// How many cookies are taken: more than two come from no listener.
const COOKIES: u32 = 8;

/// The answer to a greeting.
enum Answer {
    /// To ask again, with a cookie.
    Again,
    /// The listener has its end; true if its clock is the sender's.
    Welcome(bool),
}

/// The descriptors that end a sleep.
pub(super) struct Looks {
    pub(super) poller: Poller,
    pub(super) signals: Signals,
}

impl Looks {
    /// Whether a signal has come.
    pub(super) fn signal(&self) -> Result<Option<libc::c_int>, Fault> {
        let next = self.signals.next();
        Ok(next.map_err(of_socket)?.map(|(signal, _)| signal))
    }

    pub(super) fn sleep(&self, until_ns: u64) -> Result<(), Fault> {
        self.poller.sleep(until_ns).map(|_| ()).map_err(of_socket)
    }
}

/// A fault of the socket without a cause of its own.
pub(super) fn of_socket(error: io::Error) -> Fault {
    match error.raw_os_error() {
        Some(libc::ECONNREFUSED) => Fault::system(
            "nobody listens there",
            &error,
            "start `backwater flow listen` there, or give its port by --port",
        ),
        Some(libc::ENETUNREACH | libc::EHOSTUNREACH) => {
            Fault::system("no way leads there", &error, "give another host")
        }
        _ => Fault::system("the socket", &error, "try again"),
    }
}

/// A socket whose peer is the listener.
pub(super) fn connect(host: &str, port: u16) -> Result<UdpSocket, Fault> {
    let unknown = |error: io::Error| {
        let fix = "write the name or address of a machine that this one knows";
        Fault::system(&format!("the host `{host}`"), &error, fix)
    };
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    let mut peers: Vec<SocketAddr> = (host, port).to_socket_addrs().map_err(unknown)?.collect();
    // A listener is at the loopback address of IPv4 where nothing else was said.
    peers.sort_by_key(|peer| peer.is_ipv6() && peer.ip().is_loopback());
    for peer in peers {
        let any = if peer.is_ipv6() {
            "[::]:0"
        } else {
            "0.0.0.0:0"
        };
        let connected = UdpSocket::bind(any).and_then(|socket| {
            system::prepare_datagrams(&socket)?;
            socket.connect(peer)?;
            Ok(socket)
        });
        match connected {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(unknown(last))
}

impl Sending {
    /// The next message, if there is one now.
    pub(super) fn take(&self) -> Result<Option<Message>, Fault> {
        let mut bytes = [0; 2048];
        loop {
            let Some(came) = system::take_datagram(&self.socket, &mut bytes).map_err(of_socket)?
            else {
                return Ok(None);
            };
            if let Some(message) = wire::read(&bytes[..came.length]) {
                return Ok(Some(message));
            }
        }
    }

    /// Asks the same thing again and again until `answered` has what it wants; none if nobody answers in time.
    fn ask<T>(
        &mut self,
        tries: u32,
        looks: &Looks,
        question: impl Fn(&Sending) -> Message,
        mut answered: impl FnMut(&mut Sending, Message) -> Result<Option<T>, Fault>,
    ) -> Result<Result<Option<T>, libc::c_int>, Fault> {
        for _ in 0..tries {
            let bytes = wire::write(&question(self));
            self.socket.send(&bytes).map_err(of_socket)?;
            let until = self.clock.now().after(AGAIN);
            while self.clock.now() < until {
                if let Some(signal) = looks.signal()? {
                    return Ok(Err(signal));
                }
                while let Some(message) = self.take()? {
                    if let Some(answer) = answered(self, message)? {
                        return Ok(Ok(Some(answer)));
                    }
                }
                looks.sleep(self.clock.system_ns(until))?;
            }
        }
        Ok(Ok(None))
    }

    /// Has the listener make its end. Gives a signal that came meanwhile.
    pub(super) fn greet(
        &mut self,
        told: &str,
        looks: &Looks,
    ) -> Result<Option<libc::c_int>, Fault> {
        let (mut way_ns, mut cookies) = (0, 0);
        loop {
            let asked = self.clock.now();
            let hello = |sending: &Sending| {
                Message::Hello(Hello {
                    token: sending.token,
                    begun_ns: sending.clock.begun_ns(),
                    now_ns: sending.clock.now().0 / 1000,
                    way_ns,
                    cookie: sending.cookie,
                    boot: system::boot(),
                    fields: told.to_owned(),
                })
            };
            let answer = self.ask(TRIES, looks, hello, |sending, message| match message {
                Message::Cookie { token, cookie }
                    if token == sending.token && cookie != sending.cookie && cookies < COOKIES =>
                {
                    (sending.cookie, cookies) = (cookie, cookies + 1);
                    Ok(Some(Answer::Again))
                }
                Message::Welcome { token, one_clock } if token == sending.token => {
                    Ok(Some(Answer::Welcome(one_clock)))
                }
                Message::Refused { token, why } if token == sending.token => {
                    let fix = "take the same version of Backwater at both ends";
                    Err(Fault::refused(
                        format!("the listener refuses the flow: {why}"),
                        "flow send",
                        fix,
                    ))
                }
                _ => Ok(None),
            })?;
            match answer {
                Err(signal) => return Ok(Some(signal)),
                Ok(None) => {
                    let seconds = AGAIN.times(TRIES.into()).seconds();
                    return Err(Fault::System {
                        what: format!("nobody answered within {seconds} s"),
                        fix: "start `backwater flow listen` there, or give its port by --port"
                            .into(),
                    });
                }
                Ok(Some(Answer::Again)) => {}
                // A listener on another machine sets its clock by the way's length, which is known now.
                Ok(Some(Answer::Welcome(false))) if way_ns == 0 => {
                    way_ns = (self.clock.now().since(asked).0 / 2000).max(1);
                }
                Ok(Some(Answer::Welcome(_))) => return Ok(None),
            }
        }
    }

    /// Tells the listener that this is all; gives what it has counted, if it says so in time.
    pub(super) fn part(&mut self, looks: &Looks) -> Result<Value, Fault> {
        let end = |sending: &Sending| Message::End(sending.token);
        let answer = self.ask(TRIES_END, looks, end, |sending, message| match message {
            Message::Ended { token, summary } if token == sending.token => {
                Ok(Some(serde_json::from_str(&summary).unwrap_or(Value::Null)))
            }
            _ => Ok(None),
        });
        match answer {
            Ok(answer) => Ok(answer.ok().flatten().unwrap_or(Value::Null)),
            // A listener that ended before has counted too, and said so in its own lines.
            Err(_) => Ok(Value::Null),
        }
    }
}
