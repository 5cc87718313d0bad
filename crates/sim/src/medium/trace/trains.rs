//! Light traffic on a cellular link: a packet that comes to a link at rest waits for a grant of the radio, and those right
//! behind it leave at the instants at which a short train of packets left when the trace was recorded.
//!
//! When: a packet that would be let go, after the base delay of the present train, more than `timer` later than the one
//! before begins a new train. It waits for the base delay of its time, interpolated between the lines of the file, and uses
//! the train's first opportunity. Packets that come within the train use its next opportunities. When none is left, they
//! wait for the base delay, or for the last opportunity where that is longer, and then in the queue of the heavy trace.
//! A packet that a train lets go leaves at once if that queue is empty.
//!
//! Reference: CellReplay (Sentosa et al., NSDI 2025), `cellular_queue.cc`.
//! Differences: the clock begins with the run and not with the first packet. The correction of delays by packet size is
//! left out. The first packet may use all of an opportunity, whatever its size. Before the first line its delay
//! holds; the original continues the line from the first to the second backwards. Refused are what the original would misread:
//! a line without opportunities, opportunities that go back, two lines of one time. Two lines are enough, not three.

use std::sync::Arc;

use backwater_transport::units::{Span, Time};

use crate::source::trace::{Fault, Place, quote};

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Train {
    /// When it was recorded, ms.
    at: u32,
    /// Delay of its first packet, ms.
    base: u32,
    /// Opportunities, ms after the first packet came.
    opportunities: Box<[u32]>,
}

/// The lines of a file of trains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trains {
    lines: Arc<[Train]>,
}

/// The fate of a packet.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// When it comes to the queue of the heavy trace.
    pub at: Time,
    /// It leaves then, if that queue is empty.
    pub light: bool,
}

impl Trains {
    /// Reads lines of `time delay opportunity…`, all in whole milliseconds.
    ///
    /// # Errors
    /// When the file is wrong; the error says the line.
    pub fn read(content: &[u8]) -> Result<Trains, Fault> {
        let body = content.strip_suffix(b"\n").unwrap_or(content);
        let mut lines: Vec<Train> = Vec::new();
        for (index, line) in body.split(|byte| *byte == b'\n').enumerate() {
            let place = Place::Line(index + 1);
            let train = train(line).map_err(|why| place.fault(why))?;
            if let Some(last) = lines.last().filter(|last| last.at >= train.at) {
                let what = format!("{} comes after {}: the times must grow", train.at, last.at);
                return Err(place.fault(what));
            }
            lines.push(train);
        }
        match lines.len() >= 2 {
            true => Ok(Trains {
                lines: lines.into(),
            }),
            false => Err(Place::Whole.fault("one line is no trace: the last line ends it")),
        }
    }

    /// The number of the line that holds at a millisecond of the trace, and its base delay then.
    fn line_at(&self, ms: u64) -> (usize, u64) {
        let after = self.lines.partition_point(|line| u64::from(line.at) <= ms);
        // Before the first line, its delay; behind the last one there is nothing: the trace has begun again.
        let number = after.saturating_sub(1).min(self.lines.len() - 2);
        let (this, next) = (&self.lines[number], &self.lines[number + 1]);
        let gone = ms.saturating_sub(u64::from(this.at)) as f64;
        let share = gone / f64::from(next.at - this.at);
        let base = f64::from(this.base) + share * (f64::from(next.base) - f64::from(this.base));
        (number, base as u64)
    }
}

fn train(line: &[u8]) -> Result<Train, String> {
    let text = str::from_utf8(line).map_err(|_| "the line is no text".to_owned())?;
    if text.ends_with('\r') {
        return Err("the line ends with a carriage return (CRLF)".into());
    }
    let numbers = text.split(' ').map(|word| {
        let shown: String = word.chars().take(60).collect();
        let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
        let number = digits.then(|| word.parse::<u32>().ok()).flatten();
        number.ok_or(format!(
            "{} is not a whole number of milliseconds",
            quote(&shown)
        ))
    });
    let numbers = numbers.collect::<Result<Vec<u32>, String>>()?;
    let [at, base, opportunities @ ..] = &numbers[..] else {
        return Err("a time and a delay are needed".into());
    };
    if opportunities.is_empty() {
        return Err("no opportunity follows the delay".into());
    }
    if opportunities.windows(2).any(|two| two[0] > two[1]) {
        return Err("the opportunities go back".into());
    }
    Ok(Train {
        at: *at,
        base: *base,
        opportunities: opportunities.into(),
    })
}

/// Trains that are replayed. See the head of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainReplay {
    trains: Trains,
    timer: Span,
    /// Bytes of an opportunity, and what a packet takes besides its IP bytes.
    opportunity: u64,
    overhead: u64,
    /// Whether instants count in whole milliseconds.
    milliseconds: bool,
    /// The train that runs.
    present: Option<Present>,
    /// When the packet before is let go.
    last: Time,
}

/// A train that runs.
#[derive(Clone, Debug, PartialEq)]
struct Present {
    line: usize,
    began: Time,
    base: Span,
    /// The opportunity in use, and the bytes left of it.
    number: usize,
    left: u64,
    /// When its last packet is let go, before the order of packets is kept.
    released: Time,
}

impl TrainReplay {
    /// At the beginning of the trace.
    pub fn new(
        trains: Trains,
        timer: Span,
        (opportunity, overhead): (u64, u64),
        milliseconds: bool,
    ) -> TrainReplay {
        TrainReplay {
            trains,
            timer,
            opportunity,
            overhead,
            milliseconds,
            present: None,
            last: Time::ZERO,
        }
    }

    /// The shortest base delay.
    pub fn least(&self) -> Span {
        let bases = self.trains.lines.iter().map(|line| line.base);
        Span::millis(u64::from(bases.min().unwrap_or(0)))
    }

    /// A packet of so many IP bytes comes. Called in order of time.
    pub fn release(&mut self, now: Time, len: u16) -> Release {
        let from = match self.milliseconds {
            true => super::floor(now),
            false => now,
        };
        let size = u64::from(len) + self.overhead;
        let rests = self
            .present
            .as_ref()
            .is_none_or(|p| from.after(p.base) > p.released.after(self.timer));
        let (at, light) = match rests {
            true => (self.begin(from, size), true),
            false => self.go_on(from, size),
        };
        let at = at.max(now);
        let light = light && at >= self.last;
        self.last = at.max(self.last);
        Release {
            at: self.last,
            light,
        }
    }

    fn begin(&mut self, from: Time, size: u64) -> Time {
        let length = Span::millis(u64::from(self.trains.lines.last().map_or(1, |l| l.at)));
        let ms = (from.0 % length.0) / Span::millis(1).0;
        let (line, base) = self.trains.line_at(ms);
        let base = Span::millis(base);
        let released = from.after(base);
        self.present = Some(Present {
            line,
            began: from,
            base,
            number: 0,
            left: self.opportunity.saturating_sub(size),
            released,
        });
        released
    }

    fn go_on(&mut self, from: Time, size: u64) -> (Time, bool) {
        let present = self.present.as_mut().expect("a train runs");
        let all = &self.trains.lines[present.line].opportunities;
        let after = |ms: &u32| Span::millis(u64::from(*ms));
        let gone = from.since(present.began);
        while all.get(present.number).is_some_and(|ms| gone > after(ms)) {
            present.number += 1;
            present.left = self.opportunity;
        }
        if present.left < size {
            present.number += 1;
            present.left = self.opportunity;
        }
        present.left = present.left.saturating_sub(size);
        let (at, light) = match all.get(present.number) {
            Some(ms) => (present.began.after(present.base).after(after(ms)), true),
            None => {
                let last = after(all.last().expect("a train has opportunities"));
                (from.after(present.base.max(last)), false)
            }
        };
        present.released = at;
        (at, light)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Time {
        Time(n * Span::millis(1).0)
    }

    fn replay(text: &[u8], timer: u64) -> TrainReplay {
        let trains = Trains::read(text).expect("a good file");
        TrainReplay::new(trains, Span::millis(timer), (1504, 4), true)
    }

    fn light(n: u64) -> Release {
        Release {
            at: ms(n),
            light: true,
        }
    }

    fn heavy(n: u64) -> Release {
        Release {
            at: ms(n),
            light: false,
        }
    }

    /// Worked out by hand from the rules at the head of the file: base delay 20 ms, opportunities 0, 2 and 5 ms after the first packet.
    #[test]
    fn a_train_uses_its_opportunities_and_then_the_heavy_trace() {
        let mut trains = replay(b"0 20 0 2 5\n1000 20 0 2 5\n", 0);
        let came: Vec<Release> = (0..5).map(|_| trains.release(ms(100), 1500)).collect();
        let expected = [
            light(120),
            light(122),
            light(125),
            heavy(120 + 5),
            heavy(125),
        ];
        assert_eq!(came[..3], expected[..3]);
        // 100 + the longer of 20 and 5 is 120, but packets keep their order.
        assert_eq!(came[3..], expected[3..]);
    }

    /// Four packets of 372 B and their headers fill an opportunity of 1504 B.
    #[test]
    fn small_packets_share_an_opportunity() {
        let mut trains = replay(b"0 20 0 2 5\n1000 20 0 2 5\n", 0);
        let came: Vec<Release> = (0..6).map(|_| trains.release(ms(100), 372)).collect();
        assert_eq!(came[..4], [light(120); 4]);
        assert_eq!(came[4..], [light(122); 2]);
    }

    /// The first packet leaves 0 B of its opportunity. One that comes when that is over finds the next one whole: 1504 B, of which
    /// 376 are taken, so that 1128 are left for a packet of 1124 B and its header.
    #[test]
    fn an_opportunity_that_begins_is_whole() {
        let mut trains = replay(b"0 20 0 2 5\n1000 20 0 2 5\n", 10);
        assert_eq!(trains.release(ms(100), 1500), light(120));
        assert_eq!(trains.release(ms(101), 372), light(122));
        assert_eq!(trains.release(ms(101), 1124), light(122));
        assert_eq!(trains.release(ms(101), 1), light(125));
    }

    /// A packet that comes 100 ms into a train without opportunities left waits for the base delay of 20 ms, or for the last
    /// opportunity where that is longer.
    #[test]
    fn behind_a_train_the_longer_of_delay_and_train_holds() {
        for (text, at) in [
            (&b"0 20 0 50\n1000 20 0\n"[..], 250),
            (b"0 20 0 5\n1000 20 0\n", 220),
        ] {
            let mut trains = replay(text, 1000);
            assert_eq!(trains.release(ms(100), 1500).at, ms(120));
            let late = trains.release(ms(200), 1500);
            assert!(
                late.at >= ms(at) && late.at < ms(at + 1) && !late.light,
                "{late:?}"
            );
        }
    }

    /// The base delay is 20 ms at 0 ms and 40 ms at 1000 ms: 25 ms at 250 ms. The trace begins again after 1000 ms.
    #[test]
    fn a_packet_after_a_rest_waits_for_the_base_delay_of_its_time() {
        let mut trains = replay(b"0 20 0 9\n1000 40 0 9\n", 0);
        assert_eq!(trains.release(ms(0), 100), light(20));
        assert_eq!(trains.release(ms(250), 100), light(275));
        assert_eq!(trains.release(ms(1500), 100), light(1530));
        assert_eq!(trains.release(ms(7250), 100), light(7275));
    }

    /// The first line is of 100 ms.
    #[test]
    fn before_the_first_line_its_delay_holds() {
        let mut trains = replay(b"100 20 0\n200 40 0\n", 0);
        assert_eq!(trains.release(ms(50), 100), light(70));
        assert_eq!(trains.release(ms(150), 100), light(180));
    }

    /// A packet 3 ms after the first one could leave 20 ms later as the first of a train, 3 ms after the first was let go: a timer of 3 ms
    /// still counts it as part of the train, and it waits for the opportunity at 9 ms.
    #[test]
    fn the_timer_says_when_a_train_is_over() {
        let two = |timer| {
            let mut trains = replay(b"0 20 0 9\n1000 20 0 9\n", timer);
            trains.release(ms(100), 1500);
            trains.release(ms(103), 1500)
        };
        assert_eq!(two(2), light(123));
        assert_eq!(two(3), light(129));
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said_with_its_line() {
        let why = |text: &[u8]| Trains::read(text).expect_err("refused").to_string();
        assert!(why(b"").contains("line 1: \"\" is not a whole number"));
        assert!(why(b"0 20 0\n").contains("one line is no trace"));
        assert!(why(b"0 20 0\n5\n").contains("line 2: a time and a delay are needed"));
        assert!(why(b"0 20 0\n5 20\n").contains("line 2: no opportunity follows"));
        assert!(why(b"0 20 0\n0 20 0\n").contains("line 2: 0 comes after 0"));
        assert!(why(b"0 20 3 1\n9 20 0\n").contains("line 1: the opportunities go back"));
        assert!(why(b"0 20 0\n9 -2 0\n").contains("line 2: \"-2\" is not"));
        assert!(why(b"0 20 0\r\n9 2 0\r\n").contains("line 1: the line ends with a carriage"));
        assert!(why(b"0 20 0\n9 2 \xff\n").contains("line 2: the line is no text"));
        // Gaps of tens of seconds are no error.
        assert!(Trains::read(b"0 20 0\n60000 20 0\n").is_ok());
    }
}
