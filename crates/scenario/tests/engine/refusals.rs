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
