//! Stations, their links and their routes: the 802.11 part of `build`.

use std::collections::VecDeque;

use backwater_transport::random::Random;
use backwater_transport::units::Rate;
use smallvec::{SmallVec, smallvec};

use crate::ids::{NodeId, PortId};
use crate::limit::Limit;
use crate::medium::access::CATEGORIES;
use crate::medium::service::Service;
use crate::medium::wifi::air::{Air, Medium, NOBODY};
use crate::medium::wifi::check_medium::{
    check_medium, check_protection, check_station_mode, check_station_rate, check_txop,
    check_window,
};
use crate::medium::wifi::mac::category::Contention;
use crate::medium::wifi::mac::frame::Reply;
use crate::medium::wifi::mac::window::Window;
use crate::medium::wifi::phy::channel::Link;
use crate::medium::wifi::phy::mode::Mode;
use crate::medium::wifi::queue::arrangement::Arrangement;
use crate::medium::wifi::queue::turns::Turn;
use crate::medium::wifi::radio::{Hop, LastRoute, Radio, StationCount};
use crate::medium::wifi::reception::hearing::Hearing;
use crate::medium::wifi::spec::RateControl;
use crate::network::{Network, Port, PortMore};
use crate::spec::{NodeKind, Refusal, Spec, StationSpec};
use crate::world::build::refuse;

impl Air {
    /// Media, stations, and who hears whom.
    pub(crate) fn survey(&mut self, network: &mut Network, spec: &Spec) -> Result<(), Refusal> {
        for medium in &spec.media {
            check_medium(medium)?;
            let made = Medium::new(medium);
            for (name, set) in CATEGORIES.iter().zip(made.mac.categories) {
                let path = format!("media.{}.mac.ac.{name}", made.name);
                check_txop(&made, set.txop, &path)?;
            }
            self.media.push(made);
        }
        self.first_port = network.ports.len() as u32;
        if spec.flows.iter().any(|f| f.options.budget.is_some()) {
            self.budgets = spec.flows.iter().map(|f| f.options.budget).collect();
        }
        self.add_stations(network, spec)?;
        self.refuse_mechanisms_over_msdus(network, spec)?;
        for (number, medium) in self.media.iter().enumerate() {
            let mine = self.radios.iter().filter(|r| r.medium as usize == number);
            check_protection(medium, mine)?;
        }
        if !self.radios.is_empty() {
            self.join_stations(spec);
        }
        Ok(())
    }

    /// Mechanisms at stations act in front of frames of one packet.
    fn refuse_mechanisms_over_msdus(&self, network: &Network, spec: &Spec) -> Result<(), Refusal> {
        for mechanism in &spec.mechanisms {
            let nodes = mechanism.stations.iter();
            let mut stations = nodes.flat_map(|node| &network.nodes.0[*node].stations);
            let has_msdus = |station: &u32| {
                let high = self.medium(*station).high.as_ref();
                high.and_then(|high| high.aggregation)
                    .is_some_and(|limits| limits.msdu > 0)
            };
            if stations.any(has_msdus) {
                return refuse(
                    format!("mechanisms.{}", mechanism.name),
                    "a mechanism at a station acts on frames of one packet, and an A-MSDU has several",
                    "remove it, or write aggregation = \"a-mpdu\" in the medium's mac",
                );
            }
        }
        Ok(())
    }

    fn add_stations(&mut self, network: &mut Network, spec: &Spec) -> Result<(), Refusal> {
        let mut taken: Vec<(usize, [f64; 2], NodeId)> = Vec::new();
        for (id, node) in network.nodes.ids().zip(&spec.nodes) {
            let NodeKind::Station(radios) = &node.kind else {
                continue;
            };
            for (of_node, station) in radios.iter().enumerate() {
                let on_medium =
                    |(medium, ..): &&(usize, [f64; 2], NodeId)| *medium == station.medium;
                let same =
                    |(_, at, other): &&(usize, [f64; 2], NodeId)| *at == station.at || *other == id;
                if let Some((_, _, other)) = taken.iter().filter(on_medium).find(same) {
                    let (what, fix) = match *other == id {
                        true => (
                            format!("{} has two radios on one medium", node.name),
                            "give each radio a medium of its own",
                        ),
                        false => (
                            format!(
                                "{} lies where {} lies",
                                node.name, network.nodes[*other].name
                            ),
                            "write another place",
                        ),
                    };
                    return refuse(format!("nodes.{}.at", node.name), what, fix);
                }
                taken.push((station.medium, station.at, id));
                self.add_station(network, spec, id, (of_node, station))?;
            }
        }
        Ok(())
    }

    /// A radio of a node. Streams of the first are named after the node, those of others after node and medium.
    fn add_station(
        &mut self,
        network: &mut Network,
        spec: &Spec,
        id: NodeId,
        (of_node, station): (usize, &StationSpec),
    ) -> Result<(), Refusal> {
        let path = format!("nodes.{}", network.nodes[id].name);
        let medium = &spec.media[station.medium];
        if let Some(rate) = station.rate {
            check_station_rate(medium, rate, &format!("{path}.rate"))?;
        }
        if let Some(mode) = &station.mode {
            check_station_mode(medium, mode, &path)?;
            self.media[station.medium].add_modes([*mode].into_iter());
        }
        let medium = &medium.name;
        let name = StationSpec::radio_name(&network.nodes[id].name, of_node, medium);
        let categories = self.categories(spec, &name, station, &path)?;
        network.nodes[id].stations.push(self.radios.len() as u32);
        let random = Random::stream(spec.seed, "station", &name);
        let hearing = Hearing::new(spec.seed, &name);
        let radio = Radio {
            node: id,
            laws: Vec::new(),
            of_node,
            name,
            medium: station.medium as u32,
            route: LastRoute::default(),
            host: network.nodes[id].host.expect("a station is a host"),
            random,
            written: categories.iter().map(|c| c.set).collect(),
            categories,
            own_share: station.own_share,
            blocked_share: 1.0,
            backlog_field: 0,
            report_field: 0,
            steps: [0; 4],
            rounds: station.in_turn.then(Box::default),
            hops: Vec::new(),
            frame: None,
            reply: Reply::None,
            after: NOBODY,
            notices: VecDeque::new(),
            fields: Vec::new(),
            echoes: Vec::new(),
            watch: None,
            responders: Vec::new(),
            gates: None,
            holds: Vec::new(),
            owed: VecDeque::new(),
            exchange: None,
            protected: Vec::new(),
            count: StationCount::default(),
            base: Box::default(),
        };
        self.add(radio, hearing);
        Ok(())
    }

    /// The access categories of a station: contention, buffer and queue management of each.
    fn categories(
        &self,
        spec: &Spec,
        named: &str,
        station: &StationSpec,
        path: &str,
    ) -> Result<SmallVec<[Contention; 1]>, Refusal> {
        let medium = &self.media[station.medium];
        let count = medium.mac.access.categories();
        if station.aqm.is_some() && station.in_turn {
            return refuse(
                format!("{path}.queue"),
                "flows are served round-robin, and queue management chooses frames too",
                "remove in_turn, or take queue = { kind = \"fq-codel\" }, which serves flows round-robin",
            );
        }
        if medium.aggregates() && station.in_turn {
            return refuse(
                format!("{path}.queue"),
                "round-robin by flow chooses one frame at a time, and an A-MPDU takes many",
                "remove it, take queue = { kind = \"fq-codel\" }, which serves flows round-robin, or write aggregation = \"off\" in the medium's mac",
            );
        }
        let chosen = station.aqm.is_some() && !station.serving.each && !medium.aggregates();
        if chosen && station.serving.driver.is_none() && station.serving.turn != Turn::Oldest {
            return refuse(
                format!("{path}.serve"),
                "queue management of all neighbours chooses the packet that goes next, and so the neighbour",
                "write managed = \"neighbour\", or a driver_queue in which packets wait for the turn of their neighbour",
            );
        }
        if station.serving.each && station.aqm.is_none() {
            return refuse(
                format!("{path}.managed"),
                "no queue management stands at this radio that each neighbour could have",
                "write a managed queue for the radio in `ports`, such as { kind = \"fq-codel\" }, or remove `managed`",
            );
        }
        let mut made = SmallVec::new();
        for (number, name) in CATEGORIES.iter().enumerate().take(count) {
            // The one queue of DCF is that of best effort.
            let (number, name) = if count == 1 {
                (1, "BE")
            } else {
                (number, *name)
            };
            let set = station.categories[number].over(medium.mac.categories[number]);
            check_window(set, &format!("{path}.ac.{name}"))?;
            if let Some(txop) = station.categories[number].txop {
                check_txop(medium, txop, &format!("{path}.ac.{name}"))?;
            }
            let buffer = station.categories[number].buffer.unwrap_or(station.buffer);
            let mut category = Contention::new(set, buffer, medium.sifs, medium.slot);
            let stream = format!("{named}.{name}");
            let told = (station.rate.unwrap_or(medium.phy.data), spec.seed, stream);
            category.arranged = Arrangement::of(
                station.aqm.as_ref(),
                &station.serving,
                medium.aggregates(),
                told,
            )
            .map(Box::new);
            made.push(category);
        }
        Ok(made)
    }

    /// Who hears whom, medium by medium.
    fn join_stations(&mut self, spec: &Spec) {
        for medium in 0..self.media.len() {
            let members: Vec<u32> = (0..self.radios.len() as u32)
                .filter(|s| self.radios[*s as usize].medium as usize == medium)
                .collect();
            let places: Vec<[f64; 2]> = members.iter().map(|s| self.written(spec, *s).at).collect();
            let name = |s: &u32| self.radios[*s as usize].name.as_str();
            let names: Vec<&str> = members.iter().map(name).collect();
            let channel = &self.media[medium].channel;
            let links = channel.links(spec.seed, &names, &places);
            for (from, (mut reach, mut far)) in members.iter().zip(links) {
                let numbers = reach.iter_mut().map(|l| &mut l.to);
                for to in numbers.chain(far.iter_mut().map(|f| &mut f.to)) {
                    *to = members[*to as usize];
                }
                self.join(*from, reach, far);
            }
        }
        self.form_cells();
        self.start_fading(spec.seed);
    }

    /// The fields that were written of a station.
    fn written<'a>(&self, spec: &'a Spec, station: u32) -> &'a StationSpec {
        let radio = &self.radios[station as usize];
        match &spec.nodes[radio.node.index()].kind {
            NodeKind::Station(radios) => &radios[radio.of_node],
            NodeKind::Host { .. } | NodeKind::Switch(_) => unreachable!("a radio is a station's"),
        }
    }

    /// Whether a hop can lead from a station to another.
    pub(crate) fn understands(&self, spec: &Spec, from: u32, to: u32) -> bool {
        self.rate_to(spec, from, to).is_some()
    }

    fn rate_to(&self, spec: &Spec, from: u32, to: u32) -> Option<Rate> {
        let link = self.reach[from as usize].iter().find(|l| l.to == to)?;
        self.rate(spec, (from, to), link)
    }

    /// The mode of data frames between two stations from 802.11n on, both ways: the slower one of theirs. The slowest of all where
    /// they choose as they go.
    fn mode_between(&self, spec: &Spec, from: u32, to: u32) -> Option<Mode> {
        let high = self.medium(from).high?;
        if high.control != RateControl::Off {
            return Some(high.modes()[0]);
        }
        let of = |station: u32| self.written(spec, station).mode.unwrap_or(high.mode);
        [of(from), of(to)].into_iter().min_by_key(Mode::rate)
    }

    /// Rate of a station's data frames over a link, which may be the link to it: both ways are alike.
    /// `None` where the link is no hop.
    pub(crate) fn rate(&self, spec: &Spec, (from, to): (u32, u32), link: &Link) -> Option<Rate> {
        if !link.decodes {
            return None;
        }
        let own = self.written(spec, from).rate;
        let medium = self.medium(from);
        if let Some(mode) = self.mode_between(spec, from, to)
            && medium.high.is_some_and(|h| h.control == RateControl::Off)
        {
            let receivers = medium.receivers.as_ref();
            let keeps = receivers.is_none_or(|r| r.keeps(&mode, link.power));
            return keeps.then(|| mode.rate());
        }
        match &medium.receivers {
            None => Some(own.unwrap_or(medium.phy.data)),
            Some(receivers) => receivers.rate(link.power, own, medium.phy.data),
        }
    }

    /// The hop from a station to another, made at its first use.
    pub(crate) fn hop_made(
        &mut self,
        network: &mut Network,
        spec: &Spec,
        from: u32,
        to: u32,
    ) -> PortId {
        if let Some(port) = self.hop_to(from, to) {
            return port;
        }
        let rate = self
            .rate_to(spec, from, to)
            .expect("a hop between neighbours");
        let mode = self.mode_between(spec, from, to);
        self.add_hop(network, (from, to), (rate, mode))
    }

    /// A hop from a station to another, or to the groups that it sends to, and the port that stands for it.
    pub(crate) fn add_hop(
        &mut self,
        network: &mut Network,
        (from, to): (u32, u32),
        (rate, mode): (Rate, Option<Mode>),
    ) -> PortId {
        let radio = &self.radios[from as usize];
        let node = radio.node;
        let (far, named) = match self.radios.get(to as usize) {
            Some(far) => (far.node, network.nodes[far.node].name.as_str()),
            None => (node, "*"),
        };
        // Ports of the first radio are named as those of wires are.
        let medium = match radio.of_node {
            0 => String::new(),
            _ => format!("#{}", self.medium(from).name),
        };
        let more = PortMore {
            name: format!("{}>{named}{medium}", network.nodes[node].name),
            rate,
            service: Service::Station,
            ..PortMore::default()
        };
        let high = self.medium(from).high.as_ref();
        let window = match high.and_then(|high| high.aggregation) {
            Some(limits) if to != NOBODY => Window::for_bursts(limits.alone),
            _ => Window::default(),
        };
        // The station limits what its hops hold together.
        let categories = radio.categories.len();
        let mut port = Port::idle(node, far, categories, Limit::Unlimited, more);
        port.far_row = network.nodes[far].row;
        let id = network.ports.push(port);
        self.push_hop(Hop {
            port: id,
            from,
            to,
            rate: mode.map_or(rate, |mode| mode.rate()),
            mode,
            windows: smallvec![window; categories],
            airtime: 0,
        });
        id
    }

    /// Whether both are stations of one medium.
    pub(crate) fn share_medium(&self, here: u32, far: u32) -> bool {
        let medium = |station: u32| self.radios[station as usize].medium;
        medium(here) == medium(far)
    }
}
