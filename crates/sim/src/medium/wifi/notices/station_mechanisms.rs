//! Mechanisms at 802.11 stations: what watches a station, whom it may tell, and who answers.

use backwater_transport::units::{Rate, Span, Time};

use crate::event::Event;
use crate::limit::Limit;
use crate::mechanism::carrier::CarriedBy;
use crate::mechanism::control::{Control, Watched};
use crate::mechanism::detector::Detector;
use crate::mechanism::needs::Set;
use crate::mechanism::notice::Hosts;
use crate::mechanism::notifier::Reach;
use crate::mechanism::notifier::Terms;
use crate::mechanism::notifier::row::Site;
use crate::mechanism::notifier::voice::VoiceSpec;
use crate::mechanism::place::{Place, Rhythm};
use crate::mechanism::responder::Responder;
use crate::mechanism::{Echo, Mechanisms};
use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::mac::category::Contention;
use crate::network::Network;
use crate::shared::Shared;
use crate::spec::{MechanismSpec, Refusal, Spec};
use crate::table::Id;
use crate::world::build::mechanisms::asks_to_stop;
use crate::world::build::refuse;

/// The terms of a mechanism that sends standing notices of its own.
pub(super) fn terms_of_notices(mechanism: &MechanismSpec) -> Option<&Terms> {
    let terms = mechanism.notify.standing();
    terms.filter(|t| t.carrier != CarriedBy::Mark)
}

impl Air {
    /// A mechanism at a station, which watches it, and when its detector looks.
    fn control_at(
        &self,
        network: &Network,
        station: u32,
        number: usize,
        mechanism: &MechanismSpec,
        feeders: &[u32],
    ) -> Result<(Control, Option<Rhythm>), Refusal> {
        let radio = &self.radios[station as usize];
        let (detect, notify) = (&mechanism.detect, &mechanism.notify);
        let terms = terms_of_notices(mechanism);
        let neighbours = self.neighbours_of(network, station, number, mechanism, feeders)?;
        let rhythm = detect.rhythm().or(notify.rhythm());
        let site = Site {
            number: number as u32,
            respond: &mechanism.respond,
            neighbours,
            peers: feeders,
            categories: &radio.written,
            one_queue: radio.categories.len() == 1,
            hosts: network.hosts.len(),
            rhythm,
        };
        let (notifier, neighbours) = (notify.at(&site), &site.neighbours);
        let mut control = Control::new(radio.node, number as u32, notifier, neighbours);
        let holdings = detect.needs().needs.has(Set::HOLDINGS);
        let watched = Watched::new(Place::Attachment(station), detect.clone(), rhythm, holdings);
        let place = control.watch(watched);
        let names = terms.is_some_and(|t| t.addresses.is_some());
        control.add_voice(
            place,
            &VoiceSpec {
                port: Id::NONE,
                line: Rate(0),
                one_queue: site.one_queue,
                audience: (0..neighbours.len()).fold(0u64, |set, n| set | 1 << n),
                behind: names.then(|| self.hosts_behind(network, station)),
            },
        );
        Ok((control, rhythm))
    }

    /// The hosts that are reached through a station.
    fn hosts_behind(&self, network: &Network, station: u32) -> Hosts {
        let radio = &self.radios[station as usize];
        let mut words = vec![0u64; network.hosts.len().div_ceil(64)];
        let row = network.nodes[radio.node].row;
        let reached = |h: &usize| {
            let way = network.plan.forwarding.written(row, Id::NONE, *h as u32);
            *h != radio.host as usize && !way.is_none()
        };
        for host in (0..network.hosts.len()).filter(reached) {
            words[host / 64] |= 1 << (host % 64);
        }
        words.into()
    }

    /// The stations that a watched one may tell, ascending.
    fn told_by(&self, station: u32, reach: Reach) -> Vec<u32> {
        match reach {
            Reach::Itself => Vec::new(),
            Reach::Upstream => self.stations_toward(station),
            Reach::Tree => {
                let others = 0..self.radios.len() as u32;
                others.filter(|s| self.are_peers(station, *s)).collect()
            }
            Reach::Range => {
                let reach = self.reach[station as usize].iter();
                let mut heard: Vec<u32> = reach.filter(|l| l.decodes).map(|l| l.to).collect();
                heard.sort_unstable();
                heard
            }
        }
    }

    /// Whether packets of flows pass between two stations, one way or the other: neighbours in the routing tree.
    pub(crate) fn are_peers(&self, a: u32, b: u32) -> bool {
        let hop = |from, to| self.hop_to(from, to).is_some();
        hop(a, b) || hop(b, a)
    }

    /// The stations that have a hop to this one, ascending.
    fn stations_toward(&self, station: u32) -> Vec<u32> {
        let hops = self.hops.iter().filter(|hop| hop.to == station);
        let mut feeders: Vec<u32> = hops.map(|hop| hop.from).collect();
        feeders.sort_unstable();
        feeders.dedup();
        feeders
    }

    /// Gives the stations that may be told, and the watched one itself, a responder of their own.
    fn own_responders(
        &mut self,
        network: &Network,
        spec: &Spec,
        station: u32,
        number: usize,
        feeders: &[u32],
    ) -> Result<(), Refusal> {
        let mechanism = &spec.mechanisms[number];
        let moves = |m: &MechanismSpec| m.respond.needs().needs.has(Set::TRANSMITTER);
        for told in feeders.iter().copied().chain([station]) {
            debug_assert_ne!(told, NOBODY);
            let radio = &mut self.radios[told as usize];
            let owners = || radio.responders.iter().map(|(of, _)| *of as usize);
            if owners().any(|of| of == number) {
                continue;
            }
            let other = owners().find(|of| moves(&spec.mechanisms[*of]));
            if let (Some(other), true) = (other, moves(mechanism)) {
                let what = format!(
                    "{} would move its access parameters for mechanism {} as well",
                    network.nodes[radio.node].name, spec.mechanisms[other].name
                );
                let path = format!("mechanisms.{}.respond", mechanism.name);
                return refuse(path, what, "let one mechanism watch both stations");
            }
            if mechanism.respond.needs().needs.has(Set::GATES) {
                radio.gates.get_or_insert_default();
            }
            radio.blocked_share = radio.blocked_share.min(mechanism.respond.blocked_share());
            let answer = (number as u32, mechanism.respond.clone());
            radio.responders.push(answer);
        }
        Ok(())
    }
}

/// How often the gates of stations are looked at for a deadlock, where there are none on wires.
const INSPECT_STATIONS: Span = Span::secs(1);

impl Mechanisms {
    /// Looks for a deadlock of stations, if this mechanism closes gates.
    fn inspect_stations(&mut self, mechanism: &MechanismSpec) {
        let gates = mechanism.respond.needs().needs.has(Set::GATES);
        if gates && asks_to_stop(&mechanism.respond) {
            self.inspect.get_or_insert(INSPECT_STATIONS);
        }
    }
}

impl Air {
    /// Watches a mechanism's stations.
    pub(crate) fn add_to_stations(
        &mut self,
        cx: &mut Shared,
        spec: &Spec,
        number: usize,
        mechanism: &MechanismSpec,
    ) -> Result<(), Refusal> {
        let path = format!("mechanisms.{}", mechanism.name);
        let of_node = |node: &usize| {
            let stations = cx.network.nodes[Id::new(*node)].stations.iter();
            stations.copied().collect::<Vec<_>>()
        };
        let stations: Vec<u32> = mechanism.stations.iter().flat_map(of_node).collect();
        for station in stations {
            let radio = &self.radios[station as usize];
            let (node_id, name) = (radio.node, radio.name.clone());
            let endless = |c: &Contention| c.buffer == Limit::Unlimited;
            let needs = mechanism.detect.needs().needs;
            if needs.has(Set::BOUND) && radio.categories.iter().any(endless) {
                let what =
                    format!("this detector needs a bound, and the buffer of {name} has no bound");
                let fix =
                    "write a buffer in packets or bytes, or take the detector rate-comparison";
                return refuse(format!("{path}.detect"), what, fix);
            }
            if radio.watch.is_some() {
                let what = format!("{name} is watched twice");
                return refuse(format!("{path}.at"), what, "let one mechanism watch it");
            }
            let feeders = self.told_by(station, mechanism.notify.reach());
            cx.mechanisms.inspect_stations(mechanism);
            cx.network
                .tell_wires(spec, node_id, &name, number, mechanism)?;
            let (control, rhythm) =
                self.control_at(&cx.network, station, number, mechanism, &feeders)?;
            self.own_responders(&cx.network, spec, station, number, &feeders)?;
            self.radios[station as usize].backlog_field = mechanism.detect.field();
            for feeder in &feeders {
                let upstream = &mut self.radios[*feeder as usize];
                upstream.report_field = upstream.report_field.max(mechanism.notify.report());
            }
            self.eavesdrops |= needs.has(Set::OVERHEARING);
            let marks = control.only_marks();
            let control = cx.mechanisms.controls.push(control);
            let radio = &mut self.radios[station as usize];
            radio.watch = Some((control, 0));
            if let (true, Some(terms)) = (marks, mechanism.notify.standing()) {
                radio.echoes.push(Echo::new(number as u32, terms));
            }
            if let Some(Rhythm { period, .. }) = rhythm {
                // Stations sample at different instants.
                let phase = Time(radio.random.between(1, period.0));
                let look = Event::Observe { control, place: 0 };
                cx.run.calendar.push(phase, look);
            }
        }
        Ok(())
    }
}
