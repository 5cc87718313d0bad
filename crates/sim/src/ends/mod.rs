//! The two ends of all flows with a transport.

mod ideal;
mod report;
mod show;

use crate::calendar::Calendar;
use crate::connection::Connection;
use crate::connection::Side;
use crate::event::Event;
use crate::ids::ConnectionId;
use crate::progress::Progress;
use crate::table::Table;
use backwater_transport::units::Time;

/// The ends, and what they have delivered over time.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    /// A row for each flow with a transport.
    pub connections: Table<Connection>,
    /// When flows that send without end began to share evenly.
    pub(crate) progress: Progress,
}

// ADDED
impl Ends {
    /// A report changes nothing: what arrives at this very instant may not all have been delivered.
    pub(crate) fn progress(&self, now: Time) -> Progress {
        let mut progress = self.progress.clone();
        progress.note(now, |id| self.connections[id].receiver.delivered());
        progress
    }

    /// Sees to it that an end is called when something is due.
    #[inline(always)]
    pub(crate) fn set_alarm(&mut self, calendar: &mut Calendar, id: ConnectionId, side: Side) {
        let c = &mut self.connections[id];
        let due = match side {
            Side::Sender => c.sender.due(),
            Side::Receiver => c.receiver.due(),
        };
        if c.alarms.needs(side, due) {
            let connection = id;
            calendar.push(due, Event::Timer { connection, side });
        }
    }
}
