//! Detects: the bytes that wait in a class queue, now.
//! Tells: marks with a probability that rises from 0 at `min` to `top` at `max`, and is 1 above. A packet is judged as it
//! leaves, by the bytes that it leaves behind, or as it arrives, by those that it finds. What takes no marks passes, or is
//! dropped on arrival with the same probability. Without marks (`ecn = false`) the queue drops what it would mark, on arrival.
//! Responds: left to the sender's controller (DCQCN, DCTCP).
//! Reference: the switch of the HPCC and DCQCN studies (Li et al., SIGCOMM 2019; Zhu et al.,
//! SIGCOMM 2015). With `min` = `max` it is DCTCP's step (RFC 8257 section 3.1).
//! The defaults are what the published programs of HPCC, ns3-rdma and htsim do: they mark at departure and let ACKs pass.
//! DCTCP's text marks the packet that finds more than K bytes on its arrival (Alizadeh et al., SIGCOMM 2010, section 3.1):
//! `marks = "arrival"`. A switch with weighted RED drops what takes no marks (RFC 8257 section 3.5): `wred`.
//! Differences: class 0 is marked too, which HPCC's switch keeps for control.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::segment::Ecn;
use backwater_transport::units::Rate;

use super::aqm::{Aqm, Frame, Verdict};
use super::row::{Build, CLASSES, ECN, Made};

/// The constants.
#[derive(Clone, Debug)]
pub struct Ramp {
    min: u64,
    max: u64,
    top: f64,
    mark: bool,
    /// A frame that takes marks is judged as it leaves.
    at_departure: bool,
    /// A frame that takes no marks is not judged where others are marked.
    passes: bool,
    /// Its stream, once it is at a port.
    random: Option<Random>,
}

/// 0 up to `min`, then a straight line to `top` at `max`, and 1 above.
pub(super) fn ramp(x: f64, min: f64, max: f64, top: f64) -> f64 {
    if x > max {
        1.0
    } else if x > min {
        top * (x - min) / (max - min)
    } else {
        0.0
    }
}

impl Ramp {
    /// Draws for a packet beside which so many bytes wait.
    fn hits(&mut self, frame: &Frame) -> bool {
        let held = frame.bytes as f64;
        let p = ramp(held, self.min as f64, self.max as f64, self.top);
        let random = self.random.as_mut().expect("an algorithm at a port");
        p > 0.0 && random.unit() <= p
    }

    fn marks(&self, frame: &Frame) -> bool {
        self.mark && frame.ecn != Ecn::NotEct
    }
}

impl Aqm for Ramp {
    fn stream(&mut self) -> Option<&mut Random> {
        self.random.as_mut()
    }

    fn attach(&mut self, _rate: Rate, random: &mut Random) {
        self.random = Some(random.clone());
    }

    fn push(&mut self, frame: &Frame, _random: &mut Random) -> Verdict {
        let passes = match self.marks(frame) {
            true => self.at_departure,
            false => self.mark && self.passes,
        };
        if !passes && self.hits(frame) {
            return frame.punish(self.mark);
        }
        Verdict::Accept
    }

    fn pop(&mut self, frame: &Frame) -> Verdict {
        if self.at_departure && self.marks(frame) && self.hits(frame) {
            return Verdict::Mark;
        }
        Verdict::Accept
    }
}

/// `min` and `max`, which must not cross.
pub(super) fn thresholds(min: u64, max: u64) -> Result<(u64, u64), Refusal> {
    if min > max {
        return Err(Refusal {
            option: "min",
            what: "the lower threshold lies above the upper".into(),
            fix: "write a `min` of at most `max`".into(),
        });
    }
    Ok((min, max))
}

const MIN: Opt = Opt::new(
    "min",
    Kind::Bytes,
    Default::Is("100 kB"),
    "nothing is marked up to here",
);
const MAX: Opt = Opt::new(
    "max",
    Kind::Bytes,
    Default::Is("400 kB"),
    "everything is marked above",
)
.at_least("1 B");
const TOP: Opt = Opt::new(
    "top",
    Kind::Share,
    Default::Is("20 %"),
    "probability at `max`",
)
.at_most("100 %");

/// Option `marks`.
const fn marks(default: &'static str) -> Opt {
    Opt::new(
        "marks",
        Kind::Choice(&["departure", "arrival"]),
        Default::Is(default),
        "a packet is marked as it leaves, by the bytes behind it, or as it arrives, by those before it",
    )
}

/// Option `unmarkable`.
const fn unmarkable(default: &'static str) -> Opt {
    Opt::new(
        "unmarkable",
        Kind::Choice(&["pass", "drop"]),
        Default::Is(default),
        "with `ecn`, a packet that takes no marks passes, or is dropped where it would be marked",
    )
}

fn build(args: &Args) -> Result<Made<Ramp>, Refusal> {
    let (min, max) = thresholds(args.bytes("min").0, args.bytes("max").0)?;
    let ramp = Ramp {
        min,
        max,
        top: args.share("top"),
        mark: args.flag("ecn"),
        at_departure: args.choice("marks") == "departure",
        passes: args.choice("unmarkable") == "pass",
        random: None,
    };
    Ok(Made {
        classes: args.count("classes") as usize,
        ..ramp.into()
    })
}

/// The row of switches of data centres.
pub const PART: Part<Build<Ramp>> = Part {
    id: "ecn-ramp",
    aliases: &[],
    summary: "marks by the bytes in the class queue now: DCQCN's switch, DCTCP's step",
    source: "Li et al., SIGCOMM 2019; RFC 8257 section 3.1",
    options: &[
        MIN,
        MAX,
        TOP,
        CLASSES,
        ECN,
        marks("departure"),
        unmarkable("pass"),
    ],
    build,
};

/// The row of a switch whose profile drops what takes no marks.
pub const WRED: Part<Build<Ramp>> = Part {
    id: "wred",
    aliases: &[],
    summary: "the same on arrival, and what takes no marks is dropped where it would be marked",
    source: "RFC 8257 section 3.5",
    options: &[
        MIN,
        MAX,
        TOP,
        CLASSES,
        ECN,
        marks("arrival"),
        unmarkable("drop"),
    ],
    build,
};

#[cfg(test)]
mod tests {
    use super::*;
    use backwater_transport::units::{Span, Time};

    /// 25 Gbit/s row of the HPCC study: 100 kB, 400 kB, 0.2.
    #[test]
    fn the_probability_is_a_ramp_with_a_step_at_its_end() {
        for (held, p) in [
            (0.0, 0.0),
            (100e3, 0.0),
            (175e3, 0.05),
            (250e3, 0.1),
            (400e3, 0.2),
            (400_001.0, 1.0),
            (1e6, 1.0),
        ] {
            let got = ramp(held, 100e3, 400e3, 0.2);
            assert!((got - p).abs() < 1e-6, "{held} {got}");
        }
        assert_eq!(ramp(65e3, 65e3, 65e3, 0.2), 0.0);
        assert_eq!(ramp(65_001.0, 65e3, 65e3, 0.2), 1.0);
    }

    /// Above `max` everything is marked: as it leaves, or as it arrives. What takes no marks passes, or is dropped on arrival.
    #[test]
    fn what_takes_no_marks_passes_or_is_dropped() {
        let frame = |ecn| Frame {
            now: Time::ZERO,
            queue: 0,
            size: 1066,
            ecn,
            sojourn: Span::ZERO,
            bytes: 400_001,
            packets: 400,
        };
        for (at_departure, passes) in [(true, true), (false, false)] {
            let mut random = Random::stream(1, "test", "");
            let mut ramp = Ramp {
                min: 100_000,
                max: 400_000,
                top: 0.2,
                mark: true,
                at_departure,
                passes,
                random: Some(random.clone()),
            };
            let marks = |now| if now { Verdict::Mark } else { Verdict::Accept };
            let ect = frame(Ecn::Ect0);
            assert_eq!(ramp.push(&ect, &mut random), marks(!at_departure));
            assert_eq!(ramp.pop(&ect), marks(at_departure));
            let lost = ramp.push(&frame(Ecn::NotEct), &mut random) != Verdict::Accept;
            assert_eq!(lost, !passes);
        }
    }
}
