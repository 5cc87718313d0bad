//! The canonical form of media and stations.

use std::collections::BTreeMap;

use backwater_sim::medium::access::{CATEGORIES, Category};
use backwater_sim::medium::wifi::mac::category::{
    AccessMode, AfterCollision, Countdown, Protection,
};
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::phy::fading::Law;
use backwater_sim::medium::wifi::phy::mode::{Format, Mode};
use backwater_sim::medium::wifi::phy::physical::Physical;
use backwater_sim::medium::wifi::phy::standard::{Answer, Band, Standard};
use backwater_sim::medium::wifi::spec::{Aggregation, Edition, RateControl};
use backwater_sim::spec::{CategorySpec, MediumSpec, Serving, StationSpec, Turn};
use serde_json::{Value, json};

use super::{Json, buffer, object};
use crate::wireless::{self, modes};

pub(super) fn medium(medium: &MediumSpec) -> Json {
    let (phy, mac) = (&medium.phy, &medium.mac);
    let standard = match (&medium.high, phy.standard) {
        (Some(high), _) => high.mode.format.name(),
        (None, Standard::HrDsss) => "802.11b",
        (None, Standard::Ofdm) => "802.11a",
    };
    let mut form = object([
        ("standard", Json::text(standard)),
        ("data_bps", Json::rate(phy.data)),
        ("control_bps", Json::rate(phy.control)),
        ("answer", Json::text(answer(phy.answer))),
        ("short_preamble", Json::Flag(phy.short_preamble)),
    ]);
    if let (Json::Object(fields), Some(high)) = (&mut form, &medium.high) {
        fields.insert("mode".to_owned(), mode(&high.mode));
        control(high.control, fields);
        // Left out where it was before there was a choice, so that hashes of scenarios stay.
        if phy.band != Band::Ghz5 {
            fields.insert("band".to_owned(), Json::text(phy.band.name()));
        }
    }
    let phy = form;
    let count = |n: u32| Json::count(u64::from(n));
    let set = |(name, c): (&&str, &Category)| {
        let category = object([
            ("aifsn", Json::count(u64::from(c.aifsn))),
            ("cw_min", count(c.cw_min)),
            ("cw_max", count(c.cw_max)),
            ("txop_s", Json::time(c.txop)),
        ]);
        ((*name).to_owned(), category)
    };
    let rts = match mac.rts_above {
        u64::MAX => Json::Flag(false),
        bytes => Json::count(bytes),
    };
    let mut mac = object([
        ("access", Json::text(access(mac.access))),
        ("rts_above_B", rts),
        ("retry_short", count(mac.retry_short)),
        ("retry_long", count(mac.retry_long)),
        (
            "after_collision",
            Json::text(after_collision(mac.after_collision)),
        ),
        ("countdown", Json::text(countdown(mac.countdown))),
        ("nav_reset", Json::Flag(mac.nav_reset)),
        (
            "lifetime_s",
            mac.lifetime.map_or(Json::Flag(false), Json::time),
        ),
        (
            "ac",
            CATEGORIES.iter().zip(&mac.categories).map(set).collect(),
        ),
    ]);
    let aggregation = medium.high.as_ref().and_then(|high| high.aggregation);
    if let (Json::Object(fields), Some(limits)) = (&mut mac, aggregation) {
        fields.insert("aggregation".to_owned(), aggregates(&limits));
    }
    if let (Json::Object(fields), Protection::Multiple) = (&mut mac, medium.mac.protection) {
        fields.insert("nav".to_owned(), Json::text(wireless::WHOLE_TXOP));
    }
    object([
        ("phy", phy),
        ("mac", mac),
        ("channel", channel(&medium.channel)),
    ])
}

/// How stations choose their modes.
fn control(control: RateControl, fields: &mut BTreeMap<String, Json>) {
    let ideal = match control {
        RateControl::Off | RateControl::Minstrel(_) => Json::Flag(false),
        RateControl::Ideal(loss) => Json::real(loss),
    };
    fields.insert("ideal_loss".to_owned(), ideal);
    if let RateControl::Minstrel(edition) = control {
        fields.insert("rate_control".to_owned(), Json::text(modes::MINSTREL));
        if edition == Edition::Ns3 {
            fields.insert("edition".to_owned(), Json::text(modes::NS3));
        }
    }
}

/// How stations aggregate.
fn aggregates(limits: &Aggregation) -> Json {
    let asks = if limits.asks { "bar" } else { "data" };
    let mut form = object([
        ("ba_window", Json::count(u64::from(limits.window))),
        ("bytes_B", Json::count(limits.bounds.bytes)),
        ("time_s", Json::time(limits.bounds.time)),
        ("spacing_s", Json::time(limits.bounds.apart)),
        ("missed_ba", Json::text(asks)),
    ]);
    if let (Json::Object(fields), true) = (&mut form, limits.msdu > 0) {
        fields.insert("amsdu_B".to_owned(), Json::count(limits.msdu));
        fields.insert("mpdus_alone".to_owned(), Json::Flag(limits.alone));
    }
    if let (Json::Object(fields), Some(timeout)) = (&mut form, limits.reorder) {
        fields.insert("reorder_timeout_s".to_owned(), Json::time(timeout));
    }
    form
}

/// The modes of 802.11n and later for one spatial stream.
pub fn standards() -> Value {
    let row = |format: Format| {
        let all: Vec<Mode> = Mode::all(format)
            .filter(|mode| mode.streams == 1 && mode.coding == format.codings()[0])
            .collect();
        let first = |mode: &&Mode| mode.guard == format.guards()[0];
        let modes = all.iter().filter(first).map(|mode| {
            let same = |m: &&Mode| (m.mcs, m.width) == (mode.mcs, mode.width);
            let rates = all.iter().filter(same);
            let rates = rates.map(|m| (m.guard.name().to_owned(), json!(m.rate().0)));
            json!({
                "mcs": mode.mcs,
                "width_MHz": mode.width,
                "bits_per_symbol": mode.bits(),
                "reference_bps": mode.reference().0,
                "rates_bps": Value::Object(rates.collect()),
            })
        });
        json!({
            "id": format.name(),
            "aliases": [],
            "summary": format!(
                "modes for one spatial stream, up to {} streams; n streams carry n times the bits of a symbol",
                format.streams()
            ),
            "source": "IEEE 802.11-2020 19.5 and 21.5, 802.11ax-2021 27.5, 802.11be 36.5",
            "options": [],
            "modes": modes.collect::<Vec<_>>(),
        })
    };
    Format::ALL.into_iter().map(row).collect()
}

/// A mode of 802.11n and later.
fn mode(mode: &Mode) -> Json {
    object([
        ("width_MHz", Json::count(u64::from(mode.width))),
        ("mcs", Json::count(u64::from(mode.mcs))),
        ("streams", Json::count(u64::from(mode.streams))),
        ("guard", Json::text(mode.guard.name())),
        ("coding", Json::text(mode.coding.name())),
    ])
}

/// Name of a rule for answers.
pub fn answer(answer: Answer) -> &'static str {
    match answer {
        Answer::Control => "control",
        Answer::Mandatory => "mandatory",
    }
}

/// Name of a way of access.
pub fn access(mode: AccessMode) -> &'static str {
    match mode {
        AccessMode::Dcf => "dcf",
        AccessMode::Edca => "edca",
    }
}

/// Name of a rule.
pub fn after_collision(rule: AfterCollision) -> &'static str {
    match rule {
        AfterCollision::Timeout => "timeout",
        AfterCollision::Difs => "difs",
        AfterCollision::Eifs => "eifs",
    }
}

/// Name of a rule.
pub fn countdown(rule: Countdown) -> &'static str {
    match rule {
        Countdown::IdleSlot => "idle-slot",
        Countdown::Boundary => "boundary",
    }
}

fn channel(channel: &ChannelSpec) -> Json {
    match channel {
        ChannelSpec::Disc(disc) => object([
            ("model", Json::text("disc")),
            ("transmit_m", Json::real(disc.transmit)),
            ("sense_m", Json::real(disc.sense)),
            ("interfere_m", Json::real(disc.interfere)),
            (
                "capture",
                disc.capture.map_or(Json::Flag(false), Json::real),
            ),
            ("propagation_s", Json::time(disc.propagation)),
        ]),
        ChannelSpec::Physical(channel) => physical(channel),
    }
}

fn physical(physical: &Physical) -> Json {
    let mut form = object([
        ("model", Json::text("physical")),
        ("tx_power_dBm", Json::real(physical.tx_power)),
        ("noise_dBm", Json::real(physical.noise)),
        ("gain_dB", Json::real(physical.gain)),
        ("exponent", Json::real(physical.exponent)),
        ("shadowing_dB", Json::real(physical.shadowing)),
        (
            "shadowing_seed",
            physical
                .shadowing_seed
                .map_or(Json::Flag(false), Json::count),
        ),
        ("energy_detect_dBm", Json::real(physical.energy_detect)),
        ("preamble_detect_dBm", Json::real(physical.preamble_detect)),
        (
            "capture",
            physical.capture.map_or(Json::Flag(false), Json::real),
        ),
        ("fer_target", Json::real(physical.fer_target)),
        ("margin_dB", Json::real(physical.margin)),
        ("propagation_s", Json::time(physical.propagation)),
    ]);
    // Left out where nothing fades, so that hashes of scenarios stay.
    if let (Json::Object(fields), Some(fading)) = (&mut form, physical.fading) {
        let (name, value) = match fading.law {
            Law::Nakagami(shape) => ("nakagami_m", shape),
            Law::Rician(direct) => ("rician_k", direct),
        };
        let law = [
            (name, Json::real(value)),
            ("coherence_s", Json::time(fading.coherence)),
        ];
        fields.insert("fading".to_owned(), object(law));
    }
    form
}

/// A station: its first radio, and the others by their media.
pub(super) fn stations(radios: &[StationSpec], media: &[MediumSpec]) -> Json {
    let name = |radio: &StationSpec| media[radio.medium].name.as_str();
    let mut form = station(&radios[0], name(&radios[0]));
    let others = radios[1..]
        .iter()
        .map(|r| (name(r).to_owned(), station(r, name(r))));
    let others: BTreeMap<String, Json> = others.collect();
    if let (Json::Object(fields), false) = (&mut form, others.is_empty()) {
        fields.insert("radios".to_owned(), Json::Object(others));
    }
    form
}

fn station(station: &StationSpec, medium: &str) -> Json {
    let mut categories = BTreeMap::new();
    for (name, c) in CATEGORIES.iter().zip(&station.categories) {
        let fields = written(c);
        if !fields.is_empty() {
            categories.insert((*name).to_owned(), Json::Object(fields));
        }
    }
    let mut form = object([
        ("kind", Json::text("station")),
        ("medium", Json::text(medium)),
        (
            "at_m",
            Json::List(station.at.iter().map(|m| Json::real(*m)).collect()),
        ),
        buffer(station.buffer),
        ("own_share", Json::real(station.own_share)),
        ("in_turn", Json::Flag(station.in_turn)),
        ("ac", Json::Object(categories)),
    ]);
    if let Json::Object(fields) = &mut form {
        if let Some(rate) = station.rate {
            fields.insert("rate_bps".to_owned(), Json::rate(rate));
        }
        if let Some(own) = &station.mode {
            fields.insert("mode".to_owned(), mode(own));
        }
        // Left out where it is what stations did before there was a choice, so that hashes of scenarios stay.
        if station.serving != Serving::default() {
            fields.insert("serving".to_owned(), serving(&station.serving));
        }
    }
    form
}

/// Whom a station serves, and what waits where.
fn serving(serving: &Serving) -> Json {
    let turn = match serving.turn {
        Turn::Oldest => Json::text("oldest"),
        Turn::RoundRobin => Json::text("turns"),
        Turn::Airtime(quantum) => Json::time(quantum),
    };
    let driver = serving.driver.map(|packets| Json::count(packets.into()));
    let mut form = object([
        ("turn", turn),
        ("each", Json::Flag(serving.each)),
        ("driver_queue", driver.unwrap_or(Json::Flag(false))),
    ]);
    if let (Json::Object(fields), Some(limits)) = (&mut form, serving.airtime) {
        let spans = [
            ("airtime_limit_s", limits.low),
            ("airtime_limit_high_s", limits.high),
            ("airtime_total_s", limits.total),
        ];
        fields.extend(spans.map(|(name, span)| (name.to_owned(), Json::time(span))));
    }
    form
}

/// The fields that were written of an access category.
fn written(c: &CategorySpec) -> BTreeMap<String, Json> {
    let count = |n: u64| Json::count(n);
    let fields = [
        ("aifsn", c.aifsn.map(|n| count(u64::from(n)))),
        ("cw_min", c.cw_min.map(|n| count(u64::from(n)))),
        ("cw_max", c.cw_max.map(|n| count(u64::from(n)))),
        ("txop_s", c.txop.map(Json::time)),
    ];
    let mut made = BTreeMap::new();
    if let Some(limit) = c.buffer {
        let (name, value) = buffer(limit);
        made.insert(name.to_owned(), value);
    }
    let some = |(name, value): (&str, Option<Json>)| value.map(|v| (name.to_owned(), v));
    made.extend(fields.into_iter().filter_map(some));
    made
}
