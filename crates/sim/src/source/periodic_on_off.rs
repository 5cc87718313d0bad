//! Packets of one size at constant intervals in on periods, and nothing in off periods, all of fixed length.
//!
//! When: period k begins at start + k·(on + off); its packets come from its beginning, plus the phase, at
//! intervals of 8·packet/rate, while it lasts. The phase is zero, or uniform within one interval, drawn
//! for each period.
//! How much: one packet.
//! Reference: the second flow of S0, Fig. 3, on for five seconds and off for five.
//! Differences: S0 doesn't say where in its interval a packet comes.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};
use backwater_transport::walk::Walk;

use super::pace::{Carry, Pace};
use super::{AnySource, Build, Demand, PACKET, Source, later, rate};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct PeriodicOnOff {
    packet: Bytes,
    pace: Pace,
    on: Span,
    off: Span,
    begins_off: bool,
    random_phase: bool,
    state: Option<State>,
}

/// As of the last packet.
#[derive(Clone, Debug)]
struct State {
    last: Time,
    carry: Carry,
    /// When the on period ends.
    end: Time,
}

pub(super) const PART: Part<Build> = Part {
    id: "periodic-on-off",
    aliases: &[],
    summary: "packets of one size at constant intervals in on periods of fixed length",
    source: "S0 Fig. 3",
    options: &[
        PACKET,
        rate("rate in on periods"),
        Opt::new(
            "on",
            Kind::Span,
            Default::Required,
            "length of an on period",
        )
        .at_least("1 ns"),
        Opt::new(
            "off",
            Kind::Span,
            Default::Required,
            "length of an off period",
        )
        .at_least("0 s"),
        Opt::new(
            "first",
            Kind::Choice(&["on", "off"]),
            Default::Is("on"),
            "what the flow begins with",
        ),
        Opt::new(
            "phase",
            Kind::Choice(&["start", "random"]),
            Default::Is("start"),
            "first packet of a period at its beginning, or at a random instant within one interval",
        ),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let (packet, on) = (args.bytes("packet"), args.span("on"));
    let pace = Pace::new(packet, args.rate("rate"));
    if pace.first() > on {
        return Err(Refusal {
            option: "on",
            what: format!(
                "packets of {} B come every {} s, and an on period is shorter",
                packet.0,
                pace.seconds()
            ),
            fix: "write a longer on period, a smaller packet or a higher rate".into(),
        });
    }
    Ok(AnySource::PeriodicOnOff(PeriodicOnOff {
        packet,
        pace,
        on,
        off: args.span("off"),
        begins_off: args.choice("first") == "off",
        random_phase: args.choice("phase") == "random",
        state: None,
    }))
}

impl PeriodicOnOff {
    /// The first packet of the on period that begins then.
    fn period(&self, begin: Time, random: &mut Random) -> Option<State> {
        let phase = match self.random_phase {
            true => self.pace.seconds() * random.unit(),
            false => 0.0,
        };
        Some(State {
            last: later(begin, Span::from_seconds(phase))?,
            carry: Carry::default(),
            end: Time(begin.0.saturating_add(self.on.0)),
        })
    }
}

impl Source for PeriodicOnOff {
    fn walk(&mut self, walk: &mut Walk, flow: &str, begun: bool) {
        if self.random_phase {
            walk.unable(flow, "its source draws random numbers");
        }
        if let (Some(State { last, carry, end }), true) = (&mut self.state, begun) {
            carry.walk(walk);
            walk.time(last);
            walk.time(end);
        }
    }

    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let state = match self.state.take() {
            Some(mut state) => {
                let at = later(state.last, self.pace.next(&mut state.carry))?;
                if at < state.end {
                    State { last: at, ..state }
                } else {
                    self.period(later(state.end, self.off)?, random)?
                }
            }
            None if self.begins_off => self.period(later(now, self.off)?, random)?,
            None => self.period(now, random)?,
        };
        let at = state.last;
        self.state = Some(state);
        Some(Demand {
            at,
            bytes: self.packet,
        })
    }
}
