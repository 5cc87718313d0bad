//! Bursts of several frames: how many an A-MPDU takes, and when each is on the air.
//!
//! Reference: IEEE 802.11-2020 10.12 (A-MPDU), 10.25.6 (HT-immediate block acknowledgement), 10.23.2.9 (TXOP).

use backwater_transport::units::{Bytes, Span, Time};

use crate::limit::Limit;
use crate::medium::ethernet;
use crate::medium::wifi::air::{Air, Medium, NOBODY};
use crate::medium::wifi::mac::frame::{Exchange, FrameKind};
use crate::medium::wifi::phy::aggregate::{BAR, DELIMITER, Growing, least_part, padded};
use crate::medium::wifi::phy::mode::Mode;
use crate::medium::wifi::radio::Edcaf;
use crate::network::Network;
use crate::shared::Shared;

/// How much of a burst fits.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Burst {
    /// Packets.
    pub count: u16,
    /// MPDUs.
    pub mpdus: u16,
    /// Bytes of the PPDU.
    pub bytes: u64,
}

/// How the bytes of a PPDU lie in time: evenly behind the preamble.
pub(super) struct Laid {
    /// When the first one is on the air.
    from: Time,
    /// How long all are.
    data: u64,
    bytes: u64,
}

impl Laid {
    /// The data frame of an exchange that begins now.
    pub fn of(exchange: &Exchange, mode: &Mode, now: Time) -> Laid {
        let preamble = mode.preamble();
        Laid {
            from: now + preamble,
            data: exchange.data.0 - preamble.0,
            bytes: exchange.bytes,
        }
    }

    /// When what follows so many bytes is on the air. No PPDU has 2³⁶ ticks or 2²⁴ bytes, so 64 bits are enough.
    #[inline]
    pub fn behind(&self, bytes: u64) -> Time {
        Time(self.from.0 + self.data * bytes / self.bytes)
    }
}

/// When one part of a PPDU after another is on the air, as `Laid::behind` has it. A part as long as the one before takes no division.
struct Beginnings {
    laid: Laid,
    /// Ticks of all parts so far, and what their division left.
    passed: u64,
    rest: u64,
    /// Bytes of the last part, and the same of it.
    part: u64,
    ticks: u64,
    left: u64,
}

impl Beginnings {
    fn of(laid: Laid) -> Beginnings {
        Beginnings {
            laid,
            passed: 0,
            rest: 0,
            part: 0,
            ticks: 0,
            left: 0,
        }
    }

    /// When the next part begins.
    #[inline]
    fn now(&self) -> Time {
        Time(self.laid.from.0 + self.passed)
    }

    /// Goes on behind a part of so many bytes.
    #[inline]
    fn pass(&mut self, bytes: u64) {
        if self.part != bytes {
            let product = self.laid.data * bytes;
            self.part = bytes;
            self.ticks = product / self.laid.bytes;
            self.left = product % self.laid.bytes;
        }
        self.passed += self.ticks;
        self.rest += self.left;
        if self.rest >= self.laid.bytes {
            self.rest -= self.laid.bytes;
            self.passed += 1;
        }
    }
}

/// What the last packet of a burst waited for others. Most packets of a burst have one length, and so wait equally long.
#[derive(Default)]
pub(crate) struct Others {
    /// IP bytes of the packet; none has none.
    len: u16,
    ticks: u64,
}

/// The time that a TXOP leaves for a data frame, maybe after an RTS, whose answer takes so long; no bound where there is no TXOP.
fn room_for_data(medium: &Medium, rts: bool, ack: Span, now: Time, until: Time) -> Span {
    if until <= now {
        return Span(u64::MAX);
    }
    let mut around = medium.sifs + ack + medium.delta.times(2);
    if rts {
        around += medium.rts + medium.cts + (medium.sifs + medium.delta).times(2);
    }
    Span((until.0 - now.0).saturating_sub(around.0))
}

impl Air {
    /// Saturated flows of stations that aggregate keep a window of packets waiting, as far as the buffer takes them.
    pub(crate) fn fill_windows(&self, network: &mut Network) {
        for flow in &mut network.flows.0 {
            let (class, Some(len)) = (flow.class, flow.fill()) else {
                continue;
            };
            for station in &network.nodes[flow.from].stations {
                let high = self.medium(*station).high.as_ref();
                let Some(limits) = high.and_then(|high| high.aggregation) else {
                    continue;
                };
                let radio = &self.radios[*station as usize];
                let c = &radio.categories[radio.category(class)];
                let room = match c.buffer {
                    Limit::Packets(packets) => packets,
                    Limit::Bytes(bytes) => bytes.0 / ethernet::frame(len),
                    Limit::Unlimited => u64::MAX,
                };
                let mine = (room as f64 * radio.own_share) as u64;
                let most = mine.min(limits.packets(len));
                flow.source.keep_waiting(most.min(u16::MAX.into()) as u16);
            }
        }
    }

    /// The frames of a hop's queue that one PPDU takes, as many as all bounds allow: those that were sent before go first. The
    /// first frame goes in any case; more only where the PPDU lasts no longer than `room`.
    /// Gates are asked for each frame: the burst ends before the first one that they hold back at this instant.
    pub(super) fn burst(
        &self,
        network: &Network,
        (hop, number): (u32, usize),
        room: Span,
        now: Time,
    ) -> Burst {
        let served = &self.hops[hop as usize];
        let overhead = self.header_bytes(served.from);
        let field = self.field_toward(served.from, served.to);
        let gates = self.radios[served.from as usize].gates.as_ref();
        let mut gates = gates.and_then(|gates| gates.trial());
        let limits = self.aggregation(hop, number);
        let limits = limits.expect("a hop with a session");
        if limits.msdu > 0 {
            return self.burst_of_msdus(network, (hop, number), room);
        }
        let mode = served.mode.as_ref().expect("a hop with a session");
        let window = &served.windows[number];
        let least = least_part(limits.bounds.apart, mode.rate());
        let largest = limits.bounds.most(mode, room);
        let (mut place, mut waits) = (0, network.ports[served.port].queue(number).list.head());
        let mut all = Growing::default();
        let mut alone = 0;
        let most = if self.probes(hop) { 1 } else { u16::MAX };
        while all.count < most {
            place = window.open_from(place);
            if place >= usize::from(limits.window) {
                break;
            }
            let len = match window.at(place).ghost {
                Some(ghost) => ghost.len,
                None if waits.is_none() => break,
                None => {
                    let packet = &network.packets[waits];
                    if let Some(gates) = &mut gates {
                        let (class, next, to) = (number as u8, Some(served.to), packet.to);
                        let opens = gates.opens_toward(class, next, Some(to), now);
                        if all.count > 0 && opens > now {
                            break;
                        }
                        gates.charge_toward(class, next, to, Bytes(packet.frame()), now);
                    }
                    waits = packet.next;
                    packet.len
                }
            };
            let first = if all.count == 0 { field } else { None };
            let mpdu = u64::from(len) + overhead + first.unwrap_or(0);
            let more = all.with(mpdu, least);
            if all.count == 0 {
                alone = mpdu;
            } else if !largest.holds(&more) {
                break;
            }
            all = more;
            place += 1;
        }
        Burst {
            count: all.count,
            mpdus: all.count,
            bytes: match all.count {
                1 => alone,
                _ => all.bytes(),
            },
        }
    }

    /// The exchange that a category would begin now with frames of a hop under a session: a burst, or a BAR that asks for the block
    /// acknowledgement of the last one. None where a frame goes alone, and without a session.
    pub(super) fn plan_under_session(
        &self,
        cx: &Shared,
        Edcaf { station, number }: Edcaf,
        hop: Option<u32>,
        now: Time,
        until: Time,
    ) -> Option<(FrameKind, Exchange)> {
        let hop = hop?;
        let limits = self.aggregation(hop, number)?;
        let served = &self.hops[hop as usize];
        let session = served.windows[number].session()?;
        let medium = self.medium(station);
        let exchange = Exchange {
            category: number as u8,
            hop: Some(hop),
            count: session.asked,
            mpdus: 1,
            to: served.to,
            data: medium.phy.airtime(BAR, medium.phy.control),
            ack: medium.block_ack(limits.window, medium.phy.control),
            bytes: BAR,
            field: session.asked > 0 && self.field_toward(station, served.to).is_some(),
            rate: medium.phy.control,
            reference: medium.phy.control,
            rts: false,
            block: true,
            goes_on: false,
            cleared: false,
            begun: now,
            txop_end: until,
            own_end: now,
        };
        if session.asked > 0 || session.moved {
            return Some((FrameKind::Bar, exchange));
        }
        let mode = served.mode?;
        let reference = mode.reference();
        let ack = medium.block_ack(limits.window, reference);
        let may_need_rts = self.needs_rts(station, served.to, u64::MAX);
        let room = room_for_data(medium, may_need_rts, ack, now, until);
        let burst = self.burst(&cx.network, (hop, number), room, now);
        if burst.count == 1 {
            return None;
        }
        let rts = self.needs_rts(station, served.to, burst.bytes);
        let (data, ack) = match burst.mpdus {
            1 => (
                medium.data(burst.bytes, served.rate, Some(&mode)),
                medium.ack(reference),
            ),
            _ => (mode.airtime(burst.bytes), ack),
        };
        let burst = Exchange {
            count: burst.count,
            mpdus: burst.mpdus,
            block: burst.mpdus > 1,
            data,
            ack,
            bytes: burst.bytes,
            field: self.field_toward(station, served.to).is_some(),
            rate: served.rate,
            reference,
            rts,
            ..exchange
        };
        let kind = if rts { FrameKind::Rts } else { FrameKind::Data };
        Some((kind, burst))
    }

    /// When the frames of the burst that a station begins to send are on the air.
    pub(super) fn lay_out(&mut self, network: &Network, station: u32, kind: FrameKind, now: Time) {
        self.parts[station as usize].begins.clear();
        let Some(exchange) = self.radios[station as usize].exchange else {
            return;
        };
        let (Some(hop), FrameKind::Data) = (exchange.hop, kind) else {
            return;
        };
        if exchange.to != NOBODY {
            let toward = &mut self.radios[exchange.to as usize].count.toward;
            toward.ppdus += 1;
            toward.frames += u64::from(exchange.mpdus);
        }
        let number = usize::from(exchange.category);
        if self.aggregation(hop, number).is_some_and(|a| a.msdu > 0) {
            let begins = self.seal(network, (hop, number), &exchange, now);
            if exchange.mpdus > 1 {
                self.parts[station as usize].begins = begins;
            }
            return;
        }
        if exchange.count == 1 {
            return;
        }
        let served = &self.hops[hop as usize];
        let overhead = self.header_bytes(station);
        let field = match exchange.field {
            true => self.field_toward(station, served.to).unwrap_or(0),
            false => 0,
        };
        let medium = &self.media[self.radios[station as usize].medium as usize];
        let high = medium.high.as_ref().expect("a burst of several frames");
        let limits = high
            .aggregation
            .as_ref()
            .expect("a burst of several frames");
        let window = &served.windows[number];
        let (mut place, mut waits) = (0, network.ports[served.port].queue(number).list.head());
        let mode = served.mode.expect("a burst of several frames");
        let least = least_part(limits.bounds.apart, mode.rate());
        let mut beginnings = Beginnings::of(Laid::of(&exchange, &mode, now));
        let parts = &mut self.parts[station as usize].begins;
        for part in 0..exchange.count {
            place = window.open_from(place);
            let len = match window.at(place).ghost {
                Some(ghost) => ghost.len,
                None => {
                    let packet = &network.packets[waits];
                    waits = packet.next;
                    packet.len
                }
            };
            let first = if part == 0 { field } else { 0 };
            parts.push(beginnings.now());
            beginnings.pass(padded(u64::from(len) + overhead + first, least));
            place += 1;
        }
    }

    /// The ticks of a burst that carry bytes of others: what a packet of so many IP bytes waits for them.
    #[inline]
    pub(super) fn time_of_others(
        &self,
        station: u32,
        exchange: &Exchange,
        last: &mut Others,
        len: u16,
    ) -> u64 {
        if last.len != len {
            *last = Others {
                len,
                ticks: self.compute_time_of_others(station, exchange, len),
            };
        }
        last.ticks
    }

    fn compute_time_of_others(&self, station: u32, exchange: &Exchange, len: u16) -> u64 {
        let mode = exchange.hop.and_then(|hop| self.hops[hop as usize].mode);
        let Some(mode) = mode.filter(|_| exchange.count > 1) else {
            return 0;
        };
        let overhead = self.header_bytes(station);
        let own = (DELIMITER + u64::from(len) + overhead).min(exchange.bytes);
        let laid = Laid::of(exchange, &mode, Time::ZERO);
        laid.behind(exchange.bytes - own).since(laid.from).0
    }
}

#[cfg(test)]
pub(in crate::medium::wifi) mod tests {
    use backwater_transport::part::{Args, Value};
    use backwater_transport::segment::Ecn;
    use backwater_transport::units::{Bytes, Span, Time};

    use super::{Beginnings, Laid};
    use crate::medium::wifi::mac::category::AccessMode;
    use crate::medium::wifi::phy::aggregate::Bounds;
    use crate::medium::wifi::phy::mode::{Coding, Format, Guard, LONGEST, Mode};
    use crate::medium::wifi::spec::{Aggregation, High, RateControl};
    use crate::medium::wifi::test_line::line;
    use crate::source::SOURCES;
    use crate::spec::{FlowOptions, FlowSpec, Spec};
    use crate::targets::Destination;
    use crate::world::World;

    /// A-MPDUs of 802.11n whose MPDUs begin 16 µs after each other.
    pub(in crate::medium::wifi) const APART: Aggregation = Aggregation {
        window: 64,
        bounds: Bounds {
            bytes: 65_535,
            time: LONGEST,
            frames: 64,
            apart: Span::micros(16),
        },
        asks: true,
        msdu: 0,
        alone: false,
        reorder: None,
    };

    /// A station that always has packets of 40 B for another, 802.11n at MCS 7.
    pub(in crate::medium::wifi) fn short_packets(limits: Aggregation) -> Spec {
        let mode = Mode {
            format: Format::Ht,
            width: 20,
            mcs: 7,
            streams: 1,
            guard: Guard::Long,
            coding: Coding::Bcc,
        };
        let mut spec = line(&[0.0, 1.0]);
        let medium = &mut spec.media[0];
        medium.phy.data = mode.rate();
        medium.mac.access = AccessMode::Edca;
        medium.mac.rts_above = u64::MAX;
        medium.mac.categories = AccessMode::Edca.defaults(medium.phy.standard.window());
        medium.high = Some(High {
            mode,
            control: RateControl::Off,
            aggregation: Some(limits),
        });
        let row = SOURCES.iter().find(|part| part.id == "saturated");
        let options = Args(vec![("packet", Value::Bytes(Bytes(40)))]);
        let source = (row.expect("a source").build)(&options).expect("legal options");
        spec.flows.push(FlowSpec {
            name: "f".into(),
            from: 0,
            to: Destination::Node(1),
            class: 1,
            ecn: Ecn::NotEct,
            packet: Bytes(40),
            start: Span::ZERO,
            stop: Span::secs(1),
            source,
            options: FlowOptions::default(),
            after: None,
            route: None,
            transport: None,
        });
        spec
    }

    /// Part after part, an instant is that of one division of all bytes before it, whatever the lengths and remainders.
    #[test]
    fn parts_of_mixed_lengths_begin_where_their_bytes_do() {
        let laid = || Laid {
            from: Time(40_000_000),
            data: 1_016_000_000,
            bytes: 98_814,
        };
        let mut beginnings = Beginnings::of(laid());
        let mut before = 0u128;
        for part in [
            1544, 1544, 84, 1544, 84, 84, 84, 332, 1544, 1544, 1, 7, 7, 7, 7,
        ] {
            let exact = 40_000_000 + 1_016_000_000 * before / 98_814;
            assert_eq!(u128::from(beginnings.now().0), exact, "{before}");
            beginnings.pass(part);
            before += u128::from(part);
        }
    }

    /// 9.7.1: the beginnings of two MPDUs are no closer than the receiver asks. Parts of 132 B at 65 Mbit/s are 16.2 us apart, and a little more where
    /// the last symbol is not full; packets of 40 B alone would make it 10.3 us.
    #[test]
    fn mpdus_begin_as_far_apart_as_the_receiver_asks() {
        for msdu in [0, 100] {
            let mut limits = APART;
            limits.msdu = msdu;
            let spec = short_packets(limits);
            let mut world = World::build(&spec).expect("a legal line");
            world.advance(Time::ZERO + Span::millis(10));
            let begins = &world.media.air.parts[0].begins;
            assert_eq!(begins.len(), 64);
            for pair in begins.windows(2) {
                let apart = pair[1].since(pair[0]);
                assert!(
                    apart >= Span::micros(16) && apart < Span::nanos(16_400),
                    "{apart:?}"
                );
            }
        }
    }
}
