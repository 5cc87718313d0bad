//! Every controller, through the interface that the sender sees.

mod bbr1;
mod bbr3;
mod build;
mod copa;
mod cubic;
mod equilibria;
mod explicit;
mod growth;
mod models;
mod policers;
mod prague;
mod random;
mod reaching;
mod report;
mod rules;
mod scream;
mod sensing;
mod sprout;
mod verus;
