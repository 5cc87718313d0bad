//! Callers that act in the middle of a run. Where each departure has an event of its own results are the same: so nobody may act on ports that are
//! behind the present.

use backwater_sim::knob::Place;
use backwater_sim::limit::Limit;
use backwater_sim::world::World;
use backwater_transport::units::Time;

use crate::net::*;

/// A line of 10 Mbit/s and 50 ms behind one of 100. Forty packets come at once, and twenty 30 ms later; another takes 1,230.4 us.
fn bursts(flow: &str, more: &str) -> String {
    let at_us = "0, ".repeat(40) + &"30000, ".repeat(20);
    format!(
        r#"
duration = "200 ms"
nodes = {{ S = {{ kind = "host" }}, W = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "W"], rate = "100 Mbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "50 ms" }}
flows.f = {{ from = "S", to = "D", {flow} source = {{ kind = "packet-list", at_us = [{at_us}], bytes = [1400] }} }}
{more}
"#
    )
}

/// What a run has come to, with somebody who acts at an instant.
fn outcome(text: &str, unfused: bool, at: Time, act: &dyn Fn(&mut World)) -> String {
    let mut world = built(text);
    if unfused {
        world.unfuse();
    }
    world.advance(at);
    act(&mut world);
    let report = finished(&mut world);
    let ports: Vec<_> = report.ports.iter().map(|port| port.count.area).collect();
    format!(
        "{:x} {:?} {} {ports:?}",
        report.fingerprint, report.drops, report.delivered
    )
}

/// Runs with and without an event for each departure come to the same, whenever somebody acts; and somebody who acts changes something.
fn alike(text: &str, act: &dyn Fn(&mut World)) {
    let plain = outcome(text, false, Time::ZERO, &|_| {});
    let mut changed = false;
    for n in 1..=7 {
        let at = Time(n * 5_370 * US);
        let fused = outcome(text, false, at, act);
        assert_eq!(fused, outcome(text, true, at, act), "{n}");
        changed |= fused != plain;
    }
    assert!(changed);
}

/// A smaller buffer, another queue management, another target of it.
#[test]
fn a_port_is_up_to_date_when_its_queue_is_changed() {
    let open = bursts("", r#"ports."W>D" = { buffer = "unlimited" }"#);
    alike(&open, &|world| {
        let id = port(world, "W>D");
        world
            .change_buffer(id, Limit::Packets(12))
            .expect("another buffer");
    });
    let codel = |target: &str| {
        bursts(
            "",
            &format!(
                r#"ports."W>D" = {{ buffer = "unlimited", queue = {{ kind = "codel", target = "{target}", interval = "3 ms" }} }}"#
            ),
        )
    };
    let fresh = built(&codel("1 ms"));
    let plain = built(&open);
    for (text, fresh) in [
        (&open, &fresh),
        (&codel("1 ms"), &plain),
        (&codel("40 ms"), &fresh),
    ] {
        alike(text, &|world| {
            let id = port(world, "W>D");
            world.change_queue(id, fresh).expect("another queue");
        });
    }
    alike(&codel("1 ms"), &|world| {
        let id = port(world, "W>D");
        world.turn(&Place::Queue(id), 50e-3);
    });
}

/// The losses of queue management are in a fingerprint once they are due, also when nothing else has happened since.
#[test]
fn a_fingerprint_has_the_losses_that_are_due() {
    let text = bursts(
        "",
        r#"ports."W>D" = { buffer = "unlimited", queue = { kind = "codel", target = "1 ms", interval = "3 ms" } }"#,
    );
    let mut seen = 0;
    for n in 1..=12 {
        let at = Time(n * 3_970 * US);
        let [mut fused, mut unfused] = [built(&text), built(&text)];
        unfused.unfuse();
        fused.advance(at);
        unfused.advance(at);
        assert_eq!(fused.fingerprint(), unfused.fingerprint(), "{n}");
        seen = unfused.report().dropped;
    }
    assert!(seen > 3, "{seen}");
}

/// Another trace of a link, and one that is drawn again. Two of three packets end with another opportunity than they begin with.
#[test]
fn a_link_is_up_to_date_when_its_trace_is_changed() {
    let at_us = "0, ".repeat(40);
    let line = |trace: &str| {
        format!(
            r#"
duration = "200 ms"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.q = {{ from = "S", to = "D", kind = "trace", delay = "50 ms", opportunity = "1500 B", overhead = "0 B", clock = "exact", trace = {{ {trace} }} }}
links.back = {{ from = "D", to = "S", rate = "1 Gbit/s", delay = "0 s" }}
ports."S>D" = {{ buffer = "unlimited", queue = {{ kind = "codel", target = "1 ms", interval = "3 ms" }} }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "packet-list", at_us = [{at_us}30000], bytes = [1000] }} }}
"#
        )
    };
    let constant = |mbps: u64| line(&format!("kind = \"constant\", rate = \"{mbps} Mbit/s\""));
    let [before, after] = [12, 7].map(|mbps| resolved(&constant(mbps)));
    alike(&constant(12), &|world| {
        before.change(world, &after).expect("another trace");
    });
    let random = line(
        r#"kind = "cox", peak = "20 Mbit/s", volatility = "1 bit/s", reversion = 20, sticky = "0 %", outage = "1 ms", burst = 1"#,
    );
    alike(&random, &|world| world.redraw(7));
}

/// Another window of a sender.
#[test]
fn ports_are_up_to_date_when_a_sender_is_changed() {
    let text = |window: u64| {
        let flow = format!(
            r#"transport = "tcp", controller = {{ kind = "fixed", window = "{window} packets" }},"#
        );
        let codel = r#"ports."W>D" = { buffer = "unlimited", queue = { kind = "codel", target = "1 ms", interval = "3 ms" } }"#;
        bursts(&flow, codel)
    };
    let [before, after] = [30, 45].map(|window| resolved(&text(window)));
    alike(&text(30), &|world| {
        before.change(world, &after).expect("another window");
    });
}

/// A departure has an event of its own, and no other: each of ten packets, of which nine wait, is written, leaves and comes.
#[test]
fn an_unfused_packet_over_one_wire_takes_three_events() {
    let at_us = "0, ".repeat(10);
    let mut world = built(&format!(
        r#"
duration = "100 ms"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "D"], rate = "10 Mbit/s", delay = "1 ms" }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "packet-list", at_us = [{at_us}], bytes = [1500] }} }}
"#
    ));
    world.unfuse();
    finished(&mut world);
    assert_eq!(world.events(), 3 * 10);
}
