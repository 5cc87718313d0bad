//! Queues against theory. A host's port is the queue: the wire is the server, and a frame occupies
//! it for its own bytes and 20 more. The expected values come from `validation/queues.py`.

use std::sync::{Arc, Mutex};

use backwater_sim::cause::Cause;
use backwater_sim::ids::PortId;
use backwater_sim::limit::Limit;
use backwater_sim::medium::trace::{First, ServerSpec, TRACES};
use backwater_sim::network::{Discipline, Fabric};
use backwater_sim::queue::aqm::{Aqm, Frame, Verdict};
use backwater_sim::queue::{AnyAqm, AnyScheduler, QUEUES};
use backwater_sim::record::What;
use backwater_sim::source::AnySource;
use backwater_sim::spec::{Direction, Egress, Service, StampSpec};
use backwater_sim::stamp::STAMPS;
use backwater_sim::world::Report;
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, PS_PER_S, Rate, Span, Time};

use crate::aqm::queue;
use crate::net::*;
use crate::statistics;

const LINE: u64 = 100 * MBIT;
/// Service time: 1538 bytes.
const SERVICE: u64 = 1538 * 80_000;

/// Rate of 1500-byte packets that loads the line to this share, preamble and gap included.
fn load(rho: f64) -> (&'static str, Value) {
    let rate = rho * LINE as f64 * 1500.0 / 1538.0;
    ("rate", Value::Rate(Rate(rate.round() as u64)))
}

fn packet() -> (&'static str, Value) {
    ("packet", Value::Bytes(Bytes(1500)))
}

/// One host, one wire, these (class, source) flows; metrics begin after 2000 services.
fn line(seed: u64, services: u64, flows: &[(u8, AnySource)]) -> Net {
    let mut net = Net::new(0.0);
    net.0.duration = Span(services * SERVICE);
    net.0.warmup = Span(2_000 * SERVICE);
    net.0.seed = seed;
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, d, LINE);
    for (i, (class, source)) in flows.iter().enumerate() {
        net.flow(&format!("f{i}"), s, d, source.clone()).class = *class;
    }
    net
}

/// Mean wait of a flow, in services.
fn wait(report: &Report, flow: usize) -> f64 {
    let sums = &report.flows[flow].sums;
    sums.sum.queue as f64 / sums.delivered.packets as f64 / SERVICE as f64
}

/// Ten seeds agree with theory.
fn agrees(what: &str, expected: f64, width: f64, one: impl Fn(u64) -> f64) {
    let values: Vec<f64> = (1..=10).map(one).collect();
    statistics::agrees(what, &values, expected, width);
}

#[test]
fn mean_waits_are_those_of_m_d_1() {
    for (rho, expected, width) in [(0.5, 0.5, 0.02), (0.8, 2.0, 0.04), (0.9, 4.5, 0.08)] {
        agrees(&format!("M/D/1 {rho}"), expected, width, |seed| {
            let net = line(
                seed,
                202_000,
                &[(0, source("poisson", &[packet(), load(rho)]))],
            );
            wait(&net.run(), 0)
        });
    }
}

#[test]
fn waits_are_distributed_as_in_m_d_1() {
    let points: [(f64, &[(u64, f64)]); 2] = [
        (
            0.8,
            &[
                (0, 0.2),
                (1, 0.445108),
                (2, 0.634520),
                (5, 0.899503),
                (10, 0.988343),
            ],
        ),
        (0.9, &[(5, 0.668709), (10, 0.882403), (20, 0.985183)]),
    ];
    for (rho, table) in points {
        let shares: Vec<Vec<f64>> = (1..=10).map(|seed| shares(seed, rho, table)).collect();
        for (i, (t, expected)) in table.iter().enumerate() {
            agrees(
                &format!("M/D/1 {rho} P(W <= {t})"),
                *expected,
                0.05,
                |seed| shares[seed as usize - 1][i],
            );
        }
    }
}

/// Shares of packets that wait no longer than so many services.
fn shares(seed: u64, rho: f64, table: &[(u64, f64)]) -> Vec<f64> {
    let mut world = line(
        seed,
        62_000,
        &[(0, source("poisson", &[packet(), load(rho)]))],
    )
    .world();
    world.start_recording();
    let (mut seen, mut below) = (0u64, vec![0u64; table.len()]);
    while world.now() < world.end() {
        world.advance(world.now() + Span(2_000 * SERVICE));
        for record in world.take_records() {
            if record.what != What::Send || record.at.0 < 2_000 * SERVICE {
                continue;
            }
            seen += 1;
            for (count, (t, _)) in below.iter_mut().zip(table) {
                *count += u64::from(record.value <= t * SERVICE);
            }
        }
    }
    below.iter().map(|n| *n as f64 / seen as f64).collect()
}

/// The buffer is free a gap before the wire is, so these lie up to 0.4 % below the textbook's
/// M/D/1/K; `validation/queues.py` gives both.
#[test]
fn losses_are_those_of_m_d_1_k() {
    for (room, rho, expected, width) in [
        (10, 0.8, 0.003_626_840_9, 0.12),
        (10, 0.9, 0.016_600_876, 0.05),
        (10, 1.0, 0.050_807_144, 0.03),
        (10, 1.2, 0.170_898_01, 0.01),
        (50, 1.0, 0.010_031_874, 0.15),
    ] {
        agrees(&format!("M/D/1/{room} {rho}"), expected, width, |seed| {
            let mut net = line(
                seed,
                202_000,
                &[(0, source("poisson", &[packet(), load(rho)]))],
            );
            net.0.ports[0].buffer = Limit::Packets(room);
            let all = net.run().all;
            all.dropped.packets as f64 / all.entered.packets as f64
        });
    }
}

#[test]
fn mean_waits_of_batches_are_those_of_theory() {
    for (batch, expected, width) in [
        (4, 6.166_667, 0.04),
        (8, 12.833_333, 0.05),
        (32, 52.833_333, 0.07),
    ] {
        agrees(&format!("batches of {batch}"), expected, width, |seed| {
            let given = [packet(), ("batch", Value::Count(batch)), load(0.7)];
            let net = line(seed, 202_000, &[(0, source("batch-poisson", &given))]);
            wait(&net.run(), 0)
        });
    }
}

/// The next frame is chosen when the last bit has left, a gap before it starts: these differ by up to
/// 1.1 % from the textbook's M/D/1 with priorities; `validation/queues.py` gives both.
#[test]
fn waits_of_two_priorities_are_those_of_theory() {
    for (high, low, expected) in [
        (0.3, 0.5, [0.575_883_57, 2.854_469_9]),
        (0.2, 0.7, [0.568_641_94, 5.623_245_2]),
        (0.5, 0.4, [0.905_615_49, 8.992_980_6]),
    ] {
        let reports: Vec<Report> = (1..=10)
            .map(|seed| {
                let poisson = |rho| source("poisson", &[packet(), load(rho)]);
                let mut net = line(seed, 202_000, &[(1, poisson(high)), (0, poisson(low))]);
                net.classes(2);
                net.run()
            })
            .collect();
        for (flow, expected) in expected.into_iter().enumerate() {
            let name = format!("priority {high} {low} flow {flow}");
            agrees(
                &name,
                expected,
                [0.06, 0.015][usize::from(flow == 0)],
                |seed| wait(&reports[seed as usize - 1], flow),
            );
        }
    }
}

/// Little's law without statistics: the bytes a queue holds, summed over time, are those of its frames,
/// each for as long as it was there. The area ends with a frame's last bit, as the buffer does.
#[test]
fn bytes_held_over_time_are_those_of_the_frames_that_were_there() {
    for room in [3, 1_000] {
        let mut net = line(1, 20_000, &[(0, source("poisson", &[packet(), load(0.9)]))]);
        net.0.warmup = Span::ZERO;
        net.0.flows[0].stop = Span(18_000 * SERVICE);
        net.0.ports[0].buffer = Limit::Packets(room);
        let report = net.run();
        assert_eq!(report.held, 0);
        let sum = report.all.sum;
        assert!(sum.queue > 0);
        assert_eq!(report.ports[0].count.area, 1518 * (sum.queue + sum.serial));
        let most = report.ports[0].count.max_bytes;
        assert!(most <= room * 1518 && (room > 3 || most == 3 * 1518));
    }
}

fn scheduler(id: &str, given: &[(&'static str, Value)]) -> AnyScheduler {
    let part = QUEUES.iter().find(|p| p.id == id).expect("a queue");
    (part.build)(&args(part, given))
        .expect("legal options")
        .scheduler
}

/// Classes that always have frames share a line by their weights: WRR in frames, DRR in bytes,
/// whatever their sizes. What a class may be ahead is less than a round.
#[test]
fn backlogged_classes_share_a_line_by_their_weights() {
    let weights = [1, 2, 5];
    let sizes = [1500u64, 300, 46];
    for id in ["wrr", "drr"] {
        let mut net = Net::new(2.0);
        let (s, d) = (net.host("S"), net.host("D"));
        net.link(s, d, 10 * MBIT);
        let names = ["weight0", "weight1", "weight2"];
        let mut given = vec![("classes", Value::Count(3))];
        given.extend(
            names
                .iter()
                .zip(weights)
                .map(|(n, w)| (*n, Value::Count(w))),
        );
        net.0.ports[0].scheduler = scheduler(id, &given);
        net.0.ports[1].scheduler = scheduler(id, &given);
        for (class, size) in sizes.iter().enumerate() {
            // 3 MB each: more than the line takes in 2 s.
            let flow = net.flow(&format!("f{class}"), s, d, script([(0, 3_000_000)]));
            (flow.class, flow.packet) = (class as u8, Bytes(*size));
        }
        let report = net.run();
        let sent: Vec<u64> = report
            .flows
            .iter()
            .map(|f| f.sums.delivered.packets)
            .collect();
        let share: Vec<f64> = match id {
            "wrr" => (0..3).map(|c| sent[c] as f64 / weights[c] as f64).collect(),
            _ => (0..3)
                .map(|c| (sent[c] * (sizes[c] + 18)) as f64 / (weights[c] * 1518) as f64)
                .collect(),
        };
        assert!(share[0] > 100.0, "{id} {sent:?}");
        // Rounds completed: they differ by less than two, one for the round under way and one for
        // the deficit carried over.
        for s in &share[1..] {
            assert!((s - share[0]).abs() < 2.0, "{id} {share:?}");
        }
    }
}

/// A class that has nothing to send leaves its share to the others.
#[test]
fn schedulers_waste_nothing() {
    for id in ["wrr", "drr", "strict-priority", "fifo"] {
        let mut net = Net::new(1.0);
        let (s, d) = (net.host("S"), net.host("D"));
        net.link(s, d, 10 * MBIT);
        let given = match id {
            "fifo" => vec![],
            _ => vec![("classes", Value::Count(3))],
        };
        net.0
            .ports
            .iter_mut()
            .for_each(|p| p.scheduler = scheduler(id, &given));
        net.flow("f", s, d, script([(0, 3_000_000)])).class = 1;
        // 1538 bytes of 800 ns each: 812 frames have arrived after a second.
        assert_eq!(net.run().delivered, 812, "{id}");
    }
}

/// A line of 1 bit/s takes 12,304 s for a frame. Of 425 that come at once 351 have left after 50 days. 345 more come then, so that the
/// last leaves 109 days after the beginning, though fewer wait than at first. Frames leave in order, one after the other.
#[test]
fn a_queue_that_lasts_a_hundred_days_keeps_its_frames() {
    let (slot, day) = (1538 * 8 * PS_PER_S, 86_400 * PS_PER_S);
    let mut net = Net::new(0.0);
    net.0.duration = Span(53 * day);
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, d, 1);
    let demands = [(0, 425 * 1_500), (50 * day, 345 * 1_500)];
    net.flow("f", s, d, script(demands));
    let report = net.run();
    assert_eq!(report.entered, 425 + 345);
    let all = &report.all;
    let there = 53 * day / slot;
    assert_eq!(report.delivered, there);
    assert_eq!(report.held, 425 + 345 - there);
    let gap = 12 * 8 * PS_PER_S;
    assert_eq!(all.max, there * slot - gap + US);
}

/// Notes when it is told that its port had run empty.
#[derive(Clone, Debug)]
struct Empty(Arc<Mutex<Vec<u64>>>);

impl Aqm for Empty {
    fn emptied(&mut self, now: Time) {
        self.0.lock().expect("one thread").push(now.0);
    }
}

/// Three frames come at once, and one when they have left. The first and the last find the port with nothing to send. The second finds
/// a frame on the line and none that waits, and that is no empty port.
#[test]
fn queue_management_is_told_when_a_frame_finds_the_port_idle() {
    let mut net = Net::new(0.1);
    let (s, d) = (net.host("S"), net.host("D"));
    let port = net.link(s, d, LINE)[0];
    let log = Arc::new(Mutex::new(Vec::new()));
    let aqm = Empty(Arc::clone(&log));
    net.0.ports[port].aqm = Some(AnyAqm::Custom(Box::new(aqm)));
    let (first, last) = (MS, MS + 4 * SERVICE);
    net.flow("f", s, d, script([(first, 4_500), (last, 1_500)]));
    assert_eq!(net.run().delivered, 4);
    assert_eq!(*log.lock().expect("one thread"), [first, last]);
}

/// Loses so many of the first frames that come.
#[derive(Clone, Debug)]
pub struct LosesFirst(pub u32);

impl Aqm for LosesFirst {
    fn push(&mut self, _: &Frame, _: &mut Random) -> Verdict {
        match self.0.checked_sub(1) {
            Some(left) => {
                self.0 = left;
                Verdict::Drop
            }
            None => Verdict::Accept,
        }
    }
}

/// Puts a trace link of this rate in place of the direction of a link from its first end. It has opportunities for full frames, at whole
/// milliseconds.
pub fn trace(net: &mut Net, link: usize, rate: u64) {
    let constant = TRACES.iter().find(|row| row.id == "constant");
    let constant = constant.expect("a trace");
    let rate = [("rate", Value::Rate(Rate(rate)))];
    let server = ServerSpec {
        trace: (constant.build)(&args(constant, &rate)).expect("legal options"),
        opportunity: 1538,
        overhead: 38,
        first: First::Opportunity,
        whole: true,
        milliseconds: false,
        delay_behind: Span::ZERO,
    };
    net.0.links[link].directions[0] = Some(Box::new(Direction {
        name: String::new(),
        boxes: Vec::new(),
        service: Service::Trace(Box::new(server)),
    }));
}

/// A host always has a packet. Queue management loses the first five at an idle port, and each is followed by the next a frame's time
/// later; at a trace link, whose opportunities have no length, a millisecond later.
#[test]
fn a_packet_that_is_lost_at_an_idle_port_is_followed_a_frame_later() {
    for (traced, each) in [(false, SERVICE), (true, MS)] {
        let mut net = Net::new(0.02);
        let (s, d) = (net.host("S"), net.host("D"));
        let port = net.link(s, d, LINE)[0];
        if traced {
            trace(&mut net, 0, LINE);
        }
        net.0.ports[port].aqm = Some(AnyAqm::Custom(Box::new(LosesFirst(5))));
        net.flow("f", s, d, source("saturated", &[packet()]));
        let records = net.run_recorded().1;
        let lost = records.iter().filter(|r| r.what == What::Drop);
        let lost: Vec<u64> = lost.map(|r| r.at.0).collect();
        assert_eq!(lost, [0, 1, 2, 3, 4].map(|n| n * each), "{traced}");
    }
}

/// mahimahi's CoDel sends the frame that has waited for too long, and loses the one behind it at the same instant: when the line is free
/// for the first, a gap before it begins, or at the opportunity of a trace link.
#[test]
fn mahimahis_codel_loses_the_frame_behind_the_one_that_it_sends() {
    for (traced, gap) in [(false, 12 * 800_000), (true, 0)] {
        let mut net = Net::new(1.0);
        let (s, d) = (net.host("S"), net.host("D"));
        let port = net.link(s, d, 10 * MBIT)[0];
        if traced {
            trace(&mut net, 0, LINE);
        }
        let codel = queue("codel-mahimahi", &[]);
        (net.0.ports[port].scheduler, net.0.ports[port].aqm) = (codel.scheduler, codel.aqm);
        net.flow("f", s, d, script([(0, 4_500_000)]));
        let (report, records) = net.run_recorded();
        let lost: Vec<(u32, u64)> = records
            .iter()
            .filter(|r| r.what == What::Drop && r.value == Cause::Aqm as u64)
            .map(|r| (r.seq, r.at.0 + gap))
            .collect();
        assert!(lost.len() > 3 && lost.len() as u64 == report.dropped);
        let sent: Vec<(u32, u64)> = records
            .iter()
            .filter(|r| r.what == What::Send)
            .map(|r| (r.seq + 1, r.at.0))
            .collect();
        assert!(lost.iter().all(|one| sent.contains(one)), "{lost:?}");
    }
}

/// Puts RCP with these options at a port.
pub fn add_law(net: &mut Net, port: usize, given: &[(&'static str, Value)]) {
    let row = STAMPS.iter().find(|row| row.id == "rcp").expect("a law");
    net.0.stamps.push(StampSpec {
        name: net.0.ports[port].name.clone(),
        at: Egress::Port(port),
        law: (row.build)(&args(row, given)).expect("legal options"),
        also: Vec::new(),
    });
}

/// Three frames wait at a port with a law of explicit feedback, the first of them on the line. Nothing happens there until the run is
/// looked at: three packets on average, with no deviation.
#[test]
fn what_a_law_has_seen_last_counts_up_to_the_present() {
    let mut net = Net::new(0.1);
    let (s, d) = (net.host("S"), net.host("D"));
    let port = net.link(s, d, LINE)[0];
    add_law(&mut net, port, &[]);
    net.flow("f", s, d, script([(0, 4_500)]));
    let mut world = net.world();
    world.advance(Time(SERVICE / 2));
    let (mean, deviation) = world.report().stamps[0].queue.expect("time has passed");
    assert!((mean - 3.0).abs() < 1e-9 && deviation < 1e-6, "{mean}");
}

/// McKeown's iSLIP: an input that has taken a grant begins with the output behind it the next time. So an input with frames of one cell
/// for three outputs serves one after the other.
#[test]
fn an_input_serves_its_outputs_round_robin() {
    let stages = (0..3).map(PortId::new).collect();
    let slot = Span::micros(1);
    let mut fabric = Fabric::new(Discipline::VirtualOutputQueues, 10_000, 64, slot, stages);
    for _ in 0..2 {
        assert!((0..3).all(|output| fabric.admit(0, output, 64)));
    }
    let mut served = Vec::new();
    for slot in 0..6 {
        fabric.begin_slot(0b111, |_, _| 64);
        for (output, input) in fabric.end_slot() {
            served.push(output);
            fabric.release(input, output, 64, slot > 2);
        }
    }
    assert_eq!(served, [0, 1, 2, 0, 1, 2]);
}

/// The mean queue of a law of explicit feedback at a wire is that of its buffer, which has a frame until its last bit is sent. Four
/// frames at an idle line, looked at after six services: the k-th is there until the end of the k-th service but for the gap behind it.
/// The fourth may come half a service later.
#[test]
fn the_queue_of_a_law_is_what_the_buffer_holds() {
    const GAP: f64 = 12.0 / 1538.0;
    for (late, arrivals) in [
        (0.0, vec![(0, 6_000)]),
        (0.5, vec![(0, 4_500), (SERVICE / 2, 1_500)]),
    ] {
        let mut net = Net::new(0.1);
        let (s, d) = (net.host("S"), net.host("D"));
        let port = net.link(s, d, LINE)[0];
        add_law(&mut net, port, &[]);
        net.flow("f", s, d, script(arrivals));
        let mut world = net.world();
        world.advance(Time(6 * SERVICE));
        let (mean, _) = world.report().stamps[0].queue.expect("time has passed");
        let expected = (10.0 - 4.0 * GAP - late) / 6.0;
        assert!((mean - expected).abs() < 1e-6, "{mean} {expected}");
    }
}
