//! A mechanism at a node: what its detectors see, what its notifier is told, and what follows from that.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::carrier::{CarriedBy, Told, Toward};
use backwater_sim::mechanism::control::{Control, HeldBack, Watched};
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Seen, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::notice::Notice;
use backwater_sim::mechanism::notifier::marks::Marks;
use backwater_sim::mechanism::notifier::row::{AtNode, Cue, Cues, Facts, Notifier, Waiting};
use backwater_sim::mechanism::notifier::voice::{Arrival, VoiceSpec};
use backwater_sim::mechanism::place::{Place, Rhythm, View};
use backwater_sim::table::Id;
use backwater_transport::part::Value;
use backwater_transport::units::{Rate, Span, Time};

use crate::detectors::made;
use crate::notifiers::{node, node_beside};

/// Writes down what it is told, and speaks each time if it is to.
#[derive(Clone, Debug)]
struct Clerk {
    hears: Cues,
    speaks: bool,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Notifier for Clerk {
    fn facts(&self) -> Facts {
        Facts {
            lets_expire: true,
            ..Facts::hearing(self.hears)
        }
    }

    fn on(&mut self, cue: &Cue, out: &mut VecDeque<Told>) {
        let text = match cue {
            Cue::Placed(spec) => format!("placed {}", spec.audience),
            Cue::Arrived {
                arrival, congested, ..
            } => format!("arrived {} {congested}", arrival.class),
            Cue::Began { arrival, .. } => format!("began {}", arrival.class),
            Cue::Ended { class, .. } => format!("ended {class}"),
            Cue::Said { class, signal } => format!("said {class} {signal:?}"),
            Cue::Lasts { view, .. } => format!("lasts {}", view.class),
            Cue::Sampled { sums, .. } => format!("sampled {}", sums.busy),
            Cue::Acknowledged { to, .. } => format!("acknowledged {to}"),
            Cue::Reported { from, .. } => format!("reported {from}"),
            Cue::Due { timer, epoch } => format!("due {timer} {epoch}"),
            Cue::Early { .. } | Cue::HeldTo { .. } | Cue::LinkIsBack { .. } => "other".to_owned(),
        };
        self.heard.lock().expect("one thread").push(text);
        if self.speaks {
            out.push_back(Told {
                to: Toward::Itself,
                notice: Notice::of_card(None, true),
            });
        }
    }
}

/// Says the same at every moment, and writes these down.
#[derive(Clone, Debug)]
struct Witness {
    says: Option<Signal>,
    needs: Set,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Detector for Witness {
    fn needs(&self) -> Needs {
        Needs::of(self.needs)
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        let name = match moment {
            Moment::Enqueued(_) => "enqueued",
            Moment::Refused(_) => "refused",
            Moment::Overheard(_) => "overheard",
            Moment::Timer => "timer",
            _ => "other",
        };
        self.seen.lock().expect("one thread").push(name.to_owned());
        self.says
    }
}

pub type Log = Arc<Mutex<Vec<String>>>;

pub fn read(log: &Log) -> Vec<String> {
    std::mem::take(&mut *log.lock().expect("one thread"))
}

pub fn witness(says: Option<Signal>, needs: Set) -> (AnyDetector, Log) {
    let seen = Log::default();
    let one = Witness {
        says,
        needs,
        seen: seen.clone(),
    };
    (AnyDetector::Custom(Box::new(one)), seen)
}

/// Mechanism 3 at node 4, between the ports 0, 1 and 2.
fn control(notifier: Box<dyn AtNode>, detector: AnyDetector, rhythm: Option<Rhythm>) -> Control {
    let ports = [0, 1, 2].map(|port| (Toward::Port(Id::new(port)), Span::micros(1)));
    let mut control = Control::new(Id::new(4), 3, notifier, &ports);
    let place = Place::Egress(Id::new(7));
    assert_eq!(
        control.watch(Watched::new(place, detector, rhythm, false)),
        0
    );
    assert_eq!(control.place(0), place);
    control
}

/// The same, whose notifier writes down what it is told.
pub fn told(
    hears: Cues,
    speaks: bool,
    detector: AnyDetector,
    rhythm: Option<Rhythm>,
) -> (Control, Log) {
    let heard = Log::default();
    let clerk = Clerk {
        hears,
        speaks,
        heard: heard.clone(),
    };
    (control(Box::new(clerk), detector, rhythm), heard)
}

pub fn level(class: usize, held: u64) -> View<'static> {
    View::level(Time(5), class, held, 100)
}

pub fn came(control: &mut Control, class: usize, held: u64) -> bool {
    let arrival = Arrival::none(Time(5), class, Id::new(7));
    let seen = Seen::of_class(class as u8);
    control.enqueued(0, level(class, held), &seen, &arrival, &Waiting::nothing())
}

pub fn left(control: &mut Control, class: usize, held: u64) -> bool {
    let seen = Seen::of_class(class as u8);
    control.released(0, level(class, held), &Moment::Sent(&seen))
}

/// Marks at 80 % and 70 % of 100 B. Each class is congested from above the one until below the other, and the node has an alarm as long as any
/// is.
#[test]
fn classes_are_congested_apart_from_one_another() {
    let (mut control, heard) = told(Cues::NONE, false, made("watermark", &[]), None);
    assert_eq!((control.number(), control.node()), (3, Id::new(4)));
    assert_eq!(control.carried_by(), CarriedBy::Frame);
    assert!(!control.passes(0, 1, 1), "no mark is known yet");
    let would = |control: &mut Control, class, held| {
        let seen = Seen::of_class(class as u8);
        control.would_alarm(0, &seen, &level(class, held))
    };
    assert!(!came(&mut control, 1, 80) && !control.alarmed(0) && !control.note_alarm(0));
    assert!(!would(&mut control, 1, 80) && would(&mut control, 1, 81));
    assert!(!control.observes_departure(0, 1) && !control.may_relieve(0, &level(1, 69)));
    assert!(came(&mut control, 2, 81) && control.alarmed(0));
    assert!(!came(&mut control, 2, 90), "once");
    assert!(!control.note_alarm(0) && control.note_alarm(0));
    assert!(would(&mut control, 1, 81) && !would(&mut control, 2, 81));
    assert!(would(&mut control, 3, 81) && !control.observes_departure(0, 1));
    assert!(control.observes_departure(0, 2) && !control.observes_departure(0, 3));
    assert!(control.may_relieve(0, &level(2, 69)) && !control.may_relieve(0, &level(2, 70)));
    assert!(came(&mut control, 1, 81));
    assert!(!left(&mut control, 2, 70) && left(&mut control, 2, 69));
    assert!(!left(&mut control, 2, 60), "once");
    assert!(control.alarmed(0) && control.note_alarm(0));
    assert!(control.observes_departure(0, 1) && !control.observes_departure(0, 2));
    assert!(left(&mut control, 1, 0) && !control.alarmed(0));
    assert!(control.note_alarm(0) && !control.note_alarm(0));
    let (begun, over) = (["began 2", "began 1"], ["ended 2", "ended 2", "ended 1"]);
    assert_eq!(read(&heard), [&begun[..], &over].concat());
}

/// Congested as long as more than 20 B are held.
#[derive(Clone, Debug)]
struct Above20;

impl Detector for Above20 {
    fn observe(&mut self, _: &Moment, view: &View) -> Option<Signal> {
        match view.held > 20 {
            true => Some(Signal::Congested),
            false => Some(Signal::Clear),
        }
    }
}

/// Two classes are congested. The notice of one is about to expire and its queue is short: that class is calm, and the other is not.
#[test]
fn a_class_is_calm_after_its_notice_has_expired() {
    let detector = AnyDetector::Custom(Box::new(Above20));
    let (mut control, heard) = told(Cues::NONE, false, detector, None);
    assert!(came(&mut control, 1, 21) && came(&mut control, 2, 21));
    let (held_back, waiting) = (HeldBack::default(), Waiting::nothing());
    control.expiring(0, level(1, 21), false, &held_back, &waiting);
    assert!(!control.passes(0, 1, 0));
    control.expiring(0, level(1, 20), false, &held_back, &waiting);
    assert!(control.passes(0, 1, 0) && !control.passes(0, 2, 0));
    assert!(control.passes(0, 0, 0) && control.passes(0, 3, 0));
    assert_eq!(read(&heard), ["began 1", "began 2", "lasts 1"]);
}

/// Packets of a class that is congested are marked where marks are the carrier, and nowhere else.
#[test]
fn packets_of_a_congested_class_are_marked() {
    for marks in [true, false] {
        let (carrier, carried) = match marks {
            true => ("mark", CarriedBy::Mark),
            false => ("header", CarriedBy::Header),
        };
        let given = [("carrier", Value::Choice(carrier))];
        let notifier = node("pause", &given, 3, &[]);
        let mut control = control(notifier, made("watermark", &[]), None);
        control.add_voice(0, &voice(0b11));
        assert_eq!(
            (control.only_marks(), control.carried_by()),
            (marks, carried)
        );
        assert!(!control.marks(0, 1));
        came(&mut control, 1, 81);
        assert_eq!(
            [0, 1, 2].map(|class| control.marks(0, class)),
            [false, marks, false]
        );
    }
}

fn voice(audience: u64) -> VoiceSpec {
    VoiceSpec {
        port: Id::new(7),
        line: Rate(1_000_000),
        one_queue: false,
        audience,
        behind: None,
    }
}

/// A place may tell the neighbours of its audience. Who sends is looked up only where the notifier asks for senders, and one that tells
/// everybody knows no others.
#[test]
fn neighbours_are_known_where_senders_matter() {
    let port = |n| Toward::Port(Id::new(n));
    for (hears, known) in [(Cues::ARRIVALS, false), (Cues::SENDERS, true)] {
        let (mut control, heard) = told(hears, false, made("watermark", &[]), None);
        assert_eq!(control.audience(0).count(), 0);
        control.add_voice(0, &voice(0b101));
        assert_eq!(read(&heard), ["placed 5"]);
        let audience: Vec<_> = control.audience(0).collect();
        assert_eq!(audience, [port(0), port(2)]);
        let found = [0, 2, 9].map(|n| control.neighbour(port(n)));
        let expected = [Some(0), Some(2), None];
        assert_eq!(found, expected.map(|n| n.filter(|_| known)));
    }
    let clerk = Clerk {
        hears: Cues::SENDERS,
        speaks: false,
        heard: Log::default(),
    };
    let all = [(Toward::Everybody, Span::micros(1))];
    let control = Control::new(Id::new(4), 3, Box::new(clerk), &all);
    assert_eq!(control.neighbour(Toward::Station(9)), Some(0));
}

/// A queue's mark leaves 20 of 100 B, an input has an XOFF, a shared memory needs headroom; none of it where senders are held to a rate.
#[test]
fn rates_need_no_room_above_a_mark() {
    for (respond, stops) in [("gate", true), ("shaper", false)] {
        let of = |detector| {
            let notifier = node_beside(respond, "pause", &[], 3, &[]);
            control(notifier, made(detector, &[]), None)
        };
        let queue = of("watermark");
        assert_eq!(queue.rated(), !stops);
        assert_eq!(queue.slack(0, 100), stops.then_some(20));
        assert_eq!((queue.xoff(0), queue.needs_headroom(0)), (None, false));
        let input = of("ingress-watermark");
        assert_eq!(input.xoff(0), stops.then_some(100_000));
        assert!(!input.needs_headroom(0));
        assert_eq!(of("dynamic-threshold").needs_headroom(0), stops);
    }
}

pub const RHYTHM: Rhythm = Rhythm {
    period: Span::millis(1),
    window: 1,
};

/// Arrivals up to the mark of 80 of 100 B pass, unless senders are noted, rates are counted, or the detector looks at all.
#[test]
fn arrivals_pass_where_nothing_follows_from_them() {
    let senders = [("audience", Value::Choice("senders"))];
    for (given, detector, rhythm, passes) in [
        (&[][..], "watermark", None, true),
        (&senders, "watermark", None, false),
        (&[], "watermark", Some(RHYTHM), false),
        (&[], "occupancy", None, false),
    ] {
        let mut control = control(node("pause", given, 3, &[]), made(detector, &[]), rhythm);
        control.pass_below_the_mark(0, 100);
        for held in [1, 80] {
            assert_eq!(control.passes(0, 1, held), passes, "{detector} {held}");
        }
        assert!(!control.passes(0, 1, 81));
    }
}

/// A mechanism at a station names it, one at a port does not.
#[test]
fn a_mechanism_at_a_station_names_it() {
    let (mut at_port, _) = told(Cues::NONE, false, made("watermark", &[]), None);
    assert_eq!(at_port.station(), None);
    let second = Watched::new(Place::Attachment(5), made("watermark", &[]), None, false);
    assert_eq!(at_port.watch(second), 1);
    let places: Vec<_> = at_port.places().collect();
    let expected = [(0, Place::Egress(Id::new(7))), (1, Place::Attachment(5))];
    assert_eq!(places, expected);
    let mut at_station = Control::new(Id::new(4), 3, Box::new(Marks), &[]);
    assert_eq!(at_station.station(), None, "it watches nothing yet");
    let place = Place::Attachment(5);
    at_station.watch(Watched::new(place, made("watermark", &[]), None, false));
    assert_eq!(at_station.station(), Some(5));
}

/// Congested as long as more than 20 B are held for others.
#[derive(Clone, Debug)]
struct Others;

impl Detector for Others {
    fn needs(&self) -> Needs {
        Needs::of(Set::HOLDINGS)
    }

    fn observe(&mut self, _: &Moment, view: &View) -> Option<Signal> {
        let held = view.holdings.expect("bytes by neighbour were asked for");
        match held.forwarded(view.class) > 20 {
            true => Some(Signal::Congested),
            false => Some(Signal::Clear),
        }
    }
}

/// A station that lets notices expire while it is stopped is stopped where what it holds beside the frames that gates hold back is no
/// congestion: 21 B are, 20 B are not, in all or of what is held for others.
#[test]
fn a_notice_lasts_where_what_may_leave_is_congestion() {
    for (rest, lasts) in [(21, true), (20, false)] {
        let held_back = HeldBack {
            frames: vec![Seen::of_class(1)],
            rest,
        };
        let detector = AnyDetector::Custom(Box::new(Above20));
        let (mut control, heard) = told(Cues::NONE, false, detector, None);
        came(&mut control, 1, 90);
        control.expiring(0, level(1, 90), false, &held_back, &Waiting::nothing());
        assert_eq!(read(&heard).len(), 1 + usize::from(lasts), "{rest}");
    }
    for (bytes, lasts) in [(79, true), (80, false)] {
        let frame = |bytes| Seen {
            bytes,
            prev: Some(2),
            ..Seen::of_class(1)
        };
        let heard = Log::default();
        let clerk = Clerk {
            hears: Cues::NONE,
            speaks: false,
            heard: heard.clone(),
        };
        let mut control = Control::new(Id::new(4), 3, Box::new(clerk), &[]);
        let detector = AnyDetector::Custom(Box::new(Others));
        let place = Place::Attachment(5);
        control.watch(Watched::new(place, detector, None, true));
        let arrival = Arrival::none(Time(5), 1, Id::NONE);
        let waiting = &Waiting::nothing();
        control.enqueued(0, level(1, 100), &frame(100), &arrival, waiting);
        let held_back = HeldBack {
            frames: vec![frame(bytes)],
            rest: 0,
        };
        control.expiring(0, level(1, 100), false, &held_back, waiting);
        assert_eq!(read(&heard).len(), 1 + usize::from(lasts), "{bytes}");
    }
}
