//! BBRv1.
//!
//! Detects: the greatest delivery rate of ten rounds and the least round trip of ten seconds.
//! Tells nobody; acknowledgements carry it. Responds by pacing at the rate times the gain of its
//! state and by a window of two bandwidth-delay products; loss moves the window for a round only,
//! but two intervals of heavy loss at one rate are taken for a policer, and that rate is kept.
//!
//! Reference: Cardwell et al., ACM Queue 14(5), 2016; Linux `tcp_bbr.c`. Deviation: the rate of
//! samples in PROBE_RTT and in the round after counts as limited by the application through this
//! file's own mark, because a controller cannot set the sender's.

mod aggregation;
mod policer;

use aggregation::Aggregation;
use policer::{Policer, Seen};

use crate::building_blocks::minmax::Extreme;
use crate::building_blocks::bounds;
use crate::controller_interface::{Ack, BuildOf, Cause, Congestion, Controller, Departure, Inspect, Limits, Reduction, Sent};
use crate::part::{Default, Kind, Opt, Part};
use crate::random::Random;
use crate::units::{Span, Time};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum State {
    Startup,
    Drain,
    ProbeBw,
    ProbeRtt,
}

/// Pacing gains of PROBE_BW, each for a round trip.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

/// BBRv1's state; bytes and bytes/s.
#[derive(Clone, Debug)]
pub struct Bbr1 {
    mss: f64,
    initial: f64,
    random: Random,
    high_gain: f64,
    cwnd_gain: f64,
    bw_rounds: u64,
    min_rtt_filter: Span,
    probe_rtt: Span,
    margin: f64,
    state: State,
    now: Time,
    cwnd: f64,
    prior_cwnd: f64,
    pacing_rate: f64,
    seen_rtt: bool,
    bw: Extreme,
    min_rtt: Span,
    min_rtt_stamp: Time,
    in_flight: f64,
    delivered: u64,
    /// Bytes lost in all; what was newly lost is told with each acknowledgement.
    lost: u64,
    /// A round may be cut short when the state changes: none begins before so much is delivered.
    next_round: u64,
    round_start: bool,
    full_bw: f64,
    full_bw_count: u32,
    full_bw_reached: bool,
    phase: usize,
    phase_stamp: Time,
    probe_rtt_done: Option<Time>,
    probe_rtt_round_done: bool,
    idle_restart: bool,
    ignored_below: u64,
    recovering: bool,
    /// Recovery is over, unless another begins at this acknowledgement.
    leaving: bool,
    conserving: bool,
    /// None where the window is not widened.
    aggregation: Option<Aggregation>,
    policer: Policer,
}

impl Bbr1 {
    fn bandwidth(&self) -> f64 {
        match self.policer.in_use {
            true => self.policer.rate,
            false => self.max_bw(),
        }
    }

    fn max_bw(&self) -> f64 {
        self.bw.get().unwrap_or(0) as f64
    }

    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.high_gain,
            State::Drain => 1.0 / self.high_gain,
            State::ProbeBw if self.policer.in_use => 1.0,
            State::ProbeBw => CYCLE[self.phase],
            State::ProbeRtt => 1.0,
        }
    }

    fn bdp(&self, bw: f64, gain: f64) -> f64 {
        match self.min_rtt {
            Span::MAX => self.initial,
            rtt => gain * bw * rtt.seconds(),
        }
    }

    /// Three bursts on top, an even number of segments, two more in the phase that probes.
    fn quantized(&self, bytes: f64) -> f64 {
        // Linux sends two segments at once above 1.2 Mbit/s.
        let least = if self.pacing_rate < 150_000.0 {
            1.0
        } else {
            2.0
        };
        let burst = libm::floor(self.pacing_rate / 1024.0 / self.mss).clamp(least, 127.0);
        let segments = libm::ceil(bytes / self.mss) + 3.0 * burst;
        let even = libm::ceil(segments / 2.0) * 2.0;
        let probing = self.state == State::ProbeBw && self.phase == 0;
        (even + if probing { 2.0 } else { 0.0 }) * self.mss
    }

    fn inflight(&self, gain: f64) -> f64 {
        self.quantized(self.bdp(self.max_bw(), gain))
    }

    fn least(&self) -> f64 {
        4.0 * self.mss
    }

    fn update_round(&mut self, ack: &Ack) {
        self.round_start = match &ack.rate {
            Some(rate) => rate.prior_delivered >= self.next_round,
            None => ack.round_start,
        };
        if self.round_start {
            self.next_round = ack.delivered;
            self.conserving = false;
        }
    }

    fn update_bw(&mut self, ack: &Ack) -> bool {
        let Some(rate) = &ack.rate else { return false };
        let limited = rate.app_limited || rate.prior_delivered < self.ignored_below;
        let sample = rate.rate().0 / 8;
        if !limited || sample as f64 >= self.max_bw() {
            self.bw.update(ack.round, self.bw_rounds, sample);
        }
        limited
    }

    fn update_aggregation(&mut self, ack: &Ack) {
        let rate = self.bandwidth();
        if let Some(aggregation) = &mut self.aggregation
            && ack.acked > 0
        {
            aggregation.update(ack, self.round_start, rate, self.cwnd);
        }
    }

    fn check_full_bw(&mut self, app_limited: bool) {
        if self.full_bw_reached || !self.round_start || app_limited {
            return;
        }
        if self.max_bw() >= self.full_bw * 1.25 {
            self.full_bw = self.max_bw();
            self.full_bw_count = 0;
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_reached = self.full_bw_count >= 3;
    }

    fn check_drain(&mut self) {
        if self.state == State::Startup && self.full_bw_reached {
            self.state = State::Drain;
        }
        if self.state == State::Drain && self.in_flight <= self.inflight(1.0) {
            self.probe_bw();
        }
    }

    /// Any phase but the one that drains what a probe has put in.
    fn probe_bw(&mut self) {
        self.state = State::ProbeBw;
        self.phase = (CYCLE.len() - self.random.between(0, 6) as usize) % CYCLE.len();
        self.phase_stamp = self.now;
    }

    fn update_phase(&mut self, losses: bool) {
        if self.state != State::ProbeBw || self.policer.in_use {
            return;
        }
        let gone = Span(self.now.0.saturating_sub(self.phase_stamp.0));
        let long = gone > self.min_rtt;
        let gain = CYCLE[self.phase];
        let over = if gain > 1.0 {
            long && (losses || self.in_flight >= self.inflight(gain))
        } else if gain < 1.0 {
            long || self.in_flight <= self.inflight(1.0)
        } else {
            long
        };
        if over {
            self.phase = (self.phase + 1) % CYCLE.len();
            self.phase_stamp = self.now;
        }
    }

    fn save_cwnd(&mut self) {
        self.prior_cwnd = match self.recovering || self.state == State::ProbeRtt {
            false => self.cwnd,
            true => self.prior_cwnd.max(self.cwnd),
        };
    }

    fn update_min_rtt(&mut self, ack: &Ack) {
        let expired = self.now > self.min_rtt_stamp.after(self.min_rtt_filter);
        if let Some(rtt) = ack.rtt
            && (rtt <= self.min_rtt || expired)
        {
            self.min_rtt = rtt;
            self.min_rtt_stamp = self.now;
        }
        if expired && !self.idle_restart && self.state != State::ProbeRtt {
            self.save_cwnd();
            self.state = State::ProbeRtt;
            self.probe_rtt_done = None;
        }
        if self.state == State::ProbeRtt {
            self.ignored_below = self.delivered + self.in_flight as u64;
            match self.probe_rtt_done {
                None if self.in_flight <= self.least() => {
                    self.probe_rtt_done = Some(self.now.after(self.probe_rtt));
                    self.probe_rtt_round_done = false;
                    self.next_round = self.delivered;
                }
                None => {}
                Some(_) => {
                    self.probe_rtt_round_done |= self.round_start;
                    if self.probe_rtt_round_done {
                        self.check_probe_rtt_done();
                    }
                }
            }
        }
        if ack.acked > 0 {
            self.idle_restart = false;
        }
    }

    fn check_probe_rtt_done(&mut self) {
        if self.probe_rtt_done.is_none_or(|done| self.now <= done) {
            return;
        }
        self.min_rtt_stamp = self.now;
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        match self.full_bw_reached {
            true => self.probe_bw(),
            false => self.state = State::Startup,
        }
    }

    fn set_pacing(&mut self, gain: f64) {
        let rate = gain * self.bandwidth() * (1.0 - self.margin);
        if rate > 0.0 && (self.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// Recovery is over. As in Linux the state counts at the end of an acknowledgement.
    fn check_recovered(&mut self) {
        if std::mem::take(&mut self.leaving) {
            self.recovering = false;
            self.conserving = false;
            self.cwnd = self.cwnd.max(self.prior_cwnd);
        }
    }

    fn set_cwnd(&mut self, ack: &Ack) {
        self.check_recovered();
        if ack.acked == 0 {
            return;
        }
        let acked = ack.acked as f64;
        if ack.lost > 0 {
            self.cwnd = (self.cwnd - ack.lost as f64).max(self.mss);
        }
        if self.conserving {
            self.cwnd = self.cwnd.max(self.in_flight + acked);
        } else {
            let extra = match &self.aggregation {
                // At most what comes in 100 ms.
                Some(a) if self.full_bw_reached => a.extra().min(self.bandwidth() * 0.1),
                _ => 0.0,
            };
            let gain = match self.state {
                State::Startup | State::Drain => self.high_gain,
                State::ProbeBw => self.cwnd_gain,
                State::ProbeRtt => 1.0,
            };
            let target = self.quantized(self.bdp(self.bandwidth(), gain) + extra);
            if self.full_bw_reached {
                self.cwnd = (self.cwnd + acked).min(target);
            } else if self.cwnd < target || (self.delivered as f64) < self.initial {
                self.cwnd += acked;
            }
            self.cwnd = self.cwnd.max(self.least());
        }
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.least());
        }
        self.cwnd = self.cwnd.min(bounds::MOST);
    }
}

impl Controller for Bbr1 {
    fn on_ack(&mut self, ack: &Ack) {
        self.now = ack.now;
        self.delivered = ack.delivered;
        self.in_flight = ack.in_flight as f64;
        self.lost += ack.lost;
        if let (Some(rtt), false) = (ack.rtt, self.seen_rtt) {
            self.seen_rtt = true;
            self.min_rtt_stamp = ack.now;
            if let Some(aggregation) = &mut self.aggregation {
                aggregation.begin(ack.now);
            }
            self.pacing_rate = self.high_gain * self.initial / ack.srtt.max(rtt).seconds();
        }
        self.update_round(ack);
        let seen = Seen {
            now: self.now,
            delivered: self.delivered,
            lost: self.lost,
            round_start: self.round_start,
            probing: self.state == State::ProbeBw,
        };
        let limited = self.update_bw(ack);
        if self.policer.sample(&seen, ack.lost > 0, limited) {
            self.probe_bw();
        }
        self.update_aggregation(ack);
        self.update_phase(ack.lost > 0);
        self.check_full_bw(limited);
        self.check_drain();
        self.update_min_rtt(ack);
        self.set_pacing(self.pacing_gain());
        self.set_cwnd(ack);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.now = congestion.now;
        match congestion.cause {
            // Only the first round of a recovery is conserved.
            Cause::Loss if self.recovering => self.leaving = false,
            Cause::Loss => {
                self.save_cwnd();
                self.recovering = true;
                // For a round, what leaves is what has been delivered.
                self.conserving = true;
                self.next_round = self.delivered;
                let kept = congestion.in_flight.saturating_sub(congestion.lost);
                self.cwnd = (kept as f64).max(self.mss);
            }
            Cause::Timeout => {
                self.save_cwnd();
                self.recovering = true;
                self.full_bw = 0.0;
                self.cwnd = self.mss;
            }
            Cause::Recovered => self.leaving = true,
            Cause::Spurious => {
                self.recovering = false;
                self.leaving = false;
                self.conserving = false;
                self.full_bw = 0.0;
                self.full_bw_count = 0;
                self.policer.reset();
                self.cwnd = self.cwnd.max(self.prior_cwnd);
            }
            Cause::Mark => {}
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.now = sent.now;
        if sent.in_flight == sent.len && self.delivered > 0 && !self.recovering {
            self.idle_restart = true;
            if let Some(aggregation) = &mut self.aggregation {
                aggregation.begin(sent.now);
            }
            match self.state {
                State::ProbeBw => self.set_pacing(1.0),
                State::ProbeRtt => self.check_probe_rtt_done(),
                State::Startup | State::Drain => {}
            }
        }
        Departure::Noted
    }

    fn limits(&self) -> Limits {
        Limits {
            window: bounds::window(self.cwnd, self.mss as u64),
            pacing: Some(bounds::rate(self.pacing_rate, Span::secs(1))),
            wake: Time::NEVER,
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: None,
            state: match self.state {
                State::Startup => "startup",
                State::Drain => "drain",
                State::ProbeBw => "probe-bw",
                State::ProbeRtt => "probe-rtt",
            },
            values: [
                ("bw_bps", self.bandwidth() * 8.0),
                (
                    "min_rtt_s",
                    match self.min_rtt {
                        Span::MAX => 0.0,
                        rtt => rtt.seconds(),
                    },
                ),
                ("pacing_gain", self.pacing_gain()),
                ("policed", f64::from(u8::from(self.policer.in_use))),
            ],
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Bbr1>> = Part {
    id: "bbr1",
    aliases: &[],
    summary: "pace at the greatest rate of ten rounds, two bandwidth-delay products in flight",
    source: "Cardwell et al., ACM Queue 2016; Linux tcp_bbr.c",
    options: &[
        Opt::new(
            "high-gain",
            Kind::Number,
            Default::Is("2.885"),
            "pacing and window gain in STARTUP; DRAIN paces at its inverse",
        )
        .at_least("1.1")
        .at_most("10"),
        Opt::new(
            "cwnd-gain",
            Kind::Number,
            Default::Is("2"),
            "window in bandwidth-delay products in PROBE_BW",
        )
        .at_least("0.5")
        .at_most("10"),
        Opt::new(
            "bw-rounds",
            Kind::Count,
            Default::Is("10"),
            "rounds over which the greatest rate is kept",
        )
        .at_least("1")
        .at_most("1000"),
        Opt::new(
            "min-rtt-filter",
            Kind::Span,
            Default::Is("10 s"),
            "how long the least round trip holds",
        )
        .at_least("100 ms")
        .at_most("3600 s"),
        Opt::new(
            "probe-rtt-duration",
            Kind::Span,
            Default::Is("200 ms"),
            "least length of PROBE_RTT",
        )
        .at_least("1 ms")
        .at_most("10 s"),
        Opt::new(
            "pacing-margin",
            Kind::Share,
            Default::Is("1 %"),
            "pacing below the estimated rate",
        )
        .at_least("0 %")
        .at_most("50 %"),
        Opt::new(
            "aggregation",
            Kind::Flag,
            Default::Is("true"),
            "widen the window by the aggregation of acknowledgements",
        ),
        Opt::new(
            "policer",
            Kind::Flag,
            Default::Is("true"),
            "keep the rate at which a policer seems to drop",
        ),
    ],
    build: |args, setup| {
        let initial = setup.initial.max(setup.mss) as f64;
        let high_gain = args.number("high-gain");
        Ok(Bbr1 {
            mss: setup.mss as f64,
            initial,
            random: setup.random.clone(),
            high_gain,
            cwnd_gain: args.number("cwnd-gain"),
            bw_rounds: args.count("bw-rounds"),
            min_rtt_filter: args.span("min-rtt-filter"),
            probe_rtt: args.span("probe-rtt-duration"),
            margin: args.share("pacing-margin"),
            state: State::Startup,
            now: Time::ZERO,
            cwnd: initial,
            prior_cwnd: 0.0,
            pacing_rate: high_gain * initial / 1e-3,
            seen_rtt: false,
            bw: Extreme::greatest(),
            min_rtt: Span::MAX,
            min_rtt_stamp: Time::ZERO,
            in_flight: 0.0,
            delivered: 0,
            lost: 0,
            next_round: 0,
            round_start: false,
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_reached: false,
            phase: 0,
            phase_stamp: Time::ZERO,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
            idle_restart: false,
            ignored_below: 0,
            recovering: false,
            leaving: false,
            conserving: false,
            aggregation: args.flag("aggregation").then(Aggregation::default),
            policer: Policer::new(args.flag("policer")),
        })
    },
};
