//! A run from beginning to end: the world, and the files and columns that record it. The caller
//! decides when to stop and keeps the time.

mod capture;
mod diff;
mod observers;
mod perfetto;
mod qlog;
mod record_columns;
mod record_file;

use std::io;
use std::path::{Path, PathBuf};

use backwater_sim::ids::ConnectionId;
use backwater_sim::record::{Record, What};
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::document::document;
use crate::link_log::LinkLog;
use crate::resolved::Resolved;

pub use diff::diff;
pub use observers::{Observers, RECORD_HEADER, Seen};
pub use record_file::about;

/// The records to keep of a run besides its sums.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keep<'a> {
    /// A file of every event: columns for the viewer where its name ends in `.bwrec`, else CSV.
    pub record: Option<&'a Path>,
    /// A pcapng capture.
    pub pcap: Option<&'a Path>,
    /// A trace for Perfetto.
    pub perfetto: Option<&'a Path>,
    /// A folder of qlog files, one for each flow with a transport.
    pub qlog: Option<&'a Path>,
    /// Events in memory.
    pub columns: bool,
    /// Logs of mahimahi: trace link or its port, and the file.
    pub logs: &'a [(String, PathBuf)],
    /// Sums over intervals of this length, in the document's `series`.
    pub series: Option<Span>,
}

impl Keep<'_> {
    /// Whether what is kept needs every event.
    fn keeps_events(&self) -> bool {
        let files = [self.record, self.pcap, self.perfetto, self.qlog];
        let some = files.iter().any(Option::is_some) || !self.logs.is_empty();
        some || self.columns || self.series.is_some()
    }
}

/// Why a run did not start or finish.
#[derive(Debug)]
pub enum Failure {
    /// The scenario cannot be built.
    Refused(Box<Diagnostic>),
    /// A controller from outside the tables did something wrong.
    Part(Box<Diagnostic>),
    /// A file could not be written.
    Io(String, io::Error),
}

/// Recorded events, a column each.
#[derive(Debug, Default)]
pub struct Columns {
    /// Seconds.
    pub time_s: Vec<f64>,
    /// Number in `What::ALL`.
    pub what: Vec<u8>,
    /// Number of the port.
    pub place: Vec<u32>,
    /// Number of the flow; the largest value for control frames.
    pub flow: Vec<u32>,
    /// Number within the flow.
    pub seq: Vec<u64>,
    /// IP bytes, or the body of a control frame.
    pub size_b: Vec<u32>,
    /// As `What` says; ticks become seconds.
    pub value: Vec<f64>,
}

/// The meaning of the numbers in columns.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Ports by number.
    pub places: Vec<String>,
    /// Flows by number; those that carry ACKs come last.
    pub flows: Vec<String>,
}

/// A run under way.
pub struct Run {
    resolved: Resolved,
    world: World,
    logs: Vec<LinkLog>,
    observers: Observers,
    /// Flows whose controllers may do something wrong.
    foreign: Vec<ConnectionId>,
}

/// Events between two looks at the caller's wishes.
const STRIDE: u64 = 50_000;

impl Run {
    /// Builds the world and opens the files.
    ///
    /// # Errors
    /// The scenario's fault, or a file that cannot be created.
    pub fn new(resolved: &Resolved, keep: Keep<'_>) -> Result<Run, Failure> {
        let world = resolved
            .build()
            .map_err(|d| Failure::Refused(Box::new(d)))?;
        Run::of(world, resolved, keep)
    }

    /// The same for a world that was built from the scenario and changed by the caller.
    ///
    /// # Errors
    /// A file that cannot be created.
    pub fn of(mut world: World, resolved: &Resolved, keep: Keep<'_>) -> Result<Run, Failure> {
        let length = Span(world.end().0);
        let checked = resolved.check_skip(keep.keeps_events());
        checked.map_err(|d| Failure::Refused(Box::new(d)))?;
        let log =
            |(link, path): &(String, PathBuf)| LinkLog::open(&mut world, resolved, link, path);
        let logs = keep.logs.iter().map(log).collect::<Result<Vec<_>, _>>()?;
        let observers = Observers::open(&mut world, &keep, length)?;
        Ok(Run {
            resolved: resolved.clone(),
            foreign: world.foreign(),
            world,
            logs,
            observers,
        })
    }

    /// Serves some events; true when the end is reached.
    ///
    /// # Errors
    /// A file that cannot be written, or a controller that did something wrong.
    pub fn step(&mut self) -> Result<bool, Failure> {
        self.step_some(STRIDE)
    }

    /// Serves about this many events; true when the end is reached.
    ///
    /// # Errors
    /// A file that cannot be written, or a controller that did something wrong.
    pub fn step_some(&mut self, events: u64) -> Result<bool, Failure> {
        let done = self.world.advance_some(events);
        if done {
            // Events that fell due on idle ports are served before the books are closed.
            self.world.settle();
        }
        if let Some(failed) = self.resolved.failed(&self.world, &self.foreign) {
            return Err(Failure::Part(Box::new(failed)));
        }
        self.observers.observe(&mut self.world, done)?;
        Ok(done)
    }

    /// Simulated time reached, and the end.
    pub fn progress(&self) -> (Time, Time) {
        (self.world.now(), self.world.end())
    }

    /// Events served and frames received over links.
    pub fn counts(&self) -> (u64, u64) {
        (self.world.events(), self.world.packet_hops())
    }

    /// The columns of what was recorded since the last call.
    pub fn take_columns(&mut self) -> Columns {
        self.observers.take_columns()
    }

    /// The series up to the present, as the document has them at the end; none where none is kept.
    pub fn series_so_far(&self) -> Option<Value> {
        self.observers.series_so_far(&self.world)
    }

    /// The meaning of the numbers in columns.
    pub fn names(&self) -> Names {
        let network = &self.world.network();
        Names {
            places: network.ports.iter().map(|p| p.more.name.clone()).collect(),
            flows: network.flows.iter().map(|f| f.name.clone()).collect(),
        }
    }

    /// Closes the files; gives the document, the columns, and the names that their numbers mean.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(mut self) -> Result<(Value, Option<Columns>, Names), Failure> {
        let names = self.names();
        let report = self.world.last_report();
        let mut document = document(&self.resolved, &self.world, &report);
        let end = self.world.end();
        let finished = self.observers.finish(&self.world, end, &about(&document));
        let (columns, series) = finished?;
        for log in self.logs {
            log.close(&mut self.world)?;
        }
        if let Some(series) = series {
            document["series"] = series;
        }
        Ok((document, columns, names))
    }
}

impl Columns {
    fn extend(&mut self, records: &[Record]) {
        for r in records {
            self.time_s.push(r.at.seconds());
            self.what.push(r.what as u8);
            self.place.push(r.port.0);
            self.flow.push(r.flow.0);
            self.seq.push(u64::from(r.seq));
            self.size_b.push(u32::from(r.len));
            self.value.push(match r.what {
                What::Send | What::Deliver | What::Srtt => r.value as f64 / 1e12,
                _ => r.value as f64,
            });
        }
    }
}

/// The flow number that control frames carry in columns.
pub const NO_FLOW: u32 = Id::<backwater_sim::network::Flow>::NONE.0;
