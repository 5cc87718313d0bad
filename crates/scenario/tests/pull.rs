//! A receiver that paces its senders, from a scenario's text to the figures of its document.

use std::collections::BTreeSet;

use backwater_scenario::{Folders, Keep, Run, Scenario};
use backwater_sim::connection::Header;
use backwater_sim::record::{Record, What};
use backwater_sim::world::World;
use backwater_transport::segment::Signal;
use backwater_transport::units::Time;
use serde_json::Value;

/// Packets that take 4,150 bytes of the wire with preamble and gap, as those of UET's simulator, 4,082 of them payload.
const PACKET: &str = r#"packet = "4112 B", transport = "irn", gaps = "other-ways", cnp = "off", ack_class = 1, timeout = "1 ms", timeout_low = "1 ms""#;
/// One and a half times 100 Gbit/s and 14.02272 us.
const PULL: &str = r#"pull = "16384 B", speculate = "262926 B", controller = { kind = "fixed", window = "100000 packets" }"#;
const NSCC: &str = r#"cap = "4 MB", controller = { kind = "nscc", rate = "100 Gbit/s", base_rtt = "14.02272 us" }"#;

fn document(text: String) -> Result<Value, String> {
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(None));
    let resolved = resolved.map_err(|diagnostic| diagnostic.to_string())?;
    let mut run = Run::new(&resolved, Keep::default()).map_err(|_| "not built".to_owned())?;
    while !run.step().map_err(|_| "not run".to_owned())? {}
    Ok(run.finish().map_err(|_| "not finished".to_owned())?.0)
}

/// A fat tree of 16 hosts whose switches trim what is above one product of rate and round trip.
fn fat_tree(flows: &str) -> Value {
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "6 ms"
topology = {{ kind = "fat-tree", k = 4, rate = "100 Gbit/s", delay = "1 us", max_frame = "4200 B" }}
ports."*" = {{ queue = {{ kind = "ecn-ramp", min = "37350 B", max = "145250 B", top = "100 %", classes = 2 }}, buffer = "175 kB", trim = 1 }}
ports."h*" = {{ queue = {{ kind = "strict-priority", classes = 2 }}, buffer = "unlimited" }}
{flows}
"#
    );
    let document = document(text).unwrap_or_else(|said| panic!("{said}"));
    assert_eq!(document["conservation"]["ok"], true);
    assert_eq!(document["sanity"]["ok"], true, "{}", document["sanity"]);
    document
}

fn incast(law: &str) -> Value {
    fat_tree(&format!(
        r#"flows.f = {{ from = "h*", to = "h0", {PACKET}, {law}, spread = {{ kind = "oblivious" }}, source = {{ kind = "bulk", size = "2 MB" }} }}"#
    ))
}

/// Completion times of all flows in us, the least first.
fn times(document: &Value) -> Vec<f64> {
    let rows = document["flows"].as_array().expect("rows").iter();
    let mut times: Vec<f64> = rows
        .filter_map(|row| row["last_delivered_s"].as_f64())
        .map(|s| s * 1e6)
        .collect();
    times.sort_by(f64::total_cmp);
    times
}

fn trimmed(document: &Value) -> u64 {
    let ports = document["ports"].as_array().expect("ports").iter();
    ports.filter_map(|port| port["trimmed_pkts"].as_u64()).sum()
}

/// One flow of 2 MB over six hops: UET's simulator prints 176.2 us without credit and 177.37 us with it, up to the last acknowledgement,
/// which is 6 us and six headers of 64 bytes after the last packet. Credit comes at 99 % of the line. What is stored of that simulator is to be met
/// within 5 %, this flow without credit within 0.1 %; with credit ours ends 0.4 % sooner, since it has some of it ahead.
#[test]
fn one_flow_takes_as_long_as_in_the_public_simulator() {
    for (law, printed, within) in [(NSCC, 176.1995, 0.001), (PULL, 177.37, 0.05)] {
        let document = fat_tree(&format!(
            r#"flows.f = {{ from = "h0", to = "h15", {PACKET}, {law}, source = {{ kind = "bulk", size = "2 MB" }} }}"#
        ));
        let expected = printed - 6.0 - 6.0 * 64.0 * 8e-5;
        let took = times(&document)[0];
        assert!((took / expected - 1.0).abs() < within, "{took} {expected}");
    }
}

/// Each of sixteen hosts sends 2 MB to another one and receives 2 MB. UET's simulator, whose packets choose their ways by the mixed law unless it is told
/// otherwise, prints 194.022 us for the last acknowledgement of one such permutation, 6.03 us after the last packet.
#[test]
fn a_permutation_of_sixteen_hosts_ends_as_in_the_public_simulator() {
    for seed in 1..=3 {
        let document = fat_tree(&format!(
            r#"seed = {seed}
flows.f = {{ from = "h*", to = "h*", pattern = "permutation", {PACKET}, {NSCC}, spread = {{ kind = "mixed" }}, source = {{ kind = "bulk", size = "2 MB" }} }}"#
        ));
        let times = times(&document);
        assert_eq!(times.len(), 16);
        let (last, expected) = (times[15], 194.022 - 6.03);
        assert!((last / expected - 1.0).abs() < 0.05, "{seed}: {last}");
    }
}

/// Fifteen senders of 2 MB each into one line: 15 times its time and a round trip are 2,451.6 us; the simulator prints 2,464.44 with credit and
/// 2,478.53 with NSCC alone. Credit goes round, so all end together; with windows the first ends long before the last. What was sent ahead of
/// credit is trimmed, and nothing afterwards.
#[test]
fn an_incast_that_is_given_credit_ends_together_and_is_trimmed_once() {
    let (credit, windows) = (incast(PULL), incast(NSCC));
    for (document, least, most) in [(&credit, 1.0, 1.1), (&windows, 1.5, 9.0)] {
        let times = times(document);
        assert_eq!(times.len(), 15);
        let last = times[14];
        assert!((last / (2451.6 - 6.03) - 1.0).abs() < 0.02, "{last}");
        let spread = last / times[0];
        assert!(least <= spread && spread <= most, "{spread}");
    }
    // Each sends at most 1.5 products, and what a round trip of one more lets in; without credit they go on.
    let ahead = 15 * 262_926 / 4150;
    let free = incast(&PULL.replace(
        r#"pull = "16384 B", speculate = "262926 B","#,
        r#"cap = "100 MB","#,
    ));
    assert!(trimmed(&credit) <= ahead, "{}", trimmed(&credit));
    assert!(trimmed(&free) > 4 * ahead, "{}", trimmed(&free));
}

/// Twenty senders that wait for credit, at lines of this rate; times are in this unit.
fn waiting_senders(rate: &str, unit: &str) -> World {
    let text = format!(
        r#"
schema = "backwater/scenario/1"
duration = "60 {unit}"
topology = {{ kind = "star", hosts = 20, rate = "{rate}", delay = "10 {unit}", bottleneck = "{rate}" }}
ports."*" = {{ queue = {{ kind = "strict-priority", classes = 2 }}, buffer = "4 MB" }}
flows.f = {{ from = "h*", to = "D", packet = "1030 B", transport = "irn", cnp = "off", ack_class = 1, timeout = "60 s", timeout_low = "60 s", pull = "16384 B", speculate = "2 kB", controller = {{ kind = "fixed", window = "100000 packets" }}, source = {{ kind = "bulk", size = "1 MB" }} }}
"#
    );
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario.and_then(|s| s.resolve(None));
    let world = resolved.and_then(|resolved| resolved.build());
    world.unwrap_or_else(|said| panic!("{said}"))
}

/// Twenty senders wait for credit, and none of their packets comes before the first are given some. Their host gives it at one pace, each from the
/// one before: as long as 16,384 B take at 99 % of the line, 1.32 us at 100 Gbit/s and 1.32 s at 100 kbit/s, to the tick below.
#[test]
fn credit_is_given_at_one_pace_while_flows_wait() {
    for (rate, line, unit) in [
        ("100 Gbit/s", 100_000_000_000_u128, "us"),
        ("100 kbit/s", 100_000, "s"),
    ] {
        let mut world = waiting_senders(rate, unit);
        world.start_recording();
        world.advance(world.end());
        let credit = |r: &Record| {
            let given = r.header.as_deref();
            let gives = matches!(given, Some(Header::Signal(Signal::Credit { .. })));
            (r.what == What::Send && gives).then(|| (r.flow, r.seq, r.at.0 - r.value))
        };
        let records = world.take_records();
        // Each credit crosses two wires; it was made before the first.
        let mut seen = BTreeSet::new();
        let made: Vec<u64> = records
            .iter()
            .filter_map(credit)
            .filter(|(flow, number, _)| seen.insert((*flow, *number)))
            .map(|(_, _, at)| at)
            .collect();
        assert!(made.len() >= 20, "{rate}: {}", made.len());
        let pace = 16_384 * 8 * 100 * 1_000_000_000_000 / (99 * line);
        for two in made[..20].windows(2) {
            assert_eq!(u128::from(two[1] - two[0]), pace, "{rate}");
        }
    }
}

/// A run is not skipped while credit is on its way, and says why, whatever else keeps it from being skipped.
#[test]
fn a_run_with_signals_on_their_way_is_not_skipped() {
    let mut world = waiting_senders("100 Gbit/s", "us");
    let mut said = BTreeSet::new();
    for us in 0..60 {
        world.advance(Time(us * 1_000_000));
        said.insert(world.skip_recurrences().expect_err("refused").why);
    }
    assert!(
        said.contains("its receiver or a queue sends signals"),
        "{said:?}"
    );
}

/// Transfers with pauses between them over lines that lose data and pull packets: each is asked for, or begins with credit that came ahead, and
/// each ends, for the timer repeats what was lost.
#[test]
fn transfers_end_where_data_and_credit_are_lost() {
    for (speculate, size) in [("20 kB", "2 kB"), ("20 kB", "200 kB")] {
        let text = format!(
            r#"
schema = "backwater/scenario/1"
duration = "400 ms"
seed = 3
nodes = {{ A = {{ kind = "host" }}, W = {{ kind = "switch" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "W"], rate = "10 Gbit/s", delay = "1 us" }}
links.b = {{ from = "W", to = "B", rate = "10 Gbit/s", delay = "1 us", boxes = [{{ kind = "loss", share = "3 %" }}] }}
links.c = {{ from = "B", to = "W", rate = "10 Gbit/s", delay = "1 us", boxes = [{{ kind = "loss", share = "3 %" }}] }}
flows.f = {{ from = "A", to = "B", packet = "1030 B", transport = "irn", pull = "4 kB", speculate = "{speculate}", timeout = "500 us", timeout_low = "500 us", stop = "399 ms",
  controller = {{ kind = "fixed", window = "1000 packets" }}, source = {{ kind = "request-response", requests = "closed", gap = "300 us", sizes = "fixed", size = "{size}" }} }}
"#
        );
        let document = document(text).unwrap_or_else(|said| panic!("{said}"));
        let flow = &document["flows"][0];
        let transfers = flow["transfers"].as_u64().expect("a count");
        // 200 kB take .17 ms and some timeouts of .5 ms; a transfer that stands still would be the last.
        assert!(transfers > 100, "{size}: {transfers}");
        assert!(
            flow["fct_p99_s"].as_f64().expect("a time") < 20e-3,
            "{size}"
        );
    }
}

/// Eleven senders of 1 MB whose packets are trimmed more than once, beside small transfers: each header is answered, that of a packet
/// that was sent again, too. So nothing waits for the timer of 5 ms: all ends in the time of its bytes, 960 packets of 1,110 B on the line
/// for each sender, and what the headers and credit at 99 % take.
#[test]
fn a_packet_that_is_trimmed_twice_is_asked_for_twice() {
    let text = r#"
schema = "backwater/scenario/1"
duration = "4 ms"
topology = { kind = "star", hosts = 19, rate = "100 Gbit/s", delay = "3205 ns", bottleneck = "100 Gbit/s" }
ports."*" = { queue = { kind = "strict-priority", classes = 2 } }
ports."W>D" = { queue = { kind = "strict-priority", classes = 2 }, buffer = "162 kB", trim = 1 }
flows.a = { from = "h1*", to = "D", transport = "irn", gaps = "other-ways", cap = "4 MB", timeout = "5 ms", timeout_low = "5 ms", packet = "1072 B", ack_class = 1, pull = "16384 B", speculate = "244 kB", controller = { kind = "fixed", window = "100000 packets" }, source = { kind = "bulk", size = "1 MB" } }
flows.b = { from = "h2", to = "D", stop = "500 us", transport = "irn", gaps = "other-ways", cap = "4 MB", timeout = "5 ms", timeout_low = "5 ms", packet = "1072 B", ack_class = 1, pull = "16384 B", speculate = "244 kB", controller = { kind = "fixed", window = "100000 packets" }, source = { kind = "request-response", requests = "open", gap = "10 us", sizes = "fixed", size = "2 kB" } }
"#;
    let document = document(text.to_owned()).unwrap_or_else(|said| panic!("{said}"));
    for row in document["flows"].as_array().expect("rows") {
        let name = row["id"].as_str().expect("a name");
        let ended = row["last_delivered_s"].as_f64().expect("an instant");
        assert!(ended < 1.1e-3, "{name} {ended}");
    }
    // Eleven senders go 1.5 products ahead each: most of that, and some of what is sent again, is trimmed.
    assert!(trimmed(&document) > 1000);
}

#[test]
fn pull_without_its_companion_is_refused() {
    let refused = |more: &str| {
        let text = format!(
            r#"
schema = "backwater/scenario/1"
duration = "1 ms"
topology = {{ kind = "star", hosts = 2, rate = "10 Gbit/s", delay = "1 us", bottleneck = "10 Gbit/s" }}
flows.f = {{ from = "h1", to = "D", packet = "1030 B", source = {{ kind = "bulk" }}, {more} }}
"#
        );
        document(text).expect_err("it is refused")
    };
    let fixed = r#"controller = { kind = "fixed" }"#;
    let hpcc = r#"controller = { kind = "hpcc", rate = "10 Gbit/s", base_rtt = "13 us" }"#;
    for (more, parts) in [
        (
            format!(r#"transport = "irn", pull = "4 kB", {fixed}"#),
            ["flows.f.pull", "write speculate too"],
        ),
        (
            format!(r#"transport = "irn", speculate = "4 kB", {fixed}"#),
            ["flows.f.speculate", "write pull"],
        ),
        (
            format!(r#"transport = "irn", pull = "4 kB", speculate = "20 kB", {hpcc}"#),
            ["congestion header", "remove pull"],
        ),
        (
            format!(r#"transport = "roce", pull = "4 kB", speculate = "20 kB", {fixed}"#),
            ["has no pull", "transport = \"irn\""],
        ),
    ] {
        let said = refused(&more);
        assert!(
            parts.iter().all(|part| said.contains(part)),
            "{more}: {said}"
        );
    }
}
