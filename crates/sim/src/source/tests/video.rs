//! The synthetic video.

use super::*;

pub(super) fn options(sigma: f64, gop: &'static str, phase: &'static str) -> Options {
    vec![
        rate(1_500_000),
        ("fps", Value::Number(30.0)),
        ("gop", Value::Choice(gop)),
        ("i_weight", Value::Number(5.0)),
        ("p_weight", Value::Number(2.2)),
        ("sigma", Value::Number(sigma)),
        ("scene", Value::Span(Span::secs(10))),
        ("scene_sigma", Value::Number(0.0)),
        ("phase", Value::Choice(phase)),
    ]
}

fn frames(
    sigma: f64,
    gop: &'static str,
    phase: &'static str,
    name: &str,
    count: usize,
) -> Vec<Demand> {
    let mut source = make("video", options(sigma, gop, phase)).expect("built");
    take(&mut source, Time::ZERO, &mut stream(name), count)
}

#[test]
fn without_spread_the_group_of_pictures_shows() {
    // Mean frame 1.5 Mbit/s / 8 / 30 = 6250 B. Weights of IBBPBBPBBPBB: 5 + 3·2.2 + 8 = 19.6, so
    // a B frame has 6250·12/19.6 = 3826.53 B, P 8418.37, I 19132.65.
    let (i, p, b) = (19133, 8418, 3827);
    let got = frames(0.0, "IBBPBBPBBPBB", "start", "f", 24);
    let sizes: Vec<u64> = got.iter().map(|demand| demand.bytes.0).collect();
    assert_eq!(sizes[..12], [i, b, b, p, b, b, p, b, b, p, b, b]);
    assert_eq!(sizes[..12], sizes[12..]);
    // Every pattern has the mean rate, but for half a byte of rounding in a frame.
    for gop in ["IBBPBBPBBPBB", "IBBPBBPBBPBBPBB", "IPPPPPPPPPPP", "I"] {
        let total: u64 = frames(0.0, gop, "start", "f", gop.len())
            .iter()
            .map(|d| d.bytes.0)
            .sum();
        let expected = 6250.0 * gop.len() as f64;
        assert!(
            (total as f64 - expected).abs() <= 0.5 * gop.len() as f64,
            "{gop}: {total}"
        );
    }
}

#[test]
fn frames_come_at_their_rate_without_drift() {
    let got = frames(0.3, "I", "start", "f", 108_001);
    assert_eq!(got[1].at, Time(33_333_333_333));
    assert_eq!(got[2].at, Time(66_666_666_667));
    assert_eq!(got[108_000].at, Time(3600 * PS_PER_S));
}

#[test]
fn sizes_are_lognormal_and_keep_their_mean() {
    let got = frames(0.3, "IBBPBBPBBPBB", "start", "f", 12 * 30_000);
    for (position, expected) in [(0, 19_132.65), (3, 8_418.37), (5, 3_826.53)] {
        let sizes: Vec<f64> = got
            .iter()
            .skip(position)
            .step_by(12)
            .map(|d| d.bytes.0 as f64)
            .collect();
        // Coefficient of variation √(exp(σ²) − 1) = 0.3069; standard error 0.3069/√30000 = 0.18 %.
        // Without the correction exp(−σ²/2) the mean would be 4.6 % too large.
        assert!((mean(&sizes).0 / expected - 1.0).abs() < 4.0 * 0.0018);
        let logs: Vec<f64> = sizes.iter().map(|size| (size / expected).ln()).collect();
        // Standard error of a standard deviation: 0.3/√60000 = 0.0012.
        assert!((variance(&logs).sqrt() - 0.3).abs() < 0.005);
        assert!((mean(&logs).0 + 0.045).abs() < 4.0 * 0.3 / 30_000.0_f64.sqrt());
    }
}

#[test]
fn groups_of_pictures_vary_and_are_correlated_by_scene() {
    // Weights 5, 3 · 2.2, 8 · 1 of 19.6 and frames with a coefficient of variation of 0.3069: a group has 0.1080 by itself, a scene
    // √(exp(0.35²) − 1) = 0.3610. Together (1 + 0.1080²)(1 + 0.3610²) − 1 = 0.1435 = 0.3789². Of that the scenes make
    // r = 0.1303/0.1435 = 0.908; with 25 groups to a scene the correlation of neighbours is 0.908 · 0.96 = 0.872,
    // and 25 groups apart 0.908 · 0.96^25 = 0.327.
    let mut options = options(0.3, "IBBPBBPBBPBB", "start");
    options.retain(|(name, _)| *name != "scene_sigma");
    options.push(("scene_sigma", Value::Number(0.35)));
    let mut source = make("video", options).expect("built");
    let got = take(&mut source, Time::ZERO, &mut stream("scenes"), 12 * 200_000);
    let groups: Vec<f64> = got
        .chunks(12)
        .map(|g| g.iter().map(|d| d.bytes.0 as f64).sum())
        .collect();
    let (middle, spread) = (mean(&groups).0, variance(&groups));
    // 8000 scenes: the mean has a standard error of 0.361 · √(2/8000) = 0.6 %, counted with the lengths of scenes.
    assert!((middle / 75_000.0 - 1.0).abs() < 0.025, "{middle}");
    assert!(
        (spread.sqrt() / middle - 0.3789).abs() < 0.02,
        "{}",
        spread.sqrt() / middle
    );
    let correlation = |lag: usize| {
        let pairs = groups.iter().zip(&groups[lag..]);
        let sum: f64 = pairs.map(|(a, b)| (a - middle) * (b - middle)).sum();
        sum / (groups.len() - lag) as f64 / spread
    };
    assert!((correlation(1) - 0.872).abs() < 0.02, "{}", correlation(1));
    assert!(
        (correlation(25) - 0.327).abs() < 0.06,
        "{}",
        correlation(25)
    );
}

#[test]
fn a_random_phase_begins_anywhere() {
    let mut begins = Vec::new();
    let mut types = 0;
    for i in 0..3000 {
        let first = frames(0.0, "IBBPBBPBBPBB", "random", &format!("f{i}"), 1)[0];
        begins.push(first.at.seconds());
        types += u32::from(first.bytes.0 == 19_133);
    }
    assert!(follows(begins, |x| (30.0 * x).clamp(0.0, 1.0)));
    // An I frame with probability 1/12: 250 ± 15.
    assert!((190..310).contains(&types), "{types}");
}

#[test]
fn frames_too_small_or_too_large_are_refused() {
    let with = |bit_s, fps| {
        let mut options = options(0.3, "I", "start");
        options[0] = rate(bit_s);
        options[1] = ("fps", Value::Number(fps));
        make("video", options)
    };
    assert!(with(64 * 8 * 30, 30.0).is_ok());
    assert_eq!(with(63 * 8 * 30, 30.0).expect_err("small").option, "rate");
    assert_eq!(
        with(800_000_000_000, 0.001).expect_err("large").option,
        "rate"
    );
}
