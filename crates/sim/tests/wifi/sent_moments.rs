//! Which packet a detector is told of when a station has sent a frame: one that the next station sends on over the air, where somebody overhears.

use std::sync::{Arc, Mutex};

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::place::View;

use backwater_transport::units::Span;

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
