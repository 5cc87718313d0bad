//! Stations that don't all hear each other: single packets whose fate and instants follow from the rules
//! with pencil and paper. All in 802.11b with long preambles: 1500 B take 1310 µs (1311 µs under EDCA),
//! an ACK 304 µs, propagation is 1 µs.

use backwater_sim::cause::Cause;
use backwater_sim::medium::wifi::mac::category::{AfterCollision, MacSpec};
use backwater_sim::medium::wifi::phy::channel::{ChannelSpec, Disc};
use backwater_sim::spec::CategorySpec;
use backwater_sim::world::{DropRow, PortReport, Report};
use backwater_transport::units::Span;

use crate::cell::{B, BASIC, Cell, RTS, cbr, dcf, disc, edca, once as one_packet, saturated};

const US: u64 = 1_000_000;
const SLOT: u64 = 20;

/// Instants of packets count from here, in µs: the medium has been idle long enough then.
const ZERO: u64 = 1000;

/// One packet of 1500 B at an instant in µs after `ZERO`.
fn packet(cell: &mut Cell, from: usize, to: usize, at: u64) -> usize {
    let flow = cell.flow(from, to, 1, one_packet(1500));
    let spec = &mut cell.0.flows[flow];
    spec.start = Span::micros(ZERO + at);
    spec.stop = Span::micros(ZERO + at + 1);
    flow
}

fn delivered(report: &Report, flow: usize) -> u64 {
    report.flows[flow].sums.delivered.packets
}

/// Delay of a flow's only packet in µs, and when it came.
fn delay(report: &Report, flow: usize) -> u64 {
    assert_eq!(delivered(report, flow), 1);
    let ps = report.flows[flow].sums.max;
    assert_eq!(ps % US, 0, "{ps}");
    ps / US
}

/// A at 0 m, B at 100 m, C at 200 m, who hear their neighbours only.
fn three(mac: MacSpec, sense: f64) -> (Cell, [usize; 3]) {
    let mut cell = Cell::new(1.0, B, mac, disc(100.0, sense));
    let ids = [0.0, 100.0, 200.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    (cell, ids)
}

fn once(mut mac: MacSpec) -> MacSpec {
    mac.retry_short = 1;
    mac.retry_long = 1;
    mac
}

/// A and C send to B, C half a frame later than A.
fn overlap(mac: MacSpec, sense: f64) -> (u64, u64) {
    let (mut cell, [a, b, c]) = three(mac, sense);
    let first = packet(&mut cell, a, b, 0);
    let second = packet(&mut cell, c, b, 500);
    let (_, report) = cell.run();
    (delivered(&report, first), delivered(&report, second))
}

#[test]
fn hidden_stations_destroy_each_others_frames() {
    assert_eq!(overlap(once(dcf(B, BASIC)), 100.0), (0, 0));
}

#[test]
fn stations_that_sense_each_other_take_turns() {
    assert_eq!(overlap(once(dcf(B, BASIC)), 200.0), (1, 1));
}

#[test]
fn a_cts_silences_the_hidden_station() {
    assert_eq!(overlap(once(dcf(B, RTS)), 100.0), (1, 1));
}

#[test]
fn lost_packets_are_blamed_on_the_retry_limit_after_as_many_transmissions() {
    let mut mac = dcf(B, BASIC);
    mac.retry_short = 7;
    let mut cell = Cell::new(1.0, B, mac, disc(100.0, 100.0));
    let [a, b] = [0.0, 100.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    let c = cell.station("c", 200.0, 0.0);
    let d = cell.station("d", 300.0, 0.0);
    cell.flow(c, d, 1, saturated(1500));
    let doomed = packet(&mut cell, a, b, 100);
    let (world, report) = cell.run();
    let drops: Vec<_> = report
        .drops
        .iter()
        .filter(|d| d.key.2.index() == doomed)
        .collect();
    let attempts = report.stations[0].attempts;
    assert_eq!(world.network().nodes.0[a].name, "s0");
    // Between two data frames of C lie at most 11 + 305 + 50 + 31 × 20 µs: too short for A's.
    assert_eq!(drops.len(), 1);
    assert_eq!((drops[0].key.0, attempts), (Cause::RetryLimit, 7));
    // It waits until then and no longer: at most 31 + 63 + 127 + 255 + 511 + 2 × 1023 slots of 20 µs and seven exchanges of less than
    // 1.5 ms each, of a second.
    let hop = |p: &&PortReport| world.network().ports[p.port].more.name == "s0>s100";
    let port = report.ports.iter().find(hop).expect("the hop from A to B");
    let waited = port.count.area as f64 / port.count.max_bytes as f64 / Span::secs(1).0 as f64;
    assert!(waited > 0.0 && waited < 0.072, "{waited}");
}

/// A station that is offered four times what it can send gives up what has waited for longer than the lifetime of an MSDU, and nothing
/// else leaves later: an exchange of 1500 B at 11 Mbit/s takes less than 2 ms, a backoff at most 31 slots of 20 µs.
#[test]
fn no_packet_is_sent_after_its_lifetime() {
    for (lifetime, longest_ms) in [(Some(50), 50.0 + 3.0), (None, f64::INFINITY)] {
        let mut mac = dcf(B, BASIC);
        mac.lifetime = lifetime.map(Span::millis);
        let mut cell = Cell::new(2.0, B, mac, disc(100.0, 100.0));
        let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        cell.flow(a, b, 1, cbr(1500, 24_000_000));
        let (_, report) = cell.run();
        let expired = report.drops.iter().filter(|d| d.key.0 == Cause::Expired);
        assert_eq!(expired.count() > 0, lifetime.is_some());
        let most = report.flows[0].sums.max as f64 / 1e9;
        assert!(most < longest_ms, "{most} ms");
        // 100 packets of more than 1.5 ms each wait otherwise.
        assert!(
            most > if lifetime.is_some() { 45.0 } else { 150.0 },
            "{most} ms"
        );
    }
}

/// Nor is it tried any more: without a limit of retries the lifetime ends the attempts of a frame that can't get through.
#[test]
fn a_frame_is_not_tried_after_its_lifetime() {
    let mut mac = dcf(B, BASIC);
    mac.lifetime = Some(Span::millis(20));
    let mut cell = Cell::new(1.0, B, mac, disc(100.0, 100.0));
    let [a, b] = [0.0, 100.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    let c = cell.station("c", 200.0, 0.0);
    let d = cell.station("d", 300.0, 0.0);
    cell.flow(c, d, 1, saturated(1500));
    let doomed = packet(&mut cell, a, b, 100);
    let (_, report) = cell.run();
    let of_doomed = |d: &&DropRow| d.key.2.index() == doomed;
    let causes: Vec<Cause> = report
        .drops
        .iter()
        .filter(of_doomed)
        .map(|d| d.key.0)
        .collect();
    assert_eq!(causes, [Cause::Expired]);
    // Each failed attempt takes 1310 µs and a timeout of more than 300 µs.
    let attempts = report.stations[0].attempts;
    assert!((2..=12).contains(&attempts), "{attempts}");
}

/// The first frame of an idle station leaves at once: 1310 µs and 1 µs of propagation; with RTS/CTS
/// 352 + 304 µs, two SIFS and two propagation delays more.
#[test]
fn an_idle_medium_costs_no_time() {
    for (rts, expected) in [(BASIC, 1311), (RTS, 1311 + 352 + 304 + 2 * 11)] {
        let (mut cell, [a, b, _]) = three(dcf(B, rts), 100.0);
        let flow = packet(&mut cell, a, b, 0);
        assert_eq!(delay(&cell.run().1, flow), expected);
    }
}

/// Instant from which B's backoff counts, in µs; its packet came at `at` and left `k` slots later.
fn base(report: &Report, flow: usize, at: u64) -> u64 {
    let left = at + delay(report, flow) - 1311;
    // All bases of these tests differ modulo a slot, so that the backoff can be told apart.
    left - 50
}

/// C hears B's frame to A, not A's ACK. B's frame says how long the ACK takes, so C waits for its end
/// although it would disturb nobody: B began at 0, all is over at 1310 + 10 + 304 + 2 µs.
#[test]
fn an_exposed_station_waits_for_an_ack_that_it_does_not_hear() {
    for seed in 1..=20 {
        let mut cell = Cell::new(1.0, B, dcf(B, BASIC), disc(100.0, 100.0));
        let [a, b, c, d] =
            [0.0, 100.0, 200.0, 300.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        cell.0.seed = seed;
        packet(&mut cell, b, a, 0);
        let exposed = packet(&mut cell, c, d, 500);
        let base = base(&cell.run().1, exposed, 500);
        let over = 1310 + 10 + 304 + 2;
        assert!(
            base >= over && (base - over).is_multiple_of(SLOT) && base - over <= 31 * SLOT,
            "{base}"
        );
    }
}

/// Two frames collide at E at 0; E's own packet comes meanwhile. From the end of the frames E waits EIFS
/// (364 µs), or DIFS where the options say so.
#[test]
fn who_hears_a_damaged_frame_waits_for_eifs() {
    for (rule, extra) in [
        (AfterCollision::Timeout, 314),
        (AfterCollision::Eifs, 314),
        (AfterCollision::Difs, 0),
    ] {
        for seed in 1..=10 {
            let mut mac = once(dcf(B, BASIC));
            mac.after_collision = rule;
            let (mut cell, [a, e, c]) = three(mac, 100.0);
            let d = cell.station("d", 100.0, 100.0);
            cell.0.seed = seed;
            packet(&mut cell, a, e, 0);
            packet(&mut cell, c, e, 0);
            let own = packet(&mut cell, e, d, 700);
            let base = base(&cell.run().1, own, 700);
            let over = 1311 + extra;
            assert!(
                base >= over && (base - over).is_multiple_of(SLOT),
                "{rule:?}: {base}"
            );
            assert!(base - over <= 31 * SLOT, "{rule:?}: {base}");
        }
    }
}

/// A's RTS is for B, which is silenced by D's exchange and does not answer. C hears only the RTS: it
/// takes its NAV back when no frame has followed for two SIFS, a CTS, the time to begin to receive, and
/// two slots; without that rule it waits for the end of the exchange that never was.
#[test]
fn a_nav_by_an_rts_that_nothing_follows_is_taken_back() {
    for (resets, holds) in [
        (true, 2 * 10 + 304 + 192 + 2 * 20),
        (false, 304 + 1310 + 304 + 3 * 11),
    ] {
        let mut mac = once(dcf(B, RTS));
        mac.nav_reset = resets;
        let mut cell = Cell::new(1.0, B, mac, disc(100.0, 100.0));
        // C - A - B - D: B hears A and D, C hears A alone.
        let [c, a, b, d] =
            [0.0, 100.0, 200.0, 300.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        let e = cell.station("e", 0.0, 100.0);
        // D's RTS and A's RTS collide at B.
        packet(&mut cell, a, b, 0);
        packet(&mut cell, d, b, 0);
        let own = packet(&mut cell, c, e, 300);
        let (_, report) = cell.run();
        // C's RTS/CTS takes 352 + 304 + 22 µs before its data.
        let base = base(&report, own, 300) - (352 + 304 + 22);
        let over = 353 + holds;
        assert!(
            base >= over && (base - over).is_multiple_of(SLOT),
            "{resets}: {base} {over}"
        );
        assert!(base - over <= 31 * SLOT, "{resets}: {base} {over}");
    }
}

/// After a success a backoff is drawn even if nothing waits: a packet that comes 100 µs after the ACK
/// waits for what is left of it, one that comes a second later leaves at once.
#[test]
fn a_backoff_follows_a_success() {
    let mut waits = std::collections::BTreeSet::new();
    for seed in 1..=60 {
        let (mut cell, [a, b, _]) = three(dcf(B, BASIC), 100.0);
        cell.0.seed = seed;
        packet(&mut cell, a, b, 0);
        let soon = packet(&mut cell, a, b, 1626 + 100);
        let late = packet(&mut cell, a, b, 500_000);
        let (_, report) = cell.run();
        assert_eq!(delay(&report, late), 1311);
        let wait = delay(&report, soon) - 1311;
        assert!(wait <= 31 * SLOT - 50, "{wait}");
        waits.insert(wait);
    }
    assert!(waits.len() > 10 && waits.contains(&0), "{waits:?}");
}

/// Both categories of a station count to the same slot every time: the higher one sends, the lower one
/// behaves as if it had collided and gives up after seven of them.
#[test]
fn the_higher_category_wins_inside_a_station() {
    let mut cell = Cell::new(5.0, B, edca(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    let same = CategorySpec {
        aifsn: Some(2),
        cw_min: Some(0),
        cw_max: Some(0),
        txop: None,
        buffer: None,
    };
    cell.spec(a).categories = [same; 4];
    let low = cell.flow(a, b, 1, saturated(1500));
    let high = cell.flow(a, b, 3, saturated(1500));
    let (_, report) = cell.run();
    assert_eq!(delivered(&report, low), 0);
    // An exchange every 1311 + 10 + 304 + 2 + 50 µs.
    assert_eq!(delivered(&report, high), 5_000_000 / 1677);
    let lost = report.flows[low].sums.dropped.packets;
    assert_eq!(lost, report.stations[0].internal / 7);
    assert!(lost > 400, "{lost}");
}

/// Three exchanges fit the limit: 3 × 12000 bit in AIFS + 15.5 slots + 3 × 1627 µs + 2 SIFS.
#[test]
fn a_txop_carries_several_exchanges() {
    let mut cell = Cell::new(100.0, B, edca(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(a).categories[1].txop = Some(Span::micros(3 * 1627 + 2 * 10 + 5));
    cell.flow(a, b, 1, saturated(1500));
    let rate = cell.throughputs(1)[0];
    let cycle = 10.0 + 3.0 * 20.0 + 15.5 * 20.0 + 3.0 * 1627.0 + 2.0 * 10.0;
    assert!((rate / (36_000.0 / cycle) - 1.0).abs() < 0.002, "{rate}");
}

/// X disturbs A's reception and does not sense A; B hears A's frames well. A repeats what B has got:
/// B takes each packet once, and A giving up loses none.
#[test]
fn a_lost_ack_duplicates_and_loses_nothing() {
    let mut mac = dcf(B, BASIC);
    mac.retry_short = 2;
    let channel = ChannelSpec::Disc(Disc {
        transmit: 100.0,
        sense: 100.0,
        interfere: 150.0,
        capture: None,
        propagation: Span::micros(1),
    });
    let mut cell = Cell::new(20.0, B, mac, channel);
    let [y, x, a, b] = [0.0, 100.0, 250.0, 350.0].map(|m| cell.station(&format!("s{m}"), m, 0.0));
    let noise = cell.flow(x, y, 1, saturated(1500));
    let quiet = cell.flow(a, b, 1, saturated(1500));
    let (_, report) = cell.run();
    let a_row = report
        .stations
        .iter()
        .find(|s| s.failures > 0)
        .expect("A loses ACKs");
    assert!(a_row.retry_drops > 100, "{a_row:?}");
    assert_eq!(report.flows[quiet].sums.dropped.packets, 0);
    let sums = &report.flows[quiet].sums;
    assert!(sums.delivered.packets + 2 >= sums.entered.packets);
    assert!(delivered(&report, noise) > 1000);
}

/// A frame survives what is 12 dB weaker (twice the distance under the fourth power) if capture is on.
#[test]
fn capture_saves_the_stronger_frame() {
    for (capture, expected) in [(None, 0), (Some(10.0), 1), (Some(13.0), 0)] {
        let channel = ChannelSpec::Disc(Disc {
            transmit: 100.0,
            sense: 100.0,
            interfere: 100.0,
            capture,
            propagation: Span::micros(1),
        });
        let mut cell = Cell::new(1.0, B, once(dcf(B, BASIC)), channel);
        let [a, b, c] = [0.0, 50.0, 150.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        let near = packet(&mut cell, a, b, 0);
        packet(&mut cell, c, b, 500);
        assert_eq!(delivered(&cell.run().1, near), expected, "{capture:?}");
    }
}

/// S0: one flow over two hops in one collision domain gets half of what two stations get together
/// (3.17 Mbit/s), a little less where the relay's queue is empty at times.
#[test]
fn a_flow_over_two_hops_gets_half() {
    let mut mac = edca(B, BASIC);
    mac.categories[1].aifsn = 2;
    let mut cell = Cell::new(120.0, B, mac, disc(100.0, 190.0));
    let [a, c, d] = [[-71.0, 71.0], [0.0, 0.0], [100.0, 0.0]]
        .map(|[x, y]| cell.station(&format!("s{x}"), x, y));
    cell.flow(a, d, 1, saturated(1500));
    let _ = c;
    let rate = cell.throughputs(1)[0];
    assert!((3.0..=3.2).contains(&rate), "{rate}");
}

/// S0: without control two such flows fill the relay, which gets a third of the medium for both:
/// 2.12 / 2 = 1.06 Mbit/s each, and loses as much.
#[test]
fn two_flows_share_what_their_relay_gets() {
    let mut mac = edca(B, BASIC);
    mac.categories[1].aifsn = 2;
    let mut cell = Cell::new(120.0, B, mac, disc(100.0, 190.0));
    let [a, b, _, d] = [[-71.0, 71.0], [-71.0, -71.0], [0.0, 0.0], [100.0, 0.0]]
        .map(|[x, y]| cell.station(&format!("s{x}{y}"), x, y));
    cell.flow(a, d, 1, saturated(1500));
    cell.flow(b, d, 1, saturated(1500));
    cell.0.warmup = Span::secs(5);
    let rates = cell.throughputs(1);
    for rate in &rates {
        assert!((rate / 1.06 - 1.0).abs() < 0.03, "{rates:?}");
    }
    let (_, report) = cell.run();
    assert!(report.drops.iter().all(|d| d.key.0 == Cause::BufferFull));
}

#[test]
fn a_run_is_a_function_of_scenario_and_seed_recorded_or_not() {
    let mut cell = Cell::new(2.0, B, dcf(B, BASIC), disc(100.0, 100.0));
    let ids = [0.0, 100.0, 200.0, 300.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.flow(ids[0], ids[3], 1, cbr(1500, 2_000_000));
    cell.flow(ids[3], ids[0], 1, cbr(500, 1_000_000));
    let (_, one) = cell.run();
    assert_eq!(one.fingerprint, cell.run().1.fingerprint);
    let mut recorded = backwater_sim::world::World::build(&cell.0).unwrap();
    recorded.start_recording();
    recorded.advance(recorded.end());
    assert_eq!(one.fingerprint, recorded.report().fingerprint);
    cell.0.seed = 2;
    assert_ne!(one.fingerprint, cell.run().1.fingerprint);
    // Hidden stations: delivered, lost at the retry limit and full buffers, and still all there.
    assert!(one.dropped > 0 && one.delivered > 0);
    let sum = &one.all.sum;
    let parts = sum.serial + sum.queue + sum.gate + sum.contention + sum.retries + sum.propagation;
    assert_eq!(sum.total, parts);
    assert!(sum.retries > 0 && sum.contention > 0);
}

/// A's frame to B disturbs C, which does not sense it: C does not wait for its end, and D, whom A does not disturb, has C's frame.
#[test]
fn a_station_does_not_wait_for_a_frame_that_only_disturbs_it() {
    let mut cell = Cell::new(1.0, B, dcf(B, BASIC), disc(100.0, 100.0));
    if let ChannelSpec::Disc(disc) = &mut cell.0.media[0].channel {
        disc.interfere = 300.0;
    }
    let [b, a, c, d] = [-95.0, 0.0, 210.0, 305.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    let first = packet(&mut cell, a, b, 0);
    let second = packet(&mut cell, c, d, 500);
    let (_, report) = cell.run();
    assert_eq!([first, second].map(|flow| delay(&report, flow)), [1311; 2]);
}
