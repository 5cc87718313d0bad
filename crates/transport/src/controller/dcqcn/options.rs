//! The row of DCQCN.

use super::Dcqcn;
use super::law::Law;
use crate::building_blocks::rate_steps::Rise;
use crate::building_blocks::rdma;
use crate::controller_interface::BuildOf;
use crate::part::{Args, Default, Kind, Opt, Part, Refusal};

/// The readings.
const VARIANTS: &[&str] = &["paper", "ns3-rdma", "connectx", "hpcc-simulator"];

fn number(args: &Args, name: &str, default: f64) -> f64 {
    if args.has(name) {
        args.number(name)
    } else {
        default
    }
}

fn rate(args: &Args, name: &str, default: f64) -> f64 {
    if args.has(name) {
        args.rate(name).0 as f64
    } else {
        default
    }
}

/// The row.
pub const PART: Part<BuildOf<Dcqcn>> = Part {
    id: "dcqcn",
    aliases: &[],
    summary: "a rate that notification packets cut and that time and bytes raise",
    source: "Zhu et al., SIGCOMM 2015",
    options: &[
        rdma::rate(rdma::FIRST_RATE),
        Opt::new(
            "variant",
            Kind::Choice(VARIANTS),
            Default::Is("paper"),
            "which published reading: order, constants, and when the target follows the rate",
        ),
        Opt::new(
            "gain",
            Kind::Number,
            Default::Absent,
            "weight of a new interval in alpha (g); the variant's where it is left out",
        )
        .at_least("0.0001")
        .at_most("1"),
        Opt::new(
            "timer",
            Kind::Span,
            Default::Absent,
            "T, between two increases by time; the variant's where it is left out",
        )
        .at_least("1 us")
        .at_most("1 s"),
        Opt::new(
            "bytes",
            Kind::Bytes,
            Default::Absent,
            "B, between two increases by bytes; the variant's where it is left out",
        )
        .at_least("1 kB")
        .at_most("1000 MB"),
        Opt::new(
            "additive",
            Kind::Rate,
            Default::Absent,
            "R_AI; the variant's where it is left out",
        )
        .at_most("100 Gbit/s"),
        Opt::new(
            "hyper",
            Kind::Rate,
            Default::Absent,
            "R_HAI; the variant's where it is left out",
        )
        .at_most("100 Gbit/s"),
        Opt::new(
            "least",
            Kind::Rate,
            Default::Absent,
            "least rate; the variant's where it is left out",
        )
        .at_least("1 Mbit/s")
        .at_most("100 Gbit/s"),
        Opt::new(
            "window",
            Kind::Bytes,
            Default::Absent,
            "payload bytes in flight at the rate of the line, and in proportion below (DCQCN with a window); no limit where it \
             is left out",
        )
        .at_least("1 kB")
        .at_most("1000 MB"),
    ],
    build: |args, setup| {
        let line = args.rate("rate").0 as f64;
        let named = Law::named(args.choice("variant"), line);
        if !setup.protocol.row().queue_pair {
            return Err(Refusal {
                option: "variant",
                what: "DCQCN is for queue pairs: it does not answer losses, and notification packets tell it of marks".into(),
                fix: "write transport = \"roce\" or transport = \"irn\"".into(),
            });
        }
        let law = Law {
            gain: number(args, "gain", named.gain),
            rise: Rise {
                timer: match args.has("timer") {
                    true => args.span("timer"),
                    false => named.rise.timer,
                },
                bytes: match args.has("bytes") {
                    true => Some(args.bytes("bytes").0),
                    false => named.rise.bytes,
                },
                additive: rate(args, "additive", named.rise.additive),
                hyper: rate(args, "hyper", named.rise.hyper),
                ..named.rise
            },
            least: rate(args, "least", named.least),
            ..named
        };
        let window = args.has("window").then(|| args.bytes("window").0);
        Ok(Dcqcn::new(law, line, window, [setup.mss, setup.frame]))
    },
};
