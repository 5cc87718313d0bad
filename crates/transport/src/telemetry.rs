//! Records of hops: what each switch of a path writes into a packet (in-band network telemetry), and what two records of one hop say.
//!
//! A record is exact, or one word of 64 bits with the fields of HPCC's public simulator: from the lowest bit 3 of the line's rate, 24 of
//! nanoseconds, 20 of bytes sent in units of 128 and 17 of backlog in units of 80 bytes. Time and bytes run over their field, and
//! differences are taken modulo its width. On fast lines both units are multiplied, so that bytes do not run round in a round trip.
//! Difference: a backlog beyond its field is the greatest that it holds; in that simulator the high bits are lost.

use crate::units::{Rate, Span, Time};

/// Line rates that a word can name.
pub const RATES: [Rate; 5] = [
    Rate(25_000_000_000),
    Rate(50_000_000_000),
    Rate(100_000_000_000),
    Rate(200_000_000_000),
    Rate(400_000_000_000),
];
const RATE_BITS: u32 = 3;
const TIME_BITS: u32 = 24;
const SENT_BITS: u32 = 20;
const QUEUE_BITS: u32 = 17;
/// Bytes of a unit of what was sent.
const SENT_UNIT: u64 = 128;
/// Bytes of a unit of what waits.
const QUEUE_UNIT: u64 = 80;
/// Ticks of a nanosecond.
const NANOSECOND: u64 = 1000;

/// What a hop knows when it sends a packet on.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Hop {
    /// Rate of its line, bytes/s.
    pub rate: f64,
    /// Bytes that it had sent before this packet.
    pub sent: u64,
    /// Bytes that waited besides.
    pub queue: u64,
    /// When it chose this packet.
    pub at: Time,
}

/// A hop in 64 bits.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Word {
    bits: u64,
    /// Factor of both units, which all on a path know.
    units: u8,
}

/// What a hop writes.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Record {
    /// All that it knows.
    Exact(Hop),
    /// In 64 bits.
    Quantised(Word),
}

/// What two records of one hop say.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Passage {
    /// Rate of its line, bytes/s.
    pub rate: f64,
    /// Bytes sent between them.
    pub sent: u64,
    /// Bytes that waited at the first.
    pub before: u64,
    /// Bytes that waited at the second.
    pub now: u64,
    /// Seconds between them.
    pub over: f64,
}

/// The low bits of a number.
const fn low(number: u64, bits: u32) -> u64 {
    number & ((1 << bits) - 1)
}

impl Word {
    /// Writes a hop; none where its rate has no number.
    pub fn of(hop: &Hop, units: u8) -> Option<Word> {
        let rate = Rate((hop.rate * 8.0) as u64);
        let number = RATES.iter().position(|known| *known == rate)? as u64;
        let factor = u64::from(units);
        let most = low(u64::MAX, QUEUE_BITS);
        let fields = [
            (low(hop.at.0 / NANOSECOND, TIME_BITS), TIME_BITS),
            (low(hop.sent / (SENT_UNIT * factor), SENT_BITS), SENT_BITS),
            ((hop.queue / (QUEUE_UNIT * factor)).min(most), QUEUE_BITS),
        ];
        let (mut bits, mut place) = (number, RATE_BITS);
        for (field, width) in fields {
            bits |= field << place;
            place += width;
        }
        Some(Word { bits, units })
    }

    /// The 64 bits.
    pub const fn bits(self) -> u64 {
        self.bits
    }

    const fn field(self, from: u32, bits: u32) -> u64 {
        low(self.bits >> from, bits)
    }

    const fn rate(self) -> u64 {
        self.field(0, RATE_BITS)
    }

    const fn nanoseconds(self) -> u64 {
        self.field(RATE_BITS, TIME_BITS)
    }

    const fn sent(self) -> u64 {
        self.field(RATE_BITS + TIME_BITS, SENT_BITS)
    }

    fn queue(self) -> u64 {
        let units = self.field(RATE_BITS + TIME_BITS + SENT_BITS, QUEUE_BITS);
        units * QUEUE_UNIT * u64::from(self.units)
    }
}

impl Record {
    /// What an earlier record of the same hop and this one say; none where no time has passed between them.
    pub fn since(&self, before: &Record) -> Option<Passage> {
        let (rate, sent, queues, span) = match (before, self) {
            (Record::Exact(old), Record::Exact(new)) => (
                new.rate,
                new.sent.saturating_sub(old.sent),
                (old.queue, new.queue),
                Span(new.at.0.saturating_sub(old.at.0)),
            ),
            (Record::Quantised(old), Record::Quantised(new)) => {
                let sent = low(new.sent().wrapping_sub(old.sent()), SENT_BITS);
                let span = low(new.nanoseconds().wrapping_sub(old.nanoseconds()), TIME_BITS);
                (
                    RATES[new.rate() as usize].0 as f64 / 8.0,
                    sent * SENT_UNIT * u64::from(new.units),
                    (old.queue(), new.queue()),
                    Span(span * NANOSECOND),
                )
            }
            // Its port has one law, so all records of a hop are of one kind; over another way two hops may differ.
            _ => return None,
        };
        let over = span.seconds();
        (over > 0.0).then_some(Passage {
            rate,
            sent,
            before: queues.0,
            now: queues.1,
            over,
        })
    }
}

/// Hops that find room in a header.
pub const HOPS: usize = 5;

/// The records of the hops of a path, in order.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Records {
    hops: [Record; HOPS],
    count: u8,
}

impl Default for Records {
    fn default() -> Records {
        Records {
            hops: [Record::Exact(Hop::default()); HOPS],
            count: 0,
        }
    }
}

impl Records {
    /// One more hop; nothing where the room is used up.
    pub fn record(&mut self, hop: Record) {
        if let Some(place) = self.hops.get_mut(usize::from(self.count)) {
            *place = hop;
            self.count += 1;
        }
    }

    /// Those that have written.
    pub fn hops(&self) -> &[Record] {
        &self.hops[..usize::from(self.count)]
    }

    /// What these and earlier records say of each hop, where time has passed.
    pub fn since<'a>(&'a self, before: &'a Records) -> impl Iterator<Item = Passage> + 'a {
        let pairs = before.hops().iter().zip(self.hops());
        pairs.filter_map(|(old, new)| new.since(old))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(sent: u64, queue: u64, ns: u64) -> Hop {
        Hop {
            rate: 12.5e9,
            sent,
            queue,
            at: Time(ns * 1000),
        }
    }

    fn word(hop: &Hop, units: u8) -> Word {
        Word::of(hop, units).expect("a known rate")
    }

    /// By hand: rate number 2 for 100 Gbit/s; 5 ns at bit 3; 300 bytes are 2 units of 128 at bit 27; 799 bytes are 9 units of 80 at bit 47.
    #[test]
    fn a_word_has_the_fields_of_the_published_header() {
        let bits = word(&hop(300, 799, 5), 1).bits();
        assert_eq!(bits, 2 | 5 << 3 | 2 << 27 | 9 << 47);
        // At 100 Gbit/s the factor is 4: 512 and 320 bytes a unit.
        let bits = word(&hop(1100, 799, 5), 4).bits();
        assert_eq!(bits, 2 | 5 << 3 | 2 << 27 | 2 << 47);
        for (number, gbit) in [25.0, 50.0, 100.0, 200.0, 400.0].into_iter().enumerate() {
            let rate = gbit * 1e9 / 8.0;
            let at = Word::of(
                &Hop {
                    rate,
                    ..hop(0, 0, 0)
                },
                1,
            )
            .expect("a known rate");
            assert_eq!(at.bits(), number as u64);
        }
        let slow = Hop {
            rate: 1.25e9,
            ..hop(0, 0, 0)
        };
        assert_eq!(Word::of(&slow, 1), None);
    }

    /// 2^24 ns and 2^20 units of 128 bytes are the whole of their fields: a record before that and one behind it are apart by what lies between.
    #[test]
    fn differences_are_taken_modulo_the_width_of_a_field() {
        let old = word(&hop((1 << 27) - 128, 0, (1 << 24) - 7), 1);
        let new = word(&hop((1 << 27) + 256, 160, (1 << 24) + 13), 1);
        let passage = Record::Quantised(new).since(&Record::Quantised(old));
        let passage = passage.expect("20 ns");
        assert_eq!((passage.sent, passage.now), (384, 160));
        assert!((passage.over - 20e-9).abs() < 1e-18);
        assert!((passage.rate - 12.5e9).abs() < 1.0);
    }

    /// A backlog beyond 17 bits of 80 bytes is the greatest: 131,071 units.
    #[test]
    fn a_backlog_beyond_its_field_is_the_greatest() {
        let full = word(&hop(0, u64::MAX, 0), 1);
        assert_eq!(full.queue(), 131_071 * 80);
    }

    /// What a quantised passage says of bytes, time and backlog is off by less than a unit of each.
    #[test]
    fn a_quantised_passage_is_off_by_less_than_a_unit() {
        let mut state = 1_u64;
        let mut draw = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 20) % below
        };
        for _ in 0..10_000 {
            let units = [1, 2, 4, 8, 16][draw(5) as usize];
            let old = hop(draw(1 << 40), draw(1 << 20), draw(1 << 34));
            let new = hop(
                old.sent + draw(1 << 20),
                draw(1 << 20),
                old.at.0 / 1000 + 1 + draw(1 << 20),
            );
            let exact = Record::Exact(new).since(&Record::Exact(old));
            let exact = exact.expect("some time");
            let [old, new] = [old, new].map(|hop| Record::Quantised(word(&hop, units)));
            let rough = new.since(&old).expect("some time");
            let unit = u64::from(units);
            assert!(rough.sent.abs_diff(exact.sent) < 128 * unit);
            assert!(exact.now - rough.now < 80 * unit && exact.before - rough.before < 80 * unit);
            assert!((rough.over - exact.over).abs() < 1e-9);
        }
    }
}
