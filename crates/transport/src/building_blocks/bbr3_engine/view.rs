//! The view of the engine's state for tests and plots.

use super::engine::{Engine, State};
use crate::units::Span;

/// BBR's model of the path, in bytes and bytes/s; infinite means no bound.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct View {
    /// State.
    pub state: State,
    /// Pacing gain of the state.
    pub pacing_gain: f64,
    /// Window in BDP.
    pub cwnd_gain: f64,
    /// Greatest rate of two cycles.
    pub max_bw: f64,
    /// Least round trip.
    pub min_rtt: Span,
    /// Short-term bound on the rate.
    pub bw_shortterm: f64,
    /// Short-term bound on the flight.
    pub inflight_shortterm: f64,
    /// Long-term bound on the flight.
    pub inflight_longterm: f64,
    /// Aggregation.
    pub extra_acked: f64,
    /// The pipe has been full once.
    pub full_bw_reached: bool,
    /// Rounds without growth of the rate.
    pub full_bw_count: u32,
    /// Nothing delivered since it restarted from idle.
    pub idle_restart: bool,
    /// Rounds since Drain began.
    pub rounds_in_drain: u64,
    /// Time to wait until the next probe.
    pub bw_probe_wait: Span,
    /// Estimated bandwidth-delay product.
    pub bdp: f64,
    /// Window.
    pub cwnd: f64,
    /// Window of ProbeRTT in the draft's head.
    pub probe_rtt_cwnd: f64,
    /// Average share of marks.
    pub ecn_alpha: f64,
}

impl<const LINUX: bool> Engine<LINUX> {
    /// The present model.
    pub fn view(&self) -> View {
        View {
            state: self.state,
            pacing_gain: self.pacing_gain(),
            cwnd_gain: self.cwnd_gain(),
            max_bw: self.max_bw,
            min_rtt: self.min_rtt,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
            extra_acked: self.extra_acked(),
            full_bw_reached: self.full_bw_reached,
            full_bw_count: self.plateau.rounds,
            idle_restart: self.idle_restart,
            rounds_in_drain: self.round_count.saturating_sub(self.drain_start_round),
            bw_probe_wait: self.bw_probe_wait,
            bdp: self.bdp_multiple(1.0),
            cwnd: self.cwnd,
            probe_rtt_cwnd: self.probe_rtt_cwnd,
            ecn_alpha: self.ecn_alpha,
        }
    }
}
