//! Saturated stations of 802.11n: what waits at them, and by which rate they send. And the age of what a trace delivers.

use crate::net::*;

/// Bits of IP that a station sends in 200 ms, at 65 Mbit/s or as its rate control finds.
fn sent(phy: &str) -> u64 {
    let report = run(&format!(
        r#"
duration = "200 ms"
media.air.phy = {{ standard = "802.11n", mcs = 7, width = "20 MHz"{phy} }}
media.air.mac = {{ aggregation = "a-mpdu", lifetime = "10 s" }}
media.air.channel = {{ model = "disc", transmit = "100 m", propagation = "0 s" }}
nodes.S = {{ kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "1000 packets" }}
nodes.T = {{ kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "1000 packets" }}
flows.f = {{ from = "S", to = "T", ac = "BE", source = {{ kind = "saturated", packet = "1500 B" }} }}
"#
    ));
    8 * report.flows[0].sums.delivered.bytes
}

/// A frame of 1536 B at 65 Mbit/s takes 190 us and its preamble 36 us, before a SIFS of 16 us, an answer of 28 us and an AIFS of 43 us: one by one they carry
/// less than 39 Mbit/s. Only frames that wait together go as one PPDU, which carries more.
#[test]
fn a_saturated_station_fills_its_aggregates() {
    let rate = 5 * sent("");
    assert!((50_000_000..65_000_000).contains(&rate), "{rate}");
}

/// Rate control begins with the slowest mode of 6.5 Mbit/s, and where no frame is lost it comes to the fastest. So it carries less than without, and more
/// than the slowest could.
#[test]
fn rate_control_climbs_from_the_slowest_mode() {
    let (plain, found) = (sent(""), sent(r#", rate_control = "minstrel-ht""#));
    let slowest = 6_500_000 / 5;
    assert!(2 * slowest < found && found < plain, "{found} {plain}");
}

/// Packets of 1500 B enter each 10 ms and leave at the opportunities of a trace of 12 Mbit/s, one in each millisecond. So the ages of the newest, sampled each
/// millisecond, go evenly up to 9 or 10 ms, of which the 95th percentile is the last. A flow over a wire has no such age.
#[test]
fn the_age_of_what_a_trace_delivers_is_sampled() {
    let world = |link: &str| {
        let mut world = built(&format!(
            r#"
duration = "1 s"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }} }}
links.a = {{ from = "A", to = "B", {link} }}
links.back = {{ from = "B", to = "A", rate = "1 Gbit/s", delay = "0 s" }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1500 B", rate = "1.2 Mbit/s", phase = "start" }} }}
"#
        ));
        finished(&mut world);
        world
    };
    let traced = world(
        r#"kind = "trace", delay = "0 s", trace = { kind = "constant", rate = "12 Mbit/s" }"#,
    );
    let flow = traced.network().flows.iter().next().expect("a flow");
    let age = flow.stats.age.as_ref().expect("an age");
    let oldest = age.p95_s(traced.now()).expect("samples");
    assert!((0.009..=0.011).contains(&oldest), "{oldest}");
    let wired = world(r#"rate = "12 Mbit/s", delay = "0 s""#);
    let flow = wired.network().flows.iter().next().expect("a flow");
    assert!(flow.stats.age.is_none());
}
