//! Two hosts, a switch and a slow line beside a model that adds up spans: a frame waits until the one before it and its gap are over, and
//! takes part of the buffer until its last bit has left.

use backwater_sim::record::flow_stats::Count;
use backwater_sim::world::Report;
use backwater_transport::random::Random;
use backwater_transport::units::Span;

use crate::net::*;

/// Ticks for a byte of a host's line of 100 Mbit/s, and of the switch's line of 10.
const FAST: u64 = 80_000;
const SLOW: u64 = 800_000;
/// Propagation.
const DELAY: u64 = US;

/// A packet, and what becomes of it.
#[derive(Copy, Clone, Debug, Default)]
struct Journey {
    flow: usize,
    len: u64,
    born: u64,
    /// When it is at the switch.
    came: u64,
    /// When it is the next to leave, as the frame before has left; and when its first bit does, behind the gap. None where it finds no room.
    chosen: Option<u64>,
    begun: Option<u64>,
}

impl Journey {
    fn frame(&self) -> u64 {
        (self.len + 18).max(64)
    }

    /// When its last bit has left the switch.
    fn gone(&self) -> Option<u64> {
        Some(self.begun? + (8 + self.frame()) * SLOW)
    }

    fn delivered(&self) -> Option<u64> {
        Some(self.gone()? + DELAY)
    }
}

/// The fate of packets of two hosts: (born, IP bytes) of each.
fn journeys(demands: &[Vec<(u64, u64)>; 2], buffer: u64) -> Vec<Journey> {
    let mut all = Vec::new();
    for (flow, demands) in demands.iter().enumerate() {
        let mut free = 0;
        for (born, len) in demands.iter().copied() {
            let one = Journey {
                flow,
                len,
                born,
                ..Journey::default()
            };
            let left = free.max(born);
            free = left + (8 + one.frame() + 12) * FAST;
            let came = left + (8 + one.frame()) * FAST + DELAY;
            all.push(Journey { came, ..one });
        }
    }
    all.sort_by_key(|one| one.came);
    let mut free = 0;
    for i in 0..all.len() {
        let came = all[i].came;
        let held = all[..i]
            .iter()
            .filter(|one| one.gone().is_some_and(|at| at > came));
        if held.map(Journey::frame).sum::<u64>() + all[i].frame() <= buffer {
            let begun = came.max(free);
            all[i].chosen = Some(came.max(free.saturating_sub(12 * SLOW)));
            free = begun + (8 + all[i].frame() + 12) * SLOW;
            all[i].begun = Some(begun);
        }
    }
    all
}

/// How much of a span lies between two instants.
fn within((from, to): (u64, u64), (warm, end): (u64, u64)) -> u64 {
    to.min(end).saturating_sub(from.max(warm))
}

fn count<'a>(packets: impl Iterator<Item = &'a Journey>) -> Count {
    let mut count = Count::default();
    packets.for_each(|one| count.add(one.len));
    count
}

/// Compares all that a report says of the slow port, the flows and their hops since the end of the warm-up.
fn compare(report: &Report, all: &[Journey], (warm, end): (u64, u64), slow: usize) {
    let since = |at: Option<u64>| at.is_some_and(|at| warm < at && at <= end);
    let lost = |one: &&Journey| one.begun.is_none() && since(Some(one.came));
    let by = |what: &dyn Fn(&Journey) -> Option<u64>| {
        all.iter()
            .filter(|one| what(one).is_some_and(|at| at <= end))
            .count() as u64
    };
    assert_eq!(report.entered, by(&|one| Some(one.born)));
    assert_eq!(report.delivered, by(&Journey::delivered));
    assert_eq!(
        report.dropped,
        by(&|one| one.begun.is_none().then_some(one.came))
    );
    assert_eq!(
        report.held,
        report.entered - report.delivered - report.dropped
    );
    // The port.
    let port = &report.ports[slow].count;
    let begun = count(all.iter().filter(|one| since(one.chosen)));
    let frames: u64 = all
        .iter()
        .filter(|one| since(one.chosen))
        .map(Journey::frame)
        .sum();
    assert_eq!((port.packets, port.bytes), (begun.packets, frames));
    let busy = all.iter().filter_map(|one| {
        let begun = one.begun?;
        Some(within((begun, one.gone()? + 12 * SLOW), (warm, end)))
    });
    assert_eq!(port.busy, busy.sum::<u64>());
    let area = all.iter().filter_map(|one| {
        let held = within((one.came, one.gone()?), (warm, end));
        Some(u128::from(held) * u128::from(one.frame()))
    });
    assert_eq!(port.area, area.sum::<u128>());
    let held = |at: u64| {
        let here = all
            .iter()
            .filter(|one| one.came <= at && one.gone().is_some_and(|gone| gone > at));
        here.map(Journey::frame).sum::<u64>()
    };
    let joined = all
        .iter()
        .filter(|one| one.begun.is_some() && since(Some(one.came)));
    let most = joined
        .map(|one| held(one.came))
        .max()
        .unwrap_or(0)
        .max(held(warm));
    assert_eq!(port.max_bytes, most);
    assert_eq!(
        (port.stall, port.victims, port.marked, port.control),
        (0, 0, 0, 0)
    );
    // The flows, by themselves and in all.
    for flow in 0..2 {
        let mine = || all.iter().filter(move |one| one.flow == flow);
        let row = &report.flows[flow];
        let sums = &row.sums;
        assert_eq!(
            sums.entered,
            count(mine().filter(|one| since(Some(one.born))))
        );
        assert_eq!(sums.dropped, count(mine().filter(lost)));
        assert_eq!(
            sums.dropped_early,
            count(mine().filter(lost).filter(|one| one.born <= warm))
        );
        let there = || mine().filter(|one| since(one.delivered()));
        assert_eq!(sums.delivered, count(there()));
        let delay = |one: &Journey| one.delivered().expect("delivered") - one.born;
        let serial = |one: &Journey| (8 + one.frame()) * (FAST + SLOW);
        let total: u64 = there().map(delay).sum();
        let lines: u64 = there().map(serial).sum();
        let ways = 2 * DELAY * there().count() as u64;
        assert_eq!(sums.sum.total, u128::from(total));
        assert_eq!(sums.sum.serial, u128::from(lines));
        assert_eq!(sums.sum.propagation, u128::from(ways));
        assert_eq!(sums.sum.queue, u128::from(total - lines - ways));
        assert_eq!(sums.max, there().map(delay).max().unwrap_or(0));
        assert_eq!(sums.delay.len(), there().count() as u64);
        let last = mine()
            .filter_map(Journey::delivered)
            .filter(|at| *at <= end)
            .max();
        assert_eq!(row.last_delivered.map(|at| at.0), last);
        let at_switch = count(mine().filter(|one| since(Some(one.came))));
        let hops: Vec<Count> = row.hops.iter().map(|hop| hop.count).collect();
        assert_eq!(hops, [at_switch, sums.delivered]);
        let entered = sums.entered.packets;
        let late = mine().filter(lost).filter(|one| one.born > warm).count();
        let share = if entered == 0 {
            0.0
        } else {
            late as f64 / entered as f64
        };
        assert_eq!(sums.loss(), share);
        let row = report.drops.iter().find(|row| row.key.2.index() == flow);
        let dropped = row.map(|row| row.count).unwrap_or_default();
        assert_eq!(dropped, sums.dropped);
        assert!(row.is_none_or(|row| row.key.1.index() == slow));
    }
    let [a, b] = [&report.flows[0].sums, &report.flows[1].sums];
    for sums in [&report.all, &report.classes[0]] {
        let both = |of: &dyn Fn(&backwater_sim::world::ClassReport) -> Count| {
            let (a, b, sum) = (of(a), of(b), of(sums));
            assert_eq!(sum.packets, a.packets + b.packets);
            assert_eq!(sum.bytes, a.bytes + b.bytes);
        };
        both(&|sums| sums.entered);
        both(&|sums| sums.delivered);
        both(&|sums| sums.dropped);
        both(&|sums| sums.dropped_early);
        assert_eq!(sums.sum.total, a.sum.total + b.sum.total);
        assert_eq!(sums.sum.serial, a.sum.serial + b.sum.serial);
        assert_eq!(sums.sum.queue, a.sum.queue + b.sum.queue);
        assert_eq!(sums.sum.propagation, a.sum.propagation + b.sum.propagation);
        assert_eq!(sums.max, a.max.max(b.max));
        assert_eq!(sums.delay.len(), a.delay.len() + b.delay.len());
    }
}

/// Bursts and single packets of all sizes, a buffer of one to twenty frames, and a warm-up that ends at any instant.
#[test]
fn every_figure_of_a_report_is_that_of_the_model() {
    let mut random = Random::stream(1, "models", "line");
    for round in 0..60 {
        let end = random.between(5, 40) * MS + random.between(0, MS);
        let warm = if round % 4 == 0 {
            0
        } else {
            random.between(1, end - 1)
        };
        let buffer = random.between(1_518, 30_000);
        let mut demands = [Vec::new(), Vec::new()];
        for list in &mut demands {
            let mut at = random.between(1, MS);
            while at < end {
                let size = match random.between(0, 2) {
                    0 => random.between(1, 100),
                    _ => random.between(100, 1_500),
                };
                list.push((at, size));
                at += match random.between(0, 3) {
                    0 => 0,
                    1 => random.between(0, 200 * US),
                    _ => random.between(0, 4 * MS),
                };
            }
        }
        let mut net = Net::new(1.0);
        net.0.duration = Span(end);
        net.0.warmup = Span(warm);
        let (x, d) = (net.switch("X"), net.host("D"));
        for (i, list) in demands.iter().enumerate() {
            let s = net.host(&format!("S{i}"));
            net.link(s, x, 100 * MBIT);
            net.flow(&format!("f{i}"), s, d, script(list.iter().copied()));
        }
        let slow = net.link(x, d, 10 * MBIT)[0];
        net.buffer(slow, buffer);
        let all = journeys(&demands, buffer);
        compare(&net.run(), &all, (warm, end), slow);
        // Looked at on the way, and with an event for each departure, it is the same.
        let mut world = net.world();
        world.unfuse();
        while world.now() < world.end() {
            world.advance(
                world
                    .now()
                    .after(Span(random.between(1, 3 * MS)))
                    .min(world.end()),
            );
            let report = world.report();
            assert!(report.conserved, "round {round}");
            let now = world.now().0;
            let waits = |one: &&Journey| one.came <= now && one.chosen.is_some_and(|at| at > now);
            let due = all.iter().filter(waits).count() as u64;
            let port = [backwater_sim::table::Id::new(slow)];
            assert_eq!(world.waiting(&port), due, "round {round}");
        }
        compare(&world.report(), &all, (warm, end), slow);
    }
}
