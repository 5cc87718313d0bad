//! BBRv1's options, and how they build it.

use super::aggregation::ExtraAcked;
use super::policer::Policer;
use super::state::{Bbr1, State};
use crate::building_blocks::bbr_common::Plateau;
use crate::building_blocks::minmax::MinMaxFilter;
use crate::controller_interface::Setup;
use crate::part::{Args, Default, Kind, Opt, Refusal};
use crate::protocol::Protocol;
use crate::units::{Span, Time};

pub(super) const OPTIONS: &[Opt] = &[
    Opt::new(
        "high-gain",
        Kind::Number,
        Default::Is("2.885"),
        "pacing and window gain in STARTUP; DRAIN paces at its inverse",
    )
    .at_least("1.1")
    .at_most("10"),
    Opt::new(
        "cwnd-gain",
        Kind::Number,
        Default::Is("2"),
        "window in bandwidth-delay products in PROBE_BW",
    )
    .at_least("0.5")
    .at_most("10"),
    Opt::new(
        "bw-rounds",
        Kind::Count,
        Default::Is("10"),
        "rounds over which the greatest rate is kept",
    )
    .at_least("1")
    .at_most("1000"),
    Opt::new(
        "min-rtt-filter",
        Kind::Span,
        Default::Is("10 s"),
        "how long the least round trip holds",
    )
    .at_least("100 ms")
    .at_most("3600 s"),
    Opt::new(
        "probe-rtt-duration",
        Kind::Span,
        Default::Is("200 ms"),
        "least length of PROBE_RTT",
    )
    .at_least("1 ms")
    .at_most("10 s"),
    Opt::new(
        "pacing-margin",
        Kind::Share,
        Default::Is("1 %"),
        "pacing below the estimated rate",
    )
    .at_least("0 %")
    .at_most("50 %"),
    Opt::new(
        "aggregation",
        Kind::Flag,
        Default::Is("true"),
        "widen the window by the aggregation of acknowledgements",
    ),
    Opt::new(
        "policer",
        Kind::Flag,
        Default::Is("true"),
        "keep the rate at which a policer seems to drop",
    ),
];

pub(super) fn build(args: &Args, setup: &Setup) -> Result<Bbr1, Refusal> {
    let initial = setup.initial.max(setup.mss) as f64;
    let high_gain = args.number("high-gain");
    Ok(Bbr1 {
        mss: setup.mss as f64,
        initial,
        random: setup.random.clone(),
        high_gain,
        cwnd_gain: args.number("cwnd-gain"),
        bw_rounds: args.count("bw-rounds"),
        min_rtt_filter: args.span("min-rtt-filter"),
        probe_rtt: args.span("probe-rtt-duration"),
        margin: args.share("pacing-margin"),
        state: State::Startup,
        now: Time::ZERO,
        cwnd: initial,
        prior_cwnd: 0.0,
        pacing_rate: high_gain * initial / 1e-3,
        seen_rtt: false,
        bw: MinMaxFilter::max(),
        min_rtt: Span::MAX,
        min_rtt_stamp: Time::ZERO,
        in_flight: 0.0,
        delivered: 0,
        lost: 0,
        next_round: 0,
        round_start: false,
        plateau: Plateau::default(),
        full_bw_reached: false,
        phase: 0,
        phase_stamp: Time::ZERO,
        probe_rtt_done: None,
        probe_rtt_round_done: false,
        idle_restart: false,
        ignored_below: 0,
        datagrams: setup.protocol == Protocol::Datagram,
        recovering: false,
        last_loss: 0,
        leaving: false,
        conserving: false,
        aggregation: args.flag("aggregation").then(ExtraAcked::default),
        policer: Policer::new(args.flag("policer")),
    })
}
