//! Signals.

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{FromRawFd, OwnedFd};

use super::call::checked;
use super::descriptors::read;

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
