//! HPCC and PowerTCP: acknowledgements with records of hops, one after the other.

use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::controller::{AnyController, Controller};
use backwater_transport::segment::Feedback;
use backwater_transport::telemetry::{Hop, Record, Records};
use backwater_transport::units::Rate;

use crate::{ack, build, near, sent, shown, us};

const LINE: f64 = 12.5e9;

/// An acknowledgement of a packet with records of lines of 100 Gbit/s: bytes sent, bytes that wait, microseconds.
fn hear(controller: &mut AnyController, number: u64, hops: &[(u64, u64, f64)]) {
    let mut records = Records::default();
    for (sent, queue, at) in hops {
        records.record(Record::Exact(Hop {
            rate: LINE,
            sent: *sent,
            queue: *queue,
            at: us(*at),
        }));
    }
    let feedback = Feedback::Congestion(CongestionHeader::Telemetry(records));
    let mut heard = ack(hops[0].2, 1000, 20.0);
    (heard.number, heard.feedback) = (number, Some(&feedback));
    controller.on_ack(&heard);
}

/// The window, and that it is paced over the base round trip.
fn window(controller: &AnyController, base: f64, expected: f64) {
    let limits = controller.limits();
    assert_eq!(limits.window, expected as u64);
    let pacing = limits.pacing.expect("a pace").0 as f64;
    assert!((pacing - 8.0 * expected / base).abs() < 2.0, "{pacing}");
}

/// A product of 162,500 B. The first acknowledgement is only stored. Behind it U = 1 for as long as the line is full: the window is .95 of what
/// it was when the last update's packets left, and 80 B, however many acknowledgements come within a round trip. Ten packets are out.
#[test]
fn hpcc_moves_its_reference_once_in_a_round_trip() {
    const BASE: f64 = 13e-6;
    let mut c = build("hpcc", &[("rate", "100 Gbit/s")]);
    for number in 0..10 {
        sent(&mut c, 0.0, number, 1000);
    }
    hear(&mut c, 0, &[(0, 0, 0.0)]);
    window(&c, BASE, 162_500.0);
    hear(&mut c, 1, &[(81_250, 0, 6.5)]);
    window(&c, BASE, 154_455.0);
    hear(&mut c, 2, &[(162_500, 0, 13.0)]);
    window(&c, BASE, 154_455.0);
    // Half a round trip at 1.5 of the line counts half: U = 1.25.
    hear(&mut c, 3, &[(284_375, 0, 19.5)]);
    window(&c, BASE, 162_500.0 * 0.95 / 1.25 + 80.0);
    // Two round trips count once: U = 2.
    hear(&mut c, 4, &[(934_375, 0, 45.5)]);
    window(&c, BASE, 162_500.0 * 0.95 / 2.0 + 80.0);
    hear(&mut c, 10, &[(1_096_875, 0, 58.5)]);
    window(&c, BASE, 154_455.0);
    hear(&mut c, 11, &[(1_259_375, 0, 71.5)]);
    window(&c, BASE, 154_455.0 * 0.95 + 80.0);
}

/// Records of a way on which no port writes say nothing: the window stays the product.
#[test]
fn hpcc_keeps_its_window_where_no_hop_writes() {
    let mut c = build("hpcc", &[("rate", "100 Gbit/s")]);
    let empty = CongestionHeader::Telemetry(Records::default());
    let feedback = Feedback::Congestion(empty);
    for number in 0..5 {
        sent(&mut c, 13.0 * number as f64, number, 1000);
        let mut heard = ack(13.0 * (1 + number) as f64, 1000, 13.0);
        (heard.number, heard.feedback) = (number, Some(&feedback));
        c.on_ack(&heard);
        window(&c, 13e-6, 162_500.0);
    }
}

/// 100 Mbit/s over 13 us are 162.5 B: the window is a packet, and its pace that rate.
#[test]
fn hpcc_keeps_the_least_rate() {
    let mut c = build("hpcc", &[("rate", "100 Gbit/s")]);
    hear(&mut c, 0, &[(0, 0, 0.0)]);
    hear(&mut c, 1, &[(162_500_000_000, 0, 13.0)]);
    let limits = c.limits();
    assert_eq!(
        (limits.window, limits.pacing),
        (1000, Some(Rate(100_000_000)))
    );
}

/// With five stages W rises by 80 B five times, from half the product on, and then follows the load again: .95 / .5 of it.
#[test]
fn hpcc_adds_for_as_many_stages_as_it_is_told() {
    let mut c = build("hpcc", &[("rate", "100 Gbit/s"), ("stages", "5")]);
    hear(&mut c, 0, &[(0, 0, 0.0)]);
    let mut expected = 162_500.0 * 0.95 / 2.0 + 80.0;
    let mut total = 325_000;
    hear(&mut c, 1, &[(total, 0, 13.0)]);
    window(&c, 13e-6, expected);
    for step in 1..=6 {
        total += 81_250;
        let at = 13.0 * f64::from(step + 1);
        hear(&mut c, 1 + step as u64, &[(total, 0, at)]);
        expected = match step {
            6 => expected * 0.95 / 0.5 + 80.0,
            _ => expected + 80.0,
        };
        window(&c, 13e-6, expected);
    }
}

/// A product of 250 kB, γ .9, β 5 kB. One hop has a product waiting (Γ = 2), the other none (Γ = 1), in either order. The window with which a packet
/// left is what its acknowledgement divides.
#[test]
fn powertcp_divides_the_window_that_the_packet_left_with() {
    const BASE: f64 = 20e-6;
    for [first, second] in [[250_000, 0], [0, 250_000]] {
        let mut c = build("powertcp", &[("rate", "100 Gbit/s")]);
        for number in 0..3 {
            sent(&mut c, 0.0, number, 1000);
        }
        for number in 0..3 {
            let (total, at) = (250_000 * number, 20.0 * number as f64);
            hear(&mut c, number, &[(total, first, at), (total, second, at)]);
            window(&c, BASE, [250_000.0, 142_000.0, 131_200.0][number as usize]);
        }
    }
}

/// A queue that drains at the rate of its line leaves .05 of power. Then half a round trip with a product waiting: (.05 + 2) / 2.
#[test]
fn powertcp_keeps_a_least_power() {
    let mut c = build("powertcp", &[("rate", "100 Gbit/s")]);
    hear(&mut c, 0, &[(0, 500_000, 0.0)]);
    hear(&mut c, 1, &[(250_000, 250_000, 20.0)]);
    near(shown(&c, "power"), 0.05);
    hear(&mut c, 2, &[(375_000, 250_000, 30.0)]);
    near(shown(&c, "power"), 1.025);
}

/// By the round trip, once in each: 20 and then 40 us, 40 us apart, are a slope of .5, so Γ = 1.5 × 2.
#[test]
fn theta_powertcp_acts_once_in_a_round_trip() {
    let mut c = build("powertcp", &[("rate", "100 Gbit/s"), ("variant", "theta")]);
    for number in 0..10 {
        sent(&mut c, 0.0, number, 1000);
    }
    for (now, number, rtt, expected) in [
        (20.0, 0, 20.0, 250_000.0),
        (21.0, 1, 40.0, 250_000.0),
        (60.0, 10, 40.0, 104_500.0),
    ] {
        let mut heard = ack(now, 1000, rtt);
        heard.number = number;
        c.on_ack(&heard);
        window(&c, 20e-6, expected);
    }
}
