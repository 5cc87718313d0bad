//! Terminals that share a frame of slots, beside a model that fills slots with the bytes of packets in the order in which they came.

use std::sync::Arc;

use backwater_sim::medium::tdma::{Demand, FramesSpec, TerminalSpec};
use backwater_sim::network::Values;
use backwater_sim::record::{Record, What};
use backwater_sim::spec::{Direction, Service};
use backwater_sim::table::Id;
use backwater_sim::world::{Report, World};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::net::*;
use crate::queues::add_law;
use crate::random::same;

/// Propagation to the hub.
pub const DELAY: u64 = 3 * MS;

/// The frame, and the slots of each terminal: those of the first come first.
#[derive(Clone, Debug)]
struct Frame {
    ticks: u64,
    slots: u64,
    slot: u64,
    overhead: u64,
    own: [u32; 2],
}

/// A packet, and what becomes of it.
#[derive(Copy, Clone, Debug, Default)]
struct Journey {
    len: u64,
    came: u64,
    /// The beginning of the first slot that takes of it, and of the last; the end of the last. None where it finds no room.
    pulled: Option<u64>,
    freed: Option<u64>,
    left: Option<u64>,
    lost: bool,
}

impl Journey {
    fn frame(&self) -> u64 {
        (self.len + 18).max(64)
    }
}

impl Frame {
    /// The beginning and the end of each slot of a terminal up to an instant.
    fn slots_of(&self, terminal: usize, end: u64) -> Vec<(u64, u64)> {
        let first = if terminal == 0 {
            0
        } else {
            u64::from(self.own[0])
        };
        let mine = first..first + u64::from(self.own[terminal]);
        let begins = |frame: u64, n: u64| frame * self.ticks + self.ticks * n / self.slots;
        (0..=end / self.ticks)
            .flat_map(|frame| {
                mine.clone()
                    .map(move |n| (begins(frame, n), begins(frame, n + 1)))
            })
            .filter(|(begin, _)| *begin <= end)
            .collect()
    }

    /// Fates in order of arrival at a queue of so many bytes, and the bytes that slots offered and carried.
    fn serve(&self, slots: &[(u64, u64)], all: &mut [Journey], buffer: u64) -> (u64, u64) {
        let (mut carried, mut next, mut done) = (0, 0, 0);
        let mut held = 0;
        let mut waiting: Vec<usize> = Vec::new();
        for (begin, ends) in slots.iter().copied() {
            while next < all.len() && all[next].came <= begin {
                if held + all[next].frame() > buffer {
                    all[next].lost = true;
                } else {
                    held += all[next].frame();
                    waiting.push(next);
                }
                next += 1;
            }
            let mut left = self.slot;
            while left > 0 && !waiting.is_empty() {
                let one = &mut all[waiting[0]];
                one.pulled.get_or_insert(begin);
                let part = left.min(one.len + self.overhead - done);
                (left, done, carried) = (left - part, done + part, carried + part);
                if done == one.len + self.overhead {
                    (one.freed, one.left, done) = (Some(begin), Some(ends), 0);
                    held -= one.frame();
                    waiting.remove(0);
                }
            }
        }
        for one in &mut all[next..] {
            one.lost = held + one.frame() > buffer;
            held += if one.lost { 0 } else { one.frame() };
        }
        (self.slot * slots.len() as u64, carried)
    }
}

/// A terminal of this frame at the port of link `n` from its first end: its slots, and how it asks for more.
pub fn join(
    net: &mut Net,
    n: usize,
    frames: &Arc<FramesSpec>,
    (constant, demand): (u32, Demand),
    overhead: u64,
) {
    let terminal = TerminalSpec {
        frames: Arc::clone(frames),
        constant,
        demand,
        most: frames.slots,
        overhead,
        delay: Span(DELAY),
    };
    net.0.links[n].directions[0] = Some(Box::new(Direction {
        name: String::new(),
        boxes: Vec::new(),
        service: Service::Slots(Box::new(terminal)),
    }));
}

/// A host for each terminal, with a link to the hub, which is a host as well.
fn net(frame: &Frame, demands: &[Vec<(u64, u64)>; 2], buffer: u64, end: u64) -> (Net, [usize; 2]) {
    let mut net = Net::new(1.0);
    net.0.duration = Span(end);
    let hub = net.host("G");
    let frames = Arc::new(FramesSpec {
        name: "sat".into(),
        frame: Span(frame.ticks),
        slots: frame.slots as u32,
        slot: Bytes(frame.slot),
        request_delay: None,
        free: false,
    });
    let ports = [0, 1].map(|n| {
        let host = net.host(&format!("T{n}"));
        let port = net.link(host, hub, 10 * MBIT)[0];
        net.buffer(port, buffer);
        join(
            &mut net,
            n,
            &frames,
            (frame.own[n], Demand::None),
            frame.overhead,
        );
        let list = demands[n].iter().copied();
        net.flow(&format!("f{n}"), host, hub, script(list));
        port
    });
    (net, ports)
}

fn demands(random: &mut Random, end: u64) -> Vec<(u64, u64)> {
    let mut list = Vec::new();
    let mut at = random.between(1, 20 * MS);
    while at < end {
        list.push((at, random.between(1, 1_500)));
        at += match random.between(0, 3) {
            0 => 0,
            1 => random.between(0, MS),
            _ => random.between(0, 60 * MS),
        };
    }
    list
}

/// Compares all that a report says of a terminal's port and its flow.
fn compare(report: &Report, all: &[Journey], (port, flow): (usize, usize), end: u64) {
    let sums = &report.flows[flow].sums;
    let came = all.iter().filter(|one| one.came <= end);
    let lost = came.clone().filter(|one| one.lost).count() as u64;
    assert_eq!(sums.entered.packets, came.clone().count() as u64);
    assert_eq!(sums.dropped.packets, lost);
    let there = |one: &&Journey| one.left.is_some_and(|at| at + DELAY <= end);
    let there: Vec<&Journey> = all.iter().filter(there).collect();
    let of = |what: &dyn Fn(&Journey) -> Option<u64>| {
        let each = there.iter().map(|one| what(one).expect("delivered"));
        each.map(u128::from).sum::<u128>()
    };
    assert_eq!(sums.delivered.packets, there.len() as u64);
    assert_eq!(
        sums.sum.total,
        of(&|one| Some(one.left? + DELAY - one.came))
    );
    assert_eq!(sums.sum.queue, of(&|one| Some(one.pulled? - one.came)));
    assert_eq!(sums.sum.serial, of(&|one| Some(one.left? - one.pulled?)));
    assert_eq!(sums.sum.propagation, of(&|_| Some(DELAY)));
    let count = &report.ports[port].count;
    let freed = all.iter().filter(|one| one.freed.is_some());
    assert_eq!(count.packets, freed.clone().count() as u64);
    assert_eq!(count.bytes, freed.map(Journey::frame).sum::<u64>());
    let area = came.clone().filter(|one| !one.lost).map(|one| {
        let held = one.freed.unwrap_or(end) - one.came;
        u128::from(held) * u128::from(one.frame())
    });
    assert_eq!(count.area, area.sum::<u128>());
    let held = |at: u64| {
        let here = came.clone().filter(|one| !one.lost && one.came <= at);
        let here = here.filter(|one| one.freed.is_none_or(|freed| freed >= at));
        here.map(Journey::frame).sum::<u64>()
    };
    let joined = came.clone().filter(|one| !one.lost);
    let most = joined.map(|one| held(one.came)).max();
    assert_eq!(count.max_bytes, most.unwrap_or(0));
}

/// Mean and deviation of how many of these spans an instant up to the end lies in.
pub fn moments(spans: &[(u64, u64)], end: u64) -> (f64, f64) {
    let begins = spans.iter().map(|span| (span.0, 1));
    let mut changes: Vec<(u64, i64)> = begins
        .chain(spans.iter().map(|span| (span.1, -1)))
        .collect();
    changes.push((end, 0));
    changes.sort_unstable();
    let (mut at, mut held, mut sum, mut squares) = (0, 0, 0.0, 0.0);
    for (next, change) in changes {
        let (span, n) = ((next.min(end) - at) as f64, held as f64);
        (sum, squares) = (sum + n * span, squares + n * n * span);
        (at, held) = (next.min(end), held + change);
    }
    let mean = sum / end as f64;
    (mean, (squares / end as f64 - mean * mean).max(0.0).sqrt())
}

/// Compares the mean queue that a law has seen with that of frames that were in it from one instant to another.
pub fn compare_queue(report: &Report, law: usize, spans: &[(u64, u64)], end: u64) {
    let (mean, deviation) = report.stamps[law].queue.expect("time has passed");
    let wanted = moments(spans, end);
    let off = (mean - wanted.0).abs().max((deviation - wanted.1).abs());
    assert!(off < 1e-6, "{mean} {deviation} {wanted:?}");
}

/// A law is shown each packet when it comes and when a slot takes the first byte of it.
fn compare_log(log: &[Values], all: &[Journey], end: u64) {
    let came = all.iter().map(|one| one.came).filter(|at| *at <= end);
    let mut shown: Vec<u64> = came
        .chain(all.iter().filter_map(|one| one.pulled))
        .collect();
    shown.sort_unstable();
    let seen: Vec<u64> = log.iter().map(|values| values.0.0).collect();
    assert_eq!(seen, shown);
}

/// A record of sending is of the first byte, and says how long the packet has waited.
fn compare_sends(records: &[Record], port: usize, all: &[Journey]) {
    let sends = records.iter().filter(|r| r.what == What::Send);
    let sends = sends.filter(|r| r.port.index() == port);
    let sends: Vec<(u64, u64)> = sends.map(|r| (r.at.0, r.value)).collect();
    let pulled = all.iter().filter_map(|one| Some((one.pulled?, one.came)));
    let pulled: Vec<(u64, u64)> = pulled.map(|(at, came)| (at, at - came)).collect();
    assert_eq!(sends, pulled);
}

/// Bytes that the slots of a terminal offered and carried.
pub fn counted(world: &World, port: usize) -> Option<(u64, u64)> {
    world.network().ports[Id::new(port)].more.service.counted()
}

/// Two terminals with slots of their own, packets of all sizes, a buffer of one to twenty frames: each figure of both is that of the
/// model. A packet leaves with the end of the slot that takes its last byte, and gives up its room when that slot begins.
#[test]
fn slots_take_the_bytes_of_packets_in_their_order() {
    let mut random = Random::stream(1, "models", "slots");
    let mut lost = 0;
    for round in 0..16 {
        let frame = Frame {
            ticks: random.between(2 * MS, 40 * MS),
            slots: random.between(4, 11),
            slot: random.between(40, 3_000),
            overhead: random.between(0, 1) * 36,
            own: [random.between(1, 2) as u32, random.between(1, 2) as u32],
        };
        let end = random.between(200, 700) * MS + 1;
        let buffer = random.between(1_518, 12_000);
        let demands = [(); 2].map(|()| demands(&mut random, end));
        let (mut net, ports) = net(&frame, &demands, buffer, end);
        let capacity = [("capacity", Value::Rate(Rate(MBIT)))];
        ports
            .iter()
            .for_each(|port| add_law(&mut net, *port, &capacity));
        let mut world = net.world();
        world.start_law_log();
        world.advance(world.end());
        let report = world.report();
        assert!(report.conserved, "round {round}");
        let (recorded, records) = net.run_recorded();
        same(&report, &recorded, "recorded", round);
        let log = world.take_law_log();
        for (n, port) in ports.into_iter().enumerate() {
            let packet = |&(came, len): &(u64, u64)| Journey {
                came,
                len,
                ..Journey::default()
            };
            let mut all: Vec<Journey> = demands[n].iter().map(packet).collect();
            let slots = frame.slots_of(n, end);
            let bytes = frame.serve(&slots, &mut all, buffer);
            compare(&report, &all, (port, n), end);
            assert_eq!(counted(&world, port), Some(bytes), "round {round}");
            let joined = all.iter().filter(|one| one.came <= end && !one.lost);
            let spans: Vec<(u64, u64)> = joined
                .map(|one| (one.came, one.freed.unwrap_or(end)))
                .collect();
            compare_queue(&report, n, &spans, end);
            compare_log(&log[n].1, &all, end);
            compare_sends(&records, port, &all);
            lost += all.iter().filter(|one| one.lost).count();
        }
    }
    assert!(lost > 10, "{lost}");
}
