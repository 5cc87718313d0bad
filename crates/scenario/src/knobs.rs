//! Knobs of a scenario by the places at which it writes them: `ports.S>R.queue.target`, `mechanisms.NAME.high`,
//! `nodes.NAME.ac.BE.aifsn`.

use backwater_sim::ids::PortId;
use backwater_sim::knob::{Place, Range};
use backwater_sim::spec::Spec;
use backwater_sim::world::World;

use crate::diagnostic::Diagnostic;
use crate::path;
use crate::resolved::Resolved;

/// A knob of a scenario: where it is, and its bounds there.
#[derive(Clone, Debug)]
pub struct Knob {
    /// As it was written.
    pub name: String,
    /// Where.
    pub place: Place,
    /// Bounds, and where it stands at first.
    pub range: Range,
}

impl Resolved {
    /// The knobs of these names.
    ///
    /// # Errors
    /// A name that means none.
    pub fn knobs(&self, names: &[String], world: &mut World) -> Result<Vec<Knob>, Diagnostic> {
        let spec = self.spec();
        let mut found: Vec<Knob> = Vec::new();
        for name in names {
            let (place, option) = self.place(&spec, name)?;
            if found.iter().any(|other| other.place == place) {
                return Err(self.refuse(name, "this knob is named twice", "name it once"));
            }
            let range = world.range(&place, &option);
            let range = range.map_err(|why| self.refuse(name, &why.what, why.fix))?;
            found.push(Knob {
                name: name.clone(),
                place,
                range,
            });
        }
        Ok(found)
    }

    fn place(&self, spec: &Spec, name: &str) -> Result<(Place, String), Diagnostic> {
        let names = path::names(name).unwrap_or_default();
        let names: Vec<&str> = names.iter().map(|(key, _)| key.as_str()).collect();
        match names[..] {
            ["ports", port, "queue", option] => {
                let index = spec.ports.iter().position(|one| one.name == port);
                let index = index.ok_or_else(|| {
                    let what = format!("there is no port `{port}`");
                    self.refuse(name, &what, "name one as results do, such as S>R")
                })?;
                Ok((Place::Queue(PortId::new(index)), option.to_owned()))
            }
            ["mechanisms", mechanism, option] => {
                let of = spec.mechanisms.iter().position(|one| one.name == mechanism);
                let number = of.ok_or_else(|| {
                    let what = format!("there is no mechanism `{mechanism}`");
                    self.refuse(name, &what, "name one of the scenario")
                })?;
                let ports = spec.mechanisms[number].at.iter();
                let ports = ports.map(|port| PortId::new(*port)).collect();
                let place = Place::Mechanism(number as u32, ports);
                Ok((place, option.to_owned()))
            }
            ["nodes", node, "ac", category, option] => {
                let place = Place::Category(node.to_owned(), category.to_owned());
                Ok((place, option.to_owned()))
            }
            _ => {
                let what = "this names no knob";
                let fix = "write such as ports.S>R.queue.target, mechanisms.NAME.high or nodes.NAME.ac.BE.aifsn";
                Err(self.refuse(name, what, fix))
            }
        }
    }
}
