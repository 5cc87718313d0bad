//! SCReAM v2: self-clocked rate adaptation for multimedia, here with a saturated application.
//!
//! Detects: queueing delay (one-way delay minus its least), marks by exact counts, and loss. Tells: the
//! receiver reports delays and counts. Responds: at most one reduction per (virtual) round trip, in
//! proportion to the marks or to the excess of the delay over half its target; its increase is slow
//! near the window of the last congestion, and faster with the time since then.
//!
//! Reference: draft-ietf-ccwg-rfc8298bis-screamv2 (August 2026). The media encoder belongs to the
//! application: with a saturated source the target bitrate is the pacing rate divided by its headroom.
//! Interpretations: an epoch of congestion ends after two (virtual) round trips without reaction; an
//! ABE-like β for classic marks; the sender's window is the reference window times `overhead`, at its
//! upper value while the flight is far below it.

use crate::building_blocks::bounds;
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Inspect, Limits, Reduction,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::segment::Ecn;
use crate::units::{Span, Time};

/// SCReAM's state; windows in bytes, times in seconds.
#[derive(Clone, Debug)]
pub struct Scream {
    mss: f64,
    least: f64,
    l4s: bool,
    ecn: Ecn,
    target: f64,
    virtual_rtt: f64,
    beta_loss: f64,
    beta_ecn: f64,
    multiplicative: f64,
    post_congestion: f64,
    head_room: f64,
    overhead: f64,
    pacing_head_room: f64,
    slowest: f64,
    window: f64,
    /// Window at the last congestion.
    window_i: f64,
    alpha: f64,
    acked: u64,
    marked: u64,
    alpha_at: Time,
    base: Span,
    qdelay: f64,
    qdelay_avg: f64,
    srtt: f64,
    most_in_flight: f64,
    most_before: f64,
    reacted: Option<Time>,
    /// Last reaction to marks or loss, for the post-congestion delay.
    congested: Option<Time>,
    undo: f64,
}

impl Scream {
    /// max(1, srtt / VIRTUAL_RTT): reductions are that many times smaller.
    fn stretch(&self) -> f64 {
        (self.srtt / self.virtual_rtt).max(1.0)
    }

    /// Distance of the window from that of the last congestion: 0.1 near it, 1 far from it.
    fn scale(&self) -> f64 {
        let off = 8.0 * (self.window - self.window_i) / self.window_i;
        (off * off).clamp(0.1, 1.0)
    }

    fn since(&self, then: Option<Time>, now: Time) -> f64 {
        then.map_or(f64::INFINITY, |then| {
            Span(now.0.saturating_sub(then.0)).seconds()
        })
    }

    /// Whether a reaction is due. The first of an epoch stores the window.
    fn may_react(&mut self, now: Time) -> bool {
        let gone = self.since(self.reacted, now);
        if gone < self.virtual_rtt.min(self.srtt) {
            return false;
        }
        if gone > 2.0 * self.virtual_rtt.max(self.srtt) {
            self.window_i = self.window;
        }
        self.reacted = Some(now);
        true
    }

    fn mark_cut(&mut self, now: Time) {
        if !self.l4s {
            self.window *= self.beta_ecn;
            return;
        }
        let mut cut = self.alpha / 2.0 / self.stretch();
        if self.qdelay < self.target / 4.0 {
            cut *= self.scale().max(0.25);
        }
        // After a long time without congestion the window may be far above the flight.
        let quiet = self.post_congestion * self.virtual_rtt.max(self.srtt);
        if self.since(self.congested, now) > quiet && self.most_before > 0.0 {
            self.window = self.window.min(self.most_before);
        }
        self.window *= 1.0 - cut;
    }

    fn delay_cut(&mut self) {
        let half = self.target / 2.0;
        let over = ((self.qdelay_avg - half) / half).clamp(0.0, 1.0);
        self.window *= 1.0 - over / 2.0 / self.stretch();
    }

    fn update_delay(&mut self, ack: &Ack) {
        if let Some(delay) = ack.one_way {
            self.base = self.base.min(delay);
            self.qdelay = Span(delay.0 - self.base.0).seconds();
            self.qdelay_avg = match self.qdelay < self.qdelay_avg {
                true => self.qdelay,
                false => self.qdelay_avg + (self.qdelay - self.qdelay_avg) / 4.0,
            };
        }
    }

    fn update_alpha(&mut self, ack: &Ack) {
        self.acked += ack.acked;
        self.marked += ack.marked.min(ack.acked);
        let every = Span::from_seconds(self.srtt.min(0.010));
        if ack.now < self.alpha_at.after(every) || self.acked == 0 {
            return;
        }
        let share = self.marked as f64 / self.acked as f64;
        let gain = if share > self.alpha {
            1.0 / 8.0
        } else {
            1.0 / 128.0
        };
        self.alpha += gain * (share - self.alpha);
        self.acked = 0;
        self.marked = 0;
        self.alpha_at = ack.now;
    }

    fn increase(&mut self, ack: &Ack) {
        let clean = ack.acked.saturating_sub(ack.marked) as f64;
        let scale = self.scale();
        let long = self.virtual_rtt.max(self.srtt);
        let mut add = clean
            * (self.mss / self.window).min(1.0)
            * (self.srtt / self.virtual_rtt).min(1.0)
            * scale.max(0.25);
        let quiet = self.since(self.congested, ack.now) / (self.post_congestion * long);
        add *= 1.0 + self.multiplicative * self.window / self.mss * quiet.clamp(0.0, 1.0) * scale;
        let most = self.mss + self.head_room * self.most_in_flight.max(self.most_before);
        if self.window + add <= most {
            self.window += add;
        }
    }
}

impl Controller for Scream {
    fn on_ack(&mut self, ack: &Ack) {
        self.srtt = ack.srtt.seconds().max(1e-6);
        self.update_delay(ack);
        self.update_alpha(ack);
        self.most_in_flight = self.most_in_flight.max(ack.prior_in_flight as f64);
        if ack.round_start {
            self.most_before = self.most_in_flight;
            self.most_in_flight = ack.in_flight as f64;
        }
        if ack.marked > 0 && self.may_react(ack.now) {
            self.mark_cut(ack.now);
            self.congested = Some(ack.now);
        } else if self.qdelay_avg > self.target / 2.0 && self.may_react(ack.now) {
            self.delay_cut();
        }
        self.window = self.window.max(self.least);
        self.increase(ack);
        self.window = self.window.clamp(self.least, bounds::MAX_WINDOW);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        match congestion.cause {
            Cause::Loss | Cause::Timeout => {
                if self.may_react(congestion.now) || congestion.cause == Cause::Timeout {
                    self.undo = self.window;
                    self.window = (self.window * self.beta_loss).max(self.least);
                    self.congested = Some(congestion.now);
                }
            }
            Cause::Spurious => self.window = self.window.max(self.undo),
            // Marks are counted in `on_ack`.
            Cause::Mark | Cause::Recovered => {}
        }
    }

    fn limits(&self) -> Limits {
        let pacing = (self.srtt > 0.0).then(|| {
            let target = (8.0 * self.window / self.srtt).max(self.slowest);
            bounds::rate(self.pacing_head_room * target / 8.0, Span::secs(1))
        });
        Limits {
            window: bounds::window(self.window * self.overhead, self.mss as u64),
            pacing,
            wake: Time::NEVER,
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn ecn(&self) -> Ecn {
        self.ecn
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: None,
            state: "adapting",
            values: [
                ("ref_wnd_B", self.window),
                ("qdelay_s", self.qdelay),
                ("l4s_alpha", self.alpha),
                ("qdelay_avg_s", self.qdelay_avg),
            ],
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Scream>> = Part {
    id: "scream",
    aliases: &["scream-v2"],
    summary: "self-clocked adaptation for multimedia, by delay, marks and loss",
    source: "draft-ietf-ccwg-rfc8298bis-screamv2",
    options: &[
        Opt::new(
            "ecn",
            Kind::Choice(&["ect1", "ect0", "off"]),
            Default::Is("ect1"),
            "low-latency marks, classic marks, or none",
        ),
        Opt::new(
            "target",
            Kind::Span,
            Default::Is("60 ms"),
            "queueing delay that halves the window (QDELAY_TARGET_LO)",
        )
        .at_least("1 ms")
        .at_most("400 ms"),
        Opt::new(
            "virtual-rtt",
            Kind::Span,
            Default::Is("25 ms"),
            "round trip to which reactions are normalised",
        )
        .at_least("1 ms")
        .at_most("1 s"),
        Opt::new(
            "beta-loss",
            Kind::Share,
            Default::Is("70 %"),
            "window kept at a loss",
        )
        .at_least("1 %")
        .at_most("100 %"),
        Opt::new(
            "beta-ecn",
            Kind::Share,
            Default::Is("80 %"),
            "window kept at a classic mark",
        )
        .at_least("1 %")
        .at_most("100 %"),
        Opt::new(
            "multiplicative",
            Kind::Number,
            Default::Is("0.02"),
            "multiplicative increase a round (MUL_INCREASE)",
        )
        .at_least("0")
        .at_most("1"),
        Opt::new(
            "post-congestion",
            Kind::Number,
            Default::Is("100"),
            "rounds until the increase is at its fastest",
        )
        .at_least("1")
        .at_most("100000"),
        Opt::new(
            "head-room",
            Kind::Number,
            Default::Is("1.5"),
            "window above the greatest flight (BYTES_IN_FLIGHT_HEAD_ROOM)",
        )
        .at_least("1")
        .at_most("10"),
        Opt::new(
            "overhead",
            Kind::Number,
            Default::Is("1.5"),
            "flight allowed above the reference window (REF_WND_OVERHEAD, 1.5 to 3)",
        )
        .at_least("1")
        .at_most("3"),
        Opt::new(
            "pacing-head-room",
            Kind::Number,
            Default::Is("1.5"),
            "pacing above the target rate",
        )
        .at_least("1")
        .at_most("4"),
        Opt::new(
            "slowest",
            Kind::Rate,
            Default::Is("50 kbit/s"),
            "least target rate (RATE_PACE_MIN)",
        )
        .at_least("1 kbit/s")
        .at_most("1 Gbit/s"),
        Opt::new(
            "least",
            Kind::Bytes,
            Default::Is("3 kB"),
            "least reference window (MIN_REF_WND)",
        )
        .at_least("1 B")
        .at_most("1 MB"),
    ],
    build: |args, setup| {
        let mss = setup.mss as f64;
        let least = (args.bytes("least").0 as f64).max(mss);
        let window = (setup.initial as f64).max(least);
        let ecn = match args.choice("ecn") {
            "ect1" => Ecn::Ect1,
            "ect0" => Ecn::Ect0,
            _ => Ecn::NotEct,
        };
        Ok(Scream {
            mss,
            least,
            l4s: ecn == Ecn::Ect1,
            ecn,
            target: args.span("target").seconds(),
            virtual_rtt: args.span("virtual-rtt").seconds(),
            beta_loss: args.share("beta-loss"),
            beta_ecn: args.share("beta-ecn"),
            multiplicative: args.number("multiplicative"),
            post_congestion: args.number("post-congestion"),
            head_room: args.number("head-room"),
            overhead: args.number("overhead"),
            pacing_head_room: args.number("pacing-head-room"),
            slowest: args.rate("slowest").0 as f64,
            window,
            window_i: 1.0,
            alpha: 0.0,
            acked: 0,
            marked: 0,
            alpha_at: Time::ZERO,
            base: Span::MAX,
            qdelay: 0.0,
            qdelay_avg: 0.0,
            srtt: 0.0,
            most_in_flight: 0.0,
            most_before: 0.0,
            reacted: None,
            congested: None,
            undo: window,
        })
    },
};
