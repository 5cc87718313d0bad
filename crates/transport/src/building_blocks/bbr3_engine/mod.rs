//! BBRv3, shared by the row of the Internet-Draft and that of Linux.
//!
//! Detects: the greatest delivery rate of two probing cycles, the least round trip of ten seconds,
//! and losses of more than 2 % of what was in flight (Linux: marks, too). Tells nobody;
//! acknowledgements carry it. Responds by pacing at the estimated rate times the gain of its state,
//! and by bounds on rate and flight that it learns from loss: long-term ones while it probes,
//! short-term ones else.
//!
//! Reference: draft-ietf-ccwg-bbr-06, whose names are kept; google/bbr, branch v3. Deviations: the
//! state to go back to after a spurious episode is saved once, when the episode begins, not again in
//! each of its rounds; a sender that has nothing in flight is taken for one that was idle; rates seen
//! in ProbeRTT, and in the round after, count as limited by the application.

mod machine;
mod model;
pub mod options;
mod view;

pub use options::Constants;
pub use view::View;

use crate::building_blocks::bounds;
use crate::building_blocks::minmax::Extreme;
use crate::controller_interface::{
    Ack, Cause, Congestion, Controller, Departure, Inspect, Limits, Lost, Reduction, Sent, Setup,
};
use crate::random::Random;
use crate::segment::Ecn;
use crate::units::{Span, Time};

/// States (section 5.3).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Doubles the rate each round until the pipe is full.
    Startup,
    /// Empties the queue that Startup made.
    Drain,
    /// ProbeBW_DOWN: sends less than is delivered.
    Down,
    /// ProbeBW_CRUISE: sends as much as is delivered.
    Cruise,
    /// ProbeBW_REFILL: fills the pipe before a probe.
    Refill,
    /// ProbeBW_UP: sends more than is delivered.
    Up,
    /// Half a BDP in flight, to see the least round trip.
    ProbeRtt,
}

/// What acknowledgements mean at present for the long-term model.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// The delivery-rate sample in bytes and bytes/s.
#[derive(Copy, Clone, Debug, Default)]
struct Sample {
    rate: f64,
    delivered: f64,
    prior_delivered: Option<u64>,
    app_limited: bool,
    tx_in_flight: f64,
    lost: f64,
    newly_acked: f64,
    round_start: bool,
}

/// What a spurious episode goes back to.
#[derive(Copy, Clone, Debug)]
struct Undo {
    state: Option<State>,
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
}

/// BBRv3's state. `LINUX` only keeps the two rows apart: what differs is in `Constants`.
#[derive(Clone, Debug)]
pub struct Engine<const LINUX: bool> {
    c: Constants,
    mss: f64,
    initial: f64,
    random: Random,
    now: Time,
    state: State,
    cwnd: f64,
    prior_cwnd: f64,
    pacing_rate: f64,
    seen_rtt: bool,
    in_flight: f64,
    cwnd_limited: bool,
    recovering: bool,
    delivered: u64,
    rs: Sample,

    next_round_delivered: u64,
    round_count: u64,
    round_start: bool,
    rounds_since_probe_up: u64,

    max_bw: f64,
    /// Greatest rate of the last cycle and of this one.
    cycles: [f64; 2],
    bw: f64,
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
    bw_latest: f64,
    inflight_latest: f64,
    loss_round_delivered: u64,
    loss_round_start: bool,
    loss_in_round: bool,
    /// Ranges of numbers lost in this round, and the last number.
    loss_ranges: u64,
    last_lost: Option<u64>,
    recovery_round: u64,

    full_bw: f64,
    full_bw_count: u32,
    full_bw_now: bool,
    full_bw_reached: bool,
    drain_start_round: u64,

    ack_phase: AckPhase,
    cycle_stamp: Time,
    bw_probe_wait: Span,
    bw_probe_up_rounds: u32,
    bw_probe_up_acked: f64,
    probe_up_acked_per_inc: f64,
    is_bw_probe_sample: bool,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,

    min_rtt: Span,
    min_rtt_stamp: Time,
    probe_rtt_min: Span,
    probe_rtt_min_stamp: Time,
    probe_rtt_expired: bool,
    probe_rtt_done_stamp: Option<Time>,
    probe_rtt_round_done: bool,
    probe_rtt_cwnd: f64,
    idle_restart: bool,
    /// Samples of data sent before so much was delivered tell of ProbeRTT, not of the path.
    ignored_below: u64,

    extra_acked: Extreme,
    extra_acked_start: Time,
    extra_acked_delivered: f64,

    /// Something was lost, and neither repaired nor found spurious since.
    episode: bool,
    undo: Undo,
    ecn_alpha: f64,
    round_acked: f64,
    round_marked: f64,
    /// Share of marks in the last round, and rounds in a row with too many.
    ce_ratio: f64,
    ce_rounds: u32,
}

/// Rounds with too many marks that end Startup (Linux `bbr_full_ecn_cnt`).
const FULL_ECN_COUNT: u32 = 2;

impl<const LINUX: bool> Engine<LINUX> {
    /// A flow that has sent nothing.
    pub fn new(setup: &Setup, c: Constants) -> Self {
        let mss = setup.mss as f64;
        let initial = setup.initial.max(setup.mss) as f64;
        Engine {
            mss,
            initial,
            random: setup.random.clone(),
            now: Time::ZERO,
            state: State::Startup,
            cwnd: initial,
            prior_cwnd: 0.0,
            // Until a round trip is known, one of a millisecond is taken.
            pacing_rate: c.startup_pacing * initial / 1e-3,
            seen_rtt: false,
            in_flight: 0.0,
            cwnd_limited: false,
            recovering: false,
            delivered: 0,
            rs: Sample::default(),
            next_round_delivered: 0,
            round_count: 0,
            round_start: false,
            rounds_since_probe_up: 0,
            max_bw: 0.0,
            cycles: [0.0; 2],
            bw: 0.0,
            bw_shortterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            loss_round_delivered: 0,
            loss_round_start: false,
            loss_in_round: false,
            loss_ranges: 0,
            last_lost: None,
            recovery_round: 0,
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_now: false,
            full_bw_reached: false,
            drain_start_round: 0,
            ack_phase: AckPhase::Init,
            cycle_stamp: Time::ZERO,
            bw_probe_wait: Span::ZERO,
            bw_probe_up_rounds: 0,
            bw_probe_up_acked: 0.0,
            probe_up_acked_per_inc: f64::INFINITY,
            is_bw_probe_sample: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            min_rtt: Span::MAX,
            min_rtt_stamp: Time::ZERO,
            probe_rtt_min: Span::MAX,
            probe_rtt_min_stamp: Time::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            probe_rtt_cwnd: initial,
            idle_restart: false,
            ignored_below: 0,
            extra_acked: Extreme::greatest(),
            extra_acked_start: Time::ZERO,
            extra_acked_delivered: 0.0,
            episode: false,
            undo: Undo {
                state: None,
                bw_shortterm: 0.0,
                inflight_shortterm: 0.0,
                inflight_longterm: 0.0,
            },
            ecn_alpha: 1.0,
            round_acked: 0.0,
            round_marked: 0.0,
            ce_ratio: 0.0,
            ce_rounds: 0,
            c,
        }
    }

    fn pacing_gain(&self) -> f64 {
        match self.state {
            State::Startup => self.c.startup_pacing,
            State::Drain => self.c.drain_pacing,
            State::Down => self.c.down_pacing,
            State::Up => self.c.up_pacing,
            State::Cruise | State::Refill | State::ProbeRtt => 1.0,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.state {
            State::Up => self.c.up_cwnd_gain,
            State::ProbeRtt => self.c.probe_rtt_gain,
            _ => self.c.cwnd_gain,
        }
    }

    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.bw * (1.0 - self.c.margin);
        if rate > 0.0 && (self.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// SetCwnd and both bounds (section 5.6.4).
    fn set_cwnd(&mut self) {
        let max_inflight = self.quantized(self.bdp_multiple(self.cwnd_gain()) + self.extra_acked());
        if self.full_bw_reached {
            self.cwnd = (self.cwnd + self.rs.newly_acked).min(max_inflight);
        } else if self.cwnd < max_inflight || (self.delivered as f64) < self.initial {
            self.cwnd += self.rs.newly_acked;
        }
        self.cwnd = self.cwnd.max(self.c.min_pipe);
        if self.state == State::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_target());
        }
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        let cap = cap.min(self.inflight_shortterm).max(self.c.min_pipe);
        self.cwnd = self.cwnd.min(cap).min(bounds::MOST);
    }

    fn save_cwnd(&mut self) {
        self.prior_cwnd = match self.recovering || self.state == State::ProbeRtt {
            false => self.cwnd,
            true => self.prior_cwnd.max(self.cwnd),
        };
    }

    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    fn take(&mut self, ack: &Ack) {
        self.now = ack.now;
        self.delivered = ack.delivered;
        self.in_flight = ack.in_flight as f64;
        self.cwnd_limited = ack.cwnd_limited;
        self.round_acked += ack.acked as f64;
        self.round_marked += ack.marked.min(ack.acked) as f64;
        self.rs = Sample {
            newly_acked: ack.acked as f64,
            round_start: ack.round_start,
            ..Sample::default()
        };
        if let Some(rate) = &ack.rate {
            self.rs.rate = rate.rate().0 as f64 / 8.0;
            self.rs.delivered = rate.delivered as f64;
            self.rs.prior_delivered = Some(rate.prior_delivered);
            self.rs.app_limited = rate.app_limited || rate.prior_delivered < self.ignored_below;
            self.rs.tx_in_flight = rate.tx_in_flight as f64;
            self.rs.lost = rate.lost as f64;
        }
        if let (Some(rtt), false) = (ack.rtt, self.seen_rtt) {
            self.seen_rtt = true;
            self.min_rtt_stamp = ack.now;
            self.probe_rtt_min_stamp = ack.now;
            self.extra_acked_start = ack.now;
            let over = ack.srtt.max(rtt).seconds();
            self.pacing_rate = self.c.startup_pacing * self.initial / over;
        }
    }
}

impl<const LINUX: bool> Controller for Engine<LINUX> {
    fn on_ack(&mut self, ack: &Ack) {
        self.take(ack);
        self.update_latest_delivery_signals();
        self.update_congestion_signals();
        self.update_ecn();
        self.update_ack_aggregation();
        self.check_full_bw_reached();
        self.check_startup_done(ack.recovering);
        self.check_drain_done();
        self.update_probe_bw_cycle_phase();
        self.update_min_rtt(ack.rtt);
        self.check_probe_rtt();
        self.advance_latest_delivery_signals();
        self.bw = self.max_bw.min(self.bw_shortterm);
        self.set_pacing_rate(self.pacing_gain());
        self.set_cwnd();
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.now = lost.now;
        self.in_flight = lost.in_flight as f64;
        self.note_loss(lost.number);
        if self.is_bw_probe_sample {
            self.rs.tx_in_flight = lost.tx_in_flight as f64;
            self.rs.lost = lost.lost as f64;
            self.rs.app_limited = lost.app_limited;
            if self.is_inflight_too_high() {
                self.rs.tx_in_flight = self.inflight_at_loss(lost.len as f64);
                self.handle_inflight_too_high();
            }
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.now = congestion.now;
        match congestion.cause {
            Cause::Loss => {
                self.begin_episode();
                self.recovering = true;
                self.recovery_round = self.round_count;
            }
            Cause::Timeout => {
                self.begin_episode();
                self.recovering = true;
                self.recovery_round = self.round_count;
                // Everything that was in flight counts as lost: in flight is nothing.
                self.cwnd = self.mss;
            }
            Cause::Recovered => {
                self.recovering = false;
                self.episode = false;
                self.restore_cwnd();
            }
            Cause::Spurious => {
                self.recovering = false;
                self.episode = false;
                self.handle_spurious_loss();
            }
            // Marks are counted where they are acknowledged.
            Cause::Mark => {}
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.now = sent.now;
        if sent.in_flight == sent.len && self.delivered > 0 && !self.recovering {
            self.restart_from_idle();
        }
        self.in_flight = sent.in_flight as f64;
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

    fn ecn(&self) -> Ecn {
        self.c.ecn
    }

    fn inspect(&self) -> Inspect {
        let or_zero = |x: f64| if x.is_finite() { x } else { 0.0 };
        let min_rtt = match self.min_rtt {
            Span::MAX => 0.0,
            rtt => rtt.seconds(),
        };
        Inspect {
            ssthresh: None,
            state: match self.state {
                State::Startup => "startup",
                State::Drain => "drain",
                State::Down => "probe-bw down",
                State::Cruise => "probe-bw cruise",
                State::Refill => "probe-bw refill",
                State::Up => "probe-bw up",
                State::ProbeRtt => "probe-rtt",
            },
            values: [
                ("max_bw_bps", self.max_bw * 8.0),
                ("min_rtt_s", min_rtt),
                ("inflight_longterm_B", or_zero(self.inflight_longterm)),
                ("bw_shortterm_bps", or_zero(self.bw_shortterm * 8.0)),
            ],
        }
    }
}
