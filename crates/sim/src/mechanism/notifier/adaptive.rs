//! Notices that say how long congestion is expected to last, by a duration that adapts: what was too short for the buffer
//! to empty grows, what outlasted congestion shrinks. They end by themselves; a buffer that is clear before ends them.

use std::collections::{BTreeMap, VecDeque};

use backwater_transport::units::{Span, Time};

use super::adaptive_terms::{AdaptiveTerms, NEEDS};
use super::row::{AtNode, Cue, Cues, Facts, Notifier, Notify, Owner, Reach, Site, Timer, Waiting};
use super::terms::Cast;
use crate::mechanism::carrier::{Told, Toward};
use crate::mechanism::needs::Needs;
use crate::mechanism::notice::{Ask, Durations, Form, Hosts, Notice, first_key};
use crate::mechanism::place::View;
use crate::table::Id;

/// Access categories.
const CATEGORIES: usize = 4;

/// Whom a station has told what.
#[derive(Clone, Debug)]
pub struct Adaptive {
    terms: AdaptiveTerms,
    number: u32,
    /// The station has one queue for all categories.
    one_queue: bool,
    /// Stations that may be told, ascending.
    peers: Vec<u32>,
    categories: [Expected; CATEGORIES],
    /// When notices about single destinations expire, by category, neighbour and host.
    of_host: BTreeMap<(usize, u32, u32), Time>,
    /// Hosts in the network, where notices name them.
    hosts: usize,
    timers: VecDeque<Timer>,
}

impl Notify for AdaptiveTerms {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn reach(&self) -> Reach {
        self.reach
    }

    fn at(&self, site: &Site) -> Box<dyn AtNode> {
        let peers = site.peers.to_vec();
        let (terms, one_queue) = (self.clone(), site.one_queue);
        Box::new(Adaptive::new(
            terms,
            site.number,
            one_queue,
            peers,
            site.hosts,
        ))
    }
}

impl Notifier for Adaptive {
    fn facts(&self) -> Facts {
        Facts {
            lets_expire: !self.terms.renew_when_stopped,
            ..Facts::hearing(Cues::NONE)
        }
    }

    fn on(&mut self, cue: &Cue, out: &mut VecDeque<Told>) {
        match *cue {
            Cue::Began { arrival, .. } => self.begin(arrival.class, arrival.now, out),
            Cue::Ended { class, now, .. } => self.clear(class, now, out),
            Cue::Early { view, waiting } => self.warn(view, waiting, view.now, out),
            Cue::Lasts { view, waiting } => self.renew(view, waiting, out),
            _ => {}
        }
    }

    fn start_timer(&mut self, _: Toward) -> Option<Timer> {
        self.timers.pop_front()
    }

    fn expires(&self, class: u8, epoch: u16, now: Time) -> Option<usize> {
        let expected = &self.categories[usize::from(class)];
        (expected.epoch == epoch && expected.last >= now).then_some(class.into())
    }

    /// A notice that has been renewed, and will be while congestion lasts, holds a station.
    fn holding(&self, to: Toward, now: Time) -> Vec<(usize, Option<&Hosts>)> {
        let Toward::Station(station) = to else {
            return Vec::new();
        };
        let Ok(peer) = self.peers.binary_search(&station) else {
            return Vec::new();
        };
        let holds = |e: &Expected| e.renewed && e.of_peer[peer] > now;
        match self.terms.renew_when_stopped && self.categories.iter().any(holds) {
            true => vec![(0, None)],
            false => Vec::new(),
        }
    }
}

/// The notice of a category.
#[derive(Clone, Debug)]
struct Expected {
    duration: Span,
    /// When the notice to all expires.
    until: Time,
    /// When notices to single neighbours expire, by their place in `peers`.
    of_peer: Vec<Time>,
    /// When the notice that was sent last expires, to all or to some.
    last: Time,
    /// Serial of its timer.
    epoch: u16,
    /// The last notice followed another before that ended.
    renewed: bool,
    /// The last notice has been found too long already, or there was none.
    judged: bool,
    /// Something was said.
    spoken: bool,
}

impl Adaptive {
    /// A memory in which nobody was told anything.
    pub fn new(
        terms: AdaptiveTerms,
        number: u32,
        one_queue: bool,
        peers: Vec<u32>,
        hosts: usize,
    ) -> Adaptive {
        let expected = Expected {
            duration: terms.initial,
            until: Time::ZERO,
            of_peer: vec![Time::ZERO; peers.len()],
            last: Time::ZERO,
            epoch: 0,
            renewed: false,
            judged: true,
            spoken: false,
        };
        Adaptive {
            number,
            one_queue,
            categories: std::array::from_fn(|_| expected.clone()),
            peers,
            of_host: BTreeMap::new(),
            hosts,
            timers: VecDeque::new(),
            terms,
        }
    }

    /// A category has become congested: tells all neighbours.
    fn begin(&mut self, class: usize, now: Time, out: &mut VecDeque<Told>) {
        if self.peers.is_empty() {
            return;
        }
        self.spoke(class, now);
        let expected = &mut self.categories[class];
        expected.until = expected.last;
        expected.of_peer.fill(expected.until);
        self.tell_all(class, now, out);
    }

    /// A notice is sent now, to all or to some: shortly before it expires the buffer is looked at.
    fn spoke(&mut self, class: usize, now: Time) {
        let expected = &mut self.categories[class];
        expected.last = now + expected.duration;
        expected.judged = false;
        expected.renewed = false;
        expected.spoken = true;
        expected.epoch = expected.epoch.wrapping_add(1);
        let lead = self.terms.lead.min(Span(expected.duration.0 / 2));
        let look = Span(expected.duration.0 - lead.0);
        self.timers.push_back((class as u8, expected.epoch, look));
    }

    /// So much is held for others that those who own much of it are told, but for those whom a warning holds beyond `until`.
    fn warn(&mut self, view: &View, waiting: &Waiting, until: Time, out: &mut VecDeque<Told>) {
        if self.terms.by_destination {
            self.warn_owners(view, &(waiting.owners)(), until, out);
            return;
        }
        let Some(holdings) = view.holdings else {
            return;
        };
        let (class, now) = (view.class, view.now);
        let all = holdings.own(class) + holdings.forwarded(class);
        let scale = match self.terms.owner_of_buffer {
            true => view.filled() / all as f64,
            false => 1.0 / all as f64,
        };
        let mut told = Vec::new();
        for (station, bytes) in holdings.by_previous(class) {
            let Ok(peer) = self.peers.binary_search(&station) else {
                continue;
            };
            let expected = &mut self.categories[class];
            if bytes as f64 * scale > self.terms.owner && expected.of_peer[peer] <= until {
                expected.of_peer[peer] = now + expected.duration;
                told.push(Toward::Station(station));
            }
        }
        if !told.is_empty() {
            self.spoke(class, now);
        }
        out.extend(told.iter().map(|to| self.notice(*to, class, now)));
    }

    /// Tells neighbours to hold back packets for a destination whose packets from them are much of the buffer, but for
    /// those whom a warning holds beyond an instant.
    fn warn_owners(
        &mut self,
        view: &View,
        owners: &[Owner],
        beyond: Time,
        out: &mut VecDeque<Told>,
    ) {
        let (class, now) = (view.class, view.now);
        let all = owners.iter().map(|o| o.bytes).sum::<u64>() as f64;
        let scale = match self.terms.owner_of_buffer {
            true => view.filled() / all,
            false => 1.0 / all,
        };
        let mut spoke = false;
        for owner in owners {
            let stopped = self.of_host.get(&(class, owner.station, owner.host));
            let told = stopped.is_some_and(|until| *until > beyond)
                || self.peers.binary_search(&owner.station).is_err();
            if told || owner.bytes as f64 * scale <= self.terms.owner {
                continue;
            }
            let until = now + self.categories[class].duration;
            self.of_host
                .insert((class, owner.station, owner.host), until);
            out.push_back(self.about_host(class, owner.station, owner.host, until, now));
            spoke = true;
        }
        if spoke {
            self.spoke(class, now);
        }
    }

    /// A notice about one destination.
    fn about_host(&self, class: usize, to: u32, host: u32, until: Time, now: Time) -> Told {
        let mut told = self.notice(Toward::Station(to), class, now);
        let left = until.0.saturating_sub(now.0).div_ceil(self.terms.unit.0);
        let left = u16::try_from(left).expect("bounded by its options");
        if let Form::Congestion(durations) = &mut told.notice.form {
            durations.units = [0; CATEGORIES];
            durations.units[class] = left;
        }
        let mut words = vec![0u64; self.hosts.div_ceil(64)];
        words[host as usize / 64] |= 1 << (host % 64);
        told.notice.ask = Ask::Stop(left);
        told.notice.hosts = Some(words.into());
        // Beside the key of what speaks of all destinations.
        told.notice.key |= (u64::from(host) + 4) << 2 | class as u64;
        if !self.one_queue {
            told.notice.classes = 1 << class;
        }
        told
    }

    /// Ends what holds about single destinations.
    fn clear_hosts(&mut self, class: usize, now: Time, out: &mut VecDeque<Told>) {
        let of_class = (class, 0, 0)..(class + 1, 0, 0);
        let told: Vec<_> = self
            .of_host
            .range(of_class)
            .map(|(k, u)| (*k, *u))
            .collect();
        for (key, until) in told {
            self.of_host.remove(&key);
            if until > now {
                out.push_back(self.about_host(class, key.1, key.2, now, now));
            }
        }
    }

    /// Congestion lasts although the notice is about to expire: the next is longer. After a notice to all it goes to
    /// all, after an early warning to those who still own much.
    fn renew(&mut self, view: &View, waiting: &Waiting, out: &mut VecDeque<Told>) {
        let class = view.class;
        self.scale(class, self.terms.increase);
        let (expected, now) = (&self.categories[class], view.now);
        match view.holdings.is_some() && expected.until < now {
            true => {
                let until = expected.last;
                self.warn(view, waiting, until, out);
            }
            false => self.begin(class, now, out),
        }
        self.categories[class].renewed = true;
    }

    /// A departure has left little: notices that still hold are ended, and the next is shorter.
    fn clear(&mut self, class: usize, now: Time, out: &mut VecDeque<Told>) {
        let expected = &self.categories[class];
        let shorter = match self.terms.each_departure {
            true => expected.spoken,
            false => !expected.judged,
        };
        if shorter {
            self.scale(class, self.terms.decrease);
            self.categories[class].judged = true;
        }
        self.clear_hosts(class, now, out);
        let expected = &mut self.categories[class];
        expected.last = Time::ZERO;
        let to_all = std::mem::replace(&mut expected.until, Time::ZERO) > now;
        if to_all {
            expected.of_peer.fill(Time::ZERO);
            self.tell_all(class, now, out);
            return;
        }
        for peer in 0..self.peers.len() {
            let until = &mut self.categories[class].of_peer[peer];
            if std::mem::replace(until, Time::ZERO) > now {
                let to = Toward::Station(self.peers[peer]);
                out.push_back(self.notice(to, class, now));
            }
        }
    }

    fn scale(&mut self, class: usize, factor: f64) {
        let [least, most] = self.terms.bounds;
        let duration = &mut self.categories[class].duration;
        let scaled = libm::round(duration.0 as f64 * factor) as u64;
        *duration = Span(scaled.clamp(least.0, most.0));
    }

    fn tell_all(&self, class: usize, now: Time, out: &mut VecDeque<Told>) {
        match self.terms.cast {
            Cast::Group => {
                out.push_back(self.notice(Toward::Everybody, class, now));
                self.repeat_warnings(class, now, out);
            }
            Cast::Each => {
                let stations = self.peers.iter().map(|s| Toward::Station(*s));
                out.extend(stations.map(|to| self.notice(to, class, now)));
            }
        }
    }

    /// A frame to all speaks of every category, and says 0 of those about which only some were told: these are told again.
    fn repeat_warnings(&self, class: usize, now: Time, out: &mut VecDeque<Told>) {
        for (peer, station) in self.peers.iter().enumerate() {
            let warned = |c: &usize| {
                let expected = &self.categories[*c];
                *c != class && expected.of_peer[peer] > expected.until.max(now)
            };
            if let Some(other) = (0..CATEGORIES).find(warned) {
                out.push_back(self.notice(Toward::Station(*station), other, now));
            }
        }
    }

    /// The notice of a frame about all categories in their present state.
    fn notice(&self, to: Toward, class: usize, now: Time) -> Told {
        let peer = match to {
            Toward::Station(station) => self.peers.binary_search(&station).ok(),
            _ => None,
        };
        let units = |expected: &Expected| {
            let until = match peer {
                Some(peer) => expected.until.max(expected.of_peer[peer]),
                None => expected.until,
            };
            let left = until.0.saturating_sub(now.0);
            u16::try_from(left.div_ceil(self.terms.unit.0)).expect("bounded by its options")
        };
        let durations = Durations {
            units: std::array::from_fn(|c| units(&self.categories[c])),
            unit: self.terms.unit,
            to_tree: self.terms.reach == Reach::Tree,
            addressed: self.terms.addressed,
        };
        let notice = Notice {
            mechanism: self.number,
            form: Form::Congestion(durations),
            classes: if self.one_queue { 0xff } else { 0x0f },
            ask: Ask::Stop(durations.units[class]),
            hosts: None,
            origin: Id::NONE,
            origin_classes: 1 << class,
            key: first_key(self.number),
        };
        Told { to, notice }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::mechanism::moment::{Moment, Seen};
    use crate::mechanism::place::Holdings;

    const MS: u64 = 1_000_000_000;

    fn terms() -> AdaptiveTerms {
        AdaptiveTerms {
            initial: Span::millis(100),
            increase: 1.2,
            decrease: 0.8,
            bounds: [Span::millis(1), Span::millis(6550)],
            lead: Span::millis(12),
            unit: Span::micros(100),
            each_departure: false,
            renew_when_stopped: true,
            by_destination: false,
            owner: 0.02,
            owner_of_buffer: true,
            cast: Cast::Group,
            reach: Reach::Tree,
            addressed: true,
        }
    }

    /// Nothing is held.
    fn at(now: Time) -> View<'static> {
        View::level(now, 0, 0, 1000)
    }

    fn memory(terms: AdaptiveTerms) -> Adaptive {
        Adaptive::new(terms, 0, true, vec![3, 5, 8], 100)
    }

    /// An early warning by what neighbours own.
    fn early(memory: &mut Adaptive, view: View, held: &Holdings, out: &mut VecDeque<Told>) {
        let view = &View {
            holdings: Some(held),
            ..view
        };
        let waiting = &Waiting::nothing();
        memory.on(&Cue::Early { view, waiting }, out);
    }

    /// To whom, and for how many units.
    fn said(out: &mut VecDeque<Told>) -> Vec<(Toward, u16)> {
        out.drain(..).map(|t| (t.to, t.notice.quanta())).collect()
    }

    /// 100 ms, then 120 ms; each is looked at 12 ms before it ends. What lasts grows by a fifth up to 6.55 s: after
    /// 23 notices (100 ms × 1.2^23 = 6.62 s).
    #[test]
    fn a_notice_that_was_too_short_is_followed_by_a_longer_one_before_it_expires() {
        let (mut memory, mut out) = (memory(terms()), VecDeque::new());
        let mut now = Time(7);
        memory.begin(0, now, &mut out);
        for expected in [1000, 1200, 1440] {
            assert_eq!(said(&mut out), [(Toward::Everybody, expected)]);
            let (class, epoch, look) = memory.start_timer(Toward::Everybody).expect("one");
            assert_eq!(look, Span::millis(u64::from(expected) / 10 - 12));
            now += look;
            assert_eq!(memory.expires(class, epoch, now), Some(0));
            assert_eq!(memory.expires(class, epoch.wrapping_sub(1), now), None);
            memory.renew(&at(now), &Waiting::nothing(), &mut out);
        }
        for _ in 3..23 {
            memory.renew(&at(now), &Waiting::nothing(), &mut out);
        }
        assert_eq!(said(&mut out).last(), Some(&(Toward::Everybody, 65_500)));
    }

    /// A buffer that is clear ends what holds, once, and the next notice is a fifth shorter; down to 1 ms.
    #[test]
    fn a_notice_that_was_too_long_is_ended_and_the_next_is_shorter() {
        let (mut memory, mut out) = (memory(terms()), VecDeque::new());
        // Before anything was said there is nothing to end or to judge.
        memory.clear(0, Time(1), &mut out);
        for expected in [1000, 800, 640] {
            memory.begin(0, Time(MS), &mut out);
            memory.clear(0, Time(2 * MS), &mut out);
            memory.clear(0, Time(3 * MS), &mut out);
            let ended = [(Toward::Everybody, expected), (Toward::Everybody, 0)];
            assert_eq!(said(&mut out), ended);
        }
        // One that has expired is judged too, but not ended.
        memory.begin(0, Time(MS), &mut out);
        memory.clear(0, Time(1000 * MS), &mut out);
        assert_eq!(said(&mut out), [(Toward::Everybody, 512)]);
        for _ in 0..30 {
            memory.begin(0, Time(MS), &mut out);
            memory.clear(0, Time(MS), &mut out);
        }
        out.clear();
        memory.begin(0, Time(MS), &mut out);
        assert_eq!(said(&mut out), [(Toward::Everybody, 10)]);
    }

    /// The other reading: each departure from a clear buffer shortens the next notice, 100 ms × 0.8^3 = 51.2 ms.
    #[test]
    fn each_departure_may_shorten_the_next_notice() {
        let terms = AdaptiveTerms {
            each_departure: true,
            ..terms()
        };
        let (mut memory, mut out) = (memory(terms), VecDeque::new());
        memory.begin(0, Time(MS), &mut out);
        for _ in 0..3 {
            memory.clear(0, Time(2 * MS), &mut out);
        }
        out.clear();
        memory.begin(0, Time(3 * MS), &mut out);
        assert_eq!(said(&mut out), [(Toward::Everybody, 512)]);
    }

    /// Station 5 owns 3 % of the buffer, station 3 owns 2 %, station 8 half a percent: 5 is told, and not again while that holds.
    #[test]
    fn an_early_warning_tells_those_who_own_much_of_the_buffer_once() {
        let (mut memory, mut out) = (memory(terms()), VecDeque::new());
        let mut held = Holdings::default();
        let sources = [
            (Some(5), 30),
            (Some(3), 20),
            (Some(8), 5),
            (None, 200),
            (Some(77), 195),
        ];
        for (prev, bytes) in sources {
            let seen = Seen {
                bytes,
                prev,
                ..Seen::of_class(0)
            };
            held.observe(&Moment::Enqueued(&seen));
        }
        let ask = |memory: &mut Adaptive, now, out: &mut VecDeque<Told>| {
            early(memory, View::level(Time(now), 0, 450, 1000), &held, out);
            said(out)
        };
        let told = [(Toward::Station(5), 1000)];
        assert_eq!(ask(&mut memory, MS, &mut out), told);
        assert_eq!(ask(&mut memory, 100 * MS, &mut out), []);
        assert_eq!(ask(&mut memory, 101 * MS, &mut out), told);
        memory.clear(0, Time(102 * MS), &mut out);
        assert_eq!(said(&mut out), [(Toward::Station(5), 0)]);
        // Of what the buffer holds, 20 of 450 B are more than 2 %, and 5 are less.
        let terms = AdaptiveTerms {
            owner_of_buffer: false,
            ..terms()
        };
        let mut memory = self::memory(terms);
        let told = [(Toward::Station(3), 1000), (Toward::Station(5), 1000)];
        assert_eq!(ask(&mut memory, MS, &mut out), told);
    }

    /// 12 ms before an early warning of 100 ms ends the buffer is looked at: if it is still full, who owns much is told for
    /// 120 ms, and so is who has come to own much; who owns little any more is not. By destination it is the same.
    #[test]
    fn an_early_warning_that_was_too_short_is_followed_by_a_longer_one() {
        let held = |own: [u64; 3]| {
            let mut held = Holdings::default();
            for (prev, bytes) in [Some(3), Some(5), Some(8)].into_iter().zip(own) {
                let seen = Seen {
                    bytes,
                    prev,
                    ..Seen::of_class(0)
                };
                held.observe(&Moment::Enqueued(&seen));
            }
            held
        };
        let view = |now| View::level(now, 0, 450, 1000);
        let (mut memory, mut out) = (memory(terms()), VecDeque::new());
        let start = Time(MS);
        early(&mut memory, view(start), &held([30, 30, 390]), &mut out);
        let to = |station, units| (Toward::Station(station), units);
        assert_eq!(said(&mut out), [to(3, 1000), to(5, 1000), to(8, 1000)]);
        let (class, epoch, look) = memory
            .start_timer(Toward::Everybody)
            .expect("one for all three");
        assert_eq!(
            (look, memory.start_timer(Toward::Everybody)),
            (Span::millis(88), None)
        );
        let now = start + look;
        assert_eq!(memory.expires(class, epoch, now), Some(0));
        let own = held([20, 30, 400]);
        let still = View {
            holdings: Some(&own),
            ..view(now)
        };
        memory.renew(&still, &Waiting::nothing(), &mut out);
        assert_eq!(said(&mut out), [to(5, 1200), to(8, 1200)]);
        assert_eq!(
            memory.start_timer(Toward::Everybody).map(|t| t.2),
            Some(Span::millis(108))
        );
        assert_eq!(
            memory.expires(class, epoch, now),
            None,
            "a later one was sent"
        );
        // A buffer that is clear ends both, and nothing is looked at any more.
        memory.clear(0, now, &mut out);
        assert_eq!(memory.expires(class, epoch + 1, now), None);

        let terms = AdaptiveTerms {
            by_destination: true,
            ..terms()
        };
        let mut memory = self::memory(terms);
        out.clear();
        let owner = Owner {
            station: 5,
            host: 7,
            bytes: 400,
        };
        let owners = || vec![owner];
        let waiting = Waiting {
            owners: &owners,
            ..Waiting::nothing()
        };
        memory.warn(&view(start), &waiting, start, &mut out);
        assert!(memory.start_timer(Toward::Everybody).is_some());
        memory.renew(&still, &waiting, &mut out);
        assert_eq!(said(&mut out), [to(5, 1000), to(5, 1200)]);
    }

    /// Station 3 is warned about category 2. A notice about category 1 goes to all and says 0 of category 2, so station 3 is
    /// told again what is left of its warning. Where each is told by a frame of its own, that frame says so.
    #[test]
    fn a_notice_to_all_ends_no_warning_about_another_category() {
        for cast in [Cast::Group, Cast::Each] {
            let terms = AdaptiveTerms { cast, ..terms() };
            let mut memory = Adaptive::new(terms, 0, false, vec![3, 5], 100);
            let mut out = VecDeque::new();
            let mut held = Holdings::default();
            held.observe(&Moment::Enqueued(&Seen {
                bytes: 450,
                prev: Some(3),
                ..Seen::of_class(2)
            }));
            early(
                &mut memory,
                View::level(Time(0), 2, 450, 1000),
                &held,
                &mut out,
            );
            memory.begin(1, Time(40 * MS), &mut out);
            // Station 3 obeys this notice when it has received all frames in their order.
            let last = out
                .iter()
                .rfind(|t| t.to != Toward::Station(5))
                .expect("some");
            let Form::Congestion(durations) = last.notice.form else {
                panic!("{last:?}");
            };
            assert_eq!(last.to, Toward::Station(3));
            assert_eq!(durations.units, [0, 1000, 600, 0], "{cast:?}");
            assert_eq!(out.len(), 3, "{cast:?}");
            out.clear();
            memory.clear(1, Time(50 * MS), &mut out);
            let last = out
                .iter()
                .rfind(|t| t.to != Toward::Station(5))
                .expect("some");
            let Form::Congestion(durations) = last.notice.form else {
                panic!("{last:?}");
            };
            assert_eq!(durations.units, [0, 0, 500, 0], "{cast:?}");
        }
    }

    /// Who was told with all others is told by no early warning while that holds: 100 ms.
    #[test]
    fn a_notice_to_all_is_an_early_warning_to_each() {
        let (mut memory, mut out) = (memory(terms()), VecDeque::new());
        let mut held = Holdings::default();
        held.observe(&Moment::Enqueued(&Seen {
            bytes: 450,
            prev: Some(5),
            ..Seen::of_class(0)
        }));
        memory.begin(0, Time(MS), &mut out);
        out.clear();
        let mut warned = |ms: u64| {
            early(
                &mut memory,
                View::level(Time(ms * MS), 0, 450, 1000),
                &held,
                &mut out,
            );
            said(&mut out)
        };
        assert_eq!(warned(100), []);
        assert_eq!(warned(101), [(Toward::Station(5), 1000)]);
    }

    /// Of 1000 B, 30 came from station 5 for host 70 and 20 for host 2: only the first is more than 2 %. The notice names
    /// that host, and what ends it does too.
    #[test]
    fn an_early_warning_may_name_the_destination() {
        let terms = AdaptiveTerms {
            by_destination: true,
            ..terms()
        };
        let (mut memory, mut out) = (memory(terms), VecDeque::new());
        let view = |ms| View::level(Time(ms * MS), 0, 450, 1000);
        let owner = |station, host, bytes| Owner {
            station,
            host,
            bytes,
        };
        let owners = [owner(5, 70, 30), owner(5, 2, 20), owner(77, 70, 400)];
        memory.warn_owners(&view(1), &owners, view(1).now, &mut out);
        memory.warn_owners(&view(2), &owners, view(2).now, &mut out);
        memory.clear(0, Time(3 * MS), &mut out);
        let told: Vec<_> = out.drain(..).map(|t| (t.to, t.notice)).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        for ((to, notice), units) in told.iter().zip([1000, 0]) {
            assert_eq!(*to, Toward::Station(5));
            assert_eq!((notice.host_numbers(), notice.quanta()), (vec![70], units));
            assert_eq!(notice.by_category().len(), 1);
        }
        assert_eq!(told[0].1.key, told[1].1.key);
    }

    /// Of two mechanisms, each warns of a host for two categories: no notice replaces another, whatever the number of the host.
    #[test]
    fn notices_about_hosts_have_keys_of_their_own() {
        let hosts = 20_000;
        let mut keys = BTreeSet::new();
        for number in [0, 1] {
            let memory = Adaptive::new(terms(), number, false, vec![3], hosts);
            for (class, host) in [(0, 0), (3, 0), (0, 16_380), (3, 16_380), (0, 16_384)] {
                let told = memory.about_host(class, 5, host, Time(MS), Time(0));
                keys.insert(told.notice.key);
            }
        }
        assert_eq!(keys.len(), 10);
    }

    /// A frame speaks of all four categories: of those that it is not about, it says what is left.
    #[test]
    fn a_frame_says_what_is_left_of_other_categories() {
        let mut memory = Adaptive::new(terms(), 0, false, vec![3], 100);
        let mut out = VecDeque::new();
        memory.begin(1, Time(0), &mut out);
        memory.begin(3, Time(40 * MS), &mut out);
        let told = out.pop_back().expect("a notice");
        let Form::Congestion(durations) = told.notice.form else {
            panic!("{told:?}");
        };
        assert_eq!(durations.units, [0, 600, 0, 1000]);
        let parts = told.notice.by_category();
        let parts: Vec<_> = parts.iter().map(|n| (n.classes, n.quanta())).collect();
        assert_eq!(parts, [(1, 0), (2, 600), (4, 0), (8, 1000)]);
    }

    /// Of the 450 B that wait, 20 of station 5 are more than 2 %, and 5 of station 3 are less.
    #[test]
    fn owners_of_a_destination_may_be_measured_by_what_waits() {
        let terms = AdaptiveTerms {
            by_destination: true,
            owner_of_buffer: false,
            ..terms()
        };
        let (mut memory, mut out) = (memory(terms), VecDeque::new());
        let view = View::level(Time(MS), 0, 450, 1000);
        let owners = [(5, 20), (3, 5), (77, 425)].map(|(station, bytes)| Owner {
            station,
            host: 7,
            bytes,
        });
        memory.warn_owners(&view, &owners, view.now, &mut out);
        assert_eq!(said(&mut out), [(Toward::Station(5), 1000)]);
    }
}
