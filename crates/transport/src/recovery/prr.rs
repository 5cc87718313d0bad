//! Proportional rate reduction (RFC 9937): the bytes that may leave for each acknowledgement of a
//! recovery, so that the flight reaches ssthresh at its end without silence or burst.

use crate::walk::Walk;

/// Rounding error of a whole number of segments.
const ROUNDING: f64 = 1e-9;

/// One recovery.
#[derive(Clone, Debug)]
pub struct Prr {
    mss: u64,
    /// RecoverFS: bytes in flight when recovery began.
    flight: u64,
    delivered: u64,
    out: u64,
    window: u64,
}

impl Prr {
    pub(crate) fn walk(&self, walk: &mut Walk) {
        let Prr {
            mss,
            flight,
            delivered,
            out,
            window,
        } = self;
        for bytes in [mss, flight, delivered, out, window] {
            walk.same(*bytes);
        }
    }

    /// Recovery begins with `flight` bytes that were not acknowledged before the acknowledgement that
    /// showed the loss.
    pub fn new(mss: u64, flight: u64) -> Prr {
        Prr {
            mss,
            flight: flight.max(mss),
            delivered: 0,
            out: 0,
            window: 0,
        }
    }

    /// Bytes that may be in flight.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// An acknowledgement that delivers `delivered` bytes. `safe`: it moved the left edge and showed no
    /// further loss.
    pub fn on_ack(&mut self, delivered: u64, in_flight: u64, threshold: u64, safe: bool) {
        if delivered == 0 {
            return;
        }
        self.delivered += delivered;
        let more = if in_flight > threshold {
            let share = self.delivered as f64 * (threshold as f64 / self.flight as f64);
            // Rounded up as in the RFC, but to whole segments, because no partial segment may leave.
            let segments = libm::ceil(share / self.mss as f64 - ROUNDING) as u64;
            (segments * self.mss).saturating_sub(self.out)
        } else {
            let bound = self.delivered.saturating_sub(self.out).max(delivered);
            let bound = if safe { bound + self.mss } else { bound };
            bound.min(threshold - in_flight)
        };
        self.allow(in_flight, more);
    }

    /// Recovery begins at a timer, without an acknowledgement: the first retransmission leaves.
    pub fn on_timer(&mut self, in_flight: u64) {
        self.allow(in_flight, 0);
    }

    fn allow(&mut self, in_flight: u64, more: u64) {
        // The fast retransmit itself always leaves.
        let more = if self.out == 0 && more == 0 {
            self.mss
        } else {
            more
        };
        self.window = in_flight + more;
    }

    /// Bytes have left.
    pub fn on_sent(&mut self, len: u64) {
        self.out += len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RecoverFS 100, threshold 50, a segment delivered by each acknowledgement: one transmission for
    /// every two acknowledgements, and the flight ends at 50 ± 1. Step by step (segments of 1): the
    /// loss of one is told by the acknowledgement of another, so 98 fly; ⌈1·50/100⌉ − 0 = 1 may leave
    /// (the retransmission); ⌈2·50/100⌉ − 1 = 0; ⌈3·50/100⌉ − 1 = 1; …
    #[test]
    fn one_transmission_for_two_acknowledgements() {
        let mut prr = Prr::new(1, 100);
        let mut flight = 98;
        let mut pattern = Vec::new();
        for n in 0..99 {
            if n > 0 {
                flight -= 1;
            }
            prr.on_ack(1, flight, 50, false);
            let leaves = prr.window() - flight;
            prr.on_sent(leaves);
            flight += leaves;
            pattern.push(leaves);
        }
        assert_eq!(&pattern[..8], [1, 0, 1, 0, 1, 0, 1, 0]);
        assert!(pattern.iter().all(|p| *p <= 1));
        assert_eq!(pattern.iter().sum::<u64>(), 50);
        assert!(flight.abs_diff(50) <= 1, "{flight}");
    }

    /// Below the threshold (heavy losses) PRR-SSRB: 60 of 100 are lost at once, 39 still fly after
    /// the first acknowledgement. Conservative bound without a safe acknowledgement: one for one.
    /// With a safe one: one more each, up to the threshold.
    #[test]
    fn slow_start_bound_only_on_safe_acknowledgements() {
        let mut prr = Prr::new(1, 100);
        prr.on_ack(1, 39, 50, false);
        assert_eq!(prr.window(), 40);
        prr.on_sent(1);
        prr.on_ack(1, 39, 50, true);
        assert_eq!(prr.window(), 41);
        prr.on_sent(2);
        prr.on_ack(1, 40, 50, true);
        assert_eq!(prr.window(), 42);
        prr.on_sent(2);
        // prr_delivered = 13, prr_out = 5: the bound is 10, as far as the threshold lets it.
        prr.on_ack(10, 32, 50, false);
        assert_eq!(prr.window(), 42);
        prr.on_sent(10);
        prr.on_ack(1, 49, 50, true);
        assert_eq!(prr.window(), 50);
    }

    /// An acknowledgement that delivers nothing changes nothing; the first retransmission always
    /// leaves.
    #[test]
    fn nothing_delivered_nothing_changed() {
        let mut prr = Prr::new(1000, 10_000);
        prr.on_timer(9_000);
        assert_eq!(prr.window(), 10_000);
        prr.on_sent(1000);
        prr.on_ack(0, 10_000, 5_000, false);
        assert_eq!(prr.window(), 10_000);
    }

    /// RFC 9937: the proportional part is for a flight above ssthresh. At it nothing may leave but the fast retransmit.
    #[test]
    fn a_flight_at_the_threshold_has_no_room() {
        let mut prr = Prr::new(1, 100);
        prr.on_ack(10, 50, 50, false);
        assert_eq!(prr.window(), 51);
        prr.on_sent(1);
        prr.on_ack(10, 50, 50, false);
        assert_eq!(prr.window(), 50);
    }
}
