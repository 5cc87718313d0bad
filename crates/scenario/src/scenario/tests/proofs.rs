//! What proves results: the fingerprint, conservation, and the key of a case.

use serde_json::Value as Json;

use super::super::*;
use super::cell::document;
use crate::Folders;

/// Packets that no one receives: `count` of them, one each millisecond.
fn all_lost(count: u32) -> Json {
    document(&format!(
        r#"
schema = "backwater/scenario/1"
duration = "1 s"
nodes.S = {{ kind = "host" }}
nodes.D = {{ kind = "host" }}
links.l = {{ ends = ["S", "D"], rate = "100 Mbit/s", delay = "1 ms", boxes = [{{ kind = "loss", share = "100 %" }}] }}
flows.f = {{ from = "S", to = "D", stop = "{}.5 ms", source = {{ kind = "cbr", packet = "1500 B", rate = "12 Mbit/s" }} }}
"#,
        count - 1
    ))
}

#[test]
fn losses_are_in_the_fingerprint() {
    let (ten, eleven) = (all_lost(10), all_lost(11));
    for (run, lost) in [(&ten, 10), (&eleven, 11)] {
        assert_eq!(run["conservation"]["dropped_pkts"], lost);
        assert_eq!(run["conservation"]["delivered_pkts"], 0);
    }
    assert_ne!(ten["fingerprint"], eleven["fingerprint"]);
    assert_eq!(ten["fingerprint"], all_lost(10)["fingerprint"]);
}

#[test]
fn a_packet_or_a_byte_too_many_breaks_conservation() {
    let text = r#"
schema = "backwater/scenario/1"
duration = "1 s"
nodes.S = { kind = "host" }
nodes.D = { kind = "host" }
links.l = { ends = ["S", "D"], rate = "1 Mbit/s", delay = "1 ms" }
flows.f = { from = "S", to = "D", source = { kind = "cbr", packet = "1500 B", rate = "2 Mbit/s" } }
"#;
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
    let mut world = scenario.resolve(None).unwrap().build().unwrap();
    world.advance(world.end());
    assert!(world.clone().report().conserved);
    let faults: [fn(&mut backwater_sim::world::World); 5] = [
        |w| w.flows.0[0].entered.packets += 1,
        |w| w.flows.0[0].stats.delivered.packets += 1,
        |w| w.flows.0[0].stats.delivered.packets -= 1,
        |w| w.flows.0[0].stats.dropped.packets += 1,
        |w| w.ports.0[0].queue_mut(0).bytes += 1,
    ];
    for (number, fault) in faults.into_iter().enumerate() {
        let mut broken = world.clone();
        fault(&mut broken);
        assert!(!broken.report().conserved, "fault {number}");
    }
}

#[test]
fn the_key_of_a_case_is_that_of_what_its_files_hold() {
    let folder = std::env::temp_dir().join(format!("backwater-keys-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let key = |content: &str| {
        std::fs::write(folder.join("link.trace"), content).unwrap();
        let text = r#"
schema = "backwater/scenario/1"
duration = "1 s"
nodes.S = { kind = "host" }
nodes.D = { kind = "host" }
links.d = { from = "S", to = "D", kind = "trace", trace = "link.trace" }
links.u = { from = "D", to = "S", rate = "1 Mbit/s", delay = "1 ms" }
flows.f = { from = "S", to = "D", source = { kind = "cbr", packet = "1400 B", rate = "1 Mbit/s" } }
"#;
        let folders = Folders {
            scenario: Some(folder.clone()),
            traces: None,
        };
        let scenario = Scenario::from_toml(text, "x.toml", folders).unwrap();
        let resolved = scenario.resolve(None).unwrap_or_else(|d| panic!("{d}"));
        (resolved.canonical.clone(), resolved.key("engine"))
    };
    let (first, second) = (key("1\n5\n9\n"), key("1\n5\n8\n"));
    assert_eq!(first.0, second.0);
    assert_ne!(first.1, second.1);
    assert_eq!(first.1, key("1\n5\n9\n").1);
    std::fs::remove_dir_all(folder).unwrap();
}
