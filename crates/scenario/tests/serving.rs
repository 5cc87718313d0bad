//! An access point that serves fast and slow stations: what waits where, whose turn it is, and what airtime each gets.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use serde_json::Value;

/// Two stations at 144.4 Mbit/s, 42 frames a PPDU, and one at 7.2 Mbit/s, two frames, each offered 100 Mbit/s over a wire.
const CELL: &str = r#"
schema = "backwater/scenario/1"
duration = "6 s"
warmup = "1 s"
media.air.phy = { standard = "802.11n", mcs = 7, width = "20 MHz", streams = 2, guard = "0.4 us" }
media.air.mac = { aggregation = "a-mpdu", aggregate_time = "4 ms", lifetime = "10 s" }
media.air.channel = { model = "disc", transmit = "100 m", propagation = "0 s" }
topology = { kind = "wlan", medium = "air", stations = 3, station_mcs = ["7", "7", "0"], station_streams = ["2", "2", "1"], wire_rate = "1 Gbit/s", wire_delay = "1 ms", buffer = "1000 packets" }
flows.f1 = { from = "d1", to = "s1", ac = "BE", source = { kind = "cbr", packet = "1500 B", rate = "100 Mbit/s" } }
flows.f2 = { from = "d1", to = "s2", ac = "BE", source = { kind = "cbr", packet = "1500 B", rate = "100 Mbit/s" } }
flows.f3 = { from = "d1", to = "s3", ac = "BE", source = { kind = "cbr", packet = "1500 B", rate = "100 Mbit/s" } }
"#;

const MANAGED: &str = "\nports.\"*>air\".queue = { kind = \"fq-codel\" }\n";

/// The cell with further options of its stations.
fn cell(options: &str) -> String {
    CELL.replace(
        "buffer = \"1000 packets\"",
        &format!("buffer = \"1000 packets\"{options}"),
    )
}

fn run(text: &str) -> Value {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario
        .and_then(|s| s.resolve(None))
        .unwrap_or_else(|d| panic!("{d}"));
    let mut run = Run::new(&resolved, Keep::default()).unwrap_or_else(|d| panic!("{d:?}"));
    while !run.step().unwrap() {}
    let document = run.finish().unwrap().0;
    assert_eq!(document["conservation"]["ok"], true);
    document
}

#[track_caller]
fn refused(text: &str, what: &str, fix: &str) {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let found = scenario
        .and_then(|s| s.resolve(None))
        .and_then(|r| r.build().map(|_| ()));
    let found = found.expect_err(what);
    assert!(found.what.contains(what), "{found}");
    assert!(found.fix.contains(fix), "{found}");
}

/// Mbit/s of the three flows.
fn goodputs(document: &Value) -> [f64; 3] {
    [0, 1, 2].map(|i| document["flows"][i]["goodput_bps"].as_f64().unwrap() / 1e6)
}

/// A figure of s1, s2 and s3.
fn at_stations(document: &Value, name: &str) -> [f64; 3] {
    let rows = document["stations"].as_array().unwrap();
    let of = |id: &str| rows.iter().find(|row| row["id"] == id).unwrap();
    ["s1", "s2", "s3"].map(|id| of(id)[name].as_f64().unwrap())
}

#[track_caller]
fn assert_near(found: [f64; 3], expected: [f64; 3], share: f64) {
    for (f, e) in found.iter().zip(expected) {
        assert!((f / e - 1.0).abs() < share, "{found:?}, not {expected:?}");
    }
}

/// 8 frames a PPDU: 12,350 B at 520 bits in 3.6 us are 191 symbols, up to 4 us: 688 us, preamble 40 us, SIFS 16 us, block acknowledgement at 24 Mbit/s
/// 32 us: 776 us. Two frames of the slow station, 3086 B at 26 bits: 951 symbols, 3424 us, preamble 36 us, SIFS 16 us, answer at 6 Mbit/s 68 us: 3544 us. Between
/// exchanges AIFS 43 us and 67.5 us of backoff.
#[test]
fn neighbours_share_exchanges_or_airtime_as_the_closed_forms_have_it() {
    let took = [776.0, 776.0, 3544.0];
    let bits = [96_000.0, 96_000.0, 24_000.0];
    let idle = 110.5;
    let serve = |serve: &str| {
        let options = format!(", managed = \"neighbour\", serve = \"{serve}\"");
        let text = cell(&options).replace("aggregate_time", "ba_window = 8, aggregate_time");
        run(&(text + MANAGED))
    };
    let turns = serve("turns");
    let round: f64 = took.iter().map(|t| t + idle).sum();
    assert_near(goodputs(&turns), bits.map(|b| b / round), 0.01);
    let airtime = serve("airtime");
    let time: f64 = took.iter().map(|t| 1.0 + idle / t).sum();
    let expected = [0, 1, 2].map(|i| bits[i] / took[i] / time);
    assert_near(goodputs(&airtime), expected, 0.01);
    let shares = at_stations(&airtime, "airtime_toward");
    assert_near(shares, [1.0 / time; 3], 0.01);
    assert_near(
        at_stations(&airtime, "ppdu_frames_toward"),
        [8.0, 8.0, 2.0],
        0.01,
    );
}

/// A queue of the driver that all neighbours share fills with packets of the slow station, so that few of the fast ones stand in it for a
/// PPDU. Where each neighbour has queues of its own, 42 do: 64,846 of at most 65,535 B.
#[test]
fn a_shared_driver_queue_starves_the_aggregates_of_fast_stations() {
    let shared = run(&cell(", driver_queue = 123, serve = \"turns\""));
    let frames = at_stations(&shared, "ppdu_frames_toward");
    assert!(frames[0] < 6.0 && frames[1] < 6.0, "{frames:?}");
    let airtime = at_stations(&shared, "airtime_toward");
    assert!(airtime[2] > 0.7, "{airtime:?}");
    let own = run(&(cell(", managed = \"neighbour\"") + MANAGED));
    let frames = at_stations(&own, "ppdu_frames_toward");
    assert!(frames[0] > 41.5 && frames[1] > 41.5, "{frames:?}");
    let sum = |document: &Value| goodputs(document).iter().sum::<f64>();
    assert!(sum(&own) > 3.0 * sum(&shared));
}

/// One station at 7.2 Mbit/s, two packets of 1500 B in a PPDU each 3654.5 us, whose queue never empties, and a packet of another flow now and then. Behind
/// the station's queues wait the fewest packets of 1723.6 us and half a preamble that reach the limit: 3 for 5 ms, 23 for 40 ms; and 14 where 24 ms
/// for all end what 40 ms for one would allow. The other flow's packet goes before what waits in the queues, and behind all but one of those.
#[test]
fn packets_leave_the_queue_of_a_neighbour_for_so_much_airtime_only() {
    let ping = "flows.ping = { from = \"d1\", to = \"s1\", ac = \"BE\", source = { kind = \"poisson\", packet = \"100 B\", rate = \"8 kbit/s\" } }";
    let slow = |options: &str| {
        let options = format!(", managed = \"neighbour\", serve = \"airtime\"{options}");
        let text = cell(&options)
            .replace("stations = 3", "stations = 1")
            .replace("[\"7\", \"7\", \"0\"]", "[\"0\"]")
            .replace("[\"2\", \"2\", \"1\"]", "[\"1\"]")
            .replace("duration = \"6 s\"", "duration = \"20 s\"");
        let lines = text
            .lines()
            .filter(|l| !l.starts_with("flows.f2") && !l.starts_with("flows.f3"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let document = run(&format!("{text}\n{ping}\n{MANAGED}"));
        let rows = document["flows"].as_array().unwrap();
        let flow = rows.iter().find(|f| f["id"] == "ping").unwrap();
        flow["delay_p50_s"].as_f64().unwrap() * 1e6
    };
    let period = 3654.5;
    for (options, waiting) in [
        (
            ", airtime_limit = \"5 ms\", airtime_limit_high = \"5 ms\"",
            3.0,
        ),
        (
            ", airtime_limit = \"5 ms\", airtime_limit_high = \"40 ms\"",
            14.0,
        ),
        (
            ", airtime_limit = \"40 ms\", airtime_total = \"1 ms\"",
            23.0,
        ),
    ] {
        let found = slow(options);
        // It comes during a PPDU, and waits 1 ms on the wire.
        let before = (waiting - 1.0) / 2.0 * period;
        assert!(
            found > before && found < before + 1.5 * period + 1000.0,
            "{options}: {found}"
        );
    }
    assert!(slow("") < 2.0 * period + 1000.0);
}

/// A full buffer loses packets of the longest queue of all neighbours: the slow station's, and those of a flow that sends less than its share
/// are all delivered.
#[test]
fn a_full_buffer_loses_packets_of_the_longest_queue_of_all_neighbours() {
    let text = cell(", managed = \"neighbour\"")
        .replace("1000 packets", "100 packets")
        .replacen("100 Mbit/s", "2 Mbit/s", 1);
    let document = run(&(text + MANAGED));
    let flow = &document["flows"][0];
    assert_eq!(flow["dropped_pkts"], 0, "{flow}");
    assert!(document["flows"][2]["dropped_pkts"].as_u64().unwrap() > 1000);
}

/// Queue management that all neighbours share keeps its packets until the driver has room: CoDel sees them wait, and marks or drops.
#[test]
fn shared_queue_management_stands_before_the_driver() {
    let document = run(&(cell("") + "\nports.\"AP>air\".queue = { kind = \"codel\" }\n"));
    let drops = document["drops"].as_array().unwrap().iter();
    let of_aqm = drops.filter(|row| row["cause"] == "aqm" && row["place"] != "R>AP");
    assert!(of_aqm.count() > 0);
    // Without any, all packets that are lost are lost for want of room.
    let plain = run(&cell(", driver_queue = 123"));
    let drops = plain["drops"].as_array().unwrap().iter();
    assert!(drops.clone().count() > 0 && drops.clone().all(|row| row["cause"] == "buffer-full"));
}

/// `fifo` at a radio is what it does where nothing is written.
#[test]
fn fifo_can_be_chosen_at_a_radio() {
    let plain = run(&cell(""));
    let chosen = run(&(cell("") + "\nports.\"AP>air\".queue = { kind = \"fifo\" }\n"));
    assert_eq!(plain["fingerprint"], chosen["fingerprint"]);
    let strict = cell("") + "\nports.\"AP>air\".queue = { kind = \"strict-priority\" }\n";
    refused(&strict, "has no queue management", "EDCA");
}

#[test]
fn what_cannot_be_is_refused() {
    refused(
        &cell(", managed = \"neighbour\""),
        "no queue management stands at this radio",
        "ports",
    );
    refused(
        &(cell(", managed = \"neighbour\", serve = \"oldest\"") + MANAGED),
        "no common order",
        "serve = \"turns\"",
    );
    refused(
        &(cell(", managed = \"neighbour\", driver_queue = 5") + MANAGED),
        "none wait behind it",
        "remove driver_queue",
    );
    for (options, what, fix) in [
        ("airtime_limit = \"5 ms\"", "all have one queue", "managed"),
        (
            "airtime_total = \"5 ms\"",
            "there is none",
            "airtime_limit = \"5 ms\"",
        ),
        (
            "managed = \"neighbour\", airtime_limit = \"5 ms\", airtime_limit_high = \"4 ms\"",
            "less than airtime_limit",
            "at least airtime_limit",
        ),
    ] {
        refused(&(cell(&format!(", {options}")) + MANAGED), what, fix);
    }
    let alone = cell(", serve = \"turns\"")
        .replace("aggregation = \"a-mpdu\", aggregate_time = \"4 ms\", ", "");
    refused(
        &(alone + MANAGED),
        "chooses the packet that goes next",
        "driver_queue",
    );
    refused(
        &cell(", queue = \"round-robin\", serve = \"turns\""),
        "by flow",
        "remove one",
    );
    refused(&cell(", mcs = 8"), "802.11n has no MCS 8", "from 0 to 7");
    refused(
        &CELL.replace("\"7\", \"7\", \"0\"", "\"7\", \"fast\""),
        "no number",
        "\"1\"",
    );
    refused(
        &CELL.replace("\"2\", \"2\", \"1\"", "\"9\""),
        "802.11n has no 9 spatial streams",
        "1 to 4",
    );
    let old =
        "standard = \"802.11n\", mcs = 7, width = \"20 MHz\", streams = 2, guard = \"0.4 us\"";
    let old = CELL.replace(old, "standard = \"802.11a\", data = \"54 Mbit/s\"");
    let old = old.replace("aggregation = \"a-mpdu\", aggregate_time = \"4 ms\", ", "");
    refused(&old, "stations up to 802.11g have no MCS", "802.11n");
    let old = old.replace(
        "station_mcs = [\"7\", \"7\", \"0\"], station_streams = [\"2\", \"2\", \"1\"]",
        "mcs = 1",
    );
    refused(&old, "stations up to 802.11g have no `mcs`", "802.11n");
    let ideal = CELL
        .replace(
            "streams = 2, guard",
            "streams = 2, rate_control = \"ideal\", guard",
        )
        .replace(
            "model = \"disc\", transmit = \"100 m\"",
            "model = \"physical\"",
        );
    refused(
        &ideal,
        "choose the mode of each frame",
        "rate_control = \"off\"",
    );
}

/// A station that sends a stream without end, over a window that its acknowledgements open.
const UPLINK: &str = r#"
schema = "backwater/scenario/1"
duration = "6 s"
warmup = "2 s"
media.air.phy = { standard = "802.11n", mcs = 7, width = "20 MHz" }
media.air.mac = { aggregation = "a-mpdu", lifetime = "10 s" }
media.air.channel = { model = "disc", transmit = "100 m", propagation = "0 s" }
topology = { kind = "wlan", medium = "air", stations = 1, wire_rate = "1 Gbit/s", wire_delay = "1 ms", buffer = "1000 packets" }
flows.f1 = { from = "s1", to = "d1", ac = "BE", packet = "1500 B", transport = "tcp", controller = { kind = "cubic" }, source = { kind = "bulk" } }
"#;

/// In 1 s / 2^20 no mode brings a packet, so a limited flow keeps two segments of 1518 B in the radio of its host, and never more. The lower the shift, the more it
/// keeps; without a limit the window of slow start lies there.
#[test]
fn a_small_queue_keeps_few_bytes_in_the_radio() {
    let run = |option: &str| {
        let text = UPLINK.replace("kind = \"bulk\" }", &format!("kind = \"bulk\" }}{option}"));
        let document = run(&text);
        let ports = document["ports"].as_array().unwrap().iter();
        let radio = ports.clone().find(|port| port["id"] == "s1>AP").unwrap();
        let goodput = document["flows"][0]["goodput_bps"].as_f64().unwrap();
        (radio["queue_max_B"].as_u64().unwrap(), goodput)
    };
    let (free, best) = run("");
    let (least, slowest) = run(", small_queue = 20");
    assert_eq!(least, 2 * 1518);
    let (few, _) = run(", small_queue = 12");
    let (more, _) = run(", small_queue = 8");
    assert!(
        least <= few && few < more && 2 * more < free,
        "{few} {more} {free}"
    );
    // Two frames of 1538 B in a PPDU take 416 us, and with backoff, acknowledgement and the way back more than twice as long as their share of 28.
    assert!(slowest < 0.7 * best, "{slowest} {best}");
}

#[test]
fn a_small_queue_is_a_radio_s() {
    let wire = UPLINK.replace(
        "from = \"s1\", to = \"d1\"",
        "from = \"d1\", to = \"s1\", small_queue = 10",
    );
    refused(
        &wire,
        "do not leave their host over 802.11",
        "nic = \"pull\"",
    );
    let pulled = UPLINK.replace(
        "ac = \"BE\"",
        "ac = \"BE\", nic = \"pull\", small_queue = 10",
    );
    refused(&pulled, "nothing waits to be limited", "nic = \"push\"");
    let plain = CELL.replacen("ac = \"BE\"", "ac = \"BE\", small_queue = 10", 1);
    refused(&plain, "small_queue", "tcp");
}
