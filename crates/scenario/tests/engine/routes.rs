//! Routes: which of equal ways, the tree of an access network, and links without a line rate.

use backwater_sim::world::World;

use crate::net::*;

/// The ports that packets of each flow pass.
fn ways(world: &World) -> Vec<Vec<String>> {
    let network = world.network();
    let flows = network.flows.iter();
    let name = |id| network.ports[id].more.name.clone();
    flows
        .map(|flow| flow.path.iter().map(|id| name(*id)).collect())
        .collect()
}

/// Two ways of three links from A to B. Without equal-cost routing all flows take one, that by the first port of W; with it they take both.
#[test]
fn shortest_paths_use_one_of_two_equal_ways() {
    let text = |kind: &str| {
        let flows: String = (0..12)
            .map(|n| format!("flows.f{n} = {{ from = \"A\", to = \"B\", source = {{ kind = \"cbr\", packet = \"1000 B\", rate = \"80 kbit/s\" }} }}\n"))
            .collect();
        format!(
            r#"
duration = "10 ms"
routing = {{ kind = "{kind}" }}
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, U = {{ kind = "switch" }}, V = {{ kind = "switch" }}, X = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "U"], rate = "1 Gbit/s", delay = "0 s" }}
links.c = {{ ends = ["W", "V"], rate = "1 Gbit/s", delay = "0 s" }}
links.d = {{ ends = ["U", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.e = {{ ends = ["V", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.f = {{ ends = ["X", "B"], rate = "1 Gbit/s", delay = "0 s" }}
{flows}
"#
        )
    };
    let over = |kind: &str| {
        let ways = ways(&built(&text(kind)));
        let first = |way: &&Vec<String>| way[1] == "W>U";
        (ways.iter().filter(first).count(), ways.len())
    };
    assert_eq!(over("shortest-path"), (12, 12));
    let (first, all) = over("ecmp");
    assert!(0 < first && first < all, "{first}");
}

/// Stations A and B hear each other and the root G. In a tree of least airtime their packets go over G; else they go straight.
#[test]
fn packets_in_a_tree_go_over_the_root() {
    let text = |routing: &str| {
        format!(
            r#"
duration = "50 ms"
routing = {{ {routing} }}
media.air = {{ phy = {{ standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }}, mac = {{ access = "dcf" }}, channel = {{ model = "disc", transmit = "100 m" }} }}
nodes.G = {{ kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }}
nodes.A = {{ kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "30 packets" }}
nodes.B = {{ kind = "station", medium = "air", at = ["-40 m", "0 m"], buffer = "30 packets" }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1000 B", rate = "80 kbit/s" }} }}
"#
        )
    };
    let tree = ways(&built(&text(r#"kind = "airtime-tree", roots = ["G"]"#)));
    assert_eq!(tree, [["A>G", "G>B"]]);
    let straight = ways(&built(&text(r#"kind = "airtime""#)));
    assert_eq!(straight, [["A>B"]]);
}

/// A trace of 10 Mbit/s has the airtime of a line of that rate: 840 us for a test frame of 8192 bits with header, FCS and preamble, give or take one
/// opportunity in 20 ms. So the way over it is shorter than one with a delay of 900 us, and longer than one of 780 us.
#[test]
fn the_airtime_of_a_trace_is_that_of_its_mean_rate() {
    let second = |delay: &str| {
        let world = built(&format!(
            r#"
duration = "200 ms"
routing = {{ kind = "airtime" }}
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, U = {{ kind = "switch" }}, V = {{ kind = "switch" }}, X = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.slow = {{ from = "W", to = "U", kind = "trace", delay = "0 s", trace = {{ kind = "constant", rate = "10 Mbit/s" }} }}
links.back = {{ from = "U", to = "W", rate = "1 Gbit/s", delay = "0 s" }}
links.far = {{ ends = ["W", "V"], rate = "1 Gbit/s", delay = "{delay}" }}
links.d = {{ ends = ["U", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.e = {{ ends = ["V", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.f = {{ ends = ["X", "B"], rate = "1 Gbit/s", delay = "0 s" }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1000 B", rate = "80 kbit/s" }} }}
"#
        ));
        ways(&world)[0][1].clone()
    };
    assert_eq!(second("780 us"), "W>V");
    assert_eq!(second("900 us"), "W>U");
}

/// A mechanism that tells its neighbours and one that moves nothing but its own station: both find somebody to tell, and the second sends no notice.
#[test]
fn a_mechanism_that_tells_nobody_else_issues_nothing() {
    let text = |recipe: &str| {
        format!(
            r#"
duration = "500 ms"
routing = {{ kind = "airtime" }}
media.air = {{ phy = {{ standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }}, mac = {{ access = "edca" }}, channel = {{ model = "disc", transmit = "100 m", sense = "190 m" }} }}
nodes.S = {{ kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }}
nodes.R = {{ kind = "station", medium = "air", at = ["90 m", "0 m"], buffer = "30 packets" }}
nodes.D = {{ kind = "station", medium = "air", at = ["180 m", "0 m"], buffer = "30 packets" }}
mechanisms.m = {{ recipe = "{recipe}", at = ["*"] }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" }} }}
"#
        )
    };
    for (recipe, tells) in [("lscc", true), ("ez-flow", false)] {
        let report = run(&text(recipe));
        let hearing = &report.hearing[0];
        assert_eq!(hearing.tells, tells, "{recipe}");
        assert_eq!(hearing.issued > 0, tells, "{recipe}");
    }
}

/// Where no route leads, the refusal says where it ends, if that is not where it begins, and what joins the two: stations of two kinds of link are
/// joined by links.
#[test]
fn a_missing_route_is_told_with_its_end() {
    let wires = |more: &str| {
        refused(&format!(
            r#"
duration = "1 ms"
routing = {{ kind = "shortest-path" }}
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, V = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["V", "B"], rate = "1 Gbit/s", delay = "0 s" }}
{more}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" }} }}
"#
        ))
    };
    let one = wires("");
    assert!(
        one.contains("no route leads from A to B: it ends at W"),
        "{one}"
    );
    // A host with two wires chooses itself, and finds none.
    let two = wires(r#"links.c = { ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }"#);
    assert!(two.contains("no route leads from A to B"), "{two}");
    assert!(!two.contains("it ends at"), "{two}");
    let air = r#"
duration = "1 ms"
routing = { ROUTING }
media.air = { phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }, mac = { access = "dcf" }, channel = { model = "disc", transmit = "100 m" } }
nodes.S = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }
nodes.T = { kind = "station", medium = "air", at = ["9 m", "0 m"], buffer = "30 packets" }
nodes.H = { kind = "host" }
nodes.W = { kind = "switch" }
links.a = { ends = ["H", "W"], rate = "1 Gbit/s", delay = "0 s" }
flows.f = { from = "S", to = "GOAL", source = { kind = "cbr", packet = "1000 B", rate = "80 kbit/s" } }
"#;
    let airtime = air.replace("ROUTING", "kind = \"airtime\"");
    let mixed = refused(&airtime.replace("GOAL", "H"));
    assert!(mixed.contains("join them by links"), "{mixed}");
    assert_eq!(refused(&airtime.replace("GOAL", "T")), "");
    // The roots of a tree are stations.
    let tree = air.replace("GOAL", "T");
    let with = |roots: &str| {
        refused(&tree.replace(
            "ROUTING",
            &format!("kind = \"airtime-tree\", roots = [{roots}]"),
        ))
    };
    assert_eq!(with(r#""S""#), "");
    assert!(
        with(r#""H""#).contains("the roots of a tree are stations"),
        "{}",
        with(r#""H""#)
    );
}

/// A flow keeps its way, so that it has to fit that alone, unless a wire may go down: then it has to fit the other way too. A wire that only
/// slows down leaves it where it is.
#[test]
fn packets_that_may_leave_their_way_fit_the_other() {
    let down = r#"events.e = { kind = "down", links = ["d"], at = "100 us" }"#;
    let slow = r#"events.e = { kind = "rate", links = ["d"], at = "100 us", rate = "1 Mbit/s" }"#;
    let flow = r#"flows.f = { from = "A", to = "B", packet = "983 B", source = { kind = "cbr", packet = "983 B", rate = "8 Mbit/s" } }"#;
    let both = |event: &str| {
        let more = format!("{event}\n{flow}");
        ["y", "z"].map(|narrow| refused_for(narrow, &more))
    };
    assert_eq!(both(down), [true, true]);
    for event in ["", slow] {
        let [y, z] = both(event);
        assert!(y != z, "{event}");
    }
}
