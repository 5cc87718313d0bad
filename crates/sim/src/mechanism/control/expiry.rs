//! Notices with a duration: who is told early, and what is renewed before it expires.

use backwater_transport::units::Time;

use super::{Control, Memory, Watched};
use crate::mechanism::carrier::Toward;
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::notifier::adaptive::Owner;
use crate::mechanism::place::View;
use crate::mechanism::watched::HeldBack;

impl Control {
    /// The station holds so much for others that it warns some of them early. True when a notice is to be sent.
    pub(super) fn warn_early(&mut self, place: usize, view: &View) -> bool {
        let holdings = self.places[place].holdings.as_deref();
        if let (Memory::Adaptive(adaptive), Some(held)) = (&mut self.memory, holdings) {
            adaptive.warn_early(view, held, &mut self.outbox);
        }
        !self.outbox.is_empty()
    }

    /// Whether an early warning must know whose packets fill the buffer.
    pub fn takes_owners(&self) -> bool {
        match &self.memory {
            Memory::Adaptive(adaptive) => adaptive.takes_owners(),
            Memory::Standing(_) | Memory::Requests(_) | Memory::Own(_) | Memory::Marks => false,
        }
    }

    /// Tells the early warning whose packets fill the buffer.
    pub fn owners(&mut self, view: &View, owners: &[Owner]) {
        if let Memory::Adaptive(adaptive) = &mut self.memory {
            adaptive.owners(view, owners, &mut self.outbox);
        }
    }

    /// The category whose notice is about to expire, if this timer says so of it.
    pub fn expires(&self, timer: u8, epoch: u16, now: Time) -> Option<usize> {
        match &self.memory {
            Memory::Adaptive(adaptive) => adaptive.expires(timer, epoch, now),
            Memory::Standing(_) | Memory::Requests(_) | Memory::Own(_) | Memory::Marks => None,
        }
    }

    /// Whether a station that is stopped itself lets its notices expire.
    pub fn expires_when_stopped(&self) -> bool {
        matches!(&self.memory, Memory::Adaptive(adaptive) if !adaptive.renews(true))
    }

    /// A notice of the class of `view` is about to expire: it is renewed if congestion lasts. `stopped` says that the
    /// station itself may send nothing now. So it is, too, if what it holds beside `held_back` is no congestion.
    pub fn expiring(&mut self, place: usize, mut view: View, stopped: bool, held_back: &HeldBack) {
        let watched = &mut self.places[place];
        let (class, was) = (view.class, watched.is_congested(view.class));
        let signal = watched.observe(&Moment::Expiring, &mut view);
        let lasts = signal.map_or(was, Signal::congested);
        let blocked =
            |w: &mut Watched| !held_back.frames.is_empty() && !w.lasts_without(held_back, &view);
        let stopped = stopped || lasts && blocked(watched);
        match &mut self.memory {
            Memory::Adaptive(adaptive) if lasts && adaptive.renews(stopped) => {
                adaptive.renew(&view, watched.holdings.as_deref(), &mut self.outbox);
            }
            _ => watched.congested &= !(1 << class),
        }
    }

    /// Whether a station was told to stop and that holds still: a notice that lasts while congestion does, or one that has
    /// been renewed and will be.
    pub fn stops_still(&self, station: u32, now: Time) -> bool {
        match &self.memory {
            Memory::Adaptive(adaptive) => adaptive.stops_still(station, now),
            Memory::Standing(standing) => {
                let to = [Toward::Station(station), Toward::Everybody];
                to.iter().any(|to| standing.holding(*to).next().is_some())
            }
            Memory::Requests(_) | Memory::Own(_) | Memory::Marks => false,
        }
    }

    /// A neighbour's timer went off: says again what still holds.
    pub fn refresh(&mut self, neighbour: u8, epoch: u16) {
        if let Memory::Standing(standing) = &mut self.memory {
            standing.refresh(neighbour, epoch, &mut self.outbox);
        }
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
        control.enqueued(0, level(ms), &seen, &arrival, || [].into())
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
            control.expiring(0, level(90), stopped, &held_back);
            assert_eq!(
                said(&mut control),
                expected,
                "{renew_when_stopped} {stopped} {blocked}"
            );
            let still = control.stops_still(1, level(95).now);
            assert_eq!(still, renew_when_stopped);
        }
    }

    /// Where a warning names the destination, whose packets they are has to be asked first.
    #[test]
    fn an_early_warning_about_a_destination_asks_for_owners() {
        let terms = AdaptiveTerms {
            by_destination: true,
            ..terms()
        };
        let mut control = told_by(&[Signal::EarlyWarning], Set::HOLDINGS, terms);
        assert!(!arrive(&mut control, 1) && control.takes_owners());
        let owner = Owner {
            station: 1,
            host: 7,
            bytes: 40,
        };
        control.owners(&level(1), &[owner]);
        let told = control.next_told().expect("a notice").notice;
        assert_eq!((told.host_numbers(), told.quanta()), (vec![7], 1000));
        assert!(!control.takes_owners());
    }
}
