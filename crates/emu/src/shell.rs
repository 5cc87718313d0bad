//! `backwater emulate`: a command in a namespace behind boxes.

use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::OwnedFd;
use std::path::Path;

use backwater_scenario::{Failure, Folders, LinkLog, Resolved, Scenario};
use backwater_sim::world::World;
use backwater_transport::units::{Span, Time};
use serde_json::{Value, json};

use crate::address::{self, Address};
use crate::certificate::Bounds;
use crate::device;
use crate::driver::{Driver, Patience, Place};
use crate::fault::Fault;
use crate::namespace::{self, Inside, Running};
use crate::plan::{INSIDE, OUTSIDE, Plan};
use crate::system::{self, Signals};

/// Largest IP packet: that of Ethernet, which is what the boxes' links carry.
pub(crate) const MTU: u32 = 1500;
/// How often the driver looks at what is no packet: children, signals, the live line.
const CHECK: Span = Span::millis(20);
/// How often the live line and logs are written.
const LIVE: Span = Span::millis(500);
/// The variable that names the network outside, as mahimahi has it.
const BASE: &str = "MAHIMAHI_BASE";

/// What is asked for besides the boxes.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// The environment of commands.
    pub environment: Vec<(String, String)>,
    /// Where trace files are looked up.
    pub traces: Option<std::path::PathBuf>,
    /// The command line, for the headers of logs.
    pub command_line: String,
    /// Sleep whenever nothing is due.
    pub low_cpu: bool,
    /// Write a line with counts to stderr while it runs.
    pub live: bool,
    /// What the result must hold.
    pub bounds: Bounds,
    /// Packets pass without a model.
    pub raw: bool,
    /// Devices hand over no super-packets.
    pub no_offload: bool,
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
/// What is refused, or what the system lacks.
pub fn boxes(words: &[String], wishes: &Wishes) -> Result<Ended, Fault> {
    let plan = Plan::read(words)?;
    let (scenario, wanted) = plan.scenario()?;
    let plan_is_raw = plan.is_raw();
    let resolved = resolve(&scenario, wishes)?;
    let mut world = build(&resolved)?;
    let begun = system::unix_ms();
    let mut logs = Vec::new();
    for log in &wanted {
        let opened = LinkLog::open(&mut world, &resolved, &log.link, Path::new(&log.file));
        let opened = opened.map_err(of_failure)?;
        logs.push(opened.headed(log.direction, &wishes.command_line, begun, &log.config));
    }
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
    let inside = Inside {
        command,
        environment: environment(wishes, base.v4),
        own,
        peer: base,
        mtu: MTU,
        offload: !wishes.no_offload,
        hosts: String::new(),
    };
    let running = namespace::prepare(&inside)?;
    let node = |name: &str| world.node(name).expect("a node of these boxes");
    let (in_node, out_node) = (node(INSIDE), node(OUTSIDE));
    let theirs = running.device.try_clone();
    let places = vec![
        Place {
            node: in_node,
            device: theirs.map_err(|e| Fault::system("the device", &e, "try again"))?,
            addresses: of_address(own),
            otherwise: Some(out_node),
        },
        Place {
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
    let ended = run(world, places, &[running], Some(&name), &mut logs, wishes);
    let (mut driver, code) = ended?;
    for log in logs {
        log.close(&mut driver.world).map_err(of_failure)?;
    }
    Ok(report(driver, code, wishes))
}

fn resolve(scenario: &Value, wishes: &Wishes) -> Result<Resolved, Fault> {
    let folders = Folders {
        scenario: Some(".".into()),
        traces: wishes.traces.clone(),
    };
    let read = Scenario::from_json(scenario.to_string(), "emulate", folders);
    let resolved = read.and_then(|scenario| scenario.resolve(None));
    resolved.map_err(|d| Fault::Scenario(Box::new(d)))
}

fn build(resolved: &Resolved) -> Result<World, Fault> {
    resolved.build().map_err(|d| Fault::Scenario(Box::new(d)))
}

fn of_failure(failure: Failure) -> Fault {
    match failure {
        Failure::Refused(diagnostic) => Fault::Scenario(diagnostic),
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

fn open_outside(name: &str, own: Address, peer: Address, offload: bool) -> Result<OwnedFd, Fault> {
    let fix = "run `backwater doctor`, which says what this system lacks for emulation";
    let opened = device::open(name, offload);
    let device = opened.map_err(|error| Fault::system("/dev/net/tun", &error, fix))?;
    let configured = device::configure(name, own, peer, MTU);
    configured.map_err(|error| Fault::system("the device outside", &error, fix))?;
    Ok(device)
}

/// Signals that end an emulation when they are sent to it, and SIGCHLD, which ends a sleep.
const SIGNALS: [libc::c_int; 5] = [
    libc::SIGCHLD,
    libc::SIGINT,
    libc::SIGTERM,
    libc::SIGHUP,
    libc::SIGQUIT,
];

/// Starts the commands and drives the world until the last of them in the list ends. Gives the driver and the exit code.
pub(crate) fn run(
    world: World,
    places: Vec<Place>,
    running: &[Running],
    outside: Option<&str>,
    logs: &mut [LinkLog],
    wishes: &Wishes,
) -> Result<(Driver, i32), Fault> {
    let fail = |error: std::io::Error| Fault::system("the emulation", &error, "try again");
    let signals = Signals::catch(&SIGNALS).map_err(fail)?;
    let patience = match wishes.low_cpu {
        true => Patience::LOW_CPU,
        false => Patience::EXACT,
    };
    let mut driver = Driver::new(world, places, patience, &[signals.descriptor()]).map_err(fail)?;
    driver.raw = wishes.raw;
    let cpu = system::cpu_s();
    driver.real_time = system::be_prompt();
    for command in running {
        command.start().map_err(fail)?;
    }
    let ended = drive(&mut driver, running, &signals, logs, wishes);
    system::be_ordinary();
    driver.cpu_s = system::cpu_s() - cpu;
    let drops = || -> std::io::Result<u64> {
        let mut drops = 0;
        for command in running {
            drops += command.dropped()?;
        }
        if let Some(name) = outside {
            let text = std::fs::read_to_string("/proc/self/net/dev")?;
            drops += device::dropped(&text, name).unwrap_or(0);
        }
        Ok(drops)
    };
    driver.certificate.dropped = drops().map_err(fail)?;
    let code = ended;
    let done = usize::from(matches!(code, Ok(Cause::Command(_))));
    let left = running.iter().take(running.len() - done);
    left.for_each(Running::end);
    code.map(|ended| (driver, ended.code()))
}

/// What ended an emulation.
enum Cause {
    Command(i32),
    Signal(i32),
}

impl Cause {
    fn code(&self) -> i32 {
        match self {
            Cause::Command(code) => *code,
            Cause::Signal(signal) => 128 + signal,
        }
    }
}

fn drive(
    driver: &mut Driver,
    running: &[Running],
    signals: &Signals,
    logs: &mut [LinkLog],
    wishes: &Wishes,
) -> Result<Cause, Fault> {
    let fail = |error: std::io::Error| Fault::system("the emulation", &error, "try again");
    let mut line = Time::ZERO;
    let mut next_check = Time::ZERO;
    loop {
        let slept = driver.poll_once(next_check).map_err(fail)?;
        let now = driver.clock.now();
        // A signal ends a sleep, so a command that ends while nothing moves is noticed at once.
        if now < next_check && !slept {
            continue;
        }
        next_check = now.after(CHECK);
        while let Some((signal, from_terminal)) = signals.next().map_err(fail)? {
            // The terminal sends Ctrl-C to the command as well, which decides what it means.
            if signal != libc::SIGCHLD && !from_terminal {
                return Ok(Cause::Signal(signal));
            }
        }
        if let Some(command) = running.last()
            && let Some(code) = command.ended().map_err(fail)?
        {
            return Ok(Cause::Command(code));
        }
        if now < line {
            continue;
        }
        line = now.after(LIVE);
        for log in &mut *logs {
            log.write_so_far(&mut driver.world).map_err(of_failure)?;
        }
        if wishes.live {
            let c = &driver.certificate;
            eprint!(
                "\r{:8.1} s  in {} out {} lost {} held {} ",
                now.seconds(),
                c.taken,
                c.given,
                c.modelled,
                driver.held()
            );
        }
    }
}

pub(crate) fn report(mut driver: Driver, code: i32, wishes: &Wishes) -> Ended {
    let report = driver.world.report();
    let broken = driver.certificate.broken(&wishes.bounds);
    let flows: Vec<Value> = report
        .flows
        .iter()
        .filter(|flow| flow.sums.entered.packets > 0)
        .map(|flow| {
            let of = &driver.world.network.flows[flow.flow];
            json!({
                "id": of.name,
                "entered_pkts": flow.sums.entered.packets,
                "entered_B": flow.sums.entered.bytes,
                "delivered_pkts": flow.sums.delivered.packets,
                "delivered_B": flow.sums.delivered.bytes,
                "dropped_pkts": flow.sums.dropped.packets,
            })
        })
        .collect();
    Ended {
        code,
        document: json!({
            "exit_code": code,
            "duration_s": driver.world.now().seconds(),
            "conservation": {"entered_pkts": report.entered, "delivered_pkts": report.delivered,
                "dropped_pkts": report.dropped, "held_pkts": report.held, "ok": report.conserved},
            "flows": flows,
            "certificate": driver.certificate.document(&wishes.bounds),
            "cost": {"cpu_s": driver.cpu_s, "wall_s": driver.clock.now().seconds()},
        }),
        broken,
    }
}
