//! Batches of short runs of one scenario with small changes: numbers in, numbers out, no text.

use backwater_scenario::{Diagnostic, Instants, Looks, Patch, Trial, Wanted};
use backwater_transport::units::Span;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::arrays::listed;
use crate::counts;
use crate::crew::{Batch, Crew};
use crate::fault::Fault;
use crate::scenario::{Resolved, refuse};
use crate::script;

/// Figures, looks, fingerprints and events of all runs, and the runs that failed with the reason.
type Columns<'py> = (
    Vec<Vec<f64>>,
    Vec<Bound<'py, PyArray1<f64>>>,
    Vec<u64>,
    Vec<u64>,
    Vec<(usize, String)>,
);

fn list(value: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    if let Ok(short) = value.cast::<PyList>() {
        return short.extract();
    }
    let array: PyReadonlyArray1<'_, u64> = value.extract()?;
    listed(&array)
}

fn maybe(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u64>>> {
    if value.is_none() {
        return Ok(None);
    }
    list(value).map(Some)
}

fn instants(value: &Bound<'_, PyAny>) -> PyResult<Instants> {
    match value.cast::<counts::Instants>() {
        Ok(short) => Ok(short.get().0.clone()),
        Err(_) => list(value).map(Instants::Listed),
    }
}

/// A change of a scenario from its name and values.
pub fn patch(written: &Bound<'_, PyTuple>) -> PyResult<Patch> {
    let what: String = written.get_item(0)?.extract()?;
    let item = |i: usize| written.get_item(i);
    Ok(match what.as_str() {
        "seed" => Patch::Seed(item(1)?.extract()?),
        "duration" => Patch::Duration(Span(item(1)?.extract()?)),
        "opportunities" => Patch::Opportunities(item(1)?.extract()?, instants(&item(2)?)?),
        "schedule" => {
            let (delay, loss) = (maybe(&item(3)?)?, maybe(&item(4)?)?);
            Patch::Schedule(item(1)?.extract()?, list(&item(2)?)?, delay, loss)
        }
        "packets" => Patch::Packets(item(1)?.extract()?, instants(&item(2)?)?, list(&item(3)?)?),
        "buffer" => Patch::Buffer(item(1)?.extract()?, item(2)?.extract()?),
        "rate" => Patch::Rate(item(1)?.extract()?, item(2)?.extract()?),
        "delay" => Patch::Delay(item(1)?.extract()?, Span(item(2)?.extract()?)),
        "rates" => Patch::Rates(item(1)?.extract()?, list(&item(2)?)?, list(&item(3)?)?),
        _ => {
            let known =
                "seed, duration, opportunities, schedule, packets, buffer, rate, delay or rates";
            return Err(PyValueError::new_err(format!(
                "{what:?} is no change; name {known}"
            )));
        }
    })
}

/// Figures, and how often flows are looked at: picoseconds and names.
fn wanted(figures: Vec<String>, looks: Option<(u64, Vec<String>)>) -> Wanted {
    let looks = looks.filter(|(every, _)| *every > 0);
    let looks = looks.map(|(every, flows)| Looks {
        every: Span(every),
        flows,
    });
    Wanted { figures, looks }
}

/// Threads that run scenarios with changes.
#[pyclass(module = "backwater._native", frozen)]
pub struct Trials(Crew);

/// Runs that have begun.
#[pyclass(module = "backwater._native", frozen)]
pub struct Running {
    batch: Batch<Result<Trial, Diagnostic>>,
    figures: usize,
}

#[pymethods]
impl Trials {
    #[new]
    fn new(workers: usize) -> Trials {
        Trials(Crew::new(workers))
    }

    /// Runs a scenario once for each list of changes, behind what was begun before.
    #[pyo3(signature = (resolved, patches, figures, looks = None))]
    fn begin(
        &self,
        resolved: Vec<Py<Resolved>>,
        patches: Vec<Vec<Bound<'_, PyTuple>>>,
        figures: Vec<String>,
        looks: Option<(u64, Vec<String>)>,
    ) -> PyResult<Running> {
        if resolved.len() != patches.len() {
            return Err(PyValueError::new_err("a scenario for each list of changes"));
        }
        let read = |list: &Vec<Bound<'_, PyTuple>>| list.iter().map(patch).collect();
        let patches = patches
            .iter()
            .map(read)
            .collect::<PyResult<Vec<Vec<Patch>>>>()?;
        let wanted = wanted(figures, looks);
        let (count, figures) = (patches.len(), wanted.figures.len());
        let run = move |index: usize| {
            let scenario = &resolved[index].get().scenario;
            scenario.trial(&patches[index], &wanted)
        };
        let batch = self.0.begin(count, run);
        Ok(Running { batch, figures })
    }
}

#[pymethods]
impl Running {
    /// What the runs gave, when all have ended; once.
    fn found<'py>(&self, py: Python<'py>) -> PyResult<Columns<'py>> {
        let found = py.detach(|| self.batch.wait())?;
        let (mut figures, mut looks, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        let (mut fingerprints, mut events) = (Vec::new(), Vec::new());
        for (index, finding) in found.into_iter().enumerate() {
            let trial = finding.unwrap_or_else(|why| {
                failed.push((index, why.to_string()));
                Trial {
                    figures: vec![f64::NAN; self.figures],
                    ..Trial::default()
                }
            });
            figures.push(trial.figures);
            looks.push(trial.looks.into_pyarray(py));
            fingerprints.push(trial.fingerprint);
            events.push(trial.events);
        }
        Ok((figures, looks, fingerprints, events, failed))
    }
}

/// Runs a scenario that may name classes of Python once, in this thread. Gives its figures, looks and fingerprint.
#[pyfunction]
#[pyo3(signature = (resolved, figures, looks = None))]
pub fn hosted_trial(
    py: Python<'_>,
    resolved: &Resolved,
    figures: Vec<String>,
    looks: Option<(u64, Vec<String>)>,
) -> PyResult<(Vec<f64>, Vec<f64>, u64)> {
    let (scenario, fault) = (&resolved.scenario, Fault::default());
    let wanted = wanted(figures, looks);
    let world = script::world(py, scenario, None, &fault)?;
    let found = py.detach(|| scenario.trial_in(world, &wanted));
    if let Some(error) = fault.take(py) {
        return Err(error);
    }
    let trial = found.map_err(|d| refuse(&d))?;
    Ok((trial.figures, trial.looks, trial.fingerprint))
}

/// A list of whole numbers as the text in which scenarios keep it.
#[pyfunction]
pub fn pack(values: PyReadonlyArray1<'_, u64>) -> PyResult<String> {
    Ok(backwater_scenario::pack(listed(&values)?))
}

/// The list of such a text.
#[pyfunction]
pub fn unpack<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let list = backwater_scenario::unpacked(text).map_err(|d| refuse(&d))?;
    Ok(list.into_pyarray(py))
}

/// Counters and gauges of a world as a table.
pub fn probe<'py>(
    py: Python<'py>,
    found: &backwater_scenario::Probe,
) -> PyResult<Bound<'py, PyDict>> {
    let rows = |rows: &[(String, Vec<(&'static str, f64)>)]| -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (name, values) in rows {
            let row = PyDict::new(py);
            for (key, value) in values {
                row.set_item(*key, *value)?;
            }
            all.set_item(name, row)?;
        }
        Ok(all)
    };
    let drops = PyDict::new(py);
    for (cause, count) in &found.drops {
        drops.set_item(*cause, *count)?;
    }
    let all = PyDict::new(py);
    all.set_item("at_ps", found.at.0)?;
    all.set_item("flows", rows(&found.flows)?)?;
    all.set_item("ports", rows(&found.ports)?)?;
    all.set_item("stations", rows(&found.stations)?)?;
    all.set_item("drops_pkts", drops)?;
    Ok(all)
}
