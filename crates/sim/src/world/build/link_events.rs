//! Makes of the events of wires steps in order of time, and a forwarding table for each set of links that switches know to be
//! down.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use backwater_transport::units::{Span, Time};

use super::refuse;
use crate::event::Event;
use crate::ids::PortId;
use crate::link_event::{Happening, LinkEvent};
use crate::link_steps::{LinkEvents, Step, Table};
use crate::medium::service::Service;
use crate::network::Traits;
use crate::spec::{Refusal, Spec};
use crate::table::Id;
use crate::world::World;

/// Links (indices) that are down.
type Dead = BTreeSet<usize>;

impl LinkEvent {
    fn path(&self, field: &str) -> String {
        format!("events.{}.{field}", self.name)
    }

    fn end(&self) -> Span {
        self.until.unwrap_or(Span(u64::MAX))
    }

    fn converge(&self) -> Option<Span> {
        match self.what {
            Happening::Down { converge } => converge,
            Happening::Rate(_) | Happening::Storm(_) => None,
        }
    }

    /// Whether switches know at an instant that its links are down.
    fn known(&self, at: Span) -> bool {
        let told = |since: Span| {
            self.converge()
                .is_some_and(|span| since.0.saturating_add(span.0) <= at.0)
        };
        told(self.at) && !told(self.end())
    }
}

impl World {
    /// Ends the writing of forwarding tables, those of later in the run included, and puts what happens to wires into the
    /// calendar.
    pub(super) fn add_link_events(&mut self, spec: &Spec) -> Result<(), Refusal> {
        self.check_link_events(spec)?;
        let mut steps = Vec::new();
        for event in &spec.events {
            for link in &event.links {
                let first = PortId::new(2 * link);
                let (begin, end) = match event.what {
                    Happening::Storm(class) => {
                        let until = Time(event.end().0);
                        let port = self.add_storm(spec, *link, class, event)?;
                        steps.push((event.at, 1, Step::Storm { port, class, until }));
                        continue;
                    }
                    Happening::Down { .. } => (Step::Down(first), Step::Back(first)),
                    Happening::Rate(rate) => {
                        let before = self.shared.network.ports[first].more.rate;
                        (Step::Rate(first, rate), Step::Rate(first, before))
                    }
                };
                // At one instant, ends come before beginnings.
                steps.push((event.at, 1, begin));
                steps.extend(event.until.map(|until| (until, 0, end)));
            }
        }
        self.check_watchdogs(spec)?;
        let tables = self.add_tables(spec, &mut steps)?;
        steps.sort_by_key(|(at, rank, _)| (*at, *rank));
        let steps = steps.into_iter().map(|(at, _, step)| (Time(at.0), step));
        let steps: Arc<[(Time, Step)]> = steps.collect();
        for (number, (at, _)) in (0..).zip(steps.iter()) {
            if *at <= self.clock.end {
                let calendar = &mut self.shared.run.calendar;
                calendar.push(*at, Event::Link(number));
            }
        }
        self.link_events = LinkEvents {
            steps,
            tables,
            active: 0,
        };
        Ok(())
    }

    /// Packs the table of the beginning, and one for each set of links that switches know to be down at some time.
    fn add_tables(
        &mut self,
        spec: &Spec,
        steps: &mut Vec<(Span, u8, Step)>,
    ) -> Result<Vec<Table>, Refusal> {
        let mut instants = BTreeSet::new();
        for event in &spec.events {
            if let Some(span) = event.converge() {
                instants
                    .extend([event.at, event.end()].map(|at| Span(at.0.saturating_add(span.0))));
            }
        }
        let mut numbers: BTreeMap<Dead, usize> = BTreeMap::from([(Dead::new(), 0)]);
        let mut sets = vec![Dead::new()];
        for at in instants.into_iter().filter(|at| *at <= spec.duration) {
            let known = spec.events.iter().filter(|event| event.known(at));
            let dead: Dead = known.flat_map(|e| e.links.iter().copied()).collect();
            let number = *numbers.entry(dead.clone()).or_insert_with(|| {
                sets.push(dead);
                sets.len() - 1
            });
            steps.push((at, 2, Step::Forward(number)));
        }
        let written = self.shared.network.plan.clone();
        let mut tables = Vec::new();
        for dead in sets.iter().skip(1) {
            self.shared.network.plan = written.clone();
            let ports = dead.iter().flat_map(|link| [2 * link, 2 * link + 1]);
            self.add_routes(spec, &ports.map(Id::new).collect())?;
            self.shared.network.route_through_boxes();
            tables.push(self.pack_table(spec));
        }
        self.shared.network.plan = written;
        let first = self.pack_table(spec);
        self.shared.network.turns = first.turns.clone();
        match tables.is_empty() {
            true => Ok(tables),
            false => Ok([vec![first], tables].concat()),
        }
    }

    fn pack_table(&mut self, spec: &Spec) -> Table {
        self.shared.network.pack_forwarding(spec.choose);
        Table {
            plan: self.shared.network.plan.clone(),
            turns: std::mem::take(&mut self.shared.network.turns),
        }
    }

    fn check_link_events(&self, spec: &Spec) -> Result<(), Refusal> {
        let mut earlier: Vec<(&LinkEvent, usize)> = Vec::new();
        for event in &spec.events {
            if event.until.is_some_and(|until| until <= event.at) {
                let what = "it ends no later than it begins";
                let fix = "write a later instant, or leave it out: then it lasts to the end";
                return refuse(event.path("until"), what, fix);
            }
            if event.converge().is_some() && !self.media.are_unused() {
                let what = "routes over radio links do not change in the middle of a run";
                let fix =
                    "leave `converge` out: then what goes to the link is lost while it is down";
                return refuse(event.path("converge"), what, fix);
            }
            for link in &event.links {
                let kind = std::mem::discriminant(&event.what);
                let clash = earlier.iter().find(|(other, of)| {
                    let alike = std::mem::discriminant(&other.what) == kind;
                    of == link && alike && other.at < event.end() && event.at < other.end()
                });
                if let Some((other, _)) = clash {
                    let what = format!(
                        "link {} is in event {}, which overlaps in time",
                        spec.links[*link].name, other.name
                    );
                    let fix = "let one of the two end before the other begins";
                    return refuse(event.path("links"), what, fix);
                }
                earlier.push((event, *link));
                for port in [2 * link, 2 * link + 1] {
                    self.check_event_at(event, PortId::new(port))?;
                }
            }
        }
        Ok(())
    }

    /// Refuses what a port at an end of a wire cannot stand.
    fn check_event_at(&self, event: &LinkEvent, id: PortId) -> Result<(), Refusal> {
        let port = &self.shared.network.ports[id];
        let name = &port.more.name;
        let path = event.path("links");
        match event.what {
            Happening::Rate(_) => match self.may_change_rate(id) {
                Ok(()) => Ok(()),
                Err(why) => refuse(path, why.what, "name other links, or remove what is said"),
            },
            Happening::Down { .. } | Happening::Storm(_)
                if !matches!(port.more.service, Service::Line) =>
            {
                let what =
                    format!("`{name}` is no wire: its packets leave as its trace or its slots say");
                let fix = "name wires; an outage can be written into the trace";
                refuse(path, what, fix)
            }
            Happening::Down { .. } if port.is(Traits::CARRIES) => {
                let what = format!("data frames of `{name}` carry notices of a mechanism");
                let fix = "write carrier = \"frame\" for the mechanism, or name other links";
                refuse(path, what, fix)
            }
            Happening::Down { .. } if port.is(Traits::REFILLED) => {
                let what = format!("a saturated source keeps the queue at `{name}` filled");
                let fix = "take a source with a rate, or name other links";
                refuse(path, what, fix)
            }
            Happening::Down { .. } | Happening::Storm(_) => Ok(()),
        }
    }
}
