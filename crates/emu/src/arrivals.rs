//! Since when a packet may have waited in its device before the driver read it. The kernel doesn't say when a packet came, so the
//! certificate counts from the earliest instant that the driver can't exclude:
//!
//! * a packet that is found while looking may have come right after the last look that found the device empty;
//! * one that is found after a sleep may have ended that sleep, and counts from its end; where the sleep lasted beyond the end that
//!   was asked for, from that end: a driver that is stopped, or not scheduled, oversleeps.
//!
//! The time between a look and a sleep belongs to neither. So a driver that was away for longer than a moment looks again before it
//! sleeps.

use backwater_transport::units::{Span, Time};

/// So long after a look a driver looks again before it sleeps.
const MOMENT: Span = Span::micros(250);

/// The devices of a driver, by place.
#[derive(Debug)]
pub struct Arrivals {
    /// Since when what is read now may have waited, and whether the last look emptied the device.
    devices: Vec<(Time, bool)>,
}

impl Arrivals {
    /// Of so many devices, all empty at the start of the clock.
    pub fn new(devices: usize) -> Arrivals {
        Arrivals {
            devices: vec![(Time::ZERO, true); devices],
        }
    }

    /// A look found the device of a place empty.
    pub fn found_empty(&mut self, place: usize, now: Time) {
        self.devices[place] = (now, true);
    }

    /// A look ended before the device of a place was empty: what is left there has waited for an unknown time.
    pub fn left_some(&mut self, place: usize) {
        self.devices[place].1 = false;
    }

    /// A sleep that was to end at `asked` ended at `woke`.
    pub fn slept(&mut self, asked: Time, woke: Time) {
        for (since, _) in self.devices.iter_mut().filter(|(_, empty)| *empty) {
            *since = (*since).max(asked.min(woke));
        }
    }

    /// How long a packet that is read now may have waited at most.
    pub fn waited(&self, place: usize, now: Time) -> Span {
        now.since(self.devices[place].0)
    }

    /// Whether the last look is so long ago that a sleep now could hide how long a packet has waited.
    pub fn look_again(&self, now: Time) -> bool {
        let mut devices = self.devices.iter();
        devices.any(|(since, _)| now > since.after(MOMENT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO.after(Span::micros(us))
    }

    #[test]
    fn a_packet_that_is_found_while_looking_counts_from_the_last_empty_look() {
        let mut arrivals = Arrivals::new(2);
        arrivals.found_empty(0, at(100));
        arrivals.found_empty(1, at(101));
        // Stopped for 0.4 s between two looks.
        assert_eq!(arrivals.waited(0, at(400_100)), Span::millis(400));
        assert!(arrivals.look_again(at(400_100)));
        assert!(!arrivals.look_again(at(150)));
        // A device that is read in parts keeps its instant.
        arrivals.left_some(0);
        arrivals.slept(at(500_000), at(500_000));
        assert_eq!(arrivals.waited(0, at(500_000)), Span::micros(499_900));
        assert_eq!(arrivals.waited(1, at(500_000)), Span::ZERO);
    }

    #[test]
    fn a_sleep_that_ends_in_time_hides_nothing_and_one_that_does_not_counts_from_its_end() {
        let mut arrivals = Arrivals::new(1);
        arrivals.found_empty(0, at(1000));
        // A packet ends a sleep after an idle second: it has not waited for that second.
        arrivals.slept(at(2_000_000), at(1_500_000));
        assert_eq!(arrivals.waited(0, at(1_500_010)), Span::micros(10));
        // A sleep of 5 ms lasted for 405.
        arrivals.found_empty(0, at(1_500_020));
        arrivals.slept(at(1_505_020), at(1_905_020));
        assert_eq!(arrivals.waited(0, at(1_905_020)), Span::millis(400));
        // A sleep that was asked to end before it began gives no packet more time than the last look.
        arrivals.found_empty(0, at(2_000_000));
        arrivals.slept(at(1_900_000), at(2_000_001));
        assert_eq!(arrivals.waited(0, at(2_000_001)), Span::micros(1));
    }
}
