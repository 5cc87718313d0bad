//! Counters of one access category at their bounds. IEEE 802.11-2020 10.3.4 and 10.23.2.

use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use super::category::{AccessMode, Contention, Countdown, Room};
use crate::limit::Limit;
use crate::medium::access::Category;

const SLOT: Span = Span::micros(20);
const SIFS: Span = Span::micros(10);

/// AIFS 50 us (SIFS and two slots), window 31.
fn contention(slots: u32) -> Contention {
    let set = AccessMode::Dcf.defaults((31, 1023))[0];
    let mut made = Contention::new(set, Limit::Unlimited, SIFS, SLOT);
    (made.slots, made.frames) = (slots, 1);
    made
}

fn us(t: u64) -> Time {
    Time::ZERO + Span::micros(t)
}

/// A category that has never sent holds nothing, and has the least window.
#[test]
fn a_new_category_is_empty() {
    let made = Contention::new(contention(0).set, Limit::Packets(7), SIFS, SLOT);
    assert_eq!(
        (made.aifs, made.cw, made.slots, made.failures),
        (Span::micros(50), 31, 0, 0)
    );
    assert_eq!(
        (made.frames, made.bytes, made.own_frames, made.own_bytes),
        (0, 0, 0, 0)
    );
    assert_eq!((made.passed.packets, made.passed.bytes), (0, 0));
    assert_eq!(
        (made.zero_at, made.stalled_at_since, made.stall_clock(us(9))),
        (0, 0, 0)
    );
    assert!(!made.wants_medium() && !made.manages());
    assert_eq!(AccessMode::Dcf.categories(), 1);
    assert_eq!(AccessMode::Edca.categories(), 4);
}

/// A frame comes 50 us and n slots after the medium became idle at 100 us. At the end of AIFS itself the medium is idle for long
/// enough. A counter that is zero by then lets it go; under EDCA at the next boundary, or at once on one.
#[test]
fn a_frame_may_leave_from_the_end_of_aifs_on() {
    for countdown in [Countdown::IdleSlot, Countdown::Boundary] {
        let admitted = |slots: u32, now: u64| {
            let mut made = contention(slots);
            let may = made.admit(us(100), us(now), SLOT, countdown);
            (may, made.slots, made.expiry(us(100), SLOT))
        };
        assert_eq!(admitted(0, 150), (true, 0, us(150)));
        assert_eq!(admitted(2, 190), (true, 0, us(190)));
        assert_eq!(admitted(2, 189), (true, 2, us(190)));
        let then = match countdown {
            Countdown::IdleSlot => us(191),
            Countdown::Boundary => us(210),
        };
        assert_eq!(admitted(2, 191), (true, 0, then));
        // Within AIFS a counter that runs goes on, and one at zero asks for a backoff.
        assert!(!admitted(0, 149).0);
        assert_eq!(admitted(1, 149), (true, 1, us(170)));
    }
}

/// A draw is uniform from 0 to the window: 32 values, 1000 of each expected of 32,000, with a standard deviation of 31. It
/// forgets when a frame was ready.
#[test]
fn a_backoff_is_uniform_over_the_window() {
    let mut random = Random::stream(3, "backoff", "a");
    let mut made = contention(0);
    let mut counts = [0i32; 32];
    for _ in 0..32_000 {
        made.ready = us(1000);
        made.draw(&mut random);
        assert_eq!(made.ready, Time::ZERO);
        counts[made.slots as usize] += 1;
    }
    assert!(
        counts.iter().all(|n| (n - 1000).abs() < 5 * 31),
        "{counts:?}"
    );
}

/// After as many failures in a row as a frame may have transmissions the window goes on to widen; after one more it returns to
/// its least. Without a limit it never does.
#[test]
fn the_window_returns_after_too_many_failures() {
    let windows = |limit: u32| {
        let mut made = contention(0);
        let mut seen = Vec::new();
        for _ in 0..6 {
            made.widen_or_return(limit);
            seen.push(made.cw);
        }
        (seen, made.failures)
    };
    assert_eq!(windows(3), (vec![63, 127, 255, 31, 63, 127], 2));
    assert_eq!(windows(0), (vec![63, 127, 255, 511, 1023, 1023], 6));
    assert_eq!(windows(1), (vec![63, 31, 63, 31, 63, 31], 0));
}

/// A bucket of 8 Mbit/s lets 1000 B go each millisecond; time that was not used is not saved.
#[test]
fn a_paced_category_waits_for_its_bytes() {
    let mut made = contention(0);
    made.spend(1000, us(0));
    assert_eq!(made.held, Time::ZERO);
    made.pace = Some(Rate(8_000_000));
    made.spend(1000, us(500));
    assert_eq!(made.held, us(1500));
    made.spend(500, us(700));
    assert_eq!(made.held, us(2000));
    made.spend(500, us(2600));
    assert_eq!(made.held, us(3100));
    assert_eq!(made.expiry(us(100), SLOT), us(3100));
    made.ready = us(5000);
    assert_eq!(made.expiry(us(100), SLOT), us(5000));
}

/// Parameters move while the medium is idle since 100 us. A counter keeps its slots behind the new AIFS. What would have sent
/// already sends at the next boundary, a boundary of now included.
#[test]
fn parameters_move_while_a_counter_runs() {
    let to = |aifsn: u8, cw_min: u32, cw_max: u32| Category {
        aifsn,
        cw_min,
        cw_max,
        ..contention(0).set
    };
    let moved = |slots: u32, cw: u32, set: Category, now: u64| {
        let mut made = contention(slots);
        made.cw = cw;
        made.move_to(set, us(100), us(now), SIFS, SLOT);
        (made.aifs, made.slots, made.cw, made.expiry(us(100), SLOT))
    };
    let aifs = |slots: u64| Span::micros(10 + 20 * slots);
    assert_eq!(
        moved(3, 31, to(7, 31, 1023), 200),
        (aifs(7), 3, 31, us(310))
    );
    assert_eq!(
        moved(3, 31, to(1, 63, 1023), 180),
        (aifs(1), 3, 63, us(190))
    );
    assert_eq!(moved(3, 255, to(1, 15, 63), 190), (aifs(1), 3, 63, us(190)));
    assert_eq!(
        moved(3, 255, to(1, 15, 511), 191),
        (aifs(1), 4, 255, us(210))
    );
    assert_eq!(moved(3, 31, to(1, 31, 31), 250), (aifs(1), 6, 31, us(250)));
}

/// Nor does a counter lose its slots that a bucket has held back until now, between two boundaries: the frame goes now.
#[test]
fn parameters_move_while_a_bucket_opens() {
    let mut made = contention(2);
    made.held = us(205);
    made.move_to(made.set, us(100), us(205), SIFS, SLOT);
    assert_eq!((made.slots, made.expiry(us(100), SLOT)), (2, us(205)));
}

/// Without a share for own packets all may fill the buffer; a limit is reached, not passed.
#[test]
fn a_buffer_without_shares_is_filled_to_its_limit() {
    let holds = |buffer: Limit, frames: u32, bytes: u64| {
        let mut made = contention(0);
        (made.buffer, made.frames, made.bytes) = (buffer, frames, bytes);
        made
    };
    for own in [true, false] {
        let of = |made: Contention| made.room(own, 1000, 1.0);
        assert_eq!(of(holds(Limit::Packets(3), 2, 0)), Room::Free);
        assert_eq!(of(holds(Limit::Packets(3), 3, 0)), Room::Full);
        assert_eq!(of(holds(Limit::Bytes(Bytes(3000)), 2, 2000)), Room::Free);
        assert_eq!(of(holds(Limit::Bytes(Bytes(3000)), 2, 2001)), Room::Full);
        assert_eq!(of(holds(Limit::Unlimited, 9999, 1 << 40)), Room::Free);
    }
}

/// Frames and bytes come and go, own ones in both books.
#[test]
fn books_of_frames_and_bytes_balance() {
    let mut made = contention(0);
    made.frames = 2;
    made.book(true, 1000);
    made.book(false, 500);
    let told = |c: &Contention| (c.frames, c.bytes, c.own_frames, c.own_bytes);
    assert_eq!(told(&made), (2, 1500, 1, 1000));
    made.release(false, 500);
    assert_eq!(told(&made), (1, 1000, 1, 1000));
    made.release(true, 1000);
    assert_eq!(told(&made), (0, 0, 0, 0));
    made.pass(700);
    made.pass(300);
    assert_eq!((made.passed.packets, made.passed.bytes), (2, 1000));
    made.line_up(4);
    made.line_up(4);
    made.line_up(5);
    assert_eq!(made.hops[..], [4, 5]);
    made.clear(4);
    assert_eq!(made.hops[..], [5]);
}

/// The stall clock counts while gates hold back all frames: from 10 to 30 us and from 50 us on.
#[test]
fn the_stall_clock_counts_what_gates_hold_back() {
    let mut made = contention(0);
    made.set_dormant(true, us(10));
    assert!(!made.wants_medium());
    assert_eq!(made.stall_clock(us(25)), Span::micros(15).0);
    made.set_dormant(false, us(30));
    assert_eq!(made.stall_clock(us(45)), Span::micros(20).0);
    made.set_dormant(true, us(50));
    made.set_dormant(true, us(55));
    assert_eq!(made.stall_clock(us(60)), Span::micros(30).0);
}

/// A category without a frame, or held back, is not due when another begins to send; nor is one whose slots are left.
#[test]
fn only_who_has_a_frame_is_due() {
    let due = |change: fn(&mut Contention), at: u64| {
        let mut made = contention(1);
        change(&mut made);
        let due = made.freeze(us(100), us(at), SLOT, Countdown::IdleSlot);
        (due, made.slots)
    };
    assert_eq!(due(|_| {}, 170), (true, 0));
    assert_eq!(due(|_| {}, 169), (false, 1));
    assert_eq!(due(|c| c.frames = 0, 170), (false, 0));
    assert_eq!(due(|c| c.dormant = true, 170), (false, 0));
    assert_eq!(due(|_| {}, 149), (false, 1));
}
