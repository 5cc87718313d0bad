//! Channels of 802.11 media: who hears whom.

use backwater_sim::medium::wifi::phy::channel::{ChannelSpec, Disc};
use backwater_sim::medium::wifi::phy::fading::{BlockFading, Law};
use backwater_sim::medium::wifi::phy::physical::Physical;
use backwater_transport::part::Args;

use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::files::Files;
use crate::options::missing;
use crate::tree::Node;
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
