//! The ways of flows over radio hops, as drawings show them: rates, time for a packet, and who senses whom. And the powers at
//! which stations hear each other.

use backwater_sim::medium::wifi::air::NOBODY;
use backwater_sim::medium::wifi::phy::channel::ChannelSpec;
use backwater_sim::medium::wifi::radio::{Hop, Radio};
use backwater_sim::world::World;
use serde_json::{Map, Value, json};

use crate::resolved::Resolved;

/// The flows that radios alone carry, to one station each.
pub fn ways(resolved: &Resolved, world: &World) -> Value {
    let packets = resolved.spec().flows;
    let flows = world.network().flows.0.iter().filter_map(|flow| {
        let packet = packets.iter().find(|one| one.name == flow.name)?.packet;
        let hops: Option<Vec<Value>> = flow
            .path
            .iter()
            .map(|port| {
                let hop = world.air().hop(*port).filter(|hop| hop.to != NOBODY)?;
                Some(json!({
                    "from": name(world, hop.from),
                    "to": name(world, hop.to),
                    "rate_bps": hop.rate.0,
                    "cycle_s": cycle(world, hop, packet.0),
                }))
            })
            .collect();
        Some(json!({ "flow": flow.name, "hops": hops? }))
    });
    let senses = world
        .air()
        .reach
        .iter()
        .enumerate()
        .map(|(station, links)| {
            let sensed = links.iter().filter(|link| link.senses);
            let names: Vec<&str> = sensed.map(|link| name(world, link.to)).collect();
            (name(world, station as u32).to_owned(), json!(names))
        });
    json!({
        "flows": flows.collect::<Vec<_>>(),
        "senses": senses.collect::<Map<_, _>>(),
    })
}

/// The power in dBm at which each station's frames arrive at those that they reach or disturb; no station of a unit disc,
/// which knows no powers.
pub fn powers(world: &World) -> Value {
    let stations = (0..world.air().radios.len() as u32).filter_map(|station| {
        let ChannelSpec::Physical(channel) = &world.air().medium(station).channel else {
            return None;
        };
        let powers = world.air().powers(station).map(|(to, times)| {
            let dbm = channel.noise + 10.0 * libm::log10(times);
            (name(world, to).to_owned(), json!(dbm))
        });
        Some((
            name(world, station).to_owned(),
            Value::Object(powers.collect()),
        ))
    });
    Value::Object(stations.collect())
}

fn name(world: &World, station: u32) -> &str {
    &world.air().radios[station as usize].name
}

/// Seconds from packet to packet of a station that is alone: AIFS, the mean backoff and the exchange.
fn cycle(world: &World, hop: &Hop, bytes: u64) -> f64 {
    let radio: &Radio = &world.air().radios[hop.from as usize];
    let medium = &world.air().media[radio.medium as usize];
    let first = &radio.written[0];
    let slots = f64::from(first.aifsn) + f64::from(first.cw_min) / 2.0;
    let wait = medium.sifs.seconds() + slots * medium.slot.seconds();
    medium.exchange(bytes, hop.rate).seconds() + wait
}
