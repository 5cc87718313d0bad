//! mahimahi's link logs, read and written byte for byte.
//!
//! After header lines that begin with `#` come, in milliseconds of the link's clock: `t # bytes` for an
//! opportunity, `t + bytes` for an arrival, `t - bytes delay` for a departure, `t d packets bytes` for
//! a drop. An opportunity's departures follow it; an arrival follows the opportunities at or before it.
//! Reference: mahimahi `src/frontend/link_queue.cc`.
//! Differences: none in the format; what would not be written back equal is refused with its line.

use std::fmt::Write as _;

use backwater_transport::units::Time;

use super::{First, MILLISECOND, Server};
use crate::source::trace::{Fault, Place, quote};

/// A log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Header lines, each from its `#` to its end.
    pub header: Vec<String>,
    /// What happened, in order.
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

/// What happened on a link.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// So many bytes could leave.
    Opportunity(u64),
    /// A packet of so many bytes came.
    Arrival(u64),
    /// A packet of so many bytes left, so many milliseconds after it had come.
    Departure(u64, u64),
    /// So many packets with so many bytes were lost.
    Drop(u64, u64),
}

impl Log {
    /// Reads a log.
    ///
    /// # Errors
    /// What is wrong, and in which line.
    pub fn parse(content: &[u8]) -> Result<Log, Fault> {
        let mut log = Log::default();
        let Some(body) = content.strip_suffix(b"\n") else {
            return Err(Place::Whole.fault("the log is empty or its last line isn't whole"));
        };
        for (index, line) in body.split(|byte| *byte == b'\n').enumerate() {
            let place = Place::Line(index + 1);
            let text =
                str::from_utf8(line).map_err(|_| place.fault("the line isn't text in UTF-8"))?;
            if text.starts_with('#') {
                if !log.entries.is_empty() {
                    return Err(place.fault("a header line among what happened"));
                }
                log.header.push(text.to_owned());
                continue;
            }
            let entry = entry(text).ok_or_else(|| {
                place.fault(format!("{} is no line of a mahimahi log", quote(text)))
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
        let rest = |line: &'_ String| -> Option<usize> {
            let begin = "# ".len() + name.len() + ": ".len();
            (line.get(2..2 + name.len()) == Some(name) && line.len() >= begin).then_some(begin)
        };
        self.header
            .iter()
            .find_map(|line| rest(line).map(|begin| &line[begin..]))
    }

    /// As a file.
    pub fn write(&self) -> String {
        let mut text = String::new();
        for line in &self.header {
            text.push_str(line);
            text.push('\n');
        }
        for Entry { at, what } in &self.entries {
            let written = match what {
                Happening::Opportunity(bytes) => writeln!(text, "{at} # {bytes}"),
                Happening::Arrival(bytes) => writeln!(text, "{at} + {bytes}"),
                Happening::Departure(bytes, delay) => writeln!(text, "{at} - {bytes} {delay}"),
                Happening::Drop(packets, bytes) => writeln!(text, "{at} d {packets} {bytes}"),
            };
            written.expect("a string takes all that is written");
        }
        text
    }
}

fn entry(text: &str) -> Option<Entry> {
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

/// What a link notes for its log while it runs. Opportunities are drawn again from the trace.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    /// Millisecond and bytes of each arrival, those included that were lost at once.
    arrivals: Vec<(u64, u64)>,
    /// Which of them were lost.
    drops: Vec<usize>,
    /// Number of the opportunity, millisecond of arrival and bytes of each departure.
    departures: Vec<(u64, u64, u64)>,
}

impl Journal {
    /// A packet of so many bytes comes to the queue.
    pub fn arrived(&mut self, now: Time, bytes: u64) {
        self.arrivals.push((now.0 / MILLISECOND.0, bytes));
    }

    /// A packet of so many bytes was lost as it came.
    pub fn dropped(&mut self, now: Time, bytes: u64) {
        self.drops.push(self.arrivals.len());
        self.arrived(now, bytes);
    }

    /// A packet that came at `queued` leaves at the opportunity of this number.
    pub fn departed(&mut self, opportunity: u64, queued: Time, bytes: u64) {
        self.departures
            .push((opportunity, queued.0 / MILLISECOND.0, bytes));
    }
}

impl Server {
    /// What happened on the link up to `end`, as a log's entries.
    pub fn entries(&self, end: Time) -> Vec<Entry> {
        let Some(journal) = &self.journal else {
            return Vec::new();
        };
        let mut all = Vec::new();
        let mut departures = journal.departures.iter().peekable();
        let mut arrivals = journal.arrivals.iter().enumerate().peekable();
        let mut drops = journal.drops.iter().peekable();
        let mut arrive = |all: &mut Vec<Entry>, before: u64| {
            while let Some((index, (at, bytes))) = arrivals.next_if(|(_, (at, _))| *at < before) {
                all.push(Entry {
                    at: *at,
                    what: Happening::Arrival(*bytes),
                });
                if drops.next_if_eq(&&index).is_some() {
                    all.push(Entry {
                        at: *at,
                        what: Happening::Drop(1, *bytes),
                    });
                }
            }
        };
        for (number, at) in (1..).zip(self.opportunities(end)) {
            let at = at.0 / MILLISECOND.0;
            let before = match self.spec.first {
                First::Opportunity => at,
                First::Arrival => at + 1,
            };
            arrive(&mut all, before);
            all.push(Entry {
                at,
                what: Happening::Opportunity(self.spec.opportunity),
            });
            while let Some((_, came, bytes)) = departures.next_if(|(n, _, _)| *n == number) {
                all.push(Entry {
                    at,
                    what: Happening::Departure(*bytes, at - came),
                });
            }
        }
        arrive(&mut all, u64::MAX);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "# mahimahi mm-link (Uplink) [a.trace] > a.log\n# queue: droptail [packets=1]\n\
        # base timestamp: 41\n# mahimahi config: [delay 20 ms] \n41 # 1504\n42 + 1504\n42 + 60\n\
        42 d 1 60\n44 # 1504\n44 - 1504 2\n";

    #[test]
    fn a_log_is_written_back_as_it_was_read() {
        let log = Log::parse(LOG.as_bytes()).unwrap();
        assert_eq!(log.write(), LOG);
        assert_eq!(log.value("base timestamp"), Some("41"));
        assert_eq!(log.value("mahimahi config"), Some("[delay 20 ms] "));
        assert_eq!(log.value("init timestamp"), None);
        assert_eq!(log.entries[5].what, Happening::Departure(1504, 2));
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
            ("-2 + 1504\n", "line 1"),
        ] {
            let found = Log::parse(text.as_bytes()).expect_err(text).to_string();
            assert!(found.contains(why), "{text:?}: {found}");
        }
    }
}
