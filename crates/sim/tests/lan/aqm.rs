//! Active queue management at a port: what each algorithm is for, beside the plain queue that does
//! without, and against closed forms.

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::queue::{Aqm, QUEUES, Queue};
use backwater_sim::record::{Record, What};
use backwater_sim::targets::Destination;
use backwater_sim::world::{Report, World};
use backwater_transport::part::Value;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::net::*;

/// Ticks to send a full frame with its gap at 10 Mbit/s.
const SERVICE: u64 = 1538 * 800_000;

pub fn queue(id: &str, given: &[(&'static str, Value)]) -> Queue {
    let part = QUEUES.iter().find(|p| p.id == id).expect("a queue");
    (part.build)(&args(part, given)).expect("legal options")
}

/// Senders at 100 Mbit/s, one switch, one sink at 10 Mbit/s behind this queue, which holds 500 kB.
fn bottleneck(seconds: f64, senders: usize, queue: &Queue) -> (Net, Vec<usize>, usize, usize) {
    let mut net = Net::new(seconds);
    let (w, d) = (net.switch("W"), net.host("D"));
    let hosts: Vec<usize> = (0..senders).map(|i| net.host(&format!("S{i}"))).collect();
    for host in &hosts {
        net.link(*host, w, 100 * MBIT);
    }
    let port = net.link(w, d, 10 * MBIT)[0];
    let spec = &mut net.0.ports[port];
    (spec.scheduler, spec.aqm) = (queue.scheduler.clone(), queue.aqm.clone());
    (net, hosts, d, port)
}

/// One constant flow into the bottleneck, after a warm-up of half the run.
fn overload(seconds: f64, rate: u64, ecn: Ecn, queue: &Queue) -> Report {
    let (mut net, hosts, d, _) = bottleneck(seconds, 1, queue);
    net.0.warmup = Span::from_seconds(seconds / 2.0);
    net.flow("f", hosts[0], d, cbr(rate)).ecn = ecn;
    net.run()
}

fn mean_wait(report: &Report) -> f64 {
    report.all.sum.queue as f64 / report.all.delivered.packets as f64 / 1e12
}

fn lost_to(report: &Report, cause: Cause) -> u64 {
    let mine = report.drops.iter().filter(|d| d.key.0 == cause);
    mine.map(|d| d.count.packets).sum()
}

fn at(records: &[Record], what: What, port: usize) -> Vec<u64> {
    let mine = records
        .iter()
        .filter(|r| r.what == what && r.port.index() == port);
    mine.map(|r| r.at.0).collect()
}

/// A constant load of 2.5 % and of 12.8 % too much fills the plain queue for good (0.4 s). CoDel's
/// rate of drops grows until it meets the excess, the sooner the smaller it is.
#[test]
fn codel_holds_the_delay_near_its_target() {
    for (rate, most) in [(10 * MBIT, 0.010), (11 * MBIT, 0.040)] {
        let without = overload(40.0, rate, Ecn::NotEct, &queue("fifo", &[]));
        let with = overload(40.0, rate, Ecn::NotEct, &queue("codel", &[]));
        assert!(mean_wait(&without) > 0.35, "{}", mean_wait(&without));
        assert_eq!(lost_to(&without, Cause::Aqm), 0);
        assert!(mean_wait(&with) < most, "{}", mean_wait(&with));
        assert_eq!(lost_to(&with, Cause::BufferFull), 0);
        assert!(lost_to(&with, Cause::Aqm) > 0);
        // The line stays busy.
        let busy = with.all.delivered.packets as f64 / 20.0 * SERVICE as f64 / 1e12;
        assert!(busy > 0.97, "{busy}");
    }
}

/// Drops, or marks of packets that take them, come when 100 ms ÷ √k have passed since the one
/// before, at the next departure.
#[test]
fn codel_drops_and_marks_by_its_schedule() {
    for (ecn, what) in [(Ecn::NotEct, What::Drop), (Ecn::Ect0, What::Mark)] {
        let (mut net, hosts, d, port) = bottleneck(1.5, 1, &queue("codel", &[]));
        net.0.ports[port].buffer = Limit::Unlimited;
        net.flow("f", hosts[0], d, cbr(20 * MBIT)).ecn = ecn;
        let (_, records) = net.run_recorded();
        let told = at(&records, what, port);
        let mut due = told[0] as f64;
        for (k, told) in told.iter().enumerate().take(20) {
            let late = *told as f64 - due;
            assert!((-1.0..=SERVICE as f64).contains(&late), "{k}: {late}");
            due += 1e11 / ((k + 1) as f64).sqrt();
        }
        // The first: sojourn times pass 5 ms, then 100 ms go by.
        let first = at(&records, What::Send, port)
            .into_iter()
            .zip(
                records
                    .iter()
                    .filter(|r| r.what == What::Send && r.port.index() == port),
            )
            .find(|(_, r)| r.value >= 5 * MS)
            .map(|(at, _)| at);
        let since = told[0] - first.expect("a frame that waited 5 ms");
        assert!(since.abs_diff(100 * MS) <= 2 * SERVICE, "{since}");
    }
}

/// Two full-rate flows and a sparse one. In its own flow queue, served first, the sparse flow waits
/// for one frame in transmission and no more; in one queue it waits behind all the others.
#[test]
fn fq_codel_isolates_a_sparse_flow() {
    let longest = |queue: &Queue| {
        let (mut net, hosts, d, _) = bottleneck(5.0, 3, queue);
        net.flow("bulk1", hosts[0], d, cbr(9 * MBIT));
        net.flow("bulk2", hosts[1], d, cbr(9 * MBIT));
        let packet = ("packet", Value::Bytes(Bytes(200)));
        let rate = ("rate", Value::Rate(Rate(100_000)));
        net.flow("sparse", hosts[2], d, source("cbr", &[packet, rate]));
        let report = net.run();
        let sent: Vec<u64> = report
            .flows
            .iter()
            .map(|f| f.sums.delivered.packets)
            .collect();
        let sparse = &report.flows[2].sums;
        (sparse.max, sparse.dropped.packets, sent)
    };
    // 218 + 8 bytes at 100 and at 10 Mbit/s, with the gap before them, and two wires.
    let alone = 226 * 80_000 + (12 + 226) * 800_000 + 2 * US;
    let (waited, lost, sent) = longest(&queue("fq-codel", &[]));
    assert!(waited <= alone + SERVICE && lost == 0, "{waited} {lost}");
    assert!(sent[0].abs_diff(sent[1]) <= 20, "{sent:?}");
    let (behind, _, _) = longest(&queue("codel", &[]));
    assert!(behind > alone + 10 * SERVICE, "{behind}");
}

/// One host sends three flows, the other one: by flows the line is shared 3 : 1, by hosts 1 : 1.
#[test]
fn fq_codel_can_be_fair_to_hosts() {
    let ratio = |hosts_option: &'static str| {
        let given = [("hosts", Value::Choice(hosts_option))];
        let (mut net, hosts, d, _) = bottleneck(10.0, 2, &queue("fq-codel", &given));
        for i in 0..3 {
            net.flow(&format!("a{i}"), hosts[0], d, cbr(8 * MBIT));
        }
        net.flow("b", hosts[1], d, cbr(8 * MBIT));
        let report = net.run();
        let sent = |r: std::ops::Range<usize>| -> u64 {
            report.flows[r]
                .iter()
                .map(|f| f.sums.delivered.packets)
                .sum()
        };
        sent(0..3) as f64 / sent(3..4) as f64
    };
    assert!(
        (ratio("ignored") - 3.0).abs() < 0.05,
        "{}",
        ratio("ignored")
    );
    assert!((ratio("source") - 1.0).abs() < 0.02, "{}", ratio("source"));
}

/// A frame that does not fit takes its room from the longest flow queue, not from the newcomer.
#[test]
fn fq_codel_overflows_at_the_expense_of_the_longest() {
    let (mut net, hosts, d, port) = bottleneck(2.0, 2, &queue("fq-codel", &[]));
    net.0.ports[port].buffer = Limit::Packets(20);
    net.flow("bulk", hosts[0], d, cbr(30 * MBIT));
    net.flow("modest", hosts[1], d, cbr(4 * MBIT));
    let report = net.run();
    assert!(lost_to(&report, Cause::BufferFull) > 100);
    assert_eq!(report.flows[1].sums.dropped.packets, 0);
}

/// 12 Mbit/s into 10. PIE finds the probability of 1/6 at which the delay stands at its reference.
#[test]
fn pie_holds_the_delay_at_its_reference() {
    for delay in ["sojourn", "departure-rate"] {
        let pie = queue("pie", &[("delay", Value::Choice(delay))]);
        let report = overload(60.0, 12 * MBIT, Ecn::NotEct, &pie);
        assert!(
            (mean_wait(&report) - 0.015).abs() < 0.002,
            "{delay} {}",
            mean_wait(&report)
        );
        assert_eq!(lost_to(&report, Cause::BufferFull), 0);
        let loss = lost_to(&report, Cause::Aqm) as f64 / report.all.entered.packets as f64;
        // 12 Mbit/s of IP bytes are 12.304 Mbit/s on the line.
        assert!(
            (loss - (1.0 - 10.0 / 12.304)).abs() < 0.01,
            "{delay} {loss}"
        );
    }
}

/// Marks are given below 10 % only: at this overload PIE drops what takes marks too, after a while.
#[test]
fn pie_marks_while_the_probability_is_small() {
    let pie = queue("pie", &[]);
    let (mut net, hosts, d, port) = bottleneck(20.0, 1, &pie);
    net.flow("f", hosts[0], d, cbr(10_300_000)).ecn = Ecn::Ect0;
    let (_, records) = net.run_recorded();
    let (marks, drops) = (
        at(&records, What::Mark, port),
        at(&records, What::Drop, port),
    );
    assert!(
        marks.len() > 20 && drops.len() > 20,
        "{} {}",
        marks.len(),
        drops.len()
    );
    assert!(marks[0] < drops[0]);
}

/// mahimahi's variant aims at the same reference; its whole milliseconds make it coarse.
#[test]
fn pie_as_mahimahi_has_it_keeps_the_delay_low_too() {
    let report = overload(60.0, 12 * MBIT, Ecn::Ect0, &queue("pie-mahimahi", &[]));
    assert!(mean_wait(&report) < 0.04, "{}", mean_wait(&report));
    assert_eq!(lost_to(&report, Cause::BufferFull), 0);
    assert_eq!(report.all.marked.packets, 0);
}

/// mahimahi's CoDel loses the packet behind the one it decides on: every loss follows a departure, and the
/// number lost is the next one. It still keeps the delay down.
#[test]
fn codel_as_mahimahi_has_it_loses_the_packet_behind() {
    let codel = queue("codel-mahimahi", &[]);
    let (mut net, hosts, d, port) = bottleneck(10.0, 1, &codel);
    net.0.ports[port].buffer = Limit::Unlimited;
    net.flow("f", hosts[0], d, cbr(11 * MBIT)).ecn = Ecn::Ect0;
    let (report, records) = net.run_recorded();
    let (mut sent, mut lost) = (0, 0);
    for record in records.iter().filter(|r| r.port.index() == port) {
        match record.what {
            What::Send => sent = record.seq,
            What::Drop => {
                assert_eq!(record.seq, sent + 1, "at {}", record.at);
                (sent, lost) = (record.seq, lost + 1);
            }
            _ => {}
        }
    }
    assert!(lost > 20, "{lost}");
    assert_eq!(lost_to(&report, Cause::Aqm), lost);
    assert_eq!(report.all.marked.packets, 0);
    let with = overload(40.0, 11 * MBIT, Ecn::Ect0, &codel);
    assert!(mean_wait(&with) < 0.04, "{}", mean_wait(&with));
}

/// 11 Mbit/s of IP bytes are 11.279 on the line: of 8.82 frames one must go. Spread by the count,
/// gaps are uniform on 1 … 1/p, so that (1/p + 1)/2 = 8.82 and p = 0.0601; on the ramp to 10 %
/// between 15 and 45 kB that is an average of 33.0 kB, and the frame in transmission besides.
#[test]
fn red_keeps_the_average_where_its_probability_meets_the_load() {
    let red = queue("red", &[("gentle", Value::Flag(false))]);
    let report = overload(120.0, 11 * MBIT, Ecn::NotEct, &red);
    assert_eq!(lost_to(&report, Cause::BufferFull), 0);
    let port = report.ports.iter().max_by_key(|p| p.count.area).unwrap();
    let mean = port.count.area as f64 / 60e12 - 1518.0;
    assert!((mean / 33_000.0 - 1.0).abs() < 0.05, "{mean}");
}

/// Ten frames arrive at ten times the line rate, so that all have come when the second leaves; a step of three frames. Those
/// that find more than three waiting are the last five (the first is being sent); those that leave more than three behind
/// are the second to the sixth, since the first leaves before another comes.
#[test]
fn the_step_marks_what_leaves_a_queue_behind_or_what_finds_one() {
    for (marks, marked) in [("departure", 1..=5), ("arrival", 5..=9)] {
        let given = [
            ("min", Value::Bytes(Bytes(3 * 1518))),
            ("max", Value::Bytes(Bytes(3 * 1518))),
            ("marks", Value::Choice(marks)),
        ];
        let (mut net, hosts, d, port) = bottleneck(1.0, 1, &queue("ecn-ramp", &given));
        net.flow("f", hosts[0], d, script([(0, 15_000)])).ecn = Ecn::Ect0;
        let records = net.run_recorded().1;
        let mine = records
            .iter()
            .filter(|r| r.what == What::Mark && r.port.index() == port);
        assert_eq!(
            mine.map(|r| r.seq).collect::<Vec<_>>(),
            marked.collect::<Vec<_>>(),
            "{marks}"
        );
    }
}

/// Packets that take no marks pass a queue that marks, and fill the buffer. `wred` drops them, and so does either queue without marks.
#[test]
fn what_takes_no_marks_passes_a_queue_that_marks_unless_it_is_told_to_drop() {
    let no_marks = ("ecn", Value::Flag(false));
    for (id, given, drops) in [
        ("ecn-ramp", vec![], false),
        (
            "ecn-ramp",
            vec![("unmarkable", Value::Choice("drop"))],
            true,
        ),
        ("ecn-ramp", vec![no_marks.clone()], true),
        ("wred", vec![], true),
        ("wred", vec![no_marks], true),
    ] {
        let marks = [
            ("min", Value::Bytes(Bytes(15_000))),
            ("max", Value::Bytes(Bytes(60_000))),
        ];
        let report = overload(
            20.0,
            11 * MBIT,
            Ecn::NotEct,
            &queue(id, &[&marks[..], &given].concat()),
        );
        let [aqm, full] = [Cause::Aqm, Cause::BufferFull].map(|cause| lost_to(&report, cause));
        // After the warm-up 9,167 frames come, and one of 8.82 is too many.
        assert_eq!(
            (aqm > 900, full > 900),
            (drops, !drops),
            "{id}: {aqm} {full}"
        );
        assert_eq!(if drops { full } else { aqm }, 0, "{id}");
    }
}

/// The ramp marks what takes marks and drops the rest; either keeps the queue off the step.
#[test]
fn the_ramp_marks_or_drops_by_the_queue_now() {
    let given = [
        ("min", Value::Bytes(Bytes(15_000))),
        ("max", Value::Bytes(Bytes(60_000))),
    ];
    let ramp = queue("wred", &given);
    let dropped = overload(20.0, 11 * MBIT, Ecn::NotEct, &ramp);
    // Of 8.82 frames one: 11.3 % on the ramp to 20 % over 45 kB.
    let port = dropped.ports.iter().max_by_key(|p| p.count.area).unwrap();
    let mean = port.count.area as f64 / 10e12 - 1518.0;
    assert!(
        (mean / (15_000.0 + 0.567 * 45_000.0) - 1.0).abs() < 0.05,
        "{mean}"
    );
    let marked = overload(20.0, 11 * MBIT, Ecn::Ect0, &ramp);
    assert_eq!(lost_to(&marked, Cause::Aqm), 0);
    assert!(marked.all.marked.packets > 8_000);
    assert_eq!(marked.all.marked.packets, {
        let ports = marked.ports.iter();
        ports.map(|p| p.count.marked).sum::<u64>()
    });
}

/// The classic queue is told by p'², the low-latency one by 2 p': with classic packets in excess the
/// share m marked in the one and the share d dropped in the other obey m = 2 √d. The low-latency
/// packets wait too little for their own ramp.
#[test]
fn dualpi2_couples_its_queues_by_the_square() {
    let (mut net, hosts, d, _) = bottleneck(60.0, 2, &queue("dualpi2", &[]));
    net.0.warmup = Span::secs(20);
    net.flow("classic", hosts[0], d, cbr(9_500_000));
    net.flow("l4s", hosts[1], d, cbr(MBIT)).ecn = Ecn::Ect1;
    let report = net.run();
    let (classic, l4s) = (&report.flows[0].sums, &report.flows[1].sums);
    assert_eq!((classic.marked.packets, l4s.dropped.packets), (0, 0));
    let dropped = classic.dropped.packets as f64 / classic.entered.packets as f64;
    let marked = l4s.marked.packets as f64 / l4s.delivered.packets as f64;
    // 9.740 + 1.025 Mbit/s on the line: 0.765 of 9.740 are too many.
    assert!((dropped - 0.0786).abs() < 0.002, "{dropped}");
    assert!(
        (marked / (2.0 * dropped.sqrt()) - 1.0).abs() < 0.03,
        "{marked}"
    );
    // The classic queue stands at its target; the other one does not wait for it.
    let wait = |s: &backwater_sim::world::ClassReport| {
        s.sum.queue as f64 / s.delivered.packets as f64 / 1e12
    };
    assert!((wait(classic) - 0.015).abs() < 0.003, "{}", wait(classic));
    assert!(wait(l4s) < 0.0015, "{}", wait(l4s));
}

/// RFC 9332, section 2.5.1.1: from a probability of 1/k² on, a quarter, classic packets are dropped whether they can be marked
/// or not. 20.51 Mbit/s into 10 take 51.2 %.
#[test]
fn dualpi2_drops_in_overload_what_it_could_mark() {
    let report = overload(40.0, 2 * 10 * MBIT, Ecn::Ect0, &queue("dualpi2", &[]));
    let sums = &report.flows[0].sums;
    let dropped = lost_to(&report, Cause::Aqm) as f64 / sums.entered.packets as f64;
    assert_eq!(sums.marked.packets, 0);
    assert!((dropped - 0.512).abs() < 0.02, "{dropped}");
}

/// A burst of 40 into an empty low-latency queue at 100 Mbit/s. Nobody waits behind the last; the
/// ramp from 800 µs to 1.2 ms, with evenly spread marks, marks k frames for a sum of probabilities
/// of k.
#[test]
fn dualpi2_marks_by_the_ramp() {
    let mut net = Net::new(1.0);
    let (s, w, d) = (net.host("S"), net.switch("W"), net.host("D"));
    net.link(s, w, 1000 * MBIT);
    let port = net.link(w, d, 100 * MBIT)[0];
    net.0.ports[port].aqm = queue("dualpi2", &[]).aqm;
    net.flow("l4s", s, d, script([(0, 40 * 1500)])).ecn = Ecn::Ect1;
    let (report, records) = net.run_recorded();
    let waits: Vec<u64> = records
        .iter()
        .filter(|r| r.what == What::Send && r.port.index() == port)
        .map(|r| r.value)
        .collect();
    assert_eq!(waits.len(), 40);
    // A frame is judged when the one before has left, a gap before it starts.
    let gap = 12 * 80_000;
    let judged = waits.iter().map(|w| w.saturating_sub(gap) as f64 / 1e12);
    let sum: f64 = judged
        .take(39)
        .map(|wait| ((wait - 800e-6) / 400e-6).clamp(0.0, 1.0))
        .sum();
    let marks = report.flows[0].sums.marked.packets as f64;
    assert!(
        sum > 20.0 && sum - marks <= 1.0 && marks <= sum,
        "{sum} {marks}"
    );
    assert_eq!(report.flows[0].sums.delivered.packets, 40);
}

/// Ten frames at once, room for four: the queue loses the newest, or the oldest but the one that is
/// being sent.
#[test]
fn a_full_queue_loses_its_tail_or_its_head() {
    let delivered = |id: &str| {
        let mut net = Net::new(1.0);
        let (s, w, d) = (net.host("S"), net.switch("W"), net.host("D"));
        net.link(s, w, 1000 * MBIT);
        let port = net.link(w, d, 10 * MBIT)[0];
        (net.0.ports[port].aqm, net.0.ports[port].buffer) = (queue(id, &[]).aqm, Limit::Packets(4));
        net.flow("f", s, d, script([(0, 15_000)]));
        let (report, records) = net.run_recorded();
        assert_eq!(lost_to(&report, Cause::BufferFull), 6);
        let mine = records.iter().filter(|r| r.what == What::Deliver);
        mine.map(|r| r.seq).collect::<Vec<_>>()
    };
    assert_eq!(delivered("fifo"), [0, 1, 2, 3]);
    assert_eq!(delivered("drop-head"), [0, 7, 8, 9]);
}

/// Paused as a whole, a port with flow queues waits like any other and loses nothing for it.
#[test]
fn flow_queues_obey_a_pause_of_the_whole_port() {
    let run = |recipe: Option<&str>| {
        let mut net = Net::new(2.0);
        let (w, x, d) = (net.switch("W"), net.switch("X"), net.host("D"));
        for i in 0..3 {
            let host = net.host(&format!("S{i}"));
            net.link(host, w, 100 * MBIT);
            net.flow(&format!("f{i}"), host, d, cbr(6 * MBIT));
        }
        let up = net.link(w, x, 100 * MBIT)[0];
        let down = net.link(x, d, 10 * MBIT)[0];
        net.0.ports[up].aqm = queue("fq-codel", &[]).aqm;
        net.buffer(down, 50_000);
        if let Some(recipe) = recipe {
            net.recipe(recipe, &[down], &[]);
        }
        let report = net.run();
        (lost_at(&report, down), lost_at(&report, up), report.control)
    };
    let (down, up, control) = run(Some("pause"));
    assert!(
        down == 0 && up > 1_000 && control > 100,
        "{down} {up} {control}"
    );
    let (down, up, _) = run(None);
    assert!(down > 1_000 && up == 0, "{down} {up}");
}

/// Flow queues know no classes, so whatever speaks of classes, destinations or rates is refused.
#[test]
fn flow_queues_refuse_what_they_cannot_do() {
    for id in ["fq-codel", "dualpi2"] {
        assert!(queue(id, &[]).aqm.unwrap().queues() > 0);
        let net = |recipe: &str, upstream: bool, shared: bool| {
            let mut net = Net::new(1.0);
            let w = match shared {
                true => net.shared_switch("W", 200_000, 0, 0, 0),
                false => net.switch("W"),
            };
            let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
            net.link(s, w, 100 * MBIT);
            let first = net.link(w, x, 100 * MBIT)[0];
            let last = net.link(x, d, 10 * MBIT)[0];
            net.0.ports[if upstream { first } else { last }].aqm = queue(id, &[]).aqm;
            net.flow("f", s, d, cbr(MBIT)).to = Destination::Node(d);
            if !recipe.is_empty() {
                net.recipe(recipe, &[last], &[]);
            }
            World::build(&net.0).err().map(|r| r.path)
        };
        assert_eq!(net("", true, false), None);
        assert_eq!(net("pause", true, false), None);
        assert_eq!(
            net("pause", false, false).as_deref(),
            Some("mechanisms.m0.at")
        );
        assert_eq!(
            net("pfc", true, false).as_deref(),
            Some("mechanisms.m0.notify")
        );
        assert_eq!(net("", true, true).as_deref(), Some("ports.W>X.queue"));
    }
}

/// DCQCN's switch: class queues under priority flow control, marked by the ramp. The congested class
/// loses nothing and is marked; the other one is neither, though its packets take marks as well.
#[test]
fn the_ramp_watches_each_class_under_priority_flow_control() {
    let mut net = Net::new(0.2);
    let x = net.shared_switch("X", 200_000, 0, 3_237 + 1_518, 0);
    let d = net.host("D");
    let mut watched = Vec::new();
    for i in 0..3 {
        let s = net.obeying_host(&format!("S{i}"));
        watched.push(net.link(s, x, 100 * MBIT)[1]);
        let flow = net.flow(&format!("bulk{i}"), s, d, cbr(60 * MBIT));
        (flow.class, flow.ecn) = (0, Ecn::Ect0);
        let flow = net.flow(&format!("light{i}"), s, d, cbr(MBIT));
        (flow.class, flow.ecn) = (1, Ecn::Ect0);
    }
    let port = net.link(x, d, 100 * MBIT)[0];
    net.classes(2);
    let given = [
        ("min", Value::Bytes(Bytes(10_000))),
        ("max", Value::Bytes(Bytes(40_000))),
        ("classes", Value::Count(2)),
    ];
    let ramp = queue("ecn-ramp", &given);
    let spec = &mut net.0.ports[port];
    (spec.scheduler, spec.aqm, spec.buffer) = (ramp.scheduler, ramp.aqm, Limit::Unlimited);
    net.mechanism(["dynamic-threshold", "pfc", "gate"], &watched, &[]);
    let report = net.run();
    assert_eq!(report.dropped, 0);
    assert!(report.control > 10, "{}", report.control);
    for flow in report.flows.chunks(2) {
        assert!(flow[0].sums.marked.packets > 100);
        assert_eq!(flow[1].sums.marked.packets, 0);
    }
}

/// A constant load of 11.28 of 10 Mbit/s. BLUE's probability rises until it meets the excess, 1 - 10/11.28 = 11.3 %, and
/// frames stop finding the buffer full. One whose probability is frozen for longer than the run drops nothing.
#[test]
fn blue_drops_the_excess_before_the_buffer_does() {
    let load = 11e6 / (1500.0 * 8.0) * SERVICE as f64 / 1e12;
    let excess = 1.0 - 1.0 / load;
    let shares = |given: &[(&'static str, Value)]| {
        let report = overload(80.0, 11 * MBIT, Ecn::NotEct, &queue("blue", given));
        let lost = [Cause::Aqm, Cause::BufferFull].map(|cause| lost_to(&report, cause) as f64);
        let all = report.all.delivered.packets as f64 + lost[0] + lost[1];
        lost.map(|packets| packets / all)
    };
    let [managed, full] = shares(&[]);
    assert!(
        (managed + full - excess).abs() < 0.005,
        "{managed} {full} {excess}"
    );
    assert!(full < 0.01, "{full}");
    let [managed, full] = shares(&[("freeze_time", Value::Span(Span::secs(100)))]);
    assert!(
        managed < 0.01 && (full - excess).abs() < 0.01,
        "{managed} {full}"
    );
}
