//! A world that Python drives: packets in, time forward, fates out.

use std::sync::{Arc, Mutex, MutexGuard};

use backwater_sim::altered::{Fact, Numbered};
use backwater_sim::ids::{ConnectionId, FlowId, NodeId};
use backwater_sim::world::{self as native, Fate, Injected};
use backwater_transport::segment::Ecn;
use backwater_transport::units::{Bytes, Span, Time};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::scenario::{Resolved, faulty, refuse};

/// Names of codepoints.
const ECN: [(&str, Ecn); 4] = [
    ("not-ect", Ecn::NotEct),
    ("ect0", Ecn::Ect0),
    ("ect1", Ecn::Ect1),
    ("ce", Ecn::Ce),
];

/// A simulated network in the middle of a run.
#[pyclass(module = "backwater._native", frozen)]
pub struct World {
    world: Mutex<native::World>,
    scenario: Arc<backwater_scenario::Resolved>,
    /// Flows whose controllers may do something wrong.
    foreign: Vec<ConnectionId>,
}

/// The fate of an injected packet.
#[pyclass(module = "backwater._native", frozen, get_all)]
pub struct Exit {
    at_ps: u64,
    node: String,
    flow: String,
    tag: u64,
    ecn: &'static str,
    cause: Option<&'static str>,
}

impl World {
    fn lock(&self) -> MutexGuard<'_, native::World> {
        self.world
            .lock()
            .unwrap_or_else(|broken| broken.into_inner())
    }

    /// Refuses to go on where a controller did something wrong.
    fn sound(&self, world: &native::World) -> PyResult<()> {
        match self.scenario.failed(world, &self.foreign) {
            Some(failed) => Err(faulty(&failed)),
            None => Ok(()),
        }
    }
}

/// Packets that are spared, packets that are not marked, acknowledgements with the round trip they tell in ps, and whether
/// facts are listed.
type Alterations = (
    Vec<(String, u32)>,
    Vec<(String, u32)>,
    Vec<(String, u32, u64)>,
    bool,
);

/// An event (`lost`, `marked` or `round-trip`), its instant in ps, the packet's flow and number, the cause and the port of a
/// loss or the port of a mark, and a round trip in ps.
type SeenFact = (&'static str, u64, String, u32, &'static str, String, u64);

fn numbered(world: &native::World, flow: &str, seq: u32) -> PyResult<Numbered> {
    let mut flows = world.network().flows.iter();
    let found = flows.position(|one| one.name == flow);
    let number = found.ok_or_else(|| PyKeyError::new_err(flow.to_owned()))?;
    let flow = FlowId::new(number);
    Ok(Numbered { flow, seq })
}

/// Makes single facts of a world otherwise from its present on.
fn alter(world: &mut native::World, by: &Alterations) -> PyResult<()> {
    let (spared, unmarked, round_trips, listed) = by;
    let spared: PyResult<Vec<_>> = spared.iter().map(|(f, n)| numbered(world, f, *n)).collect();
    let unmarked: PyResult<Vec<_>> = unmarked
        .iter()
        .map(|(f, n)| numbered(world, f, *n))
        .collect();
    let round_trips: PyResult<Vec<_>> = round_trips
        .iter()
        .map(|(f, n, ps)| Ok((numbered(world, f, *n)?, Span(*ps))))
        .collect();
    let (spared, unmarked, round_trips) = (spared?, unmarked?, round_trips?);
    let altered = world.alter();
    altered.spared.extend(spared);
    altered.unmarked.extend(unmarked);
    altered.round_trips.extend(round_trips);
    altered.seen = listed.then(Vec::new);
    Ok(())
}

fn node(world: &native::World, name: &str) -> PyResult<NodeId> {
    let found = world.node(name);
    found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
}

#[pymethods]
impl World {
    /// The world of a scenario, at its beginning.
    #[staticmethod]
    fn of(resolved: &Resolved) -> PyResult<World> {
        if let Some(part) = resolved.scenario.hosted().next() {
            let what = format!(
                "`{}` is a class of Python, which a world cannot copy",
                part.path
            );
            let fix = "take a part of the tables, or run the scenario by `backwater run`";
            return Err(refuse(&resolved.scenario.refuse(&part.path, &what, fix)));
        }
        let world = resolved.scenario.build().map_err(|d| refuse(&d))?;
        Ok(World {
            foreign: world.foreign(),
            world: Mutex::new(world),
            scenario: Arc::new(resolved.scenario.clone()),
        })
    }

    #[getter]
    fn now_ps(&self) -> u64 {
        self.lock().now().0
    }

    #[getter]
    fn end_ps(&self) -> u64 {
        self.lock().end().0
    }

    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:016x}", self.lock().fingerprint())
    }

    fn next_due(&self) -> Option<u64> {
        self.lock().next_due().map(|at| at.0)
    }

    fn advance(&self, py: Python<'_>, to_ps: u64) -> PyResult<()> {
        py.detach(|| {
            let mut world = self.lock();
            if Time(to_ps) < world.now() {
                let what = format!("{} lies before {}, the present", Time(to_ps), world.now());
                return Err(PyValueError::new_err(what));
            }
            world.advance(Time(to_ps));
            self.sound(&world)
        })
    }

    /// Advances until so many frames wait at some ports together, or to an instant; true where the level was reached.
    fn advance_until(
        &self,
        py: Python<'_>,
        ports: Vec<String>,
        level: u64,
        to_ps: u64,
    ) -> PyResult<bool> {
        let mut ids = Vec::new();
        for name in ports {
            let found = self.lock().network().port_named(&name);
            ids.push(found.ok_or_else(|| PyKeyError::new_err(name))?);
        }
        py.detach(|| {
            let mut world = self.lock();
            if Time(to_ps) < world.now() {
                let what = format!("{} lies before {}, the present", Time(to_ps), world.now());
                return Err(PyValueError::new_err(what));
            }
            let reached = world.advance_until(&ids, level, Time(to_ps));
            self.sound(&world)?;
            Ok(reached)
        })
    }

    /// Counters and gauges at the present.
    fn probe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = backwater_scenario::probe(&mut self.lock());
        crate::trial::probe(py, &found)
    }

    #[pyo3(signature = (at_ps, source, *, to, length_B, traffic_class = 0, ecn = "not-ect", flow_hash = None, tag = 0))]
    #[expect(clippy::too_many_arguments, reason = "as Python passes them")]
    #[allow(non_snake_case, reason = "names end in their unit")]
    fn inject(
        &self,
        at_ps: u64,
        source: &str,
        to: &str,
        length_B: u64,
        traffic_class: u8,
        ecn: &str,
        flow_hash: Option<u32>,
        tag: u64,
    ) -> PyResult<()> {
        let mut world = self.lock();
        let codepoint = ECN.iter().find(|(name, _)| *name == ecn);
        let Some((_, ecn)) = codepoint else {
            let what = format!("{ecn:?} is no codepoint; write not-ect, ect0, ect1 or ce");
            return Err(PyValueError::new_err(what));
        };
        let packet = Injected {
            to: node(&world, to)?,
            class: traffic_class,
            len: Bytes(length_B),
            ecn: *ecn,
            hash: flow_hash,
            tag,
        };
        let from = node(&world, source)?;
        let taken = world.inject(Time(at_ps), from, packet);
        taken.map_err(|why| PyValueError::new_err(why.to_string()))?;
        Ok(())
    }

    /// The fates of injected packets since the last call.
    fn exits(&self) -> Vec<Exit> {
        let mut world = self.lock();
        let exits = world.take_exits();
        let name = |ecn: Ecn| {
            ECN.iter()
                .find(|(_, e)| *e == ecn)
                .map_or("", |(name, _)| *name)
        };
        let of = |exit: native::Exit| Exit {
            at_ps: exit.at.0,
            node: world.network().nodes[exit.node].name.clone(),
            flow: world.network().flows[exit.flow].name.clone(),
            tag: exit.tag,
            ecn: name(exit.ecn),
            cause: match exit.fate {
                Fate::Delivered => None,
                Fate::Copied => Some("copied"),
                Fate::Dropped(cause) => Some(cause.name()),
            },
        };
        exits.into_iter().map(of).collect()
    }

    /// A copy that shares nothing with this world, from now on as another scenario says where there is one, and with other
    /// random streams where it is reseeded, which may draw again what waits, with changes that come as numbers, with controllers that begin anew, and with single
    /// facts made otherwise.
    #[pyo3(signature = (to = None, reseed = None, by = None, patches = None, fresh = None))]
    fn fork(
        &self,
        to: Option<&Resolved>,
        reseed: Option<(u64, bool)>,
        by: Option<Alterations>,
        patches: Option<Vec<Bound<'_, PyTuple>>>,
        fresh: Option<Vec<String>>,
    ) -> PyResult<World> {
        let mut world = self.lock().clone();
        let scenario = match to {
            None => self.scenario.clone(),
            Some(to) => {
                let changed = self.scenario.change(&mut world, &to.scenario);
                changed.map_err(|d| refuse(&d))?;
                Arc::new(to.scenario.clone())
            }
        };
        for written in patches.iter().flatten() {
            let patch = crate::trial::patch(written)?;
            let patched = scenario.patch(&mut world, &[patch]);
            patched.map_err(|d| refuse(&d))?;
        }
        if let Some(rows) = fresh {
            let begun = scenario.begin_controllers(&mut world, &rows);
            begun.map_err(|d| refuse(&d))?;
        }
        if let Some((by, redraw)) = reseed {
            world.reseed(by);
            if redraw {
                world.redraw(by);
            }
        }
        if let Some(by) = by {
            alter(&mut world, &by)?;
        }
        Ok(World {
            foreign: world.foreign(),
            world: Mutex::new(world),
            scenario,
        })
    }

    /// Facts since somebody asked for them, in order.
    fn facts(&self) -> Vec<SeenFact> {
        let world = self.lock();
        let seen = world.altered().and_then(|altered| altered.seen.as_ref());
        let network = world.network();
        let of = |one: &backwater_sim::altered::Seen| -> SeenFact {
            let flow = network.flows[one.packet.flow].name.clone();
            let port = |id| network.ports[id].more.name.clone();
            let (what, cause, place, ps) = match one.fact {
                Fact::Lost(cause, at) => ("lost", cause.name(), port(at), 0),
                Fact::Marked(at) => ("marked", "", port(at), 0),
                Fact::RoundTrip(span) => ("round-trip", "", String::new(), span.0),
            };
            (what, one.at.0, flow, one.packet.seq, cause, place, ps)
        };
        seen.map_or(Vec::new(), |seen| seen.iter().map(of).collect())
    }

    /// Packets that were to be spared and were lost nevertheless: by something that cannot spare them.
    fn unspared(&self) -> Vec<(String, u32)> {
        let world = self.lock();
        let name = |one: &Numbered| (world.network().flows[one.flow].name.clone(), one.seq);
        let altered = world.altered();
        altered.map_or(Vec::new(), |a| a.unspared.iter().map(name).collect())
    }

    /// The document of a run, as `run` gives it at the end of the scenario.
    fn document(&self) -> PyResult<String> {
        let mut world = self.lock();
        let document = self.scenario.document(&mut world).ok_or_else(|| {
            PyValueError::new_err(format!(
                "sums are those of a whole run: the present is {}, the end {}",
                world.now(),
                world.end()
            ))
        })?;
        Ok(document.to_string())
    }
}
