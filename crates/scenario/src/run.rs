//! A run from beginning to end: the world, and the files and columns that record it. The caller
//! decides when to stop and keeps the time.

mod capture;
mod diff;
mod perfetto;
mod qlog;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use backwater_sim::medium::{AIR, WIRE};
use backwater_sim::record::pcapng::{Capture, Interface};
use backwater_sim::record::{Record, What};
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use serde_json::Value;

use crate::diagnostic::Diagnostic;
use crate::document::document;
use crate::link_log::LinkLog;
use crate::resolved::Resolved;
use crate::series::Series;
use capture::{capture_records, wires, write_records};
use perfetto::Perfetto;
use qlog::Qlog;

pub use diff::diff;

/// What to keep of a run besides its sums.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keep<'a> {
    /// A CSV file of every event.
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

/// Why a run did not start or finish.
#[derive(Debug)]
pub enum Failure {
    /// The scenario cannot be built.
    Refused(Box<Diagnostic>),
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
    /// As `What` says; ticks become seconds.
    pub value: Vec<f64>,
}

/// What the numbers in columns mean.
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
    record: Option<(String, BufWriter<File>)>,
    pcap: Option<(String, Capture<BufWriter<File>>)>,
    perfetto: Option<Perfetto>,
    qlog: Option<Qlog>,
    columns: Option<Columns>,
    logs: Vec<LinkLog>,
    series: Option<Series>,
    /// Recorded, and not yet passed on.
    records: Vec<Record>,
}

/// Events between two looks at the caller's wishes.
const STRIDE: u64 = 50_000;

/// First line of a record file.
pub const RECORD_HEADER: &str = "time_s,what,place,flow,seq,class,size_B,value";

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
        let watched = keep.columns || keep.series.is_some();
        let files = [keep.record, keep.pcap, keep.perfetto, keep.qlog];
        if watched || files.iter().any(Option::is_some) {
            world.start_recording();
        }
        if keep.series.is_some() {
            world.start_law_log();
        }
        if keep.pcap.is_some() {
            world.start_air_log();
        }
        let length = Span(world.end().0);
        let log =
            |(link, path): &(String, PathBuf)| LinkLog::open(&mut world, resolved, link, path);
        let logs = keep.logs.iter().map(log).collect::<Result<Vec<_>, _>>()?;
        let open = |path: &Path| {
            let name = path.display().to_string();
            File::create(path)
                .map(|f| (name.clone(), BufWriter::new(f)))
                .map_err(|e| Failure::Io(name, e))
        };
        let mut record = keep.record.map(open).transpose()?;
        if let Some((name, file)) = &mut record {
            writeln!(file, "{RECORD_HEADER}").map_err(|e| Failure::Io(name.clone(), e))?;
        }
        let interfaces: Vec<Interface<'_>> = world
            .network
            .ports
            .iter()
            .take(wires(&world))
            .map(|p| Interface {
                name: &p.more.name,
                speed_bps: p.more.rate.0,
                link: WIRE.link,
            })
            .chain(world.air.media.iter().map(|m| Interface {
                name: &m.name,
                speed_bps: m.phy.data.0,
                link: AIR.link,
            }))
            .collect();
        let capture = |(name, file): (String, BufWriter<File>)| {
            Capture::new(file, env!("CARGO_PKG_VERSION"), &interfaces)
                .map(|c| (name.clone(), c))
                .map_err(|e| Failure::Io(name, e))
        };
        let pcap = keep.pcap.map(open).transpose()?.map(capture).transpose()?;
        let named = |path: &Path| path.display().to_string();
        let trace =
            |path: &Path| Perfetto::create(path, &world).map_err(|e| Failure::Io(named(path), e));
        let logs_of =
            |path: &Path| Qlog::create(path, &world).map_err(|e| Failure::Io(named(path), e));
        let perfetto = keep.perfetto.map(trace).transpose()?;
        let qlog = keep.qlog.map(logs_of).transpose()?;
        Ok(Run {
            resolved: resolved.clone(),
            world,
            record,
            pcap,
            perfetto,
            qlog,
            columns: keep.columns.then(Columns::default),
            logs,
            series: keep.series.map(|every| Series::new(every, length)),
            records: Vec::new(),
        })
    }

    /// Serves some events; true when the end is reached.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn step(&mut self) -> Result<bool, Failure> {
        let done = self.world.advance_some(STRIDE);
        if done {
            // What fell due on idle ports is served before the books are closed.
            self.world.settle();
        }
        let records = self.in_order(done);
        if let Some((name, file)) = &mut self.record {
            write_records(&self.world, &records, file).map_err(|e| Failure::Io(name.clone(), e))?;
        }
        if let Some((name, capture)) = &mut self.pcap {
            let frames = self.world.take_air_frames(done);
            capture_records(&self.world, &records, &frames, capture)
                .map_err(|e| Failure::Io(name.clone(), e))?;
        }
        if let Some(trace) = &mut self.perfetto {
            let written = trace.extend(&self.world, &records);
            written.map_err(|e| Failure::Io(trace.name(), e))?;
        }
        if let Some(qlog) = &mut self.qlog {
            let written = qlog.extend(&self.world, &records);
            written.map_err(|e| Failure::Io(qlog.name(), e))?;
        }
        if let Some(columns) = &mut self.columns {
            columns.extend(&records);
        }
        if let Some(series) = &mut self.series {
            series.extend(&self.world, &records);
            series.extend_laws(self.world.take_law_log());
        }
        Ok(done)
    }

    /// Records up to the present, in the order of their times; no later than frames that are still on the air, so that a capture is
    /// in order too. A transmission is recorded when it is decided, and begins up to an inter-packet gap later.
    fn in_order(&mut self, all: bool) -> Vec<Record> {
        self.records.append(&mut self.world.take_records());
        self.records.sort_by_key(|r| r.at);
        let now = self.world.now();
        let now = self.world.on_air_since().map_or(now, |at| now.min(at));
        let ripe = if all {
            self.records.len()
        } else {
            self.records.partition_point(|r| r.at <= now)
        };
        self.records.drain(..ripe).collect()
    }

    /// Simulated time reached, and the end.
    pub fn progress(&self) -> (Time, Time) {
        (self.world.now(), self.world.end())
    }

    /// Events served and frames received over links.
    pub fn counts(&self) -> (u64, u64) {
        (self.world.events(), self.world.packet_hops())
    }

    /// Closes the files; gives the document, the columns, and the names that their numbers mean.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(mut self) -> Result<(Value, Option<Columns>, Names), Failure> {
        if let Some(mut trace) = self.perfetto {
            let written = trace.finish(&self.world);
            written.map_err(|e| Failure::Io(trace.name(), e))?;
        }
        if let Some(mut qlog) = self.qlog {
            qlog.finish().map_err(|e| Failure::Io(qlog.name(), e))?;
        }
        let report = self.world.last_report();
        if let Some((name, mut file)) = self.record {
            file.flush().map_err(|e| Failure::Io(name, e))?;
        }
        if let Some((name, capture)) = self.pcap {
            capture
                .finish()
                .and_then(|mut f| f.flush())
                .map_err(|e| Failure::Io(name, e))?;
        }
        for log in self.logs {
            log.close(&mut self.world)?;
        }
        let names = Names {
            places: self
                .world
                .network
                .ports
                .iter()
                .map(|p| p.more.name.clone())
                .collect(),
            flows: self
                .world
                .network
                .flows
                .iter()
                .map(|f| f.name.clone())
                .collect(),
        };
        let mut document = document(&self.resolved, &self.world, &report);
        if let Some(series) = self.series {
            document["series"] = series.document(&self.world);
        }
        Ok((document, self.columns, names))
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
            self.value.push(match r.what {
                What::Send | What::Deliver | What::Srtt => r.value as f64 / 1e12,
                _ => r.value as f64,
            });
        }
    }
}

/// The flow number that control frames carry in columns.
pub const NO_FLOW: u32 = Id::<backwater_sim::network::Flow>::NONE.0;
