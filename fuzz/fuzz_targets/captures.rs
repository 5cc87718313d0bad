//! Readers of captures and lists of packets: any bytes are read or refused, without a panic, whatever the format said.

#![no_main]

use backwater_sim::source::{SOURCES, Source};
use backwater_transport::part::Value::{Choice, Number};
use backwater_transport::part::{Args, File, Value};
use backwater_transport::random::Random;
use backwater_transport::units::Time;

/// Packets of a file that are looked at.
const PACKETS: usize = 200;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((first, content)) = data.split_first() else { return };
    let part = SOURCES.iter().find(|p| p.id == "replay").expect("a source");
    let words = ["auto", "pcap", "pcapng", "csv"];
    let format = words[usize::from(*first) % words.len()];
    let file = File { path: "t".into(), content: content.into() };
    let args = vec![
        ("file", Value::File(file)),
        ("format", Choice(format)),
        ("scale", Number(1.0)),
    ];
    let Ok(mut source) = (part.build)(&Args(args)) else { return };
    let mut random = Random::stream(1, "fuzz", "captures");
    let mut now = Time::ZERO;
    for _ in 0..PACKETS {
        let Some(demand) = source.next(now, &mut random) else { break };
        assert!(demand.at >= now && demand.bytes.0 > 0);
        now = demand.at;
    }
});
