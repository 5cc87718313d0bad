//! Flows of a collective: its ranks are the hosts of one row, in the order of their names.

use backwater_sim::source::{self, ALGORITHM, AnySource, Step, steps};
use backwater_sim::spec::{After, FlowSpec};
use backwater_transport::units::Span;

use super::{Flow, Pattern};
use crate::decode::parts::Made;
use crate::decode::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::tree::Node;

/// A document's entry of a collective before it has run.
pub struct Ranks {
    /// The row of the scenario.
    pub row: String,
    /// When its first transfers begin.
    pub start: Span,
    /// How many ranks there are.
    pub ranks: usize,
    /// Bytes that each rank has before it begins.
    pub size: u64,
    /// Transfers of all ranks.
    pub transfers: u64,
    /// Whether it is an all-reduce.
    pub reduces: bool,
}

/// Refuses a collective without its pattern, the pattern without a collective, and ranks that do not fit.
pub fn check(
    record: &Record<'_>,
    pattern: Pattern,
    (source, made): (&AnySource, &Made),
    (from, to): (&[usize], &[usize]),
) -> Result<(), Diagnostic> {
    let node = record.need("source");
    if source.is_collective() != (pattern == Pattern::Ranks) {
        let what = format!(
            "`{}`: the source \"collective\" and pattern = \"ranks\" go together",
            node.path
        );
        return Err(node.refuse(Fault::new(what, "write both or neither")));
    }
    if pattern != Pattern::Ranks {
        return Ok(());
    }
    if from != to {
        let to = record.need("to");
        let what = format!("`{}`: each rank both sends and receives", to.path);
        return Err(to.refuse(Fault::new(
            what,
            "match the same hosts with `from` and `to`",
        )));
    }
    steps(&made.args, from.len())
        .map(|_| ())
        .map_err(|refusal| {
            let at = node.get(ALGORITHM).unwrap_or(node);
            let what = format!("`{}`: {}", at.path, refusal.what);
            at.refuse(Fault::new(what, refusal.fix))
        })
}

/// Refuses ranks that have nobody to send to.
pub(super) fn too_few(to: &Node) -> Diagnostic {
    let what = format!(
        "`{}`: a collective is among two ranks or more, and `from` or `to` names one host",
        to.path
    );
    let fix = "match the same two hosts or more with `from` and `to`, such as \"h*\"";
    to.refuse(Fault::new(what, fix))
}

impl Flow {
    /// How many flows it stands for.
    pub fn count(&self) -> u64 {
        match self.pattern {
            Pattern::Ranks => self.steps().len() as u64,
            Pattern::Transfers => self.expected_transfers(),
            _ => self.from.len() as u64,
        }
    }

    /// The collective that it stands for.
    pub fn collective(&self) -> Ranks {
        let steps = self.steps();
        let transfers = steps.iter().map(|step| step.sizes.len() as u64);
        Ranks {
            row: self.name.clone(),
            start: self.start,
            ranks: self.from.len(),
            size: source::size(&self.made.args),
            transfers: transfers.sum(),
            reduces: source::reduces(&self.made.args),
        }
    }

    fn steps(&self) -> Vec<Step> {
        let made = steps(&self.made.args, self.from.len());
        made.expect("they were checked when the scenario was read")
    }

    /// The flows of a collective. `plain` makes a flow by name from one host to another; what each waits for counts from the first
    /// of these flows.
    pub(super) fn among_ranks(
        &self,
        plain: impl Fn(String, usize, usize) -> FlowSpec,
        name: impl Fn(usize) -> String,
    ) -> Vec<FlowSpec> {
        let flow = |step: &Step| {
            let (from, to) = (self.from[step.from], self.to[step.to]);
            let own = format!("{}/{}/{}", self.name, name(from), step.number);
            FlowSpec {
                source: AnySource::of_step(step),
                after: Some(After {
                    flows: step.after.clone(),
                    lead: step.lead,
                    delays: Vec::new(),
                }),
                ..plain(own, from, to)
            }
        };
        self.steps().iter().map(flow).collect()
    }
}
