//! Carrier sense: what a frame that ended reserves, when counters stop, and when the record of a cell serves a station.

use backwater_transport::part::{Args, Value};
use backwater_transport::units::{Bytes, Rate, Span, Time};

use super::carrier_sense::CarrierSense;
use super::category::{AccessMode, Contention};
use super::cell::Cell;
use super::frame::{Frame, FrameKind, NOBODY};
use crate::limit::Limit;
use crate::medium::wifi::phy::timing::Medium;
use crate::medium::wifi::test_line::{flow, line};
use crate::world::World;

fn us(t: u64) -> Time {
    Time::ZERO + Span::micros(t)
}

/// OFDM under DCF: slots of 9 us, AIFS 34 us, EIFS 60 us more than that.
fn medium(nav_reset: bool) -> Medium {
    let mut spec = line(&[0.0]).media.remove(0);
    spec.mac.nav_reset = nav_reset;
    Medium::new(&spec)
}

/// A frame for station 5 that reserves 300 us.
fn frame(kind: FrameKind) -> Frame {
    Frame {
        kind,
        to: 5,
        holder: 8,
        begin: us(0),
        sent: us(99),
        rest: Span::micros(300),
        missed: false,
    }
}

/// A frame for another sets the NAV for what it reserves, and says whose exchange it is; an RTS does so until it is confirmed,
/// or for good where NAVs are not reset.
#[test]
fn frames_of_others_set_the_nav() {
    for (kind, reset, nav, rts) in [
        (FrameKind::Data, true, 400, 0),
        (FrameKind::Cts, true, 400, 0),
        (FrameKind::Rts, true, 0, 400),
        (FrameKind::Rts, false, 400, 0),
    ] {
        let mut sense = CarrierSense::new(3);
        sense.lock = 8;
        assert!(!sense.end_reception(3, &frame(kind), &medium(reset), us(100)));
        assert_eq!((sense.nav, sense.nav_rts), (us(nav), us(rts)), "{kind:?}");
        assert_eq!(
            (sense.lock, sense.holder, sense.defer),
            (NOBODY, 8, us(100))
        );
        // 114 us behind an RTS. See `nav_holds`.
        let check = if rts > 0 { 214 } else { 0 };
        assert_eq!(sense.nav_check, us(check));
        assert_eq!(sense.reserved(), us(nav.max(check)));
        // A shorter NAV does not shorten it.
        sense.nav = us(900);
        sense.end_reception(3, &frame(FrameKind::Data), &medium(reset), us(101));
        assert_eq!(sense.nav, us(900));
    }
}

/// For this station, or for all: nothing is reserved. A frame that reserves nothing leaves the holder. A damaged one defers by
/// EIFS.
#[test]
fn frames_for_this_station_reserve_nothing() {
    let made = medium(true);
    for to in [3, NOBODY] {
        let mut sense = CarrierSense::new(3);
        let frame = Frame {
            to,
            ..frame(FrameKind::Data)
        };
        assert!(sense.end_reception(3, &frame, &made, us(100)));
        assert_eq!(
            (sense.nav, sense.holder, sense.reserved()),
            (us(0), NOBODY, us(0))
        );
    }
    let mut sense = CarrierSense::new(3);
    let ack = Frame {
        rest: Span::ZERO,
        ..frame(FrameKind::Ack)
    };
    assert!(!sense.end_reception(3, &ack, &made, us(100)));
    assert_eq!((sense.nav, sense.holder), (us(0), NOBODY));
    sense.damaged = true;
    assert!(!sense.end_reception(3, &frame(FrameKind::Data), &made, us(200)));
    assert_eq!((sense.nav, sense.defer), (us(0), us(260)));
}

/// A CF-End ends every NAV now, and lengthens none. 10.23.2.10.
#[test]
fn a_cf_end_ends_the_nav() {
    for (nav, after) in [(900, 100), (40, 40)] {
        let mut sense = CarrierSense::new(3);
        (sense.nav, sense.nav_rts, sense.nav_check) = (us(nav), us(700), us(600));
        let end = Frame {
            to: NOBODY,
            rest: Span::ZERO,
            ..frame(FrameKind::CfEnd)
        };
        assert!(sense.end_reception(3, &end, &medium(true), us(100)));
        assert_eq!((sense.nav, sense.reserved()), (us(after), us(after)));
    }
}

/// Busy time is counted once, up to the frame that ended it, whose group the station joins.
#[test]
fn an_idle_medium_counts_from_the_last_frame() {
    let mut sense = CarrierSense::new(3);
    assert!(!sense.become_idle(7, 2, us(50)));
    assert_eq!((sense.cover, sense.busy_ticks, sense.since), (3, 0, us(0)));
    (sense.busy, sense.since, sense.busy_ticks) = (true, us(60), 1000);
    assert!(sense.become_idle(7, 2, us(100)));
    let told = (sense.cover, sense.number, sense.busy, sense.busy_ticks);
    assert_eq!(told, (7, 2, false, 1000 + 40_000_000));
    assert_eq!(sense.base(), us(100));
    sense.defer = us(130);
    assert_eq!(sense.base(), us(130));
    sense.nav = us(150);
    assert_eq!(sense.base(), us(150));
    (sense.nav_rts, sense.nav_check) = (us(500), us(170));
    assert_eq!(sense.base(), us(170));
}

/// Four categories, of which the first three count down to 1, 0 and 3 slots behind 34 us from 100 us on. The first two have frames.
fn stopped(at: u64, counting: u8) -> (CarrierSense, Vec<u32>) {
    let mut spec = line(&[0.0, 50.0]);
    spec.media[0].mac.access = AccessMode::Edca;
    spec.media[0].mac.categories = [AccessMode::Dcf.defaults((15, 1023))[0]; 4];
    let mut world = World::build(&spec).expect("a legal line");
    let air = &mut world.media.air;
    let radio = &mut air.radios[0];
    for (c, (slots, frames)) in radio
        .categories
        .iter_mut()
        .zip([(1, 1), (0, 1), (3, 0), (9, 0)])
    {
        (c.slots, c.frames) = (slots, frames);
    }
    let sense = &mut air.sensing[0];
    (sense.since, sense.counting, sense.due) = (us(100), counting, 0b1000);
    sense.freeze(radio, &air.media[0], us(at));
    (*sense, radio.categories.iter().map(|c| c.slots).collect())
}

/// Categories that would send at this instant are due; a counter at zero without a frame stops for good; one that does not count
/// keeps its slots. Before the medium is idle nothing counts.
#[test]
fn counters_stop_when_the_medium_becomes_busy() {
    let (sense, slots) = stopped(143, 0b0111);
    assert_eq!(
        (sense.due, sense.counting, &slots[..]),
        (0b0001, 0b0111, &[0, 0, 2, 9][..])
    );
    assert_eq!((sense.busy, sense.since), (true, us(143)));
    let (sense, slots) = stopped(134, 0b0111);
    assert_eq!(
        (sense.due, sense.counting, &slots[..]),
        (0b0010, 0b0111, &[1, 0, 3, 9][..])
    );
    let (sense, slots) = stopped(161, 0b0111);
    assert_eq!(
        (sense.due, sense.counting, &slots[..]),
        (0, 0b0011, &[0, 0, 0, 9][..])
    );
    let (sense, slots) = stopped(170, 0b1000);
    assert_eq!(
        (sense.due, sense.counting, &slots[..]),
        (0, 0b1000, &[1, 0, 3, 5][..])
    );
    let (sense, slots) = stopped(99, 0b0111);
    assert_eq!((sense.due, &slots[..]), (0, &[1, 0, 3, 9][..]));
    let (sense, slots) = stopped(143, 0);
    assert_eq!(
        (sense.due, sense.counting, &slots[..]),
        (0, 0, &[1, 0, 3, 9][..])
    );
}

/// A record of a cell of stations 4, 6 and 9. In the group of another a station has its place, less one behind the other; its
/// own number is the last.
#[test]
fn numbers_in_a_cell() {
    let cell = Cell::new(vec![4, 6, 9]);
    assert_eq!([4, 6, 9].map(|station| cell.place(station)), [0, 1, 2]);
    let numbers = |place: usize| [0, 1, 2].map(|of| cell.number(place, of));
    assert_eq!(
        [numbers(0), numbers(1), numbers(2)],
        [[2, 0, 0], [0, 2, 1], [1, 1, 2]]
    );
    assert_eq!(cell.apart.len(), 3);
    let apart: Vec<(u32, usize)> = cell
        .apart
        .iter()
        .map(|one| (one.station, one.place))
        .collect();
    assert_eq!(apart, [(4, 0), (6, 1), (9, 2)]);
}

/// A station may follow the record of its cell where its own has the same effect from 100 us on: what has passed by then counts
/// no more.
#[test]
fn a_record_serves_whose_own_has_the_same_effect() {
    let set = AccessMode::Dcf.defaults((15, 1023))[0];
    let serves = |ours: fn(&mut CarrierSense), mine: fn(&mut CarrierSense), ready: u64| {
        let mut cell = Cell::new(vec![0, 1, 2]);
        let mut own = CarrierSense::new(1);
        for sense in [&mut cell.sense, &mut own] {
            (sense.cover, sense.since) = (7, us(100));
        }
        ours(&mut cell.sense);
        mine(&mut own);
        let mut c = Contention::new(set, Limit::Unlimited, Span::micros(16), Span::micros(9));
        c.ready = us(ready);
        cell.serves(&own, &[c])
    };
    let same: fn(&mut CarrierSense) = |_| {};
    assert!(serves(same, same, 100) && !serves(same, same, 101));
    let differs: [fn(&mut CarrierSense); 8] = [
        |s| s.busy = true,
        |s| s.cover = 6,
        |s| s.since = us(99),
        |s| s.defer = us(101),
        |s| s.nav = us(101),
        |s| (s.nav_rts, s.nav_check) = (us(101), us(100)),
        |s| (s.nav_rts, s.nav_check) = (us(200), us(150)),
        |s| (s.nav, s.holder) = (us(101), 3),
    ];
    for (number, one) in differs.into_iter().enumerate() {
        assert!(!serves(same, one, 100), "{number}");
    }
    let passed: [fn(&mut CarrierSense); 5] = [
        |s| s.defer = us(100),
        |s| s.nav = us(100),
        |s| (s.nav_rts, s.nav_check) = (us(100), us(150)),
        |s| (s.nav_rts, s.nav_check) = (us(200), us(99)),
        |s| (s.nav, s.holder) = (us(100), 3),
    ];
    for (number, one) in passed.into_iter().enumerate() {
        assert!(serves(same, one, 100), "{number}");
    }
    // The same NAV of another's exchange is not the same.
    let nav: fn(&mut CarrierSense) = |s| (s.nav, s.holder) = (us(300), 4);
    let other: fn(&mut CarrierSense) = |s| (s.nav, s.holder) = (us(300), 5);
    assert!(serves(nav, nav, 300) && !serves(nav, nav, 301) && !serves(nav, other, 100));
}

/// Eight stations that hear each other begin with records of their own. Each follows the one of the cell when an exchange of RTS, CTS, data and
/// ACK has ended, however often there was one before.
#[test]
fn all_follow_the_record_of_their_cell_when_an_exchange_has_ended() {
    let mut spec = line(&[0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0]);
    let options = Args(vec![
        ("packet", Value::Bytes(Bytes(1000))),
        ("rate", Value::Rate(Rate(80_000))),
        ("phase", Value::Choice("start")),
    ]);
    spec.flows.push(flow([2, 5], "cbr", &options));
    let mut world = World::build(&spec).expect("a legal line");
    let apart = |world: &World| world.media.air.cells[0].as_ref().map(|c| c.apart.len());
    assert_eq!(apart(&world), Some(8));
    // A packet each 100 ms; its exchange takes less than a millisecond.
    for packet in 1..=4 {
        world.advance(Time::ZERO + Span::millis(100 * packet - 50));
        assert_eq!(world.media.air.radios[2].count.attempts, packet);
        assert_eq!(apart(&world), Some(0), "{packet}");
    }
}
