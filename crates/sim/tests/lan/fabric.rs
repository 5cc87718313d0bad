//! Networks with several paths, and those that cannot be built.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use backwater_sim::limit::Limit;
use backwater_sim::record::What;
use backwater_sim::spec::{Refusal, Routing};
use backwater_sim::targets::Destination;
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::net::*;
use crate::timing::sends;

/// A fat tree of 4-port switches (Al-Fares et al., SIGCOMM 2008): 16 hosts, 4 pods of 2 edge and 2
/// aggregation switches, 4 core switches; aggregation switch j of each pod goes to cores 2j and 2j+1.
/// Gives its hosts.
fn fat_tree(seconds: f64, rate: u64) -> (Net, Vec<usize>) {
    let mut net = Net::new(seconds);
    net.0.routing = Routing::Ecmp;
    let cores: Vec<usize> = (0..4).map(|i| net.switch(&format!("C{i}"))).collect();
    let mut hosts = Vec::new();
    for pod in 0..4 {
        let aggregation = [0, 1].map(|j| net.switch(&format!("A{pod}{j}")));
        for (j, a) in aggregation.iter().enumerate() {
            for c in 0..2 {
                net.link(*a, cores[2 * j + c], rate);
            }
        }
        for e in 0..2 {
            let edge = net.switch(&format!("E{pod}{e}"));
            aggregation.iter().for_each(|a| {
                net.link(edge, *a, rate);
            });
            for h in 0..2 {
                let host = net.obeying_host(&format!("H{pod}{e}{h}"));
                net.link(host, edge, rate);
                hosts.push(host);
            }
        }
    }
    (net, hosts)
}

/// Every host sends at 90 % of its link, five of them to one host. PFC with a threshold for each of four
/// entrances and room for what is in flight (802.3 arithmetic at 1 Gbit/s: 3413 B, and the frame that
/// crosses) loses nothing anywhere in the fabric; without it switches lose.
#[test]
fn pfc_makes_a_fat_tree_lossless() {
    let (mut net, hosts) = fat_tree(0.05, 1_000 * MBIT);
    for (i, from) in hosts.iter().enumerate() {
        let to = if i % 3 == 1 {
            hosts[0]
        } else {
            hosts[(i + 5) % 16]
        };
        let given = [
            ("burst", Value::Bytes(Bytes(24_000))),
            ("rate", Value::Rate(Rate(900 * MBIT))),
        ];
        net.flow(
            &format!("f{i}"),
            *from,
            to,
            source("uniform-uniform", &given),
        );
    }
    let switch_ports: Vec<usize> = (0..net.0.ports.len())
        .filter(|p| net.0.ports[*p].buffer != Limit::Unlimited)
        .collect();
    let (xoff, in_flight) = (20_000, 3_413 + 1_518);
    for port in &switch_ports {
        net.buffer(*port, 4 * (xoff + in_flight));
    }
    let without = net.run();
    assert!(without.dropped > 1_000);
    let marks = [
        ("xoff", Value::Bytes(Bytes(xoff))),
        ("xon", Value::Bytes(Bytes(10_000))),
    ];
    net.recipe("pfc", &switch_ports, &marks);
    let with = net.run();
    assert!(with.control > 1_000);
    assert_eq!(with.dropped, 0);
    // Up and down a tree no queues wait for one another in a circle.
    assert_eq!(with.deadlock, None);
    assert!(with.delivered > 10_000);
}

/// Four hosts overload a fifth, and four more send to one another through the same memory. How much may be
/// held of what comes in from one host depends on all that is held, also at ports whose departures have no
/// event, and so does the end of each alarm: it must come at the same instant as where all of them have one.
#[test]
fn a_congested_switch_that_lags_ends_its_alarms_in_time() {
    for seed in 0..8 {
        let mut net = Net::new(0.02);
        net.0.seed = seed;
        let switch = net.shared_switch("X", 150_000 + 9 * 12_000, 0, 12_000, 1);
        let hosts: Vec<usize> = (0..9).map(|i| net.obeying_host(&format!("H{i}"))).collect();
        let ports: Vec<usize> = hosts
            .iter()
            .map(|host| net.link(switch, *host, 1_000 * MBIT)[0])
            .collect();
        net.0
            .links
            .iter_mut()
            .for_each(|link| link.delay = Span::micros(20));
        for port in &ports {
            net.0.ports[*port].buffer = Limit::Unlimited;
        }
        for from in 0..8 {
            let (to, rate) = match from {
                0..4 => (8, 400 * MBIT),
                _ => (4 + (from + 1) % 4, 800 * MBIT),
            };
            let given = [
                ("burst", Value::Bytes(Bytes(24_000))),
                ("rate", Value::Rate(Rate(rate))),
            ];
            let source = source("uniform-uniform", &given);
            net.flow(&format!("f{from}"), hosts[from], hosts[to], source);
        }
        net.mechanism(
            ["dynamic-threshold", "pfc", "gate"],
            &ports,
            &[("gap", Value::Bytes(Bytes(0)))],
        );
        let fused = net.run();
        assert!(fused.control > 200, "{} notices", fused.control);
        let unfused = net.run_recorded().0;
        assert_eq!(fused.fingerprint, unfused.fingerprint, "seed {seed}");
    }
}

/// 64 flows between two hosts in different pods: 4 paths. Each flow keeps to one, and each path has its
/// part: of 64 balls in 4 urns none gets fewer than 4 with probability above 0.9999.
#[test]
fn ecmp_spreads_flows_over_all_shortest_paths_and_keeps_each_on_one() {
    let (mut net, hosts) = fat_tree(0.02, 1_000 * MBIT);
    for i in 0..64u64 {
        let demands = (0..3).map(|n| (n * 5 * MS + i * 20 * US, 1500));
        net.flow(&format!("f{i}"), hosts[0], hosts[15], script(demands));
    }
    let (report, records) = net.run_recorded();
    assert_eq!(report.delivered, 192);
    let mut paths: BTreeMap<usize, BTreeSet<Vec<usize>>> = BTreeMap::new();
    let mut under_way: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
    for r in &records {
        let path = under_way.entry((r.flow.index(), r.seq)).or_default();
        match r.what {
            What::Send => path.push(r.port.index()),
            What::Deliver => {
                paths
                    .entry(r.flow.index())
                    .or_default()
                    .insert(path.clone());
            }
            _ => {}
        }
    }
    let mut flows_of: BTreeMap<Vec<usize>, u32> = BTreeMap::new();
    for paths in paths.values() {
        assert_eq!(paths.len(), 1, "a flow has one path");
        let path = paths.first().expect("one");
        // Host, edge, aggregation, core, aggregation, edge.
        assert_eq!(path.len(), 6);
        *flows_of.entry(path.clone()).or_default() += 1;
    }
    assert_eq!(flows_of.len(), 4, "{flows_of:?}");
    assert!(flows_of.values().all(|n| *n >= 4), "{flows_of:?}");
}

/// Four flows between two hosts in different pods, over 400 seeds: two choices between two ways each. Each of a flow's four
/// paths has 100 of the seeds, and all four flows share their first switch's uplink in 2·(1/2)⁴ of them, which is 50. Bounds
/// are 4.5 standard deviations of the binomials, 8.66 and 6.61.
#[test]
fn ecmp_places_flows_anew_with_each_seed() {
    let (mut net, hosts) = fat_tree(0.01, 1_000 * MBIT);
    for i in 0..4 {
        net.flow(&format!("f{i}"), hosts[0], hosts[15], script([(0, 1500)]));
    }
    let mut seeds_of: Vec<BTreeMap<Vec<usize>, u32>> = vec![BTreeMap::new(); 4];
    let mut one_uplink = 0;
    for seed in 0..400 {
        net.0.seed = seed;
        let world = World::build(&net.0).expect("a fat tree");
        let paths: Vec<Vec<usize>> = (world.network().flows.iter())
            .map(|flow| flow.path.iter().map(|port| port.index()).collect())
            .collect();
        one_uplink += u32::from(paths.iter().all(|path| path[1] == paths[0][1]));
        for (path, seeds) in paths.into_iter().zip(&mut seeds_of) {
            *seeds.entry(path).or_default() += 1;
        }
    }
    for seeds in seeds_of {
        assert_eq!(seeds.len(), 4, "{seeds:?}");
        assert!(seeds.values().all(|n| n.abs_diff(100) <= 39), "{seeds:?}");
    }
    assert!(one_uplink.abs_diff(50) <= 30, "{one_uplink}");
}

/// Every host of a fat tree sends to all others. Routes, and whether packets arrive, are found once for a switch and a list of
/// destinations; a run is that of flows with lists of their own. What gets lost on the way is refused by the name of a flow.
#[test]
fn flows_that_share_a_list_of_destinations_are_those_with_lists_of_their_own() {
    let all_to_all = |shared: bool| {
        let (mut net, hosts) = fat_tree(0.005, 1_000 * MBIT);
        let list: Arc<[usize]> = hosts.clone().into();
        for (i, from) in hosts.iter().enumerate() {
            let others = hosts.iter().copied().filter(|host| host != from);
            let to = match shared {
                true => Destination::Others(list.clone()),
                false => Destination::AnyOf(others.collect()),
            };
            net.flow(&format!("f{i}"), *from, hosts[0], cbr(200 * MBIT))
                .to = to;
        }
        net
    };
    let [own, shared] = [false, true].map(|shared| all_to_all(shared).run());
    assert!(own.delivered > 1_000);
    assert_eq!(
        (own.fingerprint, own.delivered),
        (shared.fingerprint, shared.delivered)
    );
    for shared in [false, true] {
        let mut net = all_to_all(shared);
        // To the last host of all.
        net.0.links.last_mut().expect("links").max_frame = Bytes(1_000);
        let refusal = World::build(&net.0).expect_err("frames that do not fit");
        assert_eq!(refusal.path, "flows.f0.packet", "{refusal:?}");
        let mut net = all_to_all(shared);
        net.0.links.pop();
        net.0.ports.truncate(2 * net.0.links.len());
        let refusal = World::build(&net.0).expect_err("a host without a wire");
        assert!(refusal.path.starts_with("nodes."), "{refusal:?}");
    }
    // Two trees without a link between them.
    for shared in [false, true] {
        let mut net = Net::new(0.01);
        let hosts = ["A", "B", "C", "D"].map(|name| net.host(name));
        for (switch, pair) in ["X", "Y"].iter().zip(hosts.chunks(2)) {
            let switch = net.switch(switch);
            pair.iter().for_each(|host| {
                net.link(*host, switch, MBIT);
            });
        }
        let to = match shared {
            true => Destination::Others(hosts.into()),
            false => Destination::AnyOf(hosts[1..].to_vec()),
        };
        net.flow("f", hosts[0], hosts[1], cbr(MBIT)).to = to;
        let refusal = World::build(&net.0).expect_err("no way");
        assert_eq!(refusal.path, "flows.f.to", "{refusal:?}");
    }
}

/// Two paths of different length; the written route takes the longer.
fn two_paths() -> (Net, [usize; 2], [usize; 2]) {
    let mut net = Net::new(0.1);
    let (s, a, b, c) = (
        net.host("S"),
        net.switch("A"),
        net.switch("B"),
        net.switch("C"),
    );
    let d = net.host("D");
    net.link(s, a, 10 * MBIT);
    let short = net.link(a, c, 10 * MBIT)[0];
    let long = net.link(a, b, 10 * MBIT)[0];
    net.link(b, c, 10 * MBIT);
    net.link(c, d, 10 * MBIT);
    net.flow("f", s, d, script([(0, 15_000)]));
    (net, [s, d], [short, long])
}

#[test]
fn frames_take_the_shortest_path_or_the_one_that_is_written() {
    let (mut net, [s, d], [short, long]) = two_paths();
    net.0.routing = Routing::ShortestPath;
    let sent = |net: &Net| {
        let records = net.run_recorded().1;
        [short, long].map(|p| sends(&records, p).len())
    };
    assert_eq!(sent(&net), [10, 0]);
    net.0.flows[0].route = Some(vec![s, 1, 2, 3, d]);
    assert_eq!(sent(&net), [0, 10]);
    let hops = net.run().flows[0].hops.len();
    assert_eq!(hops, 4);
    // A written route needs no rule, loop or not.
    net.0.routing = Routing::Tree;
    assert_eq!(sent(&net), [0, 10]);
}

/// Networks that are refused, and the field to blame.
#[test]
fn networks_that_cannot_work_are_refused_by_the_field_to_blame() {
    type Change = fn(&mut Net);
    let cases: [(&str, Change); 24] = [
        ("links", |n| n.0.routing = Routing::Tree),
        ("flows.f.to", |n| {
            let alone = n.host("alone");
            let w = n.switch("W");
            n.link(alone, w, MBIT);
            n.0.flows[0].to = Destination::Node(alone);
        }),
        ("links.l0.rate", |n| n.0.links[0].rate = Rate(0)),
        ("links.l1.ends", |n| n.0.links[1].ends = [1, 1]),
        ("routes.f", |n| {
            // A host with two wires forwards nothing.
            let middle = n.host("M");
            n.link(0, middle, MBIT);
            n.link(middle, 4, MBIT);
            n.0.flows[0].route = Some(vec![0, middle, 4]);
        }),
        ("nodes.E", |n| {
            n.host("E");
        }),
        ("flows.f.from", |n| n.0.flows[0].from = 1),
        ("flows.f.to", |n| n.0.flows[0].to = Destination::Node(1)),
        ("flows.f.to", |n| n.0.flows[0].to = Destination::Node(0)),
        ("flows.f.to", |n| {
            n.0.flows[0].to = Destination::AnyOf(vec![])
        }),
        ("flows.f.packet", |n| n.0.flows[0].packet = Bytes(0)),
        ("flows.f.packet", |n| n.0.flows[0].packet = Bytes(1501)),
        ("flows.f.packet", |n| n.0.flows[0].packet = Bytes(70_000)),
        ("flows.f.class", |n| n.0.flows[0].class = 8),
        ("flows.f.class", |n| {
            n.classes(2);
            n.0.flows[0].class = 2;
        }),
        ("flows.f.start", |n| n.0.flows[0].start = n.0.flows[0].stop),
        ("duration", |n| n.0.duration = Span::ZERO),
        ("duration", |n| n.0.duration = Span::MAX),
        ("warmup", |n| n.0.warmup = n.0.duration),
        ("ports.A>C.buffer", |n| n.buffer(2, 1_517)),
        ("ports.A>C.buffer", |n| {
            n.0.ports[2].buffer = Limit::Packets(0)
        }),
        ("routes.f", |n| n.0.flows[0].route = Some(vec![0, 1, 4])),
        ("routes.f", |n| n.0.flows[0].route = Some(vec![0, 1, 3])),
        ("routes.f.3", |n| {
            n.0.flows[0].route = Some(vec![0, 1, 2, 1, 3, 4])
        }),
    ];
    for (i, (path, change)) in cases.into_iter().enumerate() {
        let (mut net, ..) = two_paths();
        net.0.routing = Routing::ShortestPath;
        assert!(World::build(&net.0).is_ok());
        change(&mut net);
        let refusal = World::build(&net.0).expect_err(path);
        assert_eq!(refusal.path, path, "case {i}: {refusal:?}");
        assert!(!refusal.what.is_empty() && !refusal.fix.is_empty());
    }
}

/// The same for mechanisms.
#[test]
fn mechanisms_that_cannot_work_are_refused_by_the_field_to_blame() {
    let refused = |change: &dyn Fn(&mut Net)| -> Refusal {
        let (mut net, ..) = two_paths();
        net.0.routing = Routing::ShortestPath;
        change(&mut net);
        World::build(&net.0).expect_err("a mechanism that cannot work")
    };
    let of_host = refused(&|n| n.recipe("pause", &[0], &[]));
    assert_eq!(of_host.path, "mechanisms.m0.at");
    let unlimited = refused(&|n| {
        n.0.ports[2].buffer = Limit::Unlimited;
        n.recipe("pause", &[2], &[]);
    });
    assert_eq!(unlimited.path, "mechanisms.m0.at");
    let twice = refused(&|n| {
        n.recipe("pause", &[2], &[]);
        n.recipe("pause-destination", &[2], &[]);
    });
    assert_eq!(twice.path, "mechanisms.m1.at");
    // One link, one kind of PAUSE, one timer.
    let two_forms = refused(&|n| {
        n.recipe("pause", &[2], &[]);
        n.recipe("pause-class", &[4], &[]);
    });
    assert_eq!(two_forms.path, "mechanisms.m1.notify");
    let two_timers = refused(&|n| {
        n.recipe("pause", &[2], &[]);
        n.recipe("pause", &[4], &[("quanta", Value::Count(100))]);
    });
    assert_eq!(two_timers.path, "mechanisms.m1.notify");
    let pool = refused(&|n| n.mechanism(["dynamic-threshold", "pfc", "gate"], &[2], &[]));
    assert_eq!(pool.path, "mechanisms.m0.detect");
    let addresses =
        refused(&|n| n.mechanism(["ingress-watermark", "destination", "gate"], &[2], &[]));
    assert_eq!(addresses.path, "mechanisms.m0.notify");
    let rate = refused(&|n| n.mechanism(["ingress-watermark", "pfc", "shaper"], &[2], &[]));
    assert_eq!(rate.path, "mechanisms.m0.respond");
    // Three ports of one class: 3·(50 + 30) kB of 200 kB.
    let memory = {
        let mut net = Net::new(0.1);
        let x = net.shared_switch("X", 200_000, 50_000, 30_000, 0);
        for i in 0..3 {
            let h = net.host(&format!("H{i}"));
            net.link(h, x, MBIT);
        }
        net.flow("f", 1, 2, script([]));
        World::build(&net.0).expect_err("too little memory")
    };
    assert_eq!(memory.path, "nodes.X.memory");
}

/// Two written routes to one host may join but not part.
#[test]
fn written_routes_that_part_are_refused() {
    let (mut net, [s, d], _) = two_paths();
    net.0.routing = Routing::ShortestPath;
    let t = net.host("T");
    net.link(t, 1, 10 * MBIT);
    net.flow("g", t, d, script([]));
    net.0.flows[0].route = Some(vec![s, 1, 2, 3, d]);
    net.0.flows[1].route = Some(vec![t, 1, 2, 3, d]);
    assert!(World::build(&net.0).is_ok());
    net.0.flows[1].route = Some(vec![t, 1, 3, d]);
    let refusal = World::build(&net.0).expect_err("they part");
    assert_eq!(refusal.path, "routes.g");
}

/// Whatever two routes to one host are written, computed ways around them included, none runs in a
/// circle: the routes part and are refused, or lead to the host.
#[test]
fn no_written_routes_run_in_a_circle() {
    // A ring of three switches with a host each; every walk of up to five switches from one host to another.
    let mut net = Net::new(0.1);
    let w: Vec<usize> = (0..3).map(|i| net.switch(&format!("W{i}"))).collect();
    let h: Vec<usize> = (0..3).map(|i| net.host(&format!("H{i}"))).collect();
    for i in 0..3 {
        net.link(w[i], w[(i + 1) % 3], 10 * MBIT);
        net.link(h[i], w[i], 10 * MBIT);
    }
    net.0.routing = Routing::ShortestPath;
    net.flow("f", h[0], h[2], script([]));
    net.flow("g", h[1], h[2], script([]));
    let walks = |from: usize| -> Vec<Vec<usize>> {
        let mut all = vec![vec![w[from]]];
        let mut done = Vec::new();
        for _ in 0..5 {
            done.extend(
                all.iter()
                    .filter(|walk| walk[walk.len() - 1] == w[2])
                    .cloned(),
            );
            let step = |walk: &Vec<usize>| {
                let last = walk[walk.len() - 1];
                let further = w.iter().filter(move |n| **n != last);
                further
                    .map(|n| [walk.clone(), vec![*n]].concat())
                    .collect::<Vec<_>>()
            };
            all = all.iter().flat_map(step).collect();
        }
        done
    };
    let (mut built, mut refused) = (0, 0);
    let ends = |from: usize, walk: &[usize]| [&[h[from]], walk, &[h[2]]].concat();
    for f in walks(0) {
        for g in walks(1).iter().map(Some).chain([None]) {
            net.0.flows[0].route = Some(ends(0, &f));
            net.0.flows[1].route = g.map(|g| ends(1, g));
            match World::build(&net.0) {
                Ok(_) => built += 1,
                Err(refusal) => {
                    assert!(refusal.path.starts_with("routes."));
                    refused += 1;
                }
            }
        }
    }
    assert!(built > 0 && refused > 0, "{built} built, {refused} refused");
}
