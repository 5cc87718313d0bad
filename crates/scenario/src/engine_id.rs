//! The engine's id: a hash over its sources, and another one over the sources of parts that other crates added.

use backwater_sim::queue;
use sha2::{Digest, Sha256};

use crate::files::hex;

/// The id of this process's engine, whose own sources have the hash `own`. From now on no part is added.
pub fn engine_id(own: &str) -> String {
    with_added(own, queue::added().code())
}

fn with_added(own: &str, code: &[&str]) -> String {
    if code.is_empty() {
        return own.to_owned();
    }
    let mut hash = Sha256::new();
    for text in code {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    format!("{own}+{}", &hex(&hash.finalize())[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_changes_with_each_text_that_was_added() {
        assert_eq!(with_added("ab", &[]), "ab");
        let ids = [&["x"][..], &["y"], &["x", "y"], &["y", "x"], &["xy"]]
            .map(|code| with_added("ab", code));
        for (i, id) in ids.iter().enumerate() {
            assert!(id.starts_with("ab+") && id.len() == 2 + 1 + 16);
            assert!(!ids[..i].contains(id));
        }
    }
}
