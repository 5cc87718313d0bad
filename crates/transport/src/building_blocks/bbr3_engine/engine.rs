//! The state of BBRv3's engine. Rates are in bytes/s, windows in bytes; names are the draft's.

use super::options::Constants;
use crate::building_blocks::bbr_common::{AckAggregation, Plateau};
use crate::building_blocks::minmax::MinMaxFilter;
use crate::controller_interface::Setup;
use crate::random::Random;
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
    /// Half a BDP in flight, to measure the least round trip.
    ProbeRtt,
}

/// Phase of the long-term model (draft: ack_phase).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// The delivery-rate sample in bytes and bytes/s.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Sample {
    pub(super) rate: f64,
    pub(super) delivered: f64,
    pub(super) prior_delivered: Option<u64>,
    pub(super) app_limited: bool,
    pub(super) tx_in_flight: f64,
    pub(super) lost: f64,
    pub(super) newly_acked: f64,
    pub(super) round_start: bool,
}

/// State to restore after a spurious episode.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Undo {
    pub(super) state: Option<State>,
    pub(super) bw_shortterm: f64,
    pub(super) inflight_shortterm: f64,
    pub(super) inflight_longterm: f64,
}

/// Losses by round.
#[derive(Clone, Debug, Default)]
pub(super) struct LossRound {
    pub(super) round_delivered: u64,
    pub(super) round_start: bool,
    pub(super) in_round: bool,
    /// Ranges of transmission numbers lost in this round, and the last number.
    pub(super) ranges: u64,
    pub(super) last: Option<u64>,
    pub(super) recovery_round: u64,
}

/// Marks by round.
#[derive(Clone, Debug, Default)]
pub(super) struct EcnRound {
    pub(super) acked: f64,
    pub(super) marked: f64,
    /// Share of marks in the last round.
    pub(super) ce_ratio: f64,
    /// Successive rounds with too many marks.
    pub(super) ce_rounds: u32,
}

/// BBRv3's state. `LINUX` distinguishes the types of the two rows; their differences are in
/// `Constants`.
#[derive(Clone, Debug)]
pub struct Engine<const LINUX: bool> {
    pub(super) c: Constants,
    pub(super) mss: f64,
    pub(super) initial: f64,
    pub(super) random: Random,
    pub(super) now: Time,
    pub(super) state: State,
    pub(super) cwnd: f64,
    pub(super) prior_cwnd: f64,
    pub(super) pacing_rate: f64,
    pub(super) seen_rtt: bool,
    pub(super) in_flight: f64,
    pub(super) cwnd_limited: bool,
    pub(super) recovering: bool,
    pub(super) delivered: u64,
    pub(super) rs: Sample,

    pub(super) next_round_delivered: u64,
    pub(super) round_count: u64,
    pub(super) round_start: bool,
    pub(super) rounds_since_probe_up: u64,

    pub(super) max_bw: f64,
    /// Greatest rate of the last cycle and of this one.
    pub(super) cycles: [f64; 2],
    pub(super) bw: f64,
    pub(super) bw_shortterm: f64,
    pub(super) inflight_shortterm: f64,
    pub(super) inflight_longterm: f64,
    pub(super) bw_latest: f64,
    pub(super) inflight_latest: f64,
    pub(super) loss: LossRound,

    pub(super) plateau: Plateau,
    pub(super) full_bw_now: bool,
    pub(super) full_bw_reached: bool,
    pub(super) drain_start_round: u64,

    pub(super) ack_phase: AckPhase,
    pub(super) cycle_stamp: Time,
    pub(super) bw_probe_wait: Span,
    pub(super) bw_probe_up_rounds: u32,
    pub(super) bw_probe_up_acked: f64,
    pub(super) probe_up_acked_per_inc: f64,
    pub(super) is_bw_probe_sample: bool,
    pub(super) prev_probe_too_high: bool,
    pub(super) prev_probe_precautionary: bool,

    pub(super) min_rtt: Span,
    pub(super) min_rtt_stamp: Time,
    pub(super) probe_rtt_min: Span,
    pub(super) probe_rtt_min_stamp: Time,
    pub(super) probe_rtt_expired: bool,
    pub(super) probe_rtt_done_stamp: Option<Time>,
    pub(super) probe_rtt_round_done: bool,
    pub(super) probe_rtt_cwnd: f64,
    pub(super) idle_restart: bool,
    /// Samples of data sent before this many bytes were delivered measure ProbeRTT, not the path.
    pub(super) ignored_below: u64,

    pub(super) extra_acked: MinMaxFilter,
    pub(super) aggregation: AckAggregation,

    /// A loss episode is open: neither repaired nor found spurious.
    pub(super) episode: bool,
    pub(super) undo: Undo,
    pub(super) ecn_alpha: f64,
    pub(super) ecn_round: EcnRound,
}

impl<const LINUX: bool> Engine<LINUX> {
    /// A flow before its first segment.
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
            // Before the first sample, a round trip of 1 ms is assumed.
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
            loss: LossRound::default(),
            plateau: Plateau::default(),
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
            extra_acked: MinMaxFilter::max(),
            aggregation: AckAggregation::default(),
            episode: false,
            undo: Undo::default(),
            ecn_alpha: 1.0,
            ecn_round: EcnRound::default(),
            c,
        }
    }
}
