//! Detects: frames that have waited longer than `target` for a whole `interval`.
//! Tells: drops on departure, or marks; the next follows after interval ÷ √count.
//! Responds: left to the sender's controller.
//! Reference: RFC 8289 section 5.
//! Differences: none in when it drops. Marks in place of drops as section 5 leaves open and Linux
//! does: a marked frame goes out, so no second frame is looked at.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Span, Time};

use super::aqm::{Aqm, Frame, Verdict};
use super::row::{Build, ECN};
use crate::knob::Knob;

/// The constants.
#[derive(Copy, Clone, Debug)]
pub struct Law {
    /// Sojourn time that is not to be exceeded for long.
    pub target: Span,
    /// How long it must be exceeded; worst-case round trip.
    pub interval: Span,
    /// A queue of no more bytes is never dropped from.
    pub frame: u64,
    /// Whether it marks.
    pub mark: bool,
}

/// The state of one queue.
#[derive(Copy, Clone, Debug, Default)]
pub struct State {
    /// When sojourn times will have been above target for an interval.
    first_above: Option<Time>,
    drop_next: Time,
    count: u64,
    last_count: u64,
    dropping: bool,
    behind: Behind,
}

/// Whether frames were dropped before a frame.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
enum Behind {
    /// Nothing was dropped before it.
    #[default]
    Nothing,
    /// The drop that began the dropping state.
    First,
    /// A drop within it.
    Next,
}

impl Law {
    /// `at` plus interval ÷ √count.
    fn control(&self, at: Time, count: u64) -> Time {
        let gap = self.interval.0 as f64 / libm::sqrt(count as f64);
        at.after(Span(libm::round(gap) as u64))
    }

    /// Whether sojourn times have been above target for an interval.
    fn late(&self, state: &mut State, frame: &Frame) -> bool {
        if frame.sojourn < self.target || frame.bytes <= self.frame {
            state.first_above = None;
            return false;
        }
        match state.first_above {
            None => {
                state.first_above = Some(frame.now.after(self.interval));
                false
            }
            Some(then) => frame.now >= then,
        }
    }

    /// A frame has left the queue.
    pub fn judge(&self, state: &mut State, frame: &Frame) -> Verdict {
        let late = self.late(state, frame);
        match std::mem::take(&mut state.behind) {
            Behind::First => return Verdict::Accept,
            Behind::Next if late => state.drop_next = self.control(state.drop_next, state.count),
            Behind::Next | Behind::Nothing => {}
        }
        if !late {
            state.dropping = false;
            return Verdict::Accept;
        }
        let verdict = frame.punish(self.mark);
        if !state.dropping {
            let delta = state.count - state.last_count;
            let since = frame.now.0.saturating_sub(state.drop_next.0);
            let again = delta > 1 && since < self.interval.times(16).0;
            state.dropping = true;
            state.count = if again { delta } else { 1 };
            state.last_count = state.count;
            state.drop_next = self.control(frame.now, state.count);
            if verdict == Verdict::Drop {
                state.behind = Behind::First;
            }
            return verdict;
        }
        if frame.now < state.drop_next {
            return Verdict::Accept;
        }
        state.count += 1;
        if verdict == Verdict::Drop {
            state.behind = Behind::Next;
        } else {
            state.drop_next = self.control(state.drop_next, state.count);
        }
        verdict
    }
}

impl State {
    /// The queue was found empty.
    pub fn emptied(&mut self) {
        self.first_above = None;
        self.dropping = false;
        self.behind = Behind::Nothing;
    }
}

/// CoDel on one queue.
#[derive(Clone, Debug)]
pub struct Codel {
    law: Law,
    state: State,
}

impl Aqm for Codel {
    fn knob(&mut self) -> Option<Knob<'_>> {
        Some(Knob::target("target", &mut self.law.target))
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        self.law.judge(&mut self.state, frame)
    }

    fn emptied(&mut self, _now: Time) {
        self.state.emptied();
    }
}

/// Option `target`.
pub(super) const TARGET: Opt = Opt::new(
    "target",
    Kind::Span,
    Default::Is("5 ms"),
    "time in the queue that is not to be exceeded for long",
)
.at_least("1 us")
.at_most("100 s");
/// Option `interval`.
pub(super) const INTERVAL: Opt = Opt::new(
    "interval",
    Kind::Span,
    Default::Is("100 ms"),
    "how long it must be exceeded: a worst-case round trip",
)
.at_least("1 us")
.at_most("100 s");
/// Option `mtu`.
pub(super) const MTU: Opt = Opt::new(
    "mtu",
    Kind::Bytes,
    Default::Is("1518 B"),
    "a largest frame: a queue that holds no more is left alone",
)
.at_most("65535 B");
/// The row.
pub const PART: Part<Build<Codel>> = Part {
    id: "codel",
    aliases: &[],
    summary: "CoDel: drops or marks on departure while sojourn times stay above target",
    source: "RFC 8289",
    options: &[TARGET, INTERVAL, MTU, ECN],
    build: |args| {
        let law = Law {
            target: args.span("target"),
            interval: args.span("interval"),
            frame: args.bytes("mtu").0,
            mark: args.flag("ecn"),
        };
        Ok(Codel {
            law,
            state: State::default(),
        }
        .into())
    },
};

#[cfg(test)]
mod test_edges;
#[cfg(test)]
mod tests {
    use backwater_transport::segment::Ecn;

    use super::*;

    const LAW: Law = Law {
        target: Span::millis(5),
        interval: Span::millis(100),
        frame: 1518,
        mark: true,
    };

    fn late(now: Time, ecn: Ecn) -> Frame {
        Frame {
            now,
            queue: 0,
            size: 1518,
            ecn,
            sojourn: Span::millis(50),
            bytes: 100_000,
            packets: 66,
        }
    }

    /// 100 ms plus the sum of 100 ms ÷ √k, k = 1, 2, …, computed apart.
    const SCHEDULE_MS: [f64; 10] = [
        100.0,
        200.0,
        270.710_678_1,
        328.445_705_0,
        378.445_705_0,
        423.167_064_6,
        463.991_893_6,
        501.788_340_9,
        537.143_680_0,
        570.477_013_3,
    ];

    #[test]
    fn drops_follow_the_inverse_square_root_schedule() {
        for ecn in [Ecn::NotEct, Ecn::Ect0] {
            let (mut state, mut at) = (State::default(), Time::ZERO);
            let first = LAW.judge(&mut state, &late(at, ecn));
            assert_eq!(first, Verdict::Accept);
            at = Time(Span::millis(100).0);
            for expected in SCHEDULE_MS {
                let early = late(Time(at.0 - 1), ecn);
                assert_eq!(LAW.judge(&mut state, &early), Verdict::Accept);
                let hit = LAW.judge(&mut state, &late(at, ecn));
                let told = late(at, ecn).punish(true);
                assert_eq!(hit, told, "at {at}");
                assert!(
                    (at.seconds() * 1e3 / expected - 1.0).abs() < 1e-9,
                    "{at} {expected}"
                );
                if told == Verdict::Drop {
                    // The frame behind a dropped one goes out.
                    assert_eq!(LAW.judge(&mut state, &late(at, ecn)), Verdict::Accept);
                }
                at = state.drop_next;
            }
        }
    }

    #[test]
    fn a_short_sojourn_or_a_short_queue_ends_the_dropping() {
        for relief in [
            Frame {
                sojourn: Span(LAW.target.0 - 1),
                ..late(Time(0), Ecn::NotEct)
            },
            Frame {
                bytes: 1518,
                ..late(Time(0), Ecn::NotEct)
            },
        ] {
            let mut state = State::default();
            let ms = |n: u64| Time(Span::millis(n).0);
            LAW.judge(&mut state, &late(ms(0), Ecn::NotEct));
            let entry = LAW.judge(&mut state, &late(ms(100), Ecn::NotEct));
            assert_eq!(entry, Verdict::Drop);
            LAW.judge(&mut state, &late(ms(100), Ecn::NotEct));
            let relief = Frame {
                now: ms(150),
                ..relief
            };
            assert_eq!(LAW.judge(&mut state, &relief), Verdict::Accept);
            assert!(!state.dropping);
            // Another whole interval must pass.
            for (at, verdict) in [(250, Verdict::Accept), (349, Verdict::Accept)] {
                assert_eq!(LAW.judge(&mut state, &late(ms(at), Ecn::NotEct)), verdict);
            }
            assert_eq!(
                LAW.judge(&mut state, &late(ms(350), Ecn::NotEct)),
                Verdict::Drop
            );
        }
    }

    /// Back in the dropping state within 16 intervals, the count goes on from what it grew by.
    #[test]
    fn dropping_resumes_near_the_old_rate() {
        let mut state = State::default();
        let mut at = Time::ZERO;
        LAW.judge(&mut state, &late(at, Ecn::Ect0));
        at = Time(Span::millis(100).0);
        for _ in 0..6 {
            assert_eq!(LAW.judge(&mut state, &late(at, Ecn::Ect0)), Verdict::Mark);
            at = state.drop_next;
        }
        assert_eq!((state.count, state.last_count), (6, 1));
        let short = Frame {
            sojourn: Span::ZERO,
            ..late(at, Ecn::Ect0)
        };
        LAW.judge(&mut state, &short);
        LAW.judge(&mut state, &late(at, Ecn::Ect0));
        let again = at.after(LAW.interval);
        assert_eq!(
            LAW.judge(&mut state, &late(again, Ecn::Ect0)),
            Verdict::Mark
        );
        assert_eq!((state.count, state.last_count), (5, 5));
    }
}
