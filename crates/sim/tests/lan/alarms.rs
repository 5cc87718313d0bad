//! Alarms of switches that keep accounts of what came in: they begin and end at the same instants whether each departure has an event or
//! only those that are waited for.

use backwater_sim::limit::Limit;
use backwater_sim::record::{Record, What};
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::net::*;
use crate::queues::add_law;
use crate::random::{one, same};
use crate::timing::byte;

/// Hosts around a switch with accounts: three send in two classes, to a slow line and to a fast one. Senders may be deaf, and wires long, so
/// frames of an alarmed class go on to come.
fn accounts(random: &mut Random) -> Net {
    let mut net = Net::new(0.004);
    let pool = random.between(0, 1) == 1;
    let x = match pool {
        true => net.shared_switch("X", 60_000 + 10 * 6_000, 0, 6_000, 1),
        false => net.switch("X"),
    };
    let sinks = [50, 100].map(|rate| {
        let d = net.host(&format!("D{rate}"));
        net.link(x, d, rate * MBIT);
        d
    });
    let mut ports = vec![0, 2];
    for i in 0..3 {
        let s = match random.between(0, 1) {
            0 => net.host(&format!("S{i}")),
            _ => net.obeying_host(&format!("S{i}")),
        };
        ports.push(net.link(x, s, 1_000 * MBIT)[0]);
        for (n, d) in sinks.into_iter().enumerate() {
            let given = [
                (
                    "burst",
                    Value::Bytes(Bytes(one(random, &[3_000, 9_000, 20_000]))),
                ),
                (
                    "rate",
                    Value::Rate(Rate(one(random, &[40, 100, 300]) * MBIT)),
                ),
            ];
            let given = source("uniform-uniform", &given);
            let flow = net.flow(&format!("f{i}{n}"), s, d, given);
            flow.class = random.between(0, 1) as u8;
        }
        let back = [
            ("packet", Value::Bytes(Bytes(500))),
            ("rate", Value::Rate(Rate(5 * MBIT))),
        ];
        net.flow(&format!("b{i}"), sinks[0], s, source("poisson", &back));
    }
    net.classes(2);
    for link in &mut net.0.links {
        link.delay = Span::micros(one(random, &[1, 30, 400]));
    }
    for port in &ports {
        if pool || random.between(0, 1) == 1 {
            net.0.ports[*port].buffer = Limit::Unlimited;
        }
    }
    let gap = (
        "gap",
        Value::Bytes(Bytes(one(random, &[0, 4_000, 9_000, 14_000]))),
    );
    let marks = [
        ("xoff", Value::Bytes(Bytes(one(random, &[9_000, 20_000])))),
        ("xon", Value::Bytes(Bytes(one(random, &[3_000, 8_000])))),
    ];
    match pool {
        true => net.mechanism(["dynamic-threshold", "pfc", "gate"], &ports, &[gap]),
        false => net.mechanism(["ingress-watermark", "pfc", "gate"], &ports, &marks),
    }
    net
}

/// See the head of the file.
#[test]
fn alarms_of_accounts_come_in_time_where_departures_lag() {
    let mut notices = 0;
    for number in 0..10 {
        let mut random = Random::stream(number, "test", "alarms");
        let net = accounts(&mut random);
        let report = net.run();
        same(&report, &net.run_recorded().0, "recorded", number);
        notices += report.control;
    }
    assert!(notices > 20, "{notices}");
}

/// A frame alone finds an idle port without a bound, at a switch that counts what came in: it leaves at once.
#[test]
fn a_frame_leaves_an_idle_port_of_a_switch_with_accounts() {
    let mut net = Net::new(0.01);
    let (s, x, d) = (net.obeying_host("S"), net.switch("X"), net.host("D"));
    let at = net.link(s, x, 100 * MBIT)[1];
    let port = net.link(x, d, 100 * MBIT)[0];
    net.0.ports[port].buffer = Limit::Unlimited;
    let marks = [
        ("xoff", Value::Bytes(Bytes(9_000))),
        ("xon", Value::Bytes(Bytes(3_000))),
    ];
    net.recipe("pfc", &[at], &marks);
    net.flow("f", s, d, script([(MS, 1_500)]));
    let report = net.run();
    let there = 2 * (1526 * 80_000 + US);
    assert_eq!((report.delivered, report.all.max), (1, there));
}

/// Bytes of a full frame in a buffer.
const FRAME: u64 = 1518;
/// Wires from hosts to the switch of the tests below, and those to slow lines, so that no arrival tells of a departure.
const LONG: u64 = 5 * MS;

/// A switch with shared memory for so many frames, whose threshold is what is left, and an end of alarms so many frames below it.
struct Pool {
    net: Net,
    x: usize,
    watched: Vec<usize>,
    gap: u64,
}

impl Pool {
    fn new(frames: u64, gap: u64) -> Pool {
        let mut net = Net::new(0.1);
        let x = net.shared_switch("X", frames * FRAME, 0, 0, 0);
        Pool {
            net,
            x,
            watched: Vec::new(),
            gap: gap * FRAME,
        }
    }

    /// A host with a wire of 1 Gbit/s; gives it and the port back to it.
    fn sender(&mut self, name: &str) -> (usize, usize) {
        let host = self.net.obeying_host(name);
        let port = self.net.link(host, self.x, 1_000 * MBIT)[1];
        self.watched.push(port);
        (host, port)
    }

    /// A host behind a line of this rate.
    fn sink(&mut self, name: &str, rate: u64) -> usize {
        let host = self.net.host(name);
        let port = self.net.link(self.x, host, rate)[0];
        self.net.0.ports[port].buffer = Limit::Unlimited;
        host
    }

    /// The records, which are those of a run with few events.
    fn run(mut self) -> Vec<Record> {
        for link in &mut self.net.0.links {
            link.delay = Span(LONG);
        }
        let gap = [("gap", Value::Bytes(Bytes(self.gap)))];
        if !self.watched.is_empty() {
            self.net
                .mechanism(["dynamic-threshold", "pfc", "gate"], &self.watched, &gap);
        }
        let (report, records) = self.net.run_recorded();
        same(&self.net.run(), &report, "not recorded", 0);
        assert_eq!(report.dropped, 0);
        records
    }
}

/// When the n-th of frames that a host sends at once is at the switch, and when the n-th of frames at a line of 10 Mbit/s has left it that
/// came there from an instant on.
fn comes(n: u64) -> u64 {
    (n * 1538 - 12) * 8_000 + LONG
}

fn leaves(from: u64, n: u64) -> u64 {
    from + (n * 1538 - 12) * 800_000
}

/// A memory of 20 frames: ten of A are half of it. The gap is four. When two have left a slow line, eight of A and one of B are left, and twelve
/// are not more than eleven. B's leaves another line, and behind it one of A that came meanwhile: eight are left, and A may go on.
#[test]
fn a_frame_that_comes_in_an_alarm_may_end_it_elsewhere() {
    let mut pool = Pool::new(20, 4);
    let (a, back) = pool.sender("A");
    let b = pool.sender("B").0;
    let [slow, d] =
        [("D1", 5 * MBIT / 2), ("D2", 10 * MBIT)].map(|(name, rate)| pool.sink(name, rate));
    let (first, second) = (9_200 * US, 9_950 * US);
    pool.net.flow("most", a, slow, script([(0, 15_000)]));
    pool.net.flow("b", b, d, script([(first, 1_500)]));
    pool.net.flow("one", a, d, script([(second, 1_500)]));
    let told = notices(&pool.run(), What::Notice, back);
    let two = comes(1) + (2 * 1538 - 12) * byte(5 * MBIT / 2);
    assert!(first + comes(1) < two && two < second + comes(1));
    let free = leaves(first + comes(1), 2);
    assert_eq!(told, [(comes(10), 65_535), (free, 0)]);
}

/// Six frames each of A and B come at the same instants and leave at the same instants, and one of E stays. The memory has room for 18, and a
/// gap of two. When k have left of each, the rest of a sender and the gap, 8 - k, may be at most what is left of the memory: 5 + 2 k,
/// or less by one before the other's k-th has left. B, whose line comes second, may go on with its first, and A with its second.
#[test]
fn of_simultaneous_departures_those_of_ports_before_come_first() {
    let mut pool = Pool::new(18, 2);
    let senders = ["A", "B"].map(|name| pool.sender(name));
    let e = pool.sender("E").0;
    let sinks = ["D1", "D2"].map(|name| pool.sink(name, 10 * MBIT));
    let d3 = pool.sink("D3", MBIT / 10);
    for ((from, _), to) in senders.into_iter().zip(sinks) {
        pool.net
            .flow(&format!("f{from}"), from, to, script([(MS, 9_000)]));
    }
    pool.net.flow("e", e, d3, script([(0, 1_500)]));
    let records = pool.run();
    for ((_, back), n) in senders.into_iter().zip([2, 1]) {
        let told = notices(&records, What::Notice, back);
        let expected = [(MS + comes(6), 65_535), (leaves(MS + comes(1), n), 0)];
        assert_eq!(told, expected);
    }
}

/// Nine frames of A wait behind one of B when A's tenth, which goes another, slow way, crosses half of what B leaves. The gap is that of the
/// first of the nine: A may go on when that has left, which is the second to leave that line.
#[test]
fn frames_that_wait_when_an_alarm_begins_may_end_it() {
    let mut pool = Pool::new(20, 2);
    let (a, back) = pool.sender("A");
    let b = pool.sender("B").0;
    let d1 = pool.sink("D1", 10 * MBIT);
    let d2 = pool.sink("D2", MBIT);
    pool.net.flow("b", b, d1, script([(0, 1_500)]));
    pool.net.flow("most", a, d1, script([(US, 13_500)]));
    pool.net.flow("last", a, d2, script([(US, 1_500)]));
    let records = pool.run();
    let told = notices(&records, What::Notice, back);
    assert_eq!(told, [(US + comes(10), 65_535), (leaves(comes(1), 2), 0)]);
    // Each has a record of its arrival.
    let came = records.iter().filter(|r| r.what == What::Enqueue);
    assert_eq!(came.filter(|r| r.port.index() == 4).count(), 10);
}

/// One frame of A waits behind one of B when A's tenth, which goes another, slow way, crosses half of what B leaves. The gap is that of one frame: A
/// may go on when the one that waited has left, which is the second to leave that line.
#[test]
fn one_frame_that_waits_when_an_alarm_begins_may_end_it() {
    let mut pool = Pool::new(20, 2);
    let (a, back) = pool.sender("A");
    let b = pool.sender("B").0;
    let d1 = pool.sink("D1", 10 * MBIT);
    let d2 = pool.sink("D2", MBIT / 10);
    pool.net.flow("b", b, d1, script([(0, 1_500)]));
    pool.net.flow("one", a, d1, script([(US, 1_500)]));
    pool.net.flow("rest", a, d2, script([(US, 13_500)]));
    let told = notices(&pool.run(), What::Notice, back);
    assert_eq!(told, [(US + comes(10), 65_535), (leaves(comes(1), 2), 0)]);
}

/// Ten frames of A are half of the memory. Between the first that leaves and the second four of B come, for another line. The gap is three: when
/// three of A have left and one of B has, 7 + 3 are not more than what 10 leave. B's departures end no alarm, and yet count then.
#[test]
fn what_others_have_sent_counts_when_an_alarm_may_end() {
    let mut pool = Pool::new(20, 3);
    let others = pool.sink("D1", 10 * MBIT);
    let (a, back) = pool.sender("A");
    let b = pool.sender("B").0;
    let d = pool.sink("D2", 10 * MBIT);
    pool.net.flow("a", a, d, script([(0, 15_000)]));
    let later = 3 * 1538 * 400_000;
    pool.net.flow("b", b, others, script([(later, 6_000)]));
    let told = notices(&pool.run(), What::Notice, back);
    let begin = comes(1);
    assert_eq!(told, [(comes(10), 65_535), (leaves(begin, 3), 0)]);
}

/// A memory of six frames. Three of B have left, over a long wire, when three of A come: there is room for all.
#[test]
fn frames_that_have_left_take_no_memory() {
    let mut pool = Pool::new(6, 0);
    let a = pool.sender("A").0;
    let b = pool.sender("B").0;
    let [d1, d2] = ["D1", "D2"].map(|name| pool.sink(name, 10 * MBIT));
    pool.net.flow("b", b, d1, script([(0, 4_500)]));
    pool.net.flow("a", a, d2, script([(4 * MS, 4_500)]));
    pool.watched.clear();
    let sent = pool.run();
    assert_eq!(sent.iter().filter(|r| r.what == What::Deliver).count(), 6);
}

/// A law watches the line at which an alarm begins and ends, and is shown each of eleven packets when it comes and when it leaves, also the one
/// that comes long after.
#[test]
fn a_law_sees_packets_after_an_alarm() {
    let mut pool = Pool::new(20, 2);
    let a = pool.sender("A").0;
    let b = pool.sender("B").0;
    let d1 = pool.sink("D1", 10 * MBIT);
    let d2 = pool.sink("D2", MBIT);
    pool.net
        .flow("b", b, d1, script([(0, 1_500), (80 * MS, 1_500)]));
    pool.net.flow("most", a, d1, script([(US, 13_500)]));
    pool.net.flow("last", a, d2, script([(US, 1_500)]));
    add_law(&mut pool.net, 4, &[]);
    let gap = [("gap", Value::Bytes(Bytes(pool.gap)))];
    pool.net
        .mechanism(["dynamic-threshold", "pfc", "gate"], &pool.watched, &gap);
    let mut world = pool.net.world();
    world.start_law_log();
    world.advance(world.end());
    assert!(world.report().control > 1);
    assert_eq!(world.take_law_log()[0].1.len(), 2 * 11);
}
