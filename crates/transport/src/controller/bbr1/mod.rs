//! BBRv1.
//!
//! Detects: the greatest delivery rate of ten rounds and the least round trip of ten seconds. Tells:
//! nobody. Responds: paces at the rate times the gain of its state, with a window of two
//! bandwidth-delay products. Loss reduces the window for the first round of a recovery only. Over datagrams, which nothing
//! repairs, a recovery lasts until a packet arrives that left after the last loss. Two intervals of heavy loss at one rate
//! indicate a policer, and BBR keeps that rate.
//!
//! Reference: Cardwell et al., ACM Queue 14(5), 2016; Linux `tcp_bbr.c`. Deviations: samples in
//! PROBE_RTT and in the round after are marked application-limited by the controller itself, because it
//! cannot set the sender's flag. The cycle of gains looks at what is in flight after an acknowledgement, Linux at
//! what was in flight before it. At a policer's rate the cycle stands still; in Linux it goes on, with a window that is two segments
//! larger in its first phase. The window is saved before PROBE_RTT begins; Linux keeps the greater one of it and what was saved
//! before. In PROBE_RTT an acknowledgement of nothing does not bound the window; in Linux it does.

mod aggregation;
mod options;
mod phases;
mod policer;
mod state;

use crate::building_blocks::{bbr_common, bounds};
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Departure, Inspect, Limits, Reduction, Sent,
};
use crate::part::Part;
use crate::random::Random;
use crate::units::{Span, Time};
use policer::Observation;
pub use state::Bbr1;
use state::State;

impl Controller for Bbr1 {
    fn stream(&mut self) -> Option<&mut Random> {
        Some(&mut self.random)
    }

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
        let observation = Observation {
            now: self.now,
            delivered: self.delivered,
            lost: self.lost,
            round_start: self.round_start,
            probing: self.state == State::ProbeBw,
        };
        let limited = self.update_bw(ack);
        if self.policer.sample(&observation, ack.lost > 0, limited) {
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
            // Packet conservation holds only in the first round of a recovery.
            Cause::Loss if self.recovering => self.leaving = false,
            Cause::Loss => {
                self.save_cwnd();
                self.recovering = true;
                // For one round the sender sends only as much as is delivered (packet conservation).
                self.conserving = true;
                self.next_round = self.delivered;
                let kept = congestion.in_flight.saturating_sub(congestion.lost);
                self.cwnd = (kept as f64).max(self.mss);
            }
            Cause::Timeout => {
                self.save_cwnd();
                self.recovering = true;
                self.last_loss = self.delivered;
                self.plateau.rate = 0.0;
                self.cwnd = self.mss;
            }
            Cause::Recovered => self.leaving = !self.datagrams,
            Cause::Spurious => {
                self.recovering = false;
                self.leaving = false;
                self.conserving = false;
                self.plateau.rate = 0.0;
                self.plateau.rounds = 0;
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
                ("min_rtt_s", bbr_common::shown_seconds(self.min_rtt)),
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
    options: options::OPTIONS,
    build: options::build,
};
