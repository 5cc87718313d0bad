//! Which packet a detector is told of when a station has sent a frame: one that the next station sends on over the air, where somebody overhears.

use std::sync::{Arc, Mutex};

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::place::View;

use backwater_transport::units::Span;

use crate::aggregate::noisy_cell;
use crate::aggregate_mechanisms::tell_in_fields;
use crate::air_delays::{self, packet};
use crate::cell::{B, BASIC, Cell, disc, edca, once};
use crate::mechanisms::mechanism;

/// Flows of the frames that were sent, and whether their packets were named.
type Log = Arc<Mutex<Vec<Option<usize>>>>;

#[derive(Clone, Debug)]
struct Witness {
    log: Log,
    overhears: bool,
}

impl Detector for Witness {
    fn needs(&self) -> Needs {
        match self.overhears {
            true => Needs::of(Set::OVERHEARING).giving(Set::NEXT_QUEUE),
            false => Needs::of(Set::BOUND).giving(Set::QUEUE),
        }
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        if let Moment::Sent(seen) = moment {
            let named = seen.packet.map(|packet| packet.flow.index());
            self.log.lock().expect("one thread").push(named);
        }
        None
    }
}

/// A detector that sees what became of the transmissions of its station.
#[derive(Clone, Debug)]
struct Ends(Arc<Mutex<Vec<(bool, u32, Span)>>>);

impl Detector for Ends {
    fn needs(&self) -> Needs {
        Needs::of(Set::BOUND).giving(Set::QUEUE)
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        let (sent, seen) = match moment {
            Moment::Sent(seen) => (true, seen),
            Moment::Lost(seen) => (false, seen),
            _ => return None,
        };
        let row = (sent, seen.retries, seen.airtime);
        self.0.lock().expect("one thread").push(row);
        None
    }
}

/// The first packet is given up after one exchange of 249 us that failed, and the next one takes 310 us. What is given up has taken the
/// time of its attempts. A packet whose lifetime ends before it was tried has taken none.
#[test]
fn a_transmission_that_is_given_up_is_told_with_its_time() {
    let micros = Span::micros;
    for (lifetime, expected) in [
        (None, vec![(false, 1, micros(249)), (true, 0, micros(310))]),
        (
            Some(260),
            vec![(false, 1, micros(249)), (false, 0, Span::ZERO)],
        ),
    ] {
        let mut cell = air_delays::plain(1);
        cell.0.media[0].mac.lifetime = lifetime.map(micros);
        for at in [0, 5] {
            packet(&mut cell, [0, 1], 1500, at);
        }
        packet(&mut cell, [2, 3], 100, 10);
        let log = Arc::default();
        let mut ends = mechanism(["watermark", "pause", "aifsn"], vec![0], &[]);
        ends.detect = AnyDetector::Custom(Box::new(Ends(Arc::clone(&log))));
        cell.0.mechanisms = vec![ends];
        cell.run();
        assert_eq!(*log.lock().expect("one thread"), expected);
    }
}

/// A frame that goes alone carries no packet but its own, also where it brings a notice and is longer for that.
#[test]
fn a_frame_alone_with_a_notice_has_no_time_of_others() {
    let mut cell = noisy_cell(1.0, 0, 40.0);
    let told = tell_in_fields(&mut cell);
    let (_, report) = cell.run();
    assert!(told.lock().expect("one thread").len() > 10);
    let sum = &report.flows[0].sums.sum;
    assert_eq!((sum.aggregate, sum.reorder), (0, 0));
}

/// Station 0 sends a packet to station 1, which sends it on to station 2, and then one for station 1 itself. Only the first is named, and only to
/// who overhears.
#[test]
fn a_packet_that_is_sent_on_is_named_to_who_overhears() {
    for (overhears, expected) in [(true, vec![Some(0), None]), (false, vec![None, None])] {
        let mut cell = Cell::new(0.9, B, edca(B, BASIC), disc(100.0, 300.0));
        for x in [0.0, 100.0, 200.0] {
            cell.station(&format!("s{x}"), x, 0.0);
        }
        for (to, at) in [(2, 0), (1, 100)] {
            let flow = cell.flow(0, to, 1, once(1500));
            cell.0.flows[flow].start = Span::millis(at);
        }
        let log = Log::default();
        let parts = match overhears {
            true => ["overheard-backlog", "own-step", "cw-min"],
            false => ["watermark", "pause", "aifsn"],
        };
        let mut witness = mechanism(parts, vec![0], &[]);
        witness.detect = AnyDetector::Custom(Box::new(Witness {
            log: log.clone(),
            overhears,
        }));
        cell.0.mechanisms = vec![witness];
        let (_, report) = cell.run();
        assert_eq!(report.delivered, 2);
        assert_eq!(*log.lock().expect("one thread"), expected);
    }
}
