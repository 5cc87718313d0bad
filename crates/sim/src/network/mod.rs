//! What a network is made of: nodes, their egress ports, the flows between them, and the notices on their way.

mod flow;
mod mail;
mod node;
mod port;

pub use flow::{Flow, Part};
pub use mail::Mail;
pub use node::Node;
pub use port::{Port, PortCount, PortMore, Stage, Traits};
