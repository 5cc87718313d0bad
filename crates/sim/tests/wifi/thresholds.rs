//! The two thresholds of the physical channel, of energy and of preambles, in either order: what a sender does that
//! does not receive its answer, and networks that run under every pair.

use backwater_sim::medium::wifi::mac::category::{AccessMode, AfterCollision, MacSpec};
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::physical::Physical;
use backwater_sim::medium::wifi::phy::standard::{Answer, Phy};
use backwater_sim::targets::Destination;
use backwater_sim::world::{Report, World};
use backwater_transport::units::{Rate, Span};

use crate::cell::{B, BASIC, Cell, G, RTS, cbr, dcf, edca, once, saturated};

/// The catalogued channel without shadowing, with these thresholds in dBm.
pub fn channel(preamble_detect: f64, energy_detect: f64) -> Physical {
    Physical {
        tx_power: 20.0,
        noise: -93.5,
        gain: -140.046,
        exponent: 4.0,
        shadowing: 0.0,
        shadowing_seed: None,
        energy_detect,
        preamble_detect,
        capture: Some(10.0),
        fading: None,
        fer_target: 0.01,
        margin: 0.0,
        propagation: Span::micros(1),
    }
}

/// Metres at which a frame arrives with this power.
pub fn metres(dbm: f64) -> f64 {
    1000.0 * 10f64.powf((20.0 - 140.046 - dbm) / 40.0)
}

/// Rules of the standard, with its limits of retries.
pub fn standard(access: AccessMode, phy: Phy, rts_above: u64) -> MacSpec {
    let mac = match access {
        AccessMode::Dcf => dcf(phy, rts_above),
        AccessMode::Edca => edca(phy, rts_above),
    };
    MacSpec {
        retry_short: 7,
        retry_long: 4,
        after_collision: AfterCollision::Timeout,
        ..mac
    }
}

/// Stations so many metres apart, and their flows.
type Network = fn(&mut Cell, f64);

/// Seven stations in a row, flows from end to end both ways, and one between neighbours in the middle.
fn chain(cell: &mut Cell, step: f64) {
    let ids: Vec<usize> = (0..7)
        .map(|i| cell.station(&format!("s{i}"), step * f64::from(i), 0.0))
        .collect();
    cell.flow(ids[0], ids[6], 1, cbr(1500, 600_000));
    cell.flow(ids[6], ids[0], 2, cbr(1500, 600_000));
    cell.flow(ids[3], ids[4], 1, saturated(700));
}

/// Eight stations around a sink, of which many are too far apart to hear each other, all saturated; the sink answers with
/// packets of its own.
fn hidden(cell: &mut Cell, step: f64) {
    let sink = cell.station("sink", 0.0, 0.0);
    for i in 0..8 {
        let (x, y) = (f64::from(i) * std::f64::consts::FRAC_PI_4).sin_cos();
        let station = cell.station(&format!("s{i}"), step * x, step * y);
        cell.flow(station, sink, (i % 4) as u8, saturated(1500));
        cell.flow(sink, station, 1, cbr(300, 100_000));
    }
}

/// A grid in which each station sends to the next in its row.
fn pairs(cell: &mut Cell, step: f64) {
    for row in 0..4 {
        let ids = [0, 1, 2, 3].map(|i| {
            let (x, y) = (step * f64::from(i), step * f64::from(row));
            cell.station(&format!("s{row}{i}"), x, y)
        });
        for pair in ids.windows(2) {
            cell.flow(pair[0], pair[1], 1, saturated(1500));
        }
    }
}

fn check(report: &Report, span: u64, case: &str) {
    assert!(report.conserved, "{case}: a packet is missing");
    let attempts: u64 = report.stations.iter().map(|s| s.attempts).sum();
    assert!(attempts > 0, "{case}: nobody has sent");
    for station in &report.stations {
        assert!(station.airtime <= span, "{case}: {station:?}");
        assert!(station.busy <= span, "{case}: {station:?}");
        assert!(station.failures <= station.attempts, "{case}: {station:?}");
    }
}

/// Every pair of thresholds runs: conserved, nobody sends for longer than it is busy, nor is busy for longer than the run
/// lasts.
#[test]
fn every_pair_of_thresholds_runs() {
    let preambles = [-113.5, -91.4, -82.0, -72.0, -62.0];
    let energies = [-113.5, -91.4, -82.0, -72.0, -62.0, 50.0];
    let networks: [(&str, Network); 3] = [("chain", chain), ("hidden", hidden), ("pairs", pairs)];
    let slow = |phy: Phy, mbits: u64| Phy {
        data: Rate(mbits * 1_000_000),
        ..phy
    };
    let control = |phy: Phy| Phy {
        control: Rate(6_000_000),
        ..phy
    };
    let mandatory = |phy: Phy| Phy {
        answer: Answer::Mandatory,
        ..phy
    };
    let radios = [control(slow(G, 12)), slow(B, 2), mandatory(B)];
    for preamble in preambles {
        // The distance at which a frame is received 3 dB above the threshold, if the slowest rate reaches as far.
        let step = metres(preamble + 3.0).min(140.0);
        for energy in energies {
            for (name, network) in networks {
                for (access, rts) in [
                    (AccessMode::Dcf, RTS),
                    (AccessMode::Dcf, BASIC),
                    (AccessMode::Edca, RTS),
                    (AccessMode::Edca, BASIC),
                ] {
                    for (phy, capture) in [
                        (radios[0], Some(10.0)),
                        (radios[0], None),
                        (radios[1], Some(10.0)),
                        (radios[2], Some(6.0)),
                    ] {
                        let physical = Physical {
                            capture,
                            ..channel(preamble, energy)
                        };
                        let mac = standard(access, phy, rts);
                        let mut cell = Cell::new(0.2, phy, mac, ChannelSpec::Physical(physical));
                        network(&mut cell, step);
                        let case = format!(
                            "{name}, preamble {preamble}, energy {energy}, {access:?}, RTS above {rts}, {:?}, capture {capture:?}",
                            phy.standard
                        );
                        let span = cell.0.duration.0;
                        let (_, report) = cell.run();
                        check(&report, span, &case);
                    }
                }
            }
        }
    }
}

/// Instants of packets count from here, in µs: the medium has been idle long enough then.
const ZERO: u64 = 1000;

/// A packet at an instant in µs after `ZERO`.
pub fn packet(cell: &mut Cell, from: usize, to: usize, bytes: u64, at: u64) -> usize {
    let flow = cell.flow(from, to, 1, once(bytes));
    let spec = &mut cell.0.flows[flow];
    spec.start = Span::micros(ZERO + at);
    spec.stop = Span::micros(ZERO + at + 1);
    flow
}

/// The same to all neighbours: one frame at the control rate, which nobody answers.
pub fn group_packet(cell: &mut Cell, from: usize, to: usize, bytes: u64, at: u64) {
    let flow = packet(cell, from, to, bytes, at);
    cell.0.flows[flow].to = Destination::Group(vec![to]);
}

/// Every counter that is drawn is zero.
pub fn no_backoff(mut mac: MacSpec) -> MacSpec {
    for category in &mut mac.categories {
        (category.cw_min, category.cw_max) = (0, 0);
    }
    mac
}

/// The frames of a station: µs after `ZERO`, and the frame's kind.
pub fn sends(cell: &Cell, station: usize) -> (Vec<(u64, FrameKind)>, Report) {
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_air_log();
    world.advance(world.end());
    let report = world.report();
    assert!(report.conserved, "a packet is missing");
    let frames = world.take_air_frames(true).into_iter();
    let own = frames.filter(|f| f.from == station as u32);
    let at = |ps: u64| {
        assert_eq!(ps % 1_000_000, 0, "{ps}");
        ps / 1_000_000 - ZERO
    };
    (own.map(|f| (at(f.at.0), f.kind)).collect(), report)
}

pub const OFDM: Phy = Phy {
    data: Rate(12_000_000),
    control: Rate(6_000_000),
    ..G
};
// µs. Of OFDM: SIFS, aSlotTime and aRxPHYStartDelay; RTS and CTS or ACK at 6 Mbit/s in 8 and 6 symbols of 4 µs; 1500 B of IP at
// 12 Mbit/s in 257. One of propagation is counted with each frame.
pub const SIFS: u64 = 16;
const TIMEOUT: u64 = 16 + 9 + 20;
const DIFS: u64 = 16 + 2 * 9;
const RTS_TIME: u64 = 20 + 4 * 8 + 1;
pub const ANSWER: u64 = 20 + 4 * 6 + 1;
pub const DATA: u64 = 20 + 4 * 257 + 1;

/// A sends 1500 B to B, which it hears with -75 dBm: 7 dB above `preamble_detect`, 13 dB below `energy_detect`. From the same
/// instant on somebody else sends to his neighbours for `noise` µs, `loud` dBm at A, and so keeps A from the preamble of its
/// answer; or B does, which gives no answer. Gives what A sends.
fn without_answer(rts_above: u64, loud: Option<f64>, bytes: u64) -> Vec<(u64, FrameKind)> {
    let mac = no_backoff(standard(AccessMode::Dcf, OFDM, rts_above));
    let physical = ChannelSpec::Physical(channel(-82.0, -62.0));
    let mut cell = Cell::new(0.1, OFDM, mac, physical);
    let a = cell.station("a", 0.0, 0.0);
    let b = cell.station("b", metres(-75.0), 0.0);
    let wanted = packet(&mut cell, a, b, 1500, 0);
    let (other, x) = match loud {
        Some(dbm) => (cell.station("c", -metres(dbm), 0.0), -metres(dbm) - 10.0),
        None => (b, metres(-75.0) + 10.0),
    };
    let neighbour = cell.station("d", x, 0.0);
    group_packet(&mut cell, other, neighbour, bytes, 0);
    let (frames, report) = sends(&cell, a);
    assert_eq!(report.flows[wanted].sums.delivered.packets, 1);
    frames
}

/// A sender that does not recognise the preamble of its answer, whether that is a little too weak beside the noise or
/// drowned in it, and one that gets none, is silent for CTSTimeout or ACKTimeout (SIFS + aSlotTime + aRxPHYStartDelay after its
/// frame) and DIFS, not longer and not less. IEEE 802.11-2020 10.3.2.9, 10.3.2.11.
#[test]
fn a_sender_that_misses_its_answer_is_silent_until_its_timeout() {
    // 486 bytes with header and FCS at 6 Mbit/s take 163 symbols; 1536 take 513.
    let (short, long) = (20 + 4 * 163 + 1, 20 + 4 * 513 + 1);
    for loud in [Some(-74.0), Some(-63.0), None] {
        // While the other sends, the answer is missed if it begins, or the frame that asks for it.
        let misses = |asked: u64, takes: u64, noise: u64| match loud {
            Some(_) => asked + takes + SIFS < noise,
            None => asked < noise,
        };
        let mut expected = Vec::new();
        let mut at = 0;
        while misses(at, RTS_TIME, short) {
            expected.push((at, FrameKind::Rts));
            at += RTS_TIME + TIMEOUT + DIFS;
        }
        assert!(expected.len() > 4);
        expected.push((at, FrameKind::Rts));
        let cleared = at + RTS_TIME + SIFS + ANSWER + SIFS;
        expected.push((cleared, FrameKind::Data));
        assert_eq!(without_answer(500, loud, 450), expected, "CTS, {loud:?}");

        let mut expected = Vec::new();
        let mut at = 0;
        while misses(at, DATA, long) {
            expected.push((at, FrameKind::Data));
            at += DATA + TIMEOUT + DIFS;
        }
        assert!(!expected.is_empty());
        expected.push((at, FrameKind::Data));
        assert_eq!(without_answer(BASIC, loud, 1500), expected, "ACK, {loud:?}");
    }
}

/// A, whose CTS at 1 Mbit/s is weaker than `energy_detect`, leaves it for the ACK that Y sends to X at 11 Mbit/s, which is
/// 6.4 dB stronger: A's exchange has failed when that ends (PHY-RXEND.indication), although the CTS lasts longer, and A sends its
/// RTS again after DIFS. X and A don't hear each other.
#[test]
fn a_sender_that_leaves_its_answer_for_a_stronger_frame_waits_until_that_ends() {
    let phy = Phy {
        answer: Answer::Mandatory,
        ..B
    };
    let physical = Physical {
        capture: Some(6.0),
        ..channel(-72.0, -60.0)
    };
    let mac = no_backoff(standard(AccessMode::Dcf, phy, 500));
    let mut cell = Cell::new(0.1, phy, mac, ChannelSpec::Physical(physical));
    let [a, b, y, x] = [("a", 0.0), ("b", 62.0), ("y", -43.0), ("x", -64.5)]
        .map(|(name, place)| cell.station(name, place, 0.0));
    // µs: long preamble and PHY header, then 20, 14, 336 and 1536 bytes. One more for propagation.
    let (rts, cts, ack) = (192 + 160 + 1, 192 + 112 + 1, 192 + 11 + 1);
    let short = 192 + 245 + 1;
    let (sifs, difs, timeout) = (10, 50, 10 + 20 + 192);
    // X's frame ends 5 µs after A's RTS, so the ACK begins 5 µs after the CTS.
    let late = short - 5 - rts;
    let other = packet(&mut cell, x, y, 300, 0);
    let wanted = packet(&mut cell, a, b, 1500, late);
    let (frames, report) = sends(&cell, a);
    for flow in [other, wanted] {
        assert_eq!(report.flows[flow].sums.delivered.packets, 1);
    }
    let second = late + rts + 5 + sifs + ack + difs;
    // B still sends its first CTS then, and does not hear it.
    assert!(second < late + rts + sifs + cts);
    let third = second + rts + timeout + difs;
    let data = third + rts + sifs + cts + sifs;
    let expected = [
        (late, FrameKind::Rts),
        (second, FrameKind::Rts),
        (third, FrameKind::Rts),
        (data, FrameKind::Data),
    ];
    assert_eq!(frames, expected);
}

/// A frame at -75 dBm makes the medium busy to its end if its preamble is recognised, however far it lies below
/// `energy_detect`; without a preamble if its energy reaches `energy_detect`; else it does not. IEEE 802.11-2020 17.3.10.6.
#[test]
fn the_medium_is_busy_by_a_preamble_or_by_energy() {
    for (preamble, energy, busy) in [
        (-82.0, -62.0, true),
        (-72.0, -82.0, true),
        (-82.0, -82.0, true),
        (-72.0, -62.0, false),
        (-75.1, -74.9, true),
        (-74.9, -75.1, true),
        (-74.9, -74.9, false),
    ] {
        let mac = standard(AccessMode::Dcf, OFDM, BASIC);
        let physical = ChannelSpec::Physical(channel(preamble, energy));
        let mut cell = Cell::new(0.1, OFDM, mac, physical);
        let from = cell.station("from", 0.0, 0.0);
        let to = cell.station("to", 0.0, 10.0);
        let third = cell.station("third", metres(-75.0), 0.0);
        // 1536 bytes at 6 Mbit/s, twice.
        group_packet(&mut cell, from, to, 1500, 0);
        group_packet(&mut cell, from, to, 1500, 5000);
        let (_, report) = cell.run();
        let expected = if busy {
            Span::micros(2 * (20 + 4 * 513 + 1))
        } else {
            Span::ZERO
        };
        assert_eq!(
            report.stations[third].busy, expected.0,
            "{preamble} {energy}"
        );
    }
}
