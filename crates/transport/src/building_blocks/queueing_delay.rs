//! Base delay from minima of past minutes and current delay from a short filter, for LEDBAT,
//! LEDBAT++ and SCReAM (RFC 6817 section 2.4.2).

use std::collections::VecDeque;

use crate::controller_interface::Inspect;
use crate::part::{Args, Default, Kind, Opt};
use crate::units::{Span, Time};

/// The filter of the current delay.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum DelayFilter {
    /// Least of the last samples.
    Min,
    /// Moving average with the weight of as many samples.
    Ewma,
    /// The last sample.
    None,
}

impl DelayFilter {
    /// Names of the filters, for an option.
    pub const NAMES: &'static [&'static str] = &["min", "ewma", "none"];

    /// The filter with this name.
    pub fn from_name(name: &str) -> DelayFilter {
        match name {
            "ewma" => DelayFilter::Ewma,
            "none" => DelayFilter::None,
            _ => DelayFilter::Min,
        }
    }
}

/// Delays of one flow.
#[derive(Clone, Debug)]
pub struct QueueingDelay {
    minute: Span,
    minutes: usize,
    filter: DelayFilter,
    length: usize,
    /// Minima by minute, the current one last, and its begin.
    base: VecDeque<Span>,
    began: Time,
    last: VecDeque<Span>,
    average: f64,
}

impl QueueingDelay {
    /// Minima of `minutes` intervals of length `minute`; a filter over `length` samples.
    pub fn new(minute: Span, minutes: u64, filter: DelayFilter, length: u64) -> QueueingDelay {
        QueueingDelay {
            minute,
            minutes: minutes as usize,
            filter,
            length: length as usize,
            base: VecDeque::new(),
            began: Time::ZERO,
            last: VecDeque::new(),
            average: 0.0,
        }
    }

    /// Takes a sample.
    pub fn update(&mut self, now: Time, delay: Span) {
        match self.base.back_mut() {
            Some(least) if now < self.began.after(self.minute) => *least = (*least).min(delay),
            _ => {
                self.base.push_back(delay);
                self.began = now;
                if self.base.len() > self.minutes {
                    self.base.pop_front();
                }
            }
        }
        self.average = match self.last.is_empty() {
            true => delay.seconds(),
            false => self.average + (delay.seconds() - self.average) / self.length as f64,
        };
        self.last.push_back(delay);
        if self.last.len() > self.length {
            self.last.pop_front();
        }
    }

    /// Forgets all delays, because the path has changed.
    pub fn forget(&mut self) {
        self.base.clear();
        self.last.clear();
    }

    /// Least delay of all the minutes, in seconds.
    pub fn base(&self) -> Option<f64> {
        self.base.iter().min().map(|d| d.seconds())
    }

    /// Queueing delay in seconds: the filtered delay minus the base delay.
    pub fn queueing(&self) -> Option<f64> {
        let base = self.base()?;
        let now = match self.filter {
            DelayFilter::Min => self.last.iter().min()?.seconds(),
            DelayFilter::Ewma => self.average,
            DelayFilter::None => self.last.back()?.seconds(),
        };
        Some((now - base).max(0.0))
    }

    /// Values to show: the delays, then `own`.
    pub fn shown<const N: usize>(&self, own: [(&'static str, f64); N]) -> [(&'static str, f64); 4] {
        let mut values = Inspect::values([
            ("queueing_s", self.queueing().unwrap_or(0.0)),
            ("base_s", self.base().unwrap_or(0.0)),
        ]);
        values[2..2 + N].copy_from_slice(&own);
        values
    }
}

/// Length of the intervals whose minima give the base delay.
pub const MINUTE: Opt = Opt::new(
    "minute",
    Kind::Span,
    Default::Is("60 s"),
    "length of the stretches whose minima are kept",
)
.at_least("1 s")
.at_most("3600 s");

/// Number of these intervals.
pub const HISTORY: Opt = Opt::new(
    "history",
    Kind::Count,
    Default::Is("10"),
    "stretches kept for the base delay (BASE_HISTORY)",
)
.at_least("1")
.at_most("100");

/// Filter of the present delay.
pub const FILTER: Opt = Opt::new(
    "filter",
    Kind::Choice(DelayFilter::NAMES),
    Default::Is("min"),
    "how the present delay is filtered",
);

/// Its length.
pub const SAMPLES: Opt = Opt::new(
    "samples",
    Kind::Count,
    Default::Is("4"),
    "samples in the filter (CURRENT_FILTER)",
)
.at_least("1")
.at_most("1000");

/// Delays with the four options above.
pub fn from_options(args: &Args) -> QueueingDelay {
    QueueingDelay::new(
        args.span("minute"),
        args.count("history"),
        DelayFilter::from_name(args.choice("filter")),
        args.count("samples"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The base delay is the least of two stretches of a minute. 10 ms in the first is forgotten when the third begins.
    #[test]
    fn the_base_delay_is_that_of_the_stretches_that_are_kept() {
        let mut delay = QueueingDelay::new(Span::secs(60), 2, DelayFilter::None, 1);
        let mut queueing = |seconds, ms| {
            delay.update(Time::ZERO + Span::secs(seconds), Span::millis(ms));
            delay.queueing().map(|s| libm::round(s * 1e3))
        };
        assert_eq!(queueing(1, 10), Some(0.0));
        assert_eq!(queueing(62, 30), Some(20.0));
        assert_eq!(queueing(120, 25), Some(15.0));
        assert_eq!(queueing(123, 30), Some(5.0));
    }

    /// Nothing of the path before counts: not its base, and not its mean.
    #[test]
    fn what_is_forgotten_counts_no_more() {
        for filter in [DelayFilter::Ewma, DelayFilter::Min, DelayFilter::None] {
            let mut delay = QueueingDelay::new(Span::secs(60), 10, filter, 2);
            for ms in [10, 200, 200] {
                delay.update(Time::ZERO, Span::millis(ms));
            }
            delay.forget();
            assert_eq!((delay.base(), delay.queueing()), (None, None));
            delay.update(Time::ZERO, Span::millis(30));
            assert_eq!(delay.base(), Some(0.03), "{filter:?}");
            assert_eq!(delay.queueing(), Some(0.0), "{filter:?}");
        }
    }
}
