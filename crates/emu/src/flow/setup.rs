//! The description of a flow: the fields that a flow of a scenario has. The sending end tells them to the listening one, and both build
//! their halves from them as a simulated world does.

use backwater_scenario::{Diagnostic, Folders, Resolved, Scenario};
use backwater_sim::source::ENDLESS;
use backwater_sim::spec::TransportSpec;
use backwater_transport::controller::CONTROLLERS;
use backwater_transport::controller::Controller;
use backwater_transport::endpoint::AnyReceiver;
use backwater_transport::liar::Liar;
use serde_json::{Map, Value, json};

use crate::fault::Fault;

/// The fields that say what the two ends are. A listener takes no others: a stranger writes them.
const FIELDS: [&str; 13] = [
    "transport",
    "packet",
    "frame",
    "controller",
    "recovery",
    "marks",
    "initial_window",
    "delayed_ack",
    "receiver",
    "rto_min",
    "after_idle",
    "silence",
    "pacing",
];
/// Name of the flow in its scenario.
pub const FLOW: &str = "flow";

/// The scenario of one flow with these fields. Its link is never used: the real network is in its place.
pub fn scenario(fields: &Map<String, Value>, seed: u64) -> Value {
    let mut flow = fields.clone();
    flow.insert("from".into(), json!("here"));
    flow.insert("to".into(), json!("there"));
    flow.insert("source".into(), json!({"kind": ENDLESS.id}));
    json!({
        "schema": "backwater/scenario/1", "seed": seed, "duration": "1 s",
        "nodes": {"here": {"kind": "host"}, "there": {"kind": "host"}},
        "links": {"network": {"ends": ["here", "there"], "rate": "1 Gbit/s", "delay": "1 ms"}},
        "flows": {FLOW: flow},
    })
}

/// The ends of the flow of a scenario.
///
/// # Errors
/// A flow without answers, or a controller that needs routers which write into packets.
pub fn ends(resolved: &Resolved) -> Result<TransportSpec, Fault> {
    let place = "flow send";
    let transport = resolved.spec().flows[0].transport.clone();
    let Some(transport) = transport else {
        let fix = "write transport=tcp or transport=datagram";
        return Err(Fault::refused("the flow has no transport", place, fix));
    };
    if transport.sender.protocol.row().queue_pair {
        let fix = "write transport=tcp or transport=datagram";
        let what = "a queue pair of RDMA has no format for real networks here";
        return Err(Fault::refused(what, place, fix));
    }
    let header = transport.controller.congestion_header();
    if header.is_some_and(|layout| !layout.reports_codepoints()) {
        let what = "routers of real networks do not write the feedback that this controller needs";
        let fix = "choose another controller, or run it in a simulated network";
        return Err(Fault::refused(what, "--controller", fix));
    }
    Ok(transport)
}

/// The description that the listening end receives. A class of Python stays with the sender: a receiver of any controller without feedback of
/// its own is the same.
pub fn told(fields: &Map<String, Value>) -> String {
    let mut told = fields.clone();
    if !from_tables(&told["controller"]) {
        told.insert("controller".into(), json!({"kind": CONTROLLERS[0].id}));
    }
    Value::Object(told).to_string()
}

fn from_tables(controller: &Value) -> bool {
    let kind = controller.get("kind").and_then(Value::as_str);
    CONTROLLERS.iter().any(|part| Some(part.id) == kind)
}

/// The listening end that a sender's text asks for.
///
/// # Errors
/// Why there is none.
pub fn listener(text: &str) -> Result<(AnyReceiver, Option<Liar>), String> {
    let fields: Map<String, Value> = serde_json::from_str(text).map_err(|e| e.to_string())?;
    if let Some(name) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return Err(format!("a listener takes no field `{name}`"));
    }
    if !fields.get("controller").is_some_and(from_tables) {
        return Err("the controller is in no table of this version".to_owned());
    }
    let read = Scenario::from_json(scenario(&fields, 0).to_string(), FLOW, Folders::default());
    let resolved = read.and_then(|scenario| scenario.resolve(None));
    let resolved = resolved.map_err(|d: Diagnostic| d.to_string())?;
    let transport = ends(&resolved).map_err(|fault| fault.to_string())?;
    let liar = transport.receiver.lie.map(Liar::new);
    Ok((AnyReceiver::new(&transport.receiver), liar))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stranger_can_ask_for_ends_of_flows_and_nothing_else() {
        let ask = |text: &str| listener(text).map(|_| ());
        assert_eq!(
            ask(r#"{"transport": "tcp", "controller": {"kind": "sprout"}}"#),
            Ok(())
        );
        let sprout =
            r#"{"transport": "datagram", "controller": {"kind": "sprout"}, "frame": "1514 B"}"#;
        assert_eq!(ask(sprout), Ok(()));
        for text in [
            "[]",
            "{}",
            r#"{"controller": {"kind": "python", "file": "/etc/passwd", "class": "A"}}"#,
            r#"{"controller": {"kind": "sprout"}, "source": {"kind": "replay", "file": "/dev/zero"}}"#,
            r#"{"controller": {"kind": "sprout"}}"#,
            r#"{"transport": "tcp", "controller": {"kind": "xcp"}}"#,
            r#"{"transport": "tcp", "controller": {"kind": "sprout"}, "packet": "12 B"}"#,
        ] {
            assert!(ask(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_class_of_python_stays_with_the_sender() {
        let fields = json!({"transport": "tcp", "controller": {"kind": "python", "file": "x"}});
        let told = told(fields.as_object().expect("an object"));
        assert!(!told.contains("python"), "{told}");
        assert!(listener(&told).is_ok());
    }
}
