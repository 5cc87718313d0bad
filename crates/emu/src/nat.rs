//! The way from an emulated path to the networks beyond: packets of the address inside leave with the address of the interface
//! that they leave by, and names are looked up as outside.
//!
//! The rules lie in an nf_tables table of its own, owned by a netlink socket: the kernel removes it with the socket, so a
//! killed emulator leaves none. Packets pass from one interface to another only where forwarding is on; the emulator
//! turns it on in the networks that it makes, never in the caller's.
//!
//! Reference: Linux include/uapi/linux/netfilter/nf_tables.h (NFT_TABLE_F_OWNER, since 5.12); mahimahi's shells masquerade too.
//! Differences: mahimahi answers for a loopback resolver with a proxy. Here the servers that systemd-resolved asks take its place.

use std::io;
use std::net::IpAddr;
use std::os::fd::OwnedFd;

use crate::address::Address;
use crate::system;

const FORWARDING: [&str; 2] = [
    "/proc/sys/net/ipv4/ip_forward",
    "/proc/sys/net/ipv6/conf/all/forwarding",
];
const RESOLVERS: &str = "/etc/resolv.conf";
/// Where systemd-resolved writes the servers that it asks.
const BEYOND: &str = "/run/systemd/resolve/resolv.conf";

const NFPROTO_INET: u8 = 1;
const NFPROTO_IPV4: u8 = 2;
const NFPROTO_IPV6: u8 = 10;
const SUBSYSTEM: u16 = 10;
const BATCH_BEGIN: u16 = 0x10;
const BATCH_END: u16 = 0x11;
const NEW_TABLE: u16 = SUBSYSTEM << 8;
const NEW_CHAIN: u16 = SUBSYSTEM << 8 | 3;
const NEW_RULE: u16 = SUBSYSTEM << 8 | 6;
/// NLM_F_REQUEST, NLM_F_ACK, NLM_F_CREATE.
const REQUEST: u16 = 1;
const ACK: u16 = 4;
const CREATE: u16 = 0x400;
const ERROR: u16 = 2;
const NESTED: u16 = 0x8000;
const OWNER: u32 = 2;
const POST_ROUTING: u32 = 4;
const SOURCE_NAT: u32 = 100;
const REGISTER: u32 = 1;
const META_NFPROTO: u32 = 15;
const NETWORK_HEADER: u32 = 1;

/// Whether this network passes packets from one interface to another, over IPv4.
pub fn forwards() -> bool {
    std::fs::read_to_string(FORWARDING[0]).is_ok_and(|text| text.trim() != "0")
}

/// Turns forwarding on in this network. A system whose /proc/sys is read-only refuses; a nested emulator then says that
/// this network does not forward.
pub fn forward() {
    for path in FORWARDING {
        let _ = std::fs::write(path, "1");
    }
}

/// Rules for packets of an address, which last as long as the socket that is given.
///
/// # Errors
/// The kernel has no nf_tables, or the caller may not change them.
pub fn masquerade(table: &str, of: Address) -> io::Result<OwnedFd> {
    let socket = system::netfilter_socket()?;
    let rules = [IpAddr::from(of.v4), IpAddr::from(of.v6)];
    let changes = 2 + rules.len();
    let mut batch = message(BATCH_BEGIN, REQUEST, 0, &[]);
    let flags = REQUEST | ACK | CREATE;
    let named = attribute(1, &text(table));
    let owned = [named.clone(), number(2, OWNER)].concat();
    batch.extend(message(NEW_TABLE, flags, 1, &owned));
    let hook = nested(4, &[number(1, POST_ROUTING), number(2, SOURCE_NAT)]);
    let chain = attribute(3, &text("out"));
    let kind = attribute(7, &text("nat"));
    let chain = [named.clone(), chain, hook, kind].concat();
    batch.extend(message(NEW_CHAIN, flags, 2, &chain));
    for (address, sequence) in rules.iter().zip(3..) {
        let chain = attribute(2, &text("out"));
        let rule = [named.clone(), chain, nested(4, &expressions(*address))].concat();
        batch.extend(message(NEW_RULE, flags | 0x800, sequence, &rule));
    }
    batch.extend(message(BATCH_END, REQUEST, 9, &[]));
    system::write(&socket, &batch)?;
    acknowledged(&socket, changes)?;
    Ok(socket)
}

/// The source is this address: then masquerade.
fn expressions(source: IpAddr) -> Vec<Vec<u8>> {
    let (family, offset, octets) = match source {
        IpAddr::V4(v4) => (NFPROTO_IPV4, 12, v4.octets().to_vec()),
        IpAddr::V6(v6) => (NFPROTO_IPV6, 8, v6.octets().to_vec()),
    };
    let expression =
        |name: &str, data: &[Vec<u8>]| nested(1, &[attribute(1, &text(name)), nested(2, data)]);
    let equal = |value: &[u8]| {
        let value = nested(3, &[attribute(1, value)]);
        expression("cmp", &[number(1, REGISTER), number(2, 0), value])
    };
    let length = octets.len() as u32;
    vec![
        expression("meta", &[number(2, META_NFPROTO), number(1, REGISTER)]),
        equal(&[family]),
        expression(
            "payload",
            &[
                number(1, REGISTER),
                number(2, NETWORK_HEADER),
                number(3, offset),
                number(4, length),
            ],
        ),
        equal(&octets),
        expression("masq", &[]),
    ]
}

fn text(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
    let mut bytes = ((4 + value.len()) as u16).to_ne_bytes().to_vec();
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(value);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn number(kind: u16, value: u32) -> Vec<u8> {
    attribute(kind, &value.to_be_bytes())
}

fn nested(kind: u16, inner: &[Vec<u8>]) -> Vec<u8> {
    attribute(kind | NESTED, &inner.concat())
}

/// A netlink message with the header of netfilter.
fn message(kind: u16, flags: u16, sequence: u32, attributes: &[u8]) -> Vec<u8> {
    let batch = matches!(kind, BATCH_BEGIN | BATCH_END);
    let (family, resource) = match batch {
        true => (0, SUBSYSTEM),
        false => (NFPROTO_INET, 0),
    };
    let mut bytes = ((20 + attributes.len()) as u32).to_ne_bytes().to_vec();
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(flags.to_ne_bytes());
    bytes.extend(sequence.to_ne_bytes());
    bytes.extend([0; 4]);
    bytes.extend([family, 0]);
    bytes.extend(resource.to_be_bytes());
    bytes.extend(attributes);
    bytes
}

/// Reads an answer to each change; the first that is an error is given.
fn acknowledged(socket: &OwnedFd, changes: usize) -> io::Result<()> {
    let mut buffer = vec![0; 16_384];
    let mut seen = 0;
    while seen < changes {
        let length = system::read(socket, &mut buffer)?.unwrap_or(0);
        let mut left = &buffer[..length];
        let word = |bytes: &[u8], at: usize| {
            let four = bytes[at..at + 4].try_into();
            i32::from_ne_bytes(four.expect("four octets"))
        };
        if left.len() < 20 {
            return Err(io::Error::other("the kernel gave no answer"));
        }
        while left.len() >= 20 {
            let kind = u16::from_ne_bytes([left[4], left[5]]);
            let code = word(left, 16);
            if kind == ERROR && code != 0 {
                return Err(io::Error::from_raw_os_error(-code));
            }
            seen += 1;
            let length = (word(left, 0) as usize).next_multiple_of(4);
            left = &left[length.clamp(20, left.len())..];
        }
    }
    Ok(())
}

/// How programs inside find the names of this network.
#[derive(Debug, PartialEq, Eq)]
pub enum Resolver {
    /// Nothing needs to change.
    AsItIs,
    /// This file takes the place of /etc/resolv.conf.
    Instead(&'static str),
    /// All servers are on the loopback interface, which is another one inside.
    OutOfReach,
}

/// How programs inside find names.
pub fn resolver() -> Resolver {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    choose(&read(RESOLVERS), &read(BEYOND))
}

fn choose(here: &str, beyond: &str) -> Resolver {
    let servers = |text: &str| -> Vec<IpAddr> {
        let lines = text
            .lines()
            .filter_map(|line| line.strip_prefix("nameserver"));
        lines.filter_map(|word| word.trim().parse().ok()).collect()
    };
    let within_reach = |text: &str| servers(text).iter().any(|server| !server.is_loopback());
    match (
        servers(here).is_empty() || within_reach(here),
        within_reach(beyond),
    ) {
        (true, _) => Resolver::AsItIs,
        (false, true) => Resolver::Instead(BEYOND),
        (false, false) => Resolver::OutOfReach,
    }
}

/// Puts a file in the place of /etc/resolv.conf, in the mounts of this process.
///
/// # Errors
/// When the system refuses.
pub fn resolve_by(path: &str) -> io::Result<()> {
    system::bind_mount(&std::ffi::CString::new(path)?, c"/etc/resolv.conf")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loopback_resolver_is_replaced_by_the_servers_that_it_asks() {
        let loopback = "# stub\nnameserver 127.0.0.53\nsearch home\n";
        let beyond = "nameserver 192.0.2.53\n";
        assert_eq!(choose(loopback, beyond), Resolver::Instead(BEYOND));
        assert_eq!(choose("nameserver ::1\n", ""), Resolver::OutOfReach);
        assert_eq!(choose(loopback, loopback), Resolver::OutOfReach);
        assert_eq!(choose(beyond, ""), Resolver::AsItIs);
        assert_eq!(choose("", ""), Resolver::AsItIs);
    }

    #[test]
    fn attributes_are_padded_to_four_octets_and_count_themselves_without_padding() {
        assert_eq!(attribute(1, &[7]).len(), 8);
        assert_eq!(attribute(1, &[7])[..2], 5u16.to_ne_bytes());
        assert_eq!(number(2, 1)[4..], [0, 0, 0, 1]);
        assert_eq!(message(BATCH_END, REQUEST, 9, &[]).len(), 20);
    }
}
