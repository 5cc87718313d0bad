//! Controllers beside models that are written from the sources alone: both are told the same events, and must have the same window,
//! pacing rate and state after each. The events are drawn, and half of them lie at a limit of the model, or one beside it.
//!
//! A segment has 2^10 bytes and a tick is 2^-9 s, so that sums and products of them are exact: what is equal on paper is equal here.

mod bbr1;
mod bbr1_model;
mod bbr1_watch;
mod bbr3;
mod bbr3_acks;
mod bbr3_model;
mod bbr3_states;
mod copa;
mod copa_model;
mod scream_beside;
mod scream_model;
mod verus;
mod verus_model;
mod vivace;
mod vivace_model;
mod walk;

use backwater_transport::controller::{
    Ack, AnyController, CONTROLLERS, Congestion, Controller, Inspect, Lost, Sent, Setup,
};
use backwater_transport::endpoint::Protocol;
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use backwater_transport_testing::options;
pub use walk::Walk;

/// Bytes of a segment.
pub const SEGMENT: u64 = 1 << 10;

/// 2^-9 s.
pub const TICK: Span = Span(1_000_000_000_000 >> 9);

/// The first window in bytes.
pub const INITIAL: u64 = 10 * SEGMENT;

/// An instant of so many ticks.
pub fn tick(n: u64) -> Time {
    Time::ZERO.after(TICK.times(n))
}

/// A controller with segments of `SEGMENT` bytes.
pub fn built(id: &str, given: &[(&str, &str)], protocol: Protocol) -> AnyController {
    let row = CONTROLLERS.iter().find(|row| row.id == id).expect(id);
    let setup = Setup {
        protocol,
        mss: SEGMENT,
        frame: SEGMENT + 66,
        initial: INITIAL,
        random: stream(id),
    };
    (row.build)(&options::read(row.options, given), &setup).expect(id)
}

/// The random stream of a controller.
pub fn stream(id: &str) -> Random {
    Random::stream(1, "controller", id)
}

/// What a sender tells.
#[derive(Clone, Debug)]
pub enum Event {
    Ack(Ack<'static>),
    Lost(Lost),
    Congestion(Congestion),
    Sent(Sent),
}

/// Values at which a model decides.
#[derive(Default)]
pub struct Edges {
    /// Bytes in flight.
    pub flights: Vec<f64>,
    pub instants: Vec<Time>,
    /// Bytes delivered when the acknowledged segment left.
    pub delivered: Vec<u64>,
    /// Bytes in flight when the acknowledged segment left, by the bytes lost since.
    pub sent_at: Vec<f64>,
}

/// A controller as its source has it.
pub trait Model {
    fn tell(&mut self, event: &Event);
    /// Window in bytes and pacing rate in bytes a second, where it paces.
    fn limits(&self) -> (f64, Option<f64>);
    fn inspect(&self) -> (&'static str, [f64; 4]);
    fn edges(&self) -> Edges;
    /// What else the controller shows.
    fn compare_more(&self, _controller: &AnyController, _place: &str) {}
}

fn close(ours: f64, theirs: f64, within: f64) -> bool {
    (ours - theirs).abs() <= within + 1e-12 * theirs.abs()
}

/// Both have the same limits, within what is cut off to whole bytes and bits, and show the same.
fn compare(controller: &AnyController, model: &dyn Model, place: &str) {
    let (limits, (window, pacing)) = (controller.limits(), model.limits());
    let window = window.max(SEGMENT as f64);
    let Inspect { state, values, .. } = controller.inspect();
    let (expected, shown) = model.inspect();
    assert_eq!(state, expected, "{place}");
    for ((name, ours), theirs) in values.into_iter().zip(shown) {
        assert!(
            close(ours, theirs, 1e-12),
            "{place}: {name} {ours} {theirs}"
        );
    }
    model.compare_more(controller, place);
    assert!(
        close(limits.window as f64, window.floor(), 1.0),
        "{place}: window {} {window}",
        limits.window
    );
    let bits = pacing.map(|bytes| (8.0 * bytes).clamp(1.0, 1e13).floor());
    let paced = limits.pacing.map(|rate| rate.0 as f64);
    let both = paced
        .zip(bits)
        .is_none_or(|(ours, theirs)| close(ours, theirs, 1.0));
    assert!(
        both && paced.is_some() == bits.is_some(),
        "{place}: pacing {paced:?} {bits:?}"
    );
}

/// Tells both the same for so many steps.
pub fn side_by_side(
    controller: &mut AnyController,
    model: &mut dyn Model,
    mut walk: Walk,
    steps: u64,
    name: &str,
) {
    compare(controller, model, name);
    let mut last = Vec::new();
    for step in 0..steps {
        for event in walk.next(&model.edges()) {
            match &event {
                Event::Ack(ack) => controller.on_ack(ack),
                Event::Lost(lost) => controller.on_lost(lost),
                Event::Congestion(congestion) => controller.on_congestion(congestion),
                Event::Sent(sent) => {
                    controller.on_sent(sent);
                }
            }
            model.tell(&event);
            last.push(event);
        }
        let recent = &last[last.len().saturating_sub(3)..];
        compare(
            controller,
            model,
            &format!("{name}, step {step}: {recent:?}"),
        );
    }
}
