//! Code that controllers of RDMA share: options, the refusal of transports that are no queue pairs, and of HPCC and PowerTCP the
//! window that is paced over a base round trip and the records of hops that come back with acknowledgements.

use crate::congestion_header::CongestionHeader;
use crate::controller_interface::{Ack, Departure, Limits, Setup};
use crate::part::{Args, Default, Kind, Opt, Refusal};
use crate::segment::Feedback;
use crate::telemetry::Records;
use crate::units::Rate;

/// The help of the option `rate` where flows begin with it.
pub const FIRST_RATE: &str = "rate of the host's line, with which a flow begins";

/// The option `rate`.
pub const fn rate(help: &'static str) -> Opt {
    Opt::new("rate", Kind::Rate, Default::Required, help)
        .at_least("1 Mbit/s")
        .at_most("1000 Gbit/s")
}

/// The option `base_rtt`.
pub const fn base_rtt(default: Default, help: &'static str) -> Opt {
    Opt::new("base_rtt", Kind::Span, default, help)
        .at_least("1 us")
        .at_most("1 s")
}

/// The option `least`.
pub const LEAST: Opt = Opt::new("least", Kind::Rate, Default::Is("100 Mbit/s"), "least rate")
    .at_least("1 Mbit/s")
    .at_most("100 Gbit/s");

/// Refuses a transport that is no queue pair, at this option and for this reason.
pub fn check_queue_pair(setup: &Setup, option: &'static str, why: &str) -> Result<(), Refusal> {
    match setup.protocol.row().queue_pair {
        true => Ok(()),
        false => Err(Refusal {
            option,
            what: why.into(),
            fix: "write transport = \"roce\" or transport = \"irn\"".into(),
        }),
    }
}

/// A window between a least one and the bandwidth-delay product of the host's line, with which flows begin.
#[derive(Clone, Debug)]
pub struct PacedWindow {
    /// Bytes/s of the host's line.
    pub line: f64,
    /// Base round trip in seconds.
    pub base: f64,
    /// Least window.
    pub least: f64,
    /// Window in force.
    pub bytes: f64,
    /// Payload of a packet: a window below it lets one packet go, and the pace says when.
    pub mss: u64,
}

impl PacedWindow {
    /// From the three options above.
    pub fn new(args: &Args, setup: &Setup) -> PacedWindow {
        let line = args.rate("rate").0 as f64 / 8.0;
        let base = args.span("base_rtt").seconds();
        PacedWindow {
            line,
            base,
            least: (args.rate("least").0 as f64 / 8.0 * base).min(line * base),
            bytes: line * base,
            mss: setup.mss,
        }
    }

    /// The bandwidth-delay product.
    pub fn product(&self) -> f64 {
        self.line * self.base
    }

    /// Sets the window within its bounds.
    pub fn set(&mut self, bytes: f64) {
        self.bytes = bytes.clamp(self.least, self.product());
    }

    /// A value smoothed over a base round trip with one that was measured over so many seconds.
    pub fn smoothed(&self, value: f64, measured: f64, over: f64) -> f64 {
        let weight = over.min(self.base) / self.base;
        value * (1.0 - weight) + measured * weight
    }

    /// The window and its pace.
    pub fn limits(&self) -> Limits {
        Limits {
            pacing: Some(Rate(((8.0 * self.bytes / self.base) as u64).max(1))),
            ..Limits::of((self.bytes as u64).max(self.mss))
        }
    }
}

/// The records of hops that an acknowledgement brings back; none where no hop has written.
pub fn records<'a>(ack: &Ack<'a>) -> Option<&'a Records> {
    match ack.feedback {
        Some(Feedback::Congestion(CongestionHeader::Telemetry(records))) => {
            (!records.hops().is_empty()).then_some(records)
        }
        _ => None,
    }
}

/// A segment leaves with room for records.
pub fn with_records() -> Departure {
    let empty = CongestionHeader::Telemetry(Records::default());
    Departure::Announced(Feedback::Congestion(empty))
}
