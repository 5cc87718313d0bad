//! Detects: a class queue of Q bytes above a set point Qeq, or growing. Of the bytes that come each S bytes are a sample.
//! Tells: at a sample Fb = −((Q − Qeq) + w (Q − Qold)), where Qold is Q at the sample before. Where Fb < 0 the source of the frame gets a
//! notice with n = 63 (−Fb) / (Qeq (2w + 1)), rounded down, at most 63, if n > 0. The more congested the queue, the sooner the next sample.
//! Responds: left to the sender's controller (`qcn`).
//! Reference: IEEE 802.1Qau, congestion point; constants from its MIB (IEEE8021-CN-MIB: cpQueueSizeSetPoint, cpFeedbackWeight,
//! cpMinSampleBase), and the table of S by n >> 3 and its jitter as in a public queueing discipline of Linux.
//! Differences: a frame of a flow whose controller receives no notices is a sample, too, but its source is not told. Nothing is
//! lost or marked before the buffer is full. A port of the source itself tells it nothing.

use backwater_transport::part::{Default, Kind, Opt, Part};
use backwater_transport::random::Random;
use backwater_transport::units::Rate;

use super::aqm::{Aqm, Frame, Verdict};
use super::row::{Build, CLASSES, Made};

/// The greatest feedback.
const MOST: u64 = 63;
/// Bytes between samples by n >> 3, in parts of `WHOLE`.
const GAPS: [u64; 8] = [3000, 1500, 1000, 750, 600, 500, 430, 370];
const WHOLE: u64 = 3000;

/// What a class queue has had since the last sample.
#[derive(Copy, Clone, Debug, Default)]
struct Point {
    /// Bytes still to come before the next one.
    left: i64,
    /// Q at the last one.
    old: u64,
}

/// The constants and the queues.
#[derive(Clone, Debug)]
pub struct Qcn {
    target: u64,
    weight: f64,
    sample: u64,
    jitter: f64,
    points: Vec<Point>,
    /// Its stream, once it is at a port.
    random: Option<Random>,
}

/// −Fb in six bits; 0 where Fb is not negative.
fn quantised(q: u64, old: u64, target: u64, weight: f64) -> u8 {
    let (q, old, target) = (q as f64, old as f64, target as f64);
    let congestion = (q - target) + weight * (q - old);
    let full = target * (2.0 * weight + 1.0);
    (MOST as f64 * congestion / full).clamp(0.0, MOST as f64) as u8
}

impl Qcn {
    /// Bytes up to the next sample.
    fn gap(&mut self, feedback: u8) -> i64 {
        let mean = (self.sample * GAPS[usize::from(feedback >> 3)]) as f64 / WHOLE as f64;
        let random = self.random.as_mut().expect("an algorithm at a port");
        let share = 1.0 + self.jitter * (2.0 * random.unit() - 1.0);
        (mean * share) as i64
    }
}

impl Aqm for Qcn {
    fn stream(&mut self) -> Option<&mut Random> {
        self.random.as_mut()
    }

    fn attach(&mut self, _rate: Rate, random: &mut Random) {
        self.random = Some(random.clone());
        for number in 0..self.points.len() {
            self.points[number].left = self.gap(0);
        }
    }

    fn push(&mut self, frame: &Frame, _random: &mut Random) -> Verdict {
        let q = frame.bytes + frame.size;
        let point = &mut self.points[frame.queue];
        point.left -= frame.size as i64;
        if point.left > 0 {
            return Verdict::Accept;
        }
        let feedback = quantised(q, point.old, self.target, self.weight);
        point.old = q;
        self.points[frame.queue].left = self.gap(feedback);
        match feedback {
            0 => Verdict::Accept,
            _ => Verdict::Notify(feedback),
        }
    }

    fn notifies(&self) -> bool {
        true
    }
}

/// The row.
pub const PART: Part<Build<Qcn>> = Part {
    id: "qcn",
    aliases: &[],
    summary: "samples the queue and sends notices to the sources of what comes: QCN",
    source: "IEEE 802.1Qau, congestion point",
    options: &[
        Opt::new(
            "target",
            Kind::Bytes,
            Default::Is("26 kB"),
            "set point of the queue, Qeq",
        )
        .at_least("1 kB")
        .at_most("1000 MB"),
        Opt::new(
            "weight",
            Kind::Number,
            Default::Is("2"),
            "weight of the queue's growth, w",
        )
        .at_least("0")
        .at_most("16"),
        Opt::new(
            "sample",
            Kind::Bytes,
            Default::Is("150 kB"),
            "bytes between two samples while there is no congestion, down to an eighth of it with most",
        )
        .at_least("1 kB")
        .at_most("1000 MB"),
        Opt::new(
            "jitter",
            Kind::Share,
            Default::Is("15 %"),
            "by how much these bytes vary at random",
        )
        .at_most("90 %"),
        CLASSES,
    ],
    build: |args| {
        let classes = args.count("classes") as usize;
        let qcn = Qcn {
            target: args.bytes("target").0,
            weight: args.number("weight"),
            sample: args.bytes("sample").0,
            jitter: args.share("jitter"),
            points: vec![Point::default(); classes],
            random: None,
        };
        Ok(Made {
            classes,
            ..qcn.into()
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_transport::segment::Ecn;
    use backwater_transport::units::{Span, Time};

    /// Qeq = 33,000 B, w = 2: (Q, Qold) gives n, from the arithmetic of the standard.
    #[test]
    fn feedback_has_six_bits() {
        for (q, old, n) in [
            (33_000, 33_000, 0),
            (50_000, 40_000, 14),
            (66_000, 33_000, 37),
            (200_000, 33_000, 63),
            (40_000, 60_000, 0),
        ] {
            assert_eq!(quantised(q, old, 33_000, 2.0), n, "{q} {old}");
        }
    }

    fn at_port(jitter: f64) -> Qcn {
        let mut qcn = Qcn {
            target: 33_000,
            weight: 2.0,
            sample: 150_000,
            jitter,
            points: vec![Point::default()],
            random: None,
        };
        qcn.attach(Rate(0), &mut Random::stream(1, "queue", "p"));
        qcn
    }

    fn frame(bytes: u64) -> Frame {
        Frame {
            now: Time::ZERO,
            queue: 0,
            size: 1500,
            ecn: Ecn::NotEct,
            sojourn: Span::ZERO,
            bytes,
            packets: 0,
        }
    }

    /// Without jitter the first sample is the hundredth frame of 1,500 B. A full feedback brings the next after 18.5 kB, 13 frames, and
    /// one of 14 after 75 kB, 50 frames.
    #[test]
    fn congestion_brings_the_next_sample_sooner() {
        let mut random = Random::stream(2, "queue", "p");
        let mut told = |qcn: &mut Qcn, held: u64| {
            let mut came = 0;
            loop {
                came += 1;
                match qcn.push(&frame(held - 1500), &mut random) {
                    Verdict::Notify(feedback) => return (came, feedback),
                    _ => assert!(came < 1000),
                }
            }
        };
        let mut qcn = at_port(0.0);
        assert_eq!(told(&mut qcn, 200_000), (100, 63));
        // Q stays: Fb = −167,000, more than Qeq (2w + 1) = 165,000.
        assert_eq!(told(&mut qcn, 200_000), (13, 63));
        qcn.points[0].old = 40_000;
        assert_eq!(told(&mut qcn, 50_000), (13, 14));
        qcn.points[0].old = 33_000;
        assert_eq!(told(&mut qcn, 66_000), (50, 37));
    }

    /// By n >> 3, of 150 kB: the table of Linux's queueing discipline.
    #[test]
    fn more_congestion_is_sampled_sooner() {
        let mut qcn = at_port(0.0);
        let bytes = [
            150_000, 75_000, 50_000, 37_500, 30_000, 25_000, 21_500, 18_500,
        ];
        for (n, expected) in (0..64).step_by(8).zip(bytes) {
            assert_eq!(
                (qcn.gap(n), qcn.gap(n + 7)),
                (expected, expected),
                "n = {n}"
            );
        }
    }

    /// Q at a sample is Qold of the next, whether the source was told or not. From 60,000 B to 20,000 nobody is told; from there to 40,000 B
    /// −Fb = 7,000 + 2 · 20,000, of 165,000 B in 63 parts: n = 17. Against 60,000, or against nothing, it would be 0 or 33.
    #[test]
    fn a_queue_grows_since_the_last_sample() {
        let mut random = Random::stream(2, "queue", "p");
        let mut qcn = at_port(0.0);
        let mut sample = |held: u64| {
            qcn.points[0].left = 1;
            qcn.push(&frame(held - 1500), &mut random)
        };
        // −Fb = 27,000 + 2 · 60,000: n = 56.
        assert_eq!(sample(60_000), Verdict::Notify(56));
        assert_eq!(sample(20_000), Verdict::Accept);
        assert_eq!(sample(40_000), Verdict::Notify(17));
    }

    /// 150 kB ± 15 %: between 85 and 115 frames, on average 100.
    #[test]
    fn samples_vary_by_their_jitter() {
        let mut qcn = at_port(0.15);
        let gaps: Vec<i64> = (0..2000).map(|_| qcn.gap(0)).collect();
        let mean = gaps.iter().sum::<i64>() as f64 / gaps.len() as f64;
        assert!(gaps.iter().all(|gap| (127_500..=172_500).contains(gap)));
        // Of 2000 some lie in the lowest and in the highest tenth.
        assert!(gaps.iter().any(|gap| *gap < 132_000) && gaps.iter().any(|gap| *gap > 168_000));
        // The standard error of the mean is 45,000 / √12 / √2000 = 290.
        assert!((mean - 150_000.0).abs() < 1160.0, "{mean}");
    }
}
