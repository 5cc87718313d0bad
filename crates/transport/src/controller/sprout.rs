//! Sprout: send what the receiver forecasts, with 95 % confidence, to be delivered within 100 ms.
//!
//! Detects: capacity at the receiver (`crate::forecast`). Tells: the receiver sends a forecast in every
//! acknowledgement. Responds: keeps no more bytes outstanding than the forecast of the next five ticks.
//!
//! Reference: Winstein, Sivaraman and Balakrishnan, NSDI 2013, section 3; the authors' program.
//! Differences from the program:
//!
//! * A heartbeat has one byte, where the program's has only headers. In a stream it is a full segment, because it may
//!   have to repair a loss.
//! * Whole segments leave, where the program fills what is left of the window with a part of one.
//! * A packet is at least a full segment, where the program has fixed sizes. The queue estimate counts payload, where the
//!   program adds 50 B for each packet.
//! * Before the first forecast arrives the sender uses the forecast of the prior and sends a burst of five packets. The
//!   program sends single packets until then.
//! * Forecasts ride on acknowledgements. None arrives while nothing is acknowledged, and each tick with an arrival brings a
//!   new one. The program attaches a forecast only to the first packet after the end of a flight, in effect each second
//!   tick (`forecast-every = 2`). Eight flows over 1.8 Mbit/s have a 95th percentile of 190 ms with 1 and 126 ms with 2; the program
//!   has 121 ms.
//!
//! It underuses slow links with long round trips, as the program does. Over Ethernet lines with 20 ms of propagation one
//! way:
//!
//! | Mbit/s | 0.5 | 1 | 1.8 | 2.4 |
//! |---|---|---|---|---|
//! | here | 0.77 | 0.51 | 0.31 | 0.43 |
//! | here over constant mahimahi traces | 1.00 | 0.50 | 0.30 | 0.31 |
//! | the program, a forecast on each acknowledgement | 0.75 | 0.50 | 0.38 | 0.42 |
//! | the program as it is | 0.63 | 0.40 | 0.32 | 0.31 |
//!
//! Between 2.7 and 5 Mbit/s a millisecond of delay decides: 3 Mbit/s at 18, 20 and 22 ms gives 1.00, 0.52 and 0.32.
//!
//! Where paper and program differ, options select: `drain` (the program drains cumulative counts as if they were those of
//! one tick), `cdf` (it reads the normal distribution from a table), `variant` (the moving average of section 5.3).

use std::collections::VecDeque;

use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Departure, Inspect, Limits, Reduction, Sent,
};
use crate::forecast::{Forecaster, HORIZON, Model, Process};
use crate::part::{Default, Kind, Opt, Part, Refusal};
use crate::segment::Feedback;
use crate::units::{Span, Time};

/// Bytes of a packet in the program; its receiver counts in units of 1400 bytes.
const UNIT: u64 = 1440;

/// Bytes of a heartbeat.
const HEARTBEAT: u64 = 1;

/// The sender's side.
#[derive(Clone, Debug)]
pub struct Sprout {
    mss: u64,
    forecaster: Forecaster,
    as_coded: bool,
    target: usize,
    heartbeat: Span,
    reorder: Span,
    unit: u64,
    counts: [u16; HORIZON],
    made: Option<Time>,
    /// Arrival of the present forecast, or the first event before the first forecast.
    arrived: Option<Time>,
    /// Ticks of it that have passed.
    tick: usize,
    /// Estimated bytes queued in the network.
    queued: u64,
    in_flight: u64,
    position: u64,
    last_sent: Time,
    now: Time,
    /// Segments sent within the last `reorder`: time, and the position after each.
    recent: VecDeque<(Time, u64)>,
    /// Position below which reordering is no longer possible.
    discarded: u64,
}

impl Sprout {
    fn advance_to(&mut self, now: Time) {
        self.now = self.now.max(now);
        let came = *self.arrived.get_or_insert(now);
        let gone = self.now.0.saturating_sub(came.0) / self.forecaster.tick().0;
        let gone = gone.min(HORIZON as u64 - 1) as usize;
        while self.tick < gone {
            let before = match (self.as_coded, self.tick) {
                (false, tick @ 1..) => self.counts[tick - 1],
                _ => 0,
            };
            let drained = u64::from(self.counts[self.tick].saturating_sub(before)) * self.unit;
            self.queued = self.queued.saturating_sub(drained);
            self.tick += 1;
        }
        while let Some((_, end)) = self
            .recent
            .pop_front_if(|(sent, _)| sent.after(self.reorder) <= now)
        {
            self.discarded = end;
        }
    }

    /// Whole segments that may leave now, in bytes.
    fn budget(&self) -> u64 {
        let until = (self.tick + self.target).min(HORIZON - 1);
        let coming = self.counts[until].saturating_sub(self.counts[self.tick]);
        let free = (u64::from(coming) * self.unit).saturating_sub(self.queued);
        free / self.mss * self.mss
    }

    fn heartbeat_at(&self) -> Time {
        self.last_sent.after(self.heartbeat)
    }
}

impl Controller for Sprout {
    fn on_ack(&mut self, ack: &Ack) {
        self.in_flight = ack.in_flight;
        if let Some(&Feedback::Forecast {
            made,
            packets,
            settled,
        }) = ack.feedback
            && self.made.is_none_or(|old| old < made)
        {
            self.made = Some(made);
            self.counts = packets;
            self.arrived = Some(ack.now);
            self.tick = 0;
            self.queued = self.position.saturating_sub(settled);
        }
        self.advance_to(ack.now);
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.in_flight = congestion.in_flight;
        self.advance_to(congestion.now);
    }

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        let last = sent.app_limited || self.budget() < sent.len + self.mss;
        let announced = Feedback::Announce {
            next: if last { self.heartbeat.0 } else { 0 },
            discarded: self.discarded,
            position: self.position,
        };
        self.advance_to(sent.now);
        self.in_flight = sent.in_flight;
        self.position += sent.len;
        self.queued += sent.len;
        self.last_sent = sent.now;
        self.recent.push_back((sent.now, self.position));
        Departure::Announced(announced)
    }

    fn heartbeat(&self) -> u64 {
        u64::from(self.heartbeat_at() <= self.now) * HEARTBEAT
    }

    fn on_timer(&mut self, now: Time) {
        self.advance_to(now);
    }

    fn forecaster(&self) -> Option<Forecaster> {
        Some(self.forecaster.clone())
    }

    fn limits(&self) -> Limits {
        let wake = match self.arrived {
            None => Time::NEVER,
            Some(came) if self.tick + 1 < HORIZON => came
                .after(self.forecaster.tick().times(self.tick as u64 + 1))
                .min(self.heartbeat_at()),
            Some(_) => self.heartbeat_at(),
        };
        Limits {
            window: self.in_flight + self.budget(),
            pacing: None,
            // A heartbeat that is due waits for the sender, not for the timer.
            wake: if wake <= self.now { Time::NEVER } else { wake },
        }
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            ssthresh: None,
            state: "forecast",
            values: Inspect::values([
                ("forecast_100ms_pkts", f64::from(self.counts[self.target])),
                ("queued_B", self.queued as f64),
                ("tick", self.tick as f64),
            ]),
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Sprout>> = Part {
    id: "sprout",
    aliases: &[],
    summary: "send what the receiver forecasts to come through within 100 ms",
    source: "Winstein et al., NSDI 2013; authors' program",
    options: &[
        Opt::new(
            "variant",
            Kind::Choice(&["bayes", "ewma"]),
            Default::Is("bayes"),
            "Bayesian forecast with caution, or Sprout-EWMA (section 5.3)",
        ),
        Opt::new(
            "drain",
            Kind::Choice(&["increment", "as-coded"]),
            Default::Is("increment"),
            "what a tick takes from the queue estimate: its own packets (paper), or the cumulative count (program)",
        ),
        Opt::new(
            "cdf",
            Kind::Choice(&["table", "exact"]),
            Default::Is("table"),
            "normal distribution from the program's table, with its drift, or exact",
        ),
        Opt::new("tick", Kind::Span, Default::Is("20 ms"), "length of a tick")
            .at_least("1 ms")
            .at_most("1 s"),
        Opt::new("target", Kind::Count, Default::Is("5"), "ticks within which all must come through")
            .at_least("1")
            .at_most("7"),
        Opt::new(
            "confidence",
            Kind::Share,
            Default::Is("95 %"),
            "probability that at least the forecast comes through",
        )
        .at_least("1 %")
        .at_most("99 %"),
        Opt::new(
            "sigma",
            Kind::Number,
            Default::Is("200"),
            "Brownian motion of the rate, packets/s per square root of a second",
        )
        .at_least("1")
        .at_most("10000"),
        Opt::new("most", Kind::Number, Default::Is("1000"), "greatest rate modelled, packets/s")
            .at_least("10")
            .at_most("100000"),
        Opt::new("bins", Kind::Count, Default::Is("256"), "bins of the rate")
            .at_least("16")
            .at_most("512"),
        Opt::new(
            "counts",
            Kind::Count,
            Default::Is("30"),
            "packets in a tick that are modelled: 0 up to below this",
        )
        .at_least("2")
        .at_most("100"),
        Opt::new("escape", Kind::Number, Default::Is("1"), "rate at which an outage ends, 1/s")
            .at_least("0.001")
            .at_most("1000"),
        Opt::new("gain", Kind::Number, Default::Is("0.125"), "weight of a new tick in variant ewma")
            .at_least("0.001")
            .at_most("1"),
        Opt::new(
            "forecast-every",
            Kind::Count,
            Default::Is("1"),
            "ticks between two forecasts of the receiver; 2 gives what several flows of the program have",
        )
        .at_least("1")
        .at_most("8"),
        Opt::new("heartbeat", Kind::Span, Default::Is("50 ms"), "longest silence of the sender")
            .at_least("1 ms")
            .at_most("10 s"),
        Opt::new(
            "reorder",
            Kind::Span,
            Default::Is("10 ms"),
            "segments sent longer ago than this are not overtaken any more",
        )
        .at_most("10 s"),
        Opt::new(
            "unit",
            Kind::Bytes,
            Default::Absent,
            "bytes the sender takes a packet for; if absent 1440 B, or the payload of a full segment if more",
        )
        .at_least("40 B")
        .at_most("64 kB"),
        Opt::new(
            "counted",
            Kind::Bytes,
            Default::Absent,
            "bytes the receiver counts as a packet; if absent 35/36 of unit: 1400 B for 1440 B",
        )
        .at_least("40 B")
        .at_most("64 kB"),
    ],
    build: |args, setup| {
        let unit = match args.has("unit") {
            true => args.bytes("unit").0,
            false => UNIT.max(setup.mss),
        };
        if unit < setup.mss {
            return Err(Refusal {
                option: "unit",
                what: format!("is less than the {} B of a segment, so that a forecast of one packet lets none out", setup.mss),
                fix: format!("write unit = \"{} B\" or more, or leave it out", setup.mss),
            });
        }
        let counted = match args.has("counted") {
            true => args.bytes("counted").0,
            false => unit * 35 / 36,
        };
        let process = Process {
            most: args.number("most"),
            bins: args.count("bins") as usize,
            tick: args.span("tick"),
            sigma: args.number("sigma"),
            escape: args.number("escape"),
            counts: args.count("counts") as usize,
            quantile: 1.0 - args.share("confidence"),
            tabulated: args.choice("cdf") == "table",
        };
        let model = match args.choice("variant") {
            "ewma" => Model::Ewma(args.number("gain")),
            _ => Model::Bayes,
        };
        let (width, moved) = (process.most / process.bins as f64, process.deviation());
        if matches!(model, Model::Bayes) && width > 10.0 * moved {
            return Err(Refusal {
                option: "bins",
                what: format!("makes each bin {width:.0} packets/s wide, where a tick moves the rate by {moved:.2}, so that the rate could rise and never fall"),
                fix: format!("write bins = {:.0} or more, or a lower `most`, or a greater `sigma` or `tick`", (process.most / (10.0 * moved)).ceil()),
            });
        }
        let forecaster = Forecaster::new(&process, model, counted, args.count("forecast-every"));
        Ok(Sprout {
            mss: setup.mss,
            counts: forecaster.packets(),
            forecaster,
            as_coded: args.choice("drain") == "as-coded",
            target: args.count("target") as usize,
            heartbeat: args.span("heartbeat"),
            reorder: args.span("reorder"),
            unit,
            made: None,
            arrived: None,
            tick: 0,
            queued: 0,
            in_flight: 0,
            position: 0,
            last_sent: Time::ZERO,
            now: Time::ZERO,
            recent: VecDeque::new(),
            discarded: 0,
        })
    },
};
