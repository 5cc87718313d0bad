//! Numbers that a run gives to what it makes and counts: of packets, of hops, of control frames.

use backwater_sim::record::{Record, What};
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Span, Time};

use crate::net::*;
use crate::outage::{away, full};

/// The packets of a flow are numbered from nought, also those of a source that always has one.
#[test]
fn packets_of_a_saturated_source_are_numbered_one_by_one() {
    let mut net = Net::new(0.02);
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, d, 100 * MBIT);
    let packet = [("packet", Value::Bytes(Bytes(1_500)))];
    net.flow("f", s, d, source("saturated", &packet));
    let records = net.run_recorded().1;
    let sent = records.iter().filter(|r| r.what == What::Send);
    let numbers: Vec<u32> = sent.map(|r| r.seq).collect();
    assert!(numbers.len() > 100);
    assert!(numbers.iter().copied().eq(0..numbers.len() as u32));
}

/// Frames that are received over a link are hops: three packets of B over two links, and two notices of X to A. A notice waits at no gate.
#[test]
fn control_frames_are_hops_and_wait_at_no_gate() {
    let (net, _) = full(0.4);
    let mut world = net.world();
    world.start_recording();
    world.advance(world.end());
    assert_eq!(world.packet_hops(), 2 * 3 + 2);
    let records = world.take_records();
    let notices = records.iter().filter(|r| r.flow.is_none());
    let notices: Vec<&Record> = notices.collect();
    assert!(notices.iter().all(|r| r.gated == 0 && r.seq == 0));
    // Sent and heard as frames of the highest class.
    assert!(notices.iter().all(|r| r.traffic.class() == 7));
}

/// Three frames come to an idle port, one after the other has left: each is in the queue, alone, when it comes.
#[test]
fn a_record_tells_of_each_frame_that_comes_to_an_idle_port() {
    let mut net = Net::new(0.01);
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, d, 100 * MBIT);
    net.flow("f", s, d, script([1, 2, 3].map(|n| (n * MS, 1_000))));
    let records = net.run_recorded().1;
    let came = records.iter().filter(|r| r.what == What::Enqueue);
    let came: Vec<(u64, u64)> = came.map(|r| (r.at.0, r.value)).collect();
    assert_eq!(came, [1, 2, 3].map(|n| (n * MS, 1_018)));
}

/// Once all has been delivered, nothing is due, although an idle wire went down meanwhile.
#[test]
fn nothing_is_due_when_all_has_happened() {
    let mut net = Net::new(0.1);
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, d, 100 * MBIT);
    net.flow("f", s, d, script([(MS, 1_000)]));
    net.0.events.push(away(0, 2 * MS, 3 * MS));
    let mut world = net.world();
    world.advance(Time(4 * MS));
    assert_eq!(world.report().delivered, 1);
    assert_eq!(world.next_due(), None);
}

/// The next packet of a saturated source is born when the one before is chosen, as the line is free for it. A flow that stops at that
/// instant has one packet less than one that stops a tick later.
#[test]
fn a_saturated_source_makes_no_packet_at_the_end_of_its_flow() {
    let entered = |stop: u64| {
        let mut net = Net::new(0.02);
        let (s, d) = (net.host("S"), net.host("D"));
        net.link(s, d, 100 * MBIT);
        let packet = [("packet", Value::Bytes(Bytes(1_500)))];
        net.flow("f", s, d, source("saturated", &packet)).stop = Span(stop);
        net.run().entered
    };
    let free = (5 * 1538 - 12) * 80_000;
    assert_eq!(entered(free) + 1, entered(free + 1));
    assert_eq!(entered(free - 1), entered(free));
}
