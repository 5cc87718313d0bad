//! Spans of the MAC in closed form, by IEEE 802.11-2020 clauses 9.2.5, 10.3 and 17.3: OFDM, control frames at 6 Mbit/s, 1 us of
//! propagation.

use backwater_transport::units::{Rate, Span, Time};

use super::aggregate::{Bounds, Growing, least_part};
use super::mode::{Coding, Format, Guard, Mode};
use super::standard::{Answer, Phy, Standard};
use super::timing::Medium;
use crate::medium::wifi::mac::category::{AccessMode, AfterCollision, Protection};
use crate::medium::wifi::mac::frame::{Exchange, FrameKind};
use crate::medium::wifi::spec::MediumSpec;
use crate::medium::wifi::test_line::{PHY, line};

fn medium(change: impl Fn(&mut MediumSpec)) -> Medium {
    let mut spec = line(&[0.0]).media.remove(0);
    change(&mut spec);
    Medium::new(&spec)
}

fn us(n: u64) -> Span {
    Span::micros(n)
}

/// A data frame of 248 us, its ACK of 44 us, begun at 1 ms.
fn exchange() -> Exchange {
    let begun = Time::ZERO + us(1000);
    Exchange {
        hop: Some(0),
        count: 1,
        mpdus: 1,
        to: 1,
        data: us(248),
        ack: us(44),
        bytes: 1536,
        rate: Rate(54_000_000),
        reference: Rate(54_000_000),
        ..Exchange::cf_end(0, (Rate(54_000_000), us(248)), begun)
    }
}

/// RTS (20 B) and CF-End 52 us, CTS (14 B) 44 us. A sender waits SIFS, slot and preamble (16 + 9 + 20), a bystander EIFS less
/// DIFS (16 + 44). A NAV by an RTS holds for two SIFS, a CTS, a preamble and two slots (10.3.2.4).
#[test]
fn spans_of_a_medium() {
    let plain = medium(|_| {});
    assert_eq!(
        (plain.slot, plain.sifs, plain.delta),
        (us(9), us(16), us(1))
    );
    assert_eq!(
        (plain.rts, plain.cts, plain.cf_end),
        (us(52), us(44), us(52))
    );
    assert_eq!(
        (plain.sender_defers, plain.bystander_defers),
        (us(45), us(60))
    );
    assert_eq!(plain.nav_holds, us(2 * 16 + 44 + 20 + 2 * 9));
    assert_eq!(plain.overhead, 36);
    let edca = medium(|m| m.mac.access = AccessMode::Edca);
    assert_eq!(edca.overhead, 38);
    let of = |after| {
        let made = medium(|m| m.mac.after_collision = after);
        (made.sender_defers, made.bystander_defers)
    };
    assert_eq!(of(AfterCollision::Difs), (us(0), us(0)));
    assert_eq!(of(AfterCollision::Eifs), (us(60), us(60)));
}

/// 802.11b: 20 us a slot, 10 us SIFS, windows from 31; OFDM 9, 16 and 15. EIFS has the long preamble even where frames have the
/// short one.
#[test]
fn constants_of_the_two_radios() {
    let b = Standard::HrDsss;
    assert_eq!(
        (b.slot(), b.sifs(), b.window()),
        (us(20), us(10), (31, 1023))
    );
    let a = Standard::Ofdm;
    assert_eq!(
        (a.slot(), a.sifs(), a.window()),
        (us(9), us(16), (15, 1023))
    );
    let short = Phy {
        standard: b,
        short_preamble: true,
        ..PHY
    };
    assert_eq!(
        (short.preamble(), short.eifs_extra()),
        (us(96), us(10 + 192 + 112))
    );
    // 16 bits of service and 6 of tail: 24 bits more fill a symbol of 6 Mbit/s at 1 + 3 n bytes.
    for (bytes, symbols) in [(0, 1), (1, 2), (3, 2), (4, 3), (6, 3), (7, 4)] {
        assert_eq!(
            PHY.airtime(bytes, Rate(6_000_000)),
            us(20 + 4 * symbols),
            "{bytes}"
        );
    }
}

/// A packet of 1500 B goes in 1536 B: 248 us, SIFS and an ACK; 52 + 44 us and two SIFS more with RTS/CTS, which a frame longer
/// than the threshold has.
#[test]
fn a_whole_exchange_by_its_threshold() {
    for (above, with_rts) in [(0, true), (1535, true), (1536, false)] {
        let made = medium(|m| m.mac.rts_above = above);
        let expected = 248 + 16 + 44 + if with_rts { 52 + 44 + 32 } else { 0 };
        assert_eq!(
            made.exchange(1500, Rate(54_000_000)),
            us(expected),
            "{above}"
        );
    }
}

/// Durations reserve what follows: an RTS three SIFS, CTS, data and ACK, a CTS two less a CTS, data a SIFS and its ACK. Where
/// the TXOP goes on, one exchange more. A NAV counts the propagation of each frame.
#[test]
fn durations_reserve_what_follows() {
    let made = medium(|_| {});
    let ends = Time::ZERO + us(1248);
    let (ack, data, cts, rts) = (16 + 44, 16 + 248, 16 + 44, 16 + 52);
    for (kind, rest, frames) in [
        (FrameKind::Rts, cts + data + ack, 3),
        (FrameKind::Cts, data + ack, 2),
        (FrameKind::Data, ack, 1),
        (FrameKind::Bar, ack, 1),
        (FrameKind::Ack, 0, 0),
        (FrameKind::BlockAck, 0, 0),
    ] {
        let plain = exchange();
        assert_eq!(made.duration(kind, &plain, ends), us(rest), "{kind:?}");
        assert_eq!(made.nav(kind, &plain, ends), us(rest + frames), "{kind:?}");
        let goes_on = Exchange {
            goes_on: true,
            ..plain
        };
        let more = rest + data + ack;
        assert_eq!(made.duration(kind, &goes_on, ends), us(more), "{kind:?}");
        assert_eq!(
            made.nav(kind, &goes_on, ends),
            us(more + frames + 2),
            "{kind:?}"
        );
        let with_rts = Exchange {
            rts: true,
            ..goes_on
        };
        let more = more + rts + cts;
        assert_eq!(made.duration(kind, &with_rts, ends), us(more), "{kind:?}");
        assert_eq!(
            made.nav(kind, &with_rts, ends),
            us(more + frames + 4),
            "{kind:?}"
        );
    }
    for kind in [FrameKind::Group, FrameKind::CfEnd] {
        let goes_on = Exchange {
            goes_on: true,
            rts: true,
            ..exchange()
        };
        assert_eq!(made.duration(kind, &goes_on, ends), us(0), "{kind:?}");
    }
    // From the beginning of the first frame to the end of the last one, with the propagation of each.
    assert_eq!(made.whole(FrameKind::Data, &exchange()), us(248 + ack + 2));
    assert_eq!(
        made.whole(FrameKind::Rts, &exchange()),
        us(52 + cts + data + ack + 4)
    );
}

/// Under multiple protection a Duration reaches to the end of the TXOP, or of the exchange where that is later. A CF-End goes
/// where it ends by then.
#[test]
fn multiple_protection_reserves_the_txop() {
    let made = medium(|m| m.mac.protection = Protection::Multiple);
    let single = medium(|_| {});
    let ends = Time::ZERO + us(1248);
    for (until, rest) in [(1000, 60), (1308, 60), (1309, 61), (3000, 1752)] {
        let exchange = Exchange {
            txop_end: Time::ZERO + us(until),
            ..exchange()
        };
        assert_eq!(made.duration(FrameKind::Data, &exchange, ends), us(rest));
        assert_eq!(single.duration(FrameKind::Data, &exchange, ends), us(60));
        assert_eq!(made.duration(FrameKind::Group, &exchange, ends), us(0));
    }
    // SIFS, 52 us and 1 us of propagation.
    assert!(made.truncates(ends + us(69), ends));
    assert!(!made.truncates(Time((ends + us(69)).0 - 1), ends));
    assert!(!single.truncates(ends + us(1000), ends));
}

/// A frame survives what is weaker by the ratio or more; without a ratio it survives nothing.
#[test]
fn a_frame_survives_what_is_weaker_by_the_ratio() {
    let mut made = medium(|_| {});
    assert!(!made.damages(100, 100) && made.damages(100, 101));
    made.capture = 10.0;
    assert!(!made.damages(100, 110) && made.damages(100, 111));
    assert!(!made.damages(0, 0));
}

/// Rates and lengths of frames. From 802.11ac on a delimiter of 4 B goes before an MPDU that goes alone: with 1536 B 1540 B are
/// on the air.
#[test]
fn frames_on_the_air() {
    let made = medium(|m| m.phy.answer = Answer::Mandatory);
    let exchange = exchange();
    let told = |kind| made.on_air(kind, &exchange);
    assert_eq!(told(FrameKind::Rts), (20, Rate(6_000_000), us(52)));
    assert_eq!(told(FrameKind::Cts), (14, Rate(6_000_000), us(44)));
    assert_eq!(told(FrameKind::Ack), (14, Rate(24_000_000), us(44)));
    assert_eq!(told(FrameKind::Data), (1536, Rate(54_000_000), us(248)));
    // 14 B at 24 Mbit/s: 20 us and two symbols; 32 B, 278 bits, three.
    assert_eq!(made.ack(Rate(54_000_000)), us(28));
    assert_eq!(made.block_ack(64, Rate(54_000_000)), us(32));
    let mode = |format| Mode {
        format,
        width: 20,
        mcs: 0,
        streams: 1,
        guard: Guard::Long,
        coding: Coding::Bcc,
    };
    let of = |format, bytes| made.data(bytes, Rate(6_500_000), Some(&mode(format)));
    // 26 bits a symbol: 16 + 6 + 8 n bits. HT: 36 us of preamble; VHT 40.
    assert_eq!(of(Format::Ht, 1), us(36 + 4 * 2));
    assert_eq!(of(Format::Vht, 1), us(40 + 4 * 3));
}

/// Bounds of the formats. 9.7.1, 9.4.2.54 (2^16 - 1 B), 9.4.2.157 (2^20 - 1 B), aPSDUMaxLength of HE and EHT; Table 9-34 of
/// A-MSDUs.
#[test]
fn bounds_of_the_formats() {
    let of = |format: Format| {
        let bodies = (format.longest_msdu(true), format.longest_msdu(false));
        (format.longest_aggregate(), format.longest_window(), bodies)
    };
    assert_eq!(of(Format::Ht), ((1 << 16) - 1, 64, (7935, 4095 - 256)));
    assert_eq!(of(Format::Vht), ((1 << 20) - 1, 64, (11_424, 11_424)));
    assert_eq!(of(Format::He), (6_500_631, 256, (11_424, 11_424)));
    assert_eq!(of(Format::Eht), (15_523_200, 1024, (11_424, 11_424)));
    let delimits = Format::ALL.map(Format::delimits_all);
    assert_eq!(delimits, [false, true, true, true]);
    // A PPDU of EHT with two streams at 320 MHz reaches 3.9 MB in 5.484 ms, so frames end it; and bytes do where they are the
    // least.
    let bounds = Bounds {
        bytes: 3085,
        ..Bounds::of(Format::Ht, 64)
    };
    let mode = Mode {
        format: Format::Ht,
        width: 20,
        mcs: 7,
        streams: 1,
        guard: Guard::Long,
        coding: Coding::Bcc,
    };
    let two = Growing::default().with(1538, 0).with(1538, 0);
    assert_eq!(two.bytes(), 3086);
    assert!(!bounds.most(&mode, bounds.time).holds(&two));
    let one_more = Bounds {
        bytes: 3086,
        ..bounds
    };
    assert!(one_more.most(&mode, bounds.time).holds(&two));
    // 3086 B are 24,710 bits: 96 symbols of 4 us behind 36 us.
    assert!(one_more.most(&mode, us(36 + 4 * 96)).holds(&two));
    assert!(
        !one_more
            .most(&mode, Span(us(36 + 4 * 96).0 - 1))
            .holds(&two)
    );
    // Half a symbol more than 32.5 B at 65 Mbit/s: rounded up to bytes, then to four.
    assert_eq!(least_part(us(4), Rate(65_000_000)), 36);
    assert_eq!(least_part(us(16), Rate(65_000_000)), 132);
    assert_eq!(least_part(Span::ZERO, Rate(65_000_000)), 0);
}
