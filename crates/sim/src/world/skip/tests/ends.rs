//! Ends that do nothing any more are no part of a state; those that may still do something are, whatever they wait for.

use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use super::build::{part, windows};
use super::{World, connection, network, recurs};
use crate::source::{AnySource, SOURCES};
use crate::spec::Spec;
use crate::table::Id;

/// One flow over a way of 100 ms and back.
fn flow(source: AnySource, stop: Span) -> Spec {
    let mut spec = windows();
    spec.flows[0].source = source;
    spec.flows[0].stop = stop;
    spec
}

/// A packet of 1000 bytes at this rate in bit/s.
fn written(rate: u64) -> AnySource {
    let packet = ("packet", Value::Bytes(Bytes(1000)));
    part(SOURCES, "cbr", &[packet, ("rate", Value::Rate(Rate(rate)))])
}

/// Whether the ends rest at an instant: what is otherwise about them is no other state.
fn rests(spec: &Spec, ms: u64) -> bool {
    let mut world = World::build(spec).expect("a legal network");
    world.advance(Time::ZERO + Span::millis(ms));
    let mut other = world.clone();
    connection(&mut other).waiting ^= true;
    recurs(&world, &other)
}

/// A transfer of three segments has been acknowledged after 200 ms and some.
#[test]
fn ends_whose_transfer_is_over_rest() {
    let spec = flow(AnySource::of_transfer(Bytes(3000)), Span::secs(100));
    assert!(!rests(&spec, 150));
    assert!(rests(&spec, 20_000));
}

/// A write each five seconds, the last acknowledged long ago: the next has an event, so the ends don't rest before the flow ends.
#[test]
fn ends_between_two_writes_do_not_rest() {
    let spec = flow(written(1600), Span::secs(50));
    for ms in [4_900, 12_000, 14_900, 44_900] {
        assert!(!rests(&spec, ms), "{ms}");
    }
    assert!(rests(&spec, 60_000));
}

/// A sender that falls silent after a second leaves bytes behind that were written. It rests when its segments have come and its last timer is over.
#[test]
fn a_sender_that_has_fallen_silent_rests() {
    let spec = flow(written(4_000_000), Span::secs(1));
    assert!(!rests(&spec, 990));
    assert!(!rests(&spec, 1_050), "segments are on their way");
    assert!(rests(&spec, 30_000));
}

/// A port that misses a packet of one flow is in another state than one that misses a packet of another.
#[test]
fn whose_packet_is_missing_is_part_of_the_state() {
    let world = World::build(&super::paused()).expect("a legal network");
    let missing = |flow: u32| {
        let mut other = world.clone();
        let port = &mut network(&mut other).ports[Id::raw(0)];
        port.more.missing.push_back(Id::raw(flow));
        other
    };
    assert!(recurs(&missing(0), &missing(0)));
    assert!(!recurs(&missing(0), &missing(1)));
}
