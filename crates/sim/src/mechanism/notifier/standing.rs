//! Standing notices: sent when congestion begins, again before their timer runs out, and taken back when congestion is
//! over. PAUSE and PFC carry no origin, so a neighbour's state is the OR over the node's congested queues; extension
//! frames, which name addresses or a rate, speak for one queue each.

use std::collections::VecDeque;

use backwater_transport::units::{Rate, Span, Time};

use crate::ids::PortId;
use crate::limit::MAX_CLASSES;
use crate::mechanism::carrier::{Told, Toward};
use crate::mechanism::gates::Gates;
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::{Ask, Form, Hosts, Notice, holds};
use crate::mechanism::responder::{AnyResponder, Responder};
use crate::table::Id;

/// Neighbours a node with standing notices can have: a told set is one word.
pub const MAX_NEIGHBOURS: usize = 64;

/// What they need.
pub const NEEDS: Needs = Needs::of(Set::NONE);

/// What they need that name addresses: those behind what waits to leave.
pub const NEEDS_OF_ADDRESSES: Needs = Needs::of(Set::QUEUE);

/// What a notifier of standing notices decides.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Frame layout.
    pub form: Form,
    /// Whom to tell.
    pub audience: Audience,
    /// A frame came from a neighbour no longer ago than this: it is a current sender.
    pub window: Span,
    /// Timer value, in the carrier's units.
    pub quanta: u16,
    /// Share of the timer after which it is sent again.
    pub refresh: f64,
    /// Names the congested class alone rather than all classes.
    pub per_class: bool,
    /// Where destination addresses come from, if the frame names any.
    pub addresses: Option<Addresses>,
    /// A frame to each neighbour, or one to all.
    pub cast: Cast,
}

/// Whom to tell.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every neighbour but the one the congested port faces.
    Feeders,
    /// Of these, those that sent into the queue lately.
    Senders,
}

/// Where destination addresses come from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// All that are reached through the congested port or station.
    FilteringTable,
    /// Those of the frames in the congested queue.
    Buffer,
}

/// How many frames tell several stations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cast {
    /// One each.
    Each,
    /// One for all.
    Group,
}

impl Terms {
    /// What they need.
    pub fn needs(&self) -> Needs {
        match self.addresses {
            None => NEEDS,
            Some(_) => NEEDS_OF_ADDRESSES,
        }
    }

    /// Whether notices like these and those can have one timer at a neighbour.
    fn alike(&self, other: &Terms) -> bool {
        let timer = |t: &Terms| (t.quanta, t.refresh.to_bits());
        self.form == other.form && timer(self) == timer(other)
    }
}

/// Whom a node has told what.
#[derive(Clone, Debug)]
pub struct Standing {
    terms: Terms,
    /// Whose responder answers; distinguishes its notices from those of other mechanisms.
    number: u32,
    /// What those who are told do.
    respond: AnyResponder,
    neighbours: Vec<Neighbour>,
    voices: Vec<Voice>,
}

/// A neighbour that may be told.
#[derive(Clone, Debug)]
struct Neighbour {
    to: Toward,
    /// How long before a notice to it must be repeated.
    refresh: Span,
    /// Classes that PAUSE or PFC holds closed there.
    closed: u8,
    /// Serial of its live timer.
    epoch: u16,
    timing: bool,
}

/// What a watched place has told.
#[derive(Clone, Debug)]
struct Voice {
    /// Its port; none for a station.
    port: PortId,
    /// Line rate.
    line: Rate,
    /// Rate at which each class may leave: that of the line, or what the port is held to.
    drain: [Rate; MAX_CLASSES],
    /// It has one queue for all classes.
    one_queue: bool,
    /// Bits of the neighbours that may be told.
    audience: u64,
    /// For each class, bits of the neighbours told.
    told: [u64; MAX_CLASSES],
    /// Egress port of the frame that raised each class's alarm.
    origin: [PortId; MAX_CLASSES],
    /// Latest frame of each neighbour and class; kept for `Audience::Senders` only.
    heard: Vec<[Option<Time>; MAX_CLASSES]>,
    /// Hosts reached through the place; empty where no notice names addresses.
    behind: Option<Hosts>,
    /// For each class the addresses named by the last notice.
    named: [Option<Hosts>; MAX_CLASSES],
}

/// A place, as the builder knows it.
pub struct VoiceSpec {
    /// Its port; none for a station.
    pub port: PortId,
    /// Its line rate.
    pub line: Rate,
    /// Whether it has one queue for all classes.
    pub one_queue: bool,
    /// Bits of the neighbours that may be told.
    pub audience: u64,
    /// Hosts reached through it, where notices name addresses.
    pub behind: Option<Hosts>,
}

/// A frame that came, as far as notices depend on it.
#[derive(Copy, Clone, Debug)]
pub struct Arrival {
    /// When.
    pub now: Time,
    /// Class of the queue.
    pub class: usize,
    /// Number of the neighbour it came from, where a place listens.
    pub from: Option<usize>,
    /// Its egress port; none at a station.
    pub egress: PortId,
    /// Its destination.
    pub to: u32,
}

impl Arrival {
    /// No frame: a detector has looked by itself.
    pub fn none(now: Time, class: usize, egress: PortId) -> Arrival {
        Arrival {
            now,
            class,
            from: None,
            egress,
            to: 0,
        }
    }
}

/// A timer to start: (neighbour, serial, delay).
pub type Timer = (u8, u16, Span);

impl Voice {
    /// Classes whose frames a class queue holds: all, where the place has only one queue.
    fn holds(&self, class: usize) -> u8 {
        if self.one_queue { 0xff } else { 1 << class }
    }
}

impl Standing {
    /// A memory without places yet. `neighbours` are those that may be told, each with the unit of its carrier.
    pub fn new(
        terms: Terms,
        number: u32,
        respond: AnyResponder,
        neighbours: impl Iterator<Item = (Toward, Span)>,
    ) -> Standing {
        let neighbours = neighbours.map(|(to, unit)| {
            let timer = unit.times(u64::from(terms.quanta)).0;
            Neighbour {
                to,
                refresh: Span(libm::floor(timer as f64 * terms.refresh) as u64),
                closed: 0,
                epoch: 0,
                timing: false,
            }
        });
        Standing {
            neighbours: neighbours.collect(),
            terms,
            number,
            respond,
            voices: Vec::new(),
        }
    }

    /// Adds a place.
    pub fn add(&mut self, spec: VoiceSpec) {
        let heard = match self.terms.audience {
            Audience::Senders => vec![[None; MAX_CLASSES]; self.neighbours.len()],
            Audience::Feeders => Vec::new(),
        };
        self.voices.push(Voice {
            port: spec.port,
            line: spec.line,
            drain: [spec.line; MAX_CLASSES],
            one_queue: spec.one_queue,
            audience: spec.audience,
            told: [0; MAX_CLASSES],
            origin: [Id::NONE; MAX_CLASSES],
            heard,
            behind: spec.behind,
            named: std::array::from_fn(|_| None),
        });
    }

    /// Whether its notices move the class gates of a neighbour, which know no origin.
    pub fn moves_gates(&self) -> bool {
        !self.apart()
    }

    /// Whether it can speak for queues whose notices are to be like these.
    pub fn speaks_like(&self, terms: &Terms) -> bool {
        self.terms.alike(terms)
    }

    /// The number of a neighbour.
    pub fn neighbour(&self, to: Toward) -> Option<usize> {
        self.neighbours
            .iter()
            .position(|n| n.to == to || n.to == Toward::Everybody)
    }

    /// Whether it wants to know from which neighbour a frame came.
    pub fn listens(&self, place: usize) -> bool {
        !self.voices[place].heard.is_empty()
    }

    /// The neighbours that a place may tell.
    pub fn audience(&self, place: usize) -> impl Iterator<Item = Toward> {
        bits(self.voices[place].audience).map(|n| self.neighbours[n].to)
    }

    /// The places whose word a neighbour has.
    pub fn holding(&self, to: Toward) -> impl Iterator<Item = usize> + '_ {
        let n = self.neighbour(to);
        let has = move |v: &Voice| v.told.iter().any(|t| n.is_some_and(|n| t >> n & 1 == 1));
        let told = self.voices.iter().enumerate();
        told.filter(move |(_, v)| has(v)).map(|(place, _)| place)
    }

    /// Whether it asks for a rate, rather than to stop.
    pub fn rated(&self) -> bool {
        self.respond.ask(Rate(1), 1).is_some()
    }

    /// Whether each congested queue speaks for itself: its notice carries its origin.
    fn apart(&self) -> bool {
        self.terms.form == Form::Extension || self.rated()
    }

    /// Remembers who sent.
    pub fn hear(&mut self, place: usize, arrival: &Arrival) {
        let voice = &mut self.voices[place];
        if let (Some(from), false) = (arrival.from, voice.heard.is_empty()) {
            voice.heard[from][arrival.class] = Some(arrival.now);
        }
    }

    /// A class has become congested by this frame. `queued` are the hosts of the frames in its queue.
    pub fn begin(
        &mut self,
        place: usize,
        arrival: &Arrival,
        queued: impl FnOnce() -> Hosts,
        out: &mut VecDeque<Told>,
    ) {
        let class = arrival.class;
        let voice = &mut self.voices[place];
        voice.origin[class] = arrival.egress;
        voice.named[class] = match self.terms.addresses {
            None => None,
            Some(Addresses::FilteringTable) => voice.behind.clone(),
            Some(Addresses::Buffer) => Some(queued()),
        };
        let audience = self.senders(place, class, arrival.now);
        self.tell(place, class, audience, out);
    }

    /// While congested: tells a neighbour that has begun to send, and names a new address.
    pub fn keep_up(&mut self, place: usize, arrival: &Arrival, out: &mut VecDeque<Told>) {
        let class = arrival.class;
        let voice = &mut self.voices[place];
        if let (Some(Addresses::Buffer), Some(named)) = (self.terms.addresses, &voice.named[class])
            && !holds(named, arrival.to)
        {
            let mut more = named.to_vec();
            more[arrival.to as usize / 64] |= 1 << (arrival.to % 64);
            voice.named[class] = Some(more.into());
            let told = voice.told[class];
            self.remind(place, class, told, out);
        }
        let fresh = self.senders(place, class, arrival.now) & !self.voices[place].told[class];
        if fresh != 0 {
            self.tell(place, class, fresh, out);
        }
    }

    /// A class is no longer congested.
    pub fn end(&mut self, place: usize, class: usize, out: &mut VecDeque<Told>) {
        let told = std::mem::take(&mut self.voices[place].told[class]);
        for n in bits(told) {
            self.update(place, class, n, false, out);
        }
    }

    /// A neighbour's timer went off: says again what still holds.
    pub fn refresh(&mut self, neighbour: u8, epoch: u16, out: &mut VecDeque<Told>) {
        let n = usize::from(neighbour);
        if self.neighbours[n].epoch != epoch || !self.neighbours[n].timing {
            return;
        }
        self.neighbours[n].timing = false;
        if self.apart() {
            let told: Vec<(usize, usize)> = self.told_about(n).collect();
            for (place, class) in told {
                self.post_extension(place, class, n, true, out);
            }
        } else {
            let closed = self.neighbours[n].closed;
            self.post_classes(n, closed, true, out);
        }
    }

    /// Takes note of the rates that a place's own port is held to, so that rate control goes on up a
    /// chain, and corrects what it has asked for.
    pub fn held_to(
        &mut self,
        place: usize,
        gates: Option<&Gates>,
        now: Time,
        out: &mut VecDeque<Told>,
    ) {
        for class in 0..MAX_CLASSES {
            let v = &mut self.voices[place];
            let held = gates.and_then(|g| g.rate(v.holds(class), v.behind.as_deref(), now));
            let drain = held.map_or(v.line, |rate| rate.min(v.line));
            if std::mem::replace(&mut v.drain[class], drain) != drain {
                let told = v.told[class];
                self.remind(place, class, told, out);
            }
        }
    }

    /// The timer that a neighbour needs, if none runs.
    pub fn start_timer(&mut self, to: Toward) -> Option<Timer> {
        let n = self.neighbour(to).expect("a neighbour of the node");
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

    fn senders(&self, place: usize, class: usize, now: Time) -> u64 {
        let voice = &self.voices[place];
        if voice.heard.is_empty() {
            return voice.audience;
        }
        let window = self.terms.window;
        let lately = |n: usize| voice.heard[n][class].is_some_and(|at| now.since(at) <= window);
        bits(voice.audience)
            .filter(|n| lately(*n))
            .fold(0, |set, n| set | 1 << n)
    }

    fn tell(&mut self, place: usize, class: usize, audience: u64, out: &mut VecDeque<Told>) {
        let told = &mut self.voices[place].told[class];
        let before = *told & !audience;
        *told |= audience;
        for n in bits(audience) {
            self.update(place, class, n, true, out);
        }
        if self.rated() {
            self.remind(place, class, before, out);
        }
    }

    /// Says again what a queue asks of these neighbours, each of which has its word.
    fn remind(&mut self, place: usize, class: usize, told: u64, out: &mut VecDeque<Told>) {
        for n in bits(told) {
            self.post_extension(place, class, n, true, out);
        }
    }

    /// Brings neighbour `n` in line after a queue's word to it changed.
    fn update(
        &mut self,
        place: usize,
        class: usize,
        n: usize,
        congested: bool,
        out: &mut VecDeque<Told>,
    ) {
        if self.apart() {
            self.post_extension(place, class, n, congested, out);
            return;
        }
        let wanted = self
            .told_about(n)
            .fold(0u8, |mask, (p, c)| mask | self.classes(p, c));
        let closed = std::mem::replace(&mut self.neighbours[n].closed, wanted);
        self.post_classes(n, wanted & !closed, true, out);
        self.post_classes(n, closed & !wanted, false, out);
    }

    /// The queues whose word neighbour `n` has.
    fn told_about(&self, n: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let voices = self.voices.iter().enumerate();
        voices.flat_map(move |(p, voice)| {
            (0..MAX_CLASSES)
                .filter(move |c| voice.told[*c] >> n & 1 == 1)
                .map(move |c| (p, c))
        })
    }

    /// Classes that a notice about a queue names.
    fn classes(&self, place: usize, class: usize) -> u8 {
        if self.terms.per_class {
            self.voices[place].holds(class)
        } else {
            0xff
        }
    }

    /// A notice that closes or opens classes at neighbour `n`.
    fn post_classes(&mut self, n: usize, classes: u8, close: bool, out: &mut VecDeque<Told>) {
        if classes == 0 {
            return;
        }
        let speaks = |&(p, c): &(usize, usize)| classes & self.voices[p].holds(c) != 0;
        let origin = match self.told_about(n).find(speaks) {
            Some((p, c)) => self.voices[p].origin[c],
            None => Id::NONE,
        };
        let congested = self.told_about(n).filter(speaks);
        let notice = Notice {
            mechanism: self.number,
            form: self.terms.form,
            classes,
            ask: Ask::Stop(if close { self.terms.quanta } else { 0 }),
            hosts: None,
            origin,
            origin_classes: congested.fold(0, |mask, (p, c)| mask | self.voices[p].holds(c)),
            key: self.number << 16,
        };
        self.post(n, notice, out);
    }

    fn post_extension(
        &mut self,
        place: usize,
        class: usize,
        n: usize,
        close: bool,
        out: &mut VecDeque<Told>,
    ) {
        let quanta = if close { self.terms.quanta } else { 0 };
        let v = &self.voices[place];
        let feeders = v.told[class].count_ones().max(1);
        let notice = Notice {
            mechanism: self.number,
            form: Form::Extension,
            classes: self.classes(place, class),
            ask: match self.respond.ask(v.drain[class], feeders) {
                Some(rate) => Ask::Limit(rate, quanta),
                None => Ask::Stop(quanta),
            },
            hosts: v.named[class].clone(),
            origin: v.port,
            origin_classes: v.holds(class),
            key: self.number << 16 | (place as u32) << 4 | class as u32,
        };
        self.post(n, notice, out);
    }

    fn post(&self, n: usize, notice: Notice, out: &mut VecDeque<Told>) {
        let to = self.neighbours[n].to;
        out.push_back(Told { to, notice });
    }
}

fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let n = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(n)
    })
}
