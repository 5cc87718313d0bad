//! Random streams of stations that are keyed anew at the beginning of a run. In each cell one kind of chance alone has an effect: a run
//! that is keyed anew differs from one that is not by that kind.

use std::collections::BTreeMap;

use backwater_sim::medium::wifi::air_log::{AirFrame, Body, Fate};
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::fading::{BlockFading, Law};
use backwater_sim::medium::wifi::phy::physical::Physical;
use backwater_sim::medium::wifi::spec::{Edition, RateControl};
use backwater_sim::queue::QUEUES;
use backwater_sim::world::World;
use backwater_transport::part::{Args, Value};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::aggregate::noisy_cell;
use crate::cell::{B, BASIC, Cell, G, dcf, disc, saturated};
use crate::physical::plain;

/// The data frames of a run, keyed anew or not.
fn frames(cell: &Cell, anew: bool) -> Vec<AirFrame> {
    let mut world = World::build(&cell.0).expect("a legal cell");
    if anew {
        world.reseed(7);
    }
    world.start_air_log();
    world.advance(world.end());
    let frames = world.take_air_frames(true).into_iter();
    frames.filter(|f| f.kind == FrameKind::Data).collect()
}

/// Nobody draws a backoff, and each frame has one try.
fn without_backoff(cell: &mut Cell) {
    let mac = &mut cell.0.media[0].mac;
    (mac.retry_short, mac.retry_long) = (1, 1);
    for category in &mut mac.categories {
        (category.cw_min, category.cw_max) = (0, 0);
    }
}

/// A fact of each packet, by its number.
fn by_packet(frames: &[AirFrame], fact: fn(&AirFrame) -> bool) -> BTreeMap<u32, bool> {
    let of = |frame: &AirFrame| match &frame.body {
        Some(Body::Packet(packet, ..)) => (packet.seq, fact(frame)),
        _ => panic!("a frame with a packet"),
    };
    frames.iter().map(of).collect()
}

/// Of two runs whose packets have a fact with the same chance p, each for itself, a share of 2 p (1 - p) differ.
fn assert_independent(cell: &Cell, fact: fn(&AirFrame) -> bool) {
    let [one, other] = [false, true].map(|anew| by_packet(&frames(cell, anew), fact));
    let n = one.len().min(other.len()) as f64;
    let count = |all: &BTreeMap<u32, bool>| all.values().filter(|is| **is).count() as f64;
    let p = (count(&one) + count(&other)) / (one.len() + other.len()) as f64;
    assert!(n > 300.0 && (0.3..0.7).contains(&p), "{n} {p}");
    let both = one
        .iter()
        .filter_map(|(seq, is)| Some((is, other.get(seq)?)));
    let differ = both.filter(|(a, b)| a != b).count() as f64 / n;
    let expected = 2.0 * p * (1.0 - p);
    let error = (expected * (1.0 - expected) / n).sqrt();
    assert!(
        (differ - expected).abs() < 4.0 * error,
        "{differ}, not {expected}"
    );
}

/// A sends to B at 54 Mbit/s, at so many metres, without backoff.
fn pair(channel: Physical, metres: f64) -> Cell {
    let mut cell = Cell::new(0.3, G, dcf(G, BASIC), ChannelSpec::Physical(channel));
    cell.0.media[0].phy.control = Rate(6_000_000);
    without_backoff(&mut cell);
    let [a, b] = [0.0, metres].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(a).rate = Some(Rate(54_000_000));
    cell.flow(a, b, 1, saturated(1500));
    cell
}

/// A channel that fades anew for each frame, by Rayleigh's law: the gains of packets are independent of each other. At 58 m a frame at
/// 54 Mbit/s needs two thirds of the mean of the path, so that about half of them are lost.
#[test]
fn gains_of_channels_are_drawn_anew() {
    let channel = Physical {
        fading: Some(BlockFading {
            law: Law::Nakagami(1.0),
            coherence: Span::micros(10),
        }),
        fer_target: 0.99,
        ..plain()
    };
    assert_independent(&pair(channel, 58.0), |f| f.fate == Fate::Received);
}

/// At 71 m a frame at 54 Mbit/s fails about every second time, by its noise alone.
#[test]
fn errors_of_receivers_are_drawn_anew() {
    let channel = Physical {
        fer_target: 0.99,
        ..plain()
    };
    assert_independent(&pair(channel, 71.0), |f| f.fate == Fate::Received);
}

/// A station alone on the air draws a backoff behind each frame, so the instants of its frames tell what it drew.
#[test]
fn backoffs_are_drawn_anew() {
    let mut cell = Cell::new(0.1, B, dcf(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.flow(a, b, 1, saturated(1500));
    let begun = |anew: bool| -> Vec<Time> { frames(&cell, anew).iter().map(|f| f.at).collect() };
    assert_eq!(begun(false), begun(false));
    assert_ne!(begun(false), begun(true));
}

/// A queue that marks a packet by a chance that rises from 1 B to 3035 B. Each finds the one of 1518 B that came before, half-way.
#[test]
fn queue_management_of_stations_draws_anew() {
    let row = QUEUES.iter().find(|p| p.id == "ecn-ramp");
    let options = [
        ("min", Value::Bytes(Bytes(1))),
        ("max", Value::Bytes(Bytes(3035))),
        ("top", Value::Share(1.0)),
        ("classes", Value::Count(1)),
        ("ecn", Value::Flag(true)),
        ("marks", Value::Choice("arrival")),
        ("unmarkable", Value::Choice("pass")),
    ];
    let queue = (row.expect("a queue").build)(&Args(options.into())).expect("legal options");
    let mut cell = Cell::new(1.0, B, dcf(B, BASIC), disc(100.0, 100.0));
    without_backoff(&mut cell);
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(a).aqm = queue.aqm;
    let flow = cell.flow(a, b, 1, saturated(1500));
    cell.0.flows[flow].ecn = Ecn::Ect0;
    assert_independent(&cell, |frame| match &frame.body {
        Some(Body::Packet(packet, ..)) => packet.traffic.ecn() == Ecn::Ce,
        _ => false,
    });
}

/// Rate control probes modes in an order that is drawn. At 15.3 dB an MPDU at MCS 4 of one stream fails once in 15,000 times, and
/// one at MCS 5 always, so that nothing else is left to chance.
#[test]
fn probes_of_rate_control_are_drawn_anew() {
    for edition in [Edition::Linux, Edition::Ns3] {
        let mut cell = noisy_cell(0.3, 64, 15.3);
        without_backoff(&mut cell);
        let high = cell.0.media[0].high.as_mut().expect("modes");
        high.control = RateControl::Minstrel(edition);
        let modes = |anew: bool| -> Vec<_> {
            let sent = frames(&cell, anew);
            sent.iter().map(|frame| (frame.at, frame.mode)).collect()
        };
        assert!(modes(false) == modes(false));
        assert!(modes(false) != modes(true), "{edition:?}");
    }
}
