//! Runs up to a level, an empty place or a floor: instants at the bounds.

use backwater_sim::world::{Climbed, Count, Course, Goal, World};
use backwater_transport::units::Time;

use crate::net::*;

/// Six packets at once on a line of 10 Mbit/s, 1,230.4 us each, and one more at 50 ms.
fn burst() -> World {
    burst_over("0 s")
}

/// The same on a line of this delay.
fn burst_over(delay: &str) -> World {
    built(&format!(
        r#"
duration = "100 ms"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.q = {{ ends = ["S", "D"], rate = "10 Mbit/s", delay = "{delay}" }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "packet-list", at_us = [0, 50000], bytes = [9000, 1500] }} }}
"#
    ))
}

/// An event at the last instant of a climb belongs to it.
#[test]
fn a_goal_that_the_last_instant_reaches_is_reached() {
    let start = burst();
    let queue = port(&start, "S>D");
    for (to, found, most) in [
        (50 * MS, Climbed::Goal(0), 1518),
        (50 * MS - 1, Climbed::Over, 0),
    ] {
        let mut world = start.clone();
        world.advance(Time(40 * MS));
        let goals = [Goal {
            score: vec![Count::Bytes(queue)],
            level: 1518,
        }];
        let course = Course {
            goals: &goals,
            empty: &[],
            to: Time(to),
            floor: 0,
        };
        let mut reached = 0;
        assert_eq!(world.climb(&course, &mut reached), found);
        assert_eq!((reached, world.now()), (most, Time(to)));
    }
}

/// Five frames wait while the first leaves, and one less while each further one does. That a score lies below its floor is found out before the next event, the
/// end of that frame at its host, at the last tick before it. A score that rests on its floor has not fallen.
#[test]
fn a_score_below_its_floor_ends_a_climb_before_the_next_event() {
    let start = burst();
    let queue = port(&start, "S>D");
    let came = |n: u64| (n - 1) * 1_230_400_000 + 1_220_800_000;
    for (level, floor, found, now) in [
        (9_000, 3, Climbed::Fallen, came(4) - 1),
        (9_000, 5, Climbed::Fallen, came(2) - 1),
        (9_000, 1, Climbed::Fallen, came(6) - 1),
        (9_000, 0, Climbed::Over, 90 * MS),
        (5, 3, Climbed::Goal(0), 0),
    ] {
        let mut world = start.clone();
        let goals = [Goal {
            score: vec![Count::Waiting(queue)],
            level,
        }];
        let course = Course {
            goals: &goals,
            empty: &[],
            to: Time(90 * MS),
            floor,
        };
        assert_eq!(world.climb(&course, &mut 0), found, "{level} {floor}");
        assert_eq!(world.now(), Time(now));
    }
}

/// The last packet is chosen when the fifth has left and is there, at 6,142.4 us. That nothing waits any more is found out before the event of the sixth.
#[test]
fn a_queue_that_is_empty_ends_a_climb_before_the_next_event() {
    let mut world = burst();
    let queue = port(&world, "S>D");
    let goals = [Goal {
        score: vec![Count::Lost],
        level: 1,
    }];
    let course = Course {
        goals: &goals,
        empty: &[Count::Waiting(queue)],
        to: Time(90 * MS),
        floor: 0,
    };
    world.advance(Time(1));
    assert_eq!(world.climb(&course, &mut 0), Climbed::Empty);
    assert_eq!(world.now(), Time(4 * 1_230_400_000 + 1_220_800_000));
}

/// On a line of 500 us a frame is chosen between two arrivals, when the one before has left. Two wait from the end of the third frame on, and the next event is the
/// arrival of that frame.
#[test]
fn a_score_that_falls_between_two_events_is_seen_before_the_later_one() {
    let mut world = burst_over("500 us");
    let queue = port(&world, "S>D");
    let goals = [Goal {
        score: vec![Count::Waiting(queue)],
        level: 9_000,
    }];
    let course = Course {
        goals: &goals,
        empty: &[],
        to: Time(90 * MS),
        floor: 3,
    };
    assert_eq!(world.climb(&course, &mut 0), Climbed::Fallen);
    let arrival = 2 * 1_230_400_000 + 1_220_800_000 + 500 * US;
    assert_eq!(world.now(), Time(arrival - 1));
}
