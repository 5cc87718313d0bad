//! The state of a network, for `skip`. Packets are visited in the order of the lists that hold them, never by their place in
//! the arena, and notices with the frames that bring them.

mod port;

use backwater_transport::units::Time;
use backwater_transport::walk::{Base, OnTheWay, Walk};
use smallvec::SmallVec;

use super::mail::Mail;
use super::{Flow, Network, Node, Role};
use crate::books::Books;
use crate::connection::Header;
use crate::ids::NoticeId;
use crate::packet::{List, Packet};
use crate::source::Source;
use crate::table::Table;
use crate::targets::Targets;

/// The packets of a connection: what their numbers are compared with, and what of them is on the way.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Talk {
    pub(crate) base: Base,
    pub(crate) on_the_way: OnTheWay,
    /// Whether its source has a demand to come.
    pub(crate) goes_on: bool,
}

/// What a packet is seen against.
struct Around<'a> {
    mail: &'a Mail,
    flows: &'a Table<Flow>,
    books: &'a Books,
    /// The stall clock of the port at which it waits.
    stalled: u64,
}

impl Network {
    pub(crate) fn walk(&mut self, walk: &mut Walk, books: &Books, talks: &mut [Talk]) {
        let Network {
            packets: _,
            headers: _,
            labels,
            spent,
            turns,
            nodes,
            ports: _,
            flows: _,
            hosts: _,
            plan: _,
            mail: _,
            laws,
            refills,
            source_notices,
            limited,
            freed,
        } = self;
        turns.walk(walk);
        for node in &mut nodes.0 {
            node.walk(walk);
        }
        let left = refills.len() + source_notices.len() + freed.len();
        walk.same(left as u64);
        if !labels.is_empty() {
            walk.unable(
                "flows",
                "packets have labels of the program that drives the run, or of a spreader",
            );
        }
        if spent.is_kept() || !limited.is_empty() {
            walk.unable("media", "stations share a medium");
        }
        if !laws.0.is_empty() {
            walk.unable("ports", "a router writes into headers (`stamp`)");
        }
        for id in self.ports.ids() {
            let oldest = self.walk_lists(walk, books, talks, id.index());
            self.ports[id].walk(walk, &self.mail, oldest);
        }
        // Behind the packets, whose numbers are told by those of their flows.
        for flow in &mut self.flows.0 {
            flow.walk(walk);
        }
    }

    /// When the first of the frames that wait came.
    fn walk_lists(
        &mut self,
        walk: &mut Walk,
        books: &Books,
        talks: &mut [Talk],
        port: usize,
    ) -> Time {
        let port = &self.ports.0[port];
        let clock = port.stall_clock(walk.now());
        let queues = port.queues().iter().map(|queue| queue.list);
        let queues: SmallVec<[List; 1]> = queues.collect();
        let oldest = queues.iter().filter(|list| !list.is_empty());
        let oldest = oldest.map(|list| self.packets[list.head()].at).min();
        let queues = queues.into_iter().map(|list| (list, clock));
        let lists = [(port.wire, 0), (port.control, 0)]
            .into_iter()
            .chain(queues);
        for (list, stalled) in lists {
            let around = Around {
                mail: &self.mail,
                flows: &self.flows,
                books,
                stalled,
            };
            let mut at = list.head();
            while !at.is_none() {
                walk.same(1u64);
                let packet = &mut self.packets[at];
                packet.walk(walk, &around);
                if !packet.flow.is_none() {
                    let flow = &self.flows[packet.flow];
                    match flow.role {
                        Role::None => {}
                        Role::Data(id) | Role::Acks(id) => {
                            self.headers[at].walk(walk, &flow.name, &mut talks[id.index()]);
                        }
                    }
                }
                at = self.packets[at].next;
            }
            walk.same(0u64);
        }
        oldest.unwrap_or(walk.now())
    }
}

impl Packet {
    fn walk(&mut self, walk: &mut Walk, around: &Around<'_>) {
        let Packet {
            next: _,
            flow,
            to,
            len,
            traffic,
            entry,
            seq,
            ingress,
            born,
            at,
            serial,
            waited,
            gated,
        } = self;
        walk.same(flow.0);
        match flow.is_none() {
            true => around.mail.see(NoticeId::raw(*to)).walk(walk),
            false => {
                walk.same(*to);
                walk.number(seq, around.flows[*flow].seq);
                // What is lost counts among what entered in the warm-up.
                walk.same(around.books.entered_early(*born));
            }
        }
        walk.same(*len);
        walk.same(u64::from(traffic.class()) << 2 | traffic.ecn() as u64);
        walk.same(*entry);
        walk.same(ingress.0);
        walk.time(born);
        walk.time(at);
        walk.same(*serial);
        walk.same(*waited);
        walk.long(gated, 0u64.wrapping_sub(around.stalled));
    }
}

impl Header {
    fn walk(&mut self, walk: &mut Walk, flow: &str, talk: &mut Talk) {
        let Talk {
            base, on_the_way, ..
        } = talk;
        match self {
            Header::Data(segment, heard) => {
                walk.same(1u64);
                segment.walk(walk, flow, base, on_the_way);
                walk.last(heard);
            }
            Header::Ack(ack) => {
                walk.same(2u64);
                ack.walk(walk, flow, base, on_the_way);
            }
            Header::Signal(_) => walk.unable(flow, "its receiver or a queue sends signals"),
        }
    }
}

impl Flow {
    fn walk(&mut self, walk: &mut Walk) {
        let begun = self.begun();
        let Flow {
            entered,
            to,
            role,
            seq,
            port: _,
            class: _,
            ecn: _,
            outside,
            trimmed: _,
            noticed: _,
            due,
            compass: _,
            random,
            stop,
            packet: _,
            source,
            stats,
            name,
            from: _,
            path: _,
            loose: _,
            variance_time,
        } = self;
        let place = format!("flows.{name}");
        if let Targets::AnyOf { .. } = to {
            walk.unable(&*place, "it draws the destination of each packet");
        }
        if *outside {
            walk.unable(
                &*place,
                "its packets come from the program that drives the run",
            );
        }
        if variance_time.is_some() {
            walk.unable(&*place, "its load is measured by scale");
        }
        walk.fixed(*stop);
        walk.same(begun);
        if !matches!(role, Role::Acks(_)) {
            source.walk(walk, &place, begun);
        }
        if begun {
            walk.same(*due);
            random.walk(walk);
        }
        if walk.counts() {
            entered.walk(walk);
            walk.small(seq);
        }
        stats.walk(walk, &place);
    }

    /// Whether it has sent anything: its first demand comes at an instant that is known from the beginning.
    pub(crate) fn begun(&self) -> bool {
        self.entered.packets > 0
    }
}

impl Node {
    fn walk(&mut self, walk: &mut Walk) {
        let Node {
            alarms,
            pool,
            ledger,
            fabric,
            watch: _,
            host: _,
            ports: _,
            row: _,
            forwards: _,
            stations: _,
            name,
        } = self;
        walk.same(*alarms);
        if let Some(pool) = pool {
            pool.walk(walk);
        }
        if let Some(ledger) = ledger {
            ledger.walk(walk);
        }
        if fabric.is_some() {
            walk.unable(
                format!("nodes.{name}"),
                "its fabric matches inputs and outputs",
            );
        }
    }
}
