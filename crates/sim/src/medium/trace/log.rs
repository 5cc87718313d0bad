//! mahimahi's link logs, read and written byte for byte.
//!
//! After header lines that begin with `#` come, in milliseconds of the link's clock: `t # bytes` for an
//! opportunity, `t + bytes` for an arrival, `t - bytes delay` for a departure, `t d packets bytes` for
//! a drop. An opportunity's departures follow it; an arrival follows the opportunities at or before it.
//! Reference: mahimahi `src/frontend/link_queue.cc`.
//! Differences: mm-link logs no packet that queue management drops as it is to leave. Here such a drop is a comment,
//! `# t d packets bytes`, which mahimahi's scripts pass over. What would not be written back equal is refused with its line.

use std::collections::VecDeque;
use std::fmt::Write as _;

use backwater_transport::units::Time;

use super::{First, MILLISECOND, Opportunities, Server, Turn, floor};
use crate::source::trace::{Fault, Place, quote};

/// A log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Header lines, each from its `#` to its end.
    pub header: Vec<String>,
    /// The events, in order.
    pub entries: Vec<Entry>,
}

/// Something that happened on a link.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Milliseconds of the log's clock.
    pub at: u64,
    /// What.
    pub what: Happening,
}

/// An event of a link.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// So many bytes could leave.
    Opportunity(u64),
    /// A packet of so many bytes came.
    Arrival(u64),
    /// A packet of so many bytes left, so many milliseconds after it had come.
    Departure(u64, u64),
    /// So many packets with so many bytes were lost as one came.
    Drop(u64, u64),
    /// So many packets with so many bytes were dropped by queue management as they were to leave.
    Discard(u64, u64),
}

impl Log {
    /// Lines of entries.
    pub fn lines(entries: &[Entry]) -> String {
        let mut text = String::new();
        for Entry { at, what } in entries {
            // A string takes all that is written.
            let written = match what {
                Happening::Opportunity(bytes) => writeln!(text, "{at} # {bytes}"),
                Happening::Arrival(bytes) => writeln!(text, "{at} + {bytes}"),
                Happening::Departure(bytes, delay) => writeln!(text, "{at} - {bytes} {delay}"),
                Happening::Drop(packets, bytes) => writeln!(text, "{at} d {packets} {bytes}"),
                Happening::Discard(packets, bytes) => writeln!(text, "# {at} d {packets} {bytes}"),
            };
            written.expect("a string takes all that is written");
        }
        text
    }

    /// Reads a log.
    ///
    /// # Errors
    /// When the log is wrong; the error says the line.
    pub fn parse(content: &[u8]) -> Result<Log, Fault> {
        let mut log = Log::default();
        let Some(body) = content.strip_suffix(b"\n") else {
            return Err(Place::Whole.fault("the log is empty or its last line isn't whole"));
        };
        for (index, line) in body.split(|byte| *byte == b'\n').enumerate() {
            let place = Place::Line(index + 1);
            let text =
                str::from_utf8(line).map_err(|_| place.fault("the line isn't text in UTF-8"))?;
            let comment = text.starts_with('#');
            if comment && log.entries.is_empty() {
                log.header.push(text.to_owned());
                continue;
            }
            let entry = entry(text).ok_or_else(|| match comment {
                true => place.fault("a header line among what happened"),
                false => place.fault(format!("{} is no line of a mahimahi log", quote(text))),
            })?;
            if log.entries.last().is_some_and(|last| last.at > entry.at) {
                return Err(place.fault("the times go back"));
            }
            log.entries.push(entry);
        }
        Ok(log)
    }

    /// The value of a header line such as `base timestamp`.
    pub fn value(&self, name: &str) -> Option<&str> {
        let mut lines = self
            .header
            .iter()
            .filter_map(|line| line.strip_prefix("# "));
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// As a file.
    pub fn write(&self) -> String {
        let mut text = String::new();
        for line in &self.header {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(&Log::lines(&self.entries));
        text
    }
}

fn entry(text: &str) -> Option<Entry> {
    let Some(comment) = text.strip_prefix("# ") else {
        return plain_entry(text);
    };
    let Entry { at, what } = plain_entry(comment)?;
    let Happening::Drop(packets, bytes) = what else {
        return None;
    };
    let what = Happening::Discard(packets, bytes);
    Some(Entry { at, what })
}

fn plain_entry(text: &str) -> Option<Entry> {
    let mut fields = text.split(' ');
    let at = number(fields.next()?)?;
    let kind = fields.next()?;
    let first = number(fields.next()?)?;
    let what = match kind {
        "#" => Happening::Opportunity(first),
        "+" => Happening::Arrival(first),
        "-" => Happening::Departure(first, number(fields.next()?)?),
        "d" => Happening::Drop(first, number(fields.next()?)?),
        _ => return None,
    };
    fields.next().is_none().then_some(Entry { at, what })
}

/// A decimal number as it would be written.
fn number(text: &str) -> Option<u64> {
    let plain = !text.starts_with(['+', '0']) || text == "0";
    text.parse().ok().filter(|_| plain)
}

/// The notes of a link for its log, while it runs, that were not written yet. Opportunities are drawn again from the trace.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    arrivals: VecDeque<Arrival>,
    departures: VecDeque<Departure>,
    /// Milliseconds and bytes of packets that queue management dropped as they were to leave.
    discards: VecDeque<(u64, u64)>,
    /// Packets and bytes that have made room for the packet that comes.
    room: (u64, u64),
    /// The opportunities that were not written yet, and how many were.
    drawn: Option<Box<Opportunities>>,
    number: u64,
}

#[derive(Copy, Clone, Debug)]
struct Arrival {
    /// Millisecond.
    at: u64,
    bytes: u64,
    /// Packets that were lost as it came, itself or those that made room for it, and their bytes.
    lost: (u64, u64),
}

#[derive(Copy, Clone, Debug)]
struct Departure {
    /// Number of its opportunity.
    opportunity: u64,
    /// Millisecond in which it came.
    came: u64,
    bytes: u64,
}

impl Journal {
    /// A packet of so many bytes comes to the queue.
    pub fn arrived(&mut self, now: Time, bytes: u64) {
        let lost = std::mem::take(&mut self.room);
        self.arrive(now, bytes, lost);
    }

    /// A packet of so many bytes was lost as it came.
    pub fn dropped(&mut self, now: Time, bytes: u64) {
        let (packets, room) = std::mem::take(&mut self.room);
        self.arrive(now, bytes, (packets + 1, room + bytes));
    }

    /// A packet of so many bytes that waits is lost to make room for the one that comes.
    pub fn made_room(&mut self, bytes: u64) {
        self.room = (self.room.0 + 1, self.room.1 + bytes);
    }

    fn arrive(&mut self, now: Time, bytes: u64, lost: (u64, u64)) {
        let at = now.0 / MILLISECOND.0;
        self.arrivals.push_back(Arrival { at, bytes, lost });
    }

    /// A packet that came at `queued` leaves at the opportunity of this number.
    pub fn departed(&mut self, opportunity: u64, queued: Time, bytes: u64) {
        self.departures.push_back(Departure {
            opportunity,
            came: queued.0 / MILLISECOND.0,
            bytes,
        });
    }

    /// Queue management dropped a packet of so many bytes as it was to leave.
    pub fn discarded(&mut self, now: Time, bytes: u64) {
        self.discards.push_back((now.0 / MILLISECOND.0, bytes));
    }

    /// Takes the arrivals before a millisecond.
    fn take_arrivals(&mut self, before: u64, into: &mut Vec<Entry>) {
        while let Some(Arrival { at, bytes, lost }) = self.arrivals.front().copied() {
            if at >= before {
                return;
            }
            self.arrivals.pop_front();
            let what = Happening::Arrival(bytes);
            into.push(Entry { at, what });
            let (packets, bytes) = lost;
            if packets > 0 {
                let what = Happening::Drop(packets, bytes);
                into.push(Entry { at, what });
            }
        }
    }

    /// Takes an opportunity at a millisecond with its departures.
    fn take_opportunity(&mut self, at: u64, bytes: u64, into: &mut Vec<Entry>) {
        self.number += 1;
        let what = Happening::Opportunity(bytes);
        into.push(Entry { at, what });
        // A drop as a packet is to leave happens at an opportunity.
        while let Some((_, bytes)) = self.discards.front().copied().filter(|d| d.0 <= at) {
            self.discards.pop_front();
            let what = Happening::Discard(1, bytes);
            into.push(Entry { at, what });
        }
        while let Some(departure) = self.departures.front().copied() {
            if departure.opportunity != self.number {
                return;
            }
            self.departures.pop_front();
            let what = Happening::Departure(departure.bytes, at - departure.came);
            into.push(Entry { at, what });
        }
    }
}

impl Journal {
    /// Opportunities that were drawn for the log.
    pub(super) fn drawn(&self) -> u64 {
        self.drawn.as_ref().map_or(0, |drawn| drawn.drawn())
    }

    /// Something changes after so many opportunities.
    pub(super) fn turn(&mut self, after: u64, turn: &Turn) {
        if let Some(drawn) = &mut self.drawn {
            drawn.turn(after, turn);
        }
    }
}

impl Server {
    /// Takes what happened since the last call, as a log's entries: up to `now` at the end of a run, before its
    /// millisecond while the run goes on, because more may happen in that.
    pub fn take_entries(&mut self, now: Time, over: bool) -> Vec<Entry> {
        let Some(mut journal) = self.journal.take() else {
            return Vec::new();
        };
        let drawn = journal.drawn.take();
        let mut drawn = drawn.unwrap_or_else(|| Box::new(Opportunities::new(self)));
        let begun = floor(now);
        let mut all = Vec::new();
        while let Some(at) = drawn.take_if(|at| if over { at <= now } else { at < begun }) {
            let at = at.0 / MILLISECOND.0;
            let before = match self.spec.first {
                First::Opportunity => at,
                First::Arrival => at + 1,
            };
            journal.take_arrivals(before, &mut all);
            journal.take_opportunity(at, self.spec.opportunity, &mut all);
        }
        let before = if over {
            u64::MAX
        } else {
            begun.0 / MILLISECOND.0
        };
        journal.take_arrivals(before, &mut all);
        journal.drawn = Some(drawn);
        self.journal = Some(journal);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "# mahimahi mm-link (Uplink) [a.trace] > a.log\n# queue: droptail [packets=1]\n\
        # base timestamp: 41\n# mahimahi config: [delay 20 ms] \n41 # 1504\n42 + 1504\n42 + 60\n\
        42 d 1 60\n44 # 1504\n# 44 d 1 60\n44 - 1504 2\n";

    #[test]
    fn a_log_is_written_back_as_it_was_read() {
        let log = Log::parse(LOG.as_bytes()).unwrap();
        assert_eq!(log.write(), LOG);
        assert_eq!(log.value("base timestamp"), Some("41"));
        assert_eq!(log.value("mahimahi config"), Some("[delay 20 ms] "));
        assert_eq!(log.value("init timestamp"), None);
        assert_eq!(log.entries[5].what, Happening::Discard(1, 60));
        assert_eq!(log.entries[6].what, Happening::Departure(1504, 2));
    }

    #[test]
    fn what_would_not_be_written_back_equal_is_refused_with_its_line() {
        for (text, why) in [
            ("", "empty"),
            ("1 # 1504", "isn't whole"),
            ("1 # 1504\n\n", "line 2"),
            ("1 # 1504\r\n", "line 1"),
            ("01 # 1504\n", "line 1"),
            ("1  # 1504\n", "line 1"),
            ("1 - 1504\n", "line 1"),
            ("1 + 1504 2\n", "line 1"),
            ("2 + 1504\n1 + 1504\n", "line 2: the times go back"),
            ("2 + 1504\n# late\n", "line 2: a header line"),
            ("2 + 1504\n# 2 + 1504\n", "line 2: a header line"),
            ("2 + 1504\n# # 2 d 1 60\n", "line 2: a header line"),
            ("2 + 1504\n# 1 d 1 60\n", "line 2: the times go back"),
            ("-2 + 1504\n", "line 1"),
        ] {
            let found = Log::parse(text.as_bytes()).expect_err(text).to_string();
            assert!(found.contains(why), "{text:?}: {found}");
        }
    }
}
