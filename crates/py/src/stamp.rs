//! A law of explicit feedback written in Python. `depart` is called for each packet that departs, or that crosses an egress
//! which the law stamps too, and returns what to write, or `None`; `arrive`, where the class has it, for each that arrives. What
//! `depart` returns can only lower what a router before wrote. A fault of the class ends its own run: from then on
//! nothing is written.

use backwater_sim::stamp::{AnyStamp, LawPacket, Passing, Stamp, Writes};
use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::Args;
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::fault::{self, Fault, Whose};
use crate::hosted::Hosted;

/// The arguments that a stamp is made from.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct StampSetup {
    /// Name of the port or radio.
    place: String,
    /// For a generator of random numbers: the run's seed and the place determine it.
    seed: u64,
}

/// A packet that arrives or departs.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct PacketSeen {
    now_s: f64,
    /// Bytes for which it occupies the link.
    #[pyo3(name = "size_B")]
    size: u64,
    /// Numbers of the nodes at its two ends, the lower first.
    ends: (u32, u32),
    /// Bytes of frames that wait besides it.
    #[pyo3(name = "waiting_B")]
    waiting: u64,
    /// Frames that wait besides it.
    waiting_pkts: u64,
    /// It arrived and was lost.
    lost: bool,
    /// The sender's round trip, where its header says one.
    rtt_s: Option<f64>,
    /// The sender's window, where its header says one.
    cwnd_pkts: Option<f64>,
    /// The rate or window that its header grants so far, in bit/s or packets; none without a limit.
    granted: Option<f64>,
}

impl PacketSeen {
    fn of(seen: &LawPacket, header: Option<&CongestionHeader>) -> PacketSeen {
        let granted = header.and_then(|header| match *header {
            CongestionHeader::Change { change, .. } => Some(8.0 * change),
            CongestionHeader::Rate { rate, .. } => Some(8.0 * rate),
            CongestionHeader::Window { window, .. } => Some(window),
            CongestionHeader::Target { .. }
            | CongestionHeader::Telemetry(_)
            | CongestionHeader::Codepoints { .. } => None,
        });
        let cwnd_pkts = header.and_then(|header| match *header {
            CongestionHeader::Window { cwnd, .. } => Some(cwnd),
            CongestionHeader::Change { rtt, spacing, .. } if spacing > 0.0 => {
                Some(rtt.seconds() / spacing)
            }
            _ => None,
        });
        PacketSeen {
            now_s: seen.now.seconds(),
            size: seen.size,
            ends: (seen.ends[0], seen.ends[1]),
            waiting: seen.backlog.bytes,
            waiting_pkts: seen.backlog.packets,
            lost: seen.lost,
            rtt_s: header.and_then(|h| h.rtt()).map(|rtt| rtt.seconds()),
            cwnd_pkts,
            granted: granted.filter(|granted| granted.is_finite()),
        }
    }
}

/// See the head of the file.
#[derive(Clone, Debug)]
struct Scripted {
    hosted: Hosted,
    writes: Writes,
    /// It has a method `arrive`.
    observes_arrivals: bool,
}

/// The answer of `depart`.
enum Answer {
    Nothing,
    Grant(f64),
    Mark,
}

/// Makes the stamp of a place by calling `factory(setup)`.
///
/// # Errors
/// When the factory raises, or its object lacks a method.
pub fn make(
    py: Python<'_>,
    factory: &Bound<'_, PyAny>,
    place: &str,
    args: &Args,
    seed: u64,
    fault: &Fault,
) -> PyResult<AnyStamp> {
    let setup = StampSetup {
        place: place.to_owned(),
        seed: fault::seed(Random::stream(seed, "python stamp", place)),
    };
    let hosted = Hosted::new(factory, setup, Whose::stamp(place), fault)?;
    if !hosted.has(py, "depart")? {
        return Err(PyTypeError::new_err(
            "a stamp has a method depart(self, packet)",
        ));
    }
    Ok(AnyStamp::Custom(Box::new(Scripted {
        observes_arrivals: hosted.has(py, "arrive")?,
        hosted,
        writes: Writes::new(args),
    })))
}

impl Scripted {
    fn call<T>(
        &self,
        method: &str,
        packet: PacketSeen,
        read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>,
    ) -> Option<T> {
        self.hosted
            .call(method, |py| (Py::new(py, packet)?,).into_pyobject(py), read)
    }

    /// The answer of `depart`, checked.
    fn answer(&self, answer: &Bound<'_, PyAny>) -> PyResult<Answer> {
        if answer.is_none() {
            return Ok(Answer::Nothing);
        }
        let refuse = |expected: &str| {
            let what = format!("depart returned {}, not {expected}", answer.repr()?);
            Err(PyTypeError::new_err(what))
        };
        if self.writes == Writes::Mark {
            return match answer.cast::<PyBool>() {
                Ok(mark) if mark.is_true() => Ok(Answer::Mark),
                Ok(_) => Ok(Answer::Nothing),
                Err(_) => refuse("True, False or None"),
            };
        }
        let Ok(grant) = answer.extract::<f64>() else {
            return refuse("a number or None");
        };
        let least = match self.writes {
            Writes::Change => f64::NEG_INFINITY,
            Writes::Rate | Writes::Window | Writes::Mark => 0.0,
        };
        if !grant.is_finite() || grant < least {
            let what = format!("depart returned {grant}, which is no grant");
            return Err(PyValueError::new_err(what));
        }
        Ok(Answer::Grant(grant))
    }
}

impl Stamp for Scripted {
    fn layout(&self) -> Option<Layout> {
        self.writes.layout()
    }

    fn arrive(&mut self, seen: &LawPacket, header: Option<&CongestionHeader>) {
        if self.observes_arrivals {
            let packet = PacketSeen::of(seen, header);
            self.call("arrive", packet, |_| Ok(()));
        }
    }

    fn depart(&mut self, seen: &LawPacket, passing: &mut Passing) {
        let packet = PacketSeen::of(seen, passing.header.as_deref());
        let answer = self.call("depart", packet, |answer| self.answer(answer));
        match (answer, passing.header.as_deref_mut()) {
            (Some(Answer::Mark), _) if *passing.ecn != Ecn::NotEct => *passing.ecn = Ecn::Ce,
            (Some(Answer::Grant(grant)), Some(header)) => match header {
                CongestionHeader::Change { change, .. } => *change = change.min(grant / 8.0),
                CongestionHeader::Rate { rate, .. } => *rate = rate.min(grant / 8.0),
                CongestionHeader::Window { window, .. } => *window = window.min(grant),
                CongestionHeader::Target { .. }
                | CongestionHeader::Telemetry(_)
                | CongestionHeader::Codepoints { .. } => {}
            },
            _ => {}
        }
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        [("", 0.0); 4]
    }
}
