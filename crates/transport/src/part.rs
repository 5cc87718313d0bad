//! One row of a table. A source, queue, mechanism part or controller is one file with one `Part`: its
//! name, its options, and the function that builds it from checked arguments. The CLI, the
//! documentation, the JSON schema and the scenario reader iterate over the tables.

use std::sync::Arc;

use crate::units::{Bytes, Rate, Span};

/// The kind of an option's value. Scenarios write quantities with a unit.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Kind {
    /// A time such as `"20 ms"`.
    Span,
    /// A rate such as `"10 Mbit/s"`.
    Rate,
    /// A size such as `"50 kB"`.
    Bytes,
    /// A number of packets such as `"20 packets"`.
    Packets,
    /// A share such as `"80 %"`, read as 0..1.
    Share,
    /// A plain non-negative integer.
    Count,
    /// A plain dimensionless number.
    Number,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A length such as `"100 m"`; it may be negative.
    Metres,
    /// A ratio such as `"10 dB"`; it may be negative.
    Decibels,
    /// A power such as `"-93.5 dBm"`.
    Dbm,
    /// The path of a file. The scenario reader reads the content.
    File,
    /// A name.
    Text,
    /// A table of plain values. The part checks them.
    Table,
    /// A list of whole numbers, or its packed form.
    Series,
}

/// The value of an option that the scenario omits.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Default {
    /// The option must be written.
    Required,
    /// The option may be absent; its help says what that means.
    Absent,
    /// The value, as a scenario writes it.
    Is(&'static str),
}

/// One option of a part.
#[derive(Copy, Clone, Debug)]
pub struct Opt {
    /// Name in the scenario.
    pub name: &'static str,
    /// Kind of value.
    pub kind: Kind,
    /// Its default.
    pub default: Default,
    /// Least legal value, as a scenario writes it.
    pub min: Option<&'static str>,
    /// Greatest legal value, as a scenario writes it.
    pub max: Option<&'static str>,
    /// One line for help and reference.
    pub help: &'static str,
}

impl Opt {
    /// An option without bounds.
    pub const fn new(name: &'static str, kind: Kind, default: Default, help: &'static str) -> Opt {
        Opt {
            name,
            kind,
            default,
            min: None,
            max: None,
            help,
        }
    }

    /// The same option with a least legal value.
    pub const fn at_least(mut self, min: &'static str) -> Opt {
        self.min = Some(min);
        self
    }

    /// The same option with a greatest legal value.
    pub const fn at_most(mut self, max: &'static str) -> Opt {
        self.max = Some(max);
        self
    }
}

/// A file that the scenario reader has read.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// Path as written, for messages.
    pub path: String,
    /// Content.
    pub content: Arc<[u8]>,
}

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A time.
    Span(Span),
    /// A rate.
    Rate(Rate),
    /// A size.
    Bytes(Bytes),
    /// A number of packets.
    Packets(u64),
    /// A share, 0..1.
    Share(f64),
    /// An integer.
    Count(u64),
    /// A number.
    Number(f64),
    /// A flag.
    Flag(bool),
    /// A word of a choice.
    Choice(&'static str),
    /// A file.
    File(File),
    /// A name.
    Text(String),
    /// A table as JSON, in the order of its names.
    Table(String),
    /// Whole numbers.
    Series(Arc<[u64]>),
}

/// The checked arguments of one part: every option with a value, defaults filled in. The getters panic
/// if the part does not declare an option of that name and kind: that is a bug in the part.
#[derive(Clone, Debug, Default)]
pub struct Args(pub Vec<(&'static str, Value)>);

macro_rules! getter {
    ($name:ident, $variant:ident, $type:ty, $doc:literal) => {
        #[doc = $doc]
        pub fn $name(&self, name: &str) -> $type {
            match self.find(name) {
                Some(Value::$variant(v)) => v.clone(),
                other => panic!("option {name} is {other:?}"),
            }
        }
    };
}

impl Args {
    /// The value of an option, if it has one.
    pub fn find(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, v)| v)
    }

    /// Whether the option has a value.
    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    getter!(span, Span, Span, "A time.");
    getter!(rate, Rate, Rate, "A rate.");
    getter!(bytes, Bytes, Bytes, "A size.");
    getter!(packets, Packets, u64, "A number of packets.");
    getter!(share, Share, f64, "A share, 0..1.");
    getter!(count, Count, u64, "An integer.");
    getter!(number, Number, f64, "A number.");
    getter!(flag, Flag, bool, "A flag.");
    getter!(choice, Choice, &'static str, "A word of a choice.");
    getter!(file, File, File, "A file.");
    getter!(text, Text, String, "A name.");
    getter!(table, Table, String, "A table as JSON.");
    getter!(series, Series, Arc<[u64]>, "Whole numbers.");
}

/// Why a part cannot be built from arguments that were each legal.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The option with the wrong value.
    pub option: &'static str,
    /// The error.
    pub what: String,
    /// The remedy.
    pub fix: String,
}

/// How a row makes its part from options that were checked. Each table has its own `T`.
pub type Build<T> = fn(&Args) -> Result<T, Refusal>;

/// A row of a table; `build` is usually a `Build`.
#[derive(Copy, Clone, Debug)]
pub struct Part<B: 'static> {
    /// Name in scenarios.
    pub id: &'static str,
    /// Other accepted names.
    pub aliases: &'static [&'static str],
    /// One line.
    pub summary: &'static str,
    /// Where it is defined: RFC, standard clause, paper.
    pub source: &'static str,
    /// Its options.
    pub options: &'static [Opt],
    /// The function that builds it.
    pub build: B,
}

impl<B> Part<B> {
    /// The same row with another build function.
    pub const fn with_build<C>(&self, build: C) -> Part<C> {
        Part {
            id: self.id,
            aliases: self.aliases,
            summary: self.summary,
            source: self.source,
            options: self.options,
            build,
        }
    }
}
