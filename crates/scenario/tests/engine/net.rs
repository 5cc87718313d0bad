//! Worlds from a scenario's text.

use backwater_scenario::{Folders, Resolved, Scenario};
use backwater_sim::ids::PortId;
use backwater_sim::record::{Record, What};
use backwater_sim::world::{Report, World};

/// Ticks in a microsecond.
pub const US: u64 = 1_000_000;
/// Ticks in a millisecond.
pub const MS: u64 = 1_000 * US;

/// A scenario with seed 1 unless it names another.
pub fn resolved(text: &str) -> Resolved {
    let text = format!("schema = \"backwater/scenario/1\"\n{text}");
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario.and_then(|scenario| scenario.resolve(None));
    resolved.unwrap_or_else(|said| panic!("{said}"))
}

pub fn built(text: &str) -> World {
    let world = resolved(text).build();
    world.unwrap_or_else(|said| panic!("{said}"))
}

/// Why a scenario is refused.
pub fn refused(text: &str) -> String {
    let text = format!("schema = \"backwater/scenario/1\"\n{text}");
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let world = scenario
        .and_then(|scenario| scenario.resolve(None))
        .and_then(|resolved| resolved.build());
    match world {
        Ok(_) => String::new(),
        Err(said) => said.to_string(),
    }
}

pub fn port(world: &World, name: &str) -> PortId {
    let ports = &world.network().ports;
    let found = ports.ids().find(|id| ports[*id].more.name == name);
    found.unwrap_or_else(|| panic!("no port {name}"))
}

/// Runs to the end; no packet is missing.
pub fn finished(world: &mut World) -> Report {
    world.advance(world.end());
    let report = world.report();
    assert!(report.conserved);
    report
}

pub fn run(text: &str) -> Report {
    finished(&mut built(text))
}

/// Runs unfused and recorded.
pub fn recorded(text: &str) -> (Report, Vec<Record>, World) {
    let mut world = built(text);
    world.start_recording();
    let report = finished(&mut world);
    let records = world.take_records();
    (report, records, world)
}

/// When something happened to packets of a flow, at a port if one is named.
pub fn instants(records: &[Record], what: What, flow: u32, port: Option<PortId>) -> Vec<u64> {
    let mine = records
        .iter()
        .filter(|r| r.what == what && r.flow.0 == flow);
    let here = mine.filter(|r| port.is_none_or(|port| port == r.port));
    here.map(|r| r.at.0).collect()
}

/// Four switches with two equal ways from host A to host B, over U and over V. Behind one of these the link `y` or `z`, which is named, takes frames
/// of 1000 B at most.
fn diamond(narrow: &str, more: &str) -> String {
    let most = |link: &str| match link == narrow {
        true => r#", max_frame = "1000 B""#,
        false => "",
    };
    format!(
        r#"
duration = "1 ms"
routing = {{ kind = "ecmp" }}
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }}, W = {{ kind = "switch" }}, U = {{ kind = "switch" }}, V = {{ kind = "switch" }}, X = {{ kind = "switch" }} }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "U"], rate = "1 Gbit/s", delay = "0 s" }}
links.c = {{ ends = ["W", "V"], rate = "1 Gbit/s", delay = "0 s" }}
links.d = {{ ends = ["X", "B"], rate = "1 Gbit/s", delay = "0 s" }}
links.y = {{ ends = ["U", "X"], rate = "1 Gbit/s", delay = "0 s"{} }}
links.z = {{ ends = ["V", "X"], rate = "1 Gbit/s", delay = "0 s"{} }}
{more}
"#,
        most("y"),
        most("z")
    )
}

/// Whether a flow over two equal ways is refused for the narrow link, and for nothing else.
pub fn refused_for(narrow: &str, more: &str) -> bool {
    let said = refused(&diamond(narrow, more));
    let about = said.contains(&format!("do not fit link {narrow}"));
    assert!(said.is_empty() || about, "{said}");
    about
}
