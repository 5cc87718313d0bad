//! PowerTCP: a window that follows the power of the path, the product of its current and its voltage.
//!
//! Detects: by hop records of each link (`power`) Γ = (q' + μ)(q + bτ) / (b²τ), where q is the backlog, q' its slope, μ the rate
//! sent, b that of the line, τ the base round trip; of all links the greatest. Without records (`theta`) Γ = (θ' + 1) θ / τ from the
//! round trip θ and its slope, once in a round trip. Γ is smoothed over τ. Responds: w ← γ (w_old / Γ + β) + (1 − γ) w, where
//! w_old is the window when the acknowledged packet left. Paces at w / τ.
//!
//! Reference: Addanki et al., PowerTCP, NSDI 2022, algorithms 1 and 2. Flows rest at a queue of the sum of their β.
//! Differences: where a queue drains at the rate of its line Γ would be zero, so it is at least `FLOOR`; a window is at most one
//! bandwidth-delay product of the host's line. After an incast the queue drains so, all windows rise at once, and the flows never come
//! to rest. The authors' simulator counts at least half a line as arriving (`arrivals`), which prevents that; it also divides Γ by
//! .95, which this does not.

use std::collections::VecDeque;

use crate::building_blocks::rdma::{
    FIRST_RATE, LEAST, PacedWindow, base_rtt, check_queue_pair, rate, records, with_records,
};
use crate::congestion_header::Layout;
use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Departure, Inspect, Limits, Reduction, Sent,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::telemetry::Records;
use crate::units::{Span, Time};

/// Least power.
const FLOOR: f64 = 0.05;

/// The options and the state.
#[derive(Clone, Debug)]
pub struct PowerTcp {
    window: PacedWindow,
    gamma: f64,
    beta: f64,
    by_records: bool,
    /// Least rate of arrival at a hop that counts, as a share of its line.
    arrivals: f64,
    power: f64,
    records: Option<Records>,
    /// Round trip in seconds, and when it was taken.
    before: Option<(f64, Time)>,
    /// Windows with which packets left, by the number of the transmission.
    left_with: VecDeque<(u64, f64)>,
    next: u64,
    /// The window without records moves again with the acknowledgement of this transmission.
    update: u64,
}

impl PowerTcp {
    /// The power of the hop that has most, and the time between its records.
    fn of_records(&self, before: &Records, now: &Records) -> Option<(f64, f64)> {
        let mut most: Option<(f64, f64)> = None;
        let base = self.window.base;
        for hop in now.since(before) {
            let slope = (hop.now as f64 - hop.before as f64) / hop.over;
            let sent = hop.sent as f64 / hop.over;
            let voltage = hop.now as f64 + hop.rate * base;
            let arrived = (slope + sent).max(self.arrivals * hop.rate);
            let power = arrived * voltage / (hop.rate * hop.rate * base);
            if most.is_none_or(|m| power > m.0) {
                most = Some((power, hop.over));
            }
        }
        most
    }

    /// Takes a power measured over so many seconds into the smoothed one.
    fn smooth(&mut self, power: f64, over: f64) {
        self.power = self.window.smoothed(self.power, power, over).max(FLOOR);
    }

    fn react(&mut self, old: f64) {
        let aim = old / self.power + self.beta;
        let window = self.gamma * aim + (1.0 - self.gamma) * self.window.bytes;
        self.window.set(window);
    }

    /// The window with which this packet left.
    fn window_of(&mut self, number: u64) -> f64 {
        let mut window = self.window.bytes;
        while let Some((_, left)) = self.left_with.pop_front_if(|l| l.0 <= number) {
            window = left;
        }
        window
    }
}

impl Controller for PowerTcp {
    fn on_ack(&mut self, ack: &Ack) {
        let old = self.window_of(ack.number);
        if self.by_records {
            let Some(records) = records(ack) else {
                return;
            };
            let Some(before) = self.records.replace(*records) else {
                return;
            };
            if let Some((power, over)) = self.of_records(&before, records) {
                self.smooth(power, over);
                self.react(old);
            }
            return;
        }
        let Some(rtt) = ack.rtt.map(Span::seconds) else {
            return;
        };
        if ack.number < self.update {
            return;
        }
        self.update = self.next;
        if let Some((before, at)) = self.before.replace((rtt, ack.now)) {
            let over = ack.now.since(at).seconds();
            if over > 0.0 {
                let slope = (rtt - before) / over;
                self.smooth((slope + 1.0) * rtt / self.window.base, over);
                self.react(old);
            }
        }
    }

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.next = sent.number + 1;
        self.left_with.push_back((sent.number, self.window.bytes));
        match self.by_records {
            true => with_records(),
            false => Departure::Noted,
        }
    }

    fn congestion_header(&self) -> Option<Layout> {
        self.by_records.then_some(Layout::Telemetry)
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn limits(&self) -> Limits {
        self.window.limits()
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            state: if self.by_records { "power" } else { "theta" },
            values: Inspect::values([("power", self.power)]),
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<PowerTcp>> = Part {
    id: "powertcp",
    aliases: &[],
    summary: "a window that follows the power of the path, by in-band telemetry or by the round trip",
    source: "Addanki et al., NSDI 2022",
    options: &[
        rate(FIRST_RATE),
        base_rtt(Default::Is("20 us"), "base round trip (tau)"),
        Opt::new(
            "variant",
            Kind::Choice(&["power", "theta"]),
            Default::Is("power"),
            "by the records of hops, or by the round trip alone",
        ),
        Opt::new(
            "gamma",
            Kind::Number,
            Default::Is("0.9"),
            "weight of a new window",
        )
        .at_least("0.01")
        .at_most("1"),
        Opt::new(
            "beta",
            Kind::Bytes,
            Default::Is("5 kB"),
            "additive increase; the paper has HostBw times tau by the number of flows",
        )
        .at_least("1 B")
        .at_most("1000 MB"),
        Opt::new(
            "arrivals",
            Kind::Share,
            Default::Is("0 %"),
            "least rate of arrival at a hop that counts, as a share of its line; the authors' simulator has 50 %",
        )
        .at_most("100 %"),
        LEAST,
    ],
    build: |args, setup| {
        let why = "PowerTCP is for queue pairs: it does not answer losses";
        check_queue_pair(setup, "variant", why)?;
        Ok(PowerTcp {
            window: PacedWindow::new(args, setup),
            gamma: args.number("gamma"),
            beta: args.bytes("beta").0 as f64,
            by_records: args.choice("variant") == "power",
            arrivals: args.share("arrivals"),
            power: 1.0,
            records: None,
            before: None,
            left_with: VecDeque::new(),
            next: 0,
            update: 0,
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::{Hop, Record};

    /// 12.5 GB/s and 20 us: a product of 250 kB. The line of the host is twice as fast, so that the greatest window shows.
    fn at() -> PowerTcp {
        PowerTcp {
            window: PacedWindow {
                line: 25e9,
                base: 20e-6,
                least: 1.0,
                bytes: 250e3,
                mss: 1_000,
            },
            gamma: 0.9,
            beta: 0.0,
            by_records: true,
            arrivals: 0.0,
            power: 1.0,
            records: None,
            before: None,
            left_with: VecDeque::new(),
            next: 0,
            update: 0,
        }
    }

    fn records(sent: u64, queue: u64, at_us: u64) -> Records {
        let mut records = Records::default();
        records.record(Record::Exact(Hop {
            rate: 12.5e9,
            sent,
            queue,
            at: Time(at_us * 1_000_000),
        }));
        records
    }

    /// Over a round trip: full and flat 250,000; a product waits 137,500; half of one, grown by half, 125,000; half idle 475,000.
    /// Over a tenth of it a product that waits counts a tenth: 229,545.45.
    #[test]
    fn the_window_is_what_left_over_the_power() {
        for (sent, before, queue, us, window) in [
            (250_000, 0, 0, 20, 250_000.0),
            (250_000, 250_000, 250_000, 20, 137_500.0),
            (250_000, 0, 125_000, 20, 125_000.0),
            (125_000, 0, 0, 20, 475_000.0),
            (25_000, 250_000, 250_000, 2, 229_545.454_545),
        ] {
            let mut p = at();
            let (old, new) = (records(0, before, 0), records(sent, queue, us));
            let (power, over) = p.of_records(&old, &new).expect("a hop");
            p.smooth(power, over);
            p.react(250e3);
            assert!((p.window.bytes - window).abs() < 1e-3, "{}", p.window.bytes);
        }
    }

    /// By the round trip: twice the base and flat .55 of the window; grown by a quarter of it to that .40; at the base all of it.
    #[test]
    fn the_round_trip_and_its_slope_give_the_power_too() {
        for (before, rtt, share) in [(40.0, 40.0, 0.55), (30.0, 40.0, 0.40), (20.0, 20.0, 1.0)] {
            let mut p = at();
            let slope: f64 = (rtt - before) / 20.0;
            p.smooth((slope + 1.0) * rtt / 20.0, 20e-6);
            p.react(250e3);
            assert!(
                (p.window.bytes / 250e3 - share).abs() < 1e-9,
                "{}",
                p.window.bytes
            );
        }
    }

    /// A queue of one product that drains at the rate of its line: nothing arrives, but half a line counts. Γ is .5 x 2.
    #[test]
    fn half_a_line_may_count_as_arriving() {
        let mut p = at();
        p.arrivals = 0.5;
        let (old, new) = (records(0, 500_000, 0), records(250_000, 250_000, 20));
        let (power, _) = p.of_records(&old, &new).expect("a hop");
        assert!((power - 1.0).abs() < 1e-9, "{power}");
    }

    /// A queue that drains at the rate of its line has no power; the window does not become infinite.
    #[test]
    fn a_queue_that_drains_at_full_rate_leaves_a_least_power() {
        let mut p = at();
        let (old, new) = (records(0, 250_000, 0), records(250_000, 0, 20));
        let (power, over) = p.of_records(&old, &new).expect("a hop");
        assert!(power.abs() < 1e-9);
        p.smooth(power, over);
        p.react(250e3);
        assert!(p.window.bytes <= p.window.product());
    }
}
