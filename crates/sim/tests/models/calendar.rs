//! The calendar of events beside a sorted map: whatever holds them, they come in the order of their instants.

use std::collections::BTreeMap;

use backwater_sim::calendar::Calendar;
use backwater_sim::event::Event;
use backwater_sim::table::Id;
use backwater_transport::random::Random;
use backwater_transport::units::Time;

/// How far ahead the next event lies: soon, as far as most, or long after all others.
fn ahead(random: &mut Random, scale: u64) -> u64 {
    match random.between(0, 19) {
        0 => random.between(0, 3),
        1 => random.between(0, 1_000 * scale),
        _ => random.between(0, scale),
    }
}

/// Takes all events up to an instant, each from both.
fn take(calendar: &mut Calendar, map: &mut BTreeMap<u64, u32>, until: u64) -> u64 {
    let mut last = 0;
    loop {
        let first = map.keys().next().copied();
        assert_eq!(calendar.next_at().map(|at| at.0), first);
        let Some(key) = calendar.pop(Time(until)) else {
            assert!(first.is_none_or(|at| at > until));
            return last;
        };
        last = key.at().0;
        let left = map.get_mut(&last).expect("an event of this instant");
        *left -= 1;
        if *left == 0 {
            map.remove(&last);
        }
    }
}

/// Some events to a thousand, which come and go at scales from ticks to seconds, in bursts or one for each that is served.
#[test]
fn events_come_in_the_order_of_their_instants() {
    let mut random = Random::stream(1, "models", "calendar");
    for round in 0..6 {
        let (mut calendar, mut map) = (Calendar::default(), BTreeMap::new());
        if round % 2 == 1 {
            calendar.prefetch();
        }
        let scale = 10_u64.pow(random.between(1, 12) as u32);
        let pending = [30, 150, 500][round % 3];
        let mut now = 0;
        for step in 0..6 {
            let add = match step % 4 {
                0 => pending,
                _ => random.between(0, pending / 2),
            };
            for _ in 0..add {
                let at = now + ahead(&mut random, scale);
                calendar.push(Time(at), Event::Arrive(Id::new(7)));
                *map.entry(at).or_insert(0) += 1;
            }
            let until = now + random.between(0, scale);
            take(&mut calendar, &mut map, until);
            now = until;
            // One comes for each that is served.
            for _ in 0..pending {
                let Some(key) = calendar.pop(Time(u64::MAX - 1)) else {
                    break;
                };
                assert_eq!(map.keys().next(), Some(&key.at().0));
                now = key.at().0;
                let left = map.remove(&now).expect("an event of this instant");
                if left > 1 {
                    map.insert(now, left - 1);
                }
                let at = now + ahead(&mut random, scale);
                calendar.push(Time(at), Event::Arrive(Id::new(7)));
                *map.entry(at).or_insert(0) += 1;
            }
        }
        take(&mut calendar, &mut map, u64::MAX - 1);
        assert!(map.is_empty(), "round {round}");
    }
}
