//! Controllers in files of WebAssembly in whole runs: New Reno has New Reno's fingerprint, worlds are copied in the middle
//! of a run, and a fault ends its own run.

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;

use backwater_scenario::{Failure, Folders, Keep, Resolved, Run, Scenario, Wanted};
use backwater_transport::units::Time;
use serde_json::Value;

/// `python/backwater/templates/controller.rs.txt`, built by the command in its head.
const NEW_RENO: &[u8] = include_bytes!("../../wasm/tests/newreno.wasm");
const TEMPLATE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../python/backwater/templates/controller.rs.txt"
);

/// Two flows on a bottleneck: the first as said, the second CUBIC's.
fn scenario(controller: &str, more: &str, port: &str, content: &[u8]) -> Scenario {
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "20 s"
topology = {{ kind = "dumbbell", pairs = 2, rate = "100 Mbit/s", delay = "1 ms", bottleneck = "10 Mbit/s", bottleneck_delay = "18 ms" }}
ports."L>R" = {{ {port} }}
flows.f = {{ from = "s1", to = "d1", transport = "tcp", controller = {controller}, {more} source = {{ kind = "bulk" }} }}
flows.g = {{ from = "s2", to = "d2", transport = "tcp", controller = {{ kind = "cubic" }}, start = "3 s", source = {{ kind = "bulk" }} }}
"#
    );
    let folders = Folders {
        contents: BTreeMap::from([("mine.wasm".to_owned(), Arc::from(content))]),
        ..Folders::default()
    };
    Scenario::from_toml(&text, "x.toml", folders).unwrap()
}

const FILE: &str = r#"{ kind = "wasm", file = "mine.wasm" }"#;
const NATIVE: &str = r#"{ kind = "newreno" }"#;

fn document(resolved: &Resolved) -> Value {
    let mut run = Run::new(resolved, Keep::default()).unwrap();
    while !run.step().unwrap() {}
    run.finish().unwrap().0
}

/// Losses, marks, timeouts (a buffer of two packets), losses that were none, and idle times.
const PATHS: [(&str, &str); 6] = [
    (r#"buffer = "50 packets""#, ""),
    (r#"buffer = "2 packets""#, ""),
    (r#"buffer = "50 packets""#, r#"recovery = "newreno","#),
    (
        r#"queue = { kind = "codel" }, buffer = "200 packets""#,
        r#"marks = "classic","#,
    ),
    (
        r#"buffer = "20 packets""#,
        r#"after_idle = "restart", rto_min = "200 ms","#,
    ),
    (
        r#"buffer = "20 packets""#,
        r#"initial_window = "60 packets", delayed_ack = "0 s","#,
    ),
];

#[test]
fn new_reno_in_wasm_has_new_renos_fingerprint() {
    for (port, more) in PATHS {
        for seed in [1, 2] {
            let of = |controller: &str| {
                let read = scenario(controller, more, port, NEW_RENO);
                document(&read.resolve(Some(seed)).unwrap())
            };
            let (wasm, native) = (of(FILE), of(NATIVE));
            assert_eq!(wasm["fingerprint"], native["fingerprint"], "{port} {more}");
            assert_eq!(wasm["flows"][0]["loss"], native["flows"][0]["loss"]);
        }
    }
}

/// The file that is kept is what the template makes.
#[test]
fn the_template_makes_new_reno() {
    let out = std::env::temp_dir().join(format!("backwater-template-{}.wasm", std::process::id()));
    let built = Command::new("rustc")
        .args("--edition 2024 --target wasm32-unknown-unknown --crate-type cdylib -O -C panic=abort -C strip=symbols -C link-arg=-zstack-size=16384 --crate-name newreno".split(' '))
        .arg(TEMPLATE)
        .arg("-o")
        .arg(&out)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr);
    if said.contains("target may not be installed") {
        eprintln!("not checked: the target wasm32-unknown-unknown is not installed");
        return;
    }
    assert!(built.status.success() && said.is_empty(), "{said}");
    let content = std::fs::read(&out).unwrap();
    std::fs::remove_file(&out).unwrap();
    let of = |content: &[u8]| {
        let (port, more) = PATHS[0];
        document(&scenario(FILE, more, port, content).resolve(None).unwrap())["fingerprint"].clone()
    };
    assert_eq!(of(&content), of(NEW_RENO));
}

/// A copy in the middle of a run ends as the run does, and leaves the first as it is.
#[test]
fn a_world_with_such_a_controller_is_copied() {
    let (port, more) = PATHS[0];
    let resolved = scenario(FILE, more, port, NEW_RENO).resolve(None).unwrap();
    let mut world = resolved.build().unwrap();
    let whole = document(&resolved)["fingerprint"].clone();
    world.advance(Time(10_000_000_000_000));
    let mut copies = [world.clone(), world.clone()];
    for copy in &mut copies {
        copy.advance(copy.end());
        copy.settle();
    }
    world.advance(world.end());
    for world in [&mut world].into_iter().chain(&mut copies) {
        assert_eq!(format!("{:016x}", world.fingerprint()), whole);
    }
}

/// New Reno whose acknowledgements trap from the instant at which 100 kB are delivered.
fn trapping() -> Vec<u8> {
    let text = "(module
        (memory (export \"memory\") 1)
        (func (export \"abi\") (result i32) i32.const 1)
        (func (export \"new\") (param i64 i64))
        (func (export \"buffer\") (result i32) i32.const 1024)
        (func (export \"traits\") (result i64) i64.const 0)
        (func (export \"on_ack\") (param i32)
            (if (i64.gt_u (i64.load offset=56 (local.get 0)) (i64.const 100000)) (then unreachable)))
        (func (export \"limits\") (param i32)
            (i64.store (local.get 0) (i64.const 0))
            (i64.store offset=8 (local.get 0) (i64.const 20000))))";
    wat::parse_str(text).unwrap()
}

#[test]
fn a_fault_ends_its_run_with_its_place() {
    let (port, more) = PATHS[0];
    let resolved = scenario(FILE, more, port, &trapping())
        .resolve(None)
        .unwrap();
    let mut run = Run::new(&resolved, Keep::default()).unwrap();
    let ended = loop {
        match run.step() {
            Ok(true) => panic!("a run to its end"),
            Ok(false) => {}
            Err(ended) => break ended,
        }
    };
    let Failure::Part(why) = ended else {
        panic!("{ended:?}");
    };
    let why = why.to_string();
    for word in [
        "flows.f.controller.file",
        "mine.wasm",
        "on_ack",
        "x.toml:6",
        "correct the controller",
    ] {
        assert!(why.contains(word), "{why}");
    }
    // The same scenario in a batch of trials: its own trial fails, and the next does not.
    let wanted = Wanted {
        figures: vec!["metrics.goodput_bps".to_owned()],
        looks: None,
    };
    assert!(
        resolved
            .trial(&[], &wanted)
            .unwrap_err()
            .to_string()
            .contains("mine.wasm")
    );
    let sound = scenario(FILE, more, port, NEW_RENO).resolve(None).unwrap();
    assert!(sound.trial(&[], &wanted).unwrap().figures[0] > 0.0);
}

#[test]
fn a_file_that_is_none_is_refused_where_it_is_named() {
    let why = scenario(FILE, "", r#"buffer = "50 packets""#, b"#!/bin/sh").resolve(None);
    let why = why.unwrap_err().to_string();
    assert!(
        why.contains("no WebAssembly module") && why.contains("x.toml:6"),
        "{why}"
    );
}
