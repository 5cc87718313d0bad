//! iACP at an access point: an integrator of the room that is left in its queue.
//!
//! Detects: the smoothed backlog against a share g of the buffer. Tells: a target window in the congestion
//! header, as a window or as a rate. Responds: the senders approach the target.
//!
//! Reference: Mao and Liu, "Enhancements on Adaptive Congestion Protocol for Wireless Networks", equations
//! (2) to (4). The paper leaves much open and contradicts itself; each reading is an option. `law`: equation
//! (2) drives the queue to the whole buffer (literal), equation (6) expects it at g times the buffer
//! (intended, the default). `feedback`: a rate that each flow multiplies by its round trip, as in ACP, or
//! equal windows. `update`: at each sample of the queue, or once for each mean round trip. `sample`: when
//! packets arrive, or when they depart; a departing packet never finds the queue full. `anti_windup`: no
//! step up while the queue is full or has lost a packet since the last step; without it the published
//! g = 0.99 lets the target grow without bound. The mean round trip is an average over packets. A flow is a
//! pair of nodes seen within the last second, in either direction.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Span, Time};

use super::Build;
use super::law::{
    BUFFER, Backlog, BufferOption, LawPacket, LawQueue, Passing, Senders, Stamp, gain,
};
use super::measure::{FLOW_TIMEOUT, Flows, Smoothed, ticks};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Update {
    Sample,
    MeanRtt,
}

/// The options and the state.
#[derive(Clone, Debug)]
pub struct IacpLaw {
    b: f64,
    g: f64,
    weight: f64,
    literal: bool,
    as_rate: bool,
    update: Update,
    at_departure: bool,
    anti_windup: bool,
    /// Packets.
    buffer: f64,
    room: BufferOption,
    desired: f64,
    average: f64,
    flows: Flows,
    /// Seconds.
    mean_rtt: Smoothed,
    /// The last sample found the queue full, or a packet was lost since the last step.
    full: bool,
    due: Time,
    /// Samples, and when the first was.
    samples: u64,
    since: Option<Time>,
}

impl IacpLaw {
    fn sample(&mut self, seen: &LawPacket) {
        let queue = seen.backlog.packets as f64;
        self.average += self.weight * (queue - self.average);
        self.full |= seen.lost || queue >= self.buffer - 1.0;
        self.samples += 1;
        self.since.get_or_insert(seen.now);
        if self.update == Update::Sample {
            self.step();
        }
    }

    fn step(&mut self) {
        let error = match self.literal {
            true => self.g * (self.buffer - self.average),
            false => self.g * self.buffer - self.average,
        };
        let full = std::mem::take(&mut self.full);
        if !(self.anti_windup && full && error > 0.0) {
            let next = self.desired + self.b * error / self.flows.count();
            self.desired = next.max(0.0);
        }
    }

    fn note(&mut self, seen: &LawPacket, header: Option<&CongestionHeader>) {
        self.flows.note(seen.now, seen.ends);
        if let Some(rtt) = header.and_then(CongestionHeader::rtt) {
            self.mean_rtt.add(rtt.seconds());
        }
    }

    fn write(&self, passing: &mut Passing) {
        if let Some(CongestionHeader::Window { rtt, window, .. }) = passing.header.as_deref_mut() {
            match (self.as_rate, self.mean_rtt.get()) {
                (false, _) => *window = window.min(self.desired),
                (true, Some(mean)) if *rtt > Span::ZERO => {
                    *window = window.min(self.desired / mean * rtt.seconds());
                }
                // Without a round trip a rate is no window; the sender keeps what it has.
                (true, _) => {}
            }
        }
    }

    /// Samples for each second.
    fn sample_rate(&self, now: Time) -> f64 {
        let since = self.since.unwrap_or(now);
        self.samples as f64 / now.since(since).seconds().max(1e-9)
    }

    /// Says that the loop is unstable with senders that go such a share of the way to the target at each
    /// acknowledgement. Both bounds are linear: where a window is of three packets or fewer, whole packets damp a
    /// slow sender's swing.
    fn instability(&self, now: Time, approach: f64) -> Option<String> {
        let round = self.mean_rtt.get()?;
        let gain = match self.literal {
            true => self.b * self.g,
            false => self.b,
        };
        let (loop_gain, bound) = match self.update {
            Update::Sample => {
                let rate = self.sample_rate(now).max(1e-9);
                // A sender has one acknowledgement for each of `flows` samples.
                let lag = |share: f64, each: f64| (1.0 - share) / share * each / rate;
                let lags = [lag(approach, self.flows.count()), lag(self.weight, 1.0)];
                (gain * round * rate, round * critical_gain(round, lags))
            }
            // A step is seen one step later, when a sender has gone a share s of the way: the poles are those of
            // (z - 1) (z - 1 + s) + b s, within the circle for b < 1 and each s.
            Update::MeanRtt => (gain, 1.0),
        };
        (loop_gain >= bound).then(|| {
            format!(
                "b = {} makes the loop unstable: the gain of a round trip of {round:.3} s is {loop_gain:.2} and has to be \
                 below {bound:.2} with senders that go {approach} of the way to the target at each acknowledgement; the \
                 paper's bound, b <= 2 R0 = {:.3}, is another one because its two sides have different units",
                self.b,
                2.0 * round
            )
        })
    }
}

/// The gain from which on an integrator with a delay T and two lags τ, in seconds, is unstable:
/// K e^(-sT) / (s (1 + s τ)…) has the phase -π where ω T + Σ atan(ω τ) = π/2, and must be below 1 there. Without lags
/// that is K T < π/2.
fn critical_gain(delay: f64, lags: [f64; 2]) -> f64 {
    let quarter = std::f64::consts::FRAC_PI_2;
    let (mut low, mut high) = (0.0, quarter / delay.max(1e-9));
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let behind = lags.map(|lag| libm::atan(middle * lag));
        match middle * delay + behind[0] + behind[1] < quarter {
            true => low = middle,
            false => high = middle,
        }
    }
    lags.iter()
        .fold(low, |gain, lag| gain * libm::hypot(1.0, low * lag))
}

impl Stamp for IacpLaw {
    fn layout(&self) -> Option<Layout> {
        Some(Layout::Window)
    }

    fn needs_packets(&self) -> bool {
        self.room.needs_packets()
    }

    fn attach(&mut self, place: &LawQueue) {
        self.buffer = self.room.at(place);
    }

    fn update(&mut self, now: Time, backlog: Backlog) {
        if let (Update::MeanRtt, Some(mean)) = (self.update, self.mean_rtt.get()) {
            let every = Span::from_seconds(mean).max(Span::millis(1));
            let mut due = self.due.max(Time(1));
            ticks(&mut due, now, backlog, |_, _| {
                self.step();
                every
            });
            self.due = due;
        } else {
            self.due = now;
        }
    }

    fn arrive(&mut self, seen: &LawPacket, header: Option<&CongestionHeader>) {
        self.note(seen, header);
        if !self.at_departure {
            self.sample(seen);
        }
    }

    fn depart(&mut self, seen: &LawPacket, passing: &mut Passing) {
        if self.at_departure {
            self.sample(seen);
        }
        self.write(passing);
    }

    /// Uplink data do not wait in the queue, so that they are no samples of it.
    fn cross(&mut self, seen: &LawPacket, passing: &mut Passing) {
        self.note(seen, passing.header.as_deref());
        self.write(passing);
    }

    fn warnings(&self, now: Time, senders: &Senders) -> Vec<String> {
        let said = [
            self.instability(now, senders.approach.unwrap_or(1.0)),
            self.room.warning(),
            Flows::warning(senders),
        ];
        said.into_iter().flatten().collect()
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        [
            ("desired_pkts", self.desired),
            ("average_queue_pkts", self.average),
            ("flows", self.flows.count()),
            ("mean_rtt_s", self.mean_rtt.get().unwrap_or(0.0)),
        ]
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "iacp",
    aliases: &[],
    summary: "a target window from the room in the access point's queue",
    source: "Mao and Liu, Enhancements on Adaptive Congestion Protocol for Wireless Networks",
    options: &[
        Opt::new(
            "law",
            Kind::Choice(&["intended", "literal"]),
            Default::Is("intended"),
            "drive the queue to g times the buffer, or to the whole buffer as equation (2) says",
        ),
        Opt::new(
            "feedback",
            Kind::Choice(&["rate", "window"]),
            Default::Is("rate"),
            "equal rates, or equal windows",
        ),
        Opt::new(
            "update",
            Kind::Choice(&["sample", "mean-rtt"]),
            Default::Is("sample"),
            "step at each sample of the queue, or once for each mean round trip",
        ),
        Opt::new(
            "sample",
            Kind::Choice(&["arrival", "departure"]),
            Default::Is("arrival"),
            "look at the queue when packets arrive, lost ones included, or when they depart",
        ),
        Opt::new(
            "anti_windup",
            Kind::Flag,
            Default::Is("true"),
            "take no step up while the queue is full",
        ),
        gain("b", "0.012", "gain of a step"),
        Opt::new(
            "g",
            Kind::Number,
            Default::Is("0.99"),
            "share of the buffer to fill",
        )
        .at_least("0")
        .at_most("1"),
        Opt::new(
            "w",
            Kind::Number,
            Default::Is("0.2"),
            "weight of the present queue in its average",
        )
        .at_least("0.0001")
        .at_most("1"),
        Opt::new(
            "rtt_weight",
            Kind::Number,
            Default::Is("0.02"),
            "weight of a packet in the mean round trip",
        )
        .at_least("0.0001")
        .at_most("1"),
        FLOW_TIMEOUT,
        BUFFER,
    ],
    build: |args| {
        let law = IacpLaw {
            b: args.number("b"),
            g: args.number("g"),
            weight: args.number("w"),
            literal: args.choice("law") == "literal",
            as_rate: args.choice("feedback") == "rate",
            update: match args.choice("update") {
                "mean-rtt" => Update::MeanRtt,
                _ => Update::Sample,
            },
            at_departure: args.choice("sample") == "departure",
            anti_windup: args.flag("anti_windup"),
            buffer: 0.0,
            room: BufferOption::new(args),
            desired: 1.0,
            average: 0.0,
            flows: Flows::new(args.span("flow_timeout")),
            mean_rtt: Smoothed::new(args.number("rtt_weight")),
            full: false,
            due: Time::ZERO,
            samples: 0,
            since: None,
        };
        Ok(law.into())
    },
};
