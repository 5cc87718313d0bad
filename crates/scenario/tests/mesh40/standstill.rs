//! Links that stand still: how long, which wait for one another, and who is told at an access point.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use serde_json::Value;

fn run(text: &str) -> Value {
    let scenario = Scenario::from_toml(text, "still.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(Some(1)));
    let resolved = resolved.unwrap_or_else(|d| panic!("{d}"));
    let mut run = Run::new(&resolved, Keep::default()).unwrap_or_else(|d| panic!("{d:?}"));
    while !run.step().unwrap() {}
    let document = run.finish().unwrap().0;
    assert_eq!(document["conservation"]["ok"], true);
    document
}

/// Share of time for which a link was stopped.
fn stopped(document: &Value, link: &str) -> f64 {
    let ports = document["ports"].as_array().unwrap();
    let port = ports.iter().find(|p| p["id"] == link).expect(link);
    let classes = port["paused"].as_array().unwrap();
    classes
        .iter()
        .map(|c| c.as_f64().unwrap())
        .fold(0.0, f64::max)
}

fn warns(document: &Value, of: &str) -> bool {
    let warnings = document["warnings"].as_array().unwrap();
    warnings.iter().any(|w| w.as_str().unwrap().contains(of))
}

/// A chain of stations with a flow each way.
const CHAIN: &str = r#"
    schema = "backwater/scenario/1"
    duration = "60 s"
    routing = { kind = "shortest-path" }
    media.air.phy = { standard = "802.11g", data = "54 Mbit/s", control = "6 Mbit/s" }
    media.air.mac = { access = "edca", rts = "on" }
    media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m" }
    nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "256 kB", own_share = "20 %" }
    nodes.B = { kind = "station", medium = "air", at = ["90 m", "0 m"], rate = "24 Mbit/s", buffer = "256 kB", own_share = "20 %" }
    nodes.C = { kind = "station", medium = "air", at = ["180 m", "0 m"], rate = "24 Mbit/s", buffer = "256 kB", own_share = "20 %" }
    nodes.D = { kind = "station", medium = "air", at = ["270 m", "0 m"], buffer = "256 kB", own_share = "20 %" }
    flows.f1 = { from = "D", to = "A", ac = "BE", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "6 Mbit/s", phase = "random" } }
    flows.f2 = { from = "A", to = "D", ac = "BE", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "6 Mbit/s", phase = "random" } }
"#;

/// Both relays renew their notices for ever: the run names a cycle of their links, both flows are starved, and the links
/// are stopped for most of the time. Where a stopped relay lets its notice expire, none of this is so.
#[test]
fn relays_that_stop_each_other_for_ever_are_named() {
    let chain = |notify: &str| {
        format!(
            "{CHAIN}\nmechanisms.cc = {{ at = [\"*\"], recipe = \"tcc\", notify = {{ {notify} }} }}\n"
        )
    };
    let tcc = |notify: &str| run(&chain(notify));
    let renew = tcc("stopped = \"renew\"");
    let cycle = renew["deadlock"]["cycle"].as_array().expect("a deadlock");
    let names: Vec<&str> = cycle.iter().map(|p| p.as_str().unwrap()).collect();
    assert!(
        names.len() > 1 && names.iter().all(|n| n.starts_with(['B', 'C'])),
        "{names:?}"
    );
    let at = renew["deadlock"]["at_s"].as_f64().unwrap();
    let since = renew["standstill"]["since_s"]
        .as_f64()
        .expect("nothing is delivered");
    assert!((at - since).abs() < 1.0, "{at} {since}");
    // A link that has been stopped for less than 10 s may go on.
    let duration = format!("duration = \"{:.3} s\"", at + 9.9);
    let text = chain("stopped = \"renew\"").replace("duration = \"60 s\"", &duration);
    assert_eq!(run(&text)["deadlock"], Value::Null);
    assert_eq!(renew["metrics"]["flows_starved"], 2);
    for link in ["B>A", "C>D"] {
        let (share, expected) = (stopped(&renew, link), 1.0 - at / 60.0);
        assert!(
            (share - expected).abs() < 0.05,
            "{link}: {share} {expected}"
        );
    }
    let expire = tcc("stopped = \"expire\"");
    assert_eq!(
        (&expire["deadlock"], &expire["standstill"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(expire["metrics"]["flows_starved"], 0);
    let share = stopped(&expire, "B>A");
    assert!(share > 0.05 && share < 0.9, "{share}");
}

/// A host behind a switch and an access point with two stations. 40 Mbit/s for them come over the wire, twice what the air
/// carries.
const ACCESS: &str = r#"
    schema = "backwater/scenario/1"
    duration = "5 s"
    routing = { kind = "shortest-path" }
    media.air.phy = { standard = "802.11g", data = "54 Mbit/s", control = "6 Mbit/s" }
    media.air.mac = { access = "dcf", rts = "off" }
    media.air.channel = { model = "disc", transmit = "100 m", sense = "190 m" }
    nodes.H = { kind = "host" }
    nodes.W = { kind = "switch" }
    nodes.P = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "60 packets" }
    nodes.S1 = { kind = "station", medium = "air", at = ["40 m", "0 m"], buffer = "60 packets" }
    nodes.S2 = { kind = "station", medium = "air", at = ["0 m", "40 m"], buffer = "60 packets" }
    links.hw = { ends = ["H", "W"], rate = "100 Mbit/s", delay = "1 us" }
    links.wp = { ends = ["W", "P"], rate = "100 Mbit/s", delay = "1 us" }
    ports."W>P" = { buffer = "100 kB" }
    flows.down1 = { from = "H", to = "S1", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "20 Mbit/s" } }
    flows.down2 = { from = "H", to = "S2", packet = "1500 B", source = { kind = "cbr", packet = "1500 B", rate = "20 Mbit/s" } }
"#;

fn lost_at(document: &Value, node: &str) -> u64 {
    let drops = document["drops"].as_array().unwrap();
    let here = drops
        .iter()
        .filter(|d| d["place"].as_str().unwrap().starts_with(node));
    here.map(|d| d["pkts"].as_u64().unwrap()).sum()
}

/// An access point that the wire fills tells the switch: packets wait and are lost there, none at the access point.
#[test]
fn an_access_point_stops_those_who_fill_it_over_the_wire() {
    let none = run(&format!(
        "{ACCESS}mechanisms.m = {{ recipe = \"none\", at = [\"P\"] }}\n"
    ));
    let with = run(&format!(
        "{ACCESS}mechanisms.m = {{ recipe = \"pause\", at = [\"P\"] }}\n"
    ));
    assert!(lost_at(&none, "P>") > 1000 && lost_at(&none, "W>") == 0);
    assert!(lost_at(&with, "P>") == 0 && lost_at(&with, "W>") > 1000);
    assert!(stopped(&with, "W>P") > 0.3, "{}", stopped(&with, "W>P"));
    assert!(with["metrics"]["notices_heard"].as_u64().unwrap() > 10);
    let share = |d: &Value| d["metrics"]["goodput_bps"].as_f64().unwrap();
    assert!(share(&with) > 0.95 * share(&none));
}

/// A notice that names a class reaches no wire, so an access point that is filled over one is refused it.
#[test]
fn a_notice_that_cannot_reach_the_wire_is_refused_at_an_access_point() {
    let built = |mechanism: &str| {
        let text = format!("{ACCESS}mechanisms.m = {{ {mechanism} }}\n");
        let scenario = Scenario::from_toml(&text, "x.toml", Folders::default()).unwrap();
        let resolved = scenario.resolve(Some(1)).unwrap();
        match Run::new(&resolved, Keep::default()) {
            Ok(_) => None,
            Err(refused) => Some(format!("{refused:?}")),
        }
    };
    for recipe in ["pause-class", "aifsn", "tcc", "lscc"] {
        let refused = built(&format!("recipe = \"{recipe}\", at = [\"P\"]")).expect(recipe);
        assert!(refused.contains("filled over the wire W>P"), "{refused}");
        // Who has no wire tells everybody.
        assert_eq!(
            built(&format!("recipe = \"{recipe}\", at = [\"S1\"]")),
            None
        );
    }
    // Who tells itself alone needs to reach nobody.
    let own = "at = [\"P\"], detect = { kind = \"overheard-backlog\" }, notify = { kind = \"own-step\" }, respond = { kind = \"cw-min\" }";
    assert_eq!(built(own), None);
}

/// Traffic both ways, and everybody who is full stops everybody: nothing is delivered any more, while frames still arrive at
/// the switch and are lost there. The link of the host is busy all the time, and that is no movement.
#[test]
fn a_network_that_only_loses_stands_still() {
    let up = |n: u32| {
        format!(
            "flows.up{n} = {{ from = \"S{n}\", to = \"H\", packet = \"1500 B\", source = {{ kind = \"cbr\", packet = \"1500 B\", rate = \"20 Mbit/s\" }} }}\n"
        )
    };
    let busy = ACCESS.replace("rate = \"20 Mbit/s\"", "rate = \"49 Mbit/s\"");
    let text = format!(
        "{busy}{}{}mechanisms.m = {{ recipe = \"pause\", at = [\"P\", \"S1\", \"S2\"] }}\n",
        up(1),
        up(2)
    );
    let document = run(&text);
    let since = document["standstill"]["since_s"]
        .as_f64()
        .expect("nothing is delivered");
    assert!(since < 2.0, "{since}");
    assert_eq!(document["metrics"]["flows_starved"], 4);
    assert!(warns(&document, "nothing is delivered at the end"));
    assert!(!warns(&document, "reached anybody"));
}

/// A mechanism whose notices need data the other way, where there are none: it tells nobody, and the run says so.
#[test]
fn a_mechanism_that_never_reached_anybody_is_named() {
    let text = format!(
        "{}mechanisms.m = {{ at = [\"B\"], detect = {{ kind = \"occupancy\" }}, notify = {{ kind = \"pause\", carrier = \"header\" }}, respond = {{ kind = \"gate\" }} }}\n",
        CHAIN.lines().filter(|l| !l.contains("flows.f1")).collect::<Vec<_>>().join("\n") + "\n"
    )
    .replace("6 Mbit/s\", phase", "12 Mbit/s\", phase")
    .replace("24 Mbit/s", "6 Mbit/s")
    .replace(
        "rts = \"on\"",
        "rts = \"on\", ac.BE = { aifsn = 3, cw_min = 15, cw_max = 1023, txop = \"6 ms\" }",
    );
    let document = run(&text);
    assert_eq!(document["metrics"]["notices_heard"], 0);
    assert!(
        warns(&document, "mechanism m: none of its"),
        "{}",
        document["warnings"]
    );
}
