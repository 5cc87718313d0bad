//! Wires, queues, sources and mechanisms.

use super::*;
use crate::run::Failure;

const BACK_PRESSURE: &str = r#"links.c = { ends = ["W", "D"], rate = "100 Mbit/s", delay = "1 us" }
ports."W>D" = { buffer = "50 kB" }
mechanisms.bp = { recipe = "pause", at = ["W>D"], detect = { high = "80 %", low = "70 %" } }
flows.f1 = { from = "A", to = "D", source = { kind = "saturated", packet = "1500 B" } }
flows.f2 = { from = "B", to = "D", source = { kind = "saturated", packet = "1000 B" } }
"#;

#[test]
fn saturated_hosts_under_back_pressure_are_skipped_exactly() {
    let text = merge(&format!(
        "duration = \"30 s\"\nwarmup = \"0.5 s\"\n{BACK_PRESSURE}"
    ));
    let (all, some) = equal(&text);
    assert!(some * 15 < all, "{some} of {all} events were served");
}

#[test]
fn constant_rates_into_a_bottleneck_that_loses_are_skipped_exactly() {
    let text = merge(
        r#"duration = "60 s"
warmup = "1 s"
links.c = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "5 ms" }
ports."W>D" = { buffer = "20 kB" }
flows.f1 = { from = "A", to = "D", source = { kind = "cbr", packet = "1500 B", rate = "8 Mbit/s" } }
flows.f2 = { from = "B", to = "D", source = { kind = "cbr", packet = "1000 B", rate = "4 Mbit/s" } }
"#,
    );
    let (all, some) = equal(&text);
    assert!(some * 4 < all, "{some} of {all} events were served");
}

/// 12,000 bits at 9,999,991 bit/s take 1,200,001,080.00097 ns: of so many equal intervals one in about a thousand is a
/// picosecond longer, which only the remainder tells. Bursts of twenty packets look alike within, too.
#[test]
fn what_only_a_source_remembers_is_compared() {
    let text = merge(
        r#"duration = "4 s"
links.c = { ends = ["W", "D"], rate = "100 Mbit/s", delay = "1 us" }
flows.f1 = { from = "A", to = "D", source = { kind = "SOURCE } }
"#,
    );
    let cbr = "cbr\", packet = \"1500 B\", rate = \"9999991 bit/s\"";
    equal(&text.replace("SOURCE", cbr));
    let bursts = "periodic-on-off\", packet = \"462 B\", rate = \"46.2 Mbit/s\", on = \"1600 us\", off = \"2400 us\"";
    let (all, some) = equal(&text.replace("SOURCE", bursts));
    assert!(some * 10 < all, "{some} of {all} events were served");
}

/// Nothing is skipped beyond what begins and ends meanwhile.
#[test]
fn flows_that_begin_and_end_bound_what_is_skipped() {
    let text = merge(
        r#"duration = "4 s"
warmup = "0.3 s"
links.c = { ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 us" }
ports."W>D" = { buffer = "20 kB" }
flows.f1 = { from = "A", to = "D", source = { kind = "cbr", packet = "1500 B", rate = "6 Mbit/s" } }
flows.f2 = { from = "B", to = "D", start = "1.3 s", STOPsource = { kind = "periodic-on-off", packet = "500 B", rate = "8 Mbit/s", on = "3 ms", off = "5 ms" } }
"#,
    );
    equal(&text.replace("STOP", "stop = \"3.1 s\", "));
}

/// Rates, sizes, buffers and queues of many kinds, with back-pressure and without.
#[test]
fn many_small_networks_are_skipped_exactly() {
    let mut skipped = 0;
    for case in 0..36u64 {
        let pick = |of: u64, list: &[&str]| {
            list[((case * 7 + of * 5) / of % list.len() as u64) as usize].to_owned()
        };
        let queue = ["fifo", "strict-priority", "wrr", "drr"][case as usize % 4];
        let classes = if queue == "fifo" { "" } else { ", classes = 2" };
        let class = u64::from(queue != "fifo");
        let source = |n: u64| match (case + n) % 3 {
            0 => format!(
                "kind = \"saturated\", packet = \"{}\"",
                pick(2 + n, &["1500 B", "600 B", "64 B"])
            ),
            _ => format!(
                "kind = \"cbr\", packet = \"{}\", rate = \"{}\"",
                pick(3 + n, &["1500 B", "700 B", "200 B"]),
                pick(1 + n, &["7 Mbit/s", "30 Mbit/s", "12 Mbit/s", "60 Mbit/s"])
            ),
        };
        let mechanism = match case % 3 {
            0 => "mechanisms.bp = { recipe = \"pause\", at = [\"W>D\"] }",
            1 => "",
            _ => "mechanisms.bp = { recipe = \"pfc\", at = [\"W>D\"] }",
        };
        let mechanism = if queue == "fifo" || mechanism.is_empty() {
            mechanism
        } else {
            ""
        };
        let text = merge(&format!(
            r#"duration = "400 ms"
warmup = "{}"
links.c = {{ ends = ["W", "D"], rate = "{}", delay = "3 us" }}
ports."W>D" = {{ queue = {{ kind = "{queue}"{classes} }}, buffer = "{}" }}
{}
flows.f1 = {{ from = "A", to = "D", class = 0, source = {{ {} }} }}
flows.f2 = {{ from = "B", to = "D", class = {class}, source = {{ {} }} }}
"#,
            pick(1, &["0 s", "11 ms", "130 ms"]),
            pick(2, &["10 Mbit/s", "40 Mbit/s", "100 Mbit/s"]),
            pick(1, &["30 kB", "20 kB", "60 kB"]),
            mechanism,
            source(0),
            source(1),
        ));
        let (all, some) = equal(&text);
        skipped += u64::from(some < all);
    }
    assert!(skipped >= 8, "{skipped} of 36 were skipped");
}

impl Choice {
    /// A source whose packets come at whole multiples of 8 us: at 100 Mbit/s frames of 962 B take 80 us with preamble and gap,
    /// those of 462 B half of it.
    fn source(&mut self) -> &'static str {
        self.of(&[
            "kind = \"saturated\", packet = \"962 B\"",
            "kind = \"saturated\", packet = \"462 B\"",
            "kind = \"cbr\", packet = \"962 B\", rate = \"76.96 Mbit/s\"",
            "kind = \"cbr\", packet = \"962 B\", rate = \"48.1 Mbit/s\"",
            "kind = \"cbr\", packet = \"462 B\", rate = \"9.24 Mbit/s\"",
            "kind = \"periodic-on-off\", packet = \"462 B\", rate = \"46.2 Mbit/s\", on = \"1600 us\", off = \"2400 us\"",
        ])
    }
}

/// Two switches with hosts on both sides, and flows both ways.
fn two_switches(case: u64) -> String {
    let mut c = Choice(case);
    let mechanism = c.of(&[
        "",
        "recipe = \"pause\", detect = { high = \"80 %\", low = \"60 %\" }",
        "recipe = \"pause\"",
        "recipe = \"pfc\"",
        "recipe = \"pause-destination\"",
        "detect = { kind = \"watermark\", high = \"70 %\", low = \"40 %\" }, notify = { kind = \"destination\" }, respond = { kind = \"shaper\" }",
        "detect = { kind = \"watermark\" }, notify = { kind = \"pause\", quanta = 3000 }, respond = { kind = \"gate\" }",
    ]);
    let places = c.of(&[
        "\"V>W\", \"W>V\", \"W>D\", \"W>E\", \"V>A\", \"V>B\"",
        "\"V>W\", \"W>D\"",
        "\"V>*\", \"W>*\"",
    ]);
    let mechanism = match mechanism {
        "" => String::new(),
        of => format!("mechanisms.bp = {{ at = [{places}], {of} }}"),
    };
    format!(
        r#"schema = "backwater/scenario/1"
duration = "{}"
warmup = "{}"
nodes.A = {{ kind = "host" }}
nodes.B = {{ kind = "host" }}
nodes.V = {{ kind = "switch", model = "output-queued" }}
nodes.W = {{ kind = "switch", model = "output-queued" }}
nodes.D = {{ kind = "host" }}
nodes.E = {{ kind = "host" }}
links.a = {{ ends = ["A", "V"], rate = "100 Mbit/s", delay = "{}" }}
links.b = {{ ends = ["B", "V"], rate = "100 Mbit/s", delay = "1 us" }}
links.m = {{ ends = ["V", "W"], rate = "{}", delay = "{}" }}
links.d = {{ ends = ["W", "D"], rate = "{}", delay = "1 us" }}
links.e = {{ ends = ["W", "E"], rate = "100 Mbit/s", delay = "1 us" }}
ports."V>*" = {{ buffer = "{}", queue = {{ kind = "{}" }} }}
ports."W>*" = {{ buffer = "{}", queue = {{ kind = "fifo" }} }}
{mechanism}
flows.f1 = {{ from = "A", to = "D", source = {{ {} }} }}
flows.f2 = {{ from = "B", to = "{}", {}source = {{ {} }} }}
flows.f3 = {{ from = "D", to = "{}", start = "{}", source = {{ {} }} }}
flows.f4 = {{ from = "E", to = "{}", source = {{ {} }} }}
"#,
        c.of(&["700 ms", "2 s"]),
        c.of(&["0 s", "50 ms", "401 ms"]),
        c.of(&["1 us", "8 us", "400 us"]),
        c.of(&["100 Mbit/s", "50 Mbit/s", "20 Mbit/s"]),
        c.of(&["1 us", "80 us", "3 ms"]),
        c.of(&["100 Mbit/s", "50 Mbit/s"]),
        c.of(&["20 kB", "50 kB", "9 packets"]),
        c.of(&["fifo", "fifo", "drr"]),
        c.of(&["20 kB", "40 kB"]),
        c.source(),
        c.of(&["D", "E"]),
        c.of(&["", "start = \"100 ms\", stop = \"1400 ms\", "]),
        c.source(),
        c.of(&["A", "B"]),
        c.of(&["0 s", "3 ms", "600 ms"]),
        c.source(),
        c.of(&["A", "B", "D"]),
        c.source(),
    )
}

/// How many of so many cases were skipped in part.
fn compare_two_switches(cases: std::ops::Range<u64>) -> u64 {
    let mut skipped = 0;
    for case in cases {
        let text = two_switches(case);
        if read(&format!("{text}\nrun = {{ skip = \"exact\" }}\n"))
            .build()
            .is_err()
        {
            continue;
        }
        let (all, some) = equal(&text);
        skipped += u64::from(some * 2 < all);
    }
    skipped
}

#[test]
fn two_switches_are_skipped_exactly() {
    let skipped = compare_two_switches(0..40);
    assert!(
        skipped >= 8,
        "{skipped} of 40 were skipped for more than half"
    );
}

/// Deficits of 0, 600 and 300 B follow one another in a class that earns 1500 B for frames of 900 B, while the other sends a frame
/// of 1500 B each round. So a period has three rounds, and only the deficit tells them apart.
#[test]
fn what_only_deficits_tell_apart_is_compared() {
    let (all, some) = equal(
        r#"schema = "backwater/scenario/1"
duration = "2 s"
nodes.A = { kind = "host" }
nodes.D = { kind = "host" }
links.a = { ends = ["A", "D"], rate = "100 Mbit/s", delay = "1 us" }
ports."A>D" = { queue = { kind = "drr", classes = 2, quantum = "1500 B" } }
flows.f1 = { from = "A", to = "D", class = 0, source = { kind = "saturated", packet = "1482 B" } }
flows.f2 = { from = "A", to = "D", class = 1, source = { kind = "saturated", packet = "882 B" } }
"#,
    );
    assert!(some * 10 < all, "{some} of {all} events were served");
}

/// Three switches in a ring, whose queues hosts fill from 4 s on two switches far: they come to wait for one another. What was skipped
/// before leaves the looks for that at their instants, whole multiples of 10 ms.
#[test]
fn a_deadlock_behind_a_stretch_is_seen_at_the_same_instant() {
    let mut text = r#"schema = "backwater/scenario/1"
duration = "5 s"
routing = { kind = "shortest-path" }
mechanisms.bp = { recipe = "pause", at = ["W0>W1", "W1>W2", "W2>W0"] }
flows.s = { from = "H0", to = "H1", source = { kind = "cbr", packet = "1500 B", rate = "8 Mbit/s" } }
"#
    .to_owned();
    for i in 0..3 {
        let (next, to) = ((i + 1) % 3, (i + 2) % 3);
        text += &format!(
            r#"nodes.W{i} = {{ kind = "switch", model = "output-queued" }}
nodes.H{i} = {{ kind = "host", obeys = false }}
links.r{i} = {{ ends = ["W{i}", "W{next}"], rate = "10 Mbit/s", delay = "1 us" }}
links.h{i} = {{ ends = ["H{i}", "W{i}"], rate = "10 Mbit/s", delay = "1 us" }}
ports."W{i}>W{next}" = {{ buffer = "50 kB" }}
routes.f{i} = ["H{i}", "W{i}", "W{next}", "W{to}", "H{to}"]
flows.f{i} = {{ from = "H{i}", to = "H{to}", start = "4 s", source = {{ kind = "cbr", packet = "1500 B", rate = "9 Mbit/s" }} }}
"#
        );
    }
    let (all, some) = equal(&text);
    assert!(some < all, "{some} of {all} events were served");
    let (short, _) = run(&format!("{text}\nrun = {{ skip = \"exact\" }}\n"));
    let at = short["deadlock"]["at_s"].as_f64().expect("a deadlock");
    let looks = at / 0.01;
    assert!(at > 4.0 && (looks - looks.round()).abs() < 1e-6, "{at}");
    let before = &short["skipped"]["stretches"][0];
    assert!(before["from_s"].as_f64().unwrap() < 4.0, "{before}");
}

/// Chance is never skipped, and a run that keeps every event has none to skip.
#[test]
fn what_cannot_be_skipped_is_refused() {
    let text = merge(&format!(
        "duration = \"1 s\"\nrun = {{ skip = \"exact\" }}\n{BACK_PRESSURE}"
    ));
    let random = text.replace(
        "source = { kind = \"saturated\", packet = \"1000 B\" }",
        "source = { kind = \"poisson\", packet = \"1000 B\", rate = \"1 Mbit/s\" }",
    );
    assert_ne!(random, text);
    let found = read(&random).build().expect_err("a random source");
    assert!(
        found.what.contains("flows.f2") && found.what.contains("run.skip"),
        "{found}"
    );
    let keep = Keep {
        columns: true,
        ..Keep::default()
    };
    let Err(Failure::Refused(found)) = Run::new(&read(&text), keep) else {
        panic!("a run that is recorded");
    };
    assert!(
        found.what.contains("run.skip") && found.fix.contains("columns"),
        "{found}"
    );
}
