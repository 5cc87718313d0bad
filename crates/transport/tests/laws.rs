//! Laws that the whole sender must keep: averages under periodic and random loss, utilisation of a
//! short buffer, HyStart++.

mod support;

use backwater_transport::controller::CONTROLLERS;
use backwater_transport::endpoint::{EcnFeedback, Recovery};
use backwater_transport::random::Random;
use backwater_transport::units::Span;
use support::{Fate, Loopback, MSS, Path, ms, stream};

/// A path that never queues to speak of, so that the round trip is constant.
fn wide(rtt_ms: u64) -> Path {
    Path::new(100_000, rtt_ms, 1_000_000)
}

/// The mean window in segments when every n-th new segment is lost.
fn periodic(id: &str, options: &[(&'static str, &str)], n: u64, rtt_ms: u64, secs: u64) -> f64 {
    let mut net = stream(wide(rtt_ms), id, options, |_, _| {});
    net.script = Box::new(move |s| {
        if !s.again && (s.start / MSS) % n == n - 1 {
            Fate::Drop
        } else {
            Fate::Pass
        }
    });
    mean(net, secs)
}

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
    for (n, secs) in [(1_000, 1_000), (10_000, 3_000)] {
        let expected = (1.5 * n as f64).sqrt();
        for id in ["reno", "newreno"] {
            let ours = periodic(id, &[], n, 100, secs);
            assert!(
                (ours / expected - 1.0).abs() < 0.02,
                "{id} 1/{n}: {ours} {expected}"
            );
        }
    }
}

/// Average windows of RFC 9438 (table of section 5.1: RTT 0.1 s), ± 5 %.
#[test]
fn cubic_under_periodic_loss_keeps_to_the_table() {
    for (n, secs, expected) in [(10_000, 2_000, 187.0), (100_000, 2_000, 1054.0)] {
        let ours = periodic("cubic", &[], n, 100, secs);
        assert!(
            (ours / expected - 1.0).abs() < 0.05,
            "1/{n}: {ours} {expected}"
        );
    }
    // At 1/1000 the table gives Reno's 38: CUBIC is in its Reno-friendly region.
    let ours = periodic("cubic", &[], 1_000, 100, 1_000);
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
    let ours = mean(net, 4_000);
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
        net.run(ms(400_000));
        let used = (net.receiver.delivered() - before) as f64 / 340e6;
        let expected = 0.75 * (1.0 + f) * (1.0 + f) / (1.0 + f + f * f);
        assert!((used - expected).abs() < 0.02, "{f}: {used} {expected}");
    }
}

/// HyStart++ leaves slow start before the buffer overflows; without it half of the segments of the
/// last round are lost.
#[test]
fn hystart_leaves_before_the_buffer_is_full() {
    let run = |choice| {
        // 250 segments on the path and 250 in the buffer.
        let mut net = stream(
            Path::new(20, 100, 250),
            "cubic",
            &[("slow_start", choice)],
            |_, _| {},
        );
        net.sender.write(u64::MAX);
        net.run(ms(3_000));
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
    // What it loses in speed: it must still fill the path.
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
    for (n, part) in CONTROLLERS.iter().enumerate() {
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
