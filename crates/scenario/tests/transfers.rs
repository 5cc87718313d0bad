//! A queue pair for each transfer of a source, from a scenario's text to the figures of its document; requests, and what
//! the packets of a connection say.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use backwater_sim::connection::Header;
use backwater_sim::record::{Record, What};
use backwater_sim::world::World;
use backwater_transport::units::Time;
use serde_json::Value;

fn text(more: &str, source: &str) -> String {
    format!(
        r#"
schema = "backwater/scenario/1"
duration = "40 ms"
topology = {{ kind = "star", hosts = 7, rate = "10 Gbit/s", delay = "1 us", bottleneck = "10 Gbit/s" }}
ports."*" = {{ buffer = "4 MB" }}
flows.f = {{ from = "h*", to = "h*", packet = "1030 B", {more}, source = {{ {source} }} }}
"#
    )
}

fn document(more: &str, source: &str) -> Result<Value, String> {
    let scenario = Scenario::from_toml(text(more, source), "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(None));
    let resolved = resolved.map_err(|diagnostic| diagnostic.to_string())?;
    let mut run = Run::new(&resolved, Keep::default()).map_err(|_| "not built".to_owned())?;
    while !run.step().map_err(|_| "not run".to_owned())? {}
    Ok(run.finish().map_err(|_| "not finished".to_owned())?.0)
}

const PAIRS: &str = r#"pattern = "transfers", transport = "irn", cap = "1 MB", stop = "30 ms", controller = { kind = "fixed", window = "64 packets" }"#;
const STORAGE: &str = r#"kind = "workload", sizes = "storage", rate = "2 Gbit/s""#;

/// Seven senders, 2 Gbit/s each, sizes of mean 40,869.8 B, for 30 ms: 1,284 transfers, with a deviation of 36 (Poisson). All end within
/// the last 10 ms. A row sums them up, and the tenths of their sizes rise.
#[test]
fn transfers_come_at_their_rate_and_have_one_row() {
    let document = document(PAIRS, STORAGE).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(document["sanity"]["ok"], true, "{}", document["sanity"]);
    assert_eq!(document["conservation"]["ok"], true);
    let flows = document["flows"].as_array().expect("rows");
    assert_eq!(flows.len(), 1);
    assert_eq!(flows[0]["id"], "f");
    let [begun, ended] = ["transfers_begun", "transfers"].map(|name| flows[0][name].as_u64());
    assert_eq!(begun, ended);
    let begun = begun.expect("a count");
    assert!(begun.abs_diff(1284) < 5 * 36, "{begun}");
    let metrics = &document["metrics"];
    let sizes: Vec<u64> = (0..10)
        .map(|n| {
            metrics[format!("size_max_B_tenth{n}")]
                .as_u64()
                .expect("a size")
        })
        .collect();
    assert!(sizes.windows(2).all(|pair| pair[0] <= pair[1]), "{sizes:?}");
    // The distribution has 22.93 % up to 4 kB, 69.21 % up to 8 kB and 96.77 % up to 128 kB.
    assert!(
        sizes[1] < 4_000 && sizes[5] < 8_000 && sizes[8] < 128_000,
        "{sizes:?}"
    );
    assert!(
        sizes[2] > 4_000 && sizes[7] > 8_000 && sizes[9] > 128_000,
        "{sizes:?}"
    );
}

/// A transfer that shares a queue pair waits behind those before it; one with its own shares the line with them packet by packet. Of
/// two hosts that send to each other, at half the line, the median of the smallest tenth is then less than three times the time alone.
#[test]
fn a_small_transfer_does_not_wait_behind_a_large_one() {
    let source = r#"kind = "workload", sizes = "websearch", rate = "5 Gbit/s""#;
    let median = |pattern: &str| {
        let more = PAIRS.replace(r#"pattern = "transfers""#, pattern);
        let text = text(&more, source)
            .replace("hosts = 7", "hosts = 2")
            .replace("40 ms", "400 ms")
            .replace("30 ms", "300 ms");
        let scenario = Scenario::from_toml(text, "x.toml", Folders::default()).expect("TOML");
        let resolved = scenario
            .resolve(None)
            .unwrap_or_else(|said| panic!("{said}"));
        let Ok(mut run) = Run::new(&resolved, Keep::default()) else {
            panic!("not built");
        };
        while !run.step().is_ok_and(|end| end) {}
        let document = run
            .finish()
            .map_err(|_| "not finished")
            .expect("a document")
            .0;
        // Web search has 15 % of its transfers below 10 kB, and tenths are of those that ended.
        let own = document["metrics"]["slowdown_p50_tenth0"].as_f64();
        own.or(document["metrics"]["slowdown_p50_decade3"].as_f64())
            .expect("a median")
    };
    let (own, shared) = (
        median(r#"pattern = "transfers""#),
        median(r#"pattern = "all""#),
    );
    assert!(own < 3.0, "{own}");
    assert!(shared > 10.0 * own, "{shared} {own}");
}

#[test]
fn what_has_no_transfers_is_refused_with_a_remedy() {
    for (more, source, parts) in [
        (
            PAIRS,
            r#"kind = "bulk""#,
            ["not drawn before the run", "kind = \"workload\""],
        ),
        (
            r#"pattern = "transfers""#,
            STORAGE,
            ["needs a transport", "transport = \"roce\""],
        ),
    ] {
        let said = document(more, source).expect_err("it was read");
        assert!(parts.iter().all(|p| said.contains(p)), "{said}");
    }
}

fn built(text: &str) -> World {
    let text = format!("schema = \"backwater/scenario/1\"\n{text}");
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(Some(1)));
    let world = resolved.and_then(|resolved| resolved.build());
    world.unwrap_or_else(|said| panic!("{said}"))
}

/// A request comes 100 ms after the response before it was acknowledged, so ten or eleven come in 1.05 s. Each packet comes out twice, and
/// each response is acknowledged several times: the first acknowledgement alone asks for the next.
#[test]
fn a_response_that_is_acknowledged_twice_asks_for_one_more() {
    let requests = |boxes: &str| {
        let mut world = built(&format!(
            r#"
duration = "1.05 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.q = {{ ends = ["S", "D"], rate = "10 Mbit/s", delay = "1 ms"{boxes} }}
flows.f = {{ from = "S", to = "D", transport = "tcp", controller = {{ kind = "cubic" }}, source = {{ kind = "request-response", gap = "100 ms", gaps = "fixed", size = "1000 B" }} }}
"#
        ));
        world.advance(world.end());
        let report = world.report();
        assert!(report.conserved);
        report.connections[0].written / 1000
    };
    let alone = requests("");
    assert!((10..=11).contains(&alone), "{alone}");
    let twice = r#", boxes = [{ kind = "duplicate", share = "100 %" }]"#;
    assert_eq!(requests(twice), alone);
}

/// Segments and acknowledgements are numbered one by one. Each segment echoes the clock of the last acknowledgement that has come
/// (RFC 7323, section 3): the instant at which the receiver made it.
#[test]
fn segments_are_numbered_and_echo_the_clock_of_the_last_acknowledgement() {
    let mut world = built(
        r#"
duration = "200 ms"
nodes = { S = { kind = "host" }, D = { kind = "host" } }
links.q = { ends = ["S", "D"], rate = "10 Mbit/s", delay = "5 ms" }
flows.f = { from = "S", to = "D", transport = "tcp", delayed_ack = "0 s", controller = { kind = "cubic" }, source = { kind = "bulk", size = "100 kB" } }
"#,
    );
    world.start_recording();
    world.advance(world.end());
    let records = world.take_records();
    let of = |what: What, flow: u32| {
        let is = move |r: &&Record| r.what == what && r.flow.0 == flow;
        records.iter().filter(is)
    };
    for flow in [0, 1] {
        let numbers: Vec<u32> = of(What::Send, flow).map(|r| r.seq).collect();
        let all: Vec<u32> = (0..numbers.len() as u32).collect();
        assert!(numbers.len() > 60 && numbers == all, "{numbers:?}");
    }
    // An acknowledgement leaves when it is made: nothing else leaves that host.
    let heard: Vec<(Time, Time)> = of(What::Deliver, 1)
        .zip(of(What::Send, 1))
        .map(|(came, made)| (came.at, Time(made.at.0 - made.value)))
        .collect();
    let mut echoes = 0;
    for sent in of(What::Send, 0) {
        let Some(Header::Data(_, echo)) = sent.header.as_deref() else {
            panic!("data without a header");
        };
        let born = Time(sent.at.0 - sent.value);
        let last = heard.iter().rev().find(|(came, _)| *came <= born);
        let expected = last.map_or(Time::ZERO, |(_, made)| *made);
        assert_eq!(*echo, expected, "{}", sent.seq);
        echoes += u32::from(expected > Time::ZERO);
    }
    assert!(echoes > 40, "{echoes}");
}

/// What is told of a sender over the air stands at the port of its first hop. How long a transfer takes there at best is not settled.
#[test]
fn a_sender_over_the_air_is_shown_at_its_first_hop() {
    let mut world = built(
        r#"
duration = "2 s"
media.air.phy.standard = "802.11b"
media.air.phy.data = "11 Mbit/s"
media.air.phy.control = "1 Mbit/s"
media.air.phy.preamble = "long"
media.air.mac.access = "dcf"
media.air.channel = { model = "disc", transmit = "100 m", sense = "250 m" }
routing = { kind = "airtime" }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "1000 packets" }
nodes.R = { kind = "station", medium = "air", at = ["90 m", "0 m"], buffer = "1000 packets" }
nodes.D = { kind = "station", medium = "air", at = ["180 m", "0 m"], buffer = "1000 packets" }
flows.f = { from = "A", to = "D", transport = "tcp", controller = { kind = "cubic" }, source = { kind = "bulk", size = "30 kB" } }
"#,
    );
    world.start_recording();
    world.advance(world.end());
    let records = world.take_records();
    let network = world.network();
    let flow = network.flows.iter().next().expect("a flow");
    assert_eq!(flow.path.len(), 2);
    let windows: Vec<_> = records.iter().filter(|r| r.what == What::Window).collect();
    assert!(windows.len() > 2 && windows.iter().all(|r| r.port == flow.path[0]));
    let stats = &world.report().connections[0].stats;
    assert_eq!(stats.completed, 1);
    assert!(stats.slowdown.iter().all(|some| some.is_empty()));
}
