//! The bounds of what may be built: the last value that may be, and the first that may not, with the field to blame.

use backwater_sim::limit::Limit;
use backwater_sim::network::Discipline;
use backwater_sim::spec::watchdog::Terms;
use backwater_sim::spec::{
    Action, Happening, LinkEvent, LinkSpec, NodeKind, NodeSpec, Routing, SwitchModel,
};
use backwater_sim::targets::Destination;
use backwater_sim::world::World;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::net::*;

/// S over the switch W to D, with room for frames of any length.
fn wide() -> Net {
    let mut net = Net::new(0.1);
    let (s, w, d) = (net.host("S"), net.switch("W"), net.host("D"));
    net.link(s, w, 10 * MBIT);
    net.link(w, d, 10 * MBIT);
    net.flow("f", s, d, cbr(MBIT));
    net.0
        .links
        .iter_mut()
        .for_each(|link| link.max_frame = Bytes(100_000));
    net
}

/// The field to blame; none where the network is built.
fn blamed(net: &Net) -> String {
    World::build(&net.0)
        .err()
        .map_or(String::new(), |refusal| refusal.path)
}

/// Each bound as the documentation of its field or its refusal says: 65,535 B of IP and Ethernet header, classes 0 to 7, a quarter of the clock, a
/// frame of the packet and 18 B.
#[test]
fn the_last_value_is_built_and_the_next_is_refused() {
    type Change = fn(&mut Net, u64);
    let cases: [(&str, Change, u64, u64); 13] = [
        (
            "duration",
            |n, v| n.0.duration = Span(v),
            u64::MAX / 4,
            u64::MAX / 4 + 1,
        ),
        ("duration", |n, v| n.0.duration = Span(v), 1, 0),
        (
            "warmup",
            |n, v| n.0.warmup = Span(v),
            100 * MS - 1,
            100 * MS,
        ),
        (
            "flows.f.packet",
            |n, v| n.0.flows[0].packet = Bytes(v),
            65_517,
            65_518,
        ),
        (
            "flows.f.packet",
            |n, v| n.0.flows[0].packet = Bytes(v),
            1,
            0,
        ),
        (
            "flows.f.packet",
            |n, v| n.0.links[1].max_frame = Bytes(v),
            1_518,
            1_517,
        ),
        ("flows.f.class", |n, v| n.0.flows[0].class = v as u8, 7, 8),
        (
            "flows.f.start",
            |n, v| n.0.flows[0].start = Span(v),
            100 * MS - 1,
            100 * MS,
        ),
        ("ports.W>D.buffer", |n, v| n.buffer(2, v), 1_518, 1_517),
        (
            "ports.W>D.buffer",
            |n, v| n.0.ports[2].buffer = Limit::Packets(v),
            1,
            0,
        ),
        ("links.l1.rate", |n, v| n.0.links[1].rate = Rate(v), 1, 0),
        (
            "flows.f.source.packet",
            |n, v| n.0.flows[0].source = source("saturated", &[("packet", Value::Bytes(Bytes(v)))]),
            1_500,
            1_501,
        ),
        (
            "flows.f.class",
            |n, v| {
                n.classes(2);
                n.0.flows[0].class = v as u8;
            },
            1,
            2,
        ),
    ];
    for (i, (path, change, last, next)) in cases.into_iter().enumerate() {
        let of = |value: u64| {
            let mut net = wide();
            change(&mut net, value);
            blamed(&net)
        };
        assert_eq!(
            (of(last).as_str(), of(next).as_str()),
            ("", path),
            "case {i}"
        );
    }
}

fn event(name: &str, link: usize, [at, until]: [u64; 2], what: Happening) -> LinkEvent {
    LinkEvent {
        name: name.into(),
        links: vec![link],
        at: Span(at),
        until: Some(Span(until)),
        what,
    }
}

const DOWN: Happening = Happening::Down { converge: None };
const SLOW: Happening = Happening::Rate(Rate(MBIT));

/// An event ends later than it begins. Events of one kind on one link may follow each other and may not overlap; others may.
#[test]
fn events_of_one_kind_on_one_link_do_not_overlap() {
    let of = |events: &[LinkEvent]| {
        let mut net = wide();
        net.0.events = events.to_vec();
        blamed(&net)
    };
    assert_eq!(of(&[event("e", 1, [MS, MS + 1], DOWN)]), "");
    assert_eq!(of(&[event("e", 1, [MS, MS], DOWN)]), "events.e.until");
    for (second, what, link, path) in [
        ([2 * MS, 3 * MS], DOWN, 1, ""),
        ([2 * MS - 1, 3 * MS], DOWN, 1, "events.e.links"),
        ([2 * MS - 1, 3 * MS], SLOW, 1, ""),
        ([2 * MS - 1, 3 * MS], DOWN, 0, ""),
        ([0, MS], DOWN, 1, ""),
        ([0, MS + 1], DOWN, 1, "events.e.links"),
        ([0, 4 * MS], DOWN, 1, "events.e.links"),
    ] {
        let first = event("d", 1, [MS, 2 * MS], DOWN);
        let both = [first, event("e", link, second, what)];
        assert_eq!(of(&both), path, "{second:?}");
    }
    // One that lasts to the end overlaps with each that ends later than it begins.
    let mut endless = event("d", 1, [MS, MS], DOWN);
    endless.until = None;
    assert_eq!(of(&[endless.clone(), event("e", 1, [0, MS], DOWN)]), "");
    let both = [endless, event("e", 1, [5 * MS, 6 * MS], DOWN)];
    assert_eq!(of(&both), "events.e.links");
}

/// A switch of this kind with so many hosts, the first of which sends to the second.
fn star(kind: NodeKind, hosts: usize) -> Net {
    let mut net = Net::new(0.1);
    let x = net.node("X", kind);
    for n in 0..hosts {
        let host = net.host(&format!("H{n}"));
        net.link(host, x, 10 * MBIT);
    }
    net.flow("f", 1, 2, cbr(MBIT));
    net
}

fn shared(memory: u64) -> NodeKind {
    NodeKind::Switch(SwitchModel::SharedMemory {
        memory: Bytes(memory),
        reserve: Bytes(1_000),
        headroom: Bytes(3_000),
        shift: 1,
    })
}

/// A packet remembers 256 ports by which it came into shared memory, a fabric has 64, and a switch with back-pressure 64. Reserve and headroom of each
/// port and class fit the memory.
#[test]
fn switches_have_so_many_ports_and_no_more() {
    for (hosts, path) in [(256, ""), (257, "nodes.X")] {
        assert_eq!(blamed(&star(shared(2_000_000), hosts)), path, "{hosts}");
    }
    // Three ports of one class.
    for (memory, path) in [(12_000, ""), (11_999, "nodes.X.memory")] {
        assert_eq!(blamed(&star(shared(memory), 3)), path, "{memory}");
        // Without flows there is one class, too.
        let mut idle = star(shared(memory), 3);
        idle.0.flows.clear();
        assert_eq!(blamed(&idle), path, "{memory}");
        // A second class takes as much again.
        let mut net = star(shared(memory + 12_000), 3);
        net.0.flows[0].class = 1;
        assert_eq!(blamed(&net), path, "{memory}");
    }
    let fabric = NodeKind::Switch(SwitchModel::InputQueued {
        discipline: Discipline::SingleQueue,
        input_buffer: Bytes(100_000),
        cell: Bytes(64),
        speedup: 1,
    });
    for (hosts, path) in [(64, ""), (65, "nodes.X")] {
        assert_eq!(blamed(&star(fabric.clone(), hosts)), path, "{hosts}");
    }
    let plain = NodeKind::Switch(SwitchModel::OutputQueued);
    for (hosts, path) in [(64, ""), (65, "mechanisms.m0.at")] {
        let mut net = star(plain.clone(), hosts);
        net.recipe("pause", &[3], &[]);
        assert_eq!(blamed(&net), path, "{hosts}");
    }
}

/// An envelope frame has 482 B beside its payload (802.3as), of which a notice takes 20 and 6 for each host that it could name: 77 hosts. A frame of its
/// own names 11,840.
#[test]
fn a_header_names_seventy_seven_hosts() {
    for (hosts, header, path) in [
        (77, true, ""),
        (78, true, "mechanisms.m0.notify"),
        (78, false, ""),
        (11_840, false, ""),
        (11_841, false, "mechanisms.m0.notify"),
    ] {
        let mut net = star(NodeKind::Switch(SwitchModel::OutputQueued), 60);
        let y = net.switch("Y");
        for n in 60..hosts {
            let host = net.host(&format!("H{n}"));
            net.link(host, y, 10 * MBIT);
        }
        net.0.routing = Routing::ShortestPath;
        let carrier = if header { "header" } else { "frame" };
        let given = [("carrier", Value::Choice(carrier))];
        net.recipe("pause-destination", &[3], &given);
        assert_eq!(blamed(&net), path, "{hosts} {header}");
    }
}

/// Tables have less than 2^31 entries: one for each host, at each switch and each host with two wires. 46,344 hosts in a ring have 46,344^2, more
/// than that, and so many with a wire each need none. Their links fail at the next check, since the first joins a host to itself.
#[test]
fn hosts_with_two_wires_have_tables() {
    const HOSTS: usize = 46_344;
    for (wires, path) in [(2, "nodes"), (1, "links.l0.ends")] {
        let mut net = Net::new(0.1);
        for _ in 0..HOSTS {
            net.0.nodes.push(NodeSpec {
                name: String::new(),
                kind: NodeKind::Host { obeys: false },
            });
        }
        let link = |ends: [usize; 2]| LinkSpec {
            name: "l0".into(),
            ends,
            rate: Rate(MBIT),
            delay: Span::ZERO,
            directions: [None, None],
            max_frame: Bytes(1518),
        };
        net.0.links = (0..HOSTS)
            .step_by(3 - wires)
            .map(|n| link([n, (n + 1) % HOSTS]))
            .collect();
        if wires == 1 {
            net.0.links[0] = link([0, 0]);
            net.0.links.pop();
        }
        assert_eq!(blamed(&net), path);
    }
}

/// A wire whose queue a saturated source keeps filled does not go down, and its port has no watchdog; with another source both may be.
#[test]
fn a_port_that_is_kept_filled_has_no_outage_and_no_watchdog() {
    let saturated = || source("saturated", &[("packet", Value::Bytes(Bytes(1_500)))]);
    let mut plain = wide();
    plain.0.nodes[0].kind = NodeKind::Host { obeys: true };
    plain.recipe("pause", &[2], &[]);
    let mut watched = plain.clone();
    watched.0.ports[0].watchdog = Some(Terms {
        detection: Span::millis(1),
        restoration: Span::millis(1),
        action: Action::Drop,
    });
    plain.0.events = vec![event("e", 0, [MS, 2 * MS], DOWN)];
    for (mut net, path) in [(plain, "events.e.links"), (watched, "ports.S>W.watchdog")] {
        assert_eq!(blamed(&net), "");
        net.0.flows[0].source = saturated();
        assert_eq!(blamed(&net), path);
    }
}

/// Packets that go to any of several hosts must fit the wires to each of them, behind each switch on the way, whether their host has one wire or two.
/// Those of other flows need not.
#[test]
fn packets_to_any_host_must_fit_the_way_to_each() {
    let all = 0..6;
    for (narrow, path) in [
        (0..0, ""),
        (2..3, "flows.f.packet"),
        (3..4, "flows.f.packet"),
        (4..5, ""),
        (all, "flows.f.packet"),
    ] {
        for two in [false, true] {
            let mut net = Net::new(0.1);
            let (s, v, w) = (net.host("S"), net.switch("V"), net.switch("W"));
            net.link(s, v, 10 * MBIT);
            net.link(v, w, 10 * MBIT);
            let hosts: Vec<usize> = (0..3).map(|n| net.host(&format!("D{n}"))).collect();
            hosts.iter().for_each(|host| {
                net.link(w, *host, 10 * MBIT);
            });
            let e = net.host("E");
            net.link(if two { s } else { v }, e, 10 * MBIT);
            for link in narrow.clone() {
                net.0.links[link].max_frame = Bytes(1_000);
            }
            net.flow("f", s, hosts[0], cbr(MBIT)).to = Destination::AnyOf(hosts[..2].to_vec());
            assert_eq!(blamed(&net), path, "{narrow:?} {two}");
        }
    }
}
