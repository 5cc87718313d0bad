//! Real time: a world behind a wall clock, with real packets. Linux only. The only crate with `unsafe`, sockets and clocks.
//!
//! * `plan` reads the boxes of a command line and writes the scenario that they are; `words` reads single words and
//!   `queue` mahimahi's queues.
//! * `namespace` runs a command behind a network device of its own; `device` makes these devices, `address` chooses addresses.
//! * `nat` leads from an emulated path to the networks beyond: address translation, forwarding and resolvers.
//! * `driver` moves packets between devices and the world; `payloads` keeps their bytes, `ip` reads their headers, `offload` cuts
//!   super-packets, `leaving` collects what is due together, and `join` makes super-packets of it.
//! * `clock` tells the time, `certificate` how well it was kept, `slow` where sleeping keeps it; `arrivals` says how long a packet may have waited unread.
//! * `shell` is `backwater emulate` with boxes, `attach` with programs at the nodes of a scenario; `session` runs either to its end, and
//!   `live` changes it meanwhile, and `page` shows it in a browser. `recorder` writes what is kept, in a thread of its own, and
//!   `sent` the packets that left.
//! * `flow` is `backwater flow`: both ends of a flow over real UDP.
//! * `probe` is load for benchmarks.
//! * `system` wraps system calls.

#![cfg(target_os = "linux")]

pub mod address;
pub mod arrivals;
pub mod attach;
pub mod certificate;
pub mod clock;
pub mod device;
pub mod driver;
pub mod fault;
pub mod flow;
pub mod join;
pub mod leaving;
pub mod live;
pub mod namespace;
pub mod nat;
pub mod offload;
pub mod page;
pub mod payloads;
pub mod plan;
pub mod probe;
pub mod queue;
mod recorder;
mod sent;
pub mod session;
pub mod shell;
mod slow;
pub mod system;
pub mod waits;
pub mod words;

pub use fault::Fault;
