//! Byte formats, as pure functions between descriptions and bytes. Nothing here knows a simulated network, a file or a
//! socket; the simulator writes captures with it, and the emulator reads and marks real packets.
//!
//! * `addresses`: those of nodes. `ethernet`: frames from destination address to frame check sequence;
//!   `control_size`: how long control frames are.
//! * `tcp`, `congestion`: segments, acknowledgements and congestion headers behind an IP header.
//! * `wifi`: 802.11 frames behind a radiotap header, which is `radiotap`'s.
//! * `ip`: headers of real packets; `ip_length`: the length of the IP packet in a captured frame.
//! * `pcapng`: captures that are written; `pcap_reader`, `pcapng_reader`: captures that are read; `fault`: what is wrong in one.
//! * `flow`: the messages of a flow over real UDP; `flow_fields`: an acknowledgement in them. `checksum`: sums over bytes.

mod addresses;
pub mod checksum;
mod congestion;
pub mod control_size;
pub mod ethernet;
pub mod fault;
pub mod flow;
mod flow_fields;
pub mod ip;
pub mod ip_length;
pub mod pcap_reader;
pub mod pcapng;
pub mod pcapng_reader;
pub mod radiotap;
pub mod tcp;
pub mod wifi;
