//! What a run does over time: sums over intervals of equal length, from the events of a recorded run.
//!
//! Ports: `capacity_bps`, what a trace's opportunities carry, by the link's account; `throughput_bps`, what
//! left, by the same account, or frames on a wire; `queue_max_B`, the most bytes held. Flows:
//! `goodput_bps`, IP bytes delivered; `delay_mean_s` of what was delivered; `window_B` and `srtt_s` of a
//! sender, as they stand at the end of the interval. What has no value is null.

use std::collections::BTreeMap;

use backwater_sim::medium::ethernet;
use backwater_sim::network::{Flow, Part, Port};
use backwater_sim::record::{Record, What};
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use serde_json::{Map, Value, json};

use crate::diagnostic::{Diagnostic, Fault, Origin};
use crate::resolved::Resolved;
use crate::units;

/// Whose each series is, and its name.
pub static SERIES: [(&str, &str); 7] = [
    ("port", "capacity_bps"),
    ("port", "throughput_bps"),
    ("port", "queue_max_B"),
    ("flow", "goodput_bps"),
    ("flow", "delay_mean_s"),
    ("flow", "window_B"),
    ("flow", "srtt_s"),
];

/// More intervals would be no picture.
const MOST: u64 = 100_000;

/// The length of the intervals of a run, as a person writes it.
///
/// # Errors
/// No time, none at all, or one that makes too many intervals.
pub fn interval(resolved: &Resolved, written: &str) -> Result<Span, Diagnostic> {
    let refuse = |fault: Fault| fault.at(&Origin::Set("series".into()));
    let every = units::span(written).map_err(refuse)?;
    let length = resolved.spec().duration;
    if every.0 == 0 || length.0.div_ceil(every.0) > MOST {
        let what = format!(
            "intervals of {written} divide a run of {} s",
            length.seconds()
        );
        let fix = format!("write a time that makes 1 to {MOST} intervals");
        return Err(refuse(Fault::new(what, fix)));
    }
    Ok(every)
}

/// Sums of a run over intervals.
pub struct Series {
    every: Span,
    intervals: usize,
    ports: BTreeMap<Id<Port>, OfPort>,
    flows: BTreeMap<Id<Flow>, OfFlow>,
}

struct OfPort {
    sent_bits: Vec<u64>,
    queue_max: Vec<u64>,
    /// Bytes held by each class queue, and the interval up to which the maximum is known.
    held: [u64; 8],
    known: usize,
}

struct OfFlow {
    bits: Vec<u64>,
    packets: Vec<u64>,
    delay_s: Vec<f64>,
    window: Vec<Option<f64>>,
    srtt: Vec<Option<f64>>,
}

impl Series {
    /// Of a run of this length; the last interval may be shorter.
    pub fn new(every: Span, length: Span) -> Series {
        Series {
            every,
            intervals: length.0.div_ceil(every.0) as usize,
            ports: BTreeMap::new(),
            flows: BTreeMap::new(),
        }
    }

    /// Adds events, in order of time.
    pub fn extend(&mut self, world: &World, records: &[Record]) {
        for record in records {
            // What begins at the very end belongs to the last interval.
            let at = ((record.at.0 / self.every.0) as usize).min(self.intervals - 1);
            match record.what {
                What::Enqueue | What::Send => self.at_port(world, record, at),
                What::Deliver | What::Window | What::Srtt => self.of_flow(world, record, at),
                _ => {}
            }
        }
    }

    fn at_port(&mut self, world: &World, record: &Record, at: usize) {
        let n = self.intervals;
        let port = &world.ports[record.port];
        let of = self
            .ports
            .entry(record.port)
            .or_insert_with(|| OfPort::new(n));
        // A port with one queue holds all classes in it.
        let q = if port.queues().len() == 1 {
            0
        } else {
            record.traffic.class() as usize
        };
        let frame = ethernet::frame(u64::from(record.len));
        of.go_on(at);
        match record.what {
            What::Enqueue => of.held[q] = record.value,
            _ => {
                let server = port.more.server.as_ref();
                of.sent_bits[at] += 8 * server.map_or(frame, |s| s.size(record.len));
                of.held[q] = of.held[q].saturating_sub(frame);
            }
        }
        of.queue_max[at] = of.queue_max[at].max(of.held.iter().sum());
    }

    fn of_flow(&mut self, world: &World, record: &Record, at: usize) {
        if record.flow.is_none() || matches!(world.flows[record.flow].part, Part::Acks(_)) {
            return;
        }
        let n = self.intervals;
        let of = self
            .flows
            .entry(record.flow)
            .or_insert_with(|| OfFlow::new(n));
        match record.what {
            What::Deliver => {
                of.bits[at] += 8 * u64::from(record.len);
                of.packets[at] += 1;
                of.delay_s[at] += record.value as f64 / 1e12;
            }
            What::Window => of.window[at] = Some(record.value as f64),
            _ => of.srtt[at] = Some(record.value as f64 / 1e12),
        }
    }

    /// As the document's `series`.
    pub fn document(mut self, world: &World) -> Value {
        let end = world.end();
        let widths: Vec<f64> = (0..self.intervals as u64)
            .map(|i| {
                let until = Time((i + 1) * self.every.0).min(end);
                until.since(Time(i * self.every.0)).seconds()
            })
            .collect();
        let rates = |bits: &[u64]| -> Value {
            let each = bits.iter().zip(&widths);
            each.map(|(bits, width)| *bits as f64 / width).collect()
        };
        let (mut ports, mut flows) = (Map::new(), Map::new());
        for (id, of) in &mut self.ports {
            of.go_on(self.intervals - 1);
            let port = &world.ports[*id];
            let capacity = port.more.server.as_ref().map(|server| {
                let mut bits = vec![0; self.intervals];
                for at in server.opportunities(end) {
                    let at = ((at.0 / self.every.0) as usize).min(self.intervals - 1);
                    bits[at] += 8 * server.spec.opportunity;
                }
                rates(&bits)
            });
            let one = json!({
                "capacity_bps": capacity,
                "throughput_bps": rates(&of.sent_bits),
                "queue_max_B": of.queue_max,
            });
            ports.insert(port.more.name.clone(), one);
        }
        for (id, of) in &self.flows {
            let delays = of.delay_s.iter().zip(&of.packets);
            let delays = delays.map(|(sum, n)| (*n > 0).then(|| sum / *n as f64));
            let one = json!({
                "goodput_bps": rates(&of.bits),
                "delay_mean_s": delays.collect::<Vec<_>>(),
                "window_B": held(&of.window),
                "srtt_s": held(&of.srtt),
            });
            flows.insert(world.flows[*id].name.clone(), one);
        }
        json!({"every_s": self.every.seconds(), "ports": ports, "flows": flows})
    }
}

/// The last value known at each place.
fn held(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let mut last = None;
    let each = values.iter().map(|value| {
        last = value.or(last);
        last
    });
    each.collect()
}

impl OfPort {
    fn new(intervals: usize) -> OfPort {
        OfPort {
            sent_bits: vec![0; intervals],
            queue_max: vec![0; intervals],
            held: [0; 8],
            known: 0,
        }
    }

    /// What is held stays so up to the beginning of interval `at`.
    fn go_on(&mut self, at: usize) {
        let held = self.held.iter().sum();
        for later in self.known + 1..=at {
            self.queue_max[later] = held;
        }
        self.known = self.known.max(at);
    }
}

impl OfFlow {
    fn new(intervals: usize) -> OfFlow {
        OfFlow {
            bits: vec![0; intervals],
            packets: vec![0; intervals],
            delay_s: vec![0.0; intervals],
            window: vec![None; intervals],
            srtt: vec![None; intervals],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Keep, Run};
    use crate::{Folders, Scenario};

    /// A window of two packets over 12 Mbit/s for a second, then 1.2, on cellsim's terms: 1514-byte packets
    /// against opportunities of 1500.
    const SCENARIO: &str = r#"
        schema = "backwater/scenario/1"
        duration = "2.5 s"
        nodes = { S = { kind = "host" }, R = { kind = "host" } }
        links.down = { from = "S", to = "R", kind = "trace", emulator = "cellsim-2013", delay = "20 ms", trace = { kind = "periodic", high = "12 Mbit/s", low = "1.2 Mbit/s", period = "2 s" } }
        links.up = { from = "R", to = "S", kind = "trace", emulator = "cellsim-2013", delay = "20 ms", trace = { kind = "constant", rate = "12 Mbit/s" } }
        flows.f = { from = "S", to = "R", transport = "datagram", frame = "1514 B", controller = { kind = "fixed", window = "2 packets" }, source = { kind = "bulk" } }
    "#;

    #[test]
    fn sums_over_intervals_are_those_of_the_run() {
        let scenario = Scenario::from_toml(SCENARIO, "x.toml", Folders::default()).unwrap();
        let resolved = scenario.resolve(None).unwrap();
        let keep = Keep {
            series: Some(Span::secs(1)),
            ..Keep::default()
        };
        let mut run = Run::new(&resolved, keep).unwrap();
        while !run.step().unwrap() {}
        let (document, ..) = run.finish().unwrap();
        let series = &document["series"];
        assert_eq!(series["every_s"], 1.0);
        let port = &series["ports"]["S>R"];
        // The opportunity at 1 s is the second interval's: 999, then that one and 99 each 10 ms apart.
        assert_eq!(port["capacity_bps"][0], 11_988_000.0);
        assert_eq!(port["capacity_bps"][1], 1_200_000.0);
        let values = |of: &Value| -> Vec<f64> {
            of.as_array()
                .unwrap()
                .iter()
                .map(|v| v.as_f64().unwrap())
                .collect()
        };
        let widths = [1.0, 1.0, 0.5];
        let bits: f64 = values(&port["throughput_bps"])
            .iter()
            .zip(widths)
            .map(|(r, w)| r * w)
            .sum();
        let sent = document["ports"][0]["sent_pkts"].as_f64().unwrap();
        assert_eq!(document["ports"][0]["id"], "S>R");
        assert_eq!(bits, sent * 1514.0 * 8.0);
        let flow = &series["flows"]["f"];
        let bits: f64 = values(&flow["goodput_bps"])
            .iter()
            .zip(widths)
            .map(|(r, w)| r * w)
            .sum();
        let delivered = document["flows"][0]["delivered_pkts"].as_f64().unwrap();
        assert_eq!(bits, delivered * 1500.0 * 8.0);
        // The window counts what is behind all headers, 76 bytes of each packet; two frames of 1518 at most wait.
        let mss = 1500.0 - 76.0;
        assert_eq!(values(&flow["window_B"]), [2.0 * mss; 3]);
        let queue = values(&port["queue_max_B"]);
        assert!(
            queue.iter().all(|held| *held <= 2.0 * 1518.0) && queue[1] == 2.0 * 1518.0,
            "{queue:?}"
        );
        // Two packets take 40 ms and a few of service at 12 Mbit/s, tens more at a tenth of it.
        let srtt = values(&flow["srtt_s"]);
        assert!(
            srtt[0] > 0.04 && srtt[0] < 0.05 && srtt[1] > srtt[0] + 0.005,
            "{srtt:?}"
        );
        for (written, what) in [("0 s", "divide"), ("1 us", "divide"), ("often", "not")] {
            let found = interval(&resolved, written).unwrap_err();
            assert!(found.what.contains(what), "{found}");
        }
        for (scope, name) in SERIES {
            let place = if scope == "port" { "S>R" } else { "f" };
            assert_eq!(
                series[format!("{scope}s")][place][name]
                    .as_array()
                    .unwrap()
                    .len(),
                3
            );
        }
        assert_eq!(
            port.as_object().unwrap().len() + flow.as_object().unwrap().len(),
            SERIES.len()
        );
        // A run that nobody looks at is the same.
        let mut plain = Run::new(&resolved, Keep::default()).unwrap();
        while !plain.step().unwrap() {}
        let (plain, ..) = plain.finish().unwrap();
        assert_eq!(plain["fingerprint"], document["fingerprint"]);
        assert!(plain.get("series").is_none());
    }
}
