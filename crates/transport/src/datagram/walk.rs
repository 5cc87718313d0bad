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
        walk.up_to(*sent, written, *mss);
        walk.count(sent);
        walk.count(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller_interface::Setup;
    use crate::endpoint::Protocol;
    use crate::ends::Sender;
    use crate::random::Random;
    use crate::segment::AckSegment;
    use crate::setup::SenderSetup;
    use crate::units::{Span, Time};

    fn ack(number: u64) -> AckSegment {
        AckSegment {
            number,
            ..AckSegment::default()
        }
    }

    /// Ten packets were sent. The second overtook the first, and the fourth the third: an episode is open. 4 to 9 fly.
    fn sender() -> DatagramSender {
        let row = crate::controller::CONTROLLERS
            .iter()
            .find(|row| row.id == "fixed");
        let args = crate::part::Args(vec![("window", crate::part::Value::Packets(10))]);
        let with = Setup {
            protocol: Protocol::Datagram,
            mss: 1000,
            frame: 1052,
            initial: 10_000,
            random: Random::stream(1, "controller", ""),
        };
        let controller = (row.expect("a row").build)(&args, &with).expect("legal");
        let setup = SenderSetup::new(Protocol::Datagram, 1000, 1052);
        let mut sender = DatagramSender::new(&setup, controller);
        sender.write(10_000);
        while sender.poll(Time(1_000_000)).is_some() {}
        sender.on_ack(Time(4_000_000), &ack(1));
        sender.on_ack(Time(4_500_000), &ack(3));
        sender.write(20_000);
        sender
    }

    /// The least number that a packet on its way has or tells of.
    fn state(mut sender: DatagramSender, number: u64) -> Vec<u64> {
        let mut walk = Walk::look(Time(5_000_000));
        let on_the_way = OnTheWay {
            number,
            ..OnTheWay::default()
        };
        sender.walk(&mut walk, "flow", &on_the_way);
        walk.seen().expect("all is visited").state
    }

    type Change = fn(&mut DatagramSender);

    /// Whatever is changed alone makes another state.
    #[test]
    fn each_part_of_a_sender_is_part_of_its_state() {
        let changes: &[(&str, Change)] = &[
            ("length in flight", |s| s.packets[0].0 -= 1),
            ("instant of a departure", |s| s.packets[0].1.sent.0 += 1),
            ("bytes in flight", |s| s.in_flight += 1),
            ("packets in flight", |s| {
                s.packets.pop_front();
            }),
            ("no episode", |s| s.episode = None),
            ("beginning", |s| s.episode.as_mut().expect("one").from += 1),
            ("end", |s| s.episode.as_mut().expect("one").until += 1),
            ("missing", |s| s.episode.as_mut().expect("one").missing += 1),
            ("after the reduction", |s| s.first_after_reduction = 4),
            ("after it, ahead", |s| s.first_after_reduction = 12),
            ("marks at the edge", |s| s.mark_ends = 4),
            ("marks ahead", |s| s.mark_ends = 9),
            ("timer", |s| s.deadline = s.deadline.after(Span(1))),
            ("extra", |s| s.extra ^= true),
            ("paced", |s| s.paced ^= true),
            ("written", |s| s.written -= 1),
            ("fewer overtaken", |s| {
                s.overtaken.pop_front();
            }),
            ("overtaken", |s| s.overtaken[0].0 += 1),
            ("length of an overtaken packet", |s| s.overtaken[0].1 += 1),
        ];
        let usual = state(sender(), 0);
        for (what, change) in changes {
            let mut other = sender();
            change(&mut other);
            assert_ne!(state(other, 0), usual, "{what}");
        }
    }

    /// An overtaken packet whose answer can't come any more is one like any other; how many there are decides which is forgotten.
    #[test]
    fn what_cannot_come_any_more_matters_no_more() {
        let changed = |change: Change| {
            let mut other = sender();
            change(&mut other);
            other
        };
        let same: &[Change] = &[
            |s| s.overtaken[0].0 += 1,
            |s| s.overtaken[0].1 += 1,
            |s| s.mark_ends = 2,
            |s| s.core.counters.acked += 1,
        ];
        for (at, change) in same.iter().enumerate() {
            assert_eq!(state(changed(*change), 3), state(sender(), 3), "{at}");
        }
        assert_ne!(state(sender(), 3), state(sender(), 2), "the third may come");
        assert_ne!(state(changed(|s| s.mark_ends = 3), 3), state(sender(), 3));
        let fewer = changed(|s| {
            s.overtaken.pop_front();
        });
        assert_ne!(state(fewer, 3), state(sender(), 3));
    }
}
