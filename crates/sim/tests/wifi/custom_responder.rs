//! What a responder at a station is lent when a notice comes and when its timer goes off.

use std::sync::{Arc, Mutex};

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::notice::Notice;
use backwater_sim::mechanism::place::View;
use backwater_sim::mechanism::responder::{AnyResponder, Knobs, Responder};
use backwater_transport::units::{Span, Time};

use crate::cell::{B, BASIC, Cell, disc, edca, once};
use crate::mechanisms::mechanism;

/// At an instant: who sent the notice, if one did, the unit of its time, and the AIFSN that were written.
type Row = (Time, Option<u32>, Span, Vec<u8>);

/// Writes down what it is lent, and starts a timer of 5 ms when a notice comes.
#[derive(Clone, Debug)]
struct Witness(Arc<Mutex<Vec<Row>>>);

impl Witness {
    fn add(&self, knobs: &Knobs) {
        let transmitter = knobs.transmitter.as_ref().expect("a station");
        let written = transmitter.written.iter().map(|set| set.aifsn).collect();
        let row = (knobs.now, knobs.next, knobs.unit, written);
        self.0.lock().expect("one thread").push(row);
    }
}

impl Responder for Witness {
    fn needs(&self) -> Needs {
        Needs::of(Set::TRANSMITTER)
    }

    fn react(&mut self, _: &Notice, knobs: &mut Knobs) {
        self.add(knobs);
        let transmitter = knobs.transmitter.as_mut().expect("a station");
        transmitter.timers.push(knobs.now + Span::millis(5));
    }

    fn timer(&mut self, knobs: &mut Knobs) {
        self.add(knobs);
    }
}

/// Congested by its first packet.
#[derive(Clone, Debug)]
struct Once;

impl Detector for Once {
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        let begins = matches!(moment, Moment::Enqueued(_)) && !view.congested;
        begins.then_some(Signal::Congested)
    }
}

/// The notice comes from station 0, and its time counts in units of 0.1 TU. The timer of 5 ms belongs to nobody, at its instant.
/// Both see the AIFSN of the four categories as they were written.
#[test]
fn a_responder_is_lent_the_knobs_of_its_station() {
    let mut cell = Cell::new(0.2, B, edca(B, BASIC), disc(100.0, 100.0));
    for x in [0.0, 10.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    for (from, to, millis) in [(1, 0, 10), (0, 1, 100)] {
        let flow = cell.flow(from, to, 1, once(1500));
        cell.0.flows[flow].start = Span::millis(millis);
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut told = mechanism(["watermark", "pause", "aifsn"], vec![0], &[]);
    told.detect = AnyDetector::Custom(Box::new(Once));
    told.respond = AnyResponder::Custom(Box::new(Witness(seen.clone())));
    cell.0.mechanisms = vec![told];
    let (_, report) = cell.run();
    assert_eq!(report.hearing[0].heard, 1);
    let rows = seen.lock().expect("one thread");
    let unit = Span::nanos(102_400);
    let first = rows[0].0;
    assert!(first > Time::ZERO + Span::millis(100) && first < Time::ZERO + Span::millis(110));
    let written = vec![7, 3, 2, 2];
    let timer = (first + Span::millis(5), None, unit, written.clone());
    assert_eq!(rows[0], (first, Some(0), unit, written));
    assert!(rows.contains(&timer), "{rows:?}");
    assert!(rows.iter().all(|row| [first, timer.0].contains(&row.0)));
}
