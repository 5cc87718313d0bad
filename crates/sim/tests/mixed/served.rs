//! Random worlds whose stations serve neighbours by turns, manage a queue for each of them or keep packets for the driver, with A-MPDUs
//! and without.

use backwater_sim::limit::Limit;
use backwater_sim::medium::wifi::mac::category::{AccessMode, Countdown};
use backwater_sim::medium::wifi::mac::frame::Reply;
use backwater_sim::medium::wifi::phy::aggregate::Bounds;
use backwater_sim::medium::wifi::phy::mode::{Coding, Format, Guard, Mode};
use backwater_sim::medium::wifi::phy::standard::Standard;
use backwater_sim::medium::wifi::spec::{Aggregation, High, RateControl};
use backwater_sim::spec::{AirtimeLimits, NodeKind, Serving, Spec, Turn};
use backwater_sim::world::World;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Rate, Span};

use crate::random::one;
use crate::worlds::{any_world, once_in};

/// A few packets for a neighbour, and more while little waits.
const LIMITS: AirtimeLimits = AirtimeLimits {
    low: Span::millis(2),
    high: Span::millis(5),
    total: Span::millis(8),
};

/// A world in which stations serve as they were drawn to.
fn served_world(number: u64) -> Spec {
    let mut spec = any_world(number);
    let r = &mut Random::stream(number, "test", "served");
    // Gates hold packets back for good reasons; what stands still here must not.
    spec.mechanisms.clear();
    for medium in &mut spec.media {
        let ofdm = medium.phy.standard == Standard::Ofdm;
        if !ofdm || medium.mac.access == AccessMode::Dcf || once_in(r, 3) {
            continue;
        }
        let mode = Mode {
            format: Format::Ht,
            width: 20,
            mcs: one(r, &[0, 3, 7]),
            streams: 1,
            guard: Guard::Long,
            coding: Coding::Bcc,
        };
        medium.phy.data = mode.rate();
        medium.phy.control = Rate(6_000_000);
        medium.mac.countdown = Countdown::Boundary;
        let window = one(r, &[2, 8, 64]);
        medium.high = Some(High {
            mode,
            control: RateControl::Off,
            aggregation: once_in(r, 2).then_some(Aggregation {
                window,
                bounds: Bounds::of(Format::Ht, window),
                asks: once_in(r, 2),
                reorder: once_in(r, 2).then(|| Span::micros(r.between(1, 20_000))),
                msdu: one(r, &[0, 0, 3839]),
                alone: false,
            }),
        });
    }
    let media = spec.media.clone();
    let radios = spec.nodes.iter_mut().flat_map(|node| match &mut node.kind {
        NodeKind::Station(radios) => radios.iter_mut().collect::<Vec<_>>(),
        NodeKind::Host { .. } | NodeKind::Switch(_) => Vec::new(),
    });
    for radio in radios {
        let high = media[radio.medium].high.as_ref();
        if high.is_some_and(|high| high.aggregation.is_some()) {
            radio.in_turn = false;
        }
        if let Some(high) = high.filter(|_| once_in(r, 3)) {
            let mcs = one(r, &[0, 1, 5]);
            radio.mode = Some(Mode { mcs, ..high.mode });
        }
        let turn = one(
            r,
            &[
                Turn::Oldest,
                Turn::RoundRobin,
                Turn::Airtime(Span::micros(300)),
            ],
        );
        let each = radio.aqm.is_some() && turn != Turn::Oldest && once_in(r, 2);
        if radio.in_turn {
            continue;
        }
        radio.serving = Serving {
            turn,
            each,
            driver: one(r, &[None, Some(1), Some(5)]).filter(|_| !each),
            airtime: (each && number.is_multiple_of(2)).then_some(LIMITS),
        };
        if once_in(r, 3) {
            radio.buffer = Limit::Bytes(Bytes(20_000));
        }
    }
    spec
}

/// Every packet is in one place, and no station stands still while it has packets: it counts down, or sends.
#[test]
fn stations_keep_every_packet_and_never_stand_still() {
    let (mut built, mut turned, mut aggregated, mut managed) = (0, 0, 0, 0);
    for number in 0..450 {
        let spec = served_world(number);
        let Ok(mut world) = World::build(&spec) else {
            continue;
        };
        built += 1;
        world.advance(world.end());
        let report = world.report();
        assert!(report.conserved, "world {number}");
        let air = world.air();
        for (radio, station) in air.radios.iter().zip(0..) {
            let sense = &air.sensing[station];
            for (c, number_of) in radio.categories.iter().zip(0..) {
                let waits = c.frames > 0 && radio.exchange.is_none();
                let counts =
                    sense.counting >> number_of & 1 == 1 || sense.due >> number_of & 1 == 1;
                assert!(
                    !waits || counts || radio.reply != Reply::None,
                    "world {number}: {} holds {} frames and does nothing: {:?} {:?}",
                    radio.name,
                    c.frames,
                    (
                        c.dormant,
                        c.current,
                        &c.hops,
                        c.slots,
                        sense.busy,
                        sense.sending,
                        number_of
                    ),
                    c.arranged.as_ref().map(|a| (
                        a.driver,
                        a.held(),
                        a.for_single_hops(),
                        &a.turns
                    )),
                );
                let arranged = c.arranged.as_ref();
                turned += u64::from(arranged.is_some_and(|a| a.turns.is_some()));
                managed += u64::from(arranged.is_some_and(|a| a.manages() && a.held() > 0));
            }
            aggregated += u64::from(
                report.stations[station].toward.frames > report.stations[station].toward.ppdus,
            );
        }
    }
    assert!(built > 150 && turned > 100, "{built} {turned}");
    assert!(aggregated > 20 && managed > 20, "{aggregated} {managed}");
}
