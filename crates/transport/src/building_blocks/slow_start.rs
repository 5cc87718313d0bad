//! Slow start, standard (RFC 5681) or HyStart++ (RFC 9406). HyStart++ leaves slow start when the round
//! trip grows: first for a conservative phase with a quarter of the growth, then finally, unless the
//! round trip falls again. It applies to the first slow start of a flow; later ones have an ssthresh.

use crate::controller_interface::Ack;
use crate::part::{Default, Kind, Opt};
use crate::units::Span;

/// Constants of RFC 9406 section 4.3.
const MIN_THRESHOLD: Span = Span::millis(4);
const MAX_THRESHOLD: Span = Span::millis(16);
const DIVISOR: u64 = 8;
const SAMPLES: u32 = 8;
const GROWTH_DIVISOR: u64 = 4;
const CONSERVATIVE_ROUNDS: u32 = 5;
/// L: most segments that one acknowledgement adds.
const BURST: u64 = 8;

/// The option that selects the variant.
pub(crate) const OPTION: Opt = Opt::new(
    "slow_start",
    Kind::Choice(&["standard", "hystart"]),
    Default::Is("standard"),
    "until the first loss, or until the round trip grows (HyStart++, RFC 9406)",
);

/// The variant of slow start and its state.
#[derive(Clone, Debug)]
pub struct SlowStart {
    mss: u64,
    hystart: Option<HyStart>,
}

#[derive(Clone, Debug)]
struct HyStart {
    last: Span,
    current: Span,
    samples: u32,
    /// In the conservative phase: its base round trip, and rounds so far.
    conservative: Option<(Span, u32)>,
}

impl SlowStart {
    pub fn new(mss: u64, choice: &str) -> SlowStart {
        SlowStart {
            mss,
            hystart: (choice == "hystart").then_some(HyStart {
                last: Span::MAX,
                current: Span::MAX,
                samples: 0,
                conservative: None,
            }),
        }
    }

    /// Growth of the window in bytes, and whether slow start is over.
    pub fn on_ack(&mut self, ack: &Ack) -> (u64, bool) {
        match &mut self.hystart {
            None => (ack.advanced.min(self.mss), false),
            Some(hystart) => {
                let growth = ack.advanced.min(BURST * self.mss);
                let over = hystart.on_ack(ack);
                let slow = hystart.conservative.is_some();
                (
                    if slow {
                        growth / GROWTH_DIVISOR
                    } else {
                        growth
                    },
                    over,
                )
            }
        }
    }

    /// Congestion ends the first slow start and HyStart++.
    pub fn end(&mut self) {
        self.hystart = None;
    }
}

impl HyStart {
    /// Whether slow start is over.
    fn on_ack(&mut self, ack: &Ack) -> bool {
        if ack.round_start {
            self.last = self.current;
            self.current = Span::MAX;
            self.samples = 0;
            if let Some((_, rounds)) = &mut self.conservative {
                *rounds += 1;
                if *rounds >= CONSERVATIVE_ROUNDS {
                    return true;
                }
            }
        }
        if let Some(rtt) = ack.rtt {
            self.current = self.current.min(rtt);
            self.samples += 1;
        }
        if self.samples < SAMPLES || self.current == Span::MAX {
            return false;
        }
        match self.conservative {
            Some((base, _)) if self.current < base => self.conservative = None,
            None if self.last != Span::MAX => {
                let threshold = Span(self.last.0 / DIVISOR);
                let threshold = threshold.max(MIN_THRESHOLD).min(MAX_THRESHOLD);
                if self.current >= self.last + threshold {
                    self.conservative = Some((self.current, 0));
                }
            }
            Some(_) | None => {}
        }
        false
    }
}
