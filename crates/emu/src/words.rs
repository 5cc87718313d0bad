//! The words of a command line, read one after the other: numbers, directions and quantities.

use crate::fault::Fault;

/// A direction: from the command outwards, or back.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Out of the namespace.
    Up,
    /// Into it.
    Down,
}

/// The words of a command line, one after the other.
pub struct Words<'a> {
    /// The words that were not read yet.
    pub left: std::iter::Peekable<std::slice::Iter<'a, String>>,
}

impl<'a> Words<'a> {
    /// The next word, which must not end the boxes.
    pub fn need(&mut self, of: &str, what: &str) -> Result<&'a str, Fault> {
        let word = self.left.next_if(|word| *word != "--");
        word.map(String::as_str).ok_or_else(|| {
            let fix = format!("write `{of} {}`", usage(of));
            Fault::refused(format!("{what} is missing"), of, fix)
        })
    }

    /// The next word as a number that is not negative.
    pub fn number(&mut self, of: &str, what: &str) -> Result<f64, Fault> {
        let word = self.need(of, what)?;
        let number = word
            .parse()
            .ok()
            .filter(|n: &f64| n.is_finite() && *n >= 0.0);
        number.ok_or_else(|| {
            let fix = format!("write `{of} {}`", usage(of));
            Fault::refused(format!("{what} is no number: `{word}`"), of, fix)
        })
    }

    /// The next word as a share of the packets.
    pub fn share(&mut self, of: &str) -> Result<f64, Fault> {
        let share = self.number(of, "the share of packets")?;
        match share <= 1.0 {
            true => Ok(share),
            false => {
                let what = format!("{share} is no share of the packets");
                Err(Fault::refused(what, of, "write a share from 0 to 1"))
            }
        }
    }

    /// The next word as a direction.
    pub fn direction(&mut self, of: &str) -> Result<Direction, Fault> {
        match self.need(of, "the direction")? {
            "uplink" => Ok(Direction::Up),
            "downlink" => Ok(Direction::Down),
            other => {
                let what = format!("`{other}` is no direction");
                Err(Fault::refused(what, of, "write uplink or downlink"))
            }
        }
    }
}

/// The usage that stands behind the name of a box.
pub fn usage(of: &str) -> &'static str {
    match of {
        "delay" => "MILLISECONDS",
        "loss" | "mark" | "duplicate" => "uplink|downlink SHARE",
        "jitter" => "uplink|downlink MILLISECONDS",
        "reorder" => "uplink|downlink SHARE MILLISECONDS",
        "onoff" => "uplink|downlink MEAN-ON-SECONDS MEAN-OFF-SECONDS",
        "link" => {
            "UPLINK-TRACE DOWNLINK-TRACE [--once] [--uplink-log=FILE] [--uplink-queue=NAME] [--uplink-queue-args=ARGS] [--uplink-light=TRAINS] [--uplink-light-timer=MS]"
        }
        _ => "UPLINK-RATE DOWNLINK-RATE, such as `rate 10Mbit/s 50Mbit/s`",
    }
}

/// A delay as mahimahi writes it, in milliseconds, or with a unit of ours.
pub fn milliseconds(word: &str) -> Result<String, Fault> {
    match word.parse::<f64>() {
        Ok(ms) if ms.is_finite() && ms >= 0.0 => Ok(format!("{word} ms")),
        Err(_) if word.ends_with('s') && word.starts_with(|c: char| c.is_ascii_digit()) => {
            Ok(spaced(word))
        }
        _ => {
            let what = format!("`{word}` is no delay");
            Err(Fault::refused(
                what,
                "delay",
                "write milliseconds, such as `delay 20`",
            ))
        }
    }
}

/// A quantity with the blank between number and unit that scenarios have.
pub fn spaced(word: &str) -> String {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = word.split_at(end.unwrap_or(word.len()));
    format!("{number} {}", unit.trim_start())
}
