//! SCReAM v2 as draft-ietf-ccwg-rfc8298bis-screamv2 describes it. Windows in bytes, times in seconds.

use backwater_transport::controller::{Ack, Cause, Congestion};
use backwater_transport::units::{Span, Time};

use super::{Edges, Event, INITIAL, Model, SEGMENT};

const SEG: f64 = SEGMENT as f64;

#[derive(Clone, Copy, PartialEq)]
pub enum Marks {
    LowLatency,
    Classic,
    Off,
}

/// What the options say.
#[derive(Clone)]
pub struct Given {
    pub marks: Marks,
    pub target: f64,
    pub virtual_rtt: f64,
    pub at_loss: f64,
    pub at_mark: f64,
    pub multiplicative: f64,
    pub quiet_rounds: f64,
    pub head_room: f64,
    pub overhead: f64,
    pub pacing: f64,
    /// Bytes a second.
    pub slowest: f64,
    pub least: f64,
    pub minute: Span,
    pub history: usize,
    pub empty: f64,
    pub period: Span,
    pub drain_rounds: f64,
}

pub struct Scream {
    given: Given,
    window: f64,
    /// At the last congestion.
    inflection: f64,
    alpha: f64,
    /// Bytes acknowledged and marked since alpha was updated, and when.
    counted: (u64, u64, Time),
    /// Least delays by minute, with the beginnings.
    base: Vec<(Time, Span)>,
    queue: f64,
    average: f64,
    srtt: Option<f64>,
    /// Most in flight in this round, and in the one before.
    most: (f64, f64),
    reacted: Option<Time>,
    congested: Option<Time>,
    undo: f64,
    queued_since: Option<Time>,
    /// When the time at half the rate ends, and that rate.
    drain: Option<(Time, f64)>,
}

fn seconds(span: Span) -> f64 {
    span.0 as f64 / 1e12
}

fn span(seconds: f64) -> Span {
    Span((seconds * 1e12 + 0.5).floor() as u64)
}

fn between(then: Time, now: Time) -> f64 {
    (now.0 - then.0) as f64 / 1e12
}

impl Scream {
    pub fn new(given: Given) -> Scream {
        let window = (INITIAL as f64).max(given.least);
        Scream {
            given,
            window,
            inflection: 1.0,
            alpha: 0.0,
            counted: (0, 0, Time::ZERO),
            base: Vec::new(),
            queue: 0.0,
            average: 0.0,
            srtt: None,
            most: (0.0, 0.0),
            reacted: None,
            congested: None,
            undo: window,
            queued_since: None,
            drain: None,
        }
    }

    fn rtt(&self) -> f64 {
        self.srtt.unwrap_or(0.0)
    }

    /// The longer of the virtual round trip and that of the path.
    fn longer(&self) -> f64 {
        self.rtt().max(self.given.virtual_rtt)
    }

    /// Far from the window of the last congestion 1, near it a tenth.
    fn distance(&self) -> f64 {
        let eighths = (self.window / self.inflection - 1.0) * 8.0;
        eighths.powi(2).clamp(0.1, 1.0)
    }

    /// Reductions are by this weaker on longer paths.
    fn weaker(&self) -> f64 {
        (self.rtt() / self.given.virtual_rtt).max(1.0)
    }

    fn reacts(&mut self, now: Time) -> bool {
        let gone = self.reacted.map(|then| between(then, now));
        if gone.is_some_and(|gone| gone < self.rtt().min(self.given.virtual_rtt)) {
            return false;
        }
        if gone.is_none_or(|gone| gone > 2.0 * self.longer()) {
            self.inflection = self.window;
        }
        self.reacted = Some(now);
        true
    }

    fn measure(&mut self, now: Time, delay: Span) {
        match self.base.last_mut() {
            Some((began, least)) if began.after(self.given.minute) > now => {
                *least = delay.min(*least)
            }
            _ => self.base.push((now, delay)),
        }
        let old = self.base.len().saturating_sub(self.given.history);
        self.base.drain(..old);
        let least = self.base.iter().map(|one| one.1).min().expect("a delay");
        self.queue = seconds(delay) - seconds(least);
        let risen = 0.75 * self.average + 0.25 * self.queue;
        self.average = if self.queue < self.average {
            self.queue
        } else {
            risen
        };
        self.empty(now);
    }

    /// After a long time with a queue half the rate, and then another base delay.
    fn empty(&mut self, now: Time) {
        if self.queue <= self.given.empty {
            (self.queued_since, self.drain) = (None, None);
            return;
        }
        let since = *self.queued_since.get_or_insert(now);
        match self.drain {
            Some((ends, _)) if ends <= now => {
                self.base.clear();
                (self.queue, self.average) = (0.0, 0.0);
                (self.queued_since, self.drain) = (None, None);
            }
            None if since.after(self.given.period) <= now => {
                let lasts = (self.given.drain_rounds * self.rtt()).max(0.1);
                self.drain = Some((now.after(span(lasts)), self.window / 2.0 / self.rtt()));
            }
            _ => {}
        }
    }

    fn count_marks(&mut self, ack: &Ack) {
        self.counted.0 += ack.acked;
        self.counted.1 += ack.marked;
        let (acked, marked, at) = self.counted;
        if acked == 0 || ack.now < at.after(self.alpha_every()) {
            return;
        }
        let off = marked as f64 / acked as f64 - self.alpha;
        self.alpha += if off > 0.0 { off / 8.0 } else { off / 128.0 };
        self.counted = (0, 0, ack.now);
    }

    fn alpha_every(&self) -> Span {
        span(self.rtt().min(0.010))
    }

    fn answer_marks(&mut self, now: Time) {
        if self.given.marks != Marks::LowLatency {
            self.window *= self.given.at_mark;
            return;
        }
        let mut cut = self.alpha / (2.0 * self.weaker());
        if 4.0 * self.queue < self.given.target {
            cut *= self.distance().max(0.25);
        }
        let quiet = self.given.quiet_rounds * self.longer();
        let long = self.congested.is_none_or(|then| between(then, now) > quiet);
        if long && self.most.1 > 0.0 {
            self.window = self.window.min(self.most.1);
        }
        self.window -= self.window * cut;
    }

    fn answer_delay(&mut self) {
        // From half the target on, at most half.
        let over = (2.0 * self.average / self.given.target - 1.0).min(1.0);
        self.window -= self.window * over / (2.0 * self.weaker());
    }

    fn grow(&mut self, ack: &Ack) {
        let clean = (ack.acked - ack.marked) as f64;
        let distance = self.distance();
        let mut more = clean * distance.max(0.25);
        more *= (SEG / self.window).min(1.0);
        more *= (self.rtt() / self.given.virtual_rtt).min(1.0);
        let rounds = self
            .congested
            .map(|then| between(then, ack.now) / self.longer());
        let share = rounds.map_or(1.0, |rounds| (rounds / self.given.quiet_rounds).min(1.0));
        let segments = self.window / SEG;
        more += more * self.given.multiplicative * segments * share * distance;
        let most = SEG + self.given.head_room * self.most.0.max(self.most.1);
        if self.window + more <= most {
            self.window += more;
        }
    }

    fn ack(&mut self, ack: &Ack) {
        self.srtt = Some(seconds(ack.srtt).max(1e-6));
        if let Some(delay) = ack.one_way {
            self.measure(ack.now, delay);
        }
        self.count_marks(ack);
        self.most.0 = self.most.0.max(ack.prior_in_flight as f64);
        if ack.round_start {
            self.most = (ack.in_flight as f64, self.most.0);
        }
        let marked = ack.marked > 0 && self.reacts(ack.now);
        if marked {
            self.answer_marks(ack.now);
            self.congested = Some(ack.now);
        } else if 2.0 * self.average > self.given.target && self.reacts(ack.now) {
            self.answer_delay();
        }
        self.window = self.window.max(self.given.least);
        self.grow(ack);
        self.window = self.window.min(1e11);
    }

    fn congestion(&mut self, told: &Congestion) {
        let timeout = told.cause == Cause::Timeout;
        match told.cause {
            Cause::Loss | Cause::Timeout => {
                if self.reacts(told.now) || timeout {
                    self.undo = self.window;
                    self.window = (self.given.at_loss * self.window).max(self.given.least);
                    self.congested = Some(told.now);
                }
            }
            Cause::Spurious => self.window = self.window.max(self.undo),
            Cause::Mark | Cause::Recovered => {}
        }
    }
}

impl Model for Scream {
    fn tell(&mut self, event: &Event) {
        match event {
            Event::Ack(ack) => self.ack(ack),
            Event::Congestion(told) => self.congestion(told),
            Event::Sent(_) | Event::Lost(_) => {}
        }
    }

    fn limits(&self) -> (f64, Option<f64>) {
        let paced = self.srtt.map(|srtt| match self.drain {
            Some((_, rate)) => rate,
            None => self.given.pacing * (self.window / srtt).max(self.given.slowest),
        });
        (self.window * self.given.overhead, paced)
    }

    fn inspect(&self) -> (&'static str, [f64; 4]) {
        let shown = [self.window, self.queue, self.alpha, self.average];
        ("adapting", shown)
    }

    fn edges(&self) -> Edges {
        let quiet = span(self.given.quiet_rounds * self.longer());
        let reacted = [
            span(self.rtt().min(self.given.virtual_rtt)),
            span(2.0 * self.longer()),
        ];
        let instants = reacted
            .into_iter()
            .filter_map(|span| Some(self.reacted?.after(span)))
            .chain(self.congested.map(|then| then.after(quiet)))
            .chain(self.drain.map(|drain| drain.0))
            .chain(
                self.queued_since
                    .map(|since| since.after(self.given.period)),
            )
            .chain(self.base.last().map(|last| last.0.after(self.given.minute)))
            .chain([self.counted.2.after(self.alpha_every())]);
        Edges {
            instants: instants.collect(),
            ..Edges::default()
        }
    }
}
