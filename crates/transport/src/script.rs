//! What a scenario says of a part that is a class of another language: a file, a class, and what the class is called with.
//! Only the text is checked here; a host executes the file.

use crate::part::{Default, Kind, Opt};

/// Name of the option with the file.
pub const FILE: &str = "file";
/// Name of the option with the class.
pub const CLASS: &str = "class";
/// Name of the option with what the class is called with.
pub const OPTIONS: &str = "options";

/// The file.
pub const FILE_OPTION: Opt = Opt::new(
    FILE,
    Kind::File,
    Default::Required,
    "file of the class, which stands by itself",
);

/// The class, which `has` methods.
pub const fn class_option(has: &'static str) -> Opt {
    Opt::new(CLASS, Kind::Text, Default::Required, has)
}

/// Further arguments.
pub const FURTHER_OPTION: Opt = Opt::new(
    OPTIONS,
    Kind::Table,
    Default::Absent,
    "further arguments of the class, by name",
);
