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
