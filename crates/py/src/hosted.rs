//! An object of a class of Python at work in a run: whose it is, and what becomes of its faults.

use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::fault::{self, Fault, Whose};
use crate::watch;

/// The object. A copy is a deep one, and has a state of its own.
#[derive(Debug)]
pub struct Hosted {
    object: Py<PyAny>,
    whose: Whose,
    fault: Fault,
}

impl Hosted {
    /// The object that `factory(setup)` makes.
    ///
    /// # Errors
    /// When the factory raises.
    pub fn new<S: PyClass + Into<PyClassInitializer<S>>>(
        factory: &Bound<'_, PyAny>,
        setup: S,
        whose: Whose,
        fault: &Fault,
    ) -> PyResult<Hosted> {
        let object = factory.call1((Py::new(factory.py(), setup)?,))?;
        Ok(Hosted {
            object: object.unbind(),
            whose,
            fault: fault.clone(),
        })
    }

    /// Whether it has a method.
    pub fn has(&self, py: Python<'_>, method: &str) -> PyResult<bool> {
        self.object.bind(py).hasattr(method)
    }

    /// Calls a method with what it is told, and reads its answer; none where a class of the run has failed, now or before.
    pub fn call<T>(
        &self,
        method: &str,
        told: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyTuple>>,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        if self.fault.any() {
            return None;
        }
        let answer = Python::attach(|py| {
            let told = told(py)?;
            let answer = watch::call(&self.whose, || self.object.call_method1(py, method, told))?;
            read(answer.bind(py))
        });
        answer
            .map_err(|error| self.fault.note(&self.whose, error))
            .ok()
    }
}

impl Clone for Hosted {
    fn clone(&self) -> Hosted {
        Hosted {
            object: fault::copy(&self.object, &self.whose, &self.fault),
            whose: self.whose.clone(),
            fault: self.fault.clone(),
        }
    }
}
