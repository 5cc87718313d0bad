//! The forms of XCP before their first measurement, and at the ends of what they count.

use backwater_sim::limit::Limit;
use backwater_sim::stamp::{AnyStamp, LawPacket, LawQueue, Stamp};
use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::segment::Ecn;
use backwater_transport::units::Span;

use crate::{RTT, arrive, at, change, depart, law, near, seen, value, waiting};

/// Ten packets of 1,000 B in the first interval of 50 ms are 200 kB/s: φ = 0.4 (1,875 - 200) kB/s, told in bit/s. Before that nothing is.
#[test]
fn xcp_divides_what_the_first_interval_left() {
    let mut xcp = law("xcp", Some(15_000_000), &[]);
    assert_eq!((value(&xcp, "phi_bps"), value(&xcp, "queue_B")), (0.0, 0.0));
    for _ in 0..10 {
        arrive(&mut xcp, &seen(0.01, 0), Some(&change(RTT, 10, 0.0)));
    }
    xcp.update(at(0.050_000_1), waiting(0));
    assert!(near(value(&xcp, "phi_bps"), 8.0 * 0.4 * 1_675_000.0));
}

/// A control interval has a round trip, and a millisecond where that is shorter: behind the first interval, in which a packet came, one
/// without packets leaves 0.4 of the capacity.
#[test]
fn xcp_has_intervals_of_a_millisecond_at_least() {
    for (rtt, interval) in [(400, 0.001), (1_000, 0.001), (1_500, 0.001_5)] {
        let mut xcp = law("xcp", Some(15_000_000), &[]);
        let header = change(Span::micros(rtt), 10, 0.0);
        arrive(&mut xcp, &seen(0.01, 0), Some(&header));
        let all = 8.0 * 0.4 * 1.875e6;
        xcp.update(at(0.05 + interval - 1e-6), waiting(0));
        assert!(value(&xcp, "phi_bps") < all - 1.0, "{rtt}");
        xcp.update(at(0.05 + interval + 1e-6), waiting(0));
        assert!(near(value(&xcp, "phi_bps"), all), "{rtt}");
    }
}

/// The queue is taken off within a round trip, which counts as a microsecond at least: 10 kB stood since 50 ms, and 1 kB comes in the
/// second interval of 50 ms.
#[test]
fn xcp_drains_its_queue_in_a_microsecond_at_least() {
    for (ns, counted) in [(500, 1e-6), (1_000, 1e-6), (1_500, 1.5e-6)] {
        let mut xcp = law("xcp", Some(15_000_000), &[]);
        xcp.update(at(0.05), waiting(10));
        arrive(
            &mut xcp,
            &seen(0.06, 10),
            Some(&change(Span::nanos(ns), 10, 0.0)),
        );
        xcp.update(at(0.100_000_1), waiting(10));
        assert_eq!(value(&xcp, "queue_B"), 10_000.0);
        let phi = 0.4 * (1.875e6 - 20_000.0) - 0.226 * 10_000.0 / counted;
        assert!(near(value(&xcp, "phi_bps"), 8.0 * phi), "{ns}");
    }
}

/// Where the queue takes most of a round trip to drain the least backlog is looked at each 2 ms: 90 kB need 48 of 50 ms.
#[test]
fn xcp_looks_for_the_least_backlog_each_2_ms_at_most() {
    let mut xcp = law("xcp", Some(15_000_000), &[]);
    xcp.update(at(0.05), waiting(90));
    for (now, queue) in [(0.051_9, 0.0), (0.052_1, 90_000.0)] {
        xcp.update(at(now), waiting(90));
        assert_eq!(value(&xcp, "queue_B"), queue, "{now}");
    }
}

/// The first two intervals end together at 50 ms. The next look at the backlog goes by the round trip that was known till then, although
/// a packet names 200 ms: (50 ms - 5.3 ms) / 2 later, with 10 kB at 1.875 MB/s.
#[test]
fn xcp_takes_the_round_trip_of_the_interval_before_for_its_looks() {
    let mut xcp = law("xcp", Some(15_000_000), &[]);
    arrive(
        &mut xcp,
        &seen(0.01, 10),
        Some(&change(Span::millis(200), 10, 0.0)),
    );
    let end = 0.05 + (0.05 - 10_000.0 / 1.875e6) / 2.0;
    for (now, queue) in [(end - 1e-5, 0.0), (end + 1e-5, 10_000.0)] {
        xcp.update(at(now), waiting(10));
        assert_eq!(value(&xcp, "queue_B"), queue, "{now}");
    }
}

// ---- The form for links of varying rate

fn wireless(offers: bool) -> AnyStamp {
    let mut xcp = law("xcp", None, &[("variant", "wireless")]);
    xcp.attach(&LawQueue {
        rate: None,
        offers,
        buffer: Limit::Packets(50),
    });
    xcp
}

fn offered(xcp: &mut AnyStamp, now: f64, offered: u64) -> CongestionHeader {
    let one = LawPacket {
        offered: Some(offered),
        ..seen(now, 0)
    };
    depart(xcp, &one, change(RTT, 10, f64::INFINITY), Ecn::NotEct).0
}

/// Nothing is known before the first departure, and a link that offered nothing in its window stays unmeasured, so that nothing is written.
/// A byte in a second is a capacity: 0.4 of it over the round trip of 100 ms, shared by the one packet of that time.
#[test]
fn the_wireless_form_writes_what_it_measured() {
    for (bytes, phi) in [(0, 0.0), (1, 0.04)] {
        let mut xcp = wireless(true);
        assert_eq!(
            (value(&xcp, "phi_B"), value(&xcp, "capacity_bps")),
            (0.0, 0.0)
        );
        offered(&mut xcp, 0.0, 0);
        let told = offered(&mut xcp, 1.0, bytes);
        assert!(near(value(&xcp, "phi_B"), phi), "{bytes}");
        let CongestionHeader::Change { change, .. } = told else {
            panic!("{told:?}");
        };
        match bytes {
            0 => assert_eq!(change, f64::INFINITY),
            _ => assert!(near(change, phi / 0.1), "{change}"),
        }
    }
}

/// The capacity is that of the last 100 ms: 60 of them with 1 kB each millisecond, and 40 with 3 kB.
#[test]
fn the_wireless_form_measures_over_100_ms() {
    let mut xcp = wireless(true);
    let mut sum = 0;
    for n in 0..=160 {
        sum += if n <= 120 { 1_000 } else { 3_000 };
        offered(&mut xcp, 1e-3 * f64::from(n), sum);
    }
    assert!(near(value(&xcp, "capacity_bps"), 8.0 * 180_000.0 / 0.1));
}

/// Arrivals before the first departure count for 100 ms, too: two in them at 1 MB/s, one 101 ms ago not.
#[test]
fn the_wireless_form_counts_arrivals_of_100_ms_from_the_beginning() {
    let mut xcp = law("xcp", Some(8_000_000), &[("variant", "wireless")]);
    for now in [0.0, 0.001_5, 0.1] {
        arrive(&mut xcp, &seen(now, 0), None);
    }
    depart(
        &mut xcp,
        &seen(0.101, 0),
        change(RTT, 10, f64::INFINITY),
        Ecn::NotEct,
    );
    assert!(near(
        value(&xcp, "phi_B"),
        0.4 * 0.1 * (1e6 - 2_000.0 / 0.1)
    ));
}

// ---- The blind form

/// An interval without arrivals has an average of nothing, and no size to grant packets of. Arrivals that find four packets then are a
/// growth of four.
#[test]
fn xcp_b_begins_with_an_average_of_nothing() {
    let mut blind = law("xcpb-reconstructed", None, &[("queue", "average")]);
    blind.update(at(0.050_000_1), waiting(0));
    assert_eq!(value(&blind, "phi_bps"), 0.0);
    arrive(&mut blind, &seen(0.06, 4), Some(&change(RTT, 10, 0.0)));
    blind.update(at(0.100_000_1), waiting(4));
    let packets = -0.4 * 4.0 - 0.226 * (4.0 - 10.0);
    assert!(near(
        value(&blind, "phi_bps"),
        8.0 * packets * 1_000.0 / 0.05
    ));
}

/// One packet that waits as an interval ends makes the queue busy: its growth by one is told, and no grant made, though the arrival before
/// had found nothing and nothing is held.
#[test]
fn xcp_b_takes_an_interval_that_ends_with_one_packet_for_busy() {
    let mut blind = law(
        "xcpb-reconstructed",
        None,
        &[("kappa", "0 %"), ("hold", "0")],
    );
    arrive(&mut blind, &seen(0.01, 0), Some(&change(RTT, 10, 0.0)));
    blind.update(at(0.050_000_1), waiting(1));
    assert!(near(value(&blind, "phi_bps"), 8.0 * -0.4 * 1_000.0 / 0.05));
}

/// A φ that exceeds the share of the traffic leaves nothing to shuffle: arrivals found 9 packets where 10 are aimed at, so that φ is 2,260
/// B/s, and a tenth of the 20 kB/s that came is less. Two packets share it by their spacing, and nothing is taken.
#[test]
fn xcp_b_shuffles_nothing_beside_a_great_change() {
    let headers = [100, 300].map(|ms| change(Span::millis(ms), 1, f64::INFINITY));
    let mut blind = law("xcpb-reconstructed", None, &[]);
    arrive(&mut blind, &seen(0.01, 10), Some(&headers[0]));
    blind.update(at(0.050_000_1), waiting(10));
    for header in &headers {
        arrive(&mut blind, &seen(0.06, 9), Some(header));
    }
    blind.update(at(0.150_000_1), waiting(10));
    let phi = 0.226 * 1_000.0 / 0.1;
    assert!(near(value(&blind, "phi_bps"), 8.0 * phi));
    for (header, share) in headers.into_iter().zip([0.25, 0.75]) {
        let (told, _) = depart(&mut blind, &seen(0.16, 10), header, Ecn::NotEct);
        let CongestionHeader::Change { change, .. } = told else {
            panic!("{told:?}");
        };
        assert!(near(change, phi * share), "{change}");
    }
}

/// An interval has a millisecond at least.
#[test]
fn xcp_b_has_intervals_of_a_millisecond_at_least() {
    for (rtt, interval) in [(400, 0.001), (1_000, 0.001), (1_500, 0.001_5)] {
        let mut blind = law("xcpb-reconstructed", None, &[]);
        let header = change(Span::micros(rtt), 10, 0.0);
        arrive(&mut blind, &seen(0.01, 0), Some(&header));
        blind.update(at(0.050_000_1), waiting(0));
        assert!(near(value(&blind, "interval_s"), interval), "{rtt}");
    }
}
