//! The bytes of a frame on the air: a frame of the simulation as `backwater_wire::wifi` describes one.

use backwater_transport::units::Time;
use backwater_wire::radiotap::{self, Channel, Radiotap};
use backwater_wire::wifi::{self, AROUND, Action};

use crate::mechanism::notice::{Ask, Form, Notice};
use crate::medium::wifi::air::{Medium, NOBODY};
use crate::medium::wifi::air_log::{AirFrame, Body, Fate};
use crate::medium::wifi::mac::frame::FrameKind;
use crate::medium::wifi::phy::mode::{Coding, Format, Guard, Mode};
use crate::medium::wifi::phy::standard::{Band, Standard};

/// Appends one frame on `medium` to `out`. `node` is the node of a station, `ips` the IP packets that a data
/// frame carries.
pub fn write(
    out: &mut Vec<u8>,
    medium: &Medium,
    frame: &AirFrame,
    node: impl Fn(u32) -> u32,
    ips: &[&[u8]],
) {
    let phy = &medium.phy;
    let before = match (frame.part, &frame.mode) {
        (Some(part), _) => part.after,
        (None, Some(mode)) => mode.preamble(),
        (None, None) => phy.preamble(),
    };
    let Time(first_bit) = frame.at + before;
    let radiotap = Radiotap {
        first_bit_us: first_bit / 1_000_000,
        // Rates of 802.11n and later are not among those of the field.
        rate: (frame.mode.is_none()
            && (medium.high.is_none() || phy.standard.rates().contains(&frame.rate.0)))
        .then_some((frame.rate.0 / 500_000) as u8),
        mode: frame.mode.as_ref().and_then(described_mode),
        aggregate: frame.part.map(|part| radiotap::Aggregate {
            reference: part.of,
            last: part.last,
        }),
        channel: match (phy.standard, phy.band) {
            (Standard::HrDsss, _) => Channel::Cck,
            (Standard::Ofdm, Band::Ghz2) => Channel::OfdmBelow3Ghz,
            (Standard::Ofdm, Band::Ghz5) => Channel::OfdmAt5Ghz,
            (Standard::Ofdm, Band::Ghz6) => Channel::OfdmAt6Ghz,
        },
        short_preamble: phy.short_preamble,
        lost: frame.fate == Fate::Lost,
    };
    let described = wifi::Frame {
        radiotap,
        to: (frame.to != NOBODY).then(|| node(frame.to)),
        from: node(frame.from),
        // Rounded up. 9.2.4.2.
        duration_us: frame.duration.0.div_ceil(1_000_000) as u16,
        retry: frame.retry,
        number: frame.number,
        body: described_body(frame, medium.mac.access.categories() == 1, ips),
    };
    wifi::write(out, &described);
}

/// The kind of a frame and its content.
fn described_body<'a>(frame: &'a AirFrame, one_queue: bool, ips: &'a [&'a [u8]]) -> wifi::Body<'a> {
    match (frame.kind, &frame.body) {
        (FrameKind::Rts, _) => wifi::Body::Rts,
        (FrameKind::Cts, _) => wifi::Body::Cts,
        (FrameKind::Ack, _) => wifi::Body::Ack,
        (FrameKind::CfEnd, _) => wifi::Body::CfEnd,
        (_, Some(Body::Packet(_, category, fields))) => wifi::Body::Data {
            category: (!one_queue).then_some(*category),
            ip: ips[0],
            numbers: &fields.numbers,
            notice: fields
                .notice
                .as_ref()
                .map(|(notice, named)| (action(notice, named, one_queue), management_size(notice))),
        },
        (_, Some(Body::Joined(_, category))) => wifi::Body::Joined(*category, ips),
        (_, Some(Body::Notice(notice, bytes, named))) => {
            wifi::Body::Management(action(notice, named, one_queue), *bytes)
        }
        (FrameKind::Data | FrameKind::Group, None) => {
            unreachable!("such a frame carries something")
        }
        (_, Some(Body::Asks(category, start))) => wifi::Body::Bar {
            category: *category,
            start: *start,
        },
        (_, Some(Body::Acknowledges(category, start, received))) => wifi::Body::BlockAck {
            category: *category,
            start: *start,
            received,
        },
        (FrameKind::BlockAck | FrameKind::Bar, None) => {
            unreachable!("such a frame names frames")
        }
    }
}

/// A mode as radiotap has it; it has no field for 802.11be that is in use.
fn described_mode(mode: &Mode) -> Option<radiotap::Mode> {
    let format = match mode.format {
        Format::Ht => radiotap::Format::Ht,
        Format::Vht => radiotap::Format::Vht,
        Format::He => radiotap::Format::He,
        Format::Eht => return None,
    };
    Some(radiotap::Mode {
        format,
        width: mode.width,
        mcs: mode.mcs,
        streams: mode.streams,
        guard_ns: match mode.guard {
            Guard::Short => 400,
            Guard::Long => 800,
            Guard::Double => 1600,
            Guard::Quadruple => 3200,
        },
        ldpc: mode.coding == Coding::Ldpc,
    })
}

/// Bytes of the management frame of a notice, header and FCS included.
pub fn management_size(notice: &Notice) -> u64 {
    match notice.form {
        Form::Request(bytes) => bytes,
        // Its size hangs on no host.
        Form::Congestion(_) => action(notice, &[], false).management_size(),
        _ => action(notice, &notice.host_numbers(), false).management_size(),
    }
}

/// Bytes of a notice as a header field of a data frame: its management frame without header and FCS.
pub fn field_size(notice: &Notice) -> u64 {
    management_size(notice) - AROUND
}

/// A notice about the hosts of these nodes. The one queue of DCF is that of best effort.
fn action<'a>(notice: &'a Notice, named: &'a [u32], one_queue: bool) -> Action<'a> {
    if let Form::Congestion(durations) = notice.form {
        return Action::Congestion {
            address: durations.addressed.then(|| named.first().copied()),
            units: match one_queue {
                true => [0, durations.units[0], 0, 0],
                false => durations.units,
            },
        };
    }
    match notice.ask {
        Ask::Step(step) => Action::Step {
            category: notice.class() as u8,
            less: step.less,
            rate_bps: step.rate.0,
        },
        Ask::Stop(_) | Ask::Limit(..) | Ask::Own(_) => Action::Standing {
            classes: notice.classes,
            quanta: notice.quanta(),
            rate_bps: notice.rate().map(|rate| rate.0),
            named,
            map: notice.map(),
        },
    }
}
