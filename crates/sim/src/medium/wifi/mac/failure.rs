//! Exchanges that failed: another attempt, or the end of a frame that had as many as it may have.

use backwater_transport::units::{Span, Time};

use crate::cause::Cause;
use crate::medium::ethernet;
use crate::medium::wifi::air::Air;
use crate::medium::wifi::mac::window::{First, Ghost};
use crate::medium::wifi::radio::{Edcaf, Line};
use crate::shared::Shared;
use crate::table::Id;

/// The frame that was tried: the first frame of a hop, or a management frame where there is none.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Attempt {
    /// The hop.
    pub hop: Option<u32>,
    /// Whether a CTS had cleared the way, so that the long retry count counts it.
    pub cleared: bool,
}

impl Air {
    /// The sender's exchange gets no answer, or one that it does not understand. Where that is known before the timeout, the
    /// sender is still silent until then.
    pub(crate) fn exchange_failed(
        &mut self,
        cx: &mut Shared,
        station: u32,
        now: Time,
    ) -> Option<u32> {
        self.leave_record(station);
        let radio = &mut self.radios[station as usize];
        let exchange = radio.exchange.take().expect("an exchange that failed");
        let medium = &self.media[radio.medium as usize];
        let defers = medium.sender_defers;
        radio.count.failures += 1;
        let known = exchange.own_end + defers;
        let sense = &mut self.sensing[station as usize];
        sense.defer = sense.defer.max(known);
        let until = known.max(now);
        if let Some(hop) = exchange.hop {
            let hop = &mut self.hops[hop as usize];
            hop.airtime += now.0 - exchange.begun.0;
            let window = &mut hop.windows[usize::from(exchange.category)];
            window.charge(exchange.count, until.0 - exchange.begun.0);
            // Without its CTS the burst was not sent.
            if let (Some(session), true) = (window.session_mut(), exchange.block)
                && (exchange.cleared || !exchange.rts)
            {
                let high = medium.high.as_ref();
                let asks = high.is_some_and(|h| h.aggregation.is_some_and(|a| a.asks));
                session.asked = if asks { exchange.count } else { 0 };
            }
        }
        let at = Edcaf {
            station,
            number: usize::from(exchange.category),
        };
        if let Some(hop) = exchange.hop {
            self.choose_mode(station, hop, (&exchange, 0), until);
            self.charge_turn((station, at.number, hop), until.since(exchange.begun));
        }
        let attempt = Attempt {
            hop: exchange.hop,
            cleared: exchange.cleared,
        };
        self.failed(cx, at, attempt, now, until);
        None
    }

    /// Counts a failed transmission of a hop's first frame, or of a management frame where `hop` is
    /// `None`; gives it up after as many as it may have, and draws a new backoff.
    pub(crate) fn failed(
        &mut self,
        cx: &mut Shared,
        Edcaf { station, number }: Edcaf,
        attempt: Attempt,
        now: Time,
        until: Time,
    ) {
        let Attempt { hop, cleared: long } = attempt;
        let air = &mut *self;
        let radio = &mut air.radios[station as usize];
        let mac = &air.media[radio.medium as usize].mac;
        let limit = if long {
            mac.retry_long
        } else {
            mac.retry_short
        };
        let count = match hop {
            None => Some(&mut radio.notices.front_mut().expect("one was sent").tries),
            Some(hop) => {
                radio.categories[number].current = Some(hop);
                let window = &mut air.hops[hop as usize].windows[number];
                // No failures are counted under block acknowledgement. 10.23.2.12.1.
                let counts = window.session().is_none_or(|session| session.alone);
                counts.then(|| match (long, window.at_mut(0)) {
                    (true, tried) => &mut tried.long,
                    (false, tried) => &mut tried.short,
                })
            }
        };
        let under_session = count.is_none();
        let given_up = count.is_some_and(|count| {
            *count += 1;
            limit > 0 && *count >= limit
        });
        let c = &mut air.radios[station as usize].categories[number];
        match under_session {
            true => c.widen_or_return(mac.retry_short),
            false => c.widen(),
        }
        if given_up {
            c.cw = c.set.cw_min;
            air.radios[station as usize].count.retry_drops += 1;
            match hop {
                Some(hop) => self.give_up(cx, Line { hop, number }, Cause::RetryLimit, now, until),
                None => {
                    let radio = &mut self.radios[station as usize];
                    radio.notices.pop_front();
                    radio.categories[number].frames -= 1;
                }
            }
        }
        self.draw(station, number);
    }

    /// Whether the first packet of a hop has waited for longer than the lifetime of an MSDU.
    pub(in crate::medium::wifi) fn has_expired(
        &self,
        cx: &Shared,
        station: u32,
        hop: u32,
        number: usize,
        now: Time,
    ) -> bool {
        let Some(lifetime) = self.medium(station).mac.lifetime else {
            return false;
        };
        let hop = &self.hops[hop as usize];
        match hop.first(&cx.network, number) {
            First::Waits(id) => now.since(cx.network.packets[id].at) > lifetime,
            First::Ghost(_) | First::None => false,
        }
    }

    /// The first frame of a hop's queue is given up; if its packet was received nevertheless, nothing
    /// is lost.
    pub(in crate::medium::wifi) fn give_up(
        &mut self,
        cx: &mut Shared,
        line: Line,
        cause: Cause,
        now: Time,
        until: Time,
    ) {
        let (Line { hop, number }, first_port) = (line, self.first_port);
        let served = &self.hops[hop as usize];
        let (port, station, to) = (served.port, served.from, served.to);
        let at = Edcaf { station, number };
        let (lost, ghost) = match served.first(&cx.network, number) {
            First::Ghost(ghost) => (None, *ghost),
            First::Waits(id) => {
                let packet = &cx.network.packets[id];
                let from = self.origin(&cx.network, station, id);
                (Some(id), Ghost::of(packet, first_port, from, false))
            }
            First::None => unreachable!("a frame that is given up"),
        };
        if let Some(id) = lost {
            let list = &mut cx.network.ports[port].queue_mut(number).list;
            cx.network.packets.take_after(list, Id::NONE);
            let packet = &cx.network.packets[id];
            let held = now.0 - packet.at.0;
            cx.network.ports[port].lose_waiting(number, packet.frame(), held);
        }
        let window = &mut self.hops[hop as usize].windows[number];
        let tried = window.give_up();
        // The packets that share its MPDU are given up with it.
        let shared = window.first().joined;
        if let (Some(session), true) = (window.session_mut(), tried.has_begun()) {
            session.moved = !session.alone;
            session.asked = session.asked.saturating_sub(1);
        }
        let under_session = window.session().is_some();
        if cx.network.ports[port].queue(number).list.is_empty() && window.is_clear() {
            self.radios[station as usize].categories[number].clear(hop);
        }
        if lost.is_none() && under_session {
            self.end_passed_frame(at, ethernet::frame(u64::from(ghost.len)));
        }
        if tried.has_begun() {
            // The sender does not know that its frame was received, where it was.
            let done = tried.over(to, Span::ZERO, false);
            self.observe_transmission(cx, at, &ghost, &done, now);
        } else if let Some(id) = lost {
            self.observe_station_loss(cx, line, id, now);
        }
        if let Some(id) = lost {
            cx.network.lose(&mut cx.run.books, id, cause, port, now);
        }
        self.departed(cx, at, ghost, now, until);
        self.overtake(at);
        if shared {
            self.give_up(cx, line, cause, now, until);
        }
    }
}
