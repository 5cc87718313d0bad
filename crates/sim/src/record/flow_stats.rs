//! The counts of a flow. The fields that a delivery touches lie in two cache lines.

use backwater_transport::units::Time;
use backwater_transport::walk::Walk;

use crate::packet::Packet;
use crate::record::age::Age;
use crate::record::delays::Delays;

/// Packets and bytes since the run began.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// IP bytes.
    pub bytes: u64,
}

impl Count {
    /// Both grow.
    pub(crate) fn walk(&mut self, walk: &mut Walk) {
        walk.count(&mut self.packets);
        walk.count(&mut self.bytes);
    }

    /// One more packet.
    pub fn add(&mut self, bytes: u64) {
        self.packets += 1;
        self.bytes += bytes;
    }

    /// Packets and bytes since `base`.
    pub fn since(self, base: Count) -> Count {
        Count {
            packets: self.packets - base.packets,
            bytes: self.bytes - base.bytes,
        }
    }
}

/// Sums over delivered packets, in ticks. `total` is measured from creation to delivery and equals
/// the parts; propagation is what remains when serialisation and waiting are taken off.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct DelaySum {
    /// Creation to complete reception.
    pub total: u128,
    /// Bits being put on wires.
    pub serial: u128,
    /// Behind other frames.
    pub queue: u128,
    /// At ports idle because every waiting frame was held back.
    pub gate: u128,
    /// First in line at 802.11 stations, waiting for the medium.
    pub contention: u128,
    /// In 802.11 exchanges that failed.
    pub retries: u128,
    /// In 802.11 PPDUs, while they carried other packets.
    pub aggregate: u128,
    /// At 802.11 receivers, behind a frame that was missing.
    pub reorder: u128,
    /// On wires.
    pub propagation: u128,
}

/// The terms of `DelaySum`.
#[derive(Copy, Clone, Debug, Default)]
struct Sums<T> {
    total: T,
    serial: T,
    waited: T,
    gated: T,
}

/// Counters of a flow.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub struct FlowStats {
    /// Sums of delays of packets delivered after the warm-up, less what is in `more`.
    sums: Sums<u64>,
    /// Received.
    pub delivered: Count,
    /// Longest delay in ticks.
    pub max: u64,
    /// Age of the newest packet, where the path has a trace link.
    pub age: Option<Box<Age>>,
    /// Delays of packets delivered after the warm-up.
    pub delay: Delays,
    /// When the last packet was received.
    pub last: Time,
    /// The part of the sums that did not fit into `sums`.
    more: Sums<u128>,
    /// Delivered after waiting at a gate that a queue off their path had closed.
    pub victims: u64,
    /// Lost.
    pub dropped: Count,
    /// Of the lost after the warm-up: those that had entered before its end.
    pub dropped_early: Count,
    /// When the last packet was lost.
    pub last_lost: Time,
    /// Marked with CE, by each port that did so.
    pub marked: Count,
    /// Entered, delivered, dropped and marked at the end of the warm-up.
    pub base: [Count; 4],
    /// Parts of the waiting: for an 802.11 medium, and in exchanges there that failed.
    on_air: [u128; 4],
}

impl FlowStats {
    /// A packet has been received; gives its delay in ticks.
    #[inline(always)]
    pub fn deliver(&mut self, packet: &Packet, now: Time) -> u64 {
        let total = now.since(packet.born).0;
        self.delivered.add(u64::from(packet.len));
        self.last = now;
        // The others are parts of the total, and smaller.
        if self.sums.total.checked_add(total).is_none() {
            self.spill();
        }
        self.sums.total += total;
        self.sums.serial += packet.serial;
        self.sums.waited += packet.waited;
        self.sums.gated += packet.gated;
        if let Some(age) = &mut self.age {
            age.deliver(packet.born, now, u64::from(packet.len));
        }
        self.max = self.max.max(total);
        self.delay.record(total / 1000);
        total
    }

    #[cold]
    fn spill(&mut self) {
        let sums = std::mem::take(&mut self.sums);
        self.more.total += u128::from(sums.total);
        self.more.serial += u128::from(sums.serial);
        self.more.waited += u128::from(sums.waited);
        self.more.gated += u128::from(sums.gated);
    }

    /// A packet is lost. `early`: it entered before the end of the warm-up.
    pub fn lose(&mut self, bytes: u64, early: bool, now: Time) {
        self.dropped.add(bytes);
        self.last_lost = now;
        if early {
            self.dropped_early.add(bytes);
        }
    }

    /// A packet that was just delivered had spent these ticks at 802.11 stations:
    /// contention, retries, others in its PPDUs, frames that were missing.
    pub fn met_on_air(&mut self, ticks: [u64; 4]) {
        for (sum, ticks) in self.on_air.iter_mut().zip(ticks) {
            *sum += u128::from(ticks);
        }
    }

    /// Sums of the delays of packets delivered after the warm-up.
    pub fn sum(&self) -> DelaySum {
        let (sums, more) = (self.sums, self.more);
        let total = more.total + u128::from(sums.total);
        let serial = more.serial + u128::from(sums.serial);
        let waited = more.waited + u128::from(sums.waited);
        let gated = more.gated + u128::from(sums.gated);
        let [contention, retries, aggregate, reorder] = self.on_air;
        DelaySum {
            total,
            serial,
            queue: waited - gated - contention - retries - aggregate - reorder,
            gate: gated,
            contention,
            retries,
            aggregate,
            reorder,
            propagation: total - waited - serial,
        }
    }

    /// Nothing depends on what it counts.
    pub(crate) fn walk(&mut self, walk: &mut Walk, flow: &str) {
        if self.age.is_some() {
            walk.unable(flow, "the age of information is kept");
        }
        if !walk.counts() {
            return;
        }
        self.spill();
        let FlowStats {
            sums: _,
            delivered,
            max: _,
            age: _,
            delay,
            last,
            more,
            victims,
            dropped,
            dropped_early,
            last_lost,
            marked,
            base: _,
            on_air,
        } = self;
        for count in [delivered, dropped, dropped_early, marked] {
            count.walk(walk);
        }
        delay.walk(walk);
        walk.last(last);
        walk.last(last_lost);
        walk.count(victims);
        for sum in [
            &mut more.total,
            &mut more.serial,
            &mut more.waited,
            &mut more.gated,
        ] {
            walk.wide(sum);
        }
        on_air.iter_mut().for_each(|sum| walk.wide(sum));
    }

    /// Reads a word of each cache line that a delivery touches.
    #[inline]
    pub fn prefetch(&self) -> u64 {
        self.sums.total ^ self.delay.prefetch()
    }

    /// The warm-up is over; so much has entered.
    pub fn warm(&mut self, entered: Count, now: Time) {
        self.base = [entered, self.delivered, self.dropped, self.marked];
        self.delay = Delays::default();
        (self.sums, self.more) = (Sums::default(), Sums::default());
        self.max = 0;
        self.victims = 0;
        self.on_air = [0; 4];
        self.dropped_early = Count::default();
        if let Some(age) = &mut self.age {
            age.warm(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Traffic;
    use crate::table::Id;

    /// Two packets of ten million seconds each: 2 × 10¹⁹ ticks are more than 64 bits hold.
    #[test]
    fn sums_of_delays_go_beyond_64_bits() {
        let mut stats = FlowStats::default();
        let long = 10_000_000_000_000_000_000;
        let packet = Packet {
            next: Id::NONE,
            flow: Id::NONE,
            to: 0,
            len: 100,
            traffic: Traffic::default(),
            entry: 0,
            seq: 0,
            ingress: Id::NONE,
            born: Time::ZERO,
            at: Time::ZERO,
            serial: long / 5,
            waited: long / 2,
            gated: long / 4,
        };
        for _ in 0..2 {
            stats.deliver(&packet, Time(long));
        }
        let (sum, long) = (stats.sum(), u128::from(long));
        assert_eq!((sum.total, sum.serial), (2 * long, 2 * (long / 5)));
        assert_eq!((sum.queue, sum.gate), (long / 2, long / 2));
        assert_eq!(sum.propagation, 2 * long - long - 2 * (long / 5));
    }
    fn packet(waited: u64, serial: u64) -> Packet {
        Packet {
            waited,
            serial,
            gated: 1,
            ..Packet::example(Time::ZERO)
        }
    }

    /// What a medium takes is no part of the waiting for other frames, and what remains of a delay is the way.
    #[test]
    fn parts_of_a_delay_are_those_of_the_packet() {
        let mut stats = FlowStats::default();
        assert_eq!(stats.deliver(&packet(100, 20), Time(1000)), 1000);
        stats.met_on_air([3, 5, 7, 11]);
        stats.deliver(&packet(50, 30), Time(400));
        stats.met_on_air([30, 0, 0, 2]);
        let sum = stats.sum();
        assert_eq!((sum.total, sum.serial, sum.gate), (1400, 50, 2));
        assert_eq!((sum.contention, sum.retries), (33, 5));
        assert_eq!((sum.aggregate, sum.reorder), (7, 13));
        assert_eq!(sum.queue, 150 - 2 - 33 - 5 - 7 - 13);
        assert_eq!(sum.propagation, 1400 - 150 - 50);
        assert_eq!((stats.max, stats.last), (1000, Time(400)));
    }

    /// Losses of packets of before count apart; from the end of the warm-up on nothing of before is left but in the base.
    #[test]
    fn a_warm_up_leaves_nothing_but_totals() {
        let mut stats = FlowStats {
            age: Some(Box::default()),
            ..FlowStats::default()
        };
        stats.deliver(&packet(100, 20), Time(3000));
        stats.met_on_air([3, 5, 7, 11]);
        stats.spill();
        stats.deliver(&packet(1, 2), Time(3000));
        stats.lose(40, true, Time(11));
        stats.lose(2, false, Time(12));
        assert_eq!(
            (stats.dropped_early.packets, stats.last_lost),
            (1, Time(12))
        );
        stats.marked.add(5);
        stats.victims = 4;
        let entered = Count {
            packets: 9,
            bytes: 99,
        };
        stats.warm(entered, Time(5000));
        assert_eq!(stats.sum(), DelaySum::default());
        assert_eq!((stats.max, stats.victims, stats.delay.len()), (0, 0, 0));
        assert_eq!(stats.dropped_early, Count::default());
        let [base, delivered, dropped, marked] = stats.base;
        assert_eq!(base, entered);
        assert_eq!((delivered.packets, delivered.bytes), (2, 3000));
        assert_eq!((dropped.packets, dropped.bytes), (2, 42));
        assert_eq!((marked.packets, marked.bytes), (1, 5));
        assert_eq!(stats.dropped.since(stats.base[2]), Count::default());
        let age = stats.age.as_ref().expect("kept");
        assert_eq!(age.sampled(Time(0)).map(|all| *all.start()), Some(1));
        assert_eq!(age.throughput_bps(0), None);
    }
}
