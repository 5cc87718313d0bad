//! Responders with the options that are written: what a notice stops, holds to a rate, or makes contend less.

use backwater_sim::mechanism::RESPONDERS;
use backwater_sim::mechanism::gates::Gates;
use backwater_sim::mechanism::notice::{Ask, Form, Notice, Step};
use backwater_sim::mechanism::responder::{AnyResponder, Knobs, Moved, Responder, Transmitter};
use backwater_sim::medium::access::Category;
use backwater_sim::table::Id;
use backwater_transport::part::{Refusal, Value};
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::notifiers::CATEGORY;
use crate::options::fill;
use crate::traces::MS;

fn built(id: &str, given: &[(&'static str, Value)]) -> Result<AnyResponder, Refusal> {
    let row = RESPONDERS.iter().find(|row| row.id == id).expect("a row");
    (row.build)(&fill(row.options, given))
}

fn made(id: &str, given: &[(&'static str, Value)]) -> AnyResponder {
    built(id, given).expect("legal options")
}

/// A notice of mechanism `key` >> 40.
fn notice(key: u64, classes: u8, ask: Ask) -> Notice {
    Notice {
        mechanism: (key >> 40) as u32,
        form: Form::Extension,
        classes,
        ask,
        hosts: None,
        origin: Id::NONE,
        origin_classes: classes,
        key,
    }
}

/// A place with gates, told at 5 ms, by station `next` where one is named; units of 1 ms.
struct Told {
    gates: Gates,
    next: Option<u32>,
}

impl Told {
    fn by(next: Option<u32>) -> Told {
        let gates = Gates::default();
        Told { gates, next }
    }

    fn react(&mut self, responder: &mut AnyResponder, notice: &Notice) {
        let mut knobs = Knobs {
            now: Time(5 * MS),
            timer_from: Time(5 * MS),
            unit: Span::millis(1),
            gates: Some(&mut self.gates),
            next: self.next,
            transmitter: None,
        };
        responder.react(notice, &mut knobs);
    }

    /// When classes 0, 1 and 2 may send to a station and a host, in ms.
    fn opens(&self, next: Option<u32>, host: Option<u32>) -> [u64; 3] {
        [0, 1, 2].map(|class| {
            let at = Time(5 * MS);
            self.gates.opens_toward(class, next, host, at).0 / MS
        })
    }

    /// The rates to which classes 0, 1 and 2 are held.
    fn rates(&self) -> [Option<u64>; 3] {
        [1, 0b10, 0b100].map(|class| {
            self.gates
                .rate(class, None, Time(5 * MS))
                .map(|rate| rate.0)
        })
    }
}

/// Stopped for one unit, 1 ms, and opened by a time of nought.
#[test]
fn a_gate_closes_for_the_units_of_a_notice() {
    let mut gate = made("gate", &[]);
    let mut told = Told::by(None);
    told.react(&mut gate, &notice(0, 0b11, Ask::Stop(1)));
    assert_eq!(told.opens(None, None), [6, 6, 5]);
    told.react(&mut gate, &notice(0, 0b10, Ask::Stop(0)));
    assert_eq!(told.opens(None, None), [6, 5, 5]);
}

/// At a station what goes to the sender of the notice waits, by class; the end for one class leaves the others. Whoever stops all waits with
/// what goes elsewhere, too.
#[test]
fn a_station_stops_what_goes_to_the_sender_of_the_notice() {
    for (id, elsewhere) in [("gate", 5), ("link-gate", 5), ("stop-all", 14)] {
        let mut responder = made(id, &[]);
        let mut told = Told::by(Some(3));
        told.react(&mut responder, &notice(1 << 40, 0b11, Ask::Stop(9)));
        assert_eq!(told.opens(Some(3), None), [14, 14, 5], "{id}");
        assert_eq!(told.opens(Some(4), None), [elsewhere, elsewhere, 5], "{id}");
        told.react(&mut responder, &notice(1 << 40, 1, Ask::Stop(0)));
        assert_eq!(told.opens(Some(3), None), [5, 14, 5], "{id}");
    }
}

/// Warnings about two hosts of one category hold apart: keys (host + 4) × 4 + category, as congestion notifications have them.
#[test]
fn hosts_are_stopped_apart() {
    let about = |host: u32, units| Notice {
        hosts: Some([1 << host].into()),
        ..notice(u64::from(host + 4) << 2, 1, Ask::Stop(units))
    };
    let mut gate = made("link-gate", &[]);
    let mut told = Told::by(Some(3));
    told.react(&mut gate, &about(0, 9));
    told.react(&mut gate, &about(2, 9));
    let opens = |told: &Told| [0, 1, 2].map(|host| told.opens(Some(3), Some(host))[0]);
    assert_eq!(opens(&told), [14, 5, 14]);
    told.react(&mut gate, &about(0, 0));
    assert_eq!(opens(&told), [5, 5, 14]);
}

/// The rate asked for holds until it is taken back, each queue's apart: keys differ by mechanism, place and class.
#[test]
fn rates_of_queues_hold_apart() {
    let mut shaper = made("shaper", &[]);
    let mut told = Told::by(None);
    let limit =
        |key, class: u8, rate, units| notice(key, 1 << class, Ask::Limit(Rate(rate), units));
    told.react(&mut shaper, &limit(1 << 40, 0, 500, 1));
    told.react(&mut shaper, &limit(1 << 40 | 1, 1, 600, 9));
    told.react(&mut shaper, &limit(2 << 40, 2, 0, 9));
    assert_eq!(told.rates(), [Some(500), Some(600), Some(1)]);
    told.react(&mut shaper, &limit(1 << 40, 0, 500, 0));
    assert_eq!(told.rates(), [None, Some(600), Some(1)]);
    told.react(&mut shaper, &limit(1 << 40 | 1, 1, 600, 0));
    assert_eq!(told.rates(), [None, None, Some(1)]);
}

fn step(less: bool, rate: u64, expiry: u64, period: u64) -> Ask {
    Ask::Step(Step {
        less,
        rate: Rate(rate),
        expiry: Some(Span::millis(expiry)),
        period: Span::millis(period),
    })
}

/// Requests of one relay about two categories hold apart, and one for more lifts its own.
#[test]
fn requests_for_a_rate_hold_apart_by_category() {
    let mut shaper = made("shaper", &[]);
    let mut told = Told::by(None);
    for (class, rate) in [(0, 500), (1, 600)] {
        told.react(
            &mut shaper,
            &notice(1 << 40, 1 << class, step(true, rate, 9, 9)),
        );
    }
    assert_eq!(told.rates(), [Some(500), Some(600), None]);
    told.react(&mut shaper, &notice(1 << 40, 0b10, step(false, 0, 9, 9)));
    assert_eq!(told.rates(), [Some(500), None, None]);
}

/// Half of the drain rate is shared by two; a bit per second is the least. At 8 Mbit/s 3000 B may go at once, 3 ms, and a frame: of 1000 B
/// each, the fifth waits until 1 ms later.
#[test]
fn a_shaper_has_the_share_and_the_depth_that_are_written() {
    let given = [
        ("share", Value::Share(0.5)),
        ("depth", Value::Bytes(Bytes(3000))),
    ];
    let mut shaper = made("shaper", &given);
    assert_eq!(shaper.ask(Rate(1_000_000), 2), Some(Rate(250_000)));
    assert_eq!(shaper.ask(Rate(1), 2), Some(Rate(1)));
    let mut told = Told::by(None);
    told.react(&mut shaper, &notice(0, 1, Ask::Limit(Rate(8_000_000), 99)));
    let mut at = Time(5 * MS);
    let instants: Vec<u64> = (0..6)
        .map(|_| {
            at = told.gates.opens(0, 0, at);
            told.gates.charge(0, 0, Bytes(1000), at);
            at.0 / MS
        })
        .collect();
    assert_eq!(instants, [5, 5, 5, 5, 6, 7]);
}

/// Own packets behind a gate may take a part of their room where that is written, and all of it elsewhere.
#[test]
fn packets_behind_a_gate_may_take_their_part_of_the_room() {
    let share = |id, given: &[(&'static str, Value)]| made(id, given).blocked_share();
    let blocked = [("blocked", Value::Share(0.3))];
    assert!((share("link-gate", &blocked) - 0.3).abs() < 1e-12);
    for id in ["gate", "stop-all", "aifsn"] {
        assert!((share(id, &[]) - 1.0).abs() < 1e-12, "{id}");
    }
}

/// A station with four categories answers a notice, or its timer, at so many ms.
fn moves(responder: &mut AnyResponder, ms: u64, notice: Option<&Notice>) -> Transmitter {
    let category = Category {
        txop: Span::micros(3008),
        ..CATEGORY
    };
    let mut transmitter = Transmitter {
        written: [category; 4].into(),
        ..Transmitter::default()
    };
    let mut knobs = Knobs {
        now: Time(ms * MS),
        timer_from: Time(ms * MS),
        unit: Span::millis(1),
        gates: None,
        next: None,
        transmitter: Some(&mut transmitter),
    };
    match notice {
        Some(notice) => responder.react(notice, &mut knobs),
        None => responder.timer(&mut knobs),
    }
    transmitter
}

/// From 3 up to 9, or 5 for video: six steps, or two. The first goes to 4. What lies below the least AIFSN is refused.
#[test]
fn aifsn_has_its_bounds_for_each_category() {
    let count = |name, count| (name, Value::Count(count));
    let given = [count("min", 3), count("max", 9), count("max_VI", 5)];
    let mut aifsn = made("aifsn", &given);
    assert_eq!(aifsn.most(), [6, 6, 2, 6]);
    let less = notice(0, 0b1100, step(true, 0, 9, 9));
    let set = |moved: &Moved| (moved.category, moved.set.aifsn);
    let first: Vec<_> = moves(&mut aifsn, 5, Some(&less))
        .moved
        .iter()
        .map(set)
        .collect();
    assert_eq!(first, [(2, 4), (3, 4)]);
    let blamed = |given: &[(&'static str, Value)]| built("aifsn", given).err().map(|r| r.option);
    assert_eq!(blamed(&[count("min", 3), count("max", 3)]), None);
    assert_eq!(blamed(&[count("min", 3), count("max", 2)]), Some("max"));
    let video = [count("min", 3), count("max_VI", 2)];
    assert_eq!(blamed(&video), Some("max_VI"));
}

/// Four steps are what is written, and one is what a rate takes.
#[test]
fn responders_take_as_many_steps_as_is_written() {
    let steps = [("steps", Value::Count(4))];
    for id in ["cw-min", "txop"] {
        assert_eq!(made(id, &steps).most(), [4; 4], "{id}");
    }
    for id in ["token-bucket", "gate", "shaper"] {
        assert_eq!(made(id, &[]).most(), [1; 4], "{id}");
    }
}

/// Background traffic takes two steps, the second for 5 ms and then 7 ms. One is taken back at 11 ms, and the next 7 ms later. A PAUSE
/// of one unit is a step, too.
#[test]
fn steps_are_taken_back_in_the_period_of_the_last_request() {
    let mut aifsn = made("aifsn", &[]);
    let mut at = |ms, ask: Option<Ask>| {
        let notice = ask.map(|ask| notice(0, 1, ask));
        let moved = moves(&mut aifsn, ms, notice.as_ref());
        let levels: Vec<_> = moved.moved.iter().map(|m| (m.category, m.level)).collect();
        let timers: Vec<u64> = moved.timers.iter().map(|at| at.0 / MS).collect();
        (levels, timers)
    };
    assert_eq!(at(5, Some(step(true, 0, 5, 4))), (vec![(0, 1)], vec![10]));
    assert_eq!(at(6, Some(step(true, 0, 5, 7))), (vec![(0, 2)], vec![11]));
    assert_eq!(at(11, None), (vec![(0, 1)], vec![18]));
    assert_eq!(at(12, Some(Ask::Stop(1))), (vec![(0, 2)], vec![13]));
}
