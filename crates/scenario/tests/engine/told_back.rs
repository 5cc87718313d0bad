//! What comes back to a sender, and what holds only for some transports.

use backwater_transport::units::Time;

use crate::net::*;

/// Packets that each uplink sends between two leaves of a host each over four spines. One uplink may be down from 10 us on, and no switch knows.
fn sent_over(cut: Option<usize>) -> [u64; 4] {
    let down = cut.map_or(String::new(), |spine| {
        format!(
            r#"events.cut = {{ kind = "down", links = ["l0-s{spine}"], at = "10 us", converge = "1 s" }}"#
        )
    });
    let mut world = built(&format!(
        r#"
duration = "5 ms"
topology = {{ kind = "leaf-spine", leaves = 2, spines = 4, hosts = 1, rate = "10 Gbit/s", delay = "1 us" }}
routing = {{ kind = "ecmp" }}
ports."*" = {{ buffer = "1 MB" }}
{down}
flows.f = {{ from = "h0", to = "h1", packet = "1030 B", transport = "irn", gaps = "other-ways", cap = "200 kB", cnp = "off", spread = {{ kind = "plb" }}, controller = {{ kind = "fixed", window = "8 packets" }}, source = {{ kind = "bulk" }} }}
"#
    ));
    let report = finished(&mut world);
    [0, 1, 2, 3].map(|spine| {
        let id = port(&world, &format!("l0>s{spine}"));
        let row = report.ports.iter().find(|row| row.port == id);
        row.expect("an uplink").count.packets
    })
}

/// PLB takes another way after a timeout (Qureshi et al., SIGCOMM 2022). A flow whose way is dead goes on over others.
#[test]
fn a_flow_leaves_a_dead_way_after_a_timeout() {
    let whole = sent_over(None);
    let way = (0..4).max_by_key(|spine| whole[*spine]).expect("a way");
    assert!(whole[way] > 500);
    let sent = sent_over(Some(way));
    let others: u64 = (0..4).filter(|n| *n != way).map(|n| sent[n]).sum();
    assert!(others > 200, "{sent:?}");
}

/// Datagrams may be lost for good, so that nothing is said of transfers of a flow of datagrams. One of a stream has an end.
#[test]
fn only_a_stream_has_transfers() {
    for (transport, ended) in [("datagram", 0), ("tcp", 1)] {
        let report = run(&format!(
            r#"
duration = "1 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "D"], rate = "100 Mbit/s", delay = "1 ms" }}
flows.f = {{ from = "S", to = "D", transport = "{transport}", controller = {{ kind = "cubic" }}, source = {{ kind = "bulk", size = "20 kB" }} }}
"#
        ));
        assert!(report.connections[0].delivered >= 20_000);
        assert_eq!(report.connections[0].stats.delivered.0, ended);
    }
}

/// A station's aggregates come to the access point with gaps, behind which packets wait. They have made their own hop and not those over two wires, on which
/// packets are for less than a microsecond: those have received what was delivered.
#[test]
fn packets_that_wait_behind_a_gap_have_not_made_the_next_hop() {
    let mut world = built(
        r#"
duration = "60 ms"
media.air.phy = { standard = "802.11n", mcs = 7, width = "20 MHz" }
media.air.mac = { aggregation = "a-mpdu" }
media.air.channel = { model = "physical", shadowing = "0 dB", fer_target = "40 %", gain = "-150 dB" }
topology = { kind = "wlan", medium = "air", stations = 1, radius = "40 m", wire_rate = "100 Gbit/s", wire_delay = "0 s", buffer = "100 packets" }
flows.f = { from = "s1", to = "d1", source = { kind = "cbr", packet = "1500 B", rate = "40 Mbit/s" } }
"#,
    );
    let mut waited = false;
    for n in 1..=120 {
        world.advance(Time(n * 500 * US));
        let report = world.report();
        assert!(report.conserved);
        let flow = &report.flows[0];
        let hops: Vec<u64> = flow.hops.iter().map(|hop| hop.count.packets).collect();
        let delivered = flow.sums.delivered.packets;
        assert_eq!(hops[1..], [delivered, delivered], "{n}");
        waited |= hops[0] > hops[1] + 1;
    }
    assert!(waited);
}

/// An acknowledgement of TCP with timestamps has 52 B of IP, and the header of XCP that it brings back 20 B (draft-falk-xcp-spec-03, 3.1).
#[test]
fn an_acknowledgement_has_the_bytes_of_what_it_brings_back() {
    for (controller, bytes) in [("cubic", 52), ("xcp", 52 + 20)] {
        let report = run(&format!(
            r#"
duration = "1 s"
nodes = {{ S = {{ kind = "host" }}, W = {{ kind = "switch" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "W"], rate = "100 Mbit/s", delay = "1 ms" }}
links.b = {{ ends = ["W", "D"], rate = "10 Mbit/s", delay = "1 ms" }}
ports."W>D" = {{ buffer = "unlimited", stamp = {{ kind = "xcp" }} }}
flows.f = {{ from = "S", to = "D", transport = "tcp", controller = {{ kind = "{controller}" }}, source = {{ kind = "bulk", size = "20 kB" }} }}
"#
        ));
        let acks = report.flows[1].sums.entered;
        assert!(acks.packets > 3);
        assert_eq!(acks.bytes, bytes * acks.packets, "{controller}");
    }
}
