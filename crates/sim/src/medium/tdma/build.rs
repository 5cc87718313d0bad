//! Takes up the terminals of a world and gives each medium its hub, or refuses what cannot work.

use backwater_transport::units::{Span, Time};

use super::frames::{FRAME, Frames, Tdma, TerminalSlots, schedule};
use super::hub::{Hub, Member};
use super::spec::{Demand, TerminalSpec};
use crate::ids::PortId;
use crate::shared::Shared;
use crate::spec::{Refusal, Spec};
use crate::world::build::refuse;

/// Frames between a request and its answer, at most.
const MOST_LAG: u64 = 10_000;

impl Tdma {
    /// Takes up the terminals of a world: its ports that send in slots.
    pub(crate) fn build(&mut self, cx: &mut Shared, spec: &Spec) -> Result<(), Refusal> {
        for id in cx.network.ports.ids() {
            let port = &cx.network.ports[id];
            let Some(terminal) = port.more.service.terminal() else {
                continue;
            };
            let (frames, name) = (&terminal.spec.frames, &port.more.name);
            check(&terminal.spec, spec, id)?;
            let known = self.media.iter().position(|m| m.spec.name == frames.name);
            let medium = known.unwrap_or(self.media.len());
            if known.is_none() {
                self.media.push(Frames {
                    spec: frames.clone(),
                    hub: Hub::new(0, 1, false, Vec::new(), 0),
                    terminals: Vec::new(),
                    begun: 0,
                });
            }
            if *self.media[medium].spec != **frames {
                let what = format!("{name} has another frame than the terminals before it");
                return refuse(
                    format!("media.{}", frames.name),
                    what,
                    "write one frame for all",
                );
            }
            self.media[medium].terminals.push(self.places.len());
            self.places.push(TerminalSlots {
                port: id,
                medium,
                next: 0,
                end: 0,
                left: None,
            });
        }
        for number in 0..self.media.len() {
            self.open(cx, number)?;
        }
        Ok(())
    }

    /// Gives a medium its hub, and schedules its first frame.
    fn open(&mut self, cx: &mut Shared, number: usize) -> Result<(), Refusal> {
        let medium = &self.media[number];
        let spec = medium.spec.clone();
        let of = |place: &usize| {
            let service = &cx.network.ports[self.places[*place].port].more.service;
            service
                .terminal()
                .expect("a port that sends in slots")
                .spec
                .clone()
        };
        let terminals: Vec<TerminalSpec> = medium.terminals.iter().map(of).collect();
        let own: u64 = terminals.iter().map(|t| u64::from(t.constant)).sum();
        if own > u64::from(spec.slots) {
            let what = format!(
                "the terminals have {own} slots of their own, and a frame has {}",
                spec.slots
            );
            let fix = "raise `slots`, or lower `constant` of its links";
            return refuse(format!("media.{}.slots", spec.name), what, fix);
        }
        let longest = terminals.iter().map(|t| t.delay.0).max().unwrap_or(0);
        let answered = spec.request_delay.unwrap_or(Span(2 * longest));
        let lag = answered.0.div_ceil(spec.frame.0);
        if lag > MOST_LAG {
            let what =
                format!("an answer comes {lag} frames after its request; {MOST_LAG} are the most");
            let fix = "write a longer frame, or a shorter `request_delay`";
            return refuse(format!("media.{}.frame", spec.name), what, fix);
        }
        let member = |t: TerminalSpec| Member {
            constant: t.constant,
            demand: t.demand,
            most: t.most,
        };
        let members = terminals.into_iter().map(member).collect();
        self.media[number].hub =
            Hub::new(spec.slots, spec.slot.0, spec.free, members, lag as usize);
        schedule(&mut cx.run.calendar, Time::ZERO, FRAME, number);
        Ok(())
    }
}

/// Refuses a terminal that could never send.
fn check(terminal: &TerminalSpec, spec: &Spec, id: PortId) -> Result<(), Refusal> {
    let frames = &terminal.frames;
    let link = &spec.links[id.index() / 2].directions[id.index() % 2];
    let name = link.as_ref().map_or("", |direction| &direction.name);
    if u64::from(frames.slots) > frames.frame.0 {
        let what = format!(
            "{} slots are too many for a frame of {} ps",
            frames.slots, frames.frame.0
        );
        return refuse(
            format!("media.{}.slots", frames.name),
            what,
            "write a longer frame",
        );
    }
    if terminal.demand == Demand::None && terminal.constant == 0 && !frames.free {
        let what = "the terminal has no slots of its own and asks for none, so it never sends";
        let fix = "write constant = 1, demand = \"volume\", or free = true for the medium";
        return refuse(format!("links.{name}.demand"), what, fix);
    }
    Ok(())
}
