//! When flows began to share evenly. They have converged at the first second from which on, for a
//! while, none is far from the mean of all (RFC 5166 section 2.2: convergence times to within epsilon
//! of the fair share). Told as the run goes, from what each had delivered a second ago, so that a long
//! run remembers no more than a short one.

use backwater_transport::units::{Span, Time};

use crate::ids::ConnectionId;
use crate::steadiness::Steadiness;

/// Between two looks: a second, as RFC 5166 section 2.3 has the longer of its scales.
const EVERY: Span = Span::millis(1000);
/// Share of the mean that a flow may be off.
const OFF: f64 = 0.2;
/// Seconds for which that must hold.
const WHILE: u64 = 5;

/// The flows that should come to share evenly: those that send without end.
#[derive(Clone, Debug)]
pub struct Progress {
    /// When the second ends; `NEVER` where there are not two flows.
    next: Time,
    /// Their bytes delivered by the end of the last one.
    flows: Vec<(ConnectionId, u64)>,
    /// Number of the second.
    second: u64,
    /// Number of the first in which all have begun.
    began: u64,
    /// Seconds since then for which they have shared evenly.
    even: u64,
    converged: Option<u64>,
    /// First second after the warm-up.
    measured: u64,
    steadiness: Steadiness,
}

impl Default for Progress {
    fn default() -> Self {
        Progress {
            next: Time::NEVER,
            flows: Vec::new(),
            second: 0,
            began: 0,
            even: 0,
            converged: None,
            measured: 0,
            steadiness: Steadiness::default(),
        }
    }
}

impl Progress {
    /// Figures of evenness and steadiness leave the warm-up out, convergence does not.
    pub fn warm_up(&mut self, until: Time) {
        self.measured = until.0.div_ceil(EVERY.0);
    }

    /// One more flow, which begins so long after the run. There is something to tell from the second on.
    pub fn follow(&mut self, id: ConnectionId, start: Span) {
        self.flows.push((id, 0));
        self.began = self.began.max(start.0.div_ceil(EVERY.0));
        if self.flows.len() > 1 {
            self.next = Time::ZERO.after(EVERY);
        }
    }

    /// Whether figures of sharing reckon with a flow to the end of the run.
    pub fn reckons_with(&self, id: ConnectionId) -> bool {
        self.next < Time::NEVER && self.flows.iter().any(|flow| flow.0 == id)
    }

    /// When the present second ends; `NEVER` where nothing is told.
    pub fn second_ends(&self) -> Time {
        self.next
    }

    /// Whether a second is over.
    #[inline]
    pub fn due(&self, now: Time) -> bool {
        self.next <= now
    }

    /// Seconds are over, and up to now `delivered` bytes of each flow had been delivered.
    #[cold]
    pub fn note(&mut self, now: Time, delivered: impl Fn(ConnectionId) -> u64) {
        while self.due(now) {
            let news = self.flows.iter_mut().map(|(id, before)| {
                let by = delivered(*id);
                by - std::mem::replace(before, by)
            });
            let news: Vec<u64> = news.collect();
            let (second, begun) = (self.second, self.second >= self.began);
            self.steadiness
                .note(second, &news, begun, second >= self.measured);
            self.even = if even(&news) && begun {
                self.even + 1
            } else {
                0
            };
            self.second += 1;
            self.next = self.next.after(EVERY);
            if self.even == WHILE && self.converged.is_none() {
                self.converged = Some(self.second - WHILE - self.began);
            }
        }
    }

    /// Seconds from the beginning of the last flow until all had converged; none if they have not, or there
    /// are not two.
    pub fn converged(&self) -> Option<u64> {
        self.converged
    }

    /// How evenly and steadily they shared.
    pub fn steadiness(&self) -> &Steadiness {
        &self.steadiness
    }
}

fn even(news: &[u64]) -> bool {
    let mean = news.iter().sum::<u64>() as f64 / news.len() as f64;
    mean > 0.0 && news.iter().all(|n| (*n as f64 - mean).abs() <= OFF * mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    /// Flows that begin at these seconds and deliver so much in each.
    fn run(flows: &[(u64, &[u64])]) -> Progress {
        let mut progress = Progress::default();
        for (i, (start, _)) in flows.iter().enumerate() {
            progress.follow(Id::new(i), Span::secs(*start));
        }
        for second in 1..=flows[0].1.len() {
            let now = Time::ZERO.after(Span::secs(second as u64));
            progress.note(now, |id| flows[id.index()].1[..second].iter().sum());
        }
        progress
    }

    #[test]
    fn flows_have_converged_when_none_is_far_from_the_mean_for_five_seconds() {
        let old = [100, 100, 90, 70, 70, 40, 45, 50, 52, 58, 50];
        let new = [0, 0, 10, 30, 30, 60, 55, 50, 48, 42, 50];
        // Second 5 has 40 and 60, a fifth off; second 4 has more.
        let converged = run(&[(0, &old), (2, &new)]).converged();
        assert_eq!(converged, Some(5 - 2));
        assert_eq!(run(&[(0, &old[..9]), (2, &new[..9])]).converged(), None);
        assert_eq!(run(&[(0, &[50; 20])]).converged(), None);
    }

    #[test]
    fn seconds_before_the_last_has_begun_do_not_count() {
        let even: &[u64] = &[10; 9];
        assert_eq!(run(&[(0, even), (0, even)]).converged(), Some(0));
        assert_eq!(run(&[(0, even), (4, even)]).converged(), Some(0));
        assert_eq!(run(&[(0, even), (5, even)]).converged(), None);
    }

    #[test]
    fn silence_is_not_sharing() {
        assert_eq!(run(&[(0, &[0; 9]), (0, &[0; 9])]).converged(), None);
    }

    /// Seconds that pass without a look were silent but for the first.
    #[test]
    fn a_look_makes_up_for_the_seconds_before_it() {
        let mut progress = Progress::default();
        progress.follow(Id::new(0), Span::ZERO);
        progress.follow(Id::new(1), Span::ZERO);
        let at = |s| Time::ZERO.after(Span::secs(s));
        progress.note(at(2), |_| 100);
        (3..8).for_each(|s| progress.note(at(s), |_| 100 * s));
        assert_eq!(progress.converged(), Some(2));
    }

    #[test]
    fn a_long_run_remembers_no_more_than_a_short_one() {
        // Never even.
        let at = |s| Time::ZERO.after(Span::secs(s));
        let mut progress = Progress::default();
        (0..3).for_each(|i| progress.follow(Id::new(i), Span::ZERO));
        progress.note(at(1), |id| id.index() as u64);
        let short = progress.flows.capacity();
        (2..100_000).for_each(|s| progress.note(at(s), |id| s * id.index() as u64));
        assert_eq!(
            (progress.flows.capacity(), progress.converged()),
            (short, None)
        );
    }
}
