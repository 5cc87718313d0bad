//! Links at their thresholds, each a bound fed with exactly its value, and the band of power in which a change is no news.

use backwater_transport::units::{Rate, Span};

use super::channel::{ChannelSpec, Disc, Link, distance};
use super::physical::tests::plain;
use super::physical::{Physical, Receivers};
use super::power_level::Level;
use super::standard::Standard;
use crate::medium::wifi::mac::carrier_sense::CarrierSense;

/// Power does not fall with the distance, and 0 dBm arrive.
fn flat() -> Physical {
    Physical {
        tx_power: 0.0,
        gain: 0.0,
        exponent: 0.0,
        noise: -30.0,
        energy_detect: -10.0,
        preamble_detect: -20.0,
        ..plain()
    }
}

fn link(physical: &Physical) -> Option<Link> {
    physical.link(1, ["a", "b"], 3, 50.0)
}

/// A frame counts from 20 dB below the noise on, makes the medium busy from the power of energy detection on, and is recognised
/// from that of preambles on.
#[test]
fn physical_links_begin_at_their_thresholds() {
    let noise = |dbm: f64| Physical {
        noise: dbm,
        ..flat()
    };
    assert!(link(&noise(20.0)).is_some() && link(&noise(20.000001)).is_none());
    let of = |energy_detect: f64, preamble_detect: f64| {
        let made = link(&Physical {
            energy_detect,
            preamble_detect,
            ..flat()
        });
        let made = made.expect("a link");
        (made.to, made.senses, made.decodes)
    };
    assert_eq!(of(0.0, 0.0), (3, true, true));
    assert_eq!(of(0.001, 0.0), (3, false, true));
    assert_eq!(of(0.0, 0.001), (3, true, false));
    // 30 dB above the noise, whose power is 2^20 units.
    let power = link(&flat()).expect("a link").power;
    assert!(
        (power as f64 / 1_048_576_000.0 - 1.0).abs() < 1e-9,
        "{power}"
    );
}

/// Over a metre and less as much arrives as over a metre. A decade takes ten times the exponent, a decibel of shadowing one.
#[test]
fn power_falls_with_the_distance_from_a_metre_on() {
    let falls = Physical {
        exponent: 3.0,
        gain: -100.0,
        tx_power: 20.0,
        ..flat()
    };
    let at = |metres: f64, shadowing: f64| falls.received(metres, shadowing);
    assert!((at(1000.0, 0.0) + 80.0).abs() < 1e-9);
    assert!((at(100.0, 2.0) + 52.0).abs() < 1e-9);
    assert!((at(1.0, 0.0) - 10.0).abs() < 1e-9);
    assert_eq!(at(0.3, 0.0), at(1.0, 0.0));
    assert!(at(1.5, 0.0) < at(1.0, 0.0));
    assert_eq!((flat().power(-1e3), flat().power(1e3)), (1, 1 << 52));
}

/// A preamble is recognised up to so much of all else that its SINR reaches the threshold of the lowest rate, and a frame takes
/// a receiver away from all that is 10 dB weaker. Noise counts in both. Without capture none is taken away.
#[test]
fn receivers_compare_a_frame_with_all_else() {
    let noise = 1i64 << 20;
    let receivers = flat().receivers(Standard::Ofdm);
    // 2.1 dB.
    let lowest = libm::pow(10.0, 0.21);
    assert!((receivers.preamble / lowest - 1.0).abs() < 1e-9);
    let near = receivers.near(&link(&flat()).expect("a link"));
    let power = near.power as f64;
    assert!((near.covers - ((power / lowest) as i64 - noise)).abs() <= 1);
    assert_eq!(near.overrides, (power / 10.0) as i64 - noise);
    let deaf = Link {
        decodes: false,
        ..link(&flat()).expect("a link")
    };
    assert!(receivers.near(&deaf).covers < 0);
    let without = Physical {
        capture: None,
        ..flat()
    };
    let near = without.receivers(Standard::Ofdm).near(&deaf);
    assert_eq!(near.overrides, -1);
}

/// A rate keeps its target from the power on that is enough for it. Of rates that may be chosen the fastest that does is taken;
/// a fixed one is taken or none.
#[test]
fn rates_by_power() {
    let receivers = plain().receivers(Standard::Ofdm);
    for (number, rung) in receivers.rungs.iter().enumerate() {
        let fastest = Rate(54_000_000);
        let at = |power| receivers.rate(power, None, fastest);
        assert_eq!(at(rung.enough), Some(rung.rate));
        let slower = number.checked_sub(1).map(|n| receivers.rungs[n].rate);
        assert_eq!(at(rung.enough - 1), slower);
        let fixed = |power| receivers.rate(power, Some(rung.rate), fastest);
        assert_eq!(
            (fixed(rung.enough), fixed(rung.enough - 1)),
            (Some(rung.rate), None)
        );
        assert_eq!(receivers.rate(u64::MAX, None, rung.rate), Some(rung.rate));
        assert_eq!(receivers.rung(rung.rate), number);
    }
}

/// Under the disc a bound belongs to what lies within it. Power falls with the fourth power of the distance; at the range of
/// transmission it is a unit, 2^20.
#[test]
fn disc_links_end_behind_their_ranges() {
    let disc = |transmit: f64, sense: f64, interfere: f64, metres: f64| {
        let disc = ChannelSpec::Disc(Disc {
            transmit,
            sense,
            interfere,
            capture: None,
            propagation: Span::ZERO,
        });
        let places = [[0.0, 0.0], [metres, 0.0]];
        let links = disc.links(1, &["", ""], &places).remove(0);
        assert!(links.1.is_empty());
        let link = links.0.first();
        link.map(|link| (link.decodes, link.senses, link.power))
    };
    let unit = 1u64 << 20;
    assert_eq!(disc(100.0, 250.0, 200.0, 100.0), Some((true, true, unit)));
    assert_eq!(
        disc(100.0, 250.0, 200.0, 50.0),
        Some((true, true, 16 * unit))
    );
    assert_eq!(
        disc(100.0, 250.0, 200.0, 101.0).map(|l| (l.0, l.1)),
        Some((false, true))
    );
    assert_eq!(
        disc(100.0, 250.0, 200.0, 200.0),
        Some((false, true, unit / 16))
    );
    assert_eq!(disc(100.0, 250.0, 200.0, 201.0), Some((false, true, 0)));
    assert_eq!(disc(100.0, 250.0, 200.0, 250.0), Some((false, true, 0)));
    assert_eq!(disc(100.0, 250.0, 200.0, 251.0), None);
    assert_eq!(
        disc(100.0, 150.0, 200.0, 180.0).map(|l| (l.0, l.1)),
        Some((false, false))
    );
    assert_eq!(disc(100.0, 150.0, 200.0, 201.0), None);
    // What is understood is sensed and disturbs, whatever the other ranges are.
    assert_eq!(disc(100.0, 50.0, 50.0, 100.0), Some((true, true, unit)));
    // Nobody is nearer than a metre, and power ends at 2^52.
    assert_eq!(
        disc(100.0, 100.0, 100.0, 1.0),
        Some((true, true, 100_000_000 * unit))
    );
    assert_eq!(
        disc(100.0, 100.0, 100.0, 0.0),
        Some((true, true, 100_000_000 * unit))
    );
    assert_eq!(disc(10_000.0, 1.0, 1.0, 1.0), Some((true, true, 1 << 52)));
    // The faintest interference is one unit, not none.
    assert_eq!(disc(1.0, 1.0, 4000.0, 4000.0), Some((false, false, 1)));
    assert_eq!(distance([0.0, 0.0], [71.0, 71.0]), 100.0);
    assert_eq!(distance([10.0, 3.0], [7.0, 7.0]), 5.0);
}

/// A frame survives others by the ratio of the disc's capture, 10 dB here, and nothing without it; powers of the physical
/// channel are compared in its receivers.
#[test]
fn capture_is_a_plain_ratio() {
    let disc = |capture| {
        ChannelSpec::Disc(Disc {
            transmit: 1.0,
            sense: 1.0,
            interfere: 1.0,
            capture,
            propagation: Span::micros(7),
        })
    };
    assert!((disc(Some(10.0)).capture() - 10.0).abs() < 1e-12);
    assert!((disc(Some(3.0)).capture() - 1.995262).abs() < 1e-6);
    assert!(disc(None).capture().is_infinite());
    assert!(ChannelSpec::Physical(plain()).capture().is_infinite());
    assert_eq!(disc(None).propagation(), Span::micros(7));
    assert_eq!(
        ChannelSpec::Physical(plain()).propagation(),
        Span::micros(1)
    );
}

/// Who is idle hears of power from the threshold on, who is busy of power below it, and who sends of nothing.
#[test]
fn news_is_what_makes_the_medium_busy_or_idle() {
    let receivers: Receivers = plain().receivers(Standard::Ofdm);
    let busy_from = receivers.busy_from;
    let mut level = Level::silent(Some(&receivers));
    let told = |level: &Level| (level.power, level.low, level.high);
    assert_eq!(told(&level), (0, 0, busy_from - 1));
    assert_eq!(told(&Level::silent(None)), (0, 0, 0));
    let mut sense = CarrierSense::new(0);
    for (sending, busy, low, high) in [
        (false, false, 0, busy_from - 1),
        (false, true, busy_from, u64::MAX),
        (true, true, 0, u64::MAX),
        (true, false, 0, u64::MAX),
    ] {
        (sense.sending, sense.busy) = (sending, busy);
        level.tune(&sense, busy_from);
        assert_eq!(told(&level), (0, low, high), "{sending} {busy}");
    }
    (level.low, level.high) = (10, 20);
    let news = |power: u64| {
        let level = Level { power, ..level };
        (level.is_too_low(), level.is_too_high(), level.is_news())
    };
    assert_eq!(news(9), (true, false, true));
    assert_eq!(news(10), (false, false, false));
    assert_eq!(news(20), (false, false, false));
    assert_eq!(news(21), (false, true, true));
}
