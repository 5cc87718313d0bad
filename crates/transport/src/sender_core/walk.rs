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
        walk.count(ce_bytes);
        counters.walk(walk);
    }
}
