//! How well an emulation kept time, and every packet that it lost without the model's will.

use hdrhistogram::Histogram;
use serde_json::{Value, json};

/// What a live result must hold, else its exit code says so.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Most lateness of the 99th percentile of departures, seconds.
    pub late_p99_s: f64,
    /// Most share of packets that were lost although the model did not lose them.
    pub unmodelled_loss: f64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            late_p99_s: 0.001,
            unmodelled_loss: 0.0,
        }
    }
}

/// What a live run says of itself.
#[derive(Debug)]
pub struct Certificate {
    /// Nanoseconds from the instant at which a packet should have left to the end of its write.
    lateness: Histogram<u64>,
    /// Packets that came in from devices.
    pub taken: u64,
    /// Super-packets among them, of which each segment counts as a packet everywhere else.
    pub supers: u64,
    /// Packets written to devices.
    pub given: u64,
    /// Packets that the model lost.
    pub modelled: u64,
    /// Packets that a device did not take, or that are longer than the frames on their way.
    pub refused: u64,
    /// Packets that are no IP, or whose address no node has: nobody would receive them.
    pub foreign: u64,
    /// Packets that devices dropped before they were read.
    pub dropped: u64,
}

impl Default for Certificate {
    fn default() -> Certificate {
        Certificate {
            lateness: Histogram::new_with_max(3_600_000_000_000, 3).expect("legal bounds"),
            taken: 0,
            supers: 0,
            given: 0,
            modelled: 0,
            refused: 0,
            foreign: 0,
            dropped: 0,
        }
    }
}

impl Certificate {
    /// A packet left so many nanoseconds after its instant.
    pub fn left(&mut self, late_ns: u64) {
        self.lateness.saturating_record(late_ns);
        self.given += 1;
    }

    /// Packets that were lost although the model did not lose them.
    pub fn unmodelled(&self) -> u64 {
        self.refused + self.dropped
    }

    fn quantile(&self, q: f64) -> Option<f64> {
        (self.given > 0).then(|| self.lateness.value_at_quantile(q) as f64 / 1e9)
    }

    /// Each bound that does not hold.
    pub fn broken(&self, bounds: &Bounds) -> Vec<String> {
        let mut broken = Vec::new();
        let p99 = self.quantile(0.99).unwrap_or(0.0);
        if p99 > bounds.late_p99_s {
            broken.push(format!(
                "1 % of packets left {p99} s late or more; the bound is {} s",
                bounds.late_p99_s
            ));
        }
        let (lost, all) = (self.unmodelled(), self.taken + self.dropped);
        if lost as f64 > bounds.unmodelled_loss * all as f64 {
            broken.push(format!(
                "{lost} of {all} packets were lost although the model did not lose them"
            ));
        }
        broken
    }

    /// As a document.
    pub fn document(&self, bounds: &Bounds) -> Value {
        let broken = self.broken(bounds);
        let classes: Vec<Value> = self
            .lateness
            .iter_log(1000, 2.0)
            .map(|step| {
                json!({"up_to_s": step.value_iterated_to() as f64 / 1e9, "pkts": step.count_since_last_iteration()})
            })
            .collect();
        json!({
            "valid": broken.is_empty(),
            "broken": broken,
            "bounds": {"late_p99_s": bounds.late_p99_s, "unmodelled_loss": bounds.unmodelled_loss},
            "taken_pkts": self.taken,
            "super_pkts": self.supers,
            "given_pkts": self.given,
            "modelled_loss_pkts": self.modelled,
            "device_drops_pkts": self.dropped,
            "refused_pkts": self.refused,
            "foreign_pkts": self.foreign,
            "late_p50_s": self.quantile(0.5),
            "late_p95_s": self.quantile(0.95),
            "late_p99_s": self.quantile(0.99),
            "late_max_s": self.quantile(1.0),
            "lateness": classes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_names_each_bound_that_does_not_hold() {
        let bounds = Bounds::default();
        let mut certificate = Certificate {
            taken: 100,
            ..Certificate::default()
        };
        for late in 0..100 {
            certificate.left(late * 1000);
        }
        assert!(certificate.broken(&bounds).is_empty());
        for _ in 0..2 {
            certificate.left(2_000_000);
        }
        assert!(certificate.broken(&bounds)[0].contains("late"));
        certificate.dropped = 1;
        let broken = certificate.broken(&bounds);
        assert!(broken[1].starts_with("1 of 101 packets"), "{broken:?}");
        assert_eq!(certificate.document(&bounds)["valid"], false);
    }
}
