//! The two ends of flows: other controllers and options in the middle of a run, and what receivers say besides acknowledgements.

use std::collections::BTreeSet;

use backwater_sim::connection::Header;
use backwater_sim::ids::FlowId;
use backwater_sim::record::{Record, What};
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::segment::{Ecn, Signal};
use backwater_transport::units::{Span, Time};

use crate::net::*;

const F: FlowId = Id::raw(0);

/// A flow over a line of 100 Mbit/s and 5 ms.
fn line(flow: &str) -> String {
    format!(
        r#"
duration = "2 s"
nodes = {{ S = {{ kind = "host" }}, D = {{ kind = "host" }} }}
links.a = {{ ends = ["S", "D"], rate = "100 Mbit/s", delay = "5 ms" }}
flows.f = {{ from = "S", to = "D", transport = "tcp", {flow}, source = {{ kind = "bulk" }} }}
"#
    )
}

fn entered(world: &mut World) -> u64 {
    world.report().flows[0].sums.entered.packets
}

/// With a window of one packet a delayed acknowledgement comes after 40 ms, since no second segment ends the delay: a round in 50.1 ms. Without the
/// delay a round takes 10.1 ms. Options that change at 1 s hold from then on, whichever way.
#[test]
fn delayed_acknowledgements_begin_and_end_in_the_middle_of_a_run() {
    let flow = |delay: u64| {
        line(&format!(
            r#"delayed_ack = "{delay} ms", controller = {{ kind = "fixed", window = "1 packets" }}"#
        ))
    };
    // A segment of 1,500 B and an acknowledgement of 52 B, with frame and preamble.
    let round = |delay: u64| (1_526 + 78) * 80_000 + 10 * MS + delay * MS;
    for (before, after) in [(40, 0), (0, 40)] {
        let mut world = built(&flow(before));
        world.advance(Time(1_000 * MS));
        let first = entered(&mut world);
        assert!(first.abs_diff(1_000 * MS / round(before)) <= 2, "{first}");
        let transport = resolved(&flow(after)).spec().flows[0].transport.clone();
        let transport = transport.expect("a transport");
        world
            .change_transport(F, &transport)
            .expect("options that may change");
        world.advance(world.end());
        let second = entered(&mut world) - first;
        assert!(second.abs_diff(1_000 * MS / round(after)) <= 2, "{second}");
    }
    let datagrams = r#"
duration = "1 s"
nodes = { S = { kind = "host" }, D = { kind = "host" } }
links.a = { ends = ["S", "D"], rate = "100 Mbit/s", delay = "5 ms" }
flows.f = { from = "S", to = "D", source = { kind = "cbr", packet = "1000 B", rate = "1 Mbit/s" } }
"#;
    let transport = resolved(&flow(0)).spec().flows[0].transport.clone();
    let said = built(datagrams).change_transport(F, &transport.expect("a transport"));
    assert_eq!(
        said.map_err(|why| why.what),
        Err("flow `f` has no transport".into())
    );
}

/// The wire is down when all of the window is sent, and the timer that has run sends again. One of 300 ms is shorter than one of a second, which is the
/// least that the flow began with.
#[test]
fn a_shorter_timeout_holds_from_the_change_on() {
    let flow = |ms: u64| {
        format!(
            "{}events.cut = {{ kind = \"down\", links = [\"a\"], at = \"990 ms\", until = \"1050 ms\" }}\n",
            line(&format!(
                r#"rto_min = "{ms} ms", controller = {{ kind = "fixed", window = "4 packets" }}"#
            ))
        )
    };
    let again = |change: Option<u64>| {
        let mut world = built(&flow(900));
        world.advance(Time(500 * MS));
        if let Some(ms) = change {
            let transport = resolved(&flow(ms)).spec().flows[0].transport.clone();
            let transport = transport.expect("a transport");
            world
                .change_transport(F, &transport)
                .expect("options that may change");
        }
        world.advance(Time(1_060 * MS));
        let before = entered(&mut world);
        let mut ms = 1_060;
        while entered(&mut world) == before {
            ms += 10;
            world.advance(Time(ms * MS));
        }
        ms
    };
    // The last segments left before 990 ms and within a round trip of it.
    let (kept, changed) = (again(None), again(Some(300)));
    assert!((1_870..=1_910).contains(&kept), "{kept}");
    assert!((1_270..=1_310).contains(&changed), "{changed}");
}

/// A larger window that comes with another controller is used at that instant, by a card too: the first segment leaves with the change.
#[test]
fn another_controller_sends_at_once() {
    for (nic, more) in [("push", 20), ("pull", 1)] {
        let flow = |packets: u64| {
            line(&format!(
                r#"nic = "{nic}", controller = {{ kind = "fixed", window = "{packets} packets" }}"#
            ))
        };
        let mut world = built(&flow(4));
        world.advance(Time(MS));
        assert_eq!(entered(&mut world), 4);
        let transport = resolved(&flow(24)).spec().flows[0].transport.clone();
        let transport = transport.expect("a transport");
        let changed = world.change_controller(F, transport.controller, &transport.sender);
        changed.expect("another window");
        assert_eq!(entered(&mut world), 4 + more, "{nic}");
    }
}

/// The mean window of a flow is that of its time: 4 segments for half a second and 24 for a second and a half.
#[test]
fn the_mean_window_is_that_of_all_the_time() {
    let flow = |packets: u64| {
        line(&format!(
            r#"controller = {{ kind = "fixed", window = "{packets} packets" }}"#
        ))
    };
    let mut world = built(&flow(4));
    world.advance(Time(500 * MS));
    let transport = resolved(&flow(24)).spec().flows[0].transport.clone();
    let transport = transport.expect("a transport");
    let changed = world.change_controller(F, transport.controller, &transport.sender);
    changed.expect("another window");
    let report = finished(&mut world);
    let stats = &report.connections[0].stats;
    let expected = 1_448.0 * (4.0 * 0.5 + 24.0 * 1.5) * 1e12;
    assert!(
        (stats.window_area as f64 / expected - 1.0).abs() < 1e-9,
        "{}",
        stats.window_area
    );
    assert_eq!(stats.window, 24 * 1_448);
}

/// Who is told from outside neither gives way to another controller nor takes its place.
#[test]
fn a_driven_controller_is_not_changed() {
    let flow = |kind: &str| line(&format!("controller = {{ kind = \"{kind}\" }}"));
    for (from, to, refused) in [
        ("agent", "cubic", true),
        ("cubic", "agent", true),
        ("cubic", "reno", false),
    ] {
        let before = resolved(&flow(from));
        let mut world = before.build_driven(&before.spec()).expect("a world");
        let transport = resolved(&flow(to)).spec().flows[0].transport.clone();
        let transport = transport.expect("a transport");
        let said = world.change_controller(F, transport.controller, &transport.sender);
        assert_eq!(said.is_err(), refused, "{from} {to}");
    }
}

fn congestion(record: &Record) -> bool {
    let header = record.header.as_deref();
    matches!(header, Some(Header::Signal(Signal::Congestion)))
}

/// Three senders into one line whose queue marks each packet. The host that receives tells of marks by a gate of its port that opens each 50 us: it
/// tells one of the three each time, one after the other, and numbers what it sends to each from one to the next.
#[test]
fn a_host_tells_of_marks_by_one_gate() {
    let (_, records, world) = recorded(
        r#"
duration = "3 ms"
topology = { kind = "star", hosts = 3, rate = "10 Gbit/s", delay = "1 us", bottleneck = "10 Gbit/s" }
ports."*" = { buffer = "4 MB" }
ports."W>D" = { buffer = "4 MB", queue = { kind = "ecn-ramp", min = "1 kB", max = "2 kB", top = "100 %" } }
flows.f = { from = "h*", to = "D", packet = "1030 B", transport = "roce", cnp_gate = "port", cnp_interval = "50 us", controller = { kind = "dcqcn", rate = "10 Gbit/s" }, source = { kind = "bulk" } }
"#,
    );
    let out = port(&world, "D>W");
    let told: Vec<&Record> = records
        .iter()
        .filter(|r| r.what == What::Send && r.port == out && congestion(r))
        .collect();
    // The first mark is told at once.
    let marked = |r: &&Record| r.what == What::Deliver && r.traffic.ecn() == Ecn::Ce;
    let first = records.iter().find(marked).expect("a mark");
    assert!(told[0].at.since(first.at) < Span::micros(1));
    let gaps: Vec<Span> = told
        .windows(2)
        .map(|two| two[1].at.since(two[0].at))
        .collect();
    assert!(
        gaps.len() > 8 && gaps.iter().all(|gap| gap.0 > 49 * US),
        "{gaps:?}"
    );
    // While all are marked, it tells one after the other as soon as it may, behind an acknowledgement on the line at most.
    assert!(gaps[..4].iter().all(|gap| gap.0 < 51 * US), "{gaps:?}");
    let turns: BTreeSet<FlowId> = told[1..4].iter().map(|r| r.flow).collect();
    assert_eq!(turns.len(), 3);
    // Nothing of a flow has the number of another packet, and none is left out.
    for flow in turns {
        let all = records
            .iter()
            .filter(|r| r.what == What::Send && r.port == out && r.flow == flow);
        let numbers: Vec<u32> = all.map(|r| r.seq).collect();
        let counted: Vec<u32> = (0..numbers.len() as u32).collect();
        assert_eq!(numbers, counted);
    }
}
