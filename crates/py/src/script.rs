//! Parts that are classes of Python: given by the caller, or named by the scenario. The file that a scenario names
//! is executed anew for each of its uses in each run, from the content that was hashed, so that runs share nothing and a
//! result has one key.

use backwater_scenario as native;
use backwater_sim::mechanism::detector::script_needs;
use backwater_sim::spec::{Spec, TransportSpec};
use backwater_sim::world::World;
use backwater_transport::controller::AnyController;
use backwater_transport::part::Args;
use backwater_transport::script::{CLASS, FILE, OPTIONS};
use pyo3::exceptions::{PyException, PyKeyError, PySystemExit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::fault::{self, Fault, Whose};
use crate::scenario::refuse;
use crate::{aqm, controller, detector, responder, stamp, watch};

/// The world of a run with its classes: controllers `given` by the name of a flow or of a row of flows, and what the
/// scenario names.
pub fn world(
    py: Python<'_>,
    resolved: &native::Resolved,
    given: Option<&Bound<'_, PyDict>>,
    fault: &Fault,
) -> PyResult<World> {
    if let Some(given) = given {
        check_names(resolved, given)?;
    }
    let mut spec = resolved.spec();
    for mechanism in &mut spec.mechanisms {
        let name = mechanism.name.clone();
        let whose = Whose::detector(&name);
        if let Some(part) = hosted(resolved, &whose.place) {
            let made = watch::call(&whose, || {
                let class = load(py, part.args)?;
                let needs = script_needs(part.args);
                detector::make(py, &class, &name, needs, resolved.seed, fault)
            });
            mechanism.detect = made.map_err(|e| unfit(py, resolved, &part.path, e))?;
        }
        let whose = Whose::responder(&name);
        if let Some(part) = hosted(resolved, &whose.place) {
            let made = watch::call(&whose, || {
                let class = load(py, part.args)?;
                responder::make(py, &class, &name, resolved.seed, fault)
            });
            mechanism.respond = made.map_err(|e| unfit(py, resolved, &part.path, e))?;
        }
    }
    for stamp in &mut spec.stamps {
        let whose = Whose::stamp(&stamp.name);
        if let Some(part) = hosted(resolved, &whose.place) {
            let made = watch::call(&whose, || {
                let class = load(py, part.args)?;
                stamp::make(py, &class, &stamp.name, part.args, resolved.seed, fault)
            });
            stamp.law = made.map_err(|e| unfit(py, resolved, &part.path, e))?;
        }
    }
    manage_queues(py, &mut spec, resolved, fault)?;
    let mut world = resolved.build_hosted(&spec).map_err(|d| refuse(&d))?;
    // Every place has a copy by now.
    if let Some((whose, error)) = fault.clear() {
        return Err(unfit(py, resolved, &whose.place, error));
    }
    set_controllers(py, &mut world, &spec, resolved, given, fault)?;
    match fault.take(py) {
        Some(error) => Err(error),
        None => Ok(world),
    }
}

/// Puts the classes that the scenario names into ports as their queue management.
fn manage_queues(
    py: Python<'_>,
    spec: &mut Spec,
    resolved: &native::Resolved,
    fault: &Fault,
) -> PyResult<()> {
    for (name, slot) in spec.queue_management() {
        let whose = Whose::queue(&name);
        let Some(part) = hosted(resolved, &whose.place) else {
            continue;
        };
        let made = watch::call(&whose, || {
            let class = load(py, part.args)?;
            aqm::make(py, &class, &name, resolved.seed, fault)
        });
        *slot = Some(made.map_err(|e| unfit(py, resolved, &part.path, e))?);
    }
    Ok(())
}

/// The options that the scenario gives a part at a place.
fn hosted<'a>(resolved: &'a native::Resolved, place: &str) -> Option<native::Hosted<'a>> {
    resolved.hosted().find(|part| part.path == place)
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

/// Gives the flows of a world the controllers that no table makes.
fn set_controllers(
    py: Python<'_>,
    world: &mut World,
    spec: &Spec,
    resolved: &native::Resolved,
    given: Option<&Bound<'_, PyDict>>,
    fault: &Fault,
) -> PyResult<()> {
    let mut connections = world.ends.connections.ids();
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
        let whose = Whose::controller(row(name));
        let made = match (find(given, name), hosted(resolved, &whose.place)) {
            (Some(class), _) => match make(&class) {
                Ok(made) => made,
                Err(error) => {
                    fault.note(&Whose::controller(name), error);
                    continue;
                }
            },
            (None, Some(part)) => hosted_controller(py, resolved, name, transport, &part, fault)?,
            (None, None) => continue,
        };
        world.set_controller(id, transport, made);
    }
    Ok(())
}

/// The controller of a flow that the scenario names as a class.
fn hosted_controller(
    py: Python<'_>,
    resolved: &native::Resolved,
    flow: &str,
    transport: &TransportSpec,
    part: &native::Hosted<'_>,
    fault: &Fault,
) -> PyResult<AnyController> {
    let made = watch::call(&Whose::controller(row(flow)), || {
        let class = load(py, part.args)?;
        controller::make(py, &class, flow, &transport.sender, resolved.seed, fault)
    });
    made.map_err(|e| unfit(py, resolved, &part.path, e))
}

/// The controller of a flow outside a world: a class of Python where the scenario names one, else that of the tables.
pub fn controller(
    py: Python<'_>,
    resolved: &native::Resolved,
    flow: &str,
    transport: &TransportSpec,
    fault: &Fault,
) -> PyResult<AnyController> {
    match hosted(resolved, &Whose::controller(row(flow)).place) {
        Some(part) => hosted_controller(py, resolved, flow, transport, &part, fault),
        None => Ok(transport.controller.clone()),
    }
}

fn find<'py>(given: Option<&Bound<'py, PyDict>>, flow: &str) -> Option<Bound<'py, PyAny>> {
    let of = |name: &str| given.and_then(|g| g.get_item(name).ok().flatten());
    of(flow).or_else(|| of(row(flow)))
}

/// The class that a scenario names, with its further arguments.
fn load<'py>(py: Python<'py>, args: &Args) -> PyResult<Bound<'py, PyAny>> {
    let file = args.file(FILE);
    let options = args.has(OPTIONS).then(|| args.table(OPTIONS));
    py.import("backwater.model.python_class")?.call_method1(
        "load",
        (
            PyBytes::new(py, &file.content),
            file.path,
            args.text(CLASS),
            options,
        ),
    )
}

/// The refusal of a class; an exception that knows the option to blame names it. A signal that arrived meanwhile stays
/// what it is.
fn unfit(py: Python<'_>, resolved: &native::Resolved, place: &str, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyException>(py) && !error.is_instance_of::<PySystemExit>(py) {
        return error;
    }
    let of = |name: &str| error.value(py).getattr(name).and_then(|v| v.extract()).ok();
    let option: Option<String> = of("option");
    refuse(&match option {
        Some(option) => {
            let said: Option<String> = of("what");
            let fix: Option<String> = of("fix");
            let said = said.unwrap_or_else(|| error.to_string());
            resolved.refuse(
                &format!("{place}.{option}"),
                &said,
                &fix.unwrap_or_default(),
            )
        }
        None => {
            let said = fault::said(py, &error);
            resolved.refuse(&format!("{place}.{CLASS}"), &said, "mend the class")
        }
    })
}
