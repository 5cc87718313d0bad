//! Every controller, through the interface that the sender sees.

mod bbr3;
mod build;
mod equilibria;
mod path;
mod random;
mod sprout;
