//! Detects: a moving average of the bytes that wait, taken at arrivals, those included that find no room.
//! Tells: marks or drops on arrival with a probability that grows with the average, spread evenly by
//! the count of frames since the last; above the upper threshold it drops.
//! Responds: left to the sender's controller.
//! Reference: Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993; gentle form: Floyd 2000; drop rather than
//! mark above the upper threshold: RFC 3168 section 7.
//! Differences: counts bytes, with a probability that does not depend on a frame's size. The count
//! is that of the paper's text (section 4); its figure 2 is ahead by one after a mark.
//! On a link without a rate of its own (a trace) the average starts anew after an idle time.

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use super::aqm::{Aqm, Frame, Verdict};
use super::ramp::thresholds;
use super::row::{Build, CLASSES, ECN, Made};
use crate::limit::MAX_CLASSES;

/// Thresholds that a line passes in less time cannot tell a burst from a queue that stands. Adaptive RED (Floyd, Gummadi,
/// Shenker 2001, section 4.1) scales them with the rate, to a mean delay of 5 ms.
const SHORTEST: Span = Span::micros(100);

/// The constants, and what each class queue remembers.
#[derive(Clone, Debug)]
pub struct Red {
    min: f64,
    max: f64,
    top: f64,
    weight: f64,
    gentle: bool,
    mark: bool,
    /// Time the line takes for a mean frame; zero where it has no rate of its own.
    slot: Span,
    mean: u64,
    /// The line's; zero where it has none of its own.
    rate: Rate,
    state: [State; MAX_CLASSES],
}

#[derive(Copy, Clone, Debug)]
struct State {
    average: f64,
    /// Frames let through since the last mark or drop, while the average lies between the
    /// thresholds.
    count: u64,
    /// Since when nothing waits.
    idle: Option<Time>,
}

impl Red {
    fn new(min: u64, max: u64, top: f64, weight: f64, mean: u64) -> Red {
        Red {
            min: min as f64,
            max: max as f64,
            top,
            weight,
            gentle: false,
            mark: true,
            slot: Span::ZERO,
            mean,
            rate: Rate(0),
            state: [State {
                average: 0.0,
                count: 0,
                idle: Some(Time::ZERO),
            }; MAX_CLASSES],
        }
    }

    /// The average after this arrival.
    fn average(&mut self, frame: &Frame) -> f64 {
        let slot = self.slot;
        let state = &mut self.state[frame.queue];
        match state.idle.take() {
            Some(_) if slot == Span::ZERO => state.average = 0.0,
            Some(since) if frame.packets == 0 => {
                // As if that many frames had found the queue empty.
                let missed = frame.now.since(since).0 as f64 / slot.0 as f64;
                state.average *= libm::pow(1.0 - self.weight, missed);
            }
            _ => state.average += self.weight * (frame.bytes as f64 - state.average),
        }
        state.average
    }

    /// Probability for one frame, before it is spread by the count: `None` below the lower threshold.
    fn probability(&self, average: f64) -> Option<f64> {
        if average < self.min {
            None
        } else if average < self.max {
            Some(self.top * (average - self.min) / (self.max - self.min))
        } else if self.gentle && average < 2.0 * self.max {
            Some(self.top + (1.0 - self.top) * (average / self.max - 1.0))
        } else {
            Some(1.0)
        }
    }
}

impl Aqm for Red {
    fn attach(&mut self, rate: Rate, _random: &mut Random) {
        self.line_rate(rate);
    }

    fn line_rate(&mut self, rate: Rate) {
        self.rate = rate;
        if rate.0 > 0 {
            self.slot = rate.time_for(Bytes(self.mean));
        }
    }

    fn push(&mut self, frame: &Frame, random: &mut Random) -> Verdict {
        let average = self.average(frame);
        let base = self.probability(average);
        let state = &mut self.state[frame.queue];
        let Some(base) = base else {
            state.count = 0;
            return Verdict::Accept;
        };
        if base >= 1.0 {
            state.count = 0;
            return Verdict::Drop;
        }
        let spread = 1.0 - state.count as f64 * base;
        if base > 0.0 && (spread <= base || random.unit() <= base / spread) {
            state.count = 0;
            return frame.punish(self.mark);
        }
        state.count += 1;
        Verdict::Accept
    }

    fn take_over(&mut self, frame: &Frame) {
        self.state[frame.queue].idle = None;
    }

    /// The paper takes the average at each arriving packet (figure 1), and judges each: one that finds no room, too.
    fn refused(&mut self, frame: &Frame, judged: bool, random: &mut Random) {
        if !judged {
            self.push(frame, random);
        }
    }

    fn warning(&self) -> Option<String> {
        let drains = |rate: Rate| rate.time_for(Bytes(self.max as u64));
        let short = self.rate.0 > 0 && drains(self.rate) < SHORTEST;
        short.then(|| {
            format!(
                "RED drops from an average of {} B on, which this line of {:.0} Mbit/s sends in {:.1} us: a burst of one sender is \
                 more; write a `max` of at least {} B, and a `min` of a third of it",
                self.max,
                self.rate.0 as f64 / 1e6,
                drains(self.rate).seconds() * 1e6,
                self.rate.0 / 8 / 10_000,
            )
        })
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        if frame.packets == 0 {
            self.state[frame.queue].idle = Some(frame.now);
        }
        Verdict::Accept
    }
}

/// The row.
pub const PART: Part<Build<Red>> = Part {
    id: "red",
    aliases: &[],
    summary: "RED: marks or drops on arrival by a moving average of the queue",
    source: "Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993",
    options: &[
        Opt::new(
            "min",
            Kind::Bytes,
            Default::Is("15 kB"),
            "average up to which nothing is marked",
        ),
        Opt::new(
            "max",
            Kind::Bytes,
            Default::Is("45 kB"),
            "average from which everything is dropped; twice it, if gentle",
        )
        .at_least("1 B"),
        Opt::new(
            "top",
            Kind::Share,
            Default::Is("10 %"),
            "probability just below `max`",
        )
        .at_most("100 %"),
        Opt::new(
            "weight",
            Kind::Number,
            Default::Is("0.002"),
            "share of the queue's present length in the average",
        )
        .at_least("0.000001")
        .at_most("1"),
        Opt::new(
            "gentle",
            Kind::Flag,
            Default::Is("true"),
            "let the probability rise to 1 between `max` and twice `max`",
        ),
        Opt::new(
            "mean_frame",
            Kind::Bytes,
            Default::Is("1000 B"),
            "frame by which idle time is counted",
        )
        .at_least("64 B"),
        CLASSES,
        ECN,
    ],
    build: |args| {
        let (min, max) = thresholds(args.bytes("min").0, args.bytes("max").0)?;
        if min == max {
            return Err(Refusal {
                option: "min",
                what: "the thresholds are equal, so that no average lies between them".into(),
                fix: "write a lower `min`, or take the queue ecn-ramp for a step".into(),
            });
        }
        let (top, weight) = (args.share("top"), args.number("weight"));
        let red = Red {
            gentle: args.flag("gentle"),
            mark: args.flag("ecn"),
            ..Red::new(min, max, top, weight, args.bytes("mean_frame").0)
        };
        Ok(Made {
            classes: args.count("classes") as usize,
            ..red.into()
        })
    },
};

#[cfg(test)]
mod tests {
    use backwater_transport::segment::Ecn;

    use super::*;

    fn arrival(bytes: u64) -> Frame {
        Frame {
            now: Time::ZERO,
            queue: 0,
            size: 1000,
            ecn: Ecn::Ect0,
            sojourn: Span::ZERO,
            bytes,
            packets: bytes / 1000,
        }
    }

    /// Section 4 of the paper: between thresholds at a constant average, gaps between marks are
    /// uniform on 1 … 1/p: for p = 0.1, ten values of equal frequency. 20,000 gaps: a deviation of
    /// 42 around 2,000 each.
    #[test]
    fn marks_are_spread_evenly_by_the_count() {
        let mut red = Red::new(10_000, 30_000, 0.2, 1.0, 1000);
        let mut random = Random::stream(1, "test", "red");
        let (mut gaps, mut gap) = ([0u32; 12], 0);
        // The first gap counts from the threshold, not from a mark.
        let mut marks = 0;
        while marks <= 20_000 {
            gap += 1;
            if red.push(&arrival(20_000), &mut random) == Verdict::Mark {
                if marks > 0 {
                    gaps[gap] += 1;
                }
                marks += 1;
                gap = 0;
            }
        }
        assert_eq!((gaps[0], gaps[11]), (0, 0));
        for n in &gaps[1..=10] {
            assert!(n.abs_diff(2_000) < 5 * 42, "{gaps:?}");
        }
    }

    #[test]
    fn below_the_thresholds_nothing_and_above_them_everything() {
        let mut red = Red::new(10_000, 30_000, 0.2, 1.0, 1000);
        let mut random = Random::stream(1, "test", "red");
        for _ in 0..100 {
            let low = red.push(&arrival(9_999), &mut random);
            let high = red.push(&arrival(30_000), &mut random);
            assert_eq!((low, high), (Verdict::Accept, Verdict::Drop));
        }
        red.gentle = true;
        let near = |got: Option<f64>, p: f64| (got.unwrap() - p).abs() < 1e-12;
        assert!(near(red.probability(20_000.0), 0.1));
        assert!(near(red.probability(45_000.0), 0.6));
        assert!(near(red.probability(60_000.0), 1.0));
        // A threshold itself belongs to what lies above it.
        assert!(near(red.probability(30_000.0), 0.2) && near(red.probability(10_000.0), 0.0));
        assert_eq!(red.probability(9_999.9), None);
        red.gentle = false;
        assert!(near(red.probability(30_000.0), 1.0));
        assert_eq!(red.probability(29_999.9).map(|p| p < 0.2), Some(true));
    }

    /// (1 − w)^k after k empty slots; 1 − (1 − w)^k of the way after k arrivals at a constant queue.
    #[test]
    fn the_average_moves_by_its_weight_and_decays_while_idle() {
        let mut red = Red::new(100_000, 300_000, 0.1, 0.25, 1000);
        let mut random = Random::stream(1, "test", "red");
        red.attach(Rate(8_000_000), &mut random);
        red.state[0].idle = None;
        for _ in 0..3 {
            red.push(&arrival(40_000), &mut random);
        }
        let expected = 40_000.0 * (1.0 - 0.421_875);
        assert!((red.state[0].average - expected).abs() < 1e-9);
        let last = Frame {
            packets: 0,
            bytes: 0,
            ..arrival(0)
        };
        red.pop(&last);
        // 1000 bytes at 8 Mbit/s take 1 ms: two slots.
        let next = Frame {
            now: Time(Span::millis(2).0),
            ..last
        };
        red.push(&next, &mut random);
        assert!((red.state[0].average - expected * 0.5625).abs() < 1e-9);
        let mut traced = Red::new(100_000, 300_000, 0.1, 0.25, 1000);
        traced.attach(Rate(0), &mut random);
        traced.state[0].average = expected;
        traced.push(&next, &mut random);
        assert_eq!(traced.state[0].average, 0.0);
    }

    /// Ten frames find no room beside 40 kB that wait: 1 - 0.75^10 of the way up to that. One that was judged before the memory
    /// of its switch was full counts once.
    #[test]
    fn frames_that_find_no_room_count_in_the_average() {
        let mut red = Red::new(100_000, 300_000, 0.1, 0.25, 1000);
        let mut random = Random::stream(1, "test", "red");
        red.state[0].idle = None;
        for _ in 0..10 {
            red.refused(&arrival(40_000), false, &mut random);
        }
        let expected = 40_000.0 * (1.0 - libm::pow(0.75, 10.0));
        assert!((red.state[0].average - expected).abs() < 1e-9);
        red.refused(&arrival(40_000), true, &mut random);
        assert!((red.state[0].average - expected).abs() < 1e-9);
    }

    /// A greatest threshold of 30 kB is sent in 100 us at 2.4 Gbit/s. Of a line that is faster the person is warned.
    #[test]
    fn a_threshold_that_is_sent_in_less_than_a_tenth_of_a_millisecond_is_worth_a_warning() {
        let warned = |rate: u64| {
            let mut red = Red::new(10_000, 30_000, 0.2, 1.0, 1000);
            red.attach(Rate(rate), &mut Random::stream(1, "test", "red"));
            red.warning().is_some()
        };
        let rates = [1_000_000, 1_000_000_000, 2_400_000_000, 2_500_000_000];
        assert_eq!(rates.map(warned), [false, false, false, true]);
        assert_eq!(Red::new(10_000, 30_000, 0.2, 1.0, 1000).warning(), None);
    }

    /// The gap between marks counts from the last drop, and from the last time that the average lay below the thresholds.
    #[test]
    fn what_lies_outside_the_thresholds_ends_a_gap() {
        let mut random = Random::stream(1, "test", "red");
        for (outside, verdict) in [(5_000, Verdict::Accept), (40_000, Verdict::Drop)] {
            let mut red = Red::new(10_000, 30_000, 1.0, 1.0, 1000);
            // The first arrival finds an idle queue, whose average is nought.
            red.push(&arrival(outside), &mut random);
            red.state[0].count = 7;
            assert_eq!(
                red.push(&arrival(outside), &mut random),
                verdict,
                "{outside}"
            );
            assert_eq!(red.state[0].count, 0, "{outside}");
        }
    }
}
