//! A controller that notes what its sender tells it, and whose limits a test sets.

use std::sync::{Arc, Mutex, MutexGuard};

use backwater_transport::controller::{
    Ack, AnyController, Cause, Congestion, Controller, CustomController, Departure, Idle, Limits,
    Lost, RateSample, Reduction, Sent,
};
use backwater_transport::segment::{Ecn, Signal};
use backwater_transport::units::{Rate, Span, Time};
use backwater_transport::walk::Walk;

/// What an acknowledgement told, without the smoothed values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Heard {
    pub acked: u64,
    pub advanced: u64,
    pub segments: u32,
    pub lost: u64,
    pub marked: u64,
    pub delivered: u64,
    pub before: u64,
    pub flight: u64,
    pub rtt: Option<Span>,
    pub one_way: Option<Span>,
    pub recovering: bool,
    pub number: u64,
}

/// What a congestion event told: cause, bytes in flight, bytes lost, bytes in flight as the lost packet left.
pub type Event = (Cause, u64, u64, u64);

/// All that was told, and the limits.
#[derive(Debug)]
pub struct Book {
    pub window: u64,
    pub pacing: Option<Rate>,
    pub wake: Time,
    pub ecn: Ecn,
    pub heartbeat: u64,
    pub reduction: Reduction,
    pub events: Vec<Event>,
    pub heard: Vec<Heard>,
    pub rates: Vec<Option<RateSample>>,
    /// The round so far, whether it began, and whether the window was the limit.
    pub rounds: Vec<(u64, bool, bool)>,
    pub sent: Vec<Sent>,
    pub lost: Vec<Lost>,
    pub idle: Vec<Idle>,
    pub woken: Vec<Time>,
    /// The least round trip, as the last acknowledgement told it.
    pub least: Span,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Recorder(Arc<Mutex<Book>>);

impl Recorder {
    /// With this window and nothing else.
    pub fn new(window: u64) -> Recorder {
        Recorder(Arc::new(Mutex::new(Book {
            window,
            pacing: None,
            wake: Time::NEVER,
            ecn: Ecn::NotEct,
            heartbeat: 0,
            reduction: Reduction::Direct,
            events: Vec::new(),
            heard: Vec::new(),
            rates: Vec::new(),
            rounds: Vec::new(),
            sent: Vec::new(),
            lost: Vec::new(),
            idle: Vec::new(),
            woken: Vec::new(),
            least: Span::MAX,
        })))
    }

    /// What was told, to be read and set.
    pub fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().expect("one thread")
    }

    /// The controller for a sender. It writes into this book.
    pub fn controller(&self) -> AnyController {
        AnyController::Custom(Box::new(self.clone()))
    }

    /// The congestion events since the last call.
    pub fn events(&self) -> Vec<Event> {
        std::mem::take(&mut self.book().events)
    }

    /// Holds the last acknowledgement's word on limits to whether the sender had too little to send in this round or the one before.
    pub fn compare_round(&self, limited: &mut (bool, bool)) {
        let (_, began, told) = *self.book().rounds.last().expect("a round");
        if began {
            *limited = (false, limited.0);
        }
        assert_eq!(told, limited.0 || limited.1);
    }

    /// The last acknowledgement.
    pub fn last(&self) -> Heard {
        *self.book().heard.last().expect("an acknowledgement")
    }
}

impl Controller for Recorder {
    fn on_ack(&mut self, ack: &Ack) {
        let mut book = self.book();
        book.least = ack.min_rtt;
        book.heard.push(Heard {
            acked: ack.acked,
            advanced: ack.advanced,
            segments: ack.acked_segments,
            lost: ack.lost,
            marked: ack.marked,
            delivered: ack.delivered,
            before: ack.prior_in_flight,
            flight: ack.in_flight,
            rtt: ack.rtt,
            one_way: ack.one_way,
            recovering: ack.recovering,
            number: ack.number,
        });
        book.rates.push(ack.rate);
        book.rounds
            .push((ack.round, ack.round_start, ack.cwnd_limited));
    }

    fn on_congestion(&mut self, congestion: &Congestion) {
        self.book().events.push((
            congestion.cause,
            congestion.in_flight,
            congestion.lost,
            congestion.tx_in_flight,
        ));
    }

    fn limits(&self) -> Limits {
        let book = self.book();
        Limits {
            window: book.window,
            pacing: book.pacing,
            wake: book.wake,
        }
    }

    fn on_signal(&mut self, _now: Time, _signal: &Signal) {}

    fn on_sent(&mut self, sent: &Sent) -> Departure {
        self.book().sent.push(*sent);
        Departure::Noted
    }

    fn on_lost(&mut self, lost: &Lost) {
        self.book().lost.push(*lost);
    }

    fn on_idle(&mut self, idle: &Idle) {
        self.book().idle.push(*idle);
    }

    fn heartbeat(&self) -> u64 {
        self.book().heartbeat
    }

    fn on_timer(&mut self, now: Time) {
        let mut book = self.book();
        book.woken.push(now);
        book.wake = Time::NEVER;
    }

    fn reduction(&self) -> Reduction {
        self.book().reduction
    }

    fn ecn(&self) -> Ecn {
        self.book().ecn
    }

    /// What was told does not count.
    fn walk(&mut self, walk: &mut Walk, _flow: &str) {
        walk.same(self.book().window);
    }
}

impl CustomController for Recorder {
    fn fork(&self) -> Box<dyn CustomController> {
        Box::new(self.clone())
    }
}
