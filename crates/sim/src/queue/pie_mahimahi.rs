//! Detects: the queueing delay as backlog over a measured departure rate, in whole milliseconds.
//! Tells: drops on arrival, with a probability that a proportional-integral controller moves every
//! 30 ms.
//! Responds: left to the sender's controller.
//! Reference: mahimahi's PIE, an early draft of RFC 8033 read from its source: gains per
//! millisecond, divided by 128, 32 or 16; rates in whole bytes per millisecond.
//! Differences: its clock starts with the run, not with the first packet.

use backwater_transport::part::{Args, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::aqm::{Aqm, Frame, Verdict, Waiting};
use super::pie::{MAX_BURST, REFERENCE};
use super::row::Build;

const PERIOD_MS: u64 = 30;
/// Gains per millisecond.
const ALPHA: f64 = 0.125;
const BETA: f64 = 1.25;
/// Bytes over which the departure rate is measured.
const MEASURE: u64 = 16_384;
/// A full packet with the header of its tunnel device.
pub(super) const PACKET: u64 = 1504;

/// The controller and what it measures.
#[derive(Clone, Debug)]
pub struct PieMahimahi {
    reference_ms: u64,
    max_burst_ms: u64,
    probability: f64,
    burst_ms: u64,
    old_ms: u64,
    delay_ms: u64,
    /// Start of the measurement and bytes since.
    stretch: Option<(u64, u64)>,
    /// Bytes in a millisecond.
    rate: u64,
    updated_ms: u64,
}

/// An instant on mahimahi's clock.
pub(super) fn ms(at: Time) -> u64 {
    at.0 / Span::millis(1).0
}

/// An option that mahimahi counts in milliseconds.
pub(super) fn whole_ms(args: &Args, option: &'static str) -> Result<u64, Refusal> {
    let span = args.span(option);
    if span.0 == 0 || !span.0.is_multiple_of(Span::millis(1).0) {
        return Err(Refusal {
            option,
            what: "mahimahi counts whole milliseconds, at least one".into(),
            fix: "write a time such as \"15 ms\"".into(),
        });
    }
    Ok(ms(Time(span.0)))
}

impl PieMahimahi {
    fn new(reference_ms: u64, max_burst_ms: u64) -> PieMahimahi {
        PieMahimahi {
            reference_ms,
            max_burst_ms,
            probability: 0.0,
            burst_ms: 0,
            old_ms: 0,
            delay_ms: 0,
            stretch: None,
            rate: 0,
            updated_ms: 0,
        }
    }

    fn period(&mut self, backlog: u64) {
        self.old_ms = self.delay_ms;
        self.delay_ms = backlog.checked_div(self.rate).unwrap_or(0);
        let mut decay = !(self.delay_ms == 0 && backlog != 0);
        let (delay, old) = (self.delay_ms as f64, self.old_ms as f64);
        let change = ALPHA * (delay - self.reference_ms as f64) + BETA * (delay - old);
        self.probability += change
            / match self.probability {
                p if p < 0.01 => 128.0,
                p if p < 0.1 => 32.0,
                _ => 16.0,
            };
        if self.probability > 1.0 {
            decay = false;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        if self.delay_ms == 0 && self.old_ms == 0 && decay {
            self.probability *= 0.98;
        }
        self.burst_ms = self.burst_ms.saturating_sub(PERIOD_MS);
        let half = self.reference_ms / 2;
        if self.probability == 0.0 && self.delay_ms < half && self.old_ms < half && self.rate > 0 {
            self.stretch = None;
            self.rate = 0;
            self.burst_ms = self.max_burst_ms;
        }
    }

    fn leave(&mut self, frame: &Frame) {
        let now = ms(frame.now);
        if frame.bytes >= MEASURE && self.stretch.is_none() {
            self.stretch = Some((now, 0));
        }
        let Some((since, left)) = &mut self.stretch else {
            return;
        };
        *left += frame.size;
        let took = now - *since;
        if *left <= MEASURE || took == 0 {
            return;
        }
        let sample = *left / took;
        self.rate = if self.rate == 0 {
            sample
        } else {
            self.rate - self.rate / 8 + sample / 8
        };
        self.stretch = (frame.bytes >= MEASURE).then_some((now, 0));
        self.burst_ms = self.burst_ms.saturating_sub(took);
    }
}

impl Aqm for PieMahimahi {
    fn update(&mut self, now: Time, waiting: &Waiting) {
        while ms(now) - self.updated_ms > PERIOD_MS {
            self.period(waiting.bytes());
            self.updated_ms += PERIOD_MS;
            if waiting.bytes() == 0 && self.probability == 0.0 && self.old_ms == 0 {
                // Nothing moves any more but the burst allowance.
                let missed = (ms(now) - self.updated_ms).saturating_sub(1) / PERIOD_MS;
                self.burst_ms = self.burst_ms.saturating_sub(missed * PERIOD_MS);
                self.updated_ms += missed * PERIOD_MS;
            }
        }
    }

    fn push(&mut self, frame: &Frame, random: &mut Random) -> Verdict {
        let low = self.old_ms < self.reference_ms / 2 && self.probability < 0.2;
        if self.burst_ms > 0 || low || frame.bytes < 2 * PACKET {
            return Verdict::Accept;
        }
        if self.probability > 0.0 && random.unit() <= self.probability {
            return Verdict::Drop;
        }
        Verdict::Accept
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        self.leave(frame);
        Verdict::Accept
    }
}

/// The row.
pub const PART: Part<Build<PieMahimahi>> = Part {
    id: "pie-mahimahi",
    aliases: &[],
    summary: "PIE as mahimahi has it: a 30 ms period, whole milliseconds, other gains, no marks",
    source: "mahimahi, pie_packet_queue.cc",
    options: &[REFERENCE, MAX_BURST],
    build: |args| {
        let (reference, burst) = (whole_ms(args, "reference")?, whole_ms(args, "max_burst")?);
        Ok(PieMahimahi::new(reference, burst).into())
    },
};

#[cfg(test)]
mod tests {
    use backwater_transport::segment::Ecn;

    use super::*;

    /// Delay 25 ms after 20 ms at a reference of 15 ms: 0.125 × 10 + 1.25 × 5 = 7.5, over 32.
    #[test]
    fn a_period_moves_the_probability_by_gains_per_millisecond() {
        let mut pie = PieMahimahi::new(15, 150);
        (pie.probability, pie.delay_ms, pie.rate) = (0.05, 20, 1000);
        pie.period(25_999);
        assert_eq!((pie.delay_ms, pie.old_ms), (25, 20));
        assert!((pie.probability - (0.05 + 7.5 / 32.0)).abs() < 1e-12);
    }

    #[test]
    fn a_queue_that_calms_down_is_allowed_a_burst_and_measures_anew() {
        let mut pie = PieMahimahi::new(15, 100);
        (pie.rate, pie.delay_ms) = (1000, 0);
        pie.period(0);
        assert_eq!((pie.rate, pie.burst_ms), (0, 100));
    }

    /// 12 packets of 1504 bytes a millisecond apart: the eleventh passes 16,384 bytes after 10 ms.
    #[test]
    fn the_rate_is_whole_bytes_in_a_millisecond() {
        let mut pie = PieMahimahi::new(15, 150);
        for n in 0..12 {
            let leaves = Frame {
                now: Time(Span::millis(n).0),
                queue: 0,
                size: 1504,
                ecn: Ecn::NotEct,
                sojourn: Span::ZERO,
                bytes: 30_000,
                packets: 20,
            };
            pie.pop(&leaves);
        }
        assert_eq!(pie.rate, 11 * 1504 / 10);
    }

    #[test]
    fn long_idleness_is_made_up_for() {
        let packets = crate::packet::Packets::default();
        let waiting = Waiting {
            queues: &[crate::queue::ClassQueue::default()],
            packets: &packets,
            sending: 0,
        };
        let (mut once, mut often) = (PieMahimahi::new(15, 150), PieMahimahi::new(15, 150));
        (once.rate, often.rate) = (500, 500);
        for at in (7..100_000).step_by(7) {
            often.update(Time(Span::millis(at).0), &waiting);
        }
        let end = Time(Span::millis(99_995).0);
        often.update(end, &waiting);
        once.update(end, &waiting);
        assert_eq!(format!("{once:?}"), format!("{often:?}"));
        assert!(ms(end) - once.updated_ms <= PERIOD_MS);
    }

    /// The same change, 7.5, over 128, 32 and 16: the divisor steps at a probability of 1 % and of 10 %, which belong to the upper part.
    /// Nothing exceeds 1.
    #[test]
    fn the_divisor_steps_at_one_and_at_ten_percent() {
        for (from, divisor) in [
            (0.0, 128.0),
            (0.0099, 128.0),
            (0.01, 32.0),
            (0.0999, 32.0),
            (0.1, 16.0),
            (0.5, 16.0),
        ] {
            let mut pie = PieMahimahi::new(15, 150);
            (pie.probability, pie.delay_ms, pie.rate) = (from, 20, 1000);
            pie.period(25_000);
            assert!(
                (pie.probability - (from + 7.5 / divisor)).abs() < 1e-12,
                "{from}"
            );
        }
        let mut pie = PieMahimahi::new(15, 150);
        (pie.probability, pie.delay_ms, pie.rate) = (0.9, 20, 1000);
        pie.period(25_000);
        assert_eq!(pie.probability, 1.0);
    }

    /// Without a queue now and a period ago the probability decays by 2 %, beside the controller's 0.125 × 15 over 16; a backlog of less
    /// than a millisecond is no empty queue, and neither is one that was there a period ago.
    #[test]
    fn a_probability_decays_while_the_queue_is_empty() {
        let after = |before_ms: u64, backlog| {
            let mut pie = PieMahimahi::new(15, 150);
            (pie.probability, pie.delay_ms, pie.rate) = (0.5, before_ms, 1000);
            pie.period(backlog);
            pie.probability
        };
        let step = 0.125 * 15.0 / 16.0;
        assert!((after(0, 0) - 0.98 * (0.5 - step)).abs() < 1e-12);
        assert!((after(0, 999) - (0.5 - step)).abs() < 1e-12);
        assert!((after(1, 0) - (0.5 - step - 1.25 / 16.0)).abs() < 1e-12);
    }

    /// A burst is allowed anew when the probability is nought, both delays are below half of the reference, which is 7 ms, and a rate was
    /// measured. Each period takes 30 ms of it.
    #[test]
    fn a_burst_is_allowed_when_all_is_calm() {
        let burst = |probability, old_ms, delay: u64, rate: u64| {
            let mut pie = PieMahimahi::new(15, 150);
            (pie.probability, pie.delay_ms, pie.rate) = (probability, old_ms, rate);
            (pie.burst_ms, pie.stretch) = (70, Some((0, 0)));
            pie.period(delay * rate);
            assert_eq!(pie.stretch.is_none(), pie.burst_ms == 150);
            pie.burst_ms
        };
        assert_eq!(burst(0.0, 6, 6, 1000), 150);
        assert_eq!(burst(0.0, 7, 6, 1000), 40);
        assert_eq!(burst(0.0, 6, 7, 1000), 40);
        assert_eq!(burst(0.5, 6, 6, 1000), 40);
        assert_eq!(burst(0.0, 6, 6, 0), 40);
    }

    fn frame(ms: u64, size: u64, bytes: u64) -> Frame {
        Frame {
            now: Time(Span::millis(ms).0),
            queue: 0,
            size,
            ecn: Ecn::NotEct,
            sojourn: Span::ZERO,
            bytes,
            packets: 20,
        }
    }

    /// A measurement begins with 16,384 B in the queue and ends when more than that has left in at least a millisecond: 16,385 B in 5 ms
    /// are 3277 in one. Later ones weigh an eighth, and take their time from the burst.
    #[test]
    fn a_departure_rate_is_measured_over_sixteen_kilobytes() {
        let mut pie = PieMahimahi::new(15, 150);
        pie.burst_ms = 100;
        pie.leave(&frame(0, 1000, 16_383));
        assert_eq!(pie.stretch, None);
        pie.leave(&frame(1, 16_000, 16_384));
        pie.leave(&frame(2, 384, 20_000));
        assert_eq!((pie.stretch, pie.rate), (Some((1, 16_384)), 0));
        pie.leave(&frame(6, 1, 20_000));
        assert_eq!(
            (pie.stretch, pie.rate, pie.burst_ms),
            (Some((6, 0)), 3277, 95)
        );
        // In no time, and then 20,000 B in 2 ms; the queue is short now.
        pie.leave(&frame(6, 20_000, 20_000));
        assert_eq!(pie.rate, 3277);
        pie.leave(&frame(8, 0, 16_383));
        let rate = 3277 - 3277 / 8 + 10_000 / 8;
        assert_eq!((pie.stretch, pie.rate, pie.burst_ms), (None, rate, 93));
    }

    /// Nobody is dropped in a burst, with less than two packets in the queue, or while a period ago the delay was below half of the reference
    /// and the probability is below 20 %. Else chance decides.
    #[test]
    fn arrivals_are_spared_in_a_burst_and_in_a_calm() {
        let mut random = Random::stream(1, "test", "pie");
        let mut dropped = |probability, burst_ms, old_ms, bytes| {
            let mut pie = PieMahimahi::new(15, 150);
            (pie.probability, pie.burst_ms, pie.old_ms) = (probability, burst_ms, old_ms);
            let push = |_: &u32| pie.push(&frame(0, 1504, bytes), &mut random) == Verdict::Drop;
            (0..1000).filter(push).count()
        };
        assert_eq!(dropped(1.0, 0, 20, 3008), 1000);
        assert_eq!(dropped(1.0, 1, 20, 3008), 0);
        assert_eq!(dropped(1.0, 0, 20, 3007), 0);
        assert_eq!(dropped(1.0, 0, 0, 3008), 1000);
        assert_eq!(dropped(0.0, 0, 20, 3008), 0);
        assert_eq!(dropped(0.19, 0, 6, 3008), 0);
        // 200 of 1000, with a deviation of 12.6.
        for old_ms in [6, 7] {
            let hits = dropped(0.2, 0, old_ms, 3008);
            assert!(hits.abs_diff(200) < 63, "{old_ms}: {hits}");
        }
        let hits = dropped(0.1, 0, 7, 3008);
        assert!(hits.abs_diff(100) < 48, "{hits}");
    }
}
