//! The shapes of a scenario's values. `fields` says which names stand where; reading, overriding by
//! path and the JSON schema all follow it.

use backwater_transport::part::{Default, Kind, Opt};

use crate::kinds::PartKind;
use crate::tree::Node;

/// The value of `schema`.
pub const SCHEMA: &str = "backwater/scenario/1";

/// The shape of a value.
#[derive(Copy, Clone, Debug)]
pub enum Shape {
    /// A scalar with a unit, bounds and default.
    Scalar(Opt),
    /// A name or pattern.
    Text,
    /// A list of names or patterns.
    Texts,
    /// A buffer: bytes, packets or unlimited.
    Capacity,
    /// A table of these fields.
    Fields(&'static [Field]),
    /// The same, where what is required may stand elsewhere.
    Partly(&'static [Field]),
    /// A table whose `kind` says which fields.
    OneOf(&'static [Variant]),
    /// The same; without a `kind` it is the first.
    Default(&'static [Variant]),
    /// A list of parts.
    Parts(PartKind),
    /// The path of a file, or a part.
    FileOr(PartKind),
    /// A table of things with names that a person chose.
    Things(&'static Shape),
    /// A table of settings for things named elsewhere.
    Settings(&'static Shape),
    /// A part: `kind` and the part's options.
    Part(PartKind),
    /// A part whose `kind` may come from a recipe.
    Section(PartKind),
}

/// A name in a table.
#[derive(Copy, Clone, Debug)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Value.
    pub shape: Shape,
    /// Whether it must be written.
    pub required: bool,
    /// One line.
    pub help: &'static str,
    /// Whether the canonical form has it as it was written, and leaves it out at its default.
    pub simple: bool,
}

/// The fields that go with a `kind`.
#[derive(Copy, Clone, Debug)]
pub struct Variant {
    /// The kind.
    pub kind: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The fields besides `kind`.
    pub fields: &'static [Field],
}

impl Field {
    /// A scalar.
    pub const fn option(opt: Opt) -> Field {
        Field {
            name: opt.name,
            required: matches!(opt.default, Default::Required),
            help: opt.help,
            shape: Shape::Scalar(opt),
            simple: false,
        }
    }

    /// A scalar that the canonical form has as it was written, and leaves out at its default. Others stand there
    /// in a form of their own.
    pub const fn simple(opt: Opt) -> Field {
        Field {
            simple: true,
            ..Field::option(opt)
        }
    }

    /// A field that must be written.
    pub const fn needed(name: &'static str, shape: Shape, help: &'static str) -> Field {
        Field {
            name,
            shape,
            required: true,
            help,
            simple: false,
        }
    }

    /// A field that may be left out.
    pub const fn free(name: &'static str, shape: Shape, help: &'static str) -> Field {
        Field {
            name,
            shape,
            required: false,
            help,
            simple: false,
        }
    }
}

impl Shape {
    /// The fields or options that may stand in this table, `kind` included. Where the table doesn't
    /// say its kind: those of every kind.
    fn fields(self, table: &Node, strict: bool) -> Vec<(&'static str, Shape)> {
        let kind = match table.get("kind").map(|k| &k.value) {
            Some(crate::tree::Value::Text(kind)) if strict => Some(kind.as_str()),
            _ => None,
        };
        let pair = |f: &Field| (f.name, f.shape);
        let tag = ("kind", Shape::Text);
        match self {
            Shape::Fields(fields) | Shape::Partly(fields) => fields.iter().map(pair).collect(),
            Shape::OneOf(variants) | Shape::Default(variants) => {
                let chosen = variants.iter().filter(|v| kind.is_none_or(|k| k == v.kind));
                chosen
                    .flat_map(|v| v.fields.iter().map(pair))
                    .chain([tag])
                    .collect()
            }
            Shape::Part(part) | Shape::Section(part) | Shape::FileOr(part) => {
                let chosen = part
                    .rows()
                    .into_iter()
                    .filter(|r| kind.is_none_or(|k| k == r.id || r.aliases.contains(&k)));
                chosen
                    .flat_map(|r| r.options.iter().map(|o| (o.name, Shape::Scalar(*o))))
                    .chain([tag])
                    .collect()
            }
            Shape::Scalar(_)
            | Shape::Text
            | Shape::Texts
            | Shape::Capacity
            | Shape::Parts(_)
            | Shape::Things(_)
            | Shape::Settings(_) => Vec::new(),
        }
    }

    /// The shape of a name that stands in this table or may be added to it. `strict` looks at the
    /// table's own kind only.
    pub fn child(self, table: &Node, name: &str, strict: bool) -> Option<Shape> {
        match self {
            Shape::Things(of) => table.get(name).map(|_| *of),
            Shape::Settings(of) => Some(*of),
            Shape::Scalar(option) if option.kind == Kind::Table => Some(Shape::Text),
            _ => self
                .fields(table, strict)
                .into_iter()
                .find(|(n, _)| *n == name)
                .map(|(_, shape)| shape),
        }
    }

    /// Names that may be added to this table.
    pub fn names(self, table: &Node) -> Vec<&'static str> {
        self.fields(table, false)
            .into_iter()
            .map(|(name, _)| name)
            .collect()
    }
}
