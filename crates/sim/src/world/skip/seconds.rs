//! What flows have delivered in each second of a stretch. Seconds end at instants of their own, which are no part of a period, and each
//! is noted at the first segment that comes behind its end.

use backwater_transport::units::{Span, Time};
use backwater_transport::walk::Repeat;

use super::super::World;
use crate::ids::FlowId;
use crate::skip::Trial;

/// The deliveries of a period that is repeated.
struct Repeated<'a> {
    /// At the end of the period.
    log: &'a [(Time, FlowId, u64)],
    repeat: Repeat,
}

impl Repeated<'_> {
    /// The first delivery at or behind an instant, in the repetitions: its number in the period, in which of them, and when. None behind
    /// the last.
    fn first_from(&self, from: Time) -> Option<(usize, u64, Time)> {
        let Repeat {
            period,
            began,
            periods,
        } = self.repeat;
        // The repetition in which it lies, unless it lies behind the last delivery there.
        let since = from.0.saturating_sub(began.0);
        let number = (since.saturating_sub(1) / period.0).max(1);
        (number..=periods).take(2).find_map(|number| {
            let way = Span(period.0 * number);
            let at = self.log.partition_point(|one| one.0 + way < from);
            self.log.get(at).map(|one| (at, number, one.0 + way))
        })
    }
}

impl World {
    /// Notes the seconds that end before the last delivery of so many more periods like that of a trial.
    pub(super) fn note_seconds(&mut self, trial: &Trial, repeat: Repeat) {
        let repeated = Repeated {
            log: &trial.log,
            repeat,
        };
        let after = self.ends.delivered();
        let connections = &self.ends.connections;
        let progress = &mut self.ends.progress;
        while let Some((place, number, at)) = repeated.first_from(progress.second_ends()) {
            progress.note(at, |id| {
                let (flow, was) = (connections[id].data, trial.delivered[id.index()]);
                let last = trial.log[..place].iter().rfind(|one| one.1 == flow);
                let by = last.map_or(was, |one| one.2);
                by + (after[id.index()] - was) * number
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Id;

    /// Deliveries at 1005, 1010, 1070 and 1100 of a period of 100 that ends at 1100, and of three more: the first from each instant on, beside a
    /// list of all.
    #[test]
    fn the_first_delivery_from_an_instant_on_is_that_of_all_repetitions() {
        let log: Vec<(Time, FlowId, u64)> = [1005, 1010, 1070, 1100]
            .map(|at| (Time(at), Id::raw(0), 0))
            .to_vec();
        let repeated = Repeated {
            log: &log,
            repeat: Repeat {
                period: Span(100),
                began: Time(1000),
                periods: 3,
            },
        };
        let mut all = Vec::new();
        for number in 1..=3 {
            for (place, one) in log.iter().enumerate() {
                all.push((place, number, Time(one.0.0 + 100 * number)));
            }
        }
        for from in 900..1450 {
            let expected = all.iter().find(|one| one.2.0 >= from).copied();
            assert_eq!(repeated.first_from(Time(from)), expected, "{from}");
        }
        let empty = Repeated {
            log: &[],
            repeat: repeated.repeat,
        };
        assert_eq!(empty.first_from(Time(1150)), None);
    }
}
