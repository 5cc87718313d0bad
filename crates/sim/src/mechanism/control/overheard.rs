//! What a station overhears, and the steps that it tells itself.

use super::{Control, Memory};
use crate::ids::PortId;
use crate::mechanism::detector::Detector;
use crate::mechanism::moment::{Moment, Overheard, Signal};
use crate::mechanism::needs::Set;
use crate::mechanism::notifier::voice::Arrival;
use crate::mechanism::place::View;

impl Control {
    /// Lets a station that tells itself its steps know what its detector said. False for others, and where nothing was said.
    pub(super) fn steps_by_itself(&mut self, class: usize, signal: Option<Signal>) -> bool {
        let (Memory::Own(steps), Some(signal)) = (&mut self.memory, signal) else {
            return false;
        };
        steps.judge(class, signal, &mut self.outbox);
        true
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
            self.begin(place, &arrival, || [].into());
        } else if signal.is_some_and(Signal::over) && was {
            self.end(place, view.class, view.now);
        }
    }
}
