//! Responses to requests: transfers of random size, one after another.
//!
//! When: closed, a request is made a think time after the response before it was acknowledged, so the
//! load follows what the network carries (the request is taken to ride on the acknowledgement); open,
//! requests come at random instants whether or not the network keeps up.
//! How much: sizes that are constant, exponential, Pareto, or drawn with equal probability from a file.
//! Reference: Crovella, Bestavros, Self-Similarity in World Wide Web Traffic, 1997 (Pareto sizes with
//! exponents of 1.0 to 1.5); Poisson arrivals of transfers as in studies of flow completion time.
//! Differences: all transfers of a flow share one connection, so only the first begins in slow start.

use std::sync::Arc;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};

use super::{AnySource, Build, Demand, LARGEST, Source, later, trace, video_trace};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct RequestResponse {
    sizes: Sizes,
    gap: Span,
    random_gap: bool,
    closed: bool,
}

/// Law of the sizes.
#[derive(Clone, Debug)]
enum Sizes {
    Fixed(u64),
    Exponential { mean: f64 },
    Pareto { alpha: f64, least: f64 },
    List(Arc<[u32]>),
}

pub(super) const PART: Part<Build> = Part {
    id: "request-response",
    aliases: &[],
    summary: "transfers of random size, each after the one before or at random instants",
    source: "Closed and open models of request and response",
    options: &[
        Opt::new(
            "requests",
            Kind::Choice(&["closed", "open"]),
            Default::Is("closed"),
            "a request `gap` after the response before it was acknowledged, or one every `gap`",
        ),
        Opt::new(
            "gap",
            Kind::Span,
            Default::Is("0 s"),
            "mean think time, or mean time between requests",
        )
        .at_least("0 s"),
        Opt::new(
            "gaps",
            Kind::Choice(&["exponential", "fixed"]),
            Default::Is("exponential"),
            "law of the gaps",
        ),
        Opt::new(
            "sizes",
            Kind::Choice(&["fixed", "exponential", "pareto", "file"]),
            Default::Is("fixed"),
            "law of the sizes",
        ),
        Opt::new(
            "size",
            Kind::Bytes,
            Default::Absent,
            "mean size of a response; a file of sizes has its own",
        )
        .at_least("1 B")
        .at_most("1000 MB"),
        Opt::new(
            "alpha",
            Kind::Number,
            Default::Absent,
            "exponent of Pareto sizes; 1.5 where it is left out",
        )
        .at_least("1.01")
        .at_most("100"),
        Opt::new(
            "file",
            Kind::File,
            Default::Absent,
            "sizes in bytes, one on each line",
        ),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let law = args.choice("sizes");
    let refuse = |option, what: &str, fix: &str| {
        Err(Refusal {
            option,
            what: what.into(),
            fix: fix.into(),
        })
    };
    if args.has("file") != (law == "file") {
        return refuse(
            "file",
            "a file of sizes and sizes = \"file\" go together",
            "write both or neither",
        );
    }
    if args.has("size") == (law == "file") {
        return refuse(
            "size",
            "a law of sizes needs its mean, and a file has its own",
            "write size = \"100 kB\", or remove it beside a file",
        );
    }
    if args.has("alpha") && law != "pareto" {
        return refuse(
            "alpha",
            "only Pareto sizes have an exponent",
            "remove it, or write sizes = \"pareto\"",
        );
    }
    let (gap, closed) = (args.span("gap"), args.choice("requests") == "closed");
    if gap == Span::ZERO && !closed {
        return refuse(
            "gap",
            "open requests come without end at one instant",
            "write the mean time between requests",
        );
    }
    let sizes = match law {
        "file" => {
            let file = args.file("file");
            Sizes::List(video_trace::sizes(&file.content, false).map_err(|fault| {
                trace::refusal(&fault, "file", &file, "write one size on each line")
            })?)
        }
        law => {
            let mean = args.bytes("size").0;
            match law {
                "fixed" => Sizes::Fixed(mean),
                "exponential" => Sizes::Exponential { mean: mean as f64 },
                _ => {
                    let alpha = if args.has("alpha") {
                        args.number("alpha")
                    } else {
                        1.5
                    };
                    let least = mean as f64 * (alpha - 1.0) / alpha;
                    Sizes::Pareto { alpha, least }
                }
            }
        }
    };
    Ok(AnySource::RequestResponse(RequestResponse {
        sizes,
        gap,
        random_gap: args.choice("gaps") == "exponential",
        closed,
    }))
}

impl Sizes {
    /// A response has at least a byte and at most 1000 MB.
    fn draw(&self, random: &mut Random) -> Bytes {
        let bytes = match self {
            Sizes::Fixed(bytes) => *bytes,
            Sizes::Exponential { mean } => libm::round(random.exponential(*mean)) as u64,
            Sizes::Pareto { alpha, least } => libm::round(random.pareto(*alpha, *least)) as u64,
            Sizes::List(list) => u64::from(list[random.between(0, list.len() as u64 - 1) as usize]),
        };
        Bytes(bytes.clamp(1, LARGEST.0))
    }
}

impl Source for RequestResponse {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let gap = if self.random_gap {
            Span::from_seconds(random.exponential(self.gap.seconds()))
        } else {
            self.gap
        };
        let at = later(now, gap)?;
        let bytes = self.sizes.draw(random);
        Some(Demand { at, bytes })
    }

    fn needs_transport(&self) -> bool {
        self.closed
    }

    fn waits(&self) -> bool {
        self.closed
    }
}
