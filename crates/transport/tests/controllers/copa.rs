//! Copa's answer to losses, told acknowledgement by acknowledgement.

use backwater_transport::controller::{Ack, AnyController, Controller};
use backwater_transport::units::Span;

use crate::build::{MSS, build, quiet_ack};
use backwater_transport_testing::bottleneck::at;

/// Acknowledgements of a round that delivers all its packets.
const ROUND: u32 = 20;

/// The window in packets when a third round begins; the second loses `lost` packets, told with its second
/// acknowledgement. The queueing delay is 10 of 110 ms.
fn window_after(lost: u64) -> f64 {
    let mut copa = build("copa", &[]);
    let mut number = 0_u32;
    let mut tell = |copa: &mut AnyController, rtt: u64, round: u32, place: u32, lost: u64| {
        number += 1;
        let srtt = Span::millis(rtt);
        copa.on_ack(&Ack {
            acked: MSS,
            advanced: MSS,
            acked_segments: 1,
            lost: lost * MSS,
            rtt: Some(srtt),
            srtt,
            round: u64::from(round),
            round_start: place == 0,
            ..quiet_ack(at(0.005 * f64::from(number)), u64::from(ROUND) * MSS)
        });
    };
    tell(&mut copa, 100, 0, 0, 0);
    for round in 1..=2 {
        // Those that were lost are not acknowledged.
        let missing = if round == 2 { lost as u32 } else { 0 };
        for place in 0..ROUND - missing {
            let now = if (round, place) == (2, 1) { lost } else { 0 };
            tell(&mut copa, 110, round, place, now);
        }
    }
    tell(&mut copa, 110, 3, 0, 0);
    copa.limits().window as f64 / MSS as f64
}

/// ×0.7 where 30 % of a round are lost. The rule looks at whole rounds: one packet of twenty is 5 % of its round, though it
/// is a third of what is known after the second acknowledgement.
#[test]
fn a_loss_early_in_a_round_is_measured_against_the_whole_round() {
    let none = window_after(0);
    let quarter = window_after(5);
    // A missing acknowledgement is a missing step, of velocity / (δ · window) packets, which is below one packet.
    assert!(
        (none - window_after(1)).abs() < 1.0,
        "{none} {}",
        window_after(1)
    );
    assert!((none - quarter).abs() < 5.0, "{none} {quarter}");
    assert!(quarter > 0.8 * none, "{none} {quarter}");
    let third = window_after(7);
    assert!(third < 0.75 * none, "{none} {third}");
}
