use backwater_sim::limit::Limit;
use backwater_sim::spec::{LinkSpec, NodeKind, Routing, SwitchModel};
use backwater_sim::targets::Destination;
use backwater_transport::units::{Bytes, Rate, Span};
use serde_json::{Value as Json, json};

use super::*;

mod air;
mod bytes;
mod cell;
mod generators;
mod limits;
mod modes;
mod order;
mod places;
mod proofs;
mod queues;
mod refusals;
mod sanity;
mod settings;
mod shorthand;
mod skip;
mod switches;
mod world;

/// The wired example of the contract.
pub(crate) const WIRED: &str = r#"schema = "backwater/scenario/1"
seed = 1
duration = "60 s"
warmup = "0 s"
nodes.S = { kind = "host" }
nodes.W = { kind = "switch", model = "output-queued" }
nodes.D = { kind = "host", obeys = false }
links.a = { ends = ["S", "W"], rate = "100 Mbit/s", delay = "1 us" }    # ports "S>W" and "W>S"
links.b = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }
ports."W>D" = { queue = { kind = "strict-priority", classes = 2 }, buffer = "50 kB" }
mechanisms.bp = { recipe = "pause", at = ["W>D"], detect = { high = "80 %", low = "70 %" }, notify = { audience = "feeders" } }
flows.f1 = { from = "S", to = "D", class = 0, transport = "udp", source = { kind = "uniform-uniform", burst = "24 kB", rate = "3 Mbit/s" } }
"#;

/// The wireless example of the contract, without its mechanism.
pub(crate) const WIRELESS: &str = r#"schema = "backwater/scenario/1"
duration = "60 s"
media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s", preamble = "long" }
media.air.mac = { access = "edca", rts = "off", retry_short = 7, retry_long = 4, after_collision = "timeout" }
media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m", interfere = "190 m", capture = "off" }
nodes.A = { kind = "station", medium = "air", at = ["-71 m", "71 m"], buffer = "100 packets" }
nodes.C = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "100 packets" }
nodes.D = { kind = "station", medium = "air", at = ["100 m", "0 m"], buffer = "100 packets" }
routes.f1 = ["A", "C", "D"]
flows.f1 = { from = "A", to = "D", ac = "BE", transport = "udp", source = { kind = "cbr", packet = "1500 B", rate = "4 Mbit/s" } }
"#;

fn read(text: &str) -> Result<Resolved, Diagnostic> {
    Scenario::from_toml(text, "x.toml", Folders::default())?.resolve(None)
}

fn canonical(text: &str) -> Json {
    let resolved = read(text).unwrap_or_else(|d| panic!("{d}"));
    serde_json::from_str(&resolved.canonical).unwrap()
}

fn set(overrides: &[(&str, Json)]) -> Result<Resolved, Diagnostic> {
    let mut scenario = Scenario::from_toml(WIRED, "x.toml", Folders::default())?;
    for (path, value) in overrides {
        scenario.set(path, value, &format!("--set {path}={value}"))?;
    }
    scenario.resolve(None)
}

/// The contract's example with a piece replaced, and a refusal of the new text.
#[track_caller]
fn refused(old: &str, new: &str, what: &str, nearest: &str, fix: &str) -> Diagnostic {
    assert!(WIRED.contains(old), "{old}");
    let found = read(&WIRED.replacen(old, new, 1))
        .and_then(|r| r.build())
        .expect_err(new);
    assert!(found.what.contains(what), "{found}");
    assert!(found.fix.contains(fix), "{found}");
    match nearest {
        "" => assert!(found.nearest.is_empty(), "{found}"),
        _ => assert_eq!(
            found.nearest.first().map(String::as_str),
            Some(nearest),
            "{found}"
        ),
    }
    assert!(found.line.is_some(), "{found}");
    found
}

#[test]
fn the_wired_example_of_the_contract_becomes_a_spec() {
    let resolved = read(WIRED).unwrap();
    let spec = resolved.spec();
    assert_eq!(
        (spec.seed, spec.duration, spec.warmup),
        (1, Span::secs(60), Span::ZERO)
    );
    assert_eq!(spec.routing, Routing::Tree);
    let nodes: Vec<&str> = spec.nodes.iter().map(|n| n.name.as_str()).collect();
    assert_eq!(nodes, ["D", "S", "W"]);
    assert!(matches!(
        spec.nodes[0].kind,
        NodeKind::Host { obeys: false }
    ));
    assert!(matches!(spec.nodes[1].kind, NodeKind::Host { obeys: true }));
    assert!(matches!(
        spec.nodes[2].kind,
        NodeKind::Switch(SwitchModel::OutputQueued)
    ));
    let link = &spec.links[1];
    assert_eq!(
        (link.ends, link.rate, link.delay, link.max_frame),
        ([2, 0], Rate(10_000_000), Span::micros(1), Bytes(1518))
    );
    let ports: Vec<(&str, Limit)> = spec
        .ports
        .iter()
        .map(|p| (p.name.as_str(), p.buffer))
        .collect();
    let (small, large) = (Limit::Bytes(Bytes(50_000)), Limit::Bytes(Bytes(500_000)));
    assert_eq!(
        ports,
        [
            ("S>W", Limit::Unlimited),
            ("W>S", large),
            ("W>D", small),
            ("D>W", Limit::Unlimited)
        ]
    );
    assert_eq!(spec.mechanisms[0].at, [2]);
    let flow = &spec.flows[0];
    assert_eq!(
        (flow.name.as_str(), flow.from, &flow.to),
        ("f1", 1, &Destination::Node(0))
    );
    assert_eq!(
        (flow.class, flow.packet, flow.start, flow.stop),
        (0, Bytes(1500), Span::ZERO, Span::secs(60))
    );
    resolved.build().unwrap_or_else(|d| panic!("{d}"));
}

#[test]
fn the_canonical_form_has_si_units_and_every_default() {
    let form = canonical(WIRED);
    assert_eq!(form["schema"], "backwater/resolved/1");
    assert_eq!(form["duration_s"], 60);
    assert_eq!(form.get("seed"), None);
    assert_eq!(
        form["links"]["b"],
        json!({"ends": ["W", "D"], "rate_bps": 10_000_000, "delay_s": 0.000_001, "max_frame_B": 1518})
    );
    assert_eq!(
        form["ports"]["W>D"],
        json!({"queue": {"kind": "strict-priority", "classes": 2}, "buffer_B": 50_000})
    );
    assert_eq!(form["ports"]["S>W"]["buffer"], "unlimited");
    assert_eq!(form["ports"]["W>S"]["queue"]["classes"], 1);
    assert_eq!(
        form["mechanisms"]["bp"]["detect"],
        json!({"kind": "watermark", "high": 0.8, "low": 0.7})
    );
    assert_eq!(form["mechanisms"]["bp"]["at"], json!(["W>D"]));
    let source = &form["flows"]["f1"]["source"];
    assert_eq!(
        (&source["kind"], &source["burst_B"], &source["rate_bps"]),
        (&json!("uniform-uniform"), &json!(24_000), &json!(3_000_000))
    );
    // Sorted keys: reading into a sorted map and writing gives the same text.
    let text = read(WIRED).unwrap().canonical;
    let sorted: std::collections::BTreeMap<String, Json> = serde_json::from_str(&text).unwrap();
    let keys: Vec<&String> = sorted.keys().collect();
    let positions: Vec<usize> = keys
        .iter()
        .map(|k| text.find(&format!("\"{k}\":")).unwrap())
        .collect();
    assert!(positions.is_sorted(), "{text}");
}

#[test]
fn the_order_of_the_text_does_not_matter() {
    let mut lines: Vec<&str> = WIRED.lines().collect();
    lines.reverse();
    let other = lines.join("\n").replace(
        "burst = \"24 kB\", rate = \"3 Mbit/s\"",
        "rate = \"3000 kbit/s\", burst = \"24000 B\"",
    );
    let (a, b) = (read(WIRED).unwrap(), read(&other).unwrap());
    assert_eq!(a.canonical, b.canonical);
    assert_eq!(a.key("engine"), b.key("engine"));
    assert_eq!(format!("{:?}", a.spec()), format!("{:?}", b.spec()));
}

#[test]
fn json_reads_like_toml() {
    let text = json!({
        "schema": "backwater/scenario/1", "duration": "60 s",
        "nodes": {"S": {"kind": "host"}, "W": {"kind": "switch"}, "D": {"kind": "host", "obeys": false}},
        "links": {"a": {"ends": ["S", "W"], "rate": "100 Mbit/s", "delay": "1 us"}, "b": {"ends": ["W", "D"], "rate": "10 Mbit/s", "delay": "1 us"}},
        "ports": {"W>D": {"queue": {"kind": "strict-priority"}, "buffer": "50 kB"}},
        "mechanisms": {"bp": {"recipe": "pause", "at": ["W>D"]}},
        "flows": {"f1": {"from": "S", "to": "D", "source": {"kind": "uniform-uniform", "burst": "24 kB", "rate": "3 Mbit/s"}}},
    });
    let scenario = Scenario::from_json(text.to_string(), "x.json", Folders::default()).unwrap();
    assert_eq!(
        scenario.resolve(None).unwrap().canonical,
        read(WIRED).unwrap().canonical
    );
    let wrong = text.to_string().replace("\"to\":\"D\"", "\"to\":\"E\"");
    let found = Scenario::from_json(wrong, "x.json", Folders::default())
        .unwrap()
        .resolve(None)
        .unwrap_err();
    assert_eq!((found.place.as_str(), found.line), ("x.json", None));
    assert!(
        found.what.contains("`flows.f1.to`: there is no node `E`"),
        "{found}"
    );
}

#[test]
fn key_depends_on_scenario_seed_and_engine() {
    let scenario = Scenario::from_toml(WIRED, "x.toml", Folders::default()).unwrap();
    let one = scenario.resolve(None).unwrap();
    let two = scenario.resolve(Some(2)).unwrap();
    assert_eq!((one.seed, two.seed), (1, 2));
    assert_eq!(
        (one.canonical == two.canonical, one.sha256() == two.sha256()),
        (true, true)
    );
    let keys = [
        one.key("a"),
        one.key("b"),
        two.key("a"),
        set(&[("duration", json!("61 s"))]).unwrap().key("a"),
    ];
    for (i, key) in keys.iter().enumerate() {
        assert_eq!(key.len(), 64);
        assert!(keys[..i].iter().all(|other| other != key));
    }
}

#[test]
fn the_schema_describes_every_field_and_part() {
    let schema = crate::schema();
    assert_eq!(
        schema["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    for field in SCENARIO {
        assert!(
            schema["properties"].get(field.name).is_some(),
            "{}",
            field.name
        );
    }
    let flow = &schema["properties"]["flows"]["additionalProperties"];
    assert_eq!(flow["additionalProperties"], false);
    let sources = flow["properties"]["source"]["oneOf"].as_array().unwrap();
    assert_eq!(sources.len(), crate::kinds::PartKind::Source.rows().len());
    let pattern = schema["properties"]["duration"]["pattern"]
        .as_str()
        .unwrap();
    assert!(pattern.contains("(s|ms|us|ns)"), "{pattern}");
}
