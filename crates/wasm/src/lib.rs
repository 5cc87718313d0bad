//! Congestion controllers in files of WebAssembly. A file exports the functions of the interface `backwater-cc/1`
//! (docs/reference/wasm.md) and imports none but `random`. It is a part like those of the tables: a world copies it, and
//! threads move it.
//!
//! `abi.rs` has the layout of what a controller is told and answers, `module.rs` reads a file and refuses what the interface
//! does not allow, `instance.rs` has one controller's memory and copies it, `controller.rs` is the controller of a flow.

mod abi;
mod controller;
mod instance;
mod module;

use backwater_transport::controller::{AnyController, Build};
use backwater_transport::part::{Part, Refusal};

pub use abi::{BUFFER, VERSION};
pub use module::{FUEL, LARGEST_FILE, PAGES};

/// Controllers in files of WebAssembly.
pub static FOREIGN: &[Part<Build>] = &[controller::PART.with_build(|args, setup| {
    let made = (controller::PART.build)(args, setup)?;
    Ok(AnyController::Custom(Box::new(made)))
})];

/// The refusal of a file.
fn wrong(what: impl Into<String>, fix: impl Into<String>) -> Refusal {
    Refusal {
        option: controller::FILE,
        what: what.into(),
        fix: fix.into(),
    }
}
