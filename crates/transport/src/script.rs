//! Options of a part that is a class in another language: the file, the class and its arguments. Only
//! the text is checked here; the host language executes the file.

use crate::part::{Default, Kind, Opt};

/// Name of the option with the file.
pub const FILE: &str = "file";
/// Name of the option with the class.
pub const CLASS: &str = "class";
/// Name of the option with the arguments of the class.
pub const OPTIONS: &str = "options";

/// The file.
pub const FILE_OPTION: Opt = Opt::new(
    FILE,
    Kind::File,
    Default::Required,
    "file of the class, which imports no file beside it",
);

/// The class. `has` describes its methods.
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
