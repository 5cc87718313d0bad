//! How long control frames are, and the header fields of data frames that say the same.

use crate::ethernet::{
    ADDRESS, Between, FCS, FrameKind, MAC_HEADER, MAX_CONTROL_FRAME, MIN_FRAME, check,
    control_content, write,
};

/// Bytes of the smallest frame that carries `kind`, FCS included: 64, or more for a control frame
/// that lists many stations, at most 1518.
pub fn control_size(kind: &FrameKind<'_>) -> u32 {
    MIN_FRAME.max(control_content(kind) + FCS)
}

/// Bytes of what a control frame says from its opcode on: what a header field says in its place.
pub fn control_field(kind: &FrameKind<'_>) -> u32 {
    control_content(kind).saturating_sub(MAC_HEADER)
}

/// Makes a data frame that `write` made longer by a header field: what the control frame `kind` says from its opcode on,
/// between the frame's content and its FCS.
pub fn add_field(frame: &mut Vec<u8>, kind: &FrameKind<'_>) {
    let mut control = Vec::new();
    write(&mut control, Between::default(), 0, 0, kind);
    let field = MAC_HEADER as usize..control_content(kind) as usize;
    frame.truncate(frame.len() - FCS as usize);
    frame.extend_from_slice(&control[field]);
    check(frame, 0);
}

/// Bytes of a header and as many of the addresses as fit behind it.
pub(crate) fn list_size(header: u32, addresses: &[u32]) -> u32 {
    header + ADDRESS * that_fit(header, addresses).len() as u32
}

/// The addresses that fit a control frame behind a header of so many bytes.
pub(crate) fn that_fit(header: u32, addresses: &[u32]) -> &[u32] {
    let room = (MAX_CONTROL_FRAME - FCS - header) / ADDRESS;
    &addresses[..addresses.len().min(room as usize)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opcode and time; opcode, vector and eight times; and what an extension frame says behind its 14 bytes of addresses
    /// and type.
    #[test]
    fn a_header_field_is_a_control_frame_without_addresses_type_padding_and_fcs() {
        let pfc = FrameKind::Pfc { quanta: [None; 8] };
        let named = FrameKind::Destinations {
            quanta: 1,
            classes: 1,
            addresses: &[3, 4],
        };
        let sizes = [FrameKind::Pause { quanta: 1 }, pfc, named].map(|kind| control_field(&kind));
        assert_eq!(sizes, [4, 20, 26 + 2 * 6 - 14]);
    }
}
