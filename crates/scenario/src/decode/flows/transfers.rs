//! A flow, and so a queue pair, for each transfer of a source: transfers come at random to each sender, and each goes to a receiver
//! drawn for it, as in the traffic generator of HPCC's simulator.

use backwater_sim::source::{AnySource, Source};
use backwater_sim::spec::FlowSpec;
use backwater_transport::random::Random;
use backwater_transport::units::{Span, Time};

use super::{Flow, Pattern};
use crate::decode::record::Record;
use crate::diagnostic::{Diagnostic, Fault};

/// Refuses the pattern with another source, and without a transport.
pub fn check(
    record: &Record<'_>,
    pattern: Pattern,
    source: &AnySource,
    transport: bool,
) -> Result<(), Diagnostic> {
    if pattern != Pattern::Transfers {
        return Ok(());
    }
    let node = record.need("source");
    if source.mean_gap().is_none() {
        let what = format!(
            "`{}`: its transfers are not drawn before the run",
            node.path
        );
        let fix = "write kind = \"workload\", or another pattern";
        return Err(node.refuse(Fault::new(what, fix)));
    }
    if !transport {
        let node = record.need("pattern");
        let what = format!("`{}`: a transfer needs a transport", node.path);
        let fix = "write transport = \"roce\", \"irn\" or \"tcp\"";
        return Err(node.refuse(Fault::new(what, fix)));
    }
    Ok(())
}

impl Flow {
    /// How many flows it stands for, on average.
    pub(super) fn expected_transfers(&self) -> u64 {
        let gap = self.source.mean_gap().expect("checked when it was read");
        let each = Span(self.stop.0.saturating_sub(self.start.0)).seconds() / gap;
        (each * self.from.len() as f64) as u64
    }

    /// Its flows, each with one transfer. `plain` makes a flow by name from one host to another. No transfer begins after `stop`,
    /// and each that has begun goes on.
    pub(super) fn transfers(
        &self,
        seed: u64,
        plain: impl Fn(String, usize, usize) -> FlowSpec,
        name: impl Fn(usize) -> String,
    ) -> Vec<FlowSpec> {
        let mut flows = Vec::new();
        for from in &self.from {
            let own = format!("{}/{}", self.name, name(*from));
            let mut random = Random::stream(seed, "transfers", &own);
            let others: Vec<usize> = self.to.iter().copied().filter(|to| to != from).collect();
            let mut source = self.source.clone();
            let mut now = Time(self.start.0);
            while let Some(demand) = source
                .next(now, &mut random)
                .filter(|d| d.at.0 < self.stop.0)
            {
                let to = others[random.between(0, others.len() as u64 - 1) as usize];
                let number = flows.len();
                flows.push(FlowSpec {
                    start: Span(demand.at.0),
                    stop: Span(Time::NEVER.0),
                    source: AnySource::of_transfer(demand.bytes),
                    ..plain(format!("{own}/{number}"), *from, to)
                });
                now = demand.at;
            }
        }
        flows
    }
}
