//! `backwater emulate` as Python calls it.

use std::path::PathBuf;

use backwater_emu::Fault;
use backwater_emu::attach::{self, Attached};
use backwater_emu::certificate::Bounds;
use backwater_emu::shell::{self, Wishes};
use backwater_transport::units::Span;
use pyo3::create_exception;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::json;

use crate::scenario::{Resolved, ScenarioError, refuse};

/// The intervals of sums over time.
const EVERY: Span = Span::millis(100);

/// Those of a page that follows an emulation.
const LIVE: Span = Span::millis(500);

create_exception!(
    _native,
    EmulationError,
    PyRuntimeError,
    "What the system lacks for an emulation: the text, and in `fix` what helps."
);

/// Runs a command behind boxes, or commands at nodes of a scenario. Gives the exit code of the command, the document, and
/// each bound that does not hold.
#[pyfunction]
#[pyo3(signature = (words, scenario, attached, environment, traces, command_line, low_cpu, live, no_offload, late_p99_s, unmodelled_loss, record, pcap, pcap_model, series, control, live_page))]
#[expect(clippy::too_many_arguments, reason = "as Python passes them")]
pub fn emulate(
    py: Python<'_>,
    words: Vec<String>,
    scenario: Option<&Resolved>,
    attached: Vec<(String, Vec<String>)>,
    environment: Vec<(String, String)>,
    traces: Option<PathBuf>,
    command_line: String,
    low_cpu: Option<bool>,
    live: bool,
    no_offload: bool,
    late_p99_s: f64,
    unmodelled_loss: f64,
    record: Option<PathBuf>,
    pcap: Option<PathBuf>,
    pcap_model: Option<PathBuf>,
    series: bool,
    control: Option<PathBuf>,
    live_page: Option<String>,
) -> PyResult<(i32, String, Vec<String>)> {
    let wishes = Wishes {
        environment,
        traces,
        command_line,
        low_cpu,
        live,
        bounds: Bounds {
            late_p99_s,
            unmodelled_loss,
        },
        raw: false,
        no_offload,
        record,
        pcap,
        pcap_model,
        series: match (series, &live_page) {
            (true, _) => Some(EVERY),
            (false, Some(_)) => Some(LIVE),
            (false, None) => None,
        },
        control,
        live_page,
    };
    let attached: Vec<Attached> = attached
        .into_iter()
        .map(|(node, command)| Attached { node, command })
        .collect();
    let resolved = scenario.map(|s| &s.scenario);
    let ended = py.detach(|| match resolved {
        Some(resolved) => attach::scenario(resolved, &attached, &wishes),
        None => shell::boxes(&words, &wishes),
    });
    let ended = ended.map_err(|fault| raise(py, fault))?;
    Ok((ended.code, ended.document.to_string(), ended.broken))
}

/// The Python exception of a fault.
pub fn raise(py: Python<'_>, fault: Fault) -> PyErr {
    let text = fault.to_string();
    let (error, name, value) = match fault {
        Fault::Scenario(diagnostic) => return refuse(&diagnostic),
        Fault::Refused { what, place, fix } => {
            let diagnostic = json!({"what": what, "place": place, "fix": fix});
            let text = format!("error: {what}\n  --> {place}\n  fix: {fix}");
            let error = ScenarioError::new_err(text);
            (error, "diagnostic", diagnostic.to_string())
        }
        Fault::System { what, fix } => (EmulationError::new_err(what), "fix", fix),
    };
    match error.value(py).setattr(name, value) {
        Ok(()) => error,
        Err(_) => EmulationError::new_err(text),
    }
}
