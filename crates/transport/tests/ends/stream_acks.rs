//! How a stream's sender reads an acknowledgement: which round trip it takes, what an echo and a block say, and when the probe's timer
//! moves.

use backwater_transport::controller::Cause;
use backwater_transport::endpoint::{Protocol, Recovery, Sender, SenderSetup};
use backwater_transport::units::{Span, Time};

use crate::MSS;
use crate::recorder::Recorder;
use crate::stream::{Script, ms};

/// Four segments left at 0 and came back at 100 ms; 4 to 7 left then.
fn second_flight(recovery: Recovery) -> Script {
    let mut s = Script::new(recovery, 4, 8);
    assert_eq!(s.ack(100, 3, 4, &[]), [4, 5, 6, 7]);
    s
}

/// RFC 7323 section 4.1: the echo is a sample where the left edge moves, and else the round trip of what a block names is. SRTT moves by an
/// eighth of the difference.
#[test]
fn an_echo_is_a_sample_where_the_left_edge_moves() {
    for recovery in [Recovery::Sack, Recovery::Rack] {
        let mut s = second_flight(recovery);
        let mut ack = s.answer(260, 5, 4, &[[5, 6]]);
        ack.echo = ms(0);
        s.take(260, &ack);
        let srtt = Span::micros(107_500);
        assert_eq!(s.sender.inspect().srtt, srtt, "160 ms and not 260");
        let mut ack = s.answer(270, 4, 6, &[]);
        ack.echo = ms(150);
        s.take(270, &ack);
        let srtt = Span(srtt.0 - srtt.0 / 8 + Span::millis(120).0 / 8);
        assert_eq!(s.sender.inspect().srtt, srtt, "120 ms and not 170");
    }
}

/// An acknowledgement that delivers nothing is no delivery: the rate of what leaves behind it counts from the last one. 6 leaves at 240 ms
/// and comes back after 200 ms; the last delivery before was at 200 ms, and 4, which came then, had left 140 ms before 6.
#[test]
fn a_rate_counts_from_the_last_delivery_however_late_the_answer() {
    let mut s = Script::new(Recovery::Rack, 4, 6);
    s.ack(100, 3, 4, &[]);
    s.ack(200, 4, 5, &[]);
    s.ack(230, 4, 5, &[]);
    s.sender.write(MSS);
    assert_eq!(s.pump(240), [6]);
    s.ack(440, 6, 7, &[]);
    let rate = s.recorder.book().rates.last().copied().flatten();
    let rate = rate.expect("a sample");
    assert_eq!(
        (rate.delivered, rate.interval),
        (2 * MSS, Span::millis(240))
    );
}

/// Two smoothed round trips after an acknowledgement that moves the left edge a probe is due, although nothing leaves then; one that says
/// nothing new does not move it.
#[test]
fn what_says_nothing_moves_no_probe() {
    let mut s = Script::new(Recovery::Rack, 4, 4);
    s.ack(100, 1, 2, &[]);
    assert_eq!(s.sender.due(), ms(300));
    s.ack(150, 1, 2, &[]);
    assert_eq!(s.sender.due(), ms(300));
    s.ack(160, 2, 3, &[]);
    let srtt = s.sender.inspect().srtt;
    assert_eq!(s.sender.due(), ms(160).after(srtt.times(2)));
}

/// An echo older than a segment that was sent once says nothing of a retransmission: the receiver may echo any value (RFC 7323 section
/// 4.1). The retransmission of the recovery before was needed.
#[test]
fn an_old_echo_of_a_segment_that_was_sent_once_undoes_nothing() {
    let mut s = Script::new(Recovery::Rack, 10, 10);
    s.ack(100, 0, 1, &[]);
    for by in 2..5 {
        s.ack(100 + by, by as usize, 1, &[[2, by + 1]]);
    }
    s.ack(204, 10, 10, &[]);
    s.sender.write(2 * MSS);
    assert_eq!(s.pump(300), [10, 11]);
    let mut ack = s.answer(400, 11, 11, &[]);
    ack.echo = ms(0);
    s.take(400, &ack);
    let c = s.sender.counters();
    assert_eq!((c.recoveries, c.spurious), (1, 0));
}

/// The blocks of one acknowledgement have no order: 4 and 6 named the other way round are no reordering, so that a third segment closes
/// RACK's window (RFC 8985 section 6.2), and all below are lost.
#[test]
fn the_order_of_blocks_is_no_reordering() {
    let mut s = Script::new(Recovery::Rack, 10, 10);
    s.ack(100, 0, 1, &[]);
    s.ack(101, 6, 1, &[[6, 7], [4, 5]]);
    assert_eq!(s.sender.counters().lost, 0);
    s.ack(102, 7, 1, &[[6, 8], [4, 5]]);
    assert_eq!(s.sender.counters().lost, 4, "1, 2, 3 and 5");
}

/// A block that ends above all that was sent is not believed, and one below the left edge says nothing.
#[test]
fn blocks_of_what_was_never_sent_are_not_believed() {
    for recovery in [Recovery::Sack, Recovery::Rack] {
        let mut s = Script::new(recovery, 10, 10);
        s.ack(100, 1, 2, &[]);
        for block in [[4, 11], [0, 1], [1, 2]] {
            s.ack(101, 5, 2, &[block]);
            assert_eq!(s.recorder.last().acked, 0, "{block:?}");
        }
        s.ack(101, 5, 2, &[[4, 10]]);
        assert_eq!(s.recorder.last().acked, 6 * MSS);
    }
}

/// With data left to send a segment is not the last; with none it is, which it says to the receiver and to the controller.
#[test]
fn the_last_segment_that_was_written_pushes() {
    let s = Script::new(Recovery::Rack, 10, 3);
    let pushes: Vec<bool> = s.sent.iter().map(|s| s.push).collect();
    let limited: Vec<bool> = s
        .recorder
        .book()
        .sent
        .iter()
        .map(|s| s.app_limited)
        .collect();
    assert_eq!(pushes, [false, false, true]);
    assert_eq!(limited, [false, false, true]);
}

/// RFC 8985 section 7.4.2: the original and the probe of the last segment have both arrived where a second acknowledgement says neither of
/// new data nor of a block. What is acknowledged later is then no repaired loss; without it, it is one, with the flight as it was told, and
/// it is over at once.
#[test]
fn a_plain_acknowledgement_of_the_probes_end_clears_it() {
    let segment = (Cause::Loss, 2 * MSS, MSS, 2 * MSS);
    for (second, told) in [
        (true, vec![]),
        (false, vec![segment, (Cause::Recovered, 0, MSS, 0)]),
    ] {
        let mut s = Script::new(Recovery::Rack, 10, 4);
        s.ack(100, 2, 3, &[]);
        assert_eq!(s.expire(300), [3]);
        s.ack(350, 3, 4, &[]);
        if second {
            s.ack(400, 4, 4, &[]);
        }
        s.sender.write(2 * MSS);
        assert_eq!(s.pump(420), [4, 5]);
        s.ack(520, 6, 6, &[]);
        assert_eq!(s.recorder.events(), told, "{second}");
        assert_eq!(s.sender.counters().recoveries, told.len() as u64 / 2);
    }
}

/// A probe whose time has come waits for its driver, and no timer is due for it any more. Where the retransmission timer expires before,
/// the first segment is sent again in its place.
#[test]
fn a_timeout_takes_the_place_of_a_probe_that_waits() {
    let mut s = Script::new(Recovery::Rack, 4, 4);
    s.ack(100, 0, 1, &[]);
    s.sender.on_timer(ms(300));
    assert_eq!(s.sender.due(), ms(1100));
    assert_eq!(s.expire(1100)[0], 1);
    assert_eq!(s.sender.counters().probes, 0);
}

/// Another delay of acknowledgements holds for the next probe of a single segment (RFC 8985 section 7.2).
#[test]
fn another_delay_of_acknowledgements_holds_for_the_next_probe() {
    let mut s = Script::new(Recovery::Rack, 4, 4);
    s.ack(100, 3, 4, &[]);
    let mut setup = SenderSetup::new(Protocol::Stream, MSS, MSS + 52);
    setup.ack_delay = Span::millis(40);
    s.sender.take_options(&setup);
    s.sender.write(MSS);
    s.pump(100);
    assert_eq!(s.sender.due(), ms(340));
}

/// Sixteen recoveries without a duplicate reported take back what one has added to RACK's window (RFC 8985 section 6.2, step 4): it has
/// two quarters of the least round trip, and one from then on.
#[test]
fn a_widened_window_is_kept_for_sixteen_recoveries() {
    for (recoveries, quarters) in [(15, 2), (16, 1)] {
        let mut s = Script::under(
            &SenderSetup::new(Protocol::Stream, MSS, MSS + 52),
            Recorder::new(20 * MSS),
            1,
        );
        let mut ack = s.answer(100, 0, 1, &[[0, 1]]);
        ack.duplicate = true;
        s.take(100, &ack);
        let (mut now, mut place) = (100, 1);
        let five = |s: &mut Script, now| {
            s.sender.write(5 * MSS);
            s.pump(now);
            s.sent.len() as u64 - 5
        };
        for _ in 0..recoveries {
            let first = five(&mut s, now);
            for n in 1..5 {
                let by = (first + n) as usize;
                s.ack(now + 100, by, place, &[[place + 1, place + n + 1]]);
            }
            let again = s.sent.len() - 1;
            assert!(s.sent[again].again);
            s.ack(now + 200, again, place + 5, &[]);
            (now, place) = (now + 300, place + 5);
        }
        assert_eq!(s.sender.counters().recoveries, recoveries);
        let first = five(&mut s, now) as usize;
        s.ack(now + 100, first + 1, place, &[[place + 1, place + 2]]);
        assert_eq!(
            s.sender.due(),
            ms(now + 100 + 25 * quarters),
            "{recoveries}"
        );
        assert!(s.sender.due() < Time::NEVER);
    }
}
