//! Figures of a run second by second: how steadily flows share behind a warm-up, and the Hurst parameter of a source.

use backwater_transport::units::{Rate, Time};

use crate::net::*;

/// Two flows fill a line that has half of its rate from 3 s on. Behind a warm-up of 3 s each second carries as much as the others, to the one or two of 32
/// packets that fall on either side of its end. With the first three seconds the deviation would be a third of the mean.
#[test]
fn steadiness_is_that_behind_the_warm_up() {
    let flow = r#"from = "S", to = "D", transport = "tcp", controller = { kind = "fixed", window = "4 packets" }, source = { kind = "bulk" }"#;
    let mut world = built(&format!(
        r#"
duration = "9 s"
warmup = "3 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "D"], rate = "800 kbit/s", delay = "0 s" }}
flows.f = {{ {flow} }}
flows.g = {{ {flow} }}
"#
    ));
    world.advance(Time(3_000 * MS));
    let out = port(&world, "S>D");
    world.change_rate(out, Rate(400_000)).expect("another rate");
    let report = finished(&mut world);
    let variation = report.progress.steadiness().variation();
    assert!(variation.expect("seconds") < 0.07, "{variation:?}");
}

/// Counts of a Poisson process in spans that do not meet are independent, so that its Hurst parameter is a half.
#[test]
fn a_poisson_source_has_a_hurst_parameter_of_a_half() {
    let report = run(r#"
duration = "2700 s"
nodes = { A = { kind = "host" }, B = { kind = "host" } }
links.a = { ends = ["A", "B"], rate = "1 Mbit/s", delay = "0 s" }
flows.f = { from = "A", to = "B", hurst = true, source = { kind = "poisson", packet = "1000 B", rate = "80 kbit/s" } }
"#);
    let hurst = report.flows[0].hurst.as_ref().expect("it is measured");
    let all = hurst.all.expect("a value");
    assert!((all - 0.5).abs() < 0.1, "{all}");
}
