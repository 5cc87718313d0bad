//! `backwater._native`: the engine as Python sees it. No logic: texts in, documents out.

mod aqm;
mod arrays;
mod batch;
mod controller;
mod counts;
mod crew;
mod detector;
#[cfg(target_os = "linux")]
mod emulate;
mod fault;
#[cfg(target_os = "linux")]
mod flow;
mod hosted;
mod outcome;
mod pool;
mod rare;
mod responder;
mod scenario;
mod script;
mod stamp;
mod traces;
mod trial;
mod watch;
mod world;
mod worlds;

use std::sync::OnceLock;

use pyo3::prelude::*;

/// Version of the package.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Hash of the engine's sources at build time, and of the sources of parts that other crates added.
#[pyfunction]
fn engine_id() -> &'static str {
    static ID: OnceLock<String> = OnceLock::new();
    ID.get_or_init(|| backwater_scenario::engine_id(env!("BACKWATER_ENGINE")))
}

/// Whether this is the release of the engine. That of the tests checks more and takes longer for a run.
#[pyfunction]
fn optimised() -> bool {
    !cfg!(debug_assertions)
}

/// Rows of every table as JSON.
#[pyfunction]
fn parts() -> String {
    backwater_scenario::parts_json().to_string()
}

/// Units of quantities as JSON.
#[pyfunction]
fn units() -> String {
    backwater_scenario::units_json().to_string()
}

/// How to write what is no rate: "50 MB/s" is "400 Mbit/s".
#[pyfunction]
fn rate_advice(text: &str) -> Option<String> {
    backwater_scenario::rate_advice(text)
}

/// The detectors, notifiers and responders that work together on each medium, as JSON.
#[pyfunction]
fn legal() -> String {
    backwater_scenario::legal_json().to_string()
}

/// JSON schema of the scenario.
#[pyfunction]
fn schema() -> String {
    backwater_scenario::schema().to_string()
}

/// Whose each series over time is, and its name.
#[pyfunction]
fn series() -> Vec<(&'static str, &'static str)> {
    backwater_scenario::SERIES.to_vec()
}

#[pymodule]
fn _native(m: &Bound<'_, PyModule>) -> PyResult<()> {
    fill(m)
}

/// Puts all that Python sees of the engine into a module: into the one of this package, or into that of a crate which has
/// added parts before.
///
/// # Errors
/// When Python refuses a name.
pub fn fill(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(rare::rare, m)?)?;
    m.add_function(wrap_pyfunction!(version, m)?)?;
    m.add_function(wrap_pyfunction!(engine_id, m)?)?;
    m.add_function(wrap_pyfunction!(optimised, m)?)?;
    m.add_function(wrap_pyfunction!(parts, m)?)?;
    m.add_function(wrap_pyfunction!(units, m)?)?;
    m.add_function(wrap_pyfunction!(rate_advice, m)?)?;
    m.add_function(wrap_pyfunction!(legal, m)?)?;
    m.add_function(wrap_pyfunction!(schema, m)?)?;
    m.add_function(wrap_pyfunction!(series, m)?)?;
    m.add_function(wrap_pyfunction!(batch::stored, m)?)?;
    m.add_function(wrap_pyfunction!(batch::run_batch, m)?)?;
    m.add_function(wrap_pyfunction!(trial::hosted_trial, m)?)?;
    m.add_function(wrap_pyfunction!(trial::pack, m)?)?;
    m.add_function(wrap_pyfunction!(trial::unpack, m)?)?;
    m.add_function(wrap_pyfunction!(watch::limit_calls, m)?)?;
    m.add_function(wrap_pyfunction!(outcome::diff, m)?)?;
    #[cfg(target_os = "linux")]
    m.add_function(wrap_pyfunction!(emulate::emulate, m)?)?;
    #[cfg(target_os = "linux")]
    {
        m.add_function(wrap_pyfunction!(flow::flow_scenario, m)?)?;
        m.add_function(wrap_pyfunction!(flow::flow_listen, m)?)?;
        m.add_function(wrap_pyfunction!(flow::flow_send, m)?)?;
        m.add_function(wrap_pyfunction!(flow::probe_send, m)?)?;
        m.add_function(wrap_pyfunction!(flow::probe_receive, m)?)?;
    }
    fill_search(m)?;
    m.add_class::<world::World>()?;
    m.add_class::<world::Exit>()?;
    m.add_class::<worlds::Worlds>()?;
    m.add_function(wrap_pyfunction!(traces::trace_fit, m)?)?;
    m.add_function(wrap_pyfunction!(traces::trace_make, m)?)?;
    m.add_function(wrap_pyfunction!(traces::trace_log, m)?)?;
    m.add_class::<scenario::Scenario>()?;
    m.add_class::<scenario::Resolved>()?;
    m.add_class::<outcome::Outcome>()?;
    m.add_class::<batch::Stored>()?;
    m.add_class::<controller::ControllerSetup>()?;
    m.add_class::<detector::DetectorSetup>()?;
    m.add_class::<detector::LevelSeen>()?;
    m.add_class::<detector::FrameSeen>()?;
    m.add_class::<responder::ResponderSetup>()?;
    m.add_class::<responder::NoticeSeen>()?;
    m.add_class::<responder::KnobsSeen>()?;
    m.add_class::<aqm::AqmSetup>()?;
    m.add_class::<aqm::QueuedFrame>()?;
    m.add_class::<stamp::StampSetup>()?;
    m.add_class::<stamp::PacketSeen>()?;
    m.add_class::<controller::AckSeen>()?;
    m.add_class::<controller::RoundSeen>()?;
    m.add_class::<controller::CongestionSeen>()?;
    m.add_class::<controller::IdleSeen>()?;
    m.add_class::<controller::SentSeen>()?;
    m.add_class::<controller::TimerSeen>()?;
    m.add("PartError", m.py().get_type::<fault::PartError>())?;
    #[cfg(target_os = "linux")]
    m.add(
        "EmulationError",
        m.py().get_type::<emulate::EmulationError>(),
    )?;
    m.add("BudgetError", m.py().get_type::<scenario::BudgetError>())?;
    m.add("FaultError", m.py().get_type::<scenario::FaultError>())?;
    m.add(
        "ScenarioError",
        m.py().get_type::<scenario::ScenarioError>(),
    )?;
    Ok(())
}

/// What a search needs.
fn fill_search(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<counts::Counts>()?;
    m.add_class::<counts::Draws>()?;
    m.add_class::<counts::Instants>()?;
    m.add_class::<trial::Running>()?;
    m.add_class::<trial::Trials>()
}
