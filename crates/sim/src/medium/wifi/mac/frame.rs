//! Frames on the air, and the exchange that a frame belongs to.

use backwater_transport::units::{Rate, Span, Time};

use crate::medium::wifi::phy::aggregate::BAR;
use crate::medium::wifi::phy::standard::CF_END;

/// The number of a station in a list that is read at every frame. The tables of the media have room for fewer.
pub(in crate::medium::wifi) type Number = u16;

/// No station.
pub const NOBODY: u32 = u32::MAX;

/// The frame that is being sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// A data or management frame to one station.
    Data,
    /// Acknowledgement.
    Ack,
    /// Acknowledgement of the frames of a burst.
    BlockAck,
    /// A BAR: it asks for a block acknowledgement.
    Bar,
    /// A data or management frame to all neighbours.
    Group,
    /// The end of a TXOP before its time: who hears it resets its NAV.
    CfEnd,
}

impl FrameKind {
    /// Whether it answers another frame.
    #[inline]
    pub fn is_answer(self) -> bool {
        matches!(self, FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck)
    }
}

/// A frame on the air.
#[derive(Copy, Clone, Debug)]
pub struct Frame {
    /// What.
    pub kind: FrameKind,
    /// For whom.
    pub to: u32,
    /// Whose exchange it belongs to.
    pub holder: u32,
    /// When it began.
    pub begin: Time,
    /// When its last bit is sent.
    pub sent: Time,
    /// From its end to the end of the exchange.
    pub rest: Span,
    /// An answer whose addressee waits for its timeout instead of the answer's end. See `answer`.
    pub missed: bool,
}

/// The frame that a station sends a SIFS after the frame it received.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Nothing.
    None,
    /// A CTS.
    Cts {
        /// To whom.
        to: u32,
    },
    /// The data frame that was cleared.
    Go,
    /// An ACK.
    Ack {
        /// To whom.
        to: u32,
    },
    /// The next exchange of a TXOP.
    Next {
        /// Category.
        category: u8,
        /// End of the TXOP.
        until: Time,
    },
    /// A CF-End.
    End {
        /// Category.
        category: u8,
    },
}

/// The exchange that a station has begun.
#[derive(Copy, Clone, Debug)]
pub struct Exchange {
    /// Category.
    pub category: u8,
    /// The hop whose first frames it carries; `None` for a management frame.
    pub hop: Option<u32>,
    /// How many packets: the first ones that are not acknowledged.
    pub count: u16,
    /// MPDUs in which they go.
    pub mpdus: u16,
    /// For whom.
    pub to: u32,
    /// Airtime of the data frame.
    pub data: Span,
    /// Airtime of its ACK.
    pub ack: Span,
    /// Its bytes.
    pub bytes: u64,
    /// Whether a notice rides in its header.
    pub field: bool,
    /// Its rate.
    pub rate: Rate,
    /// The rate by which the rate of its answer is found.
    pub reference: Rate,
    /// Whether it began with an RTS.
    pub rts: bool,
    /// Whether a block acknowledgement answers it.
    pub block: bool,
    /// Another exchange is expected to follow in the TXOP. The frame is settled only then, so the Duration fields
    /// reserve the time of an exchange like this one. 9.2.5.2, single protection.
    pub goes_on: bool,
    /// Whether the CTS came.
    pub cleared: bool,
    /// When it began.
    pub begun: Time,
    /// Until when the station may keep the medium.
    pub txop_end: Time,
    /// When the last frame of its sender ended.
    pub own_end: Time,
}

impl Exchange {
    /// A CF-End that lasts so long at this rate, as the frame of an exchange of its own.
    pub fn cf_end(category: u8, (rate, data): (Rate, Span), now: Time) -> Exchange {
        Exchange {
            category,
            hop: None,
            count: 0,
            mpdus: 0,
            to: NOBODY,
            data,
            ack: Span::ZERO,
            bytes: CF_END,
            field: false,
            rate,
            reference: rate,
            rts: false,
            block: false,
            goes_on: false,
            cleared: false,
            begun: now,
            txop_end: now,
            own_end: now,
        }
    }

    /// Whether it asks for a block acknowledgement with a BAR. A burst is longer.
    #[inline]
    pub fn is_bar(&self) -> bool {
        self.block && self.bytes == BAR
    }
}
