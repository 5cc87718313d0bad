//! NewReno: Reno with a window that allows no burst when recovery ends.
//!
//! Detects, tells, responds: as Reno. After recovery the window is the smaller of ssthresh and the
//! flight plus one segment (RFC 6582 section 3.2, step 3, full acknowledgement, choice 1).
//!
//! Reference: RFC 6582. Differences: those of Reno; duplicate and partial acknowledgements are the
//! sender's (`recovery = "newreno"`).

use super::reno;
use crate::controller_interface::{
    Ack, BuildOf, Cause, Congestion, Controller, Idle, Inspect, Limits,
};
use crate::part::Part;

/// Reno's window, and how it ends recovery.
#[derive(Clone, Debug)]
pub struct NewReno {
    reno: reno::Reno,
    mss: u64,
    fast: bool,
}

impl Controller for NewReno {
    fn on_ack(&mut self, ack: &Ack) {
        self.reno.on_ack(ack);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.reno.on_congestion(congestion);
        if congestion.cause == Cause::Recovered && self.fast {
            let flight = congestion.in_flight.max(self.mss) + self.mss;
            self.reno.set_window(flight.min(self.reno.threshold()));
        }
        self.fast = congestion.cause == Cause::Loss;
    }

    fn on_idle(&mut self, idle: &Idle) {
        self.reno.on_idle(idle);
    }

    fn limits(&self) -> Limits {
        self.reno.limits()
    }

    fn inspect(&self) -> Inspect {
        self.reno.inspect()
    }
}

/// The row.
pub const PART: Part<BuildOf<NewReno>> = Part {
    id: "newreno",
    aliases: &[],
    summary: "Reno that leaves recovery without a burst",
    source: "RFC 6582",
    options: reno::OPTIONS,
    build: |args, setup| {
        Ok(NewReno {
            reno: reno::Reno::new(args, setup),
            mss: setup.mss,
            fast: false,
        })
    },
};
