//! The bytes of frames on the air, written out by hand: the radiotap header of radiotap.org, IEEE 802.11-2016 9.3, and the
//! layouts of our own notices.

use std::sync::Arc;

use backwater_sim::mechanism::notice::{Ask, Durations, Form, Hosts, Notice, Step};
use backwater_sim::medium::wifi::air::{Medium, NOBODY};
use backwater_sim::medium::wifi::air_log::{AirFrame, Body, Carried, Fate, Fields};
use backwater_sim::medium::wifi::mac::category::MacSpec;
use backwater_sim::medium::wifi::mac::frame::FrameKind;
use backwater_sim::medium::wifi::phy::standard::{Band, Phy};
use backwater_sim::medium::wifi::wifi_bytes::{field_size, management_size, write};
use backwater_sim::packet::Traffic;
use backwater_sim::spec::MediumSpec;
use backwater_sim::table::Id;
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Rate, Span, Time};

use crate::cell::{B, BASIC, G, dcf, disc, edca};

fn medium(phy: Phy, mac: MacSpec) -> Medium {
    Medium::new(&MediumSpec {
        name: "air".into(),
        phy,
        mac,
        channel: disc(100.0, 100.0),
        high: None,
    })
}

/// The longest of 802.11b preambles ends 192 µs later: the first bit of the frame comes at 3 s, 1 ms.
fn frame(kind: FrameKind, body: Option<Body>) -> AirFrame {
    AirFrame {
        at: Time::ZERO + Span::secs(3) + Span::micros(1000 - 192),
        from: 0x0A,
        to: 0x0B,
        kind,
        // A part of a microsecond counts as one: 315.
        duration: Span(314_000_001),
        rate: Rate(11_000_000),
        mode: None,
        part: None,
        body,
        number: 0x123,
        retry: false,
        fate: Fate::Received,
    }
}

/// Of a frame: what stands before its FCS, which is that of IEEE 802.3 3.2.9 bit by bit.
fn bytes(medium: &Medium, frame: &AirFrame, ip: &[u8]) -> Vec<u8> {
    bytes_of(medium, frame, &[ip])
}

/// The same of a frame that carries several packets.
fn bytes_of(medium: &Medium, frame: &AirFrame, ips: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    write(
        &mut out,
        medium,
        frame,
        |station| station + 0x0102_0000,
        ips,
    );
    let end = out.len() - 4;
    let mut crc = u32::MAX;
    for byte in &out[24..end] {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ ((crc & 1) * 0xEDB8_8320);
        }
    }
    let right = frame.fate != Fate::Lost;
    let fcs = if right { !crc } else { crc };
    assert_eq!(out[end..], fcs.to_le_bytes());
    out.truncate(end);
    out
}

/// Version 0, 24 bytes, TSFT, flags, rate, channel; 3,001,000 µs; FCS at the end, and these flags; 11 Mbit/s; 2412 MHz, CCK.
fn radiotap(flags: u8) -> Vec<u8> {
    let mut header = vec![0, 0, 24, 0, 0x0F, 0, 0, 0];
    header.extend(3_001_000_u64.to_le_bytes());
    header.extend([0x10 | flags, 22, 0x6C, 0x09, 0xA0, 0x00, 0, 0]);
    header
}

const FROM: [u8; 6] = [0x02, 0x02, 0x00, 0x0A, 0, 0];
const TO: [u8; 6] = [0x02, 0x02, 0x00, 0x0B, 0, 0];
const ALL: [u8; 6] = [0xFF; 6];
const BSSID: [u8; 6] = [0x02, 0xFF, 0xFF, 0xFF, 0, 0];
/// 315 µs.
const DURATION: [u8; 2] = [0x3B, 0x01];
/// Number 0x123 above four bits for the fragment.
const SEQUENCE: [u8; 2] = [0x30, 0x12];

/// Frame control, and what follows up to the body.
fn header(control: [u8; 2], to: [u8; 6]) -> Vec<u8> {
    [&control[..], &DURATION, &to, &FROM, &BSSID, &SEQUENCE].concat()
}

fn carried() -> Carried {
    Carried {
        flow: Id::raw(0),
        seq: 0,
        to: 0,
        len: 3,
        traffic: Traffic::new(0, Ecn::NotEct),
        header: None,
    }
}

fn packet(category: u8, fields: Fields) -> Option<Body> {
    Some(Body::Packet(carried(), category, fields))
}

fn notice(form: Form, classes: u8, ask: Ask, hosts: Option<Hosts>) -> Notice {
    Notice {
        mechanism: 0,
        form,
        classes,
        ask,
        hosts,
        origin: Id::NONE,
        origin_classes: 0,
        key: 0,
    }
}

/// The body of an action frame with a notice, which fills its own size with zeros, FCS included.
fn action(medium: &Medium, notice: &Notice, named: &[u32]) -> Vec<u8> {
    let size = management_size(notice);
    let body = Body::Notice(Box::new(notice.clone()), size, named.to_vec());
    let out = bytes(medium, &frame(FrameKind::Data, Some(body)), &[]);
    assert_eq!(out.len() as u64, 24 + size - 4);
    let head = [radiotap(0), header([0xD0, 0], TO)].concat();
    assert_eq!(out[..head.len()], head);
    assert_eq!(field_size(notice), size - 24 - 4);
    out[head.len()..].to_vec()
}

/// IEEE 802.11-2016 9.3.1.2 to 9.3.1.6: an RTS and a CF-End name two stations, a CTS and an ACK the one that they are for.
#[test]
fn control_frames_are_laid_out_as_in_the_standard() {
    let medium = medium(B, dcf(B, BASIC));
    let rts = bytes(&medium, &frame(FrameKind::Rts, None), &[]);
    let head = |kind| [&[kind, 0][..], &DURATION, &TO].concat();
    assert_eq!(rts, [radiotap(0), head(0xB4), FROM.to_vec()].concat());
    let end = bytes(&medium, &frame(FrameKind::CfEnd, None), &[]);
    assert_eq!(end, [radiotap(0), head(0xE4), FROM.to_vec()].concat());
    for (kind, first) in [(FrameKind::Cts, 0xC4), (FrameKind::Ack, 0xD4)] {
        let answer = bytes(&medium, &frame(kind, None), &[]);
        assert_eq!(answer, [radiotap(0), head(first)].concat());
    }
}

/// BAR and block acknowledgement of AC_VO, user priority 6, compressed, from number 0xFFE on: bits of that frame and of the third, which
/// is number 0. A map of 8 bytes has fragment number 0, one of 32 has 4. 9.3.1.7, 9.3.1.8, IEEE 802.11ax-2021 Table 9-30a.
#[test]
fn block_acknowledgements_tell_which_frames_came() {
    let medium = medium(B, dcf(B, BASIC));
    let head = |control| [&[control, 0][..], &DURATION, &TO, &FROM].concat();
    let asks = frame(FrameKind::Bar, Some(Body::Asks(3, 0xFFE)));
    let block = [0x04, 0x60, 0xE0, 0xFF];
    let expected = [radiotap(0), head(0x84), block.to_vec()].concat();
    assert_eq!(bytes(&medium, &asks, &[]), expected);
    for (size, fragment) in [(8, 0), (32, 4), (64, 8), (128, 10)] {
        let mut map = vec![0; size];
        map[0] = 0b101;
        let body = Body::Acknowledges(3, 0xFFE, map.clone());
        let answer = frame(FrameKind::BlockAck, Some(body));
        let block = [0x04, 0x60, 0xE0 | fragment, 0xFF];
        let expected = [radiotap(0), head(0x94), block.to_vec(), map].concat();
        assert_eq!(bytes(&medium, &answer, &[]), expected);
    }
}

/// A repeated frame has its retry bit, one that nobody has the radiotap flag of a bad FCS, and one with a short preamble
/// that flag; its first bit comes 96 µs earlier.
#[test]
fn flags_tell_of_retries_short_preambles_and_lost_frames() {
    let phy = Phy {
        short_preamble: true,
        ..B
    };
    let mut sent = frame(FrameKind::Data, packet(0, Fields::default()));
    sent.at += Span::micros(96);
    (sent.retry, sent.fate) = (true, Fate::Lost);
    let out = bytes(&medium(phy, dcf(phy, BASIC)), &sent, &[7, 8, 9]);
    let snap = vec![0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x00, 7, 8, 9];
    assert_eq!(
        out,
        [radiotap(0x42), header([0x08, 0x08], TO), snap].concat()
    );
}

/// Table 10-1: BK, BE, VI and VO have the user priorities 1, 0, 5 and 6. A frame to all asks for no acknowledgement.
#[test]
fn a_qos_frame_has_its_priority_and_its_acknowledgement_policy() {
    let medium = medium(B, edca(B, BASIC));
    for (category, priority) in [(0, 1), (1, 0), (2, 5), (3, 6)] {
        for (to, address, policy) in [(0x0B, TO, 0x00), (NOBODY, ALL, 0x20)] {
            let mut sent = frame(FrameKind::Data, packet(category, Fields::default()));
            sent.to = to;
            let out = bytes(&medium, &sent, &[]);
            let control = vec![priority | policy, 0, 0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x00];
            assert_eq!(
                out,
                [radiotap(0), header([0x88, 0], address), control].concat()
            );
        }
    }
}

/// IEEE 802.11-2020 9.3.2.2: each packet of an A-MSDU follows DA, SA and the length of what comes behind, LLC and SNAP included. All but the
/// last are padded to four bytes: 14 + 8 + 3 = 25 to 28, 14 + 8 + 2 = 24 as they are. Bit 7 of the QoS control says what the body is.
#[test]
fn packets_of_an_a_msdu_follow_their_addresses_and_lengths() {
    let medium = medium(B, edca(B, BASIC));
    let packets: [&[u8]; 3] = [&[7, 8, 9], &[5, 6], &[1]];
    let body = Body::Joined(vec![carried(); 3], 2);
    let out = bytes_of(&medium, &frame(FrameKind::Data, Some(body)), &packets);
    let mut expected = [radiotap(0), header([0x88, 0], TO), vec![5 | 0x80, 0]].concat();
    for (ip, padding) in packets.into_iter().zip([3, 0, 0]) {
        expected.extend([TO, FROM].concat());
        expected.extend([0, 8 + ip.len() as u8]);
        expected.extend([0xAA, 0xAA, 0x03, 0, 0, 0, 0x08, 0x00]);
        expected.extend(ip);
        expected.extend(vec![0; padding]);
    }
    assert_eq!(out, expected);
}

/// 802.11g is on channel 1, 802.11a on channel 36, both OFDM, whose preamble takes 20 µs.
#[test]
fn the_channel_is_that_of_the_band() {
    let bands = [
        (Band::Ghz2, [0x6C, 0x09, 0xC0, 0x00]),
        (Band::Ghz5, [0x3C, 0x14, 0x40, 0x01]),
    ];
    for (band, channel) in bands {
        let phy = Phy { band, ..G };
        let mut sent = frame(FrameKind::Ack, None);
        sent.at += Span::micros(192 - 20);
        let out = bytes(&medium(phy, dcf(phy, BASIC)), &sent, &[]);
        assert_eq!(out[..18], radiotap(0)[..18]);
        assert_eq!(out[18..22], channel);
    }
}

/// Category 127, identifier 42-57-52, the access category with its sign, and seven bytes of a rate.
#[test]
fn a_request_for_a_step_names_its_category_and_a_rate() {
    let medium = medium(B, dcf(B, BASIC));
    for (less, category) in [(true, 0x82), (false, 0x02)] {
        let step = Step {
            less,
            rate: Rate(0x0001_0203_0405_0607),
            expiry: None,
            period: Span::ZERO,
        };
        let request = notice(Form::Request(60), 1 << 2, Ask::Step(step), None);
        assert_eq!(management_size(&request), 60);
        // A step holds until the next, or as long as it says itself: it has no time in units of its carrier.
        assert_eq!(request.quanta(), 0);
        let said = [127, 0x42, 0x57, 0x52, category, 1, 2, 3, 4, 5, 6, 7];
        let filled = [&said[..], &[0; 60 - 24 - 4 - 12]].concat();
        assert_eq!(action(&medium, &request, &[]), filled);
    }
}

/// A standing notice: that it holds, and whether a rate follows; categories, time, number of addresses, rate, addresses.
#[test]
fn a_notice_that_holds_names_its_time_its_rate_and_its_stations() {
    let medium = medium(B, dcf(B, BASIC));
    let hosts: Hosts = Arc::from([0b11_u64]);
    let named = [0x0102_0304, 0x05];
    let stations = [0x02, 2, 3, 4, 0, 0, 0x02, 0, 0, 5, 0, 0];
    let stop = notice(Form::Pause, 0b1010, Ask::Stop(0x0304), Some(hosts.clone()));
    let said = [127, 0x42, 0x57, 0x52, 0x40, 0b1010, 3, 4, 0, 2];
    assert_eq!(
        action(&medium, &stop, &named),
        [&said[..], &stations].concat()
    );
    let limit = Ask::Limit(Rate(0x0102_0304_0506_0708), 0x0304);
    let limit = notice(Form::Pause, 0b1010, limit, Some(hosts));
    let said = [
        &[127, 0x42, 0x57, 0x52, 0x60, 0b1010, 3, 4, 0, 2][..],
        &[1, 2, 3, 4, 5, 6, 7, 8],
        &stations,
    ];
    assert_eq!(action(&medium, &limit, &named), said.concat());
}

/// More than 246 stations are named by a map: bit h % 8 of byte h / 8 is host h.
#[test]
fn many_stations_are_named_by_a_map() {
    let medium = medium(B, dcf(B, BASIC));
    // Hosts 0 to 259.
    let hosts: Hosts = Arc::from([u64::MAX, u64::MAX, u64::MAX, u64::MAX, 0b1111]);
    let named: Vec<u32> = (0..260).collect();
    let stop = notice(Form::Pause, 1, Ask::Stop(5), Some(hosts));
    let map = [&[0xFF; 32][..], &[0x0F]].concat();
    let said = [127, 0x42, 0x57, 0x52, 0x40, 1, 0, 5, 0x01, 0x04];
    assert_eq!(action(&medium, &stop, &named), [&said[..], &map].concat());
}

/// IEEE 802.11-2012 8.5.17.5 and 8.4.2.103: category 13, action 3, element 116 of 14 bytes, the destination's address (the
/// group's for all) and four durations, little-endian, BK first. 802.11s/D3.02 has no address: 8 bytes. The one queue of DCF is
/// that of best effort. A management frame has 24 B before and 4 B behind.
#[test]
fn a_congestion_notification_has_a_time_for_each_category() {
    let durations = |addressed| Durations {
        units: [0x0102, 0x0304, 0x0506, 0x0708],
        unit: Span::micros(100),
        to_tree: true,
        addressed,
    };
    let said = |addressed, hosts| {
        let form = Form::Congestion(durations(addressed));
        notice(form, 0xFF, Ask::Stop(1), hosts)
    };
    let wide = medium(B, edca(B, BASIC));
    let all = [13, 3, 116, 8, 2, 1, 4, 3, 6, 5, 8, 7];
    assert_eq!(action(&wide, &said(false, None), &[]), all);
    assert_eq!(management_size(&said(false, None)), 24 + 12 + 4);
    let one = [13, 3, 116, 8, 0, 0, 2, 1, 0, 0, 0, 0];
    assert_eq!(
        action(&medium(B, dcf(B, BASIC)), &said(false, None), &[]),
        one
    );
    let host: Hosts = Arc::from([0b1_u64]);
    let named = [13, 3, 116, 14, 0x02, 0, 0, 9, 0, 0, 2, 1, 4, 3, 6, 5, 8, 7];
    let group = [
        13, 3, 116, 14, 255, 255, 255, 255, 255, 255, 2, 1, 4, 3, 6, 5, 8, 7,
    ];
    for (said, nodes, bytes) in [
        (said(true, Some(host)), &[9][..], named),
        (said(true, None), &[], group),
    ] {
        assert_eq!(action(&wide, &said, nodes), bytes);
        assert_eq!(management_size(&said), 24 + 18 + 4);
    }
}

/// Numbers stand behind the packet, big-endian in as many bytes as their fields have, and then a notice.
#[test]
fn a_data_frame_brings_numbers_and_a_notice_behind_its_packet() {
    let stop = notice(Form::Pause, 1, Ask::Stop(7), None);
    let fields = Fields {
        numbers: vec![(0x0102, 3), (5, 1), (9, 6)],
        notice: Some((Box::new(stop), Vec::new())),
    };
    let sent = frame(FrameKind::Data, packet(0, fields));
    let out = bytes(&medium(B, dcf(B, BASIC)), &sent, &[0x45]);
    let behind = [
        &[0x45, 0, 1, 2, 5, 0, 0, 0, 0, 0, 9][..],
        &[127, 0x42, 0x57, 0x52, 0x40, 1, 0, 7, 0, 0],
    ];
    assert_eq!(out[24 + 24 + 8..], behind.concat());
}

/// A request fills a field with zeros to the length of its frame, less header and FCS.
#[test]
fn a_request_in_a_field_has_the_length_of_its_frame() {
    let step = Step {
        less: true,
        rate: Rate(1),
        expiry: None,
        period: Span::ZERO,
    };
    let request = notice(Form::Request(50), 1, Ask::Step(step), None);
    let fields = Fields {
        numbers: Vec::new(),
        notice: Some((Box::new(request), Vec::new())),
    };
    let sent = frame(FrameKind::Data, packet(0, fields));
    let out = bytes(&medium(B, dcf(B, BASIC)), &sent, &[]);
    let said = [127, 0x42, 0x57, 0x52, 0x80, 0, 0, 0, 0, 0, 0, 1];
    assert_eq!(
        out[24 + 24 + 8..],
        [&said[..], &[0; 50 - 24 - 4 - 12]].concat()
    );
}
