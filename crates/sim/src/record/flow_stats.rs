//! What a flow counts. Delay histograms keep three significant digits, in nanoseconds.

use backwater_transport::units::Time;
use hdrhistogram::Histogram;

use crate::packet::Packet;

/// Packets and bytes since the run began.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// IP bytes.
    pub bytes: u64,
}

impl Count {
    /// One more packet.
    pub fn add(&mut self, bytes: u64) {
        self.packets += 1;
        self.bytes += bytes;
    }

    /// What came since `base`.
    pub fn since(self, base: Count) -> Count {
        Count {
            packets: self.packets - base.packets,
            bytes: self.bytes - base.bytes,
        }
    }
}

/// Sums over delivered packets, in ticks. `total` is measured from creation to delivery and equals
/// the parts; propagation is what remains when serialisation and waiting are taken off.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DelaySum {
    /// Creation to complete reception.
    pub total: u128,
    /// Bits being put on wires.
    pub serial: u128,
    /// Behind other frames.
    pub queue: u128,
    /// At ports idle because every waiting frame was held back.
    pub gate: u128,
    /// First in line at 802.11 stations, waiting for the medium.
    pub contention: u128,
    /// In 802.11 exchanges that failed.
    pub retries: u128,
    /// On wires.
    pub propagation: u128,
}

/// Counters of a flow.
#[derive(Clone, Debug)]
pub struct FlowStats {
    /// Handed to the sending host.
    pub entered: Count,
    /// Received.
    pub delivered: Count,
    /// Lost.
    pub dropped: Count,
    /// Marked with CE, by each port that did so.
    pub marked: Count,
    /// The four at the end of the warm-up.
    pub base: [Count; 4],
    /// Delays of packets delivered after the warm-up.
    pub delay: Histogram<u32>,
    /// Sums of the same.
    pub sum: DelaySum,
    /// Longest delay in ticks.
    pub max: u64,
    /// Delivered after waiting at a gate that a queue off their path had closed.
    pub victims: u64,
}

impl Default for FlowStats {
    fn default() -> Self {
        FlowStats {
            entered: Count::default(),
            delivered: Count::default(),
            dropped: Count::default(),
            marked: Count::default(),
            base: [Count::default(); 4],
            delay: Histogram::new(3).expect("three digits are within the library's range"),
            sum: DelaySum::default(),
            max: 0,
            victims: 0,
        }
    }
}

impl FlowStats {
    /// A packet has been received; gives its delay in ticks.
    pub fn deliver(&mut self, packet: &Packet, now: Time) -> u64 {
        let total = now.since(packet.born).0;
        self.delivered.add(u64::from(packet.len));
        self.sum.total += u128::from(total);
        self.sum.serial += u128::from(packet.serial);
        self.sum.queue += u128::from(packet.waited - packet.gated);
        self.sum.gate += u128::from(packet.gated);
        self.sum.propagation += u128::from(total - packet.waited - packet.serial);
        self.max = self.max.max(total);
        self.delay
            .record(total / 1000)
            .expect("a histogram that resizes itself");
        total
    }

    /// The warm-up is over.
    pub fn warm(&mut self) {
        self.base = [self.entered, self.delivered, self.dropped, self.marked];
        self.delay.reset();
        self.sum = DelaySum::default();
        self.max = 0;
        self.victims = 0;
    }
}
