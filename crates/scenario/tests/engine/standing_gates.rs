//! Gates that open when nobody tells them to, and what goes on when wires are back.

use backwater_sim::world::World;
use backwater_transport::units::Time;

use crate::net::*;

/// The switch tells A to stop for 4,000 quanta of 512 ns, again after half of that, in header fields of the frames that B sends to A. When B has sent its
/// last, some time after the frames of A, nobody tells A any more: its gate opens 2.048 ms after the last word, and A sends all that waits.
#[test]
fn a_gate_that_was_told_to_stay_shut_opens_when_its_time_is_over() {
    for stop in [4_000, 4_500, 5_000, 5_500, 6_000, 6_500, 7_000] {
        let at_us = "0, ".repeat(60);
        let text = format!(
            r#"
duration = "60 ms"
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "100 us" }}
links.b = {{ ends = ["W", "B"], rate = "20 Mbit/s", delay = "0 s" }}
ports."W>B" = {{ buffer = "200 kB" }}
mechanisms.m = {{ recipe = "pause", at = ["W>B"], detect = {{ kind = "watermark", low = "1 %", high = "2 %" }}, notify = {{ carrier = "header", quanta = 4000 }} }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "packet-list", at_us = [{at_us}], bytes = [1500] }} }}
flows.g = {{ from = "B", to = "A", stop = "{stop} us", source = {{ kind = "cbr", packet = "100 B", rate = "8 Mbit/s", phase = "start" }} }}
"#
        );
        let mut world = built(&text);
        world.advance(Time((stop + 200) * US));
        let sent = |world: &mut World| {
            let out = port(world, "A>W");
            let report = world.report();
            let row = report.ports.iter().find(|row| row.port == out);
            row.expect("a port").count.packets
        };
        // 100 us of line rate go by before the first word is there, and in each gap between words that come.
        let before = sent(&mut world);
        assert!(before < 60, "{stop} {before}");
        // The last word is there, and its time is over.
        let open = stop + 200 + 2_048 + 60 * 13;
        world.advance(Time(open * US));
        assert_eq!(sent(&mut world), 60, "{stop}");
        finished(&mut world);
    }
}

/// Packets take one of two ways round-robin. While one is down switches forward by another table; when it is back they go on where they stood: of one packet
/// before and one behind the outage each takes its own way.
#[test]
fn turns_go_on_where_they_stood_before_an_outage() {
    for before in [1, 3] {
        let at_us = "100, ".repeat(before);
        let mut world = built(&format!(
            r#"
duration = "10 ms"
topology = {{ kind = "leaf-spine", leaves = 2, spines = 2, hosts = 1, rate = "10 Gbit/s", delay = "1 us" }}
routing = {{ kind = "ecmp", choose = "round-robin" }}
events.cut = {{ kind = "down", links = ["l0-s0"], at = "1 ms", until = "2 ms", converge = "100 us" }}
flows.f = {{ from = "h0", to = "h1", packet = "1000 B", source = {{ kind = "packet-list", at_us = [{at_us}5000], bytes = [1000] }} }}
"#
        ));
        let report = finished(&mut world);
        let over = ["l0>s0", "l0>s1"].map(|name| {
            let id = port(&world, name);
            let row = report.ports.iter().find(|row| row.port == id);
            row.expect("a port").count.packets
        });
        let half = (before as u64).div_ceil(2);
        assert_eq!(over, [half, half]);
    }
}

/// Blue that comes to a queue begins as at an idle port, where the idle line has just had its say: for its freeze time of a second it loses nothing early,
/// however many frames find no room.
#[test]
fn blue_that_comes_to_a_full_queue_is_frozen_first() {
    let text = |queue: &str| {
        format!(
            r#"
duration = "900 ms"
nodes = {{ S = {{ kind = "host" }}, W = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "W"], rate = "100 Mbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "0 s" }}
ports."W>D" = {{ buffer = "20 packets"{queue} }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "cbr", packet = "1500 B", rate = "20 Mbit/s", phase = "start" }} }}
"#
        )
    };
    let blue = text(r#", queue = { kind = "blue", freeze_time = "1 s" }"#);
    let plain = text("");
    let fresh = built(&blue);
    for came in [false, true] {
        let mut world = built(if came { &plain } else { &blue });
        world.advance(Time(100 * MS));
        if came {
            let queue = port(&world, "W>D");
            world.change_queue(queue, &fresh).expect("another queue");
        }
        let report = finished(&mut world);
        let causes: Vec<_> = world.drops_by_cause().into_keys().collect();
        assert!(report.dropped > 100);
        assert_eq!(causes, ["buffer-full"], "{came}");
    }
}
