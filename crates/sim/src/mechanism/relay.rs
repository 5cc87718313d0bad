//! Congestion control at an 802.11 relay, looked at once in a period: what came in from each upstream station,
//! what left, and whom to ask for less or more. A state machine over what the relay itself sees: it knows
//! its neighbours' knobs only from the requests that they acknowledged, and takes steps back as they do
//! when its requests expire.
//!
//! Whom to ask (water-filling): first the upstream stations whose flows get more than each flow leaves
//! with and that can still step back; if there is none, those of the congested category that can. Whoever
//! has stepped back as far as it can is asked again before its request expires, for as long as it sends more than that:
//! otherwise it would come back although nothing has changed. (The source doesn't say.) The
//! relay's own flows are held, by a tenth in each period, to what each forwarded flow leaves with, and let
//! go by a twentieth.

use std::collections::{BTreeMap, VecDeque};

use backwater_transport::units::{Rate, Span, Time};

use super::detector::station::{Judgement, Seen, StationDetector};
use super::notifier::Request;
use super::responder::contention::Contention;
use crate::ids::FlowId;

/// A relay's part of a mechanism.
#[derive(Clone, Debug)]
pub struct Relay {
    /// When is it congested.
    pub detect: StationDetector,
    /// In which frame it asks.
    pub notify: Request,
    /// What those asked do, and what it does about its own flows.
    pub respond: Contention,
    bins: VecDeque<Bin>,
    /// Busy ticks of its medium up to the last look.
    busy: u64,
    steps: BTreeMap<(u32, u8), Steps>,
}

/// What was seen in a period.
#[derive(Clone, Debug, Default)]
struct Bin {
    /// (upstream station, category, flow, bytes); the station's own flows have no upstream.
    came: Vec<(Option<u32>, u8, FlowId, u64)>,
    /// (whether its own, category, flow, bytes).
    left: Vec<(bool, u8, FlowId, u64)>,
    busy: u64,
}

/// How far an upstream station has stepped back, as far as the relay knows.
#[derive(Copy, Clone, Debug, Default)]
struct Steps {
    level: u8,
    until: Time,
}

/// A request.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Ask {
    /// Upstream station.
    pub to: u32,
    /// Access category.
    pub category: u8,
    /// Less, or more.
    pub less: bool,
    /// What its flows of the category may send together.
    pub rate: Rate,
}

/// What follows from a look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Requests.
    pub asks: Vec<Ask>,
    /// Own flows and the rates that they are held to.
    pub own: Vec<(FlowId, Rate)>,
}

/// No own flow is held to less.
const LEAST_OWN: f64 = 100_000.0;
/// An own flow may get so much more than a forwarded one.
const OWN_EXCESS: f64 = 1.1;

impl Relay {
    /// A relay that has seen nothing.
    pub fn new(detect: StationDetector, notify: Request, respond: Contention) -> Relay {
        Relay {
            detect,
            notify,
            respond,
            bins: VecDeque::from([Bin::default()]),
            busy: 0,
            steps: BTreeMap::new(),
        }
    }

    /// A packet came in: to be forwarded, or from an own flow.
    pub fn came(&mut self, from: Option<u32>, category: u8, flow: FlowId, bytes: u64) {
        let came = &mut self.bins.back_mut().expect("the present period").came;
        match came
            .iter_mut()
            .find(|e| (e.0, e.1, e.2) == (from, category, flow))
        {
            Some(entry) => entry.3 += bytes,
            None => came.push((from, category, flow, bytes)),
        }
    }

    /// A packet left: the next station acknowledged it.
    pub fn left(&mut self, own: bool, category: u8, flow: FlowId, bytes: u64) {
        let left = &mut self.bins.back_mut().expect("the present period").left;
        match left
            .iter_mut()
            .find(|e| (e.0, e.1, e.2) == (own, category, flow))
        {
            Some(entry) => entry.3 += bytes,
            None => left.push((own, category, flow, bytes)),
        }
    }

    /// A request was acknowledged: its receiver has taken the step.
    pub fn acknowledged(&mut self, ask: &Ask, now: Time) {
        let most = self.respond.most[usize::from(ask.category)];
        let steps = self.steps.entry((ask.to, ask.category)).or_default();
        steps.level = match ask.less {
            true => (steps.level + 1).min(most),
            false => steps.level.saturating_sub(1),
        };
        steps.until = now + self.notify.expiry;
    }

    /// Looks at the window; `busy` are the ticks for which the medium has been busy so far, `queued` the
    /// shares of the buffers in use by category, and `held` says to what an own flow is held.
    pub fn look(
        &mut self,
        now: Time,
        busy: u64,
        queued: [f64; 4],
        held: impl Fn(FlowId) -> Option<Rate>,
    ) -> Verdict {
        self.bins.back_mut().expect("the present period").busy = busy - self.busy;
        self.busy = busy;
        let sums = Sums::of(&self.bins);
        let rhythm = self.detect.rhythm();
        let window = Span(rhythm.period.0 * self.bins.len() as u64).seconds();
        self.bins.push_back(Bin::default());
        if self.bins.len() > rhythm.window {
            self.bins.pop_front();
        }
        self.ease(now);
        let flows = sums.forwarded.len();
        if flows == 0 {
            return Verdict::default();
        }
        let target = sums.left.iter().sum::<u64>() as f64 * 8.0 / window / flows as f64;
        let judgements: [Judgement; 4] = std::array::from_fn(|c| {
            self.detect.judge(&Seen {
                came: sums.came[c],
                left: sums.left[c],
                busy: sums.busy as f64 / (window * 1e12),
                queued: queued[c],
            })
        });
        let judged = |f: &&Feeder| judgements[usize::from(f.category)];
        let any = judgements.iter().any(|j| j.congested());
        let ask = |less: bool, feeder: &Feeder, rate: f64| Ask {
            to: feeder.station,
            category: feeder.category,
            less,
            rate: Rate((rate * feeder.flows as f64) as u64),
        };
        let can = |f: &&Feeder| {
            self.level(f.station, f.category) < self.respond.most[usize::from(f.category)]
        };
        let mut asks = Vec::new();
        if any {
            let above = |f: &&Feeder| {
                judged(f) == Judgement::LessOfAll
                    || f.bytes as f64 * 8.0 / window / f.flows as f64 > target
            };
            let mut chosen: Vec<&Feeder> = sums.feeders.iter().filter(above).filter(can).collect();
            if chosen.is_empty() {
                let of_congested = |f: &&Feeder| judged(f).congested();
                chosen = sums
                    .feeders
                    .iter()
                    .filter(of_congested)
                    .filter(can)
                    .collect();
            }
            asks.extend(chosen.iter().map(|f| ask(true, f, target)));
            // A request asked for at the next look would come when this one has expired.
            let soon = now + rhythm.period.times(2);
            let lapses = |f: &&Feeder| {
                let steps = self.steps.get(&(f.station, f.category));
                steps.is_some_and(|s| s.level > 0 && s.until <= soon)
            };
            let at_limit = sums.feeders.iter().filter(|f| !can(f));
            let again = at_limit.filter(above).filter(lapses);
            asks.extend(again.map(|f| ask(true, f, target)));
        } else {
            let stepped = |f: &&Feeder| self.level(f.station, f.category) > 0;
            let idle = |f: &&Feeder| judged(f) == Judgement::More;
            let feeders = sums.feeders.iter().filter(idle).filter(stepped);
            asks.extend(feeders.map(|f| ask(false, f, target * 1.25)));
        }
        let mut own = Vec::new();
        for (flow, came, left) in sums.own.iter().filter(|_| self.respond.own) {
            let (offered, gets) = (*came as f64 * 8.0 / window, *left as f64 * 8.0 / window);
            let share = held(*flow).map(|r| r.0 as f64);
            let above = if any { target } else { OWN_EXCESS * target };
            let rate = if gets > above {
                (0.9 * share.unwrap_or(gets)).max(LEAST_OWN)
            } else if let Some(share) = share {
                (1.05 * share).min(offered.max(LEAST_OWN))
            } else {
                continue;
            };
            own.push((*flow, Rate(rate as u64)));
        }
        Verdict { asks, own }
    }

    fn level(&self, station: u32, category: u8) -> u8 {
        self.steps.get(&(station, category)).map_or(0, |s| s.level)
    }

    /// What upstream stations take back when requests have expired.
    fn ease(&mut self, now: Time) {
        for steps in self.steps.values_mut() {
            while steps.level > 0 && steps.until <= now {
                steps.level -= 1;
                steps.until += self.detect.rhythm().period;
            }
        }
    }
}

/// An upstream station's flows of a category.
struct Feeder {
    station: u32,
    category: u8,
    flows: u64,
    bytes: u64,
}

/// The window, added up.
struct Sums {
    came: [u64; 4],
    left: [u64; 4],
    busy: u64,
    forwarded: Vec<FlowId>,
    feeders: Vec<Feeder>,
    /// Own flows: (flow, came, left).
    own: Vec<(FlowId, u64, u64)>,
}

impl Sums {
    fn of(bins: &VecDeque<Bin>) -> Sums {
        let mut by_source: BTreeMap<(u32, u8, FlowId), u64> = BTreeMap::new();
        let mut own: BTreeMap<FlowId, (u64, u64)> = BTreeMap::new();
        let (mut came, mut left, mut busy) = ([0; 4], [0; 4], 0);
        for bin in bins {
            busy += bin.busy;
            for (from, category, flow, bytes) in &bin.came {
                match from {
                    Some(from) => {
                        came[usize::from(*category)] += bytes;
                        *by_source.entry((*from, *category, *flow)).or_default() += bytes;
                    }
                    None => own.entry(*flow).or_default().0 += bytes,
                }
            }
            for (mine, category, flow, bytes) in &bin.left {
                match mine {
                    true => own.entry(*flow).or_default().1 += bytes,
                    false => left[usize::from(*category)] += bytes,
                }
            }
        }
        let mut feeders: Vec<Feeder> = Vec::new();
        let mut forwarded = Vec::new();
        for ((station, category, flow), bytes) in &by_source {
            forwarded.push(*flow);
            match feeders.last_mut() {
                Some(f) if (f.station, f.category) == (*station, *category) => {
                    f.flows += 1;
                    f.bytes += bytes;
                }
                _ => feeders.push(Feeder {
                    station: *station,
                    category: *category,
                    flows: 1,
                    bytes: *bytes,
                }),
            }
        }
        Sums {
            came,
            left,
            busy,
            forwarded,
            feeders,
            own: own.into_iter().map(|(f, (c, l))| (f, c, l)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::detector::station::Rhythm;
    use crate::mechanism::detector::{QueueRateDifference, RateComparison};
    use crate::mechanism::responder::contention::Knob;
    use crate::table::Id;

    const RHYTHM: Rhythm = Rhythm {
        period: Span::millis(250),
        window: 4,
    };
    const EMPTY: [f64; 4] = [0.0; 4];

    fn relay() -> Relay {
        let detect = StationDetector::RateComparison(RateComparison {
            alpha: 1.08,
            busy_below: 0.8,
            rhythm: RHYTHM,
        });
        let notify = Request {
            bytes: 50,
            expiry: Span::secs(1),
        };
        let respond = Contention {
            knob: Knob::Aifsn,
            lowest: 2,
            most: [29, 29, 0, 29],
            own: true,
        };
        Relay::new(detect, notify, respond)
    }

    fn ask(to: u32, category: u8, less: bool, rate: u64) -> Ask {
        Ask {
            to,
            category,
            less,
            rate: Rate(rate),
        }
    }

    const PERIOD: u64 = 250_000_000_000;

    /// 2 Mbit/s in from each of two stations, 2 Mbit/s out together: each is asked for less.
    #[test]
    fn stations_that_send_more_than_their_flows_leave_with_are_asked_for_less() {
        let mut r = relay();
        for station in [0, 1] {
            r.came(Some(station), 1, Id::raw(station), 62_500);
            r.left(false, 1, Id::raw(station), 31_250);
        }
        let verdict = r.look(Time(PERIOD), PERIOD, EMPTY, |_| None);
        let expected = [ask(0, 1, true, 1_000_000), ask(1, 1, true, 1_000_000)];
        assert_eq!(verdict.asks, expected);
        assert_eq!(verdict.own, []);
    }

    /// The category of station 1 cannot step back, so the congested ones must.
    #[test]
    fn water_is_filled_where_there_is_room() {
        let mut r = relay();
        r.came(Some(0), 1, Id::raw(0), 20_000);
        r.came(Some(1), 2, Id::raw(1), 100_000);
        r.left(false, 1, Id::raw(0), 10_000);
        r.left(false, 2, Id::raw(1), 100_000);
        let verdict = r.look(Time(PERIOD), PERIOD, EMPTY, |_| None);
        // 20 kB is below the 55 kB of the mean flow, and yet the only one that can step back.
        assert_eq!(verdict.asks.len(), 1);
        assert_eq!((verdict.asks[0].to, verdict.asks[0].less), (0, true));
    }

    #[test]
    fn a_medium_that_is_not_fully_used_lets_those_back_who_had_stepped_back() {
        let mut r = relay();
        r.came(Some(0), 1, Id::raw(0), 31_250);
        r.left(false, 1, Id::raw(0), 31_250);
        assert_eq!(
            r.look(Time(PERIOD), PERIOD / 2, EMPTY, |_| None),
            Verdict::default()
        );
        r.acknowledged(&ask(0, 1, true, 0), Time(PERIOD));
        r.came(Some(0), 1, Id::raw(0), 31_250);
        r.left(false, 1, Id::raw(0), 31_250);
        let verdict = r.look(Time(2 * PERIOD), PERIOD, EMPTY, |_| None);
        assert_eq!(verdict.asks, [ask(0, 1, false, 1_250_000)]);
        // Nothing is asked where the medium is fully used.
        r.came(Some(0), 1, Id::raw(0), 31_250);
        r.left(false, 1, Id::raw(0), 31_250);
        let verdict = r.look(Time(3 * PERIOD), 3 * PERIOD, EMPTY, |_| None);
        assert_eq!(verdict.asks, []);
    }

    #[test]
    fn steps_expire_at_the_relay_as_they_do_upstream() {
        let mut r = relay();
        for _ in 0..3 {
            r.acknowledged(&ask(0, 1, true, 0), Time(0));
        }
        for (periods, level) in [(3, 3), (4, 2), (5, 1), (6, 0), (7, 0)] {
            r.ease(Time(periods * PERIOD));
            assert_eq!(r.level(0, 1), level, "{periods}");
        }
    }

    /// An own flow that gets more than 1.1 times what a forwarded one gets loses a tenth in each period.
    #[test]
    fn own_flows_are_held_to_what_forwarded_ones_get() {
        let mut r = relay();
        let own = Id::raw(9);
        r.came(Some(0), 1, Id::raw(0), 31_250);
        r.left(false, 1, Id::raw(0), 31_250);
        r.came(None, 1, own, 125_000);
        r.left(true, 1, own, 62_500);
        let verdict = r.look(Time(PERIOD), PERIOD, EMPTY, |_| None);
        assert_eq!(verdict.own, [(own, Rate(1_800_000))]);
        r.came(Some(0), 1, Id::raw(0), 93_750);
        r.left(false, 1, Id::raw(0), 93_750);
        r.came(None, 1, own, 125_000);
        let verdict = r.look(Time(2 * PERIOD), 2 * PERIOD, EMPTY, |_| {
            Some(Rate(1_000_000))
        });
        assert_eq!(verdict.own, [(own, Rate(1_050_000))]);
    }
    /// A station at its limit keeps what it has stepped back, as long as it sends more than its flows leave with.
    #[test]
    fn a_station_at_its_limit_is_asked_again_before_its_request_expires() {
        let mut r = relay();
        r.respond.most = [1; 4];
        let mut asked = Vec::new();
        for period in 1..=9 {
            r.came(Some(0), 1, Id::raw(0), 62_500);
            r.left(false, 1, Id::raw(0), 31_250);
            let now = Time(period * PERIOD);
            let verdict = r.look(now, period * PERIOD, EMPTY, |_| None);
            for ask in &verdict.asks {
                r.acknowledged(ask, now);
                asked.push(period);
            }
            assert_eq!(r.level(0, 1), 1, "{period}");
        }
        // A request holds for four periods and is renewed two before its end.
        assert_eq!(asked, [1, 3, 5, 7, 9]);
        // No more once it sends no more than what leaves.
        for period in 10..=20 {
            r.came(Some(0), 1, Id::raw(0), 31_250);
            r.left(false, 1, Id::raw(0), 31_250);
            let now = Time(period * PERIOD);
            let verdict = r.look(now, period * PERIOD, EMPTY, |_| None);
            verdict.asks.iter().for_each(|a| r.acknowledged(a, now));
        }
        assert_eq!(r.level(0, 1), 0);
    }

    /// A full queue announces: whoever feeds it is asked, also who sends less than a flow leaves with.
    #[test]
    fn a_full_queue_asks_every_upstream_station() {
        let verdict = |queued: f64| {
            let mut r = relay();
            r.detect = StationDetector::QueueRateDifference(QueueRateDifference {
                queue: [0.0, 1.0],
                difference: 0.16,
                outer: 0.08,
                medium: 0.08,
                rhythm: RHYTHM,
            });
            for (station, bytes) in [(0, 20_000), (1, 60_000)] {
                r.came(Some(station), 1, Id::raw(station), bytes);
                r.left(false, 1, Id::raw(station), bytes);
            }
            let verdict = r.look(Time(PERIOD), PERIOD, [queued; 4], |_| None);
            verdict.asks.iter().map(|a| a.to).collect::<Vec<_>>()
        };
        assert_eq!(verdict(0.8), [0, 1]);
        assert_eq!(verdict(0.2), []);
    }
}
