//! The bytes of a TCP segment (RFC 793) behind its IP header.
//!
//! The simulator has no handshake, so a capture begins with data: both initial sequence numbers are
//! 0, the first byte of the stream has number 1, and no scaling of the window was agreed on, so a
//! window above 65535 shows as that. Every segment has the timestamp option (RFC 7323) in
//! microseconds; ACKs have SACK blocks (RFC 2018). The payload is zeros. Ports are those of a
//! datagram of the flow, swapped in its ACKs.

use backwater_transport::segment::{AckSegment, Segment};
use backwater_transport::units::Time;

use crate::checksum::internet_checksum;
use crate::congestion;
use crate::ethernet::{Datagram, FIRST_PORT, IP, put16, write_ip};

/// The header of a packet of a connection.
#[derive(Copy, Clone, Debug, PartialEq)]
pub enum Said<'a> {
    /// Data, and the receiver's clock when it made the last acknowledgement that came back.
    Data(&'a Segment, Time),
    /// An acknowledgement.
    Ack(&'a AckSegment),
}

const PROTOCOL: u8 = 6;
const FIXED: usize = 20;
const CWR: u8 = 0x80;
const ECE: u8 = 0x40;
const ACK: u8 = 0x10;
const PSH: u8 = 0x08;
const NOP: u8 = 1;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// Appends a segment with its IP header.
pub(crate) fn write(out: &mut Vec<u8>, d: &Datagram, header: Said<'_>) {
    let congestion = congestion::option(header);
    let pseudo = write_ip(out, d, PROTOCOL, &congestion);
    let tcp = out.len();
    let (one, other) = (
        FIRST_PORT | (d.flow & 0x0FFF) as u16,
        FIRST_PORT | (d.flow >> 12 & 0x0FFF) as u16,
    );
    let byte = |n: u64| n.wrapping_add(1) as u32;
    let (ports, seq, ack, flags, window) = match header {
        Said::Data(s, _) => {
            let flags = if s.push { PSH } else { 0 } | if s.cwr { CWR } else { 0 };
            ([one, other], byte(s.start), byte(0), flags, u16::MAX)
        }
        Said::Ack(a) => {
            let window = a.window.min(u32::from(u16::MAX)) as u16;
            let flags = if a.ece { ECE } else { 0 };
            ([other, one], byte(0), byte(a.upto), flags, window)
        }
    };
    ports.into_iter().for_each(|port| put16(out, port));
    out.extend_from_slice(&seq.to_be_bytes());
    out.extend_from_slice(&ack.to_be_bytes());
    out.extend_from_slice(&[0, ACK | flags]);
    put16(out, window);
    out.extend_from_slice(&[0; 4]); // checksum, urgent pointer
    options(out, header);
    let length = out.len() - tcp;
    debug_assert!(length >= FIXED && length.is_multiple_of(4));
    out[tcp + 12] = (length as u8 / 4) << 4;
    let total = usize::from(d.len) - IP as usize - congestion.len();
    out.resize(tcp + total.max(length), 0);
    let sum = internet_checksum(pseudo + total as u64, &out[tcp..]);
    out[tcp + 16..tcp + 18].copy_from_slice(&sum.to_be_bytes());
}

fn options(out: &mut Vec<u8>, header: Said<'_>) {
    let (value, echo) = match header {
        Said::Data(s, heard) => (s.sent, heard),
        Said::Ack(a) => (a.received, a.echo),
    };
    let microseconds = |at: Time| ((at.0 / 1_000_000) as u32).to_be_bytes();
    out.extend_from_slice(&[NOP, NOP, TIMESTAMPS, 10]);
    out.extend_from_slice(&microseconds(value));
    out.extend_from_slice(&microseconds(echo));
    let Said::Ack(a) = header else { return };
    if a.blocks.count() > 0 {
        out.extend_from_slice(&[NOP, NOP, SACK, 2 + 8 * a.blocks.count() as u8]);
        for (first, end) in a.sack() {
            for edge in [first, end] {
                out.extend_from_slice(&(edge.wrapping_add(1) as u32).to_be_bytes());
            }
        }
    }
}
