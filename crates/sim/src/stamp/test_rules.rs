//! What laws need, when they warn, and their measurements at the ends of windows.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Span, Time};

use super::measure::{Flows, Meter, Recent, ticks};
use super::statistics::QueueStatistics;
use super::{AnyStamp, Backlog, LawPacket, LawQueue, Passing, STAMPS, Senders, Stamp};
use crate::limit::Limit;
use backwater_transport_testing::options;

const PLACE: LawQueue = LawQueue {
    rate: Some(Rate(8_000_000)),
    offers: false,
    buffer: Limit::Packets(50),
};

fn law(id: &str, options: &[(&str, &str)]) -> AnyStamp {
    let row = STAMPS.iter().find(|row| row.id == id).expect(id);
    let built = (row.build)(&options::read(row.options, options));
    let mut law = built.unwrap_or_else(|refusal| panic!("{id}: {refusal:?}"));
    law.attach(&PLACE);
    law
}

fn ms(n: u64) -> Time {
    Time::ZERO + Span::millis(n)
}

fn seen(at: u64, packets: u64) -> LawPacket {
    LawPacket {
        now: ms(at),
        size: 1000,
        ends: [0, 1],
        backlog: Backlog {
            bytes: 1000 * packets,
            packets,
        },
        lost: false,
        offered: None,
    }
}

fn depart(law: &mut AnyStamp, seen: &LawPacket, header: &mut CongestionHeader) {
    let mut passing = Passing {
        header: Some(header),
        ecn: &mut Ecn::NotEct.clone(),
        window: None,
    };
    law.depart(seen, &mut passing);
}

fn value(law: &AnyStamp, name: &str) -> f64 {
    let values = law.values();
    values.iter().find(|(n, _)| *n == name).expect(name).1
}

/// The header that a law writes, and whether it needs a line rate or a buffer that counts packets: not where that is written.
#[test]
fn laws_say_what_they_need() {
    let capacity: &[(&str, &str)] = &[("capacity", "1 Mbit/s")];
    let buffer: &[(&str, &str)] = &[("buffer", "20 packets")];
    for (id, layout, rate, packets, written) in [
        ("iacp", Some(Layout::Window), false, true, buffer),
        ("acp", Some(Layout::Target), true, false, capacity),
        ("xcp", Some(Layout::Change), true, false, capacity),
        (
            "xcpb-reconstructed",
            Some(Layout::Change),
            false,
            true,
            buffer,
        ),
        ("rcp", Some(Layout::Rate), true, false, capacity),
        ("abc", Some(Layout::Brake), false, false, &[][..]),
        ("vcp", Some(Layout::Load), true, false, capacity),
        ("wwm", None, false, true, buffer),
    ] {
        let plain = law(id, &[]);
        assert_eq!(plain.layout(), layout, "{id}");
        assert_eq!(
            (plain.needs_rate(), plain.needs_packets()),
            (rate, packets),
            "{id}"
        );
        assert!(
            plain.observes_arrivals() && plain.rates().is_empty(),
            "{id}"
        );
        let written = law(id, written);
        assert!(!written.needs_rate() && !written.needs_packets(), "{id}");
    }
    let record = law("hop-record", &[]);
    assert_eq!(record.layout(), Some(Layout::Telemetry));
    assert!(record.needs_rate() && !record.needs_packets() && !record.observes_arrivals());
    assert!(record.rates().is_empty());
    assert!(
        !law("hop-record", &[("fields", "quantised")])
            .rates()
            .is_empty()
    );
    let wireless = law("xcp", &[("variant", "wireless")]);
    assert_eq!(wireless.layout(), Some(Layout::Change));
    assert!(!wireless.needs_rate() && !wireless.needs_packets());
}

/// The wireless form of XCP measures its capacity, and refuses one that is written.
#[test]
fn the_wireless_form_takes_no_capacity() {
    let row = STAMPS.iter().find(|row| row.id == "xcp").expect("xcp");
    let refused = |more: (&str, &str)| {
        let args = options::read(row.options, &[("variant", "wireless"), more]);
        (row.build)(&args).err().map(|refusal| refusal.option)
    };
    assert_eq!(refused(("capacity", "1 Mbit/s")), Some("variant"));
    assert_eq!(refused(("capacity_scale", "1.5")), Some("variant"));
    assert_eq!(refused(("capacity_scale", "1")), None);
}

/// The wireless form on a line of 1 MB/s with 30 packets waiting: a round trip of 130 ms, in which 20 packets arrived and 2
/// departed. The least backlog of the last 100 ms is 10 packets. 0.4 x 0.13 x (1,000,000 - 20,000 / 0.13) - 0.226 x 10,000 bytes
/// are shared by the two. The change is that by the sender's own round trip.
#[test]
fn the_wireless_form_follows_its_equation() {
    let mut xcp = law("xcp", &[("variant", "wireless")]);
    let header = |rtt| CongestionHeader::Change {
        rtt,
        spacing: 0.01,
        change: f64::INFINITY,
    };
    for n in 0..20 {
        xcp.arrive(&seen(100 + n, 0), None);
    }
    depart(&mut xcp, &seen(120, 5), &mut header(Span::millis(50)));
    depart(&mut xcp, &seen(121, 10), &mut header(Span::millis(50)));
    // The backlog of 5 packets is 101 ms old, that of 10 is 100 ms old.
    let mut written = header(Span::millis(50));
    depart(&mut xcp, &seen(221, 30), &mut written);
    let arrived = 20.0;
    let phi = 0.4 * 0.13 * (1e6 - 1000.0 * arrived / 0.13) - 0.226 * 10_000.0;
    assert!(
        (value(&xcp, "phi_B") - phi).abs() < 1e-6,
        "{} {phi}",
        value(&xcp, "phi_B")
    );
    assert_eq!(value(&xcp, "capacity_bps"), 8e6);
    let CongestionHeader::Change { change, .. } = written else {
        panic!("{written:?}");
    };
    assert!((change - phi / 3.0 / 0.05).abs() < 1e-6, "{change}");
    // Without a round trip of its own a sender gets nothing, and less than a router before gave stays.
    let mut unknown = header(Span::ZERO);
    depart(&mut xcp, &seen(222, 30), &mut unknown);
    assert!(matches!(unknown, CongestionHeader::Change { change, .. } if change == 0.0));
    // Round trips end at 2 s: 5000 packets wait for 5 s.
    depart(&mut xcp, &seen(223, 5000), &mut header(Span::millis(50)));
    let low = 30_000.0;
    let phi = 0.4 * 2.0 * (1e6 - 20_000.0 / 2.0) - 0.226 * low;
    assert!(
        (value(&xcp, "phi_B") - phi).abs() < 1e-6,
        "{} {phi}",
        value(&xcp, "phi_B")
    );
}

/// Bytes count for the whole window, and no more at its end.
#[test]
fn bytes_are_forgotten_at_the_end_of_the_window() {
    let mut recent = Recent::new(Span::millis(10));
    recent.add(ms(0), 100);
    recent.add(ms(5), 300);
    assert_eq!(
        (recent.rate(Time(ms(10).0 - 1)), recent.count()),
        (40_000.0, 2)
    );
    assert_eq!((recent.rate(ms(10)), recent.count()), (30_000.0, 1));
    recent.set_span(Span::millis(20));
    assert_eq!((recent.rate(ms(10)), recent.count()), (15_000.0, 1));
    recent.add(ms(25), 500);
    assert_eq!((recent.rate(ms(25)), recent.count()), (25_000.0, 1));
    recent.add(ms(45), 1);
    assert_eq!(recent.count(), 1);
}

/// A trace link's rate is known from the second instant on. The sample at the beginning of the window stays, and one before it
/// where there are no more than two.
#[test]
fn offers_are_measured_over_the_window() {
    let place = LawQueue {
        rate: None,
        offers: true,
        ..PLACE
    };
    let mut meter = Meter::new(&place, Span::millis(10));
    let mut at = |t: u64, offered: u64| {
        meter.depart(&LawPacket {
            offered: Some(offered),
            ..seen(t, 0)
        });
        meter.rate()
    };
    assert_eq!(at(0, 1000), None);
    assert_eq!(at(0, 2000), None);
    assert_eq!(at(4, 5000), Some(1_000_000.0));
    // 10 ms after the second sample the first one goes; at 14 ms the sample of 4 ms leads.
    assert_eq!(at(10, 8000), Some(600_000.0));
    assert_eq!(at(14, 9000), Some(400_000.0));
    assert_eq!(at(40, 9500), Some(500.0 / 0.026));
}

/// A radio's rate counts departures behind which frames waited, and how long each took. The last one stays, however old it is.
#[test]
fn a_radio_is_measured_while_frames_wait() {
    let place = LawQueue {
        rate: None,
        ..PLACE
    };
    let mut meter = Meter::new(&place, Span::millis(10));
    let mut at = |t: u64, packets: u64| {
        meter.depart(&seen(t, packets));
        meter.rate()
    };
    assert_eq!(at(0, 1), None);
    assert_eq!(at(2, 0), Some(500_000.0));
    assert_eq!(at(100, 1), Some(500_000.0));
    assert_eq!(at(101, 1), Some(1_000_000.0));
    // 10 ms after 101 ms that departure is out of the window: 2000 B in 10 ms are left.
    assert_eq!(at(106, 1), Some(2000.0 / 0.006));
    assert_eq!(at(111, 1), Some(2000.0 / 0.010));
}

/// A pair counts up to the end of its time, that instant included. None counts as one.
#[test]
fn flows_count_for_their_time() {
    let mut flows = Flows::new(Span::millis(10));
    assert_eq!(flows.count(), 1.0);
    flows.note(ms(0), [0, 1]);
    flows.note(ms(3), [0, 2]);
    flows.note(ms(10), [0, 3]);
    assert_eq!(flows.count(), 3.0);
    flows.note(Time(ms(10).0 + 1), [0, 3]);
    assert_eq!(flows.count(), 2.0);
    flows.note(ms(12), [0, 2]);
    flows.note(ms(20), [0, 4]);
    assert_eq!(flows.count(), 3.0);
    flows.note(ms(21), [0, 4]);
    assert_eq!(flows.count(), 2.0);
    flows.note(ms(60), [5, 6]);
    assert_eq!(flows.count(), 1.0);
    flows.note(ms(60), [5, 7]);
    flows.note(ms(70), [5, 7]);
    assert_eq!(flows.count(), 2.0);
    flows.note(Time(ms(70).0 + 1), [5, 7]);
    assert_eq!(flows.count(), 1.0);
}

/// A timer runs at each of its instants up to now, with the interval that each gives.
#[test]
fn timers_catch_up() {
    let mut due = ms(10);
    let mut seen = Vec::new();
    let backlog = Backlog::default();
    for now in [9, 10, 10, 36] {
        ticks(&mut due, ms(now), backlog, |at, _| {
            seen.push(at);
            Span::millis(seen.len() as u64 * 5)
        });
    }
    assert_eq!(seen, [ms(10), ms(15), ms(25)]);
    assert_eq!(due, ms(40));
}

/// No packet, no time, or an instant that has passed adds nothing; an empty queue has no deviation.
#[test]
fn statistics_of_an_empty_queue() {
    let mut statistics = QueueStatistics::new(ms(10));
    statistics.stood(seen(0, 9).backlog, ms(10));
    assert_eq!(statistics.moments(), None);
    statistics.stood(seen(0, 0).backlog, ms(20));
    assert_eq!(statistics.moments(), Some((0.0, 0.0)));
    statistics.stood(seen(0, 4).backlog, ms(30));
    statistics.stood(seen(0, 400).backlog, ms(25));
    assert_eq!(statistics.moments(), Some((2.0, 2.0)));
}

fn senders(approach: Option<f64>) -> Senders {
    Senders {
        flows: 1,
        pairs: 1,
        approach,
    }
}

/// A law that believes in more packets than its port takes says so, and one that counts fewer pairs than flows.
#[test]
fn laws_warn_of_buffers_and_pairs() {
    for id in ["iacp", "xcpb-reconstructed", "wwm"] {
        let warnings = |buffer: &str, flows: usize| {
            let law = law(id, &[("buffer", buffer)]);
            let senders = Senders {
                flows,
                pairs: 2,
                approach: None,
            };
            law.warnings(ms(1), &senders).join(" ")
        };
        assert_eq!(warnings("50 packets", 2), "", "{id}");
        assert!(warnings("51 packets", 2).contains("51 packets is larger than its port's of 50"));
        let counts_pairs = warnings("50 packets", 3).contains("it takes 3 flows for 2");
        assert_eq!(counts_pairs, id != "xcpb-reconstructed", "{id}");
    }
}

/// The warning of an unstable loop, after 200 samples in 2 s of packets with a round trip of 1 s, of so many pairs of nodes.
fn unstable(options: &[(&str, &str)], pairs: u32, approach: Option<f64>) -> bool {
    let mut iacp = law("iacp", options);
    let header = CongestionHeader::Window {
        rtt: Span::secs(1),
        cwnd: 1.0,
        window: 1.0,
    };
    for n in 0..200 {
        let one = LawPacket {
            ends: [0, 1 + n % pairs],
            ..seen(1000 + u64::from(n) * 10, 0)
        };
        iacp.arrive(&one, Some(&header));
    }
    let said = iacp.warnings(ms(3000), &senders(approach));
    said.iter()
        .any(|text| text.contains("makes the loop unstable"))
}

/// Without lags an integrator of gain K and delay T is unstable from K T = pi / 2 on: with 100 samples a second and T = 1 s from
/// b = 0.015708 on; the literal law multiplies by g. Nothing is said before the first round trip is known.
#[test]
fn a_delayed_integrator_is_unstable_from_half_pi_on() {
    let of = |b: &str, more: (&str, &str)| unstable(&[("b", b), ("w", "1"), more], 1, None);
    let intended = ("law", "intended");
    assert!(!of("0.0157079", intended) && of("0.0157080", intended));
    let literal: [(&str, &str); 3] = [("w", "1"), ("law", "literal"), ("g", "0.5")];
    let with = |b| [[("b", b)].as_slice(), &literal].concat();
    assert!(!unstable(&with("0.0314159"), 1, None) && unstable(&with("0.0314160"), 1, None));
    let silent = law("iacp", &[("b", "1000")]);
    assert_eq!(
        silent.warnings(ms(3000), &senders(None)),
        Vec::<String>::new()
    );
}

/// A lag of 4 / pi s turns by pi / 4 where the delay of 1 s does, at pi / 4 rad/s; the gain there is pi / 4 times the root of 2,
/// 1.1107207. The lag is that of the smoothed queue, (1 - w) / w samples, or of a sender, (1 - a) / a acknowledgements, one for
/// each sample of all flows.
#[test]
fn lags_lower_the_gain() {
    let lag = 400.0 / std::f64::consts::PI;
    let w = format!("{}", 1.0 / (1.0 + lag));
    let of = |b| unstable(&[("b", b), ("w", &w)], 1, None);
    assert!(!of("0.0111072") && of("0.0111073"));
    let approach = Some(1.0 / (1.0 + lag));
    let of = |b| unstable(&[("b", b), ("w", "1")], 1, approach);
    assert!(!of("0.0111072") && of("0.0111073"));
    let approach = Some(1.0 / (1.0 + lag / 2.0));
    let of = |b| unstable(&[("b", b), ("w", "1")], 2, approach);
    assert!(!of("0.0111072") && of("0.0111073"));
}

/// Updated once for each round trip the loop is unstable from b = 1 on, whatever the senders do; the literal law from b g = 1 on.
#[test]
fn an_integrator_of_round_trips_is_unstable_from_one_on() {
    let of = |b, more: (&str, &str)| unstable(&[("b", b), ("update", "mean-rtt"), more], 1, None);
    assert!(!of("0.999", ("g", "0.5")) && of("1", ("g", "0.5")));
    let literal = |b| {
        let options = [
            ("b", b),
            ("update", "mean-rtt"),
            ("law", "literal"),
            ("g", "0.5"),
        ];
        unstable(&options, 1, None)
    };
    assert!(!literal("1.999") && literal("2"));
}
