//! The proofs of results: the fingerprint, conservation, and the key of a case.

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
        |w| w.network_mut().flows.0[0].entered.packets += 1,
        |w| w.network_mut().flows.0[0].stats.delivered.packets += 1,
        |w| w.network_mut().flows.0[0].stats.delivered.packets -= 1,
        |w| w.network_mut().flows.0[0].stats.dropped.packets += 1,
        |w| w.network_mut().ports.0[0].queue_mut(0).bytes += 1,
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
    let resolved = |content: &str| {
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
            ..Folders::default()
        };
        let scenario = Scenario::from_toml(text, "x.toml", folders).unwrap();
        scenario.resolve(None).unwrap_or_else(|d| panic!("{d}"))
    };
    let (first, second) = (resolved("1\n5\n9\n"), resolved("1\n5\n8\n"));
    assert_ne!(first.key("engine"), second.key("engine"));
    assert_eq!(first.key("engine"), resolved("1\n5\n9\n").key("engine"));
    // The hashes are in the key themselves, wherever else they stand.
    let mut other = first.clone();
    other.inputs[0].sha256.clone_from(&second.inputs[0].sha256);
    assert_eq!(first.canonical, other.canonical);
    assert_ne!(first.key("engine"), other.key("engine"));
    std::fs::remove_dir_all(folder).unwrap();
}
