//! The parts of an 802.11 medium: its generation in a word (`wifi = "ac"`), its band, and its channel, which says who hears whom.

use backwater_sim::spec::{Band, BlockFading, ChannelSpec, Disc, Format, Law, Mode, Physical};
use backwater_transport::part::Args;
use serde_json::{Value as Json, json};

use super::parts::unwritten;
use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::files::Files;
use crate::options::missing;
use crate::tree::{Node, Value, join};
use crate::{units, wireless};

/// Default capture threshold of the physical channel, dB.
const DEFAULT_CAPTURE: f64 = 10.0;

/// A channel.
pub(super) fn channel(node: &Node, files: &mut Files<'_>) -> Result<ChannelSpec, Diagnostic> {
    let record = Record::read(node, wireless::CHANNEL, &[], files)?;
    let args = &record.args;
    let model = args.choice("model");
    for entry in node.table()? {
        let key = entry.key.as_str();
        let of_disc = wireless::OF_DISC.contains(&key);
        if !wireless::OF_ALL.contains(&key) && of_disc != (model == "disc") {
            let what = format!("`{}.{key}`: the {model} channel has no `{key}`", node.path);
            let other = if of_disc { "disc" } else { "physical" };
            let fix = format!("remove it, or write model = \"{other}\"");
            return Err(Fault::new(what, &fix).at(&entry.origin));
        }
    }
    if model == "physical" {
        return Ok(ChannelSpec::Physical(Physical {
            tx_power: args.number("tx_power"),
            noise: args.number("noise"),
            gain: args.number("gain"),
            exponent: args.number("exponent"),
            shadowing: args.number("shadowing"),
            shadowing_seed: args
                .has("shadowing_seed")
                .then(|| args.count("shadowing_seed")),
            energy_detect: args.number("energy_detect"),
            preamble_detect: args.number("preamble_detect"),
            capture: capture(&record, Some(DEFAULT_CAPTURE))?,
            fading: fading(node, args)?,
            fer_target: args.share("fer_target"),
            margin: args.number("margin"),
            propagation: args.span("propagation"),
        }));
    }
    if !args.has("transmit") {
        let help = "distance within which frames are understood";
        return Err(node.refuse(missing("transmit", help, "\"100 m\"", &node.path)));
    }
    let transmit = args.number("transmit");
    let distance = |name: &str, otherwise: f64| match args.has(name) {
        true => args.number(name),
        false => otherwise,
    };
    let sense = distance("sense", transmit);
    Ok(ChannelSpec::Disc(Disc {
        transmit,
        sense,
        interfere: distance("interfere", sense),
        capture: capture(&record, None)?,
        propagation: args.span("propagation"),
    }))
}

/// Options of fading, each with the laws that have it.
const OF_FADING: [(&str, &[&str]); 3] = [
    ("nakagami_m", &["nakagami"]),
    ("rician_k", &["rician"]),
    ("coherence", &["rayleigh", "rician", "nakagami"]),
];

fn fading(node: &Node, args: &Args) -> Result<Option<BlockFading>, Diagnostic> {
    let law = args.choice("fading");
    for (name, laws) in OF_FADING {
        let here = laws.contains(&law);
        if let Some(entry) = node.table()?.iter().find(|entry| entry.key == name)
            && !here
        {
            let what = format!("`{}.{name}`: fading = \"{law}\" has no `{name}`", node.path);
            let fix = format!("remove it, or write fading = \"{}\"", laws[0]);
            return Err(Fault::new(what, &fix).at(&entry.origin));
        }
        if here && !args.has(name) {
            let (help, example) = match name {
                "nakagami_m" => ("the shape of the fading", "1.5"),
                "rician_k" => ("the power of the direct path", "\"6 dB\""),
                _ => ("the length of a block of fading", "\"10 ms\""),
            };
            return Err(node.refuse(missing(name, help, example, &node.path)));
        }
    }
    let law = match law {
        "rayleigh" => Law::Nakagami(1.0),
        "rician" => Law::Rician(10f64.powf(args.number("rician_k") / 10.0)),
        "nakagami" => Law::Nakagami(args.number("nakagami_m")),
        _ => return Ok(None),
    };
    Ok(Some(BlockFading {
        law,
        coherence: args.span("coherence"),
    }))
}

fn capture(record: &Record<'_>, otherwise: Option<f64>) -> Result<Option<f64>, Diagnostic> {
    let Some(node) = record.get("capture") else {
        return Ok(otherwise);
    };
    match node.text()? {
        "off" => Ok(None),
        text => units::signed(text, "dB").map(Some).map_err(|fault| {
            node.refuse(Fault {
                fix: format!("{}, or \"off\"", fault.fix),
                ..fault
            })
        }),
    }
}

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
