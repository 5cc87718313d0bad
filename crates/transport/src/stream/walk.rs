//! The state of a stream's sender, for `skip`.

use super::sender::StreamSender;
use crate::walk::{Base, OnTheWay, Walk};

impl StreamSender {
    pub(super) fn numbers(&self) -> Base {
        self.core.add_to(Base {
            number: self.number,
            byte: self.nxt,
            upto: self.nxt,
            ..Base::default()
        })
    }

    /// Marks in the stream and among transmissions, which matter while something is outstanding below them.
    fn visit_marks(&mut self, walk: &mut Walk) {
        let oldest = self.scoreboard.first_number().unwrap_or(self.number);
        walk.above(&mut self.recover, self.una);
        walk.above(&mut self.guard, self.una);
        walk.above(&mut self.first_after_reduction, oldest);
        walk.same(self.mark_ends > 0);
        walk.above(&mut self.mark_ends, self.una);
    }

    fn visit_flags(&self, walk: &mut Walk) {
        for flag in [
            self.retransmission_lost,
            self.new_data_lost,
            self.bypass_window,
            self.probe,
            self.front_timed_out,
            self.cwr,
            self.paced,
            self.rearm,
        ] {
            walk.same(flag);
        }
    }

    pub(super) fn visit(&mut self, walk: &mut Walk, flow: &str, on_the_way: &OnTheWay) {
        let base = self.numbers();
        let first = self.scoreboard.ids().start;
        self.visit_marks(walk);
        self.visit_flags(walk);
        let StreamSender {
            core,
            mss,
            ack_delay: _,
            detector,
            prr,
            proportional: _,
            tlp,
            undo,
            scoreboard,
            phase,
            recover: _,
            guard: _,
            first_after_reduction: _,
            retransmission_lost: _,
            new_data_lost: _,
            episode_lost,
            written,
            una: _,
            nxt,
            number,
            window_edge,
            bypass_window: _,
            probe: _,
            front_timed_out: _,
            rto,
            last_sent,
            mark_ends: _,
            cwr: _,
            paced: _,
            rearm: _,
            losses: _,
        } = self;
        core.walk(walk, flow);
        detector.walk(walk, &base, first);
        scoreboard.walk(walk, &base);
        walk.same(prr.is_some());
        if let Some(prr) = prr {
            prr.walk(walk);
        }
        walk.same(tlp.is_some());
        if let Some(tlp) = tlp {
            tlp.walk(walk, &base);
        }
        undo.walk(walk, on_the_way);
        walk.same(*phase as u64);
        walk.same(*episode_lost);
        walk.same(*window_edge == u64::MAX);
        if *window_edge < u64::MAX {
            walk.long(window_edge, base.byte);
        }
        walk.until(rto);
        walk.time(last_sent);
        walk.up_to(*nxt, written, *mss);
        walk.count(nxt);
        walk.long(&mut self.una, base.byte);
        walk.count(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller_interface::Setup;
    use crate::endpoint::Protocol;
    use crate::ends::Sender;
    use crate::random::Random;
    use crate::recovery::prr::Prr;
    use crate::recovery::tlp::Tlp;
    use crate::segment::AckSegment;
    use crate::setup::SenderSetup;
    use crate::stream::sender::Phase;
    use crate::units::{Span, Time};

    const NOW: Time = Time(5_000_000);

    /// Ten segments were sent and four acknowledged when the walk comes; nothing is on the way.
    fn sender() -> StreamSender {
        let setup = SenderSetup::new(Protocol::Stream, 1000, 1052);
        let controller = crate::controller::CONTROLLERS
            .iter()
            .find(|row| row.id == "fixed")
            .expect("a row");
        let args = crate::part::Args(vec![("window", crate::part::Value::Packets(10))]);
        let with = Setup {
            protocol: Protocol::Stream,
            mss: 1000,
            frame: 1052,
            initial: 10_000,
            random: Random::stream(1, "controller", ""),
        };
        let mut sender =
            StreamSender::new(&setup, (controller.build)(&args, &with).expect("legal"));
        sender.write(20_000);
        while sender.poll(Time(1_000_000)).is_some() {}
        let ack = AckSegment {
            upto: 4000,
            number: 3,
            echo: Time(1_000_000),
            window: 1 << 30,
            ..AckSegment::default()
        };
        sender.on_ack(Time(4_000_000), &ack);
        while sender.poll(Time(4_000_000)).is_some() {}
        sender
    }

    fn state(mut sender: StreamSender) -> Vec<u64> {
        let mut walk = Walk::look(NOW);
        sender.walk(&mut walk, "flow", &OnTheWay::default());
        walk.seen().expect("all is visited").state
    }

    /// Whatever is changed alone makes another state. What lies below all that is outstanding does not.
    #[test]
    fn each_part_of_a_sender_is_part_of_its_state() {
        type Change = fn(&mut StreamSender);
        let changes: &[(&str, Change)] = &[
            ("retransmission lost", |s| s.retransmission_lost ^= true),
            ("new data lost", |s| s.new_data_lost ^= true),
            ("bypass", |s| s.bypass_window ^= true),
            ("probe", |s| s.probe ^= true),
            ("front", |s| s.front_timed_out ^= true),
            ("CWR", |s| s.cwr ^= true),
            ("paced", |s| s.paced ^= true),
            ("rearm", |s| s.rearm ^= true),
            ("end of recovery", |s| s.recover = 4001),
            ("end of recovery at the edge", |s| s.recover = 4000),
            ("guard", |s| s.guard = 4001),
            ("guard at the edge", |s| s.guard = 4000),
            ("first after a reduction", |s| s.first_after_reduction = 5),
            ("first at the edge", |s| s.first_after_reduction = 4),
            ("marks", |s| s.mark_ends = 1),
            ("marks above", |s| s.mark_ends = 4001),
            ("PRR", |s| s.prr = Some(Prr::new(1000, 5000))),
            ("no probes", |s| s.tlp = None),
            ("a probe that left", |s| {
                s.tlp.get_or_insert_default().sent(9000, true)
            }),
            ("no timer of a probe", |s| s.tlp = Some(Tlp::default())),
            ("an episode", |s| s.undo.begin(0, 0)),
            ("phase", |s| s.phase = Phase::Timeout),
            ("lost in the episode", |s| s.episode_lost = 1),
            ("written", |s| s.written += 1),
            ("receive window unknown", |s| s.window_edge = u64::MAX),
            ("receive window", |s| s.window_edge += 1),
            ("timer", |s| s.rto = s.rto.after(Span(1))),
            ("no timer", |s| s.rto = Time::NEVER),
            ("last departure", |s| s.last_sent = Time(1)),
            ("left edge", |s| s.una += 1),
            ("number", |s| s.number += 1),
            ("detector", |s| {
                s.detector = crate::recovery::Detector::new(crate::setup::Recovery::Sack, 1000);
            }),
            ("scoreboard", |s| s.scoreboard.pop()),
            ("lost segment", |s| s.scoreboard.mark_lost(5)),
        ];
        let usual = state(sender());
        for (what, change) in changes {
            let mut other = sender();
            change(&mut other);
            assert_ne!(state(other), usual, "{what}");
        }
        let same: &[(&str, Change)] = &[
            ("end of recovery", |s| s.recover = 3999),
            ("guard", |s| s.guard = 3999),
            ("first after a reduction", |s| s.first_after_reduction = 3),
            ("counters", |s| s.core.counters.segments += 1),
        ];
        for (what, change) in same {
            let mut other = sender();
            change(&mut other);
            assert_eq!(state(other), usual, "{what}");
        }
    }
}
