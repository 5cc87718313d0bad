//! Any bytes are a scenario that runs, or one refusal: never a panic. Run with
//! `cargo fuzz run --sanitizer none scenario`; the stable toolchain is enough.

#![no_main]

use backwater_scenario::{Folders, Keep, Run, Scenario};
use libfuzzer_sys::fuzz_target;

/// Larger networks are read but not run, to keep the pace.
const MOST_NODES: usize = 64;

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
    if resolved.spec().nodes.len() > MOST_NODES {
        return;
    }
    let Ok(mut run) = Run::new(&resolved, Keep::default()) else { return };
    if run.step().expect("a run that writes nothing can't fail") {
        let (document, ..) = run.finish().expect("a run that writes nothing can't fail");
        assert_eq!(document["conservation"]["ok"], true);
    }
});
