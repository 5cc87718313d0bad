//! Detects and tells: left to the recipe. Responds: a token bucket holds what the notice covers to
//! the rate it names, until the timer runs out or the notice is taken back. The bucket is a GCRA, which
//! lets `depth` and one frame leave at once: a depth below a frame is then no contradiction. On a wire it counts what the
//! line carries, preamble and gap with each frame, because the drain rate is the line's; at a station and before a trace,
//! frame bytes. At a station it holds what goes to the sender of the notice; a request for less names the rate, one for more
//! lifts it.
//! Reference: S2 "rate control": drain rate ÷ number of feeders. A queue drains at its line rate, or at the rate to which
//! its port is itself held, so that rate control goes on up a chain.
//! Differences: asks for `share` of that rate, so that a congested queue drains rather than stands. A bar that covers
//! part of a queue's classes or destinations does not count as holding it.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Bytes, Rate};

use super::{AnyResponder, Build, Knobs, Responder};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::{Ask, Notice};

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::RATE.and(Set::ROOM).and(Set::QUEUE).and(Set::GATES));

/// Share of the fair rate, and the bucket's depth.
#[derive(Clone, Debug)]
pub struct Shaper {
    share: f64,
    depth: Bytes,
}

impl Responder for Shaper {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn ask(&self, drain: Rate, feeders: u32) -> Option<Rate> {
        let fair = drain.0 as f64 * self.share / f64::from(feeders);
        Some(Rate((libm::floor(fair) as u64).max(1)))
    }

    fn react(&mut self, notice: &Notice, knobs: &mut Knobs) {
        let (over, rate, until) = match notice.ask {
            Ask::Limit(rate, quanta) => (quanta == 0, rate, knobs.after(quanta)),
            Ask::Step(step) => (!step.less, step.rate, step.until(knobs.now)),
            // A notice without a rate is refused with this responder, and own flows are not its business.
            Ask::Stop(_) | Ask::Own(_) => return,
        };
        match over {
            true => knobs.unlimit(notice),
            false => knobs.limit(notice, rate, self.depth, until),
        }
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "shaper",
    aliases: &["rate"],
    summary: "hold what the notice covers to the drain rate divided by the number of feeders, or to the rate asked for",
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
