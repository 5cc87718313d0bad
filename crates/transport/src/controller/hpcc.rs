//! HPCC: a window that follows the busiest link's measured load.
//!
//! Detects: the load U of the busiest hop, from two telemetry records of each: bytes sent over time and rate, and the smaller of
//! the two backlogs over the bandwidth-delay product. U is smoothed over a base round trip. Responds: W = W_c / (U/η) + W_AI
//! where U is η or more, or after `stages` additive steps, else W = W_c + W_AI; W_c moves once in a round trip. Paces at W/T.
//!
//! Reference: Li et al., HPCC, SIGCOMM 2019, algorithm 1, and its public simulator. The 5 stages of the paper are a misprint, by
//! its authors' page; its simulations used 0. The state is the rate, within a least one and the line's, and the window is in
//! proportion. The first record is only stored, and U begins at 1. Records are exact, or quantised as in that simulator: the law at the
//! ports says which. Difference: a window counts payload.

use crate::building_blocks::rdma::{
    FIRST_RATE, LEAST, PacedWindow, base_rtt, check_queue_pair, rate, records, with_records,
};
use crate::congestion_header::Layout;
use crate::controller_interface::{
    Ack, BuildOf, Congestion, Controller, Departure, Inspect, Limits, Reduction, Sent,
};
use crate::part::{Default, Kind, Opt, Part};
use crate::telemetry::Records;

/// The options and the state.
#[derive(Clone, Debug)]
pub struct Hpcc {
    window: PacedWindow,
    eta: f64,
    stages: u32,
    additive: f64,
    /// The window that the one in force is reckoned from.
    reference: f64,
    stage: u32,
    /// Smoothed load.
    load: f64,
    records: Option<Records>,
    /// The next transmission's number.
    next: u64,
    /// The reference moves again with the acknowledgement of this transmission.
    update: u64,
}

impl Hpcc {
    /// Takes the load of the busiest hop between two records into the smoothed one.
    fn measure(&mut self, before: &Records, records: &Records) {
        let (mut busiest, mut over) = (0.0, 0.0);
        for hop in records.since(before) {
            let sent = hop.sent as f64 / hop.over;
            let waits = hop.now.min(hop.before) as f64;
            let load =
                sent / hop.rate + waits * (self.window.line / hop.rate) / self.window.product();
            if load > busiest {
                (busiest, over) = (load, hop.over);
            }
        }
        self.load = self.window.smoothed(self.load, busiest, over);
    }

    /// The window that follows from the load, and the stage.
    fn react(&self) -> (f64, u32) {
        match self.load >= self.eta || self.stage >= self.stages {
            true => (self.reference / (self.load / self.eta) + self.additive, 0),
            false => (self.reference + self.additive, self.stage + 1),
        }
    }
}

impl Controller for Hpcc {
    fn on_ack(&mut self, ack: &Ack) {
        let Some(records) = records(ack) else {
            return;
        };
        let Some(before) = self.records.replace(*records) else {
            self.update = self.next;
            return;
        };
        self.measure(&before, records);
        let (window, stage) = self.react();
        self.window.set(window);
        if ack.number >= self.update {
            (self.reference, self.stage) = (self.window.bytes, stage);
            self.update = self.next;
        }
    }

    fn on_congestion(&mut self, _congestion: &Congestion) {}

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.next = sent.number + 1;
        with_records()
    }

    fn congestion_header(&self) -> Option<Layout> {
        Some(Layout::Telemetry)
    }

    fn reduction(&self) -> Reduction {
        Reduction::Direct
    }

    fn limits(&self) -> Limits {
        self.window.limits()
    }

    fn inspect(&self) -> Inspect {
        Inspect {
            state: if self.load >= self.eta {
                "above"
            } else {
                "below"
            },
            values: Inspect::values([("load", self.load), ("stage", f64::from(self.stage))]),
            ..Inspect::default()
        }
    }
}

/// The row.
pub const PART: Part<BuildOf<Hpcc>> = Part {
    id: "hpcc",
    aliases: &[],
    summary: "a window that follows the load of the busiest link, by in-band telemetry",
    source: "Li et al., SIGCOMM 2019",
    options: &[
        rate(FIRST_RATE),
        base_rtt(
            Default::Is("13 us"),
            "base round trip T: propagation both ways and one serialisation at each hop, the largest of the network",
        ),
        Opt::new(
            "eta",
            Kind::Share,
            Default::Is("95 %"),
            "load that it aims at",
        )
        .at_least("10 %")
        .at_most("100 %"),
        Opt::new(
            "stages",
            Kind::Count,
            Default::Is("0"),
            "additive steps before the window follows the load again although that is low",
        )
        .at_most("100"),
        Opt::new(
            "additive",
            Kind::Bytes,
            Default::Is("80 B"),
            "W_AI, in each round trip",
        )
        .at_least("1 B")
        .at_most("1 MB"),
        LEAST,
    ],
    build: |args, setup| {
        let why =
            "HPCC is for queue pairs: a record of each hop finds no room in the options of TCP";
        check_queue_pair(setup, "rate", why)?;
        let window = PacedWindow::new(args, setup);
        Ok(Hpcc {
            reference: window.bytes,
            window,
            eta: args.share("eta"),
            stages: args.count("stages") as u32,
            additive: args.bytes("additive").0 as f64,
            stage: 0,
            load: 1.0,
            records: None,
            next: 0,
            update: 0,
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::{Hop, Record, Word};
    use crate::units::Time;

    /// 12.5 GB/s, T = 13 us: a product of 162,500 B.
    const LINE: f64 = 12.5e9;
    const BASE: f64 = 13e-6;
    const PRODUCT: u64 = 162_500;

    fn at(stages: u32, load: f64) -> Hpcc {
        Hpcc {
            window: PacedWindow {
                line: LINE,
                base: BASE,
                least: 1.0,
                bytes: PRODUCT as f64,
                mss: 1_000,
            },
            eta: 0.95,
            stages,
            additive: 80.0,
            reference: PRODUCT as f64,
            stage: 0,
            load,
            records: None,
            next: 0,
            update: 0,
        }
    }

    /// Records of hops (rate, bytes sent in T, backlog before, backlog now).
    fn records(hops: &[(f64, u64, u64, u64)], write: fn(Hop) -> Record) -> [Records; 2] {
        let mut pair = [Records::default(); 2];
        for (rate, sent, old, new) in hops {
            for (number, (sent, queue)) in [(0, *old), (*sent, *new)].into_iter().enumerate() {
                pair[number].record(write(Hop {
                    rate: *rate,
                    sent,
                    queue,
                    at: Time(number as u64 * 13_000_000),
                }));
            }
        }
        pair
    }

    fn window(mut hpcc: Hpcc, hops: &[(f64, u64, u64, u64)]) -> f64 {
        let [before, now] = records(hops, Record::Exact);
        hpcc.measure(&before, &now);
        hpcc.react().0
    }

    /// Units for lines of 100 Gbit/s: 512 B sent, 320 B that wait.
    fn quantised(hop: Hop) -> Record {
        Record::Quantised(Word::of(&hop, 4).expect("100 or 200 Gbit/s"))
    }

    /// The line is full without a queue: 162,500 · .95 + 80 = 154,455. With a product in the queue twice it is half; one
    /// sample of a queue counts nothing. Half a load adds W_AI, and after five stages follows the load: 162,500 · .95 / .5 + 80.
    #[test]
    fn a_window_follows_the_load_of_the_busiest_hop() {
        let full = [(LINE, PRODUCT, 0, 0)];
        assert!((window(at(5, 1.0), &full) - 154_455.0).abs() < 1e-6);
        let twice = [(LINE, PRODUCT, PRODUCT, PRODUCT)];
        assert!((window(at(5, 1.0), &twice) - 77_267.5).abs() < 1e-6);
        let once = [(LINE, PRODUCT, 0, PRODUCT)];
        assert!((window(at(5, 1.0), &once) - 154_455.0).abs() < 1e-6);
        let half = [(LINE, PRODUCT / 2, 0, 0)];
        assert!((window(at(5, 0.5), &half) - 162_580.0).abs() < 1e-6);
        let mut late = at(5, 0.5);
        late.stage = 5;
        assert!((window(late, &half) - 308_830.0).abs() < 1e-6);
    }

    /// Two hops: .9 of the line, and on a line of twice the rate half of it with a product waiting: .5 / 2 + .5 = .75.
    #[test]
    fn of_two_hops_the_busier_counts() {
        let hops = [
            (LINE, PRODUCT * 9 / 10, 0, 0),
            (2.0 * LINE, PRODUCT / 2, PRODUCT, PRODUCT),
        ];
        let mut hpcc = at(5, 0.9);
        let [before, now] = records(&hops, Record::Exact);
        hpcc.measure(&before, &now);
        assert!((hpcc.load - 0.9).abs() < 1e-12);
        assert!((hpcc.react().0 - 162_580.0).abs() < 1e-6);
    }

    /// The same from quantised records: the load is at most a unit of bytes sent and one of backlog too low, and not too high, since all
    /// figures began at 0. So W lies above that of exact records, by the same share.
    #[test]
    fn quantised_records_move_the_window_by_no_more_than_their_units() {
        let unit = (512.0 + 320.0) / PRODUCT as f64;
        for hops in [
            [(LINE, PRODUCT, 0, 0)],
            [(LINE, PRODUCT, PRODUCT, PRODUCT)],
            [(LINE, PRODUCT, 0, PRODUCT)],
            [(LINE, PRODUCT * 3 / 2, 0, 0)],
        ] {
            let exact = window(at(0, 1.0), &hops);
            let mut hpcc = at(0, 1.0);
            let [before, now] = records(&hops, quantised);
            hpcc.measure(&before, &now);
            let rough = hpcc.react().0;
            let share = (rough - 80.0) / (exact - 80.0) - 1.0;
            assert!((0.0..1.1 * unit).contains(&share), "{share} {unit}");
        }
    }
}
