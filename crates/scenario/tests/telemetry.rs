//! Records of hops, exact and in the 64 bits of HPCC's simulator, from a scenario's text to what HPCC makes of them.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use serde_json::Value;

const HPCC: &str = r#"kind = "hpcc", rate = "100 Gbit/s", base_rtt = "13 us""#;

fn document(text: &str) -> Result<Value, String> {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(None));
    let resolved = resolved.map_err(|diagnostic| diagnostic.to_string())?;
    resolved
        .build()
        .map_err(|diagnostic| diagnostic.to_string())?;
    let mut run = Run::new(&resolved, Keep::default()).map_err(|_| "not built".to_owned())?;
    while !run.step().map_err(|_| "not run".to_owned())? {}
    Ok(run.finish().map_err(|_| "not finished".to_owned())?.0)
}

/// Sixteen senders into one line of 100 Gbit/s.
fn star(stamp: &str) -> String {
    format!(
        r#"
schema = "backwater/scenario/1"
duration = "3 ms"
warmup = "1 ms"
topology = {{ kind = "star", hosts = 16, rate = "100 Gbit/s", delay = "2700 ns", bottleneck = "100 Gbit/s" }}
ports."W>D" = {{ buffer = "4 MB", stamp = {{ kind = "hop-record", {stamp} }} }}
flows.f = {{ from = "h*", to = "D", packet = "1072 B", transport = "roce", cnp = "off", controller = {{ {HPCC} }}, source = {{ kind = "bulk" }} }}
"#
    )
}

fn busy(stamp: &str) -> (f64, Value) {
    let document = document(&star(stamp)).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(document["conservation"]["ok"], true);
    let ports = document["ports"].as_array().expect("ports");
    let port = ports.iter().find(|p| p["id"] == "W>D").expect("W>D");
    // Payload of 1,000 B, 48 B of headers and 42 B of records in each frame, in both forms.
    let frames =
        port["sent_B"].as_f64().expect("bytes") / port["sent_pkts"].as_f64().expect("packets");
    assert!((frames - 1090.0).abs() < 1e-9, "{frames}");
    (port["busy"].as_f64().expect("a share"), document)
}

/// The line of 100 Gbit/s has read its rate at the start: neither an event nor a fork gives it another.
#[test]
fn a_line_with_records_keeps_its_rate() {
    for stamp in [r#"fields = "exact""#, r#"fields = "quantised""#] {
        let first = star(stamp);
        let event =
            r#"events.slow = { kind = "rate", links = ["W-D"], at = "2 ms", rate = "10 Gbit/s" }"#;
        let said = document(&format!("{first}{event}\n")).expect_err("it is refused");
        for part in [
            "events.slow.links",
            "`W>D` has read the rate",
            "name other links",
        ] {
            assert!(said.contains(part), "{said}");
        }
        let resolve = |text: &str| {
            let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
            let resolved = scenario.and_then(|scenario| scenario.resolve(Some(1)));
            resolved.unwrap_or_else(|diagnostic| panic!("{diagnostic}"))
        };
        let slow = first.replace(
            r#"bottleneck = "100 Gbit/s""#,
            r#"bottleneck = "200 Gbit/s""#,
        );
        let (before, after) = (resolve(&first), resolve(&slow));
        let mut world = before
            .build()
            .unwrap_or_else(|diagnostic| panic!("{diagnostic}"));
        let refused = before
            .change(&mut world, &after)
            .expect_err("it is refused");
        let said = refused.to_string();
        for part in ["W", "`W>D` has read the rate", "write it into the scenario"] {
            assert!(said.contains(part), "{said}");
        }
    }
}

/// HPCC rests at U* = .95 + N W_AI / (B T) = .957877 with N = 16, W_AI = 80 B and B T = 162,500 B. A packet brings 128 B of bytes sent and 80 B
/// of backlog, with `units = 4` four times as much, which are .08 and .3 % of B T.
#[test]
fn hpcc_rests_at_its_load_by_exact_and_by_quantised_records() {
    let rests = 0.957_877;
    let (exact, first) = busy(r#"fields = "exact""#);
    assert!((exact / rests - 1.0).abs() < 0.01, "{exact}");
    for (stamp, units) in [
        (r#"fields = "quantised""#, 208.0),
        (r#"fields = "quantised", units = 4"#, 832.0),
    ] {
        let (rough, document) = busy(stamp);
        assert!(
            (rough / rests - 1.0).abs() < 0.01 + units / 162_500.0,
            "{rough}"
        );
        assert_ne!(document["fingerprint"], first["fingerprint"], "it is read");
    }
}

#[test]
fn records_that_cannot_be_written_are_refused_with_a_remedy() {
    let slow = star(r#"fields = "quantised""#).replace(
        r#"bottleneck = "100 Gbit/s""#,
        r#"bottleneck = "10 Gbit/s""#,
    );
    let tree = format!(
        r#"
schema = "backwater/scenario/1"
duration = "1 ms"
topology = {{ kind = "fat-tree", k = 4, rate = "100 Gbit/s", delay = "1 us" }}
ports."*" = {{ stamp = {{ kind = "hop-record" }} }}
flows.f = {{ from = "h0", to = "h15", packet = "1072 B", transport = "roce", controller = {{ {HPCC} }}, source = {{ kind = "bulk" }} }}
"#
    );
    for (text, parts) in [
        (
            star("units = 4"),
            ["exact fields have no units", "fields = \"quantised\""],
        ),
        (
            slow,
            ["this line has 10 Gbit/s", "write fields = \"exact\""],
        ),
        (
            tree.clone(),
            ["flows.f.controller", "6 ports on its path write records"],
        ),
    ] {
        let said = document(&text).expect_err("it is refused");
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    }
    // Without those of hosts there are five.
    let stamp = r#"{ stamp = { kind = "hop-record" } }"#;
    let of_switches =
        format!("ports.\"e*\" = {stamp}\nports.\"a*\" = {stamp}\nports.\"c*\" = {stamp}");
    let switches = tree.replace(&format!("ports.\"*\" = {stamp}"), &of_switches);
    assert_ne!(switches, tree);
    document(&switches).unwrap_or_else(|said| panic!("{said}"));
}
