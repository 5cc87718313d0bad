//! An 802.11 medium: its radio, its rules of access, and the spans that follow from them.

use backwater_transport::units::{Rate, Span, Time};

use crate::medium::wifi::mac::category::{AfterCollision, MacSpec, Protection};
use crate::medium::wifi::mac::frame::{Exchange, FrameKind};
use crate::medium::wifi::phy::aggregate::{self, DELIMITER};
use crate::medium::wifi::phy::channel::ChannelSpec;
use crate::medium::wifi::phy::mode::Mode;
use crate::medium::wifi::phy::physical::Receivers;
use crate::medium::wifi::phy::standard::{self, Phy};
use crate::medium::wifi::spec::{High, MediumSpec};

/// A medium and its timing.
#[derive(Clone, Debug)]
pub struct Medium {
    /// Name.
    pub name: String,
    /// Radio.
    pub phy: Phy,
    /// The rules of stations of 802.11n and later.
    pub high: Option<High>,
    /// The modes of their data frames, the slowest first.
    pub modes: Vec<Mode>,
    /// Rules of access.
    pub mac: MacSpec,
    /// Propagation and reception.
    pub channel: ChannelSpec,
    /// Slot time.
    pub slot: Span,
    /// Short interframe space.
    pub sifs: Span,
    /// Propagation delay.
    pub delta: Span,
    /// By how much a frame must be stronger than all others together to survive them.
    pub capture: f64,
    /// The rules of receivers under the physical channel; `None` under the disc.
    pub receivers: Option<Receivers>,
    /// RTS on the air.
    pub rts: Span,
    /// CTS.
    pub cts: Span,
    /// CF-End.
    pub cf_end: Span,
    /// MAC header, FCS, LLC and SNAP of a data frame, bytes.
    pub overhead: u64,
    /// How long after its frame a sender that gets no answer waits, before AIFS.
    pub sender_defers: Span,
    /// How long a station that heard a damaged frame waits, before AIFS.
    pub bystander_defers: Span,
    /// How long after an RTS a NAV stands that no frame follows.
    pub nav_holds: Span,
}

impl Medium {
    /// A medium and the spans that follow from it.
    pub fn new(spec: &MediumSpec) -> Medium {
        let MediumSpec {
            name,
            phy,
            mac,
            channel,
            high,
        } = spec.clone();
        let (slot, sifs, delta) = (
            phy.standard.slot(),
            phy.standard.sifs(),
            channel.propagation(),
        );
        // ACKTimeout and CTSTimeout, 10.3.2.9: SIFS, slot, and the time to begin to receive.
        let timeout = sifs + slot + phy.preamble();
        let (sender_defers, bystander_defers) = match mac.after_collision {
            AfterCollision::Timeout => (timeout, phy.eifs_extra()),
            AfterCollision::Difs => (Span::ZERO, Span::ZERO),
            AfterCollision::Eifs => (phy.eifs_extra(), phy.eifs_extra()),
        };
        let cts = phy.airtime(standard::CTS, phy.answer_to(phy.control));
        let qos = if mac.access.categories() > 1 {
            standard::QOS
        } else {
            0
        };
        Medium {
            slot,
            sifs,
            delta,
            capture: channel.capture(),
            receivers: channel
                .receivers(phy.standard, high.map(|high| (high.modes(), high.control))),
            modes: high.map_or(Vec::new(), |high| high.modes()),
            rts: phy.airtime(standard::RTS, phy.control),
            cf_end: phy.airtime(standard::CF_END, phy.control),
            cts,
            overhead: standard::OVERHEAD + qos,
            sender_defers,
            bystander_defers,
            nav_holds: sifs.times(2) + cts + phy.preamble() + slot.times(2),
            name,
            phy,
            high,
            mac,
            channel,
        }
    }

    /// Airtime of a data frame to one station.
    #[inline]
    pub fn data(&self, bytes: u64, rate: Rate, mode: Option<&Mode>) -> Span {
        match mode {
            None => self.phy.airtime(bytes, rate),
            Some(mode) => mode.airtime(match mode.format.delimits_all() {
                true => DELIMITER + bytes,
                false => bytes,
            }),
        }
    }

    /// The mode of this rate.
    fn mode_of(&self, rate: Rate) -> Option<Mode> {
        let found = self.modes.iter().find(|mode| mode.rate() == rate);
        found.copied()
    }

    /// Single stations have modes of their own.
    pub fn add_modes(&mut self, more: impl Iterator<Item = Mode>) {
        for mode in more {
            if !self.modes.contains(&mode) {
                self.modes.push(mode);
            }
        }
        self.modes.sort_by_key(Mode::rate);
        let modes = self.high.map(|high| (self.modes.clone(), high.control));
        self.receivers = self.channel.receivers(self.phy.standard, modes);
    }

    /// Bytes, rate and airtime of a frame of an exchange.
    #[inline]
    pub fn on_air(&self, kind: FrameKind, exchange: &Exchange) -> (u64, Rate, Span) {
        let phy = &self.phy;
        let answer = |bytes| (bytes, phy.answer_to(exchange.reference), exchange.ack);
        match kind {
            FrameKind::Rts => (standard::RTS, phy.control, self.rts),
            FrameKind::Cts => (standard::CTS, phy.answer_to(phy.control), self.cts),
            FrameKind::Ack => answer(standard::ACK),
            FrameKind::BlockAck => answer(self.block_ack_bytes()),
            FrameKind::Data | FrameKind::Group | FrameKind::Bar | FrameKind::CfEnd => {
                (exchange.bytes, exchange.rate, exchange.data)
            }
        }
    }

    /// Whether stations send several frames in one PPDU.
    #[inline]
    pub fn aggregates(&self) -> bool {
        self.high
            .as_ref()
            .is_some_and(|high| high.aggregation.is_some())
    }

    /// Length of a block acknowledgement.
    pub fn block_ack_bytes(&self) -> u64 {
        let high = self.high.as_ref();
        let limits = high.and_then(|high| high.aggregation.as_ref());
        aggregate::block_ack(limits.expect("a medium with aggregation").window)
    }

    /// Airtime of a block acknowledgement for a window of so many frames, to a frame with this reference.
    pub fn block_ack(&self, window: u16, reference: Rate) -> Span {
        let bytes = aggregate::block_ack(window);
        self.phy.airtime(bytes, self.phy.answer_to(reference))
    }

    /// Whether a frame of power `wanted` is damaged where all frames on the air add up to `all`.
    pub fn damages(&self, wanted: u64, all: u64) -> bool {
        all > wanted && (wanted as f64) < self.capture * (all - wanted) as f64
    }

    /// Airtime of the ACK of a frame of this rate, or of a mode with this reference.
    pub fn ack(&self, rate: Rate) -> Span {
        self.phy.airtime(standard::ACK, self.phy.answer_to(rate))
    }

    /// Airtime of a whole exchange with a packet of so many IP bytes, without propagation.
    pub fn exchange(&self, bytes: u64, rate: Rate) -> Span {
        let bytes = bytes + self.overhead;
        let mode = self.mode_of(rate);
        let reference = mode.map_or(rate, |mode| mode.reference());
        let plain = self.data(bytes, rate, mode.as_ref()) + self.sifs + self.ack(reference);
        match bytes > self.mac.rts_above {
            true => plain + self.rts + self.cts + self.sifs.times(2),
            false => plain,
        }
    }

    /// How long after its end, as it is heard then, a frame of this kind reserves the medium: to the end of the exchange, or of the next one where
    /// the TXOP goes on; under multiple protection to the end of the TXOP. 9.2.5.2.
    #[inline]
    pub fn nav(&self, kind: FrameKind, exchange: &Exchange, ends: Time) -> Span {
        self.reserved(kind, exchange, self.delta, ends)
    }

    /// The Duration field of such a frame that ends then: the same without propagation. 9.2.5.
    pub fn duration(&self, kind: FrameKind, exchange: &Exchange, ends: Time) -> Span {
        self.reserved(kind, exchange, Span::ZERO, ends)
    }

    #[inline]
    fn reserved(&self, kind: FrameKind, exchange: &Exchange, delta: Span, ends: Time) -> Span {
        let rest = self.remainder(kind, exchange, delta);
        let single = self.mac.protection == Protection::Single;
        if single || matches!(kind, FrameKind::Group | FrameKind::CfEnd) {
            return rest;
        }
        rest.max(Span(exchange.txop_end.0.saturating_sub(ends.0)))
    }

    /// Whether a TXOP that lasts until then has room for a CF-End that gives back the rest. 10.23.2.10.
    pub fn truncates(&self, until: Time, now: Time) -> bool {
        let ended = now + self.sifs + self.cf_end + self.delta;
        self.mac.protection == Protection::Multiple && ended <= until
    }

    #[inline]
    fn remainder(&self, kind: FrameKind, exchange: &Exchange, delta: Span) -> Span {
        let then = |span: Span| self.sifs + span + delta;
        let ack = || then(exchange.ack);
        let data = || then(exchange.data) + ack();
        let rest = match kind {
            FrameKind::Rts => then(self.cts) + data(),
            FrameKind::Cts => data(),
            FrameKind::Data | FrameKind::Bar => ack(),
            FrameKind::Ack | FrameKind::BlockAck => Span::ZERO,
            FrameKind::Group | FrameKind::CfEnd => return Span::ZERO,
        };
        match (exchange.goes_on, exchange.rts) {
            (false, _) => rest,
            (true, false) => rest + data(),
            (true, true) => rest + then(self.rts) + then(self.cts) + data(),
        }
    }

    /// From the beginning of an exchange to the end of its last frame, as it is heard.
    pub fn whole(&self, kind: FrameKind, exchange: &Exchange) -> Span {
        let first = match kind {
            FrameKind::Rts => self.rts,
            _ => exchange.data,
        };
        first + self.delta + self.remainder(kind, exchange, self.delta)
    }
}
