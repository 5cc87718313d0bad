//! Mean and deviation of the queue that a law watches, over time after the warm-up.

use backwater_transport::units::Time;

use super::Backlog;

/// Integrals of the packets that wait, and of their squares.
#[derive(Copy, Clone, Debug)]
pub struct QueueStatistics {
    /// Nothing counts before.
    from: Time,
    until: Time,
    sum: f64,
    squares: f64,
}

impl QueueStatistics {
    /// Statistics from an instant on.
    pub fn new(from: Time) -> QueueStatistics {
        QueueStatistics {
            from,
            until: from,
            sum: 0.0,
            squares: 0.0,
        }
    }

    /// Reads a word.
    #[inline]
    pub(crate) fn prefetch(&self) -> u64 {
        self.until.0
    }

    /// The backlog has been this up to now.
    #[inline]
    pub fn stood(&mut self, backlog: Backlog, now: Time) {
        if now <= self.until {
            return;
        }
        // Most packets find an empty queue, which adds nothing: the division of ticks into seconds is not for them.
        if backlog.packets > 0 {
            let time = now.since(self.until).seconds();
            let packets = backlog.packets as f64;
            self.sum += packets * time;
            self.squares += packets * packets * time;
        }
        self.until = now;
    }

    /// Packets: their mean over time, and the standard deviation; none before any time has passed.
    pub fn moments(&self) -> Option<(f64, f64)> {
        let time = self.until.since(self.from).seconds();
        (time > 0.0).then(|| {
            let mean = self.sum / time;
            let variance = self.squares / time - mean * mean;
            (mean, libm::sqrt(variance.max(0.0)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten packets for 3 s and two for 1 s: mean 8, variance 76 - 64 = 12. What was before the warm-up does not count.
    #[test]
    fn moments_weigh_by_time() {
        let at = |s| Time::ZERO.after(backwater_transport::units::Span::secs(s));
        let waiting = |packets| Backlog { bytes: 0, packets };
        let mut statistics = QueueStatistics::new(at(5));
        assert_eq!(statistics.moments(), None);
        statistics.stood(waiting(50), at(4));
        statistics.stood(waiting(10), at(8));
        statistics.stood(waiting(2), at(9));
        let (mean, deviation) = statistics.moments().unwrap();
        assert!((mean - 8.0).abs() < 1e-12 && (deviation - libm::sqrt(12.0)).abs() < 1e-12);
    }
}
