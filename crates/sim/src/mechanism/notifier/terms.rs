//! The decisions of a notifier of standing notices, and the options that set them.

use backwater_transport::part::{Args, Default, Kind, Opt};
use backwater_transport::units::{Rate, Span};

use crate::mechanism::carrier::CarriedBy;
use crate::mechanism::needs::{Needs, Set};
use crate::mechanism::notice::Form;
use crate::mechanism::responder::{AnyResponder, Responder};

/// Their needs.
pub const NEEDS: Needs = Needs::of(Set::NONE);

/// The needs of those that name addresses: the hosts behind the packets that wait to leave.
pub const NEEDS_OF_ADDRESSES: Needs = Needs::of(Set::QUEUE.and(Set::ROOM));

/// The decisions of a notifier of standing notices.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Frame layout.
    pub form: Form,
    /// Whom to tell.
    pub audience: Audience,
    /// A frame came from a neighbour no longer ago than this: it is a current sender.
    pub window: Span,
    /// Timer value, in the carrier's units.
    pub quanta: u16,
    /// Share of the timer after which it is sent again.
    pub refresh: f64,
    /// Names the congested class alone rather than all classes.
    pub per_class: bool,
    /// Where destination addresses come from, if the frame names any.
    pub addresses: Option<Addresses>,
    /// A frame to each neighbour, or one to all.
    pub cast: Cast,
    /// The carrier of the notice.
    pub carrier: CarriedBy,
}

/// Whom to tell.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every neighbour but the one the congested port faces.
    Feeders,
    /// Feeders that sent into the queue recently.
    Senders,
}

/// Where destination addresses come from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// All that are reached through the congested port or station.
    FilteringTable,
    /// Those of the frames in the congested queue.
    Buffer,
}

/// How many frames tell several stations.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Cast {
    /// One each.
    Each,
    /// One for all.
    Group,
}

impl Terms {
    /// Whether one notifier can speak for queues with notices like these and those: they have one timer at a neighbour,
    /// or none, where packets are marked.
    pub fn alike(&self, other: &Terms) -> bool {
        let timer = |t: &Terms| (t.quanta, t.refresh.to_bits());
        let frame = |t: &Terms| (t.form, t.carrier);
        let both = [self, other].map(|t| t.carrier == CarriedBy::Mark);
        both == [true; 2] || frame(self) == frame(other) && timer(self) == timer(other)
    }

    /// Whether they move the class gates of a neighbour, which know no origin.
    pub fn stop_classes(&self, respond: &AnyResponder) -> bool {
        self.form != Form::Extension && respond.ask(Rate(1), 1).is_none()
    }
}

/// Whom to tell.
pub(super) const AUDIENCE: Opt = Opt::new(
    "audience",
    Kind::Choice(&["feeders", "senders"]),
    Default::Is("feeders"),
    "whom to tell: all neighbours but the one the port faces, or those that sent into the queue within `window`; over the air all stations that have a hop to this one, or those of them",
);
/// How long a sender counts as one.
pub(super) const WINDOW: Opt = Opt::new(
    "window",
    Kind::Span,
    Default::Is("10 ms"),
    "how long after its last frame a neighbour counts as a current sender",
)
.at_least("0 s");
/// The timer.
pub(super) const QUANTA: Opt = Opt::new(
    "quanta",
    Kind::Count,
    Default::Is("65535"),
    "timer in units of 512 bit times, over the air of 102.4 us",
)
.at_least("1")
.at_most("65535");
/// When it is sent again.
pub(super) const REFRESH: Opt = Opt::new(
    "refresh",
    Kind::Share,
    Default::Is("50 %"),
    "share of the timer after which the notice is sent again",
)
.at_least("1 %")
.at_most("99 %");
/// How many frames.
pub(super) const CAST: Opt = Opt::new(
    "cast",
    Kind::Choice(&["each", "group"]),
    Default::Is("each"),
    "over the air: a frame to each, acknowledged and repeated, or one to all that hear it, which is neither",
);

/// Its carrier.
pub(super) const CARRIER: Opt = Opt::new(
    "carrier",
    Kind::Choice(&["frame", "header", "mark"]),
    Default::Is("frame"),
    "what takes the notice there: a frame of its own; a header field of the next data frame that way; or CE on packets while their class is congested, whose echo tells the neighbours that it passes",
);

/// The terms of the options, for notices laid out like this.
pub(super) fn base(args: &Args, form: Form) -> Terms {
    Terms {
        form,
        audience: match args.choice("audience") {
            "senders" => Audience::Senders,
            _ => Audience::Feeders,
        },
        window: args.span("window"),
        quanta: u16::try_from(args.count("quanta")).expect("bounded by its option"),
        refresh: args.share("refresh"),
        per_class: false,
        addresses: None,
        cast: match args.choice("cast") {
            "group" => Cast::Group,
            _ => Cast::Each,
        },
        carrier: match args.choice("carrier") {
            "header" => CarriedBy::Header,
            "mark" => CarriedBy::Mark,
            _ => CarriedBy::Frame,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Queues are spoken for together where all are to be marked, and where their notices have one layout and timer.
    #[test]
    fn notices_with_one_timer_are_alike_and_so_are_marks() {
        let terms = |quanta, carrier| Terms {
            form: Form::Pause,
            audience: Audience::Feeders,
            window: Span::ZERO,
            quanta,
            refresh: 0.5,
            per_class: false,
            addresses: None,
            cast: Cast::Each,
            carrier,
        };
        let frame = terms(1, CarriedBy::Frame);
        assert!(frame.alike(&terms(1, CarriedBy::Frame)));
        assert!(!frame.alike(&terms(2, CarriedBy::Frame)));
        assert!(!frame.alike(&terms(1, CarriedBy::Header)));
        let mark = terms(1, CarriedBy::Mark);
        assert!(mark.alike(&terms(2, CarriedBy::Mark)) && !mark.alike(&frame));
    }
}
