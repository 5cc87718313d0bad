//! Loss detection by time: recent acknowledgment (RACK, RFC 8985 section 6).
//!
//! A segment is lost when a segment sent later has been delivered and more than a round trip plus the
//! reordering window has passed since its transmission.
//!
//! Difference: segments sent at one instant are ordered by the number of the transmission, where the
//! RFC orders them by their last byte.

use crate::scoreboard::{Entry, Run, Scoreboard};
use crate::units::{Span, Time};

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
}
