//! Changes of a running emulation over a socket of the file system: one JSON object in a line, one in answer.
//!
//! `{"show": true}` gives the links as the scenario has them. `{"set": {"links.up1.rate": "5 Mbit/s"}}` changes what a world
//! can change while it runs; the paths and values are those of a scenario. All of a `set` is done, or nothing.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use backwater_scenario::{Diagnostic, Resolved, Scenario};
use backwater_sim::world::World;
use serde_json::{Value, json};

use crate::fault::Fault;
use crate::system;

/// The longest line that is read, how much of it an error repeats, and the most callers at once.
const LONGEST: usize = 65_536;
const SHOWN: usize = 80;
const CALLERS: usize = 16;

/// A socket, and what it has changed.
#[derive(Debug)]
pub struct Live {
    listener: UnixListener,
    path: PathBuf,
    callers: Vec<(UnixStream, Vec<u8>)>,
    scenario: Scenario,
    resolved: Resolved,
    /// Each change that was made, with its second.
    pub changes: Vec<Value>,
}

impl Live {
    /// Listens at a path, for the user of this process alone. A socket that a killed emulator has left is replaced.
    ///
    /// # Errors
    /// Another emulator listens there, there is something else, or the folder cannot be written.
    pub fn listen(path: &Path, scenario: Scenario, resolved: Resolved) -> Result<Live, Fault> {
        let fail = |error: std::io::Error| {
            let fix = "name a path in a folder that you may write";
            Fault::system(&format!("--control {}", path.display()), &error, fix)
        };
        let refuse = |what: &str| {
            let place = format!("--control {}", path.display());
            Fault::refused(what, &place, "name another path")
        };
        if let Ok(there) = path.symlink_metadata() {
            if !there.file_type().is_socket() {
                return Err(refuse("there is a file that is no socket"));
            }
            if UnixStream::connect(path).is_ok() {
                return Err(refuse("another emulator listens there"));
            }
            std::fs::remove_file(path).map_err(fail)?;
        }
        // It is made for its owner alone: afterwards it would be open to others for a moment.
        let bound = system::for_owner_alone(|| UnixListener::bind(path));
        let listener = bound.map_err(fail)?;
        listener.set_nonblocking(true).map_err(fail)?;
        Ok(Live {
            listener,
            path: path.to_owned(),
            callers: Vec::new(),
            scenario,
            resolved,
            changes: Vec::new(),
        })
    }

    /// Answers what has been asked since the last call. A caller that does not read its answers is dropped.
    pub fn serve(&mut self, world: &mut World) {
        while let Ok((caller, _)) = self.listener.accept() {
            if self.callers.len() < CALLERS && caller.set_nonblocking(true).is_ok() {
                self.callers.push((caller, Vec::new()));
            }
        }
        let mut callers = std::mem::take(&mut self.callers);
        callers.retain_mut(|(caller, text)| {
            let open = read(caller, text);
            while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = text.drain(..=end).collect();
                let answer = format!("{}\n", self.answer(&line, world));
                if caller.write_all(answer.as_bytes()).is_err() {
                    return false;
                }
            }
            if text.len() >= LONGEST {
                // Whether it is read or not: the caller is dropped.
                let _ = caller.write_all(format!("{}\n", too_long()).as_bytes());
                return false;
            }
            open
        });
        self.callers = callers;
    }

    fn answer(&mut self, line: &[u8], world: &mut World) -> Value {
        let asked: Result<Value, _> = serde_json::from_slice(line);
        match asked.as_ref().ok().and_then(Value::as_object) {
            Some(one) if one.len() == 1 && one.get("show") == Some(&json!(true)) => self.show(),
            Some(one) if one.len() == 1 && one.get("set").is_some_and(Value::is_object) => {
                match self.set(&one["set"], world) {
                    Ok(()) => json!({"changed": self.changes.last()}),
                    Err(why) => json!({"error": why.to_json()}),
                }
            }
            _ => json!({"error": {
                "what": "this is neither `show` nor `set`",
                "place": shown(line),
                "fix": "write {\"show\": true} or {\"set\": {\"links.up1.rate\": \"5 Mbit/s\"}}",
            }}),
        }
    }

    fn show(&self) -> Value {
        let form: Value = serde_json::from_str(&self.resolved.canonical).expect("JSON");
        json!({"links": form["links"], "changes": self.changes})
    }

    fn set(&mut self, wanted: &Value, world: &mut World) -> Result<(), Diagnostic> {
        let mut scenario = self.scenario.clone();
        for (path, value) in wanted.as_object().expect("a table") {
            scenario.set(path, value, &format!("set {path}"))?;
        }
        let to = scenario.resolve(None)?;
        // A world that took a part of the changes is not kept.
        let mut tried = world.clone();
        self.resolved.change(&mut tried, &to)?;
        *world = tried;
        self.changes
            .push(json!({"at_s": world.now().seconds(), "set": wanted}));
        (self.scenario, self.resolved) = (scenario, to);
        Ok(())
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // Whoever removed it before has done the work.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The beginning of a line, as an error names it.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut shown: String = text.trim().chars().take(SHOWN).collect();
    if shown.len() < text.trim().len() {
        shown.push_str(" ...");
    }
    shown
}

fn too_long() -> Value {
    json!({"error": {
        "what": format!("the line has {LONGEST} bytes or more, and no end"),
        "place": "--control",
        "fix": "write one JSON object in a line, with fewer changes",
    }})
}

/// Reads what a caller has written; false when it has gone.
fn read(caller: &mut UnixStream, text: &mut Vec<u8>) -> bool {
    let mut part = [0; 4096];
    loop {
        match caller.read(&mut part) {
            Ok(0) => return false,
            Ok(n) => text.extend_from_slice(&part[..n]),
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
        if text.len() >= LONGEST {
            return true;
        }
    }
}
