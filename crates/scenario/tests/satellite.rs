//! A frame of slots from text to document: delays and throughput against closed forms, queue management and laws of explicit
//! feedback at a terminal, the generator, and what is refused.

use backwater_scenario::{Folders, Keep, Run, Scenario};
use serde_json::Value;

/// Frames of 40 ms with 8 slots of 5 ms and 500 B: 800 kbit/s. The hub is 250 ms away, so an answer comes 13 frames after its request:
/// 500 ms in whole frames.
const FRAMES: &str = r#"kind = "tdma", frame = "40 ms", slots = 8, slot = "500 B""#;
const FRAME_S: f64 = 0.040;
const SLOT_S: f64 = 0.005;
const UP_S: f64 = 0.250;
const LAG: f64 = 13.0;

fn scenario(text: &str) -> Result<Scenario, String> {
    let text = format!("schema = \"backwater/scenario/1\"\n{text}");
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
    let resolved = scenario(text).and_then(|s| s.resolve(None).map_err(|d| d.to_string()));
    match resolved.and_then(|r| r.build().map(|_| ()).map_err(|d| d.to_string())) {
        Ok(()) => panic!("a scenario that works"),
        Err(refusal) => refusal,
    }
}

fn row<'a>(document: &'a Value, table: &str, id: &str) -> &'a Value {
    let rows = document[table].as_array().unwrap();
    let found = rows.iter().find(|row| row["id"] == id);
    found.unwrap_or_else(|| panic!("no {id} in {table}"))
}

fn number(row: &Value, key: &str) -> f64 {
    row[key]
        .as_f64()
        .unwrap_or_else(|| panic!("{key} of {row}"))
}

/// Terminals that are hosts, each with these options, and the hub.
fn terminals(medium: &str, options: &[&str]) -> String {
    let mut text = format!("media.sat = {{ {medium} }}\nnodes.G = {{ kind = \"switch\" }}\n");
    text += "nodes.D = { kind = \"host\" }\n";
    text += "links.wire = { ends = [\"G\", \"D\"], rate = \"1 Gbit/s\", delay = \"0 s\" }\n";
    for (number, options) in options.iter().enumerate() {
        text += &format!(
            "nodes.T{number} = {{ kind = \"host\" }}\n\
             links.up{number} = {{ kind = \"tdma\", from = \"T{number}\", to = \"G\", medium = \"sat\", delay = \"250 ms\", {options} }}\n\
             links.down{number} = {{ from = \"G\", to = \"T{number}\", rate = \"10 Mbit/s\", delay = \"250 ms\" }}\n"
        );
    }
    text
}

/// Packets of one size at a fixed distance; the first comes when the flow begins.
fn stream(terminal: usize, bytes: u64, every_ms: u64, start_ms: u64) -> String {
    let rate = bytes * 8000 / every_ms;
    format!(
        "flows.f{terminal} = {{ from = \"T{terminal}\", to = \"D\", packet = \"{bytes} B\", start = \"{start_ms} ms\", \
         source = {{ kind = \"cbr\", packet = \"{bytes} B\", rate = \"{rate} bit/s\" }} }}\n"
    )
}

/// Mean and longest delay of the flow of terminal 0, without the wire behind the hub.
fn delays(text: &str) -> [f64; 2] {
    let document = run(text);
    let flow = row(&document, "flows", "f0");
    ["delay_mean_s", "delay_max_s"].map(|key| number(flow, key))
}

#[track_caller]
fn close(found: f64, expected: f64) {
    // The wire behind the hub takes 12 us for 1500 B.
    let wire = 13e-6;
    assert!(
        found >= expected - 1e-9 && found <= expected + wire,
        "{found} instead of {expected}"
    );
}

/// A packet that comes 13 ms after a frame has begun waits 27 ms for the next one, and is sent in the first slot.
#[test]
fn a_terminal_with_slots_of_its_own_waits_for_the_next_frame() {
    let text = |bytes, every| {
        let medium = terminals(FRAMES, &["constant = 1, demand = \"none\""]);
        format!(
            "duration = \"8 s\"\n{medium}{}",
            stream(0, bytes, every, 13)
        )
    };
    let wait = FRAME_S - 0.013;
    for delay in delays(&text(500, 40)) {
        close(delay, wait + SLOT_S + UP_S);
    }
    // A packet of two slots needs two frames, for one slot of each is the terminal's.
    for delay in delays(&text(1000, 80)) {
        close(delay, wait + FRAME_S + SLOT_S + UP_S);
    }
}

/// Three of eight slots are 300 kbit/s, whatever the packets: they are cut. The overhead of 36 B a packet takes its share.
#[test]
fn what_slots_carry_is_their_bytes() {
    for (bytes, overhead) in [(1500, 0), (1500, 36), (333, 0)] {
        let options = format!("constant = 3, demand = \"none\", overhead = \"{overhead} B\"");
        let medium = terminals(FRAMES, &[&options]);
        let document = run(&format!(
            "duration = \"21 s\"\nwarmup = \"1 s\"\n{medium}\
             flows.f0 = {{ from = \"T0\", to = \"D\", source = {{ kind = \"saturated\", packet = \"{bytes} B\" }} }}\n"
        ));
        let flow = row(&document, "flows", "f0");
        let share = bytes as f64 / (bytes + overhead) as f64;
        let (found, expected) = (number(flow, "goodput_bps"), 300e3 * share);
        // 20 s are 500 frames; a packet that is cut at either end counts or does not.
        assert!(
            (found - expected).abs() <= 2.0 * 8.0 * bytes as f64 / 20.0,
            "{found} instead of {expected}"
        );
        let port = row(&document, "ports", "T0>G");
        assert!((number(port, "capacity_bps") - 300e3).abs() <= 500.0 * 8.0 / 20.0);
        assert!((number(port, "utilisation") - 1.0).abs() < 1e-3);
    }
}

/// A packet that asks for its slots is sent when the answer has come: the request leaves with the next frame.
#[test]
fn a_packet_on_demand_waits_for_the_answer() {
    let wait = FRAME_S - 0.013;
    let medium = |options: &str, more: &str| {
        let medium = terminals(&format!("{FRAMES}{more}"), &[options]);
        // 1200 B need three slots.
        format!("duration = \"20 s\"\n{medium}{}", stream(0, 1200, 2000, 13))
    };
    for delay in delays(&medium("demand = \"volume\"", "")) {
        close(delay, wait + LAG * FRAME_S + 3.0 * SLOT_S + UP_S);
    }
    for delay in delays(&medium("demand = \"rate\"", "")) {
        close(delay, wait + LAG * FRAME_S + 3.0 * SLOT_S + UP_S);
    }
    // Two slots at most: the third is in the next frame.
    for delay in delays(&medium("demand = \"volume\", most = 2", "")) {
        close(delay, wait + (LAG + 1.0) * FRAME_S + SLOT_S + UP_S);
    }
    // 90 ms are three frames.
    for delay in delays(&medium(
        "demand = \"volume\"",
        ", request_delay = \"90 ms\"",
    )) {
        close(delay, wait + 3.0 * FRAME_S + 3.0 * SLOT_S + UP_S);
    }
}

/// Where slots that nobody asked for are shared, a lone terminal has the whole frame and waits for no answer. The slot that begins
/// at 15 ms is the next one.
#[test]
fn free_slots_save_the_request() {
    let medium = terminals(&format!("{FRAMES}, free = true"), &["demand = \"volume\""]);
    let text = format!("duration = \"20 s\"\n{medium}{}", stream(0, 1200, 2000, 13));
    for delay in delays(&text) {
        close(delay, 0.002 + 3.0 * SLOT_S + UP_S);
    }
}

/// One terminal asks for less than an equal share and gets it all; the others share the rest, and what has slots of its own keeps
/// them.
#[test]
fn terminals_that_ask_for_all_share_what_is_left() {
    let asks = "demand = \"volume\"";
    let medium = terminals(
        FRAMES,
        &[asks, asks, asks, "constant = 2, demand = \"none\""],
    );
    let full = |n| {
        format!(
            "flows.f{n} = {{ from = \"T{n}\", to = \"D\", packet = \"1000 B\", \
             source = {{ kind = \"cbr\", packet = \"1000 B\", rate = \"700 kbit/s\" }} }}\n"
        )
    };
    let document = run(&format!(
        "duration = \"42 s\"\nwarmup = \"2 s\"\n{medium}{}{}{}{}",
        stream(0, 500, 40, 13),
        full(1),
        full(2),
        full(3)
    ));
    let rate = |n| number(row(&document, "flows", &format!("f{n}")), "goodput_bps");
    // 800 kbit/s: 100 for the first, 200 of its own for the last, 250 for each of the others.
    for (n, expected) in [(0, 100e3), (1, 250e3), (2, 250e3), (3, 200e3)] {
        assert!(
            (rate(n) - expected).abs() < 0.01 * expected,
            "f{n}: {} instead of {expected}",
            rate(n)
        );
    }
}

/// All slots of a frame may be terminals' own: two with half of them each carry 400 kbit/s.
#[test]
fn terminals_may_own_all_slots() {
    let half = "constant = 4, demand = \"none\"";
    let full = |n| {
        format!(
            "flows.f{n} = {{ from = \"T{n}\", to = \"D\", source = {{ kind = \"saturated\", packet = \"500 B\" }} }}\n"
        )
    };
    let document = run(&format!(
        "duration = \"10 s\"\nwarmup = \"2 s\"\n{}{}{}",
        terminals(FRAMES, &[half, half]),
        full(0),
        full(1)
    ));
    for flow in ["f0", "f1"] {
        let goodput = number(row(&document, "flows", flow), "goodput_bps");
        // 8 s are 200 frames; one is cut at either end.
        assert!((goodput - 400e3).abs() <= 400e3 / 100.0, "{goodput}");
    }
}

/// A terminal asks for nothing that its own slots carry until the answer comes: 6,000 B every two
/// seconds leave in one slot of each of 12 frames, and an answer takes 13. So the other terminal
/// keeps the other seven slots of every frame, 700 kbit/s.
#[test]
fn a_terminal_asks_for_no_more_than_its_own_slots_leave() {
    let medium = terminals(
        FRAMES,
        &["constant = 1, demand = \"volume\"", "demand = \"volume\""],
    );
    let bursts = (0..10).flat_map(|n| [2_000_000 * n + 1_000; 4]);
    let bursts: Vec<u64> = bursts.collect();
    let document = run(&format!(
        "duration = \"22 s\"\nwarmup = \"2 s\"\n{medium}\
         flows.f0 = {{ from = \"T0\", to = \"D\", source = {{ kind = \"packet-list\", at_us = {bursts:?}, bytes = [1500] }} }}\n\
         flows.f1 = {{ from = \"T1\", to = \"D\", packet = \"1000 B\", \
         source = {{ kind = \"cbr\", packet = \"1000 B\", rate = \"800 kbit/s\" }} }}\n"
    ));
    let goodput = number(row(&document, "flows", "f1"), "goodput_bps");
    assert!((goodput - 700e3).abs() < 0.01 * 700e3, "{goodput}");
    assert_eq!(number(row(&document, "flows", "f0"), "loss"), 0.0);
}

/// Every algorithm of queue management judges frames that slots take, and packets are conserved.
#[test]
fn every_queue_works_at_a_terminal() {
    for part in backwater_sim::queue::QUEUES {
        let medium = terminals(FRAMES, &["constant = 4, demand = \"none\""]);
        let queue = match part.id {
            "drr" | "wrr" => continue,
            id => id,
        };
        let document = run(&format!(
            "duration = \"20 s\"\n{medium}ports.\"T0>G\" = {{ queue = {{ kind = \"{queue}\" }} }}\n\
             flows.f0 = {{ from = \"T0\", to = \"D\", packet = \"1000 B\", source = {{ kind = \"poisson\", packet = \"1000 B\", rate = \"600 kbit/s\" }} }}\n"
        ));
        let got = number(row(&document, "flows", "f0"), "goodput_bps");
        assert!(got > 0.7 * 400e3 && got < 1.01 * 400e3, "{queue}: {got}");
    }
}

/// CoDel at a terminal keeps the queue of a full stream short; without it the buffer of 500 kB fills.
#[test]
fn codel_at_a_terminal_shortens_its_queue() {
    let delay = |queue: &str| {
        let medium = terminals(FRAMES, &["constant = 4, demand = \"none\""]);
        let document = run(&format!(
            "duration = \"60 s\"\nwarmup = \"20 s\"\n{medium}ports.\"T0>G\" = {{ buffer = \"500 kB\"{queue} }}\n\
             flows.f0 = {{ from = \"T0\", to = \"D\", transport = \"tcp\", controller = {{ kind = \"cubic\" }}, source = {{ kind = \"bulk\" }} }}\n"
        ));
        let flow = row(&document, "flows", "f0");
        (number(flow, "delay_mean_s"), number(flow, "goodput_bps"))
    };
    let (full, all) = delay("");
    let (short, most) = delay(", queue = { kind = \"codel\" }");
    // A buffer of 500 kB holds 10 s of 400 kbit/s; the ways take 0.25 s.
    assert!(
        full > 2.0 && short < 0.6,
        "{full} s without, {short} s with"
    );
    let most_there_is = 400e3 * 1460.0 / 1500.0;
    for goodput in [all, most] {
        assert!(
            goodput > 0.6 * most_there_is && goodput <= 1.01 * most_there_is,
            "{goodput}"
        );
    }
}

/// A terminal with slots for 400 kbit/s is sent 700 by a host. Back-pressure watches its queue and tells the host, so that nothing is
/// lost; without it three sevenths are.
#[test]
fn back_pressure_watches_a_terminal() {
    let loss = |recipe: &str| {
        let document = run(&format!(
            r#"
duration = "20 s"
media.sat = {{ {FRAMES} }}
topology = {{ kind = "satellite", terminals = 1, medium = "sat", constant = 4, demand = "none", wire_rate = "10 Mbit/s" }}
ports."t1>G" = {{ buffer = "40 kB" }}
mechanisms.bp = {{ recipe = "{recipe}", at = ["t1>G"] }}
flows.f = {{ from = "h1", to = "D", packet = "1000 B", source = {{ kind = "poisson", packet = "1000 B", rate = "700 kbit/s" }} }}
"#
        ));
        number(row(&document, "flows", "f"), "loss")
    };
    for recipe in ["pause", "pause-class", "pause-destination"] {
        assert_eq!(loss(recipe), 0.0, "{recipe}");
    }
    assert!((loss("none") - 3.0 / 7.0).abs() < 0.03, "{}", loss("none"));
}

/// The generator makes hosts behind terminals, a hub and a server, and its terminals read the options of a link.
#[test]
fn the_generator_makes_terminals() {
    let text = |options: &str| {
        format!(
            "duration = \"8 s\"\nmedia.sat = {{ {FRAMES} }}\n\
             topology = {{ kind = \"satellite\", terminals = 2, medium = \"sat\", {options} }}\n\
             flows.f = {{ from = \"h2\", to = \"D\", packet = \"500 B\", start = \"16 ms\", \
             source = {{ kind = \"cbr\", packet = \"500 B\", rate = \"100 kbit/s\" }} }}\n"
        )
    };
    let document = run(&text("constant = 2, demand = \"none\""));
    // The wire in front takes 1 ms and 42 us, so the packet misses the terminal's slots, the third and fourth of the frame, which
    // begin at 10 ms; it waits until 50 ms.
    let delay = number(row(&document, "flows", "f"), "delay_max_s");
    assert!(
        (delay - (0.034 + SLOT_S + UP_S + 0.001)).abs() < 100e-6,
        "{delay}"
    );
    assert!(refusal(&text("constant = 5")).contains("10 slots of their own, and a frame has 8"));
}

#[test]
fn what_cannot_work_is_refused_with_place_and_remedy() {
    let with = |medium: &str, options: &str| {
        let text = terminals(medium, &[options]);
        refusal(&format!(
            "duration = \"1 s\"\n{text}{}",
            stream(0, 500, 40, 0)
        ))
    };
    for (medium, options, place, what, fix) in [
        (
            FRAMES,
            "constant = 9",
            "media.sat.slots",
            "9 slots of their own",
            "lower `constant`",
        ),
        (
            FRAMES,
            "demand = \"none\"",
            "links.up0.demand",
            "never sends",
            "constant = 1",
        ),
        (
            FRAMES,
            "demand = \"none\", constant = 1, most = 2",
            "links.up0.most",
            "no",
            "remove it",
        ),
        (
            FRAMES,
            "demand = \"volumes\"",
            "links.up0.demand",
            "volumes",
            "volume",
        ),
        (
            "kind = \"tdma\", frame = \"40 ms\", slots = 8",
            "",
            "media.sat",
            "`media.sat.slot` is missing",
            "slot",
        ),
        (
            "kind = \"tdma\", frame = \"10 us\", slots = 8, slot = \"1 B\"",
            "",
            "media.sat.frame",
            "frames after its request",
            "longer frame",
        ),
        (
            "kind = \"tmda\", frame = \"40 ms\", slots = 8, slot = \"1 B\"",
            "",
            "media.sat",
            "unknown kind",
            "tdma",
        ),
    ] {
        let found = with(medium, options);
        for part in [place, what, fix] {
            assert!(found.contains(part), "{part} is not in: {found}");
        }
    }
    let lone = format!(
        "duration = \"1 s\"\nmedia.other = {{ {FRAMES} }}\n{}{}",
        terminals(FRAMES, &[""]),
        stream(0, 500, 40, 0)
    );
    assert!(refusal(&lone).contains("no link sends in the slots of `media.other`"));
    let named = lone.replace("medium = \"sat\"", "medium = \"sut\"");
    let found = refusal(&named);
    assert!(
        found.contains("links.up0.medium") && found.contains("`sat`"),
        "{found}"
    );
}

/// The kind of an 802.11 medium needs not be written, and changes nothing where it is.
#[test]
fn an_802_11_medium_has_the_default_kind() {
    let hash = |kind: &str| {
        let text = format!(
            "duration = \"1 s\"\nmedia.air = {{ {kind} phy = {{ standard = \"802.11b\", data = \"11 Mbit/s\" }}, \
             channel = {{ model = \"disc\", transmit = \"100 m\" }} }}\n\
             nodes.A = {{ kind = \"station\", medium = \"air\", at = [\"0 m\", \"0 m\"] }}\n\
             nodes.B = {{ kind = \"station\", medium = \"air\", at = [\"50 m\", \"0 m\"] }}\n\
             flows.f = {{ from = \"A\", to = \"B\", source = {{ kind = \"saturated\" }} }}\n"
        );
        let resolved = scenario(&text).unwrap().resolve(None).unwrap();
        resolved.sha256()
    };
    assert_eq!(hash(""), hash("kind = \"802.11\","));
}
