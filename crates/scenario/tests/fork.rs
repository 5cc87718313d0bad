//! A change in the middle of a run leaves nothing of the state before it.

use backwater_scenario::{Folders, Scenario};
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

/// A world that runs to an instant, becomes another one there, and ends. Its packets entered before and in all.
fn changed(from: &str, to: &str, at: Span) -> ([u64; 2], Report) {
    let resolve = |text: &str| {
        let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
        scenario.resolve(Some(1)).unwrap()
    };
    let (before, after) = (resolve(from), resolve(to));
    let mut world: World = before.build().unwrap();
    world.advance(Time::ZERO + at);
    let entered = |report: &Report| report.flows[0].sums.entered.packets;
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
