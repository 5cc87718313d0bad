//! What detectors see of arrivals and departures, and what notifiers are told of it.

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::carrier::Toward;
use backwater_sim::mechanism::control::Control;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Overheard, Seen, Signal};
use backwater_sim::mechanism::needs::Set;
use backwater_sim::mechanism::notice::Notice;
use backwater_sim::mechanism::notifier::row::Cues;
use backwater_sim::mechanism::notifier::voice::Arrival;
use backwater_sim::mechanism::place::View;
use backwater_sim::table::Id;
use backwater_transport::units::Time;

use crate::controls::{Log, RHYTHM, came, left, level, read, told, witness};
use crate::detectors::made;
use crate::edges::overheard;

/// Arrivals are told to who asks for all of them, or for those in classes that are congested. Frames that find no room have arrived, too.
#[test]
fn arrivals_are_told_to_who_asks_for_them() {
    for (hears, calm, congested) in [
        (Cues::NONE, false, false),
        (Cues::ARRIVALS, false, true),
        (Cues::SENDERS, true, true),
    ] {
        for speaks in [false, true] {
            let (mut control, heard) = told(hears, speaks, made("watermark", &[]), None);
            let expect = |told: bool, congested| {
                let row = told.then(|| format!("arrived 1 {congested}"));
                row.into_iter().collect::<Vec<_>>()
            };
            assert_eq!(came(&mut control, 1, 10), speaks && calm);
            assert_eq!(read(&heard), expect(calm, false));
            while control.next_told().is_some() {}
            came(&mut control, 1, 81);
            read(&heard);
            while control.next_told().is_some() {}
            assert_eq!(came(&mut control, 1, 82), speaks && congested);
            assert_eq!(read(&heard), expect(congested, true));
            while control.next_told().is_some() {}
            let arrival = Arrival::none(Time(5), 1, Id::new(7));
            let seen = Seen::of_class(1);
            let said = control.refused(0, level(1, 100), &seen, &arrival);
            assert_eq!(said, speaks && congested);
            assert_eq!(read(&heard), expect(congested, true));
        }
    }
}

/// A detector from outside sees frames that find no room; one of levels does not, and one of rates sees neither arrivals nor departures.
#[test]
fn detectors_see_what_they_need() {
    let arrival = Arrival::none(Time(5), 1, Id::new(7));
    let (detector, seen) = witness(None, Set::BOUND);
    let (mut control, _) = told(Cues::NONE, false, detector, None);
    assert!(control.observes_arrivals(0) && control.observes_departure(0, 1));
    assert!(!control.refused(0, level(1, 100), &Seen::of_class(1), &arrival));
    assert_eq!(read(&seen), ["refused"]);
    // Congested if it were seen.
    let (mut levels, _) = told(Cues::NONE, false, made("watermark", &[]), None);
    levels.refused(0, level(1, 100), &Seen::of_class(1), &arrival);
    assert!(!levels.alarmed(0) && levels.observes_arrivals(0));
    let rates = made("rate-comparison", &[]);
    let (control, _) = told(Cues::NONE, false, rates.clone(), rates.rhythm());
    assert!(!control.observes_arrivals(0) && !control.observes_departure(0, 1));
    assert_eq!(
        (control.rhythm(0), levels.rhythm(0)),
        (rates.rhythm(), None)
    );
    let (control, _) = told(Cues::ARRIVALS, false, rates, None);
    assert!(control.observes_arrivals(0), "its notifier hears of them");
    let (waits, _) = told(Cues::NONE, false, made("sojourn", &[]), None);
    assert!(waits.times(0) && !levels.times(0));
    assert_eq!(levels.knob(0).map(|knob| knob.name), Some("high"));
}

/// Who receives all signals is told of no beginning and no end.
#[test]
fn signals_are_told_in_place_of_beginnings_and_ends() {
    for speaks in [false, true] {
        let (detector, _) = witness(Some(Signal::Congested), Set::OVERHEARING);
        let (mut control, heard) = told(Cues::SIGNALS, speaks, detector, None);
        assert_eq!(came(&mut control, 1, 0), speaks);
        assert!(!left(&mut control, 1, 0) && !control.alarmed(0));
        let seen: Overheard = overheard(1, 2, 3);
        control.overheard(0, level(0, 0), &seen);
        let expected = ["said 1 Congested", "said 1 Congested", "said 0 Congested"];
        assert_eq!(read(&heard), expected);
    }
}

/// A window of rates is shown when the detector looks, and when congestion begins. A wire is nobody else's, so that it is never busy.
#[test]
fn windows_are_shown_when_the_detector_looks_and_when_congestion_begins() {
    let sample = |control: &mut Control, busy| {
        control.sample(0, &[level(1, 0)], busy, Id::new(7), |_| [].into())
    };
    for busy in [None, Some(7)] {
        let (detector, seen) = witness(Some(Signal::Congested), Set::RATES);
        let (mut control, heard) = told(Cues::SUMS, false, detector, Some(RHYTHM));
        assert!(sample(&mut control, busy), "it began");
        let shown = format!("sampled {}", busy.unwrap_or(0));
        assert_eq!(read(&heard), ["began 1", &shown]);
        assert!(!sample(&mut control, busy));
        assert_eq!(read(&heard), ["sampled 0"]);
        assert_eq!(read(&seen), ["timer", "timer"]);
        assert!(came(&mut control, 2, 0));
        assert_eq!(read(&heard), ["began 2", "sampled 0"]);
    }
}

/// What happens to notices is told to the notifier, and what it has to say then is said.
#[test]
fn the_fate_of_notices_is_told() {
    for speaks in [false, true] {
        let (mut control, heard) = told(Cues::NONE, speaks, made("watermark", &[]), None);
        assert_eq!(control.held_to(0, None, Time(5)), speaks);
        control.refresh(3, 4);
        control.reported(9, 1, 2);
        control.acknowledged(8, &Notice::of_card(None, true), Time(5));
        control.link_is_back(Toward::Itself);
        let expected = ["other", "due 3 4", "reported 9", "acknowledged 8", "other"];
        assert_eq!(read(&heard), expected);
        let said = std::iter::from_fn(|| control.next_told()).count();
        assert_eq!(said, if speaks { 5 } else { 0 });
    }
}

/// A detector that looks at bytes by neighbour, or overhears others, sees every arrival and departure, in a class that is congested or not.
#[test]
fn detectors_of_neighbours_see_all() {
    for id in ["occupancy", "overheard-backlog", "differential-backlog"] {
        let (control, _) = told(Cues::NONE, false, made(id, &[]), None);
        assert!(control.observes_departure(0, 1), "{id}");
    }
}

/// Always congested. Writes down each class and whether it counted as congested.
#[derive(Clone, Debug)]
struct Once(Log);

impl Detector for Once {
    fn observe(&mut self, _: &Moment, view: &View) -> Option<Signal> {
        let text = format!("{} {}", view.class, view.congested);
        self.0.lock().expect("one thread").push(text);
        Some(Signal::Congested)
    }
}

/// A detector is told whether its class counts as congested.
#[test]
fn detectors_know_whether_their_class_is_congested() {
    let seen = Log::default();
    let detector = AnyDetector::Custom(Box::new(Once(seen.clone())));
    let (mut control, _) = told(Cues::NONE, false, detector, None);
    came(&mut control, 1, 5);
    came(&mut control, 1, 5);
    left(&mut control, 1, 5);
    left(&mut control, 2, 5);
    assert_eq!(read(&seen), ["1 false", "1 true", "1 true", "2 false"]);
}
