//! A mechanism at one node: a detector for each watched place, and a notifier with its memory of who was told.
//! Several mechanisms that send PAUSE or PFC at one node share one, because those frames carry no origin.

mod expiry;
mod marks;
mod overheard;
mod passing;

use std::collections::VecDeque;

use backwater_transport::units::Time;

use super::carrier::{CarriedBy, Told, Toward};
use super::detector::Detector;
use super::gates::Gates;
use super::moment::{Moment, Seen, Signal};
use super::notice::{Ask, Hosts, Notice};
use super::notifier::Terms;
use super::notifier::adaptive::Adaptive;
use super::notifier::judgements::OwnSteps;
use super::notifier::request::Requests;
use super::notifier::standing::{Standing, Timer};
use super::notifier::voice::Arrival;
use super::place::{Place, Rhythm, Tally, View};
use super::watched::Observes;
use crate::ids::{NodeId, PortId, kind};
use crate::table::Row;

pub use super::watched::{HeldBack, Watched};

/// A mechanism at one node.
#[derive(Clone, Debug)]
pub struct Control {
    node: NodeId,
    number: u32,
    memory: Memory,
    /// Whether its notices name a rate. Read at every arrival.
    rated: bool,
    places: Vec<Watched>,
    outbox: VecDeque<Told>,
}

impl Row for Control {
    type Kind = kind::Control;
}

/// Who was told what.
#[derive(Clone, Debug)]
pub enum Memory {
    /// Notices that hold while congestion lasts.
    Standing(Box<Standing>),
    /// Requests for a step.
    Requests(Box<Requests>),
    /// Notices with a duration that adapts.
    Adaptive(Box<Adaptive>),
    /// Steps that the station tells itself.
    Own(Box<OwnSteps>),
    /// None: packets are marked.
    Marks,
}

impl Control {
    /// A mechanism at `node` without places yet.
    pub fn new(node: NodeId, number: u32, memory: Memory) -> Control {
        let rated = matches!(&memory, Memory::Standing(standing) if standing.rated());
        Control {
            node,
            number,
            memory,
            rated,
            places: Vec::new(),
            outbox: VecDeque::new(),
        }
    }

    /// Number of the mechanism it was made for.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Where it is.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Its standing notices, if it sends such.
    pub fn standing(&self) -> Option<&Standing> {
        match &self.memory {
            Memory::Standing(standing) => Some(standing),
            Memory::Requests(_) | Memory::Adaptive(_) | Memory::Own(_) | Memory::Marks => None,
        }
    }

    /// Who was told what.
    #[cfg(test)]
    pub fn memory_mut(&mut self) -> &mut Memory {
        &mut self.memory
    }

    /// Its standing notices, to change them.
    pub fn standing_mut(&mut self) -> Option<&mut Standing> {
        match &mut self.memory {
            Memory::Standing(standing) => Some(standing),
            Memory::Requests(_) | Memory::Adaptive(_) | Memory::Own(_) | Memory::Marks => None,
        }
    }

    /// Whether it can speak for queues whose notices are to be on these terms.
    pub fn speaks_like(&self, terms: Option<&Terms>) -> bool {
        match (self.standing(), terms) {
            (Some(standing), Some(terms)) => standing.speaks_like(terms),
            (None, Some(terms)) => self.only_marks() && terms.carrier == CarriedBy::Mark,
            (None, None) => true,
            (Some(_), None) => false,
        }
    }

    /// Watches a place; gives its number.
    pub fn watch(&mut self, watched: Watched) -> usize {
        self.places.push(watched);
        self.places.len() - 1
    }

    /// A watched place.
    pub fn place(&self, place: usize) -> Place {
        self.places[place].place
    }

    /// Its places, by number.
    pub fn places(&self) -> impl Iterator<Item = (usize, Place)> {
        self.places.iter().map(|watched| watched.place).enumerate()
    }

    /// The station that it watches, if it does.
    pub fn station(&self) -> Option<u32> {
        match self.places.first()?.place {
            Place::Station(station) => Some(station),
            Place::Egress(_) | Place::Ingress(_) => None,
        }
    }

    /// When the timer of a place comes.
    pub fn rhythm(&self, place: usize) -> Option<Rhythm> {
        self.places[place].tally.as_ref().map(|t| t.rhythm)
    }

    /// Whether something may follow from a departure of this class, beside what rates count.
    #[inline]
    pub fn observes_departure(&self, place: usize, class: usize) -> bool {
        let watched = &self.places[place];
        match watched.observes {
            Observes::None => false,
            Observes::Changes => watched.is_congested(class),
            Observes::All => true,
        }
    }

    /// Whether something may follow from an arrival, beside what rates count.
    #[inline]
    pub fn observes_arrivals(&self, place: usize) -> bool {
        self.places[place].observes != Observes::None
            || matches!(self.memory, Memory::Standing(_) | Memory::Marks)
    }

    /// Whether any class is congested, so that departures matter.
    #[inline]
    pub fn alarmed(&self, place: usize) -> bool {
        self.places[place].congested != 0
    }

    /// Whether it was congested at the last call of this, which remembers whether it is.
    pub fn note_alarm(&mut self, place: usize) -> bool {
        let place = &mut self.places[place];
        std::mem::replace(&mut place.noted, place.congested != 0)
    }

    /// Whether an arrival that leaves this level would begin congestion.
    pub fn would_alarm(&mut self, place: usize, seen: &Seen, view: &View) -> bool {
        let place = &mut self.places[place];
        let mut signal = || place.detector.observe(&Moment::Enqueued(seen), view);
        place.congested >> view.class & 1 == 0 && signal().is_some_and(Signal::congested)
    }

    /// The places whose word a neighbour has, and the hosts that the word names.
    pub fn holding(&self, to: Toward) -> impl Iterator<Item = (Place, Option<&Hosts>)> + '_ {
        let standing = self.standing().into_iter();
        standing.flat_map(move |s| {
            s.holding(to)
                .map(|(place, hosts)| (self.places[place].place, hosts))
        })
    }

    /// Whether it needs the neighbour from which a frame came.
    pub fn listens(&self, place: usize) -> bool {
        self.standing().is_some_and(|s| s.listens(place))
    }

    /// The neighbours that a place may tell, where it sends standing notices.
    pub fn audience(&self, place: usize) -> impl Iterator<Item = Toward> {
        let standing = self.standing().into_iter();
        standing.flat_map(move |s| s.audience(place))
    }

    /// Whether it asks for a rate that follows from its queue's, rather than to stop.
    pub fn rated(&self) -> bool {
        self.rated
    }

    /// What counts a place's rates, where a part needs them.
    #[inline]
    pub fn tally(&mut self, place: usize) -> Option<&mut Tally> {
        self.places[place].tally.as_deref_mut()
    }

    /// A frame was queued: lets the detector observe. `queued` are the hosts of the frames in the congested queue.
    /// True when congestion began or something is to be said.
    pub fn enqueued(
        &mut self,
        place: usize,
        mut view: View,
        seen: &Seen,
        arrival: &Arrival,
        queued: impl FnOnce() -> Hosts,
    ) -> bool {
        let watched = &mut self.places[place];
        let was = watched.is_congested(arrival.class);
        let signal = match watched.observes {
            Observes::Changes if was => None,
            Observes::None => None,
            Observes::Changes | Observes::All => {
                watched.observe(&Moment::Enqueued(seen), &mut view)
            }
        };
        self.note_arrival(place, arrival, was);
        if self.steps_by_itself(view.class, signal) {
            return !self.outbox.is_empty();
        }
        match signal {
            Some(Signal::EarlyWarning) => self.warn_early(place, &view),
            Some(signal) if signal.congested() && !was => {
                self.begin_at(place, arrival, queued);
                true
            }
            _ => !self.outbox.is_empty(),
        }
    }

    /// A frame found no room in its queue. True when something is to be said.
    pub fn refused(
        &mut self,
        place: usize,
        mut view: View,
        seen: &Seen,
        arrival: &Arrival,
    ) -> bool {
        let watched = &mut self.places[place];
        let was = watched.is_congested(arrival.class);
        if watched.observes == Observes::All {
            watched.observe(&Moment::Refused(seen), &mut view);
        }
        self.note_arrival(place, arrival, was);
        !self.outbox.is_empty()
    }

    #[inline]
    fn note_arrival(&mut self, place: usize, arrival: &Arrival, congested: bool) {
        if let Memory::Standing(standing) = &mut self.memory {
            standing.note_sender(place, arrival);
            if congested {
                standing.keep_up(place, arrival, &mut self.outbox);
            }
        }
    }

    /// A frame has left, or was lost. True when congestion is over.
    pub fn released(&mut self, place: usize, mut view: View, moment: &Moment) -> bool {
        let watched = &mut self.places[place];
        let class = view.class;
        let signal = watched.observe(moment, &mut view);
        let was = watched.is_congested(class);
        if self.steps_by_itself(class, signal) {
            return false;
        }
        let over = signal.is_some_and(Signal::over);
        if over {
            self.end(place, class, view.now);
        }
        over && was
    }

    /// Whether a departure that leaves this level could end congestion.
    pub fn may_relieve(&self, place: usize, view: &View) -> bool {
        let watched = &self.places[place];
        watched.is_congested(view.class) && watched.detector.may_relieve(view)
    }

    /// A place's timer has come. `views` are its classes as they stand; `busy` the ticks for which its medium has been
    /// busy so far, where others send on it as well; `port` that of the place. True when congestion began or ended or
    /// something is to be said.
    pub fn sample(
        &mut self,
        place: usize,
        views: &[View],
        busy: Option<u64>,
        port: PortId,
        queued: impl Fn(usize) -> Hosts,
    ) -> bool {
        let watched = &mut self.places[place];
        let now = views[0].now;
        let tally = watched.tally.as_mut().expect("a place with a rhythm");
        let sums = tally.close(now, busy.unwrap_or(0));
        let before = watched.congested;
        for view in views {
            let (class, rates) = (view.class, sums.rates(view.class, busy.is_some()));
            let mut view = View {
                rates: Some(&rates),
                ..*view
            };
            let watched = &mut self.places[place];
            let was = watched.is_congested(class);
            let signal = watched.observe(&Moment::Timer, &mut view);
            match signal {
                Some(signal) if signal.congested() && !was => {
                    let arrival = Arrival::none(now, class, port);
                    self.begin(place, &arrival, || queued(class));
                }
                Some(signal) if signal.over() && was => self.end(place, class, now),
                _ => {}
            }
        }
        if let Memory::Requests(requests) = &mut self.memory {
            let signals = &self.places[place].signals;
            requests.ask(now, signals, &sums, &mut self.outbox);
        }
        before != self.places[place].congested || !self.outbox.is_empty()
    }

    /// Takes note of the rates that a place's own port is held to. True when something is to be said.
    pub fn held_to(&mut self, place: usize, gates: Option<&Gates>, now: Time) -> bool {
        if let Memory::Standing(standing) = &mut self.memory {
            standing.held_to(place, gates, now, &mut self.outbox);
        }
        !self.outbox.is_empty()
    }

    /// A station has acknowledged a notice.
    pub fn acknowledged(&mut self, to: u32, notice: &Notice, now: Time) {
        if let (Memory::Requests(requests), Ask::Step(step)) = (&mut self.memory, notice.ask) {
            requests.acknowledged(to, notice.class() as u8, step.less, now);
        }
    }

    /// What is to be sent now, in order.
    pub fn next_told(&mut self) -> Option<Told> {
        self.outbox.pop_front()
    }

    /// The timer that a neighbour needs, if none runs.
    pub fn start_timer(&mut self, to: Toward) -> Option<Timer> {
        match &mut self.memory {
            Memory::Standing(standing) => standing.start_timer(to),
            Memory::Adaptive(adaptive) => adaptive.start_timer(),
            Memory::Requests(_) | Memory::Own(_) | Memory::Marks => None,
        }
    }

    /// Congestion began with an arrival: whoever asks by rates asks at once.
    #[inline(never)]
    fn begin_at(&mut self, place: usize, arrival: &Arrival, queued: impl FnOnce() -> Hosts) {
        self.begin(place, arrival, queued);
        let watched = &mut self.places[place];
        if let (Memory::Requests(requests), Some(tally)) = (&mut self.memory, &watched.tally) {
            let sums = tally.so_far(arrival.now);
            requests.ask(arrival.now, &watched.signals, &sums, &mut self.outbox);
        }
    }

    fn begin(&mut self, place: usize, arrival: &Arrival, queued: impl FnOnce() -> Hosts) {
        self.places[place].congested |= 1 << arrival.class;
        let out = &mut self.outbox;
        match &mut self.memory {
            Memory::Standing(standing) => standing.begin(place, arrival, queued, out),
            Memory::Adaptive(adaptive) => adaptive.begin(arrival.class, arrival.now, out),
            Memory::Requests(_) | Memory::Own(_) | Memory::Marks => {}
        }
    }

    fn end(&mut self, place: usize, class: usize, now: Time) {
        self.places[place].congested &= !(1 << class);
        let out = &mut self.outbox;
        match &mut self.memory {
            Memory::Standing(standing) => standing.end(place, class, out),
            Memory::Adaptive(adaptive) => adaptive.clear(class, now, out),
            Memory::Requests(_) | Memory::Own(_) | Memory::Marks => {}
        }
    }
}
