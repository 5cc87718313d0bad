//! `backwater-mutate ROOT TREE DROPPED LIST FOLDER...` writes the files of the folders of ROOT, mutated, into TREE.
//!
//! DROPPED holds the numbers of mutants to leave out, one a line. LIST gets one line of JSON for each mutant.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use backwater_mutate::{Mutated, mutated, test_modules};
use serde_json::json;

/// Rust sources below a folder, in order, without files that only tests have.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut entries: Vec<_> = fs::read_dir(folder)?
        .map(|one| Ok(one?.path()))
        .collect::<Result<_, std::io::Error>>()?;
    entries.sort();
    // The file of the folder's own module may lie beside it.
    let beside = folder.with_extension("rs");
    let mut tests = BTreeSet::new();
    if beside.is_file() {
        let names = test_modules(&fs::read_to_string(beside)?)?;
        tests.extend(names.iter().map(|name| folder.join(format!("{name}.rs"))));
    }
    let mut found = Vec::new();
    for path in &entries {
        if path.is_dir() {
            found.extend(sources(path)?);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let names = test_modules(&fs::read_to_string(path)?)?;
            // The module's own file, or the folder that holds it.
            tests.extend(names.iter().map(|name| folder.join(format!("{name}.rs"))));
            tests.extend(names.iter().map(|name| folder.join(name)));
            found.push(path.clone());
        }
    }
    found.retain(|path| !path.ancestors().any(|one| tests.contains(one)));
    Ok(found)
}

/// A file that has not changed keeps its time, so that nothing is built twice.
fn write(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    Ok(fs::write(path, text)?)
}

fn lines(file: &str, made: &Mutated) -> String {
    let mut list = String::new();
    for one in &made.mutants {
        let site = &made.sites[&one.site];
        let own = made
            .places
            .get(&one.id)
            .map(|place| [place.start, place.end]);
        let line = json!({
            "id": one.id, "file": file, "line": one.line, "column": one.column, "what": one.what,
            "function": one.function, "site": [site.start, site.end], "own": own,
        });
        list += &format!("{line}\n");
    }
    list
}

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = env::args().skip(1).collect();
    let [root, tree, dropped, list, folders @ ..] = given.as_slice() else {
        return Err("usage: backwater-mutate ROOT TREE DROPPED LIST FOLDER...".into());
    };
    let dropped = fs::read_to_string(dropped)?
        .lines()
        .map(str::parse)
        .collect::<Result<BTreeSet<u32>, _>>()?;
    let (mut next, mut told) = (1, String::new());
    for folder in folders {
        for path in sources(&Path::new(root).join(folder))? {
            let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
            let made = mutated(&fs::read_to_string(&path)?, next, &dropped)
                .map_err(|error| format!("{name}: {error}"))?;
            write(&Path::new(tree).join(&name), &made.text)?;
            told += &lines(&name, &made);
            next = made.end;
        }
    }
    Ok(fs::write(list, told)?)
}
