//! Switches that keep accounts of what came in: what happens at their ports besides alarms.

use backwater_sim::record::What;
use backwater_transport::endpoint::{EcnFeedback, Protocol};
use backwater_transport::part::Value;
use backwater_transport::segment::Ecn;
use backwater_transport::units::Bytes;

use crate::net::*;
use crate::outage::{away, comes};
use crate::random::same;
use crate::timing::byte;
use crate::transport::carry;

/// A sends at 100 Mbit/s over X to D, whose line takes 10 Mbit/s. X counts what comes from A. Gives the network, the port from X to A, and the one to D.
fn counted(notify: &str, given: &[(&'static str, Value)]) -> (Net, usize, usize) {
    let mut net = Net::new(0.1);
    let (a, x, d) = (net.obeying_host("A"), net.switch("X"), net.host("D"));
    let back = net.link(a, x, 100 * MBIT)[1];
    let port = net.link(x, d, 10 * MBIT)[0];
    let mut all = vec![
        ("xoff", Value::Bytes(Bytes(4_000))),
        ("xon", Value::Bytes(Bytes(2_000))),
    ];
    all.extend_from_slice(given);
    net.mechanism(["ingress-watermark", notify, "gate"], &[back], &all);
    (net, back, port)
}

/// The line to D was away while nothing was sent. Of four frames that come later the third crosses 4,000 B, with 4,554 B in all.
/// When three have left, 1,518 B lie below 2,000 B.
#[test]
fn accounts_go_on_when_a_line_has_been_away() {
    let (mut net, back, port) = counted("pfc", &[]);
    net.0.events.push(away(port / 2, MS, 2 * MS));
    net.flow("f", 0, 2, script([(5 * MS, 6_000)]));
    let (report, records) = net.run_recorded();
    let third = 5 * MS + comes(1) + (3 * 1538 - 12) * byte(10 * MBIT);
    assert_eq!(
        notices(&records, What::Notice, back),
        [(5 * MS + comes(3), 65_535), (third, 0)]
    );
    same(&net.run(), &report, "not recorded", 0);
}

/// Frames are lost from the queue when the line goes down. No gate has held them back, so the port has not stalled.
#[test]
fn a_port_that_loses_what_waits_has_not_stalled() {
    let (mut net, _, port) = counted("pfc", &[]);
    net.0.events.push(away(port / 2, MS, 2 * MS));
    net.flow("f", 0, 2, script([(0, 4_500), (5 * MS, 1_500)]));
    let report = net.run();
    assert_eq!((report.dropped, report.delivered), (3, 1));
    assert_eq!(report.ports[port].count.stall, 0);
}

/// The third of five packets crosses 4,000 B of what came from A. It joins a class that is congested then, as the two behind it do: all three are marked.
#[test]
fn packets_that_come_through_a_congested_input_are_marked() {
    let (mut net, back, port) = counted("pfc", &[("carrier", Value::Choice("mark"))]);
    net.flow("f", 0, 2, script([(0, 7_500)])).ecn = Ecn::Ect0;
    // Somebody has to take marks.
    let idle = net.flow("idle", 0, 2, script([]));
    carry(idle, Protocol::Stream, "reno", &[]);
    let transport = idle.transport.as_mut().expect("a transport");
    transport.sender.ecn = EcnFeedback::Classic;
    let (report, records) = net.run_recorded();
    let marks = records.iter().filter(|r| r.what == What::Mark);
    let marks: Vec<(u64, usize)> = marks.map(|r| (r.at.0, r.port.index())).collect();
    assert_eq!(marks, [3, 4, 5].map(|n| (comes(n), port)));
    assert_eq!(notices(&records, What::Notice, back), []);
    same(&net.run(), &report, "not recorded", 0);
}

/// A switch with shared memory whose output asks A to stop, and which then has a packet for A: it is sent over the port that sent the notices.
#[test]
fn a_packet_follows_a_notice_where_memory_is_shared() {
    let mut net = Net::new(0.1);
    let a = net.obeying_host("A");
    let x = net.shared_switch("X", 100_000, 0, 0, 0);
    let d = net.host("D");
    net.link(a, x, 100 * MBIT);
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 5_000);
    net.recipe("pause", &[port], &[]);
    net.flow("there", a, d, script([(0, 4_500)]));
    net.flow("back", d, a, script([(10 * MS, 1_500)]));
    let report = net.run();
    assert_eq!((report.control, report.delivered), (2, 4));
}

/// A notice that takes effect is no packet: its record names no flow, no number, no host and no length.
#[test]
fn a_reaction_to_a_notice_is_of_no_packet() {
    let (mut net, ..) = counted("pfc", &[]);
    net.flow("f", 0, 2, script([(0, 7_500)]));
    let (_, records) = net.run_recorded();
    let knobs: Vec<_> = records.iter().filter(|r| r.what == What::Knob).collect();
    assert_eq!(knobs.len(), 2);
    for knob in knobs {
        assert!(knob.flow.is_none());
        assert_eq!((knob.seq, knob.to, knob.len), (0, 0, 0));
    }
}
