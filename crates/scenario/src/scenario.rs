//! A scenario between text and run: it can be overridden and resolved any number of times.

use std::sync::Arc;

use crate::decode;
use crate::diagnostic::{Diagnostic, Fault, Origin, Text};
use crate::fields::SCENARIO;
use crate::files::{Files, Folders};
use crate::path;
use crate::resolved::Resolved;
use crate::shape::Shape;
use crate::shorthand;
use crate::tree::{Node, json};

/// Longer texts are refused rather than read.
const LONGEST_TEXT: usize = 64 << 20;

/// A scenario as written, overrides included.
#[derive(Clone, Debug)]
pub struct Scenario {
    root: Arc<Node>,
    folders: Folders,
}

impl Scenario {
    /// Reads TOML. `name` is what messages call the text.
    pub fn from_toml(
        text: impl AsRef<[u8]>,
        name: &str,
        folders: Folders,
    ) -> Result<Scenario, Diagnostic> {
        let root = shorthand::write_out(Node::from_toml(&utf8(text.as_ref(), name)?)?)?;
        Ok(Scenario {
            root: Arc::new(root),
            folders,
        })
    }

    /// Reads JSON of the same form.
    pub fn from_json(
        text: impl AsRef<[u8]>,
        name: &str,
        folders: Folders,
    ) -> Result<Scenario, Diagnostic> {
        let root = shorthand::write_out(Node::from_json(&utf8(text.as_ref(), name)?)?)?;
        Ok(Scenario {
            root: Arc::new(root),
            folders,
        })
    }

    /// Sets every value that a path names: `flows.*.source.rate`, `ports."W>D".buffer`. `origin` is
    /// where messages say it was set, such as `--set PATH=VALUE`.
    pub fn set(
        &mut self,
        path: &str,
        value: &serde_json::Value,
        origin: &str,
    ) -> Result<(), Diagnostic> {
        let first = path::names(path)
            .ok()
            .and_then(|names| names.into_iter().next());
        if first.is_some_and(|(name, _)| name == shorthand::DEFAULTS) {
            let what =
                format!("the path `{path}` names defaults, and reading gave them to the flows");
            let fix = "set the flows themselves, such as flows.*.source.rate";
            return Err(Fault::new(what, fix).at(&Origin::Set(origin.into())));
        }
        path::set(
            Arc::make_mut(&mut self.root),
            Shape::Fields(SCENARIO),
            path,
            value,
            origin,
        )
    }

    /// The same with a value as JSON text, in which no name stands twice.
    ///
    /// # Errors
    /// When `set` refuses, or the text is no such value.
    pub fn set_json(&mut self, path: &str, value: &str, origin: &str) -> Result<(), Diagnostic> {
        let value = json::value(value).map_err(|what| {
            Fault::new(what, "write one JSON value").at(&Origin::Set(origin.into()))
        })?;
        self.set(path, &value, origin)
    }

    /// Checks everything and fixes the seed: the given one, or the scenario's own.
    pub fn resolve(&self, seed: Option<u64>) -> Result<Resolved, Diagnostic> {
        let mut files = Files::new(&self.folders);
        let draft = decode::draft(&self.root, seed, &mut files)?;
        Ok(Resolved::new(draft.seed, draft, self.root.clone(), &files))
    }

    /// The same, and keeps the files that were read: whatever is resolved later has them as they are now.
    pub fn resolve_once(&mut self, seed: Option<u64>) -> Result<Resolved, Diagnostic> {
        let mut files = Files::new(&self.folders);
        let draft = decode::draft(&self.root, seed, &mut files)?;
        let resolved = Resolved::new(draft.seed, draft, self.root.clone(), &files);
        let read = files.read.into_iter();
        let contents: Vec<_> = read.map(|(path, (file, _))| (path, file.content)).collect();
        self.folders.contents.extend(contents);
        Ok(resolved)
    }
}

fn utf8(text: &[u8], name: &str) -> Result<Arc<Text>, Diagnostic> {
    let text_of = |content: String| {
        Arc::new(Text {
            name: name.to_owned(),
            content,
        })
    };
    if text.len() > LONGEST_TEXT {
        let what = format!(
            "the scenario has {} bytes, more than {LONGEST_TEXT}",
            text.len()
        );
        return Err(
            Fault::new(what, "name a scenario file").at(&Origin::Whole(text_of(String::new())))
        );
    }
    match std::str::from_utf8(text) {
        Ok(content) => Ok(text_of(content.to_owned())),
        Err(error) => {
            let at = error.valid_up_to();
            // Each broken byte becomes one character, which keeps the line readable.
            let origin = Origin::Span(
                text_of(String::from_utf8_lossy(text).into_owned()),
                at..at + 1,
            );
            Err(Fault::new(
                "this is not text: a byte that UTF-8 doesn't have",
                "save the file as UTF-8",
            )
            .at(&origin))
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
