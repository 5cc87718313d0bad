//! Readers of trace files: any bytes are read or refused, without a panic.

#![no_main]

use backwater_sim::source::SOURCES;
use backwater_transport::part::Value::{Choice, Flag, Number};
use backwater_transport::part::{Args, File, Value};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let replay = vec![("format", Choice("auto")), ("scale", Number(1.0))];
    let video = vec![
        ("unit", Choice("B")),
        ("fps", Number(30.0)),
        ("repeat", Flag(true)),
        ("phase", Choice("random")),
    ];
    for (id, more) in [("replay", replay), ("video-trace", video)] {
        let file = File { path: "t".into(), content: data.into() };
        let args = [vec![("file", Value::File(file))], more].concat();
        let part = SOURCES.iter().find(|p| p.id == id).expect("a source");
        let _read_or_refused = (part.build)(&Args(args));
    }
});
