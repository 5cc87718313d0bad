//! Detects: the longer of the two heads' waiting times, against a target and against itself a period
//! ago; in the low-latency queue the waiting time of each frame too.
//! Tells: classic packets by the square of the controller's probability, dropped or marked; those
//! of the low-latency service by k times the probability, or by a ramp over their own waiting time,
//! marked.
//! Responds: left to the sender's controller; the square makes classic and scalable flows share.
//! Reference: RFC 9332 appendix A; scheduler: weighted, with credit, as Linux's sch_dualpi2.
//! Differences: the port's buffer limits both queues together, by frames that would fit rather than
//! by a largest one; `step` in place of the ramp is Linux's.

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Span, Time};

use super::aqm::{Aqm, Frame, Parties, Verdict, Waiting};
use super::row::{Build, ClassQueue, Made, Room};
use crate::knob::Knob;
use crate::limit::Limit;

/// Numbers of the two queues.
const CLASSIC: usize = 0;
const LOW_LATENCY: usize = 1;

/// The controller, both queues' counters and the scheduler's credit.
#[derive(Clone, Debug)]
pub struct DualPi2 {
    target: f64,
    period: Span,
    /// Gains per second.
    alpha: f64,
    beta: f64,
    coupling: f64,
    /// Largest probability of marking a classic packet; from there it is dropped.
    classic_max: f64,
    ramp_from: f64,
    ramp_over: f64,
    /// Frames behind which alone the ramp holds.
    ramp_length: u64,
    /// The classic queue's share in a hundred.
    share: i64,
    base: f64,
    previous: f64,
    due: Time,
    /// The sums of the probabilities, for each queue.
    counts: [f64; 2],
    credit: i64,
    /// Whether both queues held frames at the last choice.
    contended: bool,
}

impl DualPi2 {
    /// A period is over; the longer waiting time now, in seconds.
    fn period(&mut self, delay: f64) {
        let change = self.alpha * (delay - self.target) + self.beta * (delay - self.previous);
        self.base = (self.base + change).clamp(0.0, 1.0);
        self.previous = delay;
    }

    /// Coupled probability for the low-latency queue; overload from 1.
    fn coupled(&self) -> f64 {
        self.coupling * self.base
    }

    /// Probability for the classic queue.
    fn classic(&self) -> f64 {
        self.base * self.base
    }

    /// Of every 1/p frames one, evenly.
    fn is_next_of_share(&mut self, queue: usize, p: f64) -> bool {
        let count = &mut self.counts[queue];
        *count += p;
        if *count > 1.0 {
            *count -= 1.0;
            return true;
        }
        false
    }

    /// Probability by the frame's own waiting time.
    fn native(&self, frame: &Frame) -> f64 {
        if frame.packets < self.ramp_length {
            return 0.0;
        }
        let over = frame.sojourn.seconds() - self.ramp_from;
        if over >= self.ramp_over {
            1.0
        } else {
            (over / self.ramp_over).max(0.0)
        }
    }

    fn judge_low_latency(&mut self, frame: &Frame) -> Verdict {
        let coupled = self.coupled();
        if coupled < 1.0 {
            let p = self.native(frame).max(coupled);
            return match self.is_next_of_share(LOW_LATENCY, p) {
                true => Verdict::Mark,
                false => Verdict::Accept,
            };
        }
        if self.is_next_of_share(LOW_LATENCY, self.classic()) {
            return Verdict::Drop;
        }
        match self.is_next_of_share(LOW_LATENCY, 1.0) {
            true => Verdict::Mark,
            false => Verdict::Accept,
        }
    }

    fn judge_classic(&mut self, frame: &Frame) -> Verdict {
        let p = self.classic();
        if !self.is_next_of_share(CLASSIC, p) {
            return Verdict::Accept;
        }
        frame.punish(p < self.classic_max)
    }
}

impl Aqm for DualPi2 {
    fn knob(&mut self) -> Option<Knob<'_>> {
        Some(Knob::target_s("target", &mut self.target))
    }

    fn queues(&self) -> usize {
        2
    }

    fn classify(&mut self, packet: &Parties) -> usize {
        match packet.ecn {
            Ecn::Ect1 | Ecn::Ce => LOW_LATENCY,
            Ecn::NotEct | Ecn::Ect0 => CLASSIC,
        }
    }

    fn update(&mut self, now: Time, waiting: &Waiting) {
        while self.due <= now {
            let sojourn = |queue| waiting.sojourn(queue, self.due).seconds();
            let delay = sojourn(CLASSIC).max(sojourn(LOW_LATENCY));
            let before = (self.base, self.previous);
            self.period(delay);
            self.due += self.period;
            // Further periods of an idle port change nothing.
            let settled = self.base == 0.0 || before == (self.base, delay);
            if settled && delay == 0.0 && self.due <= now {
                let idle = |queue: &ClassQueue| queue.list.is_empty();
                if waiting.queues.iter().all(idle) {
                    let missed = now.since(self.due).0 / self.period.0;
                    self.due += self.period.times(missed);
                }
            }
        }
    }

    fn choose(&mut self, queues: &[ClassQueue]) -> usize {
        let waits = |queue: usize| !queues[queue].list.is_empty();
        self.contended = waits(CLASSIC) && waits(LOW_LATENCY);
        if waits(LOW_LATENCY) && (!waits(CLASSIC) || self.credit <= 0) {
            LOW_LATENCY
        } else {
            CLASSIC
        }
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        let verdict = match frame.queue {
            LOW_LATENCY => self.judge_low_latency(frame),
            _ => self.judge_classic(frame),
        };
        if verdict != Verdict::Drop && self.contended {
            let size = frame.size as i64;
            self.credit += match frame.queue {
                LOW_LATENCY => self.share * size,
                _ => (self.share - 100) * size,
            };
        }
        verdict
    }

    fn emptied(&mut self, _now: Time) {
        self.credit = (2 * self.share - 100) * MTU;
    }
}

/// Bytes of a largest frame, for the scheduler's first credit.
const MTU: i64 = 1518;

/// The row.
pub const PART: Part<Build<DualPi2>> = Part {
    id: "dualpi2",
    aliases: &[],
    summary: "DualPI2: a queue for low-latency (L4S) and one for classic packets, coupled by PI²",
    source: "RFC 9332 appendix A",
    options: &[
        Opt::new(
            "target",
            Kind::Span,
            Default::Is("15 ms"),
            "queueing delay of classic packets that is aimed at",
        )
        .at_least("1 us")
        .at_most("100 s"),
        Opt::new(
            "rtt_max",
            Kind::Span,
            Default::Is("100 ms"),
            "largest round trip: with `target` and `period` it gives the gains",
        )
        .at_least("1 ms")
        .at_most("100 s"),
        Opt::new(
            "period",
            Kind::Span,
            Default::Absent,
            "time between changes of the probability; the smaller of `target` and a third of `rtt_max` where it is left out",
        )
        .at_least("100 us")
        .at_most("10 s"),
        Opt::new(
            "alpha",
            Kind::Number,
            Default::Absent,
            "integral gain per second; 0.1 × period ÷ rtt_max² where it is left out",
        )
        .at_least("0"),
        Opt::new(
            "beta",
            Kind::Number,
            Default::Absent,
            "proportional gain per second; 0.3 ÷ rtt_max where it is left out",
        )
        .at_least("0"),
        Opt::new(
            "coupling",
            Kind::Number,
            Default::Is("2"),
            "factor k between the two probabilities",
        )
        .at_least("1")
        .at_most("100"),
        Opt::new(
            "ramp_from",
            Kind::Span,
            Default::Is("800 us"),
            "waiting time of a low-latency frame from which it may be marked",
        )
        .at_most("100 s"),
        Opt::new(
            "ramp_over",
            Kind::Span,
            Default::Is("400 us"),
            "further waiting time until it is marked for certain; 0 s is a step",
        )
        .at_most("100 s"),
        Opt::new(
            "ramp_length",
            Kind::Count,
            Default::Is("1"),
            "frames that must wait behind it for that",
        ),
        Opt::new(
            "classic_share",
            Kind::Share,
            Default::Is("10 %"),
            "share of the line that classic packets get for certain, in whole percent",
        )
        .at_least("1 %")
        .at_most("99 %"),
    ],
    build: |args| {
        let (target, rtt) = (args.span("target"), args.span("rtt_max"));
        let period = if args.has("period") {
            args.span("period")
        } else {
            target.min(Span(rtt.0 / 3))
        };
        let gain = |name: &str, otherwise: f64| {
            if args.has(name) {
                args.number(name)
            } else {
                otherwise
            }
        };
        let share = args.share("classic_share") * 100.0;
        if (share - libm::round(share)).abs() > 1e-9 {
            return Err(Refusal {
                option: "classic_share",
                what: "the share is not a whole number of percent".into(),
                fix: "write a share such as \"10 %\"".into(),
            });
        }
        let coupling = args.number("coupling");
        let mut dual = DualPi2 {
            target: target.seconds(),
            period,
            alpha: gain("alpha", 0.1 * period.seconds() / (rtt.seconds() * rtt.seconds())),
            beta: gain("beta", 0.3 / rtt.seconds()),
            coupling,
            classic_max: (1.0 / (coupling * coupling)).min(1.0),
            ramp_from: args.span("ramp_from").seconds(),
            ramp_over: args.span("ramp_over").seconds(),
            ramp_length: args.count("ramp_length"),
            share: libm::round(share) as i64,
            base: 0.0,
            previous: 0.0,
            due: Time::ZERO + period,
            counts: [0.0; 2],
            credit: 0,
            contended: false,
        };
        dual.emptied(Time::ZERO);
        Ok(Made {
            room: Room::Default(Limit::Packets(10_000)),
            ..dual.into()
        })
    },
};

#[cfg(test)]
mod test_edges;
#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Packet, Packets};

    fn dual(alpha: f64, beta: f64) -> DualPi2 {
        DualPi2 {
            target: 0.015,
            period: Span::millis(15),
            alpha,
            beta,
            coupling: 2.0,
            classic_max: 0.25,
            ramp_from: 800e-6,
            ramp_over: 400e-6,
            ramp_length: 1,
            share: 10,
            base: 0.05,
            previous: 0.020,
            due: Time(Span::millis(15).0),
            counts: [0.0; 2],
            credit: 0,
            contended: false,
        }
    }

    fn frame(queue: usize, ecn: Ecn, sojourn: Span) -> Frame {
        Frame {
            now: Time::ZERO,
            queue,
            size: 1518,
            ecn,
            sojourn,
            bytes: 15_180,
            packets: 10,
        }
    }

    /// Base 0.05, delay 25 ms after 20 ms, target 15 ms: with the RFC's gains (0.15, 3) and with
    /// Linux's (41/256, 819/256).
    #[test]
    fn a_period_moves_both_probabilities_as_published() {
        for (alpha, beta, base, coupled, classic) in [
            (0.15, 3.0, 0.0665, 0.133, 0.004_422_25),
            (
                41.0 / 256.0,
                819.0 / 256.0,
                0.067_597_656_25,
                0.135_195_312_5,
                0.004_569_443_13,
            ),
        ] {
            let mut d = dual(alpha, beta);
            d.period(0.025);
            for (got, expected) in [
                (d.base, base),
                (d.coupled(), coupled),
                (d.classic(), classic),
            ] {
                assert!((got / expected - 1.0).abs() < 1e-9, "{got} {expected}");
            }
        }
    }

    #[test]
    fn a_low_latency_frame_is_marked_by_the_ramp_over_its_own_waiting_time() {
        for (us, share) in [
            (800, 0.0),
            (900, 0.25),
            (1000, 0.5),
            (1200, 1.0),
            (5000, 1.0),
        ] {
            let mut d = dual(0.15, 3.0);
            d.base = 0.0;
            let judged = frame(LOW_LATENCY, Ecn::Ect1, Span::micros(us));
            let marks = (0..1000).filter(|_| d.pop(&judged) == Verdict::Mark);
            let marks = marks.count() as f64;
            assert!((marks - share * 1000.0).abs() <= 1.0, "{us} us: {marks}");
        }
        // A frame that nobody waits behind is spared.
        let mut d = dual(0.15, 3.0);
        d.base = 0.0;
        let alone = Frame {
            packets: 0,
            ..frame(LOW_LATENCY, Ecn::Ect1, Span::millis(5))
        };
        assert!((0..10).all(|_| d.pop(&alone) == Verdict::Accept));
    }

    /// p_C = p'², p_CL = 2 p': of 10,000 frames each, at p' = 0.1, 100 and 2,000.
    #[test]
    fn classic_packets_are_told_by_the_square() {
        let mut d = dual(0.15, 3.0);
        d.base = 0.1;
        let mut count = |queue, ecn, verdict| {
            let judged = frame(queue, ecn, Span::ZERO);
            (0..10_000).filter(|_| d.pop(&judged) == verdict).count()
        };
        assert!(count(LOW_LATENCY, Ecn::Ect1, Verdict::Mark).abs_diff(2_000) <= 1);
        assert!(count(CLASSIC, Ecn::Ect0, Verdict::Mark).abs_diff(100) <= 1);
        assert!(count(CLASSIC, Ecn::NotEct, Verdict::Drop).abs_diff(100) <= 1);
    }

    /// p' = 0.6: p_CL is above 1, so both queues drop by p_C = 0.36, whatever the codepoint.
    #[test]
    fn overload_drops_in_both_queues() {
        let mut d = dual(0.15, 3.0);
        d.base = 0.6;
        for (queue, ecn) in [(LOW_LATENCY, Ecn::Ect1), (CLASSIC, Ecn::Ect0)] {
            let judged = frame(queue, ecn, Span::ZERO);
            let drops = (0..10_000).filter(|_| d.pop(&judged) == Verdict::Drop);
            let drops = drops.count();
            assert!(drops.abs_diff(3_600) <= 1, "{drops}");
        }
    }

    /// RFC 9332, section 4.1: of the bytes sent while both queues wait, the classic one gets `classic_share`, 10 % here.
    #[test]
    fn the_classic_queue_gets_its_share_while_both_wait() {
        let mut d = dual(0.15, 3.0);
        d.base = 0.0;
        let mut packets = Packets::default();
        let mut queues = [ClassQueue::default(), ClassQueue::default()];
        for queue in &mut queues {
            let id = packets.create(Packet::example(Time::ZERO));
            packets.append(&mut queue.list, id);
        }
        let mut classic = 0u32;
        for _ in 0..1000 {
            let queue = d.choose(&queues);
            classic += u32::from(queue == CLASSIC);
            d.pop(&frame(queue, Ecn::Ect1, Span::ZERO));
        }
        assert!(classic.abs_diff(100) <= 1, "{classic}");
    }

    /// RFC 9332 figure 6: the base follows the longer of the two waits. 30 ms after 20 ms with a target of 15 ms:
    /// 0.05 + 0.15 × 0.015 + 3 × 0.010, whichever queue waits so long.
    #[test]
    fn the_longer_wait_of_the_two_queues_counts() {
        let ms = |n: u64| Time(Span::millis(n).0);
        for waits in [[30, 0], [0, 30], [30, 10], [10, 30]] {
            let mut packets = Packets::default();
            let mut queues = vec![ClassQueue::default(); 2];
            for (queue, wait) in queues.iter_mut().zip(waits) {
                if wait == 0 {
                    continue;
                }
                let id = packets.create(Packet::example(ms(45 - wait)));
                packets.append(&mut queue.list, id);
            }
            let mut d = dual(0.15, 3.0);
            d.due = ms(45);
            let waiting = Waiting {
                queues: &queues,
                packets: &packets,
                sending: 0,
            };
            d.update(ms(45), &waiting);
            assert!((d.base - 0.082_25).abs() < 1e-12, "{waits:?}: {}", d.base);
            assert_eq!(d.due, ms(60));
        }
    }
}
