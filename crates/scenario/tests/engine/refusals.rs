//! What is refused before a run, with its place.

use crate::net::*;

/// A Hurst parameter is measured on one wire. A flow that draws the destination of each packet leaves its host by either of two.
#[test]
fn a_hurst_parameter_of_a_flow_over_two_wires_is_refused() {
    let text = |more: &str| {
        format!(
            r#"
duration = "1 s"
routing = {{ kind = "ecmp" }}
nodes = {{ S = {{ kind = "host" }}, X = {{ kind = "switch" }}, Y = {{ kind = "switch" }}, D1 = {{ kind = "host" }}, D2 = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "X"], rate = "10 Mbit/s", delay = "0 s" }}
links.b = {{ ends = ["S", "Y"], rate = "10 Mbit/s", delay = "0 s" }}
links.c = {{ ends = ["X", "D1"], rate = "10 Mbit/s", delay = "0 s" }}
links.d = {{ ends = ["Y", "D2"], rate = "10 Mbit/s", delay = "0 s" }}
flows.f = {{ from = "S", hurst = true, {more}, source = {{ kind = "cbr", packet = "1000 B", rate = "1 Mbit/s" }} }}
"#
        )
    };
    let said = refused(&text(r#"to = "D*", pattern = "random""#));
    assert!(said.contains("flows.f.hurst"), "{said}");
    assert!(said.contains("leave its host by several"), "{said}");
    assert_eq!(refused(&text(r#"to = "D1""#)), "");
}

/// Packets go round-robin over U and over V, and the port from U to X has no queue of their class. They are refused, also beside a flow with a
/// written route and beside stations that have nothing to do with them.
#[test]
fn all_ways_of_a_flow_must_have_its_class() {
    let routed = r#"routes.g = ["B", "X", "U", "A", "S"]
flows.g = { from = "B", to = "S", source = { kind = "cbr", packet = "100 B", rate = "8 kbit/s" } }"#;
    let radio = r#"media.air = { phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }, mac = { access = "dcf" }, channel = { model = "disc", transmit = "100 m" } }
nodes.M = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }
nodes.N = { kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "30 packets" }
flows.g = { from = "M", to = "N", source = { kind = "cbr", packet = "100 B", rate = "8 kbit/s" } }"#;
    for beside in ["", routed, radio] {
        let said = refused(&format!(
            r#"
duration = "10 ms"
routing = {{ kind = "ecmp", choose = "round-robin" }}
nodes.S = {{ kind = "host" }}
nodes.A = {{ kind = "switch" }}
nodes.B = {{ kind = "host" }}
nodes.U = {{ kind = "switch" }}
nodes.V = {{ kind = "switch" }}
nodes.X = {{ kind = "switch" }}
links.s = {{ ends = ["S", "A"], rate = "1 Gbit/s", delay = "0 s" }}
links.a = {{ ends = ["A", "U"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["A", "V"], rate = "1 Gbit/s", delay = "0 s" }}
links.c = {{ ends = ["U", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.d = {{ ends = ["V", "X"], rate = "1 Gbit/s", delay = "0 s" }}
links.e = {{ ends = ["X", "B"], rate = "1 Gbit/s", delay = "0 s" }}
ports."U>X" = {{ queue = {{ kind = "strict-priority", classes = 2 }} }}
flows.f = {{ from = "S", to = "B", class = 2, source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" }} }}
{beside}
"#
        ));
        assert!(said.contains("flows.f.class"), "{beside} {said}");
        assert!(said.contains("class 2 has no queue at U>X"), "{said}");
    }
}
