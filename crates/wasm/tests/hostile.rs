//! Files that break the interface: each is refused, or ends its own flow, with what happened and what to do.

use std::sync::Arc;

use backwater_transport::controller::{Ack, AnyController, Controller, Idle, Setup};
use backwater_transport::endpoint::Protocol;
use backwater_transport::part::{Args, File, Refusal, Value};
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};
use backwater_wasm::{BUFFER, FOREIGN, FUEL, LARGEST_FILE, PAGES};

const MSS: u64 = 1448;
const NEW_RENO: &[u8] = include_bytes!("newreno.wasm");

fn built(content: &[u8], seed: u64) -> Result<AnyController, Refusal> {
    let file = File {
        path: "mine.wasm".to_owned(),
        content: Arc::from(content),
    };
    let args = Args(vec![("file", Value::File(file))]);
    let setup = Setup {
        protocol: Protocol::Stream,
        mss: MSS,
        frame: 1538,
        initial: 10 * MSS,
        random: Random::stream(seed, "controller", "f"),
    };
    (FOREIGN[0].build)(&args, &setup)
}

/// A file of the text form, whose functions are those of `sound` but for the changed ones.
fn file(changes: &[(&str, &str)]) -> Vec<u8> {
    let mut functions = vec![
        ("memory", "(memory (export \"memory\") 1)"),
        ("abi", "(func (export \"abi\") (result i32) i32.const 1)"),
        ("new", "(func (export \"new\") (param i64 i64))"),
        (
            "buffer",
            "(func (export \"buffer\") (result i32) i32.const 1024)",
        ),
        (
            "traits",
            "(func (export \"traits\") (result i64) i64.const 0)",
        ),
        ("on_ack", "(func (export \"on_ack\") (param i32))"),
        ("limits", LIMITS),
    ];
    for (name, text) in changes {
        match functions.iter_mut().find(|(known, _)| known == name) {
            Some(one) => one.1 = text,
            None => functions.insert(0, (name, text)),
        }
    }
    let all: Vec<&str> = functions.iter().map(|(_, text)| *text).collect();
    wat::parse_str(format!("(module {})", all.join("\n"))).expect("a module in the text form")
}

/// A window of 20 kB.
const LIMITS: &str = "(func (export \"limits\") (param i32)
    (i64.store (local.get 0) (i64.const 0))
    (i64.store offset=8 (local.get 0) (i64.const 20000)))";

fn ack(now: Time) -> Ack<'static> {
    Ack {
        now,
        acked: MSS,
        advanced: MSS,
        acked_segments: 1,
        lost: 0,
        marked: 0,
        delivered: MSS,
        prior_in_flight: 10 * MSS,
        in_flight: 9 * MSS,
        rtt: Some(Span::millis(40)),
        srtt: Span::millis(40),
        min_rtt: Span::millis(40),
        one_way: None,
        rate: None,
        round: 1,
        round_start: true,
        cwnd_limited: true,
        recovering: false,
        sent: 10 * MSS,
        number: 0,
        feedback: None,
    }
}

/// The fault of a file when it is made or at its first acknowledgement.
fn fault(content: &[u8]) -> Refusal {
    match built(content, 1) {
        Err(refusal) => refusal,
        Ok(mut controller) => {
            controller.on_ack(&ack(Time::ZERO.after(Span::millis(40))));
            let limits = controller.limits();
            let found = controller.fault().cloned();
            let found = found.expect("a file that does nothing wrong");
            // One segment in flight until the run is told to stop.
            assert_eq!((limits.window, limits.wake), (MSS, Time::NEVER));
            found
        }
    }
}

/// Refused, or at fault, with these words; it names the file and says what to do.
#[track_caller]
fn says(content: &[u8], words: &[&str]) {
    let refusal = fault(content);
    for word in words {
        assert!(refusal.what.contains(word), "{refusal:?}: {word}");
    }
    assert!(refusal.what.contains("`mine.wasm`"), "{refusal:?}");
    assert!(
        !refusal.fix.is_empty() && refusal.option == "file",
        "{refusal:?}"
    );
}

fn says_of(changes: &[(&str, &str)], words: &[&str]) {
    says(&file(changes), words);
}

#[test]
fn a_sound_file_says_its_window() {
    let mut controller = built(&file(&[]), 1).unwrap();
    controller.on_ack(&ack(Time::ZERO));
    assert_eq!(controller.limits().window, 20_000);
    assert_eq!(controller.fault(), None);
}

#[test]
fn what_is_no_module_is_refused() {
    says(b"", &["no WebAssembly module"]);
    says(b"class Mine: pass", &["no WebAssembly module"]);
    says(b"\0asm\x01\0\0\0\x63", &["is refused"]);
    says(b"\0asm\x0d\0\x01\0", &["is refused"]);
    let text = fault(b"(module)");
    assert!(text.fix.contains("assemble"), "{text:?}");
    let mut large = file(&[]);
    // A custom section that fills it.
    large.extend([0, 0x80, 0x80, 0x04, 1, b'x']);
    large.extend(vec![0; LARGEST_FILE - 2]);
    says(&large, &["more than 65536"]);
}

#[test]
fn every_function_that_is_missing_is_named() {
    for name in ["abi", "new", "buffer", "traits", "on_ack", "limits"] {
        says_of(&[(name, "")], &["exports no function", name]);
    }
    says_of(&[("memory", "(memory 1)")], &["exports no memory"]);
}

#[test]
fn a_function_of_another_type_is_refused() {
    let wrong = "(func (export \"on_ack\") (param i64))";
    says_of(&[("on_ack", wrong)], &["`on_ack`", "(i32) -> ()"]);
    let wrong = "(global (export \"on_sent\") i32 (i32.const 0))";
    says_of(&[("on_sent", wrong)], &["`on_sent`", "(i32) -> ()"]);
    let wrong = "(func (export \"on_loss\") (param i32))";
    says_of(&[("on_loss", wrong)], &["`on_loss`", "nobody would call"]);
}

#[test]
fn only_random_numbers_are_imported() {
    for import in [
        "(import \"wasi_snapshot_preview1\" \"fd_write\" (func (param i32 i32 i32 i32) (result i32)))",
        "(import \"env\" \"time\" (func (result i64)))",
        "(import \"backwater\" \"random\" (global i64))",
    ] {
        says_of(&[("import", import)], &["imports `"]);
    }
    // The right name, but another type.
    let import = "(import \"backwater\" \"random\" (func (result i32)))";
    says_of(&[("import", import)], &["cannot be instantiated"]);
}

#[test]
fn another_version_and_a_buffer_outside_are_refused() {
    let two = "(func (export \"abi\") (result i32) i32.const 2)";
    says_of(&[("abi", two)], &["`abi` returned 2", "version 1"]);
    for (at, holds) in [
        (65_536 - BUFFER, true),
        (65_536 - BUFFER + 8, false),
        (4, false),
    ] {
        let buffer = format!("(func (export \"buffer\") (result i32) i32.const {at})");
        let content = file(&[("buffer", &buffer)]);
        match holds {
            true => assert_eq!(built(&content, 1).unwrap().fault(), None),
            false => says(&content, &["`buffer` returned"]),
        }
    }
    let buffer = "(func (export \"buffer\") (result i32) i32.const -8)";
    says_of(&[("buffer", buffer)], &["`buffer` returned"]);
    let traits = "(func (export \"traits\") (result i64) i64.const 6)";
    says_of(&[("traits", traits)], &["`traits` returned 0x6"]);
}

#[test]
fn traps_are_named_with_their_function() {
    let of = |body: &str| format!("(func (export \"on_ack\") (param i32) {body})");
    for (body, word) in [
        ("unreachable", "unreachable"),
        (
            "(drop (i32.div_u (i32.const 1) (i32.const 0)))",
            "divide by zero",
        ),
        ("(drop (i64.load (i32.const 65535)))", "out of bounds"),
        ("(call $deep)", "call stack exhausted"),
    ] {
        let deep = "(func $deep (call $deep))";
        let content = file(&[("on_ack", &of(body)), ("deep", deep)]);
        says(&content, &["`on_ack` trapped", word, "0.04"]);
    }
    let new = "(func (export \"new\") (param i64 i64) unreachable)";
    says_of(&[("new", new)], &["`new` trapped"]);
    let start = "(func $start unreachable) (start $start)";
    says_of(&[("start", start)], &["`start` trapped"]);
}

#[test]
fn a_loop_runs_out_of_fuel() {
    let of = |turns: u64| {
        format!(
            "(func (export \"on_ack\") (param i32) (local $i i64)
                (loop $again
                    (local.set $i (i64.add (local.get $i) (i64.const 1)))
                    (br_if $again (i64.lt_u (local.get $i) (i64.const {turns})))))"
        )
    };
    let endless = file(&[(
        "on_ack",
        "(func (export \"on_ack\") (param i32) (loop br 0))",
    )]);
    says(&endless, &["`on_ack`", "more than 50000 instructions"]);
    says_of(&[("on_ack", &of(FUEL))], &["instructions"]);
    // A turn has eight instructions, and each call begins anew.
    let mut controller = built(&file(&[("on_ack", &of(FUEL / 10))]), 1).unwrap();
    for _ in 0..20 {
        controller.on_ack(&ack(Time::ZERO));
    }
    assert_eq!(controller.fault(), None);
}

#[test]
fn memory_ends_at_its_bound() {
    let memory = "(memory (export \"memory\") 17)";
    says_of(&[("memory", memory)], &["1088 KiB, more than 1024 KiB"]);
    let grow = |pages: u64| {
        format!("(func (export \"on_ack\") (param i32) (drop (memory.grow (i32.const {pages}))))")
    };
    says_of(&[("on_ack", &grow(PAGES))], &["`on_ack`", "1024 KiB"]);
    let mut controller = built(&file(&[("on_ack", &grow(PAGES - 1))]), 1).unwrap();
    controller.on_ack(&ack(Time::ZERO));
    assert_eq!(controller.fault(), None);
    let two = "(memory (export \"memory\") 1) (memory 1)";
    says_of(&[("memory", two)], &["is refused"]);
    let outside = "(data (i32.const 65536) \"x\")";
    says_of(&[("data", outside)], &["cannot be instantiated"]);
}

#[test]
fn what_a_copy_would_not_copy_is_refused() {
    let table = "(table 1 funcref) (func $f) (elem declare func $f)
        (func (table.set (i32.const 0) (ref.func $f)))";
    says_of(&[("table", table)], &["changes a table"]);
    let global = "(global (mut funcref) (ref.null func))";
    says_of(&[("global", global)], &["is a reference"]);
    let vector = "(func (result v128) (v128.const i64x2 0 0))";
    says_of(&[("vector", vector)], &["is refused"]);
    let shared = "(memory (export \"memory\") 1 2 shared)";
    says_of(&[("memory", shared)], &["is refused"]);
}

#[test]
fn answers_without_a_meaning_are_faults() {
    let of = |at: u64, value: &str| {
        let mask = if at == 0 { value } else { "3" };
        format!(
            "(func (export \"limits\") (param i32)
                (i64.store (local.get 0) (i64.const {mask}))
                (i64.store offset={at} (local.get 0) (i64.const {value})))"
        )
    };
    says_of(
        &[("limits", &of(0, "8"))],
        &["`limits` answered wrongly", "0x8"],
    );
    says_of(&[("limits", &of(16, "0"))], &["0 bit/s"]);
    says_of(&[("limits", &of(0, "2"))], &["there is no `on_timer`"]);
}

/// An answer of the largest numbers is a window of a million segments, as for a class of Python.
#[test]
fn a_window_ends_at_its_bound_with_a_warning() {
    let limits = "(func (export \"limits\") (param i32)
        (i64.store (local.get 0) (i64.const 1))
        (i64.store offset=16 (local.get 0) (i64.const -1))
        (i64.store offset=8 (local.get 0) (i64.const -1)))";
    let controller = built(&file(&[("limits", limits)]), 1).unwrap();
    let found = controller.limits();
    assert_eq!(found.window, 1_000_000 * MSS);
    assert_eq!(found.pacing, Some(Rate(u64::MAX)));
    let warning = controller.warning().expect("a warning");
    assert!(warning.contains("18446744073709551615 B"), "{warning}");
}

/// A controller that counts in memory, in a global that it does not export, and in pages: its window is
/// 10,000 times the first, 1,000 times the second and the third, and a random number below 512.
const COUNTS: &str = "(module
    (import \"backwater\" \"random\" (func $random (result i64)))
    (memory (export \"memory\") 1)
    (global $n (mut i64) (i64.const 0))
    (func (export \"abi\") (result i32) i32.const 1)
    (func (export \"new\") (param i64 i64))
    (func (export \"buffer\") (result i32) i32.const 1024)
    (func (export \"traits\") (result i64) i64.const 0)
    (func (export \"on_ack\") (param i32)
        (i64.store (i32.const 40000) (i64.add (i64.load (i32.const 40000)) (i64.const 10000)))
        (global.set $n (i64.add (global.get $n) (i64.const 1000)))
        (drop (memory.grow (i32.const 1)))
        (i64.store (i32.const 48) (i64.and (call $random) (i64.const 511))))
    (func (export \"limits\") (param i32)
        (i64.store (local.get 0) (i64.const 0))
        (i64.store offset=8 (local.get 0)
            (i64.add (i64.load (i32.const 48))
                (i64.add (i64.load (i32.const 40000))
                    (i64.add (global.get $n)
                        (i64.mul (i64.extend_i32_u (memory.size)) (i64.const 1000))))))))";

/// A controller without its random numbers counts three of each kind after three calls, and one page from the beginning.
#[test]
fn a_copy_goes_on_from_the_same_state_and_apart() {
    let content = wat::parse_str(COUNTS).unwrap();
    let mut one = built(&content, 7).unwrap();
    for _ in 0..3 {
        one.on_ack(&ack(Time::ZERO));
    }
    assert_eq!(one.limits().window / 1000, 30 + 3 + 4);
    let mut other = one.clone();
    assert_eq!(one.limits(), other.limits());
    for _ in 0..5 {
        other.on_ack(&ack(Time::ZERO));
    }
    assert_eq!(one.limits().window / 1000, 37);
    assert_eq!(other.limits().window / 1000, 80 + 8 + 9);
    for _ in 0..5 {
        one.on_ack(&ack(Time::ZERO));
        assert_eq!(one.fault(), None);
    }
    assert_eq!(one.limits(), other.limits());
}

#[test]
fn random_numbers_are_those_of_the_flow() {
    let content = wat::parse_str(COUNTS).unwrap();
    let drawn = |seed: u64, rekeyed: bool| {
        let mut one = built(&content, seed).unwrap();
        if rekeyed {
            one.stream().expect("a file that draws").rekey(1);
        }
        one.on_ack(&ack(Time::ZERO));
        one.limits().window
    };
    let first = |seed: u64| {
        let mut random = Random::stream(seed, "controller", "f");
        10_000 + 1000 + 2000 + (random.between(0, u64::MAX) & 511)
    };
    assert_eq!([drawn(1, false), drawn(2, false)], [first(1), first(2)]);
    assert_ne!(drawn(1, true), drawn(1, false));
    assert!(built(&file(&[]), 1).unwrap().stream().is_none());
}

/// Every bit of a NaN is the same on all machines (the canonical NaN of the WebAssembly specification).
#[test]
fn the_bits_of_a_nan_are_canonical() {
    let limits = "(func (export \"limits\") (param i32)
        (i64.store (local.get 0) (i64.const 4))
        (i64.store offset=8 (local.get 0) (i64.const 20000))
        (f64.store offset=32 (local.get 0)
            (f64.sub (f64.const nan:0x4000000000000) (f64.const 1))))";
    let controller = built(&file(&[("limits", limits)]), 1).unwrap();
    assert_eq!(controller.inspect().ssthresh, Some(0x7ff8_0000_0000_0000));
}

/// A start function runs once, before the rest, and not again in a copy.
#[test]
fn a_start_function_runs_once() {
    let start = "(global $begun (mut i64) (i64.const 0))
        (func $start (global.set $begun (i64.add (global.get $begun) (i64.const 30000)))) (start $start)";
    let limits = "(func (export \"limits\") (param i32)
        (i64.store (local.get 0) (i64.const 0))
        (i64.store offset=8 (local.get 0) (global.get $begun)))";
    let one = built(&file(&[("start", start), ("limits", limits)]), 1).unwrap();
    let mut copy = one.clone();
    copy.on_idle(&Idle {
        now: Time::ZERO,
        window: 0,
        threshold: 0,
    });
    copy.on_ack(&ack(Time::ZERO));
    assert_eq!([one.limits().window, copy.limits().window], [30_000; 2]);
}

/// A sound file with some bytes changed is refused, fails, or goes on; nothing panics, and a copy of what goes on is like it.
#[test]
fn changed_bytes_are_refused_or_bounded() {
    let mut random = Random::stream(1, "test", "changed bytes");
    let sound = [
        file(&[]),
        wat::parse_str(COUNTS).unwrap(),
        NEW_RENO.to_vec(),
    ];
    let mut went_on = 0;
    for round in 0..3000 {
        let mut content = sound[round % sound.len()].clone();
        for _ in 0..random.between(1, 3) {
            let at = random.between(8, content.len() as u64 - 1) as usize;
            content[at] = random.between(0, 255) as u8;
        }
        let Ok(mut controller) = built(&content, 1) else {
            continue;
        };
        controller.on_ack(&ack(Time::ZERO));
        let mut copy = controller.clone();
        for one in [&mut controller, &mut copy] {
            one.on_ack(&ack(Time::ZERO));
            assert!(one.limits().window >= MSS, "round {round}");
        }
        assert_eq!(controller.limits(), copy.limits(), "round {round}");
        went_on += 1;
    }
    // Most bytes are those of names and code.
    assert!((10..3000).contains(&went_on), "{went_on}");
}
