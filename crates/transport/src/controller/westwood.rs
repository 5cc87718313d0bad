//! Westwood+: after a loss the window becomes the measured bandwidth-delay product.
//!
//! Detects: loss, and the bandwidth from bytes acknowledged in each round. Tells: nobody. Responds:
//! reduces to bandwidth times least round trip instead of half the flight; otherwise as Reno.
//!
//! Reference: Mascolo et al., MobiCom 2001; Grieco and Mascolo, CCR 34(2), 2004; Linux
//! `tcp_westwood.c`. They differ in the filter (`variant`): one of gain 0.1, or in Linux two in a
//! row of gain 1/8 and no sample over less than 50 ms. A sample lasts the newest round trip. In Linux a
//! timeout forgets the least round trip, because the path may have changed. Deviation: a sample may last 50 ms exactly; Linux wants more.

use crate::building_blocks::reno_window::RenoWindow;
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Idle, Inspect, Limits,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::units::{Span, Time};

/// Westwood+'s state.
#[derive(Clone, Debug)]
pub struct Westwood {
    core: RenoWindow,
    linux: bool,
    gain: f64,
    shortest: Span,
    /// Filtered bandwidth in bytes/s; in Linux the first of two stages.
    first: f64,
    bandwidth: f64,
    base: Span,
    /// The next round trip replaces the least one.
    forget_base: bool,
    newest: Span,
    /// Sampling: since when, and how much.
    since: Option<Time>,
    acked: u64,
}

impl Westwood {
    fn sample(&mut self, ack: &Ack) {
        self.acked += ack.acked;
        let since = *self.since.get_or_insert(ack.now);
        let span = Span(ack.now.0.saturating_sub(since.0));
        let least = self.newest.max(self.shortest);
        if span < least || span == Span::ZERO {
            return;
        }
        let sample = self.acked as f64 / span.seconds();
        if self.bandwidth == 0.0 {
            self.first = sample;
            self.bandwidth = sample;
        } else if self.linux {
            self.first += self.gain * (sample - self.first);
            self.bandwidth += self.gain * (self.first - self.bandwidth);
        } else {
            self.bandwidth += self.gain * (sample - self.bandwidth);
        }
        self.since = Some(ack.now);
        self.acked = 0;
    }

    fn empty_pipe(&self) -> f64 {
        match self.base {
            Span::MAX => 0.0,
            base => self.bandwidth * base.seconds(),
        }
    }
}

impl Controller for Westwood {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.base = match std::mem::take(&mut self.forget_base) {
                true => rtt,
                false => self.base.min(rtt),
            };
            self.newest = rtt;
        }
        self.sample(ack);
        if !RenoWindow::may_grow(ack) {
            return;
        }
        match self.core.slow_start() {
            true => self.core.double(ack),
            false => self.core.increase(ack.advanced as f64, 1.0),
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.cause {
            // A window below ssthresh stays unchanged.
            Cause::Loss | Cause::Mark => {
                let kept = self.empty_pipe().min(self.core.window);
                self.core.reduce_to(kept);
            }
            Cause::Timeout => {
                self.core.reduce_to(self.empty_pipe());
                self.core.window = self.core.mss;
                self.forget_base = self.linux;
            }
            Cause::Spurious | Cause::Recovered => self.core.on_congestion(congestion, 0.5),
        }
    }

    fn on_idle(&mut self, idle: &Idle) {
        self.core.on_idle(idle);
    }

    fn limits(&self) -> Limits {
        Limits::of(self.core.bytes())
    }

    fn inspect(&self) -> Inspect {
        self.core.inspect([("bandwidth_bps", self.bandwidth * 8.0)])
    }
}

/// The row.
pub const PART: Part<BuildOf<Westwood>> = Part {
    id: "westwood",
    aliases: &["westwood+"],
    summary: "after a loss, bandwidth times least round trip",
    source: "Mascolo et al., MobiCom 2001; Linux tcp_westwood.c",
    options: &[
        Opt::new(
            "variant",
            Kind::Choice(&["linux", "paper"]),
            Default::Is("linux"),
            "two filters of gain 1/8 and samples over 50 ms at least, or one filter of gain 0.1",
        ),
        Opt::new(
            "gain",
            Kind::Number,
            Default::Absent,
            "weight of a new sample in a filter; if absent as the variant has it",
        )
        .at_least("0.001")
        .at_most("1"),
        Opt::new(
            "shortest",
            Kind::Span,
            Default::Absent,
            "least time over which bandwidth is sampled; if absent as the variant has it",
        )
        .at_most("10 s"),
    ],
    build: |args, setup| {
        let linux = args.choice("variant") == "linux";
        Ok(Westwood {
            core: RenoWindow::new(setup),
            linux,
            gain: match (args.has("gain"), linux) {
                (true, _) => args.number("gain"),
                (false, true) => 0.125,
                (false, false) => 0.1,
            },
            shortest: match (args.has("shortest"), linux) {
                (true, _) => args.span("shortest"),
                (false, true) => Span::millis(50),
                (false, false) => Span::ZERO,
            },
            first: 0.0,
            bandwidth: 0.0,
            base: Span::MAX,
            forget_base: false,
            newest: Span::ZERO,
            since: None,
            acked: 0,
        })
    },
};
