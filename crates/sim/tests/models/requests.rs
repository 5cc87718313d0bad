//! Requests for a step, to others and of a station to itself: when they are made, of whom, and for what.

use backwater_sim::mechanism::carrier::{Told, Toward};
use backwater_sim::mechanism::moment::Signal;
use backwater_sim::mechanism::notice::{Ask, Form, Notice, Step};
use backwater_sim::mechanism::notifier::row::{AtNode, Cue, Site};
use backwater_sim::mechanism::place::{Rhythm, Sums, Tally};
use backwater_sim::medium::access::Category;
use backwater_sim::table::Id;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::detectors::span;
use crate::notifiers::{
    CATEGORY, begins, hears, node, node_beside, notifier, ports, responder, watch,
};
use crate::traces::MS;

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

/// Three priorities down are three steps back at once, and one down from there two steps for more. The same priority again is none.
#[test]
fn a_priority_is_reached_in_all_its_steps_at_once() {
    let mut node = node_beside("cw-min", "own-step", &[], 3, &[]);
    let mut steps = |back| {
        let cue = Cue::Said {
            class: 1,
            signal: Signal::Back(back),
        };
        let told = hears(&mut *node, &cue);
        let less = |told: &Told| matches!(told.notice.ask, Ask::Step(step) if step.less);
        told.iter().map(less).collect::<Vec<_>>()
    };
    assert_eq!(steps(3), [true; 3]);
    assert_eq!(steps(3), []);
    assert_eq!(steps(1), [false; 2]);
    assert_eq!(steps(2), [true]);
}

/// From one slot to two there is one step, however many the responder could take.
#[test]
fn steps_end_at_the_largest_window() {
    let category = Category {
        cw_min: 0,
        cw_max: 1,
        ..CATEGORY
    };
    let site = Site {
        number: 3,
        respond: &responder("cw-min"),
        neighbours: Vec::new(),
        peers: &[],
        categories: &[category; 4],
        one_queue: false,
        hosts: 1,
        rhythm: None,
    };
    let mut node = notifier("own-step", &[]).expect("legal defaults").at(&site);
    let cue = Cue::Said {
        class: 1,
        signal: Signal::Congested,
    };
    let steps = (0..20)
        .map(|_| hears(&mut *node, &cue).len())
        .sum::<usize>();
    assert_eq!(steps, 1);
}

/// A relay that looks every 100 ms, without a report unless one is written.
fn relay(number: u32, report: u64) -> Box<dyn AtNode> {
    let given = [
        span("expiry", 400),
        span("period", 100),
        ("report", Value::Bytes(Bytes(report))),
    ];
    node_beside("aifsn", "request", &given, number, &[4, 5])
}

/// Within 100 ms, flows of neighbours: (station, category, flow, bytes that came, bytes that left); and bytes that left of own flow 9.
fn sums(flows: &[(u32, u8, usize, u64, u64)], own: u64) -> Sums {
    let mut tally = Tally::new(Rhythm {
        period: Span::millis(100),
        window: 1,
    });
    for (station, class, flow, came, left) in flows {
        tally.came(Some(*station), *class, Id::new(*flow), *came, Time::ZERO);
        tally.left(false, *class, Id::new(*flow), *left, Time::ZERO);
    }
    if own > 0 {
        tally.left(true, 1, Id::new(9), own, Time::ZERO);
    }
    tally.close(Time(100 * MS), 0)
}

/// The station and the rate of each request for less or more.
fn asks(node: &mut dyn AtNode, signals: [Signal; 4], sums: &Sums) -> Vec<(Toward, bool, u64)> {
    let mut all = [Signal::Clear; 8];
    all[..4].copy_from_slice(&signals);
    let cue = Cue::Sampled {
        now: Time(100 * MS),
        signals: &all,
        sums,
    };
    let told = hears(node, &cue).into_iter();
    told.filter_map(|told| match told.notice.ask {
        Ask::Step(step) => Some((told.to, step.less, step.rate.0)),
        _ => None,
    })
    .collect()
}

const LESS: Signal = Signal::Congested;
const CALM: Signal = Signal::Clear;

/// Each flow leaves with 1000 B in 100 ms, 80 kbit/s. Whose flows get more each is asked for less, for the rate of all its flows. One that gets
/// exactly as much is not, and then those of the congested category are.
#[test]
fn stations_whose_flows_get_more_than_leaves_are_asked_for_less() {
    let (a, b) = (Toward::Station(4), Toward::Station(5));
    let of = |[first, second, third]: [u64; 3], class| {
        let flows = [
            (4, class, 0, first, 1000),
            (4, class, 1, second, 1000),
            (5, 1, 2, third, 1000),
        ];
        asks(
            &mut *relay(3, 0),
            [CALM, LESS, CALM, CALM],
            &sums(&flows, 0),
        )
    };
    assert_eq!(of([750, 750, 1200], 1), [(b, true, 80_000)]);
    assert_eq!(of([1500, 1500, 500], 1), [(a, true, 160_000)]);
    assert_eq!(of([1000, 1000, 500], 2), [(b, true, 80_000)]);
}

/// A station that says it has taken all steps, at the request of another relay, is left to that relay.
#[test]
fn a_station_that_another_relay_has_asked_is_not_asked_again() {
    let mut node = relay(3, 1);
    let report = Cue::Reported {
        from: 4,
        category: 1,
        level: 29,
    };
    hears(&mut *node, &report);
    let sums = sums(&[(4, 1, 0, 2000, 1000)], 0);
    assert_eq!(asks(&mut *node, [LESS; 4], &sums), []);
}

/// A step that a station reports is not taken back by time at the relay, so it is offered more when there is room: a quarter more than 80 kbit/s.
/// Of two steps that were acknowledged and one that was taken back one is left.
#[test]
fn whoever_has_stepped_back_is_offered_more() {
    let sums = sums(&[(4, 1, 0, 1000, 1000)], 0);
    let idle = [Signal::Underused; 4];
    let more = (Toward::Station(4), false, 100_000);
    let mut reported = relay(3, 1);
    let report = Cue::Reported {
        from: 4,
        category: 1,
        level: 1,
    };
    hears(&mut *reported, &report);
    assert_eq!(asks(&mut *reported, idle, &sums), [more]);
    let mut inferred = relay(3, 0);
    assert_eq!(asks(&mut *inferred, idle, &sums), []);
    let acknowledges = |node: &mut dyn AtNode, less| {
        let step = Step {
            less,
            rate: Rate(1),
            expiry: None,
            period: Span::ZERO,
        };
        let notice = &Notice {
            classes: 0b10,
            ask: Ask::Step(step),
            ..Notice::of_card(None, true)
        };
        let now = Time(90 * MS);
        hears(node, &Cue::Acknowledged { to: 4, notice, now });
    };
    for less in [true, true, false] {
        acknowledges(&mut *inferred, less);
    }
    assert_eq!(asks(&mut *inferred, idle, &sums), [more]);
    acknowledges(&mut *inferred, false);
    assert_eq!(asks(&mut *inferred, idle, &sums), []);
}

/// An own flow of 1000 B in 100 ms gets 80 kbit/s beside forwarded flows that leave with 160. When it has stopped it gets nothing, and that is
/// said once.
#[test]
fn a_relay_tells_itself_what_its_own_flows_get() {
    let mut node = relay(3, 0);
    let mut own = |sums: &Sums| {
        let cue = Cue::Sampled {
            now: Time(100 * MS),
            signals: &[CALM; 8],
            sums,
        };
        let told = hears(&mut *node, &cue);
        let all = told
            .iter()
            .all(|t| t.to == Toward::Itself && t.notice.classes == 0xff);
        assert!(all, "{told:?}");
        let own = told.into_iter().map(|told| match told.notice.ask {
            Ask::Own(own) => (own.gets, own.forwarded),
            other => panic!("{other:?}"),
        });
        own.collect::<Vec<_>>()
    };
    let flows = [(4, 1, 0, 2000, 2000)];
    assert_eq!(own(&sums(&flows, 1000)), [(80_000.0, Some(160_000.0))]);
    assert_eq!(own(&sums(&flows, 0)), [(0.0, None)]);
    assert_eq!(own(&sums(&flows, 0)), []);
}

/// Requests of mechanism 1 do not replace PAUSE frames of another one.
#[test]
fn requests_are_told_apart_from_other_mechanisms_of_the_node() {
    let cue = Cue::Sampled {
        now: Time(100 * MS),
        signals: &[LESS; 8],
        sums: &sums(&[(4, 1, 0, 2000, 1000)], 0),
    };
    let asked = hears(&mut *relay(1, 0), &cue).remove(0).notice;
    for number in [0, 2, 3] {
        let mut other = node("pause", &[], number, &[]);
        watch(&mut *other);
        let told = begins(&mut *other, 1, 1).remove(0).notice;
        assert!(
            !asked.concerns_like(&told) && asked.key != told.key,
            "{number}"
        );
    }
}
