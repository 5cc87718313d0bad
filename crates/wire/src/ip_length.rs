//! The length of the IP packet within a captured frame.
//!
//! It's the one that the IP header states where the frame can hold so much, because short packets are
//! padded on Ethernet; where it states less than an IPv4 header, an empty IPv6 payload or more than the
//! frame holds (a packet captured before the network card cut it states zero), it's all that follows
//! the link header.
//!
//! Reference: LINKTYPE registry of tcpdump.org; IEEE 802.1Q tags; RFC 791 total length; RFC 8200
//! payload length.
//! Differences: IP within PPPoE or MPLS counts as no IP.

/// Bytes of the IP packet; nothing for a frame without one (ARP, LLDP, …); or why that can't be told.
/// Never zero.
pub fn length(link: u16, captured: &[u8], wire: u32) -> Result<Option<u64>, String> {
    let wire = (wire as usize).max(captured.len());
    let start = match link {
        // NULL and LOOP: the family's number in four bytes; the version says the same.
        0 | 108 => 4,
        1 => match network(captured, 14, 12)? {
            Some(start) => start,
            None => return Ok(None),
        },
        // RAW under its three numbers, IPV4, IPV6.
        12 | 14 | 101 | 228 | 229 => 0,
        // LINUX_SLL and LINUX_SLL2.
        113 => match network(captured, 16, 14)? {
            Some(start) => start,
            None => return Ok(None),
        },
        276 => match network(captured, 20, 0)? {
            Some(start) => start,
            None => return Ok(None),
        },
        other => {
            return Err(format!(
                "link type {other}; Ethernet, raw IP, null and Linux cooked are read"
            ));
        }
    };
    let packet = captured.get(start..).unwrap_or(&[]);
    let room = (wire - start.min(wire)) as u64;
    let short = || {
        format!(
            "only {} bytes were captured: the IP header's length is not among them",
            captured.len()
        )
    };
    let (stated, least) = match packet.first().ok_or_else(short)? >> 4 {
        4 => (u64::from(u16_at(packet, 2).ok_or_else(short)?), 20),
        6 => (u64::from(u16_at(packet, 4).ok_or_else(short)?) + 40, 41),
        _ => return Ok(None),
    };
    Ok(Some(if (least..=room).contains(&stated) {
        stated
    } else {
        room
    }))
}

/// Where the IP packet begins, given the length of the link header and where its EtherType stands, once
/// VLAN tags have been passed over.
fn network(captured: &[u8], header: usize, at: usize) -> Result<Option<usize>, String> {
    let short = || {
        format!(
            "only {} bytes were captured: the link header is not complete",
            captured.len()
        )
    };
    let mut kind = u16_at(captured, at).ok_or_else(short)?;
    let mut start = header;
    while matches!(kind, 0x8100 | 0x88a8 | 0x9100) {
        kind = u16_at(captured, start + 2).ok_or_else(short)?;
        start += 4;
    }
    Ok(matches!(kind, 0x0800 | 0x86dd).then_some(start))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes
        .get(at..)?
        .first_chunk()
        .map(|raw| u16::from_be_bytes(*raw))
}
