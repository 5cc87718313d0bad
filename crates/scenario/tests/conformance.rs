//! Every controller as a stream over every queue, and as datagrams over the first, from the tables: bytes
//! get through, books balance, and a run is a function of scenario and seed.

use backwater_scenario::{Folders, Scenario};
use backwater_sim::queue::QUEUES;
use backwater_sim::world::{Report, World};
use backwater_transport::controller::{Build, CONTROLLERS};
use backwater_transport::part::Part;

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
    build(&text)
}

/// The same over a cellular link that swings between outage and 10 Mbit/s, the acknowledgements over a
/// steady one; nothing is ever dropped but by the queue.
fn cellular(controller: &str, transport: &str, queue: &str) -> World {
    let buffer = match queue {
        "infinite" => "",
        _ => r#", buffer = "60 packets""#,
    };
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "4 s"
nodes.S = {{ kind = "host" }}
nodes.D = {{ kind = "host" }}
links.down = {{ from = "S", to = "D", kind = "trace", trace = {{ kind = "cox", peak = "10 Mbit/s", volatility = "3 Mbit/s", outage = "300 ms" }}, emulator = "cellsim-2013", delay = "20 ms", queue = {{ kind = "{queue}" }}{buffer} }}
links.up = {{ from = "D", to = "S", kind = "trace", trace = {{ kind = "constant", rate = "5 Mbit/s" }}, emulator = "cellsim-2013", delay = "20 ms", queue = {{ kind = "infinite" }} }}
flows.f = {{ from = "S", to = "D", transport = "{transport}", controller = {{ kind = "{controller}" }}, source = {{ kind = "bulk" }} }}
"#
    );
    build(&text)
}

fn build(text: &str) -> World {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
    let resolved = scenario.resolve(None).unwrap_or_else(|d| panic!("{d}"));
    resolved.build().unwrap_or_else(|d| panic!("{d}"))
}

/// A transfer of a megabyte over 10 Mbit/s and a queue of twenty packets, and then nothing.
fn transfer(controller: &str) -> World {
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "60 s"
nodes.S = {{ kind = "host" }}
nodes.D = {{ kind = "host" }}
links.a = {{ ends = ["S", "D"], rate = "10 Mbit/s", delay = "10 ms" }}
ports."S>D" = {{ queue = {{ kind = "droptail" }}, buffer = "20 packets" }}
flows.f = {{ from = "S", to = "D", transport = "tcp", controller = {{ kind = "{controller}" }}, source = {{ kind = "bulk", size = "1 MB" }} }}
"#
    );
    build(&text)
}

/// A flow for 20 s over an endless queue of 10 Mbit/s, 40 ms of propagation both ways.
fn endless(controller: &str) -> World {
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "20 s"
nodes.S = {{ kind = "host" }}
nodes.D = {{ kind = "host" }}
links.a = {{ ends = ["S", "D"], rate = "10 Mbit/s", delay = "20 ms" }}
ports."S>D" = {{ queue = {{ kind = "infinite" }} }}
flows.f = {{ from = "S", to = "D", transport = "datagram", controller = {{ kind = "{controller}" }}, source = {{ kind = "bulk" }} }}
"#
    );
    build(&text)
}

/// Controllers that answer losses. One of RDMA is for lossless networks and has a transport of its own.
fn of_lossy_networks() -> impl Iterator<Item = &'static Part<Build>> {
    CONTROLLERS.iter().filter(|part| {
        ![
            "qcn", "dcqcn", "hpcc", "timely", "powertcp", "swift", "nscc",
        ]
        .contains(&part.id)
    })
}

fn finished(mut world: World) -> Report {
    world.advance(world.end());
    world.report()
}

#[test]
fn every_controller_gets_bytes_through_every_queue() {
    for controller in of_lossy_networks() {
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

#[test]
fn every_controller_gets_bytes_through_every_queue_of_a_cellular_link() {
    for controller in of_lossy_networks() {
        for queue in QUEUES {
            for transport in ["tcp", "datagram"] {
                let what = format!("{} {transport} {}", controller.id, queue.id);
                let report = finished(cellular(controller.id, transport, queue.id));
                assert!(report.conserved, "{what}");
                let delivered = report.flows[0].sums.delivered.packets;
                assert!(delivered > 20, "{what}: {delivered}");
            }
        }
    }
}

#[test]
fn every_controller_ends_a_transfer() {
    for controller in of_lossy_networks() {
        let report = finished(transfer(controller.id));
        assert!(report.conserved && report.held == 0, "{}", controller.id);
        // A million bytes are 691 segments of 1448, and whatever was lost was sent again.
        let sums = &report.flows[0].sums;
        assert!(sums.delivered.packets >= 691, "{}", controller.id);
        let transfers = report.connections[0].stats.completed;
        assert_eq!(transfers, 1, "{}", controller.id);
    }
}

/// Those that wait for a loss, a mark or a router's word, which never comes here.
const NEVER_TOLD: &[&str] = &[
    "reno", "newreno", "cubic", "westwood", "dctcp", "prague", "abc", "vcp",
];

/// Where nothing is dropped or marked only delay or a model of the path holds a window back. All that
/// look at either keep the queue below a second, most far below.
#[test]
fn only_those_that_wait_for_losses_fill_an_endless_queue() {
    for controller in of_lossy_networks() {
        let report = finished(endless(controller.id));
        let longest = report.flows[0].sums.max as f64 * 1e-12;
        let fills = longest > 1.0;
        let expected = NEVER_TOLD.contains(&controller.id);
        assert_eq!(fills, expected, "{}: {longest} s", controller.id);
    }
}
