//! Queue management written in Python. `push` is called for each frame that is about to join and `pop` for each that is about to
//! leave; they return `None`, `"mark"` or `"drop"`. A class may also have `refused` (a frame found no room), `idle` (an arrival finds
//! that nothing waits and nothing is sent) and `line_rate`. A fault of the class ends its own run: from then on every frame passes.

use backwater_sim::queue::AnyAqm;
use backwater_sim::queue::aqm::{Aqm, Frame, Verdict};
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Time};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::fault::{self, Fault, Whose};
use crate::hosted::Hosted;

/// The arguments that queue management is made from.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct AqmSetup {
    /// Name of the port or radio.
    place: String,
    /// For a generator of random numbers: the run's seed and the place determine it.
    seed: u64,
}

/// A frame that joins a queue, leaves it, or finds no room.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct QueuedFrame {
    now_s: f64,
    #[pyo3(name = "size_B")]
    size: u64,
    /// Number of its class queue.
    queue: usize,
    /// Whether its transport takes marks.
    takes_marks: bool,
    /// How long it has waited.
    sojourn_s: f64,
    /// Bytes that wait in its queue besides it.
    #[pyo3(name = "waiting_B")]
    waiting: u64,
    /// Frames that wait in its queue besides it.
    waiting_pkts: u64,
}

impl QueuedFrame {
    fn of(frame: &Frame) -> QueuedFrame {
        QueuedFrame {
            now_s: frame.now.seconds(),
            size: frame.size,
            queue: frame.queue,
            takes_marks: frame.ecn != Ecn::NotEct,
            sojourn_s: frame.sojourn.seconds(),
            waiting: frame.bytes,
            waiting_pkts: frame.packets,
        }
    }
}

/// Which methods the class has.
#[derive(Copy, Clone, Debug)]
struct Methods {
    push: bool,
    pop: bool,
    refused: bool,
    idle: bool,
    line_rate: bool,
}

/// See the head of the file.
#[derive(Clone, Debug)]
struct Scripted {
    hosted: Hosted,
    has: Methods,
}

/// Makes the queue management of a place by calling `factory(setup)`.
///
/// # Errors
/// When the factory raises, or its object lacks a method.
pub fn make(
    py: Python<'_>,
    factory: &Bound<'_, PyAny>,
    place: &str,
    seed: u64,
    fault: &Fault,
) -> PyResult<AnyAqm> {
    let setup = AqmSetup {
        place: place.to_owned(),
        seed: fault::seed(Random::stream(seed, "python queue", place)),
    };
    let hosted = Hosted::new(factory, setup, Whose::queue(place), fault)?;
    let has = Methods {
        push: hosted.has(py, "push")?,
        pop: hosted.has(py, "pop")?,
        refused: hosted.has(py, "refused")?,
        idle: hosted.has(py, "idle")?,
        line_rate: hosted.has(py, "line_rate")?,
    };
    if !has.push && !has.pop {
        return Err(PyTypeError::new_err(
            "queue management has a method push(self, frame) or pop(self, frame)",
        ));
    }
    Ok(AnyAqm::Custom(Box::new(Scripted { hosted, has })))
}

impl Scripted {
    /// The answer of `push` or `pop` about a frame.
    fn judge(&self, method: &str, frame: &Frame) -> Verdict {
        let read = |answer: &Bound<'_, PyAny>| {
            if answer.is_none() {
                return Ok(Verdict::Accept);
            }
            match answer.extract::<String>().as_deref() {
                Ok("mark") => Ok(frame.punish(true)),
                Ok("drop") => Ok(Verdict::Drop),
                _ => {
                    let what = format!(
                        "{method} returned {}, not None, \"mark\" or \"drop\"",
                        answer.repr()?
                    );
                    Err(PyTypeError::new_err(what))
                }
            }
        };
        let judged = self.hosted.call(
            method,
            |py| (Py::new(py, QueuedFrame::of(frame))?,).into_pyobject(py),
            read,
        );
        judged.unwrap_or(Verdict::Accept)
    }
}

impl Aqm for Scripted {
    fn attach(&mut self, rate: Rate, _random: &mut Random) {
        self.line_rate(rate);
    }

    fn line_rate(&mut self, rate: Rate) {
        if self.has.line_rate {
            let known = (rate.0 > 0).then_some(rate.0 as f64);
            self.hosted
                .call("line_rate", |py| (known,).into_pyobject(py), |_| Ok(()));
        }
    }

    fn push(&mut self, frame: &Frame, _random: &mut Random) -> Verdict {
        match self.has.push {
            true => self.judge("push", frame),
            false => Verdict::Accept,
        }
    }

    fn refused(&mut self, frame: &Frame, _judged: bool, _random: &mut Random) {
        if self.has.refused {
            self.hosted.call(
                "refused",
                |py| (Py::new(py, QueuedFrame::of(frame))?,).into_pyobject(py),
                |_| Ok(()),
            );
        }
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        match self.has.pop {
            true => self.judge("pop", frame),
            false => Verdict::Accept,
        }
    }

    fn emptied(&mut self, now: Time) {
        if self.has.idle {
            self.hosted
                .call("idle", |py| (now.seconds(),).into_pyobject(py), |_| Ok(()));
        }
    }
}
