//! The engine id: a hash over the sources of the crates that compute. It is part of every result's
//! key, so that a change of the engine never passes for an old result.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn main() {
    let mut files = Vec::new();
    for name in ["transport", "sim", "scenario"] {
        let folder = sources(name);
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut found = Vec::new();
        collect(&folder, &mut found);
        for file in found {
            let inside = file.strip_prefix(&folder).expect("below the folder");
            let inside = inside.to_string_lossy().replace('\\', "/");
            files.push((format!("{name}/src/{inside}"), file));
        }
    }
    files.sort();
    let mut hash = Sha256::new();
    for (relative, file) in files {
        let content = fs::read(&file).expect("a readable source file");
        hash.update((relative.len() as u64).to_le_bytes());
        hash.update(relative);
        hash.update((content.len() as u64).to_le_bytes());
        hash.update(content);
    }
    let hex: String = hash
        .finalize()
        .iter()
        .take(8)
        .map(|b| format!("{b:02x}"))
        .collect();
    println!("cargo::rustc-env=BACKWATER_ENGINE={hex}");
}

/// The sources of a crate, which lies beside this one: in a checkout, in the folder of a registry, or in one of vendored crates.
fn sources(name: &str) -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = own.parent().expect("the folder of crates");
    let packed = format!("backwater-{name}-{}", env!("CARGO_PKG_VERSION"));
    [name.to_owned(), packed, format!("backwater-{name}")]
        .iter()
        .map(|folder| beside.join(folder).join("src"))
        .find(|folder| folder.is_dir())
        .unwrap_or_else(|| {
            panic!(
                "the sources of backwater-{name} are not beside {}",
                own.display()
            )
        })
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}
