//! The age of the newest packet delivered: what a receiver suffers of delay, outages included. Sampled at
//! each whole millisecond from the first delivery on, after the deliveries of that millisecond.
//!
//! Reference: the scripts of the 2013 contest and of Sprout: age(t) = t - (creation of the newest packet
//! delivered by t); its 95th percentile is index int(0.95 n). Throughput there is what was delivered,
//! over the creation of the newest packet delivered.

use std::ops::RangeInclusive;

use backwater_transport::units::{Span, Time};

const MILLISECOND: u64 = Span::millis(1).0;

/// Ages of one flow.
#[derive(Clone, Debug, Default)]
pub struct Age {
    /// Creation of the newest packet delivered.
    newest: Option<Time>,
    /// The first millisecond that was sampled since counting began.
    first: u64,
    /// The next millisecond to be sampled.
    next: u64,
    /// Samples by age in whole milliseconds.
    counts: Vec<u32>,
    /// When counting began.
    from: Time,
    /// Packets and IP bytes delivered since.
    packets: u64,
    bytes: u64,
}

impl Age {
    /// A packet created at `born` is delivered now.
    pub fn deliver(&mut self, born: Time, now: Time, bytes: u64) {
        match self.newest {
            // Before, nothing has an age.
            None => {
                self.next = now.0.div_ceil(MILLISECOND);
                self.first = self.next;
            }
            Some(_) => self.sample(now.0.div_ceil(MILLISECOND)),
        }
        self.newest = self.newest.max(Some(born));
        self.packets += 1;
        self.bytes += bytes;
    }

    /// Samples every millisecond before `until`.
    fn sample(&mut self, until: u64) {
        let Some(newest) = self.newest else { return };
        while self.next < until {
            let age = ((self.next * MILLISECOND - newest.0) / MILLISECOND) as usize;
            if self.counts.len() <= age {
                self.counts.resize(age + 1, 0);
            }
            self.counts[age] += 1;
            self.next += 1;
        }
    }

    /// Counting begins anew.
    pub fn warm(&mut self, now: Time) {
        self.sample(now.0.div_ceil(MILLISECOND));
        self.counts.clear();
        (self.from, self.first) = (now, self.next);
        (self.packets, self.bytes) = (0, 0);
    }

    /// The milliseconds that were sampled by the end of a run; none where nothing was delivered.
    pub fn sampled(&self, now: Time) -> Option<RangeInclusive<u64>> {
        self.newest.map(|_| self.first..=now.0 / MILLISECOND)
    }

    /// The 95th percentile at the end of a run, seconds.
    pub fn p95_s(&self, now: Time) -> Option<f64> {
        let mut all = self.clone();
        all.sample(now.0 / MILLISECOND + 1);
        let total: u64 = all.counts.iter().map(|c| u64::from(*c)).sum();
        let mut left = total * 95 / 100;
        for (age, count) in all.counts.iter().enumerate() {
            if left < u64::from(*count) {
                return Some(age as f64 / 1000.0);
            }
            left -= u64::from(*count);
        }
        None
    }

    /// Bits of packets with so many bytes besides their IP bytes, for each second from the beginning of
    /// counting to the creation of the newest.
    pub fn throughput_bps(&self, overhead: u64) -> Option<f64> {
        let span = self.newest?.0.checked_sub(self.from.0).filter(|s| *s > 0)?;
        let bits = (self.bytes + overhead * self.packets) as f64 * 8.0;
        Some(bits / Span(span).seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Time {
        Time(n * MILLISECOND)
    }

    #[test]
    fn ages_grow_by_the_millisecond_until_something_newer_comes() {
        // Created at 0 and delivered at 40, created at 50 and delivered at 60: ages 40..=59, then 10.
        let mut age = Age::default();
        age.deliver(ms(0), ms(40), 1000);
        age.deliver(ms(50), ms(60), 1000);
        assert_eq!(age.counts.iter().map(|c| u64::from(*c)).sum::<u64>(), 20);
        // 21 samples, 10 and 40..=59: index int(19.95) = 19 is 58.
        assert_eq!(age.p95_s(ms(60)), Some(0.058));
        // 2 × 1014 B in 50 ms.
        assert_eq!(age.throughput_bps(14), Some(2.0 * 1014.0 * 8.0 / 0.05));
        // An older packet that comes later changes no age.
        age.deliver(ms(45), ms(61), 1000);
        assert_eq!(age.newest, Some(ms(50)));
        age.warm(ms(100));
        assert_eq!(age.p95_s(ms(100)), Some(0.05));
    }

    #[test]
    fn nothing_delivered_has_no_age() {
        assert_eq!(Age::default().p95_s(ms(10)), None);
        assert_eq!(Age::default().throughput_bps(14), None);
    }
    /// A packet created at 50 ms is the newest up to 130 ms, and then one that was created with the warm-up's end, 100 ms: ages from 50
    /// to 79 and 30. Index int(0.95 · 31) = 29 of them is 78.
    #[test]
    fn counting_begins_anew_with_the_end_of_the_warm_up() {
        let mut age = Age::default();
        assert_eq!(age.sampled(ms(60)), None);
        age.deliver(ms(0), ms(40), 1000);
        assert_eq!(age.sampled(ms(60)), Some(40..=60));
        age.deliver(ms(50), ms(60), 1000);
        age.warm(ms(100));
        assert_eq!(age.sampled(Time(ms(121).0 - 1)), Some(100..=120));
        assert_eq!(age.throughput_bps(14), None, "created before");
        age.deliver(ms(100), ms(130), 700);
        assert_eq!(age.throughput_bps(14), None, "no time has passed");
        assert_eq!(age.p95_s(ms(130)), Some(0.078));
        age.deliver(Time(ms(100).0 + 1), ms(130), 300);
        let bits = (700.0 + 300.0 + 2.0 * 14.0) * 8.0;
        assert_eq!(age.throughput_bps(14), Some(bits / 1e-12));
        assert_eq!(age.sampled(ms(140)), Some(100..=140));
    }

    /// A delivery within a millisecond counts from the next whole one on; one at a whole millisecond from that.
    #[test]
    fn ages_are_those_of_whole_milliseconds() {
        let first = |at: u64| {
            let mut age = Age::default();
            age.deliver(Time(0), Time(at), 1);
            age.sampled(ms(9)).map(|all| *all.start())
        };
        assert_eq!(first(3 * MILLISECOND), Some(3));
        assert_eq!(first(3 * MILLISECOND + 1), Some(4));
        // A hundred samples of 1 to 100 ms: index 95 is 96.
        let mut age = Age::default();
        age.deliver(ms(0), ms(1), 1);
        assert_eq!(age.p95_s(ms(100)), Some(0.096));
        assert_eq!(age.p95_s(Time(ms(101).0 - 1)), Some(0.096));
        assert_eq!(age.p95_s(ms(101)), Some(0.096));
        assert_eq!(age.p95_s(ms(0)), None);
    }
}
