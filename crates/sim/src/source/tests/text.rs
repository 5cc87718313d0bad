//! Traces as text: CSV and video frame sizes.

use proptest::prelude::*;

use super::*;

pub(super) fn replay(content: &[u8], format: &'static str, scale: f64) -> Options {
    vec![
        file(content),
        ("format", Value::Choice(format)),
        ("scale", Value::Number(scale)),
    ]
}

pub(super) fn frames(content: &[u8], repeat: bool, phase: &'static str) -> Options {
    vec![
        file(content),
        ("unit", Value::Choice("B")),
        ("fps", Value::Number(25.0)),
        ("repeat", Value::Flag(repeat)),
        ("phase", Value::Choice(phase)),
    ]
}

/// (picoseconds, bytes) of each demand, from a start at zero.
pub(super) fn all(source: Result<AnySource, Refusal>) -> Vec<(u64, u64)> {
    let got = take(
        &mut source.expect("built"),
        Time::ZERO,
        &mut stream("all"),
        1000,
    );
    got.iter()
        .map(|demand| (demand.at.0, demand.bytes.0))
        .collect()
}

fn csv(text: &str) -> Result<AnySource, Refusal> {
    make("replay", replay(text.as_bytes(), "auto", 1.0))
}

#[test]
fn csv_times_are_exact_and_count_from_the_first_packet() {
    let text = "\u{feff}# a comment\r\ntime_s,size_B\r\n1700000000.000000000001,40\r\n\r\n\
                1700000000.1,1500.0\r\n1.7000000005e9,9e3\r\n";
    assert_eq!(
        all(csv(text)),
        [(0, 40), (99_999_999_999, 1500), (499_999_999_999, 9000)]
    );
    for (header, ps, bytes) in [
        ("time (ms),size (kB)", 2_500_000_000, 1500),
        ("time [us] , size [KiB]", 2_500_000, 1536),
        ("time_ns,size_MB", 2_500, 1_500_000),
    ] {
        assert_eq!(
            all(csv(&format!("{header}\n0,1.5\n2.5,1.5"))),
            [(0, bytes), (ps, bytes)]
        );
    }
    // To the nearest tick, half a tick up.
    let fine = "time_ns,size_B\n1e-100,1\n0.000499,1\n0.0005,1\n";
    assert_eq!(all(csv(fine)), [(0, 1), (0, 1), (1, 1)]);
}

#[test]
fn scale_stretches_time() {
    let text = b"time_s,size_B\n5,1\n7,2\n7,3\n";
    let scaled = |scale| all(make("replay", replay(text, "csv", scale)));
    assert_eq!(scaled(0.5), [(0, 1), (PS_PER_S, 2), (PS_PER_S, 3)]);
    assert_eq!(scaled(3.0), [(0, 1), (6 * PS_PER_S, 2), (6 * PS_PER_S, 3)]);
    let mut source = csv("time_s,size_B\n5,1\n7,2\n").expect("built");
    let got = take(&mut source, Time(9), &mut stream("late"), 10);
    assert_eq!((got[0].at, got[1].at), (Time(9), Time(9 + 2 * PS_PER_S)));
}

#[test]
fn malformed_csv_is_refused_with_line_and_reason() {
    let long = format!("time_s,size_B\n0,1\n{}\n", "1".repeat(1_000_000));
    let digits = format!("time_s,size_B\n{},1\n", "1".repeat(40));
    for (text, place, reason) in [
        ("", "trace: ", "empty"),
        ("\n# nothing\n", "trace: ", "empty"),
        ("time_s,size_B\n", "trace: ", "no packets"),
        ("time,size\n0,1\n", "line 1: ", "time_s"),
        ("0,1\n", "line 1: ", "time_s"),
        ("time_s,size_KB\n0,1\n", "line 1: ", "size_kB"),
        ("time_s;size_B\n", "line 1: ", "two columns"),
        ("time_s,size_B,x\n", "line 1: ", "two columns"),
        (
            "time_s,size_B\n0,1\n1,2\n0.5,1\n",
            "line 4: ",
            "0.5 s before",
        ),
        (
            "time_s,size_B\n0,1\n-1,1\n",
            "line 3: ",
            "\"-1\" is negative",
        ),
        ("time_s,size_B\n0,-5\n", "line 2: ", "\"-5\" is negative"),
        ("time_s,size_B\n0,0\n", "line 2: ", "a packet of 0 B"),
        (
            "time_s,size_B\n0,1e10\n",
            "line 2: ",
            "a packet of 10000000000 B",
        ),
        ("time_s,size_B\n0,1e40\n", "line 2: ", "whole number"),
        ("time_s,size_B\n0,1.5\n", "line 2: ", "whole number"),
        ("time_s,size_B\n0,1e-50\n", "line 2: ", "whole number"),
        (
            "time_s,size_B\nNaN,1\n",
            "line 2: ",
            "\"NaN\" is not a number",
        ),
        (
            "time_s,size_B\n0,inf\n",
            "line 2: ",
            "\"inf\" is not a number",
        ),
        ("time_s,size_B\n0,\n", "line 2: ", "\"\" is not a number"),
        ("time_s,size_B\n.,1\n", "line 2: ", "is not a number"),
        ("time_s,size_B\n1e,1\n", "line 2: ", "is not a number"),
        ("time_s,size_B\n1e99999,1\n", "line 2: ", "is not a number"),
        ("time_s,size_B\n1e60,1\n", "line 2: ", "too large"),
        (
            "time_s,size_B\n0,1\n1 h,1\n",
            "line 3: ",
            "\"1 h\" is not a number",
        ),
        ("time_s,size_B\n0,1,2\n", "line 2: ", "two columns"),
        (
            "time_s,size_B\n0,1\nhello\n",
            "line 3: ",
            "\"hello\" is not two columns",
        ),
        ("time_s,size_B\n0,1\n2e7,1\n", "line 3: ", "213 days"),
        (&digits, "line 2: ", "36 digits"),
        (&long, "line 3: ", "1000000 bytes"),
    ] {
        let refusal = csv(text).expect_err(text);
        assert_eq!(refusal.option, "file");
        let what = refusal.what;
        assert!(
            what.contains(place) && what.contains(reason) && what.len() < 300,
            "{text:.80}: {what}"
        );
    }
    // A time with leading zeros, so that the line has this many bytes.
    let wide = |width: usize| csv(&format!("time_s,size_B\n{:01$},1\n", 0, width - 2));
    assert!(wide(1000).is_ok());
    assert!(
        wide(1001)
            .expect_err("long")
            .what
            .contains("no line has more than 1000")
    );
    let refusal =
        make("replay", replay(b"time_s,size_B\n\xff,1\n", "auto", 1.0)).expect_err("binary");
    assert!(
        refusal.what.contains("line 2") && refusal.what.contains("UTF-8"),
        "{}",
        refusal.what
    );
}

#[test]
fn frame_sizes_are_read_from_one_column_or_four() {
    let one = b"# sizes\n 600\n0\n\n250\n";
    // 25 frames per second: 40 ms each. The empty second frame makes no demand.
    let expected = [(0, 600), (80_000_000_000, 250)];
    assert_eq!(
        all(make("video-trace", frames(one, false, "start"))),
        expected
    );
    let four = b"1\tI\t0\t600\n2 P 120 0\n3 B 40.0 250\n";
    assert_eq!(
        all(make("video-trace", frames(four, false, "start"))),
        expected
    );
    let mut bits = frames(b"4793\n8\n", false, "start");
    bits[1] = ("unit", Value::Choice("bit"));
    assert_eq!(
        all(make("video-trace", bits)),
        [(0, 600), (40_000_000_000, 1)]
    );
}

#[test]
fn a_repeated_video_goes_round() {
    let got = all(make("video-trace", frames(b"600\n0\n250\n", true, "start")));
    assert_eq!(got.len(), 1000);
    assert_eq!(got[2..4], [(120_000_000_000, 600), (200_000_000_000, 250)]);
    // A random phase begins at any frame, and goes on in the order of the trace.
    let random = make("video-trace", frames(b"1\n2\n3\n", true, "random")).expect("built");
    let mut firsts = [0; 3];
    for i in 0..300 {
        let got = take(
            &mut random.clone(),
            Time::ZERO,
            &mut stream(&format!("v{i}")),
            4,
        );
        let first = got[0].bytes.0;
        firsts[first as usize - 1] += 1;
        assert!(got[0].at <= Time(40_000_000_000));
        assert!(
            got.iter()
                .enumerate()
                .all(|(n, d)| d.bytes.0 == (first - 1 + n as u64) % 3 + 1)
        );
    }
    // 100 each, give or take 8.2.
    assert!(
        firsts.iter().all(|count| (67..133).contains(count)),
        "{firsts:?}"
    );
    let refusal = make("video-trace", frames(b"1\n", false, "random")).expect_err("refused");
    assert_eq!(refusal.option, "phase");
}

#[test]
fn malformed_frame_traces_are_refused_with_line_and_reason() {
    let long = "9".repeat(1_000_000);
    for (text, place, reason) in [
        ("", "trace: ", "no frames"),
        ("# only this\n", "trace: ", "no frames"),
        ("0\n0\n", "trace: ", "no frames"),
        ("12\nx\n", "line 2: ", "\"x\" is not a number"),
        ("12\n-3\n", "line 2: ", "negative"),
        ("12\nnan\n", "line 2: ", "not a number"),
        ("12\n1.5\n", "line 2: ", "whole"),
        ("12\n1000000001\n", "line 2: ", "1000000000 B at most"),
        ("12\n1 2\n", "line 2: ", "columns"),
        ("1 2\n", "line 1: ", "frame type time size"),
        (
            "1 I 0 100\n2 X 40 100\n",
            "line 2: ",
            "\"X\" is not I, P or B",
        ),
        ("1.5 I 0 100\n", "line 1: ", "frame: \"1.5\""),
        ("1 I - 100\n", "line 1: ", "time: \"-\""),
        ("1 I 0 100\n2 P 40 100 7\n", "line 2: ", "columns"),
        (&long, "line 1: ", "1000000 bytes"),
    ] {
        let refusal = make("video-trace", frames(text.as_bytes(), true, "start")).expect_err(text);
        assert_eq!(refusal.option, "file");
        let what = refusal.what;
        assert!(
            what.contains(place) && what.contains(reason) && what.len() < 300,
            "{text:.80}: {what}"
        );
    }
}

proptest! {
    #[test]
    fn text_never_panics(text in "(time_(s|ms|us|ns),size_(B|kB|MB|KiB)\n)?([-+0-9.eE,INPB# \n\t]|nan){0,200}") {
        let read = [
            make("replay", replay(text.as_bytes(), "csv", 0.3)),
            make("video-trace", frames(text.as_bytes(), true, "random")),
        ];
        for mut source in read.into_iter().flatten() {
            prop_assert!(!take(&mut source, Time::ZERO, &mut stream("text"), 100).is_empty());
        }
    }
}
