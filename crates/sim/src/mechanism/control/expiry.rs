//! Notices with a duration: who is told early, and what is renewed before it expires.

use backwater_transport::units::Time;

use super::{Control, Watched};
use crate::mechanism::carrier::Toward;
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::notifier::row::{Cue, Waiting};
use crate::mechanism::place::View;
use crate::mechanism::watched::HeldBack;

impl Control {
    /// The station holds so much for others that it warns some of them early. True when a notice is to be sent.
    pub(super) fn warn_early(&mut self, place: usize, view: &View, waiting: &Waiting) -> bool {
        let holdings = self.places[place].holdings.as_deref();
        if holdings.is_some() {
            let view = &View { holdings, ..*view };
            let cue = Cue::Early { view, waiting };
            self.notifier.on(&cue, &mut self.outbox);
        }
        !self.outbox.is_empty()
    }

    /// The category whose notice is about to expire, if this timer says so of it.
    pub fn expires(&self, timer: u8, epoch: u16, now: Time) -> Option<usize> {
        self.notifier.expires(timer, epoch, now)
    }

    /// Whether a station that is stopped itself lets its notices expire.
    pub fn expires_when_stopped(&self) -> bool {
        self.facts.lets_expire
    }

    /// A notice of the class of `view` is about to expire: it is renewed if congestion lasts. `stopped` says that the
    /// station itself may send nothing now. So it is, too, if what it holds beside `held_back` is no congestion.
    pub fn expiring(
        &mut self,
        place: usize,
        mut view: View,
        stopped: bool,
        held_back: &HeldBack,
        waiting: &Waiting,
    ) {
        let watched = &mut self.places[place];
        let (class, was) = (view.class, watched.is_congested(view.class));
        let signal = watched.observe(&Moment::Expiring, &mut view);
        let lasts = signal.map_or(was, Signal::congested);
        let blocked =
            |w: &mut Watched| !held_back.frames.is_empty() && !w.lasts_without(held_back, &view);
        let stopped = stopped || lasts && blocked(watched);
        if !lasts || stopped && self.facts.lets_expire {
            watched.congested &= !(1 << class);
            return;
        }
        let holdings = watched.holdings.as_deref();
        let view = &View { holdings, ..view };
        let cue = Cue::Lasts { view, waiting };
        self.notifier.on(&cue, &mut self.outbox);
    }

    /// Whether a station was told to stop and that holds still: a notice that lasts while congestion does, or one that has
    /// been renewed and will be.
    pub fn stops_still(&self, station: u32, now: Time) -> bool {
        let to = Toward::Station(station);
        !self.notifier.holding(to, now).is_empty()
    }

    /// A timer of its notices went off: says again what still holds.
    pub fn refresh(&mut self, timer: u8, epoch: u16) {
        self.tell(&Cue::Due { timer, epoch });
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::units::{Span, Time};

    use super::super::overheard::tests::{said, terms, told_by};
    use super::*;
    use crate::ids::PortId;
    use crate::mechanism::moment::Seen;
    use crate::mechanism::needs::Set;
    use crate::mechanism::notifier::AdaptiveTerms;
    use crate::mechanism::notifier::row::Owner;
    use crate::mechanism::notifier::voice::Arrival;

    fn level(ms: u64) -> View<'static> {
        View::level(Time::ZERO + Span::millis(ms), 0, 40, 100)
    }

    /// A frame of station 1 joins what a station holds for others.
    fn arrive(control: &mut Control, ms: u64) -> bool {
        let seen = Seen {
            bytes: 40,
            prev: Some(1),
            ..Seen::of_class(0)
        };
        let arrival = Arrival::none(level(ms).now, 0, PortId::NONE);
        let owners = || {
            let (station, host, bytes) = (1, 7, 40);
            vec![Owner {
                station,
                host,
                bytes,
            }]
        };
        let waiting = Waiting {
            owners: &owners,
            ..Waiting::nothing()
        };
        control.enqueued(0, level(ms), &seen, &arrival, &waiting)
    }

    /// The neighbour whose packets fill the buffer is told, and told again when the buffer is still full before that ends; it
    /// isn't where the station itself is stopped and lets its notices expire, be it by a gate for all or by what it may not send.
    #[test]
    fn an_early_warning_is_sent_and_looked_at_before_it_ends() {
        let early = [Signal::EarlyWarning, Signal::Congested, Signal::Clear];
        for (renew_when_stopped, stopped, blocked, expected) in [
            (true, true, true, vec![1000]),
            (false, false, false, vec![1000]),
            (false, true, false, vec![]),
            (false, false, true, vec![]),
        ] {
            let terms = AdaptiveTerms {
                renew_when_stopped,
                ..terms()
            };
            let mut control = told_by(&early, Set::HOLDINGS, terms);
            assert_eq!(control.expires_when_stopped(), !renew_when_stopped);
            assert!(arrive(&mut control, 1), "something is to be said");
            assert_eq!(said(&mut control), [1000]);
            let (class, epoch, _) = control.start_timer(Toward::Station(1)).expect("one");
            assert_eq!(control.expires(class, epoch, level(90).now), Some(0));
            let seen = Seen {
                bytes: 40,
                prev: Some(1),
                ..Seen::of_class(0)
            };
            let mut held_back = HeldBack::default();
            if blocked && !renew_when_stopped {
                held_back.frames.push(seen);
            }
            control.expiring(0, level(90), stopped, &held_back, &Waiting::nothing());
            assert_eq!(
                said(&mut control),
                expected,
                "{renew_when_stopped} {stopped} {blocked}"
            );
            let still = control.stops_still(1, level(95).now);
            assert_eq!(still, renew_when_stopped);
        }
    }

    /// Where a warning names the destination, the notifier looks whose packets they are, and for whom.
    #[test]
    fn an_early_warning_about_a_destination_asks_for_owners() {
        let terms = AdaptiveTerms {
            by_destination: true,
            ..terms()
        };
        let mut control = told_by(&[Signal::EarlyWarning], Set::HOLDINGS, terms);
        assert!(arrive(&mut control, 1), "something is to be said");
        let told = control.next_told().expect("a notice").notice;
        assert_eq!((told.host_numbers(), told.quanta()), (vec![7], 1000));
        assert!(control.next_told().is_none());
    }
}
