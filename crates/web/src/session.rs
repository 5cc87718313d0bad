//! One run of a page, from its request to its document.

use std::collections::BTreeMap;
use std::sync::Arc;

use backwater_scenario::{Columns, Diagnostic, Failure, Folders, Keep, Resolved, Run, Scenario};
use backwater_sim::packet;
use backwater_transport::units::Span;
use serde::Deserialize;
use serde_json::{Value, json};

/// The request of a page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    text: String,
    #[serde(default)]
    form: Form,
    #[serde(default = "unnamed")]
    name: String,
    seed: Option<u64>,
    #[serde(default)]
    set: Vec<(String, Value)>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    every: Option<String>,
    /// Whether events are recorded: they cost memory, and 33 B each.
    #[serde(default)]
    records: bool,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Form {
    #[default]
    Toml,
    Json,
}

fn unnamed() -> String {
    "scenario".to_owned()
}

/// A run under way.
pub struct Session {
    run: Run,
}

/// The events of one step, a column each.
#[derive(Default)]
pub struct Slice {
    columns: Columns,
    numbers: Vec<f64>,
    /// Bytes of each frame.
    frames: Vec<u32>,
}

impl Session {
    /// Builds the world of a request. The answer names ports, flows and the resolved scenario.
    pub fn open(request: &[u8]) -> Result<(Session, String), String> {
        let request: Input =
            serde_json::from_slice(request).map_err(|why| refusal(&why.to_string()))?;
        let (resolved, every) = resolve(&request)?;
        let keep = Keep {
            columns: request.records,
            series: every,
            ..Keep::default()
        };
        let run = Run::new(&resolved, keep).map_err(told)?;
        let names = run.names();
        let scenario: Value = serde_json::from_str(&resolved.canonical).unwrap_or_default();
        let answer = json!({
            "scenario": scenario,
            "seed": resolved.seed,
            "sha256": resolved.sha256(),
            "duration_s": resolved.duration().seconds(),
            "ports": names.places,
            "flows": names.flows,
        });
        Ok((Session { run }, answer.to_string()))
    }

    /// Serves about this many events; whether that was the end, and what was recorded.
    pub fn step(&mut self, events: u64) -> Result<(bool, Slice), String> {
        let done = self.run.step_some(events).map_err(told)?;
        Ok((done, Slice::of(self.run.take_columns())))
    }

    /// Simulated time reached: 65536 is the end.
    pub fn share(&self) -> u32 {
        let (now, end) = self.run.progress();
        (now.seconds() / end.seconds() * 65536.0) as u32
    }

    /// The series up to the present.
    pub fn series(&self) -> Option<String> {
        Some(self.run.series_so_far()?.to_string())
    }

    /// The document of the run.
    pub fn finish(self) -> Result<String, String> {
        let (document, ..) = self.run.finish().map_err(told)?;
        Ok(document.to_string())
    }
}

impl Slice {
    fn of(columns: Columns) -> Slice {
        // No run of a page reaches 2^53 packets of a flow.
        let numbers = columns.seq.iter().map(|seq| *seq as f64).collect();
        let frames = columns
            .size_b
            .iter()
            .map(|size| packet::frame(u64::from(*size)));
        let frames = frames
            .map(|frame| u32::try_from(frame).unwrap_or(u32::MAX))
            .collect();
        Slice {
            columns,
            numbers,
            frames,
        }
    }

    /// How many.
    pub fn rows(&self) -> u32 {
        u32::try_from(self.columns.time_s.len()).unwrap_or(u32::MAX)
    }

    /// Where a column lies.
    pub fn column(&self, number: u32) -> *const u8 {
        let columns = &self.columns;
        match number {
            0 => columns.time_s.as_ptr().cast(),
            1 => columns.what.as_ptr(),
            2 => columns.place.as_ptr().cast(),
            3 => columns.flow.as_ptr().cast(),
            4 => self.numbers.as_ptr().cast(),
            5 => columns.value.as_ptr().cast(),
            6 => self.frames.as_ptr().cast(),
            _ => std::ptr::null(),
        }
    }
}

/// The scenario of a request with its overrides, and the length of the intervals of its series.
fn resolve(request: &Input) -> Result<(Resolved, Option<Span>), String> {
    let contents = request
        .files
        .iter()
        .map(|(name, content)| (name.clone(), Arc::from(content.as_bytes())))
        .collect();
    let folders = Folders {
        contents,
        ..Folders::default()
    };
    let told = |d: Diagnostic| refusal(&d.to_string());
    let mut scenario = match request.form {
        Form::Toml => Scenario::from_toml(&request.text, &request.name, folders),
        Form::Json => Scenario::from_json(&request.text, &request.name, folders),
    }
    .map_err(told)?;
    for (path, value) in &request.set {
        scenario
            .set(path, value, &format!("the control of {path}"))
            .map_err(told)?;
    }
    let resolved = scenario.resolve(request.seed).map_err(told)?;
    let every = request.every.as_deref();
    let every = every.map(|written| backwater_scenario::interval(&resolved, written));
    Ok((resolved, every.transpose().map_err(told)?))
}

fn told(failure: Failure) -> String {
    match failure {
        Failure::Refused(diagnostic) | Failure::Part(diagnostic) => {
            refusal(&diagnostic.to_string())
        }
        Failure::Io(path, why) => refusal(&format!("{path}: {why}")),
    }
}

fn refusal(what: &str) -> String {
    json!({"message": what}).to_string()
}
