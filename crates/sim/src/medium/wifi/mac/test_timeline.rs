//! Frames of one sender and one receiver on an idle medium, instant by instant: each follows from the one before, but for a
//! backoff of whole slots. OFDM at 54 Mbit/s, control frames at 6 Mbit/s, 1 us of propagation, SIFS 16 us, slots of 9 us.

use backwater_transport::part::{Args, Value};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Rate, Span, Time};

use super::category::{AccessMode, Countdown, Protection};
use super::frame::FrameKind;
use crate::medium::wifi::mac::aggregate::tests::{APART, short_packets};
use crate::medium::wifi::test_line::line;
use crate::source::SOURCES;
use crate::spec::{FlowOptions, FlowSpec, Spec};
use crate::targets::Destination;
use crate::world::World;

/// Station 0 always has packets of 1000 B for station 1, for 100 ms.
fn pair(change: impl Fn(&mut Spec)) -> Spec {
    let mut spec = line(&[0.0, 50.0]);
    spec.duration = Span::millis(100);
    let row = SOURCES.iter().find(|part| part.id == "saturated");
    let options = Args(vec![("packet", Value::Bytes(Bytes(1000)))]);
    spec.flows.push(FlowSpec {
        name: "f".into(),
        from: 0,
        to: Destination::Node(1),
        class: 2,
        ecn: Ecn::NotEct,
        packet: Bytes(1000),
        start: Span::ZERO,
        stop: Span::millis(100),
        source: (row.expect("a source").build)(&options).expect("legal options"),
        options: FlowOptions::default(),
        after: None,
        route: None,
        transport: None,
    });
    change(&mut spec);
    spec
}

/// Kind, beginning, Duration field in us, of all frames.
fn frames(spec: &Spec) -> (World, Vec<(FrameKind, Time, f64)>) {
    let mut world = World::build(spec).expect("a legal line");
    world.start_air_log();
    world.advance(world.end());
    let frames = world.take_air_frames(true);
    let told =
        |f: &crate::medium::wifi::air_log::AirFrame| (f.kind, f.at, f.duration.0 as f64 / 1e6);
    let frames = frames.iter().map(told).collect();
    (world, frames)
}

/// Whole slots of backoff in a gap behind so many us.
fn backoff(gap: Span, least: u64) -> u64 {
    let slots = gap.0 - Span::micros(least).0;
    assert_eq!(slots % Span::micros(9).0, 0, "{gap:?}");
    slots / Span::micros(9).0
}

/// Walks through exchanges: kinds with airtime and Duration. Each frame begins 1 us of propagation and a SIFS behind the one
/// before; the next exchange an AIFS and a backoff behind the last one. Gives backoffs and exchanges.
fn exchanges(
    frames: &[(FrameKind, Time, f64)],
    shape: &[(FrameKind, u64, f64)],
    aifs: u64,
) -> Vec<u64> {
    let mut backoffs = Vec::new();
    let mut before: Option<Time> = None;
    for exchange in frames.chunks_exact(shape.len()) {
        if let Some(before) = before {
            backoffs.push(backoff(exchange[0].1.since(before), aifs));
        }
        let mut at = exchange[0].1;
        for (frame, (kind, airtime, duration)) in exchange.iter().zip(shape) {
            assert_eq!((frame.0, frame.1), (*kind, at));
            assert!((frame.2 - duration).abs() < 1e-9, "{kind:?}: {}", frame.2);
            before = Some(at + Span::micros(airtime + 1));
            at += Span::micros(airtime + 1 + 16);
        }
    }
    backoffs
}

/// Backoffs are uniform from 0 to a window: mean w / 2, with a deviation of a mean of n of the root of ((w + 1)^2 - 1) / 12 n.
fn assert_uniform(backoffs: &[u64], window: u64) {
    assert!(
        backoffs.iter().all(|slots| *slots <= window),
        "{backoffs:?}"
    );
    let n = backoffs.len() as f64;
    let mean = backoffs.iter().sum::<u64>() as f64 / n;
    let w = window as f64;
    let error = libm::sqrt(((w + 1.0) * (w + 1.0) - 1.0) / 12.0 / n);
    assert!((mean - w / 2.0).abs() < 4.0 * error, "{mean} of {n}");
}

/// DCF with RTS: 52, 44, 1036 B in 39 symbols (176 us) and 44 us; DIFS is 34 us, the window 15.
#[test]
fn exchanges_of_dcf_follow_each_other() {
    use FrameKind::{Ack, Cts, Data, Rts};
    let (world, with_rts) = frames(&pair(|_| {}));
    let shape = [
        (Rts, 52, (16 + 44 + 16 + 176 + 16 + 44) as f64),
        (Cts, 44, (16 + 176 + 16 + 44) as f64),
        (Data, 176, 60.0),
        (Ack, 44, 0.0),
    ];
    let backoffs = exchanges(&with_rts, &shape, 34);
    assert_uniform(&backoffs, 15);
    let count = &world.media.air.radios[0].count;
    let whole = with_rts.len() as u64 / 4;
    assert!(count.attempts.abs_diff(whole) <= 1 && count.failures == 0 && count.retry_drops == 0);
    let (_, plain) = frames(&pair(|spec| spec.media[0].mac.rts_above = 1036));
    let backoffs = exchanges(&plain, &[(Data, 176, 60.0), (Ack, 44, 0.0)], 34);
    assert_uniform(&backoffs, 15);
    // 34 us, 7.5 slots and 239 us on average: 294 exchanges, with a deviation of the sum of 294 backoffs of 0.7 ms.
    assert!((285..304).contains(&backoffs.len()), "{}", backoffs.len());
}

/// Stations of EDCA in category 2 with 1038 B: AIFS is SIFS and two slots, the window 7; a boundary more goes by where the
/// counter went down at each.
fn edca(change: impl Fn(&mut Spec)) -> Spec {
    pair(|spec| {
        let mac = &mut spec.media[0].mac;
        mac.access = AccessMode::Edca;
        mac.countdown = Countdown::Boundary;
        mac.categories = AccessMode::Edca.defaults((15, 1023));
        mac.rts_above = u64::MAX;
        change(spec);
    })
}

/// A TXOP of 1 ms takes exchanges of 238 us a SIFS apart: the first ends at 238, the others at 492, 746 and, exactly, 1000 us.
/// Each but the last reserves the next one.
#[test]
fn a_txop_takes_as_many_exchanges_as_end_in_it() {
    use FrameKind::{Ack, Data};
    for (txop, count) in [(1000, 4), (999, 3), (492, 2), (491, 1), (0, 1)] {
        let spec = edca(|spec| spec.media[0].mac.categories[2].txop = Span::micros(txop));
        let (_, all) = frames(&spec);
        let mut shape = Vec::new();
        for number in 1..=count {
            let more = if number < count {
                16.0 + 176.0 + 60.0
            } else {
                0.0
            };
            shape.push((Data, 176, 60.0 + more));
            shape.push((Ack, 44, more));
        }
        let backoffs = exchanges(&all, &shape, 34);
        assert_uniform(&backoffs, 7);
        assert!(backoffs.len() > 50);
    }
}

/// Under multiple protection the RTS and all that follows reserve the TXOP of 2 ms, only the first exchange has an RTS, and a
/// CF-End of 52 us gives back what is left: the first exchange takes 368 us, each further one 254 us with its SIFS, so that
/// seven end at 1892 us. The 108 us of the rest have room for SIFS, CF-End and propagation.
#[test]
fn multiple_protection_ends_with_a_cf_end() {
    use FrameKind::{Ack, CfEnd, Cts, Data, Rts};
    let spec = edca(|spec| {
        let mac = &mut spec.media[0].mac;
        mac.categories[2].txop = Span::micros(2000);
        (mac.protection, mac.rts_above) = (Protection::Multiple, 1037);
    });
    let (_, all) = frames(&spec);
    let mut shape = vec![(Rts, 52, 0.0), (Cts, 44, 0.0)];
    shape.extend([(Data, 176, 0.0), (Ack, 44, 0.0)].repeat(7));
    shape.push((CfEnd, 52, 0.0));
    let mut at = 0;
    for (kind, airtime, duration) in &mut shape {
        // From the end of the frame, without its propagation, to that of the TXOP; a CF-End reserves nothing.
        *duration = if *kind == CfEnd {
            0.0
        } else {
            (2000 - at - *airtime) as f64
        };
        at += *airtime + 17;
    }
    let backoffs = exchanges(&all, &shape, 34);
    assert_uniform(&backoffs, 7);
}

/// A bucket of 8 Mbit/s lets 1000 B go each millisecond: the next exchange begins so long behind the end of an acknowledgement of 44 us,
/// whatever its backoff.
#[test]
fn a_paced_category_begins_its_exchanges_by_its_bucket() {
    let mut world = World::build(&pair(|_| {})).expect("a legal line");
    world.media.air.radios[0].categories[0].pace = Some(Rate(8_000_000));
    world.start_air_log();
    world.advance(world.end());
    let frames = world.take_air_frames(true);
    let at = |kind: FrameKind| frames.iter().filter(move |f| f.kind == kind).map(|f| f.at);
    let mut begun = 0;
    for (ack, next) in at(FrameKind::Ack).zip(at(FrameKind::Rts).skip(1)) {
        assert_eq!(next.since(ack), Span::micros(44 + 1 + 1000));
        begun += 1;
    }
    assert!(begun > 50, "{begun}");
}

/// 64 packets of 40 B in an A-MPDU at 65 Mbit/s, 132 B each and 82 B the last: 8398 B, 259 symbols behind 36 us. Its block
/// acknowledgement, 32 B at 6 Mbit/s, takes 68 us; AIFS of best effort is 43 us, the window 15.
#[test]
fn an_a_mpdu_is_answered_by_a_block_acknowledgement() {
    let spec = short_packets(APART);
    let mut world = World::build(&spec).expect("a legal line");
    world.start_air_log();
    world.advance(Time::ZERO + Span::millis(200));
    let all = world.take_air_frames(true);
    let answers: Vec<Time> = all
        .iter()
        .filter(|f| f.kind == FrameKind::BlockAck)
        .map(|f| f.at)
        .collect();
    let begins = |f: &&crate::medium::wifi::air_log::AirFrame| {
        f.part.is_some_and(|part| part.after == Span::micros(36))
    };
    let bursts: Vec<Time> = all.iter().filter(begins).map(|f| f.at).collect();
    assert!(answers.len() > 100 && bursts.len() >= answers.len());
    let airtime = 36 + 4 * 259;
    let mut backoffs = Vec::new();
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer.since(bursts[number]), Span::micros(airtime + 17));
        if let Some(next) = bursts.get(number + 1) {
            backoffs.push(backoff(next.since(*answer), 68 + 1 + 43));
        }
    }
    assert_uniform(&backoffs, 15);
    let data: Vec<_> = all.iter().filter(|f| f.kind == FrameKind::Data).collect();
    assert!(data.iter().all(|f| f.duration == Span::micros(16 + 68)));
    // Numbers go on by one, and round at 2^12.
    assert!(
        data.windows(2)
            .all(|pair| pair[1].number == (pair[0].number + 1) % 4096 && !pair[1].retry)
    );
    let toward = world.media.air.radios[1].count.toward;
    assert_eq!(toward.frames, 64 * toward.ppdus);
}

/// An MPDU that goes alone is no burst, of which parts may come: of an A-MSDU of one packet or of several the whole comes or fails.
#[test]
fn an_mpdu_alone_has_no_parts() {
    for msdu in [100, 400] {
        let mut limits = APART;
        (limits.msdu, limits.alone) = (msdu, true);
        let mut world = World::build(&short_packets(limits)).expect("a legal line");
        for number in 1..200 {
            world.advance(Time::ZERO + Span::micros(20 * number));
            assert!(!world.media.air.parts[0].is_burst(), "{number}");
        }
        assert!(world.media.air.radios[0].count.frames > 10);
    }
}
