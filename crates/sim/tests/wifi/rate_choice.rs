//! What stations that choose the modes of their frames learn from, and what they do not.

use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::mode::Format;
use backwater_sim::medium::wifi::spec::{Edition, RateControl};
use backwater_sim::spec::Turn;
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};

use crate::aggregate::{cell, mode, noisy_cell};
use crate::attempts::log;
use crate::cell::{RTS, saturated};

/// Frames that go alone are acknowledged one by one, and each acknowledgement has the SNR by which an ideal station chooses: at 21.5 dB MCS
/// 7, from the second frame on.
#[test]
fn an_ideal_station_learns_from_frames_that_go_alone() {
    let mut cell = noisy_cell(0.1, 0, 21.5);
    let high = cell.0.media[0].high.as_mut().expect("modes");
    high.control = RateControl::Ideal(0.1);
    let (frames, _) = log(&cell);
    let data = frames.iter().filter(|f| f.kind == FrameKind::Data);
    let chosen: Vec<u8> = data.map(|f| f.mode.expect("a mode").mcs).collect();
    assert!(chosen.len() > 100, "{}", chosen.len());
    assert!(chosen[1..].iter().all(|mcs| *mcs == 7), "{chosen:?}");
}

/// A station that learns sends behind RTS by MCS 7, of which nothing is lost. From half a second on another one sends, too, and since
/// neither has a backoff their RTS collide each time. No data frame goes then, so none is lost, and the mode of the next one stays.
#[test]
fn an_rts_without_an_answer_says_nothing_about_modes() {
    for window in [0, 64] {
        let mut cell = cell(0.6, mode(Format::Ht, 20, 7, 1), window, false, 100.0);
        let mac = &mut cell.0.media[0].mac;
        mac.rts_above = RTS;
        for category in &mut mac.categories {
            (category.cw_min, category.cw_max) = (0, 0);
        }
        let high = cell.0.media[0].high.as_mut().expect("modes");
        high.control = RateControl::Minstrel(Edition::Linux);
        for x in [0.0, 50.0, 10.0] {
            cell.station(&format!("s{x}"), x, 0.0);
        }
        cell.flow(0, 1, 1, saturated(1500));
        let other = cell.flow(2, 1, 1, saturated(1500));
        cell.0.flows[other].start = Span::millis(500);
        let mut world = World::build(&cell.0).expect("a legal cell");
        let seen = |world: &World| {
            let hop = &world.air().hops[0];
            (
                hop.mode.expect("a mode").mcs,
                world.air().radios[0].count.failures,
            )
        };
        world.advance(Time::ZERO + Span::millis(499));
        let before = seen(&world).1;
        world.advance(Time::ZERO + Span::millis(510));
        let chosen = seen(&world).0;
        world.advance(world.end());
        let (last, after) = seen(&world);
        // The next frame may be a probe by another fast mode.
        assert!(chosen == last && last > 5, "{window}: {chosen} {last}");
        assert!(before < 3 && after > 30, "{before} {after}");
    }
}

/// An access point takes turns by airtime between two stations, one of which always sends to it, too. Frames of both directions count: the
/// access point and that station have half of all frames each, and so the other one gets nearly all that the access point sends.
#[test]
fn what_comes_from_a_station_counts_for_its_turn() {
    let mut cell = cell(0.5, mode(Format::Ht, 20, 7, 1), 0, false, 100.0);
    for x in [0.0, 10.0, 20.0] {
        cell.station(&format!("s{x}"), x, 0.0);
    }
    cell.spec(0).serving.turn = Turn::Airtime(Span::micros(300));
    for [from, to] in [[0, 1], [0, 2], [2, 0]] {
        cell.flow(from, to, 1, saturated(1500));
    }
    let (frames, _) = log(&cell);
    let count = |from: u32, to: u32| {
        let data = frames.iter().filter(|f| f.kind == FrameKind::Data);
        data.filter(|f| (f.from, f.to) == (from, to)).count()
    };
    let [other, own, up] = [count(0, 1), count(0, 2), count(2, 0)];
    assert!(up > 300 && own < other / 4, "{other} {own} {up}");
}
