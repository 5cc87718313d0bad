//! What a caller changes while a world runs, beside a model that follows each frame, and what is refused.

use backwater_sim::cause::Cause;
use backwater_sim::ids::PortId;
use backwater_sim::limit::Limit;
use backwater_sim::queue::AnyScheduler;
use backwater_sim::world::Report;
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, PS_PER_S, Rate, Span, Time};

use crate::net::*;

const FAST: u64 = 100 * MBIT;
const SLOW: u64 = 10 * MBIT;
/// Demands and changes come before the first instant, and all is delivered before the second.
const LAST: u64 = 30 * MS;
const END: u64 = 400 * MS;

/// A frame that comes to the switch, and what becomes of it.
#[derive(Copy, Clone, Debug)]
struct Frame {
    class: usize,
    len: u64,
    born: u64,
    came: u64,
    chosen: u64,
    gone: Option<u64>,
    there: u64,
}

impl Frame {
    fn bytes(&self) -> u64 {
        (self.len + 18).max(64)
    }
}

/// The line behind the switch, and what a change at an instant gives it.
#[derive(Copy, Clone, Debug)]
struct Line {
    change: u64,
    room: [u64; 2],
    byte: [u64; 2],
    delay: [u64; 2],
    by_class: [bool; 2],
}

impl Line {
    fn plain(change: u64) -> Line {
        let byte = 8 * PS_PER_S / SLOW;
        Line {
            change,
            room: [u64::MAX; 2],
            byte: [byte; 2],
            delay: [US; 2],
            by_class: [false; 2],
        }
    }

    fn now(&self, at: u64) -> usize {
        usize::from(at > self.change)
    }

    /// The gap of twelve bytes behind a frame, at its rate or at that of a change before the gap is over.
    fn gap(&self, before: &Frame, gone: u64, due: u64) -> u64 {
        let gap = 12 * self.byte[self.now(before.chosen)];
        let meanwhile = before.chosen < self.change && self.change <= due;
        match meanwhile && self.change < gone + gap {
            true => 12 * self.byte[1],
            false => gap,
        }
    }

    /// The fates of frames in the order in which they come. A frame is chosen as soon as the one before has gone, and its first
    /// bit leaves behind the gap. One that would overtake another on the wire arrives with it.
    fn serve(&self, all: &mut [Frame]) {
        let mut waiting: Vec<usize> = Vec::new();
        let mut before: Option<Frame> = None;
        let (mut next, mut free, mut last) = (0, 0, 0);
        loop {
            let oldest = waiting.first().copied().unwrap_or(next);
            let due = all.get(oldest).map_or(u64::MAX, |one| one.came.max(free));
            if next < all.len() && all[next].came <= due {
                let came = all[next].came;
                let busy = before.filter(|one| one.gone > Some(came));
                let held = waiting.iter().map(|at| all[*at].bytes()).sum::<u64>()
                    + busy.map_or(0, |one| one.bytes());
                if held.saturating_add(all[next].bytes()) <= self.room[self.now(came)] {
                    waiting.push(next);
                }
                next += 1;
                continue;
            }
            if waiting.is_empty() {
                return;
            }
            let most = waiting.iter().map(|at| all[*at].class).max();
            let first = match self.by_class[self.now(due)] {
                true => waiting.iter().position(|at| Some(all[*at].class) == most),
                false => Some(0),
            };
            let one = &mut all[waiting.remove(first.expect("one waits"))];
            let quiet = before.map_or(0, |frame| free + self.gap(&frame, free, due));
            one.chosen = due;
            free = due.max(quiet) + (8 + one.bytes()) * self.byte[self.now(due)];
            last = last.max(free + self.delay[self.now(due)]);
            (one.gone, one.there) = (Some(free), last);
            before = Some(*one);
        }
    }
}

/// Demands of two classes, in bursts.
fn demands(random: &mut Random) -> [Vec<(u64, u64)>; 2] {
    let mut lists = [Vec::new(), Vec::new()];
    let mut at = random.between(1, MS);
    while at < LAST {
        let class = random.between(0, 1) as usize;
        lists[class].push((at, random.between(46, 1_500)));
        // No two at one instant: it would be the order of flows that decides.
        at += match random.between(0, 3) {
            0 | 1 => 1 + random.between(0, 20 * US),
            2 => 1 + random.between(0, 500 * US),
            _ => 1 + random.between(0, 3 * MS),
        };
    }
    lists
}

fn frames(lists: &[Vec<(u64, u64)>; 2]) -> Vec<Frame> {
    let mut all = Vec::new();
    for (class, list) in lists.iter().enumerate() {
        all.extend(list.iter().map(|(born, len)| Frame {
            class,
            len: *len,
            born: *born,
            came: 0,
            chosen: 0,
            gone: None,
            there: 0,
        }));
    }
    all.sort_by_key(|one| one.born);
    let byte = 8 * PS_PER_S / FAST;
    let mut free = 0;
    for one in &mut all {
        let left = free.max(one.born);
        free = left + (8 + one.bytes() + 12) * byte;
        one.came = left + (8 + one.bytes()) * byte + US;
    }
    all
}

/// A host, a switch, a host, and two flows of these demands; gives the port of the slow line.
fn network(lists: &[Vec<(u64, u64)>; 2]) -> (Net, usize) {
    let mut net = Net::new(1.0);
    net.0.duration = Span(END);
    let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
    net.link(s, x, FAST);
    let slow = net.link(x, d, SLOW)[0];
    net.0.ports[slow].buffer = Limit::Unlimited;
    for (class, list) in lists.iter().enumerate() {
        let flow = net.flow(&format!("f{class}"), s, d, script(list.iter().copied()));
        flow.class = class as u8;
    }
    (net, slow)
}

fn hold(report: &Report, all: &[Frame], what: &str) {
    assert!(report.conserved, "{what}");
    let lost = all.iter().filter(|one| one.gone.is_none()).count() as u64;
    let full = report.drops.iter().filter(|d| d.key.0 == Cause::BufferFull);
    assert_eq!(full.map(|d| d.count.packets).sum::<u64>(), lost, "{what}");
    for (class, flow) in report.flows.iter().enumerate() {
        let mine = || {
            all.iter()
                .filter(move |one| one.class == class && one.gone.is_some())
        };
        assert!(mine().all(|one| one.there < END), "{what}: too long a run");
        let delay = |one: &Frame| one.there - one.born;
        let total: u128 = mine().map(|one| u128::from(delay(one))).sum();
        assert_eq!(flow.sums.sum.total, total, "{what}, class {class}");
        let most = mine().map(delay).max().unwrap_or(0);
        assert_eq!(flow.sums.max, most, "{what}, class {class}");
    }
}

/// Runs random demands with a change in their midst, and holds each to the model.
fn rounds(
    name: &str,
    draw: impl Fn(&mut Random, &mut Line),
    begin: impl Fn(&mut Net, usize, &Line),
    change: impl Fn(&Net, &mut backwater_sim::world::World, usize, &Line),
) -> Vec<(Line, Vec<Frame>)> {
    let mut random = Random::stream(1, "models", name);
    let mut found = Vec::new();
    for round in 0..60 {
        let lists = demands(&mut random);
        let mut line = Line::plain(random.between(MS, LAST) | 1);
        draw(&mut random, &mut line);
        let mut all = frames(&lists);
        line.serve(&mut all);
        let (mut net, slow) = network(&lists);
        begin(&mut net, slow, &line);
        let mut world = net.world();
        world.advance(Time(line.change));
        change(&net, &mut world, slow, &line);
        world.advance(world.end());
        hold(&world.report(), &all, &format!("{name} {round}, {line:?}"));
        found.push((line, all));
    }
    found
}

/// Frames that wait stay, also where a smaller buffer would not have taken them. It refuses what comes until there is room.
#[test]
fn another_buffer_refuses_what_comes_and_keeps_what_waits() {
    let limit = |room: u64| match room {
        u64::MAX => Limit::Unlimited,
        room => Limit::Bytes(Bytes(room)),
    };
    let draw = |random: &mut Random, line: &mut Line| {
        let small = random.between(1_518, 8_000);
        let large = [u64::MAX, 30_000][random.between(0, 1) as usize];
        line.room = match random.between(0, 2) {
            0 => [small, large],
            _ => [large, small],
        };
    };
    let found = rounds(
        "buffer",
        draw,
        |net, slow, line| net.0.ports[slow].buffer = limit(line.room[0]),
        |_, world, slow, line| {
            let changed = world.change_buffer(PortId::new(slow), limit(line.room[1]));
            changed.expect("a buffer that holds a frame");
        },
    );
    // Somebody is refused after the change where more waits than the new buffer holds.
    let refused = |(line, all): &(Line, Vec<Frame>)| {
        let lost = |one: &&Frame| one.gone.is_none() && one.came > line.change;
        all.iter().filter(lost).count()
    };
    assert!(found.iter().map(refused).sum::<usize>() > 100);
}

/// Frames that wait go into the new queues in the order in which they came; the one on the line ends.
#[test]
fn another_scheduler_takes_over_what_waits() {
    let scheduler = |by_class| match by_class {
        true => AnyScheduler::StrictPriority(2),
        false => AnyScheduler::Fifo,
    };
    let draw = |random: &mut Random, line: &mut Line| {
        line.by_class[1] = random.between(0, 1) == 0;
        line.by_class[0] = !line.by_class[1];
    };
    let found = rounds(
        "scheduler",
        draw,
        |net, slow, line| net.0.ports[slow].scheduler = scheduler(line.by_class[0]),
        |net, world, slow, line| {
            let mut other = net.clone();
            other.0.ports[slow].scheduler = scheduler(line.by_class[1]);
            let changed = world.change_queue(PortId::new(slow), &other.world());
            changed.expect("a port that nobody watches");
        },
    );
    let waits = |(line, all): &(Line, Vec<Frame>)| {
        let over = |one: &&Frame| one.came < line.change && one.chosen > line.change;
        all.iter().filter(over).count()
    };
    assert!(found.iter().map(waits).sum::<usize>() > 100);
}

/// The frame on the line ends as it began; the next has the new rate.
#[test]
fn another_rate_is_that_of_the_next_frame() {
    let draw = |random: &mut Random, line: &mut Line| {
        line.byte[1] = 8 * PS_PER_S / ([20, 100][random.between(0, 1) as usize] * MBIT);
    };
    rounds(
        "rate",
        draw,
        |_, _, _| {},
        |_, world, slow, line| {
            let rate = Rate(8 * PS_PER_S / line.byte[1]);
            let changed = world.change_rate(PortId::new(slow), rate);
            changed.expect("a line that nobody reckons with");
        },
    );
}

/// Frames that were chosen before the change arrive as they would have, and nobody overtakes them.
#[test]
fn another_delay_is_that_of_the_next_frame_and_nobody_overtakes() {
    let draw = |random: &mut Random, line: &mut Line| {
        let long = random.between(MS, 8 * MS);
        line.delay = match random.between(0, 1) {
            0 => [US, long],
            _ => [long, US],
        };
    };
    let found = rounds(
        "delay",
        draw,
        |net, _, line| net.0.links[1].delay = Span(line.delay[0]),
        |_, world, slow, line| {
            let changed = world.change_delay(PortId::new(slow), Span(line.delay[1]));
            changed.expect("a wire");
        },
    );
    let together = |(_, all): &(Line, Vec<Frame>)| {
        let mut there: Vec<u64> = all.iter().map(|one| one.there).collect();
        there.sort_unstable();
        there.windows(2).filter(|two| two[0] == two[1]).count()
    };
    assert!(found.iter().map(together).sum::<usize>() > 10);
}

/// The longest frame of the flows over a port must fit; others don't count.
#[test]
fn a_buffer_that_holds_no_frame_is_refused() {
    let mut net = Net::new(0.01);
    let (s, x) = (net.host("S"), net.switch("X"));
    let (d, e) = (net.host("D"), net.host("E"));
    net.link(s, x, FAST);
    let (long, short) = (net.link(x, d, SLOW)[0], net.link(x, e, SLOW)[0]);
    net.flow("long", s, d, cbr(MBIT));
    net.flow("short", s, e, cbr(MBIT)).packet = Bytes(500);
    let mut world = net.world();
    let mut change = |port: usize, limit: Limit| {
        let said = world.change_buffer(PortId::new(port), limit);
        said.map_err(|refusal| refusal.what)
    };
    let bytes = |n: u64| Limit::Bytes(Bytes(n));
    let what = "the buffer at X>D cannot hold one frame of 1518 B";
    assert_eq!(change(long, bytes(1_517)), Err(what.into()));
    assert_eq!(change(long, Limit::Packets(0)), Err(what.into()));
    assert_eq!(change(long, bytes(1_518)), Ok(()));
    assert_eq!(change(long, Limit::Packets(1)), Ok(()));
    let what = "the buffer at X>E cannot hold one frame of 518 B";
    assert_eq!(change(short, bytes(517)), Err(what.into()));
    assert_eq!(change(short, bytes(518)), Ok(()));
}

/// Each change is refused where a part has read the old value at its start, and nowhere else.
#[test]
fn what_a_part_remembers_is_not_changed() {
    let mut net = Net::new(0.01);
    let (s, x, y) = (net.host("S"), net.switch("X"), net.switch("Y"));
    let (z, d) = (
        net.shared_switch("Z", 200_000, 1_000, 3_000, 1),
        net.host("D"),
    );
    let [first, _] = net.link(s, x, FAST);
    let [told, back] = net.link(x, y, SLOW);
    let [free, _] = net.link(y, z, SLOW);
    let [shared, _] = net.link(z, d, SLOW);
    let saturated = source("saturated", &[("packet", Value::Bytes(Bytes(1_500)))]);
    net.flow("f", s, d, saturated);
    net.recipe("pause", &[x], &[]);
    let (fresh, mut world) = (net.world(), net.world());
    let mut buffer = |port: usize| {
        let said = world.change_buffer(PortId::new(port), Limit::Packets(7));
        said.map_err(|refusal| refusal.what)
    };
    let of = |name: &str, part: &str| {
        format!("the mechanism at `X` reckons with the {part} of `{name}`")
    };
    assert_eq!(buffer(told), Err(of("X>Y", "buffer")));
    assert_eq!(
        buffer(shared),
        Err("the shared memory of `Z` counts by class queue".into())
    );
    assert_eq!(
        buffer(first),
        Err("a saturated source keeps the buffer of `S>X` filled".into())
    );
    assert_eq!(buffer(free), Ok(()));
    let mut queue = |port: usize| {
        let said = world.change_queue(PortId::new(port), &fresh);
        said.map_err(|refusal| refusal.what)
    };
    assert_eq!(queue(told), Err(of("X>Y", "queue")));
    assert_eq!(queue(free), Ok(()));
    let mut rate = |port: usize| {
        let said = world.change_rate(PortId::new(port), Rate(MBIT));
        said.map_err(|refusal| refusal.what)
    };
    let reckons = "the mechanism at `X` reckons its notices with the line rate";
    // Both ends of a line reckon with it.
    assert_eq!(rate(told), Err(reckons.into()));
    assert_eq!(rate(back), Err(reckons.into()));
    assert_eq!(rate(first), Err(reckons.into()));
    assert_eq!(rate(free), Ok(()));
}
