//! Batches of short runs of one scenario with small changes: numbers in, numbers out, no text.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use backwater_scenario::{Looks, Patch, Trial, Uneven, Wanted};
use backwater_transport::units::Span;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::fault::Fault;
use crate::scenario::{Resolved, refuse};
use crate::script;

/// How often the caller's thread looks for signals while it waits.
const LOOK: Duration = Duration::from_millis(50);

type Columns<'py> = (
    Bound<'py, PyArray1<f64>>,
    Vec<Bound<'py, PyArray1<f64>>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u64>>,
    Vec<(usize, String)>,
);

fn list(value: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    let array: PyReadonlyArray1<'_, u64> = value.extract()?;
    Ok(array.as_array().to_vec())
}

fn maybe(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u64>>> {
    if value.is_none() {
        return Ok(None);
    }
    list(value).map(Some)
}

/// A change of a scenario from its name and values.
pub fn patch(written: &Bound<'_, PyTuple>) -> PyResult<Patch> {
    let what: String = written.get_item(0)?.extract()?;
    let item = |i: usize| written.get_item(i);
    Ok(match what.as_str() {
        "seed" => Patch::Seed(item(1)?.extract()?),
        "duration" => Patch::Duration(Span(item(1)?.extract()?)),
        "opportunities" => Patch::Opportunities(item(1)?.extract()?, list(&item(2)?)?),
        "schedule" => {
            let (delay, loss) = (maybe(&item(3)?)?, maybe(&item(4)?)?);
            Patch::Schedule(item(1)?.extract()?, list(&item(2)?)?, delay, loss)
        }
        "packets" => Patch::Packets(item(1)?.extract()?, list(&item(2)?)?, list(&item(3)?)?),
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

/// Runs a scenario once for each list of changes, on `workers` threads. Gives the figures of all runs one after the other,
/// the looks of each, fingerprints, events, and the runs that failed with the reason.
#[pyfunction]
#[pyo3(signature = (resolved, patches, figures, workers, looks = None))]
pub fn trials<'py>(
    py: Python<'py>,
    resolved: Vec<Py<Resolved>>,
    patches: Vec<Vec<Bound<'py, PyTuple>>>,
    figures: Vec<String>,
    workers: usize,
    looks: Option<(u64, Vec<String>)>,
) -> PyResult<Columns<'py>> {
    if resolved.len() != patches.len() {
        return Err(PyValueError::new_err("a scenario for each list of changes"));
    }
    let read = |list: &Vec<Bound<'py, PyTuple>>| list.iter().map(patch).collect();
    let patches = patches
        .iter()
        .map(read)
        .collect::<PyResult<Vec<Vec<Patch>>>>()?;
    let wanted = wanted(figures, looks);
    let scenarios: Vec<_> = resolved.iter().map(|one| &one.get().scenario).collect();
    let run = |index: usize| scenarios[index].trial(&patches[index], &wanted);
    let found = py.detach(|| all(patches.len(), workers, run))?;
    let count = wanted.figures.len();
    let (mut figures, mut looks, mut failed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut fingerprints, mut events) = (Vec::new(), Vec::new());
    for (index, finding) in found.into_iter().enumerate() {
        let trial = finding.unwrap_or_else(|why| {
            failed.push((index, why.to_string()));
            Trial {
                figures: vec![f64::NAN; count],
                ..Trial::default()
            }
        });
        figures.extend(trial.figures);
        looks.push(trial.looks.into_pyarray(py));
        fingerprints.push(trial.fingerprint);
        events.push(trial.events);
    }
    Ok((
        figures.into_pyarray(py),
        looks,
        fingerprints.into_pyarray(py),
        events.into_pyarray(py),
        failed,
    ))
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

/// The findings of `count` runs in their order, however many threads there are.
pub fn all<Found: Send>(
    count: usize,
    workers: usize,
    run: impl Fn(usize) -> Found + Sync,
) -> PyResult<Vec<Found>> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel::<(usize, Found)>();
    let mut found: Vec<Option<Found>> = (0..count).map(|_| None).collect();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, count.max(1)) {
            let (sender, next, stop, run) = (sender.clone(), &next, &stop, &run);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count || sender.send((index, run(index))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(LOOK) {
                Ok((index, finding)) => found[index] = Some(finding),
                Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    let signal = Python::attach(|py| py.check_signals());
                    if signal.is_err() {
                        stop.store(true, Ordering::Relaxed);
                        return signal;
                    }
                }
            }
        }
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// `count` things over `places`, not quite evenly. `draw` gives uniform numbers on [0, 1); a half gets at most the share `most`
/// more or less than 1/2, and `least` places or fewer are not halved.
#[pyfunction]
pub fn spread<'py>(
    py: Python<'py>,
    count: u64,
    places: usize,
    most: f64,
    least: usize,
    draw: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let mut drawn = || draw.call0()?.extract::<f64>();
    let uneven = Uneven { most, least };
    let found = backwater_scenario::spread(count, places, uneven, &mut drawn)?;
    Ok(found.into_pyarray(py))
}

/// A list of whole numbers as the text in which scenarios keep it.
#[pyfunction]
pub fn pack(values: PyReadonlyArray1<'_, u64>) -> String {
    backwater_scenario::pack(&values.as_array().to_vec())
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
