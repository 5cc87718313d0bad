//! One controller, simulated and used. `Steady` implements quinn's trait; the program runs it in a scenario, and then over QUIC.
//!
//!     cargo run --release -p backwater-quinn --example one_file
//!
//! To emulate it, run a program of yours that hands `Config` to quinn behind an emulated link: `backwater emulate`.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backwater_quinn::{Pair, Quinn};
use backwater_scenario::{Folders, Keep, Run, Scenario};
use backwater_sim::ids::ConnectionId;
use backwater_transport::controller::{AnyController, Setup};
use backwater_transport::random::Random;
use quinn_proto::congestion::{Controller, ControllerFactory};
use quinn_proto::{RttEstimator, TransportConfig};

/// A window that grows by a packet in each round trip, and keeps 3/4 at a loss.
#[derive(Clone)]
struct Steady {
    window: u64,
    mtu: u64,
    acked: u64,
    reduced: Instant,
}

impl Controller for Steady {
    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, limited: bool, _: &RttEstimator) {
        if limited || sent <= self.reduced {
            return;
        }
        self.acked += bytes;
        if self.acked >= self.window {
            self.acked -= self.window;
            self.window += self.mtu;
        }
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, _: bool, _: u64) {
        if sent > self.reduced {
            self.window = (self.window * 3 / 4).max(2 * self.mtu);
            self.reduced = now;
        }
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.mtu = u64::from(mtu);
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        10 * self.mtu
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

struct Config;

impl ControllerFactory for Config {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        let mtu = u64::from(mtu);
        Box::new(Steady {
            window: 10 * mtu,
            mtu,
            acked: 0,
            reduced: now,
        })
    }
}

const SCENARIO: &str = include_str!("one_file.toml");

fn main() {
    let read = Scenario::from_toml(SCENARIO, "one_file", Folders::default()).expect("a scenario");
    let resolved = read.resolve(Some(1)).expect("a scenario");
    let mut world = resolved.build().expect("a network");
    let transport = resolved.spec().flows[0].transport.clone();
    let transport = transport.expect("a flow over tcp");
    let setup = Setup {
        protocol: transport.sender.protocol,
        mss: transport.sender.mss,
        frame: transport.sender.frame,
        initial: transport.sender.initial,
        random: Random::stream(1, "controller", "f"),
    };
    let controller = Quinn::new(Arc::new(Config), &setup);
    let controller = AnyController::Custom(Box::new(controller));
    world.set_controller(ConnectionId::new(0), &transport, controller);
    let mut run = Run::of(world, &resolved, Keep::default()).expect("no files");
    while !run.step().expect("no files") {}
    let document = run.finish().expect("no files").0;
    println!("simulated: {} bit/s", document["flows"][0]["goodput_bps"]);

    let mut config = TransportConfig::default();
    config.congestion_controller_factory(Arc::new(Config));
    let mut pair = Pair::new(config, Duration::from_millis(20), Duration::from_millis(20));
    let took = pair.transfer(1_000_000).expect("a connection that lasts");
    println!("over QUIC: a megabyte in {took:?}");
}
