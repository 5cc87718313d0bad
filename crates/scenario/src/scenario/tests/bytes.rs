//! Any bytes are read or refused.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn survive(bytes: &[u8]) {
    for read in [
        Scenario::from_toml(bytes, "x", Folders::default()),
        Scenario::from_json(bytes, "x", Folders::default()),
    ] {
        let refused = match read {
            Ok(scenario) => scenario.resolve(None).err(),
            Err(found) => Some(found),
        };
        if let Some(found) = refused {
            assert!(!found.what.is_empty() && !found.fix.is_empty());
            assert!(!found.to_string().contains('\u{1b}'));
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        survive(&bytes);
    }

    #[test]
    fn a_damaged_scenario_is_read_or_refused(at in 0..WIRED.len(), remove in 0usize..40, insert in "[\\PC\n\"={}\\[\\].*>0-9]{0,12}") {
        let mut bytes = WIRED.as_bytes()[..at].to_vec();
        bytes.extend(insert.as_bytes());
        bytes.extend(WIRED.as_bytes().iter().skip(at + remove));
        survive(&bytes);
    }

    #[test]
    fn any_path_is_set_or_refused(path in "[a-z0-9.*\"'>\\\\é]{0,30}", value in "\\PC{0,20}") {
        let mut scenario = Scenario::from_toml(WIRED, "x.toml", Folders::default()).unwrap();
        if scenario.set(&path, &json!(value), "--set").is_ok() {
            let _ = scenario.resolve(None).map(|r| r.canonical);
        }
    }
}
