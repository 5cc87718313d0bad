//! BBRv1 from its description (ACM Queue 2016; draft-cardwell-iccrg-bbr-congestion-control; the behaviour of Linux): one pass for an
//! acknowledgement, filters as maxima over the whole history, bytes and seconds.

use backwater_transport::controller::{Ack, Cause, Congestion, Sent};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{Edges, Event, INITIAL, Model, SEGMENT};

pub const SEG: f64 = SEGMENT as f64;

/// What the options say.
#[derive(Clone)]
pub struct Given {
    pub high: f64,
    pub twice: f64,
    pub rounds: u64,
    pub filter: Span,
    pub stay: Span,
    pub margin: f64,
    pub aggregation: bool,
    pub policer: bool,
    pub datagrams: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Mode {
    Startup,
    Drain,
    /// The place in the cycle of eight.
    Probe(u64),
    Least,
}

/// The policer detector.
#[derive(Clone, Copy)]
pub enum Police {
    /// Waits for a loss.
    Idle,
    /// From an instant with so much delivered and lost, rounds since, and the rate of the interval before.
    Watching(Time, u64, u64, u64, Option<f64>),
    /// A rate, and rounds since.
    Found(f64, u64),
}

pub struct Bbr1 {
    pub given: Given,
    pub random: Random,
    pub mode: Mode,
    pub now: Time,
    pub flight: f64,
    pub delivered: u64,
    pub lost: u64,
    pub window: f64,
    pub kept: f64,
    pub pacing: f64,
    /// Samples of the rate by round.
    pub samples: Vec<(u64, f64)>,
    pub min_rtt: Option<Span>,
    pub min_at: Time,
    pub next_round: u64,
    pub best: f64,
    pub flat: u64,
    pub full: bool,
    pub cycle_at: Time,
    pub done_at: Option<Time>,
    pub done_round: bool,
    pub idle: bool,
    pub limited_below: u64,
    pub recovery: bool,
    pub recovered: bool,
    pub conserve: bool,
    pub last_loss: u64,
    /// Beginning and bytes of the burst; excesses by stretches of five rounds.
    pub burst: (Time, f64),
    pub burst_rounds: u64,
    pub excesses: Vec<(u64, f64)>,
    pub police: Police,
}

impl Bbr1 {
    pub fn new(given: Given, random: Random) -> Bbr1 {
        Bbr1 {
            pacing: given.high * INITIAL as f64 * 1000.0,
            given,
            random,
            mode: Mode::Startup,
            now: Time::ZERO,
            flight: 0.0,
            delivered: 0,
            lost: 0,
            window: INITIAL as f64,
            kept: 0.0,
            samples: Vec::new(),
            min_rtt: None,
            min_at: Time::ZERO,
            next_round: 0,
            best: 0.0,
            flat: 0,
            full: false,
            cycle_at: Time::ZERO,
            done_at: None,
            done_round: false,
            idle: false,
            limited_below: 0,
            recovery: false,
            recovered: false,
            conserve: false,
            last_loss: 0,
            burst: (Time::ZERO, 0.0),
            burst_rounds: 0,
            excesses: Vec::new(),
            police: Police::Idle,
        }
    }

    fn greatest(&self) -> f64 {
        let newest = self.samples.last().map_or(0, |sample| sample.0);
        let fresh = |sample: &&(u64, f64)| sample.0 + self.given.rounds >= newest;
        let rates = self.samples.iter().filter(fresh).map(|sample| sample.1);
        rates.fold(0.0, f64::max)
    }

    pub fn rate(&self) -> f64 {
        match self.police {
            Police::Found(rate, _) => rate,
            _ => self.greatest(),
        }
    }

    pub fn policed(&self) -> bool {
        matches!(self.police, Police::Found(..))
    }

    fn gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => self.given.high,
            Mode::Drain => 1.0 / self.given.high,
            Mode::Probe(0) if !self.policed() => 1.25,
            Mode::Probe(1) if !self.policed() => 0.75,
            Mode::Probe(_) | Mode::Least => 1.0,
        }
    }

    /// Whole segments, three bursts more, an even number; two more where it probes.
    fn flight_for(&self, bytes: f64) -> f64 {
        let segments = (bytes / SEG).ceil() as u64;
        // What leaves in a 1024th of a second; Linux pays out one segment below 1.2 Mbit/s and two above.
        let least = if 8.0 * self.pacing < 1.2e6 { 1 } else { 2 };
        let burst = ((self.pacing / 1024.0) as u64 / SEGMENT).clamp(least, 127);
        let even = (segments + 3 * burst).next_multiple_of(2);
        let more = if self.mode == Mode::Probe(0) { 2 } else { 0 };
        (even + more) as f64 * SEG
    }

    fn product(&self, rate: f64, gain: f64) -> f64 {
        self.min_rtt
            .map_or(INITIAL as f64, |rtt| gain * rate * (rtt.0 as f64 / 1e12))
    }

    pub fn path_holds(&self, gain: f64) -> f64 {
        self.flight_for(self.product(self.greatest(), gain))
    }

    pub fn enter_probe(&mut self) {
        // Any phase but the one that drains: seven of them.
        self.mode = Mode::Probe([0, 7, 6, 5, 4, 3, 2][self.random.between(0, 6) as usize]);
        self.cycle_at = self.now;
    }

    pub fn keep_window(&mut self) {
        let reduced = self.recovery || self.mode == Mode::Least;
        self.kept = if reduced {
            self.kept.max(self.window)
        } else {
            self.window
        };
    }

    fn pace(&mut self, gain: f64) {
        let wanted = gain * self.rate() * (1.0 - self.given.margin);
        if wanted > 0.0 && (self.full || wanted > self.pacing) {
            self.pacing = wanted;
        }
    }

    fn size(&mut self, ack: &Ack) {
        if ack.lost > 0 {
            self.last_loss = self.delivered;
        } else if self.given.datagrams && self.recovery {
            self.recovered = ack
                .rate
                .is_some_and(|rate| rate.prior_delivered > self.last_loss);
        }
        if self.recovered {
            (self.recovered, self.recovery, self.conserve) = (false, false, false);
            self.window = self.window.max(self.kept);
        }
        if ack.acked == 0 {
            return;
        }
        let acked = ack.acked as f64;
        self.window = (self.window - ack.lost as f64).max(SEG);
        if self.conserve {
            self.window = self.window.max(self.flight + acked);
        } else {
            let gain = match self.mode {
                Mode::Startup | Mode::Drain => self.given.high,
                Mode::Probe(_) => self.given.twice,
                Mode::Least => 1.0,
            };
            let mut bytes = self.product(self.rate(), gain);
            if self.given.aggregation && self.full {
                bytes += self.excess().min(self.rate() / 10.0);
            }
            let target = self.flight_for(bytes);
            if self.full {
                self.window = (self.window + acked).min(target);
            } else if self.window < target || self.delivered < INITIAL {
                self.window += acked;
            }
            self.window = self.window.max(4.0 * SEG);
        }
        if self.mode == Mode::Least {
            self.window = self.window.min(4.0 * SEG);
        }
        self.window = self.window.min(1e11);
    }

    fn ack(&mut self, ack: &Ack) {
        (self.now, self.delivered) = (ack.now, ack.delivered);
        (self.flight, self.lost) = (ack.in_flight as f64, self.lost + ack.lost);
        if let (Some(rtt), None) = (ack.rtt, self.min_rtt) {
            self.min_at = self.now;
            self.burst = (self.now, 0.0);
            let seconds = ack.srtt.max(rtt).0 as f64 / 1e12;
            self.pacing = self.given.high * INITIAL as f64 / seconds;
        }
        let begins = |rate: &_| ack_left_in(rate, self.next_round);
        let starts = ack.rate.as_ref().map_or(ack.round_start, begins);
        if starts {
            self.next_round = self.delivered;
            self.conserve = false;
        }
        let mut limited = false;
        if let Some(rate) = &ack.rate {
            limited = rate.app_limited || rate.prior_delivered < self.limited_below;
            let sample =
                u128::from(rate.delivered) * 1_000_000_000_000 / u128::from(rate.interval.0);
            if !limited || sample as f64 >= self.greatest() {
                let memory = self.given.rounds;
                self.samples.retain(|one| one.0 + memory >= ack.round);
                self.samples.push((ack.round, sample as f64));
            }
        }
        self.watch_policer(starts, ack.lost > 0, limited);
        if ack.acked > 0 {
            self.measure_burst(starts, ack.acked as f64);
        }
        self.cycle(ack.lost > 0);
        if !self.full && starts && !limited {
            let rate = self.greatest();
            let grows = rate >= 1.25 * self.best;
            (self.best, self.flat) = if grows {
                (rate, 0)
            } else {
                (self.best, self.flat + 1)
            };
            self.full = self.flat == 3;
        }
        if self.mode == Mode::Startup && self.full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && self.flight <= self.path_holds(1.0) {
            self.enter_probe();
        }
        self.least_round_trip(ack, starts);
        self.pace(self.gain());
        self.size(ack);
    }

    fn congestion(&mut self, told: &Congestion) {
        self.now = told.now;
        match told.cause {
            Cause::Loss if self.recovery => self.recovered = false,
            Cause::Loss => {
                self.keep_window();
                (self.recovery, self.conserve) = (true, true);
                self.next_round = self.delivered;
                self.window = (told.in_flight.saturating_sub(told.lost) as f64).max(SEG);
            }
            Cause::Timeout => {
                self.keep_window();
                self.recovery = true;
                self.last_loss = self.delivered;
                self.best = 0.0;
                self.window = SEG;
            }
            Cause::Recovered => self.recovered = !self.given.datagrams,
            Cause::Spurious => {
                (self.recovery, self.recovered, self.conserve) = (false, false, false);
                (self.best, self.flat) = (0.0, 0);
                self.police = Police::Idle;
                self.window = self.window.max(self.kept);
            }
            Cause::Mark => {}
        }
    }

    fn sent(&mut self, sent: &Sent) {
        self.now = sent.now;
        if sent.in_flight > sent.len || self.delivered == 0 || self.recovery {
            return;
        }
        self.idle = true;
        self.burst = (self.now, 0.0);
        match self.mode {
            Mode::Probe(_) => self.pace(1.0),
            Mode::Least => self.leave_least(),
            _ => {}
        }
    }
}

fn ack_left_in(rate: &backwater_transport::controller::RateSample, round: u64) -> bool {
    rate.prior_delivered >= round
}

impl Model for Bbr1 {
    fn tell(&mut self, event: &Event) {
        match event {
            Event::Ack(ack) => self.ack(ack),
            Event::Congestion(told) => self.congestion(told),
            Event::Sent(sent) => self.sent(sent),
            Event::Lost(_) => {}
        }
    }

    fn limits(&self) -> (f64, Option<f64>) {
        (self.window, Some(self.pacing))
    }

    fn inspect(&self) -> (&'static str, [f64; 4]) {
        let state = match self.mode {
            Mode::Startup => "startup",
            Mode::Drain => "drain",
            Mode::Probe(_) => "probe-bw",
            Mode::Least => "probe-rtt",
        };
        let rtt = self.min_rtt.map_or(0.0, |rtt| rtt.0 as f64 / 1e12);
        let policed = if self.policed() { 1.0 } else { 0.0 };
        (state, [8.0 * self.rate(), rtt, self.gain(), policed])
    }

    fn edges(&self) -> Edges {
        let mut instants = vec![self.min_at.after(self.given.filter)];
        instants.extend(self.done_at);
        instants.extend(self.min_rtt.map(|rtt| self.cycle_at.after(rtt)));
        if let Police::Watching(at, ..) = self.police {
            instants.push(at.after(Span::millis(1)));
        }
        Edges {
            flights: vec![self.path_holds(1.0), self.path_holds(1.25), 4.0 * SEG],
            instants,
            delivered: vec![self.next_round, self.limited_below, self.last_loss],
            sent_at: Vec::new(),
        }
    }
}
