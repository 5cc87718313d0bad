//! The two ends of a flow, without input or output: whoever drives them says what time it is, carries
//! segments one way and acknowledgements the other, and calls when a timer is due.
//!
//! After every call that may change what a sender can do (`write`, `on_ack`, `on_timer`), call `poll`
//! until it gives nothing, then ask `due`.

use crate::controller::AnyController;
use crate::datagram::DatagramSender;
use crate::segment::{AckSegment, Segment};
use crate::stream::StreamSender;
use crate::units::Time;

pub use crate::receiver::{DelayedAck, Receiver, ReceiverSetup};
pub use crate::sender_state::{Inspection, SenderCounters};
pub use crate::setup::{AfterIdle, EcnFeedback, Protocol, Recovery, SenderSetup, initial_window};

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

    /// The application has that many more bytes; `u64::MAX` for an endless supply.
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

    /// The instant `due` has come.
    pub fn on_timer(&mut self, now: Time) {
        each!(self, s => s.on_timer(now));
    }

    /// The earliest instant at which `on_timer` is wanted; `NEVER` for none.
    pub fn due(&self) -> Time {
        each!(self, s => s.due())
    }

    /// Reads a word of each cache line that an acknowledgement touches. Changes nothing: a driver with many
    /// connections has the memory fetch them ahead.
    #[inline]
    pub fn touch(&self) -> u64 {
        each!(self, s => s.touch())
    }

    /// The same of the segments that it is about, once `touch` has fetched where they are.
    #[inline]
    pub fn touch_segments(&self) -> u64 {
        match self {
            AnySender::Stream(s) => s.touch_segments(),
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

    /// What the reader of a run has to know of the controller.
    pub fn warning(&self) -> Option<String> {
        each!(self, s => s.warning())
    }

    /// State for plots and records.
    pub fn inspect(&self) -> Inspection {
        each!(self, s => s.inspect())
    }
}
