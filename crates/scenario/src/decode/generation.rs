//! A medium in a word (`wifi = "ac"`), and the bands of standards.

use backwater_sim::medium::wifi::phy::mode::{Format, Mode};
use backwater_sim::medium::wifi::phy::standard::Band;
use backwater_transport::part::Args;
use serde_json::{Value as Json, json};

use super::parts::unwritten;
use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::options::missing;
use crate::tree::{Node, Value, join};

/// `phy` and `mac` of a medium, with what its generation gives them where it is named.
pub(super) fn written_out(record: &Record<'_>) -> Result<(Node, Node), Diagnostic> {
    let written = |name: &str| {
        let node = record.get(name).cloned();
        node.unwrap_or_else(|| unwritten(record.node, name))
    };
    let (phy, mac) = (written("phy"), written("mac"));
    if !record.args.has("wifi") {
        return match record.get("phy") {
            Some(_) => Ok((phy, mac)),
            None => {
                let (help, example) = (
                    "radio and its rates",
                    "{ standard = \"802.11a\", data = \"54 Mbit/s\" }",
                );
                let fault = missing("phy", help, example, &record.node.path);
                Err(record.node.refuse(fault))
            }
        };
    }
    let (mcs, width) = match record.args.choice("wifi") {
        "n" => (7, "40 MHz"),
        "ac" => (9, "80 MHz"),
        "ax" => (11, "80 MHz"),
        _ => (13, "160 MHz"),
    };
    let standard = format!("802.11{}", record.args.choice("wifi"));
    if let Some(other) = phy.get("standard")
        && other.text()? != standard
    {
        let what = format!(
            "`{}`: {} beside wifi, which is {standard}",
            other.path,
            other.text()?
        );
        return Err(other.refuse(Fault::new(what, "remove one of them")));
    }
    let given = json!({ "standard": standard, "mcs": mcs, "width": width, "streams": 2 });
    Ok((
        with(phy, &given)?,
        with(mac, &json!({ "aggregation": "a-mpdu" }))?,
    ))
}

/// A table, and what is given where it does not say it.
fn with(mut table: Node, given: &Json) -> Result<Node, Diagnostic> {
    table.table()?;
    let given = Node::of_json(given, table.path.clone(), &table.origin);
    let (Value::Table(entries), Value::Table(given)) = (&mut table.value, given.value) else {
        unreachable!("tables");
    };
    for mut entry in given {
        if !entries.iter().any(|e| e.key == entry.key) {
            entry.node.path = join(&table.path, &entry.key);
            entries.push(entry);
        }
    }
    Ok(table)
}

/// The band of a radio.
pub(super) fn band(node: &Node, args: &Args, mode: Option<&Mode>) -> Result<Band, Diagnostic> {
    let standard = args.choice("standard");
    let legal: &[Band] = match (mode.map(|mode| mode.format), standard) {
        (None, "802.11b" | "802.11g") => &[Band::Ghz2],
        (None | Some(Format::Vht), _) => &[Band::Ghz5],
        (Some(Format::Ht), _) => &[Band::Ghz5, Band::Ghz2],
        (Some(Format::He | Format::Eht), _) => &[Band::Ghz5, Band::Ghz2, Band::Ghz6],
    };
    let width = mode.map_or(20, |mode| mode.width);
    let holds = |band: &Band| match band {
        Band::Ghz2 => width <= 40,
        Band::Ghz5 => width <= 160,
        Band::Ghz6 => true,
    };
    let first = legal.iter().find(|band| holds(band));
    let first = *first.unwrap_or(&legal[0]);
    if !args.has("band") {
        return Ok(first);
    }
    let band = match args.choice("band") {
        "2.4 GHz" => Band::Ghz2,
        "5 GHz" => Band::Ghz5,
        _ => Band::Ghz6,
    };
    let written = node.get("band").expect("an option that was written");
    if !legal.contains(&band) {
        let what = format!("`{}`: {standard} has no {}", written.path, band.name());
        let fix = format!("write band = \"{}\"", first.name());
        return Err(written.refuse(Fault::new(what, &fix)));
    }
    if !holds(&band) {
        let what = format!(
            "`{}`: no channel of {width} MHz fits {}",
            written.path,
            band.name()
        );
        let fix = format!("write band = \"{}\", or a narrower width", first.name());
        return Err(written.refuse(Fault::new(what, &fix)));
    }
    Ok(band)
}
