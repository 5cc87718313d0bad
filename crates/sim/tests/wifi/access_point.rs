//! Stations with wires: an access point, what waits in front of its radio, and delays over both media.

use std::sync::{Arc, Mutex};

use backwater_sim::limit::Limit;
use backwater_sim::mechanism::AnyDetector;
use backwater_sim::queue::AnyScheduler;
use backwater_sim::spec::{LinkSpec, NodeKind, NodeSpec, PortSpec, SwitchModel};
use backwater_sim::world::{FlowReport, World};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::cell::{B, BASIC, Cell, cbr, dcf, disc, once, saturated};
use crate::ez_flow::{Departures, PARTS};
use crate::mechanisms::mechanism;

const MBIT: u64 = 1_000_000;

/// A wire of this rate and a microsecond.
fn wire(cell: &mut Cell, a: usize, b: usize, rate: u64) {
    cell.0.links.push(LinkSpec {
        name: format!("l{}", cell.0.links.len()),
        ends: [a, b],
        rate: Rate(rate),
        delay: Span::micros(1),
        directions: [None, None],
        max_frame: Bytes(1518),
    });
    for (from, to) in [(a, b), (b, a)] {
        let name = format!("{}>{}", cell.0.nodes[from].name, cell.0.nodes[to].name);
        cell.0.ports.push(PortSpec {
            name,
            scheduler: AnyScheduler::Fifo,
            aqm: None,
            trim: None,
            watchdog: None,
            buffer: Limit::Unlimited,
        });
    }
}

fn node(cell: &mut Cell, name: &str, kind: NodeKind) -> usize {
    cell.0.nodes.push(NodeSpec {
        name: name.into(),
        kind,
    });
    cell.0.nodes.len() - 1
}

/// Stations s0… round an access point, which a wire joins over a switch to a fixed node. Gives the stations, the access
/// point and the fixed node.
fn wlan(stations: usize, seconds: f64) -> (Cell, Vec<usize>, usize, usize) {
    let mut cell = Cell::new(seconds, B, dcf(B, BASIC), disc(100.0, 100.0));
    let ap = cell.station("AP", 0.0, 0.0);
    let stations = (0..stations).map(|i| cell.station(&format!("s{i}"), 1.0 + i as f64, 0.0));
    let stations: Vec<usize> = stations.collect();
    let router = node(&mut cell, "R", NodeKind::Switch(SwitchModel::OutputQueued));
    let fixed = node(&mut cell, "D", NodeKind::Host { obeys: true });
    wire(&mut cell, ap, router, 100 * MBIT);
    wire(&mut cell, router, fixed, 100 * MBIT);
    (cell, stations, ap, fixed)
}

/// Seconds that a flow's packets took, by part: serialisation, queue, gate, contention, retries, propagation.
fn parts(flow: &FlowReport) -> [u128; 6] {
    let sum = &flow.sums.sum;
    [
        sum.serial,
        sum.queue,
        sum.gate,
        sum.contention,
        sum.retries,
        sum.propagation,
    ]
}

/// One packet of 1500 B over the idle cell and two idle wires of 100 Mbit/s: 192 us of preamble and 1536 B at 11 Mbit/s, in
/// whole microseconds, then twice 1526 B at 100 Mbit/s; a microsecond of propagation each.
#[test]
fn a_packet_crosses_radio_and_wires_in_the_time_of_both() {
    let air = 192_000_000 + 1_118_000_000;
    let wires = 2 * 1526 * 8 * 10_000;
    for up in [true, false] {
        let (mut cell, stations, _, fixed) = wlan(1, 1.0);
        let ends = if up {
            [stations[0], fixed]
        } else {
            [fixed, stations[0]]
        };
        let flow = cell.flow(ends[0], ends[1], 1, once(1500));
        // When the medium has been idle for longer than DIFS.
        cell.0.flows[flow].start = Span::millis(500);
        let (_, report) = cell.run();
        let flow = &report.flows[0];
        assert_eq!(flow.sums.delivered.packets, 1, "up: {up}");
        let expected = [air + wires, 0, 0, 0, 0, 3_000_000];
        assert_eq!(parts(flow), expected, "up: {up}");
        assert_eq!(flow.sums.sum.total, expected.iter().sum::<u128>());
        assert_eq!(flow.hops.len(), 3);
    }
}

/// Four saturated stations send to the fixed node: what their packets met on the air stays in the split when the last hop is
/// a wire, and the parts add up.
#[test]
fn contention_and_retries_stay_in_the_split_behind_a_wire() {
    let (mut cell, stations, _, fixed) = wlan(4, 5.0);
    for station in stations {
        cell.flow(station, fixed, 1, saturated(1500));
    }
    let (_, report) = cell.run();
    for flow in &report.flows {
        let parts = parts(flow);
        assert!(parts[3] > 0 && parts[4] > 0, "{parts:?}");
        assert_eq!(flow.sums.sum.total, parts.iter().sum::<u128>());
    }
    // The same cell with the access point as the sink: wires ten times as fast take nothing away.
    let mut sink = cell.clone();
    for flow in &mut sink.0.flows {
        flow.to = backwater_sim::targets::Destination::Node(0);
    }
    let total = |rates: Vec<f64>| rates.iter().sum::<f64>();
    let (behind, at) = (total(cell.throughputs(3)), total(sink.throughputs(3)));
    assert!((behind / at - 1.0).abs() < 0.01, "{behind} {at}");
}

/// Bytes that wait mean frames with header and FCS for every medium: ten packets of 1000 B are 10,180 B.
#[test]
fn bytes_of_a_buffer_are_those_of_frames_on_every_medium() {
    let (mut cell, stations, ap, fixed) = wlan(1, 1.0);
    cell.spec(ap).buffer = Limit::Bytes(Bytes(10_180));
    cell.flow(fixed, stations[0], 1, cbr(1000, 50 * MBIT));
    let (_, report) = cell.run();
    let most = report
        .ports
        .iter()
        .map(|p| p.count.max_bytes)
        .collect::<Vec<_>>();
    assert!(most.contains(&10_180), "{most:?}");
}

/// Two access points with a wire between: packets go over the air, a wire, and the air again.
#[test]
fn stations_of_two_cells_talk_over_the_wire_between_their_access_points() {
    let mut cell = Cell::new(2.0, B, dcf(B, BASIC), disc(100.0, 100.0));
    let [a, ap1, ap2, b] = [("a", 0.0), ("AP1", 50.0), ("AP2", 1050.0), ("b", 1100.0)]
        .map(|(name, x)| cell.station(name, x, 0.0));
    wire(&mut cell, ap1, ap2, 100 * MBIT);
    cell.flow(a, b, 1, cbr(1000, MBIT));
    cell.flow(b, a, 1, cbr(1000, MBIT));
    let (_, report) = cell.run();
    for flow in &report.flows {
        let sums = &flow.sums;
        assert_eq!(flow.hops.len(), 3);
        assert!(sums.delivered.packets >= 248, "{}", sums.delivered.packets);
    }
}

/// A host with two wires reaches either side by the right one, and forwards nothing.
#[test]
fn a_host_may_have_several_ports() {
    let mut cell = Cell::new(1.0, B, dcf(B, BASIC), disc(100.0, 100.0));
    let [a, b, c] =
        ["a", "b", "c"].map(|name| node(&mut cell, name, NodeKind::Host { obeys: true }));
    wire(&mut cell, a, b, 100 * MBIT);
    wire(&mut cell, b, c, 100 * MBIT);
    cell.flow(b, a, 1, cbr(1000, MBIT));
    cell.flow(b, c, 1, cbr(1000, MBIT));
    let (_, report) = cell.run();
    for flow in &report.flows {
        assert!(flow.sums.delivered.packets >= 124);
    }
    cell.flow(a, c, 1, cbr(1000, MBIT));
    let refusal = World::build(&cell.0).expect_err("b is a host");
    assert_eq!(refusal.path, "flows.f2.to");
    assert!(
        refusal.what.contains("no route leads from a to c"),
        "{refusal:?}"
    );
}

/// 8 Mbit/s come over a wire for the 6 Mbit/s that the air takes. An access point whose buffer
/// fills asks the host to stop: one that obeys PAUSE does, so nothing is lost, and one that does
/// not goes on as where nobody asks.
#[test]
fn a_host_that_does_not_obey_pause_goes_on_at_an_access_point_too() {
    let lost = |obeys: bool, asks: bool| {
        let mut cell = Cell::new(3.0, B, dcf(B, BASIC), disc(100.0, 100.0));
        let [ap, station] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        let host = node(&mut cell, "D", NodeKind::Host { obeys });
        wire(&mut cell, ap, host, 10 * MBIT);
        cell.flow(host, station, 1, cbr(1500, 8 * MBIT));
        if asks {
            let parts = ["watermark", "pause", "gate"];
            cell.0.mechanisms = vec![mechanism(parts, vec![ap], &[])];
        }
        let (_, report) = cell.run();
        report.flows[0].sums.dropped.packets
    };
    let without = lost(true, false);
    assert!(without > 100, "{without}");
    assert_eq!(lost(true, true), 0);
    assert_eq!(lost(false, true), without);
}

/// A wire has gates at its far end, and neither access parameters nor links of a radio: those are 802.11's. So an access point that is
/// filled over its wire may ask for a gate by PAUSE, and for nothing else.
#[test]
fn a_wire_is_asked_for_nothing_that_only_a_station_has() {
    let (mut cell, stations, ap, fixed) = wlan(1, 1.0);
    cell.flow(fixed, stations[0], 1, cbr(1000, MBIT));
    for (respond, fits) in [("gate", true), ("aifsn", false), ("link-gate", false)] {
        cell.0.mechanisms = vec![mechanism(["watermark", "pause", respond], vec![ap], &[])];
        let built = World::build(&cell.0);
        let refused = built.err().map(|refusal| refusal.what);
        let names_wire = |what: String| what.contains("filled over the wire R>AP");
        assert_eq!(
            refused.map(names_wire),
            (!fits).then_some(true),
            "{respond}"
        );
    }
}

/// A station tells at most 64 others one by one: they fit one word of 64 bits. A frame to all tells any number, and a header field
/// belongs to the frame of one.
#[test]
fn a_station_tells_up_to_64_others_one_by_one() {
    let refused = |feeders: usize, cast: &'static str, carrier: &'static str| {
        let (mut cell, stations, ap, _) = wlan(feeders, 1.0);
        for station in stations {
            cell.flow(station, ap, 1, cbr(1000, 10_000));
        }
        let given = [
            ("cast", Value::Choice(cast)),
            ("carrier", Value::Choice(carrier)),
        ];
        cell.0.mechanisms = vec![mechanism(["watermark", "pause", "gate"], vec![ap], &given)];
        World::build(&cell.0).err().map(|refusal| refusal.what)
    };
    // The switch behind the wire is the last of the 64.
    assert_eq!(refused(63, "each", "frame"), None);
    let what = refused(64, "each", "frame").expect("one too many");
    assert!(
        what.contains("and 64 at most can be told one by one"),
        "{what}"
    );
    assert_eq!(refused(64, "group", "frame"), None);
    assert_eq!(refused(9, "each", "header"), None);
    let what = refused(9, "group", "header").expect("no frame to one");
    assert!(
        what.contains("a header field tells the station that its data frame is for"),
        "{what}"
    );
}

/// Packets that an access point sends on over its wire can't be overheard there, and those for a station of its cell can.
#[test]
fn packets_that_go_on_over_a_wire_are_not_expected_on_the_air() {
    let (mut cell, stations, _, fixed) = wlan(2, 1.0);
    cell.flow(stations[0], fixed, 1, cbr(1500, 120_000));
    let bent = cell.flow(stations[0], stations[1], 1, cbr(1000, 80_000));
    cell.0.flows[bent].route = Some(vec![stations[0], 0, stations[1]]);
    let left = Arc::new(Mutex::new(Vec::new()));
    let mut witness = mechanism(PARTS, vec![stations[0]], &[]);
    witness.detect = AnyDetector::Custom(Box::new(Departures(left.clone())));
    cell.0.mechanisms = vec![witness];
    cell.run();
    let rows = left.lock().expect("one thread");
    let of = |bytes: u64| rows.iter().filter(move |row| row.0 == bytes);
    assert!(of(1518).count() >= 9 && of(1018).count() >= 9);
    assert!(of(1518).all(|row| !row.1) && of(1018).all(|row| row.1));
}
