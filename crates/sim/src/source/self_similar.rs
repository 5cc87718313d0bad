//! Superposition of heavy-tailed sources.
//!
//! When: n independent renewal processes with Pareto intervals of shape `alpha_gap`, or with exponential ones where
//! `gap_law = "exponential"`: the same bursts as a Poisson process, for comparison. The mean interval
//! of each is E\[T\] = 8·n·burst/rate, so together they offer n·8·burst/E\[T\] = `rate`; the least
//! interval is E\[T\](α − 1)/α. The first interval of each is a residual life: with α ≤ 2 intervals have
//! no variance, and sources that all began with a whole interval would need very long to forget it.
//! How much: bursts with the Pareto law of shape `alpha_burst` from k on, truncated at L = `burst_max`,
//! that is, conditioned on X ≤ L, handed to the host at once and rounded to the nearest byte. With
//! S = (k/L)^α and s uniform on (S, 1\], X = k·s^(−1/α). Its mean
//!
//! E\[X\] = ∫ₖᴸ x·αk^α x^(−α−1) dx / (1 − S) = k · α/(α − 1) · (1 − (k/L)^(α−1)) / (1 − (k/L)^α)
//!
//! grows from 0 to L with k, so that exactly one k gives E\[X\] = `burst` where `burst` < `burst_max`.
//! It is found by bisection. Rounding to bytes moves the mean by less than α/8k bytes.
//! Reference: Tobagi, Fraleigh, Noureddine, Congestion Control in Local Area Networks, "Self-Similar"
//! (100 or more sources, X and T Pareto). The number of bursts in a window is long-range dependent with
//! H = (3 − alpha_gap)/2 for 1 < alpha_gap < 2 (Taqqu and Levy, 1986). Truncated bursts have a variance
//! and only add a term that grows with the window, not with its power 2H.
//! From where: the counts of n such processes are those of a Poisson process up to windows far above the mean interval of
//! one, 8·n·burst/rate. So 100 sources with 24 kB and 3 Mbit/s, 6.4 s each, act as Poisson bursts at the scales of most
//! runs; the fewer the sources, the earlier long-range dependence begins. One source with `alpha_gap = 1.3` has it from
//! 10 ms to 100 s on the wire at usual bursts and rates; `hurst = true` on the flow measures it.
//! Differences: the slides give neither shapes, truncation nor placement of first bursts.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};

use super::law::{Law, mean_gap};
use super::{AnySource, Build, Demand, Source, later, rate};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct SelfSimilar {
    sources: u64,
    gaps: Law,
    bursts: TruncatedPareto,
    /// The next burst of each source; empty before the first call. The sources are alike, so which
    /// one an instant belongs to need not be known.
    due: BinaryHeap<Reverse<Time>>,
}

pub(super) const PART: Part<Build> = Part {
    id: "self-similar",
    aliases: &[],
    summary: "superposition of sources with Pareto bursts at Pareto intervals",
    source: "Tobagi, Fraleigh, Noureddine: Self-Similar Data Traffic Model; Taqqu and Levy 1986",
    options: &[
        Opt::new(
            "burst",
            Kind::Bytes,
            Default::Required,
            "mean burst, truncation included",
        )
        .at_least("1 B")
        .at_most("1000 MB"),
        rate("mean rate of all sources together"),
        Opt::new(
            "sources",
            Kind::Count,
            Default::Is("100"),
            "number of superposed sources",
        )
        .at_least("1")
        .at_most("100000"),
        Opt::new(
            "alpha_burst",
            Kind::Number,
            Default::Is("1.5"),
            "shape of burst sizes",
        )
        .at_least("0.1")
        .at_most("100"),
        Opt::new(
            "alpha_gap",
            Kind::Number,
            Default::Is("1.5"),
            "shape of intervals; at one and below they have no mean",
        )
        .at_least("1.01")
        .at_most("100"),
        Opt::new(
            "gap_law",
            Kind::Choice(&["pareto", "exponential"]),
            Default::Is("pareto"),
            "law of the intervals; with exponential ones bursts come as a Poisson process, and `alpha_gap` has no meaning",
        ),
        Opt::new(
            "burst_max",
            Kind::Bytes,
            Default::Is("1 MB"),
            "no burst is larger",
        )
        .at_least("2 B")
        .at_most("1000 MB"),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let (burst, most) = (args.bytes("burst"), args.bytes("burst_max"));
    if burst >= most {
        return Err(Refusal {
            option: "burst_max",
            what: format!(
                "bursts of {} B at most can't have a mean of {} B",
                most.0, burst.0
            ),
            fix: "write a burst_max well above burst".into(),
        });
    }
    let alpha = args.number("alpha_burst");
    let bursts = TruncatedPareto::with_mean(burst.0 as f64, alpha, most.0 as f64).ok_or(Refusal {
        option: "burst",
        what: format!(
            "with a mean of {} B, shape {alpha} and truncation at {} B the least burst would be \
             under one byte",
            burst.0, most.0
        ),
        fix: "write a larger burst, a larger alpha_burst or a smaller burst_max".into(),
    })?;
    let sources = args.count("sources");
    let mean = mean_gap(burst.0 as f64, args.rate("rate")) * sources as f64;
    let gaps = match args.choice("gap_law") {
        "exponential" => Law::Exponential { mean },
        _ => Law::Pareto {
            mean,
            alpha: args.number("alpha_gap"),
        },
    };
    Ok(AnySource::SelfSimilar(SelfSimilar {
        sources,
        gaps,
        bursts,
        due: BinaryHeap::new(),
    }))
}

impl Source for SelfSimilar {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        if self.due.is_empty() {
            let first = |_| later(now, self.gaps.residual(random)).unwrap_or(Time::NEVER);
            self.due = (0..self.sources).map(first).map(Reverse).collect();
        }
        let mut head = self.due.peek_mut()?;
        let Reverse(at) = *head;
        if at == Time::NEVER {
            return None;
        }
        head.0 = later(at, self.gaps.draw(random)).unwrap_or(Time::NEVER);
        let bytes = Bytes(self.bursts.draw(random));
        Some(Demand { at, bytes })
    }
}

/// The Pareto law from `least` on, conditioned on what is at most `most`.
#[derive(Copy, Clone, Debug)]
struct TruncatedPareto {
    alpha: f64,
    least: f64,
    /// P(X > most) before truncation: (least/most)^alpha.
    beyond: f64,
}

impl TruncatedPareto {
    /// The law whose mean this is, if its least value is one or more. `mean` lies below `most`.
    fn with_mean(mean: f64, alpha: f64, most: f64) -> Option<TruncatedPareto> {
        // Bisection over ln(least/most), where neither end cancels.
        let (mut low, mut high) = (-libm::log(most), 0.0);
        if most * mean_over_most(alpha, low) > mean {
            return None;
        }
        // 64 halvings bring an interval below 21 under the resolution of an f64.
        for _ in 0..64 {
            let middle = 0.5 * (low + high);
            if most * mean_over_most(alpha, middle) > mean {
                high = middle;
            } else {
                low = middle;
            }
        }
        let least = most * libm::exp(low);
        Some(TruncatedPareto {
            alpha,
            least,
            beyond: libm::exp(alpha * low),
        })
    }

    /// A size in whole bytes, at least one.
    fn draw(&self, random: &mut Random) -> u64 {
        let above = self.beyond + (1.0 - self.beyond) * random.unit();
        let size = self.least * libm::pow(above, -1.0 / self.alpha);
        libm::floor(size + 0.5) as u64
    }
}

/// E\[X\]/L as a function of l = ln(k/L): e^l · g(α − 1)/g(α) with g(e) = (1 − e^(el))/e, whose limit at
/// e = 0 is −l.
fn mean_over_most(alpha: f64, l: f64) -> f64 {
    let g = |e: f64| {
        if e == 0.0 {
            -l
        } else {
            -libm::expm1(e * l) / e
        }
    };
    libm::exp(l) * g(alpha - 1.0) / g(alpha)
}
