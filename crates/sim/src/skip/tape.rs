//! The marks of one period. The fingerprint hashes absolute instants, so each mark is hashed again for each period that is
//! skipped.

use backwater_transport::units::{Span, Time};

use crate::record::fingerprint::{Fingerprint, Mark};

/// A mark.
#[derive(Copy, Clone, Debug)]
struct Marked {
    mark: Mark,
    at: Time,
    who: u32,
    /// The number of its packet in the flow `who`; none where it is about no packet.
    seq: Option<u32>,
    detail: u64,
}

/// The marks since it began.
#[derive(Clone, Debug, Default)]
pub struct Tape(Vec<Marked>);

/// What tells a mark of a packet from others of its kind.
pub(crate) fn detail(seq: u32, detail: u64) -> u64 {
    u64::from(seq) << 24 ^ detail
}

impl Tape {
    #[cold]
    #[inline(never)]
    pub(crate) fn add(
        &mut self,
        mark: Mark,
        at: Time,
        who: u32,
        (seq, detail): (Option<u32>, u64),
    ) {
        self.0.push(Marked {
            mark,
            at,
            who,
            seq,
            detail,
        });
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Hashes them again for so many periods. `step` says by how much the numbers of a flow's packets grow in one.
    pub(crate) fn repeat(
        &self,
        fingerprint: &mut Fingerprint,
        period: Span,
        periods: u64,
        step: impl Fn(u32) -> u32,
    ) {
        for marked in &self.0 {
            let (mut at, who) = (marked.at, marked.who);
            let Some(mut seq) = marked.seq else {
                for _ in 0..periods {
                    at += period;
                    fingerprint.add(marked.mark, at, who, marked.detail);
                }
                continue;
            };
            let step = step(who);
            for _ in 0..periods {
                at += period;
                seq = seq.wrapping_add(step);
                fingerprint.add(marked.mark, at, who, detail(seq, marked.detail));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packet numbers are those of 32 bits: they begin anew beyond the last.
    #[test]
    fn marks_come_again_later_and_numbers_wrap() {
        let mut tape = Tape::default();
        tape.add(Mark::Drop, Time(5), 1, (Some(u32::MAX - 2), 7));
        tape.add(Mark::Knob, Time(6), 2, (None, 9));
        let (mut repeated, mut served) = (Fingerprint::default(), Fingerprint::default());
        tape.repeat(&mut repeated, Span(100), 3, |_| 2);
        for (n, seq) in [(1, u32::MAX), (2, 1), (3, 3)] {
            let numbered = u64::from(seq) << 24 ^ 7;
            served.add(Mark::Drop, Time(5 + 100 * n), 1, numbered);
            served.add(Mark::Knob, Time(6 + 100 * n), 2, 9);
        }
        assert_eq!(repeated, served);
    }
}
