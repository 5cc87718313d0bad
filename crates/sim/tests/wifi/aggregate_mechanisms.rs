//! Mechanisms and laws over A-MPDUs: what a transmission, a header field and a departure are where many frames leave at once. Each test
//! is red where an A-MPDU counts as one frame, or each of its frames as the whole.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use backwater_sim::cause::Cause;
use backwater_sim::limit::Limit;
use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Seen, Signal};
use backwater_sim::mechanism::needs::{Needs, Set};
use backwater_sim::mechanism::place::View;
use backwater_sim::medium::wifi::air_log::Body;
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::fading::{self, BlockFading};
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::medium::wifi::wifi_bytes::field_size;
use backwater_sim::record::What;
use backwater_sim::spec::{Egress, StampSpec};
use backwater_sim::stamp::{AnyStamp, LawPacket, Passing, Stamp};
use backwater_sim::targets::Destination;
use backwater_sim::world::{Report, World};
use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::Value;
use backwater_transport::units::{Span, Time};

use crate::aggregate::{cell, mode, noisy_cell, saturated_cell};
use crate::attempts::log;
use crate::cell::{B, BASIC, Cell, cbr, disc, edca, saturated};
use crate::mechanisms::mechanism;

/// Transmissions as a test detector has seen them: the frame, the packets that stay, and the instant.
type Row = (Seen, u64, Time);
type Log = Arc<Mutex<Vec<Row>>>;

#[derive(Clone, Debug)]
struct Witness(Log);

impl Detector for Witness {
    fn needs(&self) -> Needs {
        Needs::of(Set::BOUND).giving(Set::QUEUE)
    }

    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        if let Moment::Sent(seen) = moment {
            self.0
                .lock()
                .expect("one thread")
                .push((**seen, view.held, view.now));
        }
        None
    }
}

/// A cell whose station is watched by a witness, run to its end.
fn witnessed(cell: &mut Cell, station: usize) -> (Vec<Row>, Report) {
    let log = Log::default();
    let mut witness = mechanism(["watermark", "pause", "aifsn"], vec![station], &[]);
    witness.detect = AnyDetector::Custom(Box::new(Witness(log.clone())));
    cell.0.mechanisms = vec![witness];
    let (_, report) = cell.run();
    let rows = log.lock().expect("one thread").clone();
    (rows, report)
}

/// Each of 16 frames of a PPDU of 3080 µs, a SIFS of 16 and a block acknowledgement of 32 is a transmission of a sixteenth of 3128 µs, and
/// leaves one frame less behind than the one before it.
#[test]
fn each_frame_of_a_burst_is_a_transmission_with_its_share_of_the_time() {
    let mut cell = saturated_cell(1.0, mode(Format::Ht, 20, 7, 1), 16, 1);
    let (rows, report) = witnessed(&mut cell, 1);
    assert_eq!(rows.len() as u64, report.flows[0].sums.delivered.packets);
    assert!(rows.len() > 4000);
    for (seen, ..) in &rows {
        assert_eq!(seen.airtime, Span(3_128_000_000 / 16));
        assert_eq!((seen.retries, seen.next), (0, Some(0)));
    }
    // 36 Mbit/s, from a queue that nobody fills at the end of a burst. Frames alone carry 31.4, so 380 or more of 3000 leave with others.
    let mut cell = saturated_cell(1.0, mode(Format::Ht, 20, 7, 1), 16, 0);
    let from = cell.station("s", 1.0, 0.0);
    cell.spec(from).buffer = Limit::Packets(1000);
    cell.flow(from, 0, 1, cbr(1500, 36_000_000));
    let (rows, _) = witnessed(&mut cell, from);
    let mut together = 0;
    for pair in rows.windows(2) {
        if pair[0].2 == pair[1].2 {
            together += 1;
            assert!(pair[0].0.sojourn > pair[1].0.sojourn);
            assert_eq!(pair[0].0.airtime, pair[1].0.airtime);
            assert_eq!(pair[0].1, pair[1].1 + 1);
        }
    }
    assert!(together > 380, "{together}");
}

/// Frames that fail and are sent again have their share of each attempt: the shares of all add up to the time of all exchanges, but
/// for the frames that are under way at the end.
#[test]
fn shares_of_frames_that_fail_add_up_to_the_time_of_all_exchanges() {
    let mut cell = noisy_cell(5.0, 64, 19.58);
    let (rows, report) = witnessed(&mut cell, 1);
    let told: u64 = rows.iter().map(|(seen, ..)| seen.airtime.0).sum();
    let spent = report.stations[0].toward.airtime;
    let share = told as f64 / spent as f64;
    assert!((0.99..=1.0).contains(&share), "{share}");
    assert!(rows.iter().any(|(seen, ..)| seen.retries > 1));
}

/// A and B send 40 Mbit/s each over C to D, and D 2 Mbit/s back to each.
fn fork(seconds: f64) -> (Cell, usize) {
    let mut cell = cell(seconds, mode(Format::Ht, 20, 7, 1), 64, true, 100.0);
    cell.0.media[0].channel = disc(100.0, 190.0);
    let [a, b, c, d] = [[-70.0, 70.0], [-70.0, -70.0], [0.0, 0.0], [100.0, 0.0]]
        .map(|[x, y]| cell.station(&format!("s{x}{y}"), x, y));
    for station in [a, b, c, d] {
        cell.spec(station).buffer = Limit::Packets(1000);
    }
    for from in [a, b] {
        cell.flow(from, d, 1, cbr(1500, 40_000_000));
        cell.flow(d, from, 1, cbr(500, 2_000_000));
    }
    (cell, c)
}

/// Packets lost for want of room at a station, and the mean burst that it received.
fn lost(cell: &Cell, station: usize) -> (u64, f64) {
    let (world, report) = cell.run();
    let full = report.drops.iter().filter(|d| d.key.0 == Cause::BufferFull);
    let here = full.filter(|d| world.network().ports[d.key.1].node.index() == station);
    let toward = &report.stations[station].toward;
    let mean = toward.frames as f64 / toward.ppdus as f64;
    (here.map(|d| d.count.packets).sum(), mean)
}

/// The relay's buffer of 1000 frames closes the gates of both feeders at 800. A notice waits for the medium, which feeders may have
/// before it, 28 frames at a time: 200 are seven times.
#[test]
fn gates_keep_a_relay_of_bursts_from_overflowing() {
    let (mut cell, relay) = fork(5.0);
    cell.0
        .flows
        .retain(|flow| flow.to != Destination::Node(0) && flow.to != Destination::Node(1));
    let (without, mean) = lost(&cell, relay);
    assert!(without > 1000 && mean > 8.0, "{without} {mean}");
    let given = [
        ("cast", Value::Choice("each")),
        ("quanta", Value::Count(65_535)),
    ];
    let parts = ["watermark", "pause", "gate"];
    cell.0.mechanisms = vec![mechanism(parts, vec![relay], &given)];
    let (with, mean) = lost(&cell, relay);
    assert!(with * 20 < without, "{with} of {without} {mean}");
    assert!(mean > 4.0, "{mean}");
}

/// A relay that sends a third of what it receives: its feeders step back when it asks.
#[test]
fn feeders_of_a_relay_step_back_in_front_of_bursts() {
    let (mut cell, relay) = fork(20.0);
    let (without, _) = lost(&cell, relay);
    let given = [("steps", Value::Count(31))];
    let parts = ["rate-comparison", "request", "aifsn"];
    cell.0.mechanisms = vec![mechanism(parts, vec![relay], &given)];
    let (with, _) = lost(&cell, relay);
    assert!(with * 3 < without, "{with} {without}");
}

/// Asks for less, then takes it back, and so on: at the first arrival or departure after each 40 ms. Writes down when.
#[derive(Clone, Debug)]
struct Teller(Arc<Mutex<Vec<Time>>>);

impl Detector for Teller {
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        let signal = match (moment, view.congested) {
            (Moment::Enqueued(_), false) => Signal::Congested,
            (Moment::Sent(_), true) => Signal::Clear,
            _ => return None,
        };
        let mut told = self.0.lock().expect("one thread");
        if (told.last()).is_some_and(|last| view.now.since(*last) < Span::millis(40)) {
            return None;
        }
        told.push(view.now);
        Some(signal)
    }
}

/// When each notice was told and had its effect at the other station, and of each A-MPDU that brought frames: when it began, and whether
/// the lowest number that its receiver had not was among them.
type Told = (Vec<Time>, Vec<Time>, BTreeMap<Time, bool>);

/// Station 1 tells station 0 in header fields; when, as the run goes on.
pub fn tell_in_fields(cell: &mut Cell) -> Arc<Mutex<Vec<Time>>> {
    tell(cell, "header")
}

/// The same by another carrier.
pub fn tell(cell: &mut Cell, carrier: &'static str) -> Arc<Mutex<Vec<Time>>> {
    cell.flow(0, 1, 1, cbr(200, 16_000));
    let told = Arc::default();
    let given = [
        ("cast", Value::Choice("each")),
        ("carrier", Value::Choice(carrier)),
    ];
    let mut teller = mechanism(["watermark", "pause", "aifsn"], vec![1], &given);
    teller.detect = AnyDetector::Custom(Box::new(Teller(Arc::clone(&told))));
    cell.0.mechanisms = vec![teller];
    told
}

/// A saturated sender tells its receiver in header fields. One of ten MPDUs fails, and no block acknowledgement.
fn told_in_fields() -> Told {
    let mut cell = noisy_cell(20.0, 64, 19.58);
    let told = tell_in_fields(&mut cell);
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_recording();
    world.advance(world.end());
    assert!(world.report().conserved);
    let (mut moved, mut bursts) = (Vec::new(), BTreeMap::<Time, Vec<u32>>::new());
    for record in world.take_records() {
        let station = world.network().ports[record.port].node.index();
        match record.what {
            What::Aifsn if station == 0 => moved.push(record.at),
            What::Send if station == 1 => bursts.entry(record.at).or_default().push(record.seq),
            _ => (),
        }
    }
    // A notice moves all categories.
    moved.dedup();
    let (mut lowest, mut beyond) = (0, Vec::new());
    let bursts = bursts.into_iter().map(|(begun, brought)| {
        let has_first = brought.contains(&lowest);
        beyond.extend(brought);
        while let Some(at) = beyond.iter().position(|seq| *seq == lowest) {
            beyond.swap_remove(at);
            lowest += 1;
        }
        (begun, has_first)
    });
    let bursts = bursts.collect();
    let told = told.lock().expect("one thread").clone();
    (told, moved, bursts)
}

/// A header field goes in the first MPDU of each A-MPDU until a block acknowledgement has that one: each notice has its effect once, in the first
/// A-MPDU after it of which the first MPDU comes through. MPDUs of 1544 B fail at 10.5 %, so of 480 notices 50, give or take 28 (four
/// standard deviations), need more than one.
#[test]
fn a_field_stays_until_the_first_frame_of_a_burst_is_acknowledged() {
    let (told, moved, bursts) = told_in_fields();
    assert!(told.len() > 450, "{}", told.len());
    // The last may still be on its way.
    assert!(
        told.len() - moved.len() <= 1,
        "{} {}",
        told.len(),
        moved.len()
    );
    let mut late = 0;
    for (told, moved) in told.iter().zip(&moved) {
        let rides: Vec<_> = bursts.range(told..moved).map(|(_, first)| *first).collect();
        let (last, missed) = rides.split_last().expect("an A-MPDU brought it");
        assert!(*last && !missed.contains(&true), "{told:?} {rides:?}");
        late += usize::from(!missed.is_empty());
    }
    assert!((22..=78).contains(&late), "{late}");
}

/// Over a channel of 25 dB that fades anew for each frame one of 25 block acknowledgements is lost, at 24 Mbit/s, so a field rides again that has come: each notice
/// takes effect once. Notices are counted where they are issued, since a notifier renews those that stand without a signal of its detector.
#[test]
fn a_field_that_rides_again_takes_effect_once() {
    let mut cell = noisy_cell(20.0, 64, 25.0);
    let ChannelSpec::Physical(channel) = &mut cell.0.media[0].channel else {
        unreachable!("a physical channel");
    };
    channel.fading = Some(BlockFading {
        law: fading::Law::Nakagami(1.0),
        coherence: Span::micros(10),
    });
    let told = tell_in_fields(&mut cell);
    let (_, report) = cell.run();
    let told = told.lock().expect("one thread").len() as u64;
    let (issued, heard) = (report.hearing[0].issued, report.hearing[0].heard);
    assert!(told > 400 && issued >= told, "{issued} {told}");
    // One may be replaced before it has left, or be on its way at the end.
    assert!(
        heard <= issued && heard * 100 >= issued * 98,
        "{heard} of {issued}"
    );
}

/// A shaper lets a feeder's packets go one by one, each when the time of the one before at its rate is over, so they leave alone though more wait.
#[test]
fn gates_are_asked_for_each_frame_of_a_burst() {
    let (mut cell, relay) = fork(10.0);
    let (_, free) = lost(&cell, relay);
    let parts = ["rate-comparison", "request", "shaper"];
    cell.0.mechanisms = vec![mechanism(parts, vec![relay], &[])];
    let (_, shaped) = lost(&cell, relay);
    assert!(free > 8.0 && shaped < free / 2.0, "{free} {shaped}");
}

/// Numbers of the packets that a station overheard.
type Heard = Arc<Mutex<Vec<u32>>>;

#[derive(Clone, Debug)]
struct Listener(Heard);

impl Detector for Listener {
    fn needs(&self) -> Needs {
        Needs::of(Set::OVERHEARING).giving(Set::NEXT_QUEUE)
    }

    fn observe(&mut self, moment: &Moment, _: &View) -> Option<Signal> {
        if let Moment::Overheard(seen) = moment {
            self.0.lock().expect("one thread").push(seen.packet.seq);
        }
        None
    }
}

/// A station overhears each frame of the A-MPDUs that the next one sends on, once where nothing is repeated.
#[test]
fn a_station_overhears_each_frame_of_a_burst() {
    let mut cell = cell(2.0, mode(Format::Ht, 20, 7, 1), 64, true, 101.0);
    let [a, relay, d] = [0.0, 50.0, 100.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    let bent = cell.flow(a, d, 1, cbr(1500, 20_000_000));
    cell.0.flows[bent].route = Some(vec![a, relay, d]);
    let heard = Heard::default();
    let parts = ["overheard-backlog", "own-step", "cw-min"];
    let mut listener = mechanism(parts, vec![a], &[]);
    listener.detect = AnyDetector::Custom(Box::new(Listener(heard.clone())));
    cell.0.mechanisms = vec![listener];
    let (_, report) = cell.run();
    let mut rows = heard.lock().expect("one thread").clone();
    let sent_on = report.flows[bent].hops[1].count.packets;
    assert!(sent_on > 2000 && report.stations[d].toward.ppdus * 2 < sent_on);
    rows.sort_unstable();
    rows.dedup();
    assert!(rows.len() as u64 >= sent_on, "{} {sent_on}", rows.len());
}

/// Departures as a law sees them: the instant, and the packets that stay.
type Departures = Arc<Mutex<Vec<(Time, u64)>>>;

#[derive(Clone, Debug)]
struct Law(Departures);

impl Stamp for Law {
    fn layout(&self) -> Option<Layout> {
        None
    }

    fn arrive(&mut self, _: &LawPacket, _: Option<&CongestionHeader>) {}

    fn depart(&mut self, seen: &LawPacket, _: &mut Passing) {
        let row = (seen.now, seen.backlog.packets);
        self.0.lock().expect("one thread").push(row);
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        [("", 0.0); 4]
    }
}

/// All packets of an A-MPDU depart when their receiver has it, in their order, each from a queue of one less.
#[test]
fn packets_of_a_burst_depart_at_one_instant_from_a_queue_that_shrinks() {
    let mut cell = saturated_cell(1.0, mode(Format::Ht, 20, 7, 1), 16, 1);
    let seen = Departures::default();
    cell.0.stamps.push(StampSpec {
        name: "s0>air".into(),
        at: Egress::Attachment(1, 0),
        law: AnyStamp::Custom(Box::new(Law(seen.clone()))),
        also: Vec::new(),
    });
    let (world, report) = cell.run();
    let rows = seen.lock().expect("one thread");
    assert_eq!(rows.len() as u64, report.flows[0].sums.delivered.packets);
    for burst in rows.chunks(16).filter(|burst| burst.len() == 16) {
        let first = burst[0];
        for ((at, left), n) in burst.iter().zip(0..) {
            assert_eq!((*at, *left), (first.0, first.1 - n));
        }
    }
    drop(world);
}

/// The queue of a law is what its packets have not left: at the end of a run without traffic nothing is left, whatever was
/// repeated or given up before.
#[test]
fn a_law_s_queue_is_empty_when_all_have_gone() {
    let mut cell = noisy_cell(2.0, 64, 19.58);
    cell.0.flows[0].stop = Span::secs(1);
    cell.0.media[0].mac.lifetime = Some(Span::millis(20));
    cell.0.flows[0].source = saturated(1500);
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.advance(world.end());
    assert!(world.report().conserved);
    for radio in &world.air().radios {
        for c in &radio.categories {
            assert_eq!((c.frames, c.passed.packets, c.passed.bytes), (0, 0, 0));
        }
    }
}

/// Where frames go alone, one that brings a notice is longer by its field: it ends a SIFS and the
/// time of propagation before its ACK begins.
#[test]
fn a_frame_that_goes_alone_is_longer_by_the_field_that_it_brings() {
    let mut cell = Cell::new(1.0, B, edca(B, BASIC), disc(100.0, 100.0));
    let [a, b] = [0.0, 50.0].map(|x| cell.station(&format!("s{x}"), x, 0.0));
    cell.flow(b, a, 1, saturated(1500));
    tell_in_fields(&mut cell);
    let (frames, _) = log(&cell);
    let world = World::build(&cell.0).expect("a legal cell");
    let medium = &world.air().media[0];
    let mut with_notice = 0;
    for pair in frames.windows(2) {
        let Some(Body::Packet(packet, _, fields)) = &pair[0].body else {
            continue;
        };
        if pair[1].kind != FrameKind::Ack {
            continue;
        }
        let field = match &fields.notice {
            Some((notice, _)) => field_size(notice),
            None => 0,
        };
        with_notice += u32::from(field > 0);
        let bytes = u64::from(packet.len) + medium.overhead + field;
        let around = medium.delta + medium.sifs;
        let expected = medium.phy.airtime(bytes, medium.phy.data) + around;
        assert_eq!(pair[1].at.since(pair[0].at), expected);
    }
    assert!(with_notice > 10, "{with_notice}");
}
