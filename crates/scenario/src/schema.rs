//! A JSON Schema (draft 2020-12) of the scenario, from the same tables that read it.

use backwater_transport::part::{Default, Kind, Opt};
use serde_json::{Map, Value as Json, json};

use crate::fields::SCENARIO;
use crate::kinds::{PartKind, Row};
use crate::options;
use crate::shape::{Field, SCHEMA, Shape, Variant};
use crate::units::{Dimension, PACKETS, SIZE};

/// Names what a thing needs, in this table or in another that holds for it. No word of JSON Schema, which cannot say it.
const NEEDED: &str = "x-required";

/// The schema.
pub fn schema() -> Json {
    let mut root = fields(SCENARIO, &[]);
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("Backwater scenario");
    root["properties"]["schema"] = json!({ "const": SCHEMA });
    root
}

fn of(shape: Shape) -> Json {
    match shape {
        Shape::Scalar(option) => scalar(&option),
        Shape::Text => json!({ "type": "string", "minLength": 1 }),
        Shape::Texts => json!({ "type": "array", "items": { "type": "string", "minLength": 1 } }),
        Shape::Capacity => {
            json!({ "anyOf": [quantity(&SIZE), quantity(&PACKETS), { "const": "unlimited" }] })
        }
        Shape::Fields(list) => fields(list, &[]),
        Shape::Partly(list) => {
            let mut table = fields(list, &[]);
            table[NEEDED] = table["required"].take();
            table["required"] = json!([]);
            table
        }
        Shape::OneOf(variants) => one_of(variants),
        Shape::Things(of_each) | Shape::Settings(of_each) => {
            json!({ "type": "object", "additionalProperties": of(*of_each) })
        }
        Shape::Part(kind) => {
            json!({ "oneOf": kind.rows().iter().map(|r| part(r, true)).collect::<Vec<_>>() })
        }
        Shape::Section(kind) => section(kind),
        Shape::Default(variants) => {
            let plain = fields(variants[0].fields, &[]);
            json!({ "anyOf": [plain, one_of(variants)] })
        }
        Shape::Parts(kind) => json!({ "type": "array", "items": of(Shape::Part(kind)) }),
        Shape::FileOr(kind) => {
            json!({ "anyOf": [{ "type": "string", "minLength": 1 }, of(Shape::Part(kind))] })
        }
    }
}

fn one_of(variants: &[Variant]) -> Json {
    let each = |v: &Variant| {
        let mut table = fields(v.fields, &[("kind", json!({ "const": v.kind }))]);
        table["title"] = json!(v.summary);
        table
    };
    json!({ "oneOf": variants.iter().map(each).collect::<Vec<_>>() })
}

/// A table of fields; those in `tags` are required too.
fn fields(list: &[Field], tags: &[(&str, Json)]) -> Json {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, value) in tags {
        properties.insert((*name).to_owned(), value.clone());
        required.push(*name);
    }
    for field in list {
        let mut value = of(field.shape);
        value["description"] = json!(field.help);
        properties.insert(field.name.to_owned(), value);
        if field.required {
            required.push(field.name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn part(row: &Row, tagged: bool) -> Json {
    let names: Vec<&str> = row.aliases.iter().copied().chain([row.id]).collect();
    let mut properties = Map::from_iter([("kind".to_owned(), json!({ "enum": names }))]);
    let mut required = if tagged { vec!["kind"] } else { Vec::new() };
    for option in row.options {
        let mut value = scalar(option);
        value["description"] = json!(option.help);
        properties.insert(option.name.to_owned(), value);
        if tagged && option.default == Default::Required {
            required.push(option.name);
        }
    }
    json!({
        "type": "object", "title": row.summary, "properties": properties, "required": required,
        "additionalProperties": false,
    })
}

/// With a kind, its own options; without one, those of any kind, because the recipe decides.
fn section(kind: PartKind) -> Json {
    json!({ "anyOf": kind.rows().iter().map(|r| part(r, false)).collect::<Vec<_>>() })
}

fn scalar(option: &Opt) -> Json {
    let mut schema = match option.kind {
        Kind::Span | Kind::Rate | Kind::Bytes | Kind::Packets => {
            options::dimension(option.kind).map_or_else(|| json!({}), quantity)
        }
        Kind::Share => json!({ "type": "string", "pattern": format!("^{NUMBER} +%$") }),
        Kind::Metres | Kind::Decibels | Kind::Dbm => {
            let unit = options::unit(option.kind).unwrap_or_default();
            json!({ "type": "string", "pattern": format!("^[-+]?{NUMBER} +{unit}$") })
        }
        Kind::Count => json!({ "type": "integer", "minimum": 0 }),
        Kind::Number => json!({ "type": "number" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Choice(words) => json!({ "enum": words }),
        Kind::File | Kind::Text => json!({ "type": "string", "minLength": 1 }),
        Kind::Table => json!({ "type": "object" }),
        Kind::Series => json!({ "anyOf": [
            { "type": "array", "items": { "type": "integer", "minimum": 0 } },
            { "type": "string", "pattern": format!("^{}", crate::packed::PREFIX) },
        ] }),
    };
    let plain = matches!(option.kind, Kind::Count | Kind::Number | Kind::Flag);
    let value = |text: &str| {
        let parsed = if plain {
            serde_json::from_str(text).ok()
        } else {
            None
        };
        parsed.unwrap_or_else(|| json!(text))
    };
    if let Default::Is(text) = option.default {
        schema["default"] = value(text);
    }
    for (key, limit) in [("minimum", option.min), ("maximum", option.max)] {
        if let (Some(limit), Kind::Count | Kind::Number) = (limit, option.kind) {
            schema[key] = value(limit);
        }
    }
    schema
}

/// Digits, a fraction, an exponent.
const NUMBER: &str = "[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?";

fn quantity(dimension: &Dimension) -> Json {
    let units: Vec<&str> = dimension.units.iter().map(|(name, _)| *name).collect();
    json!({ "type": "string", "pattern": format!("^{NUMBER} +({})$", units.join("|")), "examples": [dimension.example] })
}
