//! Tail loss probe (RFC 8985 section 7): when acknowledgements stop, one segment leaves before the
//! retransmission timer expires, so that SACK shows losses at the tail.

use crate::rtt::Rtt;
use crate::units::{Span, Time};
use crate::walk::{Base, Walk};

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
    pub(crate) fn walk(&mut self, walk: &mut Walk, base: &Base) {
        let Tlp { timer, probe } = self;
        walk.until(timer);
        walk.same(probe.is_some());
        if let Some((end, again)) = probe {
            walk.long(end, base.byte);
            walk.same(*again);
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdicts of these acknowledgements of a probe that ends at 100 and repeats a segment.
    fn verdicts(acks: &[(u64, Option<u64>, bool)]) -> Vec<Verdict> {
        let mut tlp = Tlp::default();
        tlp.sent(100, true);
        let of =
            |(upto, dsack, plain): &(u64, Option<u64>, bool)| tlp.on_ack(*upto, *dsack, *plain);
        acks.iter().map(of).collect()
    }

    /// RFC 8985 7.4.2: that both the segment and the probe arrived is told by a DSACK, or by an acknowledgement at the end of the probe
    /// that says nothing else. Then the probe is forgotten; else what follows its end tells that it repaired a loss.
    #[test]
    fn a_probe_that_is_not_told_to_be_needless_repaired_a_loss() {
        use Verdict::{NoLoss, Repaired};
        let later = (150, None, false);
        let cases = [
            ((100, None, false), Repaired),
            ((100, Some(100), false), NoLoss),
            ((100, None, true), NoLoss),
            ((100, Some(50), false), Repaired),
            ((99, Some(100), true), Repaired),
        ];
        for (first, verdict) in cases {
            assert_eq!(verdicts(&[first, later]), [NoLoss, verdict], "{first:?}");
        }
        assert_eq!(verdicts(&[later, later]), [Repaired, NoLoss]);
    }

    /// Section 7.2: two smoothed round trips, for a single segment the delay of its acknowledgement besides, a second before any sample;
    /// never later than the retransmission timer, and not while a probe is out.
    #[test]
    fn a_probe_is_due_after_two_round_trips() {
        let ms = |ms| Time::ZERO + Span::millis(ms);
        let due = |sampled: bool, single, rto, probe: bool| {
            let mut rtt = Rtt::new(Span::millis(200));
            if sampled {
                rtt.sample(Span::millis(100));
            }
            let mut tlp = Tlp::default();
            tlp.arm(ms(5), &rtt, true, Span::ZERO, ms(6));
            if probe {
                tlp.sent(100, false);
            }
            tlp.arm(ms(10), &rtt, single, Span::millis(25), ms(rto));
            tlp.due()
        };
        assert_eq!(due(true, false, 5000, false), ms(210));
        assert_eq!(due(true, true, 5000, false), ms(235));
        assert_eq!(due(false, true, 5000, false), ms(1010));
        assert_eq!(due(true, false, 209, false), ms(209));
        assert_eq!(due(true, false, 5000, true), Time::NEVER);
    }
}
