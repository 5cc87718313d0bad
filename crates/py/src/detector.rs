//! A detector of congestion written in Python. It is asked at every arrival in a class that is not congested, and at
//! every departure from one that is. A fault of the class ends its own run: from then on nothing is congested.

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::{Detector, Level, Watch};
use backwater_transport::random::Random;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::fault::{self, Fault, Whose};

/// What a detector is made from.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct DetectorSetup {
    /// Name of the mechanism.
    mechanism: String,
    /// For a generator of random numbers: the run's seed and the mechanism's name determine it.
    seed: u64,
}

/// What one class holds at the place that is watched.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct LevelSeen {
    now_s: f64,
    traffic_class: usize,
    #[pyo3(name = "held_B")]
    held: u64,
    #[pyo3(name = "room_B")]
    room: u64,
}

/// See the head of the file.
#[derive(Debug)]
struct Scripted {
    object: Py<PyAny>,
    whose: Whose,
    fault: Fault,
    watch: Watch,
}

/// Makes a mechanism's detector by calling `factory(setup)`; each place that is watched gets a deep copy.
///
/// # Errors
/// What the factory raises, and what its object lacks.
pub fn make(
    py: Python<'_>,
    factory: &Bound<'_, PyAny>,
    mechanism: &str,
    watch: Watch,
    seed: u64,
    fault: &Fault,
) -> PyResult<AnyDetector> {
    let setup = DetectorSetup {
        mechanism: mechanism.to_owned(),
        seed: fault::seed(Random::stream(seed, "python detector", mechanism)),
    };
    let object = factory.call1((Py::new(py, setup)?,))?;
    for method in ["alarm", "relief"] {
        if !object.hasattr(method)? {
            return Err(PyTypeError::new_err(
                "a detector has methods alarm(self, level) and relief(self, level)",
            ));
        }
    }
    Ok(AnyDetector::Custom(Box::new(Scripted {
        object: object.unbind(),
        whose: Whose::detector(mechanism),
        fault: fault.clone(),
        watch,
    })))
}

impl Scripted {
    fn ask(&mut self, method: &str, level: &Level) -> Option<bool> {
        if self.fault.any() {
            return None;
        }
        let seen = LevelSeen {
            now_s: level.now.seconds(),
            traffic_class: level.class,
            held: level.held,
            room: level.room,
        };
        let answer = Python::attach(|py| {
            let answer = self
                .object
                .call_method1(py, method, (Py::new(py, seen)?,))?;
            let answer = answer.bind(py);
            let Ok(answer) = answer.cast::<PyBool>() else {
                let what = format!("{method} returned {}, not True or False", answer.repr()?);
                return Err(PyTypeError::new_err(what));
            };
            Ok(answer.is_true())
        });
        answer
            .map_err(|error| self.fault.note(&self.whose, error))
            .ok()
    }
}

impl Detector for Scripted {
    fn watch(&self) -> Watch {
        self.watch
    }

    fn alarm(&mut self, level: &Level) -> bool {
        self.ask("alarm", level).unwrap_or(false)
    }

    fn relief(&mut self, level: &Level) -> bool {
        self.ask("relief", level).unwrap_or(true)
    }
}

impl Clone for Scripted {
    fn clone(&self) -> Scripted {
        Scripted {
            object: fault::copy(&self.object, &self.whose, &self.fault),
            whose: self.whose.clone(),
            fault: self.fault.clone(),
            watch: self.watch,
        }
    }
}
