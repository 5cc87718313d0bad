//! Laws that the whole sender must keep: averages under periodic and random loss, utilisation of a
//! short buffer, HyStart++.

use backwater_transport::controller::CONTROLLERS;
use backwater_transport::endpoint::{EcnFeedback, Receiver, Recovery, Sender};
use backwater_transport::random::Random;
use backwater_transport::units::Span;
use backwater_transport_testing::loopback::{Fate, Loopback, MSS, Path, ms, stream};

/// A path that never queues to speak of, so that the round trip is constant.
fn wide(rtt_ms: u64) -> Path {
    Path::new(100_000, rtt_ms, 1_000_000)
}

/// A flow of which segment `first` and every n-th after it is lost.
fn periodic(id: &str, options: &[(&'static str, &str)], first: u64, n: u64) -> Loopback {
    let mut net = stream(wide(100), id, options, |_, _| {});
    net.script = Box::new(move |s| {
        let place = s.start / MSS;
        let hit = !s.again && place >= first && (place - first).is_multiple_of(n);
        if hit { Fate::Drop } else { Fate::Pass }
    });
    net.sender.write(u64::MAX);
    net
}

/// The mean window in segments, without the first fifth of the time.
fn mean(mut net: Loopback, secs: u64) -> f64 {
    net.sender.write(u64::MAX);
    net.area_from = ms(secs * 200);
    net.run(ms(secs * 1000));
    assert_eq!(net.sender.counters().timeouts, 0);
    net.mean_window()
}

/// Mathis, Semke, Mahdavi, Ott: √(3/2p) segments, ± 2 %.
#[test]
fn reno_under_periodic_loss_keeps_to_mathis() {
    for n in [10_000, 40_000] {
        let expected = (1.5 * n as f64).sqrt();
        for id in ["reno", "newreno"] {
            let ours = mean(periodic(id, &[], n, n), 400);
            assert!(
                (ours / expected - 1.0).abs() < 0.02,
                "{id} 1/{n}: {ours} {expected}"
            );
        }
    }
    // At 1/1000 the fluid's 38.73 leaves out that windows are whole and that recovery takes a round.
    // W/2 + (W/2 + 1) + … + (W − 1) + W/2 = 1000 in W/2 + 1 rounds: W = 51.3, mean 37.52.
    let ours = mean(periodic("reno", &[], 1_000, 1_000), 400);
    assert!((ours / 37.52 - 1.0).abs() < 0.02, "{ours}");
}

/// CUBIC without fast convergence as a fluid, from a first peak: the mean window like `mean`. Near its
/// fixed point a peak repeats almost itself, because the cubic is flat there, so the first one
/// stays visible for hundreds of losses.
fn fluid(mut peak: f64, n: f64, secs: f64) -> f64 {
    let (c, beta, rtt, step) = (0.4_f64, 0.7, 0.1, 1e-3);
    let (mut time, mut area) = (0.0, 0.0);
    while time < secs {
        let k = ((1.0 - beta) * peak / c).cbrt();
        let (mut window, mut sent, mut t) = (beta * peak, 0.0, 0.0);
        while sent < n {
            window = c * (t - k) * (t - k) * (t - k) + peak;
            sent += window * step / rtt;
            t += step;
            time += step;
            if time > secs * 0.2 {
                area += window * step;
            }
        }
        peak = window;
    }
    area / (secs * 0.8)
}

/// Average windows of RFC 9438 (table of section 5.1: RTT 0.1 s), ± 5 %. The table is the fixed
/// point, a peak of 4/(3+β) of the mean, so the first loss comes when the window is there:
/// the window is ten more than what was acknowledged.
#[test]
fn cubic_under_periodic_loss_keeps_to_the_table() {
    let options = [("fast_convergence", "false")];
    for (n, secs, expected) in [(10_000, 300, 187.0), (100_000, 100, 1054.0)] {
        let peak = expected * 4.0 / 3.7;
        let first = peak as u64 - 10;
        let ours = mean(periodic("cubic", &options, first, n), secs);
        assert!(
            (ours / expected - 1.0).abs() < 0.05,
            "1/{n}: {ours} {expected}"
        );
    }
    // From other peaks as the fluid goes.
    for peak in [150_u64, 300] {
        let ours = mean(periodic("cubic", &options, peak - 10, 10_000), 300);
        let expected = fluid(peak as f64, 1e4, 300.0);
        assert!(
            (ours / expected - 1.0).abs() < 0.05,
            "{peak}: {ours} {expected}"
        );
    }
    // At 1/1000 CUBIC is in its Reno-friendly region: the table has 38 for both.
    let ours = mean(periodic("cubic", &[], 1_000, 1_000), 300);
    assert!((ours / 38.0 - 1.0).abs() < 0.05, "{ours}");
}

/// Independent losses, at most one halving for each of them: 1.3092 / √p in the mean over time,
/// ± 10 %.
#[test]
fn reno_under_independent_loss() {
    let p = 1e-3;
    let mut net = stream(wide(100), "reno", &[], |_, _| {});
    let mut random = Random::stream(1, "test", "loss");
    net.script = Box::new(move |s| {
        if !s.again && random.unit() < p {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    let ours = mean(net, 1_500);
    let expected = 1.3092 / p.sqrt();
    assert!((ours / expected - 1.0).abs() < 0.1, "{ours} {expected}");
}

/// One Reno flow over a drop-tail buffer of f times the path: ¾(1+f)²/(1+f+f²) of the rate.
#[test]
fn the_utilisation_of_a_short_buffer() {
    // 100 segments on the path.
    for (buffer, f) in [(1, 0.0), (25, 0.25), (50, 0.5), (100, 1.0)] {
        let mut net = stream(Path::new(8, 100, buffer), "reno", &[], |_, _| {});
        net.sender.write(u64::MAX);
        net.run(ms(60_000));
        let before = net.receiver.delivered();
        net.run(ms(260_000));
        let used = (net.receiver.delivered() - before) as f64 / 200e6;
        let expected = 0.75 * (1.0 + f) * (1.0 + f) / (1.0 + f + f * f);
        assert!((used - expected).abs() < 0.02, "{f}: {used} {expected}");
    }
}

/// HyStart++ leaves slow start before the buffer overflows; without it much of the last round is lost.
#[test]
fn hystart_leaves_before_the_buffer_is_full() {
    let run = |choice| {
        // 250 segments on the path and 1800 in the buffer. The round of 640 is the first that queues
        // from its beginning, so growth slows there and ends at 650 · 1.25⁵ = 1984 at most.
        let mut net = stream(
            Path::new(20, 100, 1800),
            "cubic",
            &[("slow_start", choice)],
            |_, _| {},
        );
        net.sender.write(u64::MAX);
        net.run(ms(8_000));
        net
    };
    let plain = run("standard");
    assert!(plain.drops > 100, "{}", plain.drops);
    let hystart = run("hystart");
    assert_eq!(hystart.drops, 0);
    assert!(
        hystart.sender.inspect().controller.ssthresh.is_some(),
        "left slow start"
    );
    // It loses speed, but must still fill the path.
    assert!(hystart.receiver.delivered() > plain.receiver.delivered() * 8 / 10);
}

/// RFC 8511: at a mark Reno keeps 0.8 of the flight and CUBIC 0.85; at a loss 0.5 and 0.7.
#[test]
fn alternative_back_off_is_for_marks_only() {
    let threshold = |id, abe, fate| {
        let mut net = stream(wide(100), id, &[("abe", abe)], |s, r| {
            s.ecn = EcnFeedback::Classic;
            r.ecn = EcnFeedback::Classic;
            s.recovery = Recovery::Rack;
        });
        net.script = Box::new(move |s| {
            if s.start == 100 * MSS && !s.again {
                fate
            } else {
                Fate::Pass
            }
        });
        net.sender.write(u64::MAX);
        net.run(ms(800));
        net.sender.inspect().controller.ssthresh.expect("reduced") as f64
    };
    for (id, at_mark, at_loss) in [("reno", 0.8 / 0.5, 0.5), ("cubic", 0.85 / 0.7, 0.7)] {
        let ratio = threshold(id, "true", Fate::Mark) / threshold(id, "false", Fate::Mark);
        assert!((ratio - at_mark).abs() < 0.02, "{id} {ratio}");
        let ratio = threshold(id, "true", Fate::Drop) / threshold(id, "false", Fate::Drop);
        assert!((ratio - 1.0).abs() < 1e-9, "{id} {at_loss}");
    }
}

/// All controllers × random loss, repetition and reordering × recoveries: everything arrives, in
/// order, once, and nothing of a window goes below a segment or to infinity.
#[test]
fn everything_arrives_whatever_the_path_does() {
    // One of RDMA has a transport of its own: `queue_pairs.rs`.
    let of_streams = CONTROLLERS.iter().filter(|part| {
        ![
            "qcn", "dcqcn", "hpcc", "timely", "powertcp", "swift", "nscc",
        ]
        .contains(&part.id)
    });
    for (n, part) in of_streams.enumerate() {
        for recovery in [Recovery::NewReno, Recovery::Sack, Recovery::Rack] {
            for (loss, late, twice) in [(0.0, 0.1, 0.0), (0.02, 0.0, 0.02), (0.1, 0.1, 0.05)] {
                let mut net = stream(Path::new(10, 30, 40), part.id, &[], |s, _| {
                    s.recovery = recovery;
                    s.rto_min = Span::millis(200);
                });
                let mut random = Random::stream(n as u64, "test", "path");
                net.script = Box::new(move |_| {
                    let u = random.unit();
                    if u < loss {
                        Fate::Drop
                    } else if u < loss + late {
                        Fate::Late(Span::micros(random.between(100, 30_000)))
                    } else if u < loss + late + twice {
                        Fate::Twice
                    } else {
                        Fate::Pass
                    }
                });
                let mut acks = Random::stream(n as u64, "test", "acks");
                net.ack_script = Box::new(move |_| acks.unit() > loss);
                let bytes = 300 * MSS + 17;
                net.sender.write(bytes);
                let mut end = 0;
                while net.sender.counters().acked < bytes && end < 600_000 {
                    end += 1_000;
                    net.run(ms(end));
                    let i = net.sender.inspect();
                    assert!(i.window < 1 << 50, "{} {recovery:?}", part.id);
                    assert!(
                        i.controller.values.iter().all(|v| v.1.is_finite()),
                        "{}",
                        part.id
                    );
                }
                let what = format!("{} {recovery:?} {loss} {late} {twice}", part.id);
                assert_eq!(
                    net.receiver.delivered(),
                    bytes,
                    "{what} {:?}",
                    net.sender.counters()
                );
                assert_eq!(net.sender.counters().acked, bytes, "{what}");
                assert_eq!(net.sender.inspect().in_flight, 0, "{what}");
            }
        }
    }
}
