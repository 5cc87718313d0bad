//! What generators of networks of switches share that hash flows over equal ways: their fields, and the network under construction.

use backwater_sim::spec::NodeKind;

use super::row::{Cable, Network, Site};
use crate::diagnostic::Diagnostic;
use crate::files::Files;

/// The fields of such a network: what it counts, then rates and delays of its tiers, those beyond the first two its own.
macro_rules! fields {
    ([$($counts:expr),* $(,)?], [$($tiers:expr),* $(,)?]) => {
        &[
            $($counts,)*
            $crate::fields::wire::RATE,
            $crate::fields::wire::DELAY,
            $crate::decode::topology::fields::UP_RATE,
            $crate::decode::topology::fields::UP_DELAY,
            $($tiers,)*
            $crate::fields::wire::MAX_FRAME,
            $crate::fields::wire::OBEYS,
            $crate::decode::topology::fields::SWITCH_MODEL,
        ]
    };
}
pub(super) use fields;

/// The network under construction, and the two kinds of links that all have.
pub(super) struct Fabric {
    /// Links of hosts.
    access: Cable,
    /// Links above the switches of hosts.
    pub up: Cable,
    host: NodeKind,
    switch: NodeKind,
    network: Network,
}

impl Fabric {
    /// A network without nodes.
    pub fn new(site: &Site<'_>, files: &mut Files<'_>) -> Result<Fabric, Diagnostic> {
        let access = site.cable("rate", "delay");
        Ok(Fabric {
            access,
            up: site.cable_or("up_rate", "up_delay", access),
            host: site.host(),
            switch: site.switch(files)?,
            network: Network::default(),
        })
    }

    /// One more switch, with hosts of these numbers.
    pub fn switch(&mut self, name: &str, hosts: impl IntoIterator<Item = u64>) {
        for number in hosts {
            let host = format!("h{number}");
            self.network.link(&host, name, self.access);
            self.network.node(host, &self.host);
        }
        self.network.node(name, &self.switch);
    }

    /// Spine switches s0, s1…
    pub fn spines(&mut self, count: u64) {
        for number in 0..count {
            self.switch(&format!("s{number}"), []);
        }
    }

    /// Links of a switch to so many spine switches.
    pub fn link_spines(&mut self, name: &str, count: u64) {
        for number in 0..count {
            self.link(name, &format!("s{number}"), self.up);
        }
    }

    /// A link between switches.
    pub fn link(&mut self, a: &str, b: &str, cable: Cable) {
        self.network.link(a, b, cable);
    }

    /// The network.
    pub fn done(self) -> Network {
        self.network
    }
}
