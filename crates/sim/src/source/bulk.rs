//! One transfer as fast as the transport lets it: a file, or data without end.
//!
//! When: at the flow's start, or at a random instant `within` a span after it, so that many flows don't
//! begin in lockstep.
//! How much: `size`, or without one as much as the transport takes until the flow stops.
//! Reference: the greedy source of every study of congestion control; ns-3's BulkSendApplication.
//! Differences: none known.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};
use backwater_transport::walk::Walk;

use super::{AnySource, Build, Demand, Source, later};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Bulk {
    /// Taken by the first demand.
    left: Option<Bytes>,
    within: Span,
}

pub(super) const PART: Part<Build> = Part {
    id: "bulk",
    aliases: &[],
    summary: "one transfer as fast as the transport lets it",
    source: "Greedy source",
    options: &[
        Opt::new(
            "size",
            Kind::Bytes,
            Default::Absent,
            "bytes to transfer; without end where it is left out",
        )
        .at_least("1 B")
        .at_most("1000000000 MB"),
        Opt::new(
            "within",
            Kind::Span,
            Default::Is("0 s"),
            "it begins at a random instant so long after the flow's start at most",
        )
        .at_least("0 s"),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let size = if args.has("size") {
        args.bytes("size")
    } else {
        Bytes(u64::MAX)
    };
    Ok(AnySource::Bulk(Bulk {
        left: Some(size),
        within: args.span("within"),
    }))
}

impl Bulk {
    /// The size of a transfer with an end that begins at the flow's start.
    pub(super) fn only(&self) -> Option<Bytes> {
        let ends = self.left.filter(|size| size.0 < u64::MAX);
        ends.filter(|_| self.within == Span::ZERO)
    }

    /// One transfer at the flow's start.
    pub(super) fn of(size: Bytes) -> Bulk {
        Bulk {
            left: Some(size),
            within: Span::ZERO,
        }
    }
}

impl Source for Bulk {
    fn walk(&mut self, walk: &mut Walk, _flow: &str, _begun: bool) {
        walk.same(self.left.map_or(0, |bytes| bytes.0));
    }

    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let bytes = self.left.take()?;
        let at = match self.within {
            Span::ZERO => now,
            within => later(now, Span(random.between(0, within.0)))?,
        };
        Some(Demand { at, bytes })
    }

    fn needs_transport(&self) -> bool {
        true
    }

    fn endless(&self) -> bool {
        self.left == Some(Bytes(u64::MAX))
    }
}
