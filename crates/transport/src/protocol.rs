//! Transports, and what is the same for all flows of one.

/// How bytes become segments. `endpoint.rs` has the ends and the row of each.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// A reliable byte stream: TCP.
    Stream,
    /// Each packet is sent once and acknowledged individually: the protocol of the 6.829 contest.
    Datagram,
    /// A queue pair of RDMA that takes packets in order.
    Roce,
    /// A queue pair of RDMA that keeps what comes out of order.
    Irn,
}

/// The properties of a transport, which are the same for all its flows.
#[derive(Copy, Clone, Debug)]
pub struct Transport {
    /// Its name in scenarios.
    pub id: &'static str,
    /// IP bytes before the payload of a segment.
    pub header: u64,
    /// IP bytes of an acknowledgement with so many SACK blocks.
    pub ack: fn(blocks: u64) -> u64,
    /// Lost packets are sent again, so a transfer has an end.
    pub reliable: bool,
    /// Captures show its packets as TCP's; as UDP's otherwise.
    pub tcp: bool,
    /// Its receiver may delay acknowledgements.
    pub delays_acks: bool,
    /// A queue pair of RDMA: the card of its host pulls its packets, paces count frames, and marks come back as notification
    /// packets. The receivers of others send no signals and give no credit, and are not asked for them.
    pub queue_pair: bool,
}
