//! A recorded trace: one decimal millisecond on each line, one opportunity for each line.
//!
//! When: at the milliseconds of the file. Repeated, the next pass begins at the last line's instant,
//! so that a first line of 0 and the last line coincide. With a drawn phase the first pass begins at a
//! millisecond of the file that is drawn from the seed, each alike.
//! Reference: mahimahi and cellsim (both read the same files).
//! Differences: what they would misread is refused with its line: an empty file or line, text,
//! a carriage return, a number that is negative or goes back, a last line of 0.

use std::sync::Arc;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::schedule::{Build, Schedule};
use crate::source::trace::{self, Fault, Place, quote};

/// See the head of the file.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Milliseconds; the last is above zero.
    lines: Arc<[u32]>,
    repeat: bool,
    /// Whether the first pass begins in the middle.
    drawn: bool,
    /// Milliseconds of the file before the beginning of the run; absent until the first opportunity is asked for.
    phase: Option<u64>,
    /// Beginning of the present pass, ms after that of the first.
    base: u64,
    next: usize,
}

impl Recorded {
    /// Of milliseconds that were checked, repeated.
    pub(super) fn new(lines: Arc<[u32]>) -> Recorded {
        Recorded {
            lines,
            repeat: true,
            drawn: false,
            phase: None,
            base: 0,
            next: 0,
        }
    }

    /// Milliseconds of one pass.
    pub fn lines(&self) -> &[u32] {
        &self.lines
    }

    /// Whether it begins again after its end.
    pub fn repeats(&self) -> bool {
        self.repeat
    }

    /// The same, repeated or not.
    pub fn repeated(mut self, repeat: bool) -> Recorded {
        self.repeat = repeat;
        self
    }

    /// Whether it begins at a millisecond that the seed chooses.
    pub fn begins_anywhere(&self) -> bool {
        self.drawn
    }

    /// The same, begun at a millisecond that the seed chooses.
    pub fn begun_anywhere(mut self) -> Recorded {
        self.drawn = true;
        self
    }

    /// Milliseconds of the file that are over when the run begins.
    fn phase(&mut self, random: &mut Random) -> u64 {
        if let Some(phase) = self.phase {
            return phase;
        }
        let last = u64::from(self.lines[self.lines.len() - 1]);
        let phase = if self.drawn {
            random.between(0, last - 1)
        } else {
            0
        };
        self.next = self.lines.partition_point(|ms| u64::from(*ms) < phase);
        self.phase = Some(phase);
        phase
    }
}

impl Schedule for Recorded {
    fn next(&mut self, _: u64, random: &mut Random) -> Option<Time> {
        let phase = self.phase(random);
        if self.next == self.lines.len() {
            if !self.repeat {
                return None;
            }
            self.base += u64::from(self.lines[self.next - 1]);
            self.next = 0;
        }
        let ms = self.base + u64::from(self.lines[self.next]) - phase;
        self.next += 1;
        ms.checked_mul(Span::millis(1).0).map(Time)
    }
}

/// The milliseconds of a trace file.
///
/// # Errors
/// When the file is wrong; the error says the line.
pub fn read(content: &[u8]) -> Result<Arc<[u32]>, Fault> {
    if content.is_empty() {
        return Err(Place::Whole.fault("the trace is empty"));
    }
    let body = content.strip_suffix(b"\n").unwrap_or(content);
    // No file is believed to have more lines than it has bytes.
    let mut lines: Vec<u32> = Vec::with_capacity(content.len() / 4);
    for (index, line) in body.split(|byte| *byte == b'\n').enumerate() {
        let place = Place::Line(index + 1);
        let ms = millisecond(line).map_err(|why| place.fault(why))?;
        if let Some(last) = lines.last().filter(|last| **last > ms) {
            return Err(place.fault(format!("{ms} comes after {last}: the times go back")));
        }
        lines.push(ms);
    }
    if lines.last() == Some(&0) {
        return Err(Place::Line(lines.len()).fault("the last time is 0: the trace has no length"));
    }
    Ok(lines.into())
}

fn millisecond(line: &[u8]) -> Result<u32, String> {
    match line {
        b"" => return Err("the line is empty".into()),
        [.., b'\r'] => return Err("the line ends with a carriage return (CRLF)".into()),
        [b'-', rest @ ..] if !rest.is_empty() && rest.iter().all(u8::is_ascii_digit) => {
            return Err(format!(
                "{} is negative",
                quote(&String::from_utf8_lossy(line))
            ));
        }
        _ if line.iter().any(|byte| !byte.is_ascii_digit()) => {
            let shown = String::from_utf8_lossy(&line[..line.len().min(200)]);
            return Err(format!(
                "{} is not a whole number of milliseconds",
                quote(&shown)
            ));
        }
        _ => {}
    }
    let digits = str::from_utf8(line).expect("digits are text");
    digits.parse().map_err(|_| {
        format!(
            "{} milliseconds are more than 2^32, 49 days",
            quote(&digits[..digits.len().min(60)])
        )
    })
}

/// A trace as a file.
pub fn write(lines: impl IntoIterator<Item = u64>) -> String {
    let mut text = String::new();
    for ms in lines {
        text.push_str(&ms.to_string());
        text.push('\n');
    }
    text
}

pub(super) const PART: Part<Build<Recorded>> = Part {
    id: "file",
    aliases: &["mahimahi"],
    summary: "opportunities at the milliseconds of a file",
    source: "trace files of mahimahi and cellsim",
    options: &[Opt::new("file", Kind::File, Default::Required, "the trace")],
    build: |args| recorded("file", args),
};

/// The trace in the file of an option.
pub(super) fn recorded(option: &'static str, args: &Args) -> Result<Recorded, Refusal> {
    let file = args.file(option);
    let lines = read(&file.content).map_err(|fault| {
        trace::refusal(
            &fault,
            option,
            &file,
            "write one millisecond on each line, in order, such as 0, 3, 3, 7",
        )
    })?;
    Ok(Recorded::new(lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(content: &[u8]) -> String {
        read(content)
            .expect_err("a trace that is refused")
            .to_string()
    }

    #[test]
    fn a_trace_is_read_with_or_without_a_last_newline() {
        assert_eq!(*read(b"0\n0\n3\n").unwrap(), [0, 0, 3]);
        assert_eq!(*read(b"7\n8").unwrap(), [7, 8]);
        assert_eq!(write([0, 0, 3]), "0\n0\n3\n");
    }

    #[test]
    fn what_mahimahi_would_misread_is_refused_with_its_line() {
        assert!(why(b"").contains("empty"));
        assert!(why(b"1\n\n2\n").contains("line 2: the line is empty"));
        assert!(why(b"1\n2\n\n").contains("line 3: the line is empty"));
        assert!(why(b"1\r\n2\r\n").contains("line 1: the line ends with a carriage return"));
        assert!(why(b"1\n-2\n").contains("line 2: \"-2\" is negative"));
        assert!(why(b"5\n4\n").contains("line 2: 4 comes after 5"));
        assert!(why(b"1\n2 # two\n").contains("line 2: \"2 # two\" is not a whole number"));
        assert!(why(b"1\n\xff\xfe\n").contains("line 2"));
        assert!(why(b"1.5\n").contains("not a whole number"));
        assert!(why(b" 1\n").contains("not a whole number"));
        assert!(why(b"0\n0\n").contains("line 2: the last time is 0"));
        assert!(why(b"4294967296\n").contains("49 days"));
    }

    #[test]
    fn a_line_of_a_megabyte_is_refused_in_a_short_message() {
        for byte in [b'1', b'x'] {
            let message = why(&vec![byte; 1 << 20]);
            assert!(message.contains("line 1"), "{message}");
            assert!(message.len() < 200, "{message}");
        }
    }

    #[test]
    fn passes_join_at_the_last_line() {
        let trace = Recorded {
            lines: read(b"0\n4\n10\n").unwrap(),
            repeat: true,
            drawn: false,
            phase: None,
            base: 0,
            next: 0,
        };
        let mut random = Random::stream(1, "trace", "t");
        let mut take = |mut t: Recorded| -> Vec<u64> {
            (0..7)
                .filter_map(|_| t.next(1500, &mut random).map(|at| at.0 / 1_000_000_000))
                .collect()
        };
        assert_eq!(take(trace.clone()), [0, 4, 10, 10, 14, 20, 20]);
        assert_eq!(take(trace.repeated(false)), [0, 4, 10]);
    }

    /// Begun at the millisecond p, the opportunities are those of the repeated trace from p on, p earlier. Each of the ten
    /// phases comes up in a tenth of 4,000 draws: 400, within five standard deviations of 19.
    #[test]
    fn a_drawn_phase_shifts_the_repeated_trace_and_each_is_as_likely() {
        let trace = Recorded {
            lines: read(b"0\n4\n10\n").unwrap(),
            repeat: true,
            drawn: true,
            phase: None,
            base: 0,
            next: 0,
        };
        let all: Vec<u64> = vec![0, 4, 10, 10, 14, 20, 20, 24, 30, 30];
        let mut drawn = [0_u32; 10];
        for seed in 0..4_000 {
            let mut random = Random::stream(seed, "trace", "t");
            let mut begun = trace.clone();
            let instants: Vec<u64> = (0..5)
                .filter_map(|_| begun.next(1500, &mut random).map(|at| at.0 / 1_000_000_000))
                .collect();
            let phase = begun.phase.unwrap();
            let expected: Vec<u64> = all.iter().filter_map(|ms| ms.checked_sub(phase)).collect();
            assert_eq!(instants, expected[..5], "{phase}");
            drawn[phase as usize] += 1;
        }
        assert!(
            drawn.iter().all(|count| count.abs_diff(400) < 95),
            "{drawn:?}"
        );
    }
}
