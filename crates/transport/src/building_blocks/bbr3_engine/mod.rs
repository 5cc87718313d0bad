//! The engine of BBRv3, shared by the rows `bbr3` (Internet-Draft) and `bbr3-linux`.
//!
//! Detects: the greatest delivery rate of two probing cycles, the least round trip of ten seconds, and
//! losses above 2 % of the flight (Linux: also marks). Tells: nobody. Responds: paces at the estimated
//! rate times the gain of its state, and learns bounds on rate and flight from losses: long-term bounds
//! while it probes, short-term bounds otherwise.
//!
//! Reference: draft-ietf-ccwg-bbr-06, whose names it uses; google/bbr, branch v3. Deviations: the state
//! to restore after a spurious episode is saved once, when the episode begins, not in each of its
//! rounds; a sender with nothing in flight counts as idle; rates measured in ProbeRTT and in the round
//! after count as application-limited; the window is saved before ProbeRTT begins, where the draft keeps the
//! greater one of it and what was saved before.

mod engine;
mod limits;
mod machine;
mod model;
pub mod options;
mod view;

pub use engine::{Engine, State};
pub use options::Constants;
pub use view::View;

use crate::building_blocks::{bbr_common, bounds};
use crate::controller_interface::{
    Ack, Cause, Congestion, Controller, Departure, Inspect, Limits, Lost, Reduction, Sent,
};
use crate::random::Random;
use crate::segment::Ecn;
use crate::units::{Span, Time};
use engine::Sample;

impl<const LINUX: bool> Engine<LINUX> {
    fn take(&mut self, ack: &Ack) {
        self.now = ack.now;
        self.delivered = ack.delivered;
        self.in_flight = ack.in_flight as f64;
        self.cwnd_limited = ack.cwnd_limited;
        self.ecn_round.acked += ack.acked as f64;
        self.ecn_round.marked += ack.marked.min(ack.acked) as f64;
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
            self.aggregation.start = ack.now;
            let over = ack.srtt.max(rtt).seconds();
            self.pacing_rate = self.c.startup_pacing * self.initial / over;
        }
    }
}

impl<const LINUX: bool> Controller for Engine<LINUX> {
    fn stream(&mut self) -> Option<&mut Random> {
        Some(&mut self.random)
    }

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
                self.loss.recovery_round = self.round_count;
            }
            Cause::Timeout => {
                self.begin_episode();
                self.recovering = true;
                self.loss.recovery_round = self.round_count;
                // Everything in flight counts as lost, so the flight is zero.
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
            // Marks are counted in `on_ack`.
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
                ("min_rtt_s", bbr_common::shown_seconds(self.min_rtt)),
                ("inflight_longterm_B", or_zero(self.inflight_longterm)),
                ("bw_shortterm_bps", or_zero(self.bw_shortterm * 8.0)),
            ],
        }
    }
}
