//! Media, stations and flows that no radio has are refused, and what lies on a bound is not.

use backwater_transport::part::{Args, Value};
use backwater_transport::units::{Bytes, Rate, Span};

use crate::limit::Limit;
use crate::medium::access::Category;
use crate::medium::wifi::mac::aggregate::tests::{APART, short_packets};
use crate::medium::wifi::mac::category::{AccessMode, Protection};
use crate::medium::wifi::phy::channel::ChannelSpec;
use crate::medium::wifi::phy::mode::{Coding, Format, Guard, Mode};
use crate::medium::wifi::phy::physical::tests::plain;
use crate::medium::wifi::phy::standard::Standard;
use crate::medium::wifi::spec::{Aggregation, Edition, High, RateControl, StationSpec};
use crate::medium::wifi::test_line::{flow, line};
use crate::spec::{CategorySpec, NodeKind, Spec};
use crate::world::World;

/// Two stations, the first of which sends packets of 1000 B to the second.
fn pair() -> Spec {
    let mut spec = line(&[0.0, 50.0]);
    let options = Args(vec![("packet", Value::Bytes(Bytes(1000)))]);
    spec.flows.push(flow([0, 1], "saturated", &options));
    spec
}

fn station(spec: &mut Spec, number: usize) -> &mut StationSpec {
    match &mut spec.nodes[number].kind {
        NodeKind::Station(radios) => &mut radios[0],
        _ => unreachable!("a station"),
    }
}

/// Where a world is refused.
fn refused(change: impl Fn(&mut Spec)) -> Option<String> {
    let mut spec = pair();
    change(&mut spec);
    World::build(&spec).err().map(|refusal| refusal.path)
}

fn at(path: &str) -> Option<String> {
    Some(path.to_owned())
}

/// A least window may be the largest one, and AIFSN is 1 at least.
#[test]
fn windows_and_aifsn_have_bounds() {
    let set =
        |change: fn(&mut Category)| refused(|spec| change(&mut spec.media[0].mac.categories[2]));
    assert_eq!(set(|c| (c.cw_min, c.cw_max) = (63, 63)), None);
    assert_eq!(
        set(|c| (c.cw_min, c.cw_max) = (64, 63)),
        at("media.air.mac.ac.VI.cw_min")
    );
    assert_eq!(set(|c| c.aifsn = 1), None);
    assert_eq!(set(|c| c.aifsn = 0), at("media.air.mac.ac.VI.aifsn"));
    let own = |written: CategorySpec| refused(|spec| station(spec, 1).categories[1] = written);
    let window = CategorySpec {
        cw_max: Some(14),
        ..CategorySpec::default()
    };
    assert_eq!(own(window), at("nodes.s50.ac.BE.cw_min"));
    let window = CategorySpec {
        cw_max: Some(15),
        ..CategorySpec::default()
    };
    assert_eq!(own(window), None);
}

/// The shortest exchange carries a header of 20 B in 56 B at 54 Mbit/s: 32 us, SIFS 16, an ACK of 44 at 6 Mbit/s and 2 us of
/// propagation; with an RTS, a CTS and two SIFS 128 us more.
#[test]
fn a_txop_has_room_for_an_exchange() {
    for (rts_above, shortest) in [(56, 94), (55, 222)] {
        let txop = |txop: Span| {
            refused(|spec| {
                spec.media[0].mac.rts_above = rts_above;
                spec.media[0].mac.categories[1].txop = txop;
            })
        };
        assert_eq!(txop(Span::micros(shortest)), None, "{rts_above}");
        assert_eq!(
            txop(Span(Span::micros(shortest).0 - 1)),
            at("media.air.mac.ac.BE.txop")
        );
        assert_eq!(txop(Span::ZERO), None);
    }
    let own =
        |txop: u64| refused(|spec| station(spec, 0).categories[1].txop = Some(Span::micros(txop)));
    assert_eq!((own(222), own(221)), (None, at("nodes.s0.ac.BE.txop")));
}

/// Multiple protection reserves a TXOP, so some station has one.
#[test]
fn multiple_protection_needs_a_txop() {
    let multiple = |txop: Option<Span>| {
        refused(|spec| {
            spec.media[0].mac.protection = Protection::Multiple;
            station(spec, 1).categories[1].txop = txop;
        })
    };
    assert_eq!(multiple(None), at("media.air.mac.nav"));
    assert_eq!(multiple(Some(Span::millis(1))), None);
}

/// Control frames are no faster than data, and have a long preamble at 1 Mbit/s.
#[test]
fn control_frames_have_bounds() {
    let rates = |data: u64, control: u64| {
        refused(|spec| {
            let phy = &mut spec.media[0].phy;
            (phy.data, phy.control) = (Rate(data * 1_000_000), Rate(control * 1_000_000));
        })
    };
    assert_eq!((rates(24, 24), rates(54, 6)), (None, None));
    assert_eq!(rates(12, 24), at("media.air.phy.control"));
    assert_eq!(
        (rates(7, 6), rates(54, 7)),
        (at("media.air.phy.data"), at("media.air.phy.control"))
    );
    let preamble = |control: u64, short: bool| {
        refused(|spec| {
            let phy = &mut spec.media[0].phy;
            (phy.standard, phy.data) = (Standard::HrDsss, Rate(11_000_000));
            (phy.control, phy.short_preamble) = (Rate(control), short);
        })
    };
    assert_eq!(preamble(1_000_000, true), at("media.air.phy.preamble"));
    assert_eq!(
        (preamble(1_000_000, false), preamble(2_000_000, true)),
        (None, None)
    );
}

/// A frame that is understood is sensed; powers that count are no more than 20 dB below the noise.
#[test]
fn channels_have_bounds() {
    let sense = |metres: f64| {
        refused(|spec| {
            if let ChannelSpec::Disc(disc) = &mut spec.media[0].channel {
                disc.sense = metres;
            }
        })
    };
    assert_eq!(
        (sense(100.0), sense(99.9)),
        (None, at("media.air.channel.sense"))
    );
    let detect = |energy: f64, preamble: f64| {
        refused(|spec| {
            let mut channel = plain();
            channel.noise = -80.0;
            (channel.energy_detect, channel.preamble_detect) = (energy, preamble);
            channel.gain = 0.0;
            spec.media[0].channel = ChannelSpec::Physical(channel);
        })
    };
    assert_eq!(detect(-100.0, -100.0), None);
    assert_eq!(
        detect(-100.1, -100.0),
        at("media.air.channel.energy_detect")
    );
    assert_eq!(
        detect(-100.0, -100.1),
        at("media.air.channel.preamble_detect")
    );
}

/// No two stations of a medium lie at one place.
#[test]
fn stations_have_places_of_their_own() {
    let beside = |x: f64| refused(|spec| station(spec, 1).at = [x, 0.0]);
    assert_eq!((beside(0.0), beside(0.1)), (at("nodes.s50.at"), None));
}

/// A frame takes an IP packet of 2304 - 8 B, a station has four categories, and a buffer holds a packet.
#[test]
fn flows_fit_frames_and_buffers() {
    let packet = |bytes: u64| {
        refused(|spec| {
            spec.flows[0].packet = Bytes(bytes);
            station(spec, 0).buffer = Limit::Unlimited;
        })
    };
    assert_eq!((packet(2296), packet(2297)), (None, at("flows.f.packet")));
    let class = |class: u8| refused(|spec| spec.flows[0].class = class);
    assert_eq!((class(3), class(4)), (None, at("flows.f.class")));
    let buffer = |limit: Limit| refused(|spec| station(spec, 0).buffer = limit);
    let full = at("nodes.s0.buffer");
    assert_eq!(
        (buffer(Limit::Packets(1)), buffer(Limit::Packets(0))),
        (None, full.clone())
    );
    assert_eq!(
        (
            buffer(Limit::Bytes(Bytes(1000))),
            buffer(Limit::Bytes(Bytes(999)))
        ),
        (None, full)
    );
}

/// 802.11n has windows of 64 frames, A-MSDUs of 3839 B in an A-MPDU and of 7935 B alone, and four categories; the unit disc has
/// no SNR to choose by.
#[test]
fn modern_stations_have_bounds() {
    let high = |change: &dyn Fn(&mut High)| {
        let mut spec = short_packets(APART);
        change(spec.media[0].high.as_mut().expect("modes"));
        World::build(&spec).err().map(|refusal| refusal.path)
    };
    let limits = |change: fn(&mut Aggregation)| {
        high(&|high| change(high.aggregation.as_mut().expect("a window")))
    };
    assert_eq!(limits(|l| l.window = 64), None);
    assert_eq!(limits(|l| l.window = 65), at("media.air.mac.ba_window"));
    assert_eq!(
        (limits(|l| l.msdu = 3839), limits(|l| l.msdu = 3840)),
        (None, at("media.air.mac.amsdu_bytes"))
    );
    let alone = |msdu: u64| {
        high(&|high| {
            let limits = high.aggregation.as_mut().expect("a window");
            (limits.alone, limits.msdu) = (true, msdu);
        })
    };
    assert_eq!(
        (alone(7935), alone(7936)),
        (None, at("media.air.mac.amsdu_bytes"))
    );
    // Two MPDUs of 58 B, 16 us apart at 65 Mbit/s: 132 and 62 B.
    assert_eq!(limits(|l| l.bounds.bytes = 194), None);
    assert_eq!(
        limits(|l| l.bounds.bytes = 193),
        at("media.air.mac.mpdu_spacing")
    );
    // 194 B last 36 us and seven symbols of 4 us.
    assert_eq!(limits(|l| l.bounds.time = Span::micros(64)), None);
    assert_eq!(
        limits(|l| l.bounds.time = Span(Span::micros(64).0 - 1)),
        at("media.air.mac.mpdu_spacing")
    );
    // Without a distance 64 and 62 B.
    assert_eq!(
        limits(|l| l.bounds.bytes = 125),
        at("media.air.mac.aggregate_time")
    );
    assert_eq!(
        high(&|high| high.control = RateControl::Ideal(0.1)),
        at("media.air.phy.rate_control")
    );
    let mut dcf = short_packets(APART);
    dcf.media[0].mac.access = AccessMode::Dcf;
    let path = World::build(&dcf).err().map(|refusal| refusal.path);
    assert_eq!(path, at("media.air.mac.access"));
}

/// A station that chooses has the modes up to the fastest MCS: of its streams by the SNR, of fewer streams too by what became of
/// frames, the slowest first. VHT has no MCS 9 at 20 MHz with one stream.
#[test]
fn modes_among_which_stations_choose() {
    let modes = |control: RateControl| {
        let high = High {
            mode: Mode {
                format: Format::Vht,
                width: 20,
                mcs: 8,
                streams: 2,
                guard: Guard::Long,
                coding: Coding::Bcc,
            },
            control,
            aggregation: None,
        };
        high.modes()
            .iter()
            .map(|mode| (mode.streams, mode.mcs))
            .collect::<Vec<_>>()
    };
    assert_eq!(modes(RateControl::Off), [(2, 8)]);
    let of = |streams: u8| (0..=8).map(move |mcs| (streams, mcs));
    assert_eq!(modes(RateControl::Ideal(0.1)), of(2).collect::<Vec<_>>());
    let learnt = modes(RateControl::Minstrel(Edition::Linux));
    assert_eq!(learnt.len(), 18);
    assert_eq!((learnt[0], learnt[17]), ((1, 0), (2, 8)));
    // 6.5, 13, 13, 19.5, 26, 26 Mbit/s.
    assert_eq!(learnt[1..6], [(1, 1), (2, 0), (1, 2), (1, 3), (2, 1)]);
}

/// A written parameter replaces that of the medium. A second radio of a node is named after its medium, too.
#[test]
fn what_is_written_replaces_the_default() {
    let base = Category {
        aifsn: 2,
        cw_min: 15,
        cw_max: 1023,
        txop: Span::ZERO,
    };
    assert_eq!(CategorySpec::default().over(base), base);
    let all = CategorySpec {
        aifsn: Some(3),
        cw_min: Some(7),
        cw_max: Some(63),
        txop: Some(Span::millis(1)),
        buffer: None,
    };
    let expected = Category {
        aifsn: 3,
        cw_min: 7,
        cw_max: 63,
        txop: Span::millis(1),
    };
    assert_eq!(all.over(base), expected);
    assert_eq!(StationSpec::radio_name("a", 0, "air"), "a");
    assert_eq!(StationSpec::radio_name("a", 1, "air"), "a>air");
}
