//! A congestion controller written in Python. It is asked for each round trip, or for each
//! acknowledgement if it wants to be, and for departures and at instants of its own where it has methods for them. A fault of the class ends its own run: from then on the flow
//! keeps one segment in flight until the run is told to stop.

mod seen;

use backwater_transport::controller::{
    Ack, AnyController, Congestion, Controller, CustomController, Departure, Idle, Limits,
    MOST_SEGMENTS, Reduction, Sent,
};
use backwater_transport::endpoint::SenderSetup;
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Span, Time};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::fault::{self, Fault, Whose};
use crate::watch;

pub use seen::{
    AckSeen, CongestionSeen, ControllerSetup, IdleSeen, RoundSeen, SentSeen, TimerSeen,
};

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
    on_sent: bool,
    on_timer: bool,
    /// The last instant that it was told of.
    now: Time,
    window: u64,
    /// The largest window beyond `MOST_SEGMENTS` segments that the class asked for; zero where it asked for none.
    beyond: f64,
    pacing: Option<Rate>,
    /// When it wants to be called; `NEVER` for not at all.
    wake: Time,
    sums: Sums,
}

/// Makes a flow's controller by calling `factory(setup)`.
///
/// # Errors
/// When the factory raises, or its object lacks a method.
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
        on_sent: has("on_sent")?,
        on_timer: has("on_timer")?,
        now: Time::ZERO,
        window: setup.initial,
        beyond: 0.0,
        pacing: None,
        wake: Time::NEVER,
        sums: Sums::default(),
        object: object.unbind(),
    };
    if !(scripted.on_ack || scripted.on_round) {
        return Err(PyTypeError::new_err(
            "a controller has a method on_round(self, round) or on_ack(self, ack)",
        ));
    }
    scripted.read_settings(py)?;
    Ok(AnyController::Custom(Box::new(scripted)))
}

impl Scripted {
    /// Reads what the object wants now.
    fn read_settings(&mut self, py: Python<'_>) -> PyResult<()> {
        let object = self.object.bind(py);
        let window: f64 = object.getattr("window")?.extract()?;
        if !(window >= 0.0 && window.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "its window is {window}: a window is a number of bytes"
            )));
        }
        let most = MOST_SEGMENTS * self.mss;
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
        self.check_timer(py)
    }

    /// Reads when the object wants to be called.
    fn check_timer(&mut self, py: Python<'_>) -> PyResult<()> {
        let object = self.object.bind(py);
        let wake: Option<f64> = match object.getattr_opt("wake_s")? {
            Some(wake) => wake.extract()?,
            None => None,
        };
        let Some(wake) = wake else {
            self.wake = Time::NEVER;
            return Ok(());
        };
        if !self.on_timer {
            return Err(PyTypeError::new_err(
                "a controller with a `wake_s` has a method on_timer(self, timer)",
            ));
        }
        if !(wake >= 0.0 && wake.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "its wake_s is {wake}: an instant is a number of seconds, or None"
            )));
        }
        self.wake = Time::ZERO.after(Span::from_seconds(wake));
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
        let whose = self.whose.clone();
        let told = Python::attach(|py| {
            let seen = Py::new(py, seen)?;
            watch::call(&whose, || {
                self.object.call_method1(py, method, (seen,))?;
                self.read_settings(py)
            })
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
        self.now = ack.now;
        if self.on_ack {
            self.tell("on_ack", AckSeen::from(ack));
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.now = congestion.now;
        if self.on_congestion {
            self.tell("on_congestion", CongestionSeen::from(congestion));
        }
    }

    fn on_idle(&mut self, idle: &Idle) {
        self.now = idle.now;
        if self.on_idle {
            self.tell("on_idle", IdleSeen::from(idle));
        }
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        if !self.on_sent {
            return Departure::Ignored;
        }
        self.now = sent.now;
        self.tell("on_sent", SentSeen::from(sent));
        Departure::Noted
    }

    fn on_timer(&mut self, now: Time) {
        self.now = now;
        self.tell("on_timer", TimerSeen::from(now));
    }

    fn limits(&self) -> Limits {
        let failed = self.fault.any();
        Limits {
            window: if failed { self.mss } else { self.window },
            pacing: self.pacing.filter(|_| !failed),
            // One that has passed is none: the class need not take it back.
            wake: match failed || self.wake <= self.now {
                true => Time::NEVER,
                false => self.wake,
            },
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
                "its controller asked for a window of {:e} B, which counted as {} B: a window ends at {MOST_SEGMENTS} segments",
                self.beyond,
                MOST_SEGMENTS * self.mss
            )
        })
    }
}
