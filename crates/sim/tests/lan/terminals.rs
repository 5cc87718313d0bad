//! A terminal alone: what its queue, and the management of that, mean for the slots that it asks for and uses.

use std::sync::Arc;

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::medium::tdma::hub::{Asks, Hub, Member};
use backwater_sim::medium::tdma::{Demand, FramesSpec, TerminalSpec};
use backwater_sim::queue::AnyAqm;
use backwater_sim::record::What;
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Span};

use crate::aqm::queue;
use crate::net::*;
use crate::outage::comes;
use crate::pause::{Log, Notes};
use crate::random::same;
use crate::relieved::LosesFour;
use crate::slots::{DELAY, counted, join};

/// A frame of 10 ms with 30 slots of 500 B; requests are answered in the same frame.
fn frames() -> Arc<FramesSpec> {
    Arc::new(FramesSpec {
        name: "sat".into(),
        frame: Span(10 * MS),
        slots: 30,
        slot: Bytes(500),
        request_delay: Some(Span::ZERO),
        free: false,
    })
}

/// A host T whose port to G has so many slots of its own.
pub fn lone(constant: u32, demand: Demand) -> (Net, usize) {
    let mut net = Net::new(0.1);
    let (t, g) = (net.host("T"), net.host("G"));
    let port = net.link(t, g, 10 * MBIT)[0];
    join(&mut net, 0, &frames(), (constant, demand), 0);
    (net, port)
}

/// A sends seven packets at once to G over T, whose port to G has the first three slots of each frame: one packet of 1,500 B a frame. Gives the
/// network, and T's ports to A and to G.
fn fed() -> (Net, usize, usize) {
    let mut net = Net::new(0.2);
    let (a, t, g) = (net.obeying_host("A"), net.switch("T"), net.host("G"));
    let back = net.link(a, t, 100 * MBIT)[1];
    let port = net.link(t, g, 10 * MBIT)[0];
    join(&mut net, 1, &frames(), (3, Demand::None), 0);
    net.buffer(port, 12_000);
    net.flow("f", a, g, script([(0, 10_500)]));
    (net, back, port)
}

/// The first packet is at T within the first slot: two slots of the first frame take 1,000 B of it. So the n-th gives up its room when the first
/// slot of the n-th frame behind begins. The seventh crosses the high mark, and two are left, below the low mark, when the fifth is gone.
#[test]
fn back_pressure_sees_packets_leave_a_terminal() {
    let (mut net, back, port) = fed();
    let marks = [("high", Value::Share(0.8)), ("low", Value::Share(0.3))];
    net.recipe("pause", &[port], &marks);
    let (report, records) = net.run_recorded();
    assert_eq!(
        notices(&records, What::Notice, back),
        [(comes(7), 65_535), (50 * MS, 0)]
    );
    same(&net.run(), &report, "not recorded", 0);
    // A detector of waiting times is told how long each was there. It stops A at once, when its second packet is on the line.
    let log = Log::default();
    let detector = Notes(Arc::clone(&log));
    net.0.mechanisms[0].detect = AnyDetector::Custom(Box::new(detector));
    net.run();
    let expected = [1, 2].map(|n| (n * 10 * MS, n * 10 * MS - comes(n)));
    assert_eq!(*log.lock().expect("one thread"), expected);
}

/// Seven packets of three slots ask for 21 slots of the second frame. Queue management loses four of them, so twelve of those stay empty, and
/// nothing waits that another frame need serve.
#[test]
fn what_queue_management_loses_asks_for_no_slots() {
    let (mut net, port) = lone(0, Demand::Volume);
    net.0.ports[port].aqm = Some(AnyAqm::Custom(Box::new(LosesFour::default())));
    net.flow("f", 0, 1, script([(MS, 10_500)]));
    let mut world = net.world();
    world.advance(world.end());
    assert_eq!(world.report().delivered, 3);
    assert_eq!(counted(&world, port), Some((21 * 500, 9 * 500)));
}

/// Who asks for what came, or for what waits, gets no slots while nothing has come.
#[test]
fn a_terminal_to_which_nothing_comes_gets_no_slots() {
    for demand in [Demand::Rate, Demand::Volume] {
        let (mut net, port) = lone(0, demand);
        net.flow("f", 0, 1, script([]));
        let mut world = net.world();
        world.advance(world.end());
        assert_eq!(counted(&world, port), Some((0, 0)), "{demand:?}");
    }
}

/// 500 B in each of so many slots of 10 ms: its own, with the most that it can ask for, or all of the 30 where free ones are shared.
#[test]
fn slots_bound_the_rate_of_a_terminal() {
    let fastest = |demand, most, free| {
        let frames = FramesSpec {
            free,
            ..(*frames()).clone()
        };
        let terminal = TerminalSpec {
            frames: Arc::new(frames),
            constant: 3,
            demand,
            most,
            overhead: 0,
            delay: Span::ZERO,
        };
        terminal.fastest()
    };
    for (demand, most, free, slots) in [
        (Demand::None, 30, false, 3.0),
        (Demand::Volume, 2, false, 5.0),
        (Demand::Rate, 29, false, 30.0),
        (Demand::None, 1, true, 30.0),
    ] {
        let rate = slots * 500.0 * 8.0 / 0.01;
        assert!((fastest(demand, most, free) / rate - 1.0).abs() < 1e-9);
    }
}

/// Packets of two classes wait when a frame begins. Those of the higher class leave first, and then the others.
#[test]
fn slots_take_the_higher_class_first() {
    let (mut net, _) = lone(3, Demand::None);
    net.classes(2);
    net.flow("low", 0, 1, script([(MS, 3_000)]));
    net.flow("high", 0, 1, script([(MS, 4_500)])).class = 1;
    let records = net.run_recorded().1;
    let there = records.iter().filter(|r| r.what == What::Deliver);
    let there: Vec<(u32, u64)> = there.map(|r| (r.flow.0, r.at.0)).collect();
    // Three slots of a third of a millisecond end with the first millisecond of each frame.
    let at = |frame: u64| (frame * 10 + 1) * MS + DELAY;
    let all = [(1, 1), (1, 2), (1, 3), (0, 4), (0, 5)];
    assert_eq!(there, all.map(|(flow, frame)| (flow, at(frame))));
}

/// Packets that are lost behind the one that a slot has taken are lost at the beginning of that slot.
#[test]
fn mahimahis_codel_loses_packets_behind_the_one_that_a_slot_takes() {
    let (mut net, port) = lone(3, Demand::None);
    net.0.duration = Span(4_000 * MS);
    let codel = queue("codel-mahimahi", &[]);
    (net.0.ports[port].scheduler, net.0.ports[port].aqm) = (codel.scheduler, codel.aqm);
    net.flow("f", 0, 1, script([(MS, 1_500_000)]));
    let records = net.run_recorded().1;
    let of = |what: What| {
        let mine = records.iter().filter(move |r| r.what == what);
        mine.map(|r| (r.seq, r.at.0)).collect::<Vec<_>>()
    };
    let (lost, sent) = (of(What::Drop), of(What::Send));
    assert!(lost.len() > 3, "{lost:?}");
    let behind = |one: &(u32, u64)| sent.iter().any(|s| s.1 == one.1 && s.0 < one.0);
    assert!(lost.iter().all(behind), "{lost:?}");
}

/// 300 B wait, a slot of 100 B is the terminal's own, and carries one third until the answer, which comes in the same frame or in the next: two
/// slots are asked for.
#[test]
fn own_slots_count_once_until_an_answer_that_comes_at_once() {
    for lag in [0, 1] {
        let member = Member {
            constant: 1,
            demand: Demand::Volume,
            most: 10,
        };
        let mut hub = Hub::new(10, 100, false, vec![member], lag);
        let waits = |waits| [Asks { came: 0, waits }];
        let mut given: Vec<u32> = hub.begin_frame(&waits(300)).collect();
        if lag > 0 {
            assert_eq!(given, [1]);
            given = hub.begin_frame(&waits(200)).collect();
        }
        assert_eq!(given, [3], "{lag}");
    }
}

/// A world with this frame, whose second terminal has no slots of its own and asks in this way; the path of what is refused.
fn built(frames: FramesSpec, demand: Demand) -> Option<String> {
    let mut net = Net::new(0.001);
    let g = net.host("G");
    let frames = Arc::new(frames);
    for (n, demand) in [(0, Demand::Volume), (1, demand)] {
        let t = net.host(&format!("T{n}"));
        net.link(t, g, 10 * MBIT);
        join(&mut net, n, &frames, (0, demand), 0);
        let up = net.0.links[n].directions[0].as_mut();
        up.expect("just joined").name = format!("up{n}");
        net.flow(&format!("f{n}"), t, g, script([]));
    }
    World::build(&net.0).err().map(|refusal| refusal.path)
}

/// An answer may come 10,000 frames after its request, and a slot may take one tick. A terminal that could never send is refused by its name.
#[test]
fn frames_are_bounded_and_terminals_must_be_able_to_send() {
    let frame = |ticks: u64, slots: u32, delay: u64| FramesSpec {
        frame: Span(ticks),
        slots,
        request_delay: Some(Span(delay)),
        ..(*frames()).clone()
    };
    let most = frame(US, 30, 10_000 * US);
    assert_eq!(built(most, Demand::Volume), None);
    let more = frame(US, 30, 10_000 * US + 1);
    assert_eq!(built(more, Demand::Volume), Some("media.sat.frame".into()));
    assert_eq!(built(frame(1_000, 1_000, 0), Demand::Volume), None);
    let many = frame(1_000, 1_001, 0);
    assert_eq!(built(many, Demand::Volume), Some("media.sat.slots".into()));
    let silent = built(frame(US, 30, 0), Demand::None);
    assert_eq!(silent, Some("links.up1.demand".into()));
}
