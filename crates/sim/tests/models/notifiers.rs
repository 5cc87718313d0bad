//! Notifiers with the options that are written: whom they tell, for how long, and when they say it again.

use std::collections::VecDeque;

use backwater_sim::mechanism::carrier::{CarriedBy, Told, Toward};
use backwater_sim::mechanism::moment::{Moment, Seen, Signal};
use backwater_sim::mechanism::notice::{Ask, Form, Hosts};
use backwater_sim::mechanism::notifier::row::{AtNode, Cue, Site, Waiting};
use backwater_sim::mechanism::notifier::voice::{Arrival, VoiceSpec};
use backwater_sim::mechanism::place::{Holdings, Rhythm, Tally};
use backwater_sim::mechanism::responder::AnyResponder;
use backwater_sim::mechanism::{AnyNotifier, NOTIFIERS, RESPONDERS};
use backwater_sim::medium::access::Category;
use backwater_sim::table::Id;
use backwater_transport::part::{Refusal, Value};
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::detectors::{share, span};
use crate::options::fill;
use crate::traces::MS;

pub fn notifier(id: &str, given: &[(&'static str, Value)]) -> Result<AnyNotifier, Refusal> {
    let row = NOTIFIERS.iter().find(|row| row.id == id).expect("a row");
    (row.build)(&fill(row.options, given))
}

fn responder(id: &str) -> AnyResponder {
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
const CATEGORY: Category = Category {
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

fn hears(node: &mut dyn AtNode, cue: &Cue) -> Vec<Told> {
    let mut out = VecDeque::new();
    node.on(cue, &mut out);
    out.into()
}

/// A place of one queue for each class that may tell both ports, and behind which are hosts 1 and 65.
fn watch(node: &mut dyn AtNode) {
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
fn arrival(class: usize, from: Option<usize>, ms: u64, to: u32) -> Arrival {
    Arrival {
        from,
        to,
        ..Arrival::none(Time(ms * MS), class, Id::new(7))
    }
}

/// A class becomes congested; hosts 2 and 66 have frames in its queue.
fn begins(node: &mut dyn AtNode, class: usize, ms: u64) -> Vec<Told> {
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

fn ports(told: &[Told]) -> Vec<Toward> {
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
    let mut sends = |node: &mut dyn AtNode, from, ms, congested| {
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
/// port are 1 and 65. A frame for host 3 finds no room.
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
        let arrival = &arrival(5, Some(0), 2, 3);
        let cue = Cue::Arrived {
            place: 0,
            arrival,
            congested: true,
        };
        let more = hears(&mut *node, &cue);
        let expected = if per_class { 0 } else { 2 };
        assert_eq!(more.len(), expected);
        assert!(more.iter().all(|t| t.notice.host_numbers() == [2, 3, 66]));
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
            let mut node = node(id, &[], number, &[4]);
            watch(&mut *node);
            let key = begins(&mut *node, 1, 1)[0].notice.key;
            if !keys.contains(&(number, key)) {
                keys.push((number, key));
            }
        }
    }
    for (number, key) in &keys {
        let others = keys.iter().filter(|(of, _)| of != number);
        assert!(others.map(|(_, key)| key).all(|other| other != key));
    }
}

/// A step back from 16 slots takes log2(16) = 4 judgements. One for more takes what the exponent, 8, has beyond log2(32) = 5.
#[test]
fn a_step_for_more_takes_what_is_left_of_the_exponent() {
    let given = [("exponent", Value::Count(8))];
    let mut node = node_beside("cw-min", "own-step", &given, 3, &[]);
    let mut judgements = |signal| {
        let cue = Cue::Said { class: 1, signal };
        (1..20).find_map(|n| {
            let told = hears(&mut *node, &cue).pop()?;
            let Ask::Step(step) = told.notice.ask else {
                panic!("{told:?}");
            };
            assert_eq!((told.to, told.notice.classes), (Toward::Itself, 0b10));
            assert_eq!((told.notice.mechanism, step.expiry), (3, None));
            Some((n, step.less))
        })
    };
    assert_eq!(judgements(Signal::Congested), Some((4, true)));
    assert_eq!(judgements(Signal::Underused), Some((3, false)));
}

/// In the two periods of a window station 4 sent 3000 B and 1000 B and half of that left: 160 kbit/s on average, 240 kbit/s in the best period.
#[test]
fn a_request_names_what_its_options_say() {
    for (target, rate) in [("mean", 160_000), ("peak", 240_000)] {
        let given = [
            ("frame", Value::Bytes(Bytes(60))),
            span("expiry", 120),
            span("period", 50),
            ("target", Value::Choice(target)),
            ("report", Value::Bytes(Bytes(7))),
        ];
        let made = notifier("request", &given).expect("legal options");
        let (period, window) = (Span::millis(50), 3);
        let rhythm = Rhythm { period, window };
        assert_eq!((made.report(), made.rhythm()), (7, Some(rhythm)));
        let mut tally = Tally::new(rhythm);
        let mut sums = None;
        for (n, bytes) in (0..).zip([3000, 1000]) {
            let (at, end) = (Time(50 * n * MS), Time(50 * (n + 1) * MS));
            tally.came(Some(4), 1, Id::new(0), bytes, at);
            tally.left(false, 1, Id::new(0), bytes / 2, at);
            sums = Some(tally.close(end, 0));
        }
        let mut node = node_beside("aifsn", "request", &given, 3, &[4]);
        let cue = Cue::Sampled {
            now: Time(100 * MS),
            signals: &[Signal::Congested; 8],
            sums: &sums.expect("two periods"),
        };
        let told = hears(&mut *node, &cue);
        assert_eq!(ports(&told), [Toward::Station(4)]);
        let notice = &told[0].notice;
        assert_eq!((notice.mechanism, notice.form), (3, Form::Request(60)));
        let Ask::Step(step) = notice.ask else {
            panic!("{notice:?}");
        };
        assert_eq!((step.less, step.rate), (true, Rate(rate)), "{target}");
        let expiry = Some(Span::millis(120));
        assert_eq!((step.expiry, step.period), (expiry, period));
    }
}
