//! A trace link beside thirty lines that take its rules one by one.

use std::collections::VecDeque;

use backwater_sim::medium::trace::{Emulator, First};
use backwater_sim::table::Id;
use backwater_sim::world::{Fate, World};
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use crate::net::{CELLSIM, MAHIMAHI, MS, direction, recorded, spec};
use crate::outside::inject;

/// (instant, bytes on the link) of packets in their order; gives the instant at which each leaves, and what each opportunity
/// carries.
///
/// Each opportunity has so many bytes. The packet under way goes on, then the next begins, as long as bytes are left and one has come:
/// before the opportunity, or at its instant where arrivals go first.
fn leave(
    opportunities: &[u64],
    bytes: u64,
    first: First,
    packets: &[(u64, u64)],
) -> (Vec<Option<u64>>, Vec<(u64, u64)>) {
    let (mut left, mut parts) = (vec![None; packets.len()], Vec::new());
    let mut queue: VecDeque<(usize, u64)> =
        packets.iter().map(|packet| packet.1).enumerate().collect();
    let mut under_way = false;
    for at in opportunities {
        let mut room = bytes;
        while room > 0 {
            let Some((number, missing)) = queue.front_mut() else {
                break;
            };
            let came = packets[*number].0;
            let here = match first {
                First::Opportunity => came < *at,
                First::Arrival => came <= *at,
            };
            if !under_way && !here {
                break;
            }
            let part = room.min(*missing);
            parts.push((*at, part));
            room -= part;
            *missing -= part;
            under_way = *missing > 0;
            if !under_way {
                left[*number] = Some(*at);
                queue.pop_front();
            }
        }
    }
    (left, parts)
}

/// Random traces with several opportunities in a millisecond and with gaps, packets of all sizes that come at whole milliseconds and between
/// them, in crowds and alone.
#[test]
fn any_packets_leave_a_trace_link_as_the_rules_have_it() {
    let mut random = Random::stream(1, "models", "trace");
    for round in 0..60 {
        let emulator: &Emulator = if round % 2 == 0 { MAHIMAHI } else { CELLSIM };
        let first = if round / 2 % 2 == 0 {
            First::Opportunity
        } else {
            First::Arrival
        };
        let mut lines = vec![random.between(0, 5)];
        for _ in 0..120 {
            let gap = match random.between(0, 9) {
                0..=3 => 0,
                4..=8 => random.between(1, 4),
                _ => random.between(20, 60),
            };
            lines.push(lines[lines.len() - 1] + gap);
        }
        let mut at = 0;
        let packets: Vec<(u64, u64)> = (0..80)
            .map(|_| {
                at += match random.between(0, 5) {
                    0..=1 => 0,
                    2..=3 => random.between(0, 3) * MS,
                    4 => random.between(1, 2 * MS),
                    _ => random.between(0, 20) * MS,
                };
                // To a whole millisecond, half of the time.
                if random.between(0, 1) == 0 {
                    at = at.div_ceil(MS) * MS;
                }
                (at, random.between(46, 1500))
            })
            .collect();
        let link = direction(recorded(lines.clone(), false), emulator, first, vec![]);
        let mut world = World::build(&spec([link, None], 2.0)).expect("a link");
        for (tag, (at, len)) in (0..).zip(&packets) {
            inject(&mut world, Time(*at), Id::new(0), *len, tag);
        }
        let opportunities: Vec<u64> = lines.iter().map(|ms| ms * MS).collect();
        let sizes: Vec<(u64, u64)> = packets
            .iter()
            .map(|(at, len)| (*at, len + emulator.overhead))
            .collect();
        let (due, parts) = leave(&opportunities, emulator.opportunity, first, &sizes);
        // In the middle of the run the link says what it has done, and counts anew.
        let middle = random.between(1, 200) * MS - random.between(0, 1) * (MS / 2);
        world.advance(Time(middle));
        world.waiting(&[Id::new(0)]);
        let before = left_by(&sizes, &due, middle);
        let carried = |to: u64| {
            let carried = parts.iter().filter(|(at, _)| *at <= to);
            carried.map(|(_, bytes)| bytes).sum::<u64>()
        };
        {
            let port = &mut world.network_mut().ports[Id::new(0)];
            let scorer = &mut port.more.service.server_mut().expect("a trace").scorer;
            assert_eq!(scorer.left(Time(middle)), before);
            assert_eq!(scorer.carried(Time(middle)), carried(middle));
            scorer.warm(Time(middle));
            assert_eq!(scorer.carried(Time(middle)), 0);
        }
        world.advance(world.end());
        assert!(world.report().conserved);
        let mut found = vec![None; packets.len()];
        for exit in world.take_exits() {
            assert_eq!(exit.fate, Fate::Delivered);
            found[exit.tag as usize] = Some(exit.at.0);
        }
        assert_eq!(found, due, "round {round}");
        // The link's own counts: packets that left, and those offered from an instant on.
        let port = &world.network().ports[Id::new(0)];
        let server = port.more.service.server().expect("a trace");
        let (now, all) = (world.now(), left_by(&sizes, &due, u64::MAX));
        assert_eq!(
            server.scorer.left(now),
            (all.0 - before.0, all.1 - before.1)
        );
        let rest = carried(u64::MAX) - carried(middle);
        assert_eq!(server.scorer.carried(now), rest);
        let from = random.between(0, 100) * MS - random.between(0, 1);
        let known = |to| known(&packets, &due, from.div_ceil(MS), to / MS);
        for to in [middle, now.0] {
            let found = server.scorer.signal_p95(Time(from), Time(to));
            assert_eq!(found, signal(&known(to)), "round {round}");
        }
        let from = Time(random.between(0, 100) * MS);
        let offered = opportunities.iter().filter(|at| **at >= from.0).count() as u64;
        let seconds = (world.end().0 - from.0) as f64 / 1e12;
        let rate = (offered * emulator.opportunity * 8) as f64 / seconds;
        let said = server.capacity(from, world.end());
        assert!((said - rate).abs() <= 1e-9 * rate, "{said} {rate}");
        assert_eq!(server.capacity(from, from), 0.0);
        let window: Vec<u64> = lines
            .iter()
            .copied()
            .filter(|ms| ms * MS >= from.0)
            .collect();
        match server.omniscient(from, world.end()) {
            None => assert!(window.is_empty()),
            Some(bound) => {
                assert_eq!(bound.bytes, window.len() as u64 * emulator.opportunity);
                let early = u64::from(first == First::Opportunity);
                let came = window.iter().filter_map(|ms| ms.checked_sub(early));
                let known: Vec<(u64, u64)> = came.map(|ms| (ms, early)).collect();
                assert_eq!(Some(bound.signal_p95), signal(&known));
            }
        }
    }
}

/// Packets that have left by an instant, and their bytes.
fn left_by(sizes: &[(u64, u64)], due: &[Option<u64>], to: u64) -> (u64, u64) {
    let gone = sizes.iter().zip(due);
    let gone = gone.filter(|(_, due)| due.is_some_and(|at| at <= to));
    gone.fold((0, 0), |sum, (size, _)| (sum.0 + 1, sum.1 + size.1))
}

/// Milliseconds from one on at which a packet came that has left by another, with the least delay of each.
fn known(packets: &[(u64, u64)], due: &[Option<u64>], from: u64, to: u64) -> Vec<(u64, u64)> {
    let mut least = std::collections::BTreeMap::new();
    for ((at, _), left) in packets.iter().zip(due) {
        let (Some(left), came) = (left.map(|at| at / MS), at / MS) else {
            continue;
        };
        let known: &mut u64 = least.entry(came).or_insert(u64::MAX);
        *known = (*known).min(left - came);
    }
    let wanted = |(came, delay): &(u64, u64)| *came >= from && came + delay <= to;
    least.into_iter().filter(wanted).collect()
}

/// The 95th percentile of the signal delay: a millisecond at which nothing came waits for the next at which something did.
fn signal(known: &[(u64, u64)]) -> Option<u64> {
    let (begin, end) = (known.first()?.0, known.last()?.0);
    let mut delays: Vec<u64> = (begin..=end)
        .map(|ms| {
            let next = known
                .iter()
                .find(|(came, _)| *came >= ms)
                .expect("the last");
            next.0 - ms + next.1
        })
        .collect();
    delays.sort_unstable();
    delays.get(delays.len() * 95 / 100).copied()
}
