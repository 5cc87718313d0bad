//! Copa as its paper (NSDI 2018), the authors' program and mvfst describe it. Minima are taken over lists of all samples that are still
//! remembered. Windows in packets, seconds.

use backwater_transport::controller::{Ack, Cause, Congestion};
use backwater_transport::units::{Span, Time};

use super::{Edges, Event, INITIAL, Model, SEGMENT};

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Paper,
    Program,
    Mvfst,
}

/// What the options say.
#[derive(Clone)]
pub struct Given {
    pub kind: Kind,
    pub delta: f64,
    pub competes: bool,
    pub memory: Span,
    pub patience: f64,
    pub least: f64,
}

/// Round trips of a stretch of time.
#[derive(Default)]
struct Samples(Vec<(Time, u64)>);

impl Samples {
    fn take(&mut self, now: Time, memory: Span, rtt: Span) {
        self.0.retain(|one| one.0.after(memory) >= now);
        self.0.push((now, rtt.0));
    }

    fn least(&self) -> Option<u64> {
        self.0.iter().map(|one| one.1).min()
    }

    fn most(&self) -> Option<u64> {
        self.0.iter().map(|one| one.1).max()
    }
}

/// Since the direction was compared.
#[derive(Clone, Copy, Default)]
struct Since {
    at: Time,
    window: f64,
    ups: i64,
    downs: i64,
    lost: u64,
    acked: u64,
}

pub struct Copa {
    given: Given,
    window: f64,
    delta: f64,
    velocity: f64,
    up: bool,
    same: u64,
    starting: bool,
    competing: bool,
    smooth: Option<f64>,
    base: Samples,
    base_memory: Span,
    standing: Samples,
    recent: Samples,
    swing: Samples,
    emptied: Option<Time>,
    since: Since,
    segments: u64,
    delay: f64,
    paced_over: Option<f64>,
}

fn seconds(ps: u64) -> f64 {
    ps as f64 / 1e12
}

fn span(seconds: f64) -> Span {
    Span((seconds * 1e12 + 0.5).floor() as u64)
}

impl Copa {
    pub fn new(given: Given) -> Copa {
        let window = ((INITIAL / SEGMENT) as f64).max(given.least);
        Copa {
            window,
            delta: given.delta,
            base_memory: given.memory,
            given,
            velocity: 1.0,
            up: true,
            same: 0,
            starting: true,
            competing: false,
            smooth: None,
            base: Samples::default(),
            standing: Samples::default(),
            recent: Samples::default(),
            swing: Samples::default(),
            emptied: None,
            since: Since {
                window,
                ..Since::default()
            },
            segments: 0,
            delay: 0.0,
            paced_over: None,
        }
    }

    fn measure(&mut self, now: Time, rtt: Span) -> (f64, f64) {
        let sample = seconds(rtt.0);
        let smooth = self
            .smooth
            .map_or(sample, |old| (15.0 * old + sample) / 16.0);
        self.smooth = Some(smooth);
        if self.given.kind == Kind::Program {
            let twenty = Span(20 * self.base.least().unwrap_or(rtt.0));
            self.base_memory = twenty.max(self.given.memory);
        }
        self.base.take(now, self.base_memory, rtt);
        self.standing.take(now, span(smooth / 2.0), rtt);
        self.recent
            .take(now, span(self.given.patience * smooth), rtt);
        self.swing.take(now, span(4.0 * smooth), rtt);
        let least = |samples: &Samples| seconds(samples.least().expect("a sample"));
        (least(&self.base), least(&self.standing))
    }

    /// Competitive where the queue was not nearly empty for some rounds: below a tenth of its swing.
    fn choose(&mut self, ack: &Ack, base: f64, standing: f64) {
        let emptied = *self.emptied.get_or_insert(ack.now);
        if !self.given.competes {
            return;
        }
        let swing = seconds(self.swing.most().expect("a sample")) - base;
        let empty = base + swing / 10.0;
        self.competing = match self.given.kind {
            Kind::Program => seconds(self.recent.least().expect("a sample")) > empty,
            _ => {
                let mut emptied = emptied;
                if standing - standing / self.window <= empty {
                    emptied = ack.now;
                }
                self.emptied = Some(emptied);
                let patience = span(self.given.patience * self.smooth.expect("a sample"));
                ack.now > emptied.after(patience)
            }
        };
        if !self.competing {
            self.delta = self.given.delta;
        } else if ack.round_start && !ack.recovering {
            // One over it grows by one.
            self.delta = 1.0 / (1.0 / self.delta + 1.0);
        }
    }

    fn begin(&mut self, now: Time) {
        self.since = Since {
            at: now,
            window: self.window,
            ..Since::default()
        };
    }

    fn turn(&mut self, up: bool) {
        (self.up, self.velocity, self.same) = (up, 1.0, 0);
    }

    fn answer_losses(&mut self, ack: &Ack) {
        let whole = self.given.kind == Kind::Paper && ack.round_start;
        if !whole && self.given.kind != Kind::Program {
            return;
        }
        let (lost, acked) = (self.since.lost, self.since.acked);
        if 10 * lost > 3 * (lost + acked) {
            self.window *= 0.7;
            self.starting = false;
            self.begin(ack.now);
        }
        if whole {
            (self.since.lost, self.since.acked) = (0, 0);
        }
    }

    fn compare_direction(&mut self, ack: &Ack) {
        let gone = ack.now.0 - self.since.at.0;
        let rtt = ack.rtt.expect("a sample");
        let due = match self.given.kind {
            Kind::Paper => ack.round_start,
            Kind::Program => gone > rtt.0,
            Kind::Mvfst => gone >= ack.srtt.0,
        };
        if !due {
            return;
        }
        if self.given.kind == Kind::Program {
            let (ups, downs) = (self.since.ups, self.since.downs);
            let clear = (ups - downs).abs() > 2 * (ups + downs) / 3;
            self.velocity = match clear && (ups > downs) == self.up {
                true => 2.0 * self.velocity,
                false => 1.0,
            };
            if clear {
                self.up = ups > downs;
            }
        } else if (self.window > self.since.window) != self.up {
            self.turn(!self.up);
        } else {
            self.same += 1;
            if self.same > 2 {
                self.velocity *= 2.0;
            }
        }
        self.velocity = self.velocity.min(1e6);
        self.begin(ack.now);
    }

    fn step(&mut self, ack: &Ack, up: bool) {
        let packets = ack.acked as f64 / SEGMENT as f64;
        if self.starting && up {
            self.window += packets;
            return;
        }
        if self.starting {
            self.starting = false;
            self.turn(false);
            self.begin(ack.now);
        }
        if self.given.kind == Kind::Mvfst {
            if up != self.up && self.velocity > 1.0 {
                self.turn(up);
                self.begin(ack.now);
            }
        } else {
            // A packet for each that is acknowledged is the most.
            while self.velocity > 1.0 && self.velocity > self.window * self.delta {
                self.velocity = (0.5 * self.velocity).max(1.0);
            }
        }
        if up {
            self.since.ups += 1;
        } else {
            self.since.downs += 1;
        }
        let sign = if up { 1.0 } else { -1.0 };
        self.window += sign * packets * self.velocity / self.delta / self.window;
    }

    fn ack(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        let (base, standing) = self.measure(ack.now, rtt);
        self.segments += u64::from(ack.acked_segments);
        self.since.acked += ack.acked;
        self.since.lost += ack.lost;
        self.choose(ack, base, standing);
        let mvfst = self.given.kind == Kind::Mvfst;
        self.delay = if mvfst { seconds(rtt.0) } else { standing } - base;
        self.paced_over = Some(if mvfst { seconds(ack.srtt.0) } else { standing });
        if self.given.kind == Kind::Program && self.segments < 10 {
            return;
        }
        self.answer_losses(ack);
        if !self.starting {
            self.compare_direction(ack);
        }
        // The rate, a window in a standing round trip, against one in delta queueing delays.
        let up = self.window * self.delta * self.delay <= standing;
        self.step(ack, up);
        self.window = self.window.clamp(self.given.least, 1e11 / SEGMENT as f64);
    }

    fn congestion(&mut self, told: &Congestion) {
        if told.cause == Cause::Loss && self.competing {
            self.delta = (self.delta + self.delta).min(self.given.delta);
        }
        if told.cause == Cause::Timeout {
            self.window = self.given.least;
            self.starting = self.given.kind == Kind::Paper;
            self.turn(true);
            self.begin(told.now);
        }
    }
}

impl Model for Copa {
    fn tell(&mut self, event: &Event) {
        match event {
            Event::Ack(ack) => self.ack(ack),
            Event::Congestion(told) => self.congestion(told),
            Event::Sent(_) | Event::Lost(_) => {}
        }
    }

    fn limits(&self) -> (f64, Option<f64>) {
        let bytes = self.window * SEGMENT as f64;
        (bytes, self.paced_over.map(|seconds| 2.0 * bytes / seconds))
    }

    fn inspect(&self) -> (&'static str, [f64; 4]) {
        let state = match (self.starting, self.competing) {
            (true, _) => "slow start",
            (_, true) => "competitive",
            (_, false) => "default",
        };
        let up = if self.up { 1.0 } else { 0.0 };
        (state, [self.velocity, self.delta, self.delay, up])
    }

    fn edges(&self) -> Edges {
        let kept = self.base.0.iter().map(|one| one.0.after(self.base_memory));
        let patience = span(self.given.patience * self.smooth.unwrap_or(0.0));
        let patient = self.emptied.map(|emptied| emptied.after(patience));
        let ticks = [4, 5, 6, 8].map(|n| self.since.at.after(super::TICK.times(n)));
        Edges {
            instants: kept.chain(patient).chain(ticks).collect(),
            ..Edges::default()
        }
    }
}
