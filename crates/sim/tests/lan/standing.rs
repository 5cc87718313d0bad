//! Runs at whose end packets wait and none moves.

use backwater_sim::spec::{Happening, LinkEvent};
use backwater_sim::world::{Standstill, World};
use backwater_transport::units::{Rate, Span, Time};

use crate::net::*;

/// Ticks for a byte at 10 Mbit/s, and a full packet with preamble there.
const BYTE: u64 = 800_000;
const FRAME: u64 = 1_526 * BYTE;

/// The card of a host at a link asks for ever, from an instant on.
fn storm(net: &mut Net, link: usize, at: u64) {
    net.0.events.push(LinkEvent {
        name: "storm".into(),
        links: vec![link],
        at: Span(at),
        until: None,
        what: Happening::Storm(None),
    });
}

/// S over X to D, 10 Mbit/s and 1 us, and the instants of its packets.
fn line(packets: &[u64]) -> Net {
    let mut net = Net::new(10.0);
    let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
    net.link(s, x, 10 * MBIT);
    net.link(x, d, 10 * MBIT);
    let packets: Vec<(u64, u64)> = packets.iter().map(|at| (*at, 1500)).collect();
    net.flow("f", s, d, script(packets));
    net
}

fn at(world: &mut World, now: u64) -> Option<Standstill> {
    world.advance(Time(now));
    world.report().standstill
}

/// A packet is delivered at T, and three wait behind a card that asks for ever. They stand still when a tenth of the time so far has gone since T: 10
/// (t - T) = t.
#[test]
fn packets_stand_still_when_none_was_delivered_for_a_tenth_of_the_time() {
    let way = 2 * (FRAME + US);
    let last = (100 * MS + way).next_multiple_of(9);
    let mut net = line(&[last - way, 105 * MS, 105 * MS, 105 * MS]);
    storm(&mut net, 1, 104 * MS);
    let mut world = net.world();
    let bound = last / 9 * 10;
    assert_eq!(at(&mut world, bound - 2), None);
    let found = Standstill {
        since: Time(last),
        packets: 3,
    };
    assert_eq!(at(&mut world, bound), Some(found));
    // Nobody stands still where nothing is held.
    assert_eq!(world.standstill(0), None);
    assert_eq!(at(&mut world, 9_000 * MS), Some(found));
}

/// A frame that its last line takes a second for, or that is on its way along a wire of a second, moves. So it is none that stands still.
#[test]
fn a_frame_on_its_last_line_or_wire_moves() {
    let mut slow = line(&[0, 0]);
    slow.0.links[1].rate = Rate(10_000);
    let mut far = line(&[0, 500 * MS]);
    far.0.links[1].delay = Span::secs(1);
    for net in [slow, far] {
        let mut world = net.world();
        // The first is delivered before 1.3 s, and the second after 1.5 s.
        assert_eq!(at(&mut world, 1_480 * MS), None);
        let report = world.report();
        assert_eq!((report.delivered, report.held), (1, 1));
    }
}

/// A notice on its way along a wire is no packet that moves. The card asks again after 32,767 quanta of 512 bits.
#[test]
fn a_notice_on_a_wire_is_no_movement() {
    let again = 32_767 * 64 * BYTE;
    let mut net = line(&[50 * MS]);
    net.0.links[1].delay = Span::millis(10);
    storm(&mut net, 1, 0);
    let mut world = net.world();
    let stands = Standstill {
        since: Time(0),
        packets: 1,
    };
    for after in [5 * MS, 500 * MS] {
        assert_eq!(at(&mut world, again + after), Some(stands), "{after}");
    }
}

/// Packets come to a switch without end, in front of a line that is paused. While they find room they move; when there is none, those on their way to the
/// switch are about to be lost. One on its way to its host moves all the time.
#[test]
fn frames_that_are_about_to_be_lost_do_not_move() {
    for (buffer, other, stands) in [
        (100_000_000, false, false),
        (6_072, false, true),
        (6_072, true, false),
    ] {
        let mut net = line(&[]);
        net.0.flows[0].source = cbr(10 * MBIT);
        net.buffer(2, buffer);
        storm(&mut net, 1, 0);
        if other {
            // A line of 10 kbit/s: 1.2 s for a packet.
            let e = net.host("E");
            net.link(1, e, 10_000);
            net.flow("g", 0, e, script([(0, 1500)]));
        }
        let mut world = net.world();
        let found = at(&mut world, 1_000 * MS);
        assert_eq!(found.is_some(), stands, "{buffer} {other}");
        assert_eq!(world.report().delivered, 0);
    }
}
