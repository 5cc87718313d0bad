//! Notices that data frames bring to another station: header fields, and the echoes of marks.
//!
//! A data frame takes one field and is longer by its bytes. The field stays with the station until the frame that
//! brought it was acknowledged; until then a data frame to that station brings it again. An A-MPDU takes one field, in its first
//! frame: whoever has that frame has the notice.

use backwater_transport::units::Time;

use crate::books::Books;
use crate::ids::{ControlId, PacketId};
use crate::mechanism::carrier::Told;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::radio::{Management, Radio};
use crate::medium::wifi::wifi_bytes::field_size;
use crate::network::Role;
use crate::record::fingerprint::Mark;
use crate::shared::Shared;

impl Radio {
    /// The data frame that brought the first field to a station was acknowledged.
    pub(in crate::medium::wifi) fn end_field(&mut self, to: u32) {
        let at = self.fields.iter().position(|f| f.to == to);
        self.fields.remove(at.expect("the field that was sent"));
    }
}

impl Air {
    /// Lets the next data frame to a station take a notice. One about the same that still waits is replaced.
    pub(crate) fn post_in_field(
        &mut self,
        books: &mut Books,
        (control, told): (ControlId, Told),
        (station, to): (u32, u32),
        now: Time,
    ) {
        let notice = told.notice;
        let radio = &mut self.radios[station as usize];
        let under_way = radio.exchange.is_some_and(|e| e.field && e.to == to);
        let first = radio.fields.iter().position(|f| f.to == to);
        let rides = |at: usize| under_way && first == Some(at);
        let fields = radio.fields.iter().enumerate();
        let same = fields
            .filter(|(at, f)| f.to == to && !f.heard && !rides(*at))
            .find(|(_, f)| f.notice.replaced_by(&notice))
            .map(|(at, _)| at);
        if let Some(at) = same {
            radio.fields.remove(at);
        } else {
            let what = u64::from(notice.classes) << 16 | u64::from(notice.quanta());
            let detail = u64::from(to) << 32 | what;
            books.fingerprint.add(Mark::Notice, now, station, detail);
        }
        radio.fields.push(Management {
            to,
            bytes: field_size(&notice),
            control,
            notice,
            heard: false,
            tries: 0,
        });
    }
}

impl Air {
    /// A block acknowledgement has come for a burst whose first frame may have brought a field: the field stays until its receiver has
    /// both.
    pub(in crate::medium::wifi) fn end_field_of_burst(
        &mut self,
        station: u32,
        (hop, number): (u32, usize),
    ) {
        let served = &self.hops[hop as usize];
        let window = &served.windows[number];
        let received = window.at(window.open_from(0)).ghost.is_some();
        let radio = &mut self.radios[station as usize];
        let heard = radio.fields.iter().find(|f| f.to == served.to);
        if received && heard.is_some_and(|field| field.heard) {
            radio.end_field(served.to);
        }
    }

    /// A data frame with a field has reached its receiver, maybe once more.
    pub(in crate::medium::wifi) fn receive_field(
        &mut self,
        cx: &mut Shared,
        from: u32,
        station: u32,
        now: Time,
    ) {
        let fields = &mut self.radios[from as usize].fields;
        let field = fields.iter_mut().find(|f| f.to == station);
        let field = field.expect("the field that was sent");
        if !std::mem::replace(&mut field.heard, true) {
            let notice = field.notice.clone();
            self.answer_at(cx, from, station, &notice, now);
        }
    }

    /// A packet has reached another station: if it is an ACK with an echo of a mark, it is a notice to that station.
    #[cold]
    pub(in crate::medium::wifi) fn receive_echo(
        &mut self,
        cx: &mut Shared,
        (from, station): (u32, u32),
        packet_id: PacketId,
        now: Time,
    ) {
        let packet = &cx.network.packets[packet_id];
        let (flow, class) = (packet.flow, packet.class());
        let Role::Acks(_) = cx.network.flows[flow].role else {
            return;
        };
        let radio = &mut self.radios[from as usize];
        let category = radio.category(class) as u8;
        let header = &cx.network.headers[packet_id];
        let echoes = radio.echoes.iter_mut();
        let told: Vec<_> = echoes
            .filter_map(|echo| echo.read(flow, category, header))
            .collect();
        for notice in told {
            let detail = u64::from(station) << 32 | u64::from(notice.classes);
            cx.run
                .books
                .fingerprint
                .add(Mark::Notice, now, from, detail);
            self.answer_at(cx, from, station, &notice, now);
        }
    }
}
