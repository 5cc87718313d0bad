//! Media and stations: the contract's example, and what is refused of it.

use backwater_sim::limit::Limit;
use backwater_sim::medium::wifi::mac::category::{AccessMode, AfterCollision};
use backwater_sim::spec::NodeKind;
use backwater_transport::units::{Rate, Span};
use serde_json::json;

use super::*;
use crate::run::{Keep, Run};

#[test]
fn the_wireless_example_of_the_contract_becomes_a_spec() {
    let spec = read(WIRELESS).unwrap().spec();
    let medium = &spec.media[0];
    assert_eq!(medium.name, "air");
    assert_eq!(
        (medium.phy.data, medium.phy.control),
        (Rate(11_000_000), Rate(1_000_000))
    );
    let mac = &medium.mac;
    assert_eq!(
        (mac.access, mac.rts_above, mac.retry_short, mac.retry_long),
        (AccessMode::Edca, u64::MAX, 7, 4)
    );
    assert_eq!(mac.after_collision, AfterCollision::Timeout);
    assert_eq!(mac.categories[1].aifsn, 3);
    assert_eq!(mac.categories[1].txop, Span::ZERO);
    let NodeKind::Station(radios) = &spec.nodes[0].kind else {
        panic!("A is a station")
    };
    let station = &radios[0];
    assert_eq!((station.medium, station.at), (0, [-71.0, 71.0]));
    assert_eq!(station.buffer, Limit::Packets(100));
    assert_eq!(spec.flows[0].class, 1);
    assert_eq!(spec.flows[0].route, Some(vec![0, 1, 2]));
}

#[test]
fn a_run_reports_hops_stations_labels_and_delays_that_add_up() {
    let resolved = read(&WIRELESS.replace("60 s", "5 s")).unwrap();
    let mut run = Run::new(&resolved, Keep::default()).unwrap();
    while !run.step().unwrap() {}
    let document = run.finish().unwrap().0;
    assert_eq!(document["conservation"]["ok"], true);
    assert_eq!(document["labels"]["mac.after_collision"], "timeout");
    let hops = &document["flows"][0]["hops"];
    assert_eq!(
        (&hops[0]["from"], &hops[1]["to"]),
        (&json!("A"), &json!("D"))
    );
    assert_eq!(document["stations"].as_array().unwrap().len(), 3);
    assert_eq!(
        document["stations"][0]["aifsn_mean"],
        json!([7.0, 3.0, 2.0, 2.0])
    );
    let flow = &document["flows"][0];
    let parts = [
        "serialisation",
        "queue",
        "gate",
        "contention",
        "retries",
        "propagation",
    ];
    let part = |name: &str| flow[format!("delay_{name}_s")].as_f64().unwrap();
    let sum: f64 = parts.iter().map(|name| part(name)).sum();
    assert!((sum - part("mean")).abs() < 1e-12);
    assert!(part("contention") > 0.0 && part("retries") > 0.0);
    // Two hops of 1 us, and two data frames of 1311 us.
    assert_eq!(part("propagation"), 2e-6);
    assert!((part("serialisation") - 2.0 * 1311e-6).abs() < 1e-12);
}

#[track_caller]
fn refused(old: &str, new: &str, what: &str, fix: &str) {
    refused_in(WIRELESS, old, new, what, fix);
}

#[track_caller]
fn refused_in(text: &str, old: &str, new: &str, what: &str, fix: &str) {
    assert!(text.contains(old), "{old}");
    let found = read(&text.replacen(old, new, 1))
        .and_then(|r| r.build())
        .expect_err(new);
    assert!(found.what.contains(what), "{found}");
    assert!(found.fix.contains(fix), "{found}");
    assert!(found.line.is_some(), "{found}");
}

/// 20 bytes of IPv4 and 8 of UDP.
#[test]
fn packets_shorter_than_their_headers_are_refused() {
    let short = "shorter than the headers of IPv4 and UDP";
    refused(
        "packet = \"1500 B\"",
        "packet = \"27 B\"",
        short,
        "28 B or more",
    );
    refused(
        "ac = \"BE\",",
        "ac = \"BE\", packet = \"20 B\",",
        short,
        "\"48 B\"",
    );
    let least = WIRELESS.replace("packet = \"1500 B\"", "packet = \"28 B\"");
    assert!(read(&least).and_then(|r| r.build()).is_ok());
    // Ethernet pads them.
    let wired = WIRED.replace("class = 0,", "class = 0, packet = \"20 B\",");
    assert!(read(&wired).is_ok());
}

#[test]
fn bad_media_stations_and_routes_are_refused_with_the_fix() {
    refused(
        "\"100 m\", \"0 m\"",
        "\"0 m\", \"0 m\"",
        "lies where",
        "another place",
    );
    refused(
        "at = [\"100 m\", \"0 m\"]",
        "at = []",
        "0 coordinates",
        "at = [",
    );
    refused("at = [\"100 m\", \"0 m\"], ", "", "nodes.D.at", "write at");
    refused("\"100 m\", \"0 m\"", "100, 0", "", "");
    refused(
        "at = [\"100 m\"",
        "at = [\"900 m\"",
        "out of reach",
        "closer",
    );
    refused(
        "routes.f1 = [\"A\", \"C\", \"D\"]\n",
        "",
        "no route leads",
        "route",
    );
    refused(
        "[\"A\", \"C\", \"D\"]",
        "[\"A\", \"C\", \"A\", \"C\", \"D\"]",
        "passes A twice",
        "once",
    );
    refused(
        "data = \"11 Mbit/s\"",
        "data = \"12 Mbit/s\"",
        "is a rate of OFDM",
        "11",
    );
    refused(
        "control = \"1 Mbit/s\"",
        "control = \"6 Mbit/s\"",
        "is a rate of OFDM",
        "5.5",
    );
    for (aifsn, what) in [("0", "too small"), ("256", "too large")] {
        refused(
            "rts = \"off\"",
            &format!("rts = \"off\", ac.BE = {{ aifsn = {aifsn} }}"),
            what,
            "write",
        );
    }
    refused(
        "rts = \"off\"",
        "rts = \"off\", ac.BE = { cw_min = 63, cw_max = 31 }",
        "(63) exceeds the largest (31)",
        "no larger",
    );
    refused("medium = \"air\"", "medium = \"ether\"", "no medium", "air");
    refused("ac = \"BE\"", "class = 3", "access categories", "ac =");
    refused("transmit = \"100 m\"", "transmit = 100", "no unit", "100 m");
    refused(
        "sense = \"190 m\"",
        "sense = \"90 m\"",
        "sensed within 90 m",
        "no less",
    );
    refused(
        "preamble = \"long\"",
        "preamble = \"short\"",
        "has no 1 Mbit/s",
        "2 Mbit/s",
    );
    refused(
        "data = \"11 Mbit/s\", control = \"1 Mbit/s\"",
        "data = \"2 Mbit/s\", control = \"11 Mbit/s\"",
        "faster than data",
        "no faster",
    );
    refused("capture = \"off\"", "capture = \"10\"", "dB", "off");
    refused(
        "buffer = \"100 packets\"",
        "buffer = \"1 kB\"",
        "cannot hold",
        "larger",
    );
}

const PHYSICAL: &str = r#"schema = "backwater/scenario/1"
duration = "2 s"
routing = { kind = "airtime" }
media.air.phy = { standard = "802.11g", data = "54 Mbit/s" }
media.air.mac = { access = "dcf", rts = "on" }
media.air.channel = { model = "physical", shadowing = "0 dB" }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"] }
nodes.B = { kind = "station", medium = "air", at = ["90 m", "0 m"] }
nodes.C = { kind = "station", medium = "air", at = ["230 m", "0 m"] }
flows.f1 = { from = "A", to = "C", source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }
"#;

/// 90 m carry 36 Mbit/s and 140 m carry 12 Mbit/s; 230 m carry nothing.
#[test]
fn the_physical_channel_chooses_rates_and_says_its_parameters() {
    let resolved = read(PHYSICAL).unwrap();
    let json: Json = serde_json::from_str(&resolved.canonical).unwrap();
    let channel = &json["media"]["air"]["channel"];
    assert_eq!(channel["model"], json!("physical"));
    assert_eq!(channel["gain_dB"], json!(-140.046));
    assert_eq!(channel["shadowing_dB"], json!(0));
    assert_eq!(channel["capture"], json!(10));
    let mut run = Run::new(&resolved, Keep::default()).unwrap();
    while !run.step().unwrap() {}
    let document = run.finish().unwrap().0;
    assert_eq!(document["conservation"]["ok"], true);
    assert_eq!(document["labels"]["channel.model"], "physical");
    assert_eq!(document["labels"]["channel.capture"], "10 dB");
    let hops = document["flows"][0]["hops"].as_array().unwrap();
    let ends: Vec<&Json> = hops.iter().flat_map(|h| [&h["from"], &h["to"]]).collect();
    assert_eq!(ends, [&json!("A"), &json!("B"), &json!("B"), &json!("C")]);
    let count = |what: &str| document["flows"][0][what].as_u64().unwrap();
    let entered = count("entered_pkts");
    assert!(entered >= 165 && count("delivered_pkts") + 2 >= entered);
}

#[test]
fn fields_of_the_other_channel_and_bad_values_are_refused() {
    let refused = |old: &str, new: &str, what: &str, fix: &str| {
        refused_in(PHYSICAL, old, new, what, fix);
    };
    let (model, shadowing) = ("model = \"physical\"", "shadowing = \"0 dB\"");
    for (new, what, fix) in [
        ("transmit = \"100 m\"", "no `transmit`", "disc"),
        ("shadowing = \"-1 dB\"", "too small", "0 dB"),
        ("noise = \"-93.5 dB\"", "dBm", "dBm"),
        ("fer_target = \"100 %\"", "too large", "99 %"),
        ("exponent = 0", "too small", "1"),
        ("energy_detect = \"-130 dBm\"", "-113.5 dBm", "-113.5"),
        ("capture = \"10\"", "dB", "off"),
    ] {
        refused(shadowing, new, what, fix);
    }
    refused(model, "model = \"disc\"", "no `shadowing`", "physical");
    let both = format!("{model}, {shadowing}");
    refused(&both, "model = \"disc\"", "transmit", "100 m");
    refused("[\"230 m\"", "[\"300 m\"", "out of reach", "closer");
}
