//! The parts of a scenario that may change while its world runs. The canonical forms of the old and the new scenario are compared,
//! so that nothing that was changed is passed over: each difference is applied or refused with the reason.

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
    /// Turns a world of this scenario in the middle of a run into one of another scenario. Line rates of wires may
    /// differ, options of boxes without a state, and the sources of flows and their ends.
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
        for path in &paths {
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            match names[..] {
                ["links", link, "rate_bps"] | ["links", link, "ways", _, "rate_bps"] => {
                    to.change_link(world, link)?;
                }
                ["links", link, "boxes"] | ["links", link, "ways", _, "boxes"] => {
                    self.change_boxes(to, world, link)?;
                }
                ["flows", flow, "source"] => self.change_flow(to, world, flow, Field::Source)?,
                ["flows", flow, "stop_s"] => self.change_flow(to, world, flow, Field::Stop)?,
                _ => {
                    let what = "this cannot change in the middle of a run";
                    let fix = "change the rate or the boxes of a link, or the source or stop of a flow, or write it \
                               into the scenario and run that from its beginning";
                    return Err(to.refuse(&path.join("."), what, fix));
                }
            }
        }
        Ok(())
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
        let of_row = |name: &str| {
            let rest = name.strip_prefix(row);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let flows = self.spec().flows.into_iter().zip(to.spec().flows);
        for (number, (before, flow)) in flows.enumerate() {
            if !of_row(&flow.name) {
                continue;
            }
            let id = FlowId::new(number);
            let changed = match field {
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

/// The fields of a flow that may change.
#[derive(Copy, Clone)]
enum Field {
    Source,
    Stop,
}

impl Field {
    fn name(self) -> &'static str {
        match self {
            Field::Source => "source",
            Field::Stop => "stop",
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
