//! What the bytes of a frame on the air are made of: a frame of the simulation as `backwater_wire::wifi` describes one.

use backwater_transport::units::Time;
use backwater_wire::wifi::{self, AROUND, Action, Channel};

use crate::mechanism::notice::{Ask, Form, Notice};
use crate::medium::wifi::air::{Medium, NOBODY};
use crate::medium::wifi::air_log::{AirFrame, Body, Fate};
use crate::medium::wifi::mac::frame::FrameKind;
use crate::medium::wifi::phy::standard::{Band, Standard};

/// Appends one frame on `medium` to `out`. `node` is the node of a station, `ip` the IP packet that a data
/// frame carries.
pub fn write(
    out: &mut Vec<u8>,
    medium: &Medium,
    frame: &AirFrame,
    node: impl Fn(u32) -> u32,
    ip: &[u8],
) {
    let phy = &medium.phy;
    let one_queue = medium.mac.access.categories() == 1;
    let body = match (frame.kind, &frame.body) {
        (FrameKind::Rts, _) => wifi::Body::Rts,
        (FrameKind::Cts, _) => wifi::Body::Cts,
        (FrameKind::Ack, _) => wifi::Body::Ack,
        (_, Some(Body::Packet(_, category, fields))) => wifi::Body::Data {
            category: (!one_queue).then_some(*category),
            ip,
            numbers: &fields.numbers,
            notice: fields
                .notice
                .as_ref()
                .map(|(notice, named)| (action(notice, named, one_queue), management_size(notice))),
        },
        (_, Some(Body::Notice(notice, bytes, named))) => {
            wifi::Body::Management(action(notice, named, one_queue), *bytes)
        }
        (FrameKind::Data | FrameKind::Group, None) => {
            unreachable!("such a frame carries something")
        }
        (FrameKind::BlockAck | FrameKind::Bar, None) => {
            unreachable!("frames of a medium with aggregation are not kept")
        }
    };
    let Time(first_bit) = frame.at + phy.preamble();
    let described = wifi::Frame {
        first_bit_us: first_bit / 1_000_000,
        // Rates of 802.11n and later are not among those of the field.
        rate: (medium.high.is_none() || phy.standard.rates().contains(&frame.rate.0))
            .then_some((frame.rate.0 / 500_000) as u8),
        channel: match (phy.standard, phy.band) {
            (Standard::HrDsss, _) => Channel::Cck,
            (Standard::Ofdm, Band::Ghz2) => Channel::OfdmBelow3Ghz,
            (Standard::Ofdm, Band::Ghz5) => Channel::OfdmAt5Ghz,
            (Standard::Ofdm, Band::Ghz6) => Channel::OfdmAt6Ghz,
        },
        short_preamble: phy.short_preamble,
        lost: frame.fate == Fate::Lost,
        to: (frame.to != NOBODY).then(|| node(frame.to)),
        from: node(frame.from),
        // Rounded up. 9.2.4.2.
        duration_us: frame.duration.0.div_ceil(1_000_000) as u16,
        retry: frame.retry,
        number: frame.number,
        body,
    };
    wifi::write(out, &described);
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

/// What a notice says about the hosts of these nodes. The one queue of DCF is that of best effort.
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
