//! The physical channel: shares that follow from the error of one frame, capture, and cells so close that
//! it must agree with the unit disc.

use backwater_sim::medium::wifi::mac::category::MacSpec;
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::physical::Physical;
use backwater_sim::medium::wifi::phy::standard::{ACK, OVERHEAD};
use backwater_sim::spec::{Refusal, Routing};
use backwater_sim::targets::Destination;
use backwater_sim::world::World;
use backwater_transport::units::{Rate, Span};

use crate::cell::{B, BASIC, Cell, G, RTS, cbr, dcf, disc, edca, once, saturated};

/// Catalogued parameters without shadowing: SNR 13.454 dB at 100 m.
pub fn plain() -> Physical {
    Physical {
        tx_power: 20.0,
        noise: -93.5,
        gain: -140.046,
        exponent: 4.0,
        shadowing: 0.0,
        shadowing_seed: None,
        energy_detect: -91.4,
        preamble_detect: -91.4,
        capture: Some(10.0),
        fading: None,
        fer_target: 0.01,
        margin: 0.0,
        propagation: Span::micros(1),
    }
}

fn one_try(mut mac: MacSpec) -> MacSpec {
    mac.retry_short = 1;
    mac.retry_long = 1;
    mac
}

/// The rate that the first hop of a cell took.
fn rate(cell: &Cell) -> Result<Rate, String> {
    match World::build(&cell.0) {
        Ok(world) => Ok(world.air().hops[0].rate),
        Err(refusal) => Err(refusal.what),
    }
}

fn pair(physical: Physical, metres: f64) -> Cell {
    let mut cell = Cell::new(
        60.0,
        G,
        one_try(dcf(G, BASIC)),
        ChannelSpec::Physical(physical),
    );
    let a = cell.station("a", 0.0, 0.0);
    let b = cell.station("b", metres, 0.0);
    cell.flow(a, b, 1, cbr(1500, 1_200_000));
    cell
}

/// A pair so far apart that 54 Mbit/s fail often: of n frames, each tried once, 1 − FER arrive.
#[test]
fn a_link_delivers_what_its_frame_errors_leave() {
    let bits = 8.0 * (1500 + OVERHEAD) as f64;
    for metres in [67.0, 68.0, 69.0] {
        let mut cell = pair(
            Physical {
                fading: None,
                fer_target: 0.99,
                ..plain()
            },
            metres,
        );
        // An ACK at 6 Mbit/s never fails here.
        cell.0.media[0].phy.control = Rate(6_000_000);
        assert_eq!(rate(&cell), Ok(Rate(54_000_000)));
        let receivers = plain().receivers(G.standard);
        let snr = 10f64.powf((plain().received(metres, 0.0) - plain().noise) / 10.0);
        let error = |rung: usize, bits: f64| receivers.rungs[rung].fer(snr, bits);
        assert!(error(0, 8.0 * ACK as f64) < 1e-12);
        let right = 1.0 - error(7, bits);
        assert!((0.02..0.98).contains(&right), "{metres} m: {right}");
        let sums = &cell.run().1.flows[0].sums;
        let n = sums.entered.packets as f64;
        assert!(n >= 5999.0);
        let share = sums.delivered.packets as f64 / n;
        let sigma = (right * (1.0 - right) / n).sqrt();
        assert!(
            (share - right).abs() < 4.0 * sigma,
            "{metres} m: {share}, not {right}"
        );
    }
}

/// A frame to a group has one chance at each of its members, at the control rate, whatever the link could do.
#[test]
fn a_group_receives_what_frame_errors_leave_each_of_its_stations() {
    let places = [67.0, 68.0, 69.0];
    let mut cell = pair(
        Physical {
            fading: None,
            fer_target: 0.99,
            ..plain()
        },
        places[0],
    );
    cell.0.media[0].phy.control = Rate(54_000_000);
    cell.station("c", -places[1], 0.0);
    cell.station("d", 0.0, places[2]);
    cell.0.flows[0].to = Destination::Group(vec![1, 2, 3]);
    let (_, report) = cell.run();
    let n = report.flows[0].sums.entered.packets as f64;
    let mut nobody = 1.0;
    for (metres, row) in places.iter().zip(&report.flows[0].receivers) {
        let receivers = plain().receivers(G.standard);
        let snr = 10f64.powf((plain().received(*metres, 0.0) - plain().noise) / 10.0);
        let wrong = receivers.rungs[7].fer(snr, 8.0 * (1500 + OVERHEAD) as f64);
        let share = row.packets as f64 / n;
        let sigma = (wrong * (1.0 - wrong) / n).sqrt();
        assert!(
            (1.0 - wrong - share).abs() < 4.0 * sigma,
            "{metres} m: {share}"
        );
        nobody *= wrong;
    }
    // Frame errors are independent, so the packet is lost where all of them fail.
    let unheard = report.flows[0].sums.dropped.packets as f64 / n;
    let sigma = (nobody * (1.0 - nobody) / n).sqrt();
    assert!(
        (unheard - nobody).abs() < 4.0 * sigma,
        "{unheard}, not {nobody}"
    );
}

/// The fastest rate that loses 1 % of 1500 B, by the ranges of the catalogue; not above the radio's.
#[test]
fn a_link_takes_the_fastest_rate_that_keeps_the_target() {
    for (metres, mbits) in [
        (60.0, 54),
        (67.0, 48),
        (72.0, 36),
        (100.0, 24),
        (112.0, 18),
        (140.0, 12),
        (163.0, 9),
        (165.0, 6),
        (192.0, 6),
    ] {
        let cell = pair(plain(), metres);
        assert_eq!(rate(&cell), Ok(Rate(mbits * 1_000_000)), "{metres} m");
    }
    let mut cell = pair(plain(), 60.0);
    cell.0.media[0].phy.data = Rate(12_000_000);
    cell.0.media[0].phy.control = Rate(12_000_000);
    assert_eq!(rate(&cell), Ok(Rate(12_000_000)));
    let refused = rate(&pair(plain(), 193.0)).expect_err("too far");
    assert!(refused.contains("out of reach"), "{refused}");
    cell.spec(0).rate = Some(Rate(54_000_000));
    assert_eq!(rate(&cell), Ok(Rate(54_000_000)));
}

/// B is 20 m from A and 60 m from C: 19 dB apart, enough for 24 Mbit/s. Where A and C begin at one instant B takes A's frame;
/// where C is first, it takes it by capture alone; where A is first, C does not harm it.
#[test]
fn the_stronger_of_two_frames_is_received_or_captured() {
    for (capture, strong_first_us, expected) in [
        (Some(10.0), 0, 1),
        (Some(10.0), -100, 1),
        (Some(30.0), -100, 0),
        (Some(10.0), 100, 1),
        (None, 0, 1),
        (None, -100, 0),
        (None, 100, 1),
    ] {
        for first_strong in [true, false] {
            let physical = Physical {
                capture,
                // C senses A no sooner than A's frames are as loud as at 30 m.
                energy_detect: -60.0,
                preamble_detect: -72.5,
                ..plain()
            };
            let mut phy = G;
            phy.data = Rate(24_000_000);
            let mut cell = Cell::new(
                1.0,
                phy,
                one_try(dcf(phy, BASIC)),
                ChannelSpec::Physical(physical),
            );
            let mut near = 0;
            let b = cell.station("b", 0.0, 0.0);
            for strong in [first_strong, !first_strong] {
                let at = if strong { -20.0 } else { 60.0 };
                let station = cell.station(if strong { "a" } else { "c" }, at, 0.0);
                let flow = cell.flow(station, b, 1, once(1500));
                let late = if strong {
                    -strong_first_us
                } else {
                    strong_first_us
                };
                let late = i64::max(late, 0) as u64;
                let spec = &mut cell.0.flows[flow];
                spec.start = Span::micros(1000 + late);
                spec.stop = Span::micros(1001 + late);
                if strong {
                    near = flow;
                }
            }
            let got = cell.run().1.flows[near].sums.delivered.packets;
            assert_eq!(got, expected, "{capture:?}, {strong_first_us} µs");
        }
    }
}

/// Interference adds up, and only while it lasts: what one far station does not break, many do.
#[test]
fn interference_adds_up() {
    let run = |others: usize| {
        let physical = Physical {
            // Nobody hears anybody but at less than 60 m.
            energy_detect: -60.0,
            preamble_detect: -72.5,
            ..plain()
        };
        let mut phy = G;
        phy.data = Rate(24_000_000);
        let mut cell = Cell::new(
            1.0,
            phy,
            one_try(dcf(phy, BASIC)),
            ChannelSpec::Physical(physical),
        );
        let a = cell.station("a", 0.0, 0.0);
        let b = cell.station("b", 50.0, 0.0);
        let wanted = cell.flow(a, b, 1, once(1500));
        for i in 0..others {
            // 117 m from B: 14.8 dB weaker than A there; the pairs lie 40 m apart.
            let (x, y) = (50.0 + 117.0 * (i as f64).cos(), 117.0 * (i as f64).sin());
            let from = cell.station(&format!("from{i}"), x, y);
            let to = cell.station(&format!("to{i}"), x + 1.0, y);
            cell.flow(from, to, 1, once(1500));
        }
        for flow in &mut cell.0.flows {
            (flow.start, flow.stop) = (Span::micros(1000), Span::micros(1001));
        }
        cell.run().1.flows[wanted].sums.delivered.packets
    };
    assert_eq!((run(0), run(1), run(4)), (1, 1, 0));
}

/// Where all frames are equally strong, 53 dB above the noise, no collision leaves one of them whole, and nothing else is lost:
/// event by event the same as under the disc.
#[test]
fn a_close_cell_is_the_same_under_both_channels() {
    let physical = Physical {
        capture: None,
        gain: -60.0,
        exponent: 0.0,
        ..plain()
    };
    for mac in [dcf(G, BASIC), dcf(G, RTS), edca(G, BASIC)] {
        let run = |channel: ChannelSpec| {
            let mut cell = Cell::new(2.0, G, mac, channel);
            let sink = cell.station("sink", 0.0, 0.0);
            for i in 0..10 {
                let station = cell.station(&format!("s{i}"), 1.0 + f64::from(i) / 10.0, 0.0);
                cell.flow(station, sink, 1, saturated(1500));
            }
            cell.run().1.fingerprint
        };
        assert_eq!(
            run(ChannelSpec::Physical(physical.clone())),
            run(disc(100.0, 100.0))
        );
    }
}

/// Four hops of 100 m at 24 Mbit/s or two of 200 m: out of reach, so the airtime route goes by four.
#[test]
fn routes_go_over_links_that_keep_the_target() {
    let mut cell = Cell::new(1.0, G, dcf(G, BASIC), ChannelSpec::Physical(plain()));
    cell.0.routing = Routing::Airtime;
    let stations: Vec<usize> = (0..5)
        .map(|i| cell.station(&format!("s{i}"), 100.0 * f64::from(i), 0.0))
        .collect();
    cell.flow(stations[0], stations[4], 1, cbr(1500, 100_000));
    let world = World::build(&cell.0).expect("a chain");
    let rates: Vec<u64> = world
        .air()
        .hops
        .iter()
        .map(|h| h.rate.0 / 1_000_000)
        .collect();
    assert_eq!(rates, [24; 4]);
}

/// A pair of 802.11b so far apart that 11 Mbit/s fail often: of n frames, each tried once, 1 - FER arrive; at
/// 1 Mbit/s all do. Links take the fastest rate that keeps the target.
#[test]
fn a_link_of_802_11b_delivers_what_its_frame_errors_leave() {
    let received = |metres: f64| plain().received(metres, 0.0) - plain().noise;
    let receivers = plain().receivers(B.standard);
    for metres in [146.0, 147.0, 148.0] {
        let mut cell = pair(plain(), metres);
        cell.0.media[0].phy = B;
        if let ChannelSpec::Physical(channel) = &mut cell.0.media[0].channel {
            channel.fer_target = 0.99;
        }
        assert_eq!(rate(&cell), Ok(Rate(11_000_000)));
        let snr = 10f64.powf(received(metres) / 10.0);
        let right = 1.0 - receivers.rungs[3].fer(snr, 8.0 * (1500 + OVERHEAD) as f64);
        assert!((0.05..0.95).contains(&right), "{metres} m: {right}");
        let sums = &cell.run().1.flows[0].sums;
        let n = sums.entered.packets as f64;
        let share = sums.delivered.packets as f64 / n;
        let sigma = (right * (1.0 - right) / n).sqrt();
        assert!((share - right).abs() < 4.0 * sigma, "{share}, not {right}");
    }
    for (metres, kbits) in [(120.0, 11_000), (150.0, 5500), (175.0, 2000)] {
        let mut cell = pair(plain(), metres);
        cell.0.media[0].phy = B;
        assert_eq!(rate(&cell), Ok(Rate(kbits * 1000)), "{metres} m");
    }
}

#[test]
fn what_the_channel_cannot_do_is_refused() {
    let refused = |change: fn(&mut Cell), field: &str, what: &str| {
        let mut cell = pair(plain(), 50.0);
        change(&mut cell);
        let Refusal {
            path, what: why, ..
        } = World::build(&cell.0).expect_err("refused");
        assert!(path.ends_with(field) && why.contains(what), "{path}: {why}");
    };
    refused(
        |c| {
            let low = Physical {
                energy_detect: -120.0,
                ..plain()
            };
            c.0.media[0].channel = ChannelSpec::Physical(low);
        },
        "channel.energy_detect",
        "-113.5 dBm",
    );
}

/// A preamble that is exactly as strong as it must be is recognised, and one that is weaker by a
/// millionth of the noise is not. At that SINR one of ten frames of 1500 B fails at the slowest
/// rate, and no packet is lost in seven attempts but for one of ten million.
#[test]
fn a_preamble_exactly_as_strong_as_it_must_be_is_recognised() {
    let channel = Physical {
        gain: 0.0,
        energy_detect: -113.5,
        preamble_detect: -113.5,
        fer_target: 0.99,
        ..plain()
    };
    let receivers = channel.receivers(G.standard);
    let least = (receivers.noise as f64 * receivers.preamble).ceil() as u64;
    let delivered = |power: u64| {
        // In the middle of the dBm that are this power in whole units.
        let sinr = (power as f64 + 0.5) / receivers.noise as f64;
        let exact = Physical {
            tx_power: channel.noise + 10.0 * sinr.log10(),
            ..channel.clone()
        };
        assert_eq!(exact.power(exact.received(1000.0, 0.0)), power);
        let mut cell = pair(exact, 1000.0);
        cell.0.duration = Span::secs(1);
        let medium = &mut cell.0.media[0];
        (medium.phy.data, medium.phy.control) = (Rate(6_000_000), Rate(6_000_000));
        (medium.mac.retry_short, medium.mac.retry_long) = (7, 7);
        let (_, report) = cell.run();
        let sums = &report.flows[0].sums;
        assert!(sums.entered.packets >= 99);
        sums.delivered.packets
    };
    assert!(delivered(least) >= 98);
    assert_eq!(delivered(least - 2), 0);
}
