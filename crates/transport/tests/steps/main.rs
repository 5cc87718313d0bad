//! Laws of controllers, one acknowledgement after the other: segments of 1,000 bytes in frames of 1,250, and the window after each, by
//! hand.

mod brakes;
mod cubic;
mod custom;
mod dctcp;
mod fast;
mod hystart;
mod largest;
mod ledbat;
mod ledbat_pp;
mod prague;
mod reno;
mod report;
mod routers;
mod signals;
mod sprout;
mod vegas;
mod westwood;

use backwater_transport::controller::{
    Ack, AnyController, CONTROLLERS, Cause, Congestion, Controller, Idle, Sent, Setup,
};
use backwater_transport::endpoint::Protocol;
use backwater_transport::part::Refusal;
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};
use backwater_transport_testing::{acks, options};

/// Payload of a full segment.
const MSS: u64 = 1000;

/// The controller with this first window, or what is refused.
fn build_with(initial: u64, id: &str, options: &[(&str, &str)]) -> Result<AnyController, Refusal> {
    let row = CONTROLLERS.iter().find(|r| r.id == id).expect(id);
    let setup = Setup {
        protocol: Protocol::Stream,
        mss: MSS,
        frame: 1250,
        initial,
        random: Random::stream(1, "controller", id),
    };
    (row.build)(&options::read(row.options, options), &setup)
}

fn try_build(id: &str, options: &[(&str, &str)]) -> Result<AnyController, Refusal> {
    build_with(10 * MSS, id, options)
}

/// The controller with these options and a first window of 10,000 bytes where it has no option for it.
fn build(id: &str, options: &[(&str, &str)]) -> AnyController {
    try_build(id, options).unwrap_or_else(|refusal| panic!("{id}: {refusal:?}"))
}

/// So many milliseconds.
fn span(ms: f64) -> Span {
    Span((ms * 1e9).round() as u64)
}

/// So many milliseconds after the beginning.
fn at(ms: f64) -> Time {
    Time::ZERO.after(span(ms))
}

/// At this instant in ms so many bytes in order are acknowledged after a round trip in ms.
fn ack(now: f64, bytes: u64, rtt: f64) -> Ack<'static> {
    Ack {
        acked: bytes,
        advanced: bytes,
        acked_segments: bytes.div_ceil(MSS) as u32,
        rtt: Some(span(rtt)),
        srtt: span(rtt),
        min_rtt: span(rtt),
        ..acks::ack(at(now))
    }
}

/// The same, and a round begins.
fn round(now: f64, bytes: u64, rtt: f64) -> Ack<'static> {
    Ack {
        round_start: true,
        ..ack(now, bytes, rtt)
    }
}

/// Congestion is told with so many bytes in flight.
fn tell_at(controller: &mut AnyController, now: f64, cause: Cause, in_flight: u64) {
    controller.on_congestion(&Congestion {
        now: at(now),
        cause,
        in_flight,
        lost: 0,
        tx_in_flight: in_flight,
        round: 0,
    });
}

/// The same at an instant that does not matter.
fn tell(controller: &mut AnyController, cause: Cause, in_flight: u64) {
    tell_at(controller, 0.0, cause, in_flight);
}

/// A segment of 1,000 bytes leaves under this number.
fn sent(controller: &mut AnyController, now: f64, number: u64) {
    controller.on_sent(&Sent {
        now: at(now),
        number,
        len: MSS,
        in_flight: MSS,
        again: false,
        app_limited: false,
    });
}

fn idle(controller: &mut AnyController, now: f64, window: u64, threshold: u64) {
    controller.on_idle(&Idle {
        now: at(now),
        window,
        threshold,
    });
}

fn window(controller: &AnyController) -> u64 {
    controller.limits().window
}

/// The window after an acknowledgement.
fn after(controller: &mut AnyController, ack: &Ack) -> u64 {
    controller.on_ack(ack);
    window(controller)
}

/// What a controller shows under a name.
fn shown(controller: &AnyController, name: &str) -> f64 {
    let values = controller.inspect().values;
    values.iter().find(|(own, _)| *own == name).expect(name).1
}

/// Slow-start threshold and state.
fn state(controller: &AnyController) -> (Option<u64>, &'static str) {
    let shown = controller.inspect();
    (shown.ssthresh, shown.state)
}

fn near(got: f64, expected: f64) {
    let error = (got - expected).abs();
    assert!(error <= 1e-9 * expected.abs(), "{got}, not {expected}");
}
