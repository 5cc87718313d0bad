//! The fingerprint of a run: a wrapping sum of hashes over what happened. A sum, so that the order
//! in which events are worked off (recorded or not, fused or not) cannot change it.

use backwater_transport::product;
use backwater_transport::units::Time;

/// A run's fingerprint so far.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(pub u64);

/// The fields that are hashed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A packet reached its host.
    Deliver = 1,
    /// A packet was lost.
    Drop = 2,
    /// A notice was posted.
    Notice = 3,
    /// A knob moved.
    Knob = 4,
    /// A packet was marked with CE.
    Ce = 5,
    /// A station received a packet to a group.
    Receive = 6,
}

impl Fingerprint {
    /// Adds an event: what, when, whose, and one number that tells it from others of its kind.
    pub fn add(&mut self, mark: Mark, at: Time, who: u32, detail: u64) {
        let low = fold(at.0 ^ 0x9e37_79b9_7f4a_7c15, detail ^ 0xd1b5_4a32_d192_ed03);
        let high = fold(
            low ^ (u64::from(who) << 8 | mark as u64),
            0x8cb9_2ba7_2f3d_8dd7,
        );
        self.0 = self.0.wrapping_add(high);
    }
}

/// 64 × 64 → 128 bit product, halves combined.
fn fold(a: u64, b: u64) -> u64 {
    let product = product::whole(a, b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_does_not_matter_and_every_field_does() {
        let events = [
            (Mark::Deliver, Time(1), 2, 3),
            (Mark::Drop, Time(1), 2, 3),
            (Mark::Ce, Time(1), 2, 3),
            (Mark::Deliver, Time(2), 2, 3),
            (Mark::Deliver, Time(1), 3, 3),
            (Mark::Deliver, Time(1), 2, 4),
        ];
        let of = |list: &[(Mark, Time, u32, u64)]| {
            let mut f = Fingerprint::default();
            list.iter().for_each(|(m, t, w, d)| f.add(*m, *t, *w, *d));
            f.0
        };
        let reversed: Vec<_> = events.iter().rev().copied().collect();
        assert_eq!(of(&events), of(&reversed));
        for (i, a) in events.iter().enumerate() {
            for b in &events[i + 1..] {
                assert_ne!(of(&[*a]), of(&[*b]));
            }
        }
    }
}
