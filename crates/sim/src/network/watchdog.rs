//! The watchdog of back-pressure at a port: a class that has been paused for too long is freed for some time.
//!
//! A class that PAUSE or PFC has stopped without a break for the detection time is stormed: its gate opens, and notices about it are
//! ignored. Its frames are lost, those that wait and those that come, or they are forwarded. When no notice has asked to stop it for the
//! restoration time, notices count again.
//!
//! Reference: the PFC watchdog of switches (SONiC: detection time, restoration time, actions drop and forward). Differences: time alone
//! detects, whether frames wait or not; frames are lost at this egress, not those that come in through it.

use backwater_transport::units::{Span, Time};

use crate::limit::MAX_CLASSES;
use crate::mechanism::gates::Gates;
use crate::mechanism::notice::Notice;

/// The treatment of frames of a stormed class.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// They are lost.
    Drop,
    /// They are sent.
    Forward,
}

impl Action {
    /// All, by name.
    pub const ALL: [(&str, Action); 2] = [("drop", Action::Drop), ("forward", Action::Forward)];
}

/// When a watchdog acts, and how.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How long a class must have been stopped without a break.
    pub detection: Span,
    /// How long no notice must have asked to stop it, until notices count again.
    pub restoration: Span,
    /// The treatment of its frames meanwhile.
    pub action: Action,
}

/// The watchdog of a port.
#[derive(Clone, Debug)]
pub struct Watchdog {
    terms: Terms,
    /// Classes that are stormed.
    stormed: u8,
    /// When a notice asked to stop each of them last.
    heard: [Time; MAX_CLASSES],
    /// The instant of its timer.
    due: Time,
    /// How often it has acted.
    pub acted: u64,
}

impl Watchdog {
    /// One that has seen nothing.
    pub fn new(terms: Terms) -> Watchdog {
        Watchdog {
            terms,
            stormed: 0,
            heard: [Time::ZERO; MAX_CLASSES],
            due: Time::NEVER,
            acted: 0,
        }
    }

    /// Whether frames of a class are lost now.
    pub fn drops(&self, class: u8) -> bool {
        self.terms.action == Action::Drop && self.stormed >> class & 1 == 1
    }

    /// Whether those of any class are.
    pub fn drops_any(&self) -> bool {
        (0..MAX_CLASSES as u8).any(|class| self.drops(class))
    }

    /// A notice has come: the classes for which it does not count.
    pub(crate) fn hear(&mut self, notice: &Notice, now: Time) -> u8 {
        let ignored = notice.classes & self.stormed;
        if notice.quanta() > 0 {
            for class in classes(ignored) {
                self.heard[class] = now;
            }
        }
        ignored
    }

    /// Sets the timer to what is due next, if that is earlier: when.
    pub(crate) fn arm(&mut self, gates: &Gates, now: Time) -> Option<Time> {
        let due = (0..MAX_CLASSES).filter_map(|class| self.next(gates, class, now));
        let due = due.min().filter(|due| *due < self.due)?;
        self.due = due;
        Some(due)
    }

    /// The timer has gone off: the classes whose storm begins, and whether notices count again for any other. None where it was set
    /// to another instant since.
    pub(crate) fn elapse(&mut self, gates: &Gates, now: Time) -> Option<u8> {
        if self.due != now {
            return None;
        }
        self.due = Time::NEVER;
        let mut begun = 0;
        for class in 0..MAX_CLASSES {
            if self.next(gates, class, now) != Some(now) {
                continue;
            }
            if self.stormed >> class & 1 == 0 {
                begun |= 1 << class;
                self.heard[class] = now;
                self.acted += 1;
            }
            self.stormed ^= 1 << class;
        }
        Some(begun)
    }

    /// When something is due about a class.
    fn next(&self, gates: &Gates, class: usize, now: Time) -> Option<Time> {
        if self.stormed >> class & 1 == 1 {
            return Some(self.heard[class] + self.terms.restoration);
        }
        let since = gates.stopped_since(class, None, now)?;
        Some(since + self.terms.detection)
    }
}

/// The classes of a set.
fn classes(set: u8) -> impl Iterator<Item = usize> {
    (0..MAX_CLASSES).filter(move |class| set >> class & 1 == 1)
}
