//! How long the first packet in line has waited at a station, as a detector sees it.

use std::sync::{Arc, Mutex};

use backwater_sim::limit::Limit;
use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::place::View;
use backwater_transport::units::Span;

use crate::cell::{B, BASIC, Cell, disc, edca, once};
use crate::mechanisms::mechanism;
use crate::serving::drop_head;

/// Microseconds at each arrival.
type Log = Arc<Mutex<Vec<u64>>>;

#[derive(Clone, Debug)]
struct Witness(Log);

impl Detector for Witness {
    fn needs(&self) -> Needs {
        Needs::of(Set::SOJOURN).giving(Set::QUEUE)
    }

    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        if let Moment::Enqueued(seen) = moment {
            // It has not been on the air.
            assert_eq!((seen.retries, seen.airtime), (0, Span::ZERO));
            let micros = view.sojourn.0 / Span::micros(1).0;
            self.0.lock().expect("one thread").push(micros);
        }
        None
    }
}

/// While another station sends, packets of two categories come for two neighbours. At each arrival the oldest packet of its
/// category has waited since it came, whether it waits in the list of its neighbour or in queue management.
#[test]
fn the_first_in_line_has_waited_since_it_came() {
    for aqm in [None, Some(drop_head())] {
        let mut cell = Cell::new(0.2, B, edca(B, BASIC), disc(100.0, 100.0));
        for x in [0.0, 10.0, 20.0, 30.0] {
            cell.station(&format!("s{x}"), x, 0.0);
        }
        cell.spec(0).aqm = aqm;
        let rows = [
            (3, 1, 1, 100_000),
            (0, 1, 1, 100_200),
            (0, 2, 2, 100_400),
            (0, 2, 1, 100_500),
            (0, 1, 1, 100_900),
            (0, 1, 2, 101_000),
        ];
        for (from, to, class, at) in rows {
            let flow = cell.flow(from, to, class, once(1500));
            cell.0.flows[flow].start = Span::micros(at);
        }
        let log = Log::default();
        let mut witness = mechanism(["watermark", "pause", "gate"], vec![0], &[]);
        witness.detect = AnyDetector::Custom(Box::new(Witness(log.clone())));
        cell.0.mechanisms = vec![witness];
        cell.run();
        assert_eq!(*log.lock().expect("one thread"), [0, 0, 300, 700, 600]);
    }
}

/// Frames that found no room, by their bytes and the packets that were held.
#[derive(Clone, Debug)]
struct Turned(Arc<Mutex<Vec<(u64, u64)>>>);

impl Detector for Turned {
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        if let Moment::Refused(seen) = moment {
            let row = (seen.bytes, view.held);
            self.0.lock().expect("one thread").push(row);
        }
        None
    }
}

/// A detector sees a packet that finds no room in a buffer of two packets, and those two.
#[test]
fn a_packet_that_finds_no_room_is_seen() {
    let mut cell = Cell::new(0.2, B, edca(B, BASIC), disc(100.0, 100.0));
    for x in [0.0, 10.0, 20.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    cell.spec(0).buffer = Limit::Packets(2);
    let rows = [(2, 1500), (0, 1500), (0, 1000), (0, 700)];
    for ((from, bytes), at) in rows.into_iter().zip((100_000..).step_by(200)) {
        let flow = cell.flow(from, 1, 1, once(bytes));
        cell.0.flows[flow].start = Span::micros(at);
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut witness = mechanism(["watermark", "pause", "gate"], vec![0], &[]);
    witness.detect = AnyDetector::Custom(Box::new(Turned(seen.clone())));
    cell.0.mechanisms = vec![witness];
    cell.run();
    assert_eq!(*seen.lock().expect("one thread"), [(718, 2)]);
}
