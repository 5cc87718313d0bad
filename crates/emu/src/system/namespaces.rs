//! Mounts of a namespace, and files as another namespace of networks has them.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use super::call::checked;

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
