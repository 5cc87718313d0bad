//! Knobs: numbers of a part that may be moved while a world runs, as a learner does.

use backwater_transport::units::Span;

use crate::ids::PortId;

/// Seconds between which a row lets a target be written: 1 us and 100 s.
const TARGETS: (f64, f64) = (1e-6, 100.0);

/// Where a knob is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The queue management of a port.
    Queue(PortId),
    /// The detectors of a mechanism, by its number and the ports that it watches.
    Mechanism(u32, Vec<PortId>),
    /// An access category of a station, by their names.
    Category(String, String),
}

/// Bounds of a knob and where it stands, in seconds, shares, bytes or slots.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Range {
    /// Least value.
    pub low: f64,
    /// Greatest value.
    pub high: f64,
    /// Present value.
    pub now: f64,
}

/// The value that a knob moves.
#[derive(Debug)]
enum Field<'a> {
    Span(&'a mut Span),
    Number(&'a mut f64),
    Bytes(&'a mut u64),
}

/// A number of a part, its name as an option, and its bounds: seconds, shares or bytes.
#[derive(Debug)]
pub struct Knob<'a> {
    /// Name of the option.
    pub name: &'static str,
    /// Least value.
    pub low: f64,
    /// Greatest value.
    pub high: f64,
    field: Field<'a>,
}

impl<'a> Knob<'a> {
    /// A queueing delay that is aimed at.
    pub fn target(name: &'static str, field: &'a mut Span) -> Knob<'a> {
        Knob {
            name,
            low: TARGETS.0,
            high: TARGETS.1,
            field: Field::Span(field),
        }
    }

    /// The same, kept in seconds.
    pub fn target_s(name: &'static str, field: &'a mut f64) -> Knob<'a> {
        Knob {
            name,
            low: TARGETS.0,
            high: TARGETS.1,
            field: Field::Number(field),
        }
    }

    /// A share of a buffer, between another mark and all.
    pub fn share(name: &'static str, low: f64, field: &'a mut f64) -> Knob<'a> {
        Knob {
            name,
            low,
            high: 1.0,
            field: Field::Number(field),
        }
    }

    /// Bytes, from another mark on.
    pub fn bytes(name: &'static str, low: u64, field: &'a mut u64) -> Knob<'a> {
        Knob {
            name,
            low: low as f64,
            high: MOST_BYTES,
            field: Field::Bytes(field),
        }
    }

    /// Where it stands.
    pub fn now(&self) -> f64 {
        match &self.field {
            Field::Span(span) => span.seconds(),
            Field::Number(number) => **number,
            Field::Bytes(bytes) => **bytes as f64,
        }
    }

    /// Moves it; a value beyond the bounds goes to the nearer of them.
    pub fn turn(self, value: f64) {
        let value = value.clamp(self.low, self.high);
        match self.field {
            Field::Span(span) => *span = Span::from_seconds(value),
            Field::Number(number) => *number = value,
            Field::Bytes(bytes) => *bytes = value as u64,
        }
    }
}

/// Bytes above which a threshold in bytes is none: more than a switch holds.
const MOST_BYTES: f64 = 1e9;
