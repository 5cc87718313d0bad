//! JSON objects have no order: two texts that differ in it alone are read alike. A name stands once.

use super::*;

fn json_of(ports: &str) -> Result<Resolved, Diagnostic> {
    let text = format!(
        r#"{{
  "schema": "backwater/scenario/1",
  "duration": "1 s",
  "nodes": {{"S": {{"kind": "host"}}, "W": {{"kind": "switch"}}, "D": {{"kind": "host"}}}},
  "links": {{
    "a": {{"ends": ["S", "W"], "rate": "100 Mbit/s", "delay": "1 us"}},
    "b": {{"ends": ["W", "D"], "rate": "10 Mbit/s", "delay": "1 us"}}
  }},
  "ports": {{{ports}}},
  "flows": {{"f1": {{"from": "S", "to": "D",
    "source": {{"kind": "cbr", "packet": "1500 B", "rate": "1 Mbit/s"}}}}}}
}}"#
    );
    Scenario::from_json(text, "x.json", Folders::default())?.resolve(None)
}

/// An endless queue refuses a buffer: which of two equally specific patterns holds must not depend on
/// the order of the keys.
#[test]
fn the_order_of_keys_does_not_decide_whether_a_scenario_is_refused() {
    let rows = [
        r#""S>*": {"queue": {"kind": "infinite"}}"#,
        r#""*>W": {"queue": {"kind": "fifo"}}"#,
        r#""S>W": {"buffer": "50 kB"}"#,
    ];
    for [a, b, c] in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [0, 2, 1]] {
        let ports = [rows[a], rows[b], rows[c]].join(", ");
        let found = json_of(&ports).expect_err(&ports);
        assert!(
            found.what.contains("`*>W` and `S>*`") && found.what.contains("`queue` of S>W"),
            "{found}"
        );
        assert!(found.fix.contains("ports.\"S>W\""), "{found}");
    }
}

#[test]
fn a_port_by_its_name_settles_what_two_patterns_leave_open() {
    let rows = [
        r#""S>*": {"buffer": "1 kB"}"#,
        r#""*>W": {"buffer": "2 kB"}"#,
        r#""S>W": {"buffer": "3 kB"}"#,
        r#""D>*": {"buffer": "2 kB"}"#,
    ];
    let forward = json_of(&rows.join(", ")).unwrap();
    let back: Vec<&str> = rows.iter().rev().copied().collect();
    let back = json_of(&back.join(", ")).unwrap();
    assert_eq!(forward.canonical, back.canonical);
    let form: Json = serde_json::from_str(&forward.canonical).unwrap();
    assert_eq!(form["ports"]["S>W"]["buffer_B"], 3_000);
    // `*>W` and `D>*` agree on D>W.
    assert_eq!(form["ports"]["D>W"]["buffer_B"], 2_000);
}

#[test]
fn a_key_that_stands_twice_is_refused_with_its_place() {
    let found = json_of(
        "\n\"S>W\": {\"buffer\": \"1 kB\"},\n\"W>D\": {\"buffer\": \"1 kB\", \"buffer\": \"2 kB\"}",
    )
    .unwrap_err();
    assert!(
        found.what.contains("`ports.\"W>D\".buffer` stands twice"),
        "{found}"
    );
    assert_eq!(
        (found.place.as_str(), found.line, found.column),
        ("x.json", Some(11), Some(27)),
        "{found}"
    );
    assert!(found.fix.contains("one of the two"), "{found}");
    let found = json_of("}, \"duration\": \"2 s\", \"seed\": {").unwrap_err();
    assert!(found.what.contains("`duration` stands twice"), "{found}");
}

#[test]
fn a_route_that_comes_back_is_refused() {
    let path = "routes.f1 = [\"S\", \"W\", \"S\", \"W\", \"D\"]\n";
    let read = read(&WIRED.replace("flows.f1", &format!("{path}flows.f1")));
    let found = read.and_then(|r| r.build()).unwrap_err();
    assert!(found.what.contains("passes S twice"), "{found}");
    assert_eq!((found.line, found.column), (Some(12), Some(24)), "{found}");
    assert!(found.fix.contains("once"), "{found}");
}

#[test]
fn a_name_that_stands_twice_in_a_set_value_is_refused() {
    let mut scenario = Scenario::from_toml(WIRED, "x.toml", Folders::default()).unwrap();
    let value = r#"{"kind": "cbr", "rate": "1 Mbit/s", "rate": "2 Mbit/s"}"#;
    let found = scenario.set_json("flows.f1.source", value, "set flows.f1.source");
    let found = found.unwrap_err();
    assert!(found.what.contains("`rate` stands twice"), "{found}");
    assert_eq!(found.place, "set flows.f1.source");
}
