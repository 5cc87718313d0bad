//! A queue pair for each transfer of a source, from a scenario's text to the figures of its document.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use serde_json::Value;

fn text(more: &str, source: &str) -> String {
    format!(
        r#"
schema = "backwater/scenario/1"
duration = "40 ms"
topology = {{ kind = "star", hosts = 7, rate = "10 Gbit/s", delay = "1 us", bottleneck = "10 Gbit/s" }}
ports."*" = {{ buffer = "4 MB" }}
flows.f = {{ from = "h*", to = "h*", packet = "1030 B", {more}, source = {{ {source} }} }}
"#
    )
}

fn document(more: &str, source: &str) -> Result<Value, String> {
    let scenario = Scenario::from_toml(text(more, source), "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(None));
    let resolved = resolved.map_err(|diagnostic| diagnostic.to_string())?;
    let mut run = Run::new(&resolved, Keep::default()).map_err(|_| "not built".to_owned())?;
    while !run.step().map_err(|_| "not run".to_owned())? {}
    Ok(run.finish().map_err(|_| "not finished".to_owned())?.0)
}

const PAIRS: &str = r#"pattern = "transfers", transport = "irn", cap = "1 MB", stop = "30 ms", controller = { kind = "fixed", window = "64 packets" }"#;
const STORAGE: &str = r#"kind = "workload", sizes = "storage", rate = "2 Gbit/s""#;

/// Seven senders, 2 Gbit/s each, sizes of mean 40,869.8 B, for 30 ms: 1,284 transfers, with a deviation of 36 (Poisson). All end within
/// the last 10 ms. A row sums them up, and the tenths of their sizes rise.
#[test]
fn transfers_come_at_their_rate_and_have_one_row() {
    let document = document(PAIRS, STORAGE).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(document["sanity"]["ok"], true, "{}", document["sanity"]);
    assert_eq!(document["conservation"]["ok"], true);
    let flows = document["flows"].as_array().expect("rows");
    assert_eq!(flows.len(), 1);
    assert_eq!(flows[0]["id"], "f");
    let [begun, ended] = ["transfers_begun", "transfers"].map(|name| flows[0][name].as_u64());
    assert_eq!(begun, ended);
    let begun = begun.expect("a count");
    assert!(begun.abs_diff(1284) < 5 * 36, "{begun}");
    let metrics = &document["metrics"];
    let sizes: Vec<u64> = (0..10)
        .map(|n| {
            metrics[format!("size_max_B_tenth{n}")]
                .as_u64()
                .expect("a size")
        })
        .collect();
    assert!(sizes.windows(2).all(|pair| pair[0] <= pair[1]), "{sizes:?}");
    // The distribution has 22.93 % up to 4 kB, 69.21 % up to 8 kB and 96.77 % up to 128 kB.
    assert!(
        sizes[1] < 4_000 && sizes[5] < 8_000 && sizes[8] < 128_000,
        "{sizes:?}"
    );
    assert!(
        sizes[2] > 4_000 && sizes[7] > 8_000 && sizes[9] > 128_000,
        "{sizes:?}"
    );
}

/// A transfer that shares a queue pair waits behind those before it; one with its own shares the line with them packet by packet. Of
/// two hosts that send to each other, at half the line, the median of the smallest tenth is then less than three times the time alone.
#[test]
fn a_small_transfer_does_not_wait_behind_a_large_one() {
    let source = r#"kind = "workload", sizes = "websearch", rate = "5 Gbit/s""#;
    let median = |pattern: &str| {
        let more = PAIRS.replace(r#"pattern = "transfers""#, pattern);
        let text = text(&more, source)
            .replace("hosts = 7", "hosts = 2")
            .replace("40 ms", "400 ms")
            .replace("30 ms", "300 ms");
        let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).expect("TOML");
        let resolved = scenario
            .resolve(None)
            .unwrap_or_else(|said| panic!("{said}"));
        let Ok(mut run) = Run::new(&resolved, Keep::default()) else {
            panic!("not built");
        };
        while !run.step().is_ok_and(|end| end) {}
        let document = run
            .finish()
            .map_err(|_| "not finished")
            .expect("a document")
            .0;
        // Web search has 15 % of its transfers below 10 kB, and tenths are of those that ended.
        let own = document["metrics"]["slowdown_p50_tenth0"].as_f64();
        own.or(document["metrics"]["slowdown_p50_decade3"].as_f64())
            .expect("a median")
    };
    let (own, shared) = (
        median(r#"pattern = "transfers""#),
        median(r#"pattern = "all""#),
    );
    assert!(own < 3.0, "{own}");
    assert!(shared > 10.0 * own, "{shared} {own}");
}

#[test]
fn what_has_no_transfers_is_refused_with_a_remedy() {
    for (more, source, parts) in [
        (
            PAIRS,
            r#"kind = "bulk""#,
            ["not drawn before the run", "kind = \"workload\""],
        ),
        (
            r#"pattern = "transfers""#,
            STORAGE,
            ["needs a transport", "transport = \"roce\""],
        ),
    ] {
        let said = document(more, source).expect_err("it was read");
        assert!(parts.iter().all(|p| said.contains(p)), "{said}");
    }
}
