//! Parts are rows of tables: the crate finds them there and knows none by its name. A file that names a part is a
//! file to edit for each new part of its kind.

use std::fs;
use std::path::{Path, PathBuf};

use backwater_scenario::parts_json;

/// Words that are the id of a part and mean something else here: an EDCA parameter, a way in which marks come back,
/// a number of nodes, an access category, a station's queue, a type of JSON documents, a link's delay,
/// a metric, the rates of links in a record file.
const OTHER_MEANINGS: &[&str] = &[
    "aifsn", "txop", "dctcp", "fixed", "video", "fifo", "file", "delay", "loss", "constant",
    "rates",
];

/// Files that may name a part: the default queue, a queue in the words of mahimahi's log, the model that a trace is
/// fitted to.
const SPEAKERS: &[&str] = &["decode/ports.rs", "link_log.rs", "traces.rs"];

fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap().to_owned();
            found.push((path, code));
        }
    }
}

/// Files of `src` outside its tests that hold this word in quotes.
fn files_naming(word: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src");
    let mut all = Vec::new();
    sources(&root, &mut all);
    let quoted = format!("\"{word}\"");
    let naming = all.iter().filter(|(_, code)| code.contains(&quoted));
    let mut names: Vec<String> = naming
        .map(|(path, _)| path.strip_prefix(&root).unwrap().display().to_string())
        .filter(|name| !name.contains("tests"))
        .collect();
    names.sort();
    names
}

fn ids(kind: &str) -> Vec<String> {
    let kinds = parts_json();
    let rows = kinds[kind].as_array().unwrap();
    let ids = rows
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_owned());
    ids.collect()
}

#[test]
fn no_file_knows_a_part_of_the_engine_by_name() {
    let kinds = parts_json();
    let kinds = kinds.as_object().unwrap().keys();
    // The standards of 802.11 are choices of a field.
    let others = ["topologies", "media", "metrics", "standards"];
    let mut found = Vec::new();
    for kind in kinds.filter(|kind| !others.contains(&kind.as_str())) {
        let ids = ids(kind);
        assert!(!ids.is_empty(), "{kind}");
        for id in ids
            .iter()
            .filter(|id| !OTHER_MEANINGS.contains(&id.as_str()))
        {
            let files = files_naming(id);
            let known = files.iter().all(|f| SPEAKERS.contains(&f.as_str()));
            if !known || files.len() > 1 {
                found.push(format!("{kind}: \"{id}\" in {files:?}"));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn one_file_knows_a_generator_by_name() {
    for id in ids("topologies") {
        let file = format!("decode/topology/{}.rs", id.replace('-', "_"));
        assert_eq!(files_naming(&id), [file]);
    }
}

#[test]
fn one_file_knows_a_routing_rule_or_a_switch_model_by_name() {
    for word in [
        "shortest-path",
        "ecmp",
        "airtime-tree",
        "shared-memory",
        "output-queued",
        "input-queued",
        "single-queue",
    ] {
        assert_eq!(files_naming(word), ["fields/network.rs"]);
    }
}
