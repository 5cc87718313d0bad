//! What queue management and detectors are shown, beside instants and queues worked out by hand.

use std::sync::{Arc, Mutex};

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Seen, Signal};
use backwater_sim::mechanism::place::View;
use backwater_sim::queue::aqm::{Aqm, Frame, Parties, Verdict, Waiting};
use backwater_sim::queue::{AnyAqm, ClassQueue};
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};

use crate::net::*;
use crate::timing::{byte, framed};

/// What an algorithm was told: of what, when, how many packets of 1518 bytes wait besides the one at hand, and for how long that has waited.
type Told = (&'static str, u64, u64, u64);

/// An algorithm that notes what it is told; with a queue of its own, or with room for a frame at the cost of the head of the queue.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    own: bool,
    makes_room: bool,
    told: Arc<Mutex<Vec<Told>>>,
    updated: Arc<Mutex<Vec<(u64, u64)>>>,
    /// The line rates that it was told.
    pub rates: Arc<Mutex<Vec<u64>>>,
}

impl Notes {
    fn note(&self, what: &'static str, frame: &Frame) {
        assert_eq!(frame.bytes, frame.packets * framed(1_500), "{what}");
        assert_eq!((frame.queue, frame.size), (0, framed(1_500)));
        let mut told = self.told.lock().expect("one thread");
        told.push((what, frame.now.0, frame.packets, frame.sojourn.0));
    }
}

impl Aqm for Notes {
    fn attach(&mut self, rate: Rate, _: &mut Random) {
        self.line_rate(rate);
    }

    fn line_rate(&mut self, rate: Rate) {
        self.rates.lock().expect("one thread").push(rate.0);
    }

    fn queues(&self) -> usize {
        usize::from(self.own)
    }

    fn classify(&mut self, _: &Parties) -> usize {
        0
    }

    fn update(&mut self, now: Time, waiting: &Waiting) {
        let mut updated = self.updated.lock().expect("one thread");
        assert_eq!(waiting.bytes() % framed(1_500), 0);
        updated.push((now.0, waiting.bytes() / framed(1_500)));
    }

    fn victim(&self, arriving: &Frame, _: &[ClassQueue]) -> Option<usize> {
        assert_eq!(arriving.packets, 2, "the buffer holds three");
        self.makes_room.then_some(0)
    }

    fn push(&mut self, frame: &Frame, _: &mut Random) -> Verdict {
        self.note("push", frame);
        Verdict::Accept
    }

    fn refused(&mut self, frame: &Frame, judged: bool, _: &mut Random) {
        assert!(!judged, "the buffer is full");
        self.note("refused", frame);
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        self.note("pop", frame);
        Verdict::Accept
    }

    fn emptied(&mut self, now: Time) {
        let mut told = self.told.lock().expect("one thread");
        told.push(("emptied", now.0, 0, 0));
    }
}

/// Five full packets at once to a line of 10 Mbit/s whose buffer holds three, the one in transmission included.
fn network() -> (Net, usize) {
    let mut net = Net::new(0.1);
    let (s, w, d) = (net.host("S"), net.switch("W"), net.host("D"));
    net.link(s, w, 100 * MBIT);
    let port = net.link(w, d, 10 * MBIT)[0];
    net.buffer(port, 3 * framed(1_500));
    net.flow("f", s, d, script([(0, 7_500)]));
    (net, port)
}

/// When they come, and when three of them are chosen: the first at once, each other when the one before has left.
fn instants() -> ([u64; 5], [u64; 3]) {
    let (fast, slow) = (byte(100 * MBIT), byte(10 * MBIT));
    let comes = [0, 1, 2, 3, 4].map(|n| (n * 1538 + 1526) * fast + US);
    let leaves = [0, 1526, 1538 + 1526].map(|bytes| comes[0] + bytes * slow);
    (comes, leaves)
}

/// The frame in transmission waits no more, and neither does the one at hand. The last two find no room and are lost; or each takes the room of the
/// frame that has waited longest. The timer is shown what waited before anything changes.
#[test]
fn queue_management_sees_what_waits_besides_a_frame() {
    let (comes, leaves) = instants();
    let first = [
        ("emptied", comes[0], 0, 0),
        ("push", comes[0], 0, 0),
        ("pop", comes[0], 0, 0),
        ("push", comes[1], 0, 0),
        ("push", comes[2], 1, 0),
    ];
    let refused = [("refused", comes[3], 2, 0), ("refused", comes[4], 2, 0)];
    let pushed = [("push", comes[3], 1, 0), ("push", comes[4], 1, 0)];
    let left = |first: usize| {
        let waited = |n: usize, at: u64| at - comes[n];
        [
            ("pop", leaves[1], 1, waited(first, leaves[1])),
            ("pop", leaves[2], 0, waited(first + 1, leaves[2])),
        ]
    };
    for own in [false, true] {
        for makes_room in [false, true] {
            let notes = Notes {
                own,
                makes_room,
                ..Notes::default()
            };
            let (mut net, port) = network();
            net.0.ports[port].aqm = Some(AnyAqm::Custom(Box::new(notes.clone())));
            assert_eq!(net.run().dropped, 2);
            let (last, left) = match makes_room {
                true => (pushed, left(3)),
                false => (refused, left(1)),
            };
            let expected = [&first[..], &last, &left].concat();
            assert_eq!(*notes.told.lock().expect("one thread"), expected);
            let updated = notes.updated.lock().expect("one thread");
            let waited = [(comes[1], 0), (comes[2], 1), (comes[3], 2), (comes[4], 2)];
            for before in waited.into_iter().chain([(leaves[1], 2), (leaves[2], 1)]) {
                assert!(updated.contains(&before), "{own} {makes_room} {before:?}");
            }
        }
    }
}

/// A moment, the frame, and the bytes that are held then.
type Watched = (&'static str, Seen, u64);

/// A detector that notes the moments that it sees, with the bytes that are held then.
#[derive(Clone, Debug, Default)]
struct Watches(Arc<Mutex<Vec<Watched>>>);

impl Detector for Watches {
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        let (what, seen) = match moment {
            Moment::Enqueued(seen) => ("enqueued", **seen),
            Moment::Sent(seen) => ("sent", **seen),
            Moment::Lost(seen) => ("lost", **seen),
            Moment::Refused(seen) => ("refused", **seen),
            _ => return None,
        };
        let mut all = self.0.lock().expect("one thread");
        all.push((what, seen, view.held));
        None
    }
}

/// On a wire no transmission fails and nobody is overheard. A frame comes from the port toward S, the first of the switch, and goes to the second;
/// it has been on the medium for the time of its bytes once it was sent. Three frames are held at most.
#[test]
fn a_detector_sees_frames_of_a_wire() {
    let watches = Watches::default();
    let (mut net, port) = network();
    net.recipe("pause", &[port], &[]);
    net.0.mechanisms[0].detect = AnyDetector::Custom(Box::new(watches.clone()));
    assert_eq!(net.run().dropped, 2);
    let frame = |airtime: u64| Seen {
        class: 0,
        bytes: 1518,
        prev: Some(0),
        next: Some(1),
        sojourn: Span::ZERO,
        airtime: Span(airtime),
        retries: 0,
        packet: None,
        to: None,
    };
    let came = |what, held: u64| (what, frame(0), held * 1518);
    let sent = |held: u64| ("sent", frame(1518 * byte(10 * MBIT)), held * 1518);
    let expected = [
        came("enqueued", 1),
        came("enqueued", 2),
        came("enqueued", 3),
        came("refused", 3),
        came("refused", 3),
        sent(2),
        sent(1),
        sent(0),
    ];
    assert_eq!(*watches.0.lock().expect("one thread"), expected);
}
