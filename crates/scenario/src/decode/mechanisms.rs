//! Mechanisms: a recipe taken apart into detector, notifier and responder, any of which may be named
//! instead. The recipe "none" builds nothing, so that one setting switches a mechanism on and off.

use backwater_sim::mechanism::{
    AnyDetector, AnyNotifier, AnyResponder, DETECTORS, NOTIFIERS, RECIPES, RESPONDERS, Recipe,
    detector, responder,
};
use backwater_sim::spec::{MechanismSpec, NodeSpec};
use backwater_transport::part::{Opt, Part};

use super::parts::{self, Build, Made};
use super::record::Record;
use super::{Mechanism, Port, ports};
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::{self, DETECT, RESPOND};
use crate::files::Files;
use crate::names;
use crate::tables::{NONE, PartKind};
use crate::tree::Node;

/// The mechanisms in the order of their names, those of recipe "none" left out.
pub fn read(
    top: &Record<'_>,
    nodes: &[NodeSpec],
    ports: &[Port],
    files: &mut Files<'_>,
) -> Result<Vec<Mechanism>, Diagnostic> {
    let Some(written) = top.get("mechanisms") else {
        return Ok(Vec::new());
    };
    let mut mechanisms = Vec::new();
    for entry in written.table()? {
        names::check("mechanism", &entry.key).map_err(|f| f.at(&entry.origin))?;
        let record = Record::read(&entry.node, fields::MECHANISM, &[], files)?;
        let at = watched(record.need("at"), nodes, ports)?;
        match recipe(&record)? {
            Choice::None => switched_off(&record, files)?,
            Choice::Recipe(recipe) => {
                mechanisms.push(mechanism(&entry.key, at, recipe, &record, files)?)
            }
        }
    }
    mechanisms.sort_by(|a, b| names::order(&a.spec.name, &b.spec.name));
    Ok(mechanisms)
}

impl Mechanism {
    /// The sections whose part a host makes, each with how it was made.
    pub fn hosted(&self) -> impl Iterator<Item = (&'static str, &Made)> {
        let detect = detector::HOSTED.iter().any(|p| p.id == self.detect.id);
        let respond = responder::HOSTED.iter().any(|p| p.id == self.respond.id);
        let detect = detect.then_some((DETECT, &self.detect));
        detect
            .into_iter()
            .chain(respond.then_some((RESPOND, &self.respond)))
    }
}

enum Choice {
    None,
    /// A recipe; `None` where all three kinds are named instead.
    Recipe(Option<&'static Recipe>),
}

fn recipe(record: &Record<'_>) -> Result<Choice, Diagnostic> {
    let Some(node) = record.get("recipe") else {
        return Ok(Choice::Recipe(None));
    };
    let name = node.text()?;
    if name == NONE {
        return Ok(Choice::None);
    }
    match RECIPES
        .iter()
        .find(|r| r.id == name || r.aliases.contains(&name))
    {
        Some(recipe) => Ok(Choice::Recipe(Some(recipe))),
        None => {
            let valid = RECIPES
                .iter()
                .flat_map(|r| r.aliases.iter().copied().chain([r.id]))
                .chain([NONE]);
            Err(node.refuse(Fault::unknown(
                format!("`{}`: unknown recipe `{name}`", node.path),
                name,
                valid,
            )))
        }
    }
}

/// The ports or stations to watch, the ports first. A pattern means ports of switches, because hosts
/// detect nothing.
fn watched(
    node: &Node,
    nodes: &[NodeSpec],
    ports: &[Port],
) -> Result<(Vec<usize>, Vec<usize>), Diagnostic> {
    let mut stations = Vec::new();
    let names: Vec<&str> = ports.iter().map(|p| p.spec.name.as_str()).collect();
    let mut at = Vec::new();
    for item in node.list()? {
        let pattern = item.text()?;
        let named =
            |(_, n): &(usize, &NodeSpec)| n.kind.shares_media() && names::matches(pattern, &n.name);
        let before = stations.len();
        stations.extend(nodes.iter().enumerate().filter(named).map(|(i, _)| i));
        if stations.len() > before {
            continue;
        }
        let mut found = ports::select(pattern, &names).map_err(|f| item.refuse(f))?;
        if names::is_pattern(pattern) {
            found.retain(|port| !ports[*port].host);
        }
        if found.is_empty() {
            let what = format!("only ports of hosts match `{pattern}`");
            let switches = names
                .iter()
                .zip(ports)
                .filter(|(_, p)| !p.host)
                .map(|(name, _)| *name);
            return Err(item.refuse(Fault::unknown(what, pattern, switches)));
        }
        at.extend(found);
    }
    if at.is_empty() && stations.is_empty() {
        let fault = Fault::new(
            format!("`{}` names no port", node.path),
            "write the ports to watch, such as [\"W>D\"], or stations",
        );
        return Err(node.refuse(fault));
    }
    at.sort_unstable();
    at.dedup();
    stations.sort_unstable();
    stations.dedup();
    Ok((at, stations))
}

fn mechanism(
    name: &str,
    (at, stations): (Vec<usize>, Vec<usize>),
    recipe: Option<&'static Recipe>,
    record: &Record<'_>,
    files: &mut Files<'_>,
) -> Result<Mechanism, Diagnostic> {
    let section = |key: &'static str, id: Option<&'static str>| Section { key, id, recipe };
    let (detector, detect): (AnyDetector, Made) = section(DETECT, recipe.map(|r| r.detect)).read(
        &[DETECTORS, detector::HOSTED],
        PartKind::Detector,
        record,
        files,
    )?;
    let (notifier, notify): (AnyNotifier, Made) = section("notify", recipe.map(|r| r.notify))
        .read(&[NOTIFIERS], PartKind::Notifier, record, files)?;
    let (responder, respond): (AnyResponder, Made) = section(RESPOND, recipe.map(|r| r.respond))
        .read(
            &[RESPONDERS, responder::HOSTED],
            PartKind::Responder,
            record,
            files,
        )?;
    let spec = MechanismSpec {
        name: name.to_owned(),
        at,
        stations,
        detect: detector,
        notify: notifier,
        respond: responder,
    };
    Ok(Mechanism {
        spec,
        detect,
        notify,
        respond,
    })
}

/// One third of a mechanism.
struct Section {
    key: &'static str,
    /// The recipe's part.
    id: Option<&'static str>,
    recipe: Option<&'static Recipe>,
}

impl Section {
    fn read<T>(
        &self,
        tables: &[&'static [Part<Build<T>>]],
        kind: PartKind,
        record: &Record<'_>,
        files: &mut Files<'_>,
    ) -> Result<(T, Made), Diagnostic> {
        let unwritten = parts::unwritten(record.node, self.key);
        let node = record.get(self.key).unwrap_or(&unwritten);
        if let Some(part) = parts::kind(tables, kind.noun(), node)? {
            // The recipe's presets belong to the recipe's part.
            let preset = if Some(part.id) == self.id {
                self.preset()
            } else {
                Vec::new()
            };
            return parts::make(part, node, &preset, files);
        }
        let find = |id| tables.iter().find_map(|table| parts::find(table, id));
        match self.id.and_then(find) {
            Some(part) => parts::make(part, node, &self.preset(), files),
            None => {
                let what = format!(
                    "`{}` needs a recipe, or a {}",
                    record.node.path,
                    kind.noun()
                );
                let ids: Vec<&str> = tables.iter().copied().flatten().map(|p| p.id).collect();
                let fix = format!(
                    "write recipe = \"{}\", or {}.kind: {}",
                    RECIPES[0].id,
                    self.key,
                    crate::diagnostic::listed(&ids)
                );
                Err(node.refuse(Fault::new(what, fix)))
            }
        }
    }

    fn preset(&self) -> Vec<(&'static str, &'static str)> {
        let preset = self.recipe.map_or(&[][..], |r| r.preset);
        preset
            .iter()
            .filter(|(section, ..)| *section == self.key)
            .map(|(_, option, value)| (*option, *value))
            .collect()
    }
}

/// Options of a mechanism that is switched off must still be options of something.
fn switched_off(record: &Record<'_>, files: &mut Files<'_>) -> Result<(), Diagnostic> {
    for (key, kind) in [
        (DETECT, PartKind::Detector),
        ("notify", PartKind::Notifier),
        (RESPOND, PartKind::Responder),
    ] {
        let Some(node) = record.get(key) else {
            continue;
        };
        match kind {
            PartKind::Detector => {
                parts::kind(&[DETECTORS, detector::HOSTED], kind.noun(), node).map(|_| ())?
            }
            PartKind::Notifier => parts::kind(&[NOTIFIERS], kind.noun(), node).map(|_| ())?,
            _ => parts::kind(&[RESPONDERS, responder::HOSTED], kind.noun(), node).map(|_| ())?,
        }
        let options: Vec<&'static [Opt]> = kind.rows().iter().map(|r| r.options).collect();
        parts::plausible(&options, kind.noun(), node, files)?;
    }
    Ok(())
}
