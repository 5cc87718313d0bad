//! The settings of a queue pair of RDMA, for both of its ends.

use backwater_transport::endpoint::Protocol;
use backwater_transport::part::Args;
use backwater_transport::queue_pair::{MESSAGE_PACKETS, Notify, QueuePair};
use backwater_transport::units::Span;

use super::pull;
use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::flow::GO_BACK_0;

/// Refuses a gate of ports where no marks are told at once.
pub fn check_gate(record: &Record<'_>) -> Result<(), Diagnostic> {
    let args = &record.args;
    let (Some(written), true) = (record.get("cnp_gate"), args.has("cnp")) else {
        return Ok(());
    };
    let cnp = args.choice("cnp");
    if args.choice("cnp_gate") != "port" || cnp == "at-once" {
        return Ok(());
    }
    let what = format!(
        "`{}`: with cnp = \"{cnp}\" no notification waits for the gate of a port",
        written.path
    );
    let fix = "write cnp = \"at-once\", or leave cnp_gate out";
    Err(written.refuse(Fault::new(what, fix)))
}

/// The settings of a queue pair, for both ends.
pub fn read(args: &Args, protocol: Protocol, mss: u64) -> QueuePair {
    let span = |name: &str, otherwise: Span| match args.has(name) {
        true => args.span(name),
        false => otherwise,
    };
    let standard = QueuePair::default();
    let from_zero = args.has("recovery") && args.choice("recovery") == GO_BACK_0;
    let timeout = match protocol {
        Protocol::Irn => Span::micros(320),
        // The local ACK timeout 14 of InfiniBand: 4.096 us times two to the fourteenth.
        _ => Span::nanos(4096 << 14),
    };
    let gaps_are_losses = !args.has("gaps") || args.choice("gaps") == "losses";
    let notify = args.has("cnp").then(|| args.choice("cnp"));
    let notify = Notify::ALL.iter().find(|n| Some(n.0) == notify);
    QueuePair {
        message: from_zero.then(|| match args.has("message") {
            true => args.packets("message") * mss,
            false => MESSAGE_PACKETS * mss,
        }),
        nack_interval: args
            .has("nack_interval")
            .then(|| args.span("nack_interval")),
        notify: notify.map_or(standard.notify, |n| n.1),
        notify_interval: span("cnp_interval", standard.notify_interval),
        notify_per_port: args.has("cnp_gate") && args.choice("cnp_gate") == "port",
        timeout: Some(span("timeout", timeout)).filter(|t| *t > Span::ZERO),
        timeout_low: (protocol == Protocol::Irn).then(|| span("timeout_low", Span::micros(100))),
        cap: match (protocol, args.has("cap")) {
            (Protocol::Irn, true) => args.bytes("cap").0,
            (Protocol::Irn, false) if !args.has("pull") => 120_000,
            _ => u64::MAX,
        },
        counts_sacked: match args.has("sacked") {
            true => args.choice("sacked") == "counted",
            false => gaps_are_losses,
        },
        gaps_are_losses,
        pull: pull::read(args),
    }
}
