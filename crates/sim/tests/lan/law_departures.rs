//! What a law of explicit feedback is shown of a packet that leaves: what waits besides it, and what its link has offered.

use std::sync::{Arc, Mutex};

use backwater_sim::medium::tdma::Demand;
use backwater_sim::spec::{Egress, StampSpec};
use backwater_sim::stamp::{AnyStamp, LawPacket, Passing, Stamp};
use backwater_sim::table::Id;
use backwater_transport::congestion_header::{CongestionHeader, Layout};

use crate::net::*;
use crate::queues::trace;
use crate::terminals::lone;

/// When each packet left, the packets and bytes that waited besides it, and the bytes that its link had offered.
type Log = Arc<Mutex<Vec<(u64, u64, u64, Option<u64>)>>>;

/// Notes what it is shown.
#[derive(Clone, Debug)]
struct Notes(Log);

impl Stamp for Notes {
    fn layout(&self) -> Option<Layout> {
        None
    }

    fn arrive(&mut self, _: &LawPacket, _: Option<&CongestionHeader>) {}

    fn values(&self) -> [(&'static str, f64); 4] {
        [("", 0.0); 4]
    }

    fn depart(&mut self, packet: &LawPacket, _: &mut Passing) {
        let waits = packet.backlog;
        let mut log = self.0.lock().expect("one thread");
        log.push((packet.now.0, waits.packets, waits.bytes, packet.offered));
    }
}

/// What is shown of three packets that come in the first millisecond.
fn shown(net: &mut Net) -> Vec<(u64, u64, u64, Option<u64>)> {
    let log = Log::default();
    net.0.stamps.push(StampSpec {
        name: net.0.ports[0].name.clone(),
        at: Egress::Port(0),
        law: AnyStamp::Custom(Box::new(Notes(Arc::clone(&log)))),
        also: Vec::new(),
    });
    net.flow("f", 0, 1, script([(MS / 2, 4_500)]));
    assert_eq!(net.run().delivered, 3);
    let shown = log.lock().expect("one thread");
    shown.clone()
}

/// Besides the first wait two, besides the second one. A trace link offers a frame with its overhead each millisecond, a terminal 500 B in each
/// of its three slots of a frame of 10 ms, and a wire has nothing to tell.
#[test]
fn a_law_is_shown_what_waits_besides_a_packet_and_what_its_link_offers() {
    for link in 0..3 {
        let (mut net, _) = lone(3, Demand::None);
        match link {
            0 => net.0.links[0].directions[0] = None,
            1 => trace(&mut net, 0, 1_538 * 8 * 1_000),
            _ => {}
        }
        let shown = shown(&mut net);
        let besides: Vec<(u64, u64)> = shown.iter().map(|one| (one.1, one.2)).collect();
        // On an idle wire the first begins before the others have come.
        let first = if link == 0 { 0 } else { 2 };
        let waits = [first, 1, 0].map(|n| (n, n * 1_518));
        assert_eq!(besides, waits, "{link}");
        let offered: Vec<Option<u64>> = shown.iter().map(|one| one.3).collect();
        let begin = offered[0];
        let expected = match link {
            0 => [None; 3],
            1 => [0, 1, 2].map(|n| begin.map(|begin| begin + n * 1_538)),
            // The third slot of each frame takes the first bytes of a packet.
            _ => [1, 2, 3].map(|n| Some(n * 3 * 500)),
        };
        assert_eq!(offered, expected, "{link}");
        assert_eq!(begin.is_some(), link > 0);
    }
}

/// A wire has no rate of its own beside its line's; a trace link has that of its opportunities, and a terminal that of its slots.
#[test]
fn links_without_a_line_have_a_mean_rate() {
    let rate = |net: &Net| {
        let mut world = net.world();
        let end = world.end();
        let port = &world.network_mut().ports[Id::new(0)];
        port.more.service.mean_rate(end)
    };
    let (mut net, _) = lone(3, Demand::None);
    net.flow("f", 0, 1, script([]));
    assert_eq!(rate(&net), Some(3.0 * 500.0 * 8.0 / 0.01));
    trace(&mut net, 0, 1_538 * 8 * 1_000);
    let trace = rate(&net).expect("a rate");
    assert!((trace / 12.304e6 - 1.0).abs() < 0.02, "{trace}");
    net.0.links[0].directions[0] = None;
    assert_eq!(rate(&net), None);
}
