//! One segment on the scoreboard: its full form and the packed form that fits a cache line.

use crate::rate::Snapshot;
use crate::units::Time;

/// Where a segment is.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// In flight, as far as the sender knows.
    #[default]
    InFlight,
    /// Declared lost and not sent again since.
    Lost,
    /// Selectively acknowledged.
    Sacked,
}

/// A segment in full form.
#[derive(Copy, Clone, Debug, Default)]
pub struct Entry {
    /// First byte.
    pub start: u64,
    /// Payload bytes.
    pub len: u32,
    /// Where it is.
    pub state: State,
    /// Number of retransmissions.
    pub retransmissions: u8,
    /// Number of its last transmission.
    pub number: u64,
    /// The sampler's counters at its last transmission.
    pub snapshot: Snapshot,
}

impl Entry {
    /// The byte after its last.
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.len)
    }

    /// Whether it was sent more than once.
    pub fn retransmitted(&self) -> bool {
        self.retransmissions > 0
    }
}

/// A segment in packed form: one cache line. Byte and transmission numbers keep their low 32 bits. That
/// is enough because no window is so large that the numbers of two outstanding segments differ by 2³².
#[derive(Copy, Clone, Debug, Default)]
#[repr(align(64))]
pub(super) struct Packed {
    pub(super) sent: Time,
    pub(super) first_sent: Time,
    pub(super) delivered_time: Time,
    pub(super) delivered: u64,
    pub(super) start: u32,
    pub(super) number: u32,
    pub(super) len: u32,
    pub(super) tx_in_flight: u32,
    pub(super) lost: u32,
    /// Distances in identity to its neighbours in the order of transmission; zero for none.
    pub(super) before: i32,
    pub(super) after: i32,
    pub(super) state: State,
    pub(super) retransmissions: u8,
    pub(super) app_limited: bool,
}

impl Packed {
    pub fn set_transmission(&mut self, number: u64, snapshot: &Snapshot) {
        self.number = number as u32;
        self.sent = snapshot.sent;
        self.first_sent = snapshot.first_sent;
        self.delivered_time = snapshot.delivered_time;
        self.delivered = snapshot.delivered;
        self.tx_in_flight = u32::try_from(snapshot.tx_in_flight).unwrap_or(u32::MAX);
        self.lost = snapshot.lost;
        self.app_limited = snapshot.app_limited;
    }

    /// The same of a full form whose numbers have moved.
    pub fn set(&mut self, entry: &Entry) {
        self.start = entry.start as u32;
        self.set_transmission(entry.number, &entry.snapshot);
    }

    /// The full form. `end` is the byte after the last segment, `number` the last transmission.
    #[inline(always)]
    pub fn unpack(&self, end: u64, number: u64) -> Entry {
        Entry {
            start: widen(self.start, end),
            len: self.len,
            state: self.state,
            retransmissions: self.retransmissions,
            number: widen(self.number, number),
            snapshot: Snapshot {
                sent: self.sent,
                first_sent: self.first_sent,
                delivered_time: self.delivered_time,
                delivered: self.delivered,
                tx_in_flight: u64::from(self.tx_in_flight),
                lost: self.lost,
                app_limited: self.app_limited,
            },
        }
    }
}

/// The greatest number up to `last` whose low 32 bits are `low`.
#[inline(always)]
pub(super) fn widen(low: u32, last: u64) -> u64 {
    last - u64::from((last as u32).wrapping_sub(low))
}
