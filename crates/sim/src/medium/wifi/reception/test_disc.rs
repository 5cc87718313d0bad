//! Frames that begin and end at a station under the disc: what it receives, what damages that, and when its medium is busy.

use backwater_transport::units::{Span, Time};

use super::collision::{Outcome, Passing};
use super::frame_set::FrameSet;
use super::parts::{Hits, Parts};
use crate::medium::wifi::mac::carrier_sense::CarrierSense;
use crate::medium::wifi::mac::frame::{Frame, FrameKind, NOBODY};
use crate::medium::wifi::phy::channel::Link;
use crate::medium::wifi::phy::timing::Medium;
use crate::medium::wifi::test_line::line;

fn us(t: u64) -> Time {
    Time::ZERO + Span::micros(t)
}

/// Stations 1 and 2 send; station 3 hears them. Station 2 sends a burst whose two frames begin at 140 and 150 us.
struct Scene {
    medium: Medium,
    parts: Vec<Parts>,
    sense: CarrierSense,
    hits: Vec<Hits>,
    damaged: FrameSet,
}

const NEAR: Link = Link {
    to: 3,
    decodes: true,
    senses: true,
    power: 100,
};

impl Scene {
    fn new(capture: f64) -> Scene {
        let mut medium = Medium::new(&line(&[0.0]).media[0]);
        medium.capture = capture;
        let mut parts = vec![Parts::default(); 4];
        parts[2].begins = vec![us(140), us(150)];
        Scene {
            medium,
            parts,
            sense: CarrierSense::new(3),
            hits: vec![Hits::default(); 4],
            damaged: FrameSet::default(),
        }
    }

    fn begins(&mut self, from: u32, link: Link, at: u64) -> bool {
        let passing = Passing {
            from,
            medium: &self.medium,
            parts: &self.parts,
            now: us(at),
        };
        let makes_busy = passing.begins(&mut self.sense, &link, &mut self.hits, 3);
        self.sense.busy |= makes_busy;
        makes_busy
    }

    fn ends(&mut self, from: u32, link: Link, to: u32, at: u64) -> Outcome {
        let passing = Passing {
            from,
            medium: &self.medium,
            parts: &self.parts,
            now: us(at),
        };
        let frame = Frame {
            kind: FrameKind::Data,
            to,
            holder: from,
            begin: us(100),
            sent: us(at),
            rest: Span::ZERO,
            missed: false,
        };
        let (hits, damaged) = ((&mut self.hits[..], 3), &mut self.damaged);
        passing.ends(&mut self.sense, (&link, 3), &frame, hits, damaged)
    }

    fn told(&self) -> (u32, bool, u32, u64) {
        let sense = &self.sense;
        (sense.lock, sense.damaged, sense.energy, sense.power)
    }
}

/// A frame that is understood is received from a quiet medium. One that is only sensed makes it busy, one that only disturbs
/// does not.
#[test]
fn what_begins_on_a_quiet_medium() {
    let link = |decodes, senses, power| Link {
        decodes,
        senses,
        power,
        ..NEAR
    };
    for (link, busy, lock) in [
        (NEAR, true, 1),
        (link(false, true, 100), true, NOBODY),
        (link(false, true, 0), true, NOBODY),
        (link(false, false, 100), false, NOBODY),
    ] {
        let mut scene = Scene::new(f64::INFINITY);
        assert_eq!(scene.begins(1, link, 100), busy, "{link:?}");
        assert_eq!(
            scene.told(),
            (lock, false, u32::from(link.senses), link.power)
        );
        let quiet = scene.sense.is_quiet();
        assert_eq!(quiet, !busy);
        let outcome = scene.ends(1, link, 3, 200);
        assert_eq!(outcome == Outcome::Heard, lock == 1);
        assert_eq!(scene.told(), (NOBODY, false, 0, 0));
        assert!(scene.sense.is_quiet());
    }
    let mut scene = Scene::new(f64::INFINITY);
    scene.begins(1, NEAR, 100);
    assert_eq!(scene.ends(1, NEAR, 7, 200), Outcome::Overheard);
    scene.begins(1, NEAR, 300);
    assert_eq!(scene.ends(1, NEAR, NOBODY, 400), Outcome::Heard);
}

/// A station that sends receives nothing; nor does one that interference reaches already. Busy is told once.
#[test]
fn a_busy_receiver_takes_no_frame() {
    let mut scene = Scene::new(f64::INFINITY);
    (scene.sense.sending, scene.sense.busy) = (true, true);
    assert!(!scene.begins(1, NEAR, 100));
    assert_eq!(scene.told(), (NOBODY, false, 1, 100));
    assert!(!scene.sense.is_quiet());
    let faint = Link {
        decodes: false,
        senses: false,
        power: 1,
        ..NEAR
    };
    let mut scene = Scene::new(f64::INFINITY);
    assert!(!scene.begins(2, faint, 100));
    assert!(scene.begins(1, NEAR, 101));
    assert_eq!(scene.told(), (NOBODY, false, 1, 101));
    assert_eq!(scene.ends(1, NEAR, 3, 200), Outcome::Nothing);
}

/// Any overlap damages a frame without capture. With 10 dB one ten times as weak does not, in sum with others it does.
#[test]
fn overlaps_damage_a_frame() {
    let faint = |power| Link { power, ..NEAR };
    for (capture, power, damaged) in [
        (f64::INFINITY, 1, true),
        (10.0, 10, false),
        (10.0, 11, true),
    ] {
        let mut scene = Scene::new(capture);
        scene.begins(1, NEAR, 100);
        assert!(!scene.begins(0, faint(power), 120));
        assert_eq!(scene.told(), (1, damaged, 2, 100 + power));
        assert_eq!(scene.ends(0, faint(power), 3, 150), Outcome::Nothing);
        let outcome = scene.ends(1, NEAR, 3, 200);
        assert_eq!(outcome == Outcome::Nothing, damaged, "{capture} {power}");
        // A damaged frame defers by EIFS: 60 us.
        let defers = if damaged { 260 } else { 200 };
        assert_eq!(scene.sense.defer, us(defers));
    }
    let mut scene = Scene::new(10.0);
    scene.begins(1, NEAR, 100);
    scene.begins(0, faint(6), 120);
    scene.begins(2, faint(6), 121);
    assert!(scene.sense.damaged && !scene.sense.hit);
}

/// A burst loses the frames in whose time it is disturbed, and all with its preamble. Who it is for is told which ones.
#[test]
fn overlaps_damage_frames_of_a_burst() {
    for (from, to, lost) in [
        (145, 148, vec![0]),
        (152, 170, vec![1]),
        (145, 155, vec![0, 1]),
        (130, 135, vec![0, 1]),
    ] {
        let mut scene = Scene::new(f64::INFINITY);
        scene.hits[3].frames.insert(1);
        scene.begins(2, NEAR, 100);
        scene.begins(1, NEAR, from);
        let preamble = from < 140;
        assert_eq!((scene.sense.hit, scene.sense.damaged), (true, preamble));
        if to < 160 {
            assert_eq!(scene.ends(1, NEAR, 3, to), Outcome::Nothing);
            assert!(!scene.sense.hit);
        }
        let outcome = scene.ends(2, NEAR, 3, 160);
        assert_eq!(outcome == Outcome::Nothing, lost.len() == 2, "{from}");
        if !preamble {
            let told: Vec<u16> = (0..2).filter(|n| scene.damaged.contains(*n)).collect();
            assert_eq!(told, lost, "{from} to {to}");
        }
    }
    // For another: nothing is told, and the whole frames are overheard.
    let mut scene = Scene::new(f64::INFINITY);
    scene.begins(2, NEAR, 100);
    scene.begins(1, NEAR, 152);
    assert_eq!(scene.ends(2, NEAR, 7, 160), Outcome::Overheard);
    assert!(scene.damaged.is_empty() && !scene.sense.hit);
}

/// While what is left still damages the burst, it goes on to: two overlaps, of which the second ends with the second frame.
#[test]
fn a_burst_is_damaged_until_the_last_overlap_ends() {
    let mut scene = Scene::new(f64::INFINITY);
    scene.begins(2, NEAR, 100);
    scene.begins(0, NEAR, 143);
    scene.begins(1, NEAR, 146);
    scene.ends(0, NEAR, 3, 148);
    assert!(scene.sense.hit);
    scene.ends(1, NEAR, 3, 152);
    assert!(!scene.sense.hit);
    assert_eq!(scene.ends(2, NEAR, 3, 160), Outcome::Nothing);
    assert_eq!(scene.damaged.len(), 2);
}

/// A frame that begins confirms the NAV of an RTS at whoever receives it.
#[test]
fn a_frame_that_is_received_confirms_a_nav() {
    for (lock, nav) in [(true, 900), (false, 0)] {
        let mut scene = Scene::new(f64::INFINITY);
        (scene.sense.nav_rts, scene.sense.nav_check) = (us(900), us(150));
        scene.sense.sending = !lock;
        scene.begins(1, NEAR, 120);
        assert_eq!(scene.sense.nav, us(nav));
    }
}
