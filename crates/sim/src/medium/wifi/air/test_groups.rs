//! Groups of stations and the numbers of hops.

use backwater_transport::units::{Span, Time};

use super::*;
use crate::medium::wifi::test_line::line;
use crate::world::World;

fn us(n: u64) -> Time {
    Time::ZERO + Span::micros(n)
}

/// Members of a group of 200 are found in order, in words of 64 bits; a group of 64 has one word.
#[test]
fn members_of_a_group_are_found_in_order() {
    assert_eq!(
        [1, 64, 65, 200].map(|n| Group::new(n).members.len()),
        [1, 1, 2, 4]
    );
    let mut group = Group::new(200);
    assert_eq!((group.next(0), group.armed), (None, Time::NEVER));
    let all: [Number; 8] = [0, 1, 63, 64, 65, 127, 128, 199];
    all.iter().for_each(|number| group.add(*number));
    let (mut from, mut found) = (0, Vec::new());
    while let Some(next) = group.next(from) {
        found.push(next as Number);
        from = next + 1;
    }
    assert_eq!(found, all);
    let next = [2, 63, 64, 66, 129, 199, 200, 256].map(|from| group.next(from));
    let expected = [
        Some(63),
        Some(63),
        Some(64),
        Some(127),
        Some(199),
        Some(199),
        None,
        None,
    ];
    assert_eq!(next, expected);
}

/// A station whose medium has become idle belongs to the group if it counts; one that was idle before, or counts nothing, does not.
#[test]
fn who_became_idle_belongs_to_a_group_if_it_counts() {
    for (busy, counting, joins) in [(true, 1, true), (true, 0, false), (false, 1, false)] {
        let mut group = Group::new(130);
        let mut sense = CarrierSense::new(5);
        (sense.busy, sense.counting) = (busy, counting);
        group.members().take(70, &mut sense, 9, us(3));
        assert_eq!(group.next(0), joins.then_some(70));
        assert_eq!(
            (sense.cover, sense.number),
            if busy { (9, 70) } else { (5, 0) }
        );
    }
}

/// Of the members of a group the first that would send counts; one that has left the group is dropped, one that is busy stays.
#[test]
fn the_soonest_of_a_group_counts() {
    // DIFS is 34 us, a slot 9.
    let mut world = World::build(&line(&[0.0, 10.0, 20.0, 30.0])).expect("a legal line");
    let air = &mut world.media.air;
    for (station, slots) in [(1, 5), (2, 3), (3, 1)] {
        let c = &mut air.radios[station].categories[0];
        (c.slots, c.frames) = (slots, 1);
        let sense = &mut air.sensing[station];
        (sense.since, sense.cover, sense.counting) = (us(100), 0, 1);
        sense.number = air.idlers[0]
            .iter()
            .position(|s| usize::from(*s) == station)
            .expect("reached") as Number;
        let number = air.sensing[station].number;
        air.groups[0].add(number);
    }
    assert_eq!(air.soonest(0), us(100 + 34 + 9));
    air.sensing[3].busy = true;
    assert_eq!(air.soonest(0), us(100 + 34 + 27));
    air.sensing[2].cover = 2;
    assert_eq!(air.soonest(0), us(100 + 34 + 45));
    let members: Vec<u32> = (0..4)
        .filter_map(|n| air.next_member(0, n).map(|m| m.1))
        .collect();
    assert!(!members.contains(&2) && members.contains(&1) && members.contains(&3));
    air.radios[1].categories[0].frames = 0;
    assert_eq!(air.soonest(0), Time::NEVER);
}

/// Hops that are used come first; their ports keep their numbers.
#[test]
fn hops_that_are_used_lie_together() {
    let mut world = World::build(&line(&[0.0, 10.0])).expect("a legal line");
    let air = &mut world.media.air;
    let first = PortId::raw(air.first_port);
    let hop = |port: u32, to: u32| Hop {
        port: PortId::raw(first.0 + port),
        from: 0,
        to,
        rate: backwater_transport::units::Rate(1),
        mode: None,
        windows: smallvec![],
        airtime: 0,
    };
    assert!(air.hops.is_empty());
    (0..4).for_each(|port| air.push_hop(hop(port, 10 + port)));
    air.gather_hops(&[false, true, false, true]);
    let to: Vec<u32> = air.hops.iter().map(|hop| hop.to).collect();
    assert_eq!(to, [11, 13, 10, 12]);
    for port in 0..4 {
        let id = PortId::raw(first.0 + port);
        assert_eq!(air.hop(id).map(|hop| hop.to), Some(10 + port));
        assert_eq!(air.hops[air.hop_number(id) as usize].port, id);
        assert_eq!(air.hop_to(0, 10 + port), Some(id));
    }
    assert_eq!(
        (
            air.hop_to(0, 99),
            air.hop(PortId::raw(first.0 + 4)).is_none()
        ),
        (None, true)
    );
    assert_eq!(air.radios[0].hops, [2, 0, 3, 1]);
}

/// Counts between two instants are differences, each of its own kind.
#[test]
fn counts_are_differences() {
    use crate::medium::wifi::radio::{StationCount, Toward};
    let count = |times: u64| StationCount {
        airtime: times,
        busy: 2 * times,
        frames: 3 * times,
        attempts: 4 * times,
        failures: 5 * times,
        internal: 6 * times,
        retry_drops: 7 * times,
        management: 8 * times,
        aifsn: [9 * times, 10 * times, 11 * times, 12 * times],
        moved: Time(times),
        toward: Toward {
            airtime: 13 * times,
            ppdus: 14 * times,
            frames: 15 * times,
        },
    };
    let (found, expected) = (count(1000).since(&count(300)), count(700));
    assert_eq!(found.moved, Time(1000));
    let without = |count: StationCount| {
        format!(
            "{:?}",
            StationCount {
                moved: Time(0),
                ..count
            }
        )
    };
    assert_eq!(without(found), without(expected));
    let member = Member::new(7);
    assert_eq!(
        (member.station, member.received, member.base, member.early),
        (7, 0, 0, 0)
    );
}

/// Classes above the highest category share it; management frames go with the highest, or with the only one.
#[test]
fn classes_share_categories() {
    let plain = World::build(&line(&[0.0, 10.0])).expect("a legal line");
    let radio = &plain.media.air.radios[0];
    assert_eq!([0, 1, 7].map(|class| radio.category(class)), [0, 0, 0]);
    assert!(radio.is_top(0));
    let mut spec = line(&[0.0, 10.0]);
    spec.media[0].mac.access = crate::medium::wifi::mac::category::AccessMode::Edca;
    let edca = World::build(&spec).expect("a legal line");
    let radio = &edca.media.air.radios[0];
    assert_eq!(
        [0, 1, 3, 4, 7].map(|class| radio.category(class)),
        [0, 1, 3, 3, 3]
    );
    assert_eq!(
        [0, 1, 2, 3].map(|category| radio.is_top(category)),
        [false, false, false, true]
    );
}
