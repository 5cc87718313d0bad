//! Pauses: from when to when a port of a wire might not send frames of some classes, all of them or those to some destinations. A pause
//! that is renewed before its time is over is one pause.

use std::collections::BTreeMap;

use backwater_sim::books::Stop;
use backwater_sim::ids::PortId;
use backwater_sim::world::World;
use backwater_transport::units::Time;
use serde_json::{Value, json};

/// The pauses of a run so far.
#[derive(Clone, Default)]
pub struct Pauses {
    /// By port and class: since when, and up to when as things stand.
    open: BTreeMap<(PortId, usize), (Time, Time)>,
    /// Those that are over: since when, where, up to when, and the classes as bits.
    over: BTreeMap<(Time, PortId, Time), u8>,
}

impl Pauses {
    /// The gates of a port have changed.
    pub fn note(&mut self, stop: &Stop) {
        for (class, until) in stop.until.into_iter().enumerate() {
            let place = (stop.port, class);
            let begun = match self.open.get(&place) {
                Some((begun, end)) if stop.at <= *end => Some(*begun),
                _ => None,
            };
            if begun.is_none() || until <= stop.at {
                self.close(place, stop.at);
            }
            if until > stop.at {
                self.open.insert(place, (begun.unwrap_or(stop.at), until));
            }
        }
    }

    /// A pause that is open at a place ends when its time is over, or now.
    fn close(&mut self, place: (PortId, usize), now: Time) {
        if let Some((begun, end)) = self.open.remove(&place) {
            *self.over.entry((begun, place.0, end.min(now))).or_default() |= 1 << place.1;
        }
    }

    /// All pauses up to `end`, in the order of their beginnings.
    pub fn document(mut self, world: &World, end: Time) -> Value {
        let open: Vec<(PortId, usize)> = self.open.keys().copied().collect();
        for place in open {
            self.close(place, end);
        }
        let rows = self.over.iter().map(|((begun, port, until), classes)| {
            let classes = (0..8).filter(|class| classes >> class & 1 == 1);
            json!({
                "port": world.network().ports[*port].more.name,
                "classes": classes.collect::<Vec<u8>>(),
                "from_s": begun.seconds(),
                "to_s": until.seconds(),
            })
        });
        rows.collect()
    }
}
