//! Notices with a duration: who is told early, and what is renewed before it expires.

use backwater_transport::units::Time;

use super::{Control, Memory};
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::notifier::adaptive::Owner;
use crate::mechanism::place::View;

impl Control {
    /// The station holds so much for others that it warns some of them early. True when a notice is to be sent.
    pub(super) fn warn_early(&mut self, place: usize, view: &View) -> bool {
        let holdings = self.places[place].holdings.as_deref();
        if let (Memory::Adaptive(adaptive), Some(held)) = (&mut self.memory, holdings) {
            adaptive.warn_early(view, held, view.now, &mut self.outbox);
        }
        !self.outbox.is_empty()
    }

    /// Whether an early warning must know whose packets fill the buffer. Clears that flag.
    pub fn takes_owners(&mut self) -> bool {
        match &mut self.memory {
            Memory::Adaptive(adaptive) => adaptive.takes_owners(),
            Memory::Standing(_) | Memory::Requests(_) | Memory::Own(_) | Memory::Marks => false,
        }
    }

    /// Tells the early warning whose packets fill the buffer.
    pub fn owners(&mut self, view: &View, owners: &[Owner]) {
        if let Memory::Adaptive(adaptive) = &mut self.memory {
            adaptive.owners(view, owners, view.now, &mut self.outbox);
        }
    }

    /// The category whose notice is about to expire, if this timer says so of it.
    pub fn expires(&self, timer: u8, epoch: u16, now: Time) -> Option<usize> {
        match &self.memory {
            Memory::Adaptive(adaptive) => adaptive.expires(timer, epoch, now),
            Memory::Standing(_) | Memory::Requests(_) | Memory::Own(_) | Memory::Marks => None,
        }
    }

    /// A notice of the class of `view` is about to expire: it is renewed if congestion lasts. `stopped` says that the
    /// station itself may send nothing now.
    pub fn expiring(&mut self, place: usize, mut view: View, stopped: bool) {
        let watched = &mut self.places[place];
        let (class, was) = (view.class, watched.is_congested(view.class));
        let signal = watched.observe(&Moment::Expiring, &mut view);
        let lasts = signal.map_or(was, Signal::congested);
        match &mut self.memory {
            Memory::Adaptive(adaptive) if lasts && adaptive.renews(stopped) => {
                adaptive.renew(class, view.now, &mut self.outbox);
            }
            _ => watched.congested &= !(1 << class),
        }
    }

    /// A neighbour's timer went off: says again what still holds.
    pub fn refresh(&mut self, neighbour: u8, epoch: u16) {
        if let Memory::Standing(standing) = &mut self.memory {
            standing.refresh(neighbour, epoch, &mut self.outbox);
        }
    }
}
