//! A controller of quinn in the simulator, and ours in quinn.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use backwater_quinn::{Estimator, Factory, Pair, Quinn};
use backwater_scenario::{Folders, Keep, Run, Scenario};
use backwater_sim::ids::ConnectionId;
use backwater_transport::controller::{AnyController, CustomController, Setup};
use backwater_transport::endpoint::Protocol;
use backwater_transport::random::Random;
use quinn_proto::TransportConfig;
use quinn_proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
use serde_json::Value;

const MSS: u64 = 1448;
const NEW_RENO: &[u8] = include_bytes!("../../wasm/tests/newreno.wasm");

fn setup() -> Setup {
    Setup {
        protocol: Protocol::Stream,
        mss: MSS,
        frame: 1538,
        initial: 10 * MSS,
        random: Random::stream(1, "controller", "f"),
    }
}

/// New Reno's flow over a bottleneck of 10 Mbit/s with a round trip of 60 ms and room for ten packets, under this controller.
fn document(other: Option<Arc<dyn ControllerFactory>>) -> Value {
    let text = r#"
schema = "backwater/scenario/1"
duration = "130 s"
warmup = "30 s"
topology = { kind = "dumbbell", pairs = 1, rate = "1 Gbit/s", delay = "1 ms", bottleneck = "10 Mbit/s", bottleneck_delay = "28 ms" }
ports."L>R" = { buffer = "10 packets" }
flows.f = { from = "s1", to = "d1", transport = "tcp", controller = { kind = "newreno" }, delayed_ack = "0 s", source = { kind = "bulk" } }
"#;
    let read = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
    let resolved = read.resolve(Some(1)).unwrap();
    let mut world = resolved.build().unwrap();
    if let Some(factory) = other {
        let transport = resolved.spec().flows[0].transport.clone().unwrap();
        let made = AnyController::Custom(Box::new(Quinn::new(factory, &setup())));
        world.set_controller(ConnectionId::new(0), &transport, made);
    }
    let mut run = Run::of(world, &resolved, Keep::default()).unwrap();
    while !run.step().unwrap() {}
    run.finish().unwrap().0
}

/// The window goes from half of pipe and buffer to the whole, a segment each round. A round takes the round trip while the
/// window is below the pipe of C packets, and the window's time at the bottleneck above. So a cycle delivers the integral of W
/// in the time of the integral of max(W, C). C is 60 ms and a packet's own time at 10 Mbit/s, 49.8 packets of 1538 bytes, B is
/// ten and one in service: 30.4 to 60.8 give 0.880. A round more at the bottom, for recovery, and a packet more or less at the
/// top are within 1/30 and 1/60 of it.
#[test]
fn new_reno_of_quinn_delivers_as_much_as_ours() {
    let (pipe, top) = (49.8, 60.8);
    let bottom: f64 = top / 2.0;
    let delivered = (top * top - bottom * bottom) / 2.0;
    let time = (pipe - bottom) * pipe + (top * top - pipe * pipe) / 2.0;
    let share = delivered / time;
    assert!((share - 0.880).abs() < 1e-3, "{share}");
    let capacity = 10e6 * MSS as f64 / 1538.0;
    for factory in [None, Some(Arc::new(NewRenoConfig::default()) as _)] {
        let found = document(factory);
        let used = found["flows"][0]["goodput_bps"].as_f64().unwrap() / capacity;
        assert!(
            (used / share - 1.0).abs() < 1.0 / 30.0 + 1.0 / 60.0,
            "{used} {share}"
        );
        assert_eq!(found["conservation"]["ok"], true);
    }
}

/// CUBIC of quinn asks for the estimate of the round trip; a copy measures it anew and goes on alike.
#[test]
fn cubic_of_quinn_runs_and_is_copied() {
    let found = document(Some(Arc::new(CubicConfig::default())));
    let used = found["flows"][0]["goodput_bps"].as_f64().unwrap() / 10e6;
    // It keeps 0.7 of 60.8 packets at a loss: 42.6, of a pipe of 49.8.
    assert!(used * 1538.0 / MSS as f64 > 42.6 / 49.8, "{used}");
    let one = Quinn::new(Arc::new(CubicConfig::default()), &setup());
    let _: Box<dyn CustomController> = one.fork();
}

/// RFC 6298 (2.2), (2.3): the first sample, then 7/8 of the estimate and 1/8 of the sample. A controller sees what was known
/// before its acknowledgement; the handshake took as long as the first sample.
#[test]
fn the_estimate_is_that_of_rfc_6298() {
    let samples = [40.0, 80.0, 20.0, 20.0, 200.0, 40.0, 40.0];
    let mut estimator = Estimator::default();
    let mut smoothed = samples[0];
    let mut least = samples[0];
    for (at, sample) in samples.into_iter().enumerate() {
        if at == 4 {
            estimator = estimator.clone();
        }
        let found = estimator.before(Duration::from_micros((sample * 1e3) as u64));
        let apart = |found: Duration, wanted: f64| (found.as_secs_f64() * 1e3 - wanted).abs();
        // Integers of nanoseconds, rounded down at each step.
        assert!(
            apart(found.get(), smoothed) < 1e-4,
            "{at}: {:?} {smoothed}",
            found.get()
        );
        assert!(apart(found.min(), least) < 1e-4, "{at}");
        smoothed += (sample - smoothed) / 8.0;
        least = least.min(sample);
    }
}

fn transfer(factory: Factory, bytes: usize, one_way: Duration) -> Duration {
    let mut transport = TransportConfig::default();
    transport
        .mtu_discovery_config(None)
        .congestion_controller_factory(Arc::new(factory));
    let mut pair = Pair::new(transport, one_way, one_way);
    pair.transfer(bytes).expect("a connection that lasts")
}

/// A window of ten packets of 1200 bytes carries at most 12,000 bytes in a round trip of 100 ms: a megabyte takes at least 84
/// round trips, the first with the handshake's two. Headers of QUIC take at most 50 bytes of a packet: at most 87. A receiver
/// may wait 25 ms, a quarter of a round trip, for every second packet, and pacing spreads a window over 4/5 of one.
#[test]
fn a_fixed_window_of_ours_governs_quinn() {
    let factory = Factory::of(made(r#"{ kind = "fixed", window = "10 packets" }"#)).unwrap();
    let rounds = transfer(factory, 1_000_000, Duration::from_millis(50)).as_secs_f64() / 0.1;
    assert!((84.0..87.0 * 1.25 + 4.0).contains(&rounds), "{rounds}");
}

/// An acknowledgement of two packets adds one (RFC 5681 section 3.1), so a window of ten grows by a half in each round trip: ten
/// of them carry 10 (1.5^10 - 1) / 0.5 = 1133 packets, more than a megabyte's 870. With the handshake, half a round trip for the
/// last packet and 4/5 of one for pacing it takes less than 14; a fixed window takes six times that.
#[test]
fn controllers_of_ours_move_a_megabyte_over_quic() {
    let wasm = r#"{ kind = "wasm", file = "mine.wasm" }"#;
    for id in [r#"{ kind = "newreno" }"#, r#"{ kind = "cubic" }"#, wasm] {
        let factory = Factory::of(made(id)).unwrap();
        let rounds = transfer(factory, 1_000_000, Duration::from_millis(50)).as_secs_f64() / 0.1;
        assert!((7.0..14.0).contains(&rounds), "{id}: {rounds}");
    }
}

/// A controller as a scenario makes it, for segments of 1200 bytes behind 52 of headers.
fn made(controller: &str) -> AnyController {
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "1 s"
nodes.a = {{ kind = "host" }}
nodes.b = {{ kind = "host" }}
links.l = {{ ends = ["a", "b"], rate = "1 Mbit/s", delay = "1 ms" }}
flows.f = {{ from = "a", to = "b", transport = "tcp", packet = "1252 B", controller = {controller}, source = {{ kind = "bulk" }} }}
"#
    );
    let folders = Folders {
        contents: BTreeMap::from([("mine.wasm".to_owned(), Arc::from(NEW_RENO))]),
        ..Folders::default()
    };
    let read = Scenario::from_toml(&text, "x.toml", folders).unwrap();
    let flows = read.resolve(None).unwrap().spec().flows;
    let transport = flows[0].transport.clone().unwrap();
    transport.controller
}

#[test]
fn a_controller_that_needs_routers_is_none_for_quinn() {
    assert!(Factory::of(made(r#"{ kind = "xcp" }"#)).is_none());
}
