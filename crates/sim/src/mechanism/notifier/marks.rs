//! Marks in place of notices: while a class of a place is congested, its packets get congestion experienced (CE), and
//! nothing else is said. Any row whose notices stand makes this notifier where its carrier is the mark.

use std::collections::VecDeque;

use super::row::{Cue, Cues, Facts, Notifier};
use crate::mechanism::carrier::{CarriedBy, Told};

/// A notifier that tells nobody.
#[derive(Clone, Debug)]
pub struct Marks;

impl Notifier for Marks {
    fn facts(&self) -> Facts {
        Facts {
            carrier: CarriedBy::Mark,
            ..Facts::hearing(Cues::NONE)
        }
    }

    fn on(&mut self, _: &Cue, _: &mut VecDeque<Told>) {}
}
