//! Code that both transports of RDMA share: their settings, the sizes of their packets, and the receiver's notification packets.
//!
//! Reference: the InfiniBand Architecture Specification for RoCEv2 (annex A17); Zhu et al., SIGCOMM 2015 (DCQCN), for the
//! notification point; the public simulator of HPCC (Li et al., SIGCOMM 2019) for sizes. There a frame has 48 bytes besides
//! its payload and an acknowledgement 60 bytes. Differences: a frame on our wires has at least 64 bytes.

use crate::segment::Signal;
use crate::sender_core::SenderCore;
use crate::setup::MAX_UNACKNOWLEDGED;
use crate::units::{Span, Time};

/// IP bytes before the payload: a frame has 48 bytes besides its payload, 18 of them Ethernet's.
pub(crate) const HEADER: u64 = 48 - 18;
/// IP bytes of an acknowledgement.
pub(crate) const ACK: u64 = 60 - 18;
/// Payload bytes of a message that begins anew after a loss (go-back-0), in full packets.
pub const MESSAGE_PACKETS: u64 = 4000;

/// When a receiver tells of marks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Notify {
    /// At the first mark, then at most once an interval; a mark inside an interval is told at its end.
    AtOnce,
    /// At the end of each interval, counted from the first packet, that saw a mark.
    Sampled,
    /// Never.
    Off,
}

impl Notify {
    /// Each by its name in scenarios.
    pub const ALL: [(&str, Notify); 3] = [
        ("at-once", Notify::AtOnce),
        ("sampled", Notify::Sampled),
        ("off", Notify::Off),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Notify::ALL.iter().find(|n| n.1 == self);
        found.expect("each is in the list").0
    }
}

/// The receiver gives credit, and a sender spends it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Pull {
    /// Credit that a pull packet brings, bytes on the link.
    pub quantum: u64,
    /// Bytes on the link that a sender may send before the first answer, and the most that it has asked for at a time.
    pub speculate: u64,
}

/// The settings of a queue pair, for both ends.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct QueuePair {
    /// After a loss the whole message of so many bytes is sent again (go-back-0); none: from the lost packet on (go-back-N).
    pub message: Option<u64>,
    /// Least time between two NACKs for one packet; none: one NACK each time that the sender has gone back.
    pub nack_interval: Option<Span>,
    /// Notification packets.
    pub notify: Notify,
    /// Least time between two notification packets.
    pub notify_interval: Span,
    /// That time counts at the port of the receiving host, for all its queue pairs together, and the host sees to it.
    pub notify_per_port: bool,
    /// Retransmission timeout; none for no timer.
    pub timeout: Option<Span>,
    /// The same while at most three packets are in flight (IRN).
    pub timeout_low: Option<Span>,
    /// Most bytes in flight (IRN).
    pub cap: u64,
    /// Bytes acknowledged selectively count as in flight (IRN).
    pub counts_sacked: bool,
    /// A packet out of order says that others are lost; otherwise they may come yet, by another way (IRN).
    pub gaps_are_losses: bool,
    /// The receiver paces its senders (IRN).
    pub pull: Option<Pull>,
}

impl Default for QueuePair {
    /// Go-back-N without a timer, one NACK each time that the sender has gone back, a notification packet in 50 us.
    fn default() -> Self {
        QueuePair {
            message: None,
            nack_interval: None,
            notify: Notify::AtOnce,
            notify_interval: Span::micros(50),
            notify_per_port: false,
            timeout: None,
            timeout_low: None,
            cap: u64::MAX,
            counts_sacked: true,
            gaps_are_losses: true,
            pull: None,
        }
    }
}

/// Whether a new packet may leave, with so many bytes in flight, of at most `cap`, and so many packets kept.
pub(crate) fn may_leave(core: &mut SenderCore, cap: u64, in_flight: u64, kept: usize) -> bool {
    let allowed = in_flight < core.window().max(1).min(cap);
    let full = kept as u64 >= MAX_UNACKNOWLEDGED;
    core.capped |= allowed && full;
    if !allowed || full {
        core.note_window_limited();
    }
    allowed && !full
}

/// The notification point: decides when marks are told.
#[derive(Clone, Debug)]
pub(crate) struct NotificationPoint {
    notify: Notify,
    interval: Span,
    /// Each mark is told: the port of the host has the interval.
    each: bool,
    /// The interval at hand ends then.
    until: Time,
    /// A mark came inside it.
    marked: bool,
    /// A notification packet leaves now.
    ready: bool,
    begun: bool,
}

impl NotificationPoint {
    pub(crate) fn new(pair: &QueuePair) -> NotificationPoint {
        NotificationPoint {
            notify: pair.notify,
            interval: pair.notify_interval,
            each: pair.notify_per_port,
            until: Time::ZERO,
            marked: false,
            ready: false,
            begun: false,
        }
    }

    /// A packet has come, with a mark or without.
    pub(crate) fn arrive(&mut self, now: Time, marked: bool) {
        match self.notify {
            Notify::Off => {}
            _ if self.each => self.ready |= marked,
            Notify::AtOnce if marked && now >= self.until => self.tell(now),
            Notify::AtOnce => self.marked |= marked,
            Notify::Sampled => {
                if !std::mem::replace(&mut self.begun, true) {
                    self.until = now.after(self.interval);
                }
                if !self.marked && self.until <= now {
                    // Intervals without a mark have ended unseen.
                    let over = now.since(self.until).0 / self.interval.0.max(1) + 1;
                    self.until = self.until.after(self.interval.times(over));
                }
                self.marked |= marked;
            }
        }
    }

    fn tell(&mut self, now: Time) {
        self.ready = true;
        self.marked = false;
        self.until = now.after(self.interval);
    }

    /// When the interval at hand ends, if that matters.
    pub(crate) fn due(&self) -> Time {
        match self.marked {
            true => self.until,
            false => Time::NEVER,
        }
    }

    /// The interval may be over.
    pub(crate) fn on_timer(&mut self, now: Time) {
        if self.due() > now {
            return;
        }
        let ended = self.until;
        self.tell(now);
        if self.notify == Notify::Sampled {
            self.until = ended.after(self.interval);
        }
    }

    /// The notification packet that leaves now.
    pub(crate) fn next(&mut self) -> Option<Signal> {
        std::mem::take(&mut self.ready).then_some(Signal::Congestion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Instants at which packets leave where all marked ones come at these, in microseconds.
    fn told(notify: Notify, packets: &[(u64, bool)]) -> Vec<u64> {
        let us = |n: u64| Time(n * 1_000_000);
        let mut point = NotificationPoint::new(&QueuePair {
            notify,
            ..QueuePair::default()
        });
        let mut told = Vec::new();
        for now in 0..300 {
            point.on_timer(us(now));
            told.extend(point.next().map(|_| now));
            for (_, marked) in packets.iter().filter(|p| p.0 == now) {
                point.arrive(us(now), *marked);
                told.extend(point.next().map(|_| now));
            }
        }
        told
    }

    /// Intervals of 50 us. At once: 10 begins one; 20 and 30 lie inside it and are told at its end; the next begins there.
    #[test]
    fn marks_are_told_at_once_and_then_once_an_interval() {
        let packets = [
            (0, false),
            (10, true),
            (20, true),
            (30, true),
            (70, true),
            (200, true),
        ];
        assert_eq!(told(Notify::AtOnce, &packets), [10, 60, 110, 200]);
        assert_eq!(told(Notify::Off, &packets), []);
    }

    /// Sampled from the first packet at 5: intervals end at 55, 105, 155, 205.
    #[test]
    fn a_sampled_point_tells_at_the_ends_of_intervals_only() {
        let packets = [
            (5, false),
            (10, true),
            (20, true),
            (60, true),
            (110, false),
            (160, true),
        ];
        assert_eq!(told(Notify::Sampled, &packets), [55, 105, 205]);
    }

    /// A gate at the port is not the flow's: each mark is told, and the port keeps back what comes too soon.
    #[test]
    fn a_flow_behind_a_gate_of_its_port_tells_of_each_mark() {
        let mut point = NotificationPoint::new(&QueuePair {
            notify_per_port: true,
            ..QueuePair::default()
        });
        for (us, marked) in [(10, true), (11, false), (12, true), (20, true)] {
            point.arrive(Time(us * 1_000_000), marked);
            assert_eq!(point.next().is_some(), marked, "{us}");
        }
    }
}
