//! Fat trees, rings, and patterns of hosts.

use super::*;

pub(super) const FAT_TREE: &str = r#"schema = "backwater/scenario/1"
duration = "1 ms"
topology = { kind = "fat-tree", k = 4, rate = "10 Gbit/s", delay = "500 ns" }
flows.r = { from = "h*", to = "h*", pattern = "random", source = { kind = "poisson", packet = "1500 B", rate = "5 Gbit/s" } }
flows.p = { from = "h*", to = "h*", pattern = "permutation", source = { kind = "poisson", packet = "1500 B", rate = "5 Gbit/s" } }
flows.i = { from = "h1*", to = "h10", source = { kind = "poisson", packet = "1500 B", rate = "1 Gbit/s" } }
"#;

/// Three hosts, each to the two others: six flows, with both ends in their names.
#[test]
fn a_flow_may_go_from_all_to_all() {
    let text = r#"schema = "backwater/scenario/1"
duration = "1 ms"
topology = { kind = "star", hosts = 2, rate = "10 Gbit/s", delay = "1 us", bottleneck = "10 Gbit/s" }
flows.a = { from = "*", to = "*", pattern = "all", source = { kind = "workload", rate = "1 Gbit/s", sizes = "storage" } }
"#;
    let spec = read(text).unwrap().spec();
    let names: Vec<&str> = spec.flows.iter().map(|f| f.name.as_str()).collect();
    let pairs = ["D/h1", "D/h2", "h1/D", "h1/h2", "h2/D", "h2/h1"];
    assert_eq!(names, pairs.map(|pair| format!("a/{pair}")));
    for flow in &spec.flows {
        let Destination::Node(to) = flow.to else {
            panic!("one receiver");
        };
        let ends = [flow.from, to].map(|node| spec.nodes[node].name.as_str());
        assert_eq!(flow.name, format!("a/{}/{}", ends[0], ends[1]));
    }
}

/// Three leaves of four hosts and two spines: 12 links of hosts and 6 above.
#[test]
fn a_leaf_spine_network_joins_each_leaf_to_each_spine() {
    let text = r#"schema = "backwater/scenario/1"
duration = "1 ms"
topology = { kind = "leaf-spine", leaves = 3, spines = 2, hosts = 4, rate = "25 Gbit/s", delay = "1 us", up_rate = "100 Gbit/s" }
flows.p = { from = "h*", to = "h*", pattern = "permutation", source = { kind = "poisson", packet = "1500 B", rate = "5 Gbit/s" } }
"#;
    let spec = read(text).unwrap().spec();
    let gigabits = |rate: u64| {
        let links = spec.links.iter();
        links.filter(|l| l.rate.0 == rate * 1_000_000_000).count()
    };
    assert_eq!((gigabits(25), gigabits(100), spec.links.len()), (12, 6, 18));
    assert_eq!(spec.routing, Routing::Ecmp);
    let up: Vec<&str> = spec
        .links
        .iter()
        .map(|l| l.name.as_str())
        .filter(|n| n.starts_with('l'))
        .collect();
    assert_eq!(up, ["l0-s0", "l0-s1", "l1-s0", "l1-s1", "l2-s0", "l2-s1"]);
}

/// Four hosts at each edge switch of k = 4 instead of two, and a rate for each tier.
#[test]
fn tiers_of_a_fat_tree_have_rates_of_their_own() {
    let text = FAT_TREE.replace(
        "k = 4,",
        r#"k = 4, hosts = 4, up_rate = "40 Gbit/s", core_rate = "100 Gbit/s", core_delay = "2 us","#,
    );
    let spec = read(&text).unwrap().spec();
    let count = |gigabits: u64, delay: Span| {
        let links = spec.links.iter();
        let alike = |l: &&LinkSpec| (l.rate.0, l.delay) == (gigabits * 1_000_000_000, delay);
        links.filter(alike).count()
    };
    let (near, far) = (Span::nanos(500), Span::micros(2));
    assert_eq!(
        (count(10, near), count(40, near), count(100, far)),
        (32, 16, 16)
    );
}

#[test]
fn a_fat_tree_has_the_published_shape() {
    let spec = read(FAT_TREE).unwrap().spec();
    // Al-Fares et al.: k pods, k³/4 hosts, 5k²/4 switches; every switch has k ports, every host one.
    let hosts = spec
        .nodes
        .iter()
        .filter(|n| matches!(n.kind, NodeKind::Host { .. }))
        .count();
    assert_eq!(
        (hosts, spec.nodes.len() - hosts, spec.links.len()),
        (16, 20, 48)
    );
    for (i, node) in spec.nodes.iter().enumerate() {
        let degree = spec.links.iter().filter(|l| l.ends.contains(&i)).count();
        let expected = if matches!(node.kind, NodeKind::Host { .. }) {
            1
        } else {
            4
        };
        assert_eq!(degree, expected, "{}", node.name);
    }
    // Each core switch reaches every pod once.
    for (i, node) in spec
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, n)| n.name.starts_with('c'))
    {
        let far = spec
            .links
            .iter()
            .filter(|l| l.ends.contains(&i))
            .map(|l| if l.ends[0] == i { l.ends[1] } else { l.ends[0] });
        let pods: std::collections::BTreeSet<char> = far
            .map(|f| spec.nodes[f].name.chars().nth(1).unwrap())
            .collect();
        assert_eq!(pods.len(), 4, "{}", node.name);
    }
    assert_eq!(spec.routing, Routing::Ecmp);
    let names: Vec<&str> = spec
        .nodes
        .iter()
        .map(|n| n.name.as_str())
        .filter(|n| n.starts_with('h'))
        .collect();
    assert_eq!((names[2], names[10]), ("h2", "h10"));
}

#[test]
fn patterns_of_hosts_become_a_flow_for_each_sender() {
    let scenario = Scenario::from_toml(FAT_TREE, "x.toml", Folders::default()).unwrap();
    let spec = scenario.resolve(Some(7)).unwrap().spec();
    let of = |row: &str| {
        spec.flows
            .iter()
            .filter(|f| f.name.starts_with(&format!("{row}/")))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("r").len(), 16);
    for flow in of("r") {
        let Destination::Others(to) = &flow.to else {
            panic!("{flow:?}")
        };
        assert!(to.len() == 16 && to.contains(&flow.from));
    }
    let mut drawn: Vec<usize> = Vec::new();
    for flow in of("p") {
        let Destination::Node(to) = flow.to else {
            panic!("{flow:?}")
        };
        assert_ne!(to, flow.from);
        drawn.push(to);
    }
    let first = drawn.clone();
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn.len(), 16);
    // h1 and h10 to h15 match, h10 itself receives.
    assert_eq!(of("i").len(), 6);

    let again: Vec<Destination> = scenario
        .resolve(Some(7))
        .unwrap()
        .spec()
        .flows
        .into_iter()
        .map(|f| f.to)
        .collect();
    assert_eq!(
        again,
        spec.flows.iter().map(|f| f.to.clone()).collect::<Vec<_>>()
    );
    let other = scenario.resolve(Some(8)).unwrap();
    let other_to: Vec<usize> = other
        .spec()
        .flows
        .iter()
        .filter(|f| f.name.starts_with("p/"))
        .map(|f| match f.to {
            Destination::Node(to) => to,
            _ => usize::MAX,
        })
        .collect();
    assert_ne!(other_to, first);
    assert_eq!(
        other.canonical,
        scenario.resolve(Some(7)).unwrap().canonical
    );
}

#[test]
fn a_ring_joins_neighbours_and_carries_hosts() {
    let text = FAT_TREE.replace("kind = \"fat-tree\", k = 4", "kind = \"ring\", switches = 3, hosts = 2, obeys = false, switch = { model = \"shared-memory\", memory = \"12 MB\", reserve = \"4 kB\", headroom = \"20 kB\", shift = 3 }").replace("\"h1*\", to = \"h10\"", "\"h1\", to = \"h5\"");
    let spec = read(&text).unwrap().spec();
    let links: Vec<&str> = spec.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(
        links,
        [
            "h0-s0", "h1-s0", "h2-s1", "h3-s1", "h4-s2", "h5-s2", "s0-s1", "s1-s2", "s2-s0"
        ]
    );
    assert_eq!(spec.routing, Routing::ShortestPath);
    assert!(matches!(
        spec.nodes[0].kind,
        NodeKind::Host { obeys: false }
    ));
    let memory = SwitchModel::SharedMemory {
        memory: Bytes(12_000_000),
        reserve: Bytes(4_000),
        headroom: Bytes(20_000),
        shift: 3,
    };
    let NodeKind::Switch(model) = &spec.nodes[6].kind else {
        panic!("a switch");
    };
    assert_eq!(*model, memory);
}

#[test]
fn a_pattern_of_watched_ports_means_those_of_switches() {
    let text = FAT_TREE.replace(
        "duration",
        "mechanisms.m = { recipe = \"pfc\", at = [\"*\"] }\nduration",
    );
    let resolved = read(&text).unwrap();
    let spec = resolved.spec();
    // 48 links have 96 ports; 16 of them belong to hosts.
    assert_eq!(spec.mechanisms[0].at.len(), 80);
    assert!(
        spec.mechanisms[0]
            .at
            .iter()
            .all(|i| !spec.ports[*i].name.starts_with('h'))
    );
    resolved.build().unwrap_or_else(|d| panic!("{d}"));
}

#[test]
fn generators_and_patterns_refuse_what_cannot_be() {
    let refused = |old: &str, new: &str, what: &str| {
        assert!(FAT_TREE.contains(old), "{old}");
        let found = read(&FAT_TREE.replacen(old, new, 1))
            .and_then(|r| r.build())
            .expect_err(new);
        assert!(found.what.contains(what), "{found}");
        assert!(found.line.is_some() && !found.fix.is_empty(), "{found}");
    };
    refused("k = 4", "k = 5", "odd");
    refused("k = 4", "k = 32", "at most 10000");
    refused(
        "duration",
        "mechanisms.m = { recipe = \"pfc\", at = [\"h*>*\"] }\nduration",
        "only ports of hosts match",
    );
    refused("k = 4", "k = 1000000", "too large");
    refused("fat-tree", "fattree", "unknown kind `fattree`");
    refused(
        "duration",
        "nodes.h3 = { kind = \"host\" }\nduration",
        "already generates a node `h3`",
    );
    refused(
        "duration",
        "links.\"h3-e0-1\" = { ends = [\"h3\", \"e0-1\"], rate = \"1 bit/s\", delay = \"0 s\" }\nduration",
        "already generates a link",
    );
    refused(
        "pattern = \"random\", ",
        "",
        "must say how a receiver is chosen",
    );
    refused(
        "to = \"h10\"",
        "to = \"h10\", pattern = \"random\"",
        "no receiver to choose",
    );
    refused(
        "to = \"h*\", pattern = \"permutation\"",
        "to = \"h1*\", pattern = \"permutation\"",
        "as many receivers as senders",
    );
    refused("from = \"h*\"", "from = \"x*\"", "no host matches `x*`");
    refused(
        "from = \"h1*\", to = \"h10\"",
        "from = \"h10*\", to = \"h10\"",
        "send to itself",
    );
    refused(
        "duration",
        "routes.r = [\"h0\"]\nduration",
        "several senders or receivers",
    );
    refused(
        "from = \"h1*\"",
        "start = \"1 ms\", from = \"h1*\"",
        "already stopped",
    );
}
