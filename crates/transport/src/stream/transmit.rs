//! Chooses the segment that leaves next: a tail loss probe, a retransmission or new data, as the window, the receiver and
//! pacing allow.

use super::sender::{Phase, StreamSender};
use crate::controller_interface::Sent;
use crate::ends::Sender;
use crate::segment::Segment;
use crate::units::Time;

/// What leaves next.
#[derive(Copy, Clone, Debug)]
enum Next {
    /// So many bytes that have not been sent.
    New(u64),
    /// A segment of the scoreboard.
    Again(u64),
}

/// A transmission that leaves now.
#[derive(Copy, Clone, Debug)]
struct Transmission {
    start: u64,
    len: u32,
    again: bool,
    cwr: bool,
}

impl StreamSender {
    /// The next segment that may leave now. It is built in place, because a copy would stall on the
    /// store just before.
    #[inline(always)]
    pub(super) fn next_segment(&mut self, now: Time) -> Option<Segment> {
        self.paced = false;
        let probing = std::mem::take(&mut self.probe);
        let next = match probing {
            true => self.choose_probe(),
            false => self.choose(now),
        };
        let Some(next) = next else {
            if std::mem::take(&mut self.rearm) {
                self.arm_probe(now);
            }
            return None;
        };
        let bytes = match next {
            Next::New(len) => self.send(now, len),
            Next::Again(id) => self.retransmit(now, id),
        };
        if probing {
            self.note_probe(now, bytes.again);
        }
        Some(self.transmit(now, bytes))
    }

    #[inline(always)]
    fn choose(&mut self, now: Time) -> Option<Next> {
        let lost = self.scoreboard.first_lost();
        let len = match lost {
            Some(id) => u64::from(self.scoreboard.entry(id).len),
            None => self.mss.min(self.written - self.nxt),
        };
        let flight = self.in_flight();
        if len == 0 {
            if flight < self.window() {
                self.core.sampler.limit(flight);
            }
            return None;
        }
        if lost.is_none() && self.nxt + len > self.window_edge {
            return None;
        }
        let forced = self.bypass_window && lost.is_some();
        // One segment may always be in flight, or a small window would stop the flow forever.
        let fits = flight == 0 || flight + len <= self.window();
        if !fits && !forced && self.core.heartbeat() == 0 {
            self.core.note_window_limited();
            return None;
        }
        if now < self.core.release() && !forced {
            self.paced = true;
            return None;
        }
        self.bypass_window = false;
        if flight == 0 && self.number > 0 && self.scoreboard.is_empty() {
            self.core.on_idle(now, self.last_sent);
        }
        Some(match lost {
            Some(id) => {
                self.undo.on_resent();
                Next::Again(id)
            }
            None => Next::New(len),
        })
    }

    #[inline(always)]
    fn send(&mut self, now: Time, len: u64) -> Transmission {
        let start = self.nxt;
        let snapshot = self.core.sampler.on_send(now, self.in_flight(), len);
        self.scoreboard
            .push(start, len as u32, self.number, snapshot);
        self.nxt += len;
        self.rearm = true;
        Transmission {
            start,
            len: len as u32,
            again: false,
            cwr: std::mem::take(&mut self.cwr),
        }
    }

    #[inline(always)]
    fn retransmit(&mut self, now: Time, id: u64) -> Transmission {
        let entry = self.scoreboard.entry(id);
        let len = u64::from(entry.len);
        let snapshot = self.core.sampler.on_send(now, self.in_flight(), len);
        self.scoreboard.retransmit(id, self.number, snapshot);
        Transmission {
            start: entry.start,
            len: entry.len,
            again: true,
            cwr: false,
        }
    }

    /// Tail loss probe: new data if available, otherwise the last segment again (RFC 8985 section 7.3).
    #[cold]
    fn choose_probe(&self) -> Option<Next> {
        let len = self.mss.min(self.written - self.nxt);
        if len > 0 && self.nxt + len <= self.window_edge {
            return Some(Next::New(len));
        }
        let last = self.scoreboard.ids().end.checked_sub(1);
        last.filter(|_| !self.scoreboard.is_empty())
            .map(Next::Again)
    }

    /// The probe is on the scoreboard.
    #[cold]
    fn note_probe(&mut self, now: Time, again: bool) {
        self.core.counters.probes += 1;
        if let Some(tlp) = &mut self.tlp {
            tlp.sent(self.nxt, again);
            tlp.disarm();
        }
        self.rto = now.after(self.core.rtt.timeout());
    }

    /// Builds the segment and updates timers, recovery and the controller.
    #[inline(always)]
    fn transmit(&mut self, now: Time, bytes: Transmission) -> Segment {
        let Transmission {
            start, again, cwr, ..
        } = bytes;
        let len = u64::from(bytes.len);
        let number = self.number;
        self.number += 1;
        self.last_sent = now;
        if self.rto == Time::NEVER {
            self.rto = now.after(self.core.rtt.timeout());
        }
        if let Some(prr) = &mut self.prr {
            prr.on_sent(len);
        }
        let feedback = self.core.on_sent(Sent {
            now,
            number,
            len,
            in_flight: self.in_flight(),
            again,
            app_limited: self.nxt == self.written,
        });
        Segment {
            number,
            start,
            len: bytes.len,
            again,
            ecn: self.core.codepoint(again),
            cwr,
            push: start + len == self.written,
            sent: now,
            feedback,
        }
    }

    /// Arms the probe under the conditions of RFC 8985 section 7.2: outside recovery, with nothing
    /// selectively acknowledged.
    fn arm_probe(&mut self, now: Time) {
        let Some(tlp) = &mut self.tlp else {
            return;
        };
        if self.phase == Phase::Open
            && self.scoreboard.sacked_segments() == 0
            && !self.scoreboard.is_empty()
        {
            let ids = self.scoreboard.ids();
            let single = ids.end - ids.start == 1;
            tlp.arm(now, &self.core.rtt, single, self.ack_delay, self.rto);
        } else {
            tlp.disarm();
        }
    }
}
