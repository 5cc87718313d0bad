//! Explicit feedback at the end of a run: the values of each law, and warnings.

use backwater_transport::congestion_header::Layout;
use backwater_transport::segment::Ecn;

use super::World;
use super::report_rows::{ConnectionReport, Report};
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
    /// Mean and standard deviation of what waited there, in packets.
    pub queue: Option<(f64, f64)>,
    /// What it has to say of itself.
    pub warning: Option<String>,
}

impl World {
    /// What each law has come to.
    pub(super) fn stamp_reports(&self) -> Vec<StampReport> {
        let report = |law: &Law| StampReport {
            place: law.name.clone(),
            values: law.stamp.values(),
            queue: self.shared.network.statistics(law, self.clock.now),
            warning: law.stamp.warning(self.clock.now),
        };
        self.shared.network.laws.iter().map(report).collect()
    }

    /// The laws that write into the data of a flow.
    pub(super) fn laws_on(&self, flow: &Flow) -> Vec<LawId> {
        let mut laws = Vec::new();
        for port in &flow.path {
            let port_laws = &self.shared.network.ports[*port].more.laws;
            let hop = self.media.air.hop(*port);
            let radio_laws = hop.map(|hop| &self.media.air.radios[hop.from as usize].laws);
            let shown = port_laws.iter().chain(radio_laws.into_iter().flatten());
            laws.extend(shown.map(|shown| shown.law));
        }
        laws
    }

    /// Warnings about explicit feedback: what laws say of themselves, and flows that no law serves or that one
    /// misreads.
    pub fn feedback_warnings(&self, report: &Report) -> Vec<String> {
        let said = |s: &StampReport| Some(format!("{}: {}", s.place, s.warning.as_ref()?));
        let mut all: Vec<String> = report.stamps.iter().filter_map(said).collect();
        for flow in self.shared.network.flows.iter() {
            if let Part::Data(connection) = flow.part {
                all.extend(self.of_flow(flow, &report.connections[connection.index()]));
            }
        }
        all
    }

    fn of_flow(&self, flow: &Flow, connection: &ConnectionReport) -> Option<String> {
        let laws = self.laws_on(flow);
        let layout = |law: &LawId| self.shared.network.laws[*law].stamp.layout();
        let mut layouts = laws.iter().filter_map(layout);
        match connection.header {
            Some(own) => (!layouts.any(|layout| layout == own)).then(|| {
                format!(
                    "flow {}: no port on its path writes its congestion header, so it keeps the window it begins \
                     with: write `stamp` for the bottleneck's port",
                    flow.name
                )
            }),
            None if connection.ecn == Ecn::NotEct => None,
            None => layouts.any(Layout::reports_codepoints).then(|| {
                format!(
                    "flow {}: a stamp on its path rewrites the ECN bits for a scheme that its controller does not \
                     speak: lead it past that port, or take the controller of that scheme",
                    flow.name
                )
            }),
        }
    }
}
