//! Explicit feedback at the end of a run: the values of each law, and warnings.

use std::collections::BTreeSet;

use backwater_transport::congestion_header::Layout;
use backwater_transport::controller::Controller;
use backwater_transport::endpoint::Sender;
use backwater_transport::segment::Ecn;

use super::World;
use super::report_rows::{ConnectionReport, Report};

use crate::connection::Connection;
use crate::ids::{LawId, PortId};
use crate::network::{Flow, Law, Role};
use crate::queue::Aqm;
use crate::stamp::{Senders, Stamp};
use crate::targets::Targets;

/// A law of explicit feedback at the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct StampReport {
    /// Name of the queue that it watches.
    pub place: String,
    /// Its values; empty names are none.
    pub values: [(&'static str, f64); 4],
    /// Mean and standard deviation of what waited there, in packets.
    pub queue: Option<(f64, f64)>,
}

impl World {
    /// The values of each law.
    pub(super) fn stamp_reports(&self) -> Vec<StampReport> {
        let report = |law: &Law| StampReport {
            place: law.name.clone(),
            values: law.stamp.values(),
            queue: self.shared.network.statistics(law, self.clock.now),
        };
        self.shared.network.laws.iter().map(report).collect()
    }

    /// The laws that write into the data of a flow.
    pub(super) fn laws_on(&self, flow: &Flow) -> Vec<LawId> {
        let mut laws = Vec::new();
        for port in &flow.path {
            let port_laws = &self.shared.network.ports[*port].more.laws;
            let shown = port_laws.iter().chain(self.media.laws(*port));
            laws.extend(shown.map(|shown| shown.law));
        }
        laws
    }

    /// Warnings about explicit feedback: what laws say of themselves, laws that nobody obeys, and flows that no law
    /// serves or that one misreads.
    pub fn feedback_warnings(&self, report: &Report) -> Vec<String> {
        self.warnings_for(
            &report
                .connections
                .iter()
                .map(Reader::of)
                .collect::<Vec<_>>(),
        )
    }

    /// Those of them that need no run.
    pub fn feedback_warnings_before_a_run(&self) -> Vec<String> {
        let readers: Vec<Reader> = self
            .ends
            .connections
            .iter()
            .map(Reader::of_connection)
            .collect();
        self.warnings_for(&readers)
    }

    fn warnings_for(&self, readers: &[Reader]) -> Vec<String> {
        let mut all = Vec::new();
        for (id, law) in self
            .shared
            .network
            .laws
            .ids()
            .zip(self.shared.network.laws.iter())
        {
            let senders = self.senders(id, readers);
            let mut said = law.stamp.warnings(self.clock.now, &senders);
            said.extend(unobeyed(law, &senders));
            all.extend(said.iter().map(|said| format!("{}: {said}", law.name)));
        }
        for flow in self.shared.network.flows.iter() {
            if let Role::Data(connection) = flow.role {
                all.extend(self.of_flow(flow, &readers[connection.index()]));
            }
        }
        all.extend(self.of_notices());
        all
    }

    /// Queues that send notices which nobody hears, and flows that would hear notices which nobody sends.
    fn of_notices(&self) -> Vec<String> {
        let network = &self.shared.network;
        let tells = |port: &&PortId| {
            let managed = network.ports[**port].more.managed.as_ref();
            managed.is_some_and(|m| m.aqm.notifies())
        };
        let (mut told, mut all) = (BTreeSet::new(), Vec::new());
        let data = |flow: &&Flow| matches!(flow.role, Role::Data(_) | Role::None);
        for flow in network.flows.iter().filter(data) {
            // The first port is that of the source itself.
            let mut ports = flow.path.iter().skip(1).filter(tells).peekable();
            if flow.noticed && ports.peek().is_none() {
                all.push(format!(
                    "flow {}: no queue on its path sends notices, so it keeps the rate of its line: write \
                     queue = {{ kind = \"qcn\" }} for the bottleneck's port",
                    flow.name
                ));
            }
            told.extend(ports.map(|port| (*port, flow.noticed)));
        }
        let mut unheard = told
            .iter()
            .filter(|(port, heard)| !heard && !told.contains(&(*port, true)));
        if let Some((port, _)) = unheard.next() {
            let others = match unheard.count() {
                0 => String::new(),
                others => format!(" (and {others} others)"),
            };
            all.push(format!(
                "{}{others}: no sender whose data cross it hears notices, so its queue tells nobody: give the flows \
                 controller = {{ kind = \"qcn\" }}",
                network.ports[*port].more.name
            ));
        }
        all
    }

    /// The flows on whose ways a law writes and that read what it writes.
    fn senders(&self, id: LawId, readers: &[Reader]) -> Senders {
        let layout = self.shared.network.laws[id].stamp.layout();
        let mut senders = Senders::default();
        let mut pairs = BTreeSet::new();
        for flow in self.shared.network.flows.iter() {
            // A law without a header of its own changes what every acknowledgement has.
            let (connection, of_acks) = match flow.role {
                Role::Data(connection) => (connection, false),
                Role::Acks(connection) => (connection, true),
                Role::None => continue,
            };
            let connection = &readers[connection.index()];
            let reads = match layout {
                Some(layout) => !of_acks && connection.header == Some(layout),
                None => of_acks,
            };
            if !reads || !self.laws_on(flow).contains(&id) {
                continue;
            }
            senders.flows += 1;
            if let Targets::One(to) = flow.to {
                let to = self.shared.network.hosts[to as usize].0;
                pairs.insert([flow.from.0.min(to), flow.from.0.max(to)]);
            }
            let least = senders.approach.unwrap_or(f64::INFINITY);
            senders.approach = connection
                .approach
                .map(|a| a.min(least))
                .or(senders.approach);
        }
        senders.pairs = pairs.len();
        senders
    }

    fn of_flow(&self, flow: &Flow, connection: &Reader) -> Option<String> {
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

/// The fields that the sender of a connection reads.
#[derive(Copy, Clone)]
struct Reader {
    header: Option<Layout>,
    approach: Option<f64>,
    ecn: Ecn,
}

impl Reader {
    fn of(report: &ConnectionReport) -> Reader {
        Reader {
            header: report.header,
            approach: report.approach,
            ecn: report.ecn,
        }
    }

    fn of_connection(connection: &Connection) -> Reader {
        let controller = connection.sender.controller();
        Reader {
            header: controller.congestion_header(),
            approach: controller.approach(),
            ecn: controller.ecn(),
        }
    }
}

/// Says that no sender reads what a law writes.
fn unobeyed(law: &Law, senders: &Senders) -> Option<String> {
    (law.stamp.layout().is_some() && senders.flows == 0).then(|| {
        "no sender that crosses it reads what its stamp writes, so the stamp changes nothing: give the flows the controller \
         that belongs to it"
            .to_owned()
    })
}
