//! Prague: DCTCP for the Internet, on the low-latency (L4S) service.
//!
//! Detects: congestion by exact CE counts, and classic queues by loss. Tells: the receiver reports the
//! counts. Responds: multiplies the window by 1 - α/2 once per virtual round trip of at least 25 ms;
//! grows by the unmarked acknowledged bytes, scaled so that a flow with a shorter round trip gets no
//! more than one with 25 ms; halves at a loss. Segments are paced, also below one per round trip.
//!
//! Reference: draft-briscoe-iccrg-prague-congestion-control; L4STeam's Linux module; requirements of
//! RFC 9331 section 4.3. Deviations: the module lowers the segment size to keep two in flight at low
//! rates, here only the pacing goes below one segment per round trip; the fall-back for classic ECN
//! queues, off by default in the module, is not implemented.

use crate::building_blocks::bounds;
use crate::building_blocks::marked_share::MarkedShare;
use crate::building_blocks::reno_window::RenoWindow;
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Departure, Inspect, Limits, Sent,
};
use crate::part::{Default, Kind, Opt, Part, Refusal};
use crate::segment::Ecn;
use crate::units::{Rate, Span, Time};

/// Prague's state.
#[derive(Clone, Debug)]
pub struct Prague {
    core: RenoWindow,
    marks: MarkedShare,
    target: f64,
    longest: f64,
    transition: u64,
    halve_first: bool,
    slowest: Rate,
    saw_mark: bool,
    /// Rounds since slow start ended.
    rounds: u64,
    srtt: f64,
    /// Times of the last update of α and of the last reduction.
    updated: Time,
    reduced: Option<Time>,
    /// Segments sent, in total and at the last loss: one reduction per round.
    sent: u64,
    recover: u64,
    /// The pacing rate alternates each half round trip: slightly faster, slightly slower.
    pacing_offset: f64,
    next_offset_change: Time,
}

impl Prague {
    /// Whether round trips below the target count as the target.
    fn independent(&self) -> bool {
        !self.core.slow_start()
            && self.rounds >= self.transition
            && self.srtt > 0.0
            && self.srtt < self.longest
    }

    /// Time between updates of α and between reductions.
    fn virtual_rtt(&self) -> Span {
        let rtt = match self.independent() {
            true => self.srtt.max(self.target),
            false => self.srtt,
        };
        Span::from_seconds(rtt)
    }

    /// Segments of additive increase in a round trip: 1, or (rtt / target)² below the target.
    fn increase(&self) -> f64 {
        match self.independent() {
            true => {
                let part = (self.srtt / self.target).min(1.0);
                part * part
            }
            false => 1.0,
        }
    }

    fn reduce(&mut self, now: Time) {
        if self
            .reduced
            .is_some_and(|at| at.after(self.virtual_rtt()) > now)
        {
            return;
        }
        self.reduced = Some(now);
        if !self.saw_mark {
            self.saw_mark = true;
            if self.halve_first {
                self.marks.alpha = 1.0;
            }
        }
        let kept = self.core.window * (1.0 - self.marks.alpha / 2.0);
        self.core.window = kept.max(self.floor());
        self.core.threshold = self.core.window;
    }

    /// The fraction of a segment that the slowest rate sends in a round trip.
    fn floor(&self) -> f64 {
        (self.slowest.0 as f64 / 8.0 * self.srtt).clamp(1.0, self.core.mss)
    }
}

impl Controller for Prague {
    fn on_ack(&mut self, ack: &Ack) {
        self.srtt = ack.srtt.seconds();
        self.marks.count(ack);
        if ack.round_start {
            if !self.core.slow_start() {
                self.rounds += 1;
            }
            if self.updated.after(self.virtual_rtt()) <= ack.now {
                self.marks.update();
                self.updated = ack.now;
            }
        }
        if ack.now >= self.next_offset_change {
            self.pacing_offset = -self.pacing_offset;
            self.next_offset_change = ack.now.after(Span(ack.srtt.0 / 2));
        }
        let lossy = ack.recovering || ack.number < self.recover;
        let clean = ack.acked.saturating_sub(ack.marked) as f64;
        if ack.marked > 0 && !lossy {
            self.reduce(ack.now);
        }
        if lossy || !ack.cwnd_limited || clean == 0.0 {
            return;
        }
        match self.core.slow_start() {
            true => self.core.double(ack),
            false => self.core.increase(clean, self.increase()),
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.cause {
            // Marks are counted in `on_ack`.
            Cause::Mark => {}
            Cause::Loss => {
                let window = self.core.window;
                self.core.reduce_to(window / 2.0);
                self.recover = self.sent;
            }
            _ => self.core.on_congestion(congestion, 0.5),
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.sent = sent.number + 1;
        Departure::Noted
    }

    fn limits(&self) -> Limits {
        // In slow start twice the window per round trip, because each acknowledgement releases two
        // segments.
        let gain = match self.core.window < self.core.threshold / 2.0 {
            true => 2.0,
            false => 1.0 + self.pacing_offset,
        };
        let pacing = (self.srtt > 0.0).then(|| {
            let rate = bounds::rate(gain * self.core.window, Span::from_seconds(self.srtt));
            rate.max(self.slowest)
        });
        Limits {
            window: bounds::window(
                libm::ceil(self.core.window / self.core.mss) * self.core.mss,
                self.core.mss as u64,
            ),
            pacing,
            wake: Time::NEVER,
        }
    }

    fn ecn(&self) -> Ecn {
        Ecn::Ect1
    }

    fn inspect(&self) -> Inspect {
        self.core.inspect([
            ("alpha", self.marks.alpha),
            ("window_B", self.core.window),
            ("increase", self.increase()),
            ("virtual_rtt_s", self.virtual_rtt().seconds()),
        ])
    }
}

/// The row.
pub const PART: Part<BuildOf<Prague>> = Part {
    id: "prague",
    aliases: &[],
    summary: "scalable control for the low-latency service (L4S)",
    source: "draft-briscoe-iccrg-prague-congestion-control; L4STeam Linux module",
    options: &[
        Opt::new(
            "gain",
            Kind::Number,
            Default::Is("0.0625"),
            "weight of a new round in the share of marks (g)",
        )
        .at_least("0.0001")
        .at_most("1"),
        Opt::new(
            "target-rtt",
            Kind::Span,
            Default::Is("25 ms"),
            "shorter round trips get no more than one of this length",
        )
        .at_least("1 us")
        .at_most("1 s"),
        Opt::new(
            "longest-rtt",
            Kind::Span,
            Default::Is("100 ms"),
            "from this round trip on nothing is scaled",
        )
        .at_least("1 ms")
        .at_most("10 s"),
        Opt::new(
            "transition",
            Kind::Count,
            Default::Is("4"),
            "rounds after slow start until round trips are scaled",
        )
        .at_most("100000"),
        Opt::new(
            "first-mark",
            Kind::Choice(&["halve", "alpha"]),
            Default::Is("halve"),
            "the first mark halves the window, or goes by the average, which starts at zero",
        ),
        Opt::new(
            "pacing-wobble",
            Kind::Share,
            Default::Is("3 %"),
            "pacing alternates by this much every half round trip",
        )
        .at_most("50 %"),
        Opt::new(
            "slowest",
            Kind::Rate,
            Default::Is("100 kbit/s"),
            "least pacing rate",
        )
        .at_least("1 bit/s")
        .at_most("1 Gbit/s"),
    ],
    build: |args, setup| {
        if args.span("target-rtt") > args.span("longest-rtt") {
            return Err(Refusal {
                option: "target-rtt",
                what: "is above `longest-rtt`, from which on nothing is scaled".into(),
                fix: "write target-rtt = \"25 ms\", longest-rtt = \"100 ms\"".into(),
            });
        }
        Ok(Prague {
            core: RenoWindow::new(setup),
            marks: MarkedShare::new(0.0, args.number("gain")),
            target: args.span("target-rtt").seconds(),
            longest: args.span("longest-rtt").seconds(),
            transition: args.count("transition"),
            halve_first: args.choice("first-mark") == "halve",
            slowest: args.rate("slowest"),
            saw_mark: false,
            rounds: 0,
            srtt: 0.0,
            updated: Time::ZERO,
            reduced: None,
            sent: 0,
            recover: 0,
            pacing_offset: args.share("pacing-wobble"),
            next_offset_change: Time::ZERO,
        })
    },
};
