//! The part of a run's document about 802.11: stations, and the options under which results hold.

use backwater_sim::cause::Cause;
use backwater_sim::medium::wifi::mac::category::Protection;
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::radio::{Radio, StationCount};
use backwater_sim::spec::MediumSpec;
use backwater_sim::world::{FlowReport, ReceiverRow, Report, World};
use serde_json::{Map, Value, json};

use crate::canonical::media::{access, after_collision, answer, countdown};
use crate::wireless;

/// Ticks in a second.
const TICKS: f64 = 1e12;

/// Gauges of the category of each class: frames that wait, the contention window in slots, and AIFSN.
const GAUGES: [[&str; 3]; 4] = [
    ["waiting_pkts_class0", "cw_class0", "aifsn_class0"],
    ["waiting_pkts_class1", "cw_class1", "aifsn_class1"],
    ["waiting_pkts_class2", "cw_class2", "aifsn_class2"],
    ["waiting_pkts_class3", "cw_class3", "aifsn_class3"],
];

/// The readings under which results hold. Of several media each has its name before its own.
pub fn labels(media: &[MediumSpec]) -> Map<String, Value> {
    let mut labels = Map::new();
    for medium in media {
        let prefix = match media.len() {
            1 => String::new(),
            _ => format!("{}.", medium.name),
        };
        let mac = &medium.mac;
        let rts = match mac.rts_above {
            u64::MAX => json!("off"),
            bytes => json!(format!("above {bytes} B")),
        };
        for (name, value) in [
            ("access", json!(access(mac.access))),
            (
                "after_collision",
                json!(after_collision(mac.after_collision)),
            ),
            ("countdown", json!(countdown(mac.countdown))),
            ("nav_reset", json!(mac.nav_reset)),
            ("retry_long", json!(mac.retry_long)),
            ("retry_short", json!(mac.retry_short)),
            ("rts", rts),
        ] {
            labels.insert(format!("{prefix}mac.{name}"), value);
        }
        if mac.protection == Protection::Multiple {
            labels.insert(format!("{prefix}mac.nav"), json!(wireless::WHOLE_TXOP));
        }
        if let Some(lifetime) = mac.lifetime {
            let seconds = format!("{} s", lifetime.seconds());
            labels.insert(format!("{prefix}mac.lifetime"), json!(seconds));
        }
        labels.insert(
            format!("{prefix}phy.answer"),
            json!(answer(medium.phy.answer)),
        );
        let (model, capture) = match &medium.channel {
            ChannelSpec::Disc(disc) => ("disc", disc.capture),
            ChannelSpec::Physical(physical) => ("physical", physical.capture),
        };
        let capture = capture.map_or(json!("off"), |db| json!(format!("{db} dB")));
        labels.insert(format!("{prefix}channel.model"), json!(model));
        labels.insert(format!("{prefix}channel.capture"), capture);
    }
    labels
}

/// Rows of the stations, in the scenario's order.
pub fn stations(world: &World, report: &Report, window: f64) -> Value {
    let row = |(radio, count): (&Radio, &StationCount)| {
        let ticks = window * TICKS;
        let used = radio.categories.len();
        let share = |part: u64, all: u64| (all > 0).then(|| part as f64 / all as f64);
        let mut row = json!({
            "id": radio.name,
            "airtime": count.airtime as f64 / ticks,
            "busy": count.busy as f64 / ticks,
            "frames": count.frames,
            "attempts": count.attempts,
            "collision": share(count.failures, count.attempts),
            "internal_collisions": count.internal,
            "retry_drops_pkts": count.retry_drops,
            "management_pkts": count.management,
            "aifsn_mean": count.aifsn[..used].iter().map(|a| *a as f64 / ticks).collect::<Vec<_>>(),
        });
        if world.air().media[radio.medium as usize].aggregates() {
            let toward = &count.toward;
            row["airtime_toward"] = json!(toward.airtime as f64 / ticks);
            row["ppdu_frames_toward"] = json!(share(toward.frames, toward.ppdus));
        }
        row
    };
    world
        .air()
        .radios
        .iter()
        .zip(&report.stations)
        .map(row)
        .collect()
}

/// Counters of the stations from the beginning of the run on, and gauges of their categories.
pub fn probed(world: &World) -> Vec<(String, Vec<(&'static str, f64)>)> {
    let row = |(radio, count): (&Radio, StationCount)| {
        let mut row = vec![
            ("airtime_s", count.airtime as f64 / TICKS),
            ("busy_s", count.busy as f64 / TICKS),
            ("frames", count.frames as f64),
            ("attempts", count.attempts as f64),
            ("failures", count.failures as f64),
            ("internal_collisions", count.internal as f64),
            ("retry_drops_pkts", count.retry_drops as f64),
            ("management_pkts", count.management as f64),
        ];
        for (category, names) in radio.categories.iter().zip(&GAUGES) {
            let values = [category.frames, category.cw, category.set.aifsn.into()];
            row.extend(names.iter().copied().zip(values.map(f64::from)));
        }
        (radio.name.clone(), row)
    };
    let radios = world.air().radios.iter();
    radios.zip(world.counts_from_beginning()).map(row).collect()
}

/// The packets of a flow that each station of its group received.
pub fn receivers(world: &World, flow: &FlowReport) -> Value {
    let entered = flow.sums.entered.packets;
    let row = |r: &ReceiverRow| {
        json!({
            "station": world.network().nodes[r.node].name,
            "delivered_pkts": r.packets,
            "delivery_ratio": (entered > 0).then(|| (r.packets - r.early) as f64 / entered as f64),
        })
    };
    flow.receivers.iter().map(row).collect()
}

/// Loss in a network in bit/s: packets lost at their first node; packets lost after one hop or more; the latter weighted by the
/// hops made; and of these, packets lost for want of room.
pub fn losses(world: &World, report: &Report, window: f64) -> [(String, Value); 4] {
    let [mut local, mut intra, mut weighted, mut no_room] = [0.0; 4];
    for drop in &report.drops {
        let (cause, place, flow, _) = drop.key;
        let path = &world.network().flows[flow].path;
        // A late packet has made the hop over which it came too late.
        let hops =
            path.iter().position(|p| *p == place).unwrap_or(0) + usize::from(cause == Cause::Late);
        let bits = 8.0 * drop.count.bytes as f64;
        match hops {
            0 => local += bits,
            _ => intra += bits,
        }
        weighted += bits * hops as f64;
        if cause == Cause::BufferFull {
            no_room += bits * hops as f64;
        }
    }
    [
        ("local_loss_bps", local),
        ("intra_mesh_loss_bps", intra),
        ("weighted_intra_mesh_loss_bps", weighted),
        ("weighted_intra_mesh_buffer_loss_bps", no_room),
    ]
    .map(|(name, bits)| (name.to_owned(), json!(bits / window)))
}
