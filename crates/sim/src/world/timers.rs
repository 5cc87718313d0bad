//! Timers of mechanisms: those of their notices, and those of their detectors.

use backwater_transport::units::Time;

use super::World;
use crate::event::Event;
use crate::ids::ControlId;
use crate::mechanism::place::Place;

impl World {
    /// A timer of a mechanism's notices went off: for a neighbour's, or for a notice that is about to expire.
    pub(super) fn refresh(&mut self, control: ControlId, timer: u8, epoch: u16, now: Time) {
        let mechanisms = &mut self.shared.mechanisms;
        let mechanism = &mut mechanisms.controls[control];
        let expires = mechanism.expires(timer, epoch, now);
        let (Some(class), Some(station)) = (expires, mechanism.station()) else {
            return mechanisms.refresh(control, timer, epoch);
        };
        let (shared, media) = (&mut self.shared, &self.media);
        media.notice_expires(shared, control, (station, class), now);
    }

    /// A detector's timer has come.
    pub(super) fn observe(&mut self, control: ControlId, place: u8, now: Time) {
        let number = usize::from(place);
        match self.shared.mechanisms.controls[control].place(number) {
            Place::Egress(port) => self.shared.observe_port(control, number, port, now),
            Place::Attachment(station) => {
                let (shared, media) = (&mut self.shared, &self.media);
                media.observe(shared, (control, number), station, now);
            }
            Place::Ingress(_) => {}
        }
        if let Some(rhythm) = self.shared.mechanisms.controls[control].rhythm(number) {
            let next = now + rhythm.period;
            let timer = Event::Observe { control, place };
            self.shared.run.calendar.push(next, timer);
        }
    }
}
