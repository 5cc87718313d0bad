//! Losses in a mesh: where packets began, after hops, and these weighted by hops.

use backwater_scenario::{Folders, Keep, Run, Scenario};

/// A sends a packet of 1.5 kB each second over B and C to D. C has room for its own packets only: 1 % of ten
/// packets, the share of others', is less than one.
const CHAIN: &str = r#"
    schema = "backwater/scenario/1"
    duration = "10 s"
    media.air.phy = { standard = "802.11g", data = "54 Mbit/s", control = "6 Mbit/s" }
    media.air.mac = { access = "dcf", rts = "on" }
    media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m" }
    nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"] }
    nodes.B = { kind = "station", medium = "air", at = ["90 m", "0 m"] }
    nodes.C = { kind = "station", medium = "air", at = ["180 m", "0 m"], buffer = "10 packets", own_share = "99 %" }
    nodes.D = { kind = "station", medium = "air", at = ["270 m", "0 m"] }
    routing = { kind = "shortest-path" }
    flows.f = { from = "A", to = "D", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "12 kbit/s", phase = "start" } }
"#;

/// The document's example: a packet of 1.5 kB a second that is lost after two hops weighs 3 kB/s.
#[test]
fn a_packet_a_second_lost_after_two_hops_weighs_twice_its_bytes() {
    let lost = |text: &str| {
        let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
        let resolved = scenario
            .and_then(|s| s.resolve(None))
            .unwrap_or_else(|d| panic!("{d}"));
        let mut run = Run::new(&resolved, Keep::default()).unwrap_or_else(|d| panic!("{d:?}"));
        while !run.step().unwrap() {}
        let document = run.finish().unwrap().0;
        [
            "local_loss",
            "intra_mesh_loss",
            "weighted_intra_mesh_loss",
            "weighted_intra_mesh_buffer_loss",
        ]
        .map(|name| document["metrics"][format!("{name}_bps")].as_f64().unwrap())
    };
    assert_eq!(lost(CHAIN), [0.0, 12e3, 24e3, 24e3]);
    // At the station where it began it has made no hop.
    let own = CHAIN.replace(
        "nodes.A = { kind = \"station\",",
        "nodes.A = { kind = \"station\", buffer = \"1 packets\", own_share = \"50 %\",",
    );
    assert_eq!(lost(&own), [12e3, 0.0, 0.0, 0.0]);
}
