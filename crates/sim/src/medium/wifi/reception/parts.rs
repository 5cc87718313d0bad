//! The frames of a burst while it is received: which of them a collision damages.
//!
//! A collision with the preamble loses the whole PPDU; one that begins later loses the frames in whose time it falls. A
//! receiver that has one frame of the PPDU has its Duration field too.
//!
//! Under the physical channel bits fail as `hearing` has it, and each frame by its own. Preamble and signal fields are received wherever
//! the preamble was recognised.

use backwater_transport::random::Random;
use backwater_transport::units::Time;

use super::frame_set::FrameSet;

/// When the frames of a station's burst are on the air; empty for a frame alone, which its receiver has or has not.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// When each begins, ascending.
    pub begins: Vec<Time>,
}

/// The damage by collisions to the burst that a station receives.
#[derive(Clone, Debug)]
pub struct Hits {
    /// Since when another frame damages it; `NEVER` while none does.
    since: Time,
    /// The frames damaged before.
    pub frames: FrameSet,
}

impl Default for Hits {
    fn default() -> Hits {
        Hits {
            since: Time::NEVER,
            frames: FrameSet::default(),
        }
    }
}

impl Parts {
    /// Whether a PPDU has several frames.
    #[inline]
    pub fn is_burst(&self) -> bool {
        !self.begins.is_empty()
    }

    /// The place of the frame on the air at an instant, and when the next one begins.
    fn frame_at(&self, at: Time) -> (u16, Option<Time>) {
        let next = self.begins.partition_point(|begin| *begin <= at);
        (
            next.saturating_sub(1) as u16,
            self.begins.get(next).copied(),
        )
    }

    /// Whether this instant belongs to the preamble.
    fn in_preamble(&self, now: Time) -> bool {
        self.begins.first().is_some_and(|first| now < *first)
    }

    /// Frames of which some part lies between these instants.
    fn between(&self, from: Time, to: Time) -> std::ops::Range<usize> {
        let first = self.begins.partition_point(|begin| *begin <= from);
        let last = self.begins.partition_point(|begin| *begin < to);
        first.saturating_sub(1)..last
    }
}

impl Hits {
    /// A burst begins to be received.
    pub fn begin(&mut self) {
        self.since = Time::NEVER;
        self.frames.clear();
    }

    /// Other frames damage the burst from now on. True where the whole PPDU is lost.
    pub fn open(&mut self, parts: &Parts, now: Time) -> bool {
        self.since = self.since.min(now);
        parts.in_preamble(now)
    }

    /// Other frames no longer damage it.
    pub fn close(&mut self, parts: &Parts, now: Time) {
        if self.since < now {
            for frame in parts.between(self.since, now) {
                self.frames.insert(frame as u16);
            }
        }
        self.since = Time::NEVER;
    }

    /// The burst ends. True where no frame of it is whole.
    pub fn end(&mut self, parts: &Parts, now: Time) -> bool {
        self.close(parts, now);
        self.frames.len() as usize == parts.begins.len()
    }
}

/// A burst that a station receives under the physical channel.
#[derive(Clone, Debug, Default)]
pub struct Received {
    parts: Parts,
    /// Frames in which a bit has failed.
    pub failed: FrameSet,
}

impl Received {
    /// A burst begins to be received.
    pub fn begin(&mut self, parts: &Parts) {
        self.parts.begins.clone_from(&parts.begins);
        self.failed.clear();
    }

    /// Marks the frames in which a bit has failed by now, where bits failed at `rate` by tick since `suspect`. At `suspect` one may have: it was
    /// drawn for `bound`. Errors have no memory, so behind a frame that is damaged the process begins anew. True where no frame is whole.
    pub fn settle(
        &mut self,
        random: &mut Random,
        (bound, rate): (f64, f64),
        suspect: Time,
        now: Time,
    ) -> bool {
        let mut at = suspect;
        let mut fails = bound * random.unit() <= rate;
        loop {
            if fails {
                let (frame, next) = self.parts.frame_at(at);
                self.failed.insert(frame);
                match next {
                    Some(next) => at = next,
                    None => break,
                }
            }
            let after = random.exponential(1.0) / rate;
            if at >= now || after >= (now.0 - at.0) as f64 {
                break;
            }
            at = Time(at.0 + after as u64);
            fails = true;
        }
        self.failed.len() as usize == self.parts.begins.len()
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::units::Span;

    use super::*;

    fn us(n: u64) -> Time {
        Time::ZERO + Span::micros(n)
    }

    /// Four frames of 10 µs behind a preamble of 40 µs: those are damaged in whose time a collision falls.
    #[test]
    fn a_collision_damages_the_frames_in_whose_time_it_falls() {
        let parts = Parts {
            begins: [40, 50, 60, 70].map(us).to_vec(),
        };
        for (from, to, damaged) in [
            (55, 62, vec![1, 2]),
            (50, 60, vec![1]),
            (41, 42, vec![0]),
            (79, 80, vec![3]),
            (40, 80, vec![0, 1, 2, 3]),
        ] {
            let mut hits = Hits::default();
            hits.begin();
            assert!(!hits.open(&parts, us(from)), "{from}");
            hits.close(&parts, us(to));
            let all = hits.end(&parts, us(80));
            let found: Vec<u16> = (0..4).filter(|n| hits.frames.contains(*n)).collect();
            assert_eq!(found, damaged, "{from} to {to}");
            assert_eq!(all, damaged.len() == 4);
        }
        let mut hits = Hits::default();
        assert!(hits.open(&parts, us(39)), "a hit on the preamble loses all");
    }

    /// Bits fail at 50 a millisecond, drawn for the same bound or for twice as much. A frame of n us is whole with a chance of exp(-n / 20), each for
    /// itself; all four fail with the product of their chances.
    #[test]
    fn frames_of_a_burst_fail_each_for_itself() {
        let parts = Parts {
            begins: [40, 45, 55, 75].map(us).to_vec(),
        };
        let lasts = [5.0, 10.0, 20.0, 40.0];
        let ends = us(115);
        let rate = 1.0 / Span::micros(20).0 as f64;
        let mut random = Random::stream(5, "burst", "a");
        for bound in [rate, 2.0 * rate] {
            let (runs, mut failed, mut all) = (40_000, [0.0; 4], 0.0);
            for _ in 0..runs {
                let mut burst = Received::default();
                burst.begin(&parts);
                let after = random.exponential(1.0) / bound;
                let suspect = Time(us(40).0 + after as u64);
                if suspect < ends {
                    let lost = burst.settle(&mut random, (bound, rate), suspect, ends);
                    assert_eq!(lost, burst.failed.len() == 4);
                }
                for (frame, failed) in (0..4).zip(&mut failed) {
                    *failed += f64::from(u8::from(burst.failed.contains(frame)));
                }
                all += f64::from(u8::from(burst.failed.len() == 4));
            }
            let chances = lasts.map(|us: f64| -libm::expm1(-us / 20.0));
            let product: f64 = chances.iter().product();
            let (found, expected) = (
                failed.iter().chain([&all]),
                chances.iter().chain([&product]),
            );
            for (found, chance) in found.zip(expected) {
                let error = libm::sqrt(f64::from(runs) * chance * (1.0 - chance));
                let off = found - f64::from(runs) * chance;
                assert!(off.abs() < 4.0 * error, "{found}, not {chance}");
            }
        }
    }
}
