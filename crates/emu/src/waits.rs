//! How long a driver looks for packets without sleeping, how early it ends a sleep, and when it takes packets together.
//!
//! Rests: Linux keeps 5 % of each second for other tasks. A task of real-time priority that leaves them less is stopped for up to
//! 50 ms (sched_rt_runtime_us; since 6.8 the server of fair tasks). A rest asks for 25 us, and what it really takes decides how
//! long the driver looks until the next: 16 times as long, so that others get 1/17 = 5.9 %. Rests that ask for 5 us are no rests
//! for Linux 6.18, whatever their share: with a fifth of the time in them it stopped the driver for 40 ms.
//!
//! Wake-ups: a sleep ends later than asked, by what the machine needs to wake. The mean and the mean deviation are estimated as
//! RFC 6298 estimates a round trip, and a sleep is asked to end that much earlier.
//!
//! Thrift: to look and to wake cost CPU time that moves no packet. A driver that saves it gives them an eighth of the time for which
//! it sleeps. Where packets come so often that this is spent it naps, and takes those that came meanwhile together.

use backwater_transport::units::{Span, Time};

/// Looks for this many times as long as it rests.
const LOOKS_PER_REST: u64 = 16;
/// The time that a rest asks for.
const ASKED: Span = Span::micros(25);
/// Longest rest that counts: other tasks of this CPU wait at most 16 times as long.
const COUNTED: Span = Span::micros(125);

/// When a driver of real-time priority rests.
#[derive(Copy, Clone, Debug)]
pub struct Rests {
    /// When the last rest or sleep ended.
    ended: Time,
    /// How long it took.
    took: Span,
}

/// No rest yet, at the start of the clock.
impl Default for Rests {
    fn default() -> Rests {
        Rests {
            ended: Time::ZERO,
            took: ASKED,
        }
    }
}

impl Rests {
    /// When to rest until, if a rest is due now. In the second half of a stretch it is, where it disturbs no packet due at
    /// `next`; at the end of the stretch it is in any case.
    pub fn due(&self, now: Time, next: Time) -> Option<Time> {
        let looked = now.0.saturating_sub(self.ended.0);
        let stretch = self.took.0 * LOOKS_PER_REST;
        let free = next >= now.after(self.took);
        let due = looked >= stretch || (looked >= stretch / 2 && free);
        due.then(|| now.after(ASKED))
    }

    /// A rest or a sleep took this long.
    pub fn took(&mut self, from: Time, to: Time) {
        self.ended = to;
        self.took = Span(to.since(from).0.clamp(ASKED.0, COUNTED.0));
    }
}

/// How much later than asked sleeps end.
#[derive(Copy, Clone, Debug)]
pub struct Lateness {
    mean_ps: u64,
    deviation_ps: u64,
}

/// The first guess.
impl Default for Lateness {
    fn default() -> Lateness {
        Lateness {
            mean_ps: Span::micros(10).0,
            deviation_ps: Span::micros(5).0,
        }
    }
}

impl Lateness {
    /// A sleep until `asked` ended at `now`. One that a packet ended earlier says nothing.
    pub fn ended(&mut self, asked: Time, now: Time) {
        if now < asked {
            return;
        }
        let late = now.since(asked).0;
        let off = late.abs_diff(self.mean_ps);
        self.deviation_ps = (3 * self.deviation_ps + off) / 4;
        self.mean_ps = (7 * self.mean_ps + late) / 8;
    }

    /// How much earlier a sleep is asked to end, at most `most`.
    pub fn allowance(&self, most: Span) -> Span {
        Span((self.mean_ps + 2 * self.deviation_ps).min(most.0))
    }
}

/// For so much sleep it may look and wake for one part.
const PARTS: u64 = 8;
/// The time that may be saved for later, or owed.
const SAVED: Span = Span::micros(250);
/// The cost of a wake-up: a timer is set, the thread leaves the CPU and comes back.
const WAKE: Span = Span::micros(4);
/// How long a nap asks for: packets wait so long at most, and 20 of 200,000 a second are taken together.
const NAP: Span = Span::micros(100);

/// The time that a driver may still spend with looking and waking; below zero it has spent too much.
#[derive(Copy, Clone, Debug)]
pub struct Thrift {
    left_ps: i64,
    at: Time,
}

/// All that can be saved.
impl Default for Thrift {
    fn default() -> Thrift {
        Thrift {
            left_ps: SAVED.0 as i64,
            at: Time::ZERO,
        }
    }
}

impl Thrift {
    /// It is `now`. `busy` is when a packet came or went last: without one since the last call it has looked.
    pub fn awake(&mut self, now: Time, busy: Time) {
        let looked = match busy < self.at {
            true => now.since(self.at),
            false => Span::ZERO,
        };
        self.pass(now, Span::ZERO, looked);
    }

    /// It has slept until `now`, and a packet or a timer woke it.
    pub fn slept(&mut self, now: Time) {
        self.pass(now, now.since(self.at), WAKE);
    }

    /// It has napped until `now`, or rested.
    pub fn napped(&mut self, now: Time) {
        self.pass(now, now.since(self.at), Span::ZERO);
    }

    fn pass(&mut self, now: Time, slept: Span, cost: Span) {
        let (earned, most) = (slept.0 / PARTS, SAVED.0 as i64);
        self.at = now;
        let left_ps = self.left_ps + earned as i64 - cost.0 as i64;
        self.left_ps = left_ps.clamp(-most, most);
    }

    /// When to nap until, where the time is spent.
    pub fn nap(&self) -> Option<Time> {
        (self.left_ps <= 0).then(|| self.at.after(NAP))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAKE: Span = Span::micros(60);

    fn at(us: u64) -> Time {
        Time::ZERO.after(Span::micros(us))
    }

    /// A driver that looks once each microsecond. Gives the time that it left to others in a second, and its longest look.
    fn a_second(next: impl Fn(Time) -> Time) -> (Span, Span) {
        let (mut rests, mut now) = (Rests::default(), Time::ZERO);
        let (mut left, mut longest, mut woke) = (0, 0, now);
        while now < at(1_000_000) {
            now = now.after(Span::micros(1));
            longest = longest.max(now.since(woke).0);
            if let Some(until) = rests.due(now, next(now)) {
                let ended = until.after(Span::micros(40));
                rests.took(now, ended);
                left += ended.since(now).0;
                (now, woke) = (ended, ended);
            }
        }
        (Span(left), Span(longest))
    }

    #[test]
    fn others_get_more_than_the_share_that_linux_keeps_for_them() {
        for next in [|now: Time| now, |_: Time| Time::NEVER] {
            let (left, longest) = a_second(next);
            assert!(left > Span::millis(50), "{left:?}");
            assert!(longest < Span::micros(1_100), "{longest:?}");
        }
    }

    #[test]
    fn a_rest_lets_a_packet_pass_that_is_due_during_it() {
        let mut rests = Rests::default();
        rests.took(at(0), at(65));
        let half = at(65 + 8 * 65);
        assert_eq!(rests.due(half, half.after(Span::micros(64))), None);
        assert_eq!(
            rests.due(half, half.after(Span::micros(65))),
            Some(half.after(ASKED))
        );
        let end = at(65 + 16 * 65);
        assert_eq!(rests.due(end, end), Some(end.after(ASKED)));
    }

    #[test]
    fn a_sleep_ends_earlier_by_what_wake_ups_take() {
        let mut lateness = Lateness::default();
        for n in 0..100 {
            let asked = at(1000 * n);
            lateness.ended(asked, asked.after(WAKE));
            lateness.ended(asked, Time(asked.0.saturating_sub(1)));
        }
        let allowance = lateness.allowance(Span::micros(150));
        assert!(allowance >= Span(WAKE.0 - 100_000), "{allowance:?}");
        assert!(allowance < Span::micros(62), "{allowance:?}");
        assert_eq!(lateness.allowance(Span::micros(20)), Span::micros(20));
    }

    /// The share of a second that a driver looks or wakes, and whether it naps, where a packet comes after each `gap` and it wakes
    /// for it and looks for `looks`.
    fn spent(gap: Span, looks: Span) -> (f64, bool) {
        let (mut thrift, mut now) = (Thrift::default(), Time::ZERO);
        let (mut awake, mut naps) = (0, false);
        while now < at(1_000_000) {
            if let Some(until) = thrift.nap() {
                (naps, now) = (true, until);
                thrift.napped(now);
                continue;
            }
            let busy = now;
            thrift.awake(now, busy);
            now = now.after(Span::micros(1));
            thrift.awake(now, busy);
            now = now.after(looks);
            thrift.awake(now, busy);
            now = now.after(gap);
            thrift.slept(now);
            awake += looks.0 + super::WAKE.0;
        }
        (awake as f64 / now.0 as f64, naps)
    }

    #[test]
    fn a_driver_that_saves_cpu_naps_where_packets_come_often() {
        let (share, naps) = spent(Span::millis(1), Span::micros(50));
        assert!(!naps && share > 0.04, "{share}");
        for gap in [1, 5, 20, 100] {
            let (share, naps) = spent(Span::micros(gap), Span::micros(20));
            assert!(naps && share < 0.125, "{gap}: {share}");
        }
    }
}
