//! Steps of collectives: below `collectives` a track for each rank that sends, and in it a slice for each step, from the instant at which
//! the rank may send to the delivery of the last byte. A rank whose step ends after its next one has begun has them in two lanes.

use std::collections::BTreeMap;

use backwater_sim::ends::Step;
use backwater_sim::ids::NodeId;
use backwater_sim::world::World;

use super::lanes::Lanes;
use super::tracks::{Note, Track, Tracks};

/// Tracks of the ranks, made as they begin to send.
#[derive(Default)]
pub struct Steps {
    root: Option<Track>,
    /// By row of the scenario and sending host.
    ranks: BTreeMap<(String, NodeId), (Track, Lanes)>,
    rows: BTreeMap<String, Track>,
}

impl Steps {
    /// Adds steps that have ended, in the order of their ends.
    pub fn extend(&mut self, tracks: &mut Tracks, world: &World, steps: &[Step]) {
        for step in steps {
            let network = world.network();
            let flow = &network.flows[step.flow];
            let mut parts = flow.name.split('/');
            let row = parts.next().unwrap_or_default();
            // A flow of a ring has all steps of its rank; where ranks change partners, its name ends with the step.
            let number = match parts.nth(1).and_then(|n| n.parse::<u64>().ok()) {
                Some(first) => first + step.number,
                None => step.number,
            };
            let to = flow.path.last().map_or("", |port| world.far_name(*port));
            let root = *self
                .root
                .get_or_insert_with(|| tracks.track("collectives", None, None));
            let of = *self
                .rows
                .entry(row.to_owned())
                .or_insert_with(|| tracks.track(row, Some(root), None));
            let rank = &network.nodes[flow.from].name;
            let (track, lanes) = self
                .ranks
                .entry((row.to_owned(), flow.from))
                .or_insert_with(|| (tracks.track(rank, Some(of), None), Lanes::default()));
            let span = (step.begun, step.ended);
            let lane = lanes.take(tracks, (*track, "steps"), span);
            let notes = [(Note::Number, number), (Note::Size, step.bytes)];
            let name = format!("step {number} to {to}");
            tracks.slice(span, lane, &name, &notes);
        }
    }
}
