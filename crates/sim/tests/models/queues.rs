//! Algorithms of queue management alone, by what they say of frames.

use backwater_sim::packet::Packets;
use backwater_sim::queue::aqm::{Frame, Parties, Verdict, Waiting};
use backwater_sim::queue::{AnyAqm, Aqm, ClassQueue, QUEUES};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Span, Time};

use crate::options::fill;
use crate::traces::MS;

pub fn algorithm(id: &str, given: &[(&'static str, Value)]) -> AnyAqm {
    let row = QUEUES.iter().find(|row| row.id == id).expect("a row");
    let made = (row.build)(&fill(row.options, given)).expect("legal options");
    made.aqm.expect("an algorithm")
}

/// A frame of 1,518 B that has waited so long, beside so many of the same.
pub fn frame(ms: u64, waited: u64, packets: u64) -> Frame {
    Frame {
        now: Time(ms * MS),
        queue: 0,
        size: 1518,
        ecn: Ecn::NotEct,
        sojourn: Span::millis(waited),
        bytes: 1518 * packets,
        packets,
    }
}

/// Frames are late from 0 ms on. After an interval of 100 ms one is dropped; a queue that was empty
/// at 95 ms begins another interval at 100 ms.
#[test]
fn an_empty_queue_begins_another_interval() {
    for (empties, expected) in [(false, 100), (true, 200)] {
        let mut codel = algorithm("codel", &[]);
        let mut first = None;
        for ms in (0..=300).step_by(10) {
            if ms == 100 && empties {
                codel.emptied(Time(95 * MS));
            }
            let verdict = codel.pop(&frame(ms, 10, 20));
            if verdict == Verdict::Drop && first.is_none() {
                first = Some(ms);
            }
        }
        assert_eq!(first, Some(expected));
    }
}

/// Packets lost behind the one that leaves at an instant.
pub fn lost_behind(codel: &mut AnyAqm, ms: u64, waited: u64) -> u64 {
    assert_eq!(codel.pop(&frame(ms, waited, 60)), Verdict::Accept);
    let mut lost = 0;
    while codel.takes_next() {
        lost += 1;
        assert_eq!(codel.pop(&frame(ms, waited, 60 - lost)), Verdict::Drop);
    }
    lost
}

/// Three losses, at 110, 210 and 280 ms, are a growth of two: soon after, the next state begins
/// with a count of two, and its second loss comes 100/√2 ms after its first, cut to 70. Two losses
/// are a growth of one, and the next state begins with a count of one: 100 ms.
#[test]
fn a_growth_of_two_losses_is_remembered() {
    for (until, losses, second) in [(280, 3, 580), (220, 2, 610)] {
        let mut codel = algorithm("codel-mahimahi", &[]);
        let times = (10..=until).step_by(10);
        let lost: u64 = times.map(|ms| lost_behind(&mut codel, ms, 10)).sum();
        assert_eq!(lost, losses);
        // A packet that has waited 4 ms ends the state; those after it are late again for 100 ms.
        assert_eq!(lost_behind(&mut codel, 400, 4), 0);
        let times = (410..=650).step_by(10);
        let with_loss: Vec<u64> = times
            .filter(|ms| lost_behind(&mut codel, *ms, 10) > 0)
            .collect();
        assert_eq!(with_loss[..2], [510, second]);
    }
}

/// What waits: so many bytes.
pub fn update(pie: &mut AnyAqm, ms: u64, bytes: u64) {
    let queue = ClassQueue {
        bytes,
        ..ClassQueue::default()
    };
    let waiting = Waiting {
        queues: &[queue],
        packets: &Packets::default(),
        sending: 0,
    };
    pie.update(Time(ms * MS), &waiting);
}

/// Eleven packets of 1,518 B leave within 10 ms, more than 16 kB: a rate was measured, of 1,669
/// B/ms.
pub fn measure(pie: &mut AnyAqm, from: u64) {
    for ms in 0..11 {
        pie.pop(&frame(from + ms, 0, 20));
    }
}

/// A measured rate and an empty queue allow a burst of 150 ms when the first period ends, at 30 ms.
/// The periods up to 60 and 90 ms take 30 ms each of it, though nobody looks before 100 ms. A
/// measurement takes its 10 ms, which leaves 80; the next periods leave 50, 20 and nothing. A
/// backlog of 100 ms raises the probability to one at once, and packets are lost as soon as nothing
/// of the burst is left.
#[test]
fn periods_of_an_idle_line_use_up_the_burst() {
    let mut random = Random::stream(1, "models", "burst");
    let mut pie = algorithm("pie-mahimahi", &[]);
    measure(&mut pie, 0);
    update(&mut pie, 100, 0);
    measure(&mut pie, 100);
    let verdicts = [121, 151, 181].map(|ms| {
        update(&mut pie, ms, 166_900);
        pie.push(&frame(ms, 0, 110), &mut random)
    });
    assert_eq!(verdicts, [Verdict::Accept, Verdict::Accept, Verdict::Drop]);
}

/// A level of a byte is a level: an arrival that finds two bytes counts as a loss, which raises the
/// probability to one.
#[test]
fn the_least_level_counts() {
    let mut random = Random::stream(1, "models", "level");
    for (level, bytes, verdict) in [
        (1, 1, Verdict::Accept),
        (1, 2, Verdict::Drop),
        (0, 2, Verdict::Accept),
    ] {
        let given = [
            ("level", Value::Bytes(Bytes(level))),
            ("increase", Value::Number(1.0)),
        ];
        let mut blue = algorithm("blue", &given);
        let arrival = Frame {
            bytes,
            ..frame(1, 0, 1)
        };
        assert_eq!(blue.push(&arrival, &mut random), verdict, "{level} {bytes}");
    }
}

/// Of 1,024 queues two flows share one by chance. That is so for flows whose numbers or hosts
/// differ in a single bit, whichever it is: of 500 such pairs half a pair shares a queue in the
/// mean, and not ten.
#[test]
fn flows_that_differ_in_one_bit_are_told_apart() {
    let mut queue = algorithm("fq-codel", &[("flows", Value::Count(1024))]);
    let mut place = |key: u64| {
        queue.classify(&Parties {
            flow: (key >> 32) as u32,
            from: 0,
            to: (key & u64::from(u32::MAX)) as u32,
            ecn: Ecn::NotEct,
        })
    };
    for bit in 0..64 {
        let mut random = Random::stream(bit, "models", "flows");
        let mut shares = || {
            let key = random.between(0, u64::MAX - 1);
            place(key) == place(key ^ 1 << bit)
        };
        let shared = (0..500).filter(|_| shares()).count();
        assert!(shared < 10, "bit {bit}: {shared}");
    }
}
