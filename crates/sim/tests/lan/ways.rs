//! A switch that chooses the way with the fewest bytes when a frame comes: what has left no longer counts, although it is on the wire.

use backwater_sim::record::What;
use backwater_sim::spec::{Choose, Routing};
use backwater_transport::units::Span;

use crate::net::*;
use crate::timing::byte;

/// Two equal ways of 10 Mbit/s and 5 ms from X. Each frame comes when the one before has left and is on the wire, so that both ways are empty,
/// and ways take turns: the third frame takes that of the first, although the first was longer than the second.
#[test]
fn a_frame_on_the_wire_is_not_in_the_queue_that_is_compared() {
    for classes in [1, 2] {
        let mut net = Net::new(0.1);
        net.0.routing = Routing::Ecmp;
        net.0.choose = Choose::LeastQueue;
        let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
        net.link(s, x, 100 * MBIT);
        let z = net.switch("Z");
        let ways = ["Y1", "Y2"].map(|name| {
            let y = net.switch(name);
            let way = net.link(x, y, 10 * MBIT)[0];
            net.link(y, z, 10 * MBIT);
            way
        });
        for way in ways {
            net.0.links[way / 2].delay = Span(5 * MS);
        }
        net.link(z, d, 100 * MBIT);
        if classes > 1 {
            net.classes(classes);
        }
        let each = 1526 * byte(10 * MBIT) + MS;
        let demands = [(0, 1_500), (each, 100), (2 * each, 1_500)];
        net.flow("f", s, d, script(demands));
        let counts = net.run().ports;
        assert_eq!(ways.map(|way| counts[way].count.packets), [2, 1]);
        let records = net.run_recorded().1;
        let sent = records.iter().filter(|r| r.what == What::Send);
        let sent = sent.filter(|r| ways.contains(&r.port.index()));
        let sent: Vec<usize> = sent.map(|r| r.port.index()).collect();
        assert_eq!(sent, [ways[0], ways[1], ways[0]], "{classes}");
    }
}
