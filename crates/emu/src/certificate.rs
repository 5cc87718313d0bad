//! How well an emulation kept time, and every packet that it lost without the model's will.

use backwater_transport::units::Span;
use hdrhistogram::Histogram;
use serde_json::{Value, json};

use crate::device::QUEUE;

/// The bounds that a live result must keep. Outside them its exit code says so.
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

/// The measurements by which a live run judges itself.
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
    /// Writes to devices: a super-packet is one.
    pub writes: u64,
    /// Packets that the model lost.
    pub modelled: u64,
    /// Packets that a device did not take, or that are longer than the frames on their way.
    pub refused: u64,
    /// Packets that are no IP, or whose address no node has: nobody would receive them.
    pub foreign: u64,
    /// Packets that devices dropped before they were read.
    pub dropped: u64,
    /// The longest time for which a packet may have lain in its device unread, nanoseconds.
    pub unread_ns: u64,
    /// The emulator had real-time priority.
    pub real_time: bool,
}

impl Default for Certificate {
    fn default() -> Certificate {
        Certificate {
            lateness: Histogram::new_with_max(3_600_000_000_000, 3).expect("legal bounds"),
            taken: 0,
            supers: 0,
            given: 0,
            writes: 0,
            modelled: 0,
            refused: 0,
            foreign: 0,
            dropped: 0,
            unread_ns: 0,
            real_time: false,
        }
    }
}

impl Certificate {
    /// A packet left so many nanoseconds after its instant.
    pub fn left(&mut self, late_ns: u64) {
        self.lateness.saturating_record(late_ns);
        self.given += 1;
    }

    /// A packet may have lain in its device for so long before it was read.
    pub fn read(&mut self, waited: Span) {
        self.unread_ns = self.unread_ns.max(waited.0 / 1000);
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
                "{lost} of {all} packets were lost although the model did not lose them: {}",
                self.losses()
            ));
        }
        broken
    }

    /// The reason why packets were lost that the model did not lose, and the remedy.
    fn losses(&self) -> String {
        let mut found = Vec::new();
        if self.dropped > 0 {
            let help = match self.real_time {
                false => "as root it has real-time priority, which other programs don't interrupt",
                true => "keep other programs off one CPU, by taskset or isolcpus, or send fewer",
            };
            found.push(format!(
                "{} in devices, which hold {QUEUE} packets and were not read for up to {:.1} ms ({help})",
                self.dropped,
                self.unread_ns as f64 / 1e6
            ));
        }
        if self.refused > 0 {
            let why = "which a device did not take, or which were longer than a link carries";
            found.push(format!("{} {why}", self.refused));
        }
        found.join(", and ")
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
            "writes": self.writes,
            "modelled_loss_pkts": self.modelled,
            "device_drops_pkts": self.dropped,
            "refused_pkts": self.refused,
            "foreign_pkts": self.foreign,
            "real_time": self.real_time,
            "unread_max_s": self.unread_ns as f64 / 1e9,
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
        certificate.unread_ns = 40_200_000;
        let broken = certificate.broken(&bounds);
        assert!(broken[1].starts_with("1 of 101 packets"), "{broken:?}");
        assert!(broken[1].contains("1 in devices"), "{broken:?}");
        assert!(broken[1].contains("not read for up to 40.2 ms (as root"));
        certificate.real_time = true;
        assert!(certificate.broken(&bounds)[1].contains("taskset"));
        (certificate.dropped, certificate.refused) = (0, 2);
        assert!(
            certificate.broken(&bounds)[1].ends_with(
                "2 which a device did not take, or which were longer than a link carries"
            )
        );
        assert_eq!(certificate.document(&bounds)["valid"], false);
    }
}
