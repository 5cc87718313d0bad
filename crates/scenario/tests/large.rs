//! 8,192 hosts: the fat tree of k = 32, in memory that a desk has.

use std::collections::BTreeMap;

use backwater_scenario::{Folders, Keep, Resolved, Run, Scenario};
use backwater_sim::record::{Record, What};
use serde_json::Value;

const HOSTS: usize = 8192;
/// Queues of two packets, so that many are lost.
const TEXT: &str = r#"
schema = "backwater/scenario/1"
duration = "25 us"
topology = { kind = "fat-tree", k = 32, rate = "10 Gbit/s", delay = "500 ns" }
routing = { kind = "ecmp" }
ports."*" = { buffer = "3100 B" }
flows.f = { from = "h*", to = "h*", pattern = "permutation", source = { kind = "poisson", packet = "1500 B", rate = "4 Gbit/s" } }
"#;

fn resolved() -> Resolved {
    let scenario = Scenario::from_toml(TEXT, "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(None));
    resolved.unwrap_or_else(|d| panic!("{d}"))
}

fn document() -> Value {
    let mut run = Run::new(&resolved(), Keep::default()).unwrap_or_else(|_| panic!("not built"));
    while !run.step().unwrap_or_else(|_| panic!("not run")) {}
    run.finish().unwrap_or_else(|_| panic!("not finished")).0
}

/// What became of the packets of a flow, by number.
#[derive(Default)]
struct Fates {
    ends: BTreeMap<u32, What>,
    seen: u64,
}

impl Fates {
    fn note(&mut self, r: &Record) {
        match r.what {
            What::Deliver | What::Drop => {
                let before = self.ends.insert(r.seq, r.what);
                assert_eq!(
                    before, None,
                    "packet {} of flow {} ends twice",
                    r.seq, r.flow.0
                );
            }
            _ => assert!(!self.ends.contains_key(&r.seq), "{r:?} after its end"),
        }
        self.seen = self.seen.max(u64::from(r.seq) + 1);
    }

    fn count(&self, what: What) -> u64 {
        self.ends.values().filter(|end| **end == what).count() as u64
    }
}

/// The records follow each packet: it is delivered once, or lost once, or held at the end, and nothing happens to it afterwards. The rows of
/// the document say the same of each flow, and the run that is not recorded has the same fingerprint.
#[test]
fn of_8192_hosts_each_packet_has_one_end() {
    let document = document();
    let mut world = resolved().build().unwrap_or_else(|d| panic!("{d}"));
    world.start_recording();
    let mut fates: Vec<Fates> = (0..HOSTS).map(|_| Fates::default()).collect();
    let end = world.end();
    while world.now() < end {
        let over = world.advance_some(50_000);
        for record in world.take_records() {
            fates[record.flow.index()].note(&record);
        }
        if over {
            break;
        }
    }
    let number = |row: &Value, key: &str| row[key].as_u64().expect("a count");
    let flows = document["flows"].as_array().expect("rows");
    assert_eq!(flows.len(), HOSTS);
    let mut held = 0;
    for (row, fates) in flows.iter().zip(&fates) {
        let [entered, delivered, dropped] =
            ["entered_pkts", "delivered_pkts", "dropped_pkts"].map(|key| number(row, key));
        let counted = (
            fates.seen,
            fates.count(What::Deliver),
            fates.count(What::Drop),
        );
        assert_eq!((entered, delivered, dropped), counted, "{}", row["id"]);
        held += entered - delivered - dropped;
    }
    let law = &document["conservation"];
    assert_eq!(number(law, "held_pkts"), held);
    assert_eq!(law["ok"], true);
    let lost = document["drops"].as_array().expect("rows").iter();
    let lost: u64 = lost.map(|row| number(row, "pkts")).sum();
    assert_eq!(number(law, "dropped_pkts"), lost);
    assert!(lost > 1000 && held > 1000, "{law}");
    let fingerprint = format!("{:016x}", world.report().fingerprint);
    assert_eq!(document["fingerprint"], fingerprint);
    // The most that this process has had, document and world together: 2 GB at most, where the system tells.
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let mut lines = status.lines();
        let peak = lines.find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak
            .and_then(|line| line.split_whitespace().next())
            .expect("a peak");
        let kib: u64 = peak.parse().expect("a number");
        assert!(kib * 1024 < 2_000_000_000, "{kib} kB");
    }
}
