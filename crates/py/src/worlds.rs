//! Many worlds whose controllers are told what to do, stepped together: numbers in, numbers out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use backwater_scenario::{Clock, Episode, Knob, Patch, SEEN, Stage};
use backwater_transport::units::Span;
use numpy::{PyReadonlyArray1, PyReadwriteArray1};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::pool::Pool;
use crate::scenario::{Resolved, refuse};
use crate::trial;

/// A place for a world.
#[derive(Default)]
struct Place {
    episode: Option<Episode>,
    stage: Option<Arc<Stage>>,
    fault: Option<String>,
    settings: Vec<f64>,
    seen: Vec<f64>,
    step: bool,
    begin: Option<Begin>,
}

/// How an episode begins.
struct Begin {
    stage: Arc<Stage>,
    patches: Vec<Patch>,
    clock: Clock,
    first: Span,
    /// Told before the first step, and steps that nobody sees.
    start: Vec<f64>,
    unseen: u64,
}

impl Place {
    /// Does what it was told to do. What goes wrong stays here.
    fn work(&mut self) {
        let worked = catch_unwind(AssertUnwindSafe(|| self.try_work()));
        self.fault = match worked {
            Ok(done) => done.err(),
            Err(panic) => {
                let text = panic.downcast_ref::<String>().cloned();
                let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                self.episode = None;
                Some(format!(
                    "defect of the engine: {}",
                    text.unwrap_or_default()
                ))
            }
        };
    }

    fn try_work(&mut self) -> Result<(), String> {
        if let Some(begin) = self.begin.take() {
            let made = begin.stage.begin(&begin.patches, begin.clock, begin.first);
            self.episode = None;
            let mut episode = made.map_err(|why| why.to_string())?;
            if begin.start.len() == 2 * episode.agents() {
                episode.tell(&begin.start);
            }
            for _ in 0..begin.unseen {
                episode.advance();
                episode.tell(&begin.start);
            }
            self.seen.resize(episode.agents() * SEEN.len(), 0.0);
            episode.look(&mut self.seen);
            sound(&episode, &begin.stage)?;
            self.episode = Some(episode);
            self.stage = Some(begin.stage);
        }
        if !std::mem::take(&mut self.step) {
            return Ok(());
        }
        let episode = self.episode.as_mut();
        let episode = episode.ok_or("it has no episode; reset it")?;
        if episode.ended() {
            return Err("its episode has ended; reset it".to_owned());
        }
        episode.tell(&self.settings);
        episode.advance();
        episode.look(&mut self.seen);
        match &self.stage {
            Some(stage) => sound(episode, stage),
            None => Ok(()),
        }
    }
}

/// Refuses to go on where a controller did something wrong.
fn sound(episode: &Episode, stage: &Stage) -> Result<(), String> {
    match episode.failed(stage) {
        Some(failed) => Err(failed.to_string()),
        None => Ok(()),
    }
}

/// Worlds that are stepped together.
#[pyclass(module = "backwater._native", frozen)]
pub struct Worlds {
    stages: Mutex<Vec<Arc<Stage>>>,
    pool: Pool<Vec<Place>>,
    count: usize,
    /// Worlds of a share, but perhaps of the last.
    each: usize,
    agents: usize,
    knobs: usize,
    busy: AtomicBool,
    process: u32,
}

/// Lets one thread at a time in.
struct Turn<'a>(&'a AtomicBool);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Worlds {
    fn turn(&self) -> PyResult<Turn<'_>> {
        if self.process != std::process::id() {
            let what = "these worlds were made in another process; make them after the fork";
            return Err(PyRuntimeError::new_err(what));
        }
        if self.busy.swap(true, Ordering::Acquire) {
            let what =
                "another thread is stepping these worlds; give each thread worlds of its own";
            return Err(PyRuntimeError::new_err(what));
        }
        Ok(Turn(&self.busy))
    }

    /// The share and the place in it of a world.
    fn place(&self, index: usize) -> PyResult<(usize, usize)> {
        if index >= self.count {
            let what = format!("there is no world {index}: there are {}", self.count);
            return Err(PyIndexError::new_err(what));
        }
        Ok((index / self.each, index % self.each))
    }

    fn with<R>(&self, index: usize, work: impl FnOnce(&mut Episode) -> R) -> PyResult<R> {
        let (share, at) = self.place(index)?;
        self.pool
            .with(share, |places| match &mut places[at].episode {
                Some(episode) => Ok(work(episode)),
                None => Err(PyValueError::new_err(format!(
                    "world {index} has no episode; reset it"
                ))),
            })
    }

    /// Lets all places do what they were told. Gives the faults.
    fn work(&self, py: Python<'_>) -> Vec<(usize, String)> {
        py.detach(|| {
            self.pool
                .all(|places| places.iter_mut().for_each(Place::work))
        });
        let mut faults = Vec::new();
        let mut first = 0;
        for share in 0..self.pool.shares() {
            self.pool.with(share, |places| {
                for (at, place) in places.iter_mut().enumerate() {
                    faults.extend(place.fault.take().map(|why| (first + at, why)));
                }
                first += places.len();
            });
        }
        faults
    }
}

/// Name, value, length of the first steps in ps, how many these are.
type Written = (String, f64, u64, u64);

fn clock((name, value, _, given): &Written) -> PyResult<Clock> {
    let value = *value;
    match name.as_str() {
        "every" if value >= 1.0 => Ok(Clock::Every(Span(value as u64))),
        "rtt" if value > 0.0 && value.is_finite() => Ok(Clock::RoundTrips(value, *given)),
        "round" => Ok(Clock::Rounds),
        "acks" if value >= 1.0 => Ok(Clock::Acks(value as u64)),
        _ => Err(PyValueError::new_err(format!(
            "{name:?} with {value} is no clock"
        ))),
    }
}

#[pymethods]
impl Worlds {
    /// Places for so many worlds of some scenarios, on so many threads, and the knobs that episodes move.
    #[new]
    fn new(
        resolved: Vec<Py<Resolved>>,
        count: usize,
        threads: usize,
        knobs: Vec<String>,
    ) -> PyResult<Worlds> {
        let mut stages = Vec::new();
        for one in resolved {
            let stage = Stage::new(one.get().scenario.clone(), &knobs).map_err(|d| refuse(&d))?;
            stages.push(Arc::new(stage));
        }
        let agents = stages.first().map_or(0, |stage| stage.agents().len());
        if let Some(other) = stages.iter().find(|stage| stage.agents().len() != agents) {
            let what = format!(
                "a scenario has {} agents, another {agents}",
                other.agents().len()
            );
            return Err(PyValueError::new_err(what));
        }
        let each = count.div_ceil(threads.clamp(1, count.max(1))).max(1);
        let mut shares = Vec::new();
        let mut left = count;
        while left > 0 {
            let mine = left.min(each);
            shares.push((0..mine).map(|_| Place::default()).collect());
            left -= mine;
        }
        Ok(Worlds {
            stages: Mutex::new(stages),
            pool: Pool::new(shares),
            count,
            each,
            agents,
            knobs: knobs.len(),
            busy: AtomicBool::new(false),
            process: std::process::id(),
        })
    }

    /// Names of the columns of `seen`.
    #[staticmethod]
    fn columns() -> Vec<&'static str> {
        SEEN.to_vec()
    }

    /// The agents of a scenario, by its number.
    fn agents(&self, stage: usize) -> PyResult<Vec<String>> {
        let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        let stage = stages
            .get(stage)
            .ok_or_else(|| PyIndexError::new_err("no such scenario"))?;
        Ok(stage.agents().to_vec())
    }

    /// The knobs of a scenario: name, least and greatest value, and where each stands at first.
    fn knobs(&self, stage: usize) -> PyResult<Vec<(String, f64, f64, f64)>> {
        let stages = self.stages.lock().unwrap_or_else(PoisonError::into_inner);
        let stage = stages
            .get(stage)
            .ok_or_else(|| PyIndexError::new_err("no such scenario"))?;
        let row = |knob: &Knob| {
            let range = knob.range;
            (knob.name.clone(), range.low, range.high, range.now)
        };
        Ok(stage.knobs().iter().map(row).collect())
    }

    #[expect(clippy::too_many_arguments, reason = "as Python passes them")]
    /// Begins episodes in some places, and writes what their agents have. Gives the faults.
    fn reset(
        &self,
        py: Python<'_>,
        places: Vec<usize>,
        stages: Vec<usize>,
        patches: Vec<Vec<Bound<'_, PyTuple>>>,
        clocks: Vec<Written>,
        starts: Vec<(Vec<f64>, u64)>,
        mut seen: PyReadwriteArray1<'_, f64>,
    ) -> PyResult<Vec<(usize, String)>> {
        let _turn = self.turn()?;
        let known = self
            .stages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let begun = places.clone();
        let all = places
            .into_iter()
            .zip(stages)
            .zip(patches)
            .zip(clocks)
            .zip(starts);
        let mut begins = Vec::new();
        for ((((index, stage), patches), written), (start, unseen)) in all {
            let stage = known
                .get(stage)
                .ok_or_else(|| PyIndexError::new_err("no such scenario"))?;
            let begin = Begin {
                stage: stage.clone(),
                patches: patches.iter().map(trial::patch).collect::<PyResult<_>>()?,
                clock: clock(&written)?,
                first: Span(written.2),
                start,
                unseen,
            };
            begins.push((self.place(index)?, begin));
        }
        for ((share, at), begin) in begins {
            self.pool
                .with(share, |places| places[at].begin = Some(begin));
        }
        let faults = self.work(py);
        let (seen, wide) = (seen.as_slice_mut()?, self.agents * SEEN.len());
        for index in begun {
            let (share, at) = self.place(index)?;
            let found = &mut seen[index * wide..][..wide];
            self.pool.with(share, |places| {
                if places[at].episode.is_some() {
                    found.copy_from_slice(&places[at].seen);
                }
            });
        }
        Ok(faults)
    }

    /// Steps the worlds of a mask: tells each agent window and pacing, two numbers, and each knob its value, advances, and
    /// writes what each agent saw and which episodes have ended. Gives the faults.
    fn step(
        &self,
        py: Python<'_>,
        settings: PyReadonlyArray1<'_, f64>,
        mask: PyReadonlyArray1<'_, bool>,
        mut seen: PyReadwriteArray1<'_, f64>,
        mut ended: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<Vec<(usize, String)>> {
        let _turn = self.turn()?;
        let told = 2 * self.agents + self.knobs;
        let wide = self.agents * SEEN.len();
        let lengths = [settings.len()?, mask.len()?, seen.len()?, ended.len()?];
        let wanted = [told * self.count, self.count, wide * self.count, self.count];
        if lengths != wanted {
            let what = format!("arrays of {lengths:?} numbers, where {wanted:?} are wanted");
            return Err(PyValueError::new_err(what));
        }
        let (settings, mask) = (settings.as_slice()?, mask.as_slice()?);
        let mut first = 0;
        for share in 0..self.pool.shares() {
            self.pool.with(share, |places| {
                for (at, place) in places.iter_mut().enumerate() {
                    let index = first + at;
                    place.step = mask[index];
                    place.settings.clear();
                    place.settings.extend(&settings[index * told..][..told]);
                }
                first += places.len();
            });
        }
        let faults = self.work(py);
        let (seen, ended) = (seen.as_slice_mut()?, ended.as_slice_mut()?);
        let mut first = 0;
        for share in 0..self.pool.shares() {
            self.pool.with(share, |places| {
                for (at, place) in places.iter().enumerate() {
                    let index = first + at;
                    if let Some(episode) = place.episode.as_ref().filter(|_| mask[index]) {
                        seen[index * wide..][..wide].copy_from_slice(&place.seen);
                        ended[index] = episode.ended();
                    }
                }
                first += places.len();
            });
        }
        Ok(faults)
    }

    /// A copy of one world takes the place of another.
    fn copy(&self, source: usize, to: usize) -> PyResult<()> {
        let _turn = self.turn()?;
        let copy = self.with(source, |episode| episode.clone())?;
        let (share, at) = self.place(to)?;
        self.pool.with(share, |places| {
            places[at].seen.resize(copy.agents() * SEEN.len(), 0.0);
            places[at].episode = Some(copy);
        });
        Ok(())
    }

    /// The fingerprint of a world up to its present.
    fn fingerprint(&self, index: usize) -> PyResult<u64> {
        let _turn = self.turn()?;
        self.with(index, |episode| episode.world_mut().fingerprint())
    }

    /// Counters and gauges of a world at its present.
    fn probe<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyDict>> {
        let _turn = self.turn()?;
        let found = self.with(index, |episode| {
            backwater_scenario::probe(episode.world_mut())
        })?;
        trial::probe(py, &found)
    }

    /// Whether the source of an agent's flow has ended.
    fn stopped(&self, index: usize) -> PyResult<Vec<bool>> {
        let _turn = self.turn()?;
        self.with(index, |episode| {
            (0..episode.agents()).map(|a| episode.stopped(a)).collect()
        })
    }
}
