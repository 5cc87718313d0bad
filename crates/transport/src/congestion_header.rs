//! The congestion header of schemes with explicit feedback. The sender writes its state and its
//! request, routers may lower the request, the receiver echoes it, and the sender adjusts to the echo.
//!
//! A field without a limit is `f64::INFINITY`: no router has lowered it yet.

use crate::segment::Ecn;
use crate::telemetry::{HOPS, Record, Records};
use crate::units::Span;

/// The fields of a congestion header.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A change of throughput (XCP).
    Change,
    /// A rate (RCP).
    Rate,
    /// A target rate and a congestion bit (ACP).
    Target,
    /// A target window (iACP).
    Window,
    /// The two ECN bits say accelerate or brake (ABC).
    Brake,
    /// The two ECN bits say how loaded the path is (VCP).
    Load,
    /// A record of each hop (HPCC).
    Telemetry,
}

impl Layout {
    /// Bytes on the wire, in data and in acknowledgements. The change of throughput takes the 20 bytes of
    /// draft-falk-xcp-spec-03 section 3.1: four of type and length, and 32 bits for each of round trip,
    /// spacing, forward feedback and reverse feedback. The other headers follow that form.
    pub const fn bytes(self) -> u64 {
        match self {
            Layout::Change | Layout::Window => 20,
            Layout::Rate | Layout::Target => 16,
            Layout::Brake | Layout::Load => 0,
            // Records of 64 bits and 16 bits more, in the authors' simulator.
            Layout::Telemetry => HOPS as u64 * 8 + 2,
        }
    }

    /// Whether the receiver reports the ECN codepoints of what it received.
    pub const fn reports_codepoints(self) -> bool {
        matches!(self, Layout::Brake | Layout::Load)
    }
}

/// The content of a congestion header. Round trips are the sender's smoothed ones, zero before its first sample.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum CongestionHeader {
    /// A change of throughput.
    Change {
        /// Round trip.
        rtt: Span,
        /// Seconds for each packet: round trip / window in packets.
        spacing: f64,
        /// Bytes/s by which this packet changes the throughput; the receiver adds them up.
        change: f64,
    },
    /// A rate.
    Rate {
        /// Round trip.
        rtt: Span,
        /// Bytes/s of frames; what a link adds between frames is not in it.
        rate: f64,
    },
    /// A target rate.
    Target {
        /// Round trip.
        rtt: Span,
        /// Bytes/s of frames; what a link adds between frames is not in it.
        rate: f64,
        /// A link on the path is congested.
        congested: bool,
    },
    /// A target window.
    Window {
        /// Round trip.
        rtt: Span,
        /// The sender's window in packets.
        cwnd: f64,
        /// Target in packets.
        window: f64,
    },
    /// Records of hops.
    Telemetry(Records),
    /// Payload bytes received by codepoint. Only acknowledgements have it.
    Codepoints {
        /// With ECT(1).
        ect1: u32,
        /// With ECT(0).
        ect0: u32,
        /// With CE.
        ce: u32,
    },
}

impl CongestionHeader {
    /// The echo of a segment with so many bytes that arrived with this codepoint.
    pub fn received(len: u32, ecn: Ecn) -> CongestionHeader {
        let of = |codepoint| if ecn == codepoint { len } else { 0 };
        CongestionHeader::Codepoints {
            ect1: of(Ecn::Ect1),
            ect0: of(Ecn::Ect0),
            ce: of(Ecn::Ce),
        }
    }

    /// Bytes on the wire.
    pub const fn bytes(&self) -> u64 {
        match self {
            CongestionHeader::Change { .. } => Layout::Change.bytes(),
            CongestionHeader::Rate { .. } => Layout::Rate.bytes(),
            CongestionHeader::Target { .. } => Layout::Target.bytes(),
            CongestionHeader::Window { .. } => Layout::Window.bytes(),
            CongestionHeader::Telemetry(_) => Layout::Telemetry.bytes(),
            CongestionHeader::Codepoints { .. } => Layout::Brake.bytes(),
        }
    }

    /// The sender's round trip in a data packet; none before its first sample or where the layout has none.
    pub fn rtt(&self) -> Option<Span> {
        match *self {
            CongestionHeader::Change { rtt, .. }
            | CongestionHeader::Rate { rtt, .. }
            | CongestionHeader::Target { rtt, .. }
            | CongestionHeader::Window { rtt, .. } => (rtt > Span::ZERO).then_some(rtt),
            CongestionHeader::Telemetry(_) | CongestionHeader::Codepoints { .. } => None,
        }
    }

    /// A hop writes its record; none where the header has another layout, or its room is used up.
    pub fn record(&mut self, hop: Record) {
        if let CongestionHeader::Telemetry(records) = self {
            records.record(hop);
        }
    }

    /// Adds the header of a later packet that the same acknowledgement echoes: changes add up, the least
    /// rate or window counts, congestion of one counts for all, bytes add up.
    pub fn compose(&mut self, later: &CongestionHeader) {
        let mut sum = *later;
        match (&mut sum, *self) {
            (
                CongestionHeader::Change { change, .. },
                CongestionHeader::Change { change: c, .. },
            ) => {
                *change = match (change.is_finite(), c.is_finite()) {
                    (true, true) => *change + c,
                    (false, _) => c,
                    (true, false) => *change,
                }
            }
            (CongestionHeader::Rate { rate, .. }, CongestionHeader::Rate { rate: r, .. }) => {
                *rate = rate.min(r);
            }
            (
                CongestionHeader::Target {
                    rate, congested, ..
                },
                CongestionHeader::Target {
                    rate: r,
                    congested: c,
                    ..
                },
            ) => {
                *rate = rate.min(r);
                *congested |= c;
            }
            (
                CongestionHeader::Window { window, .. },
                CongestionHeader::Window { window: w, .. },
            ) => {
                *window = window.min(w);
            }
            (
                CongestionHeader::Codepoints { ect1, ect0, ce },
                CongestionHeader::Codepoints {
                    ect1: a,
                    ect0: b,
                    ce: c,
                },
            ) => {
                *ect1 = ect1.saturating_add(a);
                *ect0 = ect0.saturating_add(b);
                *ce = ce.saturating_add(c);
            }
            // The later records say more.
            (CongestionHeader::Telemetry(_), CongestionHeader::Telemetry(_)) => {}
            // A flow has one controller, so its headers have one layout.
            _ => unreachable!("headers of two layouts in one flow"),
        }
        *self = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::millis(100);

    fn change(change: f64) -> CongestionHeader {
        CongestionHeader::Change {
            rtt: RTT,
            spacing: 0.001,
            change,
        }
    }

    #[test]
    fn an_echo_adds_changes_and_keeps_the_least_grant() {
        let mut echo = change(1500.0);
        echo.compose(&change(f64::INFINITY));
        echo.compose(&change(-400.0));
        assert_eq!(echo, change(1100.0));
        let mut rate = CongestionHeader::Rate {
            rtt: RTT,
            rate: 3e6,
        };
        rate.compose(&CongestionHeader::Rate {
            rtt: RTT,
            rate: 5e6,
        });
        assert_eq!(
            rate,
            CongestionHeader::Rate {
                rtt: RTT,
                rate: 3e6
            }
        );
        let target = |rate, congested| CongestionHeader::Target {
            rtt: RTT,
            rate,
            congested,
        };
        let mut echo = target(2e6, true);
        echo.compose(&target(1e6, false));
        assert_eq!(echo, target(1e6, true));
        let window = |window| CongestionHeader::Window {
            rtt: RTT,
            cwnd: 4.0,
            window,
        };
        let mut echo = window(7.0);
        echo.compose(&window(9.0));
        assert_eq!(echo, window(7.0));
    }

    #[test]
    fn an_echo_of_codepoints_adds_bytes() {
        let mut echo = CongestionHeader::received(1000, Ecn::Ect1);
        for ecn in [Ecn::Ect0, Ecn::Ce, Ecn::Ect1, Ecn::NotEct] {
            echo.compose(&CongestionHeader::received(500, ecn));
        }
        let expected = CongestionHeader::Codepoints {
            ect1: 1500,
            ect0: 500,
            ce: 500,
        };
        assert_eq!(echo, expected);
    }
}
