//! Round-trip time and the retransmission timeout (RFC 6298).
//!
//! The caller of `sample` excludes ambiguous samples (Karn).

use crate::units::Span;
use crate::walk::Walk;

/// Timeout before the first sample (RFC 6298 section 2.1).
const INITIAL: Span = Span::secs(1);
/// Longest timeout (section 2.5).
const LONGEST: Span = Span::secs(60);
/// Clock granularity G (section 2.3).
const GRANULARITY: Span = Span::millis(1);

/// The estimator.
#[derive(Clone, Debug)]
pub struct Rtt {
    srtt: Span,
    rttvar: Span,
    least: Span,
    sampled: bool,
    floor: Span,
    timeout: Span,
    backoff: u32,
    /// The latest sample; `Span::MAX` before the first.
    pub latest: Span,
    /// The round trip that samples give while a caller alters them.
    pub instead: Option<Span>,
}

impl Rtt {
    /// An estimator whose timeout is never below `floor` (1 s in section 2.4; 200 ms in Linux).
    pub fn new(floor: Span) -> Rtt {
        Rtt {
            srtt: Span::ZERO,
            rttvar: Span::ZERO,
            least: Span::MAX,
            sampled: false,
            floor,
            timeout: INITIAL.max(floor),
            backoff: 0,
            latest: Span::MAX,
            instead: None,
        }
    }

    /// The round trip that a measurement gives: itself, unless a caller alters it.
    #[inline(always)]
    pub fn told(&mut self, measured: Span) -> Span {
        self.latest = self.instead.unwrap_or(measured);
        self.latest
    }

    /// Takes a sample into the smoothed values (sections 2.2 and 2.3). It ends the back-off.
    pub fn sample(&mut self, rtt: Span) {
        if self.sampled {
            let difference = Span(self.srtt.0.abs_diff(rtt.0));
            self.rttvar = Span(self.rttvar.0 - self.rttvar.0 / 4 + difference.0 / 4);
            self.srtt = Span(self.srtt.0 - self.srtt.0 / 8 + rtt.0 / 8);
        } else {
            self.sampled = true;
            self.srtt = rtt;
            self.rttvar = Span(rtt.0 / 2);
        }
        self.timeout = self.estimate();
        self.backoff = 0;
    }

    /// The timeout of the present estimates (section 2.3).
    fn estimate(&self) -> Span {
        let estimate = self.srtt + self.rttvar.times(4).max(GRANULARITY);
        estimate.max(self.floor).min(LONGEST)
    }

    /// The timeout is never below another floor from now on. Timers that run go off as they were set.
    pub fn set_floor(&mut self, floor: Span) {
        self.floor = floor;
        self.timeout = match self.sampled {
            true => self.estimate(),
            false => INITIAL.max(floor),
        };
    }

    /// Takes a sample into the minimum only.
    pub fn observe(&mut self, rtt: Span) {
        self.least = self.least.min(rtt);
    }

    /// The timer expired: the next timeout is twice as long (section 5.5).
    pub fn back_off(&mut self) {
        self.backoff = self.backoff.saturating_add(1);
    }

    /// Retransmission timeout now.
    pub fn timeout(&self) -> Span {
        self.timeout
            .times(1 << self.backoff.min(16))
            .min(LONGEST)
            .max(self.floor)
    }

    /// With constant round trips the estimates come to rest, since they are whole numbers of ticks.
    pub(crate) fn walk(&self, walk: &mut Walk) {
        let Rtt {
            srtt,
            rttvar,
            least,
            sampled,
            floor,
            timeout,
            backoff,
            latest,
            instead,
        } = self;
        for span in [srtt, rttvar, least, floor, timeout, latest] {
            walk.same(span.0);
        }
        walk.same(*sampled);
        walk.same(*backoff);
        walk.same(instead.map_or(u64::MAX, |span| span.0));
    }

    /// Smoothed round trip; zero before the first sample.
    pub fn srtt(&self) -> Span {
        self.srtt
    }

    /// Least round trip seen; `Span::MAX` before the first.
    pub fn min(&self) -> Span {
        self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6298 by hand: 100 ms then 200 ms. SRTT = 112.5, RTTVAR = 3/4·50 + 1/4·100 = 62.5.
    #[test]
    fn two_samples_by_hand() {
        let mut rtt = Rtt::new(Span::ZERO);
        assert_eq!(rtt.timeout(), Span::secs(1));
        rtt.sample(Span::millis(100));
        assert_eq!(rtt.timeout(), Span::millis(100 + 4 * 50));
        rtt.sample(Span::millis(200));
        assert_eq!(rtt.srtt(), Span::micros(112_500));
        assert_eq!(rtt.timeout(), Span::micros(112_500 + 4 * 62_500));
    }

    #[test]
    fn the_floor_the_back_off_and_the_cap() {
        let mut rtt = Rtt::new(Span::secs(1));
        rtt.sample(Span::millis(10));
        assert_eq!(rtt.timeout(), Span::secs(1));
        rtt.back_off();
        rtt.back_off();
        assert_eq!(rtt.timeout(), Span::secs(4));
        for _ in 0..100 {
            rtt.back_off();
        }
        assert_eq!(rtt.timeout(), Span::secs(60));
        rtt.sample(Span::millis(10));
        assert_eq!(rtt.timeout(), Span::secs(1));
    }

    /// With RTTVAR = 0 the timeout stays G above SRTT.
    #[test]
    fn granularity_keeps_the_timeout_above_the_round_trip() {
        let mut rtt = Rtt::new(Span::ZERO);
        for _ in 0..1000 {
            rtt.sample(Span::millis(50));
        }
        assert_eq!(rtt.timeout(), Span::millis(51));
    }
}
