//! A command in namespaces of its own: network, processes and mounts. Three processes lie between:
//!
//! * the *keeper*, a child of the emulator, which the kernel kills when the emulator ends;
//! * the *first* process of the new namespace of processes. The kernel kills it with the keeper, and all others of that
//!   namespace with it, so nothing that the command started outlives the emulator;
//! * the command.
//!
//! The first process makes the device, hands it to the emulator, and starts the command when it is told to.

use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;

use crate::address::Address;
use crate::device;
use crate::fault::Fault;
use crate::nat;
use crate::system::{self, Forked, Message};

/// The device inside a namespace.
pub const DEVICE: &str = "bw-inside";
/// The exit code of a command that does not exist, and of one that cannot be started (POSIX shell).
const NOT_FOUND: i32 = 127;
const NOT_EXECUTABLE: i32 = 126;

/// The program that runs inside, and its addresses.
#[derive(Clone, Debug)]
pub struct Inside {
    /// The command and its arguments.
    pub command: Vec<String>,
    /// Its whole environment.
    pub environment: Vec<(String, String)>,
    /// Address of the device inside.
    pub own: Address,
    /// Address of the other end.
    pub peer: Address,
    /// Largest IP packet.
    pub mtu: u32,
    /// Whether the device may hand over super-packets.
    pub offload: bool,
    /// Further lines for /etc/hosts; empty leaves the file as it is.
    pub hosts: String,
    /// The file that takes the place of /etc/resolv.conf, if any.
    pub resolvers: Option<&'static str>,
}

/// A command behind a device.
#[derive(Debug)]
pub struct Running {
    /// The keeper.
    pub keeper: i32,
    /// The namespace of its network.
    network: OwnedFd,
    control: OwnedFd,
}

/// A command whose namespaces are being made.
struct Making {
    keeper: i32,
    control: OwnedFd,
}

/// Makes the namespaces and the device of a command, which waits for `start`.
///
/// # Errors
/// When the system refuses; the error says the remedy.
pub fn prepare(inside: &Inside) -> Result<(Running, OwnedFd), Fault> {
    finish(begin(inside)?)
}

/// Does the same for several commands at once: the kernel waits most of the time that a namespace takes.
///
/// # Errors
/// When the system refuses; the error says the remedy.
pub fn prepare_all(all: &[Inside]) -> Result<Vec<(Running, OwnedFd)>, Fault> {
    let making: Vec<Making> = all.iter().map(begin).collect::<Result<_, _>>()?;
    making.into_iter().map(finish).collect()
}

/// Starts the keeper of one command.
fn begin(inside: &Inside) -> Result<Making, Fault> {
    let (control, theirs) = system::socket_pair().map_err(|e| refused("a socket", &e))?;
    let emulator = system::own_pid();
    match system::fork().map_err(|e| refused("a new process", &e))? {
        Forked::Child => {
            system::close_others(&theirs);
            system::leave(keep(inside, &theirs, emulator))
        }
        Forked::Parent(keeper) => Ok(Making { keeper, control }),
    }
}

/// Waits for the device of one command.
fn finish(making: Making) -> Result<(Running, OwnedFd), Fault> {
    let Making { keeper, control } = making;
    match system::receive(&control) {
        Ok(Message::Descriptor(device)) => {
            let network = network_of(keeper).map_err(|e| refused("the namespace", &e))?;
            let running = Running {
                keeper,
                network,
                control,
            };
            Ok((running, device))
        }
        Ok(Message::Text(text)) => {
            let _ = system::wait(keeper, true);
            Err(Fault::System {
                what: String::from_utf8_lossy(&text).into_owned(),
                fix: FIX.to_owned(),
            })
        }
        Ok(Message::End) => Err(refused(
            "the namespace",
            &io::Error::other("its first process ended"),
        )),
        Err(error) => Err(refused("the namespace", &error)),
    }
}

fn refused(tried: &str, error: &io::Error) -> Fault {
    Fault::system(tried, error, FIX)
}

fn network_of(pid: i32) -> io::Result<OwnedFd> {
    let path = CString::new(format!("/proc/{pid}/ns/net"))?;
    system::open(&path, libc::O_RDONLY)
}

const FIX: &str = "run `backwater doctor`, which says what this system lacks for emulation";

impl Running {
    /// Starts the command.
    ///
    /// # Errors
    /// Its first process is gone.
    pub fn start(&self) -> io::Result<()> {
        system::write(&self.control, b"go").map(|_| ())
    }

    /// The exit code of the command, once it has ended.
    ///
    /// # Errors
    /// The keeper is no child of this process.
    pub fn ended(&self) -> io::Result<Option<i32>> {
        Ok(system::wait(self.keeper, false)?.map(|(_, code)| code))
    }

    /// Packets that the device inside has dropped before they were read.
    ///
    /// # Errors
    /// The namespace cannot be entered.
    pub fn dropped(&self) -> io::Result<u64> {
        let text = system::read_in_network(&self.network, "/proc/thread-self/net/dev")?;
        device::dropped(&text, DEVICE).ok_or_else(|| io::Error::other("the device is gone"))
    }

    /// Ends everything inside.
    pub fn end(&self) {
        system::signal(self.keeper, libc::SIGKILL);
        let _ = system::wait(self.keeper, true);
    }
}

/// The keeper: leaves for new namespaces and waits for their first process.
fn keep(inside: &Inside, control: &OwnedFd, emulator: i32) -> i32 {
    let made = system::end_with_parent(emulator).and_then(|()| leave_namespaces());
    if let Err(error) = made {
        return report(control, "new namespaces", &error);
    }
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP] {
        system::ignore_signal(signal);
    }
    let keeper = system::own_pid();
    match system::fork() {
        Err(error) => report(control, "a new process", &error),
        Ok(Forked::Child) => system::leave(first(inside, control, keeper)),
        Ok(Forked::Parent(first)) => match system::wait(first, true) {
            Ok(Some((_, code))) => code,
            _ => 1,
        },
    }
}

fn report(control: &OwnedFd, tried: &str, error: &io::Error) -> i32 {
    let _ = system::write(control, format!("{tried}: {error}").as_bytes());
    1
}

/// Namespaces of its own, of users too where the caller has no privileges.
fn leave_namespaces() -> io::Result<()> {
    let mut flags = libc::CLONE_NEWNET | libc::CLONE_NEWNS | libc::CLONE_NEWPID;
    let users = !system::has_capability(system::SYS_ADMIN);
    let (user, group) = system::user();
    if users {
        flags |= libc::CLONE_NEWUSER;
    }
    system::unshare(flags)?;
    if users {
        map_user(user, group)?;
    }
    Ok(())
}

/// In a new namespace of users, this user and group stay what they are.
///
/// # Errors
/// When the system refuses.
pub fn map_user(user: u32, group: u32) -> io::Result<()> {
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// The first process of the new namespace.
fn first(inside: &Inside, control: &OwnedFd, keeper: i32) -> i32 {
    let (tried, made) = furnish(inside, keeper);
    let sent = made.and_then(|device| system::send_descriptor(control, &device));
    if let Err(error) = sent {
        return report(control, tried, &error);
    }
    // The emulator closes its end if it gives up.
    if !matches!(system::receive(control), Ok(Message::Text(_))) {
        return 1;
    }
    match system::fork() {
        Err(error) => {
            eprintln!("backwater: {}: {error}", inside.command[0]);
            NOT_EXECUTABLE
        }
        Ok(Forked::Child) => system::leave(become_command(inside)),
        // Processes whose parent has ended become children of this one.
        Ok(Forked::Parent(command)) => loop {
            match system::wait(-1, true) {
                Ok(Some((pid, code))) if pid == command => return code,
                Ok(_) => {}
                Err(_) => return 1,
            }
        },
    }
}

/// Makes what the namespace has: device, addresses, routes, /proc. Gives what was tried last.
fn furnish(inside: &Inside, keeper: i32) -> (&'static str, io::Result<OwnedFd>) {
    if let Err(error) = system::end_with_parent(keeper) {
        return ("the keeper", Err(error));
    }
    if let Err(error) = system::keep_mounts() {
        return ("mounts of its own", Err(error));
    }
    // Some containers forbid it: `ps` then shows the processes outside, which hurts nobody.
    let _ = system::mount_proc();
    if !inside.hosts.is_empty()
        && let Err(error) = name_hosts(&inside.hosts)
    {
        return ("/etc/hosts of its own", Err(error));
    }
    if let Some(servers) = inside.resolvers
        && let Err(error) = nat::resolve_by(servers)
    {
        return ("/etc/resolv.conf of its own", Err(error));
    }
    if let Err(error) = device::raise_loopback() {
        return ("the loopback interface", Err(error));
    }
    // Emulators inside this one send their packets on through this network.
    nat::forward();
    let opened = match device::open(DEVICE, inside.offload) {
        Ok(opened) => opened,
        Err(error) => return ("/dev/net/tun", Err(error)),
    };
    let configured = device::configure(DEVICE, inside.own, inside.peer, inside.mtu);
    if let Err(error) = configured.and_then(|()| device::route_everything(DEVICE)) {
        return ("addresses of the device", Err(error));
    }
    ("the device", Ok(opened))
}

/// Has programs of this namespace know the other nodes by their names.
fn name_hosts(hosts: &str) -> io::Result<()> {
    let path = std::env::temp_dir().join(format!("backwater-hosts-{}", system::unique()));
    let known = std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    std::fs::write(&path, format!("{known}\n{hosts}"))?;
    let from = CString::new(path.as_os_str().as_encoded_bytes())?;
    let mounted = system::bind_mount(&from, c"/etc/hosts");
    // A mount stays when its name is gone.
    std::fs::remove_file(&path)?;
    mounted
}

/// Starts the command in place of this process; gives an exit code where that fails.
fn become_command(inside: &Inside) -> i32 {
    let texts = |texts: &mut dyn Iterator<Item = String>| -> Result<Vec<CString>, _> {
        texts.map(CString::new).collect()
    };
    let command = texts(&mut inside.command.iter().cloned());
    let pairs = inside.environment.iter();
    let environment = texts(&mut pairs.map(|(name, value)| format!("{name}={value}")));
    let (Ok(command), Ok(environment)) = (command, environment) else {
        eprintln!("backwater: the command has a zero byte");
        return NOT_EXECUTABLE;
    };
    system::default_signals();
    let error = system::execute(&command, &environment);
    eprintln!("backwater: {}: {error}", inside.command[0]);
    match error.kind() {
        io::ErrorKind::NotFound => NOT_FOUND,
        _ => NOT_EXECUTABLE,
    }
}
