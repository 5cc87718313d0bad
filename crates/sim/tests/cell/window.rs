//! A fixed window over the Verizon traces of the 2013 contest. The sender is written here, in a few lines
//! on top of `inject`, so that the link is checked alone.

use std::path::PathBuf;

use backwater_sim::medium::trace::{AnyTrace, Emulator, file};
use backwater_sim::table::Id;
use backwater_sim::world::{Fate, World};
use backwater_transport::units::Time;

use crate::net::{CELLSIM, MAHIMAHI, MS, at, delay, direction, recorded, spec};
use crate::outside::inject;

/// The folder of traces, which lie outside the project.
pub fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("BACKWATER_TRACES").map(PathBuf::from);
    if named.is_none() {
        eprintln!("skipped: BACKWATER_TRACES names no folder");
    }
    named
}

/// The milliseconds of one of them.
pub fn lines(name: &str) -> Option<Vec<u64>> {
    let folder = folder()?;
    let Ok(content) = std::fs::read(folder.join(name)) else {
        eprintln!("skipped: {} has no {name}", folder.display());
        return None;
    };
    let lines = file::read(&content).expect("a trace");
    Some(lines.iter().map(|ms| u64::from(*ms)).collect())
}

/// The contest's traces, data direction first.
fn verizon() -> Option<[AnyTrace; 2]> {
    let read = |name| Some(recorded(lines(name)?, false));
    Some([
        read("Verizon-LTE-short.down")?,
        read("Verizon-LTE-short.up")?,
    ])
}

/// A window of `window` packets from S to R, each acknowledged by 60 bytes at once, for one pass of the
/// traces. A second without an acknowledgement sends one packet more.
fn run(window: u32, traces: [AnyTrace; 2], emulator: &Emulator) -> World {
    let [down, up] = traces;
    let directions = [
        direction(down, emulator, emulator.first, vec![delay(20)]),
        direction(up, emulator, emulator.first, vec![delay(20)]),
    ];
    let mut world = World::build(&spec(directions, 140.0)).unwrap();
    let (data, ack) = (Id::new(0), Id::new(1));
    let (mut sent, mut in_flight, mut heard) = (0, 0, Time::ZERO);
    let mut now = Time::ZERO;
    loop {
        let late = heard.0 + 1000 * MS <= now.0;
        while in_flight < window || late && heard < now {
            inject(&mut world, now, data, 1500, sent);
            sent += 1;
            in_flight += 1;
            heard = now;
        }
        let silence = Time(heard.0 + 1000 * MS);
        let next = world.next_due().unwrap_or(Time::NEVER).min(silence);
        if next > world.end() {
            break;
        }
        now = next;
        world.advance(now);
        for exit in world.take_exits() {
            assert_eq!(exit.fate, Fate::Delivered);
            if exit.flow == data {
                inject(&mut world, exit.at, ack, 60, exit.tag);
            } else {
                in_flight = in_flight.saturating_sub(1);
                heard = exit.at;
            }
        }
    }
    world.advance(world.end());
    assert!(world.report().conserved);
    world
}

/// Throughput in Mbit/s and the 95th percentile of the age in ms, as the contest's script has them.
fn contest(world: &World) -> (f64, f64) {
    let age = world.network().flows[Id::new(0)]
        .stats
        .age
        .as_ref()
        .unwrap();
    (
        age.throughput_bps(14).unwrap() / 1e6,
        age.p95_s(world.end()).unwrap() * 1e3,
    )
}

/// Window; the report's plot in ms and Mbit/s; an independent model of cellsim, to whole ms and 0.01 Mbit/s.
const PLOT: [(u32, f64, f64, f64, f64); 7] = [
    (5, 150.0, 1.14, 141.0, 1.08),
    (10, 187.0, 2.05, 181.0, 2.01),
    (15, 253.0, 2.77, 238.0, 2.76),
    (20, 303.0, 3.38, 301.0, 3.36),
    (25, 375.0, 3.85, 368.0, 3.83),
    (30, 428.0, 4.13, 428.0, 4.16),
    (40, 533.0, 4.55, 532.0, 4.58),
];

#[test]
fn a_fixed_window_lands_on_the_points_of_the_report() {
    let Some(traces) = verizon() else { return };
    let mut best = (0, f64::MIN);
    let mut last = (0.0, 0.0);
    for (window, delay, throughput, model_delay, model_throughput) in PLOT {
        let (rate, age) = contest(&run(window, traces.clone(), CELLSIM));
        // 5 %, and 7 % for a window of 5; 10 % of delay.
        let allowed = if window == 5 { 0.07 } else { 0.05 };
        assert!(
            (rate / throughput - 1.0).abs() < allowed,
            "W={window}: {rate} Mbit/s"
        );
        assert!((age / delay - 1.0).abs() < 0.1, "W={window}: {age} ms");
        assert!(
            (rate - model_throughput).abs() <= 0.0051,
            "W={window}: {rate}"
        );
        assert_eq!(age, model_delay, "W={window}");
        assert!(rate > last.0 && age > last.1, "W={window}");
        last = (rate, age);
        let score = libm::log(rate / age);
        if score > best.1 {
            best = (window, score);
        }
    }
    assert!((10..=25).contains(&best.0), "{best:?}");
    assert!((best.1 + 4.5).abs() < 0.06, "{best:?}");
}

/// Window, Mbit/s and signal delay in ms of mahimahi with datagrump, observed.
const OBSERVED: [(u32, f64, u64); 6] = [
    (5, 1.08, 110),
    (10, 1.98, 155),
    (15, 2.72, 214),
    (20, 3.30, 278),
    (30, 4.09, 402),
    (40, 4.55, 505),
];

#[test]
fn a_fixed_window_does_what_it_does_over_mahimahi() {
    let Some(traces) = verizon() else { return };
    for (window, throughput, signal) in OBSERVED {
        let mut world = run(window, traces.clone(), MAHIMAHI);
        let (now, end) = (world.now(), world.end());
        let server = world.network_mut().ports[Id::new(0)]
            .more
            .service
            .server_mut()
            .unwrap();
        let (_, bytes) = server.scorer.left(now);
        let rate = bytes as f64 * 8.0 / end.seconds() / 1e6;
        // 1 %, and half a unit of the last digit printed; 2 ms.
        assert!(
            (rate - throughput).abs() < 0.01 * throughput + 0.005,
            "W={window}: {rate} Mbit/s"
        );
        let delay = server.scorer.signal_p95(Time::ZERO, now).unwrap();
        assert!(delay.abs_diff(signal) <= 2, "W={window}: {delay} ms");
    }
}

#[test]
fn an_omniscient_sender_is_bounded_by_the_trace() {
    let Some(traces) = verizon() else { return };
    let world = run(1, traces, MAHIMAHI);
    let server = world.network().ports[Id::new(0)]
        .more
        .service
        .server()
        .unwrap();
    // Observed with mahimahi's script: 5.04 Mbit/s and 32 ms.
    let bound = server.omniscient(Time::ZERO, world.end()).unwrap();
    let rate = bound.bytes as f64 * 8.0 / 140.0 / 1e6;
    assert!((rate - 5.04).abs() < 0.005, "{rate}");
    assert_eq!(bound.signal_p95, 32);
    assert_eq!(server.capacity(at(0), at(140_000)), rate * 1e6);
}
