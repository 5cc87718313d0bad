//! How long gates and bars have stopped what goes to a neighbour, and what a window counted.

use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::gates::{Bar, Gates};
use backwater_sim::mechanism::place::{Rhythm, Tally};
use backwater_sim::mechanism::{AnyDetector, DETECTORS};
use backwater_sim::table::Id;
use backwater_transport::units::{Span, Time};

use crate::options::fill;

/// Stops classes toward station 3 until then.
fn bar(classes: u8, until: u64) -> Bar {
    Bar {
        key: 1,
        classes,
        hosts: None,
        next: Some(3),
        until: Time(until),
        bucket: None,
    }
}

/// A gate of classes 0, 1 and 5 stops what goes to any neighbour, also to one of whom a bar spoke before. It is open at its instant, so
/// that one closed again then has been closed since then.
#[test]
fn what_goes_to_a_neighbour_has_been_stopped_since_the_gate_was_closed() {
    let mut gates = Gates::default();
    gates.lower(Time(10), bar(0b10, 25));
    let since = |gates: &Gates, class, next, at| gates.stopped_since(class, next, Time(at));
    assert_eq!(since(&gates, 1, Some(3), 24), Some(Time(10)));
    assert_eq!(since(&gates, 1, Some(4), 24), None);
    gates.set(Time(30), 0b10_0011, Time(40));
    gates.set(Time(40), 0b10_0011, Time(50));
    for next in [None, Some(3), Some(4)] {
        for class in [0, 1, 5] {
            assert_eq!(since(&gates, class, next, 45), Some(Time(40)));
        }
        assert_eq!(since(&gates, 2, next, 45), None);
    }
}

/// A bar stops its own classes, whatever their numbers are: 1 and 5, from 10 to 25.
#[test]
fn a_bar_stops_its_classes_toward_its_neighbour() {
    let mut gates = Gates::default();
    gates.lower(Time(10), bar(0b10_0010, 25));
    let closed = gates.closed_toward(Some(3), Time(30));
    let expected = [0, 15, 0, 0, 0, 15, 0, 0];
    assert_eq!(closed, expected);
    assert_eq!(gates.closed_toward(Some(4), Time(30)), [0; 8]);
    assert_eq!(gates.closed(Time(30)), expected);
}

/// Two packets of a flow add up, own ones by flow and others by neighbour, class and flow. Where nothing left the best period had nothing.
#[test]
fn packets_of_a_flow_add_up() {
    let mut tally = Tally::new(Rhythm {
        period: Span::millis(1),
        window: 1,
    });
    let (flow, own) = (Id::raw(1), Id::raw(2));
    let end = |ms| Time(Span::millis(ms).0);
    for bytes in [100, 30] {
        tally.came(Some(4), 0, flow, bytes, Time::ZERO);
        tally.came(None, 0, own, 2 * bytes, Time::ZERO);
    }
    let sums = tally.close(end(1), 0);
    assert_eq!((sums.came[0], sums.left[0], sums.best), (130, 0, 0));
    assert_eq!(sums.own, [(own, 260, 0)]);
    let rates = sums.rates(0, false);
    assert_eq!((rates.left_last, rates.left_best), (0, 0));
    for bytes in [50, 7] {
        tally.left(false, 0, flow, bytes, end(1));
        tally.left(true, 0, own, 2 * bytes, end(1));
    }
    let sums = tally.close(end(2), 0);
    assert_eq!((sums.came[0], sums.left[0], sums.best), (0, 57, 57));
    assert_eq!(sums.own, [(own, 0, 114)]);
    let rates = sums.rates(0, false);
    assert_eq!((rates.left_last, rates.left_best), (57, 57));
}

/// Where a detector can be: at ports through which frames come in, at stations alone, or at ports by which frames leave and stations.
#[test]
fn a_detector_says_where_it_can_be() {
    for row in DETECTORS {
        let made: AnyDetector = (row.build)(&fill(row.options, &[])).expect("legal defaults");
        let begins = match row.id {
            "ingress-watermark" | "dynamic-threshold" => "ports through which frames come in",
            "rate-comparison" | "overheard-backlog" | "differential-backlog" => "stations",
            _ => "ports by which frames leave",
        };
        let said = made.needs().at();
        assert!(said.starts_with(begins), "{}: {said}", row.id);
    }
}
