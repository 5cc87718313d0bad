//! The least of a sender that a controller needs, for one flow over a bottleneck.

use std::collections::VecDeque;

use backwater_transport::controller::{
    AnyController, Cause, Congestion, Controller, Departure, Lost, Sent,
};
use backwater_transport::forecast::Forecaster;
use backwater_transport::segment::Segment;
use backwater_transport::units::{Span, Time};

use crate::reaching::MSS;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) number: u64,
    pub(crate) sent: Time,
    pub(crate) delivered: u64,
    pub(crate) delivered_time: Time,
    pub(crate) first_sent: Time,
    pub(crate) app_limited: bool,
    pub(crate) tx_in_flight: u64,
    pub(crate) lost: u64,
    pub(crate) open: bool,
}

/// The sender's end of one flow.
pub struct Flow {
    /// The law of this flow.
    pub controller: AnyController,
    pub(crate) forecaster: Option<Forecaster>,
    pub(crate) start: Time,
    /// Bytes the application still has.
    pub backlog: u64,
    pub(crate) records: VecDeque<Record>,
    pub(crate) next: u64,
    /// Bytes sent and not yet acknowledged or lost.
    pub in_flight: u64,
    /// Bytes acknowledged.
    pub delivered: u64,
    pub(crate) delivered_time: Time,
    pub(crate) first_sent: Time,
    /// Bytes taken for lost.
    pub lost: u64,
    /// Bytes sent.
    pub sent: u64,
    /// Smoothed round trip (RFC 6298).
    pub srtt: Span,
    pub(crate) rttvar: Span,
    /// Least round trip.
    pub min_rtt: Span,
    /// Latest round trip.
    pub rtt: Span,
    /// Rounds that have begun.
    pub round: u64,
    pub(crate) next_round: u64,
    pub(crate) recovery: Option<u64>,
    pub(crate) next_send: Time,
    pub(crate) app_limited: u64,
    pub(crate) limited: [bool; 2],
    pub(crate) rto: Time,
}

#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub(crate) flow: usize,
    pub(crate) segment: Segment,
    pub(crate) marked: bool,
}

impl Flow {
    /// A bulk flow that begins at an instant.
    pub(crate) fn new(controller: AnyController, start: Time) -> Flow {
        Flow {
            forecaster: controller.forecaster(),
            controller,
            start,
            backlog: u64::MAX,
            records: VecDeque::new(),
            next: 0,
            in_flight: 0,
            delivered: 0,
            delivered_time: Time::ZERO,
            first_sent: Time::ZERO,
            lost: 0,
            sent: 0,
            srtt: Span::ZERO,
            rttvar: Span::ZERO,
            min_rtt: Span::MAX,
            rtt: Span::ZERO,
            round: 0,
            next_round: 0,
            recovery: None,
            next_send: Time::ZERO,
            app_limited: 0,
            limited: [true; 2],
            rto: Time::NEVER,
        }
    }

    pub(crate) fn send(&mut self, now: Time, flow: usize) -> Packet {
        if self.in_flight == 0 {
            self.first_sent = now;
            self.delivered_time = now;
            self.rto = now.after((self.srtt + self.rttvar.times(4)).max(Span::secs(1)));
        }
        if self.backlog < u64::MAX {
            self.backlog = self.backlog.saturating_sub(MSS);
        }
        self.in_flight += MSS;
        let number = self.next;
        self.next += 1;
        let sent = Sent {
            now,
            number,
            len: MSS,
            in_flight: self.in_flight,
            again: false,
            app_limited: self.backlog == 0,
        };
        self.records.push_back(Record {
            number,
            sent: now,
            delivered: self.delivered,
            delivered_time: self.delivered_time,
            first_sent: self.first_sent,
            app_limited: self.app_limited > 0,
            tx_in_flight: self.in_flight,
            lost: self.lost,
            open: true,
        });
        let feedback = match self.controller.on_sent(&sent) {
            Departure::Announced(feedback) => Some(Box::new(feedback)),
            Departure::Ignored | Departure::Noted => None,
        };
        let segment = Segment {
            number,
            start: self.sent,
            len: MSS as u32,
            sent: now,
            feedback,
            ..Segment::default()
        };
        self.sent += MSS;
        Packet {
            flow,
            segment,
            marked: false,
        }
    }

    pub(crate) fn estimate(&mut self, rtt: Span) {
        self.rtt = rtt;
        self.min_rtt = self.min_rtt.min(rtt);
        if self.srtt == Span::ZERO {
            self.srtt = rtt;
            self.rttvar = Span(rtt.0 / 2);
        } else {
            let off = self.srtt.0.abs_diff(rtt.0);
            self.rttvar = Span((3 * self.rttvar.0 + off) / 4);
            self.srtt = Span((7 * self.srtt.0 + rtt.0) / 8);
        }
    }

    /// The bottleneck keeps the order, so a segment is lost when the third after it has come.
    pub(crate) fn find_lost(&mut self, now: Time, number: u64) -> u64 {
        let mut lost = Vec::new();
        for record in self.records.iter_mut() {
            if record.number + 3 > number {
                break;
            }
            if record.open {
                record.open = false;
                self.in_flight -= MSS;
                self.lost += MSS;
                lost.push((*record, self.lost));
            }
        }
        for (record, total) in &lost {
            self.tell_lost(now, record, *total);
        }
        lost.len() as u64 * MSS
    }

    pub(crate) fn tell_lost(&mut self, now: Time, record: &Record, total: u64) {
        self.controller.on_lost(&Lost {
            now,
            number: record.number,
            len: MSS,
            tx_in_flight: record.tx_in_flight,
            lost: total - record.lost,
            in_flight: self.in_flight,
            app_limited: record.app_limited,
        });
    }

    /// Tells of congestion, as the sender would, or as a test has it.
    pub fn tell(&mut self, now: Time, cause: Cause, in_flight: u64, lost: u64) {
        self.controller.on_congestion(&Congestion {
            now,
            cause,
            in_flight,
            lost,
            tx_in_flight: in_flight,
            round: self.round,
        });
    }

    /// The present window in packets.
    pub fn window(&self) -> f64 {
        self.controller.limits().window as f64 / MSS as f64
    }

    /// One of the values that the controller shows.
    pub fn value(&self, name: &str) -> f64 {
        let values = self.controller.inspect().values;
        let found = values.iter().find(|(n, _)| *n == name);
        found.unwrap_or_else(|| panic!("no {name} in {values:?}")).1
    }

    /// Name of the state the controller is in.
    pub fn state(&self) -> &'static str {
        self.controller.inspect().state
    }
}
