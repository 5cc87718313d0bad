//! PacketList at instants that the scenario itself lists, as a program makes them.
//!
//! When: at those microseconds after the flow's start.
//! How much: the bytes of each packet, or the same for all.
//! Reference: `replay`, without a file. Differences: times count from the flow's start, not from the first packet.

use std::sync::Arc;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};

use super::{AnySource, Build, Demand, LARGEST, Source, later};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct PacketList {
    at_us: Arc<[u64]>,
    /// Of each, or one for all.
    bytes: Arc<[u64]>,
    start: Option<Time>,
    sent: usize,
}

pub(super) const PART: Part<Build> = Part {
    id: "packet-list",
    aliases: &[],
    summary: "packets at instants that are listed",
    source: "as `replay`, from a list",
    options: &[
        Opt::new(
            "at_us",
            Kind::Series,
            Default::Required,
            "when each packet comes, in microseconds after the flow's start, in order",
        ),
        Opt::new(
            "bytes",
            Kind::Series,
            Default::Required,
            "bytes of each packet, or one number for all",
        ),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    listed(args.series("at_us"), args.series("bytes")).map_err(|(option, what)| Refusal {
        option,
        what,
        fix: "write lists such as at_us = [0, 500, 500], bytes = [1500]".to_owned(),
    })
}

/// A source of packets at instants in order, with the bytes of each or of all.
///
/// # Errors
/// The option that is wrong, and what is wrong with it.
pub fn listed(at_us: Arc<[u64]>, bytes: Arc<[u64]>) -> Result<AnySource, (&'static str, String)> {
    PacketList::new(at_us, bytes).map(AnySource::PacketList)
}

impl PacketList {
    /// Of instants in order, and the bytes of each or of all.
    ///
    /// # Errors
    /// The option that is wrong, and what is wrong with it.
    pub fn new(at_us: Arc<[u64]>, bytes: Arc<[u64]>) -> Result<PacketList, (&'static str, String)> {
        if let Some(i) = at_us.windows(2).position(|pair| pair[1] < pair[0]) {
            let (before, after) = (at_us[i], at_us[i + 1]);
            return Err((
                "at_us",
                format!("{after} comes after {before}: the times go back"),
            ));
        }
        if let Some(late) = at_us
            .last()
            .filter(|us| us.checked_mul(MICROSECOND).is_none())
        {
            return Err(("at_us", format!("{late} us are more than 213 days")));
        }
        if bytes.len() != 1 && bytes.len() != at_us.len() {
            let what = format!("{} sizes for {} packets", bytes.len(), at_us.len());
            return Err(("bytes", what));
        }
        if let Some(wrong) = bytes.iter().find(|n| !(1..=LARGEST.0).contains(n)) {
            let what = format!("a packet of {wrong} B; 1 to {} B are possible", LARGEST.0);
            return Err(("bytes", what));
        }
        Ok(PacketList {
            at_us,
            bytes,
            start: None,
            sent: 0,
        })
    }
}

const MICROSECOND: u64 = Span::millis(1).0 / 1000;

impl Source for PacketList {
    fn next(&mut self, now: Time, _: &mut Random) -> Option<Demand> {
        let start = *self.start.get_or_insert(now);
        let us = *self.at_us.get(self.sent)?;
        let bytes = self.bytes[self.sent.min(self.bytes.len() - 1)];
        self.sent += 1;
        Some(Demand {
            at: later(start, Span(us * MICROSECOND))?,
            bytes: Bytes(bytes),
        })
    }
}
