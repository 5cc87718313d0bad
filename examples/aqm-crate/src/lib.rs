//! Detects: arrivals that a virtual queue has no room for. The virtual queue is served at a share of the line rate.
//! Tells: marks or drops those arrivals. The rate of the virtual queue follows the load, so that the load becomes the
//! wanted share of the line rate.
//! Responds: left to the sender's controller.
//! Reference: Kunniyur and Srikant, "Analysis and design of an adaptive virtual queue (AVQ) algorithm for active queue
//! management", ACM SIGCOMM 2001: the algorithm that follows equation (1).
//! Differences: the virtual queue counts bytes. A frame that the port itself has no room for counts as an arrival if the
//! port asked about it before.

#[cfg(feature = "python")]
mod python;

use backwater_sim::queue::aqm::{Aqm, Frame, Verdict};
use backwater_sim::queue::{self, Build, Queue};
use backwater_transport::added::{Addition, NotAdded};
use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Rate, Time};

/// The constants, and the virtual queue. Rates are bytes in a second.
#[derive(Clone, Debug)]
struct Avq {
    share: f64,
    gain: f64,
    size: f64,
    mark: bool,
    /// The rate of the line; 0 where it has none of its own.
    line: f64,
    /// The rate of the virtual queue.
    served: f64,
    /// Bytes in the virtual queue.
    held: f64,
    /// When the last frame arrived.
    last: Time,
}

impl Aqm for Avq {
    fn attach(&mut self, rate: Rate, _random: &mut Random) {
        self.line_rate(rate);
        self.served = self.share * self.line;
    }

    fn line_rate(&mut self, rate: Rate) {
        self.line = rate.0 as f64 / 8.0;
        self.served = self.served.min(self.line);
    }

    fn push(&mut self, frame: &Frame, _random: &mut Random) -> Verdict {
        if self.line == 0.0 {
            return Verdict::Accept;
        }
        let passed = (frame.now.0 - self.last.0) as f64 * 1e-12;
        self.last = frame.now;
        let size = frame.size as f64;
        self.held = (self.held - self.served * passed).max(0.0);
        let full = self.held + size > self.size;
        if !full {
            self.held += size;
        }
        let raised = self.served + self.gain * self.share * self.line * passed;
        self.served = (raised.min(self.line) - self.gain * size).max(0.0);
        match full {
            true => frame.punish(self.mark),
            false => Verdict::Accept,
        }
    }

    fn warning(&self) -> Option<String> {
        let none = self.line == 0.0;
        none.then(|| "avq needs a link with a rate: here it neither marks nor drops".to_owned())
    }
}

/// The row: what `list`, `explain`, `check`, the schema and the builders of Python know of the queue.
const AVQ: Part<Build> = Part {
    id: "avq",
    aliases: &[],
    summary: "AVQ: marks or drops arrivals that a virtual queue with an adaptive rate has no room for",
    source: "Kunniyur and Srikant, ACM SIGCOMM 2001",
    options: &[
        Opt::new(
            "share",
            Kind::Share,
            Default::Is("98 %"),
            "the load that is wanted, of the line rate",
        )
        .at_least("1 %")
        .at_most("100 %"),
        Opt::new(
            "gain",
            Kind::Number,
            Default::Is("0.15"),
            "how fast the rate of the virtual queue follows the load, 1/s; 0: it stays at `share` of the line rate",
        )
        .at_least("0")
        .at_most("10"),
        Opt::new(
            "size",
            Kind::Bytes,
            Default::Is("150 kB"),
            "bytes for which the virtual queue has room",
        )
        .at_least("1 B"),
        Opt::new(
            "ecn",
            Kind::Flag,
            Default::Is("true"),
            "mark packets that take marks instead of dropping them",
        ),
    ],
    build: |args| {
        Ok(Queue::managed_by(Avq {
            share: args.share("share"),
            gain: args.number("gain"),
            size: args.bytes("size").0 as f64,
            mark: args.flag("ecn"),
            line: 0.0,
            served: 0.0,
            held: 0.0,
            last: Time::ZERO,
        }))
    },
};

/// Adds the queue to the engine of this process.
///
/// # Errors
/// When a scenario has been read before, or another queue has this name.
pub fn register() -> Result<(), NotAdded> {
    queue::add(Addition {
        part: AVQ,
        code: &[include_str!("lib.rs")],
    })
}
