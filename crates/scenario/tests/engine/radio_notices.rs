//! Notices to sources and signals of receivers that leave over a radio, their class, and the frames of a card.

use backwater_sim::network::Role;

use crate::net::*;

/// A cell of one station behind wires of 5 Mbit/s, and a queue pair that begins at 100 Mbit/s.
fn cell(from: &str, to: &str, port: &str, controller: &str) -> String {
    format!(
        r#"
duration = "300 ms"
media.air.phy = {{ standard = "802.11n", mcs = 7, width = "20 MHz" }}
media.air.channel = {{ model = "disc", transmit = "100 m" }}
topology = {{ kind = "wlan", medium = "air", stations = 1, wire_rate = "5 Mbit/s", wire_delay = "0 s", buffer = "2000 packets" }}
{port}
flows.f = {{ from = "{from}", to = "{to}", packet = "1030 B", transport = "roce", nic = "push", {controller}, source = {{ kind = "bulk" }} }}
"#
    )
}

/// A source behind a radio that is told of congestion at a wire sends more slowly than it began: 100 Mbit/s for 300 ms would be 3,640 packets. What tells it
/// goes over the radio, and is not lost.
#[test]
fn a_source_is_told_over_a_radio_to_slow_down() {
    let qcn = r#"ports."AP>R" = { queue = { kind = "qcn", jitter = "0 %" }, buffer = "2 MB" }"#;
    let told = r#"cnp = "off", controller = { kind = "qcn", rate = "100 Mbit/s" }"#;
    let report = run(&cell("s1", "d1", qcn, told));
    assert!(report.delivered > 10);
    let sent = report.connections[0].segments;
    assert!(sent < 2_500, "{sent}");
}

/// Packets that come with marks at a station, each 1.7 ms after the one before: an acknowledgement and a notification go over the radio for each, and none of
/// them is lost. Some may be under way.
#[test]
fn a_station_tells_of_marks_over_its_radio() {
    let ramp = r#"ports."d1>R" = { queue = { kind = "ecn-ramp", min = "1 kB", max = "2 kB", top = "100 %" }, buffer = "2 MB" }"#;
    let marked = r#"controller = { kind = "dcqcn", rate = "100 Mbit/s" }"#;
    let mut world = built(&cell("d1", "s1", ramp, marked));
    let report = finished(&mut world);
    let radio = port(&world, "s1>AP");
    let row = report.ports.iter().find(|row| row.port == radio);
    let sent = row.expect("a radio").count.packets;
    let came = report.flows[0].sums.delivered.packets;
    assert!(came > 100 && sent.abs_diff(2 * came) < 8, "{sent} {came}");
}

/// Notices have a class of their own. The acknowledgements of the flow keep theirs.
#[test]
fn acknowledgements_keep_their_class_when_notices_have_left() {
    let mut world = built(
        r#"
duration = "6 ms"
nodes = { A = { kind = "host" }, B = { kind = "host" }, W = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["A", "W"], rate = "10 Gbit/s", delay = "1 us" }
links.b = { ends = ["B", "W"], rate = "10 Gbit/s", delay = "1 us" }
links.d = { ends = ["W", "D"], rate = "10 Gbit/s", delay = "1 us" }
ports."*" = { queue = { kind = "strict-priority", classes = 2 }, buffer = "2 MB" }
ports."W>D" = { queue = { kind = "qcn", jitter = "0 %", classes = 2 } }
flows.f = { from = "A", to = "D", packet = "1482 B", transport = "roce", cnp = "off", ack_class = 0, cnp_class = 1, controller = { kind = "qcn", rate = "10 Gbit/s" }, source = { kind = "bulk" } }
flows.g = { from = "B", to = "D", packet = "1482 B", transport = "roce", cnp = "off", ack_class = 0, cnp_class = 1, controller = { kind = "qcn", rate = "10 Gbit/s" }, source = { kind = "bulk" } }
"#,
    );
    let report = finished(&mut world);
    assert!(report.ports.iter().any(|port| port.count.notices > 0));
    let flows = world.network().flows.iter();
    let acks: Vec<u8> = flows
        .filter(|flow| matches!(flow.role, Role::Acks(_)))
        .map(|flow| flow.class)
        .collect();
    assert_eq!(acks, [0, 0]);
}

/// A card that asks to stop from 1 ms on asks again after 32,767 quanta of 512 bits, 16.776704 ms at 1 Gbit/s (IEEE 802.3, 31B). A run that ends at that instant
/// has that notice, and one that ends before has one.
#[test]
fn a_card_asks_again_at_the_last_instant_of_a_run() {
    for (ns, asked) in [(17_776_704, 2), (17_776_703, 1)] {
        let report = run(&format!(
            r#"
duration = "{ns} ns"
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "B"], rate = "1 Gbit/s", delay = "0 s" }}
events.storm = {{ kind = "storm", links = ["b"], at = "1 ms" }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s", phase = "start" }} }}
"#
        ));
        assert_eq!(report.control, asked);
    }
}
