//! The parts of a scenario that may change while its world runs. The canonical forms of the old and the new scenario are compared,
//! so that nothing that was changed is passed over: each difference is applied or refused with the reason.

mod typed;

use backwater_sim::ids::{FlowId, PortId};
use backwater_sim::spec::{Service, Unchangeable};
use backwater_sim::world::World;
use backwater_transport::units::Time;
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::resolved::Resolved;

/// A field that differs.
type Path = Vec<String>;

impl Resolved {
    /// Turns a world of this scenario in the middle of a run into one of another scenario. Rates, delays, boxes and
    /// traces of links may differ, buffers and queues of ports, and sources, ends, controllers and transports of flows.
    ///
    /// # Errors
    /// The first field that cannot change in the middle of a run.
    pub fn change(&self, world: &mut World, to: &Resolved) -> Result<(), Diagnostic> {
        if self.seed != to.seed {
            let what = "the seed determines the run from its beginning";
            return Err(to.refuse("seed", what, "make a world with this seed"));
        }
        let form = |resolved: &Resolved| -> Value {
            serde_json::from_str(&resolved.canonical).expect("the canonical form is JSON")
        };
        let mut paths = Vec::new();
        differences(&form(self), &form(to), &mut Vec::new(), &mut paths);
        let mut changes: Vec<Change> = Vec::new();
        for path in &paths {
            let change = self.change_of(path).ok_or_else(|| {
                let what = "this cannot change in the middle of a run";
                let fix = "change the rate, the delay, the boxes or the trace of a link, the buffer or the queue of a \
                           port, or the source, the stop, the controller or the transport of a flow, or write it \
                           into the scenario and run that from its beginning";
                to.refuse(&path.join("."), what, fix)
            })?;
            if !changes.contains(&change) {
                changes.push(change);
            }
        }
        let checked = |change: &Change| !matches!(change, Change::Rate(_) | Change::Boxes(_));
        let fresh = match changes.iter().any(checked) {
            // What a scenario may not say, a fork may not say either.
            true => Some(to.build()?),
            false => None,
        };
        for change in changes {
            self.apply(to, world, fresh.as_ref(), change)?;
        }
        Ok(())
    }

    /// The change that a field asks for, if there is one.
    fn change_of<'a>(&self, path: &'a [String]) -> Option<Change<'a>> {
        let names: Vec<&'a str> = path.iter().map(String::as_str).collect();
        Some(match names[..] {
            ["links", link, "rate_bps"] | ["links", link, "ways", _, "rate_bps"] => {
                Change::Rate(link)
            }
            ["links", link, "delay_s"] | ["links", link, "ways", _, "delay_s"] => {
                Change::Delay(link)
            }
            ["links", link, "boxes"] | ["links", link, "ways", _, "boxes"] => Change::Boxes(link),
            ["links", link, "ways", way, "trace", ..] | ["links", link, "ways", way, "repeat"] => {
                Change::Trace(link, way.parse().ok()?)
            }
            ["ports", port, field, ..] => {
                let port = self.ports().iter().position(|p| p.spec.name == port)?;
                match field {
                    "queue" => Change::Queue(port),
                    "buffer" | "buffer_B" | "buffer_pkts" => Change::Buffer(port),
                    _ => return None,
                }
            }
            ["flows", flow, "source"] => Change::Flow(flow, Field::Source),
            ["flows", flow, "stop_s"] => Change::Flow(flow, Field::Stop),
            ["flows", flow, "transport", "controller", ..] => Change::Flow(flow, Field::Controller),
            ["flows", flow, "transport", field, ..] if CHANGEABLE.contains(&field) => {
                Change::Flow(flow, Field::Transport)
            }
            _ => return None,
        })
    }

    fn apply(
        &self,
        to: &Resolved,
        world: &mut World,
        fresh: Option<&World>,
        change: Change,
    ) -> Result<(), Diagnostic> {
        let fresh = || fresh.expect("built for such changes");
        match change {
            Change::Rate(link) => to.change_link(world, link),
            Change::Delay(link) => {
                self.change_boxes(to, world, link)?;
                self.change_delay(to, world, link)
            }
            Change::Boxes(link) => self.change_boxes(to, world, link),
            Change::Trace(link, way) => to.change_trace(world, link, way),
            Change::Queue(port) => {
                let changed = world.change_queue(PortId::new(port), fresh());
                changed.map_err(|why| to.no_change(&to.port_field(port, "queue"), &why))
            }
            Change::Buffer(port) => {
                let limit = to.ports()[port].spec.buffer;
                let changed = world.change_buffer(PortId::new(port), limit);
                changed.map_err(|why| to.no_change(&to.port_field(port, "buffer"), &why))
            }
            Change::Flow(flow, field) => self.change_flow(to, world, flow, field),
        }
    }

    fn port_field(&self, port: usize, field: &str) -> String {
        format!("ports.{}.{field}", self.ports()[port].spec.name)
    }

    /// Gives the directions of a link their new propagation delay behind the queue.
    fn change_delay(&self, to: &Resolved, world: &mut World, name: &str) -> Result<(), Diagnostic> {
        let number = to.link_number(name);
        for side in 0..2 {
            let [before, after] = [self, to].map(|resolved| {
                let link = &resolved.links()[number].spec;
                let direction = link.directions[side].as_ref();
                direction.map_or(link.delay, |direction| direction.service.line().1)
            });
            if before != after {
                let changed = world.change_delay(PortId::new(2 * number + side), after);
                changed.map_err(|why| to.no_change(&format!("links.{name}.delay"), &why))?;
            }
        }
        Ok(())
    }

    /// Gives a direction of a link its new trace; `way` counts those directions that are no plain wires.
    fn change_trace(&self, world: &mut World, name: &str, way: usize) -> Result<(), Diagnostic> {
        let number = self.link_number(name);
        let directions = self.links()[number].spec.directions.iter().enumerate();
        let mut ways = directions.filter_map(|(side, one)| Some((side, one.as_ref()?)));
        let (side, direction) = ways.nth(way).expect("a way of the canonical form");
        let Service::Trace(server) = &direction.service else {
            let what = "the link would be served by another medium";
            let fix = "write it into the scenario, and run that from its beginning";
            return Err(self.refuse(&format!("links.{name}.kind"), what, fix));
        };
        let changed = world.change_trace(PortId::new(2 * number + side), server.trace.clone());
        changed.map_err(|why| self.no_change(&format!("links.{name}.trace"), &why))
    }

    fn link_number(&self, name: &str) -> usize {
        let number = self.links().iter().position(|l| l.spec.name == name);
        number.expect("a link of the canonical form")
    }

    /// Gives both directions of a link their new boxes.
    fn change_boxes(&self, to: &Resolved, world: &mut World, name: &str) -> Result<(), Diagnostic> {
        let number = to.link_number(name);
        for side in 0..2 {
            let [before, after] = [self, to].map(|resolved| {
                let direction = resolved.links()[number].spec.directions[side].as_ref();
                direction.map_or(&[][..], |d| &d.boxes)
            });
            let changed = world.change_boxes(PortId::new(2 * number + side), [before, after]);
            changed.map_err(|why| to.no_change(&format!("links.{name}.boxes"), &why))?;
        }
        Ok(())
    }

    /// Gives both ends of a wire their new rate.
    fn change_link(&self, world: &mut World, name: &str) -> Result<(), Diagnostic> {
        let number = self.link_number(name);
        let link = &self.links()[number].spec;
        for (side, direction) in link.directions.iter().enumerate() {
            let rate = match direction.as_ref().map(|direction| &direction.service) {
                None => link.rate,
                Some(Service::Line(rate, _)) => *rate,
                // This direction has no rate of its own.
                Some(_) => continue,
            };
            let changed = world.change_rate(PortId::new(2 * number + side), rate);
            changed.map_err(|why| self.no_change(&format!("links.{name}.rate"), &why))?;
        }
        Ok(())
    }

    /// Gives the flows of a row their new source or end.
    fn change_flow(
        &self,
        to: &Resolved,
        world: &mut World,
        row: &str,
        field: Field,
    ) -> Result<(), Diagnostic> {
        let flows = self.spec().flows.into_iter().zip(to.spec().flows);
        for (number, (before, flow)) in flows.enumerate() {
            if !is_of_row(&flow.name, row) {
                continue;
            }
            let id = FlowId::new(number);
            let transport = flow.transport.as_ref();
            let changed = match field {
                Field::Controller => {
                    let transport = transport.expect("a flow with a controller has a transport");
                    world.change_controller(id, transport.controller.clone(), &transport.sender)
                }
                Field::Transport => {
                    let transport = transport.expect("of a flow with a transport");
                    world.change_transport(id, transport)
                }
                Field::Source => {
                    world.change_source(id, [before.source, flow.source], Time(flow.start.0))
                }
                Field::Stop => world.change_stop(id, Time(flow.stop.0)),
            };
            changed.map_err(|why| to.no_change(&format!("flows.{row}.{}", field.name()), &why))?;
        }
        Ok(())
    }

    fn no_change(&self, path: &str, why: &Unchangeable) -> Diagnostic {
        self.refuse(path, &why.what, why.fix)
    }
}

/// Whether a row stands for a flow.
fn is_of_row(flow: &str, row: &str) -> bool {
    let rest = flow.strip_prefix(row);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Options of a transport that may change.
const CHANGEABLE: &[&str] = &[
    "rto_min_s",
    "pacing",
    "after_idle",
    "silence_s",
    "delayed_ack",
];

/// What a difference of two canonical forms asks for: of a link by its name and of a trace by the number of its way, of a port by
/// its number, of a row of flows by its name.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Change<'a> {
    Rate(&'a str),
    Delay(&'a str),
    Boxes(&'a str),
    Trace(&'a str, usize),
    Queue(usize),
    Buffer(usize),
    Flow(&'a str, Field),
}

/// The fields of a flow that may change.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Field {
    Source,
    Stop,
    Controller,
    Transport,
}

impl Field {
    fn name(self) -> &'static str {
        match self {
            Field::Source => "source",
            Field::Stop => "stop",
            Field::Controller => "controller",
            Field::Transport => "transport",
        }
    }
}

/// Paths at which two values differ. A source is one value: its options belong together. So is a list, but for the two ways of
/// a link.
fn differences(a: &Value, b: &Value, at: &mut Path, found: &mut Vec<Path>) {
    let source = at.len() == 3 && at[0] == "flows" && at[2] == "source";
    let ways = at.len() == 3 && at[0] == "links" && at[2] == "ways";
    match (a, b) {
        (Value::Array(a), Value::Array(b)) if ways && a.len() == b.len() => {
            for (number, (a, b)) in a.iter().zip(b).enumerate() {
                at.push(number.to_string());
                differences(a, b, at, found);
                at.pop();
            }
        }
        (Value::Object(a), Value::Object(b)) if !source => {
            let names: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for name in names {
                at.push(name.clone());
                let none = Value::Null;
                let of = |table: &serde_json::Map<String, Value>| {
                    table.get(name).cloned().unwrap_or(none.clone())
                };
                differences(&of(a), &of(b), at, found);
                at.pop();
            }
        }
        _ if a != b => found.push(at.clone()),
        _ => {}
    }
}
