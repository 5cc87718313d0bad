//! Parts from outside the crate do what those of the lists do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use backwater_sim::cause::Cause;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::notice::Notice;
use backwater_sim::mechanism::place::View;
use backwater_sim::mechanism::responder::{Knobs, Responder};
use backwater_sim::mechanism::{AnyDetector, AnyResponder};
use backwater_sim::queue::AnyAqm;
use backwater_sim::queue::aqm::{Aqm, Frame, Verdict};
use backwater_sim::spec::{Egress, StampSpec};
use backwater_sim::stamp::{AnyStamp, LawPacket, Passing, Stamp};
use backwater_sim::world::World;
use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};

use crate::net::*;

/// Congested as long as the class queue holds more than ten full frames.
#[derive(Clone, Debug)]
struct TenFrames;

impl Detector for TenFrames {
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(_) => (view.held > 15_180).then_some(Signal::Congested),
            Moment::Sent(_) => (view.held <= 15_180).then_some(Signal::Clear),
            _ => None,
        }
    }
}

#[test]
fn a_detector_from_outside_stops_the_senders() {
    let (mut net, port) = merging(1.0, || cbr(5 * MBIT));
    assert!(lost_at(&net.run(), port) > 0);
    net.recipe("pause", &[port], &[]);
    net.0.mechanisms[0].detect = AnyDetector::Custom(Box::new(TenFrames));
    let world = net.world();
    let fork = world.clone();
    let report = net.run();
    assert!(report.control > 0);
    assert_eq!(lost_at(&report, port), 0);
    // The frames that three senders may have under way when the notice reaches them, one each and one
    // behind it, come on top of the mark.
    assert!(report.ports[port].count.max_bytes < 15_180 + 1_518 + 3 * 2 * 1_518);
    let finish = |mut world: World| {
        world.advance(Time(0) + Span::from_seconds(1.0));
        world.report().fingerprint
    };
    assert_eq!(finish(world), finish(fork), "a copy goes the same way");
}

/// Counts the frames that came in over its interface, and is never congested.
#[derive(Clone, Debug)]
struct CountsArrivals(Arc<AtomicU64>);

impl Detector for CountsArrivals {
    fn needs(&self) -> Needs {
        Needs::of(Set::INTERFACES)
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        if let Moment::Enqueued(_) = moment {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        None
    }
}

/// A detector that remembers what it has seen is told once of each frame that came in over the interface it watches, and of none
/// that came another way.
#[test]
fn a_detector_at_an_input_is_told_of_each_arrival_once() {
    let mut net = Net::new(1.0);
    let (a, b) = (net.obeying_host("A"), net.obeying_host("B"));
    let (w, d) = (net.switch("W"), net.host("D"));
    let from_a = net.link(a, w, 100 * MBIT)[1];
    net.link(b, w, 100 * MBIT);
    net.link(w, d, 100 * MBIT);
    let at = |n: u64| (n * 1_000_000_000, 1_500);
    net.flow("a", a, d, script((0..40).map(at)));
    net.flow("b", b, d, script((0..60).map(at)));
    net.recipe("pfc", &[from_a], &[]);
    let counted = Arc::new(AtomicU64::new(0));
    net.0.mechanisms[0].detect = AnyDetector::Custom(Box::new(CountsArrivals(counted.clone())));
    assert_eq!(net.run().delivered, 100);
    assert_eq!(counted.load(Ordering::Relaxed), 40);
}

/// Drops every fourth frame.
#[derive(Clone, Debug, Default)]
struct EveryFourth(u64);

impl Aqm for EveryFourth {
    fn attach(&mut self, _rate: Rate, _random: &mut Random) {
        self.0 = 0;
    }

    fn push(&mut self, _frame: &Frame, _random: &mut Random) -> Verdict {
        self.0 += 1;
        if self.0.is_multiple_of(4) {
            Verdict::Drop
        } else {
            Verdict::Accept
        }
    }
}

#[test]
fn a_queue_from_outside_decides_who_is_lost() {
    let mut net = Net::new(1.0);
    let (s, w, d) = (net.host("S"), net.switch("W"), net.host("D"));
    net.link(s, w, 100 * MBIT);
    let port = net.link(w, d, 10 * MBIT)[0];
    net.0.ports[port].aqm = Some(AnyAqm::Custom(Box::new(EveryFourth::default())));
    net.flow(
        "f",
        s,
        d,
        script((0..400).map(|i| (i * 2_000_000_000, 1_500))),
    );
    let report = net.run();
    assert_eq!(report.entered, 400);
    let dropped = report.drops.iter().filter(|d| d.key.0 == Cause::Aqm);
    assert_eq!(dropped.map(|d| d.count.packets).sum::<u64>(), 100);
    assert_eq!(report.delivered, 300);
}

/// Counts what it is told of: arrivals, if it observes them, and departures.
#[derive(Clone, Debug)]
struct Counts {
    observes: bool,
    arrived: u32,
    departed: u32,
}

impl Stamp for Counts {
    fn layout(&self) -> Option<Layout> {
        None
    }

    fn observes_arrivals(&self) -> bool {
        self.observes
    }

    fn arrive(&mut self, _: &LawPacket, _: Option<&CongestionHeader>) {
        self.arrived += 1;
    }

    fn depart(&mut self, _: &LawPacket, _: &mut Passing) {
        self.departed += 1;
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        let [arrived, departed] = [self.arrived, self.departed].map(f64::from);
        [
            ("arrived", arrived),
            ("departed", departed),
            ("", 0.0),
            ("", 0.0),
        ]
    }
}

/// Counts the arrivals and departures of a port.
pub fn counting(port: usize) -> StampSpec {
    law(port, true)
}

fn law(port: usize, observes: bool) -> StampSpec {
    StampSpec {
        name: "law".into(),
        at: Egress::Port(port),
        law: AnyStamp::Custom(Box::new(Counts {
            observes,
            arrived: 0,
            departed: 0,
        })),
        also: Vec::new(),
    }
}

/// Sixty packets at once, behind which a line of 10 Mbit/s stands for 74 ms. A law that reads departures alone is not told of
/// arrivals, and the mean of its queue is the same.
#[test]
fn a_law_that_does_not_observe_arrivals_is_told_of_departures_alone() {
    let [heard, deaf] = [true, false].map(|observes| {
        let mut net = Net::new(0.1);
        let (s, w, d) = (net.host("S"), net.switch("W"), net.host("D"));
        net.link(s, w, 100 * MBIT);
        let port = net.link(w, d, 10 * MBIT)[0];
        net.flow("f", s, d, script([(0, 60 * 1_500)]));
        net.0.stamps.push(law(port, observes));
        let mut world = net.world();
        world.advance(world.end());
        let report = world.report();
        let law = &report.stamps[0];
        let told = law.values.map(|(_, value)| value);
        ((told[0], told[1]), law.queue.expect("time has passed"))
    });
    assert_eq!((heard.0, deaf.0), ((60.0, 60.0), (0.0, 60.0)));
    assert_eq!(heard.1, deaf.1);
    assert!(heard.1.0 > 10.0, "{heard:?}");
}

/// Answers no notice.
#[derive(Clone, Debug)]
struct Deaf;

impl Responder for Deaf {
    fn react(&mut self, _: &Notice, _: &mut Knobs) {}
}

/// A part from outside that answers notices may have a state, which is not compared: a run with it is not skipped.
#[test]
fn a_run_with_a_responder_from_outside_skips_nothing() {
    let (mut net, port) = merging(1.0, || cbr(5 * MBIT));
    net.recipe("pause", &[port], &[]);
    assert_eq!(net.world().skip_recurrences(), Ok(()));
    net.0.mechanisms[0].respond = AnyResponder::Custom(Box::new(Deaf));
    let unable = net.world().skip_recurrences().expect_err("refused");
    assert!(unable.place.starts_with("ports.W"), "{unable:?}");
    assert_eq!(unable.why, "its responder takes steps");
}
