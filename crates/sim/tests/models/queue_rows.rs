//! What rows of queues make of their options, and what an algorithm says of itself.

use backwater_sim::limit::Limit;
use backwater_sim::queue::{self, Aqm, HOSTED, QUEUES, Queue, Room, Scheduler};
use backwater_transport::added::{Addition, NotAdded};
use backwater_transport::part::{File, Refusal, Value};
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span};

use crate::options::fill;
use crate::queues::algorithm;

fn built(id: &str, given: &[(&'static str, Value)]) -> Result<Queue, Refusal> {
    let row = QUEUES.iter().find(|row| row.id == id).expect("a row");
    (row.build)(&fill(row.options, given))
}

/// The delay that is aimed at may be moved while a world runs, by the name of its option and within its bounds of 1 us and 100 s.
#[test]
fn the_target_of_an_algorithm_is_a_knob() {
    for (id, name) in [
        ("codel", Some("target")),
        ("fq-codel", Some("target")),
        ("pie", Some("reference")),
        ("dualpi2", Some("target")),
        ("red", None),
        ("blue", None),
    ] {
        let mut made = algorithm(id, &[]);
        let knob = made.knob().map(|knob| (knob.name, knob.low, knob.high));
        assert_eq!(knob, name.map(|name| (name, 1e-6, 100.0)), "{id}");
    }
}

/// Algorithms that draw for frames as they leave, or for bytes, have a stream of their own once they are at a port. Others have none.
#[test]
fn an_algorithm_with_a_stream_of_its_own_says_so() {
    for (id, own) in [
        ("ecn-ramp", true),
        ("wred", true),
        ("qcn", true),
        ("red", false),
        ("pie", false),
        ("fq-codel", false),
    ] {
        let mut made = algorithm(id, &[]);
        assert!(made.stream().is_none(), "{id}");
        made.attach(Rate(8_000_000), &mut Random::stream(1, "models", "rows"));
        assert_eq!(made.stream().is_some(), own, "{id}");
    }
}

/// As many flow queues as are written, 1,024 where none are, and room for 10,240 packets (RFC 8290 section 5.2).
#[test]
fn fq_codel_has_its_flows_and_its_room() {
    for (given, flows) in [
        (vec![], 1_024),
        (vec![("flows", Value::Count(7))], 7),
        (vec![("flows", Value::Count(1))], 1),
    ] {
        let made = built("fq-codel", &given).expect("legal options");
        assert_eq!(made.aqm.map(|aqm| aqm.queues()), Some(flows));
        assert_eq!(made.room, Room::Default(Limit::Packets(10_240)));
    }
}

/// Queue management of a host watches as many class queues as are written.
#[test]
fn a_queue_of_a_host_has_its_classes() {
    let row = HOSTED.iter().find(|row| row.id == "python").expect("a row");
    for classes in [1, 3, 8] {
        let file = File {
            path: "queue.py".into(),
            content: b"".as_slice().into(),
        };
        let given = [
            ("file", Value::File(file)),
            ("class", Value::Text("Queue".into())),
            ("classes", Value::Count(classes)),
        ];
        let made = (row.build)(&fill(row.options, &given)).expect("legal options");
        assert_eq!(made.scheduler.classes() as u64, classes);
    }
}

/// The lowest class begins with its weight: two frames of class 0, three of class 1, and so on.
#[test]
fn a_round_begins_with_the_lowest_class() {
    let given = [("weight0", Value::Count(2)), ("weight1", Value::Count(3))];
    let mut made = built("wrr", &given).expect("legal options");
    let picks = [(); 7].map(|()| made.scheduler.pick(0b11, 0b11, |_| 1));
    assert_eq!(picks, [0, 0, 1, 1, 1, 0, 0]);
}

/// Mahimahi counts whole milliseconds, at least one.
#[test]
fn mahimahi_takes_whole_milliseconds() {
    let whole = |option, span| built("pie-mahimahi", &[(option, Value::Span(span))]).err();
    for option in ["reference", "max_burst"] {
        for (span, legal) in [
            (Span::millis(1), true),
            (Span::millis(77), true),
            (Span::micros(1_500), false),
        ] {
            let refused = whole(option, span).map(|refusal| refusal.option);
            assert_eq!(refused, (!legal).then_some(option), "{span:?}");
        }
    }
    let none = whole("max_burst", Span::ZERO).map(|refusal| refusal.option);
    assert_eq!(none, Some("max_burst"));
}

/// A share of DualPI2 is a whole number of percent, but for what a binary fraction leaves of it.
#[test]
fn a_share_of_dualpi2_is_whole() {
    for (share, legal) in [
        (0.29, true),
        (0.57, true),
        (0.100_000_000_015, false),
        (0.099_999_999_985, false),
        (0.105, false),
    ] {
        let made = built("dualpi2", &[("classic_share", Value::Share(share))]);
        assert_eq!(made.is_ok(), legal, "{share}");
    }
}

/// A queue of another crate has a name of its own.
#[test]
fn a_name_that_is_taken_adds_no_queue() {
    let part = *QUEUES.iter().find(|row| row.id == "codel").expect("a row");
    let code = &["a text"];
    let taken = queue::add(Addition { part, code });
    assert_eq!(taken, Err(NotAdded::Taken { name: "codel" }));
}
