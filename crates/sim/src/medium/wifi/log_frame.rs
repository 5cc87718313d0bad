//! Keeps the frames that stations send, for a capture.

use crate::mechanism::notice::Notice;
use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::air_log::{AirFrame, Body, Carried, Fields};
use crate::medium::wifi::mac::frame::{Exchange, FrameKind};
use crate::network::{Network, Role};

impl Air {
    /// A station begins to send a frame.
    pub(crate) fn log_frame(&mut self, network: &Network, mut frame: AirFrame) {
        let (station, kind) = (frame.from, frame.kind);
        let log = self.log.as_mut().expect("a run whose frames are kept");
        let radio = &self.radios[station as usize];
        if let (FrameKind::Data | FrameKind::Group, Some(exchange)) = (kind, radio.exchange) {
            let body = match exchange.hop {
                Some(number) => {
                    let hop = &self.hops[number as usize];
                    let number_of_queue = usize::from(exchange.category);
                    let waits = hop.first(network, number_of_queue).waits();
                    let fresh = waits.map(|id| {
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
                    });
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
        let log = self.log.as_mut().expect("a run whose frames are kept");
        log.push(frame);
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

/// A notice, and the nodes of the hosts that it names.
fn named(network: &Network, notice: &Notice) -> (Box<Notice>, Vec<u32>) {
    let hosts = notice.host_numbers().into_iter();
    let nodes = hosts.map(|host| network.hosts[host as usize].0).collect();
    (Box::new(notice.clone()), nodes)
}
