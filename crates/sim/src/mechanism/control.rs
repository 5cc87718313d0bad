//! Mechanisms at one node that speak with one voice: detectors, one for each watched place, and who
//! has been told what.
//! PAUSE and PFC carry no origin, so a neighbour's state is the OR over the node's congested
//! queues; extension frames, which name addresses or a rate, speak for one queue each.

use std::collections::VecDeque;

use backwater_transport::units::{Rate, Span, Time};

use super::detector::{AnyDetector, Detector, Level, Watch};
use super::gates::Gates;
use super::notice::{Form, Hosts, Notice, holds};
use super::notifier::{Addresses, AnyNotifier, Audience};
use super::responder::{AnyResponder, Responder};
use crate::ids::{NodeId, PortId, kind};
use crate::limit::MAX_CLASSES;
use crate::table::{Id, Row};

/// Neighbours a node with back-pressure can have: a told set is one word.
pub const MAX_NEIGHBOURS: usize = 64;

/// A mechanism at one node, or several whose PAUSE frames are one word.
#[derive(Clone, Debug)]
pub struct Control {
    node: NodeId,
    /// What neighbours do when told.
    pub respond: AnyResponder,
    notify: AnyNotifier,
    /// Bits of the neighbours that act on control frames.
    obeying: u64,
    /// Distinguishes its notices from those of other mechanisms.
    number: u32,
    places: Vec<Place>,
    neighbours: Vec<Neighbour>,
    outbox: VecDeque<Told>,
}

impl Row for Control {
    type Kind = kind::Control;
}

/// A watched place.
#[derive(Clone, Debug)]
struct Place {
    port: PortId,
    /// Line rate.
    line: Rate,
    /// Rate at which each class may leave: that of the line, or what the port is held to.
    drain: [Rate; MAX_CLASSES],
    /// It is an output port with one queue for all classes.
    one_queue: bool,
    detector: AnyDetector,
    /// Bits of the neighbours that may be told.
    audience: u64,
    /// For each class, bits of the neighbours told.
    told: [u64; MAX_CLASSES],
    congested: u8,
    /// Whether its node counts it among its alarms.
    noted: bool,
    /// Egress port and class of the frame that raised each class's alarm.
    origin: [PortId; MAX_CLASSES],
    /// Latest frame of each neighbour and class; kept for `Audience::Senders` only.
    heard: Vec<[Option<Time>; MAX_CLASSES]>,
    /// A neighbour heard no longer ago than this is a current sender.
    window: Span,
    /// Hosts reached through the port; empty where no notice names addresses.
    behind: Option<Hosts>,
    /// For each class the addresses named by the last notice.
    named: [Option<Hosts>; MAX_CLASSES],
}

impl Place {
    /// Classes whose frames a class queue holds: all, where the port has only one queue.
    fn holds(&self, class: usize) -> u8 {
        if self.one_queue { 0xff } else { 1 << class }
    }
}

#[derive(Clone, Debug)]
struct Neighbour {
    port: PortId,
    /// How long before a notice to it must be repeated.
    refresh: Span,
    /// Classes that PAUSE or PFC holds closed there.
    closed: u8,
    /// Serial of its live timer.
    epoch: u16,
    timing: bool,
}

/// Something to send.
#[derive(Clone, Debug)]
pub struct Told {
    /// Through this port of the node.
    pub port: PortId,
    /// This.
    pub notice: Notice,
}

/// A frame that came or left, as a place sees it.
#[derive(Copy, Clone, Debug)]
pub struct Seen {
    /// Number of the place within its control.
    pub place: usize,
    /// The node's port through which its origin is reached; none for the node's own.
    pub from: Option<usize>,
    /// Its egress port.
    pub egress: PortId,
    /// Its destination.
    pub to: u32,
}

/// A timer to start: (neighbour, serial, delay).
pub type Timer = (u8, u16, Span);

/// A neighbour, as the builder knows it.
pub struct NeighbourSpec {
    /// The node's port toward it.
    pub port: PortId,
    /// Line rate.
    pub rate: Rate,
    /// Whether it acts on control frames.
    pub obeys: bool,
}

/// A place, as the builder knows it.
pub struct PlaceSpec {
    /// The port watched.
    pub port: PortId,
    /// Its line rate.
    pub line: Rate,
    /// Whether it is watched as an output port with one queue for all classes.
    pub one_queue: bool,
    /// The detector.
    pub detector: AnyDetector,
    /// Whom to tell.
    pub audience: Audience,
    /// How long after its last frame a neighbour counts as a current sender.
    pub window: Span,
    /// Hosts reached through it, where notices name addresses.
    pub behind: Option<Hosts>,
}

impl Control {
    /// A mechanism at `node` without places yet.
    pub fn new(
        node: NodeId,
        number: u32,
        notify: AnyNotifier,
        respond: AnyResponder,
        neighbours: &[NeighbourSpec],
    ) -> Control {
        let obeying = neighbours
            .iter()
            .enumerate()
            .filter(|(_, n)| n.obeys)
            .fold(0, |set, (i, _)| set | 1 << i);
        let neighbours = neighbours
            .iter()
            .map(|n| {
                let timer = quantum(n.rate).times(u64::from(notify.quanta)).0;
                let refresh = Span(libm::floor(timer as f64 * notify.refresh) as u64);
                Neighbour {
                    port: n.port,
                    refresh,
                    closed: 0,
                    epoch: 0,
                    timing: false,
                }
            })
            .collect();
        Control {
            node,
            respond,
            notify,
            obeying,
            number,
            places: Vec::new(),
            neighbours,
            outbox: VecDeque::new(),
        }
    }

    /// Number of the mechanism it was made for.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether its notices move the class gates of a neighbour, which know no origin.
    pub fn moves_gates(&self) -> bool {
        !self.apart()
    }

    /// Whether it can speak for queues whose notices are to be like these.
    pub fn speaks_like(&self, notify: &AnyNotifier) -> bool {
        let own = &self.notify;
        let timer = |n: &AnyNotifier| (n.quanta, n.refresh.to_bits());
        own.form == notify.form && timer(own) == timer(notify)
    }

    /// Watches a place; gives its number.
    pub fn watch(&mut self, spec: PlaceSpec) -> usize {
        let PlaceSpec {
            port,
            line,
            one_queue,
            detector,
            audience: whom,
            window,
            behind,
        } = spec;
        let local = self
            .neighbours
            .iter()
            .position(|n| n.port == port)
            .expect("a port of the node");
        let audience = match detector.watch() {
            Watch::Egress => self.obeying & !(1 << local),
            Watch::Ingress | Watch::Pool | Watch::Station => self.obeying & 1 << local,
        };
        let heard = match whom {
            Audience::Senders => vec![[None; MAX_CLASSES]; self.neighbours.len()],
            Audience::Feeders => Vec::new(),
        };
        self.places.push(Place {
            port,
            line,
            drain: [line; MAX_CLASSES],
            one_queue,
            detector,
            audience,
            told: [0; MAX_CLASSES],
            congested: 0,
            noted: false,
            origin: [Id::NONE; MAX_CLASSES],
            heard,
            window,
            behind,
            named: std::array::from_fn(|_| None),
        });
        self.places.len() - 1
    }

    /// Whether any place is congested, so that departures matter.
    pub fn alarmed(&self, place: usize) -> bool {
        self.places[place].congested != 0
    }

    /// Whether it was congested at the last call of this, which remembers whether it is.
    pub fn note_alarm(&mut self, place: usize) -> bool {
        let place = &mut self.places[place];
        std::mem::replace(&mut place.noted, place.congested != 0)
    }

    /// Whether an arrival that leaves this level would begin an alarm.
    pub fn would_alarm(&mut self, place: usize, level: &Level) -> bool {
        let place = &mut self.places[place];
        place.congested >> level.class & 1 == 0 && place.detector.alarm(level)
    }

    /// The places whose word the neighbour behind `port` has: (port, whether an output queue).
    pub fn holding(&self, port: PortId) -> impl Iterator<Item = (PortId, bool)> + '_ {
        let n = self
            .neighbours
            .iter()
            .position(|n| n.port == port)
            .expect("a port of the node");
        let told = self
            .places
            .iter()
            .filter(move |p| p.told.iter().any(|t| t >> n & 1 == 1));
        told.map(|p| (p.port, p.detector.watch() == Watch::Egress))
    }

    /// Where it is.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Whether it wants to know through which port a frame came in.
    pub fn listens(&self, place: usize) -> bool {
        !self.places[place].heard.is_empty()
    }

    /// Ports toward the neighbours that a place may tell.
    pub fn audience(&self, place: usize) -> impl Iterator<Item = PortId> {
        bits(self.places[place].audience).map(|n| self.neighbours[n].port)
    }

    /// Bytes of a buffer that lie above the mark at which a place stops its feeders; none where
    /// they are not stopped or the mark is no share of a buffer.
    pub fn slack(&self, place: usize, buffer: u64) -> Option<u64> {
        let slack = self.places[place].detector.slack(buffer);
        slack.filter(|_| !self.rated())
    }

    /// A frame was queued: remembers its sender and lets the detector look. `queued` are the
    /// hosts of the frames in the congested queue.
    /// True when a signal was given or something is to be said.
    pub fn enqueued(&mut self, level: &Level, seen: &Seen, queued: impl FnOnce() -> Hosts) -> bool {
        let class = level.class;
        if self.hear(level, seen) {
            self.keep_up(level, seen);
            return !self.outbox.is_empty();
        }
        let place = &mut self.places[seen.place];
        if !place.detector.alarm(level) {
            return false;
        }
        place.congested |= 1 << class;
        place.origin[class] = seen.egress;
        place.named[class] = match self.notify.addresses {
            None => None,
            Some(Addresses::FilteringTable) => place.behind.clone(),
            Some(Addresses::Buffer) => Some(queued()),
        };
        let audience = self.senders(seen.place, class, level.now);
        self.tell(seen.place, class, audience);
        true
    }

    /// A frame found no room in its queue. True when something is to be said.
    pub fn turned_away(&mut self, level: &Level, seen: &Seen) -> bool {
        if self.hear(level, seen) {
            self.keep_up(level, seen);
        }
        !self.outbox.is_empty()
    }

    /// Remembers who sent. True where the class is congested.
    fn hear(&mut self, level: &Level, seen: &Seen) -> bool {
        let place = &mut self.places[seen.place];
        if let (Some(from), false) = (seen.from, place.heard.is_empty()) {
            place.heard[from][level.class] = Some(level.now);
        }
        place.congested >> level.class & 1 == 1
    }

    /// A frame has left. True when congestion is over.
    pub fn released(&mut self, level: &Level, place: usize) -> bool {
        let watched = &mut self.places[place];
        let over = watched.congested >> level.class & 1 == 1 && watched.detector.relief(level);
        if over {
            self.release(place, level.class);
        }
        over
    }

    /// Whether a departure that leaves this level could end a place's alarm.
    pub fn may_relieve(&self, place: usize, level: &Level) -> bool {
        self.places[place].congested >> level.class & 1 == 1
            && self.places[place].detector.may_relieve(level)
    }

    /// A refresh timer went off: says again what still holds.
    pub fn refresh(&mut self, neighbour: u8, epoch: u16) {
        let n = usize::from(neighbour);
        if self.neighbours[n].epoch != epoch || !self.neighbours[n].timing {
            return;
        }
        self.neighbours[n].timing = false;
        if self.apart() {
            let told: Vec<(usize, usize)> = self.told_about(n).collect();
            for (place, class) in told {
                self.post_extension(place, class, n, true);
            }
        } else {
            let closed = self.neighbours[n].closed;
            self.post_classes(n, closed, true);
        }
    }

    /// Takes note of the rates that a place's own port is held to, so that rate control goes on up a
    /// chain, and corrects what it has asked for. True when something is to be said.
    pub fn held_to(&mut self, place: usize, gates: Option<&Gates>, now: Time) -> bool {
        for class in 0..MAX_CLASSES {
            let p = &mut self.places[place];
            let held = gates.and_then(|g| g.rate(p.holds(class), p.behind.as_deref(), now));
            let drain = held.map_or(p.line, |rate| rate.min(p.line));
            if std::mem::replace(&mut p.drain[class], drain) != drain {
                let told = p.told[class];
                self.remind(place, class, told);
            }
        }
        !self.outbox.is_empty()
    }

    /// Whether it asks for a rate, rather than to stop.
    pub fn rated(&self) -> bool {
        self.respond.ask(Rate(1), 1).is_some()
    }

    /// Whether each congested queue speaks for itself: its notice carries its origin.
    fn apart(&self) -> bool {
        self.notify.form == Form::Extension || self.rated()
    }

    /// What is to be sent now, in order.
    pub fn next_told(&mut self) -> Option<Told> {
        self.outbox.pop_front()
    }

    /// The timer that a neighbour needs, if none runs.
    pub fn start_timer(&mut self, port: PortId) -> Option<Timer> {
        let n = self
            .neighbours
            .iter()
            .position(|n| n.port == port)
            .expect("a port of the node");
        let holds =
            self.neighbours[n].closed != 0 || (self.apart() && self.told_about(n).next().is_some());
        let neighbour = &mut self.neighbours[n];
        if neighbour.timing || !holds {
            return None;
        }
        neighbour.timing = true;
        neighbour.epoch = neighbour.epoch.wrapping_add(1);
        Some((n as u8, neighbour.epoch, neighbour.refresh))
    }

    /// While congested: tells a neighbour that has begun to send, and names a new address.
    fn keep_up(&mut self, level: &Level, seen: &Seen) {
        let class = level.class;
        let place = &mut self.places[seen.place];
        if let (Some(Addresses::Buffer), Some(named)) = (self.notify.addresses, &place.named[class])
            && !holds(named, seen.to)
        {
            let mut more = named.to_vec();
            more[seen.to as usize / 64] |= 1 << (seen.to % 64);
            place.named[class] = Some(more.into());
            let told = place.told[class];
            self.remind(seen.place, class, told);
        }
        let fresh =
            self.senders(seen.place, class, level.now) & !self.places[seen.place].told[class];
        if fresh != 0 {
            self.tell(seen.place, class, fresh);
        }
    }

    fn senders(&self, place: usize, class: usize, now: Time) -> u64 {
        let place = &self.places[place];
        if place.heard.is_empty() {
            return place.audience;
        }
        let lately =
            |n: usize| place.heard[n][class].is_some_and(|at| now.since(at) <= place.window);
        bits(place.audience)
            .filter(|n| lately(*n))
            .fold(0, |set, n| set | 1 << n)
    }

    fn tell(&mut self, place: usize, class: usize, audience: u64) {
        let told = &mut self.places[place].told[class];
        let before = *told & !audience;
        *told |= audience;
        for n in bits(audience) {
            self.update(place, class, n, true);
        }
        if self.rated() {
            self.remind(place, class, before);
        }
    }

    /// Says again what a queue asks of these neighbours, each of which has its word.
    fn remind(&mut self, place: usize, class: usize, told: u64) {
        for n in bits(told) {
            self.post_extension(place, class, n, true);
        }
    }

    fn release(&mut self, place: usize, class: usize) {
        self.places[place].congested &= !(1 << class);
        let told = std::mem::take(&mut self.places[place].told[class]);
        for n in bits(told) {
            self.update(place, class, n, false);
        }
    }

    /// Brings neighbour `n` in line after a queue's word to it changed.
    fn update(&mut self, place: usize, class: usize, n: usize, congested: bool) {
        if self.apart() {
            self.post_extension(place, class, n, congested);
            return;
        }
        let wanted = self
            .told_about(n)
            .fold(0u8, |mask, (p, c)| mask | self.classes(p, c));
        let closed = std::mem::replace(&mut self.neighbours[n].closed, wanted);
        self.post_classes(n, wanted & !closed, true);
        self.post_classes(n, closed & !wanted, false);
    }

    /// The queues whose word neighbour `n` has.
    fn told_about(&self, n: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let places = self
            .places
            .iter()
            .enumerate()
            .filter(|(_, place)| place.congested != 0);
        places.flat_map(move |(p, place)| {
            (0..MAX_CLASSES)
                .filter(move |c| place.told[*c] >> n & 1 == 1)
                .map(move |c| (p, c))
        })
    }

    /// Classes that a notice about a queue names.
    fn classes(&self, place: usize, class: usize) -> u8 {
        if self.notify.per_class {
            self.places[place].holds(class)
        } else {
            0xff
        }
    }

    /// A frame that closes or opens classes at neighbour `n`.
    fn post_classes(&mut self, n: usize, classes: u8, close: bool) {
        if classes == 0 {
            return;
        }
        let speaks = |&(p, c): &(usize, usize)| classes & self.places[p].holds(c) != 0;
        let origin = match self.told_about(n).find(speaks) {
            Some((p, c)) => self.places[p].origin[c],
            None => Id::NONE,
        };
        let congested = self.told_about(n).filter(speaks);
        let notice = Notice {
            form: self.notify.form,
            classes,
            quanta: if close { self.notify.quanta } else { 0 },
            rate: None,
            hosts: None,
            origin,
            origin_classes: congested.fold(0, |mask, (p, c)| mask | self.places[p].holds(c)),
            key: self.number << 16,
        };
        self.outbox.push_back(Told {
            port: self.neighbours[n].port,
            notice,
        });
    }

    fn post_extension(&mut self, place: usize, class: usize, n: usize, close: bool) {
        let p = &self.places[place];
        let notice = Notice {
            form: Form::Extension,
            classes: self.classes(place, class),
            quanta: if close { self.notify.quanta } else { 0 },
            rate: self.rate(place, class),
            hosts: p.named[class].clone(),
            origin: p.port,
            origin_classes: p.holds(class),
            key: self.number << 16 | (place as u32) << 4 | class as u32,
        };
        self.outbox.push_back(Told {
            port: self.neighbours[n].port,
            notice,
        });
    }

    fn rate(&self, place: usize, class: usize) -> Option<Rate> {
        let p = &self.places[place];
        self.respond
            .ask(p.drain[class], p.told[class].count_ones().max(1))
    }
}

/// 512 bit times at a rate.
pub fn quantum(rate: Rate) -> Span {
    rate.time_for(backwater_transport::units::Bytes(64))
}

fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let n = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(n)
    })
}
