//! Cards that pull: when they send again after a wire was down or a class was stopped, and the timers and values of their senders meanwhile.

use backwater_sim::ids::ConnectionId;
use backwater_sim::record::What;
use backwater_sim::world::World;
use backwater_transport::controller::Driven;
use backwater_transport::endpoint::Sender;
use backwater_transport::units::{Rate, Span, Time};

use crate::net::*;

/// Ticks of a full frame of 1,518 B on a line of 100 Mbit/s, with preamble and gap.
const FRAME: u64 = 1_538 * 80_000;
/// Ticks of the gap of 12 B at its end. The port is free, and the next segment comes into being, when it begins.
const GAP: u64 = 12 * 80_000;

/// A flow with a window that is never used up, on a line of 100 Mbit/s and 10 ms.
fn line(duration: &str, more: &str, flow: &str) -> String {
    format!(
        r#"
duration = "{duration}"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "D"], rate = "100 Mbit/s", delay = "10 ms" }}
{more}
flows.f = {{ from = "S", to = "D", nic = "pull", transport = "tcp", controller = {{ kind = "fixed", window = "1000 packets" }}, source = {{ kind = "bulk" }}{flow} }}
"#
    )
}

/// When segments came into being at the sending host.
fn born(text: &str) -> Vec<u64> {
    let (_, records, world) = recorded(text);
    instants(&records, What::Enqueue, 0, Some(port(&world, "S>D")))
}

/// A card sends at the instant at which its wire is back, and then as each frame ends. Nothing else happens at that instant: no acknowledgement
/// was on its way, and no timer runs out before a second.
#[test]
fn a_card_sends_at_the_instant_at_which_its_wire_is_back() {
    let cut = r#"events.cut = { kind = "down", links = ["a"], at = "5 ms", until = "30 ms" }"#;
    let born = born(&line("32 ms", cut, ""));
    let after: Vec<u64> = born.into_iter().filter(|at| *at > 5 * MS).collect();
    let expected = (0..).map(|n: u64| 30 * MS + (n * FRAME).saturating_sub(GAP));
    let expected: Vec<u64> = expected.take_while(|at| *at <= 32 * MS).collect();
    assert_eq!(after, expected);
}

/// A wire that is back while a frame that was lost with it would still be in transmission lets no segment come into being before that frame would have ended.
#[test]
fn a_card_waits_for_the_end_of_the_frame_when_its_wire_is_back() {
    let cut = r#"events.cut = { kind = "down", links = ["a"], at = "50 us", until = "100 us" }"#;
    let born = born(&line("1 ms", cut, ""));
    assert_eq!(born[..3], [0, FRAME - GAP, 2 * FRAME - GAP]);
}

/// A flow that stops at the instant at which its first frame ends, 122.08 us for 1,526 B, has sent one segment, and one that stops a nanosecond later two.
#[test]
fn a_flow_that_stops_as_the_port_becomes_free_sends_no_more() {
    for (ns, segments) in [(122_080, 1), (122_081, 2)] {
        let text = line("1 ms", "", &format!(r#", stop = "{ns} ns""#));
        assert_eq!(run(&text).flows[0].sums.entered.packets, segments, "{ns}");
    }
}

/// A card goes on at the pace of its line while frames are on a wire that has become shorter: one segment a frame time, the first at once.
#[test]
fn a_card_goes_on_over_a_wire_that_has_become_shorter() {
    let mut world = built(&line("20 ms", "", ""));
    world.advance(Time(2 * MS));
    let wire = port(&world, "S>D");
    world
        .change_delay(wire, Span::micros(1_000))
        .expect("a wire");
    for ms in 3..10 {
        world.advance(Time(ms * MS));
        let entered = world.report().flows[0].sums.entered.packets;
        assert_eq!(entered, ms * MS / FRAME + 1, "{ms}");
    }
}

/// The retransmission timer of a flow runs while its wire is down: without a round trip it is a second, and doubles, so that it runs out at 1, 3 and 7 s
/// (RFC 6298).
#[test]
fn a_flow_of_a_card_whose_wire_is_down_times_out_again_and_again() {
    let cut = r#"events.cut = { kind = "down", links = ["a"], at = "5 ms", until = "9 s" }"#;
    let mut world = built(&line("10 s", cut, ""));
    let id = ConnectionId::raw(0);
    for (ms, timeouts) in [(900, 0), (2_900, 1), (6_900, 2), (8_900, 3)] {
        world.advance(Time(ms * MS));
        let counters = world.ends.connections[id].sender.counters();
        assert_eq!(counters.timeouts, timeouts, "{ms}");
    }
}

/// A pace often comes due while the frame of another flow of the card is in transmission. The segment leaves when that has ended, so that two are apart by
/// at least the time that 1,448 B of data take at 30 or 47 Mbit/s, and by at most a frame time more.
#[test]
fn two_paced_flows_of_a_card_keep_their_paces() {
    let flow = |name: &str| {
        format!(
            r#"flows.{name} = {{ from = "S", to = "D", nic = "pull", transport = "tcp", controller = {{ kind = "agent" }}, source = {{ kind = "bulk" }} }}
"#
        )
    };
    let text = format!(
        r#"
duration = "100 ms"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "D"], rate = "100 Mbit/s", delay = "1 ms" }}
{}{}"#,
        flow("f"),
        flow("g")
    );
    let resolved = resolved(&text);
    let built = resolved.build_driven(&resolved.spec());
    let mut world = built.unwrap_or_else(|said| panic!("{said}"));
    let paces = [30, 47];
    for (id, mbps) in world.all_driven().into_iter().zip(paces) {
        world.steer(id, &mut |agent: &mut Driven| {
            agent.tell(1_000 * agent.mss(), Some(Rate(mbps * 1_000_000)));
        });
    }
    world.start_recording();
    world.advance(world.end());
    let records = world.take_records();
    let host = port(&world, "S>D");
    for (flow, mbps) in (0..).zip(paces) {
        let born = instants(&records, What::Enqueue, flow, Some(host));
        let pace = 1_448 * 8 * US / mbps;
        for two in born[1..].windows(2) {
            let apart = two[1] - two[0];
            assert!(pace <= apart && apart <= pace + FRAME, "{apart} {pace}");
        }
        assert!(born.len() > 150);
    }
}

/// A sender that was idle for longer than its timer begins with a smaller window (RFC 5681, 4.1). What is shown of it is that window as soon as its card
/// has pulled the first segment.
#[test]
fn the_window_behind_a_pause_is_shown_with_the_first_segment() {
    let text = r#"
duration = "5 s"
nodes = { S = { kind = "host" }, D = { kind = "host" } }
links.a = { ends = ["S", "D"], rate = "100 Mbit/s", delay = "10 ms" }
flows.f = { from = "S", to = "D", nic = "pull", transport = "tcp", controller = { kind = "reno" }, source = { kind = "packet-list", at_us = [0, 4000000], bytes = [300000, 1448] } }
"#;
    let mut world = built(text);
    let id = ConnectionId::raw(0);
    let windows = |world: &World| {
        let c = &world.ends.connections[id];
        (c.stats.window, c.sender.window())
    };
    world.advance(Time(4_000 * MS - 1));
    let before = windows(&world);
    assert_eq!(before.0, before.1);
    world.advance(Time(4_001 * MS));
    let after = windows(&world);
    assert!(after.1 < before.1, "{before:?} {after:?}");
    assert_eq!(after.0, after.1);
}

/// A switch in front of a slow line stops the host for 102.4 us at a time, and frames of another flow hold its notices up, so that stops end before they
/// are renewed. The card sends whenever its port is free and its class is open, as one walks it along the list of stops.
#[test]
fn a_card_sends_at_the_instant_at_which_a_stop_ends() {
    let mut world = built(
        r#"
duration = "20 ms"
nodes = { A = { kind = "host" }, E = { kind = "host" }, W = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["A", "W"], rate = "100 Mbit/s", delay = "1 us" }
links.e = { ends = ["E", "W"], rate = "100 Mbit/s", delay = "1 us" }
links.d = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }
ports."W>D" = { buffer = "2 MB" }
mechanisms.m = { recipe = "pause", at = ["W>D"], detect = { kind = "watermark", low = "0.5 %", high = "1 %" }, notify = { quanta = 20 } }
flows.f = { from = "A", to = "D", nic = "pull", transport = "tcp", controller = { kind = "fixed", window = "1000 packets" }, source = { kind = "bulk" } }
flows.g = { from = "E", to = "A", source = { kind = "cbr", packet = "1500 B", rate = "90 Mbit/s" } }
"#,
    );
    world.start_stop_log();
    world.start_recording();
    world.advance(world.end());
    let host = port(&world, "A>W");
    let records = world.take_records();
    let born = instants(&records, What::Enqueue, 0, Some(host));
    let stops: Vec<(u64, u64)> = world
        .take_stop_log()
        .iter()
        .filter(|stop| stop.port == host)
        .map(|stop| (stop.at.0, stop.until[0].0))
        .collect();
    // The first instant from one on at which the class is open.
    let opens = |from: u64| {
        let mut at = from;
        let before = stops.iter().rfind(|(since, _)| *since <= from);
        let mut until = before.map_or(0, |(_, until)| *until);
        for (since, next) in stops.iter().filter(|(since, _)| *since > from) {
            if at.max(until) < *since {
                break;
            }
            (at, until) = (*since, *next);
        }
        at.max(until)
    };
    let (mut free, mut ended) = (0, 0);
    for at in born {
        assert_eq!(at, opens(free.max(GAP) - GAP));
        ended += u64::from(at > free && stops.iter().all(|(since, _)| *since != at));
        free = opens(at.max(free)) + FRAME;
    }
    assert!(ended > 0);
}
