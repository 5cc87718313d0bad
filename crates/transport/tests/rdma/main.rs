//! Laws of RDMA through the interface that the sender sees: what a notification, an acknowledgement, a round trip or a timeout changes,
//! against the constants and formulas of what was published.

mod dcqcn;
mod dcqcn_bounds;
mod delay;
mod nscc;
mod nscc_bounds;
mod qcn;
mod records;
mod records_bounds;
mod spreaders;
mod swift;
mod timely;

use backwater_transport::controller::{
    Ack, AnyController, CONTROLLERS, Cause, Congestion, Controller, Sent, Setup,
};
use backwater_transport::endpoint::Protocol;
use backwater_transport::part::Refusal;
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};
use backwater_transport_testing::{acks, options};

/// A controller of packets of 1,000 bytes in frames of 1,048.
fn build(id: &str, options: &[(&str, &str)]) -> AnyController {
    build_for([1000, 1048], id, options)
}

/// The same, of packets and frames of so many bytes.
fn build_for(bytes: [u64; 2], id: &str, options: &[(&str, &str)]) -> AnyController {
    made_for(Protocol::Irn, bytes, id, options).expect("legal options")
}

/// The first, or what is refused.
fn try_build(id: &str, options: &[(&str, &str)]) -> Result<AnyController, Refusal> {
    made_for(Protocol::Irn, [1000, 1048], id, options)
}

fn made_for(
    protocol: Protocol,
    [mss, frame]: [u64; 2],
    id: &str,
    options: &[(&str, &str)],
) -> Result<AnyController, Refusal> {
    let row = CONTROLLERS.iter().find(|r| r.id == id).expect(id);
    let setup = Setup {
        protocol,
        mss,
        frame,
        initial: 10 * mss,
        random: Random::stream(1, "controller", ""),
    };
    (row.build)(&options::read(row.options, options), &setup)
}

fn us(n: f64) -> Time {
    Time((n * 1e6).round() as u64)
}

fn span(n: f64) -> Span {
    Span((n * 1e6).round() as u64)
}

/// What a controller shows under a name.
fn shown(controller: &AnyController, name: &str) -> f64 {
    let values = controller.inspect().values;
    values.iter().find(|v| v.0 == name).expect(name).1
}

fn near(got: f64, expected: f64) {
    let error = (got - expected).abs();
    assert!(error <= 1e-6 * expected.abs(), "{got}, not {expected}");
}

/// An acknowledgement of so many bytes with a round trip in microseconds.
fn ack(now: f64, acked: u64, rtt: f64) -> Ack<'static> {
    Ack {
        acked,
        advanced: acked,
        acked_segments: 1,
        rtt: Some(span(rtt)),
        srtt: span(20.0),
        min_rtt: span(20.0),
        ..acks::ack(us(now))
    }
}

/// So many payload bytes leave under a number.
fn sent(controller: &mut AnyController, now: f64, number: u64, len: u64) {
    controller.on_sent(&Sent {
        now: us(now),
        number,
        len,
        in_flight: 0,
        again: false,
        app_limited: false,
    });
}

fn congestion(now: f64, cause: Cause) -> Congestion {
    Congestion {
        now: us(now),
        cause,
        in_flight: 0,
        lost: 0,
        tx_in_flight: 0,
        round: 0,
    }
}
