//! Flows with a transport, against closed forms.

use backwater_sim::network::Role;
use backwater_sim::record::What;
use backwater_sim::source::AnySource;
use backwater_sim::spec::{FlowSpec, TransportSpec};
use backwater_sim::targets::Destination;
use backwater_sim::world::{ConnectionReport, Report, World};
use backwater_transport::controller::{CONTROLLERS, Setup};
use backwater_transport::endpoint::{DelayedAck, Protocol, ReceiverSetup, SenderSetup};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};

use crate::net::*;

/// Bytes a full segment of 1448 takes on a wire: 52 + 18 + preamble and gap; and an ACK without SACK
/// blocks.
const SEGMENT: u64 = 1448 + 52 + 18 + 20;
const ACK: u64 = 52 + 18 + 20;
/// Ticks per byte at 100 Mbit/s.
const BYTE: u64 = 80_000;

/// Gives a flow a transport with this controller.
pub fn carry(
    flow: &mut FlowSpec,
    protocol: Protocol,
    controller: &str,
    given: &[(&'static str, Value)],
) {
    let part = CONTROLLERS.iter().find(|p| p.id == controller);
    let part = part.expect("a controller");
    let mss = flow.packet.0 - protocol.row().header;
    let sender = SenderSetup::new(protocol, mss, flow.packet.0 + 18);
    let setup = Setup {
        protocol,
        mss,
        frame: sender.frame,
        initial: sender.initial,
        random: Random::stream(1, "controller", &flow.name),
    };
    flow.transport = Some(TransportSpec {
        controller: (part.build)(&args(part, given), &setup).expect("legal options"),
        receiver: ReceiverSetup::new(protocol, mss),
        sender,
        pulled: protocol.row().queue_pair,
        small_queue: None,
        ack_class: flow.class,
        spreader: None,
        signal_class: flow.class,
    });
}

fn bulk() -> AnySource {
    source("bulk", &[])
}

fn transfer(bytes: u64) -> AnySource {
    source("bulk", &[("size", Value::Bytes(Bytes(bytes)))])
}

/// A host, a switch and a host, 100 Mbit/s, 5 ms each link. Gives the network and the port from the
/// switch to the receiver.
fn path(seconds: f64, from: AnySource, window: u64) -> (Net, usize) {
    let mut net = Net::new(seconds);
    let (s, w, d) = (net.host("S"), net.switch("W"), net.host("D"));
    net.link(s, w, 100 * MBIT);
    let port = net.link(w, d, 100 * MBIT)[0];
    net.0
        .links
        .iter_mut()
        .for_each(|l| l.delay = Span::millis(5));
    let flow = net.flow("f1", s, d, from);
    carry(
        flow,
        Protocol::Stream,
        "fixed",
        &[("window", Value::Packets(window))],
    );
    (net, port)
}

/// The round trip of a full segment that waits nowhere. Nobody waits for the gap of 12 bytes.
const RTT: u64 = 2 * (SEGMENT + ACK - 2 * 12) * BYTE + 20 * MS;

fn only(report: &Report) -> &ConnectionReport {
    assert_eq!(report.connections.len(), 1);
    &report.connections[0]
}

#[test]
fn a_window_below_the_pipe_carries_a_window_for_each_round_trip() {
    let (net, _) = path(10.0, bulk(), 20);
    let report = net.run();
    let c = only(&report);
    assert_eq!(c.stats.rtt_min, Span(RTT));
    // The first window is written at time zero; a window more each round trip; half of one is out.
    let rounds = 10.0 * 1e12 / RTT as f64;
    let segments = c.delivered as f64 / 1448.0;
    assert!(
        (segments - 20.0 * rounds).abs() < 20.0,
        "{segments} {rounds}"
    );
    assert_eq!(c.retransmitted, 0);
    let mean = c.stats.window_area as f64 / 1e13;
    assert!((mean - 20.0 * 1448.0).abs() < 1.0, "{mean}");
}

#[test]
fn a_window_above_the_pipe_fills_the_line_and_what_is_over_waits() {
    // 200 segments; the pipe holds RTT / (1538 · 80 ns) = 165.
    let (net, _) = path(10.0, bulk(), 200);
    let report = net.run();
    let c = only(&report);
    let line = 100e6 * 1448.0 / SEGMENT as f64;
    let goodput = c.delivered as f64 * 8.0 / 10.0;
    // From 10 ms on the line is full.
    assert!((goodput / line - 0.999).abs() < 0.0005, "{goodput} {line}");
    // Little's law: 200 segments in flight at this rate.
    let rtt = c.stats.rtt_sum as f64 / c.stats.rtt_count as f64;
    let little = 200.0 * (SEGMENT * BYTE) as f64;
    assert!((rtt / little - 1.0).abs() < 0.005, "{rtt} {little}");
}

#[test]
fn a_transfer_takes_as_long_as_its_bits_and_the_way() {
    // Ten segments fit the initial window: one after another over the first link, then the second.
    let (net, _) = path(1.0, transfer(14_480), 10);
    let report = net.run();
    let c = only(&report);
    assert_eq!((c.delivered, c.stats.completed), (14_480, 1));
    let last = 11 * SEGMENT * BYTE + 10 * MS;
    // The last bit of the last frame, without its gap of 12 bytes.
    let exact = (last - 2 * 12 * BYTE) as f64 / 1000.0;
    let took = c.stats.completion.quantile(1.0) as f64;
    assert!((took / exact - 1.0).abs() < 0.002, "{took} {exact}");
}

#[test]
fn closed_requests_come_a_round_trip_after_one_another() {
    let request = source(
        "request-response",
        &[
            ("size", Value::Bytes(Bytes(1448))),
            ("gap", Value::Span(Span::millis(10))),
            ("gaps", Value::Choice("fixed")),
        ],
    );
    let (net, _) = path(3.0, request, 10);
    let report = net.run();
    // Think time and round trip.
    let period = (RTT + 10 * MS) as f64 / 1e12;
    let expected = (3.0 / period).floor();
    let done = only(&report).stats.completed as f64;
    assert!((done - expected).abs() <= 1.0, "{done} {expected}");
}

#[test]
fn losses_are_repaired_and_counted_and_every_byte_arrives_in_order() {
    let size = 3_000_000;
    let (mut net, port) = path(20.0, transfer(size), 10);
    // The pipe and 30 frames.
    net.buffer(port, 30 * 1518);
    net.0.links[1].rate.0 = 10 * MBIT;
    carry(&mut net.0.flows[0], Protocol::Stream, "newreno", &[]);
    let report = net.run();
    let c = only(&report);
    assert_eq!((c.delivered, c.stats.completed), (size, 1));
    let dropped = lost_at(&report, port);
    assert!(dropped > 0 && c.retransmitted >= dropped);
    assert_eq!(c.segments, size.div_ceil(1448) + c.retransmitted);
}

#[test]
fn newreno_flows_share_a_dumbbell() {
    let mut net = Net::new(30.0);
    net.0.warmup = Span::secs(5);
    let (l, r) = (net.switch("L"), net.switch("R"));
    let bottleneck = net.link(l, r, 10 * MBIT)[0];
    net.0.links[0].delay = Span::millis(8);
    net.buffer(bottleneck, 25 * 1518);
    for i in 0..4 {
        let (s, d) = (net.host(&format!("S{i}")), net.host(&format!("D{i}")));
        net.link(s, l, 100 * MBIT);
        net.link(r, d, 100 * MBIT);
        let flow = net.flow(&format!("f{i}"), s, d, bulk());
        flow.start = Span::millis(100 * i);
        carry(flow, Protocol::Stream, "newreno", &[]);
    }
    let report = net.run();
    let goodput: Vec<f64> = report
        .connections
        .iter()
        .map(|c| c.delivered as f64 * 8.0 / 25.0)
        .collect();
    let (sum, squares) = (
        goodput.iter().sum::<f64>(),
        goodput.iter().map(|g| g * g).sum::<f64>(),
    );
    // A buffer of a bandwidth-delay product and more keeps the line busy.
    let line = 10e6 * 1448.0 / SEGMENT as f64;
    assert!(sum / line > 0.97 && sum / line < 1.001, "{goodput:?}");
    assert!(sum * sum / (4.0 * squares) > 0.9, "{goodput:?}");
    assert!(report.connections.iter().all(|c| c.retransmitted > 0));
    // ACKs are packets of their own, and in no sum of the flows.
    let data: u64 = report.flows[..4]
        .iter()
        .map(|f| f.sums.entered.packets)
        .sum();
    let acks: u64 = report.flows[4..]
        .iter()
        .map(|f| f.sums.entered.packets)
        .sum();
    assert_eq!(report.flows.len(), 8);
    assert_eq!(report.all.entered.packets, data);
    assert!(acks > 0 && acks <= data);
}

#[test]
fn datagrams_are_sent_once_and_acknowledged_one_by_one() {
    let (mut net, port) = path(5.0, bulk(), 10);
    net.0.links[1].rate.0 = 10 * MBIT;
    net.buffer(port, 20 * 1518);
    let window = [("window", Value::Packets(60))];
    carry(&mut net.0.flows[0], Protocol::Datagram, "fixed", &window);
    let report = net.run();
    let (c, flow) = (only(&report), &report.flows[0].sums);
    assert!(flow.dropped.packets > 0);
    assert_eq!(c.retransmitted, 0);
    assert_eq!(c.delivered, flow.delivered.packets * 1424);
    // One ACK of 76 bytes for each.
    let acks = report.flows[1].sums.entered;
    assert_eq!(acks.packets, flow.delivered.packets);
    assert_eq!(acks.bytes, acks.packets * 76);
}

#[test]
fn a_flow_that_stops_falls_silent() {
    let (mut net, _) = path(2.0, bulk(), 20);
    net.0.flows[0].stop = Span::secs(1);
    let report = net.run();
    let segments = only(&report).delivered as f64 / 1448.0;
    assert!(
        (segments - 20.0 * 1e12 / RTT as f64).abs() <= 21.0,
        "{segments}"
    );
    assert_eq!(report.held, 0);
}

#[test]
fn timers_cost_no_event_for_each_segment() {
    let (net, _) = path(10.0, bulk(), 20);
    let mut world = net.world();
    world.advance(world.end());
    // Beyond the arrivals: the probe timer of two round trips (RFC 8985 section 7.2) is looked at once
    // in that time, for some 10,000 segments.
    let looks = world.events() - world.packet_hops();
    let probes = 10 * 1000 * MS / (2 * RTT);
    assert!(looks > 0 && looks <= probes + 5, "{looks} {probes}");
}

#[test]
fn delayed_acknowledgements_halve_the_way_back() {
    let (mut net, _) = path(5.0, bulk(), 20);
    let transport = net.0.flows[0].transport.as_mut().expect("a transport");
    transport.receiver.delayed_ack = Some(DelayedAck {
        segments: 2,
        timeout: Span::millis(40),
    });
    let report = net.run();
    let (data, acks) = (&report.flows[0].sums, &report.flows[1].sums);
    let share = acks.entered.packets as f64 / data.delivered.packets as f64;
    assert!((share - 0.5).abs() < 0.01, "{share}");
}

#[test]
fn a_fork_carries_on_as_the_run_would_have() {
    let (mut net, port) = path(4.0, bulk(), 10);
    net.buffer(port, 30 * 1518);
    carry(&mut net.0.flows[0], Protocol::Stream, "newreno", &[]);
    let mut world = net.world();
    world.advance(Time::ZERO.after(Span::millis(1_700)));
    let mut fork: World = world.clone();
    for w in [&mut world, &mut fork] {
        w.advance(w.end());
    }
    let (a, b) = (world.report(), fork.report());
    assert_eq!(a.fingerprint, b.fingerprint);
    assert_eq!(a.fingerprint, net.run().fingerprint);
}

#[test]
fn a_recorded_run_shows_the_window_as_it_moves() {
    let (mut net, port) = path(4.0, bulk(), 10);
    net.0.links[1].rate.0 = 10 * MBIT;
    net.buffer(port, 30 * 1518);
    carry(&mut net.0.flows[0], Protocol::Stream, "newreno", &[]);
    let (report, records) = net.run_recorded();
    let windows: Vec<(Time, u64)> = records
        .iter()
        .filter(|r| r.what == What::Window)
        .map(|r| (r.at, r.value))
        .collect();
    assert_eq!(windows[0], (Time::ZERO, 14_480));
    // The area under the steps is the mean that is reported.
    let ends = windows[1..]
        .iter()
        .map(|w| w.0)
        .chain([Time(4 * 1000 * MS)]);
    let area: u128 = windows
        .iter()
        .zip(ends)
        .map(|((at, w), end)| u128::from(end.0 - at.0) * u128::from(*w))
        .sum();
    assert_eq!(area, only(&report).stats.window_area);
    for what in [What::Threshold, What::Srtt] {
        assert!(records.iter().any(|r| r.what == what), "{what:?}");
    }
}

#[test]
fn what_cannot_work_is_refused_with_its_place() {
    let refusal = |change: &dyn Fn(&mut Net)| {
        let (mut net, _) = path(1.0, bulk(), 10);
        change(&mut net);
        let refusal = World::build(&net.0).expect_err("refused");
        (refusal.path, refusal.what)
    };
    let (at, _) = refusal(&|net| net.0.flows[0].transport = None);
    assert_eq!(at, "flows.f1.source");
    let (at, _) = refusal(&|net| net.0.flows[0].to = Destination::AnyOf(vec![2]));
    assert_eq!(at, "flows.f1.to");
    let (at, _) = refusal(&|net| net.0.flows[0].packet = Bytes(52));
    assert_eq!(at, "flows.f1.packet");
    let (at, _) = refusal(&|net| net.0.flows[0].source = source("outside", &[]));
    assert_eq!(at, "flows.f1.source");
    // The switch's port toward the sender holds no acknowledgement.
    let (at, what) = refusal(&|net| net.buffer(1, 60));
    assert!(
        at.starts_with("ports.W>S") && what.contains("hold one frame"),
        "{at} {what}"
    );
}

#[test]
fn flows_and_companions_know_each_other() {
    let (net, _) = path(0.1, bulk(), 10);
    let world = net.world();
    let c = &world.ends.connections.iter().next().expect("one");
    assert_eq!(
        world.network().flows[c.data].role,
        Role::Data(backwater_sim::table::Id::new(0))
    );
    assert_eq!(
        world.network().flows[c.acks].role,
        Role::Acks(backwater_sim::table::Id::new(0))
    );
    assert_eq!(world.network().flows[c.acks].name, "f1~ack");
}

/// Hosts on both sides of two switches; rates of the three links in Mbit/s.
fn three_links(rates: [u64; 3], delay: Span, sizes: &[u64]) -> Report {
    let mut net = Net::new(20.0);
    let (s, v, w, d) = (
        net.host("S"),
        net.switch("V"),
        net.switch("W"),
        net.host("D"),
    );
    for ((a, b), rate) in [(s, v), (v, w), (w, d)].into_iter().zip(rates) {
        net.link(a, b, rate * MBIT);
    }
    net.0.links.iter_mut().for_each(|l| l.delay = delay);
    for (n, size) in sizes.iter().enumerate() {
        let flow = net.flow(&format!("f{n}"), s, d, transfer(*size));
        let window = [("window", Value::Packets(10_000))];
        carry(flow, Protocol::Stream, "fixed", &window);
    }
    net.run()
}

/// Alone and with a window for all of it, a transfer takes what it takes at best, wherever the slowest
/// link is and however short its last frame; two at once, of which the second waits for the first, take up to
/// twice that. Sizes are told apart by decade.
#[test]
fn slowdown_is_one_alone_and_two_beside_an_equal() {
    let slowdown = |report: &Report, flow: usize, size: u64| {
        let by_size = &report.connections[flow].stats.slowdown;
        assert_eq!(by_size.len(), size.ilog10() as usize + 1);
        by_size.last().expect("one").quantile(1.0)
    };
    for rates in [
        [10, 100, 1000],
        [1000, 100, 10],
        [100, 10, 100],
        [10, 100, 10],
        [100, 100, 100],
    ] {
        for size in [1, 999, 1448, 1449, 2896, 14_481, 300_000] {
            for delay in [Span::ZERO, Span::millis(5)] {
                let report = three_links(rates, delay, &[size]);
                let ours = slowdown(&report, 0, size);
                assert_eq!(ours, 1000, "{rates:?} {size} {delay:?}");
            }
        }
    }
    let report = three_links([100, 10, 100], Span::ZERO, &[300_000, 300_000]);
    let both = [0, 1].map(|flow| slowdown(&report, flow, 300_000));
    assert!(both[0].max(both[1]).abs_diff(2000) < 10, "{both:?}");
}
