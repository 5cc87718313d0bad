//! A snapshot: its scenario, and what follows from its network alone.

use backwater_scenario::{Folders, Scenario};
use backwater_sim::world::World;

/// Snapshots of the document.
pub const SNAPSHOTS: u64 = 50;

/// The scenario of a snapshot.
pub fn text(snapshot: u64) -> String {
    format!(
        r#"
        schema = "backwater/scenario/1"
        duration = "180 s"
        routing = {{ kind = "airtime-tree", roots = ["G1", "G2", "G3", "G4"] }}
        media.air.phy = {{ standard = "802.11g", data = "54 Mbit/s", control = "6 Mbit/s" }}
        media.air.mac = {{ access = "dcf", rts = "on", retry_short = 7, retry_long = 4 }}
        media.air.channel = {{ model = "physical", shadowing_seed = {snapshot} }}
        topology = {{ kind = "random-grid", stations = 40, rows = 26, columns = 26, spacing = "20 m", routes = true, seed = {snapshot}, medium = "air", buffer = "256 kB", own_share = "20 %" }}
        nodes.G1 = {{ kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "2 MB", own_share = "20 %" }}
        nodes.G2 = {{ kind = "station", medium = "air", at = ["500 m", "0 m"], buffer = "2 MB", own_share = "20 %" }}
        nodes.G3 = {{ kind = "station", medium = "air", at = ["0 m", "500 m"], buffer = "2 MB", own_share = "20 %" }}
        nodes.G4 = {{ kind = "station", medium = "air", at = ["500 m", "500 m"], buffer = "2 MB", own_share = "20 %" }}
        flows.up = {{ from = "s*", to = "G*", pattern = "nearest", packet = "1500 B", source = {{ kind = "cbr", packet = "1500 B", rate = "100 kbit/s", phase = "random" }} }}
        flows.down = {{ from = "G*", to = "s*", pattern = "from-nearest", packet = "1500 B", source = {{ kind = "cbr", packet = "1500 B", rate = "300 kbit/s", phase = "random" }} }}
        "#
    )
}

/// The world of a snapshot, under a seed of the run.
pub fn world(snapshot: u64, seed: u64) -> World {
    let scenario = Scenario::from_toml(text(snapshot), "mesh40.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(Some(seed)));
    resolved
        .and_then(|r| r.build())
        .unwrap_or_else(|d| panic!("{d}"))
}

/// A hop of a flow: sender, receiver, bit/s of its data frames.
pub type Hop = (u32, u32, u64);

/// The hops of each flow, the uplinks first.
pub fn routes(world: &World) -> [Vec<Vec<Hop>>; 2] {
    let mut routes = [Vec::new(), Vec::new()];
    for flow in &world.network().flows.0 {
        let hop = |port: &_| {
            let hop = world.air().hop(*port).expect("a radio hop");
            (hop.from, hop.to, hop.rate.0)
        };
        let down = usize::from(flow.name.starts_with("down/"));
        routes[down].push(flow.path.iter().map(hop).collect());
    }
    routes
}
