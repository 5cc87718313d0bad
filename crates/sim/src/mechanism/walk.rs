//! The state of gates, notices on their way and all mechanisms, for `skip`.

use backwater_transport::walk::Walk;

use super::gates::{Bar, Bucket, Gates, Link};
use super::mechanisms::{Hearing, Mechanisms};
use super::notice::walk_hosts;

impl Gates {
    pub(crate) fn walk(&mut self, walk: &mut Walk) {
        // What was counted does not change, and it is counted up to the present.
        self.settle(walk.now());
        let Gates {
            until,
            settled,
            closed,
            latest,
            bars,
            links,
            origins,
        } = self;
        until.iter_mut().for_each(|at| walk.until(at));
        walk.until(latest);
        walk.last(settled);
        origins.walk(walk);
        walk.same(bars.len() as u64);
        bars.iter_mut().for_each(|bar| bar.walk(walk));
        walk.same(links.len() as u64);
        closed.iter_mut().for_each(|ticks| walk.count(ticks));
        for Link { next, closed, from } in links {
            walk.same(next.map_or(u64::MAX, u64::from));
            closed.iter_mut().for_each(|ticks| walk.count(ticks));
            from.iter_mut().for_each(|at| walk.last(at));
        }
    }
}

impl Bar {
    fn walk(&mut self, walk: &mut Walk) {
        let Bar {
            key,
            classes,
            hosts,
            next,
            until,
            bucket,
        } = self;
        walk.same(*key);
        walk.same(*classes);
        walk_hosts(walk, hosts.as_ref());
        walk.same(next.map_or(u64::MAX, u64::from));
        walk.until(until);
        walk.same(bucket.is_some());
        if let Some(Bucket {
            rate,
            tolerance,
            due,
        }) = bucket
        {
            walk.same(rate.0);
            walk.same(tolerance.0);
            walk.until(due);
        }
    }
}

impl Mechanisms {
    pub(crate) fn walk(&mut self, walk: &mut Walk) {
        let Mechanisms {
            controls,
            outbox,
            inspect: _,
            deadlock,
            hearing,
            refreshed: _,
        } = self;
        walk.same(outbox.len() as u64);
        walk.same(deadlock.is_some());
        controls.0.iter_mut().for_each(|control| control.walk(walk));
        for Hearing {
            name: _,
            tells: _,
            issued,
            heard,
        } in hearing
        {
            walk.count(issued);
            walk.count(heard);
        }
    }
}
