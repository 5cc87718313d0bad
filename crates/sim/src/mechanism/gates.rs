//! The knobs of back-pressure at an egress port: a gate for each class, and bars, which hold back
//! frames of some classes to some destinations, entirely or to a rate. A frame may leave when its
//! class gate is open and no live bar covers it.

use backwater_transport::units::{Bytes, Rate, Span, Time};

use super::notice::{Hosts, holds};
use super::origins::Origins;
use crate::limit::MAX_CLASSES;

/// The knobs of one port.
#[derive(Clone, Debug)]
pub struct Gates {
    pub(super) until: [Time; MAX_CLASSES],
    /// `closed` counts up to then.
    pub(super) settled: Time,
    pub(super) closed: [u64; MAX_CLASSES],
    /// The latest of `until`.
    pub(super) latest: Time,
    pub(super) bars: Vec<Bar>,
    /// Stopped time by link: of frames to any neighbour, and to each that a bar spoke of.
    pub(super) links: Vec<Link>,
    /// The queues that closed its gates and lowered its bars.
    pub origins: Origins,
}

/// For how long frames to a neighbour have been stopped.
#[derive(Copy, Clone, Debug)]
pub(super) struct Link {
    /// The station that frames go to next, at a radio; none for those that no bar spoke of.
    pub(super) next: Option<u32>,
    /// Ticks by class.
    pub(super) closed: [u64; MAX_CLASSES],
    /// When they were stopped last.
    pub(super) from: [Time; MAX_CLASSES],
}

/// Holds back what it covers until it expires or is lifted.
#[derive(Clone, Debug)]
pub struct Bar {
    /// Origin: a notice with the same key replaces the bar.
    pub key: u64,
    /// Classes covered.
    pub classes: u8,
    /// Destinations covered; none covers all.
    pub hosts: Option<Hosts>,
    /// The station that frames go to next, at a radio; none covers all.
    pub next: Option<u32>,
    /// When it expires.
    pub until: Time,
    /// Lets frames through at a rate; none lets nothing through.
    pub bucket: Option<Bucket>,
}

/// A token bucket in its virtual-scheduling form (ITU-T I.371 GCRA): a frame conforms once the
/// theoretical time is no more than the tolerance ahead. So the tolerance's bytes and one frame may
/// leave at once.
#[derive(Copy, Clone, Debug)]
pub struct Bucket {
    /// Rate of the bucket.
    pub rate: Rate,
    /// Time the depth of the bucket takes at its rate.
    pub tolerance: Span,
    /// Theoretical time of the next frame.
    pub due: Time,
}

impl Default for Gates {
    fn default() -> Self {
        Gates {
            until: [Time::ZERO; MAX_CLASSES],
            settled: Time::ZERO,
            closed: [0; MAX_CLASSES],
            latest: Time::ZERO,
            bars: Vec::new(),
            links: vec![Link {
                next: None,
                closed: [0; MAX_CLASSES],
                from: [Time::ZERO; MAX_CLASSES],
            }],
            origins: Origins::default(),
        }
    }
}

impl Bar {
    fn covers(&self, class: u8, next: Option<u32>, host: Option<u32>, at: Time) -> bool {
        let named = |set: &[u64]| host.is_some_and(|host| holds(set, host));
        at < self.until
            && self.classes >> class & 1 == 1
            && (self.next.is_none() || self.next == next)
            && self.hosts.as_deref().is_none_or(named)
    }
}

impl Gates {
    /// Closes the gates of `classes` until then; a time not after `now` opens them.
    pub fn set(&mut self, now: Time, classes: u8, until: Time) {
        self.settle(now);
        self.begin(now, classes, None, until);
        for class in (0..MAX_CLASSES).filter(|c| classes >> c & 1 == 1) {
            self.until[class] = until;
        }
        self.latest = *self.until.iter().max().expect("eight classes");
    }

    /// Opens all gates and lifts all bars.
    pub fn open(&mut self, now: Time) {
        self.settle(now);
        self.until = [now; MAX_CLASSES];
        self.latest = now;
        self.bars.clear();
    }

    /// Lowers a bar, or replaces the one of the same key; its bucket keeps its theoretical time.
    pub fn lower(&mut self, now: Time, mut bar: Bar) {
        self.settle(now);
        if bar.bucket.is_none() {
            self.begin(now, bar.classes, bar.next, bar.until);
        }
        match self
            .bars
            .iter_mut()
            .find(|b| (b.key, b.next) == (bar.key, bar.next))
        {
            None => self.bars.push(bar),
            Some(old) => {
                if let (Some(new), Some(old)) = (&mut bar.bucket, &old.bucket) {
                    new.due = old.due;
                }
                *old = bar;
            }
        }
    }

    /// Lifts the bar of this key and next hop.
    pub fn lift(&mut self, now: Time, key: u64, next: Option<u32>) {
        self.settle(now);
        self.bars.retain(|b| (b.key, b.next) != (key, next));
    }

    /// From when on nothing is held back, as things stand; `NEVER` while there are bars.
    pub fn shut_until(&self) -> Time {
        if self.bars.is_empty() {
            self.latest
        } else {
            Time::NEVER
        }
    }

    /// Whether frames of one class may be held back for their destination, so that the head of a
    /// queue does not speak for the rest.
    pub fn selective(&self) -> bool {
        self.bars.iter().any(|b| b.hosts.is_some())
    }

    /// A copy by which to find out how many frames may start at one instant: charge it for each. None where no bar stands, so
    /// that whatever lets the first frame go lets all go.
    pub fn trial(&self) -> Option<Gates> {
        (!self.bars.is_empty()).then(|| self.clone())
    }

    /// The earliest instant, not before `at`, at which a frame may start; `NEVER` is far away.
    pub fn opens(&self, class: u8, host: u32, at: Time) -> Time {
        self.opens_toward(class, None, Some(host), at)
    }

    /// The same at a radio, for a frame to the station `next` that goes on to `host`; a frame whose packet has moved on
    /// names no host.
    pub fn opens_toward(&self, class: u8, next: Option<u32>, host: Option<u32>, at: Time) -> Time {
        let mut opens = at.max(self.until[class as usize]);
        let covering = |b: &&Bar| b.covers(class, next, host, at);
        for bar in self.bars.iter().filter(covering) {
            let free = match &bar.bucket {
                None => bar.until,
                Some(bucket) => {
                    Time(bucket.due.0.saturating_sub(bucket.tolerance.0)).min(bar.until)
                }
            };
            opens = opens.max(free);
        }
        opens
    }

    /// A frame starts: the buckets it passes through are charged.
    pub fn charge(&mut self, class: u8, host: u32, size: Bytes, at: Time) {
        self.charge_toward(class, None, host, size, at);
    }

    /// The same at a radio.
    pub fn charge_toward(
        &mut self,
        class: u8,
        next: Option<u32>,
        host: u32,
        size: Bytes,
        at: Time,
    ) {
        let covering = |b: &&mut Bar| b.covers(class, next, Some(host), at);
        for bar in self.bars.iter_mut().filter(covering) {
            if let Some(bucket) = &mut bar.bucket {
                bucket.due = bucket.due.max(at) + bucket.rate.time_for(size);
            }
        }
    }

    /// The lowest rate to which a bar holds all of these classes, toward all destinations of `behind`
    /// or toward all there are. A bar on part of them leaves the rest to the line.
    pub fn rate(&self, classes: u8, behind: Option<&[u64]>, at: Time) -> Option<Rate> {
        let within = |bar: &&Bar| {
            let toward = match (bar.hosts.as_deref(), behind) {
                (None, _) => true,
                (Some(hosts), Some(behind)) => hosts.iter().zip(behind).all(|(h, b)| b & !h == 0),
                (Some(_), None) => false,
            };
            at < bar.until && classes & !bar.classes == 0 && toward
        };
        let rates = self.bars.iter().filter(within);
        rates.filter_map(|b| b.bucket.map(|k| k.rate)).min()
    }

    /// Whether any class gate is closed at `at`, or any bar blocks.
    pub fn shut(&self, at: Time) -> bool {
        self.until.iter().any(|u| *u > at)
            || self.bars.iter().any(|b| b.until > at && b.bucket.is_none())
    }

    /// The next instant at which a gate opens, a bar expires or a bucket lets a frame go; none where nothing holds back.
    pub fn next_opening(&self, now: Time) -> Option<Time> {
        let bucket = |k: &Bucket| Time(k.due.0.saturating_sub(k.tolerance.0));
        let bars = self
            .bars
            .iter()
            .flat_map(|bar| [Some(bar.until), bar.bucket.as_ref().map(bucket)]);
        let all = self.until.iter().copied().chain(bars.flatten());
        all.filter(|at| *at > now && *at < Time::NEVER).min()
    }

    /// Ticks for which each class has been stopped up to `now`, wholly by its gate or toward some
    /// destinations by a bar.
    pub fn closed(&self, now: Time) -> [u64; MAX_CLASSES] {
        std::array::from_fn(|c| {
            let stopped = self.stopped_until(c).min(now);
            self.closed[c] + stopped.0.saturating_sub(self.settled.0)
        })
    }

    /// The same for frames to one neighbour of a radio.
    pub fn closed_toward(&self, next: Option<u32>, now: Time) -> [u64; MAX_CLASSES] {
        let link = self.link(next);
        std::array::from_fn(|c| {
            let stopped = self.stopped_toward(c, next).min(now);
            link.closed[c] + stopped.0.saturating_sub(self.settled.0)
        })
    }

    /// Since when frames of a class to a neighbour have been stopped, if they are.
    pub fn stopped_since(&self, class: usize, next: Option<u32>, now: Time) -> Option<Time> {
        (self.stopped_toward(class, next) > now).then(|| self.link(next).from[class])
    }

    /// Forgets the bars that have expired.
    pub fn sweep(&mut self, now: Time) {
        self.settle(now);
        self.bars.retain(|b| b.until > now);
    }

    /// Counts the time for which classes have been stopped, before something changes.
    pub(super) fn settle(&mut self, now: Time) {
        self.closed = self.closed(now);
        for at in 0..self.links.len() {
            self.links[at].closed = self.closed_toward(self.links[at].next, now);
        }
        self.settled = now;
    }

    /// Frames of these classes to this neighbour, or to all, are stopped from now on, if they weren't.
    fn begin(&mut self, now: Time, classes: u8, next: Option<u32>, until: Time) {
        if next.is_some() && self.links.iter().all(|link| link.next != next) {
            self.links.push(Link {
                next,
                ..self.links[0]
            });
        }
        for at in 0..self.links.len() {
            let of = self.links[at].next;
            if until <= now || next.is_some() && of != next {
                continue;
            }
            for class in (0..MAX_CLASSES).filter(|c| classes >> c & 1 == 1) {
                if self.stopped_toward(class, of) <= now {
                    self.links[at].from[class] = now;
                }
            }
        }
    }

    fn link(&self, next: Option<u32>) -> &Link {
        let named = self.links.iter().find(|link| link.next == next);
        named.unwrap_or(&self.links[0])
    }

    /// When the last of what stops a class toward a neighbour ends, as things stand.
    fn stopped_toward(&self, class: usize, next: Option<u32>) -> Time {
        let blocks = |b: &&Bar| {
            let toward = b.next.is_none() || b.next == next;
            b.classes >> class & 1 == 1 && b.bucket.is_none() && toward
        };
        let bars = self.bars.iter().filter(blocks).map(|b| b.until);
        bars.fold(self.until[class], Time::max)
    }

    /// When the last of what stops a class, or a part of its frames, ends as things stand.
    pub fn stopped_until(&self, class: usize) -> Time {
        let blocks = |b: &&Bar| b.classes >> class & 1 == 1 && b.bucket.is_none();
        let bars = self.bars.iter().filter(blocks).map(|b| b.until);
        bars.fold(self.until[class], Time::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_time_counts_overlap_once_and_stops_at_expiry() {
        let mut gates = Gates::default();
        gates.set(Time(10), 0b10, Time(30));
        gates.set(Time(20), 0b10, Time(40)); // refreshed: closed 10..40
        assert_eq!(gates.closed(Time(35))[1], 25);
        assert_eq!(gates.closed(Time(100))[1], 30);
        gates.set(Time(100), 0b10, Time(200));
        gates.set(Time(120), 0b10, Time(120)); // opened early
        assert_eq!(gates.closed(Time(500))[1], 50);
        assert_eq!(gates.closed(Time(500))[0], 0);
    }

    #[test]
    fn a_bar_that_blocks_counts_as_closed_for_its_classes_and_a_rate_does_not() {
        let bar = |key, until, bucket| Bar {
            key,
            classes: 0b10,
            hosts: Some(vec![0b100].into()),
            next: None,
            until: Time(until),
            bucket,
        };
        let mut gates = Gates::default();
        gates.lower(Time(10), bar(1, 50, None));
        assert_eq!(gates.closed(Time(20))[1], 10);
        gates.lower(Time(30), bar(2, 40, None)); // behind the first: counts once
        gates.set(Time(45), 0b10, Time(60)); // the class gate, beyond both
        assert_eq!(gates.closed(Time(100))[1], 50);
        gates.lower(Time(200), bar(1, 300, None));
        gates.lift(Time(220), 1, None);
        gates.lower(Time(250), bar(3, 270, None));
        gates.sweep(Time(280));
        assert_eq!(gates.closed(Time(300))[1], 90);
        assert_eq!(gates.closed(Time(300))[0], 0);
        let bucket = Bucket {
            rate: Rate(1),
            tolerance: Span::ZERO,
            due: Time::ZERO,
        };
        gates.lower(Time(300), bar(4, 400, Some(bucket)));
        assert_eq!(gates.closed(Time(400))[1], 90);
    }

    /// Frames to station 3 are stopped from 10 to 40 and from 100 on, those to station 4 from 20 to 30, by a gate that stops all.
    #[test]
    fn stopped_time_is_counted_by_link() {
        let bar = |until| Bar {
            key: 1,
            classes: 1,
            hosts: None,
            next: Some(3),
            until: Time(until),
            bucket: None,
        };
        let mut gates = Gates::default();
        gates.lower(Time(10), bar(25));
        gates.set(Time(20), 1, Time(30));
        assert_eq!(gates.stopped_since(0, Some(3), Time(29)), Some(Time(10)));
        assert_eq!(gates.stopped_since(0, Some(4), Time(29)), Some(Time(20)));
        gates.lower(Time(28), bar(40));
        assert_eq!(gates.stopped_since(0, Some(4), Time(30)), None);
        gates.lower(Time(100), bar(200));
        assert_eq!(gates.stopped_since(0, Some(3), Time(150)), Some(Time(100)));
        let closed = |next| gates.closed_toward(next, Time(150))[0];
        assert_eq!([Some(3), Some(4), None].map(closed), [30 + 50, 10, 10]);
        assert_eq!(gates.closed_toward(Some(3), Time(150))[1], 0);
    }

    #[test]
    fn a_bar_covers_its_destinations_only_and_an_open_gate_is_needed_too() {
        let mut gates = Gates::default();
        let bar = Bar {
            key: 1,
            classes: 0xff,
            hosts: Some(vec![0b100].into()),
            next: None,
            until: Time(50),
            bucket: None,
        };
        gates.lower(Time::ZERO, bar);
        assert_eq!(gates.opens(0, 2, Time(5)), Time(50));
        assert_eq!(gates.opens(0, 1, Time(5)), Time(5));
        gates.set(Time(5), 1, Time(70));
        assert_eq!(gates.opens(0, 1, Time(5)), Time(70));
        gates.lift(Time(5), 1, None);
        gates.set(Time(6), 1, Time(6));
        assert_eq!(gates.opens(0, 2, Time(6)), Time(6));
    }

    #[test]
    fn a_bucket_passes_its_rate_and_no_more() {
        // 1000-byte frames at 8 Mbit/s take 1 ms each; depth 2000 bytes = 2 ms of tolerance.
        let mut gates = Gates::default();
        let bucket = Bucket {
            rate: Rate(8_000_000),
            tolerance: Span::millis(2),
            due: Time::ZERO,
        };
        let bar = Bar {
            key: 1,
            classes: 1,
            hosts: None,
            next: None,
            until: Time::NEVER,
            bucket: Some(bucket),
        };
        gates.lower(Time::ZERO, bar);
        let mut at = Time::ZERO;
        for _ in 0..100 {
            at = gates.opens(0, 0, at);
            gates.charge(0, 0, Bytes(1000), at);
        }
        // Frames 1..3 go at once (due 0, 1, 2 ms are within the tolerance), then one each ms: the 100th at 97 ms.
        assert_eq!(at, Time::ZERO + Span::millis(97));
    }
}
