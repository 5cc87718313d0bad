//! Notices that name destinations, in a network with many hosts.

use backwater_sim::record::What;
use backwater_transport::part::Value;

use crate::net::*;

/// A slow line leads to 140 hosts, of which one is sent more than it takes. A notice about the packets that wait names its host and no other,
/// wherever its number lies in words of 64 bits.
#[test]
fn a_notice_names_the_host_whose_packets_wait() {
    for receiver in [0, 63, 64, 65, 127, 128, 139] {
        let mut net = Net::new(0.1);
        let x = net.switch("X");
        let hosts: Vec<usize> = (0..140).map(|n| net.host(&format!("H{n}"))).collect();
        let (s, w) = (net.obeying_host("S"), net.switch("W"));
        net.link(s, w, 100 * MBIT);
        net.link(w, x, 100 * MBIT);
        let r = net.switch("R");
        let watched = net.link(x, r, 10 * MBIT)[0];
        for host in &hosts {
            net.link(r, *host, 100 * MBIT);
        }
        net.buffer(watched, 50_000);
        net.flow("f", s, hosts[receiver], cbr(30 * MBIT));
        net.recipe(
            "pause-destination",
            &[watched],
            &[("addresses", Value::Choice("buffer"))],
        );
        let mut world = net.world();
        world.start_recording();
        world.advance(world.end());
        let number = world
            .network()
            .hosts
            .iter()
            .position(|node| node.index() == hosts[receiver]);
        let number = number.expect("a host");
        let records = world.take_records();
        let named: Vec<&[u64]> = records
            .iter()
            .filter(|r| r.what == What::Knob)
            .filter_map(|r| r.notice.as_ref()?.hosts.as_deref())
            .collect();
        assert!(!named.is_empty(), "{receiver}");
        for words in named {
            let members = (0..64 * words.len()).filter(|n| words[n / 64] >> (n % 64) & 1 == 1);
            assert_eq!(members.collect::<Vec<_>>(), [number], "{receiver}");
        }
    }
}
