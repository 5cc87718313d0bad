//! AccECN (RFC 9768).

use crate::segment::AckSegment;
use crate::units::Time;
use crate::walk::Walk;

/// The decoder of AccECN's three-bit counter.
#[derive(Clone, Debug, Default)]
pub struct Ace {
    count: u8,
    /// Reception time that the newest acknowledgement reports.
    newest: Time,
}

impl Ace {
    pub(crate) fn walk(&mut self, walk: &mut Walk) {
        let Ace { count, newest } = self;
        walk.same(*count);
        walk.time(newest);
    }

    /// Packets newly marked among `packets` newly acknowledged (RFC 9768 section 3.2.2.5.2 and appendix
    /// A.2.1). If the counter may have wrapped around, it is assumed to have done so as often as
    /// possible.
    pub fn decode(&mut self, ack: &AckSegment, packets: u64) -> u64 {
        // An overtaken acknowledgement would look like a counter that wrapped around.
        if ack.received < self.newest {
            return 0;
        }
        self.newest = ack.received;
        let least = u64::from(ack.ace.wrapping_sub(self.count) % 8);
        self.count = ack.ace;
        match packets {
            0..8 => least,
            _ => packets - (packets - least) % 8,
        }
    }
}
