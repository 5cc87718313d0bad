//! A change in the middle of a run leaves nothing of the state before it.

use backwater_scenario::{Folders, Resolved, Scenario};
use backwater_sim::world::{Report, World};
use backwater_transport::units::{Span, Time};

/// A line of 10 Mbit/s behind one of 100.
const LINE: &str = r#"
schema = "backwater/scenario/1"
duration = "2 s"
nodes = { S = { kind = "host" }, W = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "0 s" }
links.b = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "0 s" }
flows.f = { from = "S", to = "D", source = { kind = "cbr", packet = "1500 B", rate = "4 Mbit/s" } }
"#;

/// 1500 B of IP, header and FCS, preamble, gap.
const ON_WIRE: u64 = 1500 + 18 + 8 + 12;

fn resolve(text: &str) -> Resolved {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
    scenario.resolve(Some(1)).unwrap()
}

fn entered(report: &Report) -> u64 {
    report.flows[0].sums.entered.packets
}

/// A world that runs to an instant, becomes another one there, and ends. Its packets entered before and in all.
fn changed(from: &str, to: &str, at: Span) -> ([u64; 2], Report) {
    let (before, after) = (resolve(from), resolve(to));
    let mut world: World = before.build().unwrap();
    world.advance(Time::ZERO + at);
    let first = entered(&world.report());
    before.change(&mut world, &after).unwrap();
    world.advance(world.end());
    let report = world.report();
    assert!(report.conserved);
    ([first, entered(&report)], report)
}

/// The demand that was to come is forgotten: at 8 Mbit/s a packet every 1.5 ms enters in the second that is left. Were the
/// old demand still there, both would go on and twice as many would enter.
#[test]
fn a_source_in_the_place_of_another_has_one_demand_at_a_time() {
    let fast = LINE.replace("4 Mbit/s", "8 Mbit/s");
    let ([before, all], _) = changed(LINE, &fast, Span::micros(1_000_500));
    assert_eq!(before, 334);
    assert!((all - before).abs_diff(666) <= 1, "{}", all - before);
}

/// 17 packets come within 2 ms. The line of 10 Mbit/s begins with the first 122.08 us after its own first bit and takes 1.2304 ms for each,
/// so that after 10 ms it is sending the ninth, which ends as it began. The eight behind it take ten times as long, the last
/// of them without its gap.
#[test]
fn what_a_line_has_sent_and_is_sending_keeps_its_rate() {
    let burst = LINE.replace("to = \"D\",", "to = \"D\", stop = \"2 ms\",");
    let burst = burst.replace("4 Mbit/s", "100 Mbit/s");
    let slow = burst.replace("\"10 Mbit/s\"", "\"1 Mbit/s\"");
    let ([before, all], report) = changed(&burst, &slow, Span::millis(10));
    assert_eq!((before, all), (17, 17));
    assert_eq!(report.flows[0].sums.delivered.packets, 17);
    let us = |bytes: u64, mbps: u64| 8 * bytes / mbps;
    let begun = us(ON_WIRE - 12, 100) + 9 * us(ON_WIRE, 10);
    let expected = begun + 7 * us(ON_WIRE, 1) + us(ON_WIRE - 12, 1);
    let last = report.flows[0].last_delivered.unwrap().seconds() * 1e6;
    assert!((last - expected as f64).abs() < 100.0, "{last} {expected}");
}

/// Two lines of 100 Mbit/s and 10 ms: a round trip takes 40 ms and less than 1 ms to send packets and acknowledgements.
const WINDOW: &str = r#"
schema = "backwater/scenario/1"
duration = "2 s"
nodes = { S = { kind = "host" }, W = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "10 ms" }
links.b = { ends = ["W", "D"], rate = "100 Mbit/s", delay = "10 ms" }
flows.f = { from = "S", to = "D", transport = "tcp", controller = { kind = "fixed", window = "10 packets" }, source = { kind = "bulk" } }
"#;

/// At 1 s the 25th round is under way: no acknowledgement comes within 5 ms. A window of 30 packets sends 20 at once, 30 in each
/// further round. One of 4 sends nothing before six of the ten in flight are acknowledged.
#[test]
fn another_window_holds_at_once() {
    let window = |packets: u64| WINDOW.replace("10 packets", &format!("{packets} packets"));
    let (now, soon) = (Time::ZERO + Span::secs(1), Span::millis(5));
    for (to, at_once, rounds) in [(30, 20, 30), (4, 0, 4)] {
        let (before, after) = (resolve(WINDOW), resolve(&window(to)));
        let mut world: World = before.build().unwrap();
        world.advance(now);
        let first = entered(&world.report());
        before.change(&mut world, &after).unwrap();
        world.advance(now + soon);
        assert_eq!(entered(&world.report()) - first, at_once, "{to}");
        world.advance(now + Span::millis(600));
        let settled = entered(&world.report());
        world.advance(now + Span::millis(600 + 5 * 41));
        let grown = entered(&world.report()) - settled;
        assert!((4 * rounds..=6 * rounds).contains(&grown), "{to}: {grown}");
    }
}

/// Packets of 1500 B at 30 Mbit/s on a line that takes one with each opportunity: 1,000 in a second at 12 Mbit/s and 2,000 at 24. The
/// packet that has begun to leave ends with the opportunity that it had.
#[test]
fn another_trace_serves_from_the_change_on() {
    let line = |rate: &str| {
        format!(
            r#"
schema = "backwater/scenario/1"
duration = "2 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.down = {{ kind = "trace", from = "S", to = "D", delay = "0 s", opportunity = "1500 B", overhead = "0 B", clock = "exact", trace = {{ kind = "constant", rate = "{rate}" }} }}
links.up = {{ kind = "trace", from = "D", to = "S", delay = "0 s", opportunity = "1500 B", overhead = "0 B", clock = "exact", trace = {{ kind = "constant", rate = "12 Mbit/s" }} }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "cbr", packet = "1500 B", rate = "30 Mbit/s" }} }}
"#
        )
    };
    for (from, to, wanted) in [("12", "24", 3_000), ("24", "12", 3_000), ("12", "6", 1_500)] {
        let [from, to] = [from, to].map(|mbps| line(&format!("{mbps} Mbit/s")));
        let (_, report) = changed(&from, &to, Span::micros(1_000_300));
        let delivered = report.flows[0].sums.delivered.packets;
        assert!(delivered.abs_diff(wanted) <= 2, "{delivered} {wanted}");
    }
}

/// Poisson arrivals are drawn again, of a flow that sends: not before it starts and not after it stops.
#[test]
fn what_is_drawn_again_begins_and_stops_when_it_should() {
    let poisson = LINE.replace("\"cbr\"", "\"poisson\"");
    let poisson = poisson.replace(
        "to = \"D\",",
        "to = \"D\", start = \"500 ms\", stop = \"1 s\",",
    );
    let resolved = resolve(&poisson);
    let drawn = |redraws: &[u64]| {
        let mut world = resolved.build().unwrap();
        for ms in redraws {
            world.advance(Time::ZERO + Span::millis(*ms));
            world.redraw(7);
        }
        world.advance(world.end());
        world.report()
    };
    let plain = drawn(&[]);
    // 4 Mbit/s for half a second are 167 packets in the mean, with a deviation of 13.
    assert!(entered(&plain).abs_diff(167) < 52, "{}", entered(&plain));
    assert_eq!(entered(&drawn(&[1_500])), entered(&plain));
    assert_eq!(drawn(&[100]).fingerprint, plain.fingerprint);
    let other = drawn(&[700]);
    assert_ne!(other.fingerprint, plain.fingerprint);
    assert!(entered(&other).abs_diff(167) < 52, "{}", entered(&other));
}
