//! Packets of one size at constant intervals.
//!
//! When: packet n at start + phase + n·8·packet/rate, without accumulating rounding. The phase is zero,
//! or uniform within one interval.
//! How much: one packet.
//! Reference: constant bit rate; with random phases the arrivals of N·D/D/1.
//! Differences: ns-3's OnOffApplication without off time sends its first packet one interval after the
//! start; here phase = "start" sends it at the start.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};

use super::pace::{Carry, Pace};
use super::{AnySource, Build, Demand, PACKET, Source, later, rate};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Cbr {
    packet: Bytes,
    pace: Pace,
    random_phase: bool,
    /// Instant of the last packet.
    last: Option<Time>,
    carry: Carry,
}

pub(super) const PART: Part<Build> = Part {
    id: "cbr",
    aliases: &[],
    summary: "packets of one size at constant intervals",
    source: "Constant bit rate",
    options: &[
        PACKET,
        rate("rate"),
        Opt::new(
            "phase",
            Kind::Choice(&["start", "random"]),
            Default::Is("start"),
            "first packet at the flow's start, or at a random instant within the first interval \
             (so that several flows don't send in lockstep)",
        ),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let packet = args.bytes("packet");
    Ok(AnySource::Cbr(Cbr {
        packet,
        pace: Pace::new(packet, args.rate("rate")),
        random_phase: args.choice("phase") == "random",
        last: None,
        carry: Carry::default(),
    }))
}

impl Source for Cbr {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let at = match self.last {
            Some(last) => later(last, self.pace.next(&mut self.carry))?,
            None if self.random_phase => {
                later(now, Span::from_seconds(self.pace.seconds() * random.unit()))?
            }
            None => now,
        };
        self.last = Some(at);
        Some(Demand {
            at,
            bytes: self.packet,
        })
    }
}
