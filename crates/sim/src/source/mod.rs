//! Sources: when a flow wants to send, and how much. A source is a file here and a line of `parts!`.
//! It says the next demand and nothing else: cutting into frames, queueing
//! and counting happen elsewhere.
//!
//! Random sources are stationary from their first instant: the first span is drawn from the law of
//! the residual life, so that the mean load over every window of a run is the rate asked for, and
//! flows that start together don't send together.
//!
//! `law` holds the laws of random spans, `pace` exact packet times at a constant rate, `on_off` and
//! `frames` what two sources share, `trace` what all readers of trace files share, `pcap`, `pcapng`,
//! `csv` and `ip` the formats.

mod batch_poisson;
mod bulk;
mod cbr;
mod collective;
mod csv;
mod exponential_on_off;
mod frames;
mod law;
mod on_off;
pub mod outside;
mod pace;
mod packet_list;
mod pareto_on_off;
mod periodic_on_off;
mod poisson;
mod replay;
mod request_response;
mod saturated;
mod self_similar;
#[cfg(test)]
mod tests;
pub(crate) mod trace;
mod uniform_fixed;
mod uniform_uniform;
mod video;
mod video_trace;
mod workload;

use backwater_transport::part::{self, Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span, Time};
use backwater_transport::walk::Walk;

/// So many payload bytes handed to the sending host at an instant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// When.
    pub at: Time,
    /// How much. Never zero.
    pub bytes: Bytes,
}

/// When a flow wants to send, and how much.
pub trait Source {
    /// The demand that follows; `None` when there is none left. Called once at the start with the
    /// flow's start time, then at each demand's own instant. `at` never lies before `now`.
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand>;

    /// It makes sense above a transport only: without one nothing would hold it back.
    fn needs_transport(&self) -> bool {
        false
    }

    /// It is asked for its next demand when all it wrote has been acknowledged, not at the instant of
    /// the demand.
    fn waits(&self) -> bool {
        false
    }

    /// It writes more than will ever be sent.
    fn endless(&self) -> bool {
        false
    }

    /// The rest of the span before its next demand has the law of a whole span.
    fn forgets(&self) -> bool {
        false
    }

    /// Visits its state, before its first demand or after it. Without such a visit no run with the flow is skipped.
    fn walk(&mut self, walk: &mut Walk, flow: &str, _begun: bool) {
        walk.unable(flow, "its source draws random numbers, or follows a list");
    }
}

crate::custom::custom! {
    /// A source from outside this crate.
    CustomSource: Source
}

backwater_transport::parts! {
    /// Any source.
    pub enum AnySource: Source or Custom(Box<dyn CustomSource>) {
        #[inline(always)] fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand>;
        fn needs_transport(&self) -> bool;
        fn waits(&self) -> bool;
        fn endless(&self) -> bool;
        fn forgets(&self) -> bool;
        fn walk(&mut self, walk: &mut Walk, flow: &str, begun: bool);
    }

    /// Every source a scenario can name.
    pub static SOURCES;

    uniform_fixed::UniformFixed,
    uniform_uniform::UniformUniform,
    self_similar::SelfSimilar,
    video::Video,
    video_trace::VideoTrace,
    cbr::Cbr,
    poisson::Poisson,
    batch_poisson::BatchPoisson,
    exponential_on_off::ExponentialOnOff,
    pareto_on_off::ParetoOnOff,
    periodic_on_off::PeriodicOnOff,
    replay::Replay,
    packet_list::PacketList,
    outside::Outside,
    bulk::Bulk,
    request_response::RequestResponse,
    workload::Workload,
    collective::Collective,
    saturated::Saturated,
}

impl AnySource {
    /// The source of a flow whose packets the caller of the world injects.
    pub fn of_caller() -> AnySource {
        AnySource::Outside(outside::Outside)
    }

    /// The source of one flow of a collective.
    pub fn of_step(step: &Step) -> AnySource {
        AnySource::Collective(collective::Collective::of(step.sizes.clone()))
    }

    /// The size of its transfer, if it has one alone that begins at once.
    pub fn only_transfer(&self) -> Option<Bytes> {
        match self {
            AnySource::Bulk(bulk) => bulk.only(),
            _ => None,
        }
    }

    /// The source of one transfer that begins when it is asked.
    pub fn that_waits(size: Bytes) -> AnySource {
        AnySource::Collective(collective::Collective::of(vec![size.0]))
    }

    /// Whether it stands for the flows of a collective.
    pub fn is_collective(&self) -> bool {
        matches!(self, AnySource::Collective(_))
    }

    /// The source of one transfer.
    pub fn of_transfer(size: Bytes) -> AnySource {
        AnySource::Bulk(bulk::Bulk::of(size))
    }

    /// The mean time between transfers that come at random, in seconds; none for other sources.
    pub fn mean_gap(&self) -> Option<f64> {
        match self {
            AnySource::Workload(workload) => Some(workload.gap()),
            _ => None,
        }
    }

    /// Whether the caller of the world injects the packets.
    pub fn is_of_caller(&self) -> bool {
        matches!(self, AnySource::Outside(_))
    }
}

pub use collective::{ALGORITHM, Step, reduces, size, steps};
pub use packet_list::listed;

/// How a source is made from its checked options.
pub type Build = part::Build<AnySource>;

/// The source that writes bytes without end.
pub static ENDLESS: &Part<Build> = &bulk::PART;

/// The largest demand, so that a typing error can't fill the memory of a run. Written "1000 MB" in
/// the tables.
const LARGEST: Bytes = Bytes(1_000_000_000);

/// `now + span`, or nothing where no run reaches that instant: then there's no demand.
fn later(now: Time, span: Span) -> Option<Time> {
    let at = Time(now.0.saturating_add(span.0));
    (at < Time::NEVER).then_some(at)
}

/// The option `rate`. 800 Gbit/s is the fastest Ethernet whose byte is a whole number of ticks.
const fn rate(help: &'static str) -> Opt {
    Opt::new("rate", Kind::Rate, Default::Required, help)
        .at_least("1 bit/s")
        .at_most("800 Gbit/s")
}

/// The option `packet`, which an IPv4 total length must be able to say.
const PACKET: Opt = Opt::new(
    "packet",
    Kind::Bytes,
    Default::Required,
    "size of each IP packet",
)
.at_least("1 B")
.at_most("65535 B");
