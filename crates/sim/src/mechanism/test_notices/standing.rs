//! The state of notices that stand.

use backwater_transport::part::{Args, Value};
use backwater_transport::units::{Bytes, Rate, Span, Time};
use backwater_transport::walk::{Repeat, Walk};

use super::notice;
use super::state::{came, differ, seen, watermark};
use crate::connection::Header;
use crate::mechanism::carrier::Toward;
use crate::mechanism::control::{Control, Watched};
use crate::mechanism::echo::Echo;
use crate::mechanism::gates::{Bar, Bucket, Gates};
use crate::mechanism::moment::Seen;
use crate::mechanism::notice::{Ask, Form, first_key};
use crate::mechanism::notifier::row::{Site, Waiting};
use crate::mechanism::notifier::voice::{Arrival, VoiceSpec};
use crate::mechanism::place::{Place, View};
use crate::mechanism::responder::AnyResponder;
use crate::mechanism::{NOTIFIERS, RESPONDERS};
use crate::table::Id;
use backwater_transport::segment::AckSegment;

pub(super) fn responder(id: &str) -> AnyResponder {
    let row = RESPONDERS.iter().find(|row| row.id == id).expect("a row");
    let given = [
        ("share", Value::Share(0.9)),
        ("depth", Value::Bytes(Bytes(1518))),
    ];
    (row.build)(&Args(given.to_vec())).expect("legal options")
}

/// A control of mechanism 3 between two ports, for 9 units of 1 us; senders of the last 50 ticks count where these do.
pub(super) fn control(id: &str, respond: &str, given: &[(&'static str, Value)]) -> Control {
    let row = NOTIFIERS.iter().find(|row| row.id == id).expect("a row");
    let defaults = [
        ("audience", Value::Choice("feeders")),
        ("window", Value::Span(Span(50))),
        ("quanta", Value::Count(9)),
        ("refresh", Value::Share(0.5)),
        ("cast", Value::Choice("each")),
        ("carrier", Value::Choice("frame")),
        ("addresses", Value::Choice("buffer")),
        ("per_class", Value::Flag(true)),
    ];
    let all = given.iter().chain(&defaults).cloned();
    let terms = (row.build)(&Args(all.collect())).expect("legal options");
    let ports = [0, 1].map(|port| (Toward::Port(Id::raw(port)), Span::micros(1)));
    let site = Site {
        number: 3,
        respond: &responder(respond),
        neighbours: ports.to_vec(),
        peers: &[],
        categories: &[],
        one_queue: false,
        hosts: 64,
        rhythm: None,
    };
    Control::new(Id::raw(4), 3, terms.at(&site), &ports)
}

/// The same, which watches two queues.
pub(super) fn watching(id: &str, respond: &str, given: &[(&'static str, Value)]) -> Control {
    let mut control = control(id, respond, given);
    for place in 0..2 {
        let port = Id::raw(20 + place as u32);
        let watched = Watched::new(Place::Egress(port), watermark(), None, false);
        control.watch(watched);
        let voice = VoiceSpec {
            port,
            line: Rate(1_000_000),
            one_queue: false,
            audience: 0b11,
            behind: None,
        };
        control.add_voice(place, &voice);
    }
    control
}

fn state(control: &mut Control) -> Option<Vec<u64>> {
    while control.next_told().is_some() {}
    seen(|walk| control.walk(walk))
}

/// What is still to be said; whether a timer runs; and which port's frame raised the alarm.
#[test]
fn timers_and_origins_are_part_of_the_state() {
    let begins = |place: usize| {
        let mut control = watching("pfc", "gate", &[]);
        let now = Time(100);
        let arrival = Arrival::none(now, 1, Id::raw(30 + place as u32));
        let view = View::level(now, 1, 81, 100);
        control.enqueued(0, view, &Seen::of_class(1), &arrival, &Waiting::nothing());
        control
    };
    let (mut told, mut silent, mut timed, mut other) = (begins(0), begins(0), begins(0), begins(1));
    assert_eq!(told.epoch(0), 0);
    let (neighbour, epoch, _) = timed
        .start_timer(Toward::Port(Id::raw(0)))
        .expect("a timer");
    assert_eq!((neighbour, timed.epoch(0), timed.epoch(1)), (0, epoch, 0));
    let to_say = seen(|walk| told.walk(walk));
    differ(vec![
        to_say,
        state(&mut silent),
        state(&mut timed),
        state(&mut other),
    ]);
}

/// Serials of timers go on growing by one in each period, though the state is the same.
#[test]
fn serials_of_timers_grow_in_each_period() {
    let mut control = watching("pause", "gate", &[]);
    came(&mut control, 0, 1, 81);
    while control.next_told().is_some() {}
    let to = Toward::Port(Id::raw(1));
    let keep = |control: &mut Control, now| {
        let (timer, epoch, _) = control.start_timer(to).expect("a timer");
        let mut walk = Walk::keep(Time(now));
        control.walk(&mut walk);
        control.refresh(timer, epoch);
        while control.next_told().is_some() {}
        walk.seen().expect("all is visited")
    };
    let before = keep(&mut control, 100);
    let (_, epoch, _) = control.clone().start_timer(to).expect("a timer");
    let after = keep(&mut control, 150);
    assert_eq!(
        (before.state.clone(), control.epoch(1)),
        (after.state.clone(), epoch)
    );
    let repeat = Repeat {
        period: Span(50),
        began: Time(100),
        periods: 2,
    };
    // As it was when it was kept: a timer runs.
    let mut control = control.clone();
    control.walk(&mut Walk::write(Time(150), before, after, repeat));
    assert_eq!(control.epoch(1), epoch + 2);
}

/// The rate to which a queue's own port is held, and the hosts that were named.
#[test]
fn rates_and_hosts_are_part_of_the_state() {
    let held = |rate: u64| {
        let mut gates = Gates::default();
        let bucket = Bucket {
            rate: Rate(rate),
            tolerance: Span::ZERO,
            due: Time::ZERO,
        };
        let bar = Bar {
            key: 1,
            classes: 0xff,
            hosts: None,
            next: None,
            until: Time::NEVER,
            bucket: Some(bucket),
        };
        gates.lower(Time::ZERO, bar);
        let mut control = watching("pause", "shaper", &[]);
        control.held_to(0, Some(&gates), Time(100));
        state(&mut control)
    };
    differ(vec![held(500_000), held(600_000)]);
    let named = |word: u64| {
        let mut control = watching("destination", "gate", &[]);
        let now = Time(100);
        let arrival = Arrival::none(now, 1, Id::raw(20));
        let view = View::level(now, 1, 81, 100);
        let hosts = || [word].into();
        let waiting = Waiting::for_hosts(&hosts);
        control.enqueued(0, view, &Seen::of_class(1), &arrival, &waiting);
        state(&mut control)
    };
    differ(vec![named(1), named(2)]);
}

/// Who sent within the window of 50 ticks, and when; who sent longer ago is as good as one that never did. One that sent 50 ticks ago still
/// counts.
#[test]
fn senders_of_the_window_are_part_of_the_state() {
    let heard = |from: usize, at: u64| {
        let senders = [("audience", Value::Choice("senders"))];
        let mut control = watching("pause", "gate", &senders);
        let now = Time(at);
        let arrival = Arrival {
            from: Some(from),
            ..Arrival::none(now, 1, Id::raw(20))
        };
        let view = View::level(now, 1, 5, 100);
        control.enqueued(0, view, &Seen::of_class(1), &arrival, &Waiting::nothing());
        state(&mut control)
    };
    differ(vec![
        heard(0, 90),
        heard(1, 90),
        heard(0, 80),
        heard(0, 50),
        heard(0, 49),
    ]);
    assert_eq!(heard(0, 49), heard(0, 40));
}

/// The echo of a mark concerns the same gates as a PAUSE of its mechanism.
#[test]
fn an_echo_concerns_the_gates_of_its_mechanism() {
    for number in 1..3 {
        let row = NOTIFIERS.iter().find(|row| row.id == "pause");
        let given = [
            ("audience", Value::Choice("feeders")),
            ("window", Value::Span(Span(50))),
            ("quanta", Value::Count(9)),
            ("refresh", Value::Share(0.5)),
            ("cast", Value::Choice("each")),
            ("carrier", Value::Choice("mark")),
        ];
        let terms = (row.expect("a row").build)(&Args(given.to_vec())).expect("legal options");
        let mut echo = Echo::new(number, terms.standing().expect("a standing notice"));
        let ack = AckSegment {
            ece: true,
            ..AckSegment::default()
        };
        let read = echo
            .read(Id::raw(1), 0, &Header::Ack(ack))
            .expect("an echo");
        let mut frame = notice(Form::Pause, Ask::Stop(9));
        (frame.mechanism, frame.key) = (number, first_key(number));
        assert!(read.concerns_like(&frame), "{number}");
    }
}
