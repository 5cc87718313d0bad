//! How errors of a frame lie in time, and up to which power it is calm.

use backwater_transport::units::Span;

use super::*;
use crate::medium::wifi::phy::physical::tests::plain;
use crate::medium::wifi::phy::standard::Standard;

fn us(n: u64) -> Time {
    Time::ZERO + Span::micros(n)
}

/// A frame of 1000 B in 1 ms: 8000 bits evenly over all its time. Of a burst they begin behind the preamble of 100 us.
#[test]
fn bits_lie_evenly_over_a_frame() {
    let receivers = plain().receivers(Standard::Ofdm);
    let coded = Coded::new(&receivers, 2, 1000, us(5), us(1005));
    assert_eq!(
        (coded.rung, coded.burst, coded.begun, coded.from, coded.ends),
        (2, false, us(5), us(5), us(1005))
    );
    assert!((coded.density - 8000.0 / 1e9).abs() < 1e-18);
    assert!((coded.calm_rate - 1.0 / 32.0 / 1e9).abs() < 1e-22);
    assert_eq!(coded.calm, receivers.rungs[2].calm(8000));
    let parts = Parts {
        begins: vec![us(105), us(400)],
    };
    let burst = coded.of_parts(1800, &parts);
    assert_eq!(
        (burst.burst, burst.begun, burst.from),
        (true, us(5), us(105))
    );
    assert!((burst.density - 14_400.0 / 9e8).abs() < 1e-18);
    assert!((burst.calm_rate - 1.0 / 32.0 / 9e8).abs() < 1e-22);
    let alone = coded.of_parts(1800, &Parts::default());
    assert!(!alone.burst && alone.density == coded.density);
}

/// Errors come by the SINR against noise and others: density times the logarithm of a bit's chance.
#[test]
fn errors_follow_the_sinr() {
    let receivers = plain().receivers(Standard::Ofdm);
    let coded = Coded::new(&receivers, 0, 1000, us(0), us(1000));
    let noise = receivers.noise;
    // Four times the noise against noise and once as much: a SINR of 2.
    let rate = coded.rate(&receivers, 4 * noise, 5 * noise);
    let expected = -8000.0 / 1e9 * receivers.rungs[0].log_right(2.0);
    assert!((rate / expected - 1.0).abs() < 1e-9, "{rate} {expected}");
}

/// A frame is calm up to so much power of all frames that noise and others reach its bound; where noise alone does, never.
#[test]
fn a_weak_frame_is_never_calm() {
    let receivers = plain().receivers(Standard::Ofdm);
    let coded = Coded::new(&receivers, 0, 1000, us(0), us(1000));
    let noise = receivers.noise as f64;
    let weakest = (noise / coded.calm) as u64;
    assert_eq!(coded.calm_until(&receivers, weakest * 99 / 100), 0);
    let just = coded.calm_until(&receivers, weakest + 2);
    assert!(
        just >= weakest + 2 && just < weakest + 9,
        "{just} {weakest}"
    );
    let strong = 100 * receivers.noise;
    let others = coded.calm_until(&receivers, strong) - strong;
    assert!((others as f64 - (strong as f64 * coded.calm - noise)).abs() <= 1.0);
}

/// Before it hears anything a receiver knows of no frame.
#[test]
fn a_new_receiver_knows_nothing() {
    let hearing = Hearing::new(7, "a");
    assert_eq!(
        (hearing.wanted, hearing.bounded, hearing.bound),
        (0, 0, 0.0)
    );
    assert!(hearing.burst.is_none() && !hearing.missed(0));
}

/// A frame that has failed is not looked at again, whatever power there is; one without news neither.
#[test]
fn a_failed_frame_is_left_alone() {
    let receivers = plain().receivers(Standard::Ofdm);
    let coded = Coded::new(&receivers, 0, 1000, us(0), us(1000));
    let mut hearing = Hearing::new(7, "a");
    hearing.wanted = 4 * receivers.noise;
    let mut sense = CarrierSense::new(0);
    let mut level = Level {
        power: 400 * receivers.noise,
        ..Level::silent(Some(&receivers))
    };
    (sense.suspect, hearing.bounded, hearing.bound) = (us(10), 0, 1e-3);
    let before = level.power;
    // At a SINR of 1/99 a bit fails at once.
    hearing.update_reception(
        (&receivers, &coded),
        &mut sense,
        before,
        &mut level,
        us(900),
    );
    assert!(sense.damaged);
    assert_eq!(
        (sense.suspect, level.low, level.high),
        (Time::NEVER, 0, u64::MAX)
    );
    // No error is due before 900 us, and power has not passed its bound: nothing is drawn.
    let mut sense = CarrierSense::new(0);
    (sense.suspect, hearing.bounded) = (us(901), before);
    (level.low, level.high) = (7, 8);
    let random = hearing.random.clone();
    hearing.update_reception(
        (&receivers, &coded),
        &mut sense,
        before,
        &mut level,
        us(900),
    );
    assert!(!sense.damaged && sense.suspect == us(901));
    assert_eq!((level.low, level.high), (7, 8));
    assert_eq!(format!("{random:?}"), format!("{:?}", hearing.random));
}
