//! A congestion controller written in Python. It is asked for each round trip, or for each
//! acknowledgement if it wants to be. A fault of the class ends its own run: from then on the flow
//! keeps one segment in flight until the run is told to stop.

use backwater_transport::controller::{
    Ack, AnyController, Cause, Congestion, Controller, CustomController, Idle, Limits, Reduction,
};
use backwater_transport::endpoint::SenderSetup;
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::fault::{self, Fault, Whose};

/// Most segments that a window counts for, as in the tables: a window without a bound would put a source without an
/// end into memory at once. The largest window of TCP is smaller, 65 535 × 2^14 B (RFC 7323 section 2.2), which are
/// 741 541 segments of 1448 B.
const MOST: u64 = 1_000_000;

/// What a controller is made from.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct ControllerSetup {
    /// Name of the flow.
    flow: String,
    /// Payload bytes of a full segment.
    #[pyo3(name = "mss_B")]
    mss: u64,
    /// Initial window.
    #[pyo3(name = "initial_B")]
    initial: u64,
    /// For a generator of random numbers: the run's seed and the flow's name determine it.
    seed: u64,
}

/// An acknowledgement.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct AckSeen {
    now_s: f64,
    #[pyo3(name = "acked_B")]
    acked: u64,
    #[pyo3(name = "advanced_B")]
    advanced: u64,
    #[pyo3(name = "lost_B")]
    lost: u64,
    #[pyo3(name = "marked_B")]
    marked: u64,
    #[pyo3(name = "in_flight_B")]
    in_flight: u64,
    rtt_s: Option<f64>,
    srtt_s: f64,
    rtt_min_s: f64,
    delivery_bps: Option<u64>,
    round: u64,
    recovering: bool,
}

/// A round trip: what was acknowledged from the beginning of one round to that of the next.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct RoundSeen {
    now_s: f64,
    took_s: f64,
    #[pyo3(name = "acked_B")]
    acked: u64,
    #[pyo3(name = "lost_B")]
    lost: u64,
    #[pyo3(name = "marked_B")]
    marked: u64,
    #[pyo3(name = "in_flight_B")]
    in_flight: u64,
    rtt_min_s: Option<f64>,
    rtt_mean_s: Option<f64>,
    srtt_s: f64,
    round: u64,
}

/// Congestion, told once for each round at most.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct CongestionSeen {
    now_s: f64,
    cause: &'static str,
    #[pyo3(name = "in_flight_B")]
    in_flight: u64,
    #[pyo3(name = "lost_B")]
    lost: u64,
}

/// Nothing was in flight, and a segment is about to leave.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct IdleSeen {
    now_s: f64,
    /// Most that the flow's `after_idle` leaves a window; none where it sets no bound.
    #[pyo3(name = "window_B")]
    window: Option<u64>,
}

/// Sums over a round.
#[derive(Clone, Debug, Default)]
struct Sums {
    began: Time,
    acked: u64,
    lost: u64,
    marked: u64,
    rtt: Span,
    rtts: u64,
    least: Option<Span>,
}

/// See the head of the file.
#[derive(Debug)]
struct Scripted {
    object: Py<PyAny>,
    whose: Whose,
    fault: Fault,
    mss: u64,
    /// Methods that the class has.
    on_ack: bool,
    on_round: bool,
    on_congestion: bool,
    on_idle: bool,
    window: u64,
    /// The largest window beyond `MOST` segments that the class asked for; zero where it asked for none.
    beyond: f64,
    pacing: Option<Rate>,
    sums: Sums,
}

/// Makes a flow's controller by calling `factory(setup)`.
///
/// # Errors
/// What the factory raises, and what its object lacks.
pub fn make(
    py: Python<'_>,
    factory: &Bound<'_, PyAny>,
    flow: &str,
    setup: &SenderSetup,
    seed: u64,
    fault: &Fault,
) -> PyResult<AnyController> {
    let seen = ControllerSetup {
        flow: flow.to_owned(),
        mss: setup.mss,
        initial: setup.initial,
        seed: fault::seed(Random::stream(seed, "python", flow)),
    };
    let object = factory.call1((Py::new(py, seen)?,))?;
    let has = |name: &str| object.hasattr(name);
    let mut scripted = Scripted {
        whose: Whose::controller(flow),
        fault: fault.clone(),
        mss: setup.mss,
        on_ack: has("on_ack")?,
        on_round: has("on_round")?,
        on_congestion: has("on_congestion")?,
        on_idle: has("on_idle")?,
        window: setup.initial,
        beyond: 0.0,
        pacing: None,
        sums: Sums::default(),
        object: object.unbind(),
    };
    if !(scripted.on_ack || scripted.on_round) {
        return Err(PyTypeError::new_err(
            "a controller has a method on_round(self, round) or on_ack(self, ack)",
        ));
    }
    scripted.look(py)?;
    Ok(AnyController::Custom(Box::new(scripted)))
}

impl Scripted {
    /// Reads what the object wants now.
    fn look(&mut self, py: Python<'_>) -> PyResult<()> {
        let object = self.object.bind(py);
        let window: f64 = object.getattr("window")?.extract()?;
        if !(window >= 0.0 && window.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "its window is {window}: a window is a number of bytes"
            )));
        }
        let most = MOST * self.mss;
        if window > most as f64 {
            self.beyond = self.beyond.max(window);
        }
        // Less than a segment would stop the flow for good.
        self.window = (window as u64).clamp(self.mss, most);
        let pacing: Option<f64> = match object.getattr_opt("pacing")? {
            Some(pacing) => pacing.extract()?,
            None => None,
        };
        if let Some(rate) = pacing.filter(|rate| !(*rate >= 1.0 && rate.is_finite())) {
            return Err(PyValueError::new_err(format!(
                "its pacing is {rate}: a pacing rate is some bit/s, or None"
            )));
        }
        self.pacing = pacing.map(|rate| Rate(rate as u64));
        Ok(())
    }

    /// Calls a method with what it is told, and reads what the object wants then.
    fn tell<T>(&mut self, method: &str, seen: T)
    where
        T: pyo3::PyClass + Into<PyClassInitializer<T>>,
    {
        if self.fault.any() {
            return;
        }
        let told = Python::attach(|py| {
            let seen = Py::new(py, seen)?;
            self.object.call_method1(py, method, (seen,))?;
            self.look(py)
        });
        if let Err(error) = told {
            self.fault.note(&self.whose, error);
        }
    }

    fn end_round(&mut self, ack: &Ack) {
        let sums = std::mem::replace(
            &mut self.sums,
            Sums {
                began: ack.now,
                ..Sums::default()
            },
        );
        if !self.on_round || sums.acked == 0 {
            return;
        }
        let rtts = (sums.rtts > 0).then_some(sums.rtts as f64);
        self.tell(
            "on_round",
            RoundSeen {
                now_s: ack.now.seconds(),
                took_s: ack.now.since(sums.began).seconds(),
                acked: sums.acked,
                lost: sums.lost,
                marked: sums.marked,
                in_flight: ack.in_flight,
                rtt_min_s: sums.least.map(Span::seconds),
                rtt_mean_s: rtts.map(|n| sums.rtt.seconds() / n),
                srtt_s: ack.srtt.seconds(),
                round: ack.round,
            },
        );
    }
}

impl Controller for Scripted {
    fn on_ack(&mut self, ack: &Ack) {
        if ack.round_start {
            self.end_round(ack);
        }
        let sums = &mut self.sums;
        sums.acked += ack.acked;
        sums.lost += ack.lost;
        sums.marked += ack.marked;
        if let Some(rtt) = ack.rtt {
            sums.rtt += rtt;
            sums.rtts += 1;
            sums.least = Some(sums.least.map_or(rtt, |least| least.min(rtt)));
        }
        if self.on_ack {
            self.tell(
                "on_ack",
                AckSeen {
                    now_s: ack.now.seconds(),
                    acked: ack.acked,
                    advanced: ack.advanced,
                    lost: ack.lost,
                    marked: ack.marked,
                    in_flight: ack.in_flight,
                    rtt_s: ack.rtt.map(Span::seconds),
                    srtt_s: ack.srtt.seconds(),
                    rtt_min_s: ack.min_rtt.seconds(),
                    delivery_bps: ack.rate.map(|sample| sample.rate().0),
                    round: ack.round,
                    recovering: ack.recovering,
                },
            );
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        if self.on_congestion {
            self.tell(
                "on_congestion",
                CongestionSeen {
                    now_s: congestion.now.seconds(),
                    cause: match congestion.cause {
                        Cause::Loss => "loss",
                        Cause::Mark => "mark",
                        Cause::Timeout => "timeout",
                        Cause::Spurious => "spurious",
                        Cause::Recovered => "recovered",
                    },
                    in_flight: congestion.in_flight,
                    lost: congestion.lost,
                },
            );
        }
    }

    fn on_idle(&mut self, idle: &Idle) {
        if self.on_idle {
            self.tell(
                "on_idle",
                IdleSeen {
                    now_s: idle.now.seconds(),
                    window: (idle.window < u64::MAX).then_some(idle.window),
                },
            );
        }
    }

    fn limits(&self) -> Limits {
        let failed = self.fault.any();
        Limits {
            window: if failed { self.mss } else { self.window },
            pacing: self.pacing.filter(|_| !failed),
            wake: Time::NEVER,
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }
}

impl CustomController for Scripted {
    /// A deep copy of the object. One that cannot be copied is a fault of the class.
    fn fork(&self) -> Box<dyn CustomController> {
        Box::new(Scripted {
            object: fault::copy(&self.object, &self.whose, &self.fault),
            whose: self.whose.clone(),
            fault: self.fault.clone(),
            sums: self.sums.clone(),
            ..*self
        })
    }

    fn warning(&self) -> Option<String> {
        (self.beyond > 0.0).then(|| {
            format!(
                "its controller asked for a window of {:e} B, which counted as {} B: a window ends at {MOST} segments",
                self.beyond,
                MOST * self.mss
            )
        })
    }
}
