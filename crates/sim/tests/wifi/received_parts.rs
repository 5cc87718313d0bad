//! The frames of a burst that a receiver has, part by part, and the parts of modes that its bits go through.

use std::collections::BTreeSet;

use backwater_sim::medium::wifi::air_log::{Body, Fate};
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::errors::Rung;
use backwater_sim::medium::wifi::phy::fading::{BlockFading, Law};
use backwater_sim::medium::wifi::phy::mode::{Coding, Format, Guard, Mode};
use backwater_sim::medium::wifi::phy::standard::Standard;
use backwater_sim::medium::wifi::reception::frame_set::FrameSet;
use backwater_sim::medium::wifi::reception::parts::{Hits, Parts};
use backwater_sim::targets::Destination;
use backwater_transport::units::{Span, Time};

use crate::aggregate::{mode, noisy_cell};
use crate::aggregate_mechanisms::tell;
use crate::attempts::log;
use crate::cell::{cbr, once};
use crate::physical::plain;

/// A set is empty until a frame is added, whichever that is.
#[test]
fn a_set_with_a_frame_is_not_empty() {
    assert!(FrameSet::default().is_empty());
    for frame in [0, 1, 63, 64, 200] {
        let mut set = FrameSet::default();
        set.insert(frame);
        assert!(!set.is_empty() && set.len() == 1, "{frame}");
    }
}

/// A collision with the preamble of a burst is not told to end where the burst is lost. The next burst, whose frames begin at 140
/// and 150 us, loses the second alone to a collision from 152 us on.
#[test]
fn a_burst_begins_without_the_damage_of_the_one_before() {
    let us = |micros| Time::ZERO + Span::micros(micros);
    let parts = Parts {
        begins: vec![us(140), us(150)],
    };
    let mut hits = Hits::default();
    hits.begin();
    assert!(hits.open(&parts, us(100)));
    hits.begin();
    assert!(!hits.open(&parts, us(152)));
    assert!(!hits.end(&parts, us(160)));
    let damaged = [0, 1].map(|frame| hits.frames.contains(frame));
    assert_eq!(damaged, [false, true]);
}

/// Another frame that begins and ends at one instant damages nothing.
#[test]
fn a_collision_of_no_length_damages_nothing() {
    let us = |micros| Time::ZERO + Span::micros(micros);
    let parts = Parts {
        begins: vec![us(140), us(150)],
    };
    let mut hits = Hits::default();
    hits.begin();
    hits.open(&parts, us(145));
    hits.close(&parts, us(145));
    assert!(!hits.end(&parts, us(160)) && hits.frames.is_empty());
}

/// An LDPC code has no tail and one encoder. At MCS 0 of 802.11ax a symbol of 20 MHz has 117 bits: 16 of service and 115 B fill
/// eight of them, a byte more takes a ninth.
#[test]
fn an_ldpc_code_has_no_tail() {
    let slow = mode(Format::He, 20, 0, 1);
    assert_eq!((slow.symbols(115), slow.symbols(116)), (8, 9));
    for wide in [mode(Format::He, 160, 11, 8), mode(Format::Eht, 320, 13, 8)] {
        assert_eq!(wide.encoders(), 1);
    }
    let coding = Coding::Ldpc;
    let fast = mode(Format::Vht, 160, 9, 8);
    assert_eq!(Mode { coding, ..fast }.encoders(), 1);
}

/// A receiver that waits for 1 ms at most lets packets go on after that, whichever hop and category they came by: no packet waits
/// longer on average, and those that come later are lost.
#[test]
fn a_receiver_waits_for_packets_of_each_hop_and_category() {
    for (class, before) in [(1, 1), (3, 2), (2, 3), (0, 5)] {
        let mut cell = noisy_cell(0.5, 64, 19.58);
        let mut saturated = cell.0.flows.remove(0);
        // Hops are numbered in the order of destinations, and these go to the first station.
        for number in 0..before {
            let other = cell.station(&format!("o{number}"), f64::from(number), 1.0);
            cell.flow(other, 0, 1, once(100));
        }
        (saturated.class, saturated.from, saturated.to) = (class, 0, Destination::Node(1));
        cell.0.flows.push(saturated);
        let high = cell.0.media[0].high.as_mut().expect("modes");
        high.aggregation.as_mut().expect("a window").reorder = Some(Span::millis(1));
        let (world, report) = cell.run();
        assert_eq!(world.air().hops[before as usize].to, 1);
        let sums = &report.flows[before as usize].sums;
        assert!(
            sums.dropped.packets > 20 && sums.delivered.packets > 500,
            "{sums:?}"
        );
        let most = u128::from(sums.delivered.packets) * u128::from(Span::millis(1).0);
        assert!(sums.sum.reorder > 0 && sums.sum.reorder < most);
    }
}

/// Over a channel that fades for each frame block acknowledgements are lost, and packets that their receiver has are given up
/// when they have waited for 2 ms. When all are gone, none counts as received and not acknowledged.
#[test]
fn no_received_packet_is_left_when_all_are_given_up() {
    let mut cell = noisy_cell(0.4, 64, 21.0);
    let ChannelSpec::Physical(channel) = &mut cell.0.media[0].channel else {
        unreachable!("a physical channel");
    };
    channel.fading = Some(BlockFading {
        law: Law::Nakagami(1.0),
        coherence: Span::micros(10),
    });
    cell.0.media[0].mac.lifetime = Some(Span::millis(2));
    cell.0.flows[0].source = cbr(1500, 15_000_000);
    cell.0.flows[0].stop = Span::millis(300);
    let (world, report) = cell.run();
    assert!(report.flows[0].sums.delivered.packets > 100);
    for c in &world.air().radios[1].categories {
        assert_eq!((c.frames, c.passed.packets, c.passed.bytes), (0, 0, 0));
    }
}

/// The map of a block acknowledgement has eight bytes for a window of 64, and says of each MPDU from its number on whether it has
/// come, whatever the sender told meanwhile in frames of their own.
#[test]
fn the_map_of_a_block_acknowledgement_has_what_has_come() {
    // Numbers do not reach 4096.
    let mut cell = noisy_cell(0.7, 64, 19.58);
    tell(&mut cell, "frame");
    let (frames, _) = log(&cell);
    let (mut came, mut maps, mut notices) = (BTreeSet::new(), 0, 0);
    for frame in &frames {
        match &frame.body {
            Some(Body::Packet(..)) if frame.from == 1 && frame.fate == Fate::Received => {
                came.insert(frame.number);
            }
            Some(Body::Notice(..)) if frame.from == 1 => notices += 1,
            Some(Body::Acknowledges(_, start, map)) if frame.from == 0 => {
                assert_eq!(map.len(), 8);
                maps += 1;
                for n in 0..64 {
                    let told = map[n / 8] >> (n % 8) & 1 == 1;
                    let number = start + n as u16;
                    assert_eq!(told, came.contains(&number), "{number} at {:?}", frame.at);
                }
            }
            _ => {}
        }
    }
    assert!(maps > 100 && notices > 10, "{maps} {notices}");
}

/// The 2160 bits of a symbol of 600 Mbit/s pass two encoders with a tail of 6 bits each: behind 16 bits of service and 12 of tail
/// 266 B fit one symbol, and 267 take two.
#[test]
fn each_encoder_has_a_tail() {
    let fast = mode(Format::Ht, 40, 7, 4);
    assert_eq!(
        (fast.encoders(), fast.symbols(266), fast.symbols(267)),
        (2, 1, 2)
    );
}

/// The SINR at which one of a hundred frames of 1500 B fails, by halving an interval.
fn one_percent(rung: &Rung) -> f64 {
    let (mut low, mut high) = (1e-3, 1e4);
    for _ in 0..100 {
        let middle: f64 = (low + high) / 2.0;
        match rung.fer(middle, 12_000.0) > 0.01 {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

/// A margin of 3 dB makes a mode, and each rate of a radio, fail at a SINR as it does 3 dB below without.
#[test]
fn a_margin_moves_the_errors_of_a_mode() {
    for standard in Standard::ALL {
        let of = |margin: f64| Rung::all(standard, margin, 0.01).into_iter();
        for (plain, moved) in of(0.0).zip(of(3.0)) {
            let share = moved.fer(10f64.powf(0.3) * one_percent(&plain), 12_000.0);
            assert!((share - 0.01).abs() < 1e-6, "{:?}: {share}", plain.rate);
        }
    }
    let of =
        |margin: f64| Rung::of_mode(&mode(Format::Ht, 20, 4, 1), margin, 0.01).expect("a table");
    let (plain, moved) = (of(0.0), of(3.0));
    for db in [12.0, 12.7, 13.5] {
        let ratio = |db: f64| 10f64.powf(db / 10.0);
        let (below, at) = (
            plain.fer(ratio(db), 12_000.0),
            moved.fer(ratio(db + 3.0), 12_000.0),
        );
        assert!((at / below - 1.0).abs() < 1e-6, "{db}: {at} {below}");
    }
}

/// With the short guard interval the data of a PPDU end on a multiple of 4 us. The most bytes that a time allows are those of
/// which one more takes longer, for each microsecond.
#[test]
fn the_most_bytes_of_a_time_end_on_whole_intervals() {
    let short = Mode {
        guard: Guard::Short,
        ..mode(Format::Ht, 20, 7, 1)
    };
    for micros in 60..160 {
        let span = Span::micros(micros);
        let most = short.most_bytes(span);
        assert!(
            short.airtime(most) <= span && short.airtime(most + 1) > span,
            "{micros}"
        );
    }
}

/// A CCK symbol is one of 16 biorthogonal signals (Proakis, Digital Communications, 5.2), 14 of which are orthogonal to it and
/// one is opposite: it fails with 14 Q(sqrt(E / 2)) + Q(sqrt(E)) at most. At 5.5 Mbit/s a symbol of 4 bits has 16 times the
/// energy of a chip.
#[test]
fn a_cck_symbol_fails_by_the_union_bound() {
    let receivers = plain().receivers(Standard::HrDsss);
    let tail = |x: f64| libm::erfc(x / std::f64::consts::SQRT_2) / 2.0;
    for snr in [0.4, 0.5, 0.7, 1.0] {
        let energy: f64 = 16.0 * snr;
        let bound = 14.0 * tail((energy / 2.0).sqrt()) + tail(energy.sqrt());
        let found = receivers.rungs[2].fer(snr, 4.0);
        assert!((found / bound - 1.0).abs() < 1e-9, "{snr}: {found} {bound}");
    }
}
