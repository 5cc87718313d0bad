//! A table against the fields its shape allows.

use backwater_transport::part::{Args, Default};

use crate::diagnostic::{Diagnostic, Fault};
use crate::files::Files;
use crate::options::{self, default, missing, unknown};
use crate::shape::{Field, SCHEMA, Shape, Variant};
use crate::tree::Node;

/// A table whose names are all known and whose scalars are all checked.
pub struct Record<'a> {
    /// The table.
    pub node: &'a Node,
    /// Its scalars, defaults filled in.
    pub args: Args,
    /// Its simple scalars that are not at their defaults: what the canonical form has of them.
    pub simple: Args,
}

impl<'a> Record<'a> {
    /// Reads the fields of a table. Names in `besides` are allowed, too, and not read.
    pub fn read(
        node: &'a Node,
        fields: &[Field],
        besides: &[&str],
        files: &mut Files<'_>,
    ) -> Result<Record<'a>, Diagnostic> {
        for entry in node.table()? {
            if !besides.contains(&entry.key.as_str()) && fields.iter().all(|f| f.name != entry.key)
            {
                let valid = besides.iter().copied().chain(fields.iter().map(|f| f.name));
                return Err(unknown(&entry.key, &node.path, valid).at(&entry.origin));
            }
        }
        let (mut args, mut simple) = (Vec::new(), Vec::new());
        for field in fields {
            let written = node.get(field.name);
            if written.is_none() && field.required {
                return Err(node.refuse(missing(
                    field.name,
                    field.help,
                    &example(field),
                    &node.path,
                )));
            }
            let Shape::Scalar(option) = field.shape else {
                continue;
            };
            let value = match (written, option.default) {
                (Some(node), _) => Some(options::value(node, &option, files)?),
                (None, Default::Is(text)) => Some(default(&option, text)),
                (None, Default::Absent | Default::Required) => None,
            };
            let Some(value) = value else {
                continue;
            };
            let is_default =
                matches!(option.default, Default::Is(text) if value == default(&option, text));
            if field.simple && !is_default {
                simple.push((option.name, value.clone()));
            }
            args.push((option.name, value));
        }
        Ok(Record {
            node,
            args: Args(args),
            simple: Args(simple),
        })
    }

    /// Reads a table whose `kind` says which fields; where it is left out, `otherwise` may.
    pub fn variant(
        node: &'a Node,
        variants: &'static [Variant],
        otherwise: Option<&'static str>,
        files: &mut Files<'_>,
    ) -> Result<(&'static str, Record<'a>), Diagnostic> {
        node.table()?;
        let kinds = || variants.iter().map(|v| v.kind);
        let fields = |kind: &str| variants.iter().find(|v| v.kind == kind);
        if let (None, Some(variant)) = (node.get("kind"), otherwise.and_then(fields)) {
            let record = Record::read(node, variant.fields, &["kind"], files)?;
            return Ok((variant.kind, record));
        }
        let Some(kind) = node.get("kind") else {
            let example = format!("\"{}\"", variants[0].kind);
            return Err(node.refuse(missing("kind", "what it is", &example, &node.path)));
        };
        let name = kind.text()?;
        let Some(variant) = fields(name) else {
            return Err(kind.refuse(Fault::unknown(
                format!("unknown kind `{name}` in `{}`", node.path),
                name,
                kinds(),
            )));
        };
        Ok((
            variant.kind,
            Record::read(node, variant.fields, &["kind"], files)?,
        ))
    }

    /// A field that was written.
    pub fn get(&self, name: &str) -> Option<&'a Node> {
        self.node.get(name)
    }

    /// A field that its shape requires.
    pub fn need(&self, name: &str) -> &'a Node {
        self.node.get(name).expect("a required field was checked")
    }
}

fn example(field: &Field) -> String {
    match field.shape {
        Shape::Scalar(option) => options::example(&option),
        Shape::Text if field.name == "schema" => format!("\"{SCHEMA}\""),
        Shape::Text => "\"…\"".to_owned(),
        Shape::Texts => "[\"…\", \"…\"]".to_owned(),
        Shape::Capacity => "\"50 kB\"".to_owned(),
        Shape::FileOr(_) => "\"trace.down\"".to_owned(),
        Shape::Parts(_) => "[{ kind = \"…\" }]".to_owned(),
        Shape::Part(_) | Shape::Section(_) | Shape::OneOf(_) | Shape::Default(_) => {
            "{ kind = \"…\" }".to_owned()
        }
        Shape::Fields(_) | Shape::Partly(_) | Shape::Things(_) | Shape::Settings(_) => {
            "{ … }".to_owned()
        }
    }
}
