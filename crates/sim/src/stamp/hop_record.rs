//! In-band network telemetry: each port writes what it has sent, what waits, and when.
//!
//! Detects: nothing. Tells: its rate, the bytes sent before this packet, the backlog of all classes without it, and the instant
//! at which it was chosen, one record for each hop. Responds: left to the sender (HPCC, PowerTCP).
//!
//! Reference: Li et al., HPCC, SIGCOMM 2019, section 4; the switch of its public simulator. Differences: fields are exact, not
//! quantised; bytes sent count preamble and gap, so that they are a share of what the line carries.

use backwater_transport::congestion_header::{CongestionHeader, Hop, Layout};
use backwater_transport::part::Part;

use super::Build;
use super::law::{LawPacket, LawQueue, Passing, Stamp};

/// The state of a port.
#[derive(Clone, Debug)]
pub struct HopRecord {
    /// Bytes/s.
    rate: f64,
    sent: u64,
    queue: u64,
}

impl Stamp for HopRecord {
    fn layout(&self) -> Option<Layout> {
        Some(Layout::Telemetry)
    }

    fn needs_rate(&self) -> bool {
        true
    }

    fn attach(&mut self, place: &LawQueue) {
        self.rate = place.rate.expect("a place that was checked").0 as f64 / 8.0;
    }

    fn arrive(&mut self, _: &LawPacket, _: Option<&CongestionHeader>) {}

    fn depart(&mut self, seen: &LawPacket, passing: &mut Passing) {
        self.queue = seen.backlog.bytes;
        if let Some(header) = passing.header.as_deref_mut() {
            header.record(Hop {
                rate: self.rate,
                sent: self.sent,
                queue: self.queue,
                at: seen.now,
            });
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
    options: &[],
    build: |_| {
        Ok(HopRecord {
            rate: 0.0,
            sent: 0,
            queue: 0,
        }
        .into())
    },
};
