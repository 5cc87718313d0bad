//! The switched LAN: worlds built by hand, held against closed forms and against what each
//! mechanism is for.

mod ahead;
mod altered;
mod aqm;
mod balance;
mod bare;
mod carried;
mod change;
mod control;
mod custom;
mod deadlock;
mod delay;
mod destinations;
mod detectors;
mod determinism;
mod ends;
mod extremes;
mod fabric;
mod from_outside;
mod headroom;
mod input_queued;
mod judged;
mod laws;
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
mod skipped;
mod starvation;
#[path = "../support/statistics.rs"]
mod statistics;
mod storm;
mod timing;
mod transport;
mod victims;
