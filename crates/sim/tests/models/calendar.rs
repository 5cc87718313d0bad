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

/// The events of each instant.
type Pending = BTreeMap<u64, Vec<Event>>;

/// Any of two kinds, of which one has a serial that takes many bits.
fn any(random: &mut Random) -> Event {
    match random.between(0, 3) {
        0 => Event::Refresh {
            control: Id::new(random.between(0, 300) as usize),
            neighbour: random.between(0, 63) as u8,
            epoch: random.between(0, 65_535) as u16,
        },
        _ => Event::Arrive(Id::new(random.between(0, 70_000) as usize)),
    }
}

fn put(calendar: &mut Calendar, pending: &mut Pending, at: u64, event: Event) {
    calendar.push(Time(at), event);
    pending.entry(at).or_default().push(event);
}

/// Takes the next event from both, if it is due: when.
fn next(calendar: &mut Calendar, pending: &mut Pending, until: u64) -> Option<u64> {
    let first = pending.keys().next().copied();
    assert_eq!(calendar.next_at().map(|at| at.0), first);
    let Some(key) = calendar.pop(Time(until)) else {
        assert!(first.is_none_or(|at| at > until));
        return None;
    };
    let at = key.at().0;
    let events = pending.get_mut(&at).expect("an event of this instant");
    let place = events.iter().position(|event| *event == key.event());
    events.swap_remove(place.expect("this event"));
    if events.is_empty() {
        pending.remove(&at);
    }
    Some(at)
}

/// Some events to a thousand, which come and go at scales from ticks to seconds, in bursts or one for each that is served.
#[test]
fn events_come_in_the_order_of_their_instants() {
    let mut random = Random::stream(1, "models", "calendar");
    for round in 0..6 {
        let (mut calendar, mut pending) = (Calendar::default(), Pending::new());
        if round % 2 == 1 {
            calendar.prefetch();
        }
        let scale = 10_u64.pow(random.between(1, 12) as u32);
        let crowd = [30, 150, 500][round % 3];
        let mut now = 0;
        for step in 0..6 {
            let more = match step % 4 {
                0 => crowd,
                _ => random.between(0, crowd / 2),
            };
            for _ in 0..more {
                let at = now + ahead(&mut random, scale);
                let event = any(&mut random);
                put(&mut calendar, &mut pending, at, event);
            }
            let until = now + random.between(0, scale);
            while next(&mut calendar, &mut pending, until).is_some() {}
            now = until;
            // One comes for each that is served.
            for _ in 0..crowd {
                let Some(at) = next(&mut calendar, &mut pending, u64::MAX - 1) else {
                    break;
                };
                now = at;
                let at = now + ahead(&mut random, scale);
                let event = any(&mut random);
                put(&mut calendar, &mut pending, at, event);
            }
        }
        while next(&mut calendar, &mut pending, u64::MAX - 1).is_some() {}
        assert!(pending.is_empty(), "round {round}");
    }
}
