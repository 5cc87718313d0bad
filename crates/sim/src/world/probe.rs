//! A caller's view of a world in the middle of its run, and a run up to the instant at which it sees enough.

use std::collections::BTreeMap;

use backwater_transport::units::Time;

use super::World;
use super::run::Step;
use crate::ids::PortId;
use crate::medium::StationCount;

impl World {
    /// The fingerprint of the run up to the present.
    pub fn fingerprint(&mut self) -> u64 {
        self.settle();
        self.shared.run.books.fingerprint.0
    }

    /// Packets lost from the beginning on, by cause.
    pub fn drops_by_cause(&self) -> BTreeMap<&'static str, u64> {
        let mut found = BTreeMap::new();
        for ((cause, ..), count) in &self.shared.run.books.drops {
            *found.entry(cause.name()).or_default() += count.packets;
        }
        found
    }

    /// Counters of attachments to shared media from the beginning of the run on.
    pub fn counts_from_beginning(&self) -> impl Iterator<Item = StationCount> {
        self.media.counts_from_beginning(self.clock.now)
    }

    /// Serves what is due up to and including `to`, or until so many data frames wait at some ports together. Judged after
    /// each event, with the ports brought up to date. True where the level was reached: the present is that event's instant.
    pub fn advance_until(&mut self, ports: &[PortId], level: u64, to: Time) -> bool {
        loop {
            if self.waiting(ports) >= level {
                return true;
            }
            if self.step(to) == Step::Nothing {
                self.clock.now = self.clock.now.max(to);
                return self.waiting(ports) >= level;
            }
        }
    }

    /// Data frames that wait at some ports.
    pub fn waiting(&mut self, ports: &[PortId]) -> u64 {
        let now = self.clock.now;
        for id in ports {
            self.shared.catch_up(*id, now);
        }
        self.post_all(now);
        let waiting = |id: &PortId| u64::from(self.shared.network.ports[*id].waiting);
        ports.iter().map(waiting).sum()
    }
}
