//! Credit for flows that end.

use backwater_sim::connection::Header;
use backwater_sim::record::{Record, What};
use backwater_transport::segment::Signal;

use crate::net::*;

/// The first packet, 1,030 B and 26 B around them, is at its host after 844.8 ns and a delay of 10 us. A flow that has ended then is given no credit, and one
/// that ends a nanosecond later some.
#[test]
fn a_flow_that_has_ended_is_given_no_credit() {
    for (ns, gives) in [("5000", false), ("10844.8", false), ("10845.8", true)] {
        let text = format!(
            r#"
duration = "200 us"
nodes = {{ A = {{ kind = "host" }}, B = {{ kind = "host" }} }}
links.a = {{ ends = ["A", "B"], rate = "10 Gbit/s", delay = "10 us" }}
flows.f = {{ from = "A", to = "B", packet = "1030 B", stop = "{ns} ns", transport = "irn", cnp = "off", pull = "16384 B", speculate = "20 kB", controller = {{ kind = "fixed", window = "100000 packets" }}, source = {{ kind = "bulk", size = "1 MB" }} }}
"#
        );
        let (report, records, _) = recorded(&text);
        assert!(report.flows[0].sums.delivered.packets > 4);
        let credit = |r: &&Record| {
            let given = r.header.as_deref();
            r.what == What::Send && matches!(given, Some(Header::Signal(Signal::Credit { .. })))
        };
        assert_eq!(records.iter().any(|r| credit(&r)), gives, "{ns}");
    }
}
