//! One controller in two worlds. `Quinn` runs a controller that was written for quinn in the simulator; `Ours` runs one of
//! the simulator in quinn, over real QUIC. `Pair` is a QUIC connection in memory, whose time is an argument.
//!
//! Each difference that a controller can notice is listed at `Quinn` and `Ours`.

mod estimator;
mod ours;
mod pair;
mod simulated;

pub use estimator::Estimator;
pub use ours::{Factory, Ours};
pub use pair::Pair;
pub use simulated::Quinn;

use std::time::{Duration, Instant};

use backwater_transport::units::Span;

/// Nanoseconds, in which quinn counts: less than one is none.
fn duration(span: Span) -> Duration {
    Duration::from_nanos(span.0 / 1000)
}

fn span(duration: Duration) -> Span {
    Span(duration.as_nanos() as u64 * 1000)
}

/// An instant from which others count. Its own value has no effect.
#[expect(
    clippy::disallowed_methods,
    reason = "an Instant has no other beginning, and only differences are used"
)]
fn origin() -> Instant {
    Instant::now()
}
