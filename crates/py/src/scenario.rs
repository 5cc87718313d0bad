//! Scenarios: read, overridden, resolved, run.

use std::path::PathBuf;
use std::sync::Arc;

use backwater_scenario as native;
use backwater_scenario::Folders;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::engine_id;
use crate::fault::Fault;
use crate::outcome::{Budget, Outcome, Stopped, timed_run};
use crate::script;

create_exception!(
    _native,
    ScenarioError,
    PyValueError,
    "A scenario that is refused; `diagnostic` is the JSON of the refusal."
);

create_exception!(
    _native,
    FaultError,
    ScenarioError,
    "A controller in a file did something wrong in a run; `diagnostic` is the JSON of what and where."
);

create_exception!(
    _native,
    BudgetError,
    PyRuntimeError,
    "A run cost more than it may."
);

/// The Python exception of a refusal.
pub fn refuse(diagnostic: &native::Diagnostic) -> PyErr {
    told(ScenarioError::new_err(diagnostic.to_string()), diagnostic)
}

/// The Python exception of a controller that did something wrong.
pub fn faulty(diagnostic: &native::Diagnostic) -> PyErr {
    told(FaultError::new_err(diagnostic.to_string()), diagnostic)
}

fn told(error: PyErr, diagnostic: &native::Diagnostic) -> PyErr {
    Python::attach(|py| {
        match error
            .value(py)
            .setattr("diagnostic", diagnostic.to_json().to_string())
        {
            Ok(()) => error,
            Err(other) => other,
        }
    })
}

/// The Python exception of a run that did not start or finish.
pub fn fail(failure: native::Failure) -> PyErr {
    match failure {
        native::Failure::Refused(diagnostic) => refuse(&diagnostic),
        native::Failure::Part(diagnostic) => faulty(&diagnostic),
        native::Failure::Io(path, error) => match error.raw_os_error() {
            Some(number) => PyOSError::new_err((number, error.to_string(), path)),
            None => PyOSError::new_err(format!("{path}: {error}")),
        },
    }
}

/// How a scenario came about, so that another process can make it again.
#[derive(Clone)]
struct Recipe {
    json: bool,
    text: Arc<str>,
    name: Arc<str>,
    folder: Option<PathBuf>,
    /// Path, value in JSON and origin of each override.
    sets: Vec<(String, String, String)>,
}

/// A scenario as written.
#[pyclass(module = "backwater._native")]
pub struct Scenario {
    read: native::Scenario,
    recipe: Recipe,
}

impl Scenario {
    fn read(json: bool, text: &str, name: &str, folder: Option<PathBuf>) -> PyResult<Scenario> {
        let recipe = Recipe {
            json,
            text: text.into(),
            name: name.into(),
            folder: folder.clone(),
            sets: Vec::new(),
        };
        let reader = match json {
            true => native::Scenario::from_json,
            false => native::Scenario::from_toml,
        };
        let read = reader(text, name, folders(folder)).map_err(|d| refuse(&d))?;
        Ok(Scenario { read, recipe })
    }
}

/// Where the files of a scenario or command are looked up.
pub fn folders(folder: Option<PathBuf>) -> Folders {
    Folders {
        scenario: folder,
        traces: std::env::var_os("BACKWATER_TRACES").map(PathBuf::from),
        ..Folders::default()
    }
}

#[pymethods]
impl Scenario {
    #[staticmethod]
    fn from_toml(text: &str, name: &str, folder: Option<PathBuf>) -> PyResult<Scenario> {
        Scenario::read(false, text, name, folder)
    }

    #[staticmethod]
    fn from_json(text: &str, name: &str, folder: Option<PathBuf>) -> PyResult<Scenario> {
        Scenario::read(true, text, name, folder)
    }

    fn set(&mut self, path: &str, value_json: &str, origin: &str) -> PyResult<()> {
        self.read
            .set_json(path, value_json, origin)
            .map_err(|d| refuse(&d))?;
        let set = (path.to_owned(), value_json.to_owned(), origin.to_owned());
        self.recipe.sets.push(set);
        Ok(())
    }

    /// The same scenario, which takes overrides of its own.
    fn copy(&self) -> Scenario {
        Scenario {
            read: self.read.clone(),
            recipe: self.recipe.clone(),
        }
    }

    /// Resolves it, and keeps the files that it names as they are now.
    fn resolve_once(&mut self, seed: Option<u64>) -> PyResult<Resolved> {
        Ok(Resolved {
            scenario: self.read.resolve_once(seed).map_err(|d| refuse(&d))?,
            recipe: self.recipe.clone(),
        })
    }

    fn resolve(&self, seed: Option<u64>) -> PyResult<Resolved> {
        Ok(Resolved {
            scenario: self.read.resolve(seed).map_err(|d| refuse(&d))?,
            recipe: self.recipe.clone(),
        })
    }
}

/// All that determines a run.
#[pyclass(module = "backwater._native", frozen)]
pub struct Resolved {
    pub scenario: native::Resolved,
    recipe: Recipe,
}

#[pymethods]
impl Resolved {
    #[getter]
    fn seed(&self) -> u64 {
        self.scenario.seed
    }

    #[getter]
    fn canonical(&self) -> &str {
        &self.scenario.canonical
    }

    #[getter]
    fn inputs(&self) -> Vec<(String, String)> {
        self.scenario
            .inputs
            .iter()
            .map(|i| (i.path.clone(), i.sha256.clone()))
            .collect()
    }

    /// Where it names parts that are classes of Python.
    #[getter]
    fn hosted(&self) -> Vec<String> {
        self.scenario.hosted().map(|part| part.path).collect()
    }

    /// How another process makes the scenario again, as JSON.
    #[getter]
    fn recipe(&self) -> String {
        let recipe = &self.recipe;
        json!({
            "json": recipe.json,
            "text": &*recipe.text,
            "name": &*recipe.name,
            "folder": recipe.folder,
            "sets": recipe.sets,
            "seed": self.scenario.seed,
            "key": self.key(),
        })
        .to_string()
    }

    fn key(&self) -> String {
        self.scenario.key(engine_id())
    }

    /// Refuses what cannot be built, without running it.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        script::world(py, &self.scenario, None, &Fault::default()).map(|_| ())
    }

    /// The ways of flows over radio hops, as JSON: rates, time for a packet, and who senses whom.
    fn ways(&self, py: Python<'_>) -> PyResult<String> {
        let world = script::world(py, &self.scenario, None, &Fault::default())?;
        Ok(self.scenario.ways(&world).to_string())
    }

    /// The bytes that may still come to the ports that mechanisms watch, and the warnings about them, as JSON.
    fn mechanisms(&self, py: Python<'_>) -> PyResult<String> {
        let world = script::world(py, &self.scenario, None, &Fault::default())?;
        Ok(self.scenario.mechanisms(&world).to_string())
    }

    /// The power in dBm at which stations hear each other, as JSON, by sender and by receiver.
    fn powers(&self, py: Python<'_>) -> PyResult<String> {
        let world = script::world(py, &self.scenario, None, &Fault::default())?;
        Ok(self.scenario.powers(&world).to_string())
    }

    #[pyo3(signature = (record, pcap, columns, controllers = None, logs = vec![], series = None, max_wall_s = None, max_memory_B = None, perfetto = None, qlog = None))]
    #[expect(clippy::too_many_arguments, reason = "as Python passes them")]
    fn run(
        &self,
        py: Python<'_>,
        record: Option<PathBuf>,
        pcap: Option<PathBuf>,
        columns: bool,
        controllers: Option<&Bound<'_, PyDict>>,
        logs: Vec<(String, PathBuf)>,
        series: Option<&str>,
        max_wall_s: Option<f64>,
        #[allow(non_snake_case, reason = "names end in their unit")] max_memory_B: Option<u64>,
        perfetto: Option<PathBuf>,
        qlog: Option<PathBuf>,
    ) -> PyResult<Outcome> {
        let budget = Budget {
            wall_s: max_wall_s,
            memory: max_memory_B,
        };
        let every = |s: &str| native::interval(&self.scenario, s).map_err(|d| refuse(&d));
        let keep = native::Keep {
            record: record.as_deref(),
            pcap: pcap.as_deref(),
            perfetto: perfetto.as_deref(),
            qlog: qlog.as_deref(),
            columns,
            logs: &logs,
            series: series.map(every).transpose()?,
        };
        let fault = Fault::default();
        let world = script::world(py, &self.scenario, controllers, &fault)?;
        let mut stop = Ok(());
        let finished = py.detach(|| {
            timed_run(
                native::Run::of(world, &self.scenario, keep)?,
                budget,
                || {
                    stop = Python::attach(|py| py.check_signals());
                    stop.is_ok() && !fault.any()
                },
            )
        });
        stop?;
        if let Some(error) = fault.take(py) {
            return Err(error);
        }
        match finished {
            Ok(finished) => Outcome::new(finished),
            Err(Stopped::Failed(failure)) => Err(fail(failure)),
            Err(Stopped::Budget(why)) => Err(BudgetError::new_err(why)),
            Err(Stopped::Asked) => unreachable!("a signal or a fault was raised above"),
        }
    }
}
