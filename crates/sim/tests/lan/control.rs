//! Control frames at a port that sends data too: they wait for the frame in transmission, and change nothing of what the port knows of its data.

use backwater_sim::record::What;
use backwater_sim::world::Report;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use crate::aqm::queue;
use crate::net::*;

/// A and E bring D 14 Mbit/s over a line of 10, and D and E bring A as much, all of one class: the switch stops its hosts again and
/// again, and its control frames to A wait behind data to A. Gives the ports toward A and D.
fn both_ways(class: u8) -> (Net, [usize; 2]) {
    let mut net = Net::new(0.4);
    let (a, d, e) = (
        net.obeying_host("A"),
        net.obeying_host("D"),
        net.obeying_host("E"),
    );
    let w = net.switch("W");
    let toward_a = net.link(a, w, 10 * MBIT)[1];
    let toward_d = net.link(d, w, 10 * MBIT)[1];
    net.link(e, w, 100 * MBIT);
    for (name, from, to, rate) in [
        ("ad", a, d, 9),
        ("ed", e, d, 5),
        ("da", d, a, 9),
        ("ea", e, a, 5),
    ] {
        let given = [
            ("packet", Value::Bytes(Bytes(1500))),
            ("rate", Value::Rate(Rate(rate * MBIT))),
        ];
        net.flow(name, from, to, source("cbr", &given)).class = class;
    }
    let watched = [toward_a, toward_d];
    watched.iter().for_each(|port| net.buffer(*port, 50_000));
    net.recipe("pause", &watched, &[]);
    (net, watched)
}

fn figures(report: &Report) -> Vec<(u64, u128, u64)> {
    let flows = report
        .flows
        .iter()
        .map(|f| (f.sums.delivered.packets, f.sums.sum.total, f.sums.max));
    let ports = report
        .ports
        .iter()
        .map(|p| (p.count.control, p.count.area, p.count.max_bytes));
    flows.chain(ports).collect()
}

/// Each control frame that begins is counted once, with 64 bytes.
#[test]
fn control_frames_are_counted_one_by_one() {
    let (net, watched) = both_ways(0);
    let (report, records) = net.run_recorded();
    for port in watched {
        let begun = records
            .iter()
            .filter(|r| r.what == What::Send && r.flow.is_none());
        let begun = begun.filter(|r| r.port.index() == port).count() as u64;
        let count = &report.ports[port].count;
        assert!(begun > 10 || port != watched[0], "{begun}");
        assert_eq!((count.control, count.control_bytes), (begun, 64 * begun));
    }
}

/// A port with one queue treats data alike whatever their class, also while a control frame waits; and so does one whose algorithm manages that queue.
#[test]
fn a_class_makes_no_difference_to_one_queue_while_a_control_frame_waits() {
    let run = |class: u8, managed: bool| {
        let (mut net, watched) = both_ways(class);
        if managed {
            let patient = [("target", Value::Span(Span::millis(900)))];
            for port in watched {
                net.0.ports[port].aqm = queue("codel", &patient).aqm;
            }
        }
        let report = net.run();
        assert!(report.ports[watched[0]].count.control > 10);
        figures(&report)
    };
    for managed in [false, true] {
        assert_eq!(run(0, managed), run(1, managed), "{managed}");
    }
}

/// Looks in the middle of a run find every packet, also while control frames wait.
#[test]
fn no_packet_is_missing_while_a_control_frame_waits() {
    let mut world = both_ways(0).0.world();
    let mut waited = 0;
    for n in 1..1_000 {
        world.advance(Time(n * 400 * US));
        let ports = &world.network().ports;
        let waits = ports.iter().any(|port| !port.control.is_empty());
        waited += u32::from(waits);
        if waits {
            assert!(world.report().conserved, "{n}");
        }
    }
    assert!(waited > 0);
}

/// Frames that come back from D leave by the port that tells A to stop. The switch counts them out there, so D is never told to stop, and A
/// fills the line to D: 406 full packets in a second at 5 Mbit/s.
#[test]
fn a_port_that_sends_control_frames_counts_data_out() {
    let mut net = Net::new(2.0);
    let (a, d) = (net.obeying_host("A"), net.obeying_host("D"));
    let x = net.switch("X");
    let toward_a = net.link(a, x, 10 * MBIT)[1];
    let toward_d = net.link(d, x, 5 * MBIT)[1];
    for port in [toward_a, toward_d] {
        net.buffer(port, 50_000);
    }
    net.flow("there", a, d, cbr(9 * MBIT));
    net.flow("back", d, a, cbr(4 * MBIT));
    let marks = [
        ("xoff", Value::Bytes(Bytes(20_000))),
        ("xon", Value::Bytes(Bytes(10_000))),
    ];
    net.recipe("pfc", &[toward_a, toward_d], &marks);
    let report = net.run();
    let [told_a, told_d] = [toward_a, toward_d].map(|port| report.ports[port].count.control);
    assert!(told_a > 10, "{told_a}");
    assert_eq!((told_d, report.dropped), (0, 0));
    let [there, back] = [0, 1].map(|flow| report.flows[flow].sums.delivered.packets);
    assert!((805..=813).contains(&there), "{there}");
    assert!((664..=667).contains(&back), "{back}");
}

/// Marks of 15 kB for what comes in through each of these ports, with room for three of them and what is in flight behind each.
fn lossless(net: &mut Net, ingress: &[usize], buffers: &[usize]) {
    let marks = [
        ("xoff", Value::Bytes(Bytes(15_000))),
        ("xon", Value::Bytes(Bytes(7_500))),
    ];
    buffers.iter().for_each(|port| net.buffer(*port, 100_000));
    net.recipe("pfc", ingress, &marks);
}

/// Hosts are stopped by what has come in from them, over ports that send data and stop hosts on the other side at once: nothing is lost.
#[test]
fn what_comes_in_is_counted_at_ports_that_send_control_frames() {
    let (mut net, [toward_a, toward_d]) = both_ways(0);
    net.0.mechanisms.clear();
    let toward_e = toward_d + 2;
    lossless(
        &mut net,
        &[toward_a, toward_d, toward_e],
        &[toward_a, toward_d],
    );
    let report = net.run();
    let told = [toward_a, toward_d, toward_e].map(|port| report.ports[port].count.control);
    assert!(told.iter().all(|control| *control > 10), "{told:?}");
    assert_eq!(report.dropped, 0);
}

/// X stops W, and W stops S, again and again: each switch knows what has come in from the one before, also when it has been stopped itself.
#[test]
fn a_chain_of_switches_that_stop_one_another_loses_nothing() {
    let mut net = Net::new(1.0);
    let (s, w, x, d) = (
        net.obeying_host("S"),
        net.switch("W"),
        net.switch("X"),
        net.host("D"),
    );
    let [_, back] = net.link(s, w, 100 * MBIT);
    let [middle, further_back] = net.link(w, x, 100 * MBIT);
    let last = net.link(x, d, 10 * MBIT)[0];
    lossless(&mut net, &[back, further_back], &[middle, last]);
    net.flow("f", s, d, cbr(50 * MBIT));
    let report = net.run();
    let told = [back, further_back].map(|port| report.ports[port].count.control);
    assert!(told.iter().all(|control| *control > 10), "{told:?}");
    assert_eq!(report.dropped, 0);
    // 1538 bytes of the line for each packet.
    let line = 10 * MBIT / (8 * 1538);
    assert!(
        report.delivered + 2 >= line && report.delivered <= line,
        "{}",
        report.delivered
    );
}
