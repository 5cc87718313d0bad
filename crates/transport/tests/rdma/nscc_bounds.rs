//! NSCC at the numbers at which its cases begin, where all constants are whole: 100 Gbit/s over 12 us are 150,000 bytes, without trimming
//! the target is 12 us, and a frame has the 1,000 bytes of its payload. The window begins with 225,000 bytes; fi is 5,000, eta 150, and
//! the fast increase a quarter. Which of two sides an instant of eta or of quick adapt belongs to is this engine's
//! choice, as the head of the law says, not the simulator's.

use backwater_transport::controller::{AnyController, Cause, Controller, Reduction};
use backwater_transport::endpoint::Protocol;
use backwater_transport::segment::Ecn;

use crate::{ack, build_for, congestion, made_for, near, shown};

const BASE: f64 = 12.0;
const TARGET: f64 = 12.0;
const OPTIONS: [(&str, &str); 3] = [
    ("rate", "100 Gbit/s"),
    ("base_rtt", "12 us"),
    ("trimming", "false"),
];

fn fresh() -> AnyController {
    build_for([1000, 1000], "nscc", &OPTIONS)
}

fn lose(c: &mut AnyController, packets: u64) {
    let mut lost = ack(0.0, 0, BASE);
    lost.lost = 1000 * packets;
    c.on_ack(&lost);
}

/// One that has lost so many packets.
fn without(packets: u64) -> AnyController {
    let mut c = fresh();
    lose(&mut c, packets);
    near(window(&c), 225_000.0 - 1000.0 * packets as f64);
    c
}

/// So many bytes are acknowledged with a delay beyond the base, of which so many were marked, while so many are in flight.
fn hear(c: &mut AnyController, now: f64, bytes: u64, delay: f64, marked: u64, flight: u64) -> f64 {
    let mut heard = ack(now, bytes, BASE + delay);
    (heard.marked, heard.in_flight) = (marked, flight);
    c.on_ack(&heard);
    window(c)
}

fn window(c: &AnyController) -> f64 {
    shown(c, "window_B")
}

/// A packet with this delay and no mark.
fn packet(c: &mut AnyController, now: f64, delay: f64) -> f64 {
    hear(c, now, 1000, delay, 0, 0)
}

/// A delay of the target is not below it: the window rises for fairness, with the ninth packet, by 9 fi packets over the window. In the
/// mean it counts as it is.
#[test]
fn a_delay_of_the_target_is_not_below_it() {
    let mut c = fresh();
    assert_eq!(shown(&c, "mean_delay_s"), 0.0);
    lose(&mut c, 25);
    for _ in 0..8 {
        near(packet(&mut c, 1.0, TARGET), 200_000.0);
    }
    near(packet(&mut c, 1.0, TARGET), 200_225.0);
    let mean = TARGET - (TARGET - 0.0125 * BASE) * 0.9875_f64.powi(9);
    near(shown(&c, "mean_delay_s"), mean * 1e-6);
}

/// 1 us is a queue. Where none was for more than a window each packet adds a quarter of itself: behind 2,000 bytes, with the third.
#[test]
fn a_microsecond_is_a_queue() {
    for delays in [&[0.999, 0.0, 0.0, 0.999][..], &[1.0, 0.0, 0.0, 0.0, 0.0]] {
        let mut c = without(223);
        let (quiet, fast) = delays.split_at(delays.len() - 2);
        for delay in quiet {
            near(packet(&mut c, 1.0, *delay), 2_000.0);
        }
        for (delay, expected) in fast.iter().zip([2_250.0, 2_500.0]) {
            near(packet(&mut c, 1.0, *delay), expected);
        }
        // A mark begins that anew (a difference from the simulator, see `nscc.rs`).
        near(hear(&mut c, 1.0, 1000, 0.0, 1, 0), 2_500.0);
        near(packet(&mut c, 1.0, 0.0), 2_500.0);
    }
}

/// More than a round trip must have passed for one packet to move the window, and for eta.
#[test]
fn a_round_trip_must_be_over() {
    let rise = |window: f64, packets: f64| packets * 5_000.0 * 1_000.0 / window;
    let mut c = without(25);
    for _ in 0..8 {
        near(packet(&mut c, 12.0, TARGET), 200_000.0);
    }
    let first = 200_000.0 + rise(200_000.0, 9.0);
    near(packet(&mut c, 12.0, TARGET), first);
    near(packet(&mut c, 24.0, TARGET), first);
    let second = first + rise(first, 2.0) + 150.0;
    near(packet(&mut c, 24.001, TARGET), second);
    // Nine more packets move it in the same round trip, and eta is not added again.
    for _ in 0..8 {
        near(packet(&mut c, 24.002, TARGET), second);
    }
    near(packet(&mut c, 24.002, TARGET), second + rise(second, 9.0));
}

/// A mean above the target lowers the window with a mark, and again when more than a round trip has passed. One marked byte is a mark.
#[test]
fn marks_decrease_once_in_more_than_a_round_trip() {
    let mut c = without(25);
    let mean = |n: i32| 100.0 - (100.0 - 0.0125 * BASE) * 0.9875_f64.powi(n);
    assert!(mean(10) < TARGET && mean(11) > TARGET);
    let share = |n: i32| 1.0 - 0.8 * (mean(n) - TARGET) / mean(n);
    for _ in 0..10 {
        near(hear(&mut c, 1.0, 1000, 100.0, 1, 0), 200_000.0);
    }
    let first = 200_000.0 * share(11);
    near(hear(&mut c, 1.0, 1000, 100.0, 1, 0), first);
    near(hear(&mut c, 13.0, 1000, 100.0, 1, 0), first);
    near(
        hear(&mut c, 13.001, 1000, 100.0, 1, 0),
        first * share(13) + 150.0,
    );
    assert_eq!((c.ecn(), c.reduction()), (Ecn::Ect0, Reduction::Direct));
}

/// Quick adapt: an interval of two round trips is over at its end; a delay of four targets is not above them; and an eighth of the
/// largest window, 28,125 bytes, is enough. 125 Gbit/s over 9.6 us are 150,000 bytes, too, and a byte takes a binary part of a
/// microsecond.
#[test]
fn quick_adapt_begins_behind_its_bounds() {
    let options = [
        ("rate", "125 Gbit/s"),
        ("base_rtt", "9.6 us"),
        ("trimming", "false"),
    ];
    for (now, bytes, delay, acts) in [
        (19.2, 1_000, 38.5, true),
        (19.199, 1_000, 38.5, false),
        (19.2, 1_000, 38.4, false),
        (19.2, 27_124, 38.5, true),
        (19.2, 27_125, 38.5, false),
    ] {
        let mut c = build_for([1000, 1000], "nscc", &options);
        c.on_ack(&ack(0.0, 1_000, 9.6));
        c.on_ack(&ack(now, bytes, 9.6 + delay));
        let expected = if acts { 1_000 + bytes } else { 225_000 };
        near(window(&c), expected as f64);
    }
}

/// What was in flight then is ignored to its last byte: it is neither a rise nor a loss. So it is here; the public simulator
/// ignores marked packets alone.
#[test]
fn what_was_in_flight_at_quick_adapt_is_ignored() {
    let mut c = fresh();
    packet(&mut c, 23.0, 30.0);
    near(hear(&mut c, 47.0, 1000, 48.1, 0, 5_001), 2_000.0);
    near(hear(&mut c, 47.5, 5_000, 0.0, 0, 0), 2_000.0);
    lose(&mut c, 1);
    near(window(&c), 2_000.0);
    // A byte is left of it. Behind this packet 2,000 bytes without a queue and more are needed for the fast increase.
    for expected in [2_000.0, 2_000.0, 2_000.0, 2_250.0] {
        near(packet(&mut c, 34.0, 0.0), expected);
    }
    lose(&mut c, 1);
    near(window(&c), 1_250.0);
}

/// In flight are bytes of payload, and ignored bytes on the wire: of 100 packets of 4,086 bytes in frames of 4,150 the last three are
/// 12,450 bytes.
#[test]
fn what_is_ignored_is_counted_on_the_wire() {
    let mut c = build_for([4086, 4150], "nscc", &OPTIONS);
    hear(&mut c, 0.0, 4_086, 0.0, 0, 0);
    near(hear(&mut c, 24.1, 4_086, 48.1, 0, 100 * 4_086), 8_300.0);
    for _ in 0..97 {
        hear(&mut c, 24.2, 4_086, 0.0, 0, 0);
    }
    lose(&mut c, 1);
    near(window(&c), 8_300.0);
}

/// Marks with a delay below the target change nothing at all: not with the ninth packet, and not with the eighteenth.
#[test]
fn marks_below_the_target_change_nothing() {
    let options = [
        ("rate", "125 Gbit/s"),
        ("base_rtt", "9.6 us"),
        ("trimming", "false"),
    ];
    let mut c = build_for([1000, 1000], "nscc", &options);
    lose(&mut c, 25);
    for _ in 0..20 {
        let mut marked = ack(1.0, 1_000, 9.7);
        marked.marked = 1_000;
        c.on_ack(&marked);
        assert_eq!(window(&c), 200_000.0);
    }
}

/// A trimmed packet or a timeout wants it, for the interval at hand alone (a difference from the simulator, see `nscc.rs`).
#[test]
fn losses_want_quick_adapt_for_one_interval() {
    for timeout in [false, true] {
        let mut c = fresh();
        packet(&mut c, 0.0, 2.0);
        match timeout {
            true => c.on_congestion(&congestion(0.0, Cause::Timeout)),
            false => lose(&mut c, 1),
        }
        near(window(&c), 224_000.0);
        near(packet(&mut c, 24.0, 2.0), 2_000.0);
        // The next interval has 1,000 bytes, and nothing was lost in it.
        let before = packet(&mut c, 30.0, 13.0);
        assert!(packet(&mut c, 48.0, 13.0) > before);
    }
    let mut c = fresh();
    for cause in [Cause::Loss, Cause::Mark, Cause::Spurious, Cause::Recovered] {
        c.on_congestion(&congestion(0.0, cause));
        near(window(&c), 225_000.0);
    }
    for _ in 0..300 {
        c.on_congestion(&congestion(0.0, Cause::Timeout));
    }
    near(window(&c), 1_000.0);
    assert_eq!(c.limits().window, 1_000);
}

/// One byte is lost, and one is acknowledged.
#[test]
fn a_byte_counts() {
    let mut c = fresh();
    let mut lost = ack(0.0, 0, BASE);
    lost.lost = 1;
    c.on_ack(&lost);
    near(window(&c), 224_999.0);
    near(shown(&c, "mean_delay_s"), 0.0125 * BASE * 1e-6);
    hear(&mut c, 1.0, 1, 5.0, 0, 0);
    let mean = 0.0125 * BASE * 0.9875 + 0.0125 * 5.0;
    near(shown(&c, "mean_delay_s"), mean * 1e-6);
}

/// An acknowledgement without a round trip, or of nothing, says nothing.
#[test]
fn an_acknowledgement_of_nothing_says_nothing() {
    let mut c = without(25);
    let mean = shown(&c, "mean_delay_s");
    let mut silent = ack(1.0, 9_000, 50.0);
    silent.rtt = None;
    c.on_ack(&silent);
    for _ in 0..20 {
        near(hear(&mut c, 1.0, 0, TARGET, 0, 0), 200_000.0);
    }
    near(shown(&c, "mean_delay_s"), mean);
    let refused = made_for(Protocol::Stream, [1000, 1000], "nscc", &OPTIONS);
    assert_eq!(refused.map(|_| ()).unwrap_err().option, "rate");
}
