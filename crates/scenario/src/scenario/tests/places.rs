//! Generators of stations: where they lie, how they are called, and what is refused.

use backwater_sim::spec::{NodeKind, Routing, Spec};

use super::*;

const CHAIN: &str = r#"schema = "backwater/scenario/1"
duration = "1 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s" }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m" }
topology = { kind = "chain", stations = 4, spacing = "100 m", medium = "air", buffer = "50 packets" }
flows.f = { from = "s0", to = "s3", source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }
"#;

fn with(topology: &str) -> String {
    let line = CHAIN
        .lines()
        .find(|l| l.starts_with("topology"))
        .expect("the topology has a line");
    CHAIN.replace(
        line,
        &format!("topology = {{ {topology}, medium = \"air\" }}"),
    )
}

fn places(spec: &Spec) -> Vec<(&str, [f64; 2])> {
    let place = |n: &backwater_sim::spec::NodeSpec| match &n.kind {
        NodeKind::Station(radios) => Some(radios[0].at),
        NodeKind::Host { .. } | NodeKind::Switch(_) => None,
    };
    let nodes = spec.nodes.iter();
    nodes
        .filter_map(|n| place(n).map(|at| (n.name.as_str(), at)))
        .collect()
}

#[test]
fn a_chain_lies_in_a_row_and_its_packets_hop_along_it() {
    let resolved = read(CHAIN).unwrap();
    let spec = resolved.spec();
    let expected = [
        ("s0", [0.0, 0.0]),
        ("s1", [100.0, 0.0]),
        ("s2", [200.0, 0.0]),
        ("s3", [300.0, 0.0]),
    ];
    assert_eq!(places(&spec), expected);
    assert_eq!(spec.routing, Routing::Airtime);
    let world = resolved.build().unwrap();
    assert_eq!(
        world.network().flows[backwater_sim::table::Id::new(0)]
            .path
            .len(),
        3
    );
}

#[test]
fn a_grid_counts_rows_before_columns_and_begins_where_it_is_put() {
    let grid =
        "kind = \"grid\", rows = 2, columns = 3, spacing = \"50 m\", at = [\"-50 m\", \"10 m\"]";
    let text = with(grid)
        .replace("s3", "s1-2")
        .replace("\"s0\"", "\"s0-0\"");
    let spec = read(&text).unwrap().spec();
    let expected = [
        ("s0-0", [-50.0, 10.0]),
        ("s0-1", [0.0, 10.0]),
        ("s0-2", [50.0, 10.0]),
        ("s1-0", [-50.0, 60.0]),
        ("s1-1", [0.0, 60.0]),
        ("s1-2", [50.0, 60.0]),
    ];
    assert_eq!(places(&spec), expected);
}

const RANDOM: &str =
    "kind = \"random-grid\", stations = 12, rows = 4, columns = 4, spacing = \"60 m\"";

#[test]
fn random_places_are_points_of_the_grid_that_differ_and_follow_the_seed() {
    let scenario = Scenario::from_toml(with(RANDOM), "x.toml", Folders::default()).unwrap();
    let of = |seed| scenario.resolve(Some(seed)).unwrap().spec();
    for seed in 0..20 {
        let spec = of(seed);
        let found = places(&spec);
        assert_eq!(found.len(), 12);
        for (i, (_, at)) in found.iter().enumerate() {
            assert!(
                at.iter().all(|m| [0.0, 60.0, 120.0, 180.0].contains(m)),
                "{at:?}"
            );
            assert!(found[..i].iter().all(|(_, other)| other != at), "{at:?}");
        }
    }
    assert_eq!(places(&of(3)), places(&of(3)));
    assert_ne!(places(&of(3)), places(&of(4)));
    let fixed = with(&format!("{RANDOM}, seed = 9"));
    let fixed = Scenario::from_toml(fixed, "x.toml", Folders::default()).unwrap();
    let a = fixed.resolve(Some(3)).unwrap().canonical;
    assert_eq!(a, fixed.resolve(Some(4)).unwrap().canonical);
}

/// Each of 16 points is taken by 12 of 16 stations: 2000 draws, 1500 times with a deviation of 19.
#[test]
fn every_point_is_as_likely_as_the_others() {
    let scenario = Scenario::from_toml(with(RANDOM), "x.toml", Folders::default()).unwrap();
    let mut taken = std::collections::BTreeMap::<[u64; 2], u32>::new();
    for seed in 0..2000 {
        let spec = scenario.resolve(Some(seed)).unwrap().spec();
        for (_, at) in places(&spec) {
            *taken.entry(at.map(|m| m as u64)).or_default() += 1;
        }
    }
    assert_eq!(taken.len(), 16);
    assert!(taken.values().all(|n| n.abs_diff(1500) < 95), "{taken:?}");
}

/// Points beside written stations are free, those under them are not; and with `reach` a way leads from
/// any station to any other.
#[test]
fn random_places_leave_out_written_stations_and_join_all_if_asked() {
    let gateway =
        "nodes.G = { kind = \"station\", medium = \"air\", at = [\"60 m\", \"60 m\"] }\nduration";
    let all = with(&RANDOM.replace("stations = 12", "stations = 15")).replace("duration", gateway);
    let spec = read(&all).unwrap().spec();
    let at = places(&spec);
    assert_eq!((at.len(), at[0]), (16, ("G", [60.0, 60.0])));
    assert!(at[1..].iter().all(|(_, at)| *at != [60.0, 60.0]));
    // Seven stations seldom join within 60 m by themselves.
    let few = RANDOM.replace("stations = 12", "stations = 7");
    let text = with(&format!("{few}, reach = \"60 m\"")).replace("duration", gateway);
    let text = text.replace("\"s0\", to = \"s3\"", "\"s*\", to = \"G\"");
    let text = text.replace("transmit = \"100 m\"", "transmit = \"60 m\"");
    let build = |text: &str, seed| {
        let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
        scenario.resolve(Some(seed)).unwrap().build()
    };
    let apart = text.replace(", reach = \"60 m\"", "");
    assert!((0..20).any(|seed| build(&apart, seed).is_err()));
    for seed in 0..20 {
        build(&text, seed).unwrap_or_else(|d| panic!("{d}"));
    }
}

#[test]
fn bad_places_are_refused_with_the_fix() {
    let refused = |text: &str, what: &str, fix: &str| {
        let found = read(text).and_then(|r| r.build()).expect_err(text);
        assert!(found.what.contains(what), "{found}");
        assert!(found.fix.contains(fix), "{found}");
        assert!(found.line.is_some(), "{found}");
    };
    let spacing = |new: &str| CHAIN.replace("spacing = \"100 m\"", new);
    refused(&spacing("spacing = \"0 m\""), "too small", "0.01 m");
    refused(&spacing("spacing = \"-5 m\""), "too small", "0.01 m");
    refused(&spacing("spacing = 100"), "no unit", "100 m");
    refused(
        &spacing("at = [\"0 m\", \"0 m\"]"),
        "spacing",
        "write spacing",
    );
    refused(
        &CHAIN.replace("stations = 4", "stations = 0"),
        "too small",
        "1",
    );
    refused(
        &CHAIN.replace("medium = \"air\", ", ""),
        "medium",
        "write medium",
    );
    refused(
        &CHAIN.replace("\"air\", ", "\"ether\", "),
        "no medium",
        "air",
    );
    refused(&CHAIN.replace("stations", "hosts"), "hosts", "stations");
    refused(&spacing("spacing = \"150 m\""), "out of reach", "closer");
    refused(
        &with(&RANDOM.replace("12", "17")),
        "17 stations do not fit the 16",
        "fewer",
    );
    refused(
        &with(
            &RANDOM
                .replace("rows = 4", "rows = 1000")
                .replace("columns = 4", "columns = 1000"),
        ),
        "1000000 points",
        "spacing",
    );
    refused(
        &with(&format!("{RANDOM}, reach = \"59 m\"")),
        "none joins",
        "longer",
    );
    let overlap =
        "nodes.X = { kind = \"station\", medium = \"air\", at = [\"100 m\", \"0 m\"] }\nduration";
    refused(
        &CHAIN.replace("duration", overlap),
        "lies where",
        "another place",
    );
    let named = overlap.replace("nodes.X", "nodes.s1");
    refused(
        &CHAIN.replace("duration", &named),
        "already generates a node `s1`",
        "another name",
    );
}

/// Gateways at either end of a row: each station sends to the nearer one, along its tree.
#[test]
fn stations_send_to_the_gateway_that_routing_finds_nearest() {
    let gateways = "nodes.G1 = { kind = \"station\", medium = \"air\", at = [\"-100 m\", \"0 m\"] }
nodes.G2 = { kind = \"station\", medium = \"air\", at = [\"700 m\", \"0 m\"] }
routing = { kind = \"airtime-tree\", roots = [\"G1\", \"G2\"] }
duration";
    let text = CHAIN
        .replace("stations = 4", "stations = 7")
        .replace("duration", gateways)
        .replace(
            "from = \"s0\", to = \"s3\"",
            "from = \"s*\", to = \"G*\", pattern = \"nearest\"",
        );
    let text = text.replace("\"700 m\"", "\"650 m\"");
    let world = read(&text).unwrap().build().unwrap();
    let last =
        |flow: &backwater_sim::network::Flow| world.network().ports[*flow.path.last().unwrap()].far;
    let found: Vec<(usize, &str)> = world
        .network()
        .flows
        .iter()
        .map(|f| (f.path.len(), world.network().nodes[last(f)].name.as_str()))
        .collect();
    // s6 lies 50 m from G2.
    let expected = [
        (1, "G1"),
        (2, "G1"),
        (3, "G1"),
        (4, "G1"),
        (3, "G2"),
        (2, "G2"),
        (1, "G2"),
    ];
    assert_eq!(found.len(), 7);
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        // s3 has four hops either way.
        assert!(i == 3 || *found == expected, "s{i}: {found:?}");
    }
    let apart = text
        .replace("\"650 m\"", "\"900 m\"")
        .replace("\"-100 m\"", "\"-200 m\"");
    let refusal = read(&apart).unwrap().build().unwrap_err();
    assert!(refusal.what.contains("no route leads from s0"), "{refusal}");
}
