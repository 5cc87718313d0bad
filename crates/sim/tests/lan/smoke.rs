use crate::net::*;
use backwater_transport::part::Value;
use backwater_transport::units::{Bytes, Rate};

#[test]
fn pause_loses_nothing_where_none_loses() {
    let source = || {
        source(
            "uniform-uniform",
            &[
                ("burst", Value::Bytes(Bytes(48_000))),
                ("rate", Value::Rate(Rate(3 * MBIT))),
            ],
        )
    };
    let (mut net, port) = merging(60.0, source);
    let report = net.run();
    println!(
        "{} entered {} delivered {} dropped {}",
        report.fingerprint, report.entered, report.delivered, report.dropped
    );
    assert!(report.dropped > 0);
    net.recipe("pause", &[port], &[]);
    let report = net.run();
    println!(
        "{} entered {} delivered {} dropped {} control {}",
        report.fingerprint, report.entered, report.delivered, report.dropped, report.control
    );
    assert_eq!(report.dropped, 0);
    let (recorded, records) = net.run_recorded();
    println!("{}", records.len());
    assert_eq!(recorded.fingerprint, report.fingerprint);
}
