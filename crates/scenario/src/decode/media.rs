//! Media that nodes share, which are 802.11 here (`links/tdma.rs` has frames of slots), and the stations on them.

use backwater_sim::limit::Limit;
use backwater_sim::medium::access::CATEGORIES;
use backwater_sim::medium::wifi::mac::category::{
    AccessMode, AfterCollision, Countdown, MacSpec, Protection,
};
use backwater_sim::medium::wifi::phy::aggregate::Bounds;
use backwater_sim::medium::wifi::phy::mode::{Coding, Format, Guard, Mode};
use backwater_sim::medium::wifi::phy::standard::{Answer, Phy, Standard};
use backwater_sim::medium::wifi::spec::{Aggregation, Edition, High, RateControl};
use backwater_sim::spec::{CategorySpec, MediumSpec, NodeKind, StationSpec};
use backwater_transport::part::Args;
use backwater_transport::units::{Rate, Span};

use super::channel::{self, channel};
use super::record::Record;
use super::served;
use super::settings::{capacity, place};
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::network::{MEDIA, WIFI};
use crate::files::Files;
use crate::options::missing;
use crate::shape::Field;
use crate::tree::Node;
use crate::wireless::modes;
use crate::{names, wireless};

/// TXOP limits of the access categories with OFDM, the lowest first. 802.11-2020, Table 9-155.
const TXOPS: [Span; 4] = [
    Span::micros(2528),
    Span::micros(2528),
    Span::micros(4096),
    Span::micros(2080),
];

/// Header and FCS of the frame of an A-MSDU, a delimiter and its padding, and what one packet less has around it: a bound that its length keeps.
const AROUND_A_MSDU: u64 = 64;

/// Default buffer of a station's access category: S0.
const DEFAULT_BUFFER: Limit = Limit::Packets(100);

/// The 802.11 media in the order of their names.
pub fn media(top: &Record<'_>, files: &mut Files<'_>) -> Result<Vec<MediumSpec>, Diagnostic> {
    let mut media = Vec::new();
    if let Some(written) = top.get("media") {
        for entry in written.table()? {
            names::check("medium", &entry.key).map_err(|f| f.at(&entry.origin))?;
            let (kind, record) = Record::variant(&entry.node, MEDIA, Some(WIFI), files)?;
            if kind == WIFI {
                media.push(medium(&entry.key, &record, files)?);
            }
        }
    }
    media.sort_by(|a, b| names::order(&a.name, &b.name));
    Ok(media)
}

fn medium(
    name: &str,
    record: &Record<'_>,
    files: &mut Files<'_>,
) -> Result<MediumSpec, Diagnostic> {
    let (phy_node, mac_node) = channel::written_out(record)?;
    let (phy, high) = phy(&phy_node, files)?;
    let (mac, high) = mac(&mac_node, phy.standard, high, files)?;
    let channel = channel(record.need("channel"), files)?;
    Ok(MediumSpec {
        name: name.to_owned(),
        phy,
        mac,
        channel,
        high,
    })
}

/// The mode of 802.11n and later; none for older standards. Refuses what the standard does not have.
fn mode(node: &Node, args: &Args) -> Result<Option<Mode>, Diagnostic> {
    let standard = args.choice("standard");
    let format = Format::ALL.into_iter().find(|f| f.name() == standard);
    for entry in node.table()? {
        let key = entry.key.as_str();
        let (foreign, other) = match format {
            Some(_) => (key == "data", "802.11a"),
            None => (modes::OF_MODES.contains(&key), "802.11n"),
        };
        if foreign {
            let what = format!("`{}.{key}`: {standard} has no `{key}`", node.path);
            let fix = format!("remove it, or write standard = \"{other}\"");
            return Err(Fault::new(what, &fix).at(&entry.origin));
        }
    }
    let Some(format) = format else {
        return match args.has("data") {
            true => Ok(None),
            false => {
                let help = "rate of data frames";
                Err(node.refuse(missing("data", help, "\"54 Mbit/s\"", &node.path)))
            }
        };
    };
    if !args.has("mcs") {
        let help = "modulation and code of data frames";
        return Err(node.refuse(missing("mcs", help, "7", &node.path)));
    }
    let width = args.choice("width").trim_end_matches(" MHz");
    let guard = Guard::ALL
        .into_iter()
        .find(|g| g.name() == args.choice("guard"));
    let small = |name: &str| u8::try_from(args.count(name)).expect("a bounded count");
    Ok(Some(Mode {
        format,
        width: width.parse().expect("a choice in MHz"),
        mcs: small("mcs"),
        streams: small("streams"),
        guard: guard.expect("a choice that all guard intervals are"),
        coding: match args.choice("coding") {
            "BCC" => Coding::Bcc,
            "LDPC" => Coding::Ldpc,
            _ => format.codings()[0],
        },
    }))
}

fn phy(node: &Node, files: &mut Files<'_>) -> Result<(Phy, Option<High>), Diagnostic> {
    let args = Record::read(node, wireless::PHY, &[], files)?.args;
    let mode = mode(node, &args)?;
    let answer = match args.has("answer") {
        true => args.choice("answer"),
        false if mode.is_some() => "mandatory",
        false => "control",
    };
    let standard = match args.choice("standard") {
        "802.11b" => Standard::HrDsss,
        _ => Standard::Ofdm,
    };
    let phy = Phy {
        standard,
        data: match &mode {
            Some(mode) => mode.rate(),
            None => args.rate("data"),
        },
        control: match args.has("control") {
            true => args.rate("control"),
            false => Rate(standard.rates()[0]),
        },
        answer: match answer {
            "mandatory" => Answer::Mandatory,
            _ => Answer::Control,
        },
        short_preamble: args.choice("preamble") == "short",
        band: channel::band(node, &args, mode.as_ref())?,
    };
    let control = match args.choice("rate_control") {
        modes::IDEAL => RateControl::Ideal(args.share("ideal_loss")),
        modes::MINSTREL => RateControl::Minstrel(match args.choice("edition") {
            modes::NS3 => Edition::Ns3,
            _ => Edition::Linux,
        }),
        _ => RateControl::Off,
    };
    for (key, of, why) in [
        ("ideal_loss", modes::IDEAL, "aims at a loss"),
        ("edition", modes::MINSTREL, "has editions"),
    ] {
        let entry = node.table()?.iter().find(|entry| entry.key == key);
        if let (true, Some(entry)) = (args.choice("rate_control") != of, entry) {
            let what = format!("`{}.{key}`: only rate_control = \"{of}\" {why}", node.path);
            let fix = format!("remove it, or write rate_control = \"{of}\"");
            return Err(Fault::new(what, &fix).at(&entry.origin));
        }
    }
    let high = mode.map(|mode| High {
        mode,
        control,
        aggregation: None,
    });
    Ok((phy, high))
}

/// How stations aggregate; none where each frame goes alone.
fn aggregation(
    node: &Node,
    args: &Args,
    high: Option<&High>,
) -> Result<Option<Aggregation>, Diagnostic> {
    let kind = args.choice("aggregation");
    let on = kind != "off";
    for entry in node.table()? {
        let key = entry.key.as_str();
        let of = modes::OF_AGGREGATES.iter().find(|(name, _)| *name == key);
        if let Some((_, kinds)) = of
            && !kinds.contains(&kind)
        {
            let what = match on {
                false => format!(
                    "`{}.{key}`: without aggregation there is no `{key}`",
                    node.path
                ),
                true => format!(
                    "`{}.{key}`: aggregation = \"{kind}\" has no `{key}`",
                    node.path
                ),
            };
            let fix = format!("remove it, or write aggregation = \"{}\"", kinds[0]);
            return Err(Fault::new(what, &fix).at(&entry.origin));
        }
    }
    if on && high.is_none() {
        let what = format!(
            "`{}`: radios up to 802.11g have no A-MPDU and no A-MSDU",
            node.path
        );
        let fix = "remove `aggregation`, or write a standard from 802.11n on in `phy`";
        return Err(node.refuse(Fault::new(what, fix)));
    }
    let Some(High { mode, .. }) = high.filter(|_| on) else {
        return Ok(None);
    };
    let window = match args.has("ba_window") {
        true => u16::try_from(args.count("ba_window")).expect("a bounded count"),
        false => mode.format.longest_window(),
    };
    let mut bounds = Bounds::of(mode.format, window);
    if args.has("aggregate_bytes") {
        bounds.bytes = bounds.bytes.min(args.bytes("aggregate_bytes").0);
    }
    bounds.time = args.span("aggregate_time");
    let spacing = args.choice("mpdu_spacing").trim_end_matches(" us");
    let micros = spacing.parse::<f64>().expect("a choice in microseconds");
    bounds.apart = Span((micros * 1e6) as u64);
    let alone = kind == modes::A_MSDU;
    let msdu = match kind {
        modes::A_MPDU => 0,
        _ => args.bytes("amsdu_bytes").0,
    };
    if alone {
        bounds.bytes = msdu + AROUND_A_MSDU;
    }
    Ok(Some(Aggregation {
        window,
        bounds,
        msdu,
        alone,
        asks: args.choice("missed_ba") == "bar",
        reorder: Some(args.span("reorder_timeout")).filter(|span| *span > Span::ZERO && !alone),
    }))
}

fn mac(
    node: &Node,
    standard: Standard,
    high: Option<High>,
    files: &mut Files<'_>,
) -> Result<(MacSpec, Option<High>), Diagnostic> {
    let record = Record::read(node, wireless::MAC, &[], files)?;
    let args = &record.args;
    let aggregation = aggregation(node, args, high.as_ref())?;
    // Under block acknowledgement frames are not given up for their failures, but for their age.
    let by_age = aggregation.as_ref().is_some_and(|limits| !limits.alone);
    let default = by_age.then_some(Span::millis(500));
    let lifetime = args.has("lifetime").then(|| args.span("lifetime"));
    let access = match args.choice("access") {
        "dcf" => AccessMode::Dcf,
        _ => AccessMode::Edca,
    };
    let count = |name: &str| u32::try_from(args.count(name)).expect("at most 255");
    let mut categories = access.defaults(standard.window());
    if args.choice("txop") == "standard" {
        for (set, limit) in categories.iter_mut().zip(TXOPS) {
            set.txop = limit;
        }
    }
    if let Some(node) = record.get("ac") {
        let specs = category_specs(node, wireless::CATEGORY, files)?;
        for (set, written) in categories.iter_mut().zip(specs) {
            *set = written.over(*set);
        }
    }
    let mac = MacSpec {
        access,
        rts_above: match args.choice("rts") {
            "on" => args.bytes("rts_above").0,
            _ => u64::MAX,
        },
        retry_short: count("retry_short"),
        retry_long: count("retry_long"),
        after_collision: match args.choice("after_collision") {
            "difs" => AfterCollision::Difs,
            "eifs" => AfterCollision::Eifs,
            _ => AfterCollision::Timeout,
        },
        countdown: match (args.choice("countdown"), access) {
            ("idle-slot", _) | ("standard", AccessMode::Dcf) => Countdown::IdleSlot,
            _ => Countdown::Boundary,
        },
        nav_reset: args.flag("nav_reset"),
        protection: match args.choice("nav") {
            wireless::WHOLE_TXOP => Protection::Multiple,
            _ => Protection::Single,
        },
        lifetime: lifetime.or(default),
        categories,
    };
    let high = high.map(|high| High {
        aggregation,
        ..high
    });
    Ok((mac, high))
}

/// The values that are written of each access category, lowest first.
fn category_specs(
    node: &Node,
    fields: &'static [Field],
    files: &mut Files<'_>,
) -> Result<[CategorySpec; 4], Diagnostic> {
    let record = Record::read(node, wireless::CATEGORIES, &[], files)?;
    let mut specs = [CategorySpec::default(); 4];
    for (spec, name) in specs.iter_mut().zip(CATEGORIES) {
        let Some(node) = record.get(name) else {
            continue;
        };
        let record = Record::read(node, fields, &[], files)?;
        let args = &record.args;
        let count = |name: &str| args.has(name).then(|| args.count(name) as u32);
        *spec = CategorySpec {
            aifsn: count("aifsn").map(|n| n as u8),
            cw_min: count("cw_min"),
            cw_max: count("cw_max"),
            txop: args.has("txop").then(|| args.span("txop")),
            buffer: record.get("buffer").map(capacity).transpose()?,
        };
    }
    Ok(specs)
}

/// A station with its radios; `media` are those of the scenario in order.
pub fn station(
    record: &Record<'_>,
    media: &[MediumSpec],
    files: &mut Files<'_>,
) -> Result<NodeKind, Diagnostic> {
    let at = place(record.need("at"))?;
    let mut radios = vec![station_at(record, at, media, files)?];
    if let Some(node) = record.get("radios") {
        for entry in node.table()? {
            let radio = Record::read(&entry.node, wireless::RADIO, &[], files)?;
            radios.push(station_at(&radio, at, media, files)?);
        }
    }
    Ok(NodeKind::Station(radios))
}

/// The same at a place that is known.
pub fn station_at(
    record: &Record<'_>,
    at: [f64; 2],
    media: &[MediumSpec],
    files: &mut Files<'_>,
) -> Result<StationSpec, Diagnostic> {
    let args = &record.args;
    let named = record.need("medium");
    let name = named.text()?;
    let Some(medium) = media.iter().position(|m| m.name == name) else {
        let what = format!("`{}`: there is no medium `{name}`", named.path);
        let valid = media.iter().map(|m| m.name.as_str());
        return Err(named.refuse(Fault::unknown(what, name, valid)));
    };
    let categories = match record.get("ac") {
        Some(node) => category_specs(node, wireless::STATION_CATEGORY, files)?,
        None => [CategorySpec::default(); 4],
    };
    Ok(StationSpec {
        mode: served::mode(record, &media[medium])?,
        serving: served::serving(record)?,
        medium,
        at,
        buffer: record.get("buffer").map_or(Ok(DEFAULT_BUFFER), capacity)?,
        own_share: args.share("own_share"),
        in_turn: args.choice("queue") == wireless::IN_TURN,
        aqm: None,
        rate: args.has("rate").then(|| args.rate("rate")),
        categories,
    })
}
