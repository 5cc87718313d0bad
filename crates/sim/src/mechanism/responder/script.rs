//! A responder written in another language. What a scenario says of it is checked here like any other part's; a
//! host puts its own in the mechanism's place before the world is built. Until then it would answer nothing.

use backwater_transport::part::Part;
use backwater_transport::script::{FILE_OPTION, FURTHER_OPTION, class_option};

use super::{AnyResponder, Build, Knobs, Responder};
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::Notice;

/// Its needs.
pub const NEEDS: Needs = Needs::of(Set::GATES);

/// The row.
pub(super) const PART: Part<Build> = Part {
    id: "python",
    aliases: &[],
    summary: "a class of your own, written in Python",
    source: "docs/tutorial.md",
    options: &[
        FILE_OPTION,
        class_option("class with a method react"),
        FURTHER_OPTION,
    ],
    build: |_| Ok(AnyResponder::Custom(Box::new(Script))),
};

/// See the head of the file.
#[derive(Copy, Clone, Debug)]
struct Script;

impl Responder for Script {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn react(&mut self, _: &Notice, _: &mut Knobs) {}
}
