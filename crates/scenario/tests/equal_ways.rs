//! How evenly switches use ways that are equally short, as the document of a run says it.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use serde_json::Value;

/// Two leaves of four hosts and four spines; each host of the first leaf sends at a fifth of a line to one of the second.
fn run(choose: &str, seed: u64) -> Value {
    let flow = |n: u32| {
        format!(
            r#"flows.f{n} = {{ from = "h{n}", to = "h{}", source = {{ kind = "cbr", packet = "1030 B", rate = "8 Gbit/s" }} }}"#,
            n + 4
        )
    };
    let flows: Vec<String> = (0..4).map(flow).collect();
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "200 us"
topology = {{ kind = "leaf-spine", leaves = 2, spines = 4, hosts = 4, rate = "40 Gbit/s", delay = "1 us" }}
routing = {{ kind = "ecmp", choose = "{choose}" }}
ports."*" = {{ buffer = "1 MB" }}
{}
"#,
        flows.join("\n")
    );
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
    let resolved = scenario
        .resolve(Some(seed))
        .unwrap_or_else(|d| panic!("{d}"));
    let mut run = Run::new(&resolved, Keep::default()).unwrap_or_else(|_| panic!("not built"));
    while !run.step().unwrap_or_else(|_| panic!("not run")) {}
    run.finish().unwrap_or_else(|_| panic!("not finished")).0
}

/// What the four uplinks of the first leaf sent, and how uneven the document calls it.
fn uplinks(document: &Value) -> (Vec<u64>, f64) {
    let rows = document["equal_ways"].as_array().unwrap();
    // A spine has one way to each host, and no flow leads from the second leaf to the first.
    let at: Vec<&str> = rows.iter().map(|row| row["at"].as_str().unwrap()).collect();
    assert_eq!(at, ["l0"]);
    let sent = rows[0]["sent_B"].as_object().unwrap();
    let names: Vec<&str> = sent.keys().map(String::as_str).collect();
    assert_eq!(names, ["l0>s0", "l0>s1", "l0>s2", "l0>s3"]);
    let sent = sent.values().map(|bytes| bytes.as_u64().unwrap()).collect();
    (sent, rows[0]["unevenness"].as_f64().unwrap())
}

/// Round-robin the ways differ by one frame. The greatest is then above the mean by less than one frame of so many.
#[test]
fn ways_by_turns_are_even_to_one_frame() {
    let document = run("round-robin", 1);
    let (sent, uneven) = uplinks(&document);
    let (low, high) = (sent.iter().min().unwrap(), sent.iter().max().unwrap());
    assert!(high - low <= 1048 && *low > 0, "{sent:?}");
    let mean = sent.iter().sum::<u64>() as f64 / 4.0;
    assert!(uneven >= 1.0 && uneven <= 1.0 + 1048.0 / mean, "{uneven}");
    let of_run = &document["metrics"];
    assert_eq!(of_run["ways_uneven_mean"], uneven);
    assert_eq!(of_run["ways_uneven_max"], uneven);
}

/// By the hash each of four equal flows takes one of four ways, so the greatest sum is k times the mean, where k flows share the fullest
/// way. Of 4^4 choices 24 have k = 1, 180 have 2, 48 have 3 and 4 have 4: the mean of k is 2.125 and its deviation .573.
#[test]
fn ways_by_the_hash_are_as_uneven_as_balls_in_bins() {
    let seeds = 96;
    let mut sum = 0.0;
    for seed in 1..=seeds {
        let document = run("hash", seed);
        let (sent, uneven) = uplinks(&document);
        let mut flows = [0u32; 4];
        for flow in document["flows"].as_array().unwrap() {
            let spine = flow["hops"][1]["to"].as_str().unwrap();
            flows[spine[1..].parse::<usize>().unwrap()] += 1;
        }
        let k = f64::from(*flows.iter().max().unwrap());
        // To one packet of each flow's 190.
        assert!(
            (uneven / k - 1.0).abs() < 0.02,
            "{seed}: {uneven} {k} {sent:?}"
        );
        sum += k;
    }
    let mean = sum / seeds as f64;
    // Three standard errors.
    assert!(
        (mean - 2.125).abs() < 3.0 * 0.573 / (seeds as f64).sqrt(),
        "{mean}"
    );
}
