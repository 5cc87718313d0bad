//! Packets that their receiver holds back behind one that is missing: until it comes, until they have waited long enough, or until a
//! BAR says that it will not come. Stations and rates are those of `air_delays`.

use backwater_sim::cause::Cause;
use backwater_sim::world::Report;
use backwater_transport::units::Span;

use crate::air_delays::{high, packet, parts};
use crate::attempts::log;
use crate::cell::Cell;

/// Packets that came behind a missing one after it had been passed over.
fn overtaken(report: &Report) -> u64 {
    let drops = report.drops.iter();
    let drops = drops.filter(|drop| drop.key.0 == Cause::Overtaken);
    drops.map(|drop| drop.count.packets).sum()
}

/// A packet that goes alone from this µs on, and two that form an A-MPDU behind it, the first of which a frame of `others` damages. The A-MPDU lasts
/// from 306 to 726 us, and the damaged packet comes again after 1036 us. Gives the flows of the two.
fn hole(cell: &mut Cell, ends: [usize; 2], others: [usize; 2], at: u64) -> [usize; 2] {
    packet(cell, ends, 1500, at);
    let pair = [5, 6].map(|after| packet(cell, ends, 1500, at + after));
    packet(cell, others, 100, at + 350);
    pair
}

/// A cell whose receivers wait so many µs for what is missing.
fn patient(micros: u64) -> Cell {
    let mut cell = high(false);
    let high = cell.0.media[0].high.as_mut().expect("modes");
    high.aggregation.as_mut().expect("a window").reorder = Some(Span::micros(micros));
    cell
}

/// What comes 310 us before the packet that it follows waits for it where the receiver is that patient, and goes on after 309 us where it
/// is not. Then the missing one is lost when it comes. The same holds for a second hole, on each hop, and in each category.
#[test]
fn a_receiver_waits_for_a_missing_packet_as_long_as_its_patience() {
    for (patience, waits, lost) in [(311, 310, 0), (309, 309, 1)] {
        for (ends, others) in [([0, 1], [2, 3]), ([3, 2], [1, 0])] {
            for class in [1, 2] {
                let mut cell = patient(patience);
                let pairs = [0, 3000].map(|at| hole(&mut cell, ends, others, at));
                cell.0.flows.iter_mut().for_each(|flow| flow.class = class);
                let (_, report) = log(&cell);
                for [first, second] in pairs {
                    assert_eq!(report.flows[first].sums.dropped.packets, lost);
                    assert_eq!(parts(&report, second)[5], waits);
                }
                assert_eq!(overtaken(&report), 2 * lost);
            }
        }
    }
}

/// Two packets are missing, and one has come behind each, 690 us apart: of an A-MPDU from 306 to 726 us and one from 808 to 1416 us, whose
/// first two MPDUs a frame damages around 1033 us. Later A-MPDUs with the missing ones find their receiver busy with frames of another
/// station. Each packet that has come waits for the patience of 1000 us, the second from its own arrival on.
#[test]
fn each_packet_behind_a_hole_waits_from_its_own_arrival_on() {
    let mut cell = patient(1000);
    let [one, two] = hole(&mut cell, [0, 1], [2, 3], 0);
    let [three, four] = [310, 311].map(|at| packet(&mut cell, [0, 1], 1500, at));
    packet(&mut cell, [2, 3], 100, 1010);
    for at in [1490, 1940] {
        packet(&mut cell, [2, 3], 1500, at);
    }
    let (_, report) = log(&cell);
    for (missing, came) in [(one, two), (three, four)] {
        assert_eq!(report.flows[missing].sums.dropped.packets, 1);
        assert_eq!(parts(&report, came)[5], 1000);
    }
    assert_eq!(overtaken(&report), 2);
}

/// The missing packet is too old when it would go again, 808 us after the beginning, and a BAR of 56 us says that it will not come: the one
/// behind it, which came after 726 us, goes on when the BAR ends. A receiver without patience waits for nothing else.
#[test]
fn a_bar_lets_go_what_waited_behind_a_packet_that_is_given_up() {
    let mut cell = high(false);
    cell.0.media[0].mac.lifetime = Some(Span::micros(700));
    let [missing, came] = hole(&mut cell, [0, 1], [2, 3], 0);
    let next = packet(&mut cell, [0, 1], 1500, 500);
    let (_, report) = log(&cell);
    assert_eq!(report.flows[missing].sums.dropped.packets, 1);
    assert_eq!(parts(&report, came)[5], 808 + 56 - 726);
    // AIFS behind the answer of 68 us, which a SIFS follows.
    let arrives = 808 + 56 + 16 + 68 + 34 + 228;
    let total = u128::from(Span::micros(arrives - 500).0);
    assert_eq!(report.flows[next].sums.sum.total, total);
}
