//! The outputs by which two builds are compared; `scripts/same.py` runs it in both. Each form prints lines for it to compare.
//!
//! * `same draw FIRST COUNT`: random scenarios of all tables, one a line, as JSON.
//! * `same worlds FILE FIRST`: for each line of the file fingerprint, events, and hashes of document and records.
//! * `same bench FILE EVENTS`: the same of a scenario in TOML after so many events.
//! * `same world FILE LINE` and `same record FILE EVENTS`: the records themselves, one a line, and the document.
//! * `same loop FILE EVENTS`: serves so many events, then as many again in `measured`, which a profiler can count.

#[path = "../tests/worlds/dice.rs"]
mod dice;
#[path = "../tests/worlds/generator.rs"]
mod generator;

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use backwater_scenario::{Diagnostic, Folders, Resolved, Scenario};
use backwater_sim::record::Record;
use backwater_sim::world::World;
use dice::Dice;
use generator::Tables;
use serde_json::{Value, json};

/// Events of a random world at most.
const EVENTS: u64 = 20_000;
/// Events between two looks at the records.
const STRIDE: u64 = 10_000;

/// FNV-1a, word by word.
struct Hash(u64);

impl Hash {
    fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, word: u64) {
        for half in [word & 0xffff_ffff, word >> 32] {
            self.0 = (self.0 ^ half).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn text(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.add(u64::from(byte)));
    }

    fn record(&mut self, r: &Record) {
        let numbers = [
            r.at.0,
            r.what as u64,
            u64::from(r.port.0),
            u64::from(r.flow.0),
            u64::from(r.seq),
            u64::from(r.to),
            u64::from(r.len),
            u64::from(r.traffic.class()) << 2 | r.traffic.ecn() as u64,
            r.value,
            r.gated,
        ];
        numbers.into_iter().for_each(|n| self.add(n));
        if let Some(notice) = &r.notice {
            self.text(&format!("{notice:?}"));
        }
        if let Some(header) = &r.header {
            self.text(&format!("{header:?}"));
        }
    }
}

/// Serves at most so many events, and shows the records in their order.
fn advance(world: &mut World, events: u64, show: &mut dyn FnMut(&Record)) {
    let mut left = events;
    loop {
        let done = world.advance_some(left.min(STRIDE));
        left -= left.min(STRIDE);
        if done || left == 0 {
            world.settle();
        }
        world.take_records().iter().for_each(&mut *show);
        if done || left == 0 {
            return;
        }
    }
}

/// The document of a world that was stopped; null where that was in its warm-up.
fn so_far(resolved: &Resolved, world: &mut World) -> Value {
    let report = world.report();
    json!(resolved.document_so_far(world, &report))
}

/// Fingerprint, events, and hashes of document and records. A run that is recorded has more events, which must not
/// change the fingerprint.
fn line(resolved: &Resolved, events: u64) -> Result<String, Diagnostic> {
    let mut world = resolved.build()?;
    advance(&mut world, events, &mut |_| {});
    let served = world.events();
    let document = so_far(resolved, &mut world);
    let mut hash = Hash::new();
    hash.text(&document.to_string());
    let mut recorded = resolved.build()?;
    recorded.start_recording();
    let (mut records, mut count) = (Hash::new(), 0u64);
    advance(&mut recorded, 2 * events, &mut |r| {
        records.record(r);
        count += 1;
    });
    let fingerprint = world.report().fingerprint;
    Ok(format!(
        "fingerprint={fingerprint:016x} events={served} document={:016x} records={:016x} count={count}",
        hash.0, records.0
    ))
}

fn from_json(text: &str) -> Result<Resolved, Diagnostic> {
    Scenario::from_json(text, "world.json", Folders::default())?.resolve(None)
}

fn from_toml(path: &str) -> Result<Resolved, Diagnostic> {
    let text = std::fs::read_to_string(path).expect("a file that can be read");
    let folders = Folders {
        scenario: Path::new(path).parent().map(Path::to_path_buf),
        ..Folders::default()
    };
    Scenario::from_toml(text, path, folders)?.resolve(None)
}

/// The text that a closure gives, or its error.
fn told(what: impl FnOnce() -> Result<String, Diagnostic>) -> String {
    match catch_unwind(AssertUnwindSafe(what)) {
        Ok(Ok(line)) => line,
        Ok(Err(refusal)) => {
            let mut hash = Hash::new();
            hash.text(&refusal.to_string());
            format!("refused={:016x}", hash.0)
        }
        Err(_) => "panic".into(),
    }
}

/// Every record and the document.
fn listed(resolved: &Resolved, events: u64) -> Result<String, Diagnostic> {
    let mut world = resolved.build()?;
    world.start_recording();
    let mut out = String::new();
    advance(&mut world, 2 * events, &mut |r| {
        writeln!(out, "{r:?}").expect("memory");
    });
    let mut plain = resolved.build()?;
    advance(&mut plain, events, &mut |_| {});
    let document = so_far(resolved, &mut plain);
    let pretty = serde_json::to_string_pretty(&document).expect("a document is JSON");
    Ok(format!("{out}{pretty}"))
}

/// The part of a run that a profiler counts.
#[inline(never)]
fn measured(world: &mut World, events: u64) -> bool {
    world.advance_some(events)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().expect("a number");
    match *args {
        ["draw", first, count] => {
            let tables = Tables::new();
            for seed in number(first)..number(first) + number(count) {
                println!("{}", tables.scenario(&mut Dice::of_seed(seed)));
            }
        }
        ["worlds", file, first] => {
            let text = std::fs::read_to_string(file).expect("a file that can be read");
            for (seed, world) in (number(first)..).zip(text.lines()) {
                println!("world {seed} {}", told(|| line(&from_json(world)?, EVENTS)));
            }
        }
        ["bench", file, events] => {
            let name = Path::new(file).file_stem().unwrap_or_default();
            let line = told(|| line(&from_toml(file)?, number(events)));
            println!("bench {} {line}", name.to_string_lossy());
        }
        ["world", file, at] => {
            let text = std::fs::read_to_string(file).expect("a file that can be read");
            let world = text.lines().nth(number(at) as usize).expect("a line");
            println!("{}", told(|| listed(&from_json(world)?, EVENTS)));
        }
        ["record", file, events] => {
            println!("{}", told(|| listed(&from_toml(file)?, number(events))));
        }
        ["loop", file, events] => {
            let resolved = from_toml(file).map_err(|d| d.to_string());
            let mut world = resolved
                .and_then(|r| r.build().map_err(|d| d.to_string()))
                .expect("a scenario that builds");
            world.advance_some(number(events));
            let before = (world.events(), world.packet_hops());
            measured(&mut world, number(events));
            let hops = world.packet_hops() - before.1;
            println!("events={} hops={hops}", world.events() - before.0);
        }
        _ => panic!("see the head of this example for its forms"),
    }
}
