//! Frames of slots, and directions of links that send in them.

use std::sync::Arc;

use backwater_sim::medium::tdma::{DEMANDS, Demand, FramesSpec, TerminalSpec};
use backwater_sim::spec::{Direction, LinkSpec, Service};
use backwater_transport::units::{Bytes, Rate, Span};

use super::super::record::Record;
use super::{Form, Link, MadeDirection};
use crate::canonical::json::{Json, object};
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::network::{MEDIA, TDMA, WIFI};
use crate::files::Files;

/// The frames of slots that a scenario writes under `media`.
pub fn media(top: &Record<'_>, files: &mut Files<'_>) -> Result<Vec<Arc<FramesSpec>>, Diagnostic> {
    let mut media = Vec::new();
    let written = top.get("media").map_or(Ok(&[][..]), |node| node.table())?;
    for entry in written {
        let (kind, record) = Record::variant(&entry.node, MEDIA, Some(WIFI), files)?;
        if kind == TDMA {
            let args = &record.args;
            media.push(Arc::new(FramesSpec {
                name: entry.key.clone(),
                frame: args.span("frame"),
                slots: u32::try_from(args.count("slots")).expect("bounded"),
                slot: args.bytes("slot"),
                request_delay: args
                    .has("request_delay")
                    .then(|| args.span("request_delay")),
                free: args.flag("free"),
            }));
        }
    }
    Ok(media)
}

/// A medium without a link would be written for nothing.
pub fn check_used<'a>(
    top: &Record<'_>,
    media: &[Arc<FramesSpec>],
    services: impl Iterator<Item = &'a Service>,
) -> Result<(), Diagnostic> {
    let used: Vec<&str> = services
        .filter_map(|service| match service {
            Service::Slots(terminal) => Some(terminal.frames.name.as_str()),
            Service::Line(..) | Service::Trace(_) => None,
        })
        .collect();
    let Some(idle) = media.iter().find(|m| !used.contains(&m.name.as_str())) else {
        return Ok(());
    };
    let node = top
        .need("media")
        .get(&idle.name)
        .expect("it was read there");
    let what = format!("no link sends in the slots of `{}`", node.path);
    let fix = format!(
        "write a link with kind = \"{TDMA}\", medium = \"{}\", or remove the medium",
        idle.name
    );
    Err(node.refuse(Fault::new(what, fix)))
}

/// A link from a terminal to its hub: slots there, a wire back.
pub struct TerminalLink {
    /// To the hub, and what the canonical form says of it.
    pub up: (Service, Form),
    /// Line rate back.
    pub rate: Rate,
    /// Propagation delay back.
    pub delay: Span,
    /// Largest frame.
    pub max_frame: Bytes,
}

impl TerminalLink {
    /// The link with this name between two nodes.
    pub fn link(self, name: String, ends: [usize; 2]) -> Link {
        let (up, form) = self.up;
        let direction = |service| {
            Some(Box::new(Direction {
                name: name.clone(),
                boxes: Vec::new(),
                service,
            }))
        };
        let made = |form| {
            Some(MadeDirection {
                trace: None,
                boxes: Vec::new(),
                delay: Span::ZERO,
                port: None,
                form,
            })
        };
        let back = Service::Line(self.rate, self.delay);
        Link {
            spec: LinkSpec {
                directions: [direction(up), direction(back)],
                name: name.clone(),
                ends,
                rate: Rate(0),
                delay: Span::ZERO,
                max_frame: self.max_frame,
            },
            directions: [made(form), made(Vec::new())],
        }
    }
}

/// A direction that sends in slots, and what the canonical form says of it.
pub fn terminal(
    record: &Record<'_>,
    media: &[Arc<FramesSpec>],
) -> Result<(Service, Form), Diagnostic> {
    let args = &record.args;
    let named = record.need("medium");
    let name = named.text()?;
    let Some(frames) = media.iter().find(|m| m.name == name) else {
        let what = format!(
            "`{}`: there is no medium of kind \"{TDMA}\" called `{name}`",
            named.path
        );
        let valid = media.iter().map(|m| m.name.as_str());
        return Err(named.refuse(Fault::unknown(what, name, valid)));
    };
    let (demand, asks) = *DEMANDS
        .iter()
        .find(|(name, _)| *name == args.choice("demand"))
        .expect("every choice is in the table");
    if let (Some(node), Demand::None) = (record.get("most"), asks) {
        let what = format!(
            "`{}`: the terminal asks for nothing that could have a limit",
            node.path
        );
        return Err(node.refuse(Fault::new(what, "remove it, or write demand = \"volume\"")));
    }
    let slots = |name: &str| u32::try_from(args.count(name)).expect("bounded");
    let most = args.has("most").then(|| slots("most"));
    let spec = TerminalSpec {
        frames: frames.clone(),
        constant: slots("constant"),
        demand: asks,
        most: most.unwrap_or(frames.slots),
        overhead: args.bytes("overhead").0,
        delay: args.span("delay"),
    };
    let form = vec![
        ("kind", Json::text(TDMA)),
        ("medium", medium(frames)),
        ("constant", Json::count(u64::from(spec.constant))),
        ("demand", Json::text(demand)),
        ("most", Json::count(u64::from(spec.most))),
        ("overhead_B", Json::size(Bytes(spec.overhead))),
        ("delay_s", Json::time(spec.delay)),
    ];
    Ok((Service::Slots(Box::new(spec)), form))
}

/// The canonical form of a frame of slots.
fn medium(frames: &FramesSpec) -> Json {
    let delay = frames.request_delay;
    object([
        ("name", Json::text(&frames.name)),
        ("frame_s", Json::time(frames.frame)),
        ("slots", Json::count(u64::from(frames.slots))),
        ("slot_B", Json::size(frames.slot)),
        (
            "request_delay_s",
            delay.map_or(Json::Flag(false), Json::time),
        ),
        ("free", Json::Flag(frames.free)),
    ])
}
