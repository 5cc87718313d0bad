//! Ports with few frames, or none.

use std::collections::BTreeMap;

use backwater_sim::queue::AnyAqm;
use backwater_sim::record::What;
use backwater_sim::targets::Destination;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Time};

use crate::aqm::queue;
use crate::net::*;
use crate::queues::LosesFirst;

/// Before the first frame every counter of every port is 0.
#[test]
fn a_port_without_frames_has_counted_nothing() {
    let (net, _) = merging(1.0, || script([(500 * MS, 1_500)]));
    let mut world = net.world();
    world.advance(Time(400 * MS));
    for row in world.report().ports {
        let count = &row.count;
        assert_eq!((count.packets, count.busy, count.area), (0, 0, 0));
        assert_eq!((count.max_bytes, count.stall, count.victims), (0, 0, 0));
    }
}

/// A port of two classes of which one alone has frames sends them all, one behind the other, whoever chooses among classes.
#[test]
fn a_class_that_never_had_a_frame_has_no_turn() {
    for id in ["strict-priority", "wrr", "drr"] {
        for class in [0, 1] {
            let mut net = Net::new(0.1);
            let (s, d) = (net.host("S"), net.host("D"));
            let [port, _] = net.link(s, d, 10 * MBIT);
            let given = match id {
                "drr" => vec![
                    ("classes", Value::Count(2)),
                    ("quantum", Value::Bytes(Bytes(1_500))),
                ],
                _ => vec![("classes", Value::Count(2))],
            };
            net.0.ports[port].scheduler = queue(id, &given).scheduler;
            net.flow("f", s, d, script([(MS, 15_000)])).class = class;
            let report = net.run();
            assert_eq!(report.delivered, 10, "{id}");
            let last = MS + (10 * 1_538 - 12) * 800_000 + US;
            let ended = report.flows[0].last_delivered.map(|at| at.0);
            assert_eq!(ended, Some(last), "{id} {class}");
        }
    }
}

/// Five frames of each class come at once. The first has the line; then those of the higher class go before the rest.
#[test]
fn the_higher_class_goes_first_where_both_wait() {
    let mut net = Net::new(0.1);
    let (s, d) = (net.host("S"), net.host("D"));
    let [port, _] = net.link(s, d, 10 * MBIT);
    net.0.ports[port].scheduler =
        queue("strict-priority", &[("classes", Value::Count(2))]).scheduler;
    for class in 0..2 {
        net.flow(
            &format!("f{class}"),
            s,
            d,
            script([(u64::from(class), 7_500)]),
        )
        .class = class;
    }
    let records = net.run_recorded().1;
    let sent = records.iter().filter(|r| r.what == What::Send);
    let classes: Vec<u8> = sent.map(|r| r.traffic.class()).collect();
    assert_eq!(classes, [0, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
}

/// Queue management loses the first forty packets at an idle port. Each is followed a frame later, never at its own instant: so behind the beginning, where
/// one flow after the other starts, one packet of each flow is lost each time of a frame.
#[test]
fn a_loss_at_an_idle_port_is_followed_a_frame_later_by_each_flow() {
    for flows in [1, 2, 4] {
        let mut net = Net::new(0.1);
        let (s, d) = (net.host("S"), net.host("D"));
        let [port, _] = net.link(s, d, 10 * MBIT);
        net.0.ports[port].aqm = Some(AnyAqm::Custom(Box::new(LosesFirst(40))));
        for n in 0..flows {
            let packet = ("packet", Value::Bytes(Bytes(1_500)));
            net.flow(&format!("f{n}"), s, d, source("saturated", &[packet]));
        }
        let records = net.run_recorded().1;
        let mut lost: BTreeMap<u64, usize> = BTreeMap::new();
        for record in records.iter().filter(|r| r.what == What::Drop) {
            *lost.entry(record.at.0).or_default() += 1;
        }
        assert_eq!(lost.values().sum::<usize>(), 40);
        let (first, last) = (0, *lost.keys().last().expect("losses"));
        for (at, packets) in lost {
            assert_eq!(at % (1_538 * 800_000), 0);
            let whole = at > first && at < last;
            assert!(packets == flows || !whole, "{flows}: {packets} at {at}");
            assert!(packets <= flows || at == first);
        }
    }
}

/// The load of a flow with many receivers is measured by scale on the one wire of its host: packets of 1500 bytes at 1 Mbit/s for ten seconds are 833.
#[test]
fn a_flow_to_many_hosts_is_measured_on_its_wire() {
    let mut net = Net::new(10.0);
    let (s, x) = (net.host("S"), net.switch("X"));
    let receivers = ["D", "E", "F"].map(|name| net.host(name));
    net.link(s, x, 10 * MBIT);
    for receiver in receivers {
        net.link(x, receiver, 10 * MBIT);
    }
    let flow = net.flow("f", s, receivers[0], cbr(MBIT));
    flow.to = Destination::AnyOf(receivers.to_vec());
    flow.options.hurst = true;
    let mut world = net.world();
    world.advance(world.end());
    let measured = world.network().flows.iter().next().expect("a flow");
    assert!(measured.variance_time.is_some());
    assert!((833..=834).contains(&world.report().delivered));
}
