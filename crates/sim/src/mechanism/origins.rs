//! The congested queues for which a port has stopped frames: by them victims are told from culprits.

use backwater_transport::walk::Walk;

use super::notice::{Hosts, Notice, holds, walk_hosts};
use crate::ids::PortId;

/// A congested queue, and the frames that a notice of it stopped.
#[derive(Clone, Debug)]
struct Origin {
    key: u64,
    /// Classes stopped.
    classes: u8,
    /// Destinations stopped; none means all.
    hosts: Option<Hosts>,
    port: PortId,
    /// The congested classes at the port.
    congested: u8,
}

/// The origins of the notices that a port has heard, the newest last. What a later notice covers is no longer kept of
/// an earlier one.
#[derive(Clone, Debug, Default)]
pub struct Origins(Vec<Origin>);

impl Origins {
    /// A notice stops frames, or holds them to a rate.
    pub fn note(&mut self, notice: &Notice) {
        if notice.quanta() == 0 || notice.origin.is_none() {
            return;
        }
        for old in &mut self.0 {
            if notice.hosts.is_none() || old.key == notice.key {
                old.classes &= !notice.classes;
            }
        }
        self.0.retain(|old| old.classes > 0);
        self.0.push(Origin {
            key: notice.key,
            classes: notice.classes,
            hosts: notice.hosts.clone(),
            port: notice.origin,
            congested: notice.origin_classes,
        });
    }

    /// The queue for which frames of a class to a host were stopped last, and its congested classes.
    pub fn of(&self, class: u8, host: u32) -> Option<(PortId, u8)> {
        let covers = |origin: &&Origin| {
            let named = origin.hosts.as_deref().is_none_or(|set| holds(set, host));
            origin.classes >> class & 1 == 1 && named
        };
        let newest = self.0.iter().rev().find(covers)?;
        Some((newest.port, newest.congested))
    }

    pub(super) fn walk(&self, walk: &mut Walk) {
        walk.same(self.0.len() as u64);
        for Origin {
            key,
            classes,
            hosts,
            port,
            congested,
        } in &self.0
        {
            walk.same(*key);
            walk.same(*classes);
            walk_hosts(walk, hosts.as_ref());
            walk.same(port.0);
            walk.same(*congested);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::mechanism::notice::{Ask, Form};

    pub fn stop(key: u64, classes: u8, hosts: Option<u64>, port: u32) -> Notice {
        Notice {
            mechanism: 0,
            form: Form::Extension,
            classes,
            ask: Ask::Stop(5),
            hosts: hosts.map(|set| vec![set].into()),
            origin: PortId::new(port as usize),
            origin_classes: classes,
            key,
        }
    }

    fn noted(notices: &[Notice]) -> Origins {
        let mut origins = Origins::default();
        notices.iter().for_each(|notice| origins.note(notice));
        origins
    }

    fn port(origins: &Origins, class: u8, host: u32) -> Option<usize> {
        origins.of(class, host).map(|(port, _)| port.index())
    }

    #[test]
    fn the_newest_notice_that_covers_a_frame_names_its_queue() {
        let origins = noted(&[
            stop(1, 0b11, None, 7),
            stop(2, 0b01, Some(0b0110), 8),
            stop(3, 0b01, Some(0b0100), 9),
        ]);
        let of = |class, host| port(&origins, class, host);
        assert_eq!([0, 1, 2].map(|host| of(0, host)), [7, 8, 9].map(Some));
        assert_eq!([of(1, 2), of(2, 2)], [Some(7), None]);
    }

    /// A notice of the same key, or of all destinations, takes the place of an earlier one for its classes.
    #[test]
    fn what_a_later_notice_covers_is_not_kept() {
        let mut origins = noted(&[
            stop(1, 0b01, Some(0b0010), 7),
            stop(1, 0b01, Some(0b0100), 7),
        ]);
        assert_eq!([1, 2].map(|host| port(&origins, 0, host)), [None, Some(7)]);
        origins.note(&stop(2, 0b11, None, 8));
        origins.note(&stop(2, 0b10, None, 9));
        assert_eq!(
            [0, 1].map(|class| port(&origins, class, 2)),
            [Some(8), Some(9)]
        );
        assert_eq!(origins.0.len(), 2);
    }

    /// Relief stops nothing, and who does not say where it comes from is no culprit.
    #[test]
    fn relief_and_notices_without_origin_are_not_noted() {
        let none = stop(1, 1, None, 7);
        let relief = Notice {
            ask: Ask::Stop(0),
            ..none.clone()
        };
        let nobody = Notice {
            origin: PortId::NONE,
            ..none
        };
        assert_eq!(noted(&[relief, nobody]).0.len(), 0);
    }

    #[test]
    fn each_part_is_part_of_the_state() {
        use backwater_transport::units::Time;

        let state = |origins: &Origins| {
            let mut walk = Walk::look(Time(0));
            origins.walk(&mut walk);
            walk.seen().expect("all is visited").state
        };
        let usual = noted(&[stop(1, 0b01, None, 7)]);
        let changes: [fn(&mut Origin); 5] = [
            |o| o.key = 2,
            |o| o.classes = 2,
            |o| o.hosts = Some(vec![1].into()),
            |o| o.port = PortId::new(8),
            |o| o.congested = 2,
        ];
        for change in changes {
            let mut other = usual.clone();
            change(&mut other.0[0]);
            assert_ne!(state(&other), state(&usual));
        }
        assert_ne!(state(&Origins::default()), state(&usual));
    }
}
