//! What a law of explicit feedback is shown, beside instants and backlogs worked out by hand.

use std::sync::{Arc, Mutex};

use backwater_sim::record::What;
use backwater_sim::spec::{Egress, StampSpec};
use backwater_sim::stamp::{AnyStamp, Backlog, LawPacket, Passing, Stamp};
use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use crate::net::*;
use crate::timing::{byte, framed};

/// What a law was told: of what, when, how many packets of 1518 bytes wait, and whether the packet was lost.
type Told = (&'static str, u64, u64, bool);

/// A law that notes what it is told, and gives a codepoint to what departs.
#[derive(Clone, Debug)]
pub struct Notes {
    observes: bool,
    writes: Option<Ecn>,
    told: Arc<Mutex<Vec<Told>>>,
}

impl Notes {
    fn note(&self, what: &'static str, now: Time, backlog: Backlog, lost: bool) {
        assert_eq!(backlog.bytes, backlog.packets * framed(1_500), "{what}");
        let mut told = self.told.lock().expect("one thread");
        told.push((what, now.0, backlog.packets, lost));
    }

    fn seen(&self, what: &'static str, seen: &LawPacket) {
        assert_eq!(
            seen.size,
            framed(1_500) + 20,
            "the time of the line in bytes"
        );
        self.note(what, seen.now, seen.backlog, seen.lost);
    }
}

impl Stamp for Notes {
    fn layout(&self) -> Option<Layout> {
        None
    }

    fn observes_arrivals(&self) -> bool {
        self.observes
    }

    fn update(&mut self, now: Time, backlog: Backlog) {
        self.note("update", now, backlog, false);
    }

    fn arrive(&mut self, seen: &LawPacket, _: Option<&CongestionHeader>) {
        self.seen("arrive", seen);
    }

    fn depart(&mut self, seen: &LawPacket, passing: &mut Passing) {
        self.seen("depart", seen);
        if let Some(ecn) = self.writes {
            *passing.ecn = ecn;
        }
    }

    fn cross(&mut self, seen: &LawPacket, _: &mut Passing) {
        self.seen("cross", seen);
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        [("a", 0.0), ("b", 0.0), ("c", 0.0), ("d", 0.0)]
    }
}

/// Five full packets at once to a line of 10 Mbit/s whose buffer holds three, and then one to another line.
pub fn network(law: &Notes) -> (Net, usize) {
    let mut net = Net::new(0.1);
    let (s, w) = (net.host("S"), net.switch("W"));
    let (d, e) = (net.host("D"), net.host("E"));
    net.link(s, w, 100 * MBIT);
    let port = net.link(w, d, 10 * MBIT)[0];
    let other = net.link(w, e, 10 * MBIT)[0];
    net.buffer(port, 3 * framed(1_500));
    net.flow("f", s, d, script([(0, 7_500)])).ecn = Ecn::Ect0;
    net.flow("g", s, e, script([(0, 1_500)]));
    net.0.stamps.push(StampSpec {
        name: "W>D".into(),
        at: Egress::Port(port),
        law: AnyStamp::Custom(Box::new(law.clone())),
        also: vec![Egress::Port(other)],
    });
    (net, port)
}

pub fn law(observes: bool, writes: Option<Ecn>) -> Notes {
    Notes {
        observes,
        writes,
        told: Arc::default(),
    }
}

/// When the packets come to the switch, one after the other over 100 Mbit/s, and when the three that find room are chosen for the line: the
/// first at once, and each other when the one before has left.
pub fn instants() -> ([u64; 6], [u64; 3]) {
    let (fast, slow) = (byte(100 * MBIT), byte(10 * MBIT));
    let comes = [0, 1, 2, 3, 4, 5].map(|n| (n * 1538 + 1526) * fast + US);
    let leaves = [0, 1526, 1538 + 1526].map(|bytes| comes[0] + bytes * slow);
    (comes, leaves)
}

/// Before an arrival the frame in transmission still counts, before a departure the one before it no longer does, and the packet at hand never
/// does. Of five packets two are lost. The sixth crosses another port while three wait.
#[test]
fn a_law_is_told_of_arrivals_and_departures_and_what_waits_besides() {
    let (comes, leaves) = instants();
    let came = |n: usize, waits: u64, lost: bool| {
        let at = comes[n];
        [("update", at, waits, false), ("arrive", at, waits, lost)]
    };
    let left = |n: usize, before: u64| {
        let at = leaves[n];
        [
            ("update", at, before, false),
            ("depart", at, before - 1, false),
        ]
    };
    let crossed = [
        ("update", comes[5], 3, false),
        ("cross", comes[5], 3, false),
    ];
    let expected = [
        came(0, 0, false),
        left(0, 1),
        came(1, 1, false),
        came(2, 2, false),
        came(3, 3, true),
        came(4, 3, true),
        crossed,
        left(1, 2),
        left(2, 1),
    ];
    let law = law(true, None);
    let report = network(&law).0.run();
    assert_eq!(report.dropped, 2);
    assert_eq!(*law.told.lock().expect("one thread"), expected.concat());
}

/// A law that is not told of arrivals hears of departures alone, without timers.
#[test]
fn a_law_without_arrivals_hears_of_departures_alone() {
    let (comes, leaves) = instants();
    let law = law(false, None);
    network(&law).0.run();
    let expected = [
        ("depart", leaves[0], 0, false),
        ("cross", comes[5], 3, false),
        ("depart", leaves[1], 1, false),
        ("depart", leaves[2], 0, false),
    ];
    assert_eq!(*law.told.lock().expect("one thread"), expected);
}

/// The values of a law are kept at each arrival, whether it is told or not, and at each departure, also where it only stamps.
#[test]
fn values_of_a_law_are_kept_at_arrivals_and_departures() {
    let (comes, leaves) = instants();
    let both = [
        comes[0], leaves[0], comes[1], comes[2], comes[3], comes[4], comes[5],
    ];
    let expected = [&both[..], &leaves[1..]].concat();
    for observes in [true, false] {
        let mut world = network(&law(observes, None)).0.world();
        world.start_law_log();
        world.advance(world.end());
        let log = world.take_law_log();
        let kept: Vec<u64> = log[0].1.iter().map(|values| values.0.0).collect();
        assert_eq!(kept, expected, "{observes}");
    }
}

/// A law marks what departs, or gives it another codepoint: the packets arrive so. Marks are counted where they were made, and the fingerprint
/// of a run tells that there were some.
#[test]
fn what_a_law_writes_arrives() {
    let plain = network(&law(true, None)).0.run().fingerprint;
    for (writes, marked) in [
        (None, 0),
        (Some(Ecn::Ect0), 0),
        (Some(Ecn::Ect1), 0),
        (Some(Ecn::Ce), 3),
    ] {
        let (net, port) = network(&law(true, writes));
        let (report, records) = net.run_recorded();
        let arrived = records
            .iter()
            .filter(|r| r.what == What::Deliver && r.flow.index() == 0)
            .map(|r| r.traffic.ecn());
        let expected = writes.unwrap_or(Ecn::Ect0);
        assert_eq!(arrived.collect::<Vec<_>>(), [expected; 3]);
        assert_eq!(report.ports[port].count.marked, marked);
        assert_eq!(report.flows[0].sums.marked.packets, marked);
        assert_eq!(report.fingerprint == plain, marked == 0, "{writes:?}");
    }
}
