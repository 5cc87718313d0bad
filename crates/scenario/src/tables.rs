//! The tables of parts as JSON: what `list` and `explain` print.

use backwater_sim::mechanism::{RECIPES, Recipe, detector};
use backwater_sim::medium::MEDIA;
use backwater_transport::controller::DRIVEN;
use backwater_transport::part::{Default, Kind, Opt, Value};
use serde_json::{Value as Json, json};

use crate::canonical::standards;
use crate::decode::topology::TOPOLOGIES;
pub use crate::kinds::{NONE, PartKind};
use crate::kinds::{Row, rows};
use crate::metrics;
use crate::options;
use crate::shape::{Field, Shape, Variant};
use crate::units::Dimension;

/// Every part of every table: the `kinds` of `list --json`, studies excepted.
pub fn parts_json() -> Json {
    let mut kinds = serde_json::Map::new();
    for kind in PartKind::ALL {
        let rows = match kind {
            PartKind::Detector => detectors_json(),
            PartKind::Controller => controllers_json(),
            _ => kind.rows().iter().map(row_json).collect(),
        };
        kinds.insert(kind.plural(), rows);
    }
    kinds.insert(
        "mechanisms".to_owned(),
        RECIPES.iter().map(recipe_json).collect(),
    );
    kinds.insert(
        "media".to_owned(),
        rows(MEDIA).iter().map(row_json).collect(),
    );
    kinds.insert(
        "topologies".to_owned(),
        TOPOLOGIES.iter().map(topology_json).collect(),
    );
    kinds.insert("standards".to_owned(), standards());
    kinds.insert("metrics".to_owned(), metrics::rows());
    Json::Object(kinds)
}

/// Controllers; those that need a driver say so.
fn controllers_json() -> Json {
    let row = |row: &Row| {
        let mut json = row_json(row);
        if DRIVEN.iter().any(|part| part.id == row.id) {
            json["driven"] = true.into();
        }
        json
    };
    PartKind::Controller.rows().iter().map(row).collect()
}

/// The units of quantities by the noun of their kind. A unit is `over / under` of the kind's first
/// unit; a percent is so much of the whole.
pub fn units_json() -> Json {
    const KINDS: [Kind; 8] = [
        Kind::Span,
        Kind::Rate,
        Kind::Bytes,
        Kind::Packets,
        Kind::Metres,
        Kind::Decibels,
        Kind::Dbm,
        Kind::Share,
    ];
    let units = |kind: Kind| match (options::dimension(kind), options::unit(kind)) {
        (Some(dimension), _) => {
            let first = dimension.units[0].1;
            let of = |&(name, ticks): &(&'static str, u128)| {
                (name, (ticks / first).max(1), (first / ticks).max(1))
            };
            dimension.units.iter().map(of).collect()
        }
        (None, Some(unit)) => vec![(unit, 1, 1)],
        (None, None) => vec![("%", 1, 100)],
    };
    let json = |(name, over, under): (&str, u128, u128)| {
        let whole = |n| u64::try_from(n).expect("a unit fits");
        json!({ "unit": name, "over": whole(over), "under": whole(under) })
    };
    let rows = |kind| {
        (
            noun(kind).to_owned(),
            units(kind).into_iter().map(json).collect(),
        )
    };
    Json::Object(KINDS.into_iter().map(rows).collect())
}

fn row_json(row: &Row) -> Json {
    json!({
        "id": row.id, "aliases": row.aliases, "summary": row.summary, "source": row.source,
        "options": row.options.iter().map(|o| option_json(o, o.name.to_owned(), None)).collect::<Vec<_>>(),
    })
}

/// Detectors say beside the rest what `at` names.
fn detectors_json() -> Json {
    let rows = PartKind::Detector.rows();
    let each = rows.iter().zip(detector::NEEDS).map(|(row, needs)| {
        let mut json = row_json(row);
        json["at"] = needs.at().into();
        json
    });
    each.collect()
}

/// The places that `at` names for a detector.
fn at(id: &str) -> &'static str {
    let rows = PartKind::Detector.rows();
    let mut all = rows.iter().zip(detector::NEEDS);
    let (_, needs) = all.find(|(row, _)| row.id == id).expect("a row");
    needs.at()
}

fn topology_json(topology: &Variant) -> Json {
    json!({
        "id": topology.kind, "aliases": [], "summary": topology.summary, "source": topology.source,
        "options": topology.fields.iter().map(field_json).collect::<Vec<_>>(),
    })
}

/// A field as an option; what is not a scalar has neither unit nor bounds.
fn field_json(field: &Field) -> Json {
    let kind = match field.shape {
        Shape::Scalar(option) => return option_json(&option, field.name.to_owned(), None),
        Shape::Text => "name",
        Shape::Texts => "list",
        Shape::Capacity => "size or packets",
        _ => "table",
    };
    json!({
        "name": field.name, "type": kind, "unit": null, "default": null, "min": null, "max": null,
        "values": null, "required": field.required, "default_written": null, "min_written": null,
        "max_written": null, "help": field.help,
    })
}

fn recipe_json(recipe: &Recipe) -> Json {
    let sections = [
        ("detect", PartKind::Detector, recipe.detect),
        ("notify", PartKind::Notifier, recipe.notify),
        ("respond", PartKind::Responder, recipe.respond),
    ];
    let mut options = Vec::new();
    for (section, kind, id) in sections {
        for option in kind
            .rows()
            .iter()
            .filter(|r| r.id == id)
            .flat_map(|r| r.options)
        {
            let preset = recipe
                .preset
                .iter()
                .find(|(s, o, _)| *s == section && *o == option.name);
            options.push(option_json(
                option,
                format!("{section}.{}", option.name),
                preset.map(|(_, _, v)| *v),
            ));
        }
    }
    json!({
        "id": recipe.id, "aliases": recipe.aliases, "summary": recipe.summary, "source": recipe.source,
        "detect": recipe.detect, "notify": recipe.notify, "respond": recipe.respond, "at": at(recipe.detect),
        "options": options,
    })
}

/// A row of an option table. `default`, `min` and `max` are numbers in `unit`; the keys that end in
/// `written` hold what a person writes.
fn option_json(option: &Opt, name: String, preset: Option<&str>) -> Json {
    let written = preset.or(match option.default {
        Default::Is(text) => Some(text),
        Default::Required | Default::Absent => None,
    });
    let number =
        |text: Option<&str>| text.map_or(Json::Null, |t| in_unit(&options::default(option, t)));
    let (kind, unit, values) = match option.kind {
        Kind::Span | Kind::Rate | Kind::Bytes | Kind::Packets => (
            noun(option.kind),
            options::dimension(option.kind).map(si),
            None,
        ),
        Kind::Choice(words) => ("choice", None, Some(words)),
        Kind::Metres | Kind::Decibels | Kind::Dbm => {
            (noun(option.kind), options::unit(option.kind), None)
        }
        Kind::Share
        | Kind::Count
        | Kind::Number
        | Kind::Flag
        | Kind::File
        | Kind::Text
        | Kind::Table
        | Kind::Series => (noun(option.kind), None, None),
    };
    json!({
        "name": name, "type": kind, "unit": unit, "default": number(written), "min": number(option.min),
        "max": number(option.max), "values": values, "required": option.default == Default::Required,
        "default_written": written, "min_written": option.min, "max_written": option.max, "help": option.help,
    })
}

fn noun(kind: Kind) -> &'static str {
    match kind {
        Kind::Span => "time",
        Kind::Rate => "rate",
        Kind::Bytes => "size",
        Kind::Packets => "packets",
        Kind::Metres => "length",
        Kind::Decibels => "ratio",
        Kind::Dbm => "power",
        Kind::Share => "share",
        Kind::Count => "integer",
        Kind::Number => "number",
        Kind::Flag => "boolean",
        Kind::Choice(_) => "choice",
        Kind::File => "file",
        Kind::Text => "name",
        Kind::Table => "table",
        Kind::Series => "series",
    }
}

fn si(dimension: &Dimension) -> &'static str {
    dimension.units[0].0
}

fn in_unit(value: &Value) -> Json {
    match value {
        Value::Span(s) => json!(s.seconds()),
        Value::Rate(r) => json!(r.0),
        Value::Bytes(b) => json!(b.0),
        Value::Packets(n) => json!(n),
        Value::Share(f) | Value::Number(f) => json!(f),
        Value::Count(n) => json!(n),
        Value::Flag(flag) => json!(flag),
        Value::Choice(word) => json!(word),
        Value::File(file) => json!(file.path),
        Value::Text(text) | Value::Table(text) => json!(text),
        Value::Series(list) => json!(&**list),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Origin, Text};
    use crate::files::{Files, Folders};
    use crate::tree::Node;

    /// Walks all tables, so that a default, bound or preset nobody could write is found here.
    #[test]
    fn every_default_bound_and_preset_is_what_a_person_could_write() {
        let kinds = parts_json();
        for kind in PartKind::ALL {
            let rows = kinds[kind.plural()].as_array().unwrap();
            assert_eq!(rows.len(), kind.rows().len());
            assert!(!rows.is_empty());
        }
        for recipe in RECIPES {
            for (section, option, _) in recipe.preset {
                let (kind, id) = match *section {
                    "detect" => (PartKind::Detector, recipe.detect),
                    "notify" => (PartKind::Notifier, recipe.notify),
                    "respond" => (PartKind::Responder, recipe.respond),
                    other => panic!("{}: no section {other}", recipe.id),
                };
                let part = kind.rows().into_iter().find(|r| r.id == id).unwrap();
                assert!(
                    part.options.iter().any(|o| o.name == *option),
                    "{}: {section}.{option}",
                    recipe.id
                );
            }
        }
    }

    #[test]
    fn every_default_lies_within_its_own_bounds() {
        let folders = Folders::default();
        let origin = Origin::Whole(std::sync::Arc::new(Text {
            name: String::new(),
            content: String::new(),
        }));
        for kind in PartKind::ALL {
            for row in kind.rows() {
                for option in row.options {
                    let Default::Is(text) = option.default else {
                        continue;
                    };
                    let value = match option.kind {
                        Kind::Count => crate::tree::Value::Integer(text.parse().unwrap()),
                        Kind::Number => crate::tree::Value::Number(text.parse().unwrap()),
                        Kind::Flag => crate::tree::Value::Flag(text.parse().unwrap()),
                        _ => crate::tree::Value::Text(text.to_owned()),
                    };
                    let node = Node {
                        path: option.name.to_owned(),
                        origin: origin.clone(),
                        value,
                    };
                    let read = options::value(&node, option, &mut Files::new(&folders));
                    assert!(
                        read.is_ok(),
                        "{} {}: {}",
                        row.id,
                        option.name,
                        read.unwrap_err()
                    );
                }
            }
        }
    }

    #[test]
    fn ids_and_aliases_are_distinct_and_no_option_is_called_kind() {
        for kind in PartKind::ALL {
            let rows = kind.rows();
            let mut names: Vec<&str> = rows
                .iter()
                .flat_map(|r| r.aliases.iter().copied().chain([r.id]))
                .collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{kind:?}");
            assert!(
                rows.iter()
                    .flat_map(|r| r.options)
                    .all(|o| o.name != "kind"),
                "{kind:?}"
            );
        }
        assert!(
            RECIPES
                .iter()
                .all(|r| r.id != NONE && !r.aliases.contains(&NONE))
        );
    }

    /// The factors of each unit that `units` reads are those of the table.
    #[test]
    fn every_unit_is_a_multiple_or_a_part_of_the_first() {
        let table = units_json();
        assert_eq!(
            table["time"][1],
            json!({ "unit": "ms", "over": 1, "under": 1000 })
        );
        assert_eq!(
            table["size"][3],
            json!({ "unit": "KiB", "over": 1024, "under": 1 })
        );
        assert_eq!(
            table["share"],
            json!([{ "unit": "%", "over": 1, "under": 100 }])
        );
        for kind in [Kind::Span, Kind::Rate, Kind::Bytes, Kind::Packets] {
            let dimension = options::dimension(kind).unwrap();
            let first = dimension.units[0].1;
            for (name, ticks) in dimension.units {
                let fits = ticks.is_multiple_of(first) || first.is_multiple_of(*ticks);
                assert!(fits, "{name}");
            }
        }
    }

    #[test]
    fn an_option_row_has_numbers_in_its_unit_and_what_a_person_writes() {
        let option =
            Opt::new("hold", Kind::Span, Default::Is("20 ms"), "how long").at_least("1 us");
        let row = option_json(&option, "hold".to_owned(), None);
        assert_eq!(row["type"], "time");
        assert_eq!(row["unit"], "s");
        assert_eq!(row["default"], 0.02);
        assert_eq!(row["min"], 1e-6);
        assert_eq!(row["max"], Json::Null);
        assert_eq!(row["default_written"], "20 ms");
        assert_eq!(
            option_json(&option, "hold".to_owned(), Some("1 s"))["default"],
            1.0
        );
    }
}
