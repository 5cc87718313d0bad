//! Trimming: a frame that finds its class queue full goes on as its header alone, in a class that goes ahead. Its receiver asks for
//! the rest at once.
//!
//! Reference: Handley et al., SIGCOMM 2017 (NDP); UET. A header has 64 bytes. Differences: the frame that arrives is trimmed, where NDP
//! trims it or the youngest in the queue by equal chance; a header that finds its own queue full is lost, not sent back.

use backwater_transport::segment::Feedback;

use super::{Network, Role};
use crate::connection::Header;
use crate::ids::{PacketId, PortId};
use crate::packet::Traffic;

/// IP bytes of a header alone: a frame of 64 bytes.
const HEADER_ALONE: u16 = 64 - 18;

impl Network {
    /// Cuts a frame down to its header where its port does that and its receiver can ask for the rest. Whether it did.
    pub(crate) fn trim(&mut self, id: PortId, packet_id: PacketId) -> bool {
        let Some(class) = self.ports[id].more.trim else {
            return false;
        };
        let packet = &mut self.packets[packet_id];
        let flow = &self.flows[packet.flow];
        if !flow.trimmed || !matches!(flow.role, Role::Data(_)) {
            return false;
        }
        let Header::Data(segment, _) = &mut self.headers[packet_id] else {
            return false;
        };
        if segment.len == 0 {
            return false;
        }
        segment.len = 0;
        let stays = matches!(segment.feedback.as_deref(), Some(Feedback::Wanted { .. }));
        segment.feedback = segment.feedback.take().filter(|_| stays);
        packet.len = HEADER_ALONE;
        packet.traffic = Traffic::new(class, packet.traffic.ecn());
        self.ports[id].more.sent.trimmed += 1;
        true
    }
}
