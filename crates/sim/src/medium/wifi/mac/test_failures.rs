//! A sender that understands no answers: when it tries again, by how wide a window, and when it gives up. OFDM at 54 Mbit/s, control
//! frames at 6 Mbit/s, 1 us of propagation, SIFS 16 us, slots of 9 us.

use backwater_transport::part::{Args, Value};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Span, Time};

use super::frame::FrameKind;
use crate::medium::wifi::air_log::AirFrame;
use crate::medium::wifi::mac::aggregate::tests::{APART, short_packets};
use crate::medium::wifi::test_line::line;
use crate::source::SOURCES;
use crate::spec::{FlowOptions, FlowSpec, Spec};
use crate::targets::Destination;
use crate::world::World;

/// Station 0 always has packets of 1000 B for station 1, whose answers it senses and does not understand.
fn deaf(rts_above: u64) -> Spec {
    let mut spec = line(&[0.0, 50.0]);
    (spec.duration, spec.media[0].mac.rts_above) = (Span::secs(4), rts_above);
    let row = SOURCES.iter().find(|part| part.id == "saturated");
    let options = Args(vec![("packet", Value::Bytes(Bytes(1000)))]);
    spec.flows.push(FlowSpec {
        name: "f".into(),
        from: 0,
        to: Destination::Node(1),
        class: 0,
        ecn: Ecn::NotEct,
        packet: Bytes(1000),
        start: Span::ZERO,
        stop: Span::secs(4),
        source: (row.expect("a source").build)(&options).expect("legal options"),
        options: FlowOptions::default(),
        after: None,
        route: None,
        transport: None,
    });
    spec
}

/// The frames of station 0.
fn sent(spec: &Spec, until: Span) -> (World, Vec<AirFrame>) {
    let mut world = World::build(spec).expect("a legal line");
    world.media.air.reach[1]
        .iter_mut()
        .for_each(|link| link.decodes = false);
    world.start_air_log();
    world.advance(Time::ZERO + until);
    let mut frames = world.take_air_frames(true);
    frames.retain(|frame| frame.from == 0);
    (world, frames)
}

/// Backoffs behind so many us, each within the window of its place in a cycle; over all cycles they reach the upper half of each
/// window.
fn assert_windows(gaps: impl Iterator<Item = Span>, least: u64, windows: &[u64]) {
    let mut most = vec![0; windows.len()];
    let mut count = 0;
    for (number, gap) in gaps.enumerate() {
        let rest = gap.0 - Span::micros(least).0;
        assert_eq!(rest % Span::micros(9).0, 0, "{gap:?}");
        let (slots, place) = (rest / Span::micros(9).0, number % windows.len());
        assert!(slots <= windows[place], "{slots} at {place}");
        most[place] = slots.max(most[place]);
        count += 1;
    }
    assert!(count > 20 * windows.len(), "{count}");
    assert!(
        most.iter()
            .zip(windows)
            .all(|(most, window)| most > &(window / 2)),
        "{most:?}"
    );
}

/// The window doubles from 15 to 1023 with each failure; the seventh transmission is the last, and the next packet begins with
/// 15 again. 10.3.3, 10.3.4.4. The packet was received the first time, so nothing is lost. A retry has the number of its frame.
/// 9.2.4.1.4.
#[test]
fn a_frame_is_given_up_after_seven_transmissions() {
    let windows = [31, 63, 127, 255, 511, 1023, 15];
    // Data last 176 us, an RTS 52 us, their answers 44 us; DIFS is 34 us.
    for (rts_above, kind, airtime) in [(u64::MAX, FrameKind::Data, 176), (0, FrameKind::Rts, 52)] {
        let answer = 44;
        let (world, frames) = sent(&deaf(rts_above), Span::secs(4));
        assert!(frames.iter().all(|frame| frame.kind == kind));
        let gaps = frames.windows(2).map(|pair| pair[1].at.since(pair[0].at));
        assert_windows(gaps, airtime + 1 + 16 + answer + 1 + 34, &windows);
        let count = &world.media.air.radios[0].count;
        let all = frames.len() as u64;
        assert_eq!(count.frames, all);
        assert!((count.attempts, all - count.failures) == (all, 0) || all - count.failures == 1);
        assert_eq!(count.retry_drops, count.failures / 7);
        assert_eq!(count.airtime, all * Span::micros(airtime).0);
        let flow = &world.network().flows.0[0];
        let (delivered, lost) = (flow.stats.delivered.packets, flow.stats.dropped.packets);
        match kind {
            FrameKind::Data => {
                assert_eq!((delivered, lost), (all.div_ceil(7), 0));
                for (place, frame) in frames.iter().enumerate() {
                    let told = (u64::from(frame.number), frame.retry);
                    assert_eq!(told, (place as u64 / 7 % 4096, place % 7 > 0));
                }
            }
            _ => assert_eq!((delivered, lost), (0, count.retry_drops)),
        }
    }
}

/// Where no block acknowledgement comes, BARs ask for it: 24 B at 6 Mbit/s last 56 us. The window doubles too, and returns to
/// its least after more failures in a row than a frame alone may have transmissions, seven. 10.23.2.2. Nothing is sent again.
#[test]
fn missing_block_acknowledgements_are_asked_for() {
    let mut spec = short_packets(APART);
    spec.duration = Span::secs(4);
    spec.flows[0].stop = Span::secs(4);
    let (world, frames) = sent(&spec, Span::secs(4));
    let (data, bars): (Vec<AirFrame>, Vec<AirFrame>) =
        frames.into_iter().partition(|f| f.kind == FrameKind::Data);
    assert_eq!(data.len(), 64);
    assert!(bars.iter().all(|frame| frame.kind == FrameKind::Bar));
    // The A-MPDU lasts 1072 us (see the timeline); AIFS is 43 us.
    let first = bars[0].at.since(data[0].at).0 - Span::micros(1072 + 1 + 16 + 68 + 1 + 43).0;
    assert!(first.is_multiple_of(Span::micros(9).0) && first / Span::micros(9).0 <= 31);
    let windows = [63, 127, 255, 511, 1023, 1023, 15, 31];
    let gaps = bars.windows(2).map(|pair| pair[1].at.since(pair[0].at));
    assert_windows(gaps, 56 + 1 + 16 + 68 + 1 + 43, &windows);
    let delivered = world.network().flows.0[0].stats.delivered.packets;
    assert_eq!(
        (delivered, world.media.air.radios[0].count.retry_drops),
        (64, 0)
    );
}

/// Each packet goes alone, has come, and is given up when no answer was understood seven times. What its receiver has counts no more as
/// waiting for laws of feedback, until it is given up: then nothing of it is left in the books.
#[test]
fn a_packet_that_came_and_is_given_up_leaves_the_books() {
    let mut limits = APART;
    (limits.msdu, limits.alone) = (100, true);
    let (world, frames) = sent(&short_packets(limits), Span::secs(1));
    let radio = &world.media.air.radios[0];
    assert!(radio.count.retry_drops > 5 && frames.len() > 40);
    let passed = radio.categories[1].passed;
    // At most the packet that is under way, of 40 B in an Ethernet frame of 64 B.
    assert!(passed.packets <= 1 && passed.bytes == 64 * passed.packets);
}
