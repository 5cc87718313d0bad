//! Recoveries of a stream one after the other, or one within another: what is reduced, what is undone, and what is left of it afterwards.

use backwater_transport::controller::{Cause, Reduction};
use backwater_transport::endpoint::{EcnFeedback, Protocol, Recovery, Sender, SenderSetup};

use crate::MSS;
use crate::recorder::Recorder;
use crate::stream::{Script, ms};

fn setup(recovery: Recovery) -> SenderSetup {
    let mut setup = SenderSetup::new(Protocol::Stream, MSS, MSS + 52);
    setup.recovery = recovery;
    setup
}

fn causes(s: &Script) -> Vec<Cause> {
    s.recorder.events().iter().map(|e| e.0).collect()
}

/// Six segments left at 0; 1 is lost, and sent again at 103 ms as transmission 6. 6 to 9 leave at 104 ms, as transmissions 7 to 10. At 150
/// ms the left edge moves to 5, by an acknowledgement that may be that of either transmission of 1.
fn recovering() -> Script {
    let mut s = Script::new(Recovery::Rack, 6, 6);
    s.ack(100, 0, 1, &[]);
    for by in 2..4 {
        assert_eq!(s.ack(99 + by, by as usize, 1, &[[2, by + 1]]), []);
    }
    assert_eq!(s.ack(103, 4, 1, &[[2, 5]]), [1]);
    s.sender.write(4 * MSS);
    assert_eq!(s.pump(104), [6, 7, 8, 9]);
    let mut ack = s.answer(150, 1, 5, &[]);
    ack.echo = ms(103);
    s.take(150, &ack);
    assert_eq!(causes(&s), [Cause::Loss]);
    s
}

/// The same, and at 204 ms 7 comes: 5, which belongs to the recovery, and 6, which is new, are lost and sent again.
fn new_data_lost() -> Script {
    let mut s = recovering();
    assert_eq!(s.ack(204, 8, 5, &[[7, 8]]), [5, 6]);
    assert_eq!(causes(&s), []);
    s
}

/// New data lost in a recovery are answered when it is over (RFC 5681 section 4.3). Here all is repaired then, and the second recovery is
/// over at once: what is acknowledged next is no part of it.
#[test]
fn a_recovery_with_nothing_left_to_repair_is_over_at_once() {
    let mut s = new_data_lost();
    s.ack(304, 12, 10, &[]);
    assert_eq!(
        causes(&s),
        [Cause::Recovered, Cause::Loss, Cause::Recovered]
    );
    s.sender.write(MSS);
    s.pump(305);
    s.ack(405, 13, 11, &[]);
    assert!(!s.recorder.last().recovering);
    assert_eq!(causes(&s), []);
}

/// Three duplicates reported for three retransmissions say that no loss was one (RFC 3708), that of new data neither: there is nothing
/// left to answer.
#[test]
fn an_undone_recovery_leaves_nothing_to_answer() {
    let mut s = new_data_lost();
    for now in [250, 251, 252] {
        assert_eq!(causes(&s), []);
        let mut ack = s.answer(now, 6, 5, &[[1, 2], [7, 8]]);
        ack.duplicate = true;
        s.take(now, &ack);
    }
    let flight = s.sender.in_flight();
    assert_eq!(s.recorder.events(), [(Cause::Spurious, flight, 0, 0)]);
    assert_eq!(s.sender.counters().spurious, 3);
}

/// A timeout in that recovery answers for all that was lost before: when its own is over, nothing more is reduced, and the episode has
/// lost what was in flight as the timer expired.
#[test]
fn a_timeout_answers_for_new_data_lost_before() {
    let mut s = new_data_lost();
    let due = ms(1150);
    let flight = s.sender.in_flight();
    s.sender.on_timer(due);
    let left = s.pump(1150);
    assert_eq!((left, flight), (vec![5, 6, 8, 9], 4 * MSS));
    let by = s.sent.len() - 1;
    s.ack(1250, by, 10, &[]);
    let told = s.recorder.events();
    assert_eq!(told.len(), 2);
    assert_eq!(
        (told[0].0, told[0].1, told[0].2),
        (Cause::Timeout, flight, flight)
    );
    assert_eq!(told[1], (Cause::Recovered, 0, flight, 0));
}

/// A retransmission that is lost reduces the window once more, and once: an acknowledgement later that finds nothing lost does not.
#[test]
fn a_lost_retransmission_reduces_once() {
    let mut s = Script::new(Recovery::Rack, 6, 6);
    s.ack(100, 0, 1, &[]);
    for by in 2..5 {
        s.ack(99 + by, by as usize, 1, &[[2, by + 1]]);
    }
    s.sender.write(4 * MSS);
    assert_eq!(s.pump(104), [6, 7, 8, 9]);
    // The transmissions after 6, which was 1 again.
    assert_eq!(s.ack(205, 8, 1, &[[2, 5], [7, 8]])[0], 1);
    assert_eq!(causes(&s), [Cause::Loss, Cause::Loss]);
    for by in [9, 10] {
        s.ack(206, by, 1, &[[2, 5], [7, by as u64]]);
        assert_eq!(causes(&s), []);
    }
}

/// A recovery without selective acknowledgements that ends with just all that was out at its beginning: nothing more is sent again, and
/// three duplicates of the very next segment are a loss (RFC 6582 section 3.2).
#[test]
fn duplicates_right_behind_a_recovery_are_a_loss() {
    let mut s = Script::new(Recovery::NewReno, 10, 10);
    s.ack(100, 0, 1, &[]);
    for by in 2..5 {
        s.ack(100 + by, by as usize, 1, &[]);
    }
    assert_eq!(s.sent.last().map(|s| (s.start, s.again)), Some((MSS, true)));
    s.sender.write(6 * MSS);
    s.recorder.book().window = 20 * MSS;
    assert_eq!(s.pump(110).len(), 6);
    assert_eq!(s.ack(204, 10, 10, &[]), []);
    assert_eq!(causes(&s), [Cause::Loss, Cause::Recovered]);
    for by in 12..14 {
        assert_eq!(s.ack(210, by, 10, &[]), []);
    }
    assert_eq!(s.ack(210, 14, 10, &[]), [10]);
    assert_eq!(causes(&s), [Cause::Loss]);
}

/// A timeout after a recovery is needless (RFC 3522): as many retransmissions as it made were, and not that of the recovery before. 6 left
/// at 300 ms, and its original answers after the timer, which had a second.
#[test]
fn a_needless_timeout_counts_its_own_retransmissions() {
    let mut s = Script::new(Recovery::Sack, 6, 6);
    s.ack(100, 0, 1, &[]);
    for by in 2..5 {
        s.ack(99 + by, by as usize, 1, &[[2, by + 1]]);
    }
    s.ack(203, 6, 6, &[]);
    assert_eq!(causes(&s), [Cause::Loss, Cause::Recovered]);
    s.sender.write(MSS);
    assert_eq!(s.pump(300), [6]);
    assert_eq!(s.expire(1_300), [6]);
    s.ack(1_310, 7, 7, &[]);
    assert_eq!(causes(&s), [Cause::Timeout, Cause::Spurious]);
    assert_eq!(s.sender.counters().spurious, 1);
}

/// A segment counts as lost once (RFC 6675). 1 to 3 are, by three segments above them, and 1 alone leaves again in a full window. Then the
/// timer sends 2, whose original answers (RFC 4015): 3 was no loss, and the segments above it are told of once more.
#[test]
fn a_loss_that_was_taken_back_is_not_found_again() {
    let mut s = Script::new(Recovery::Sack, 10, 10);
    s.ack(100, 0, 1, &[]);
    s.ack(101, 4, 1, &[[4, 5]]);
    s.ack(102, 5, 1, &[[4, 6]]);
    s.recorder.book().window = MSS;
    assert_eq!(s.ack(103, 6, 1, &[[4, 7]]), [1]);
    assert_eq!(s.ack(203, 10, 2, &[[4, 7]]), []);
    assert_eq!(s.expire(1_203), [2]);
    s.recorder.book().window = 10 * MSS;
    assert_eq!(s.ack(1_210, 2, 3, &[[4, 7]]), []);
    assert_eq!(causes(&s), [Cause::Loss, Cause::Timeout, Cause::Spurious]);
    assert_eq!(s.sender.in_flight(), 4 * MSS, "3, and 7 to 9");
}

/// RFC 3168 section 6.1.2: a loss in the window of data of a mark reduces nothing. The mark is answered with ten segments sent, so the loss
/// of 1 belongs to it, and that of 10, where nothing above 10 is acknowledged; that of 11 does not. Other echoes answer marks and losses
/// each.
#[test]
fn a_loss_in_the_window_of_a_mark_reduces_nothing() {
    for (echo, acked, told) in [
        (EcnFeedback::Classic, 1, false),
        (EcnFeedback::Classic, 10, false),
        (EcnFeedback::Classic, 11, true),
        (EcnFeedback::Accurate, 1, true),
    ] {
        let mut setup = setup(Recovery::Sack);
        setup.ecn = echo;
        let mut s = Script::with(&setup, 10, 10);
        let mut ack = s.answer(100, 0, 1, &[]);
        (ack.ece, ack.ce_bytes) = (echo == EcnFeedback::Classic, MSS);
        s.take(100, &ack);
        assert_eq!(s.recorder.events(), [(Cause::Mark, 10 * MSS, 0, 0)]);
        let last = acked as usize - 1;
        if last > 0 {
            s.recorder.book().window = 20 * MSS;
            s.sender.write(8 * MSS);
            s.pump(101);
            s.ack(200, last, acked, &[]);
        }
        for n in 1..4 {
            s.ack(
                201,
                last + 1 + n,
                acked,
                &[[acked + 1, acked + 1 + n as u64]],
            );
        }
        assert_eq!(
            causes(&s),
            [Cause::Loss][..usize::from(told)],
            "{echo:?} {acked}"
        );
        assert_eq!(s.sender.counters().recoveries, 1);
    }
}

/// Without a mark the loss of the very first segment is reported.
#[test]
fn a_loss_without_a_mark_is_reported() {
    let mut setup = setup(Recovery::Sack);
    setup.ecn = EcnFeedback::Classic;
    let mut s = Script::with(&setup, 10, 10);
    for n in 1..4 {
        s.ack(100, n, 0, &[[1, 1 + n as u64]]);
    }
    assert_eq!(causes(&s), [Cause::Loss]);
}

fn reducing(recovery: Recovery, reduction: Reduction) -> Script {
    let recorder = Recorder::new(20 * MSS);
    recorder.book().reduction = reduction;
    Script::under(&setup(recovery), recorder, 20)
}

/// 0 is lost of twenty, with a threshold of ten. What the window is then.
fn window_in_recovery(s: &mut Script) -> u64 {
    s.recorder.book().window = 10 * MSS;
    for n in 1..4 {
        s.ack(100, n, 0, &[[1, 1 + n as u64]]);
    }
    assert_eq!(s.sender.counters().recoveries, 1);
    s.sender.window() / MSS
}

/// Proportional reduction goes with RACK (RFC 9937), and with a controller that asks for it, also one that has taken over: sixteen segments
/// fly, and one may leave beside them, the retransmission. Otherwise the window is the controller's at once.
#[test]
fn a_recovery_reduces_as_its_controller_asks() {
    use Reduction::{Direct, Proportional};
    for (recovery, reduction, window) in [
        (Recovery::Rack, Proportional, 17),
        (Recovery::Rack, Direct, 10),
        (Recovery::Sack, Proportional, 10),
        (Recovery::Sack, Direct, 10),
    ] {
        let mut s = reducing(recovery, reduction);
        assert_eq!(
            window_in_recovery(&mut s),
            window,
            "{recovery:?} {reduction:?}"
        );
        let other = match reduction {
            Direct => Proportional,
            Proportional => Direct,
        };
        let mut s = reducing(recovery, other);
        let second = Recorder::new(20 * MSS);
        second.book().reduction = reduction;
        s.sender
            .take_controller(second.controller(), &setup(recovery));
        s.recorder = second;
        assert_eq!(
            window_in_recovery(&mut s),
            window,
            "{recovery:?} {reduction:?}"
        );
    }
}

/// When a proportional recovery is over the window is the controller's, and so it is after a timeout within it.
#[test]
fn a_proportional_recovery_ends_with_its_window() {
    for ends in [true, false] {
        let mut s = reducing(Recovery::Rack, Reduction::Proportional);
        assert_eq!(window_in_recovery(&mut s), 17);
        match ends {
            true => _ = s.ack(200, 20, 20, &[]),
            false => s.sender.on_timer(ms(1_100)),
        }
        s.recorder.book().window = 13 * MSS;
        s.sender.write(20 * MSS);
        s.pump(1_200);
        let again = s.sent.iter().filter(|s| s.again).count();
        assert_eq!(s.sender.window(), 13 * MSS, "{again}");
    }
}

/// RACK's timer finds the loss of 0, of which 1 alone has told: the retransmission leaves though a proportional recovery has no other room.
#[test]
fn a_proportional_recovery_begun_by_a_timer_sends_its_retransmission() {
    let mut s = reducing(Recovery::Rack, Reduction::Proportional);
    s.ack(100, 1, 0, &[[1, 2]]);
    s.recorder.book().window = 10 * MSS;
    assert_eq!(s.sender.due(), ms(125));
    assert_eq!(s.expire(125), [0]);
    assert_eq!(s.sender.window(), 19 * MSS);
}

/// The first segment leaves again as the timer expires, though the window is full: 4 has left 10 ms before, and flies.
#[test]
fn a_timeout_sends_its_segment_beyond_a_full_window() {
    let mut s = Script::new(Recovery::Rack, 4, 4);
    s.ack(100, 0, 1, &[]);
    s.expire(300);
    s.recorder.book().window = 20 * MSS;
    s.sender.write(MSS);
    assert_eq!(s.pump(1_290), [4]);
    s.recorder.book().window = MSS;
    assert_eq!(s.sender.due(), ms(1_300));
    assert_eq!(s.expire(1_300), [1]);
}
