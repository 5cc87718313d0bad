//! Sources over media and transports, from text to report.

use backwater_scenario::{Diagnostic, Folders, Scenario};
use backwater_sim::world::World;

/// Two ends of a wire.
const WIRE: &str = r#"
nodes.S = { kind = "host" }
nodes.D = { kind = "host" }
links.a = { ends = ["S", "D"], rate = "10 Mbit/s", delay = "1 ms" }
"#;

/// Two stations of 802.11b.
const AIR: &str = r#"
media.air = { phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }, mac = { access = "edca" }, channel = { model = "disc", transmit = "100 m", sense = "200 m" } }
nodes.S = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "100 packets" }
nodes.D = { kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "100 packets" }
"#;

/// A flow from S to D, for a second.
fn build(medium: &str, flow: &str) -> Result<World, Diagnostic> {
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "1 s"
{medium}
flows.f = {{ from = "S", to = "D", {flow} }}
"#
    );
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default())?;
    scenario.resolve(None)?.build()
}

/// A transport takes what it is given, so that no queue of its host says when more is wanted: `bulk` is what never runs out.
#[test]
fn a_saturated_source_with_a_transport_is_refused() {
    for medium in [WIRE, AIR] {
        for transport in ["tcp", "datagram"] {
            let flow = format!(
                r#"transport = "{transport}", controller = {{ kind = "fixed" }}, source = {{ kind = "saturated" }}"#
            );
            let refused = build(medium, &flow).expect_err(&flow);
            assert!(refused.what.contains("flows.f.source"), "{refused}");
            assert!(refused.fix.contains(r#"kind = "bulk""#), "{refused}");
            assert!(refused.line.is_some(), "{refused}");
        }
    }
}
