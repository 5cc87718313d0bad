//! Loss detection by time: recent acknowledgment (RACK, RFC 8985 section 6).
//!
//! A segment is lost when a segment sent later has been delivered and more than a round trip plus the
//! reordering window has passed since its transmission.
//!
//! Difference: segments sent at one instant are ordered by the number of the transmission, where the
//! RFC orders them by their last byte.

use crate::scoreboard::{Entry, Run, Scoreboard};
use crate::units::{Span, Time};
use crate::walk::{Base, Walk};

/// DupThresh: before any reordering, this many SACKed segments close the reordering window.
const THRESHOLD: u32 = 3;
/// Recoveries after which a window widened by DSACK is reset.
const PERSIST: u32 = 16;

/// RACK's state.
#[derive(Clone, Debug)]
pub struct Rack {
    /// The most recently sent segment that was delivered: when, and by which transmission.
    newest: Option<(Time, u64)>,
    rtt: Span,
    fack: u64,
    reordering: bool,
    multiple: u32,
    persist: u32,
    dsack_round: Option<u64>,
    /// When the reordering window of the waiting segments ends.
    timer: Time,
}

/// State of the flow that detection needs.
#[derive(Copy, Clone, Debug)]
pub struct Flow {
    pub now: Time,
    pub min_rtt: Span,
    pub srtt: Span,
    /// In fast or timeout recovery.
    pub recovering: bool,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            newest: None,
            rtt: Span::ZERO,
            fack: 0,
            reordering: false,
            multiple: 1,
            persist: PERSIST,
            dsack_round: None,
            timer: Time::NEVER,
        }
    }
}

impl Rack {
    pub(super) fn walk(&mut self, walk: &mut Walk, base: &Base) {
        let Rack {
            newest,
            rtt,
            fack,
            reordering,
            multiple,
            persist,
            dsack_round,
            timer,
        } = self;
        walk.same(newest.is_some());
        if let Some((sent, number)) = newest {
            walk.time(sent);
            walk.long(number, base.number);
        }
        walk.same(rtt.0);
        walk.long(fack, base.byte);
        walk.same(*reordering);
        walk.same(*multiple);
        walk.same(*persist);
        walk.same(dsack_round.is_some());
        if let Some(round) = dsack_round {
            walk.long(round, base.byte);
        }
        walk.until(timer);
    }

    /// Steps 2 and 3 for a segment newly delivered; segments of one acknowledgement ascending.
    pub fn on_delivered(&mut self, now: Time, entry: &Entry, echo: Time, min_rtt: Span) {
        if entry.end() > self.fack {
            self.fack = entry.end();
        } else if !entry.retransmitted() {
            self.reordering = true;
        }
        let sent = entry.snapshot.sent;
        let rtt = now.since(sent);
        // The original may have arrived instead.
        if entry.retransmitted() && (echo < sent || (min_rtt != Span::MAX && rtt < min_rtt)) {
            return;
        }
        if self.newest.is_none_or(|(_, number)| entry.number > number) {
            self.newest = Some((sent, entry.number));
            self.rtt = rtt;
        }
    }

    /// The same for consecutive segments that were sent once.
    pub fn on_run(&mut self, now: Time, run: &Run) {
        self.reordering |= run.first_end <= self.fack;
        self.fack = self.fack.max(run.last.end());
        let (sent, number) = (run.last.snapshot.sent, run.last.number);
        if self.newest.is_none_or(|(_, newest)| number > newest) {
            self.newest = Some((sent, number));
            self.rtt = now.since(sent);
        }
    }

    /// Step 4, on each acknowledgement: a round with a DSACK widens the window.
    pub fn on_ack(&mut self, una: u64, nxt: u64, dsack: bool) {
        if self.dsack_round.is_some_and(|round| una >= round) {
            self.dsack_round = None;
        }
        if dsack && self.dsack_round.is_none() {
            self.dsack_round = Some(nxt);
            self.multiple = self.multiple.saturating_add(1);
            self.persist = PERSIST;
        }
    }

    /// Step 4, when a recovery ends: after sixteen without a DSACK the window is reset.
    pub fn on_recovered(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.multiple = 1;
        }
    }

    /// The reordering window.
    fn window(&self, flow: Flow, sacked: u32) -> Span {
        if !self.reordering && (flow.recovering || sacked >= THRESHOLD) {
            return Span::ZERO;
        }
        if flow.min_rtt == Span::MAX {
            return Span::ZERO;
        }
        Span(flow.min_rtt.0 / 4)
            .times(u64::from(self.multiple))
            .min(flow.srtt)
    }

    /// Step 5: finds the lost segments, and arms the timer for those still within the reordering
    /// window.
    #[inline]
    pub fn detect(&mut self, flow: Flow, board: &Scoreboard, lost: &mut Vec<u64>) {
        self.timer = Time::NEVER;
        let Some((_, number)) = self.newest else {
            return;
        };
        // Segments mostly arrive in order, so the scan is rarely needed.
        if board
            .oldest()
            .is_some_and(|id| board.entry(id).number < number)
        {
            self.scan(number, flow, board, lost);
        }
    }

    fn scan(&mut self, number: u64, flow: Flow, board: &Scoreboard, lost: &mut Vec<u64>) {
        let wait = self.rtt + self.window(flow, board.sacked_segments());
        let mut next = board.oldest();
        let mut last = None;
        while let Some(id) = next {
            let entry = board.entry(id);
            if entry.number >= number {
                break;
            }
            let due = entry.snapshot.sent.after(wait);
            if due <= flow.now {
                lost.push(id);
            } else {
                last = Some(due);
            }
            next = board.next_sent(id);
        }
        // The list is in order of transmission, so the last waits longest.
        self.timer = last.unwrap_or(Time::NEVER);
    }

    /// Section 6.3: when the retransmission timer expires, the first segment is lost, and those that
    /// are overdue.
    pub fn detect_on_timeout(&mut self, flow: Flow, board: &Scoreboard, lost: &mut Vec<u64>) {
        let wait = self.rtt + self.window(flow, board.sacked_segments());
        self.timer = Time::NEVER;
        let mut next = board.oldest();
        while let Some(id) = next {
            let sent = board.entry(id).snapshot.sent;
            if id == board.ids().start || sent.after(wait) <= flow.now {
                lost.push(id);
            }
            next = board.next_sent(id);
        }
    }

    /// When the reordering timer is due.
    pub fn due(&self) -> Time {
        self.timer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::Snapshot;

    /// RFC 8985, section 6.2, step 4: the window is RACK.reo_wnd_mult × RACK.min_RTT / 4, and SRTT at most.
    #[test]
    fn the_reordering_window_is_bounded_by_the_smoothed_round_trip() {
        let flow = Flow {
            now: Time::ZERO,
            min_rtt: Span::millis(40),
            srtt: Span::millis(50),
            recovering: false,
        };
        for (multiple, window) in [(1, 10), (4, 40), (5, 50), (6, 50), (100, 50)] {
            let rack = Rack {
                reordering: true,
                multiple,
                ..Rack::default()
            };
            assert_eq!(rack.window(flow, 0), Span::millis(window), "{multiple}");
        }
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::millis(ms)
    }

    /// The segment that begins at byte 1000 `id`, sent as transmission `number` at that time.
    fn segment(id: u64, number: u64, sent: u64, retransmissions: u8) -> Entry {
        Entry {
            start: 1000 * id,
            len: 1000,
            retransmissions,
            number,
            snapshot: Snapshot {
                sent: at(sent),
                ..Snapshot::default()
            },
            ..Entry::default()
        }
    }

    /// The state after these segments were delivered at 50 ms, in answer to original transmissions or, if `echo` says so, to later ones.
    fn delivered(segments: &[Entry], echo: u64, min_rtt: Span) -> Rack {
        let mut rack = Rack::default();
        for segment in segments {
            rack.on_delivered(at(50), segment, at(echo), min_rtt);
        }
        rack
    }

    /// Step 3: a segment below one that was delivered before has been overtaken, unless it was sent again.
    #[test]
    fn a_segment_that_comes_late_shows_reordering() {
        let reorders = |segments: &[Entry]| delivered(segments, 50, Span::MAX).reordering;
        let (first, second) = (segment(0, 0, 0, 0), segment(1, 1, 1, 0));
        assert!(!reorders(&[first, second]));
        assert!(reorders(&[second, first]));
        assert!(!reorders(&[second, segment(0, 2, 2, 1)]));
        let byte = Entry { len: 1, ..first };
        assert!(!reorders(&[byte, second]));
    }

    /// Step 2: a repeated segment counts only if its acknowledgement cannot be that of the original: it echoes a time since, and
    /// took the least round trip.
    #[test]
    fn an_ambiguous_round_trip_is_ignored() {
        let again = segment(0, 1, 20, 1);
        let rtt = |echo, min_rtt| {
            let rack = delivered(&[again], echo, min_rtt);
            assert_eq!(rack.newest.is_some(), rack.rtt > Span::ZERO);
            rack.rtt
        };
        assert_eq!(rtt(19, Span::millis(10)), Span::ZERO);
        assert_eq!(rtt(20, Span::millis(31)), Span::ZERO);
        assert_eq!(rtt(20, Span::millis(30)), Span::millis(30));
        assert_eq!(rtt(20, Span::MAX), Span::millis(30));
    }

    /// The segment that was sent last decides, not the one that was acknowledged last.
    #[test]
    fn the_segment_that_was_sent_last_gives_the_round_trip() {
        let rack = delivered(&[segment(1, 7, 20, 0), segment(0, 3, 5, 0)], 50, Span::MAX);
        assert_eq!(
            (rack.newest, rack.rtt),
            (Some((at(20), 7)), Span::millis(30))
        );
        let run = |rack: &mut Rack, first_end, last| {
            let run = Run {
                segments: 1,
                bytes: 1000,
                first_end,
                last,
            };
            rack.on_run(at(60), &run);
            (
                rack.newest.expect("one").1,
                rack.rtt,
                rack.fack,
                rack.reordering,
            )
        };
        let mut rack = Rack::default();
        let found = run(&mut rack, 3000, segment(4, 5, 20, 0));
        assert_eq!(found, (5, Span::millis(40), 5000, false));
        let found = run(&mut rack, 6000, segment(6, 9, 30, 0));
        assert_eq!(found, (9, Span::millis(30), 7000, false));
        let found = run(&mut rack, 1000, segment(1, 2, 10, 0));
        assert_eq!(found, (9, Span::millis(30), 7000, true));
    }

    /// Step 4: a DSACK widens the window once in a round, which ends when what was outstanding then is acknowledged. Sixteen recoveries
    /// without one reset it.
    #[test]
    fn duplicates_widen_the_window_once_a_round_and_for_sixteen_recoveries() {
        let mut rack = Rack::default();
        let mut widened = |una, nxt, dsack| {
            rack.on_ack(una, nxt, dsack);
            rack.multiple
        };
        assert_eq!(widened(0, 1000, false), 1);
        assert_eq!(widened(0, 1000, true), 2);
        assert_eq!(widened(999, 2000, true), 2);
        assert_eq!(widened(1000, 2000, true), 3);
        // The round ends though nobody reports a duplicate at its end.
        assert_eq!(widened(2000, 3000, false), 3);
        assert_eq!(widened(2000, 3000, true), 4);
        // Ten recoveries count no longer when another duplicate comes.
        for _ in 0..10 {
            rack.on_recovered();
        }
        rack.on_ack(3000, 4000, true);
        for recovery in 1..=16 {
            rack.on_recovered();
            assert_eq!(
                rack.multiple,
                if recovery < 16 { 5 } else { 1 },
                "{recovery}"
            );
        }
    }

    /// Segments 0 to 3 leave at 0, 10, 20 and 30 ms, and of these `sacked` is selectively acknowledged.
    fn board(sacked: u64) -> Scoreboard {
        let mut board = Scoreboard::default();
        for id in 0..4 {
            let Entry { snapshot, .. } = segment(id, id, 10 * id, 0);
            board.push(1000 * id, 1000, id, snapshot);
        }
        board.sack(1000 * sacked, 1000 * (sacked + 1), |_| {});
        board
    }

    /// A round trip of 40 ms and a window of a quarter of it.
    fn flow(now: u64) -> Flow {
        Flow {
            now: at(now),
            min_rtt: Span::millis(40),
            srtt: Span::millis(40),
            recovering: false,
        }
    }

    /// Step 5: segments sent before the newest delivered one are lost a round trip and a window after they were sent. For
    /// the last of the others there is a timer, which ends when none waits.
    #[test]
    fn segments_are_lost_when_their_time_is_over() {
        let mut rack = Rack {
            newest: Some((at(30), 3)),
            rtt: Span::millis(40),
            ..Rack::default()
        };
        let board = board(3);
        let detect = |rack: &mut Rack, now| {
            let mut lost = Vec::new();
            rack.detect(flow(now), &board, &mut lost);
            (lost, rack.due())
        };
        assert_eq!(detect(&mut rack, 49), (vec![], at(70)));
        assert_eq!(detect(&mut rack, 60), (vec![0, 1], at(70)));
        assert_eq!(detect(&mut rack, 70), (vec![0, 1, 2], Time::NEVER));
        // Nothing that was sent before the first segment waits.
        rack.timer = at(70);
        rack.newest = Some((at(0), 0));
        assert_eq!(detect(&mut rack, 71), (vec![], Time::NEVER));
    }

    /// Section 6.3: at a timeout the first segment is lost whenever it was sent, and of the others those whose time is over.
    #[test]
    fn a_timeout_takes_the_first_segment_and_what_is_overdue() {
        let lost = |now| {
            let mut rack = Rack {
                newest: Some((at(30), 3)),
                rtt: Span::millis(40),
                timer: at(70),
                ..Rack::default()
            };
            let mut lost = Vec::new();
            rack.detect_on_timeout(flow(now), &board(3), &mut lost);
            assert_eq!(rack.due(), Time::NEVER);
            lost
        };
        assert_eq!(lost(40), [0]);
        assert_eq!(lost(59), [0]);
        assert_eq!(lost(60), [0, 1]);
        assert_eq!(lost(70), [0, 1, 2]);
    }
}
