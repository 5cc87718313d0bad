//! The canonical form of a flow's transport.

use backwater_transport::units::Span;

use super::{Json, object, part};
use crate::decode::Transport;
use crate::fields::flow::{SPREAD, UDP};
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
    form
}

/// The transport of a flow whose data have this class.
pub fn form(transport: Option<&Transport>, class: u8, files: &Files<'_>) -> Json {
    let Some(t) = transport else {
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
    if let (Json::Object(fields), Some(lie)) = (&mut form, t.receiver.lie) {
        fields.insert("receiver".to_owned(), Json::text(lie.name()));
    }
    if let (Json::Object(fields), true) = (&mut form, t.pulled) {
        fields.insert("nic".to_owned(), Json::text("pull"));
    }
    if let Json::Object(fields) = &mut form {
        if let Some((_, made)) = &t.spreader {
            fields.insert(SPREAD.to_owned(), part(made, files));
        }
        if let Some(shift) = t.small_queue {
            let shift = Json::count(u64::from(shift));
            fields.insert("small_queue".to_owned(), shift);
        }
        if t.ack_class != class {
            fields.insert("ack_class".to_owned(), Json::count(u64::from(t.ack_class)));
        }
        if t.sender.protocol.row().queue_pair {
            fields.insert("queue_pair".to_owned(), queue_pair(t));
        }
    }
    form
}
