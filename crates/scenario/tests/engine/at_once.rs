//! Senders and receivers at the instants at which something begins, ends or is told to them.

use backwater_sim::ids::ConnectionId;
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::controller::Driven;
use backwater_transport::endpoint::Sender;
use backwater_transport::units::{Rate, Span, Time};

use crate::net::*;

/// A line of 100 Mbit/s and 10 ms, on which a byte takes 80,000 ticks.
fn line(flow: &str, more: &str) -> String {
    format!(
        r#"
duration = "1 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "D"], rate = "100 Mbit/s", delay = "10 ms" }}
flows.f = {{ from = "S", to = "D", transport = "tcp", {flow} }}
{more}
"#
    )
}

const BYTE: u64 = 80_000;
/// Bytes of a full segment with preamble, and of an acknowledgement without blocks.
const SEGMENT: u64 = 1_526;
const ACK: u64 = 78;

fn entered(world: &mut World) -> u64 {
    world.report().flows[0].sums.entered.packets
}

/// A sender that is told 6 Mbit/s sends a segment of 1,448 B each 1.9 ms, so that at most four have left after 5 ms. Without a pace all that the window lets
/// out leave at the instant of the change; the card of a host takes one of them, and the next when the line is free.
#[test]
fn without_a_pace_segments_leave_at_once() {
    for nic in ["push", "pull"] {
        let text = |pacing: bool| {
            line(
                &format!(
                    r#"nic = "{nic}", pacing = {pacing}, controller = {{ kind = "agent" }}, source = {{ kind = "bulk" }}"#
                ),
                "",
            )
        };
        let paced = resolved(&text(true));
        let built = paced.build_driven(&paced.spec());
        let mut world = built.unwrap_or_else(|said| panic!("{said}"));
        let agents = world.all_driven();
        world.steer(agents[0], &mut |agent: &mut Driven| {
            agent.tell(20 * agent.mss(), Some(Rate(6_000_000)));
        });
        world.advance(Time(5 * MS));
        let first = entered(&mut world);
        assert!((2..=4).contains(&first), "{nic} {first}");
        let spec = resolved(&text(false)).spec();
        let transport = spec.flows[0].transport.as_ref().expect("a transport");
        world
            .change_transport(Id::raw(0), transport)
            .expect("no pace");
        let at_once = if nic == "push" { 20 } else { first + 1 };
        assert_eq!(entered(&mut world), at_once, "{nic}");
        world.advance(Time(8 * MS));
        assert_eq!(entered(&mut world), 20, "{nic}");
    }
}

/// A flow with a window of one segment sends its second when the acknowledgement of the first is back, unless it ends at that instant.
#[test]
fn a_flow_sends_nothing_at_the_instant_of_its_end() {
    let back = (SEGMENT + ACK) * BYTE + 20 * MS;
    for (end, sent) in [(back, 1), (back + 1_000, 2)] {
        let ns = end as f64 / 1e3;
        let report = run(&line(
            &format!(
                r#"stop = "{ns} ns", delayed_ack = "0 s", controller = {{ kind = "fixed", window = "1 packets" }}, source = {{ kind = "bulk" }}"#
            ),
            "",
        ));
        assert_eq!(report.flows[0].sums.entered.packets, sent);
    }
}

/// A flow that waits for another begins when that one's segment of 1,078 B with its frame is there. One that ends at that instant writes nothing.
#[test]
fn a_flow_that_waits_to_its_end_writes_nothing() {
    let there = 1_078 * BYTE + 10 * MS;
    for (end, written) in [(there, 0), (there + 1_000, 1_000)] {
        let ns = end as f64 / 1e3;
        let transfer =
            r#"controller = { kind = "fixed" }, source = { kind = "bulk", size = "1 kB" }"#;
        let more = format!(
            r#"flows.g = {{ from = "S", to = "D", after = ["f"], stop = "{ns} ns", transport = "tcp", {transfer} }}"#
        );
        let mut world = built(&line(transfer, &more));
        finished(&mut world);
        let id = ConnectionId::raw(1);
        assert_eq!(world.ends.connections[id].written, written);
    }
}

/// A receiver acknowledges each second segment, and one alone after 40 ms (RFC 1122, 4.2.3.2). Of three segments that come in a row it acknowledges the first
/// two; two more follow, of which it acknowledges the first with the third, and the last after 40 ms of its own.
#[test]
fn a_segment_alone_is_acknowledged_after_the_delay() {
    // A segment alone, and then the one behind it, which ends what is written.
    let report = run(&line(
        r#"delayed_ack = "40 ms", controller = { kind = "fixed", window = "1 packets" }, source = { kind = "bulk", size = "2896 B" }"#,
        "",
    ));
    let back = 40 * MS + 2 * ((SEGMENT + ACK) * BYTE + 20 * MS);
    assert_eq!(report.flows[1].last_delivered, Some(Time(back)));
    assert_eq!(report.connections[0].retransmitted, 0);
    let report = run(&line(
        r#"stop = "30 ms", delayed_ack = "40 ms", controller = { kind = "fixed", window = "3 packets" }, source = { kind = "bulk" }"#,
        "",
    ));
    let two = (SEGMENT + 12 + SEGMENT + ACK) * BYTE + 20 * MS;
    assert_eq!(report.flows[1].sums.entered.packets, 3);
    assert_eq!(
        report.flows[1].last_delivered,
        Some(Time(2 * two + 40 * MS))
    );
}

/// The card of a host has no notices at its port that a shorter wire could let overtake others: its wire may become shorter.
#[test]
fn the_wire_of_a_card_gets_shorter() {
    let text = line(
        r#"nic = "pull", delayed_ack = "0 s", controller = { kind = "fixed", window = "1 packets" }, source = { kind = "bulk" }"#,
        "",
    );
    let mut world = built(&text);
    world.advance(Time(100 * MS));
    let out = port(&world, "S>D");
    let shorter = world.change_delay(out, Span::millis(5));
    shorter.expect("a shorter wire");
    finished(&mut world);
    // The smoothed round trip goes from 20 ms to 15 by an eighth of the rest with each (RFC 6298): after more than 50 nothing is left.
    let connection = &world.ends.connections[Id::raw(0)];
    let srtt = connection.sender.inspect().srtt.seconds();
    assert!((srtt - 15.128e-3).abs() < 0.1e-3, "{srtt}");
}
