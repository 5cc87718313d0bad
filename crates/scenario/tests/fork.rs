//! A change in the middle of a run leaves nothing of the state before it.

use backwater_scenario::{Folders, Resolved, Scenario};
use backwater_sim::ids::FlowId;
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
    // A line that takes one packet in a second has served one by the change, and the next opportunity of the new trace comes at once.
    for (from, to, wanted) in [
        ("12", "24", 3_000),
        ("24", "12", 3_000),
        ("12", "6", 1_500),
        ("0.012", "12", 1_001),
    ] {
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

fn refusal(from: &str, to: &str) -> Result<(), String> {
    let (before, after) = (resolve(from), resolve(to));
    let mut world: World = before.build().unwrap();
    world.advance(Time::ZERO + Span::millis(10));
    let changed = before.change(&mut world, &after);
    changed.map_err(|diagnostic| diagnostic.to_string())
}

/// A Hurst parameter counts the bits of the first line of its flow: that one keeps its rate, and each other line may have another.
#[test]
fn a_line_whose_bits_are_measured_keeps_its_rate() {
    let measured = LINE
        .replace("2 s", "2700 s")
        .replace("to = \"D\",", "to = \"D\", stop = \"20 ms\", hurst = true,");
    let other = |text: &str, line: &str, rate: &str| {
        let [from, to] = ["100 Mbit/s", rate].map(|rate| format!("rate = \"{rate}\""));
        let of = format!("links.{line} = ");
        let line = text.lines().find(|l| l.starts_with(&of)).unwrap();
        let from = if line.contains(&from) {
            from
        } else {
            "rate = \"10 Mbit/s\"".into()
        };
        text.replace(line, &line.replace(&from, &to))
    };
    assert_eq!(refusal(LINE, &other(LINE, "a", "50 Mbit/s")), Ok(()));
    assert_eq!(
        refusal(&measured, &other(&measured, "b", "50 Mbit/s")),
        Ok(())
    );
    let said = refusal(&measured, &other(&measured, "a", "50 Mbit/s")).unwrap_err();
    assert!(
        said.contains("Hurst") && said.contains("remove `hurst`"),
        "{said}"
    );
}

/// A controller whose packets carry a header or a forecast, and one whose packets do not, cannot take the place of each other.
#[test]
fn a_controller_gives_way_to_none_with_other_headers() {
    let with = |transport: &str, controller: &str| {
        resolve(&WINDOW.replace(
            "transport = \"tcp\", controller = { kind = \"fixed\", window = \"10 packets\" }",
            &format!("transport = \"{transport}\", controller = {{ kind = \"{controller}\" }}"),
        ))
    };
    let changed = |transport: &str, [from, to]: [&str; 2]| {
        let mut world: World = with(transport, from).build().unwrap();
        world.advance(Time::ZERO + Span::millis(10));
        let mut flows = with(transport, to).spec().flows;
        let new = flows.remove(0).transport.unwrap();
        let flow = FlowId::new(0);
        let changed = world.change_controller(flow, new.controller, &new.sender);
        changed.map_err(|why| why.what)
    };
    for (transport, pair, why) in [
        ("tcp", ["cubic", "xcp"], "another congestion header"),
        ("tcp", ["xcp", "cubic"], "another congestion header"),
        ("datagram", ["cubic", "sprout"], "makes forecasts"),
        ("datagram", ["sprout", "cubic"], "makes forecasts"),
    ] {
        let said = changed(transport, pair).unwrap_err();
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(changed("tcp", ["cubic", "reno"]), Ok(()));
}

/// Twice what a line of 10 Mbit/s takes comes to it, and nothing is lost in an unlimited buffer. RED, which drops each packet that comes
/// while its average is above 20 kB, has about half of those dropped that come in the second that is left, 833 of 1,666.
#[test]
fn queue_management_judges_what_comes_after_the_change() {
    let plain = LINE.replace("4 Mbit/s", "20 Mbit/s");
    let managed = format!(
        "{plain}{}",
        r#"ports."W>D" = { buffer = "unlimited", queue = { kind = "red", min = "5 kB", max = "20 kB" } }
"#
    );
    let plain = format!("{plain}ports.\"W>D\" = {{ buffer = \"unlimited\" }}\n");
    let lost = |to: &str| {
        let (_, report) = changed(&plain, to, Span::secs(1));
        report.dropped
    };
    assert_eq!(lost(&plain), 0);
    assert!(lost(&managed) > 400, "{}", lost(&managed));
}

/// RED counts idle time in frames of 125 B at the mean rate of the link: that of the new trace, 12,000 bits in 10,000 s. Sixteen packets
/// come at once, and of their frames of 1,518 B four are let in before the average is above 4.2 kB, towards the 6,072 B that
/// wait. They leave within 5 s. After 400 s without a frame, half of one at 1.2 bit/s, the average is 6,072 B × 2^-0.48 = 4,353 B still,
/// and the next packet is dropped. At 2 bit/s it would be 3,488 B, and at 12 kbit/s nought.
#[test]
fn queue_management_reckons_with_the_rate_of_the_new_trace() {
    let text = |trace: &str| {
        format!(
            r#"
schema = "backwater/scenario/1"
duration = "10000 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.down = {{ kind = "trace", from = "S", to = "D", delay = "0 s", opportunity = "1500 B", overhead = "0 B", clock = "exact", trace = {{ {trace} }} }}
links.up = {{ from = "D", to = "S", rate = "1 Gbit/s", delay = "0 s" }}
ports."S>D" = {{ buffer = "unlimited", queue = {{ kind = "red", min = "4000 B", max = "4200 B", weight = 0.5, gentle = false, mean_frame = "125 B" }} }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "packet-list", at_us = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 405000000], bytes = [1500] }} }}
"#
        )
    };
    let fast = text(r#"kind = "constant", rate = "12 kbit/s""#);
    let slow = text(r#"kind = "opportunities", at_ms = [9000000]"#);
    let dropped = |to: &str| changed(&fast, to, Span::secs(10)).1.dropped;
    assert_eq!(dropped(&fast), 12);
    assert_eq!(dropped(&slow), 13);
}
