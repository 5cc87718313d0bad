//! ABC and VCP, whose routers write the codepoints of packets.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::controller::{Ack, AnyController, Cause, Controller, Reduction};
use backwater_transport::segment::{Ecn, Feedback};
use backwater_transport::units::Rate;

use crate::{ack, build, idle, near, shown, tell, window};

/// So many bytes are acknowledged, of which so many came with ECT(1), ECT(0) and CE.
fn hear(c: &mut AnyController, ack: &Ack, codepoints: [u32; 3]) {
    let [ect1, ect0, ce] = codepoints;
    let header = CongestionHeader::Codepoints { ect1, ect0, ce };
    let feedback = Feedback::Congestion(header);
    c.on_ack(&Ack {
        feedback: Some(&feedback),
        ..*ack
    });
}

/// So many bytes, with enough in flight.
fn full(now: f64, bytes: u64) -> Ack<'static> {
    Ack {
        prior_in_flight: 50_000,
        ..ack(now, bytes, 100.0)
    }
}

fn abc(c: &AnyController) -> f64 {
    shown(c, "abc_window")
}

/// w += acked for accelerates, − acked for brakes, and a segment for each window; of several packets the share counts.
#[test]
fn abc_adds_for_accelerates_and_takes_for_brakes() {
    for (variant, codepoints, sign) in [
        ("paper", [1_000, 0, 0], 1.0),
        ("paper", [1, 0, 0], 1.0),
        ("paper", [0, 1_000, 0], -1.0),
        ("paper", [750, 250, 9_000], 0.5),
        ("code", [1_000, 0, 0], 1.0),
        ("code", [0, 0, 1_000], -1.0),
        ("code", [750, 9_000, 250], 0.5),
    ] {
        let mut c = build("abc", &[("variant", variant)]);
        hear(&mut c, &full(0.0, 2_000), codepoints);
        near(abc(&c), 10_000.0 + sign * 2_000.0 + 200.0);
    }
    for (variant, codepoints) in [
        ("paper", [0, 0, 0]),
        ("paper", [0, 0, 1_000]),
        ("code", [0, 1_000, 0]),
    ] {
        let mut c = build("abc", &[("variant", variant)]);
        hear(&mut c, &full(0.0, 2_000), codepoints);
        near(abc(&c), 10_000.0);
        assert_eq!(c.reduction(), Reduction::Direct);
    }
}

/// The second window: slow start, then a segment for each window; half at a loss. The smaller counts, and is the state that is shown.
#[test]
fn abcs_second_window_is_that_of_reno() {
    let mut c = build("abc", &[]);
    assert_eq!(c.inspect().state, "explicit");
    c.on_ack(&full(0.0, 3_000));
    near(shown(&c, "classic_window"), 12_000.0);
    assert_eq!((window(&c), c.inspect().state), (10_000, "explicit"));
    tell(&mut c, Cause::Loss, 8_000);
    assert_eq!((window(&c), c.inspect().state), (4_000, "classic"));
    c.on_ack(&full(0.0, 1_000));
    near(shown(&c, "classic_window"), 4_250.0);
    let free = Ack {
        cwnd_limited: false,
        ..full(0.0, 1_000)
    };
    c.on_ack(&free);
    near(shown(&c, "classic_window"), 4_250.0);
    let mut alone = build("abc", &[("dual_window", "false")]);
    tell(&mut alone, Cause::Loss, 8_000);
    assert_eq!(
        (window(&alone), alone.inspect().state),
        (10_000, "explicit")
    );
    for variant in ["paper", "code"] {
        let mut c = build("abc", &[("variant", variant)]);
        tell(&mut c, Cause::Timeout, 8_000);
        near(shown(&c, "classic_window"), 1_000.0);
    }
}

/// Neither exceeds twice what was in flight; the first keeps its floor, the second two segments.
#[test]
fn abcs_windows_keep_to_twice_the_flight() {
    for (flight, floor, first, second) in [
        (4_000, "1 packets", 8_000.0, 8_000.0),
        (300, "1 packets", 1_000.0, 2_000.0),
        (700, "1 packets", 1_400.0, 2_000.0),
        (2_000, "3 packets", 4_000.0, 4_000.0),
        (1_000, "3 packets", 3_000.0, 3_000.0),
    ] {
        let mut c = build("abc", &[("floor", floor)]);
        let bounded = Ack {
            prior_in_flight: flight,
            ..full(0.0, 0)
        };
        c.on_ack(&bounded);
        near(abc(&c), first);
        near(shown(&c, "classic_window"), second);
    }
    let mut c = build("abc", &[("floor", "3 packets")]);
    hear(&mut c, &full(0.0, 9_900), [0, 1, 0]);
    near(abc(&c), 3_000.0);
    idle(&mut c, 0.0, 2_000, 0);
    near(abc(&c), 3_000.0);
    near(shown(&c, "classic_window"), 2_000.0);
}

/// Their packets ask for the codepoints that routers write: ECT(1).
#[test]
fn packets_leave_with_the_first_codepoint() {
    for (id, layout) in [("abc", Layout::Brake), ("vcp", Layout::Load)] {
        let c = build(id, &[]);
        assert_eq!((c.congestion_header(), c.ecn()), (Some(layout), Ecn::Ect1));
    }
}

/// Two windows in a round trip, once it is known.
#[test]
fn abc_may_pace_at_two_windows() {
    for (pace, rate) in [("true", Some(Rate(1_600_000))), ("false", None)] {
        let mut c = build("abc", &[("pace", pace)]);
        assert_eq!(c.limits().pacing, None);
        c.on_ack(&full(0.0, 0));
        assert_eq!(c.limits().pacing, rate);
    }
}

const LOW: [u32; 3] = [1, 0, 0];
const HIGH: [u32; 3] = [9, 1, 0];
const OVER: [u32; 3] = [9, 9, 1];

fn vcp(c: &mut AnyController, now: f64, bytes: u64, codepoints: [u32; 3]) -> u64 {
    hear(c, &full(now, bytes), codepoints);
    window(c)
}

/// (1 + ξ)^(rtt/t_ρ) − 1 of what is acknowledged, at most all of it; α (rtt/t_ρ)² segments for each window.
#[test]
fn vcp_grows_by_a_factor_or_by_a_step() {
    for (xi, interval, grown) in [
        ("1", "100 ms", 2_000),
        ("0.5", "100 ms", 1_000),
        ("0.5", "50 ms", 2_000),
        ("0.21", "200 ms", 200),
        ("0.44", "50 ms", 2_000),
    ] {
        let mut c = build("vcp", &[("xi", xi), ("interval", interval)]);
        let got = vcp(&mut c, 1000.0, 2_000, LOW);
        // A power may lie a trifle below what it should be.
        assert!(got.abs_diff(10_000 + grown) <= 1, "{xi} {interval}: {got}");
        assert_eq!(c.inspect().state, "multiplicative increase");
    }
    for (alpha, interval, bytes, grown) in [
        ("2", "100 ms", 5_000, 1_000),
        ("2", "200 ms", 5_000, 250),
        ("0.5", "50 ms", 90_000, 2_000),
    ] {
        let mut c = build("vcp", &[("alpha", alpha), ("interval", interval)]);
        let got = vcp(&mut c, 1000.0, bytes, HIGH);
        assert_eq!(got, 10_000 + grown, "{alpha} {interval}");
        assert_eq!(c.inspect().state, "additive increase");
    }
}

/// At an overload β of the window is left. It rests for t_ρ, grows by steps for a round trip whatever is said, and then listens again;
/// the load that was told is shown all the while.
#[test]
fn vcp_rests_after_an_overload() {
    let mut c = build("vcp", &[("interval", "100 ms")]);
    assert_eq!(vcp(&mut c, 0.0, 1_000, OVER), 8_750);
    for (now, bytes, codepoints, expected, state) in [
        (50.0, 8_750, LOW, 8_750, "multiplicative increase"),
        (99.9, 8_750, OVER, 8_750, "decrease"),
        (100.0, 8_750, OVER, 9_750, "decrease"),
        (199.9, 9_750, LOW, 10_750, "multiplicative increase"),
        (200.0, 10_750, HIGH, 11_750, "additive increase"),
        (200.0, 11_750, OVER, 10_281, "decrease"),
        (200.0, 11_750, [0, 0, 0], 10_281, "decrease"),
    ] {
        let got = vcp(&mut c, now, bytes, codepoints);
        assert_eq!((got, c.inspect().state), (expected, state), "{now}");
    }
    let mut c = build("vcp", &[("interval", "100 ms")]);
    vcp(&mut c, 0.0, 1_000, OVER);
    assert_eq!(vcp(&mut c, 200.0, 8_750, OVER), 7_656);
    // Down to a segment.
    let mut c = build("vcp", &[("beta", "0.1")]);
    assert_eq!(vcp(&mut c, 0.0, 0, OVER), 1_000);
    assert_eq!(vcp(&mut c, 5000.0, 0, OVER), 1_000);
}

/// Steps and factors need a window that was full. Losses are TCP's; a mark says what each acknowledgement has said.
#[test]
fn vcp_answers_losses_as_reno() {
    let mut c = build("vcp", &[]);
    let free = Ack {
        cwnd_limited: false,
        ..full(1000.0, 1_000)
    };
    for codepoints in [LOW, HIGH] {
        hear(&mut c, &free, codepoints);
        assert_eq!(window(&c), 10_000);
    }
    assert_eq!(c.reduction(), Reduction::Direct);
    for (cause, left) in [
        (Cause::Mark, 10_000),
        (Cause::Loss, 4_000),
        (Cause::Timeout, 1_000),
        (Cause::Spurious, 4_000),
    ] {
        tell(&mut c, cause, 8_000);
        assert_eq!(window(&c), left, "{cause:?}");
    }
    idle(&mut c, 0.0, 3_000, 0);
    assert_eq!(window(&c), 3_000);
}
