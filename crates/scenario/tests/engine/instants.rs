//! Reports at many instants of a run: no packet and no notice is missing, hops agree with what was delivered, and what a warm-up takes off.

use backwater_sim::world::Report;
use backwater_transport::units::Time;

use crate::net::*;

/// Looks at a run each so many microseconds. Each flow has delivered what came over its last hop, at once or when what was before it had come,
/// and no hop brings more than the one before.
fn looked_at(text: &str, each: u64, at_once: bool) -> Vec<Report> {
    let mut world = built(text);
    let mut all = Vec::new();
    while world.now() < world.end() {
        let next = world.now().0 + each * US;
        world.advance(Time(next.min(world.end().0)));
        let report = world.report();
        assert!(report.conserved, "{}", world.now());
        for flow in &report.flows {
            let hops: Vec<u64> = flow.hops.iter().map(|hop| hop.count.packets).collect();
            assert!(hops.windows(2).all(|two| two[0] >= two[1]), "{hops:?}");
            let waits = hops[hops.len() - 1] - flow.sums.delivered.packets;
            assert!(waits <= report.held && (!at_once || waits == 0), "{waits}");
            assert!(hops[0] <= flow.sums.entered.packets);
        }
        all.push(report);
    }
    all
}

/// Two hosts send to each other through switches that pause one another, by frames of their own or by fields of data frames: notices wait for the end
/// of a frame, are on wires, and take effect a while later.
#[test]
fn no_notice_is_missing_between_switches() {
    for carrier in ["frame", "header"] {
        let text = format!(
            r#"
duration = "16 ms"
nodes = {{ A = {{ kind = "host" }}, V = {{ kind = "switch" }}, W = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "V"], rate = "100 Mbit/s", delay = "50 us" }}
links.v = {{ ends = ["V", "W"], rate = "40 Mbit/s", delay = "50 us" }}
links.b = {{ ends = ["W", "B"], rate = "20 Mbit/s", delay = "50 us" }}
ports."*" = {{ buffer = "30 kB" }}
mechanisms.m = {{ recipe = "pause", at = ["V>W", "V>A", "W>B", "W>V"], notify = {{ carrier = "{carrier}" }} }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1500 B", rate = "50 Mbit/s" }} }}
flows.g = {{ from = "B", to = "A", source = {{ kind = "cbr", packet = "1500 B", rate = "19 Mbit/s" }} }}
"#
        );
        let all = looked_at(&text, 50, true);
        let last = all.last().expect("a report");
        let frames = last.ports.iter().map(|port| port.count.control);
        let waiting = last.control - frames.sum::<u64>();
        // Some may wait for the end of a frame.
        assert!(waiting <= 4, "{carrier} {waiting}");
        let told = last.hearing[0].issued;
        assert!(told > 2, "{carrier} {told}");
    }
}

/// Stations whose queues are managed, whose flows are held to a rate, or which hold what came behind a missing frame.
#[test]
fn no_packet_is_missing_at_a_radio() {
    let cell = |mac: &str, more: &str| {
        format!(
            r#"
duration = "60 ms"
media.air.phy = {{ standard = "802.11n", mcs = 7, width = "20 MHz" }}
media.air.mac = {{ {mac} }}
media.air.channel = {{ model = "physical", shadowing = "0 dB", fer_target = "40 %", gain = "-150 dB" }}
topology = {{ kind = "wlan", medium = "air", stations = 2, radius = "40 m", wire_rate = "1 Gbit/s", wire_delay = "0 s", buffer = "100 packets" }}
{more}
flows.f = {{ from = "d1", to = "s1", source = {{ kind = "cbr", packet = "1500 B", rate = "40 Mbit/s" }} }}
flows.g = {{ from = "d1", to = "s2", source = {{ kind = "cbr", packet = "1000 B", rate = "40 Mbit/s" }} }}
"#
        )
    };
    let codel = r#"ports."AP>air" = { queue = { kind = "codel", target = "1 ms" } }"#;
    let flows = r#"ports."AP>air" = { queue = { kind = "fq-codel", target = "1 ms" } }"#;
    let aggregate = r#"aggregation = "a-mpdu""#;
    for (mac, more) in [
        (aggregate, ""),
        (aggregate, codel),
        (aggregate, flows),
        (r#"access = "edca""#, codel),
    ] {
        let all = looked_at(&cell(mac, more), 1_000, mac != aggregate);
        let last = all.last().expect("a report");
        assert!(
            last.held > 0 && last.delivered > 20,
            "{} {}",
            last.held,
            last.delivered
        );
    }
}

/// Three stations in a row, of which the last but one tells those before it to stop, to slow down or to hold a flow to a rate.
#[test]
fn no_packet_is_missing_where_stations_hold_back() {
    let shaper = r#"detect = { kind = "rate-comparison" }, notify = { kind = "request" }, respond = { kind = "shaper" }"#;
    let recipes = ["tcc", "lscc", "dscc", "fair-lscc", "back-pressure"];
    let recipes = recipes.map(|recipe| format!("recipe = \"{recipe}\""));
    for recipe in recipes.iter().map(String::as_str).chain([shaper]) {
        let text = format!(
            r#"
duration = "400 ms"
routing = {{ kind = "airtime" }}
media.air = {{ phy = {{ standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }}, mac = {{ access = "edca" }}, channel = {{ model = "disc", transmit = "100 m", sense = "190 m" }} }}
nodes.S = {{ kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }}
nodes.R = {{ kind = "station", medium = "air", at = ["90 m", "0 m"], buffer = "30 packets" }}
nodes.D = {{ kind = "station", medium = "air", at = ["180 m", "0 m"], buffer = "30 packets" }}
mechanisms.m = {{ {recipe}, at = ["*"] }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "cbr", packet = "1000 B", rate = "4 Mbit/s" }} }}
flows.g = {{ from = "R", to = "D", source = {{ kind = "cbr", packet = "500 B", rate = "3 Mbit/s" }} }}
"#
        );
        let all = looked_at(&text, 4_000, true);
        let last = all.last().expect("a report");
        assert!(last.held > 0 && last.delivered > 20, "{recipe}");
        // No more lies at a port in the mean than has come to it.
        for port in &last.ports {
            let mean = port.count.area as f64 / 0.4e12;
            assert!(mean <= 2.0 * 30.0 * 1_100.0, "{recipe} {mean}");
        }
    }
}

/// What is reported from a warm-up on: the whole, less what it was at that instant.
fn since(text: &str, us: u64, of: impl Fn(&Report) -> u64) {
    let mut whole = built(text);
    let mut warmed = built(&format!("warmup = \"{us} us\"\n{text}"));
    whole.advance(Time(us * US));
    let before = of(&whole.report());
    let (all, since) = (of(&finished(&mut whole)), of(&finished(&mut warmed)));
    assert!(before > 0 && all > before, "{before} {all}");
    assert_eq!(since, all - before);
}

/// Headers of frames that found no room, and notices to sources, are counted from the warm-up on.
#[test]
fn a_warm_up_takes_off_trimmed_frames_and_notices_to_sources() {
    let short = r#"
duration = "600 us"
topology = { kind = "star", hosts = 8, rate = "40 Gbit/s", delay = "1 us", bottleneck = "40 Gbit/s" }
ports."*" = { queue = { kind = "strict-priority", classes = 2 }, buffer = "20960 B", trim = 1 }
ports."h*>W" = { buffer = "unlimited" }
flows.f = { from = "h*", to = "D", packet = "1030 B", ack_class = 1, controller = { kind = "fixed", window = "20 packets" }, source = { kind = "bulk" }, transport = "irn", gaps = "other-ways" }
"#;
    since(short, 200, |report| {
        report.ports.iter().map(|port| port.count.trimmed).sum()
    });
    let told = r#"
duration = "6 ms"
nodes = { A = { kind = "host" }, B = { kind = "host" }, W = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["A", "W"], rate = "10 Gbit/s", delay = "1 us" }
links.b = { ends = ["B", "W"], rate = "10 Gbit/s", delay = "1 us" }
links.d = { ends = ["W", "D"], rate = "10 Gbit/s", delay = "1 us" }
ports."*" = { queue = { kind = "strict-priority", classes = 2 }, buffer = "2 MB" }
ports."W>D" = { queue = { kind = "qcn", jitter = "0 %", classes = 2 } }
flows.f = { from = "A", to = "D", packet = "1482 B", transport = "roce", cnp = "off", cnp_class = 1, controller = { kind = "qcn", rate = "10 Gbit/s" }, source = { kind = "bulk" } }
flows.g = { from = "B", to = "D", packet = "1482 B", transport = "roce", cnp = "off", cnp_class = 1, controller = { kind = "qcn", rate = "10 Gbit/s" }, source = { kind = "bulk" } }
"#;
    since(told, 2_000, |report| {
        report.ports.iter().map(|port| port.count.notices).sum()
    });
}
