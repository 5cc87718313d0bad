//! A cellular link after the model of Sprout: opportunities come by a Poisson process whose rate is
//! itself random, and sometimes there are none for a while.
//!
//! When: the rate moves by Brownian motion between zero and `peak`, a normal step of `volatility` ×
//! √tick at each tick of 20 ms, reflected at both ends, and `reversion` × tick of its distance from the
//! middle returns. A step below zero begins an outage with the
//! chance `sticky`; an outage lasts an exponential time with the mean `outage`. Within a tick the
//! events of a Poisson process give `burst` opportunities each on average, by a geometric law: base
//! stations grant several at once.
//! Reference: Winstein, Sivaraman and Balakrishnan, Stochastic Forecasts Achieve High Throughput and
//! Low Delay over Cellular Networks (Sprout), NSDI 2013, section 3.1: a doubly stochastic (Cox) process
//! with sticky outages and a tick of 20 ms.
//! Differences: `reversion`, `sticky` and `burst` are ours. In Sprout's model nothing returns, every visit
//! to zero is sticky and opportunities are single: `reversion = 0`, `sticky = "100 %"`, `burst = 1`.
//! Defaults: what `fit` finds for mahimahi's Verizon-LTE-short.down.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::schedule::{Build, Schedule, steps_apart};

/// The tick of Sprout's model.
pub(super) const TICK: Span = Span::millis(20);

/// Parameters of the process.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Shape {
    /// Greatest rate, bit/s.
    pub peak: f64,
    /// Standard deviation of the rate's change in a second, bit/s.
    pub volatility: f64,
    /// Share of the distance from half the greatest rate that is lost in a second.
    pub reversion: f64,
    /// Chance that a visit to zero becomes an outage.
    pub sticky: f64,
    /// Mean length of an outage in seconds.
    pub outage: f64,
    /// Mean number of opportunities at once.
    pub burst: f64,
}

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Cox {
    shape: Shape,
    /// Logarithm of the chance that one more opportunity comes with those so far; none where each comes alone.
    ln_more: Option<f64>,
    /// bit/s; none before the first tick.
    rate: Option<f64>,
    /// No opportunity before then.
    outage_until: Time,
    /// End of the present tick.
    until: Time,
    /// The last event.
    at: Time,
    /// Opportunities left of it.
    burst: u64,
}

impl Cox {
    /// A link of this shape.
    pub fn new(shape: Shape) -> Cox {
        let more = 1.0 - 1.0 / shape.burst;
        Cox {
            shape,
            ln_more: (shape.burst > 1.0).then(|| libm::log(more)),
            rate: None,
            outage_until: Time::ZERO,
            until: Time::ZERO,
            at: Time::ZERO,
            burst: 0,
        }
    }

    fn tick(&mut self, random: &mut Random) {
        let begin = self.until;
        self.until = begin.after(TICK);
        let Shape {
            peak,
            volatility,
            reversion,
            sticky,
            outage,
            ..
        } = self.shape;
        // The reflected motion is uniform in the long run; so is its beginning.
        let Some(rate) = self.rate else {
            self.rate = Some(peak * random.unit());
            return;
        };
        if self.outage_until > begin {
            // Nothing happens at the ticks of an outage.
            let ticks = self.outage_until.since(begin).0.div_ceil(TICK.0);
            self.until = begin.after(Span(TICK.0.saturating_mul(ticks)));
            return;
        }
        let mut next = rate
            + reversion * TICK.seconds() * (peak / 2.0 - rate)
            + volatility * libm::sqrt(TICK.seconds()) * random.normal();
        if next < 0.0 && random.unit() <= sticky {
            self.outage_until = begin.after(Span::from_seconds(random.exponential(outage)));
            next = 0.0;
        }
        let folded = next.abs() % (2.0 * peak);
        self.rate = Some(folded.min(2.0 * peak - folded));
    }
}

impl Schedule for Cox {
    fn next(&mut self, size: u64, random: &mut Random) -> Option<Time> {
        if self.burst > 0 {
            self.burst -= 1;
            return Some(self.at);
        }
        let mut from = self.at;
        loop {
            if from >= self.until {
                if self.until == Time::NEVER {
                    return None;
                }
                from = self.until;
                self.tick(random);
            }
            let silent = self.outage_until.min(self.until);
            let rate = self.rate.unwrap_or(0.0) / (8 * size) as f64 / self.shape.burst;
            from = from.max(silent);
            // The Poisson process has no memory: what is drawn beyond the tick is drawn anew.
            let at = match rate > 0.0 && from < self.until {
                true => from.after(Span::from_seconds(random.exponential(1.0 / rate))),
                false => Time::NEVER,
            };
            if at < self.until {
                self.at = at;
                self.burst = self.ln_more.map_or(0, |ln_more| extra(ln_more, random));
                return Some(at);
            }
            from = self.until;
        }
    }

    fn is_random(&self) -> bool {
        true
    }

    /// Outages take one step, whatever their length.
    fn steps(&self, size: u64) -> f64 {
        steps_apart(size, self.shape.peak / 2.0, TICK) * self.shape.burst
    }
}

/// How many opportunities come with the first: geometric. `ln_more` is the logarithm of the chance of one more.
fn extra(ln_more: f64, random: &mut Random) -> u64 {
    libm::floor(libm::log(random.unit()) / ln_more) as u64
}

pub(super) const PART: Part<Build<Cox>> = Part {
    id: "cox",
    aliases: &["cellular"],
    summary: "Poisson opportunities whose rate is a Brownian motion, with outages",
    source: "Winstein et al., Sprout, NSDI 2013, section 3.1",
    options: &[
        Opt::new(
            "peak",
            Kind::Rate,
            Default::Is("9.91 Mbit/s"),
            "greatest rate; the mean is half of it",
        )
        .at_least("10 kbit/s")
        .at_most("10 Gbit/s"),
        Opt::new(
            "volatility",
            Kind::Rate,
            Default::Is("2.15 Mbit/s"),
            "standard deviation of the rate's change in a second",
        )
        .at_least("1 bit/s")
        .at_most("10 Gbit/s"),
        Opt::new(
            "reversion",
            Kind::Number,
            Default::Is("0"),
            "share of its distance from half the peak that the rate loses in a second",
        )
        .at_least("0")
        .at_most("20"),
        Opt::new(
            "sticky",
            Kind::Share,
            Default::Is("3.81 %"),
            "chance that a visit to zero becomes an outage",
        ),
        Opt::new(
            "outage",
            Kind::Span,
            Default::Is("555 ms"),
            "mean length of an outage",
        )
        .at_least("1 ms")
        .at_most("1000 s"),
        Opt::new(
            "burst",
            Kind::Number,
            Default::Is("1.59"),
            "mean number of opportunities that come at once",
        )
        .at_least("1")
        .at_most("1000"),
    ],
    build: |args| {
        Ok(Cox::new(Shape {
            peak: args.rate("peak").0 as f64,
            volatility: args.rate("volatility").0 as f64,
            reversion: args.number("reversion"),
            sticky: args.share("sticky"),
            outage: args.span("outage").seconds(),
            burst: args.number("burst"),
        }))
    },
};
