//! What frames are to those whom they reach and to those whom they only disturb under the physical channel.

use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::fading::{BlockFading, Law};
use backwater_sim::medium::wifi::phy::physical::Physical;
use backwater_sim::medium::wifi::phy::standard::Phy;
use backwater_sim::world::World;
use backwater_transport::units::{Rate, Span};

use crate::cell::{BASIC, Cell, G, cbr, dcf, once};
use crate::physical::plain;

/// A frame arrives at 100 m 13.454 dB above the noise, and with the fourth power of the distance less beyond: at 400 m 24.08 dB
/// less, which only disturbs. At 1000 m it is more than 20 dB below the noise and does not count.
#[test]
fn powers_are_told_in_multiples_of_the_noise() {
    let mut cell = Cell::new(1.0, G, dcf(G, BASIC), ChannelSpec::Physical(plain()));
    for x in [0.0, 100.0, 400.0, -1000.0, 50.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    let world = World::build(&cell.0).expect("a legal cell");
    let mut found: Vec<(u32, f64)> = world.air().powers(0).collect();
    found.sort_by_key(|(to, _)| *to);
    let snr = |metres: f64| 10f64.powf(1.3454) * (100.0 / metres).powi(4);
    let expected = [(1, snr(100.0)), (2, snr(400.0)), (4, snr(50.0))];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((to, power), (whom, times)) in found.into_iter().zip(expected) {
        assert!(
            to == whom && (power / times - 1.0).abs() < 1e-3,
            "{to} {power}"
        );
    }
}

/// A channel that fades lies beside one that does not, on which no frame of 24 Mbit/s is lost over 50 m.
#[test]
fn a_channel_fades_and_another_does_not() {
    let fades = Physical {
        fading: Some(BlockFading {
            law: Law::Nakagami(1.0),
            coherence: Span::micros(10),
        }),
        ..plain()
    };
    let phy = Phy {
        data: Rate(24_000_000),
        ..G
    };
    for plain_first in [true, false] {
        let mut cell = Cell::new(0.5, phy, dcf(phy, BASIC), ChannelSpec::Physical(plain()));
        let mut other = cell.0.media[0].clone();
        other.name = "fades".into();
        other.channel = ChannelSpec::Physical(fades.clone());
        cell.0.media.insert(usize::from(plain_first), other);
        let [calm, faded] = if plain_first { [0, 1] } else { [1, 0] };
        for medium in [calm, faded] {
            let [from, to] = [0.0, 50.0].map(|x| {
                let station = cell.station(&format!("s{medium}.{x}"), x, 0.0);
                cell.spec(station).medium = medium;
                station
            });
            cell.flow(from, to, 1, cbr(1500, 1_000_000));
        }
        let (_, report) = cell.run();
        assert_eq!(report.stations[0].failures, 0);
        assert!(report.stations[0].attempts > 30);
        assert!(report.stations[2].failures > 0);
    }
}

/// B receives a frame of 24 Mbit/s from 50 m, 536 us long. Stations that send to their neighbours are no more than interference to B. At these instants in us
/// they begin, at this distance from B in metres, with frames of so many bytes. Gives whether B has the frame.
fn received(others: usize, metres: f64, at: u64, bytes: u64) -> bool {
    let physical = Physical {
        // Nobody hears anybody but at less than 60 m.
        energy_detect: -60.0,
        preamble_detect: -72.5,
        ..plain()
    };
    let phy = Phy {
        data: Rate(24_000_000),
        ..G
    };
    let mut mac = dcf(phy, BASIC);
    (mac.retry_short, mac.retry_long) = (1, 1);
    let mut cell = Cell::new(0.1, phy, mac, ChannelSpec::Physical(physical));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    let wanted = cell.flow(a, b, 1, once(1500));
    cell.0.flows[wanted].start = Span::micros(1000);
    for number in 0..others {
        let (y, x) = (number as f64).sin_cos();
        let (x, y) = (50.0 + metres * x, metres * y);
        let from = cell.station(&format!("from{number}"), x, y);
        let to = cell.station(&format!("to{number}"), x + 1.0, y);
        let flow = cell.flow(from, to, 1, once(bytes));
        cell.0.flows[flow].start = Span::micros(1000 + at);
    }
    cell.run().1.flows[wanted].sums.delivered.packets == 1
}

/// Four frames from 117 m leave 8.8 dB, too little for 24 Mbit/s, and it does not help that they end before the frame does. One from 94 m leaves 11 dB for the last
/// microseconds, which few bits meet, and what came before was undisturbed.
#[test]
fn interference_counts_for_its_time() {
    assert!(received(0, 117.0, 0, 300));
    assert!(!received(4, 117.0, 0, 300));
    assert!(received(1, 94.0, 530, 300));
}
