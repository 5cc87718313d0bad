//! The constants of BBRv3 and the options that set them. The two rows pass what differs.

use crate::part::{Args, Default, Kind, Opt, Refusal};
use crate::segment::Ecn;
use crate::units::Span;

/// Constants; names and sections of the draft.
#[derive(Clone, Debug)]
pub struct Constants {
    /// Pacing gain in Startup.
    pub startup_pacing: f64,
    /// Pacing gain in Drain.
    pub drain_pacing: f64,
    /// Pacing gain in ProbeBW_DOWN.
    pub down_pacing: f64,
    /// Pacing gain in ProbeBW_UP.
    pub up_pacing: f64,
    /// Window in BDP.
    pub cwnd_gain: f64,
    /// Window in BDP in ProbeBW_UP.
    pub up_cwnd_gain: f64,
    /// Window in BDP in ProbeRTT.
    pub probe_rtt_gain: f64,
    /// Share of loss that a probe may cause.
    pub loss_thresh: f64,
    /// Least share that a bound keeps at a loss.
    pub beta: f64,
    /// Share of the flight left to others in ProbeBW_CRUISE.
    pub headroom: f64,
    /// Ranges lost in a round that end Startup.
    pub full_loss_count: u64,
    /// MinPipeCwnd, bytes.
    pub min_pipe: f64,
    /// Filter length of the least round trip.
    pub min_rtt_filter: Span,
    /// Longest time without a lower round trip before ProbeRTT.
    pub probe_rtt_interval: Span,
    /// Least length of ProbeRTT.
    pub probe_rtt_duration: Span,
    /// ProbeRTT also ends a cycle of the rate filter.
    pub probe_rtt_ends_cycle: bool,
    /// Filter length of the aggregation, in rounds.
    pub extra_acked_rounds: u64,
    /// Upper bound of the aggregation in the window, as time at the estimated rate.
    pub extra_acked_cap: Option<Span>,
    /// Share by which pacing stays below the estimate.
    pub margin: f64,
    /// Least time between probes.
    pub wait: Span,
    /// Random time on top.
    pub wait_random: Span,
    /// Most rounds between probes.
    pub most_rounds: u64,
    /// Rounds after which Drain ends in any case; Linux has none.
    pub drain_rounds: Option<u64>,
    /// ProbeRTT starts when the least round trip expires, with the window computed before.
    pub head: bool,
    /// Codepoint; the engine reacts to marks unless it is Not-ECT.
    pub ecn: Ecn,
    /// Weight of a new round in the share of marks.
    pub ecn_gain: f64,
    /// Cut of the flight at a share of marks of 1.
    pub ecn_factor: f64,
    /// Share of marks in a round that is too high for a probe.
    pub ecn_thresh: f64,
    /// Longest round trip at which the engine reacts to marks.
    pub ecn_most_rtt: Span,
}

/// A gain that fills the pipe, at least 1.
const fn filling(name: &'static str, default: &'static str, help: &'static str) -> Opt {
    Opt::new(name, Kind::Number, Default::Is(default), help)
        .at_least("1")
        .at_most("10")
}

/// A gain that empties it, at most 1.
const fn emptying(name: &'static str, default: &'static str, help: &'static str) -> Opt {
    Opt::new(name, Kind::Number, Default::Is(default), help)
        .at_least("0.01")
        .at_most("1")
}

/// Gains of the states.
pub const STARTUP: Opt = filling("startup-pacing", "2.77", "pacing gain in Startup");
/// See `STARTUP`.
pub const UP: Opt = filling("up-pacing", "1.25", "pacing gain in ProbeBW_UP");
/// See `STARTUP`.
pub const CWND: Opt = filling("cwnd-gain", "2", "window in BDP");
/// See `STARTUP`.
pub const UP_CWND: Opt = filling("up-cwnd-gain", "2.25", "window in BDP in ProbeBW_UP");
/// See `STARTUP`.
pub const PROBE_RTT: Opt = emptying("probe-rtt-gain", "0.5", "window in BDP in ProbeRTT");

/// Pacing gain in Drain.
pub const fn drain(default: &'static str) -> Opt {
    emptying("drain-pacing", default, "pacing gain in Drain")
}

/// Pacing gain in ProbeBW_DOWN.
pub const fn down(default: &'static str) -> Opt {
    emptying("down-pacing", default, "pacing gain in ProbeBW_DOWN")
}

const fn share(name: &'static str, default: &'static str, help: &'static str) -> Opt {
    Opt::new(name, Kind::Share, Default::Is(default), help)
        .at_least("0 %")
        .at_most("99 %")
}

/// LossThresh.
pub const LOSS: Opt = share("loss-threshold", "2 %", "loss that a probe may cause");
/// Beta.
pub const BETA: Opt = share("beta", "70 %", "least that a bound keeps at a loss");
/// Headroom.
pub const HEADROOM: Opt = share(
    "headroom",
    "15 %",
    "flight left to others in ProbeBW_CRUISE",
);
/// PacingMarginPercent.
pub const MARGIN: Opt = share("pacing-margin", "1 %", "pacing below the estimated rate");

/// StartupFullLossCnt.
pub const FULL_LOSS: Opt = Opt::new(
    "full-loss-count",
    Kind::Count,
    Default::Is("6"),
    "ranges lost in a round that end Startup",
)
.at_least("1")
.at_most("1000");

/// MinPipeCwnd.
pub const MIN_PIPE: Opt = Opt::new(
    "least",
    Kind::Packets,
    Default::Is("4 packets"),
    "least window (MinPipeCwnd)",
)
.at_least("1 packets")
.at_most("100 packets");

const fn span(name: &'static str, default: &'static str, help: &'static str) -> Opt {
    Opt::new(name, Kind::Span, Default::Is(default), help)
        .at_least("1 ms")
        .at_most("3600 s")
}

/// MinRTTFilterLen.
pub const MIN_RTT: Opt = span(
    "min-rtt-filter",
    "10 s",
    "how long the least round trip holds",
);
/// ProbeRTTInterval.
pub const INTERVAL: Opt = span(
    "probe-rtt-interval",
    "5 s",
    "longest time without a lower round trip before ProbeRTT",
);
/// ProbeRTTDuration.
pub const DURATION: Opt = span("probe-rtt-duration", "200 ms", "least length of ProbeRTT");
/// Neither in the draft nor in Linux: see `bbr3`.
pub const ENDS_CYCLE: Opt = Opt::new(
    "probe-rtt-ends-cycle",
    Kind::Flag,
    Default::Is("false"),
    "ProbeRTT moves the rate's filter on, too: not in the draft, but behind a queue of half a second nothing else does",
);
/// The constant part of bw_probe_wait.
pub const WAIT: Opt = span("probe-wait", "2 s", "least time between probes");
/// Its random part.
pub const WAIT_RANDOM: Opt = span("probe-wait-random", "1 s", "random time on top");

/// Bound of IsRenoCoexistenceProbeTime.
pub const ROUNDS: Opt = Opt::new(
    "probe-rounds",
    Kind::Count,
    Default::Is("63"),
    "most rounds between probes, for the sake of Reno",
)
.at_least("1")
.at_most("10000");

/// ExtraAckedFilterLen.
pub const EXTRA: Opt = Opt::new(
    "extra-acked-rounds",
    Kind::Count,
    Default::Is("10"),
    "rounds for which aggregation is remembered",
)
.at_least("1")
.at_most("1000");

/// Bound of aggregation: Linux has one, the draft none.
pub const fn extra_cap(default: Default) -> Opt {
    Opt::new(
        "extra-acked-cap",
        Kind::Span,
        default,
        "most aggregation allowed for, as time at the estimated rate; if absent only by the window",
    )
    .at_least("1 us")
    .at_most("100 s")
}

/// The options of a row: the shared ones with its gains of Drain and ProbeBW_DOWN and its bound of
/// aggregation, then its own.
macro_rules! row {
    ($drain:literal, $down:literal, $cap:expr, $($own:expr),+ $(,)?) => {{
        use $crate::building_blocks::bbr3_engine::options as o;
        &[
            o::STARTUP,
            o::drain($drain),
            o::down($down),
            o::UP,
            o::CWND,
            o::UP_CWND,
            o::PROBE_RTT,
            o::LOSS,
            o::BETA,
            o::HEADROOM,
            o::MARGIN,
            o::FULL_LOSS,
            o::MIN_PIPE,
            o::MIN_RTT,
            o::INTERVAL,
            o::DURATION,
            o::ENDS_CYCLE,
            o::WAIT,
            o::WAIT_RANDOM,
            o::ROUNDS,
            o::EXTRA,
            o::extra_cap($cap),
            $($own),+
        ]
    }};
}
pub(crate) use row;

/// Constants from the shared options, those of the draft where Linux differs.
///
/// # Errors When the least round trip expires before the next ProbeRTT.
pub fn constants(args: &Args, mss: u64) -> Result<Constants, Refusal> {
    if args.span("probe-rtt-interval") > args.span("min-rtt-filter") {
        return Err(Refusal {
            option: "probe-rtt-interval",
            what: "is above `min-rtt-filter`: the least round trip would be forgotten between two ProbeRTTs".into(),
            fix: "write probe-rtt-interval = \"5 s\", min-rtt-filter = \"10 s\"".into(),
        });
    }
    Ok(Constants {
        startup_pacing: args.number("startup-pacing"),
        drain_pacing: args.number("drain-pacing"),
        down_pacing: args.number("down-pacing"),
        up_pacing: args.number("up-pacing"),
        cwnd_gain: args.number("cwnd-gain"),
        up_cwnd_gain: args.number("up-cwnd-gain"),
        probe_rtt_gain: args.number("probe-rtt-gain"),
        loss_thresh: args.share("loss-threshold"),
        beta: args.share("beta"),
        headroom: args.share("headroom"),
        full_loss_count: args.count("full-loss-count"),
        min_pipe: (args.packets("least") * mss) as f64,
        min_rtt_filter: args.span("min-rtt-filter"),
        probe_rtt_interval: args.span("probe-rtt-interval"),
        probe_rtt_duration: args.span("probe-rtt-duration"),
        probe_rtt_ends_cycle: args.flag("probe-rtt-ends-cycle"),
        extra_acked_rounds: args.count("extra-acked-rounds"),
        extra_acked_cap: args
            .has("extra-acked-cap")
            .then(|| args.span("extra-acked-cap")),
        margin: args.share("pacing-margin"),
        wait: args.span("probe-wait"),
        wait_random: args.span("probe-wait-random"),
        most_rounds: args.count("probe-rounds"),
        drain_rounds: Some(3),
        head: false,
        ecn: Ecn::NotEct,
        ecn_gain: 0.0,
        ecn_factor: 0.0,
        ecn_thresh: 1.0,
        ecn_most_rtt: Span::ZERO,
    })
}
