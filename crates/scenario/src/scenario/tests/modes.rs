//! Modes of 802.11n and later, and aggregation: what is read, what is run, what is refused.

use backwater_sim::medium::wifi::phy::mode::{Coding, Format, Guard};
use backwater_transport::units::{Rate, Span};

use super::*;
use crate::run::{Keep, Run};

const MODERN: &str = r#"
schema = "backwater/scenario/1"
duration = "1 s"
routing = { kind = "shortest-path" }
media.air.phy = { standard = "802.11ac", mcs = 4, width = "80 MHz", streams = 2, guard = "0.4 us" }
media.air.mac = { aggregation = "a-mpdu", ba_window = 32, aggregate_time = "4 ms", mpdu_spacing = "0.5 us" }
media.air.channel = { model = "disc", transmit = "100 m" }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"] }
nodes.B = { kind = "station", medium = "air", at = ["50 m", "0 m"] }
flows.f = { from = "A", to = "B", ac = "BE", packet = "1500 B", source = { kind = "saturated", packet = "1500 B" } }
"#;

#[test]
fn a_mode_and_an_aggregation_are_read() {
    let spec = read(MODERN).unwrap().spec();
    let high = spec.media[0].high.expect("stations of 802.11ac");
    let mode = high.mode;
    assert_eq!((mode.format, mode.width), (Format::Vht, 80));
    assert_eq!((mode.mcs, mode.streams), (4, 2));
    assert_eq!((mode.guard, mode.coding), (Guard::Short, Coding::Bcc));
    // 234 carriers, 4 bits, 3/4, two streams: 1404 bits in 3.6 us.
    assert_eq!(spec.media[0].phy.data, Rate(390_000_000));
    let limits = high.aggregation.expect("A-MPDUs");
    assert_eq!((limits.window, limits.asks), (32, true));
    assert_eq!(limits.bounds.bytes, 1_048_575);
    assert_eq!(limits.bounds.time, Span::millis(4));
    assert_eq!(limits.bounds.apart, Span::nanos(500));
    assert_eq!(spec.media[0].mac.lifetime, Some(Span::millis(500)));
    let plain = MODERN.replace("media.air.mac", "#");
    let spec = read(&plain).unwrap().spec();
    assert_eq!(spec.media[0].high.expect("the same").aggregation, None);
    assert_eq!(spec.media[0].mac.lifetime, None);
}

/// The parts of the delay that only packets in aggregates have stand in the document, and all parts add up.
#[test]
fn delays_of_aggregated_packets_add_up() {
    let resolved = read(MODERN).unwrap();
    let mut run = Run::new(&resolved, Keep::default()).unwrap();
    while !run.step().unwrap() {}
    let document = run.finish().unwrap().0;
    let flow = &document["flows"][0];
    let part = |name: &str| flow[format!("delay_{name}_s")].as_f64().unwrap();
    let parts = [
        "serialisation",
        "queue",
        "gate",
        "contention",
        "retries",
        "aggregate",
        "reorder",
        "propagation",
    ];
    let sum: f64 = parts.iter().map(|name| part(name)).sum();
    assert!((sum - part("mean")).abs() < 1e-12);
    assert!(part("aggregate") > part("serialisation"));
    assert_eq!(part("reorder"), 0.0);
}

#[track_caller]
fn refused(old: &str, new: &str, what: &str, fix: &str) {
    assert!(MODERN.contains(old), "{old}");
    let found = read(&MODERN.replacen(old, new, 1))
        .and_then(|r| r.build())
        .expect_err(new);
    assert!(found.what.contains(what), "{found}");
    assert!(found.fix.contains(fix), "{found}");
    assert!(found.line.is_some(), "{found}");
}

#[test]
fn modes_that_a_standard_lacks_are_refused() {
    refused(
        "mcs = 4",
        "mcs = 10",
        "802.11ac has no MCS 10",
        "from 0 to 9",
    );
    refused(
        "80 MHz",
        "320 MHz",
        "no channel of 320 MHz",
        "20, 40, 80, 160",
    );
    refused(
        "0.4 us",
        "3.2 us",
        "no guard interval of 3.2 us",
        "0.4 us, 0.8 us",
    );
    refused("mcs = 4, ", "", "mcs", "7");
    refused(
        "streams = 2",
        "streams = 2, data = \"54 Mbit/s\"",
        "802.11ac has no `data`",
        "802.11a",
    );
    let excluded = "802.11ac excludes MCS 6 with 3 spatial streams at 80 MHz";
    refused(
        "mcs = 4, width = \"80 MHz\", streams = 2",
        "mcs = 6, width = \"80 MHz\", streams = 3",
        excluded,
        "write MCS 5",
    );
}

#[test]
fn older_standards_have_neither_mcs_nor_aggregation() {
    let old =
        "standard = \"802.11ac\", mcs = 4, width = \"80 MHz\", streams = 2, guard = \"0.4 us\"";
    let plain = "standard = \"802.11a\", data = \"54 Mbit/s\"";
    refused(old, plain, "up to 802.11g have no A-MPDU", "802.11n");
    refused(
        old,
        "standard = \"802.11a\", mcs = 4",
        "802.11a has no `mcs`",
        "802.11n",
    );
    refused(old, "standard = \"802.11a\"", "data", "54 Mbit/s");
}

#[test]
fn what_an_aggregate_cannot_have_is_refused() {
    refused(
        "ba_window = 32",
        "ba_window = 65",
        "no block acknowledgement of 65",
        "at most 64",
    );
    refused(
        "aggregation = \"a-mpdu\", ",
        "",
        "without aggregation there is no",
        "a-mpdu",
    );
    refused(
        "a-mpdu\",",
        "a-mpdu\", access = \"dcf\",",
        "four access categories",
        "edca",
    );
    refused(
        "at = [\"0 m\", \"0 m\"]",
        "at = [\"0 m\", \"0 m\"], queue = \"round-robin\"",
        "chooses one frame at a time",
        "aggregation = \"off\"",
    );
    refused(
        "at = [\"0 m\", \"0 m\"]",
        "at = [\"0 m\", \"0 m\"], rate = \"54 Mbit/s\"",
        "send by the mode of their medium",
        "remove it",
    );
}
