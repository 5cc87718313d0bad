//! Flows that keep few bytes in the radio of their host, in the states that decide how many.

use backwater_sim::ids::{ConnectionId, FlowId};
use backwater_sim::world::World;
use backwater_transport::controller::{
    Ack, AnyController, Congestion, Controller, CustomController, Driven, Inspect, Limits,
};
use backwater_transport::endpoint::Sender;
use backwater_transport::units::{Rate, Time};

use crate::net::*;

/// A station that sends without end over a radio that brings some 50 Mbit/s, and a wire whose delay is this. Nothing is reported of the
/// first second.
fn uplink(controller: &str, delay: &str) -> String {
    format!(
        r#"
duration = "1.5 s"
warmup = "1 s"
media.air.phy = {{ standard = "802.11n", mcs = 7, width = "20 MHz" }}
media.air.mac = {{ aggregation = "a-mpdu", lifetime = "10 s" }}
media.air.channel = {{ model = "disc", transmit = "100 m", propagation = "0 s" }}
topology = {{ kind = "wlan", medium = "air", stations = 1, wire_rate = "1 Gbit/s", wire_delay = "{delay}", buffer = "5000 packets" }}
flows.f1 = {{ from = "s1", to = "d1", ac = "BE", packet = "1500 B", transport = "tcp", small_queue = 8, controller = {{ kind = "{controller}" }}, source = {{ kind = "bulk" }} }}
"#
    )
}

/// The most bytes in the station's radio behind the warm-up.
fn most(world: &mut World) -> u64 {
    let report = finished(world);
    let radio = port(world, "s1>AP");
    let row = report.ports.iter().find(|row| row.port == radio);
    row.expect("a radio").count.max_bytes
}

/// A sender that paces at four times what the radio brings, 200 Mbit/s, keeps what that brings in 1 s / 2^8: 97,656 B, which are 64 frames of
/// 1,518 B and no more.
#[test]
fn a_paced_flow_keeps_what_its_pace_brings() {
    let resolved = resolved(&uplink("agent", "1 ms"));
    let built = resolved.build_driven(&resolved.spec());
    let mut world = built.unwrap_or_else(|said| panic!("{said}"));
    let agents = world.all_driven();
    world.steer(agents[0], &mut |agent: &mut Driven| {
        agent.tell(1_000 * agent.mss(), Some(Rate(200_000_000)));
    });
    assert_eq!(most(&mut world), 64 * 1518);
}

/// A constant window that shows a threshold.
#[derive(Clone, Debug)]
struct Threshold {
    window: u64,
    threshold: u64,
}

impl Controller for Threshold {
    fn on_ack(&mut self, _: &Ack) {}

    fn on_congestion(&mut self, _: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits::of(self.window)
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: Some(self.threshold),
            ..Inspect::default()
        }
    }
}

impl CustomController for Threshold {
    fn fork(&self) -> Box<dyn CustomController> {
        Box::new(self.clone())
    }
}

/// A sender that does not pace is taken for one that paces at two windows in a round trip while its window is less than half of its threshold, and
/// at 1.2 from there on. The window is more than the way holds, so that the limit keeps packets out of the radio; a round trip takes 100 ms
/// and at most an eighth more.
#[test]
fn a_flow_below_half_of_its_threshold_keeps_two_windows_of_a_round_trip() {
    let window = 750 * 1_448;
    for (threshold, factor) in [(2 * window + 2, 2.0), (2 * window, 1.2), (window, 1.2)] {
        let resolved = resolved(&uplink("fixed", "25 ms"));
        let spec = resolved.spec();
        let mut world = resolved.build().unwrap_or_else(|said| panic!("{said}"));
        let transport = spec.flows[0].transport.as_ref().expect("a transport");
        let id = ConnectionId::raw(0);
        let controller = AnyController::Custom(Box::new(Threshold { window, threshold }));
        world.set_controller(id, transport, controller);
        assert_eq!(world.foreign(), [id]);
        assert_eq!(world.ends.connections[id].stats.window, window);
        let most = most(&mut world) as f64;
        let allowed = |round_trip: f64| factor * window as f64 / round_trip / 256.0;
        assert!(
            most < allowed(0.100),
            "{threshold} {most} {}",
            allowed(0.100)
        );
        assert!(
            most > 0.8 * allowed(0.1125),
            "{threshold} {most} {}",
            allowed(0.1125)
        );
    }
}

/// What the radio brings in 1 s / 2^20 is less than a packet: a flow keeps the least that there is, two segments.
#[test]
fn a_limited_flow_keeps_two_segments_at_least() {
    let text = uplink("fixed", "25 ms").replace("small_queue = 8", "small_queue = 20");
    let text = text.replace(
        r#"kind = "fixed""#,
        r#"kind = "fixed", window = "1000 packets""#,
    );
    let mut world = built(&text);
    // Before the first round trip nothing limits the flow, so that its window is sent.
    assert_eq!(most(&mut world), 2 * 1518);
}

/// A window of ten packets, whose acknowledgements come together in one exchange, leaves as a whole within a round trip although two at a time are in the radio: ten
/// in each 100 ms of the wires and some exchanges of less than 2 ms.
#[test]
fn a_limited_flow_sends_its_window_in_each_round_trip() {
    let text = uplink("fixed", "25 ms").replace("small_queue = 8", "small_queue = 20");
    let text = text.replace(
        r#"kind = "fixed""#,
        r#"kind = "fixed", window = "10 packets""#,
    );
    let mut world = built(&text);
    world.advance(Time(1_000 * MS));
    let sent = |world: &World| world.network().flows[FlowId::raw(0)].seq;
    let before = sent(&world);
    world.advance(world.end());
    let sent = sent(&world) - before;
    assert!((40..=50).contains(&sent), "{sent}");
}

/// A sender that paces at 200 Mbit/s fills a radio of some 50 and is told 1 Mbit/s then, which allows two segments. More are there, so nothing leaves at the next
/// instant of its pace, which is at most 61 us away. Its new window is shown at once.
#[test]
fn a_flow_that_is_told_a_slower_pace_waits_until_its_radio_has_sent() {
    let resolved = resolved(&uplink("agent", "1 ms"));
    let built = resolved.build_driven(&resolved.spec());
    let mut world = built.unwrap_or_else(|said| panic!("{said}"));
    let agents = world.all_driven();
    let tell = |world: &mut World, window: u64, rate: u64| {
        world.steer(agents[0], &mut |agent: &mut Driven| {
            agent.tell(window * agent.mss(), Some(Rate(rate)));
        });
    };
    tell(&mut world, 1_000, 200_000_000);
    world.advance(Time(MS));
    tell(&mut world, 500, 1_000_000);
    assert_eq!(world.ends.connections[agents[0]].stats.window, 500 * 1_448);
    let entered = world.network().flows[FlowId::raw(0)].seq;
    world.advance(Time(1_061 * US));
    assert_eq!(world.network().flows[FlowId::raw(0)].seq, entered);
    // What is in the radio leaves, and the flow goes on.
    world.advance(Time(100 * MS));
    assert!(world.network().flows[FlowId::raw(0)].seq > entered);
}

/// A burst of another flow of 4 MB stands before the two segments of a limited one and needs at least 4.9 s at 6.5 Mbit/s. The retransmission timer, which is a
/// second at most for round trips of some 60 ms, runs out meanwhile.
#[test]
fn a_limited_flow_times_out_while_its_segments_wait_in_the_radio() {
    let text = uplink("fixed", "25 ms")
        .replace("small_queue = 8", "small_queue = 20")
        .replace("mcs = 7", "mcs = 0")
        .replace("1.5 s", "8 s")
        .replace(
            r#"kind = "fixed""#,
            r#"kind = "fixed", window = "10 packets""#,
        );
    let burst = r#"flows.u = { from = "s1", to = "d1", ac = "BE", source = { kind = "packet-list", at_us = [3000000], bytes = [4000000] } }"#;
    let mut world = built(&format!("{text}{burst}"));
    let id = ConnectionId::raw(0);
    for (ms, timeouts) in [(3_000, false), (6_000, true)] {
        world.advance(Time(ms * MS));
        let counters = world.ends.connections[id].sender.counters();
        assert_eq!(counters.timeouts > 0, timeouts, "{ms}");
    }
}
