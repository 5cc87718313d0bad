//! Detects: left to the recipe. Tells: a Congestion Notification element in a Mesh Action frame with the time for which the
//! station expects congestion to last, one for each access category. The time adapts (`adaptive`). When congestion
//! begins, all neighbours in the routing tree are told, in a group frame that nobody acknowledges; a detector that looks
//! ahead has only those neighbours told whose packets hold more than a share of the buffer, each in a frame of its own.
//! Responds: left to the recipe.
//! With `scope = "address"` an early warning names the destination too, and its share is that of one neighbour's packets for it.
//! Each notice is looked at before it expires: when an early warning is about to, and the buffer is still too full, those who
//! still own much are told for longer.
//! Reference: S4, 3.1 to 3.3; IEEE 802.11-2012 13.12 and 8.4.2.103. S4 used IEEE 802.11s/D3.02, whose element is shorter by the
//! address of a destination (`element = "D3.02"`).
//! Differences: S4 tells "shortly before" a notice expires and says no figure: 12 ms before, half way through a shorter one. It
//! gives no bounds of the time: 1 ms and 6.55 s. "The duration is decreased" at each departure, as S4 may be read, takes it to
//! the lower bound between two congestions; by default each notice is judged once. S4 tests the buffer "shortly before" a notice
//! expires (3.1) and "after the expiration" (4.1); so two stations that hold much for each other and stop each other renew
//! their notices for ever, or leave a gap of one access to the medium (`lead = "0 s"`). But 3.2 says that such a phase ends. With
//! `stopped = "expire"` it does: a buffer that stayed full because its station was stopped does not say that the time was too short.

use backwater_transport::part::{Args, Default, Kind, Opt, Part, Refusal};
use backwater_transport::units::Span;

use super::adaptive_terms::AdaptiveTerms;
use super::row::{Build, Reach};
use super::terms::Cast;
use crate::mechanism::carrier::AIR_UNIT;

/// The row.
pub const PART: Part<Build> = Part {
    id: "congestion-notification",
    aliases: &["802.11s"],
    summary: "802.11s Congestion Notification elements: how long congestion is expected to last, by access category",
    source: "S4; IEEE 802.11-2012 13.12",
    options: &[
        Opt::new(
            "initial",
            Kind::Span,
            Default::Is("100 ms"),
            "expected duration of the first congestion",
        )
        .at_least("1 ms")
        .at_most("6550 ms"),
        Opt::new(
            "increase",
            Kind::Number,
            Default::Is("1.2"),
            "factor of the duration where congestion lasts when a notice is about to expire",
        )
        .at_least("1")
        .at_most("10"),
        Opt::new(
            "decrease",
            Kind::Number,
            Default::Is("0.8"),
            "factor of the duration where congestion is over before",
        )
        .at_least("0.01")
        .at_most("1"),
        Opt::new(
            "least",
            Kind::Span,
            Default::Is("1 ms"),
            "shortest duration",
        )
        .at_least("1 ms")
        .at_most("6550 ms"),
        Opt::new(
            "most",
            Kind::Span,
            Default::Is("6550 ms"),
            "longest duration",
        )
        .at_least("1 ms")
        .at_most("6550 ms"),
        Opt::new(
            "lead",
            Kind::Span,
            Default::Is("12 ms"),
            "how long before a notice expires the buffer is looked at; half the duration where that is less",
        )
        .at_most("1 s"),
        Opt::new(
            "unit",
            Kind::Choice(&["102.4us", "100us"]),
            Default::Is("102.4us"),
            "unit of the times in the element: 0.1 TU, or 100 us",
        ),
        Opt::new(
            "element",
            Kind::Choice(&["2012", "D3.02"]),
            Default::Is("2012"),
            "edition of the element: 14 bytes with a destination's address (IEEE 802.11-2012), or 8 bytes without (802.11s/D3.02)",
        ),
        Opt::new(
            "judge",
            Kind::Choice(&["once", "each-departure"]),
            Default::Is("once"),
            "how often a buffer that is clear decreases the duration: once for each notice, or at each departure",
        ),
        Opt::new(
            "stopped",
            Kind::Choice(&["renew", "expire"]),
            Default::Is("renew"),
            "what a station does that may send nothing itself when its notice is about to expire and its buffer is full: it renews the notice, or lets it expire",
        ),
        Opt::new(
            "owner",
            Kind::Share,
            Default::Is("2 %"),
            "an early warning tells the neighbours whose packets are more than this share",
        )
        .at_least("0 %")
        .at_most("100 %"),
        Opt::new(
            "owner_of",
            Kind::Choice(&["buffer", "contents"]),
            Default::Is("buffer"),
            "what `owner` is a share of: the buffer, or what it holds",
        ),
        Opt::new(
            "scope",
            Kind::Choice(&["link", "address"]),
            Default::Is("link"),
            "what an early warning stops: all that a neighbour sends here, or its packets for the destinations that fill the buffer",
        ),
        Opt::new(
            "cast",
            Kind::Choice(&["group", "each"]),
            Default::Is("group"),
            "how all neighbours are told: by one frame that is neither acknowledged nor repeated, or by one each",
        ),
        Opt::new(
            "reach",
            Kind::Choice(&["tree", "range"]),
            Default::Is("tree"),
            "who is told: neighbours in the routing tree, or all stations that understand the frame",
        ),
    ],
    build: |args| Ok(terms(args)?.into()),
};

fn terms(args: &Args) -> Result<AdaptiveTerms, Refusal> {
    let bounds = [args.span("least"), args.span("most")];
    let initial = args.span("initial");
    if initial < bounds[0] || initial > bounds[1] {
        return Err(Refusal {
            option: "initial",
            what: "the initial duration lies outside `least` to `most`".into(),
            fix: "write an initial duration between them".into(),
        });
    }
    let (addressed, by_destination) = (
        args.choice("element") == "2012",
        args.choice("scope") == "address",
    );
    if by_destination && !addressed {
        return Err(Refusal {
            option: "element",
            what: "the element of D3.02 has no room for a destination, which `scope = \"address\"` names".into(),
            fix: "write element = \"2012\", or scope = \"link\"".into(),
        });
    }
    Ok(AdaptiveTerms {
        initial,
        increase: args.number("increase"),
        decrease: args.number("decrease"),
        bounds,
        lead: args.span("lead"),
        unit: match args.choice("unit") {
            "100us" => Span::micros(100),
            _ => AIR_UNIT,
        },
        each_departure: args.choice("judge") == "each-departure",
        renew_when_stopped: args.choice("stopped") == "renew",
        owner: args.share("owner"),
        owner_of_buffer: args.choice("owner_of") == "buffer",
        by_destination,
        addressed,
        cast: match args.choice("cast") {
            "each" => Cast::Each,
            _ => Cast::Group,
        },
        reach: match args.choice("reach") {
            "range" => Reach::Range,
            _ => Reach::Tree,
        },
    })
}
