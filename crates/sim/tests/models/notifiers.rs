//! Notifiers with the options that are written: whom they tell, for how long, and when they say it again.

use std::collections::VecDeque;

use backwater_sim::mechanism::carrier::{CarriedBy, Told, Toward};
use backwater_sim::mechanism::moment::{Moment, Seen};
use backwater_sim::mechanism::notice::{Ask, Form, Hosts};
use backwater_sim::mechanism::notifier::row::{AtNode, Cue, Site, Waiting};
use backwater_sim::mechanism::notifier::voice::{Arrival, VoiceSpec};
use backwater_sim::mechanism::place::Holdings;
use backwater_sim::mechanism::responder::AnyResponder;
use backwater_sim::mechanism::{AnyNotifier, NOTIFIERS, RESPONDERS};
use backwater_sim::medium::access::Category;
use backwater_sim::table::Id;
use backwater_transport::part::{Refusal, Value};
use backwater_transport::units::{Rate, Span, Time};

use crate::detectors::{share, span};
use crate::options::fill;
use crate::traces::MS;

pub fn notifier(id: &str, given: &[(&'static str, Value)]) -> Result<AnyNotifier, Refusal> {
    let row = NOTIFIERS.iter().find(|row| row.id == id).expect("a row");
    (row.build)(&fill(row.options, given))
}

pub fn responder(id: &str) -> AnyResponder {
    let row = RESPONDERS.iter().find(|row| row.id == id).expect("a row");
    (row.build)(&fill(row.options, &[])).expect("legal defaults")
}

/// Bytes that a category holds by who sent them.
pub fn held(class: usize, sources: &[(Option<u32>, u64)]) -> Holdings {
    let mut held = Holdings::default();
    for (prev, bytes) in sources {
        let seen = Seen {
            bytes: *bytes,
            prev: *prev,
            ..Seen::of_class(class as u8)
        };
        held.observe(&Moment::Enqueued(&seen));
    }
    held
}

/// Windows of 16 slots up to 1024.
pub const CATEGORY: Category = Category {
    aifsn: 2,
    cw_min: 15,
    cw_max: 1023,
    txop: Span::ZERO,
};

/// A node of mechanism `number` with these stations around it, or with two ports that have a time unit of 1 us and 2 us, beside
/// those who answer with this responder.
pub fn node_beside(
    respond: &str,
    id: &str,
    given: &[(&'static str, Value)],
    number: u32,
    peers: &[u32],
) -> Box<dyn AtNode> {
    let ports = [0, 1].map(|port| (Toward::Port(Id::new(port)), Span::micros(1 + port as u64)));
    let site = Site {
        number,
        respond: &responder(respond),
        neighbours: ports.to_vec(),
        peers,
        categories: &[CATEGORY; 4],
        one_queue: false,
        hosts: 100,
        rhythm: None,
    };
    notifier(id, given).expect("legal options").at(&site)
}

pub fn node(
    id: &str,
    given: &[(&'static str, Value)],
    number: u32,
    peers: &[u32],
) -> Box<dyn AtNode> {
    node_beside("gate", id, given, number, peers)
}

pub fn hears(node: &mut dyn AtNode, cue: &Cue) -> Vec<Told> {
    let mut out = VecDeque::new();
    node.on(cue, &mut out);
    out.into()
}

/// A place of one queue for each class that may tell both ports, and behind which are hosts 1 and 65.
pub fn watch(node: &mut dyn AtNode) {
    let spec = VoiceSpec {
        port: Id::new(7),
        line: Rate(1_000_000),
        one_queue: false,
        audience: 0b11,
        behind: Some([0b10, 0b10].into()),
    };
    assert!(hears(node, &Cue::Placed(&spec)).is_empty());
}

/// A frame of a class from a neighbour, at so many ms.
pub fn arrival(class: usize, from: Option<usize>, ms: u64, to: u32) -> Arrival {
    Arrival {
        from,
        to,
        ..Arrival::none(Time(ms * MS), class, Id::new(7))
    }
}

/// A class becomes congested; hosts 2 and 66 have frames in its queue.
pub fn begins(node: &mut dyn AtNode, class: usize, ms: u64) -> Vec<Told> {
    let hosts = || -> Hosts { [0b100, 0b100].into() };
    let arrival = &arrival(class, Some(0), ms, 2);
    let waiting = &Waiting::for_hosts(&hosts);
    hears(
        node,
        &Cue::Began {
            place: 0,
            arrival,
            waiting,
        },
    )
}

pub fn ports(told: &[Told]) -> Vec<Toward> {
    told.iter().map(|told| told.to).collect()
}

/// Told for 1000 units of 1 us and of 2 us, and again after 30 % of that. The end of congestion ends it.
#[test]
fn a_standing_notice_holds_for_its_units_and_is_said_again_after_a_share_of_them() {
    let given = [("quanta", Value::Count(1000)), share("refresh", 0.3)];
    let mut node = node("pause", &given, 3, &[]);
    watch(&mut *node);
    let both = [0, 1].map(|port| Toward::Port(Id::new(port)));
    assert_eq!(node.start_timer(both[0]), None);
    let told = begins(&mut *node, 5, 1);
    assert_eq!(ports(&told), both);
    for Told { notice, .. } in &told {
        assert_eq!((notice.mechanism, notice.form), (3, Form::Pause));
        assert_eq!((notice.classes, notice.origin_classes), (0xff, 1 << 5));
        assert_eq!((notice.ask, notice.origin), (Ask::Stop(1000), Id::new(7)));
    }
    let timers = both.map(|to| node.start_timer(to).expect("a timer"));
    let delays = timers.map(|(neighbour, _, delay)| (neighbour, delay));
    assert_eq!(delays, [(0, Span::micros(300)), (1, Span::micros(600))]);
    assert_eq!(node.start_timer(both[0]), None, "one runs");
    let (timer, epoch, _) = timers[1];
    let stale = epoch.wrapping_sub(1);
    assert!(
        hears(
            &mut *node,
            &Cue::Due {
                timer,
                epoch: stale
            }
        )
        .is_empty()
    );
    let again = hears(&mut *node, &Cue::Due { timer, epoch });
    assert_eq!(again, told[1..]);
    assert!(node.start_timer(both[1]).is_some());
    let back = hears(&mut *node, &Cue::LinkIsBack { to: both[0] });
    assert_eq!(back, told[..1]);
    let ended = Cue::Ended {
        place: 0,
        class: 5,
        now: Time(9 * MS),
    };
    let ended = hears(&mut *node, &ended);
    assert_eq!(ports(&ended), both);
    assert!(ended.iter().all(|told| told.notice.quanta() == 0));
}

/// Whoever sent into the queue no more than 3 ms ago is told when congestion begins, and who begins to send meanwhile is told then.
#[test]
fn senders_of_the_last_window_are_told() {
    let given = [("audience", Value::Choice("senders")), span("window", 3)];
    let mut node = node("pfc", &given, 3, &[]);
    watch(&mut *node);
    let sends = |node: &mut dyn AtNode, from, ms, congested| {
        let arrival = &arrival(5, Some(from), ms, 2);
        let cue = Cue::Arrived {
            place: 0,
            arrival,
            congested,
        };
        ports(&hears(node, &cue))
    };
    let both = [0, 1].map(|port| Toward::Port(Id::new(port)));
    for (last, told) in [(10, &both[..]), (9, &both[1..])] {
        let mut node = node.clone();
        assert_eq!(sends(&mut *node, 0, last, false), []);
        assert_eq!(sends(&mut *node, 1, 13, false), []);
        let begun = begins(&mut *node, 5, 13);
        assert_eq!(ports(&begun), told);
        assert!(begun.iter().all(|told| told.notice.classes == 1 << 5));
        // Not about another class, nor twice.
        let late = sends(&mut *node, 0, 14, true);
        assert_eq!(late, both[..2 - told.len()]);
    }
}

/// Addresses behind the port, or of what waits; the class alone, or all. The frames that wait are for hosts 2 and 66, those behind the
/// port are 1 and 65. A frame for host 70 finds no room.
#[test]
fn a_notice_may_name_what_lies_behind_the_port_or_what_waits() {
    for (addresses, per_class, hosts) in [
        ("filtering-table", true, [1, 65]),
        ("buffer", false, [2, 66]),
    ] {
        let given = [
            ("addresses", Value::Choice(addresses)),
            ("per_class", Value::Flag(per_class)),
        ];
        let mut node = node("destination", &given, 3, &[]);
        watch(&mut *node);
        let told = begins(&mut *node, 5, 1);
        assert_eq!(told.len(), 2);
        let notice = &told[0].notice;
        assert_eq!(notice.classes, if per_class { 1 << 5 } else { 0xff });
        assert_eq!(notice.host_numbers(), hosts);
        let arrival = &arrival(5, Some(0), 2, 70);
        let cue = Cue::Arrived {
            place: 0,
            arrival,
            congested: true,
        };
        let more = hears(&mut *node, &cue);
        let expected = if per_class { 0 } else { 2 };
        assert_eq!(more.len(), expected);
        assert!(more.iter().all(|t| t.notice.host_numbers() == [2, 66, 70]));
    }
}

/// A carrier is what is written, and a mark tells nobody anything. Only requests have a report and a rhythm of their own.
#[test]
fn notices_travel_as_is_written() {
    for (word, carrier) in [
        ("frame", CarriedBy::Frame),
        ("header", CarriedBy::Header),
        ("mark", CarriedBy::Mark),
    ] {
        let given = [("carrier", Value::Choice(word))];
        let made = notifier("pause", &given).expect("legal options");
        assert_eq!((made.carried_by(), made.report()), (carrier, 0));
        assert_eq!(made.rhythm(), None);
        let mut node = node("pause", &given, 3, &[]);
        assert_eq!(node.facts().carrier, carrier);
        assert_eq!(node.facts().marks(), carrier == CarriedBy::Mark);
        watch(&mut *node);
        let expected = if carrier == CarriedBy::Mark { 0 } else { 2 };
        assert_eq!(begins(&mut *node, 5, 1).len(), expected);
    }
}

/// Notices of two mechanisms of a node do not replace one another, whatever their notifiers are.
#[test]
fn mechanisms_of_a_node_are_told_apart() {
    let mut keys = Vec::new();
    for number in 1..=4 {
        for id in ["pause", "destination", "congestion-notification"] {
            for class in [0, 1] {
                let mut node = node(id, &[], number, &[4]);
                watch(&mut *node);
                let key = begins(&mut *node, class, 1)[0].notice.key;
                if !keys.contains(&(number, key)) {
                    keys.push((number, key));
                }
            }
        }
    }
    for (number, key) in &keys {
        let others = keys.iter().filter(|(of, _)| of != number);
        assert!(others.map(|(_, key)| key).all(|other| other != key));
    }
}
