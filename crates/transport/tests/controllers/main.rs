//! Every controller, through the interface that the sender sees.

mod build;
mod equilibria;
mod path;
mod random;
mod sprout;
