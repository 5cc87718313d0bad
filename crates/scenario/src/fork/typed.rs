//! Changes of a world in the middle of its run that come as numbers, without text, and controllers that begin anew.

use backwater_sim::ids::{FlowId, PortId};
use backwater_sim::limit::Limit;
use backwater_sim::medium::boxes::AnyBox;
use backwater_sim::medium::boxes::schedule::Scheduled;
use backwater_sim::spec::{AnyTrace, Listed, Rates, Service, Unchangeable};
use backwater_sim::world::World;
use backwater_transport::units::Rate;

use crate::diagnostic::Diagnostic;
use crate::resolved::Resolved;
use crate::tree::join;
use crate::trial::Patch;

impl Resolved {
    /// Changes a world of this scenario from its present on. Instants of traces and schedules count from the beginning of
    /// the run.
    ///
    /// # Errors
    /// A change that names nothing, or that cannot come in the middle of a run.
    pub fn patch(&self, world: &mut World, patches: &[Patch]) -> Result<(), Diagnostic> {
        patches
            .iter()
            .try_for_each(|patch| self.patch_one(world, patch))
    }

    fn patch_one(&self, world: &mut World, patch: &Patch) -> Result<(), Diagnostic> {
        match patch {
            Patch::Rate(link, bps) => {
                let path = join("links", link);
                if *bps == 0 {
                    return Err(self.refuse(&path, "a line rate of 0", "give a rate above 0"));
                }
                let is_line = |way: &Service| matches!(way, Service::Line(..));
                self.each_way(link, is_line, |port| world.change_rate(port, Rate(*bps)))
            }
            Patch::Delay(link, delay) => {
                self.each_way(link, |_| true, |port| world.change_delay(port, *delay))
            }
            Patch::Buffer(place, packets) => {
                let port = self.place_of(world, place)?;
                let changed = world.change_buffer(port, Limit::Packets(*packets));
                changed.map_err(|why| self.no_change(&join("ports", place), &why))
            }
            Patch::Opportunities(place, at_ms) => {
                let trace = Listed::new(&at_ms.list()).map_err(|what| {
                    self.refuse(&join("ports", place), &what, "give milliseconds in order")
                })?;
                self.give_trace(world, place, |old| {
                    let repeats = old.recorded().is_none_or(|old| old.repeats());
                    AnyTrace::Listed(trace.repeated(repeats))
                })
            }
            Patch::Rates(place, at_ms, bps) => {
                let trace = Rates::new(at_ms, bps).map_err(|wrong| {
                    let path = join(&join("ports", place), wrong.option);
                    self.refuse(&path, &wrong.what, &wrong.fix)
                })?;
                self.give_trace(world, place, |_| AnyTrace::Rates(trace))
            }
            Patch::Schedule(place, at_ms, delay_us, loss_ppm) => {
                let port = self.place_of(world, place)?;
                let made = Scheduled::new(at_ms, delay_us.as_deref(), loss_ppm.as_deref());
                let made = made.map_err(|(option, what)| {
                    self.refuse(&join(place, option), &what, "give lists of equal length")
                })?;
                let changed = world.change_box(port, &AnyBox::Scheduled(made));
                changed.map_err(|why| self.no_change(&join("ports", place), &why))
            }
            Patch::Seed(_) | Patch::Duration(_) | Patch::Packets(..) => {
                let what =
                    "seed, duration and packets cannot change in the middle of a run in this way";
                let fix = "fork with `reseed`, or with `set` and another source";
                Err(self.refuse("", what, fix))
            }
        }
    }

    /// Lets the controllers of rows of flows begin anew, with the options that they have.
    ///
    /// # Errors
    /// There is no such row, or it has no transport.
    pub fn begin_controllers(&self, world: &mut World, rows: &[String]) -> Result<(), Diagnostic> {
        if rows.is_empty() {
            return Ok(());
        }
        let flows = self.spec().flows;
        for row in rows {
            let path = join(&join("flows", row), "controller");
            let mut found = false;
            for (number, flow) in flows.iter().enumerate() {
                if !super::is_of_row(&flow.name, row) {
                    continue;
                }
                found = true;
                let transport = flow.transport.as_ref().ok_or_else(|| {
                    let what = "the flow has no transport, so it has no controller";
                    self.refuse(&path, what, "name a flow with a transport")
                })?;
                let controller = transport.controller.clone();
                let id = FlowId::new(number);
                let changed = world.change_controller(id, controller, &transport.sender);
                changed.map_err(|why| self.no_change(&path, &why))?;
            }
            if !found {
                let what = format!("there is no flow `{row}`");
                return Err(self.refuse("flows", &what, "name a flow of the scenario"));
            }
        }
        Ok(())
    }

    fn place_of(&self, world: &World, name: &str) -> Result<PortId, Diagnostic> {
        world.network().port_named(name).ok_or_else(|| {
            let what = format!("there is no port `{name}`");
            self.refuse("ports", &what, "name one as results do, such as S>R")
        })
    }

    /// Changes the ports of both directions of a link, as far as they are served like this.
    fn each_way(
        &self,
        name: &str,
        served: impl Fn(&Service) -> bool,
        mut change: impl FnMut(PortId) -> Result<(), Unchangeable>,
    ) -> Result<(), Diagnostic> {
        let links = self.links();
        let number = links.iter().position(|link| link.spec.name == name);
        let number = number.ok_or_else(|| {
            let what = format!("there is no link `{name}`");
            self.refuse("links", &what, "name a link of the scenario")
        })?;
        for (side, way) in links[number].spec.directions.iter().enumerate() {
            if way.as_ref().is_none_or(|way| served(&way.service)) {
                let changed = change(PortId::new(2 * number + side));
                changed.map_err(|why| self.no_change(&join("links", name), &why))?;
            }
        }
        Ok(())
    }

    fn give_trace(
        &self,
        world: &mut World,
        place: &str,
        made: impl FnOnce(&AnyTrace) -> AnyTrace,
    ) -> Result<(), Diagnostic> {
        let port = self.place_of(world, place)?;
        let path = join("ports", place);
        let server = world.network().ports[port].more.service.server();
        let server = server.ok_or_else(|| {
            let what = format!("`{place}` is served by no trace");
            self.refuse(&path, &what, "name a trace link's port")
        })?;
        let trace = made(&server.spec.trace);
        let changed = world.change_trace(port, trace);
        changed.map_err(|why| self.no_change(&path, &why))
    }
}
