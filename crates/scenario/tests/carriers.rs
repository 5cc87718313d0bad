//! What takes a notice to the place that is told: a frame of its own, a header field of a data frame, or a mark that the
//! receiver of a packet echoes. Each on a wire and between stations, with the mechanism and without.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use serde_json::Value;

/// A switch with room for 100 kB in front of 10 Mbit/s.
const WIRE: &str = r#"
duration = "4 s"
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
nodes.S = { kind = "switch" }
nodes.D = { kind = "host" }
links.a = { ends = ["A", "S"], rate = "100 Mbit/s", delay = "10 us" }
links.b = { ends = ["B", "S"], rate = "100 Mbit/s", delay = "10 us" }
links.d = { ends = ["S", "D"], rate = "10 Mbit/s", delay = "10 us" }
ports."S>D" = { buffer = "100 kB" }
"#;

/// A relay between two stations that do not hear each other, with room for 60 packets.
const AIR: &str = r#"
routing = { kind = "airtime" }
duration = "10 s"
media.air.phy.standard = "802.11b"
media.air.phy.data = "11 Mbit/s"
media.air.phy.control = "1 Mbit/s"
media.air.phy.preamble = "long"
media.air.mac.access = "dcf"
media.air.channel = { model = "disc", transmit = "100 m", sense = "100 m" }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "1000 packets" }
nodes.R = { kind = "station", medium = "air", at = ["90 m", "0 m"], buffer = "60 packets" }
nodes.D = { kind = "station", medium = "air", at = ["180 m", "0 m"], buffer = "1000 packets" }
"#;

/// A stream whose window does not fit the buffer.
const STREAM: &str = r#"
flows.f = { from = "A", to = "D", transport = "tcp", controller = { kind = "fixed", window = "WINDOW packets" }, source = { kind = "bulk" } }
"#;

/// Datagrams that nobody answers, faster than the last hop, beside a stream with ECN.
const DATAGRAMS: &str = r#"
flows.f = { from = "A", to = "D", transport = "tcp", marks = "classic", controller = { kind = "newreno" }, source = { kind = "bulk" } }
flows.u = { from = "A", to = "D", packet = "1500 B", source = { kind = "cbr", rate = "RATE", packet = "1500 B" } }
"#;

fn built(text: &str) -> Result<Run, String> {
    let text = format!("schema = \"backwater/scenario/1\"\n{text}");
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(None)).map_err(|d| d.to_string())?;
    Run::new(&resolved, Keep::default()).map_err(|d| format!("{d:?}"))
}

fn run(text: &str) -> Value {
    let mut run = built(text).unwrap_or_else(|d| panic!("{d}"));
    while !run.step().unwrap() {}
    let document = run.finish().unwrap().0;
    assert_eq!(document["conservation"]["ok"], true);
    document
}

fn mechanism(at: &str, notify: &str) -> String {
    format!("mechanisms.m = {{ recipe = \"pause\", at = [\"{at}\"], detect = {{ high = \"50 %\", low = \"25 %\" }}, notify = {{ {notify} }} }}\n")
}

/// Packets that found a full buffer at a place whose name begins so.
fn overflows(document: &Value, place: &str) -> u64 {
    let rows = document["drops"].as_array().unwrap().iter();
    let here = rows.filter(|r| r["cause"] == "buffer_full" && r["port"].as_str().unwrap().starts_with(place));
    here.map(|r| r["pkts"].as_u64().unwrap()).sum()
}

fn all(document: &Value, key: &str) -> f64 {
    document["all"][key].as_f64().unwrap_or_else(|| panic!("{key} of {}", document["all"]))
}

#[test]
fn debug_figures() {
    for (name, text) in [
        ("wire header", format!("{WIRE}{}", STREAM.replace("WINDOW", "200"))),
        ("wire mark", format!("{WIRE}{}", DATAGRAMS.replace("RATE", "12 Mbit/s"))),
        ("air header", format!("{AIR}{}", STREAM.replace("WINDOW", "200"))),
        ("air mark", format!("{AIR}{}", DATAGRAMS.replace("RATE", "4 Mbit/s"))),
    ] {
        let at = if name.starts_with("wire") { "S>D" } else { "R" };
        for notify in ["", "carrier = \"frame\"", "carrier = \"header\"", "carrier = \"mark\", quanta = 4000"] {
            let notify = if at == "R" { notify.replace("4000", "400") } else { notify.to_string() };
            if name.ends_with("header") && notify.contains("mark") { continue; }
            let m = if notify.is_empty() { String::new() } else { mechanism(at, &notify) };
            let d = run(&format!("{text}{m}"));
            println!("{name} [{notify}] drops {} flows {} ", d["drops"], d["flows"].as_array().unwrap().iter().map(|f| format!("{} {} m{} ", f["id"], f["goodput_bps"], f["marked_pkts"])).collect::<String>());
            for p in d["ports"].as_array().unwrap() { println!("    {} paused {} control {} max {}", p["id"], p["paused"][0], p["control_pkts"], p["queue_max_B"]); }
        }
    }
}
