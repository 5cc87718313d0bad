//! System calls, wrapped so that the rest of the crate is safe.

use std::ffi::{CStr, CString};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// The result of a system call that gives -1 for an error.
fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        other => Ok(other),
    }
}

/// Nanoseconds of the monotonic clock.
pub fn monotonic_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is a timespec that the call may write; the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Milliseconds since 1970, for the headers of logs.
pub fn unix_ms() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: as above.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &mut now) };
    now.tv_sec as u64 * 1000 + now.tv_nsec as u64 / 1_000_000
}

/// A number that no other process of this machine uses at the moment.
pub fn unique() -> String {
    // In a namespace of processes the number of the process says little.
    format!("{}-{}", own_pid(), monotonic_ns())
}

/// CPU seconds of this process so far.
pub fn cpu_s() -> f64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: as above.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// The user and group of this process.
pub fn user() -> (u32, u32) {
    // SAFETY: these calls take nothing and cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Whether this process has a capability (its number in `capabilities(7)`).
pub fn has_capability(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("CapEff:"));
    let mask = line.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> number & 1 == 1)
}

/// The number of CAP_NET_ADMIN.
pub const NET_ADMIN: u32 = 12;
/// The number of CAP_SYS_ADMIN.
pub const SYS_ADMIN: u32 = 21;

/// Reads from a descriptor; none where nothing is there now.
pub fn read(fd: &OwnedFd, into: &mut [u8]) -> io::Result<Option<usize>> {
    // SAFETY: the pointer and length are those of a live buffer.
    let got = unsafe { libc::read(fd.as_raw_fd(), into.as_mut_ptr().cast(), into.len()) };
    match got {
        -1 => match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            error if error.kind() == io::ErrorKind::Interrupted => Ok(None),
            error => Err(error),
        },
        got => Ok(Some(got as usize)),
    }
}

/// Writes to a descriptor in one call.
pub fn write(fd: &OwnedFd, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: the pointer and length are those of a live buffer.
    let put = unsafe { libc::write(fd.as_raw_fd(), bytes.as_ptr().cast(), bytes.len()) };
    match put {
        -1 => Err(io::Error::last_os_error()),
        put => Ok(put as usize),
    }
}

/// Opens a file that is closed when another program is started.
pub fn open(path: &CStr, flags: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: the path ends with a zero byte.
    let fd = checked(unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC) })?;
    // SAFETY: the descriptor was just made and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// An `ifreq`: 16 bytes of name, 24 of argument.
#[repr(C)]
pub struct Ifreq {
    name: [u8; 16],
    /// The argument, as the request reads it.
    pub argument: [u8; 24],
}

impl Ifreq {
    /// A request about the interface of this name.
    pub fn new(name: &str) -> Ifreq {
        let mut request = Ifreq {
            name: [0; 16],
            argument: [0; 24],
        };
        let bytes = &name.as_bytes()[..name.len().min(15)];
        request.name[..bytes.len()].copy_from_slice(bytes);
        request
    }
}

/// An `ioctl` whose argument is an `ifreq`.
pub fn interface_request(fd: &OwnedFd, request: u64, about: &mut Ifreq) -> io::Result<()> {
    // SAFETY: all requests of this crate read and write no more than an ifreq.
    let done = unsafe { libc::ioctl(fd.as_raw_fd(), request as _, about as *mut Ifreq) };
    checked(done).map(|_| ())
}

/// An `ioctl` whose argument is any plain structure that the request reads.
pub fn request<T: Copy>(fd: &OwnedFd, request: u64, about: &T) -> io::Result<()> {
    // SAFETY: the request reads a structure of this type (the callers name the pair).
    let done = unsafe { libc::ioctl(fd.as_raw_fd(), request as _, about as *const T) };
    checked(done).map(|_| ())
}

/// A datagram socket for requests about interfaces.
pub fn socket(family: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: the call takes no pointer.
    let fd = checked(unsafe { libc::socket(family, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) })?;
    // SAFETY: the descriptor was just made and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Two connected sockets.
pub fn socket_pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut pair = [0; 2];
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: the call writes two descriptors into an array of two.
    checked(unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, pair.as_mut_ptr()) })?;
    // SAFETY: both were just made and belong to nobody else.
    Ok(unsafe { (OwnedFd::from_raw_fd(pair[0]), OwnedFd::from_raw_fd(pair[1])) })
}

/// Room for one descriptor beside a message.
const CONTROL: usize = 64;

/// Sends a byte with a descriptor over a socket.
pub fn send_descriptor(over: &OwnedFd, fd: &OwnedFd) -> io::Result<()> {
    let mut byte = *b"D";
    let mut control = [0u64; CONTROL / 8];
    let mut part = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    // SAFETY: a message header of zeros is a legal value.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    // SAFETY: the control buffer has room for a header and a descriptor, and all pointers outlive the call.
    let sent = unsafe {
        message.msg_controllen = libc::CMSG_SPACE(size_of::<RawFd>() as u32) as _;
        let head = libc::CMSG_FIRSTHDR(&message);
        (*head).cmsg_level = libc::SOL_SOCKET;
        (*head).cmsg_type = libc::SCM_RIGHTS;
        (*head).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
        libc::CMSG_DATA(head)
            .cast::<RawFd>()
            .write_unaligned(fd.as_raw_fd());
        libc::sendmsg(over.as_raw_fd(), &message, 0)
    };
    checked(sent as libc::c_int).map(|_| ())
}

/// What came over a socket.
pub enum Message {
    /// A descriptor.
    Descriptor(OwnedFd),
    /// Bytes.
    Text(Vec<u8>),
    /// The other end is closed.
    End,
}

/// Receives bytes or a descriptor.
pub fn receive(over: &OwnedFd) -> io::Result<Message> {
    let mut bytes = [0u8; 1024];
    let mut control = [0u64; CONTROL / 8];
    let mut part = libc::iovec {
        iov_base: bytes.as_mut_ptr().cast(),
        iov_len: bytes.len(),
    };
    // SAFETY: a message header of zeros is a legal value.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = CONTROL as _;
    // SAFETY: all pointers outlive the call, and the lengths are those of the buffers.
    let got = unsafe { libc::recvmsg(over.as_raw_fd(), &mut message, libc::MSG_CMSG_CLOEXEC) };
    let got = checked(got as libc::c_int)? as usize;
    // SAFETY: the kernel has filled the control buffer, and says how far.
    let head = unsafe { libc::CMSG_FIRSTHDR(&message) };
    if !head.is_null() {
        // SAFETY: a control message of these sockets is a descriptor, which belongs to nobody else.
        let fd =
            unsafe { OwnedFd::from_raw_fd(libc::CMSG_DATA(head).cast::<RawFd>().read_unaligned()) };
        return Ok(Message::Descriptor(fd));
    }
    Ok(match got {
        0 => Message::End,
        got => Message::Text(bytes[..got].to_vec()),
    })
}

/// Which process goes on after a fork.
pub enum Forked {
    /// The new one.
    Child,
    /// The old one; the number is the new one's.
    Parent(i32),
}

/// Makes a copy of this process. The child may only do what ends in `exec` or `leave`.
pub fn fork() -> io::Result<Forked> {
    // SAFETY: the child runs code of `namespace` alone. glibc keeps its allocator usable after a fork.
    match checked(unsafe { libc::fork() })? {
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid)),
    }
}

/// Ends this process at once, without the handlers of a copied process.
pub fn leave(code: i32) -> ! {
    // SAFETY: the call never returns and touches no memory.
    unsafe { libc::_exit(code) }
}

/// Has the kernel kill this process when its parent ends; fails if it has ended.
pub fn end_with_parent(parent: i32) -> io::Result<()> {
    // SAFETY: the call takes numbers alone.
    checked(unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) })?;
    // SAFETY: the call takes nothing.
    match unsafe { libc::getppid() } {
        // In a namespace of processes the parent has no number.
        0 => Ok(()),
        now if now == parent => Ok(()),
        _ => Err(io::Error::other("the emulator has ended")),
    }
}

/// The number of this process.
pub fn own_pid() -> i32 {
    // SAFETY: the call takes nothing.
    unsafe { libc::getpid() }
}

/// Leaves namespaces for new ones.
pub fn unshare(flags: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes a number. It is made where one thread runs.
    checked(unsafe { libc::unshare(flags) }).map(|_| ())
}

/// Makes the mounts of this namespace its own, so that nothing that is mounted here is seen outside.
pub fn keep_mounts() -> io::Result<()> {
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    // SAFETY: the texts end with zero bytes; null stands for texts that this form of the call does not read.
    let done = unsafe {
        let none = std::ptr::null();
        libc::mount(none, c"/".as_ptr(), none, flags, none.cast())
    };
    checked(done).map(|_| ())
}

/// Mounts a fresh /proc, which shows the processes of this namespace.
pub fn mount_proc() -> io::Result<()> {
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    let (proc_text, place) = (c"proc".as_ptr(), c"/proc".as_ptr());
    // SAFETY: the texts end with zero bytes; no data follow.
    let done = unsafe { libc::mount(proc_text, place, proc_text, flags, std::ptr::null()) };
    checked(done).map(|_| ())
}

/// Lays a file over another one.
pub fn bind_mount(from: &CStr, over: &CStr) -> io::Result<()> {
    // SAFETY: the texts end with zero bytes.
    let done = unsafe {
        let none = std::ptr::null();
        libc::mount(
            from.as_ptr(),
            over.as_ptr(),
            none,
            libc::MS_BIND,
            none.cast(),
        )
    };
    checked(done).map(|_| ())
}

/// The text of a file as it is in the namespace of a network.
pub fn read_in_network(network: &OwnedFd, path: &str) -> io::Result<String> {
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            // SAFETY: the descriptor is that of a namespace; only this thread, which ends now, moves there.
            checked(unsafe { libc::setns(network.as_raw_fd(), libc::CLONE_NEWNET) })?;
            std::fs::read_to_string(path)
        });
        reader
            .join()
            .unwrap_or_else(|_| Err(io::Error::other("a reader ended")))
    })
}

/// Waits for a child. Gives its number and how it ended; none if it runs on and `block` is false.
pub fn wait(pid: i32, block: bool) -> io::Result<Option<(i32, i32)>> {
    let mut status = 0;
    let flags = if block { 0 } else { libc::WNOHANG };
    loop {
        // SAFETY: `status` may be written.
        match checked(unsafe { libc::waitpid(pid, &mut status, flags) }) {
            Ok(0) => return Ok(None),
            Ok(pid) => return Ok(Some((pid, exit_code(status)))),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// How a process ended, as a shell says it.
fn exit_code(status: libc::c_int) -> i32 {
    if libc::WIFEXITED(status) {
        libc::WEXITSTATUS(status)
    } else {
        128 + libc::WTERMSIG(status)
    }
}

/// Starts a program in place of this process; returns only where that fails.
pub fn execute(program: &[CString], environment: &[CString]) -> io::Error {
    let list = |texts: &[CString]| -> Vec<*const libc::c_char> {
        let pointers = texts.iter().map(|text| text.as_ptr());
        pointers.chain([std::ptr::null()]).collect()
    };
    let (arguments, environment) = (list(program), list(environment));
    // SAFETY: both lists end with null and hold texts that end with zero bytes.
    unsafe { libc::execvpe(arguments[0], arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// Sets what a signal does.
fn set_signal(signal: libc::c_int, action: libc::sighandler_t) {
    // SAFETY: the actions are those that the system defines.
    unsafe { libc::signal(signal, action) };
}

/// Ignores a signal.
pub fn ignore_signal(signal: libc::c_int) {
    set_signal(signal, libc::SIG_IGN);
}

/// Gives signals back what they do at the start of a program, and blocks none.
pub fn default_signals() {
    for signal in [
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGPIPE,
        libc::SIGCHLD,
    ] {
        set_signal(signal, libc::SIG_DFL);
    }
    // SAFETY: a set of signals of zeros is empty, and the old one is not asked for.
    unsafe {
        let none: libc::sigset_t = zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
    }
}

/// A descriptor that reads the given signals, which no longer interrupt this thread.
pub fn signal_descriptor(signals: &[libc::c_int]) -> io::Result<OwnedFd> {
    // SAFETY: the set is initialised before it is used, and outlives the calls.
    let fd = unsafe {
        let mut set: libc::sigset_t = zeroed();
        libc::sigemptyset(&mut set);
        for signal in signals {
            libc::sigaddset(&mut set, *signal);
        }
        libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
        libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    };
    let fd = checked(fd)?;
    // SAFETY: the descriptor was just made and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Lets these signals interrupt this thread again.
pub fn unblock_signals(signals: &[libc::c_int]) {
    // SAFETY: as above.
    unsafe {
        let mut set: libc::sigset_t = zeroed();
        libc::sigemptyset(&mut set);
        for signal in signals {
            libc::sigaddset(&mut set, *signal);
        }
        libc::sigprocmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
    }
}

/// The next signal of a signal descriptor, and whether the kernel sent it, as it does for the keys of a terminal.
pub fn next_signal(fd: &OwnedFd) -> io::Result<Option<(libc::c_int, bool)>> {
    let mut info = [0u8; size_of::<libc::signalfd_siginfo>()];
    let got = read(fd, &mut info)?;
    // The structure begins with number, errno and code, 32 bits each.
    let word = |at: usize| i32::from_ne_bytes([info[at], info[at + 1], info[at + 2], info[at + 3]]);
    Ok(got.map(|_| (word(0), word(8) == libc::SI_KERNEL)))
}

/// Sends a signal to a process.
pub fn signal(pid: i32, signal: libc::c_int) {
    // SAFETY: the call takes numbers. The process is a child that was not waited for, so its number is its own.
    unsafe { libc::kill(pid, signal) };
}

/// Waits until one of some descriptors has something to read or a timer is due.
#[derive(Debug)]
pub struct Poller {
    epoll: OwnedFd,
    timer: OwnedFd,
}

impl Poller {
    /// For these descriptors.
    pub fn new<'a>(descriptors: impl Iterator<Item = &'a OwnedFd>) -> io::Result<Poller> {
        // SAFETY: both calls take numbers; the descriptors are fresh.
        let (epoll, timer) = unsafe {
            let epoll = OwnedFd::from_raw_fd(checked(libc::epoll_create1(libc::EPOLL_CLOEXEC))?);
            let flags = libc::TFD_CLOEXEC | libc::TFD_NONBLOCK;
            let timer = checked(libc::timerfd_create(libc::CLOCK_MONOTONIC, flags))?;
            (epoll, OwnedFd::from_raw_fd(timer))
        };
        let poller = Poller { epoll, timer };
        poller.add(&poller.timer)?;
        for fd in descriptors {
            poller.add(fd)?;
        }
        Ok(poller)
    }

    fn add(&self, fd: &OwnedFd) -> io::Result<()> {
        let mut event = libc::epoll_event {
            events: libc::EPOLLIN as u32,
            u64: 0,
        };
        let (epoll, fd) = (self.epoll.as_raw_fd(), fd.as_raw_fd());
        // SAFETY: the event outlives the call; both descriptors are open.
        checked(unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &mut event) }).map(|_| ())
    }

    /// Sleeps until something can be read, or the monotonic clock shows `until_ns`.
    pub fn sleep(&self, until_ns: u64) -> io::Result<()> {
        let moment = libc::timespec {
            tv_sec: (until_ns / 1_000_000_000) as _,
            tv_nsec: (until_ns % 1_000_000_000).max(1) as _,
        };
        // SAFETY: a timer of zeros does not repeat.
        let mut timer: libc::itimerspec = unsafe { zeroed() };
        timer.it_value = moment;
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 8];
        // SAFETY: the structures outlive the calls, and the length is that of the array.
        let woken = unsafe {
            let flags = libc::TFD_TIMER_ABSTIME;
            let fd = self.timer.as_raw_fd();
            checked(libc::timerfd_settime(
                fd,
                flags,
                &timer,
                std::ptr::null_mut(),
            ))?;
            libc::epoll_wait(self.epoll.as_raw_fd(), events.as_mut_ptr(), 8, -1)
        };
        match checked(woken) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        let mut expired = [0; 8];
        read(&self.timer, &mut expired).map(|_| ())
    }
}

/// Asks for timers that are not delayed for the sake of others, and for real-time priority where that is allowed.
pub fn be_prompt() -> bool {
    // SAFETY: the calls take numbers and a structure that outlives them.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        let mut parameter: libc::sched_param = zeroed();
        parameter.sched_priority = 1;
        libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &parameter) == 0
    }
}

/// Ends real-time priority.
pub fn be_ordinary() {
    // SAFETY: as above.
    unsafe {
        let parameter: libc::sched_param = zeroed();
        libc::sched_setscheduler(0, libc::SCHED_OTHER, &parameter);
    }
}

/// The index of an interface in this namespace.
pub fn interface_index(name: &str) -> io::Result<i32> {
    let name = CString::new(name)?;
    // SAFETY: the text ends with a zero byte.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index as i32),
    }
}
