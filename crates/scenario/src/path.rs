//! Overrides: `flows.*.source.rate`, `ports."W>D".buffer`. A path names values that stand in the
//! scenario, or fields left to their defaults; one that matches nothing is refused.

use crate::diagnostic::{Diagnostic, Fault, Origin, listed, nearest};
use crate::shape::Shape;
use crate::tree::{Entry, Node, Value, join};

/// A segment of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Name(String),
    /// `*` without quotes.
    Every,
}

/// Sets every value that `path` names. Nothing changes when the path is refused.
pub fn set(
    root: &mut Node,
    shape: Shape,
    path: &str,
    value: &serde_json::Value,
    origin: &str,
) -> Result<(), Diagnostic> {
    let origin = Origin::Set(origin.into());
    let refuse = |fault: Fault| fault.at(&origin);
    let segments = parse(path).map_err(refuse)?;
    if segments.is_empty() {
        return Err(refuse(Fault::new(
            "the path is empty",
            "write a path such as flows.f1.source.rate",
        )));
    }
    let mut changed = root.clone();
    let setting = Setting {
        path,
        segments: &segments,
        value,
        origin: &origin,
    };
    let count = setting
        .assign(&mut changed, Some(shape), 0, false)
        .map_err(refuse)?;
    if count == 0 {
        return Err(refuse(Fault::new(
            format!("the path `{path}` matches nothing"),
            "name a value of the scenario",
        )));
    }
    *root = changed;
    Ok(())
}

struct Setting<'a> {
    path: &'a str,
    segments: &'a [Segment],
    value: &'a serde_json::Value,
    origin: &'a Origin,
}

impl Setting<'_> {
    /// Sets what matches from segment `depth` on, and says how many values that were. `strict` once
    /// a `*` was passed: then a field is added only where the thing's own kind has it.
    fn assign(
        &self,
        node: &mut Node,
        shape: Option<Shape>,
        depth: usize,
        strict: bool,
    ) -> Result<usize, Fault> {
        let Some(segment) = self.segments.get(depth) else {
            *node = Node::of_json(self.value, node.path.clone(), self.origin);
            return Ok(1);
        };
        let path = node.path.clone();
        match (segment, &mut node.value) {
            (Segment::Every, Value::Table(entries)) => {
                let keys: Vec<String> = entries.iter().map(|e| e.key.clone()).collect();
                let mut count = 0;
                for (entry, key) in keys.iter().enumerate() {
                    let inner = shape.and_then(|s| s.child(node, key, true));
                    if let Value::Table(entries) = &mut node.value {
                        count += self.assign(&mut entries[entry].node, inner, depth + 1, true)?;
                    }
                }
                Ok(count)
            }
            (Segment::Every, Value::List(items)) => {
                let mut count = 0;
                for item in items {
                    count += self.assign(item, None, depth + 1, true)?;
                }
                Ok(count)
            }
            (Segment::Name(name), Value::List(items)) => {
                match name.parse::<usize>().ok().and_then(|i| items.get_mut(i)) {
                    Some(item) => self.assign(item, None, depth + 1, strict),
                    None if strict => Ok(0),
                    None => Err(Fault::new(
                        format!("`{path}` has no item `{name}`"),
                        "write the position of an item, from 0",
                    )),
                }
            }
            (Segment::Name(name), Value::Table(_)) => {
                self.assign_name(node, shape, name, depth, strict)
            }
            _ if strict => Ok(0),
            (_, other) => {
                let what = format!(
                    "the path `{}` matches nothing: `{path}` is {}, not a table",
                    self.path,
                    other.noun()
                );
                Err(Fault {
                    what,
                    nearest: vec![path.clone()],
                    fix: format!("write `{path}`"),
                })
            }
        }
    }

    fn assign_name(
        &self,
        node: &mut Node,
        shape: Option<Shape>,
        name: &str,
        depth: usize,
        strict: bool,
    ) -> Result<usize, Fault> {
        let inner = shape.and_then(|s| s.child(node, name, strict));
        if let Value::Table(entries) = &mut node.value
            && let Some(entry) = entries.iter_mut().find(|e| e.key == name)
        {
            return self.assign(&mut entry.node, inner, depth + 1, strict);
        }
        let Some(inner) = inner else {
            return if strict {
                Ok(0)
            } else {
                Err(self.nothing(node, shape, name, depth))
            };
        };
        let path = join(&node.path, name);
        let mut added = Node {
            path,
            origin: self.origin.clone(),
            value: Value::Table(Vec::new()),
        };
        let count = self.assign(&mut added, Some(inner), depth + 1, strict)?;
        if let (Value::Table(entries), true) = (&mut node.value, count > 0) {
            entries.push(Entry {
                key: name.to_owned(),
                origin: self.origin.clone(),
                node: added,
            });
        }
        Ok(count)
    }

    /// The refusal of a name that neither stands in a table nor may be added.
    fn nothing(&self, node: &Node, shape: Option<Shape>, name: &str, depth: usize) -> Fault {
        let mut valid: Vec<&str> = node.entries().iter().map(|e| e.key.as_str()).collect();
        valid.extend(shape.map(|s| s.names(node)).unwrap_or_default());
        valid.sort_unstable();
        valid.dedup();
        let whole = |key: &str| {
            self.segments[depth + 1..]
                .iter()
                .fold(join(&node.path, key), |path, segment| match segment {
                    Segment::Name(name) => join(&path, name),
                    Segment::Every => format!("{path}.*"),
                })
        };
        let near: Vec<String> = nearest(name, valid.iter().copied())
            .iter()
            .map(|key| whole(key))
            .collect();
        let within = if node.path.is_empty() {
            "the scenario".to_owned()
        } else {
            format!("`{}`", node.path)
        };
        let fix = match (near.first(), valid.is_empty()) {
            (Some(path), _) => format!("write `{path}`"),
            (None, true) => format!("{within} is empty: write what it holds into the scenario"),
            (None, false) => format!("{within} has {}", listed(&valid)),
        };
        Fault {
            what: format!(
                "the path `{}` matches nothing: no `{name}` in {within}",
                self.path
            ),
            nearest: near,
            fix,
        }
    }
}

/// Names between dots, in quotes where they hold dots; what `World` writes unquoted is read too.
fn parse(path: &str) -> Result<Vec<Segment>, Fault> {
    names(path).map(|names| {
        let segment = |(name, quoted): (String, bool)| match (name.as_str(), quoted) {
            ("*", false) => Segment::Every,
            _ => Segment::Name(name),
        };
        names.into_iter().map(segment).collect()
    })
}

/// The names of a path, each with whether it was quoted.
pub fn names(path: &str) -> Result<Vec<(String, bool)>, Fault> {
    let wrong = |why: &str| {
        Fault::new(
            format!("the path `{path}` {why}"),
            "write names between dots, such as ports.\"W>D\".buffer",
        )
    };
    let mut found = Vec::new();
    let mut rest = path;
    if path.is_empty() {
        return Ok(found);
    }
    loop {
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        if let Some(quote) = quote {
            let mut name = String::new();
            let mut chars = rest[1..].char_indices();
            let end = loop {
                match chars.next() {
                    None => return Err(wrong("lacks a closing quote")),
                    Some((i, c)) if c == quote => break i + 2,
                    Some((_, '\\')) if quote == '"' => name.push(
                        chars
                            .next()
                            .ok_or_else(|| wrong("lacks a closing quote"))?
                            .1,
                    ),
                    Some((_, c)) => name.push(c),
                }
            };
            found.push((name, true));
            rest = &rest[end..];
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            if end == 0 {
                return Err(wrong("has an empty name"));
            }
            found.push((rest[..end].to_owned(), false));
            rest = &rest[end..];
        }
        match rest.strip_prefix('.') {
            Some(more) => rest = more,
            None if rest.is_empty() => return Ok(found),
            None => return Err(wrong("lacks a dot after a quoted name")),
        }
    }
}
