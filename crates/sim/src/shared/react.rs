//! Notices take effect at ports: the responder answers, and gates or rates change.

use std::sync::Arc;

use backwater_transport::segment::Ecn;
use backwater_transport::units::Time;

use super::Shared;
use crate::books::Stop;
use crate::ids::PortId;
use crate::mechanism::carrier::quantum;
use crate::mechanism::notice::Notice;
use crate::mechanism::responder::{AnyResponder, Knobs, Responder};
use crate::packet::Traffic;
use crate::record::fingerprint::Mark;
use crate::record::{Record, What};
use crate::table::Id;

impl Shared {
    /// The reaction time of the oldest notice at a port is over.
    pub(crate) fn react(&mut self, id: PortId, now: Time) {
        self.catch_up(id, now);
        let port = &mut self.network.ports[id];
        let posted = port
            .more
            .reacting
            .pop_front()
            .expect("a notice for each reaction");
        let notice = self.network.mail.take(posted);
        let timer_from = match notice.waits_for_frame() {
            true => port.free_at().max(now),
            false => now,
        };
        let gates = port
            .gates
            .as_mut()
            .expect("a port that can be told has gates");
        gates.sweep(now);
        let watchdog = port.more.watchdog.as_mut();
        let ignored = watchdog.map_or(0, |watchdog| watchdog.hear(&notice, now));
        gates.origins.note(&notice);
        let mut knobs = Knobs {
            now,
            timer_from,
            unit: quantum(port.more.rate),
            gates: Some(gates),
            next: None,
            transmitter: None,
        };
        let responder = owned(&mut port.more.responders, notice.mechanism);
        match notice.classes & !ignored {
            classes if classes == notice.classes => responder.react(&notice, &mut knobs),
            0 => {}
            classes => responder.react(
                &Notice {
                    classes,
                    ..notice.clone()
                },
                &mut knobs,
            ),
        }
        if port.more.managed.is_none() {
            port.shut_until = gates.shut_until();
        }
        port.retry(now);
        self.network.recheck_card(id);
        self.note_stops(id, now);
        self.mechanisms.note_heard(notice.mechanism);
        self.mechanisms.update_drain(&self.network, id, now);
        self.arm_watchdog(id, now);
        self.note_reaction(id, notice, now);
        self.catch_up(id, now);
    }

    /// The gates of a port have changed.
    #[inline]
    pub(super) fn note_stops(&mut self, id: PortId, now: Time) {
        if let (Some(log), Some(gates)) = (&mut self.run.books.stops, &self.network.ports[id].gates)
        {
            log.push(Stop {
                at: now,
                port: id,
                until: std::array::from_fn(|class| gates.stopped_until(class)),
            });
        }
    }

    /// A port has reacted to a notice.
    fn note_reaction(&mut self, id: PortId, notice: Notice, now: Time) {
        self.run.books.add_mark(
            Mark::Knob,
            now,
            id.0,
            u64::from(notice.classes) << 16 | u64::from(notice.quanta()),
        );
        if let Some(records) = &mut self.run.books.record {
            records.push(Record {
                at: now,
                what: What::Knob,
                port: id,
                flow: Id::NONE,
                seq: 0,
                to: 0,
                len: 0,
                traffic: Traffic::new(7, Ecn::NotEct),
                value: u64::from(notice.quanta()),
                gated: 0,
                notice: Some(Arc::new(notice)),
                header: None,
            });
        }
    }
}

/// The responder of a mechanism among those that a place owns.
fn owned(responders: &mut [(u32, AnyResponder)], mechanism: u32) -> &mut AnyResponder {
    let found = responders.iter_mut().find(|(of, _)| *of == mechanism);
    let (_, responder) = found.expect("a place that is told owns a responder");
    responder
}
