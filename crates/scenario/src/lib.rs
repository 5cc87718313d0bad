//! What a person writes: TOML or JSON, checked, resolved and built into a world.

pub mod diagnostic;
pub mod options;
pub mod tree;
pub mod units;
