//! The canonical form of a draft: JSON with sorted keys, SI units and every default filled in. Two
//! scenarios with the same canonical form and the same seed are the same run. Numbers are exact
//! decimals, because a picosecond in an hour is lost in a double.

mod events;
pub mod json;
pub mod media;
mod transport;

pub use media::standards;

use std::collections::BTreeMap;

use backwater_sim::limit::Limit;
use backwater_sim::medium::trace::First;
use backwater_sim::spec::{
    Action, Choose, Direction, Discipline, LinkEvent, NodeKind, NodeSpec, Service, SwitchModel,
};
use backwater_transport::part::Value;
use backwater_transport::segment::Ecn;
use backwater_transport::units::Span;

use crate::decode::{Draft, Flow, Link, Made, MadeDirection, Mechanism, Pattern, Port, Stamp};
use crate::fields::network::{
    CHOICES, CHOOSE, INPUT_QUEUED, OUTPUT_QUEUED, ROUTINGS, SHARED_MEMORY, SINGLE_QUEUE, TRIM,
    VIRTUAL_OUTPUT_QUEUES, WATCHDOG,
};
use crate::files::Files;
use crate::packed;
use json::{Json, object};

/// The format of the canonical form.
pub const FORMAT: &str = "backwater/resolved/1";

fn routing(draft: &Draft) -> Json {
    let row = ROUTINGS.iter().find(|row| row.routing == draft.routing);
    let kind = Json::text(row.expect("every rule is in the table").name);
    let roots = draft.roots.iter().map(|i| draft.nodes[*i].name.as_str());
    let mut form = object([("kind", kind), ("roots", Json::texts(roots))]);
    if let (Json::Object(fields), true) = (&mut form, draft.choose != Choose::Hash) {
        let row = CHOICES.iter().find(|row| row.1 == draft.choose);
        let name = row.expect("each is in the list").0;
        fields.insert(CHOOSE.to_owned(), Json::text(name));
    }
    form
}

/// The canonical form. Files stand in it by their hashes: where they lie determines nothing.
pub fn canonical(draft: &Draft, files: &Files<'_>) -> String {
    let names =
        |indices: &[usize]| Json::texts(indices.iter().map(|i| draft.nodes[*i].name.as_str()));
    let attached = draft
        .attached
        .iter()
        .map(|(name, made)| (name.clone(), object([("queue", part(made, files))])));
    let form = object([
        ("schema", Json::text(FORMAT)),
        ("duration_s", Json::time(draft.duration)),
        ("warmup_s", Json::time(draft.warmup)),
        ("routing", routing(draft)),
        (
            "media",
            draft
                .media
                .iter()
                .map(|m| (m.name.clone(), media::medium(m)))
                .collect(),
        ),
        (
            "nodes",
            draft
                .nodes
                .iter()
                .map(|n| (n.name.clone(), node(n, draft)))
                .collect(),
        ),
        (
            "links",
            draft
                .links
                .iter()
                .map(|l| (l.spec.name.clone(), link(l, names(&l.spec.ends), files)))
                .collect(),
        ),
        (
            "ports",
            draft
                .ports
                .iter()
                .map(|p| (p.spec.name.clone(), port(p, files)))
                .chain(attached)
                .collect(),
        ),
        (
            "mechanisms",
            draft
                .mechanisms
                .iter()
                .map(|m| (m.spec.name.clone(), mechanism(m, draft, files)))
                .collect(),
        ),
        (
            "flows",
            draft
                .flows
                .iter()
                .map(|f| (f.name.clone(), flow(f, &names, files)))
                .collect(),
        ),
    ]);
    stamped(form, draft, files).to_string()
}

/// Adds the laws of explicit feedback and what happens to wires, if there are any.
fn stamped(form: Json, draft: &Draft, files: &Files<'_>) -> Json {
    let Json::Object(mut fields) = form else {
        unreachable!("a scenario is an object");
    };
    if !draft.stamps.is_empty() {
        let stamp = |s: &Stamp| {
            let also = Json::texts(s.also.iter().map(String::as_str));
            let law = part(&s.made, files);
            (s.spec.name.clone(), object([("law", law), ("also", also)]))
        };
        fields.insert(
            "stamps".to_owned(),
            draft.stamps.iter().map(stamp).collect(),
        );
    }
    if !draft.events.is_empty() {
        let event = |e: &LinkEvent| (e.name.clone(), events::event(e, draft));
        fields.insert(
            "events".to_owned(),
            draft.events.iter().map(event).collect(),
        );
    }
    Json::Object(fields)
}

fn node(node: &NodeSpec, draft: &Draft) -> Json {
    match &node.kind {
        NodeKind::Host { obeys } => {
            object([("kind", Json::text("host")), ("obeys", Json::Flag(*obeys))])
        }
        NodeKind::Switch(SwitchModel::OutputQueued) => object([
            ("kind", Json::text("switch")),
            ("model", Json::text(OUTPUT_QUEUED)),
        ]),
        NodeKind::Switch(SwitchModel::SharedMemory {
            memory,
            reserve,
            headroom,
            shift,
        }) => object([
            ("kind", Json::text("switch")),
            ("model", Json::text(SHARED_MEMORY)),
            ("memory_B", Json::size(*memory)),
            ("reserve_B", Json::size(*reserve)),
            ("headroom_B", Json::size(*headroom)),
            ("shift", Json::count(u64::from(*shift))),
        ]),
        NodeKind::Switch(SwitchModel::InputQueued {
            discipline,
            input_buffer,
            cell,
            speedup,
        }) => object([
            ("kind", Json::text("switch")),
            ("model", Json::text(INPUT_QUEUED)),
            (
                "discipline",
                Json::text(match discipline {
                    Discipline::VirtualOutputQueues => VIRTUAL_OUTPUT_QUEUES,
                    Discipline::SingleQueue => SINGLE_QUEUE,
                }),
            ),
            ("input_buffer_B", Json::size(*input_buffer)),
            ("cell_B", Json::size(*cell)),
            ("speedup", Json::count(u64::from(*speedup))),
        ]),
        kind => media::stations(kind.attachments(), &draft.media),
    }
}

fn link(link: &Link, ends: Json, files: &Files<'_>) -> Json {
    let spec = &link.spec;
    let mut form = BTreeMap::from([
        ("ends".to_owned(), ends),
        ("max_frame_B".to_owned(), Json::size(spec.max_frame)),
    ]);
    let directions: Vec<Json> = spec
        .directions
        .iter()
        .zip(&link.directions)
        .filter_map(|(direction, made)| {
            Some(self::direction(direction.as_ref()?, made.as_ref()?, files))
        })
        .collect();
    if directions.is_empty() {
        form.insert("rate_bps".to_owned(), Json::rate(spec.rate));
        form.insert("delay_s".to_owned(), Json::time(spec.delay));
    } else {
        form.insert("ways".to_owned(), Json::List(directions));
    }
    Json::Object(form)
}

fn direction(direction: &Direction, made: &MadeDirection, files: &Files<'_>) -> Json {
    let boxes = made.boxes.iter().map(|made| part(made, files)).collect();
    let mut form = BTreeMap::from([
        ("name".to_owned(), Json::text(&direction.name)),
        ("boxes".to_owned(), Json::List(boxes)),
    ]);
    let more = match &direction.service {
        Service::Line(rate, delay) => vec![
            ("kind", Json::text("ethernet")),
            ("rate_bps", Json::rate(*rate)),
            ("delay_s", Json::time(*delay)),
        ],
        Service::Trace(server) => {
            let first = match server.first {
                First::Opportunity => "opportunity",
                First::Arrival => "arrival",
            };
            let delay_at = match server.delay_behind.0 > 0 {
                true => "after-queue",
                false => "before-queue",
            };
            let trace = made
                .trace
                .as_ref()
                .map_or(Json::List(Vec::new()), |t| part(t, files));
            let repeat = server.trace.recorded().is_some_and(|r| r.repeats());
            let drawn = server.trace.recorded().is_some_and(|r| r.begins_anywhere());
            let mut fields = vec![
                ("kind", Json::text("trace")),
                ("trace", trace),
                ("repeat", Json::Flag(repeat)),
                ("opportunity_B", Json::count(server.opportunity)),
                ("overhead_B", Json::count(server.overhead)),
                ("first", Json::text(first)),
                ("whole", Json::Flag(server.whole)),
                (
                    "clock",
                    Json::text(if server.milliseconds { "ms" } else { "exact" }),
                ),
                ("delay_s", Json::time(made.delay)),
                ("delay_at", Json::text(delay_at)),
            ];
            // The option came later: left out at its default, it leaves the hashes of older scenarios as they were.
            if drawn {
                fields.push(("phase", Json::text("drawn")));
            }
            fields
        }
        _ => made.form.clone(),
    };
    form.extend(
        more.into_iter()
            .map(|(name, value)| (name.to_owned(), value)),
    );
    Json::Object(form)
}

fn port(port: &Port, files: &Files<'_>) -> Json {
    let mut form = object([
        ("queue", part(&port.queue, files)),
        buffer(port.spec.buffer),
    ]);
    let Json::Object(fields) = &mut form else {
        return form;
    };
    if let Some(class) = port.spec.trim {
        fields.insert(TRIM.to_owned(), Json::count(u64::from(class)));
    }
    if let Some(terms) = port.spec.watchdog {
        let action = Action::ALL
            .iter()
            .find(|(_, action)| *action == terms.action);
        let terms = object([
            ("detection_s", Json::time(terms.detection)),
            ("restoration_s", Json::time(terms.restoration)),
            ("action", Json::text(action.map_or("", |(name, _)| name))),
        ]);
        fields.insert(WATCHDOG.to_owned(), terms);
    }
    form
}

fn buffer(limit: Limit) -> (&'static str, Json) {
    match limit {
        Limit::Unlimited => ("buffer", Json::text("unlimited")),
        Limit::Bytes(bytes) => ("buffer_B", Json::size(bytes)),
        Limit::Packets(packets) => ("buffer_pkts", Json::count(packets)),
    }
}

fn mechanism(mechanism: &Mechanism, draft: &Draft, files: &Files<'_>) -> Json {
    object([
        (
            "at",
            Json::texts(
                mechanism
                    .spec
                    .at
                    .iter()
                    .map(|i| draft.ports[*i].spec.name.as_str())
                    .chain(
                        mechanism
                            .spec
                            .stations
                            .iter()
                            .map(|i| draft.nodes[*i].name.as_str()),
                    ),
            ),
        ),
        ("detect", part(&mechanism.detect, files)),
        ("notify", part(&mechanism.notify, files)),
        ("respond", part(&mechanism.respond, files)),
    ])
}

fn flow(flow: &Flow, names: &dyn Fn(&[usize]) -> Json, files: &Files<'_>) -> Json {
    let pattern = match flow.pattern {
        Pattern::One => "one",
        Pattern::Random => "random",
        Pattern::Permutation => "permutation",
        Pattern::Pairs => "pairs",
        Pattern::All => "all",
        Pattern::Nearest => "nearest",
        Pattern::FromNearest => "from-nearest",
        Pattern::Group => "group",
        Pattern::Ranks => "ranks",
        Pattern::Transfers => "transfers",
    };
    let ecn = match flow.ecn {
        Ecn::NotEct => "not-ect",
        Ecn::Ect0 => "ect0",
        Ecn::Ect1 => "ect1",
        Ecn::Ce => "ce",
    };
    let mut form = object([
        ("from", names(&flow.from)),
        ("each", Json::Flag(flow.each)),
        ("to", names(&flow.to)),
        ("pattern", Json::text(pattern)),
        ("class", Json::count(u64::from(flow.class))),
        ("ecn", Json::text(ecn)),
        ("transport", transport::form(flow, files)),
        ("packet_B", Json::size(flow.packet)),
        ("start_s", Json::time(flow.start)),
        ("stop_s", Json::time(flow.stop)),
        ("source", part(&flow.made, files)),
    ]);
    if let Json::Object(fields) = &mut form {
        let own = flow.simple.0.iter().filter(|o| !transport::has(o.0));
        fields.extend(own.map(|o| option(o, files)));
        fields.extend(flow.route.iter().map(|r| ("route".to_owned(), names(r))));
        if !flow.after.is_empty() {
            let one = |(name, delay): &(String, Span)| (name.clone(), Json::time(*delay));
            let after = flow.after.iter().map(one).collect();
            fields.insert("after".to_owned(), Json::Object(after));
        }
    }
    form
}

fn part(made: &Made, files: &Files<'_>) -> Json {
    let mut fields = BTreeMap::from([("kind".to_owned(), Json::text(made.id))]);
    fields.extend(made.args.0.iter().map(|o| option(o, files)));
    Json::Object(fields)
}

/// The name of an option, with its unit, and its value.
fn option((name, value): &(&'static str, Value), files: &Files<'_>) -> (String, Json) {
    let (suffix, json) = match value {
        Value::Span(s) => ("_s", Json::time(*s)),
        Value::Rate(r) => ("_bps", Json::rate(*r)),
        Value::Bytes(b) => ("_B", Json::size(*b)),
        Value::Packets(n) => ("_pkts", Json::count(*n)),
        Value::Share(f) | Value::Number(f) => ("", Json::Number(f.to_string())),
        Value::Count(n) => ("", Json::count(*n)),
        Value::Flag(flag) => ("", Json::Flag(*flag)),
        Value::Choice(word) => ("", Json::text(word)),
        Value::File(file) => ("_sha256", Json::text(&files.read[&file.path].1)),
        Value::Text(text) => ("", Json::text(text)),
        Value::Table(written) => ("", Json::Written(written.clone())),
        Value::Series(list) => ("", Json::Text(packed::pack(list.iter().copied()))),
    };
    (format!("{name}{suffix}"), json)
}
