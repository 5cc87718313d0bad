//! Packets at the instants and with the sizes of a trace.
//!
//! When: a packet's time since the trace's first packet, times `scale`, after the flow's start.
//! How much: the length of the IP packet in a capture (frames without one are left out), the size column
//! of a CSV trace.
//! Reference: pcap, pcapng; for CSV see `csv`.
//! Differences: open loop. A capture of TCP is replayed as it was, whatever the network does now.

use std::sync::Arc;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, PS_PER_S, Span, Time};

use super::trace::{Fault, Place};
use super::{AnySource, Build, Demand, LARGEST, Source, csv, later, trace};
use backwater_wire::{ip_length, pcap_reader, pcapng_reader};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Replay {
    packets: Arc<[Packet]>,
    start: Option<Time>,
    sent: usize,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Packet {
    /// Since the first packet.
    at: Span,
    bytes: u32,
}

pub(super) const PART: Part<Build> = Part {
    id: "replay",
    aliases: &[],
    summary: "packets at the instants and with the sizes of a capture or CSV trace",
    source: "pcap and pcapng (draft-ietf-opsawg-pcap, -pcapng); CSV with a header such as time_s,size_B",
    options: &[
        Opt::new("file", Kind::File, Default::Required, "the trace"),
        Opt::new(
            "format",
            Kind::Choice(&["auto", "pcap", "pcapng", "csv"]),
            Default::Is("auto"),
            "auto: by the first bytes",
        ),
        Opt::new(
            "scale",
            Kind::Number,
            Default::Is("1"),
            "times are multiplied by this: 0.5 doubles the load",
        )
        .at_least("0.000001")
        .at_most("1000000"),
    ],
    build,
};

fn build(args: &Args) -> Result<AnySource, Refusal> {
    let (file, scale) = (args.file("file"), args.number("scale"));
    let content = &*file.content;
    let format = match args.choice("format") {
        "auto" if pcap_reader::magic(content).is_some() => "pcap",
        "auto" if pcapng_reader::begins(content) => "pcapng",
        "auto" if content.starts_with(&[0x1f, 0x8b]) => {
            return Err(trace::refusal(
                &Place::Whole.fault("compressed with gzip"),
                "file",
                &file,
                "decompress it first",
            ));
        }
        "auto" => "csv",
        written => written,
    };
    let (read, fix) = match format {
        "pcap" => (captured(content, pcap_reader::read), CAPTURE_FIX),
        "pcapng" => (captured(content, pcapng_reader::read), CAPTURE_FIX),
        _ => (
            csv::read(content),
            "write a header such as time_s,size_B and one packet on each line",
        ),
    };
    let packets = read.and_then(|timeline| timeline.finish(scale));
    let packets = packets.map_err(|fault| trace::refusal(&fault, "file", &file, fix))?;
    Ok(AnySource::Replay(Replay {
        packets,
        start: None,
        sent: 0,
    }))
}

const CAPTURE_FIX: &str =
    "write a whole capture in order of time; editcap repairs and reordercap sorts one";

impl Source for Replay {
    fn next(&mut self, now: Time, _: &mut Random) -> Option<Demand> {
        let start = *self.start.get_or_insert(now);
        let packet = self.packets.get(self.sent)?;
        self.sent += 1;
        Some(Demand {
            at: later(start, packet.at)?,
            bytes: Bytes(u64::from(packet.bytes)),
        })
    }
}

type Read<'a> =
    fn(&'a [u8], &mut dyn FnMut(pcap_reader::Frame<'a>) -> Result<(), Fault>) -> Result<(), Fault>;

fn captured<'a>(content: &'a [u8], read: Read<'a>) -> Result<Timeline, Fault> {
    let mut timeline = Timeline::default();
    read(content, &mut |frame| {
        let length = ip_length::length(frame.link, frame.captured, frame.wire);
        match length.map_err(|why| frame.place.fault(why))? {
            Some(bytes) => timeline.push(frame.place, frame.ps, bytes),
            None => Ok(()),
        }
    })?;
    Ok(timeline)
}

/// Packets in the order of a trace, checked one by one.
#[derive(Debug, Default)]
pub(super) struct Timeline {
    /// The first packet's time in the trace's own clock.
    first: i128,
    packets: Vec<Packet>,
}

impl Timeline {
    /// One more packet, at a time in picoseconds of any clock.
    pub(super) fn push(&mut self, place: Place, ps: i128, bytes: u64) -> Result<(), Fault> {
        if bytes == 0 || bytes > LARGEST.0 {
            return Err(place.fault(format!(
                "a packet of {bytes} B; 1 to {} B are possible",
                LARGEST.0
            )));
        }
        if self.packets.is_empty() {
            self.first = ps;
        }
        let last = self
            .packets
            .last()
            .map_or(0, |packet| i128::from(packet.at.0));
        let since = ps - self.first;
        if since < last {
            let back = (last - since) as f64 / PS_PER_S as f64;
            return Err(place.fault(format!(
                "the time lies {back} s before that of the packet above"
            )));
        }
        let at = u64::try_from(since)
            .map_err(|_| place.fault("the time lies more than 213 days after the first packet"))?;
        // At most LARGEST.
        self.packets.push(Packet {
            at: Span(at),
            bytes: bytes as u32,
        });
        Ok(())
    }

    /// All packets, their times multiplied by `scale`.
    fn finish(mut self, scale: f64) -> Result<Arc<[Packet]>, Fault> {
        if self.packets.is_empty() {
            return Err(Place::Whole.fault("the trace has no packets"));
        }
        // One is left out so that a trace's own times stay exact beyond 2^53 ps, two and a half hours.
        if scale != 1.0 {
            for packet in &mut self.packets {
                packet.at = Span(libm::floor(packet.at.0 as f64 * scale + 0.5) as u64);
            }
        }
        Ok(self.packets.into())
    }
}
