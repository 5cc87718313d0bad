//! Relays that ask one station: what each knows of the steps that it has taken.

use std::sync::{Arc, Mutex};

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::place::View;
use backwater_sim::medium::wifi::air_log::{AirFrame, Body};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Span};

use crate::attempts::log;
use crate::cell::{B, BASIC, Cell, cbr, disc, edca};
use crate::mechanisms::mechanism;

/// Always congested.
#[derive(Clone, Debug)]
struct Always;

impl Detector for Always {
    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        matches!(moment, Moment::Timer).then_some(Signal::CongestedByAll)
    }
}

/// A sends over the relay R from the beginning on, and over the relay L from the fourth second on. Both ask it for less, and it takes
/// two steps at most, which it keeps for longer than the run. Gives the requests that R and L send.
fn requests(report: u64) -> [usize; 2] {
    let frames = asked(report);
    let sent = frames.iter().filter(|f| !f.retry);
    let sent = sent.filter(|f| matches!(f.body, Some(Body::Notice(..))));
    [1, 2].map(|from| sent.clone().filter(|f| f.from == from).count())
}

/// The frames of that run; A, R and L are stations 0 to 2.
fn asked(report: u64) -> Vec<AirFrame> {
    let mut cell = Cell::new(6.0, B, edca(B, BASIC), disc(100.0, 300.0));
    let [a, r, l, x, y] =
        [0.0, 90.0, -90.0, 180.0, -180.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.flow(a, x, 1, cbr(1500, 500_000));
    let late = cell.flow(a, y, 1, cbr(1500, 500_000));
    cell.0.flows[late].start = Span::secs(4);
    let given = [
        ("min", Value::Count(3)),
        ("max", Value::Count(5)),
        ("expiry", Value::Span(Span::secs(9))),
        ("report", Value::Bytes(Bytes(report))),
    ];
    let mut asks = mechanism(["watermark", "request", "aifsn"], vec![r, l], &given);
    asks.detect = AnyDetector::Custom(Box::new(Always));
    cell.0.mechanisms = vec![asks];
    log(&cell).0
}

/// A report of a byte says no step at first, and two in the end.
#[test]
fn a_report_says_how_many_steps_were_taken() {
    let frames = asked(1);
    let told = frames.iter().filter(|f| f.from == 0);
    let told = told.filter_map(|frame| match &frame.body {
        Some(Body::Packet(_, _, fields)) => Some(fields.numbers.clone()),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    assert_eq!(told.first(), Some(&vec![(0, 1)]));
    assert_eq!(told.last(), Some(&vec![(2, 1)]));
}

/// Data frames that report how many steps their sender has taken tell L that A cannot step back further, so L does not ask. Without a
/// report L knows of no step but those that it has asked for, so it asks for both, too.
#[test]
fn a_relay_knows_the_steps_that_others_asked_for_by_reports_alone() {
    assert_eq!(requests(0), [2, 2]);
    assert_eq!(requests(1), [2, 0]);
}

/// The categories that a detector is shown when its timer comes.
#[derive(Clone, Debug)]
struct Classes(Arc<Mutex<Vec<usize>>>);

impl Detector for Classes {
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        if let Moment::Timer = moment {
            self.0.lock().expect("one thread").push(view.class);
        }
        None
    }
}

/// Each 250 ms a detector looks at all four categories of its station, one after the other.
#[test]
fn a_timer_shows_all_categories() {
    let mut cell = Cell::new(1.0, B, edca(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.flow(a, b, 1, cbr(1500, 500_000));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut looks = mechanism(["watermark", "request", "aifsn"], vec![b], &[]);
    looks.detect = AnyDetector::Custom(Box::new(Classes(seen.clone())));
    cell.0.mechanisms = vec![looks];
    cell.run();
    let classes = seen.lock().expect("one thread");
    assert_eq!(*classes, [0, 1, 2, 3].repeat(4));
}
