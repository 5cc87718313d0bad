//! The backlogs that a station overhears or reads in data frames, and the steps that it tells itself.

use super::Control;
use crate::ids::PortId;
use crate::mechanism::detector::Detector;
use crate::mechanism::moment::{Moment, Overheard, Signal};
use crate::mechanism::needs::Set;
use crate::mechanism::notifier::row::{Cue, Cues, Waiting};
use crate::mechanism::notifier::voice::Arrival;
use crate::mechanism::place::View;

impl Control {
    /// Next station and destination whose packets a category of a watched station sends first.
    pub fn serves_first(&self, place: usize, class: u8) -> Option<(u32, u32)> {
        self.places[place].detector.serves_first(class)
    }

    /// Passes the detector's signal to a notifier that receives all of them. False for others, and where nothing was said.
    pub(super) fn steps_by_itself(&mut self, class: usize, signal: Option<Signal>) -> bool {
        let (true, Some(signal)) = (self.facts.hears.has(Cues::SIGNALS), signal) else {
            return false;
        };
        self.tell(&Cue::Said { class, signal });
        true
    }

    /// A data frame of an upstream station said how many steps the station has taken.
    pub fn reported(&mut self, from: u32, category: u8, level: u8) {
        self.tell(&Cue::Reported {
            from,
            category,
            level,
        });
    }

    /// A frame of another station was overheard.
    pub fn overheard(&mut self, place: usize, mut view: View, seen: &Overheard) {
        let watched = &mut self.places[place];
        if !watched.detector.needs().needs.has(Set::OVERHEARING) {
            return;
        }
        let was = watched.is_congested(view.class);
        let signal = watched.observe(&Moment::Overheard(seen), &mut view);
        if self.steps_by_itself(view.class, signal) {
            return;
        }
        if signal.is_some_and(Signal::congested) && !was {
            let arrival = Arrival::none(view.now, view.class, PortId::NONE);
            self.begin(place, &arrival, &Waiting::nothing());
        } else if signal.is_some_and(Signal::over) && was {
            self.end(place, view.class, view.now);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use backwater_transport::units::{Span, Time};

    use super::*;
    use crate::mechanism::detector::AnyDetector;
    use crate::mechanism::moment::{Identity, Seen};
    use crate::mechanism::needs::Needs;
    use crate::mechanism::notifier::adaptive::Adaptive;
    use crate::mechanism::notifier::{AdaptiveTerms, Cast, Reach};
    use crate::mechanism::place::{Place, Rhythm};
    use crate::mechanism::watched::Watched;
    use crate::table::Id;

    /// Says one thing after the other, of frames that it overhears or at its timer.
    #[derive(Clone, Debug)]
    struct Says(Vec<Signal>, Set);

    impl Detector for Says {
        fn needs(&self) -> Needs {
            Needs::of(self.1)
        }

        fn observe(&mut self, _: &Moment, _: &View) -> Option<Signal> {
            Some(self.0.remove(0))
        }
    }

    /// A station that tells its neighbours for 100 ms, in units of 100 µs, what such a detector says.
    pub(in super::super) fn control(says: &[Signal], needs: Set) -> Control {
        told_by(says, needs, terms())
    }

    /// The terms of its notices; an early warning goes to who owns more than a hundredth.
    pub(in super::super) fn terms() -> AdaptiveTerms {
        AdaptiveTerms {
            initial: Span::millis(100),
            increase: 1.0,
            decrease: 1.0,
            bounds: [Span::millis(100); 2],
            lead: Span::ZERO,
            unit: Span::micros(100),
            each_departure: false,
            renew_when_stopped: true,
            by_destination: false,
            owner: 0.01,
            owner_of_buffer: true,
            cast: Cast::Group,
            reach: Reach::Tree,
            addressed: true,
        }
    }

    /// The same with other terms.
    pub(in super::super) fn told_by(says: &[Signal], needs: Set, terms: AdaptiveTerms) -> Control {
        let memory = Adaptive::new(terms, 0, true, vec![1], 10);
        let mut control = Control::new(Id::new(0), 0, Box::new(memory), &[]);
        let detector = AnyDetector::Custom(Box::new(Says(says.into(), needs)));
        let rhythm = Rhythm {
            period: Span::millis(1),
            window: 1,
        };
        control.watch(Watched::new(
            Place::Attachment(0),
            detector,
            Some(rhythm),
            needs.has(Set::HOLDINGS),
        ));
        control
    }

    /// Units of the notices that are to be sent.
    pub(in super::super) fn said(control: &mut Control) -> Vec<u16> {
        std::iter::from_fn(|| control.next_told())
            .map(|told| told.notice.quanta())
            .collect()
    }

    const SIGNALS: [Signal; 5] = [
        Signal::Clear,
        Signal::Congested,
        Signal::Congested,
        Signal::Easing,
        Signal::Clear,
    ];
    /// Congestion is told once, and its end once; what eases is neither.
    const TOLD: [&[u16]; 5] = [&[], &[1000], &[], &[], &[0]];

    fn level(ms: u64) -> View<'static> {
        View::level(Time::ZERO + Span::millis(ms), 0, 10, 100)
    }

    #[test]
    fn what_is_overheard_begins_and_ends_congestion() {
        let seen = Overheard {
            class: 0,
            by: 1,
            packet: Identity {
                flow: Id::raw(0),
                seq: 0,
            },
            to: 0,
            backlog: None,
        };
        let mut hears = control(&SIGNALS, Set::OVERHEARING);
        for (ms, told) in (1..).zip(TOLD) {
            hears.overheard(0, level(ms), &seen);
            assert_eq!(said(&mut hears), told, "{ms}");
        }
        let mut deaf = control(&SIGNALS, Set::NONE);
        for ms in 1..=5 {
            deaf.overheard(0, level(ms), &seen);
        }
        assert_eq!(said(&mut deaf), []);
    }

    #[test]
    fn what_rates_say_begins_and_ends_congestion() {
        let mut looks = control(&SIGNALS, Set::RATES);
        for (ms, told) in (1..).zip(TOLD) {
            let changed = looks.sample(0, &[level(ms)], None, Id::NONE, |_| [].into());
            assert_eq!(
                (changed, said(&mut looks)),
                (!told.is_empty(), told.into()),
                "{ms}"
            );
        }
    }

    /// A detector from outside may speak at every arrival: that a queue is clear is no news, and its congestion is told once.
    #[test]
    fn what_arrivals_say_begins_congestion_once() {
        let mut looks = control(&SIGNALS[..3], Set::NONE);
        let seen = Seen::of_class(0);
        for (ms, told) in (1..).zip(&TOLD[..3]) {
            let arrival = Arrival::none(level(ms).now, 0, PortId::NONE);
            let changed = looks.enqueued(0, level(ms), &seen, &arrival, &Waiting::nothing());
            assert_eq!(
                (changed, said(&mut looks)),
                (!told.is_empty(), told.to_vec()),
                "{ms}"
            );
        }
    }
}
