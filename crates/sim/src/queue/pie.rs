//! Detects: the queueing delay, against a reference and against itself a period ago.
//! Tells: drops or marks on arrival, with a probability that a proportional-integral controller
//! moves every period; bursts after calm are let through.
//! Responds: left to the sender's controller.
//! Reference: RFC 8033 sections 4 and 5, appendix A.
//! Differences: the delay is that of the frame that left last (section 5.2 leaves the choice);
//! `delay = "departure-rate"` estimates it from the backlog as appendix A does. What section 5
//! calls optional is an option: `cap` (5.5), `derandomise` (5.4); ECN with its limit (5.1) is `ecn`.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::aqm::{Aqm, Frame, Verdict, Waiting};
use super::row::{Build, ECN};
use crate::knob::Knob;

/// Gains of the integral and of the proportional part, per second.
const ALPHA: f64 = 0.125;
const BETA: f64 = 1.25;
/// Marks are given below this probability only.
const MARK_BELOW: f64 = 0.1;
/// Bytes over which a departure rate is measured.
const MEASURE: u64 = 1 << 14;
/// Weight of a new measurement of it.
const MEASURE_WEIGHT: f64 = 0.25;

/// The controller and what it measures.
#[derive(Clone, Debug)]
pub struct Pie {
    reference: Span,
    period: Span,
    max_burst: Span,
    mark: bool,
    cap: bool,
    derandomise: bool,
    meter: Option<Meter>,
    probability: f64,
    delay: f64,
    old: f64,
    burst: Span,
    accumulated: f64,
    due: Time,
}

/// The departure rate (RFC 8033 section 4.3).
#[derive(Clone, Debug, std::default::Default)]
struct Meter {
    since: Option<Time>,
    left: u64,
    /// Seconds for `MEASURE` bytes.
    average: f64,
}

impl Meter {
    fn leave(&mut self, frame: &Frame) {
        if self.since.is_none() && frame.bytes >= MEASURE {
            (self.since, self.left) = (Some(frame.now), 0);
        }
        let Some(since) = self.since else { return };
        self.left += frame.size;
        if self.left < MEASURE {
            return;
        }
        let took = frame.now.since(since).seconds();
        self.average = if self.average == 0.0 {
            took
        } else {
            self.average + MEASURE_WEIGHT * (took - self.average)
        };
        self.since = None;
    }
}

impl Pie {
    /// The change of a period is divided by this, so that a small probability moves gently.
    fn divisor(probability: f64) -> f64 {
        match probability {
            p if p < 1e-6 => 2048.0,
            p if p < 1e-5 => 512.0,
            p if p < 1e-4 => 128.0,
            p if p < 1e-3 => 32.0,
            p if p < 1e-2 => 8.0,
            p if p < 1e-1 => 2.0,
            _ => 1.0,
        }
    }

    /// A period is over; the queueing delay now, in seconds.
    fn period(&mut self, delay: f64) {
        let integral = ALPHA * (delay - self.reference.seconds());
        let mut change = integral + BETA * (delay - self.old);
        change /= Pie::divisor(self.probability);
        if self.cap && self.probability >= 0.1 {
            change = change.min(0.02);
        }
        let mut p = self.probability + change;
        if delay == 0.0 && self.old == 0.0 {
            p *= 0.98;
        }
        self.probability = p.clamp(0.0, 1.0);
        self.old = delay;
        self.burst = Span(self.burst.0.saturating_sub(self.period.0));
    }

    fn calm(&self) -> bool {
        let half = self.reference.seconds() / 2.0;
        self.probability == 0.0 && self.delay < half && self.old < half
    }

    /// Whether this arrival is to be punished.
    fn early(&mut self, frame: &Frame, random: &mut Random) -> bool {
        let half = self.reference.seconds() / 2.0;
        if self.old < half && self.probability < 0.2 || frame.packets <= 2 {
            return false;
        }
        if self.derandomise {
            if self.probability == 0.0 {
                self.accumulated = 0.0;
            }
            self.accumulated += self.probability;
            if self.accumulated < 0.85 {
                return false;
            }
            if self.accumulated >= 8.5 {
                self.accumulated = 0.0;
                return true;
            }
        }
        let hit = self.probability > 0.0 && random.unit() <= self.probability;
        if hit {
            self.accumulated = 0.0;
        }
        hit
    }
}

impl Aqm for Pie {
    fn knob(&mut self) -> Option<Knob<'_>> {
        Some(Knob::target("reference", &mut self.reference))
    }

    fn update(&mut self, now: Time, waiting: &Waiting) {
        while self.due <= now {
            if let Some(meter) = &self.meter {
                self.delay = waiting.bytes() as f64 * meter.average / MEASURE as f64;
            }
            let delay = self.delay;
            self.period(delay);
            self.due += self.period;
            if self.probability == 0.0 && delay == 0.0 && self.old == 0.0 && self.due <= now {
                // Nothing moves any more but the burst allowance.
                let missed = now.since(self.due).0 / self.period.0;
                self.burst = Span(self.burst.0.saturating_sub(self.period.times(missed).0));
                self.due += self.period.times(missed);
            }
        }
    }

    fn push(&mut self, frame: &Frame, random: &mut Random) -> Verdict {
        if self.calm() {
            self.burst = self.max_burst;
        }
        if self.burst > Span::ZERO || !self.early(frame, random) {
            return Verdict::Accept;
        }
        frame.punish(self.mark && self.probability < MARK_BELOW)
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        match &mut self.meter {
            Some(meter) => meter.leave(frame),
            None if frame.packets == 0 => self.delay = 0.0,
            None => self.delay = frame.sojourn.seconds(),
        }
        Verdict::Accept
    }
}

/// The row.
pub const PART: Part<Build<Pie>> = Part {
    id: "pie",
    aliases: &[],
    summary: "PIE: drops or marks on arrival, by a controller of the queueing delay",
    source: "RFC 8033; DOCSIS: RFC 8034",
    options: &[
        REFERENCE,
        Opt::new(
            "period",
            Kind::Span,
            Default::Is("15 ms"),
            "time between changes of the probability",
        )
        .at_least("100 us")
        .at_most("10 s"),
        MAX_BURST,
        Opt::new(
            "delay",
            Kind::Choice(&["sojourn", "departure-rate"]),
            Default::Is("sojourn"),
            "delay of the frame that left last, or backlog over a measured departure rate",
        ),
        Opt::new(
            "cap",
            Kind::Flag,
            Default::Is("false"),
            "raise a probability of 10 % and more by at most 2 % in a period",
        ),
        Opt::new(
            "derandomise",
            Kind::Flag,
            Default::Is("false"),
            "no drop soon after the last, none too late",
        ),
        ECN,
    ],
    build: |args| {
        Ok(Pie {
            reference: args.span("reference"),
            period: args.span("period"),
            max_burst: args.span("max_burst"),
            mark: args.flag("ecn"),
            cap: args.flag("cap"),
            derandomise: args.flag("derandomise"),
            meter: (args.choice("delay") == "departure-rate").then(Meter::default),
            probability: 0.0,
            delay: 0.0,
            old: 0.0,
            burst: Span::ZERO,
            accumulated: 0.0,
            due: Time::ZERO + args.span("period"),
        }
        .into())
    },
};

/// Option `reference`.
pub(super) const REFERENCE: Opt = Opt::new(
    "reference",
    Kind::Span,
    Default::Is("15 ms"),
    "queueing delay that is aimed at",
)
.at_least("1 us")
.at_most("100 s");
/// Option `max_burst`.
pub(super) const MAX_BURST: Opt = Opt::new(
    "max_burst",
    Kind::Span,
    Default::Is("150 ms"),
    "how long a burst after calm is let through",
)
.at_most("100 s");

#[cfg(test)]
mod test_edges;
#[cfg(test)]
mod tests {
    use super::*;

    fn pie(probability: f64, old: f64) -> Pie {
        Pie {
            reference: Span::millis(15),
            period: Span::millis(15),
            max_burst: Span::millis(150),
            mark: true,
            cap: false,
            derandomise: false,
            meter: None,
            probability,
            delay: 0.0,
            old,
            burst: Span::ZERO,
            accumulated: 0.0,
            due: Time(Span::millis(15).0),
        }
    }

    /// Reference 15 ms, p = 0.05, delay 25 ms after 20 ms: (0.125 × 0.010 + 1.25 × 0.005) ÷ 2.
    #[test]
    fn a_period_moves_the_probability_as_published() {
        let mut p = pie(0.05, 0.020);
        p.period(0.025);
        assert!((p.probability / 0.053_75 - 1.0).abs() < 1e-9);
        // 2048, 512, … 1: the same delays, in every decade.
        for (from, divisor) in [
            (0.0, 2048.0),
            (5e-6, 512.0),
            (5e-5, 128.0),
            (5e-4, 32.0),
            (5e-3, 8.0),
            (0.5, 1.0),
        ] {
            let mut p = pie(from, 0.020);
            p.period(0.025);
            let change = 0.0075 / divisor;
            assert!(
                ((p.probability - from) / change - 1.0).abs() < 1e-9,
                "{from}"
            );
        }
    }

    /// RFC 8033 section 4.2: the factor at the ends of each decade, which belong to the upper one.
    #[test]
    fn the_divisor_steps_at_each_power_of_ten() {
        for (p, below, from) in [
            (1e-6, 2048.0, 512.0),
            (1e-5, 512.0, 128.0),
            (1e-4, 128.0, 32.0),
            (1e-3, 32.0, 8.0),
            (1e-2, 8.0, 2.0),
            (1e-1, 2.0, 1.0),
        ] {
            assert_eq!(Pie::divisor(p * 0.999), below, "below {p}");
            assert_eq!(Pie::divisor(p), from, "from {p}");
        }
    }

    /// RFC 8033 section 5.1: packets are marked while the probability is below 10 %, and dropped from there.
    #[test]
    fn marks_are_given_below_ten_percent() {
        let mut random = Random::stream(1, "test", "pie");
        let frame = Frame {
            now: Time::ZERO,
            queue: 0,
            size: 1518,
            ecn: backwater_transport::segment::Ecn::Ect0,
            sojourn: Span::ZERO,
            bytes: 90_000,
            packets: 60,
        };
        for (probability, expected) in [
            (0.099, Verdict::Mark),
            (0.1, Verdict::Drop),
            (0.4, Verdict::Drop),
        ] {
            let mut p = pie(probability, 0.020);
            let told: Vec<_> = (0..1000)
                .map(|_| p.push(&frame, &mut random))
                .filter(|verdict| *verdict != Verdict::Accept)
                .collect();
            assert!(
                told.len() > 50 && told.iter().all(|one| *one == expected),
                "{probability}"
            );
        }
    }

    #[test]
    fn an_idle_queue_forgets() {
        let mut p = pie(0.5, 0.0);
        p.period(0.0);
        // (0.5 − 0.125 × 0.015) × 0.98
        assert!((p.probability / 0.488_162_5 - 1.0).abs() < 1e-9);
        let packets = crate::packet::Packets::default();
        let waiting = Waiting {
            queues: &[crate::queue::ClassQueue::default()],
            packets: &packets,
            sending: 0,
        };
        p.update(Time(Span::secs(3_000).0), &waiting);
        assert_eq!(p.probability, 0.0);
        assert_eq!(p.due, Time(Span::millis(3_000_015).0));
    }

    /// 16 packets of 1024 bytes a millisecond apart: 16 ms for 2¹⁴ bytes, so that 32,768 bytes wait
    /// 32 ms.
    #[test]
    fn the_departure_rate_is_measured_over_a_stretch_of_backlog() {
        let mut meter = Meter::default();
        let leave = |ms: u64| Frame {
            now: Time(Span::millis(ms).0),
            queue: 0,
            size: 1024,
            ecn: backwater_transport::segment::Ecn::NotEct,
            sojourn: Span::ZERO,
            bytes: 40_000,
            packets: 40,
        };
        // The first to leave opens the stretch; fifteen more complete it.
        (0..=15).for_each(|ms| meter.leave(&leave(ms)));
        assert!((meter.average - 0.015).abs() < 1e-12);
        (16..=31).for_each(|ms| meter.leave(&leave(ms + ms - 16)));
        assert!((meter.average - (0.015 + 0.25 * 0.015)).abs() < 1e-12);
    }

    #[test]
    fn bursts_after_calm_short_queues_and_low_delays_are_spared() {
        let mut random = Random::stream(1, "test", "pie");
        let frame = |packets: u64| Frame {
            now: Time::ZERO,
            queue: 0,
            size: 1518,
            ecn: backwater_transport::segment::Ecn::NotEct,
            sojourn: Span::ZERO,
            bytes: packets * 1518,
            packets,
        };
        let mut p = pie(1.0, 0.020);
        assert_eq!(p.push(&frame(3), &mut random), Verdict::Drop);
        assert_eq!(p.push(&frame(2), &mut random), Verdict::Accept);
        p.burst = Span::millis(1);
        assert_eq!(p.push(&frame(3), &mut random), Verdict::Accept);
        let mut low = pie(0.19, 0.007);
        assert!((0..1000).all(|_| low.push(&frame(9), &mut random) == Verdict::Accept));
        let mut calm = pie(0.0, 0.007);
        calm.push(&frame(9), &mut random);
        assert_eq!(calm.burst, Span::millis(150));
    }

    /// p = 0.1: the accumulated probability reaches 0.85 with the ninth arrival and 8.5 with the
    /// 85th, so gaps lie between 9 and 85.
    #[test]
    fn without_much_luck_drops_keep_their_distance() {
        let mut random = Random::stream(1, "test", "pie");
        let mut p = pie(0.1, 0.020);
        p.derandomise = true;
        let frame = Frame {
            now: Time::ZERO,
            queue: 0,
            size: 1518,
            ecn: backwater_transport::segment::Ecn::NotEct,
            sojourn: Span::ZERO,
            bytes: 90_000,
            packets: 60,
        };
        let mut gap = 0;
        let mut gaps = Vec::new();
        for _ in 0..20_000 {
            gap += 1;
            if p.push(&frame, &mut random) == Verdict::Drop {
                gaps.push(gap);
                gap = 0;
            }
        }
        assert!(gaps.len() > 500);
        assert_eq!(gaps.iter().min(), Some(&9));
        assert!(gaps.iter().all(|g| *g <= 85));
    }

    /// RFC 8033 section 5.5: from a probability of 10 % on a period adds 2 % at most. 0.5 s after nothing: 0.125 × 0.485 + 1.25 × 0.5.
    #[test]
    fn a_capped_probability_grows_by_two_percent_a_period() {
        for (from, cap, to) in [
            (0.1, true, 0.12),
            (0.3, true, 0.32),
            (0.1, false, 0.785_625),
            (0.099, true, 0.099 + 0.685_625 / 2.0),
        ] {
            let mut p = pie(from, 0.0);
            p.cap = cap;
            p.period(0.5);
            assert!(
                (p.probability - to).abs() < 1e-9,
                "{from} {cap}: {}",
                p.probability
            );
        }
    }

    /// Arrivals at a derandomised PIE that has added up so much: how many of 100 are punished, and what is added up then.
    fn punished(probability: f64, accumulated: f64) -> (u32, f64) {
        let frame = Frame {
            now: Time::ZERO,
            queue: 0,
            size: 1518,
            ecn: backwater_transport::segment::Ecn::NotEct,
            sojourn: Span::ZERO,
            bytes: 90_000,
            packets: 60,
        };
        let mut random = Random::stream(1, "test", "pie");
        let arrivals = [0; 100].map(|_| {
            let mut p = pie(probability, 0.020);
            (p.derandomise, p.accumulated) = (true, accumulated);
            (p.early(&frame, &mut random), p.accumulated)
        });
        let hits = arrivals.iter().filter(|(hit, _)| *hit).count() as u32;
        let spared = arrivals.iter().find(|(hit, _)| !hit);
        (hits, spared.unwrap_or(&arrivals[0]).1)
    }

    /// Section 5.4: nobody is punished before the probabilities since the last one add up to 0.85, somebody is at 8.5, and between
    /// them chance decides. A probability of nought adds up to nothing.
    #[test]
    fn a_derandomised_pie_spaces_its_drops() {
        assert_eq!(punished(0.25, 0.5), (0, 0.75));
        let (hits, _) = punished(0.85, 0.0);
        assert!((60..100).contains(&hits), "85 %: {hits}");
        let (hits, left) = punished(0.25, 8.0);
        assert!((5..50).contains(&hits), "a quarter: {hits}");
        assert_eq!(left, 8.25);
        assert_eq!(punished(0.25, 8.25), (100, 0.0));
        assert_eq!(punished(0.0, 5.0), (0, 0.0));
    }
}
