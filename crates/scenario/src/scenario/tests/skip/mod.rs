//! Runs that skip what repeats itself give the document of the full run, to the last bit.

use serde_json::Value as Json;

use super::*;
use crate::run::{Keep, Run};

mod ends;
mod wires;

/// Two hosts send over a switch to a third.
fn merge(rest: &str) -> String {
    format!(
        r#"schema = "backwater/scenario/1"
nodes.A = {{ kind = "host" }}
nodes.B = {{ kind = "host" }}
nodes.W = {{ kind = "switch", model = "output-queued" }}
nodes.D = {{ kind = "host" }}
links.a = {{ ends = ["A", "W"], rate = "100 Mbit/s", delay = "1 us" }}
links.b = {{ ends = ["B", "W"], rate = "100 Mbit/s", delay = "2 us" }}
{rest}
"#
    )
}

fn read(text: &str) -> Resolved {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    scenario
        .and_then(|s| s.resolve(None))
        .unwrap_or_else(|d| panic!("{d}"))
}

/// The document, and how many events were served.
fn run(text: &str) -> (Json, u64) {
    let mut run = Run::new(&read(text), Keep::default()).unwrap_or_else(|e| panic!("{e:?}"));
    while !run.step().unwrap() {}
    let served = run.counts().0;
    (run.finish().unwrap().0, served)
}

/// Compares both runs; gives the events that were served by each.
#[track_caller]
fn equal(text: &str) -> (u64, u64) {
    let (full, all) = run(text);
    let (mut short, some) = run(&format!("{text}\nrun = {{ skip = \"exact\" }}\n"));
    let skipped = short.as_object_mut().unwrap().remove("skipped").unwrap();
    assert_eq!(
        full["fingerprint"], short["fingerprint"],
        "{skipped}\n{text}"
    );
    assert_eq!(full, short, "{skipped}\n{text}");
    let events = skipped["events"].as_u64().unwrap();
    assert_eq!(events > 0, some < all, "{skipped}");
    (all, some)
}

/// A choice among some for each key, keyed by the case.
struct Choice(u64);

impl Choice {
    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        // Knuth's constants of a linear congruence.
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        list[((self.0 >> 33) % list.len() as u64) as usize]
    }
}

/// Two senders behind a bottleneck: `transport` and `rest` of both flows, the bottleneck's rate and buffer.
fn bottleneck(seconds: u64, buffer: &str, flows: &str) -> String {
    merge(&format!(
        r#"duration = "{seconds} s"
warmup = "0.3 s"
links.c = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "5 ms" }}
ports."W>D" = {{ buffer = "{buffer}" }}
{flows}
"#
    ))
}

fn flow(name: &str, from: &str, window: u64, rest: &str) -> String {
    format!(
        r#"flows.{name} = {{ from = "{from}", to = "D", transport = "tcp", controller = {{ kind = "fixed", window = "{window} packets" }}, source = {{ kind = "bulk" }}{rest} }}
"#
    )
}

/// What was skipped in a run: (from, period, periods) of each stretch.
fn stretches(text: &str) -> Vec<(f64, f64, u64)> {
    let (document, _) = run(&format!("{text}\nrun = {{ skip = \"exact\" }}\n"));
    let rows = document["skipped"]["stretches"].as_array().unwrap();
    let of = |row: &Json| {
        (
            row["from_s"].as_f64().unwrap(),
            row["period_s"].as_f64().unwrap(),
            row["periods"].as_u64().unwrap(),
        )
    };
    rows.iter().map(of).collect()
}
