//! Notices in header fields of data frames: which wait, which are on the air, and which frame brings which.

use backwater_sim::mechanism::AnyDetector;
use backwater_sim::mechanism::detector::Detector;
use backwater_sim::mechanism::moment::{Moment, Signal};
use backwater_sim::mechanism::notice::Notice;
use backwater_sim::mechanism::place::View;
use backwater_sim::mechanism::responder::{AnyResponder, Knobs, Responder};
use backwater_sim::medium::wifi::air_log::{Body, Fate};
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::fading::{BlockFading, Law};
use backwater_sim::world::{PortReport, World};
use backwater_transport::part::Value;
use backwater_transport::units::{Span, Time};

use crate::aggregate::noisy_cell;
use crate::aggregate_mechanisms::tell_in_fields;
use crate::attempts::log;
use crate::cell::{B, BASIC, Cell, disc, edca, once};
use crate::mechanisms::mechanism;

/// Congested by the first packet that comes, and from then on.
#[derive(Clone, Debug)]
struct Once;

impl Detector for Once {
    fn observe(&mut self, moment: &Moment, view: &View) -> Option<Signal> {
        match moment {
            Moment::Enqueued(_) if !view.congested => Some(Signal::Congested),
            _ => None,
        }
    }
}

/// Station 0 has two packets for its neighbour 1 and one for 2, from 100 ms on. Both send to it, so it tells them by fields when
/// the first packet comes, and again each 12 quanta of 102.4 us less 1 %: at 101.2, 102.4 and 103.6 ms. Nobody draws a backoff.
fn cell() -> Cell {
    told("header", 12)
}

/// The same by another carrier, and after so many quanta.
fn told(carrier: &'static str, quanta: u64) -> Cell {
    let mut cell = Cell::new(0.2, B, edca(B, BASIC), disc(100.0, 100.0));
    for category in &mut cell.0.media[0].mac.categories {
        (category.cw_min, category.cw_max) = (0, 0);
    }
    for x in [0.0, 10.0, 20.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    let rows = [
        (1, 0, 10_000),
        (2, 0, 20_000),
        (0, 1, 100_000),
        (0, 1, 100_100),
        (0, 2, 100_200),
    ];
    for (from, to, at) in rows {
        let flow = cell.flow(from, to, 1, once(1500));
        cell.0.flows[flow].start = Span::micros(at);
    }
    let given = [
        ("cast", Value::Choice("each")),
        ("carrier", Value::Choice(carrier)),
        ("quanta", Value::Count(quanta)),
        ("refresh", Value::Share(0.99)),
    ];
    let mut told = mechanism(["watermark", "pause", "aifsn"], vec![0], &given);
    told.detect = AnyDetector::Custom(Box::new(Once));
    cell.0.mechanisms = vec![told];
    cell
}

/// A frame of 1538 B and a field takes 1.32 ms, an ACK with a SIFS 0.31, and AIFS 0.07: frames begin at 100, 101.7 and 103.4 ms.
/// A notice that is on the air stays as it is, and a later one waits behind it; one that waits is replaced. A field is gone with
/// the ACK of the frame that brought it.
#[test]
fn a_field_on_the_air_stays_and_one_that_waits_is_replaced() {
    let mut world = World::build(&cell().0).expect("a legal cell");
    for (micros, waits) in [
        (100_050, vec![1, 2]),
        (101_250, vec![1, 1, 2]),
        (101_680, vec![1, 2]),
        (102_500, vec![1, 1, 2]),
        (103_380, vec![1, 2]),
        (103_700, vec![1, 2, 2]),
    ] {
        world.advance(Time::ZERO + Span::micros(micros));
        let fields = world.air().radios[0].fields.iter();
        let mut to: Vec<u32> = fields.map(|field| field.to).collect();
        to.sort_unstable();
        assert_eq!(to, waits, "{micros} us");
    }
}

/// A management frame of 38 B to neighbour 1 takes 0.5 ms at 1 Mbit/s. After 4 quanta less 1 %, 0.4 ms, it stays as it is and a
/// later one for that neighbour waits, while the one that waits for neighbour 2 is replaced.
#[test]
fn a_notice_in_a_frame_on_the_air_stays_and_one_that_waits_is_replaced() {
    let mut world = World::build(&told("frame", 4).0).expect("a legal cell");
    for (micros, waits) in [(100_050, vec![1, 2]), (100_450, vec![1, 1, 2])] {
        world.advance(Time::ZERO + Span::micros(micros));
        let notices = world.air().radios[0].notices.iter();
        let mut to: Vec<u32> = notices.map(|notice| notice.to).collect();
        to.sort_unstable();
        assert_eq!(to, waits, "{micros} us");
    }
}

/// A gate of neighbour 1 toward station 0 is shut from the end of the frame that asks for it to the end of the run, for all
/// categories: long preamble and 38 B at 1 Mbit/s, and one us of propagation.
#[test]
fn a_link_counts_the_time_for_which_it_is_stopped() {
    let mut cell = told("frame", 65_535);
    cell.0.mechanisms[0].respond = mechanism(["watermark", "pause", "gate"], vec![0], &[]).respond;
    let mut world = World::build(&cell.0).expect("a legal cell");
    world.start_air_log();
    world.advance(world.end());
    let frames = world.take_air_frames(true);
    let asks = frames
        .iter()
        .find(|f| f.from == 0 && f.to == 1 && matches!(f.body, Some(Body::Notice(..))));
    let asked = asks.expect("a notice").at + Span::micros(192 + 8 * 38 + 1);
    let report = world.report();
    let named = |p: &&PortReport| world.network().ports[p.port].more.name == "s10>s0";
    let count = &report.ports.iter().find(named).expect("a hop").count;
    assert_eq!(count.closed[..4], [world.end().since(asked).0; 4]);
}

/// Each of the three frames brings a notice: the first one of its neighbour that waited when it began.
#[test]
fn each_frame_brings_the_first_notice_of_its_neighbour() {
    let mut world = World::build(&cell().0).expect("a legal cell");
    world.start_air_log();
    world.advance(world.end());
    let frames = world.take_air_frames(true).into_iter();
    let brought = frames.filter(|f| f.from == 0).filter_map(|f| match f.body {
        Some(Body::Packet(_, _, fields)) => Some((f.to, fields.notice.is_some())),
        _ => None,
    });
    assert_eq!(
        brought.collect::<Vec<_>>(),
        [(1, true), (1, true), (2, true)]
    );
}

/// Takes no notice of what it is told.
#[derive(Clone, Debug)]
struct Deaf;

impl Responder for Deaf {
    fn react(&mut self, _: &Notice, _: &mut Knobs) {}
}

/// A PAUSE speaks of all categories and a PFC of one. Their fields are as long, and nobody does what they ask, so that two runs
/// differ in what was said alone: the fingerprint tells it.
#[test]
fn the_fingerprint_tells_of_which_categories_a_field_speaks() {
    let run = |notify: &'static str| {
        let mut cell = cell();
        let given = [
            ("cast", Value::Choice("each")),
            ("carrier", Value::Choice("header")),
        ];
        let mut told = mechanism(["watermark", notify, "gate"], vec![0], &given);
        told.detect = AnyDetector::Custom(Box::new(Once));
        told.respond = AnyResponder::Custom(Box::new(Deaf));
        cell.0.mechanisms = vec![told];
        let (frames, report) = log(&cell);
        let begun: Vec<Time> = frames.iter().map(|f| f.at).collect();
        (begun, report.fingerprint)
    };
    let (pause, pfc) = (run("pause"), run("pfc"));
    assert_eq!(pause.0, pfc.0);
    assert_ne!(pause.1, pfc.1);
}

/// An A-MPDU: the number of its first MPDU, whether that brings a notice, and whether it comes through.
struct Burst {
    at: Time,
    number: u16,
    brings: bool,
    comes: bool,
}

/// Over a channel that fades for each frame first MPDUs and block acknowledgements are lost. A field rides in the first MPDU of each A-MPDU until a block
/// acknowledgement has come behind one whose first MPDU the receiver has, then or from before, and the receiver has the field.
#[test]
fn a_field_rides_until_its_receiver_has_it_and_the_first_mpdu() {
    let mut cell = noisy_cell(2.0, 64, 21.0);
    let ChannelSpec::Physical(channel) = &mut cell.0.media[0].channel else {
        unreachable!("a physical channel");
    };
    channel.fading = Some(BlockFading {
        law: Law::Nakagami(1.0),
        coherence: Span::micros(10),
    });
    let told = tell_in_fields(&mut cell);
    let (frames, _) = log(&cell);
    let told = told.lock().expect("one thread").clone();
    let mut bursts = Vec::<Burst>::new();
    for frame in frames.iter().filter(|f| f.from == 1) {
        if let (Some(Body::Packet(_, _, fields)), true) =
            (&frame.body, bursts.last().is_none_or(|b| b.at != frame.at))
        {
            bursts.push(Burst {
                at: frame.at,
                number: frame.number,
                brings: fields.notice.is_some(),
                comes: frame.fate == Fate::Received,
            });
        }
    }
    let acknowledged = |from: Time, to: Time| {
        let mut answers = frames
            .iter()
            .filter(|f| f.kind == FrameKind::BlockAck && f.from == 0);
        answers.any(|f| f.at > from && f.at < to && f.fate == Fate::Received)
    };
    let (mut heard, mut last, mut ended, mut stayed) = (false, None, 0, 0);
    for pair in bursts.windows(2) {
        let [burst, next] = pair else {
            unreachable!("pairs")
        };
        heard = burst.brings && (heard || burst.comes);
        let has = burst.comes || last == Some(burst.number);
        last = has.then_some(burst.number);
        let quiet = !told.iter().any(|at| (burst.at..=next.at).contains(at));
        if burst.brings && quiet {
            let ends = acknowledged(burst.at, next.at) && has && heard;
            assert_eq!(next.brings, !ends, "{:?}", burst.at);
            (ended, stayed) = (ended + u32::from(ends), stayed + u32::from(!ends));
        }
        if !next.brings {
            heard = false;
        }
    }
    assert!(ended > 10 && stayed > 3, "{ended} {stayed}");
}
