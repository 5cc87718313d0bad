//! The kinds of parts and the rows of their tables, without constructors.

use backwater_sim::mechanism::{DETECTORS, NOTIFIERS, RESPONDERS, detector, responder};
use backwater_sim::medium::boxes::BOXES;
use backwater_sim::medium::trace::TRACES;
use backwater_sim::queue::{self, QUEUES};
use backwater_sim::source::SOURCES;
use backwater_sim::stamp::{self, STAMPS};
use backwater_transport::controller::{self, CONTROLLERS, DRIVEN, HOSTED};
use backwater_transport::part::{Opt, Part};
use backwater_transport::spreading::SPREADERS;

/// The recipe that builds nothing.
pub const NONE: &str = "none";

/// A kind of part.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Sources of flows.
    Source,
    /// Queues of ports.
    Queue,
    /// Detectors of mechanisms.
    Detector,
    /// Notifiers of mechanisms.
    Notifier,
    /// Responders of mechanisms.
    Responder,
    /// Traces of links.
    Trace,
    /// Boxes on the way to a queue.
    Box,
    /// Congestion controllers of flows.
    Controller,
    /// Laws of explicit feedback.
    Stamp,
    /// Spreaders, which choose among equal ways.
    Spreader,
}

/// A part without its constructor.
#[derive(Copy, Clone, Debug)]
pub struct Row {
    /// Name in scenarios.
    pub id: &'static str,
    /// Other accepted names.
    pub aliases: &'static [&'static str],
    /// One line.
    pub summary: &'static str,
    /// Where it is defined.
    pub source: &'static str,
    /// Its options.
    pub options: &'static [Opt],
}

impl PartKind {
    /// Every kind.
    pub const ALL: [PartKind; 10] = [
        PartKind::Controller,
        PartKind::Queue,
        PartKind::Stamp,
        PartKind::Spreader,
        PartKind::Detector,
        PartKind::Notifier,
        PartKind::Responder,
        PartKind::Source,
        PartKind::Trace,
        PartKind::Box,
    ];

    /// Its rows.
    pub fn rows(self) -> Vec<Row> {
        match self {
            PartKind::Source => rows(SOURCES),
            PartKind::Queue => [QUEUES, queue::HOSTED, queue::added().rows()]
                .map(rows)
                .concat(),
            PartKind::Detector => [rows(DETECTORS), rows(detector::HOSTED)].concat(),
            PartKind::Notifier => rows(NOTIFIERS),
            PartKind::Responder => [rows(RESPONDERS), rows(responder::HOSTED)].concat(),
            PartKind::Trace => rows(TRACES),
            PartKind::Box => rows(BOXES),
            PartKind::Spreader => rows(SPREADERS),
            PartKind::Stamp => [rows(STAMPS), rows(stamp::HOSTED)].concat(),
            PartKind::Controller => controllers().map(rows).concat(),
        }
    }

    /// One of them, for messages.
    pub fn noun(self) -> &'static str {
        match self {
            PartKind::Source => "source",
            PartKind::Queue => "queue",
            PartKind::Detector => "detector",
            PartKind::Notifier => "notifier",
            PartKind::Responder => "responder",
            PartKind::Trace => "trace",
            PartKind::Box => "box",
            PartKind::Controller => "controller",
            PartKind::Stamp => "stamp",
            PartKind::Spreader => "spreader",
        }
    }

    /// Its key in lists.
    pub fn plural(self) -> String {
        match self {
            PartKind::Box => "boxes".to_owned(),
            kind => format!("{}s", kind.noun()),
        }
    }
}

/// The tables of controllers.
pub fn controllers() -> [&'static [Part<controller::Build>]; 4] {
    #[cfg(feature = "webassembly")]
    let foreign = backwater_wasm::FOREIGN;
    #[cfg(not(feature = "webassembly"))]
    let foreign = &[];
    [CONTROLLERS, HOSTED, foreign, DRIVEN]
}

/// The rows of a table without their constructors.
pub fn rows<B>(parts: &'static [Part<B>]) -> Vec<Row> {
    let row = |p: &'static Part<B>| Row {
        id: p.id,
        aliases: p.aliases,
        summary: p.summary,
        source: p.source,
        options: p.options,
    };
    parts.iter().map(row).collect()
}
