//! Controllers of flows that are written in Python: given by the caller, or named by the scenario.
//! The file that a scenario names is executed anew for each flow of each run, from the content that
//! was hashed, so that runs share nothing and a result has one key.

use backwater_scenario as native;
use backwater_sim::world::World;
use backwater_transport::controller::script::{CLASS, FILE, OPTIONS};
use backwater_transport::part::Args;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::controller::{self, Fault};
use crate::scenario::refuse;

/// Gives the flows of a world the controllers that no table makes: `given` by the name of a flow or
/// of a row of flows, or those that the scenario names.
pub fn control(
    py: Python<'_>,
    world: &mut World,
    resolved: &native::Resolved,
    given: Option<&Bound<'_, PyDict>>,
    fault: &Fault,
) -> PyResult<()> {
    if let Some(given) = given {
        check_names(resolved, given)?;
    } else if !resolved.needs_host() {
        return Ok(());
    }
    make(py, world, resolved, given, fault).map_err(|d| refuse(&d))?;
    match fault.take(py) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Refuses names that no flow with a transport has.
fn check_names(resolved: &native::Resolved, given: &Bound<'_, PyDict>) -> PyResult<()> {
    let spec = resolved.spec();
    let flows = || spec.flows.iter().filter(|f| f.transport.is_some());
    for name in given.keys() {
        let name: String = name.extract()?;
        if !flows().any(|f| f.name == name || row(&f.name) == name) {
            return Err(PyKeyError::new_err(name));
        }
    }
    Ok(())
}

/// The name of the row of flows that a flow came from.
fn row(flow: &str) -> &str {
    flow.split('/').next().unwrap_or(flow)
}

/// The same; what a class of the caller's raises is a fault of its run, and one that the scenario
/// names is refused.
pub fn make(
    py: Python<'_>,
    world: &mut World,
    resolved: &native::Resolved,
    given: Option<&Bound<'_, PyDict>>,
    fault: &Fault,
) -> Result<(), native::Diagnostic> {
    let spec = resolved.spec();
    let mut connections = world.connections.ids();
    for flow in &spec.flows {
        let Some(transport) = &flow.transport else {
            continue;
        };
        let id = connections
            .next()
            .expect("one for each flow with a transport");
        let name = flow.name.as_str();
        let make = |class: &Bound<'_, PyAny>| {
            controller::make(py, class, name, &transport.sender, spec.seed, fault)
        };
        let made = match (find(given, name), resolved.script(name)) {
            (Some(class), _) => match make(&class) {
                Ok(made) => made,
                Err(error) => {
                    fault.note(name, error);
                    continue;
                }
            },
            (None, Some(args)) => {
                let class = load(py, args).map_err(|e| unfit(py, resolved, name, &e))?;
                make(&class).map_err(|e| unfit(py, resolved, name, &e))?
            }
            (None, None) => continue,
        };
        world.set_controller(id, transport, made);
    }
    Ok(())
}

fn find<'py>(given: Option<&Bound<'py, PyDict>>, flow: &str) -> Option<Bound<'py, PyAny>> {
    let of = |name: &str| given.and_then(|g| g.get_item(name).ok().flatten());
    of(flow).or_else(|| of(row(flow)))
}

/// The class that a scenario names, with its further arguments.
fn load<'py>(py: Python<'py>, args: &Args) -> PyResult<Bound<'py, PyAny>> {
    let file = args.file(FILE);
    let options = args.has(OPTIONS).then(|| args.table(OPTIONS));
    py.import("backwater.script")?.call_method1(
        "load",
        (
            PyBytes::new(py, &file.content),
            file.path,
            args.text(CLASS),
            options,
        ),
    )
}

/// The refusal of a class; an exception that knows the option to blame names it.
fn unfit(
    py: Python<'_>,
    resolved: &native::Resolved,
    flow: &str,
    error: &PyErr,
) -> native::Diagnostic {
    let of = |name: &str| error.value(py).getattr(name).and_then(|v| v.extract()).ok();
    let option: Option<String> = of("option");
    match option {
        Some(option) => {
            let said: Option<String> = of("what");
            let fix: Option<String> = of("fix");
            let said = said.unwrap_or_else(|| error.to_string());
            resolved.refuse_controller(row(flow), &option, &said, &fix.unwrap_or_default())
        }
        None => {
            let said = controller::said(py, error);
            resolved.refuse_controller(row(flow), CLASS, &said, "mend the class")
        }
    }
}
