//! Files, sockets, requests about interfaces, and descriptors sent over sockets.

use std::ffi::{CStr, CString};
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::call::checked;

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

/// Writes pieces to a descriptor in one call; no more of them than IOV_MAX.
pub fn write_pieces(fd: &OwnedFd, pieces: &[&[u8]]) -> io::Result<usize> {
    if let [one] = pieces {
        return write(fd, one);
    }
    let of = |bytes: &&[u8]| libc::iovec {
        iov_base: bytes.as_ptr().cast_mut().cast(),
        iov_len: bytes.len(),
    };
    let vectors: Vec<libc::iovec> = pieces.iter().map(of).collect();
    // SAFETY: the pointers and lengths are those of live buffers, which the call only reads.
    let put = unsafe { libc::writev(fd.as_raw_fd(), vectors.as_ptr(), vectors.len() as _) };
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

/// An `ioctl` whose argument is a number.
pub fn request_number(fd: &OwnedFd, request: u64, number: u64) -> io::Result<()> {
    // SAFETY: the request takes a number, no pointer (the callers name the pair).
    let done = unsafe { libc::ioctl(fd.as_raw_fd(), request as _, number as libc::c_ulong) };
    checked(done).map(|_| ())
}

/// A datagram socket for requests about interfaces.
pub fn socket(family: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: the call takes no pointer.
    let fd = checked(unsafe { libc::socket(family, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) })?;
    // SAFETY: the descriptor was just made and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// A socket to the packet filter of the kernel.
pub fn netfilter_socket() -> io::Result<OwnedFd> {
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
    // SAFETY: the call takes no pointer.
    let fd = checked(unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_NETFILTER) })?;
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

/// A message that came over a socket.
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

/// The index of an interface in this namespace.
pub fn interface_index(name: &str) -> io::Result<i32> {
    let name = CString::new(name)?;
    // SAFETY: the text ends with a zero byte.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index as i32),
    }
}
