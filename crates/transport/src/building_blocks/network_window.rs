//! A window that routers set. It has no law of its own; what schemes with explicit feedback share is the
//! reaction to loss, pacing, and the round trip that goes into the congestion header.

use crate::building_blocks::bounds;
use crate::controller_interface::{Ack, Cause, Congestion, Limits, Setup};
use crate::part::{Args, Default, Kind, Opt};
use crate::units::{Rate, Span, Time};

/// The option for losses.
pub(crate) const fn loss(default: &'static str) -> Opt {
    Opt::new(
        "loss",
        Kind::Choice(&["halve", "keep"]),
        Default::Is(default),
        "at a loss halve the window as TCP does, and go to one segment at a timeout; or keep it",
    )
}

/// The option for pacing.
pub(crate) const PACE: Opt = Opt::new(
    "pace",
    Kind::Flag,
    Default::Is("false"),
    "spread a window over the smoothed round trip",
);

/// The option for the greatest round trip.
pub(crate) const MAX_RTT: Opt = Opt::new(
    "max_rtt",
    Kind::Span,
    Default::Is("2 s"),
    "greatest round trip that the sender believes and reports",
)
.at_least("1 ms")
.at_most("60 s");

/// The methods of a sender whose window `core` routers set: losses, and the header that it announces.
macro_rules! set_by_routers {
    ($layout:expr) => {
        fn on_congestion(&mut self, congestion: &Congestion) {
            self.core.on_congestion(congestion);
        }

        fn congestion_header(&self) -> Option<Layout> {
            Some($layout)
        }

        fn reduction(&self) -> Reduction {
            Reduction::Direct
        }
    };
}
pub(crate) use set_by_routers;

/// The window, in bytes of payload.
#[derive(Clone, Debug)]
pub struct NetworkWindow {
    pub mss: f64,
    /// Bytes on the link for each byte of payload.
    pub expansion: f64,
    pub window: f64,
    /// Smoothed round trip, at most `max_rtt`; zero before the first sample.
    pub rtt: Span,
    max_rtt: Span,
    halve: bool,
    pace: bool,
    undo: f64,
}

impl NetworkWindow {
    /// The initial window. `args` has the options `loss` and `max_rtt`, and `pace` unless the scheme sets a
    /// pacing rate.
    pub fn new(args: &Args, setup: &Setup) -> NetworkWindow {
        let window = setup.initial.max(setup.mss) as f64;
        NetworkWindow {
            mss: setup.mss as f64,
            expansion: setup.frame as f64 / setup.mss as f64,
            window,
            rtt: Span::ZERO,
            max_rtt: args.span("max_rtt"),
            halve: args.choice("loss") == "halve",
            pace: args.has("pace") && args.flag("pace"),
            undo: window,
        }
    }

    /// Takes the round trip of an acknowledgement.
    pub fn on_ack(&mut self, ack: &Ack) {
        self.rtt = ack.srtt.min(self.max_rtt);
    }

    /// The window in packets.
    pub fn packets(&self) -> f64 {
        self.window / self.mss
    }

    /// Sets the window, at least one segment.
    pub fn set(&mut self, bytes: f64) {
        self.window = bytes.clamp(self.mss, bounds::MAX_WINDOW.max(self.mss));
    }

    /// The window that a rate on the link, in bytes/s, fills in a round trip.
    pub fn filled_by(&self, rate: f64) -> f64 {
        rate / self.expansion * self.rtt.seconds()
    }

    pub fn on_congestion(&mut self, congestion: &Congestion) {
        if !self.halve {
            return;
        }
        match congestion.cause {
            Cause::Loss => {
                self.undo = self.window;
                self.set(congestion.in_flight as f64 / 2.0);
            }
            Cause::Timeout => {
                self.undo = self.window;
                self.window = self.mss;
            }
            Cause::Spurious => self.window = self.window.max(self.undo),
            Cause::Mark | Cause::Recovered => {}
        }
    }

    pub fn limits(&self) -> Limits {
        let paced = self.pace && self.rtt > Span::ZERO;
        Limits {
            window: bounds::window(self.window, self.mss as u64),
            pacing: paced.then(|| bounds::rate(self.window, self.rtt)),
            wake: Time::NEVER,
        }
    }

    /// The pacing rate of payload at a rate on the link in bytes/s.
    pub fn payload_rate(&self, rate: f64) -> Rate {
        bounds::rate(rate / self.expansion, Span::secs(1))
    }
}
