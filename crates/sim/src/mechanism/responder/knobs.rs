//! The knobs that a place lends its responder: gates and bars, and at a station the parameters of its transmitter.

use backwater_transport::units::{Bytes, Rate, Span, Time};

use super::own::Hold;
use crate::ids::FlowId;
use crate::limit::MAX_CLASSES;
use crate::mechanism::gates::{Bar, Bucket, Gates};
use crate::mechanism::notice::{Ask, Notice};
use crate::medium::access::Category;

/// The knobs that a place lends its responder.
pub struct Knobs<'a> {
    /// Now.
    pub now: Time,
    /// When the time that a notice states begins to run.
    pub timer_from: Time,
    /// Unit of the notice's time.
    pub unit: Span,
    /// Gates and bars, where a responder needs them.
    pub gates: Option<&'a mut Gates>,
    /// At a station the neighbour that sent the notice: what goes elsewhere need not wait.
    pub next: Option<u32>,
    /// At a station, its transmitter.
    pub transmitter: Option<&'a mut Transmitter>,
}

/// The parameters of an 802.11 transmitter, and what a responder wants of it.
#[derive(Clone, Debug, Default)]
pub struct Transmitter {
    /// Parameters by category before any notice moved them.
    pub written: Box<[Category]>,
    /// Parameters to move.
    pub moved: Vec<Moved>,
    /// Own flows to hold to a rate from now on, or no longer.
    pub held: Vec<(FlowId, Hold)>,
    /// When the responder's timers go off.
    pub timers: Vec<Time>,
}

/// New parameters of a category.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Moved {
    /// Which.
    pub category: usize,
    /// Its parameters.
    pub set: Category,
    /// Its token bucket: a new rate, or none; outer `None` leaves it as it is.
    pub pace: Option<Option<Rate>>,
    /// How far it has stepped back, for the fingerprint.
    pub level: u8,
}

impl Knobs<'_> {
    /// The 802.11 transmitter, which a responder that needs one always finds.
    pub(super) fn transmitter(&mut self) -> &mut Transmitter {
        let transmitter = self.transmitter.as_deref_mut();
        transmitter.expect("a responder that needs a transmitter is told at stations only")
    }

    fn gates(&mut self) -> &mut Gates {
        let gates = self.gates.as_deref_mut();
        gates.expect("a responder that needs gates finds them")
    }

    /// The end of a notice's time of so many units.
    pub fn after(&self, quanta: u16) -> Time {
        self.timer_from.after(self.unit.times(u64::from(quanta)))
    }

    /// Whether gates of classes can hold back what a notice covers.
    fn by_class(&self, notice: &Notice) -> bool {
        notice.hosts.is_none() && self.next.is_none()
    }

    /// Closes the gate for what a notice covers, or opens it, as the notice asks.
    pub fn gate(&mut self, notice: &Notice) {
        let (open, until) = match notice.ask {
            Ask::Stop(quanta) | Ask::Limit(_, quanta) => (quanta == 0, self.after(quanta)),
            Ask::Step(step) => (!step.less, step.until(self.now)),
            Ask::Own(_) => return,
        };
        match open {
            true => self.open(notice),
            false => self.stop(notice, until),
        }
    }

    /// Stops what a notice covers until then.
    pub fn stop(&mut self, notice: &Notice, until: Time) {
        if self.by_class(notice) {
            let now = self.now;
            return self.gates().set(now, notice.classes, until);
        }
        for (key, classes) in keys(notice) {
            self.lower(notice, key, classes, until, None);
        }
    }

    /// Ends what `stop` began.
    pub fn open(&mut self, notice: &Notice) {
        if self.by_class(notice) {
            let now = self.now;
            return self.gates().set(now, notice.classes, now);
        }
        let (now, next) = (self.now, self.next);
        for (key, _) in keys(notice) {
            self.gates().lift(now, key, next);
        }
    }

    /// Holds what a notice covers to a rate until then; `depth` and a frame may leave at once.
    pub fn limit(&mut self, notice: &Notice, rate: Rate, depth: Bytes, until: Time) {
        let rate = Rate(rate.0.max(1));
        let bucket = Bucket {
            rate,
            tolerance: rate.time_for(depth),
            due: self.now,
        };
        let key = limit_key(notice);
        self.lower(notice, key, notice.classes, until, Some(bucket));
    }

    /// Ends what `limit` began.
    pub fn unlimit(&mut self, notice: &Notice) {
        let (now, next) = (self.now, self.next);
        self.gates().lift(now, limit_key(notice), next);
    }

    fn lower(
        &mut self,
        notice: &Notice,
        key: u64,
        classes: u8,
        until: Time,
        bucket: Option<Bucket>,
    ) {
        let bar = Bar {
            key,
            classes,
            hosts: notice.hosts.clone(),
            next: self.next,
            until,
            bucket,
        };
        let now = self.now;
        self.gates().lower(now, bar);
    }
}

/// The bars that stop what a notice speaks of, by key and classes. Where no origin tells notices apart, each class has
/// its own, since a later notice may speak of some of them.
fn keys(notice: &Notice) -> Vec<(u64, u8)> {
    if notice.hosts.is_some() || notice.classes == 0xff {
        return vec![(notice.key, notice.classes)];
    }
    let named = (0..MAX_CLASSES as u64).filter(|c| notice.classes >> c & 1 == 1);
    named.map(|c| (notice.key | 0x8 | c, 1 << c)).collect()
}

/// The bar that holds what a notice speaks of to a rate. Requests are told apart by the category they name.
fn limit_key(notice: &Notice) -> u64 {
    notice.key
        | if notice.is_step() {
            notice.class() as u64
        } else {
            0
        }
}
