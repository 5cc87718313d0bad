//! A stream's receiver that lies to get more than its share (Savage, Cardwell, Wetherall, Anderson, TCP Congestion
//! Control with a Misbehaving Receiver, CCR 29(5), 1999). RFC 9743, section 7.6, asks what a controller makes of one.
//!
//! * `Divided`: many acknowledgements for the bytes of one segment. A window that grows by a segment for each acknowledgement grows faster; one that
//!   counts bytes (RFC 3465) doesn't.
//! * `Forged`: copies of each acknowledgement. A sender that counts duplicates takes each for a segment that has left the network.
//! * `Optimistic`: losses are concealed, and segments acknowledged before they arrive, with the newest timestamp as
//!   echo. The data lost are lost for good.

use crate::segment::AckSegment;
use crate::units::Time;

/// How a receiver lies.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Lie {
    /// See the head of the file.
    Divided,
    /// See the head of the file.
    Forged,
    /// See the head of the file.
    Optimistic,
}

impl Lie {
    /// Each by its name in scenarios.
    pub const ALL: [(&str, Lie); 3] = [
        ("divided", Lie::Divided),
        ("forged", Lie::Forged),
        ("optimistic", Lie::Optimistic),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Lie::ALL.iter().find(|l| l.1 == self);
        found.expect("each is in the list").0
    }
}

/// Acknowledgements that it makes of an honest one.
const COPIES: u64 = 8;

/// Bytes that it acknowledges ahead of what has arrived.
const AHEAD: u64 = 12_000;

/// The filter between an honest receiver and its acknowledgements.
#[derive(Clone, Debug)]
pub struct Liar {
    lie: Lie,
    /// Acknowledged up to here.
    claimed: u64,
    /// End of the newest data that arrived.
    reached: u64,
    /// Newest timestamp.
    newest: Time,
}

impl Liar {
    /// A receiver that lies in this way.
    pub fn new(lie: Lie) -> Liar {
        Liar {
            lie,
            claimed: 0,
            reached: 0,
            newest: Time::ZERO,
        }
    }

    /// A segment sent then arrives with data up to `end`.
    pub fn see(&mut self, end: u64, sent: Time) {
        self.reached = self.reached.max(end);
        self.newest = self.newest.max(sent);
    }

    /// The acknowledgements that it sends in place of an honest one.
    pub fn tell(&mut self, honest: AckSegment) -> Vec<AckSegment> {
        let before = self.claimed;
        self.claimed = before.max(honest.upto);
        match self.lie {
            Lie::Divided => {
                let new = self.claimed - before;
                let part = |i| AckSegment {
                    upto: before + new * i / COPIES,
                    ..honest.clone()
                };
                let parts = if new >= COPIES { COPIES } else { 1 };
                (1..parts).map(part).chain([honest.clone()]).collect()
            }
            Lie::Forged => vec![honest; COPIES as usize],
            Lie::Optimistic => {
                self.claimed = self.claimed.max(self.reached + AHEAD);
                let claim = |upto| AckSegment {
                    upto,
                    blocks: Default::default(),
                    duplicate: false,
                    echo: self.newest,
                    ..honest.clone()
                };
                // A sender ignores what it hasn't sent yet; the first one is always valid.
                vec![claim(self.reached), claim(self.claimed)]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(upto: u64) -> AckSegment {
        AckSegment {
            upto,
            ..AckSegment::default()
        }
    }

    #[test]
    fn a_divided_acknowledgement_covers_the_same_bytes_in_eight_steps() {
        let mut liar = Liar::new(Lie::Divided);
        let told: Vec<u64> = liar.tell(ack(8000)).iter().map(|a| a.upto).collect();
        assert_eq!(told, [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000]);
        // A duplicate covers nothing new.
        assert_eq!(liar.tell(ack(8000)).len(), 1);
    }

    #[test]
    fn an_optimist_conceals_the_hole_and_runs_ahead() {
        let mut liar = Liar::new(Lie::Optimistic);
        liar.see(3000, Time(7));
        let mut honest = ack(1000);
        honest.report(2000, 3000);
        let told = liar.tell(honest);
        assert_eq!((told[0].upto, told[1].upto), (3000, 15_000));
        assert!(
            told.iter()
                .all(|a| a.blocks.count() == 0 && a.echo == Time(7))
        );
    }
}
