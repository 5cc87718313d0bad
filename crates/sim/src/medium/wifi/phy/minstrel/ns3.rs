//! The edition of ns-3: what differs from Linux. Shares are means that forget a quarter at each update, a mode that was never tried has none, throughput knows
//! no overhead, and a probe follows 16 and twice the mean number of frames of a PPDU after the last one. Modes come up in a random order; those no faster than the second best are
//! probed after twenty updates without a frame, two for each update.
//!
//! Reference: ns-3, src/wifi/model/rate-control/minstrel-ht-wifi-manager.cc.
//! Differences: the random order has no table of ten columns, and is drawn anew for each pass; attempts of a chain are counted as Linux does.

use super::{Minstrel, Row};

/// Weight of the old share.
const OLD: f64 = 0.75;
/// PPDUs between two probes of frames that go alone, without twice the mean length.
const WAIT: f64 = 16.0;
/// Share from which a mode is not probed.
const KNOWN: f64 = 0.95;
/// Updates without a frame after which a slow mode is probed, and probes of slow ones for each update.
const UNTRIED: u32 = 20;
const SLOW: u32 = 2;

impl Row {
    /// The results since the last update enter the mean.
    pub(super) fn take_in_ns3(&mut self) {
        if self.frames == 0 {
            self.idle += 1;
            return;
        }
        let new = f64::from(self.arrived) / f64::from(self.frames);
        self.share = match self.tried {
            false => new,
            true => OLD * self.share + (1.0 - OLD) * new,
        };
        (self.tried, self.frames, self.arrived, self.idle) = (true, 0, 0, 0);
    }
}

impl Minstrel {
    /// PPDUs from a probe to the next one.
    pub(super) fn wait(&self) -> u32 {
        (WAIT + 2.0 * self.length) as u32
    }

    /// The mode that the next frame probes: the next one of the random order, unless it is in use, known to arrive, or slow and tried of late.
    pub(super) fn take_probe_ns3(&mut self) -> Option<usize> {
        if self.place == self.order.len() {
            self.shuffle();
        }
        let row = self.order[self.place];
        self.place += 1;
        let used = self.chain.iter().any(|(used, _)| *used == row);
        if used || self.rows[row].share > KNOWN {
            return None;
        }
        let second = &self.rows[self.chain[1].0];
        let likely = &self.rows[self.chain[2].0];
        let first = &self.rows[self.chain[0].0];
        let probed = &self.rows[row];
        let is_fast = probed.time < second.time
            || probed.mode.streams < first.mode.streams && probed.time < likely.time;
        if is_fast {
            return Some(row);
        }
        if probed.idle < UNTRIED || self.slow_probes == SLOW {
            return None;
        }
        self.slow_probes += 1;
        Some(row)
    }
}

#[cfg(test)]
mod tests {
    use backwater_transport::random::Random;

    use super::super::Minstrel;
    use super::super::tests::modes;
    use crate::medium::wifi::spec::Edition;

    fn of(edition: Edition) -> Minstrel {
        Minstrel::new(&modes(), edition, Random::stream(1, "rates", "a"))
    }

    /// By hand: 1 as it is, then two updates with 0: 0.75, 0.5625. Linux has 0.7137 and 0.3451.
    #[test]
    fn shares_forget_a_quarter() {
        let mut minstrel = of(Edition::Ns3);
        for (arrived, expected) in [(4, 1.0), (0, 0.75), (0, 0.5625)] {
            let row = &mut minstrel.rows[3];
            (row.frames, row.arrived) = (4, arrived);
            row.take_in_ns3();
            assert_eq!(row.share, expected);
        }
    }

    /// MCS 7: 147.75 us a packet, of which 0.9 arrive. Linux adds 108 us.
    #[test]
    fn throughput_knows_no_overhead() {
        for (edition, time) in [(Edition::Ns3, 147.75), (Edition::Linux, 255.75)] {
            let mut minstrel = of(edition);
            minstrel.rows[7].share = 1.0;
            let found = minstrel.throughput(&minstrel.rows[7]);
            assert!((found * time - 0.9).abs() < 1e-12, "{edition:?} {found}");
        }
    }

    /// Probes follow 16 + 2 x 1 PPDUs of one frame and 16 + 2 x 64 of 64: of some thousand PPDUs at a mode that always works no more are probes. Linux counts
    /// time: one each 20 ms.
    #[test]
    fn a_probe_waits_for_ppdus() {
        for (length, frames, apart) in [(1.0, 1, 18), (64.0, 64, 144)] {
            let mut minstrel = of(Edition::Ns3);
            minstrel.length = length;
            for row in &mut minstrel.rows {
                (row.tried, row.idle) = (true, 100);
            }
            let mut last = None;
            for at in 0..2000u32 {
                if minstrel.probes()
                    && let Some(last) = last.replace(at)
                {
                    assert!(at - last > apart, "{at} {last}");
                }
                let sent = if minstrel.probes() { 1 } else { frames };
                minstrel.sent(sent, sent, super::super::Time::ZERO);
                minstrel.length = length;
            }
            assert!(last.is_some(), "no probe");
        }
    }
}
