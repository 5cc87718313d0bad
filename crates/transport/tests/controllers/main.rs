//! Every controller, through the interface that the sender sees.

mod build;
mod path;
mod random;
mod sprout;
