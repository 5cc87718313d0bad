//! Senders of schemes with explicit feedback, against the equations of their papers.

use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::controller::{
    Ack, AnyController, CONTROLLERS, Cause, Congestion, Controller, Departure, Idle, Sent,
};
use backwater_transport::segment::{Ecn, Feedback};
use backwater_transport::units::{Rate, Span, Time};

use crate::build::{MSS, build, quiet_ack};
use backwater_transport_testing::bottleneck::at;

const RTT: Span = Span::millis(100);
/// Bytes on the link for each byte of payload in `build`.
const EXPANSION: f64 = (MSS + 66) as f64 / MSS as f64;

fn hear(controller: &mut AnyController, now: Time, header: CongestionHeader) {
    let packets = controller.limits().window / MSS;
    let feedback = Feedback::Congestion(header);
    controller.on_ack(&Ack {
        acked: MSS,
        advanced: MSS,
        acked_segments: 1,
        rtt: Some(RTT),
        srtt: RTT,
        prior_in_flight: packets * MSS,
        feedback: Some(&feedback),
        ..quiet_ack(now, packets * MSS)
    });
}

fn announced(controller: &mut AnyController) -> CongestionHeader {
    let sent = Sent {
        now: at(0.0),
        number: 0,
        len: MSS,
        in_flight: MSS,
        again: false,
        app_limited: false,
    };
    match controller.on_sent(&sent) {
        Departure::Announced(Feedback::Congestion(header)) => header,
        other => panic!("no congestion header but {other:?}"),
    }
}

fn lose(controller: &mut AnyController, cause: Cause) {
    controller.on_congestion(&Congestion {
        now: at(1.0),
        cause,
        in_flight: controller.limits().window,
        lost: MSS,
        tx_in_flight: controller.limits().window,
        round: 1,
    });
}

fn window(controller: &AnyController) -> f64 {
    controller.limits().window as f64 / MSS as f64
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-3 * b.abs().max(1.0)
}

/// A change of c bytes/s on the link moves the window by c times the round trip.
#[test]
fn xcp_adds_the_change_times_the_round_trip() {
    let mut xcp = build("xcp", &[]);
    let change = |change| CongestionHeader::Change {
        rtt: RTT,
        spacing: 0.0,
        change,
    };
    // 7.5 segments in 100 ms, as in the first example of the specification.
    let step = 7.5 * MSS as f64 * EXPANSION / 0.1;
    hear(&mut xcp, at(0.1), change(step));
    assert!(near(window(&xcp), 17.5), "{}", window(&xcp));
    hear(&mut xcp, at(0.2), change(-step));
    assert!(near(window(&xcp), 10.0), "{}", window(&xcp));
    hear(&mut xcp, at(0.3), change(f64::INFINITY));
    assert!(near(window(&xcp), 10.0), "no router has spoken");
    hear(&mut xcp, at(0.4), change(-100.0 * step));
    assert_eq!(xcp.limits().window, MSS, "at least one segment");
}

#[test]
fn xcp_reports_its_round_trip_its_spacing_and_its_demand() {
    // 10 segments in 100 ms fill 1.2 Mbit/s; it wants 2.4 Mbit/s: 10 segments more, one for each packet.
    let rate = 2.0 * 10.0 * MSS as f64 * EXPANSION * 8.0 / 0.1;
    let mut xcp = build("xcp", &[("demand", &format!("{rate} bit/s"))]);
    let first = announced(&mut xcp);
    assert_eq!(first.rtt(), None, "no sample so far");
    let nothing = CongestionHeader::Change {
        rtt: Span::ZERO,
        spacing: 0.0,
        change: 0.0,
    };
    hear(&mut xcp, at(0.1), nothing);
    let CongestionHeader::Change {
        rtt,
        spacing,
        change,
    } = announced(&mut xcp)
    else {
        panic!("another layout");
    };
    assert_eq!(rtt, RTT);
    assert!(near(spacing, 0.01));
    assert!(near(change, MSS as f64 * EXPANSION / 0.1), "{change}");
    let mut greedy = build("xcp", &[]);
    hear(&mut greedy, at(0.1), nothing);
    assert!(matches!(
        announced(&mut greedy),
        CongestionHeader::Change {
            change: f64::INFINITY,
            ..
        }
    ));
}

#[test]
fn rcp_paces_at_the_granted_rate() {
    let mut rcp = build("rcp", &[]);
    assert_eq!(rcp.limits().pacing, None);
    let rate = 1e6;
    hear(&mut rcp, at(0.1), CongestionHeader::Rate { rtt: RTT, rate });
    let payload = rate / EXPANSION;
    assert_eq!(rcp.limits().pacing, Some(Rate((payload * 8.0) as u64)));
    // One segment beyond what the rate fills in a round trip.
    assert!(near(window(&rcp), payload * 0.1 / MSS as f64 + 1.0));
}

/// Down at once; up by 0.1 / cwnd of the difference, but at once before the first congestion.
#[test]
fn acp_goes_down_at_once_and_up_by_its_gain() {
    let mut acp = build("acp", &[]);
    let target = |packets: f64, congested| CongestionHeader::Target {
        rtt: RTT,
        rate: packets * MSS as f64 * EXPANSION / 0.1,
        congested,
    };
    hear(&mut acp, at(0.1), target(40.0, false));
    assert!(near(window(&acp), 40.0), "{}", window(&acp));
    hear(&mut acp, at(0.2), target(20.0, true));
    assert!(near(window(&acp), 20.0));
    hear(&mut acp, at(0.3), target(60.0, false));
    assert!(
        near(window(&acp), 20.0 + 0.1 / 20.0 * 40.0),
        "{}",
        window(&acp)
    );
}

/// Equation (1): after n acknowledgements target - (target - cwnd) (1 - a)^n.
#[test]
fn iacp_approaches_its_target_geometrically() {
    let mut iacp = build("iacp", &[]);
    for n in 0..100 {
        let header = CongestionHeader::Window {
            rtt: RTT,
            cwnd: 10.0,
            window: 50.0,
        };
        hear(&mut iacp, at(0.1 + 0.001 * f64::from(n)), header);
    }
    let expected = 50.0 - 40.0 * libm::pow(1.0 - 0.012, 100.0);
    assert!(
        near(window(&iacp), expected),
        "{} {expected}",
        window(&iacp)
    );
    let CongestionHeader::Window { cwnd, .. } = announced(&mut iacp) else {
        panic!("another layout");
    };
    assert!(near(cwnd, expected));
}

#[test]
fn what_the_network_owns_survives_a_loss_or_is_halved() {
    for cause in [Cause::Loss, Cause::Timeout] {
        let mut keeps = build("iacp", &[]);
        lose(&mut keeps, cause);
        assert!(near(window(&keeps), 10.0));
        let mut halves = build("iacp", &[("loss", "halve")]);
        lose(&mut halves, cause);
        let left = if cause == Cause::Loss { 5.0 } else { 1.0 };
        assert!(near(window(&halves), left));
    }
}

/// With accelerates only the window doubles in a round trip, and grows by one segment besides; with brakes only
/// it falls to nothing but what the additive part gives back.
#[test]
fn abc_doubles_on_accelerates_and_empties_on_brakes() {
    let (len, none) = (MSS as u32, 0);
    let echo = |ect1, ect0, ce| CongestionHeader::Codepoints { ect1, ect0, ce };
    let grown = |options: &[(&str, &str)], header| {
        let mut abc = build("abc", options);
        for n in 0..10 {
            hear(&mut abc, at(0.1 + 0.001 * f64::from(n)), header);
        }
        abc.inspect().values[0].1 / MSS as f64
    };
    // Each of ten acknowledgements adds 1 + 1/w with w from 10 to 20: between 10.5 and 11.
    let doubled = grown(&[], echo(len, none, none));
    assert!((20.5..21.0).contains(&doubled), "{doubled}");
    let emptied = grown(&[], echo(none, len, none));
    assert!((1.0..4.0).contains(&emptied), "{emptied}");
    // In the paper CE says neither; in the code it is a brake.
    assert!(near(grown(&[], echo(none, none, len)), 10.0));
    let coded = grown(&[("variant", "code")], echo(none, none, len));
    assert!(near(coded, emptied));
    // Half of each: one segment in a round trip.
    let even = grown(&[], echo(len, len, none));
    assert!((10.9..11.1).contains(&even), "{even}");
}

#[test]
fn abc_follows_its_second_window_where_losses_are() {
    let mut abc = build("abc", &[]);
    lose(&mut abc, Cause::Loss);
    assert!(near(window(&abc), 5.0));
    let mut alone = build("abc", &[("dual_window", "false")]);
    lose(&mut alone, Cause::Loss);
    assert!(near(window(&alone), 10.0));
}

/// With a round trip of half of t_ρ: low load multiplies by √1.0625 in a round trip, high load adds a quarter
/// of a segment, overload leaves 7/8 and rests for 200 ms and 100 ms more without another decrease.
#[test]
fn vcp_follows_its_two_bits() {
    let (len, none) = (MSS as u32, 0);
    let echo = |ect1, ect0, ce| CongestionHeader::Codepoints { ect1, ect0, ce };
    let (low, high, over) = (
        echo(len, none, none),
        echo(none, len, none),
        echo(none, none, len),
    );
    let rounds = |header| {
        let mut vcp = build("vcp", &[]);
        for n in 0..10 {
            hear(&mut vcp, at(0.1 + 0.001 * f64::from(n)), header);
        }
        window(&vcp)
    };
    assert!(near(rounds(low), 10.0 + 10.0 * (libm::sqrt(1.0625) - 1.0)));
    assert!(near(rounds(high), 10.0 + 0.25), "{}", rounds(high));
    let mut vcp = build("vcp", &[]);
    hear(&mut vcp, at(1.0), over);
    assert!(near(window(&vcp), 8.75));
    hear(&mut vcp, at(1.19), over);
    assert!(near(window(&vcp), 8.75), "it rests");
    hear(&mut vcp, at(1.29), over);
    assert!(window(&vcp) > 8.75, "additive increase");
    hear(&mut vcp, at(1.31), over);
    assert!(window(&vcp) < 8.75, "the next decrease");
}

#[test]
fn codepoints_and_headers_fit_the_layout() {
    for row in CONTROLLERS {
        let mut controller = build(row.id, &[]);
        let Some(layout) = controller.congestion_header() else {
            continue;
        };
        assert_eq!(
            layout.reports_codepoints(),
            layout.bytes() == 0,
            "{}",
            row.id
        );
        match layout.reports_codepoints() {
            true => assert_eq!(controller.ecn(), Ecn::Ect1, "{}", row.id),
            false => assert_eq!(
                announced(&mut controller).bytes(),
                layout.bytes(),
                "{}",
                row.id
            ),
        }
    }
}

/// An acknowledgement of a sender whose round trip is so long, and which filled its window or not.
fn acknowledge_after(
    controller: &mut AnyController,
    srtt: Span,
    cwnd_limited: bool,
    header: CongestionHeader,
) {
    let packets = controller.limits().window / MSS;
    let feedback = Feedback::Congestion(header);
    controller.on_ack(&Ack {
        acked: MSS,
        advanced: MSS,
        acked_segments: 1,
        rtt: Some(srtt),
        srtt,
        cwnd_limited,
        feedback: Some(&feedback),
        ..quiet_ack(at(9.0), packets * MSS)
    });
}

/// A sender whose window was not full takes no increase, but every decrease.
#[test]
fn xcp_takes_no_increase_while_its_window_is_not_full() {
    let step = 4.0 * MSS as f64 * EXPANSION / 0.1;
    let grown = |limited, sign: f64| {
        let mut xcp = build("xcp", &[]);
        let header = CongestionHeader::Change {
            rtt: RTT,
            spacing: 0.0,
            change: sign * step,
        };
        acknowledge_after(&mut xcp, RTT, limited, header);
        window(&xcp)
    };
    assert!(near(grown(true, 1.0), 14.0));
    assert!(near(grown(false, 1.0), 10.0));
    assert!(near(grown(true, -1.0), 6.0) && near(grown(false, -1.0), 6.0));
}

/// A round trip of 5 s is believed and reported as two, and a rate fills so much.
#[test]
fn a_round_trip_beyond_the_greatest_is_not_believed() {
    for (options, believed) in [
        (&[][..], 2),
        (&[("max_rtt", "3 s")], 3),
        (&[("max_rtt", "9 s")], 5),
    ] {
        let mut rcp = build("rcp", options);
        let rate = 1e5;
        let header = CongestionHeader::Rate { rtt: RTT, rate };
        acknowledge_after(&mut rcp, Span::secs(5), true, header);
        assert_eq!(announced(&mut rcp).rtt(), Some(Span::secs(believed)));
        let filled = rate / EXPANSION * believed as f64 / MSS as f64;
        assert!(near(window(&rcp), filled + 1.0), "{}", window(&rcp));
        let mut iacp = build("iacp", options);
        let header = CongestionHeader::Window {
            rtt: RTT,
            cwnd: 1.0,
            window: 10.0,
        };
        acknowledge_after(&mut iacp, Span::secs(5), true, header);
        assert_eq!(announced(&mut iacp).rtt(), Some(Span::secs(believed)));
    }
}

/// A lower rate shrinks RCP's window at once. After an idle time it begins again with its first window and asks.
#[test]
fn rcp_shrinks_with_its_rate_and_begins_again_after_an_idle_time() {
    let mut rcp = build("rcp", &[]);
    for rate in [1e7, 1e5] {
        hear(&mut rcp, at(0.1), CongestionHeader::Rate { rtt: RTT, rate });
        assert!(near(
            window(&rcp),
            rate / EXPANSION * 0.1 / MSS as f64 + 1.0
        ));
    }
    hear(
        &mut rcp,
        at(0.2),
        CongestionHeader::Rate {
            rtt: RTT,
            rate: 1e7,
        },
    );
    rcp.on_idle(&Idle {
        now: at(9.0),
        window: MSS,
        threshold: 0,
    });
    assert!(near(window(&rcp), 10.0), "{}", window(&rcp));
    assert_eq!(rcp.limits().pacing, None);
}

/// A lower target of iACP lowers the window by the same share of the way.
#[test]
fn iacp_approaches_a_lower_target_from_above() {
    let mut iacp = build("iacp", &[("a", "0.1")]);
    for n in 0..20 {
        let header = CongestionHeader::Window {
            rtt: RTT,
            cwnd: 10.0,
            window: 2.0,
        };
        hear(&mut iacp, at(0.1 + 0.001 * f64::from(n)), header);
    }
    let expected = 2.0 + 8.0 * libm::pow(0.9, 20.0);
    assert!(near(window(&iacp), expected), "{}", window(&iacp));
}
