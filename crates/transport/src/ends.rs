//! The two ends of a flow as traits.

use crate::controller::AnyController;
use crate::controller_interface::Driven;
use crate::receiver::DelayedAck;
use crate::segment::{AckSegment, Ecn, Segment, Signal};
use crate::sender_core::SenderCore;
use crate::sender_state::{Inspection, SenderCounters};
use crate::setup::{MAX_UNACKNOWLEDGED, SenderSetup};
use crate::units::Time;
use crate::walk::{Base, OnTheWay, Walk};

/// The sending end of a flow.
pub trait Sender {
    /// The state that all senders have.
    fn core(&self) -> &SenderCore;

    /// The same.
    fn core_mut(&mut self) -> &mut SenderCore;

    /// Bytes in flight.
    fn in_flight(&self) -> u64;

    /// The application adds bytes to send; `u64::MAX` for a saturated source.
    fn write(&mut self, bytes: u64);

    /// The next segment that may leave now.
    fn poll(&mut self, now: Time) -> Option<Segment>;

    /// An acknowledgement has come.
    fn on_ack(&mut self, now: Time, ack: &AckSegment);

    /// A packet of the receiver has come that acknowledges nothing.
    fn on_signal(&mut self, now: Time, signal: &Signal) {
        self.core_mut().on_signal(now, signal);
    }

    /// The timer `due` has expired.
    fn on_timer(&mut self, now: Time);

    /// When to call `on_timer` next; `NEVER` for no timer.
    fn due(&self) -> Time;

    /// Reads a word of each cache line that an acknowledgement touches. Changes nothing. A caller with
    /// many connections uses it as a prefetch.
    fn prefetch(&self) -> u64;

    /// The same for the segments that the acknowledgement covers. Call `prefetch` first.
    fn prefetch_segments(&self) -> u64 {
        0
    }

    /// Counts since the beginning.
    fn counters(&self) -> &SenderCounters {
        &self.core().counters
    }

    /// Payload bytes of a full segment.
    fn mss(&self) -> u64;

    /// Window in force, bytes.
    fn window(&self) -> u64 {
        self.core().window()
    }

    /// Its controller.
    fn controller(&self) -> &AnyController {
        self.core().controller()
    }

    /// Lets a driver tell its controller what to do, where that is driven from outside. Call `poll` afterwards.
    fn drive(&mut self, outside: &mut dyn FnMut(&mut Driven)) {
        self.core_mut().drive(outside);
    }

    /// Another controller takes over, at the beginning of its own state. What is in flight and what was measured stay. Call
    /// `poll` afterwards.
    fn take_controller(&mut self, controller: AnyController, setup: &SenderSetup) {
        self.core_mut().take_controller(controller, setup);
    }

    /// Takes options over that may change in the middle of a run. Timers that run go off as they were set.
    fn take_options(&mut self, setup: &SenderSetup) {
        self.core_mut().take_options(setup);
    }

    /// The numbers with which others of its connection are compared, for `walk`.
    fn base(&self) -> Base {
        Base::default()
    }

    /// Visits its state, where so much of the connection is on its way. Without such a visit no run with the flow is skipped.
    fn walk(&mut self, walk: &mut Walk, flow: &str, _on_the_way: &OnTheWay) {
        walk.unable(flow, "its transport is a queue pair");
    }

    /// The window of its controller had no full effect.
    fn warning(&self) -> Option<String> {
        let what = "packets were in flight, the most a sender keeps; its controller allowed more";
        (self.core().capped).then(|| format!("{MAX_UNACKNOWLEDGED} {what}"))
    }

    /// Whether data are in flight that no timer would send again.
    fn has_no_timer(&self) -> bool {
        false
    }

    /// State for plots and records.
    fn inspect(&self) -> Inspection {
        self.core().inspect(self.window(), self.in_flight())
    }
}

/// The knowledge of a receiver about its sender's credit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CreditState {
    /// It has more than it can use, or it needs none.
    Enough,
    /// It has what it wanted and may be given some for data to come.
    Ahead,
    /// It waits for more.
    Waits,
}

/// The receiving end of a flow.
pub trait Receiver {
    /// A segment arrives with this codepoint. The acknowledgement that leaves at once, if any.
    fn on_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> Option<AckSegment>;

    /// The next packet that the segment caused besides.
    fn next_signal(&mut self, _now: Time) -> Option<Signal> {
        None
    }

    /// Whether its sender waits for credit.
    fn credit(&self) -> CreditState {
        CreditState::Enough
    }

    /// It gives the credit of one pull packet, which leaves now.
    ///
    /// # Panics
    /// Where it gives none.
    fn give_credit(&mut self) -> Signal {
        unreachable!("only a receiver that gives credit is asked for it")
    }

    /// The timer `due` has expired.
    fn on_timer(&mut self, now: Time) -> Option<AckSegment>;

    /// When to call `on_timer`; `NEVER` for no timer.
    fn due(&self) -> Time;

    /// From the next segment on acknowledgements wait for so many segments, at most for so long. One that waits goes as it was
    /// to go. A transport that never delays them ignores this.
    fn delay_acks(&mut self, _delayed: Option<DelayedAck>) {}

    /// Reads a word of each cache line that a segment touches.
    fn prefetch(&self) -> u64;

    /// Bytes handed to the application.
    fn delivered(&self) -> u64;

    /// Visits its state, with the numbers of its sender. Without such a visit no run with the flow is skipped.
    fn walk(&mut self, walk: &mut Walk, flow: &str, _base: &Base) {
        walk.unable(flow, "its transport is a queue pair");
    }
}
