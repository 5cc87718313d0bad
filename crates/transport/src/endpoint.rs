//! The two ends of a flow, without input or output. The caller gives the time, carries segments and
//! acknowledgements between the ends, and calls when a timer is due.
//!
//! After each `write`, `on_ack` and `on_timer` of a sender, call `poll` until it returns none, then
//! read `due`.

use crate::controller::AnyController;
use crate::datagram::DatagramSender;
use crate::segment::{AckSegment, Segment};
use crate::stream::StreamSender;
use crate::units::Time;

pub use crate::receiver::{DelayedAck, Receiver, ReceiverSetup};
pub use crate::sender_state::{Inspection, SenderCounters};
pub use crate::setup::{
    AfterIdle, EcnFeedback, MAX_UNACKNOWLEDGED, Protocol, Recovery, SenderSetup, initial_window,
};

/// A sender of either protocol.
#[derive(Clone, Debug)]
pub enum AnySender {
    /// TCP.
    Stream(Box<StreamSender>),
    /// Datagrams.
    Datagram(Box<DatagramSender>),
}

macro_rules! each {
    ($self:ident, $s:ident => $call:expr) => {
        match $self {
            AnySender::Stream($s) => $call,
            AnySender::Datagram($s) => $call,
        }
    };
}

impl AnySender {
    /// A sender with nothing to send yet.
    ///
    /// # Panics
    /// When `mss` is zero or does not fit 32 bits.
    pub fn new(setup: &SenderSetup, controller: AnyController) -> AnySender {
        match setup.protocol {
            Protocol::Stream => AnySender::Stream(Box::new(StreamSender::new(setup, controller))),
            Protocol::Datagram => {
                AnySender::Datagram(Box::new(DatagramSender::new(setup, controller)))
            }
        }
    }

    /// The application adds bytes to send; `u64::MAX` for a saturated source.
    pub fn write(&mut self, bytes: u64) {
        each!(self, s => s.write(bytes));
    }

    /// The next segment that may leave now.
    #[inline(always)]
    pub fn poll(&mut self, now: Time) -> Option<Segment> {
        each!(self, s => s.poll(now))
    }

    /// An acknowledgement has come.
    pub fn on_ack(&mut self, now: Time, ack: &AckSegment) {
        each!(self, s => s.on_ack(now, ack));
    }

    /// The timer `due` has expired.
    pub fn on_timer(&mut self, now: Time) {
        each!(self, s => s.on_timer(now));
    }

    /// When to call `on_timer` next; `NEVER` for no timer.
    pub fn due(&self) -> Time {
        each!(self, s => s.due())
    }

    /// Reads a word of each cache line that an acknowledgement touches. Changes nothing. A caller with
    /// many connections uses it as a prefetch.
    #[inline]
    pub fn prefetch(&self) -> u64 {
        each!(self, s => s.prefetch())
    }

    /// The same for the segments that the acknowledgement covers. Call `touch` first.
    #[inline]
    pub fn prefetch_segments(&self) -> u64 {
        match self {
            AnySender::Stream(s) => s.prefetch_segments(),
            AnySender::Datagram(_) => 0,
        }
    }

    /// Counts since the beginning.
    pub fn counters(&self) -> &SenderCounters {
        each!(self, s => s.counters())
    }

    /// Payload bytes of a full segment.
    pub fn mss(&self) -> u64 {
        each!(self, s => s.mss())
    }

    /// Window in force, bytes.
    pub fn window(&self) -> u64 {
        each!(self, s => s.window())
    }

    /// Its controller.
    pub fn controller(&self) -> &AnyController {
        each!(self, s => s.controller())
    }

    /// A warning of the sender or its controller for the report of a run.
    pub fn warning(&self) -> Option<String> {
        let own = match self {
            AnySender::Stream(_) => None,
            AnySender::Datagram(s) => s.warning(),
        };
        own.or_else(|| self.controller().warning())
    }

    /// State for plots and records.
    pub fn inspect(&self) -> Inspection {
        each!(self, s => s.inspect())
    }
}
