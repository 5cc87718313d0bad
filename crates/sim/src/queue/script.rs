//! Queue management written in another language. What a scenario says of it is checked here like that of any other queue; a host
//! puts its own in the place before the world is built. Until then every frame passes.

use backwater_transport::part::Part;
use backwater_transport::script::{FILE_OPTION, FURTHER_OPTION, class_option};

use super::aqm::Aqm;
use super::row::{Build, CLASSES, Made};

/// See the head of the file.
#[derive(Copy, Clone, Debug)]
pub struct Script;

impl Aqm for Script {}

/// The row.
pub(super) const PART: Part<Build<Script>> = Part {
    id: "python",
    aliases: &[],
    summary: "queue management that is a class of your own, written in Python",
    source: "docs/how-to.md",
    options: &[
        FILE_OPTION,
        class_option("class with a method push, pop or both"),
        CLASSES,
        FURTHER_OPTION,
    ],
    build: |args| {
        Ok(Made {
            classes: args.count("classes") as usize,
            ..Script.into()
        })
    },
};
