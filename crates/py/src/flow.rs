//! `backwater flow` as Python calls it.

use backwater_emu::flow::setup::{self, FLOW};
use backwater_emu::flow::{Ending, listen, send};
use backwater_emu::probe::{self, Load};
use backwater_transport::units::Span;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value};

use crate::emulate::raise;
use crate::fault::Fault;
use crate::scenario::Resolved;
use crate::script;

fn fields(text: &str) -> PyResult<Map<String, Value>> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// The scenario of a flow with these fields, as JSON.
#[pyfunction]
pub fn flow_scenario(fields_json: &str, seed: u64) -> PyResult<String> {
    Ok(setup::scenario(&fields(fields_json)?, seed).to_string())
}

/// The signal that ended a flow.
fn signal(ending: Ending) -> Option<i32> {
    match ending {
        Ending::Signal(signal) => Some(signal),
        _ => None,
    }
}

/// Sends the flow of a scenario; its lines go to stdout. Gives the signal that ended it, if one did.
#[pyfunction]
#[pyo3(signature = (host, port, scenario, fields_json, total_B, duration_s, interval_s))]
#[expect(clippy::too_many_arguments, reason = "as Python passes them")]
pub fn flow_send(
    py: Python<'_>,
    host: String,
    port: u16,
    scenario: &Resolved,
    fields_json: &str,
    #[allow(non_snake_case, reason = "names end in their unit")] total_B: Option<u64>,
    duration_s: Option<f64>,
    interval_s: f64,
) -> PyResult<Option<i32>> {
    let resolved = &scenario.scenario;
    let transport = setup::ends(resolved).map_err(|fault| raise(py, fault))?;
    let fault = Fault::default();
    let wishes = send::Wishes {
        host,
        port,
        told: setup::told(&fields(fields_json)?),
        controller: script::controller(py, resolved, FLOW, &transport, &fault)?,
        setup: transport.sender,
        bytes: total_B,
        duration: duration_s.map(Span::from_seconds),
        interval: Span::from_seconds(interval_s),
    };
    let ended = py.detach(|| send::send(wishes, &|| fault.any()));
    if let Some(error) = fault.take(py) {
        return Err(error);
    }
    ended.map(signal).map_err(|fault| raise(py, fault))
}

/// Listens for flows; their lines go to stdout. Gives the signal that ended it, if one did.
#[pyfunction]
pub fn flow_listen(
    py: Python<'_>,
    address: String,
    port: u16,
    interval_s: f64,
    once: bool,
) -> PyResult<Option<i32>> {
    let wishes = listen::Wishes {
        address,
        port,
        interval: Span::from_seconds(interval_s),
        once,
    };
    let ended = py.detach(|| listen::listen(&wishes));
    ended.map(signal).map_err(|fault| raise(py, fault))
}

/// Sends the load of a benchmark; gives counts as JSON.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "as Python passes them")]
pub fn probe_send(
    py: Python<'_>,
    host: String,
    port: u16,
    packets: u64,
    rate_pps: f64,
    random_gaps: bool,
    size: usize,
) -> PyResult<String> {
    let load = Load {
        host,
        port,
        packets,
        rate_pps,
        random_gaps,
        size,
    };
    let sent = py.detach(|| probe::send(&load));
    sent.map(|v| v.to_string())
        .map_err(|fault| raise(py, fault))
}

/// Receives the load of a benchmark; gives delays as JSON.
#[pyfunction]
pub fn probe_receive(py: Python<'_>, port: u16, packets: u64, nominal_s: f64) -> PyResult<String> {
    let received = py.detach(|| probe::receive(port, packets, nominal_s));
    received
        .map(|v| v.to_string())
        .map_err(|fault| raise(py, fault))
}
