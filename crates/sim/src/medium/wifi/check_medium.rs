//! Refuses media that no radio has: rates, modes, windows, thresholds.

use backwater_transport::units::{Rate, Span};

use crate::medium::access::{CATEGORIES, Category};
use crate::medium::wifi::air::Medium;
use crate::medium::wifi::mac::category::{AccessMode, Protection};
use crate::medium::wifi::phy::aggregate::{Growing, least_part};
use crate::medium::wifi::phy::channel::ChannelSpec;
use crate::medium::wifi::phy::mode::Mode;
use crate::medium::wifi::phy::mode_errors;
use crate::medium::wifi::phy::physical::FLOOR;
use crate::medium::wifi::phy::standard::{self, Standard};
use crate::medium::wifi::radio::Radio;
use crate::medium::wifi::spec::{High, RateControl};
use crate::spec::{MediumSpec, Refusal};
use crate::world::build::refuse;

pub(super) fn check_window(set: Category, path: &str) -> Result<(), Refusal> {
    if set.cw_min > set.cw_max {
        let what = format!(
            "the smallest contention window ({}) exceeds the largest ({})",
            set.cw_min, set.cw_max
        );
        return refuse(
            format!("{path}.cw_min"),
            what,
            "write cw_min no larger than cw_max",
        );
    }
    if set.aifsn == 0 {
        let what = "AIFSN is at least 1";
        return refuse(
            format!("{path}.aifsn"),
            what,
            "write an AIFSN from 1 to 255",
        );
    }
    Ok(())
}

/// IP bytes of the packet of the shortest exchange: a header.
const SHORTEST: u64 = 20;

/// Bytes of its MPDU.
const SHORTEST_MPDU: u64 = SHORTEST + standard::OVERHEAD + standard::QOS;

/// A TXOP that has room for an exchange.
pub(super) fn check_txop(medium: &Medium, txop: Span, path: &str) -> Result<(), Refusal> {
    let rate = match &medium.high {
        Some(high) => high.mode.rate(),
        None => Rate(*medium.phy.standard.rates().last().expect("rates")),
    };
    let shortest = medium.exchange(SHORTEST, rate) + medium.delta.times(2);
    if txop == Span::ZERO || txop >= shortest {
        return Ok(());
    }
    let micros = |span: Span| span.0 as f64 / 1e6;
    let (limit, needed) = (micros(txop), micros(shortest));
    refuse(
        format!("{path}.txop"),
        format!("a TXOP of {limit} us is shorter than the shortest exchange, of {needed} us"),
        format!("write at least {needed} us, or 0 s for one exchange"),
    )
}

/// Where every TXOP is one exchange there is nothing more to reserve.
pub(super) fn check_protection<'a>(
    medium: &Medium,
    mut radios: impl Iterator<Item = &'a Radio>,
) -> Result<(), Refusal> {
    let has_txop = |radio: &Radio| radio.categories.iter().any(|c| c.set.txop > Span::ZERO);
    if medium.mac.protection == Protection::Single || radios.any(has_txop) {
        return Ok(());
    }
    refuse(
        format!("media.{}.mac.nav", medium.name),
        "no category of its stations has a TXOP that frames could reserve",
        "write txop = \"standard\", or a `txop` in `ac`; or remove `nav`",
    )
}

pub(super) fn check_station_rate(
    medium: &MediumSpec,
    rate: Rate,
    path: &str,
) -> Result<(), Refusal> {
    if medium.high.is_some() {
        let what = format!(
            "stations of {} send by the mode of their medium, which has a rate of {} bit/s",
            medium.name, medium.phy.data.0
        );
        return refuse(path, what, "remove it, or write the mode of the medium");
    }
    check_rate(medium, rate, path)
}

/// A station has a mode of its own.
pub(super) fn check_station_mode(
    medium: &MediumSpec,
    mode: &Mode,
    path: &str,
) -> Result<(), Refusal> {
    let high = medium.high.as_ref();
    if high.is_some_and(|high| high.control != RateControl::Off) {
        let what = format!(
            "stations of {} choose the mode of each frame, up to that of the medium",
            medium.name
        );
        let fix = "remove it, or write rate_control = \"off\" in the medium's phy";
        return refuse(format!("{path}.mcs"), what, fix);
    }
    check_mode(medium, mode, path)?;
    match high {
        Some(high) => check_spacing(
            &High {
                mode: *mode,
                ..*high
            },
            &format!("media.{}", medium.name),
        ),
        None => Ok(()),
    }
}

/// A mode that its standard has, and the channel errors of.
fn check_mode(medium: &MediumSpec, mode: &Mode, path: &str) -> Result<(), Refusal> {
    if let Err(no) = mode.checked() {
        return refuse(format!("{path}.{}", no.option), no.what, no.fix);
    }
    if let (ChannelSpec::Physical(_), None) = (&medium.channel, mode_errors::row(mode)) {
        let what = format!(
            "the physical channel has no errors of MCS {} of {}",
            mode.mcs,
            mode.format.name()
        );
        let fix = "write MCS 11 or less, or model = \"disc\"";
        return refuse(format!("{path}.mcs"), what, fix);
    }
    Ok(())
}

fn check_rate(medium: &MediumSpec, rate: Rate, path: &str) -> Result<(), Refusal> {
    let rates = medium.phy.standard.rates();
    if rates.contains(&rate.0) {
        return Ok(());
    }
    let listed: Vec<String> = rates
        .iter()
        .map(|r| format!("{}", *r as f64 / 1e6))
        .collect();
    let is_of = |standard: &Standard| standard.rates().contains(&rate.0);
    let what = match Standard::ALL.into_iter().find(is_of) {
        Some(other) => format!(
            "{} bit/s is a rate of {}, and the stations of {} are of {}, which does not understand it",
            rate.0,
            other.named(),
            medium.name,
            medium.phy.standard.named()
        ),
        None => format!("{} bit/s is no rate of this radio", rate.0),
    };
    let fix = format!("write one of {} Mbit/s", listed.join(", "));
    refuse(path, what, fix)
}

/// Two frames with the least distance that is asked for fit an A-MPDU.
fn check_spacing(high: &High, path: &str) -> Result<(), Refusal> {
    let Some(limits) = high.aggregation.filter(|limits| !limits.alone) else {
        return Ok(());
    };
    let two = |apart: Span| {
        let least = least_part(apart, high.mode.rate());
        let one = Growing::default().with(SHORTEST_MPDU, least);
        one.with(SHORTEST_MPDU, least)
    };
    let holds = |apart: Span| {
        let all = two(apart);
        all.bytes() <= limits.bounds.bytes && high.mode.airtime(all.bytes()) <= limits.bounds.time
    };
    if holds(limits.bounds.apart) {
        return Ok(());
    }
    let what = format!(
        "two frames that begin {} us after each other take {} B at {} bit/s, and no A-MPDU of this medium holds them",
        limits.bounds.apart.0 as f64 / 1e6,
        two(limits.bounds.apart).bytes(),
        high.mode.rate().0
    );
    let (option, fix) = match holds(Span::ZERO) {
        true => (
            "mpdu_spacing",
            "write a shorter mpdu_spacing, or larger aggregate_bytes and aggregate_time",
        ),
        false => (
            "aggregate_time",
            "write larger aggregate_bytes and aggregate_time, or aggregation = \"off\"",
        ),
    };
    refuse(format!("{path}.mac.{option}"), what, fix)
}

/// The modes of 802.11n and later, and what they need.
fn check_high(medium: &MediumSpec, high: &High, path: &str) -> Result<(), Refusal> {
    check_mode(medium, &high.mode, &format!("{path}.phy"))?;
    let name = high.mode.format.name();
    if medium.mac.access == AccessMode::Dcf {
        let what = format!("stations of {name} have four access categories");
        return refuse(
            format!("{path}.mac.access"),
            what,
            "write access = \"edca\"",
        );
    }
    if let Some(limits) = high.aggregation {
        let most = high.mode.format.longest_window();
        if limits.window > most {
            let what = format!(
                "{name} has no block acknowledgement of {} frames",
                limits.window
            );
            let fix = format!("write at most {most}");
            return refuse(format!("{path}.mac.ba_window"), what, fix);
        }
        let most = high.mode.format.longest_msdu(limits.alone);
        if limits.msdu > most {
            let what = format!("{name} has no A-MSDU of {} B here", limits.msdu);
            let fix = format!("write at most {most} B");
            return refuse(format!("{path}.mac.amsdu_bytes"), what, fix);
        }
    }
    check_spacing(high, path)?;
    if let (ChannelSpec::Disc(_), RateControl::Ideal(_)) = (&medium.channel, high.control) {
        return refuse(
            format!("{path}.phy.rate_control"),
            "the unit disc has no SNR by which stations could choose a mode",
            "write rate_control = \"off\", or model = \"physical\"",
        );
    }
    Ok(())
}

pub(super) fn check_medium(medium: &MediumSpec) -> Result<(), Refusal> {
    let path = format!("media.{}", medium.name);
    let phy = &medium.phy;
    let most = match &medium.high {
        None => {
            check_rate(medium, phy.data, &format!("{path}.phy.data"))?;
            phy.data
        }
        Some(high) => {
            check_high(medium, high, &path)?;
            high.mode.reference()
        }
    };
    check_rate(medium, phy.control, &format!("{path}.phy.control"))?;
    if phy.control > most {
        return refuse(
            format!("{path}.phy.control"),
            format!(
                "control frames at {} bit/s are faster than data at {} bit/s",
                phy.control.0, most.0
            ),
            "write a control rate that is no faster than `data`: who understands the data understands their answers",
        );
    }
    let slowest = phy.standard.rates()[0];
    if phy.short_preamble && phy.control.0 == slowest {
        return refuse(
            format!("{path}.phy.preamble"),
            "a short preamble has no 1 Mbit/s (the short format of IEEE 802.11b starts at 2 Mbit/s), and control frames use it",
            "write control = \"2 Mbit/s\", or preamble = \"long\"",
        );
    }
    if let ChannelSpec::Disc(disc) = &medium.channel
        && disc.sense < disc.transmit
    {
        return refuse(
            format!("{path}.channel.sense"),
            format!(
                "a frame is understood within {} m and sensed within {} m only",
                disc.transmit, disc.sense
            ),
            "write a `sense` that is no less than `transmit`",
        );
    }
    for (name, set) in CATEGORIES.iter().zip(medium.mac.categories) {
        check_window(set, &format!("{path}.mac.ac.{name}"))?;
    }
    let ChannelSpec::Physical(channel) = &medium.channel else {
        return Ok(());
    };
    for (name, dbm) in [
        ("energy_detect", channel.energy_detect),
        ("preamble_detect", channel.preamble_detect),
    ] {
        let least = channel.noise + FLOOR;
        if dbm < least {
            let what =
                format!("frames that arrive below {least} dBm, far in the noise, are left out");
            let fix = format!("write at least {least} dBm");
            return refuse(format!("{path}.channel.{name}"), what, fix);
        }
    }
    Ok(())
}
