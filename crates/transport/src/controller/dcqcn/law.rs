//! The differences between the published readings of DCQCN.

use crate::units::Span;

/// When α falls without notifications.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) enum Decay {
    /// A period after each notification and after each fall.
    AfterNotice(Span),
    /// At the ticks of a clock that runs from the first notification on; a tick with a notification raises it.
    Free(Span),
}

/// When R_T becomes R_C at a cut.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(super) enum Follows {
    Always,
    /// Only if a step has come since the last cut.
    AfterStep,
}

/// The choices by which one reading differs from the others.
#[derive(Copy, Clone, Debug)]
pub(super) struct Law {
    pub(super) gain: f64,
    pub(super) alpha: f64,
    pub(super) decay: Decay,
    /// α moves before the cut, not after it.
    pub(super) alpha_first: bool,
    /// Cuts are made at the ticks of a clock that runs from the first notification on; none: at once.
    pub(super) cut_ticks: Option<Span>,
    pub(super) stages: u32,
    pub(super) timer: Span,
    /// None: no byte counter.
    pub(super) bytes: Option<u64>,
    pub(super) additive: f64,
    pub(super) hyper: f64,
    pub(super) follows: Follows,
    /// R_T rises by (min − F + `more`)·R_HAI; none: by R_HAI.
    pub(super) hyper_grows: Option<u32>,
    /// R_T rises by R_AI in step F only, then by R_HAI, whichever counter steps.
    pub(super) additive_once: bool,
    /// Half of T and B once both counters are past F (QCN).
    pub(super) halves_periods: bool,
    /// At step 1, R_T above 10 R_C falls to an eighth (QCN).
    pub(super) shrinks_target: bool,
    pub(super) least: f64,
    /// Marks are those of acknowledgements.
    pub(super) by_acks: bool,
}

const MBIT: f64 = 1e6;

impl Law {
    /// The reading of this name on a line of this rate.
    pub(super) fn named(name: &str, line: f64) -> Law {
        let paper = Law {
            gain: 1.0 / 256.0,
            alpha: 1.0,
            decay: Decay::AfterNotice(Span::micros(55)),
            alpha_first: false,
            cut_ticks: None,
            stages: 5,
            timer: Span::micros(55),
            bytes: Some(10_000_000),
            additive: 40.0 * MBIT,
            hyper: 200.0 * MBIT,
            follows: Follows::Always,
            hyper_grows: Some(0),
            additive_once: false,
            halves_periods: false,
            shrinks_target: false,
            least: 10.0 * MBIT,
            by_acks: false,
        };
        match name {
            "ns3-rdma" => Law {
                alpha: 0.5,
                alpha_first: true,
                timer: Span::micros(60),
                bytes: Some(300_000_000),
                hyper_grows: Some(1),
                halves_periods: true,
                shrinks_target: true,
                least: 100.0 * MBIT,
                ..paper
            },
            "connectx" => Law {
                gain: 1.0 / 204.8,
                alpha: 1023.0 / 1024.0,
                decay: Decay::Free(Span::micros(1)),
                cut_ticks: Some(Span::micros(4)),
                stages: 1,
                timer: Span::micros(300),
                bytes: Some(32_767),
                additive: 5.0 * MBIT,
                hyper: 50.0 * MBIT,
                follows: Follows::AfterStep,
                hyper_grows: None,
                least: MBIT,
                ..paper
            },
            "hpcc-simulator" => Law {
                decay: Decay::Free(Span::micros(1)),
                cut_ticks: Some(Span::micros(4)),
                stages: 1,
                timer: Span::micros(300),
                bytes: None,
                additive: 5.0 * line / 25e9 * MBIT,
                hyper: 50.0 * line / 25e9 * MBIT,
                follows: Follows::AfterStep,
                hyper_grows: None,
                additive_once: true,
                least: 100.0 * MBIT,
                by_acks: true,
                ..paper
            },
            _ => paper,
        }
    }
}
