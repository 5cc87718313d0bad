//! Keeps the frames that stations send, for a capture.

use crate::ids::PacketId;
use crate::mechanism::notice::Notice;
use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::air_log::{AirFrame, Body, Carried, Fields, Part};
use crate::medium::wifi::mac::frame::{Exchange, FrameKind};
use crate::network::{Network, Role};

impl Air {
    /// A station begins to send a frame.
    pub(crate) fn log_frame(&mut self, network: &Network, mut frame: AirFrame) {
        let (station, kind) = (frame.from, frame.kind);
        let log = self.log.as_mut().expect("a run whose frames are kept");
        let radio = &self.radios[station as usize];
        if let (FrameKind::Data, Some(exchange)) = (kind, radio.exchange) {
            let hop = exchange.hop.map(|hop| &self.hops[hop as usize]);
            let window = hop.map(|hop| &hop.windows[usize::from(exchange.category)]);
            if window.is_some_and(|window| window.session().is_some()) {
                return self.log_burst(network, &frame, &exchange);
            }
        }
        if let (FrameKind::Data | FrameKind::Group, Some(exchange)) = (kind, radio.exchange) {
            let body = match exchange.hop {
                Some(number) => {
                    let hop = &self.hops[number as usize];
                    let number_of_queue = usize::from(exchange.category);
                    let waits = hop.first(network, number_of_queue).waits();
                    let fresh = waits.map(|id| carried(network, id));
                    let medium = &self.media[radio.medium as usize];
                    let counted_apart = medium.mac.access.categories() > 1 && hop.to != NOBODY;
                    let category = exchange.category;
                    let sent = log.packet(station, number, category, counted_apart, fresh);
                    (frame.number, frame.retry) = (sent.1, sent.2);
                    let fields = self.fields(network, station, &exchange, sent.0.to);
                    Body::Packet(sent.0, exchange.category, fields)
                }
                None => {
                    let notice = radio.notices.front().expect("the frame that is sent");
                    frame.retry = notice.tries > 0;
                    frame.number = log.management(station, frame.retry);
                    let (told, named) = named(network, &notice.notice);
                    Body::Notice(told, notice.bytes, named)
                }
            };
            frame.body = Some(body);
        }
        if matches!(kind, FrameKind::Bar | FrameKind::BlockAck) {
            frame.body = Some(self.block_body(&frame));
        }
        let log = self.log.as_mut().expect("a run whose frames are kept");
        log.push(frame);
    }

    /// A station begins to send a burst under block acknowledgement, of one frame or several, each of one packet or several.
    fn log_burst(&mut self, network: &Network, frame: &AirFrame, exchange: &Exchange) {
        let mut log = self.log.take().expect("a run whose frames are kept");
        let (station, category) = (frame.from, exchange.category);
        let hop = exchange.hop.expect("a burst belongs to a hop");
        let served = &self.hops[hop as usize];
        let window = &served.windows[usize::from(category)];
        let start = window.session().map_or(0, |session| session.start);
        let of = log.burst(station, (hop, category), start);
        let begins = &self.parts[station as usize].begins;
        let (mut place, mut before) = (0, PacketId::NONE);
        for i in 0..exchange.mpdus {
            place = window.open_from(place);
            let first = start.wrapping_add(place as u32);
            let mut fresh = Vec::new();
            loop {
                if window.at(place).ghost.is_none() {
                    before = served.behind(network, usize::from(category), before);
                    fresh.push(carried(network, before));
                }
                place += 1;
                if !window.at(place).joined {
                    break;
                }
            }
            let (mut packets, number, retry) = log.numbered(station, first, fresh);
            let body = match packets.len() {
                1 => {
                    let packet = packets.remove(0);
                    let mut fields = self.fields(network, station, exchange, packet.to);
                    if i > 0 {
                        fields.notice = None;
                    }
                    Body::Packet(packet, category, fields)
                }
                _ => Body::Joined(packets, category),
            };
            let part = (exchange.mpdus > 1).then(|| Part {
                of,
                last: i + 1 == exchange.mpdus,
                after: begins[usize::from(i)].since(frame.at),
            });
            log.push(AirFrame {
                part,
                body: Some(body),
                number,
                retry,
                ..frame.clone()
            });
        }
        self.log = Some(log);
    }

    /// The content of a BAR or a block acknowledgement.
    fn block_body(&self, frame: &AirFrame) -> Body {
        let asks = frame.kind == FrameKind::Bar;
        let originator = if asks { frame.from } else { frame.to };
        let exchange = self.radios[originator as usize].exchange;
        let exchange = exchange.expect("a BAR or an answer belongs to an exchange");
        let (hop, category) = (exchange.hop.expect("a hop's"), exchange.category);
        let window = &self.hops[hop as usize].windows[usize::from(category)];
        let start = window.session().map_or(0, |session| session.start);
        let log = self.log.as_ref().expect("a run whose frames are kept");
        if asks {
            return Body::Asks(category, log.asked_from((hop, category), start));
        }
        let bytes = self.medium(originator).block_ack_bytes() - AROUND_MAP;
        let (number, bits) = log.received((hop, category), start, bytes as usize);
        Body::Acknowledges(category, number, bits)
    }

    /// The header fields of the data frame of an exchange, whose packet goes to this host.
    fn fields(&self, network: &Network, station: u32, exchange: &Exchange, host: u32) -> Fields {
        let radio = &self.radios[station as usize];
        let number = usize::from(exchange.category);
        let mut numbers = Vec::new();
        if radio.backlog_field > 0 {
            let held = self.held_for(network, station, number, host);
            numbers.push((held, radio.backlog_field));
        }
        if radio.report_field > 0 {
            numbers.push((radio.steps[number].into(), radio.report_field));
        }
        let waiting = radio.fields.iter().find(|f| f.to == exchange.to);
        Fields {
            numbers,
            notice: waiting
                .filter(|_| exchange.field)
                .map(|field| named(network, &field.notice)),
        }
    }
}

/// Bytes of a block acknowledgement around its map: header, control, start and FCS.
const AROUND_MAP: u64 = 24;

/// The content of a packet.
fn carried(network: &Network, id: PacketId) -> Carried {
    let packet = &network.packets[id];
    let of_connection = network.flows[packet.flow].role != Role::None;
    Carried {
        flow: packet.flow,
        seq: packet.seq,
        to: packet.to,
        len: packet.len,
        traffic: packet.traffic,
        header: of_connection.then(|| Box::new(network.headers[id].clone())),
    }
}

/// A notice, and the nodes of the hosts that it names.
fn named(network: &Network, notice: &Notice) -> (Box<Notice>, Vec<u32>) {
    let hosts = notice.host_numbers().into_iter();
    let nodes = hosts.map(|host| network.hosts[host as usize].0).collect();
    (Box::new(notice.clone()), nodes)
}
