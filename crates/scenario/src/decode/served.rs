//! How a station serves its neighbours, and modes of single stations.

use backwater_sim::spec::{AirtimeLimits, MediumSpec, Mode, Serving, Turn};
use backwater_transport::units::Span;

use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::wireless::{self, serving};

/// The mode of a station's data frames, where it has its own.
pub fn mode(record: &Record<'_>, medium: &MediumSpec) -> Result<Option<Mode>, Diagnostic> {
    let args = &record.args;
    let small = |name: &str| u8::try_from(args.count(name)).expect("a bounded count");
    let Some(named) = ["mcs", "streams"].into_iter().find(|name| args.has(name)) else {
        return Ok(None);
    };
    let Some(high) = &medium.high else {
        let what = format!(
            "`{}.{named}`: stations up to 802.11g have no `{named}`",
            record.node.path
        );
        let fix = "remove it, or write a standard from 802.11n on in the medium's phy";
        return Err(record.node.refuse(Fault::new(what, fix)));
    };
    let own = |name: &str, medium: u8| if args.has(name) { small(name) } else { medium };
    Ok(Some(Mode {
        mcs: own("mcs", high.mode.mcs),
        streams: own("streams", high.mode.streams),
        ..high.mode
    }))
}

/// Whom a station serves, and what waits where.
pub fn serving(record: &Record<'_>) -> Result<Serving, Diagnostic> {
    let args = &record.args;
    let each = args.choice("managed") == serving::NEIGHBOUR;
    let turn = match args.has("serve") {
        true => args.choice("serve"),
        false if each => serving::IN_TURNS,
        false => serving::OLDEST,
    };
    let refuse = |what: &str, fix: &str| {
        let what = format!("`{}`: {what}", record.node.path);
        Err(record.node.refuse(Fault::new(what, fix)))
    };
    if each && turn == serving::OLDEST {
        return refuse(
            "queues of different neighbours have no common order of arrival",
            "write serve = \"turns\" or serve = \"airtime\", or managed = \"category\"",
        );
    }
    if each && args.has("driver_queue") {
        return refuse(
            "where queue management is each neighbour's, packets leave it when they are sent, and none wait behind it",
            "remove driver_queue, or write managed = \"category\"",
        );
    }
    if args.choice("queue") == wireless::IN_TURN && (each || turn != serving::OLDEST) {
        return refuse(
            "queue = \"round-robin\" takes turns by flow, and serve and managed by neighbour",
            "remove one of them",
        );
    }
    Ok(Serving {
        turn: match turn {
            serving::IN_TURNS => Turn::RoundRobin,
            serving::AIRTIME => Turn::Airtime(args.span("airtime_quantum")),
            _ => Turn::Oldest,
        },
        each,
        driver: args
            .has("driver_queue")
            .then(|| u32::try_from(args.count("driver_queue")).expect("a bounded count")),
        airtime: airtime(record, each)?,
    })
}

/// For how long packets may wait behind the queues of neighbours.
fn airtime(record: &Record<'_>, each: bool) -> Result<Option<AirtimeLimits>, Diagnostic> {
    let args = &record.args;
    let refuse = |what: &str, fix: &str| {
        let what = format!("`{}`: {what}", record.node.path);
        Err(record.node.refuse(Fault::new(what, fix)))
    };
    let others = ["airtime_limit_high", "airtime_total"];
    if !args.has("airtime_limit") {
        return match others.into_iter().find(|name| args.has(name)) {
            Some(_) => refuse(
                "airtime_limit_high and airtime_total say when airtime_limit does not count, and there is none",
                "write airtime_limit = \"5 ms\" too, or remove them",
            ),
            None => Ok(None),
        };
    }
    if !each {
        return refuse(
            "airtime_limit bounds what has left the queue of each neighbour, and all have one queue",
            "write managed = \"neighbour\", or a driver_queue instead",
        );
    }
    let low = args.span("airtime_limit");
    let or = |name: &str, default: Span| {
        if args.has(name) {
            args.span(name)
        } else {
            default
        }
    };
    let high = or(others[0], low.max(Span::millis(12)));
    if high < low {
        return refuse(
            "airtime_limit_high counts while little waits, and is less than airtime_limit",
            "write at least airtime_limit, or remove it",
        );
    }
    let total = or(others[1], Span::millis(24));
    Ok(Some(AirtimeLimits { low, high, total }))
}

/// The mode of each station, where they have their own.
pub fn modes(
    record: &Record<'_>,
    medium: &MediumSpec,
    of_all: Option<Mode>,
    stations: u64,
) -> Result<Vec<Mode>, Diagnostic> {
    let lists = [("station_mcs", "13"), ("station_streams", "8")];
    let mut read = [Vec::new(), Vec::new()];
    for ((name, most), list) in lists.into_iter().zip(&mut read) {
        let Some(node) = record.get(name) else {
            continue;
        };
        if medium.high.is_none() {
            let what = format!("`{}`: stations up to 802.11g have no MCS", node.path);
            let fix = "remove it, or write a standard from 802.11n on in the medium's phy";
            return Err(node.refuse(Fault::new(what, fix)));
        }
        for item in node.list()? {
            let number = item.text()?.parse::<u8>().map_err(|_| {
                let what = format!("`{}`: this is no number", item.path);
                let fix = format!("write a number up to {most}, such as \"1\"");
                item.refuse(Fault::new(what, &fix))
            })?;
            list.push(number);
        }
    }
    let [mcs, streams] = read;
    let Some(base) = medium.high.map(|high| of_all.unwrap_or(high.mode)) else {
        return Ok(Vec::new());
    };
    if mcs.is_empty() && streams.is_empty() {
        return Ok(Vec::new());
    }
    let nth = |list: &[u8], i: u64, base: u8| match list.len() as u64 {
        0 => base,
        len => list[(i % len) as usize],
    };
    let mode = |i: u64| Mode {
        mcs: nth(&mcs, i, base.mcs),
        streams: nth(&streams, i, base.streams),
        ..base
    };
    Ok((0..stations).map(mode).collect())
}
