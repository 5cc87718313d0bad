//! A WLAN with a wired back-haul, from text to document: the generator, and queues in front of the access point's radio.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use backwater_sim::queue::QUEUES;
use serde_json::Value;

const HEAD: &str = r#"
schema = "backwater/scenario/1"
media.air.phy.standard = "802.11b"
media.air.phy.data = "11 Mbit/s"
media.air.phy.control = "1 Mbit/s"
media.air.phy.preamble = "long"
media.air.mac.access = "dcf"
media.air.channel = { model = "disc", transmit = "100 m" }
"#;

/// Two stations, and a fixed node behind the access point.
const TWO: &str = r#"
topology = { kind = "wlan", stations = 2, medium = "air", wire_rate = "100 Mbit/s", wire_delay = "1 ms" }
"#;

fn scenario(text: &str) -> Result<Scenario, String> {
    let text = format!("{HEAD}{text}");
    Scenario::from_toml(text, "x.toml", Folders::default()).map_err(|d| d.to_string())
}

fn run(text: &str) -> Value {
    let scenario = scenario(text).unwrap_or_else(|d| panic!("{d}"));
    let resolved = scenario.resolve(None).unwrap_or_else(|d| panic!("{d}"));
    let mut run = Run::new(&resolved, Keep::default()).unwrap_or_else(|d| panic!("{d:?}"));
    while !run.step().unwrap() {}
    let document = run.finish().unwrap().0;
    assert_eq!(document["conservation"]["ok"], true);
    document
}

fn refusal(text: &str) -> String {
    let scenario = match scenario(text) {
        Ok(scenario) => scenario,
        Err(refusal) => return refusal,
    };
    match scenario.resolve(None) {
        Err(refusal) => refusal.to_string(),
        Ok(resolved) => match Run::new(&resolved, Keep::default()) {
            Ok(_) => panic!("a scenario that works"),
            Err(refusal) => format!("{refusal:?}"),
        },
    }
}

fn flow<'a>(document: &'a Value, id: &str) -> &'a Value {
    let flows = document["flows"].as_array().unwrap();
    flows.iter().find(|flow| flow["id"] == id).unwrap()
}

fn number(flow: &Value, key: &str) -> f64 {
    flow[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} of {flow}"))
}

fn lost(document: &Value, cause: &str) -> u64 {
    let rows = document["drops"].as_array().unwrap().iter();
    let of_cause = rows.filter(|row| row["cause"] == cause);
    of_cause.map(|row| row["pkts"].as_u64().unwrap()).sum()
}

/// Downlink: 8 Mbit/s fill the access point's buffer of 100 packets, and 100 kbit/s go beside them. An exchange of 1500 B at 11
/// Mbit/s takes about 1.98 ms (DIFS 50, backoff 310 on average, data 1310, SIFS 10, ACK 304 us), so a full buffer holds a
/// packet for some 190 ms. Where flows are served round-robin, a packet of a sparse flow waits for a frame or two.
#[test]
fn fq_codel_at_an_access_point_keeps_a_sparse_flow_from_the_queue_of_another() {
    let sparse = |queue: &str| {
        let document = run(&format!(
            r#"{TWO}
duration = "20 s"
warmup = "2 s"
{queue}
flows.full = {{ from = "d1", to = "s1", source = {{ kind = "cbr", packet = "1500 B", rate = "8 Mbit/s" }} }}
flows.sparse = {{ from = "d1", to = "s2", source = {{ kind = "poisson", packet = "500 B", rate = "100 kbit/s" }} }}
"#
        ));
        number(flow(&document, "sparse"), "delay_p95_s")
    };
    let plain = sparse("");
    assert!(plain > 0.15, "{plain} s");
    let in_turn = sparse(r#"ports."AP>air" = { queue = { kind = "fq-codel" } }"#);
    assert!(in_turn < 0.009, "{in_turn} s");
}

/// 7 Mbit/s come for the 6.05 Mbit/s that fit (12,000 bits in 1,984 us): CoDel drops what does not, or marks what takes marks, and the buffer never fills.
#[test]
fn codel_at_an_access_point_drops_or_marks_before_the_buffer_is_full() {
    let with = |ecn: &str| {
        run(&format!(
            r#"{TWO}
duration = "30 s"
ports."AP>air" = {{ queue = {{ kind = "codel" }}, buffer = "1000 packets" }}
flows.f = {{ from = "d1", to = "s1", ecn = "{ecn}", source = {{ kind = "cbr", packet = "1500 B", rate = "7 Mbit/s" }} }}
"#
        ))
    };
    let document = with("not-ect");
    assert!(lost(&document, "aqm") > 100);
    assert_eq!(lost(&document, "buffer-full"), 0);
    let document = with("ect0");
    assert_eq!(lost(&document, "aqm"), 0);
    assert!(number(flow(&document, "f"), "marked_pkts") > 100.0);
}

/// Every queue of the table in front of a radio: it works, packets are conserved and its bound is kept, or it is refused
/// because which access category goes first is the radio's to settle.
#[test]
fn every_queue_works_in_front_of_a_radio_or_is_refused() {
    let text = |id: &str, source: &str, from: &str| {
        format!(
            r#"{TWO}
duration = "3 s"
ports."AP>air" = {{ queue = {{ kind = "{id}" }} }}
flows.a = {{ from = "{from}", to = "s1", source = {{ {source} }} }}
flows.b = {{ from = "{from}", to = "s2", source = {{ {source} }} }}
flows.up = {{ from = "s1", to = "d1", source = {{ kind = "poisson", packet = "500 B", rate = "500 kbit/s" }} }}
"#
        )
    };
    let mut works = 0;
    for row in QUEUES {
        let required = row
            .options
            .iter()
            .any(|o| o.default == backwater_transport::part::Default::Required);
        if required {
            continue;
        }
        let cbr = r#"kind = "cbr", packet = "1500 B", rate = "4 Mbit/s""#;
        let saturated = r#"kind = "saturated", packet = "1000 B""#;
        if scenario(&text(row.id, cbr, "d1"))
            .unwrap()
            .resolve(None)
            .is_err()
        {
            let refused = refusal(&text(row.id, cbr, "d1"));
            assert!(refused.contains("is a radio"), "{}: {refused}", row.id);
            continue;
        }
        works += 1;
        for (source, from) in [(cbr, "d1"), (saturated, "AP")] {
            let document = run(&text(row.id, source, from));
            for id in ["a", "b", "up"] {
                let delivered = number(flow(&document, id), "delivered_pkts");
                assert!(delivered > 50.0, "{} {from}: {id} {delivered}", row.id);
            }
            for port in document["ports"].as_array().unwrap() {
                let radio = ["AP>s1", "AP>s2"].iter().any(|id| port["id"] == *id);
                let most = number(port, "queue_max_B");
                assert!(!radio || most <= 100.0 * 1518.0, "{} {port}", row.id);
            }
        }
    }
    assert!(works >= 6, "{works} algorithms");
}

#[test]
fn delays_of_fixed_nodes_are_those_that_were_written() {
    let document = run(r#"
topology = { kind = "wlan", stations = 1, medium = "air", fixed = 3, wire_rate = "1 Gbit/s", wire_delay = "1 us", delays = ["10 ms", "40 ms"] }
duration = "2 s"
flows.f1 = { from = "d1", to = "s1", source = { kind = "cbr", packet = "100 B", rate = "8 kbit/s" } }
"#);
    // Two wires of 126 B at 1 Gbit/s and their delays, 192 us of preamble and 136 B at 11 Mbit/s in whole microseconds, and a
    // microsecond of propagation.
    let expected = 2.0 * 1.008e-6 + 10e-3 + 1e-6 + (192.0 + 99.0) * 1e-6 + 1e-6;
    let mean = number(flow(&document, "f1"), "delay_mean_s");
    assert!((mean - expected).abs() < 1e-9, "{mean} {expected}");
}

#[test]
fn what_cannot_reach_its_destination_says_so_with_both_names() {
    let text = r#"
nodes.AP = { kind = "station", medium = "air", at = ["0 m", "0 m"] }
nodes.far = { kind = "station", medium = "air", at = ["500 m", "0 m"] }
nodes.D = { kind = "host" }
links.w = { ends = ["AP", "D"], rate = "100 Mbit/s", delay = "1 us" }
duration = "1 s"
flows.f = { from = "D", to = "far", source = { kind = "cbr", packet = "100 B", rate = "8 kbit/s" } }
"#;
    let refused = refusal(text);
    assert!(
        refused.contains("no route leads from D to far"),
        "{refused}"
    );
}

/// Twelve stations that always have a packet of 1300 B of payload (1328 B of IP) for the access point: 4.40 Mbit/s with RTS/CTS, a figure of
/// ns-3 (4.417 ± 0.004) and of a slot-by-slot program (4.363); without RTS/CTS ns-3 has 5.66 Mbit/s. ns-3 sends ACKs at a mandatory rate.
#[test]
fn a_cell_of_twelve_saturated_stations_carries_what_other_simulators_find() {
    let carried = |rts: &str| {
        let mut text = format!(
            r#"
topology = {{ kind = "wlan", stations = 12, medium = "air", wire_rate = "1 Gbit/s", wire_delay = "1 ms" }}
media.air.phy.answer = "mandatory"
media.air.mac.rts = "{rts}"
duration = "60 s"
warmup = "2 s"
"#
        );
        for n in 1..=12 {
            text += &format!(
                "flows.f{n} = {{ from = \"s{n}\", to = \"AP\", packet = \"1328 B\", source = {{ kind = \"saturated\", packet = \"1328 B\" }} }}\n"
            );
        }
        let document = run(&text);
        number(&document["metrics"], "goodput_bps") * 1300.0 / 1328.0
    };
    for (rts, expected) in [("on", 4.40e6), ("off", 5.66e6)] {
        let got = carried(rts);
        assert!((got / expected - 1.0).abs() < 0.02, "{rts}: {got}");
    }
}

/// RFC 8289 5.2: CoDel leaves a queue alone that holds no more than one largest frame behind the
/// one that leaves. With room for two packets, one of them on the air, it loses none, though 7
/// Mbit/s come for 6 and each waits for longer than 200 us; with room for six it does.
#[test]
fn codel_at_an_access_point_leaves_a_queue_of_one_packet_alone() {
    let lost_by_codel = |packets: u32| {
        let document = run(&format!(
            r#"{TWO}
duration = "3 s"
ports."AP>air" = {{ queue = {{ kind = "codel", target = "200 us" }}, buffer = "{packets} packets" }}
flows.f = {{ from = "d1", to = "s1", source = {{ kind = "cbr", packet = "1500 B", rate = "7 Mbit/s" }} }}
"#
        ));
        assert!(number(flow(&document, "f"), "delay_mean_s") > 0.003);
        lost(&document, "aqm")
    };
    assert_eq!(lost_by_codel(2), 0);
    assert!(lost_by_codel(6) > 20);
}

/// An access point whose queue takes samples of packets (IEEE 802.1Qau) tells their source, which
/// slows down from 100 Mbit/s and goes up again in steps of 5 Mbit/s: fewer packets are lost than
/// where the queue tells nobody.
#[test]
fn a_source_slows_down_when_the_queue_of_an_access_point_tells_it() {
    let lost_at = |queue: &str| {
        let document = run(&format!(
            r#"{TWO}
duration = "3 s"
warmup = "1 s"
ports."AP>air" = {{ queue = {{ {queue} }}, buffer = "400 packets" }}
flows.f = {{ from = "d1", to = "s1", packet = "1482 B", transport = "roce", cnp = "off", controller = {{ kind = "qcn", rate = "100 Mbit/s" }}, source = {{ kind = "bulk" }} }}
"#
        ));
        assert!(number(flow(&document, "f"), "delivered_pkts") > 500.0);
        lost(&document, "buffer-full")
    };
    let silent = lost_at(r#"kind = "drop-head""#);
    assert!(silent > 1000, "{silent}");
    let told = lost_at(r#"kind = "qcn", jitter = "0 %""#);
    assert!(told * 4 < silent, "{told} {silent}");
}
