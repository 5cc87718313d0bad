//! SCReAM v2: self-clocked rate adaptation for multimedia, here with a saturated application.
//!
//! Detects: queueing delay (one-way delay minus its least in ten minutes), marks by exact counts, and
//! loss. Tells: the receiver reports delays and counts. Responds: at most one reduction per (virtual)
//! round trip, in proportion to the marks or to the excess of the delay over half its target; its
//! increase is slow near the window of the last congestion, and faster with the time since then. A
//! queue that was never empty for 20 s may be part of the base delay of a latecomer, so the sender
//! halves its rate for five round trips; if that does not empty the queue, the path has changed and
//! the base delay is measured anew.
//!
//! Reference: draft-ietf-ccwg-rfc8298bis-screamv2 (August 2026); times and thresholds of the base delay
//! from libwebrtc's SCReAM v2. The media encoder belongs to the
//! application: with a saturated source the target bitrate is the pacing rate divided by its headroom.
//! Interpretations: an epoch of congestion ends after two (virtual) round trips without reaction; an
//! ABE-like β for classic marks; the sender's window is the reference window times `overhead`, at its
//! upper value while the flight is far below it.

mod options;

use crate::building_blocks::bounds;
use crate::building_blocks::queueing_delay::{DelayFilter, QueueingDelay};
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Inspect, Limits, Reduction,
};
use crate::part::Part;
use crate::segment::Ecn;
use crate::units::{Rate, Span, Time};

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
    delay: QueueingDelay,
    drain_threshold: f64,
    drain_period: Span,
    drain_rounds: f64,
    /// The queue has not been empty since then.
    queued_since: Option<Time>,
    drain: Option<Drain>,
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

/// A time at half the rate.
#[derive(Copy, Clone, Debug)]
struct Drain {
    ends: Time,
    rate: Rate,
}

/// Shortest time at half the rate.
const SHORTEST_DRAIN: f64 = 0.100;

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
        let Some(delay) = ack.one_way else { return };
        self.delay.update(ack.now, delay);
        self.qdelay = self.delay.queueing().unwrap_or(0.0);
        self.qdelay_avg = match self.qdelay < self.qdelay_avg {
            true => self.qdelay,
            false => self.qdelay_avg + (self.qdelay - self.qdelay_avg) / 4.0,
        };
        self.drain_queue(ack.now);
    }

    /// Halves the rate after a long time with a queue, and forgets the base delay if that was no use.
    fn drain_queue(&mut self, now: Time) {
        if self.qdelay <= self.drain_threshold {
            self.queued_since = None;
            self.drain = None;
            return;
        }
        let since = *self.queued_since.get_or_insert(now);
        match self.drain {
            None if now >= since.after(self.drain_period) => {
                let lasts = (self.drain_rounds * self.srtt).max(SHORTEST_DRAIN);
                self.drain = Some(Drain {
                    ends: now.after(Span::from_seconds(lasts)),
                    rate: bounds::rate(self.window / 2.0, Span::from_seconds(self.srtt)),
                });
            }
            Some(drain) if now >= drain.ends => {
                self.delay.forget();
                self.queued_since = None;
                self.drain = None;
                self.qdelay = 0.0;
                self.qdelay_avg = 0.0;
            }
            _ => {}
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
            if let Some(drain) = self.drain {
                return drain.rate;
            }
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
    options: options::OPTIONS,
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
            delay: QueueingDelay::new(
                args.span("minute"),
                args.count("history"),
                DelayFilter::None,
                1,
            ),
            drain_threshold: args.span("drain-threshold").seconds(),
            drain_period: args.span("drain-period"),
            drain_rounds: args.count("drain-rounds") as f64,
            queued_since: None,
            drain: None,
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
