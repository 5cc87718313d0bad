//! A delay and a chance of loss that are constant for a while each, as a schedule lists them. Packets come out in the order
//! in which they went in, so where the delay falls the later ones wait for the earlier.
//!
//! When: a row holds for the packets that come in from its instant on, the last for ever.
//! Reference: AdvNet's steps of delay; the non-congestive delay of Arun et al. (SIGCOMM 2022), a bounded function of time.
//! Differences: none known.

use std::sync::Arc;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{AnyBox, Build, Pass, PathBox};
use crate::cause::Cause;

/// Most microseconds of delay.
const LONGEST_US: u64 = 1_000_000_000;
/// Parts of a million.
const MILLION: u64 = 1_000_000;

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduled {
    rows: Arc<[Row]>,
    /// The row that holds.
    present: usize,
    /// When the packet before came out.
    last: Time,
}

#[derive(Copy, Clone, Debug, PartialEq)]
struct Row {
    from: Time,
    delay: Span,
    loss: f64,
}

impl Scheduled {
    /// Rows that begin at these milliseconds, the first at 0, with delays in microseconds and losses in millionths.
    ///
    /// # Errors
    /// The option that is wrong, and what is wrong with it.
    pub fn new(
        at_ms: &[u64],
        delay_us: Option<&[u64]>,
        loss_ppm: Option<&[u64]>,
    ) -> Result<Scheduled, (&'static str, String)> {
        if at_ms.first() != Some(&0) {
            return Err(("at_ms", "the first row does not begin at 0".into()));
        }
        if let Some(i) = at_ms.windows(2).position(|pair| pair[1] <= pair[0]) {
            let what = format!("{} comes after {}", at_ms[i + 1], at_ms[i]);
            return Err(("at_ms", format!("{what}: rows begin one after the other")));
        }
        if delay_us.is_none() && loss_ppm.is_none() {
            return Err((
                "delay_us",
                "the schedule has neither delays nor losses".into(),
            ));
        }
        for (option, list, most) in [
            ("delay_us", delay_us, LONGEST_US),
            ("loss_ppm", loss_ppm, MILLION),
        ] {
            let Some(list) = list else { continue };
            if list.len() != at_ms.len() {
                let what = format!("{} numbers for {} rows", list.len(), at_ms.len());
                return Err((option, what));
            }
            if let Some(large) = list.iter().find(|n| **n > most) {
                return Err((option, format!("{large} is more than {most}")));
            }
        }
        let row = |(i, at): (usize, &u64)| {
            let from = at.checked_mul(Span::millis(1).0).map(Time);
            let from = from.ok_or_else(|| ("at_ms", format!("{at} ms are more than 213 days")))?;
            Ok(Row {
                from,
                delay: Span(delay_us.map_or(0, |list| list[i]) * (Span::millis(1).0 / 1000)),
                loss: loss_ppm.map_or(0.0, |list| list[i] as f64 / MILLION as f64),
            })
        };
        Ok(Scheduled {
            rows: at_ms
                .iter()
                .enumerate()
                .map(row)
                .collect::<Result<_, _>>()?,
            present: 0,
            last: Time::ZERO,
        })
    }

    /// The same behind an older one, whose packets stay in front.
    pub(super) fn after(&self, old: &Scheduled) -> Scheduled {
        Scheduled {
            last: old.last,
            ..self.clone()
        }
    }

    /// The shortest of its delays.
    pub fn least(&self) -> Span {
        let delays = self.rows.iter().map(|row| row.delay);
        delays.min().unwrap_or(Span::ZERO)
    }
}

impl PathBox for Scheduled {
    fn pass(&mut self, now: Time, random: &mut Random) -> Pass {
        while self
            .rows
            .get(self.present + 1)
            .is_some_and(|next| next.from <= now)
        {
            self.present += 1;
        }
        let row = self.rows[self.present];
        if row.loss > 0.0 && random.unit() <= row.loss {
            return Pass::Lost(Cause::RandomLoss);
        }
        self.last = now.after(row.delay).max(self.last);
        Pass::At(self.last)
    }
}

pub(super) const PART: Part<Build> = Part {
    id: "schedule",
    aliases: &[],
    summary: "delay and loss that are constant for a while each, as listed",
    source: "AdvNet's steps; Arun et al., SIGCOMM 2022, section 4",
    options: &[
        Opt::new(
            "at_ms",
            Kind::Series,
            Default::Required,
            "when each row begins, in ms; the first at 0",
        ),
        Opt::new(
            "delay_us",
            Kind::Series,
            Default::Absent,
            "the delay of each row, in microseconds; without it none",
        ),
        Opt::new(
            "loss_ppm",
            Kind::Series,
            Default::Absent,
            "how many of a million packets are lost in each row; without it none",
        ),
    ],
    build,
};

fn build(args: &Args) -> Result<AnyBox, Refusal> {
    let list = |name| args.has(name).then(|| args.series(name));
    let (delay, loss) = (list("delay_us"), list("loss_ppm"));
    let made = Scheduled::new(&args.series("at_ms"), delay.as_deref(), loss.as_deref());
    made.map(AnyBox::Scheduled)
        .map_err(|(option, what)| Refusal {
            option,
            what,
            fix: "write lists of equal length, such as at_ms = [0, 500], delay_us = [20000, 5000]"
                .to_owned(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::millis(ms)
    }

    /// 20 ms of delay, from 100 ms on 5 ms: what comes in at 99 comes out at 119, and those of 100 to 114 wait for it.
    #[test]
    fn rows_hold_from_their_instant_on_and_the_order_is_kept() {
        let made = Scheduled::new(&[0, 100, 300], Some(&[20_000, 5_000, 40_000]), None);
        let (mut one, mut random) = (made.unwrap(), Random::stream(1, "box", ""));
        let out = [0, 99, 100, 114, 115, 299, 300].map(|ms| one.pass(at(ms), &mut random));
        let due = [20, 119, 119, 119, 120, 304, 340].map(|ms| Pass::At(at(ms)));
        assert_eq!(out, due);
        assert_eq!(one.least(), Span::millis(5));
    }

    /// Without loss, then all lost, then one in four: of 40,000 the standard deviation is 87.
    #[test]
    fn losses_are_those_of_the_row() {
        let made = Scheduled::new(&[0, 1, 2], None, Some(&[0, 1_000_000, 250_000]));
        let (mut one, mut random) = (made.unwrap(), Random::stream(1, "box", ""));
        assert_eq!(one.pass(at(0), &mut random), Pass::At(at(0)));
        assert_eq!(one.pass(at(1), &mut random), Pass::Lost(Cause::RandomLoss));
        let lost = (0..40_000).filter(|_| one.pass(at(2), &mut random) != Pass::At(at(2)));
        assert!((9_700..10_300).contains(&lost.count()));
    }

    #[test]
    fn what_is_no_schedule_is_refused_by_its_option() {
        let refused = |at: &[u64], delay: Option<&[u64]>, loss: Option<&[u64]>| {
            Scheduled::new(at, delay, loss).unwrap_err().0
        };
        assert_eq!(refused(&[], Some(&[]), None), "at_ms");
        assert_eq!(refused(&[1], Some(&[1]), None), "at_ms");
        assert_eq!(refused(&[0, 5, 5], Some(&[1, 1, 1]), None), "at_ms");
        assert_eq!(refused(&[0], None, None), "delay_us");
        assert_eq!(refused(&[0], Some(&[1, 2]), None), "delay_us");
        assert_eq!(refused(&[0], Some(&[LONGEST_US + 1]), None), "delay_us");
        assert_eq!(refused(&[0], None, Some(&[MILLION + 1])), "loss_ppm");
    }
}
