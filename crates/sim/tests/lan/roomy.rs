//! A switch whose shared memory is never short does what one without shared memory does: each arrival is still seen by whoever looks at
//! its port.

use backwater_sim::limit::Limit;
use backwater_sim::world::Report;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate};

use crate::net::*;

/// Two hosts that obey send bursts to a third over a switch, which has shared memory or not. The network and the port to the third.
fn bursts(shared: bool) -> (Net, usize) {
    let mut net = Net::new(0.1);
    let x = match shared {
        true => net.shared_switch("X", 100_000_000, 0, 1_000_000, 1),
        false => net.switch("X"),
    };
    let d = net.host("D");
    let port = net.link(x, d, 10 * MBIT)[0];
    for i in 0..2 {
        let s = net.obeying_host(&format!("S{i}"));
        let at_switch = net.link(s, x, 100 * MBIT)[1];
        net.0.ports[at_switch].buffer = Limit::Unlimited;
        let given = [
            ("burst", Value::Bytes(Bytes(9_000))),
            ("rate", Value::Rate(Rate(8 * MBIT))),
        ];
        let given = source("uniform-uniform", &given);
        net.flow(&format!("f{i}"), s, d, given);
    }
    net.0.ports[port].buffer = Limit::Bytes(Bytes(60_000));
    (net, port)
}

/// The run without an event for each departure, recorded or not: one report.
fn report(net: &Net) -> Report {
    let report = net.run();
    assert_eq!(report.fingerprint, net.run_recorded().0.fingerprint);
    report
}

/// A detector at an output port, whose node counts what its memory holds.
#[test]
fn a_detector_of_an_output_sees_arrivals_where_memory_is_shared() {
    let [shared, plain] = [true, false].map(|shared| {
        let (mut net, port) = bursts(shared);
        net.recipe("pause", &[port], &[]);
        report(&net)
    });
    assert!(plain.control > 5, "{}", plain.control);
    assert_eq!(shared.fingerprint, plain.fingerprint);
}
