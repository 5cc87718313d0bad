//! What random worlds are made of: each part of a fabric is in one that is accepted.

use std::collections::BTreeSet;

use backwater_scenario::{Folders, Scenario};
use serde_json::Value;

/// Tables whose rows are drawn, and rows that need what a draw cannot name: code, files, a driver, numbers that fit one another.
const TABLES: [&str; 7] = [
    "topologies",
    "controllers",
    "spreaders",
    "queues",
    "stamps",
    "sources",
    "mechanisms",
];
const OUTSIDE: [&str; 7] = [
    "python",
    "wasm",
    "agent",
    "outside",
    "replay",
    "video-trace",
    "random-grid",
];
/// What is in no table.
const MORE: [&str; 17] = [
    "transport tcp",
    "transport datagram",
    "transport roce",
    "transport irn",
    "recovery go-back-0",
    "gaps other-ways",
    "pull",
    "after",
    "trim",
    "watchdog",
    "choose random",
    "choose round-robin",
    "choose least-queue",
    "choose power-of-two",
    "events down",
    "events rate",
    "events storm",
];

/// All that is to be drawn.
pub fn wanted() -> BTreeSet<String> {
    let tables = backwater_scenario::parts_json();
    let rows = |table: &str| tables[table].as_array().cloned().unwrap_or_default();
    let mut wanted: BTreeSet<String> = MORE.iter().map(|name| (*name).to_owned()).collect();
    for table in TABLES {
        let drawn = rows(table).into_iter();
        let drawn = drawn.filter_map(|row| Some(row["id"].as_str()?.to_owned()));
        let drawn = drawn.filter(|id| !OUTSIDE.contains(&id.as_str()));
        wanted.extend(drawn.map(|id| format!("{table} {id}")));
    }
    for (source, option, name) in [
        ("collective", "algorithm", "algorithm"),
        ("workload", "sizes", "sizes"),
    ] {
        let row = rows("sources").into_iter().find(|row| row["id"] == source);
        let options = row.and_then(|row| row["options"].as_array().cloned());
        let mut options = options.unwrap_or_default().into_iter();
        let found = options.find(|row| row["name"] == option);
        let values = found.and_then(|row| row["values"].as_array().cloned());
        let words = values.unwrap_or_default().into_iter();
        let words = words.filter_map(|word| Some(word.as_str()?.to_owned()));
        wanted.extend(
            words
                .filter(|word| word != "file")
                .map(|word| format!("{name} {word}")),
        );
    }
    wanted
}

/// What a scenario is made of.
pub fn of(scenario: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut note = |name: &str, value: &Value| {
        if let Some(text) = value.as_str() {
            found.insert(format!("{name} {text}"));
        }
    };
    note("topologies", &scenario["topology"]["kind"]);
    note("choose", &scenario["routing"]["choose"]);
    for flow in rows(scenario, "flows") {
        for field in ["transport", "recovery", "gaps"] {
            note(field, &flow[field]);
        }
        note("controllers", &flow["controller"]["kind"]);
        note("spreaders", &flow["spread"]["kind"]);
        note("sources", &flow["source"]["kind"]);
        note("algorithm", &flow["source"]["algorithm"]);
        note("sizes", &flow["source"]["sizes"]);
    }
    for port in rows(scenario, "ports") {
        note("queues", &port["queue"]["kind"]);
        note("stamps", &port["stamp"]["kind"]);
    }
    for event in rows(scenario, "events") {
        note("events", &event["kind"]);
    }
    for mechanism in rows(scenario, "mechanisms") {
        note("mechanisms", &mechanism["recipe"]);
    }
    for (table, field) in [
        ("flows", "pull"),
        ("flows", "after"),
        ("ports", "trim"),
        ("ports", "watchdog"),
    ] {
        if rows(scenario, table).any(|row| row.get(field).is_some()) {
            found.insert(field.to_owned());
        }
    }
    found
}

fn rows<'a>(scenario: &'a Value, table: &str) -> impl Iterator<Item = &'a Value> {
    let rows = scenario[table].as_object();
    rows.into_iter().flatten().map(|(_, row)| row)
}

/// Whether a world can be built of it.
pub fn is_accepted(scenario: &Value) -> bool {
    let read = Scenario::from_json(scenario.to_string(), "world.json", Folders::default());
    let built = read.and_then(|s| s.resolve(None)).and_then(|r| r.build());
    built.is_ok()
}
