//! Sprout's receiver. It counts arrivals in ticks of 20 ms, infers the rate of the link, and forecasts
//! with confidence how many packets arrive in the next eight ticks.
//!
//! Detects: capacity, from arrivals. Ticks without arrivals count only while the sender announced
//! transmissions. Tells: `Feedback::Forecast` in every acknowledgement. The sender responds
//! (`controller/sprout.rs`).
//!
//! Reference: Winstein, Sivaraman and Balakrishnan, NSDI 2013, sections 3 and 4, and the authors'
//! program. Sprout-EWMA (section 5.3) uses a moving average instead of inference and confidence.

mod kept;
mod process;

use std::collections::VecDeque;
use std::sync::Arc;

pub use process::{HORIZON, Process};

use crate::segment::{Feedback, Segment};
use crate::units::{Span, Time};

/// How the rate is inferred.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Bayesian inference over a Brownian rate.
    Bayes,
    /// A moving average of the count, in which a new tick weighs this much.
    Ewma(f64),
}

/// Longest silence that is processed tick by tick. The belief has converged by then.
const MAX_TICKS: u64 = 5_000;

/// The receiver's side of Sprout.
#[derive(Clone, Debug)]
pub struct Forecaster {
    model: Model,
    tick: Span,
    unit: u64,
    /// A new forecast leaves no sooner than this after the last.
    interval: Span,
    tables: Arc<process::Tables>,
    belief: Vec<f64>,
    average: f64,
    /// When the present tick began; none before the first segment.
    time: Option<Time>,
    /// Bytes that arrived in it.
    bytes: u64,
    /// The sender transmits again by then, so silence after it counts.
    silence_counts_from: Time,
    account: Account,
    made: Option<Time>,
    packets: [u16; HORIZON],
    settled: u64,
}

/// Bytes that are received, or declared lost by the sender.
#[derive(Clone, Debug, Default)]
struct Account {
    discarded: u64,
    /// Segments received at or above `discarded`: position and length.
    above: VecDeque<(u64, u64)>,
}

impl Account {
    fn record(&mut self, position: u64, len: u64, discarded: u64) {
        self.discarded = self.discarded.max(discarded);
        if position >= self.discarded {
            self.above.push_back((position, len));
        }
        let mark = self.discarded;
        self.above.retain(|(position, _)| *position >= mark);
    }

    fn settled(&self) -> u64 {
        self.discarded + self.above.iter().map(|(_, len)| len).sum::<u64>()
    }
}

impl Forecaster {
    /// A forecaster that counts packets of `unit` bytes and makes a forecast each `every` ticks.
    pub fn new(process: &Process, model: Model, unit: u64, every: u64) -> Forecaster {
        let tables = kept::tables(process);
        let belief = tables.prior();
        let mut forecaster = Forecaster {
            average: tables.mean(&belief),
            model,
            tick: process.tick,
            unit,
            interval: process.tick.times(every),
            belief,
            tables,
            time: None,
            bytes: 0,
            silence_counts_from: Time::ZERO,
            account: Account::default(),
            made: None,
            packets: [0; HORIZON],
            settled: 0,
        };
        forecaster.forecast();
        forecaster
    }

    /// Cumulative packets by tick of the newest forecast; before the first segment the forecast of the
    /// prior.
    pub fn packets(&self) -> [u16; HORIZON] {
        self.packets
    }

    /// Length of a tick.
    pub fn tick(&self) -> Span {
        self.tick
    }

    /// A segment has arrived.
    pub fn on_segment(&mut self, now: Time, segment: &Segment) {
        self.advance(now);
        let time = *self.time.get_or_insert(now);
        self.bytes += u64::from(segment.len);
        let (next, discarded, position) = match segment.feedback.as_deref() {
            Some(Feedback::Announce {
                next,
                discarded,
                position,
            }) => (*next, *discarded, *position),
            _ => (0, 0, segment.start),
        };
        self.account
            .record(position, u64::from(segment.len), discarded);
        self.silence_counts_from = self.silence_counts_from.max(time.after(Span(next)));
    }

    /// Processes all ticks up to now. The caller may skip ticks.
    pub fn advance(&mut self, now: Time) {
        let Some(mut time) = self.time else { return };
        let due = now.0.saturating_sub(time.0) / self.tick.0;
        if due > MAX_TICKS {
            time = Time(time.0 + (due - MAX_TICKS) * self.tick.0);
        }
        while time.after(self.tick) < now {
            if self.model == Model::Bayes {
                self.tables.evolve(&mut self.belief);
            }
            if time >= self.silence_counts_from || self.bytes > 0 {
                self.observe();
            }
            self.bytes = 0;
            time += self.tick;
        }
        self.time = Some(time);
    }

    fn observe(&mut self) {
        let count = self.bytes as f64 / self.unit as f64;
        match self.model {
            Model::Ewma(gain) => self.average += gain * (count - self.average),
            Model::Bayes => {
                let whole = match count {
                    c if c > 0.0 && c < 1.0 => 1,
                    c => (c + 0.5) as usize,
                };
                self.tables.observe(&mut self.belief, whole);
            }
        }
    }

    fn forecast(&mut self) {
        match self.model {
            Model::Bayes => self.tables.forecast(&self.belief, &mut self.packets),
            Model::Ewma(_) => {
                for (ahead, packets) in (1u32..).zip(&mut self.packets) {
                    *packets = (self.average * f64::from(ahead)) as u16;
                }
            }
        }
    }

    /// The feedback of an acknowledgement that leaves now.
    pub fn feedback(&mut self, now: Time) -> Option<Feedback> {
        self.advance(now);
        let time = self.time?;
        if self
            .made
            .is_none_or(|made| time.since(made) >= self.interval)
        {
            self.forecast();
            self.settled = self.account.settled();
            self.made = Some(time);
        }
        Some(Feedback::Forecast {
            made: self.made?,
            packets: self.packets,
            settled: self.settled,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecaster(model: Model) -> Forecaster {
        let process = Process {
            most: 1000.0,
            bins: 256,
            tick: Span::millis(20),
            sigma: 200.0,
            escape: 1.0,
            counts: 30,
            quantile: 0.05,
            tabulated: true,
        };
        Forecaster::new(&process, model, 1400, 1)
    }

    fn segment(position: u64, next: Span, discarded: u64) -> Segment {
        Segment {
            len: 1400,
            feedback: Some(Box::new(Feedback::Announce {
                next: next.0,
                discarded,
                position,
            })),
            ..Segment::default()
        }
    }

    fn packets(feedback: Option<Feedback>) -> ([u16; 8], u64) {
        match feedback {
            Some(Feedback::Forecast {
                packets, settled, ..
            }) => (packets, settled),
            other => panic!("no forecast but {other:?}"),
        }
    }

    #[test]
    fn ticks_count_what_arrives() {
        // 8 packets in each of 50 ticks: the row "8×50" of the reference's forecasts.
        let mut f = forecaster(Model::Bayes);
        let mut position = 0;
        for tick in 0..50 {
            for _ in 0..8 {
                let now = Time::ZERO.after(Span::millis(20 * tick + 10 * u64::from(tick > 0)));
                f.on_segment(now, &segment(position, Span::ZERO, 0));
                position += 1400;
            }
        }
        let (forecast, settled) = packets(f.feedback(Time::ZERO.after(Span::micros(1_000_001))));
        assert_eq!(forecast, [3, 9, 15, 21, 27, 33, 39, 45]);
        assert_eq!(settled, 400 * 1400);
    }

    /// The forecasts of a receiver on a constant link after so many ticks: packets of 1500 bytes on the line, 1442 of them counted,
    /// the first at the start of a tick.
    fn constant(kbits: u64, ticks: &[u64]) -> Vec<([u16; 8], f64)> {
        let mut f = forecaster(Model::Bayes);
        let gap = 1500 * 8 * 1_000_000 / kbits;
        let mut position = 0;
        let mut made = Vec::new();
        for tick in ticks {
            let end = Time::ZERO.after(Span::millis(20 * tick));
            loop {
                let now = Time::ZERO.after(Span::nanos(position / 1442 * gap));
                // As in the program, a tick has what arrives at its end.
                if now > end {
                    break;
                }
                let mut packet = segment(position, Span::ZERO, 0);
                packet.len = 1442;
                f.on_segment(now, &packet);
                position += 1442;
            }
            let (forecast, _) = packets(f.feedback(end.after(Span::nanos(1))));
            made.push((forecast, f.tables.mean(&f.belief) / 0.020));
        }
        made
    }

    /// The authors' receiver, compiled and fed with the same arrivals, gave these forecasts after 1, 5 and 50 ticks, and this
    /// mean of its belief in packets/s after 50.
    #[test]
    fn forecasts_on_constant_links_are_those_of_the_reference() {
        for (kbits, first, fifth, fiftieth, mean) in [
            (
                500,
                [0, 0, 0, 1, 2, 2, 3, 4],
                [0, 0, 0, 1, 1, 2, 3, 4],
                [0, 0, 0, 0, 1, 2, 2, 3],
                56.9,
            ),
            (
                1000,
                [0, 1, 1, 2, 3, 4, 6, 7],
                [0, 1, 1, 2, 3, 4, 5, 6],
                [0, 0, 1, 2, 3, 4, 5, 6],
                98.3,
            ),
            (
                1800,
                [1, 3, 4, 6, 8, 10, 12, 14],
                [0, 2, 4, 5, 7, 9, 11, 13],
                [0, 2, 3, 5, 7, 8, 10, 12],
                160.7,
            ),
            (
                2400,
                [1, 4, 6, 9, 11, 14, 16, 19],
                [1, 3, 6, 8, 11, 13, 16, 18],
                [1, 3, 5, 8, 10, 13, 15, 18],
                209.3,
            ),
            (
                2700,
                [1, 4, 6, 9, 11, 14, 16, 19],
                [1, 4, 7, 9, 12, 15, 18, 21],
                [1, 4, 7, 10, 13, 15, 18, 21],
                236.9,
            ),
            (
                3000,
                [2, 5, 8, 11, 14, 18, 21, 24],
                [2, 5, 8, 11, 15, 18, 21, 25],
                [2, 4, 8, 11, 14, 18, 21, 24],
                258.3,
            ),
        ] {
            let made = constant(kbits, &[1, 5, 50]);
            let forecasts: Vec<_> = made.iter().map(|m| m.0).collect();
            assert_eq!(forecasts, [first, fifth, fiftieth], "{kbits} kbit/s");
            assert!(
                (made[2].1 - mean).abs() < 0.05,
                "{kbits} kbit/s: {}",
                made[2].1
            );
        }
    }

    #[test]
    fn silence_that_was_announced_tells_nothing() {
        let silent = |next| {
            let mut f = forecaster(Model::Bayes);
            f.on_segment(Time::ZERO, &segment(0, next, 0));
            packets(f.feedback(Time::ZERO.after(Span::millis(450)))).0
        };
        assert_eq!(silent(Span::ZERO), [0; 8]);
        assert_ne!(silent(Span::secs(1)), [0; 8]);
    }

    #[test]
    fn what_the_sender_gave_up_is_settled() {
        let mut f = forecaster(Model::Bayes);
        let at = |ms| Time::ZERO.after(Span::millis(ms));
        f.on_segment(at(0), &segment(0, Span::ZERO, 0));
        // 1400..2800 is lost; the next two come, and then one that gives up all below 4200.
        f.on_segment(at(1), &segment(2800, Span::ZERO, 0));
        f.on_segment(at(2), &segment(4200, Span::ZERO, 0));
        assert_eq!(packets(f.feedback(at(30))).1, 3 * 1400);
        f.on_segment(at(31), &segment(5600, Span::ZERO, 4200));
        assert_eq!(packets(f.feedback(at(60))).1, 7000);
    }

    #[test]
    fn the_moving_average_has_no_caution() {
        // 8 a tick: after 100 ticks at gain 1/8 what is left of the prior, 10, is (7/8)^100 of it.
        let mut f = forecaster(Model::Ewma(0.125));
        for tick in 0..100 {
            let now = Time::ZERO.after(Span::millis(20 * tick + 1));
            for _ in 0..8 {
                f.on_segment(now, &segment(0, Span::ZERO, 0));
            }
        }
        let (forecast, _) = packets(f.feedback(Time::ZERO.after(Span::millis(2001))));
        assert_eq!(forecast, [8, 16, 24, 32, 40, 48, 56, 64]);
    }
}
