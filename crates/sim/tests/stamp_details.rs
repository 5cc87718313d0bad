//! Small mistakes in a law of explicit feedback that no other test would notice: limits, memories and residues,
//! each by hand.

#[path = "stamp_details/bounds.rs"]
mod bounds;
#[path = "stamp_details/xcp.rs"]
mod xcp;

use backwater_sim::limit::Limit;
use backwater_sim::stamp::{
    AnyStamp, Backlog, LawPacket, LawQueue, Passing, STAMPS, Senders, Stamp,
};
use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::segment::Ecn;
use backwater_transport::telemetry::{Hop, Record, Records};
use backwater_transport::units::{Rate, Span, Time};
use backwater_transport_testing::options;

const SIZE: u64 = 1000;
const RTT: Span = Span::millis(100);

/// A law in front of a wire of this rate, or of a radio.
fn law(id: &str, rate: Option<u64>, options: &[(&str, &str)]) -> AnyStamp {
    let row = STAMPS.iter().find(|row| row.id == id).expect(id);
    let built = (row.build)(&options::read(row.options, options));
    let mut law = built.unwrap_or_else(|refusal| panic!("{id}: {refusal:?}"));
    law.attach(&LawQueue {
        rate: rate.map(Rate),
        offers: false,
        buffer: Limit::Packets(50),
    });
    law
}

fn at(seconds: f64) -> Time {
    Time::ZERO.after(Span::from_seconds(seconds))
}

fn waiting(packets: u64) -> Backlog {
    Backlog {
        bytes: packets * SIZE,
        packets,
    }
}

fn seen(seconds: f64, packets: u64) -> LawPacket {
    LawPacket {
        now: at(seconds),
        size: SIZE,
        ends: [0, 1],
        backlog: waiting(packets),
        lost: false,
        offered: None,
    }
}

fn arrive(law: &mut AnyStamp, seen: &LawPacket, header: Option<&CongestionHeader>) {
    law.update(seen.now, seen.backlog);
    law.arrive(seen, header);
}

/// The header of a packet after its departure.
fn depart(
    law: &mut AnyStamp,
    seen: &LawPacket,
    mut header: CongestionHeader,
    mut ecn: Ecn,
) -> (CongestionHeader, Ecn) {
    law.update(seen.now, seen.backlog);
    let mut passing = Passing {
        header: Some(&mut header),
        ecn: &mut ecn,
        window: None,
    };
    law.depart(seen, &mut passing);
    (header, ecn)
}

fn value(law: &AnyStamp, name: &str) -> f64 {
    let values = law.values();
    let found = values.iter().find(|(n, _)| *n == name);
    found.unwrap_or_else(|| panic!("no {name} in {values:?}")).1
}

fn near(got: f64, expected: f64) -> bool {
    (got - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

fn target(rtt: Span) -> CongestionHeader {
    CongestionHeader::Window {
        rtt,
        cwnd: 1.0,
        window: f64::INFINITY,
    }
}

// ---- iACP

/// A full queue bars steps up, never steps down: with the set point at 25 of 50 packets and 49 waiting, each step
/// is -0.012 · 24.
#[test]
fn iacp_steps_down_while_the_queue_is_full() {
    let mut iacp = law("iacp", None, &[("g", "0.5"), ("w", "1")]);
    for n in 0..1000 {
        arrive(&mut iacp, &seen(0.0001 * f64::from(n), 0), None);
    }
    let before = value(&iacp, "desired_pkts");
    for n in 0..10 {
        arrive(&mut iacp, &seen(0.2 + 0.0001 * f64::from(n), 49), None);
    }
    let fallen = before - value(&iacp, "desired_pkts");
    assert!(near(fallen, 10.0 * 0.012 * 24.0), "{fallen}");
}

/// One lost packet bars the step that it would have brought, and not the next.
#[test]
fn iacp_takes_no_step_up_at_a_loss_and_one_after_it() {
    let step = |lost, anti_windup: &str| {
        let options = [("w", "1"), ("anti_windup", anti_windup)];
        let mut iacp = law("iacp", None, &options);
        let one = LawPacket {
            lost,
            ..seen(0.1, 9)
        };
        let start = value(&iacp, "desired_pkts");
        arrive(&mut iacp, &one, None);
        let first = value(&iacp, "desired_pkts");
        arrive(&mut iacp, &seen(0.2, 9), None);
        (first - start, value(&iacp, "desired_pkts") - first)
    };
    let up = 0.012 * (49.5 - 9.0);
    for (lost, anti_windup, first) in [
        (false, "true", up),
        (true, "true", 0.0),
        (true, "false", up),
    ] {
        let got = step(lost, anti_windup);
        assert!(near(got.0, first) && near(got.1, up), "{got:?}");
    }
}

/// A queue with room for one packet only is full: 49 that wait and the one that comes.
#[test]
fn iacp_takes_a_queue_for_full_when_one_more_fills_it() {
    let steps_up = |packets| {
        let mut iacp = law("iacp", None, &[("w", "1")]);
        arrive(&mut iacp, &seen(0.1, packets), None);
        value(&iacp, "desired_pkts") > 1.0
    };
    assert!(steps_up(48) && !steps_up(49));
}

/// Packets that cross elsewhere are counted as flows and are no samples of the queue.
#[test]
fn iacp_takes_no_sample_when_a_packet_crosses_elsewhere() {
    let mut iacp = law("iacp", None, &[]);
    for n in 0..100 {
        let mut header = target(RTT);
        let mut passing = Passing {
            header: Some(&mut header),
            ecn: &mut Ecn::NotEct.clone(),
            window: None,
        };
        let one = LawPacket {
            ends: [2, 3],
            ..seen(0.001 * f64::from(n), 10)
        };
        iacp.update(one.now, one.backlog);
        iacp.cross(&one, &mut passing);
    }
    assert!(near(value(&iacp, "desired_pkts"), 1.0));
    assert!(near(value(&iacp, "average_queue_pkts"), 0.0));
    assert!(near(value(&iacp, "mean_rtt_s"), 0.1));
}

/// One step for each mean round trip: within a second of round trips of 100 ms ten of 0.012 · 49.5 packets. The first
/// packet names the round trip, and brings the step that was due.
#[test]
fn iacp_steps_once_for_each_mean_round_trip() {
    let mut iacp = law("iacp", None, &[("update", "mean-rtt")]);
    for n in 0..=1000 {
        let now = 0.0005 + 0.001 * f64::from(n);
        arrive(&mut iacp, &seen(now, 0), Some(&target(RTT)));
    }
    let steps = (value(&iacp, "desired_pkts") - 1.0) / (0.012 * 49.5);
    assert!((steps - 11.0).abs() < 1e-6, "{steps}");
}

/// The target falls to nothing and not below, so that the first free place raises it at once.
#[test]
fn iacp_never_asks_for_less_than_nothing() {
    let mut iacp = law("iacp", None, &[("g", "0.1"), ("w", "1")]);
    for n in 0..1000 {
        arrive(&mut iacp, &seen(0.001 * f64::from(n), 45), None);
    }
    assert_eq!(value(&iacp, "desired_pkts"), 0.0);
    arrive(&mut iacp, &seen(1.001, 0), None);
    assert!(near(value(&iacp, "desired_pkts"), 0.012 * 5.0));
}

/// A flow ends a second after its last packet, seen in either direction.
#[test]
fn flows_expire_a_second_after_their_last_packet() {
    for (id, counted) in [("iacp", "flows"), ("wwm", "flows")] {
        let mut law = law(id, None, &[]);
        let of = |now, ends| LawPacket {
            ends,
            ..seen(now, 0)
        };
        for ends in [[0, 1], [0, 2], [0, 3]] {
            arrive(&mut law, &of(0.0, ends), None);
        }
        arrive(&mut law, &of(0.9, [0, 1]), None);
        assert_eq!(value(&law, counted), 3.0, "{id}");
        arrive(&mut law, &of(1.1, [0, 1]), None);
        assert_eq!(value(&law, counted), 1.0, "{id}");
    }
}

/// No step is due before a round trip is known: the first packet with one comes after 10 s, and
/// 50 ms later one step of 0.012 · 49.5 packets is due.
#[test]
fn iacp_counts_its_steps_from_the_first_round_trip_on() {
    let mut iacp = law("iacp", None, &[("update", "mean-rtt")]);
    for n in 0..100 {
        arrive(&mut iacp, &seen(0.1 * f64::from(n), 0), None);
    }
    arrive(&mut iacp, &seen(10.0, 0), Some(&target(RTT)));
    assert!(near(value(&iacp, "desired_pkts"), 1.0));
    iacp.update(at(10.05), waiting(0));
    assert!(near(value(&iacp, "desired_pkts"), 1.0 + 0.012 * 49.5));
}

/// A loop with a delay and no lag is stable up to a gain of π/2 for each round trip, however short that is.
#[test]
fn iacp_names_the_same_bound_of_its_gain_for_each_round_trip() {
    let senders = Senders {
        flows: 1,
        pairs: 1,
        approach: Some(1.0),
    };
    for rtt in [Span(1_500), Span::micros(1), RTT] {
        let mut iacp = law("iacp", None, &[("b", "1000"), ("w", "1")]);
        let end = Time::ZERO.after(rtt.times(100));
        for n in 0..=100 {
            let one = LawPacket {
                now: Time::ZERO.after(rtt.times(n)),
                ..seen(0.0, 0)
            };
            arrive(&mut iacp, &one, Some(&target(rtt)));
        }
        let said = iacp.warnings(end, &senders);
        let bound = "below 1.57 with";
        assert!(said.iter().any(|one| one.contains(bound)), "{said:?}");
    }
}

// ---- A packet that leaves elsewhere

/// A law without a rule of its own for packets that leave through another queue takes them for packets of its own queue:
/// it counts them as they come, and writes into them as they go.
#[test]
fn a_packet_that_crosses_elsewhere_arrives_and_departs() {
    let header = CongestionHeader::Rate {
        rtt: RTT,
        rate: f64::INFINITY,
    };
    let mut crossed = law("rcp", Some(8_000_000), &[]);
    let mut own = crossed.clone();
    for n in 0..50 {
        let one = seen(1e-3 * f64::from(n), 2);
        arrive(&mut own, &one, Some(&header));
        let (expected, _) = depart(&mut own, &one, header, Ecn::NotEct);
        let mut got = header;
        let mut passing = Passing {
            header: Some(&mut got),
            ecn: &mut Ecn::NotEct.clone(),
            window: None,
        };
        crossed.update(one.now, one.backlog);
        crossed.cross(&one, &mut passing);
        assert_eq!(got, expected);
        assert_ne!(got, header, "the law writes a rate");
    }
    assert_eq!(crossed.values(), own.values());
}

// ---- XCP

fn change(rtt: Span, packets: u64, change: f64) -> CongestionHeader {
    CongestionHeader::Change {
        rtt,
        spacing: rtt.seconds() / packets as f64,
        change,
    }
}

/// A router of 1.875 MB/s at the end of an interval of 100 ms in which two flows sent so many packets each, with
/// this backlog throughout.
fn xcp_after(flows: [u64; 2], backlog: u64) -> AnyStamp {
    let mut xcp = law("xcp", Some(15_000_000), &[]);
    feed(&mut xcp, flows, backlog);
    xcp
}

/// Shows those packets to a router.
fn feed(xcp: &mut AnyStamp, flows: [u64; 2], backlog: u64) {
    for (from, share) in [(0.0, 2), (0.05, 1)] {
        for packets in flows {
            for n in 0..packets / share {
                let now = from + 0.1 / share as f64 * n as f64 / (packets / share) as f64;
                arrive(
                    xcp,
                    &seen(now, backlog),
                    Some(&change(RTT, packets, f64::INFINITY)),
                );
            }
        }
        let none = change(RTT, 1, 0.0);
        depart(xcp, &seen(from + 0.049, backlog), none, Ecn::NotEct);
    }
    xcp.update(at(0.150_000_1), waiting(backlog));
}

/// Packets of the first flow take what there is; gives the sum of their changes.
fn taken(xcp: &mut AnyStamp, packets: u64, backlog: u64, first: f64) -> f64 {
    let mut sum = 0.0;
    for n in 0..1000 {
        let asked = if n == 0 { first } else { f64::INFINITY };
        let header = change(RTT, packets, asked);
        let (header, _) = depart(xcp, &seen(0.151, backlog), header, Ecn::NotEct);
        let CongestionHeader::Change { change, .. } = header else {
            panic!("{header:?}");
        };
        sum += change;
    }
    sum
}

/// 50 and 100 packets, no queue: 150 kB/s are to give. A packet that a router before has limited to 100 B/s takes
/// no more than that out of them; the others get the rest, and nothing beyond.
#[test]
fn xcp_gives_others_what_a_router_before_withheld() {
    let sum = taken(&mut xcp_after([50, 100], 0), 50, 0, f64::INFINITY);
    assert!((sum - 150_000.0).abs() < 1e-3, "{sum}");
    let sum = taken(&mut xcp_after([50, 100], 0), 50, 0, 100.0);
    assert!((sum - 150_000.0).abs() < 1e-3, "{sum}");
    // Limited to the share of the paper's example, 1500 B/s, minus one: the 100th packet is not the last to get some.
    let mut xcp = xcp_after([50, 100], 0);
    let header = change(RTT, 50, 100.0);
    depart(&mut xcp, &seen(0.151, 0), header, Ecn::NotEct);
    let sum = taken(&mut xcp, 50, 0, f64::INFINITY);
    assert!((sum - 149_900.0).abs() < 1e-3, "{sum}");
}

/// 75 and 150 packets, 30 kB waiting: 7.2 kB/s up and 225 kB/s down are to give. A packet that a router before told
/// -2000 B/s takes 2048 of what is to be taken back and 48 of what is to be given.
#[test]
fn xcp_takes_back_less_from_others_where_a_router_before_took_more() {
    for first in [f64::INFINITY, -2000.0] {
        let sum = taken(&mut xcp_after([75, 150], 30), 75, 30, first);
        assert!(
            (sum - (7_200.0 - 225_000.0)).abs() < 500.0,
            "{first}: {sum}"
        );
    }
    let count = |first: f64| {
        let mut xcp = xcp_after([75, 150], 30);
        let mut left = 0;
        for n in 0..1000 {
            let asked = if n == 0 { first } else { f64::INFINITY };
            let header = change(RTT, 75, asked);
            let (header, _) = depart(&mut xcp, &seen(0.151, 30), header, Ecn::NotEct);
            left += u32::from(
                matches!(header, CongestionHeader::Change { change, .. } if change < 0.0),
            );
        }
        left
    };
    // 1000 B/s are taken back with each packet: 225 packets, or one of 2048 and 223 more.
    assert_eq!((count(f64::INFINITY), count(-2000.0)), (225, 224));
}

/// The router of the paper keeps no account of what is left to give: 75 kB/s in 50 packets are 1500 B/s for each, and each
/// of a thousand packets gets as much. The draft's gives no more than the 150 kB/s that there are.
#[test]
fn xcp_of_the_paper_gives_each_packet_its_share() {
    let given = |variant| {
        let mut xcp = law("xcp", Some(15_000_000), &[("variant", variant)]);
        feed(&mut xcp, [50, 100], 0);
        taken(&mut xcp, 50, 0, f64::INFINITY)
    };
    assert!((given("spec") - 150_000.0).abs() < 1e-3);
    assert!((given("paper") - 1_500_000.0).abs() < 1e-2);
}

/// A round trip counts as a second at most.
#[test]
fn xcp_counts_round_trips_up_to_a_second() {
    for (rtt, counted) in [(700, 0.7), (1000, 1.0), (3000, 1.0)] {
        let mut xcp = law("xcp", Some(15_000_000), &[]);
        let header = change(Span::millis(rtt), 10, 0.0);
        arrive(&mut xcp, &seen(0.01, 0), Some(&header));
        xcp.update(at(0.051), waiting(0));
        assert!(near(value(&xcp, "mean_rtt_s"), counted), "{rtt}");
    }
}

/// The backlog that counts is the least of an interval of half a round trip less what drains: (50 ms - 5.3 ms) / 2
/// after the first 50 ms, with 10 kB at 1.875 MB/s.
#[test]
fn xcp_looks_for_the_least_backlog_over_half_a_round_trip() {
    let mut xcp = law("xcp", Some(15_000_000), &[]);
    xcp.update(at(0.05), waiting(10));
    assert_eq!(value(&xcp, "queue_B"), 0.0, "it begins empty");
    let end = 0.05 + (0.05 - 10_000.0 / 1.875e6) / 2.0;
    xcp.update(at(end - 1e-5), waiting(10));
    assert_eq!(value(&xcp, "queue_B"), 0.0);
    xcp.update(at(end + 1e-5), waiting(10));
    assert_eq!(value(&xcp, "queue_B"), 10_000.0);
    // A departure in the next interval finds 3 packets behind it, though 10 wait at its end.
    let none = change(RTT, 1, 0.0);
    depart(&mut xcp, &seen(end + 0.001, 3), none, Ecn::NotEct);
    xcp.update(at(end + 0.03), waiting(10));
    assert_eq!(value(&xcp, "queue_B"), 3_000.0);
}

/// While the queue is empty, and for `hold` round trips after, no grant is made: with 50 ms first and then 100 ms
/// the grant comes in the first interval that ends later than `hold` of them.
#[test]
fn xcp_b_takes_an_empty_queue_for_busy_as_long_as_it_holds() {
    // κ = 0 and an empty queue: φ is nothing until the grant.
    let first_grant = |hold: &str| {
        let options = [("hold", hold), ("kappa", "0 %")];
        let mut blind = law("xcpb-reconstructed", None, &options);
        for n in 0..100 {
            let now = 0.02 + 0.01 * f64::from(n);
            arrive(&mut blind, &seen(now, 0), Some(&change(RTT, 10, 0.0)));
            if value(&blind, "phi_bps") > 0.0 {
                return now;
            }
        }
        panic!("none");
    };
    // Intervals end at 50, 150, 250, 350 ms.
    for (hold, end) in [("0", 0.05), ("1", 0.15), ("2", 0.25), ("3", 0.35)] {
        let got = first_grant(hold);
        assert!((got - end).abs() < 0.0101, "{hold}: {got}");
    }
}

/// A packet that finds one before it finds a busy queue: at the end of an interval of 100 ms the queue has been empty for 10 ms,
/// and no grant is made. κ = 0 and the arrivals' mean of one packet give φ = -β.
#[test]
fn xcp_b_takes_a_queue_with_one_packet_for_busy() {
    let mut blind = law("xcpb-reconstructed", None, &[("kappa", "0 %")]);
    arrive(&mut blind, &seen(0.04, 1), Some(&change(RTT, 10, 0.0)));
    blind.update(at(0.050_000_1), waiting(0));
    arrive(&mut blind, &seen(0.14, 1), Some(&change(RTT, 10, 0.0)));
    blind.update(at(0.150_000_1), waiting(0));
    let expected = -0.226 * 8.0 * SIZE as f64 / 0.1;
    assert!(near(value(&blind, "phi_bps"), expected));
}

// ---- RCP, ACP, VCP, ABC, WWM

/// A router only lowers the rate that it finds.
#[test]
fn rcp_leaves_a_lower_rate_as_it_is() {
    let mut rcp = law("rcp", Some(100_000_000), &[]);
    let own = 0.05 * 12.5e6;
    for (found, expected) in [(1000.0, 1000.0), (own / 2.0, own / 2.0), (2.0 * own, own)] {
        let header = CongestionHeader::Rate {
            rtt: RTT,
            rate: found,
        };
        let (header, _) = depart(&mut rcp, &seen(0.001, 0), header, Ecn::NotEct);
        assert_eq!(
            header,
            CongestionHeader::Rate {
                rtt: RTT,
                rate: expected
            }
        );
    }
}

/// More than 95 % of what fits into a period is congestion: 47.5 of 50 packets at 12 Mbit/s and 50 ms.
#[test]
fn acp_reports_congestion_above_95_percent() {
    let told = |packets: u32| {
        let mut acp = law("acp", Some(12_000_000), &[]);
        for n in 0..packets {
            let mut one = seen(1e-3 * f64::from(n), 0);
            one.size = 1500;
            arrive(&mut acp, &one, None);
        }
        let header = CongestionHeader::Target {
            rtt: RTT,
            rate: f64::INFINITY,
            congested: false,
        };
        let (header, _) = depart(&mut acp, &seen(0.05, 0), header, Ecn::NotEct);
        matches!(
            header,
            CongestionHeader::Target {
                congested: true,
                ..
            }
        )
    };
    assert!(!told(47) && told(48));
}

/// When the period becomes twice as long, so does what a flow may send in it: the rate stays.
#[test]
fn acp_keeps_its_rate_when_the_period_changes() {
    let rate = |rtt: u64| {
        let mut acp = law("acp", Some(12_000_000), &[]);
        let header = CongestionHeader::Target {
            rtt: Span::millis(rtt),
            rate: f64::INFINITY,
            congested: false,
        };
        let mut one = seen(0.01, 0);
        one.size = 1500;
        arrive(&mut acp, &one, Some(&header));
        acp.update(at(0.05), waiting(0));
        assert!(near(value(&acp, "period_s"), rtt as f64 / 1e3));
        value(&acp, "target_pkts") / value(&acp, "period_s")
    };
    // p = 1 + 0.3175 (49.5 - 1) / 10 packets in 50 ms.
    let expected = (1.0 + 0.3175 * 48.5 / 10.0) / 0.05;
    for rtt in [50, 100, 400] {
        assert!(near(rate(rtt), expected), "{rtt}: {}", rate(rtt));
    }
}

/// A period has a millisecond at least, however short the round trips are.
#[test]
fn acp_has_periods_of_a_millisecond_at_least() {
    for (rtt, period) in [
        (400, 0.001),
        (1_000, 0.001),
        (1_500, 0.0015),
        (3_000, 0.003),
    ] {
        let mut acp = law("acp", Some(12_000_000), &[]);
        let header = CongestionHeader::Target {
            rtt: Span::micros(rtt),
            rate: f64::INFINITY,
            congested: false,
        };
        arrive(&mut acp, &seen(0.01, 0), Some(&header));
        acp.update(at(0.05), waiting(0));
        assert!(near(value(&acp, "period_s"), period), "{rtt}");
    }
}

/// The smoothed backlog has three quarters of the sample before: 100 packets that wait all the time are
/// 100 (1 - 0.75^20) after the twenty samples of 200 ms. Half of it counts as load.
#[test]
fn vcp_smooths_the_backlog_and_counts_half_of_it() {
    let mut vcp = law("vcp", Some(8_000_000), &[]);
    vcp.update(at(0.2), waiting(100));
    let smoothed = 100_000.0 * (1.0 - libm::pow(0.75, 20.0));
    assert!(near(value(&vcp, "queue_B"), smoothed));
    let load = 0.5 * smoothed / (0.98 * 1e6 * 0.2);
    assert!(near(value(&vcp, "load"), load), "{}", value(&vcp, "load"));
}

/// Five tokens at most are saved, however many packets took none: four of the next keep their acceleration.
#[test]
fn abc_saves_five_tokens() {
    let mut abc = law("abc", Some(8_000_000), &[]);
    let header = CongestionHeader::Codepoints {
        ect1: 0,
        ect0: 0,
        ce: 0,
    };
    for n in 0..1000 {
        depart(&mut abc, &seen(1e-3 * f64::from(n), 0), header, Ecn::NotEct);
    }
    assert_eq!(value(&abc, "tokens"), 5.0);
    // A second of queue: no token comes in.
    let kept = (0..100)
        .filter(|n| {
            let one = seen(1.0 + 1e-3 * f64::from(*n), 1000);
            depart(&mut abc, &one, header, Ecn::Ect1).1 == Ecn::Ect1
        })
        .count();
    assert_eq!(kept, 4);
}

/// A radio's capacity is what it serves while packets wait behind: a packet each millisecond, however long it rests
/// between two bursts.
#[test]
fn a_radio_at_rest_does_not_lower_the_capacity_that_is_measured() {
    let mut abc = law("abc", None, &[("window", "10 s")]);
    let header = CongestionHeader::Codepoints {
        ect1: 0,
        ect0: 0,
        ce: 0,
    };
    for burst in 0..5 {
        for n in 0..10 {
            let now = f64::from(burst) + 1e-3 * f64::from(n);
            let one = seen(now, 9 - n as u64);
            depart(&mut abc, &one, header, Ecn::NotEct);
        }
    }
    let capacity = value(&abc, "capacity_bps");
    assert!((capacity / 8e6 - 1.0).abs() < 1e-6, "{capacity}");
}

/// A window that is lower than the flow's share stays.
#[test]
fn wwm_only_lowers_windows() {
    let mut wwm = law("wwm", None, &[("segment", "1000 B")]);
    arrive(&mut wwm, &seen(0.0, 0), None);
    for (found, expected) in [(1_000, 1_000), (49_999, 49_999), (50_001, 50_000)] {
        let mut window = found;
        let mut passing = Passing {
            header: None,
            ecn: &mut Ecn::NotEct.clone(),
            window: Some(&mut window),
        };
        wwm.depart(&seen(0.001, 0), &mut passing);
        assert_eq!(window, expected);
    }
}

// ---- Control intervals, each computed by hand from the published equations

fn with_rtt(seconds: f64, packets: u64, size: u64) -> LawPacket {
    LawPacket {
        size,
        ..seen(seconds, packets)
    }
}

/// φ = -α (q(t) - q(t - d)) - β (q - κ) with α = 0.4, β = 0.226 and κ a fifth of 50 packets, in packets for each interval.
/// The first interval has 50 ms, the others the round trip of 100 ms. The mean size counts a new packet with a weight of 0.02.
#[test]
fn xcp_b_follows_its_equation_from_interval_to_interval() {
    let header = change(RTT, 10, f64::INFINITY);
    let mut blind = law("xcpb-reconstructed", None, &[]);
    arrive(&mut blind, &with_rtt(0.01, 4, 1000), Some(&header));
    arrive(&mut blind, &with_rtt(0.02, 8, 1000), Some(&header));
    blind.update(at(0.050_000_1), waiting(6));
    let packets = -0.4 * 6.0 - 0.226 * (6.0 - 10.0);
    assert!(near(
        value(&blind, "phi_bps"),
        8.0 * packets * 1000.0 / 0.05
    ));
    assert!(near(value(&blind, "interval_s"), 0.1));
    arrive(&mut blind, &with_rtt(0.06, 9, 2000), Some(&header));
    blind.update(at(0.150_000_1), waiting(8));
    let packets = -0.4 * 2.0 - 0.226 * (9.0 - 10.0);
    assert!(near(value(&blind, "phi_bps"), 8.0 * packets * 1020.0 / 0.1));
    // Nothing arrives: the queue of the instant is the mean, and the next interval is the first one's.
    blind.update(at(0.250_000_1), waiting(8));
    let packets = -0.226 * (8.0 - 10.0);
    assert!(near(value(&blind, "phi_bps"), 8.0 * packets * 1020.0 / 0.1));
    assert!(near(value(&blind, "interval_s"), 0.05));
}

/// With `queue = "average"` arrivals that find 4 and then 8 packets leave an average of 4 + 0.2 (8 - 4).
#[test]
fn xcp_b_takes_the_growth_of_the_average_where_that_is_asked_for() {
    let mut blind = law("xcpb-reconstructed", None, &[("queue", "average")]);
    let header = change(RTT, 10, f64::INFINITY);
    arrive(&mut blind, &with_rtt(0.01, 4, 1000), Some(&header));
    arrive(&mut blind, &with_rtt(0.02, 8, 1000), Some(&header));
    blind.update(at(0.050_000_1), waiting(6));
    let packets = -0.4 * 4.8 - 0.226 * (6.0 - 10.0);
    assert!(near(
        value(&blind, "phi_bps"),
        8.0 * packets * 1000.0 / 0.05
    ));
}

/// A queue of ten packets throughout leaves φ = 0, so that what packets are told is the shuffle alone: γ of 20 kB/s, in
/// parts by spacing less parts by bytes.
#[test]
fn xcp_b_shuffles_its_share_of_the_traffic() {
    let mut blind = law("xcpb-reconstructed", None, &[]);
    let (near_one, far_one) = (
        change(RTT, 1, f64::INFINITY),
        change(Span::millis(300), 1, f64::INFINITY),
    );
    arrive(
        &mut blind,
        &with_rtt(0.01, 10, 1000),
        Some(&change(RTT, 1, 0.0)),
    );
    blind.update(at(0.050_000_1), waiting(10));
    // The mean round trip of the two is weighted by spacing: (0.1^2 + 0.3^2) / 0.4 = 0.25 s. The interval is of 100 ms.
    for (n, header) in [&near_one, &far_one].into_iter().enumerate() {
        arrive(
            &mut blind,
            &with_rtt(0.06 + 0.01 * n as f64, 10, 1000),
            Some(header),
        );
    }
    blind.update(at(0.150_000_1), waiting(10));
    assert!(near(value(&blind, "phi_bps"), 0.0));
    assert!(near(value(&blind, "interval_s"), 0.25));
    for (header, expected) in [(near_one, 500.0 - 1000.0), (far_one, 1500.0 - 1000.0)] {
        let (told, _) = depart(&mut blind, &seen(0.16, 10), header, Ecn::NotEct);
        let CongestionHeader::Change { change, .. } = told else {
            panic!("{told:?}");
        };
        assert!(near(change, expected), "{change}");
    }
}

/// d ← d + (T/d) (rtt - d), then R ← R (1 + (T/d) (α (γ C - y) - β q/d) / (γ C)), with C = 1 MB/s, γ = 0.95, α = β = 0.4, T = 10 ms
/// and a round trip of 300 ms, which is longer than the 200 ms of the beginning.
#[test]
fn rcp_follows_its_equation_from_interval_to_interval() {
    let mut rcp = law("rcp", Some(8_000_000), &[]);
    let header = CongestionHeader::Rate {
        rtt: Span::millis(300),
        rate: f64::INFINITY,
    };
    let aim = 950_000.0;
    let (mut d, mut rate) = (0.2, 50_000.0);
    for (n, packets, left) in [(0, 5, 10), (1, 2, 0), (2, 0, 3)] {
        let from = 0.01 * f64::from(n) + 0.000_1;
        for k in 0..packets {
            arrive(
                &mut rcp,
                &seen(from + 0.001 * f64::from(k), left),
                Some(&header),
            );
        }
        rcp.update(at(from + 0.01), waiting(left));
        d += 0.01 / d * (0.3 - d);
        let input = f64::from(packets) * 1000.0 / 0.01;
        let spare = 0.4 * (aim - input) - 0.4 * left as f64 * 1000.0 / d;
        rate *= 1.0 + 0.01 / d * spare / aim;
        assert!(near(value(&rcp, "mean_rtt_s"), d));
        assert!(near(value(&rcp, "rate_bps"), 8.0 * rate));
        assert!(near(value(&rcp, "flows"), 1e6 / rate));
    }
}

/// p ← p + (ki (0.99 c - y) - kq q) / n and n ← n + 0.1 (y - n p) p / (1 + p²), in packets of 1500 B: 50 fit into a period.
#[test]
fn acp_follows_its_equations_from_period_to_period() {
    let mut acp = law("acp", Some(12_000_000), &[]);
    let header = CongestionHeader::Target {
        rtt: Span::millis(50),
        rate: f64::INFINITY,
        congested: false,
    };
    let mut period = |from: f64, packets: u32, left: u64| {
        for n in 0..packets {
            let one = with_rtt(from + 0.001 * f64::from(n), 0, 1500);
            arrive(&mut acp, &one, Some(&header));
        }
        acp.update(at(from + 0.050_000_1), waiting(left));
        (value(&acp, "target_pkts"), value(&acp, "flows"))
    };
    let (p, n) = period(0.0, 30, 6);
    let first = 1.0 + (0.3175 * (49.5 - 30.0) - 0.1587 * 4.0) / 10.0;
    assert!(near(p, first), "{p}");
    assert!(near(n, 10.0 + 0.1 * (30.0 - 10.0) / 2.0), "{n}");
    let (p, flows) = period(0.050_000_2, 40, 0);
    assert!(near(p, first + 0.3175 * (49.5 - 40.0) / n), "{p}");
    let learnt = 0.1 * (40.0 - n * first) * first / (1.0 + first * first);
    assert!(near(flows, n + learnt), "{flows}");
}

// ---- ABC, and what laws measure

const NOTHING: CongestionHeader = CongestionHeader::Codepoints {
    ect1: 0,
    ect0: 0,
    ce: 0,
};

/// f = (η μ - μ (x - d)⁺ / δ) / (2 cr) with μ = cr = 1 MB/s, η = 0.98, δ = 133 ms and d = 50 ms: a packet each millisecond, 100
/// waiting. The authors' program counts the packet itself, and a brake is CE.
#[test]
fn abc_accelerates_by_its_equation() {
    for (variant, waits, brake) in [("paper", 0.100, Ecn::Ect0), ("code", 0.101, Ecn::Ce)] {
        let mut abc = law("abc", Some(8_000_000), &[("variant", variant)]);
        let mut told = Ecn::Ect1;
        for n in 0..60 {
            let one = seen(1e-3 * f64::from(n), 100);
            told = depart(&mut abc, &one, NOTHING, Ecn::Ect1).1;
            if told != Ecn::Ect1 {
                assert_eq!(told, brake);
            }
        }
        let expected = 0.5 * (0.98 - (waits - 0.05) / 0.133);
        let share = value(&abc, "accelerate_share");
        assert!(near(share, expected), "{variant}: {share} for {expected}");
        assert!(told == Ecn::Ect1 || told == brake);
    }
}

/// Three in ten keep their acceleration, as many as tokens come in: 0.302 for each packet, after the five of the beginning.
#[test]
fn abc_lets_its_share_accelerate() {
    let mut abc = law("abc", Some(8_000_000), &[]);
    let kept = (0..1000)
        .filter(|n| {
            let one = seen(1e-3 * f64::from(*n), 100);
            depart(&mut abc, &one, NOTHING, Ecn::Ect1).1 == Ecn::Ect1
        })
        .count() as f64;
    let share = 0.5 * (0.98 - 0.05 / 0.133);
    // While the window of 20 ms fills the dequeue rate is lower and more accelerate: at most twenty.
    assert!((3.0..=25.0).contains(&(kept - 1000.0 * share)), "{kept}");
}

/// A radio that serves a packet in 1 ms and then in 2 ms has 4 Mbit/s when the window holds the second kind alone.
#[test]
fn a_radio_forgets_what_it_served_before_the_window() {
    let mut abc = law("abc", None, &[("window", "10 ms")]);
    let mut now = 0.0;
    for n in 0..60 {
        depart(&mut abc, &seen(now, 5), NOTHING, Ecn::NotEct);
        now += if n < 30 { 1e-3 } else { 2e-3 };
    }
    assert!(near(value(&abc, "capacity_bps"), 4e6));
}

/// A trace link's capacity is what it offered over the window, whether or not packets took it.
#[test]
fn a_trace_link_has_the_capacity_that_it_offered_in_the_window() {
    let mut abc = law("abc", None, &[]);
    abc.attach(&LawQueue {
        rate: None,
        offers: true,
        buffer: Limit::Packets(50),
    });
    let mut offered = 0;
    for n in 0..80 {
        offered += if n < 40 { 1000 } else { 3000 };
        let one = LawPacket {
            offered: Some(offered),
            ..seen(1e-3 * f64::from(n), 0)
        };
        depart(&mut abc, &one, NOTHING, Ecn::NotEct);
        if n == 39 {
            assert!(near(value(&abc, "capacity_bps"), 8e6));
        }
    }
    assert!(near(value(&abc, "capacity_bps"), 24e6));
}

/// Packets of 1,000 B leave a line of 12.5 GB/s. Each takes along what had left before it, what waits behind it, and the instant, and the first one's record says that nothing had left.
#[test]
fn a_record_of_a_hop_leaves_its_own_packet_out() {
    let mut law = law("hop-record", Some(100_000_000_000), &[]);
    for (number, packets) in [(0, 3), (1, 7), (2, 0)] {
        let seen = seen(number as f64 * 1e-6, packets);
        let header = CongestionHeader::Telemetry(Records::default());
        let (header, ecn) = depart(&mut law, &seen, header, Ecn::NotEct);
        let CongestionHeader::Telemetry(records) = header else {
            panic!("{header:?}");
        };
        let hop = Hop {
            rate: 12.5e9,
            sent: number * SIZE,
            queue: packets * SIZE,
            at: seen.now,
        };
        assert_eq!(records.hops(), [Record::Exact(hop)]);
        assert_eq!(ecn, Ecn::NotEct);
    }
}
