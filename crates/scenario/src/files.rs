//! Files that options name: looked up beside the scenario and among the traces, read once, hashed.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use backwater_transport::part::File;
use sha2::{Digest, Sha256};

use crate::diagnostic::{Fault, nearest};

/// Folders in which the files of a scenario are looked up, in this order.
#[derive(Clone, Debug, Default)]
pub struct Folders {
    /// Folder of the scenario itself.
    pub scenario: Option<PathBuf>,
    /// Folder of traces.
    pub traces: Option<PathBuf>,
    /// Contents by the path as written, which are read in place of files: a page in a browser has no folders.
    pub contents: BTreeMap<String, Arc<[u8]>>,
}

/// Files read at the edge, each once.
#[derive(Debug)]
pub struct Files<'a> {
    folders: &'a Folders,
    /// By the path as written: content and SHA-256 in hex.
    pub read: BTreeMap<String, (File, String)>,
}

/// Larger files are refused rather than read into memory.
const LARGEST_FILE: u64 = 256 << 20;

impl<'a> Files<'a> {
    /// None read yet.
    pub fn new(folders: &'a Folders) -> Files<'a> {
        Files {
            folders,
            read: BTreeMap::new(),
        }
    }

    /// The file of a path as written.
    pub fn open(&mut self, written: &str) -> Result<File, Fault> {
        if let Some((file, _)) = self.read.get(written) {
            return Ok(file.clone());
        }
        if let Some(content) = self.folders.contents.get(written) {
            return Ok(self.keep(written, content.clone()));
        }
        let folders = [
            self.folders.scenario.as_deref(),
            self.folders.traces.as_deref(),
        ];
        let mut places: Vec<PathBuf> = folders
            .iter()
            .flatten()
            .map(|folder| folder.join(written))
            .collect();
        if places.is_empty() {
            places.push(PathBuf::from(written));
        }
        let found = places.iter().find(|p| p.exists());
        let content = found.ok_or_else(|| self.absent(written))?;
        let content = read(content).map_err(|why| {
            Fault::new(
                format!("the file `{written}` cannot be read: {why}"),
                "name a readable file",
            )
        })?;
        Ok(self.keep(written, Arc::from(content)))
    }

    fn keep(&mut self, written: &str, content: Arc<[u8]>) -> File {
        let hash = hex(&Sha256::digest(&content));
        let file = File {
            path: written.to_owned(),
            content,
        };
        self.read.insert(written.to_owned(), (file.clone(), hash));
        file
    }

    fn absent(&self, written: &str) -> Fault {
        let mut names = Vec::new();
        for folder in [&self.folders.scenario, &self.folders.traces]
            .into_iter()
            .flatten()
        {
            let Ok(listing) = std::fs::read_dir(folder.join(written).parent().unwrap_or(folder))
            else {
                continue;
            };
            names.extend(
                listing
                    .flatten()
                    .filter_map(|e| e.file_name().into_string().ok()),
            );
        }
        names.sort();
        let wanted = Path::new(written)
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or(written);
        let near = nearest(wanted, names.iter().map(String::as_str));
        let fix = "name a file relative to the scenario's folder or to the traces folder, or an absolute path";
        Fault {
            what: format!("there is no file `{written}`"),
            nearest: near,
            fix: fix.to_owned(),
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let about = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if !about.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if about.len() > LARGEST_FILE {
        return Err(format!(
            "it has {} bytes, more than {LARGEST_FILE}",
            about.len()
        ));
    }
    // A file that the system makes as it is read, as under /proc, has 0 bytes by its metadata.
    let mut content = Vec::new();
    let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
    let read = file.take(LARGEST_FILE + 1).read_to_end(&mut content);
    match read.map_err(|e| e.to_string())? as u64 > LARGEST_FILE {
        true => Err(format!("it has more than {LARGEST_FILE} bytes")),
        false => Ok(content),
    }
}

/// Lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_beside_the_scenario_then_among_the_traces() {
        let root = std::env::temp_dir().join(format!("backwater-files-{}", std::process::id()));
        let folders = Folders {
            scenario: Some(root.join("a")),
            traces: Some(root.join("b")),
            ..Folders::default()
        };
        for folder in ["a", "b"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::write(root.join("a/one.csv"), "abc").unwrap();
        std::fs::write(root.join("b/one.csv"), "other").unwrap();
        std::fs::write(root.join("b/two.csv"), "two").unwrap();
        let mut files = Files::new(&folders);
        assert_eq!(*files.open("one.csv").unwrap().content, *b"abc");
        assert_eq!(*files.open("two.csv").unwrap().content, *b"two");
        assert_eq!(files.open("tow.csv").unwrap_err().nearest, ["two.csv"]);
        let found = files.open("../a").unwrap_err();
        assert!(found.what.contains("not a regular file"), "{found:?}");
        // FIPS 180-2, appendix B.1: "abc".
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(files.read["one.csv"].1, digest);
        assert_eq!(files.read.len(), 2);
        std::fs::remove_dir_all(root).unwrap();
    }
}
