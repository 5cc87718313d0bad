//! A run's flows with a transport as qlog files, one for each, seen from the sender: draft-ietf-quic-qlog-main-schema-02
//! and -quic-events-02 (`qlog_version` 0.3), which qvis reads. Times are milliseconds with nine decimals, exact to the
//! picosecond.
//!
//! TCP segments and datagrams stand as packets of type 1RTT with one stream frame; a packet's number counts
//! transmissions, so a retransmission has a new one. `packet_sent` is the instant at which its transmission begins at the
//! sender's port. An acknowledgement's ranges hold the numbers it newly acknowledges. A packet is `packet_lost` when
//! its bytes are sent again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use backwater_sim::connection::Header;
use backwater_sim::ids::FlowId;
use backwater_sim::network::Role;
use backwater_sim::record::{Record, What};
use backwater_sim::world::World;
use backwater_transport::segment::{AckSegment, Segment};
use backwater_transport::units::Time;

/// Files of the flows of a run.
pub struct Qlog {
    folder: PathBuf,
    flows: BTreeMap<FlowId, OfFlow>,
    /// Flows that carry ACKs, and the flow of their data.
    acks: BTreeMap<FlowId, FlowId>,
}

/// One flow.
struct OfFlow {
    path: PathBuf,
    out: String,
    datagram: bool,
    any: bool,
    /// Sent and neither acknowledged nor sent again: by first byte, number and length.
    outstanding: BTreeMap<u64, (u64, u32)>,
    in_flight: u64,
    /// Transmissions that were written.
    sent: u64,
    /// Acknowledgements on their way, by their number.
    acks: BTreeMap<u32, AckSegment>,
    numbers: Vec<u64>,
}

/// Characters that are written at once.
const BLOCK: usize = 1 << 18;

impl Qlog {
    /// Begins a file for each flow with a transport in this folder, which is made if it is not there.
    ///
    /// # Errors
    /// A file cannot be created.
    pub fn create(folder: &Path, world: &World) -> io::Result<Qlog> {
        fs::create_dir_all(folder)?;
        let mut qlog = Qlog {
            folder: folder.to_owned(),
            flows: BTreeMap::new(),
            acks: BTreeMap::new(),
        };
        for connection in world.ends.connections.iter() {
            let name = &world.network().flows[connection.data].name;
            let path = folder.join(format!("{}.qlog", name.replace('/', "_")));
            let datagram = !connection.protocol.row().reliable;
            File::create(&path)?.write_all(head(name, datagram).as_bytes())?;
            qlog.acks.insert(connection.acks, connection.data);
            qlog.flows.insert(
                connection.data,
                OfFlow {
                    path,
                    out: String::new(),
                    datagram,
                    any: false,
                    outstanding: BTreeMap::new(),
                    in_flight: 0,
                    sent: 0,
                    acks: BTreeMap::new(),
                    numbers: Vec::new(),
                },
            );
        }
        Ok(qlog)
    }

    /// The folder.
    pub fn name(&self) -> String {
        self.folder.display().to_string()
    }

    /// Adds events, in order of time.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn extend(&mut self, world: &World, records: &[Record]) -> io::Result<()> {
        for record in records.iter().filter(|r| !r.flow.is_none()) {
            let data = match world.network().flows[record.flow].role {
                Role::None => continue,
                Role::Data(_) => record.flow,
                Role::Acks(_) => self.acks[&record.flow],
            };
            let of = self.flows.get_mut(&data).expect("a flow with a transport");
            match (record.what, record.header.as_deref()) {
                (What::Send | What::Drop, Some(Header::Data(segment, _))) => {
                    of.send(record, segment)
                }
                (What::Send, Some(Header::Ack(ack))) => {
                    of.acks.entry(record.seq).or_insert_with(|| ack.clone());
                }
                (What::Drop, Some(Header::Ack(_))) => {
                    of.acks.remove(&record.seq);
                }
                (What::Deliver, _) if record.flow != data => of.acknowledge(record),
                (What::Window, _) => of.metric(record.at, "congestion_window", record.value),
                (What::Threshold, _) => of.metric(record.at, "ssthresh", record.value),
                (What::Pacing, _) => of.metric(record.at, "pacing_rate", record.value),
                (What::Srtt, _) => of.event(record.at, "recovery:metrics_updated", |out| {
                    let _ = write!(out, r#""smoothed_rtt":{}"#, Ms(record.value));
                }),
                _ => continue,
            }
            if of.out.len() >= BLOCK {
                of.flush()?;
            }
        }
        Ok(())
    }

    /// Ends the files.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        for of in self.flows.values_mut() {
            of.out.push_str("\n]}]}\n");
            of.flush()?;
        }
        Ok(())
    }
}

/// The text before the events.
fn head(name: &str, datagram: bool) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let name = serde_json::Value::from(name);
    let protocol = if datagram { "UDP" } else { "TCP" };
    format!(
        r#"{{"qlog_version":"0.3","qlog_format":"JSON","title":{name},"traces":[{{"title":{name},"vantage_point":{{"name":"Backwater {version}","type":"server"}},"common_fields":{{"time_format":"relative","reference_time":0,"group_id":{name},"protocol_type":["{protocol}"]}},"events":["#
    )
}

/// Picoseconds as milliseconds.
struct Ms(u64);

impl std::fmt::Display for Ms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MS: u64 = 1_000_000_000;
        write!(f, "{}.{:09}", self.0 / MS, self.0 % MS)
    }
}

impl OfFlow {
    fn event(&mut self, at: Time, name: &str, data: impl FnOnce(&mut String)) {
        self.out.push_str(if self.any { ",\n" } else { "\n" });
        self.any = true;
        let out = &mut self.out;
        let _ = write!(out, r#"{{"time":{},"name":"{name}","data":{{"#, Ms(at.0));
        data(out);
        out.push_str("}}");
    }

    fn metric(&mut self, at: Time, name: &str, value: u64) {
        self.event(at, "recovery:metrics_updated", |out| {
            let _ = write!(out, r#""{name}":{value}"#);
        });
    }

    /// A transmission begins at the sender's port, or is lost there. At ports behind it is known already.
    fn send(&mut self, record: &Record, segment: &Segment) {
        if segment.number < self.sent {
            return;
        }
        self.sent = segment.number + 1;
        let Segment {
            number,
            start,
            len,
            again,
            ..
        } = *segment;
        let before = self.outstanding.insert(start, (number, len));
        if let Some((lost, bytes)) = before {
            self.in_flight -= u64::from(bytes);
            self.event(record.at, "recovery:packet_lost", |out| {
                let _ = write!(
                    out,
                    r#""header":{{"packet_type":"1RTT","packet_number":{lost}}}"#
                );
            });
        }
        self.in_flight += u64::from(len);
        let bytes = record.len;
        self.event(record.at, "transport:packet_sent", |out| {
            let _ = write!(
                out,
                r#""header":{{"packet_type":"1RTT","packet_number":{number}}},"raw":{{"length":{bytes},"payload_length":{len}}},"frames":[{{"frame_type":"stream","stream_id":0,"offset":{start},"length":{len}}}]"#
            );
            if again {
                out.push_str(r#","trigger":"retransmit_reordering""#);
            }
        });
    }

    /// An acknowledgement has reached the sender.
    fn acknowledge(&mut self, record: &Record) {
        let Some(ack) = self.acks.remove(&record.seq) else {
            return;
        };
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        numbers.push(ack.number);
        if self.datagram {
            let found = self
                .outstanding
                .iter()
                .find(|(_, sent)| sent.0 == ack.number);
            if let Some((&start, _)) = found {
                self.take(start, &mut numbers);
            }
        } else {
            self.take_between(0, ack.upto, &mut numbers);
            for (first, end) in ack.sack() {
                self.take_between(first, end, &mut numbers);
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        let (bytes, number, in_flight) = (record.len, record.seq, self.in_flight);
        self.event(record.at, "transport:packet_received", |out| {
            let _ = write!(
                out,
                r#""header":{{"packet_type":"1RTT","packet_number":{number}}},"raw":{{"length":{bytes}}},"frames":[{{"frame_type":"ack","acked_ranges":["#
            );
            for (index, range) in numbers.chunk_by(|a, b| a + 1 == *b).enumerate() {
                let comma = if index == 0 { "" } else { "," };
                let _ = write!(out, "{comma}[{},{}]", range[0], range[range.len() - 1]);
            }
            out.push_str("]}]");
        });
        self.metric(record.at, "bytes_in_flight", in_flight);
        self.numbers = numbers;
    }

    /// Acknowledges what lies wholly between two bytes of the stream.
    fn take_between(&mut self, first: u64, end: u64, numbers: &mut Vec<u64>) {
        while let Some((&start, &(_, len))) = self.outstanding.range(first..end.max(first)).next() {
            if start + u64::from(len) > end {
                return;
            }
            self.take(start, numbers);
        }
    }

    fn take(&mut self, start: u64, numbers: &mut Vec<u64>) {
        if let Some((number, len)) = self.outstanding.remove(&start) {
            self.in_flight -= u64::from(len);
            numbers.push(number);
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).open(&self.path)?;
        file.write_all(self.out.as_bytes())?;
        self.out.clear();
        Ok(())
    }
}
