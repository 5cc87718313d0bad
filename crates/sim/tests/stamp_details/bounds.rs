//! Laws before their first measurement, and at the ends of what they count.

use backwater_sim::limit::Limit;
use backwater_sim::stamp::statistics::QueueStatistics;
use backwater_sim::stamp::{HOSTED, LawPacket, LawQueue, Passing, STAMPS, Senders, Stamp};
use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{File, Value};
use backwater_transport::segment::Ecn;
use backwater_transport::telemetry::{Record, Records};
use backwater_transport::units::{Span, Time};

use crate::{
    NOTHING, RTT, arrive, at, change, depart, law, near, options, seen, target, value, waiting,
};

// ---- ABC

/// Before anything is measured nothing speaks against acceleration: the share is 1, the capacity is not known, and five tokens are saved.
#[test]
fn abc_begins_with_five_tokens_and_accelerates() {
    let mut abc = law("abc", None, &[]);
    let told =
        |abc: &_| ["accelerate_share", "capacity_bps", "tokens"].map(|name| value(abc, name));
    assert_eq!(told(&abc), [1.0, 0.0, 5.0]);
    depart(&mut abc, &seen(0.0, 0), NOTHING, Ecn::NotEct);
    assert_eq!(told(&abc), [1.0, 0.0, 5.0]);
}

/// A packet of 1,000 B in the window of 20 ms is a dequeue rate of 50 kB/s. With 170 ms of queue the target is 980 kB/s less
/// 1 MB/s (170 - 50) / 133, and half of its ratio to that rate is the share; without a queue that would be more than 1.
#[test]
fn abc_divides_by_what_left_in_its_window() {
    for (packets, share) in [
        (170, 0.5 * (980.0 - 1000.0 * 120.0 / 133.0) / 50.0),
        (0, 1.0),
    ] {
        let mut abc = law("abc", Some(8_000_000), &[]);
        depart(&mut abc, &seen(0.0, packets), NOTHING, Ecn::NotEct);
        let got = value(&abc, "accelerate_share");
        assert!(near(got, share), "{packets}: {got}");
    }
}

/// A link that offered nothing in its window has no rate to divide by. A byte in a second is one: eta of it over twice the dequeue rate.
#[test]
fn abc_takes_a_link_that_offers_nothing_for_unmeasured() {
    for (offered, share) in [(0, 1.0), (1, 0.5 * 0.98 / 50_000.0)] {
        let mut abc = law("abc", None, &[]);
        abc.attach(&LawQueue {
            rate: None,
            offers: true,
            buffer: Limit::Packets(50),
        });
        for (now, offered) in [(0.0, 0), (1.0, offered)] {
            let one = LawPacket {
                offered: Some(offered),
                ..seen(now, 0)
            };
            depart(&mut abc, &one, NOTHING, Ecn::NotEct);
        }
        let got = value(&abc, "accelerate_share");
        assert!(near(got, share), "{offered}: {got}");
    }
}

// ---- ACP

/// Where nothing arrives, an estimate of one flow would fall to 1 - 0.1 · 1 / 2, and stays at one. A thousand packets that wait take more
/// than there is of the target, which ends at nothing.
#[test]
fn acp_counts_a_flow_at_least_and_asks_for_nothing_at_least() {
    let mut acp = law("acp", Some(12_000_000), &[("flows", "1")]);
    acp.update(at(0.050_000_1), waiting(0));
    assert_eq!(value(&acp, "flows"), 1.0);
    acp.update(at(0.100_000_1), waiting(1000));
    assert_eq!(value(&acp, "target_pkts"), 0.0);
}

/// Just 95 % of what fits into a period is no congestion yet: 71,250 of the 75,000 B that 12 Mbit/s carry in 50 ms. A byte more is.
#[test]
fn acp_takes_a_byte_above_95_percent_for_congestion() {
    for (bytes, told) in [(71_250, false), (71_251, true)] {
        let mut acp = law("acp", Some(12_000_000), &[]);
        let all = LawPacket {
            size: bytes,
            ..seen(0.01, 0)
        };
        arrive(&mut acp, &all, None);
        let header = CongestionHeader::Target {
            rtt: RTT,
            rate: f64::INFINITY,
            congested: false,
        };
        let (header, _) = depart(&mut acp, &seen(0.05, 0), header, Ecn::NotEct);
        let CongestionHeader::Target { congested, .. } = header else {
            panic!("{header:?}");
        };
        assert_eq!(congested, told, "{bytes}");
    }
}

// ---- XCP

/// The mean round trip is that of packets whose senders know theirs.
#[test]
fn xcp_counts_no_round_trip_before_the_first_sample() {
    let mut xcp = law("xcp", Some(15_000_000), &[]);
    let unknown = CongestionHeader::Change {
        rtt: Span::ZERO,
        spacing: 0.01,
        change: 0.0,
    };
    arrive(&mut xcp, &seen(0.01, 0), Some(&unknown));
    arrive(&mut xcp, &seen(0.02, 0), Some(&change(RTT, 10, 0.0)));
    xcp.update(at(0.050_000_1), waiting(0));
    assert!(near(value(&xcp, "mean_rtt_s"), 0.1));
}

/// Packets without a header count as load, and name no spacing by which more could be given: a packet after them gets nothing.
#[test]
fn xcp_gives_nothing_where_no_spacing_was_counted() {
    let mut xcp = law("xcp", Some(15_000_000), &[]);
    arrive(&mut xcp, &seen(0.01, 0), None);
    xcp.update(at(0.050_000_1), waiting(0));
    assert!(value(&xcp, "phi_bps") > 0.0);
    let header = change(RTT, 10, f64::INFINITY);
    let (told, _) = depart(&mut xcp, &seen(0.051, 0), header, Ecn::NotEct);
    assert_eq!(told, change(RTT, 10, 0.0));
}

// ---- RCP

/// Without traffic and backlog the rate grows by 1 + (T/d) α in each interval T, which is the mean round trip d between 100 us and 10 ms.
#[test]
fn rcp_updates_once_for_each_round_trip_from_100_us_on() {
    for (first, interval, d) in [
        ("50 us", 100.0, 50.0),
        ("150 us", 150.0, 150.0),
        ("20 ms", 1e4, 2e4),
    ] {
        let mut rcp = law("rcp", Some(8_000_000_000), &[("first_rtt", first)]);
        for n in 0..4 {
            let end = f64::from(n + 1) * interval * 1e-6;
            let rate = 0.05 * 8e9 * libm::pow(1.0 + 0.4 * interval / d, f64::from(n));
            rcp.update(at(end - 1e-7), waiting(0));
            assert!(near(value(&rcp, "rate_bps"), rate), "{first} {n}");
            rcp.update(at(end + 1e-7), waiting(0));
            assert!(value(&rcp, "rate_bps") > rate, "{first} {n}");
        }
    }
}

/// A round trip of 3 ms after a first one of 1 ms: T/d = 1, so d is 3 ms after the first interval, and the second has 3 ms.
#[test]
fn rcp_takes_its_interval_from_the_mean_round_trip() {
    let mut rcp = law("rcp", Some(8_000_000), &[("first_rtt", "1 ms")]);
    let header = CongestionHeader::Rate {
        rtt: Span::millis(3),
        rate: f64::INFINITY,
    };
    arrive(&mut rcp, &seen(0.0005, 0), Some(&header));
    rcp.update(at(0.001_000_1), waiting(0));
    assert!(near(value(&rcp, "mean_rtt_s"), 0.003));
    let rate = value(&rcp, "rate_bps");
    rcp.update(at(0.003_999), waiting(0));
    assert_eq!(value(&rcp, "rate_bps"), rate);
    rcp.update(at(0.004_001), waiting(0));
    assert!(value(&rcp, "rate_bps") > rate);
}

// ---- VCP

/// A load of 80 % is high: 160 kB of the 200 kB that 1 MB/s carries in an interval of 200 ms. A byte less is low. Before the first interval
/// has ended nothing is known, and a packet keeps what it says.
#[test]
fn vcp_calls_a_load_of_80_percent_high() {
    for (bytes, told) in [(160_000, Ecn::Ect0), (159_999, Ecn::Ect1)] {
        let mut vcp = law("vcp", Some(8_000_000), &[("gamma", "1")]);
        let all = LawPacket {
            size: bytes,
            ..seen(0.1, 0)
        };
        arrive(&mut vcp, &all, None);
        assert_eq!(value(&vcp, "load"), 0.0);
        assert_eq!(
            depart(&mut vcp, &seen(0.15, 0), NOTHING, Ecn::Ect1).1,
            Ecn::Ect1
        );
        assert_eq!(
            depart(&mut vcp, &seen(0.200_1, 0), NOTHING, Ecn::Ect1).1,
            told,
            "{bytes}"
        );
    }
}

/// An interval counts what came in it: nothing after one with 160 kB.
#[test]
fn vcp_counts_each_interval_anew() {
    let mut vcp = law("vcp", Some(8_000_000), &[("gamma", "1")]);
    let all = LawPacket {
        size: 160_000,
        ..seen(0.1, 0)
    };
    arrive(&mut vcp, &all, None);
    vcp.update(at(0.200_1), waiting(0));
    assert_eq!(value(&vcp, "load"), 0.8);
    vcp.update(at(0.400_1), waiting(0));
    assert_eq!(value(&vcp, "load"), 0.0);
}

/// The backlog is sampled each 10 ms from the first 10 ms on, with a weight of a quarter.
#[test]
fn vcp_takes_its_first_sample_after_10_ms() {
    let mut vcp = law("vcp", Some(8_000_000), &[]);
    for (now, queue) in [
        (0.009_9, 0.0),
        (0.010_1, 25_000.0),
        (0.019_9, 25_000.0),
        (0.020_1, 43_750.0),
    ] {
        vcp.update(at(now), waiting(100));
        assert_eq!(value(&vcp, "queue_B"), queue, "{now}");
    }
}

// ---- Hop records

/// A port that has sent nothing says so; then it has sent two packets of 1,000 B, and the last one left three behind.
#[test]
fn a_port_reports_what_it_has_sent_and_what_waits() {
    let mut law = law("hop-record", Some(100_000_000_000), &[]);
    let told = |law: &_| ["sent_B", "queue_B"].map(|name| value(law, name));
    assert_eq!(told(&law), [0.0, 0.0]);
    for packets in [7, 3] {
        depart(&mut law, &seen(0.0, packets), NOTHING, Ecn::NotEct);
    }
    assert_eq!(told(&law), [2_000.0, 3_000.0]);
}

/// Units of 128 B of what was sent and of 80 B of what waits, times a factor that is 1 where it is left out: 128 packets of 1,000 B are
/// 1000 units, and 4 packets that wait are 50 of them. With a factor of 4 both are a quarter, rounded down. Exact fields take no factor.
#[test]
fn quantised_fields_have_units() {
    for (units, sent, queue) in [
        (None, 1000, 50),
        (Some("1"), 1000, 50),
        (Some("4"), 250, 12),
    ] {
        let mut options = vec![("fields", "quantised")];
        options.extend(units.map(|units| ("units", units)));
        let mut law = law("hop-record", Some(100_000_000_000), &options);
        let mut last = None;
        for _ in 0..129 {
            let header = CongestionHeader::Telemetry(Records::default());
            last = Some(depart(&mut law, &seen(0.0, 4), header, Ecn::NotEct).0);
        }
        let Some(CongestionHeader::Telemetry(records)) = last else {
            panic!("{last:?}");
        };
        let [Record::Quantised(word)] = records.hops() else {
            panic!("{records:?}");
        };
        // From the lowest bit: 3 of the rate, 24 of time, 20 of bytes sent, 17 of backlog.
        let fields = (word.bits() >> 27 & 0xf_ffff, word.bits() >> 47);
        assert_eq!(fields, (sent, queue), "{units:?}");
    }
    let row = STAMPS
        .iter()
        .find(|row| row.id == "hop-record")
        .expect("a row");
    let refused = (row.build)(&options::read(row.options, &[("units", "4")]));
    assert_eq!(refused.err().map(|refusal| refusal.option), Some("units"));
}

// ---- iACP

/// Round trips of 100 ms and then one of 200 ms: a packet weighs 0.02 in their mean, or what is written. Before the first there is none.
#[test]
fn iacp_weighs_a_packet_in_its_mean_round_trip() {
    for (options, mean) in [(&[][..], 0.102), (&[("rtt_weight", "0.3")][..], 0.13)] {
        let mut iacp = law("iacp", None, options);
        assert_eq!(value(&iacp, "mean_rtt_s"), 0.0);
        for rtt in [RTT, RTT.times(2)] {
            arrive(&mut iacp, &seen(0.0, 0), Some(&target(rtt)));
        }
        assert!(near(value(&iacp, "mean_rtt_s"), mean));
    }
}

/// Steps come once for each mean round trip, and each millisecond where that is shorter: after the first, which is due at once, ten in ten
/// of them, of 0.012 · 49.5 packets each.
#[test]
fn iacp_steps_each_millisecond_at_most() {
    for (rtt, every) in [(100, 0.001), (1_000, 0.001), (1_500, 0.001_5)] {
        let mut iacp = law("iacp", None, &[("update", "mean-rtt")]);
        arrive(&mut iacp, &seen(0.0, 0), Some(&target(Span::micros(rtt))));
        iacp.update(at(10.5 * every), waiting(0));
        let steps = (value(&iacp, "desired_pkts") - 1.0) / (0.012 * 49.5);
        assert!((steps - 11.0).abs() < 1e-6, "{rtt}: {steps}");
    }
}

/// A packet that crosses elsewhere is told the target, too: one packet before the first step.
#[test]
fn iacp_tells_its_target_to_what_crosses_elsewhere() {
    let mut iacp = law("iacp", None, &[("feedback", "window")]);
    let mut header = target(RTT);
    let mut passing = Passing {
        header: Some(&mut header),
        ecn: &mut Ecn::NotEct.clone(),
        window: None,
    };
    iacp.cross(&seen(0.0, 10), &mut passing);
    let expected = CongestionHeader::Window {
        rtt: RTT,
        cwnd: 1.0,
        window: 1.0,
    };
    assert_eq!(header, expected);
}

/// A delay of 0.5 s and no lag: an integrator is unstable from b · rate · 0.5 s = π/2 on. With a sample each 10 ms that is b = 0.0314.
#[test]
fn iacp_warns_by_the_gain_of_its_round_trip() {
    let warned = |b| {
        let mut iacp = law("iacp", None, &[("b", b), ("w", "1")]);
        for n in 0..200 {
            arrive(
                &mut iacp,
                &seen(0.01 * f64::from(n), 0),
                Some(&target(Span::millis(500))),
            );
        }
        let senders = Senders {
            flows: 1,
            pairs: 1,
            approach: Some(1.0),
        };
        !iacp.warnings(at(2.0), &senders).is_empty()
    };
    assert!(!warned("0.031") && warned("0.032"));
}

// ---- What laws measure

/// A pair of nodes counts up to a second after its last packet, that instant included: one seen half a second ago has gone at 1.5 s, and
/// one seen just a second ago has not.
#[test]
fn a_flow_counts_up_to_the_end_of_its_second() {
    for id in ["iacp", "wwm"] {
        let mut law = law(id, None, &[]);
        for (now, ends) in [(0.25, [0, 1]), (0.5, [0, 2]), (1.5, [0, 3])] {
            let one = LawPacket {
                ends,
                ..seen(now, 0)
            };
            arrive(&mut law, &one, None);
        }
        assert_eq!(value(&law, "flows"), 2.0, "{id}");
    }
}

/// One packet that waits for half of the time is half a packet, with a deviation of as much.
#[test]
fn a_single_packet_that_waits_counts() {
    let mut statistics = QueueStatistics::new(Time::ZERO);
    statistics.stood(waiting(1), at(1.0));
    statistics.stood(waiting(0), at(2.0));
    assert_eq!(statistics.moments(), Some((0.5, 0.5)));
}

/// A law of a host writes the header that its scenario says, and none where it marks.
#[test]
fn a_law_of_a_host_needs_the_header_that_it_writes() {
    let row = HOSTED.iter().find(|row| row.id == "python").expect("a row");
    for (writes, layout) in [
        ("change", Some(Layout::Change)),
        ("rate", Some(Layout::Rate)),
        ("window", Some(Layout::Window)),
        ("mark", None),
    ] {
        let file = File {
            path: "law.py".into(),
            content: b"".as_slice().into(),
        };
        let given = [
            ("file", Value::File(file)),
            ("class", Value::Text("Law".into())),
            ("writes", Value::Choice(writes)),
        ];
        let given = options::fill(row.options, &given);
        let law = (row.build)(&given).expect("legal options");
        assert_eq!(law.layout(), layout, "{writes}");
    }
}
