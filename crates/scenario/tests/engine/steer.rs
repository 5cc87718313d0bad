//! Flows whose windows come from outside.

use backwater_sim::ids::ConnectionId;
use backwater_sim::knob::Place;
use backwater_sim::world::World;
use backwater_transport::controller::{Asks, Driven};
use backwater_transport::units::Time;

use crate::net::*;

/// A line of 100 Mbit/s and 10 ms, on which a full segment takes 1,538 B with preamble and gap and an acknowledgement 90. Flow `f` is told
/// what to do; flow `g` has no data before the run ends.
fn line(nic: &str) -> World {
    let text = format!(
        r#"
duration = "300 ms"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "D"], rate = "100 Mbit/s", delay = "10 ms" }}
flows.g = {{ from = "S", to = "D", start = "299 ms", transport = "tcp", controller = {{ kind = "cubic" }}, source = {{ kind = "bulk" }} }}
flows.f = {{ from = "S", to = "D", nic = "{nic}", transport = "tcp", delayed_ack = "0 s", controller = {{ kind = "agent" }}, source = {{ kind = "bulk" }} }}
"#
    );
    let resolved = resolved(&text);
    let built = resolved.build_driven(&resolved.spec());
    built.unwrap_or_else(|said| panic!("{said}"))
}

/// When acknowledgement n, from nought on, is back at the sender: the segment and those before it, the acknowledgement, two delays.
fn acknowledged(n: u64) -> u64 {
    let byte = 80_000;
    (n * 1_538 + 1_526) * byte + 78 * byte + 20 * MS
}

fn window(world: &mut World, id: ConnectionId, segments: u64) {
    world.steer(id, &mut |agent: &mut Driven| {
        agent.tell(segments * agent.mss(), None);
    });
}

fn entered(world: &mut World) -> u64 {
    world.report().flows[0].sums.entered.packets
}

/// Only the flow with a controller of that kind is driven. A larger window lets segments leave at the present instant, whether the host
/// pushes them or its card pulls them.
#[test]
fn who_is_driven_sends_at_the_instant_at_which_it_is_told() {
    for (nic, more) in [("push", 5), ("pull", 1)] {
        let mut world = line(nic);
        let driven = world.all_driven();
        assert_eq!(driven.len(), 1);
        assert_eq!(world.foreign(), driven);
        let other = world.ends.connections.ids().find(|id| *id != driven[0]);
        assert!(world.driven(other.expect("the other flow")).is_none());
        assert!(world.driven(driven[0]).is_some());
        window(&mut world, driven[0], 2);
        world.advance(Time(5 * MS));
        assert_eq!(entered(&mut world), 2, "{nic}");
        window(&mut world, driven[0], 7);
        // A card sends one segment, and the next when the line is free again.
        assert_eq!(entered(&mut world), 2 + more, "{nic}");
        world.advance(Time(6 * MS));
        assert_eq!(entered(&mut world), 7, "{nic}");
    }
}

/// An agent that asks with each third acknowledgement stops the run at the instant of that one; the interval up to there has the mean of
/// its round trips. All segments were handed over at the beginning.
#[test]
fn a_run_up_to_a_question_ends_with_the_acknowledgement_that_asks() {
    let mut world = line("push");
    let agents = world.all_driven();
    world.steer(agents[0], &mut |agent: &mut Driven| {
        agent.ask(Asks::Acks(3))
    });
    window(&mut world, agents[0], 5);
    assert!(!world.advance_until_asked(&agents, Time(15 * MS)));
    assert_eq!(world.now(), Time(15 * MS));
    assert!(world.advance_until_asked(&agents, Time(200 * MS)));
    assert_eq!(world.now(), Time(acknowledged(2)));
    // It asks still.
    assert!(world.advance_until_asked(&agents, Time(200 * MS)));
    assert_eq!(world.now(), Time(acknowledged(2)));
    world.end_interval(agents[0]);
    let agent = world.driven(agents[0]).expect("a driven controller");
    let mean = (0..3).map(acknowledged).sum::<u64>() as f64 / 3e12;
    assert!((agent.heard.mean / mean - 1.0).abs() < 1e-12, "{mean}");
    // Another flow than those that ask is not waited for.
    assert!(!world.advance_until_asked(&[], Time(200 * MS)));
    assert_eq!(world.now(), Time(200 * MS));
}

/// A flow that is given another controller before the run goes as the same scenario with that controller: its receiver forecasts for it.
#[test]
fn a_controller_that_is_given_before_the_run_is_served_by_the_receiver() {
    let text = |controller: &str| {
        format!(
            r#"
duration = "300 ms"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "D"], rate = "5 Mbit/s", delay = "10 ms" }}
flows.f = {{ from = "S", to = "D", transport = "datagram", controller = {{ kind = "{controller}" }}, source = {{ kind = "bulk" }} }}
"#
        )
    };
    let (mut own, mut given) = (built(&text("sprout")), built(&text("cubic")));
    let spec = resolved(&text("sprout")).spec();
    let transport = spec.flows[0].transport.as_ref().expect("a transport");
    let id = ConnectionId::raw(0);
    given.set_controller(id, transport, transport.controller.clone());
    let (own, given) = (finished(&mut own), finished(&mut given));
    assert!(own.flows[0].sums.delivered.packets > 10);
    assert_eq!(own.fingerprint, given.fingerprint);
}

/// Each mechanism of stations has a knob of its own.
#[test]
fn a_knob_of_a_mechanism_of_stations_is_its_own() {
    let mut world = built(
        r#"
duration = "1 s"
routing = { kind = "airtime" }
media.air = { phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }, mac = { access = "dcf" }, channel = { model = "disc", transmit = "100 m", sense = "190 m" } }
nodes.S = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }
nodes.R = { kind = "station", medium = "air", at = ["90 m", "0 m"], buffer = "30 packets" }
nodes.D = { kind = "station", medium = "air", at = ["180 m", "0 m"], buffer = "30 packets" }
mechanisms.m = { recipe = "lscc", at = ["R"], detect = { kind = "occupancy", high = "81 %" } }
mechanisms.n = { recipe = "lscc", at = ["D"], detect = { kind = "occupancy", high = "72 %" } }
flows.f = { from = "S", to = "D", source = { kind = "cbr", packet = "1000 B", rate = "80 kbit/s" } }
"#,
    );
    let high = |world: &mut World, number: u32| {
        let range = world.range(&Place::Mechanism(number, Vec::new()), "high");
        range.expect("a knob").now
    };
    assert_eq!([0, 1].map(|number| high(&mut world, number)), [0.81, 0.72]);
    world.turn(&Place::Mechanism(1, Vec::new()), 0.9);
    assert_eq!([0, 1].map(|number| high(&mut world, number)), [0.81, 0.9]);
}

/// 1,000 frames of 1,518 B come in a second, the first at once, and 812.7 leave, so that 1 + 187.3 t of them are there. A mark at half of 2 MB is not
/// reached. Turned to 2 %, 26.4 frames, at 100 ms, it is crossed at 135 ms, and notices begin. Turned back to a half before that, it is crossed by nobody.
#[test]
fn a_mark_that_is_turned_is_looked_at_anew() {
    let text = r#"
duration = "1 s"
nodes = { A = { kind = "host" }, X = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["A", "X"], rate = "100 Mbit/s", delay = "0 s" }
links.q = { ends = ["X", "D"], rate = "10 Mbit/s", delay = "0 s" }
ports."X>D" = { buffer = "2 MB" }
mechanisms.m = { recipe = "pause", at = ["X>D"], detect = { kind = "watermark", low = "1 %", high = "50 %" } }
flows.f = { from = "A", to = "D", source = { kind = "cbr", packet = "1500 B", rate = "12 Mbit/s" } }
"#;
    let issued = |world: &mut World| world.report().hearing[0].issued;
    let place = |world: &World| Place::Mechanism(0, vec![port(world, "X>D")]);
    for back in [false, true] {
        let mut world = built(text);
        let place = place(&world);
        world.advance(Time(100 * MS));
        world.turn(&place, 0.02);
        if back {
            world.advance(Time(120 * MS));
            world.turn(&place, 0.5);
        }
        world.advance(Time(132 * MS));
        assert_eq!(issued(&mut world), 0);
        world.advance(Time(140 * MS));
        assert_eq!(issued(&mut world) > 0, !back);
        world.advance(world.end());
        assert_eq!(issued(&mut world) > 0, !back);
    }
}
