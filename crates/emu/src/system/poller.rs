//! Sleep until a descriptor can be read or a timer is due.

use std::io;
use std::mem::zeroed;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::call::checked;

/// Waits until one of some descriptors has something to read or a timer is due.
#[derive(Debug)]
pub struct Poller {
    epoll: OwnedFd,
    timer: OwnedFd,
    watched: u32,
}

/// Which of the descriptors have something to read, in the order in which they came: one bit for each of the first 63, the last
/// bit for all others.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Ready(u64);

impl Ready {
    /// Each may have.
    pub const ALL: Ready = Ready(u64::MAX);

    /// Whether the descriptor of this number may have something.
    pub fn is(self, number: usize) -> bool {
        self.0 & (1 << number.min(63)) != 0
    }

    /// Whether one from this number on may have something.
    pub fn is_from(self, number: usize) -> bool {
        self.0 >> number.min(63) != 0
    }
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
        let watched = 0;
        let mut poller = Poller {
            epoll,
            timer,
            watched,
        };
        poller.add(poller.timer.as_raw_fd(), 0)?;
        for fd in descriptors {
            poller.watch(fd)?;
        }
        Ok(poller)
    }

    /// Wakes for this descriptor, too.
    pub fn watch(&mut self, fd: &impl AsRawFd) -> io::Result<()> {
        self.add(fd.as_raw_fd(), 1 << self.watched.min(63))?;
        self.watched += 1;
        Ok(())
    }

    fn add(&self, fd: i32, bit: u64) -> io::Result<()> {
        let mut event = libc::epoll_event {
            events: libc::EPOLLIN as u32,
            u64: bit,
        };
        let epoll = self.epoll.as_raw_fd();
        // SAFETY: the event outlives the call; both descriptors are open.
        checked(unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &mut event) }).map(|_| ())
    }

    /// Sleeps until something can be read, or the monotonic clock shows `until_ns`. Resetting the timer
    /// clears its readiness, so that nobody reads it. Gives what can be read.
    pub fn sleep(&self, until_ns: u64) -> io::Result<Ready> {
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
            Ok(count) => {
                let told = &events[..count as usize];
                Ok(Ready(told.iter().fold(0, |all, event| all | event.u64)))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Ready::ALL),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use super::*;
    use crate::system::monotonic_ns;

    #[test]
    fn a_sleep_says_which_descriptors_have_something() {
        let mut pairs = [(); 3].map(|()| UnixStream::pair().expect("a pair"));
        let mut poller = Poller::new([].into_iter()).expect("a poller");
        for (end, _) in &pairs {
            poller.watch(end).expect("watched");
        }
        let soon = || monotonic_ns() + 1_000_000;
        let ready = poller.sleep(soon()).expect("a sleep");
        assert_eq!(ready, Ready(0));
        pairs[1].1.write_all(b"x").expect("written");
        let ready = poller.sleep(soon()).expect("a sleep");
        assert_eq!([0, 1, 2].map(|n| ready.is(n)), [false, true, false]);
        assert!(ready.is_from(1) && !ready.is_from(2));
        // The last bit is for all from the 63rd on.
        assert!(Ready(1 << 63).is(63) && Ready(1 << 63).is(500));
    }
}
