//! Signals.

use std::fmt;
use std::io;
use std::mem::zeroed;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicI32, Ordering};

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

/// Where the handler writes. One set of signals is caught at a time.
static CAUGHT: AtomicI32 = AtomicI32::new(-1);

/// Notes a signal. It may come to any thread of the process, so that to block it in one would not do.
extern "C" fn note(number: libc::c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel gives a siginfo to a handler that asks for one; `write` is allowed in a handler, and its errno is
    // given back to what was interrupted.
    unsafe {
        let errno = *libc::__errno_location();
        let from_kernel = u8::from((*info).si_code == libc::SI_KERNEL);
        let bytes = [number as u8, from_kernel];
        libc::write(
            CAUGHT.load(Ordering::Relaxed),
            bytes.as_ptr().cast(),
            bytes.len(),
        );
        *libc::__errno_location() = errno;
    }
}

/// Signals that are read from a descriptor. When it is dropped they do what they did before.
#[derive(Debug)]
pub struct Signals {
    from: OwnedFd,
    into: OwnedFd,
    before: Vec<(libc::c_int, Action)>,
}

/// The action of a signal before this program changed it.
struct Action(libc::sigaction);

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Action")
    }
}

impl Signals {
    /// Catches these signals.
    ///
    /// # Errors
    /// The system has no pipe left.
    pub fn catch(signals: &[libc::c_int]) -> io::Result<Signals> {
        let mut ends = [0; 2];
        // SAFETY: the call writes two descriptors into an array of two.
        checked(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) })?;
        // SAFETY: both were just made and belong to nobody else.
        let [from, into] = ends.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
        CAUGHT.store(into.as_raw_fd(), Ordering::Relaxed);
        let mut caught = Signals {
            from,
            into,
            before: Vec::new(),
        };
        for signal in signals {
            // SAFETY: actions of zeros are legal values, and both outlive the call; the handler does what handlers may.
            let before = unsafe {
                let (mut action, mut before): (libc::sigaction, libc::sigaction) =
                    (zeroed(), zeroed());
                action.sa_sigaction = note as *const () as libc::sighandler_t;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
                checked(libc::sigaction(*signal, &action, &mut before))?;
                before
            };
            caught.before.push((*signal, Action(before)));
        }
        Ok(caught)
    }

    /// The descriptor that can be read when a signal has come.
    pub fn descriptor(&self) -> &OwnedFd {
        &self.from
    }

    /// The next signal, and whether the kernel sent it, as it does for the keys of a terminal.
    ///
    /// # Errors
    /// The descriptor cannot be read.
    pub fn next(&self) -> io::Result<Option<(libc::c_int, bool)>> {
        let mut bytes = [0; 2];
        let got = read(&self.from, &mut bytes)?;
        Ok(got.map(|_| (bytes[0].into(), bytes[1] == 1)))
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for (signal, Action(before)) in &self.before {
            // SAFETY: the action is what the system gave for this signal.
            unsafe { libc::sigaction(*signal, before, std::ptr::null_mut()) };
        }
        // The descriptor is closed behind this; no handler is left that writes to it.
        let own = self.into.as_raw_fd();
        let _ = CAUGHT.compare_exchange(own, -1, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Sends a signal to a process.
pub fn signal(pid: i32, signal: libc::c_int) {
    // SAFETY: the call takes numbers. The process is a child that was not waited for, so its number is its own.
    unsafe { libc::kill(pid, signal) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::own_pid;

    #[test]
    fn a_signal_is_caught_whichever_thread_it_comes_to() {
        let caught = Signals::catch(&[libc::SIGUSR1]).expect("a pipe");
        // Threads of the test are among those that a signal to the process may come to.
        for _ in 0..20 {
            signal(own_pid(), libc::SIGUSR1);
            let next = (0..1000).find_map(|_| {
                crate::system::nap_ms(1);
                caught.next().expect("open")
            });
            assert_eq!(next, Some((libc::SIGUSR1, false)));
        }
    }
}
