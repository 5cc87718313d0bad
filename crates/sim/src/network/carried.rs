//! Notices that data frames bring to the neighbour: header fields, and the echoes of marks.
//!
//! A data frame takes one field and is longer by its bytes. The receiver reacts as to a control frame, when its reaction
//! time is over. An ACK with an echo of a mark brings a notice without a byte more.

use std::collections::VecDeque;
use std::sync::Arc;

use backwater_transport::units::Time;

use super::{Network, Role};
use crate::books::Books;
use crate::event::Event;
use crate::ids::{NoticeId, PacketId, PortId};
use crate::mechanism::Echo;
use crate::mechanism::notice::Notice;
use crate::record::fingerprint::Mark;
use crate::run::Run;

/// The notices that data frames of a port bring to the far end.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// Fields that wait for a data frame.
    pub waiting: VecDeque<NoticeId>,
    /// Notices on the wire, with data frames.
    pub riding: VecDeque<NoticeId>,
    /// Who reads echoes of marks here.
    pub echoes: Vec<Echo>,
}

impl Network {
    /// Lets the next data frame that leaves a port take a notice. One about the same that still waits is replaced.
    pub(crate) fn post_in_header(
        &mut self,
        books: &mut Books,
        id: PortId,
        notice: Notice,
        now: Time,
    ) {
        let carried = self.ports[id].more.carried.as_mut();
        let waiting = &mut carried.expect("a port whose frames take fields").waiting;
        let replaced = |n: &NoticeId| self.mail.see(*n).replaced_by(&notice);
        if let Some(at) = waiting.iter().position(replaced) {
            let posted = waiting.remove(at).expect("found above");
            waiting.push_back(posted);
            return self.mail.replace(posted, notice);
        }
        books.note_carried(&notice, id, now);
        waiting.push_back(self.mail.put(notice));
    }

    /// A data frame begins to leave a port. It takes the field that has waited longest. An ACK with an echo of a mark
    /// brings a notice too.
    pub(super) fn carry_notices(
        &mut self,
        run: &mut Run,
        id: PortId,
        packet_id: PacketId,
        begin: Time,
    ) {
        let (port, packet) = (&mut self.ports[id], &mut self.packets[packet_id]);
        let carried = port.more.carried.as_mut().expect("asked by its flag");
        let field = carried.waiting.pop_front();
        carried.riding.extend(field);
        let mut notices = usize::from(field.is_some());
        if let Some(field) = field {
            let bytes = self.mail.see(field).field_size();
            let longer = bytes * port.ps_per_byte;
            (port.next_try.0, port.gap_until.0) =
                (port.next_try.0 + longer, port.gap_until.0 + longer);
            packet.serial += longer;
            port.more.sent.control_bytes += bytes;
            // The last record is that of this frame: `note_departure` has just added it.
            if let Some(sent) = run.books.record.as_mut().and_then(|r| r.last_mut()) {
                sent.notice = Some(Arc::new(self.mail.see(field).clone()));
            }
        }
        if let Role::Acks(_) = self.flows[packet.flow].role {
            let header = &self.headers[packet_id];
            for echo in &mut carried.echoes {
                if let Some(notice) = echo.read(packet.flow, packet.class(), header) {
                    run.books.note_carried(&notice, id, begin);
                    carried.riding.push_back(self.mail.put(notice));
                    notices += 1;
                }
            }
        }
        let arrives = port.next_try + port.delay;
        for _ in 0..notices {
            run.calendar.push(arrives, Event::Carried(id));
        }
    }

    /// The data frame that brings the oldest notice on a port's wire has reached the far end: its receiver reacts later.
    pub(crate) fn receive_carried(&mut self, run: &mut Run, id: PortId, now: Time) {
        let carried = self.ports[id].more.carried.as_mut();
        let riding = &mut carried.expect("a port with notices on its wire").riding;
        let posted = riding.pop_front().expect("a notice for each event");
        self.await_reaction(run, id, posted, now);
    }
}

impl Books {
    /// Counts a notice that a data frame brings.
    fn note_carried(&mut self, notice: &Notice, id: PortId, now: Time) {
        let detail = u64::from(notice.classes) << 16 | u64::from(notice.quanta());
        self.fingerprint.add(Mark::Notice, now, id.0, detail);
        self.notices_sent += 1;
        self.notices_carried += 1;
    }
}
