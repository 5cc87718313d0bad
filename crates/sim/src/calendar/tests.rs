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
    let (_, widest) = steady(5000, 20, |i| 1 + weyl(i) % 1_000_000);
    assert!(widest > 4500, "{widest} of 5000 in the wheel");
}

#[test]
fn order_holds_when_the_spacing_changes_and_when_all_fall_due_at_once() {
    // From microseconds to nanoseconds to seconds: the buckets have to follow.
    let spacing = |i: u64| match i / 40_000 % 3 {
        0 => 1 + weyl(i) % 1_000_000,
        1 => 1 + weyl(i) % 1000,
        _ => 1 + (weyl(i) << 16),
    };
    steady(1000, 240, spacing);
    steady(3000, 20, |_| 1_000_000);
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
fn timers_far_away_do_not_make_a_great_table() {
    // A hundred events within a nanosecond, whose width the next wheel takes over, and a hundred timers a second ahead.
    let key = |i: u64, at: u64| Key::new(Time(at), Event::Arrive(Id::raw(i as u32)));
    let near: Vec<Key> = (0..100).map(|i| key(i, 10 * i)).collect();
    let far = (0..100).map(|i| key(i, 1_000_000_000_000 + i));
    let old = Wheel::suited(&near, None);
    let keys: Vec<Key> = near.iter().copied().chain(far).collect();
    // Twice eight for each of two hundred, up to a power of two.
    assert_eq!(Wheel::suited(&keys, Some(&old)).size(), 4096);
}
