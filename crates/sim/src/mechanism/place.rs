//! Where a detector looks, and what it sees there. What is counted beside the queues, the rates of a sliding window
//! and the bytes by neighbour, is kept only where a part declares that it needs it.

use std::collections::{BTreeMap, VecDeque};

use backwater_transport::units::{Span, Time};

use super::moment::{Moment, Seen};
use crate::ids::{FlowId, PortId};
use crate::limit::MAX_CLASSES;

/// Where a detector looks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The class queues of an output port.
    Egress(PortId),
    /// The packets that came in over an interface and that the node holds, by class.
    Ingress(PortId),
    /// The packets that an 802.11 station holds, by access category.
    Attachment(u32),
}

/// A detector's view of one class.
#[derive(Copy, Clone, Debug)]
pub struct View<'a> {
    /// Now.
    pub now: Time,
    /// Which class.
    pub class: usize,
    /// Whether the class counts as congested.
    pub congested: bool,
    /// Held, the frame in transmission included, in the unit of `room`; under shared memory what is in the pool.
    pub held: u64,
    /// The largest number that it can hold; under shared memory the present threshold; `u64::MAX` where nothing bounds it.
    pub room: u64,
    /// Bytes in headroom (shared memory only).
    pub headroom: u64,
    /// How long the frame has waited that is first in line, where a part needs it; nought where none waits.
    pub sojourn: Span,
    /// Rates, where a part needs them: at its timer only, because a window ends there.
    pub rates: Option<&'a Rates>,
    /// Bytes held by neighbour, where a part needs them.
    pub holdings: Option<&'a Holdings>,
}

impl View<'_> {
    /// A class that is not congested and holds so much of a buffer.
    pub fn level(now: Time, class: usize, held: u64, room: u64) -> View<'static> {
        View {
            now,
            class,
            congested: false,
            held,
            room,
            headroom: 0,
            sojourn: Span::ZERO,
            rates: None,
            holdings: None,
        }
    }

    /// Share of the buffer in use.
    pub fn filled(&self) -> f64 {
        self.held as f64 / self.room as f64
    }
}

/// Bytes that came and left in a window.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Rates {
    /// Bytes that came in to be forwarded.
    pub came: u64,
    /// Bytes that left: on a wire, or because the next station acknowledged them.
    pub left: u64,
    /// Of these, bytes in the last period.
    pub left_last: u64,
    /// Bytes that left in the period in which most did.
    pub left_best: u64,
    /// Share of time for which the medium was busy; none on a wire, which is nobody else's.
    pub busy: Option<f64>,
}

/// How often a part looks, and how far back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Rhythm {
    /// How often.
    pub period: Span,
    /// Periods in the window.
    pub window: usize,
}

/// Bytes that a node holds by class, of its own, from each neighbour and for each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Holdings {
    own: [u64; MAX_CLASSES],
    /// Ascending by neighbour.
    prev: Vec<(u32, [u64; MAX_CLASSES])>,
    next: Vec<(u32, [u64; MAX_CLASSES])>,
}

impl Holdings {
    /// Books what a frame that joins or leaves changes.
    pub fn observe(&mut self, moment: &Moment) {
        match moment {
            Moment::Enqueued(seen) => self.book(seen, |held, bytes| *held += bytes),
            Moment::Sent(seen) | Moment::Lost(seen) => {
                self.book(seen, |held, bytes| *held -= bytes)
            }
            Moment::Refused(_) | Moment::Timer | Moment::Expiring | Moment::Overheard(_) => {}
        }
    }

    fn book(&mut self, seen: &Seen, change: impl Fn(&mut u64, u64)) {
        let class = usize::from(seen.class);
        match seen.prev {
            None => change(&mut self.own[class], seen.bytes),
            Some(prev) => change(&mut entry(&mut self.prev, prev)[class], seen.bytes),
        }
        if let Some(next) = seen.next {
            change(&mut entry(&mut self.next, next)[class], seen.bytes);
        }
    }

    /// Bytes of the node's own flows.
    pub fn own(&self, class: usize) -> u64 {
        self.own[class]
    }

    /// Bytes that came in to be forwarded.
    pub fn forwarded(&self, class: usize) -> u64 {
        self.prev.iter().map(|(_, held)| held[class]).sum()
    }

    /// Bytes that came from each neighbour.
    pub fn by_previous(&self, class: usize) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.prev.iter().map(move |(n, held)| (*n, held[class]))
    }

    /// Bytes that go to each neighbour.
    pub fn by_next(&self, class: usize) -> impl Iterator<Item = (u32, u64)> + '_ {
        self.next.iter().map(move |(n, held)| (*n, held[class]))
    }
}

fn entry(list: &mut Vec<(u32, [u64; MAX_CLASSES])>, neighbour: u32) -> &mut [u64; MAX_CLASSES] {
    let at = match list.binary_search_by_key(&neighbour, |(n, _)| *n) {
        Ok(at) => at,
        Err(at) => {
            list.insert(at, (neighbour, [0; MAX_CLASSES]));
            at
        }
    };
    &mut list[at].1
}

/// The bytes that came in and left within a sliding window, by neighbour, class and flow.
#[derive(Clone, Debug)]
pub struct Tally {
    /// When it is looked at, and how far back.
    pub rhythm: Rhythm,
    bins: VecDeque<Bin>,
    /// When the present bin began.
    since: Time,
    /// Busy ticks of the medium up to then.
    busy: u64,
}

/// The frames of a period.
#[derive(Clone, Debug, Default)]
struct Bin {
    /// When its first frame came or left, where there was none in the period before.
    began: Option<Time>,
    /// (neighbour, class, flow, bytes); the node's own flows come from no neighbour.
    came: Vec<(Option<u32>, u8, FlowId, u64)>,
    /// (whether its own, class, flow, bytes).
    left: Vec<(bool, u8, FlowId, u64)>,
    busy: u64,
}

impl Tally {
    /// A window in which nothing has happened.
    pub fn new(rhythm: Rhythm) -> Tally {
        Tally {
            rhythm,
            bins: VecDeque::from([Bin::default()]),
            since: Time::ZERO,
            busy: 0,
        }
    }

    /// The present period, in which a frame comes or leaves now.
    fn present(&mut self, now: Time) -> &mut Bin {
        let before = self.bins.len().checked_sub(2);
        let silent = before.is_none_or(|at| self.bins[at].is_empty());
        let present = self.bins.back_mut().expect("the present period");
        if silent && present.is_empty() {
            present.began = Some(now);
        }
        present
    }

    /// A packet came in: to be forwarded, or from an own flow.
    pub fn came(&mut self, prev: Option<u32>, class: u8, flow: FlowId, bytes: u64, now: Time) {
        let came = &mut self.present(now).came;
        let same = |e: &&mut (Option<u32>, u8, FlowId, u64)| (e.0, e.1, e.2) == (prev, class, flow);
        match came.iter_mut().find(same) {
            Some(entry) => entry.3 += bytes,
            None => came.push((prev, class, flow, bytes)),
        }
    }

    /// A packet left.
    pub fn left(&mut self, own: bool, class: u8, flow: FlowId, bytes: u64, now: Time) {
        let left = &mut self.present(now).left;
        let same = |e: &&mut (bool, u8, FlowId, u64)| (e.0, e.1, e.2) == (own, class, flow);
        match left.iter_mut().find(same) {
            Some(entry) => entry.3 += bytes,
            None => left.push((own, class, flow, bytes)),
        }
    }

    /// The window up to now, while its last period is under way.
    pub fn so_far(&self, now: Time) -> Sums {
        let begun = Span(self.rhythm.period.0 * (self.bins.len() as u64 - 1));
        let span = begun + now.since(self.since);
        Sums::of(&self.bins, span, self.span_of_traffic(now, span))
    }

    /// How long there has been traffic within a window that ends now: silence before it says nothing about its rate.
    fn span_of_traffic(&self, now: Time, window: Span) -> Span {
        let mut bins = self.bins.iter().skip_while(|bin| bin.is_empty());
        let began = bins.next().and_then(|bin| bin.began);
        began.map_or(window, |began| now.since(began).max(Span(1)))
    }

    /// The window at the end of a period; the next begins. `busy` are the ticks for which the medium has been busy
    /// so far.
    pub fn close(&mut self, now: Time, busy: u64) -> Sums {
        let present = self.bins.back_mut().expect("the present period");
        present.busy = busy - self.busy;
        (self.busy, self.since) = (busy, now);
        let span = Span(self.rhythm.period.0 * self.bins.len() as u64);
        let sums = Sums::of(&self.bins, span, self.span_of_traffic(now, span));
        self.bins.push_back(Bin::default());
        if self.bins.len() > self.rhythm.window {
            self.bins.pop_front();
        }
        sums
    }
}

impl Bin {
    /// Forwarded bytes that left, by class.
    fn forwarded(&self) -> [u64; MAX_CLASSES] {
        let mut left = [0; MAX_CLASSES];
        for (_, class, _, bytes) in self.left.iter().filter(|(own, ..)| !own) {
            left[usize::from(*class)] += bytes;
        }
        left
    }

    fn is_empty(&self) -> bool {
        self.came.is_empty() && self.left.is_empty()
    }
}

/// A neighbour's flows of a class.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Feeder {
    /// Neighbour.
    pub neighbour: u32,
    /// Class.
    pub class: u8,
    /// How many flows.
    pub flows: u64,
    /// Bytes that came of them.
    pub bytes: u64,
}

/// A window, added up.
#[derive(Clone, Debug)]
pub struct Sums {
    /// Its seconds, from where traffic began.
    pub seconds: f64,
    window: Span,
    /// Bytes that came in to be forwarded, by class.
    pub came: [u64; MAX_CLASSES],
    /// Forwarded bytes that left, by class.
    pub left: [u64; MAX_CLASSES],
    /// Of these, bytes in the last period.
    left_last: [u64; MAX_CLASSES],
    /// Forwarded bytes that left in the best period of each class.
    left_best: [u64; MAX_CLASSES],
    /// Forwarded bytes of all classes that left in the best period.
    pub best: u64,
    /// Busy ticks of the medium.
    pub busy: u64,
    /// Flows that are forwarded: each counts once for a neighbour and class.
    pub forwarded: usize,
    /// Who sends, ascending by neighbour and class.
    pub feeders: Vec<Feeder>,
    /// Own flows: (flow, came, left).
    pub own: Vec<(FlowId, u64, u64)>,
}

impl Sums {
    fn of(bins: &VecDeque<Bin>, window: Span, traffic: Span) -> Sums {
        let mut by_source: BTreeMap<(u32, u8, FlowId), u64> = BTreeMap::new();
        let mut own: BTreeMap<FlowId, (u64, u64)> = BTreeMap::new();
        let (mut came, mut left, mut busy) = ([0; MAX_CLASSES], [0; MAX_CLASSES], 0);
        let (mut left_last, mut left_best, mut best) = ([0; MAX_CLASSES], [0; MAX_CLASSES], 0);
        for bin in bins {
            busy += bin.busy;
            left_last = bin.forwarded();
            best = best.max(left_last.iter().sum());
            for (most, bytes) in left_best.iter_mut().zip(left_last) {
                *most = bytes.max(*most);
            }
            for (prev, class, flow, bytes) in &bin.came {
                match prev {
                    Some(prev) => {
                        came[usize::from(*class)] += bytes;
                        *by_source.entry((*prev, *class, *flow)).or_default() += bytes;
                    }
                    None => own.entry(*flow).or_default().0 += bytes,
                }
            }
            for (mine, class, flow, bytes) in &bin.left {
                match mine {
                    true => own.entry(*flow).or_default().1 += bytes,
                    false => left[usize::from(*class)] += bytes,
                }
            }
        }
        let mut feeders: Vec<Feeder> = Vec::new();
        for ((neighbour, class, _), bytes) in &by_source {
            match feeders.last_mut() {
                Some(f) if (f.neighbour, f.class) == (*neighbour, *class) => {
                    f.flows += 1;
                    f.bytes += bytes;
                }
                _ => feeders.push(Feeder {
                    neighbour: *neighbour,
                    class: *class,
                    flows: 1,
                    bytes: *bytes,
                }),
            }
        }
        Sums {
            seconds: traffic.seconds(),
            window,
            came,
            left,
            left_last,
            left_best,
            best,
            busy,
            forwarded: by_source.len(),
            feeders,
            own: own.into_iter().map(|(f, (c, l))| (f, c, l)).collect(),
        }
    }

    /// A detector's view of a class; `shared` says whether the medium is others' too.
    pub fn rates(&self, class: usize, shared: bool) -> Rates {
        Rates {
            came: self.came[class],
            left: self.left[class],
            left_last: self.left_last[class],
            left_best: self.left_best[class],
            busy: shared.then(|| self.busy as f64 / self.window.0 as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    fn seen(prev: Option<u32>, next: u32, bytes: u64) -> Seen {
        Seen {
            class: 1,
            bytes,
            prev,
            next: Some(next),
            sojourn: Span::ZERO,
            airtime: Span::ZERO,
            retries: 0,
            packet: None,
            to: None,
        }
    }

    #[test]
    fn holdings_tell_own_from_forwarded_bytes_and_neighbours_from_one_another() {
        let mut held = Holdings::default();
        let (own, a, b) = (
            seen(None, 7, 100),
            seen(Some(3), 7, 40),
            seen(Some(2), 9, 5),
        );
        for frame in [&own, &a, &a, &b] {
            held.observe(&Moment::Enqueued(frame));
        }
        held.observe(&Moment::Sent(&a));
        held.observe(&Moment::Timer);
        assert_eq!((held.own(1), held.forwarded(1)), (100, 45));
        let pairs: Vec<_> = held.by_previous(1).collect();
        assert_eq!(pairs, [(2, 5), (3, 40)]);
        let pairs: Vec<_> = held.by_next(1).collect();
        assert_eq!(pairs, [(7, 140), (9, 5)]);
        held.observe(&Moment::Lost(&b));
        assert_eq!((held.forwarded(1), held.forwarded(0)), (40, 0));
    }

    /// Two periods of one second: the first falls out when the third ends.
    #[test]
    fn a_window_slides_by_a_period() {
        let mut tally = Tally::new(Rhythm {
            period: Span::secs(1),
            window: 2,
        });
        let mut came = Vec::new();
        for second in 1..=3 {
            let start = Time::ZERO + Span::secs(second - 1);
            tally.came(Some(4), 0, Id::raw(1), 100 * second, start);
            tally.left(false, 0, Id::raw(1), 10 * second, start);
            let sums = tally.close(Time::ZERO + Span::secs(second), second * 500_000_000_000);
            came.push((sums.came[0], sums.left[0], sums.seconds));
            assert_eq!(sums.rates(0, true).busy, Some(0.5), "{second}");
        }
        assert_eq!(came, [(100, 10, 1.0), (300, 30, 2.0), (500, 50, 2.0)]);
        // Half a second into the fourth period the window has the third and that half.
        let sums = tally.so_far(Time::ZERO + Span::millis(3500));
        assert_eq!((sums.came[0], sums.seconds), (300, 1.5));
    }

    /// Traffic begins 0.7 s into the second period, and again after two empty ones. Busy shares are those of the window.
    #[test]
    fn silence_before_traffic_does_not_count() {
        let mut tally = Tally::new(Rhythm {
            period: Span::secs(1),
            window: 2,
        });
        let at = |ms| Time::ZERO + Span::millis(ms);
        let seconds = |tally: &mut Tally, second: u64| {
            let sums = tally.close(at(1000 * second), second * 500_000_000_000);
            assert_eq!(sums.rates(0, true).busy, Some(0.5));
            sums.seconds
        };
        assert_eq!(seconds(&mut tally, 1), 1.0);
        tally.came(Some(4), 0, Id::raw(1), 100, at(1700));
        assert_eq!(tally.so_far(at(1750)).seconds, 0.05);
        tally.left(false, 0, Id::raw(1), 100, at(1900));
        assert_eq!(seconds(&mut tally, 2), 0.3);
        tally.left(false, 0, Id::raw(1), 100, at(2200));
        assert_eq!(seconds(&mut tally, 3), 1.3);
        // The period in which it began has left the window.
        assert_eq!((seconds(&mut tally, 4), seconds(&mut tally, 5)), (2.0, 2.0));
        tally.left(false, 0, Id::raw(1), 100, at(5500));
        assert_eq!(seconds(&mut tally, 6), 0.5);
    }

    /// Three flows of neighbour 4, two of them in one class, and one of neighbour 6.
    #[test]
    fn flows_of_a_neighbour_are_counted_by_class() {
        let mut tally = Tally::new(Rhythm {
            period: Span::secs(1),
            window: 1,
        });
        for (prev, class, flow, bytes) in [(4, 0, 1, 10), (4, 0, 2, 20), (4, 1, 3, 5), (6, 0, 4, 7)]
        {
            tally.came(Some(prev), class, Id::raw(flow), bytes, Time::ZERO);
        }
        let sums = tally.close(Time::ZERO + Span::secs(1), 0);
        let feeders = sums.feeders.iter();
        let feeders: Vec<_> = feeders
            .map(|f| (f.neighbour, f.class, f.flows, f.bytes))
            .collect();
        assert_eq!(feeders, [(4, 0, 2, 30), (4, 1, 1, 5), (6, 0, 1, 7)]);
        assert_eq!(sums.forwarded, 4);
    }

    /// Half a second after the second of three periods the window has two and a half, and before the first ends a half.
    #[test]
    fn a_window_grows_until_it_has_its_periods() {
        let mut tally = Tally::new(Rhythm {
            period: Span::secs(1),
            window: 3,
        });
        let at = |ms| Time::ZERO + Span::millis(ms);
        tally.came(Some(4), 0, Id::raw(1), 100, at(0));
        assert_eq!(tally.so_far(at(500)).seconds, 0.5);
        for second in 1..=2 {
            tally.close(at(1000 * second), 100_000_000_000 * second);
        }
        let sums = tally.so_far(at(2500));
        assert_eq!(sums.seconds, 2.5);
        // 0.2 s of the medium's time were busy in 2.5 s.
        assert_eq!(sums.rates(0, true).busy, Some(0.08));
    }
}
