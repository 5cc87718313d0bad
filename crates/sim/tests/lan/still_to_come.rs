//! What may still come to a place when its mark has been crossed, to the frame: counts by hand at the edges of a slot.

use backwater_sim::mechanism::Headroom;
use backwater_transport::part::Value;
use backwater_transport::units::Span;

use crate::headroom::{at_ingress, feeders};
use crate::net::*;

/// A frame of 1518 B with preamble and gap, 1538 B; the PAUSE frame with its preamble, 72 B; and its reaction, 512 bit times: at 10 Mbit/s
/// 1230.4 us, 57.6 us and 51.2 us.
const SLOT: u64 = 1538 * 800_000;
const NOTICE: u64 = (72 + 64) * 800_000;
/// After the frame that crosses the mark the next one begins when a gap is over.
const GAP: u64 = 12 * 800_000;

fn only(needs: Vec<Headroom>) -> Headroom {
    let [need] = <[Headroom; 1]>::try_from(needs).expect("one place");
    need
}

/// Notice, reaction and the wire there and back last until a slot after the next frame begins, to the tick: one frame begins
/// meanwhile, behind the one that crossed the mark. A tick more and it is one more; a frame that is in the way of the notice is
/// one more, too.
#[test]
fn a_feeder_begins_a_frame_for_each_slot_until_it_obeys() {
    for (slots, ticks, frames) in [(1, 0, 2), (1, 2, 3), (3, 0, 4), (3, 2, 5)] {
        for (reverse, waits) in [(false, 0), (true, 1)] {
            let mut net = at_ingress(reverse, 50_000, &[0, 0]);
            let wire = slots * SLOT + GAP - NOTICE + ticks;
            let link = net
                .0
                .links
                .iter_mut()
                .find(|link| link.ends == [2 + waits, 0]);
            link.expect("the feeder's link").delay = Span(wire / 2);
            let need = only(net.world().headroom());
            assert_eq!(
                need.frames,
                frames + waits as u64,
                "{slots} {ticks} {reverse}"
            );
            assert_eq!(
                (need.xoff, need.room, need.buffer),
                (Some(15_180), None, None)
            );
        }
    }
}

/// Two feeders at the rate of the output may send 2 × 2 - 1 frames, of which the output drains one and one is in step. Ten times as
/// fast, none is drained and none in step. One alone never exceeds the output.
#[test]
fn feeders_in_step_with_the_output_send_a_frame_less() {
    for (rate, k, frames) in [(10, 1, 0), (10, 2, 1), (10, 3, 3), (100, 1, 1), (100, 2, 3)] {
        let (mut net, port) = feeders(k, false, false, &vec![0; k]);
        for link in &mut net.0.links[1..] {
            link.rate.0 = rate * MBIT;
        }
        net.buffer(port, 50_000);
        let need = only(net.world().headroom());
        assert_eq!((need.frames, need.feeders.len()), (frames, k), "{rate} {k}");
        // 40 kB are 26 frames, and the 27th crosses the mark: of 32 that fit five are left.
        assert_eq!(need.room, Some(5));
    }
}

/// A frame that may come and the one that crosses the mark need a share of the buffer that grows with the buffer: with a byte above the mark it
/// is 3,036 B in each byte, and with none there is no such buffer.
#[test]
fn a_buffer_that_would_do_is_named_where_there_is_one() {
    for (high, buffer) in [
        (0.8, Some(15_180)),
        (0.999_98, Some(151_800_000)),
        (1.0, None),
    ] {
        let (mut net, port) = feeders(2, false, false, &[0; 4]);
        net.0.mechanisms.clear();
        net.buffer(port, 50_000);
        net.recipe("pause", &[port], &[("high", Value::Share(high))]);
        assert_eq!(only(net.world().headroom()).buffer, buffer, "{high}");
    }
}

/// XOFF is ten frames and two more may come: an output of twelve has room for them, and one of a byte less has not. So it is where each class
/// has a queue of its own. In one queue for two classes each may have as many.
#[test]
fn an_output_holds_what_its_inputs_may_hold() {
    for (classes, queues, frames) in [(1, 1, 12), (1, 2, 12), (2, 1, 24), (2, 2, 12)] {
        for (less, warns) in [(0, false), (1, true)] {
            let mut net = at_ingress(false, frames * 1518 - less, &[0, 0]);
            if queues == 2 {
                net.classes(2);
            }
            if classes == 2 {
                let mut other = net.0.flows[0].clone();
                (other.name, other.class) = ("other".into(), 1);
                net.0.flows.push(other);
            }
            let warnings = net.world().headroom_warnings();
            assert_eq!(
                !warnings.is_empty(),
                warns,
                "{classes} {queues}: {warnings:?}"
            );
        }
    }
}

/// Headroom of 15,180 B has room for ten frames. Places are told by port, in whatever order they are written.
#[test]
fn shared_memory_has_room_for_the_frames_of_its_headroom() {
    let mut net = Net::new(0.1);
    let x = net.shared_switch("X", 120_000, 0, 15_180, 0);
    let d = net.host("D");
    let mut watched = Vec::new();
    for name in ["A", "B"] {
        let s = net.obeying_host(name);
        watched.push(net.link(s, x, 10 * MBIT)[1]);
        net.flow(name, s, d, script([(0, 1_500)]));
    }
    let port = net.link(x, d, 10 * MBIT)[0];
    net.buffer(port, 1_000_000);
    watched.reverse();
    net.mechanism(["dynamic-threshold", "pfc", "gate"], &watched, &[]);
    let needs = net.world().headroom();
    let rooms: Vec<_> = needs
        .iter()
        .map(|need| (need.port.index(), need.room))
        .collect();
    assert_eq!(rooms, [(watched[1], Some(10)), (watched[0], Some(10))]);
}
