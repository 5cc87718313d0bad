//! BBRv3 over the path model. `phases`, `rates` and `losses` are the test cases of the appendix of
//! draft-ietf-ccwg-bbr, under its names; `bounds` is what it leaves open. What is expected follows from the
//! draft's text and constants; each test says how.

mod bounds;
mod losses;
mod phases;
mod rates;

use backwater_transport::building_blocks::bbr3_engine::{State, View};
use backwater_transport::controller::AnyController;
use backwater_transport::units::{Rate, Span, Time};

use crate::build::{MSS, build};
use backwater_transport_testing::bottleneck::{Net, at};

/// A path of so many packets a second and milliseconds, with room for so many packets, and one flow.
pub(super) fn path(packets: u64, rtt_ms: u64, buffer: u64) -> Net {
    path_of("bbr3", &[], packets, rtt_ms, buffer)
}

pub(super) fn path_of(
    id: &str,
    options: &[(&str, &str)],
    packets: u64,
    rtt_ms: u64,
    buffer: u64,
) -> Net {
    let mut net = Net::new(rate(packets), Span::millis(rtt_ms), buffer * MSS);
    net.add(build(id, options), Time::ZERO);
    net
}

pub(super) fn rate(packets: u64) -> Rate {
    Rate(packets * 8 * MSS)
}

pub(super) fn view(net: &Net) -> View {
    match &net.flows[0].controller {
        AnyController::Bbr3(engine) => engine.view(),
        AnyController::Bbr3Linux(engine) => engine.view(),
        other => panic!("{other:?}"),
    }
}

/// Estimated rate in packets/s.
pub(super) fn packets(rate: f64) -> f64 {
    rate / MSS as f64
}

/// Runs by the event until `done`, and not beyond `until` seconds.
pub(super) fn wait(net: &mut Net, until: f64, mut done: impl FnMut(&View, &Net) -> bool) -> bool {
    let mut found = false;
    net.watch_while(at(until), |net| {
        found = done(&view(net), net);
        !found
    });
    found
}

pub(super) fn reach(net: &mut Net, state: State, until: f64) {
    assert!(wait(net, until, |v, _| v.state == state), "{:?}", view(net));
}

/// Gives the application `each` packets every `ms` until `done` or `until` seconds.
pub(super) fn drip(
    net: &mut Net,
    each: u64,
    ms: u64,
    until: f64,
    mut done: impl FnMut(&View) -> bool,
) -> bool {
    let mut found = false;
    while !found && net.now < at(until) {
        net.flows[0].backlog += each * MSS;
        let next = net.now.after(Span::millis(ms));
        net.watch_while(next, |net| {
            found = done(&view(net));
            !found
        });
    }
    found
}
