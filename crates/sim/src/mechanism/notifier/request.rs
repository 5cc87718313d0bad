//! Detects: left to the recipe. Tells: an upstream station to send less or more, in a management frame of the
//! highest access category: unicast, acknowledged, repeated when lost; it takes airtime and can be lost.
//!
//! Whom to ask (water-filling): first the upstream stations whose flows get more than each flow leaves with
//! and that can still step back; if there is none, those of the congested category that can. Whoever
//! has stepped back as far as it can is asked again before its request expires, for as long as it sends more than that:
//! otherwise it would come back although nothing has changed. (The source doesn't say.) What each own flow of the
//! relay gets it tells itself, and what each forwarded one leaves with. It knows its neighbours' steps only from the requests that they acknowledged, and
//! takes steps back as they do when its requests expire. With `report` the data frames of upstream stations say how many steps they
//! have taken, at the request of whichever relay, in a field that makes them longer.
//!
//! It asks when the detector looks at rates; beside a detector that looks at levels, when congestion begins and
//! every `period` while it lasts, by the rates of the last `expiry`.
//! Responds: left to the recipe. Reference: S0 (Congestion Control Request of IEEE 802.11-05/0562r0).
//! Differences: the source's neighbourhood announcement, by which siblings adapt too, is not sent.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::units::{Rate, Span, Time};

use super::row::{AtNode, Build, Cue, Cues, Facts, Notifier, Notify, Site};
use crate::ids::FlowId;
use crate::limit::MAX_CLASSES;
use crate::mechanism::carrier::{Told, Toward};
use crate::mechanism::moment::Signal;
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::{Ask, Form, Notice, OwnFlow, Step, first_key};
use crate::mechanism::place::{Feeder, Rhythm, Sums};
use crate::mechanism::responder::Responder;
use crate::table::Id;

/// Its needs.
pub const NEEDS: Needs =
    Needs::of(Set::MANAGEMENT.and(Set::RATES).and(Set::QUEUE)).giving(Set::RATE);

/// The decisions of the notifier.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Length of the frame, header and FCS included.
    pub bytes: u64,
    /// How long a request holds.
    pub expiry: Span,
    /// How often it asks, where the detector doesn't say.
    pub period: Span,
    /// Whether the target is a share of the best period of the window, not of its mean.
    pub peak: bool,
    /// Length of the field in which data frames of upstream stations say how many steps they have taken; 0: they don't.
    pub report: u64,
}

impl Request {
    /// When it asks beside a detector that looks at levels.
    fn own_rhythm(&self) -> Rhythm {
        Rhythm {
            period: self.period,
            window: self.expiry.0.div_ceil(self.period.0) as usize,
        }
    }
}

impl Notify for Request {
    fn needs(&self) -> Needs {
        NEEDS
    }

    fn report(&self) -> u64 {
        self.report
    }

    fn rhythm(&self) -> Option<Rhythm> {
        Some(self.own_rhythm())
    }

    fn at(&self, site: &Site) -> Box<dyn AtNode> {
        let rhythm = site.rhythm.unwrap_or(self.own_rhythm());
        let most = site.respond.most();
        Box::new(Requests::new(*self, site.number, most, rhythm))
    }
}

/// Whom a station has asked for what.
#[derive(Clone, Debug)]
pub struct Requests {
    terms: Request,
    /// Whose responder answers.
    number: u32,
    /// How far those who are asked can step back, by category.
    most: [u8; 4],
    period: Span,
    steps: BTreeMap<(u32, u8), Steps>,
    /// Own flows that the station was told of while it forwarded others.
    told: BTreeSet<FlowId>,
}

/// How far an upstream station has stepped back, as far as its relay knows.
#[derive(Copy, Clone, Debug, std::default::Default)]
struct Steps {
    level: u8,
    until: Time,
}

impl Notifier for Requests {
    fn facts(&self) -> Facts {
        Facts::hearing(Cues::SUMS)
    }

    fn on(&mut self, cue: &Cue, out: &mut VecDeque<Told>) {
        match *cue {
            Cue::Sampled { now, signals, sums } => self.ask(now, signals, sums, out),
            Cue::Acknowledged { to, notice, now } => {
                if let Ask::Step(step) = notice.ask {
                    self.acknowledged(to, notice.class() as u8, step.less, now);
                }
            }
            Cue::Reported {
                from,
                category,
                level,
            } => self.reported(from, category, level),
            _ => {}
        }
    }
}

impl Requests {
    /// A memory in which nobody was asked. `most` is how far those who are asked can step back.
    pub fn new(terms: Request, number: u32, most: [u8; 4], rhythm: Rhythm) -> Requests {
        Requests {
            terms,
            number,
            most,
            period: rhythm.period,
            steps: BTreeMap::new(),
            told: BTreeSet::new(),
        }
    }

    /// A request was acknowledged: its receiver has taken the step.
    fn acknowledged(&mut self, to: u32, category: u8, less: bool, now: Time) {
        let most = self.most[usize::from(category)];
        let steps = self.steps.entry((to, category)).or_default();
        steps.level = match less {
            true => (steps.level + 1).min(most),
            false => steps.level.saturating_sub(1),
        };
        steps.until = now + self.terms.expiry;
    }

    /// A data frame of an upstream station says how many steps the station has taken.
    fn reported(&mut self, from: u32, category: u8, level: u8) {
        self.steps.entry((from, category)).or_default().level = level;
    }

    /// Asks, by what the detector says of each category and by what came and left.
    fn ask(
        &mut self,
        now: Time,
        signals: &[Signal; MAX_CLASSES],
        sums: &Sums,
        out: &mut VecDeque<Told>,
    ) {
        self.ease(now);
        let congested = signals.iter().any(|s| s.congested());
        let rate = match self.terms.peak {
            false => sums.left.iter().sum::<u64>() as f64 / sums.seconds,
            true => sums.best as f64 / self.period.seconds(),
        };
        let target = (sums.forwarded > 0).then(|| rate * 8.0 / sums.forwarded as f64);
        if let Some(target) = target {
            self.ask_feeders(now, signals, sums, target, out);
        }
        self.tell_own_flows(sums, target, congested, out);
    }

    /// Asks those that feed the queue: for less where any category is congested, and otherwise for more.
    fn ask_feeders(
        &self,
        now: Time,
        signals: &[Signal; MAX_CLASSES],
        sums: &Sums,
        target: f64,
        out: &mut VecDeque<Told>,
    ) {
        let judged = |f: &&Feeder| signals[usize::from(f.class)];
        let can = |f: &&Feeder| self.level(f) < self.most[usize::from(f.class)];
        let feeders = || sums.feeders.iter();
        if signals.iter().any(|s| s.congested()) {
            let above = |f: &&Feeder| {
                judged(f) == Signal::CongestedByAll
                    || f.bytes as f64 * 8.0 / sums.seconds / f.flows as f64 > target
            };
            let mut chosen: Vec<&Feeder> = feeders().filter(above).filter(can).collect();
            if chosen.is_empty() {
                let of_congested = |f: &&Feeder| judged(f).congested();
                chosen = feeders().filter(of_congested).filter(can).collect();
            }
            out.extend(chosen.iter().map(|f| self.step(true, f, target)));
            // A request asked for a period later would come when this one has expired.
            let soon = now + self.period.times(2);
            // One that was not asked from here is asked again by others.
            let lapses = |f: &&Feeder| {
                let steps = self.steps.get(&(f.neighbour, f.class));
                steps.is_some_and(|s| s.level > 0 && s.until > Time::ZERO && s.until <= soon)
            };
            let again = feeders().filter(|f| !can(f)).filter(above).filter(lapses);
            out.extend(again.map(|f| self.step(true, f, target)));
        } else {
            let stepped = |f: &&Feeder| self.level(f) > 0;
            let idle = |f: &&Feeder| judged(f) == Signal::Underused;
            let more = feeders().filter(idle).filter(stepped);
            out.extend(more.map(|f| self.step(false, f, target * 1.25)));
        }
    }

    /// Tells the station what its own flows get, and those that it forwards. A flow that has stopped is told of once
    /// more, as one beside which nothing is forwarded, so that its hold ends.
    fn tell_own_flows(
        &mut self,
        sums: &Sums,
        forwarded: Option<f64>,
        congested: bool,
        out: &mut VecDeque<Told>,
    ) {
        let mut flows = std::mem::take(&mut self.told);
        flows.extend(sums.own.iter().map(|(flow, ..)| *flow));
        for flow in flows {
            let sent = sums.own.iter().find(|(own, ..)| *own == flow);
            let own = OwnFlow {
                flow,
                gets: sent.map_or(0.0, |(.., left)| *left as f64 * 8.0 / sums.seconds),
                forwarded: forwarded.filter(|_| sent.is_some()),
                congested,
            };
            if own.forwarded.is_some() {
                self.told.insert(flow);
            }
            out.push_back(self.tell(Toward::Itself, 0xff, Ask::Own(own)));
        }
    }

    fn step(&self, less: bool, feeder: &Feeder, rate: f64) -> Told {
        let step = Step {
            less,
            rate: Rate((rate * feeder.flows as f64) as u64),
            expiry: Some(self.terms.expiry),
            period: self.period,
        };
        self.tell(
            Toward::Station(feeder.neighbour),
            1 << feeder.class,
            Ask::Step(step),
        )
    }

    fn tell(&self, to: Toward, classes: u8, ask: Ask) -> Told {
        let notice = Notice {
            mechanism: self.number,
            form: Form::Request(self.terms.bytes),
            classes,
            ask,
            hosts: None,
            origin: Id::NONE,
            origin_classes: 0,
            key: first_key(self.number),
        };
        Told { to, notice }
    }

    fn level(&self, feeder: &Feeder) -> u8 {
        let steps = self.steps.get(&(feeder.neighbour, feeder.class));
        steps.map_or(0, |s| s.level)
    }

    /// The steps that upstream stations take back when requests have expired. They report them, or the relay infers them.
    fn ease(&mut self, now: Time) {
        if self.terms.report > 0 {
            return;
        }
        for steps in self.steps.values_mut() {
            while steps.level > 0 && steps.until <= now {
                steps.level -= 1;
                steps.until += self.period;
            }
        }
    }
}

/// The row.
pub const PART: Part<Build> = Part {
    id: "request",
    aliases: &["congestion-control-request"],
    summary: "a management frame to an upstream station: less or more of a category, a rate, a time",
    source: "S0; IEEE 802.11-05/0562r0",
    options: &[
        Opt::new(
            "frame",
            Kind::Bytes,
            Default::Is("50 B"),
            "length of the frame, header and FCS included",
        )
        .at_least("40 B")
        .at_most("2304 B"),
        Opt::new(
            "expiry",
            Kind::Span,
            Default::Is("1 s"),
            "how long a request holds; afterwards the upstream station takes back a step in every period",
        )
        .at_least("1 ms")
        .at_most("100 s"),
        Opt::new(
            "period",
            Kind::Span,
            Default::Is("250 ms"),
            "how often it asks while congestion lasts, beside a detector without a period of its own",
        )
        .at_least("1 ms")
        .at_most("10 s"),
        Opt::new(
            "target",
            Kind::Choice(&["mean", "peak"]),
            Default::Is("mean"),
            "what a flow may get is a share of the rate that left in the window's mean, or in its best period",
        ),
        Opt::new(
            "report",
            Kind::Bytes,
            Default::Is("0 B"),
            "length of a field in which data frames of upstream stations say how many steps (of AIFSN, CWmin ...) they have taken; 0 B: the relay infers it from its own requests",
        )
        .at_most("255 B"),
    ],
    build: |args| {
        Ok(Request {
            bytes: args.bytes("frame").0,
            expiry: args.span("expiry"),
            period: args.span("period"),
            peak: args.choice("target") == "peak",
            report: args.bytes("report").0,
        }
        .into())
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::FlowId;
    use crate::mechanism::AnyDetector;
    use crate::mechanism::control::{Control, Watched};
    use crate::mechanism::detector::{Detector, QueueRateDifference, RateComparison};
    use crate::mechanism::place::{Place, Tally, View};

    const RHYTHM: Rhythm = Rhythm {
        period: Span::millis(250),
        window: 4,
    };
    const PERIOD: u64 = 250_000_000_000;
    const MILLISECOND: u64 = 1_000_000_000;

    /// A relay that has seen nothing; its control watches one place. What comes and leaves does so when it last looked.
    struct Relay(Control, Time);

    impl Relay {
        fn with(detector: AnyDetector, most: [u8; 4]) -> Relay {
            Relay::aiming(detector, most, false)
        }

        fn aiming(detector: AnyDetector, most: [u8; 4], peak: bool) -> Relay {
            let terms = Request {
                bytes: 50,
                expiry: Span::secs(1),
                period: RHYTHM.period,
                peak,
                report: 0,
            };
            let rhythm = detector.rhythm().unwrap_or(terms.own_rhythm());
            let requests = Requests::new(terms, 0, most, rhythm);
            let mut control = Control::new(Id::raw(0), 0, Box::new(requests), &[]);
            let place = Place::Attachment(9);
            control.watch(Watched::new(place, detector, Some(rhythm), false));
            Relay(control, Time::ZERO)
        }

        fn new() -> Relay {
            Relay::with(Relay::detector(None), [29, 29, 0, 29])
        }

        fn detector(rate_below: Option<f64>) -> AnyDetector {
            AnyDetector::RateComparison(RateComparison {
                alpha: 1.08,
                busy_below: 0.8,
                rate_below,
                rhythm: RHYTHM,
            })
        }

        fn requests(&mut self) -> &mut Requests {
            self.0.notifier_mut().expect("one that asks")
        }

        fn tally(&mut self) -> &mut Tally {
            self.0.tally(0).expect("a place with a window")
        }

        fn came(&mut self, from: Option<u32>, class: u8, flow: FlowId, bytes: u64) {
            let now = self.1;
            self.tally().came(from, class, flow, bytes, now);
        }

        fn left(&mut self, own: bool, class: u8, flow: FlowId, bytes: u64) {
            let now = self.1;
            self.tally().left(own, class, flow, bytes, now);
        }

        /// Looks, with buffers of which so much is in use; gives what is asked of others and of own flows.
        fn sample(&mut self, now: u64, busy: u64, held: u64) -> (Vec<Asked>, Vec<OwnFlow>) {
            let views: Vec<View> = (0..4)
                .map(|class| View::level(Time(now), class, held, 100))
                .collect();
            let none = |_| [].into();
            self.0.sample(0, &views, Some(busy), Id::NONE, none);
            self.1 = Time(now);
            let (mut asked, mut own) = (Vec::new(), Vec::new());
            while let Some(told) = self.0.next_told() {
                match (told.to, told.notice.ask) {
                    (Toward::Station(to), Ask::Step(step)) => {
                        let class = told.notice.class() as u8;
                        asked.push((to, class, step.less, step.rate.0));
                        self.taken((to, class, step.less, 0), 0);
                    }
                    (Toward::Itself, Ask::Own(flow)) => own.push(flow),
                    other => panic!("{other:?}"),
                }
            }
            (asked, own)
        }

        /// A request was acknowledged.
        fn taken(&mut self, (to, class, less, rate): Asked, now: u64) {
            let step = Step {
                less,
                rate: Rate(rate),
                expiry: Some(Span::secs(1)),
                period: RHYTHM.period,
            };
            let notice = Notice {
                mechanism: 0,
                form: Form::Request(50),
                classes: 1 << class,
                ask: Ask::Step(step),
                hosts: None,
                origin: Id::NONE,
                origin_classes: 0,
                key: 0,
            };
            if now > 0 {
                self.0.acknowledged(to, &notice, Time(now));
            }
        }
    }

    /// A request: (station, category, less, bit/s).
    type Asked = (u32, u8, bool, u64);

    /// 2 Mbit/s in from each of two stations, 2 Mbit/s out together: each is asked for less.
    #[test]
    fn stations_that_send_more_than_their_flows_leave_with_are_asked_for_less() {
        let mut r = Relay::new();
        for station in [0, 1] {
            r.came(Some(station), 1, Id::raw(station), 62_500);
            r.left(false, 1, Id::raw(station), 31_250);
        }
        let (asked, own) = r.sample(PERIOD, PERIOD, 0);
        assert_eq!(asked, [(0, 1, true, 1_000_000), (1, 1, true, 1_000_000)]);
        assert_eq!(own, []);
    }

    /// The category of station 1 cannot step back, so the congested ones must.
    #[test]
    fn water_is_filled_where_there_is_room() {
        let mut r = Relay::new();
        r.came(Some(0), 1, Id::raw(0), 20_000);
        r.came(Some(1), 2, Id::raw(1), 100_000);
        r.left(false, 1, Id::raw(0), 10_000);
        r.left(false, 2, Id::raw(1), 100_000);
        let (asked, _) = r.sample(PERIOD, PERIOD, 0);
        // 20 kB is below the 55 kB of the mean flow, and yet the only one that can step back.
        assert_eq!(asked.len(), 1);
        assert_eq!((asked[0].0, asked[0].2), (0, true));
    }

    #[test]
    fn a_medium_that_is_not_fully_used_lets_those_back_who_had_stepped_back() {
        let mut r = Relay::new();
        let steady = |r: &mut Relay| {
            r.came(Some(0), 1, Id::raw(0), 31_250);
            r.left(false, 1, Id::raw(0), 31_250);
        };
        steady(&mut r);
        assert_eq!(r.sample(PERIOD, PERIOD / 2, 0), (vec![], vec![]));
        r.taken((0, 1, true, 0), PERIOD);
        steady(&mut r);
        let (asked, _) = r.sample(2 * PERIOD, PERIOD, 0);
        assert_eq!(asked, [(0, 1, false, 1_250_000)]);
        // Nothing is asked where the medium is fully used.
        steady(&mut r);
        assert_eq!(r.sample(3 * PERIOD, 3 * PERIOD, 0).0, []);
    }

    /// 1 Mbit/s in the first period and 0.64 in the second, on a medium that is always busy. By rates a path that had more is
    /// not fully used; a quarter more than the best period's 1 Mbit/s is the target, where the mean is 0.82.
    #[test]
    fn a_path_that_had_more_counts_as_not_fully_used_by_rates() {
        for (rate_below, peak, expected) in [
            (Some(0.9), true, Some(1_250_000)),
            (Some(0.9), false, Some(1_025_000)),
            (Some(0.6), true, None),
            (None, true, None),
        ] {
            let mut r = Relay::aiming(Relay::detector(rate_below), [29; 4], peak);
            for (period, bytes) in [(1, 31_250), (2, 20_000)] {
                r.came(Some(0), 1, Id::raw(0), bytes);
                r.left(false, 1, Id::raw(0), bytes);
                let asked = r.sample(period * PERIOD, period * PERIOD, 0).0;
                let more = expected.filter(|_| period == 2);
                let more = more.map(|rate| (0, 1, false, rate));
                assert_eq!(asked, Vec::from_iter(more), "{rate_below:?} {peak}");
                r.taken((0, 1, true, 0), period * PERIOD);
            }
        }
    }

    /// A relay tells itself what an own flow gets, what each forwarded one leaves with, and whether it is congested. When
    /// nothing is forwarded any longer it says so.
    #[test]
    fn own_flows_are_told_of_with_what_forwarded_ones_get() {
        let mut r = Relay::new();
        let flow = Id::raw(9);
        // Four periods of the same.
        let mut second = |first: u64, came: u64| {
            let mut told = Vec::new();
            for period in first..first + 4 {
                if came > 0 {
                    r.came(Some(0), 1, Id::raw(0), came);
                    r.left(false, 1, Id::raw(0), 31_250);
                }
                r.came(None, 1, flow, 125_000);
                r.left(true, 1, flow, 62_500);
                told = r.sample(period * PERIOD, period * PERIOD, 0).1;
            }
            told
        };
        let expected = |forwarded, congested| {
            let gets = 2e6;
            vec![OwnFlow {
                flow,
                gets,
                forwarded,
                congested,
            }]
        };
        assert_eq!(second(1, 31_250), expected(Some(1e6), false));
        assert_eq!(second(5, 62_500), expected(Some(1e6), true));
        assert_eq!(second(9, 0), expected(None, false));
    }

    /// A flow that has stopped is told of once more.
    #[test]
    fn a_stopped_own_flow_is_told_of_once_more() {
        let mut r = Relay::new();
        let mut told = Vec::new();
        for period in 1..=7 {
            r.came(Some(0), 1, Id::raw(0), 31_250);
            r.left(false, 1, Id::raw(0), 31_250);
            if period == 1 {
                r.came(None, 1, Id::raw(9), 31_250);
                r.left(true, 1, Id::raw(9), 31_250);
            }
            told.push(r.sample(period * PERIOD, period * PERIOD, 0).1);
        }
        let forwarded = |told: &Vec<OwnFlow>| told.first().map(|own| own.forwarded);
        let found: Vec<_> = told.iter().map(forwarded).collect();
        let (first, last) = (Some(Some(1e6)), Some(None));
        assert_eq!(found, [first, first, first, first, last, None, None]);
    }

    /// Traffic that began 20 ms before the first look leaves with 1 Mbit/s, and is asked for no less than that.
    #[test]
    fn a_rate_is_measured_from_where_traffic_began() {
        let mut r = Relay::new();
        let (flow, at) = (Id::raw(0), |ms: u64| Time(ms * MILLISECOND));
        r.tally().came(Some(0), 1, flow, 5_000, at(230));
        r.tally().left(false, 1, flow, 2_500, at(240));
        let (asked, _) = r.sample(PERIOD, PERIOD, 0);
        assert_eq!(asked, [(0, 1, true, 1_000_000)]);
    }

    /// A station at its limit keeps what it has stepped back, as long as it sends more than its flows leave with.
    #[test]
    fn a_station_at_its_limit_is_asked_again_before_its_request_expires() {
        let mut r = Relay::new();
        r.requests().most = [1; 4];
        let mut periods = Vec::new();
        let level = |r: &mut Relay| r.requests().steps.get(&(0, 1)).map(|s| s.level);
        for period in 1..=9 {
            r.came(Some(0), 1, Id::raw(0), 62_500);
            r.left(false, 1, Id::raw(0), 31_250);
            let now = period * PERIOD;
            for asked in r.sample(now, now, 0).0 {
                r.taken(asked, now);
                periods.push(period);
            }
            assert_eq!(level(&mut r), Some(1), "{period}");
        }
        // A request holds for four periods and is renewed two before its end.
        assert_eq!(periods, [1, 3, 5, 7, 9]);
        // No more once it sends no more than what leaves.
        for period in 10..=20 {
            r.came(Some(0), 1, Id::raw(0), 31_250);
            r.left(false, 1, Id::raw(0), 31_250);
            let now = period * PERIOD;
            for asked in r.sample(now, now, 0).0 {
                r.taken(asked, now);
            }
        }
        assert_eq!(level(&mut r), Some(0));
    }

    #[test]
    fn steps_expire_at_the_relay_as_they_do_upstream() {
        let terms = Request {
            bytes: 50,
            expiry: Span::secs(1),
            period: RHYTHM.period,
            peak: false,
            report: 0,
        };
        let mut requests = Requests::new(terms, 0, [29; 4], RHYTHM);
        for _ in 0..3 {
            requests.acknowledged(0, 1, true, Time(0));
        }
        for (periods, level) in [(3, 3), (4, 2), (5, 1), (6, 0), (7, 0)] {
            requests.ease(Time(periods * PERIOD));
            assert_eq!(requests.steps[&(0, 1)].level, level, "{periods}");
        }
    }

    /// Station 0 has taken its only step at the request of another relay. The relay that is told asks station 1 alone, and on a
    /// medium that is not fully used it lets station 0 come back.
    #[test]
    fn what_upstream_stations_report_counts_more_than_own_requests() {
        for (report, less, more) in [(2, vec![1], vec![0]), (0, vec![0, 1], vec![])] {
            let mut r = Relay::with(Relay::detector(None), [1; 4]);
            r.requests().terms.report = report;
            let stations = |asked: &[Asked], less: bool| -> Vec<u32> {
                let those = asked.iter().filter(|a| a.2 == less);
                those.map(|a| a.0).collect()
            };
            let period = |r: &mut Relay, number: u64, left: u64, busy: u64| {
                for station in [0, 1] {
                    r.came(Some(station), 1, Id::raw(station), 31_250);
                    r.left(false, 1, Id::raw(station), left);
                }
                if report > 0 {
                    r.0.reported(0, 1, 1);
                    r.0.reported(1, 1, 0);
                }
                r.sample(number * PERIOD, busy, 0).0
            };
            let asked = period(&mut r, 1, 15_625, PERIOD);
            assert_eq!(stations(&asked, true), less);
            // Nothing of the first period is left in the window.
            for number in 2..=5 {
                period(&mut r, number, 31_250, number * PERIOD);
            }
            let asked = period(&mut r, 6, 31_250, 5 * PERIOD);
            assert_eq!(stations(&asked, false), more);
        }
    }

    /// A full queue announces: whoever feeds it is asked, also who sends less than a flow leaves with.
    #[test]
    fn a_full_queue_asks_every_upstream_station() {
        let asked = |held: u64| {
            let detector = QueueRateDifference {
                queue: [0.0, 1.0],
                difference: 0.16,
                outer: 0.08,
                medium: 0.08,
                rhythm: RHYTHM,
            };
            let detector = AnyDetector::QueueRateDifference(Box::new(detector));
            let mut r = Relay::with(detector, [29; 4]);
            for (station, bytes) in [(0, 20_000), (1, 60_000)] {
                r.came(Some(station), 1, Id::raw(station), bytes);
                r.left(false, 1, Id::raw(station), bytes);
            }
            let asked = r.sample(PERIOD, PERIOD, held).0;
            asked.iter().map(|a| a.0).collect::<Vec<_>>()
        };
        assert_eq!(asked(80), [0, 1]);
        assert_eq!(asked(20), []);
    }
}
