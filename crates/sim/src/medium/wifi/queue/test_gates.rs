//! The packets of a station that gates let go: past others that wait for the same neighbour, one by
//! one from a burst, and too late.

use backwater_transport::units::{Rate, Span, Time};

use super::next_frame::tests::two_flows;
use crate::limit::Limit;
use crate::mechanism::gates::{Bar, Bucket, Gates};
use crate::medium::wifi::air_log::Body;
use crate::medium::wifi::mac::aggregate::tests::{APART, short_packets};
use crate::medium::wifi::mac::category::{AccessMode, Countdown};
use crate::medium::wifi::mac::frame::FrameKind;
use crate::medium::wifi::test_line::line;
use crate::spec::{FlowSpec, NodeKind, Spec};
use crate::table::Id;
use crate::targets::Destination;
use crate::world::World;

/// When packets for host 2 may go.
const SHUT: Time = Time(600_000_000_000);

/// 80 packets of 1000 B in 640 ms from station 0 to host 1, and as many to host 2, among stations
/// at these places.
fn two_flows_among(places: &[f64]) -> Spec {
    let mut spec = line(places);
    let NodeKind::Station(radios) = &mut spec.nodes[0].kind else {
        unreachable!("a line of stations");
    };
    radios[0].buffer = Limit::Packets(200);
    spec.flows = two_flows().flows;
    spec
}

/// A packet each: from, to, class and when.
fn flows<const N: usize>(model: &FlowSpec, rows: [(usize, usize, u8, Span); N]) -> Vec<FlowSpec> {
    let one = |(from, to, class, start): (usize, usize, u8, Span)| FlowSpec {
        name: format!("{from} {start:?}"),
        from,
        to: Destination::Node(to),
        class,
        start,
        stop: start + Span::millis(1),
        ..model.clone()
    };
    rows.map(one).into()
}

/// Holds back all packets for these hosts, and to this station.
fn bar(key: u64, hosts: Option<u64>, next: Option<u32>, until: Time) -> Bar {
    Bar {
        key,
        classes: 0xff,
        hosts: hosts.map(|hosts| vec![hosts].into()),
        next,
        until,
        bucket: None,
    }
}

/// A world whose station 0 has these bars from the beginning on.
fn barred(spec: &Spec, bars: impl IntoIterator<Item = Bar>) -> World {
    let mut world = World::build(spec).expect("legal stations");
    let mut gates = Gates::default();
    for bar in bars {
        gates.lower(Time::ZERO, bar);
    }
    world.media.air.radios[0].gates = Some(Box::new(gates));
    world
}

/// Host 2 lies behind host 1.
const ROW: [f64; 3] = [0.0, 60.0, 120.0];

/// A bar toward the second host up to `SHUT`.
fn toward_second() -> Bar {
    bar(1, Some(0b100), None, SHUT)
}

/// Packets for both hosts wait for one neighbour: those that may go overtake those that may not.
#[test]
fn a_gate_toward_a_destination_lets_others_pass_to_the_same_neighbour() {
    let mut world = barred(&two_flows_among(&ROW), [toward_second()]);
    let count = |w: &World| [0, 1].map(|f| w.network().flows.0[f].stats.delivered.packets);
    world.advance(Time(SHUT.0 - 1));
    let before = count(&world);
    assert!(before[0] >= 74 && before[1] == 0, "{before:?}");
    world.advance(world.end());
    assert_eq!(count(&world), [80, 80]);
}

/// Packets for host 1 may go from 590 ms on, and those for host 2, the oldest of which came second,
/// from 600 ms on: the first frame from then on has that one, whatever was to go before.
#[test]
fn the_oldest_packet_goes_as_soon_as_its_gate_opens() {
    let first = bar(2, Some(0b010), None, Time::ZERO + Span::millis(590));
    let spec = two_flows_among(&ROW);
    let mut world = barred(&spec, [toward_second(), first]);
    world.start_air_log();
    world.advance(world.end());
    let frames = world.take_air_frames(true).into_iter();
    let sent: Vec<_> = frames.filter(|f| f.from == 0).collect();
    let exchanges = sent.iter().filter(|f| f.kind == FrameKind::Rts);
    let before = exchanges.filter(|f| f.at < SHUT).count();
    assert!((8..74).contains(&before), "{before}");
    let begun = sent.iter().skip_while(|f| f.at < SHUT);
    let begun = begun.skip_while(|f| f.kind != FrameKind::Rts);
    let data = begun.clone().find(|f| f.kind == FrameKind::Data);
    let Some(Body::Packet(packet, ..)) = &data.expect("a frame").body else {
        unreachable!("a frame with a packet");
    };
    assert_eq!((packet.flow, packet.seq), (Id::new(1), 0));
}

/// A link is stuck while the packet at its head may not go, since the gate closed, and not while it
/// sends one for another host.
#[test]
fn a_link_that_sends_past_a_gate_is_not_stuck() {
    let mut world = barred(&two_flows_among(&ROW), [toward_second()]);
    let (mut stuck, mut sends) = (0, 0);
    for micros in (9000..30_000).step_by(50) {
        let now = Time::ZERO + Span::micros(micros);
        world.advance(now);
        let air = &world.media.air;
        let since = air.stuck_since(&world.shared.network, air.hops[0].port, now);
        if air.radios[0].exchange.is_some() {
            assert_eq!(since, None, "{micros} us");
            sends += 1;
        } else if since.is_some() {
            assert_eq!(since, Some(Time::ZERO), "{micros} us");
            stuck += 1;
        }
    }
    assert!(sends > 5 && stuck > 100, "{sends} {stuck}");
}

/// A packet becomes too old behind a gate and is given up. A later packet finds that the medium has
/// been idle for DIFS, and goes at once, although another gate opened while another station was
/// sending: a station without packets draws no backoff.
#[test]
fn a_gate_that_opens_for_no_packet_causes_no_backoff() {
    // The other station's RTS, of 52 us, begins 20 us before the gate opens; its exchange ends 348
    // us behind, and DIFS is 34 us.
    let opens = Span::millis(100);
    let goes = opens + Span::micros(385);
    for seed in 1..=8 {
        let mut spec = two_flows_among(&[0.0, 60.0, 50.0, 55.0]);
        spec.seed = seed;
        spec.media[0].mac.lifetime = Some(Span::millis(20));
        let begins = Span(opens.0 - Span::micros(20).0);
        let rows = [
            (0, 1, 1, Span::millis(10)),
            (3, 2, 1, begins),
            (0, 1, 1, goes),
        ];
        spec.flows = flows(&spec.flows[0], rows);
        let bars = [(1, Span::millis(50)), (2, opens)];
        let bars =
            bars.map(|(next, until)| bar(u64::from(next), None, Some(next), Time::ZERO + until));
        let mut world = barred(&spec, bars);
        world.start_air_log();
        world.advance(world.end());
        assert_eq!(world.network().flows.0[0].stats.delivered.packets, 0);
        let frames = world.take_air_frames(true).into_iter();
        let own = frames.filter(|f| f.from == 0).map(|f| f.at);
        assert_eq!(own.min(), Some(Time::ZERO + goes), "seed {seed}");
    }
}

/// A bucket of 1 Mbit/s without depth lets a frame of 58 B go every 464 us: each goes alone, though
/// 64 wait.
#[test]
fn a_bucket_without_depth_lets_one_frame_of_a_burst_go() {
    let bucket = Bucket {
        rate: Rate(1_000_000),
        tolerance: Span::ZERO,
        due: Time::ZERO,
    };
    let slow = Bar {
        bucket: Some(bucket),
        ..bar(1, None, Some(1), Time::ZERO + Span::secs(10))
    };
    let mut world = barred(&short_packets(APART), [slow]);
    world.advance(Time::ZERO + Span::millis(464));
    let toward = world.media.air.radios[1].count.toward;
    // A frame that may go waits for 43 us and up to 15 slots of 9 us more.
    assert!((722..=1001).contains(&toward.ppdus), "{}", toward.ppdus);
    assert_eq!(toward.frames, toward.ppdus);
}

/// Station 0 gets a packet while another sends, counts down a backoff and finds its gate shut. Its
/// counter stands still until the gate opens, also while another category of the station sends, and
/// the other station again.
#[test]
fn a_counter_stands_still_while_a_gate_holds_its_packets_back() {
    let mut longest = 0;
    for seed in 1..=4 {
        let mut spec = two_flows_among(&[0.0, 60.0, 50.0, 55.0]);
        spec.seed = seed;
        let mac = &mut spec.media[0].mac;
        mac.access = AccessMode::Edca;
        mac.countdown = Countdown::Boundary;
        mac.categories = mac.access.defaults((15, 1023));
        mac.categories[2].cw_min = 0;
        spec.flows = flows(
            &spec.flows[0],
            [
                (3, 2, 3, Span::millis(10)),
                (0, 1, 1, Span::micros(10_050)),
                (0, 1, 2, Span::millis(20)),
                (3, 2, 3, Span::millis(30)),
            ],
        );
        let shut = Bar {
            classes: 0b0010,
            ..bar(1, None, None, SHUT)
        };
        let mut world = barred(&spec, [shut]);
        let at = |world: &mut World, millis| {
            world.advance(Time::ZERO + Span::millis(millis));
            let c = &world.media.air.radios[0].categories[1];
            assert!(c.dormant && c.frames == 1);
            c.slots
        };
        let slots = at(&mut world, 15);
        assert_eq!([25, 40].map(|millis| at(&mut world, millis)), [slots; 2]);
        assert_eq!(world.network().flows.0[2].stats.delivered.packets, 1);
        longest = longest.max(slots);
    }
    assert!(longest > 2);
}

/// Bars for other hosts hold back no packet of a burst: each A-MPDU takes all 64 that wait.
#[test]
fn a_bar_for_others_leaves_bursts_whole() {
    let others = bar(1, Some(1), None, Time::ZERO + Span::secs(10));
    let mut world = barred(&short_packets(APART), [others]);
    world.advance(Time::ZERO + Span::millis(100));
    let toward = world.media.air.radios[1].count.toward;
    assert!(toward.ppdus > 50);
    assert_eq!(toward.frames, 64 * toward.ppdus);
}

/// A packet comes to an idle station whose gate is shut for another 20 ms. It goes when the gate opens, and all of its wait is that of the gate.
#[test]
fn what_a_gate_holds_back_does_not_contend() {
    let mut spec = two_flows_among(&[0.0, 60.0, -60.0]);
    spec.flows = flows(&spec.flows[0], [(0, 1, 0, Span::millis(10))]);
    let until = Time::ZERO + Span::millis(30);
    let mut world = barred(&spec, [bar(1, None, None, until)]);
    world.advance(world.end());
    let report = world.report();
    let sums = &report.flows[0].sums;
    assert_eq!(sums.delivered.packets, 1);
    assert_eq!((sums.sum.contention, sums.sum.queue), (0, 0));
    assert_eq!(sums.sum.gate, u128::from(Span::millis(20).0));
}
