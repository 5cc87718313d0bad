//! The row of a port in the document of a run.

use backwater_sim::queue::Aqm;
use backwater_sim::world::{PortReport, World};
use serde_json::{Map, Value, json};

use super::TICKS;

/// The row of a port, with these figures of a trace link.
pub(super) fn row(world: &World, p: &PortReport, window: f64, cell: Map<String, Value>) -> Value {
    let more = &world.network().ports[p.port].more;
    let mut one = json!({
        "id": more.name,
        "sent_pkts": p.count.packets,
        "sent_B": p.count.bytes,
        "busy": p.count.busy as f64 / TICKS / window,
        "paused": p.count.closed.map(|c| c as f64 / TICKS / window),
        "idle_gated": p.count.stall as f64 / TICKS / window,
        "control_pkts": p.count.control,
        "queue_mean_B": p.count.area as f64 / TICKS / window,
        "queue_max_B": p.count.max_bytes,
        "marked_pkts": p.count.marked,
        "hol_victims_pkts": p.count.victims,
    });
    if let Value::Object(one) = &mut one {
        one.extend(cell);
        if more.trim.is_some() {
            one.insert("trimmed_pkts".into(), json!(p.count.trimmed));
        }
        let managed = more.managed.as_ref();
        if managed.is_some_and(|managed| managed.aqm.notifies()) {
            one.insert("notices_pkts".into(), json!(p.count.notices));
        }
        if let Some(watchdog) = &more.watchdog {
            one.insert("watchdog_actions".into(), json!(watchdog.acted));
        }
        // A trace link has no line rate: its share is that of the opportunities.
        if let Some(share) = one["utilisation"].as_f64() {
            one["busy"] = json!(share);
        }
    }
    one
}
