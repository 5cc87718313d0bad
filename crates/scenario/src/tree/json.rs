//! JSON texts. A name that stands twice in one object is refused: the standard leaves open which of
//! the two values holds (RFC 8259, 4).

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value as Json};

use super::{Node, join};
use crate::diagnostic::{Diagnostic, Fault, Origin, Text};

/// Reads a JSON text.
pub fn read(text: &Arc<Text>) -> Result<Node, Diagnostic> {
    let repeated = RefCell::new(None);
    let read = strict(&text.content, &repeated);
    let value = read.map_err(|error| {
        let content = &text.content;
        let last = offset(content, error.line(), error.column());
        let Some((path, key)) = repeated.take() else {
            let what = format!("this is not JSON: {error}");
            return Fault::new(what, "correct the syntax here")
                .at(&Origin::Span(text.clone(), last..last + 1));
        };
        // The reader stops at the closing quote of the name.
        let before = content.get(..=last).unwrap_or(content);
        let name = before.strip_suffix(&format!("\"{key}\""));
        let span = name.map_or(last, str::len)..last + 1;
        let fix = "remove one of the two: a name stands once in an object";
        Fault::new(format!("`{path}` stands twice"), fix).at(&Origin::Span(text.clone(), span))
    })?;
    Ok(Node::of_json(
        &value,
        String::new(),
        &Origin::Whole(text.clone()),
    ))
}

/// Reads a JSON value that stands alone, such as one to be set.
///
/// # Errors
/// When the text is not JSON, or a name stands twice.
pub fn value(text: &str) -> Result<Json, String> {
    let repeated = RefCell::new(None);
    strict(text, &repeated).map_err(|error| match repeated.take() {
        Some((path, _)) => format!("`{path}` stands twice"),
        None => format!("this is not JSON: {error}"),
    })
}

fn strict(
    text: &str,
    repeated: &RefCell<Option<(String, String)>>,
) -> Result<Json, serde_json::Error> {
    let root = Reader {
        path: String::new(),
        repeated,
    };
    let mut source = serde_json::Deserializer::from_str(text);
    let value = root.deserialize(&mut source)?;
    source.end().map(|()| value)
}

/// Reads the value at a path.
struct Reader<'a> {
    path: String,
    /// Path and name of what stands twice.
    repeated: &'a RefCell<Option<(String, String)>>,
}

impl Reader<'_> {
    fn child(&self, key: &str) -> Self {
        Reader {
            path: join(&self.path, key),
            ..*self
        }
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Json, D::Error> {
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Json, E> {
        Ok(flag.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(self.child(&items.len().to_string()))? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let child = self.child(&key);
            if fields.contains_key(&key) {
                self.repeated.replace(Some((child.path, key)));
                return Err(A::Error::custom("a name stands twice"));
            }
            let value = object.next_value_seed(child)?;
            fields.insert(key, value);
        }
        Ok(Json::Object(fields))
    }
}

/// Byte offset of a line and column as serde_json counts them: lines from 1, columns in bytes.
fn offset(content: &str, line: usize, column: usize) -> usize {
    let start: usize = content
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    (start + column.saturating_sub(1)).min(content.len())
}
