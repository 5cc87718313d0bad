//! Which detector, notifier and responder work together on which medium: a part works where the medium and the other parts
//! give all that it needs. What a single place must have besides, such as a buffer with a limit, is looked at
//! where the world is built.

use super::needs::{Needs, Set};
use crate::medium::offer::{Carrier, Offer};

/// A third of a mechanism.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Third {
    /// The detector.
    Detect,
    /// The notifier.
    Notify,
    /// The responder.
    Respond,
}

impl Third {
    /// Its section in a scenario.
    pub fn section(self) -> &'static str {
        match self {
            Third::Detect => "detect",
            Third::Notify => "notify",
            Third::Respond => "respond",
        }
    }
}

/// Why a combination can't work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    /// The part that misses something.
    pub third: Third,
    /// The reason: which condition is missing.
    pub reason: &'static str,
    /// The parts to write instead.
    pub fix: &'static str,
}

/// Whether a combination can work on a medium with one of its carriers; if not, the first reason.
///
/// # Errors
/// Refuses parts of which one needs a condition that nothing meets.
pub fn check(parts: [Needs; 3], medium: &Offer, carrier: Carrier) -> Result<(), Illegal> {
    let given = medium.gives.and(carrier.gives());
    let given = parts.iter().fold(given, |set, part| set.and(part.gives));
    let thirds = [Third::Detect, Third::Notify, Third::Respond];
    for (part, third) in parts.iter().zip(thirds) {
        if let Some(missing) = part.needs.without(given).iter().next() {
            let (reason, fix) = reason(missing);
            return Err(Illegal { third, reason, fix });
        }
    }
    Ok(())
}

fn reason(missing: Set) -> (&'static str, &'static str) {
    match missing {
        Set::QUEUE => (
            "needs a detector that watches what waits to leave: addresses are those behind an output queue, a rate is a share of what it drains",
            "take a detector of output queues, such as watermark",
        ),
        Set::INTERFACES => (
            "needs frames that come in over interfaces of their own, and a station has one for all",
            "take detector watermark, or name ports of switches",
        ),
        Set::POOL => (
            "needs a switch with shared memory",
            "name ports of a switch",
        ),
        Set::BUSY => (
            "needs the busy share of a medium that others send on as well, and a wire has one sender",
            "take detector watermark, fill-rate or queue-rate-difference",
        ),
        Set::TRANSMITTER => (
            "needs an 802.11 transmitter",
            "take responder gate or shaper, or name stations",
        ),
        Set::STATION => (
            "needs an 802.11 station that is told",
            "take responder gate, or name stations",
        ),
        Set::MANAGEMENT => (
            "needs 802.11 management frames",
            "take notifier pause, pfc or destination, or name stations and leave carrier = \"frame\"",
        ),
        Set::ROOM => (
            "needs room for addresses or a rate, and a mark is one bit",
            "write carrier = \"header\" or \"frame\", or take notifier pause or pfc with responder gate",
        ),
        Set::OVERHEARING => (
            "needs to overhear what the next station sends on, and a wire has two ends",
            "take detector watermark, or name stations",
        ),
        Set::NEXT_QUEUE => (
            "needs a detector that watches the next station's queue: a station that contended less because its own queue is long would make it longer",
            "take detector overheard-backlog or differential-backlog, or notifier request",
        ),
        Set::STEPS => (
            "needs a responder that contends less step by step: a station that stopped would never overhear the end of congestion",
            "take responder cw-min, aifsn or txop",
        ),
        Set::RATE => (
            "needs a notice that names a rate, and a station drains at none of its own",
            "take notifier request, or another responder",
        ),
        _ => ("needs what nothing here gives", "take another part"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mechanism::{DETECTORS, NOTIFIERS, RESPONDERS, detector, notifier, responder};
    use crate::medium::{ethernet, wifi};

    /// Every part by name with what it needs.
    fn rows<B>(
        lists: [&'static [backwater_transport::part::Part<B>]; 2],
        needs: &'static [Needs],
    ) -> Vec<(&'static str, Needs)> {
        let ids: Vec<_> = lists.iter().flat_map(|l| l.iter()).map(|p| p.id).collect();
        assert_eq!(ids.len(), needs.len());
        ids.into_iter().zip(needs.iter().copied()).collect()
    }

    fn find(list: &[(&'static str, Needs)], id: &str) -> Needs {
        list.iter().find(|(name, _)| *name == id).expect(id).1
    }

    /// Whether parts of these names work on a medium, and which of them does not.
    fn verdict(names: [&str; 3], medium: &Offer) -> Option<(Third, &'static str)> {
        verdict_by(names, medium, medium.carriers[0])
    }

    /// The same with a carrier.
    fn verdict_by(
        names: [&str; 3],
        medium: &Offer,
        carrier: Carrier,
    ) -> Option<(Third, &'static str)> {
        let detectors = rows([DETECTORS, detector::HOSTED], detector::NEEDS);
        let notifiers = rows([NOTIFIERS, &[]], notifier::NEEDS);
        let responders = rows([RESPONDERS, responder::HOSTED], responder::NEEDS);
        let parts = [
            find(&detectors, names[0]),
            find(&notifiers, names[1]),
            find(&responders, names[2]),
        ];
        check(parts, medium, carrier)
            .err()
            .map(|i| (i.third, i.reason))
    }

    #[test]
    fn what_means_something_works_and_what_cannot_says_why() {
        for (names, medium) in [
            (["watermark", "pause", "gate"], &ethernet::PART.build),
            (["watermark", "pause", "gate"], &wifi::PART.build),
            (["watermark", "pfc", "aifsn"], &wifi::PART.build),
            (
                ["watermark", "destination", "shaper"],
                &ethernet::PART.build,
            ),
            (
                ["queue-rate-difference", "pause", "gate"],
                &ethernet::PART.build,
            ),
            (["rate-comparison", "request", "gate"], &wifi::PART.build),
            (["rate-comparison", "request", "shaper"], &wifi::PART.build),
            (["python", "pause", "python"], &wifi::PART.build),
            (["ingress-watermark", "pfc", "gate"], &ethernet::PART.build),
        ] {
            assert_eq!(verdict(names, medium), None, "{names:?}");
        }
        for (names, medium, third, word) in [
            (
                ["watermark", "pause", "aifsn"],
                &ethernet::PART.build,
                Third::Respond,
                "transmitter",
            ),
            (
                ["rate-comparison", "pause", "gate"],
                &ethernet::PART.build,
                Third::Detect,
                "busy share",
            ),
            (
                ["watermark", "request", "gate"],
                &ethernet::PART.build,
                Third::Notify,
                "management",
            ),
            (
                ["ingress-watermark", "pfc", "gate"],
                &wifi::PART.build,
                Third::Detect,
                "interfaces",
            ),
            (
                ["ingress-watermark", "pfc", "shaper"],
                &ethernet::PART.build,
                Third::Respond,
                "waits to leave",
            ),
            (
                ["ingress-watermark", "destination", "gate"],
                &ethernet::PART.build,
                Third::Notify,
                "addresses",
            ),
            (
                ["watermark", "pause", "shaper"],
                &wifi::PART.build,
                Third::Respond,
                "names a rate",
            ),
            (
                ["watermark", "pause", "token-bucket"],
                &wifi::PART.build,
                Third::Respond,
                "names a rate",
            ),
        ] {
            let (blamed, reason) = verdict(names, medium).expect("refused");
            assert_eq!(blamed, third, "{names:?}");
            assert!(reason.contains(word), "{names:?}: {reason}");
        }
    }

    /// A header field has room for all that a frame of its own says, but for what is defined as a management frame. A
    /// mark is one bit: it names no address and no rate.
    #[test]
    fn a_mark_has_no_room_and_a_request_is_a_management_frame() {
        let (wire, air) = (&ethernet::PART.build, &wifi::PART.build);
        for (names, medium, carrier, reason) in [
            (["watermark", "pause", "gate"], wire, Carrier::Mark, None),
            (["watermark", "pfc", "aifsn"], air, Carrier::Mark, None),
            (["python", "pause", "python"], air, Carrier::Mark, None),
            (
                ["ingress-watermark", "pfc", "gate"],
                wire,
                Carrier::Mark,
                None,
            ),
            (
                ["watermark", "destination", "gate"],
                wire,
                Carrier::HeaderField,
                None,
            ),
            (
                ["watermark", "pause", "shaper"],
                wire,
                Carrier::HeaderField,
                None,
            ),
            (
                ["watermark", "pause", "stop-all"],
                air,
                Carrier::HeaderField,
                None,
            ),
            (
                ["watermark", "destination", "gate"],
                air,
                Carrier::Mark,
                Some("one bit"),
            ),
            (
                ["watermark", "pause", "shaper"],
                wire,
                Carrier::Mark,
                Some("one bit"),
            ),
            (
                ["rate-comparison", "request", "gate"],
                air,
                Carrier::HeaderField,
                Some("management"),
            ),
            (
                ["occupancy", "congestion-notification", "gate"],
                air,
                Carrier::Mark,
                Some("management"),
            ),
        ] {
            let said = verdict_by(names, medium, carrier).map(|(_, said)| said);
            assert_eq!(
                said.is_some(),
                reason.is_some(),
                "{names:?} {carrier:?}: {said:?}"
            );
            assert!(
                said.unwrap_or("").contains(reason.unwrap_or("")),
                "{names:?}: {said:?}"
            );
        }
    }
}
