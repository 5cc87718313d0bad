//! What has moved so far: events, frames on the air and notices.

use backwater_transport::units::Time;

use crate::net::*;

/// A world that has not begun has served no event.
#[test]
fn a_world_that_has_not_begun_has_served_no_event() {
    let world = built(
        r#"
duration = "1 s"
nodes = { A = { kind = "host" }, B = { kind = "host" } }
links.a = { ends = ["A", "B"], rate = "1 Gbit/s", delay = "1 us" }
flows.f = { from = "A", to = "B", source = { kind = "cbr", packet = "1000 B", rate = "8 Mbit/s", phase = "start" } }
"#,
    );
    assert_eq!(world.events(), 0);
}

/// 1,500 B at 1 Mbit/s are on the air for over 12 ms. At 5 ms nothing was delivered yet, but the frame moves; at 20 ms it is there, and a packet that were
/// held would stand still.
#[test]
fn a_frame_on_the_air_moves_where_none_was_lost() {
    let mut world = built(
        r#"
duration = "1 s"
media.air = { phy = { standard = "802.11b", data = "1 Mbit/s", control = "1 Mbit/s" }, mac = { access = "dcf" }, channel = { model = "disc", transmit = "100 m" } }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }
nodes.B = { kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "30 packets" }
flows.f = { from = "A", to = "B", source = { kind = "packet-list", at_us = [0], bytes = [1500] } }
"#,
    );
    for (ms, stands) in [(5, false), (20, true)] {
        world.advance(Time(ms * MS));
        assert_eq!(world.standstill(1).is_some(), stands, "{ms}");
    }
}

/// 36 packets come at ten times the rate at which they leave. The 26 that fill 40 kB let the switch stop its neighbour once; the rest is too few to fill it
/// again. When it is nearly empty the neighbour is let go once. A stop lasts a third of a second, so that none is renewed.
#[test]
fn a_queue_that_fills_once_tells_its_neighbour_twice() {
    let report = run(r#"
duration = "100 ms"
nodes = { A = { kind = "host" }, X = { kind = "switch" }, D = { kind = "host" } }
links.a = { ends = ["A", "X"], rate = "100 Mbit/s", delay = "0 s" }
links.q = { ends = ["X", "D"], rate = "10 Mbit/s", delay = "0 s" }
ports."X>D" = { buffer = "200 kB" }
mechanisms.m = { recipe = "pause", at = ["X>D"], detect = { kind = "watermark", low = "1 %", high = "20 %" } }
flows.f = { from = "A", to = "D", source = { kind = "packet-list", at_us = [0], bytes = [54000] } }
"#);
    assert_eq!(report.delivered, 36);
    assert_eq!(report.hearing[0].issued, 2);
    assert_eq!(report.control, 2);
}

/// Stations that have nothing to send keep a run from being skipped too: what media know is not compared.
#[test]
fn a_run_with_idle_stations_is_not_skipped() {
    let said = |stations: &str| {
        let mut world = built(&format!(
            r#"
duration = "1 s"
{stations}
nodes.S = {{ kind = "host" }}
nodes.D = {{ kind = "host" }}
links.a = {{ ends = ["S", "D"], rate = "1 Gbit/s", delay = "1 us" }}
flows.f = {{ from = "S", to = "D", source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s", phase = "start" }} }}
"#
        ));
        world.skip_recurrences().map_err(|unable| unable.place)
    };
    assert_eq!(said(""), Ok(()));
    let stations = r#"
media.air = { phy = { standard = "802.11b", data = "1 Mbit/s", control = "1 Mbit/s" }, mac = { access = "dcf" }, channel = { model = "disc", transmit = "100 m" } }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }
nodes.B = { kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "30 packets" }"#;
    assert_eq!(said(stations), Err("media".to_owned()));
}
