//! The transport of a flow: its two ends, and the controller that each run makes anew, because its
//! random stream hangs on the seed.

use backwater_sim::spec::TransportSpec;
use backwater_transport::controller::{AnyController, Build, Controller, HOSTED, Setup};
use backwater_transport::endpoint::{
    AfterIdle, DelayedAck, EcnFeedback, Protocol, ReceiverSetup, Recovery, SenderSetup,
};
use backwater_transport::liar::Lie;
use backwater_transport::part::{Args, Part, Refusal};
use backwater_transport::random::Random;
use backwater_transport::spreading::{self, SPREADERS, Spreader};
use backwater_transport::units::{Bytes, Span};

use super::parts::{self, Made};
use super::queue_pair;
use super::record::Record;
use crate::diagnostic::{Diagnostic, Fault};
use crate::fields::flow::{CONTROLLER, GO_BACK_0, GO_BACK_N, ROCE, SPREAD, TRANSPORT_OPTIONS, UDP};
use crate::files::Files;
use crate::kinds;
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
    /// Its name in a scenario.
    pub name: &'static str,
    /// The sending end.
    pub sender: SenderSetup,
    /// The receiving end.
    pub receiver: ReceiverSetup,
    /// The controller.
    pub controller: Made,
    part: &'static Part<Build>,
    /// The card of the sending host pulls its segments.
    pub pulled: bool,
    /// Shift of the limit on bytes in the radio of the sending host.
    pub small_queue: Option<u8>,
    /// Class of acknowledgements.
    pub ack_class: u8,
    /// Class of notification packets.
    pub signal_class: u8,
    /// The spreader that chooses among equal ways, and how it was made.
    pub spreader: Option<(&'static Part<spreading::Build>, Made)>,
}

/// The transport of a flow and the size of its packets.
pub fn read(
    record: &Record<'_>,
    class_of_data: u8,
    files: &mut Files<'_>,
) -> Result<(Option<Transport>, Bytes), Diagnostic> {
    let args = &record.args;
    let name = args.choice("transport");
    check_options(record, name)?;
    check_recovery(record, name)?;
    queue_pair::check_gate(record)?;
    let mut packet = args.bytes("packet");
    if name == UDP {
        return Ok((None, packet));
    }
    let protocol = Protocol::ALL.iter().find(|p| p.row().id == name);
    let protocol = *protocol.expect("a choice among them");
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
    let part = parts::named_among(&kinds::controllers(), CONTROLLER, node)?;
    let ends = |congestion: u64| {
        let mss = segment(record, packet, protocol.row().header + congestion)?;
        let mut sender = SenderSetup::new(protocol, mss, frame);
        let mut receiver = ReceiverSetup::new(protocol, mss);
        if protocol.row().queue_pair {
            sender.pair = queue_pair::read(args, protocol, mss);
            receiver.pair = sender.pair;
        }
        adjust(args, &mut sender, &mut receiver);
        Ok((sender, receiver))
    };
    // Only the controller knows whether a congestion header takes room from the payload.
    let trial = setup(&ends(0)?.0, Random::stream(0, CONTROLLER, ""));
    let build = |args: &Args| sound((part.build)(args, &trial)?);
    let (built, controller) = parts::make_with(part, node, &[], files, build)?;
    super::pull::check(record, &built)?;
    let (sender, receiver) = ends(built.congestion_header_bytes())?;
    let transport = Transport {
        name,
        sender,
        receiver,
        controller,
        part,
        pulled: pulled(args, protocol),
        small_queue: small_queue(record)?,
        ack_class: class(args, "ack_class", class_of_data),
        signal_class: class(args, "cnp_class", class(args, "ack_class", class_of_data)),
        spreader: spreader(record, files)?,
    };
    Ok((Some(transport), packet))
}

/// A controller, unless it did something wrong already.
fn sound(made: AnyController) -> Result<AnyController, Refusal> {
    match made.fault() {
        Some(fault) => Err(fault.clone()),
        None => Ok(made),
    }
}

/// The spreader that chooses among equal ways, if any.
fn spreader(
    record: &Record<'_>,
    files: &mut Files<'_>,
) -> Result<Option<(&'static Part<spreading::Build>, Made)>, Diagnostic> {
    let Some(node) = record.get(SPREAD) else {
        return Ok(None);
    };
    let part = parts::named(SPREADERS, "spreader", node)?;
    let trial = |args: &Args| (part.build)(args, Random::stream(0, SPREAD, ""));
    let (_, made) = parts::make_with(part, node, &[], files, trial)?;
    Ok(Some((part, made)))
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

fn pulled(args: &Args, protocol: Protocol) -> bool {
    match args.has("nic") {
        true => args.choice("nic") == "pull",
        false => protocol.row().queue_pair,
    }
}

/// The shift of TCP small queues, which hold back what is pushed.
fn small_queue(record: &Record<'_>) -> Result<Option<u8>, Diagnostic> {
    let args = &record.args;
    let Some(written) = record.get("small_queue") else {
        return Ok(None);
    };
    if args.has("nic") && args.choice("nic") == "pull" {
        let what = format!(
            "`{}`: where a card pulls, nothing waits to be limited",
            written.path
        );
        return Err(written.refuse(Fault::new(what, "remove it, or write nic = \"push\"")));
    }
    Ok(Some(
        u8::try_from(args.count("small_queue")).expect("a bounded count"),
    ))
}

fn class(args: &Args, name: &str, otherwise: u8) -> u8 {
    match args.has(name) {
        true => args.count(name) as u8,
        false => otherwise,
    }
}

/// Refuses the recovery of another transport.
fn check_recovery(record: &Record<'_>, name: &str) -> Result<(), Diagnostic> {
    let Some(written) = record.get("recovery") else {
        return Ok(());
    };
    let recovery = record.args.choice("recovery");
    let of_pairs = recovery == GO_BACK_N || recovery == GO_BACK_0;
    if of_pairs == (name == ROCE) {
        return Ok(());
    }
    let what = format!(
        "`{}`: transport = \"{name}\" does not repair losses by {recovery}",
        written.path
    );
    let fix = match of_pairs {
        true => "write \"rack\", \"sack\" or \"newreno\", or transport = \"roce\"",
        false => "write \"go-back-n\" or \"go-back-0\", or transport = \"tcp\"",
    };
    Err(written.refuse(Fault::new(what, fix)))
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

/// Sets the values that a person wrote instead of the defaults.
fn adjust(args: &Args, sender: &mut SenderSetup, receiver: &mut ReceiverSetup) {
    if args.has("recovery") && !sender.protocol.row().queue_pair {
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
    if sender.protocol.row().delays_acks {
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
        match (self.sender.protocol, self.sender.pair.message) {
            (Protocol::Roce, Some(_)) => GO_BACK_0,
            (Protocol::Roce, None) => GO_BACK_N,
            (Protocol::Irn, _) => "selective",
            _ => self.sender.recovery.name(),
        }
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
        let spreader = self.spreader.as_ref().map(|(part, made)| {
            (part.build)(&made.args, Random::stream(seed, SPREAD, flow))
                .expect("the same arguments made a spreader when the scenario was read")
        });
        let mut sender = self.sender.clone();
        if sender.protocol.row().queue_pair && spreader.as_ref().is_some_and(Spreader::reads_marks)
        {
            sender.ecn = EcnFeedback::Accurate;
        }
        TransportSpec {
            sender,
            receiver: self.receiver.clone().serving(&controller),
            controller,
            pulled: self.pulled,
            small_queue: self.small_queue,
            ack_class: self.ack_class,
            signal_class: self.signal_class,
            spreader,
        }
    }
}
