//! Timers of a stream: retransmission timeout, reordering window, tail loss probe, pacing, controller.

use super::sender::{Phase, StreamSender};
use crate::controller_interface::Cause;
use crate::ends::Sender;
use crate::recovery::Detector;
use crate::recovery::rack::Flow;
use crate::recovery::tlp::Tlp;
use crate::scoreboard::State;
use crate::sender_state::AckSummary;
use crate::units::Time;

impl StreamSender {
    pub(super) fn flow(&self, now: Time) -> Flow {
        Flow {
            now,
            min_rtt: self.core.rtt.min(),
            srtt: self.core.rtt.srtt(),
            recovering: self.phase != Phase::Open,
        }
    }

    /// Some of them may have expired.
    pub(super) fn expire_timers(&mut self, now: Time) {
        self.core.on_timer(now);
        if let Detector::Rack(rack) = &self.detector
            && rack.due() <= now
        {
            self.reorder_timer(now);
        }
        // The retransmission timer comes first: if both expire at one instant, the probe is useless.
        if self.rto <= now {
            self.expire(now);
        } else if let Some(tlp) = &mut self.tlp
            && tlp.due() <= now
        {
            tlp.disarm();
            self.probe = true;
        }
    }

    /// The reordering window of some segments is over (RFC 8985 section 6.2, step 5).
    fn reorder_timer(&mut self, now: Time) {
        let mut summary = AckSummary {
            prior_in_flight: self.in_flight(),
            ..AckSummary::default()
        };
        self.detect(now, &mut summary);
        if self.needs_reduction() {
            self.enter_fast(now, &summary);
            let flight = self.in_flight();
            if let Some(prr) = &mut self.prr {
                prr.on_timer(flight);
            }
        }
        self.rearm = true;
    }

    /// The retransmission timer expired (RFC 6298 section 5, RFC 5681 section 3.1).
    fn expire(&mut self, now: Time) {
        let mut summary = AckSummary {
            prior_in_flight: self.in_flight(),
            ..AckSummary::default()
        };
        let tx_in_flight = self
            .scoreboard
            .front()
            .map_or(0, |e| e.snapshot.tx_in_flight);
        self.core.counters.timeouts += 1;
        self.core.rtt.back_off();
        self.rto = now.after(self.core.rtt.timeout());
        let flow = self.flow(now);
        self.phase = Phase::Timeout;
        self.recover = self.nxt;
        // Retransmissions from here on cause duplicates at `recover` itself.
        self.guard = self.nxt + 1;
        self.first_after_reduction = self.number;
        self.new_data_lost = false;
        self.episode_lost = 0;
        self.prr = None;
        self.probe = false;
        self.undo.begin(self.una, 0);
        let mut losses = std::mem::take(&mut self.losses);
        match &mut self.detector {
            Detector::Rack(rack) => rack.detect_on_timeout(flow, &self.scoreboard, &mut losses),
            Detector::NewReno(newreno) => newreno.reset(),
            Detector::Sack(_) => {}
        }
        if self.tlp.is_none() {
            let board = &self.scoreboard;
            losses.extend(
                board
                    .ids()
                    .filter(|id| board.entry(*id).state == State::InFlight),
            );
        }
        if let Some(tlp) = &mut self.tlp {
            tlp.reset();
        }
        self.losses = losses;
        self.declare_lost(now, &mut summary);
        self.bypass_window = true;
        // Reported once for each segment that times out; later expiries only back off (RFC 5681, eq.
        // 4).
        if !std::mem::replace(&mut self.front_timed_out, true) {
            let (flight, lost) = (summary.prior_in_flight, summary.lost);
            self.report_loss(now, Cause::Timeout, flight, lost, tx_in_flight);
        }
    }

    /// When the next of them expires.
    pub(super) fn next_due(&self) -> Time {
        let pacing = if self.paced {
            self.core.release()
        } else {
            Time::NEVER
        };
        let rack = match &self.detector {
            Detector::Rack(rack) => rack.due(),
            Detector::NewReno(_) | Detector::Sack(_) => Time::NEVER,
        };
        let probe = self.tlp.as_ref().map_or(Time::NEVER, Tlp::due);
        let timers = self.rto.min(self.core.wake()).min(pacing);
        timers.min(rack).min(probe)
    }
}
