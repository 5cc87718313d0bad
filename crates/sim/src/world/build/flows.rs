//! Flows of a world.

use std::sync::Arc;

use backwater_transport::controller::Controller;
use backwater_transport::random::Random;
use backwater_transport::units::Time;

use crate::limit::MAX_CLASSES;
use crate::medium::ethernet::HEADER_FCS;
use crate::medium::service::Service;
use crate::network::{Flow, Network, Role};
use crate::record::flow_stats::{Count, FlowStats};
use crate::record::variance_time::VarianceTime;
use crate::source::{AnySource, Source};
use crate::spec::{FlowSpec, Refusal, Spec};
use crate::table::Id;
use crate::targets::{Destination, Lists};
use crate::world::build::refuse;

impl Network {
    /// Flows in the scenario's order.
    pub(crate) fn add_flows(&mut self, spec: &Spec) -> Result<(), Refusal> {
        let mut checked: Option<&Arc<[usize]>> = None;
        for flow in &spec.flows {
            self.check_from(spec, flow)?;
            match &flow.to {
                // Properties that flows share are checked once.
                Destination::Others(to) if checked.is_some_and(|c| Arc::ptr_eq(c, to)) => {}
                Destination::Others(to) => {
                    let path = format!("flows.{}", flow.name);
                    self.check_to(spec, to, &path)?;
                    checked = Some(to);
                }
                _ => self.check_ends(spec, flow)?,
            }
            if matches!(&flow.to, Destination::Others(to) if to[..] == [flow.from]) {
                return no_host(&format!("flows.{}", flow.name));
            }
            check_traffic(flow)?;
        }
        let host = |node: usize| self.nodes[Id::new(node)].host;
        let mut lists = Lists::default();
        for flow in &spec.flows {
            let number = |n: usize| host(n).expect("checked above");
            let to = lists.targets(&flow.to, number(flow.from), number);
            self.flows.push(Flow {
                name: flow.name.clone(),
                from: Id::new(flow.from),
                port: Id::NONE,
                to,
                class: flow.class,
                ecn: flow.ecn,
                packet: flow.packet.0,
                stop: Time(flow.stop.0),
                seq: 0,
                source: flow.source.clone(),
                due: 0,
                random: Random::stream(spec.seed, "source", &flow.name),
                compass: Random::stream(spec.seed, "destination", &flow.name),
                path: Vec::new(),
                loose: false,
                role: Role::None,
                outside: flow.source.is_of_caller(),
                trimmed: flow
                    .transport
                    .as_ref()
                    .is_some_and(|t| t.sender.protocol.row().queue_pair),
                noticed: flow
                    .transport
                    .as_ref()
                    .is_some_and(|t| t.controller.receives_notices()),
                entered: Count::default(),
                stats: FlowStats::default(),
                variance_time: None,
            });
        }
        Ok(())
    }

    /// Flows whose Hurst parameter is asked for get a wire to measure it on, that of their host.
    pub(crate) fn add_variance_times(&mut self, spec: &Spec) -> Result<(), Refusal> {
        for (number, flow) in spec
            .flows
            .iter()
            .enumerate()
            .filter(|(_, f)| f.options.hurst)
        {
            let id = Id::new(number);
            let path = || format!("flows.{}.hurst", flow.name);
            if flow.transport.is_some() || self.flows[id].fill().is_some() {
                return refuse(
                    path(),
                    "a Hurst parameter is measured of a source that sends by a law of its own",
                    "remove `hurst`, or take a source with a rate and no transport",
                );
            }
            if self.flows[id].port.is_none() && self.flows[id].path.is_empty() {
                return refuse(
                    path(),
                    "a Hurst parameter is measured on one wire, and packets of this flow leave its host by several",
                    "remove `hurst`, or name one destination",
                );
            }
            let port = &self.ports[self.first_port(id)];
            let Service::Line = port.more.service else {
                return refuse(
                    path(),
                    "a Hurst parameter is measured on a wire with a line rate",
                    "remove `hurst`, or put a link between the host and what follows",
                );
            };
            let from = Time(spec.warmup.0);
            let measured = VarianceTime::new(port.ps_per_byte, from);
            self.flows[id].variance_time = Some(Box::new(measured));
        }
        Ok(())
    }

    /// A flow leads from a host.
    fn check_from(&self, spec: &Spec, flow: &FlowSpec) -> Result<(), Refusal> {
        if self.nodes[Id::new(flow.from)].host.is_none() {
            return refuse(
                format!("flows.{}.from", flow.name),
                not_host(spec, flow.from),
                "flows begin at hosts",
            );
        }
        Ok(())
    }

    /// It leads to hosts.
    fn check_to(&self, spec: &Spec, to: &[usize], path: &str) -> Result<(), Refusal> {
        if to.is_empty() {
            return no_host(path);
        }
        let host = |node: usize| self.nodes[Id::new(node)].host;
        if let Some(n) = to.iter().find(|n| host(**n).is_none()) {
            let what = not_host(spec, *n);
            return refuse(format!("{path}.to"), what, "flows end at hosts");
        }
        Ok(())
    }

    /// It leads to other hosts.
    fn check_ends(&self, spec: &Spec, flow: &FlowSpec) -> Result<(), Refusal> {
        let path = format!("flows.{}", flow.name);
        let to = flow.to.nodes();
        self.check_to(spec, &to, &path)?;
        if to.contains(&flow.from) {
            return refuse(
                format!("{path}.to"),
                "a flow would send to its own host",
                "name another host",
            );
        }
        Ok(())
    }
}

fn not_host(spec: &Spec, node: usize) -> String {
    format!("{} is a switch", spec.nodes[node].name)
}

fn no_host<T>(path: &str) -> Result<T, Refusal> {
    refuse(
        format!("{path}.to"),
        "no host to send to",
        "name at least one other host",
    )
}

/// The packets of a flow must fit frames and classes, and its source must suit the flow.
fn check_traffic(flow: &FlowSpec) -> Result<(), Refusal> {
    let path = format!("flows.{}", flow.name);
    if flow.packet.0 == 0 || flow.packet.0 > u64::from(u16::MAX) - HEADER_FCS {
        return refuse(
            format!("{path}.packet"),
            "a packet has 1 to 65517 bytes",
            "write a size such as \"1500 B\"",
        );
    }
    if usize::from(flow.class) >= MAX_CLASSES {
        return refuse(
            format!("{path}.class"),
            format!("there is no class {}", flow.class),
            "write a class from 0 to 7",
        );
    }
    if flow.source.needs_transport() && flow.transport.is_none() {
        return refuse(
            format!("{path}.source"),
            "this source sends as fast as a transport lets it, and the flow has none",
            "write transport = \"tcp\", or take a source with a rate",
        );
    }
    if let AnySource::Saturated(source) = &flow.source
        && source.packet() > flow.packet
    {
        return refuse(
            format!("{path}.source.packet"),
            format!(
                "packets of {} B exceed the flow's packets of {} B",
                source.packet().0,
                flow.packet.0
            ),
            "write smaller packets, or `packet` on the flow",
        );
    }
    if flow.start >= flow.stop {
        return refuse(
            format!("{path}.start"),
            "the flow starts when it has already stopped",
            "write a start before its stop",
        );
    }
    Ok(())
}
