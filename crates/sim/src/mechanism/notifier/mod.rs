//! Notifiers: whom to tell, what, and how often again. A row makes the notifier's terms; at each node they get a memory
//! of who was told. `standing` notices hold while congestion lasts; a `request` asks for a step.

pub mod adaptive;
mod congestion_notification;
mod destination;
pub mod judgements;
mod own_step;
mod pause;
mod pfc;
pub mod request;
pub mod standing;
pub mod terms;
pub mod voice;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};

pub use congestion_notification::{AdaptiveTerms, Reach};
pub use judgements::OwnTerms;
pub use request::Request;
pub use terms::{Addresses, Audience, Cast, Terms};

use super::carrier::CarriedBy;
use super::needs::Needs;
use super::notice::Form;

/// Every notifier.
#[derive(Clone, Debug)]
pub enum AnyNotifier {
    /// Tells when congestion begins, again while it lasts, and when it is over.
    Standing(Terms),
    /// Asks those that feed a queue for less or more.
    Request(Request),
    /// Tells how long congestion is expected to last.
    Congestion(Box<AdaptiveTerms>),
    /// Tells the station itself to contend less or more.
    Own(OwnTerms),
}

impl AnyNotifier {
    /// Whether it tells others, rather than its own place.
    pub fn tells_others(&self) -> bool {
        !matches!(self, AnyNotifier::Own(_))
    }

    /// What it needs.
    pub fn needs(&self) -> Needs {
        match self {
            AnyNotifier::Standing(terms) => terms.needs(),
            AnyNotifier::Request(_) => request::NEEDS,
            AnyNotifier::Congestion(_) => congestion_notification::NEEDS,
            AnyNotifier::Own(_) => own_step::NEEDS,
        }
    }

    /// What takes its notices to their receivers.
    pub fn carried_by(&self) -> CarriedBy {
        self.standing().map_or(CarriedBy::Frame, |t| t.carrier)
    }

    /// Bytes of the field in which data frames of upstream stations report the steps that they have taken.
    pub fn report(&self) -> u64 {
        match self {
            AnyNotifier::Request(terms) => terms.report,
            AnyNotifier::Standing(_) | AnyNotifier::Congestion(_) | AnyNotifier::Own(_) => 0,
        }
    }

    /// Its terms, where its notices are standing ones.
    pub fn standing(&self) -> Option<&Terms> {
        match self {
            AnyNotifier::Standing(terms) => Some(terms),
            AnyNotifier::Request(_) | AnyNotifier::Congestion(_) | AnyNotifier::Own(_) => None,
        }
    }
}

const AUDIENCE: Opt = Opt::new(
    "audience",
    Kind::Choice(&["feeders", "senders"]),
    Default::Is("feeders"),
    "whom to tell: all neighbours but the one the port faces, or those that sent into the queue within `window`; over the air all stations that have a hop to this one, or those of them",
);
const WINDOW: Opt = Opt::new(
    "window",
    Kind::Span,
    Default::Is("10 ms"),
    "how long after its last frame a neighbour counts as a current sender",
)
.at_least("0 s");
const QUANTA: Opt = Opt::new(
    "quanta",
    Kind::Count,
    Default::Is("65535"),
    "timer in units of 512 bit times, over the air of 102.4 us",
)
.at_least("1")
.at_most("65535");
const REFRESH: Opt = Opt::new(
    "refresh",
    Kind::Share,
    Default::Is("50 %"),
    "share of the timer after which the notice is sent again",
)
.at_least("1 %")
.at_most("99 %");
const CAST: Opt = Opt::new(
    "cast",
    Kind::Choice(&["each", "group"]),
    Default::Is("each"),
    "over the air: a frame to each, acknowledged and repeated, or one to all that hear it, which is neither",
);

const CARRIER: Opt = Opt::new(
    "carrier",
    Kind::Choice(&["frame", "header", "mark"]),
    Default::Is("frame"),
    "what takes the notice there: a frame of its own; a header field of the next data frame that way; or CE on packets while their class is congested, whose echo tells the neighbours that it passes",
);

fn base(args: &Args, form: Form) -> Terms {
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

/// How a row builds its notifier.
pub type Build = fn(&Args) -> Result<AnyNotifier, Refusal>;

/// Every notifier.
pub static NOTIFIERS: &[Part<Build>] = &[
    pause::PART,
    pfc::PART,
    destination::PART,
    request::PART,
    congestion_notification::PART,
    own_step::PART,
];

/// Congestion notifications of 802.11s; for recipes.
pub const CONGESTION: Part<Build> = congestion_notification::PART;

/// The station itself; for recipes.
pub const OWN_STEP: Part<Build> = own_step::PART;

/// What each needs, in their order.
pub static NEEDS: &[Needs] = &[
    terms::NEEDS,
    terms::NEEDS,
    terms::NEEDS_OF_ADDRESSES,
    request::NEEDS,
    congestion_notification::NEEDS,
    own_step::NEEDS,
];
