//! The purpose of S0's control: sources give way to their relay, so that what the first hop carries the second
//! carries too. Goes red when it is off.

use std::collections::{BTreeMap, BTreeSet};

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::mechanism::{
    AnyDetector, AnyNotifier, AnyResponder, DETECTORS, NOTIFIERS, RESPONDERS,
};
use backwater_sim::spec::MechanismSpec;
use backwater_transport::part::{Args, Part, Refusal, Value};
use backwater_transport::units::{Bytes, Span, Time};

use backwater_sim::medium::wifi::air_log::{Body, Fate};
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::world::World;

use crate::cell::{B, BASIC, Cell, cbr, dcf, disc, edca, poisson, saturated};

type Build<T> = fn(&Args) -> Result<T, Refusal>;

pub fn part<T: Clone>(
    table: &'static [Part<Build<T>>],
    id: &str,
    given: &[(&'static str, Value)],
) -> T {
    let row = table.iter().find(|p| p.id == id).expect("a row");
    (row.build)(&Args(given.to_vec())).expect("legal options")
}

/// The recipe with its defaults.
pub fn control(stations: Vec<usize>, respond: AnyResponder) -> MechanismSpec {
    let detect: AnyDetector = part(
        DETECTORS,
        "rate-comparison",
        &[
            ("alpha", Value::Number(1.02)),
            ("busy_below", Value::Share(0.8)),
            ("underused", Value::Choice("busy")),
            ("rate_below", Value::Share(0.9)),
            ("period", Value::Span(Span::millis(250))),
            ("window", Value::Count(4)),
        ],
    );
    MechanismSpec {
        name: "bp".into(),
        at: Vec::new(),
        stations,
        detect,
        notify: request(0),
        respond,
    }
}

/// The notifier with its defaults, and a report of so many bytes.
fn request(report: u64) -> AnyNotifier {
    part(
        NOTIFIERS,
        "request",
        &[
            ("frame", Value::Bytes(Bytes(50))),
            ("expiry", Value::Span(Span::secs(1))),
            ("period", Value::Span(Span::millis(250))),
            ("target", Value::Choice("mean")),
            ("report", Value::Bytes(Bytes(report))),
        ],
    )
}

/// IEEE 802.11-06/1308r0 with its defaults, in place of S0's detector.
fn by_queue(mechanism: MechanismSpec) -> MechanismSpec {
    let detect = part(
        DETECTORS,
        "queue-rate-difference",
        &[
            ("queue_low", Value::Share(0.0)),
            ("queue_high", Value::Share(1.0)),
            ("difference", Value::Share(0.16)),
            ("deviation", Value::Share(0.08)),
            ("deviation_medium", Value::Share(0.08)),
            ("period", Value::Span(Span::millis(250))),
            ("window", Value::Count(4)),
        ],
    );
    MechanismSpec {
        detect,
        ..mechanism
    }
}

fn aifsn(own: bool) -> AnyResponder {
    part(
        RESPONDERS,
        "aifsn",
        &[
            ("min", Value::Count(2)),
            ("max", Value::Count(31)),
            ("own", Value::Flag(own)),
            ("own_while", Value::Choice("congested")),
        ],
    )
}

/// S0's Fig. 1: A and B send over C to D.
pub fn fork(respond: Option<AnyResponder>) -> Cell {
    let mut mac = edca(B, BASIC);
    mac.categories[1].aifsn = 2;
    let mut cell = Cell::new(60.0, B, mac, disc(100.0, 190.0));
    let [a, b, c, d] = [[-71.0, 71.0], [-71.0, -71.0], [0.0, 0.0], [100.0, 0.0]]
        .map(|[x, y]| cell.station(&format!("s{x}{y}"), x, y));
    cell.flow(a, d, 1, cbr(1500, 4_000_000));
    cell.flow(b, d, 1, cbr(1500, 4_000_000));
    cell.0.warmup = Span::secs(5);
    cell.0.mechanisms = respond.map(|r| control(vec![c], r)).into_iter().collect();
    cell
}

/// Mbit/s over each hop of each flow.
fn hops(cell: &Cell) -> Vec<[f64; 2]> {
    let (_, report) = cell.run();
    let seconds = (cell.0.duration.0 - cell.0.warmup.0) as f64 / 1e12;
    let rate = |bytes: u64| bytes as f64 * 8.0 / 1e6 / seconds;
    let flows = report.flows.iter();
    flows
        .map(|f| [0, 1].map(|h| rate(f.hops[h].count.bytes)))
        .collect()
}

#[test]
fn sources_give_way_to_their_relay() {
    let sum = |rates: &[[f64; 2]], hop: usize| rates.iter().map(|r| r[hop]).sum::<f64>();
    let without = hops(&fork(None));
    assert!(sum(&without, 0) / sum(&without, 1) > 1.8, "{without:?}");
    for respond in [
        aifsn(true),
        part(
            RESPONDERS,
            "cw-min",
            &[
                ("steps", Value::Count(5)),
                ("own", Value::Flag(true)),
                ("own_while", Value::Choice("congested")),
            ],
        ),
        part(
            RESPONDERS,
            "token-bucket",
            &[
                ("own", Value::Flag(true)),
                ("own_while", Value::Choice("congested")),
            ],
        ),
    ] {
        let with = hops(&fork(Some(respond.clone())));
        // Four transmissions for two packets: 6.1 / 4 = 1.52 Mbit/s each.
        assert!(
            (sum(&with, 0) / sum(&with, 1) - 1.0).abs() < 0.05,
            "{respond:?} {with:?}"
        );
        assert!(
            (sum(&with, 1) / 2.0 - 1.52).abs() < 0.2,
            "{respond:?} {with:?}"
        );
    }
}

/// Sources that may step back only so far stay there, because the relay stays congested: it gets what a saturated
/// station at AIFSN 2 gets beside two at that AIFSN, by an independent slot-exact computation. Requests take up to 1 %.
#[test]
fn sources_that_cannot_step_back_further_stay_where_they_are() {
    for (most, expected) in [(3, 2.393), (4, 2.637), (5, 2.865)] {
        let respond = part(
            RESPONDERS,
            "aifsn",
            &[
                ("min", Value::Count(2)),
                ("max", Value::Count(most)),
                ("own", Value::Flag(true)),
                ("own_while", Value::Choice("congested")),
            ],
        );
        let forwarded: f64 = hops(&fork(Some(respond))).iter().map(|r| r[1]).sum();
        assert!(
            (forwarded / expected - 1.0).abs() < 0.02,
            "{most}: {forwarded}"
        );
    }
}

/// The queue and the difference of rates tell the relay's congestion as well. A difference counts as high from 8 %
/// of what came in, and a queue as high from half of the buffer, so the relay loses next to nothing.
#[test]
fn a_relay_that_looks_at_its_queue_is_given_way_to() {
    let lost = |cell: &Cell| {
        let (world, report) = cell.run();
        let drops = report.drops.iter().filter(|d| d.key.0 == Cause::BufferFull);
        let at_relay = drops.filter(|d| world.network().ports[d.key.1].node.index() == 2);
        at_relay.map(|d| d.count.packets).sum::<u64>()
    };
    let mut cell = fork(Some(aifsn(true)));
    cell.0.mechanisms = vec![by_queue(cell.0.mechanisms[0].clone())];
    let sum = |hop: usize| hops(&cell).iter().map(|r| r[hop]).sum::<f64>();
    assert!(sum(0) / sum(1) < 1.0 / 0.92, "{} {}", sum(0), sum(1));
    assert!((sum(1) / 2.0 - 1.52).abs() < 0.2, "{}", sum(1));
    assert!(
        lost(&cell) * 50 < lost(&fork(None)),
        "{} {}",
        lost(&cell),
        lost(&fork(None))
    );
}

/// A flow that begins at the relay has nobody upstream to be asked: without `own` it starves the others.
#[test]
fn a_relay_holds_its_own_flow_back() {
    for (own, fair) in [(true, true), (false, false)] {
        let mut cell = fork(Some(aifsn(own)));
        cell.flow(2, 3, 1, cbr(1500, 4_000_000));
        cell.0.warmup = Span::secs(20);
        let rates = cell.throughputs(1);
        let least = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let most = rates.iter().copied().fold(0.0, f64::max);
        assert_eq!(least / most > 0.7, fair, "own {own}: {rates:?}");
    }
}

/// A -> B -> C, where A offers so much until `stop` seconds, and B so much of its own.
fn own_cell(forwarded: u64, stop: u64, own: u64) -> Cell {
    let mut mac = edca(B, BASIC);
    mac.categories[1].aifsn = 2;
    let mut cell = Cell::new(60.0, B, mac, disc(100.0, 190.0));
    let [a, b, c] = [-100.0, 0.0, 100.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.flow(a, c, 1, cbr(1500, forwarded));
    cell.flow(b, c, 1, cbr(1500, own));
    cell.0.flows[0].stop = Span::secs(stop);
    cell.0.mechanisms = vec![control(vec![b], aifsn(true))];
    cell
}

/// Mbit/s of B's own flow after `warmup` seconds.
fn own_of_relay(forwarded: u64, stop: u64, own: u64, warmup: u64) -> f64 {
    let mut cell = own_cell(forwarded, stop, own);
    cell.0.warmup = Span::secs(warmup);
    cell.throughputs(1)[1]
}

/// 0.2 + 2 Mbit/s of some 6 that the medium carries: nothing is congested, so nothing is to be held.
#[test]
fn a_relay_that_is_not_congested_leaves_its_own_flow_alone() {
    let own = own_of_relay(100_000, 60, 2_000_000, 5);
    assert!((own / 2.0 - 1.0).abs() < 0.01, "{own}");
}

/// The forwarded flow congests the relay and stops at 20 s. Its requests hold for a second.
#[test]
fn a_hold_ends_when_what_it_made_room_for_has_stopped() {
    let own = own_of_relay(4_000_000, 20, 2_000_000, 25);
    assert!((own / 2.0 - 1.0).abs() < 0.01, "{own}");
}

/// A relay B holds its own flow of 4 Mbit/s back for one of A that stops at 20 s. One hold follows the rate that is left for it; what
/// waits is never more than 100 packets, and none waits beyond its turn. The hold ends with packets that wait, and then it is gone.
#[test]
fn a_hold_follows_its_rate_and_leaves_nothing_behind() {
    for buffer in [Limit::Packets(100), Limit::Bytes(Bytes(1_000_000))] {
        let mut cell = own_cell(4_000_000, 20, 4_000_000);
        cell.spec(1).buffer = buffer;
        let mut world = World::build(&cell.0).expect("a legal cell");
        let (mut rates, mut most, mut ended_full) = (BTreeSet::new(), 0, false);
        while world.now() < Time::ZERO + Span::secs(30) {
            world.advance(world.now() + Span::millis(1));
            let holds = &world.air().radios[1].holds;
            assert!(holds.len() <= 1, "{holds:?}");
            let Some(held) = holds.first() else { continue };
            rates.extend(held.rate.map(|rate| rate.0));
            most = held.frames.max(most);
            ended_full |= held.rate.is_none() && held.frames > 0;
            assert!(held.frames == 0 || held.next >= world.now(), "{held:?}");
        }
        assert!(rates.len() > 10, "{rates:?}");
        assert!(ended_full && world.air().radios[1].holds.is_empty());
        assert_eq!(most, 100);
    }
}

/// B's own flow stops at 10 s, while A's goes on. Nothing waits then, and the hold that limits nothing is gone.
#[test]
fn a_hold_that_limits_nothing_any_longer_is_gone() {
    let mut cell = own_cell(4_000_000, 60, 4_000_000);
    cell.0.flows[1].stop = Span::secs(10);
    let mut world = World::build(&cell.0).expect("a legal cell");
    let mut held = false;
    while world.now() < Time::ZERO + Span::secs(20) {
        world.advance(world.now() + Span::millis(50));
        held |= !world.air().radios[1].holds.is_empty();
    }
    assert!(held, "there was a hold");
    assert!(world.air().radios[1].holds.is_empty());
}

/// Sources of the fork stop at 20 s. They stepped back by no more than ten steps; the last request holds for a
/// second, and a step is taken back in each quarter of a second after that.
#[test]
fn steps_are_taken_back_when_requests_have_expired() {
    let mut cell = fork(Some(aifsn(true)));
    cell.0
        .flows
        .iter_mut()
        .for_each(|f| f.stop = Span::secs(20));
    let mean = |cell: &Cell| {
        let (_, report) = cell.run();
        let seconds = (cell.0.duration.0 - cell.0.warmup.0) as f64 / 1e12;
        [0, 1].map(|i| report.stations[i].aifsn[1] as f64 / 1e12 / seconds)
    };
    assert!(
        mean(&cell).iter().all(|aifsn| *aifsn > 2.5),
        "{:?}",
        mean(&cell)
    );
    cell.0.warmup = Span::secs(25);
    assert_eq!(mean(&cell), [2.0, 2.0]);
}

/// Three stations feed two relays on either side, beside a competitor that none of the relays can ask. All six get the
/// same share of the medium without control, so that three halves of what a relay can forward comes to it.
#[test]
fn two_relays_that_share_their_upstream_stations_agree() {
    let run = |controlled: bool| {
        let mut mac = edca(B, BASIC);
        mac.categories[1].aifsn = 2;
        let mut cell = Cell::new(60.0, B, mac, disc(100.0, 300.0));
        let [left, right, x, y] =
            [-90.0, 90.0, -180.0, 180.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
        for at in [-10.0, 0.0, 10.0] {
            let a = cell.station(&format!("a{at}"), 0.0, at);
            // Two constant rates at one full queue would lock: whoever comes just after a departure gets in.
            cell.flow(a, x, 1, poisson(1500, 3_000_000));
            cell.flow(a, y, 1, poisson(1500, 3_000_000));
        }
        let other = cell.station("other", 0.0, 50.0);
        let sink = cell.station("sink", 0.0, 90.0);
        cell.flow(other, sink, 1, saturated(1500));
        cell.0.warmup = Span::secs(10);
        if controlled {
            cell.0.mechanisms = vec![control(vec![left, right], aifsn(true))];
        }
        let (_, report) = cell.run();
        let rate = |flow: usize, hop: usize| report.flows[flow].hops[hop].count.bytes as f64;
        // The packets that come to each relay and those that leave it, over its three flows.
        [0, 1].map(|side| [0, 1].map(|hop| (0..3).map(|a| rate(2 * a + side, hop)).sum::<f64>()))
    };
    let [left, right] = run(false);
    for side in [left, right] {
        assert!((side[0] / side[1] / 1.5 - 1.0).abs() < 0.1, "{side:?}");
    }
    let [left, right] = run(true);
    for side in [left, right] {
        assert!((side[0] / side[1] - 1.0).abs() < 0.05, "{side:?}");
    }
    assert!((left[1] / right[1] - 1.0).abs() < 0.1, "{left:?} {right:?}");
}

/// A report of steps makes the data frames of upstream stations longer by its field, and those of relays not. What a relay makes
/// of it is tested beside the notifier.
#[test]
fn frames_of_upstream_stations_are_longer_by_their_report() {
    let run = |report: u64| {
        let mut cell = fork(Some(aifsn(true)));
        (cell.0.duration, cell.0.warmup) = (Span::secs(1), Span::ZERO);
        cell.0.mechanisms[0].notify = request(report);
        let mut world = World::build(&cell.0).expect("a legal cell");
        world.start_air_log();
        world.advance(world.end());
        let frames = world.take_air_frames(true);
        // From the beginning of a data frame to that of its ACK.
        [0, 2].map(|from| {
            let mut of = frames.windows(2).filter(|f| {
                let answered = f[0].kind == FrameKind::Data && f[1].kind == FrameKind::Ack;
                answered && f[0].from == from && f[1].from == f[0].to
            });
            let first = of.next().expect("a data frame with its ACK");
            first[1].at.since(first[0].at).0
        })
    };
    let ([source, relay], [longer, same]) = (run(0), run(11));
    // 11 bytes at 11 Mbit/s.
    assert_eq!(longer - source, 8_000_000);
    assert_eq!(same, relay);
}

/// Under DCF a station numbers what it sends with one counter, packets and requests alike. What was on the air before has the
/// retry bit and its number of then; nothing else has. 9.2.4.1.11, 10.3.2.11.
#[test]
fn what_a_station_repeats_keeps_its_sequence_number() {
    let mut cell = fork(Some(aifsn(false)));
    cell.0.media[0].mac = dcf(B, BASIC);
    (cell.0.duration, cell.0.warmup) = (Span::secs(20), Span::ZERO);
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_air_log();
    world.advance(world.end());
    let frames = world.take_air_frames(true);
    let what = |body: &Body| match body {
        Body::Packet(packet, ..) => Some((packet.flow, packet.seq)),
        Body::Joined(..) | Body::Notice(..) | Body::Asks(..) | Body::Acknowledges(..) => None,
    };
    let mut seen = [[0; 2]; 2];
    for station in 0..4 {
        let (mut next, mut last, mut tried) = (0, BTreeMap::new(), false);
        for frame in frames.iter().filter(|f| f.from == station) {
            let Some(body) = &frame.body else { continue };
            let what = what(body);
            match frame.retry {
                true => assert_eq!(last.get(&what), Some(&frame.number)),
                false => {
                    assert_eq!(frame.number, next);
                    next = (next + 1) % 4096;
                }
            }
            if what.is_none() {
                // A request is repeated where nobody had it, and only there.
                assert!(!tried || frame.retry);
                tried = frame.fate == Fate::Lost;
            }
            last.insert(what, frame.number);
            seen[usize::from(what.is_none())][usize::from(frame.retry)] += 1;
        }
    }
    // Packets and requests, sent and sent again.
    assert!(seen.as_flattened().iter().all(|n| *n > 0), "{seen:?}");
}

/// Requests that nobody has got are given up after a try. The count of what waits at the relay stays right.
#[test]
fn a_request_that_is_given_up_waits_no_longer() {
    let mut cell = fork(Some(aifsn(false)));
    (
        cell.0.media[0].mac.retry_short,
        cell.0.media[0].mac.retry_long,
    ) = (1, 1);
    (cell.0.duration, cell.0.warmup) = (Span::secs(20), Span::ZERO);
    // Nobody waits for more than a slot, so requests collide.
    cell.0.media[0]
        .mac
        .categories
        .iter_mut()
        .for_each(|c| (c.cw_min, c.cw_max) = (1, 1));
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_air_log();
    world.advance(world.end());
    let frames = world.take_air_frames(true);
    let lost = frames
        .iter()
        .filter(|frame| matches!(frame.body, Some(Body::Notice(..))) && frame.fate == Fate::Lost);
    assert!(lost.count() > 0);
    let relay = &world.air().radios[2];
    assert_eq!(relay.categories[3].frames as usize, relay.notices.len());
}

/// Requests are frames: they take airtime, and without upstream stations nobody sends any.
#[test]
fn requests_travel_as_management_frames() {
    let (_, with) = fork(Some(aifsn(true))).run();
    let (_, without) = fork(None).run();
    let sent =
        |r: &backwater_sim::world::Report| r.stations.iter().map(|s| s.management).sum::<u64>();
    assert_eq!(sent(&without), 0);
    // At most one to each of two stations in 250 ms, and repetitions.
    assert!((10..500).contains(&sent(&with)), "{}", sent(&with));
    // AIFSN of A rose above 2, and C's did not.
    let mean = |i: usize| with.stations[i].aifsn[1] as f64 / 55e12;
    assert!(mean(0) > 3.0 && mean(2) == 2.0, "{} {}", mean(0), mean(2));
}
