//! Every controller as a stream over every queue, and as datagrams over the first, from the tables: bytes
//! get through, books balance, and a run is a function of scenario and seed.

use backwater_scenario::{Folders, Scenario};
use backwater_sim::queue::QUEUES;
use backwater_sim::world::{Report, World};
use backwater_transport::controller::CONTROLLERS;

fn world(controller: &str, transport: &str, queue: &str) -> World {
    let buffer = match queue {
        "infinite" => "",
        _ => r#", buffer = "60 packets""#,
    };
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "2 s"
nodes.S = {{ kind = "host" }}
nodes.X = {{ kind = "host" }}
nodes.L = {{ kind = "switch" }}
nodes.D = {{ kind = "host" }}
links.a = {{ ends = ["S", "L"], rate = "100 Mbit/s", delay = "1 ms" }}
links.x = {{ ends = ["X", "L"], rate = "100 Mbit/s", delay = "1 ms" }}
links.b = {{ ends = ["L", "D"], rate = "10 Mbit/s", delay = "9 ms" }}
ports."L>D" = {{ queue = {{ kind = "{queue}" }}{buffer} }}
flows.f = {{ from = "S", to = "D", transport = "{transport}", controller = {{ kind = "{controller}" }}, source = {{ kind = "bulk" }} }}
flows.x = {{ from = "X", to = "D", ecn = "ect0", source = {{ kind = "exponential-on-off", packet = "1500 B", rate = "4 Mbit/s", on = "100 ms", off = "100 ms" }} }}
"#
    );
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
    let resolved = scenario.resolve(None).unwrap_or_else(|d| panic!("{d}"));
    resolved.build().unwrap_or_else(|d| panic!("{d}"))
}

fn finished(mut world: World) -> Report {
    world.advance(world.end());
    world.report()
}

#[test]
fn every_controller_gets_bytes_through_every_queue() {
    for controller in CONTROLLERS {
        for (transport, queues) in [("tcp", QUEUES), ("datagram", &QUEUES[..1])] {
            for queue in queues {
                let what = format!("{} {transport} {}", controller.id, queue.id);
                let make = || world(controller.id, transport, queue.id);
                let one = finished(make());
                assert!(one.conserved, "{what}");
                // The line takes 813 a second.
                let delivered = one.flows[0].sums.delivered.packets;
                assert!(delivered > 60, "{what}: {delivered}");
                let mut unfused = make();
                unfused.unfuse();
                assert_eq!(finished(unfused).fingerprint, one.fingerprint, "{what}");
            }
        }
    }
}
