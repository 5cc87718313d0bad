//! Every source over every transport and every medium, from the tables: each combination runs with its books in order, or is
//! refused with what is wrong, where, and what to write. Whatever a table gains is tried here the next time.

use std::fs;
use std::path::PathBuf;

use backwater_scenario::{Diagnostic, Folders, Scenario, schema};
use backwater_sim::medium::boxes::BOXES;
use backwater_sim::medium::trace::{EMULATORS, TRACES};
use backwater_sim::source::SOURCES;
use backwater_sim::world::World;
use backwater_transport::endpoint::Recovery;
use backwater_transport::part::{Default, Kind, Opt, Part};
use serde_json::Value;

/// Events of a run: enough for thousands of packets on a wire, and for hundreds over the air.
const EVENTS: u64 = 4_000;

/// A value that a person could write for a required option.
fn value(option: &Opt) -> String {
    match (option.kind, option.name) {
        (Kind::File, _) => unreachable!("files go by their part"),
        (Kind::Span, _) => r#""5 ms""#.into(),
        (Kind::Rate, "step") => r#""200 kbit/s""#.into(),
        (Kind::Rate, _) => r#""2 Mbit/s""#.into(),
        (Kind::Bytes, "burst") => r#""12 kB""#.into(),
        (Kind::Bytes, _) => r#""700 B""#.into(),
        (Kind::Packets, _) => r#""20 packets""#.into(),
        (Kind::Share, _) => r#""5 %""#.into(),
        (Kind::Count, _) => "3".into(),
        (Kind::Number, _) => "1.5".into(),
        (Kind::Flag, _) => "true".into(),
        (Kind::Choice(words), _) => format!("{:?}", words[0]),
        (Kind::Series, "at_ms" | "at_us") => "[0, 4, 9]".into(),
        (Kind::Series, "rate_bps") => "[2000000, 0, 3000000]".into(),
        (Kind::Series, _) => "[700, 600, 800]".into(),
        (other, name) => panic!("a value for {name}, {other:?}"),
    }
}

/// A file that an option of a part reads.
fn file(part: &str, option: &str) -> &'static str {
    match part {
        "cellreplay" if option == "light" => r#""link.trains""#,
        "cellreplay" => r#""link.trace""#,
        "replay" => r#""packets.csv""#,
        "video-trace" => r#""frames.txt""#,
        "file" => r#""link.trace""#,
        other => panic!("a file for {other}"),
    }
}

/// Options that a part needs although its row has a default for them.
fn further(part: &str) -> &'static str {
    match part {
        // Needed with the sizes that it has where they are not written.
        "request-response" => r#", size = "20 kB""#,
        // Web search has a transfer in seven seconds at this rate.
        "workload" => r#", sizes = "storage""#,
        // Delays or losses, of as many rows.
        "schedule" => ", delay_us = [0, 2000, 500]",
        _ => "",
    }
}

/// A part with what it needs.
fn written<B>(part: &Part<B>) -> String {
    let needed = part
        .options
        .iter()
        .filter(|o| o.default == Default::Required);
    let options = needed.map(|o| match o.kind {
        Kind::File => format!(", {} = {}", o.name, file(part.id, o.name)),
        _ => format!(", {} = {}", o.name, value(o)),
    });
    format!(
        r#"{{ kind = "{}"{}{} }}"#,
        part.id,
        options.collect::<String>(),
        further(part.id)
    )
}

/// The words of a choice of flows, as the schema has them; `one` tells them from those of another option of this name.
fn words(schema: &Value, name: &str, one: &str) -> Option<Vec<String>> {
    match schema {
        Value::Object(fields) => {
            let here = fields.get(name).and_then(|field| field["enum"].as_array());
            if let Some(words) = here.filter(|words| words.iter().any(|word| word == one)) {
                let word = |w: &Value| w.as_str().expect("a word").to_owned();
                return Some(words.iter().map(word).collect());
            }
            fields.values().find_map(|field| words(field, name, one))
        }
        Value::Array(items) => items.iter().find_map(|item| words(item, name, one)),
        _ => None,
    }
}

/// The texts of a flow's transport: each transport, TCP with each recovery and all marks that come back.
fn transports() -> Vec<String> {
    let schema = schema();
    let all = words(&schema, "transport", "tcp").expect("the schema has transports");
    let marks = words(&schema, "marks", "classic").expect("the schema has marks");
    let controller = r#", controller = { kind = "newreno" }, "#;
    let mut said = Vec::new();
    for name in all {
        match name.as_str() {
            "udp" => said.push(format!(r#"transport = "{name}", "#)),
            "tcp" => {
                let recoveries = Recovery::ALL.map(|r| format!(r#", recovery = "{}""#, r.0));
                let marks = marks.iter().map(|m| format!(r#", marks = "{m}""#));
                for more in recoveries.into_iter().chain(marks) {
                    said.push(format!(r#"transport = "{name}"{more}{controller}"#));
                }
            }
            _ => said.push(format!(r#"transport = "{name}"{controller}"#)),
        }
    }
    said
}

/// Two hosts, or two stations, and what is between them, by name.
fn media() -> Vec<(String, String)> {
    let hosts = "nodes.S = { kind = \"host\" }\nnodes.D = { kind = \"host\" }\n";
    let wire = |more: &str| {
        format!(
            r#"{hosts}links.a = {{ ends = ["S", "D"], rate = "10 Mbit/s", delay = "1 ms"{more} }}"#
        )
    };
    let mut all = vec![("wire".to_owned(), wire(""))];
    for part in BOXES {
        let boxes = format!(", boxes = [{}]", written(part));
        all.push((format!("wire, {}", part.id), wire(&boxes)));
    }
    let link = |trace: &str, emulator: &str, more: &str| {
        let direction = |from: &str, to: &str| {
            format!(
                r#"{{ from = "{from}", to = "{to}", kind = "trace", trace = {trace}, emulator = "{emulator}"{more} }}"#
            )
        };
        format!(
            "{hosts}links.down = {}\nlinks.up = {}\n",
            direction("S", "D"),
            direction("D", "S")
        )
    };
    for part in TRACES {
        for emulator in &EMULATORS {
            let name = format!("{} {}", part.id, emulator.name);
            all.push((name, link(&written(part), emulator.name, "")));
        }
    }
    let constant = TRACES.iter().find(|t| t.id == "constant").expect("a row");
    for part in BOXES {
        let boxes = format!(", boxes = [{}]", written(part));
        let name = format!("trace, {}", part.id);
        all.push((name, link(&written(constant), EMULATORS[0].name, &boxes)));
    }
    for access in ["dcf", "edca"] {
        for rts in ["off", "on"] {
            all.push((format!("802.11 {access} rts {rts}"), air(access, rts)));
        }
    }
    all
}

/// Stations S and D that need the relay between them.
fn air(access: &str, rts: &str) -> String {
    format!(
        r#"
routing = {{ kind = "airtime" }}
media.air = {{ phy = {{ standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }}, mac = {{ access = "{access}", rts = "{rts}" }}, channel = {{ model = "disc", transmit = "100 m", sense = "190 m" }} }}
nodes.S = {{ kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }}
nodes.R = {{ kind = "station", medium = "air", at = ["90 m", "0 m"], buffer = "30 packets" }}
nodes.D = {{ kind = "station", medium = "air", at = ["180 m", "0 m"], buffer = "30 packets" }}
"#
    )
}

/// A folder with the files that parts read.
fn folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("combinations");
    fs::create_dir_all(&folder).expect("a folder for files");
    let lines = |line: fn(u32) -> String| (1..400).map(line).collect::<String>();
    let packets = format!(
        "time_s,size_B\n{}",
        lines(|n| format!("{},700\n", f64::from(n) * 0.002))
    );
    for (name, content) in [
        ("packets.csv", packets),
        (
            "frames.txt",
            lines(|n| format!("{}\n", 500 + 37 * (n % 90))),
        ),
        ("link.trace", lines(|n| format!("{}\n", 3 * n))),
        ("link.trains", lines(|n| format!("{} 20 0 1 4\n", 100 * n))),
    ] {
        fs::write(folder.join(name), content).expect("a file");
    }
    folder
}

fn build(medium: &str, flow: &str, folders: &Folders) -> Result<World, Diagnostic> {
    let text = format!(
        "schema = \"backwater/scenario/1\"\nduration = \"1 s\"\n{medium}\nflows.f = {{ from = \"S\", to = \"D\", {flow} }}\n"
    );
    let scenario = Scenario::from_toml(text, "x.toml", folders.clone())?;
    scenario.resolve(None)?.build()
}

#[test]
fn every_source_runs_over_every_transport_and_medium_or_is_refused() {
    let folders = Folders {
        scenario: Some(folder()),
        ..Folders::default()
    };
    let (transports, media) = (transports(), media());
    let (mut ran, mut refused) = (0, Vec::new());
    for part in SOURCES {
        let mut sent = 0;
        for transport in &transports {
            for (name, medium) in &media {
                let flow = format!("{transport}source = {}", written(part));
                let what = format!("{name}: {flow}");
                let mut world = match build(medium, &flow, &folders) {
                    Ok(world) => world,
                    Err(refusal) => {
                        assert!(
                            refusal.line.is_some() && !refusal.fix.is_empty(),
                            "{what}: {refusal}"
                        );
                        assert!(refusal.what.contains("flows.f"), "{what}: {refusal}");
                        // A card pulls the packets of queue pairs for the port of one wire.
                        let pulled = ["roce", "irn"].iter().any(|id| transport.contains(id));
                        if !pulled || name == "wire" {
                            refused.push((part.id, transport.contains("udp"), name.clone()));
                        }
                        continue;
                    }
                };
                world.advance_some(EVENTS);
                let report = world.report();
                assert!(report.conserved, "{what}");
                sent += report.entered;
                ran += 1;
            }
        }
        // A source from outside waits for whoever drives the world, and a collective needs ranks.
        let silent = ["outside", "collective"].contains(&part.id);
        assert_eq!(sent > 0, !silent, "{}", part.id);
    }
    assert!(
        ran > refused.len(),
        "{ran} ran, {} were refused",
        refused.len()
    );
    // With a transport `saturated` and `outside` have no sense, without one `bulk` and what waits for an answer.
    let boxed = |name: &str| name.contains(", ") || name.starts_with("cellreplay");
    for (source, plain, medium) in &refused {
        let known = match *source {
            "saturated" => !plain || boxed(medium),
            "outside" => !plain,
            "bulk" | "request-response" | "collective" => true,
            _ => false,
        };
        assert!(known, "{source} is refused over {medium}");
    }
}
