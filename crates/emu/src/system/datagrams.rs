//! UDP sockets with ECN codepoints.

use std::io;
use std::mem::{size_of, zeroed};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6, UdpSocket};
use std::os::fd::AsRawFd;

use super::call::checked;

/// Room for the control messages of a datagram.
const CONTROL: usize = 128;
/// Bytes that wait in a socket.
const BUFFER: libc::c_int = 8 << 20;

fn set(
    socket: &UdpSocket,
    level: libc::c_int,
    name: libc::c_int,
    value: libc::c_int,
) -> io::Result<()> {
    // SAFETY: the value outlives the call, and the length is its own.
    let done = unsafe {
        let pointer = (&raw const value).cast();
        let length = size_of::<libc::c_int>() as libc::socklen_t;
        libc::setsockopt(socket.as_raw_fd(), level, name, pointer, length)
    };
    checked(done).map(|_| ())
}

/// Prepares a socket: nothing blocks, no packet is cut to pieces, codepoints are told, and much may wait.
///
/// # Errors
/// When the system refuses.
pub fn prepare_datagrams(socket: &UdpSocket) -> io::Result<()> {
    socket.set_nonblocking(true)?;
    for name in [libc::SO_RCVBUF, libc::SO_SNDBUF] {
        set(socket, libc::SOL_SOCKET, name, BUFFER)?;
    }
    // A socket of IPv6 carries IPv4, too, and takes the options of both.
    set(socket, libc::IPPROTO_IP, libc::IP_RECVTOS, 1)?;
    let whole = libc::IP_PMTUDISC_DO;
    set(socket, libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, whole)?;
    if socket.local_addr()?.is_ipv6() {
        set(socket, libc::IPPROTO_IPV6, libc::IPV6_RECVTCLASS, 1)?;
        set(socket, libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, whole)?;
    }
    Ok(())
}

/// Has packets of a socket leave with this codepoint from now on.
///
/// # Errors
/// When the system refuses.
pub fn set_codepoint(socket: &UdpSocket, codepoint: u8) -> io::Result<()> {
    let codepoint = libc::c_int::from(codepoint);
    if socket.local_addr()?.is_ipv6() {
        set(socket, libc::IPPROTO_IPV6, libc::IPV6_TCLASS, codepoint)?;
    }
    set(socket, libc::IPPROTO_IP, libc::IP_TOS, codepoint)
}

/// The largest packet of the way to the peer, as far as the system knows.
///
/// # Errors
/// The socket has no peer.
pub fn path_mtu(socket: &UdpSocket) -> io::Result<u32> {
    let (level, name) = match socket.local_addr()?.is_ipv6() {
        true => (libc::IPPROTO_IPV6, libc::IPV6_MTU),
        false => (libc::IPPROTO_IP, libc::IP_MTU),
    };
    let mut mtu: libc::c_int = 0;
    let mut length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the number and its length outlive the call.
    let got = unsafe {
        let pointer = (&raw mut mtu).cast();
        libc::getsockopt(socket.as_raw_fd(), level, name, pointer, &mut length)
    };
    checked(got).map(|_| mtu as u32)
}

/// A datagram that came: its length, its two bits of ECN, and whence.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Came {
    /// Bytes.
    pub length: usize,
    /// The two bits.
    pub codepoint: u8,
    /// Whence.
    pub whence: SocketAddr,
    /// When the kernel received it, in nanoseconds since 1970, where `stamp_datagrams` asked for it.
    pub stamped_ns: Option<u64>,
}

/// Has the kernel note when each datagram arrives.
///
/// # Errors
/// When the system refuses.
pub fn stamp_datagrams(socket: &UdpSocket) -> io::Result<()> {
    set(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)
}

/// Takes a datagram; none where nothing is there now.
///
/// # Errors
/// When the system reports an error of the socket, for instance that the peer's port is closed.
pub fn take_datagram(socket: &UdpSocket, into: &mut [u8]) -> io::Result<Option<Came>> {
    let mut control = [0u64; CONTROL / 8];
    // SAFETY: addresses and a message header of zeros are legal values.
    let (mut whence, mut message): (libc::sockaddr_storage, libc::msghdr) =
        unsafe { (zeroed(), zeroed()) };
    let mut part = libc::iovec {
        iov_base: into.as_mut_ptr().cast(),
        iov_len: into.len(),
    };
    message.msg_name = (&raw mut whence).cast();
    message.msg_namelen = size_of::<libc::sockaddr_storage>() as _;
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = CONTROL as _;
    // SAFETY: all pointers outlive the call, and the lengths are those of the buffers.
    let got = unsafe { libc::recvmsg(socket.as_raw_fd(), &mut message, 0) };
    if got < 0 {
        let error = io::Error::last_os_error();
        return match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(None),
            _ => Err(error),
        };
    }
    let told = control_messages(&message);
    Ok(Some(Came {
        length: got as usize,
        codepoint: told.0,
        whence: address(&whence),
        stamped_ns: told.1,
    }))
}

/// The two bits of ECN and the kernel's stamp in the control messages of a datagram.
fn control_messages(message: &libc::msghdr) -> (u8, Option<u64>) {
    let (mut codepoint, mut stamped) = (0, None);
    // SAFETY: the kernel has filled the control buffer, and says how far; each kind of message begins with what is read.
    unsafe {
        let mut head = libc::CMSG_FIRSTHDR(message);
        while !head.is_null() {
            match ((*head).cmsg_level, (*head).cmsg_type) {
                (libc::IPPROTO_IP, libc::IP_TOS) => codepoint = *libc::CMSG_DATA(head) & 3,
                (libc::IPPROTO_IPV6, libc::IPV6_TCLASS) => {
                    let class = libc::CMSG_DATA(head).cast::<libc::c_int>();
                    codepoint = class.read_unaligned() as u8 & 3;
                }
                (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) => {
                    let at = libc::CMSG_DATA(head)
                        .cast::<libc::timespec>()
                        .read_unaligned();
                    stamped = Some(at.tv_sec as u64 * 1_000_000_000 + at.tv_nsec as u64);
                }
                _ => {}
            }
            head = libc::CMSG_NXTHDR(message, head);
        }
    }
    (codepoint, stamped)
}

/// An address as the kernel has written it; IPv4 in IPv6 stays what it is.
fn address(from: &libc::sockaddr_storage) -> SocketAddr {
    let storage = &raw const *from;
    // SAFETY: the storage is large enough for both, and its family says which of them it is.
    unsafe {
        if libc::c_int::from(from.ss_family) == libc::AF_INET6 {
            let v6 = &*storage.cast::<libc::sockaddr_in6>();
            let address = Ipv6Addr::from(v6.sin6_addr.s6_addr);
            let (port, flow, scope) = (v6.sin6_port, v6.sin6_flowinfo, v6.sin6_scope_id);
            return SocketAddrV6::new(address, u16::from_be(port), flow, scope).into();
        }
        let v4 = &*storage.cast::<libc::sockaddr_in>();
        let address = Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr));
        SocketAddr::new(address.into(), u16::from_be(v4.sin_port))
    }
}

/// Waits until a datagram can be sent, at most so many milliseconds.
pub fn await_room(socket: &UdpSocket, milliseconds: libc::c_int) {
    let mut one = libc::pollfd {
        fd: socket.as_raw_fd(),
        events: libc::POLLOUT,
        revents: 0,
    };
    // SAFETY: the structure outlives the call. Whatever it returns, the caller tries to send again.
    unsafe { libc::poll(&mut one, 1, milliseconds) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_codepoint_comes_over() {
        for local in ["127.0.0.1:0", "[::1]:0"] {
            // A kernel without IPv6 has the first alone.
            let Ok(there) = UdpSocket::bind(local) else {
                continue;
            };
            let here = UdpSocket::bind(local).expect("a second socket");
            prepare_datagrams(&there).expect("options");
            prepare_datagrams(&here).expect("options");
            here.connect(there.local_addr().expect("an address"))
                .expect("a peer");
            let mut bytes = [0; 64];
            assert_eq!(take_datagram(&there, &mut bytes).expect("open"), None);
            for codepoint in [0, 1, 2, 3] {
                set_codepoint(&here, codepoint).expect("a codepoint");
                here.send(b"text").expect("room");
                let came = take_datagram(&there, &mut bytes)
                    .expect("open")
                    .expect("a datagram");
                assert_eq!((came.length, came.codepoint), (4, codepoint), "{local}");
                assert_eq!(came.whence, here.local_addr().expect("an address"));
            }
            assert!(path_mtu(&here).expect("a peer") >= 1280);
        }
    }
}
