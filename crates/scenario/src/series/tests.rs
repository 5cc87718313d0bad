//! Sums over intervals, against those of the whole run.

use super::*;
use crate::run::{Keep, Run};
use crate::{Folders, Scenario};

/// A window of two packets over 12 Mbit/s for a second, then 1.2, on cellsim's terms: 1514-byte packets
/// against opportunities of 1500.
const SCENARIO: &str = r#"
    schema = "backwater/scenario/1"
    duration = "2.5 s"
    nodes = { S = { kind = "host" }, R = { kind = "host" } }
    links.down = { from = "S", to = "R", kind = "trace", emulator = "cellsim-2013", delay = "20 ms", trace = { kind = "periodic", high = "12 Mbit/s", low = "1.2 Mbit/s", period = "2 s" } }
    links.up = { from = "R", to = "S", kind = "trace", emulator = "cellsim-2013", delay = "20 ms", trace = { kind = "constant", rate = "12 Mbit/s" } }
    flows.f = { from = "S", to = "R", transport = "datagram", frame = "1514 B", controller = { kind = "fixed", window = "2 packets" }, source = { kind = "bulk" } }
"#;

fn resolved(text: &str) -> Resolved {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).unwrap();
    scenario.resolve(None).unwrap()
}

/// The document of a run with its series.
fn of(text: &str, every: Span) -> Value {
    let keep = Keep {
        series: Some(every),
        ..Keep::default()
    };
    let mut run = Run::new(&resolved(text), keep).unwrap();
    while !run.step().unwrap() {}
    run.finish().unwrap().0
}

/// Twice what the link carries for a second: CoDel drops at the head for as long as it takes the queue to
/// empty, and nothing joins it any more.
#[test]
fn what_is_lost_at_the_head_is_held_no_longer() {
    let document = of(
        r#"
        schema = "backwater/scenario/1"
        duration = "4 s"
        nodes = { S = { kind = "host" }, R = { kind = "host" } }
        links.a = { ends = ["S", "R"], rate = "1 Mbit/s", delay = "1 ms" }
        ports."S>R" = { queue = { kind = "codel" }, buffer = "1000 packets" }
        flows.f = { from = "S", to = "R", transport = "udp", stop = "1 s", source = { kind = "cbr", packet = "1500 B", rate = "2 Mbit/s" } }
        "#,
        Span::secs(1),
    );
    assert_eq!(document["drops"][0]["cause"], "aqm");
    let held = &document["series"]["ports"]["S>R"]["queue_max_B"];
    assert!(held[0].as_u64() > Some(0), "{held}");
    assert_eq!(held[3], 0, "{held}");
}

#[test]
fn sums_over_intervals_are_those_of_the_run() {
    let document = of(SCENARIO, Span::secs(1));
    let series = &document["series"];
    assert_eq!(series["every_s"], 1.0);
    let port = &series["ports"]["S>R"];
    // The opportunity at 1 s is the second interval's: 999, then that one and 99 each 10 ms apart.
    assert_eq!(port["capacity_bps"][0], 11_988_000.0);
    assert_eq!(port["capacity_bps"][1], 1_200_000.0);
    let values = |of: &Value| -> Vec<f64> {
        of.as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_f64().unwrap())
            .collect()
    };
    let widths = [1.0, 1.0, 0.5];
    let bits: f64 = values(&port["throughput_bps"])
        .iter()
        .zip(widths)
        .map(|(r, w)| r * w)
        .sum();
    let sent = document["ports"][0]["sent_pkts"].as_f64().unwrap();
    assert_eq!(document["ports"][0]["id"], "S>R");
    assert_eq!(bits, sent * 1514.0 * 8.0);
    let flow = &series["flows"]["f"];
    let bits: f64 = values(&flow["goodput_bps"])
        .iter()
        .zip(widths)
        .map(|(r, w)| r * w)
        .sum();
    let delivered = document["flows"][0]["delivered_pkts"].as_f64().unwrap();
    // The application has what is behind all headers, 76 bytes of each packet, and the window counts it; two frames of 1518
    // at most wait.
    let mss = 1500.0 - 76.0;
    assert_eq!(bits, delivered * mss * 8.0);
    assert_eq!(values(&flow["window_B"]), [2.0 * mss; 3]);
    let queue = values(&port["queue_max_B"]);
    assert!(
        queue.iter().all(|held| *held <= 2.0 * 1518.0) && queue[1] == 2.0 * 1518.0,
        "{queue:?}"
    );
    // Two packets take 40 ms and a few of service at 12 Mbit/s, tens more at a tenth of it.
    let srtt = values(&flow["srtt_s"]);
    assert!(
        srtt[0] > 0.04 && srtt[0] < 0.05 && srtt[1] > srtt[0] + 0.005,
        "{srtt:?}"
    );
    for (written, what) in [("0 s", "divide"), ("1 us", "divide"), ("often", "not")] {
        let found = interval(&resolved(SCENARIO), written).unwrap_err();
        assert!(found.what.contains(what), "{found}");
    }
    let wired = SERIES
        .iter()
        .filter(|(scope, _)| ["port", "flow", "hop"].contains(scope));
    for (scope, name) in wired.clone() {
        let place = match *scope {
            "port" => "S>R",
            "flow" => "f",
            _ => "f/S>R",
        };
        assert_eq!(
            series[format!("{scope}s")][place][name]
                .as_array()
                .unwrap()
                .len(),
            3
        );
    }
    assert_eq!(
        port.as_object().unwrap().len() + flow.as_object().unwrap().len() + 1,
        wired.count()
    );
    // A run that nobody looks at is the same.
    let mut plain = Run::new(&resolved(SCENARIO), Keep::default()).unwrap();
    while !plain.step().unwrap() {}
    let (plain, ..) = plain.finish().unwrap();
    assert_eq!(plain["fingerprint"], document["fingerprint"]);
    assert!(plain.get("series").is_none());
}

/// Two backlogged flows over a relay that asks for less, the second for a second of four.
const RELAY: &str = r#"
    schema = "backwater/scenario/1"
    duration = "4 s"
    media.air.phy = { standard = "802.11b", data = "11 Mbit/s", control = "1 Mbit/s", preamble = "long" }
    media.air.mac = { access = "edca", rts = "off" }
    media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m", interfere = "190 m", capture = "off" }
    nodes.A = { kind = "station", medium = "air", at = ["-70.7 m", "70.7 m"], buffer = "20 packets" }
    nodes.B = { kind = "station", medium = "air", at = ["-70.7 m", "-70.7 m"], buffer = "20 packets" }
    nodes.C = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "20 packets" }
    nodes.D = { kind = "station", medium = "air", at = ["100 m", "0 m"], buffer = "20 packets" }
    mechanisms.bp = { recipe = "aifsn", at = ["C"] }
    flows.f1 = { from = "A", to = "D", ac = "BE", source = { kind = "cbr", packet = "1500 B", rate = "4 Mbit/s" } }
    flows.f2 = { from = "B", to = "D", ac = "BE", source = { kind = "periodic-on-off", packet = "1500 B", rate = "4 Mbit/s", on = "1 s", off = "1 s", first = "off" } }
    routes.f1 = ["A", "C", "D"]
    routes.f2 = ["B", "C", "D"]
"#;

#[test]
fn stations_over_time_are_those_of_the_run() {
    let document = of(RELAY, Span::millis(300));
    let series = &document["series"];
    // Thirteen intervals of 0.3 s and one of 0.1.
    let widths: Vec<f64> = (0..14).map(|i| if i < 13 { 0.3 } else { 0.1 }).collect();
    let area = |of: &Value| -> f64 {
        let each = of.as_array().unwrap().iter().zip(&widths);
        each.map(|(v, w)| v.as_f64().unwrap() * w).sum()
    };
    for flow in document["flows"].as_array().unwrap() {
        for hop in flow["hops"].as_array().unwrap() {
            let text = |key: &str, of: &Value| of[key].as_str().unwrap().to_owned();
            let (id, from, to) = (text("id", flow), text("from", hop), text("to", hop));
            let over_time = &series["hops"][format!("{id}/{from}>{to}")]["throughput_bps"];
            let all = hop["throughput_bps"].as_f64().unwrap() * 4.0;
            assert!((area(over_time) - all).abs() < 1e-3, "{id} {from}>{to}");
        }
    }
    // C has asked A to step back, and what moved is what the station counted itself.
    for (station, name) in ["A", "B", "C", "D"].iter().enumerate() {
        let row = &document["stations"][station];
        assert_eq!(row["id"], *name);
        for class in 0..4 {
            let mean = row["aifsn_mean"][class].as_f64().unwrap();
            let over_time = &series["stations"][*name][format!("aifsn_mean_class{class}")];
            assert!((area(over_time) / 4.0 - mean).abs() < 1e-9, "{name}");
        }
    }
    let of_a = |class: u8| -> Vec<f64> {
        let of = &series["stations"]["A"][format!("aifsn_mean_class{class}")];
        of.as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_f64().unwrap())
            .collect()
    };
    // 802.11 gives BK an AIFSN of 7, which nobody asked to move, and BE one of 3.
    assert_eq!(of_a(0), vec![7.0; 14]);
    assert!(of_a(1).iter().any(|mean| *mean > 4.0), "{:?}", of_a(1));
    // A, which offers more than passes, holds a full buffer, and never more: 20 frames of 1500 B and 18 B of header and FCS.
    let queue: Vec<u64> = series["ports"]["A>C"]["queue_max_B"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_u64().unwrap())
        .collect();
    let port = |id: &str| {
        let mut ports = document["ports"].as_array().unwrap().iter();
        ports.find(|p| p["id"] == id).unwrap()
    };
    assert_eq!(queue.iter().max(), Some(&(20 * 1518)));
    assert_eq!(port("A>C")["queue_max_B"], 20 * 1518);
    let sent = port("C>D")["sent_pkts"].as_f64().unwrap();
    let over_time = &series["ports"]["C>D"]["throughput_bps"];
    assert!((area(over_time) - sent * 8.0 * 1518.0).abs() < 1e-3);
}

/// A burst of 30 segments of 1448 B into a buffer of ten: some arrive in order only after a repair. The sum over intervals is the
/// goodput of the tables, which leaves out headers and what came twice; and where a hole is open, packets arrive that no
/// application has.
#[test]
fn goodput_over_time_is_that_of_the_tables() {
    let document = of(
        r#"
        schema = "backwater/scenario/1"
        duration = "4 s"
        nodes = { S = { kind = "host" }, L = { kind = "switch" }, R = { kind = "host" } }
        links.a = { ends = ["S", "L"], rate = "100 Mbit/s", delay = "20 ms" }
        links.b = { ends = ["L", "R"], rate = "2 Mbit/s", delay = "20 ms" }
        ports."L>R" = { buffer = "10 packets" }
        flows.f = { from = "S", to = "R", transport = "tcp", controller = { kind = "fixed", window = "30 packets" }, source = { kind = "bulk" } }
        "#,
        Span::millis(10),
    );
    let (flow, series) = (
        &document["flows"][0],
        &document["series"]["flows"]["f"]["goodput_bps"],
    );
    let rates: Vec<f64> = (series.as_array().unwrap().iter())
        .map(|v| v.as_f64().unwrap())
        .collect();
    let bits: f64 = rates.iter().map(|rate| rate * 0.01).sum();
    let goodput = flow["goodput_bps"].as_f64().unwrap() * 4.0;
    assert!((bits - goodput).abs() < 1e-3, "{bits} {goodput}");
    let arrived = flow["delivered_pkts"].as_f64().unwrap() * 1448.0 * 8.0;
    assert!(flow["dropped_pkts"].as_u64() > Some(10) && goodput <= arrived);
    // A repair hands over what waited behind it: more in 10 ms than the line carries.
    assert!(rates.iter().any(|rate| *rate > 2e6), "{rates:?}");
}

/// The law's capacity is that of the line from the first packet on, and the flows of a class are its sum.
#[test]
fn laws_and_classes_have_series() {
    let document = of(
        r#"
        schema = "backwater/scenario/1"
        duration = "3 s"
        nodes = { S = { kind = "host" }, R = { kind = "host" } }
        links.a = { ends = ["S", "R"], rate = "8 Mbit/s", delay = "1 ms" }
        ports."S>R" = { buffer = "100 kB", stamp = { kind = "abc" } }
        flows.f = { from = "S", to = "R", transport = "tcp", controller = { kind = "abc" }, source = { kind = "bulk" } }
        flows.g = { from = "S", to = "R", transport = "udp", source = { kind = "cbr", packet = "1000 B", rate = "1 Mbit/s" } }
        "#,
        Span::secs(1),
    );
    let law = &document["series"]["laws"]["S>R"];
    assert_eq!(law["capacity_bps"], serde_json::json!([8e6, 8e6, 8e6]));
    assert!(law["tokens"][2].as_f64() <= Some(5.0), "{law}");
    let (class, flows) = (
        &document["series"]["classes"]["0"],
        &document["series"]["flows"],
    );
    for i in 0..3 {
        let [f, g] = ["f", "g"].map(|name| flows[name]["goodput_bps"][i].as_f64().unwrap());
        assert_eq!(class["goodput_bps"][i].as_f64(), Some(f + g));
        let jain = (f + g) * (f + g) / (2.0 * (f * f + g * g));
        assert!((class["jain"][i].as_f64().unwrap() - jain).abs() < 1e-12);
    }
}
