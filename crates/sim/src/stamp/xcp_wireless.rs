//! XCP for links of varying rate, as ABC's authors run it beside theirs: computed at each departure.
//!
//! Detects: capacity, arrivals and packets over a window of one round trip, the least backlog of the last 100 ms.
//! Tells: a change of throughput. Responds: the senders add it up.
//!
//! Reference: `xcp_packet_queue.cc` in the repository of Goyal et al., NSDI 2020. The round trip is 100 ms and
//! the measured delay of the queue; every packet gets the same change of its window.

use std::collections::VecDeque;

use backwater_transport::congestion_header::{CongestionHeader, Layout};
use backwater_transport::part::{Args, Refusal};
use backwater_transport::units::{Span, Time};

use super::AnyStamp;
use super::law::{LawPacket, LawQueue, Passing, Stamp};
use super::measure::{Meter, Recent};

const BASE: Span = Span::millis(100);
const LONGEST: Span = Span::secs(2);

/// The options and the state.
#[derive(Clone, Debug)]
pub struct XcpWireless {
    alpha: f64,
    beta: f64,
    meter: Meter,
    arrivals: Recent,
    departures: Recent,
    /// Backlogs at departures in the last 100 ms; each lower than those behind it.
    lows: VecDeque<(Time, u64)>,
    phi: f64,
}

impl XcpWireless {
    /// From checked arguments.
    pub fn build(args: &Args, alpha: f64, beta: f64) -> Result<AnyStamp, Refusal> {
        if args.has("capacity") || args.number("capacity_scale") != 1.0 {
            return Err(Refusal {
                option: "variant",
                what: "the wireless form measures the capacity".into(),
                fix: "remove `capacity` and `capacity_scale`, or write variant = \"spec\"".into(),
            });
        }
        let law = XcpWireless {
            alpha,
            beta,
            meter: Meter::Line(0.0),
            arrivals: Recent::new(BASE),
            departures: Recent::new(BASE),
            lows: VecDeque::new(),
            phi: 0.0,
        };
        Ok(law.into())
    }

    /// The least backlog of the last 100 ms.
    fn low(&mut self, now: Time, bytes: u64) -> f64 {
        while self.lows.pop_back_if(|low| low.1 >= bytes).is_some() {}
        self.lows.push_back((now, bytes));
        while self
            .lows
            .pop_front_if(|low| low.0.after(BASE) < now)
            .is_some()
        {}
        self.lows[0].1 as f64
    }
}

impl Stamp for XcpWireless {
    fn layout(&self) -> Option<Layout> {
        Some(Layout::Change)
    }

    fn attach(&mut self, place: &LawQueue) {
        self.meter = Meter::new(place, BASE);
    }

    fn arrive(&mut self, seen: &LawPacket, _: Option<&CongestionHeader>) {
        self.arrivals.add(seen.now, seen.size);
    }

    fn depart(&mut self, seen: &LawPacket, passing: &mut Passing) {
        self.meter.depart(seen);
        let Some(capacity) = self.meter.rate().filter(|rate| *rate > 0.0) else {
            return;
        };
        let wait = Span::from_seconds(seen.backlog.bytes as f64 / capacity);
        let rtt = (BASE + wait).min(LONGEST);
        self.arrivals.set_span(rtt);
        self.departures.set_span(rtt);
        self.departures.add(seen.now, seen.size);
        let low = self.low(seen.now, seen.backlog.bytes);
        let unused = capacity - self.arrivals.rate(seen.now);
        self.phi = self.alpha * rtt.seconds() * unused - self.beta * low;
        if let Some(CongestionHeader::Change {
            rtt: own, change, ..
        }) = passing.header.as_deref_mut()
        {
            let each = self.phi / self.departures.count() as f64;
            let known = *own > Span::ZERO;
            *change = match known {
                true => change.min(each / own.seconds()),
                false => 0.0,
            };
        }
    }

    fn values(&self) -> [(&'static str, f64); 4] {
        let capacity = self.meter.rate().unwrap_or(0.0);
        [
            ("phi_B", self.phi),
            ("capacity_bps", 8.0 * capacity),
            ("", 0.0),
            ("", 0.0),
        ]
    }
}
