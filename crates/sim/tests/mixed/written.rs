//! Every number that is written for a queue, a law of feedback or a part of a mechanism reaches it.

use backwater_sim::mechanism::{DETECTORS, NOTIFIERS, RESPONDERS};
use backwater_sim::queue::QUEUES;
use backwater_sim::stamp::STAMPS;
use backwater_transport::part::{Args, Part, Refusal};
use backwater_transport_testing::reaching;

use super::random::options;

type Build<T> = fn(&Args) -> Result<T, Refusal>;

fn lost<T: std::fmt::Debug>(table: &[Part<Build<T>>]) -> Vec<String> {
    let of = |row: &Part<Build<T>>| {
        // Only with this choice is the share, or the unit, used.
        let besides: &[_] = match row.id {
            "rate-comparison" => &[("underused", "rate")],
            "hop-record" => &[("fields", "quantised")],
            _ => &[],
        };
        let found = reaching::lost(row.options, besides, |given| {
            (row.build)(&options::fill(row.options, given))
        });
        let id = row.id;
        found.into_iter().map(move |name| format!("{id} {name}"))
    };
    table.iter().flat_map(of).collect()
}

#[test]
fn a_number_that_is_written_reaches_the_part() {
    let found = [
        lost(QUEUES),
        lost(DETECTORS),
        lost(NOTIFIERS),
        lost(RESPONDERS),
        lost(STAMPS),
    ];
    // Held otherwise: a weight as weight times quantum, the flows as a list, the round trip in the gains, and a greatest
    // AIFSN as steps from the least.
    let weights = (0..8).map(|class| format!("drr weight{class}"));
    let others = [
        "fq-codel flows",
        "dualpi2 rtt_max",
        "aifsn max",
        "aifsn max_BK",
        "aifsn max_BE",
        "aifsn max_VI",
        "aifsn max_VO",
    ];
    let known: Vec<String> = weights.chain(others.map(String::from)).collect();
    assert_eq!(found.concat(), known);
}
