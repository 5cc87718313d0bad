//! AIFSN of a station over time.

use std::collections::BTreeMap;

use backwater_sim::ids::NodeId;
use backwater_sim::medium::Radio;
use backwater_sim::record::Record;
use backwater_sim::world::World;
use backwater_transport::units::Time;
use serde_json::{Map, Value, json};

/// When AIFSN of each category became what.
#[derive(Clone, Default)]
pub struct OfStation {
    moves: [Vec<(Time, u64)>; 4],
}

impl OfStation {
    /// AIFSN of a category is new.
    pub fn moved(&mut self, record: &Record) {
        self.moves[usize::from(record.traffic.class())].push((record.at, record.value));
    }

    /// Means over the intervals with these ends, by category; `None` is a station that nothing has moved.
    pub fn document(of: Option<&OfStation>, radio: &Radio, ends: &[Time]) -> Value {
        let one = radio.written.iter().enumerate().map(|(number, first)| {
            let moves = of.map_or(&[][..], |of| &of.moves[number]);
            let means = means(u64::from(first.aifsn), moves, ends);
            (format!("aifsn_mean_class{number}"), json!(means))
        });
        Value::Object(one.collect::<Map<_, _>>())
    }
}

/// The series of all stations, by name.
pub fn document(
    world: &World,
    stations: &BTreeMap<NodeId, OfStation>,
    ends: &[Time],
) -> Map<String, Value> {
    let radios = world.air().radios.iter();
    let named = radios.map(|radio| {
        let of = stations.get(&radio.node);
        (radio.name.clone(), OfStation::document(of, radio, ends))
    });
    named.collect()
}

fn means(first: u64, moves: &[(Time, u64)], ends: &[Time]) -> Vec<f64> {
    let (mut value, mut from, mut begin) = (first, Time::ZERO, Time::ZERO);
    let mut moves = moves.iter().peekable();
    let each = ends.iter().map(|end| {
        let mut area = 0;
        while let Some((at, to)) = moves.next_if(|(at, _)| at < end) {
            area += u128::from(at.since(from).0) * u128::from(value);
            (value, from) = (*to, *at);
        }
        area += u128::from(end.since(from).0) * u128::from(value);
        let width = end.since(begin).0;
        (begin, from) = (*end, *end);
        area as f64 / width as f64
    });
    each.collect()
}
