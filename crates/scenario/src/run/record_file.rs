//! A record file: every event in columns, for the viewer and `export`. `python/backwater/model/record_file.py` describes the
//! format and reads it. Columns are deflated while the run goes on, so a million events take half a megabyte of memory.

use std::io::{self, Write};

use backwater_sim::ids::{FlowId, PortId};
use backwater_sim::network::Port;
use backwater_sim::packet::frame;
use backwater_sim::record::{Record, What};
use backwater_sim::world::World;
use backwater_transport::units::Span;
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, compress_to_output, create_comp_flags_from_zip_params,
};
use serde_json::{Map, Value, json};

use super::capture::wires;
use super::record_columns::{COLUMNS, Differences, Event, at};

/// How the name of a record file ends.
pub const SUFFIX: &str = "bwrec";
const MAGIC: &[u8] = b"BWREC 2\n";
/// More events do not fit into a page's memory.
const MOST: u64 = 100_000_000;
const LEVEL: i32 = 6;
/// The shortest intervals in which a link's capacity is summed, and the most of them.
const CAPACITY: Span = Span::millis(100);
const MOST_INTERVALS: u64 = 4096;
/// A packet whose frame needs no padding.
const LONG: u16 = 1500;
/// Bytes that are collected before they are deflated.
const BATCH: usize = 1 << 16;

/// A record file that grows with its run.
pub struct RecordFile {
    columns: Vec<Column>,
    rows: u64,
    whats: Numbers,
    places: Numbers,
    flows: Numbers,
    differences: Differences,
}

impl RecordFile {
    /// Without an event.
    pub fn new() -> RecordFile {
        RecordFile {
            columns: COLUMNS.iter().map(|_| Column::new()).collect(),
            rows: 0,
            whats: Numbers::default(),
            places: Numbers::default(),
            flows: Numbers::default(),
            differences: Differences::default(),
        }
    }

    /// Takes in records, which come in the order of their times.
    ///
    /// # Errors
    /// More events than a page can hold.
    pub fn extend(&mut self, records: &[Record]) -> io::Result<()> {
        self.rows += records.len() as u64;
        if self.rows >= MOST {
            let what = format!(
                "more than {MOST} events, which no page can hold: record a part, with --set 'duration=\"1 s\"', or use --perfetto"
            );
            return Err(io::Error::other(what));
        }
        for record in records {
            self.add(record);
        }
        Ok(())
    }

    fn add(&mut self, record: &Record) {
        let what = self.whats.of(record.what as usize);
        let place = self.places.of(record.port.index());
        let flow = if record.flow.is_none() {
            0
        } else {
            self.flows.of(record.flow.index()) + 1
        };
        let row = self.differences.of(&Event {
            sort: record.what,
            what,
            place,
            flow,
            seq: i64::from(record.seq),
            class: i64::from(record.traffic.class()),
            size: frame(u64::from(record.len)) as i64,
            at: record.at.0 as i64,
            value: record.value as i64,
        });
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
    }

    /// How many events it has.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Writes the file. `about` says which run it was, `capacity` what links with traces could carry.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(
        self,
        world: &World,
        (about, capacity): (&Value, &Value),
        file: &mut impl Write,
    ) -> io::Result<()> {
        let columns: Vec<Vec<u8>> = self.columns.into_iter().map(Column::finish).collect();
        let network = world.network();
        let wired = wires(world);
        let place = |&port: &usize| network.ports[PortId::new(port)].more.name.clone();
        let rates: Map<String, Value> = self
            .places
            .known
            .iter()
            .filter(|&&port| port < wired)
            .map(|port| {
                let rate = network.ports[PortId::new(*port)].more.rate.0;
                (place(port), json!(rate))
            })
            .collect();
        let flow = |&flow: &usize| network.flows[FlowId::new(flow)].name.clone();
        let heads: Value = COLUMNS
            .iter()
            .zip(&columns)
            .map(|((name, group), data)| json!({"name": name, "bytes": data.len(), "group": group}))
            .collect();
        let head = json!({
            "schema": "backwater/record/2",
            "rows": self.rows,
            "whats": self.whats.known.iter().map(|&what| What::ALL[what].name()).collect::<Value>(),
            "places": self.places.known.iter().map(place).collect::<Value>(),
            "flows": self.flows.known.iter().map(flow).collect::<Value>(),
            "rates": rates,
            "capacity": capacity,
            "about": about,
            "columns": heads,
        })
        .to_string();
        file.write_all(MAGIC)?;
        file.write_all(&(head.len() as u32).to_le_bytes())?;
        file.write_all(head.as_bytes())?;
        columns.iter().try_for_each(|data| file.write_all(data))
    }
}

/// The bytes that the opportunities of each trace link carry in intervals of equal length, as far as the run came. `less` is by how many
/// bytes the link's account of a packet is smaller than its frame.
pub fn capacities(world: &World) -> Value {
    let every = Span(CAPACITY.0.max(world.now().0 / MOST_INTERVALS));
    let intervals = (world.now().0 / every.0) as usize + 1;
    let of_port = |port: &Port| {
        let server = port.more.service.server()?;
        let mut bits = vec![0; intervals];
        for at in server.opportunities(world.now()) {
            bits[(at.0 / every.0) as usize] += 8 * server.spec.opportunity;
        }
        let less = frame(LONG.into()) as i64 - server.size(LONG) as i64;
        let one = json!({"every_ps": every.0, "bits": bits, "less": less});
        Some((port.more.name.clone(), one))
    };
    let found: Map<String, Value> = world.network().ports.iter().filter_map(of_port).collect();
    Value::Object(found)
}

/// The description of a run in its record file; the document is that of the run.
pub fn about(document: &Value) -> Value {
    let keys = ["seed", "fingerprint", "duration_s"].into_iter();
    let mut found: Map<String, Value> = keys
        .map(|key| (key.to_owned(), document[key].clone()))
        .collect();
    found.insert("version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    Value::Object(found)
}

/// Numbers things in the order in which they are first met.
#[derive(Default)]
struct Numbers {
    /// One more than the number of each; 0 where it was not met.
    numbers: Vec<usize>,
    known: Vec<usize>,
}

impl Numbers {
    fn of(&mut self, thing: usize) -> usize {
        let number = at(&mut self.numbers, thing);
        if *number == 0 {
            self.known.push(thing);
            *number = self.known.len();
        }
        *number - 1
    }
}

/// Numbers as LEB128 of zigzag, deflated without a header.
struct Column {
    compressor: Box<CompressorOxide>,
    raw: Vec<u8>,
    data: Vec<u8>,
}

impl Column {
    fn new() -> Column {
        // A window of 15 bits; negative: without a header.
        let flags = create_comp_flags_from_zip_params(LEVEL, -15, 0);
        Column {
            compressor: Box::new(CompressorOxide::new(flags)),
            raw: Vec::with_capacity(BATCH + 10),
            data: Vec::new(),
        }
    }

    fn push(&mut self, value: i64) {
        let mut rest = ((value << 1) ^ (value >> 63)) as u64;
        while rest >= 0x80 {
            self.raw.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.raw.push(rest as u8);
        if self.raw.len() >= BATCH {
            self.deflate(TDEFLFlush::None);
        }
    }

    fn deflate(&mut self, flush: TDEFLFlush) {
        let data = &mut self.data;
        compress_to_output(&mut self.compressor, &self.raw, flush, |out| {
            data.extend_from_slice(out);
            true
        });
        self.raw.clear();
    }

    fn finish(mut self) -> Vec<u8> {
        self.deflate(TDEFLFlush::Finish);
        self.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_sim::packet::Traffic;
    use backwater_transport::units::Time;

    #[test]
    fn more_events_than_a_page_can_hold_are_refused_with_a_remedy() {
        let mut file = RecordFile::new();
        let record = Record {
            at: Time(5),
            what: What::Send,
            port: PortId::new(0),
            flow: FlowId::NONE,
            seq: 0,
            to: 0,
            len: 64,
            traffic: Traffic::default(),
            value: 0,
            gated: 0,
            notice: None,
            header: None,
        };
        file.rows = MOST - 2;
        assert!(file.extend(std::slice::from_ref(&record)).is_ok());
        let refused = file.extend(&[record]).unwrap_err().to_string();
        assert!(
            refused.contains("100000000 events") && refused.contains("record a part"),
            "{refused}"
        );
    }
}
