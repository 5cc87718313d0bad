//! Facts that a caller makes otherwise or lists, and receivers that lie.

use backwater_sim::altered::{Fact, Numbered};
use backwater_sim::ids::FlowId;
use backwater_sim::table::Id;
use backwater_transport::endpoint::Sender;
use backwater_transport::units::{Span, Time};

use crate::net::*;

/// A line of 100 Mbit/s and 10 ms.
fn line(flow: &str, more: &str) -> String {
    format!(
        r#"
duration = "2 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "D"], rate = "100 Mbit/s", delay = "10 ms" }}
flows.f = {{ from = "S", to = "D", transport = "tcp", {flow} }}
{more}
"#
    )
}

const ONE: &str = r#"delayed_ack = "0 s", controller = { kind = "fixed" }, source = { kind = "bulk", size = "1 kB" }"#;
/// The flow of acknowledgements.
const ACKS: FlowId = Id::raw(1);

/// One segment of 1,000 B with 52 B of headers and 26 B of frame, one acknowledgement of 78 B, and two delays: that round trip is listed
/// where facts are asked for. A round trip that is told in its place is the sender's first, so it is the smoothed one (RFC 6298, 2.2).
#[test]
fn a_round_trip_is_listed_and_may_be_told_otherwise() {
    let took = Span((1_078 + 78) * 80_000 + 20 * MS);
    let acknowledged = Numbered { flow: ACKS, seq: 0 };
    for told in [None, Some(Span::millis(300))] {
        let mut world = built(&line(ONE, ""));
        assert!(world.altered().is_none());
        world.alter().seen = Some(Vec::new());
        if let Some(told) = told {
            world.alter().round_trips.insert(acknowledged, told);
        }
        finished(&mut world);
        let altered = world.altered().expect("facts were asked for");
        let seen = altered.seen.as_ref().expect("a list");
        let [fact] = seen[..] else {
            panic!("{seen:?}");
        };
        let rtt = told.unwrap_or(took);
        assert_eq!(fact.at, Time::ZERO + took);
        assert_eq!(fact.packet, acknowledged);
        assert_eq!(fact.fact, Fact::RoundTrip(rtt));
        let connection = &world.ends.connections[Id::raw(0)];
        assert_eq!(connection.sender.inspect().srtt, rtt);
    }
}

/// Four segments leave at once and are lost with the wire at 2 ms; two more leave at 5 ms and come. An optimist acknowledges all up to the last that
/// came, so nothing is sent again and nothing is delivered in order. It makes two acknowledgements of one. An honest receiver gets all.
#[test]
fn an_optimist_hides_what_was_lost() {
    let flow = |receiver: &str| {
        format!(
            r#"receiver = "{receiver}", controller = {{ kind = "fixed", window = "10 packets" }}, source = {{ kind = "packet-list", at_us = [0, 5000], bytes = [5792, 2896] }}"#
        )
    };
    let cut = r#"events.cut = { kind = "down", links = ["a"], at = "2 ms", until = "3 ms" }"#;
    for (receiver, again, delivered) in [("optimistic", 0, 0), ("honest", 4, 8_688)] {
        let report = run(&line(&flow(receiver), cut));
        let connection = &report.connections[0];
        assert_eq!(report.flows[0].sums.dropped.packets, 4, "{receiver}");
        assert_eq!(connection.delivered, delivered, "{receiver}");
        assert_eq!(connection.retransmitted, again, "{receiver}");
        if receiver == "optimistic" {
            assert_eq!(report.flows[1].sums.entered.packets, 4);
        }
    }
}
