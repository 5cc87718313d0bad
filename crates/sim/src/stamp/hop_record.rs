//! In-band network telemetry: each port writes what it has sent, what waits, and when.
//!
//! Detects: nothing. Tells: its rate, the bytes sent before this packet, the backlog of all classes without it, and the instant
//! at which it was chosen, one record for each hop: all digits, or 64 bits of them (`fields`). Responds: left to the sender (HPCC, PowerTCP).
//!
//! Reference: Li et al., HPCC, SIGCOMM 2019, section 4; the switch and the header of its public simulator. Differences: bytes sent
//! count preamble and gap, so that they are a share of what the line carries. Exact records take the room of quantised ones.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};
use backwater_transport::telemetry::{Hop, RATES, Record, Word};
use backwater_transport::units::Rate;

use super::Build;
use super::law::{LawPacket, LawQueue, Passing, Stamp};

const QUANTISED: &str = "quantised";

/// The state of a port.
#[derive(Clone, Debug)]
pub struct HopRecord {
    /// Bytes/s.
    rate: f64,
    sent: u64,
    queue: u64,
    /// Factor of the units of quantised records; none: exact ones.
    units: Option<u8>,
}

impl HopRecord {
    fn record(&self, hop: Hop) -> Record {
        let Some(units) = self.units else {
            return Record::Exact(hop);
        };
        Record::Quantised(Word::of(&hop, units).expect("a rate that was checked"))
    }
}

impl Stamp for HopRecord {
    fn layout(&self) -> Option<Layout> {
        Some(Layout::Telemetry)
    }

    fn needs_rate(&self) -> bool {
        true
    }

    fn rates(&self) -> &'static [Rate] {
        match self.units {
            Some(_) => &RATES,
            None => &[],
        }
    }

    fn observes_arrivals(&self) -> bool {
        false
    }

    fn attach(&mut self, place: &LawQueue) {
        self.rate = place.rate.expect("a place that was checked").0 as f64 / 8.0;
    }

    fn arrive(&mut self, _: &LawPacket, _: Option<&CongestionHeader>) {}

    fn depart(&mut self, seen: &LawPacket, passing: &mut Passing) {
        self.queue = seen.backlog.bytes;
        if let Some(header) = passing.header.as_deref_mut() {
            header.record(self.record(Hop {
                rate: self.rate,
                sent: self.sent,
                queue: self.queue,
                at: seen.now,
            }));
        }
        self.sent += seen.size;
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        [
            ("sent_B", self.sent as f64),
            ("queue_B", self.queue as f64),
            ("", 0.0),
            ("", 0.0),
        ]
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "hop-record",
    aliases: &[],
    summary: "writes rate, bytes sent, backlog and time into each packet: in-band telemetry (INT)",
    source: "Li et al., SIGCOMM 2019",
    options: &[
        Opt::new(
            "fields",
            Kind::Choice(&["exact", QUANTISED]),
            Default::Is("exact"),
            "all digits, or the 64 bits of HPCC's simulator: 3 of the rate, 24 of nanoseconds, 20 of bytes sent in units of 128 B, 17 of \
             backlog in units of 80 B",
        ),
        Opt::new(
            "units",
            Kind::Count,
            Default::Absent,
            "with quantised fields: factor of both units, the hosts' rate over 25 Gbit/s in that simulator; 1 where it is left out",
        )
        .at_least("1")
        .at_most("255"),
    ],
    build: |args| {
        let quantised = args.choice("fields") == QUANTISED;
        if args.has("units") && !quantised {
            return Err(Refusal {
                option: "units",
                what: "exact fields have no units".into(),
                fix: "remove it, or write fields = \"quantised\"".into(),
            });
        }
        let units = match args.has("units") {
            true => args.count("units") as u8,
            false => 1,
        };
        Ok(HopRecord {
            rate: 0.0,
            sent: 0,
            queue: 0,
            units: quantised.then_some(units),
        }
        .into())
    },
};
