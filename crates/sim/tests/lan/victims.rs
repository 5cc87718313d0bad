//! Victims of head-of-line blocking: frames held back by a queue that isn't on their way.

use crate::net::*;

/// All flows go through the congested queue, so none is a victim, whatever its class.
#[test]
fn a_flow_to_the_congested_queue_is_no_victim_whatever_its_class() {
    for class in [0, 1, 7] {
        let (mut net, port) = merging(1.0, || cbr(5 * MBIT));
        net.0.flows.iter_mut().for_each(|f| f.class = class);
        net.recipe("pause", &[port], &[]);
        let report = net.run();
        assert!(report.control > 0);
        let victims: u64 = report.ports.iter().map(|p| p.count.victims).sum();
        assert_eq!(victims, 0, "class {class}");
    }
}
