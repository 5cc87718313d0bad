//! A controller of quinn in the simulator.

use std::collections::VecDeque;
use std::fmt;
use std::time::Instant;

use backwater_transport::controller::{
    Ack, Cause, Congestion, Controller, CustomController, Departure, Inspect, Limits, Lost,
    Reduction, Sent, Setup,
};
use backwater_transport::units::{Rate, Span, Time};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller as OfQuinn, ControllerFactory};

use crate::estimator::Estimator;
use crate::{duration, origin};

/// A controller that implements quinn's trait, as one of the simulator. Bytes are payload. It is paced as quinn paces: 5/4 of a
/// window in a smoothed round trip (RFC 9002 section 7.7).
///
/// Differences from quinn: an acknowledgement of several segments is one call, with the instant at which the newest of them
/// left; a retransmission timeout counts as persistent congestion; the estimate of the round trip stays as it is at an
/// acknowledgement without a sample.
pub struct Quinn {
    controller: Box<dyn OfQuinn>,
    origin: Instant,
    mss: u64,
    estimator: Estimator,
    estimate: Option<RttEstimator>,
    srtt: Span,
    /// Number and instant of departure of what is not acknowledged.
    left: VecDeque<(u64, Time)>,
    /// When the newest lost segment left.
    lost: Time,
}

impl fmt::Debug for Quinn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a controller of quinn, window {}",
            self.controller.window()
        )
    }
}

impl Quinn {
    /// The controller that a factory of quinn builds.
    pub fn new(factory: std::sync::Arc<dyn ControllerFactory>, setup: &Setup) -> Quinn {
        let origin = origin();
        Quinn {
            controller: factory.build(origin, setup.mss.min(u64::from(u16::MAX)) as u16),
            origin,
            mss: setup.mss,
            estimator: Estimator::default(),
            estimate: None,
            srtt: Span::ZERO,
            left: VecDeque::new(),
            lost: Time::ZERO,
        }
    }

    fn instant(&self, at: Time) -> Instant {
        self.origin + duration(at.since(Time::ZERO))
    }

    /// When a transmission left; the oldest known, for one that is forgotten.
    fn departed(&self, number: u64) -> Option<Time> {
        let at = self.left.partition_point(|(known, _)| *known < number);
        self.left.get(at).map(|(_, at)| *at)
    }
}

impl Controller for Quinn {
    fn on_ack(&mut self, ack: &Ack) {
        let newest = self.departed(ack.number);
        if let Some(rtt) = ack.rtt {
            self.estimate = Some(self.estimator.before(duration(rtt)));
        }
        self.srtt = ack.srtt;
        let (now, app_limited) = (self.instant(ack.now), !ack.cwnd_limited);
        if let (Some(newest), Some(estimate), true) = (newest, self.estimate, ack.acked > 0) {
            let sent = self.instant(newest);
            self.controller
                .on_ack(now, sent, ack.acked, app_limited, &estimate);
        }
        self.controller
            .on_end_acks(now, ack.in_flight, app_limited, Some(ack.number));
        // A packet that left before the newest acknowledged one and is still out is lost within a round trip.
        let horizon = newest.map_or(Time::ZERO, |at| Time(at.0.saturating_sub(4 * ack.srtt.0)));
        while self.left.front().is_some_and(|(_, at)| *at < horizon) {
            self.left.pop_front();
        }
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        let (persistent, lost) = match congestion.cause {
            Cause::Loss => (false, congestion.lost.max(1)),
            Cause::Mark => (false, 0),
            Cause::Timeout => (true, congestion.lost.max(1)),
            Cause::Spurious | Cause::Recovered => return,
        };
        let sent = match congestion.cause {
            Cause::Loss => self.lost,
            _ => self.left.back().map_or(congestion.now, |(_, at)| *at),
        };
        let (now, sent) = (self.instant(congestion.now), self.instant(sent));
        self.controller
            .on_congestion_event(now, sent, persistent, lost);
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.left.push_back((sent.number, sent.now));
        let now = self.instant(sent.now);
        self.controller.on_sent(now, sent.len, sent.number);
        Departure::Noted
    }

    fn on_lost(&mut self, lost: &Lost) {
        if let Some(at) = self.departed(lost.number) {
            self.lost = self.lost.max(at);
        }
    }

    fn limits(&self) -> Limits {
        let window = self.controller.window().max(self.mss);
        // Bytes in picoseconds, as bits in seconds, by 5/4.
        let rate =
            |srtt: Span| (u128::from(window) * 10_000_000_000_000 / u128::from(srtt.0)) as u64;
        Limits {
            pacing: (self.srtt > Span::ZERO).then(|| Rate(rate(self.srtt).max(1))),
            ..Limits::of(window)
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: self.controller.metrics().ssthresh.filter(|s| *s < u64::MAX),
            state: "quinn",
            ..Inspect::default()
        }
    }
}

impl CustomController for Quinn {
    fn fork(&self) -> Box<dyn CustomController> {
        Box::new(Quinn {
            controller: self.controller.clone_box(),
            estimator: self.estimator.clone(),
            left: self.left.clone(),
            ..*self
        })
    }
}
