//! A detector written in another language. What a scenario says of it is checked here like any other part's; a
//! host puts its own in the mechanism's place before the world is built. Until then nothing would ever be congested.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::script::{FILE_OPTION, FURTHER_OPTION, class_option};

use super::row::{Build, Detector};
use crate::mechanism::moment::{Moment, Signal};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::place::View;

/// Name of the option with what it looks at.
const WATCH: &str = "watch";
const INGRESS: &str = "ingress";

/// The row.
pub(super) const PART: Part<Build<Script>> = Part {
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
            "what it looks at: the class queues of an output port or the categories of a station, or what came in over an interface",
        ),
    ],
    build,
};

/// Its needs where it watches packets that wait to leave, as it does unless `watch` says otherwise.
pub const NEEDS: Needs =
    Needs::of(Set::BOUND.and(Set::HOLDINGS).and(Set::SOJOURN)).giving(Set::QUEUE);

/// Its needs where it watches packets that came in over an interface.
const NEEDS_INGRESS: Needs = Needs::of(Set::INTERFACES);

fn build(args: &Args) -> Result<Script, Refusal> {
    Ok(Script { needs: needs(args) })
}

/// The needs of a detector with these options.
pub fn needs(args: &Args) -> Needs {
    match args.choice(WATCH) {
        INGRESS => NEEDS_INGRESS,
        _ => NEEDS,
    }
}

/// See the head of the file.
#[derive(Copy, Clone, Debug)]
pub struct Script {
    needs: Needs,
}

impl Detector for Script {
    fn needs(&self) -> Needs {
        self.needs
    }

    fn observe(&mut self, _: &Moment, _: &View) -> Option<Signal> {
        None
    }
}
