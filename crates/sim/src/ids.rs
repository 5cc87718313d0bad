//! Numbers of the things in a world's tables. They have a file of their own, so that a file that names a port or a
//! flow need not know what a port or a flow is.

use crate::table::Id;

/// Marks of the kinds of numbers; never made.
pub mod kind {
    /// Of `network::Node`.
    #[derive(Debug)]
    pub enum Node {}
    /// Of `network::Port`.
    #[derive(Debug)]
    pub enum Port {}
    /// Of `network::Flow`.
    #[derive(Debug)]
    pub enum Flow {}
    /// Of `packet::Packet`.
    #[derive(Debug)]
    pub enum Packet {}
    /// Of `connection::Connection`.
    #[derive(Debug)]
    pub enum Connection {}
    /// Of `mechanism::Control`.
    #[derive(Debug)]
    pub enum Control {}
    /// Of `mechanism::notice::Notice`.
    #[derive(Debug)]
    pub enum Notice {}
    /// Of `network::Law`.
    #[derive(Debug)]
    pub enum Law {}
    /// Of `medium::wifi::radio::Radio`.
    #[derive(Debug)]
    pub enum Station {}
}

/// A host, switch or station.
pub type NodeId = Id<kind::Node>;
/// An egress port.
pub type PortId = Id<kind::Port>;
/// A flow.
pub type FlowId = Id<kind::Flow>;
/// A packet alive.
pub type PacketId = Id<kind::Packet>;
/// A flow with a transport.
pub type ConnectionId = Id<kind::Connection>;
/// A mechanism at a node.
pub type ControlId = Id<kind::Control>;
/// A notice on its way.
pub type NoticeId = Id<kind::Notice>;
/// A law of explicit feedback.
pub type LawId = Id<kind::Law>;
