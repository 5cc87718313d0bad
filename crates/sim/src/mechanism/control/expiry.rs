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
