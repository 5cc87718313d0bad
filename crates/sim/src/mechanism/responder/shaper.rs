//! Detects and tells: left to the recipe. Responds: a token bucket holds what the notice covers to
//! the rate it names, until the timer runs out or the notice is taken back. The bucket is a GCRA, which
//! lets `depth` and one frame leave at once: a depth below a frame is then no contradiction.
//! Reference: S2 "rate control": drain rate ÷ number of feeders. A queue drains at its line rate, or at the rate to which
//! its port is itself held, so that rate control goes on up a chain.
//! Differences: asks for `share` of that rate, so that a congested queue drains rather than stands. A bar that covers
//! part of a queue's classes or destinations does not count as holding it.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Bytes, Rate, Time};

use super::{AnyResponder, Build, Knobs, Responder};
use crate::mechanism::gates::{Bar, Bucket};
use crate::mechanism::notice::Notice;

/// Share of the fair rate, and the bucket's depth.
#[derive(Clone, Debug)]
pub struct Shaper {
    share: f64,
    depth: Bytes,
}

impl Responder for Shaper {
    fn ask(&self, drain: Rate, feeders: u32) -> Option<Rate> {
        let fair = drain.0 as f64 * self.share / f64::from(feeders);
        Some(Rate((libm::floor(fair) as u64).max(1)))
    }

    fn react(&self, now: Time, notice: &Notice, knobs: &mut Knobs) {
        let rate = notice.rate.expect("a shaper is asked for a rate");
        if notice.quanta == 0 {
            knobs.gates.lift(now, notice.key);
            return;
        }
        let until = now.after(knobs.quantum.times(u64::from(notice.quanta)));
        let bucket = Bucket {
            rate,
            tolerance: rate.time_for(self.depth),
            due: now,
        };
        let bar = Bar {
            key: notice.key,
            classes: notice.classes,
            hosts: notice.hosts.clone(),
            next: None,
            until,
            bucket: Some(bucket),
        };
        knobs.gates.lower(now, bar);
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "shaper",
    aliases: &["rate"],
    summary: "hold what the notice covers to the drain rate divided by the number of feeders",
    source: "S2 rate control",
    options: &[
        Opt::new(
            "share",
            Kind::Share,
            Default::Is("90 %"),
            "share of the drain rate that the feeders may use together",
        )
        .at_least("1 %")
        .at_most("100 %"),
        Opt::new(
            "depth",
            Kind::Bytes,
            Default::Is("1518 B"),
            "bytes that may leave at once behind a first frame (GCRA tolerance at the rate asked for); 0 B spaces all frames",
        )
        .at_least("0 B")
        .at_most("1 MB"),
    ],
    build: |args| {
        Ok(AnyResponder::Shaper(Shaper {
            share: args.share("share"),
            depth: args.bytes("depth"),
        }))
    },
};
