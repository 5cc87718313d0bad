//! Boxes that a packet passes before it reaches a port's queue: delay, jitter, reordering, duplication, loss, marks and outages, in any
//! order. A box is a file here, a name in `boxes!` and a row of `BOXES`. Each of a link's boxes is a place of its own
//! in results, so that what it loses is told apart.

mod delay;
mod duplicate;
mod egress;
mod hold;
mod jitter;
mod light;
mod loss;
mod mark;
mod on_off;
mod reorder;
pub mod schedule;

use backwater_transport::part::{self, Part};
use backwater_transport::random::Random;
use backwater_transport::units::Time;

pub use delay::Delay;
pub use light::Light;

use crate::cause::Cause;

/// The fate of a packet in a box.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Pass {
    /// It comes out at this instant, behind all that come out then or before.
    At(Time),
    /// The same, marked if its transport takes marks.
    Marked(Time),
    /// The same, with a copy right behind it.
    Twice(Time),
    /// It is lost.
    Lost(Cause),
}

/// A box on a packet's way.
pub trait PathBox {
    /// A packet comes in. Called in order of time.
    fn pass(&mut self, now: Time, random: &mut Random) -> Pass;
}

macro_rules! boxes {
    ($($module:ident::$Name:ident),* ; $($part:ident::$OfLink:ident),* $(,)?) => {
        /// Any box. Each variant is described at the head of its file.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyBox {
            $(
                #[allow(missing_docs)]
                $Name($module::$Name),
            )*
            $(
                #[allow(missing_docs)]
                $OfLink($part::$OfLink),
            )*
        }

        impl AnyBox {
            /// A packet of so many IP bytes comes in. Called in order of time.
            pub(crate) fn pass(&mut self, now: Time, len: u16, random: &mut Random) -> Pass {
                match self {
                    $(AnyBox::$Name(one) => one.pass(now, random),)*
                    $(AnyBox::$OfLink(one) => one.pass(now, len),)*
                }
            }
        }

        impl AnyBox {
            /// Its row's name.
            pub fn id(&self) -> &'static str {
                match self {
                    $(AnyBox::$Name(_) => $module::PART.id,)*
                    $(AnyBox::$OfLink(_) => $part::ID,)*
                }
            }
        }

        /// Every box that a person can write. Others belong to a kind of link.
        pub static BOXES: &[Part<Build>] = &[$($module::PART),*];
    };
}

/// How a box is made from its checked options.
pub type Build = part::Build<AnyBox>;

boxes! {
    delay::Delay,
    loss::Loss,
    on_off::OnOff,
    jitter::Jitter,
    reorder::Reorder,
    mark::Mark,
    duplicate::Duplicate,
    schedule::Scheduled,
    hold::Hold;
    light::Light,
}

impl AnyBox {
    /// This box in the place of an older one of its kind, in the middle of a run. None where the kinds differ, and for what
    /// belongs to a kind of link.
    pub fn in_place_of(&self, old: &AnyBox) -> Option<AnyBox> {
        match (self, old) {
            (AnyBox::Delay(new), AnyBox::Delay(old)) => Some(AnyBox::Delay(new.after(old))),
            (AnyBox::Jitter(new), AnyBox::Jitter(old)) => Some(AnyBox::Jitter(new.after(old))),
            (AnyBox::OnOff(new), AnyBox::OnOff(old)) => Some(AnyBox::OnOff(new.after(old))),
            (AnyBox::Scheduled(new), AnyBox::Scheduled(old)) => {
                Some(AnyBox::Scheduled(new.after(old)))
            }
            (AnyBox::Hold(new), AnyBox::Hold(old)) => Some(AnyBox::Hold(new.after(old))),
            (AnyBox::Loss(_), AnyBox::Loss(_))
            | (AnyBox::Mark(_), AnyBox::Mark(_))
            | (AnyBox::Reorder(_), AnyBox::Reorder(_))
            | (AnyBox::Duplicate(_), AnyBox::Duplicate(_)) => Some(self.clone()),
            _ => None,
        }
    }
}
