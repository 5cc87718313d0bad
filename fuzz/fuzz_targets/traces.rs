//! Readers of trace files: any bytes are read or refused, without a panic.

#![no_main]

use backwater_sim::medium::trace::graph::Graph;
use backwater_sim::medium::trace::log::Log;
use backwater_sim::medium::trace::{TRACES, file};
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
    let file = File { path: "t".into(), content: data.into() };
    let part = TRACES.iter().find(|p| p.id == "file").expect("recorded traces");
    let _read_or_refused = (part.build)(&Args(vec![("file", Value::File(file))]));
    if let Ok(lines) = file::read(data) {
        let written = file::write(lines.iter().map(|ms| u64::from(*ms)));
        assert_eq!(file::read(written.as_bytes()).as_deref(), Ok(&*lines));
    }
    if let Ok(log) = Log::parse(data) {
        assert_eq!(log.write().as_bytes(), data);
        if let Ok(graph) = Graph::of(&log) {
            assert!(graph.duration_s > 0.0 && graph.throughput_bps >= 0.0);
        }
    }
});
