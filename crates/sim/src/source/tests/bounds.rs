//! The largest and the least that lists, files and numbers of sources may hold, and one beyond.

use super::super::trace::{Decimal, lines, quote};
use super::super::{LARGEST, listed};
use super::*;

const US: u64 = 1_000_000;

fn list(at_us: &[u64], bytes: &[u64]) -> Result<AnySource, (&'static str, String)> {
    listed(Arc::from(at_us), Arc::from(bytes))
}

/// A picosecond is a millionth of a microsecond; one size may stand for all.
#[test]
fn a_list_sends_each_packet_at_its_instant() {
    let start = Time(7);
    let all = |bytes: &[u64]| {
        let mut source = list(&[0, 500, 500, 501], bytes).expect("legal lists");
        let mut random = stream("f");
        let demands: Vec<(u64, u64)> = take(&mut source, start, &mut random, 9)
            .into_iter()
            .map(|demand| (demand.at.0, demand.bytes.0))
            .collect();
        demands
    };
    let at = [7, 500 * US + 7, 500 * US + 7, 501 * US + 7];
    let with = |bytes: [u64; 4]| at.into_iter().zip(bytes).collect::<Vec<_>>();
    assert_eq!(all(&[1, 2, 3, 4]), with([1, 2, 3, 4]));
    assert_eq!(all(&[1500]), with([1500; 4]));
}

#[test]
fn a_list_has_bounds() {
    let last = u64::MAX / US;
    assert!(list(&[last], &[1]).is_ok());
    assert_eq!(list(&[last + 1], &[1]).err().map(|e| e.0), Some("at_us"));
    let (option, what) = list(&[5, 3, 9], &[1]).expect_err("it goes back");
    assert_eq!((option, what.contains("3 comes after 5")), ("at_us", true));
    assert!(list(&[3, 5, 9], &[1, LARGEST.0, 1]).is_ok());
    for sizes in [&[1, 2][..], &[1, 2, 3, 4], &[]] {
        let (option, what) = list(&[3, 5, 9], sizes).expect_err("as many as packets");
        assert_eq!(option, "bytes");
        assert!(what.contains("for 3 packets"), "{what}");
    }
    for wrong in [0, LARGEST.0 + 1] {
        let (option, what) = list(&[3], &[wrong]).expect_err("a size that is none");
        assert_eq!(
            (option, what.contains(&format!("1 to {}", LARGEST.0))),
            ("bytes", true)
        );
    }
    // 1 GB, as the manual says.
    assert_eq!(LARGEST, Bytes(1_000_000_000));
}

fn decimal(text: &str) -> Result<Decimal, String> {
    Decimal::parse(text)
}

/// 36 digits fit, whatever they are, and no 37th.
#[test]
fn numbers_have_36_digits_at_most() {
    let digits = |n: usize| format!("1{}", "0".repeat(n - 1));
    let whole = |text: &str| decimal(text).and_then(|n| n.scaled(-30).ok_or_else(String::new));
    assert_eq!(whole(&digits(36)), Ok(100_000));
    for wrong in [digits(37), format!("{}7", digits(36)), "9".repeat(37)] {
        let said = decimal(&wrong).expect_err("37 digits");
        assert!(said.contains("36 digits"), "{said}");
    }
    assert!(decimal(&"9".repeat(36)).is_ok());
    assert_eq!(decimal(&format!("000{}", digits(36))), decimal(&digits(36)));
}

#[test]
fn numbers_are_scaled_and_rounded_exactly() {
    let scaled = |text: &str, power| decimal(text).expect("a number").scaled(power);
    assert_eq!(scaled("12.5", 0), Some(13));
    assert_eq!(scaled("12.4999", 0), Some(12));
    assert_eq!(scaled("12.5", 1), Some(125));
    assert_eq!(scaled("1e-05", 6), Some(10));
    assert_eq!(scaled("1e400", 0), None);
    assert_eq!(scaled("0e400", 0), Some(0));
    assert_eq!(scaled("1e-400", 0), Some(0));
    assert_eq!(scaled("-0.0", 3), Some(0));
    assert!(decimal("-1").expect_err("negative").contains("negative"));
    let whole = |text: &str, factor| decimal(text).expect("a number").whole(factor);
    assert_eq!(whole("12.5", 2), Some(25));
    assert_eq!(whole("12.5", 3), None);
    assert_eq!(whole("1.25e2", 1), Some(125));
    assert_eq!(whole("7", 3), Some(21));
    assert_eq!(whole("0e400", 1), Some(0));
    assert_eq!(whole("1e20", 1), None);
    assert_eq!(whole("18446744073709551615", 1), Some(u64::MAX));
}

/// A message shows forty characters of what it speaks of, and that there were more.
#[test]
fn a_quotation_is_short() {
    let of = |n: usize| quote(&"ä".repeat(n));
    assert_eq!(of(40), format!("\"{}\"", "ä".repeat(40)));
    assert_eq!(of(41), format!("\"{}…\"", "ä".repeat(40)));
}

#[test]
fn a_line_has_a_thousand_bytes_at_most() {
    let read = |n: usize| {
        let text = format!("# a\n\n{}\n", "x".repeat(n));
        let found: Vec<_> = lines(text.as_bytes()).map(|line| line.is_ok()).collect();
        found
    };
    assert_eq!((read(1000), read(1001)), (vec![true], vec![false]));
}

fn workload(text: &str) -> Result<AnySource, Refusal> {
    let sizes = ("sizes", Value::Choice("file"));
    make("workload", vec![sizes, file(text.as_bytes()), rate(8_000)])
}

/// A distribution from nothing up to 1 GB; sizes rise, and their shares do not fall. One without steps is uniform.
#[test]
fn a_file_of_sizes_has_bounds() {
    let reads = |text: &str| workload(text).is_ok();
    assert!(reads("0 0\n1000000000 100\n"));
    assert!(!reads("0 0\n1000000001 100\n"));
    assert!(
        reads("0 0\n10 50\n20 50\n30 100\n"),
        "none between 10 and 20"
    );
    assert!(
        !reads("0 0\n10 50\n10 60\n30 100\n"),
        "two shares of one size"
    );
    assert!(!reads("0 0\n10 50\n20 49.999999\n30 100\n"));
    assert!(!reads("0 0\n10 100.000001\n"));
    assert!(!reads("0 0.000001\n10 100\n") && !reads("0 0\n10 99.999999\n"));
    assert!(!reads("-1 0\n10 100\n") && !reads(""));
    // A distribution of a file needs one, and others have none.
    let sizes = |name| vec![("sizes", Value::Choice(name)), rate(8_000)];
    assert!(make("workload", sizes("file")).is_err());
    assert!(make("workload", sizes("rpc")).is_ok());
    let both = sizes("rpc").into_iter().chain([file(b"0 0\n10 100\n")]);
    assert!(make("workload", both.collect()).is_err());
}

/// Sizes between 40 and 60 B, all alike: their mean is 50 B, and 8 kbit/s bring one each 50 ms. A distribution may be one step.
#[test]
fn sizes_of_a_file_are_drawn_between_its_points() {
    let mut source = workload("40 0\n60 100\n").expect("a distribution");
    let demands = take(&mut source, Time::ZERO, &mut stream("f"), 4_000);
    let sizes: Vec<f64> = demands.iter().map(|demand| demand.bytes.0 as f64).collect();
    assert!(sizes.iter().all(|size| (40.0..=60.0).contains(size)));
    // Uniform: a deviation of 20/√12, over √4000.
    assert!((mean(&sizes).0 - 50.0).abs() < 5.0 * 5.8 / 63.0);
    let each = demands[3_999].at.seconds() / 4_000.0;
    assert!((each / 0.05 - 1.0).abs() < 5.0 / 63.0, "{each}");
    let mut steps = workload("39 0\n40 100\n").expect("a distribution");
    let demands = take(&mut steps, Time::ZERO, &mut stream("f"), 100);
    assert!(
        demands
            .iter()
            .all(|demand| (39..=40).contains(&demand.bytes.0))
    );
}
