//! The state that all senders have, for `skip`.

use super::SenderCore;
use crate::controller_interface::{Controller, Limits};
use crate::setup::EcnFeedback;
use crate::walk::{Base, Walk};

impl SenderCore {
    /// Adds what numbers of its connection are compared with.
    pub(crate) fn add_to(&self, base: Base) -> Base {
        Base {
            ce_bytes: self.ce_bytes,
            ..self.sampler.add_to(base)
        }
    }

    pub(crate) fn walk(&mut self, walk: &mut Walk, flow: &str) {
        let SenderCore {
            controller,
            limits,
            ecn: _,
            feedback,
            pacing: _,
            mss: _,
            initial: _,
            after_idle: _,
            release,
            last: _,
            overhead: _,
            rtt,
            sampler,
            counters,
            ce_bytes,
            ace,
            wants_transmissions,
            window_limited,
            capped,
        } = self;
        controller.walk(walk, flow);
        let Limits {
            window,
            pacing,
            wake,
        } = limits;
        walk.same(*window);
        walk.same(pacing.map_or(u64::MAX, |rate| rate.0));
        walk.until(wake);
        walk.until(release);
        rtt.walk(walk);
        sampler.walk(walk);
        if *feedback == EcnFeedback::Ace {
            ace.walk(walk);
        }
        walk.same(*wants_transmissions);
        walk.same(u64::from(window_limited.0) << 1 | u64::from(window_limited.1));
        walk.same(*capped);
        walk.count(ce_bytes);
        counters.walk(walk);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller_interface::Setup;
    use crate::endpoint::Protocol;
    use crate::random::Random;
    use crate::segment::AckSegment;
    use crate::setup::SenderSetup;
    use crate::units::{Rate, Span, Time};

    fn core(ecn: EcnFeedback) -> SenderCore {
        let row = crate::controller::CONTROLLERS
            .iter()
            .find(|row| row.id == "fixed");
        let args = crate::part::Args(vec![("window", crate::part::Value::Packets(10))]);
        let with = Setup {
            protocol: Protocol::Stream,
            mss: 1000,
            frame: 1052,
            initial: 10_000,
            random: Random::stream(1, "controller", ""),
        };
        let mut setup = SenderSetup::new(Protocol::Stream, 1000, 1052);
        setup.ecn = ecn;
        SenderCore::new(
            &setup,
            (row.expect("a row").build)(&args, &with).expect("legal"),
        )
    }

    fn state(mut core: SenderCore) -> Vec<u64> {
        let mut walk = Walk::look(Time(5_000));
        core.walk(&mut walk, "flow");
        walk.seen().expect("all is visited").state
    }

    /// Whatever is changed alone makes another state; counters and instants that are past do not.
    #[test]
    fn each_part_of_the_shared_state_is_compared() {
        type Change = fn(&mut SenderCore);
        let changes: &[(&str, Change)] = &[
            ("window", |c| c.limits.window += 1),
            ("pacing", |c| c.limits.pacing = Some(Rate(5))),
            ("wake", |c| c.limits.wake = Time(6_000)),
            ("release", |c| c.release = Time(6_000)),
            ("round trip", |c| c.rtt.sample(Span(70))),
            ("sampler", |c| c.sampler.limit(5)),
            ("transmissions", |c| c.wants_transmissions ^= true),
            ("capped", |c| c.capped ^= true),
            ("limited now", |c| c.window_limited.0 = true),
            ("limited in the last round", |c| c.window_limited.1 = true),
        ];
        let usual = || core(EcnFeedback::Accurate);
        for (what, change) in changes {
            let mut other = usual();
            change(&mut other);
            assert_ne!(state(other), state(usual()), "{what}");
        }
        let mut limited = [usual(), usual()];
        limited[0].window_limited.0 = true;
        limited[1].window_limited.1 = true;
        let [now, last] = limited.map(state);
        assert_ne!(now, last);
        let same: [Change; 3] = [
            |c| c.release = Time(4_999),
            |c| c.ce_bytes += 100,
            |c| c.counters.bytes += 1,
        ];
        for change in same {
            let mut other = usual();
            change(&mut other);
            assert_eq!(state(other), state(usual()));
        }
    }

    /// The counter of three bits is part of the state where it is decoded, and nowhere else. Whoever compares bytes with marks compares
    /// with those seen so far.
    #[test]
    fn the_counter_of_marks_is_compared_where_it_is_decoded() {
        for (feedback, compared) in [(EcnFeedback::Ace, true), (EcnFeedback::Accurate, false)] {
            let mut marked = core(feedback);
            let ack = AckSegment {
                ace: 3,
                ..AckSegment::default()
            };
            marked.ace.decode(&ack, 5);
            assert_eq!(state(marked) != state(core(feedback)), compared);
        }
        let mut marked = core(EcnFeedback::Accurate);
        let ack = AckSegment {
            ce_bytes: 700,
            ..AckSegment::default()
        };
        assert_eq!(marked.newly_marked(&ack, 0, 0), 700);
        let base = marked.add_to(Base {
            number: 4,
            ..Base::default()
        });
        assert_eq!((base.ce_bytes, base.number), (700, 4));
    }
}
