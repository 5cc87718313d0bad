//! How many packets leave queue management before they are sent: the bounds of airtime and of a
//! driver.

use backwater_sim::limit::Limit;
use backwater_sim::medium::wifi::mac::category::Countdown;
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::medium::wifi::queue::arrangement::Arrangement;
use backwater_sim::queue::{AnyAqm, QUEUES};
use backwater_sim::spec::{AirtimeLimits, Serving, Turn};
use backwater_transport::part::Args;
use backwater_transport::units::{Rate, Span};

use crate::aggregate::{cell, mode};
use crate::air_delays::{packet, plain};
use crate::cell::{BASIC, Cell, cbr, disc, edca};

/// Queue management that drops the oldest packet where the buffer is full.
fn drop_head() -> AnyAqm {
    let row = QUEUES.iter().find(|part| part.id == "drop-head");
    let queue = (row.expect("a queue").build)(&Args(Vec::new())).expect("no options");
    queue.aqm.expect("queue management")
}

/// A station that sends long and short packets to so many neighbours, in A-MPDUs, more than fit.
fn sender(neighbours: usize, serving: Serving) -> Cell {
    let mut cell = cell(0.3, mode(Format::Ht, 20, 7, 1), 64, true, 100.0);
    let from = cell.station("from", 0.0, 0.0);
    cell.spec(from).buffer = Limit::Packets(300);
    cell.spec(from).aqm = Some(drop_head());
    cell.spec(from).serving = serving;
    for n in 0..neighbours {
        let to = cell.station(&format!("to{n}"), 1.0 + n as f64, 0.0);
        cell.flow(from, to, 1, cbr(1500, 60_000_000 / neighbours as u64));
        cell.flow(from, to, 1, cbr(60, 4_000_000 / neighbours as u64));
    }
    cell
}

/// An instance of queue management for each neighbour, and bounds in microseconds.
fn by_airtime([low, high, total]: [u64; 3]) -> Serving {
    Serving {
        turn: Turn::RoundRobin,
        each: true,
        driver: None,
        airtime: Some(AirtimeLimits {
            low: Span::micros(low),
            high: Span::micros(high),
            total: Span::micros(total),
        }),
    }
}

fn fingerprint(cell: &Cell) -> u64 {
    let (_, report) = cell.run();
    assert!(report.flows[0].sums.delivered.packets > 50);
    report.fingerprint
}

/// Up to the low limit packets for a neighbour leave, whatever waits for all. So the total is
/// without effect where the high limit is the low one.
#[test]
fn up_to_its_low_limit_a_neighbour_has_packets_whatever_others_have() {
    let run = |total| fingerprint(&sender(3, by_airtime([3000, 3000, total])));
    assert_eq!(run(1), run(1_000_000));
    assert_ne!(run(1), fingerprint(&sender(3, by_airtime([1000, 1000, 1]))));
}

/// Where a station has one neighbour, what waits for it is what waits for all: a total of 3 ms is
/// the same as a limit of 3 ms for that neighbour.
#[test]
fn what_waits_for_one_neighbour_is_all_that_waits() {
    let total = fingerprint(&sender(1, by_airtime([1, 1_000_000, 3000])));
    let limit = fingerprint(&sender(1, by_airtime([3000, 3000, 1])));
    assert_eq!(total, limit);
    assert_ne!(
        total,
        fingerprint(&sender(1, by_airtime([1, 1_000_000, 6000])))
    );
}

/// Linux's ath9k: 512 buffers, of which each of four queues has a quarter but for five.
#[test]
fn behind_queue_management_wait_as_many_packets_as_in_ath9k() {
    let run = |driver| {
        fingerprint(&sender(
            1,
            Serving {
                driver,
                ..Serving::default()
            },
        ))
    };
    assert_eq!(run(None), run(Some(512 / 4 - 5)));
    assert_ne!(run(None), run(Some(512 / 4 - 6)));
}

/// Random streams that are keyed anew: those of neighbours to which the first packet goes later,
/// too.
#[test]
fn queue_management_that_is_made_later_draws_by_the_new_key_too() {
    let serving = Serving {
        turn: Turn::RoundRobin,
        each: true,
        ..Serving::default()
    };
    let drawn = |before: &[u64], after: &[u64]| {
        let told = (Rate(1_000_000), 1, "s.BE".to_owned());
        let made = Arrangement::of(Some(&drop_head()), &serving, false, told);
        let mut made = made.expect("queue management");
        before.iter().for_each(|by| made.rekey(*by));
        let place = made.made_for(5);
        after.iter().for_each(|by| made.rekey(*by));
        made.judged[place].managed.random.unit()
    };
    let old = drawn(&[], &[]);
    assert_eq!(drawn(&[7], &[]), drawn(&[], &[7]));
    assert_eq!(drawn(&[7, 8], &[]), drawn(&[], &[7, 8]));
    assert_ne!(drawn(&[7], &[]), old);
}

/// Without A-MPDUs the packets for a neighbour leave queue management one by one, each when it may be sent: exchanges of 310 us follow each
/// other DIFS apart, as they do without queue management.
#[test]
fn packets_that_go_alone_leave_queue_management_one_by_one() {
    let serving = Serving {
        turn: Turn::RoundRobin,
        each: true,
        ..Serving::default()
    };
    let mut cell = plain(7);
    cell.spec(0).aqm = Some(drop_head());
    cell.spec(0).serving = serving;
    for at in [0, 5, 10] {
        packet(&mut cell, [0, 1], 1500, at);
    }
    let (_, report) = cell.run();
    let delays = report.flows.iter().map(|f| f.sums.sum.total / 1_000_000);
    // Exchanges of 310 us with DIFS of 34 us between them; each packet is received after 249 us.
    assert!(delays.eq([249, 249 + 344 - 5, 249 + 2 * 344 - 10]));
}

/// The ACK of the first packet is damaged by a station behind, which sends 34 us after its data and has its own ACK before the next attempt
/// 70 us after that. While the first frame goes again no other packet leaves queue management: when a fourth one finds a buffer of three
/// full, the second is the oldest there, and is dropped.
#[test]
fn no_packet_leaves_queue_management_while_another_goes_again() {
    let phy = plain(7).0.media[0].phy;
    let mut cell = Cell::new(0.1, phy, edca(phy, BASIC), disc(100.0, 100.0));
    let mac = &mut cell.0.media[0].mac;
    mac.countdown = Countdown::IdleSlot;
    for (category, aifsn) in mac.categories.iter_mut().zip([6, 6, 2, 2]) {
        (category.aifsn, category.cw_min, category.cw_max) = (aifsn, 0, 0);
    }
    for x in [0.0, 90.0, -90.0, -180.0, -270.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    cell.spec(0).buffer = Limit::Packets(3);
    cell.spec(0).aqm = Some(drop_head());
    cell.spec(0).serving = Serving {
        turn: Turn::RoundRobin,
        each: true,
        ..Serving::default()
    };
    // The station behind hears another one when the data begin, and so does not wait for their ACK.
    packet(&mut cell, [3, 4], 1500, 0);
    let damages = packet(&mut cell, [2, 3], 100, 50);
    cell.0.flows[damages].class = 2;
    let flows = [20, 25, 30, 430].map(|at| packet(&mut cell, [0, 1], 1500, at));
    let (_, report) = cell.run();
    assert_eq!(report.stations[0].failures, 1);
    let lost = flows.map(|flow| report.flows[flow].sums.dropped.packets);
    assert_eq!(lost, [0, 1, 0, 0]);
}
