//! The state of a stream's sender.

use crate::controller::AnyController;
use crate::controller_interface::{Controller, Reduction};
use crate::ends::Sender;
use crate::recovery::Detector;
use crate::recovery::prr::Prr;
use crate::recovery::tlp::Tlp;
use crate::recovery::undo::Undo;
use crate::scoreboard::Scoreboard;
use crate::segment::{AckSegment, Segment};
use crate::sender_core::SenderCore;
use crate::setup::{Recovery, SenderSetup};
use crate::units::{Span, Time};
use crate::walk::{Base, OnTheWay, Walk};

/// Phase of loss recovery.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nothing.
    Open,
    /// Fast recovery.
    Fast,
    /// Timeout recovery: slow start over what was lost when the retransmission timer expired.
    Timeout,
}

/// The sender.
#[derive(Clone, Debug)]
pub struct StreamSender {
    pub(super) core: SenderCore,
    pub(super) mss: u64,
    pub(super) ack_delay: Span,
    pub(super) detector: Detector,
    pub(super) prr: Option<Prr>,
    pub(super) proportional: bool,
    pub(super) tlp: Option<Tlp>,
    pub(super) undo: Undo,
    pub(super) scoreboard: Scoreboard,
    pub(super) phase: Phase,
    /// Recovery ends when all bytes below are acknowledged.
    pub(super) recover: u64,
    /// Duplicates signal a loss only when all bytes below are acknowledged (RFC 6582's `recover`).
    pub(super) guard: u64,
    /// Transmissions from this number on left after the last window reduction.
    pub(super) first_after_reduction: u64,
    /// Among the losses just summary is a retransmission that left since.
    pub(super) retransmission_lost: bool,
    /// New data sent since then were lost. The next reduction follows when this recovery ends.
    pub(super) new_data_lost: bool,
    /// Bytes lost in this episode.
    pub(super) episode_lost: u64,
    pub(super) written: u64,
    pub(super) una: u64,
    pub(super) nxt: u64,
    pub(super) number: u64,
    /// Right edge of the receive window.
    pub(super) window_edge: u64,
    /// The next retransmission leaves regardless of the window.
    pub(super) bypass_window: bool,
    /// A tail loss probe leaves regardless of the window.
    pub(super) probe: bool,
    /// The first segment was resent because the timer expired.
    pub(super) front_timed_out: bool,
    pub(super) rto: Time,
    /// When the last segment left.
    pub(super) last_sent: Time,
    /// The window reacts to marks again when more than this is acknowledged.
    pub(super) mark_ends: u64,
    pub(super) cwr: bool,
    pub(super) paced: bool,
    /// The probe timer restarts once nothing more may leave.
    pub(super) rearm: bool,
    /// Segments just found lost. Kept to reuse the allocation.
    pub(super) losses: Vec<u64>,
}

impl StreamSender {
    /// A sender with nothing to send yet.
    pub fn new(setup: &SenderSetup, controller: AnyController) -> StreamSender {
        assert!(setup.mss > 0 && setup.mss <= u64::from(u32::MAX));
        let rack = setup.recovery == Recovery::Rack;
        StreamSender {
            mss: setup.mss,
            ack_delay: setup.ack_delay,
            detector: Detector::new(setup.recovery, setup.mss),
            prr: None,
            proportional: rack && controller.reduction() == Reduction::Proportional,
            tlp: rack.then(Tlp::default),
            undo: Undo::default(),
            scoreboard: Scoreboard::default(),
            phase: Phase::Open,
            recover: 0,
            guard: 0,
            first_after_reduction: 0,
            retransmission_lost: false,
            new_data_lost: false,
            episode_lost: 0,
            written: 0,
            una: 0,
            nxt: 0,
            number: 0,
            window_edge: u64::MAX,
            bypass_window: false,
            probe: false,
            front_timed_out: false,
            rto: Time::NEVER,
            last_sent: Time::ZERO,
            mark_ends: 0,
            cwr: false,
            paced: false,
            rearm: false,
            losses: Vec::new(),
            core: SenderCore::new(setup, controller),
        }
    }
}

impl StreamSender {
    /// Whether recovery reduces the window in proportion to what is acknowledged.
    fn reduces_proportionally(&self, controller: &AnyController) -> bool {
        self.tlp.is_some() && controller.reduction() == Reduction::Proportional
    }
}

impl Sender for StreamSender {
    fn core(&self) -> &SenderCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut SenderCore {
        &mut self.core
    }

    fn take_controller(&mut self, controller: AnyController, setup: &SenderSetup) {
        self.proportional = self.reduces_proportionally(&controller);
        self.core.take_controller(controller, setup);
    }

    fn take_options(&mut self, setup: &SenderSetup) {
        self.ack_delay = setup.ack_delay;
        self.core.take_options(setup);
    }

    /// Bytes in flight according to recovery.
    fn in_flight(&self) -> u64 {
        self.scoreboard
            .in_flight()
            .saturating_sub(self.detector.departed())
    }

    fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
    }

    #[inline(always)]
    fn poll(&mut self, now: Time) -> Option<Segment> {
        self.next_segment(now)
    }

    #[inline(always)]
    fn on_ack(&mut self, now: Time, ack: &AckSegment) {
        self.take_ack(now, ack);
    }

    fn on_timer(&mut self, now: Time) {
        self.expire_timers(now);
    }

    #[inline]
    fn due(&self) -> Time {
        self.next_due()
    }

    fn prefetch(&self) -> u64 {
        let own = self.una
            ^ self.written
            ^ self.rto.0
            ^ self.first_after_reduction
            ^ u64::from(self.bypass_window);
        own ^ self.core.prefetch() ^ self.scoreboard.in_flight() ^ self.detector.departed()
    }

    #[inline]
    fn prefetch_segments(&self) -> u64 {
        self.scoreboard.prefetch()
    }

    fn mss(&self) -> u64 {
        self.mss
    }

    fn base(&self) -> Base {
        self.numbers()
    }

    fn walk(&mut self, walk: &mut Walk, flow: &str, on_the_way: &OnTheWay) {
        self.visit(walk, flow, on_the_way);
    }

    /// Bytes that may be in flight.
    fn window(&self) -> u64 {
        match &self.prr {
            Some(prr) => prr.window(),
            None => self.core.window(),
        }
    }
}
