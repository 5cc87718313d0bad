//! A path model: one bottleneck of a given rate, propagation delay and finite buffer, and for each
//! flow the least of a sender that a controller needs. Packets are all of one size, and the rate
//! counts payload, so that closed forms can be computed by hand.

use std::collections::{BTreeMap, VecDeque};

use backwater_transport::controller::{
    Ack, AnyController, Cause, Congestion, Controller, RateSample,
};
use backwater_transport::random::Random;
use backwater_transport::segment::Feedback;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::flow::{Flow, Packet};
use crate::reaching::MSS;

/// Seconds as an instant.
pub fn at(seconds: f64) -> Time {
    Time::ZERO.after(Span::from_seconds(seconds))
}

#[derive(Clone, Debug)]
enum Event {
    Served,
    Ack(Box<Packet>, Time, Option<Box<Feedback>>),
}

/// The path and all flows over it.
pub struct Net {
    /// Present instant.
    pub now: Time,
    /// The senders, in the order of `add`.
    pub flows: Vec<Flow>,
    /// Payload that the bottleneck serves.
    pub rate: Rate,
    /// Propagation, both ways together.
    pub rtt: Span,
    /// Bytes that may wait, the packet in service not counted.
    pub buffer: u64,
    /// A packet that finds more bytes than these waiting is marked.
    pub mark: Option<u64>,
    /// Acknowledgements are held to multiples of this.
    pub aggregate: Span,
    /// Every acknowledgement is late by up to this, by chance; the order stays.
    pub jitter: Span,
    /// The receiver acknowledges every second segment of a flow (RFC 5681 section 4.2).
    pub delayed_acks: bool,
    /// Token bucket in front of the queue: rate, bucket in bytes.
    pub policer: Option<(Rate, u64)>,
    /// Every so many-th packet is lost; 0 for none.
    pub lose_every: u64,
    random: Random,
    /// The latest acknowledgement that the way back has taken.
    back: Time,
    /// Segments whose acknowledgement waits for the next of their flow.
    held: BTreeMap<usize, (Packet, Time, Option<Feedback>)>,
    tokens: (f64, Time),
    arrivals: u64,
    queue: VecDeque<Packet>,
    events: BTreeMap<(Time, u64), Event>,
    serial: u64,
    busy: bool,
}

impl Net {
    /// A path without flows.
    pub fn new(rate: Rate, rtt: Span, buffer: u64) -> Net {
        Net {
            now: Time::ZERO,
            flows: Vec::new(),
            rate,
            rtt,
            buffer,
            mark: None,
            aggregate: Span::ZERO,
            jitter: Span::ZERO,
            delayed_acks: false,
            policer: None,
            lose_every: 0,
            random: Random::stream(1, "path", "jitter"),
            back: Time::ZERO,
            held: BTreeMap::new(),
            tokens: (0.0, Time::ZERO),
            arrivals: 0,
            queue: VecDeque::new(),
            events: BTreeMap::new(),
            serial: 0,
            busy: false,
        }
    }

    /// A bulk flow.
    pub fn add(&mut self, controller: AnyController, start: Time) -> usize {
        self.flows.push(Flow::new(controller, start));
        self.flows.len() - 1
    }

    /// Bytes waiting or in service.
    pub fn queued(&self) -> u64 {
        self.queue.len() as u64 * MSS
    }

    /// Runs until an instant.
    pub fn run(&mut self, until: Time) {
        self.watch(until, |_| {});
    }

    /// Runs until an instant and looks after every event.
    pub fn watch(&mut self, until: Time, mut look: impl FnMut(&mut Net)) {
        self.watch_while(until, |net| {
            look(net);
            true
        });
    }

    /// Runs until an instant, or until it has seen enough.
    pub fn watch_while(&mut self, until: Time, mut go_on: impl FnMut(&mut Net) -> bool) {
        let mut still = 0;
        loop {
            let due = self.due();
            if due > until {
                self.now = until;
                return;
            }
            still = if due > self.now { 0 } else { still + 1 };
            assert!(still < 100_000, "time stands still at {}", self.now);
            self.now = due;
            while let Some(entry) = self.events.first_entry() {
                if entry.key().0 > due {
                    break;
                }
                match entry.remove() {
                    Event::Served => self.served(),
                    Event::Ack(packet, received, feedback) => {
                        self.acked(*packet, received, feedback.map(|header| *header))
                    }
                }
            }
            for flow in 0..self.flows.len() {
                self.timers(flow);
                self.poll(flow);
            }
            if !go_on(self) {
                return;
            }
        }
    }

    fn due(&self) -> Time {
        let event = self.events.keys().next().map_or(Time::NEVER, |k| k.0);
        let flows = self.flows.iter().map(|f| {
            if self.now < f.start {
                return f.start;
            }
            let limits = f.controller.limits();
            let room = f.backlog > 0 && f.in_flight + MSS <= limits.window;
            let paced = match limits.pacing {
                Some(_) if room => f.next_send.max(self.now),
                None if room => self.now,
                _ => Time::NEVER,
            };
            paced.min(f.rto).min(limits.wake)
        });
        flows.fold(event, Time::min).max(self.now)
    }

    fn schedule(&mut self, when: Time, event: Event) {
        self.serial += 1;
        self.events.insert((when, self.serial), event);
    }

    fn serve(&mut self) {
        if !self.queue.is_empty() && !self.busy {
            self.busy = true;
            let took = self.rate.time_for(Bytes(MSS));
            self.schedule(self.now + took, Event::Served);
        }
    }

    fn served(&mut self) {
        let packet = self.queue.pop_front().expect("a packet in service");
        self.busy = false;
        self.serve();
        let received = self.now.after(Span(self.rtt.0 / 2));
        let mut feedback = None;
        if let Some(forecaster) = &mut self.flows[packet.flow].forecaster {
            forecaster.on_segment(received, &packet.segment);
            feedback = forecaster.feedback(received);
        }
        let mut back = self.now.after(self.rtt);
        if self.aggregate > Span::ZERO {
            back = Time(back.0.next_multiple_of(self.aggregate.0));
        }
        if self.jitter > Span::ZERO {
            back = back.after(Span(self.random.between(0, self.jitter.0)));
            back = back.max(self.back);
            self.back = back;
        }
        if self.delayed_acks {
            let flow = packet.flow;
            let Some((first, received, feedback)) = self.held.remove(&flow) else {
                self.held.insert(flow, (packet, received, feedback));
                return;
            };
            self.schedule(
                back,
                Event::Ack(Box::new(first), received, feedback.map(Box::new)),
            );
        }
        self.schedule(
            back,
            Event::Ack(Box::new(packet), received, feedback.map(Box::new)),
        );
    }

    fn arrive(&mut self, mut packet: Packet) {
        self.arrivals += 1;
        if self.lose_every > 0 && self.arrivals.is_multiple_of(self.lose_every) {
            return;
        }
        if let Some((rate, bucket)) = self.policer {
            let gone = self.now.since(self.tokens.1).seconds();
            let filled = self.tokens.0 + gone * rate.0 as f64 / 8.0;
            self.tokens = (filled.min(bucket as f64), self.now);
            if self.tokens.0 < MSS as f64 {
                return;
            }
            self.tokens.0 -= MSS as f64;
        }
        let waiting = (self.queue.len() as u64).saturating_sub(u64::from(self.busy)) * MSS;
        if self.busy && waiting + MSS > self.buffer {
            return;
        }
        packet.marked = self.mark.is_some_and(|mark| waiting > mark);
        self.queue.push_back(packet);
        self.serve();
    }

    fn timers(&mut self, flow: usize) {
        let now = self.now;
        let f = &mut self.flows[flow];
        if f.controller.limits().wake <= now {
            f.controller.on_timer(now);
        }
        if f.rto > now {
            return;
        }
        f.rto = Time::NEVER;
        let in_flight = f.in_flight;
        let mut lost = Vec::new();
        for record in f.records.iter_mut().filter(|r| r.open) {
            record.open = false;
            f.in_flight -= MSS;
            f.lost += MSS;
            lost.push(*record);
        }
        let total = f.lost;
        for record in lost {
            f.tell_lost(now, &record, total);
        }
        f.recovery = Some(f.next);
        f.controller.on_congestion(&Congestion {
            now,
            cause: Cause::Timeout,
            in_flight,
            lost: in_flight,
            tx_in_flight: in_flight,
            round: f.round,
        });
    }

    fn poll(&mut self, flow: usize) {
        loop {
            let now = self.now;
            let f = &mut self.flows[flow];
            if now < f.start {
                return;
            }
            let limits = f.controller.limits();
            if f.backlog == 0 {
                if f.in_flight + MSS <= limits.window {
                    f.app_limited = (f.delivered + f.in_flight).max(1);
                }
                return;
            }
            if f.in_flight + MSS > limits.window {
                f.limited[1] = true;
                return;
            }
            if limits.pacing.is_some() && now < f.next_send {
                return;
            }
            if let Some(rate) = limits.pacing {
                f.next_send = f.next_send.max(now).after(rate.time_for(Bytes(MSS)));
            }
            let packet = f.send(now, flow);
            self.arrive(packet);
        }
    }

    fn acked(&mut self, packet: Packet, received: Time, feedback: Option<Feedback>) {
        let (now, number) = (self.now, packet.segment.number);
        let f = &mut self.flows[packet.flow];
        let Some(index) = f.records.iter().position(|r| r.number == number) else {
            return;
        };
        let record = f.records[index];
        if !record.open {
            return;
        }
        f.records[index].open = false;
        let rtt = now.since(record.sent);
        f.estimate(rtt);
        let prior_in_flight = f.in_flight;
        f.in_flight -= MSS;
        f.delivered += MSS;
        f.delivered_time = now;
        if f.app_limited > 0 && f.delivered > f.app_limited {
            f.app_limited = 0;
        }
        let round_start = record.delivered >= f.next_round;
        if round_start {
            f.next_round = f.delivered;
            f.round += 1;
            f.limited = [f.limited[1], false];
        }
        let send_elapsed = record.sent.since(record.first_sent);
        let ack_elapsed = now.since(record.delivered_time);
        f.first_sent = record.sent;
        let lost = f.find_lost(now, number);
        let interval = send_elapsed.max(ack_elapsed);
        let delivered = f.delivered - record.delivered;
        let rate = (interval >= f.min_rtt).then(|| RateSample {
            delivered,
            interval,
            app_limited: record.app_limited,
            prior_delivered: record.delivered,
            tx_in_flight: record.tx_in_flight,
            lost: f.lost - record.lost,
        });
        while f.records.front().is_some_and(|r| !r.open) {
            f.records.pop_front();
        }
        let mut cause = None;
        if f.recovery.is_some_and(|until| number >= until) {
            f.recovery = None;
            cause = Some(Cause::Recovered);
        }
        if lost > 0 && f.recovery.is_none() {
            f.recovery = Some(f.next);
            cause = Some(Cause::Loss);
        }
        if let Some(cause) = cause {
            f.tell(now, cause, prior_in_flight, lost);
        } else if packet.marked && round_start {
            f.tell(now, Cause::Mark, prior_in_flight, 0);
        }
        f.rto = match f.in_flight {
            0 => Time::NEVER,
            _ => now.after((f.srtt + f.rttvar.times(4)).max(Span::secs(1))),
        };
        let ack = Ack {
            now,
            acked: MSS,
            advanced: MSS,
            acked_segments: 1,
            lost,
            marked: if packet.marked { MSS } else { 0 },
            delivered: f.delivered,
            prior_in_flight,
            in_flight: f.in_flight,
            rtt: Some(rtt),
            srtt: f.srtt,
            min_rtt: f.min_rtt,
            one_way: Some(received.since(record.sent)),
            rate,
            round: f.round,
            round_start,
            cwnd_limited: f.limited[0] || f.limited[1],
            recovering: f.recovery.is_some(),
            sent: f.sent,
            number,
            feedback: feedback.as_ref(),
        };
        f.controller.on_ack(&ack);
    }
}
