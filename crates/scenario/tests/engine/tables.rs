//! Forwarding tables: to whom routes lead, over which kind of link, and by which table switches forward after the events of wires.

use backwater_sim::record::What;
use backwater_sim::world::{Rejected, World};

use crate::net::*;
use crate::outside::inject;

const AIR: &str = r#"media.air = { phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }, mac = { access = "dcf" }, channel = { model = "disc", transmit = "100 m" } }"#;

fn station(name: &str, x: i32) -> String {
    format!(
        "nodes.{name} = {{ kind = \"station\", medium = \"air\", at = [\"{x} m\", \"0 m\"], buffer = \"30 packets\" }}\n"
    )
}

fn cbr(name: &str, from: &str, to: &str) -> String {
    format!(
        "flows.{name} = {{ from = \"{from}\", to = \"{to}\", source = {{ kind = \"cbr\", packet = \"1000 B\", rate = \"80 kbit/s\" }} }}\n"
    )
}

/// The ports that packets of the first flow pass.
fn way(world: &World) -> Vec<&str> {
    let network = world.network();
    let first = network.flows.iter().next().expect("a flow");
    let names = first
        .path
        .iter()
        .map(|id| network.ports[*id].more.name.as_str());
    names.collect()
}

/// Two ways from W to V: a wire, and over U. A packet of 1000 B takes 8.208 us on each wire of 1 Gbit/s. The events are those of the wires of W.
fn two_ways(at_us: &str, events: &str) -> String {
    format!(
        r#"
duration = "20 ms"
routing = {{ kind = "shortest-path" }}
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, W = {{ kind = "switch" }}, U = {{ kind = "switch" }}, V = {{ kind = "switch" }} }}
links.in = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.short = {{ ends = ["W", "V"], rate = "1 Gbit/s", delay = "0 s" }}
links.wu = {{ ends = ["W", "U"], rate = "1 Gbit/s", delay = "0 s" }}
links.uv = {{ ends = ["U", "V"], rate = "1 Gbit/s", delay = "0 s" }}
links.out = {{ ends = ["V", "B"], rate = "1 Gbit/s", delay = "0 s" }}
{events}
flows.f = {{ from = "A", to = "B", packet = "1000 B", source = {{ kind = "packet-list", at_us = [{at_us}], bytes = [1000] }} }}
"#
    )
}

/// Switches know that a wire is back as long after it is as they knew that it was down. From then on they send over it again.
#[test]
fn packets_go_over_a_wire_again_that_is_back() {
    let cut = r#"events.cut = { kind = "down", links = ["short"], at = "1 ms", until = "5 ms", converge = "1 ms" }"#;
    let (_, records, _) = recorded(&two_ways("0, 3000, 8000", cut));
    let hop = 8_208_000;
    let delivered = instants(&records, What::Deliver, 0, None);
    assert_eq!(delivered, [3 * hop, 3 * MS + 4 * hop, 8 * MS + 3 * hop]);
}

/// Where both ways are down the table is that without events: packets are lost before the wire of the shortest way.
#[test]
fn where_no_way_is_left_the_first_table_stays() {
    let events = r#"events.a = { kind = "down", links = ["short"], at = "1 ms", converge = "1 ms" }
events.b = { kind = "down", links = ["wu"], at = "4 ms", converge = "1 ms" }"#;
    let (report, _, world) = recorded(&two_ways("0, 3000, 7000", events));
    assert_eq!(report.flows[0].sums.delivered.packets, 2);
    let lost: Vec<_> = report
        .drops
        .iter()
        .map(|row| (row.key.1, row.count.packets))
        .collect();
    assert_eq!(lost, [(port(&world, "W>V"), 1)]);
}

/// A flow that draws among others never sends to its own host, so no route leads there unless another flow draws that one.
#[test]
fn routes_lead_to_who_may_be_drawn() {
    let text = |more: &str| {
        format!(
            r#"
duration = "1 ms"
nodes = {{ S = {{ kind = "host" }}, X = {{ kind = "switch" }}, D = {{ kind = "host" }}, E = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["D", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.c = {{ ends = ["E", "X"], rate = "1 Gbit/s", delay = "0 s" }}
flows.f = {{ from = "S", to = "*", pattern = "random", source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" }} }}
{more}"#
        )
    };
    let mut one = built(&text(""));
    assert!(inject(&mut one, ["D", "E"], 0, 700).is_ok());
    let back = inject(&mut one, ["D", "S"], 0, 700);
    assert_eq!(back, Err(Rejected::NoRoute("D".into(), "S".into())));
    let second = r#"flows.g = { from = "D", to = "*", pattern = "random", source = { kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" } }"#;
    let mut two = built(&text(second));
    for pair in [["D", "S"], ["S", "D"], ["D", "E"]] {
        assert!(inject(&mut two, pair, 0, 700).is_ok(), "{pair:?}");
    }
}

/// Radio hops are made where packets of flows pass: over R by a written route, and none by the shortest one.
#[test]
fn a_written_route_makes_its_own_hops_alone() {
    let stations = station("A", 0) + &station("R", 40) + &station("B", 80);
    let text = |route: &str| {
        format!(
            "duration = \"10 ms\"\nrouting = {{ kind = \"airtime\" }}\n{AIR}\n{stations}{}{route}",
            cbr("f", "A", "B")
        )
    };
    let hops = |route: &str| {
        let world = built(&text(route));
        let mut names: Vec<String> = world
            .network()
            .ports
            .iter()
            .map(|p| p.more.name.clone())
            .collect();
        names.sort();
        names
    };
    assert_eq!(hops(""), ["A>B"]);
    assert_eq!(hops("routes.f = [\"A\", \"R\", \"B\"]\n"), ["A>R", "R>B"]);
}

/// Wires in a ring need a rule where packets go over them, and none where all flows go from one station to another.
#[test]
fn a_ring_of_wires_that_no_flow_uses_needs_no_rule() {
    let text = |more: &str| {
        let stations = station("S", 0) + &station("T", 50);
        format!(
            r#"
duration = "1 ms"
{AIR}
{stations}
nodes.A = {{ kind = "host" }}
nodes.B = {{ kind = "host" }}
nodes.U = {{ kind = "switch" }}
nodes.V = {{ kind = "switch" }}
nodes.W = {{ kind = "switch" }}
links.a = {{ ends = ["A", "U"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["B", "V"], rate = "1 Gbit/s", delay = "0 s" }}
links.c = {{ ends = ["U", "V"], rate = "1 Gbit/s", delay = "0 s" }}
links.d = {{ ends = ["V", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.e = {{ ends = ["W", "U"], rate = "1 Gbit/s", delay = "0 s" }}
{}{more}"#,
            cbr("f", "S", "T")
        )
    };
    assert_eq!(refused(&text("")), "");
    let said = refused(&text(&cbr("g", "A", "B")));
    assert!(said.contains("the links form a loop"), "{said}");
}

/// Packets go over the other wire of their host when one of the two is known to be down, and must find a queue of their class there.
#[test]
fn packets_of_a_host_with_two_wires_fit_both() {
    for (cut, narrow) in [("b", "U>X"), ("a", "V>X")] {
        let said = refused(&format!(
            r#"
duration = "1 ms"
routing = {{ kind = "ecmp" }}
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, U = {{ kind = "switch" }}, V = {{ kind = "switch" }}, X = {{ kind = "switch" }} }}
links.a = {{ ends = ["A", "U"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["A", "V"], rate = "1 Gbit/s", delay = "0 s" }}
links.c = {{ ends = ["U", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.d = {{ ends = ["V", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.e = {{ ends = ["X", "B"], rate = "1 Gbit/s", delay = "0 s" }}
ports."{narrow}" = {{ queue = {{ kind = "strict-priority", classes = 2 }} }}
events.cut = {{ kind = "down", links = ["{cut}"], at = "100 us", converge = "100 us" }}
flows.f = {{ from = "A", to = "B", class = 2, source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" }} }}
"#
        ));
        assert!(
            said.contains(&format!("class 2 has no queue at {narrow}")),
            "{said}"
        );
    }
}

/// Links count alike, on the air and of wire: one radio hop is shorter than two wires, and of two and two the wires come first.
#[test]
fn a_radio_hop_counts_as_a_wire() {
    let with = |far: i32| {
        let stations = station("A", 0) + &station("R", 60) + &station("B", far);
        built(&format!(
            r#"
duration = "10 ms"
routing = {{ kind = "shortest-path" }}
{AIR}
{stations}
nodes.W = {{ kind = "switch" }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "B"], rate = "1 Gbit/s", delay = "0 s" }}
{}"#,
            cbr("f", "A", "B")
        ))
    };
    assert_eq!(way(&with(90)), ["A>B"]);
    assert_eq!(way(&with(120)), ["A>W", "W>B"]);
}

/// A station that wires lead to the root faster than the air is its own parent. So the radio link to it is none of the tree, though the wire from
/// the root to it takes longer than that would.
#[test]
fn a_tree_has_no_radio_link_to_who_has_a_faster_wire() {
    let with = |up: &str| {
        let stations = station("G", 0) + &station("A", 50);
        built(&format!(
            r#"
duration = "10 ms"
routing = {{ kind = "airtime-tree", roots = ["G"] }}
{AIR}
{stations}
nodes.W = {{ kind = "switch" }}
links.g = {{ ends = ["G", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.up = {{ from = "A", to = "W", rate = "1 Gbit/s", delay = "{up}" }}
links.down = {{ from = "W", to = "A", rate = "1 Gbit/s", delay = "100 ms" }}
{}"#,
            cbr("f", "G", "A")
        ))
    };
    assert_eq!(way(&with("0 s")), ["G>W", "W>A"]);
    assert_eq!(way(&with("100 ms")), ["G>A"]);
}

/// A test frame of 1024 B at 11 Mbit/s takes 192 us of preamble, 771 us with the 36 B of its headers, a SIFS of 10 us and an ACK of 304 us: 1277 us. Over
/// two wires of 1 Gbit/s it takes 8.4 us each, with header, FCS and preamble, and their delay.
#[test]
fn the_airtime_of_a_radio_hop_is_that_of_its_exchange() {
    let with = |delay: &str| {
        let stations = station("A", 0) + &station("B", 50);
        built(&format!(
            r#"
duration = "10 ms"
routing = {{ kind = "airtime" }}
{AIR}
{stations}
nodes.W = {{ kind = "switch" }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "B"], rate = "1 Gbit/s", delay = "{delay}" }}
{}"#,
            cbr("f", "A", "B")
        ))
    };
    assert_eq!(way(&with("1250 us")), ["A>W", "W>B"]);
    assert_eq!(way(&with("1270 us")), ["A>B"]);
}
