//! Detects: frames that find no room, and a line that has become idle; no length of the queue.
//! Tells: marks or drops on arrival with one probability for all frames. A loss for want of room raises the probability by
//! `increase`, an idle line lowers it by `decrease`, and after either it stays for `freeze_time`.
//! Responds: left to the sender's controller.
//! Reference: Feng, Shin, Kandlur, Saha, "The BLUE active queue management algorithms", IEEE/ACM ToN 10(4), 2002: section III
//! with its figure; `level` is the figure's L. The defaults are those of public ports of the authors' simulation; the paper was not at hand.
//! Differences: `freeze_time` is constant, where the paper advises to draw it for each router. An idle line is
//! seen when the next frame arrives, and counts from the end of the last frame; on a link without a rate of its own (a trace)
//! from its beginning. The figure can be read in two ways while the line stays idle: it lowers the probability once (`idle =
//! "once"`), or again after each `freeze_time` (`idle = "lasting"`).

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use super::aqm::{Aqm, Frame, Verdict};
use super::row::{Build, ECN};

/// The constants, and the probability.
#[derive(Clone, Debug)]
pub struct Blue {
    increase: f64,
    decrease: f64,
    freeze: Span,
    /// Bytes that wait beyond which an arrival counts as a loss; 0: none does.
    level: u64,
    /// Whether a line that stays idle lowers the probability again and again.
    lasting: bool,
    mark: bool,
    /// The line's; zero where it has none of its own.
    rate: Rate,
    probability: f64,
    /// When it changed.
    changed: Option<Time>,
    /// When the last frame that left nothing behind has been sent.
    idle: Time,
}

impl Blue {
    /// Changes the probability at an instant, unless it has changed lately.
    fn change(&mut self, by: f64, at: Time) {
        if self.changed.is_none_or(|last| at > last + self.freeze) {
            self.probability = (self.probability + by).clamp(0.0, 1.0);
            self.changed = Some(at);
        }
    }
}

impl Aqm for Blue {
    fn attach(&mut self, rate: Rate, _random: &mut Random) {
        self.line_rate(rate);
    }

    fn line_rate(&mut self, rate: Rate) {
        self.rate = rate;
    }

    /// The line was idle from `idle` to now.
    fn emptied(&mut self, now: Time) {
        let mut at = self.idle;
        self.change(-self.decrease, at);
        while self.lasting && self.probability > 0.0 {
            let frozen = self.changed.map_or(at, |last| last + self.freeze);
            at = frozen.max(at) + Span(1);
            if at > now {
                return;
            }
            self.change(-self.decrease, at);
        }
    }

    fn push(&mut self, frame: &Frame, random: &mut Random) -> Verdict {
        if self.level > 0 && frame.bytes > self.level {
            self.change(self.increase, frame.now);
        }
        match self.probability > 0.0 && random.unit() <= self.probability {
            true => frame.punish(self.mark),
            false => Verdict::Accept,
        }
    }

    fn refused(&mut self, frame: &Frame, _judged: bool, _random: &mut Random) {
        self.change(self.increase, frame.now);
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        if frame.packets == 0 {
            let sending = match self.rate.0 {
                0 => Span::ZERO,
                _ => self.rate.time_for(Bytes(frame.size)),
            };
            self.idle = frame.now + sending;
        }
        Verdict::Accept
    }
}

/// The row.
pub const PART: Part<Build<Blue>> = Part {
    id: "blue",
    aliases: &[],
    summary: "BLUE: marks or drops on arrival with a probability that overflow raises and an idle line lowers",
    source: "Feng, Shin, Kandlur and Saha, IEEE/ACM ToN 10(4), 2002",
    options: &[
        Opt::new(
            "increase",
            Kind::Number,
            Default::Is("0.0025"),
            "what a frame that finds no room adds to the probability",
        )
        .at_least("0.000001")
        .at_most("1"),
        Opt::new(
            "decrease",
            Kind::Number,
            Default::Is("0.00025"),
            "what an idle line takes from the probability",
        )
        .at_least("0.000001")
        .at_most("1"),
        Opt::new(
            "freeze_time",
            Kind::Span,
            Default::Is("100 ms"),
            "how long the probability stays after each change",
        )
        .at_least("1 us")
        .at_most("100 s"),
        Opt::new(
            "level",
            Kind::Bytes,
            Default::Is("0 B"),
            "bytes waiting beyond which an arrival raises the probability, as a loss does; 0 B: only losses do",
        ),
        Opt::new(
            "idle",
            Kind::Choice(&["once", "lasting"]),
            Default::Is("once"),
            "a line that becomes idle lowers the probability once, or again after each `freeze_time` for which it stays idle",
        ),
        ECN,
    ],
    build: |args| {
        Ok(Blue {
            increase: args.number("increase"),
            decrease: args.number("decrease"),
            freeze: args.span("freeze_time"),
            level: args.bytes("level").0,
            lasting: args.choice("idle") == "lasting",
            mark: args.flag("ecn"),
            rate: Rate(0),
            probability: 0.0,
            changed: None,
            idle: Time::ZERO,
        }
        .into())
    },
};

#[cfg(test)]
mod tests {
    use backwater_transport::part::{Args, Value};
    use backwater_transport::segment::Ecn;

    use super::*;

    const MS: u64 = 1_000_000_000;

    /// An algorithm at 8 Mbit/s: 1000 B take 1 ms.
    fn blue(level: u64, idle: &'static str) -> Blue {
        let options = [
            ("increase", Value::Number(0.02)),
            ("decrease", Value::Number(0.002)),
            ("freeze_time", Value::Span(Span::millis(10))),
            ("level", Value::Bytes(Bytes(level))),
            ("idle", Value::Choice(idle)),
            ("ecn", Value::Flag(true)),
        ];
        let mut blue = (PART.build)(&Args(options.into())).expect("legal").part;
        blue.attach(Rate(8_000_000), &mut random());
        blue
    }

    fn random() -> Random {
        Random::stream(1, "test", "blue")
    }

    fn frame(ms: u64, bytes: u64) -> Frame {
        Frame {
            now: Time(ms * MS),
            queue: 0,
            size: 1000,
            ecn: Ecn::Ect0,
            sojourn: Span::ZERO,
            bytes,
            packets: bytes / 1000,
        }
    }

    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-12, "{got} {expected}");
    }

    /// A loss every millisecond from 0 to 100 ms, and one change in any 10 ms: those at 0, 11, 22 ... 99 ms count, ten in all.
    #[test]
    fn losses_raise_the_probability_once_in_a_freeze_time() {
        let (mut blue, mut random) = (blue(0, "once"), random());
        for ms in 0..=100 {
            blue.refused(&frame(ms, 50_000), false, &mut random);
        }
        near(blue.probability, 10.0 * 0.02);
        // 50 more would be 1.2, and a probability is 1 at most.
        for loss in 1..=50 {
            blue.refused(&frame(100 + 11 * loss, 50_000), false, &mut random);
        }
        near(blue.probability, 1.0);
    }

    /// The last frame leaves at 30 ms and takes 1 ms. The next comes at 80 ms: a line that became idle at 31 ms lowers the
    /// probability by 0.002, and one that stays idle at 31, 41, 51, 61 and 71 ms, each a tick after `freeze_time`.
    #[test]
    fn an_idle_line_lowers_the_probability() {
        for (idle, times) in [("once", 1.0), ("lasting", 5.0)] {
            let (mut blue, mut random) = (blue(0, idle), random());
            blue.refused(&frame(0, 50_000), false, &mut random);
            blue.pop(&frame(30, 0));
            blue.emptied(Time(80 * MS));
            near(blue.probability, 0.02 - times * 0.002);
            // Nothing has been idle since.
            blue.push(&frame(99, 0), &mut random);
            near(blue.probability, 0.02 - times * 0.002);
        }
    }

    /// An idle line within `freeze_time` of a loss changes nothing: the frame of 5 ms has left at 6 ms.
    #[test]
    fn idleness_soon_after_a_loss_changes_nothing() {
        let (mut blue, mut random) = (blue(0, "once"), random());
        blue.refused(&frame(0, 50_000), false, &mut random);
        blue.pop(&frame(5, 0));
        blue.emptied(Time(80 * MS));
        near(blue.probability, 0.02);
    }

    /// With a level an arrival that finds more waiting counts as a loss.
    #[test]
    fn a_queue_beyond_its_level_counts_as_a_loss() {
        for (bytes, expected) in [(10_000, 0.0), (10_001, 0.02)] {
            let (mut blue, mut random) = (blue(10_000, "once"), random());
            blue.push(&frame(0, bytes), &mut random);
            near(blue.probability, expected);
        }
    }

    /// 20,000 arrivals at p = 0.1: 2000 marks with a standard deviation of 42, of which five are allowed. What takes no marks is
    /// lost instead.
    #[test]
    fn arrivals_are_marked_with_the_probability() {
        let (mut blue, mut random) = (blue(0, "once"), random());
        blue.probability = 0.1;
        for (ecn, verdict) in [(Ecn::Ect0, Verdict::Mark), (Ecn::NotEct, Verdict::Drop)] {
            let arrival = Frame {
                ecn,
                ..frame(0, 1000)
            };
            let hit = (0..20_000).filter(|_| match blue.push(&arrival, &mut random) {
                Verdict::Accept => false,
                other => {
                    assert_eq!(other, verdict);
                    true
                }
            });
            assert!(hit.count().abs_diff(2000) < 5 * 42);
        }
    }
}
