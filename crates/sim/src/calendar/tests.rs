use super::*;
use crate::table::Id;
use proptest::prelude::*;

/// Pushes and pops as told and compares each event served with the least of a plain list.
fn serve(steps: impl IntoIterator<Item = (u64, u32, bool)>) -> (Calendar, usize) {
    let mut calendar = Calendar::default();
    let mut model = std::collections::BTreeSet::new();
    let mut now = 0;
    let mut widest = 0;
    for (ahead, owner, pop) in steps {
        if pop {
            let expected = model.pop_first();
            let got = calendar.pop(Time::NEVER);
            assert_eq!(got, expected);
            now = expected.map_or(now, |key: Key| key.at().0);
        } else {
            let at = Time(now.saturating_add(ahead));
            let event = Event::Arrive(Id::raw(owner));
            // A key that is pending already would be told apart from its twin by nobody.
            if model.insert(Key::new(at, event)) {
                calendar.push(at, event);
            }
        }
        if pop && model.len() % 64 != 0 {
            continue;
        }
        widest = widest.max(calendar.wheel.as_ref().map_or(0, |w| w.keys().count()));
    }
    while let Some(expected) = model.pop_first() {
        let got = calendar.pop(Time::NEVER);
        assert_eq!(got, Some(expected));
    }
    assert_eq!(calendar.pop(Time::NEVER), None);
    (calendar, widest)
}

/// How far ahead an event lies: ties, the next moment, a turn of a wheel, far away, the end of time.
fn ahead() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => Just(0u64),
        8 => 0u64..50,
        8 => 0u64..100_000,
        2 => 0u64..1_000_000_000_000,
        1 => Just(u64::MAX),
    ]
}

/// Whose: few, so that there are ties, and some for which a bucket has no room.
fn owner() -> impl Strategy<Value = u32> {
    prop_oneof![8 => 0u32..9, 1 => any::<u32>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_mix_of_pushes_and_pops_is_served_in_order(
        steps in prop::collection::vec((ahead(), owner(), prop::bool::weighted(0.4)), 1..3000)
    ) {
        serve(steps);
    }
}

/// Draws without a generator: a Weyl sequence.
fn weyl(i: u64) -> u64 {
    i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}

/// `pending` events that each schedule another as they are served, as a fabric's ports do.
fn steady(pending: u64, rounds: u64, ahead: impl Fn(u64) -> u64) -> (Calendar, usize) {
    let first = (0..pending).map(|i| (ahead(i), i as u32, false));
    let later = (pending..pending * rounds).flat_map(|i| {
        let owner = i as u32;
        [(0, 0, true), (ahead(i), owner, false)]
    });
    serve(first.chain(later))
}

#[test]
fn a_large_network_is_held_by_a_wheel_and_a_small_one_is_not() {
    let (_, widest) = steady(24, 50, |i| 1 + weyl(i) % 1000);
    assert_eq!(widest, 0);
    let (_, widest) = steady(5000, 6, |i| 1 + weyl(i) % 1_000_000);
    assert!(widest > 4500, "{widest} of 5000 in the wheel");
}

#[test]
fn order_holds_when_the_spacing_changes_and_when_all_fall_due_at_once() {
    // From microseconds to nanoseconds to seconds: the buckets have to follow.
    let spacing = |i: u64| match i / 10_000 % 3 {
        0 => 1 + weyl(i) % 1_000_000,
        1 => 1 + weyl(i) % 1000,
        _ => 1 + (weyl(i) << 16),
    };
    steady(1000, 60, spacing);
    steady(3000, 6, |_| 1_000_000);
    steady(300, 20, |i| if i % 7 == 0 { 0 } else { 1000 });
}

#[test]
fn a_wheel_is_given_up_when_few_events_are_left() {
    let many = (0..2000u64).map(|i| (weyl(i) % 1000, i as u32, false));
    let drained = (0..1990).map(|_| (0, 0, true));
    let few = (0..200_000u64).flat_map(|i| [(1 + weyl(i) % 1000, i as u32, false), (0, 0, true)]);
    let (calendar, widest) = serve(many.chain(drained).chain(few));
    assert!(widest > 1000);
    assert!(calendar.wheel.is_none());
}

#[test]
fn a_new_wheel_takes_over_the_rooms_of_the_old() {
    let key = |at: u64| Key::new(Time(at), Event::Arrive(Id::raw(0)));
    let mut keys: Vec<Key> = (0..100).map(|i| key(1000 * i)).collect();
    let mut old = Wheel::suited(&mut keys, None);
    // The first bucket counts as taken out; the others have a room each.
    let edge = old.edge();
    let later = keys.iter().filter(|key| **key >= edge);
    later.for_each(|key| old.push(*key));
    let rooms = old.rooms();
    let mut new = Wheel::suited(&mut keys, Some(&old));
    assert_eq!((rooms > 10, new.rooms()), (true, 0));
    new.take_rooms(old);
    assert_eq!(new.rooms(), rooms);
    new.push(key(99_000));
    assert_eq!(new.rooms(), rooms);
}

#[test]
fn timers_far_away_do_not_make_a_great_table() {
    // A hundred events within a nanosecond, whose width the next wheel takes over, and a hundred timers a second ahead.
    let key = |i: u64, at: u64| Key::new(Time(at), Event::Arrive(Id::raw(i as u32)));
    let mut near: Vec<Key> = (0..100).map(|i| key(i, 10 * i)).collect();
    let far = (0..100).map(|i| key(i, 1_000_000_000_000 + i));
    let old = Wheel::suited(&mut near, None);
    let mut keys: Vec<Key> = near.iter().copied().chain(far).collect();
    // Twice eight for each of two hundred, up to a power of two.
    assert_eq!(Wheel::suited(&mut keys, Some(&old)).size(), 4096);
}

/// Any number of keys, beside a sorted set. Ties included: rank and owner decide.
#[test]
fn a_heap_gives_the_least_of_any_number_of_keys() {
    let mut heap = Heap::default();
    let mut model = std::collections::BTreeSet::new();
    assert_eq!((heap.len(), heap.is_empty(), heap.first()), (0, true, None));
    for i in 0..6_000u64 {
        // It grows to some hundreds, three times, and is emptied.
        let grows = i / 1_000 % 2 == 0;
        if weyl(i) % 8 < if grows { 6 } else { 1 } {
            let key = Key::new(
                Time(weyl(i * 7) % 500),
                Event::Arrive(Id::raw(weyl(i * 3) as u32 % 99)),
            );
            if model.insert(key) {
                heap.push(key);
            }
        } else {
            assert_eq!(heap.pop(), model.pop_first());
        }
        assert_eq!(heap.first(), model.first().copied());
        assert_eq!(heap.len(), model.len());
        assert_eq!(heap.is_empty(), model.is_empty());
        if i % 500 == 0 {
            let mut all: Vec<Key> = heap.keys().collect();
            all.sort_unstable();
            assert!(all.iter().eq(&model));
        }
    }
}

/// A thousand events at 5 to 12 of one instant's ranks and owners lie in one bucket, before and behind the wheel's turn, with
/// owners for which a bucket has no room. An event that is taken out is due no more, wherever it lay.
#[test]
fn an_event_is_forgotten_wherever_it_lies() {
    let at = |i: u64| match i % 4 {
        0 => i,
        1 => 1_000 + weyl(i) % 100_000,
        2 => 50_000,
        _ => 1_000_000_000_000 + i,
    };
    let owner = |i: u64| {
        if i.is_multiple_of(5) {
            u32::MAX - i as u32
        } else {
            i as u32
        }
    };
    let event = |i: u64| Event::Arrive(Id::raw(owner(i)));
    let mut calendar = Calendar::default();
    (0..1_000).for_each(|i| calendar.push(Time(at(i)), event(i)));
    for i in (0..1_000).filter(|i| i % 3 == 0) {
        calendar.cancel(event(i));
    }
    let left = (0..1_000).filter(|i| i % 3 != 0);
    let mut due: Vec<Key> = left.map(|i| Key::new(Time(at(i)), event(i))).collect();
    due.sort_unstable();
    // Nothing comes before its instant.
    assert_eq!(calendar.next_at(), Some(due[0].at()));
    for key in due {
        let early = key
            .at()
            .0
            .checked_sub(1)
            .and_then(|t| calendar.pop(Time(t)));
        assert_eq!(early, None);
        assert_eq!(calendar.pop(key.at()), Some(key));
    }
    assert_eq!(
        (calendar.next_at(), calendar.pop(Time::NEVER)),
        (None, None)
    );
}

/// n events that each come again after up to 2·n·g ticks make one event each g ticks. A bucket is to hold a dozen: 8 to 32, where
/// the width is looked at again.
#[test]
fn buckets_follow_the_spacing_of_events() {
    let mut calendar = Calendar::default();
    const EVENTS: u64 = 600;
    let mut pushed = 0;
    let mut push = |calendar: &mut Calendar, now: u64, gap: u64| {
        pushed += 1;
        let ahead = 1 + weyl(pushed) * 2 * EVENTS * gap / (1 << 24);
        calendar.push(
            Time(now + ahead),
            Event::Arrive(Id::raw(pushed as u32 % (1 << 24))),
        );
    };
    (0..EVENTS).for_each(|_| push(&mut calendar, 0, 1_000));
    for gap in [1_000, 50_000, 3_000, 400_000, 20_000, 1_500] {
        for _ in 0..40_000 {
            let now = calendar.pop(Time::NEVER).expect("some wait").at().0;
            push(&mut calendar, now, gap);
        }
        let wheel = calendar.wheel.as_ref().expect("a crowd");
        let held = (1u64 << wheel.bucket().1) as f64 / gap as f64;
        assert!((6.0..40.0).contains(&held), "{held} in a bucket at {gap}");
        // A turn has room for nearly all of them: no more than a hundred buckets for each.
        assert!(wheel.size() as u64 <= 100 * EVENTS, "{}", wheel.size());
    }
}

/// A first guess has half of five to five pending events for each bucket, however far the last eighth of them is.
#[test]
fn a_new_wheel_suits_the_events_that_are_pending() {
    for gap in [3, 1_000, 70_000_000] {
        let far = |i: u64| if i < 700 { i * gap } else { 900 * gap * i };
        let key = |i: u64| Key::new(Time(5 + far(i)), Event::Arrive(Id::raw(i as u32)));
        let keys: Vec<Key> = (0..800).map(key).collect();
        let wheel = Wheel::suited(&mut keys.clone(), None);
        let pending = (1u64 << wheel.bucket().1) as f64 / gap as f64;
        assert!(pending > 2.4 && pending <= 5.0, "{pending} at {gap}");
        // One turn goes beyond the seven eighths that lie near.
        assert!(wheel.size() as u64 * (1 << wheel.bucket().1) > 700 * gap);
        let mut wheel = wheel;
        let edge = wheel.edge();
        assert!(edge > keys[0] && edge.at().0 - keys[0].at().0 <= 1 << wheel.bucket().1);
        let later: Vec<Key> = keys.iter().copied().filter(|key| *key >= edge).collect();
        later.iter().for_each(|key| wheel.push(*key));
        let mut all: Vec<Key> = wheel.keys().collect();
        all.sort_unstable();
        assert_eq!(all, later);
    }
}
