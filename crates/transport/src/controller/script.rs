//! A controller written in another language. Its options are checked here as for any part. The host
//! language creates the controller and gives it to the flow before the run (`World::set_controller`).
//! Without it the flow would keep its initial window.

use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, CustomController, Limits, Setup,
};
use crate::part::{Args, Part, Refusal};
use crate::script::{FILE_OPTION, FURTHER_OPTION, class_option};
use crate::units::Time;

/// The row.
pub const PART: Part<BuildOf<Box<dyn CustomController>>> = Part {
    id: "python",
    aliases: &[],
    summary: "a class of your own, written in Python",
    source: "docs/tutorial.md",
    options: &[
        FILE_OPTION,
        class_option("class with a window and a method on_round or on_ack"),
        FURTHER_OPTION,
    ],
    build,
};

fn build(_: &Args, setup: &Setup) -> Result<Box<dyn CustomController>, Refusal> {
    Ok(Box::new(Script {
        initial: setup.initial,
    }))
}

/// Placeholder until the host sets the controller: a constant initial window.
#[derive(Copy, Clone, Debug)]
struct Script {
    initial: u64,
}

impl Controller for Script {
    fn on_ack(&mut self, _: &Ack) {}

    fn on_congestion(&mut self, _: &Congestion) {}

    fn limits(&self) -> Limits {
        Limits {
            window: self.initial,
            pacing: None,
            wake: Time::NEVER,
        }
    }
}

impl CustomController for Script {
    fn fork(&self) -> Box<dyn CustomController> {
        Box::new(*self)
    }
}
