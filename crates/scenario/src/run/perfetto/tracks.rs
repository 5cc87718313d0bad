//! The file of a trace: tracks, and events on them. Times are rounded down to nanoseconds, Perfetto's unit: what
//! follows without a gap does so in the trace, and no length is wrong by a nanosecond or more.

use std::fs::File;
use std::io::{self, Write};

use backwater_transport::units::Time;

use super::wire::{annotation, bytes, event, fixed, interned, packet, track, whole};

/// Number of a track.
pub type Track = u64;
/// Number of a name that was written once.
pub type Name = u64;

/// Kinds of events.
const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

/// All is written by one writer.
const SEQUENCE: u64 = 1;
/// The first packet of the sequence has the state; the others need it.
const CLEARED: u64 = 1;
const NEEDS_STATE: u64 = 2;

/// Annotations.
#[derive(Copy, Clone)]
pub enum Note {
    /// Number of the packet in its flow.
    Number = 1,
    /// Exact delay.
    DelayPs,
    /// Frame bytes.
    Bytes,
    /// Why a packet was lost.
    Cause,
    /// Bytes of a transfer.
    Size,
}

const NOTES: [(Note, &str); 5] = [
    (Note::Number, "number"),
    (Note::DelayPs, "delay_ps"),
    (Note::Bytes, "frame_B"),
    (Note::Cause, "cause"),
    (Note::Size, "size_B"),
];

/// A trace file that is being written.
pub struct Tracks {
    file: File,
    out: Vec<u8>,
    one: Vec<u8>,
    inner: Vec<u8>,
    small: Vec<u8>,
    tracks: Track,
}

/// Bytes that are written at once.
const BLOCK: usize = 1 << 20;

impl Tracks {
    /// A trace whose events have these names: the first is called 1.
    pub fn new<'a>(file: File, names: impl Iterator<Item = &'a str>) -> Tracks {
        let mut tracks = Tracks {
            file,
            out: Vec::with_capacity(2 * BLOCK),
            one: Vec::new(),
            inner: Vec::new(),
            small: Vec::new(),
            tracks: 0,
        };
        let mut all = Vec::new();
        let mut add = |field, id: u64, name: &str| {
            let mut one = Vec::new();
            whole(&mut one, interned::ID, id);
            bytes(&mut one, interned::NAME, name.as_bytes());
            bytes(&mut all, field, &one);
        };
        for (id, name) in (1..).zip(names) {
            add(interned::EVENT_NAME, id, name);
        }
        for (note, name) in NOTES {
            add(interned::ANNOTATION_NAME, note as u64, name);
        }
        tracks.one.clear();
        whole(&mut tracks.one, packet::SEQUENCE, SEQUENCE);
        whole(&mut tracks.one, packet::FLAGS, CLEARED);
        bytes(&mut tracks.one, packet::INTERNED, &all);
        bytes(&mut tracks.out, packet::TRACE, &tracks.one);
        tracks
    }

    /// A new track below another one; a counter where it has a unit.
    pub fn track(&mut self, name: &str, parent: Option<Track>, unit: Option<&str>) -> Track {
        self.tracks += 1;
        self.inner.clear();
        whole(&mut self.inner, track::ID, self.tracks);
        bytes(&mut self.inner, track::NAME, name.as_bytes());
        if let Some(parent) = parent {
            whole(&mut self.inner, track::PARENT, parent);
        }
        if let Some(unit) = unit {
            self.small.clear();
            bytes(&mut self.small, track::COUNTER_UNIT, unit.as_bytes());
            bytes(&mut self.inner, track::COUNTER, &self.small);
        }
        self.one.clear();
        whole(&mut self.one, packet::SEQUENCE, SEQUENCE);
        bytes(&mut self.one, packet::DESCRIPTOR, &self.inner);
        bytes(&mut self.out, packet::TRACE, &self.one);
        self.tracks
    }

    /// A slice begins; the arrow of a packet goes through it.
    pub fn begin(
        &mut self,
        at: Time,
        track: Track,
        name: Name,
        arrow: Option<u64>,
        notes: &[(Note, u64)],
    ) {
        self.start(BEGIN, track);
        whole(&mut self.inner, event::NAME, name);
        if let Some(arrow) = arrow {
            fixed(&mut self.inner, event::FLOW, arrow);
        }
        for (note, value) in notes {
            self.annotate(*note, annotation::WHOLE, *value);
        }
        self.finish(at);
    }

    /// A slice with a name of its own.
    pub fn slice(
        &mut self,
        (begin, end): (Time, Time),
        track: Track,
        name: &str,
        notes: &[(Note, u64)],
    ) {
        self.start(BEGIN, track);
        bytes(&mut self.inner, event::TEXT, name.as_bytes());
        for (note, value) in notes {
            self.annotate(*note, annotation::WHOLE, *value);
        }
        self.finish(begin);
        self.end(end, track);
    }

    /// The slice that began last on a track ends.
    pub fn end(&mut self, at: Time, track: Track) {
        self.start(END, track);
        self.finish(at);
    }

    /// Something happens, with the reason where there is one.
    pub fn instant(&mut self, at: Time, track: Track, name: Name, cause: Option<&str>) {
        self.start(INSTANT, track);
        whole(&mut self.inner, event::NAME, name);
        if let Some(cause) = cause {
            self.small.clear();
            whole(&mut self.small, annotation::NAME, Note::Cause as u64);
            bytes(&mut self.small, annotation::TEXT, cause.as_bytes());
            bytes(&mut self.inner, event::ANNOTATION, &self.small);
        }
        self.finish(at);
    }

    /// A counter has another value.
    pub fn count(&mut self, at: Time, track: Track, value: u64) {
        self.start(COUNTER, track);
        whole(&mut self.inner, event::COUNTER, value);
        self.finish(at);
    }

    #[inline]
    fn start(&mut self, kind: u64, track: Track) {
        self.inner.clear();
        whole(&mut self.inner, event::KIND, kind);
        whole(&mut self.inner, event::TRACK, track);
    }

    fn annotate(&mut self, note: Note, field: u32, value: u64) {
        self.small.clear();
        whole(&mut self.small, annotation::NAME, note as u64);
        whole(&mut self.small, field, value);
        bytes(&mut self.inner, event::ANNOTATION, &self.small);
    }

    #[inline]
    fn finish(&mut self, at: Time) {
        self.one.clear();
        whole(&mut self.one, packet::TIMESTAMP, at.0 / 1000);
        whole(&mut self.one, packet::SEQUENCE, SEQUENCE);
        whole(&mut self.one, packet::FLAGS, NEEDS_STATE);
        bytes(&mut self.one, packet::EVENT, &self.inner);
        bytes(&mut self.out, packet::TRACE, &self.one);
    }

    /// Writes what has come together, if it is much.
    pub fn spill(&mut self) -> io::Result<()> {
        if self.out.len() >= BLOCK {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes all that has come together.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }
}
