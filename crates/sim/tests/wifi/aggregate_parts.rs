//! Where the MPDUs of A-MPDUs begin, whatever came of the A-MPDUs before: the frames of a run beside arithmetic.

use std::collections::BTreeMap;

use backwater_sim::medium::wifi::air_log::{AirFrame, Body};
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::fading::{BlockFading, Law};
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::medium::wifi::wifi_bytes::field_size;
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};

use crate::aggregate::{assert_near, mode, noisy_cell, saturated_cell};
use crate::aggregate_mechanisms::tell_in_fields;
use crate::cell::{BASIC, Cell, RTS, saturated};

/// SIFS at 5 GHz, µs.
const SIFS: u64 = 16;

/// Bytes of an MPDU: header and FCS around one packet and a notice, or around the packets of an A-MSDU, each with 22 B before it and all but the last padded.
fn mpdu(body: &Body) -> u64 {
    match body {
        Body::Packet(packet, _, fields) => {
            let field = fields.notice.as_ref();
            let field = field.map_or(0, |(notice, _)| field_size(notice));
            26 + 8 + u64::from(packet.len) + field + 4
        }
        Body::Joined(packets, _) => {
            let joined = packets.iter().fold(0u64, |bytes, packet| {
                bytes.next_multiple_of(4) + 22 + u64::from(packet.len)
            });
            26 + joined + 4
        }
        _ => panic!("an A-MPDU carries data"),
    }
}

/// Duration of a PPDU of 802.11n at 20 MHz, MCS 7, in picoseconds: 36 µs, and symbols of 260 bits.
fn ppdu(bytes: u64) -> u64 {
    (36 + 4 * (22 + 8 * bytes).div_ceil(260)) * 1_000_000
}

/// A station sends packets of 1500, 300 and 40 B to another, over a channel that fades anew for each frame: A-MPDUs, MPDUs of them and block
/// acknowledgements are lost. It sends its data again where a block acknowledgement is missing, or asks for it.
fn mixed(asks: bool, apart: Span, msdu: u64) -> Cell {
    let mut cell = noisy_cell(4.0, 64, 21.0);
    for bytes in [300, 40] {
        cell.flow(1, 0, 1, saturated(bytes));
    }
    let medium = &mut cell.0.media[0];
    let high = medium.high.as_mut().expect("modes");
    let limits = high.aggregation.as_mut().expect("a window");
    (limits.asks, limits.bounds.apart, limits.msdu) = (asks, apart, msdu);
    let ChannelSpec::Physical(channel) = &mut medium.channel else {
        unreachable!("a physical channel");
    };
    channel.fading = Some(BlockFading {
        law: Law::Nakagami(1.0),
        coherence: Span::micros(10),
    });
    cell
}

/// The frames of a run by the instants at which they begin, and by senders.
fn frames(cell: &Cell) -> BTreeMap<(Time, u32), Vec<AirFrame>> {
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_air_log();
    world.advance(world.end());
    assert!(world.report().conserved);
    let mut all = BTreeMap::<(Time, u32), Vec<AirFrame>>::new();
    for frame in world.take_air_frames(true) {
        all.entry((frame.at, frame.from)).or_default().push(frame);
    }
    all
}

/// Holds the MPDUs of all A-MPDUs of a run to the arithmetic, each part of at least so many bytes. Gives how many began, and how many of them had been on the air before.
pub fn hold_to_the_bytes(cell: &Cell, least: u64) -> (usize, usize) {
    let all = frames(cell);
    let (mut parts, mut again) = (0, 0);
    for ((begun, _), frames) in all.iter().filter(|(_, frames)| frames.len() > 1) {
        let bytes = frames.iter().map(|f| mpdu(f.body.as_ref().expect("data")));
        let bytes: Vec<u64> = bytes.collect();
        let part = |bytes: &u64| (bytes + 4).next_multiple_of(4).max(least);
        let (last, before) = bytes.split_last().expect("several MPDUs");
        let total = before.iter().map(part).sum::<u64>() + 4 + last;
        let data = ppdu(total) - 36_000_000;
        let mut passed = 0;
        for (frame, bytes) in frames.iter().zip(&bytes) {
            let after = frame.part.expect("a part of an A-MPDU").after;
            assert_eq!(after.0, 36_000_000 + data * passed / total, "{begun:?}");
            passed += part(bytes);
            parts += 1;
            again += usize::from(frame.retry);
        }
        let answer = *begun + Span(ppdu(total)) + Span::micros(SIFS);
        let next = all.range((*begun, u32::MAX)..).next();
        if let Some(((at, _), _)) = next.filter(|(_, f)| f[0].kind == FrameKind::BlockAck) {
            assert_eq!(*at, answer, "{begun:?}");
        }
    }
    (parts, again)
}

/// Each MPDU of an A-MPDU begins behind the bytes of those before it, padded to four, and to the distance that the receiver asks for: 8 µs are
/// 65 B at 65 Mbit/s, so 68, and 16 µs 132. So it does where the A-MPDU repeats MPDUs that have come, of which some acknowledgement was lost, beside
/// MPDUs that have not and new ones. The block acknowledgement follows a SIFS behind the time of all bytes.
#[test]
fn mpdus_begin_behind_the_bytes_before_them() {
    for (asks, apart, least, msdu) in [
        (false, Span::ZERO, 0, 0),
        (true, Span::ZERO, 0, 0),
        (false, Span::micros(8), 68, 0),
        (false, Span::micros(16), 132, 0),
        (false, Span::ZERO, 0, 3839),
        (false, Span::micros(16), 132, 100),
    ] {
        let (parts, again) = hold_to_the_bytes(&mixed(asks, apart, msdu), least);
        assert!(parts > 4000 && again > 800, "{parts} {again}");
    }
}

/// A notice in the first MPDU delays all others by its bytes.
#[test]
fn mpdus_begin_behind_the_field_of_the_first() {
    let mut cell = mixed(false, Span::ZERO, 0);
    tell_in_fields(&mut cell);
    let (parts, again) = hold_to_the_bytes(&cell, 0);
    assert!(parts > 4000 && again > 800, "{parts} {again}");
}

/// Two stations that hear each other collide in the first frame of an exchange only. Where that is an RTS, no MPDU was on the air and a BAR has nothing to ask for.
#[test]
fn a_bar_asks_for_what_was_on_the_air_only() {
    for (rts_above, asked) in [(RTS, false), (BASIC, true)] {
        let mut cell = saturated_cell(2.0, mode(Format::Ht, 20, 7, 1), 64, 2);
        let medium = &mut cell.0.media[0];
        medium.mac.rts_above = rts_above;
        let high = medium.high.as_mut().expect("modes");
        high.aggregation.as_mut().expect("a window").asks = true;
        let (_, report) = cell.run();
        assert!(report.stations[1].failures > 10);
        let all = frames(&cell);
        let mut bars = all.values().flatten().filter(|f| f.kind == FrameKind::Bar);
        assert_eq!(bars.next().is_some(), asked);
    }
}

/// 16 µs at 540 Mbit/s are 1080 B: of packets of 40 B the 65,535 B of an A-MPDU of 802.11n hold 60 parts and one MPDU of 82 B, 64,882 B, and not the 64 of
/// the window. A-MSDUs of one packet are kept apart as packets are.
#[test]
fn parts_that_are_kept_apart_count_whole_in_the_longest_a_mpdu() {
    let wide = mode(Format::Ht, 40, 7, 4);
    assert_eq!(wide.rate().0, 540_000_000);
    for msdu in [0, 100] {
        let mut cell = saturated_cell(1.0, wide, 64, 1);
        cell.0.flows[0].source = saturated(40);
        let high = cell.0.media[0].high.as_mut().expect("modes");
        let limits = high.aggregation.as_mut().expect("a window");
        (limits.bounds.apart, limits.msdu) = (Span::micros(16), msdu);
        let ppdu = wide.airtime(60 * 1080 + 82).0 as f64 / 1e6;
        let expected = 61.0 * 320.0 / (43.0 + 67.5 + ppdu + 16.0 + 32.0);
        let (_, report) = cell.run();
        let toward = &report.stations[0].toward;
        assert_near(
            toward.frames as f64 / toward.ppdus as f64,
            61.0,
            0.01,
            &format!("MPDUs of A-MSDUs of {msdu} B"),
        );
        let found = report.flows[0].sums.delivered.bytes as f64 * 8.0 / 1e6;
        assert_near(found, expected, 0.01, &format!("{msdu}"));
    }
}

/// At 40 dB no bit fails at MCS 7, so no MPDU is sent again and none waits for one that is missing.
#[test]
fn no_mpdu_fails_where_no_bit_does() {
    let (_, report) = noisy_cell(2.0, 64, 40.0).run();
    let sums = &report.flows[0].sums;
    assert!(sums.delivered.packets > 9_000, "{}", sums.delivered.packets);
    assert_eq!((sums.sum.retries, sums.sum.reorder), (0, 0));
}
