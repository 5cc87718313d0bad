use backwater_sim::spec::{Destination, Limit, NodeKind, Routing, SwitchModel};
use backwater_transport::units::{Bytes, Rate, Span};
use serde_json::{Value as Json, json};

use super::*;

mod cell;
mod places;

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

mod air;

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
    assert_eq!(spec.nodes[0].kind, NodeKind::Host { obeys: false });
    assert_eq!(spec.nodes[1].kind, NodeKind::Host { obeys: true });
    assert_eq!(
        spec.nodes[2].kind,
        NodeKind::Switch(SwitchModel::OutputQueued)
    );
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
fn an_empty_file_is_refused() {
    for text in ["", "\n\n", "# only a comment\n"] {
        let found = read(text).unwrap_err();
        assert!(found.what.contains("empty"), "{found}");
        assert!(found.fix.contains("schema = "), "{found}");
    }
}

#[test]
fn a_syntax_error_has_line_and_caret() {
    let found = refused("seed = 1", "seed = ", "not TOML", "", "syntax");
    assert_eq!(found.line, Some(2));
    assert!(found.to_string().contains("2 | seed = \n"), "{found}");
    assert!(found.to_string().contains('^'));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let found =
        Scenario::from_toml(b"seed = 1\nx = \"\xff\"\n", "x.toml", Folders::default()).unwrap_err();
    assert_eq!((found.line, found.column), (Some(2), Some(6)));
    assert!(found.fix.contains("UTF-8"), "{found}");
}

#[test]
fn unknown_fields_are_refused_everywhere() {
    refused(
        "seed = 1",
        "sed = 1",
        "unknown field `sed`",
        "seed",
        "`seed`",
    );
    refused(
        "kind = \"host\" }",
        "kind = \"host\", obey = true }",
        "unknown field `obey` in `nodes.S`",
        "obeys",
        "`obeys`",
    );
    refused(
        "kind = \"host\" }",
        "kind = \"host\", model = \"x\" }",
        "unknown field `model` in `nodes.S`",
        "",
        "`obeys`",
    );
    refused(
        "delay = \"1 us\" }",
        "dealy = \"1 us\" }",
        "unknown field `dealy` in `links.a`",
        "delay",
        "`delay`",
    );
    refused(
        "buffer = \"50 kB\"",
        "bufer = \"50 kB\"",
        "unknown field `bufer` in `ports.\"W>D\"`",
        "buffer",
        "`buffer`",
    );
    refused(
        "classes = 2",
        "clases = 2",
        "unknown field `clases` in `ports.\"W>D\".queue`",
        "classes",
        "`classes`",
    );
    refused(
        "recipe = \"pause\"",
        "recipee = \"pause\"",
        "unknown field `recipee` in `mechanisms.bp`",
        "recipe",
        "`recipe`",
    );
    refused(
        "high = \"80 %\"",
        "hihg = \"80 %\"",
        "unknown field `hihg` in `mechanisms.bp.detect`",
        "high",
        "`high`",
    );
    refused(
        "burst = \"24 kB\"",
        "brust = \"24 kB\"",
        "unknown field `brust` in `flows.f1.source`",
        "burst",
        "`burst`",
    );
    let found = refused(
        "transport",
        "transprot",
        "unknown field `transprot` in `flows.f1`",
        "transport",
        "`transport`",
    );
    assert_eq!(found.line, Some(12));
    refused(
        "warmup = \"0 s\"",
        "routing = { knid = \"tree\" }",
        "unknown field `knid` in `routing`",
        "kind",
        "`kind`",
    );
}

#[test]
fn misspelt_kinds_name_the_nearest() {
    refused(
        "kind = \"uniform-uniform\"",
        "kind = \"uniform-unifrom\"",
        "unknown source `uniform-unifrom`",
        "uniform-uniform",
        "`uniform-uniform`",
    );
    refused(
        "kind = \"strict-priority\"",
        "kind = \"strict-prioriti\"",
        "unknown queue",
        "strict-priority",
        "`strict-priority`",
    );
    refused(
        "recipe = \"pause\"",
        "recipe = \"puase\"",
        "unknown recipe `puase`",
        "pause",
        "`pause`",
    );
    refused(
        "recipe = \"pause\"",
        "recipe = \"nnoe\"",
        "unknown recipe",
        "none",
        "`none`",
    );
    refused(
        "kind = \"switch\"",
        "kind = \"swich\"",
        "unknown kind `swich` in `nodes.W`",
        "switch",
        "`switch`",
    );
    refused(
        "model = \"output-queued\"",
        "model = \"output-queue\"",
        "not one of the words",
        "output-queued",
        "`output-queued`",
    );
    refused(
        "audience = \"feeders\"",
        "audience = \"feders\"",
        "not one of the words",
        "feeders",
        "`feeders`",
    );
    refused(
        "detect = { ",
        "detect = { kind = \"watermrk\", ",
        "unknown detector `watermrk`",
        "watermark",
        "`watermark`",
    );
    refused(
        "warmup = \"0 s\"",
        "routing = { kind = \"tre\" }",
        "`routing.kind`",
        "tree",
        "`tree`",
    );
}

#[test]
fn quantities_are_checked_where_they_stand() {
    refused(
        "\"60 s\"",
        "60",
        "`duration`: `60` has no unit",
        "",
        "\"60 s\"",
    );
    refused(
        "60 s",
        "60 parsec",
        "`parsec` is not a unit of time",
        "",
        "s, ms, us, ns",
    );
    refused("60 s", "-60 s", "negative", "", "\"60 s\"");
    refused("60 s", "0 s", "`duration`", "", "1 ns");
    refused(
        "60 s",
        "NaN s",
        "does not begin with a decimal number",
        "",
        "\"20 ms\"",
    );
    refused("\"60 s\"", "nan", "no unit", "", "\"1 s\"");
    refused("60 s", "1e12 s", "absurdly large", "", "at most");
    refused("50 kB", "50 KB", "1000 or 1024", "kB", "\"50 kB\"");
    refused("\"50 kB\"", "50", "no unit", "", "\"50 B\"");
    refused("50 kB", "-50 kB", "negative", "", "\"50 kB\"");
    refused(
        "50 kB",
        "0 packets",
        "loses every frame",
        "",
        "\"unlimited\"",
    );
    refused("50 kB", "1e30 kB", "absurdly large", "", "at most");
    refused(
        "\"50 kB\"",
        "[]",
        "is a list, not a buffer",
        "",
        "\"unlimited\"",
    );
    refused("\"50 kB\"", "\"unlimted\"", "buffer", "", "\"unlimited\"");
    refused(
        "10 Mbit/s",
        "0 Mbit/s",
        "`links.b.rate`: 0 bit/s is too small",
        "",
        "\"1 bit/s\" or more",
    );
    refused(
        "3 Mbit/s",
        "0 Mbit/s",
        "`flows.f1.source.rate`",
        "",
        "or more",
    );
    refused("\"80 %\"", "0.8", "no unit", "", "\"80 %\"");
    refused("80 %", "800 %", "too large", "", "\"100 %\"");
    refused("classes = 2", "classes = 9", "too large", "", "write 8");
    refused("class = 0", "class = 8", "too large", "", "write 7");
    refused("seed = 1", "seed = -1", "negative", "", "0 or more");
    refused(
        "seed = 1",
        "seed = 1.5",
        "not a whole number",
        "",
        "whole number",
    );
    refused(
        "warmup = \"0 s\"",
        "warmup = \"60 s\"",
        "`warmup`: the warm-up takes the whole run",
        "",
        "shorter",
    );
}

#[test]
fn names_that_mean_nothing_are_refused() {
    refused(
        "to = \"D\"",
        "to = \"E\"",
        "`flows.f1.to`: there is no node `E`",
        "",
        "`D`",
    );
    refused(
        "from = \"S\"",
        "from = \"W\"",
        "`flows.f1.from`",
        "",
        "hosts",
    );
    refused(
        "to = \"D\"",
        "to = \"S\"",
        "send to itself",
        "",
        "another host",
    );
    refused(
        "[\"W\", \"D\"]",
        "[\"W\", \"X\"]",
        "there is no node `X`",
        "",
        "`D`",
    );
    refused(
        "[\"W\", \"D\"]",
        "[\"W\", \"W\"]",
        "joins a node to itself",
        "",
        "two different nodes",
    );
    refused("[\"W\", \"D\"]", "[\"W\"]", "names 1 nodes", "", "ends = ");
    refused(
        "ports.\"W>D\"",
        "ports.\"W>DD\"",
        "no port matches `W>DD`",
        "W>D",
        "`W>D`",
    );
    refused(
        "at = [\"W>D\"]",
        "at = [\"WD\"]",
        "no port matches `WD`",
        "W>D",
        "`W>D`",
    );
    refused("at = [\"W>D\"]", "at = []", "names no port", "", "W>D");
    refused(
        "nodes.S",
        "nodes.\"S>1\"",
        "no name for a node",
        "",
        "letters",
    );
    refused(
        "seed = 1",
        "routes.f2 = [\"S\", \"W\", \"D\"]",
        "there is no flow `f2`",
        "f1",
        "`f1`",
    );
    refused(
        "seed = 1",
        "routes.f1 = [\"S\", \"W\"]",
        "`routes.f1`",
        "",
        "from the first to the last",
    );
    refused(
        "backwater/scenario/1",
        "backwater/scenario/2",
        "doesn't read this format",
        "backwater/scenario/1",
        "scenario/1",
    );
}

#[test]
fn missing_fields_are_named_with_an_example() {
    refused(
        "duration = \"60 s\"\n",
        "",
        "`duration` is missing",
        "",
        "duration = \"20 ms\"",
    );
    refused(
        "schema = \"backwater/scenario/1\"\n",
        "",
        "`schema` is missing",
        "",
        "\"backwater/scenario/1\"",
    );
    refused(
        ", rate = \"3 Mbit/s\"",
        "",
        "`flows.f1.source.rate` is missing",
        "",
        "rate = \"10 Mbit/s\"",
    );
    refused(
        "kind = \"uniform-uniform\", ",
        "",
        "`flows.f1.source.kind` is missing",
        "",
        "kind = ",
    );
    refused(
        "kind = \"strict-priority\", ",
        "",
        "`ports.\"W>D\".queue.kind` is missing",
        "",
        "kind = ",
    );
    refused(
        "nodes.S = { kind = \"host\" }",
        "nodes.S = { }",
        "`nodes.S.kind` is missing",
        "",
        "kind = \"host\"",
    );
    refused(
        "recipe = \"pause\", ",
        "",
        "needs a recipe, or a",
        "",
        "recipe = \"pause\"",
    );
    refused(
        ", model = \"output-queued\"",
        ", model = \"shared-memory\"",
        "`nodes.W.memory` is missing",
        "",
        "12 MB",
    );
    refused(
        ", model = \"output-queued\"",
        ", memory = \"1 MB\"",
        "goes with the model",
        "",
        "shared-memory",
    );
}

#[test]
fn what_a_part_refuses_is_shown_at_its_option() {
    let found = refused(
        "low = \"70 %\"",
        "low = \"90 %\"",
        "`mechanisms.bp.detect.low`",
        "",
        "",
    );
    assert_eq!(found.line, Some(11));
    let column = WIRED.lines().nth(10).unwrap().find("\"70 %\"").unwrap() + 1;
    assert_eq!(found.column, u32::try_from(column).ok());
}

#[test]
fn an_unreadable_trace_is_refused() {
    let row = crate::tables::PartKind::Source
        .rows()
        .into_iter()
        .find_map(|r| {
            let file = r
                .options
                .iter()
                .find(|o| o.kind == backwater_transport::part::Kind::File)?;
            Some((r.id, file.name))
        });
    let (kind, option) = row.expect("a source that reads a trace");
    let new = format!("source = {{ kind = \"{kind}\", {option} = \"no/such.csv\" }} }}");
    let old = "source = { kind = \"uniform-uniform\", burst = \"24 kB\", rate = \"3 Mbit/s\" } }";
    refused(
        old,
        &new,
        "there is no file `no/such.csv`",
        "",
        "relative to",
    );
    refused(
        old,
        &new.replace("no/such.csv", "/"),
        "not a regular file",
        "",
        "readable",
    );
}

#[test]
fn a_mechanism_can_be_switched_off_with_its_options_left_in_place() {
    let off = set(&[("mechanisms.bp.recipe", json!("none"))]).unwrap();
    assert!(off.spec().mechanisms.is_empty());
    refused(
        "recipe = \"pause\", at = [\"W>D\"], detect = { high",
        "recipe = \"none\", at = [\"W>D\"], detect = { hihg",
        "no detector has the option `hihg`",
        "high",
        "`high`",
    );
    refused(
        "recipe = \"pause\", at = [\"W>D\"], detect = { high = \"80 %\"",
        "recipe = \"none\", at = [\"W>D\"], detect = { high = 0.8",
        "no unit",
        "",
        "80 %",
    );
    refused(
        "recipe = \"pause\", at = [\"W>D\"]",
        "recipe = \"none\", at = [\"W>E\"]",
        "no port matches",
        "W>S",
        "`W>S`",
    );
}

#[test]
fn recipes_are_parts_with_presets_and_parts_can_be_named_instead() {
    use backwater_sim::mechanism::RECIPES;
    for recipe in RECIPES {
        let text = WIRED.replace("\"pause\"", &format!("\"{}\"", recipe.id)).replace(", detect = { high = \"80 %\", low = \"70 %\" }, notify = { audience = \"feeders\" }", "");
        let form = canonical(&text);
        let mechanism = &form["mechanisms"]["bp"];
        assert_eq!(mechanism["detect"]["kind"], recipe.detect);
        assert_eq!(mechanism["notify"]["kind"], recipe.notify);
        assert_eq!(mechanism["respond"]["kind"], recipe.respond);
        for (section, option, value) in recipe.preset {
            assert_eq!(
                mechanism[section][option].to_string(),
                *value,
                "{} {section}.{option}",
                recipe.id
            );
        }
        let named = format!(
            "detect = {{ kind = \"{}\" }}, notify = {{ kind = \"{}\" }}, respond = {{ kind = \"{}\" }}",
            recipe.detect, recipe.notify, recipe.respond
        );
        if recipe.preset.is_empty() {
            let other = text.replace(&format!("recipe = \"{}\"", recipe.id), &named);
            assert_eq!(canonical(&other), form, "{}", recipe.id);
        }
    }
}

#[test]
fn settings_of_ports_that_say_more_of_the_name_win_field_by_field() {
    let text = WIRED.replace("seed = 1", "ports.\"*>D\" = { buffer = \"1 kB\", queue = { kind = \"fifo\" } }\nports.\"*\" = { buffer = \"2 kB\" }\nports.\"*>*\" = { buffer = \"3 kB\" }")
        .replace("queue = { kind = \"strict-priority\", classes = 2 }, ", "");
    let form = canonical(&text);
    assert_eq!(
        form["ports"]["W>D"],
        json!({"buffer_B": 50_000, "queue": {"kind": "fifo"}})
    );
    assert_eq!(form["ports"]["S>W"]["buffer_B"], 3_000);
    let later = WIRED.replace(
        "seed = 1",
        "ports.\"S>*\" = { buffer = \"1 kB\" }\nports.\"*>W\" = { buffer = \"2 kB\" }",
    );
    assert_eq!(canonical(&later)["ports"]["S>W"]["buffer_B"], 2_000);
    // An exact name goes before a pattern with as many letters, whatever the order.
    let exact = format!("{WIRED}\nports.\"W>D*\" = {{ buffer = \"1 kB\" }}\n");
    assert_eq!(canonical(&exact)["ports"]["W>D"]["buffer_B"], 50_000);
}

#[test]
fn a_port_has_a_queue_for_each_class_of_the_flows_where_nothing_is_said() {
    let text = WIRED.replace("class = 0", "class = 3");
    assert_eq!(
        canonical(&text)["ports"]["W>S"]["queue"],
        json!({"kind": "strict-priority", "classes": 4})
    );
    assert_eq!(canonical(&text)["ports"]["W>D"]["queue"]["classes"], 2);
}

#[test]
fn parallel_links_give_ports_their_names() {
    let text = WIRED
        .replace(
            "seed = 1",
            "links.c = { ends = [\"D\", \"W\"], rate = \"1 Gbit/s\", delay = \"0 s\" }",
        )
        .replace("\"W>D\"", "\"W>D#b\"");
    let names: Vec<String> = read(&text)
        .unwrap()
        .spec()
        .ports
        .into_iter()
        .map(|p| p.name)
        .collect();
    assert_eq!(names, ["S>W", "W>S", "W>D#b", "D>W#b", "D>W#c", "W>D#c"]);
}

#[test]
fn overrides_set_values_by_path() {
    let form = |overrides: &[(&str, Json)]| -> Json {
        serde_json::from_str(&set(overrides).unwrap_or_else(|d| panic!("{d}")).canonical).unwrap()
    };
    assert_eq!(
        form(&[("flows.*.source.rate", json!("5 Mbit/s"))])["flows"]["f1"]["source"]["rate_bps"],
        5_000_000
    );
    assert_eq!(
        form(&[("ports.\"W>D\".buffer", json!("100 packets"))])["ports"]["W>D"]["buffer_pkts"],
        100
    );
    assert_eq!(
        form(&[("ports.*.buffer", json!("60 kB"))])["ports"]["W>D"]["buffer_B"],
        60_000
    );
    assert_eq!(
        form(&[("ports.\"*\".buffer", json!("60 kB"))])["ports"]["W>S"]["buffer_B"],
        60_000
    );
    assert_eq!(form(&[("links.a.ends.0", json!("S"))]), canonical(WIRED));
    assert_eq!(
        form(&[("nodes.*.obeys", json!(false))])["nodes"]["S"]["obeys"],
        false
    );
    assert_eq!(
        form(&[("mechanisms.bp.respond.kind", json!("gate"))]),
        canonical(WIRED)
    );
    assert_eq!(
        form(&[(
            "flows.f1",
            json!({"from": "S", "to": "D", "source": {"kind": "uniform-uniform", "burst": "24 kB", "rate": "3 Mbit/s"}})
        )]),
        canonical(WIRED)
    );
    assert_eq!(
        form(&[("links.*.max_frame", json!("9 kB"))])["links"]["b"]["max_frame_B"],
        9_000
    );
}

#[test]
fn a_path_that_matches_nothing_is_refused_with_the_nearest() {
    for (path, nearest) in [
        ("flows.f1.source.rat", "flows.f1.source.rate"),
        ("flows.f2.source.rate", "flows.f1.source.rate"),
        ("flow.f1.source.rate", "flows.f1.source.rate"),
        ("flow.*.source.rate", "flows.*.source.rate"),
        ("duraton", "duration"),
        ("mechanisms.bp.detec.high", "mechanisms.bp.detect.high"),
        ("nodes.W.modle", "nodes.W.model"),
        ("flows.f1.class.x", "flows.f1.class"),
    ] {
        let found = set(&[(path, json!("1 s"))]).expect_err(path);
        assert!(found.what.contains("matches nothing"), "{found}");
        assert_eq!(
            found.nearest.first().map(String::as_str),
            Some(nearest),
            "{found}"
        );
        assert_eq!(found.place, format!("--set {path}=\"1 s\""));
    }
    for path in [
        "",
        "a..b",
        "ports.\"W>D",
        "ports.\"W\"x",
        "nodes.*.ports",
        "flows.*.source.hosts",
        "links.a.ends.7",
        ".",
    ] {
        set(&[(path, json!(1))]).expect_err(path);
    }
}

#[test]
fn a_wrong_override_is_blamed_on_itself_and_changes_nothing() {
    let found = set(&[("flows.*.source.rate", json!("5 Mbits"))]).unwrap_err();
    assert_eq!(
        (found.place.as_str(), found.line),
        ("--set flows.*.source.rate=\"5 Mbits\"", None)
    );
    let mut scenario = Scenario::from_toml(WIRED, "x.toml", Folders::default()).unwrap();
    scenario
        .set("flows.f9.class", &json!(1), "--set")
        .unwrap_err();
    assert_eq!(
        scenario.resolve(None).unwrap().canonical,
        read(WIRED).unwrap().canonical
    );
}

const FAT_TREE: &str = r#"schema = "backwater/scenario/1"
duration = "1 ms"
topology = { kind = "fat-tree", k = 4, rate = "10 Gbit/s", delay = "500 ns" }
flows.r = { from = "h*", to = "h*", pattern = "random", source = { kind = "poisson", packet = "1500 B", rate = "5 Gbit/s" } }
flows.p = { from = "h*", to = "h*", pattern = "permutation", source = { kind = "poisson", packet = "1500 B", rate = "5 Gbit/s" } }
flows.i = { from = "h1*", to = "h10", source = { kind = "poisson", packet = "1500 B", rate = "1 Gbit/s" } }
"#;

#[test]
fn a_fat_tree_has_the_published_shape() {
    let spec = read(FAT_TREE).unwrap().spec();
    // Al-Fares et al.: k pods, k³/4 hosts, 5k²/4 switches; every switch has k ports, every host one.
    let hosts = spec
        .nodes
        .iter()
        .filter(|n| matches!(n.kind, NodeKind::Host { .. }))
        .count();
    assert_eq!(
        (hosts, spec.nodes.len() - hosts, spec.links.len()),
        (16, 20, 48)
    );
    for (i, node) in spec.nodes.iter().enumerate() {
        let degree = spec.links.iter().filter(|l| l.ends.contains(&i)).count();
        let expected = if matches!(node.kind, NodeKind::Host { .. }) {
            1
        } else {
            4
        };
        assert_eq!(degree, expected, "{}", node.name);
    }
    // Each core switch reaches every pod once.
    for (i, node) in spec
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, n)| n.name.starts_with('c'))
    {
        let far = spec
            .links
            .iter()
            .filter(|l| l.ends.contains(&i))
            .map(|l| if l.ends[0] == i { l.ends[1] } else { l.ends[0] });
        let pods: std::collections::BTreeSet<char> = far
            .map(|f| spec.nodes[f].name.chars().nth(1).unwrap())
            .collect();
        assert_eq!(pods.len(), 4, "{}", node.name);
    }
    assert_eq!(spec.routing, Routing::Ecmp);
    let names: Vec<&str> = spec
        .nodes
        .iter()
        .map(|n| n.name.as_str())
        .filter(|n| n.starts_with('h'))
        .collect();
    assert_eq!((names[2], names[10]), ("h2", "h10"));
}

#[test]
fn patterns_of_hosts_become_a_flow_for_each_sender() {
    let scenario = Scenario::from_toml(FAT_TREE, "x.toml", Folders::default()).unwrap();
    let spec = scenario.resolve(Some(7)).unwrap().spec();
    let of = |row: &str| {
        spec.flows
            .iter()
            .filter(|f| f.name.starts_with(&format!("{row}/")))
            .collect::<Vec<_>>()
    };
    assert_eq!(of("r").len(), 16);
    for flow in of("r") {
        let Destination::AnyOf(to) = &flow.to else {
            panic!("{flow:?}")
        };
        assert!(to.len() == 15 && !to.contains(&flow.from));
    }
    let mut drawn: Vec<usize> = Vec::new();
    for flow in of("p") {
        let Destination::Node(to) = flow.to else {
            panic!("{flow:?}")
        };
        assert_ne!(to, flow.from);
        drawn.push(to);
    }
    let first = drawn.clone();
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn.len(), 16);
    // h1 and h10 to h15 match, h10 itself receives.
    assert_eq!(of("i").len(), 6);

    let again: Vec<Destination> = scenario
        .resolve(Some(7))
        .unwrap()
        .spec()
        .flows
        .into_iter()
        .map(|f| f.to)
        .collect();
    assert_eq!(
        again,
        spec.flows.iter().map(|f| f.to.clone()).collect::<Vec<_>>()
    );
    let other = scenario.resolve(Some(8)).unwrap();
    let other_to: Vec<usize> = other
        .spec()
        .flows
        .iter()
        .filter(|f| f.name.starts_with("p/"))
        .map(|f| match f.to {
            Destination::Node(to) => to,
            Destination::AnyOf(_) => usize::MAX,
        })
        .collect();
    assert_ne!(other_to, first);
    assert_eq!(
        other.canonical,
        scenario.resolve(Some(7)).unwrap().canonical
    );
}

#[test]
fn a_ring_joins_neighbours_and_carries_hosts() {
    let text = FAT_TREE.replace("kind = \"fat-tree\", k = 4", "kind = \"ring\", switches = 3, hosts = 2, obeys = false, switch = { model = \"shared-memory\", memory = \"12 MB\", reserve = \"4 kB\", headroom = \"20 kB\", shift = 3 }").replace("\"h1*\", to = \"h10\"", "\"h1\", to = \"h5\"");
    let spec = read(&text).unwrap().spec();
    let links: Vec<&str> = spec.links.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(
        links,
        [
            "h0-s0", "h1-s0", "h2-s1", "h3-s1", "h4-s2", "h5-s2", "s0-s1", "s1-s2", "s2-s0"
        ]
    );
    assert_eq!(spec.routing, Routing::ShortestPath);
    assert_eq!(spec.nodes[0].kind, NodeKind::Host { obeys: false });
    let memory = SwitchModel::SharedMemory {
        memory: Bytes(12_000_000),
        reserve: Bytes(4_000),
        headroom: Bytes(20_000),
        shift: 3,
    };
    assert_eq!(spec.nodes[6].kind, NodeKind::Switch(memory));
}

#[test]
fn a_pattern_of_watched_ports_means_those_of_switches() {
    let text = FAT_TREE.replace(
        "duration",
        "mechanisms.m = { recipe = \"pfc\", at = [\"*\"] }\nduration",
    );
    let resolved = read(&text).unwrap();
    let spec = resolved.spec();
    // 48 links have 96 ports; 16 of them belong to hosts.
    assert_eq!(spec.mechanisms[0].at.len(), 80);
    assert!(
        spec.mechanisms[0]
            .at
            .iter()
            .all(|i| !spec.ports[*i].name.starts_with('h'))
    );
    resolved.build().unwrap_or_else(|d| panic!("{d}"));
}

#[test]
fn generators_and_patterns_refuse_what_cannot_be() {
    let refused = |old: &str, new: &str, what: &str| {
        assert!(FAT_TREE.contains(old), "{old}");
        let found = read(&FAT_TREE.replacen(old, new, 1))
            .and_then(|r| r.build())
            .expect_err(new);
        assert!(found.what.contains(what), "{found}");
        assert!(found.line.is_some() && !found.fix.is_empty(), "{found}");
    };
    refused("k = 4", "k = 5", "odd");
    refused("k = 4", "k = 32", "too many");
    refused(
        "duration",
        "mechanisms.m = { recipe = \"pfc\", at = [\"h*>*\"] }\nduration",
        "only ports of hosts match",
    );
    refused("k = 4", "k = 1000000", "too large");
    refused("fat-tree", "fattree", "unknown kind `fattree`");
    refused(
        "duration",
        "nodes.h3 = { kind = \"host\" }\nduration",
        "already generates a node `h3`",
    );
    refused(
        "duration",
        "links.\"h3-e0-1\" = { ends = [\"h3\", \"e0-1\"], rate = \"1 bit/s\", delay = \"0 s\" }\nduration",
        "already generates a link",
    );
    refused(
        "pattern = \"random\", ",
        "",
        "must say how a receiver is chosen",
    );
    refused(
        "to = \"h10\"",
        "to = \"h10\", pattern = \"random\"",
        "no receiver to choose",
    );
    refused(
        "to = \"h*\", pattern = \"permutation\"",
        "to = \"h1*\", pattern = \"permutation\"",
        "as many receivers as senders",
    );
    refused("from = \"h*\"", "from = \"x*\"", "no host matches `x*`");
    refused(
        "from = \"h1*\", to = \"h10\"",
        "from = \"h10*\", to = \"h10\"",
        "send to itself",
    );
    refused(
        "duration",
        "routes.r = [\"h0\"]\nduration",
        "several senders or receivers",
    );
    refused(
        "from = \"h1*\"",
        "start = \"1 ms\", from = \"h1*\"",
        "already stopped",
    );
}

#[test]
fn a_refusal_of_the_world_is_shown_where_its_field_was_written() {
    use backwater_sim::spec::Refusal;
    let place = |resolved: &Resolved, path: &str| {
        let refusal = Refusal {
            path: path.to_owned(),
            what: "w".to_owned(),
            fix: "f".to_owned(),
        };
        let found = resolved.refusal(refusal);
        (found.place, found.line)
    };
    let file = |line| ("x.toml".to_owned(), Some(line));
    let wired = read(WIRED).unwrap();
    assert_eq!(place(&wired, "flows.f1.to"), file(12));
    assert_eq!(place(&wired, "links.b.max_frame"), file(9));
    assert_eq!(place(&wired, "ports.\"W>D\".queue.classes"), file(10));
    assert_eq!(place(&wired, "ports.W>D.queue.classes"), file(10));
    assert_eq!(place(&wired, "mechanisms.bp.at.0"), file(11));
    let tree = read(FAT_TREE).unwrap();
    assert_eq!(place(&tree, "flows.p/h3.packet"), file(5));
    assert_eq!(place(&tree, "nodes.h3"), file(3));
    assert_eq!(place(&tree, "links.h3-e0-1.rate"), file(3));
    let set = set(&[("flows.f1.packet", json!("9000 B"))]).unwrap();
    assert_eq!(
        place(&set, "flows.f1.packet"),
        ("--set flows.f1.packet=\"9000 B\"".to_owned(), None)
    );
}

#[test]
fn what_the_world_refuses_has_a_line_and_a_fix() {
    refused(
        "class = 0",
        "class = 3",
        "`flows.f1.class`",
        "",
        "more classes",
    );
    refused(
        "seed = 1",
        "links.c = { ends = [\"S\", \"D\"], rate = \"1 Gbit/s\", delay = \"0 s\" }",
        "`nodes.",
        "",
        "exactly one link",
    );
    refused(
        "class = 0",
        "packet = \"9 kB\"",
        "`flows.f1.packet`",
        "",
        "max_frame",
    );
    refused(
        "links.b = { ends = [\"W\", \"D\"]",
        "nodes.X = { kind = \"switch\" }\nlinks.b = { ends = [\"X\", \"D\"]",
        "no port matches",
        "W>S",
        "`W>S`",
    );
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
    assert_eq!(sources.len(), crate::tables::PartKind::Source.rows().len());
    let pattern = schema["properties"]["duration"]["pattern"]
        .as_str()
        .unwrap();
    assert!(pattern.contains("(s|ms|us|ns)"), "{pattern}");
}

mod any_bytes {
    use proptest::prelude::*;

    use super::*;

    fn survive(bytes: &[u8]) {
        for read in [
            Scenario::from_toml(bytes, "x", Folders::default()),
            Scenario::from_json(bytes, "x", Folders::default()),
        ] {
            let refused = match read {
                Ok(scenario) => scenario.resolve(None).err(),
                Err(found) => Some(found),
            };
            if let Some(found) = refused {
                assert!(!found.what.is_empty() && !found.fix.is_empty());
                assert!(!found.to_string().contains('\u{1b}'));
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            survive(&bytes);
        }

        #[test]
        fn a_damaged_scenario_is_read_or_refused(at in 0..WIRED.len(), remove in 0usize..40, insert in "[\\PC\n\"={}\\[\\].*>0-9]{0,12}") {
            let mut bytes = WIRED.as_bytes()[..at].to_vec();
            bytes.extend(insert.as_bytes());
            bytes.extend(WIRED.as_bytes().iter().skip(at + remove));
            survive(&bytes);
        }

        #[test]
        fn any_path_is_set_or_refused(path in "[a-z0-9.*\"'>\\\\é]{0,30}", value in "\\PC{0,20}") {
            let mut scenario = Scenario::from_toml(WIRED, "x.toml", Folders::default()).unwrap();
            if scenario.set(&path, &json!(value), "--set").is_ok() {
                let _ = scenario.resolve(None).map(|r| r.canonical);
            }
        }
    }
}

const QUEUE: &str = "queue = { kind = \"strict-priority\", classes = 2 }, buffer = \"50 kB\"";

#[test]
fn a_queue_with_active_management_is_written_like_any_other() {
    let text = WIRED
        .replace(QUEUE, "queue = { kind = \"codel\", target = \"2 ms\" }")
        .replace("transport = \"udp\"", "transport = \"udp\", ecn = \"ect0\"");
    let form = canonical(&text);
    assert_eq!(
        form["ports"]["W>D"],
        json!({
            "buffer_B": 500_000,
            "queue": {"kind": "codel", "target_s": 0.002, "interval_s": 0.1, "mtu_B": 1518, "ecn": true},
        })
    );
    assert_eq!(form["flows"]["f1"]["ecn"], "ect0");
    assert_eq!(canonical(WIRED)["flows"]["f1"]["ecn"], "not-ect");
}

/// Overloaded, a port that marks loses nothing and says so; what takes no marks is dropped.
#[test]
fn marks_and_drops_stand_in_the_document() {
    let run = |ecn: &str| {
        let text = WIRED
            .replace(QUEUE, "queue = { kind = \"codel\" }, buffer = \"unlimited\"")
            .replace("recipe = \"pause\", at = [\"W>D\"], detect = { high = \"80 %\", low = \"70 %\" }, notify = { audience = \"feeders\" }", "recipe = \"none\", at = [\"W>D\"]")
            .replace("transport = \"udp\"", &format!("ecn = \"{ecn}\""))
            .replace("3 Mbit/s", "20 Mbit/s")
            .replace("60 s", "2 s");
        let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
        let resolved = scenario.resolve(None).unwrap();
        let mut run = crate::run::Run::new(&resolved, crate::run::Keep::default()).unwrap();
        while !run.step().unwrap() {}
        run.finish().unwrap().0
    };
    let marked = run("ect1");
    let port = |d: &Json| {
        d["ports"]
            .as_array()
            .unwrap()
            .iter()
            .find(|p| p["id"] == "W>D")
            .unwrap()["marked_pkts"]
            .clone()
    };
    assert!(marked["flows"][0]["marked_pkts"].as_u64().unwrap() > 10);
    assert_eq!(marked["flows"][0]["marked_pkts"], port(&marked));
    assert_eq!(marked["drops"], json!([]));
    let dropped = run("not-ect");
    assert_eq!(port(&dropped), 0);
    assert_eq!(dropped["drops"][0]["cause"], "aqm");
    assert_eq!(
        dropped["drops"][0]["pkts"],
        dropped["flows"][0]["dropped_pkts"]
    );
}

#[test]
fn queues_that_make_no_sense_are_refused() {
    let with = |new: &str, what: &str, fix: &str| {
        refused(QUEUE, new, what, "", fix);
    };
    with(
        "queue = { kind = \"infinite\" }, buffer = \"50 kB\"",
        "has no limit",
        "remove the buffer",
    );
    with(
        "queue = { kind = \"red\", min = \"50 kB\", max = \"40 kB\" }",
        "lies above",
        "`max`",
    );
    with(
        "queue = { kind = \"red\", min = \"40 kB\", max = \"40 kB\" }",
        "equal",
        "ecn-ramp",
    );
    with(
        "queue = { kind = \"pie-mahimahi\", reference = \"1.5 ms\" }",
        "whole milliseconds",
        "15 ms",
    );
    with(
        "queue = { kind = \"fq-codel\" }",
        "not classes",
        "strict-priority",
    );
    with(
        "queue = { kind = \"infinite\" }",
        "no limit",
        "give the port a buffer",
    );
    refused(
        "transport = \"udp\"",
        "ecn = \"ce\"",
        "not one of the words",
        "",
        "`ect0`",
    );
}
