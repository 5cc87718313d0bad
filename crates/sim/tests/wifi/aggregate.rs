//! A-MPDUs under block acknowledgement, against closed forms and a slot-exact simulator.

use std::collections::BTreeSet;

use backwater_sim::limit::Limit;
use backwater_sim::medium::wifi::air_log::{AirFrame, Body, Fate};
use backwater_sim::medium::wifi::mac::category::MacSpec;
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::aggregate::Bounds;
use backwater_sim::medium::wifi::phy::channel::{ChannelSpec, Disc};
use backwater_sim::medium::wifi::phy::fading::{BlockFading, Law};
use backwater_sim::medium::wifi::phy::mode::{Coding, Format, Guard, Mode};
use backwater_sim::medium::wifi::phy::physical::Physical;
use backwater_sim::medium::wifi::phy::standard::{Answer, Band, Phy};
use backwater_sim::medium::wifi::spec::{Aggregation, Edition, High, RateControl};
use backwater_sim::spec::Turn;
use backwater_sim::world::World;
use backwater_transport::units::{Rate, Span, Time};

use crate::attempts::log;
use crate::cell::{BASIC, Cell, G, cbr, edca, saturated};

pub fn mode(format: Format, width: u16, mcs: u8, streams: u8) -> Mode {
    let coding = match format {
        Format::Ht | Format::Vht => Coding::Bcc,
        Format::He | Format::Eht => Coding::Ldpc,
    };
    Mode {
        format,
        width,
        mcs,
        streams,
        guard: Guard::Long,
        coding,
    }
}

/// Answers at the fastest basic rate up to the reference of the mode.
fn phy(mode: &Mode) -> Phy {
    Phy {
        data: mode.rate(),
        control: Rate(6_000_000),
        answer: Answer::Mandatory,
        band: Band::Ghz5,
        ..G
    }
}

/// A cell without propagation in which all understand each other up to `transmit` metres; a window of 0 is none.
pub fn cell(seconds: f64, mode: Mode, window: u16, asks: bool, transmit: f64) -> Cell {
    let phy = phy(&mode);
    let mac = MacSpec {
        lifetime: Some(Span::millis(500)),
        ..edca(phy, BASIC)
    };
    let channel = ChannelSpec::Disc(Disc {
        transmit,
        sense: transmit,
        interfere: transmit,
        capture: None,
        propagation: Span::ZERO,
    });
    let mut cell = Cell::new(seconds, phy, mac, channel);
    let bounds = Bounds::of(mode.format, window);
    cell.0.media[0].high = Some(High {
        mode,
        control: RateControl::Off,
        aggregation: (window > 0).then_some(Aggregation {
            window,
            bounds,
            asks,
            msdu: 0,
            alone: false,
            reorder: None,
        }),
    });
    cell
}

/// So many saturated senders of packets of 1500 B, and one receiver.
pub fn saturated_cell(seconds: f64, mode: Mode, window: u16, senders: usize) -> Cell {
    let mut cell = cell(seconds, mode, window, false, 100.0);
    let sink = cell.station("sink", 0.0, 0.0);
    for i in 0..senders {
        let station = cell.station(&format!("s{i}"), 1.0 + i as f64 / 10.0, 0.0);
        cell.spec(station).buffer = Limit::Packets(1000);
        cell.flow(station, sink, 1, saturated(1500));
    }
    cell
}

/// The same over a channel of this SNR in dB, without other losses. At 19.58 one of ten MPDUs of 1458 B fails at MCS 7 of 802.11n,
/// and no answer at 24 Mbit/s.
pub fn noisy_cell(seconds: f64, window: u16, snr: f64) -> Cell {
    let mut cell = saturated_cell(seconds, mode(Format::Ht, 20, 7, 1), window, 1);
    let noise = -93.5;
    cell.0.media[0].channel = ChannelSpec::Physical(Physical {
        tx_power: noise + snr,
        noise,
        gain: 0.0,
        exponent: 4.0,
        shadowing: 0.0,
        shadowing_seed: None,
        energy_detect: -91.4,
        preamble_detect: -91.4,
        capture: Some(10.0),
        fading: None,
        fer_target: 0.5,
        margin: 0.0,
        propagation: Span::ZERO,
    });
    cell.spec(1).at = [1000.0, 0.0];
    cell
}

/// The fastest mode that loses at most 10 % at the SNR: MCS 7 from 19.6 dB on, 4 between 12.7 and 17.0, 1 between 3.9 and 6.4. Each
/// carries what its closed form has, but for the first frames, which go at MCS 0.
#[test]
fn an_ideal_station_takes_the_fastest_mode_that_its_snr_allows() {
    for (snr, mcs) in [(21.5, 7), (15.0, 4), (5.2, 1)] {
        let mut cell = noisy_cell(10.0, 64, snr);
        let high = cell.0.media[0].high.as_mut().expect("modes");
        high.control = RateControl::Ideal(0.1);
        let (_, report) = cell.run();
        let found = report.flows[0].sums.delivered.bytes as f64 * 8.0 / 1e6 / 10.0;
        let best = mode(Format::Ht, 20, mcs, 1);
        let fits = |n: &u64| best.airtime(1544 * (n - 1) + 1542) <= Span::micros(5484);
        let n = (1..=64).take_while(fits).last().expect("one frame fits");
        let ppdu = best.airtime(1544 * (n - 1) + 1542).0 as f64 / 1e6;
        // Block acknowledgements at 24, 24 and 12 Mbit/s.
        let answer = if mcs == 1 { 44.0 } else { 32.0 };
        let expected = 12_000.0 * n as f64 / (43.0 + 67.5 + ppdu + 16.0 + answer);
        assert_near(found, expected, 0.01, &format!("{snr} dB"));
    }
}

/// A station that learns from its frames carries at least 90 % of the closed form of the best mode from the second second on, in A-MPDUs and
/// alone; in the one mode of the medium it carries nothing at 5.2 dB.
#[test]
fn a_station_that_learns_comes_close_to_the_best_mode() {
    for (snr, mcs, window) in [(21.5, 7, 64), (15.0, 4, 64), (5.2, 1, 64), (15.0, 4, 0)] {
        let mut cell = noisy_cell(5.0, window, snr);
        cell.0.warmup = Span::secs(1);
        let high = cell.0.media[0].high.as_mut().expect("modes");
        high.control = RateControl::Minstrel(Edition::Linux);
        let (_, report) = cell.run();
        let found = report.flows[0].sums.delivered.bytes as f64 * 8.0 / 1e6 / 4.0;
        let best = mode(Format::Ht, 20, mcs, 1);
        let fits = |n: &u64| best.airtime(1544 * (n - 1) + 1542) <= Span::micros(5484);
        let n = (1..=window.max(1)).map(u64::from).take_while(fits).last();
        let n = n.expect("one frame fits");
        let ppdu = best.airtime(1544 * (n - 1) + 1542).0 as f64 / 1e6;
        let answer = if mcs == 1 { 44.0 } else { 32.0 };
        let most = 12_000.0 * n as f64 / (43.0 + 67.5 + ppdu + 16.0 + answer);
        assert!(
            found > 0.9 * most && found < 1.01 * most,
            "{snr} dB: {found} of {most}"
        );
    }
}

/// The edition of ns-3 learns, too, and not the same: at 15 dB it carries more than 80 % of the closed form of MCS 4 from the second second on, and other packets than
/// the edition of Linux.
#[test]
fn the_edition_of_ns3_learns_by_other_rules() {
    let run = |edition| {
        let mut cell = noisy_cell(5.0, 0, 15.0);
        cell.0.warmup = Span::secs(1);
        let high = cell.0.media[0].high.as_mut().expect("modes");
        high.control = RateControl::Minstrel(edition);
        let (_, report) = cell.run();
        let found = report.flows[0].sums.delivered.bytes as f64 * 8.0 / 1e6 / 4.0;
        (found, report.fingerprint)
    };
    let (linux, ns3) = (run(Edition::Linux), run(Edition::Ns3));
    let ppdu = mode(Format::Ht, 20, 4, 1).airtime(1538).0 as f64 / 1e6;
    let most = 12_000.0 / (43.0 + 67.5 + ppdu + 16.0 + 28.0);
    assert!(ns3.0 > 0.8 * most, "{} of {most}", ns3.0);
    assert_ne!(linux.1, ns3.1);
}

/// At 3 dB MCS 0 of two streams, which needs 3.9 dB, fails and that of one, which needs 0.9, does not. A station that may send two streams learns to send one: it
/// carries at least 90 % of the 5.95 Mbit/s of the closed form from the second second on.
#[test]
fn a_station_that_learns_sends_one_stream_where_two_fail() {
    let mut cell = noisy_cell(5.0, 64, 3.0);
    cell.0.warmup = Span::secs(1);
    let high = cell.0.media[0].high.as_mut().expect("modes");
    high.mode = mode(Format::Ht, 20, 7, 2);
    high.control = RateControl::Minstrel(Edition::Linux);
    let (_, report) = cell.run();
    let found = report.flows[0].sums.delivered.bytes as f64 * 8.0 / 1e6 / 4.0;
    assert!(found > 0.9 * 5.95 && found < 1.01 * 5.95, "{found}");
}

/// A channel that fades anew for each frame, 25 dB on average: the share of exchanges that fail is the mean of what the tables have at each
/// gain, 1 - exp(-g) of which are below g, or where the acknowledgement at 6 Mbit/s is below 2.1 dB.
#[test]
fn a_frame_fails_as_often_as_its_gains_make_it() {
    let mut cell = noisy_cell(20.0, 0, 25.0);
    let medium = &mut cell.0.media[0];
    medium.phy.answer = Answer::Control;
    let ChannelSpec::Physical(channel) = &mut medium.channel else {
        unreachable!("a physical channel");
    };
    channel.fading = Some(BlockFading {
        law: Law::Nakagami(1.0),
        coherence: Span::micros(10),
    });
    let (_, report) = cell.run();
    let count = &report.stations[1];
    let found = count.failures as f64 / count.attempts as f64;
    // MPDUs of 1538 B at MCS 7: shares of those of 1458 B that fail at 18.75, 19.58 and 20.50 dB.
    let fails = |db: f64| {
        let points = [(18.75, 0.5f64), (19.58, 0.1), (20.50, 0.01)];
        let [low, high] = if db > 19.58 {
            [points[1], points[2]]
        } else {
            [points[0], points[1]]
        };
        let slope = (high.1.ln() - low.1.ln()) / (high.0 - low.0);
        let share = (low.1.ln() + slope * (db - low.0)).min(0.0).exp();
        1.0 - (1.0 - share).powf(1538.0 / 1458.0)
    };
    let steps = 100_000;
    let gains = (0..steps).map(|n| -(1.0 - (f64::from(n) + 0.5) / f64::from(steps)).ln());
    let data = gains.map(|g| fails(25.0 + 10.0 * g.log10())).sum::<f64>() / f64::from(steps);
    let answer = 1.0 - (-(10f64.powf((2.1 - 25.0) / 10.0))).exp();
    let expected = 1.0 - (1.0 - data) * (1.0 - answer);
    assert!(expected > 0.2);
    assert_near(found, expected, 0.02, "share of failed exchanges");
}

/// Each MPDU fails alone: those of 1538 B with 1 − 0.9^(1538/1458) = 10.5 %, so that 28 carry what 25.05 do without errors. A frame
/// alone pays for its failure with the whole exchange and a larger window, and its success is the chance of the same 10.5 %.
#[test]
fn each_frame_of_a_burst_fails_with_its_own_chance() {
    let fails = 1.0 - 0.9f64.powf(1538.0 / 1458.0);
    let cell = noisy_cell(10.0, 64, 19.58);
    let (_, report) = cell.run();
    let found = report.flows[0].sums.delivered.bytes as f64 * 8.0 / 1e6 / 10.0;
    assert_near(found, 60.89 * (1.0 - fails), 0.01, "A-MPDU");
    assert_eq!(report.flows[0].sums.dropped.packets, 0);
    assert!(report.flows[0].sums.sum.reorder > 0);
    let cell = noisy_cell(10.0, 0, 19.58);
    let (_, report) = cell.run();
    let count = &report.stations[1];
    let share = count.failures as f64 / count.attempts as f64;
    assert_near(share, fails, 0.05, "frames alone");
}

/// A receiver that waits for 1 ms lets packets go on long before a missing one is sent again, 5 ms later, and drops it then: those that failed
/// once, but for the last ones of 28, behind which nobody waits. Bursts, windows and timers are those of a category: of video (AIFS 34 and
/// 31.5 us of backoff, 5473.5 us a cycle) as of best effort.
#[test]
fn a_receiver_waits_no_longer_than_its_timeout() {
    let fails = 1.0 - 0.9f64.powf(1538.0 / 1458.0);
    for (class, carried) in [(1, 60.89), (2, 61.39)] {
        let mut cell = noisy_cell(10.0, 64, 19.58);
        cell.0.flows[0].class = class;
        let high = cell.0.media[0].high.as_mut().expect("modes");
        high.aggregation.as_mut().expect("a window").reorder = Some(Span::millis(1));
        let (_, report) = cell.run();
        let sums = &report.flows[0].sums;
        let (lost, came) = (sums.dropped.packets as f64, sums.delivered.packets as f64);
        assert_near(lost / (lost + came), fails * 27.0 / 28.0, 0.05, "lost");
        let all = (lost + came) * 0.012 / 10.0;
        assert_near(all, carried * (1.0 - fails), 0.01, "all");
        assert!(sums.sum.reorder > 0);
        let most = u128::from(sums.delivered.packets) * u128::from(Span::millis(1).0);
        assert!(sums.sum.reorder < most);
    }
}

pub fn assert_near(found: f64, expected: f64, share: f64, what: &str) {
    let off = found / expected - 1.0;
    assert!(
        off.abs() < share,
        "{what}: {found}, not {expected} ({off:+.4})"
    );
}

/// IP throughput in Mbit/s of one saturated sender: k packets of 1500 B in AIFS 43 + 7.5 slots of 9 µs + PPDU + SIFS 16 + answer.
/// 28 packets are the most that 5.484 ms take at MCS 7 of 802.11n, 37 at that of 802.11ax.
#[test]
fn one_saturated_sender_is_as_fast_as_the_closed_form() {
    for (mode, window, expected) in [
        (mode(Format::Ht, 20, 7, 1), 0, 31.37),
        (mode(Format::Ht, 20, 7, 1), 16, 59.29),
        (mode(Format::Ht, 20, 7, 1), 64, 60.89),
        (mode(Format::Ht, 20, 0, 1), 64, 5.95),
        (mode(Format::Vht, 20, 8, 1), 16, 70.21),
        (mode(Format::Vht, 80, 9, 2), 64, 630.3),
        (mode(Format::He, 20, 7, 1), 256, 80.33),
        (mode(Format::He, 80, 11, 1), 256, 559.9),
    ] {
        let cell = saturated_cell(2.0, mode, window, 1);
        let found = cell.throughputs(2)[0];
        assert_near(found, expected, 0.005, &format!("{mode:?} {window}"));
    }
}

/// Cells of saturated senders whose frames collide, DIFS after a collision, data sent again where the acknowledgement is missing:
/// Mbit/s of a slot-exact simulator, 802.11n at MCS 7 and 28 frames.
#[test]
fn cells_are_as_fast_as_a_slot_exact_simulator_has_them() {
    for (senders, expected) in [(2, 57.64), (5, 52.10), (10, 47.93), (20, 43.44)] {
        // About 250,000 exchanges, each a success or not: a standard error of 0.15 %.
        let mut cell = saturated_cell(100.0, mode(Format::Ht, 20, 7, 1), 28, senders);
        // The simulator gives no frame up; whoever has collided often waits for more than 500 ms.
        cell.0.media[0].mac.lifetime = None;
        let found: f64 = cell.throughputs(10).iter().sum();
        assert_near(found, expected, 0.005, &format!("{senders} senders"));
    }
}

/// C does not hear A and sends short frames now and then, which damage some frames of A's bursts at B. B has the others, holds them
/// back behind the hole, and delivers all in order; the parts of their delay add up.
#[test]
fn a_burst_that_is_damaged_in_part_is_repaired_in_part() {
    for asks in [true, false] {
        let mut cell = cell(5.0, mode(Format::Ht, 20, 7, 1), 64, asks, 100.0);
        let a = cell.station("A", 0.0, 0.0);
        let b = cell.station("B", 90.0, 0.0);
        let c = cell.station("C", 180.0, 0.0);
        let d = cell.station("D", 270.0, 0.0);
        let long = cell.flow(a, b, 1, saturated(1500));
        cell.flow(c, d, 1, cbr(100, 80_000));
        let (_, report) = cell.run();
        let sums = &report.flows[long].sums;
        let parts = sums.sum.serial
            + sums.sum.queue
            + sums.sum.gate
            + sums.sum.contention
            + sums.sum.retries
            + sums.sum.aggregate
            + sums.sum.reorder
            + sums.sum.propagation;
        assert_eq!(sums.sum.total, parts);
        assert_eq!(sums.sum.propagation, 0);
        assert!(sums.sum.reorder > 0 && sums.sum.retries > 0);
        assert_eq!(sums.dropped.packets, 0, "nothing is given up");
        // 100 frames a second of 40 to 60 µs cost up to 100 bursts a frame or two, or their answers.
        let mbits = sums.delivered.bytes as f64 * 8.0 / 1e6 / 5.0;
        assert!((50.0..60.8).contains(&mbits), "{mbits}");
    }
}

/// 12 Mbit/s are offered where 5.95 go at MCS 0, so packets expire before they are sent. They have no numbers yet: the receiver misses none of
/// them and holds nothing back.
#[test]
fn packets_that_expire_before_they_are_sent_leave_no_hole() {
    let mut cell = cell(3.0, mode(Format::Ht, 20, 0, 1), 64, false, 100.0);
    cell.0.media[0].mac.lifetime = Some(Span::millis(100));
    let sink = cell.station("sink", 0.0, 0.0);
    let sender = cell.station("s", 1.0, 0.0);
    cell.spec(sender).buffer = Limit::Packets(1000);
    cell.flow(sender, sink, 1, cbr(1500, 12_000_000));
    let (_, report) = cell.run();
    let sums = &report.flows[0].sums;
    assert!(sums.dropped.packets > 1000);
    assert_eq!(sums.sum.reorder, 0);
    let found = sums.delivered.bytes as f64 * 8.0 / 1e6 / 3.0;
    assert_near(found, 5.95, 0.02, "what is in time");
}

/// A packet's own bits are its serialisation, with preamble and headers; the rest of its PPDU is the time of others.
#[test]
fn a_packet_shares_the_time_of_its_ppdu() {
    let cell = saturated_cell(1.0, mode(Format::Ht, 20, 7, 1), 16, 1);
    let (_, report) = cell.run();
    let sums = &report.flows[0].sums;
    let n = sums.delivered.packets as u128;
    // 3080 µs hold a preamble of 36 µs and 16 equal parts but for their padding: 1542 of 24,702 B, 190 µs.
    let serial = (sums.sum.serial / n) as f64 / 1e6;
    let others = (sums.sum.aggregate / n) as f64 / 1e6;
    let own = 36.0 + 3044.0 * 1542.0 / 24_702.0;
    assert_near(serial, own, 1e-6, "serialisation");
    assert_near(serial + others, 3080.0, 1e-6, "PPDU");
}

/// The mode of a link is the slower one of its two stations, and no other one that some station of
/// the medium has. At 10 dB MCS 7 fails, and MCS 0 does not.
#[test]
fn a_link_takes_the_slower_mode_of_its_stations_and_no_other() {
    let build = |slow: usize| {
        let mut cell = noisy_cell(1.0, 64, 10.0);
        let other = cell.station("other", 0.0, 5000.0);
        assert_eq!(other, 2);
        cell.spec(slow).mode = Some(mode(Format::Ht, 20, 0, 1));
        World::build(&cell.0)
    };
    for slow in [0, 1] {
        let world = build(slow).expect("a link at MCS 0");
        assert_eq!(world.air().hops[0].rate, Rate(6_500_000));
    }
    let refusal = build(2).expect_err("no link at MCS 7");
    assert_eq!(refusal.path, "flows.f0.to");
}

/// A BAR asks from the number of the first frame on that its sender may repeat: the lowest one that
/// it has sent and that no acknowledgement has named. IEEE 802.11-2020 10.25.6.7. One of 25 block
/// acknowledgements is lost over a channel that fades anew for each frame.
#[test]
fn a_bar_asks_from_the_first_frame_on_that_is_not_acknowledged() {
    let mut cell = noisy_cell(0.5, 64, 25.0);
    let medium = &mut cell.0.media[0];
    let high = medium.high.as_mut().expect("modes");
    high.aggregation.as_mut().expect("a window").asks = true;
    let ChannelSpec::Physical(channel) = &mut medium.channel else {
        unreachable!("a physical channel");
    };
    channel.fading = Some(BlockFading {
        law: Law::Nakagami(1.0),
        coherence: Span::micros(10),
    });
    let (frames, _) = log(&cell);
    let (mut open, mut last, mut asked) = (BTreeSet::new(), 0, 0);
    for frame in frames {
        match (frame.kind, &frame.body) {
            (FrameKind::Data, _) => {
                last = frame.number;
                open.insert(last);
            }
            (FrameKind::Ack, _) if frame.fate == Fate::Received => {
                open.remove(&last);
            }
            (_, Some(Body::Acknowledges(_, from, map))) if frame.fate == Fate::Received => {
                let bit = |n: u16| map[usize::from(n) / 8] >> (n % 8) & 1 == 1;
                (0..64).filter(|n| bit(*n)).for_each(|n| {
                    open.remove(&(from + n));
                });
            }
            (_, Some(Body::Asks(_, from))) => {
                assert_eq!(open.first(), Some(from));
                asked += 1;
            }
            _ => (),
        }
    }
    // Numbers did not begin anew.
    assert!(asked > 2 && last > 500 && last < 4000, "{asked} {last}");
}

/// Two neighbours take turns, and more than half of the frames to either are lost. Under block
/// acknowledgement frames that were lost wait for the next turn of their neighbour: where no answer
/// came, the other one is served first.
#[test]
fn under_block_acknowledgement_frames_that_were_lost_wait_for_their_turn() {
    let mut cell = noisy_cell(0.5, 2, 18.5);
    let ChannelSpec::Physical(channel) = &mut cell.0.media[0].channel else {
        unreachable!("a physical channel");
    };
    channel.fer_target = 0.99;
    let [a, x] = [1, 0];
    let y = cell.station("y", 2000.0, 0.0);
    cell.flow(a, y, 1, saturated(1500));
    cell.spec(a).serving.turn = Turn::RoundRobin;
    let (frames, _) = log(&cell);
    let to = |n: usize| move |f: &&AirFrame| f.to == n as u32 && f.kind == FrameKind::Data;
    let [to_x, to_y] = [x, y].map(|n| frames.iter().filter(to(n)).count());
    assert!(to_x > 100 && to_y > 100, "{to_x} {to_y}");
    // Each frame on the air, or all frames of an A-MPDU: to whom, and whether an answer came.
    let mut sent: Vec<(Time, u32, bool)> = Vec::new();
    for frame in &frames {
        match frame.kind {
            FrameKind::Data if sent.last().is_none_or(|last| last.0 < frame.at) => {
                sent.push((frame.at, frame.to, false));
            }
            FrameKind::Ack | FrameKind::BlockAck => {
                sent.last_mut().expect("a frame before").2 = frame.fate == Fate::Received;
            }
            _ => (),
        }
    }
    let lost = sent.windows(2).filter(|pair| !pair[0].2);
    let neighbours: Vec<bool> = lost.map(|pair| pair[0].1 != pair[1].1).collect();
    assert!(neighbours.len() > 50, "{}", neighbours.len());
    assert!(neighbours.iter().all(|other| *other));
}
