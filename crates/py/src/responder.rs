//! A responder written in Python: each place that may be told has a deep copy of its object, whose `react` gets a notice
//! and the place's knobs. What it asks of the knobs is done when it returns. A fault of the class ends its own run: from
//! then on it answers nothing.

use std::sync::{Arc, Mutex};

use backwater_sim::mechanism::AnyResponder;
use backwater_sim::mechanism::notice::{Ask, Notice};
use backwater_sim::mechanism::responder::{Knobs, Moved, Responder};
use backwater_sim::medium::access::Category;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span, Time};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::fault::{self, Fault, Whose};
use crate::hosted::Hosted;

/// The arguments that a responder is made from.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct ResponderSetup {
    /// Name of the mechanism.
    mechanism: String,
    /// For a generator of random numbers: the run's seed and the mechanism's name determine it.
    seed: u64,
}

/// The notice that a place receives.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct NoticeSeen {
    now_s: f64,
    /// Classes, or access categories, that it speaks of.
    traffic_classes: Vec<u8>,
    /// Whether less is asked for; otherwise an earlier notice is taken back, or more may be sent.
    less: bool,
    /// The rate that it names.
    rate_bps: Option<u64>,
    /// How long it holds.
    lasts_s: f64,
}

/// The rights that a class has when a notice comes.
#[pyclass(module = "backwater._native", name = "Knobs", frozen)]
pub struct KnobsSeen {
    asked: Arc<Mutex<Vec<Command>>>,
    categories: usize,
}

#[derive(Copy, Clone, Debug)]
enum Command {
    Stop(Span),
    Limit(Rate, Span),
    Open,
    Contend {
        category: usize,
        aifsn: Option<u8>,
        cw_min: Option<u32>,
        lasts: Span,
    },
}

fn span(seconds: f64) -> PyResult<Span> {
    if seconds > 0.0 && seconds <= 1000.0 {
        return Ok(Span::from_seconds(seconds));
    }
    let what = format!("a time of {seconds} s: write more than 0 and at most 1000 s");
    Err(PyValueError::new_err(what))
}

#[pymethods]
impl KnobsSeen {
    /// Sends nothing of what the notice covers for so long.
    fn stop(&self, seconds: f64) -> PyResult<()> {
        self.note(Command::Stop(span(seconds)?));
        Ok(())
    }

    /// Sends no more of what the notice covers than this, for so long.
    fn limit(&self, rate_bps: u64, seconds: f64) -> PyResult<()> {
        if rate_bps == 0 {
            return Err(PyValueError::new_err("a rate of 0 bit/s: call stop"));
        }
        self.note(Command::Limit(Rate(rate_bps), span(seconds)?));
        Ok(())
    }

    /// Ends what `stop` and `limit` began.
    fn open(&self) {
        self.note(Command::Open);
    }

    /// Moves parameters of an access category for so long; at a station only.
    #[pyo3(signature = (traffic_class, seconds, *, aifsn = None, cw_min = None))]
    fn contend(
        &self,
        traffic_class: usize,
        seconds: f64,
        aifsn: Option<u8>,
        cw_min: Option<u32>,
    ) -> PyResult<()> {
        if traffic_class >= self.categories {
            let what = match self.categories {
                0 => "this place has no 802.11 transmitter".to_owned(),
                n => format!("there is no access category {traffic_class} among {n}"),
            };
            return Err(PyValueError::new_err(what));
        }
        if aifsn == Some(0) {
            return Err(PyValueError::new_err("AIFSN is at least 1"));
        }
        self.note(Command::Contend {
            category: traffic_class,
            aifsn,
            cw_min,
            lasts: span(seconds)?,
        });
        Ok(())
    }
}

impl KnobsSeen {
    fn note(&self, command: Command) {
        self.asked.lock().expect("no holder panics").push(command);
    }
}

/// See the head of the file.
#[derive(Clone, Debug)]
struct Scripted {
    hosted: Hosted,
    /// When the parameters of each category that was moved go back.
    until: [Option<Time>; 4],
}

/// Makes a mechanism's responder by calling `factory(setup)`; each place that may be told gets a deep copy.
///
/// # Errors
/// When the factory raises, or its object lacks a method.
pub fn make(
    py: Python<'_>,
    factory: &Bound<'_, PyAny>,
    mechanism: &str,
    seed: u64,
    fault: &Fault,
) -> PyResult<AnyResponder> {
    let setup = ResponderSetup {
        mechanism: mechanism.to_owned(),
        seed: fault::seed(Random::stream(seed, "python responder", mechanism)),
    };
    let hosted = Hosted::new(factory, setup, Whose::responder(mechanism), fault)?;
    if !hosted.has(py, "react")? {
        return Err(PyTypeError::new_err(
            "a responder has a method react(self, notice, knobs)",
        ));
    }
    Ok(AnyResponder::Custom(Box::new(Scripted {
        hosted,
        until: [None; 4],
    })))
}

/// A notice as the class sees it; none of what a station tells itself about its own flows.
fn seen(notice: &Notice, knobs: &Knobs) -> Option<NoticeSeen> {
    let (less, lasts) = match notice.ask {
        Ask::Stop(quanta) | Ask::Limit(_, quanta) => {
            (quanta > 0, knobs.unit.times(u64::from(quanta)))
        }
        // A step without an expiry is one that a station tells itself, and a class is told of none.
        Ask::Step(step) => (step.less, step.expiry?),
        Ask::Own(_) => return None,
    };
    Some(NoticeSeen {
        now_s: knobs.now.seconds(),
        traffic_classes: (0..8).filter(|c| notice.classes >> c & 1 == 1).collect(),
        less,
        rate_bps: notice.rate().map(|rate| rate.0),
        lasts_s: lasts.seconds(),
    })
}

impl Scripted {
    /// The commands for the knobs; none where a class of the run has failed.
    fn ask(&self, notice: NoticeSeen, categories: usize) -> Option<Vec<Command>> {
        let asked = Arc::new(Mutex::default());
        let knobs = KnobsSeen {
            asked: asked.clone(),
            categories,
        };
        self.hosted.call(
            "react",
            |py| (Py::new(py, notice)?, Py::new(py, knobs)?).into_pyobject(py),
            |answer| {
                if !answer.is_none() {
                    let what = format!("react returned {}, not None", answer.repr()?);
                    return Err(PyTypeError::new_err(what));
                }
                Ok(std::mem::take(
                    &mut *asked.lock().expect("no holder panics"),
                ))
            },
        )
    }

    fn carry_out(&mut self, command: Command, notice: &Notice, knobs: &mut Knobs) {
        match command {
            Command::Stop(lasts) => knobs.stop(notice, knobs.now + lasts),
            Command::Limit(rate, lasts) => {
                knobs.limit(notice, rate, Bytes(0), knobs.now + lasts);
            }
            Command::Open => {
                knobs.open(notice);
                knobs.unlimit(notice);
            }
            Command::Contend {
                category,
                aifsn,
                cw_min,
                lasts,
            } => {
                let until = knobs.now + lasts;
                if let Some(transmitter) = &mut knobs.transmitter {
                    let written = transmitter.written[category];
                    let set = Category {
                        aifsn: aifsn.unwrap_or(written.aifsn),
                        cw_min: cw_min.unwrap_or(written.cw_min).min(written.cw_max),
                        ..written
                    };
                    self.until[category] = Some(until);
                    transmitter.timers.push(until);
                    transmitter.moved.push(moved(category, set));
                }
            }
        }
    }
}

fn moved(category: usize, set: Category) -> Moved {
    Moved {
        category,
        set,
        pace: None,
        level: set.aifsn,
    }
}

impl Responder for Scripted {
    fn react(&mut self, notice: &Notice, knobs: &mut Knobs) {
        let Some(seen) = seen(notice, knobs) else {
            return;
        };
        let transmitter = knobs.transmitter.as_ref();
        let commands = self.ask(seen, transmitter.map_or(0, |t| t.written.len()));
        for command in commands.into_iter().flatten() {
            self.carry_out(command, notice, knobs);
        }
    }

    fn timer(&mut self, knobs: &mut Knobs) {
        let now = knobs.now;
        let Some(transmitter) = &mut knobs.transmitter else {
            return;
        };
        for (category, until) in self.until.iter_mut().enumerate() {
            if *until == Some(now) {
                *until = None;
                let set = transmitter.written[category];
                transmitter.moved.push(moved(category, set));
            }
        }
    }
}
