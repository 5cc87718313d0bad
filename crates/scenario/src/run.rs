//! A run from beginning to end: the world, and the files and columns that record it. The caller
//! decides when to stop and keeps the time.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use backwater_sim::connection::Header;
use backwater_sim::ids::FlowId;
use backwater_sim::medium::wifi::air::NOBODY;
use backwater_sim::medium::wifi::air_log::{AirFrame, Body, Carried};
use backwater_sim::medium::wifi::wifi_bytes;
use backwater_sim::network::Part;
use backwater_sim::packet::Traffic;
use backwater_sim::record::frame_bytes::{self, EVERYBODY, FrameKind};
use backwater_sim::record::pcapng::{Capture, Interface, LinkType};
use backwater_sim::record::{Record, What};
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::endpoint::Protocol;
use backwater_transport::units::{Span, Time};
use serde_json::{Value, json};

use crate::diagnostic::Diagnostic;
use crate::document::document;
use crate::link_log::LinkLog;
use crate::resolved::Resolved;
use crate::series::Series;

/// What to keep of a run besides its sums.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keep<'a> {
    /// A CSV file of every event.
    pub record: Option<&'a Path>,
    /// A pcapng capture.
    pub pcap: Option<&'a Path>,
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
        if keep.record.is_some() || keep.pcap.is_some() || watched {
            world.start_recording();
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
            .ports
            .iter()
            .take(wires(&world))
            .map(|p| Interface {
                name: &p.more.name,
                speed_bps: p.more.rate.0,
                link: LinkType::Ethernet,
            })
            .chain(world.air.media.iter().map(|m| Interface {
                name: &m.name,
                speed_bps: m.phy.data.0,
                link: LinkType::Radiotap,
            }))
            .collect();
        let capture = |(name, file): (String, BufWriter<File>)| {
            Capture::new(file, env!("CARGO_PKG_VERSION"), &interfaces)
                .map(|c| (name.clone(), c))
                .map_err(|e| Failure::Io(name, e))
        };
        let pcap = keep.pcap.map(open).transpose()?.map(capture).transpose()?;
        Ok(Run {
            resolved: resolved.clone(),
            world,
            record,
            pcap,
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
            let frames = self.world.take_air_frames();
            capture_records(&self.world, &records, &frames, capture)
                .map_err(|e| Failure::Io(name.clone(), e))?;
        }
        if let Some(columns) = &mut self.columns {
            columns.extend(&records);
        }
        if let Some(series) = &mut self.series {
            series.extend(&self.world, &records);
        }
        Ok(done)
    }

    /// Records up to the present, in the order of their times. A transmission is recorded when it is
    /// decided, and begins up to an inter-packet gap later.
    fn in_order(&mut self, all: bool) -> Vec<Record> {
        self.records.append(&mut self.world.take_records());
        self.records.sort_by_key(|r| r.at);
        let now = self.world.now();
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
        (self.world.events, self.world.packet_hops)
    }

    /// Closes the files; gives the document, the columns, and the names that their numbers mean.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(mut self) -> Result<(Value, Option<Columns>, Names), Failure> {
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
            log.close(&self.world)?;
        }
        let names = Names {
            places: self
                .world
                .ports
                .iter()
                .map(|p| p.more.name.clone())
                .collect(),
            flows: self.world.flows.iter().map(|f| f.name.clone()).collect(),
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

fn write_records(world: &World, records: &[Record], out: &mut impl Write) -> io::Result<()> {
    for r in records {
        let (s, ps) = (r.at.0 / 1_000_000_000_000, r.at.0 % 1_000_000_000_000);
        let flow = if r.flow.is_none() {
            ""
        } else {
            &world.flows[r.flow].name
        };
        let frame = backwater_sim::medium::ethernet::frame(u64::from(r.len));
        writeln!(
            out,
            "{s}.{ps:012},{},{},{flow},{},{},{frame},{}",
            r.what.name(),
            world.ports[r.port].more.name,
            r.seq,
            r.traffic.class(),
            r.value
        )?;
    }
    Ok(())
}

/// Transmissions as the wire saw them, and lost packets with the reason.
fn capture_records(
    world: &World,
    records: &[Record],
    frames: &[AirFrame],
    capture: &mut Capture<BufWriter<File>>,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    let mut frames = frames.iter().peekable();
    for r in records {
        while let Some(frame) = frames.next_if(|f| f.at <= r.at) {
            capture_air_frame(world, frame, capture)?;
        }
        // Of a hop over the air the frames themselves are captured.
        if r.port.index() >= wires(world) {
            continue;
        }
        let port = &world.ports[r.port];
        let comment = match r.what {
            What::Send => None,
            What::Drop => Some(format!(
                "dropped: {} at {}",
                backwater_sim::cause::Cause::ALL[r.value as usize].name(),
                port.more.name
            )),
            _ => continue,
        };
        bytes.clear();
        let size = backwater_sim::medium::ethernet::frame(u64::from(r.len)) as u32;
        let (source, local) = (port.node.0, port.local);
        match &r.notice {
            Some(notice) => {
                let addresses: Vec<u32> = notice
                    .host_numbers()
                    .iter()
                    .map(|h| world.hosts[*h as usize].0)
                    .collect();
                frame_bytes::write(
                    &mut bytes,
                    source,
                    0,
                    local,
                    size,
                    0,
                    &notice.frame_kind(&addresses),
                );
            }
            None => {
                let (from, to) = (world.flows[r.flow].from.0, world.hosts[r.to as usize].0);
                let kind = frame_kind(world, r.flow, r.seq, r.traffic, r.header.as_deref());
                frame_bytes::write(&mut bytes, from, to, local, size, u32::from(r.len), &kind);
            }
        }
        capture.frame(r.at.0, r.port.0, &bytes, comment.as_deref())?;
    }
    frames.try_for_each(|frame| capture_air_frame(world, frame, capture))
}

/// Ports that are ends of wires; those of hops over the air follow.
fn wires(world: &World) -> usize {
    world.ports.len() - world.air.hops.len()
}

fn capture_air_frame(
    world: &World,
    frame: &AirFrame,
    capture: &mut Capture<BufWriter<File>>,
) -> io::Result<()> {
    let mut ethernet = Vec::new();
    let ip: &[u8] = match &frame.body {
        Some(Body::Packet(packet, _)) => {
            let Carried {
                flow,
                seq,
                to,
                len,
                traffic,
                ref header,
            } = *packet;
            let from = world.flows[flow].from.0;
            let to = match frame.to {
                NOBODY => EVERYBODY,
                _ => world.hosts[to as usize].0,
            };
            let kind = frame_kind(world, flow, seq, traffic, header.as_deref());
            let len = u32::from(len);
            frame_bytes::write(&mut ethernet, from, to, 0, 0, len, &kind);
            let said = usize::from(u16::from_be_bytes([ethernet[16], ethernet[17]]));
            &ethernet[14..14 + said]
        }
        _ => &[],
    };
    let radio = &world.air.radios[frame.from as usize];
    let medium = &world.air.media[radio.medium as usize];
    let node = |station: u32| world.air.radios[station as usize].node.0;
    let mut bytes = Vec::new();
    wifi_bytes::write(&mut bytes, medium, frame, node, ip);
    let interface = wires(world) as u32 + radio.medium;
    capture.frame(frame.at.0, interface, &bytes, None)
}

/// What a frame of a flow carries: a segment, an acknowledgement, or a datagram.
fn frame_kind<'a>(
    world: &World,
    flow: FlowId,
    seq: u32,
    traffic: Traffic,
    header: Option<&'a Header>,
) -> FrameKind<'a> {
    let (class, ecn) = (traffic.class(), traffic.ecn() as u8);
    if let (Part::Data(id) | Part::Acks(id), Some(header)) = (world.flows[flow].part, header) {
        let connection = &world.connections[id];
        if connection.protocol == Protocol::Stream {
            return FrameKind::Tcp {
                flow: connection.data.0,
                seq: u64::from(seq),
                class,
                ecn,
                header,
            };
        }
    }
    FrameKind::Udp {
        flow: flow.0,
        seq: u64::from(seq),
        class,
        ecn,
    }
}

/// The first record in which two record files differ.
///
/// # Errors
/// A file that cannot be read or is no record file.
pub fn diff(a: &Path, b: &Path) -> Result<Option<Value>, Failure> {
    let open = |path: &Path| {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| Failure::Io(name.clone(), e))?;
        let mut lines = io::BufRead::lines(io::BufReader::new(file));
        match lines.next() {
            Some(Ok(first)) if first == RECORD_HEADER => Ok((name, lines)),
            _ => Err(Failure::Io(
                name,
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    "not a record file: its first line is not that of `run --record`",
                ),
            )),
        }
    };
    let ((name_a, mut a), (name_b, mut b)) = (open(a)?, open(b)?);
    for number in 1u64.. {
        let one = a
            .next()
            .transpose()
            .map_err(|e| Failure::Io(name_a.clone(), e))?;
        let other = b
            .next()
            .transpose()
            .map_err(|e| Failure::Io(name_b.clone(), e))?;
        if one != other {
            let fields = |line: Option<String>| match line {
                None => Value::Null,
                Some(line) => RECORD_HEADER
                    .split(',')
                    .map(str::to_owned)
                    .zip(line.split(',').map(|f| json!(f)))
                    .collect(),
            };
            return Ok(Some(
                json!({"record": number, "a": fields(one), "b": fields(other)}),
            ));
        }
        if one.is_none() {
            break;
        }
    }
    Ok(None)
}

/// The flow number that control frames carry in columns.
pub const NO_FLOW: u32 = Id::<backwater_sim::network::Flow>::NONE.0;
