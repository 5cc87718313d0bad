//! Marks, aggregation, and what windows and filters allow.

use super::*;

#[test]
fn linux_answers_marks_on_short_paths_only() {
    // A threshold of 10 packets behind a BDP of 80 at 4 ms: marks cut Linux' flight, not the draft's,
    // and none at 40 ms.
    let probe = |id: &str, rtt_ms: u64| {
        let mut net = path_of(id, &[], 20_000, rtt_ms, 1_000_000);
        net.mark = Some(10 * MSS);
        net.run(at(1.0));
        let (mut above, mut n) = (0.0, 0.0);
        net.watch(at(4.0), |net| {
            above += f64::from(u8::from(net.queued() > 10 * MSS));
            n += 1.0;
        });
        (above / n, view(&net))
    };
    let (linux, marked) = probe("bbr3-linux", 4);
    let (draft, unmarked) = probe("bbr3", 4);
    let (_, far) = probe("bbr3-linux", 40);
    assert!(linux < draft, "{linux} {draft}");
    assert!(marked.ecn_alpha < 1.0 && marked.inflight_longterm.is_finite());
    assert!(unmarked.inflight_longterm.is_infinite());
    assert!(far.ecn_alpha == 1.0 && far.inflight_longterm.is_infinite());
}

#[test]
fn aggregation_is_allowed_for_up_to_its_cap() {
    // Acknowledgements every 50 ms, 100 packets at once: far more than 10 ms of 2000 packets/s, 20.
    let extra = |options: &[(&str, &str)]| {
        let mut net = path_of("bbr3", options, 2000, 40, 1_000_000);
        reach(&mut net, State::Cruise, 5.0);
        net.aggregate = Span::millis(50);
        net.run(at(net.now.seconds() + 1.0));
        view(&net).extra_acked / MSS as f64
    };
    assert!(extra(&[]) > 40.0);
    let capped = extra(&[("extra-acked-cap", "10 ms")]);
    // The estimate itself may be a batch of a round too high.
    assert!((19.0..=27.0).contains(&capped), "{capped}");
}

/// Nothing is ever dropped here, so only the window holds the queue: two BDP, 2.25 and two segments
/// in ProbeBW_UP, and what a link without aggregation shows of it, the segment in service and the one
/// acknowledged. BBRv1 has two, three bursts of two segments and two segments when it probes, rounded up
/// to an even number.
#[test]
fn an_endless_queue_holds_no_more_than_the_window_gain_allows() {
    let (bdp, one) = (80.0, 2.0);
    for (id, most) in [
        ("bbr1", 2.0 * bdp + 6.0 + 2.0 + 1.0),
        ("bbr3", 2.25 * bdp + 2.0),
        ("bbr3-linux", 2.25 * bdp + 2.0),
    ] {
        let mut net = path_of(id, &[], 2000, 40, 1 << 40);
        net.run(at(5.0));
        let mut greatest = 0;
        net.watch(at(60.0), |net| {
            greatest = greatest.max(net.flows[0].in_flight / MSS);
        });
        // The estimate of the rate may be a segment in a round trip too high, as may the round trip.
        assert!(
            greatest as f64 <= most + 2.0 * one + 2.0,
            "{id}: {greatest}"
        );
        assert!(greatest as f64 > 1.2 * bdp, "{id}: {greatest}");
    }
}

/// A cycle of ProbeBW takes two seconds of waiting, then a round of REFILL, four of UP (the baseline
/// and three without growth) and one of DOWN before the filter moves on: 5.6 s at 600 ms. ProbeRTT
/// comes after 5 s and begins the cycle anew, and the filter does not move after it, because its
/// samples count as limited by the application. So the rate of long ago stays for ever. Where it is
/// more than twice that of now, half a BDP of it drains no queue, and each ProbeRTT finds a longer
/// "least" round trip: there is no end to it.
#[test]
fn where_probe_rtt_cuts_each_cycle_short_the_rate_is_never_forgotten() {
    let after_a_fall_to = |packets: u64, options: &[(&str, &str)]| {
        let mut net = path_of("bbr3", options, 2000, 600, 1 << 40);
        net.run(at(20.0));
        net.rate = rate(packets);
        net.run(at(100.0));
        view(&net)
    };
    let is = |bw: f64, expected: f64| (packets(bw) / expected - 1.0).abs() < 0.05;
    let fifth = after_a_fall_to(400, &[]);
    assert!(is(fifth.max_bw, 2000.0), "{fifth:?}");
    assert!(fifth.min_rtt > Span::secs(5), "{fifth:?}");
    let half = after_a_fall_to(1000, &[]);
    assert!(is(half.max_bw, 2000.0), "{half:?}");
    let half = after_a_fall_to(1000, &[("probe-rtt-ends-cycle", "true")]);
    assert!(is(half.max_bw, 1000.0), "{half:?}");
    assert!(half.min_rtt < Span::millis(700), "{half:?}");
}
