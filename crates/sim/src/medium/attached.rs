//! The questions that the rest of the engine asks of the media that nodes share, whichever they are. A new question about a medium is a method here,
//! so that no file elsewhere knows the tables of one.

use backwater_transport::units::Time;
use backwater_transport::walk::Walk;

use super::media::Media;
use super::wifi::air::{Member, NOBODY};
use super::wifi::air_log::AirFrame;
use super::wifi::prefetch;
use super::wifi::radio::StationCount;
use crate::calendar::Calendar;
use crate::ids::{ControlId, FlowId, NodeId, PortId};
use crate::limit::Limit;
use crate::network::Network;
use crate::packet::{Packet, Packets};
use crate::shared::Shared;
use crate::spec::{MechanismSpec, Refusal, Spec};
use crate::stamp::Shown;

impl Media {
    /// Places the attachments of nodes, before routes are known.
    pub(crate) fn survey(&mut self, network: &mut Network, spec: &Spec) -> Result<(), Refusal> {
        self.air.survey(network, spec)
    }

    /// Makes ports toward groups of receivers.
    pub(crate) fn add_groups(&mut self, network: &mut Network, spec: &Spec) -> Result<(), Refusal> {
        self.air.add_groups(network, spec)
    }

    /// Puts a mechanism to the attachments that it names.
    pub(crate) fn add_mechanism(
        &mut self,
        cx: &mut Shared,
        spec: &Spec,
        number: usize,
        mechanism: &MechanismSpec,
    ) -> Result<(), Refusal> {
        self.air.add_to_stations(cx, spec, number, mechanism)
    }

    /// Whether no node is attached to a medium.
    pub(crate) fn are_unused(&self) -> bool {
        self.air.radios.is_empty()
    }

    /// What media know of their frames is not compared.
    pub(crate) fn walk(&self, walk: &mut Walk) {
        if !self.air.media.is_empty() || !self.tdma.is_empty() {
            walk.unable("media", "stations share a medium");
        }
    }

    /// The node of an attachment.
    pub(crate) fn node(&self, attachment: u32) -> NodeId {
        self.air.radios[attachment as usize].node
    }

    /// The warm-up is over.
    pub(crate) fn warm(&mut self, now: Time) {
        self.air.end_warm_up(now);
    }

    /// Keeps every frame from now on, for a capture.
    pub(crate) fn keep_frames(&mut self) {
        self.air.start_log();
    }

    /// Frames kept since the last call, up to the first that is still being sent; at the end of the run all.
    pub(crate) fn take_frames(&mut self, at_end: bool) -> Vec<AirFrame> {
        let log = self.air.log.as_mut();
        log.map(|log| log.take(at_end)).unwrap_or_default()
    }

    /// When the first frame began that is still being sent, of those that are kept.
    pub(crate) fn sends_since(&self) -> Option<Time> {
        self.air.log.as_ref().and_then(|log| log.on_air_since())
    }

    /// Whether a data frame is being sent.
    pub(crate) fn sends_data(&self) -> bool {
        self.air.sends_data()
    }

    /// Packets that wait at attachments and in no list of a port, each with its port: those that queue management judges.
    pub(crate) fn judged_packets<'a>(
        &'a self,
        network: &'a Network,
    ) -> impl Iterator<Item = (PortId, &'a Packet)> {
        self.air.judged_packets(network)
    }

    /// The same of flows that are held to a rate.
    pub(crate) fn held<'a>(
        &'a self,
        packets: &'a Packets,
    ) -> impl Iterator<Item = (PortId, &'a Packet)> {
        self.air.held(packets)
    }

    /// Packets that wait at their receivers for those before them, each with the port by which it came.
    pub(crate) fn reordered<'a>(
        &'a self,
        network: &'a Network,
    ) -> impl Iterator<Item = (PortId, &'a Packet)> {
        self.air.reordered(network)
    }

    /// Whether a medium has a hop for this port.
    pub(crate) fn has_hop(&self, port: PortId) -> bool {
        self.air.hop(port).is_some()
    }

    /// Ticks for which the hop of a port was in use, the exchange under way included; none without a hop.
    pub(crate) fn busy_ticks(&self, port: PortId, now: Time) -> Option<u64> {
        let hop = self.air.hop(port)?;
        let exchange = self.air.radios[hop.from as usize].exchange;
        let mine = |number| self.air.hops[number as usize].port == port;
        let under_way = exchange.filter(|e| e.hop.is_some_and(mine));
        Some(hop.airtime + under_way.map_or(0, |e| now.since(e.begun).0))
    }

    /// Ticks for which each class of a port was stopped.
    pub(crate) fn closed(&self, port: PortId, now: Time) -> [u64; 8] {
        self.air.closed(port, now)
    }

    /// Counters of attachments since the end of the warm-up.
    pub(crate) fn counts(&self, now: Time) -> Vec<StationCount> {
        let each = self.counts_from_beginning(now).zip(&self.air.radios);
        each.map(|(count, radio)| count.since(&radio.base))
            .collect()
    }

    /// Counters of attachments since the beginning.
    pub(crate) fn counts_from_beginning(&self, now: Time) -> impl Iterator<Item = StationCount> {
        let each = 0..self.air.radios.len() as u32;
        each.map(move |station| self.air.station_count(station, now))
    }

    /// Notices sent in frames of their own since the beginning.
    pub(crate) fn notices_sent(&self) -> u64 {
        let radios = self.air.radios.iter();
        radios.map(|radio| radio.count.management).sum()
    }

    /// Receivers of a flow to a group.
    pub(crate) fn members(&self, flow: FlowId) -> impl Iterator<Item = &Member> {
        self.air.members.get(&flow).into_iter().flatten()
    }

    /// Laws of explicit feedback at the attachment that serves a port.
    pub(crate) fn laws(&self, port: PortId) -> &[Shown] {
        match self.air.hop(port) {
            Some(hop) => &self.air.radios[hop.from as usize].laws,
            None => &[],
        }
    }

    /// A notice that an attachment has sent is about to expire.
    pub(crate) fn notice_expires(
        &self,
        cx: &mut Shared,
        control: ControlId,
        (attachment, class): (u32, usize),
        now: Time,
    ) {
        self.air.notice_expires(cx, control, attachment, class, now);
    }

    /// The timer of a detector at an attachment has come.
    pub(crate) fn observe(
        &self,
        cx: &mut Shared,
        (control, place): (ControlId, usize),
        attachment: u32,
        now: Time,
    ) {
        self.air
            .take_station_sample(cx, control, place, attachment, now);
    }

    /// Since when gates have stopped all that waits for the hop of a port; none without a hop.
    pub(crate) fn stuck_since(&self, network: &Network, port: PortId, now: Time) -> Option<Time> {
        self.air.stuck_since(network, port, now)
    }

    /// The attachment that serves a port; none for a wire.
    pub(crate) fn attachment(&self, port: PortId) -> Option<u32> {
        self.air.hop(port).map(|hop| hop.from)
    }

    /// Ports of an attachment at which frames wait.
    pub(crate) fn waiting_ports<'a>(
        &'a self,
        network: &'a Network,
        attachment: u32,
    ) -> impl Iterator<Item = PortId> + 'a {
        self.air.links_with_frames(network, attachment)
    }

    /// Links that both ends can use, with the time that a frame of so many bytes takes over them.
    pub(crate) fn links<'a>(
        &'a self,
        spec: &'a Spec,
        frame: u64,
    ) -> impl Iterator<Item = SharedLink> + 'a {
        let air = &self.air;
        (0..air.radios.len() as u32).flat_map(move |to| {
            // Links are alike both ways: who hears `to` may send to it.
            air.reach[to as usize].iter().filter_map(move |link| {
                let from = link.to;
                air.rate(spec, (to, from), link)?;
                let rate = air.rate(spec, (from, to), link)?;
                Some(SharedLink {
                    attachments: (from, to),
                    nodes: (self.node(from), self.node(to)),
                    takes: air.medium(from).exchange(frame, rate).0,
                })
            })
        })
    }

    /// The port that stands for the hop between two attachments; made where there is none yet.
    pub(crate) fn hop_made(
        &mut self,
        network: &mut Network,
        spec: &Spec,
        (from, to): (u32, u32),
    ) -> PortId {
        self.air.hop_made(network, spec, from, to)
    }

    /// Whether one attachment understands another.
    pub(crate) fn understands(&self, spec: &Spec, from: u32, to: u32) -> bool {
        self.air.understands(spec, from, to)
    }

    /// Whether two attachments are on one medium.
    pub(crate) fn share_medium(&self, here: u32, far: u32) -> bool {
        self.air.share_medium(here, far)
    }

    /// Whether a port leads to a group of stations.
    pub(crate) fn is_group(&self, port: PortId) -> bool {
        self.air.hop(port).is_some_and(|hop| hop.to == NOBODY)
    }

    /// The port toward the group of an attachment.
    pub(crate) fn group_port(&self, attachment: u32) -> Option<PortId> {
        self.air.group_port(attachment)
    }

    /// Every packet of a flow must fit the frames and the buffer of a hop.
    pub(crate) fn check_hop(
        &self,
        network: &Network,
        spec: &Spec,
        flow: FlowId,
        port: PortId,
    ) -> Result<(), Refusal> {
        self.air.check_hop(network, spec, flow, port)
    }

    /// Lets hops on the ways of flows lie together. A port without a hop is passed over.
    pub(crate) fn gather_hops(&mut self, ways: &[PortId]) {
        let mut used = vec![false; self.air.hops.len()];
        for port in ways.iter().filter(|port| self.has_hop(**port)) {
            used[self.air.hop_number(*port) as usize] = true;
        }
        self.air.gather_hops(&used);
    }

    /// All hops are there: those whose stations learn from their frames begin to.
    pub(crate) fn start_rate_control(&mut self, network: &Network, seed: u64) {
        self.air.start_rate_control(network, seed);
    }

    /// The attachment of a node to one of its media.
    pub(crate) fn attachment_of(&self, node: NodeId, of_node: usize) -> u32 {
        let mut radios = self.air.radios.iter();
        let found = radios.position(|r| r.node == node && r.of_node == of_node);
        found.expect("an attachment of the scenario") as u32
    }

    /// The buffer of an attachment.
    pub(crate) fn buffer(&self, attachment: u32) -> Limit {
        self.air.radios[attachment as usize].categories[0].buffer
    }

    /// Shows the packets of an attachment to a law.
    pub(crate) fn show(&mut self, attachment: u32, shown: Shown) {
        self.air.radios[attachment as usize].laws.push(shown);
    }

    /// Reads what the next events of attachments will read.
    pub(crate) fn prefetch(&self, calendar: &Calendar, network: &Network) -> u64 {
        prefetch::follow(calendar, network, &self.air)
    }
}

/// A link over a medium.
pub(crate) struct SharedLink {
    /// Its ends: who sends, who receives.
    pub attachments: (u32, u32),
    /// Their nodes.
    pub nodes: (NodeId, NodeId),
    /// Ticks that a frame takes.
    pub takes: u64,
}
