//! Explicit feedback: the laws of egress ports and radios, and further egresses whose departures they stamp.

use backwater_sim::spec::{Egress, StampSpec};
use backwater_sim::stamp::HOSTED;

use super::parts::Made;
use super::settings::{Settings, select};
use crate::diagnostic::{Diagnostic, Fault};

/// A law and how it was made.
#[derive(Clone, Debug)]
pub struct Stamp {
    /// The law at its place.
    pub spec: StampSpec,
    /// How it was made.
    pub made: Made,
    /// Names of the further egresses.
    pub also: Vec<String>,
}

impl Stamp {
    /// Whether a host makes it.
    pub fn hosted(&self) -> bool {
        HOSTED.iter().any(|part| part.id == self.made.id)
    }
}

/// The laws of all egresses, in the order of these.
pub fn read(settings: &Settings, egresses: &[(String, Egress)]) -> Result<Vec<Stamp>, Diagnostic> {
    let mut stamps = Vec::new();
    for (name, at) in egresses {
        if let Some((law, made)) = settings.stamp(name)? {
            stamps.push(Stamp {
                spec: StampSpec {
                    name: name.clone(),
                    at: *at,
                    law: law.clone(),
                    also: Vec::new(),
                },
                made: made.clone(),
                also: Vec::new(),
            });
        }
    }
    let names: Vec<&str> = egresses.iter().map(|(name, _)| name.as_str()).collect();
    for (name, egress) in egresses {
        let Some(list) = settings.stamped_by(name)? else {
            continue;
        };
        for item in list.list()? {
            let by = item.text()?;
            for number in select(by, &names).map_err(|fault| fault.at(&item.origin))? {
                let other = names[number];
                let stamp = stamps.iter_mut().find(|s| s.spec.name == other);
                let Some(stamp) = stamp.filter(|_| other != name) else {
                    let what = match other == name {
                        true => {
                            format!("`{}`: {name} stamps its own departures already", list.path)
                        }
                        false => format!("`{}`: {other} has no stamp", list.path),
                    };
                    let fix = "name a port or radio whose row in `ports` has a `stamp`";
                    return Err(item.refuse(Fault::new(what, fix)));
                };
                stamp.spec.also.push(*egress);
                stamp.also.push(name.clone());
            }
        }
    }
    Ok(stamps)
}
