//! What the sender of a stream does with an acknowledgement.

use crate::controller_interface::Cause;
use crate::pilot::Findings;
use crate::rate::Newest;
use crate::recovery::Detector;
use crate::recovery::prr::Prr;
use crate::recovery::tlp::Verdict;
use crate::scoreboard::{Entry, Run, State};
use crate::segment::{AckSegment, SACK_BLOCKS};
use crate::units::{Span, Time};

use super::{Phase, StreamSender};

/// What an acknowledgement delivered.
#[derive(Clone, Debug, Default)]
struct News {
    found: Findings,
    /// Bytes of it that no duplicate had counted.
    fresh: u64,
    /// The block that a duplicate is reported for.
    dsack: Option<(u64, u64)>,
    /// The first segment's retransmission was unnecessary, its timestamp says.
    echoed: bool,
}

impl News {
    /// A segment is newly known to be delivered; the detector hears of it too.
    #[inline]
    fn deliver(&mut self, entry: &Entry, detector: &mut Detector, seen: Seen) {
        let found = &mut self.found;
        found.acked += u64::from(entry.len);
        found.segments += 1;
        if found.newest.is_none_or(|n| entry.number > n.number) {
            found.newest = Some(Newest {
                number: entry.number,
                again: entry.again(),
                snapshot: entry.snapshot,
            });
        }
        let len = u64::from(entry.len);
        self.fresh += match detector {
            Detector::Rack(rack) => {
                rack.on_delivered(seen.now, entry, seen.echo, seen.least);
                len
            }
            Detector::NewReno(newreno) => newreno.uncounted(len, entry.again()),
            Detector::Sack(_) => len,
        };
    }
}

impl News {
    /// The same of several that were sent once, one after the other, for a detector that does not count duplicates.
    #[inline]
    fn deliver_run(&mut self, run: &Run, detector: &mut Detector, seen: Seen) {
        if let Detector::Rack(rack) = detector {
            rack.on_run(seen.now, run);
        }
        let found = &mut self.found;
        found.acked += run.bytes;
        found.segments += run.segments as u32;
        found.newest = Some(Newest {
            number: run.last.number,
            again: false,
            snapshot: run.last.snapshot,
        });
        self.fresh += run.bytes;
    }
}

/// What an acknowledgement's arrival says about every segment that it delivers.
#[derive(Copy, Clone, Debug)]
struct Seen {
    now: Time,
    echo: Time,
    least: Span,
}

impl StreamSender {
    /// An acknowledgement has come.
    pub fn on_ack(&mut self, now: Time, ack: &AckSegment) {
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
        let mut news = News::default();
        news.found.prior_in_flight = flight;
        news.found.advanced = ack.upto.saturating_sub(self.una);
        let advanced = news.found.advanced > 0;
        if !stale {
            self.edge = self.edge_after(ack);
        }
        if advanced {
            self.advance(now, ack, &mut news);
        }
        if selective {
            self.take_blocks(now, ack, &mut news);
        }
        if news.found.acked > 0 {
            self.pilot.sampler.on_delivered(now, news.fresh);
        }
        self.measure(now, ack, &mut news);
        if advanced {
            self.restart_timer(now);
        }
        if selective {
            self.look_for_losses(now, ack, &mut news);
        } else {
            self.count_duplicates(now, ack, outstanding, &mut news.found);
        }
        let found = news.found;
        if let Some(prr) = &mut self.prr {
            let safe = advanced && found.lost == 0;
            let (flight, threshold) = (self.board.in_flight(), self.pilot.window());
            prr.on_ack(found.acked, flight, threshold, safe);
        }
        // Without selective acknowledgements duplicates told of most that is acknowledged when a hole fills.
        let packets = match selective {
            true => u64::from(found.segments),
            false => news.fresh / self.mss,
        };
        let marked = self.pilot.marked(ack, found.acked, packets);
        self.answer_marks(now, ack, marked, flight);
        // The acknowledgement that ends recovery still belongs to it.
        let fast = was_fast || self.phase == Phase::Fast;
        let flight = self.in_flight();
        self.pilot.on_ack(now, ack, &found, flight, fast, marked);
        self.rearm |= advanced || found.acked > 0;
    }

    /// The receiver's window never shrinks (RFC 9293 section 3.8.6).
    fn edge_after(&self, ack: &AckSegment) -> u64 {
        let edge = ack.upto.saturating_add(u64::from(ack.window));
        if self.edge == u64::MAX {
            edge
        } else {
            self.edge.max(edge)
        }
    }

    /// All below `ack.upto` has arrived.
    fn advance(&mut self, now: Time, ack: &AckSegment, news: &mut News) {
        if let Some(front) = self.board.front() {
            news.echoed =
                front.resent == 1 && front.state == State::Flying && ack.echo < front.snapshot.sent;
        }
        let seen = self.seen(now, ack);
        let mut at = self.una;
        if !matches!(self.detector, Detector::NewReno(_))
            && let Some(run) = self.board.pop_run(ack.upto)
        {
            at = run.last.end();
            news.deliver_run(&run, &mut self.detector, seen);
        }
        // The next segment begins where this one ends, so what lies above isn't looked at.
        while at < ack.upto
            && let Some(front) = self.board.front()
            && front.end() <= ack.upto
        {
            at = front.end();
            if front.state != State::Sacked {
                news.deliver(&front, &mut self.detector, seen);
            }
            self.board.pop();
        }
        self.board.settle(ack.upto);
        self.pilot.counters.acked += news.found.advanced;
        self.una = ack.upto;
        self.front_timed_out = false;
    }

    fn seen(&self, now: Time, ack: &AckSegment) -> Seen {
        Seen {
            now,
            echo: ack.echo,
            least: self.pilot.rtt.least(),
        }
    }

    /// Takes the selective acknowledgements to the scoreboard.
    fn take_blocks(&mut self, now: Time, ack: &AckSegment, news: &mut News) {
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
            news.dsack = Some(blocks[0]);
            blocks = &mut blocks[1..];
        }
        // Ascending, or one acknowledgement's blocks would look like reordering.
        blocks.sort_unstable();
        let (nxt, una, seen) = (self.nxt, self.una, self.seen(now, ack));
        let detector = &mut self.detector;
        for (from, to) in blocks.iter().copied() {
            if to <= una || to > nxt {
                continue;
            }
            self.board
                .sack(from, to, |entry| news.deliver(entry, detector, seen));
        }
    }

    /// The round trip of the newest segment delivered. A segment sent again leaves open which
    /// transmission arrived, unless the echo is not older than the last one (RFC 7323, RFC 3522).
    fn measure(&mut self, now: Time, ack: &AckSegment, news: &mut News) {
        if let Some(newest) = &news.found.newest {
            let sent = newest.snapshot.sent;
            if !newest.again || ack.echo >= sent {
                let rtt = now.since(sent);
                self.pilot.rtt.observe(rtt);
                if newest.number == ack.number {
                    news.found.one_way = Some(Span(ack.received.0.saturating_sub(sent.0)));
                }
                news.found.rtt = Some(rtt);
            }
        }
        // RFC 7323 section 4.1: the echo is a sample only where the left edge moves. Whoever is at the
        // other end may echo what it likes.
        if news.found.advanced > 0 {
            self.pilot
                .rtt
                .sample(Span(now.0.saturating_sub(ack.echo.0)));
        } else if let Some(rtt) = news.found.rtt {
            self.pilot.rtt.sample(rtt);
        }
    }

    fn restart_timer(&mut self, now: Time) {
        let partial = self.phase == Phase::Fast && self.una < self.recover;
        let keep = match &self.detector {
            Detector::NewReno(newreno) => partial && newreno.had_partial(),
            Detector::Sack(_) | Detector::Rack(_) => false,
        };
        if self.board.is_empty() {
            self.rto = Time::NEVER;
        } else if !keep {
            self.rto = now.after(self.pilot.rtt.timeout());
        }
    }

    /// RFC 6582: duplicate and partial acknowledgements.
    fn count_duplicates(
        &mut self,
        now: Time,
        ack: &AckSegment,
        outstanding: u64,
        found: &mut Findings,
    ) {
        let Detector::NewReno(newreno) = &mut self.detector else {
            return;
        };
        if found.acked > 0 {
            let partial = self.phase == Phase::Fast && self.una < self.recover;
            newreno.on_advance(found.acked, partial);
            if partial {
                self.lose_front(now, found);
            }
            self.leave_recovery(now);
        } else if outstanding > 0 && ack.upto == self.una && self.phase != Phase::Timeout {
            let told = newreno.on_duplicate(outstanding);
            let delivered = newreno.deliver_duplicate(outstanding);
            self.pilot.sampler.on_delivered(now, delivered);
            if told && self.phase == Phase::Open && self.una >= self.guard {
                let mut before = *found;
                before.prior_in_flight = newreno.flight();
                self.lose_front(now, found);
                before.lost = found.lost;
                self.enter_fast(now, &before);
            }
        }
    }

    fn lose_front(&mut self, now: Time, found: &mut Findings) {
        let id = self.board.ids().start;
        if self.board.entry(id).state == State::Flying {
            self.losses.push(id);
            self.declare_lost(now, found);
        }
    }

    /// RFC 6675 or RFC 8985, with the undoing of answers to losses that were none.
    fn look_for_losses(&mut self, now: Time, ack: &AckSegment, news: &mut News) {
        if let Detector::Rack(rack) = &mut self.detector {
            rack.on_ack(self.una, self.nxt, news.dsack.is_some());
        }
        self.undo_spurious(now, news);
        self.answer_probe(now, ack, news);
        self.detect(now, &mut news.found);
        self.leave_recovery(now);
        if self.open_losses() {
            let found = news.found;
            self.enter_fast(now, &found);
            // Where all is repaired already, it is over at once.
            self.leave_recovery(now);
        }
    }

    /// There are losses that were not answered. What left after the last answer is another indication of
    /// congestion (RFC 5681 section 4.3): a retransmission at once, new data when recovery is over.
    pub(super) fn open_losses(&self) -> bool {
        match self.phase {
            Phase::Open => self.board.lost() > 0 || self.lost_later,
            Phase::Fast => self.lost_again,
            Phase::Timeout => false,
        }
    }

    pub(super) fn detect(&mut self, now: Time, found: &mut Findings) {
        let flow = self.flow(now);
        match &mut self.detector {
            Detector::Rack(rack) => rack.detect(flow, &self.board, &mut self.losses),
            Detector::Sack(sack) => sack.detect(&self.board, self.mss, &mut self.losses),
            Detector::NewReno(_) => {}
        }
        self.declare_lost(now, found);
    }

    /// Takes the segments in `losses` out of flight.
    pub(super) fn declare_lost(&mut self, now: Time, found: &mut Findings) {
        self.lost_again = false;
        if self.losses.is_empty() {
            return;
        }
        let mut losses = std::mem::take(&mut self.losses);
        for id in losses.drain(..) {
            self.board.lose(id);
            let entry = self.board.entry(id);
            let len = u64::from(entry.len);
            if entry.number >= self.answered {
                let new = entry.start >= self.recover;
                self.lost_later |= new;
                self.lost_again |= !new;
            }
            self.episode_lost += len;
            found.lost += len;
            found.lost_segments += 1;
            found.tx_in_flight = entry.snapshot.tx_in_flight;
            let flight = self.in_flight();
            self.pilot
                .on_lost(now, entry.number, len, &entry.snapshot, flight);
        }
        self.losses = losses;
    }

    /// Recovery begins (RFC 5681 section 3.2, RFC 6582 section 3.2 step 2, RFC 9937), or a retransmission
    /// of the one under way was lost. That is answered once more, but ends no later: `recover` is chosen
    /// once (RFC 6675 section 5, step 4.1).
    pub(super) fn enter_fast(&mut self, now: Time, found: &Findings) {
        let flight = found.prior_in_flight;
        if self.phase != Phase::Fast {
            self.phase = Phase::Fast;
            self.recover = self.nxt;
            self.guard = self.nxt;
            self.episode_lost = found.lost;
            self.undo.begin(self.una, self.board.resent_in_flight());
        }
        self.lost_later = false;
        self.pilot.counters.recoveries += 1;
        // A mark in this window of data was answered, which is enough (RFC 3168 section 6.1.2).
        let marked = self.pilot.classic() && self.mark_ends > 0 && self.una <= self.mark_ends;
        if !marked {
            self.pilot
                .tell(now, Cause::Loss, flight, found.lost, found.tx_in_flight);
        }
        self.answered = self.number;
        self.prr = self.proportional.then(|| Prr::new(self.mss, flight));
        self.force = !self.proportional;
    }

    fn leave_recovery(&mut self, now: Time) {
        if self.phase == Phase::Open || self.una < self.recover {
            return;
        }
        self.phase = Phase::Open;
        self.prr = None;
        if let Detector::Rack(rack) = &mut self.detector {
            rack.on_recovered();
        }
        let flight = self.in_flight();
        self.pilot
            .tell(now, Cause::Recovered, flight, self.episode_lost, 0);
    }

    fn undo_spurious(&mut self, now: Time, news: &News) {
        if let Some((start, _)) = news.dsack {
            self.undo.on_dsack(start);
        }
        if news.echoed {
            self.undo.on_echo();
        }
        // After a timeout the first segment stands for all (RFC 4015 section 3.2).
        let shown = if news.echoed && self.phase == Phase::Timeout {
            self.board.unlose();
            Some(self.undo.finish())
        } else if self.board.lost() == 0 {
            self.undo.verdict()
        } else {
            None
        };
        if let Some(resent) = shown {
            self.phase = Phase::Open;
            self.prr = None;
            self.lost_later = false;
            self.pilot.counters.spurious += resent;
            let flight = self.in_flight();
            self.pilot.tell(now, Cause::Spurious, flight, 0, 0);
        }
    }

    /// A probe that repaired a loss is an indication of congestion (RFC 8985 section 7.4).
    fn answer_probe(&mut self, now: Time, ack: &AckSegment, news: &News) {
        let Some(tlp) = &mut self.tlp else {
            return;
        };
        let dsack = news.dsack.map(|d| d.1);
        let plain = news.found.advanced == 0 && ack.blocks.count() == 0;
        if tlp.on_ack(ack.upto, dsack, plain) == Verdict::Repaired && self.phase == Phase::Open {
            self.pilot.counters.recoveries += 1;
            let flight = news.found.prior_in_flight;
            let len = self.mss;
            self.pilot.tell(now, Cause::Loss, flight, len, flight);
            let flight = self.in_flight();
            self.pilot.tell(now, Cause::Recovered, flight, len, 0);
        }
    }

    fn answer_marks(&mut self, now: Time, ack: &AckSegment, marked: u64, flight: u64) {
        let fresh = self.phase == Phase::Open && self.una > self.mark_ends;
        if fresh && self.pilot.echoes(ack, marked) {
            self.mark_ends = self.nxt;
            self.cwr = true;
            self.pilot.counters.marks += 1;
            self.pilot.tell(now, Cause::Mark, flight, 0, 0);
        }
    }
}
