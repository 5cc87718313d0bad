//! Mechanisms of switches at 802.11 stations: standing notices in management frames, what a detector sees there, and
//! every responder that means something. Each test is red when the responder does nothing.

use std::sync::{Arc, Mutex};

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Seen, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::place::View;
use backwater_sim::mechanism::responder::{AnyResponder, Responder};
use backwater_sim::mechanism::{AnyDetector, DETECTORS, NOTIFIERS, RESPONDERS};
use backwater_sim::medium::wifi::air_log::Body;
use backwater_sim::record::What;
use backwater_sim::spec::{MechanismSpec, Turn};
use backwater_sim::world::{Report, World};
use backwater_transport::part::{Args, Part, Refusal, Value};
use backwater_transport::units::{Bytes, Span};

use crate::cell::{B, BASIC, Cell, cbr, disc, edca, saturated};
use crate::options::fill;

type Build<T> = fn(&Args) -> Result<T, Refusal>;

/// A part with these options and the defaults of the rest; options of other parts are left to them.
fn part<T>(table: &[Part<Build<T>>], id: &str, given: &[(&'static str, Value)]) -> T {
    let row = table.iter().find(|p| p.id == id).expect("a row");
    let mine: Vec<_> = given
        .iter()
        .filter(|(name, _)| row.options.iter().any(|o| o.name == *name))
        .cloned()
        .collect();
    (row.build)(&fill(row.options, &mine)).expect("legal options")
}

pub fn mechanism(
    [detect, notify, respond]: [&str; 3],
    stations: Vec<usize>,
    given: &[(&'static str, Value)],
) -> MechanismSpec {
    MechanismSpec {
        name: "bp".into(),
        at: Vec::new(),
        stations,
        detect: part(DETECTORS, detect, given),
        notify: part(NOTIFIERS, notify, given),
        respond: part(RESPONDERS, respond, given),
    }
}

/// A and B send over C to D: the relay gets a third of the medium and receives two.
pub fn fork() -> (Cell, usize) {
    let mut mac = edca(B, BASIC);
    mac.categories[1].aifsn = 2;
    let mut cell = Cell::new(20.0, B, mac, disc(100.0, 190.0));
    let [a, b, c, d] = [[-71.0, 71.0], [-71.0, -71.0], [0.0, 0.0], [100.0, 0.0]]
        .map(|[x, y]| cell.station(&format!("s{x}{y}"), x, y));
    cell.flow(a, d, 1, cbr(1500, 4_000_000));
    cell.flow(b, d, 1, cbr(1500, 4_000_000));
    (cell, c)
}

/// Packets lost for want of room at a station.
fn lost_at(world: &World, report: &Report, station: usize) -> u64 {
    let full = report.drops.iter().filter(|d| d.key.0 == Cause::BufferFull);
    let here = full.filter(|d| world.network().ports[d.key.1].node.index() == station);
    here.map(|d| d.count.packets).sum()
}

pub fn lost(cell: &Cell, station: usize) -> u64 {
    let (world, report) = cell.run();
    lost_at(&world, &report, station)
}

/// Gates of upstream stations close toward the congested next hop: what comes meanwhile waits where it began, and the
/// relay loses next to nothing. At most a frame that is under way from each feeder, and the wait for the medium, lie
/// between the mark of 80 frames and the buffer of 100.
#[test]
fn a_gate_at_stations_keeps_their_relay_from_overflowing() {
    let (mut cell, relay) = fork();
    let without = lost(&cell, relay);
    assert!(without > 1000, "{without}");
    for notify in ["pause", "pfc", "destination"] {
        for cast in ["each", "group"] {
            let parts = ["watermark", notify, "gate"];
            // A group frame that collides is said again after 26 ms, in which a feeder sends six packets.
            let quanta = if cast == "each" { 65_535 } else { 500 };
            let given = [
                ("cast", Value::Choice(cast)),
                ("quanta", Value::Count(quanta)),
            ];
            cell.0.mechanisms = vec![mechanism(parts, vec![relay], &given)];
            let with = lost(&cell, relay);
            let most = if cast == "each" { 0 } else { without / 4 };
            assert!(with <= most, "{notify} {cast}: {with} {without}");
        }
    }
}

/// A gate is for the next hop that is congested: what the same station sends elsewhere goes on.
#[test]
fn what_goes_to_another_next_hop_is_not_stopped() {
    let (mut cell, relay) = fork();
    let elsewhere = cell.station("elsewhere", -140.0, 100.0);
    // In another category, since one that waits at a gate fills its buffer; the notice speaks of all.
    let flow = cell.flow(0, elsewhere, 2, cbr(1500, 200_000));
    let parts = ["watermark", "pause", "gate"];
    cell.0.mechanisms = vec![mechanism(parts, vec![relay], &[])];
    let (world, report) = cell.run();
    assert_eq!(lost_at(&world, &report, relay), 0);
    let sent = report.flows[flow].sums.delivered.bytes as f64 * 8.0 / 20.0;
    assert!(sent > 0.95 * 200_000.0, "{sent}");
    assert!(
        report.flows[0].sums.dropped.packets > 1000,
        "its other flow waits"
    );
}

/// A comparison of rates asks for less; a gate stops until the request expires or is taken back, a shaper keeps to the
/// rate that the relay's flows leave with. Either way the relay loses much less.
#[test]
fn requests_are_answered_by_a_gate_or_a_shaper() {
    let (mut cell, relay) = fork();
    let without = lost(&cell, relay);
    for respond in ["gate", "shaper"] {
        let parts = ["rate-comparison", "request", respond];
        cell.0.mechanisms = vec![mechanism(parts, vec![relay], &[])];
        let with = lost(&cell, relay);
        assert!(with * 4 < without, "{respond}: {with} {without}");
    }
}

/// A request's periods, short enough that a queue of 100 frames does not fill in one.
const FAST: [(&str, Value); 2] = [
    ("expiry", Value::Span(Span::millis(200))),
    ("period", Value::Span(Span::millis(50))),
];

/// A watermark asks by requests at once and again: upstream stations step back further than a detector of rates with
/// its second of memory would have them in the same time.
#[test]
fn a_watermark_beside_requests_asks_when_it_is_crossed_and_again() {
    let (mut cell, relay) = fork();
    let without = lost(&cell, relay);
    let parts = ["watermark", "request", "aifsn"];
    cell.0.mechanisms = vec![mechanism(parts, vec![relay], &FAST)];
    let with = lost(&cell, relay);
    assert!(with * 10 < without, "{with} {without}");
}

/// A PAUSE of the relay in a management frame makes upstream stations step back, once and at each repetition.
#[test]
fn a_pause_over_the_air_moves_access_parameters() {
    let (mut cell, relay) = fork();
    let without = lost(&cell, relay);
    for cast in ["each", "group"] {
        let given = [
            ("quanta", Value::Count(500)),
            ("refresh", Value::Share(0.5)),
            ("cast", Value::Choice(cast)),
        ];
        let parts = ["watermark", "pause", "aifsn"];
        cell.0.mechanisms = vec![mechanism(parts, vec![relay], &given)];
        let with = lost(&cell, relay);
        assert!(with * 4 < without, "{cast}: {with} {without}");
    }
}

/// A group frame is sent once and can be lost: a feeder that a hidden station keeps busy misses some that the other
/// feeder has.
#[test]
fn a_feeder_that_a_hidden_station_disturbs_misses_group_frames() {
    let (mut cell, relay) = fork();
    // 200 m from the relay, 100.4 m from A, 224 m from B.
    let [jam, sink] =
        [[-142.0, 142.0], [-200.0, 200.0]].map(|[x, y]| cell.station(&format!("s{x}{y}"), x, y));
    cell.flow(jam, sink, 1, saturated(1500));
    let given = [
        ("quanta", Value::Count(500)),
        ("cast", Value::Choice("group")),
    ];
    let parts = ["watermark", "pause", "aifsn"];
    cell.0.mechanisms = vec![mechanism(parts, vec![relay], &given)];
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_recording();
    world.advance(world.end());
    let records = world.take_records();
    let sent = world.report().stations[relay].management;
    let moves = |station: usize| {
        let of = |p: backwater_sim::ids::PortId| world.network().ports[p].node.index();
        let moved = records.iter().filter(|r| r.what == What::Aifsn);
        moved.filter(|r| of(r.port) == station).count()
    };
    assert!(moves(0) * 2 < moves(1), "{} {}", moves(0), moves(1));
    assert!(moves(1) > 10, "{}", moves(1));
    // Nobody acknowledges it, and it is not repeated: every frame sent is a new notice.
    assert!(sent > 10, "{sent}");
}

/// The log of a test detector: the frame, bytes held in all, own and forwarded.
type Log = Arc<Mutex<Vec<(bool, Seen, [u64; 3])>>>;

/// Says nothing and writes down what it sees.
#[derive(Clone, Debug)]
struct Witness(Log);

impl Detector for Witness {
    fn needs(&self) -> Needs {
        Needs::of(Set::BOUND.and(Set::HOLDINGS)).giving(Set::QUEUE)
    }

    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        let held = view.holdings.expect("a part that needs them has them");
        let (own, forwarded) = (held.own(view.class), held.forwarded(view.class));
        let toward: u64 = held.by_next(view.class).map(|(_, bytes)| bytes).sum();
        assert_eq!(toward, own + forwarded, "every byte goes somewhere");
        let (sent, seen) = match moment {
            Moment::Enqueued(seen) => (false, **seen),
            Moment::Sent(seen) => (true, **seen),
            _ => return None,
        };
        let row = (sent, seen, [view.held, own, forwarded]);
        self.0.lock().expect("one thread").push(row);
        None
    }
}

/// After each MAC transmission a detector at a relay sees where the frame came from and went, the bytes that stay,
/// its own and forwarded, and the time on the medium: with one station at a time that of one exchange.
#[test]
fn a_detector_at_a_relay_sees_each_mac_transmission() {
    let mut cell = Cell::new(1.0, B, edca(B, BASIC), disc(100.0, 300.0));
    let [a, relay, d] = [0.0, 90.0, 180.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.spec(relay).buffer = Limit::Bytes(Bytes(150_000));
    cell.flow(a, d, 1, cbr(1500, 300_000));
    cell.flow(relay, d, 1, cbr(1000, 100_000));
    let log = Log::default();
    let parts = ["watermark", "pause", "aifsn"];
    let mut witness = mechanism(parts, vec![relay], &[]);
    witness.detect = AnyDetector::Custom(Box::new(Witness(log.clone())));
    cell.0.mechanisms = vec![witness];
    let (world, report) = cell.run();
    let rows = log.lock().expect("one thread");
    let sent: Vec<_> = rows.iter().filter(|r| r.0).collect();
    let packets = report.flows[0].hops[1].count.packets + report.flows[1].hops[0].count.packets;
    assert_eq!(sent.len() as u64, packets);
    let mut clean = 0;
    for (_, seen, [held, own, forwarded]) in &rows[..] {
        assert_eq!(*held, own + forwarded);
        let (prev, bytes) = match seen.prev {
            Some(prev) => (prev as usize, 1518),
            None => (relay, 1018),
        };
        assert!([a, relay].contains(&prev));
        assert_eq!((seen.bytes, seen.next), (bytes, Some(d as u32)));
    }
    // Data, SIFS and ACK, each a propagation delay longer.
    let medium = &world.air().media[0];
    for (_, seen, _) in sent.iter().filter(|r| r.1.retries == 0) {
        let bytes = seen.bytes - 18 + medium.overhead;
        let data = medium.phy.airtime(bytes, medium.phy.data);
        let exchange = data + medium.sifs + medium.ack(medium.phy.data) + medium.delta.times(2);
        assert_eq!(seen.airtime, exchange);
        clean += 1;
    }
    assert!(clean > 20, "{clean}");
}

/// Combinations that can't work are refused with the reason, at the section to blame.
#[test]
fn what_a_station_cannot_do_is_refused() {
    let (mut cell, relay) = fork();
    for (parts, section, word) in [
        (["watermark", "pause", "shaper"], "respond", "names a rate"),
        (
            ["watermark", "pfc", "token-bucket"],
            "respond",
            "names a rate",
        ),
        (
            ["ingress-watermark", "pfc", "aifsn"],
            "detect",
            "interfaces",
        ),
        (
            ["dynamic-threshold", "pfc", "aifsn"],
            "detect",
            "interfaces",
        ),
    ] {
        cell.0.mechanisms = vec![mechanism(parts, vec![relay], &[])];
        let refusal = World::build(&cell.0).expect_err("refused");
        assert_eq!(refusal.path, format!("mechanisms.bp.{section}"));
        assert!(refusal.what.contains(word), "{}", refusal.what);
    }
    cell.spec(relay).buffer = Limit::Unlimited;
    cell.0.mechanisms = vec![mechanism(["watermark", "pause", "aifsn"], vec![relay], &[])];
    let refusal = World::build(&cell.0).expect_err("refused");
    assert!(refusal.what.contains("no bound"), "{}", refusal.what);
}

/// A notice that names the hosts in the queue names those and no others: C has packets for D and for E, and F is nobody's
/// destination.
#[test]
fn a_notice_names_the_hosts_of_the_packets_that_wait() {
    let (mut cell, relay) = fork();
    cell.0.duration = Span::secs(5);
    let (d, e) = (3, cell.station("e", 100.0, 1.0));
    cell.station("f", 100.0, 2.0);
    cell.flow(1, e, 1, cbr(1500, 4_000_000));
    let given = [("addresses", Value::Choice("buffer"))];
    let parts = ["watermark", "destination", "gate"];
    cell.0.mechanisms = vec![mechanism(parts, vec![relay], &given)];
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_air_log();
    world.advance(world.end());
    let mut named: Vec<_> = world
        .take_air_frames(true)
        .into_iter()
        .filter_map(|frame| match frame.body {
            Some(Body::Notice(_, _, named)) => Some(named),
            _ => None,
        })
        .collect();
    named.sort();
    named.dedup();
    assert_eq!(named, [vec![d as u32, e as u32]]);
}

/// A gate that is shut is not shut further: who asks by requests asks a station for one step.
#[test]
fn a_gate_is_one_step() {
    for id in ["gate", "shaper"] {
        let respond: AnyResponder = part(RESPONDERS, id, &[]);
        assert_eq!(respond.most(), [1; 4], "{id}");
    }
}

/// A request asks when its detector raises the alarm, not at the next of its periods: here that comes after 9 s.
#[test]
fn a_watermark_asks_at_once() {
    let (mut cell, relay) = fork();
    cell.0.duration = Span::secs(5);
    let slow = [
        ("expiry", Value::Span(Span::secs(9))),
        ("period", Value::Span(Span::secs(9))),
    ];
    let parts = ["watermark", "request", "aifsn"];
    cell.0.mechanisms = vec![mechanism(parts, vec![relay], &slow)];
    let (world, _) = cell.run();
    assert!(world.air().radios[0].steps[1] > 0 && world.air().radios[1].steps[1] > 0);
}

/// A source to which nobody sends has more packets than the medium takes: there is nobody to tell.
#[test]
fn a_station_that_nobody_feeds_tells_nobody() {
    let (mut cell, _) = fork();
    cell.0.duration = Span::secs(5);
    for notify in ["pause", "pfc", "destination"] {
        let given = [("cast", Value::Choice("each"))];
        cell.0.mechanisms = vec![mechanism(["watermark", notify, "gate"], vec![0], &given)];
        let (world, report) = cell.run();
        assert!(lost_at(&world, &report, 0) > 100, "{notify}");
        assert_eq!(report.stations[0].management, 0, "{notify}");
    }
}

/// Gates hold back a neighbour at a station whose neighbours take turns, too.
#[test]
fn a_gate_holds_back_a_neighbour_that_has_its_turn() {
    let (mut cell, relay) = fork();
    for feeder in [0, 1] {
        cell.spec(feeder).serving.turn = Turn::RoundRobin;
    }
    let without = lost(&cell, relay);
    assert!(without > 1000, "{without}");
    cell.0.mechanisms = vec![mechanism(["watermark", "pause", "gate"], vec![relay], &[])];
    assert_eq!(lost(&cell, relay), 0);
}
