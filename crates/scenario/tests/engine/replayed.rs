//! Changes in a run whose departures are replayed at the next touch, and in one in which each has an event of its own: nothing depends on that.

use backwater_sim::limit::Limit;
use backwater_sim::world::{Report, World};
use backwater_transport::units::{Bytes, Time};

use crate::net::*;

/// Runs both ways with changes at instants, and gives the report, in which no packet is missing.
#[track_caller]
fn both(text: &str, at: &[u64], mut change: impl FnMut(&mut World, usize)) -> Report {
    let [fused, unfused] = [false, true].map(|unfuse| {
        let mut world = built(text);
        if unfuse {
            world.unfuse();
        }
        for (n, us) in at.iter().enumerate() {
            world.advance(Time(us * US));
            change(&mut world, n);
        }
        finished(&mut world)
    });
    assert_eq!(fused.fingerprint, unfused.fingerprint);
    assert_eq!(
        (fused.delivered, fused.dropped),
        (unfused.delivered, unfused.dropped)
    );
    fused
}

/// Two flows of two classes bring 16 Mbit/s to a line of 10 Mbit/s for 60 ms, and all that is not lost has left 100 ms later.
fn line(port: &str) -> String {
    let flow = |name: &str, class: u8, bytes: u64| {
        format!(
            "flows.{name} = {{ from = \"S\", to = \"D\", class = {class}, stop = \"60 ms\", source = {{ kind = \"cbr\", packet = \"{bytes} B\", rate = \"8 Mbit/s\", phase = \"start\" }} }}\n"
        )
    };
    format!(
        r#"
duration = "200 ms"
nodes = {{ S = {{ kind = "host" }}, W = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "W"], rate = "100 Mbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "300 us" }}
ports."W>D" = {{ buffer = "unlimited"{port} }}
{}{}"#,
        flow("f", 0, 1500),
        flow("g", 1, 300)
    )
}

const AT: [u64; 9] = [
    3_100, 9_700, 17_300, 25_900, 33_333, 41_111, 52_001, 63_007, 75_500,
];

/// Schedulers and queue management of all kinds take the place of one another in the midst of a queue. Frames that wait stay, and each leaves or is dropped.
#[test]
fn queues_in_the_place_of_others_lose_nobody() {
    let queues = [
        "",
        r#", queue = { kind = "fq-codel", target = "1 ms", interval = "5 ms" }"#,
        r#", queue = { kind = "strict-priority", classes = 2 }"#,
        r#", queue = { kind = "codel", target = "1 ms", interval = "5 ms" }"#,
        r#", queue = { kind = "red", min = "5 kB", max = "60 kB" }"#,
        r#", queue = { kind = "drr", classes = 2, quantum = "1500 B" }"#,
        r#", queue = { kind = "pie", reference = "1 ms" }"#,
    ];
    for (first, queue) in queues.iter().enumerate() {
        let report = both(&line(queue), &AT, |world, n| {
            let fresh = built(&line(queues[(first + n + 1) % queues.len()]));
            let queue = port(world, "W>D");
            world.change_queue(queue, &fresh).expect("a queue");
        });
        assert_eq!(
            (report.held, report.entered),
            (0, report.delivered + report.dropped)
        );
        // 60 ms of 8 Mbit/s are 40 packets of 1500 B and 200 of 300 B.
        assert_eq!(report.entered, 240);
    }
}

/// Buffers become smaller and larger, and the wire shorter and longer.
#[test]
fn buffers_and_delays_change_at_once() {
    let report = both(&line(""), &AT, |world, n| {
        let queue = port(world, "W>D");
        let buffer = match n % 3 {
            0 => Limit::Bytes(Bytes(5_000)),
            1 => Limit::Packets(40),
            _ => Limit::Unlimited,
        };
        world.change_buffer(queue, buffer).expect("a buffer");
        let delay = backwater_transport::units::Span::micros([2_000, 10, 700][n % 3]);
        world.change_delay(queue, delay).expect("a wire");
    });
    assert_eq!(report.held, 0);
    assert!(report.dropped > 0);
}

fn traced(trace: &str) -> String {
    format!(
        r#"
duration = "200 ms"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.q = {{ from = "S", to = "D", kind = "trace", delay = "0 s", opportunity = "1500 B", overhead = "0 B", clock = "exact", trace = {{ {trace} }} }}
links.back = {{ from = "D", to = "S", rate = "1 Gbit/s", delay = "0 s" }}
ports."S>D" = {{ buffer = "unlimited" }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "packet-list", at_us = [0, 500, 90000], bytes = [30000, 600, 15000] }} }}
"#
    )
}

/// A packet each millisecond, or each two or four, alternately.
#[test]
fn traces_in_the_place_of_others_go_on_from_the_present() {
    let constant = |mbps: u64| traced(&format!("kind = \"constant\", rate = \"{mbps} Mbit/s\""));
    let rates = [12, 6, 3];
    let spec: Vec<_> = rates
        .iter()
        .map(|mbps| resolved(&constant(*mbps)))
        .collect();
    let report = both(&constant(rates[0]), &AT[..5], |world, n| {
        let (from, to) = (&spec[n % 3], &spec[(n + 1) % 3]);
        from.change(world, to).expect("another trace");
    });
    assert_eq!((report.entered, report.delivered), (31, 31));
}

/// Random opportunities that are drawn again by one number come again, and by another number others come.
#[test]
fn opportunities_are_drawn_again_by_a_number() {
    let text = traced(
        r#"kind = "cox", peak = "10 Mbit/s", volatility = "1 bit/s", reversion = 20, sticky = "0 %", outage = "1 ms", burst = 1"#,
    );
    let end = |by: u64| both(&text, &AT[..3], |world, n| world.redraw(by + n as u64)).fingerprint;
    let found = [end(10), end(20), end(30)];
    assert_eq!(found[0], end(10));
    assert!(found[0] != found[1] && found[1] != found[2]);
}

/// One packet waits for the opportunity of a trace that has one in 100 ms. At 50.5 ms the link gets a trace with one each millisecond, and the packet
/// leaves at the next of those, at 51 ms.
#[test]
fn a_packet_that_waits_alone_takes_the_next_opportunity_of_the_new_trace() {
    let text = |kbps: u64| {
        traced(&format!("kind = \"constant\", rate = \"{kbps} kbit/s\""))
            .replace("[30000, 600, 15000]", "[1500, 1, 1]")
            .replace("[0, 500, 90000]", "[0, 190000, 190001]")
    };
    let (slow, fast) = (resolved(&text(120)), resolved(&text(12_000)));
    let mut world = slow.build().expect("a world");
    world.advance(Time(50_500 * US));
    assert_eq!(world.report().delivered, 0);
    slow.change(&mut world, &fast).expect("another trace");
    world.advance(Time(51_000 * US - 1));
    assert_eq!(world.report().delivered, 0);
    world.advance(Time(51_000 * US));
    assert_eq!(world.report().delivered, 1);
}
