//! Counters of stations.

use backwater_transport::units::Time;

use crate::medium::wifi::air::{Air, NOBODY};
use crate::medium::wifi::radio::StationCount;

impl Air {
    /// The counts of a station up to `now`.
    pub(crate) fn station_count(&self, station: u32, now: Time) -> StationCount {
        let (radio, sense) = (&self.radios[station as usize], self.sense(station));
        let mut count = radio.count.clone();
        // A frame is counted when it begins; what is still to be sent of it belongs to the time after `now`.
        let unsent = radio
            .frame
            .as_ref()
            .map_or(0, |f| f.sent.0.saturating_sub(now.0));
        count.airtime -= unsent;
        count.busy = sense.busy_ticks + if sense.busy { now.0 - sense.since.0 } else { 0 };
        let span = now.0 - count.moved.0;
        for (sum, c) in count.aifsn.iter_mut().zip(&radio.categories) {
            *sum += span * u64::from(c.set.aifsn);
        }
        count.moved = now;
        count
    }

    /// The warm-up is over: what stations report begins here.
    pub(crate) fn end_warm_up(&mut self, now: Time) {
        for station in 0..self.radios.len() {
            let mut count = self.station_count(station as u32, now);
            let radio = &mut self.radios[station];
            // An attempt belongs to the time in which its exchange ends.
            let under_way = radio.exchange.is_some_and(|e| e.to != NOBODY);
            count.attempts -= u64::from(under_way);
            *radio.base = count;
        }
        for member in self.members.values_mut().flatten() {
            (member.base, member.early) = (member.received, 0);
        }
    }
}
