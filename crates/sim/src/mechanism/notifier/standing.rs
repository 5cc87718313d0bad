//! Standing notices: sent when congestion begins, again before their timer runs out, and taken back when congestion is
//! over. PAUSE and PFC carry no origin, so a neighbour's state is the OR over the node's congested queues; extension
//! frames, which name addresses or a rate, speak for one queue each.

use std::collections::VecDeque;

use backwater_transport::units::{Rate, Span, Time};

use super::marks::Marks;
use super::row::{AtNode, Cue, Cues, Facts, Notifier, Notify, Site, Timer, Waiting};
use super::terms::{Addresses, Audience, NEEDS, NEEDS_OF_ADDRESSES, Terms};
use super::voice::{Arrival, Neighbour, Voice, VoiceSpec};
use crate::limit::MAX_CLASSES;
use crate::mechanism::carrier::{CarriedBy, Told, Toward};
use crate::mechanism::gates::Gates;
use crate::mechanism::needs::Needs;
use crate::mechanism::notice::{Ask, Form, Hosts, Notice, first_key, holds};
use crate::mechanism::responder::{AnyResponder, Responder};
use crate::table::Id;

/// Neighbours a node with standing notices can have: a told set is one word.
pub const MAX_NEIGHBOURS: usize = 64;

/// Whom a node has told what.
#[derive(Clone, Debug)]
pub struct Standing {
    pub(super) terms: Terms,
    /// Whose responder answers; distinguishes its notices from those of other mechanisms.
    pub(super) number: u32,
    /// The responder of those who are told.
    pub(super) respond: AnyResponder,
    pub(super) neighbours: Vec<Neighbour>,
    pub(super) voices: Vec<Voice>,
}

impl Notify for Terms {
    fn needs(&self) -> Needs {
        match self.addresses {
            None => NEEDS,
            Some(_) => NEEDS_OF_ADDRESSES,
        }
    }

    fn standing(&self) -> Option<&Terms> {
        Some(self)
    }

    fn at(&self, site: &Site) -> Box<dyn AtNode> {
        match self.carrier {
            CarriedBy::Mark => Box::new(Marks),
            CarriedBy::Frame | CarriedBy::Header => Box::new(Standing::at(self.clone(), site)),
        }
    }
}

impl Notifier for Standing {
    fn facts(&self) -> Facts {
        let hears = match self.terms.audience {
            Audience::Feeders => Cues::ARRIVALS,
            Audience::Senders => Cues::ARRIVALS.and(Cues::SENDERS),
        };
        Facts {
            carrier: self.terms.carrier,
            rated: self.rated(),
            ..Facts::hearing(hears)
        }
    }

    fn on(&mut self, cue: &Cue, out: &mut VecDeque<Told>) {
        match *cue {
            Cue::Placed(spec) => self.add(spec),
            Cue::Arrived {
                place,
                arrival,
                congested,
            } => {
                self.note_sender(place, arrival);
                if congested {
                    self.keep_up(place, arrival, out);
                }
            }
            Cue::Began {
                place,
                arrival,
                waiting,
            } => self.begin(place, arrival, waiting, out),
            Cue::Ended { place, class, .. } => self.end(place, class, out),
            Cue::HeldTo { place, gates, now } => self.held_to(place, gates, now, out),
            Cue::Due { timer, epoch } => self.refresh(timer, epoch, out),
            Cue::LinkIsBack { to } => {
                if let Some(n) = self.neighbour(to) {
                    self.say_again(n, out);
                }
            }
            _ => {}
        }
    }

    fn start_timer(&mut self, to: Toward) -> Option<Timer> {
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

    fn holding(&self, to: Toward, _: Time) -> Vec<(usize, Option<&Hosts>)> {
        let told = self.neighbour(to).into_iter();
        told.flat_map(|n| self.told_about(n))
            .map(|(place, class)| (place, self.voices[place].named[class].as_ref()))
            .collect()
    }
}

impl Standing {
    /// A notifier without places yet.
    pub fn at(terms: Terms, site: &Site) -> Standing {
        let neighbours = site.neighbours.iter().map(|(to, unit)| {
            let timer = unit.times(u64::from(terms.quanta)).0;
            Neighbour {
                to: *to,
                refresh: Span(libm::floor(timer as f64 * terms.refresh) as u64),
                closed: 0,
                epoch: 0,
                timing: false,
            }
        });
        Standing {
            neighbours: neighbours.collect(),
            terms,
            number: site.number,
            respond: site.respond.clone(),
            voices: Vec::new(),
        }
    }

    /// Adds a place.
    fn add(&mut self, spec: &VoiceSpec) {
        let voice = Voice::new(spec, self.terms.audience, self.neighbours.len());
        self.voices.push(voice);
    }

    /// The number of a neighbour.
    fn neighbour(&self, to: Toward) -> Option<usize> {
        self.neighbours
            .iter()
            .position(|n| n.to == to || n.to == Toward::Everybody)
    }

    /// Whether it asks for a rate, rather than to stop.
    fn rated(&self) -> bool {
        self.respond.ask(Rate(1), 1).is_some()
    }

    /// Whether each congested queue speaks for itself: its notice carries its origin.
    fn apart(&self) -> bool {
        self.terms.form == Form::Extension || self.rated()
    }

    /// Remembers who sent.
    fn note_sender(&mut self, place: usize, arrival: &Arrival) {
        let voice = &mut self.voices[place];
        if let (Some(from), false) = (arrival.from, voice.heard.is_empty()) {
            voice.heard[from][arrival.class] = Some(arrival.now);
        }
    }

    /// A class has become congested by this frame. `waiting` knows the hosts of the frames in its queue.
    fn begin(
        &mut self,
        place: usize,
        arrival: &Arrival,
        waiting: &Waiting,
        out: &mut VecDeque<Told>,
    ) {
        let class = arrival.class;
        let voice = &mut self.voices[place];
        voice.origin[class] = arrival.egress;
        voice.named[class] = match self.terms.addresses {
            None => None,
            Some(Addresses::FilteringTable) => voice.behind.clone(),
            Some(Addresses::Buffer) => Some((waiting.hosts)()),
        };
        let audience = self.senders(place, class, arrival.now);
        self.tell(place, class, audience, out);
    }

    /// While congested: tells a neighbour that has begun to send, and names a new address.
    fn keep_up(&mut self, place: usize, arrival: &Arrival, out: &mut VecDeque<Told>) {
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
    fn end(&mut self, place: usize, class: usize, out: &mut VecDeque<Told>) {
        let told = std::mem::take(&mut self.voices[place].told[class]);
        for n in bits(told) {
            self.update(place, class, n, false, out);
        }
    }

    /// A neighbour's timer went off: says again what still holds.
    fn refresh(&mut self, neighbour: u8, epoch: u16, out: &mut VecDeque<Told>) {
        let n = usize::from(neighbour);
        if self.neighbours[n].epoch != epoch || !self.neighbours[n].timing {
            return;
        }
        self.neighbours[n].timing = false;
        self.say_again(n, out);
    }

    /// Says again what still holds for a neighbour.
    fn say_again(&mut self, n: usize, out: &mut VecDeque<Told>) {
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
    fn held_to(
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
            key: first_key(self.number),
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
            key: first_key(self.number) | (place as u64) << 4 | class as u64,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::RESPONDERS;
    use crate::mechanism::notifier::Cast;
    use backwater_transport::part::Args;

    /// A queue holds packets for host 3. Packets for hosts 64 and 127 find no room in it: each is named from then on.
    #[test]
    fn a_notice_of_what_waits_names_each_new_host() {
        let terms = Terms {
            form: Form::Extension,
            audience: Audience::Feeders,
            window: Span::ZERO,
            quanta: 9,
            refresh: 0.5,
            per_class: false,
            addresses: Some(Addresses::Buffer),
            cast: Cast::Each,
            carrier: CarriedBy::Frame,
        };
        let gate = RESPONDERS.iter().find(|row| row.id == "gate");
        let gate = (gate.expect("a row").build)(&Args(Vec::new())).expect("legal options");
        let site = Site {
            number: 0,
            respond: &gate,
            neighbours: vec![(Toward::Station(1), Span::micros(1))],
            peers: &[],
            categories: &[],
            one_queue: true,
            hosts: 128,
            rhythm: None,
        };
        let mut standing = Standing::at(terms, &site);
        standing.add(&VoiceSpec {
            port: Id::NONE,
            line: Rate(1_000_000),
            one_queue: true,
            audience: 1,
            behind: None,
        });
        let arrival = |to| Arrival {
            to,
            ..Arrival::none(Time::ZERO, 0, Id::NONE)
        };
        let mut out = VecDeque::new();
        let hosts = || [1 << 3, 0].into();
        standing.begin(0, &arrival(3), &Waiting::for_hosts(&hosts), &mut out);
        for to in [64, 3, 127] {
            standing.keep_up(0, &arrival(to), &mut out);
        }
        let named: Vec<_> = out.iter().map(|told| told.notice.host_numbers()).collect();
        assert_eq!(named, [vec![3], vec![3, 64], vec![3, 64, 127]]);
    }
}
