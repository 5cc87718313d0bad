//! Whether anybody obeys the notices of a mechanism.

use backwater_sim::mechanism::Hearing;

use crate::net::*;

/// A obeys and B does not, so A alone is told: to stop when the third frame of B crosses the mark of 4 kB, and to go on when less than 3.5 kB
/// are left. It acts on both. Where nothing is congested nobody is told.
#[test]
fn notices_are_heard_by_those_who_obey() {
    for (bytes, notices) in [(4_500, 2), (1_500, 0)] {
        let mut net = Net::new(1.0);
        let (a, b, x) = (net.obeying_host("A"), net.host("B"), net.switch("X"));
        let d = net.host("D");
        for host in [a, b] {
            net.link(host, x, 100 * MBIT);
        }
        let port = net.link(x, d, MBIT)[0];
        net.buffer(port, 5_000);
        net.flow("b", b, d, script([(0, bytes)]));
        net.recipe("pause", &[port], &[]);
        let expected = Hearing {
            name: "m0".into(),
            tells: true,
            issued: notices,
            heard: notices,
        };
        assert_eq!(net.run().hearing, [expected]);
    }
}
