//! Tail loss probe (RFC 8985 section 7): when acknowledgements stop, one segment leaves before the
//! retransmission timer expires, so that SACK shows losses at the tail.

use crate::rtt::Rtt;
use crate::units::{Span, Time};

/// The result of a probe.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No loss.
    NoLoss,
    /// The probe repaired a loss: the window is to be reduced.
    Repaired,
}

/// The probe.
#[derive(Clone, Debug)]
pub struct Tlp {
    timer: Time,
    /// SND.NXT when the probe left, and whether it was a retransmission.
    probe: Option<(u64, bool)>,
}

impl Default for Tlp {
    fn default() -> Tlp {
        Tlp {
            timer: Time::NEVER,
            probe: None,
        }
    }
}

impl Tlp {
    /// Arms the timer (section 7.2), not later than the retransmission timer.
    pub fn arm(&mut self, now: Time, rtt: &Rtt, single: bool, ack_delay: Span, rto: Time) {
        if self.probe.is_some() {
            self.timer = Time::NEVER;
            return;
        }
        let wait = match rtt.srtt() {
            Span::ZERO => Span::secs(1),
            srtt if single => srtt.times(2) + ack_delay,
            srtt => srtt.times(2),
        };
        self.timer = now.after(wait).min(rto);
    }

    /// No probe for now.
    pub fn disarm(&mut self) {
        self.timer = Time::NEVER;
    }

    /// When the probe is due.
    pub fn due(&self) -> Time {
        self.timer
    }

    /// The probe left; `nxt` is after it.
    pub fn sent(&mut self, nxt: u64, again: bool) {
        self.probe = Some((nxt, again));
    }

    /// Forgets the probe: another recovery has begun.
    pub fn reset(&mut self) {
        *self = Tlp::default();
    }

    /// Section 7.4.2. `upto` is the cumulative acknowledgement, `dsack` the end of the duplicate that
    /// it reports, `plain` an acknowledgement that neither moves the left edge nor reports any block.
    pub fn on_ack(&mut self, upto: u64, dsack: Option<u64>, plain: bool) -> Verdict {
        let Some((end, again)) = self.probe.filter(|p| upto >= p.0) else {
            return Verdict::NoLoss;
        };
        let both_arrived = !again || dsack == Some(end) || (plain && upto == end);
        if !both_arrived && upto == end {
            return Verdict::NoLoss;
        }
        self.probe = None;
        if both_arrived {
            Verdict::NoLoss
        } else {
            Verdict::Repaired
        }
    }
}
