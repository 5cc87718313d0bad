//! A synthetic MPEG-1 video of variable bit rate.
//!
//! When: a frame at each tick of a clock of `fps`; the start falls at a random place in the group of
//! pictures unless phase = "start".
//! How much: the types follow the pattern `gop`; the mean sizes of I, P and B frames stand in the ratio
//! `i_weight` : `p_weight` : 1 and are such that a whole group has the mean rate `rate`. A frame has its
//! mean times exp(σZ − σ²/2) bytes with Z standard normal: lognormal, and the mean is preserved. All frames of a scene
//! have another such factor in common, with σ = `scene_sigma`. A scene lasts a geometric number of groups of pictures, `scene`
//! in the mean, so that the sizes of groups k apart have the correlation r·(1 − 1/m)^k, with m groups to a scene and r
//! the scenes' share of the variance.
//! Reference: takes the place of the "Star Trek" MPEG-1 trace of Tobagi, Fraleigh, Noureddine;
//! lognormal sizes by type after Krunz, Sass, Hughes, Statistical Characteristics and Multiplexing of
//! MPEG Streams, INFOCOM 1995. Scenes that change the sizes of all frames and last a geometric number of groups after Yoo and
//! Kim, Computer Communications 24 (2001) 296, from its abstract. With the defaults groups of pictures have a
//! coefficient of variation of 0.38, as published for Star Wars IV (Fitzek and Reisslein, frame statistics of MPEG-4 traces, high
//! quality); other films of that list have 0.28 (The Simpsons, high quality) to 0.50 (Mr Bean, medium).
//! Differences: sizes within a scene are independent, and frames are sent in the order of the pattern,
//! which is the order of display: a coder would send each P before the B frames that refer to it.

use std::array;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};

use super::frames::{FPS, Frames, phase};
use super::{AnySource, Build, Demand, LARGEST, Source};

/// The smallest mean frame in bytes; below, rounding to bytes would be felt in the mean.
const LEAST: f64 = 64.0;

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Video {
    frames: Frames,
    gop: &'static str,
    /// Mean size of I, P and B frames in bytes.
    means: [f64; 3],
    sigma: f64,
    scenes: Scenes,
}

/// The properties that all frames of a scene share.
#[derive(Clone, Debug)]
struct Scenes {
    sigma: f64,
    /// Chance that a scene ends with a group of pictures.
    end: f64,
    /// Factor of the present scene; none before the first frame.
    factor: Option<f64>,
}

pub(super) const PART: Part<Build> = Part {
    id: "video",
    aliases: &[],
    summary: "synthetic MPEG-1 video: a group of pictures with lognormal frame sizes",
    source: "Tobagi, Fraleigh, Noureddine: Video Traffic Model; Krunz, Sass, Hughes 1995",
    options: &[
        Opt::new("rate", Kind::Rate, Default::Is("1.5 Mbit/s"), "mean rate")
            .at_least("1 bit/s")
            .at_most("800 Gbit/s"),
        FPS,
        Opt::new(
            "gop",
            Kind::Choice(&["IBBPBBPBBPBB", "IBBPBBPBBPBBPBB", "IPPPPPPPPPPP", "I"]),
            Default::Is("IBBPBBPBBPBB"),
            "group of pictures",
        ),
        Opt::new(
            "i_weight",
            Kind::Number,
            Default::Is("5"),
            "mean I frame / mean B frame",
        )
        .at_least("0.01")
        .at_most("1000"),
        Opt::new(
            "p_weight",
            Kind::Number,
            Default::Is("2.2"),
            "mean P frame / mean B frame",
        )
        .at_least("0.01")
        .at_most("1000"),
        Opt::new(
            "sigma",
            Kind::Number,
            Default::Is("0.3"),
            "standard deviation of ln(size)",
        )
        .at_least("0")
        .at_most("1"),
        Opt::new(
            "scene",
            Kind::Span,
            Default::Is("10 s"),
            "mean length of a scene; at least a group of pictures",
        )
        .at_least("0 s")
        .at_most("1000000 s"),
        Opt::new(
            "scene_sigma",
            Kind::Number,
            Default::Is("0.35"),
            "standard deviation of ln(size) between scenes; 0 for frames that are independent",
        )
        .at_least("0")
        .at_most("1"),
        phase(
            "random",
            "where in the group of pictures the flow's start falls",
        ),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let (fps, gop) = (args.number("fps"), args.choice("gop"));
    let weights = [args.number("i_weight"), args.number("p_weight"), 1.0];
    let total: f64 = gop.bytes().map(|kind| weights[index(kind)]).sum();
    let frame = args.rate("rate").0 as f64 / (8.0 * fps);
    let means: [f64; 3] = array::from_fn(|i| frame * weights[i] * gop.len() as f64 / total);
    let of_pattern = || gop.bytes().map(|kind| means[index(kind)]);
    let (least, most) = of_pattern().fold((f64::MAX, 0.0_f64), |(a, b), m| (a.min(m), b.max(m)));
    if least < LEAST || most > LARGEST.0 as f64 {
        return Err(Refusal {
            option: "rate",
            what: format!(
                "frames would have {least:.0} to {most:.0} B in the mean; {LEAST} to {} B are possible",
                LARGEST.0
            ),
            fix: "write a rate that fits fps".into(),
        });
    }
    Ok(AnySource::Video(Video {
        frames: Frames::new(fps, gop.len(), args.choice("phase")),
        gop,
        means,
        sigma: args.number("sigma"),
        scenes: Scenes {
            sigma: args.number("scene_sigma"),
            end: gop.len() as f64 / (fps * args.span("scene").seconds()).max(gop.len() as f64),
            factor: None,
        },
    }))
}

/// A lognormal factor of mean one.
fn lognormal(sigma: f64, random: &mut Random) -> f64 {
    libm::exp(sigma * random.normal() - 0.5 * sigma * sigma)
}

impl Scenes {
    /// The factor of a frame at this position of its group of pictures.
    fn factor(&mut self, position: usize, random: &mut Random) -> f64 {
        if self.sigma == 0.0 {
            return 1.0;
        }
        match self.factor {
            Some(factor) if position > 0 || random.unit() > self.end => factor,
            _ => *self.factor.insert(lognormal(self.sigma, random)),
        }
    }
}

fn index(kind: u8) -> usize {
    match kind {
        b'I' => 0,
        b'P' => 1,
        b'B' => 2,
        _ => unreachable!("patterns are made of I, P and B"),
    }
}

impl Source for Video {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        let (at, position) = self.frames.next(now, random)?;
        let mean = self.means[index(self.gop.as_bytes()[position])];
        let factor = lognormal(self.sigma, random) * self.scenes.factor(position, random);
        let bytes = Bytes((libm::floor(mean * factor + 0.5) as u64).max(1));
        Some(Demand { at, bytes })
    }
}
