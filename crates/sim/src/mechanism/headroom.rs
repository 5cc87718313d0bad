//! Whether the room above a queue's high mark takes what its feeders may still send: a count of
//! full frames, in the worst of phases.
//!
//! A feeder sends what it begins until our notice takes effect: reaction, wire there and back, and
//! the notice itself, which may have to wait for a frame in transmission. One feeder's frame has
//! crossed the mark; another's may come in just after it, so that it counts in full. An output that
//! may be stopped, or is slow, takes none of them meanwhile; one that drains takes a frame for each
//! slot, and in step with the feeder that came first: where all are as fast as the output, that one
//! never crosses the mark, and has no frame to come just after it was crossed.
//!
//! Reference: IEEE 802.3 Annex 31B; the count is that of `validation/pause.py`.

use std::collections::{BTreeMap, BTreeSet};

use super::Mechanisms;
use super::carrier::Toward;
use super::place::Place;
use super::still_to_come::Headroom;
use super::traffic::Traffic;
use crate::ids::{ControlId, NodeId, PortId};
use crate::limit::Limit;
use crate::network::{Network, Port};
use crate::packet;

impl Mechanisms {
    /// The room that each place needs that a mechanism watches.
    pub(crate) fn headroom(&self, network: &Network) -> Vec<Headroom> {
        let frames = network.flows.iter().map(|f| packet::frame(f.packet));
        let Some(frame) = frames.max() else {
            return Vec::new();
        };
        let traffic = Traffic::of(network);
        let places = self.controls.ids().flat_map(|control| {
            let places = self.controls[control].places();
            places.map(move |(number, place)| (control, number, place))
        });
        let needs = places.filter_map(|(control, number, place)| match place {
            Place::Egress(id) => self.at_queue(network, &traffic, (control, number), id, frame),
            Place::Ingress(id) => {
                let toward = self.told(control, number).next()?;
                let from = network.ports[toward].peer;
                let pool = network.nodes[network.ports[id].node].pool.as_ref();
                let control = &self.controls[control];
                let pool = pool.filter(|_| control.needs_headroom(number));
                traffic.passes(from).then(|| Headroom {
                    port: id,
                    ingress: true,
                    feeders: vec![from],
                    frames: network.begun(&traffic, toward, frame) + 1,
                    frame,
                    room: pool.map(|pool| pool.most_headroom() / frame),
                    buffer: None,
                    xoff: control.xoff(number),
                })
            }
            Place::Attachment(_) => None,
        });
        let mut needs: Vec<Headroom> = needs.collect();
        needs.sort_by_key(|need| (need.port, need.ingress));
        needs
    }

    /// Ports toward those on wires that a place may tell.
    fn told(&self, control: ControlId, place: usize) -> impl Iterator<Item = PortId> {
        self.controls[control]
            .audience(place)
            .filter_map(|to| match to {
                Toward::Port(port) => Some(port),
                Toward::Station(_) | Toward::Everybody | Toward::Itself => None,
            })
    }

    fn at_queue(
        &self,
        network: &Network,
        traffic: &Traffic,
        (control, place): (ControlId, usize),
        id: PortId,
        frame: u64,
    ) -> Option<Headroom> {
        let Limit::Bytes(limit) = network.ports[id].buffer else {
            return None;
        };
        let slack = self.controls[control].slack(place, limit.0)?;
        let told = self.told(control, place);
        let feeders: Vec<PortId> = told
            .filter(|toward| traffic.crosses(network.ports[*toward].peer, id))
            .collect();
        // The frame that crosses the mark has room.
        let room = (limit.0 / frame).saturating_sub((limit.0 - slack) / frame + 1);
        let frames = network.still_to_come(id, &feeders, traffic, frame);
        // The same share of it lies above the mark.
        let above = u128::from((frames + 1) * frame) * u128::from(limit.0);
        Some(Headroom {
            port: id,
            ingress: false,
            frames,
            buffer: (slack > 0).then(|| above.div_ceil(u128::from(slack)) as u64),
            feeders: feeders.iter().map(|f| network.ports[*f].peer).collect(),
            frame,
            room: Some(room),
            xoff: None,
        })
    }

    /// Watched output queues, and inputs of shared memories, that may lose frames although their feeders obey, each with what may
    /// still come and the room there is.
    pub(crate) fn headroom_warnings(&self, network: &Network) -> Vec<String> {
        let needs = self.headroom(network);
        let outputs = network.overfilled(&needs);
        let short = needs.into_iter().filter_map(|need| {
            let room = need.room.filter(|room| need.frames > *room)?;
            if need.ingress {
                return Some(format!(
                    "{}: what comes in there may need headroom for {} frames of {} B until the notice takes effect, and there is room \
                     for {room}: frames can be lost; write headroom = \"{} B\" for the switch",
                    network.ports[need.port].more.name,
                    need.frames,
                    need.frame,
                    need.frames * need.frame,
                ));
            }
            let lower = "write a lower high mark".to_owned();
            let remedy = need.buffer.map_or(lower, |bytes| {
                format!("write buffer = \"{bytes} B\", or a lower high mark")
            });
            Some(format!(
                "{}: its {} feeders may send {} more frames of {} B when the high mark has been crossed, and there is room for {room}: frames can be lost; {remedy}",
                network.ports[need.port].more.name,
                need.feeders.len(),
                need.frames,
                need.frame,
            ))
        });
        short.chain(outputs).collect()
    }
}

impl Network {
    /// Outputs whose buffer holds less than their inputs may hold for them until the senders have stopped. An input counts bytes of a
    /// class; a port with one queue for all classes may have those of each class.
    fn overfilled(&self, needs: &[Headroom]) -> Vec<String> {
        let mut inputs: BTreeMap<NodeId, Vec<(PortId, u64)>> = BTreeMap::new();
        for need in needs {
            if let Some(xoff) = need.xoff {
                let node = self.ports[need.port].node;
                let most = xoff.saturating_add(need.frames * need.frame);
                let from = need.feeders.iter().map(|from| (*from, most));
                inputs.entry(node).or_default().extend(from);
            }
        }
        if inputs.is_empty() {
            return Vec::new();
        }
        let data = Traffic::of_data(self);
        let classes: BTreeSet<u8> = self.flows.iter().map(|f| f.class).collect();
        let overfilled = self.ports.ids().filter_map(|id| {
            let port = &self.ports[id];
            let Limit::Bytes(limit) = port.buffer else {
                return None;
            };
            let inputs = inputs.get(&port.node)?.iter();
            let own: Vec<u64> = inputs
                .filter(|(from, _)| data.crosses(*from, id))
                .map(|(_, most)| *most)
                .collect();
            let share = match port.queues().len() {
                1 => classes.len() as u64,
                _ => 1,
            };
            let most = own.iter().fold(0, |sum: u64, most| sum.saturating_add(*most));
            let most = most.saturating_mul(share);
            (most > limit.0).then(|| {
                format!(
                    "{}: {} inputs of its switch may hold {most} B for it until their senders have stopped, and its buffer has {} B: \
                     frames can be lost; write buffer = \"{most} B\", or a lower xoff",
                    port.more.name,
                    own.len(),
                    limit.0
                )
            })
        });
        overfilled.collect()
    }

    /// Frames that may be in the way of an output queue beyond what it can send, when its mark has
    /// just been crossed. `feeders` are the ports toward those that are told.
    fn still_to_come(&self, id: PortId, feeders: &[PortId], traffic: &Traffic, frame: u64) -> u64 {
        let out = &self.ports[id];
        let slot = |port: &Port| slot(port, frame);
        // Another's frame may come in just after the one that crosses the mark: one more.
        let begun = |toward: &PortId| self.begun(traffic, *toward, frame);
        let come = feeders.iter().map(|f| begun(f) + 1).sum::<u64>();
        let come = come.saturating_sub(1);
        if out.gates.is_some() {
            return come;
        }
        let last = feeders.iter().map(|f| begun(f) * slot(&self.ports[*f]));
        // Slots may be far away.
        let drained = last.min().unwrap_or(0).checked_div(slot(out)).unwrap_or(0);
        let alike = |f: &PortId| self.ports[*f].ps_per_byte == out.ps_per_byte;
        let in_step = feeders.len() > 1 && feeders.iter().all(alike);
        come.saturating_sub(drained + u64::from(in_step))
    }

    /// Frames that the feeder behind a port begins, after the one that has just come in, before our notice takes effect.
    fn begun(&self, traffic: &Traffic, toward: PortId, frame: u64) -> u64 {
        let port = &self.ports[toward];
        let slot = slot(port, frame);
        let wait = if traffic.passes(toward) { slot } else { 0 };
        let notice = port.shortest_frame_time() - port.gap_time();
        let open = wait + notice + 2 * port.delay.0 + port.reaction().0;
        open.div_ceil(slot)
    }
}

/// From one frame's start to the next.
fn slot(port: &Port, frame: u64) -> u64 {
    port.frame_time(frame) + port.gap_time()
}
