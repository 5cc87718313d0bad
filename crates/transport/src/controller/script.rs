//! A controller written in another language. What a scenario says of it is checked here like any
//! other part's; a host makes the controller itself and gives it to the flow before the run
//! (`World::set_controller`). Until then the flow would keep its initial window.

use super::{Ack, AnyController, Build, Congestion, Controller, CustomController, Limits, Setup};
use crate::part::{Args, Default, Kind, Opt, Part, Refusal};
use crate::units::Time;

/// Name of the option with the file.
pub const FILE: &str = "file";
/// Name of the option with the class.
pub const CLASS: &str = "class";
/// Name of the option with what the class is called with.
pub const OPTIONS: &str = "options";

/// The row.
pub const PART: Part<Build> = Part {
    id: "python",
    aliases: &[],
    summary: "a class of your own, written in Python",
    source: "docs/tutorial.md",
    options: &[
        Opt::new(
            FILE,
            Kind::File,
            Default::Required,
            "file of the class, which stands by itself",
        ),
        Opt::new(
            CLASS,
            Kind::Text,
            Default::Required,
            "class with a window and a method on_round or on_ack",
        ),
        Opt::new(
            OPTIONS,
            Kind::Table,
            Default::Absent,
            "further arguments of the class, by name",
        ),
    ],
    build,
};

fn build(_: &Args, setup: &Setup) -> Result<AnyController, Refusal> {
    Ok(AnyController::Custom(Box::new(Script {
        initial: setup.initial,
    })))
}

/// See the head of the file.
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
