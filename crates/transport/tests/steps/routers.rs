//! Windows that routers set: XCP, RCP, ACP and iACP. A byte of payload is 1.25 bytes on the link, and a round trip is 100 ms unless it is
//! said.

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::controller::{
    Ack, AnyController, Cause, Controller, Departure, Reduction, Sent,
};
use backwater_transport::segment::Feedback;
use backwater_transport::units::{Rate, Span};

use crate::{ack, at, build, idle, near, shown, span, tell, window};

const ALL: [&str; 4] = ["xcp", "rcp", "acp", "iacp"];

fn receive_after(c: &mut AnyController, srtt: f64, limited: bool, header: CongestionHeader) -> u64 {
    let feedback = Feedback::Congestion(header);
    c.on_ack(&Ack {
        cwnd_limited: limited,
        feedback: Some(&feedback),
        ..ack(1000.0, 1_000, srtt)
    });
    window(c)
}

fn hear(c: &mut AnyController, header: CongestionHeader) -> u64 {
    receive_after(c, 100.0, true, header)
}

/// Bytes/s on the link that fill a window of so many bytes in 100 ms.
fn filling(window: f64) -> f64 {
    window * 1.25 * 10.0
}

fn change(window: f64) -> CongestionHeader {
    CongestionHeader::Change {
        rtt: Span::ZERO,
        spacing: 0.0,
        change: filling(window),
    }
}

fn granted(window: f64) -> CongestionHeader {
    CongestionHeader::Rate {
        rtt: Span::ZERO,
        rate: filling(window),
    }
}

fn target(window: f64, congested: bool) -> CongestionHeader {
    CongestionHeader::Target {
        rtt: Span::ZERO,
        rate: filling(window),
        congested,
    }
}

fn aimed(packets: f64) -> CongestionHeader {
    CongestionHeader::Window {
        rtt: Span::ZERO,
        cwnd: 0.0,
        window: packets,
    }
}

fn announced(c: &mut AnyController) -> CongestionHeader {
    let sent = Sent {
        now: at(0.0),
        number: 0,
        len: 1_000,
        in_flight: 1_000,
        again: false,
        app_limited: false,
    };
    match c.on_sent(&sent) {
        Departure::Announced(Feedback::Congestion(header)) => header,
        other => panic!("no congestion header but {other:?}"),
    }
}

/// The window moves by what was granted. A sender that doesn't fill its window takes decreases alone: neither nothing nor half a byte/s.
#[test]
fn xcp_takes_what_it_is_given() {
    let mut c = build("xcp", &[]);
    assert_eq!(shown(&c, "change_bytes"), 0.0);
    assert_eq!(hear(&mut c, change(2_500.0)), 12_500);
    near(shown(&c, "change_bytes"), 2_500.0);
    for other in [0.0, 0.5 / 12.5, 100.0, f64::INFINITY, f64::NAN] {
        assert_eq!(receive_after(&mut c, 100.0, false, change(other)), 12_500);
        near(shown(&c, "change_bytes"), 2_500.0);
    }
    assert_eq!(receive_after(&mut c, 100.0, false, change(-500.0)), 12_000);
    assert_eq!(hear(&mut c, change(-50_000.0)), 1_000);
    assert_eq!(c.inspect().state, "explicit");
    // Of 200 ms the same change of throughput is twice the window.
    assert_eq!(receive_after(&mut c, 200.0, true, change(500.0)), 2_000);
}

/// Round trip, spacing and wanted change: nothing before a round trip is known. Ten packets in 100 ms are 125 kB/s on the link.
#[test]
fn xcp_asks_for_its_part_of_what_it_wants() {
    for (demand, wanted) in [("1.2 Mbit/s", 2_500.0), ("800 kbit/s", -2_500.0)] {
        let mut c = build("xcp", &[("demand", demand)]);
        let nothing = CongestionHeader::Change {
            rtt: Span::ZERO,
            spacing: 0.0,
            change: 0.0,
        };
        assert_eq!(announced(&mut c), nothing);
        receive_after(&mut c, 100.0, false, change(0.0));
        let CongestionHeader::Change {
            rtt,
            spacing,
            change,
        } = announced(&mut c)
        else {
            panic!("another layout");
        };
        assert_eq!(rtt, span(100.0));
        near(spacing, 0.01);
        near(change, wanted);
    }
}

/// A rate is paced, and the window is what it fills and a segment. After a long idle time the flow asks again; a pause that is none
/// changes nothing.
#[test]
fn rcp_asks_again_after_an_idle_time() {
    let mut c = build("rcp", &[]);
    assert_eq!(c.inspect().state, "asking");
    assert_eq!(shown(&c, "granted_bytes_per_s"), 0.0);
    assert_eq!(hear(&mut c, granted(4_000.0)), 5_000);
    assert_eq!(c.limits().pacing, Some(Rate(320_000)));
    assert_eq!(c.inspect().state, "granted");
    near(shown(&c, "granted_bytes_per_s"), 50_000.0);
    idle(&mut c, 2000.0, u64::MAX, 0);
    assert_eq!((window(&c), c.inspect().state), (5_000, "granted"));
    assert_eq!(hear(&mut c, granted(f64::INFINITY)), 5_000);
    idle(&mut c, 2000.0, u64::MAX - 1, 0);
    assert_eq!((window(&c), c.inspect().state), (10_000, "asking"));
    let CongestionHeader::Rate { rtt, rate } = announced(&mut c) else {
        panic!("another layout");
    };
    assert_eq!((rtt, rate), (span(100.0), f64::INFINITY));
}

/// At once until a router has told of congestion; then .1 / cwnd of the way up, and all of the way down.
#[test]
fn acp_climbs_by_its_gain_behind_the_first_congestion() {
    let mut c = build("acp", &[]);
    assert_eq!(c.inspect().state, "first phase");
    assert_eq!(shown(&c, "wanted_bytes"), 0.0);
    assert_eq!(hear(&mut c, target(20_000.0, false)), 20_000);
    near(shown(&c, "wanted_bytes"), 20_000.0);
    assert_eq!(hear(&mut c, target(f64::INFINITY, true)), 20_000);
    assert_eq!(c.inspect().state, "tracking");
    assert_eq!(hear(&mut c, target(10_000.0, false)), 10_000);
    assert_eq!(hear(&mut c, target(30_000.0, false)), 10_200);
    assert_eq!(hear(&mut c, target(10_000.0, false)), 10_000);
    // Nine tenths of a byte more are approached, too.
    for wanted in [10_000.9, 10_001.7] {
        assert_eq!(hear(&mut c, target(wanted, false)), 10_000);
    }
    let CongestionHeader::Target {
        rtt,
        rate,
        congested,
    } = announced(&mut c)
    else {
        panic!("another layout");
    };
    assert_eq!((rtt, rate, congested), (span(100.0), f64::INFINITY, false));
}

/// A fixed part of the way for each acknowledgement.
#[test]
fn iacp_goes_a_part_of_the_way() {
    let mut c = build("iacp", &[("a", "0.25")]);
    assert_eq!(c.approach(), Some(0.25));
    assert_eq!(shown(&c, "target_bytes"), 0.0);
    for (packets, expected) in [
        (30.0, 15_000),
        (3.0, 12_000),
        (f64::INFINITY, 12_000),
        (-90.0, 1_000),
    ] {
        assert_eq!(hear(&mut c, aimed(packets)), expected);
    }
    near(shown(&c, "target_bytes"), -90_000.0);
    assert_eq!(c.inspect().state, "explicit");
    let CongestionHeader::Window { rtt, cwnd, window } = announced(&mut c) else {
        panic!("another layout");
    };
    assert_eq!((rtt, cwnd, window), (span(100.0), 1.0, f64::INFINITY));
}

/// Half of the flight at a loss, a segment at a timeout, where it is so written; what was spurious is undone. Marks are not for them.
#[test]
fn losses_halve_or_leave_the_window() {
    for id in ALL {
        let told = |loss, causes: &[Cause]| {
            let mut c = build(id, &[("loss", loss)]);
            let each = |cause: &Cause| {
                tell(&mut c, *cause, 12_000);
                window(&c)
            };
            causes.iter().map(each).collect::<Vec<_>>()
        };
        let [loss, timeout] = [Cause::Loss, Cause::Timeout];
        let [spurious, recovered] = [Cause::Spurious, Cause::Recovered];
        let kept = told("keep", &[loss, timeout, spurious, Cause::Mark]);
        assert_eq!(kept, [10_000; 4], "{id}");
        let halved = told("halve", &[Cause::Mark, loss, recovered, loss, spurious]);
        assert_eq!(halved, [10_000, 6_000, 6_000, 6_000, 6_000], "{id}");
        let one = told("halve", &[loss, timeout, spurious]);
        assert_eq!(one, [6_000, 1_000, 6_000], "{id}");
        assert_eq!(told("halve", &[loss, spurious]), [6_000, 10_000], "{id}");
        assert_eq!(build(id, &[]).reduction(), Reduction::Direct);
    }
    for (id, left) in [
        ("xcp", 6_000),
        ("acp", 6_000),
        ("rcp", 10_000),
        ("iacp", 10_000),
    ] {
        let mut c = build(id, &[]);
        tell(&mut c, Cause::Loss, 12_000);
        assert_eq!(window(&c), left, "{id}: by default");
    }
}

#[test]
fn each_header_has_its_layout() {
    let layouts = [Layout::Change, Layout::Rate, Layout::Target, Layout::Window];
    for (id, layout) in ALL.into_iter().zip(layouts) {
        assert_eq!(build(id, &[]).congestion_header(), Some(layout), "{id}");
    }
}

/// A window is paced over the smoothed round trip where that is asked for, and not before it is known.
#[test]
fn a_window_may_be_paced() {
    for id in ["xcp", "acp", "iacp"] {
        for (pace, rate) in [("true", Some(Rate(800_000))), ("false", None)] {
            let mut c = build(id, &[("pace", pace)]);
            assert_eq!(c.limits().pacing, None, "{id}");
            c.on_ack(&ack(0.0, 0, 100.0));
            assert_eq!(window(&c), 10_000);
            assert_eq!(c.limits().pacing, rate, "{id}");
        }
    }
}

/// Not more than the greatest round trip is believed: 300 ms are 200.
#[test]
fn a_long_round_trip_counts_as_the_greatest() {
    let mut c = build("xcp", &[("max_rtt", "200 ms")]);
    assert_eq!(receive_after(&mut c, 300.0, true, change(500.0)), 11_000);
}
