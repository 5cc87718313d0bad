//! The sender of a reliable byte stream, above all controllers and below all applications: it cuts
//! segments, keeps the scoreboard and the timers, and hands what acknowledgements tell to recovery
//! and to the controller.

use crate::controller::{AnyController, Cause, Sent};
use crate::endpoint::{Inspection, Recovery, SenderCounters, SenderSetup};
use crate::newreno::NewReno;
use crate::pilot::{Findings, Pilot};
use crate::scoreboard::{Entry, Scoreboard, State};
use crate::segment::{AckSegment, Segment};
use crate::units::{Span, Time};

/// What the sender is doing about losses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing.
    Open,
    /// Fast recovery.
    Fast,
    /// Sending everything again after the retransmission timer expired.
    Timeout,
}

/// The sender.
#[derive(Clone, Debug)]
pub struct StreamSender {
    pilot: Pilot,
    mss: u64,
    recovery: NewReno,
    board: Scoreboard,
    phase: Phase,
    /// Fast recovery or the timeout is over when all below is acknowledged.
    recover: u64,
    /// Duplicates tell of a loss only when all below is acknowledged (RFC 6582's `recover`).
    guard: u64,
    /// Bytes lost in this episode.
    episode_lost: u64,
    written: u64,
    una: u64,
    nxt: u64,
    number: u64,
    /// The receiver has room up to here.
    edge: u64,
    /// This segment leaves whatever the window says.
    force: bool,
    /// The first segment was resent because the timer expired.
    front_timed_out: bool,
    rto: Time,
    /// Marks are answered again when more than this is acknowledged.
    mark_ends: u64,
    cwr: bool,
    paced: bool,
}

impl StreamSender {
    /// A sender with nothing to send yet.
    pub fn new(setup: &SenderSetup, controller: AnyController) -> StreamSender {
        assert!(setup.mss > 0 && setup.mss <= u64::from(u32::MAX));
        StreamSender {
            pilot: Pilot::new(setup, controller),
            mss: setup.mss,
            recovery: match setup.recovery {
                Recovery::NewReno => NewReno::new(setup.mss),
            },
            board: Scoreboard::default(),
            phase: Phase::Open,
            recover: 0,
            guard: 0,
            episode_lost: 0,
            written: 0,
            una: 0,
            nxt: 0,
            number: 0,
            edge: u64::MAX,
            force: false,
            front_timed_out: false,
            rto: Time::NEVER,
            mark_ends: 0,
            cwr: false,
            paced: false,
        }
    }

    /// The application has that many more bytes.
    pub fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
    }

    /// Bytes in the network as far as recovery can tell.
    fn in_flight(&self) -> u64 {
        self.board.in_flight().saturating_sub(self.recovery.gone())
    }

    /// The next segment that may leave now.
    pub fn poll(&mut self, now: Time) -> Option<Segment> {
        self.paced = false;
        let lost = self.board.first_lost();
        let len = match lost {
            Some(id) => u64::from(self.board.entry(id).len),
            None => self.mss.min(self.written - self.nxt),
        };
        let flight = self.in_flight();
        if len == 0 {
            if flight < self.pilot.window() {
                self.pilot.sampler.limit(flight);
            }
            return None;
        }
        if lost.is_none() && self.nxt + len > self.edge {
            return None;
        }
        // One segment may always be in flight, or a small window would stop the flow for good.
        if flight > 0 && flight + len > self.pilot.window() && !self.force {
            self.pilot.hold_back();
            return None;
        }
        if now < self.pilot.release() && !self.force {
            self.paced = true;
            return None;
        }
        self.force = false;
        Some(match lost {
            Some(id) => self.resend(now, id),
            None => self.send(now, len),
        })
    }

    fn send(&mut self, now: Time, len: u64) -> Segment {
        let start = self.nxt;
        let snapshot = self.pilot.sampler.on_send(now, self.in_flight(), len);
        self.board.push(start, len as u32, self.number, snapshot);
        self.nxt += len;
        let cwr = std::mem::take(&mut self.cwr);
        self.leave(now, start, len, false, cwr)
    }

    fn resend(&mut self, now: Time, id: u64) -> Segment {
        let entry = *self.board.entry(id);
        let len = u64::from(entry.len);
        let snapshot = self.pilot.sampler.on_send(now, self.in_flight(), len);
        self.board.resend(id, self.number, snapshot);
        self.leave(now, entry.start, len, true, false)
    }

    fn leave(&mut self, now: Time, start: u64, len: u64, again: bool, cwr: bool) -> Segment {
        let number = self.number;
        self.number += 1;
        if self.rto == Time::NEVER {
            self.rto = now.after(self.pilot.rtt.timeout());
        }
        let feedback = self.pilot.on_sent(Sent {
            now,
            number,
            len,
            in_flight: self.in_flight(),
            again,
            app_limited: self.nxt == self.written,
        });
        Segment {
            number,
            start,
            len: len as u32,
            again,
            ecn: self.pilot.codepoint(again),
            cwr,
            push: start + len == self.written,
            sent: now,
            feedback,
        }
    }

    /// An acknowledgement has come.
    pub fn on_ack(&mut self, now: Time, ack: &AckSegment) {
        if ack.upto > self.nxt || ack.upto < self.una {
            return;
        }
        self.edge = ack.upto.saturating_add(ack.window);
        let advanced = ack.upto > self.una;
        let flight = self.in_flight();
        let mut found = Findings {
            prior_in_flight: flight,
            ..Findings::default()
        };
        let outstanding = self.nxt - self.una;
        if advanced {
            self.advance(now, ack, &mut found);
        }
        self.recover_losses(now, ack, outstanding, &mut found);
        let marked = self.pilot.marked(ack, found.acked);
        self.answer_marks(now, ack, marked, flight);
        let in_flight = self.in_flight();
        let recovering = self.phase == Phase::Fast;
        self.pilot
            .on_ack(now, ack, found, in_flight, recovering, marked);
    }

    /// All below `ack.upto` has arrived.
    fn advance(&mut self, now: Time, ack: &AckSegment, found: &mut Findings) {
        let mut newest: Option<Entry> = None;
        while self.board.front().is_some_and(|e| e.end() <= ack.upto) {
            let entry = self.board.pop();
            if entry.state == State::Sacked {
                continue;
            }
            let len = u64::from(entry.len);
            found.acked += len;
            found.segments += 1;
            self.pilot
                .sampler
                .on_delivered(now, entry.number, &entry.snapshot, len);
            if newest.is_none_or(|n| entry.number > n.number) {
                newest = Some(entry);
            }
        }
        self.pilot.counters.acked += ack.upto - self.una;
        self.una = ack.upto;
        self.front_timed_out = false;
        if let Some(newest) = newest {
            self.measure(now, ack, &newest, found);
        }
        // RFC 7323 section 4.1: a sample only from what advances the left edge.
        self.pilot.rtt.sample(now.since(ack.echo));
        let partial = self.phase == Phase::Fast && self.una < self.recover;
        if !(partial && self.recovery.had_partial()) {
            self.rto = if self.board.is_empty() {
                Time::NEVER
            } else {
                now.after(self.pilot.rtt.timeout())
            };
        }
    }

    /// The round trip of the newest segment delivered. A segment sent again leaves open which
    /// transmission arrived, unless the echo is not older than the last one (RFC 7323, RFC 3522).
    fn measure(&mut self, now: Time, ack: &AckSegment, newest: &Entry, found: &mut Findings) {
        if newest.again && ack.echo < newest.snapshot.sent {
            return;
        }
        let rtt = now.since(newest.snapshot.sent);
        self.pilot.rtt.observe(rtt);
        found.rtt = Some(rtt);
        if newest.number == ack.number {
            let span = ack.received.0.saturating_sub(newest.snapshot.sent.0);
            found.one_way = Some(Span(span));
        }
    }

    fn recover_losses(
        &mut self,
        now: Time,
        ack: &AckSegment,
        outstanding: u64,
        found: &mut Findings,
    ) {
        if found.acked > 0 {
            let partial = self.phase == Phase::Fast && self.una < self.recover;
            self.recovery.on_advance(found.acked, partial);
            if partial {
                self.lose_front(now, found);
            }
            if self.phase != Phase::Open && self.una >= self.recover {
                self.phase = Phase::Open;
                let flight = self.in_flight();
                self.pilot.tell(now, Cause::Recovered, flight, 0, 0);
            }
        } else if outstanding > 0 && ack.upto == self.una && self.phase != Phase::Timeout {
            let fast = self.phase == Phase::Fast;
            if self.recovery.on_duplicate(outstanding) && !fast && self.una >= self.guard {
                self.enter_fast(now, found);
            }
        }
    }

    /// Fast retransmit (RFC 5681 section 3.2, RFC 6582 section 3.2 step 2).
    fn enter_fast(&mut self, now: Time, found: &mut Findings) {
        let flight = self.recovery.flight();
        let tx_in_flight = self.board.front().map_or(0, |e| e.snapshot.tx_in_flight);
        self.phase = Phase::Fast;
        self.recover = self.nxt;
        self.guard = self.nxt;
        self.episode_lost = 0;
        self.pilot.counters.recoveries += 1;
        self.lose_front(now, found);
        self.force = true;
        if !self.answered_mark() {
            let lost = self.episode_lost;
            self.pilot
                .tell(now, Cause::Loss, flight, lost, tx_in_flight);
        }
    }

    /// A mark in this window of data was answered, which is enough (RFC 3168 section 6.1.2).
    fn answered_mark(&self) -> bool {
        self.pilot.classic() && self.una <= self.mark_ends && self.mark_ends > 0
    }

    fn lose_front(&mut self, now: Time, found: &mut Findings) {
        let id = self.board.ids().start;
        if self.board.entry(id).state == State::Flying {
            self.lose(now, id, found);
        }
    }

    fn lose(&mut self, now: Time, id: u64, found: &mut Findings) {
        self.board.lose(id);
        let entry = *self.board.entry(id);
        let len = u64::from(entry.len);
        self.episode_lost += len;
        found.lost += len;
        found.lost_segments += 1;
        let flight = self.in_flight();
        self.pilot
            .on_lost(now, entry.number, len, &entry.snapshot, flight);
    }

    fn answer_marks(&mut self, now: Time, ack: &AckSegment, marked: u64, flight: u64) {
        if self.pilot.echoes(ack, marked) && self.phase == Phase::Open && self.una > self.mark_ends
        {
            self.mark_ends = self.nxt;
            self.cwr = true;
            self.pilot.counters.marks += 1;
            self.pilot.tell(now, Cause::Mark, flight, 0, 0);
        }
    }

    /// The instant `due` has come.
    pub fn on_timer(&mut self, now: Time) {
        self.pilot.on_timer(now);
        if self.rto <= now {
            self.expire(now);
        }
    }

    /// The retransmission timer expired (RFC 6298 section 5, RFC 5681 section 3.1).
    fn expire(&mut self, now: Time) {
        let flight = self.in_flight();
        let tx_in_flight = self.board.front().map_or(0, |e| e.snapshot.tx_in_flight);
        self.pilot.counters.timeouts += 1;
        self.pilot.rtt.back_off();
        self.rto = now.after(self.pilot.rtt.timeout());
        self.phase = Phase::Timeout;
        self.recover = self.nxt;
        // What is sent twice from here on makes duplicates at `recover` itself.
        self.guard = self.nxt + 1;
        self.recovery.reset();
        let mut found = Findings::default();
        self.episode_lost = 0;
        for id in self.board.ids() {
            if self.board.entry(id).state == State::Flying {
                self.lose(now, id, &mut found);
            }
        }
        self.force = true;
        // Once for each segment that times out: later expiries only back off (RFC 5681, eq. 4).
        if !std::mem::replace(&mut self.front_timed_out, true) {
            let lost = found.lost;
            self.pilot
                .tell(now, Cause::Timeout, flight, lost, tx_in_flight);
        }
    }

    /// The earliest instant at which `on_timer` is wanted.
    pub fn due(&self) -> Time {
        let pacing = if self.paced {
            self.pilot.release()
        } else {
            Time::NEVER
        };
        self.rto.min(self.pilot.wake()).min(pacing)
    }

    /// Counts since the beginning.
    pub fn counters(&self) -> &SenderCounters {
        &self.pilot.counters
    }

    /// State for plots and records.
    pub fn inspect(&self) -> Inspection {
        self.pilot.inspect(self.pilot.window(), self.in_flight())
    }
}
