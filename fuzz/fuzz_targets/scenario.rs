//! Any bytes are a scenario that runs, or one refusal: never a panic. Run with
//! `cargo fuzz run --sanitizer none scenario`; the stable toolchain is enough.

#![no_main]

use backwater_scenario::{Folders, Keep, Run, Scenario};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let read = match data.first() {
        Some(b'{') => Scenario::from_json(data, "fuzz.json", Folders::default()),
        _ => Scenario::from_toml(data, "fuzz.toml", Folders::default()),
    };
    let resolved = match read.and_then(|scenario| scenario.resolve(None)) {
        Ok(resolved) => resolved,
        Err(refusal) => {
            assert!(!refusal.what.is_empty() && !refusal.fix.is_empty());
            assert!(refusal.to_string().starts_with("error: "));
            return;
        }
    };
    if !small(&resolved.canonical) {
        return;
    }
    let Ok(mut run) = Run::new(&resolved, Keep::default()) else { return };
    if run.step().expect("a run that writes nothing can't fail") {
        let (document, ..) = run.finish().expect("a run that writes nothing can't fail");
        assert_eq!(document["conservation"]["ok"], true);
    }
});

/// Whether a run is small enough to keep the pace: few ports, and bursts of few packets.
fn small(canonical: &str) -> bool {
    let form: Value = serde_json::from_str(canonical).expect("the canonical form is JSON");
    let bytes = |value: &Value| value.as_u64().unwrap_or(0);
    let modest = |flow: &Value| {
        let source = flow["source"].as_object().expect("a flow has a source");
        let sizes = source.iter().filter(|(name, _)| name.ends_with("_B"));
        bytes(&flow["packet_B"]) >= 500 && sizes.map(|(_, v)| bytes(v)).all(|b| b <= 1_000_000)
    };
    canonical.len() < 100_000 && form["flows"].as_object().is_some_and(|flows| flows.values().all(modest))
}
