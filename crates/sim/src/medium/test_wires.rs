//! What surrounds a packet on a link, and what each kind of link says of itself.

use backwater_transport::units::{Rate, Span, Time};

use super::ethernet::{frame, ps_per_byte, reaction};
use super::offer::{Carrier, Offer};
use super::service::{Accepts, Link, Service};
use crate::mechanism::carrier::CarriedBy;
use crate::mechanism::needs::Set;

/// Header, type and FCS take 18 B, and no frame is shorter than 64 B (802.3 clauses 3.1.1 and 4A.4.2).
#[test]
fn frames_have_a_header_and_a_least_length() {
    assert_eq!([0, 45, 46, 47, 1500].map(frame), [64, 64, 64, 65, 1518]);
}

/// A byte takes eight bit times, rounded up to ticks of a picosecond; without a rate none.
#[test]
fn a_byte_takes_eight_bit_times() {
    let of = |rate| ps_per_byte(Rate(rate));
    assert_eq!(
        (
            of(0),
            of(1_000_000_000),
            of(10_000_000),
            of(800_000_000_000)
        ),
        (0, 8000, 800_000, 10)
    );
    assert_eq!((of(3_000_000_000), of(7)), (2667, 1_142_857_142_858));
}

/// Quanta of 512 bit times (Annex 31B.3.7): one up to 100 Mbit/s, 2 up to 1 Gbit/s, 60 up to 10, 118 up to 40, and 394.
#[test]
fn a_pause_takes_effect_after_so_many_quanta() {
    for (rate, quanta) in [
        (10_000_000, 1),
        (100_000_000, 1),
        (100_000_001, 2),
        (1_000_000_000, 2),
        (1_000_000_001, 60),
        (10_000_000_000, 60),
        (10_000_000_001, 118),
        (40_000_000_000, 118),
        (40_000_000_001, 394),
        (100_000_000_000, 394),
        (400_000_000_000, 394),
    ] {
        let ticks = 512 * quanta as u128 * 1_000_000_000_000 / u128::from(rate);
        assert!(
            u128::from(reaction(Rate(rate)).0).abs_diff(ticks) <= 1,
            "{rate}"
        );
    }
    assert_eq!(reaction(Rate(1_000_000_000)), Span::nanos(1024));
}

/// A packet of 1500 B takes 1538 B of a wire with preamble and gap, its bytes and the overhead of a slot, and a frame of a
/// medium without a rate.
#[test]
fn links_are_occupied_by_what_surrounds_a_packet() {
    for (mut link, long, short, offers) in [
        (Link::Line, 1538, 84, false),
        (Link::Slots(30), 1530, 31, true),
        (Link::Frames, 1518, 64, false),
    ] {
        assert_eq!(
            (link.occupied(1500), link.occupied(1)),
            (long, short),
            "{link:?}"
        );
        assert_eq!(
            (link.offers(), link.releases_at_choice()),
            (offers, false),
            "{link:?}"
        );
        assert!(link.offered(Time(9)).is_none() && link.offers_mut().is_none());
    }
}

/// A wire sends when it is asked; a station is never asked. Neither has instants or a mean rate of its own.
#[test]
fn services_say_when_they_send() {
    for (mut service, accepts, next, unvisited) in [
        (Service::Line, Accepts::Queue, Time(7), false),
        (Service::Station, Accepts::Medium, Time::NEVER, true),
    ] {
        assert_eq!(
            (service.accept(), service.next_choice(Time(7), true)),
            (accepts, next)
        );
        assert!(!service.has_instants() && service.mean_rate(Time(9)).is_none());
        assert_eq!(service.unvisited().is_some(), unvisited);
        assert!(service.under_way().is_empty() && service.counted().is_none());
        assert!(
            service.offered().is_none() && service.server().is_none() && service.stage().is_none()
        );
        assert!(service.server_mut().is_none() && service.stage_mut().is_none());
        assert!(service.crossing().is_none() && service.crossing_mut().is_none());
        assert!(service.terminal().is_none() && service.terminal_mut().is_none());
    }
}

/// Each carrier has a name, a choice of the notifier that names it, and what it needs.
#[test]
fn carriers_of_notices() {
    use Carrier::{ControlFrame, HeaderField, ManagementFrame, Mark};
    let all = [ControlFrame, ManagementFrame, HeaderField, Mark];
    let names = ["control frame", "management frame", "header field", "mark"];
    assert_eq!(all.map(Carrier::name), names);
    let by = [
        CarriedBy::Frame,
        CarriedBy::Frame,
        CarriedBy::Header,
        CarriedBy::Mark,
    ];
    assert!(
        all.iter()
            .zip(by)
            .all(|(carrier, by)| carrier.carried_by() == by)
    );
    let gives = [
        Set::ROOM,
        Set::ROOM.and(Set::MANAGEMENT),
        Set::ROOM,
        Set::NONE,
    ];
    assert!(
        all.iter()
            .zip(gives)
            .all(|(carrier, gives)| carrier.gives() == gives)
    );
    let wire: Offer = super::ethernet::PART.build;
    let of = |by| wire.carrier(by);
    assert_eq!(of(CarriedBy::Frame), Some(ControlFrame));
    assert_eq!(
        (of(CarriedBy::Header), of(CarriedBy::Mark)),
        (Some(HeaderField), Some(Mark))
    );
    let radio: Offer = super::wifi::PART.build;
    assert_eq!(radio.carrier(CarriedBy::Frame), Some(ManagementFrame));
}
