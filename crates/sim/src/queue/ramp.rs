//! Detects: the bytes that wait in a class queue, now.
//! Tells: marks or drops on arrival with a probability that rises from 0 at `min` to `top` at
//! `max`, and is 1 above.
//! Responds: left to the sender's controller (DCQCN, DCTCP).
//! Reference: the switch of the HPCC and DCQCN studies (Li et al., SIGCOMM 2019; Zhu et al.,
//! SIGCOMM 2015). With `min` = `max` it is DCTCP's step (RFC 8257 section 3.1).
//! Differences: the queue marks on arrival; the switches of both studies mark at departure. It drops
//! a packet that takes no marks where it would mark one that does.

use backwater_transport::part::{Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;

use super::aqm::{Aqm, Frame, Verdict};
use super::codel::ECN;
use super::row::{Build, Made};

/// The constants.
#[derive(Clone, Debug)]
pub struct Ramp {
    min: u64,
    max: u64,
    top: f64,
    mark: bool,
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

impl Aqm for Ramp {
    fn push(&mut self, frame: &Frame, random: &mut Random) -> Verdict {
        let held = frame.bytes as f64;
        let p = ramp(held, self.min as f64, self.max as f64, self.top);
        if p > 0.0 && random.unit() <= p {
            return frame.punish(self.mark);
        }
        Verdict::Accept
    }
}

/// Option `classes`.
pub(super) const CLASSES: Opt = Opt::new(
    "classes",
    Kind::Count,
    Default::Is("1"),
    "class queues, the highest first, each with an average of its own",
)
.at_least("1")
.at_most("8");

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

/// The row.
pub const PART: Part<Build<Ramp>> = Part {
    id: "ecn-ramp",
    aliases: &["wred"],
    summary: "marks on arrival by the bytes in the class queue now: DCQCN's switch, DCTCP's step",
    source: "Li et al., SIGCOMM 2019; RFC 8257 section 3.1",
    options: &[
        Opt::new(
            "min",
            Kind::Bytes,
            Default::Is("100 kB"),
            "nothing is marked up to here",
        ),
        Opt::new(
            "max",
            Kind::Bytes,
            Default::Is("400 kB"),
            "everything is marked above",
        )
        .at_least("1 B"),
        Opt::new(
            "top",
            Kind::Share,
            Default::Is("20 %"),
            "probability at `max`",
        )
        .at_most("100 %"),
        CLASSES,
        ECN,
    ],
    build: |args| {
        let (min, max) = thresholds(args.bytes("min").0, args.bytes("max").0)?;
        let ramp = Ramp {
            min,
            max,
            top: args.share("top"),
            mark: args.flag("ecn"),
        };
        Ok(Made {
            classes: args.count("classes") as usize,
            ..ramp.into()
        })
    },
};

#[cfg(test)]
mod tests {
    use super::*;

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
}
