//! A walk on its own: what it sees of each kind of number and instant, and what it writes after so many periods.

use backwater_transport::units::{Span, Time};
use backwater_transport::walk::{Base, OnTheWay, Repeat, Seen, Walk};

const NEVER: u64 = u64::MAX;

/// What a walk at 100 that keeps what grows sees.
fn seen(visit: impl FnOnce(&mut Walk)) -> Seen {
    seen_at(100, visit)
}

fn seen_at(now: u64, visit: impl FnOnce(&mut Walk)) -> Seen {
    let mut walk = Walk::keep(Time(now));
    visit(&mut walk);
    walk.seen().expect("all is visited")
}

/// Of an instant: the state, the soonest instant that stays, and the reach.
fn instant(visit: fn(&mut Walk, &mut Time), at: u64) -> (Vec<u64>, u64, u64) {
    let seen = seen(|walk| visit(walk, &mut Time(at)));
    (seen.state, seen.soonest.0, seen.reach.0)
}

#[test]
fn an_instant_that_keeps_its_distance_is_one() {
    let of = |at| instant(|walk, at| walk.time(at), at);
    assert_eq!(of(130), (vec![30], NEVER, 30));
    assert_eq!(of(100), (vec![0], NEVER, 0));
    assert_eq!(of(70), (vec![0u64.wrapping_sub(30)], NEVER, 0));
    assert_eq!(of(NEVER), (vec![NEVER], NEVER, 0));
    let event = |compared| {
        let seen = seen(|walk| {
            walk.event(Time(140), 9, compared);
            walk.event(Time(120), 8, compared);
        });
        (seen.state, seen.reach.0, seen.grows.len())
    };
    assert_eq!(event(true), (vec![40, 9, 20, 8], 40, 0));
    assert_eq!(event(false), (vec![40, 9, 20, 8], 0, 0));
}

#[test]
fn an_instant_that_stays_bounds_what_is_skipped() {
    let of = |at| instant(|walk, at| walk.fixed(*at), at);
    assert_eq!(of(130), (vec![130], 130, 0));
    assert_eq!(of(100), (vec![0], NEVER, 0));
    assert_eq!(of(99), (vec![0], NEVER, 0));
    let of = |at| instant(|walk, at| walk.known(*at, 5), at);
    assert_eq!(of(130), (vec![130, 5], 130, 0));
    assert_eq!(of(100), (vec![100, 5], 100, 0));
    let soonest = seen(|walk| {
        walk.fixed(Time(140));
        walk.known(Time(120), 0);
        walk.fixed(Time(130));
    });
    assert_eq!(soonest.soonest, Time(120));
}

/// The past of a timer is one to whoever asks; now is not yet the past.
#[test]
fn an_instant_up_to_which_something_matters_is_none_behind_it() {
    let of = |at| instant(|walk, at| walk.until(at), at);
    assert_eq!(of(99), (vec![0], NEVER, 0));
    assert_eq!(of(0), (vec![0], NEVER, 0));
    assert_eq!(of(100), (vec![1], NEVER, 0));
    assert_eq!(of(130), (vec![31], NEVER, 0));
    assert_eq!(of(NEVER), (vec![NEVER], NEVER, 0));
    let of = |at| instant(|walk, at| walk.later(at, Time(60)), at);
    assert_eq!(of(61), (vec![39], NEVER, 0));
    assert_eq!(of(60), (vec![NEVER], NEVER, 0));
    assert_eq!(of(20), (vec![NEVER], NEVER, 0));
    let of = |at| instant(|walk, at| walk.last(at), at);
    assert_eq!(of(70), (vec![], NEVER, 0));
    let of = |at| instant(|walk, at| walk.either(at), at);
    assert_eq!(of(130), (vec![1], NEVER, 0));
    assert_eq!(of(100), (vec![0], NEVER, 0));
    assert_eq!(of(NEVER), (vec![0], NEVER, 0));
    let moving = |at| {
        let mut walk = Walk::keep(Time(100)).where_all_move(true);
        walk.either(&mut Time(at));
        walk.seen().expect("all is visited").state
    };
    assert_eq!((moving(130), moving(NEVER)), (vec![31], vec![NEVER]));
}

#[test]
fn numbers_count_as_differences() {
    let of = |visit: &dyn Fn(&mut Walk)| {
        let seen = seen(visit);
        (seen.state, seen.grows)
    };
    assert_eq!(of(&|w| w.number(&mut 7, 10)), (vec![3], vec![7]));
    assert_eq!(
        of(&|w| w.number(&mut 12, 10)),
        (vec![0xFFFF_FFFE], vec![12])
    );
    assert_eq!(of(&|w| w.long(&mut 7, 10)), (vec![3], vec![7]));
    assert_eq!(of(&|w| w.low(&mut 7, (1 << 32) + 10)), (vec![3], vec![7]));
    assert_eq!(of(&|w| w.same(true)), (vec![1], vec![]));
    for visit in [
        (&|w: &mut Walk| w.count(&mut 7)) as &dyn Fn(&mut Walk),
        &|w| w.short(&mut 7),
        &|w| w.small(&mut 7),
        &|w| w.wide(&mut 7),
    ] {
        assert_eq!(of(visit), (vec![], vec![7]));
    }
    // Below 64 segments of 10 the distance to an end is exact.
    for (end, left) in [(700, 600), (740, 640), (900, 640), (90, 0)] {
        assert_eq!(seen(|w| w.up_to(100, &mut { end }, 10)).state, [left]);
    }
    for (number, above) in [(99, 0), (100, 1), (107, 8)] {
        assert_eq!(seen(|w| w.above(&mut { number }, 100)).state, [above]);
    }
}

/// A look keeps nothing that grows; only who writes, writes.
#[test]
fn a_walk_knows_its_purpose() {
    let mut look = Walk::look(Time(100));
    assert_eq!(
        (look.now(), look.counts(), look.writes()),
        (Time(100), false, false)
    );
    look.count(&mut 3);
    look.last(&mut Time(3));
    assert!(look.seen().expect("all is visited").grows.is_empty());
    let keep = Walk::keep(Time(100));
    assert_eq!((keep.counts(), keep.writes()), (true, false));
    let repeat = Repeat {
        period: Span(10),
        began: Time(90),
        periods: 7,
    };
    let mut write = Walk::write(Time(100), Seen::default(), Seen::default(), repeat);
    assert_eq!(
        (write.counts(), write.writes(), write.way()),
        (true, true, Span(70))
    );
    write.same(1u64);
    assert!(write.seen().expect("all is visited").state.is_empty());
    let mut unable = Walk::look(Time(100));
    unable.unable("first", "a reason");
    unable.unable("second", "another");
    let why = unable.seen().expect_err("two parts are unknown");
    assert_eq!((why.place.as_str(), why.why), ("first", "a reason"));
}

/// The values that a visit has at both ends of a period of 50, from 50 to 100, and after four more.
fn written<T: Copy>(values: [T; 2], visit: impl Fn(&mut Walk, &mut T)) -> T {
    let [mut before, mut after] = values;
    let first = seen_at(50, |walk| visit(walk, &mut before));
    let second = seen_at(100, |walk| visit(walk, &mut after));
    let repeat = Repeat {
        period: Span(50),
        began: Time(50),
        periods: 4,
    };
    let mut walk = Walk::write(Time(100), first, second, repeat);
    visit(&mut walk, &mut after);
    after
}

/// What grows by so much in a period has grown four times more after four; a number of 32 bits begins anew.
#[test]
fn what_grows_goes_on_growing() {
    assert_eq!(written([7, 10], |w, n| w.count(n)), 22);
    assert_eq!(written([7, 10], |w, n| w.long(n, 0)), 22);
    assert_eq!(written([7, 10], |w, n| w.short(n)), 22);
    assert_eq!(written([7, 10], |w, n| w.small(n)), 22);
    assert_eq!(written([7, 10], |w, n| w.wide(n)), 22);
    assert_eq!(written([u32::MAX - 9, u32::MAX], |w, n| w.number(n, 5)), 35);
    assert_eq!(written([u32::MAX - 9, u32::MAX], |w, n| w.low(n, 5)), 35);
    assert_eq!(written([100, 90], |w, n| w.count(n)), 50);
    assert_eq!(written([7, 10], |w, n| w.above(n, 3)), 22);
    assert_eq!(written([7, 10], |w, n| w.up_to(*n, &mut { 90 }, 1)), 10);
    assert_eq!(written([70, 95], |w, end| w.up_to(9, end, 1)), 195);
}

/// An instant goes along if it moved by a period, or was written in it. Then it has moved by four periods, 200, more.
#[test]
fn instants_that_moved_go_on_moving() {
    type Visit = fn(&mut Walk, &mut Time);
    let kinds: [Visit; 5] = [
        |w, at| w.time(at),
        |w, at| w.until(at),
        |w, at| w.later(at, Time(0)),
        |w, at| w.last(at),
        |w, at| w.settled(at),
    ];
    for visit in kinds {
        let after = |before, after| written([Time(before), Time(after)], visit).0;
        assert_eq!(after(80, 130), 330, "it moved by 50");
        assert_eq!(after(10, 51), 251, "it was written in the period");
        assert_eq!(after(10, 50), 50, "it was written at its beginning");
        assert_eq!(after(0, 49), 49);
        assert_eq!(after(0, 50), 250, "it moved by 50");
        assert_eq!(after(30, 30), 30, "it stays");
        assert_eq!(after(NEVER, NEVER), NEVER);
    }
    let either = |before, after| written([Time(before), Time(after)], |w, at| w.either(at)).0;
    assert_eq!(either(500, 500), 500, "it stays");
    assert_eq!(either(450, 500), 700, "it moved");
    assert_eq!(either(30, 80), 280, "it is past and moved");
    assert_eq!(either(30, 30), 30);
}

/// How many periods of 50 may follow.
fn periods(before: &Seen, mut after: Seen) -> Option<(u64, u64)> {
    let periods = after.recurs(before, Span(50))?;
    Some((periods, after.soonest.0))
}

#[test]
fn an_instant_that_may_stay_or_move_does_one_of_them() {
    let of = |now, at| seen_at(now, |walk| walk.either(&mut Time(at)));
    assert_eq!(periods(&of(50, 500), of(100, 500)), Some((NEVER, 500)));
    assert_eq!(periods(&of(50, 450), of(100, 500)), Some((NEVER, NEVER)));
    assert_eq!(periods(&of(50, 449), of(100, 500)), None);
    assert_eq!(periods(&of(50, 501), of(100, 500)), None);
    let of = |now, at| seen_at(now, |walk| walk.settled(&mut Time(at)));
    assert_eq!(periods(&of(50, 40), of(100, 40)), Some((NEVER, NEVER)));
    assert_eq!(periods(&of(50, 40), of(100, 90)), Some((NEVER, NEVER)));
    assert_eq!(periods(&of(50, 40), of(100, 91)), None);
    let two = seen_at(100, |walk| {
        walk.count(&mut 3);
        walk.count(&mut 3);
    });
    assert_eq!(periods(&of(50, 40), two), None, "another part grows");
}

/// 10 bytes a period from 100 on, 5 apart from an end at 200 that grows by so much: the period before began 100 − 15 below it, the last
/// 90 − 15.
/// Each later one takes what it gains.
#[test]
fn a_number_stays_below_its_end() {
    let of = |now, number: u64, end: u64| {
        seen_at(now, move |walk| {
            // The state is not what is asked for here.
            walk.up_to(number, &mut { end }, 5);
        })
    };
    let left = |ends: [u64; 2]| {
        let (before, mut after) = (of(50, 100, ends[0]), of(100, 110, ends[1]));
        after.state.clone_from(&before.state);
        after.recurs(&before, Span(50))
    };
    assert_eq!(left([200, 200]), Some(7), "75 / 10");
    assert_eq!(left([200, 202]), Some(9), "77 / 8");
    assert_eq!(left([200, 210]), Some(NEVER), "it keeps its distance");
    assert_eq!(left([200, 211]), Some(NEVER), "it gains");
    assert_eq!(left([125, 125]), Some(0), "it ends exactly so far below");
    assert_eq!(left([124, 124]), None, "it is too close");
    assert_eq!(left([115, 116]), None);
    assert_eq!(left([114, 130]), None, "it was too close before");
}

#[test]
fn what_is_on_the_way_has_a_least_number_and_byte() {
    let mut on_the_way = OnTheWay::default();
    assert_eq!(
        (on_the_way.packets, on_the_way.number, on_the_way.byte),
        (0, NEVER, NEVER)
    );
    for (number, byte) in [(7, 300), (5, 400), (9, 100)] {
        on_the_way.add(number, byte);
    }
    assert_eq!(
        (on_the_way.packets, on_the_way.number, on_the_way.byte),
        (3, 5, 100)
    );
    assert_eq!(Base::default().upto, 0);
}
