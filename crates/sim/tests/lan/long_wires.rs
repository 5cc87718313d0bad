//! A wire so long that nothing arrives while frames leave, and who touches its port meanwhile: notices that are sent there, notices that take
//! effect there, and wires that go down. Each finds the port as it is then.

use backwater_sim::ids::PortId;
use backwater_sim::queue::AnyAqm;
use backwater_sim::record::{Record, What};
use backwater_sim::spec::Action;
use backwater_sim::spec::watchdog::Terms;
use backwater_transport::part::Value;
use backwater_transport::units::{Span, Time};

use crate::net::*;
use crate::outage::{away, comes};
use crate::random::same;
use crate::relieved::LosesFour;
use crate::timing::byte;

/// Ticks for a byte of A's line, and for a byte of the line to D.
const BYTE: u64 = 800_000;
const SLOW: u64 = 8_000_000;
/// The third frame of B comes then, and X tells A to stop; two have left, and X lets A go on.
const START: u64 = 1_500 * US;

fn full() -> u64 {
    START + comes(3)
}

fn clear() -> u64 {
    START + comes(1) + (2 * 1538 - 12) * SLOW
}

/// When a notice is heard that was sent at an instant, over a wire of this length: a control frame, the wire, 512 bit times.
fn heard(sent: u64, wire: u64) -> u64 {
    sent + (72 + 64) * BYTE + wire
}

/// B fills X's queue to D, whose line of 1 Mbit/s takes 12.2 ms for a frame, and X tells A. A, C and E hang on X as well; all ports have two class
/// queues. Gives the network and the ports from A to X and back.
fn pressed(wire: u64, carrier: &'static str) -> (Net, usize, usize) {
    let mut net = Net::new(0.1);
    let (a, b, x) = (net.obeying_host("A"), net.host("B"), net.switch("X"));
    let d = net.host("D");
    let [out, back] = net.link(a, x, 10 * MBIT);
    net.0.links[0].delay = Span(wire);
    net.link(b, x, 100 * MBIT);
    let port = net.link(x, d, MBIT)[0];
    for name in ["C", "E"] {
        let host = net.host(name);
        net.link(host, x, 100 * MBIT);
    }
    net.classes(2);
    net.buffer(port, 5_000);
    net.flow("b", b, d, script([(START, 4_500)]));
    let given = [
        ("high", Value::Share(0.8)),
        ("low", Value::Share(0.4)),
        ("carrier", Value::Choice(carrier)),
    ];
    net.mechanism(["watermark", "pause", "gate"], &[port], &given);
    (net, out, back)
}

/// Nodes of `pressed`.
const A: usize = 0;
const C: usize = 4;
const E: usize = 5;

fn sends(records: &[Record], port: usize) -> Vec<u64> {
    let mine = records
        .iter()
        .filter(|r| r.what == What::Send && r.port.index() == port && !r.flow.is_none());
    mine.map(|r| r.at.0).collect()
}

/// C has sent two frames to A, and the second is on the line when X tells A to stop: the notice follows it.
#[test]
fn a_control_frame_follows_the_frame_that_is_on_the_line_meanwhile() {
    let (mut net, out, _) = pressed(5 * MS, "frame");
    net.flow("c", C, A, script([(0, 3_000)]));
    let report = net.run();
    let second = comes(1) + 2 * 1538 * BYTE;
    assert!(second - 1538 * BYTE < full() && full() < second);
    assert_eq!(report.ports[out].count.closed[0], clear() - second);
    same(&net.run_recorded().0, &report, "recorded", 0);
}

/// The same with a notice in the header of a data frame: it is the third that brings it.
#[test]
fn a_field_waits_for_the_frame_behind_the_one_that_is_on_the_line() {
    let (mut net, _, back) = pressed(5 * MS, "header");
    net.flow("c", C, A, script([(0, 4_500)]));
    let (report, records) = net.run_recorded();
    let brings = records
        .iter()
        .filter(|r| r.what == What::Send && r.port.index() == back && r.notice.is_some());
    let brings: Vec<u32> = brings.map(|r| r.seq).collect();
    assert_eq!(brings, [2]);
    same(&net.run(), &report, "not recorded", 0);
}

/// A hears that it is to stop while its second frame is on the line: the third waits until A may go on.
#[test]
fn a_frame_that_has_begun_before_a_pause_is_heard_is_sent() {
    let (mut net, out, _) = pressed(5 * MS, "frame");
    let begin = heard(full(), 5 * MS) - 1_800 * US;
    net.flow("a", A, E, script([(begin, 4_500)]));
    let (report, records) = net.run_recorded();
    assert_eq!(
        sends(&records, out),
        [begin, begin + 1538 * BYTE, heard(clear(), 5 * MS)]
    );
    same(&net.run(), &report, "not recorded", 0);
}

/// A frame of C is on the wire to A when the wire becomes shorter. The notice that A is to stop does not overtake it, and is not lost.
#[test]
fn a_notice_over_a_wire_that_became_shorter_arrives_with_the_frame_before() {
    let (mut net, out, back) = pressed(5 * MS, "frame");
    net.flow("c", C, A, script([(0, 1_500)]));
    let mut world = net.world();
    world.advance(Time(START));
    let shorter = world.change_delay(PortId::new(back), Span(US));
    shorter.expect("a wire");
    world.advance(world.end());
    let report = world.report();
    let there = comes(1) + 1526 * BYTE + 5 * MS;
    assert_eq!(report.control, 2);
    let closed = report.ports[out].count.closed[0];
    assert_eq!(closed, clear() + 72 * BYTE + US - there);
}

/// A is stopped when its wire goes down, or has heard the notice and reacts when the wire is down. When the wire is back A sends at once, and
/// stops again when it has been told.
#[test]
fn a_wire_that_is_back_begins_with_open_gates() {
    let back = 12 * MS;
    for down in [10 * MS, heard(full(), US) - 20 * US] {
        let (mut net, out, _) = pressed(US, "frame");
        net.0.events.push(away(0, down, back));
        net.flow("a", A, E, script([(back + 1, 3_000)]));
        let (report, records) = net.run_recorded();
        let sent = sends(&records, out);
        assert_eq!(sent, [back + 1, heard(clear(), US)], "{down}");
        same(&net.run(), &report, "not recorded", 0);
    }
}

/// Queue management at A's port loses four of seven frames as they are to leave. It does so too behind gates that were opened, as the wire was
/// away or by a watchdog.
#[test]
fn queue_management_judges_behind_gates_that_were_opened() {
    for watched in [false, true] {
        let (mut net, out, _) = pressed(US, "frame");
        net.0.ports[out].aqm = Some(AnyAqm::Custom(Box::new(LosesFour::default())));
        let begin = match watched {
            true => {
                net.0.ports[out].watchdog = Some(Terms {
                    detection: Span(2 * MS),
                    restoration: Span(50 * MS),
                    action: Action::Forward,
                });
                heard(full(), US) + 3 * MS
            }
            false => {
                net.0.events.push(away(0, 10 * MS, 12 * MS));
                12 * MS + 1
            }
        };
        net.flow("a", A, E, script([(begin, 10_500)]));
        let report = net.run();
        assert_eq!(lost_at(&report, out), 4, "{watched}");
        assert_eq!(report.flows[1].sums.delivered.packets, 3, "{watched}");
    }
}

/// A and B each fill a queue at X: A that to D, which is behind a wire of 30 ms, and D that to B. The notice to D goes between two frames of A. The
/// queue is low when the fifth of A has left, which is later by that control frame, and A may go on then.
#[test]
fn a_departure_behind_a_control_frame_is_seen_in_time() {
    let mut net = Net::new(0.2);
    let (a, b) = (net.obeying_host("A"), net.host("B"));
    let (x, d) = (net.switch("X"), net.obeying_host("D"));
    let back = net.link(a, x, 100 * MBIT)[1];
    let slow = net.link(x, b, MBIT)[0];
    let port = net.link(x, d, 10 * MBIT)[0];
    net.0.links[2].delay = Span(30 * MS);
    for full in [slow, port] {
        net.buffer(full, 12_000);
    }
    let given = [
        ("high", Value::Share(0.8)),
        ("low", Value::Share(0.3)),
        ("audience", Value::Choice("senders")),
    ];
    net.recipe("pause", &[slow, port], &given);
    let each = 1538 * BYTE;
    let gap = 12 * BYTE;
    let told = 7 * each - gap + 30 * MS;
    let begin = told - comes(1) - 7 * each / 2;
    net.flow("d", d, b, script([(0, 10_500)]));
    net.flow("a", a, d, script([(begin, 10_500)]));
    let (report, records) = net.run_recorded();
    let low = begin + comes(1) + 5 * each - gap + 84 * BYTE;
    assert_eq!(
        notices(&records, What::Notice, back),
        [(begin + comes(7), 65_535), (low, 0)]
    );
    same(&net.run(), &report, "not recorded", 0);
    assert_eq!(byte(10 * MBIT), BYTE);
}
