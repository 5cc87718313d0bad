//! The result of a system call.

use std::io;

/// The result of a system call that gives -1 for an error.
pub(super) fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        other => Ok(other),
    }
}
