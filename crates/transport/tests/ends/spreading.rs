//! Spreaders beside models that draw from the same random stream: the value of each packet.

use std::collections::VecDeque;

use backwater_transport::part::{Args, Value};
use backwater_transport::random::Random;
use backwater_transport::segment::AckSegment;
use backwater_transport::spreading::{AnySpreader, Fate, SPREADERS, Spreader, Spreading};
use backwater_transport::units::{Span, Time};

use crate::options;

fn stream() -> Random {
    Random::stream(3, "spread", "models")
}

fn make(id: &str, options: &[(&str, &str)]) -> AnySpreader {
    let part = SPREADERS.iter().find(|p| p.id == id).expect("a row");
    let args = options::read(part.options, options);
    (part.build)(&args, stream()).expect("legal")
}

fn us(n: u64) -> Time {
    Time(n * 1_000_000)
}

/// Whole rounds through 16 values, each combined with a random value of its own.
struct Rounds {
    random: Random,
    ahead: VecDeque<u16>,
}

impl Rounds {
    fn new() -> Rounds {
        Rounds {
            random: stream(),
            ahead: VecDeque::new(),
        }
    }

    /// The value that is so many places ahead.
    fn peek(&mut self, place: usize) -> u16 {
        while self.ahead.len() <= place {
            let with = self.random.between(0, 15) as u16;
            self.ahead.extend((0..16).map(|n| n ^ with));
        }
        self.ahead[place]
    }

    fn take(&mut self, place: usize) -> u16 {
        let value = self.peek(place);
        self.ahead.drain(..=place);
        value
    }
}

#[test]
fn oblivious_spraying_is_rounds_with_a_random_value_each() {
    let (mut spreader, mut rounds) = (make("oblivious", &[("values", "16")]), Rounds::new());
    for n in 0..200 {
        assert_eq!(spreader.next(us(n), n), rounds.take(0), "{n}");
    }
    assert!(!spreader.reads_marks());
}

/// Penalties of values, at most 15, and the values that came back clean.
struct Penal {
    rounds: Rounds,
    penalties: [u16; 16],
    clean: VecDeque<u16>,
}

impl Penal {
    fn learn(&mut self, value: u16, fate: Fate) {
        let more = match fate {
            Fate::Clean => 0,
            Fate::Marked => 1,
            Fate::Trimmed => 4,
            Fate::TimedOut => 15,
        };
        let penalty = &mut self.penalties[usize::from(value)];
        *penalty = 15.min(*penalty + more);
        if fate == Fate::Clean {
            self.clean.push_back(value);
        }
    }

    /// The next value is free, or pays one and the first free one of the fifteen behind it leaves; without one, the sixteenth.
    fn next(&mut self) -> u16 {
        let first = usize::from(self.rounds.peek(0));
        if self.penalties[first] == 0 {
            return self.rounds.take(0);
        }
        self.penalties[first] -= 1;
        let rounds = &mut self.rounds;
        let free = (1..16).find(|place| self.penalties[usize::from(rounds.peek(*place))] == 0);
        self.rounds.take(free.unwrap_or(16))
    }
}

/// A fate, more often good than bad, of a value.
fn fate(random: &mut Random) -> (u16, Fate) {
    let fate = match random.between(0, 19) {
        0..=9 => Fate::Clean,
        10..=14 => Fate::Marked,
        15..=18 => Fate::Trimmed,
        _ => Fate::TimedOut,
    };
    (random.between(0, 15) as u16, fate)
}

#[test]
fn the_bitmap_and_the_mixed_spreader_pay_penalties_in_order() {
    for id in ["bitmap", "mixed"] {
        let mut spreader = make(id, &[("values", "16")]);
        assert!(spreader.reads_marks());
        let mut model = Penal {
            rounds: Rounds::new(),
            penalties: [0; 16],
            clean: VecDeque::new(),
        };
        let mut random = Random::stream(5, "test", id);
        for n in 0..5_000 {
            // In the second half nearly all values have a penalty.
            for _ in 0..random.between(0, 1 + n / 2_500) {
                let (value, fate) = fate(&mut random);
                spreader.learn(us(n), n, value, fate);
                model.learn(value, fate);
            }
            let clean = model.clean.pop_front().filter(|_| id == "mixed");
            let expected = clean.unwrap_or_else(|| model.next());
            assert_eq!(spreader.next(us(n), n), expected, "{id} {n}");
        }
    }
}

#[test]
fn a_flowlet_draws_a_value_behind_each_longer_pause() {
    let mut spreader = make("flowlet", &[("gap", "10 us")]);
    assert!(!spreader.reads_marks());
    let mut random = stream();
    let mut value = random.between(0, 65_535);
    // The first packet comes 10 us after the beginning, so it is within the gap.
    for (n, (at, draws)) in [
        (10, false),
        (20, false),
        (31, true),
        (33, false),
        (90, true),
    ]
    .into_iter()
    .enumerate()
    {
        if draws {
            value = random.between(0, 65_535);
        }
        assert_eq!(u64::from(spreader.next(us(at), n as u64)), value, "{at}");
    }
}

/// Values that came back, by the order in which they did; of the newest eight some are unused.
#[derive(Default)]
struct Recycled {
    came: Vec<(u16, bool)>,
    turn: usize,
    frozen_until: u64,
    explores: u32,
}

impl Recycled {
    fn kept(&self) -> usize {
        self.came.len().min(8)
    }

    fn learn(&mut self, now: u64, value: u16, fate: Fate) {
        match fate {
            Fate::Clean => self.came.push((value, true)),
            Fate::TimedOut if self.explores == 0 => {
                (self.frozen_until, self.explores) = (now + 50, 16);
            }
            _ => {}
        }
    }

    fn next(&mut self, now: u64, random: &mut Random) -> u16 {
        let (kept, all) = (self.kept(), self.came.len());
        if now < self.frozen_until && kept > 0 {
            // Its place among eight is the same until another takes it.
            self.turn = (self.turn + 1) % kept;
            let at = (all - kept..all)
                .find(|n| n % 8 == self.turn)
                .expect("a place");
            self.came[at].1 = false;
            return self.came[at].0;
        }
        let explores = self.explores > 0 && now >= self.frozen_until;
        self.explores -= u32::from(explores);
        let unused = self.came[all - kept..].iter_mut().find(|c| c.1);
        match unused.filter(|_| !explores) {
            Some(unused) => {
                unused.1 = false;
                unused.0
            }
            None => random.between(0, 15) as u16,
        }
    }
}

#[test]
fn reps_recycles_freezes_and_explores() {
    let mut reps = make("reps", &[("values", "16"), ("freeze", "50 us")]);
    assert!(reps.reads_marks());
    let (mut model, mut own) = (Recycled::default(), stream());
    let (mut random, mut frozen) = (Random::stream(6, "test", "reps"), 0);
    for n in 0..5_000 {
        // Timeouts come in the first half of each thousand only.
        if random.unit() < 0.6 {
            let (value, fate) = fate(&mut random);
            let quiet = n % 1_000 > 500 && fate == Fate::TimedOut;
            let fate = if quiet { Fate::Clean } else { fate };
            reps.learn(us(n), n, value, fate);
            model.learn(n, value, fate);
        }
        let expected = model.next(n, &mut own);
        assert_eq!(reps.next(us(n), n), expected, "{n}");
        frozen += u64::from(n < model.frozen_until);
    }
    assert!((200..4_000).contains(&frozen), "{frozen}");
    let mut never = make("reps", &[("values", "16"), ("freeze", "0 s")]);
    never.learn(us(0), 0, 7, Fate::Clean);
    never.learn(us(0), 1, 9, Fate::TimedOut);
    assert_eq!(never.next(us(0), 2), 7);
    let values = (3..40).map(|n| never.next(us(0), n));
    assert!(
        values.collect::<Vec<_>>().iter().any(|v| *v != 7),
        "it did not freeze"
    );
}

/// Rounds as lists of what came back: a list ends when a packet comes back that left after the first of the list did.
struct Protective {
    value: u64,
    next: u64,
    until: u64,
    back: Vec<bool>,
    congested: u64,
}

impl Protective {
    fn learn(&mut self, number: u64, fate: Fate, random: &mut Random) {
        let mut moves = fate == Fate::TimedOut;
        if !moves && number >= self.until && !self.back.is_empty() {
            let marked = self.back.iter().filter(|m| **m).count();
            let most = 2 * marked > self.back.len();
            self.congested = (self.congested + 1) * u64::from(most);
            (self.until, moves) = (self.next, self.congested >= 3);
            self.back.clear();
        }
        if moves {
            self.value = random.between(0, 65_535);
            (self.congested, self.until) = (0, self.next);
            self.back.clear();
        } else {
            self.back.push(fate != Fate::Clean);
        }
    }
}

#[test]
fn plb_moves_after_three_congested_rounds_or_a_timeout() {
    let mut plb = make("plb", &[("rounds", "3")]);
    assert!(plb.reads_marks());
    let mut own = stream();
    let mut model = Protective {
        value: own.between(0, 65_535),
        next: 0,
        until: 0,
        back: Vec::new(),
        congested: 0,
    };
    let mut random = Random::stream(7, "test", "plb");
    let (mut heard, mut moves) = (0, 0);
    for n in 0..20_000 {
        let before = model.value;
        assert_eq!(u64::from(plb.next(us(n), n)), model.value, "{n}");
        model.next = n + 1;
        while heard + 12 < n && random.unit() < 0.7 {
            let fate = match random.unit() {
                x if x < 0.001 => Fate::TimedOut,
                x if x < 0.25 => Fate::Trimmed,
                x if x < 0.5 => Fate::Marked,
                _ => Fate::Clean,
            };
            plb.learn(us(n), heard, 0, fate);
            model.learn(heard, fate, &mut own);
            heard += 1;
        }
        moves += u64::from(model.value != before);
    }
    assert!(moves > 50, "{moves}");
}

#[test]
fn a_number_of_values_that_is_no_power_of_two_is_refused() {
    for id in ["oblivious", "bitmap", "mixed", "reps"] {
        let part = SPREADERS.iter().find(|p| p.id == id).expect("a row");
        let freeze = ("freeze", Value::Span(Span::millis(10)));
        let args = Args(vec![("values", Value::Count(24)), freeze]);
        let refusal = (part.build)(&args, stream()).expect_err("24 values");
        assert_eq!(
            (refusal.option, refusal.fix.as_str()),
            ("values", "write 32")
        );
    }
}

fn answer(number: u64, marked: bool, trimmed: bool) -> AckSegment {
    let mut ack = AckSegment {
        number,
        ece: marked,
        nack: trimmed,
        ..AckSegment::default()
    };
    if trimmed {
        ack.report(0, 0);
    }
    ack
}

/// The spreader hears of each packet once: its value, and the worst that the acknowledgement says.
#[test]
fn a_spreader_hears_of_each_packet_once() {
    let mut spreading = Spreading::new(make("bitmap", &[("values", "16")]));
    let mut model = Penal {
        rounds: Rounds::new(),
        penalties: [0; 16],
        clean: VecDeque::new(),
    };
    let mut random = Random::stream(8, "test", "spreading");
    // Of each packet its value and whether it was heard of.
    let mut sent: Vec<(u16, bool)> = Vec::new();
    let mut timeouts = 0;
    for n in 0..3_000u64 {
        let value = model.next();
        assert_eq!(spreading.next(us(n), n), value, "{n}");
        sent.push((value, false));
        let number = random.between(n.saturating_sub(20), n + 3);
        let (marked, trimmed) = (random.unit() < 0.3, random.unit() < 0.1);
        spreading.on_ack(us(n), &answer(number, marked, trimmed));
        if let Some((value, heard @ false)) = sent.get_mut(number as usize) {
            *heard = true;
            let fate = match (trimmed, marked) {
                (true, _) => Fate::Trimmed,
                (false, true) => Fate::Marked,
                (false, false) => Fate::Clean,
            };
            model.learn(*value, fate);
        }
        // The same number of timeouts again tells of none.
        let expired = random.unit() < 0.05;
        timeouts += u64::from(expired);
        spreading.on_timer(us(n), timeouts);
        if let Some((value, heard)) = sent.iter_mut().find(|s| !s.1)
            && expired
        {
            *heard = true;
            model.learn(*value, Fate::TimedOut);
        }
    }
}

/// A sender remembers the values of 65,536 packets: the first of one more is forgotten, and the second is not.
#[test]
fn the_oldest_of_too_many_values_is_forgotten() {
    for (number, learned) in [(0, false), (1, true), (65_536, true)] {
        let mut spreading = Spreading::new(make("reps", &[("values", "65536")]));
        let sent: Vec<u16> = (0..65_537).map(|n| spreading.next(us(0), n)).collect();
        spreading.on_ack(us(1), &answer(number, false, false));
        let next = spreading.next(us(1), 65_537);
        assert_eq!(next == sent[number as usize], learned, "{number}");
    }
}

/// Two of one stream draw alike; one whose stream begins anew does not.
#[test]
fn a_stream_that_begins_anew_draws_other_values() {
    for id in ["oblivious", "bitmap", "mixed", "reps", "flowlet", "plb"] {
        let mut two = [0, 1].map(|_| Spreading::new(make(id, &[])));
        two[1].rekey(9);
        let drawn = two.map(|mut one| {
            let mut values = Vec::new();
            for n in 0..600 {
                values.push(one.next(us(n * 1_000), n));
                one.on_timer(us(n * 1_000), n);
            }
            values
        });
        assert_ne!(drawn[0], drawn[1], "{id}");
    }
}
