//! BBRv3 as draft-ietf-ccwg-bbr-06 and, for marks, google/bbr v3 describe it: what an acknowledgement makes of the path. `bbr3_acks`
//! has what tells of it, `bbr3_states` the states. Bytes and seconds; filters are maxima over what is not yet forgotten.

use backwater_transport::building_blocks::bbr3_engine::State;
use backwater_transport::controller::AnyController;
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{Edges, Event, INITIAL, Model, SEGMENT};

pub const SEG: f64 = SEGMENT as f64;
pub const NONE: f64 = f64::INFINITY;

/// What the options say.
#[derive(Clone)]
pub struct Given {
    pub startup: f64,
    pub drain: f64,
    pub down: f64,
    pub margin: f64,
    pub threshold: f64,
    pub beta: f64,
    pub headroom: f64,
    pub ranges: u64,
    pub filter: Span,
    pub interval: Span,
    pub stay: Span,
    pub ends_cycle: bool,
    pub extra_rounds: u64,
    pub extra_cap: Option<f64>,
    pub wait: Span,
    pub wait_random: f64,
    pub probe_rounds: f64,
    pub drain_rounds: Option<u64>,
    pub head: bool,
    /// Gain, factor and threshold of marks, and the longest round trip at which they count.
    pub marks: Option<(f64, f64, f64, Span)>,
}

/// What the long-term model makes of acknowledgements.
#[derive(Clone, Copy, PartialEq)]
pub enum Acks {
    Init,
    Refilling,
    Starting,
    Feedback,
    Stopping,
}

/// The sample of an acknowledgement.
#[derive(Clone, Copy, Default)]
pub struct Seen {
    pub rate: f64,
    pub delivered: f64,
    pub prior: Option<u64>,
    pub limited: bool,
    pub tx: f64,
    pub lost: f64,
    pub acked: f64,
}

pub struct Bbr3 {
    pub given: Given,
    pub random: Random,
    pub state: State,
    pub now: Time,
    pub flight: f64,
    pub delivered: u64,
    pub seen: Seen,
    pub full_window: bool,
    pub recovery: bool,
    pub recovery_round: u64,
    pub window: f64,
    pub kept: f64,
    pub pacing: f64,
    pub timed: bool,

    pub next_round: u64,
    pub rounds: u64,
    pub starts: bool,
    pub rounds_since_up: u64,
    /// The greatest rate of each cycle.
    pub cycles: Vec<f64>,
    pub bw: f64,
    pub short_bw: f64,
    pub short_flight: f64,
    pub long_flight: f64,
    pub latest: (f64, f64),
    pub loss_round: u64,
    pub loss_round_starts: bool,
    pub losses: bool,
    pub ranges: u64,
    pub last_lost: Option<u64>,

    /// Baseline and rounds without growth.
    pub plateau: (f64, u64),
    pub full_now: bool,
    pub full: bool,
    pub drain_from: u64,
    pub acks: Acks,
    pub cycle_at: Time,
    pub wait: Span,
    pub up_rounds: i32,
    pub up_acked: f64,
    pub up_each: f64,
    pub probing: bool,
    pub too_high: bool,
    pub precautionary: bool,

    pub min_rtt: (Span, Time),
    pub probe_min: (Span, Time),
    pub expired: bool,
    pub done_at: Option<Time>,
    pub done_round: bool,
    pub head_window: f64,
    pub idle: bool,
    pub limited_below: u64,
    pub burst: (Time, f64),
    pub excesses: Vec<(u64, f64)>,
    pub episode: bool,
    pub undo: (Option<State>, f64, f64, f64),
    pub alpha: f64,
    /// Acknowledged and marked in this round, rounds with too many marks.
    pub counted: (f64, f64),
    pub marked_rounds: u64,
}

impl Bbr3 {
    pub fn new(given: Given, random: Random) -> Bbr3 {
        Bbr3 {
            pacing: given.startup * INITIAL as f64 * 1000.0,
            given,
            random,
            state: State::Startup,
            now: Time::ZERO,
            flight: 0.0,
            delivered: 0,
            seen: Seen::default(),
            full_window: false,
            recovery: false,
            recovery_round: 0,
            window: INITIAL as f64,
            kept: 0.0,
            timed: false,
            next_round: 0,
            rounds: 0,
            starts: false,
            rounds_since_up: 0,
            cycles: vec![0.0, 0.0],
            bw: 0.0,
            short_bw: NONE,
            short_flight: NONE,
            long_flight: NONE,
            latest: (0.0, 0.0),
            loss_round: 0,
            loss_round_starts: false,
            losses: false,
            ranges: 0,
            last_lost: None,
            plateau: (0.0, 0),
            full_now: false,
            full: false,
            drain_from: 0,
            acks: Acks::Init,
            cycle_at: Time::ZERO,
            wait: Span::ZERO,
            up_rounds: 0,
            up_acked: 0.0,
            up_each: NONE,
            probing: false,
            too_high: false,
            precautionary: false,
            min_rtt: (Span::MAX, Time::ZERO),
            probe_min: (Span::MAX, Time::ZERO),
            expired: false,
            done_at: None,
            done_round: false,
            head_window: INITIAL as f64,
            idle: false,
            limited_below: 0,
            burst: (Time::ZERO, 0.0),
            excesses: Vec::new(),
            episode: false,
            undo: (None, 0.0, 0.0, 0.0),
            alpha: 1.0,
            counted: (0.0, 0.0),
            marked_rounds: 0,
        }
    }

    /// The greatest rate of the last two cycles.
    pub fn max_bw(&self) -> f64 {
        self.cycles
            .iter()
            .rev()
            .take(2)
            .copied()
            .fold(0.0, f64::max)
    }

    pub fn bdp_at(&self, rate: f64) -> f64 {
        match self.min_rtt.0 {
            Span::MAX => INITIAL as f64,
            rtt => rate * (rtt.0 as f64 / 1e12),
        }
    }

    /// `gain` times the product of rate and round trip; the first window before there is a round trip.
    pub fn bdp(&self, gain: f64) -> f64 {
        match self.min_rtt.0 {
            Span::MAX => INITIAL as f64,
            _ => gain * self.bdp_at(self.bw),
        }
    }

    /// QuantizationBudget: three send quanta of 1 ms, four segments at least.
    pub fn budget(&self, bytes: f64) -> f64 {
        let quantum = (self.pacing * 1e-3).clamp(2.0 * SEG, 65536.0);
        let least = bytes.max(3.0 * quantum).max(4.0 * SEG);
        if self.state == State::Up {
            least + 2.0 * SEG
        } else {
            least
        }
    }

    pub fn with_headroom(&self) -> f64 {
        match self.long_flight.is_finite() {
            true => {
                let left = (self.given.headroom * self.long_flight).max(SEG);
                (self.long_flight - left).max(4.0 * SEG)
            }
            false => NONE,
        }
    }

    pub fn target(&self) -> f64 {
        self.bdp(1.0).min(self.window)
    }

    /// The most that was acknowledged beyond the rate.
    pub fn excess(&self) -> f64 {
        let most = self.excesses.iter().map(|one| one.1).fold(0.0, f64::max);
        self.given
            .extra_cap
            .map_or(most, |seconds| most.min(self.bw * seconds))
    }

    pub fn too_much_lost(&self) -> bool {
        self.seen.lost > self.given.threshold * self.seen.tx
    }

    pub fn answers_marks(&self) -> bool {
        self.given
            .marks
            .is_some_and(|(.., longest)| self.min_rtt.0 <= longest)
    }
}

impl Model for Bbr3 {
    fn tell(&mut self, event: &Event) {
        match event {
            Event::Ack(ack) => self.ack(ack),
            Event::Congestion(told) => self.congestion(told),
            Event::Sent(sent) => self.sent(sent),
            Event::Lost(lost) => self.lost(lost),
        }
    }

    fn limits(&self) -> (f64, Option<f64>) {
        (self.window, Some(self.pacing))
    }

    fn inspect(&self) -> (&'static str, [f64; 4]) {
        let state = match self.state {
            State::Startup => "startup",
            State::Drain => "drain",
            State::Down => "probe-bw down",
            State::Cruise => "probe-bw cruise",
            State::Refill => "probe-bw refill",
            State::Up => "probe-bw up",
            State::ProbeRtt => "probe-rtt",
        };
        let shown = |bound: f64| if bound.is_finite() { bound } else { 0.0 };
        let rtt = match self.min_rtt.0 {
            Span::MAX => 0.0,
            rtt => rtt.0 as f64 / 1e12,
        };
        let bounds = [shown(self.long_flight), shown(8.0 * self.short_bw)];
        (state, [8.0 * self.max_bw(), rtt, bounds[0], bounds[1]])
    }

    fn edges(&self) -> Edges {
        let quarter = SEGMENT as f64 / 4.0;
        Edges {
            flights: vec![
                self.budget(self.bdp(1.0)),
                self.budget(self.bdp_at(self.max_bw())),
                self.with_headroom(),
                self.long_flight,
                self.least_window(),
            ],
            instants: [
                self.cycle_at.after(self.wait),
                self.min_rtt.1.after(self.given.filter),
                self.probe_min.1.after(self.given.interval),
            ]
            .into_iter()
            .chain(self.done_at)
            .collect(),
            delivered: vec![self.next_round, self.loss_round, self.limited_below],
            sent_at: [1.0, 2.0, 4.0]
                .map(|quarters| quarters * quarter / self.given.threshold)
                .into_iter()
                .chain([self.long_flight])
                .filter(|bytes| bytes.is_finite())
                .collect(),
        }
    }

    fn compare_more(&self, controller: &AnyController, place: &str) {
        let view = match controller {
            AnyController::Bbr3(engine) => engine.view(),
            AnyController::Bbr3Linux(engine) => engine.view(),
            other => panic!("{other:?}"),
        };
        let near = |a: f64, b: f64| a == b || (a / b - 1.0).abs() < 1e-12;
        for (name, ours, theirs) in [
            (
                "short-term flight",
                view.inflight_shortterm,
                self.short_flight,
            ),
            ("excess", view.extra_acked, self.excess()),
            ("alpha", view.ecn_alpha, self.alpha),
            ("window", view.cwnd, self.window),
        ] {
            assert!(near(ours, theirs), "{place}: {name} {ours} {theirs}");
        }
        assert_eq!(view.full_bw_reached, self.full, "{place}");
        assert_eq!(u64::from(view.full_bw_count), self.plateau.1, "{place}");
        assert_eq!(view.idle_restart, self.idle, "{place}");
        assert_eq!(view.bw_probe_wait, self.wait, "{place}");
        let rounds = self.rounds.saturating_sub(self.drain_from);
        assert_eq!(view.rounds_in_drain, rounds, "{place}");
    }
}
