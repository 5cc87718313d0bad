//! The carriers of a notice to the place that is told: a frame of its own, a header field of a data frame, or a mark that the
//! receiver of a packet echoes. Each on a wire and between stations, with the mechanism and without.

use std::path::Path;

use backwater_scenario::{Folders, Keep, Run, Scenario};
use serde_json::Value;

/// A switch with room for 100 kB in front of 10 Mbit/s.
const WIRE: &str = r#"
duration = "4 s"
nodes.A = { kind = "host" }
nodes.B = { kind = "host" }
nodes.S = { kind = "switch" }
nodes.D = { kind = "host" }
links.a = { ends = ["A", "S"], rate = "100 Mbit/s", delay = "10 us" }
links.b = { ends = ["B", "S"], rate = "100 Mbit/s", delay = "10 us" }
links.d = { ends = ["S", "D"], rate = "10 Mbit/s", delay = "10 us" }
ports."S>D" = { buffer = "100 kB" }
"#;

/// A relay between two stations that do not hear each other, with room for 60 packets.
const AIR: &str = r#"
routing = { kind = "airtime" }
duration = "10 s"
media.air.phy.standard = "802.11b"
media.air.phy.data = "11 Mbit/s"
media.air.phy.control = "1 Mbit/s"
media.air.phy.preamble = "long"
media.air.mac.access = "dcf"
media.air.channel = { model = "disc", transmit = "100 m", sense = "250 m" }
nodes.A = { kind = "station", medium = "air", at = ["0 m", "0 m"], buffer = "1000 packets" }
nodes.B = { kind = "station", medium = "air", at = ["90 m", "90 m"], buffer = "1000 packets" }
nodes.R = { kind = "station", medium = "air", at = ["90 m", "0 m"], buffer = "60 packets" }
nodes.D = { kind = "station", medium = "air", at = ["180 m", "0 m"], buffer = "1000 packets" }
"#;

/// A stream with a window of 200 packets, which the buffer does not hold.
fn stream(name: &str, from: &str, marks: &str) -> String {
    format!(
        "flows.{name} = {{ from = \"{from}\", to = \"D\", transport = \"tcp\", marks = \"{marks}\", \
         controller = {{ kind = \"fixed\", window = \"200 packets\" }}, source = {{ kind = \"bulk\" }} }}\n"
    )
}

/// The text of the combination PAUSE with gates at a place; `of` has high mark, low mark and notifier.
fn pause(at: &str, of: [&str; 3]) -> String {
    let [high, low, notify] = of;
    format!(
        "mechanisms.m = {{ recipe = \"pause\", at = [\"{at}\"], \
         detect = {{ high = \"{high}\", low = \"{low}\" }}, notify = {{ {notify} }} }}\n"
    )
}

fn built(text: &str) -> Result<Run, String> {
    resolved(text, Keep::default())
}

fn built_with(text: &str, keep: Keep) -> Run {
    resolved(text, keep).unwrap_or_else(|d| panic!("{d}"))
}

fn resolved(text: &str, keep: Keep) -> Result<Run, String> {
    let text = format!("schema = \"backwater/scenario/1\"\n{text}");
    let scenario = Scenario::from_toml(text, "x.toml", Folders::default());
    let resolved = scenario
        .and_then(|s| s.resolve(None))
        .map_err(|d| d.to_string())?;
    Run::new(&resolved, keep).map_err(|d| format!("{d:?}"))
}

/// Packets that found a full buffer, bits received, packets marked, and control frames sent on wires.
fn run(text: &str) -> (u64, f64, u64, u64) {
    let mut run = built(text).unwrap_or_else(|d| panic!("{d}"));
    while !run.step().unwrap() {}
    let document = run.finish().unwrap().0;
    assert_eq!(document["conservation"]["ok"], true);
    let rows = |table: &str| document[table].as_array().unwrap().clone();
    let of = |rows: &[Value], key: &str| rows.iter().map(|r| r[key].as_u64().unwrap()).sum();
    let full = |row: &Value| row["cause"] == "buffer-full";
    let drops: Vec<_> = rows("drops").into_iter().filter(full).collect();
    let bits = rows("flows")
        .iter()
        .map(|f| f["goodput_bps"].as_f64().unwrap())
        .sum();
    (
        of(&drops, "pkts"),
        bits,
        of(&rows("flows"), "marked_pkts"),
        of(&rows("ports"), "control_pkts"),
    )
}

/// The host stops although no control frame is sent: XOFF and XON come with ACKs. Without, the window fills the
/// buffer again and again. 1448 of 1538 bytes on the wire are payload. An ACK comes at least each 2.5 ms, in which 31 kB can
/// come after the mark at 50 kB.
#[test]
fn on_a_wire_a_header_field_of_an_ack_stops_the_host() {
    let text = format!("{WIRE}{}", stream("f", "A", "off"));
    let (lost, ..) = run(&text);
    assert!(lost > 100, "{lost}");
    let by = |carrier| {
        run(&format!(
            "{text}{}",
            pause("S>D", ["50 %", "25 %", carrier])
        ))
    };
    let (lost, goodput, _, frames) = by("carrier = \"header\"");
    assert_eq!((lost, frames), (0, 0));
    assert!(goodput > 0.98 * 10e6 * 1448.0 / 1538.0, "{goodput}");
    let (_, _, _, frames) = by("carrier = \"frame\"");
    assert!(frames > 0);
}

/// No data frame passes toward B, which sends datagrams: the field waits for one, and B is not stopped.
#[test]
fn a_header_field_waits_where_no_data_frame_passes() {
    let text = format!(
        "{WIRE}flows.u = {{ from = \"B\", to = \"D\", source = {{ kind = \"cbr\", rate = \"20 Mbit/s\", packet = \"1500 B\" }} }}\n"
    );
    let with = |carrier| {
        run(&format!(
            "{text}{}",
            pause("S>D", ["50 %", "25 %", carrier])
        ))
        .0
    };
    assert!(with("carrier = \"header\"") > 1000);
    assert_eq!(with("carrier = \"frame\""), 0);
}

/// The switch marks packets of the congested queue, and the ACKs that echo it stop the host for 3.4 ms each. The
/// stream's window answers no mark. Excess of 5 Mbit/s fills the 70 kB above the mark in 112 ms, and the echo comes when the
/// first marked packet has left, after 24 ms.
#[test]
fn on_a_wire_the_echo_of_a_mark_stops_the_host() {
    let slow = WIRE.replace("100 Mbit/s", "15 Mbit/s");
    let text = format!("{slow}{}", stream("f", "A", "accurate"));
    let (lost, ..) = run(&text);
    assert!(lost > 100, "{lost}");
    let mark = pause("S>D", ["30 %", "20 %", "carrier = \"mark\", quanta = 100"]);
    let (lost, goodput, marked, frames) = run(&format!("{text}{mark}"));
    assert_eq!((lost, frames), (0, 0));
    assert!(marked > 0);
    assert!(goodput > 0.9 * 10e6 * 1448.0 / 1538.0, "{goodput}");
}

/// Two stations send through a relay, which gets a third of the medium for all that both send. Fields in the ACKs that the
/// relay forwards stop them one by one.
#[test]
fn between_stations_a_header_field_of_an_ack_stops_the_sender() {
    let text = format!(
        "{AIR}{}{}",
        stream("f", "A", "off"),
        stream("g", "B", "off")
    );
    let (lost, before, ..) = run(&text);
    assert!(lost > 100, "{lost}");
    let field = pause("R", ["30 %", "20 %", "carrier = \"header\""]);
    let (lost, goodput, ..) = run(&format!("{text}{field}"));
    assert_eq!(lost, 0);
    assert!(goodput > 2.0 * before, "{before} {goodput}");
}

/// The same by marks: with room for 200 packets, since the echo comes when the marked packet has left the queue.
#[test]
fn between_stations_the_echo_of_a_mark_stops_the_sender() {
    let air = AIR.replace("60 packets", "200 packets");
    let text = format!(
        "{air}{}{}",
        stream("f", "A", "classic"),
        stream("g", "B", "classic")
    );
    let (lost, before, ..) = run(&text);
    assert!(lost > 100, "{lost}");
    let mark = pause("R", ["10 %", "5 %", "carrier = \"mark\", quanta = 300"]);
    let (lost, goodput, marked, _) = run(&format!("{text}{mark}"));
    assert_eq!(lost, 0);
    assert!(marked > 0);
    assert!(goodput > 2.0 * before, "{before} {goodput}");
}

/// The frames of a capture: the blocks of type 6 of pcapng, whose data of a given length begins at byte 28.
fn captured(text: &str, name: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut run = built_with(
        text,
        Keep {
            pcap: Some(&path),
            ..Keep::default()
        },
    );
    while !run.step().unwrap() {}
    run.finish().unwrap();
    let file = std::fs::read(&path).unwrap();
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let mut frames = Vec::new();
    let mut at = 0;
    while at < file.len() {
        if word(at) == 6 {
            frames.push(file[at + 28..at + 28 + word(at + 20)].to_vec());
        }
        at += word(at + 4);
    }
    frames
}

/// The remainder of a frame whose FCS is right (IEEE 802.3, 3.2.9), bit by bit.
fn is_whole(frame: &[u8]) -> bool {
    let register = frame.iter().fold(!0, |register: u32, byte| {
        (0..8).fold(register ^ u32::from(*byte), |r, _| {
            (r >> 1) ^ (0xEDB8_8320 & (r & 1).wrapping_neg())
        })
    });
    register == 0xDEBB_20E3
}

/// Opcode 1 and the time, which is all of it or 0, behind the packet or the padding to 60 bytes.
#[test]
fn a_capture_of_a_wire_has_the_header_field() {
    let stream = stream("f", "A", "off");
    let mechanism = pause("S>D", ["50 %", "25 %", "carrier = \"header\""]);
    let frames = captured(&format!("{WIRE}{stream}{mechanism}"), "field.pcapng");
    let mut times = Vec::new();
    for frame in &frames {
        assert!(is_whole(frame));
        let packet = usize::from(u16::from_be_bytes([frame[16], frame[17]]));
        match &frame[(14 + packet).max(60)..frame.len() - 4] {
            [] => {}
            [0, 1, high, low] => times.push(u16::from_be_bytes([*high, *low])),
            other => panic!("{other:?}"),
        }
    }
    assert!(times.len() > 10 && times.len() * 10 < frames.len());
    assert!(times.contains(&0) && times.contains(&0xFFFF), "{times:?}");
}

/// Category 127, the identifier, a notice that holds, all classes, a time, and no addresses, behind the packet.
#[test]
fn a_capture_of_the_air_has_the_header_field() {
    let streams = [stream("f", "A", "off"), stream("g", "B", "off")].concat();
    let mechanism = pause("R", ["30 %", "20 %", "carrier = \"header\""]);
    let frames = captured(&format!("{AIR}{streams}{mechanism}"), "air-field.pcapng");
    let mut fields = 0;
    // Behind radiotap: data, header of 24 bytes, 8 of LLC and SNAP.
    for frame in frames.iter().filter(|f| f[24] == 0x08) {
        let packet = usize::from(u16::from_be_bytes([frame[58], frame[59]]));
        match &frame[56 + packet..frame.len() - 4] {
            [] => {}
            [127, 0x42, 0x57, 0x52, 0x40, 0xFF, _, _, 0, 0] => fields += 1,
            other => panic!("{other:?}"),
        }
    }
    assert!(fields > 10, "{fields}");
}

/// Upstream stations say in two bytes how many steps they have taken: none at first, some later.
#[test]
fn a_capture_of_the_air_has_the_reported_steps() {
    let flow = |name: &str| {
        format!(
            "flows.{name} = {{ from = \"{name}\", to = \"D\", source = {{ kind = \"cbr\", rate = \"3 Mbit/s\", packet = \"1500 B\" }} }}\n"
        )
    };
    let air = AIR.replace("\"dcf\"", "\"edca\"");
    let mechanism =
        "mechanisms.m = { recipe = \"aifsn\", at = [\"R\"], notify = { report = \"2 B\" } }\n";
    let frames = captured(
        &format!("{air}{}{}{mechanism}", flow("A"), flow("B")),
        "steps.pcapng",
    );
    let mut steps = Vec::new();
    // QoS data, whose header has two bytes more.
    for frame in frames.iter().filter(|f| f[24] == 0x88) {
        let packet = usize::from(u16::from_be_bytes([frame[60], frame[61]]));
        match &frame[58 + packet..frame.len() - 4] {
            [] => {}
            [0, number] => steps.push(*number),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(steps.first(), Some(&0));
    assert!(steps.iter().any(|number| *number > 0));
}

#[test]
fn what_a_carrier_cannot_bring_is_refused_with_the_reason() {
    let wire =
        |marks, mechanism: &str| built(&format!("{WIRE}{}{mechanism}", stream("f", "A", marks)));
    let air = |mechanism: &str| built(&format!("{AIR}{}{mechanism}", stream("f", "A", "classic")));
    let mark = |of: &str| format!("mechanisms.m = {{ {of}, notify = {{ carrier = \"mark\" }} }}\n");
    for (refused, place, word) in [
        (
            wire(
                "classic",
                &mark("recipe = \"pause-destination\", at = [\"S>D\"]"),
            ),
            "mechanisms.m.notify",
            "a mark is one bit",
        ),
        (
            wire(
                "classic",
                &mark("recipe = \"pause\", at = [\"S>D\"], respond = { kind = \"shaper\" }"),
            ),
            "mechanisms.m.respond",
            "a mark is one bit",
        ),
        (
            wire("off", &mark("recipe = \"pause\", at = [\"S>D\"]")),
            "mechanisms.m.notify.carrier",
            "nothing would echo",
        ),
        (
            air(
                "mechanisms.m = { recipe = \"pause\", at = [\"R\"], notify = { carrier = \"header\", cast = \"group\" } }\n",
            ),
            "mechanisms.m.notify.cast",
            "the station that its data frame is for",
        ),
        (
            air(
                "mechanisms.m = { recipe = \"aifsn\", at = [\"R\"], notify = { carrier = \"header\" } }\n",
            ),
            "mechanisms.m.notify",
            "carrier",
        ),
    ] {
        let said = refused.map(|_| ()).expect_err(word);
        assert!(
            said.contains(place) && said.contains(word),
            "{place}: {said}"
        );
    }
}
