//! The engine id: a hash over the sources of the crates that compute. It is part of every result's
//! key, so that a change of the engine never passes for an old result.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn main() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the folder of crates")
        .to_path_buf();
    let mut files = Vec::new();
    for name in ["transport", "sim", "scenario"] {
        let folder = crates.join(name).join("src");
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &mut files);
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let relative = file
            .strip_prefix(&crates)
            .expect("below the crates")
            .to_string_lossy()
            .replace('\\', "/");
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
