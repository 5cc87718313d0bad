//! The detectors, notifiers and responders that work together on each medium with each carrier: the rows of `docs/reference/mechanism-legal.md`.

use backwater_sim::mechanism::legal;
use backwater_sim::mechanism::needs::Needs;
use backwater_sim::mechanism::{detector, notifier, responder};
use backwater_sim::medium::MEDIA;
use serde_json::{Value as Json, json};

use crate::tables::PartKind;

/// Each part of a kind with what it needs.
fn parts(kind: PartKind, needs: &'static [Needs]) -> Vec<(&'static str, Needs)> {
    let rows = kind.rows();
    assert_eq!(rows.len(), needs.len(), "a row for each part");
    rows.iter()
        .map(|row| row.id)
        .zip(needs.iter().copied())
        .collect()
}

/// Every combination: `works`, or the section to blame and the reason.
pub fn legal_json() -> Json {
    let detectors = parts(PartKind::Detector, detector::NEEDS);
    let notifiers = parts(PartKind::Notifier, notifier::NEEDS);
    let responders = parts(PartKind::Responder, responder::NEEDS);
    let mut rows = Vec::new();
    for medium in MEDIA.iter().map(|row| row.build) {
        for carrier in medium.carriers {
            for (detect, d) in &detectors {
                for (notify, n) in &notifiers {
                    for (respond, r) in &responders {
                        let verdict = legal::check([*d, *n, *r], &medium, *carrier);
                        let refused = verdict.err().map(|illegal| {
                            json!({ "section": illegal.third.section(), "reason": illegal.reason })
                        });
                        rows.push(json!({
                            "medium": medium.name, "carrier": carrier.name(),
                            "detect": detect, "notify": notify, "respond": respond,
                            "works": refused.is_none(), "refused": refused,
                        }));
                    }
                }
            }
        }
    }
    Json::Array(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every recipe of the list works on one medium at least, and what names no sense is refused with a reason.
    #[test]
    fn every_recipe_works_somewhere_and_every_refusal_has_a_reason() {
        let rows = legal_json();
        let rows = rows.as_array().unwrap();
        for recipe in backwater_sim::mechanism::RECIPES {
            let of = |r: &&Json| {
                r["detect"] == recipe.detect
                    && r["notify"] == recipe.notify
                    && r["respond"] == recipe.respond
                    && r["works"] == true
            };
            assert!(rows.iter().any(|r| of(&r)), "{}", recipe.id);
        }
        for row in rows.iter().filter(|r| r["works"] == false) {
            assert!(
                row["refused"]["reason"]
                    .as_str()
                    .unwrap()
                    .starts_with("needs"),
                "{row}"
            );
        }
    }
}
