//! Detects: packets that have waited longer than `target` for a whole `interval`, in whole
//! milliseconds.
//! Tells: drops on departure; but it sends the packet on which it decided and loses the one behind it.
//! The next follows after interval ÷ √count, cut to whole milliseconds.
//! Responds: left to the sender's controller.
//! Reference: mahimahi's CoDel (`codel_packet_queue.cc`), read from its source. It follows the ACM Queue
//! text, but the variable of the inner packet shadows that of the outer one, which is what leaves. The
//! last packet of a queue is never lost, and nothing is marked.
//! Differences: the clock stands at the opportunity, where mahimahi's has gone on until it woke up.

use backwater_transport::part::Part;
use backwater_transport::units::Time;

use super::aqm::{Aqm, Frame, Verdict};
use super::codel::{INTERVAL, TARGET};
use super::pie_mahimahi::{PACKET, ms, whole_ms};
use super::row::Build;
use crate::medium::ethernet;

/// The tunnel device's header, the only bytes that mahimahi counts besides those of IP.
const TUNNEL: u64 = 4;

/// The constants and what is remembered; 0 stands for no time, as there.
#[derive(Clone, Debug)]
pub struct CodelMahimahi {
    target: u64,
    interval: u64,
    first_above: u64,
    drop_next: u64,
    count: u64,
    last_count: u64,
    dropping: bool,
    behind: Behind,
}

/// The fate of the packet behind the one that was sent.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Behind {
    /// It waits its turn.
    Stays,
    /// It is lost, which begins the dropping state.
    First,
    /// It is lost within that state.
    Next,
}

impl CodelMahimahi {
    fn new(target: u64, interval: u64) -> CodelMahimahi {
        CodelMahimahi {
            target,
            interval,
            first_above: 0,
            drop_next: 0,
            count: 0,
            last_count: 0,
            dropping: false,
            behind: Behind::Stays,
        }
    }

    fn control(&self, at: u64) -> u64 {
        at + (self.interval as f64 / libm::sqrt(self.count as f64)) as u64
    }

    /// Whether waits have been above target for an interval; a packet has been taken out.
    fn late(&mut self, frame: &Frame) -> bool {
        let now = ms(frame.now);
        let arrived = ms(Time(frame.now.0 - frame.sojourn.0));
        let bytes = frame.bytes - (ethernet::HEADER_FCS - TUNNEL) * frame.packets;
        if frame.packets == 0 || now - arrived < self.target || bytes <= PACKET {
            self.first_above = 0;
            return false;
        }
        if self.first_above == 0 {
            self.first_above = now + self.interval;
            return false;
        }
        now >= self.first_above
    }

    /// Within the dropping state another packet goes when its time has come.
    fn go_on(&mut self, now: u64) {
        let due = self.dropping && now >= self.drop_next;
        self.behind = if due { Behind::Next } else { Behind::Stays };
    }
}

impl Aqm for CodelMahimahi {
    fn pop(&mut self, frame: &Frame) -> Verdict {
        let late = self.late(frame);
        let now = ms(frame.now);
        match self.behind {
            Behind::Stays if self.dropping => {
                self.dropping = late;
                self.go_on(now);
                return Verdict::Accept;
            }
            Behind::Stays => {
                self.behind = if late { Behind::First } else { Behind::Stays };
                return Verdict::Accept;
            }
            Behind::First => {
                let delta = self.count - self.last_count;
                let soon = now.saturating_sub(self.drop_next) < 16 * self.interval;
                self.dropping = true;
                self.count = if delta > 1 && soon { delta } else { 1 };
                self.drop_next = self.control(now);
                self.last_count = self.count;
                self.behind = Behind::Stays;
            }
            Behind::Next => {
                self.count += 1;
                self.dropping = late;
                if late {
                    self.drop_next = self.control(self.drop_next);
                }
                self.go_on(now);
            }
        }
        Verdict::Drop
    }

    fn takes_next(&self) -> bool {
        self.behind != Behind::Stays
    }
}

/// The row.
pub const PART: Part<Build<CodelMahimahi>> = Part {
    id: "codel-mahimahi",
    aliases: &[],
    summary: "CoDel as mahimahi has it: sends the packet it decides on, loses the one behind it; whole milliseconds, no marks",
    source: "mahimahi, codel_packet_queue.cc",
    options: &[TARGET, INTERVAL],
    build: |args| {
        let (target, interval) = (whole_ms(args, "target")?, whole_ms(args, "interval")?);
        Ok(CodelMahimahi::new(target, interval).into())
    },
};

#[cfg(test)]
mod tests {
    use backwater_transport::segment::Ecn;
    use backwater_transport::units::Span;

    use super::*;

    /// A packet of 1500 bytes that has waited so long leaves so many of the same behind it.
    fn frame(now: u64, waited: u64, packets: u64) -> Frame {
        Frame {
            now: Time(Span::millis(now).0),
            queue: 0,
            size: 1518,
            ecn: Ecn::Ect0,
            sojourn: Span::millis(waited),
            bytes: 1518 * packets,
            packets,
        }
    }

    /// Takes a packet at `now`; gives how many were lost behind it.
    fn take(codel: &mut CodelMahimahi, now: u64, waited: u64, packets: u64) -> u64 {
        assert_eq!(codel.pop(&frame(now, waited, packets)), Verdict::Accept);
        let mut lost = 0;
        while codel.takes_next() {
            lost += 1;
            let behind = frame(now, waited, packets - lost);
            assert_eq!(codel.pop(&behind), Verdict::Drop);
        }
        lost
    }

    /// Worked out by hand from the source: a packet every 10 ms from 10 on, always late. First above ends at
    /// 10 + 100. Then 110 + 100 = 210, + ⌊100/√2⌋ = 280, + ⌊100/√3⌋ = 337, + 50 = 387, + 44 = 431,
    /// + 40 = 471, + 37 = 508, + 35 = 543; each is met at the next multiple of ten.
    #[test]
    fn packets_behind_are_lost_by_a_schedule_of_whole_milliseconds() {
        let mut codel = CodelMahimahi::new(5, 100);
        let mut lost = Vec::new();
        for now in (10..=550).step_by(10) {
            match take(&mut codel, now, 10, 60) {
                0 => {}
                1 => lost.push(now),
                more => panic!("{more} at {now}"),
            }
        }
        assert_eq!(lost, [110, 210, 280, 340, 390, 440, 480, 510, 550]);
    }

    /// After a pause several losses are due at once: at 420 those of 210, 280, 337 and 387; the next is due
    /// at 431.
    #[test]
    fn several_packets_behind_one_are_lost_when_several_are_due() {
        let mut codel = CodelMahimahi::new(5, 100);
        take(&mut codel, 10, 10, 60);
        assert_eq!(take(&mut codel, 110, 10, 60), 1);
        assert_eq!(take(&mut codel, 420, 10, 60), 4);
        assert_eq!(codel.drop_next, 431);
    }

    /// The last packet is not lost, and neither is one that leaves a packet behind it at most: 1500 bytes
    /// and 4 of the tunnel are one packet, a byte more is not.
    #[test]
    fn a_queue_of_one_packet_is_left_alone() {
        for (packets, bytes, lost) in [(0, 0, false), (1, 1518, false), (1, 1519, true)] {
            let mut codel = CodelMahimahi::new(5, 100);
            take(&mut codel, 10, 10, 60);
            let last = Frame {
                bytes,
                ..frame(110, 10, packets)
            };
            assert_eq!(codel.pop(&last), Verdict::Accept);
            assert_eq!(codel.takes_next(), lost, "{bytes}");
        }
    }

    /// Within 16 intervals the count goes on from what it grew by: 5 losses are a growth of 4, and the next
    /// comes 100/√4 after the first of the new state.
    #[test]
    fn dropping_resumes_near_the_old_rate() {
        let mut codel = CodelMahimahi::new(5, 100);
        for now in (10..=390).step_by(10) {
            take(&mut codel, now, 10, 60);
        }
        assert_eq!((codel.count, codel.last_count), (5, 1));
        assert_eq!(take(&mut codel, 400, 4, 60), 0);
        assert!(!codel.dropping);
        assert_eq!(take(&mut codel, 410, 5, 60), 0);
        assert_eq!(take(&mut codel, 510, 5, 60), 1);
        assert_eq!((codel.count, codel.drop_next), (4, 560));
    }
}
