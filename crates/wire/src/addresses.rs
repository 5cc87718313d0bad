//! Addresses of nodes in frames and packets.

/// The destination of what is for all: ff:ff:ff:ff:ff:ff and 255.255.255.255.
pub const EVERYBODY: u32 = u32::MAX;

/// Whose frame it is.
#[derive(Copy, Clone, Debug, Default)]
pub struct Between {
    /// The host, or the node of a control frame, that sends it.
    pub src_host: u32,
    /// The host for which data is.
    pub dst_host: u32,
    /// The port of the node by which a control frame leaves.
    pub port: u32,
}

/// Bit 1 of the first byte says locally administered, bit 0 unset says one station.
pub(crate) fn mac(node: u32, port: u32) -> [u8; 6] {
    if node == EVERYBODY {
        return [0xFF; 6];
    }
    let [_, a, b, c] = node.to_be_bytes();
    let [_, _, p, q] = port.to_be_bytes();
    [0x02, a, b, c, p, q]
}

pub(crate) fn ipv4(node: u32) -> [u8; 4] {
    if node == EVERYBODY {
        return [255; 4];
    }
    let [_, a, b, c] = node.to_be_bytes();
    [10, a, b, c]
}
