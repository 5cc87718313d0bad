//! What happens to wires, and what stands at ports.

use backwater_sim::record::What;

use crate::net::*;

/// Of two outages the first ends when the second begins, whichever is written first: the wire is down throughout. A packet comes each 100 us.
#[test]
fn an_outage_that_begins_as_another_ends_keeps_the_wire_down() {
    let lost = |first: &str, second: &str| {
        let report = run(&format!(
            r#"
duration = "5 ms"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "B"], rate = "1 Gbit/s", delay = "0 s" }}
events.{first} = {{ kind = "down", links = ["a"], at = "1050 us", until = "2050 us" }}
events.{second} = {{ kind = "down", links = ["a"], at = "2050 us", until = "3050 us" }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1000 B", rate = "80 Mbit/s", phase = "start" }} }}
"#
        ));
        report.dropped
    };
    assert_eq!((lost("a", "b"), lost("b", "a")), (20, 20));
}

/// The card of the third host of four asks from 1 ms on, and no other: what goes to that one waits.
#[test]
fn the_card_of_one_host_stops_what_goes_to_it() {
    let (report, records, _) = recorded(
        r#"
duration = "4 ms"
nodes = { A = { kind = "host" }, W = { kind = "switch" }, B = { kind = "host" }, C = { kind = "host" }, D = { kind = "host" } }
links.a = { ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }
links.b = { ends = ["W", "B"], rate = "1 Gbit/s", delay = "0 s" }
links.c = { ends = ["C", "W"], rate = "1 Gbit/s", delay = "0 s" }
links.d = { ends = ["W", "D"], rate = "1 Gbit/s", delay = "0 s" }
events.storm = { kind = "storm", links = ["c"], at = "1 ms" }
flows.b = { from = "A", to = "B", source = { kind = "cbr", packet = "1000 B", rate = "80 Mbit/s", phase = "start" } }
flows.c = { from = "A", to = "C", source = { kind = "cbr", packet = "1000 B", rate = "80 Mbit/s", phase = "start" } }
flows.d = { from = "A", to = "D", source = { kind = "cbr", packet = "1000 B", rate = "80 Mbit/s", phase = "start" } }
"#,
    );
    let last = |flow: u32| {
        *instants(&records, What::Deliver, flow, None)
            .last()
            .expect("a packet")
    };
    assert!(last(0) > 3_900 * US && last(2) > 3_900 * US);
    assert!(last(1) < 1_100 * US, "{}", last(1));
    assert_eq!(report.dropped, 0);
}

/// A header with records of hops has room for five. Six ports that write are one too many.
#[test]
fn a_header_has_room_for_the_records_of_five_hops() {
    let said = |stamped: usize| {
        let mut text = "duration = \"100 us\"\nports.\"*\" = { buffer = \"4 MB\" }\n".to_owned();
        let names: Vec<String> = (0..8).map(|n| format!("N{n}")).collect();
        for (n, name) in names.iter().enumerate() {
            let kind = if n == 0 || n == 7 { "host" } else { "switch" };
            text += &format!("nodes.{name} = {{ kind = \"{kind}\" }}\n");
        }
        for (n, two) in names.windows(2).enumerate() {
            text += &format!(
                "links.l{n} = {{ ends = [\"{}\", \"{}\"], rate = \"100 Gbit/s\", delay = \"1 us\" }}\n",
                two[0], two[1]
            );
            if n > 0 && n <= stamped {
                text += &format!(
                    "ports.\"{}>{}\" = {{ stamp = {{ kind = \"hop-record\" }} }}\n",
                    two[0], two[1]
                );
            }
        }
        text += "flows.f = { from = \"N0\", to = \"N7\", packet = \"1072 B\", transport = \"roce\", cnp = \"off\", \
                 controller = { kind = \"hpcc\", rate = \"100 Gbit/s\", base_rtt = \"13 us\" }, source = { kind = \"bulk\" } }\n";
        refused(&text)
    };
    assert_eq!(said(5), "");
    assert!(
        said(6).contains("6 ports on its path write records of hops"),
        "{}",
        said(6)
    );
}

/// Runs with stations are not skipped: the state of their medium is not compared.
#[test]
fn a_world_with_stations_is_not_skipped() {
    let mut world = built(
        r#"
duration = "50 ms"
media.air = { phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s" }, mac = { access = "dcf" }, channel = { model = "disc", transmit = "100 m" } }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "30 packets" }
nodes.B = { kind = "station", medium = "air", at = ["50 m", "0 m"], buffer = "30 packets" }
flows.f = { from = "A", to = "B", source = { kind = "cbr", packet = "1000 B", rate = "80 kbit/s" } }
"#,
    );
    assert!(world.skip_recurrences().is_err());
    assert_eq!(world.skipped(), None);
}

/// A card asks for a class that the port it tells has. A port with one queue for all has each class.
#[test]
fn a_card_asks_for_a_class_that_there_is() {
    let said = |queue: &str, class: u8| {
        refused(&format!(
            r#"
duration = "1 ms"
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "1 Gbit/s", delay = "0 s" }}
links.b = {{ ends = ["W", "B"], rate = "1 Gbit/s", delay = "0 s" }}
{queue}
events.e = {{ kind = "storm", links = ["b"], at = "100 us", class = {class} }}
flows.f = {{ from = "A", to = "B", source = {{ kind = "cbr", packet = "1000 B", rate = "8 Mbit/s" }} }}
"#
        ))
    };
    let two = r#"ports."W>B" = { queue = { kind = "strict-priority", classes = 2 } }"#;
    assert_eq!((said("", 0), said("", 7)), (String::new(), String::new()));
    assert_eq!(said(two, 1), "");
    assert!(
        said(two, 2).contains("has 2 classes, so it has no such class to stop"),
        "{}",
        said(two, 2)
    );
}

/// A Hurst parameter is measured of a source that sends by a law of its own: of none with a transport, and of none that keeps a queue filled.
#[test]
fn a_hurst_parameter_is_that_of_a_source() {
    let said = |flow: &str| {
        refused(&format!(
            r#"
duration = "2700 s"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "B"], rate = "1 Mbit/s", delay = "0 s" }}
flows.f = {{ from = "A", to = "B", hurst = true, {flow} }}
"#
        ))
    };
    assert_eq!(
        said(r#"source = { kind = "cbr", packet = "1000 B", rate = "8 kbit/s" }"#),
        ""
    );
    for flow in [
        r#"source = { kind = "saturated", packet = "1000 B" }"#,
        r#"transport = "tcp", controller = { kind = "cubic" }, source = { kind = "cbr", packet = "1000 B", rate = "8 kbit/s" }"#,
    ] {
        let said = said(flow);
        assert!(said.contains("flows.f.hurst"), "{said}");
    }
}
