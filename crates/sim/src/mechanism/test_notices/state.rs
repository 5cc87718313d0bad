//! The state of notices and mechanisms that decides whether a run recurs: what differs in it must be seen to differ, and what no
//! walk visits must keep a run from being skipped.

use backwater_transport::units::{Rate, Span, Time};
use backwater_transport::walk::Walk;

use super::{DURATIONS, kinds, notice};
use crate::mechanism::carrier::{Told, Toward};
use crate::mechanism::control::{Control, Watched};
use crate::mechanism::detector::{AnyDetector, Detector};
use crate::mechanism::moment::{Moment, Seen, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::{Ask, Form, Notice};
use crate::mechanism::notifier::marks::Marks;
use crate::mechanism::notifier::row::Waiting;
use crate::mechanism::notifier::voice::Arrival;
use crate::mechanism::place::{Place, Rhythm, View};
use crate::mechanism::responder::{AnyResponder, Knob, Knobs, Responder, Steps};
use crate::mechanism::{DETECTORS, Deadlock, Mechanisms};
use crate::table::Id;
use backwater_transport::part::{Args, Value};

/// The state that is seen; none where a part says that it is not visited.
pub(super) fn seen(visit: impl FnOnce(&mut Walk)) -> Option<Vec<u64>> {
    let mut walk = Walk::look(Time(100));
    visit(&mut walk);
    walk.seen().ok().map(|seen| seen.state)
}

/// All of these are seen, and no two are the same.
pub(super) fn differ(states: Vec<Option<Vec<u64>>>) {
    for (n, one) in states.iter().enumerate() {
        assert!(one.is_some(), "{n}");
        let same = states[..n].iter().position(|other| other == one);
        assert_eq!(same, None, "{n}");
    }
}

/// Two notices that say something else are not one state. A step, and what goes over the air, is not visited.
#[test]
fn what_a_notice_says_is_part_of_the_state() {
    let stop = notice(Form::Pause, Ask::Stop(9));
    let limit = |rate, units| notice(Form::Extension, Ask::Limit(Rate(rate), units));
    let hosts = |word: u64| Some([word].into());
    let all = [
        stop.clone(),
        notice(Form::Pfc, Ask::Stop(9)),
        notice(Form::Extension, Ask::Stop(9)),
        notice(Form::Pause, Ask::Stop(8)),
        limit(0, 9),
        limit(7, 9),
        limit(7, 8),
        limit(7, 0),
        Notice {
            mechanism: 4,
            ..stop.clone()
        },
        Notice {
            classes: 0b111,
            ..stop.clone()
        },
        Notice {
            hosts: hosts(1),
            ..stop.clone()
        },
        Notice {
            hosts: hosts(2),
            ..stop.clone()
        },
        Notice {
            origin: Id::raw(1),
            ..stop.clone()
        },
        Notice {
            origin_classes: 1,
            ..stop.clone()
        },
        Notice { key: 8, ..stop },
    ];
    differ(all.iter().map(|one| seen(|walk| one.walk(walk))).collect());
    let [_, _, step, own] = kinds();
    for one in [
        notice(Form::Extension, step),
        notice(Form::Extension, own),
        notice(Form::Request(50), Ask::Stop(9)),
        notice(Form::Congestion(DURATIONS), Ask::Stop(9)),
    ] {
        assert_eq!(seen(|walk| one.walk(walk)), None, "{one:?}");
    }
}

/// A queue of 100 B with marks at 80 % and 70 %.
pub(super) fn watermark() -> AnyDetector {
    let row = DETECTORS.iter().find(|row| row.id == "watermark");
    let marks = [("high", 0.8), ("low", 0.7)].map(|(name, share)| (name, Value::Share(share)));
    (row.expect("a row").build)(&Args(marks.to_vec())).expect("legal marks")
}

/// Remembers nothing, and looks at levels or at waiting times.
#[derive(Clone, Debug)]
struct Forgets(Set);

impl Detector for Forgets {
    fn needs(&self) -> Needs {
        Needs::of(self.0)
    }

    fn remembers(&self) -> bool {
        false
    }

    fn observe(&mut self, _: &Moment, _: &View) -> Option<Signal> {
        None
    }
}

/// A frame joins a queue of a place and leaves so much there.
pub(super) fn came(control: &mut Control, place: usize, class: usize, held: u64) {
    let now = Time(100);
    let arrival = Arrival::none(now, class, Id::raw(20 + place as u32));
    let view = View::level(now, class, held, 100);
    let seen = Seen::of_class(class as u8);
    control.enqueued(place, view, &seen, &arrival, &Waiting::nothing());
}

/// A run is not skipped where a detector remembers, looks at how long frames have waited, at rates, or at bytes by neighbour; nor where
/// the notifier keeps no notices that stand.
#[test]
fn what_no_walk_visits_keeps_a_run_from_being_skipped() {
    let forgets = |needs| AnyDetector::Custom(Box::new(Forgets(needs)));
    let row = DETECTORS.iter().find(|row| row.id == "sojourn");
    let spans = [("high", 2), ("low", 1)].map(|(name, ms)| (name, Value::Span(Span::millis(ms))));
    let sojourn = (row.expect("a row").build)(&Args(spans.to_vec())).expect("legal marks");
    let rhythm = Rhythm {
        period: Span::millis(1),
        window: 1,
    };
    for (detector, rhythm, holdings, visited) in [
        (forgets(Set::BOUND), None, false, true),
        (forgets(Set::SOJOURN), None, false, false),
        (forgets(Set::BOUND), Some(rhythm), false, false),
        (forgets(Set::BOUND), None, true, false),
        (sojourn, None, false, false),
    ] {
        let mut control = super::standing::control("pause", "gate", &[]);
        let place = Place::Egress(Id::raw(7));
        control.watch(Watched::new(place, detector, rhythm, holdings));
        let state = seen(|walk| control.walk(walk));
        assert_eq!(state.is_some(), visited, "{rhythm:?} {holdings}");
    }
    let mut marks = Control::new(Id::raw(4), 3, Box::new(Marks), &[]);
    assert_eq!(seen(|walk| marks.walk(walk)), None);
}

/// Whether a queue is congested, whether its node has counted that, up to where arrivals pass, and what is to be said.
#[test]
fn what_a_mechanism_keeps_of_its_places_is_part_of_the_state() {
    let state = |change: &dyn Fn(&mut Control)| {
        let mut control = super::standing::watching("pause", "gate", &[]);
        change(&mut control);
        let mut mechanisms = Mechanisms::default();
        mechanisms.controls.0.push(control);
        seen(|walk| mechanisms.walk(walk))
    };
    let begins = |control: &mut Control| came(control, 0, 1, 81);
    let passes = |buffer| move |control: &mut Control| control.pass_below_the_mark(0, buffer);
    let notes = |control: &mut Control| {
        begins(control);
        assert!(!control.note_alarm(0));
    };
    differ(vec![
        state(&|_| {}),
        state(&begins),
        state(&notes),
        state(&passes(100)),
        state(&passes(200)),
    ]);
}

/// What waits to be sent, and whether a deadlock was seen.
#[test]
fn what_mechanisms_have_to_say_is_part_of_the_state() {
    let told = Told {
        to: Toward::Itself,
        notice: notice(Form::Pause, Ask::Stop(9)),
    };
    let mut all = [0; 3].map(|_| Mechanisms::default());
    all[1].outbox.push_back((Id::raw(0), told));
    all[2].deadlock = Some(Deadlock {
        at: Time(5),
        cycle: Vec::new(),
    });
    differ(
        all.iter_mut()
            .map(|one| seen(|walk| one.walk(walk)))
            .collect(),
    );
}

/// Does nothing, and might remember anything.
#[derive(Clone, Debug)]
struct Foreign;

impl Responder for Foreign {
    fn react(&mut self, _: &Notice, _: &mut Knobs) {}
}

/// A responder that takes steps has a state of its own, and so may one from outside.
#[test]
fn responders_that_move_gates_alone_have_no_state() {
    let foreign = AnyResponder::Custom(Box::new(Foreign));
    let steps = Steps::responder(Knob::CwMin, 0, [1; 4], None);
    assert!(!foreign.has_no_state() && !steps.has_no_state());
    assert!(super::standing::responder("gate").has_no_state());
}
