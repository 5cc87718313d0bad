//! A mechanism at one node: a detector for each watched place, and a notifier, which remembers who was told.
//! Several mechanisms that send PAUSE or PFC at one node share one, because those frames carry no origin.

mod expiry;
mod marks;
mod overheard;
mod passing;
mod walk;

use std::collections::VecDeque;

use backwater_transport::units::{Span, Time};

use super::carrier::{CarriedBy, Told, Toward};
use super::detector::Detector;
use super::gates::Gates;
use super::moment::{Moment, Seen, Signal};
use super::notice::{Hosts, Notice};
use super::notifier::row::{AtNode, Cue, Cues, Facts, Timer, Waiting};
use super::notifier::voice::{Arrival, VoiceSpec};
use super::place::{Place, Rhythm, Sums, Tally, View};
use super::watched::Observes;
use crate::ids::{NodeId, PortId, kind};
use crate::knob::Knob;
use crate::table::Row;

pub use super::watched::{HeldBack, Watched};

/// A mechanism at one node.
#[derive(Clone, Debug)]
pub struct Control {
    node: NodeId,
    number: u32,
    notifier: Box<dyn AtNode>,
    /// The facts that the notifier gave about itself. Read at every arrival.
    facts: Facts,
    /// Neighbours that are told, by number.
    neighbours: Vec<Toward>,
    places: Vec<Watched>,
    outbox: VecDeque<Told>,
}

impl Row for Control {
    type Kind = kind::Control;
}

impl Control {
    /// A mechanism at `node` without places yet.
    pub fn new(
        node: NodeId,
        number: u32,
        notifier: Box<dyn AtNode>,
        neighbours: &[(Toward, Span)],
    ) -> Control {
        Control {
            node,
            number,
            facts: notifier.facts(),
            notifier,
            neighbours: neighbours.iter().map(|(to, _)| *to).collect(),
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

    /// The carrier of its notices.
    pub fn carried_by(&self) -> CarriedBy {
        self.facts.carrier
    }

    /// Its notifier as this type; none where it has another.
    #[cfg(test)]
    pub fn notifier_mut<T: 'static>(&mut self) -> Option<&mut T> {
        let any: &mut dyn std::any::Any = &mut *self.notifier;
        any.downcast_mut()
    }

    /// The number of a neighbour from which a frame came, where the notifier must know it.
    pub fn neighbour(&self, from: Toward) -> Option<usize> {
        let known = |to: &Toward| *to == from || *to == Toward::Everybody;
        let hears = self.facts.hears.has(Cues::SENDERS);
        hears.then(|| self.neighbours.iter().position(known))?
    }

    /// Lets the notifier know a place that is watched, and whom it may tell.
    pub fn add_voice(&mut self, place: usize, voice: &VoiceSpec) {
        self.places[place].audience = voice.audience;
        self.tell(&Cue::Placed(voice));
    }

    /// Tells the notifier.
    fn tell(&mut self, cue: &Cue) {
        self.notifier.on(cue, &mut self.outbox);
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

    /// The value of a place's detector that may be moved while a world runs.
    pub fn knob(&mut self, place: usize) -> Option<Knob<'_>> {
        self.places[place].detector.knob()
    }

    /// Its places, by number.
    pub fn places(&self) -> impl Iterator<Item = (usize, Place)> {
        self.places.iter().map(|watched| watched.place).enumerate()
    }

    /// The station that it watches, if it does.
    pub fn station(&self) -> Option<u32> {
        match self.places.first()?.place {
            Place::Attachment(station) => Some(station),
            Place::Egress(_) | Place::Ingress(_) => None,
        }
    }

    /// When the timer of a place comes.
    pub fn rhythm(&self, place: usize) -> Option<Rhythm> {
        self.places[place].tally.as_ref().map(|t| t.rhythm)
    }

    /// Whether the detector of a place looks at how long frames have waited.
    #[inline]
    pub fn times(&self, place: usize) -> bool {
        self.places[place].times
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
        self.places[place].observes != Observes::None || self.facts.needs_arrivals()
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

    /// Whether an arrival that leaves this level might begin congestion. A detector that remembers what it has seen is not asked: it
    /// observes each arrival once.
    pub fn would_alarm(&mut self, place: usize, seen: &Seen, view: &View) -> bool {
        let place = &mut self.places[place];
        if place.detector.remembers() {
            return true;
        }
        let may_begin = !place.is_congested(view.class);
        let mut signal = || place.detector.observe(&Moment::Enqueued(seen), view);
        may_begin && signal().is_some_and(Signal::congested)
    }

    /// The places whose word a neighbour has, and the hosts that the word names.
    pub fn holding(&self, to: Toward, now: Time) -> impl Iterator<Item = (Place, Option<&Hosts>)> {
        let holding = self.notifier.holding(to, now).into_iter();
        holding.map(|(place, hosts)| (self.places[place].place, hosts))
    }

    /// The neighbours that a place may tell of congestion that stands.
    pub fn audience(&self, place: usize) -> impl Iterator<Item = Toward> {
        let (set, all) = (self.places[place].audience, self.neighbours.iter());
        let told = all.enumerate().filter(move |(n, _)| set >> n & 1 == 1);
        told.map(|(_, to)| *to)
    }

    /// Whether it asks for a rate that follows from its queue's, rather than to stop.
    pub fn rated(&self) -> bool {
        self.facts.rated
    }

    /// The counter of a place's rates, where a part needs them.
    #[inline]
    pub fn tally(&mut self, place: usize) -> Option<&mut Tally> {
        self.places[place].tally.as_deref_mut()
    }

    /// A frame was queued: lets the detector observe. True when congestion began or something is to be said.
    pub fn enqueued(
        &mut self,
        place: usize,
        mut view: View,
        seen: &Seen,
        arrival: &Arrival,
        waiting: &Waiting,
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
            Some(Signal::EarlyWarning) => self.warn_early(place, &view, waiting),
            Some(signal) if signal.congested() && !was => {
                self.begin_at(place, arrival, waiting);
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
        let hears = self.facts.hears;
        if hears.has(Cues::SENDERS) || congested && hears.has(Cues::ARRIVALS) {
            self.tell(&Cue::Arrived {
                place,
                arrival,
                congested,
            });
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
                    self.begin(place, &arrival, &Waiting::for_hosts(&|| queued(class)));
                }
                Some(signal) if signal.over() && was => self.end(place, class, now),
                _ => {}
            }
        }
        if self.facts.hears.has(Cues::SUMS) {
            self.show_sums(place, now, &sums);
        }
        before != self.places[place].congested || !self.outbox.is_empty()
    }

    /// Takes note of the rates that a place's own port is held to. True when something is to be said.
    pub fn held_to(&mut self, place: usize, gates: Option<&Gates>, now: Time) -> bool {
        self.tell(&Cue::HeldTo { place, gates, now });
        !self.outbox.is_empty()
    }

    /// A station has acknowledged a notice.
    pub fn acknowledged(&mut self, to: u32, notice: &Notice, now: Time) {
        self.tell(&Cue::Acknowledged { to, notice, now });
    }

    /// The notices to send now, in order.
    pub fn next_told(&mut self) -> Option<Told> {
        self.outbox.pop_front()
    }

    /// The link to a neighbour was down and is back: what holds still is said again.
    pub fn link_is_back(&mut self, to: Toward) {
        self.tell(&Cue::LinkIsBack { to });
    }

    /// The timer that a neighbour needs, if none runs.
    pub fn start_timer(&mut self, to: Toward) -> Option<Timer> {
        self.notifier.start_timer(to)
    }

    /// Congestion began with an arrival: whoever asks by rates asks at once.
    #[inline(never)]
    fn begin_at(&mut self, place: usize, arrival: &Arrival, waiting: &Waiting) {
        self.begin(place, arrival, waiting);
        let tally = self.places[place].tally.as_ref();
        if let (true, Some(tally)) = (self.facts.hears.has(Cues::SUMS), tally) {
            let sums = tally.so_far(arrival.now);
            self.show_sums(place, arrival.now, &sums);
        }
    }

    fn show_sums(&mut self, place: usize, now: Time, sums: &Sums) {
        let signals = &self.places[place].signals;
        let cue = Cue::Sampled { now, signals, sums };
        self.notifier.on(&cue, &mut self.outbox);
    }

    fn begin(&mut self, place: usize, arrival: &Arrival, waiting: &Waiting) {
        self.places[place].congested |= 1 << arrival.class;
        self.tell(&Cue::Began {
            place,
            arrival,
            waiting,
        });
    }

    fn end(&mut self, place: usize, class: usize, now: Time) {
        self.places[place].congested &= !(1 << class);
        self.tell(&Cue::Ended { place, class, now });
    }
}
