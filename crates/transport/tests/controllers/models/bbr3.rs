//! BBRv3 beside its model.

use backwater_transport::controller::{Ack, AnyController, Controller};
use backwater_transport::endpoint::Protocol;
use backwater_transport::segment::Ecn;
use backwater_transport::units::Span;

use super::bbr3_model::{Bbr3, Given};
use super::{TICK, Walk, built, side_by_side, stream, tick};
use crate::build::quiet_ack;

/// The draft's constants.
fn draft() -> Given {
    Given {
        startup: 2.77,
        drain: 0.5,
        down: 0.9,
        margin: 0.01,
        threshold: 0.02,
        // Written as 70 %.
        beta: 70.0 * 0.01,
        headroom: 0.15,
        ranges: 6,
        filter: Span::secs(10),
        interval: Span::secs(5),
        stay: Span::millis(200),
        ends_cycle: false,
        extra_rounds: 10,
        extra_cap: None,
        wait: Span::secs(2),
        wait_random: 1.0,
        probe_rounds: 63.0,
        drain_rounds: Some(3),
        head: false,
        marks: None,
    }
}

/// Fractions of two, so that nothing is rounded, and short times.
const EXACT: [(&str, &str); 14] = [
    ("startup-pacing", "2.5"),
    ("down-pacing", "0.875"),
    ("drain-pacing", "0.5"),
    ("pacing-margin", "0 %"),
    ("loss-threshold", "1.5625 %"),
    ("beta", "75 %"),
    ("headroom", "12.5 %"),
    ("full-loss-count", "2"),
    ("min-rtt-filter", "500 ms"),
    ("probe-rtt-interval", "250 ms"),
    ("probe-rtt-duration", "31.25 ms"),
    ("extra-acked-rounds", "4"),
    ("probe-wait", "62.5 ms"),
    ("probe-rounds", "12"),
];

fn exact() -> Given {
    Given {
        startup: 2.5,
        drain: 0.5,
        down: 0.875,
        margin: 0.0,
        threshold: 1.0 / 64.0,
        beta: 0.75,
        headroom: 0.125,
        ranges: 2,
        filter: Span::millis(500),
        interval: Span::millis(250),
        stay: Span::micros(31_250),
        extra_rounds: 4,
        wait: Span::micros(62_500),
        wait_random: 0.0625,
        probe_rounds: 12.0,
        ..draft()
    }
}

/// Many short walks from the first acknowledgement on, and a few long ones.
fn walks(id: &str, given: &Given, options: &[(&str, &str)], marks: u64) {
    for (seeds, steps) in [(0..60, 300), (60..64, 3000)] {
        for seed in seeds {
            let mut controller = built(id, options, Protocol::Stream);
            let mut model = Bbr3::new(given.clone(), stream(id));
            let mut walk = Walk::new(seed);
            walk.marks = marks;
            walk.losses = [10, 10, 40][seed as usize % 3];
            let name = format!("{id} {options:?}, seed {seed}");
            side_by_side(&mut controller, &mut model, walk, steps, &name);
        }
    }
}

#[test]
fn bbr3_is_that_of_its_draft() {
    walks("bbr3", &draft(), &[], 0);
}

#[test]
fn bbr3_decides_at_its_limits() {
    let options = [&EXACT[..], &[("probe-wait-random", "62.5 ms")]].concat();
    walks("bbr3", &exact(), &options, 0);
}

/// ProbeRTT of the draft's head, and a cycle that it ends.
#[test]
fn bbr3_of_the_drafts_head_decides_at_its_limits() {
    let given = Given {
        head: true,
        ends_cycle: true,
        drain_rounds: Some(1),
        extra_cap: Some(1.0 / 128.0),
        ..exact()
    };
    let more = [
        ("probe-wait-random", "62.5 ms"),
        ("variant", "head"),
        ("probe-rtt-ends-cycle", "true"),
        ("drain-rounds", "1"),
        ("extra-acked-cap", "7.8125 ms"),
    ];
    walks("bbr3", &given, &[&EXACT[..], &more].concat(), 0);
}

#[test]
fn bbr3_of_linux_is_that_of_its_program() {
    let given = Given {
        drain: 0.347,
        down: 0.91,
        drain_rounds: None,
        extra_cap: Some(0.1),
        marks: Some((0.0625, 0.333_333_333_3, 0.5, Span::millis(5))),
        ..draft()
    };
    walks("bbr3-linux", &given, &[], 20);
}

/// Marks count on a path of four ticks, and on no longer one.
#[test]
fn bbr3_of_linux_answers_marks_at_its_limits() {
    let given = Given {
        drain_rounds: None,
        extra_cap: Some(1.0 / 128.0),
        marks: Some((0.125, 0.25, 0.5, TICK.times(4))),
        ..exact()
    };
    let more = [
        ("probe-wait-random", "62.5 ms"),
        ("extra-acked-cap", "7.8125 ms"),
        ("ecn-gain", "0.125"),
        ("ecn-factor", "0.25"),
        ("ecn-threshold", "50 %"),
        ("ecn-most-rtt", "7.8125 ms"),
    ];
    let options = [&EXACT[..], &more].concat();
    for marks in [10, 50] {
        walks("bbr3-linux", &given, &options, marks);
    }
}

/// 10^11 B are the most.
#[test]
fn the_window_is_bounded() {
    let mut controller = built("bbr3", &[], Protocol::Stream);
    controller.on_ack(&Ack {
        acked: 1 << 38,
        delivered: 1 << 38,
        ..quiet_ack(tick(1), 0)
    });
    let AnyController::Bbr3(engine) = controller else {
        panic!("{controller:?}");
    };
    assert_eq!(engine.view().cwnd, 1e11);
}

#[test]
fn segments_of_bbr3_carry_the_codepoint_that_is_written() {
    for (word, ecn) in [
        ("ect1", Ecn::Ect1),
        ("ect0", Ecn::Ect0),
        ("off", Ecn::NotEct),
    ] {
        let linux = built("bbr3-linux", &[("ecn", word)], Protocol::Stream);
        assert_eq!(linux.ecn(), ecn);
    }
    assert_eq!(built("bbr3", &[], Protocol::Stream).ecn(), Ecn::NotEct);
}
