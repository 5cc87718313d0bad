//! Transfers of a data centre: at random instants, with sizes of a measured distribution.
//!
//! When: a Poisson process; the mean gap is the mean size over the rate.
//! How much: a size by linear interpolation of a cumulative distribution, either of a published workload or of a file with a size
//! in bytes and a percentage on each line.
//! Reference: the flow generator of HPCC's public simulator (Li et al., SIGCOMM 2019) and its distributions: web search is that of
//! DCTCP (Alizadeh et al., SIGCOMM 2010), Hadoop that of Roy et al. (SIGCOMM 2015), storage Alibaba's of 2019,
//! remote procedure calls Google's of 2008 (its 843 points are in `rpc.txt`).
//! Differences: the transfers of a flow follow one another on one queue pair or connection; a size has at least one byte.

use std::sync::{Arc, LazyLock};

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};

use super::trace::{self, Decimal, Fault, lines, quote};
use super::{AnySource, Build, Demand, LARGEST, Source, later, rate};

/// Points of a distribution: bytes, and the share of transfers up to that size in hundredths of a percent.
type Points = &'static [(u64, u32)];

/// Web search.
const WEBSEARCH: Points = &[
    (0, 0),
    (10_000, 1500),
    (20_000, 2000),
    (30_000, 3000),
    (50_000, 4000),
    (80_000, 5300),
    (200_000, 6000),
    (1_000_000, 7000),
    (2_000_000, 8000),
    (5_000_000, 9000),
    (10_000_000, 9700),
    (30_000_000, 10_000),
];
/// Hadoop.
const HADOOP: Points = &[
    (0, 0),
    (100, 100),
    (200, 200),
    (300, 500),
    (350, 1500),
    (400, 2000),
    (500, 3000),
    (600, 4000),
    (700, 5000),
    (1000, 6000),
    (2000, 6700),
    (7000, 7000),
    (30_000, 7200),
    (50_000, 8200),
    (80_000, 8700),
    (120_000, 9000),
    (300_000, 9500),
    (1_000_000, 9750),
    (2_000_000, 9900),
    (10_000_000, 10_000),
];
/// Storage.
const STORAGE: Points = &[
    (0, 0),
    (4000, 2293),
    (8000, 6921),
    (16_000, 8061),
    (32_000, 9047),
    (64_000, 9353),
    (128_000, 9677),
    (256_000, 9753),
    (2_000_000, 10_000),
];
/// Remote procedure calls.
static RPC: LazyLock<Sizes> = LazyLock::new(|| {
    Sizes::read(include_bytes!("rpc.txt")).expect("a distribution that a test reads")
});
const CALLS: &str = "rpc";
const FILE: &str = "file";
const WORKLOADS: [(&str, Points); 3] = [
    ("websearch", WEBSEARCH),
    ("hadoop", HADOOP),
    ("storage", STORAGE),
];

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Mean time between transfers, seconds.
    gap: f64,
    sizes: Sizes,
}

/// A distribution: bytes, and the share of transfers up to that size.
#[derive(Clone, Debug)]
struct Sizes(Arc<[(f64, f64)]>);

pub(super) const PART: Part<Build> = Part {
    id: "workload",
    aliases: &[],
    summary: "transfers at random instants, with sizes of a measured distribution",
    source: "Li et al., SIGCOMM 2019, traffic generator",
    options: &[
        Opt::new(
            "sizes",
            Kind::Choice(&[WORKLOADS[0].0, WORKLOADS[1].0, WORKLOADS[2].0, CALLS, FILE]),
            Default::Is(WORKLOADS[0].0),
            "distribution of the sizes: web search (mean 1.71 MB), Hadoop (120 kB), storage (40.9 kB), remote procedure calls \
             (2.89 kB), or that of a file",
        ),
        Opt::new(
            FILE,
            Kind::File,
            Default::Absent,
            "a size in bytes and the percentage of transfers up to that size on each line, from 0 % to 100 %",
        ),
        rate("mean rate of the payload"),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let name = args.choice("sizes");
    if args.has(FILE) != (name == FILE) {
        return Err(Refusal {
            option: FILE,
            what: "a file of a distribution and sizes = \"file\" go together".into(),
            fix: "write both or neither".into(),
        });
    }
    let sizes = match WORKLOADS.iter().find(|known| known.0 == name) {
        Some((_, points)) => Sizes::of(points),
        None if name == CALLS => RPC.clone(),
        None => {
            let file = args.file(FILE);
            Sizes::read(&file.content).map_err(|fault| {
                trace::refusal(
                    &fault,
                    FILE,
                    &file,
                    "on each line write a size and the percentage of transfers up to it, sizes rising, percentages from 0 to 100",
                )
            })?
        }
    };
    let gap = sizes.mean() * 8.0 / args.rate("rate").0 as f64;
    Ok(AnySource::Workload(Workload { gap, sizes }))
}

impl Sizes {
    fn of(points: Points) -> Sizes {
        let share = |hundredths: u32| f64::from(hundredths) / 10_000.0;
        Sizes(points.iter().map(|p| (p.0 as f64, share(p.1))).collect())
    }

    fn read(content: &[u8]) -> Result<Sizes, Fault> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for row in lines(content) {
            let (place, text) = row?;
            let Some((size, share)) = text.trim().split_once([' ', '\t', ',']) else {
                return Err(place.fault(format!("{} is not two columns", quote(text))));
            };
            let number = |text: &str, power: i32| {
                let decimal = Decimal::parse(text.trim()).map_err(|why| place.fault(why))?;
                let scaled = decimal.scaled(power).and_then(|n| i64::try_from(n).ok());
                scaled.ok_or_else(|| place.fault(format!("{} is too large", quote(text))))
            };
            let point = (number(size, 0)? as f64, number(share, 6)? as f64 / 100e6);
            if point.0 < 0.0 || point.0 > LARGEST.0 as f64 || !(0.0..=1.0).contains(&point.1) {
                return Err(place.fault(format!("{} is out of bounds", quote(text))));
            }
            if let Some(last) = points.last()
                && (point.0 <= last.0 || point.1 < last.1)
            {
                return Err(place.fault(format!(
                    "{} lies below the line before it: sizes rise, and their shares do not fall",
                    quote(text)
                )));
            }
            points.push(point);
        }
        let ends = points.first().zip(points.last());
        if !ends.is_some_and(|(first, last)| first.1 == 0.0 && last.1 == 1.0) {
            let what = "the distribution does not go from 0 % to 100 %";
            return Err(trace::Place::Whole.fault(what));
        }
        Ok(Sizes(points.into()))
    }

    /// The mean: between two points sizes are uniform.
    fn mean(&self) -> f64 {
        let pairs = self.0.windows(2);
        pairs
            .map(|p| (p[1].1 - p[0].1) * (p[0].0 + p[1].0) / 2.0)
            .sum()
    }

    /// The size up to which there is this share.
    fn at(&self, share: f64) -> Bytes {
        let above = self.0.partition_point(|p| p.1 < share).max(1);
        let (low, high) = (self.0[above - 1], self.0[above.min(self.0.len() - 1)]);
        let part = match high.1 > low.1 {
            true => (share - low.1) / (high.1 - low.1),
            false => 1.0,
        };
        let bytes = low.0 + part * (high.0 - low.0);
        Bytes((libm::round(bytes) as u64).clamp(1, LARGEST.0))
    }
}

impl Workload {
    /// Mean time between transfers, seconds.
    pub(super) fn gap(&self) -> f64 {
        self.gap
    }
}

impl Source for Workload {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let at = later(now, Span::from_seconds(random.exponential(self.gap)))?;
        let bytes = self.sizes.at(random.unit());
        Some(Demand { at, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means of the published distributions by linear interpolation.
    #[test]
    fn workloads_have_their_means() {
        for (points, mean) in [
            (WEBSEARCH, 1_711_250.0),
            (HADOOP, 120_420.75),
            (STORAGE, 40_869.8),
        ] {
            let got = Sizes::of(points).mean();
            assert!((got - mean).abs() < 0.5, "{got} {mean}");
        }
        let got = RPC.mean();
        assert!((got - 2_891.62).abs() < 0.005, "{got}");
    }

    #[test]
    fn sizes_are_interpolated() {
        let sizes = Sizes::of(WEBSEARCH);
        for (share, bytes) in [
            (0.075, 5000),
            (0.15, 10_000),
            (0.65, 600_000),
            (1.0, 30_000_000),
        ] {
            assert_eq!(sizes.at(share), Bytes(bytes));
        }
        // Half of all calls are below 260 B, one in a hundred is above 32 kB.
        for (share, bytes) in [(0.497_901, 256), (0.990_402, 32_768), (1.0, 15_158_197)] {
            assert_eq!(RPC.at(share), Bytes(bytes));
        }
    }

    /// The share of none is the least size: that where the distribution begins to rise, and a byte at least.
    #[test]
    fn the_ends_of_a_distribution_are_sizes() {
        let of = |text: &str| Sizes::read(text.as_bytes()).expect("a distribution");
        assert_eq!(of("0 0\n50 0\n100 100\n").at(0.0), Bytes(50));
        assert_eq!(of("0 0\n10 100\n").at(0.0), Bytes(1));
        assert_eq!(of("0 0\n100 50\n200 50\n300 100\n").at(0.5), Bytes(100));
        assert_eq!(of("0 0\n100 50\n200 50\n300 100\n").at(0.75), Bytes(250));
        assert_eq!(of("0 0\n1000000000 100\n").at(1.0), LARGEST);
        let gap = of("40 0\n60 100\n").mean() * 8.0 / 1e3;
        let load = Workload {
            gap,
            sizes: of("40 0\n60 100\n"),
        };
        assert!((load.gap() - 0.4).abs() < 1e-12);
    }

    /// 20,000 transfers of mean 40,869.8 B: the rate is that asked for within five standard errors. The second moment of the
    /// storage sizes is 2.9e10 B², so a deviation of 4.1 means, and the sum of a compound Poisson process has one of
    /// (1 + 4.1²)^½ / 20,000^½ = 3 %.
    #[test]
    fn the_rate_is_that_asked_for() {
        let sizes = Sizes::of(STORAGE);
        let mut load = Workload {
            gap: sizes.mean() * 8.0 / 1e9,
            sizes,
        };
        let mut random = Random::stream(1, "source", "f");
        let (mut now, mut bytes) = (Time::ZERO, 0);
        for _ in 0..20_000 {
            let demand = load.next(now, &mut random).expect("never ends");
            (now, bytes) = (demand.at, bytes + demand.bytes.0);
        }
        let got = bytes as f64 * 8.0 / now.seconds();
        assert!((got / 1e9 - 1.0).abs() < 0.15, "{got}");
    }

    #[test]
    fn a_file_that_falls_is_refused_with_its_line() {
        let read = |text: &str| Sizes::read(text.as_bytes());
        assert!((read("0 0\n100 50\n300 100\n").unwrap().mean() - 125.0).abs() < 1e-9);
        for (text, said) in [
            ("0 0\n100 50\n50 100\n", "sizes rise"),
            ("0 0\n100 50\n200 40\n300 100\n", "sizes rise"),
            ("0 0\n100 50\n", "0 % to 100 %"),
            ("0 0\n100\n", "two columns"),
            ("0 0\n100 200\n", "out of bounds"),
        ] {
            let fault = format!("{:?}", read(text).unwrap_err());
            assert!(fault.contains(said), "{text} {fault}");
        }
    }
}
