//! The fate of frames: what failures are charged to, places in a window of block acknowledgement, and the numbers of frames at
//! their receiver.

use backwater_transport::units::{Rate, Span, Time};

use super::frame::Exchange;
use super::session::Reorder;
use super::window::{Ghost, Tried, Window};
use crate::ids::FlowId;
use crate::medium::wifi::mac::aggregate::tests::{APART, short_packets};
use crate::table::Id;
use crate::world::World;

fn ghost() -> Ghost {
    Ghost {
        len: 1500,
        at: Time::ZERO,
        own: true,
        from: 0,
        flow: FlowId::NONE,
        seq: 0,
        to: 1,
        overheard: false,
    }
}

fn told(window: &Window) -> Vec<(u32, u64, u32)> {
    let tried = |place: usize| *window.at(place);
    let told = |one: Tried| (one.short, one.spent, one.of_others);
    (0..4).map(|place| told(tried(place))).collect()
}

/// Each frame of an exchange that failed has its 3 us: of two frames half of it counts for others, 1500 ns, of three two thirds.
/// What was acknowledged is passed over.
#[test]
fn failures_of_a_burst_are_charged_to_its_frames() {
    let mut window = Window::for_bursts(false);
    for place in 0..4 {
        window.at_mut(place);
    }
    window.finish(1);
    window.charge(2, 3_000_000);
    let half = 1500;
    assert_eq!(
        told(&window),
        [
            (1, 3_000_000, half),
            (0, 0, 0),
            (1, 3_000_000, half),
            (0, 0, 0)
        ]
    );
    window.at_mut(2).ghost = Some(ghost());
    window.charge_missing(3, 3_000_000);
    let both = 1500 + 2000;
    let expected = [
        (2, 6_000_000, both),
        (0, 0, 0),
        (1, 3_000_000, half),
        (1, 3_000_000, 2000),
    ];
    assert_eq!(told(&window), expected);
    // Another frame leaves: what was spent so far lies before it.
    window.overtake();
    assert_eq!(
        (window.at(0).overtaken, window.at(3).overtaken),
        (6_000_000, 3_000_000)
    );
}

/// An MPDU that goes alone: its first packet's failure is counted by `failed`, those of others here.
#[test]
fn failures_of_an_mpdu_alone_are_counted_once() {
    let mut window = Window::for_bursts(true);
    window.charge(3, 3_000_000);
    assert_eq!(
        told(&window)[..3],
        [
            (0, 3_000_000, 2000),
            (1, 3_000_000, 2000),
            (1, 3_000_000, 2000)
        ]
    );
}

/// Without a session a frame has the time of its exchanges, and no others are missing.
#[test]
fn a_window_of_one_has_the_time_of_its_exchanges() {
    let mut window = Window::default();
    window.charge(1, 700);
    window.charge(1, 300);
    window.charge_missing(1, 5000);
    let first = *window.first();
    assert_eq!((first.spent, first.short, first.of_others), (1000, 0, 0));
    window.overtake();
    assert_eq!(window.first().overtaken, 1000);
    assert!(window.is_clear());
    window.at_mut(0).ghost = Some(ghost());
    assert!(!window.is_clear() && window.first().has_begun() && !window.first().waits());
    assert_eq!(window.finish(0).spent, 1000);
    assert_eq!((window.first().spent, window.first().done), (0, false));
}

/// An exchange of which an nth counts: 10 us of failures, 4 us of them of others, and 3 us of the last one. Retries are failures
/// with and without RTS.
#[test]
fn a_transmission_has_its_share_of_exchanges() {
    let tried = Tried {
        short: 2,
        long: 3,
        spent: 10_000_000,
        of_others: 4000,
        ..Tried::default()
    };
    let done = tried.over(7, Span::micros(3), true);
    assert_eq!(
        (done.to, done.airtime, done.retries),
        (7, Span::micros(9), 5)
    );
    assert!(done.acknowledged);
    let begun = |short, long| {
        let tried = Tried {
            short,
            long,
            ..Tried::default()
        };
        (tried.has_begun(), tried.waits())
    };
    assert_eq!(begun(0, 0), (false, true));
    assert_eq!(begun(1, 0), (true, true));
    assert_eq!(begun(0, 1), (true, true));
}

/// The window moves over frames that were acknowledged in a row, one number for each; one that was given up before it was sent
/// leaves no number.
#[test]
fn a_window_moves_over_what_is_done() {
    let mut window = Window::for_bursts(false);
    for place in 0..4 {
        window.at_mut(place).ghost = Some(ghost());
    }
    let start = |window: &Window| window.session().map(|s| (s.start, s.frames.len()));
    window.finish(1);
    window.finish(2);
    window.advance();
    assert_eq!(start(&window), Some((0, 4)));
    assert_eq!(
        (
            window.open_from(0),
            window.open_from(1),
            window.open_from(4)
        ),
        (0, 3, 4)
    );
    let mut place = 0;
    assert!(window.take_received(&mut place).is_some());
    assert_eq!((place, window.at(0).done), (0, true));
    assert!(!window.is_clear());
    window.advance();
    assert_eq!(start(&window), Some((3, 1)));
    let mut place = 0;
    assert!(window.take_received(&mut place).is_some() && window.is_clear());
    let mut place = 0;
    assert!(window.take_received(&mut place).is_none());
    assert_eq!(place, 1);
    window.advance();
    // Never sent: no number. Sent: one.
    window.at_mut(0);
    window.give_up();
    assert_eq!(start(&window), Some((4, 0)));
    window.at_mut(0).short = 2;
    assert_eq!(window.give_up().short, 2);
    assert_eq!(start(&window), Some((5, 0)));
}

/// What shares an MPDU with the packet before keeps that when it is done; a window without a session forgets all.
#[test]
fn a_finished_packet_stays_joined() {
    let mut window = Window::for_bursts(false);
    *window.at_mut(0) = Tried {
        joined: true,
        sealed: true,
        short: 3,
        ..Tried::default()
    };
    assert_eq!(window.finish(0).short, 3);
    let left = window.at(0);
    assert!(left.joined && left.done && !left.sealed && left.short == 0);
}

/// Numbers of frames go round: behind the greatest comes 0. What lies behind the next one has passed.
#[test]
fn numbers_of_frames_go_round() {
    let mut reorder = Reorder::default();
    assert!(!reorder.is_past(0) && reorder.is_past(u32::MAX) && !reorder.is_past(1));
    assert!(!reorder.holds() && reorder.first_held().is_none());
    let at = |us: u64| Time::ZERO + Span::micros(us);
    reorder.hold(2, Id::raw(2), at(5));
    reorder.hold(4, Id::raw(4), at(3));
    assert!(reorder.holds());
    assert_eq!(reorder.first_held(), Some((2, at(5))));
    assert_eq!(reorder.release(), None);
    assert_eq!(reorder.skip_to(2), Some((Id::raw(2), at(5))));
    assert!(reorder.is_past(2) && !reorder.is_past(3));
    assert_eq!(reorder.skip_to(2), None);
    assert_eq!(reorder.first_held(), Some((4, at(3))));
    assert_eq!(reorder.skip_to(5), Some((Id::raw(4), at(3))));
    assert_eq!(reorder.skip_to(9), None);
    assert!(!reorder.holds() && reorder.is_past(8) && !reorder.is_past(9));
}

/// Of four MPDUs of an exchange, counted from the first that is not done, two have come: the first, which has two packets, and the third.
#[test]
fn mpdus_that_came_are_counted_once() {
    let mut world = World::build(&short_packets(APART)).expect("a legal line");
    let air = &mut world.media.air;
    let window = &mut air.hops[0].windows[1];
    for place in [0, 1, 2, 4] {
        window.at_mut(place).ghost = Some(ghost());
    }
    window.finish(0);
    window.at_mut(2).joined = true;
    let exchange = |count: u16| Exchange {
        count,
        ..Exchange::cf_end(1, (Rate(6_000_000), Span::ZERO), Time::ZERO)
    };
    let came = [1, 2, 3, 4, 5].map(|count| air.acknowledged(0, &exchange(count)));
    assert_eq!(came, [1, 1, 1, 2, 2]);
}
