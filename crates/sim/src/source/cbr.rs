//! Packets of one size at constant intervals.
//!
//! When: packet n at start + phase + n·8·packet/rate, without accumulating rounding. The phase is zero,
//! or uniform within one interval. With jitter each packet is late by a uniform share of the interval, for itself: the rate and the order
//! stay, and senders do not keep step.
//! How much: one packet.
//! Reference: constant bit rate; with random phases the arrivals of N·D/D/1.
//! Differences: ns-3's OnOffApplication without off time sends its first packet one interval after the
//! start; here phase = "start" sends it at the start.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};
use backwater_transport::walk::Walk;

use super::pace::{Carry, Pace};
use super::{AnySource, Build, Demand, PACKET, Source, later, rate};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Cbr {
    packet: Bytes,
    pace: Pace,
    random_phase: bool,
    /// Greatest lateness of a packet, seconds.
    jitter: f64,
    /// Instant of the last packet, without its jitter.
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
        Opt::new(
            "jitter",
            Kind::Share,
            Default::Is("0 %"),
            "greatest lateness of a packet, as a share of the interval; uniform, and drawn for each packet",
        )
        .at_most("100 %"),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let packet = args.bytes("packet");
    let pace = Pace::new(packet, args.rate("rate"));
    Ok(AnySource::Cbr(Cbr {
        packet,
        jitter: match args.has("jitter") {
            true => args.share("jitter") * pace.seconds(),
            false => 0.0,
        },
        pace,
        random_phase: args.choice("phase") == "random",
        last: None,
        carry: Carry::default(),
    }))
}

impl Source for Cbr {
    fn walk(&mut self, walk: &mut Walk, flow: &str, begun: bool) {
        if self.jitter > 0.0 {
            walk.unable(flow, "its source draws random numbers");
        }
        self.carry.walk(walk);
        if let (Some(last), true) = (&mut self.last, begun) {
            walk.time(last);
        }
    }

    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let at = match self.last {
            Some(last) => later(last, self.pace.next(&mut self.carry))?,
            None if self.random_phase => {
                later(now, Span::from_seconds(self.pace.seconds() * random.unit()))?
            }
            None => now,
        };
        self.last = Some(at);
        let late = match self.jitter > 0.0 {
            true => Span::from_seconds(self.jitter * random.unit()),
            false => Span::ZERO,
        };
        Some(Demand {
            at: later(at, late)?,
            bytes: self.packet,
        })
    }
}
