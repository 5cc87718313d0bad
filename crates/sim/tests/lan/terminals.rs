//! A terminal alone: what its queue, and the management of that, mean for the slots that it asks for and uses.

use std::sync::Arc;

use backwater_sim::medium::tdma::hub::{Asks, Hub, Member};
use backwater_sim::medium::tdma::{Demand, FramesSpec};
use backwater_sim::queue::AnyAqm;
use backwater_sim::record::What;
use backwater_transport::units::{Bytes, Span};

use crate::aqm::queue;
use crate::net::*;
use crate::relieved::LosesFour;
use crate::slots::{DELAY, counted, join};

/// A host T whose port to G has so many slots of 500 B of a frame of 10 ms with 30 slots; requests are answered in the same frame.
fn lone(constant: u32, demand: Demand) -> (Net, usize) {
    let mut net = Net::new(0.1);
    let (t, g) = (net.host("T"), net.host("G"));
    let port = net.link(t, g, 10 * MBIT)[0];
    let frames = FramesSpec {
        name: "sat".into(),
        frame: Span(10 * MS),
        slots: 30,
        slot: Bytes(500),
        request_delay: Some(Span::ZERO),
        free: false,
    };
    join(&mut net, 0, &Arc::new(frames), (constant, demand), 0);
    (net, port)
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
