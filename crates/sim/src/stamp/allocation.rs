//! How XCP's routers divide a change of throughput among packets: an increase in equal parts for each
//! flow, a decrease in proportion to throughput, and a shuffle of both.

use backwater_transport::congestion_header::CongestionHeader;
use backwater_transport::part::{Default as Value, Kind, Opt};
use backwater_transport::units::Span;

/// Round trips are counted up to this.
const LONGEST: f64 = 1.0;
/// Round trip before the first is known.
pub const FIRST: Span = Span::millis(50);

/// Share of the traffic that is shuffled.
pub const SHUFFLE: Opt = Opt::new(
    "gamma",
    Kind::Number,
    Value::Is("0.1"),
    "share of the traffic that is shuffled among flows for each round trip",
)
.at_least("0")
.at_most("1");

/// Counters of a control interval, and the rest of the last interval's change.
#[derive(Clone, Debug, Default)]
pub struct Allocation {
    /// As in the SIGCOMM paper: by bytes, without a residue and without regard to what routers before said.
    by_bytes: bool,
    bytes: u64,
    spacing: f64,
    spaced_rtt: f64,
    spaced_bytes: f64,
    positive: Share,
    negative: Share,
}

/// A change of throughput in bytes/s.
#[derive(Copy, Clone, Debug, Default)]
struct Share {
    /// The amount that is left to give.
    left: f64,
    /// For each second of spacing (positive) or byte (negative).
    per: f64,
}

impl Share {
    fn take(&mut self, amount: f64) {
        self.left = (self.left - amount).max(0.0);
        if self.left == 0.0 {
            self.per = 0.0;
        }
    }
}

impl Allocation {
    /// Nothing counted, nothing to give.
    pub fn new(by_bytes: bool) -> Allocation {
        Allocation {
            by_bytes,
            ..Allocation::default()
        }
    }

    /// Counts an arrival.
    pub fn count(&mut self, size: u64, header: Option<&CongestionHeader>) {
        self.bytes += size;
        if let Some(CongestionHeader::Change { rtt, spacing, .. }) = header
            && *rtt > Span::ZERO
        {
            self.spacing += spacing;
            self.spaced_rtt += rtt.seconds().min(LONGEST) * spacing;
            self.spaced_bytes += spacing * size as f64;
        }
    }

    /// Bytes in this interval.
    pub fn bytes(&self) -> f64 {
        self.bytes as f64
    }

    /// Mean round trip over flows in this interval.
    pub fn mean_rtt(&self) -> Span {
        match self.spacing > 0.0 {
            true => Span::from_seconds(self.spaced_rtt / self.spacing),
            false => FIRST,
        }
    }

    /// An interval is over: the change of throughput `phi` and the shuffle, both in bytes/s, go to the packets of
    /// the next. Counts begin anew.
    pub fn divide(&mut self, phi: f64, shuffle: f64) {
        let (more, less) = (shuffle + phi.max(0.0), shuffle + (-phi).max(0.0));
        let spread = if self.by_bytes {
            self.spaced_bytes
        } else {
            self.spacing
        };
        let share = |left: f64, over: f64| match over > 0.0 {
            true => Share {
                left,
                per: left / over,
            },
            false => Share { left, per: 0.0 },
        };
        let (positive, negative) = (share(more, spread), share(less, self.bytes as f64));
        *self = Allocation {
            positive,
            negative,
            ..Allocation::new(self.by_bytes)
        };
    }

    /// Writes the change of a packet that departs.
    pub fn write(&mut self, size: u64, header: Option<&mut CongestionHeader>) {
        let Some(CongestionHeader::Change {
            rtt,
            spacing,
            change,
        }) = header
        else {
            return;
        };
        if *rtt == Span::ZERO {
            *change = 0.0;
            return;
        }
        if self.by_bytes {
            let size = size as f64;
            let given = self.positive.per * *spacing * size - self.negative.per * size;
            *change = change.min(given);
            return;
        }
        let mut more = (self.positive.per * *spacing).min(self.positive.left);
        let mut less = (self.negative.per * size as f64).min(self.negative.left);
        let given = more - less;
        if *change >= given {
            *change = given;
        } else {
            // A router before gave less: this one takes back what it would have given beyond that.
            less = (less + (given - *change)).min(self.negative.left);
            more = *change + less;
        }
        self.positive.take(more);
        self.negative.take(less);
    }
}
