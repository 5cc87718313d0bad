//! The code that all classes written in Python share: their seeds, their copies, and their faults. A fault of a class
//! ends its own run.

use std::fmt;
use std::sync::{Arc, Mutex};

use backwater_transport::random::Random;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;

use crate::watch;

create_exception!(
    _native,
    PartError,
    PyRuntimeError,
    "A part written in Python failed; `whose` and `place` say which, `__cause__` what it raised."
);

/// Whose class it is.
#[derive(Clone, Debug)]
pub struct Whose {
    /// For messages: "the controller of flow f1".
    pub said: Arc<str>,
    /// Where the scenario names it.
    pub place: Arc<str>,
}

impl Whose {
    /// The controller of a flow.
    pub fn controller(flow: &str) -> Whose {
        Whose {
            said: format!("the controller of flow {flow}").into(),
            place: format!("flows.{flow}.controller").into(),
        }
    }

    /// The detector of a mechanism.
    pub fn detector(mechanism: &str) -> Whose {
        Whose {
            said: format!("the detector of mechanism {mechanism}").into(),
            place: format!("mechanisms.{mechanism}.detect").into(),
        }
    }

    /// The stamp of a port or radio.
    pub fn stamp(place: &str) -> Whose {
        Whose {
            said: format!("the stamp of {place}").into(),
            place: format!("ports.{place}.stamp").into(),
        }
    }

    /// The queue management of a port or radio.
    pub fn queue(place: &str) -> Whose {
        Whose {
            said: format!("the queue management of {place}").into(),
            place: format!("ports.{place}.queue").into(),
        }
    }

    /// The responder of a mechanism.
    pub fn responder(mechanism: &str) -> Whose {
        Whose {
            said: format!("the responder of mechanism {mechanism}").into(),
            place: format!("mechanisms.{mechanism}.respond").into(),
        }
    }
}

/// The first fault of a run's classes: whose, and what was raised.
#[derive(Clone, Default)]
pub struct Fault(Arc<Mutex<Option<(Whose, PyErr)>>>);

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fault")
    }
}

impl Fault {
    /// Notes what a class raised, if nothing was before.
    pub fn note(&self, whose: &Whose, error: PyErr) {
        let mut slot = self.0.lock().expect("no holder panics");
        slot.get_or_insert_with(|| (whose.clone(), error));
    }

    /// Whether a class failed.
    pub fn any(&self) -> bool {
        self.0.lock().expect("no holder panics").is_some()
    }

    /// The fault as it is; from then on there is none.
    pub fn clear(&self) -> Option<(Whose, PyErr)> {
        self.0.lock().expect("no holder panics").take()
    }

    /// The fault as an exception.
    pub fn take(&self, py: Python<'_>) -> Option<PyErr> {
        let (whose, cause) = self.clear()?;
        if cause.is_instance_of::<PyKeyboardInterrupt>(py) {
            // A person stopped the run while the class was at work.
            return Some(cause);
        }
        let error = PartError::new_err(format!("{}: {cause}", whose.said));
        let told = error.value(py);
        let named = told
            .setattr("whose", whose.said.as_ref())
            .and_then(|()| told.setattr("place", whose.place.as_ref()));
        if let Err(other) = named {
            return Some(other);
        }
        error.set_cause(py, Some(cause));
        Some(error)
    }
}

/// An exception in one line, with its place.
pub fn said(py: Python<'_>, error: &PyErr) -> String {
    let said = py
        .import("backwater.model.python_class")
        .and_then(|script| script.call_method1("raised", (error.clone_ref(py).into_value(py),)))
        .and_then(|said| said.extract());
    said.unwrap_or_else(|_| error.to_string())
}

/// A deep copy of an object of the class; one that cannot be copied is a fault of the class.
pub fn copy(object: &Py<PyAny>, whose: &Whose, fault: &Fault) -> Py<PyAny> {
    Python::attach(|py| {
        let copied = watch::call(whose, || {
            py.import("copy")
                .and_then(|copy| copy.call_method1("deepcopy", (object.bind(py),)))
        });
        copied.map(Bound::unbind).unwrap_or_else(|error| {
            fault.note(whose, error);
            object.clone_ref(py)
        })
    })
}

/// A seed for the class's own generator of random numbers.
pub fn seed(mut random: Random) -> u64 {
    // Other readers of a number of 53 bits get it as it is.
    const MOST: u64 = (1 << 53) - 1;
    random.between(0, MOST)
}
