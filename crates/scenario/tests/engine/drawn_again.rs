//! What waits for its instant in a fork that is drawn again: opportunities of a trace, and packets of a source.

use backwater_sim::world::World;
use backwater_transport::units::Time;

use crate::net::*;

/// A link with 1,000 opportunities of so many bytes in a second, at random.
fn link(opportunity: u64, source: &str) -> World {
    built(&format!(
        r#"
duration = "2 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.q = {{ from = "S", to = "D", kind = "trace", delay = "0 s", opportunity = "{opportunity} B", overhead = "0 B", clock = "exact", trace = {{ kind = "cox", peak = "{peak} bit/s", volatility = "1 bit/s", reversion = 20, sticky = "0 %", outage = "1 ms", burst = 1 }} }}
links.back = {{ from = "D", to = "S", rate = "1 Gbit/s", delay = "0 s" }}
ports."S>D" = {{ buffer = "unlimited" }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "packet-list", {source} }} }}
"#,
        peak = 2 * 8_000 * opportunity,
    ))
}

/// When the port looks again whether it can send.
fn next(world: &World) -> Time {
    world.network().ports[port(world, "S>D")].next_try
}

/// A packet that waits alone waits for another opportunity when that is drawn again, also at the instant at which the packet before it has left.
#[test]
fn a_packet_that_waits_waits_for_the_opportunity_that_is_drawn_again() {
    for count in [1, 2] {
        let at_us = "500000, ".repeat(count);
        let mut world = link(1_500, &format!("at_us = [{at_us}], bytes = [1500]"));
        world.advance(Time(500 * MS));
        if count == 2 {
            // The first leaves.
            let leaves = next(&world);
            world.advance(leaves);
            assert_eq!(world.now(), leaves);
        }
        let before = next(&world);
        assert!(before > world.now() && before < Time::NEVER);
        for by in 1..=20 {
            let mut fork = world.clone();
            fork.redraw(by);
            assert_ne!(next(&fork), before, "{count} {by}");
            assert!(next(&fork) > fork.now());
        }
    }
}

/// A packet of 1,500 B leaves a rest of an opportunity of 2,000 B, at which the next one begins: a link that always has packets loses no byte, however
/// often it is drawn again.
#[test]
fn a_link_that_is_drawn_again_offers_the_rest_of_an_opportunity() {
    let at_us = "400000, ".repeat(1_000);
    let mut world = link(2_000, &format!("at_us = [{at_us}], bytes = [1500]"));
    world.advance(Time(400 * MS));
    for n in 1..=400 {
        world.advance(Time(400 * MS + n * MS));
        world.redraw(n);
    }
    let sent = world.report().delivered;
    let out = port(&world, "S>D");
    let server = world.network().ports[out].more.service.server();
    let offered = server.expect("a trace").opportunities(world.now());
    let offered = offered.filter(|at| at.0 > 400 * MS).count() as u64;
    // One packet may have begun.
    assert!(offered > 200 && sent < 1_000);
    let whole = 2_000 * offered / 1_500;
    assert!(sent.abs_diff(whole) <= 1, "{sent} {whole}");
}

/// A source without a memory is asked anew once it has begun, with its first packet: forks of other streams have their second one at other instants.
#[test]
fn a_source_of_one_packet_so_far_is_drawn_again() {
    let text = r#"
duration = "10 s"
nodes = { S = { kind = "host" }, D = { kind = "host" } }
links.a = { ends = ["S", "D"], rate = "1 Gbit/s", delay = "0 s" }
flows.f = { from = "S", to = "D", source = { kind = "poisson", packet = "1000 B", rate = "80 kbit/s" } }
"#;
    let mut world = built(text);
    let first = world.next_due().expect("a packet");
    world.advance(first);
    assert_eq!(world.report().entered, 1);
    let second = |by: u64| {
        let mut fork = world.clone();
        fork.reseed(by);
        fork.redraw(by);
        while fork.report().entered < 2 {
            let next = fork.next_due().expect("a packet");
            fork.advance(next);
        }
        fork.now()
    };
    let instants = [1, 2, 3].map(second);
    assert!(instants[0] != instants[1] && instants[1] != instants[2]);
}
