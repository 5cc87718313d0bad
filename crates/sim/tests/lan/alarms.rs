//! Alarms of switches that keep accounts of what came in: they begin and end at the same instants whether each departure has an event or
//! only those that are waited for.

use backwater_sim::limit::Limit;
use backwater_transport::part::Value;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::net::*;
use crate::random::{one, same};

/// Hosts around a switch with accounts: three send in two classes, to a slow line and to a fast one. Senders may be deaf, and wires long, so
/// frames of an alarmed class go on to come.
fn accounts(random: &mut Random) -> Net {
    let mut net = Net::new(0.004);
    let pool = random.between(0, 1) == 1;
    let x = match pool {
        true => net.shared_switch("X", 60_000 + 10 * 6_000, 0, 6_000, 1),
        false => net.switch("X"),
    };
    let sinks = [100, 1_000].map(|rate| {
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
    }
    net.classes(2);
    for link in &mut net.0.links {
        link.delay = Span::micros(one(random, &[1, 5, 30]));
    }
    for port in &ports {
        if pool || random.between(0, 1) == 1 {
            net.0.ports[*port].buffer = Limit::Unlimited;
        }
    }
    let gap = ("gap", Value::Bytes(Bytes(one(random, &[0, 4_000, 9_000]))));
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
    for number in 0..24 {
        let mut random = Random::stream(number, "test", "alarms");
        let net = accounts(&mut random);
        let report = net.run();
        same(&report, &net.run_recorded().0, "recorded", number);
        notices += report.control;
    }
    assert!(notices > 60, "{notices}");
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
