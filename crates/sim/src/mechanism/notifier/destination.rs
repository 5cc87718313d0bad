//! Detects: left to the recipe. Tells: a MAC-control extension frame with the addresses reached
//! through the congested port (filtering table), or those of the frames in the congested queue.
//! Each congested queue speaks for itself: notices are told apart by their origin.
//! Responds: left to the recipe. Reference: S2 "Destination address information".
//! Differences: S2 gives no frame; ours is the extension frame of `backwater_wire::ethernet`.

use backwater_transport::part::{Default, Kind, Opt, Part};

use super::row::Build;
use super::terms::{AUDIENCE, Addresses, CARRIER, CAST, QUANTA, REFRESH, Terms, WINDOW, base};
use crate::mechanism::notice::Form;

/// The row.
pub const PART: Part<Build> = Part {
    id: "destination",
    aliases: &[],
    summary: "frames that name the destination addresses behind the congested port",
    source: "S2 destination address information",
    options: &[
        AUDIENCE,
        WINDOW,
        QUANTA,
        REFRESH,
        CAST,
        CARRIER,
        Opt::new(
            "addresses",
            Kind::Choice(&["filtering-table", "buffer"]),
            Default::Is("filtering-table"),
            "all addresses reached through the port, or those of the frames in the queue and of those that find no room in it",
        ),
        Opt::new(
            "per_class",
            Kind::Flag,
            Default::Is("false"),
            "stop the congested class only",
        ),
    ],
    build: |args| {
        let addresses = if args.choice("addresses") == "buffer" {
            Addresses::Buffer
        } else {
            Addresses::FilteringTable
        };
        Ok(Terms {
            addresses: Some(addresses),
            per_class: args.flag("per_class"),
            ..base(args, Form::Extension)
        }
        .into())
    },
};
