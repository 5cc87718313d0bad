//! The fifty snapshots of the 40-station mesh (S4): places, shadowing, trees, rates and load against the catalogue.

#[path = "mesh40/losses.rs"]
mod losses;
#[path = "mesh40/micro.rs"]
mod micro;
#[path = "mesh40/snapshot.rs"]
mod snapshot;
#[path = "mesh40/standstill.rs"]
mod standstill;
#[path = "mesh40/statistics.rs"]
mod statistics;
