//! HPCC and PowerTCP at the numbers at which their cases begin.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::controller::{AnyController, Controller, Departure, Reduction, Sent};
use backwater_transport::endpoint::Protocol;
use backwater_transport::segment::Feedback;
use backwater_transport::telemetry::{Hop, Record, Records};
use backwater_transport::units::Rate;

use crate::{ack, build, made_for, near, sent, shown, us};

const LINE: f64 = 12.5e9;

/// Records of lines of 100 Gbit/s: bytes sent, bytes that wait, microseconds.
fn hear(c: &mut AnyController, number: u64, hops: &[(u64, u64, f64)]) {
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
    c.on_ack(&heard);
}

fn departure(c: &mut AnyController) -> Departure {
    c.on_sent(&Sent {
        now: us(0.0),
        number: 0,
        len: 1000,
        in_flight: 1000,
        again: false,
        app_limited: false,
    })
}

fn shows(c: &AnyController) -> (f64, f64, &'static str) {
    (shown(c, "load"), shown(c, "stage"), c.inspect().state)
}

/// U begins at 1. Where no time has passed between two records it stays, and a load of eta is not below it: no stage is counted. Below it
/// stages are.
#[test]
fn hpcc_takes_a_load_of_eta_for_enough() {
    let options = [("rate", "100 Gbit/s"), ("eta", "100 %"), ("stages", "5")];
    let mut c = build("hpcc", &options);
    assert_eq!(shows(&c), (1.0, 0.0, "above"));
    hear(&mut c, 0, &[(0, 0, 0.0)]);
    hear(&mut c, 1, &[(0, 0, 0.0)]);
    assert_eq!(shows(&c), (1.0, 0.0, "above"));
    hear(&mut c, 2, &[(81_250, 0, 13.0)]);
    near(shown(&c, "load"), 0.5);
    assert_eq!(shown(&c, "stage"), 1.0);
    assert_eq!(c.inspect().state, "below");
    assert_eq!(c.reduction(), Reduction::Direct);
}

/// Of hops with the same load the first counts: half of the line over a round trip is .5; over a half of one it would count half.
#[test]
fn hpcc_takes_the_first_of_equal_hops() {
    let mut c = build("hpcc", &[("rate", "100 Gbit/s")]);
    hear(&mut c, 0, &[(0, 0, 0.0), (0, 0, 0.0)]);
    hear(&mut c, 1, &[(81_250, 0, 13.0), (40_625, 0, 6.5)]);
    near(shown(&c, "load"), 0.5);
}

/// The reference moves with the first packet that left behind its last move, and not with the next two, although the line is full all the
/// while.
#[test]
fn hpcc_waits_for_what_left_behind_the_last_move() {
    let mut c = build("hpcc", &[("rate", "100 Gbit/s")]);
    let first = 162_500.0 * 0.95 + 80.0;
    let second = first * 0.95 + 80.0;
    let mut total = 0;
    sent(&mut c, 0.0, 9, 1000);
    hear(&mut c, 0, &[(0, 0, 0.0)]);
    sent(&mut c, 1.0, 19, 1000);
    for (number, expected) in [
        (9, first),
        (10, first),
        (11, second),
        (19, second),
        (20, second),
    ] {
        total += 162_500;
        let at = 13.0 * (total / 162_500) as f64;
        hear(&mut c, number, &[(total, 0, at)]);
        assert_eq!(c.limits().window, expected as u64, "{number}");
    }
}

/// A line slower than the least rate keeps its own: 50 Mbit/s.
#[test]
fn the_least_rate_is_at_most_the_lines() {
    for id in ["hpcc", "powertcp"] {
        let mut c = build(id, &[("rate", "50 Mbit/s")]);
        hear(&mut c, 0, &[(0, 0, 0.0)]);
        hear(&mut c, 1, &[(10_000_000, 10_000_000, 13.0)]);
        assert_eq!(c.limits().pacing, Some(Rate(50_000_000)), "{id}");
        assert_eq!(c.limits().window, 1000);
        assert_eq!(c.reduction(), Reduction::Direct);
    }
}

/// A product of 250 kB waits on a full line: a power of 2. Each packet is acknowledged before the next leaves, and it left with the
/// window of then.
#[test]
fn powertcp_divides_the_window_of_this_packet() {
    let mut c = build("powertcp", &[("rate", "100 Gbit/s")]);
    let mut expected = 250_000.0;
    for number in 0..4 {
        sent(&mut c, 0.0, number, 1000);
        hear(
            &mut c,
            number,
            &[(250_000 * number, 250_000, 20.0 * number as f64)],
        );
        if number > 0 {
            expected = 0.9 * (expected / 2.0 + 5_000.0) + 0.1 * expected;
        }
        let got = c.limits().window as f64;
        assert!((got - expected).abs() < 1.0, "{number}: {got} {expected}");
    }
}

/// Of hops with the same power the first counts: measured over a round trip it is all, over a half of one it would be half.
#[test]
fn powertcp_takes_the_first_of_equal_hops() {
    let mut c = build("powertcp", &[("rate", "100 Gbit/s")]);
    assert_eq!((shown(&c, "power"), c.inspect().state), (1.0, "power"));
    let waits = 250_000;
    hear(&mut c, 0, &[(0, waits, 0.0), (0, waits, 0.0)]);
    let hops = [(250_000, waits, 20.0), (125_000, waits, 10.0)];
    hear(&mut c, 1, &hops);
    near(shown(&c, "power"), 2.0);
}

/// Two round trips that come at one instant have no slope.
#[test]
fn theta_powertcp_needs_time_for_a_slope() {
    let options = [("rate", "100 Gbit/s"), ("variant", "theta")];
    let mut c = build("powertcp", &options);
    assert_eq!(c.inspect().state, "theta");
    for (now, rtt, power) in [
        (20.0, 20.0, 1.0),
        (20.0, 40.0, 1.0),
        (60.0, 40.0, 2.0),
        (70.0, 40.0, 2.0),
    ] {
        c.on_ack(&ack(now, 1000, rtt));
        near(shown(&c, "power"), power);
    }
    let mut silent = ack(80.0, 1000, 20.0);
    silent.rtt = None;
    c.on_ack(&silent);
    near(shown(&c, "power"), 2.0);
}

/// Who needs records asks for them in each packet.
#[test]
fn packets_leave_with_room_for_records() {
    let empty = Feedback::Congestion(CongestionHeader::Telemetry(Records::default()));
    for (id, options, asks) in [
        ("hpcc", &[("rate", "100 Gbit/s")][..], true),
        ("powertcp", &[("rate", "100 Gbit/s")], true),
        (
            "powertcp",
            &[("rate", "100 Gbit/s"), ("variant", "theta")],
            false,
        ),
    ] {
        let mut c = build(id, options);
        let layout = asks.then_some(Layout::Telemetry);
        assert_eq!(c.congestion_header(), layout, "{id}");
        let expected = match asks {
            true => Departure::Announced(empty),
            false => Departure::Noted,
        };
        assert_eq!(departure(&mut c), expected, "{id}");
    }
}

/// TCP has no room for records, and timers that are too long.
#[test]
fn laws_of_rdma_are_for_queue_pairs() {
    let rate = [("rate", "100 Gbit/s")];
    for (id, options, blamed) in [
        ("hpcc", &rate[..], "rate"),
        ("powertcp", &rate, "variant"),
        ("timely", &rate, "variant"),
        ("dcqcn", &rate, "variant"),
        ("swift", &[("base", "20 us")], "base"),
    ] {
        let of = |protocol| made_for(protocol, [1000, 1048], id, options).map(|_| ());
        assert_eq!(of(Protocol::Stream).unwrap_err().option, blamed, "{id}");
        assert_eq!(of(Protocol::Roce), Ok(()), "{id}");
    }
}
