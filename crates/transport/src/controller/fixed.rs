//! A constant window. Detects: nothing. Tells: nobody. Responds: never.
//!
//! Reference: the 6.829 report, first plot. No deviations.

use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Inspect, Limits, Reduction,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::walk::Walk;

/// The window in bytes.
#[derive(Clone, Debug)]
pub struct Fixed {
    window: u64,
}

impl Controller for Fixed {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits::of(self.window)
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn walk(&mut self, walk: &mut Walk, _flow: &str) {
        walk.same(self.window);
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            state: "fixed",
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Fixed>> = Part {
    id: "fixed",
    aliases: &[],
    summary: "a constant window",
    source: "6.829 report, plot 1",
    options: &[Opt::new(
        "window",
        Kind::Packets,
        Default::Is("50 packets"),
        "full segments in flight",
    )
    .at_least("1 packets")
    .at_most("1000000 packets")],
    build: |args, setup| {
        let window = args.packets("window") * setup.mss;
        Ok(Fixed { window })
    },
};
