//! Explicit feedback at the end of a run: the values of each law, and warnings.

use backwater_transport::congestion_header::Layout;
use backwater_transport::controller::Controller;
use backwater_transport::segment::Ecn;

use super::World;
use crate::ids::LawId;
use crate::network::{Flow, Law, Part};
use crate::stamp::Stamp;

/// A law of explicit feedback at the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct StampReport {
    /// Name of the queue that it watches.
    pub place: String,
    /// Its values; empty names are none.
    pub values: [(&'static str, f64); 4],
}

impl World {
    /// What each law has come to.
    pub(super) fn stamp_reports(&self) -> Vec<StampReport> {
        let report = |law: &Law| StampReport {
            place: law.name.clone(),
            values: law.stamp.values(),
        };
        self.network.laws.iter().map(report).collect()
    }

    /// The laws that write into the data of a flow.
    pub(super) fn laws_on(&self, flow: &Flow) -> Vec<LawId> {
        let mut laws = Vec::new();
        for port in &flow.path {
            let port_laws = &self.network.ports[*port].more.laws;
            let hop = self.air.hop(*port);
            let radio_laws = hop.map(|hop| &self.air.radios[hop.from as usize].laws);
            let shown = port_laws.iter().chain(radio_laws.into_iter().flatten());
            laws.extend(shown.map(|shown| shown.law));
        }
        laws
    }

    /// Warnings about explicit feedback: flows that no law serves or that one misreads, and what laws say of
    /// themselves.
    pub(super) fn stamp_warnings(&self) -> Vec<String> {
        let now = self.clock.now;
        let said = |law: &Law| Some(format!("{}: {}", law.name, law.stamp.warning(now)?));
        let mut all: Vec<String> = self.network.laws.0.iter().filter_map(said).collect();
        for flow in &self.network.flows.0 {
            let Part::Data(connection) = flow.part else {
                continue;
            };
            let controller = self.ends.connections[connection].sender.controller();
            let laws = self.laws_on(flow);
            let layouts = laws
                .iter()
                .map(|law| self.network.laws[*law].stamp.layout());
            match controller.congestion_header() {
                Some(layout) if !layouts.clone().any(|l| l == Some(layout)) => {
                    all.push(format!(
                        "flow {}: no port on its path writes its congestion header, so it keeps the window it \
                         begins with: write `stamp` for the bottleneck's port",
                        flow.name
                    ));
                }
                Some(_) => {}
                None if controller.ecn() != Ecn::NotEct
                    && layouts.flatten().any(Layout::reports_codepoints) =>
                {
                    all.push(format!(
                        "flow {}: a stamp on its path rewrites the ECN bits for a scheme that its controller does \
                         not speak: lead it past that port, or take the controller of that scheme",
                        flow.name
                    ));
                }
                None => {}
            }
        }
        all
    }
}
