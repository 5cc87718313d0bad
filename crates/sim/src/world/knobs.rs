//! Numbers of queues, detectors and stations that a caller moves between two events. What has been decided stays: a packet that was
//! marked, a neighbour that was stopped, a backoff that runs.

use super::World;
use crate::ids::{ControlId, PortId};
use crate::knob::{Knob, Place, Range};
use crate::mechanism::place::Place as Watched;
use crate::queue::Aqm;
use crate::spec::Unchangeable;

fn refuse<T>(what: String, fix: &'static str) -> Result<T, Unchangeable> {
    Err(Unchangeable { what, fix })
}

impl World {
    /// The bounds of a knob.
    ///
    /// # Errors
    /// There is no such knob there.
    pub fn range(&mut self, place: &Place, option: &str) -> Result<Range, Unchangeable> {
        if let Place::Category(node, category) = place {
            return self.media.range(node, category, option);
        }
        let knob = match place {
            Place::Queue(port) => self.queue_knob(*port),
            Place::Mechanism(..) => {
                let first = self.watchers(place).first().copied();
                first.and_then(|(control, at)| self.shared.mechanisms.controls[control].knob(at))
            }
            Place::Category(..) => None,
        };
        let Some(knob) = knob else {
            let what = format!("nothing here has an option `{option}` that may move in a run");
            return refuse(what, OPTIONS);
        };
        if knob.name != option {
            let what = format!("`{option}` can't move in a run; `{}` can", knob.name);
            return refuse(what, OPTIONS);
        }
        let (low, high, now) = (knob.low, knob.high, knob.now());
        Ok(Range { low, high, now })
    }

    /// Moves a knob whose range is known.
    pub fn turn(&mut self, place: &Place, value: f64) {
        let now = self.clock.now;
        match place {
            Place::Queue(port) => {
                // The port first replays the algorithm's timers that have fallen due.
                self.shared.catch_up(*port, now);
                if let Some(knob) = self.queue_knob(*port) {
                    knob.turn(value);
                }
            }
            Place::Mechanism(..) => {
                for (control, at) in self.watchers(place) {
                    let controls = &mut self.shared.mechanisms.controls;
                    let watched = controls[control].place(at);
                    if let Some(knob) = controls[control].knob(at) {
                        knob.turn(value);
                    }
                    let Watched::Egress(port) = watched else {
                        continue;
                    };
                    if let Some(buffer) = self.shared.network.ports[port].buffer.count() {
                        controls[control].pass_below_the_mark(at, buffer);
                    }
                }
            }
            Place::Category(node, category) => {
                let run = &mut self.shared.run;
                self.media.turn(run, (node, category), value, now);
            }
        }
        self.end_event(now);
    }

    fn queue_knob(&mut self, port: PortId) -> Option<Knob<'_>> {
        let managed = self.shared.network.ports[port].more.managed.as_mut()?;
        managed.aqm.knob()
    }

    /// Who watches for a mechanism, and where.
    fn watchers(&self, place: &Place) -> Vec<(ControlId, usize)> {
        let Place::Mechanism(number, ports) = place else {
            return Vec::new();
        };
        let controls = &self.shared.mechanisms.controls;
        let of = |id: ControlId| {
            let control = &controls[id];
            let mine = move |(_, watched): &(usize, Watched)| match watched {
                Watched::Egress(port) | Watched::Ingress(port) => ports.contains(port),
                Watched::Attachment(_) => control.number() == *number,
            };
            control.places().filter(mine).map(move |(at, _)| (id, at))
        };
        controls.ids().flat_map(of).collect()
    }
}

const OPTIONS: &str = "write ports.NAME.queue.target (of pie: reference), mechanisms.NAME.high (of ingress-watermark: xoff) \
                       or nodes.NAME.ac.BE.aifsn";
