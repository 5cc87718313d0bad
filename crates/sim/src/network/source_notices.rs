//! Notices from a queue to the sources of the packets that come to it, over as many hops as there are between them (802.1Qau).
//!
//! In: queue management answers an arriving frame with feedback. Out: a notice that leaves the node before the event is over.

use super::{Network, Role};
use crate::ids::{PacketId, PortId};
use crate::source_notice::SourceNotice;

impl Network {
    /// The source of a frame that comes to a port is told, where its controller hears notices and is not at this very node.
    pub(crate) fn tell_source(&mut self, id: PortId, packet_id: PacketId, feedback: u8) {
        let packet = &self.packets[packet_id];
        let flow = &self.flows[packet.flow];
        let node = self.ports[id].node;
        let Role::Data(connection) = flow.role else {
            return;
        };
        if !flow.noticed || node == flow.from {
            return;
        }
        self.ports[id].more.sent.notices += 1;
        self.source_notices.push(SourceNotice {
            connection,
            node,
            came: (packet.ingress, packet.entry),
            feedback,
        });
    }
}
