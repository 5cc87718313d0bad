//! Records of a world while time goes on: files of its events, and sums over intervals.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use backwater_sim::books::Stop;
use backwater_sim::ends::{Delivered, Step};
use backwater_sim::ids::LawId;
use backwater_sim::medium::{AIR, WIRE};
use backwater_sim::network::Values;
use backwater_sim::record::Record;
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use backwater_wire::pcapng::{Capture, Interface};
use serde_json::{Value, json};

use super::capture::{Frames, capture_records, wires, write_records};
use super::perfetto::Perfetto;
use super::qlog::Qlog;
use super::record_file::{RecordFile, SUFFIX, capacities};
use super::{Columns, Failure, Keep};
use crate::series::Series;

/// First line of a record file.
pub const RECORD_HEADER: &str = "time_s,what,place,flow,seq,class,size_B,value";

/// Files and sums of a run under way, but for the logs of its links.
pub struct Observers {
    record: Option<(String, Events)>,
    pcap: Option<(String, Capture<BufWriter<File>>)>,
    perfetto: Option<Perfetto>,
    qlog: Option<Qlog>,
    columns: Option<Columns>,
    series: Option<Series>,
    /// Recorded, and not yet passed on.
    records: Vec<Record>,
    /// The events since it was begun, and how many it takes.
    piece: Option<(RecordFile, u64)>,
}

/// The events in a world between two looks at it. They may be written by another thread than the world's.
#[derive(Default)]
pub struct Seen {
    records: Vec<Record>,
    frames: Frames,
    laws: Vec<(LawId, Vec<Values>)>,
    delivered: Vec<Delivered>,
    steps: Vec<Step>,
    stops: Vec<Stop>,
    /// Later records may still be preceded by others.
    until: Time,
}

impl Seen {
    /// Takes it out of the world; with `done` all of it is in order.
    ///
    /// A capture is in order, too: a transmission is recorded when it is decided, and begins up to an inter-packet gap later.
    pub fn take(world: &mut World, done: bool) -> Seen {
        let now = world.now();
        let on_air = world.on_air_since().map_or(now, |at| now.min(at));
        Seen {
            records: world.take_records(),
            frames: world.take_air_frames(done),
            laws: world.take_law_log(),
            delivered: world.ends.take_log(),
            steps: world.ends.take_steps(),
            stops: world.take_stop_log(),
            until: if done { Time::NEVER } else { on_air },
        }
    }

    /// How many events it has.
    pub fn events(&self) -> usize {
        self.records.len() + self.frames.len() + self.delivered.len()
    }
}

/// The form of a file of events.
enum Events {
    Text(BufWriter<File>),
    Columns(Box<RecordFile>, File),
}

impl Events {
    fn create(path: &Path) -> io::Result<Events> {
        if path.extension().is_some_and(|suffix| suffix == SUFFIX) {
            let file = File::create(path)?;
            return Ok(Events::Columns(Box::new(RecordFile::new()), file));
        }
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "{RECORD_HEADER}")?;
        Ok(Events::Text(file))
    }

    fn extend(&mut self, world: &World, records: &[Record]) -> io::Result<()> {
        match self {
            Events::Text(file) => write_records(world, records, file),
            Events::Columns(columns, _) => columns.extend(records),
        }
    }

    fn finish(self, world: &World, about: &Value) -> io::Result<()> {
        match self {
            Events::Text(mut file) => file.flush(),
            Events::Columns(columns, mut file) => {
                columns.finish(world, (about, &capacities(world)), &mut file)
            }
        }
    }
}

/// Has the world keep what its events do not say.
fn start_logs(world: &mut World, keep: &Keep<'_>) {
    if keep.series.is_some() {
        world.start_law_log();
        world.start_stop_log();
        world.ends.start_log();
    }
    if keep.perfetto.is_some() {
        world.ends.start_steps();
    }
}

impl Observers {
    /// Opens the files, and has the world record what they need. Sums over intervals reach to `length`.
    ///
    /// # Errors
    /// A file that cannot be created.
    pub fn open(world: &mut World, keep: &Keep<'_>, length: Span) -> Result<Observers, Failure> {
        let watched = keep.columns || keep.series.is_some();
        let files = [keep.record, keep.pcap, keep.perfetto, keep.qlog];
        if watched || files.iter().any(Option::is_some) {
            world.start_recording();
        }
        start_logs(world, keep);
        if keep.pcap.is_some() {
            world.start_air_log();
        }
        let open = |path: &Path| {
            let name = path.display().to_string();
            File::create(path)
                .map(|f| (name.clone(), BufWriter::new(f)))
                .map_err(|e| Failure::Io(name, e))
        };
        let interfaces: Vec<Interface<'_>> = world
            .network()
            .ports
            .iter()
            .take(wires(world))
            .map(|p| Interface {
                name: &p.more.name,
                speed_bps: p.more.rate.0,
                link: WIRE.link,
            })
            .chain(world.captured_media().map(|(name, speed_bps)| Interface {
                name,
                speed_bps,
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
        let events = |path: &Path| match Events::create(path) {
            Ok(file) => Ok((named(path), file)),
            Err(e) => Err(Failure::Io(named(path), e)),
        };
        let record = keep.record.map(events).transpose()?;
        let trace =
            |path: &Path| Perfetto::create(path, world).map_err(|e| Failure::Io(named(path), e));
        let logs_of =
            |path: &Path| Qlog::create(path, world).map_err(|e| Failure::Io(named(path), e));
        let perfetto = keep.perfetto.map(trace).transpose()?;
        let qlog = keep.qlog.map(logs_of).transpose()?;
        Ok(Observers {
            record,
            pcap,
            perfetto,
            qlog,
            columns: keep.columns.then(Columns::default),
            series: keep.series.map(|every| Series::new(every, length)),
            records: Vec::new(),
            piece: None,
        })
    }

    /// Writes what has happened since the last call; with `done` all of it, else what no later event precedes.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn observe(&mut self, world: &mut World, done: bool) -> Result<(), Failure> {
        let seen = Seen::take(world, done);
        self.write(world, seen)
    }

    /// Writes what was taken out of a world. Names alone are asked of `world`, which may be an older copy.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&mut self, world: &World, mut seen: Seen) -> Result<(), Failure> {
        let records = self.in_order(&mut seen.records, seen.until);
        if let Some((name, file)) = &mut self.record {
            let written = file.extend(world, &records);
            written.map_err(|e| Failure::Io(name.clone(), e))?;
        }
        if let Some((name, capture)) = &mut self.pcap {
            capture_records(world, &records, &seen.frames, capture)
                .map_err(|e| Failure::Io(name.clone(), e))?;
        }
        if let Some(trace) = &mut self.perfetto {
            let written = trace.extend(world, &records);
            written.map_err(|e| Failure::Io(trace.name(), e))?;
            trace.extend_steps(world, &seen.steps);
        }
        if let Some(qlog) = &mut self.qlog {
            let written = qlog.extend(world, &records);
            written.map_err(|e| Failure::Io(qlog.name(), e))?;
        }
        if let Some(columns) = &mut self.columns {
            columns.extend(&records);
        }
        if let Some(series) = &mut self.series {
            series.extend(world, &records);
            series.extend_laws(seen.laws);
            series.extend_delivered(seen.delivered);
            series.extend_stops(&seen.stops);
        }
        if let Some((piece, most)) = &mut self.piece {
            let room = most.saturating_sub(piece.rows()).min(records.len() as u64);
            let written = piece.extend(&records[..room as usize]);
            written.map_err(|e| Failure::Io("a piece of the record".to_owned(), e))?;
        }
        Ok(())
    }

    /// Keeps the first events from now on, so many at most, in a record file of their own.
    pub fn begin_piece(&mut self, most: u64) {
        self.piece = Some((RecordFile::new(), most));
    }

    /// The record file that was begun; none where none was.
    pub fn end_piece(&mut self, world: &World, about: &Value) -> Option<Vec<u8>> {
        let (piece, _) = self.piece.take()?;
        let mut bytes = Vec::new();
        let written = piece.finish(world, (about, &json!({})), &mut bytes);
        written.ok().map(|()| bytes)
    }

    /// The columns of what was observed since the last call.
    pub fn take_columns(&mut self) -> Columns {
        self.columns
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// The series up to the present.
    pub fn series_so_far(&self, world: &World) -> Option<Value> {
        let series = self.series.clone()?;
        Some(series.document(world, world.now()))
    }

    /// One interval of the series, which is over; none where there is no such interval.
    pub fn row(&self, world: &World, at: usize) -> Option<Value> {
        self.series.as_ref()?.row(world, at)
    }

    /// Records up to this instant, in the order of their times.
    fn in_order(&mut self, records: &mut Vec<Record>, until: Time) -> Vec<Record> {
        self.records.append(records);
        self.records.sort_by_key(|r| r.at);
        let ripe = self.records.partition_point(|r| r.at <= until);
        self.records.drain(..ripe).collect()
    }

    /// Closes the files. Gives the columns, and the series up to `end`. A record file says what the run was `about`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(
        self,
        world: &World,
        end: Time,
        about: &Value,
    ) -> Result<(Option<Columns>, Option<Value>), Failure> {
        if let Some(mut trace) = self.perfetto {
            let written = trace.finish(world);
            written.map_err(|e| Failure::Io(trace.name(), e))?;
        }
        if let Some(mut qlog) = self.qlog {
            qlog.finish().map_err(|e| Failure::Io(qlog.name(), e))?;
        }
        if let Some((name, file)) = self.record {
            let written = file.finish(world, about);
            written.map_err(|e| Failure::Io(name, e))?;
        }
        if let Some((name, capture)) = self.pcap {
            capture
                .finish()
                .and_then(|mut f| f.flush())
                .map_err(|e| Failure::Io(name, e))?;
        }
        let series = self.series.map(|series| series.document(world, end));
        Ok((self.columns, series))
    }
}
