//! Events of wires, in the canonical form.

use backwater_sim::spec::{Happening, LinkEvent};

use super::json::Json;
use crate::decode::Draft;
use crate::fields::events::{DOWN, RATE, STORM};

/// An event without its name.
pub fn event(event: &LinkEvent, draft: &Draft) -> Json {
    let links = event.links.iter();
    let links = links.map(|link| draft.links[*link].spec.name.as_str());
    let times = [("at_s", Some(event.at)), ("until_s", event.until)];
    let (kind, more) = match event.what {
        Happening::Down { converge } => {
            (DOWN, converge.map(|span| ("converge_s", Json::time(span))))
        }
        Happening::Storm(class) => {
            let class = class.map(|class| ("class", Json::count(u64::from(class))));
            (STORM, class)
        }
        Happening::Rate(rate) => (RATE, Some(("rate_bps", Json::rate(rate)))),
    };
    let times = times
        .into_iter()
        .filter_map(|(name, span)| Some((name, Json::time(span?))));
    let form = [("kind", Json::text(kind)), ("links", Json::texts(links))];
    let form = form.into_iter().chain(times).chain(more);
    Json::Object(form.map(|(name, value)| (name.to_owned(), value)).collect())
}
