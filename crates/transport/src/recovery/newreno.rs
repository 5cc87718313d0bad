//! Loss detection without SACK: duplicate and partial acknowledgements (RFC 6582), with limited
//! transmit (RFC 3042).
//!
//! The RFC inflates the window by a segment for each duplicate acknowledgement and deflates it by the
//! bytes that a partial acknowledgement covers. Here the same number is subtracted from the bytes in
//! flight, so the controllers' window is not inflated.

use crate::walk::Walk;

/// Duplicate acknowledgements that signal a loss.
const THRESHOLD: u32 = 3;

/// State of the duplicate acknowledgements.
#[derive(Clone, Debug)]
pub struct NewReno {
    mss: u64,
    duplicates: u32,
    departed: u64,
    /// Bytes outstanding before the first duplicate: FlightSize without limited transmit.
    flight: u64,
    partial: bool,
    /// Bytes counted as delivered because of duplicates, and not yet acknowledged.
    credit: u64,
}

impl NewReno {
    pub fn new(mss: u64) -> NewReno {
        NewReno {
            mss,
            duplicates: 0,
            departed: 0,
            flight: 0,
            partial: false,
            credit: 0,
        }
    }

    pub(super) fn walk(&self, walk: &mut Walk) {
        let NewReno {
            mss,
            duplicates,
            departed,
            flight,
            partial,
            credit,
        } = self;
        walk.same(*mss);
        walk.same(*duplicates);
        walk.same(*departed);
        walk.same(*flight);
        walk.same(*partial);
        walk.same(*credit);
    }

    /// Bytes that left the network according to duplicates.
    pub fn departed(&self) -> u64 {
        self.departed
    }

    /// FlightSize (RFC 5681) when the duplicates began.
    pub fn flight(&self) -> u64 {
        self.flight
    }

    /// A duplicate acknowledgement with `outstanding` bytes. True from the duplicate on that signals a
    /// loss.
    pub fn on_duplicate(&mut self, outstanding: u64) -> bool {
        if self.duplicates == 0 {
            self.flight = outstanding;
        }
        self.duplicates += 1;
        self.departed += self.mss;
        self.duplicates >= THRESHOLD
    }

    /// Bytes that a duplicate delivered: one segment, but never the first outstanding one, which is
    /// missing.
    pub fn deliver_duplicate(&mut self, outstanding: u64) -> u64 {
        let room = outstanding.saturating_sub(self.mss + self.credit);
        let delivered = self.mss.min(room);
        self.credit += delivered;
        delivered
    }

    /// Bytes of a newly acknowledged segment that no duplicate has counted. A retransmitted segment is
    /// the hole, which duplicates never count.
    pub fn uncounted(&mut self, len: u64, again: bool) -> u64 {
        let counted = if again { 0 } else { self.credit.min(len) };
        self.credit -= counted;
        len - counted
    }

    /// New data were acknowledged. `partial`: in fast recovery, and below `recover`.
    pub fn on_advance(&mut self, acked: u64, partial: bool) {
        self.partial = partial;
        if partial {
            // Deflate by the acknowledged bytes, add one segment (RFC 6582 section 3.2 step 3).
            self.departed = self.departed.saturating_sub(acked);
            if acked >= self.mss {
                self.departed += self.mss;
            }
        } else {
            self.reset();
        }
    }

    /// Forgets duplicates.
    pub fn reset(&mut self) {
        self.duplicates = 0;
        self.departed = 0;
        self.partial = false;
    }

    /// Whether a partial acknowledgement came before: only the first restarts the retransmission
    /// timer (the impatient variant, RFC 6582 section 4).
    pub fn had_partial(&self) -> bool {
        self.partial
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten segments are out and the first is lost: nine duplicates count nine segments, and no more
    /// whatever comes. The retransmission counts itself, the nine behind it were counted.
    #[test]
    fn nothing_is_delivered_twice() {
        let mut newreno = NewReno::new(1000);
        let counted = (0..12)
            .map(|_| newreno.deliver_duplicate(10_000))
            .sum::<u64>();
        assert_eq!(counted, 9_000);
        assert_eq!(newreno.uncounted(1000, true), 1000);
        let behind = (0..9).map(|_| newreno.uncounted(1000, false)).sum::<u64>();
        assert_eq!(behind, 0);
        assert_eq!(newreno.uncounted(1000, false), 1000);
    }

    /// RFC 5681 3.2: the third duplicate tells of a loss. Each is a segment that has left; the flight is that before the first.
    #[test]
    fn the_third_duplicate_signals_a_loss() {
        let mut newreno = NewReno::new(1000);
        let told = [10_000, 11_000, 12_000].map(|outstanding| newreno.on_duplicate(outstanding));
        assert_eq!(told, [false, false, true]);
        assert_eq!((newreno.departed(), newreno.flight()), (3000, 10_000));
        // After new data they count from nought.
        newreno.on_advance(5000, false);
        assert_eq!((newreno.departed(), newreno.on_duplicate(8000)), (0, false));
        assert_eq!(newreno.flight(), 8000);
    }

    /// RFC 6582 3.2, step 3: a partial acknowledgement takes back what it covers, and adds a segment if it covers one. The first is
    /// told from later ones.
    #[test]
    fn a_partial_acknowledgement_deflates_by_what_it_covers() {
        let mut newreno = NewReno::new(1000);
        for _ in 0..5 {
            newreno.on_duplicate(10_000);
        }
        assert!(!newreno.had_partial());
        for (acked, departed) in [(1000, 5000), (3000, 3000), (999, 2001)] {
            newreno.on_advance(acked, true);
            assert_eq!(newreno.departed(), departed, "{acked}");
            assert!(newreno.had_partial());
        }
        newreno.reset();
        assert!(!newreno.had_partial());
        assert_eq!((newreno.departed(), newreno.on_duplicate(1)), (0, false));
    }
}
