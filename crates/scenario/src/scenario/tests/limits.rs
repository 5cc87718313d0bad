//! A scenario that is too large is refused before it is built, with the limit and the way to lift it.

use std::fmt::Write;

use super::super::*;

const ENDS: &str = r#"
schema = "backwater/scenario/1"
duration = "1 s"
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
links.l = { ends = ["A", "B"], rate = "800 Gbit/s", delay = "1 us" }
"#;

fn read(text: &str) -> Result<Resolved, Diagnostic> {
    Scenario::from_toml(text, "x.toml", Folders::default())?.resolve(None)
}

#[track_caller]
fn refused(text: &str, what: &str, fix: &str) {
    let found = read(text).expect_err("too large");
    assert!(found.what.contains(what), "{found}");
    assert!(found.fix.contains(fix), "{found}");
    assert!(found.to_string().len() < 2_000);
}

#[test]
fn a_hundred_thousand_flows_are_refused() {
    let mut text = ENDS.to_owned();
    for n in 0..100_000 {
        let _ = writeln!(
            text,
            r#"flows.f{n} = {{ from = "A", to = "B", source = {{ kind = "saturated" }} }}"#
        );
    }
    refused(
        &text,
        "100000 flows; at most 10000",
        "limits = { flows = 100000 }",
    );
}

#[test]
fn a_grid_of_a_million_stations_is_refused() {
    let text = r#"
schema = "backwater/scenario/1"
duration = "1 s"
media.air = { phy = { standard = "802.11b", data = "11 Mbit/s" }, channel = { model = "disc", transmit = "100 m", sense = "190 m" } }
topology = { kind = "grid", rows = 1024, columns = 1024, spacing = "70 m", medium = "air" }
flows.f = { from = "s0-0", to = "s1-1", source = { kind = "saturated" } }
"#;
    refused(
        text,
        "1048576 nodes; at most 10000",
        "limits = { nodes = 1048576 }",
    );
}

#[test]
fn packets_without_number_are_refused_unless_the_limit_is_lifted() {
    // 800 Gbit/s in packets of 1 B are 10^11 in a second.
    let batch = r#"flows.f = { from = "A", to = "B", source = { kind = "batch-poisson", batch = 1000000, packet = "1 B", rate = "800 Gbit/s" } }"#;
    let text = format!("{ENDS}{batch}");
    refused(
        &text,
        "100000000000 packets; at most 1000000000",
        "limits = { packets = ",
    );
    let lifted =
        format!("{text}\nlimits = {{ packets = 200000000000, memory = \"13000000 MB\" }}\n");
    assert!(read(&lifted).is_ok());
    let gaps = r#"flows.f = { from = "A", to = "B", transport = "tcp", controller = { kind = "reno" }, source = { kind = "request-response", gap = "1 ns", size = "1 kB", requests = "open" } }"#;
    // A second has 10^9 gaps of a nanosecond, and two seconds twice as many.
    let text = format!("{ENDS}{gaps}").replace("1 s", "2 s");
    refused(&text, "2000000000 packets", "limits");
}

/// 500 Mbit/s in packets of 1000 B for an hour over a line of 10 Mbit/s: of 2.25 × 10^8 packets all but
/// 1 / 51.9 wait in the end (1038 B of each are on the wire).
#[test]
fn packets_that_would_take_all_memory_are_refused_unless_something_bounds_them() {
    let flow = r#"flows.f = { from = "A", to = "B", source = { kind = "cbr", packet = "1000 B", rate = "500 Mbit/s" } }"#;
    let text = format!("{ENDS}{flow}")
        .replace("800 Gbit/s", "10 Mbit/s")
        .replace("1 s", "3600 s");
    refused(
        &text,
        "220664740 packets or requests would wait",
        "limits = { memory = \"28246 MB\" }",
    );
    for enough in [
        "limits = { memory = \"28246 MB\" }",
        "ports.\"A>B\" = { buffer = \"1 MB\" }",
    ] {
        assert!(read(&format!("{text}\n{enough}\n")).is_ok(), "{enough}");
    }
}

#[test]
fn opportunities_without_number_are_refused_used_or_idle() {
    let link = |more: &str, duration: &str| {
        format!(
            r#"
schema = "backwater/scenario/1"
duration = "{duration}"
nodes.A = {{ kind = "host" }}
nodes.B = {{ kind = "host" }}
links.d = {{ from = "A", to = "B", kind = "trace", trace = {{ kind = "constant", rate = "100 Gbit/s" }}{more} }}
links.u = {{ from = "B", to = "A", rate = "1 Mbit/s", delay = "1 ms" }}
flows.f = {{ from = "A", to = "B", stop = "1 us", source = {{ kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" }} }}
"#
        )
    };
    // 100 Gbit/s in bytes are 1.25 × 10^10 in a second.
    refused(
        &link(r#", opportunity = "1 B""#, "1 s"),
        "12500000000 packets",
        "limits",
    );
    refused(&link("", "1000 s"), "packets; at most 1000000000", "limits");
    assert!(read(&link("", "1 s")).is_ok());
}

/// With alpha = 0 the probability stays where it is while nothing waits.
#[test]
fn queue_management_that_never_calms_down_costs_nothing_while_idle() {
    let text = r#"
schema = "backwater/scenario/1"
duration = "4000000 s"
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
links.l = { ends = ["A", "B"], rate = "1 Mbit/s", delay = "1 us" }
ports."A>B" = { queue = { kind = "dualpi2", alpha = 0, period = "1 ms" }, buffer = "1 MB" }
flows.f = { from = "A", to = "B", stop = "1 s", source = { kind = "cbr", packet = "1500 B", rate = "3 Mbit/s" } }
flows.g = { from = "A", to = "B", start = "3999999 s", source = { kind = "cbr", packet = "1500 B", rate = "1 Mbit/s" } }
"#;
    let resolved = read(text).unwrap_or_else(|d| panic!("{d}"));
    let mut world = resolved.build().unwrap_or_else(|d| panic!("{d}"));
    // A few thousand packets, and 4 × 10^9 periods of the controller.
    assert!(world.advance_some(1_000_000));
}
