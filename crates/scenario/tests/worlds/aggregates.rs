//! Media of 802.11n and later: modes, and what stations send together.

use serde_json::{Value, json};

use super::super::dice::Dice;

/// Makes a medium one of 802.11n or later, mostly with aggregates.
pub(super) fn modern(dice: &mut Dice<'_>, medium: &mut Value) {
    let standards = ["802.11n", "802.11ac", "802.11ax", "802.11be"];
    let standard = *dice.of(&standards);
    let width = *dice.of(&["20 MHz", "40 MHz"]);
    let phy = &mut medium["phy"];
    *phy = json!({"standard": standard, "width": width, "mcs": dice.below(8), "streams": 1 + dice.below(2)});
    if dice.once_in(3) {
        phy["control"] = json!(*dice.of(&["6 Mbit/s", "24 Mbit/s"]));
    }
    if medium["channel"]["model"] == "physical" {
        let words = ["off", "off", "ideal", "minstrel-ht"];
        medium["phy"]["rate_control"] = json!(*dice.of(&words));
        if dice.once_in(2) {
            medium["channel"]["fading"] = json!("rayleigh");
            medium["channel"]["coherence"] = json!("5 ms");
        }
    }
    let mac = &mut medium["mac"];
    let words = ["a-mpdu", "a-mpdu", "both", "a-msdu", "off"];
    let aggregation = *dice.of(&words);
    mac["aggregation"] = json!(aggregation);
    if aggregation == "off" {
        return;
    }
    mac["access"] = json!("edca");
    if ["both", "a-msdu"].contains(&aggregation) && dice.once_in(2) {
        mac["amsdu_bytes"] = json!(*dice.of(&["400 B", "2000 B", "3839 B"]));
    }
    if aggregation == "a-msdu" {
        return;
    }
    let draws: [(&str, &[&str]); 5] = [
        ("missed_ba", &["data", "data", "bar"]),
        ("reorder_timeout", &["0 s", "100 us", "2 ms"]),
        ("mpdu_spacing", &["0.5 us", "8 us", "16 us"]),
        ("aggregate_bytes", &["4 kB", "20 kB"]),
        ("aggregate_time", &["400 us", "2 ms"]),
    ];
    for (name, words) in draws {
        if dice.once_in(3) {
            mac[name] = json!(*dice.of(words));
        }
    }
    if dice.once_in(2) {
        mac["ba_window"] = json!(*dice.of(&[1, 2, 5, 16, 64]));
    }
}

/// Lets stations of such a medium have queue management for each neighbour or before a driver, where the dice say so.
pub(super) fn queues(dice: &mut Dice<'_>, medium: &Value) -> Option<Value> {
    let modern = medium["phy"].get("mcs").is_some();
    (modern && dice.once_in(3))
        .then(|| json!({"queue": {"kind": *dice.of(&["fq-codel", "codel"])}}))
}

/// Lets a station of such a medium have a mode of its own, and say whom it serves next.
pub(super) fn station(dice: &mut Dice<'_>, medium: &Value, managed: bool, station: &mut Value) {
    let phy = &medium["phy"];
    let Some(most) = phy["mcs"].as_u64() else {
        return;
    };
    let chosen = phy.get("rate_control").is_none_or(|how| how == "off");
    if chosen && dice.once_in(3) {
        station["mcs"] = json!(dice.below(most as usize + 1));
    }
    if dice.once_in(3) {
        station["serve"] = json!(*dice.of(&["turns", "airtime"]));
    }
    match dice.below(4) {
        0 => station["driver_queue"] = json!(1 + dice.below(40)),
        1 if managed => station["managed"] = json!("neighbour"),
        2 if managed => {
            station["managed"] = json!("neighbour");
            station["airtime_limit"] = json!(*dice.of(&["300 us", "5 ms"]));
        }
        _ => {}
    }
}
