//! Controllers beside models that are written from the sources alone: both are told the same events, and must have the same window,
//! pacing rate and state after each. The events are drawn, and half of them lie at a limit of the model, or one beside it.
//!
//! A segment has 2^10 bytes and a tick is 2^-9 s, so that sums and products of them are exact: what is equal on paper is equal here.

mod bbr1;
mod bbr1_model;
mod bbr1_watch;
mod bbr3;
mod bbr3_acks;
mod bbr3_model;
mod bbr3_states;
mod copa;
mod copa_model;
mod scream_beside;
mod scream_model;
mod verus;
mod verus_model;
mod vivace;
mod vivace_model;

use backwater_transport::controller::{
    Ack, AnyController, CONTROLLERS, Cause, Congestion, Controller, Inspect, Lost, RateSample,
    Sent, Setup,
};
use backwater_transport::endpoint::Protocol;
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use crate::build::{options, quiet_ack};

/// Bytes of a segment.
pub const SEGMENT: u64 = 1 << 10;

/// 2^-9 s.
pub const TICK: Span = Span(1_000_000_000_000 >> 9);

/// The first window in bytes.
pub const INITIAL: u64 = 10 * SEGMENT;

/// An instant of so many ticks.
pub fn tick(n: u64) -> Time {
    Time::ZERO.after(TICK.times(n))
}

/// A controller with segments of `SEGMENT` bytes.
pub fn built(id: &str, given: &[(&str, &str)], protocol: Protocol) -> AnyController {
    let row = CONTROLLERS.iter().find(|row| row.id == id).expect(id);
    let setup = Setup {
        protocol,
        mss: SEGMENT,
        frame: SEGMENT + 66,
        initial: INITIAL,
        random: stream(id),
    };
    (row.build)(&options::read(row.options, given), &setup).expect(id)
}

/// The random stream of a controller.
pub fn stream(id: &str) -> Random {
    Random::stream(1, "controller", id)
}

/// What a sender tells.
#[derive(Clone, Debug)]
pub enum Event {
    Ack(Ack<'static>),
    Lost(Lost),
    Congestion(Congestion),
    Sent(Sent),
}

/// Values at which a model decides.
#[derive(Default)]
pub struct Edges {
    /// Bytes in flight.
    pub flights: Vec<f64>,
    pub instants: Vec<Time>,
    /// Bytes delivered when the acknowledged segment left.
    pub delivered: Vec<u64>,
    /// Bytes in flight when the acknowledged segment left, by the bytes lost since.
    pub sent_at: Vec<f64>,
}

/// A controller as its source has it.
pub trait Model {
    fn tell(&mut self, event: &Event);
    /// Window in bytes and pacing rate in bytes a second, where it paces.
    fn limits(&self) -> (f64, Option<f64>);
    fn inspect(&self) -> (&'static str, [f64; 4]);
    fn edges(&self) -> Edges;
    /// What else the controller shows.
    fn compare_more(&self, _controller: &AnyController, _place: &str) {}
}

fn close(ours: f64, theirs: f64, within: f64) -> bool {
    (ours - theirs).abs() <= within + 1e-12 * theirs.abs()
}

/// Both have the same limits, within what is cut off to whole bytes and bits, and show the same.
fn compare(controller: &AnyController, model: &dyn Model, place: &str) {
    let (limits, (window, pacing)) = (controller.limits(), model.limits());
    let window = window.max(SEGMENT as f64);
    let Inspect { state, values, .. } = controller.inspect();
    let (expected, shown) = model.inspect();
    assert_eq!(state, expected, "{place}");
    for ((name, ours), theirs) in values.into_iter().zip(shown) {
        assert!(
            close(ours, theirs, 1e-12),
            "{place}: {name} {ours} {theirs}"
        );
    }
    model.compare_more(controller, place);
    assert!(
        close(limits.window as f64, window.floor(), 1.0),
        "{place}: window {} {window}",
        limits.window
    );
    let bits = pacing.map(|bytes| (8.0 * bytes).clamp(1.0, 1e13).floor());
    let paced = limits.pacing.map(|rate| rate.0 as f64);
    let both = paced
        .zip(bits)
        .is_none_or(|(ours, theirs)| close(ours, theirs, 1.0));
    assert!(
        both && paced.is_some() == bits.is_some(),
        "{place}: pacing {paced:?} {bits:?}"
    );
}

/// Draws events.
pub struct Walk {
    random: Random,
    now: Time,
    delivered: u64,
    lost: u64,
    flight: u64,
    round: u64,
    number: u64,
    /// Bytes a second on the path, and round trip in ticks.
    rate: u64,
    rtt: u64,
    recovering: bool,
    /// Ticks that a segment waits.
    queue: u64,
    /// How often in 100 a segment is marked.
    pub marks: u64,
}

impl Walk {
    pub fn new(seed: u64) -> Walk {
        Walk {
            random: Random::stream(seed, "test", "walk"),
            // At once, or after a silence.
            now: tick(1 + seed % 2 * 1000),
            delivered: 0,
            lost: 0,
            flight: 0,
            round: 0,
            number: 0,
            rate: [1 << 20, 1 << 16, 150_000, 1 << 22][seed as usize % 4],
            rtt: 8,
            recovering: false,
            queue: 0,
            marks: 0,
        }
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.random.between(0, n - 1)
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// Time goes on by some ticks, or to the next limit or a picosecond beyond it.
    fn pass(&mut self, edges: &Edges) {
        let soon = self.now.after(TICK.times(64));
        let next: Vec<Time> = edges
            .instants
            .iter()
            .copied()
            .filter(|at| (self.now..soon).contains(at))
            .collect();
        if !next.is_empty() && self.below(4) == 0 {
            self.now = self.of(&next).after(Span(self.below(2)));
            return;
        }
        let ticks = self.of(&[0, 1, 1, 2, 4]);
        self.now = Time(self.now.0.next_multiple_of(TICK.0)).after(TICK.times(ticks));
    }

    /// What is in flight: some segments, or a limit.
    fn fly(&mut self, edges: &Edges) {
        let known: Vec<f64> = edges
            .flights
            .iter()
            .copied()
            .filter(|bytes| (0.0..1e9).contains(bytes))
            .collect();
        self.flight = if !known.is_empty() && self.below(2) == 0 {
            let bytes = self.of(&known) as u64;
            self.of(&[bytes, bytes, bytes + 1, bytes.saturating_sub(1)])
        } else {
            self.below(40) * SEGMENT
        };
    }

    fn sample(&mut self, edges: &Edges, lost: u64) -> RateSample {
        let mut prior = self.delivered.saturating_sub(self.below(16) * SEGMENT);
        if self.below(2) == 0 && !edges.delivered.is_empty() {
            let edge = self.of(&edges.delivered);
            prior = self.of(&[edge, edge, edge.saturating_sub(1), edge + 1]);
        }
        let quarters = self.of(&[4, 4, 4, 4, 4, 4, 5, 3, 8, 2]);
        let mut tx_in_flight = self.flight + self.below(4) * SEGMENT;
        if self.below(2) == 0 && !edges.sent_at.is_empty() {
            tx_in_flight = self.of(&edges.sent_at).min(1e9) as u64;
        }
        RateSample {
            // An eighth of a second.
            delivered: self.rate * quarters / 4 / 8,
            interval: TICK.times(64),
            app_limited: self.below(10) == 0,
            prior_delivered: prior.min(self.delivered),
            tx_in_flight,
            lost,
        }
    }

    fn ack(&mut self, edges: &Edges, lost: u64) -> Event {
        self.pass(edges);
        self.fly(edges);
        let acked = self.of(&[0, 1, 1, 1, 2, 3]) * SEGMENT;
        self.delivered += acked;
        self.lost += lost;
        let starts = self.below(6) == 0;
        self.round += u64::from(starts);
        let heavy = self.of(&[0, 0, 0, 1, 2, 4]) * SEGMENT / 4;
        let rate = (self.below(16) > 0).then(|| self.sample(edges, lost.max(heavy)));
        let rtt = TICK.times(self.of(&[4, 5, 6, 8]) * self.rtt / 8);
        if self.below(40) == 0 {
            self.queue = self.of(&[0, 0, 2, 8, 16, 64]);
        }
        let waits = self.of(&[0, 0, 0, 0, 1, 3]) + self.queue;
        let one_way = (self.below(8) > 0).then_some(TICK.times(16 + waits));
        Event::Ack(Ack {
            acked,
            acked_segments: (acked / SEGMENT) as u32,
            lost,
            marked: if self.below(100) < self.marks {
                acked
            } else {
                0
            },
            delivered: self.delivered,
            prior_in_flight: self.flight + acked,
            rtt: (self.below(8) > 0).then_some(rtt),
            srtt: TICK.times(self.rtt),
            one_way,
            rate,
            round: self.round,
            round_start: starts,
            cwnd_limited: self.below(3) > 0,
            recovering: self.recovering,
            ..quiet_ack(self.now, self.flight)
        })
    }

    fn congestion(&mut self, cause: Cause) -> Event {
        self.recovering = matches!(cause, Cause::Loss | Cause::Timeout);
        Event::Congestion(Congestion {
            now: self.now,
            cause,
            in_flight: self.flight,
            lost: self.below(3) * SEGMENT,
            tx_in_flight: self.flight,
            round: self.round,
        })
    }

    /// Segments are lost; the acknowledgement that tells of them may begin a recovery.
    fn losses(&mut self, edges: &Edges) -> Vec<Event> {
        let all = self.of(&[1, 1, 2, 6]);
        let mut events = Vec::new();
        for n in 1..=all {
            self.number += self.of(&[1, 1, 3]);
            let mut tx_in_flight = self.flight + self.below(40) * SEGMENT;
            if self.below(2) == 0 && !edges.sent_at.is_empty() {
                tx_in_flight = self.of(&edges.sent_at).min(1e9) as u64;
            }
            events.push(Event::Lost(Lost {
                now: self.now,
                number: self.number,
                len: SEGMENT,
                tx_in_flight: tx_in_flight.max(SEGMENT),
                lost: n * SEGMENT / self.of(&[1, 4]),
                in_flight: self.flight,
                app_limited: self.below(4) == 0,
            }));
        }
        if self.below(4) > 0 {
            events.push(self.congestion(Cause::Loss));
        }
        events.push(self.ack(edges, all * SEGMENT));
        events
    }

    fn sent(&mut self, edges: &Edges) -> Event {
        self.pass(edges);
        self.number += 1;
        self.flight = match self.below(2) {
            0 => SEGMENT,
            _ => self.flight + SEGMENT,
        };
        Event::Sent(Sent {
            now: self.now,
            number: self.number,
            len: SEGMENT,
            in_flight: self.flight,
            again: false,
            app_limited: false,
        })
    }

    /// What happens next.
    pub fn next(&mut self, edges: &Edges) -> Vec<Event> {
        match self.below(200) {
            0 => {
                // Another path, or a long silence.
                self.rate = self.of(&[
                    150_000,
                    1 << 16,
                    1 << 19,
                    1 << 20,
                    1 << 21,
                    1 << 22,
                    1 << 28,
                ]);
                self.rtt = self.of(&[4, 8, 8, 16]);
                let silence = self.of(&[1, 100, 1000]);
                self.now = self.now.after(TICK.times(silence));
                vec![self.ack(edges, 0)]
            }
            1..=9 => vec![self.sent(edges)],
            10..=19 => self.losses(edges),
            20 => vec![self.congestion(Cause::Timeout)],
            21..=24 => vec![self.congestion(Cause::Recovered)],
            25 => vec![self.congestion(Cause::Spurious)],
            26 => vec![self.congestion(Cause::Mark)],
            27..=28 => vec![self.congestion(Cause::Loss)],
            _ => vec![self.ack(edges, 0)],
        }
    }
}

/// Tells both the same for so many steps.
pub fn side_by_side(
    controller: &mut AnyController,
    model: &mut dyn Model,
    mut walk: Walk,
    steps: u64,
    name: &str,
) {
    compare(controller, model, name);
    let mut last = Vec::new();
    for step in 0..steps {
        for event in walk.next(&model.edges()) {
            match &event {
                Event::Ack(ack) => controller.on_ack(ack),
                Event::Lost(lost) => controller.on_lost(lost),
                Event::Congestion(congestion) => controller.on_congestion(congestion),
                Event::Sent(sent) => {
                    controller.on_sent(sent);
                }
            }
            model.tell(&event);
            last.push(event);
        }
        let recent = &last[last.len().saturating_sub(3)..];
        compare(
            controller,
            model,
            &format!("{name}, step {step}: {recent:?}"),
        );
    }
}
