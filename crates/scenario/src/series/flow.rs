//! The series of a flow over time.

use backwater_sim::record::{Record, What};

/// Sums of a flow over intervals.
#[derive(Clone)]
pub struct OfFlow {
    /// Bits that count as goodput.
    pub bits: Vec<u64>,
    pub packets: Vec<u64>,
    pub delay_s: Vec<f64>,
    pub window: Vec<Option<f64>>,
    pub srtt: Vec<Option<f64>>,
    /// The application's bytes up to now, where there is a transport.
    bytes: u64,
}

impl OfFlow {
    pub fn new(intervals: usize) -> OfFlow {
        OfFlow {
            bits: vec![0; intervals],
            packets: vec![0; intervals],
            delay_s: vec![0.0; intervals],
            window: vec![None; intervals],
            srtt: vec![None; intervals],
            bytes: 0,
        }
    }

    /// Adds an event of interval `at`. Where there is a transport, what arrives is goodput when the application has it.
    pub fn note(&mut self, record: &Record, at: usize, transport: bool) {
        match record.what {
            What::Deliver => {
                if !transport {
                    self.bits[at] += 8 * u64::from(record.len);
                }
                self.packets[at] += 1;
                self.delay_s[at] += record.value as f64 / 1e12;
            }
            What::Window => self.window[at] = Some(record.value as f64),
            _ => self.srtt[at] = Some(record.value as f64 / 1e12),
        }
    }

    /// In interval `at` the application has so many bytes, counted from the flow's start.
    pub fn rise_to(&mut self, bytes: u64, at: usize) {
        self.bits[at] += 8 * (bytes - self.bytes);
        self.bytes = bytes;
    }
}
