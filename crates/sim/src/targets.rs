//! Where a flow's packets go. Flows that send to any host but their own share one list of hosts: a list
//! each would take the square of the number of hosts.

use std::collections::BTreeSet;
use std::sync::Arc;

use backwater_transport::random::Random;

/// Where a flow's packets go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// One host.
    Node(usize),
    /// For each packet one of these hosts, uniformly.
    AnyOf(Vec<usize>),
    /// For each packet one of these hosts but the sender. All flows of a pattern share the list.
    Others(Arc<[usize]>),
    /// The 802.11 station among these that the routing finds nearest.
    Nearest(Vec<usize>),
    /// The flow's `from` itself: its packets come from the 802.11 station among these that the routing finds nearest.
    FromNearest(Vec<usize>),
    /// All of these 802.11 stations that hear the frame, which nobody acknowledges.
    Group(Vec<usize>),
}

impl From<usize> for Destination {
    fn from(node: usize) -> Destination {
        Destination::Node(node)
    }
}

impl Destination {
    /// The nodes that it names.
    pub fn nodes(&self) -> Vec<usize> {
        match self {
            Destination::Node(n) => vec![*n],
            Destination::Others(list) => list.to_vec(),
            Destination::AnyOf(list)
            | Destination::Nearest(list)
            | Destination::FromNearest(list)
            | Destination::Group(list) => list.clone(),
        }
    }

    /// Whether it is all stations that hear the frame.
    pub fn is_group(&self) -> bool {
        matches!(self, Destination::Group(_))
    }

    /// Whether routes decide which node it is.
    pub fn is_nearest(&self) -> bool {
        matches!(self, Destination::Nearest(_) | Destination::FromNearest(_))
    }
}

/// The hosts, by number, that a flow sends to.
#[derive(Clone, Debug)]
pub enum Targets {
    /// One host.
    One(u32),
    /// For each packet one of these, uniformly.
    AnyOf {
        /// In ascending order, if `but` names one; as written otherwise.
        hosts: Arc<[u32]>,
        /// Position of the one that is left out: the sender. `u32::MAX` leaves out none.
        but: u32,
    },
}

/// Lists that flows share while a world is built.
#[derive(Debug, Default)]
pub struct Lists {
    lists: BTreeSet<Arc<[u32]>>,
    /// The last list that flows share.
    last: Option<Shared>,
}

#[derive(Debug)]
struct Shared {
    nodes: Arc<[usize]>,
    hosts: Arc<[u32]>,
}

impl Lists {
    /// The targets of a flow of `sender`; `number` gives the host number of a node.
    pub fn targets(
        &mut self,
        to: &Destination,
        sender: u32,
        number: impl Fn(usize) -> u32,
    ) -> Targets {
        let list = match to {
            Destination::Node(node) => return Targets::One(number(*node)),
            // The entry of a station for itself is the way to its group.
            Destination::Group(_) => return Targets::One(sender),
            Destination::Others(nodes) => return self.others(nodes, sender, number),
            Destination::AnyOf(nodes)
            | Destination::Nearest(nodes)
            | Destination::FromNearest(nodes) => nodes,
        };
        let mut hosts: Vec<u32> = list.iter().map(|n| number(*n)).collect();
        let mut but = u32::MAX;
        if hosts.is_sorted()
            && let Err(place) = hosts.binary_search(&sender)
        {
            hosts.insert(place, sender);
            but = place as u32;
        }
        let hosts: Arc<[u32]> = hosts.into();
        let hosts = self.shared(hosts);
        Targets::AnyOf { hosts, but }
    }

    fn others(
        &mut self,
        nodes: &Arc<[usize]>,
        sender: u32,
        number: impl Fn(usize) -> u32,
    ) -> Targets {
        let hosts = match &self.last {
            Some(last) if Arc::ptr_eq(&last.nodes, nodes) => last.hosts.clone(),
            _ => {
                let hosts: Vec<u32> = nodes.iter().map(|n| number(*n)).collect();
                let hosts = self.shared(hosts.into());
                self.last = Some(Shared {
                    nodes: nodes.clone(),
                    hosts: hosts.clone(),
                });
                hosts
            }
        };
        let place = match hosts.is_sorted() {
            true => hosts.binary_search(&sender).ok(),
            false => hosts.iter().position(|host| *host == sender),
        };
        let but = place.map_or(u32::MAX, |place| place as u32);
        Targets::AnyOf { hosts, but }
    }

    fn shared(&mut self, hosts: Arc<[u32]>) -> Arc<[u32]> {
        if let Some(known) = self.lists.get(&hosts) {
            return known.clone();
        }
        self.lists.insert(hosts.clone());
        hosts
    }
}

impl Targets {
    /// The host of the next packet.
    #[inline(always)]
    pub fn draw(&self, random: &mut Random) -> u32 {
        match self {
            Targets::One(host) => *host,
            Targets::AnyOf { hosts, but } => Targets::draw_any(hosts, *but, random),
        }
    }

    fn draw_any(hosts: &[u32], but: u32, random: &mut Random) -> u32 {
        let number = hosts.len() as u64 - u64::from(but != u32::MAX);
        let drawn = random.between(0, number - 1);
        hosts[(drawn + u64::from(drawn >= u64::from(but))) as usize]
    }

    /// All of them, in the order in which draws number them.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (hosts, but) = match self {
            Targets::One(host) => (std::slice::from_ref(host), u32::MAX),
            Targets::AnyOf { hosts, but } => (&hosts[..], *but),
        };
        let kept = hosts
            .iter()
            .enumerate()
            .filter(move |(i, _)| *i != but as usize);
        kept.map(|(_, host)| *host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_means_the_same_host_with_a_shared_list_as_with_one_of_its_own() {
        let mut lists = Lists::default();
        let all: Arc<[usize]> = (0..5).collect();
        for (sender, of_all) in (0..5u32).flat_map(|sender| [(sender, false), (sender, true)]) {
            let own: Vec<usize> = (0..5).filter(|h| *h != sender as usize).collect();
            let to = match of_all {
                true => Destination::Others(all.clone()),
                false => Destination::AnyOf(own.clone()),
            };
            let targets = lists.targets(&to, sender, |n| n as u32);
            let listed: Vec<usize> = targets.iter().map(|h| h as usize).collect();
            assert_eq!(listed, own);
            let mut a = Random::stream(1, "destination", "f");
            let mut b = a.clone();
            for _ in 0..100 {
                let expected = own[a.between(0, own.len() as u64 - 1) as usize];
                assert_eq!(targets.draw(&mut b) as usize, expected);
            }
        }
        assert_eq!(lists.lists.len(), 1);
    }

    #[test]
    fn an_order_that_was_written_is_kept() {
        let mut lists = Lists::default();
        let targets = lists.targets(&Destination::AnyOf(vec![4, 1, 3]), 0, |n| n as u32);
        assert_eq!(targets.iter().collect::<Vec<_>>(), [4, 1, 3]);
        let written = Destination::Others(Arc::new([4, 0, 1, 3]));
        let targets = lists.targets(&written, 0, |n| n as u32);
        assert_eq!(targets.iter().collect::<Vec<_>>(), [4, 1, 3]);
        let one = lists.targets(&Destination::AnyOf(vec![2]), 0, |n| n as u32);
        assert_eq!(one.iter().collect::<Vec<_>>(), [2]);
        let node = lists.targets(&Destination::Node(7), 0, |n| n as u32);
        assert_eq!(node.iter().collect::<Vec<_>>(), [7]);
    }
}
