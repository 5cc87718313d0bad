//! Processes: their user and group, their start and end, and their scheduling.

use std::ffi::CString;
use std::io;
use std::mem::zeroed;
use std::os::fd::{AsRawFd, OwnedFd};

use super::call::checked;

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

/// Closes all descriptors but the standard ones and one more. A copied process holds devices open else.
pub fn close_others(kept: &OwnedFd) {
    let kept = kept.as_raw_fd() as libc::c_uint;
    // SAFETY: the child uses no other descriptor from here on, and drops no owner of one: it ends in `exec` or `leave`.
    unsafe {
        if kept > 3 {
            libc::close_range(3, kept - 1, 0);
        }
        libc::close_range(kept + 1, libc::c_uint::MAX, 0);
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

/// Asks for timers that are not delayed for the sake of others, and for real-time priority where that is allowed.
pub fn request_real_time() -> bool {
    // SAFETY: the calls take numbers and a structure that outlives them.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
        let mut parameter: libc::sched_param = zeroed();
        parameter.sched_priority = 1;
        libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &parameter) == 0
    }
}

/// Ends real-time priority.
pub fn end_real_time() {
    // SAFETY: as above.
    unsafe {
        let parameter: libc::sched_param = zeroed();
        libc::sched_setscheduler(0, libc::SCHED_OTHER, &parameter);
    }
}

/// Has files and sockets that are made meanwhile belong to this user alone.
pub fn for_owner_alone<T>(make: impl FnOnce() -> T) -> T {
    // SAFETY: the call takes a number and always succeeds.
    let before = unsafe { libc::umask(0o177) };
    let made = make();
    // SAFETY: as above.
    unsafe { libc::umask(before) };
    made
}
