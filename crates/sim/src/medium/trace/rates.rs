//! A rate that is constant for a while each, as listed.
//!
//! When: a row's rate holds from its instant to that of the next, the last for ever.
//! Reference: AdvNet's steps of bandwidth. No deviations.

use std::sync::Arc;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};

use super::schedule::{Build, Integrator, Schedule, steps_apart};

/// Most bits a second.
const FASTEST: u64 = 100_000_000_000;

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Rates {
    /// When each row begins, and its rate.
    rows: Arc<[(Time, Rate)]>,
    integral: Integrator,
    present: usize,
}

impl Schedule for Rates {
    fn next(&mut self, size: u64, _: &mut Random) -> Option<Time> {
        loop {
            let (_, rate) = self.rows[self.present];
            let next = self.rows.get(self.present + 1);
            let until = next.map_or(Time::NEVER, |(from, _)| *from);
            if let Some(at) = self.integral.next(rate, until, size) {
                return Some(at);
            }
            // Past the last row there is nothing more.
            next?;
            self.present += 1;
        }
    }

    fn steps(&self, size: u64) -> f64 {
        let fastest = self.rows.iter().map(|(_, rate)| rate.0).max().unwrap_or(1);
        steps_apart(size, fastest.max(1) as f64, Span::millis(1))
    }
}

pub(super) const PART: Part<Build<Rates>> = Part {
    id: "rates",
    aliases: &[],
    summary: "a rate that is constant for a while each, as listed",
    source: "AdvNet's steps of bandwidth",
    options: &[
        Opt::new(
            "at_ms",
            Kind::Series,
            Default::Required,
            "when each rate begins, in ms; the first at 0",
        ),
        Opt::new(
            "rate_bps",
            Kind::Series,
            Default::Required,
            "the rates, in bit/s; the last above zero",
        ),
    ],
    build,
};

fn build(args: &Args) -> Result<Rates, Refusal> {
    Rates::new(&args.series("at_ms"), &args.series("rate_bps"))
}

impl Rates {
    /// Of the milliseconds at which rows begin and their rates.
    ///
    /// # Errors
    /// The option with what is wrong.
    pub fn new(at_ms: &[u64], rates: &[u64]) -> Result<Rates, Refusal> {
        let refuse = |option, what| {
            Refusal {
            option,
            what,
            fix: "write lists of equal length, such as at_ms = [0, 500], rate_bps = [500000, 9500000]"
                .to_owned(),
        }
        };
        if at_ms.first() != Some(&0) {
            return Err(refuse("at_ms", "the first row does not begin at 0".into()));
        }
        if let Some(i) = at_ms.windows(2).position(|pair| pair[1] <= pair[0]) {
            let what = format!("{} comes after {}", at_ms[i + 1], at_ms[i]);
            return Err(refuse(
                "at_ms",
                format!("{what}: rows begin one after the other"),
            ));
        }
        if let Some(late) = at_ms
            .iter()
            .find(|ms| ms.checked_mul(Span::millis(1).0).is_none())
        {
            return Err(refuse("at_ms", format!("{late} ms are more than 213 days")));
        }
        if rates.len() != at_ms.len() {
            let what = format!("{} rates for {} rows", rates.len(), at_ms.len());
            return Err(refuse("rate_bps", what));
        }
        if let Some(fast) = rates.iter().find(|rate| **rate > FASTEST) {
            return Err(refuse("rate_bps", format!("{fast} is more than {FASTEST}")));
        }
        if rates.last() == Some(&0) {
            return Err(refuse(
                "rate_bps",
                "the last rate is 0: the trace has no end".into(),
            ));
        }
        let from = at_ms.iter().map(|ms| Time(ms * Span::millis(1).0));
        Ok(Rates {
            rows: from.zip(rates.iter().map(|rate| Rate(*rate))).collect(),
            integral: Integrator::default(),
            present: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::part::Value;

    use super::*;

    fn rates(at_ms: &[u64], rate_bps: &[u64]) -> Result<Rates, Refusal> {
        build(&Args(vec![
            ("at_ms", Value::Series(at_ms.into())),
            ("rate_bps", Value::Series(rate_bps.into())),
        ]))
    }

    /// 1000 B at 1 Mbit/s take 8 ms. From 12 ms on, when half of the second has come together, the rate is 4 Mbit/s: the
    /// rest of it takes 1 ms, the next ones 2 ms.
    #[test]
    fn a_rate_holds_from_its_instant_on_and_no_bit_is_lost() {
        let mut trace = rates(&[0, 12], &[1_000_000, 4_000_000]).unwrap();
        let mut random = Random::stream(1, "trace", "");
        let found = [0; 4].map(|_| trace.next(1000, &mut random).unwrap());
        assert_eq!(
            found,
            [8, 13, 15, 17].map(|ms| Time::ZERO + Span::millis(ms))
        );
    }

    #[test]
    fn what_is_no_list_of_rates_is_refused_by_its_option() {
        let refused = |at_ms: &[u64], rate_bps: &[u64]| rates(at_ms, rate_bps).unwrap_err().option;
        assert_eq!(refused(&[1], &[1]), "at_ms");
        assert_eq!(refused(&[0, 0], &[1, 1]), "at_ms");
        assert_eq!(refused(&[0], &[1, 1]), "rate_bps");
        assert_eq!(refused(&[0], &[FASTEST + 1]), "rate_bps");
        assert_eq!(refused(&[0, 1], &[1, 0]), "rate_bps");
    }
}
