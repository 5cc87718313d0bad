//! Congestion controllers. A controller decides how many bytes may be in flight and how fast they
//! leave; it sees acknowledgements and congestion, never packets, sockets or clocks. Recovery, round
//! trips and rate samples are the sender's. A controller is one file here and a row of
//! `CONTROLLERS`.

use crate::forecast::Forecaster;
use crate::part::{Args, Part, Refusal};
use crate::segment::Feedback;
use crate::units::{Rate, Span, Time};

/// A delivery-rate sample (draft-ietf-ccwg-bbr section 4.1).
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct RateSample {
    /// Bytes delivered in `interval`.
    pub delivered: u64,
    /// The longer of the spans over which they were sent and acknowledged.
    pub interval: Span,
    /// The application, not the network, held the sender back when the packet left.
    pub app_limited: bool,
    /// Delivered bytes, in total, when the newest acknowledged packet left.
    pub prior_delivered: u64,
    /// Bytes in flight when that packet left, itself included.
    pub tx_in_flight: u64,
    /// Bytes declared lost between its departure and now.
    pub lost: u64,
}

impl RateSample {
    /// `delivered` / `interval`. Few controllers ask, so it is not worked out before.
    pub fn rate(&self) -> Rate {
        Rate((self.delivered as f64 * 8e12 / self.interval.0 as f64) as u64)
    }
}

/// What an acknowledgement tells.
#[derive(Copy, Clone, Debug)]
pub struct Ack<'a> {
    /// Now.
    pub now: Time,
    /// Bytes newly known to be delivered, selectively or cumulatively.
    pub acked: u64,
    /// Bytes by which the cumulative acknowledgement moved: what a window grows on that follows
    /// RFC 5681, for which duplicate acknowledgements are none. Of datagrams all of `acked`.
    pub advanced: u64,
    /// Segments newly known to be delivered.
    pub acked_segments: u32,
    /// Bytes newly declared lost by this acknowledgement.
    pub lost: u64,
    /// Bytes among `acked` newly reported with CE.
    pub marked: u64,
    /// Bytes delivered since the beginning, those of this acknowledgement included.
    pub delivered: u64,
    /// Bytes in flight before this acknowledgement.
    pub prior_in_flight: u64,
    /// Bytes in flight after it.
    pub in_flight: u64,
    /// Round-trip sample; none where it would be ambiguous (Karn).
    pub rtt: Option<Span>,
    /// Smoothed round trip (RFC 6298).
    pub srtt: Span,
    /// Least round trip since the beginning.
    pub min_rtt: Span,
    /// From the sender's stamp to reception by the receiver's clock.
    pub one_way: Option<Span>,
    /// Delivery-rate sample.
    pub rate: Option<RateSample>,
    /// Rounds so far: a round ends when a packet sent after the last one ended is acknowledged.
    pub round: u64,
    /// This acknowledgement begins a round.
    pub round_start: bool,
    /// The window, not the application, held the sender back during the last round.
    pub cwnd_limited: bool,
    /// The sender repairs losses.
    pub recovering: bool,
    /// Payload bytes the sender has put on the wire, retransmissions included.
    pub sent: u64,
    /// Number of the newest transmission acknowledged (`Segment::number`).
    pub number: u64,
    /// Explicit feedback.
    pub feedback: Option<&'a Feedback>,
}

/// Why the network is taken to be congested.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Recovery begins: segments were lost. In recovery: a retransmission was.
    Loss,
    /// A mark was echoed (once for each round, for controllers that count no marks).
    Mark,
    /// The retransmission timer expired.
    Timeout,
    /// What was answered before was no loss (RFC 4015, DSACK): the reduction is to be undone.
    Spurious,
    /// Recovery is over: everything outstanding at its beginning has been acknowledged.
    Recovered,
}

/// Congestion, told at most once for each round.
#[derive(Copy, Clone, Debug)]
pub struct Congestion {
    /// Now.
    pub now: Time,
    /// Why.
    pub cause: Cause,
    /// Bytes in flight when it was noticed (FlightSize, RFC 5681).
    pub in_flight: u64,
    /// Bytes declared lost so far in this episode.
    pub lost: u64,
    /// Bytes in flight when the lost segment had been sent, if known.
    pub tx_in_flight: u64,
    /// The round in which it was noticed.
    pub round: u64,
}

/// A segment has left.
#[derive(Copy, Clone, Debug)]
pub struct Sent {
    /// When.
    pub now: Time,
    /// `Segment::number`.
    pub number: u64,
    /// Payload bytes.
    pub len: u64,
    /// Bytes in flight, this segment included.
    pub in_flight: u64,
    /// Whether it is a retransmission.
    pub again: bool,
    /// The application has nothing more to send.
    pub app_limited: bool,
}

/// What a controller makes of a departure.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Departure {
    /// Nothing, now or ever: it need not be told of another.
    Ignored,
    /// It took note.
    Noted,
    /// It took note, and the header of the segment says this.
    Announced(Feedback),
}

/// A segment has been declared lost.
#[derive(Copy, Clone, Debug)]
pub struct Lost {
    /// When.
    pub now: Time,
    /// `Segment::number`.
    pub number: u64,
    /// Payload bytes.
    pub len: u64,
    /// Bytes in flight when it left, itself included.
    pub tx_in_flight: u64,
    /// Bytes declared lost since it left, itself included.
    pub lost: u64,
    /// Bytes in flight without it.
    pub in_flight: u64,
    /// The application, not the network, held the sender back when it left.
    pub app_limited: bool,
}

/// A segment is about to leave, and nothing was in flight.
#[derive(Copy, Clone, Debug)]
pub struct Idle {
    /// Now.
    pub now: Time,
    /// Most bytes that the window may have if it follows RFC 5681 (section 4.1): after a long pause the
    /// acknowledgements that would clock more are gone.
    pub window: u64,
    /// Least slow-start threshold from here on.
    pub threshold: u64,
}

/// What the sender may do.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Limits {
    /// Most bytes in flight.
    pub window: u64,
    /// Rate at which segments leave; none = as the window allows.
    pub pacing: Option<Rate>,
    /// When `on_timer` wants to be called; `NEVER` for none.
    pub wake: Time,
}

impl Limits {
    /// A window in bytes; as fast as it allows, and no timer.
    pub fn of(window: u64) -> Limits {
        Limits {
            window,
            pacing: None,
            wake: Time::NEVER,
        }
    }
}

/// How the sender brings the window down when recovery begins.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Proportional rate reduction toward `limits().window` (RFC 9937), where recovery has it.
    Proportional,
    /// At once: `limits().window` holds as it stands.
    Direct,
}

/// What a controller shows for plots and records.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Inspect {
    /// Slow-start threshold, bytes; none where the controller has none.
    pub ssthresh: Option<u64>,
    /// Name of the state it is in.
    pub state: &'static str,
    /// Up to four values of its own, by name.
    pub values: [(&'static str, f64); 4],
}

impl Inspect {
    /// Fewer than four values, with nothing in the places left.
    pub fn values<const N: usize>(shown: [(&'static str, f64); N]) -> [(&'static str, f64); 4] {
        let mut values = [("", 0.0); 4];
        values[..N].copy_from_slice(&shown);
        values
    }
}

/// What every controller is built from besides its options.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Payload bytes of a full segment (SMSS).
    pub mss: u64,
    /// Bytes of such a segment on the link, headers included, as the flow accounts for it.
    pub frame: u64,
    /// Initial window in bytes (RFC 6928).
    pub initial: u64,
    /// The controller's own random stream.
    pub random: crate::random::Random,
}

/// A congestion controller.
pub trait Controller {
    /// An acknowledgement has come, after the sender has taken note of it. When it also begins a
    /// congestion episode, `on_congestion` is called first.
    fn on_ack(&mut self, ack: &Ack);

    /// The network is congested, or no longer so.
    fn on_congestion(&mut self, congestion: &Congestion);

    /// What the sender may do now.
    fn limits(&self) -> Limits;

    /// A segment leaves.
    fn on_sent(&mut self, _sent: &Sent) -> Departure {
        Departure::Ignored
    }

    /// A segment has been declared lost: called for each, before `on_congestion` and `on_ack`.
    fn on_lost(&mut self, _lost: &Lost) {}

    /// Transmission begins anew. Schemes that measure the path have laws of their own for that.
    fn on_idle(&mut self, _idle: &Idle) {}

    /// What the receiver has to run for this controller, besides acknowledging.
    fn forecaster(&self) -> Option<Forecaster> {
        None
    }

    /// The instant `limits().wake` has come.
    fn on_timer(&mut self, _now: Time) {}

    /// How the window comes down in recovery.
    fn reduction(&self) -> Reduction {
        Reduction::Proportional
    }

    /// The codepoint its segments carry.
    fn ecn(&self) -> crate::segment::Ecn {
        crate::segment::Ecn::NotEct
    }

    /// State for plots and records.
    fn inspect(&self) -> Inspect {
        Inspect::default()
    }
}

/// A controller from outside the tables, such as one written in Python. It forks with its world.
pub trait CustomController: Controller + std::fmt::Debug + Send + Sync {
    /// A copy that goes its own way.
    fn fork(&self) -> Box<dyn CustomController>;
}

impl Clone for Box<dyn CustomController> {
    fn clone(&self) -> Self {
        self.fork()
    }
}

mod amount;
pub mod bbr;
mod classic;
mod delay;
mod filter;
mod marks;
mod script;
mod sensing;
mod slow_start;

/// How a row builds its controller.
pub type Build = fn(&Args, &Setup) -> Result<AnyController, Refusal>;

/// Controllers that a host makes. A world that holds one and has no host is refused.
pub static HOSTED: &[Part<Build>] = &[script::PART];

/// One list of all controllers: the modules, the enum, its dispatch and the table.
macro_rules! controllers {
    ($($module:ident :: $type:ident),* $(,)?) => {
        $(pub mod $module;)*

        /// Every controller.
        #[derive(Clone, Debug)]
        pub enum AnyController {
            $(#[doc = concat!("See `", stringify!($module), "`.")] $type(Box<$module::$type>),)*
            /// From outside the tables.
            Custom(Box<dyn CustomController>),
        }

        $(impl From<$module::$type> for AnyController {
            fn from(controller: $module::$type) -> AnyController {
                AnyController::$type(Box::new(controller))
            }
        })*

        /// Every controller of the tables.
        pub static CONTROLLERS: &[Part<Build>] = &[$($module::PART),*];

        impl Controller for AnyController {
            fn on_ack(&mut self, ack: &Ack) {
                match self {
                    $(AnyController::$type(c) => c.on_ack(ack),)*
                    AnyController::Custom(c) => c.on_ack(ack),
                }
            }

            fn on_congestion(&mut self, congestion: &Congestion) {
                match self {
                    $(AnyController::$type(c) => c.on_congestion(congestion),)*
                    AnyController::Custom(c) => c.on_congestion(congestion),
                }
            }

            fn limits(&self) -> Limits {
                match self {
                    $(AnyController::$type(c) => c.limits(),)*
                    AnyController::Custom(c) => c.limits(),
                }
            }

            fn on_sent(&mut self, sent: &Sent) -> Departure {
                match self {
                    $(AnyController::$type(c) => c.on_sent(sent),)*
                    AnyController::Custom(c) => c.on_sent(sent),
                }
            }

            fn on_lost(&mut self, lost: &Lost) {
                match self {
                    $(AnyController::$type(c) => c.on_lost(lost),)*
                    AnyController::Custom(c) => c.on_lost(lost),
                }
            }

            fn on_idle(&mut self, idle: &Idle) {
                match self {
                    $(AnyController::$type(c) => c.on_idle(idle),)*
                    AnyController::Custom(c) => c.on_idle(idle),
                }
            }

            fn forecaster(&self) -> Option<Forecaster> {
                match self {
                    $(AnyController::$type(c) => c.forecaster(),)*
                    AnyController::Custom(c) => c.forecaster(),
                }
            }

            fn on_timer(&mut self, now: Time) {
                match self {
                    $(AnyController::$type(c) => c.on_timer(now),)*
                    AnyController::Custom(c) => c.on_timer(now),
                }
            }

            fn reduction(&self) -> Reduction {
                match self {
                    $(AnyController::$type(c) => c.reduction(),)*
                    AnyController::Custom(c) => c.reduction(),
                }
            }

            fn ecn(&self) -> crate::segment::Ecn {
                match self {
                    $(AnyController::$type(c) => c.ecn(),)*
                    AnyController::Custom(c) => c.ecn(),
                }
            }

            fn inspect(&self) -> Inspect {
                match self {
                    $(AnyController::$type(c) => c.inspect(),)*
                    AnyController::Custom(c) => c.inspect(),
                }
            }
        }
    };
}

controllers! {
    fixed::Fixed,
    aimd::Aimd,
    delay_triggered::DelayTriggered,
    zekalho::Zekalho,
    reno::Reno,
    newreno::NewReno,
    cubic::Cubic,
    sprout::Sprout,
    copa::Copa,
    vegas::Vegas,
    ledbat::Ledbat,
    ledbat_pp::LedbatPp,
    dctcp::Dctcp,
    westwood::Westwood,
    bbr1::Bbr1,
    bbr3::Bbr3,
    bbr3_linux::Bbr3Linux,
    prague::Prague,
    fast::Fast,
    vivace::Vivace,
    scream::Scream,
    verus::Verus,
    ewma::Ewma,
    slope::Slope,
    late::Late,
}
