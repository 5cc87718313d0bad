//! Spreaders: which of many equal ways the packets of a flow take. A spreader writes an entropy value (EV) into each packet, as a
//! UDP source port carries it in RoCEv2 and UET; switches hash it together with the flow. A spreader is a file here, a line of
//! `parts!` and a row of `SPREADERS`.
//!
//! In: a packet leaves; what became of one that left before. Out: the EV of the packet that leaves.
//! Difference: an acknowledgement does not carry the EV back. The sender remembers the EV of each packet by its number, and the
//! acknowledgement names the number.

mod bitmap;
mod flowlet;
mod mixed;
mod oblivious;
mod plb;
mod reps;

use std::collections::VecDeque;

use crate::part::{Args, Default, Kind, Opt, Part, Refusal};
use crate::random::Random;
use crate::segment::AckSegment;
use crate::units::Time;

/// The fate of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrived.
    Clean,
    /// It arrived with a congestion mark.
    Marked,
    /// A switch cut it down to its header.
    Trimmed,
    /// It was the oldest packet without an answer when the retransmission timer expired.
    TimedOut,
}

/// Chooses the entropy values of a flow.
pub trait Spreader {
    /// The EV of the packet of this number that leaves now.
    fn next(&mut self, now: Time, number: u64) -> u16;

    /// Learns the fate of the packet of this number, which left with this EV.
    fn learn(&mut self, _now: Time, _number: u64, _value: u16, _fate: Fate) {}

    /// Whether it learns from marks, so that packets take them.
    fn reads_marks(&self) -> bool {
        true
    }

    /// The random stream that it draws from.
    fn stream(&mut self) -> &mut Random;
}

crate::parts! {
    /// Any spreader.
    pub enum AnySpreader: Spreader {
        fn next(&mut self, now: Time, number: u64) -> u16;
        fn learn(&mut self, now: Time, number: u64, value: u16, fate: Fate);
        fn reads_marks(&self) -> bool;
        fn stream(&mut self) -> &mut Random;
    }

    oblivious::Oblivious,
    flowlet::Flowlet,
    bitmap::Bitmap,
    reps::Reps,
    mixed::Mixed,
    plb::Plb,
}

/// Every spreader.
pub static SPREADERS: &[Part<Build>] = &[
    oblivious::PART,
    flowlet::PART,
    bitmap::PART,
    reps::PART,
    mixed::PART,
    plb::PART,
];

/// How a spreader is made from its checked options and its random stream.
pub type Build = fn(&Args, Random) -> Result<AnySpreader, Refusal>;

/// The option `values`.
const VALUES: Opt = Opt::new(
    "values",
    Kind::Count,
    Default::Is("256"),
    "how many entropy values there are, a power of two",
)
.at_least("2")
.at_most("65536");

/// The bits of an EV.
fn mask(args: &Args) -> Result<u16, Refusal> {
    let values = args.count("values");
    if !values.is_power_of_two() {
        return Err(Refusal {
            option: "values",
            what: format!("{values} is no power of two"),
            fix: format!("write {}", values.next_power_of_two()),
        });
    }
    Ok((values - 1) as u16)
}

/// One of the EVs.
fn draw(random: &mut Random, mask: u16) -> u16 {
    random.between(0, u64::from(mask)) as u16
}

/// Most packets whose EV a sender remembers.
const REMEMBERED: usize = 1 << 16;

/// A spreader and the EVs of the packets in flight.
#[derive(Clone, Debug)]
pub struct Spreading {
    spreader: AnySpreader,
    /// Of each packet from the oldest on that was not heard of: its EV, and whether it was heard of.
    left: VecDeque<(u16, bool)>,
    /// The number of the first of them.
    first: u64,
    /// Timeouts of the sender so far.
    timeouts: u64,
}

impl Spreading {
    /// Before the first packet.
    pub fn new(spreader: AnySpreader) -> Spreading {
        Spreading {
            spreader,
            left: VecDeque::new(),
            first: 0,
            timeouts: 0,
        }
    }

    /// Its random stream begins anew.
    pub fn rekey(&mut self, by: u64) {
        self.spreader.stream().rekey(by);
    }

    /// The EV of the packet that leaves now. Numbers count up one by one.
    pub fn next(&mut self, now: Time, number: u64) -> u16 {
        let value = self.spreader.next(now, number);
        self.left.push_back((value, false));
        if self.left.len() > REMEMBERED {
            self.forget_first();
        }
        value
    }

    fn forget_first(&mut self) {
        self.left.pop_front();
        self.first += 1;
        while self.left.pop_front_if(|left| left.1).is_some() {
            self.first += 1;
        }
    }

    /// An acknowledgement has come: it names the packet that caused it.
    pub fn on_ack(&mut self, now: Time, ack: &AckSegment) {
        let fate = match (ack.trimmed(), ack.ece) {
            (Some(_), _) => Fate::Trimmed,
            (None, true) => Fate::Marked,
            (None, false) => Fate::Clean,
        };
        let Some(place) = ack.number.checked_sub(self.first) else {
            return;
        };
        let Some((value, heard)) = self.left.get_mut(place as usize) else {
            return;
        };
        if std::mem::replace(heard, true) {
            return;
        }
        self.spreader.learn(now, ack.number, *value, fate);
        if place == 0 {
            self.forget_first();
        }
    }

    /// The sender has had so many timeouts.
    pub fn on_timer(&mut self, now: Time, timeouts: u64) {
        if std::mem::replace(&mut self.timeouts, timeouts) == timeouts {
            return;
        }
        if let Some((value, _)) = self.left.front().copied() {
            self.spreader.learn(now, self.first, value, Fate::TimedOut);
            self.forget_first();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A spreader by name with its defaults, but so many EVs.
    fn make(id: &str, values: u64) -> AnySpreader {
        let part = SPREADERS.iter().find(|p| p.id == id).expect("a row");
        let mut args = Args::default();
        for option in part.options {
            let value = match option.name {
                "values" => crate::part::Value::Count(values),
                "gap" => crate::part::Value::Span(crate::units::Span::micros(10)),
                "marked" => crate::part::Value::Share(0.5),
                "rounds" => crate::part::Value::Count(3),
                "freeze" => crate::part::Value::Span(crate::units::Span::millis(10)),
                other => panic!("no value for {other}"),
            };
            args.0.push((option.name, value));
        }
        (part.build)(&args, Random::stream(1, "spread", "f")).expect("legal")
    }

    fn at(us: u64) -> Time {
        Time(us * 1_000_000)
    }

    #[test]
    fn oblivious_uses_each_value_once_a_round() {
        let mut spreader = make("oblivious", 64);
        for round in 0..4 {
            let values: BTreeSet<u16> = (0..64)
                .map(|n| spreader.next(at(0), round * 64 + n))
                .collect();
            assert_eq!(values.len(), 64);
        }
    }

    /// A new value only behind a pause longer than 10 us.
    #[test]
    fn a_flowlet_keeps_its_value_without_a_pause() {
        let mut spreader = make("flowlet", 65536);
        let mut changes = Vec::new();
        let mut last = spreader.next(at(0), 0);
        for (number, us) in [5, 15, 24, 35, 40, 51].into_iter().enumerate() {
            let value = spreader.next(at(us), number as u64 + 1);
            if value != last {
                changes.push(us);
            }
            last = value;
        }
        assert_eq!(changes, [35, 51]);
    }

    /// Four values, one of them marked once and one trimmed once, which counts four. A packet lowers the first penalty that it meets, so
    /// a mark is passed over once, and a trimmed value about four times.
    #[test]
    fn the_bitmap_passes_over_values_for_as_long_as_their_penalty() {
        let mut spreader = make("bitmap", 4);
        let (marked, trimmed) = (2, 1);
        spreader.learn(at(0), 0, marked, Fate::Marked);
        spreader.learn(at(0), 0, trimmed, Fate::Trimmed);
        let sent: Vec<u16> = (0..24).map(|n| spreader.next(at(0), n)).collect();
        let count = |value: u16| sent.iter().filter(|v| **v == value).count();
        assert!(count(trimmed) < count(marked));
        assert!(count(marked) < count(0).max(count(3)));
        assert!(count(trimmed) > 0, "a penalty ends");
    }

    /// An EV that came back clean goes out again, the oldest first; after a timeout nothing new is tried.
    #[test]
    fn reps_sends_clean_values_again() {
        let mut spreader = make("reps", 65536);
        for (number, value) in [7, 8, 9].into_iter().enumerate() {
            spreader.learn(at(0), number as u64, value, Fate::Clean);
        }
        spreader.learn(at(0), 3, 10, Fate::Marked);
        let values: Vec<u16> = (4..7).map(|n| spreader.next(at(0), n)).collect();
        assert_eq!(values, [7, 8, 9]);
        spreader.learn(at(1), 7, 5000, Fate::TimedOut);
        let frozen: BTreeSet<u16> = (8..40).map(|n| spreader.next(at(2), n)).collect();
        assert_eq!(frozen, BTreeSet::from([7, 8, 9]));
        let later: BTreeSet<u16> = (40..56).map(|n| spreader.next(at(20_000), n)).collect();
        assert!(later.len() > 12, "explores again");
    }

    /// Values that came back clean go out again, each once and the oldest first. Then the bitmap passes over the one that was trimmed.
    #[test]
    fn mixed_sends_clean_values_again_and_then_asks_the_bitmap() {
        let mut spreader = make("mixed", 4);
        let (trimmed, clean) = (1, [3, 0, 3]);
        spreader.learn(at(0), 0, trimmed, Fate::Trimmed);
        for value in clean {
            spreader.learn(at(0), 0, value, Fate::Clean);
        }
        let again: Vec<u16> = (0..3).map(|n| spreader.next(at(0), n)).collect();
        assert_eq!(again, clean);
        // Four rounds: what a trimmed packet costs is passed over at least three times.
        let others: Vec<u16> = (3..15).map(|n| spreader.next(at(0), n)).collect();
        let count = |value: u16| others.iter().filter(|v| **v == value).count();
        assert!(
            count(trimmed) <= 1 && [0, 2, 3].map(count).iter().all(|n| *n >= 3),
            "{others:?}"
        );
    }

    /// A round of ten packets, of which six are marked, three times in a row.
    #[test]
    fn plb_moves_after_three_congested_rounds() {
        let mut spreader = make("plb", 65536);
        let mut values = Vec::new();
        let mut number = 0;
        for _ in 0..4 {
            let first = number;
            for _ in 0..10 {
                values.push(spreader.next(at(number), number));
                number += 1;
            }
            for n in first..number {
                let fate = if n - first < 6 {
                    Fate::Marked
                } else {
                    Fate::Clean
                };
                spreader.learn(at(number), n, values[n as usize], fate);
            }
        }
        assert!(values[..30].iter().all(|v| *v == values[0]));
        assert_ne!(values[39], values[0]);
    }

    #[test]
    fn acknowledgements_find_the_value_of_their_packet() {
        let mut spreading = Spreading::new(make("reps", 65536));
        let sent: Vec<u16> = (0..8).map(|n| spreading.next(at(0), n)).collect();
        let ack = |number| AckSegment {
            number,
            ..AckSegment::default()
        };
        for number in [3, 0, 1] {
            spreading.on_ack(at(1), &ack(number));
            spreading.on_ack(at(1), &ack(number));
        }
        let next: Vec<u16> = (8..11).map(|n| spreading.next(at(1), n)).collect();
        assert_eq!(next, [sent[3], sent[0], sent[1]]);
        assert_eq!((spreading.first, spreading.left.len()), (2, 9));
    }
}
