//! A host whose card pulls, against closed forms.

use backwater_sim::record::What;
use backwater_sim::spec::Action;
use backwater_sim::spec::watchdog::Terms;
use backwater_transport::endpoint::Protocol;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Span};

use crate::net::*;
use crate::outage::{away, comes, full};
use crate::timing::byte;
use crate::transport::carry;

/// Frame bytes of a full segment: 1448 + 52 + 18.
const FRAME: u64 = 1518;
/// And what it takes on the wire with preamble and gap.
const WIRE: u64 = FRAME + 20;

/// A host with two flows to one receiver over a switch, 100 Mbit/s everywhere. Gives the host's port.
fn two(classes: [u8; 2], size: u64, pulled: bool) -> (Net, usize) {
    let mut net = Net::new(1.0);
    let (s, w, d) = (net.obeying_host("S"), net.switch("W"), net.host("D"));
    let port = net.link(s, w, 100 * MBIT)[0];
    net.link(w, d, 100 * MBIT);
    net.classes(8);
    for (name, class) in [("f1", classes[0]), ("f2", classes[1])] {
        let bytes = source("bulk", &[("size", Value::Bytes(Bytes(size)))]);
        let flow = net.flow(name, s, d, bytes);
        flow.class = class;
        let window = [("window", Value::Packets(10_000))];
        carry(flow, Protocol::Stream, "fixed", &window);
        flow.transport.as_mut().expect("just given").pulled = pulled;
    }
    (net, port)
}

/// A window of 14 MB waits in the sender, not in the host: its queue never holds more than the frame on the wire. Pushed, it
/// holds both transfers at once.
#[test]
fn nothing_waits_in_the_queue_of_a_host_whose_card_pulls() {
    let size = 100 * 1448;
    for (pulled, most) in [(true, FRAME), (false, 200 * FRAME)] {
        let (net, port) = two([0, 0], size, pulled);
        let report = net.run();
        assert_eq!(report.ports[port].count.max_bytes, most, "pulled {pulled}");
        assert!(report.connections.iter().all(|c| c.delivered == size));
    }
}

/// Two flows are served round-robin, so their segments alternate: the k-th of each begins 2k or 2k + 1 frames after the first.
#[test]
fn flows_of_a_card_take_turns_frame_by_frame() {
    let (net, port) = two([0, 0], 100 * 1448, true);
    let (_, records) = net.run_recorded();
    let sent = records
        .iter()
        .filter(|r| r.what == What::Send && r.port.index() == port);
    let sent: Vec<(u64, u32)> = sent.map(|r| (r.at.0, r.flow.0)).collect();
    assert_eq!(sent.len(), 200);
    for (number, (at, flow)) in sent.iter().enumerate() {
        assert_eq!(*flow, number as u32 % 2);
        assert_eq!(*at, number as u64 * WIRE * 80_000);
    }
}

/// A PAUSE for one class stops its flow alone. While it lasts the flow has nothing in the queue of the host, and the other
/// has the whole line. Both share again afterwards.
#[test]
fn a_class_that_is_paused_stops_its_flows_only_and_nothing_piles_up() {
    let (mut net, port) = two([1, 2], 1000 * 1448, true);
    // The switch's port to the receiver is full at once, and asks for a pause of the class that fills it.
    let full = 2;
    let given = [("high", Value::Share(0.1)), ("low", Value::Share(0.05))];
    net.0.links[1].rate = backwater_transport::units::Rate(20 * MBIT);
    net.recipe("pause-class", &[full], &given);
    let (report, records) = net.run_recorded();
    assert!(
        notices(&records, What::Knob, port).len() > 2,
        "pauses take effect"
    );
    assert_eq!(report.ports[port].count.max_bytes, FRAME);
    assert_eq!(lost_at(&report, full), 0);
    let paused: u64 = report.ports[port].count.closed.iter().sum();
    assert!(paused > Span::millis(100).0, "{paused}");
    assert!(report.connections.iter().all(|c| c.retransmitted == 0));
}

/// X tells A to stop while another queue is full. All acknowledgements have come when A is let go, or freed by a watchdog at its port, or its
/// wire is back after an outage: its card is asked at that instant.
#[test]
fn a_card_sends_when_its_port_is_let_go() {
    let ticks = byte(10 * MBIT);
    for (detection, outage) in [(None, None), (Some(5 * MS), None), (None, Some(12 * MS))] {
        let (mut net, port) = full(0.4);
        let e = net.host("E");
        net.link(2, e, 100 * MBIT);
        let flow = net.flow("f", 0, e, source("bulk", &[]));
        let window = [("window", Value::Packets(4))];
        carry(flow, Protocol::Stream, "fixed", &window);
        flow.transport.as_mut().expect("just given").pulled = true;
        net.0.ports[port].watchdog = detection.map(|detection| Terms {
            detection: Span(detection),
            restoration: Span::millis(900),
            action: Action::Forward,
        });
        net.0
            .events
            .extend(outage.map(|back| away(0, 10 * MS, back)));
        let records = net.run_recorded().1;
        let stopped = notices(&records, What::Knob, port)[0].0;
        // A control frame with its preamble, 1 us of wire and 512 bit times.
        let freed = match detection {
            None if outage.is_some() => 12 * MS,
            None => comes(1) + (2 * 1538 - 12) * byte(MBIT) + (72 + 64) * ticks + US,
            Some(span) => stopped + span,
        };
        let sent = records.iter().filter(|r| r.what == What::Send);
        let mut sent = sent.filter(|r| r.port.index() == port).map(|r| r.at.0);
        let first = sent.find(|at| *at > stopped + WIRE * ticks);
        assert_eq!(first, Some(freed), "{detection:?} {outage:?}");
    }
}
