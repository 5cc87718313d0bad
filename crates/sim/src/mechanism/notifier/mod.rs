//! Notifiers: whom to tell, in which frame, about what. Each keeps nothing: `control` remembers who
//! was told.

mod destination;
mod pause;
mod pfc;
mod request;

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::units::Span;

use super::notice::Form;

/// What every notifier decides.
#[derive(Clone, Debug)]
pub struct AnyNotifier {
    /// Frame layout.
    pub form: Form,
    /// Whom to tell.
    pub audience: Audience,
    /// A frame came over an interface no longer ago than this: it is a current sender.
    pub window: Span,
    /// Timer value, in units of 512 bit times.
    pub quanta: u16,
    /// Share of the timer after which it is sent again.
    pub refresh: f64,
    /// Names the congested class alone rather than all classes.
    pub per_class: bool,
    /// Where destination addresses come from, if the frame names any.
    pub addresses: Option<Addresses>,
    /// For 802.11 stations: the management frame.
    pub request: Option<Request>,
}

/// A management frame that asks for less or more.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Length, header and FCS included.
    pub bytes: u64,
    /// How long it holds.
    pub expiry: Span,
}

/// Whom to tell.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Audience {
    /// Every neighbour but the one the congested port faces.
    Feeders,
    /// Of these, those that sent into the queue lately.
    Senders,
}

/// Where destination addresses come from.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// All that are reached through the congested port.
    FilteringTable,
    /// Those of the frames in the congested queue.
    Buffer,
}

const AUDIENCE: Opt = Opt::new(
    "audience",
    Kind::Choice(&["feeders", "senders"]),
    Default::Is("feeders"),
    "whom to tell: all neighbours but the one the port faces, or those that sent into the queue within `window`",
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
    "timer in units of 512 bit times",
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

fn base(args: &Args, form: Form) -> AnyNotifier {
    AnyNotifier {
        form,
        audience: if args.choice("audience") == "senders" {
            Audience::Senders
        } else {
            Audience::Feeders
        },
        window: args.span("window"),
        quanta: u16::try_from(args.count("quanta")).expect("bounded by its option"),
        refresh: args.share("refresh"),
        per_class: false,
        addresses: None,
        request: None,
    }
}

/// How a row builds its notifier.
pub type Build = fn(&Args) -> Result<AnyNotifier, Refusal>;

/// Every notifier.
pub static NOTIFIERS: &[Part<Build>] = &[pause::PART, pfc::PART, destination::PART, request::PART];
