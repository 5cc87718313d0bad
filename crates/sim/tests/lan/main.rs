//! The switched LAN: worlds built by hand, held against closed forms and against what each
//! mechanism is for.

mod ahead;
mod aqm;
mod balance;
mod change;
mod custom;
mod deadlock;
mod delay;
mod departures;
mod detectors;
mod determinism;
mod extremes;
mod fabric;
mod from_outside;
mod headroom;
mod heard;
mod input_queued;
mod managed;
mod model;
mod net;
mod nic;
mod outage;
#[path = "../support/outside.rs"]
mod outside;
mod pause;
mod property;
mod purpose;
mod queues;
#[path = "../support/random.rs"]
mod random;
mod rate;
mod since;
mod skip;
mod starvation;
#[path = "../support/statistics.rs"]
mod statistics;
mod still_to_come;
mod storm;
mod timing;
mod transport;
mod victims;
