//! The flows of one run: one for each sender, with the destinations drawn.

use std::sync::Arc;

use backwater_sim::spec::{FlowSpec, NodeSpec};
use backwater_sim::targets::Destination;
use backwater_transport::random::Random;

use super::{Flow, Pattern};

impl Flow {
    /// The flows of one run, one for each sender.
    pub fn expand(&self, seed: u64, nodes: &[NodeSpec]) -> Vec<FlowSpec> {
        let permuted = self.permuted(seed);
        // Where the routing finds the senders, there is a flow for each receiver.
        let (ends, each) = match self.pattern {
            Pattern::FromNearest => (&self.to, true),
            _ => (&self.from, self.each),
        };
        let name = |i: usize, end: usize| match (self.pattern, each) {
            (Pattern::All, _) => {
                let (from, to) = (&nodes[end].name, &nodes[self.to[i]].name);
                format!("{}/{from}/{to}", self.name)
            }
            (_, true) => format!("{}/{}", self.name, nodes[end].name),
            (_, false) => self.name.clone(),
        };
        let all: Arc<[usize]> = match self.pattern {
            Pattern::Random => self.to.as_slice().into(),
            _ => Arc::default(),
        };
        let plain = |name: String, from: usize, to: Destination| FlowSpec {
            transport: self.transport.as_ref().map(|t| t.spec(seed, &name)),
            name,
            from,
            to,
            class: self.class,
            ecn: self.ecn,
            packet: self.packet,
            start: self.start,
            stop: self.stop,
            source: self.source.clone(),
            options: self.options.clone(),
            route: self.route.clone(),
            after: None,
        };
        if self.pattern == Pattern::Ranks {
            let one = |name, from, to| plain(name, from, Destination::Node(to));
            return self.among_ranks(one, |host| nodes[host].name.clone());
        }
        if self.pattern == Pattern::Transfers {
            let one = |name, from, to| plain(name, from, Destination::Node(to));
            return self.transfers(seed, one, |host| nodes[host].name.clone());
        }
        let others = |sender: &usize| self.to.iter().copied().filter(|t| t != sender).collect();
        let spec = |(i, sender): (usize, &usize)| {
            let to = match self.pattern {
                Pattern::One => Destination::Node(self.to[0]),
                Pattern::Random => Destination::Others(all.clone()),
                Pattern::Group => Destination::Group(others(sender)),
                Pattern::Permutation => Destination::Node(permuted[i]),
                Pattern::Pairs | Pattern::All => Destination::Node(self.to[i]),
                Pattern::Nearest => Destination::Nearest(self.to.clone()),
                Pattern::FromNearest => Destination::FromNearest(self.from.clone()),
                Pattern::Ranks | Pattern::Transfers => {
                    unreachable!("its flows were made above")
                }
            };
            plain(name(i, *sender), *sender, to)
        };
        ends.iter().enumerate().map(spec).collect()
    }

    /// The receivers in the order of the senders, where a permutation says so.
    fn permuted(&self, seed: u64) -> Vec<usize> {
        if self.pattern != Pattern::Permutation {
            return Vec::new();
        }
        let mut random = Random::stream(seed, "permutation", &self.name);
        derangement(&self.from, &self.to, &mut random)
    }
}

/// A permutation of `to`, uniform among those that give no sender itself. Every third shuffle or so
/// is one (1/e of them when `from` equals `to`); one sender and itself was refused.
fn derangement(from: &[usize], to: &[usize], random: &mut Random) -> Vec<usize> {
    loop {
        let mut drawn = to.to_vec();
        for last in (1..drawn.len()).rev() {
            let other = random.between(0, last as u64) as usize;
            drawn.swap(last, other);
        }
        if from.iter().zip(&drawn).all(|(a, b)| a != b) {
            return drawn;
        }
    }
}

/// The media of a station.
pub(super) fn media(node: &NodeSpec) -> Vec<usize> {
    node.kind.attachments().iter().map(|a| a.medium).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_derangement_is_as_likely_as_the_others() {
        // Four things have 9 derangements; 9000 draws give each 1000 with a deviation of 30.
        let mut random = Random::stream(1, "test", "derangement");
        let mut counts: BTreeMap<Vec<usize>, u32> = BTreeMap::new();
        let four = [0, 1, 2, 3];
        for _ in 0..9000 {
            *counts
                .entry(derangement(&four, &four, &mut random))
                .or_default() += 1;
        }
        assert_eq!(counts.len(), 9);
        assert!(
            counts.values().all(|n| n.abs_diff(1000) < 150),
            "{counts:?}"
        );
        assert!(
            counts
                .keys()
                .all(|d| d.iter().enumerate().all(|(i, j)| i != *j))
        );
    }
}
