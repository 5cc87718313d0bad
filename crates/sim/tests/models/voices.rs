//! Standing notices that speak for one queue each, because they name a rate or addresses, and those that speak for a whole node.

use backwater_sim::mechanism::carrier::{Told, Toward};
use backwater_sim::mechanism::gates::{Bar, Bucket, Gates};
use backwater_sim::mechanism::notice::{Ask, Form, Hosts};
use backwater_sim::mechanism::notifier::row::{AtNode, Cue, Waiting};
use backwater_sim::mechanism::notifier::voice::{Arrival, VoiceSpec};
use backwater_sim::table::Id;
use backwater_transport::part::Value;
use backwater_transport::units::{Rate, Span, Time};

use crate::detectors::span;
use crate::notifiers::{
    arrival, begins, hears, node, node_beside, notifier, ports, responder, watch,
};
use crate::traces::MS;

const PORTS: [Toward; 2] = [Toward::Port(Id::raw(0)), Toward::Port(Id::raw(1))];

/// The rate and the time that each port is told.
fn rates(told: &[Told]) -> Vec<(Toward, u64, u16)> {
    let rate = |told: &Told| match told.notice.ask {
        Ask::Limit(rate, quanta) => (told.to, rate.0, quanta),
        other => panic!("{other:?}"),
    };
    told.iter().map(rate).collect()
}

fn ends(node: &mut dyn AtNode, place: usize, class: usize) -> Vec<Told> {
    let now = Time(9 * MS);
    hears(node, &Cue::Ended { place, class, now })
}

/// 90 % of 1 Mbit/s is shared by those who are told. It is corrected when another begins to send, and taken back with a time of nought.
#[test]
fn feeders_share_what_a_queue_drains() {
    let given = [("audience", Value::Choice("senders")), span("window", 3)];
    let mut node = node_beside("shaper", "pause", &given, 3, &[]);
    assert!(node.facts().rated);
    watch(&mut *node);
    let sends = |node: &mut dyn AtNode, from, congested| {
        let arrival = &arrival(5, Some(from), 1, 2);
        let cue = Cue::Arrived {
            place: 0,
            arrival,
            congested,
        };
        hears(node, &cue)
    };
    assert!(sends(&mut *node, 0, false).is_empty());
    let told = begins(&mut *node, 5, 1);
    assert_eq!(rates(&told), [(PORTS[0], 900_000, 65_535)]);
    assert_eq!(told[0].notice.form, Form::Extension);
    let more = sends(&mut *node, 1, true);
    let half = |port: usize| (PORTS[port], 450_000, 65_535);
    assert_eq!(rates(&more), [half(1), half(0)]);
    assert!(sends(&mut *node, 0, true).is_empty());
    let ended = rates(&ends(&mut *node, 0, 5));
    assert_eq!(
        ended
            .iter()
            .map(|(to, _, units)| (*to, *units))
            .collect::<Vec<_>>(),
        [(PORTS[0], 0), (PORTS[1], 0)]
    );
}

/// A bar that holds classes to a rate.
fn held_to(classes: u8, rate: u64) -> Gates {
    let mut gates = Gates::default();
    let bar = Bar {
        key: 1,
        classes,
        hosts: None,
        next: None,
        until: Time::NEVER,
        bucket: Some(Bucket {
            rate: Rate(rate),
            tolerance: Span::ZERO,
            due: Time::ZERO,
        }),
    };
    gates.lower(Time::ZERO, bar);
    gates
}

/// A port that is held to 600 kbit/s for a class asks its two feeders for 90 % of half of that, and for half of its line again
/// when the hold is over. A hold above the line changes nothing, nor does one of another class.
#[test]
fn a_port_that_is_held_to_a_rate_asks_for_less() {
    for class in [0, 7] {
        let mut node = node_beside("shaper", "pause", &[], 3, &[]);
        watch(&mut *node);
        let told = begins(&mut *node, class, 1);
        let both = |rate| PORTS.map(|port| (port, rate, 65_535));
        assert_eq!(rates(&told), both(450_000));
        let mut hold = |gates: Option<Gates>| {
            let gates = gates.as_ref();
            let (place, now) = (0, Time(2 * MS));
            rates(&hears(&mut *node, &Cue::HeldTo { place, gates, now }))
        };
        assert_eq!(hold(Some(held_to(1 << class, 600_000))), both(270_000));
        assert_eq!(hold(Some(held_to(1 << class, 600_000))), []);
        assert_eq!(hold(None), both(450_000));
        assert_eq!(hold(Some(held_to(1 << class, 2_000_000))), []);
        assert_eq!(hold(Some(held_to(1 << (class ^ 1), 600_000))), []);
    }
}

/// Whoever names addresses or a rate speaks for one queue at a time: a timer runs while any has told, its words are all said again, and each
/// is known by the queue that holds the neighbour.
#[test]
fn each_queue_speaks_for_itself() {
    for (respond, id) in [("gate", "destination"), ("shaper", "pause")] {
        let mut node = node_beside(respond, id, &[], 3, &[]);
        watch(&mut *node);
        watch(&mut *node);
        assert_eq!(node.start_timer(PORTS[0]), None);
        assert!(node.holding(PORTS[0], Time::ZERO).is_empty());
        let mut keys = Vec::new();
        let mut said = Vec::new();
        for (place, class) in [(0, 0), (0, 5), (1, 0), (1, 5)] {
            let told = begins_at(&mut *node, place, class);
            assert_eq!(ports(&told), PORTS);
            keys.push(told[0].notice.key);
            said.push(told[0].clone());
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 4, "{id}");
        let (timer, epoch, _) = node.start_timer(PORTS[0]).expect("a timer");
        assert_eq!(hears(&mut *node, &Cue::Due { timer, epoch }), said);
        let (_, second, _) = node.start_timer(PORTS[0]).expect("another timer");
        assert!(second != epoch);
        let late = Cue::Due { timer, epoch };
        assert!(hears(&mut *node, &late).is_empty(), "an old one");
        let hosts: Option<Hosts> = (id == "destination").then(|| [0b10, 0b10].into());
        let held = node.holding(PORTS[0], Time::ZERO);
        let expected = [0, 0, 1, 1].map(|place| (place, hosts.as_ref()));
        assert_eq!(held, expected);
        let late = Cue::Due {
            timer,
            epoch: second,
        };
        assert!(!hears(&mut *node, &late).is_empty());
        for (place, class) in [(0, 0), (0, 5), (1, 0), (1, 5)] {
            let told = ends(&mut *node, place, class);
            assert!(told.iter().all(|told| told.notice.quanta() == 0));
        }
        assert_eq!(node.start_timer(PORTS[0]), None);
    }
}

/// A class of one of several places becomes congested, by a frame for port 20 + place.
fn begins_at(node: &mut dyn AtNode, place: usize, class: usize) -> Vec<Told> {
    let arrival = &Arrival {
        egress: Id::new(20 + place),
        ..arrival(class, Some(0), 1, 2)
    };
    let waiting = &Waiting::nothing();
    hears(
        node,
        &Cue::Began {
            place,
            arrival,
            waiting,
        },
    )
}

/// Two queues of a node stop classes 0 and 2 of a neighbour by priority PAUSE. Each notice names the port of the queue whose class it
/// stops, and the classes of that queue alone.
#[test]
fn a_notice_names_the_queue_that_stops_the_class() {
    let mut node = node("pfc", &[], 3, &[]);
    watch(&mut *node);
    watch(&mut *node);
    for (place, class) in [(0, 0), (1, 2)] {
        let told = begins_at(&mut *node, place, class);
        assert_eq!(ports(&told), PORTS);
        let notice = &told[0].notice;
        assert_eq!(
            (notice.classes, notice.origin_classes),
            (1 << class, 1 << class)
        );
        assert_eq!(notice.origin, Id::new(20 + place));
    }
}

/// A place with one queue for all classes stops all of them, whichever was congested.
#[test]
fn a_place_with_one_queue_stops_all_classes() {
    let mut node = node("pfc", &[], 3, &[]);
    let spec = VoiceSpec {
        port: Id::new(7),
        line: Rate(1_000_000),
        one_queue: true,
        audience: 0b10,
        behind: None,
    };
    hears(&mut *node, &Cue::Placed(&spec));
    let told = begins(&mut *node, 5, 1);
    assert_eq!(ports(&told), PORTS[1..]);
    let notice = &told[0].notice;
    assert_eq!((notice.classes, notice.origin_classes), (0xff, 0xff));
}

/// Notices move the class gates of a neighbour unless they name addresses or a rate. Those that stand need arrivals, and so do marks.
#[test]
fn notices_that_name_no_queue_move_class_gates() {
    let class_gates = |id, respond| {
        let made = notifier(id, &[]).expect("legal defaults");
        let terms = made.standing().expect("a standing notice");
        terms.stop_classes(&responder(respond))
    };
    assert!(class_gates("pause", "gate") && class_gates("pfc", "gate"));
    assert!(!class_gates("destination", "gate") && !class_gates("pause", "shaper"));
    for (id, carrier, needs) in [
        ("pause", "frame", true),
        ("pause", "mark", true),
        ("congestion-notification", "", false),
        ("request", "", false),
    ] {
        let given = [("carrier", Value::Choice(carrier))];
        let given = if carrier.is_empty() { &[][..] } else { &given };
        let facts = node(id, given, 3, &[]).facts();
        assert_eq!(facts.needs_arrivals(), needs, "{id} {carrier}");
    }
}
