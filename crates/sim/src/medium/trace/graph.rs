//! The figures of mahimahi's `mm-throughput-graph` about a log: mean rates between the first and the last thing
//! that happened, the 95th percentile (index int(0.95 n)) of the delays of packets and of the signal delay.
//!
//! Reference: mahimahi `scripts/mm-throughput-graph`. Differences: drops, at which the script stops, are
//! counted; a log without a departure has no delays, where the script gives nothing at all.

use super::log::{Happening, Log};
use super::scorer::{percentile95, signal_p95};
use crate::source::trace::{Fault, Place};

/// No longer log or delay is looked at, ms: the signal delay has a value for each.
const LONGEST_MS: u64 = 100_000_000;

/// See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// Seconds from the first to the last line.
    pub duration_s: f64,
    /// Mean rate of the opportunities, bit/s.
    pub capacity_bps: f64,
    /// Mean rate of what came, bit/s; what was dropped at once included.
    pub ingress_bps: f64,
    /// Mean rate of what left, bit/s.
    pub throughput_bps: f64,
    /// Throughput over capacity; none without an opportunity.
    pub utilisation: Option<f64>,
    /// 95th percentile of the packets' delays, ms.
    pub delay_p95_ms: Option<u64>,
    /// 95th percentile of the signal delay, ms.
    pub signal_delay_p95_ms: Option<u64>,
    /// Packets that came.
    pub arrived: u64,
    /// Packets that left.
    pub departed: u64,
    /// Packets that were dropped as they came, or as others did.
    pub dropped: u64,
    /// Packets that queue management dropped as they were to leave.
    pub discarded: u64,
}

impl Graph {
    /// Of a log.
    ///
    /// # Errors
    /// Why there are no rates.
    pub fn of(log: &Log) -> Result<Graph, Fault> {
        let ends = log.entries.first().zip(log.entries.last());
        let (first, last) =
            ends.ok_or_else(|| Place::Whole.fault("nothing happened in the log"))?;
        let span = last.at - first.at;
        if span == 0 {
            return Err(
                Place::Whole.fault("everything happened in one millisecond: there are no rates")
            );
        }
        if span > LONGEST_MS {
            let why = format!("the log lasts {span} ms, more than {LONGEST_MS}");
            return Err(Place::Whole.fault(why));
        }
        // Sums of any numbers that a line can hold.
        let (mut capacity, mut ingress, mut throughput) = (0u128, 0u128, 0u128);
        let (mut arrived, mut dropped, mut discarded) = (0, 0u64, 0u64);
        let (mut delays, mut came) = (Vec::new(), Vec::new());
        for (line, entry) in (log.header.len() + 1..).zip(&log.entries) {
            match entry.what {
                Happening::Opportunity(bytes) => capacity += u128::from(bytes),
                Happening::Arrival(bytes) => {
                    ingress += u128::from(bytes);
                    arrived += 1;
                }
                Happening::Departure(bytes, delay) => {
                    let at = entry.at.checked_sub(delay);
                    let late = "the delay is longer than the time since the clock began";
                    let at = at.ok_or_else(|| Place::Line(line).fault(late))?;
                    if delay > LONGEST_MS {
                        let why = format!("a delay of {delay} ms, more than {LONGEST_MS}");
                        return Err(Place::Line(line).fault(why));
                    }
                    came.push((at, delay));
                    throughput += u128::from(bytes);
                    delays.push(delay);
                }
                Happening::Drop(packets, _) => dropped = dropped.saturating_add(packets),
                Happening::Discard(packets, _) => discarded = discarded.saturating_add(packets),
            }
        }
        // In order of arrival, and of equals the least delay.
        came.sort_unstable();
        came.dedup_by_key(|(at, _)| *at);
        let rate = |bytes: u128| bytes as f64 * 8e3 / span as f64;
        Ok(Graph {
            duration_s: span as f64 / 1e3,
            capacity_bps: rate(capacity),
            ingress_bps: rate(ingress),
            throughput_bps: rate(throughput),
            utilisation: (capacity > 0).then(|| throughput as f64 / capacity as f64),
            arrived,
            departed: delays.len() as u64,
            dropped,
            discarded,
            delay_p95_ms: percentile95(delays),
            signal_delay_p95_ms: signal_p95(came.into_iter()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worked out by hand. From 10 to 30 ms: opportunities at 10, 12, 20, 30; two packets come at 11 and one
    /// at 19, one of them lost at once. The first leaves at 12, the other at 30.
    #[test]
    fn a_small_log_is_summed_up_as_by_hand() {
        let text = "# base timestamp: 0\n10 # 1504\n11 + 1504\n11 + 60\n11 d 1 60\n12 # 1504\n\
            12 - 1504 1\n19 + 752\n20 # 1504\n30 # 1504\n30 - 752 11\n";
        let found = Graph::of(&Log::parse(text.as_bytes()).unwrap()).unwrap();
        // 4 × 1504 B in 20 ms are 2.4064 Mbit/s; 2256 B are 0.9024 and 2316 B that came 0.9264.
        assert!((found.capacity_bps - 2_406_400.0).abs() < 1e-6);
        assert!((found.throughput_bps - 902_400.0).abs() < 1e-6);
        assert!((found.ingress_bps - 926_400.0).abs() < 1e-6);
        assert!((found.utilisation.unwrap() - 0.375).abs() < 1e-12);
        assert_eq!((found.arrived, found.departed, found.dropped), (3, 2, 1));
        assert_eq!(found.delay_p95_ms, Some(11));
        // At 11 a packet takes 1, at 19 it takes 11, at 18 it would take 12 … at 12 it would take 18: nine
        // values, of which int(0.95 × 9) = 8 lie below the one at 12.
        assert_eq!(found.signal_delay_p95_ms, Some(18));
        assert_eq!(found.duration_s, 0.02);
    }

    #[test]
    fn of_packets_that_come_together_the_fastest_counts() {
        // At 5 two packets come that take 1 and 9.
        let text = "5 + 100\n5 + 100\n6 - 100 1\n14 - 100 9\n";
        let found = Graph::of(&Log::parse(text.as_bytes()).unwrap()).unwrap();
        assert_eq!(
            (found.delay_p95_ms, found.signal_delay_p95_ms),
            (Some(9), Some(1))
        );
        assert_eq!(found.utilisation, None);
    }

    #[test]
    fn any_numbers_are_summed() {
        let most = u64::MAX;
        let text = format!("1 # {most}\n1 d {most} 1\n2 # {most}\n2 d {most} 1\n");
        let found = Graph::of(&Log::parse(text.as_bytes()).unwrap()).unwrap();
        assert_eq!(found.capacity_bps, 2.0 * most as f64 * 8e3);
        assert_eq!((found.dropped, found.delay_p95_ms), (most, None));
    }

    #[test]
    fn what_has_no_rates_is_refused() {
        let why = |text: &str| {
            Graph::of(&Log::parse(text.as_bytes()).unwrap())
                .unwrap_err()
                .to_string()
        };
        assert!(why("# nothing\n").contains("nothing happened"));
        assert!(why("3 + 100\n3 # 1504\n").contains("one millisecond"));
        assert!(why("1 + 9\n9000000000 + 9\n").contains("the log lasts"));
        assert!(why("8999999999 + 9\n9000000000 - 9 9000000000\n").contains("line 2"));
        assert!(why("# one\n1 + 100\n4 - 100 5\n").contains("line 3"));
    }
}
