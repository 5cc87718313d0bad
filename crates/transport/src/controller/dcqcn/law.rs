//! The differences between the published readings of DCQCN.

use crate::building_blocks::rate_steps::{Halves, Rise};
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
    pub(super) rise: Rise,
    pub(super) follows: Follows,
    pub(super) least: f64,
    /// Marks are those of acknowledgements.
    pub(super) by_acks: bool,
}

const MBIT: f64 = 1e6;

/// The paper's.
const PAPER: Law = Law {
    gain: 1.0 / 256.0,
    alpha: 1.0,
    decay: Decay::AfterNotice(Span::micros(55)),
    alpha_first: false,
    cut_ticks: None,
    rise: Rise {
        stages: 5,
        timer: Span::micros(55),
        bytes: Some(10_000_000),
        additive: 40.0 * MBIT,
        hyper: 200.0 * MBIT,
        hyper_grows: Some(0),
        additive_once: false,
        halves: Halves::Never,
        shrinks_target: false,
    },
    follows: Follows::Always,
    least: 10.0 * MBIT,
    by_acks: false,
};

impl Law {
    /// The reading of this name on a line of this rate.
    pub(super) fn named(name: &str, line: f64) -> Law {
        match name {
            "ns3-rdma" => PAPER.ns3_rdma(),
            "connectx" => PAPER.connectx(),
            "hpcc-simulator" => PAPER.hpcc_simulator(line),
            _ => PAPER,
        }
    }

    /// What differs from it in `ns3-rdma`.
    fn ns3_rdma(self) -> Law {
        Law {
            alpha: 0.5,
            alpha_first: true,
            rise: Rise {
                timer: Span::micros(60),
                bytes: Some(300_000_000),
                hyper_grows: Some(1),
                halves: Halves::Both(5),
                shrinks_target: true,
                ..self.rise
            },
            least: 100.0 * MBIT,
            ..self
        }
    }

    /// What differs from it in `connectx`.
    fn connectx(self) -> Law {
        Law {
            gain: 1.0 / 204.8,
            alpha: 1023.0 / 1024.0,
            decay: Decay::Free(Span::micros(1)),
            cut_ticks: Some(Span::micros(4)),
            rise: Rise {
                stages: 1,
                timer: Span::micros(300),
                bytes: Some(32_767),
                additive: 5.0 * MBIT,
                hyper: 50.0 * MBIT,
                hyper_grows: None,
                ..self.rise
            },
            follows: Follows::AfterStep,
            least: MBIT,
            ..self
        }
    }

    /// What differs from it in `hpcc-simulator`.
    fn hpcc_simulator(self, line: f64) -> Law {
        Law {
            decay: Decay::Free(Span::micros(1)),
            cut_ticks: Some(Span::micros(4)),
            rise: Rise {
                stages: 1,
                timer: Span::micros(300),
                bytes: None,
                additive: 5.0 * line / 25e9 * MBIT,
                hyper: 50.0 * line / 25e9 * MBIT,
                hyper_grows: None,
                additive_once: true,
                ..self.rise
            },
            follows: Follows::AfterStep,
            least: 100.0 * MBIT,
            by_acks: true,
            ..self
        }
    }
}
