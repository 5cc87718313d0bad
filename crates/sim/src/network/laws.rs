//! Laws of explicit feedback at work: they are shown what arrives at a queue and what departs, and rewrite
//! what departs.
//!
//! The backlog is what a buffer counts: frames that wait and, at a wire, the one in transmission; at a station
//! the one in the exchange. Over the air a packet departs when its data frame has been received.
//!
//! A timer of a law at a port goes off when the next packet arrives or departs. Before an arrival it sees the backlog with the frame
//! that was in transmission, before a departure without it; ns-2's queues never count that frame.

use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::segment::{Ecn, Feedback};
use backwater_transport::units::Time;

use super::{Network, Port, Role, Traits};
use crate::books::Books;
use crate::connection::Header;
use crate::ids::{LawId, PacketId, PortId, kind};
use crate::medium::service::Link;
use crate::packet::Traffic;
use crate::stamp::statistics::QueueStatistics;
use crate::stamp::{AnyStamp, Backlog, LawPacket, Passing, Shown, Stamp};
use crate::table::Row;

/// A law and the queue that it watches.
#[derive(Clone, Debug)]
pub struct Law {
    /// The law.
    pub stamp: AnyStamp,
    /// Name of its place: "A>B", or "A>medium".
    pub name: String,
    /// The queue.
    pub queue: Watched,
    /// The link that serves it.
    pub link: Link,
    /// The queue there over time.
    pub statistics: QueueStatistics,
    /// Its values each time a packet was shown to it; kept on demand.
    pub trail: Option<Vec<Values>>,
}

/// Named values of a law at an instant.
pub type Values = (Time, [(&'static str, f64); 4]);

impl Law {
    /// Reads a word of what each packet that is shown to it changes.
    #[inline]
    pub(crate) fn prefetch(&self) -> u64 {
        self.statistics.prefetch()
    }

    fn note(&mut self, now: Time) {
        if let Some(trail) = &mut self.trail {
            trail.push((now, self.stamp.values()));
        }
    }
}

/// The queue that a law watches.
#[derive(Copy, Clone, Debug)]
pub enum Watched {
    /// A port's.
    Port(PortId),
    /// A station's, and what waits there.
    Station(Backlog),
}

impl Row for Law {
    type Kind = kind::Law;
}

impl Port {
    /// Bytes in the class queues; the frame in transmission counts.
    #[inline]
    fn backlog(&self) -> Backlog {
        if let [only] = self.queues() {
            return Backlog {
                bytes: only.bytes,
                packets: only.packets.into(),
            };
        }
        let mut sum = Backlog::default();
        for queue in self.queues() {
            sum.bytes += queue.bytes;
            sum.packets += u64::from(queue.packets);
        }
        sum
    }
}

impl Network {
    /// Mean and deviation of what waited in a law's queue, in packets; none within the warm-up.
    pub fn statistics(&self, law: &Law, now: Time) -> Option<(f64, f64)> {
        let mut statistics = law.statistics;
        statistics.stood(self.backlog_of(law), now);
        statistics.moments()
    }

    #[inline]
    fn backlog_of(&self, law: &Law) -> Backlog {
        match law.queue {
            Watched::Port(port) => self.ports[port].backlog(),
            Watched::Station(waits) => waits,
        }
    }

    /// A packet has come to a port. It is not in the queue yet, or is lost.
    #[inline(always)]
    pub(crate) fn stamp_arrival(&mut self, id: PortId, packet: PacketId, lost: bool, now: Time) {
        if self.ports[id].is(Traits::STAMPED) {
            self.show_arrival_at_port(id, packet, lost, now);
        }
    }

    #[inline]
    fn show_arrival_at_port(&mut self, id: PortId, packet: PacketId, lost: bool, now: Time) {
        for i in 0..self.ports[id].more.laws.len() {
            let shown = self.ports[id].more.laws[i];
            match (shown.own, shown.observes) {
                (true, true) => self.show_arrival(shown.law, packet, lost, now),
                (true, false) => {
                    let backlog = self.ports[id].backlog();
                    let law = &mut self.laws[shown.law];
                    law.statistics.stood(backlog, now);
                    law.note(now);
                }
                (false, _) => {}
            }
        }
    }

    /// A packet is about to leave the buffer of a port with laws: up to now the buffer has counted it.
    #[inline(never)]
    pub(crate) fn stamp_backlog(&mut self, id: PortId, now: Time) {
        let backlog = self.ports[id].backlog();
        for shown in self.ports[id].more.laws.iter().filter(|shown| shown.own) {
            self.laws[shown.law].statistics.stood(backlog, now);
        }
    }

    /// A packet leaves a port with laws; its queue still counts it if that is a wire's.
    #[inline]
    pub(crate) fn stamp_departure(
        &mut self,
        books: &mut Books,
        id: PortId,
        packet: PacketId,
        now: Time,
    ) {
        for i in 0..self.ports[id].more.laws.len() {
            let shown = self.ports[id].more.laws[i];
            self.show_departure(books, shown, id, packet, now);
        }
    }

    /// Shows a packet to the law of the queue to which it comes. A call: most ports have one law, for which a loop would
    /// prepare more than it does.
    #[inline(never)]
    pub(crate) fn show_arrival(&mut self, law: LawId, packet: PacketId, lost: bool, now: Time) {
        let mut seen = self.seen(law, packet, now);
        seen.lost = lost;
        let of_connection = self.flows[self.packets[packet].flow].role != Role::None;
        let header = of_connection.then(|| &self.headers[packet]);
        let law = &mut self.laws[law];
        law.statistics.stood(seen.backlog, now);
        law.stamp.update(now, seen.backlog);
        law.stamp.arrive(&seen, header.and_then(congestion_header));
        law.note(now);
    }

    /// Lets a law write into a packet that departs from an egress.
    #[inline(never)]
    pub(crate) fn show_departure(
        &mut self,
        books: &mut Books,
        shown: Shown,
        place: PortId,
        packet: PacketId,
        now: Time,
    ) {
        let mut seen = self.seen(shown.law, packet, now);
        let before = seen.backlog;
        // A trace link has already given up the room of a packet that leaves.
        if shown.own && !self.laws[shown.law].link.releases_at_choice() {
            let frame = self.packets[packet].frame();
            seen.backlog.bytes -= frame;
            seen.backlog.packets -= 1;
        }
        let found = self.packets[packet].traffic.ecn();
        let mut ecn = found;
        let of_connection = self.flows[self.packets[packet].flow].role != Role::None;
        let (header, window) = match of_connection.then(|| &mut self.headers[packet]) {
            Some(Header::Data(segment, _)) => (segment.feedback.as_deref_mut(), None),
            Some(Header::Ack(ack)) => (None, Some(&mut ack.window)),
            Some(Header::Signal(_)) => (None, None),
            None => (None, None),
        };
        let mut passing = Passing {
            header: header.and_then(congestion),
            ecn: &mut ecn,
            window,
        };
        let law = &mut self.laws[shown.law];
        law.statistics.stood(before, now);
        if shown.observes {
            law.stamp.update(now, before);
        }
        match shown.own {
            true => law.stamp.depart(&seen, &mut passing),
            false => law.stamp.cross(&seen, &mut passing),
        }
        law.note(now);
        if ecn == found {
            return;
        }
        match ecn {
            Ecn::Ce => self.mark(books, packet, place, now),
            Ecn::NotEct | Ecn::Ect0 | Ecn::Ect1 => {
                let packet = &mut self.packets[packet];
                packet.traffic = Traffic::new(packet.class(), ecn);
            }
        }
    }

    /// The queue in front of a radio has changed.
    pub(crate) fn set_backlog(&mut self, law: LawId, backlog: Backlog, now: Time) {
        let law = &mut self.laws[law];
        if let Watched::Station(waits) = &mut law.queue {
            law.statistics.stood(*waits, now);
            law.stamp.update(now, *waits);
            *waits = backlog;
        }
    }

    /// A packet beside a law's queue.
    #[inline(always)]
    fn seen(&mut self, law: LawId, packet: PacketId, now: Time) -> LawPacket {
        let packet = &self.packets[packet];
        let flow = &self.flows[packet.flow];
        let from = flow.from.0;
        // A group has a number beyond those of hosts.
        let to = self
            .hosts
            .get(packet.to as usize)
            .map_or(u32::MAX, |node| node.0);
        let law = &mut self.laws[law];
        let (backlog, offered) = match law.queue {
            Watched::Port(port) => {
                let port = &self.ports[port];
                (port.backlog(), port.more.service.offered())
            }
            Watched::Station(waits) => (waits, None),
        };
        LawPacket {
            now,
            size: law.link.occupied(packet.len),
            ends: [from.min(to), from.max(to)],
            backlog,
            lost: false,
            offered: offered.or_else(|| law.link.offered(now)),
        }
    }
}

/// The congestion header in a segment's feedback.
fn congestion(feedback: &mut Feedback) -> Option<&mut CongestionHeader> {
    match feedback {
        Feedback::Congestion(header) => Some(header),
        Feedback::Forecast { .. } | Feedback::Announce { .. } | Feedback::Wanted { .. } => None,
    }
}

/// The congestion header of a data packet.
fn congestion_header(header: &Header) -> Option<&CongestionHeader> {
    let Header::Data(segment, _) = header else {
        return None;
    };
    match segment.feedback.as_deref()? {
        Feedback::Congestion(header) => Some(header),
        Feedback::Forecast { .. } | Feedback::Announce { .. } | Feedback::Wanted { .. } => None,
    }
}
