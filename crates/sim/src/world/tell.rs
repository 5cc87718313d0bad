//! Notices on their way: as control frames on wires, ahead of data, which take effect when the receiver's reaction time is
//! over; as management frames between stations, ahead of the data of the highest category; as header fields of data frames.

use backwater_transport::units::Time;

use super::World;
use crate::event::Event;
use crate::mechanism::carrier::Toward;

impl World {
    /// Sends what mechanisms have said during this event.
    pub(super) fn post_all(&mut self, now: Time) {
        while let Some((control, told)) = self.shared.mechanisms.outbox.pop_front() {
            let to = told.to;
            let (shared, media) = (&mut self.shared, &mut self.media);
            if to != Toward::Itself {
                shared.mechanisms.hearing[told.notice.mechanism as usize].issued += 1;
            }
            match (to, shared.mechanisms.controls[control].station()) {
                (Toward::Port(id), _) => shared.post(control, id, told.notice, now),
                (_, Some(station)) => media.post(shared, (control, told), station, now),
                (_, None) => unreachable!("only stations tell stations"),
            }
            if let Some((neighbour, epoch, delay)) =
                self.shared.mechanisms.controls[control].start_timer(to)
            {
                self.shared.run.calendar.push(
                    now + delay,
                    Event::Refresh {
                        control,
                        neighbour,
                        epoch,
                    },
                );
            }
        }
    }
}
