//! The streams of a random scenario with a controller of the tables and with the same one in a file.

use std::collections::BTreeMap;
use std::sync::Arc;

use backwater_scenario::{Folders, Scenario};
use serde_json::{Value, json};

use crate::check::EVENTS;

/// New Reno as a file.
const NEW_RENO: &[u8] = include_bytes!("../../../wasm/tests/newreno.wasm");

/// Fingerprints of a scenario whose stream flows have New Reno of the tables and of a file of WebAssembly; none where one
/// is refused.
pub fn native_and_file(scenario: &Value) -> Option<[u64; 2]> {
    let mut found = [0; 2];
    let controllers = [
        json!({ "kind": "newreno" }),
        json!({ "kind": "wasm", "file": "mine.wasm" }),
    ];
    for (controller, print) in controllers.into_iter().zip(&mut found) {
        let mut scenario = scenario.clone();
        let flows = scenario["flows"].as_object_mut().expect("a table");
        let streams = flows.values_mut().filter(|f| f["transport"] == "tcp");
        let mut any = false;
        for flow in streams {
            flow["controller"] = controller.clone();
            any = true;
        }
        let folders = Folders {
            contents: BTreeMap::from([("mine.wasm".to_owned(), Arc::from(NEW_RENO))]),
            ..Folders::default()
        };
        let read = Scenario::from_json(scenario.to_string(), "world.json", folders);
        let resolved = read.and_then(|s| s.resolve(None)).ok().filter(|_| any)?;
        let mut world = resolved.build().ok()?;
        world.advance_some(EVENTS);
        *print = world.fingerprint();
    }
    Some(found)
}
