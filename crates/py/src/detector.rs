//! A detector of congestion written in Python. It is asked `alarm` at every arrival in a class that is not congested, and
//! `relief` at every departure from one that is; a class with a method `sent` hears of every departure, at a station of
//! every MAC transmission. A fault of the class ends its own run: from then on nothing is congested.

use std::collections::BTreeMap;

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Seen, Signal};
use backwater_sim::mechanism::needs::Needs;
use backwater_sim::mechanism::place::{Holdings, View};
use backwater_transport::random::Random;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::fault::{self, Fault, Whose};
use crate::hosted::Hosted;

/// The arguments that a detector is made from.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct DetectorSetup {
    /// Name of the mechanism.
    mechanism: String,
    /// For a generator of random numbers: the run's seed and the mechanism's name determine it.
    seed: u64,
}

/// The packets of one class at the place that is watched.
#[pyclass(module = "backwater._native", frozen)]
pub struct LevelSeen {
    #[pyo3(get)]
    now_s: f64,
    #[pyo3(get)]
    traffic_class: usize,
    #[pyo3(get, name = "held_B")]
    held: u64,
    #[pyo3(get, name = "room_B")]
    room: u64,
    /// How long the frame has waited that is first in line.
    #[pyo3(get)]
    sojourn_s: f64,
    holdings: Option<Holdings>,
}

#[pymethods]
impl LevelSeen {
    /// Bytes of the node's own flows.
    #[getter(own_B)]
    fn own(&self) -> u64 {
        let held = self.holdings.as_ref();
        held.map_or(0, |h| h.own(self.traffic_class))
    }

    /// Bytes that came in to be forwarded.
    #[getter(forwarded_B)]
    fn forwarded(&self) -> u64 {
        let held = self.holdings.as_ref();
        held.map_or(0, |h| h.forwarded(self.traffic_class))
    }

    /// Bytes by the neighbour that they came from: the number of a station, or of the node's port.
    #[getter(by_previous_hop_B)]
    fn by_previous_hop(&self) -> BTreeMap<u32, u64> {
        let held = self.holdings.iter();
        held.flat_map(|h| h.by_previous(self.traffic_class))
            .collect()
    }

    /// Bytes by the neighbour that they go to.
    #[getter(by_next_hop_B)]
    fn by_next_hop(&self) -> BTreeMap<u32, u64> {
        let held = self.holdings.iter();
        held.flat_map(|h| h.by_next(self.traffic_class)).collect()
    }
}

/// A frame that has left.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct FrameSeen {
    /// Bytes: of the frame on a wire, of the IP packet over the air.
    #[pyo3(name = "size_B")]
    size: u64,
    /// The neighbour that it came from; `None` for the node's own.
    previous_hop: Option<u32>,
    /// The neighbour that it went to.
    next_hop: Option<u32>,
    /// How long it has been in the queue.
    sojourn_s: f64,
    /// Time on the medium, at a station with all exchanges that failed.
    airtime_s: f64,
    /// Transmissions that failed.
    retries: u32,
}

impl FrameSeen {
    fn of(seen: &Seen) -> FrameSeen {
        FrameSeen {
            size: seen.bytes,
            previous_hop: seen.prev,
            next_hop: seen.next,
            sojourn_s: seen.sojourn.seconds(),
            airtime_s: seen.airtime.seconds(),
            retries: seen.retries,
        }
    }
}

/// See the head of the file.
#[derive(Clone, Debug)]
struct Scripted {
    hosted: Hosted,
    needs: Needs,
    /// It has a method `sent`.
    observes_sent: bool,
}

/// Makes a mechanism's detector by calling `factory(setup)`; each place that is watched gets a deep copy.
///
/// # Errors
/// When the factory raises, or its object lacks a method.
pub fn make(
    py: Python<'_>,
    factory: &Bound<'_, PyAny>,
    mechanism: &str,
    needs: Needs,
    seed: u64,
    fault: &Fault,
) -> PyResult<AnyDetector> {
    let setup = DetectorSetup {
        mechanism: mechanism.to_owned(),
        seed: fault::seed(Random::stream(seed, "python detector", mechanism)),
    };
    let hosted = Hosted::new(factory, setup, Whose::detector(mechanism), fault)?;
    for method in ["alarm", "relief"] {
        if !hosted.has(py, method)? {
            return Err(PyTypeError::new_err(
                "a detector has methods alarm(self, level) and relief(self, level)",
            ));
        }
    }
    Ok(AnyDetector::Custom(Box::new(Scripted {
        observes_sent: hosted.has(py, "sent")?,
        hosted,
        needs,
    })))
}

impl Scripted {
    fn level(view: &View) -> LevelSeen {
        LevelSeen {
            now_s: view.now.seconds(),
            traffic_class: view.class,
            held: view.held,
            room: view.room,
            sojourn_s: view.sojourn.seconds(),
            holdings: view.holdings.cloned(),
        }
    }

    /// The answer of a method: true, false, or `None` where that is allowed.
    fn ask(&mut self, method: &str, view: &View, frame: Option<&Seen>) -> Option<bool> {
        let read = |answer: &Bound<'_, PyAny>| {
            if frame.is_some() && answer.is_none() {
                return Ok(None);
            }
            let Ok(answer) = answer.cast::<PyBool>() else {
                let or_none = if frame.is_some() { " or None" } else { "" };
                let what = format!(
                    "{method} returned {}, not True or False{or_none}",
                    answer.repr()?
                );
                return Err(PyTypeError::new_err(what));
            };
            Ok(Some(answer.is_true()))
        };
        let answer = self.hosted.call(
            method,
            |py| {
                let level = Py::new(py, Self::level(view))?;
                match frame {
                    None => (level,).into_pyobject(py),
                    Some(seen) => (level, Py::new(py, FrameSeen::of(seen))?).into_pyobject(py),
                }
            },
            read,
        );
        answer.flatten()
    }
}

impl Detector for Scripted {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(_) if !view.congested => {
                let alarm = self.ask("alarm", view, None).unwrap_or(false);
                alarm.then_some(Signal::Congested)
            }
            Moment::Sent(seen) | Moment::Lost(seen) => {
                let said = match (self.observes_sent, moment) {
                    (true, Moment::Sent(_)) => self.ask("sent", view, Some(seen)),
                    _ => None,
                };
                match said {
                    Some(true) => Some(Signal::Congested),
                    Some(false) => Some(Signal::Clear),
                    None if view.congested => {
                        let over = self.ask("relief", view, None).unwrap_or(true);
                        over.then_some(Signal::Clear)
                    }
                    None => None,
                }
            }
            Moment::Enqueued(_)
            | Moment::Refused(_)
            | Moment::Timer
            | Moment::Expiring
            | Moment::Overheard(_) => None,
        }
    }
}
