//! Traces and logs of trace links as documents: a generator fitted to a recording, a trace file made by a
//! generator, and what a log says.

use std::sync::Arc;

use backwater_sim::medium::trace::fit::{ESTIMATORS, Fit};
use backwater_sim::medium::trace::graph::Graph;
use backwater_sim::medium::trace::log::Log;
use backwater_sim::medium::trace::portrait::{Portrait, Recording};
use backwater_sim::medium::trace::{Fault as Flaw, TRACES, file};
use backwater_transport::part::{File, Value};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span};
use serde_json::{Map, Value as Json, json};

use crate::decode::parts;
use crate::diagnostic::{Diagnostic, Fault, Origin, Text};
use crate::files::{Files, Folders};
use crate::kinds::PartKind;
use crate::path;
use crate::shape::Shape;
use crate::tree::Node;
use crate::units;

/// More opportunities would be a file of hundreds of megabytes.
const MOST: usize = 20_000_000;

/// Fits the generator `kind` to a trace file.
///
/// # Errors
/// When the file or the names given are wrong; the error says the line.
pub fn fit(
    written: &str,
    kind: &str,
    opportunity: &str,
    folders: &Folders,
) -> Result<Json, Diagnostic> {
    let estimator = ESTIMATORS.iter().find(|e| e.id == kind).ok_or_else(|| {
        let what = format!("no estimator for a trace of kind `{kind}`");
        Fault::unknown(what, kind, ESTIMATORS.iter().map(|e| e.id)).at(&said("--kind"))
    })?;
    let opportunity = size(opportunity)?;
    let found = open(written, folders)?;
    let lines = file::read(&found.content).map_err(|flaw| {
        let fix = "write one millisecond on each line, in order, such as 0, 3, 3, 7";
        flawed(written, &flaw, fix)
    })?;
    let recording = Recording {
        stamps: lines.iter().map(|ms| u64::from(*ms)).collect(),
        length: lines.last().map_or(0, |ms| u64::from(*ms)),
        opportunity: opportunity.0,
    };
    let fit = estimator.fit(&recording).map_err(|why| {
        Fault::new(why, "name a trace of 20 to 100,000 s").at(&Origin::Set(written.into()))
    })?;
    let options = fit.options.0.iter();
    let options: Map<String, Json> = options
        .map(|(name, value)| ((*name).to_owned(), shown(value)))
        .collect();
    Ok(json!({
        "kind": fit.id,
        "warnings": fit.warning.iter().map(|why| format!("{written}: {why}")).collect::<Vec<_>>(),
        "options": options,
        "opportunity_B": opportunity.0,
        "recording": described(&fit.recording),
        "fitted": spread(&fit),
    }))
}

/// A trace file of mahimahi's format: what the generator that `toml` describes, `sets` applied, gives under
/// a seed in a time.
///
/// # Errors
/// When the description is wrong, or there would be no opportunity.
pub fn make(
    toml: &str,
    name: &str,
    sets: &[(String, Json)],
    request: &Request<'_>,
    folders: &Folders,
) -> Result<String, Diagnostic> {
    let text = Text {
        name: name.to_owned(),
        content: toml.to_owned(),
    };
    let mut root = Node::from_toml(&Arc::new(text))?;
    for (option, value) in sets {
        let origin = format!("--set {option}");
        path::set(
            &mut root,
            Shape::Part(PartKind::Trace),
            option,
            value,
            &origin,
        )?;
    }
    let duration = units::span(request.duration).map_err(|f| f.at(&said("--duration")))?;
    let opportunity = size(request.opportunity)?;
    let (trace, _) = parts::read(TRACES, "trace", &root, &mut Files::new(folders))?;
    let mut random = Random::stream(request.seed, "trace", "made");
    let made = Recording::of(trace, opportunity.0, duration, MOST + 1, &mut random);
    let refuse = |what: &str, fix: &str| Err(Fault::new(what, fix).at(&said("--duration")));
    if made.stamps.len() > MOST {
        return refuse(
            "the trace has more than 20,000,000 opportunities",
            "make it shorter, or write a larger --opportunity",
        );
    }
    match made.stamps.last() {
        None | Some(0) => refuse(
            "the generator gives no opportunity after the first millisecond",
            "make the trace longer, or its rate higher",
        ),
        Some(_) => Ok(file::write(made.stamps)),
    }
}

/// The request for a trace.
#[derive(Copy, Clone, Debug)]
pub struct Request<'a> {
    /// Seed of the generator.
    pub seed: u64,
    /// A time.
    pub duration: &'a str,
    /// Bytes of an opportunity.
    pub opportunity: &'a str,
}

/// The figures of a log of mahimahi.
///
/// # Errors
/// When the file is wrong; the error says the line.
pub fn log(written: &str, folders: &Folders) -> Result<Json, Diagnostic> {
    let found = open(written, folders)?;
    let fix = "name a log that mm-link or `backwater run --mahimahi-log` wrote";
    let flaw = |flaw: Flaw| flawed(written, &flaw, fix);
    let log = Log::parse(&found.content).map_err(flaw)?;
    let graph = Graph::of(&log).map_err(flaw)?;
    let seconds = |ms: Option<u64>| ms.map(|ms| ms as f64 / 1e3);
    Ok(json!({
        "header": log.header,
        "duration_s": graph.duration_s,
        "capacity_bps": graph.capacity_bps,
        "ingress_bps": graph.ingress_bps,
        "throughput_bps": graph.throughput_bps,
        "utilisation": graph.utilisation,
        "delay_p95_s": seconds(graph.delay_p95_ms),
        "signal_delay_p95_s": seconds(graph.signal_delay_p95_ms),
        "arrived_pkts": graph.arrived,
        "departed_pkts": graph.departed,
        "dropped_pkts": graph.dropped.saturating_add(graph.discarded),
        "dropped_leaving_pkts": graph.discarded,
    }))
}

fn said(option: &str) -> Origin {
    Origin::Set(option.into())
}

fn size(written: &str) -> Result<Bytes, Diagnostic> {
    let found = units::bytes(written).map_err(|f| f.at(&said("--opportunity")))?;
    if (1..=1_000_000).contains(&found.0) {
        return Ok(found);
    }
    let what = format!("an opportunity of {} B", found.0);
    Err(Fault::new(what, "write 1 B to 1 MB").at(&said("--opportunity")))
}

fn open(written: &str, folders: &Folders) -> Result<File, Diagnostic> {
    let origin = Origin::Set(written.into());
    Files::new(folders).open(written).map_err(|f| f.at(&origin))
}

/// A fault of a file's reader at its line.
fn flawed(written: &str, flaw: &Flaw, fix: &str) -> Diagnostic {
    let mut found = Fault::new(flaw.what(), fix).at(&Origin::Set(written.into()));
    found.line = flaw.line().and_then(|line| u32::try_from(line).ok());
    found
}

/// An option's value as a person would write it.
fn shown(value: &Value) -> Json {
    let with = |x: f64, unit: &str| {
        let digits = format!("{x:.6}");
        let digits = digits.trim_end_matches('0').trim_end_matches('.');
        json!(format!("{digits} {unit}"))
    };
    match value {
        Value::Rate(rate) if rate.0 >= 1_000_000 => with(rate.0 as f64 / 1e6, "Mbit/s"),
        Value::Rate(rate) => with(rate.0 as f64 / 1e3, "kbit/s"),
        Value::Span(Span(ps)) => with(*ps as f64 / 1e9, "ms"),
        Value::Share(share) => with(share * 100.0, "%"),
        Value::Number(x) => json!((x * 1e6).round() / 1e6),
        other => unreachable!("no estimator gives {other:?}"),
    }
}

/// A portrait as names and values.
fn rows(p: &Portrait) -> [(&'static str, Option<f64>); 10] {
    let [one, two, five] = p.autocorrelation;
    [
        ("mean_bps", Some(p.mean_bps)),
        ("cv_100ms", p.cv_100ms),
        ("cv_1s", p.cv_1s),
        ("autocorrelation_1s", one),
        ("autocorrelation_2s", two),
        ("autocorrelation_5s", five),
        ("dispersion_40ms", p.dispersion),
        ("outages", Some(p.outages as f64)),
        ("outage_share", Some(p.outage_share)),
        ("gap_max_s", Some(p.gap_max_s)),
    ]
}

fn described(p: &Portrait) -> Json {
    let mut all: Map<String, Json> = rows(p)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    all.insert("length_s".into(), json!(p.length_s));
    all.insert("opportunities".into(), json!(p.opportunities));
    all.insert("outage_from_s".into(), json!(p.outage_from_s));
    Json::Object(all)
}

/// Mean and standard deviation of each figure over the generator's runs.
fn spread(fit: &Fit) -> Json {
    let runs: Vec<_> = fit.runs.iter().map(rows).collect();
    let of = |index: usize| {
        let known: Vec<f64> = runs.iter().filter_map(|run| run[index].1).collect();
        let n = known.len() as f64;
        let mean = known.iter().sum::<f64>() / n;
        let square = known.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0);
        match known.len() {
            0 | 1 => json!({"mean": null, "deviation": null}),
            _ => json!({"mean": mean, "deviation": libm::sqrt(square)}),
        }
    };
    let names = runs[0].iter().enumerate();
    names
        .map(|(index, (name, _))| ((*name).to_owned(), of(index)))
        .collect::<Map<_, _>>()
        .into()
}

#[cfg(test)]
mod tests {
    use backwater_transport::part::Default;

    use super::*;

    fn here(name: &str, content: &[u8]) -> Folders {
        let folder = std::env::temp_dir().join(format!("backwater-traces-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), content).unwrap();
        Folders {
            scenario: Some(folder),
            ..Folders::default()
        }
    }

    const REQUEST: Request<'_> = Request {
        seed: 1,
        duration: "30 s",
        opportunity: "1500 B",
    };

    #[test]
    fn a_made_trace_can_be_fitted() {
        let text = "kind = \"constant\"\nrate = \"1 Mbit/s\"\n";
        let sets = [("rate".to_owned(), json!("6 Mbit/s"))];
        let made = make(text, "t.toml", &sets, &REQUEST, &Folders::default()).unwrap();
        // 500 opportunities of 1500 B a second, the first after 2 ms.
        assert_eq!(made.lines().count(), 15_000);
        assert_eq!(made.lines().next(), Some("2"));
        let folders = here("made", made.as_bytes());
        let found = fit("made", "constant", "1500 B", &folders).unwrap();
        assert_eq!(found["options"], json!({"rate": "6 Mbit/s"}));
        assert_eq!(found["recording"]["outages"], json!(0.0));
        assert_eq!(found["fitted"]["mean_bps"]["deviation"], json!(0.0));
    }

    /// The model that is taken where no recording is at hand is fitted to the downlink of the contest.
    #[test]
    fn the_defaults_of_the_model_are_those_of_a_recording() {
        const NAME: &str = "Verizon-LTE-short.down";
        let traces = std::env::var_os("BACKWATER_TRACES").map(std::path::PathBuf::from);
        if !traces
            .as_ref()
            .is_some_and(|folder| folder.join(NAME).is_file())
        {
            eprintln!("skipped: BACKWATER_TRACES names no folder with {NAME}");
            return;
        }
        let folders = Folders {
            traces,
            ..Folders::default()
        };
        let found = fit(NAME, "cox", "1504 B", &folders).unwrap();
        let part = TRACES.iter().find(|part| part.id == "cox").unwrap();
        for option in part.options {
            let Default::Is(default) = option.default else {
                panic!("{}", option.name)
            };
            match &found["options"][option.name] {
                Json::String(text) => assert_eq!(text, default, "{}", option.name),
                number => assert_eq!(number.as_f64(), default.parse().ok(), "{}", option.name),
            }
        }
    }

    #[test]
    fn every_flaw_of_a_file_has_its_line() {
        let long = [b"1\n".as_slice(), &vec![b'7'; 1 << 20], b"\n"].concat();
        for (name, content, line, what) in [
            ("empty", b"".as_slice(), None, "empty"),
            ("back", b"1\n9\n4\n", Some(3), "go back"),
            ("negative", b"1\n-4\n", Some(2), "negative"),
            ("text", b"1\n2\nthree\n", Some(3), "whole number"),
            ("long", &long, Some(2), "49 days"),
        ] {
            let found = fit(name, "cox", "1504 B", &here(name, content)).unwrap_err();
            assert!(found.what.contains(what), "{found}");
            assert_eq!((found.line, found.place.as_str()), (line, name));
            assert!(found.what.len() < 300 && !found.fix.is_empty());
        }
        let long = [b"1 # 1504\n".as_slice(), &vec![b'7'; 1 << 20], b"\n"].concat();
        for (name, content, line, what) in [
            ("empty.log", b"".as_slice(), None, "empty"),
            ("back.log", b"2 # 1504\n1 # 1504\n", Some(2), "go back"),
            ("negative.log", b"# x\n-1 # 1504\n", Some(2), "no line of"),
            ("text.log", b"1 # 1504\nhello\n", Some(2), "no line of"),
            ("long.log", &long, Some(2), "no line of"),
            ("late.log", b"1 + 9\n3 - 9 4\n", Some(2), "longer than"),
        ] {
            let found = log(name, &here(name, content)).unwrap_err();
            assert!(found.what.contains(what), "{found}");
            assert_eq!((found.line, found.place.as_str()), (line, name));
            assert!(found.what.len() < 300 && !found.fix.is_empty());
        }
    }

    #[test]
    fn what_was_asked_wrongly_is_refused() {
        let none = Folders::default();
        let found = fit("x", "periodic", "1504 B", &none).unwrap_err();
        assert!(found.what.contains("no estimator"), "{found}");
        let found = fit("x", "cox", "0 B", &none).unwrap_err();
        assert_eq!(found.place, "--opportunity");
        let slow = "kind = \"constant\"\nrate = \"1 kbit/s\"\n";
        let request = Request {
            duration: "1 s",
            ..REQUEST
        };
        let found = make(slow, "t.toml", &[], &request, &none).unwrap_err();
        assert!(found.what.contains("no opportunity"), "{found}");
        let found = make("kind = \"coxx\"\n", "t.toml", &[], &request, &none).unwrap_err();
        assert_eq!(
            (found.line, found.nearest.first().map(String::as_str)),
            (Some(1), Some("cox"))
        );
        let sets = [("peek".to_owned(), json!(3))];
        let found = make("kind = \"cox\"\n", "t.toml", &sets, &request, &none).unwrap_err();
        assert!(found.nearest.contains(&"peak".to_owned()), "{found}");
    }
}
