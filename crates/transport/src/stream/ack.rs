//! How a stream's sender reads an acknowledgement: the left edge, the blocks, the round trip.

use super::delivery::{AckTiming, Delivery};
use super::sender::{Phase, StreamSender};
use crate::ends::Sender;
use crate::recovery::Detector;
use crate::scoreboard::State;
use crate::segment::{AckSegment, SACK_BLOCKS};
use crate::units::{Span, Time};

impl StreamSender {
    /// An acknowledgement has come.
    pub(super) fn take_ack(&mut self, now: Time, ack: &AckSegment) {
        if ack.upto > self.nxt {
            return;
        }
        let selective = !matches!(self.detector, Detector::NewReno(_));
        let stale = ack.upto < self.una;
        if stale && !selective {
            return;
        }
        let flight = self.in_flight();
        let was_fast = self.phase == Phase::Fast;
        let outstanding = self.nxt - self.una;
        let mut delivery = Delivery::default();
        delivery.summary.prior_in_flight = flight;
        delivery.summary.advanced = ack.upto.saturating_sub(self.una);
        let advanced = delivery.summary.advanced > 0;
        if !stale {
            self.window_edge = self.window_edge_after(ack);
        }
        if advanced {
            self.advance(now, ack, &mut delivery);
        }
        if selective {
            self.take_blocks(now, ack, &mut delivery);
        }
        if delivery.summary.acked > 0 {
            self.core.sampler.on_delivered(now, delivery.fresh);
        }
        self.sample_rtt(now, ack, &mut delivery);
        if advanced {
            self.restart_timer(now);
        }
        if selective {
            self.detect_losses(now, ack, &mut delivery);
        } else {
            self.count_duplicates(now, ack, outstanding, &mut delivery.summary);
        }
        let mut summary = delivery.summary;
        if let Some(prr) = &mut self.prr {
            let safe = advanced && summary.lost == 0;
            let (flight, threshold) = (self.scoreboard.in_flight(), self.core.window());
            prr.on_ack(summary.acked, flight, threshold, safe);
        }
        // Without SACK, duplicates have already counted most of what is acknowledged when a hole fills.
        let packets = match selective {
            true => u64::from(summary.segments),
            false => delivery.fresh / self.mss,
        };
        summary.marked = self.core.newly_marked(ack, summary.acked, packets);
        self.react_to_marks(now, ack, summary.marked, flight);
        // The acknowledgement that ends recovery still belongs to it.
        let fast = was_fast || self.phase == Phase::Fast;
        let flight = self.in_flight();
        self.core.on_ack(now, ack, &summary, flight, fast);
        self.rearm |= advanced || summary.acked > 0;
    }

    /// The receiver's window never shrinks (RFC 9293 section 3.8.6).
    fn window_edge_after(&self, ack: &AckSegment) -> u64 {
        let edge = ack.upto.saturating_add(u64::from(ack.window));
        if self.window_edge == u64::MAX {
            edge
        } else {
            self.window_edge.max(edge)
        }
    }

    /// All bytes below `ack.upto` have arrived.
    fn advance(&mut self, now: Time, ack: &AckSegment, delivery: &mut Delivery) {
        if let Some(front) = self.scoreboard.front() {
            delivery.echoed = front.retransmissions == 1
                && front.state == State::InFlight
                && ack.echo < front.snapshot.sent;
        }
        let timing = self.timing(now, ack);
        let mut at = self.una;
        if !matches!(self.detector, Detector::NewReno(_))
            && let Some(run) = self.scoreboard.pop_run(ack.upto)
        {
            at = run.last.end();
            delivery.deliver_run(&run, &mut self.detector, timing);
        }
        // The next segment begins where this one ends, so no segment above is read.
        while at < ack.upto
            && let Some(front) = self.scoreboard.front()
            && front.end() <= ack.upto
        {
            at = front.end();
            if front.state != State::Sacked {
                delivery.deliver(&front, &mut self.detector, timing);
            }
            self.scoreboard.pop();
        }
        self.scoreboard.forget_below(ack.upto);
        self.core.counters.acked += delivery.summary.advanced;
        self.una = ack.upto;
        self.front_timed_out = false;
    }

    fn timing(&self, now: Time, ack: &AckSegment) -> AckTiming {
        AckTiming {
            now,
            echo: ack.echo,
            min_rtt: self.core.rtt.min(),
        }
    }

    /// Applies the SACK blocks to the scoreboard.
    fn take_blocks(&mut self, now: Time, ack: &AckSegment, delivery: &mut Delivery) {
        let count = ack.blocks.count();
        if count == 0 {
            return;
        }
        let mut blocks = [(0, 0); SACK_BLOCKS];
        for (place, block) in blocks.iter_mut().zip(ack.sack()) {
            *place = block;
        }
        let mut blocks = &mut blocks[..count];
        if ack.duplicate {
            delivery.dsack = Some(blocks[0]);
            blocks = &mut blocks[1..];
        }
        // Ascending order; otherwise the blocks of one acknowledgement would look like reordering.
        blocks.sort_unstable();
        let (nxt, una, timing) = (self.nxt, self.una, self.timing(now, ack));
        let detector = &mut self.detector;
        for (from, to) in blocks.iter().copied() {
            if to <= una || to > nxt {
                continue;
            }
            self.scoreboard
                .sack(from, to, |entry| delivery.deliver(entry, detector, timing));
        }
    }

    /// The round trip of the newest segment delivered. For a retransmitted segment the sample is
    /// ambiguous, unless the echo is at least as new as the last transmission (RFC 7323, RFC 3522).
    fn sample_rtt(&mut self, now: Time, ack: &AckSegment, delivery: &mut Delivery) {
        if let Some(newest) = &delivery.summary.newest {
            let sent = newest.snapshot.sent;
            if !newest.again || ack.echo >= sent {
                let rtt = self.core.rtt.told(now.since(sent));
                self.core.rtt.observe(rtt);
                if newest.number == ack.number {
                    delivery.summary.one_way = Some(Span(ack.received.0.saturating_sub(sent.0)));
                }
                delivery.summary.rtt = Some(rtt);
            }
        }
        // RFC 7323 section 4.1: the echo is a sample only if the left edge moves. The receiver may echo
        // any value, so the difference saturates.
        if delivery.summary.advanced > 0 {
            let echoed = Span(now.0.saturating_sub(ack.echo.0));
            self.core
                .rtt
                .sample(self.core.rtt.instead.unwrap_or(echoed));
        } else if let Some(rtt) = delivery.summary.rtt {
            self.core.rtt.sample(rtt);
        }
    }

    fn restart_timer(&mut self, now: Time) {
        let partial = self.phase == Phase::Fast && self.una < self.recover;
        let keep = match &self.detector {
            Detector::NewReno(newreno) => partial && newreno.had_partial(),
            Detector::Sack(_) | Detector::Rack(_) => false,
        };
        if self.scoreboard.is_empty() {
            self.rto = Time::NEVER;
        } else if !keep {
            self.rto = now.after(self.core.rtt.timeout());
        }
    }
}
