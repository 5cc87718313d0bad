//! The sender of a reliable byte stream, above all controllers and below all applications: it cuts
//! segments, keeps the scoreboard and the timers (`mod.rs`), and hands what acknowledgements tell to
//! recovery and to the controller (`ack.rs`).

mod ack;

use crate::controller::AnyController;
use crate::controller_interface::{Cause, Controller, Reduction, Sent};
use crate::pilot::{Findings, Pilot};
use crate::recovery::Detector;
use crate::recovery::prr::Prr;
use crate::recovery::rack::Flow;
use crate::recovery::tlp::Tlp;
use crate::recovery::undo::Undo;
use crate::scoreboard::{Scoreboard, State};
use crate::segment::Segment;
use crate::sender_state::{Inspection, SenderCounters};
use crate::setup::{Recovery, SenderSetup};
use crate::units::{Span, Time};

/// What the sender is doing about losses.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing.
    Open,
    /// Fast recovery.
    Fast,
    /// Slow start over what was lost when the retransmission timer expired.
    Timeout,
}

/// Bytes that leave now.
#[derive(Copy, Clone, Debug)]
struct Leaving {
    start: u64,
    len: u32,
    again: bool,
    cwr: bool,
}

/// The sender.
#[derive(Clone, Debug)]
pub struct StreamSender {
    pilot: Pilot,
    mss: u64,
    ack_delay: Span,
    detector: Detector,
    prr: Option<Prr>,
    proportional: bool,
    tlp: Option<Tlp>,
    undo: Undo,
    board: Scoreboard,
    phase: Phase,
    /// Fast recovery or the timeout is over when all below is acknowledged.
    recover: u64,
    /// Duplicates tell of a loss only when all below is acknowledged (RFC 6582's `recover`).
    guard: u64,
    /// Transmissions from this on left after the last answer to a loss.
    answered: u64,
    /// Among the losses just found is a retransmission that left since.
    lost_again: bool,
    /// New data that left since were lost. That is answered when this recovery is over.
    lost_later: bool,
    /// Bytes lost in this episode.
    episode_lost: u64,
    written: u64,
    una: u64,
    nxt: u64,
    number: u64,
    /// The receiver has room up to here.
    edge: u64,
    /// The next retransmission leaves whatever the window says.
    force: bool,
    /// A tail loss probe leaves whatever the window says.
    probe: bool,
    /// The first segment was resent because the timer expired.
    front_timed_out: bool,
    rto: Time,
    /// When the last segment left.
    left: Time,
    /// Marks are answered again when more than this is acknowledged.
    mark_ends: u64,
    cwr: bool,
    paced: bool,
    /// The timer of the probe is to be set anew, once nothing more leaves.
    rearm: bool,
    /// Scratch: segments just found lost.
    losses: Vec<u64>,
}

impl StreamSender {
    /// A sender with nothing to send yet.
    pub fn new(setup: &SenderSetup, controller: AnyController) -> StreamSender {
        assert!(setup.mss > 0 && setup.mss <= u64::from(u32::MAX));
        let rack = setup.recovery == Recovery::Rack;
        StreamSender {
            mss: setup.mss,
            ack_delay: setup.ack_delay,
            detector: Detector::new(setup.recovery, setup.mss),
            prr: None,
            proportional: rack && controller.reduction() == Reduction::Proportional,
            tlp: rack.then(Tlp::default),
            undo: Undo::default(),
            board: Scoreboard::default(),
            phase: Phase::Open,
            recover: 0,
            guard: 0,
            answered: 0,
            lost_again: false,
            lost_later: false,
            episode_lost: 0,
            written: 0,
            una: 0,
            nxt: 0,
            number: 0,
            edge: u64::MAX,
            force: false,
            probe: false,
            front_timed_out: false,
            rto: Time::NEVER,
            left: Time::ZERO,
            mark_ends: 0,
            cwr: false,
            paced: false,
            rearm: false,
            losses: Vec::new(),
            pilot: Pilot::new(setup, controller),
        }
    }

    /// The application has that many more bytes.
    pub fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
    }

    /// Bytes in the network as far as recovery can tell.
    fn in_flight(&self) -> u64 {
        self.board.in_flight().saturating_sub(self.detector.gone())
    }

    /// Bytes that may be in flight.
    pub fn window(&self) -> u64 {
        match &self.prr {
            Some(prr) => prr.window(),
            None => self.pilot.window(),
        }
    }

    /// The next segment that may leave now. It is made in place: a copy would have to wait until what was
    /// written just before has reached the cache.
    #[inline(always)]
    pub fn poll(&mut self, now: Time) -> Option<Segment> {
        let bytes = self.next(now)?;
        Some(self.leave(now, bytes))
    }

    #[inline(always)]
    fn next(&mut self, now: Time) -> Option<Leaving> {
        let next = self.choose(now);
        if next.is_none() && std::mem::take(&mut self.rearm) {
            self.arm_probe(now);
        }
        next
    }

    #[inline]
    fn choose(&mut self, now: Time) -> Option<Leaving> {
        self.paced = false;
        if std::mem::take(&mut self.probe) {
            return self.send_probe(now);
        }
        let lost = self.board.first_lost();
        let len = match lost {
            Some(id) => u64::from(self.board.entry(id).len),
            None => self.mss.min(self.written - self.nxt),
        };
        let flight = self.in_flight();
        if len == 0 {
            if flight < self.window() {
                self.pilot.sampler.limit(flight);
            }
            return None;
        }
        if lost.is_none() && self.nxt + len > self.edge {
            return None;
        }
        let forced = self.force && lost.is_some();
        // One segment may always be in flight, or a small window would stop the flow for good.
        if flight > 0 && flight + len > self.window() && !forced {
            self.pilot.hold_back();
            return None;
        }
        if now < self.pilot.release() && !forced {
            self.paced = true;
            return None;
        }
        self.force = false;
        if flight == 0 && self.number > 0 && self.board.is_empty() {
            self.pilot.on_idle(now, self.left);
        }
        Some(match lost {
            Some(id) => {
                self.undo.on_resent();
                self.resend(now, id)
            }
            None => self.send(now, len),
        })
    }

    #[inline(always)]
    fn send(&mut self, now: Time, len: u64) -> Leaving {
        let start = self.nxt;
        let snapshot = self.pilot.sampler.on_send(now, self.in_flight(), len);
        self.board.push(start, len as u32, self.number, snapshot);
        self.nxt += len;
        self.rearm = true;
        Leaving {
            start,
            len: len as u32,
            again: false,
            cwr: std::mem::take(&mut self.cwr),
        }
    }

    fn resend(&mut self, now: Time, id: u64) -> Leaving {
        let entry = self.board.entry(id);
        let len = u64::from(entry.len);
        let snapshot = self.pilot.sampler.on_send(now, self.in_flight(), len);
        self.board.resend(id, self.number, snapshot);
        Leaving {
            start: entry.start,
            len: entry.len,
            again: true,
            cwr: false,
        }
    }

    /// Tail loss probe: new data if there are, else the last segment again (RFC 8985 section 7.3).
    #[cold]
    fn send_probe(&mut self, now: Time) -> Option<Leaving> {
        let len = self.mss.min(self.written - self.nxt);
        let again = len == 0 || self.nxt + len > self.edge;
        let last = self.board.ids().end.checked_sub(1);
        let last = last.filter(|_| !self.board.is_empty());
        let leaving = match last.filter(|_| again) {
            Some(id) => self.resend(now, id),
            None if again => return None,
            None => self.send(now, len),
        };
        self.pilot.counters.probes += 1;
        if let Some(tlp) = &mut self.tlp {
            tlp.sent(self.nxt, again);
            tlp.disarm();
        }
        self.rto = now.after(self.pilot.rtt.timeout());
        Some(leaving)
    }

    /// The bytes leave: timers, recovery and the controller hear of it.
    #[inline(always)]
    fn leave(&mut self, now: Time, bytes: Leaving) -> Segment {
        let Leaving {
            start, again, cwr, ..
        } = bytes;
        let len = u64::from(bytes.len);
        let number = self.number;
        self.number += 1;
        self.left = now;
        if self.rto == Time::NEVER {
            self.rto = now.after(self.pilot.rtt.timeout());
        }
        if let Some(prr) = &mut self.prr {
            prr.on_sent(len);
        }
        let feedback = self.pilot.on_sent(Sent {
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
            ecn: self.pilot.codepoint(again),
            cwr,
            push: start + len == self.written,
            sent: now,
            feedback,
        }
    }

    /// Arms the probe where RFC 8985 section 7.2 wants it: outside recovery, with nothing
    /// selectively acknowledged.
    fn arm_probe(&mut self, now: Time) {
        let Some(tlp) = &mut self.tlp else {
            return;
        };
        if self.phase == Phase::Open && self.board.sacked_segments() == 0 && !self.board.is_empty()
        {
            let ids = self.board.ids();
            let single = ids.end - ids.start == 1;
            tlp.arm(now, &self.pilot.rtt, single, self.ack_delay, self.rto);
        } else {
            tlp.disarm();
        }
    }

    fn flow(&self, now: Time) -> Flow {
        Flow {
            now,
            least_rtt: self.pilot.rtt.least(),
            srtt: self.pilot.rtt.srtt(),
            recovering: self.phase != Phase::Open,
        }
    }

    /// The instant `due` has come.
    pub fn on_timer(&mut self, now: Time) {
        self.pilot.on_timer(now);
        if let Detector::Rack(rack) = &self.detector
            && rack.due() <= now
        {
            self.reorder_timer(now);
        }
        // The retransmission timer first: at the same instant it makes the probe pointless.
        if self.rto <= now {
            self.expire(now);
        } else if let Some(tlp) = &mut self.tlp
            && tlp.due() <= now
        {
            tlp.disarm();
            self.probe = true;
        }
    }

    /// The reordering window of some segments is over (RFC 8985 section 6.2, step 5).
    fn reorder_timer(&mut self, now: Time) {
        let mut found = Findings {
            prior_in_flight: self.in_flight(),
            ..Findings::default()
        };
        self.detect(now, &mut found);
        if self.open_losses() {
            self.enter_fast(now, &found);
            let flight = self.in_flight();
            if let Some(prr) = &mut self.prr {
                prr.on_timer(flight);
            }
        }
        self.rearm = true;
    }

    /// The retransmission timer expired (RFC 6298 section 5, RFC 5681 section 3.1).
    fn expire(&mut self, now: Time) {
        let mut found = Findings {
            prior_in_flight: self.in_flight(),
            ..Findings::default()
        };
        let tx_in_flight = self.board.front().map_or(0, |e| e.snapshot.tx_in_flight);
        self.pilot.counters.timeouts += 1;
        self.pilot.rtt.back_off();
        self.rto = now.after(self.pilot.rtt.timeout());
        let flow = self.flow(now);
        self.phase = Phase::Timeout;
        self.recover = self.nxt;
        // What is sent twice from here on makes duplicates at `recover` itself.
        self.guard = self.nxt + 1;
        self.answered = self.number;
        self.lost_later = false;
        self.episode_lost = 0;
        self.prr = None;
        self.probe = false;
        self.undo.begin(self.una, 0);
        let mut losses = std::mem::take(&mut self.losses);
        match &mut self.detector {
            Detector::Rack(rack) => rack.detect_on_timeout(flow, &self.board, &mut losses),
            Detector::NewReno(newreno) => newreno.reset(),
            Detector::Sack(_) => {}
        }
        if self.tlp.is_none() {
            let board = &self.board;
            losses.extend(
                board
                    .ids()
                    .filter(|id| board.entry(*id).state == State::Flying),
            );
        }
        if let Some(tlp) = &mut self.tlp {
            tlp.reset();
        }
        self.losses = losses;
        self.declare_lost(now, &mut found);
        self.force = true;
        // Once for each segment that times out: later expiries only back off (RFC 5681, eq. 4).
        if !std::mem::replace(&mut self.front_timed_out, true) {
            let (flight, lost) = (found.prior_in_flight, found.lost);
            self.pilot
                .tell(now, Cause::Timeout, flight, lost, tx_in_flight);
        }
    }

    /// The earliest instant at which `on_timer` is wanted.
    pub fn due(&self) -> Time {
        let pacing = if self.paced {
            self.pilot.release()
        } else {
            Time::NEVER
        };
        let rack = match &self.detector {
            Detector::Rack(rack) => rack.due(),
            Detector::NewReno(_) | Detector::Sack(_) => Time::NEVER,
        };
        let probe = self.tlp.as_ref().map_or(Time::NEVER, Tlp::due);
        let timers = self.rto.min(self.pilot.wake()).min(pacing);
        timers.min(rack).min(probe)
    }

    /// Reads a word of each cache line that an acknowledgement touches.
    pub fn touch(&self) -> u64 {
        let own = self.una ^ self.written ^ self.rto.0 ^ self.answered ^ u64::from(self.force);
        own ^ self.pilot.touch() ^ self.board.in_flight() ^ self.detector.gone()
    }

    /// Reads a word of each segment that an acknowledgement touches.
    #[inline]
    pub fn touch_segments(&self) -> u64 {
        self.board.touch()
    }

    /// Payload bytes of a full segment.
    pub fn mss(&self) -> u64 {
        self.mss
    }

    /// Counts since the beginning.
    pub fn counters(&self) -> &SenderCounters {
        &self.pilot.counters
    }

    /// What the reader of a run has to know of the controller.
    pub fn warning(&self) -> Option<String> {
        self.pilot.warning()
    }

    /// State for plots and records.
    pub fn inspect(&self) -> Inspection {
        self.pilot.inspect(self.window(), self.in_flight())
    }
}
