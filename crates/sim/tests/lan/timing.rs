//! Instants on the wire, to the picosecond, from the sizes of IEEE 802.3 alone: header and FCS 18
//! bytes, shortest frame 64, preamble 8, gap 12.

use crate::net::*;
use backwater_sim::record::{Record, What};
use backwater_transport::units::{Bytes, Rate, Span};

/// Ticks of a byte at a rate: 8 bit of 10¹² ticks each second. All standard rates divide.
pub fn byte(rate: u64) -> u64 {
    assert_eq!(8_000_000_000_000 % rate, 0);
    8_000_000_000_000 / rate
}

/// Bytes of the frame for an IP packet.
pub fn framed(len: u64) -> u64 {
    (len + 18).max(64)
}

/// When transmissions of data began at a port.
pub fn sends(records: &[Record], port: usize) -> Vec<u64> {
    let mine = records
        .iter()
        .filter(|r| r.what == What::Send && r.port.index() == port);
    mine.filter(|r| !r.flow.is_none()).map(|r| r.at.0).collect()
}

/// Every Ethernet rate from 10 Mbit/s to 800 Gbit/s, in Mbit/s.
const RATES: [u64; 13] = [
    10, 100, 1_000, 2_500, 5_000, 10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000,
    800_000,
];

#[test]
fn a_frame_takes_its_bytes_and_the_propagation_at_every_hop() {
    for (i, rate) in RATES.iter().map(|r| r * MBIT).enumerate() {
        for switches in [0, 1, 2, 5] {
            for (len, delay) in [
                (1, 0),
                (46, 1),
                (47, 1_000_000),
                (1500, 5_123_457),
                (9000, 7),
            ] {
                // The last hop has another rate.
                let last = RATES[(i + 5) % RATES.len()] * MBIT;
                let mut net = Net::new(0.1);
                let mut at = net.host("S");
                for k in 0..switches {
                    let next = net.switch(&format!("W{k}"));
                    net.link(at, next, rate);
                    at = next;
                }
                let d = net.host("D");
                net.link(at, d, last);
                for link in &mut net.0.links {
                    (link.delay, link.max_frame) = (Span(delay), Bytes(9018));
                }
                let from = 0;
                net.flow("f", from, d, script([(12_345, len)])).packet = Bytes(9000);
                let all = net.run().all;
                let serial = (8 + framed(len)) * (switches * byte(rate) + byte(last));
                let wires = (switches + 1) * delay;
                assert_eq!(all.delivered.packets, 1);
                assert_eq!(
                    all.sum.serial,
                    u128::from(serial),
                    "{rate} {switches} {len}"
                );
                assert_eq!(all.sum.propagation, u128::from(wires));
                assert_eq!((all.sum.queue, all.sum.gate), (0, 0));
                assert_eq!(all.sum.total, u128::from(serial + wires));
            }
        }
    }
}

#[test]
fn frames_back_to_back_start_their_bytes_and_twenty_more_apart() {
    for rate in RATES.map(|r| r * MBIT) {
        let sizes = [1500, 1, 46, 47, 700, 1500, 64];
        let mut net = Net::new(0.1);
        let (s, x, d) = (net.host("S"), net.switch("X"), net.host("D"));
        let [first, _] = net.link(s, x, rate);
        let [second, _] = net.link(x, d, rate);
        net.flow("f", s, d, script(sizes.map(|len| (0, len))));
        let records = net.run_recorded().1;
        let sent = sends(&records, first);
        assert_eq!(sent[0], 0);
        for (i, pair) in sent.windows(2).enumerate() {
            assert_eq!(pair[1] - pair[0], (framed(sizes[i]) + 20) * byte(rate));
        }
        // Through the switch: a frame starts when it is in, and when the one before and the gap are
        // over.
        let mut free = 0;
        for (i, begin) in sends(&records, second).into_iter().enumerate() {
            let arrived = sent[i] + (framed(sizes[i]) + 8) * byte(rate) + US;
            assert_eq!(begin, arrived.max(free), "{rate} frame {i}");
            free = begin + (framed(sizes[i]) + 20) * byte(rate);
        }
    }
}

#[test]
fn a_frame_waits_for_what_is_left_of_the_gap() {
    for rate in RATES.map(|r| r * MBIT) {
        let gap = 12 * byte(rate);
        let end = 1526 * byte(rate);
        for idle in [0, 1, gap / 2, gap - 1, gap, gap + 1, 10 * gap] {
            let mut net = Net::new(0.1);
            let (s, d) = (net.host("S"), net.host("D"));
            let [port, _] = net.link(s, d, rate);
            net.flow("f", s, d, script([(0, 1500), (end + idle, 1500)]));
            let sent = sends(&net.run_recorded().1, port);
            assert_eq!(sent, [0, end + idle.max(gap)], "{rate} idle {idle}");
        }
    }
}

/// 46 bytes fill the shortest frame; a byte more makes it longer.
#[test]
fn short_packets_are_padded_and_buffers_hold_the_padded_frame() {
    let total = |len| {
        let mut net = Net::new(0.1);
        let (s, d) = (net.host("S"), net.host("D"));
        net.link(s, d, 10 * MBIT);
        net.flow("f", s, d, script([(0, len)]));
        net.run().all.sum.total
    };
    assert_eq!(total(1), total(46));
    assert_eq!(total(46), u128::from(72 * byte(10 * MBIT) + US));
    assert_eq!(total(47), u128::from(73 * byte(10 * MBIT) + US));
    // Room for two frames of 64 bytes: of three packets of a byte, one is lost.
    for (room, lost) in [(128, 1), (127, 2), (192, 0)] {
        let mut net = Net::new(0.1);
        let (s, d) = (net.host("S"), net.host("D"));
        let [port, _] = net.link(s, d, 10 * MBIT);
        net.buffer(port, room);
        net.flow("f", s, d, script([(0, 1), (0, 1), (0, 1)])).packet = Bytes(46);
        assert_eq!(net.run().dropped, lost, "{room}");
    }
}

/// A demand is cut into packets of the flow's size and a rest.
#[test]
fn a_burst_is_cut_into_packets_and_a_rest() {
    let mut net = Net::new(0.1);
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, d, 100 * MBIT);
    net.flow("f", s, d, script([(0, 6_000), (0, 3_001), (0, 1)]));
    let all = net.run().all;
    assert_eq!((all.entered.packets, all.entered.bytes), (4 + 3 + 1, 9_002));
    assert_eq!(all.delivered, all.entered);
    let bytes = 6 * 1526 + 2 * 72;
    assert_eq!(all.sum.serial, u128::from(bytes * byte(100 * MBIT)));
}

/// 11 Mbit/s doesn't divide: a byte takes 727 272.72… ticks and is rounded up, so that a port never
/// sends faster than its rate.
#[test]
fn a_rate_that_does_not_divide_is_never_exceeded() {
    let mut net = Net::new(1.0);
    let (s, d) = (net.host("S"), net.host("D"));
    net.link(s, d, 1);
    net.0.links[0].rate = Rate(11 * MBIT);
    net.flow("f", s, d, script([(0, 1_500_000)]));
    let all = net.run().all;
    let frames = u128::from(all.delivered.packets);
    // 10¹² ÷ (1538 · 727 273), and the last has to come through whole.
    assert_eq!(frames, 894);
    assert_eq!(all.sum.serial, frames * 1526 * 727_273);
}
