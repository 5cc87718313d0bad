//! Sprout's receiver before its first packet, with counts beyond those that are modelled, and with a byte.

use backwater_transport::forecast::{Forecaster, HORIZON, Model, Process};
use backwater_transport::segment::{Feedback, Segment};
use backwater_transport::units::{Span, Time};

use crate::forecast::process;

/// So many packets of a byte come in the middle of a tick, and the next is announced for then.
fn come(f: &mut Forecaster, tick: u64, packets: u32, next: Span) {
    let segment = Segment {
        len: packets,
        feedback: Some(Box::new(Feedback::Announce {
            next: next.0,
            discarded: 0,
            position: 0,
        })),
        ..Segment::default()
    };
    f.on_segment(at(tick), &segment);
}

/// The beginning of a tick, but for the first, and a ps more.
fn at(tick: u64) -> Time {
    Time(Span::millis(20).0 * tick + u64::from(tick > 0))
}

/// The forecast at the beginning of a tick.
fn forecast(f: &mut Forecaster, tick: u64) -> [u16; HORIZON] {
    f.feedback(at(tick));
    f.packets()
}

/// Before the first packet the forecast is that of the belief before any observation, which the authors' program makes so. A moving average
/// begins with the mean of that belief: bins of 1000 / 256 packets/s, of which the first is nought and the others have their middles, make
/// (256 · 257 / 2 + 128) / 257 bins in the mean, 10.04 packets in a tick.
#[test]
fn the_first_forecast_is_that_of_the_prior() {
    let bayes = Forecaster::new(&process(), Model::Bayes, 1, 1);
    assert_eq!(bayes.packets(), [1, 1, 3, 4, 5, 6, 8, 9]);
    let ewma = Forecaster::new(&process(), Model::Ewma(0.1), 1, 1);
    assert_eq!(ewma.packets(), [10, 20, 30, 40, 50, 60, 70, 80]);
}

/// A byte counts, also in the first tick, and in one that was announced as silent: the average that follows at once is one packet.
#[test]
fn a_byte_is_counted() {
    let mut f = Forecaster::new(&process(), Model::Ewma(1.0), 1, 1);
    come(&mut f, 0, 5, Span::secs(1));
    assert_eq!(forecast(&mut f, 1)[0], 5);
    come(&mut f, 1, 1, Span::secs(1));
    assert_eq!(forecast(&mut f, 2)[0], 1);
    assert_eq!(forecast(&mut f, 3)[0], 1, "silence says nothing");
}

/// Counts are modelled up to two in a tick, so up to 2 h in h of them, which are 2 h + 1 values. With eight packets in each tick no such
/// sum is likely enough, and the answer is one more than there are values, as in the authors' program, each time that it is asked for.
#[test]
fn more_than_is_modelled_has_an_answer() {
    let small = Process {
        bins: 32,
        counts: 3,
        ..process()
    };
    let mut f = Forecaster::new(&small, Model::Bayes, 1, 1);
    for tick in 0..50 {
        come(&mut f, tick, 8, Span::ZERO);
    }
    for tick in 50..53 {
        come(&mut f, tick, 8, Span::ZERO);
        assert_eq!(forecast(&mut f, tick), [4, 6, 8, 10, 12, 14, 16, 18]);
    }
}

/// Two seconds of silence rule out all but low rates; then 5,000 packets come in one tick, which are by far likeliest at rates that are ruled out. Those stay
/// out, and after twenty more seconds of silence nothing is expected.
#[test]
fn a_rate_that_is_ruled_out_stays_so_whatever_comes() {
    let slow = Process {
        sigma: 20.0,
        ..process()
    };
    let mut f = Forecaster::new(&slow, Model::Bayes, 1, 1);
    for tick in 0..1_101 {
        let packets = if tick == 100 { 5_000 } else { 0 };
        come(&mut f, tick, packets, Span::ZERO);
    }
    assert_eq!(forecast(&mut f, 1_101), [0; HORIZON]);
}
