//! The state of a sender of datagrams, for `skip`.

use super::sender::{DatagramSender, Episode};
use crate::walk::{Base, OnTheWay, Walk};

impl DatagramSender {
    pub(super) fn numbers(&self) -> Base {
        self.core.add_to(Base {
            number: self.next,
            byte: self.sent,
            upto: self.next,
            ..Base::default()
        })
    }

    /// An overtaken packet matters while it or its acknowledgement is on the way. Those before it in the list are forgotten first.
    fn visit_overtaken(&mut self, walk: &mut Walk, base: &Base, on_the_way: &OnTheWay) {
        walk.same(self.overtaken.len() as u64);
        let may_come = self.overtaken.iter().any(|o| o.0 >= on_the_way.number);
        walk.same(may_come);
        for (number, len) in &mut self.overtaken {
            if may_come {
                walk.long(number, base.number);
                walk.same(*len);
            } else {
                walk.count(number);
            }
        }
    }

    pub(super) fn visit(&mut self, walk: &mut Walk, flow: &str, on_the_way: &OnTheWay) {
        let base = self.numbers();
        let first = self.next - self.packets.len() as u64;
        self.visit_overtaken(walk, &base, on_the_way);
        let DatagramSender {
            core,
            mss,
            silence: _,
            written,
            sent,
            packets,
            next,
            in_flight,
            overtaken: _,
            episode,
            first_after_reduction,
            mark_ends,
            deadline,
            extra,
            paced,
            capped,
        } = self;
        core.walk(walk, flow);
        walk.same(packets.len() as u64);
        for (len, snapshot) in packets {
            walk.same(*len);
            snapshot.walk(walk, &base);
        }
        walk.same(*in_flight);
        walk.same(episode.is_some());
        if let Some(Episode {
            from,
            until,
            missing,
        }) = episode
        {
            walk.long(from, base.number);
            walk.long(until, base.number);
            walk.same(*missing);
        }
        walk.above(first_after_reduction, first);
        walk.above(mark_ends, on_the_way.number.min(first));
        walk.until(deadline);
        walk.same(*extra);
        walk.same(*paced);
        walk.same(*capped);
        walk.up_to(*sent, written, *mss);
        walk.count(sent);
        walk.count(next);
    }
}
