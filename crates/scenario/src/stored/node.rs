//! JSON that is read once: fields in a list, in the order of the text, texts where they lie.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// A value.
#[derive(Debug, Default)]
pub enum Node<'a> {
    #[default]
    Null,
    /// True or false, which is no metric.
    Flag,
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>),
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

/// A field that is not there.
const NONE: &Node<'static> = &Node::Null;

impl<'a> Node<'a> {
    /// The fields of an object.
    pub fn fields(&self) -> &[(Cow<'a, str>, Node<'a>)] {
        match self {
            Node::Object(fields) => fields,
            _ => &[],
        }
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&Node<'a>> {
        let found = self.fields().iter().find(|(one, _)| one == name);
        found.map(|(_, value)| value)
    }

    /// The same, null where there is none.
    pub fn at(&self, name: &str) -> &Node<'a> {
        self.field(name).unwrap_or(NONE)
    }

    /// The members of a list.
    pub fn members(&self) -> &[Node<'a>] {
        match self {
            Node::List(members) => members,
            _ => &[],
        }
    }

    /// A name or a whole number as a word.
    pub fn word(&self) -> Cow<'_, str> {
        match self {
            Node::Text(text) => Cow::Borrowed(text),
            Node::Number(number) => Cow::Owned(number.to_string()),
            _ => Cow::Borrowed(""),
        }
    }

    /// A number, or NaN for a metric without a value; nothing for what is no metric.
    pub fn metric(&self) -> Option<f64> {
        match self {
            Node::Null => Some(f64::NAN),
            Node::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The metric of a row under this name.
    pub fn real(&self, name: &str) -> Result<f64, String> {
        let found = self.field(name).and_then(Node::metric);
        found.ok_or_else(|| format!("{name} is no number"))
    }

    /// The number of a row under this name.
    pub fn number(&self, name: &str) -> Result<f64, String> {
        match self.at(name) {
            Node::Number(number) => Ok(*number),
            _ => Err(format!("{name} is no number")),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Node<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Node<'a>, D::Error> {
        from.deserialize_any(Reader)
            .map(|node: Node<'de>| node as Node<'a>)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Node<'de>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Node<'de>, E> {
        Ok(Node::Flag)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node<'de>, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node<'de>, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node<'de>, E> {
        Ok(Node::Number(number))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Node<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = from.next_element()? {
            members.push(member);
        }
        Ok(Node::List(members))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Node<'de>, A::Error> {
        let mut fields = Vec::with_capacity(16);
        while let Some((Name(name), value)) = from.next_entry()? {
            fields.push((name, value));
        }
        Ok(Node::Object(fields))
    }
}

/// The name of a field.
struct Name<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Name<'de>, D::Error> {
        match from.deserialize_str(Reader)? {
            Node::Text(text) => Ok(Name(text)),
            _ => Err(serde::de::Error::custom("a name is no text")),
        }
    }
}
