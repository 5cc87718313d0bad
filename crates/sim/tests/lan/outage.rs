//! A line that is away or slow for a while, beside a model that adds up spans.

use backwater_sim::cause::Cause;
use backwater_sim::record::What;
use backwater_sim::spec::{Happening, LinkEvent};
use backwater_sim::world::Report;
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{PS_PER_S, Rate, Span};

use crate::net::*;
use crate::random::same;
use crate::timing::byte;

/// Ticks for a byte of the host's line of 100 Mbit/s.
const FAST: u64 = 80_000;
const RATE: u64 = 10 * MBIT;

/// The line from the switch: how long it is, and what happens to it between two instants.
#[derive(Copy, Clone, Debug)]
struct Line {
    delay: u64,
    from: u64,
    to: u64,
    /// Its rate meanwhile; none where it is down.
    rate: Option<u64>,
}

/// The fate of a frame at the switch.
#[derive(Copy, Clone, Debug, Default)]
struct Journey {
    len: u64,
    born: u64,
    came: u64,
    /// When it is chosen, when its first bit leaves, and how long its bytes take.
    chosen: Option<(u64, u64, u64)>,
    delivered: Option<u64>,
    lost: Option<(u64, Cause)>,
}

impl Journey {
    fn frame(&self) -> u64 {
        (self.len + 18).max(64)
    }

    fn gone(&self) -> Option<u64> {
        let (_, begun, byte) = self.chosen?;
        Some(begun + (8 + self.frame()) * byte)
    }
}

impl Line {
    fn is_down(&self, at: u64) -> bool {
        self.rate.is_none() && self.from <= at && at < self.to
    }

    /// Ticks for a byte of a frame that begins then.
    fn byte(&self, at: u64) -> u64 {
        let rate = match self.rate {
            Some(rate) if self.from <= at && at < self.to => rate,
            _ => RATE,
        };
        8 * PS_PER_S / rate
    }

    /// Fates in order of arrival at a queue of so many bytes.
    fn serve(&self, all: &mut [Journey], buffer: u64) {
        // The frame before: when it was chosen, and when its last bit has left.
        let mut before: Option<(u64, u64)> = None;
        for i in 0..all.len() {
            let came = all[i].came;
            if self.is_down(came) {
                all[i].lost = Some((came, Cause::LinkDown));
                continue;
            }
            let held = all[..i].iter().filter(|one| match one.gone() {
                Some(gone) => gone > came,
                None => one.lost.is_some_and(|(at, cause)| {
                    one.came < at && at > came && cause == Cause::LinkDown
                }),
            });
            if held.map(Journey::frame).sum::<u64>() + all[i].frame() > buffer {
                all[i].lost = Some((came, Cause::BufferFull));
                continue;
            }
            let chosen = came.max(before.map_or(0, |(_, gone)| gone));
            if self.rate.is_none() && came < self.from && self.from <= chosen {
                all[i].lost = Some((self.from, Cause::LinkDown));
                continue;
            }
            let begun = self.behind_gap(chosen, before);
            all[i].chosen = Some((chosen, begun, self.byte(chosen)));
            let gone = all[i].gone().expect("just chosen");
            before = Some((chosen, gone));
            let there = gone + self.delay;
            if self.rate.is_none() && chosen < self.from && self.from <= there {
                all[i].lost = Some((self.from, Cause::LinkDown));
            } else {
                all[i].delivered = Some(there);
            }
        }
    }

    /// When a frame begins that is chosen then: behind a gap of twelve bytes at the rate of the frame before, or of a change of the line
    /// before the gap was over.
    fn behind_gap(&self, chosen: u64, before: Option<(u64, u64)>) -> u64 {
        let Some((since, gone)) = before else {
            return chosen;
        };
        let mut gap = self.byte(since) * 12;
        for change in [self.from, self.to] {
            if since < change && change <= chosen && change < gone + gap {
                gap = self.byte(change) * 12;
            }
        }
        chosen.max(gone + gap)
    }
}

fn demands(random: &mut Random, end: u64) -> Vec<(u64, u64)> {
    let mut list = Vec::new();
    let mut at = random.between(1, MS);
    while at < end {
        list.push((at, random.between(46, 1_500)));
        at += match random.between(0, 3) {
            0 => 0,
            1 => random.between(0, 200 * US),
            _ => random.between(0, 3 * MS),
        };
    }
    list
}

fn journeys(demands: &[(u64, u64)]) -> Vec<Journey> {
    let mut free = 0;
    let mut journey = |(born, len): (u64, u64)| {
        let mut one = Journey {
            len,
            born,
            ..Journey::default()
        };
        let left = free.max(born);
        free = left + (8 + one.frame() + 12) * FAST;
        one.came = left + (8 + one.frame()) * FAST + US;
        one
    };
    demands.iter().copied().map(&mut journey).collect()
}

fn compare(report: &Report, all: &[Journey], slow: usize, end: u64, what: &str) {
    let mut lost = [0, 0];
    for (at, cause) in all.iter().filter_map(|one| one.lost) {
        lost[usize::from(cause == Cause::LinkDown)] += u64::from(at <= end);
    }
    for (n, cause) in [Cause::BufferFull, Cause::LinkDown].into_iter().enumerate() {
        let rows = report.drops.iter().filter(|row| row.key.0 == cause);
        let counted: u64 = rows.map(|row| row.count.packets).sum();
        assert_eq!(counted, lost[n], "{what}: {cause:?}");
    }
    let there = || {
        all.iter()
            .filter(|one| one.delivered.is_some_and(|at| at <= end))
    };
    assert_eq!(report.delivered, there().count() as u64, "{what}");
    let delay = |one: &Journey| one.delivered.expect("delivered") - one.born;
    let sums = &report.flows[0].sums;
    assert_eq!(
        sums.sum.total,
        there().map(delay).map(u128::from).sum::<u128>(),
        "{what}"
    );
    assert_eq!(sums.max, there().map(delay).max().unwrap_or(0), "{what}");
    let port = &report.ports[slow].count;
    let chosen = || {
        all.iter()
            .filter(|one| one.chosen.is_some_and(|(at, ..)| at <= end))
    };
    assert_eq!(port.packets, chosen().count() as u64, "{what}");
    assert_eq!(
        port.bytes,
        chosen().map(Journey::frame).sum::<u64>(),
        "{what}"
    );
    let area = all.iter().filter(|one| one.came <= end).filter_map(|one| {
        let to = one.gone()?;
        Some(u128::from(to.min(end) - one.came) * u128::from(one.frame()))
    });
    if all
        .iter()
        .all(|one| one.lost.is_none_or(|(_, cause)| cause != Cause::LinkDown))
    {
        assert_eq!(port.area, area.sum::<u128>(), "{what}");
    }
    assert_eq!(
        report.held,
        report.entered - report.delivered - report.dropped
    );
}

/// A line is down, or has another rate, from one instant to another; frames of all sizes come meanwhile, wait, or are on it.
#[test]
fn a_line_that_is_away_or_slow_does_to_each_frame_what_the_model_says() {
    let mut random = Random::stream(1, "models", "outage");
    let mut lost = 0;
    for round in 0..120 {
        let end = random.between(10, 40) * MS;
        let line = Line {
            delay: match random.between(0, 2) {
                0 => 0,
                1 => US,
                _ => random.between(US, 3 * MS),
            },
            from: random.between(1, end / 2) | 1,
            to: random.between(end / 2 + 1, end - 1) | 1,
            rate: match round % 2 {
                0 => None,
                _ => Some([MBIT, 100 * MBIT][random.between(0, 1) as usize]),
            },
        };
        let buffer = random.between(1_518, 20_000);
        let demands = demands(&mut random, end);
        let mut net = Net::new(1.0);
        net.0.duration = Span(end);
        let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
        net.link(s, x, 100 * MBIT);
        let slow = net.link(x, d, RATE)[0];
        net.0.links[1].delay = Span(line.delay);
        net.buffer(slow, buffer);
        net.flow("f", s, d, script(demands.iter().copied()));
        net.0.events.push(LinkEvent {
            name: "e".into(),
            links: vec![1],
            at: Span(line.from),
            until: Some(Span(line.to)),
            what: match line.rate {
                None => Happening::Down { converge: None },
                Some(rate) => Happening::Rate(Rate(rate)),
            },
        });
        let mut all = journeys(&demands);
        line.serve(&mut all, buffer);
        let report = net.run();
        compare(
            &report,
            &all,
            slow,
            end,
            &format!("round {round}, {line:?}"),
        );
        same(&report, &net.run_recorded().0, "recorded", round);
        lost += all.iter().filter(|one| one.lost.is_some()).count();
    }
    assert!(lost > 500, "{lost}");
}

/// A link that is away from one instant to another.
pub fn away(link: usize, from: u64, to: u64) -> LinkEvent {
    LinkEvent {
        name: format!("away{link}"),
        links: vec![link],
        at: Span(from),
        until: Some(Span(to)),
        what: Happening::Down { converge: None },
    }
}

/// The n-th of full frames that S or B sends at once over 100 Mbit/s is at the switch.
pub fn comes(n: u64) -> u64 {
    (n * 1538 - 12) * FAST + US
}

/// Five frames of the higher class come, and the third is on the line when it goes down: it is lost with the two that wait. After
/// the return two frames of the lower class come, and leave one after the other.
#[test]
fn a_line_that_comes_back_serves_the_classes_that_have_frames() {
    let mut net = Net::new(0.1);
    let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
    net.link(s, x, 100 * MBIT);
    net.link(x, d, RATE);
    net.classes(2);
    net.flow("high", s, d, script([(0, 7_500)])).class = 1;
    net.flow("low", s, d, script([(30 * MS, 3_000)]));
    net.0.events.push(away(1, 3 * MS, 20 * MS));
    let (report, records) = net.run_recorded();
    let there = records.iter().filter(|r| r.what == What::Deliver);
    let there: Vec<(u32, u64)> = there.map(|r| (r.flow.0, r.at.0)).collect();
    let served = |came: u64, n: u64| came + (n * 1538 - 12) * byte(RATE) + US;
    let (high, low) = (comes(1), 30 * MS + comes(1));
    assert_eq!(
        there,
        [
            (0, served(high, 1)),
            (0, served(high, 2)),
            (1, served(low, 1)),
            (1, served(low, 2)),
        ]
    );
    assert_eq!(report.dropped, 3);
    same(&report, &net.run(), "not recorded", 0);
}

/// A frame waits at a gate that a card has closed. When the line goes down the frame is lost, and from then on the port no longer
/// stands still with frames waiting.
#[test]
fn a_port_stands_still_no_longer_when_what_waits_is_lost_with_its_line() {
    for frames in [1, 2] {
        let mut net = Net::new(0.1);
        let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
        net.link(s, x, 100 * MBIT);
        let port = net.link(x, d, RATE)[0];
        net.flow("f", s, d, script([(5 * MS, frames * 1_500)]));
        net.0.events.push(LinkEvent {
            name: "storm".into(),
            links: vec![1],
            at: Span(MS),
            until: Some(Span(10 * MS)),
            what: Happening::Storm(None),
        });
        net.0.events.push(away(1, 8 * MS, 60 * MS));
        let report = net.run();
        assert_eq!(report.dropped, frames);
        let stood = 8 * MS - (5 * MS + comes(1));
        assert_eq!(report.ports[port].count.stall, stood, "{frames}");
    }
}

/// A and B send over X to D, whose line of 1 Mbit/s takes 12.2 ms for a frame. B's third frame fills the queue, and X tells A to
/// stop. Gives the network and A's port.
pub fn full(low: f64) -> (Net, usize) {
    let mut net = Net::new(1.0);
    let (a, b, x) = (net.obeying_host("A"), net.host("B"), net.switch("X"));
    let d = net.host("D");
    let [out, _] = net.link(a, x, RATE);
    net.link(b, x, 100 * MBIT);
    let port = net.link(x, d, MBIT)[0];
    net.buffer(port, 5_000);
    net.flow("b", b, d, script([(0, 4_500)]));
    let marks = [("high", Value::Share(0.8)), ("low", Value::Share(low))];
    net.recipe("pause", &[port], &marks);
    (net, out)
}

/// The low mark lies below one frame. When the line to D goes down the frames behind the first are lost, and the first keeps its
/// room until its last bit would have left. A may go on then.
#[test]
fn a_queue_is_empty_when_the_frame_on_a_dead_line_would_have_left() {
    let (mut net, out) = full(0.2);
    net.0.events.push(away(2, 5 * MS, 900 * MS));
    let left = comes(1) + 1526 * byte(MBIT);
    let report = net.run();
    assert_eq!(report.ports[out].count.closed[0], left - comes(3));
    same(&net.run_recorded().0, &report, "recorded", 0);
}

/// The link to A goes down and comes back while the queue is full: A is told again at once, and lets go when two frames have left.
#[test]
fn a_neighbour_is_told_again_to_stop_when_its_link_is_back() {
    let (mut net, out) = full(0.4);
    net.0.events.push(away(0, 2 * MS, 10 * MS));
    let records = net.run_recorded().1;
    let clear = comes(1) + (2 * 1538 - 12) * byte(MBIT);
    assert_eq!(
        notices(&records, What::Notice, out + 1),
        [(comes(3), 65_535), (10 * MS, 65_535), (clear, 0)]
    );
}
