//! Detects: left to the recipe. Tells: an upstream station to send less or more, in a management frame of the
//! highest access category: unicast, acknowledged, repeated when lost; it takes airtime and can be lost.
//! Responds: left to the recipe. Reference: S0 (Congestion Control Request of IEEE 802.11-05/0562r0).
//! Differences: the source's neighbourhood announcement, by which siblings adapt too, is not sent.

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::{AnyNotifier, Audience, Build, Request};
use crate::mechanism::notice::Form;

/// The row.
pub const PART: Part<Build> = Part {
    id: "request",
    aliases: &["congestion-control-request"],
    summary: "a management frame to an upstream station: less or more of a category, a rate, a time",
    source: "S0; IEEE 802.11-05/0562r0",
    options: &[
        Opt::new(
            "frame",
            Kind::Bytes,
            Default::Is("50 B"),
            "length of the frame, header and FCS included",
        )
        .at_least("40 B")
        .at_most("2304 B"),
        Opt::new(
            "expiry",
            Kind::Span,
            Default::Is("1 s"),
            "how long a request holds; afterwards the upstream station takes back a step in every period",
        )
        .at_least("1 ms")
        .at_most("100 s"),
    ],
    build: |args| {
        Ok(AnyNotifier {
            form: Form::Extension,
            audience: Audience::Senders,
            window: args.span("expiry"),
            quanta: 0,
            refresh: 0.0,
            per_class: true,
            addresses: None,
            request: Some(Request {
                bytes: args.bytes("frame").0,
                expiry: args.span("expiry"),
            }),
        })
    },
};
