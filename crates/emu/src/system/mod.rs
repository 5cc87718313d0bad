//! System calls, wrapped so that the rest of the crate is safe.

mod call;
mod clocks;
mod datagrams;
mod descriptors;
mod namespaces;
mod poller;
mod processes;
mod signals;

pub use clocks::*;
pub use datagrams::*;
pub use descriptors::*;
pub use namespaces::*;
pub use poller::*;
pub use processes::*;
pub use signals::*;
