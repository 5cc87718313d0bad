//! Counts the packets that come to the listening end of a flow, for its lines.

use backwater_transport::units::{Span, Time};
use hdrhistogram::Histogram;
use serde_json::{Value, json};

use super::rate_bps;

/// Counts of the listening end.
#[derive(Debug)]
pub struct Tally {
    /// When the first packet came.
    first: Option<Time>,
    /// When the newest came.
    pub newest: Time,
    packets: u64,
    bytes: u64,
    marked: u64,
    /// One above the greatest number of a transmission.
    numbers: u64,
    /// Nanoseconds from sending to arrival.
    delays: Histogram<u64>,
    told: Told,
}

/// The totals that the lines so far have reported.
#[derive(Copy, Clone, Debug, Default)]
struct Told {
    at: Time,
    bytes: u64,
    delivered: u64,
    packets: u64,
    delay: Span,
}

impl Tally {
    /// Before the first packet.
    pub fn new() -> Tally {
        Tally {
            first: None,
            newest: Time::ZERO,
            packets: 0,
            bytes: 0,
            marked: 0,
            numbers: 0,
            delays: Histogram::new_with_max(3_600_000_000_000, 3).expect("legal bounds"),
            told: Told::default(),
        }
    }

    /// A packet of so many IP bytes, the transmission of this number, sent then, has come.
    pub fn came(&mut self, now: Time, bytes: usize, number: u64, sent: Time, marked: bool) {
        self.first.get_or_insert(now);
        self.newest = now;
        self.packets += 1;
        self.bytes += bytes as u64;
        self.marked += u64::from(marked);
        self.numbers = self.numbers.max(number + 1);
        let delay = Span(now.0.saturating_sub(sent.0));
        self.told.delay.0 += delay.0;
        self.delays.saturating_record(delay.0 / 1000);
    }

    fn delay_s(&self, quantile: f64) -> Option<f64> {
        (self.packets > 0).then(|| self.delays.value_at_quantile(quantile) as f64 / 1e9)
    }

    /// The packets that came since the last line; `delivered` counts the bytes that the application has.
    pub fn sample(&mut self, now: Time, delivered: u64) -> Value {
        let told = self.told;
        let (seconds, packets) = (now.since(told.at).seconds(), self.packets - told.packets);
        let line = json!({
            "t_s": now.seconds(),
            "rate_bps": rate_bps(self.bytes - told.bytes, seconds),
            "goodput_bps": rate_bps(delivered - told.delivered, seconds),
            "received_pkts": packets,
            "delay_mean_s": (packets > 0).then(|| told.delay.seconds() / packets as f64),
        });
        self.told = Told {
            at: now,
            bytes: self.bytes,
            delivered,
            packets: self.packets,
            delay: Span::ZERO,
        };
        line
    }

    /// Sums since the beginning.
    pub fn summary(&self, delivered: u64) -> Value {
        let first = self.first.unwrap_or(self.newest);
        let seconds = self.newest.since(first).seconds();
        json!({
            "duration_s": seconds,
            "received_pkts": self.packets,
            "received_B": self.bytes,
            "delivered_B": delivered,
            "marked_pkts": self.marked,
            // Those on their way count as missing, as do those that were lost.
            "missing_pkts": self.numbers.saturating_sub(self.packets),
            "goodput_bps": rate_bps(delivered, seconds),
            "delay_p50_s": self.delay_s(0.5),
            "delay_p95_s": self.delay_s(0.95),
            "delay_max_s": self.delay_s(1.0),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_came_since_the_one_before() {
        let at = |ms: u64| Time::ZERO.after(Span::millis(ms));
        let mut tally = Tally::new();
        for number in 0..10 {
            let now = at(100 + number * 100);
            tally.came(now, 1250, number, at(100 + number * 100 - 30), number == 3);
        }
        // 10 packets of 1250 B in a second.
        let line = tally.sample(at(1000), 12_000);
        assert_eq!(line["rate_bps"], 100_000.0);
        assert_eq!(line["goodput_bps"], 96_000.0);
        assert_eq!(line["delay_mean_s"], 0.03);
        let line = tally.sample(at(2000), 12_000);
        assert_eq!(line["received_pkts"], 0);
        assert_eq!(line["rate_bps"], 0.0);
        assert_eq!(line["delay_mean_s"], Value::Null);
        tally.came(at(2100), 1250, 12, at(2000), false);
        let summary = tally.summary(13_000);
        assert_eq!(summary["duration_s"], 2.0);
        assert_eq!(summary["missing_pkts"], 2);
        assert_eq!(summary["marked_pkts"], 1);
        assert_eq!(summary["goodput_bps"], 52_000.0);
    }
}
