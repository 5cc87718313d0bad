//! How many feeders a watermark protects, by 802.3 arithmetic at 10 Mbit/s, frames of 1518 bytes, 50 kB,
//! XOFF at 40 kB: 32 frames fit, the 27th crosses the mark, so 5 more have room. A feeder still sends what
//! it begins within 109.8 µs (64-byte frame and preamble, wire, reaction): one frame for the feeder whose
//! frame crossed, two for those whose frame comes in just after it, and one more each where PAUSE waits
//! behind a full frame of reverse traffic. An output that drains takes as many frames as slots pass, and
//! goes in step with the feeder that came first, which therefore sends one frame less than the others.
//! `validation/pause.py` counts.

use backwater_sim::spec::{NodeKind, SwitchModel};
use backwater_sim::targets::Destination;
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span};

use crate::net::*;

/// Ticks of a full frame and its gap at 10 Mbit/s.
const SLOT: u64 = 1538 * 800_000;

/// k feeders that send without a pause; the watched port.
pub fn feeders(k: usize, reverse: bool, blocked: bool, phases: &[u64]) -> (Net, usize) {
    let mut net = Net::new(0.06);
    let (x, d) = (net.switch("X"), net.host("D"));
    // An output that needs 12 s for a frame is as good as blocked.
    let port = net.link(x, d, if blocked { 1_000 } else { 10 * MBIT })[0];
    net.buffer(port, 50_000);
    let back = reverse.then(|| {
        let r = net.host("R");
        net.link(r, x, 10_000 * MBIT);
        r
    });
    for i in 0..k {
        let s = net.obeying_host(&format!("S{i}"));
        net.link(s, x, 10 * MBIT);
        net.flow(&format!("f{i}"), s, d, script([(phases[i], 150_000)]));
        if let Some(r) = back {
            net.flow(&format!("b{i}"), r, s, script([(phases[k + i], 150_000)]));
        }
    }
    net.recipe("pause", &[port], &[]);
    (net, port)
}

/// Frames lost at the watched port with so large a buffer.
fn lost(k: usize, reverse: bool, blocked: bool, buffer: u64, phases: &[u64]) -> u64 {
    let (mut net, port) = feeders(k, reverse, blocked, phases);
    net.buffer(port, buffer);
    lost_at(&net.run(), port)
}

/// Most frames lost over phases: feeders that follow one another closely or at random, some of them a few
/// frames behind, so that any of them may cross the mark; reverse frames likewise.
fn worst(k: usize, reverse: bool, blocked: bool, buffer: u64) -> u64 {
    let random = &mut Random::stream(1, "test", "headroom");
    let draw = |number: u64| {
        let close = [20 * US, 90 * US, SLOT][number as usize % 3];
        let within = [90 * US, 300 * US, SLOT][number as usize / 3 % 3];
        let together = random.between(0, SLOT);
        let mut phases: Vec<u64> = (0..k)
            .map(|_| random.between(0, 3) * SLOT + random.between(0, close))
            .collect();
        phases.extend((0..k).map(|_| together + random.between(0, within)));
        lost(k, reverse, blocked, buffer, &phases)
    };
    (0..150).map(draw).max().expect("some draws")
}

#[test]
fn a_watermark_protects_as_many_feeders_as_the_arithmetic_says_and_no_more() {
    for (reverse, blocked, protects) in [
        (false, false, 4),
        (true, false, 3),
        (false, true, 3),
        (true, true, 2),
    ] {
        for k in 1..=protects {
            let lost = worst(k, reverse, blocked, 50_000);
            assert_eq!(lost, 0, "{k} feeders, reverse {reverse}, blocked {blocked}");
        }
        let lost = worst(protects + 1, reverse, blocked, 50_000);
        assert!(
            lost > 0,
            "{} feeders, reverse {reverse}, blocked {blocked}",
            protects + 1
        );
    }
}

/// The warning says the same as the search, in each of the four cases.
#[test]
fn a_warning_says_so_where_a_watermark_does_not_protect() {
    for (reverse, blocked, protects) in [
        (false, false, 4),
        (true, false, 3),
        (false, true, 3),
        (true, true, 2),
    ] {
        for k in 1..=6 {
            let net = feeders(k, reverse, blocked, &vec![0; 2 * k]).0;
            let warnings = net.world().headroom_warnings();
            let case = format!("{k} feeders, reverse {reverse}, blocked {blocked}: {warnings:?}");
            assert_eq!(warnings.is_empty(), k <= protects, "{case}");
        }
    }
}

/// A port that can be told to stop is as good as blocked.
#[test]
fn a_port_that_may_be_stopped_counts_as_blocked() {
    for (k, stopped, warns) in [(4, false, false), (4, true, true), (3, true, false)] {
        let (mut net, port) = feeders(k, false, false, &vec![0; 2 * k]);
        if stopped {
            // D is a switch from here on, and tells X.
            let (d, e) = (1, net.host("E"));
            net.0.nodes[d].kind = NodeKind::Switch(SwitchModel::OutputQueued);
            let last = net.link(d, e, 10 * MBIT)[0];
            net.0
                .flows
                .iter_mut()
                .for_each(|f| f.to = Destination::Node(e));
            net.recipe("pause", &[last], &[]);
        }
        let name = format!("{}:", net.0.ports[port].name);
        let warnings = net.world().headroom_warnings();
        let told = warnings.iter().any(|w| w.starts_with(&name));
        assert_eq!(told, warns, "{k} feeders, stopped {stopped}: {warnings:?}");
    }
}

/// Four feeders send 4 × 2 - 1 more frames, of which the output drains one and one is in step: five. 42,000 B are 27 frames, the
/// mark of 33,600 B is crossed by the 23rd, and four have room; of 50,000 B five have. Six frames, one of which crosses the mark, are a fifth
/// of 45,540 B: with that buffer nothing is lost, and with five frames, a fifth of 37,950 B, something is.
#[test]
fn a_warning_comes_where_a_single_frame_has_no_room() {
    for (buffer, short) in [(42_000, true), (50_000, false)] {
        let (mut net, port) = feeders(4, false, false, &[0; 8]);
        net.buffer(port, buffer);
        let warnings = net.world().headroom_warnings();
        assert_eq!(!warnings.is_empty(), short, "{buffer} B: {warnings:?}");
        let said = warnings.iter().all(|w| {
            w.contains("5 more frames")
                && w.contains("room for 4: frames can be lost; write buffer = \"45540 B\"")
        });
        assert!(said, "{warnings:?}");
    }
    for (buffer, loses) in [(45_540, false), (37_950, true)] {
        let (mut net, port) = feeders(4, false, false, &[0; 8]);
        net.buffer(port, buffer);
        assert_eq!(!net.world().headroom_warnings().is_empty(), loses);
        assert_eq!(worst(4, false, false, buffer) > 0, loses, "{buffer} B");
    }
}

/// One feeder into an output that takes nothing, watched where its frames come in: XOFF is ten frames. The eleventh crosses it;
/// one more begins before PAUSE takes effect, and one more where PAUSE waits behind a full frame.
#[test]
fn an_ingress_needs_the_frames_that_the_headroom_names_and_no_fewer() {
    for (reverse, frames) in [(false, 2), (true, 3)] {
        let worst = |buffer: u64| -> u64 {
            let random = &mut Random::stream(1, "test", "ingress headroom");
            let draws = (0..150).map(|_| {
                let phases = [random.between(0, SLOT), random.between(0, SLOT)];
                let net = at_ingress(reverse, buffer, &phases);
                lost_at(&net.run(), 0)
            });
            draws.max().expect("some draws")
        };
        let needs = at_ingress(reverse, 50_000, &[0, 0]).world().headroom();
        let [need] = &needs[..] else {
            panic!("one place: {needs:?}");
        };
        assert_eq!(
            (need.frames, need.frame, need.ingress),
            (frames, 1518, true)
        );
        assert_eq!(need.feeders.len(), 1);
        assert_eq!(worst((10 + frames) * 1518), 0, "reverse {reverse}");
        assert!(worst((9 + frames) * 1518) > 0, "reverse {reverse}");
        // The warning says the same of the output.
        for (buffer, loses) in [(10 + frames, false), (9 + frames, true)] {
            let net = at_ingress(reverse, buffer * 1518, &[0, 0]);
            let warnings = net.world().headroom_warnings();
            assert_eq!(warnings.len(), usize::from(loses), "{warnings:?}");
            let named = format!("write buffer = \"{} B\"", (10 + frames) * 1518);
            assert!(warnings.iter().all(|w| w.contains(&named)), "{warnings:?}");
        }
    }
}

pub fn at_ingress(reverse: bool, buffer: u64, phases: &[u64]) -> Net {
    let (mut net, port) = feeders(1, reverse, true, phases);
    net.buffer(port, buffer);
    net.0.mechanisms.clear();
    let mut ports = net.0.ports.iter();
    let from_feeder = ports.position(|p| p.name == "X>S0").expect("a port");
    let marks = [
        ("xoff", Value::Bytes(Bytes(15_180))),
        ("xon", Value::Bytes(Bytes(7_590))),
    ];
    net.recipe("pfc", &[from_feeder], &marks);
    net
}

/// Three feeders at 100 Mbit/s into one shared memory, PFC at its dynamic threshold. With the headroom that the warning names nothing is lost
/// and nothing is warned of; with one frame less frames are lost in some phases; without any the warning is the same.
#[test]
fn a_shared_memory_without_headroom_says_how_much_would_do() {
    let build = |headroom: u64, phases: &[u64]| {
        let mut net = Net::new(0.1);
        let x = net.shared_switch("X", 120_000, 0, headroom, 0);
        let d = net.host("D");
        let mut watched = Vec::new();
        for (i, phase) in phases.iter().enumerate() {
            let s = net.obeying_host(&format!("S{i}"));
            watched.push(net.link(s, x, 100 * MBIT)[1]);
            net.flow(&format!("f{i}"), s, d, script([(*phase, 300_000)]));
        }
        let port = net.link(x, d, 100 * MBIT)[0];
        net.buffer(port, 1_000_000);
        net.mechanism(["dynamic-threshold", "pfc", "gate"], &watched, &[]);
        net
    };
    let frames = build(0, &[0; 3]).world().headroom()[0].frames;
    let enough = frames * 1518;
    let named = format!("write headroom = \"{enough} B\"");
    for (headroom, loses) in [(0, true), (enough - 1518, true), (enough, false)] {
        let warnings = build(headroom, &[0; 3]).world().headroom_warnings();
        assert_eq!(warnings.len(), if loses { 3 } else { 0 }, "{warnings:?}");
        assert!(warnings.iter().all(|w| w.contains(&named)), "{warnings:?}");
        let random = &mut Random::stream(1, "test", "shared headroom");
        let lost = (0..60).any(|_| {
            let phases = [0; 3].map(|_| random.between(0, SLOT / 10));
            build(headroom, &phases).run().dropped > 0
        });
        assert_eq!(lost, loses, "headroom {headroom}");
    }
}

/// A detector of queues at the ports through which frames come in, and one of ingress at the port by which they leave, stop
/// nobody: each is told, with the ports that are right. Acknowledgements are no data. Where one of the ports is right, all is.
#[test]
fn a_mechanism_that_sees_no_data_it_could_stop_says_so() {
    for (recipe, right, wrong) in [
        ("pause", vec!["X>D"], vec!["X>S0", "X>S1"]),
        ("pause-class", vec!["X>D"], vec!["X>S0", "X>S1"]),
        ("pause-destination", vec!["X>D"], vec!["X>S1"]),
        ("pfc", vec!["X>S0", "X>S1"], vec!["X>D"]),
    ] {
        let warnings = |names: &[&str]| {
            let (mut net, _) = feeders(2, false, false, &[0; 4]);
            net.0.mechanisms.clear();
            let at = |name: &&str| net.0.ports.iter().position(|p| p.name == *name);
            let at: Vec<usize> = names.iter().map(|n| at(n).expect("a port")).collect();
            for port in &at {
                net.buffer(*port, 50_000);
            }
            net.recipe(recipe, &at, &[]);
            net.world().blind_warnings()
        };
        assert_eq!(warnings(&right), Vec::<String>::new(), "{recipe}");
        assert_eq!(
            warnings(&[&right[..], &wrong].concat()),
            Vec::<String>::new()
        );
        let said = warnings(&wrong);
        assert_eq!(said.len(), 1, "{recipe} {said:?}");
        let named = right
            .iter()
            .all(|name| said[0].matches(&format!("\"{name}\"")).count() == 1);
        assert!(said[0].contains("stops nobody") && named, "{said:?}");
    }
}

/// A neighbour that does not obey cannot be stopped, by whatever detector; nor does a neighbour that obeys and sends nothing count.
#[test]
fn a_mechanism_whose_neighbours_do_not_obey_stops_nobody() {
    for (recipe, from) in [("pause", "S"), ("pfc", "S"), ("pfc", "T")] {
        let mut net = Net::new(0.1);
        let (x, d, s) = (net.switch("X"), net.host("D"), net.host("S"));
        let t = net.obeying_host("T");
        let [to_s, to_t] = [s, t].map(|host| net.link(host, x, 10 * MBIT)[1]);
        let port = net.link(x, d, MBIT)[0];
        net.buffer(port, 50_000);
        net.flow("f", s, d, script([(0, 1_500)]));
        let at = match (recipe, from) {
            ("pause", _) => port,
            (_, "S") => to_s,
            _ => to_t,
        };
        net.recipe(recipe, &[at], &[]);
        let said = net.world().blind_warnings();
        assert!(
            said.len() == 1 && said[0].contains("no data comes"),
            "{recipe} {from}: {said:?}"
        );
    }
}

/// A's flow goes to D, so that nothing of A waits for B; packets from outside may go anywhere, also there.
#[test]
fn packets_from_outside_may_be_stopped_anywhere() {
    for (from, warns) in [(cbr(MBIT), 1), (source("outside", &[]), 0)] {
        let mut net = Net::new(0.1);
        let (x, a, b, d) = (
            net.switch("X"),
            net.obeying_host("A"),
            net.host("B"),
            net.host("D"),
        );
        net.link(a, x, 10 * MBIT);
        let [port, _] = net.link(x, b, 10 * MBIT);
        net.link(x, d, 10 * MBIT);
        net.flow("f", a, d, from);
        net.recipe("pause", &[port], &[]);
        assert_eq!(net.world().blind_warnings().len(), warns);
    }
}

/// Frames of 64 bytes follow each other every 67.2 us, the next one 9.6 us behind the one that has crossed the mark. What begins before a PAUSE frame has
/// come and taken effect, two delays, 57.6 us and 51.2 us after that one left, has to find room beside it: ⌈(99.2 us + 2 delays) / 67.2 us⌉ frames.
#[test]
fn short_frames_need_room_for_all_that_begin_until_a_pause_takes_effect() {
    for delay in [1, 17, 18, 51, 52] {
        let mut net = Net::new(0.01);
        let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
        let [_, watched] = net.link(s, x, 10 * MBIT);
        net.0.links[0].delay = Span::micros(delay);
        let slow = net.link(x, d, 1_000)[0];
        net.buffer(slow, 50_000);
        net.flow("f", s, d, script([(0, 46)])).packet = Bytes(46);
        let marks = [
            ("xoff", Value::Bytes(Bytes(15_180))),
            ("xon", Value::Bytes(Bytes(7_590))),
        ];
        net.recipe("pfc", &[watched], &marks);
        let needs = net.world().headroom();
        let [need] = &needs[..] else {
            panic!("one place: {needs:?}");
        };
        let more = (992 + 20 * delay).div_ceil(672);
        assert_eq!((need.frame, need.frames), (64, 1 + more), "{delay}");
    }
}
