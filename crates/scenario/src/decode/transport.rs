//! The transport of a flow: its two ends, and the controller that each run makes anew, because its
//! random stream hangs on the seed.

use backwater_sim::connection::segment_header;
use backwater_sim::spec::TransportSpec;
use backwater_transport::controller::{Build, CONTROLLERS, Controller, HOSTED, Setup};
use backwater_transport::endpoint::{
    AfterIdle, DelayedAck, EcnFeedback, Protocol, ReceiverSetup, Recovery, SenderSetup,
};
use backwater_transport::liar::Lie;
use backwater_transport::part::Args;
use backwater_transport::part::Part;
use backwater_transport::random::Random;
use backwater_transport::units::{Bytes, Span};

use super::parts::{self, Made};
use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::flow::{CONTROLLER, TCP, TRANSPORT_OPTIONS, UDP};
use crate::files::Files;
use crate::options::missing;

/// Bytes of an Ethernet header, which is what a frame without FCS has more than its packet.
const ETHERNET: u64 = 14;
/// Bytes of header and FCS.
const ETHERNET_FCS: u64 = ETHERNET + 4;
/// Delayed acknowledgements: every second segment (RFC 5681 section 4.2), after 40 ms as in Linux.
const DELAYED: DelayedAck = DelayedAck {
    segments: 2,
    timeout: Span::millis(40),
};

/// The transport of a flow.
#[derive(Clone, Debug)]
pub struct Transport {
    /// What a scenario calls it.
    pub name: &'static str,
    /// The sending end.
    pub sender: SenderSetup,
    /// The receiving end.
    pub receiver: ReceiverSetup,
    /// The controller.
    pub controller: Made,
    part: &'static Part<Build>,
}

/// The transport of a flow and the size of its packets.
pub fn read(
    record: &Record<'_>,
    files: &mut Files<'_>,
) -> Result<(Option<Transport>, Bytes), Diagnostic> {
    let args = &record.args;
    let name = args.choice("transport");
    check_options(record, name)?;
    let mut packet = args.bytes("packet");
    if name == UDP {
        return Ok((None, packet));
    }
    let protocol = match name {
        TCP => Protocol::Stream,
        _ => Protocol::Datagram,
    };
    let mut frame = packet.0 + ETHERNET_FCS;
    if let Some(written) = record.get("frame") {
        if record.get("packet").is_some() {
            let what = format!(
                "`{}`: the size of a frame follows from its packet's",
                written.path
            );
            return Err(written.refuse(Fault::new(what, "write one of `frame` and `packet`")));
        }
        frame = args.bytes("frame").0;
        packet = Bytes(frame - ETHERNET);
    }
    let Some(node) = record.get(CONTROLLER) else {
        return Err(record.node.refuse(missing(
            CONTROLLER,
            "which congestion controller",
            "{ kind = \"fixed\" }",
            &record.node.path,
        )));
    };
    let part = parts::named_among(&[CONTROLLERS, HOSTED], CONTROLLER, node)?;
    let ends = |congestion: u64| {
        let mss = segment(record, packet, segment_header(protocol) + congestion)?;
        let mut sender = SenderSetup::new(protocol, mss, frame);
        let mut receiver = ReceiverSetup::new(protocol, mss);
        adjust(args, &mut sender, &mut receiver);
        Ok((sender, receiver))
    };
    // Only the controller knows whether a congestion header takes room from the payload.
    let trial = setup(&ends(0)?.0, Random::stream(0, CONTROLLER, ""));
    let build = |args: &Args| (part.build)(args, &trial);
    let (built, controller) = parts::make_with(part, node, &[], files, build)?;
    let (sender, receiver) = ends(built.congestion_header_bytes())?;
    let transport = Transport {
        name,
        sender,
        receiver,
        controller,
        part,
    };
    Ok((Some(transport), packet))
}

/// Payload bytes of a full segment behind so many bytes of headers.
fn segment(record: &Record<'_>, packet: Bytes, header: u64) -> Result<u64, Diagnostic> {
    let mss = packet.0.checked_sub(header).filter(|mss| *mss > 0);
    mss.ok_or_else(|| {
        let blamed = record.get("frame").or(record.get("packet"));
        let what = format!(
            "`{}`: packets of {} B have no room for data behind {header} B of headers",
            record.node.path, packet.0
        );
        let fault = Fault::new(what, "write larger packets, such as \"1500 B\"");
        blamed.unwrap_or(record.node).refuse(fault)
    })
}

/// Refuses options of other transports.
fn check_options(record: &Record<'_>, name: &str) -> Result<(), Diagnostic> {
    for (option, transports) in TRANSPORT_OPTIONS {
        if let Some(written) = record.get(option)
            && !transports.contains(&name)
        {
            let what = format!(
                "`{}`: a flow with transport = \"{name}\" has no {option}",
                written.path
            );
            let fix = format!(
                "remove it, or write transport = \"{}\"",
                transports.join("\" or \"")
            );
            return Err(written.refuse(Fault::new(what, fix)));
        }
    }
    Ok(())
}

/// What a person wrote instead of the defaults.
fn adjust(args: &Args, sender: &mut SenderSetup, receiver: &mut ReceiverSetup) {
    if args.has("recovery") {
        let name = args.choice("recovery");
        let found = Recovery::ALL.iter().find(|r| r.0 == name);
        sender.recovery = found.expect("a choice among them").1;
    }
    if args.has("initial_window") {
        sender.initial = args.packets("initial_window") * sender.mss;
    }
    if args.has("rto_min") {
        sender.rto_min = args.span("rto_min");
    }
    if args.has("after_idle") {
        let name = args.choice("after_idle");
        let found = AfterIdle::ALL.iter().find(|r| r.0 == name);
        sender.after_idle = found.expect("a choice among them").1;
    }
    if args.has("silence") {
        sender.silence = args.span("silence");
    }
    if args.has("pacing") {
        sender.pacing = args.flag("pacing");
    }
    if args.has("marks") {
        let marks = match args.choice("marks") {
            "classic" => EcnFeedback::Classic,
            "dctcp" => EcnFeedback::Dctcp,
            "accurate" => EcnFeedback::Accurate,
            "ace" => EcnFeedback::Ace,
            _ => EcnFeedback::Off,
        };
        (sender.ecn, receiver.ecn) = (marks, marks);
    }
    if sender.protocol == Protocol::Stream {
        receiver.delayed_ack = match args.has("delayed_ack").then(|| args.span("delayed_ack")) {
            None => Some(DELAYED),
            Some(Span::ZERO) => None,
            Some(timeout) => Some(DelayedAck { timeout, ..DELAYED }),
        };
        if let Some(lie) = Lie::ALL.iter().find(|l| l.0 == args.choice("receiver")) {
            // A receiver that wants more acknowledges at once.
            (receiver.lie, receiver.delayed_ack) = (Some(lie.1), None);
        }
        sender.ack_delay = receiver.delayed_ack.map_or(Span::ZERO, |d| d.timeout);
    }
}

fn setup(sender: &SenderSetup, random: Random) -> Setup {
    Setup {
        protocol: sender.protocol,
        mss: sender.mss,
        frame: sender.frame,
        initial: sender.initial,
        random,
    }
}

impl Transport {
    /// Whether a host makes the controller.
    pub fn hosted(&self) -> bool {
        HOSTED.iter().any(|part| part.id == self.part.id)
    }

    /// The word for its loss recovery.
    pub fn recovery(&self) -> &'static str {
        self.sender.recovery.name()
    }

    /// The word for its marks.
    pub fn marks(&self) -> &'static str {
        match self.sender.ecn {
            EcnFeedback::Off => "off",
            EcnFeedback::Classic => "classic",
            EcnFeedback::Dctcp => "dctcp",
            EcnFeedback::Accurate => "accurate",
            EcnFeedback::Ace => "ace",
        }
    }

    /// The transport of one run's flow.
    pub fn spec(&self, seed: u64, flow: &str) -> TransportSpec {
        let setup = setup(&self.sender, Random::stream(seed, CONTROLLER, flow));
        let controller = (self.part.build)(&self.controller.args, &setup)
            .expect("the same arguments made a controller when the scenario was read");
        TransportSpec {
            sender: self.sender.clone(),
            receiver: self.receiver.clone().serving(&controller),
            controller,
        }
    }
}
