//! The two ends of a flow, without input or output: a `Sender` and a `Receiver`. The caller gives the time, carries
//! segments, acknowledgements and signals between the ends, and calls when a timer is due.
//!
//! After each `write`, `on_ack`, `on_signal` and `on_timer` of a sender, call `poll` until it returns none, or leave that to
//! a NIC that pulls; then read `due`. After each segment that a receiver is given, call `next_signal` until it returns none.
//!
//! A transport is its two types, its row, its variant in `Protocol` and one line in `transports!`.

use crate::controller::AnyController;
use crate::segment::{AckSegment, Ecn, Segment, Signal};
use crate::units::Time;
use crate::walk::{Base, OnTheWay, Walk};

use crate::sender_core::SenderCore;

pub use crate::ends::{CreditState, Receiver, Sender};
pub use crate::protocol::{Protocol, Transport};
pub use crate::receiver::{DelayedAck, ReceiverSetup};
pub use crate::sender_state::{Inspection, SenderCounters};
pub use crate::setup::{
    AfterIdle, EcnFeedback, MAX_UNACKNOWLEDGED, Recovery, SenderSetup, initial_window,
};

/// One list of all transports: the enums of their ends, the dispatch, and the rows. The ends of a `Stream` are looked at for
/// each packet, so its receiver is not boxed.
macro_rules! transports {
    ($($name:ident: $module:ident, $sender:ident, $receiver:ident $boxed:tt;)*) => {
        impl Protocol {
            /// Every transport.
            pub const ALL: &[Protocol] = &[$(Protocol::$name),*];

            /// The row of the transport, which is the same for all its flows.
            pub const fn row(self) -> &'static Transport {
                match self {
                    $(Protocol::$name => &crate::$module::ROW,)*
                }
            }

            /// IP bytes of an acknowledgement with so many SACK blocks.
            #[inline]
            pub fn ack_bytes(self, blocks: u64) -> u64 {
                match self {
                    $(Protocol::$name => (crate::$module::ROW.ack)(blocks),)*
                }
            }
        }

        /// A sender of any transport.
        #[derive(Clone, Debug)]
        pub enum AnySender {
            $(#[doc = concat!("See `", stringify!($module), "`.")]
            $name(Box<crate::$module::$sender>),)*
        }

        impl AnySender {
            /// A sender with nothing to send yet.
            ///
            /// # Panics
            /// When `mss` is zero or does not fit 32 bits.
            pub fn new(setup: &SenderSetup, controller: AnyController) -> AnySender {
                match setup.protocol {
                    $(Protocol::$name => {
                        AnySender::$name(Box::new(crate::$module::$sender::new(setup, controller)))
                    })*
                }
            }

            /// A warning of the sender or its controller for the report of a run.
            pub fn warnings(&self) -> Option<String> {
                self.warning().or_else(|| self.controller().warning())
            }
        }

        /// A receiver of any transport.
        #[derive(Clone, Debug)]
        pub enum AnyReceiver {
            $(#[doc = concat!("See `", stringify!($module), "`.")]
            $name(transports!(@type $module $receiver $boxed)),)*
        }

        impl AnyReceiver {
            /// A receiver before the first segment.
            pub fn new(setup: &ReceiverSetup) -> AnyReceiver {
                match setup.protocol {
                    $(Protocol::$name => {
                        let receiver = crate::$module::$receiver::new(setup);
                        AnyReceiver::$name(transports!(@make receiver $boxed))
                    })*
                }
            }
        }

        impl Sender for AnySender {
            crate::parts! { @dispatch AnySender [$($name)*]
                #[inline] fn core(&self) -> &SenderCore;
                #[inline] fn core_mut(&mut self) -> &mut SenderCore;
                fn in_flight(&self) -> u64;
                fn write(&mut self, bytes: u64);
                #[inline(always)] fn poll(&mut self, now: Time) -> Option<Segment>;
                #[inline(always)] fn on_ack(&mut self, now: Time, ack: &AckSegment);
                fn on_signal(&mut self, now: Time, signal: &Signal);
                fn on_timer(&mut self, now: Time);
                #[inline] fn due(&self) -> Time;
                #[inline] fn prefetch(&self) -> u64;
                #[inline] fn prefetch_segments(&self) -> u64;
                fn mss(&self) -> u64;
                fn window(&self) -> u64;
                fn take_controller(&mut self, controller: AnyController, setup: &SenderSetup);
                fn take_options(&mut self, setup: &SenderSetup);
                fn warning(&self) -> Option<String>;
                fn has_no_timer(&self) -> bool;
                fn base(&self) -> Base;
                fn walk(&mut self, walk: &mut Walk, flow: &str, on_the_way: &OnTheWay);
            }
        }

        impl Receiver for AnyReceiver {
            crate::parts! { @dispatch AnyReceiver [$($name)*]
                fn on_segment(&mut self, now: Time, segment: &Segment, ecn: Ecn) -> Option<AckSegment>;
                #[inline] fn next_signal(&mut self, now: Time) -> Option<Signal>;
                #[inline] fn credit(&self) -> CreditState;
                fn give_credit(&mut self) -> Signal;
                fn on_timer(&mut self, now: Time) -> Option<AckSegment>;
                #[inline] fn due(&self) -> Time;
                fn delay_acks(&mut self, delayed: Option<DelayedAck>);
                #[inline] fn prefetch(&self) -> u64;
                fn delivered(&self) -> u64;
                fn walk(&mut self, walk: &mut Walk, flow: &str, base: &Base);
            }
        }
    };
    (@type $module:ident $receiver:ident (inline)) => { crate::$module::$receiver };
    (@type $module:ident $receiver:ident (boxed)) => { Box<crate::$module::$receiver> };
    (@make $made:ident (inline)) => { $made };
    (@make $made:ident (boxed)) => { Box::new($made) };
}

transports! {
    Stream: stream, StreamSender, StreamReceiver (inline);
    Datagram: datagram, DatagramSender, DatagramReceiver (boxed);
    Roce: roce, RoceSender, RoceReceiver (boxed);
    Irn: irn, IrnSender, IrnReceiver (boxed);
}
