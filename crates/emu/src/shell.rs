//! `backwater emulate`: a command in a namespace behind boxes.

use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use backwater_scenario::{Failure, Folders, Keep, LinkLog, Resolved, Scenario};
use backwater_sim::world::World;
use backwater_transport::units::Span;
use serde_json::{Value, json};

use crate::address::{self, Address};
use crate::certificate::Bounds;
use crate::device;
use crate::driver::RealNode;
use crate::fault::Fault;
use crate::live::Live;
use crate::namespace::{self, Inside};
use crate::nat;
use crate::page::LivePage;
use crate::plan::{INSIDE, LogWanted, OUTSIDE, Plan};
use crate::session::{self, Kept};
use crate::system;

/// Largest IP packet: that of Ethernet, which is what the boxes' links carry.
pub(crate) const MTU: u32 = 1500;
/// The variable that names the network outside, as mahimahi has it.
const BASE: &str = "MAHIMAHI_BASE";

/// The requests besides the boxes.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The environment of commands.
    pub environment: Vec<(String, String)>,
    /// Where trace files are looked up.
    pub traces: Option<PathBuf>,
    /// The command line, for the headers of logs.
    pub command_line: String,
    /// Sleep whenever nothing is due, or never; without a wish the links decide.
    pub low_cpu: Option<bool>,
    /// Write a line with counts to stderr while it runs.
    pub live: bool,
    /// The bounds that the result must keep.
    pub bounds: Bounds,
    /// Packets pass without a model.
    pub raw: bool,
    /// Devices hand over no super-packets.
    pub no_offload: bool,
    /// A CSV file of every event of the world.
    pub record: Option<PathBuf>,
    /// A pcapng capture of the packets that left to programs, as they were.
    pub pcap: Option<PathBuf>,
    /// A pcapng capture of every port of the world, with the headers of the model.
    pub pcap_model: Option<PathBuf>,
    /// Sums over intervals of this length, of the first hour.
    pub series: Option<Span>,
    /// The path of a socket that takes changes.
    pub control: Option<PathBuf>,
    /// A page that follows the emulation, as HTML; it needs `series`.
    pub live_page: Option<String>,
}

impl Wishes {
    /// Whether anything is kept of what happens, but for the logs of links.
    pub(crate) fn keeps(&self) -> bool {
        let files = [&self.record, &self.pcap, &self.pcap_model];
        self.series.is_some() || files.into_iter().any(Option::is_some)
    }

    /// The records of the world that are kept.
    pub(crate) fn keep(&self) -> Keep<'_> {
        Keep {
            record: self.record.as_deref(),
            pcap: self.pcap_model.as_deref(),
            series: self.series,
            ..Keep::default()
        }
    }
}

/// How an emulation went.
#[derive(Debug)]
pub struct Ended {
    /// The exit code of the command, or of the signal that ended it all.
    pub code: i32,
    /// The certificate and the sums, for `--json`.
    pub document: Value,
    /// Each bound that does not hold.
    pub broken: Vec<String>,
}

/// Runs a command behind the boxes of a command line.
///
/// # Errors
/// When the request is refused, or the system lacks something that it needs.
pub fn boxes(words: &[String], wishes: &Wishes) -> Result<Ended, Fault> {
    let plan = Plan::read(words)?;
    let (scenario, wanted) = plan.scenario()?;
    let plan_is_raw = plan.is_raw();
    let mut scenario = read(&scenario, wishes)?;
    let resolved = scenario
        .resolve_once(None)
        .map_err(|d| Fault::Scenario(Box::new(d)))?;
    let mut world = build(&resolved)?;
    let listen = |path: &PathBuf| Live::listen(path, scenario.clone(), resolved.clone());
    let mut live = wishes.control.as_ref().map(listen).transpose()?;
    let page = open_page(wishes)?;
    let logs = open_logs(&wanted, &mut world, &resolved, wishes)?;
    let command = match plan.command.is_empty() {
        false => plan.command,
        true => vec![shell(wishes)],
    };
    enter_outside()?;
    let name = format!("bw-{}", system::own_pid());
    let used = std::fs::read_to_string("/proc/net/fib_trie").unwrap_or_default();
    let addresses = address::free(2, &address::used(&used));
    let (base, own) = (addresses[0], addresses[1]);
    let device = open_outside(&name, base, own, !wishes.no_offload)?;
    // The kernel removes the rules with this socket.
    let _rules = route_beyond(&name, own);
    let inside = Inside {
        command,
        environment: environment(wishes, base.v4),
        own,
        peer: base,
        mtu: MTU,
        offload: !wishes.no_offload,
        hosts: String::new(),
        resolvers: resolvers(),
    };
    let (running, theirs) = namespace::prepare(&inside)?;
    let node = |name: &str| world.node(name).expect("a node of these boxes");
    let (in_node, out_node) = (node(INSIDE), node(OUTSIDE));
    let places = vec![
        RealNode {
            node: in_node,
            device: theirs,
            addresses: of_address(own),
            otherwise: Some(out_node),
        },
        RealNode {
            node: out_node,
            device,
            addresses: of_address(base),
            otherwise: Some(in_node),
        },
    ];
    let wishes = &Wishes {
        raw: plan_is_raw,
        ..wishes.clone()
    };
    let kept = Kept {
        logs,
        live: live.as_mut(),
        page,
    };
    let ran = session::run(world, places, &[running], Some(&name), kept, wishes)?;
    let mut ended = session::ended(ran, &resolved, wishes);
    ended.document["changes"] = json!(live.map_or(Vec::new(), |live| live.changes.clone()));
    Ok(ended)
}

/// Opens the page that was asked for, and says where it is.
pub(crate) fn open_page(wishes: &Wishes) -> Result<Option<LivePage>, Fault> {
    let page = wishes
        .live_page
        .as_deref()
        .map(LivePage::open)
        .transpose()?;
    if let Some(page) = &page {
        eprintln!("live page: {}", page.address());
    }
    Ok(page)
}

fn open_logs(
    wanted: &[LogWanted],
    world: &mut World,
    resolved: &Resolved,
    wishes: &Wishes,
) -> Result<Vec<LinkLog>, Fault> {
    let begun = system::unix_ms();
    let open = |log: &LogWanted| {
        let opened = LinkLog::open(world, resolved, &log.link, Path::new(&log.file));
        let headed = |opened: LinkLog| {
            opened.headed(log.direction, &wishes.command_line, begun, &log.config)
        };
        opened.map(headed).map_err(of_failure)
    };
    wanted.iter().map(open).collect()
}

fn read(scenario: &Value, wishes: &Wishes) -> Result<Scenario, Fault> {
    let folders = Folders {
        scenario: Some(".".into()),
        traces: wishes.traces.clone(),
        ..Folders::default()
    };
    let read = Scenario::from_json(scenario.to_string(), "emulate", folders);
    read.map_err(|d| Fault::Scenario(Box::new(d)))
}

fn build(resolved: &Resolved) -> Result<World, Fault> {
    resolved.build().map_err(|d| Fault::Scenario(Box::new(d)))
}

pub(crate) fn of_failure(failure: Failure) -> Fault {
    match failure {
        Failure::Refused(diagnostic) | Failure::Part(diagnostic) => Fault::Scenario(diagnostic),
        Failure::Io(path, error) => Fault::system(&path, &error, "give another file"),
    }
}

fn shell(wishes: &Wishes) -> String {
    let set = wishes.environment.iter().find(|(name, _)| name == "SHELL");
    set.map_or_else(|| "/bin/sh".to_owned(), |(_, shell)| shell.clone())
}

fn environment(wishes: &Wishes, base: Ipv4Addr) -> Vec<(String, String)> {
    let mut all = wishes.environment.clone();
    // In nested shells it stays the address of the outermost network.
    if !all.iter().any(|(name, _)| name == BASE) {
        all.push((BASE.to_owned(), base.to_string()));
    }
    all
}

pub(crate) fn of_address(address: Address) -> Vec<IpAddr> {
    vec![address.v4.into(), address.v6.into()]
}

/// Stays in the network of the caller with the privileges for it. Without them the emulator leaves for a new network, with
/// nothing else in it.
pub(crate) fn enter_outside() -> Result<(), Fault> {
    if system::has_capability(system::NET_ADMIN) {
        return Ok(());
    }
    let (user, group) = system::user();
    let made = system::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNET)
        .and_then(|()| namespace::map_user(user, group))
        .and_then(|()| device::raise_loopback());
    made.map_err(|error| {
        let fix = "run it as root, or allow user namespaces; `backwater doctor` says how";
        Fault::system("a network of its own without privileges", &error, fix)
    })?;
    eprintln!(
        "backwater: without privileges the network outside is a new one: nothing but its loopback is there"
    );
    Ok(())
}

/// Has packets from inside reach the networks beyond the one outside. Where that fails, its own addresses stay within reach.
fn route_beyond(name: &str, own: Address) -> Option<OwnedFd> {
    if !nat::forwards() {
        eprintln!(
            "backwater: the network outside does not forward, so only its own addresses are\n\
             within reach; `sudo sysctl -w net.ipv4.ip_forward=1` changes that"
        );
        return None;
    }
    match nat::masquerade(name, own) {
        Ok(rules) => Some(rules),
        Err(error) => {
            eprintln!(
                "backwater: no address translation ({error}), so only addresses of the network outside are within reach; \
                 `backwater doctor` says what helps"
            );
            None
        }
    }
}

fn resolvers() -> Option<&'static str> {
    match nat::resolver() {
        nat::Resolver::AsItIs => None,
        nat::Resolver::Instead(path) => Some(path),
        nat::Resolver::OutOfReach => {
            eprintln!(
                "backwater: /etc/resolv.conf names loopback servers alone, which do not answer inside; \
                 `backwater doctor` says what helps"
            );
            None
        }
    }
}

fn open_outside(name: &str, own: Address, peer: Address, offload: bool) -> Result<OwnedFd, Fault> {
    let fix = "run `backwater doctor`, which says what this system lacks for emulation";
    let opened = device::open(name, offload);
    let device = opened.map_err(|error| Fault::system("/dev/net/tun", &error, fix))?;
    let configured = device::configure(name, own, peer, MTU);
    configured.map_err(|error| Fault::system("the device outside", &error, fix))?;
    Ok(device)
}
