//! Single facts of a run that are made otherwise: a packet that is not lost, or not marked.

use backwater_sim::altered::{Fact, Numbered, Seen};
use backwater_sim::cause::Cause;
use backwater_sim::ids::{FlowId, PortId};
use backwater_sim::record::What;
use backwater_sim::world::World;
use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use crate::laws::{instants, law, network};

/// A packet of the first flow.
fn packet(seq: u32) -> Numbered {
    Numbered {
        flow: FlowId::new(0),
        seq,
    }
}

fn seen(at: u64, seq: u32, fact: Fact) -> Seen {
    Seen {
        at: Time(at),
        packet: packet(seq),
        fact,
    }
}

/// Runs to the end and gives the facts of the first flow, and how many of its packets arrived with a mark and without.
fn facts(mut world: World) -> (Vec<Seen>, [usize; 2]) {
    world.start_recording();
    world.alter().seen = Some(Vec::new());
    world.advance(world.end());
    assert!(world.report().conserved);
    let records = world.take_records();
    let arrived = [true, false].map(|marked| {
        let is = |r: &&backwater_sim::record::Record| {
            let mine = r.what == What::Deliver && r.flow.index() == 0;
            mine && (r.traffic.ecn() == Ecn::Ce) == marked
        };
        records.iter().filter(is).count()
    });
    let altered = world.altered().expect("asked above");
    let facts = altered.seen.clone().expect("asked above");
    (facts, arrived)
}

/// Of five packets the buffer holds three, and a law marks those that leave: facts tell so, each at its instant. A packet that is spared is not lost, and
/// one that is not to be marked arrives without; of neither there is a fact then.
#[test]
fn facts_are_told_and_those_that_are_altered_do_not_happen() {
    let (comes, leaves) = instants();
    let (net, port) = network(&law(true, Some(Ecn::Ce)));
    let port = PortId::new(port);
    let (marked, lost) = (Fact::Marked(port), Fact::Lost(Cause::BufferFull, port));
    let all = [
        seen(leaves[0], 0, marked),
        seen(comes[3], 3, lost),
        seen(comes[4], 4, lost),
        seen(leaves[1], 1, marked),
        seen(leaves[2], 2, marked),
    ];
    assert_eq!(facts(net.world()), (all.to_vec(), [3, 0]));
    let mut world = net.world();
    world.alter().unmarked.insert(packet(1));
    let others = all.iter().copied().filter(|one| one.packet != packet(1));
    assert_eq!(facts(world), (others.collect(), [2, 1]));
    let mut world = net.world();
    world.alter().spared.insert(packet(4));
    let (told, arrived) = facts(world);
    assert_eq!(arrived, [4, 0]);
    assert!(
        !told.contains(&all[2]) && told.contains(&all[1]),
        "{told:?}"
    );
}
