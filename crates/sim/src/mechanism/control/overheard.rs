//! What a station overhears or reads in data frames, and the steps that it tells itself.

use super::{Control, Memory};
use crate::ids::PortId;
use crate::mechanism::detector::Detector;
use crate::mechanism::moment::{Moment, Overheard, Signal};
use crate::mechanism::needs::Set;
use crate::mechanism::notifier::voice::Arrival;
use crate::mechanism::place::View;

impl Control {
    /// Next station and destination whose packets a category of a watched station sends first.
    pub fn serves_first(&self, place: usize, class: u8) -> Option<(u32, u32)> {
        self.places[place].detector.serves_first(class)
    }

    /// Lets a station that tells itself its steps know what its detector said. False for others, and where nothing was said.
    pub(super) fn steps_by_itself(&mut self, class: usize, signal: Option<Signal>) -> bool {
        let (Memory::Own(steps), Some(signal)) = (&mut self.memory, signal) else {
            return false;
        };
        steps.judge(class, signal, &mut self.outbox);
        true
    }

    /// A data frame of an upstream station said how many steps the station has taken.
    pub fn reported(&mut self, from: u32, category: u8, level: u8) {
        if let Memory::Requests(requests) = &mut self.memory {
            requests.reported(from, category, level);
        }
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
