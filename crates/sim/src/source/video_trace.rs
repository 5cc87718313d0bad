//! A video of recorded frame sizes.
//!
//! When: a frame at each tick of a clock of `fps`, in the order of the lines. A frame of size zero was
//! skipped by its coder and makes no demand.
//! How much: the frame's size.
//! Reference: one size on each line, or the four columns "frame type time size" of the traces of Fitzek
//! and Reisslein, MPEG-4 and H.263 Video Traces for Network Performance Evaluation, 2001. Empty lines
//! and lines that begin with # are left out.
//! Differences: the time column is checked and otherwise not used. It holds the time of display, which
//! jumps back where frames stand in the order of coding.

use std::sync::Arc;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Time};

use super::frames::{FPS, Frames, phase};
use super::trace::{self, Decimal, Fault, Place, lines, quote};
use super::{AnySource, Build, Demand, LARGEST, Source};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct VideoTrace {
    frames: Frames,
    /// In bytes; not all zero.
    sizes: Arc<[u32]>,
    repeat: bool,
}

pub(super) const PART: Part<Build> = Part {
    id: "video-trace",
    aliases: &[],
    summary: "video of recorded frame sizes",
    source: "Frame-size traces, one size on each line or the columns frame type time size",
    options: &[
        Opt::new("file", Kind::File, Default::Required, "the trace"),
        Opt::new(
            "unit",
            Kind::Choice(&["B", "bit"]),
            Default::Is("B"),
            "unit of the sizes; bits are rounded up to whole bytes",
        ),
        FPS,
        Opt::new(
            "repeat",
            Kind::Flag,
            Default::Is("true"),
            "begin again after the last frame",
        ),
        phase(
            "start",
            "the first frame shown: the trace's first, or a random one",
        ),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let (file, repeat) = (args.file("file"), args.flag("repeat"));
    if args.choice("phase") == "random" && !repeat {
        return Err(Refusal {
            option: "phase",
            what: "from a random frame on, the trace would end early".into(),
            fix: "write repeat = true or phase = \"start\"".into(),
        });
    }
    let sizes = sizes(&file.content, args.choice("unit") == "bit").map_err(|fault| {
        trace::refusal(
            &fault,
            "file",
            &file,
            "write one size on each line, or frame type time size",
        )
    })?;
    Ok(AnySource::VideoTrace(VideoTrace {
        frames: Frames::new(args.number("fps"), sizes.len(), args.choice("phase")),
        sizes,
        repeat,
    }))
}

impl Source for VideoTrace {
    fn next(&mut self, now: Time, random: &mut Random) -> Option<Demand> {
        // Ends, because a cycle has a frame that isn't empty.
        while self.repeat || self.frames.shown() < self.sizes.len() as u64 {
            let (at, position) = self.frames.next(now, random)?;
            let bytes = Bytes(u64::from(self.sizes[position]));
            if bytes.0 > 0 {
                return Some(Demand { at, bytes });
            }
        }
        None
    }
}

pub(super) fn sizes(content: &[u8], bits: bool) -> Result<Arc<[u32]>, Fault> {
    let mut sizes = Vec::new();
    let mut columns = None;
    for line in lines(content) {
        let (place, text) = line?;
        let fields: Vec<&str> = text.split_whitespace().collect();
        if *columns.get_or_insert(fields.len()) != fields.len() {
            return Err(place.fault(format!(
                "{} has not as many columns as the lines above",
                quote(text)
            )));
        }
        let size = match fields[..] {
            [size] => size,
            [frame, kind, time, size] => {
                let number = number(place, "frame", frame)?;
                number
                    .whole(1)
                    .ok_or_else(|| place.fault(format!("frame: {} is not whole", quote(frame))))?;
                if !matches!(kind, "I" | "P" | "B") {
                    return Err(place.fault(format!("type: {} is not I, P or B", quote(kind))));
                }
                self::number(place, "time", time)?;
                size
            }
            _ => {
                return Err(place.fault(format!(
                    "{} is not a size or frame type time size",
                    quote(text)
                )));
            }
        };
        sizes.push(bytes(place, size, bits)?);
    }
    if sizes.iter().all(|size| *size == 0) {
        return Err(Place::Whole.fault("the trace has no frames that aren't empty"));
    }
    Ok(sizes.into())
}

fn number(place: Place, name: &str, text: &str) -> Result<Decimal, Fault> {
    Decimal::parse(text).map_err(|why| place.fault(format!("{name}: {why}")))
}

fn bytes(place: Place, text: &str, bits: bool) -> Result<u32, Fault> {
    let whole = number(place, "size", text)?.whole(1);
    let whole =
        whole.ok_or_else(|| place.fault(format!("size: {} is not a whole number", quote(text))))?;
    let bytes = if bits { whole.div_ceil(8) } else { whole };
    if bytes > LARGEST.0 {
        return Err(place.fault(format!(
            "a frame of {bytes} B; {} B at most are possible",
            LARGEST.0
        )));
    }
    // At most LARGEST.
    Ok(bytes as u32)
}
