//! Hop-by-hop congestion control: detection → notification → response. A *detector* observes moments at a place and says
//! when a class there is congested. A *notifier* decides whom to tell what. A *carrier* takes the notice there. The place
//! that is told owns its *responder*, which moves that place's knobs. A recipe names a detector, a notifier and a
//! responder; the medium gives the carrier; `legal` says what works together.
//!
//! * `place`, `moment`: where detectors observe, and what they observe there.
//! * `needs`: what a part asks of the medium and the other parts.
//! * `control`: detectors and notifier at a node.
//! * `notice`, `carrier`: what is said, and how it gets there; `echo`: what the echo of a mark says.
//! * `gates`: knobs that hold frames back.

mod blind;
pub mod carrier;
pub mod control;
mod deadlock;
mod departures;
pub mod detector;
mod echo;
pub mod gates;
mod headroom;
pub mod legal;
mod mechanisms;
pub mod moment;
pub mod needs;
pub mod notice;
pub mod notifier;
pub mod origins;
pub mod place;
pub mod responder;
mod still_to_come;
#[cfg(test)]
mod test_gates;
#[cfg(test)]
mod test_notices;
mod traffic;
mod walk;
mod watched;

pub use control::Control;
pub use detector::{AnyDetector, DETECTORS};
pub(crate) use echo::Echo;
pub(crate) use mechanisms::Mechanisms;
pub use mechanisms::{Deadlock, Hearing};
pub use notifier::{AnyNotifier, NOTIFIERS};
pub use responder::{AnyResponder, RESPONDERS};
pub use still_to_come::Headroom;

/// One detector, one notifier, one responder, and the options that make them what the name says.
#[derive(Copy, Clone, Debug)]
pub struct Recipe {
    /// Name in scenarios.
    pub id: &'static str,
    /// Other accepted names.
    pub aliases: &'static [&'static str],
    /// One line.
    pub summary: &'static str,
    /// Where it is described.
    pub source: &'static str,
    /// Row of `DETECTORS`.
    pub detect: &'static str,
    /// Row of `NOTIFIERS`.
    pub notify: &'static str,
    /// Row of `RESPONDERS`.
    pub respond: &'static str,
    /// Options that differ from the parts' defaults: (part section, option, value as written).
    pub preset: &'static [(&'static str, &'static str, &'static str)],
}

/// Every recipe.
pub static RECIPES: &[Recipe] = &[
    Recipe {
        id: "pause",
        aliases: &["xon-xoff", "802.3x"],
        summary: "watermarks; PAUSE stops everything on the links that feed the queue",
        source: "S2 XON/XOFF; IEEE 802.3 Annex 31B",
        detect: "watermark",
        notify: "pause",
        respond: "gate",
        preset: &[],
    },
    Recipe {
        id: "pause-class",
        aliases: &[],
        summary: "watermarks; a class-selective PAUSE stops the congested class only",
        source: "S2 XON/XOFF with class; IEEE 802.1Qbb frame",
        detect: "watermark",
        notify: "pfc",
        respond: "gate",
        preset: &[],
    },
    Recipe {
        id: "pause-destination",
        aliases: &[],
        summary: "watermarks; frames to the addresses behind the congested port are stopped, others overtake",
        source: "S2 XON/XOFF with destination",
        detect: "watermark",
        notify: "destination",
        respond: "gate",
        preset: &[],
    },
    Recipe {
        id: "pause-class-destination",
        aliases: &[],
        summary: "watermarks; frames of the congested class to the addresses behind the port are stopped",
        source: "S2, class and destination together",
        detect: "watermark",
        notify: "destination",
        respond: "gate",
        preset: &[("notify", "per_class", "true")],
    },
    Recipe {
        id: "pfc",
        aliases: &["802.1Qbb"],
        summary: "bytes by ingress and class; priority PAUSE to the neighbour they came from",
        source: "IEEE 802.1Qbb",
        detect: "ingress-watermark",
        notify: "pfc",
        respond: "gate",
        preset: &[],
    },
    Recipe {
        id: "aifsn",
        aliases: &["see-mesh"],
        summary: "802.11 relays that receive more than they forward ask their upstream stations to contend less",
        source: "S0; IEEE 802.11-05/0562r0",
        detect: "rate-comparison",
        notify: "request",
        respond: "aifsn",
        preset: &[],
    },
    Recipe {
        id: "queue-aifsn",
        aliases: &[],
        summary: "802.11 relays ask their upstream stations to contend less by their queue and the difference of rates in and out",
        source: "IEEE 802.11-06/1308r0; S0",
        detect: "queue-rate-difference",
        notify: "request",
        respond: "aifsn",
        preset: &[],
    },
    Recipe {
        id: "tcc",
        aliases: &["total-congestion-control"],
        summary: "802.11 stations whose buffer fills tell their neighbours in the routing tree, which send nothing at all meanwhile",
        source: "S4, 3.2",
        detect: detector::OCCUPANCY,
        notify: notifier::CONGESTION.id,
        respond: responder::STOP_ALL.id,
        preset: &[],
    },
    Recipe {
        id: "lscc",
        aliases: &["link-selective-congestion-control"],
        summary: "802.11 stations whose buffer fills tell their neighbours, which send nothing to them meanwhile; those who fill it are told early",
        source: "S4, 3.3",
        detect: detector::OCCUPANCY,
        notify: notifier::CONGESTION.id,
        respond: responder::LINK_GATE.id,
        preset: &[("detect", "early_warning", "40 %")],
    },
    Recipe {
        id: "dscc",
        aliases: &["destination-selective-congestion-control"],
        summary: "as lscc; those who fill a buffer are told early to hold back packets for the destinations that fill it",
        source: "IEEE 802.11-10/1428r0; S4, figure 4(b)",
        detect: detector::OCCUPANCY,
        notify: notifier::CONGESTION.id,
        respond: responder::LINK_GATE.id,
        preset: &[
            ("detect", "early_warning", "40 %"),
            ("notify", "scope", "address"),
        ],
    },
    Recipe {
        id: "fair-lscc",
        aliases: &[],
        summary: "beside lscc: gateways whose own packets fill their buffer tell their neighbours, which go on and contend less",
        source: "S4, 5, which leaves it open",
        detect: detector::OCCUPANCY,
        notify: notifier::CONGESTION.id,
        respond: responder::CW_MIN.id,
        preset: &[
            ("detect", "count", "all"),
            ("detect", "high", "15 %"),
            ("detect", "still", "10 %"),
            ("detect", "low", "5 %"),
            ("notify", "cast", "each"),
            ("respond", "steps", "4"),
        ],
    },
    Recipe {
        id: "ez-flow",
        aliases: &["ezflow"],
        summary: "802.11 stations overhear how long their next station's queue is, and double or halve their own CWmin",
        source: "EZ-flow, CoNEXT 2009",
        detect: detector::OVERHEARD_BACKLOG,
        notify: notifier::OWN_STEP.id,
        respond: responder::CW_MIN.id,
        preset: &[("respond", "steps", "11")],
    },
    Recipe {
        id: "diffq",
        aliases: &[],
        summary: "802.11 stations contend with a smaller CWmin the longer their queue is than the next station's, which data frames tell",
        source: "DiffQ, INFOCOM 2009",
        detect: detector::DIFFERENTIAL_BACKLOG,
        notify: notifier::OWN_STEP.id,
        respond: responder::CW_MIN.id,
        preset: &[("respond", "steps", "3")],
    },
    Recipe {
        id: "back-pressure",
        aliases: &["max-weight"],
        summary: "as diffq; a station sends first what it holds most of beyond the next station, by next station and destination",
        source: "Tassiulas, Ephremides, IEEE Trans. Automatic Control 1992; DiffQ, INFOCOM 2009",
        detect: detector::DIFFERENTIAL_BACKLOG,
        notify: notifier::OWN_STEP.id,
        respond: responder::CW_MIN.id,
        preset: &[("detect", "serve", "greatest"), ("respond", "steps", "3")],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_names_rows_that_exist() {
        for recipe in RECIPES {
            assert!(
                DETECTORS.iter().any(|p| p.id == recipe.detect),
                "{}",
                recipe.id
            );
            assert!(
                NOTIFIERS.iter().any(|p| p.id == recipe.notify),
                "{}",
                recipe.id
            );
            assert!(
                RESPONDERS.iter().any(|p| p.id == recipe.respond),
                "{}",
                recipe.id
            );
        }
    }
}
