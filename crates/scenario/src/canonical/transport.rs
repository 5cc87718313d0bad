//! The canonical form of a flow's transport.

use backwater_transport::units::Span;

use super::{Json, object, option, part};
use crate::decode::{Flow, Transport};
use crate::fields::flow::{SPREAD, TRANSPORT_OPTIONS, UDP};
use crate::files::Files;

fn queue_pair(t: &Transport) -> Json {
    let pair = &t.sender.pair;
    let span = |span: Option<Span>| span.map_or(Json::text("off"), Json::time);
    let mut form = object([
        (
            "message_B",
            pair.message.map_or(Json::text("off"), Json::count),
        ),
        ("nack_interval_s", span(pair.nack_interval)),
        ("cnp", Json::text(pair.notify.name())),
        ("cnp_interval_s", Json::time(pair.notify_interval)),
        ("cnp_class", Json::count(u64::from(t.signal_class))),
        ("timeout_s", span(pair.timeout)),
        ("timeout_low_s", span(pair.timeout_low)),
        ("cap_B", Json::count(pair.cap)),
        ("counts_sacked", Json::Flag(pair.counts_sacked)),
    ]);
    if let (Json::Object(fields), false) = (&mut form, pair.gaps_are_losses) {
        fields.insert("gaps".to_owned(), Json::text("other-ways"));
    }
    if let (Json::Object(fields), Some(pull)) = (&mut form, pair.pull) {
        fields.insert("pull_B".to_owned(), Json::count(pull.quantum));
        fields.insert("speculate_B".to_owned(), Json::count(pull.speculate));
    }
    form
}

/// Whether an option goes with transports only.
pub fn has(option: &str) -> bool {
    let row = TRANSPORT_OPTIONS.iter().find(|row| row.0 == option);
    row.is_some_and(|row| !row.1.contains(&UDP))
}

/// The transport of a flow.
pub fn form(flow: &Flow, files: &Files<'_>) -> Json {
    let Some(t) = &flow.transport else {
        return Json::text(UDP);
    };
    let delayed = match t.receiver.delayed_ack {
        Some(delayed) => object([
            ("segments", Json::count(u64::from(delayed.segments))),
            ("timeout_s", Json::time(delayed.timeout)),
        ]),
        None => Json::text("off"),
    };
    let mut form = object([
        ("kind", Json::text(t.name)),
        ("controller", part(&t.controller, files)),
        ("frame_B", Json::count(t.sender.frame)),
        ("initial_window_B", Json::count(t.sender.initial)),
        ("recovery", Json::text(t.recovery())),
        ("delayed_ack", delayed),
        ("rto_min_s", Json::time(t.sender.rto_min)),
        ("after_idle", Json::text(t.sender.after_idle.name())),
        ("silence_s", Json::time(t.sender.silence)),
        ("pacing", Json::Flag(t.sender.pacing)),
        ("marks", Json::text(t.marks())),
    ]);
    if let (Json::Object(fields), true) = (&mut form, t.pulled) {
        fields.insert("nic".to_owned(), Json::text("pull"));
    }
    if let Json::Object(fields) = &mut form {
        if let Some((_, made)) = &t.spreader {
            fields.insert(SPREAD.to_owned(), part(made, files));
        }
        let simple = flow.simple.0.iter().filter(|o| has(o.0));
        fields.extend(simple.map(|o| option(o, files)));
        if t.ack_class != flow.class {
            fields.insert("ack_class".to_owned(), Json::count(u64::from(t.ack_class)));
        }
        if t.sender.protocol.row().queue_pair {
            fields.insert("queue_pair".to_owned(), queue_pair(t));
        }
    }
    form
}
