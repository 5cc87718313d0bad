//! JSON with exact numbers and sorted names.

use std::collections::BTreeMap;
use std::fmt;

use backwater_transport::units::{Bytes, Rate, Span};

use crate::units::{self, TIME};

/// A JSON value with exact numbers.
#[derive(Clone, Debug)]
pub enum Json {
    /// A string.
    Text(String),
    /// A number in its exact decimal form.
    Number(String),
    /// JSON in canonical form already.
    Written(String),
    /// True or false.
    Flag(bool),
    /// A list.
    List(Vec<Json>),
    /// An object, sorted by its names.
    Object(BTreeMap<String, Json>),
}

/// An object of these fields.
pub fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Object(
        fields
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

impl FromIterator<(String, Json)> for Json {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(fields: I) -> Json {
        Json::Object(fields.into_iter().collect())
    }
}

impl Json {
    /// A string.
    pub fn text(text: &str) -> Json {
        Json::Text(text.to_owned())
    }

    /// A list of strings.
    pub fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> Json {
        Json::List(texts.map(Json::text).collect())
    }

    /// A whole number.
    pub fn count(count: u64) -> Json {
        Json::Number(count.to_string())
    }

    /// Seconds.
    pub fn time(span: Span) -> Json {
        Json::Number(units::in_si(span.0, &TIME))
    }

    /// Bits per second.
    pub fn rate(rate: Rate) -> Json {
        Json::count(rate.0)
    }

    /// A finite double in its shortest form.
    pub fn real(x: f64) -> Json {
        Json::Number(x.to_string())
    }

    /// Bytes.
    pub fn size(size: Bytes) -> Json {
        Json::count(size.0)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Text(text) => write!(f, "{}", serde_json::Value::from(text.as_str())),
            Json::Number(written) | Json::Written(written) => f.write_str(written),
            Json::Flag(flag) => write!(f, "{flag}"),
            Json::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { "," })?;
                }
                f.write_str("]")
            }
            Json::Object(fields) => {
                f.write_str("{")?;
                for (i, (name, value)) in fields.iter().enumerate() {
                    let name = serde_json::Value::from(name.as_str());
                    write!(f, "{}{name}:{value}", if i == 0 { "" } else { "," })?;
                }
                f.write_str("}")
            }
        }
    }
}
