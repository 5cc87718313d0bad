//! TUN devices: each packet that a namespace sends is read from one, and what is written comes in there. They vanish with
//! the descriptor.
//!
//! Reference: Linux Documentation/networking/tuntap.rst.

use std::io;
use std::os::fd::OwnedFd;

use crate::address::Address;
use crate::join::Joins;
use crate::system::{self, Ifreq};

const TUNSETIFF: u64 = 0x4004_54ca;
const SIOCADDRT: u64 = 0x890b;
const SIOCSIFFLAGS: u64 = 0x8914;
const SIOCSIFADDR: u64 = 0x8916;
const SIOCSIFDSTADDR: u64 = 0x8918;
const SIOCSIFNETMASK: u64 = 0x891c;
const SIOCSIFMTU: u64 = 0x8922;
const SIOCSIFTXQLEN: u64 = 0x8943;
const TUNSETOFFLOAD: u64 = 0x4004_54d0;
/// Checksums, TCP over both, ECN: what every kernel since 2.6.27 can hand over.
const OFFLOAD_TCP: u64 = 0x01 | 0x02 | 0x04 | 0x08;
/// UDP over both, since Linux 6.2.
const OFFLOAD_UDP: u64 = 0x20 | 0x40;
const IFF_UP: i16 = 1;
const IFF_RUNNING: i16 = 0x40;
/// Packets that wait in the kernel for the emulator to read them.
pub const QUEUE: i32 = 10_000;

/// Opens a TUN device of this name in the namespace of the caller. Each packet has a header of `offload`; with offload it
/// may be a super-packet.
///
/// # Errors
/// /dev/net/tun is missing, or the caller may not make devices here.
pub fn open(name: &str, offload: bool) -> io::Result<OwnedFd> {
    let fd = system::open(c"/dev/net/tun", libc::O_RDWR | libc::O_NONBLOCK)?;
    let mut request = Ifreq::new(name);
    let flags = (libc::IFF_TUN | libc::IFF_NO_PI | libc::IFF_VNET_HDR) as i16;
    request.argument[..2].copy_from_slice(&flags.to_ne_bytes());
    system::interface_request(&fd, TUNSETIFF, &mut request)?;
    if offload {
        exchange_supers(&fd)?;
    }
    Ok(fd)
}

/// Has a device hand over super-packets of TCP, and of UDP where the kernel has them; says which. It takes the same ones.
///
/// # Errors
/// The kernel has neither.
pub fn exchange_supers(fd: &OwnedFd) -> io::Result<Joins> {
    let udp = system::request_number(fd, TUNSETOFFLOAD, OFFLOAD_TCP | OFFLOAD_UDP).is_ok();
    if !udp {
        system::request_number(fd, TUNSETOFFLOAD, OFFLOAD_TCP)?;
    }
    Ok(Joins { tcp: true, udp })
}

/// A socket address of IPv4 as an `ifreq` has it.
fn socket_address(v4: std::net::Ipv4Addr) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
    bytes[4..8].copy_from_slice(&v4.octets());
    bytes
}

fn set(socket: &OwnedFd, request: u64, name: &str, argument: &[u8]) -> io::Result<()> {
    let mut about = Ifreq::new(name);
    about.argument[..argument.len()].copy_from_slice(argument);
    system::interface_request(socket, request, &mut about)
}

fn raise(socket: &OwnedFd, name: &str) -> io::Result<()> {
    set(
        socket,
        SIOCSIFFLAGS,
        name,
        &(IFF_UP | IFF_RUNNING).to_ne_bytes(),
    )
}

/// Brings the loopback interface up.
///
/// # Errors
/// The caller may not.
pub fn raise_loopback() -> io::Result<()> {
    raise(&system::socket(libc::AF_INET)?, "lo")
}

/// Gives a device its addresses, its MTU and the way to its peer.
///
/// # Errors
/// When the system refuses.
pub fn configure(name: &str, own: Address, peer: Address, mtu: u32) -> io::Result<()> {
    let socket = system::socket(libc::AF_INET)?;
    set(&socket, SIOCSIFADDR, name, &socket_address(own.v4))?;
    set(&socket, SIOCSIFDSTADDR, name, &socket_address(peer.v4))?;
    let all = std::net::Ipv4Addr::BROADCAST;
    set(&socket, SIOCSIFNETMASK, name, &socket_address(all))?;
    set(&socket, SIOCSIFMTU, name, &(mtu as i32).to_ne_bytes())?;
    set(&socket, SIOCSIFTXQLEN, name, &QUEUE.to_ne_bytes())?;
    raise(&socket, name)?;
    let index = system::interface_index(name)?;
    // A kernel without IPv6 has no such socket: the path carries IPv4 then.
    if let Ok(socket) = system::socket(libc::AF_INET6) {
        add_v6(&socket, index, own)?;
        await_v6(own)?;
        route_v6(&socket, index, peer.v6.octets(), 128)?;
    }
    Ok(())
}

/// Sends all that has no other route to a device.
///
/// # Errors
/// When the system refuses.
pub fn route_everything(name: &str) -> io::Result<()> {
    let socket = system::socket(libc::AF_INET)?;
    let mut entry = RouteV4 {
        hash: 0,
        destination: socket_address(std::net::Ipv4Addr::UNSPECIFIED),
        gateway: socket_address(std::net::Ipv4Addr::UNSPECIFIED),
        mask: socket_address(std::net::Ipv4Addr::UNSPECIFIED),
        flags: 1,
        pad2: 0,
        pad3: 0,
        pad4: std::ptr::null(),
        metric: 0,
        device: std::ptr::null(),
        mtu: 0,
        window: 0,
        irtt: 0,
    };
    let name_text = std::ffi::CString::new(name)?;
    entry.device = name_text.as_ptr();
    system::request(&socket, SIOCADDRT, &entry)?;
    if let Ok(socket) = system::socket(libc::AF_INET6) {
        route_v6(&socket, system::interface_index(name)?, [0; 16], 0)?;
    }
    Ok(())
}

/// `struct rtentry`.
#[repr(C)]
#[derive(Copy, Clone)]
struct RouteV4 {
    hash: libc::c_ulong,
    destination: [u8; 16],
    gateway: [u8; 16],
    mask: [u8; 16],
    flags: u16,
    pad2: i16,
    pad3: libc::c_ulong,
    pad4: *const libc::c_void,
    metric: i16,
    device: *const libc::c_char,
    mtu: libc::c_ulong,
    window: libc::c_ulong,
    irtt: u16,
}

/// `struct in6_ifreq`.
#[repr(C)]
#[derive(Copy, Clone)]
struct AddressV6 {
    address: [u8; 16],
    prefix: u32,
    index: i32,
}

/// `struct in6_rtmsg`.
#[repr(C)]
#[derive(Copy, Clone)]
struct RouteV6 {
    destination: [u8; 16],
    source: [u8; 16],
    gateway: [u8; 16],
    kind: u32,
    destination_bits: u16,
    source_bits: u16,
    metric: u32,
    info: libc::c_ulong,
    flags: u32,
    index: i32,
}

fn add_v6(socket: &OwnedFd, index: i32, own: Address) -> io::Result<()> {
    let address = AddressV6 {
        address: own.v6.octets(),
        prefix: 128,
        index,
    };
    system::request(socket, SIOCSIFADDR, &address)
}

/// Waits until the kernel uses a new address, which it does from a queue of its own.
fn await_v6(own: Address) -> io::Result<()> {
    for _ in 0..1000 {
        let text = std::fs::read_to_string("/proc/net/if_inet6")?;
        if settled(&text, own) {
            return Ok(());
        }
        system::nap_ms(1);
    }
    Err(io::Error::other(
        "the IPv6 address is not ready after a second",
    ))
}

/// Whether an address is there and not tentative, from the text of /proc/net/if_inet6.
fn settled(text: &str, own: Address) -> bool {
    const TENTATIVE: u32 = 0x40;
    let digits: String = own.v6.octets().iter().map(|o| format!("{o:02x}")).collect();
    let line = text.lines().find(|line| line.starts_with(&digits));
    let flags = line.and_then(|line| line.split_whitespace().nth(4));
    let flags = flags.and_then(|flags| u32::from_str_radix(flags, 16).ok());
    flags.is_some_and(|flags| flags & TENTATIVE == 0)
}

fn route_v6(socket: &OwnedFd, index: i32, destination: [u8; 16], bits: u16) -> io::Result<()> {
    let route = RouteV6 {
        destination,
        source: [0; 16],
        gateway: [0; 16],
        kind: 0,
        destination_bits: bits,
        source_bits: 0,
        metric: 1,
        info: 0,
        flags: 1,
        index,
    };
    system::request(socket, SIOCADDRT, &route)
}

/// Packets that a device dropped on their way to the emulator, from the text of /proc/net/dev.
pub fn dropped(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| {
        let (found, rest) = line.split_once(':')?;
        (found.trim() == name).then_some(rest)
    })?;
    // Receive has 8 columns; of transmit the fourth counts drops.
    line.split_whitespace().nth(11)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tentative_address_is_not_settled() {
        let own = Address {
            v4: std::net::Ipv4Addr::LOCALHOST,
            v6: std::net::Ipv6Addr::LOCALHOST,
        };
        let line = |flags: &str| format!("{:0>32} 01 80 10 {flags} lo\n", 1);
        assert!(settled(&line("80"), own));
        assert!(!settled(&line("c0"), own));
        assert!(!settled("", own));
    }

    #[test]
    fn drops_are_those_of_transmission() {
        let text = "Inter-|   Receive  |  Transmit\n face |bytes\n    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n\
            bw-1: 0 0 0 99 0 0 0 0 800 8 0 7 0 0 0 0\n";
        assert_eq!(dropped(text, "bw-1"), Some(7));
        assert_eq!(dropped(text, "bw-2"), None);
    }
}
