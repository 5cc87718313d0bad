//! Stations, who hears whom, and their ways: the 802.11 part of `build`.

use std::collections::VecDeque;

use backwater_transport::random::Random;
use backwater_transport::units::Rate;
use smallvec::{SmallVec, smallvec};

use super::World;
use super::build::refuse;
use crate::ids::{NodeId, PortId};
use crate::limit::Limit;
use crate::medium::wifi::air::{Medium, NOBODY};
use crate::medium::wifi::backlog::Backlog;
use crate::medium::wifi::channel::{ChannelSpec, Link};
use crate::medium::wifi::frame::Reply;
use crate::medium::wifi::mac::{CATEGORIES, Category, Contention};
use crate::medium::wifi::physical::FLOOR;
use crate::medium::wifi::radio::{Hop, HopQueue, Radio, StationCount};
use crate::medium::wifi::reception::Hearing;
use crate::network::{Port, PortMore};
use crate::queue::AnyScheduler;
use crate::record::flow_stats::Count;
use crate::spec::{MediumSpec, NodeKind, Refusal, Spec, StationSpec};
use crate::table::Id;
use crate::targets::Destination;

/// Longest IP packet: an MSDU of 2304 bytes less LLC and SNAP. 9.2.4.7.
const MAX_PACKET: u64 = 2296;

impl World {
    /// Adds media, stations and the ways of flows between stations.
    pub(super) fn add_air(&mut self, spec: &Spec) -> Result<(), Refusal> {
        self.survey(spec)?;
        if self.air.radios.is_empty() {
            return Ok(());
        }
        if spec.flows.iter().any(|f| f.budget.is_some()) {
            self.air.budgets = spec.flows.iter().map(|f| f.budget).collect();
        }
        self.add_air_routes(spec)?;
        self.add_groups(spec)?;
        self.trace_air(spec)
    }

    /// Media, stations, and who hears whom.
    pub(super) fn survey(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for medium in &spec.media {
            check_medium(medium)?;
            self.air.media.push(Medium::new(
                medium.name.clone(),
                medium.phy,
                medium.mac,
                medium.channel.clone(),
            ));
        }
        self.air.first_port = self.ports.len() as u32;
        self.add_stations(spec)?;
        if !self.air.radios.is_empty() {
            self.join_stations(spec);
        }
        Ok(())
    }

    fn add_stations(&mut self, spec: &Spec) -> Result<(), Refusal> {
        let hosts = self.hosts.len();
        let mut taken: Vec<(usize, [f64; 2], &str)> = Vec::new();
        for (id, node) in self.nodes.ids().zip(&spec.nodes) {
            let NodeKind::Station(station) = &node.kind else {
                continue;
            };
            let path = format!("nodes.{}", node.name);
            if !self.nodes[id].ports.is_empty() {
                let what = format!("station {} has a link: it talks over its medium", node.name);
                return refuse(path, what, "remove the link, or make the node a switch");
            }
            let same = |(medium, at, _): &&(usize, [f64; 2], &str)| {
                *medium == station.medium && *at == station.at
            };
            if let Some((_, _, other)) = taken.iter().find(same) {
                let what = format!("{} lies where {other} lies", node.name);
                return refuse(format!("{path}.at"), what, "write another place");
            }
            taken.push((station.medium, station.at, &node.name));
            let medium = &self.air.media[station.medium];
            if let Some(rate) = station.rate {
                check_rate(&spec.media[station.medium], rate, &format!("{path}.rate"))?;
            }
            let categories = categories(medium, station, &path)?;
            let number = self.air.radios.len() as u32;
            self.nodes[id].station = number;
            let radio = Radio {
                node: id,
                medium: station.medium as u32,
                row: self.forwarding.add_row(hosts),
                way: (NOBODY, NOBODY),
                host: self.nodes[id].host.expect("a station is a host"),
                random: Random::stream(spec.seed, "station", &node.name),
                written: categories.iter().map(|c| c.set).collect(),
                categories,
                own_share: station.own_share,
                turns: station.in_turn.then(Box::default),
                hops: Vec::new(),
                frame: None,
                reply: Reply::None,
                after: NOBODY,
                notices: VecDeque::new(),
                watch: None,
                responders: Vec::new(),
                holds: Vec::new(),
                owed: VecDeque::new(),
                exchange: None,
                count: StationCount::default(),
                base: Box::default(),
            };
            self.air.add(radio, Hearing::new(spec.seed, &node.name));
        }
        Ok(())
    }

    /// Who hears whom, medium by medium.
    fn join_stations(&mut self, spec: &Spec) {
        for medium in 0..self.air.media.len() {
            let members: Vec<u32> = (0..self.air.radios.len() as u32)
                .filter(|s| self.air.radios[*s as usize].medium as usize == medium)
                .collect();
            let places: Vec<[f64; 2]> = members.iter().map(|s| self.place(spec, *s)).collect();
            let name = |s: &u32| self.nodes[self.air.radios[*s as usize].node].name.as_str();
            let names: Vec<&str> = members.iter().map(name).collect();
            let channel = &self.air.media[medium].channel;
            let links = channel.links(spec.seed, &names, &places);
            for (from, (mut reach, mut far)) in members.iter().zip(links) {
                let numbers = reach.iter_mut().map(|l| &mut l.to);
                for to in numbers.chain(far.iter_mut().map(|f| &mut f.to)) {
                    *to = members[*to as usize];
                }
                self.air.join(*from, reach, far);
            }
        }
    }

    fn place(&self, spec: &Spec, station: u32) -> [f64; 2] {
        let node = self.air.radios[station as usize].node;
        match &spec.nodes[node.index()].kind {
            NodeKind::Station(station) => station.at,
            NodeKind::Host { .. } | NodeKind::Switch(_) => unreachable!("a radio is a station's"),
        }
    }

    /// Whether a hop can lead from a station to another.
    pub(super) fn understands(&self, spec: &Spec, from: u32, to: u32) -> bool {
        self.rate_to(spec, from, to).is_some()
    }

    fn rate_to(&self, spec: &Spec, from: u32, to: u32) -> Option<Rate> {
        let link = self.air.reach[from as usize].iter().find(|l| l.to == to)?;
        self.rate(spec, from, link)
    }

    /// Rate of a station's data frames over a link, which may be the link to it: both ways are alike.
    /// `None` where the link is no hop.
    pub(super) fn rate(&self, spec: &Spec, from: u32, link: &Link) -> Option<Rate> {
        if !link.decodes {
            return None;
        }
        let node = self.air.radios[from as usize].node;
        let own = match &spec.nodes[node.index()].kind {
            NodeKind::Station(station) => station.rate,
            NodeKind::Host { .. } | NodeKind::Switch(_) => None,
        };
        let medium = self.air.medium(from);
        match &medium.receivers {
            None => Some(own.unwrap_or(medium.phy.data)),
            Some(receivers) => receivers.rate(link.power, own, medium.phy.data),
        }
    }

    /// The hop from a station to another, made at its first use.
    pub(super) fn hop(&mut self, spec: &Spec, from: u32, to: u32) -> PortId {
        if let Some(port) = self.air.hop_to(from, to) {
            return port;
        }
        let far = self.air.radios[to as usize].node;
        let rate = self
            .rate_to(spec, from, to)
            .expect("a hop between neighbours");
        self.push_hop(from, to, far, self.nodes[far].name.clone(), rate)
    }

    /// A hop from a station, and the port that stands for it and leads to `far`.
    pub(super) fn push_hop(
        &mut self,
        from: u32,
        to: u32,
        far: NodeId,
        named: String,
        rate: Rate,
    ) -> PortId {
        let radio = &self.air.radios[from as usize];
        let node = radio.node;
        let more = PortMore {
            name: format!("{}>{named}", self.nodes[node].name),
            rate,
            ..PortMore::default()
        };
        let mut port = Port::idle(node, far, AnyScheduler::Fifo, Limit::Unlimited, more);
        port.far_row = self.air.radios[self.nodes[far].station as usize].row;
        let id = self.ports.push(port);
        let queues = radio.categories.len();
        self.air.push_hop(Hop {
            port: id,
            from,
            to,
            rate,
            queues: smallvec![HopQueue::default(); queues],
            airtime: 0,
            airtime_base: 0,
            sent: Count::default(),
            backlog: Backlog::default(),
        });
        id
    }

    /// Whether both are stations of one medium.
    pub(super) fn share_medium(&self, here: u32, far: u32) -> bool {
        let medium = |station: u32| self.air.radios[station as usize].medium;
        here != NOBODY && far != NOBODY && medium(here) == medium(far)
    }

    /// Follows each flow between stations to its destinations; checks that its packets fit.
    fn trace_air(&mut self, spec: &Spec) -> Result<(), Refusal> {
        let mut used = vec![false; self.air.hops.len()];
        for (number, spec_flow) in spec.flows.iter().enumerate() {
            let flow_id = Id::new(number);
            let flow = &self.flows[flow_id];
            if self.nodes[flow.from].station == NOBODY {
                continue;
            }
            let path = |field: &str| format!("flows.{}.{field}", spec_flow.name);
            if flow.packet > MAX_PACKET {
                let what = format!("an 802.11 frame holds an IP packet of {MAX_PACKET} B at most");
                return refuse(path("packet"), what, "write smaller packets");
            }
            if usize::from(flow.class) >= CATEGORIES.len() {
                let what = "a station has four access categories";
                return refuse(path("class"), what, "write ac = \"BE\"");
            }
            let mut ways = Vec::new();
            for host in flow.to.iter() {
                ways.clear();
                let goal = self.hosts[host as usize];
                let mut at = flow.from;
                while at != goal {
                    let row = self.air.radios[self.nodes[at].station as usize].row;
                    let port = self.forwarding.written(row, flow_id, host);
                    let (a, b) = (&self.nodes[flow.from].name, &self.nodes[goal].name);
                    if port.is_none() {
                        let what = match at == flow.from {
                            true => format!("no way leads from {a} to {b}: it is out of reach"),
                            false => {
                                format!("the way from {a} to {b} ends at {}", self.nodes[at].name)
                            }
                        };
                        let fix = "move the stations closer, write a route, or write routing = { kind = \"airtime\" }";
                        return refuse(path("to"), what, fix);
                    }
                    ways.push(port);
                    used[self.air.hop_number(port) as usize] = true;
                    at = self.ports[port].far;
                    if ways.len() > self.air.radios.len() {
                        let what = format!("the way from {a} to {b} runs in a circle");
                        return refuse(path("to"), what, "mend the written routes");
                    }
                }
            }
            if matches!(spec_flow.to, Destination::Group(_)) {
                ways.extend(self.air.hop_to(self.nodes[flow.from].station, NOBODY));
            }
            let full = |limit: Limit| match limit {
                Limit::Bytes(room) => room.0 < flow.packet,
                Limit::Packets(room) => room == 0,
                Limit::Unlimited => false,
            };
            for port in &ways {
                let node = self.ports[*port].node;
                let radio = &self.air.radios[self.nodes[node].station as usize];
                if full(radio.categories[radio.category(flow.class)].buffer) {
                    let name = &self.nodes[node].name;
                    let what = format!("the buffer of {name} cannot hold one packet");
                    return refuse(
                        format!("nodes.{name}.buffer"),
                        what,
                        "write a larger buffer",
                    );
                }
            }
            if !matches!(spec_flow.to, Destination::AnyOf(_)) {
                self.flows.0[number].path = ways;
            }
        }
        self.air.gather_hops(&used);
        Ok(())
    }
}

fn categories(
    medium: &Medium,
    station: &StationSpec,
    path: &str,
) -> Result<SmallVec<[Contention; 1]>, Refusal> {
    let count = medium.mac.access.categories();
    let one_queue = count == 1;
    let mut made = SmallVec::new();
    for (number, name) in CATEGORIES.iter().enumerate().take(count) {
        // The one queue of DCF is that of best effort.
        let (number, name) = if one_queue {
            (1, "BE")
        } else {
            (number, *name)
        };
        let set = station.categories[number].over(medium.mac.categories[number]);
        check_window(set, &format!("{path}.ac.{name}"))?;
        let buffer = station.categories[number].buffer.unwrap_or(station.buffer);
        made.push(Contention::new(set, buffer, medium.sifs, medium.slot));
    }
    Ok(made)
}

fn check_window(set: Category, path: &str) -> Result<(), Refusal> {
    if set.cw_min > set.cw_max {
        let what = format!(
            "the smallest contention window ({}) exceeds the largest ({})",
            set.cw_min, set.cw_max
        );
        return refuse(
            format!("{path}.cw_min"),
            what,
            "write cw_min no larger than cw_max",
        );
    }
    if set.aifsn == 0 {
        let what = "AIFSN is at least 1";
        return refuse(
            format!("{path}.aifsn"),
            what,
            "write an AIFSN from 1 to 255",
        );
    }
    Ok(())
}

fn check_rate(medium: &MediumSpec, rate: Rate, path: &str) -> Result<(), Refusal> {
    let rates = medium.phy.standard.rates();
    if rates.contains(&rate.0) {
        return Ok(());
    }
    let listed: Vec<String> = rates
        .iter()
        .map(|r| format!("{}", *r as f64 / 1e6))
        .collect();
    refuse(
        path,
        format!("{} bit/s is no rate of this radio", rate.0),
        format!("write one of {} Mbit/s", listed.join(", ")),
    )
}

fn check_medium(medium: &MediumSpec) -> Result<(), Refusal> {
    let path = format!("media.{}", medium.name);
    check_rate(medium, medium.phy.data, &format!("{path}.phy.data"))?;
    check_rate(medium, medium.phy.control, &format!("{path}.phy.control"))?;
    for (name, set) in CATEGORIES.iter().zip(medium.mac.categories) {
        check_window(set, &format!("{path}.mac.ac.{name}"))?;
    }
    let ChannelSpec::Physical(channel) = &medium.channel else {
        return Ok(());
    };
    for (name, dbm) in [
        ("energy_detect", channel.energy_detect),
        ("preamble_detect", channel.preamble_detect),
    ] {
        let least = channel.noise + FLOOR;
        if dbm < least {
            let what =
                format!("frames that arrive below {least} dBm, far in the noise, are left out");
            let fix = format!("write at least {least} dBm");
            return refuse(format!("{path}.channel.{name}"), what, fix);
        }
    }
    Ok(())
}
