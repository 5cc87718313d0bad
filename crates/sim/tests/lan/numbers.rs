//! Numbers that a run gives to what it makes and counts: of packets, of hops, of control frames.

use backwater_sim::record::What;
use backwater_transport::part::Value;
use backwater_transport::units::Bytes;

use crate::net::*;
use crate::outage::full;

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
    let mut notices = records.iter().filter(|r| r.flow.is_none());
    assert!(notices.all(|r| r.gated == 0 && r.seq == 0));
}
