//! Short runs of one scenario with small changes and without text: what a search evaluates thousands of times.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use backwater_sim::limit::Limit;
use backwater_sim::medium::boxes::AnyBox;
use backwater_sim::medium::boxes::schedule::Scheduled;
use backwater_sim::medium::trace::{AnyTrace, Listed, Rates};
use backwater_sim::network::Role;
use backwater_sim::source::listed;
use backwater_sim::spec::{Direction, Refusal, Service, Spec};
use backwater_sim::world::World;
use backwater_transport::endpoint::Sender;
use backwater_transport::units::{Rate, Span, Time};

use crate::counts::Instants;
use crate::diagnostic::Diagnostic;
use crate::document::figures::figures_until;
use crate::resolved::Resolved;
use crate::tree::join;

/// A change of a scenario. Places are called as in results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Patch {
    /// The seed.
    Seed(u64),
    /// The simulated time.
    Duration(Span),
    /// The opportunities of a trace link, in ms.
    Opportunities(String, Instants),
    /// The rows of a box `schedule`: beginnings in ms, delays in microseconds, losses in millionths.
    Schedule(String, Vec<u64>, Option<Vec<u64>>, Option<Vec<u64>>),
    /// The packets of a flow: instants in microseconds, and bytes of each or of all.
    Packets(String, Instants, Vec<u64>),
    /// The frames that the queue of a port holds.
    Buffer(String, u64),
    /// The line rate of a wire, both ways, in bit/s.
    Rate(String, u64),
    /// The propagation delay of a wire, both ways.
    Delay(String, Span),
    /// The rates of a trace link: beginnings in ms, and bit/s.
    Rates(String, Vec<u64>, Vec<u64>),
}

/// The figures that are kept of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Figures of the document, such as `flows.f.goodput_bps` or `metrics.loss`.
    pub figures: Vec<String>,
    /// What is looked at while the run lasts.
    pub looks: Option<Looks>,
}

/// Flows with a transport that are looked at, and how often.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Looks {
    /// The interval.
    pub every: Span,
    /// Their names.
    pub flows: Vec<String>,
}

/// The result of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trial {
    /// The figures that were wanted, in their order; not a number where one has no value.
    pub figures: Vec<f64>,
    /// At each look: bytes delivered in order and the window in bytes, of each flow that is looked at.
    pub looks: Vec<f64>,
    /// Of the run.
    pub fingerprint: u64,
    /// Events served.
    pub events: u64,
}

impl Resolved {
    /// Runs the scenario with some changes.
    ///
    /// # Errors
    /// A change that names nothing, a scenario that cannot be built, a figure that no document has, a controller that did something wrong, or a defect of the engine.
    pub fn trial(&self, patches: &[Patch], wanted: &Wanted) -> Result<Trial, Diagnostic> {
        let run = || self.trial_of(patches, wanted);
        // A defect in one run must not take the others with it.
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            let what = format!("defect of the engine: {}", text.unwrap_or_default());
            Err(self.refuse(
                "",
                &what,
                "please report it with the scenario and the changes",
            ))
        })
    }

    fn trial_of(&self, patches: &[Patch], wanted: &Wanted) -> Result<Trial, Diagnostic> {
        self.unhosted("run it with `backwater run`")?;
        let mut spec = self.spec();
        for patch in patches {
            apply(&mut spec, patch).map_err(|refusal| self.refusal(refusal))?;
        }
        self.trial_in(self.build_hosted(&spec)?, wanted)
    }

    /// Runs a world of the scenario from its beginning to its end.
    ///
    /// # Errors
    /// A figure that no document has, a flow without a transport that is to be looked at, or a controller that did something
    /// wrong.
    pub fn trial_in(&self, mut world: World, wanted: &Wanted) -> Result<Trial, Diagnostic> {
        let looks = match &wanted.looks {
            Some(looks) => self.look(&mut world, looks)?,
            None => Vec::new(),
        };
        world.advance(world.end());
        if let Some(failed) = self.failed(&world, &world.foreign()) {
            return Err(failed);
        }
        world.settle();
        let report = world.last_report();
        let names = &wanted.figures;
        let figures = figures_until(self, &world, &report, Span(world.end().0), names);
        if let Some((name, _)) = names
            .iter()
            .zip(&figures)
            .find(|(_, found)| found.is_none())
        {
            let what = format!("a run has no figure `{name}`");
            return Err(self.refuse(
                name,
                &what,
                "write such as flows.NAME.goodput_bps or metrics.loss",
            ));
        }
        Ok(Trial {
            figures: figures.into_iter().flatten().collect(),
            looks,
            fingerprint: report.fingerprint,
            events: world.events(),
        })
    }

    /// Runs to the end, and looks at the ends of flows after each interval.
    fn look(&self, world: &mut World, looks: &Looks) -> Result<Vec<f64>, Diagnostic> {
        let connection = |name: &String| {
            let mut flows = world.network().flows.iter();
            match flows.find(|flow| flow.name == *name)?.role {
                Role::Data(id) => Some(id),
                _ => None,
            }
        };
        let mut seen = Vec::new();
        for name in &looks.flows {
            seen.push(connection(name).ok_or_else(|| {
                let what = format!("there is no flow `{name}` with a transport");
                self.refuse("flows", &what, "name one that has a window")
            })?);
        }
        let (end, mut at, mut found) = (world.end(), Time::ZERO, Vec::new());
        while at < end {
            at = at.after(looks.every).min(end);
            world.advance(at);
            for id in &seen {
                let connection = &world.ends.connections[*id];
                found.push(connection.totals()[0] as f64);
                found.push(connection.sender.window() as f64);
            }
        }
        Ok(found)
    }
}

fn refuse(path: String, what: impl Into<String>, fix: &str) -> Refusal {
    Refusal {
        path,
        what: what.into(),
        fix: fix.to_owned(),
    }
}

/// Gives a wire another line rate.
fn set_rate(spec: &mut Spec, name: &str, new: Rate) -> Result<(), Refusal> {
    let link = spec.links.iter_mut().find(|link| link.name == *name);
    let link = link.filter(|link| link.directions.iter().all(is_wire) && new.0 > 0);
    let link = link.ok_or_else(|| {
        let what = format!("there is no wire `{name}` that could have {} bit/s", new.0);
        let fix = "name a link without a trace, and a rate above 0";
        refuse(join("links", name), what, fix)
    })?;
    link.rate = new;
    for direction in link.directions.iter_mut().flatten() {
        if let Service::Line(rate, _) = &mut direction.service {
            *rate = new;
        }
    }
    Ok(())
}

/// Gives a wire another propagation delay.
fn set_delay(spec: &mut Spec, name: &str, new: Span) -> Result<(), Refusal> {
    let link = spec.links.iter_mut().find(|link| link.name == *name);
    let link = link.filter(|link| link.directions.iter().all(is_wire));
    let link = link.ok_or_else(|| {
        let what = format!("there is no wire `{name}`");
        refuse(join("links", name), what, "name a link without a trace")
    })?;
    link.delay = new;
    for direction in link.directions.iter_mut().flatten() {
        if let Service::Line(_, delay) = &mut direction.service {
            *delay = new;
        }
    }
    Ok(())
}

/// Gives a trace link a list of rates.
fn set_rates(spec: &mut Spec, place: &str, at_ms: &[u64], bps: &[u64]) -> Result<(), Refusal> {
    let (_, way) = way(spec, place)?;
    let Service::Trace(server) = &mut way.service else {
        let what = format!("`{place}` is served by no trace");
        return Err(refuse(
            join("ports", place),
            what,
            "name a trace link's port",
        ));
    };
    let rates = Rates::new(at_ms, bps).map_err(|refused| {
        let path = join(&join("ports", place), refused.option);
        refuse(path, refused.what, &refused.fix)
    })?;
    server.trace = AnyTrace::Rates(rates);
    Ok(())
}

/// Whether a direction of a link is served at a line rate.
fn is_wire(direction: &Option<Box<Direction>>) -> bool {
    let service = direction.as_ref().map(|direction| &direction.service);
    matches!(service, None | Some(Service::Line(..)))
}

pub(crate) fn apply(spec: &mut Spec, patch: &Patch) -> Result<(), Refusal> {
    match patch {
        Patch::Seed(seed) => spec.seed = *seed,
        Patch::Duration(duration) if *duration > spec.warmup => spec.duration = *duration,
        Patch::Duration(duration) => {
            let what = format!("{} s end within the warm-up", duration.seconds());
            return Err(refuse("duration".into(), what, "give a longer time"));
        }
        Patch::Opportunities(place, at_ms) => {
            let (_, way) = way(spec, place)?;
            let Service::Trace(server) = &mut way.service else {
                let what = format!("`{place}` is served by no trace");
                return Err(refuse(
                    join("ports", place),
                    what,
                    "name a trace link's port",
                ));
            };
            let trace = Listed::new(&at_ms.list());
            let trace = trace
                .map_err(|what| refuse(join("ports", place), what, "give milliseconds in order"))?;
            let repeats = server.trace.recorded().is_none_or(|old| old.repeats());
            server.trace = AnyTrace::Listed(trace.repeated(repeats));
        }
        Patch::Schedule(place, at_ms, delay_us, loss_ppm) => {
            let made = Scheduled::new(at_ms, delay_us.as_deref(), loss_ppm.as_deref());
            let made = made.map_err(|(option, what)| {
                refuse(join(place, option), what, "give lists of equal length")
            })?;
            *schedule(spec, place)? = AnyBox::Scheduled(made);
        }
        Patch::Packets(name, at_us, bytes) => {
            let flow = spec.flows.iter_mut().find(|flow| flow.name == *name);
            let flow = flow.ok_or_else(|| {
                let what = format!("there is no flow `{name}`");
                refuse("flows".into(), what, "name a flow of the scenario")
            })?;
            let (at_us, bytes) = (Arc::from(at_us.list()), Arc::from(&bytes[..]));
            flow.source = listed(at_us, bytes).map_err(|(option, what)| {
                let path = join(&join("flows", name), option);
                refuse(path, what, "give lists of equal length")
            })?;
        }
        Patch::Rate(name, bps) => set_rate(spec, name, Rate(*bps))?,
        Patch::Delay(name, delay) => set_delay(spec, name, *delay)?,
        Patch::Rates(place, at_ms, bps) => set_rates(spec, place, at_ms, bps)?,
        Patch::Buffer(place, packets) => {
            let port = spec.ports.iter_mut().find(|port| port.name == *place);
            port.ok_or_else(|| no_port(place))?.buffer = Limit::Packets(*packets);
        }
    }
    Ok(())
}

fn no_port(place: &str) -> Refusal {
    let what = format!("there is no port `{place}` with a trace or boxes");
    refuse("ports".into(), what, "name one as results do, such as S>R")
}

/// The direction of a port that has a trace or boxes.
fn way<'a>(spec: &'a mut Spec, place: &str) -> Result<(usize, &'a mut Direction), Refusal> {
    let index = spec.ports.iter().position(|port| port.name == place);
    let index = index.ok_or_else(|| no_port(place))?;
    let way = spec.links.get_mut(index / 2);
    let way = way.and_then(|link| link.directions[index % 2].as_deref_mut());
    way.map(|way| (index, way)).ok_or_else(|| no_port(place))
}

/// A box `schedule` by its place in results: `S>R~schedule`, the second of them `S>R~schedule2`.
fn schedule<'a>(spec: &'a mut Spec, place: &str) -> Result<&'a mut AnyBox, Refusal> {
    let (port, what) = place.split_once('~').ok_or_else(|| no_port(place))?;
    let (_, way) = way(spec, port)?;
    let mut number = 0;
    let found = way.boxes.iter_mut().find(|one| {
        let AnyBox::Scheduled(_) = one else {
            return false;
        };
        number += 1;
        let id = one.id();
        what == if number == 1 {
            id.to_owned()
        } else {
            format!("{id}{number}")
        }
    });
    found.ok_or_else(|| {
        let what = format!("there is no box `schedule` at `{place}`");
        refuse("links".into(), what, "write one into the scenario")
    })
}
