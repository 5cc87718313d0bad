//! Packets to a group of stations: one frame at the control rate, without RTS/CTS, ACK or repetition, for all
//! who hear it (IEEE 802.11-2016, 10.3.6 and 10.7.5). It waits for the medium as every frame does. A packet is
//! delivered once, if any member has received it, and lost if none has; what each member received is
//! counted beside. Nobody forwards it.

use backwater_transport::units::Time;

use crate::cause::Cause;
use crate::ids::PacketId;
use crate::medium::wifi::air::{Air, Member, NOBODY};
use crate::medium::wifi::mac::aggregate::Others;
use crate::network::Network;
use crate::record::fingerprint::Mark;
use crate::shared::Shared;
use crate::spec::{Refusal, Spec};
use crate::table::Id;
use crate::targets::Destination;
use crate::world::build::refuse;

impl Air {
    /// Members of the groups that flows send to, and the hops to them.
    pub(crate) fn add_groups(&mut self, network: &mut Network, spec: &Spec) -> Result<(), Refusal> {
        for (number, spec_flow) in spec.flows.iter().enumerate() {
            let Destination::Group(nodes) = &spec_flow.to else {
                continue;
            };
            let id = Id::new(number);
            let path = format!("flows.{}.to", spec_flow.name);
            let from = &network.nodes[network.flows[id].from];
            let Some(sender) = from.stations.first().copied() else {
                let what = format!("{} is no 802.11 station, and has no neighbours", from.name);
                return refuse(path, what, "let a station send to the group");
            };
            let mut members = Vec::new();
            for node in nodes {
                let node = &network.nodes[Id::new(*node)];
                let mut stations = node.stations.iter();
                let Some(station) = stations.find(|s| self.share_medium(sender, **s)) else {
                    let what = format!("{} is not on the medium of {}", node.name, from.name);
                    return refuse(path, what, "name stations of the same medium");
                };
                members.push(Member::new(*station));
            }
            let hears = |m: &Member| self.understands(spec, sender, m.station);
            if !members.iter().any(hears) {
                let what = format!("no station of the group hears {}", from.name);
                return refuse(path, what, "move the stations closer");
            }
            members.sort_by_key(|m| m.station);
            self.members.insert(id, members);
            self.group_hop(network, sender);
        }
        Ok(())
    }

    fn group_hop(&mut self, network: &mut Network, station: u32) {
        if self.hop_to(station, NOBODY).is_some() {
            return;
        }
        let rate = self.medium(station).phy.control;
        self.add_hop(network, (station, NOBODY), (rate, None));
    }
}

impl Air {
    /// A frame to a group has ended: everybody who understood it has the packet.
    pub(crate) fn spread(&mut self, cx: &mut Shared, station: u32, hop: u32, now: Time) {
        let (network, books) = (&mut cx.network, &mut cx.run.books);
        // A frame to a group is sent once.
        let exchange = self.radios[station as usize].exchange;
        let exchange = exchange.expect("a frame to a group is an exchange");
        let mut others = Others::default();
        let (of, frame) = ((station, &exchange, &mut others), (hop, 0, PacketId::NONE));
        let packet_id = self.leave_queue(network, books, of, frame, now);
        let port = self.hops[hop as usize].port;
        let packet = &cx.network.packets[packet_id];
        let (flow, seq) = (packet.flow, packet.seq);
        let early = cx.run.books.entered_early(packet.born);
        if self.is_late(&cx.network, packet_id, now) {
            return cx
                .network
                .lose(&mut cx.run.books, packet_id, Cause::Late, port, now);
        }
        let mut received = 0;
        let members = self.members.get_mut(&flow);
        let members = members.expect("the members of the flow's group");
        for station in &self.heard {
            let Ok(number) = members.binary_search_by_key(station, |m| m.station) else {
                continue;
            };
            members[number].received += 1;
            members[number].early += u64::from(early);
            received += 1;
            let detail = u64::from(seq) << 24 ^ u64::from(*station);
            cx.run
                .books
                .fingerprint
                .add(Mark::Receive, now, flow.0, detail);
        }
        cx.run.books.packet_hops += received;
        if received == 0 {
            cx.network
                .lose(&mut cx.run.books, packet_id, Cause::Unheard, port, now);
        } else {
            // Nobody answers what a group has received.
            let (_, _) = cx.deliver(port, packet_id, now);
        }
    }
}
