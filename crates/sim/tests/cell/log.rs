//! The lines that a link writes into mahimahi's log.

use backwater_sim::limit::Limit;
use backwater_sim::medium::trace::First;
use backwater_sim::medium::trace::graph::Graph;
use backwater_sim::medium::trace::log::{Entry, Happening, Log};
use backwater_sim::queue::AnyAqm;
use backwater_sim::queue::aqm::{Aqm, Frame, Verdict};
use backwater_sim::table::Id;
use backwater_sim::world::World;
use backwater_transport::units::Time;

use crate::net::{MAHIMAHI, at, direction, recorded, spec};
use crate::outside::inject;
use crate::window::{folder, lines};

/// The entries of a link whose packets come at these milliseconds.
fn entries(
    trace: Vec<u64>,
    arrivals: impl Iterator<Item = (u64, u64)>,
    ms: u64,
    room: Limit,
    aqm: Option<AnyAqm>,
) -> Vec<Entry> {
    let link = direction(recorded(trace, false), MAHIMAHI, First::Opportunity, vec![]);
    let mut spec = spec([link, None], ms as f64 / 1000.0);
    (spec.ports[0].buffer, spec.ports[0].aqm) = (room, aqm);
    let mut world = World::build(&spec).expect("a link");
    let server = world.network_mut().ports[Id::new(0)]
        .more
        .service
        .server_mut();
    server.expect("a server").journal = Some(Box::default());
    for (tag, (ms, bytes)) in (0..).zip(arrivals) {
        inject(&mut world, at(ms), Id::new(0), bytes, tag);
    }
    // The entries that are taken while the run goes on and at its end are one log.
    let mut entries = Vec::new();
    for part in 1..=4 {
        world.advance(Time(world.end().0 / 4 * part));
        let (now, over) = (world.now(), part == 4);
        let server = world.network_mut().ports[Id::new(0)]
            .more
            .service
            .server_mut();
        entries.extend(server.expect("a server").take_entries(now, over));
    }
    entries
}

#[test]
fn opportunities_come_before_arrivals_and_departures_behind_their_opportunity() {
    // Room for one packet. Opportunities at 1 3 3 6. At 1 two packets come after the opportunity, and the
    // second finds no room; at 3 the first leaves and the second opportunity finds nothing.
    let found = entries(
        vec![1, 3, 3, 6],
        [(1, 1500), (1, 1500), (5, 96)].into_iter(),
        10,
        Limit::Packets(1),
        None,
    );
    let log = Log {
        header: vec!["# base timestamp: 0".into()],
        entries: found,
    };
    let expected = "# base timestamp: 0\n1 # 1504\n1 + 1504\n1 + 1504\n1 d 1 1504\n3 # 1504\n\
        3 - 1504 2\n3 # 1504\n5 + 100\n6 # 1504\n6 - 100 1\n";
    assert_eq!(log.write(), expected);
}

/// Loses the second frame that is to leave.
#[derive(Clone, Debug, Default)]
struct LosesSecond(u32);

impl Aqm for LosesSecond {
    fn pop(&mut self, _: &Frame) -> Verdict {
        self.0 += 1;
        match self.0 {
            2 => Verdict::Drop,
            _ => Verdict::Accept,
        }
    }
}

/// Of three packets the first and the last leave at the opportunities at 3 and at 6, and queue management loses the second at 6.
#[test]
fn the_log_of_a_link_has_what_queue_management_loses() {
    let aqm = AnyAqm::Custom(Box::new(LosesSecond::default()));
    let come = [(1, 1500); 3].into_iter();
    let found = entries(vec![3, 6], come, 8, Limit::Unlimited, Some(aqm));
    let log = Log {
        header: Vec::new(),
        entries: found,
    };
    let figures = Graph::of(&log).expect("rates");
    assert_eq!((figures.dropped, figures.discarded), (0, 1));
    let gone = log.entries.iter().filter(|one| one.at == 6);
    assert_eq!(gone.count(), 3, "{}", log.write());
}

/// Of the first link one byte could have left in 100 ms, and none did. In the second queue
/// management dropped two packets as they were to leave.
#[test]
fn the_figures_of_a_log_count_every_byte_and_packet() {
    let figures = |text: &str| {
        let log = Log::parse(text.as_bytes()).expect("a log");
        Graph::of(&log).expect("rates")
    };
    let idle = figures("100 # 1\n200 d 1 60\n");
    assert_eq!((idle.capacity_bps, idle.utilisation), (80.0, Some(0.0)));
    assert_eq!((idle.dropped, idle.discarded), (1, 0));
    let managed = figures("1 + 60\n1 + 60\n3 # 1504\n# 3 d 1 60\n5 # 1504\n# 5 d 1 60\n");
    assert_eq!((managed.dropped, managed.discarded), (0, 2));
}

/// The packet that came at 6 ms left first, after 1 ms, and the one that came at 5 after 3: in order of arrival 3 and 1, of which
/// that of index 1 is the greater.
#[test]
fn the_signal_delay_goes_by_arrivals_whoever_leaves_first() {
    let log = Log::parse(b"5 + 9\n6 + 9\n7 - 9 1\n8 - 9 3\n").expect("a log");
    let found = Graph::of(&log).expect("rates");
    assert_eq!(found.signal_delay_p95_ms, Some(3));
}

/// A log of 100,000 s and a delay of as much are looked at, and nothing longer.
#[test]
fn logs_and_delays_have_a_greatest_length() {
    let figures = |text: String| Graph::of(&Log::parse(text.as_bytes()).expect("a log"));
    let most = 100_000_000;
    let long = |end: u64| figures(format!("1 + 9\n{} + 9\n", 1 + end));
    assert_eq!(long(most).expect("rates").duration_s, 1e5);
    assert!(long(most + 1).is_err());
    let late = |delay: u64| figures(format!("{delay} - 9 {delay}\n{} # 1504\n", delay + 10));
    assert_eq!(late(most).expect("rates").delay_p95_ms, Some(most));
    assert!(late(most + 1).is_err());
}

#[test]
fn a_log_that_mahimahi_wrote_is_written_again_from_its_arrivals() {
    const NAME: &str = "verizon-lte-short-fixed20.uplink.log";
    let Some(folder) = folder() else { return };
    let Ok(content) = std::fs::read(folder.join(NAME)) else {
        eprintln!("skipped: {} has no {NAME}", folder.display());
        return;
    };
    let mut log = Log::parse(&content).expect("a log of mahimahi");
    assert_eq!(log.write().as_bytes(), content);
    // Its clock began `base` ms before the trace. What came is put to our link; what it does must be what
    // mahimahi did, byte for byte.
    let base: u64 = log
        .value("base timestamp")
        .expect("a base")
        .parse()
        .expect("ms");
    let arrivals: Vec<(u64, u64)> = log
        .entries
        .iter()
        .filter_map(|entry| match entry.what {
            Happening::Arrival(bytes) => Some((entry.at - base, bytes - 4)),
            _ => None,
        })
        .collect();
    let Some(trace) = lines("Verizon-LTE-short.down") else {
        return;
    };
    let ours = entries(trace, arrivals.into_iter(), 140_000, Limit::Unlimited, None);
    log.entries = ours
        .into_iter()
        .map(|entry| Entry {
            at: entry.at + base,
            ..entry
        })
        .collect();
    assert!(log.write().as_bytes() == content, "the log differs");
}
