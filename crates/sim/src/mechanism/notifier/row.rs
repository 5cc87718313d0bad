//! The interface of every notifier. A row of the table makes its terms from options; the terms make the notifier of each place. A
//! notifier receives cues and says what is to be told. Files of notifiers know this one, and not their list.

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;

use backwater_transport::part;
use backwater_transport::units::{Span, Time};

use super::terms::Terms;
use super::voice::{Arrival, VoiceSpec};
use crate::limit::MAX_CLASSES;
use crate::mechanism::carrier::{CarriedBy, Told, Toward};
use crate::mechanism::gates::Gates;
use crate::mechanism::moment::Signal;
use crate::mechanism::needs::Needs;
use crate::mechanism::notice::{Hosts, Notice};
use crate::mechanism::place::{Rhythm, Sums, View};
use crate::mechanism::responder::AnyResponder;
use crate::medium::access::Category;

/// Decides whom to tell what, and how often again, at one node.
pub trait Notifier {
    /// The cues that it must receive, and how its notices travel. Read once, so that arrivals stay cheap.
    fn facts(&self) -> Facts;

    /// Something happened: what is to be told goes into `out`.
    fn on(&mut self, cue: &Cue, out: &mut VecDeque<Told>);

    /// The timer that the notice that was just sent needs, if none runs.
    fn start_timer(&mut self, _to: Toward) -> Option<Timer> {
        None
    }

    /// The class whose notice is about to expire, if this timer says so: its detector is asked whether congestion lasts.
    fn expires(&self, _timer: u8, _epoch: u16, _now: Time) -> Option<usize> {
        None
    }

    /// The places that hold a neighbour back, as far as their notices last while congestion does, and the hosts that each names.
    fn holding(&self, _to: Toward, _now: Time) -> Vec<(usize, Option<&Hosts>)> {
        Vec::new()
    }
}

crate::custom::custom! {
    /// A notifier at a node.
    AtNode: Notifier
}

/// A timer to start: (neighbour or class, serial, delay).
pub type Timer = (u8, u16, Span);

/// Cues that not every notifier receives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cues(u8);

impl Cues {
    /// None of them.
    pub const NONE: Cues = Cues(0);
    /// Arrivals in classes that are congested.
    pub const ARRIVALS: Cues = Cues(1);
    /// All arrivals.
    pub const SENDERS: Cues = Cues(1 << 1);
    /// The signal of a detector at each moment, in place of the beginning and end of congestion.
    pub const SIGNALS: Cues = Cues(1 << 2);
    /// The bytes that came and left in a window: each time that the detector looks, and when congestion begins.
    pub const SUMS: Cues = Cues(1 << 3);

    /// Both together.
    pub const fn and(self, other: Cues) -> Cues {
        Cues(self.0 | other.0)
    }

    /// Whether one is among them.
    #[inline]
    pub const fn has(self, one: Cues) -> bool {
        self.0 & one.0 != 0
    }
}

/// The constants of a notifier at a node.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The cues that it must receive beside those of all notifiers.
    pub hears: Cues,
    /// The carrier of its notices.
    pub carrier: CarriedBy,
    /// Whether its notices name a rate that follows from that of its queue.
    pub rated: bool,
    /// Whether it lets a notice expire while its own station is stopped.
    pub lets_expire: bool,
}

impl Facts {
    /// One that hears so much and sends frames without a rate.
    pub const fn hearing(hears: Cues) -> Facts {
        Facts {
            hears,
            carrier: CarriedBy::Frame,
            rated: false,
            lets_expire: false,
        }
    }

    /// Whether packets are marked in place of notices.
    #[inline]
    pub fn marks(&self) -> bool {
        matches!(self.carrier, CarriedBy::Mark)
    }

    /// Whether something may follow from an arrival that no detector looks at.
    #[inline]
    pub fn needs_arrivals(&self) -> bool {
        self.hears.has(Cues::ARRIVALS.and(Cues::SENDERS)) || self.marks()
    }
}

/// The events that a notifier receives.
#[derive(Copy, Clone)]
pub enum Cue<'a> {
    /// One more place of its node is watched; places are numbered in this order.
    Placed(&'a VoiceSpec),
    /// A frame came; `congested` says that its class was congested before.
    Arrived {
        /// Where.
        place: usize,
        /// The frame.
        arrival: &'a Arrival,
        /// Whether its class was congested.
        congested: bool,
    },
    /// A class has become congested by this frame.
    Began {
        /// Where.
        place: usize,
        /// The frame.
        arrival: &'a Arrival,
        /// The packets that wait there.
        waiting: &'a Waiting<'a>,
    },
    /// A class is no longer congested.
    Ended {
        /// Where.
        place: usize,
        /// Which.
        class: usize,
        /// When.
        now: Time,
    },
    /// The signal of a detector about a class at any moment.
    Said {
        /// Which class.
        class: usize,
        /// What.
        signal: Signal,
    },
    /// A class is not congested yet, but holds much for neighbours.
    Early {
        /// The class.
        view: &'a View<'a>,
        /// The packets that wait there.
        waiting: &'a Waiting<'a>,
    },
    /// The notice about a class is about to expire, and congestion lasts.
    Lasts {
        /// The class.
        view: &'a View<'a>,
        /// The packets that wait there.
        waiting: &'a Waiting<'a>,
    },
    /// A window of the place's rates.
    Sampled {
        /// When.
        now: Time,
        /// The last signal of each class.
        signals: &'a [Signal; MAX_CLASSES],
        /// Bytes that came and left.
        sums: &'a Sums,
    },
    /// A station has acknowledged a notice.
    Acknowledged {
        /// Who.
        to: u32,
        /// Which notice.
        notice: &'a Notice,
        /// When.
        now: Time,
    },
    /// A data frame of an upstream station said how many steps the station has taken.
    Reported {
        /// Who.
        from: u32,
        /// Access category.
        category: u8,
        /// Steps.
        level: u8,
    },
    /// The place's own port is held to rates, or no longer.
    HeldTo {
        /// Where.
        place: usize,
        /// The gates that hold it.
        gates: Option<&'a Gates>,
        /// When.
        now: Time,
    },
    /// The link to a neighbour was down and is back.
    LinkIsBack {
        /// Which neighbour.
        to: Toward,
    },
    /// A timer of its notices went off.
    Due {
        /// Which.
        timer: u8,
        /// Its serial.
        epoch: u16,
    },
}

/// The packets that wait at a place; looked up only for those who name it.
#[derive(Copy, Clone)]
pub struct Waiting<'a> {
    /// The hosts of the frames in the queue.
    pub hosts: &'a dyn Fn() -> Hosts,
    /// How much of each neighbour's packets for each destination waits, ascending.
    pub owners: &'a dyn Fn() -> Vec<Owner>,
}

impl<'a> Waiting<'a> {
    /// At a place that knows no owners.
    pub fn for_hosts(hosts: &'a dyn Fn() -> Hosts) -> Waiting<'a> {
        Waiting {
            hosts,
            owners: &Vec::new,
        }
    }

    /// Nothing waits.
    pub fn nothing() -> Waiting<'static> {
        Waiting::for_hosts(&|| [].into())
    }
}

/// The packets of one neighbour for one destination that a station holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The neighbour that they came from.
    pub station: u32,
    /// The host that they go to.
    pub host: u32,
    /// Bytes.
    pub bytes: u64,
}

/// Who may be told over the air.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Stations that have a hop to this one.
    Upstream,
    /// Neighbours in the routing tree.
    Tree,
    /// All stations that understand the frame.
    Range,
    /// The place itself alone.
    Itself,
}

/// A node at which a notifier is made.
pub struct Site<'a> {
    /// Number of the mechanism, whose responder answers.
    pub number: u32,
    /// The responder of those who are told.
    pub respond: &'a AnyResponder,
    /// Those that a standing notice may go to, each with the unit of its carrier.
    pub neighbours: Vec<(Toward, Span)>,
    /// Stations that may be told, ascending.
    pub peers: &'a [u32],
    /// Access parameters as written, where the place is a station.
    pub categories: &'a [Category],
    /// Whether it has one queue for all classes.
    pub one_queue: bool,
    /// Hosts in the network.
    pub hosts: usize,
    /// When its detector looks.
    pub rhythm: Option<Rhythm>,
}

/// The terms that a row makes of its options. They make the notifier of each place.
pub trait Notify: Debug + Send + Sync {
    /// Its needs.
    fn needs(&self) -> Needs;

    /// Who may be told over the air.
    fn reach(&self) -> Reach {
        Reach::Upstream
    }

    /// The terms of its notices, where they stand while congestion lasts.
    fn standing(&self) -> Option<&Terms> {
        None
    }

    /// The carrier of its notices.
    fn carried_by(&self) -> CarriedBy {
        self.standing().map_or(CarriedBy::Frame, |t| t.carrier)
    }

    /// Bytes of the field in which data frames of upstream stations report the steps that they have taken.
    fn report(&self) -> u64 {
        0
    }

    /// When it has the place looked at, beside a detector without a timer.
    fn rhythm(&self) -> Option<Rhythm> {
        None
    }

    /// The notifier of a node.
    fn at(&self, site: &Site) -> Box<dyn AtNode>;
}

/// The result of a row and its options.
#[derive(Clone, Debug)]
pub struct AnyNotifier(Arc<dyn Notify>);

impl<T: Notify + 'static> From<T> for AnyNotifier {
    fn from(terms: T) -> AnyNotifier {
        AnyNotifier(Arc::new(terms))
    }
}

impl std::ops::Deref for AnyNotifier {
    type Target = dyn Notify;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// How a row builds its notifier.
pub type Build = part::Build<AnyNotifier>;
