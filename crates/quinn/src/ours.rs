//! A controller of the simulator in quinn.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use backwater_transport::controller::{
    Ack, AnyController, Cause, Congestion, Controller, Idle, Lost, RateSample, Sent, Setup,
};
use backwater_transport::endpoint::Protocol;
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller as OfQuinn, ControllerFactory, ControllerMetrics};

use crate::span;

/// How a flow's controller is made.
type Make = dyn Fn(&Setup) -> AnyController + Send + Sync;

/// Makes `Ours` for the connections of quinn: `TransportConfig::congestion_controller_factory(Arc::new(factory))`.
#[derive(Clone)]
pub struct Factory(Arc<Make>);

impl Factory {
    /// Of a function that makes a controller.
    pub fn new(make: impl Fn(&Setup) -> AnyController + Send + Sync + 'static) -> Factory {
        Factory(Arc::new(make))
    }

    /// Copies of a controller, such as one that a scenario made for segments of the connection's MTU; none for a controller that
    /// needs routers which write into packets.
    pub fn of(controller: AnyController) -> Option<Factory> {
        let needs_routers = controller.congestion_header().is_some();
        (!needs_routers).then(|| Factory::new(move |_| controller.clone()))
    }
}

impl ControllerFactory for Factory {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn OfQuinn> {
        let setup = setup(u64::from(current_mtu));
        Box::new(Ours::new((self.0)(&setup), &setup, now))
    }
}

/// The initial window is that of RFC 9002 section 7.2.
fn setup(mss: u64) -> Setup {
    Setup {
        protocol: Protocol::Stream,
        mss,
        frame: mss,
        initial: (10 * mss).min((2 * mss).max(14_720)),
        random: Random::stream(0, "quinn", ""),
    }
}

/// A packet that left, and what was delivered by then (draft-ietf-ccwg-bbr section 4.1).
#[derive(Copy, Clone, Debug)]
struct Left {
    at: Time,
    delivered: u64,
    delivered_at: Time,
    first_at: Time,
    in_flight: u64,
    lost: u64,
}

/// Acknowledged packets until quinn says that there are no more.
#[derive(Copy, Clone, Debug, Default)]
struct Batch {
    bytes: u64,
    packets: u32,
    newest: Time,
}

/// A controller of the simulator that implements quinn's trait. A segment is a packet of the MTU at the connection's beginning.
///
/// Differences from the simulator: quinn paces by the window, so a pacing rate shows in `metrics` only; a timer expires at the
/// next call after it; quinn tells losses after acknowledgements and many at once; persistent congestion is a timeout; losses
/// are never taken back.
#[derive(Clone, Debug)]
pub struct Ours {
    controller: AnyController,
    origin: Instant,
    mss: u64,
    initial: u64,
    in_flight: u64,
    sent: u64,
    delivered: u64,
    delivered_at: Time,
    first_at: Time,
    lost: u64,
    left: VecDeque<Left>,
    batch: Batch,
    srtt: Span,
    min_rtt: Span,
    round: u64,
    /// Delivered bytes at which the round ends.
    round_end: u64,
    /// When recovery began.
    recovery: Option<Time>,
    /// Lost bytes at its beginning.
    lost_before: u64,
}

impl Ours {
    fn new(controller: AnyController, setup: &Setup, now: Instant) -> Ours {
        Ours {
            controller,
            origin: now,
            mss: setup.mss,
            initial: setup.initial,
            in_flight: 0,
            sent: 0,
            delivered: 0,
            delivered_at: Time::ZERO,
            first_at: Time::ZERO,
            lost: 0,
            left: VecDeque::new(),
            batch: Batch::default(),
            srtt: Span::ZERO,
            min_rtt: Span::MAX,
            round: 0,
            round_end: 0,
            recovery: None,
            lost_before: 0,
        }
    }

    fn time(&self, at: Instant) -> Time {
        Time::ZERO.after(span(at.saturating_duration_since(self.origin)))
    }

    /// Lets a timer expire that is due.
    fn wake(&mut self, now: Time) {
        if self.controller.limits().wake <= now {
            self.controller.on_timer(now);
        }
    }

    fn congestion(&mut self, now: Time, cause: Cause) {
        self.controller.on_congestion(&Congestion {
            now,
            cause,
            in_flight: self.in_flight,
            lost: self.lost - self.lost_before,
            tx_in_flight: self.in_flight,
            round: self.round,
        });
    }

    /// The delivery rate from the departure of a packet on.
    fn sample(&self, left: &Left, now: Time, app_limited: bool) -> Option<RateSample> {
        let sending = left.at.since(left.first_at);
        let interval = now.since(left.delivered_at).max(sending);
        (interval > Span::ZERO).then(|| RateSample {
            delivered: self.delivered - left.delivered,
            interval,
            app_limited,
            prior_delivered: left.delivered,
            tx_in_flight: left.in_flight,
            lost: self.lost - left.lost,
        })
    }
}

impl OfQuinn for Ours {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        let now = self.time(now);
        self.wake(now);
        if self.in_flight == 0 {
            (self.delivered_at, self.first_at) = (now, now);
            self.controller.on_idle(&Idle {
                now,
                window: u64::MAX,
                threshold: 0,
            });
        }
        self.in_flight += bytes;
        self.sent += bytes;
        self.left.push_back(Left {
            at: now,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            first_at: self.first_at,
            in_flight: self.in_flight,
            lost: self.lost,
        });
        self.controller.on_sent(&Sent {
            now,
            number: last_packet_number,
            len: bytes,
            in_flight: self.in_flight,
            again: false,
            app_limited: false,
        });
    }

    fn on_ack(&mut self, _: Instant, sent: Instant, bytes: u64, _: bool, rtt: &RttEstimator) {
        self.batch.bytes += bytes;
        self.batch.packets += 1;
        self.batch.newest = self.batch.newest.max(self.time(sent));
        (self.srtt, self.min_rtt) = (span(rtt.get()), span(rtt.min()));
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        largest_packet_num_acked: Option<u64>,
    ) {
        let now = self.time(now);
        self.wake(now);
        let batch = std::mem::take(&mut self.batch);
        let prior = std::mem::replace(&mut self.in_flight, in_flight);
        if batch.packets == 0 {
            return;
        }
        let count = self.left.partition_point(|left| left.at <= batch.newest);
        let left = self.left.drain(..count).next_back();
        self.delivered += batch.bytes;
        self.delivered_at = now;
        let round_start = left.is_some_and(|left| left.delivered >= self.round_end);
        if round_start {
            self.round += 1;
            self.round_end = self.delivered;
        }
        self.first_at = left.map_or(self.first_at, |left| left.at);
        if self.recovery.is_some_and(|began| batch.newest > began) {
            self.recovery = None;
            self.congestion(now, Cause::Recovered);
        }
        let rate = left.and_then(|left| self.sample(&left, now, app_limited));
        self.controller.on_ack(&Ack {
            now,
            acked: batch.bytes,
            advanced: batch.bytes,
            acked_segments: batch.packets,
            lost: 0,
            marked: 0,
            delivered: self.delivered,
            prior_in_flight: prior,
            in_flight,
            rtt: Some(now.since(batch.newest)),
            srtt: self.srtt,
            min_rtt: self.min_rtt.min(now.since(batch.newest)),
            one_way: None,
            rate,
            round: self.round,
            round_start,
            cwnd_limited: !app_limited,
            recovering: self.recovery.is_some(),
            sent: self.sent,
            number: largest_packet_num_acked.unwrap_or(0),
            feedback: None,
        });
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        let (now, sent) = (self.time(now), self.time(sent));
        self.wake(now);
        let known = self.recovery.is_some_and(|began| sent <= began);
        if !known {
            self.lost_before = self.lost;
        }
        self.lost += lost_bytes;
        if lost_bytes > 0 {
            self.controller.on_lost(&Lost {
                now,
                number: 0,
                len: lost_bytes,
                tx_in_flight: self.in_flight,
                lost: self.lost - self.lost_before,
                in_flight: self.in_flight.saturating_sub(lost_bytes),
                app_limited: false,
            });
        }
        if is_persistent_congestion {
            self.recovery = None;
            self.congestion(now, Cause::Timeout);
        } else if !known {
            self.recovery = Some(now);
            let cause = if lost_bytes == 0 {
                Cause::Mark
            } else {
                Cause::Loss
            };
            self.congestion(now, cause);
        }
        self.in_flight = self.in_flight.saturating_sub(lost_bytes);
    }

    fn on_mtu_update(&mut self, _: u16) {}

    fn window(&self) -> u64 {
        self.controller.limits().window.max(self.mss)
    }

    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = ControllerMetrics::default();
        metrics.congestion_window = self.window();
        metrics.ssthresh = self.controller.inspect().ssthresh;
        metrics.pacing_rate = self.controller.limits().pacing.map(|rate| rate.0);
        metrics
    }

    fn clone_box(&self) -> Box<dyn OfQuinn> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        self.initial
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
