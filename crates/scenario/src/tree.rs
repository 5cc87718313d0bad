//! A scenario as it was written: tables, lists and scalars, each with its path and its place in the
//! text. TOML keeps positions; JSON keeps paths only.

pub mod json;

use std::sync::Arc;

use toml_edit::{Item, TableLike};

use crate::diagnostic::{Diagnostic, Fault, Origin, Text};

/// A value with its path and place.
#[derive(Clone, Debug)]
pub struct Node {
    /// Path from the root, such as `ports."W>D".buffer`; empty at the root.
    pub path: String,
    /// Where it was written.
    pub origin: Origin,
    /// The value that was written.
    pub value: Value,
}

/// A value as it was written.
#[derive(Clone, Debug)]
pub enum Value {
    /// Names and values in the order of the text.
    Table(Vec<Entry>),
    /// A list.
    List(Vec<Node>),
    /// A string.
    Text(String),
    /// A whole number.
    Integer(i128),
    /// A number with a point or an exponent; may be NaN or infinite.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A type that scenarios do not have: a date, a null.
    Foreign(&'static str),
}

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub key: String,
    /// Where the name was written.
    pub origin: Origin,
    /// Its value.
    pub node: Node,
}

impl Node {
    /// Reads TOML.
    pub fn from_toml(text: &Arc<Text>) -> Result<Node, Diagnostic> {
        let document = toml_edit::Document::parse(text.content.as_str()).map_err(|error| {
            let end = text.content.trim_end().len();
            let span = error.span().unwrap_or(end..end);
            let what = format!("this is not TOML: {}", error.message());
            let fix = "correct the syntax here: a line is `name = value`, and texts are in quotes";
            Fault::new(what, fix).at(&Origin::Span(text.clone(), span))
        })?;
        Ok(Node {
            path: String::new(),
            origin: Origin::Span(text.clone(), 0..0),
            value: toml_table(document.as_table(), "", text),
        })
    }

    /// Reads JSON.
    pub fn from_json(text: &Arc<Text>) -> Result<Node, Diagnostic> {
        json::read(text)
    }

    /// A JSON value at a path.
    pub fn of_json(value: &serde_json::Value, path: String, origin: &Origin) -> Node {
        use serde_json::Value as Json;
        let value = match value {
            Json::Null => Value::Foreign("null"),
            Json::Bool(flag) => Value::Flag(*flag),
            Json::Number(number) => match number.as_i128() {
                Some(integer) => Value::Integer(integer),
                None => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(items) => Value::List(
                items
                    .iter()
                    .enumerate()
                    .map(|(i, v)| Node::of_json(v, join(&path, &i.to_string()), origin))
                    .collect(),
            ),
            Json::Object(fields) => Value::Table(
                fields
                    .iter()
                    .map(|(key, v)| Entry {
                        key: key.clone(),
                        origin: origin.clone(),
                        node: Node::of_json(v, join(&path, key), origin),
                    })
                    .collect(),
            ),
        };
        Node {
            path,
            origin: origin.clone(),
            value,
        }
    }

    /// Whether the same is written here and there, whatever the order of the names.
    pub fn same(&self, other: &Node) -> bool {
        match (&self.value, &other.value) {
            (Value::Table(a), Value::Table(b)) => {
                let found = |e: &Entry| other.get(&e.key).is_some_and(|n| e.node.same(n));
                a.len() == b.len() && a.iter().all(found)
            }
            (Value::List(a), Value::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Flag(a), Value::Flag(b)) => a == b,
            _ => false,
        }
    }

    /// The rows of a table; none for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    /// The value of a name in a table.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()
            .iter()
            .find(|e| e.key == key)
            .map(|e| &e.node)
    }

    /// The rows of a table, or a refusal of anything else.
    pub fn table(&self) -> Result<&[Entry], Diagnostic> {
        match &self.value {
            Value::Table(entries) => Ok(entries),
            _ => Err(self.mismatch("a table", "write { name = value, … }")),
        }
    }

    /// The text, or a refusal of anything else.
    pub fn text(&self) -> Result<&str, Diagnostic> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.mismatch("a text", "write it in quotes")),
        }
    }

    /// The items of a list, or a refusal of anything else.
    pub fn list(&self) -> Result<&[Node], Diagnostic> {
        match &self.value {
            Value::List(items) => Ok(items),
            _ => Err(self.mismatch("a list", "write [\"…\", \"…\"]")),
        }
    }

    /// The refusal of a value of the wrong kind.
    pub fn mismatch(&self, wanted: &str, fix: &str) -> Diagnostic {
        self.refuse(Fault::new(
            format!("`{}` is {}, not {wanted}", self.path, self.value.noun()),
            fix,
        ))
    }

    /// A fault of this value.
    pub fn refuse(&self, fault: Fault) -> Diagnostic {
        fault.at(&self.origin)
    }
}

impl Value {
    /// The kind of the value, for messages.
    pub fn noun(&self) -> &'static str {
        match self {
            Value::Table(_) => "a table",
            Value::List(_) => "a list",
            Value::Text(_) => "a text",
            Value::Integer(_) | Value::Number(_) => "a number",
            Value::Flag(_) => "true or false",
            Value::Foreign(noun) => noun,
        }
    }
}

/// `path.key`, the key quoted where a bare one would be ambiguous.
pub fn join(path: &str, key: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let quoted;
    let key = if !key.is_empty() && key.chars().all(plain) {
        key
    } else {
        quoted = format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""));
        &quoted
    };
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

fn toml_table(table: &dyn TableLike, path: &str, text: &Arc<Text>) -> Value {
    let mut entries = Vec::new();
    for (name, item) in table.iter() {
        let span = table.key(name).and_then(toml_edit::Key::span);
        let origin = span.map_or_else(
            || Origin::Whole(text.clone()),
            |s| Origin::Span(text.clone(), s),
        );
        let node = toml_item(item, join(path, name), &origin, text);
        entries.push(Entry {
            key: name.to_owned(),
            origin,
            node,
        });
    }
    Value::Table(entries)
}

fn toml_item(item: &Item, path: String, key: &Origin, text: &Arc<Text>) -> Node {
    let (value, span) = match item {
        Item::Value(value) => return toml_value(value, path, key, text),
        Item::Table(table) => (toml_table(table, &path, text), table.span()),
        Item::ArrayOfTables(tables) => {
            let item = |(i, t): (usize, &toml_edit::Table)| {
                let path = join(&path, &i.to_string());
                let origin = t
                    .span()
                    .map_or_else(|| key.clone(), |s| Origin::Span(text.clone(), s));
                Node {
                    value: toml_table(t, &path, text),
                    path,
                    origin,
                }
            };
            (
                Value::List(tables.iter().enumerate().map(item).collect()),
                tables.span(),
            )
        }
        Item::None => (Value::Foreign("nothing"), None),
    };
    // A table of dotted keys has no text of its own: point at its name.
    let origin = span.map_or_else(|| key.clone(), |s| Origin::Span(text.clone(), s));
    Node {
        path,
        origin,
        value,
    }
}

fn toml_value(value: &toml_edit::Value, path: String, key: &Origin, text: &Arc<Text>) -> Node {
    let origin = value
        .span()
        .map_or_else(|| key.clone(), |s| Origin::Span(text.clone(), s));
    let value = match value {
        toml_edit::Value::String(s) => Value::Text(s.value().clone()),
        toml_edit::Value::Integer(i) => Value::Integer(i128::from(*i.value())),
        toml_edit::Value::Float(f) => Value::Number(*f.value()),
        toml_edit::Value::Boolean(b) => Value::Flag(*b.value()),
        toml_edit::Value::Datetime(_) => Value::Foreign("a date"),
        toml_edit::Value::Array(items) => Value::List(
            items
                .iter()
                .enumerate()
                .map(|(i, v)| toml_value(v, join(&path, &i.to_string()), &origin, text))
                .collect(),
        ),
        toml_edit::Value::InlineTable(table) => toml_table(table, &path, text),
    };
    Node {
        path,
        origin,
        value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toml(content: &str) -> Result<Node, Diagnostic> {
        Node::from_toml(&Arc::new(Text {
            name: "x.toml".to_owned(),
            content: content.to_owned(),
        }))
    }

    fn place(node: &Node) -> (Option<u32>, Option<u32>) {
        let found = node.refuse(Fault::default());
        (found.line, found.column)
    }

    #[test]
    fn every_value_knows_its_path_and_place() {
        let root = toml("a.b = 1\n[c]\n\"W>D\" = { e = [\"x\", 2.5] }\n[[f]]\ng = true\n").unwrap();
        let b = root.get("a").unwrap().get("b").unwrap();
        assert_eq!((b.path.as_str(), place(b)), ("a.b", (Some(1), Some(7))));
        let e = root.get("c").unwrap().get("W>D").unwrap().get("e").unwrap();
        assert_eq!(e.path, "c.\"W>D\".e");
        let second = &e.list().unwrap()[1];
        assert_eq!(
            (second.path.as_str(), place(second)),
            ("c.\"W>D\".e.1", (Some(3), Some(21)))
        );
        assert_eq!(place(root.get("a").unwrap()), (Some(1), Some(1)));
        assert_eq!(place(root.get("c").unwrap()).0, Some(2));
        let g = root.get("f").unwrap().list().unwrap()[0].get("g").unwrap();
        assert_eq!((g.path.as_str(), place(g)), ("f.0.g", (Some(5), Some(5))));
    }

    #[test]
    fn a_syntax_error_points_at_line_and_column() {
        let found = toml("seed = 1\nduration = \nwarmup = \"0 s\"\n").unwrap_err();
        assert_eq!(found.line, Some(2), "{found}");
        assert!(found.to_string().contains("2 | duration ="), "{found}");
        assert!(found.to_string().contains('^'), "{found}");
        let found = toml("a = 1\na = 2\n").unwrap_err();
        assert_eq!(found.line, Some(2), "{found}");
    }

    #[test]
    fn a_json_syntax_error_points_at_line_and_column() {
        let text = Text {
            name: "x.json".to_owned(),
            content: "{\n \"a\": nil}".to_owned(),
        };
        let found = Node::from_json(&Arc::new(text)).unwrap_err();
        assert_eq!(
            (found.line, found.place.as_str()),
            (Some(2), "x.json"),
            "{found}"
        );
    }

    #[test]
    fn json_and_toml_give_the_same_tree() {
        let json = Text {
            name: "x.json".to_owned(),
            content: r#"{"a":{"b":18446744073709551615},"c":[null,1.5]}"#.to_owned(),
        };
        let root = Node::from_json(&Arc::new(json)).unwrap();
        assert!(matches!(
            root.get("a").unwrap().get("b").unwrap().value,
            Value::Integer(18_446_744_073_709_551_615)
        ));
        let list = root.get("c").unwrap().list().unwrap();
        assert!(matches!(list[0].value, Value::Foreign("null")));
        assert!(matches!(list[1].value, Value::Number(f) if f == 1.5));
    }

    #[test]
    fn deep_nesting_is_refused_without_a_crash() {
        toml(&format!("a = {}", "[".repeat(100_000))).unwrap_err();
        toml(&format!("{}a = 1", "a.".repeat(100_000))).unwrap_err();
        let text = Text {
            name: "x.json".to_owned(),
            content: "[".repeat(100_000),
        };
        Node::from_json(&Arc::new(text)).unwrap_err();
    }
}
