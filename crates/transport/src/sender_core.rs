//! Code that both senders share: they respect the controller's limits, pace, sample rates, count rounds and
//! marks, and report each acknowledgement to the controller.

mod walk;
use crate::ace::Ace;
use crate::controller::AnyController;
use crate::controller_interface::{
    Ack, Cause, Congestion, Controller, Departure, Driven, Idle, Limits, Lost, Sent,
};
use crate::rate::{Sampler, Snapshot};
use crate::rtt::Rtt;
use crate::segment::{AckSegment, Ecn, Feedback, Segment, Signal};
use crate::sender_state::{AckSummary, Inspection, SenderCounters};
use crate::setup::{AfterIdle, EcnFeedback, SenderSetup};
use crate::units::{Span, Time};

/// The controller and the state that it shares with the sender.
#[derive(Clone, Debug)]
pub struct SenderCore {
    controller: AnyController,
    limits: Limits,
    ecn: Ecn,
    feedback: EcnFeedback,
    pacing: bool,
    mss: u64,
    initial: u64,
    after_idle: AfterIdle,
    release: Time,
    /// Of a queue pair: from when on the last packet counts in the pace, and its bytes. A new pace counts from there, too.
    last: Option<(Time, u64)>,
    /// Bytes of a packet besides its payload that pacing counts.
    overhead: u64,
    pub rtt: Rtt,
    pub sampler: Sampler,
    pub counters: SenderCounters,
    ce_bytes: u64,
    ace: Ace,
    /// The controller is told of transmissions.
    wants_transmissions: bool,
    /// The flow was window-limited in this round, and in the last.
    window_limited: (bool, bool),
    /// The window allowed more than `MAX_UNACKNOWLEDGED` packets.
    pub capped: bool,
}

impl SenderCore {
    pub fn new(setup: &SenderSetup, controller: AnyController) -> SenderCore {
        let wanted = controller.ecn();
        let ecn = match (wanted, setup.ecn) {
            (Ecn::NotEct, EcnFeedback::Off) => Ecn::NotEct,
            (Ecn::NotEct, _) => Ecn::Ect0,
            (codepoint, _) => codepoint,
        };
        SenderCore {
            limits: controller.limits(),
            controller,
            ecn,
            feedback: match setup.ecn {
                EcnFeedback::Off => EcnFeedback::Accurate,
                chosen => chosen,
            },
            pacing: setup.pacing,
            mss: setup.mss,
            initial: setup.initial,
            after_idle: setup.after_idle,
            release: Time::ZERO,
            last: None,
            overhead: match setup.protocol.row().queue_pair {
                true => setup.frame - setup.mss,
                false => 0,
            },
            rtt: Rtt::new(setup.rto_min),
            sampler: Sampler::default(),
            counters: SenderCounters::default(),
            ce_bytes: 0,
            ace: Ace::default(),
            wants_transmissions: true,
            window_limited: (false, false),
            capped: false,
        }
    }

    /// Codepoint of a segment; a retransmission asks for no marks (RFC 3168 section 6.1.5) unless
    /// the controller wants the low-latency treatment, which forbids leaving it (RFC 9331).
    pub fn codepoint(&self, again: bool) -> Ecn {
        match self.ecn {
            Ecn::Ect0 if again => Ecn::NotEct,
            codepoint => codepoint,
        }
    }

    /// Another controller takes over, at the beginning of its own state.
    pub fn take_controller(&mut self, controller: AnyController, setup: &SenderSetup) {
        let new = SenderCore::new(setup, controller);
        (self.controller, self.limits, self.ecn) = (new.controller, new.limits, new.ecn);
        self.wants_transmissions = true;
    }

    /// Takes options over that may change in the middle of a run.
    pub fn take_options(&mut self, setup: &SenderSetup) {
        self.pacing = setup.pacing;
        self.after_idle = setup.after_idle;
        self.rtt.set_floor(setup.rto_min);
    }

    pub fn window(&self) -> u64 {
        self.limits.window
    }

    /// Bytes that may leave although the window is full.
    pub fn heartbeat(&self) -> u64 {
        self.controller.heartbeat()
    }

    pub fn wake(&self) -> Time {
        self.limits.wake
    }

    /// When pacing lets the next segment leave.
    pub fn release(&self) -> Time {
        match self.limits.pacing {
            Some(_) if self.pacing => self.release,
            _ => Time::ZERO,
        }
    }

    /// The window, not the application, limits the sender now.
    pub fn note_window_limited(&mut self) {
        self.window_limited.0 = true;
    }

    /// A segment leaves: updates pacing, counters and the controller. Returns the content of its
    /// header.
    #[inline(always)]
    pub fn on_sent(&mut self, sent: Sent) -> Option<Box<Feedback>> {
        if let (Some(rate), true) = (self.limits.pacing, self.pacing) {
            let bytes = sent.len + self.overhead;
            let from = self.release.max(sent.now);
            self.release = from.after(rate.pace(bytes));
            if self.overhead > 0 {
                self.last = Some((from, bytes));
            }
        }
        self.counters.segments += 1;
        self.counters.bytes += sent.len;
        if sent.again {
            self.counters.retransmitted += 1;
            self.counters.retransmitted_bytes += sent.len;
        }
        match self.wants_transmissions {
            // A copy, so that there is nothing to be laid down for a controller that isn't told.
            true => self.report_transmission(Sent { ..sent }),
            false => None,
        }
    }

    /// Asks the controller for its limits. A new pace of a queue pair moves the next departure, as its card does.
    #[inline(always)]
    fn take_limits(&mut self) {
        let before = std::mem::replace(&mut self.limits, self.controller.limits());
        if let (Some((from, bytes)), Some(rate)) = (self.last, self.limits.pacing)
            && before.pacing != Some(rate)
        {
            self.release = from.after(rate.pace(bytes));
        }
    }

    fn report_transmission(&mut self, sent: Sent) -> Option<Box<Feedback>> {
        let departure = self.controller.on_sent(&sent);
        self.wants_transmissions = departure != Departure::Ignored;
        // A congestion header says what the window is and does not move it.
        if !matches!(departure, Departure::Announced(Feedback::Congestion(_))) {
            self.take_limits();
        }
        match departure {
            Departure::Announced(feedback) => Some(Box::new(feedback)),
            Departure::Ignored | Departure::Noted => None,
        }
    }

    /// A segment was declared lost; `in_flight` is without it.
    pub fn on_lost(
        &mut self,
        now: Time,
        number: u64,
        len: u64,
        snapshot: &Snapshot,
        in_flight: u64,
    ) {
        self.counters.lost += 1;
        let lost = self.sampler.on_lost(snapshot, len);
        self.controller.on_lost(&Lost {
            now,
            number,
            len,
            tx_in_flight: snapshot.tx_in_flight,
            lost,
            in_flight,
            app_limited: snapshot.app_limited,
        });
    }

    /// Bytes newly reported as marked, where `acked` bytes in `packets` packets are newly acknowledged.
    /// Marked packets of unknown size count as full ones. Counters only grow, so an overtaken
    /// acknowledgement reports nothing.
    pub fn newly_marked(&mut self, ack: &AckSegment, acked: u64, packets: u64) -> u64 {
        match self.feedback {
            EcnFeedback::Ace => self.mss * self.ace.decode(ack, packets),
            EcnFeedback::Accurate | EcnFeedback::Off => {
                let new = ack.ce_bytes.saturating_sub(self.ce_bytes);
                self.ce_bytes += new;
                new
            }
            EcnFeedback::Dctcp if ack.ece => acked,
            EcnFeedback::Dctcp | EcnFeedback::Classic => 0,
        }
    }

    /// Whether the acknowledgement reports congestion marks.
    pub fn reports_congestion(&self, ack: &AckSegment, marked: u64) -> bool {
        marked > 0 || (self.feedback == EcnFeedback::Classic && ack.ece)
    }

    /// Whether `Cause::Mark` is the only report of marks.
    pub fn is_classic_ecn(&self) -> bool {
        self.feedback == EcnFeedback::Classic
    }

    pub fn report_congestion(
        &mut self,
        now: Time,
        cause: Cause,
        in_flight: u64,
        lost: u64,
        tx_in_flight: u64,
    ) {
        self.controller.on_congestion(&Congestion {
            now,
            cause,
            in_flight,
            lost,
            tx_in_flight,
            round: self.sampler.round(),
        });
        self.take_limits();
    }

    /// A segment that begins at `start` leaves. It takes marks, whether it is sent again or not.
    #[inline(always)]
    pub fn send(&mut self, sent: Sent, start: u64, push: bool) -> Segment {
        let feedback = self.on_sent(sent);
        Segment {
            number: sent.number,
            start,
            len: sent.len as u32,
            again: sent.again,
            ecn: self.codepoint(false),
            cwr: false,
            push,
            sent: sent.now,
            feedback,
        }
    }

    /// The round trip that an acknowledgement tells, whose segment carried its instant of departure.
    pub fn measure(&mut self, now: Time, ack: &AckSegment, summary: &mut AckSummary) {
        let rtt = self.rtt.told(Span(now.0.saturating_sub(ack.echo.0)));
        summary.rtt = Some(rtt);
        summary.one_way = Some(Span(ack.received.0.saturating_sub(ack.echo.0)));
        self.rtt.sample(rtt);
        self.rtt.observe(rtt);
    }

    /// Reports an acknowledgement to the controller.
    pub fn on_ack(
        &mut self,
        now: Time,
        ack: &AckSegment,
        summary: &AckSummary,
        in_flight: u64,
        recovering: bool,
    ) {
        let (rate, round_start) = self
            .sampler
            .finish(now, summary.newest.as_ref(), self.rtt.min());
        if round_start {
            self.window_limited = (false, self.window_limited.0);
        }
        self.controller.on_ack(&Ack {
            now,
            acked: summary.acked,
            advanced: summary.advanced,
            acked_segments: summary.segments,
            lost: summary.lost,
            marked: summary.marked,
            delivered: self.sampler.delivered(),
            prior_in_flight: summary.prior_in_flight,
            in_flight,
            rtt: summary.rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min(),
            one_way: summary.one_way,
            rate,
            round: self.sampler.round(),
            round_start,
            cwnd_limited: self.window_limited.0 || self.window_limited.1,
            recovering,
            sent: self.counters.bytes,
            number: ack.number,
            feedback: ack.feedback.as_deref(),
        });
        self.take_limits();
    }

    /// A packet of the receiver has come that acknowledges nothing.
    pub fn on_signal(&mut self, now: Time, signal: &Signal) {
        self.controller.on_signal(now, signal);
        self.take_limits();
    }

    /// Nothing is in flight, and the last transmission was at `last`.
    #[cold]
    pub fn on_idle(&mut self, now: Time, last: Time) {
        let (idle, timeout) = (now.since(last), self.rtt.timeout());
        let (mut window, mut threshold) = (u64::MAX, 0);
        if idle > timeout {
            let least = self.initial.min(self.limits.window);
            match self.after_idle {
                AfterIdle::Restart => window = least,
                AfterIdle::Decay => {
                    // As in Linux, the first timeout leaves the window unchanged.
                    let halvings = idle.0.div_ceil(timeout.0) - 1;
                    let halved = self.limits.window.checked_shr(halvings.min(64) as u32);
                    window = halved.unwrap_or(0).max(least);
                    threshold = self.limits.window / 4 * 3;
                }
                AfterIdle::Keep => {}
            }
        }
        self.controller.on_idle(&Idle {
            now,
            window,
            threshold,
        });
        self.take_limits();
    }

    pub fn on_timer(&mut self, now: Time) {
        if self.limits.wake <= now {
            self.controller.on_timer(now);
            self.take_limits();
        }
    }

    /// Lets a driver tell the controller what to do, where that is driven from outside.
    pub fn drive(&mut self, outside: &mut dyn FnMut(&mut Driven)) {
        if let Some(agent) = self.controller.driven_mut() {
            outside(agent);
            self.limits = self.controller.limits();
        }
    }

    pub fn controller(&self) -> &AnyController {
        &self.controller
    }

    /// When to call next a sender that waits until then, or, where it is held back by pacing, for its release.
    #[inline]
    pub fn due(&self, deadline: Time, paced: bool) -> Time {
        let pacing = if paced { self.release } else { Time::NEVER };
        deadline.min(self.limits.wake).min(pacing)
    }

    /// The random stream of its controller begins anew, where it has one.
    pub fn rekey(&mut self, by: u64) {
        if let Some(random) = self.controller.stream() {
            random.rekey(by);
        }
    }

    /// Reads a word of each cache line that an acknowledgement touches.
    pub fn prefetch(&self) -> u64 {
        let limits = self.limits.window ^ self.release.0 ^ self.rtt.srtt().0;
        limits ^ self.sampler.delivered() ^ self.counters.segments ^ self.counters.acked
    }

    pub fn inspect(&self, window: u64, in_flight: u64) -> Inspection {
        Inspection {
            window,
            in_flight,
            pacing: self.limits.pacing.filter(|_| self.pacing),
            srtt: self.rtt.srtt(),
            rto: self.rtt.timeout(),
            delivered: self.sampler.delivered(),
            controller: self.controller.inspect(),
        }
    }
}
