//! A detector written in another language. What a scenario says of it is checked here like any other part's; a
//! host puts its own in the mechanism's place before the world is built. Until then nothing would ever be congested.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::script::{FILE_OPTION, FURTHER_OPTION, class_option};

use super::{AnyDetector, Build, Detector, Level, Watch};

/// Name of the option with what it looks at.
const WATCH: &str = "watch";
const INGRESS: &str = "ingress";

/// The row.
pub(super) const PART: Part<Build> = Part {
    id: "python",
    aliases: &[],
    summary: "a class of your own, written in Python",
    source: "docs/tutorial.md",
    options: &[
        FILE_OPTION,
        class_option("class with methods alarm and relief"),
        FURTHER_OPTION,
        Opt::new(
            WATCH,
            Kind::Choice(&["egress", INGRESS]),
            Default::Is("egress"),
            "what it looks at: the class queues of an output port, or what came in over an interface",
        ),
    ],
    build,
};

fn build(args: &Args) -> Result<AnyDetector, Refusal> {
    Ok(AnyDetector::Custom(Box::new(Script { watch: place(args) })))
}

/// Where a detector with these options looks.
pub fn place(args: &Args) -> Watch {
    match args.choice(WATCH) {
        INGRESS => Watch::Ingress,
        _ => Watch::Egress,
    }
}

/// See the head of the file.
#[derive(Copy, Clone, Debug)]
struct Script {
    watch: Watch,
}

impl Detector for Script {
    fn watch(&self) -> Watch {
        self.watch
    }

    fn alarm(&mut self, _: &Level) -> bool {
        false
    }

    fn relief(&mut self, _: &Level) -> bool {
        true
    }
}
