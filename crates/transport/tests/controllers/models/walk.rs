//! Draws what a sender tells a controller.

use backwater_transport::controller::{Ack, Cause, Congestion, Lost, RateSample, Sent};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{Edges, Event, SEGMENT, TICK, tick};
use crate::build::quiet_ack;

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
    /// How often in 100 a segment is marked, or its sample limited by the application.
    pub marks: u64,
    pub limited: u64,
    /// How often in 200 segments are lost, or sent.
    pub losses: u64,
    pub sends: u64,
    /// How often in 6 losses were none.
    pub undone: u64,
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
            limited: 10,
            losses: 10,
            sends: 20,
            undone: 1,
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
        let little = self.below(40) == 0;
        RateSample {
            // An eighth of a second.
            delivered: [self.rate * quarters / 4 / 8, 1][usize::from(little)],
            interval: TICK.times(64),
            app_limited: self.below(100) < self.limited,
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
        let marked = match self.below(100) < self.marks {
            true => self.of(&[acked, acked, acked, acked.min(1)]),
            false => 0,
        };
        Event::Ack(Ack {
            acked,
            acked_segments: (acked / SEGMENT) as u32,
            lost,
            marked,
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
        self.pass(edges);
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
        let bytes = self.of(&[all * SEGMENT, all * SEGMENT, all * SEGMENT, 1]);
        events.push(self.ack(edges, bytes));
        if self.below(6) < self.undone {
            events.push(self.congestion(Cause::Spurious));
        }
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
            1 => vec![self.congestion(Cause::Timeout)],
            2..=5 => vec![self.congestion(Cause::Recovered)],
            6 => vec![self.congestion(Cause::Spurious)],
            7 => vec![self.congestion(Cause::Mark)],
            8..=9 => vec![self.congestion(Cause::Loss)],
            n if n < 10 + self.sends => vec![self.sent(edges)],
            n if n < 10 + self.sends + self.losses => self.losses(edges),
            _ => vec![self.ack(edges, 0)],
        }
    }
}
