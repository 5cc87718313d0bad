//! A sender whose periods are skipped in the middle of something: what it waits for is as far away as it was, and what it compares with has
//! moved along.

use backwater_transport::endpoint::{Protocol, Recovery, Sender, SenderSetup};
use backwater_transport::units::Span;
use backwater_transport::walk::{OnTheWay, Repeat, Seen, Walk};

use crate::MSS;
use crate::recorder::Recorder;
use crate::stream::{Script, ms};

/// A period in ms, and how many are skipped.
const PERIOD: u64 = 1_000;
const SKIPPED: u64 = 7;

fn sender() -> Script {
    let mut setup = SenderSetup::new(Protocol::Stream, MSS, MSS + 52);
    setup.recovery = Recovery::Rack;
    Script::under(&setup, Recorder::new(30 * MSS), 0)
}

fn send(s: &mut Script, now: u64, segments: u64) {
    s.sender.write(segments * MSS);
    s.pump(now);
}

fn keep(s: &mut Script, now: u64) -> Seen {
    let mut walk = Walk::keep(ms(now));
    s.sender.walk(&mut walk, "flow", &OnTheWay::default());
    walk.seen().expect("all is visited")
}

/// The period before was looked at after so many ms, and period `n` is: seven more are skipped.
fn skip(s: &mut Script, n: u64, at: u64, before: Seen) {
    let now = ms(PERIOD * n + at);
    let after = keep(s, PERIOD * n + at);
    let repeat = Repeat {
        period: Span::millis(PERIOD),
        began: ms(PERIOD * (n - 1) + at),
        periods: SKIPPED,
    };
    let mut walk = Walk::write(now, before, after, repeat);
    s.sender.walk(&mut walk, "flow", &OnTheWay::default());
}

/// Six segments leave as a period begins, and the second comes first, after 100 ms. The number of the first transmission.
fn six(s: &mut Script, n: u64) -> usize {
    let (now, place) = (PERIOD * n, 6 * n);
    send(s, now, 6);
    let first = s.sent.len() - 6;
    s.ack(now + 100, first + 1, place, &[[place + 1, place + 2]]);
    first
}

/// In each period the other segments come after 120 ms. With the first outstanding RACK waits for 25 ms more, a quarter of the round trip.
/// Seven periods later it does, too, and then the first is lost.
#[test]
fn a_reordering_timer_moves_with_the_periods() {
    let mut s = sender();
    six(&mut s, 0);
    let before = keep(&mut s, 110);
    s.ack(120, 5, 6, &[]);
    six(&mut s, 1);
    assert_eq!(s.sender.due(), ms(PERIOD + 125));
    skip(&mut s, 1, 110, before);
    let due = PERIOD * (1 + SKIPPED) + 125;
    assert_eq!(s.sender.due(), ms(due));
    assert_eq!(s.expire(due), [6 * (1 + SKIPPED)]);
    assert_eq!(s.sender.counters().lost, 1);
}

/// In each period the first of six is lost, and sent again when three have told of that. The skipped periods end when the second alone has
/// come. Then the first comes after all, which is reordering: three segments above the third are no loss of it any more.
#[test]
fn what_came_last_moves_with_the_periods() {
    let mut s = sender();
    let mut kept = Vec::new();
    for n in 0..2 {
        let first = six(&mut s, n);
        kept.push(keep(&mut s, PERIOD * n + 110));
        let (now, place) = (PERIOD * n, 6 * n);
        for by in 2..4 {
            s.ack(
                now + 111,
                first + by,
                place,
                &[[place + 1, place + by as u64 + 1]],
            );
        }
        s.ack(now + 211, first + 6, place + 6, &[]);
    }
    assert_eq!(s.sender.counters().lost, 2);
    six(&mut s, 2);
    skip(&mut s, 2, 110, kept.remove(1));
    let (now, place) = (PERIOD * (2 + SKIPPED), 6 * (2 + SKIPPED));
    let lost = s.sender.counters().lost;
    // They answer the transmission that was sent last.
    let by = s.sent.len() - 1;
    s.ack(now + 111, by, place + 2, &[]);
    s.ack(now + 112, by, place + 2, &[[place + 3, place + 6]]);
    assert_eq!(s.sender.counters().lost, lost);
}

/// In each period one segment leaves, a probe sends it again, and both come. The skipped periods end behind the probe: the first
/// acknowledgement may be of either, and tells of no loss that was repaired.
#[test]
fn the_end_of_a_probe_moves_with_the_periods() {
    let mut s = sender();
    send(&mut s, 0, 1);
    s.ack(100, 0, 1, &[]);
    let mut kept = Vec::new();
    for n in 1..3 {
        send(&mut s, PERIOD * n, 1);
        let due = s.sender.due();
        s.sender.on_timer(due);
        s.pump(due.0 / ms(1).0);
        assert_eq!(s.sender.counters().probes, n);
        kept.push(keep(&mut s, PERIOD * n + 500));
        if n == 1 {
            for _ in 0..2 {
                s.ack(PERIOD + 510, 2, 2, &[]);
            }
        }
    }
    skip(&mut s, 2, 500, kept.remove(0));
    let now = PERIOD * (2 + SKIPPED) + 510;
    s.ack(now, s.sent.len() - 1, 3 + SKIPPED, &[]);
    assert_eq!(s.sender.counters().recoveries, 0);
}
