//! Modes of 802.11n and later, and aggregation: what is read, what is run, what is refused.

use backwater_sim::medium::wifi::phy::mode::{Coding, Format, Guard};
use backwater_sim::medium::wifi::phy::standard::Band;
use backwater_sim::medium::wifi::spec::{Edition, RateControl};
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

#[test]
fn rate_control_is_read_and_changes_the_canonical_form() {
    let of = |control: &str| {
        let text = MODERN.replace("streams = 2", &format!("streams = 2, {control}"));
        read(&text).unwrap()
    };
    let (off, learns) = (
        of("rate_control = \"off\""),
        of("rate_control = \"minstrel-ht\""),
    );
    let control = |resolved: &Resolved| resolved.spec().media[0].high.unwrap().control;
    assert_eq!(control(&off), RateControl::Off);
    assert_eq!(control(&learns), RateControl::Minstrel(Edition::Linux));
    assert_ne!(off.canonical, learns.canonical);
    refused(
        "streams = 2",
        "streams = 2, rate_control = \"minstrel-ht\", ideal_loss = \"5 %\"",
        "only rate_control = \"ideal\" aims at a loss",
        "remove it",
    );
    let ns3 = of("rate_control = \"minstrel-ht\", edition = \"ns-3\"");
    assert_eq!(control(&ns3), RateControl::Minstrel(Edition::Ns3));
    assert_ne!(ns3.canonical, learns.canonical);
    refused(
        "streams = 2",
        "streams = 2, edition = \"ns-3\"",
        "only rate_control = \"minstrel-ht\" has editions",
        "remove it",
    );
}

/// A medium in a word is the same as one written out, and what stands beside the word counts.
#[test]
fn a_generation_stands_for_modes_and_aggregation() {
    let phy = "media.air.phy = { standard = \"802.11ac\", mcs = 4, width = \"80 MHz\", streams = 2, guard = \"0.4 us\" }";
    let mac = "media.air.mac = { aggregation = \"a-mpdu\", ba_window = 32, aggregate_time = \"4 ms\", mpdu_spacing = \"0.5 us\" }";
    assert!(MODERN.contains(phy) && MODERN.contains(mac));
    let same = |short: &str, phy_long: &str, mac_long: &str| {
        let short = MODERN.replace(phy, short).replace(mac, "");
        let long = MODERN.replace(phy, phy_long).replace(mac, mac_long);
        assert_eq!(canonical(&short), canonical(&long), "{short}");
    };
    let on = "media.air.mac = { aggregation = \"a-mpdu\" }";
    for (name, mcs, width) in [("n", 7, 40), ("ac", 9, 80), ("ax", 11, 80), ("be", 13, 160)] {
        let long = format!(
            "media.air.phy = {{ standard = \"802.11{name}\", mcs = {mcs}, width = \"{width} MHz\", streams = 2 }}"
        );
        same(&format!("media.air.wifi = \"{name}\""), &long, on);
    }
    same(
        "media.air.wifi = \"ac\"\nmedia.air.phy.mcs = 5\nmedia.air.mac.ba_window = 16",
        "media.air.phy = { standard = \"802.11ac\", mcs = 5, width = \"80 MHz\", streams = 2 }",
        "media.air.mac = { aggregation = \"a-mpdu\", ba_window = 16 }",
    );
    refused(
        phy,
        "media.air.wifi = \"ax\"\nmedia.air.phy = { standard = \"802.11ac\" }",
        "802.11ac beside wifi, which is 802.11ax",
        "remove one",
    );
    refused(phy, "", "`media.air.phy` is missing", "phy = ");
}

#[test]
fn bands_are_those_of_the_standard() {
    let with = |band: &str| format!("streams = 2, band = \"{band}\"");
    let named = read(&MODERN.replace("streams = 2", &with("5 GHz"))).unwrap();
    assert_eq!(named.canonical, read(MODERN).unwrap().canonical);
    refused(
        "streams = 2",
        &with("2.4 GHz"),
        "802.11ac has no 2.4 GHz",
        "5 GHz",
    );
    let ax = MODERN
        .replace("802.11ac", "802.11ax")
        .replace("0.4 us", "0.8 us");
    let of = |width: &str, band: &str| {
        let text = ax
            .replace("80 MHz", width)
            .replace("streams = 2", &with(band));
        read(&text).map(|resolved| resolved.spec().media[0].phy.band)
    };
    assert_eq!(of("20 MHz", "2.4 GHz").unwrap(), Band::Ghz2);
    assert_eq!(of("160 MHz", "6 GHz").unwrap(), Band::Ghz6);
    let found = of("80 MHz", "2.4 GHz").expect_err("too wide");
    assert!(
        found.what.contains("no channel of 80 MHz fits 2.4 GHz"),
        "{found}"
    );
    let be = ax
        .replace("802.11ax", "802.11be")
        .replace("80 MHz", "320 MHz");
    assert_eq!(read(&be).unwrap().spec().media[0].phy.band, Band::Ghz6);
}

/// 802.11-2020, Table 9-155: limits of OFDM, but where a category has its own.
#[test]
fn txop_limits_of_the_standard() {
    let text = MODERN.replace(
        "ba_window = 32",
        "ba_window = 32, txop = \"standard\", ac.VO.txop = \"0 s\"",
    );
    let spec = read(&text).unwrap().spec();
    let limits = spec.media[0].mac.categories.map(|set| set.txop);
    assert_eq!(limits, [2528, 2528, 4096, 0].map(Span::micros));
}

/// A-MSDUs: up to 7935 B of 802.11n alone, 3839 B in its A-MPDUs, 11,424 B later; their frames are given up for failures, not for their age.
#[test]
fn lengths_of_a_msdus_are_those_of_the_standard() {
    let mac = "aggregation = \"a-mpdu\", ba_window = 32, aggregate_time = \"4 ms\", mpdu_spacing = \"0.5 us\"";
    let of = |text: &str, kind: &str, bytes: u32| {
        let with = format!("aggregation = \"{kind}\", amsdu_bytes = \"{bytes} B\"");
        read(&text.replace(mac, &with)).and_then(|r| r.build().map(|_| r.spec()))
    };
    let n = MODERN
        .replace("802.11ac", "802.11n")
        .replace("80 MHz", "40 MHz");
    for (text, kind, most) in [
        (&n[..], "a-msdu", 7935),
        (&n, "both", 3839),
        (MODERN, "both", 11_424),
    ] {
        let spec = of(text, kind, most).unwrap();
        let limits = spec.media[0].high.unwrap().aggregation.unwrap();
        assert_eq!(
            (limits.msdu, limits.alone),
            (u64::from(most), kind == "a-msdu")
        );
        assert_eq!(spec.media[0].mac.lifetime.is_some(), kind == "both");
        let found = of(text, kind, most + 1).expect_err("too long");
        assert!(found.what.contains("no A-MSDU of"), "{found}");
        assert!(found.fix.contains(&format!("at most {most} B")), "{found}");
    }
    refused(
        "a-mpdu\",",
        "a-msdu\",",
        "aggregation = \"a-msdu\" has no `ba_window`",
        "a-mpdu",
    );
    refused(
        "ba_window = 32",
        "amsdu_bytes = \"3839 B\"",
        "aggregation = \"a-mpdu\" has no `amsdu_bytes`",
        "a-msdu",
    );
}

/// MCS 4 at 80 MHz with two streams: 44 + 4 us of PPDU for a packet of 20 B, SIFS 16 and 28 us of acknowledgement, and propagation of 1 us
/// both ways: 94 us.
#[test]
fn a_txop_shorter_than_the_shortest_exchange_is_refused() {
    let of = |micros: u32| format!("ba_window = 32, ac.BE.txop = \"{micros} us\"");
    let text = MODERN.replace("ba_window = 32", &of(94));
    read(&text).and_then(|r| r.build()).unwrap();
    let what = "a TXOP of 93 us is shorter than the shortest exchange, of 94 us";
    refused("ba_window = 32", &of(93), what, "at least 94 us");
    refused(
        "at = [\"0 m\", \"0 m\"]",
        "at = [\"0 m\", \"0 m\"], ac.VO.txop = \"50 us\"",
        "a TXOP of 50 us is shorter",
        "0 s for one exchange",
    );
}

/// 16 us at 390 Mbit/s are 780 B: two frames of 58 B take 780 + 62 B, which 1000 B hold; at 867 Mbit/s they take 1736 + 62 B.
#[test]
fn a_spacing_that_no_a_mpdu_holds_is_refused() {
    let with = "ba_window = 32, aggregate_bytes = \"1 kB\"";
    let old = "ba_window = 32, aggregate_time = \"4 ms\", mpdu_spacing = \"0.5 us\"";
    let new = format!("{with}, mpdu_spacing = \"16 us\"");
    let text = MODERN.replace(old, &new);
    read(&text).and_then(|r| r.build()).unwrap();
    let found = read(&text.replace("mcs = 4", "mcs = 9"))
        .and_then(|r| r.build())
        .expect_err("too far apart");
    assert!(
        found
            .what
            .contains("16 us after each other take 1798 B at 866666666 bit/s"),
        "{found}"
    );
    assert!(found.fix.contains("a shorter mpdu_spacing"), "{found}");
    assert!(found.line.is_some(), "{found}");
}

/// Stations of one medium are of one generation. Those of two are on two media, so that none hears the other, and no hop leads from one to the other.
#[test]
fn generations_that_cannot_hear_each_other_are_refused() {
    refused(
        "at = [\"50 m\", \"0 m\"]",
        "at = [\"50 m\", \"0 m\"], mcs = 11",
        "802.11ac has no MCS 11",
        "from 0 to 9",
    );
    let old = "media.old = { phy = { standard = \"802.11b\", data = \"11 Mbit/s\" }, channel = { model = \"disc\", transmit = \"100 m\" } }";
    let text = MODERN.replace(
        "medium = \"air\", at = [\"50",
        "medium = \"old\", at = [\"50",
    );
    let found = read(&format!("{text}{old}\n"))
        .and_then(|r| r.build())
        .expect_err("two media");
    assert!(
        found
            .what
            .contains("`flows.f.to`: no route leads from A to B"),
        "{found}"
    );
    assert!(
        found.what.contains("B is not on the medium of A"),
        "{found}"
    );
    assert!(
        found.fix.contains("name a station of the same medium"),
        "{found}"
    );
    assert!(found.line.is_some(), "{found}");
}

/// Receivers wait for 100 ms unless another time is written, which only A-MPDUs have; 0 s is without end.
#[test]
fn a_reorder_timeout_is_read() {
    let of = |timeout: &str| {
        let with = format!("ba_window = 32, reorder_timeout = \"{timeout}\"");
        read(&MODERN.replace("ba_window = 32", &with)).unwrap()
    };
    let reorder = |r: &Resolved| r.spec().media[0].high.unwrap().aggregation.unwrap().reorder;
    assert_eq!(reorder(&of("100 ms")), Some(Span::millis(100)));
    assert_eq!(reorder(&of("0 s")), None);
    assert_eq!(of("100 ms").canonical, read(MODERN).unwrap().canonical);
    assert_ne!(of("100 ms").canonical, of("0 s").canonical);
    let mac = "aggregation = \"a-mpdu\", ba_window = 32, aggregate_time = \"4 ms\", mpdu_spacing = \"0.5 us\"";
    refused(
        mac,
        "aggregation = \"a-msdu\", reorder_timeout = \"100 ms\"",
        "aggregation = \"a-msdu\" has no `reorder_timeout`",
        "a-mpdu",
    );
}

/// 10,000 stations are as many as a scenario may have unless it lifts the limit.
#[test]
fn as_many_stations_as_the_limit_allows_are_read() {
    let cell = |rows: u32| {
        format!(
            "schema = \"backwater/scenario/1\"\nduration = \"1 ms\"\n{}\ntopology = {{ kind = \"grid\", rows = {rows}, columns = 100, spacing = \"70 m\", medium = \"air\" }}\n{}",
            "media.air = { wifi = \"ac\", channel = { model = \"disc\", transmit = \"100 m\" } }",
            "flows.f = { from = \"s0-0\", to = \"s1-1\", packet = \"1500 B\", source = { kind = \"saturated\", packet = \"1500 B\" } }",
        )
    };
    read(&cell(100)).unwrap();
    let found = read(&cell(101)).expect_err("too many");
    assert!(found.what.contains("10100 nodes; at most 10000"), "{found}");
}

/// A mechanism at a station acts on frames of one packet: over A-MPDUs it is built, over A-MSDUs refused.
#[test]
fn a_mechanism_over_a_msdus_is_refused() {
    let with = "[mechanisms.m]\nrecipe = \"aifsn\"\nat = [\"A\"]\n";
    let text = format!("{MODERN}{with}");
    read(&text).and_then(|r| r.build()).unwrap();
    let found = read(&text.replace("\"a-mpdu\"", "\"both\""))
        .and_then(|r| r.build())
        .expect_err("an A-MSDU has several packets");
    assert!(found.what.contains("an A-MSDU has several"), "{found}");
    assert!(found.fix.contains("a-mpdu"), "{found}");
}
